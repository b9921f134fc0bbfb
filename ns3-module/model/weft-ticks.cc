/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-ticks.h"

#include "ns3/abort.h"

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
    m_planned.assign(contexts.size(), NOT_WATCHED);
    for (const uint32_t node : m_watched)
    {
        m_planned[node] = WEFT_NEVER;
        weft_net_watch(m_net, node, true);
    }
    RunTo(WeftNow());
    PlanAll();
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

bool
WeftTicks::IsTelling() const
{
    return m_net && weft_net_is_telling(m_net, nullptr);
}

int64_t
WeftTicks::GetTime() const
{
    weft_net_teller teller;
    return m_net && weft_net_is_telling(m_net, &teller) ? teller.now : WeftNow();
}

void
WeftTicks::RunTo(int64_t until)
{
    m_running = true;
    weft_net_run(m_net, until);
    m_running = false;
    CallAfter();
}

void
WeftTicks::After(Call call)
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_after.push_back(std::move(call));
}

void
WeftTicks::CallAfter()
{
    std::vector<Call> calls;
    calls.swap(m_after);
    for (const Call& call : calls)
    {
        call();
    }
}

void
WeftTicks::Advance(int64_t now)
{
    MakeChanges(now);
    RunTo(now / m_window * m_window);
}

void
WeftTicks::MakeChanges(int64_t now)
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
}

void
WeftTicks::SyncChanges()
{
    if (m_net && !IsTelling())
    {
        MakeChanges(WeftNow());
    }
}

void
WeftTicks::Sync()
{
    if (!m_net || IsTelling())
    {
        return;
    }
    // Plans nothing: who reads has no part in the order of events.
    Advance(WeftNow());
    RunTo(WeftNow());
}

void
WeftTicks::Tick()
{
    const int64_t now = WeftNow();
    m_ticks.erase(now);
    if (m_net) // the fabric has not ended before the simulation
    {
        Advance(now);
        PlanAll();
    }
}

void
WeftTicks::RunWatched(uint32_t node)
{
    const int64_t now = WeftNow();
    if (!m_net || m_planned[node] != now)
    {
        return; // it has been planned anew
    }
    m_planned[node] = WEFT_NEVER;
    Advance(now);
    weft_net_run_node(m_net, node, now + 1);
    CallAfter();
    PlanWatched(node);
    PlanTick(GetBorder(now)); // its frames may be for nodes that are watched
}

void
WeftTicks::PlanTick(int64_t border)
{
    if (m_ticks.insert(border).second)
    {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       TimeStep(static_cast<uint64_t>(border - WeftNow())),
                                       &WeftTicks::Tick,
                                       this);
    }
}

void
WeftTicks::PlanWatched(uint32_t node)
{
    const int64_t next = weft_net_node_next(m_net, node);
    const int64_t now = WeftNow();
    const int64_t at = std::max(next, now);
    if (next == WEFT_NEVER || at >= m_planned[node])
    {
        return;
    }
    if (at >= GetBorder(now))
    {
        PlanTick(at / m_window * m_window); // not before, whoever has read before and knows of it
        return;
    }
    m_planned[node] = at;
    Simulator::ScheduleWithContext(m_contexts[node],
                                   TimeStep(static_cast<uint64_t>(at - now)),
                                   &WeftTicks::RunWatched,
                                   this,
                                   node);
}

void
WeftTicks::Plan(uint32_t node, int64_t at)
{
    const int64_t next = IsHere(node) ? weft_net_node_next(m_net, node) : at;
    if (m_planned[node] != NOT_WATCHED)
    {
        PlanWatched(node);
    }
    else if (next != WEFT_NEVER)
    {
        PlanTick(GetBorder(std::max(next, WeftNow())));
    }
}

void
WeftTicks::PlanAll()
{
    const int64_t next = weft_net_next(m_net);
    if (next != WEFT_NEVER)
    {
        PlanTick(GetBorder(std::max(next, WeftNow())));
    }
    for (const uint32_t node : m_watched)
    {
        PlanWatched(node);
    }
}

void
WeftTicks::Watch(uint32_t node)
{
    if (!m_net || m_planned[node] != NOT_WATCHED)
    {
        return;
    }
    if (IsTelling())
    {
        Simulator::ScheduleNow(&WeftTicks::Watch, this, node);
        return;
    }
    Sync();
    m_planned[node] = WEFT_NEVER;
    m_watched.insert(node);
    weft_net_watch(m_net, node, true);
    PlanWatched(node);
}

void
WeftTicks::RequireReachable(int64_t at)
{
    NS_ABORT_MSG_IF(at > LATEST,
                    "Weft: something is to happen at "
                        << TimeStep(static_cast<uint64_t>(at)).As(Time::S)
                        << ", when ns-3's clock is at its end; expected "
                        << TimeStep(static_cast<uint64_t>(LATEST)).As(Time::S) << " at most");
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
    RequireReachable(at);
    NS_ABORT_MSG_IF(!IsHere(host) && IsTelling(),
                    "Weft: one who is told of something asks for something at host "
                        << host << ", which another rank runs; expected a host of the same rank, "
                        << "or an event of ns-3 that all ranks have");
    weft_net_call(m_net, host, at, step, number, call, of, what);
    weft_net_teller teller;
    const bool isTold = weft_net_is_telling(m_net, &teller);
    if (isTold ? teller.watched && teller.node != host : !m_running)
    {
        Plan(host, at); // else when that node has been run, or at the end of its window
    }
}

void
WeftTicks::Do(uint32_t host, Call call)
{
    weft_net_teller teller;
    const bool isTold = weft_net_is_telling(m_net, &teller);
    std::unique_lock<std::mutex> lock(m_mutex);
    const uint64_t number = ++m_ncalls;
    m_calls[number] = std::move(call);
    lock.unlock();
    // Changes that several ask for at one instant are done in the order of those who ask.
    CallAt(host,
           GetTime(),
           WEFT_NET_CALL,
           isTold ? teller.node + 1 : 0,
           &WeftTicks::RunCall,
           this,
           number);
}

void
WeftTicks::RunCall(void* of, uint64_t what, int64_t /* now */)
{
    auto self = static_cast<WeftTicks*>(of);
    std::unique_lock<std::mutex> lock(self->m_mutex);
    const auto call = self->m_calls.extract(what);
    lock.unlock();
    call.mapped()();
}

void
WeftTicks::Change(int64_t at, Call call)
{
    RequireReachable(at);
    const auto [changes, first] = m_changes.try_emplace(at);
    changes->second.calls.push_back(std::move(call));
    if (first)
    {
        changes->second.event = Simulator::Schedule(TimeStep(static_cast<uint64_t>(at - WeftNow())),
                                                    &WeftTicks::SyncChanges,
                                                    this);
    }
}

void
WeftTicks::ChangeNow(Call call)
{
    weft_net_teller teller;
    if (weft_net_is_telling(m_net, &teller))
    {
        // A listener that is told late asks for it at a time that does not hang on when that is.
        Change(teller.watched ? teller.now : GetBorder(teller.now), std::move(call));
        return;
    }
    Sync();
    call();
    PlanAll();
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
