/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_TICKS_H
#define NS3_WEFT_TICKS_H

#include "ns3/event-id.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>
#include <weft/net.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Runs a fabric of the core (net.h) in ns-3's event list, whatever simulator and scheduler.
 *
 * The fabric lags behind the clock: one event per window, the tick at its end, runs all nodes up to
 * there. Nodes that are watched are run by events of their own, in their context, at the time of
 * each frame, so that whoever hears of them does so at that time. What a program asks for at t is
 * carried out at t by the node that it concerns, behind all that is due there then.
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

    /** @return the time of what is being told, or Now(), ps */
    int64_t GetTime() const;

    /** The core tells of something. @param now its time, ps */
    void SetTime(int64_t now)
    {
        m_time = now;
    }

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
    /** The same at this instant, whatever has happened at it; at once, or, for one who is being
     * told of something, at the end of this event. @param call what */
    void ChangeNow(Call call);
    /** No such change takes place any more. */
    void ForgetChanges();

  private:
    /** A node that is run at the times of its frames. */
    struct Watched
    {
        uint32_t node;             //!< its number
        std::set<int64_t> pending; //!< times of its events, ps
    };

    /** What is to happen to the fabric at an instant. */
    struct Changes
    {
        EventId event;           //!< that lets it happen, if nothing else does before
        std::vector<Call> calls; //!< what
    };

    void Tick();                      //!< The event at the end of a window
    void RunWatched(uint32_t place);  //!< The event of a node @param place in m_watched
    void MakeChanges();               //!< The event of Change()
    void RunTo(int64_t until);        //!< All that happens before @param until ps
    void Advance(int64_t now);        //!< What must have happened before a node's now @param now ps
    void PlanTick(int64_t at);        //!< For what happens at @param at ps
    void Plan(uint32_t node);         //!< For what is due at a node @param node its number
    void PlanWatched(uint32_t place); //!< The same @param place in m_watched
    void PlanAll();                   //!< For what is due anywhere
    /** A host's call. @param of WeftTicks @param what its number @param now ps */
    static void RunCall(void* of, uint64_t what, int64_t now);

    static constexpr uint32_t NOT_WATCHED = UINT32_MAX; //!< in m_place

    weft_net* m_net{nullptr};             //!< the fabric
    int64_t m_window{1};                  //!< ps
    std::vector<uint32_t> m_contexts;     //!< by node
    std::vector<uint32_t> m_place;        //!< by node: in m_watched
    std::vector<Watched> m_watched;       //!< nodes
    std::set<int64_t> m_ticks;            //!< times of ticks to come, ps
    std::map<int64_t, Changes> m_changes; //!< to come, by time, ps
    std::map<uint64_t, Call> m_calls;     //!< that hosts are to make, by number
    uint64_t m_ncalls{0};                 //!< numbers given
    std::vector<uint32_t> m_touched;      //!< watched hosts of which something was asked meanwhile
    int64_t m_time{0};                    //!< of what is being told, ps
    bool m_running{false};                //!< nodes are run just now
};

} // namespace ns3

#endif /* NS3_WEFT_TICKS_H */
