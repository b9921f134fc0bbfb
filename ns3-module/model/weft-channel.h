/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_CHANNEL_H
#define NS3_WEFT_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <vector>
#include <weft/net.h>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief A full-duplex link of the fabric, as ns-3 sees it: two devices, a rate, a delay.
 *
 * Frames do not pass through this object.
 */
class WeftChannel : public Channel
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftChannel();
    ~WeftChannel() override;

    /** @param fabric the fabric @param link number @param a device at its lower end
     * @param b device at its upper end */
    void Setup(WeftFabric* fabric, uint64_t link, Ptr<NetDevice> a, Ptr<NetDevice> b);

    // From Channel
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /** @return bit/s */
    DataRate GetDataRate() const;
    /** @return propagation delay */
    Time GetDelay() const;
    /** Takes the link down, or up again, which ends all failures of it that are in force; frames on
     * a dead link are lost. Forwarding adapts after the convergence delay, as to a scheduled
     * failure. @param down state */
    void SetDown(bool down);
    /** Changes the rate of both directions. Forwarding adapts where it weighs capacities.
     * @param rate above 0 */
    void SetRate(DataRate rate);
    /** Tells its devices that the channel has gone down or come back. */
    void NotifyChange() const;
    /** @return whether it is down */
    bool IsDown() const;

  protected:
    void DoDispose() override;

  private:
    weft_net_port Get() const; //!< @return the state of its lower end

    Ptr<NetDevice> m_devices[2];   //!< the ends; nullptr: another rank's
    WeftFabric* m_fabric{nullptr}; //!< the fabric
    uint64_t m_link{0};            //!< number
};

/**
 * @ingroup weft
 * @brief The fabric, as an IP stack sees it: one network to which all NICs are connected; of hosts
 * with several ports, one for each plane and for each switch of a server's own network.
 *
 * It is what the GetChannel() of a host's port returns, so that Ipv4GlobalRoutingHelper finds
 * routes through the fabric.
 */
class WeftLan : public Channel
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftLan();
    ~WeftLan() override;

    /** @param port one more port of a host */
    void Add(Ptr<NetDevice> port);

    // From Channel
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    std::vector<Ptr<NetDevice>> m_ports; //!< by host
};

} // namespace ns3

#endif /* NS3_WEFT_CHANNEL_H */
