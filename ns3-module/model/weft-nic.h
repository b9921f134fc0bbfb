/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_NIC_H
#define NS3_WEFT_NIC_H

#include "weft-net-device.h"
#include "weft-qp.h"

#include "ns3/data-rate.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class NetDeviceQueue;
class Packet;
class WeftChannel;
class WeftLan;

/**
 * @ingroup weft
 * @brief An RDMA NIC: queue pairs served round-robin, paced by their congestion control.
 *
 * Data, replies (ACK, NACK, CNP) and packets of IP stacks share the wire. What it does with QPs is
 * the core's; this is what a program and an IP stack see of it.
 */
class WeftNic final : public WeftNetDevice
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
        return m_number;
    }

    /** @return its ports: one in each plane */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /** @param plane whose @return its port there */
    const WeftPort* GetPort(uint32_t plane = 0) const
    {
        return &m_ports.at(plane);
    }

    /** @param qp one of this NIC's QPs @return the congestion control's rate now */
    DataRate GetRate(const WeftQp* qp) const;
    /** @param qp one of its QPs @return when pacing lets it send, ps */
    int64_t GetSendAt(const WeftQp& qp) const;
    /** @return replies and packets of IP stacks that have not left yet */
    uint64_t GetWaiting() const;

    /** @return packets of IP stacks that Send() has refused */
    uint64_t GetIpDrops() const
    {
        return m_ipDrops;
    }

    /** @name What the core tells of @{ */
    void TellSent(const weft_packet& p);     //!< @param p a frame that starts to leave
    void TellReceived(const weft_packet& p); //!< @param p a frame that has come
    void TellGaveUp(const WeftQp& qp);       //!< @param qp one of its QPs
    /** @} */

    /** Signature of the "GiveUp" trace. @param qp the QP */
    typedef void (*QpTracedCallback)(const WeftQp& qp);

    // From NetDevice: traffic of IP stacks
    void SetAddress(Address address) override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    Ptr<Channel> GetChannel() const override;
    bool IsLinkUp() const override;
    bool IsBroadcast() const override;
    bool NeedsArp() const override;

    /** @param link to the ToR of its next plane, from plane 0 on */
    void AddLink(Ptr<WeftChannel> link);
    /** @param lan the network of all NICs of the fabric, to which this one is added */
    void Join(Ptr<WeftLan> lan);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t RAW_CLASS = 1; //!< traffic class of packets of IP stacks

    void ReceiveRaw(const weft_packet& p); //!< @param p carries a packet of an IP stack
    /** @param to an address @return whether a packet for it can be taken: the link is up, somebody
     * else has that address, and the queue is not full */
    bool MaySend(Mac48Address to) const;
    void SetIpQueueSize(QueueSize size); //!< @param size attribute: above 0
    QueueSize GetIpQueueSize() const;    //!< @return attribute
    /** @return whether the queue of packets of IP stacks has reached its limit */
    bool IsIpQueueFull() const;
    /** Tells the queue disc that a packet of an IP stack has left; it may send more at once.
     * @param bytes of the frame */
    void TellIpQueue(uint32_t bytes);
    /** Queues a packet of an IP stack. @param packet copied @param host destination @param protocol
     * EtherType @param to as it was addressed */
    void SendRaw(Ptr<const Packet> packet, uint32_t host, uint16_t protocol, Mac48Address to);
    void LogSent(const weft_packet& p); //!< @param p a frame that starts to leave

    std::vector<WeftPort> m_ports;                 //!< its ports
    TracedCallback<const weft_packet&> m_txTrace;  //!< "Tx"
    TracedCallback<const weft_packet&> m_rxTrace;  //!< "Rx"
    std::vector<Ptr<WeftChannel>> m_links;         //!< to the ToRs
    Ptr<WeftLan> m_lan;                            //!< with all NICs
    Ptr<NetDeviceQueue> m_ipQueue;                 //!< where queue discs see whether it is full
    QueueSize m_ipQueueSize;                       //!< attribute: limit of what waits for the wire
    uint32_t m_rawPackets{0};                      //!< packets of IP stacks that wait for it
    uint64_t m_rawBytes{0};                        //!< their bytes
    uint64_t m_ipDrops{0};                         //!< packets that Send() refused
    std::map<uint32_t, double> m_rates;            //!< for logs: the last rate by QP, bit/s
    TracedCallback<const WeftQp&> m_giveUpTrace;   //!< "GiveUp"
    TracedCallback<Ptr<const Packet>> m_dropTrace; //!< "MacTxDrop"
};

} // namespace ns3

#endif /* NS3_WEFT_NIC_H */
