// SPDX-License-Identifier: GPL-2.0-only
/** @file random-scene.h  Scenes drawn from seeds: a fabric, messages, faults and losses. */
#ifndef RANDOM_SCENE_H
#define RANDOM_SCENE_H

#include "weft-test-rig.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <weft/clos.h>
#include <weft/rng.h>
#include <weft/run.h>

/** Random scene. */
struct Scene
{
    WeftRigSetup setup;
    struct Message
    {
        uint32_t src, dst;
        uint64_t bytes;
        int64_t at;
    };
    std::vector<Message> messages;
    struct Fault
    {
        uint64_t link;
        int64_t at;
        int64_t back;
        int64_t rate; //!< 0: what effect says
        weft_fault_effect effect{WEFT_FAULT_DOWN};
        weft_direction direction{WEFT_BOTH_WAYS};
        int64_t delay{0}; //!< ps, of WEFT_FAULT_DELAYED
        weft_frame_losses losses{};
        uint64_t number{0}; //!< of losses
    };
    std::vector<Fault> faults;
    int64_t convergence{0}; //!< ps; WEFT_NEVER: never
    int64_t recovery{-1};   //!< ps, likewise; -1: as convergence
    weft_weights weights{WEFT_WEIGHTS_NONE};
    double loss{0};
    std::vector<std::pair<uint32_t, uint32_t>> drops; //!< QP and offset
    bool lastHop{false};                              //!< the named ones, there
    bool answers{false};                              //!< each message is answered at once
};

inline uint32_t
Below(weft_rng& rng, uint32_t n)
{
    return weft_rng_below(&rng, n);
}

template <typename T, size_t N>
T
OneOf(weft_rng& rng, const T (&of)[N])
{
    return of[Below(rng, N)];
}

