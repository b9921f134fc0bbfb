/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Runs in ns-3: the fabric is devices of its nodes, and its simulator has the clock.
#include "fabric-setup.h"
#include "run-host.h"

#include "ns3/config.h"
#include "ns3/event-id.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-fabric.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <new>
#include <string>

extern "C"
{
#include "mpi-ranks.h"
#include "textbuf.h"
}

using namespace ns3;

namespace
{

Ptr<WeftFabric> g_fabric;            //!< the run's
std::map<uint64_t, EventId> g_calls; //!< by number
uint64_t g_ncalls{0};                //!< numbers given

using Call = void (*)(void* of); //!< something at a time

weft_run*
Build(const scenario* s, unsigned threads, const weft_ranks* ranks, char** why)
{
    std::string error;
    g_fabric = BuildFabric(*s, threads, ranks, error);
    *why = g_fabric ? nullptr : xstrdup(error.c_str());
    return g_fabric ? g_fabric->GetCoreRun() : nullptr;
}

/** A call's time has come. @param number its own @param call what @param of handed to it */
void
MakeCall(uint64_t number, Call call, void* of)
{
    g_calls.erase(number);
    g_fabric->Sync();
    call(of);
}

uint64_t
At(int64_t at, Call call, void* of)
{
    const uint64_t number = ++g_ncalls;
    const auto after = static_cast<uint64_t>(std::max<int64_t>(at - WeftNow(), 0));
    g_calls[number] = Simulator::Schedule(TimeStep(after), &MakeCall, number, call, of);
    return number;
}

void
Remove(uint64_t number)
{
    const auto call = g_calls.find(number);
    if (call != g_calls.end())
    {
        // Removed, not cancelled: a cancelled event would still carry the clock to its time.
        Simulator::Remove(call->second);
        g_calls.erase(call);
    }
}

void
End()
{
    g_calls.clear();
    g_fabric = nullptr;
    Simulator::Destroy();
    if (ranks_get())
    {
        Config::Reset(); // this process has other runs to come
    }
}

constexpr size_t PROBE = 1 << 16; //!< bytes; less may still be free in some corner

/** ns3::Object() writes to what malloc() returns without a look at it. @param signal SIGSEGV */
void
AskForMemory(int signal)
{
    std::signal(signal, SIG_DFL); // what it was is done again on return
    void* volatile probe = std::malloc(PROBE);
    if (!probe)
    {
        on_out_of_memory();
    }
}

void
SetHandler(void (*handler)())
{
    std::set_new_handler(handler);
    std::signal(SIGSEGV, AskForMemory);
}

constexpr double OBJECT = 64;   //!< bytes of an ns-3 object's list of aggregates
constexpr double LISTS = 64;    //!< of a node's places in the lists of nodes and devices
constexpr double MAP_NODE = 64; //!< of a std::map, with a MAC address
constexpr double BLOCK = 16;    //!< malloc's own, about, for each object

} // namespace

const run_host ns3_host{
    "ns3",
    WEFT_NS3_VERSION,
    {sizeof(WeftNic) + sizeof(Node) + 2 * OBJECT + LISTS + MAP_NODE,
     sizeof(WeftSwitch) + sizeof(Node) + 2 * OBJECT + LISTS,
     sizeof(WeftPort),
     sizeof(WeftChannel) + OBJECT + BLOCK + sizeof(void*)},
    &Build,
    &WeftNow,
    &At,
    [](int64_t at, Call call, void* of) { g_fabric->GetTicks().After([=] { At(at, call, of); }); },
    &Remove,
    &Simulator::Run,
    [] { Simulator::Stop(); },
    [] { g_fabric->Sync(); },
    [] { g_fabric->ForgetFaults(); },
    [] { g_fabric->ReleasePackets(); },
    &Simulator::GetEventCount,
    &SetHandler,
    &End,
};
