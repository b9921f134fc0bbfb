/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-service-levels.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{
constexpr uint32_t REMEMBERED_LABELS = 4096; //!< of packets that may be lost, by QP
} // namespace

WeftServiceLevel::WeftServiceLevel(uint8_t level)
    : balancer("balancer", "ecmp"),
      transports("transport", "nic-sr"),
      controls("congestion-control", "dcqcn"),
      sl(level)
{
}

std::string
WeftServiceLevel::Format() const
{
    return balancer.Format() + "; " + transports.Format() + "; " + controls.Format();
}

weft_net_level
WeftServiceLevel::Describe() const
{
    weft_net_level level{};
    level.lb = GetBalancer();
    level.lb_config = balancer.GetConfig();
    level.transport = transports.GetOps<weft_transport_ops>();
    level.transport_config = transports.GetConfig();
    level.cc = controls.GetOps<weft_cc_ops>();
    level.cc_config = controls.GetConfig();
    level.share = share;
    level.labels = REMEMBERED_LABELS;
    level.tclass = tclass;
    return level;
}

WeftServiceLevels::WeftServiceLevels()
{
    m_levels.push_back(std::make_unique<WeftServiceLevel>(0));
}

uint32_t
WeftServiceLevels::Add(uint32_t queue)
{
    const size_t level = m_levels.size();
    NS_ABORT_MSG_IF(level == WEFT_LEVELS,
                    "Weft: a fabric has at most " << WEFT_LEVELS << " service levels");
    m_levels.push_back(std::make_unique<WeftServiceLevel>(static_cast<uint8_t>(level)));
    m_levels[level]->balancer = m_levels[0]->balancer;
    m_levels[level]->transports = m_levels[0]->transports;
    m_levels[level]->controls = m_levels[0]->controls;
    m_levels[level]->tclass = static_cast<uint8_t>(std::min<uint32_t>(queue, UINT8_MAX));
    return static_cast<uint32_t>(level);
}

WeftChoice&
WeftServiceLevels::GetChoice(uint32_t level, const std::string& kind) const
{
    NS_ABORT_MSG_IF(level >= m_levels.size(), "Weft: no service level " << level);
    if (kind == "balancer")
    {
        return m_levels[level]->balancer;
    }
    if (kind == "transport")
    {
        return m_levels[level]->transports;
    }
    NS_ABORT_MSG_UNLESS(kind == "congestion-control", "Weft: a fabric has no " << kind);
    return m_levels[level]->controls;
}

void
WeftServiceLevels::Join()
{
    m_all.n = GetN();
    for (uint32_t i = 0; i < m_all.n; i++)
    {
        m_all.lb[i] = m_levels[i]->GetBalancer();
        m_all.config[i] = m_levels[i]->balancer.GetConfig();
        m_all.tclass[i] = m_levels[i]->tclass;
    }
    // A balancer that is alone is asked without a detour.
    weft_levels_ops(&m_all, &m_joined);
    const bool alone = m_all.n == 1;
    m_balancer = alone ? m_all.lb[0] : &m_joined;
    m_config = alone ? m_all.config[0] : &m_all;
}

std::string
WeftServiceLevels::FormatBalancers() const
{
    std::string text;
    for (const auto& level : m_levels)
    {
        text += (text.empty() ? "" : " and ") + level->balancer.Format();
    }
    return text;
}

std::vector<weft_net_level>
WeftServiceLevels::Describe() const
{
    std::vector<weft_net_level> levels;
    for (const auto& level : m_levels)
    {
        levels.push_back(level->Describe());
    }
    return levels;
}

} // namespace ns3
