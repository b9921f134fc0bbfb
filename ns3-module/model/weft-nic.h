/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_NIC_H
#define NS3_WEFT_NIC_H

#include "weft-net-device.h"
#include "weft-qp.h"
#include "weft-receiver.h"

#include "ns3/data-rate.h"
#include "ns3/queue-size.h"
#include "ns3/weft-arena.h"

#include <vector>
#include <weft/host.h>

namespace ns3
{

class NetDeviceQueue;
class WeftChannel;
class WeftLan;

/**
 * @ingroup weft
 * @brief An RDMA NIC: queue pairs served round-robin, paced by their congestion control.
 *
 * Data, replies (ACK, NACK, CNP) and packets of IP stacks share the wire. The transport and the
 * congestion control are the core's.
 */
class WeftNic final : public WeftNetDevice, public WeftReceiver, public WeftInArena
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftNic();
    ~WeftNic() override;

    /** @param fabric the fabric @param host this host's index */
    void Setup(Ptr<WeftFabric> fabric, uint32_t host);

    /** @return this host's index */
    uint32_t GetHost() const
    {
        return m_index;
    }

    /** @return its port */
    WeftPort* GetPort() const
    {
        return m_port;
    }

    /** Makes room for one more QP of this host. */
    void AddQp();

    /** Posts a message; its packets are sent after those of earlier messages of the QP. Told by a
     * listener of this node it is posted at once, else when all that is due at this node at this
     * instant has happened, and in the context of this node, whatever the caller's.
     *  @param qp a QP of this host @param bytes > 0 @param tag handed to the listener */
    void Post(WeftQp* qp, uint64_t bytes, uint64_t tag);

    /** @param qp one of this NIC's QPs @return the congestion control's rate now */
    DataRate GetRate(const WeftQp* qp) const;

    /** Signature of the "GiveUp" trace. @param qp the QP */
    typedef void (*QpTracedCallback)(const WeftQp& qp);

    // From WeftReceiver
    void Note(WeftPacket* p) override;
    void Expect(const WeftPacket* p) const override;
    /** Something may be ready to be sent. @param now ps */
    void Kick(int64_t now);
    /** The wire is free or a pacing gap is over. @param now ps */
    void Wake(int64_t now);
    /** The fabric tells of a loss. @param qp one of this NIC's QPs @param lost its data packet, or
     * the ACK of one @param now ps */
    void HearLoss(WeftQp* qp, const weft_packet& lost, int64_t now);
    /** The event of the timer of a QP's receiver, at this NIC, fired. @param qp the QP @param now
     * ps */
    void CheckReceiverTimer(WeftQp* qp, int64_t now);
    /** A QP's retransmission timer event fired. @param qp the QP @param now ps */
    void CheckTimer(WeftQp* qp, int64_t now);

    // From NetDevice: traffic of IP stacks
    void SetAddress(Address address) override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    Ptr<Channel> GetChannel() const override;
    bool IsLinkUp() const override;
    bool IsBroadcast() const override;
    bool NeedsArp() const override;

    /** @param link to the ToR */
    void SetLink(Ptr<WeftChannel> link);
    /** @param lan the network of all NICs of the fabric, to which this one is added */
    void Join(Ptr<WeftLan> lan);

    /** @param qp one of its QPs @return when pacing lets it send, ps */
    int64_t GetSendAt(const WeftQp& qp) const
    {
        return weft_host_send_at(&m_host, &qp);
    }

    /** @return replies and packets of IP stacks that have not left yet */
    uint64_t GetWaiting() const;

    /** @return packets of IP stacks that Send() has refused */
    uint64_t GetIpDrops() const
    {
        return m_ipDrops;
    }

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t RAW_CLASS = 1; //!< traffic class of packets of IP stacks

    /** FIFO of packets, linked through WeftPacket::next. */
    struct Fifo
    {
        WeftPacket* head{nullptr}; //!< first
        WeftPacket* tail{nullptr}; //!< last

        /** @param p packet to append */
        void Push(WeftPacket* p)
        {
            p->SetNext(nullptr);
            if (head)
            {
                tail->SetNext(p);
            }
            else
            {
                head = p;
            }
            tail = p;
        }

        /** @return the first packet, removed, or nullptr */
        WeftPacket* Pop()
        {
            WeftPacket* p = head;
            if (p)
            {
                head = p->GetNext();
            }
            return p;
        }

        /** @param paused bit c: class c must wait @return the first packet that need not wait,
         * or nullptr */
        WeftPacket* Find(uint32_t paused) const
        {
            WeftPacket* p = head;
            while (p && paused >> p->d.tclass & 1)
            {
                p = p->GetNext();
            }
            return p;
        }

        /** @param p a packet in it, to be removed */
        void Remove(WeftPacket* p)
        {
            WeftPacket* before = nullptr;
            for (WeftPacket* q = head; q != p; q = q->GetNext())
            {
                before = q;
            }
            if (!before)
            {
                Pop();
                return;
            }
            before->SetNext(p->GetNext());
            tail = tail == p ? before : tail;
        }
    };

