/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-ticks.h"

#include "weft-now.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
WeftTicks::Begin(weft_net* net, const std::vector<uint32_t>& contexts)
{
    m_net = net;
    m_window = weft_net_window(net);
    m_contexts = contexts;
    m_place.resize(contexts.size(), NOT_WATCHED);
    for (const Watched& w : m_watched)
    {
        weft_net_watch(m_net, w.node, true);
    }
    RunTo(WeftNow());
}

void
WeftTicks::End()
{
    m_net = nullptr;
    m_ticks.clear();
    m_watched.clear();
    m_changes.clear();
    m_calls.clear();
}

int64_t
WeftTicks::GetTime() const
{
    return m_running ? m_time : WeftNow();
}

void
WeftTicks::RunTo(int64_t until)
{
    NS_ASSERT(!m_running);
    m_running = true;
    weft_net_run(m_net, until);
    m_running = false;
    PlanAll();
}

void
WeftTicks::PlanAll()
{
    PlanTick(weft_net_next(m_net));
    for (uint32_t i = 0; i < m_watched.size(); i++)
    {
        PlanWatched(i);
    }
}

void
WeftTicks::Advance(int64_t now)
{
    while (!m_changes.empty() && m_changes.begin()->first <= now)
    {
        const int64_t at = m_changes.begin()->first;
        RunTo(at);
        const auto changes = m_changes.extract(at);
        if (changes.empty())
        {
            continue; // one who was told of something has let them be forgotten
        }
        Simulator::Cancel(changes.mapped().event);
        for (const Call& call : changes.mapped().calls)
        {
            call();
        }
        PlanAll();
    }
    const int64_t border = now / m_window * m_window;
    if (weft_net_now(m_net) < border)
    {
        RunTo(border);
    }
}

void
WeftTicks::Sync()
{
    if (m_running || !m_net)
    {
        return;
    }
    const int64_t now = WeftNow();
    Advance(now);
    if (weft_net_now(m_net) < now)
    {
        RunTo(now);
    }
}

void
WeftTicks::Tick()
{
    const int64_t now = WeftNow();
    m_ticks.erase(now);
    if (m_net)
    {
        Advance(now);
    }
}

void
WeftTicks::RunWatched(uint32_t place)
{
    const int64_t now = WeftNow();
    if (!m_net)
    {
        return; // the fabric has ended before the simulation
    }
    Watched& w = m_watched[place];
    w.pending.erase(now);
    Advance(now);
    m_running = true;
    weft_net_run_node(m_net, w.node, now + 1);
    m_running = false;
    PlanWatched(place);
    PlanTick(now); // its frames may be for nodes that are watched
    for (const uint32_t node : m_touched)
    {
        Plan(node);
    }
    m_touched.clear();
}

void
WeftTicks::PlanTick(int64_t at)
{
    if (at == WEFT_NEVER)
    {
        return;
    }
    const int64_t now = WeftNow();
    const int64_t border = (std::max(at, now) / m_window + 1) * m_window;
    if (m_ticks.insert(border).second)
    {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       TimeStep(static_cast<uint64_t>(border - now)),
                                       &WeftTicks::Tick,
                                       this);
    }
}

void
WeftTicks::PlanWatched(uint32_t place)
{
    Watched& w = m_watched[place];
    const int64_t next = weft_net_node_next(m_net, w.node);
    const int64_t now = WeftNow();
    const int64_t at = std::max(next, now);
    if (next == WEFT_NEVER || (!w.pending.empty() && *w.pending.begin() <= at))
    {
        return;
    }
    w.pending.insert(at);
    Simulator::ScheduleWithContext(m_contexts[w.node],
                                   TimeStep(static_cast<uint64_t>(at - now)),
                                   &WeftTicks::RunWatched,
                                   this,
                                   place);
}

void
WeftTicks::Plan(uint32_t node)
{
    if (m_place[node] != NOT_WATCHED)
    {
        PlanWatched(m_place[node]);
        return;
    }
    PlanTick(weft_net_node_next(m_net, node));
}

void
WeftTicks::Watch(uint32_t node)
{
    if (m_place[node] != NOT_WATCHED)
    {
        return;
    }
    if (m_running)
    {
        Simulator::ScheduleNow(&WeftTicks::Watch, this, node);
        return;
    }
    Sync();
    m_place[node] = static_cast<uint32_t>(m_watched.size());
    m_watched.push_back({node, {}});
    weft_net_watch(m_net, node, true);
    Plan(node);
}

void
WeftTicks::CallAt(uint32_t host,
                  int64_t at,
                  weft_net_step step,
                  uint64_t number,
                  void (*call)(void*, uint64_t, int64_t),
                  void* of,
                  uint64_t what)
{
    weft_net_call(m_net, host, at, step, number, call, of, what);
    if (!m_running)
    {
        Plan(host);
    }
    else if (m_place[host] != NOT_WATCHED)
    {
        m_touched.push_back(host);
    }
}

void
WeftTicks::Do(uint32_t host, Call call)
{
    const uint64_t number = m_ncalls++;
    m_calls[number] = std::move(call);
    CallAt(host, GetTime(), WEFT_NET_CALL, number, &WeftTicks::RunCall, this, number);
}

void
WeftTicks::RunCall(void* of, uint64_t what, int64_t now)
{
    auto self = static_cast<WeftTicks*>(of);
    const auto call = self->m_calls.extract(what);
    self->m_time = now;
    call.mapped()();
}

void
WeftTicks::Change(int64_t at, Call call)
{
    const auto [changes, first] = m_changes.try_emplace(at);
    changes->second.calls.push_back(std::move(call));
    if (first)
    {
        changes->second.event = Simulator::Schedule(TimeStep(static_cast<uint64_t>(at - WeftNow())),
                                                    &WeftTicks::MakeChanges,
                                                    this);
    }
}

void
WeftTicks::ChangeNow(Call call)
{
    if (m_running)
    {
        Simulator::ScheduleNow(&WeftTicks::ChangeNow, this, std::move(call));
        return;
    }
    Sync();
    call();
    PlanAll();
}

void
WeftTicks::MakeChanges()
{
    Advance(WeftNow());
}

void
WeftTicks::ForgetChanges()
{
    for (const auto& [at, changes] : m_changes)
    {
        // Removed, not cancelled: a cancelled event would still carry the clock to its time.
        Simulator::Remove(changes.event);
    }
    m_changes.clear();
}

} // namespace ns3