/** A scene from a seed. */
inline Scene
Draw(uint64_t seed)
{
    weft_rng rng;
    weft_rng_seed(&rng, seed, 7, 3);
    Scene s;
    s.setup.seed = seed;
    const char* const topologies[] = {
        "leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps",
        "leaf-spine leaves=4 spines=2 hosts-per-leaf=4 link-rate=100Gbps fabric-rate=200Gbps",
        "fat-tree k=4 link-rate=100Gbps",
        "fat-tree k=4 link-rate=400Gbps link-delay=500ns",
        "leaf-spine leaves=3 spines=3 hosts-per-leaf=3 link-rate=70Gbps",
    };
    s.setup.topology = OneOf(rng, topologies);
    const char* const balancers[] = {
        "ecmp",      "ops",    "jsq",     "ar",       "ar-quality",
        "drill",     "conga",  "letflow", "conweave", "themis",
        "pro",       "prime",  "ofan",    "reps",     "simple-rr",
        "switch-rr", "rsq",    "host-dr", "plb",      "themis compensation=literal",
        "co-prime",  "subflow"};
    s.setup.balancer = OneOf(rng, balancers);
    if (Below(rng, 4) == 0)
    {
        s.setup.second = OneOf(rng, balancers);
    }
    const bool graph = Below(rng, 8) == 0;
    if (graph)
    {
        const char* const anywhere[] = {"ecmp", "ops", "jsq", "ar", "drill", "rsq", "reps"};
        s.setup.balancer = OneOf(rng, anywhere);
        s.setup.second.clear();
        s.setup.hosts = 16;
        s.setup.switches = 5;
        for (uint32_t i = 0; i < s.setup.hosts; i++)
        {
            s.setup.links.push_back({i, 16 + i / 4, 100000000000, 1000000, false});
        }
        for (uint32_t i = 0; i < 4; i++)
        {
            s.setup.links.push_back({16 + i, 16 + (i + 1) % 4, 100000000000, 600000, false});
            s.setup.links.push_back({16 + i, 20, 200000000000, 800000, false});
        }
    }
    const char* const transports[] =
        {"nic-sr", "gbn", "sack", "pro-window", "mprdma", "ideal", "multipath-timers", "erasure"};
    s.setup.transport = OneOf(rng, transports);
    const char* const ccs[] =
        {"none", "dcqcn", "dctcp", "swift", "mswift", "ideal", "timely", "hpcc", "nscc"};
    s.setup.cc = OneOf(rng, ccs);
    const char* const acks[] = {"share", "first", "ideal"};
    std::string acksName = OneOf(rng, acks);
    const bool tor =
        s.setup.balancer.rfind("themis", 0) == 0 || s.setup.second.rfind("themis", 0) == 0;
    if (tor && acksName == "ideal")
    {
        acksName = "share";
    }
    s.setup.frames = std::string("roce ack-priority=") + acksName;
    if (Below(rng, 3) == 0)
    {
        s.setup.frames += " ack-every=4";
    }
    const char* const buffers[] = {
        "shared-buffer preset=100g",
        "shared-buffer preset=100g buffer=300KB headroom=5KB kmin=20KB kmax=80KB",
        "shared-buffer preset=100g buffer=600KB headroom=10KB ecn-at=dequeue kmin=20KB kmax=80KB",
        "shared-buffer preset=100g pfc=off buffer=300KB",
        "shared-buffer preset=ofan",
        "shared-buffer preset=100g buffer=2MB headroom=20KB classes=4",
    };
    s.setup.buffer = OneOf(rng, buffers);
    if (Below(rng, 6) == 0 && !tor)
    {
        s.setup.transport = "trim";
        s.setup.buffer = Below(rng, 2)
                           ? "shared-buffer preset=trim-400g trim-at=60KB kmin=10KB kmax=40KB"
                           : "shared-buffer preset=trim-400g trim-at=60KB trim-victim=coin";
    }
    const char* const schedulers[] = {"strict", "dwrr", "wrr"};
    s.setup.scheduler = OneOf(rng, schedulers);
    const uint32_t hosts = graph                                                 ? 16
                         : s.setup.topology.rfind("leaf-spine leaves=3", 0) == 0 ? 9
                                                                                 : 16;
    const uint32_t pattern = Below(rng, 3);
    const uint32_t n = 4 + Below(rng, 40);
    const bool together = Below(rng, 2) == 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t src = pattern == 0 ? i % hosts : Below(rng, hosts);
        uint32_t dst = pattern == 0 ? (src + hosts / 2) % hosts
                     : pattern == 1 ? Below(rng, 2)
                                    : Below(rng, hosts);
        dst = dst == src ? (src + 1) % hosts : dst;
        s.messages.push_back(
            {src, dst, 1 + Below(rng, 300000), together ? 0 : int64_t{Below(rng, 100000000)}});
    }
    if (Below(rng, 3) == 0)
    {
        s.loss = Below(rng, 2) ? 0.01 : 0;
        s.lastHop = Below(rng, 2);
        s.drops.emplace_back(Below(rng, n), Below(rng, 20));
        s.drops.emplace_back(Below(rng, n), Below(rng, 3));
    }
    s.answers = Below(rng, 2) == 0;
    const uint32_t faults = Below(rng, 3) == 0 ? 1 + Below(rng, 2) : 0;
    s.convergence = Below(rng, 2) ? 0 : 5000000;
    for (uint32_t i = 0; i < faults; i++)
    {
        const int64_t at = Below(rng, 2) ? 0 : int64_t{Below(rng, 60000000)};
        const bool slow = Below(rng, 3) == 0;
        s.faults.push_back({hosts + Below(rng, 4) + 4 * i,
                            at,
                            Below(rng, 2) ? INT64_MAX : at + 1000000 + Below(rng, 100000000),
                            slow ? 30000000000 : 0});
    }
    return s;
}

/** Describes a scene in a line. */
inline std::string
Describe(const Scene& s)
{
    std::ostringstream text;
    text << (s.setup.hosts ? "a graph" : s.setup.topology) << "; " << s.setup.balancer << " "
         << s.setup.second << "; " << s.setup.transport << "; " << s.setup.cc << "; "
         << s.setup.frames << "; " << s.setup.buffer << "; " << s.setup.scheduler << "; "
         << s.messages.size() << " messages, " << s.faults.size() << " faults, convergence "
         << s.convergence << ", loss " << s.loss << ", " << s.drops.size() << " drops";
    return text.str();
}

#endif // RANDOM_SCENE_H
