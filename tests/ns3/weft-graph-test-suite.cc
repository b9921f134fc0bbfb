// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Fabrics that are graphs. A user who brings a topology of another simulator must get that fabric:
 * its links at their rates, its shortest ways, all of the equal ones.
 */
#include "weft-test-rig.h"

#include "ns3/node-container.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <string>

using namespace ns3;

namespace
{

constexpr int64_t GBPS = 1000000000; //!< bit/s

/** @param topology a Clos @return the same, link by link */
WeftRigSetup
CopyOf(const std::string& topology)
{
    WeftRigSetup setup;
    setup.topology = topology;
    WeftRig rig(setup);
    const weft_clos& clos = rig.fabric->GetClos();
    setup.hosts = clos.nhosts;
    setup.switches = clos.nswitches;
    for (uint64_t i = 0; i < clos.nlinks; i++)
    {
        const weft_link link = rig.fabric->GetLink(i);
        setup.links.push_back({link.lower.index + (link.lower.is_host ? 0 : clos.nhosts),
                               link.upper.index + clos.nhosts,
                               link.rate,
                               link.delay,
                               false});
    }
    return setup;
}

/** Switches and links behave the same, whether they are known as a Clos or not. */
class TwinTestCase : public TestCase
{
  public:
    TwinTestCase()
        : TestCase("a Clos given as a graph gives the results of the Clos, to the picosecond")
    {
    }

  private:
    /** @param setup of a fabric @return what came of an incast and of a shift */
    std::string Measure(const WeftRigSetup& setup)
    {
        WeftRig rig(setup);
        rig.SendAll(5, 300000);
        rig.SendIncast(50000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        const WeftCounters& c = rig.fabric->GetCounters();
        return std::to_string(rig.lastAcked) + " ps, " + std::to_string(c.hops) + " hops, " +
               std::to_string(c.lost_bytes) + " bytes lost, " + std::to_string(rig.acked) + " done";
    }

    void DoRun() override
    {
        for (const char* topology : {"leaf-spine leaves=4 spines=3 hosts-per-leaf=4 parallel=2",
                                     "fat-tree k=4 hosts-per-edge=4",
                                     "clos preset=fast-cores"})
        {
            const WeftRigSetup graph = CopyOf(topology);
            for (const char* balancer : {"ecmp", "jsq", "drill", "simple-rr", "plb"})
            {
                WeftRigSetup setup = graph;
                setup.balancer = balancer;
                const std::string copied = Measure(setup);
                setup.hosts = 0;
                NS_TEST_EXPECT_MSG_EQ(copied, Measure(setup), topology << ", " << balancer);
            }
        }
    }
};

/** A ring of four switches, a host at each, links of unlike rates. */
class RingTestCase : public TestCase
{
  public:
    RingTestCase()
        : TestCase("each link has its own rate and delay, and a dead one is gone round")
    {
    }

  private:
    static WeftRigSetup Ring()
    {
        WeftRigSetup setup;
        setup.hosts = setup.switches = 4;
        for (uint32_t i = 0; i < 4; i++)
        {
            setup.links.push_back({4 + i, i, 100 * GBPS, 1000000, false});
            setup.links.push_back(
                {4 + i, 4 + (i + 1) % 4, (i + 1) * 50 * GBPS, (i + 1) * 1000, false});
        }
        return setup;
    }

