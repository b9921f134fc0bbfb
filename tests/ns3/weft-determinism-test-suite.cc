// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The same scenario and seed give the same run, frame by frame, whatever the simulator and the
 * scheduler, and whoever watches; and a run in steady state allocates nothing. Without the first a
 * result cannot be repeated; without the second the simulator is not what it says.
 */
#include "allocation-counter.h"
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/test.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** Digest of every frame that leaves or reaches a NIC, is marked or dropped, and when. */
class Digest
{
  public:
    /** Listens to all devices of a fabric. Across nodes nothing orders an instant. */
    void Connect(WeftRig& rig)
    {
        const uint32_t hosts = rig.fabric->GetNHosts();
        m_hashes.resize(hosts + rig.fabric->GetNSwitches());
        for (uint32_t i = 0; i < hosts; i++)
        {
            Ptr<WeftNic> nic = rig.fabric->GetNic(i);
            nic->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Digest::Add, this, i));
            nic->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Digest::Add, this, i));
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(i);
            for (const char* source : {"Drop", "Mark", "NackBlocked"})
            {
                sw->TraceConnectWithoutContext(source,
                                               MakeBoundCallback(&Digest::Add, this, hosts + i));
            }
            sw->TraceConnectWithoutContext("Pause",
                                           MakeBoundCallback(&Digest::AddPause, this, hosts + i));
        }
    }

    /** Adds all that is counted, and when QPs were done. @param rig at the end of its run */
    void AddResults(const WeftRig& rig)
    {
        const WeftCounters& c = rig.fabric->GetCounters();
        const WeftRigTotals t = rig.GetTotals();
        for (const uint64_t count : {c.hops,         c.sent,           c.sent_bytes,
                                     c.made_by_tors, c.delivered,      c.delivered_bytes,
                                     c.lost_bytes,   c.payload,        t.sent,
                                     t.resent,       t.nacks,          t.timeouts,
                                     t.duplicates,   t.outOfOrder,     t.nacksSent,
                                     t.cnps,         t.cuts,           t.marks,
                                     t.pauses,       t.drops,          t.tor.valid,
                                     t.tor.blocked,  t.tor.compensated})
        {
            Mix(0, count);
        }
        for (const uint64_t count : c.lost)
        {
            Mix(0, count);
        }
        Mix(0, static_cast<uint64_t>(rig.lastDelivered));
        Mix(0, static_cast<uint64_t>(rig.lastAcked));
        Mix(0, static_cast<uint64_t>(rig.fabric->GetLastTime().GetTimeStep()));
    }

    /** @return the digest */
    uint64_t Get() const
    {
        uint64_t all = 0;
        for (const uint64_t hash : m_hashes)
        {
            all = weft_mix64(all ^ hash);
        }
        return all;
    }

    /** @return frames seen */
    uint64_t GetCount() const
    {
        return m_count;
    }

  private:
    void Mix(uint32_t node, uint64_t word)
    {
        m_hashes[node] = weft_mix64(m_hashes[node] ^ word);
    }

    static void Add(Digest* self, uint32_t node, const weft_packet& p)
    {
        self->m_count++;
        for (const uint64_t word : {static_cast<uint64_t>(WeftNow()),
                                    static_cast<uint64_t>(p.sent),
                                    uint64_t{p.qp} << 32 | p.psn,
                                    uint64_t{p.src} << 32 | p.dst,
                                    uint64_t{p.bytes} << 32 | uint64_t{p.kind} << 24 |
                                        uint64_t{p.flags} << 16 | uint64_t{p.hops} << 8 | p.tclass})
        {
            self->Mix(node, word);
        }
    }

    static void AddPause(Digest* self, uint32_t node, uint32_t port, uint32_t tclass, bool pause)
    {
        self->Mix(node, static_cast<uint64_t>(WeftNow()));
        self->Mix(node, uint64_t{port} << 8 | tclass << 1 | (pause ? 1 : 0));
    }

    std::vector<uint64_t> m_hashes; //!< of everything so far, by node
    uint64_t m_count{0};            //!< frames
};

/** A run, twice, under every simulator and scheduler, and watched; and another seed's. */
class RepeatTestCase : public TestCase
{
  public:
    RepeatTestCase(const std::string& balancer,
                   const std::string& transport,
                   const std::string& topology)
        : TestCase("the same seed gives the same run under " + balancer + ", " + transport + ", " +
                   topology),
          m_balancer(balancer),
          m_transport(transport),
          m_topology(topology)
    {
    }

  private:
    /** Reads all that can be read, at times of its own. */
    static void Watch(WeftRig* rig)
    {
        rig->Audit();
        rig->GetTotals();
        if (rig->acked < rig->fabric->GetNQps())
        {
            Simulator::Schedule(PicoSeconds(40001), &RepeatTestCase::Watch, rig);
        }
    }

    WeftRigSetup GetSetup(uint64_t seed) const
    {
        WeftRigSetup setup;
        setup.topology = m_topology;
        setup.balancer = m_balancer;
        setup.cc = "dcqcn t-i=20us r-ai=1Gbps";
        setup.transport = m_transport + " rto=100us";
        setup.frames = "roce first-psn=-1 ack-every=2";
        setup.buffer = "shared-buffer preset=100g buffer=400KB alpha=0.25 kmin=20KB kmax=80KB";
        setup.seed = seed;
        return setup;
    }

