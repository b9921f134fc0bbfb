/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_TOR_BALANCER_H
#define NS3_WEFT_TOR_BALANCER_H

#include "weft-packet.h"

#include "ns3/weft-arena.h"
#include "ns3/weft-fabric-event.h"

#include <map>
#include <weft/lb.h>

namespace ns3
{

class WeftFabric;
class WeftSwitch;

/**
 * @ingroup weft
 * @brief At a ToR, what a balancer with arrive() asks for: packets held back, packets of its own,
 * and the event of its deadline.
 */
class WeftTorBalancer final : public FabricEvent, public WeftInArena
{
  public:
    /** @param fabric the fabric @param sw the ToR */
    WeftTorBalancer(WeftFabric* fabric, WeftSwitch* sw);

    /** @param p has entered the ToR @param now ps @return whether it goes on at once */
    bool Arrive(WeftPacket* p, int64_t now);
    void Fire(int64_t now) override;

  private:
    /** Packets in the order in which they came. */
    struct Queue
    {
        WeftPacket* head{nullptr}; //!< the first, or nullptr
        WeftPacket* tail{nullptr}; //!< the last
    };

    void RunOut(int64_t now);                          //!< The deadline may be @param now ps
    void Hold(WeftPacket* p, uint32_t queue);          //!< @param p a packet @param queue where
    void CarryOut(int64_t now);                        //!< What the balancer asks. @param now ps
    void Emit(const weft_packet& packet, int64_t now); //!< @param packet a new one @param now ps
    void Release(uint32_t queue, int64_t now);         //!< @param queue whose packets @param now ps
    void ArmTimer(int64_t now);                        //!< For the deadline. @param now ps

    WeftFabric* m_fabric;             //!< the fabric
    WeftSwitch* m_switch;             //!< the ToR
    const weft_lb_ops* m_lb;          //!< the balancer
    std::map<uint32_t, Queue> m_held; //!< queues that hold something
    int64_t m_firesAt{INT64_MAX};     //!< ps: the earliest pending event
};

} // namespace ns3

#endif /* NS3_WEFT_TOR_BALANCER_H */
