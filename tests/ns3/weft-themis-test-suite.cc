// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Themis in a running fabric: spraying without spurious NACKs, real losses asked for again, and
 * counters that add up. These are what a user runs Themis for.
 */
#include "weft-test-rig.h"

#include "ns3/nstime.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr const char* LEAF_SPINE =
    "leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps";
constexpr const char* FAT_TREE = "fat-tree k=4 tiers=3 link-rate=100Gbps";

/** A run that has ended: its totals, and the fabric's own. */
struct Outcome
{
    WeftRigTotals t;   //!< of QPs and switches
    WeftCounters c;    //!< of the fabric
    bool done;         //!< whether the workload is
    std::string books; //!< what does not balance
};

/** Runs a workload; drops are (QP, offset) pairs. */
Outcome
RunWorkload(const WeftRigSetup& setup,
            const std::string& workload,
            const std::vector<std::pair<uint32_t, uint32_t>>& drops,
            double loss,
            WeftFabric::DropPlace place = WeftFabric::DROP_AT_TOP)
{
    WeftRig rig(setup);
    auto job = rig.helper.InstallWorkload(workload);
    for (const auto& drop : drops)
    {
        rig.fabric->AddDrop(drop.first, drop.second, 1, place);
    }
    rig.fabric->SetLossProbability(loss);
    Simulator::Stop(MilliSeconds(500));
    Simulator::Run();
    return Outcome{rig.GetTotals(), rig.fabric->GetCounters(), job->IsDone(), rig.Audit()};
}

/** No loss: packets arrive out of order, NACKs are made, and not one of them reaches a sender. */
class QuietTestCase : public TestCase
{
  public:
    QuietTestCase()
        : TestCase("without loss no NACK reaches a sender and nothing is sent twice")
    {
    }

  private:
    void Check(const std::string& topology, const std::string& workload, const std::string& frames)
    {
        WeftRigSetup setup;
        setup.topology = topology;
        setup.balancer = "themis";
        setup.cc = "dcqcn";
        setup.frames = frames;
        const Outcome o = RunWorkload(setup, workload, {}, 0);
        const std::string what = topology + ", " + workload + ", " + frames;
        NS_TEST_EXPECT_MSG_EQ(o.done, true, what << " is done");
        NS_TEST_EXPECT_MSG_GT(o.t.outOfOrder, 0, what << ": packets out of order");
        NS_TEST_EXPECT_MSG_GT(o.t.tor.blocked, 0, what << ": NACKs to be blocked");
        NS_TEST_EXPECT_MSG_EQ(o.t.nacks, 0, what << ": NACKs at senders");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent + o.t.duplicates, 0, what << ": sent twice");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 0, what << ": timeouts");

        setup.balancer = "rsq";
        const Outcome bare = RunWorkload(setup, workload, {}, 0);
        NS_TEST_EXPECT_MSG_GT(bare.t.duplicates, 0, what << ": spraying alone sends twice");
        NS_TEST_EXPECT_MSG_EQ(bare.c.lost[0] + bare.c.lost[1] + bare.c.lost[2], 0, "no loss");
    }

    void DoRun() override
    {
        for (const char* topology : {LEAF_SPINE, FAT_TREE})
        {
            for (const char* frames : {"roce", "roce first-psn=16777000 batch=4"})
            {
                Check(topology, "permutation bytes=1MB", frames);
                Check(topology, "alltoall bytes=2MB groups=4", frames);
            }
        }
    }
};

/** PFC instead of loss, and replies that wait with the data that a ToR has paused. */
class PausedTestCase : public TestCase
{
  public:
    PausedTestCase()
        : TestCase("no NACK reaches a sender while PFC holds the replies back")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=4 spines=4 hosts-per-leaf=8 link-rate=100Gbps";
        setup.balancer = "themis";
        setup.frames = "roce ack-priority=share";
        setup.buffer = "shared-buffer buffer=6000000B alpha=0.0625 pfc=on headroom=100000B ecn=off";
        const Outcome o = RunWorkload(setup, "permutation bytes=4MB", {}, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "done");
        NS_TEST_EXPECT_MSG_GT(o.t.pauses, 1000, "pauses");
        NS_TEST_EXPECT_MSG_EQ(o.t.drops, 0, "no loss");
        NS_TEST_EXPECT_MSG_GT(o.t.tor.blocked, 1000, "NACKs to be blocked");
        NS_TEST_EXPECT_MSG_EQ(o.t.nacks, 0, "NACKs at senders");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent + o.t.duplicates, 0, "sent twice");
    }
};

