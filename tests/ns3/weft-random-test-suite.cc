// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Randomness as ns-3's manual has it: replications are made by --RngRun or RngSeedManager, and
 * AssignStreams() gives a model streams of its own. Were they ignored, ten replications would be
 * ten times the same run, with a confidence interval of nothing.
 */
#include "weft-test-rig.h"

#include "ns3/command-line.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <string>
#include <vector>
#include <weft/registry.h>

using namespace ns3;

namespace
{

/** How a run differs from ns-3's defaults. */
struct RandomSetup
{
    std::string balancer{"ops"};         //!< its name
    std::string workload{"permutation"}; //!< its name
    uint64_t seed{0};                    //!< attribute
    uint64_t run{0};                     //!< attribute
    bool assigns{false};                 //!< calls AssignStreams()
    int64_t stream{0};                   //!< with that
};

/** Runs a scene, with a digest of all frames that reach a NIC. */
class RandomRun
{
  public:
    explicit RandomRun(const RandomSetup& s)
    {
        WeftHelper helper;
        helper.SetTopology("fat-tree k=4 link-rate=100Gbps link-delay=1us");
        helper.SetBalancer(s.balancer);
        helper.SetTransport("sack");
        helper.SetCongestionControl("none");
        helper.SetFabricAttribute("Seed", UintegerValue(s.seed));
        helper.SetFabricAttribute("Run", UintegerValue(s.run));
        helper.Install();
        used = s.assigns ? helper.AssignStreams(s.stream) : 0;
        Go(helper.GetFabric(), s.workload);
    }

    /** Run @p run of seed 1, said in numbers. */
    explicit RandomRun(uint64_t run)
    {
        WeftHelper helper; // sets the resolution of time
        auto fabric = CreateObjectWithAttributes<WeftFabric>(
            "Topology",
            StringValue("fat-tree k=4 link-rate=100Gbps link-delay=1us"),
            "Balancer",
            StringValue("ops"),
            "Transport",
            StringValue("sack"),
            "CongestionControl",
            StringValue("none"));
        fabric->SetSeedAndRun(1, run);
        weft_clos shape;
        std::string error;
        NS_ABORT_UNLESS(fabric->GetShape(&shape, error));
        NodeContainer hosts;
        NodeContainer switches;
        hosts.Create(shape.nhosts);
        switches.Create(weft_planes_switches(&shape));
        NS_ABORT_MSG_UNLESS(fabric->Build(hosts, switches, error), error);
        Go(fabric, "permutation");
    }

    uint64_t digest{0}; //!< when each frame came, from whom
    int64_t used{0};    //!< streams, as AssignStreams() said

  private:
    void Go(Ptr<WeftFabric> fabric, const std::string& workload)
    {
        for (uint32_t i = 0; i < fabric->GetNHosts(); i++)
        {
            fabric->GetNic(i)->TraceConnectWithoutContext("Rx",
                                                          MakeCallback(&RandomRun::Add, this));
        }
        auto job =
            CreateObjectWithAttributes<WeftCollective>("Workload",
                                                       StringValue(workload + " bytes=30KB"));
        std::string error;
        NS_ABORT_MSG_UNLESS(job->Install(fabric, error), error);
        Simulator::Run();
        // Arrivals may be at the same times where frames took other ways: ports count, too.
        for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
        {
            Ptr<WeftSwitch> sw = fabric->GetSwitch(i);
            for (uint32_t p = 0; p < sw->GetNPorts(); p++)
            {
                digest = weft_mix64(digest ^ sw->GetPort(p)->GetFrames());
            }
        }
        Simulator::Destroy();
    }