    void Arrive(WeftPacket* p, int64_t now);       //!< @param p a frame @param now ps
    void ReceiveData(WeftPacket* p, int64_t now);  //!< @param p data @param now ps
    void ReceiveReply(WeftPacket* p, int64_t now); //!< @param p ACK or NACK @param now ps
    void ReceiveCnp(WeftPacket* p, int64_t now);   //!< @param p CNP @param now ps
    void ReceiveRaw(WeftPacket* p);                //!< @param p packet of an IP stack
    /** @param to an address @return whether a packet for it can be taken: the link is up, somebody
     * else has that address, and the queue is not full */
    bool MaySend(Mac48Address to) const;
    void SetIpQueueSize(QueueSize size); //!< @param size attribute: above 0
    QueueSize GetIpQueueSize() const;    //!< @return attribute
    /** @return whether the queue of packets of IP stacks has reached its limit */
    bool IsIpQueueFull() const;
    /** A packet of an IP stack leaves the queue. @param p the frame @param now ps */
    [[gnu::cold]] void TakeRaw(WeftPacket* p, int64_t now);
    /** Tells the queue disc that a packet of an IP stack has left; it may send more at once.
     * @param bytes of the frame */
    [[gnu::cold]] void TellIpQueue(uint32_t bytes);
    /** Queues a packet of an IP stack. @param packet copied @param host destination @param protocol
     * EtherType @param to as it was addressed */
    void SendRaw(Ptr<const Packet> packet, uint32_t host, uint16_t protocol, Mac48Address to);
    /** Sends a reply, or lets it come by itself if replies are ideal. @param p the reply */
    void Reply(WeftPacket* p)
    {
        if (__builtin_expect(m_repliesIdeal, 0))
        {
            ReplyIdeally(p);
            return;
        }
        m_replies.Push(p);
    }

    [[gnu::noinline]] void ReplyIdeally(WeftPacket* p); //!< @param p the reply
    /** Tells the listener what is delivered. @param qp QP @param now ps */
    void TellDelivered(WeftQp* qp, int64_t now);
    void TellAcked(WeftQp* qp); //!< Tells the listener what is acknowledged. @param qp QP
    /** Reports all unacknowledged messages as failed. @param qp a QP that is given up */
    void TellFailed(WeftQp* qp);
    /** Arms a QP's retransmission timer, if it has a deadline. @param qp QP @param now ps */
    void ArmTimer(WeftQp* qp, int64_t now);
    /** Arms the timer of a QP's receiver, if it has a deadline. @param qp QP @param now ps */
    void ArmReceiverTimer(WeftQp* qp, int64_t now);
    /** Post() does it now. @param qp a QP @param bytes > 0 @param tag handed to the listener */
    void PostNow(WeftQp* qp, uint64_t bytes, uint64_t tag);
    /** Sends on if a QP has something to send after news. @param qp QP @param now ps */
    void Resume(WeftQp* qp, int64_t now);
    /** @param paused classes that PFC keeps back @return which sources other than data may send */
    uint32_t GetWaiting(uint32_t paused) const;
    /** @param paused as in GetWaiting() @return the first reply that may go; there is one */
    WeftPacket* TakeReply(uint32_t paused);
    /** @param now ps @return the next frame for the wire, or nullptr */
    WeftPacket* Pull(int64_t now);
    /** @param now ps @return the data frame that was chosen */
    WeftPacket* MakeData(int64_t now);
    void TransmitNext(int64_t now); //!< Sends if the wire is free, then plans ahead @param now ps
    /** Arms the wake-up event for the next thing to send. @param now ps */
    void Plan(int64_t now);
    /** Arms the wake-up event, if it is not armed for an earlier time. @param at ps @param now ps
     */
    void WakeAt(int64_t at, int64_t now);

    // What every packet reads comes first.
    WeftPort* m_port{nullptr};                     //!< its port
    uint32_t m_index{0};                           //!< of this host
    bool m_repliesIdeal{false};                    //!< ack-priority ideal
    int64_t m_wakeAt;                              //!< earliest pending wake-up, WEFT_NEVER: none
    Fifo m_replies;                                //!< ACKs, NACKs, CNPs
    Fifo m_raw;                                    //!< packets of IP stacks
    weft_host m_host{};                            //!< the core's NIC
    TracedCallback<const weft_packet&> m_txTrace;  //!< "Tx"
    TracedCallback<const weft_packet&> m_rxTrace;  //!< "Rx"
    WeftVector<weft_qp*> m_active;                 //!< memory of m_host
    WeftVector<int64_t> m_sendAt;                  //!< memory of m_host
    uint32_t m_qps{0};                             //!< QPs that it has
    Ptr<WeftChannel> m_link;                       //!< to the ToR
    Ptr<WeftLan> m_lan;                            //!< with all NICs
    Ptr<NetDeviceQueue> m_ipQueue;                 //!< where queue discs see whether m_raw is full
    QueueSize m_ipQueueSize;                       //!< attribute: limit of m_raw
    uint32_t m_rawPackets{0};                      //!< packets in m_raw
    uint64_t m_rawBytes{0};                        //!< bytes in m_raw
    uint64_t m_ipDrops{0};                         //!< packets that Send() refused
    TracedCallback<const WeftQp&> m_giveUpTrace;   //!< "GiveUp"
    TracedCallback<Ptr<const Packet>> m_dropTrace; //!< "MacTxDrop"
};

} // namespace ns3

#endif /* NS3_WEFT_NIC_H */
