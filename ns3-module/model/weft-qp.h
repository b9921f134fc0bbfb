/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_QP_H
#define NS3_WEFT_QP_H

#include "weft-arena.h"
#include "weft-fabric-event.h"

#include <cstddef>
#include <cstdint>
#include <vector>
#include <weft/packet.h>

namespace ns3
{

class WeftNic;
class WeftQp;

/**
 * @ingroup weft
 * @brief Who wants to know when messages of a QP are done.
 */
class WeftMessageListener
{
  public:
    virtual ~WeftMessageListener() = default;
    /** The last byte is in order at the receiver. @param qp the QP @param tag given at
     * PostMessage() */
    virtual void MessageDelivered(const WeftQp& qp, uint64_t tag) = 0;
    /** The sender knows it. @param qp the QP @param tag given at PostMessage() */
    virtual void MessageAcked(const WeftQp& qp, uint64_t tag) = 0;

    /** The sender has given the QP up and will never know whether the message arrived: it may have,
     * or still arrive from what is under way. @param qp the QP @param tag given at PostMessage() */
    virtual void MessageFailed(const WeftQp& /* qp */, uint64_t /* tag */)
    {
    }
};

/** @ingroup weft Counters of one QP, packets unless said otherwise. */
struct WeftQpCounters
{
    uint64_t duplicates{0}; //!< data that arrived again: spurious retransmissions
    uint64_t outOfOrder{0}; //!< data that arrived with PSN > ePSN
    uint64_t nacksSent{0};  //!< by the receiver
    uint64_t cnpsSent{0};   //!< by the receiver
    uint64_t cnps{0};       //!< received by the sender
    uint64_t acks{0};       //!< received by the sender
    uint64_t torNacks{0};   //!< of the NACKs received by the sender, those that a ToR made
};

/**
 * @ingroup weft
 * @brief One reliable connection: the sender's and the receiver's state, and the event of the
 * sender's retransmission timer, which is armed lazily.
 *
 * The states of transport, congestion control and ToR middleware are the core's and opaque here.
 * Each end is at another NIC, and what each packet touches there is on a cache line or two.
 */
class alignas(64) WeftQp final : public FabricEvent, public WeftInArena
{
  public:
    /** A run of packets that the application calls a message. */
    struct Message
    {
        uint64_t first; //!< its first packet, counted from the QP's first
        uint64_t end;   //!< one past its last packet
        uint64_t bytes; //!< payload
        uint64_t tag;   //!< the application's

        /** @param full payload of a full packet @return payload of its last packet */
        int64_t GetLastPayload(int64_t full) const
        {
            return static_cast<int64_t>(bytes) - static_cast<int64_t>(end - first - 1) * full;
        }
    };

    WeftNic* nic{nullptr};                  //!< the sender's NIC
    WeftMessageListener* listener{nullptr}; //!< the application, or nullptr
    void* tor{nullptr}; //!< ToR middleware at the destination; nullptr within a rack
    uint64_t posted{0}; //!< packets posted
    int64_t sendAt{0};  //!< when pacing lets it send, ps, while it is not active

    // The receiver, for each data packet
    alignas(64) void* rx{nullptr};  //!< transport receiver
    uint64_t arrived{0};            //!< packets in order so far
    uint64_t deliverAt{UINT64_MAX}; //!< packets in order that make up the next message
    uint32_t epsn{0};               //!< ePSN
    uint32_t unacked{0};            //!< in-order packets since the last ACK
    WeftQpCounters counters;        //!< counters: the receiver's, and on the next line the sender's

    // The sender, for each ACK
    void* tx{nullptr};          //!< transport sender
    void* cc{nullptr};          //!< congestion control
    void* path{nullptr};        //!< path selector's, nullptr if the balancer has no part at hosts
    uint64_t una{0};            //!< packets acknowledged
    uint64_t ackAt{UINT64_MAX}; //!< packets acknowledged that complete the next message
    uint32_t src{0};            //!< sending host
    uint32_t dst{0};            //!< receiving host

    // The sender, for each packet it sends
    uint64_t bulkFirst{0};  //!< packets from here on are full and none is a message's last
    uint64_t bulkEnd{0};    //!< until here
    int64_t lastSent{0};    //!< when its last packet left, ps
    double lastRate{0};     //!< bit/s in force then; 0: nothing was sent yet
    double rateTime{0};     //!< integral of the rate over the time active, bit/s * ps
    uint64_t sentBytes{0};  //!< frame bytes of data sent
    uint32_t index{0};      //!< number in the fabric
    uint32_t firstPsn{0};   //!< PSN of its first packet
    int32_t slot{-1};       //!< place among the NIC's active QPs, -1: nothing to send
    uint16_t sport{0};      //!< UDP source port
    bool urgent{false};     //!< its next packet leaves whatever the window
    bool timerArmed{false}; //!< the retransmission timer's event is pending
    bool givenUp{false};    //!< it sends nothing any more

    std::size_t acked{0};     //!< messages acknowledged
    std::size_t delivered{0}; //!< messages delivered
    int64_t firstSent{-1};    //!< when its first packet left, ps
    int64_t lastCnp{0};       //!< when the last CNP left, ps
    int64_t lastDelivery{-1}; //!< when the last message was delivered, ps
    uint64_t timeoutUna{0};   //!< una at the last timeout
    int64_t retries{0};       //!< timeouts in a row with that una

    WeftVector<Message> messages; //!< all messages ever posted
    WeftVector<uint64_t> memory;  //!< of the states

    /** Fetches what a packet will touch. @param data whether it is data or a reply */
    void Prefetch(bool data) const
    {
        __builtin_prefetch(data ? static_cast<const void*>(&rx) : &tx, 1);
    }

    /** @param message to be sent, delivered and acknowledged after all others */
    void Add(const Message& message)
    {
        messages.push_back(message);
        posted = message.end;
        deliverAt = messages[delivered].end;
        ackAt = messages[acked].end;
    }

    /** @param seq an unacknowledged packet's number @return its message */
    const Message& FindMessage(uint64_t seq) const
    {
        std::size_t i = acked;
        while (seq >= messages[i].end)
        {
            i++;
        }
        return messages[i];
    }

    /** @param done messages delivered or acknowledged @return packets that complete the next one */
    uint64_t GetEnd(std::size_t done) const
    {
        return done < messages.size() ? messages[done].end : UINT64_MAX;
    }

    void Fire(int64_t now) override;
};

} // namespace ns3

#endif /* NS3_WEFT_QP_H */
