/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_NET_DEVICE_H
#define NS3_WEFT_NET_DEVICE_H

#include "weft-port.h"
#include "weft-watched.h"

#include "ns3/address.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief What a NIC and a switch have in common as ns-3 devices: node, address, MTU, link state.
 */
class WeftNetDevice : public NetDevice, public WeftWatched
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftNetDevice();
    ~WeftNetDevice() override;

    /** @return the fabric this device belongs to */
    Ptr<WeftFabric> GetFabric() const;

    /** Watches its node, which is run at the times of its frames from now on. */
    void Watch() override;
    /** Watches it, and has the core tell of queues from now on. */
    void WatchQueues() override;
    /** @return its node's number in the fabric, hosts first */
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /** Tells listeners that a link of this device went up or down, by an event of this instant in
     * the context of its node. */
    void NotifyLinkChange();

    // From NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /** Signature of traces that show one frame. @param packet the descriptor */
    typedef void (*PacketTracedCallback)(const weft_packet& packet);
    /** Signature of traces that show one frame at a port. @param packet the descriptor @param port
     * of the device */
    typedef void (*PortTracedCallback)(const weft_packet& packet, uint32_t port);
    /** Signature of traces that show why a frame has ended. @param packet the descriptor @param why
     * WeftFabric::DROP_LINK and so on */
    typedef void (*LossTracedCallback)(const weft_packet& packet, weft_net_loss why);

  protected:
    void DoDispose() override;
    /** Tells the sinks of a trace, unless it is of before now: they have been connected since.
     * @param trace source @param args what it tells */
    template <typename Trace, typename... Args>
    void Fire(const Trace& trace, const Args&... args) const
    {
        if (!trace.IsEmpty() && IsTimely())
        {
            trace(args...);
        }
    }
    bool IsTimely() const; //!< @return WeftFabric::IsTimely()
    /** @param why a frame has ended @return whether it was lost on the link by which it came */
    static bool IsLostOnLink(weft_net_loss why);
    /** @param bytes of a frame @param port that sends it @return when its last bit has left, from
     * now */
    static Time WireTime(uint32_t bytes, const WeftPort& port);
    /** @return the fabric; aborts the program if it has ended */
    WeftFabric& AliveFabric() const;

    Ptr<WeftFabric> m_fabric;                    //!< the fabric
    uint32_t m_number{0};                        //!< see GetNumber()
    NetDevice::ReceiveCallback m_receive;        //!< where packets of IP stacks go
    NetDevice::PromiscReceiveCallback m_promisc; //!< where all of them go

  private:
    void TellLinkChange(); //!< the event

    Ptr<Node> m_node;                 //!< the node
    Mac48Address m_address;           //!< the address
    uint32_t m_ifIndex{0};            //!< index at the node
    uint16_t m_mtu{1500};             //!< bytes of IP packets
    bool m_hasListeners{false};       //!< of link changes
    TracedCallback<> m_linkCallbacks; //!< link changes
};

} // namespace ns3

#endif /* NS3_WEFT_NET_DEVICE_H */
