// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * ConWeave in a whole fabric. Were packets held back wrongly, NICs would see them out of order, or
 * wait for ever for what lies in a ToR; were they forgotten, the books would not balance.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/test.h"

#include <string>
#include <weft/lb.h>

using namespace ns3;

namespace
{

/** Outcome of a run. */
struct ConweaveOutcome
{
    WeftRigTotals t;       //!< totals
    weft_lb_counters lb{}; //!< of all ToRs
    std::string audit;     //!< of the books
    uint64_t delivered{0}; //!< messages
    int64_t end{0};        //!< last delivery, ps
};

/** @param topology shape @param balancer ConWeave and its parameters @param buffer of switches
 *  @return a run in which every host sends a long message to another ToR's */
ConweaveOutcome
RunConweave(const std::string& topology, const std::string& balancer, const std::string& buffer)
{
    WeftRigSetup setup;
    setup.topology = topology;
    setup.balancer = balancer;
    setup.cc = "dcqcn";
    setup.buffer = buffer;
    WeftRig rig(setup);
    const uint32_t hosts = rig.fabric->GetNHosts();
    for (uint32_t h = 0; h < hosts; h++)
    {
        rig.Send(h,
                 (h * 5 + hosts / 2 + 1) % hosts == h ? (h + hosts / 2) % hosts
                                                      : (h * 5 + hosts / 2 + 1) % hosts,
                 1000000);
    }
    Simulator::Run();
    ConweaveOutcome o;
    o.t = rig.GetTotals();
    o.lb = rig.GetLbCounters();
    o.audit = rig.Audit();
    o.delivered = rig.delivered;
    o.end = rig.lastDelivered;
    return o;
}

const std::string LEAF_SPINE = "leaf-spine leaves=4 spines=4 hosts-per-leaf=8 link-rate=100Gbps";
const std::string FAT_TREE = "fat-tree k=4 tiers=3 link-rate=100Gbps";
const std::string ROOMY = "shared-buffer buffer=1GB pfc=off ecn=on kmin=20KB kmax=200KB pmax=0.1";

/** The promise: paths change, and no NIC notices. */
class InOrderTestCase : public TestCase
{
  public:
    explicit InOrderTestCase(const std::string& topology)
        : TestCase("QPs change their paths and no NIC sees a packet out of order, " + topology),
          m_topology(topology)
    {
    }

  private:
    void DoRun() override
    {
        const std::string patient = "conweave extra-flush=1s default-wait=1s";
        const ConweaveOutcome o = RunConweave(m_topology, patient, ROOMY);
        NS_TEST_EXPECT_MSG_GT(o.lb.reroutes, 20, "paths change");
        NS_TEST_EXPECT_MSG_GT(o.lb.held, 100, "packets by the new path are early");
        NS_TEST_EXPECT_MSG_GT(o.lb.notices, 100, "congestion is told of");
        NS_TEST_EXPECT_MSG_EQ(o.lb.flushed, 0, "every TAIL comes");
        NS_TEST_EXPECT_MSG_EQ(o.t.outOfOrder, 0, "and nothing is out of order");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, 0, "so nothing is sent again");
        NS_TEST_EXPECT_MSG_EQ(o.audit, "", "the books balance");

        const WeftSimulatorChoice choice("DefaultSimulatorImpl", "HeapScheduler");
        const ConweaveOutcome same = RunConweave(m_topology, patient, ROOMY);
        NS_TEST_EXPECT_MSG_EQ(same.end, o.end, "under ns-3's own simulator: the end");
        NS_TEST_EXPECT_MSG_EQ(same.lb.held, o.lb.held, "what was held");
    }

    std::string m_topology; //!< shape
};

/** Timers that fire too soon: order is lost, packets are not. */
class ImpatientTestCase : public TestCase
{
  public:
    ImpatientTestCase()
        : TestCase("what is flushed too early arrives out of order, and all of it arrives")
    {
    }

  private:
    void DoRun() override
    {
        const ConweaveOutcome o =
            RunConweave(LEAF_SPINE, "conweave extra-flush=0ps default-wait=0ps", ROOMY);
        NS_TEST_EXPECT_MSG_GT(o.lb.flushed, 10, "queues are flushed by their timers");
        NS_TEST_EXPECT_MSG_GT(o.t.outOfOrder, 10, "and packets of the old path come late");
        NS_TEST_EXPECT_MSG_EQ(o.delivered, 32, "every message arrives");
        NS_TEST_EXPECT_MSG_EQ(o.audit, "", "the books balance");
    }
};