/** Named packets of a ring are dropped; who asks for them again depends on the compensation. */
class NamedLossTestCase : public TestCase
{
  public:
    NamedLossTestCase()
        : TestCase("each lost packet is asked for by a NACK, not by a timeout")
    {
    }

  private:
    Outcome Run(const std::string& balancer,
                const std::vector<std::pair<uint32_t, uint32_t>>& drops)
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps";
        setup.balancer = balancer;
        setup.cc = "dcqcn";
        const Outcome o = RunWorkload(setup, "ring bytes=2MB groups=2", drops, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, balancer << " is done");
        NS_TEST_EXPECT_MSG_EQ(o.c.lost[WeftFabric::DROP_INJECTED], drops.size(), "all dropped");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        return o;
    }

    void DoRun() override
    {
        // Alone, near the start, and four in a row; 1,378 packets per flow.
        const std::vector<std::pair<uint32_t, uint32_t>>
            drops{{0, 100}, {0, 700}, {1, 5}, {1, 300}, {1, 301}, {1, 302}, {1, 303}, {2, 1000}};
        Outcome o = Run("ecmp", drops);
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, drops.size(), "ECMP repeats each once");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 0, "ECMP needs no timeout");

        o = Run("themis", drops);
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 0, "nor does Themis");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, drops.size(), "Themis repeats each once");
        NS_TEST_EXPECT_MSG_EQ(o.t.duplicates, 0, "and nothing else");
        NS_TEST_EXPECT_MSG_GT(o.t.tor.scan_passed + o.t.tor.compensated, 0, "by its scan");

        o = Run("themis compensation=off", drops);
        NS_TEST_EXPECT_MSG_GT(o.t.timeouts, 0, "without compensation timeouts return");

        o = Run("themis compensation=literal", drops);
        NS_TEST_EXPECT_MSG_EQ((o.t.resent >= drops.size()), true, "as printed: each, or more");

        // The last packet of a flow: nothing behind it can tell that it is missing.
        for (const char* balancer : {"ecmp", "themis"})
        {
            o = Run(balancer, {{3, 1377}});
            NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 1, balancer << ": only the timer knows");
            NS_TEST_EXPECT_MSG_EQ(o.t.resent, 1, balancer << ": sent again");
        }
    }
};

/** Losses between the ToR and the NIC, which the ToR has seen leave. */
class LastHopTestCase : public TestCase
{
  public:
    LastHopTestCase()
        : TestCase("a packet lost behind the ToR is asked for by a NACK, not by a timeout")
    {
    }

  private:
    void DoRun() override
    {
        // 1,378 packets per flow: four in a row, and others a round trip and more apart.
        std::vector<std::pair<uint32_t, uint32_t>> drops{{1, 300}, {1, 301}, {1, 302}, {1, 303}};
        for (uint32_t i = 15; i < 1010; i += 99)
        {
            drops.emplace_back(0, i);
        }
        for (const std::string compensation : {"scan", "off"})
        {
            WeftRigSetup setup;
            setup.topology = "leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps";
            setup.balancer = "themis compensation=" + compensation;
            setup.transport = "nic-sr on-timeout=one"; // so that each is repeated alone
            setup.cc = "none";
            const Outcome o = RunWorkload(setup,
                                          "ring bytes=2MB groups=2",
                                          drops,
                                          0,
                                          WeftFabric::DROP_AT_LAST_HOP);
            const bool scan = compensation == "scan";
            NS_TEST_EXPECT_MSG_EQ(o.done, true, compensation << " is done");
            NS_TEST_EXPECT_MSG_EQ(o.c.lost[WeftFabric::DROP_INJECTED], drops.size(), "all dropped");
            NS_TEST_EXPECT_MSG_EQ((o.t.timeouts == 0), scan, compensation << ": timeouts");
            NS_TEST_EXPECT_MSG_EQ(o.t.resent, drops.size(), compensation << " repeats each once");
            NS_TEST_EXPECT_MSG_EQ(o.t.duplicates, 0, compensation << " repeats nothing else");
            NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        }
    }
};

