// SPDX-License-Identifier: GPL-2.0-only
// A user would lose Ethereal in a fabric: uplinks that do not get equal shares, ACKs on other links
// than the data's, or flows that stay on a dead path and plans that use it again.
#include "weft-test-rig.h"

#include "ns3/test.h"

#include <algorithm>
#include <sstream>
#include <weft/plan.h>

using namespace ns3;

namespace
{

constexpr const char* FOUR_PATHS = "leaf-spine leaves=2 spines=4 hosts-per-leaf=2 "
                                   "link-rate=100Gbps";

/** @param balancer its text @return a fabric of four paths with go-back-N */
WeftRigSetup
FourPaths(const std::string& balancer)
{
    WeftRigSetup setup;
    setup.topology = FOUR_PATHS;
    setup.balancer = balancer;
    setup.transport = "gbn";
    return setup;
}

/** A lone message is divided by four, and each part takes an uplink of its own. */
class EqualSharesTestCase : public TestCase
{
  public:
    EqualSharesTestCase()
        : TestCase("a message goes out in as many equal parts as there are paths, all in order")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(FourPaths("ethereal"));
        WeftConnection* c = rig.fabric->Connect(0, 2, &rig);
        const auto payload = static_cast<uint64_t>(rig.fabric->GetFrameConfig().payload);
        rig.fabric->PostMessages(0, {{c, 400 * payload, 0}});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetNQps(), 4, "QPs");
        for (uint32_t i = 0; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetQp(i)->una, 100, "packets of QP " << i);
        }
        const WeftRigTotals totals = rig.GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.outOfOrder, 0, "each part keeps to its path");
        NS_TEST_EXPECT_MSG_EQ(totals.resent, 0, "nothing is sent again");
        NS_TEST_EXPECT_MSG_EQ(rig.delivered, 1, "delivered, once");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "conservation");
    }
};

/** A link dies and routing does not hear of it. */
class DeadPathTestCase : public TestCase
{
  public:
    DeadPathTestCase()
        : TestCase("a flow leaves a dead path at its first timeout, and plans shun the path")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(FourPaths("ethereal shun=10ms"));
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Seconds(10)));
        rig.fabric->ScheduleFailure(rig.FindLink(1, 2), Time(0), Time::Max());
        WeftConnection* c = rig.fabric->Connect(0, 2, &rig);
        const uint64_t expected[] = {1, 1, 2};          // timeouts in all, after each message
        const int64_t times[] = {0, 5000000, 30000000}; // ns: the timer of 1 ms, that of 10 ms
        for (uint32_t i = 0; i < 3; i++)
        {
            Simulator::Schedule(NanoSeconds(times[i]) - Simulator::Now(), [&rig, c, i] {
                rig.fabric->PostMessages(0, {{c, 1200000, i}});
            });
            Simulator::Stop(NanoSeconds(times[i]) + MilliSeconds(4) - Simulator::Now());
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(rig.delivered, i + 1, "messages delivered");
            NS_TEST_EXPECT_MSG_EQ(rig.GetTotals().timeouts, expected[i], "after message " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(rig.failed, 0, "none is given up");
    }
};

/** Names of QPs do not tell which host is run first, nor by which thread. */
class NumbersTestCase : public TestCase
{
  public:
    NumbersTestCase()
        : TestCase("QPs have numbers by connection and part, whoever is watched, on any threads")
    {
    }

  private:
    /** @param threads how many @param watched a host, or none @return all of each QP that was made
     */
    static std::string Describe(uint32_t threads, uint32_t watched)
    {
        WeftHelper helper;
        helper.SetTopology("leaf-spine leaves=4 spines=4 hosts-per-leaf=3");
        helper.SetBalancer("ethereal");
        helper.SetTransport("gbn");
        helper.SetFabricAttribute("Threads", UintegerValue(threads));
        helper.Install();
        Ptr<WeftFabric> fabric = helper.GetFabric();
        Ptr<WeftCollective> work = helper.InstallWorkload("alltoall bytes=100KB");
        const uint32_t connections = fabric->GetNHosts() * (fabric->GetNHosts() - 1);
        if (watched < fabric->GetNHosts())
        {
            fabric->Watch(watched);
        }
        Simulator::Run();
        std::ostringstream text;
        text << work->GetCompletionTime() << "\n";
        for (uint32_t i = 0; i < fabric->GetNQps(); i++)
        {
            const WeftQp* qp = fabric->GetQp(i);
            const WeftQp* first = i < connections ? work->GetConnection(i)->GetQp(0) : qp;
            if (qp && first == qp)
            {
                text << qp->index << " " << qp->src << " " << qp->dst << " " << qp->sport << " "
                     << qp->una << " " << qp->first_sent << " " << qp->last_delivery << "\n";
            }
        }
        Simulator::Destroy();
        return text.str();
    }

    void DoRun() override
    {
        const std::string one = Describe(1, 99);
        const auto lines = std::count(one.begin(), one.end(), '\n');
        NS_TEST_EXPECT_MSG_GT(lines, 1 + 12 * 11, "those of the workload come first, then more");
        NS_TEST_EXPECT_MSG_EQ(Describe(1, 11), one, "one is watched");
        NS_TEST_EXPECT_MSG_EQ(Describe(3, 99), one, "three threads");
        NS_TEST_EXPECT_MSG_EQ(Describe(3, 7), one, "both");
    }
};

class WeftEtherealTestSuite : public TestSuite
{
  public:
    WeftEtherealTestSuite()
        : TestSuite("weft-ethereal", Type::UNIT)
    {
        AddTestCase(new EqualSharesTestCase);
        AddTestCase(new DeadPathTestCase);
        AddTestCase(new NumbersTestCase);
    }
};

WeftEtherealTestSuite g_weftEtherealTestSuite; //!< registers the suite

} // namespace
