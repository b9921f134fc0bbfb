/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: lost packets, failed links, and whether the accounts add up.
#include "weft-channel.h"
#include "weft-fabric.h"
#include "weft-nic.h"
#include "weft-switch.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <weft/error.h>
#include <weft/psn.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabricFaults");

void
WeftFabric::AddDrop(uint32_t qp, uint32_t offset, uint32_t count, DropPlace place)
{
    const bool top = place == DROP_AT_TOP;
    (top ? m_drops : m_lastHopDrops)[static_cast<uint64_t>(qp) << 32 | offset] += count;
    m_injectsLoss = m_injectsLoss || top;
}

void
WeftFabric::SetLossProbability(double probability)
{
    m_lossProbability = probability;
    m_injectsLoss = m_injectsLoss || probability > 0;
}

bool
WeftFabric::TakeDrop(Drops& drops, const weft_packet& d) const
{
    const uint64_t offset = weft_psn_add(d.psn, 0U - m_qps[d.qp]->first_psn);
    const auto it = drops.find(static_cast<uint64_t>(d.qp) << 32 | offset);
    if (it == drops.end())
    {
        return false;
    }
    if (--it->second == 0)
    {
        drops.erase(it);
    }
    return true;
}

bool
WeftFabric::TakeInjectedLoss(const weft_packet& d, weft_rng& rng)
{
    if (!m_drops.empty() && TakeDrop(m_drops, d))
    {
        return true;
    }
    return m_lossProbability > 0 && weft_rng_unit(&rng) < m_lossProbability;
}

void
WeftFabric::ScheduleFailure(uint64_t link, Time at, Time repair)
{
    NS_ABORT_MSG_IF(link >= m_clos.nlinks, "Weft: the fabric has no link " << link);
    NS_ABORT_MSG_IF(repair < at, "Weft: a link cannot be repaired before it fails");
    ScheduleChange(link, at, true);
    if (at.IsZero() && repair == Time::Max())
    {
        m_lasting.push_back(link);
    }
    if (repair != Time::Max())
    {
        ScheduleChange(link, repair, false);
    }
}

void
WeftFabric::ScheduleDegradation(uint64_t link, int64_t rate, Time at, Time repair)
{
    NS_ABORT_MSG_IF(link >= m_clos.nlinks, "Weft: the fabric has no link " << link);
    const int64_t planned = GetLink(link).rate;
    NS_ABORT_MSG_IF(rate < 1 || rate > planned,
                    "Weft: a link of " << planned << " bit/s cannot be degraded to " << rate);
    NS_ABORT_MSG_IF(repair < at, "Weft: a link cannot be repaired before it is degraded");
    const auto change = [this, link](Time when, int64_t to) {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       when - Simulator::Now(),
                                       &WeftFabric::ChangeRate,
                                       this,
                                       link,
                                       to);
    };
    change(at, rate);
    if (repair != Time::Max())
    {
        change(repair, planned);
    }
    else if (at.IsZero())
    {
        m_slow.push_back({link, rate});
    }
}

void
WeftFabric::SetFlows(const std::vector<weft_flow>& flows)
{
    std::vector<uint64_t> dead(m_lasting);
    std::sort(dead.begin(), dead.end());
    dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
    const WeftChoice& controls = m_levels[0]->controls;
    const bool ideal = GetCc() == weft_cc_find("ideal");
    const int64_t split =
        ideal ? controls.GetConfigAs<weft_cc_ideal_config>().split : int64_t{WEFT_SPLIT_PATH};
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
                                  static_cast<weft_split>(split),
                                  &rho);
    NS_ABORT_MSG_IF(code != 0, "Weft: " << weft_strerror(code));
    m_rhoMax = rho.share;
}

void
WeftFabric::ScheduleChange(uint64_t link, Time at, bool down)
{
    // One event for all that happens at an instant: forwarding is computed once.
    const auto [changes, first] = m_changes.try_emplace(at);
    changes->second.emplace_back(link, down);
    if (first)
    {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       at - Simulator::Now(),
                                       &WeftFabric::ChangeLinks,
                                       this);
    }
}

