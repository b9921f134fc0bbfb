/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_RECEIVER_H
#define NS3_WEFT_RECEIVER_H

#include "ns3/weft-fabric-event.h"

#include <cstdint>

namespace ns3
{

class WeftPacket;

/**
 * @ingroup weft
 * @brief Where a wire ends: a switch or a NIC, as the frames on the wire see it.
 *
 * A base class of its own, aligned so that the owner's members that every frame needs can follow on
 * the same cache line.
 */
class alignas(64) WeftReceiver : public FabricEventTarget
{
  public:
    /** A frame's last bit arrives now, at the port that its descriptor names: to be noted among
     * what happens at this instant. @param p the frame */
    virtual void Note(WeftPacket* p) = 0;

    /** A frame will arrive soon. @param p the frame */
    virtual void Expect(const WeftPacket* p) const = 0;

  protected:
    ~WeftReceiver() = default;
};

} // namespace ns3

#endif /* NS3_WEFT_RECEIVER_H */
