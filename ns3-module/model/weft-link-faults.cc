/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-link-faults.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <weft/error.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftLinkFaults");

WeftLinkFaults::WeftLinkFaults(const weft_clos& clos,
                               const std::vector<Ptr<WeftChannel>>& channels,
                               WeftTicks& ticks)
    : m_clos(clos),
      m_channels(channels),
      m_ticks(ticks)
{
}

void
WeftLinkFaults::SetConvergenceDelay(Time delay)
{
    m_convergence = delay;
}

Time
WeftLinkFaults::GetConvergenceDelay() const
{
    return m_convergence;
}

void
WeftLinkFaults::SetWeights(bool weights)
{
    m_weights = weights;
}

bool
WeftLinkFaults::GetWeights() const
{
    return m_weights;
}

void
WeftLinkFaults::SetCapacityWeights(bool weights)
{
    m_capacity = weights;
}

bool
WeftLinkFaults::GetCapacityWeights() const
{
    return m_capacity;
}

void
WeftLinkFaults::Begin(weft_net* net)
{
    m_net = net;
    for (const Failure& failure : m_dead)
    {
        weft_net_set_down(m_net, failure.first, true);
    }
    for (const auto& [link, rate] : m_rates)
    {
        weft_net_set_rate(m_net, link, rate);
    }
    if (m_fib)
    {
        weft_net_set_routes(m_net, m_fib, m_whole);
    }
}

int64_t
WeftLinkFaults::GetPlannedRate(uint64_t link) const
{
    weft_link of;
    weft_clos_link(&m_clos, link, &of);
    return of.rate;
}

void
WeftLinkFaults::RequirePossible(const char* call, uint64_t link, Time at, Time repair) const
{
    NS_ABORT_MSG_IF(link >= m_clos.nlinks,
                    "Weft: " << call << ": no link " << link << "; the fabric has " << m_clos.nlinks
                             << ", numbered from 0");
    NS_ABORT_MSG_IF(at < Simulator::Now(),
                    "Weft: " << call << " of link " << link << " at " << at.As(Time::US)
                             << ", but it is " << Simulator::Now().As(Time::US) << " now");
    NS_ABORT_MSG_IF(at.GetTimeStep() > WeftTicks::LATEST ||
                        (repair.GetTimeStep() > WeftTicks::LATEST && repair != Time::Max()),
                    "Weft: " << call << " of link " << link << " at " << at.As(Time::S) << " until "
                             << repair.As(Time::S)
                             << ", when ns-3's clock is at its end; expected Time::Max() as a "
                                "repair that never comes");
    NS_ABORT_MSG_IF(repair < at,
                    "Weft: " << call << " of link " << link << " at " << at.As(Time::US)
                             << ", with its repair at " << repair.As(Time::US)
                             << "; expected it at or after that");
}

void
WeftLinkFaults::ScheduleFailure(uint64_t link, Time at, Time repair)
{
    RequirePossible("ScheduleFailure()", link, at, repair);
    const Failure failure{link, ++m_failures};
    ScheduleChange(failure, at, true);
    if (at.IsZero() && repair == Time::Max())
    {
        m_lasting.push_back(link);
    }
    if (repair != Time::Max())
    {
        ScheduleChange(failure, repair, false);
    }
}

void
WeftLinkFaults::ScheduleDegradation(uint64_t link, DataRate to, Time at, Time repair)
{
    RequirePossible("ScheduleDegradation()", link, at, repair);
    const int64_t planned = GetPlannedRate(link);
    const uint64_t bits = to.GetBitRate();
    NS_ABORT_MSG_IF(bits < 1 || bits > static_cast<uint64_t>(planned),
                    "Weft: a link of " << planned << " bit/s cannot be degraded to " << bits);
    const auto rate = static_cast<int64_t>(bits);
    m_ticks.Change(at.GetTimeStep(), [this, link, rate] { ChangeRate(link, rate); });
    if (repair != Time::Max())
    {
        m_ticks.Change(repair.GetTimeStep(), [this, link, planned] { ChangeRate(link, planned); });
    }
    else if (at.IsZero())
    {
        m_slow.push_back({link, rate});
    }
}

void
WeftLinkFaults::Forget()
{
    m_ticks.ForgetChanges();
    m_changes.clear();
}

double
WeftLinkFaults::GetRhoMax(const std::vector<weft_flow>& flows, weft_split split) const
{
    std::vector<uint64_t> dead(m_lasting);
    std::sort(dead.begin(), dead.end());
    dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
    std::vector<uint64_t> fibMemory;
    const weft_fib* fib =
        dead.empty() ? nullptr : MakeFib({dead, {}}, WEFT_WEIGHTS_NONE, fibMemory);
    const int64_t size = weft_rho_size(&m_clos, flows.size());
    NS_ABORT_MSG_IF(size < 0, "Weft: " << weft_strerror(static_cast<int>(size)));
    std::vector<uint64_t> memory(static_cast<size_t>(size) / 8 + 1);
    weft_rho rho{};
    const int code = weft_rho_max(memory.data(),
                                  static_cast<size_t>(size),
                                  &m_clos,
                                  fib,
                                  flows.data(),
                                  flows.size(),
                                  m_slow.data(),
                                  m_slow.size(),
                                  split,
                                  &rho);
    NS_ABORT_MSG_IF(code != 0, "Weft: " << weft_strerror(code));
    return rho.share;
}