void
WeftFabric::ChangeLinks()
{
    const auto changes = m_changes.extract(m_changes.begin());
    bool changed = false;
    for (const auto& [link, down] : changes.mapped())
    {
        changed = ChangeLink(link, down) || changed;
    }
    if (changed)
    {
        StartConvergence();
    }
}

void
WeftFabric::ChangeRate(uint64_t link, int64_t rate)
{
    m_channels[link]->SetRate(rate);
    m_degraded.erase(link);
    if (rate < GetLink(link).rate)
    {
        m_degraded[link] = rate;
    }
    if (m_capacity)
    {
        StartConvergence();
    }
}

void
WeftFabric::StartConvergence()
{
    if (m_convergence == Time::Max())
    {
        return;
    }
    LinkStates links{m_dead, {}};
    links.dead.erase(std::unique(links.dead.begin(), links.dead.end()), links.dead.end());
    for (const auto& [link, rate] : m_degraded)
    {
        links.slow.push_back({link, rate});
    }
    if (m_convergence.IsZero())
    {
        Converge(links); // before anything else happens at this instant
        return;
    }
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   m_convergence,
                                   &WeftFabric::Converge,
                                   this,
                                   links);
}

bool
WeftFabric::ChangeLink(uint64_t link, bool down)
{
    // A link is in the list once for each of its failures that last.
    const auto [first, last] = std::equal_range(m_dead.begin(), m_dead.end(), link);
    const auto failures = last - first;
    if (down)
    {
        m_dead.insert(first, link);
    }
    else
    {
        m_dead.erase(first);
    }
    if (failures != (down ? 0 : 1))
    {
        return false;
    }
    NS_LOG_INFO("link " << link << (down ? " fails" : " is back"));
    m_channels[link]->SetDown(down);
    return true;
}

weft_weights
WeftFabric::GetWeights() const
{
    return m_capacity ? WEFT_WEIGHTS_CAPACITY : m_weights ? WEFT_WEIGHTS_PATHS : WEFT_WEIGHTS_NONE;
}

