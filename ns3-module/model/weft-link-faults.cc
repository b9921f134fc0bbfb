/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: links that fail, are slower for a while and come back.
#include "weft-fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <weft/error.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftLinkFaults");

namespace
{

/** @param t a time @return ps, or WEFT_NEVER */
int64_t
PicosecondsOf(Time t)
{
    return t == Time::Max() ? WEFT_NEVER : t.GetTimeStep();
}

} // namespace

void
WeftFabric::SetConvergenceDelay(Time delay)
{
    m_convergence = delay;
    if (m_net)
    {
        weft_run_set_convergence(m_coreRun, PicosecondsOf(delay));
    }
}

Time
WeftFabric::GetConvergenceDelay() const
{
    return m_convergence;
}

void
WeftFabric::SetRecoveryDelay(Time delay)
{
    m_recovery = delay;
    weft_run_set_recovery(m_coreRun, PicosecondsOf(delay));
}

Time
WeftFabric::GetRecoveryDelay() const
{
    return m_recovery;
}

weft_weights
WeftFabric::GetKindOfWeights() const
{
    return m_capacity ? WEFT_WEIGHTS_CAPACITY : m_weights ? WEFT_WEIGHTS_PATHS : WEFT_WEIGHTS_NONE;
}

void
WeftFabric::SetWeights(bool weights)
{
    m_weights = weights;
    weft_run_set_weights(m_coreRun, GetKindOfWeights());
}

bool
WeftFabric::GetWeights() const
{
    return m_weights;
}

void
WeftFabric::SetCapacityWeights(bool weights)
{
    m_capacity = weights;
    weft_run_set_weights(m_coreRun, GetKindOfWeights());
}

bool
WeftFabric::GetCapacityWeights() const
{
    return m_capacity;
}

void
WeftFabric::RequirePossible(const char* call, uint64_t link, Time at, Time repair) const
{
    NS_ABORT_MSG_IF(link >= weft_planes_links(&m_clos),
                    "Weft: " << call << ": no link " << link << "; the fabric has "
                             << weft_planes_links(&m_clos) << ", numbered from 0");
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
WeftFabric::AddFault(const Fault& fault)
{
    RequireAlive("AddFault()");
    for (const uint64_t link : fault.links)
    {
        RequirePossible("AddFault()", link, fault.at, fault.repair);
    }
    weft_fault core{};
    core.links = fault.links.data();
    core.nlinks = fault.links.size();
    core.effect = fault.effect;
    core.direction = fault.direction;
    core.rate = static_cast<int64_t>(fault.rate.GetBitRate());
    core.delay = fault.delay.GetTimeStep();
    core.losses = fault.losses;
    core.at = fault.at.GetTimeStep();
    core.repair = PicosecondsOf(fault.repair);
    core.down = fault.down.GetTimeStep();
    core.up = fault.up.GetTimeStep();
    core.drawn = fault.drawn;
    core.count = fault.count;
    core.stream = fault.stream;
    const int code = weft_run_add_fault(m_coreRun, &core);
    NS_ABORT_MSG_IF(code == WEFT_EINVAL,
                    "Weft: AddFault(): expected links, an effect and a direction of their enums, "
                    "and both `down` and `up` of a fault that flaps, or neither");
    NS_ABORT_MSG_IF(code != 0,
                    "Weft: AddFault() of link "
                        << fault.links.front()
                        << ": expected a rate from 1 bit/s to what is planned, a delay from 0 to "
                           "an hour, probabilities from 0 to 1, and times from 0 to 2^62 ps");
}

void
WeftFabric::ScheduleFailure(uint64_t link, Time at, Time repair)
{
    RequireAlive("ScheduleFailure()");
    RequirePossible("ScheduleFailure()", link, at, repair);
    weft_run_fail(m_coreRun, link, at.GetTimeStep(), PicosecondsOf(repair));
}

void
WeftFabric::ScheduleDegradation(uint64_t link, DataRate rate, Time at, Time repair)
{
    RequireAlive("ScheduleDegradation()");
    RequirePossible("ScheduleDegradation()", link, at, repair);
    const int64_t planned = GetLink(link).rate;
    const uint64_t bits = rate.GetBitRate();
    NS_ABORT_MSG_IF(bits < 1 || bits > static_cast<uint64_t>(planned),
                    "Weft: a link of " << planned << " bit/s cannot be degraded to " << bits);
    weft_run_degrade(m_coreRun,
                     link,
                     static_cast<int64_t>(bits),
                     at.GetTimeStep(),
                     PicosecondsOf(repair));
}

void
WeftFabric::ForgetFaults()
{
    weft_run_forget_faults(m_coreRun);
    m_ticks.ForgetChanges();
}

void
WeftFabric::SetLinkDown(uint64_t link, bool down)
{
    m_ticks.ChangeNow([this, link, down] { weft_run_set_down(m_coreRun, link, down); });
}

void
WeftFabric::SetLinkRate(uint64_t link, int64_t rate)
{
    m_ticks.ChangeNow([this, link, rate] {
        NS_ABORT_MSG_IF(weft_run_set_rate(m_coreRun, link, rate) != 0,
                        "Weft: SetRate() of link "
                            << link << " to " << rate
                            << " bit/s: it has no delay, and frames would cross it faster than the "
                            << weft_net_window(m_net) << " ps in which the fabric is run; expected "
                            << GetLink(link).rate << " bit/s at most, as it was planned");
    });
}

bool
WeftFabric::IsLinkDown(uint64_t link) const
{
    m_ticks.SyncChanges();
    return weft_run_is_down(m_coreRun, link);
}

void
WeftFabric::AddFaultHooks(weft_run_host& host)
{
    host.link_changed = [](void* of, uint64_t link, bool down) {
        NS_LOG_INFO("link " << link << (down ? " fails" : " is back"));
        if (const auto& channel = Told(of)->m_channels[link]) // else both ends are other ranks'
        {
            channel->NotifyChange();
        }
    };
    host.rerouted = [](void* of, size_t down, bool whole) {
        NS_LOG_INFO("new forwarding, " << down << " links down");
        if (whole != Told(of)->m_whole)
        {
            NS_LOG_INFO("middleware of the ToRs is " << (whole ? "on" : "off"));
            Told(of)->m_whole = whole;
        }
    };
}

} // namespace ns3
