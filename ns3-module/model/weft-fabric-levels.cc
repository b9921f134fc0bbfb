/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: service levels, sets of QPs with algorithms and a queue of their own.
#include "weft-fabric.h"

#include "ns3/abort.h"

#include <sstream>

namespace ns3
{

uint32_t
WeftFabric::AddServiceLevel(uint32_t queue)
{
    RequireUnbuilt("a service level");
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
WeftFabric::GetLevelChoiceOf(uint32_t level, const std::string& kind)
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
WeftFabric::SetLevelText(uint32_t level, const std::string& kind, const std::string& text)
{
    RequireUnbuilt("the " + kind);
    GetLevelChoiceOf(level, kind).Set(text);
}

void
WeftFabric::SetLevelChoice(uint32_t level,
                           const std::string& kind,
                           const weft_algo* algo,
                           const void* config)
{
    RequireUnbuilt("the " + kind);
    GetLevelChoiceOf(level, kind).Set(algo, config);
}

void
WeftFabric::JoinBalancers()
{
    m_torActive = false;
    m_allLevels.n = static_cast<uint32_t>(m_levels.size());
    for (uint32_t i = 0; i < m_allLevels.n; i++)
    {
        m_allLevels.lb[i] = m_levels[i]->GetBalancer();
        m_allLevels.config[i] = m_levels[i]->balancer.GetConfig();
        m_torActive = m_torActive || m_allLevels.lb[i]->tor;
    }
    // One alone is asked without a detour.
    weft_levels_ops(&m_allLevels, &m_allBalancers);
    const bool alone = m_allLevels.n == 1;
    m_switchBalancer = alone ? m_allLevels.lb[0] : &m_allBalancers;
    m_switchConfig = alone ? m_allLevels.config[0] : &m_allLevels;
}

std::string
WeftFabric::FormatBalancers() const
{
    std::string text;
    for (const auto& level : m_levels)
    {
        text += (text.empty() ? "" : " and ") + level->balancer.Format();
    }
    return text;
}

bool
WeftFabric::CheckLevels(std::string& error)
{
    const weft_mmu_config& mmu = GetMmuConfig();
    for (const auto& level : m_levels)
    {
        const WeftChoice& balancer = level->balancer;
        if (level->GetBalancer()->tor && m_frame.ack_priority == WEFT_ACK_IDEAL)
        {
            error = balancer.Format() +
                    ": ideal replies pass no ToR; expected ack-priority share or first";
        }
        else if (mmu.trim && !level->transports.GetOps<weft_transport_ops>()->trims)
        {
            error =
                level->transports.Format() +
                ": it would take a trimmed packet for a whole one; expected the transport trim, "
                "or trim=off at the switches";
        }
        else if (mmu.trim && level->GetBalancer()->tor)
        {
            error = balancer.Format() +
                    ": it would block NACKs of trimmed packets; expected another "
                    "balancer, or trim=off at the switches";
        }
        else if (level->tclass < 1 || level->tclass >= mmu.classes)
        {
            std::ostringstream text;
            text << "service level " << static_cast<int>(level->sl) << ": queue "
                 << static_cast<int>(level->tclass) << "; expected 1 to " << mmu.classes - 1
                 << ", as the switch has classes=" << mmu.classes;
            error = text.str();
        }
        if (!error.empty())
        {
            return false;
        }
    }
    return true;
}

bool
WeftFabric::BuildLevels(std::string& error)
{
    for (const auto& level : m_levels)
    {
        if (!level->Build(m_frame, GetPathSite(0), m_clos.nhosts, error))
        {
            return false;
        }
    }
    return true;
}

} // namespace ns3
