/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_PORT_H
#define NS3_WEFT_PORT_H

#include <cstdint>
#include <weft/net.h>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief One end of a link: what a NIC or a switch sends by it, as it is now.
 */
class WeftPort
{
  public:
    /** @param fabric that lives as long, or nullptr: it has ended @param node number in the fabric,
     * hosts first @param index of the port at its node */
    WeftPort(WeftFabric* fabric, uint32_t node, uint32_t index);

    /** @return bit/s */
    int64_t GetRate() const;
    /** @return propagation delay, ps */
    int64_t GetDelay() const;
    /** @return when the wire is, or was, free, ps */
    int64_t GetFreeAt() const;
    /** @return bit c: the peer has paused class c */
    uint32_t GetPausedClasses() const;
    /** @param tclass class @return whether the peer has paused it */
    bool IsPaused(uint32_t tclass) const;
    /** @return whether the link is down */
    bool IsDown() const;
    /** @return frames whose first bit has left */
    uint64_t GetFrames() const;
    /** @return their bytes, without gaps */
    uint64_t GetBytes() const;

  private:
    weft_net_port Get() const; //!< @return its state

    WeftFabric* m_fabric; //!< the fabric
    uint32_t m_node;      //!< number
    uint32_t m_index;     //!< of the port at its node
};

} // namespace ns3

#endif /* NS3_WEFT_PORT_H */