    /** @param at when the link between the switches of hosts 0 and 1 fails, or Time::Max() */
    void Check(uint32_t dst, int64_t expected, bool fails)
    {
        WeftRig rig(Ring());
        if (fails)
        {
            rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Seconds(0)));
            rig.fabric->ScheduleFailure(rig.FindLink(0, 1), Seconds(0), Time::Max());
        }
        Simulator::Schedule(NanoSeconds(1), &WeftRig::Send, &rig, 0U, dst, 1452U);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered - 1000, expected, "to host " << dst);
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    /** @param bytes of a message to host 1, sent at 1 ns @param expected when it is there, less
     * that
     * @param at when the link on its way gets half its rate @param repair until when */
    void CheckDegraded(uint64_t bytes, int64_t expected, Time at, Time repair)
    {
        WeftRig rig(Ring());
        const uint64_t link = rig.FindLink(0, 1);
        rig.fabric->ScheduleDegradation(link, 25 * GBPS, at, repair);
        Simulator::Schedule(NanoSeconds(1), &WeftRig::Send, &rig, 0U, 1U, bytes);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered - 1000, expected, "degraded at " << at);
        const bool back = repair != Time::Max();
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetSwitch(0)->GetPort(1)->GetRate(),
                              (back ? 50 : 25) * GBPS,
                              "as a balancer sees it");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        rig.fabric->SetFlows({{0, 1}, {2, 3}});
        NS_TEST_EXPECT_MSG_EQ_TOL(rig.fabric->GetRhoMax(),
                                  (back || at.IsStrictlyPositive() ? 0.5 : 0.25),
                                  1e-12,
                                  "what hosts may send at");
    }

    /** The link of host 0 at a quarter of its rate. @param src sender @param dst receiver */
    void CheckSlowHost(uint32_t src, uint32_t dst)
    {
        WeftRig rig(Ring());
        rig.fabric->ScheduleDegradation(0, 25 * GBPS, Seconds(0), Time::Max());
        Simulator::Schedule(NanoSeconds(1), &WeftRig::Send, &rig, src, dst, 1452U);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered - 1000,
                              2 * 1120000 + 241000 + 360000,
                              "from " << src << " by a host's slow link");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        rig.fabric->SetFlows({{src, dst}, {2, 3}});
        NS_TEST_EXPECT_MSG_EQ_TOL(rig.fabric->GetRhoMax(), 0.25, 1e-12, "what hosts may send at");
    }

    /** A packet that is dropped at the top, where there is none. */
    void CheckDrop()
    {
        WeftRig rig(Ring());
        rig.fabric->AddDrop(0, 0, 1, WeftFabric::DROP_AT_TOP);
        rig.Send(0, 2, 1452);
        Simulator::Run();
        const auto frames = [&rig](uint32_t sw, uint32_t port) {
            return rig.fabric->GetSwitch(sw)->GetPort(port)->GetFrames();
        };
        NS_TEST_EXPECT_MSG_EQ(frames(1, 2) + frames(3, 1), 2, "twice to the last switch");
        NS_TEST_EXPECT_MSG_EQ(frames(2, 0), 1, "once beyond it");
        NS_TEST_EXPECT_MSG_EQ(rig.delivered, 1, "it is sent again");
    }

    void DoRun() override
    {
        CheckSlowHost(0, 1);
        CheckSlowHost(1, 0);
        CheckDrop();
        // 1500 bytes: 120,000 ps at 100 Gbps. The links between switches: 240,000 at 50, then
        // 120,000, 80,000 and 60,000 at 200 Gbps, and 1, 2, 3 and 4 ns.
        const int64_t hosts = 2 * 1120000;
        Check(1, hosts + 241000, false);
        Check(3, hosts + 64000, false);
        Check(1, hosts + 64000 + 83000 + 122000, true);
        Check(3, hosts + 64000, true);
        CheckDegraded(1452, hosts + 481000, Seconds(0), Time::Max());
        // The first of two frames is on the wire when the rate changes and keeps its time; with its
        // gap the wire is free at 1,363,200 ps.
        const int64_t late = 1363200 + 480000 + 1000 + 1120000;
        CheckDegraded(2904, late, PicoSeconds(1201000), Time::Max());
        // The second one as well, and a third one follows it at the old rate.
        const int64_t back = 1363200 + 480000 + 6400 + 240000 + 1000 + 1120000;
        CheckDegraded(4356, back, PicoSeconds(1201000), PicoSeconds(1500000));
    }
};

/** Balancers that cannot work on a graph, and links that make none, are refused with a reason. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("a balancer that needs a Clos says so; links that make no fabric are named")
    {
    }

  private:
    std::string Build(const std::string& balancer)
    {
        auto fabric = CreateObject<WeftFabric>();
        std::string error;
        const bool sound = fabric->SetGraph(2,
                                            2,
                                            {{0, 2, 100 * GBPS, 0, false},
                                             {1, 3, 100 * GBPS, 0, false},
                                             {2, 3, 100 * GBPS, 0, false}},
                                            error);
        NS_TEST_EXPECT_MSG_EQ(sound, true, error);
        fabric->SetAttribute("Balancer", StringValue(balancer));
        NodeContainer hosts(2);
        NodeContainer switches(2);
        return fabric->Build(hosts, switches, error) ? "" : error;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Build("ecmp"), "", "ECMP works on any graph");
        for (const char* balancer : {"ofan", "themis", "host-dr", "ethereal", "letflow", "pro"})
        {
            const std::string said = Build(balancer);
            NS_TEST_EXPECT_MSG_NE(said.find("it needs a Clos"), std::string::npos, said);
            NS_TEST_EXPECT_MSG_NE(said.find(balancer), std::string::npos, said);
        }
        auto fabric = CreateObject<WeftFabric>();
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(
            fabric->SetGraph(2, 1, {{0, 2, 100 * GBPS, 0, false}, {0, 2, 1, 0, false}}, error),
            false,
            "a rate of 1 bit/s");
        NS_TEST_EXPECT_MSG_NE(error.find("link 1: the link's rate"), std::string::npos, error);
        fabric->SetAttribute("Topology", StringValue("graph"));
        weft_clos shape;
        NS_TEST_EXPECT_MSG_EQ(fabric->GetShape(&shape, error), false, "no links");
        NS_TEST_EXPECT_MSG_NE(error.find("SetGraph"), std::string::npos, error);
        Simulator::Destroy();
    }
};

class WeftGraphTestSuite : public TestSuite
{
  public:
    WeftGraphTestSuite()
        : TestSuite("weft-graph", Type::UNIT)
    {
        AddTestCase(new TwinTestCase);
        AddTestCase(new RingTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

WeftGraphTestSuite g_weftGraphTestSuite; //!< registers the suite

} // namespace
