/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Events for the fuzz targets of wheel and lanes, and the set that says in which order they come.
 */
#ifndef WEFT_TESTS_EVENTS_H
#define WEFT_TESTS_EVENTS_H

#include "fuzz.h"

#include "ns3/weft-fabric-event.h"

#include <array>
#include <set>
#include <utility>

/** When events are due, and their uids. */
using FuzzEventSet = std::set<std::pair<uint64_t, uint64_t>>;

/** An event that does nothing. */
class FuzzEvent : public ns3::FabricEvent
{
  public:
    void Fire(int64_t) override
    {
    }
};

/** @param uid an event's uid @return one that stands for it, and for others far from it */
inline ns3::FabricEvent*
FuzzEventOf(uint64_t uid)
{
    static std::array<FuzzEvent, 1021> events;
    return &events[uid % events.size()];
}

/** @param in input @return a delay: often one of a fabric's, sometimes any */
inline uint64_t
FuzzDelay(fuzz_input* in)
{
    static const std::array<uint64_t, 10>
        usual{0, 1, 1680, 30400, 84000, 127, 128, 524287, 524288, 1030400};
    const uint32_t what = fuzz_below(in, 16);
    return what < usual.size() ? usual[what] : fuzz_number(in, what - 9);
}

#endif /* WEFT_TESTS_EVENTS_H */
