/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_TICKS_H
#define NS3_WEFT_TICKS_H

#include "ns3/event-id.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>
#include <weft/net.h>
#include <weft/ranks.h>

namespace ns3
{

/** Calls what an event is to do: ns-3 3.35 schedules functions, and no lambdas. @param act to call
 */
inline void
WeftCall(std::function<void()> act)
{
    act();
}

/** @ingroup weft @return Simulator::Now(), ps */
inline int64_t
WeftNow()
{
    return Simulator::Now().GetTimeStep();
}

/**
 * @ingroup weft
 * @brief Runs a fabric of the core (net.h) in ns-3's event list, whatever simulator and scheduler.
 *
 * The fabric lags behind the clock: one event per window, the tick at its end, runs all nodes up to
 * there. Nodes that are watched are run by events of their own, in their context, at the time of
 * each frame, so that whoever hears of them does so at that time. These are planned by the tick at
 * the beginning of their window, or by what happens in it: their order at one instant does not hang
 * on who reads. What a program asks for at t is carried out at t by the node that it concerns,
 * behind all that is due there then. What one asks of another node who is told late, by a node that
 * is not watched, comes there after the least delay of a link.
 */
class WeftTicks
{
  public:
    using Call = std::function<void()>; //!< something to be done

    /** @param net the fabric, to be run from now on, in place of another one that was to be
     * @param contexts of its nodes, hosts first */
    void Begin(weft_net* net, const std::vector<uint32_t>& contexts);
    /** @return contexts of the nodes */
    const std::vector<uint32_t>& GetContexts() const
    {
        return m_contexts;
    }
    /** Simulator::Destroy() takes all events. */
    void End();

    /** A node is to be run at the times of its frames; asked for by one who is being told of
     * something, from the end of this event on. @param node its number, hosts first */
    void Watch(uint32_t node);

    /** All that happens before Now() has happened, but at nodes that are watched what has been
     * told. Nothing happens for one who is being told of something: others lag. */
    void Sync();

    /** Changes of the fabric as a whole that are due by now are made. */
    void SyncChanges();

    /** @param host index @return whether this rank runs it */
    bool IsHere(uint32_t host) const
    {
        return weft_net_is_here(m_net, host);
    }

    /** @return whether something is being told: others lag */
    bool IsTelling() const;
    /** @return the time of what is being told, or Now(), ps */
    int64_t GetTime() const;

    /** The latest time for which anything can be asked, ps: sums of two do not overflow. */
    static constexpr int64_t LATEST = INT64_MAX / 2;

    /** Calls on ns-3's thread, at the end of what is told just now. @param call what */
    void After(Call call);

    /** weft_net_call(). @param host where @param at when, ps @param step of that instant
     * @param number within the step @param call what @param of handed to it @param what handed to
     * it */
    void CallAt(uint32_t host,
                int64_t at,
                weft_net_step step,
                uint64_t number,
                void (*call)(void*, uint64_t, int64_t),
                void* of,
                uint64_t what);
    /** Lets a host do something now, behind all that is due there: at once if it is being told of
     * something. @param host where @param call what */
    void Do(uint32_t host, Call call);

    /** @return the end of the window in which a time lies, ps @param at ps */
    int64_t GetBorder(int64_t at) const
    {
        return (at / m_window + 1) * m_window;
    }

    /** Lets something happen to the fabric as a whole, before all else of its instant. @param at
     * when, ps @param call what, in the order of these calls */
    void Change(int64_t at, Call call);
    /** Runs a change now; from within a notification, right after it; from a late notification, at
     * the end of the window. @param call the change */
    void ChangeNow(Call call);
    /** No such change takes place any more. */
    void ForgetChanges();

  private:
    /** Changes of the fabric at an instant. */
    struct Changes
    {
        EventId event;           //!< that lets it happen, if nothing else does before
        std::vector<Call> calls; //!< what
    };

    void Tick();                     //!< Event between two windows
    void RunWatched(uint32_t node);  //!< Event of a watched node @param node its number
    void Advance(int64_t now);       //!< Does what precedes a node's now @param now ps
    void MakeChanges(int64_t now);   //!< Makes changes that are due @param now ps
    void PlanTick(int64_t border);   //!< @param border between two windows, ps
    void PlanWatched(uint32_t node); //!< Plans what is due @param node watched
    /** Plans what is due at a node. @param node any one @param at what was asked for last, ps */
    void Plan(uint32_t node, int64_t at);
    void PlanAll();            //!< Plans what is due anywhere
    void RunTo(int64_t until); //!< Runs all before @param until ps
    void CallAfter();          //!< Calls what After() has put off
    /** Aborts the program if the clock does not go as far. @param at ps */
    static void RequireReachable(int64_t at);
    /** A host's call. @param of WeftTicks @param what its number @param now ps */
    static void RunCall(void* of, uint64_t what, int64_t now);

    static constexpr int64_t NOT_WATCHED = -1; //!< in m_planned

    weft_net* m_net{nullptr};             //!< the fabric
    int64_t m_window{1};                  //!< ps
    std::vector<uint32_t> m_contexts;     //!< by node
    std::set<uint32_t> m_watched;         //!< nodes
    std::vector<int64_t> m_planned;       //!< by node: when it is to be run, if it is watched, ps
    std::set<int64_t> m_ticks;            //!< times of ticks to come, ps
    std::map<int64_t, Changes> m_changes; //!< to come, by time, ps
    std::map<uint64_t, Call> m_calls;     //!< that hosts are to make, by number
    uint64_t m_ncalls{0};                 //!< numbers given
    std::mutex m_mutex;                   //!< of m_calls and m_after: hosts run on threads
    std::vector<Call> m_after;            //!< After()
    bool m_running{false};                //!< windows are run, and ranks hear of each other
};

} // namespace ns3

#endif /* NS3_WEFT_TICKS_H */