void
WeftLinkFaults::ScheduleChange(Failure failure, Time at, bool begins)
{
    // All that happens at an instant is one change: forwarding is computed once.
    const auto [changes, first] = m_changes.try_emplace(at.GetTimeStep());
    changes->second.emplace_back(failure, begins);
    if (first)
    {
        m_ticks.Change(at.GetTimeStep(), [this] { ChangeLinks(); });
    }
}

void
WeftLinkFaults::ChangeLinks()
{
    const auto changes = m_changes.extract(m_changes.begin());
    bool changed = false;
    for (const auto& [failure, begins] : changes.mapped())
    {
        const bool was = IsDead(failure.first);
        begins ? void(m_dead.insert(failure)) : void(m_dead.erase(failure));
        changed = ChangeLink(failure.first, was) || changed;
    }
    if (changed)
    {
        StartConvergence();
    }
}

bool
WeftLinkFaults::IsDown(uint64_t link) const
{
    m_ticks.SyncChanges();
    return IsDead(link);
}

bool
WeftLinkFaults::IsDead(uint64_t link) const
{
    const auto first = m_dead.lower_bound({link, 0});
    return first != m_dead.end() && first->first == link;
}

bool
WeftLinkFaults::ChangeLink(uint64_t link, bool was)
{
    const bool down = IsDead(link);
    if (down == was)
    {
        return false;
    }
    NS_LOG_INFO("link " << link << (down ? " fails" : " is back"));
    weft_net_set_down(m_net, link, down);
    if (m_channels[link]) // else both ends are other ranks'
    {
        m_channels[link]->NotifyChange();
    }
    return true;
}

void
WeftLinkFaults::SetDown(uint64_t link, bool down)
{
    m_ticks.ChangeNow([this, link, down] {
        const bool was = IsDead(link);
        if (down)
        {
            m_dead.insert({link, 0});
        }
        else
        {
            m_dead.erase(m_dead.lower_bound({link, 0}), m_dead.lower_bound({link + 1, 0}));
        }
        if (ChangeLink(link, was))
        {
            StartConvergence();
        }
    });
}

void
WeftLinkFaults::SetRate(uint64_t link, int64_t rate)
{
    m_ticks.ChangeNow([this, link, rate] { ChangeRate(link, rate); });
}

void
WeftLinkFaults::ChangeRate(uint64_t link, int64_t rate)
{
    const int64_t planned = GetPlannedRate(link);
    NS_ABORT_MSG_IF(weft_net_set_rate(m_net, link, rate) != 0,
                    "Weft: SetRate() of link "
                        << link << " to " << rate
                        << " bit/s: it has no delay, and frames would cross it faster than the "
                        << weft_net_window(m_net) << " ps in which the fabric is run; expected "
                        << planned << " bit/s at most, as it was planned");
    m_rates[link] = rate;
    if (rate == planned)
    {
        m_rates.erase(link);
    }
    if (m_capacity)
    {
        StartConvergence();
    }
}

void
WeftLinkFaults::StartConvergence()
{
    if (m_convergence.GetTimeStep() > WeftTicks::LATEST - WeftNow())
    {
        return;
    }
    LinkStates links;
    for (const auto& [link, failure] : m_dead)
    {
        if (links.dead.empty() || links.dead.back() != link)
        {
            links.dead.push_back(link);
        }
    }
    for (const auto& [link, rate] : m_rates)
    {
        if (rate < GetPlannedRate(link))
        {
            links.slow.push_back({link, rate});
        }
    }
    if (m_convergence.IsZero())
    {
        Converge(links); // before anything else happens at this instant
        return;
    }
    m_ticks.Change(WeftNow() + m_convergence.GetTimeStep(), [this, links] { Converge(links); });
}

weft_weights
WeftLinkFaults::GetKindOfWeights() const
{
    return m_capacity ? WEFT_WEIGHTS_CAPACITY : m_weights ? WEFT_WEIGHTS_PATHS : WEFT_WEIGHTS_NONE;
}

const weft_fib*
WeftLinkFaults::MakeFib(const LinkStates& links,
                        weft_weights weights,
                        std::vector<uint64_t>& memory) const
{
    const weft_fib_case of{links.dead.data(),
                           links.dead.size(),
                           links.slow.data(),
                           links.slow.size(),
                           weights};
    const int64_t size = weft_fib_size_for(&m_clos, &of);
    NS_ABORT_MSG_IF(size < 0, "Weft: " << weft_strerror(static_cast<int>(size)));
    memory.assign(static_cast<size_t>(size) / 8 + 1, 0);
    auto fib = reinterpret_cast<weft_fib*>(memory.data());
    const int code = weft_fib_build_for(fib, static_cast<size_t>(size), &m_clos, &of);
    NS_ABORT_MSG_IF(code != 0, "Weft: " << weft_strerror(code));
    return fib;
}

void
WeftLinkFaults::Converge(const LinkStates& links)
{
    NS_LOG_INFO("new forwarding, " << links.dead.size() << " links down");
    const weft_weights weights = GetKindOfWeights();
    const bool whole =
        links.dead.empty() && (links.slow.empty() || weights != WEFT_WEIGHTS_CAPACITY);
    m_fib = nullptr;
    if (!whole || m_clos.graph)
    {
        m_fib = MakeFib(links, weights, m_fibMemory);
    }
    if (whole != m_whole)
    {
        NS_LOG_INFO("middleware of the ToRs is " << (whole ? "on" : "off"));
    }
    m_whole = whole;
    weft_net_set_routes(m_net, m_fib, whole);
}

} // namespace ns3