const weft_fib*
WeftFabric::MakeFib(const LinkStates& links,
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
WeftFabric::Converge(LinkStates links)
{
    NS_LOG_INFO("new forwarding, " << links.dead.size() << " links down");
    const weft_weights weights = GetWeights();
    const bool whole =
        links.dead.empty() && (links.slow.empty() || weights != WEFT_WEIGHTS_CAPACITY);
    m_fib = nullptr;
    if (!whole || m_clos.graph)
    {
        m_fib = MakeFib(links, weights, m_fibMemory);
    }
    for (WeftSwitch* sw : m_switches)
    {
        sw->SetRoutes(m_fib);
    }
    for (const auto& level : m_levels)
    {
        level->SetRoutes(m_fib, m_clos.nhosts);
    }
    SetTorActive(whole);
}

void
WeftFabric::SetTorActive(bool active)
{
    const bool has = std::any_of(m_levels.begin(), m_levels.end(), [](const auto& level) {
        return level->GetBalancer()->tor != nullptr;
    });
    if (!has || active == m_torActive)
    {
        return;
    }
    NS_LOG_INFO("middleware of the ToRs is " << (active ? "on" : "off"));
    const weft_last_hop hop = GetLastHop();
    for (WeftQp* qp : m_qps)
    {
        if (qp->tor && active)
        {
            // The ring holds PSNs from before the failure: start anew.
            const auto level = static_cast<const WeftServiceLevel*>(qp->algos);
            level->GetBalancer()->tor->qp_init(qp->tor, level->path_config, &hop);
        }
        else if (qp->tor)
        {
            m_switches[weft_clos_tor(&m_clos, qp->dst)]->ReleaseTor(qp);
        }
    }
    m_torActive = active;
}

WeftFabric::LossTeller::LossTeller(WeftFabric* fabric)
    : m_fabric(fabric)
{
}

void
WeftFabric::LossTeller::Expect(const WeftPacket* /* p */) const
{
}

void
WeftFabric::LossTeller::Arrive(WeftPacket* p, int64_t now)
{
    m_fabric->m_lossesToTell--;
    WeftQp* qp = m_fabric->GetQp(p->d.qp);
    qp->nic->HearLoss(qp, p->d, now);
    m_fabric->Free(p);
}

void
WeftFabric::TellLoss(WeftPacket* p)
{
    const WeftQp* qp = m_qps[p->d.qp];
    m_lossesToTell++;
    p->SetReceiver(&m_lossTeller);
    WeftSchedule(std::max<int64_t>(p->d.sent + GetIdleRoundTrip(qp->src, qp->dst) - WeftNow(), 0),
                 p,
                 qp->nic->GetPort()->GetContext());
}

bool
WeftFabric::CheckConservation(std::string& error) const
{
    const WeftCounters& c = m_counters;
    const uint64_t began = c.sent + c.madeByTors;
    const uint64_t ended = c.delivered + c.lost[DROP_BUFFER] + c.lost[DROP_LINK] +
                           c.lost[DROP_INJECTED] + c.lost[BLOCKED] + c.lost[ENDED];
    const uint64_t inside = GetPacketsInFabric();
    std::ostringstream text;
    if (began != ended + inside)
    {
        text << began << " frames began, but " << ended << " ended and " << inside
             << " are in the fabric. ";
    }
    const uint64_t bytesBegan = c.sentBytes + c.madeByTorsBytes;
    const uint64_t bytesEnded = c.deliveredBytes + c.lostBytes + c.trimmedBytes;
    if (inside == 0 && bytesBegan != bytesEnded)
    {
        text << bytesBegan << " bytes began, but " << bytesEnded << " ended and no frame is left. ";
    }
    for (WeftSwitch* sw : m_switches)
    {
        // While a neighbour is paused, a frame's buffer is given back when the gap behind it is
        // over.
        const bool empty = inside == 0 && !sw->NeedsDrainEvent();
        CheckBuffer(sw->GetBuffer(), sw->GetIndex(), empty, text);
    }
    error = text.str();
    return error.empty();
}

void
WeftFabric::CheckBuffer(const weft_mmu& mmu, uint32_t index, bool empty, std::ostream& text)
{
    const bool byClass = weft_mmu_counts_by_class(&mmu.config);
    int64_t queued = 0;
    int64_t held = 0;
    for (uint32_t port = 0; port < mmu.nports; port++)
    {
        queued += weft_mmu_queues(&mmu)[port];
        int64_t classes = 0;
        for (uint32_t c = 0; c < mmu.config.classes; c++)
        {
            const uint32_t i = weft_mmu_index(&mmu, port, c);
            const weft_mmu_ingress& in = weft_mmu_ingresses(&mmu)[i];
            held += static_cast<int64_t>(in.bytes) + in.headroom;
            classes += byClass ? weft_mmu_class_queues(&mmu)[i] : 0;
        }
        if (byClass && classes != weft_mmu_queues(&mmu)[port])
        {
            text << "switch " << index << " accounts for " << weft_mmu_queues(&mmu)[port]
                 << " bytes at port " << port << ", its classes for " << classes << ". ";
        }
    }
    const int64_t used = mmu.shared_used + mmu.headroom_used;
    if (queued != used || held != used || (empty && used != 0))
    {
        text << "switch " << index << (empty ? " is empty and" : "") << " accounts for " << used
             << " bytes, its queues for " << queued << ", its ingress ports for " << held << ". ";
    }
}

uint64_t
WeftFabric::GetPacketsInFabric() const
{
    uint64_t waiting = 0;
    for (const WeftNic* nic : m_nics)
    {
        waiting += nic->GetWaiting();
    }
    return GetPacketsInUse() - waiting - m_lossesToTell;
}

} // namespace ns3
