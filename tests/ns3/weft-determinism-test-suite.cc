// SPDX-License-Identifier: GPL-2.0-only
/**
 * \file
 * The same scenario and seed give the same run, frame by frame, whatever the scheduler and whoever
 * watches; and a run in steady state allocates nothing. Without the first a result cannot be
 * repeated; without the second the simulator is not what it says.
 */
#include "allocation-counter.h"
#include "weft-test-rig.h"

#include "ns3/object-factory.h"
#include "ns3/test.h"

#include <functional>

using namespace ns3;

namespace
{

/** Digest of every frame that leaves or reaches a NIC, is marked or dropped, and when. */
class Digest
{
  public:
    /** Listens to all devices of a fabric. */
    void Connect(WeftRig& rig)
    {
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            Ptr<WeftNic> nic = rig.fabric->GetNic(i);
            nic->TraceConnectWithoutContext("Tx", MakeCallback(&Digest::Add, this));
            nic->TraceConnectWithoutContext("Rx", MakeCallback(&Digest::Add, this));
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(i);
            sw->TraceConnectWithoutContext("Drop", MakeCallback(&Digest::Add, this));
            sw->TraceConnectWithoutContext("Mark", MakeCallback(&Digest::Add, this));
            sw->TraceConnectWithoutContext("NackBlocked", MakeCallback(&Digest::Add, this));
            sw->TraceConnectWithoutContext("Pause", MakeCallback(&Digest::AddPause, this));
        }
    }

    /** \return the digest */
    uint64_t Get() const
    {
        return m_hash;
    }

    /** \return frames seen */
    uint64_t GetCount() const
    {
        return m_count;
    }

  private:
    void Mix(uint64_t word)
    {
        m_hash = weft_mix64(m_hash ^ word);
    }

    void Add(const weft_packet& p)
    {
        m_count++;
        Mix(static_cast<uint64_t>(WeftNow()));
        Mix(static_cast<uint64_t>(p.sent));
        Mix(static_cast<uint64_t>(p.qp) << 32 | p.psn);
        Mix(static_cast<uint64_t>(p.src) << 32 | p.dst);
        Mix(static_cast<uint64_t>(p.bytes) << 32 | static_cast<uint64_t>(p.kind) << 24 |
            static_cast<uint64_t>(p.flags) << 16 | static_cast<uint64_t>(p.hops) << 8 | p.tclass);
    }

    void AddPause(uint32_t port, uint32_t tclass, bool pause)
    {
        Mix(static_cast<uint64_t>(WeftNow()));
        Mix(static_cast<uint64_t>(port) << 8 | tclass << 1 | (pause ? 1 : 0));
    }

    uint64_t m_hash{0};  //!< of everything so far
    uint64_t m_count{0}; //!< frames
};

/** Has the next simulation use a scheduler. */
void
UseScheduler(const std::string& name)
{
    ObjectFactory factory;
    factory.SetTypeId("ns3::" + name);
    Simulator::SetScheduler(factory);
}

/** The same run, twice, under every scheduler, and watched; and another one for another seed. */
class RepeatTestCase : public TestCase
{
  public:
    explicit RepeatTestCase(const std::string& balancer)
        : TestCase("the same seed gives the same run under " + balancer),
          m_balancer(balancer)
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

    uint64_t Run(const std::string& scheduler, uint64_t seed, bool watched)
    {
        UseScheduler(scheduler);
        WeftRigSetup setup;
        setup.balancer = m_balancer;
        setup.cc = "dcqcn t-i=20us r-ai=1Gbps";
        setup.transport = "nic-sr rto=100us";
        setup.frames = "roce first-psn=-1 ack-every=2";
        setup.buffer = "shared-buffer preset=100g buffer=400KB alpha=0.25 kmin=20KB kmax=80KB";
        setup.seed = seed;
        WeftRig rig(setup);
        Digest digest;
        digest.Connect(rig);
        rig.fabric->SetLossProbability(0.001);
        rig.fabric->ScheduleFailure(10, MicroSeconds(30), MicroSeconds(200));
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
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 14, scheduler << ": all messages");
        NS_TEST_EXPECT_MSG_GT(digest.GetCount(), 4000, scheduler << ": frames seen");
        NS_TEST_EXPECT_MSG_GT(rig.GetTotals().pauses, 0, scheduler << ": pauses");
        return digest.Get();
    }

    void DoRun() override
    {
        const uint64_t expected = Run("MapScheduler", 1, false);
        for (const char* scheduler : {"MapScheduler",
                                      "HeapScheduler",
                                      "CalendarScheduler",
                                      "PriorityQueueScheduler",
                                      "LaneScheduler"})
        {
            NS_TEST_EXPECT_MSG_EQ(Run(scheduler, 1, false), expected, scheduler);
        }
        NS_TEST_EXPECT_MSG_EQ(Run("LaneScheduler", 1, true), expected, "watched");
        NS_TEST_EXPECT_MSG_NE(Run("MapScheduler", 2, false), expected, "another seed");
    }

    std::string m_balancer; //!< under test
};

/** In steady state neither a packet nor a hop allocates memory. */
class AllocationTestCase : public TestCase
{
  public:
    explicit AllocationTestCase(const std::string& balancer)
        : TestCase("nothing is allocated per packet-hop under " + balancer),
          m_balancer(balancer)
    {
    }

  private:
    /** What is read at one time. */
    struct Reading
    {
        uint64_t allocations{0}; //!< so far
        uint64_t hops{0};        //!< so far
    };

    static void Read(WeftRig* rig, Reading* reading)
    {
        reading->allocations = WeftAllocationCount();
        reading->hops = rig->fabric->GetCounters().hops;
    }

    void DoRun() override
    {
        const uint64_t before = WeftAllocationCount();
        const std::function<void()> seen = [this, before, big = std::vector<int>(100)]() {};
        if (WeftAllocationCount() == before)
        {
            return; // another operator new is in the way: nothing can be counted
        }
        UseScheduler("LaneScheduler");
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps";
        setup.balancer = m_balancer;
        setup.cc = "dcqcn";
        setup.buffer = "shared-buffer preset=100g kmin=20KB kmax=80KB";
        WeftRig rig(setup);
        auto job = rig.helper.InstallWorkload("permutation bytes=8MB");
        Reading warm;
        Reading late;
        Simulator::Schedule(MicroSeconds(200), &AllocationTestCase::Read, &rig, &warm);
        Simulator::Schedule(MicroSeconds(600), &AllocationTestCase::Read, &rig, &late);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "the job is done");
        NS_TEST_EXPECT_MSG_GT(late.hops - warm.hops, 100000, "packet-hops between the readings");
        NS_TEST_EXPECT_MSG_EQ(late.allocations - warm.allocations, 0, "allocations between them");
    }

    std::string m_balancer; //!< under test
};

class WeftDeterminismTestSuite : public TestSuite
{
  public:
    WeftDeterminismTestSuite()
        : TestSuite("weft-determinism", Type::UNIT)
    {
        for (const char* balancer : {"ecmp", "rsq", "ar", "themis"})
        {
            AddTestCase(new RepeatTestCase(balancer));
            AddTestCase(new AllocationTestCase(balancer));
        }
    }
};

WeftDeterminismTestSuite g_weftDeterminismTestSuite; //!< registers the suite

} // namespace