    uint64_t
    Run(const std::string& simulator, const std::string& scheduler, uint64_t seed, bool watched)
    {
        const WeftSimulatorChoice choice(simulator, scheduler);
        WeftRig rig(GetSetup(seed));
        Digest digest;
        digest.Connect(rig);
        rig.fabric->SetLossProbability(0.004);
        rig.fabric->ScheduleFailure(rig.fabric->GetNHosts() + 2,
                                    MicroSeconds(30),
                                    MicroSeconds(200));
        for (uint32_t h = 1; h < 8; h++)
        {
            rig.Send(h, 0, 150000);
            rig.Send(h, h == 7 ? 2 : h + 1, 150000);
        }
        if (watched)
        {
            Watch(&rig);
        }
        Simulator::Run();
        digest.AddResults(rig);
        const std::string where = simulator + " over " + scheduler;
        NS_TEST_EXPECT_MSG_EQ(choice.IsInUse(), true, where);
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 14, where << ": all messages");
        NS_TEST_EXPECT_MSG_GT(digest.GetCount(), 4000, where << ": frames seen");
        NS_TEST_EXPECT_MSG_GT(rig.GetTotals().pauses, 0, where << ": pauses");
        const WeftCounters& counters = rig.fabric->GetCounters();
        NS_TEST_EXPECT_MSG_GT(counters.lost[WeftFabric::DROP_LINK], 0, where << ": link failure");
        NS_TEST_EXPECT_MSG_GT(counters.lost[WeftFabric::DROP_INJECTED], 0, where << ": drops");
        return digest.Get();
    }

    void DoRun() override
    {
        const std::string& ours = WeftSimulators().back();
        const uint64_t expected = Run("DefaultSimulatorImpl", "MapScheduler", 1, false);
        for (const std::string& simulator : WeftSimulators())
        {
            for (const std::string& scheduler : WeftSchedulers())
            {
                NS_TEST_EXPECT_MSG_EQ(Run(simulator, scheduler, 1, false),
                                      expected,
                                      simulator << " over " << scheduler);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(Run(ours, "HeapScheduler", 1, true), expected, "watched");
        NS_TEST_EXPECT_MSG_NE(Run(ours, "HeapScheduler", 2, false), expected, "another seed");
    }

    std::string m_balancer;  //!< under test
    std::string m_transport; //!< that suits it
    std::string m_topology;  //!< the fabric
};

/** In steady state neither a packet nor a hop allocates memory. */
class AllocationTestCase : public TestCase
{
  public:
    AllocationTestCase(const std::string& balancer,
                       const std::string& transport,
                       const std::string& simulator)
        : TestCase("nothing is allocated per packet-hop under " + balancer + ", " + transport +
                   ", " + simulator),
          m_balancer(balancer),
          m_transport(transport),
          m_simulator(simulator)
    {
    }

  private:
    /** Reading at one time. */
    struct Reading
    {
        uint64_t allocations{0}; //!< so far
        uint64_t bytes{0};       //!< of the core's memory, so far
        uint64_t hops{0};        //!< so far
    };

    static void Read(WeftRig* rig, Reading* reading)
    {
        reading->allocations = WeftAllocationCount();
        reading->bytes = rig->fabric->GetBytesTaken();
        reading->hops = rig->fabric->GetCounters().hops;
    }

    void DoRun() override
    {
        const uint64_t before = WeftAllocationCount();
        ::operator delete(::operator new(1)); // a call, not an expression: none may be left out
        if (WeftAllocationCount() == before)
        {
            return; // another operator new is in the way: nothing can be counted
        }
        const WeftSimulatorChoice choice(m_simulator, "HeapScheduler");
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps";
        setup.balancer = m_balancer;
        setup.transport = m_transport;
        setup.cc = "dcqcn";
        setup.buffer = "shared-buffer preset=100g kmin=20KB kmax=80KB";
        WeftRig rig(setup);
        auto job = rig.helper.InstallWorkload("permutation bytes=64MB");
        Reading warm;
        Reading late;
        Simulator::Schedule(MicroSeconds(3000), &AllocationTestCase::Read, &rig, &warm);
        Simulator::Schedule(MicroSeconds(4000), &AllocationTestCase::Read, &rig, &late);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "the job is done");
        NS_TEST_EXPECT_MSG_GT(late.hops - warm.hops, 100000, "packet-hops between the readings");
        NS_TEST_EXPECT_MSG_EQ(late.bytes, warm.bytes, "memory of the fabric between them");
        // A window of 1 us is an event of ns-3's list, which allocates.
        NS_TEST_EXPECT_MSG_LT(late.allocations - warm.allocations, 5 * 1000, "ticks' events");
    }

    std::string m_balancer;  //!< under test
    std::string m_transport; //!< that suits it
    std::string m_simulator; //!< under which it runs
};

class WeftDeterminismTestSuite : public TestSuite
{
  public:
    WeftDeterminismTestSuite()
        : TestSuite("weft-determinism", Type::UNIT)
    {
        const std::vector<std::pair<std::string, std::string>> pairs{{"ecmp", "nic-sr"},
                                                                     {"rsq", "nic-sr"},
                                                                     {"ar", "nic-sr"},
                                                                     {"themis", "nic-sr"},
                                                                     {"ops", "sack"}};
        for (const auto& [balancer, transport] : pairs)
        {
            for (const char* topology :
                 {"leaf-spine leaves=4 spines=4 hosts-per-leaf=2 link-rate=100Gbps",
                  "fat-tree k=4 tiers=3 link-rate=100Gbps"})
            {
                AddTestCase(new RepeatTestCase(balancer, transport, topology));
            }
            for (const std::string& simulator : WeftSimulators())
            {
                AddTestCase(new AllocationTestCase(balancer, transport, simulator));
            }
        }
    }
};

WeftDeterminismTestSuite g_weftDeterminismTestSuite; //!< registers the suite

} // namespace
