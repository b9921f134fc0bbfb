/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SERVICE_LEVEL_H
#define NS3_WEFT_SERVICE_LEVEL_H

#include "weft-choice.h"
#include "weft-planner.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/fabric.h>
#include <weft/lb.h>
#include <weft/qp.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief What QPs of one service level work by: balancer, transport, congestion control, the egress
 * queue of their data, and the hosts' states of path selector and planner.
 *
 * It is the core's struct weft_nic_algos of these QPs, too.
 */
class WeftServiceLevel : public weft_nic_algos
{
  public:
    /** The algorithms that a fabric has by default, for data of class 1. @param level number */
    explicit WeftServiceLevel(uint8_t level);

    /** Settles what was chosen. To be called once. @param frames frame sizes @param site of every
     * host but for its index @param hosts how many @param error why not @return whether it
     * succeeded */
    bool Build(const weft_fabric_config& frames,
               const weft_path_site& site,
               uint32_t hosts,
               std::string& error);

    /** @return the balancer's operations */
    const weft_lb_ops* GetBalancer() const
    {
        return balancer.GetOps<weft_lb_ops>();
    }

    /** @param host index @return the host's state of the path selector, or nullptr */
    void* GetPathHost(uint32_t host)
    {
        return path ? m_pathMemory.data() + m_pathWords * host : nullptr;
    }

    /** Routing has converged. @param fib as in struct weft_path_ops @param hosts how many */
    void SetRoutes(const weft_fib* fib, uint32_t hosts);
    /** @return all three in a line of text */
    std::string Format() const;

    WeftChoice balancer;   //!< balancer
    WeftChoice transports; //!< transport
    WeftChoice controls;   //!< congestion control
    WeftPlanner planner;   //!< of messages
    double share{1};       //!< of line rate that the fabric can serve, as its control asks for it

  private:
    std::vector<uint64_t> m_degrees;    //!< of data out of order, for ooo_degrees
    std::size_t m_pathWords{0};         //!< of one host's state in m_pathMemory
    std::vector<uint64_t> m_pathMemory; //!< the hosts' states
};

} // namespace ns3

#endif /* NS3_WEFT_SERVICE_LEVEL_H */
