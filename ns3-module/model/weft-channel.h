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

namespace ns3
{

class WeftNetDevice;
class WeftPort;

/**
 * @ingroup weft
 * @brief A full-duplex link of the fabric, as ns-3 sees it: two devices, a rate, a delay.
 *
 * Frames do not pass through this object: each WeftPort knows its peer.
 */
class WeftChannel : public Channel
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftChannel();
    ~WeftChannel() override;

    /** @param a port at one end @param da its device @param b port at the other end @param db its
     * device */
    void Attach(WeftPort* a, Ptr<NetDevice> da, WeftPort* b, Ptr<NetDevice> db);

    // From Channel
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /** @return bit/s */
    DataRate GetDataRate() const;
    /** @return propagation delay */
    Time GetDelay() const;
    /** Takes the link down, or up again; frames on a dead link are lost. @param down state */
    void SetDown(bool down);
    /** Changes the rate of both directions. @param rate bit/s */
    void SetRate(int64_t rate);
    /** @return whether it is down */
    bool IsDown() const;

  protected:
    void DoDispose() override;

  private:
    WeftPort* m_ports[2]{nullptr, nullptr}; //!< owned by their devices
    Ptr<NetDevice> m_devices[2];            //!< the ends
};

} // namespace ns3

#endif /* NS3_WEFT_CHANNEL_H */
