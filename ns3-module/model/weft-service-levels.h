/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SERVICE_LEVELS_H
#define NS3_WEFT_SERVICE_LEVELS_H

#include "weft-choice.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <weft/lb.h>
#include <weft/levels.h>
#include <weft/net.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief What QPs of one service level work by: balancer, transport, congestion control, and the
 * egress queue of their data.
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
    uint8_t sl;            //!< number
    uint8_t tclass{1};     //!< traffic class of its data
    double share{1};       //!< of line rate that the fabric can serve, as its control asks for it
};

/**
 * @ingroup weft
 * @brief The service levels of a fabric, level 0 first, and what its switches do for all of them.
 */
class WeftServiceLevels
{
  public:
    WeftServiceLevels();

    /** Adds a level that is, but for its queue, as level 0 is now. @param queue traffic class of
     * its data @return its number */
    uint32_t Add(uint32_t queue);

    /** @param level number @return what its QPs work by */
    WeftServiceLevel* Get(uint32_t level) const
    {
        return m_levels[level].get();
    }

    /** @return how many there are: 1 and those that were added */
    uint32_t GetN() const
    {
        return static_cast<uint32_t>(m_levels.size());
    }

    /** @param level number @param kind balancer, transport or congestion-control; all else is fatal
     * @return its choice */
    WeftChoice& GetChoice(uint32_t level, const std::string& kind) const;

    /** Settles what switches do. */
    void Join();
    /** @return all of them, as the core takes them */
    std::vector<weft_net_level> Describe() const;

    /** @return what switches do, for all levels; after Join() */
    const weft_lb_ops* GetBalancer() const
    {
        return m_balancer;
    }

    /** @return its configuration */
    const void* GetBalancerConfig() const
    {
        return m_config;
    }

    /** @return the balancers of all levels in a line of text */
    std::string FormatBalancers() const;

  private:
    std::vector<std::unique_ptr<WeftServiceLevel>> m_levels; //!< by number
    weft_levels m_all{};                                     //!< their balancers
    weft_lb_ops m_joined{};                 //!< what switches do where there are several
    const weft_lb_ops* m_balancer{nullptr}; //!< what switches do
    const void* m_config{nullptr};          //!< its configuration
};

} // namespace ns3

#endif /* NS3_WEFT_SERVICE_LEVELS_H */
