/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_HOST_PORT_H
#define NS3_WEFT_HOST_PORT_H

#include "weft-net-device.h"

#include "ns3/queue-size.h"

#include <cstdint>

namespace ns3
{

class NetDeviceQueue;
class Packet;
class WeftChannel;
class WeftLan;
struct WeftPayload;

/**
 * @ingroup weft
 * @brief A port of a host, as IP stacks see it: a NetDevice with an address and a link of its own.
 *
 * What it is given to send leaves by its port. A host's port 0 is its WeftNic.
 */
class WeftHostPort : public WeftNetDevice
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftHostPort();
    ~WeftHostPort() override;

    /** @param fabric the fabric @param host its host's index @param port its number there */
    void Setup(Ptr<WeftFabric> fabric, uint32_t host, uint32_t port);

    /** @return its host's index */
    uint32_t GetHost() const
    {
        return m_number;
    }

    /** @return its number among the host's ports */
    uint32_t GetIndex() const
    {
        return m_port;
    }

    /** @return packets of IP stacks that Send() has refused */
    uint64_t GetIpDrops() const
    {
        return m_ipDrops;
    }

    /** Changes the limit of what waits for the wire. @param size above 0 */
    virtual void SetIpQueueSize(QueueSize size);
    /** @return the same */
    QueueSize GetIpQueueSize() const;

    // From NetDevice: traffic of IP stacks
    void SetAddress(Address address) override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    Ptr<Channel> GetChannel() const override;
    bool IsLinkUp() const override;
    bool IsBroadcast() const override;
    bool NeedsArp() const override;

    /** @name For the other classes of the module @{ */
    /** @param link to its switch @param lan the network of all ports that it can send to, to which
     * it is added */
    void Connect(Ptr<WeftChannel> link, Ptr<WeftLan> lan);
    /** Tells the queue disc that a packet of an IP stack has left; it may send more at once.
     * @param bytes of the frame */
    void TellIpQueue(uint32_t bytes);
    /** A packet of an IP stack starts to leave. @param p its frame @param port by which it goes */
    void TellIpSent(const weft_packet& p, const WeftPort& port);
    /** Tells that a packet for this port was lost on the link to it. @param payload of that frame
     */
    void TellIpLost(const WeftPayload& payload);
    /** Hands a packet to IP stacks. @param payload that has come for this port */
    void Receive(const WeftPayload& payload);
    /** @} */

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t RAW_CLASS = 1; //!< traffic class of packets of IP stacks

    /** @param to an address @return whether a packet for it can be taken: the link is up, another
     * host of this network has that address, and the queue is not full */
    bool MaySend(Mac48Address to) const;
    /** @return whether the queue of packets of IP stacks has reached its limit */
    bool IsIpQueueFull() const;
    /** Queues a packet of an IP stack. @param packet copied @param at the port that is to get it
     * @param protocol EtherType @param to as it was addressed */
    void
    SendRaw(Ptr<const Packet> packet, const WeftHostPort& at, uint16_t protocol, Mac48Address to);

    /** Shows a frame of an IP stack to those who sniff. @param payload what it carries */
    void Sniff(const WeftPayload& payload) const;

    uint32_t m_port{0};            //!< see GetIndex()
    Ptr<WeftChannel> m_link;       //!< to its switch
    Ptr<WeftLan> m_lan;            //!< of the ports that it can send to
    Ptr<NetDeviceQueue> m_ipQueue; //!< where queue discs see whether it is full
    QueueSize m_ipQueueSize;       //!< limit of what waits for the wire
    uint32_t m_rawPackets{0};      //!< packets of IP stacks that wait for it
    uint64_t m_rawBytes{0};        //!< their bytes
    uint64_t m_ipDrops{0};         //!< packets that Send() refused
    using PacketTrace = TracedCallback<Ptr<const Packet>>;
    PacketTrace m_macTxTrace;          //!< "MacTx"
    PacketTrace m_dropTrace;           //!< "MacTxDrop"
    PacketTrace m_macPromiscRxTrace;   //!< "MacPromiscRx"
    PacketTrace m_macRxTrace;          //!< "MacRx"
    PacketTrace m_phyTxBeginTrace;     //!< "PhyTxBegin"
    PacketTrace m_phyTxEndTrace;       //!< "PhyTxEnd"
    PacketTrace m_phyRxEndTrace;       //!< "PhyRxEnd"
    PacketTrace m_phyRxDropTrace;      //!< "PhyRxDrop"
    PacketTrace m_snifferTrace;        //!< "Sniffer"
    PacketTrace m_promiscSnifferTrace; //!< "PromiscSniffer"
};

} // namespace ns3

#endif /* NS3_WEFT_HOST_PORT_H */