/** A NIC that drops what comes out of order asks in vain if its NACKs are blocked. */
class GoBackNTestCase : public TestCase
{
  public:
    GoBackNTestCase()
        : TestCase("go-back-N under Themis needs no timeout either")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps";
        setup.balancer = "themis";
        setup.transport = "gbn";
        setup.cc = "dcqcn";
        const Outcome o = RunWorkload(setup, "ring bytes=1MB groups=2", {}, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "done");
        NS_TEST_EXPECT_MSG_GT(o.t.tor.blocked, 0, "NACKs are blocked");
        NS_TEST_EXPECT_MSG_GT(o.t.tor.compensated, 0, "and made up for");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
    }
};

/** Every NACK is in exactly one count, under losses at random. */
class CountersTestCase : public TestCase
{
  public:
    CountersTestCase()
        : TestCase("NACKs of every kind add up, or the figures made of them are wrong")
    {
    }

  private:
    void Check(const std::string& topology, const std::string& compensation, double loss)
    {
        WeftRigSetup setup;
        setup.topology = topology;
        setup.balancer = "themis compensation=" + compensation;
        setup.cc = "dcqcn";
        setup.transport = "nic-sr rto=100us";
        // Hosts of one rack have no NACK that Themis-D sees: only pairs of different racks.
        const Outcome o = RunWorkload(setup, "ring bytes=1MB groups=4", {}, loss);
        const weft_tor_counters& n = o.t.tor;
        const std::string what = topology + ", " + compensation;
        NS_TEST_EXPECT_MSG_EQ(o.done, true, what << " is done");
        NS_TEST_EXPECT_MSG_GT(n.seen, 0, what << ": NACKs");
        NS_TEST_EXPECT_MSG_EQ(n.seen, n.valid + n.invalid + n.unknown, what << ": seen");
        NS_TEST_EXPECT_MSG_EQ(n.invalid, n.blocked + n.scan_passed, what << ": invalid");
        const uint64_t unarmed = compensation == "off" ? n.blocked : 0;
        NS_TEST_EXPECT_MSG_EQ(n.blocked,
                              n.armed + n.scan_cancelled + n.repeated + unarmed,
                              what << ": blocked");
        const uint64_t resolved = n.compensated - n.silent - n.turned + n.cancelled + n.overwritten;
        NS_TEST_EXPECT_MSG_EQ((n.armed >= resolved && n.armed <= resolved + 16),
                              true,
                              what << ": armed, at most one left per QP");
        NS_TEST_EXPECT_MSG_EQ(o.c.lost[WeftFabric::BLOCKED], n.blocked, what << ": not delivered");
        NS_TEST_EXPECT_MSG_EQ(o.c.made_by_tors, n.compensated - n.turned, what << ": made by ToRs");
        NS_TEST_EXPECT_MSG_EQ(o.t.nacksSent, n.seen, what << ": receivers' NACKs");
        NS_TEST_EXPECT_MSG_EQ(o.t.nacks, n.seen - n.blocked + n.compensated, what << ": arrived");
        NS_TEST_EXPECT_MSG_EQ(o.t.torNacks, n.compensated, what << ": arrived from ToRs");
    }

    void DoRun() override
    {
        for (const char* topology : {LEAF_SPINE, FAT_TREE})
        {
            for (const char* compensation : {"scan", "literal", "off"})
            {
                Check(topology, compensation, 0.005);
                Check(topology, compensation, 0.05);
            }
        }
    }
};