/** Reorder queues run out. */
class FewQueuesTestCase : public TestCase
{
  public:
    FewQueuesTestCase()
        : TestCase("a host's port without a free queue lets packets pass")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = LEAF_SPINE;
        setup.balancer = "conweave queues=1 extra-flush=1s default-wait=1s";
        setup.buffer = ROOMY;
        WeftRig rig(setup);
        for (uint32_t h = 8; h < 32; h++)
        {
            rig.Send(h, h % 2, 1000000);
        }
        Simulator::Run();
        const weft_lb_counters lb = rig.GetLbCounters();
        NS_TEST_EXPECT_MSG_GT(lb.full, 10, "queues run out");
        NS_TEST_EXPECT_MSG_LT(lb.queues, 3, "two hosts' ports have one each");
        NS_TEST_EXPECT_MSG_GT(rig.GetTotals().outOfOrder, 0, "what passes is out of order");
        NS_TEST_EXPECT_MSG_EQ(rig.delivered, 24, "every message arrives");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }
};

/** Packets that are held take their room in the buffer: PFC pauses for them, none is lost. */
class HeldIsBufferedTestCase : public TestCase
{
  public:
    HeldIsBufferedTestCase()
        : TestCase("packets that are held count in the buffer, and PFC keeps it from overflowing")
    {
    }

  private:
    void DoRun() override
    {
        const ConweaveOutcome o = RunConweave(LEAF_SPINE,
                                              "conweave",
                                              "shared-buffer buffer=3MB alpha=0.5 pfc=on "
                                              "headroom=100KB ecn=on kmin=50KB kmax=200KB "
                                              "pmax=0.1");
        NS_TEST_EXPECT_MSG_GT(o.lb.held, 100, "packets are held");
        NS_TEST_EXPECT_MSG_GT(o.t.pauses, 0, "neighbours are paused");
        NS_TEST_EXPECT_MSG_EQ(o.t.drops, 0, "nothing is dropped");
        NS_TEST_EXPECT_MSG_EQ(o.delivered, 32, "every message arrives");
        NS_TEST_EXPECT_MSG_EQ(o.audit, "", "the books balance");
    }
};

/** Replies that carried the data's path would be sent by it, and not by ECMP. */
class RepliesTestCase : public TestCase
{
  public:
    RepliesTestCase()
        : TestCase("replies carry nothing of the data's path")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = LEAF_SPINE;
        setup.balancer = "conweave";
        WeftRig rig(setup);
        rig.fabric->GetNic(0)->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&RepliesTestCase::See, this));
        rig.Send(0, 31, 100000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_replies, 50, "replies come");
        NS_TEST_EXPECT_MSG_EQ(m_tagged, 0, "and are plain");
    }

    void See(const weft_packet& p)
    {
        m_replies++;
        m_tagged += (p.meta[0] | p.meta[1] | p.meta[2]) != 0;
    }

    uint32_t m_replies{0}; //!< seen
    uint32_t m_tagged{0};  //!< with something in meta
};

/** A simulation that is stopped while packets are held and their timer runs. */
class StoppedTestCase : public TestCase
{
  public:
    StoppedTestCase()
        : TestCase("a run may end while packets are held back")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& simulator : WeftSimulators())
        {
            const WeftSimulatorChoice choice(simulator, "MapScheduler");
            WeftRigSetup setup;
            setup.topology = LEAF_SPINE;
            setup.balancer = "conweave extra-flush=1s default-wait=1s";
            setup.buffer = ROOMY;
            WeftRig rig(setup);
            for (uint32_t h = 8; h < 32; h++)
            {
                rig.Send(h, h % 2, 1000000);
            }
            Simulator::Stop(MicroSeconds(200));
            Simulator::Run();
            const weft_lb_counters lb = rig.GetLbCounters();
            NS_TEST_EXPECT_MSG_GT(lb.held, 0, "packets are held");
            NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        }
    }
};

class WeftConweaveTestSuite : public TestSuite
{
  public:
    WeftConweaveTestSuite()
        : TestSuite("weft-conweave", Type::UNIT)
    {
        AddTestCase(new InOrderTestCase(LEAF_SPINE));
        AddTestCase(new InOrderTestCase(FAT_TREE));
        AddTestCase(new ImpatientTestCase);
        AddTestCase(new FewQueuesTestCase);
        AddTestCase(new HeldIsBufferedTestCase);
        AddTestCase(new RepliesTestCase);
        AddTestCase(new StoppedTestCase);
    }
};

WeftConweaveTestSuite g_weftConweaveTestSuite; //!< registers the suite

} // namespace
