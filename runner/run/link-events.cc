/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "link-events.h"

#include "link-failures.h"

#include "ns3/nstime.h"

using namespace ns3;

namespace
{

/** @param t ps or WEFT_NEVER @return the same */
Time
TimeOf(int64_t t)
{
    return t == WEFT_NEVER ? Time::Max() : TimeStep(static_cast<uint64_t>(t));
}

} // namespace

std::vector<link_failure>
ScheduleLinks(Ptr<WeftFabric> fabric, const scenario& s)
{
    for (size_t i = 0; i < s.ndegradations; i++)
    {
        const link_degradation& g = s.degradations[i];
        fabric->ScheduleDegradation(g.link, g.rate, TimeOf(g.at), TimeOf(g.repair));
    }
    std::vector<link_failure> failures(failures_of(&s, nullptr));
    failures_of(&s, failures.data());
    for (const link_failure& f : failures)
    {
        fabric->ScheduleFailure(f.link, TimeOf(f.at), TimeOf(f.repair));
    }
    return failures;
}