    void Add(const weft_packet& p)
    {
        for (const uint64_t word :
             {static_cast<uint64_t>(WeftNow()), uint64_t{p.src} << 32 | p.dst, uint64_t{p.psn}})
        {
            digest = weft_mix64(digest ^ word);
        }
    }
};

uint64_t
RunWith(const RandomSetup& s = RandomSetup())
{
    return RandomRun(s).digest;
}

/** Replications as in ns-3's manual. */
class ReplicationTestCase : public TestCase
{
  public:
    ReplicationTestCase()
        : TestCase("--RngRun and RngSeedManager make replications, attributes pin them")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t first = RunWith();
        CommandLine cmd;
        cmd.Parse({"program", "--RngRun=2"});
        const uint64_t second = RunWith();
        NS_TEST_EXPECT_MSG_NE(second, first, "another run");
        NS_TEST_EXPECT_MSG_EQ(RunWith(), second, "the same once more");

        RandomSetup fixed;
        fixed.run = 1;
        NS_TEST_EXPECT_MSG_EQ(RunWith(fixed), first, "a number of one's own");
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_EQ(RunWith(), first, "the first again");

        RngSeedManager::SetSeed(12);
        const uint64_t seeded = RunWith();
        NS_TEST_EXPECT_MSG_NE(seeded, first, "another seed");
        NS_TEST_EXPECT_MSG_NE(seeded, second, "is not another run");
        RngSeedManager::SetSeed(1);
        fixed.seed = 12;
        NS_TEST_EXPECT_MSG_EQ(RunWith(fixed), seeded, "the seed, as a number of one's own");
    }
};

/** Run 0 is a number, to those who say so. */
class PinTestCase : public TestCase
{
  public:
    PinTestCase()
        : TestCase("SetSeedAndRun() takes every number, 0 as well, whatever ns-3's are")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t zero = RandomRun(0).digest;
        NS_TEST_EXPECT_MSG_NE(zero, RunWith(), "run 0 is not run 1");
        NS_TEST_EXPECT_MSG_EQ(RandomRun(1).digest, RunWith(), "ns-3's defaults, as numbers");
        RngSeedManager::SetRun(3);
        RngSeedManager::SetSeed(3);
        NS_TEST_EXPECT_MSG_EQ(RandomRun(0).digest, zero, "ns-3's numbers do not matter");
        RngSeedManager::SetRun(1);
        RngSeedManager::SetSeed(1);
    }
};

/** Streams of one's own, by ns-3's convention. */
class StreamTestCase : public TestCase
{
  public:
    StreamTestCase()
        : TestCase(
              "AssignStreams() gives each stream number draws of its own, under every balancer")
    {
    }

  private:
    void Check(const std::string& balancer, const std::string& workload)
    {
        RandomSetup s;
        s.balancer = balancer;
        s.workload = workload;
        const uint64_t plain = RunWith(s);
        s.assigns = true;
        const RandomRun zero(s);
        NS_TEST_EXPECT_MSG_EQ(zero.used, 1, "streams used");
        NS_TEST_EXPECT_MSG_NE(zero.digest, plain, balancer << ": stream 0 is not no stream");
        s.stream = 1;
        const uint64_t one = RunWith(s);
        NS_TEST_EXPECT_MSG_NE(one, zero.digest, balancer << ": stream 1 is not stream 0");
        NS_TEST_EXPECT_MSG_EQ(RunWith(s), one, balancer << ": stream 1 again");
        s.stream = -1;
        NS_TEST_EXPECT_MSG_EQ(RunWith(s), plain, balancer << ": as if it had never been called");
    }

    void DoRun() override
    {
        const weft_registry* balancers = weft_registry_find("balancer");
        for (size_t i = 0; i < balancers->count; i++)
        {
            Check(balancers->algos[i]->name, "permutation");
        }
        // Where the workload draws nothing, what switches and hosts draw must be others.
        for (const char* balancer : {"rsq", "jsq", "ops", "switch-rr", "host-dr"})
        {
            Check(balancer, "ring groups=2");
        }
    }
};

class WeftRandomTestSuite : public TestSuite
{
  public:
    WeftRandomTestSuite()
        : TestSuite("weft-random", Type::UNIT)
    {
        AddTestCase(new ReplicationTestCase);
        AddTestCase(new PinTestCase);
        AddTestCase(new StreamTestCase);
    }
};

WeftRandomTestSuite g_weftRandomTestSuite; //!< registers the suite

} // namespace
