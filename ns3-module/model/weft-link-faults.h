/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_LINK_FAULTS_H
#define NS3_WEFT_LINK_FAULTS_H

#include "weft-channel.h"
#include "weft-ticks.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>
#include <weft/clos.h>
#include <weft/theory.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Links that fail, are slower for a while and come back, and forwarding, which adapts a
 * convergence delay later.
 *
 * It tells the core of all that, at instants of the fabric as a whole.
 */
class WeftLinkFaults
{
  public:
    /** @param clos shape @param channels by link @param ticks that run the fabric; all may be
     * filled in later, and outlive this */
    WeftLinkFaults(const weft_clos& clos,
                   const std::vector<Ptr<WeftChannel>>& channels,
                   WeftTicks& ticks);
    WeftLinkFaults(const WeftLinkFaults&) = delete;
    WeftLinkFaults& operator=(const WeftLinkFaults&) = delete;

    /** @name Attributes of WeftFabric @{ */
    void SetConvergenceDelay(Time delay);  //!< @param delay Time::Max(): forwarding never adapts
    Time GetConvergenceDelay() const;      //!< @return from a failure or repair to new forwarding
    void SetWeights(bool weights);         //!< @param weights new forwarding weighs ports by paths
    bool GetWeights() const;               //!< @return whether it does
    void SetCapacityWeights(bool weights); //!< @param weights it weighs them by their capacity
    bool GetCapacityWeights() const;       //!< @return whether it does
    /** @} */

    /** The fabric has been built, perhaps once more: what has been changed so far is changed in it.
     * @param net the fabric */
    void Begin(weft_net* net);
    /** See WeftFabric::ScheduleFailure(). @param link number @param at when @param repair when it
     * comes back */
    void ScheduleFailure(uint64_t link, Time at, Time repair);
    /** See WeftFabric::ScheduleDegradation(). @param link number @param to rate @param at when
     * @param repair when it is as planned */
    void ScheduleDegradation(uint64_t link, DataRate to, Time at, Time repair);
    /** See WeftChannel::SetDown(). @param link number @param down new state */
    void SetDown(uint64_t link, bool down);
    /** See WeftChannel::SetRate(). @param link number @param rate from now on, bit/s */
    void SetRate(uint64_t link, int64_t rate);
    /** @param link number @return whether it is down now */
    bool IsDown(uint64_t link) const;
    void Forget();                         //!< See WeftFabric::ForgetFaults()
    weft_weights GetKindOfWeights() const; //!< @return what the attributes say

    /** @param flows every pair of hosts that has a QP @param split how a flow is spread over its
     * paths @return the share of line rate at which hosts may send so that the links that are left
     * by the failures at time 0 that last can serve all flows that have a path (weft_rho_max()) */
    double GetRhoMax(const std::vector<weft_flow>& flows, weft_split split) const;

  private:
    /** States of links for which forwarding is computed. */
    struct LinkStates
    {
        std::vector<uint64_t> dead;       //!< ascending, distinct
        std::vector<weft_slow_link> slow; //!< ascending, distinct
    };

    /** Aborts the program if there is no such link, or if these times cannot be. @param call what
     * was asked for @param link number @param at when @param repair when it ends */
    void RequirePossible(const char* call, uint64_t link, Time at, Time repair) const;
    /** @param link number @return its rate as planned, bit/s */
    int64_t GetPlannedRate(uint64_t link) const;
    /** A failure of a link: its number, and that of the failure, from 1 up; 0: SetDown()'s. */
    using Failure = std::pair<uint64_t, uint64_t>;

    /** @param failure that begins or ends @param at when @param begins which of the two */
    void ScheduleChange(Failure failure, Time at, bool begins);
    void ChangeLinks(); //!< All that fails and is repaired now
    /** @param link number @param rate from this instant on, bit/s */
    void ChangeRate(uint64_t link, int64_t rate);
    /** @param link number @return whether a failure of it is in force */
    bool IsDead(uint64_t link) const;
    /** Failures have begun or ended. @param link number @param was whether it was down before
     * @return whether its state is new */
    bool ChangeLink(uint64_t link, bool was);
    void StartConvergence(); //!< Forwarding will be of how links are now, a convergence delay later
    /** New forwarding everywhere. @param links as they were a convergence delay ago */
    void Converge(const LinkStates& links);
    /** @param links their states @param weights of ports @param memory of the result @return the
     * exceptions in forwarding */
    const weft_fib*
    MakeFib(const LinkStates& links, weft_weights weights, std::vector<uint64_t>& memory) const;

    const weft_clos& m_clos;                         //!< shape
    const std::vector<Ptr<WeftChannel>>& m_channels; //!< by link
    WeftTicks& m_ticks;                              //!< that run the fabric
    weft_net* m_net{nullptr};                        //!< the fabric
    Time m_convergence;                              //!< attribute
    bool m_weights{true};                            //!< attribute
    bool m_capacity{false};                          //!< attribute
    std::vector<uint64_t> m_fibMemory;               //!< of exceptions in forwarding
    const weft_fib* m_fib{nullptr};                  //!< these, or nullptr: none
    /** Failures to come, and whether they begin or end, by time, ps. */
    std::map<int64_t, std::vector<std::pair<Failure, bool>>> m_changes;
    bool m_whole{true};                  //!< as far as forwarding knows
    uint64_t m_failures{0};              //!< that were scheduled
    std::vector<uint64_t> m_lasting;     //!< links down from time 0 on, for good
    std::vector<weft_slow_link> m_slow;  //!< degraded from time 0 on, for good
    std::set<Failure> m_dead;            //!< failures in force
    std::map<uint64_t, int64_t> m_rates; //!< of links that are not as planned now: bit/s
};

} // namespace ns3

#endif /* NS3_WEFT_LINK_FAULTS_H */