/** A link fails, and Themis is turned off while NACKs are blocked that NICs send only once. */
class TurnOffTestCase : public TestCase
{
  public:
    TurnOffTestCase()
        : TestCase("what was lost under Themis is asked for when a failure turns it off")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.balancer = "themis";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(20)));
        rig.SendAll(2, 40000000);
        rig.fabric->ScheduleFailure(rig.FindLink(0, 4), MicroSeconds(50), Time::Max());
        Simulator::Run();
        const WeftRigTotals t = rig.GetTotals();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 8, "all is delivered");
        NS_TEST_EXPECT_MSG_GT(rig.fabric->GetCounters().lost[WeftFabric::DROP_LINK], 0, "losses");
        NS_TEST_EXPECT_MSG_GT(t.tor.blocked, 0, "NACKs were blocked");
        NS_TEST_EXPECT_MSG_GT(t.tor.released, 0, "some of them owed");
        NS_TEST_EXPECT_MSG_EQ(t.torNacks, t.tor.compensated, "they arrive");
        NS_TEST_EXPECT_MSG_EQ(t.timeouts, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }
};

/** Short cables: a ring sized by propagation alone forgets what is still under way to the NIC. */
class ShortCableTestCase : public TestCase
{
  public:
    ShortCableTestCase()
        : TestCase("no NACK reaches a sender, however short the cables to the NICs")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* delay : {"0ps", "10ns", "20ns", "100ns"})
        {
            WeftRigSetup setup;
            setup.topology =
                "leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps fabric-delay=1us "
                "link-delay=" +
                std::string(delay);
            setup.balancer = "themis";
            const Outcome o =
                RunWorkload(setup, "permutation bytes=3MB pattern=shift shift=2", {}, 0);
            NS_TEST_EXPECT_MSG_EQ(o.done, true, delay << " is done");
            NS_TEST_EXPECT_MSG_EQ(o.t.nacks, 0, delay << ": NACKs at senders");
            NS_TEST_EXPECT_MSG_EQ(o.t.duplicates, 0, delay << ": sent twice");
        }
    }
};

/** In three tiers Themis-S rewrites data's source port; a reply must not inherit that. */
class ReplyPathsTestCase : public TestCase
{
  public:
    ReplyPathsTestCase()
        : TestCase("replies take one path or all of them, as asked, in three tiers too")
    {
    }

  private:
    /** @return frames on the uplinks of the receiver's edge switch, the busier one first */
    std::pair<uint64_t, uint64_t> Uplinks(const std::string& balancer)
    {
        WeftRigSetup setup;
        setup.topology = FAT_TREE;
        setup.balancer = balancer;
        WeftRig rig(setup);
        rig.Send(0, 15, 1000000);
        Simulator::Run();
        const Ptr<WeftSwitch> edge =
            rig.fabric->GetSwitch(weft_clos_tor(&rig.fabric->GetClos(), 15));
        const uint64_t a = edge->GetPort(2)->GetFrames();
        const uint64_t b = edge->GetPort(3)->GetFrames();
        return {std::max(a, b), std::min(a, b)};
    }

    void DoRun() override
    {
        const auto sprayed = Uplinks("themis replies=spray");
        NS_TEST_EXPECT_MSG_GT(sprayed.second * 10, sprayed.first * 9, "sprayed replies use both");
        const auto flow = Uplinks("themis replies=ecmp");
        NS_TEST_EXPECT_MSG_GT(flow.first, 600, "replies there are");
        NS_TEST_EXPECT_MSG_EQ(flow.second, 0, "a flow's replies use one");
    }
};

class WeftThemisTestSuite : public TestSuite
{
  public:
    WeftThemisTestSuite()
        : TestSuite("weft-themis", Type::UNIT)
    {
        AddTestCase(new QuietTestCase);
        AddTestCase(new PausedTestCase);
        AddTestCase(new NamedLossTestCase);
        AddTestCase(new LastHopTestCase);
        AddTestCase(new GoBackNTestCase);
        AddTestCase(new CountersTestCase);
        AddTestCase(new TurnOffTestCase);
        AddTestCase(new ShortCableTestCase);
        AddTestCase(new ReplyPathsTestCase);
    }
};

WeftThemisTestSuite g_weftThemisTestSuite; //!< registers the suite

} // namespace
