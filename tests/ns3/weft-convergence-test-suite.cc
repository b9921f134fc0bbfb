// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * How soon routing knows of a failure, and what senders are told of it. A user who compares
 * balancers under failures must know what was lost to slow convergence.
 */
#include "weft-slow-suite.h"
#include "weft-test-rig.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/weft-collective.h"

using namespace ns3;

namespace
{

/** @return a fat-tree of four pods of four hosts */
WeftRigSetup
FourPods(const std::string& balancer, const std::string& cc)
{
    WeftRigSetup setup;
    setup.topology = "fat-tree k=4 link-rate=100Gbps link-delay=500ns";
    setup.balancer = balancer;
    setup.transport = "ideal rto=50us";
    setup.cc = cc;
    return setup;
}

/** @return the link from aggregation 0 of the last pod to its first core */
uint64_t
CoreLink(const WeftRig& rig)
{
    return rig.fabric->GetClos().nlinks - 4;
}

/** Two links are dead from the start. */
class DelayTestCase : public TestCase
{
  public:
    DelayTestCase(const std::string& balancer, bool weights)
        : TestCase("what is lost under " + balancer + (weights ? ", weighted" : ", unweighted") +
                   ", ends with the convergence delay"),
          m_balancer(balancer),
          m_weights(weights)
    {
    }

  private:
    void Read(WeftRig* rig)
    {
        m_lost.push_back(rig->fabric->GetCounters().lost[WeftFabric::DROP_LINK]);
    }

    /** Losses 15 us, 30 us and 45 us after the start, and at the end. */
    void RunWith(Time delay)
    {
        m_lost.clear();
        WeftRig rig(FourPods(m_balancer, "none"));
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(delay));
        rig.fabric->SetAttribute("ConvergenceWeights", BooleanValue(m_weights));
        rig.fabric->ScheduleFailure(CoreLink(rig), Time(0), Time::Max());
        rig.fabric->ScheduleFailure(rig.FindLink(0, 8), Time(0), Time::Max());
        rig.SendAll(4, 500 * 1452);
        rig.SendAll(8, 500 * 1452);
        for (const uint64_t us : {15, 30, 45})
        {
            Simulator::Schedule(MicroSeconds(us), &DelayTestCase::Read, this, &rig);
        }
        Simulator::Run();
        Read(&rig);
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void DoRun() override
    {
        RunWith(Time(0));
        NS_TEST_EXPECT_MSG_EQ(m_lost.back(), 0, "routes have converged before the start");
        RunWith(MicroSeconds(15));
        NS_TEST_EXPECT_MSG_GT(m_lost[0], 0, "the failures are not known yet");
        NS_TEST_EXPECT_MSG_EQ(m_lost.back(), m_lost[1], "they are, and what was queued is gone");
        RunWith(Time::Max());
        NS_TEST_EXPECT_MSG_GT(m_lost[1], m_lost[0], "never known, 30 us");
        NS_TEST_EXPECT_MSG_GT(m_lost[2], m_lost[1], "never known, 45 us");
    }

    std::string m_balancer;       //!< balancer
    bool m_weights;               //!< W-ECMP
    std::vector<uint64_t> m_lost; //!< frames lost on dead links, in order of time
};

/** With the core link dead three paths lead from pod 0 to pod 3; all get as much. */
class WeightsTestCase : public TestCase
{
  public:
    WeightsTestCase()
        : TestCase("spraying loads live paths evenly with weights, and live ports without")
    {
    }

  private:
    /** @return the part of ToR 0's frames to pod 3 that go by aggregation 0 */
    double PartByFirst(bool weights)
    {
        WeftRig rig(FourPods("rsq", "none"));
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Time(0)));
        rig.fabric->SetAttribute("ConvergenceWeights", BooleanValue(weights));
        rig.fabric->ScheduleFailure(CoreLink(rig), Time(0), Time::Max());
        rig.Send(0, 12, 3000 * 1452);
        Simulator::Run();
        const auto first = static_cast<double>(rig.fabric->GetSwitch(0)->GetPort(2)->GetFrames());
        const auto second = static_cast<double>(rig.fabric->GetSwitch(0)->GetPort(3)->GetFrames());
        return first / (first + second);
    }

    /** @return the same while the link to that aggregation has a quarter of its rate @param repair
     * until when */
    double PartByDegraded(bool capacity, Time repair)
    {
        WeftRig rig(FourPods("rsq", "none"));
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Time(0)));
        rig.fabric->SetAttribute("ConvergenceCapacity", BooleanValue(capacity));
        rig.fabric->ScheduleDegradation(rig.FindLink(0, 8), 25000000000, Time(0), repair);
        rig.Send(0, 12, 3000 * 1452);
        Simulator::Run();
        const auto first = static_cast<double>(rig.fabric->GetSwitch(0)->GetPort(2)->GetFrames());
        const auto second = static_cast<double>(rig.fabric->GetSwitch(0)->GetPort(3)->GetFrames());
        return first / (first + second);
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(PartByFirst(true), 1.0 / 3, 0.04, "one path of three");
        NS_TEST_EXPECT_MSG_EQ_TOL(PartByFirst(false), 1.0 / 2, 0.04, "one port of two");
        const Time never = Time::Max();
        NS_TEST_EXPECT_MSG_EQ_TOL(PartByDegraded(true, never), 1.0 / 5, 0.04, "25 of 125 Gbit/s");
        NS_TEST_EXPECT_MSG_EQ_TOL(PartByDegraded(false, never), 1.0 / 2, 0.04, "unknown to it");
        NS_TEST_EXPECT_MSG_EQ_TOL(PartByDegraded(true, NanoSeconds(1)), 1.0 / 2, 0.04, "repaired");
    }
};

