/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SERVICE_LEVEL_H
#define NS3_WEFT_SERVICE_LEVEL_H

#include "weft-choice.h"
#include "weft-planner.h"

#include <cstdint>
#include <string>
#include <weft/lb.h>
#include <weft/net.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief What QPs of one service level work by: balancer, transport, congestion control, the egress
 * queue of their data, and the hosts' states of the planner.
 */
class WeftServiceLevel
{
  public:
    /** The algorithms that a fabric has by default, for data of class 1. @param level number */
    explicit WeftServiceLevel(uint8_t level);

    /** @return it as the core takes it */
    weft_net_level Describe() const;

    /** @return the balancer's operations */
    const weft_lb_ops* GetBalancer() const
    {
        return balancer.GetOps<weft_lb_ops>();
    }

    /** @return all three in a line of text */
    std::string Format() const;

    WeftChoice balancer;   //!< balancer
    WeftChoice transports; //!< transport
    WeftChoice controls;   //!< congestion control
    WeftPlanner planner;   //!< of messages
    uint8_t sl;            //!< number
    uint8_t tclass{1};     //!< traffic class of its data
    double share{1};       //!< of line rate that the fabric can serve, as its control asks for it
};

} // namespace ns3

#endif /* NS3_WEFT_SERVICE_LEVEL_H */