/** The control `ideal` under an all-to-all. */
class IdealTestCase : public TestCase
{
  public:
    IdealTestCase()
        : TestCase("ideal senders share what the fabric can serve, and line rate when all is well")
    {
    }

  private:
    /** Result of a run. */
    struct Result
    {
        double rhoMax{1};   //!< as the fabric has it
        double rate{0};     //!< of the first QP, bit/s
        double perHost{0};  //!< wire rate of each sender's data until the last delivery, bit/s
        int64_t end{0};     //!< last delivery, ps
        uint64_t hops{0};   //!< links crossed
        uint64_t events{0}; //!< executed
    };

    Result RunWith(const std::string& cc, bool dead)
    {
        WeftRigSetup setup = FourPods("rsq", cc);
        setup.frames = "roce ack-priority=ideal";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Time(0)));
        if (dead)
        {
            rig.fabric->ScheduleFailure(CoreLink(rig), Time(0), Time::Max());
        }
        auto work = CreateObject<WeftCollective>();
        work->SetAttribute("Workload", StringValue("alltoall bytes=3200000B"));
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(work->Install(rig.fabric, error), true, error);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals().resent, 0, "nothing is lost");
        Result r;
        r.rhoMax = rig.fabric->GetRhoMax();
        r.rate = rig.fabric->GetQp(0)->last_rate;
        r.end = work->GetCompletionTime().GetTimeStep();
        r.hops = rig.fabric->GetCounters().hops;
        r.events = Simulator::GetEventCount();
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            const WeftQp* qp = rig.fabric->GetQp(i);
            const uint64_t gaps = qp->posted * rig.fabric->GetFrameConfig().gap;
            r.perHost += static_cast<double>(qp->sent_bytes + gaps) * 8e12 / 16;
        }
        r.perHost /= static_cast<double>(r.end);
        return r;
    }

    /** @return the share with a core link down from a time on, until another */
    double ShareWithout(Time from, Time to)
    {
        WeftRig rig(FourPods("rsq", "ideal"));
        rig.fabric->ScheduleFailure(CoreLink(rig), from, to);
        std::vector<weft_flow> flows;
        for (uint32_t src = 0; src < 16; src++)
        {
            for (uint32_t dst = 0; dst < 16; dst++)
            {
                flows.push_back({src, src == dst ? (src + 1) % 16 : dst});
            }
        }
        rig.fabric->SetFlows(flows);
        return rig.fabric->GetRhoMax();
    }

    void DoRun() override
    {
        // Only what lasts from the start to the end is what the senders share.
        NS_TEST_EXPECT_MSG_LT(ShareWithout(Time(0), Time::Max()), 1, "it lasts");
        NS_TEST_EXPECT_MSG_EQ(ShareWithout(Time(0), MicroSeconds(9)), 1, "it is repaired");
        NS_TEST_EXPECT_MSG_EQ(ShareWithout(MicroSeconds(9), Time::Max()), 1, "it comes later");
        const Result path = RunWith("ideal", true);
        NS_TEST_EXPECT_MSG_EQ_TOL(path.rhoMax, 15.0 / 18, 1e-9, "by path");
        NS_TEST_EXPECT_MSG_EQ_TOL(path.rate, 1e11 * 15 / 18, 1, "the rate in force");
        NS_TEST_EXPECT_MSG_EQ_TOL(path.perHost, 1e11 * 15 / 18, 4e9, "a host's, not each QP's");
        const Result hop = RunWith("ideal split=hop", true);
        NS_TEST_EXPECT_MSG_EQ_TOL(hop.rhoMax, 15.0 / 24, 1e-9, "by hop");
        NS_TEST_EXPECT_MSG_EQ_TOL(hop.perHost, 1e11 * 15 / 24, 2e9, "by hop");
        NS_TEST_EXPECT_MSG_EQ_TOL(RunWith("none", true).rhoMax, 15.0 / 18, 1e-9, "for all to see");
        const Result ideal = RunWith("ideal", false);
        const Result none = RunWith("none", false);
        NS_TEST_EXPECT_MSG_EQ(ideal.rhoMax, 1, "healthy");
        NS_TEST_EXPECT_MSG_EQ(ideal.end, none.end, "at a share of 1 it is line rate: end");
        NS_TEST_EXPECT_MSG_EQ(ideal.hops, none.hops, "at a share of 1 it is line rate: hops");
        NS_TEST_EXPECT_MSG_EQ(ideal.events, none.events, "at a share of 1 it is line rate: events");
    }
};

class WeftConvergenceTestSuite : public WeftSlowSuite
{
  public:
    WeftConvergenceTestSuite()
        : WeftSlowSuite("weft-convergence", Type::UNIT)
    {
        for (const std::string balancer : {"ops", "rsq", "ecmp", "host-dr"})
        {
            AddSlow(new DelayTestCase(balancer, true));
            AddSlow(new DelayTestCase(balancer, false));
        }
        AddTestCase(new WeightsTestCase);
        AddTestCase(new IdealTestCase);
    }
};

WeftConvergenceTestSuite g_weftConvergenceTestSuite; //!< registers the suite

} // namespace
