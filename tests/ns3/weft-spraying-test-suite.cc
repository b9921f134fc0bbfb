// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Host-side spraying with selective acknowledgements in a running fabric: every path carries its
 * share, reordering costs nothing, losses are repaired without a timer, and a path selector hears
 * what it needs to learn from.
 */
#include "weft-test-rig.h"

#include "ns3/node-container.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <map>

using namespace ns3;

namespace
{

constexpr const char* FAT_TREE = "fat-tree k=4 tiers=3 link-rate=100Gbps";
/** 977 packets of 4 KB; random spraying delays some by more than 32 of them. */
constexpr uint32_t FLOW_BYTES = 4000000;
constexpr const char* SACK = "sack threshold=200";

/** Outcome of a run: totals, and when its last message was delivered. */
struct Outcome
{
    WeftRigTotals t;   //!< of QPs and switches
    uint64_t lost;     //!< by injection
    uint64_t acks;     //!< that reached senders
    int64_t end;       //!< ps
    bool done;         //!< everything was delivered and acknowledged
    std::string books; //!< what does not balance
};

/** Every host of a k = 4 fat-tree sends to the host two pods away; drops are (QP, offset) pairs. */
Outcome
Spray(const std::string& balancer,
      const std::string& transport,
      const std::vector<std::pair<uint32_t, uint32_t>>& drops,
      double loss,
      uint64_t seed = 1)
{
    WeftRigSetup setup;
    setup.topology = FAT_TREE;
    setup.balancer = balancer;
    setup.transport = transport;
    setup.frames = "roce payload=4096B";
    setup.seed = seed;
    WeftRig rig(setup);
    rig.SendAll(8, FLOW_BYTES);
    for (const auto& drop : drops)
    {
        // The retransmission is lost as well.
        rig.fabric->AddDrop(drop.first, drop.second, 2);
    }
    rig.fabric->SetLossProbability(loss);
    Simulator::Stop(MilliSeconds(200));
    Simulator::Run();
    Outcome o{};
    o.t = rig.GetTotals();
    o.lost = rig.fabric->GetCounters().lost[WeftFabric::DROP_INJECTED];
    for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
    {
        o.acks += rig.fabric->GetQp(i)->acks;
    }
    o.end = rig.lastDelivered;
    o.done = rig.delivered == 16 && rig.acked == 16;
    o.books = rig.Audit();
    return o;
}

/** Nothing lost: nothing sent twice, one ACK per packet, and all paths are used. */
class QuietSprayTestCase : public TestCase
{
  public:
    QuietSprayTestCase()
        : TestCase("sprayed packets come out of order and are sent once")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome o = Spray("ops", SACK, {}, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_GT(o.t.outOfOrder, o.t.sent / 10, "packets out of order");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent + o.t.timeouts + o.t.nacksSent, 0, "nothing sent twice");
        NS_TEST_EXPECT_MSG_EQ(o.acks, o.t.sent, "one ACK per packet");

        // Two or more flows share an uplink under ECMP; sprayed ones need little more than one's
        // time.
        const Outcome ecmp = Spray("ecmp", SACK, {}, 0);
        const double alone = FLOW_BYTES * 80.0;
        NS_TEST_EXPECT_MSG_GT(static_cast<double>(ecmp.end), 1.9 * alone, "ECMP collides");
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(o.end), 1.4 * alone, "spraying does not");
    }
};

/** Losses amid a message cost no timeout, even if the retransmission is lost as well. */
class LossySprayTestCase : public TestCase
{
  public:
    LossySprayTestCase()
        : TestCase("losses are repaired without the timer, those of a tail with it")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<uint32_t, uint32_t>>
            amid{{0, 0}, {1, 5}, {2, 200}, {2, 201}, {2, 230}, {3, 400}, {15, 100}};
        Outcome o = Spray("ops", SACK, amid, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(o.lost, 2 * amid.size(), "each was lost twice");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, o.lost + o.t.duplicates, "sent again: lost, or late");
        NS_TEST_EXPECT_MSG_LT(o.t.duplicates, 32 * o.lost, "not many were only late");

        o = Spray("ops", "ideal", amid, 0);
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, o.lost, "sent again: lost, and nothing else");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 10, "a NIC without gaps waits, twice for each QP");

        const uint32_t last = static_cast<uint32_t>(o.t.sent / 16) - 1;
        o = Spray("ops", SACK, {{4, last}}, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "the tail is delivered");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 2, "by the timer");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, 2, "and nothing else is sent again");

        o = Spray("ops", SACK, {}, 0.005);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered at 0.5 % loss");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "and the books balance");
        NS_TEST_EXPECT_MSG_GT(o.lost, o.t.sent / 400, "so many were lost");
        NS_TEST_EXPECT_MSG_LT(o.t.timeouts, 17, "timeouts: at most one per tail");
        const Outcome same = Spray("ops", SACK, {}, 0.005);
        NS_TEST_EXPECT_MSG_EQ(same.end, o.end, "the same seed, the same run");
        NS_TEST_EXPECT_MSG_EQ(same.t.outOfOrder, o.t.outOfOrder, "packet by packet");
        const Outcome other = Spray("ops", SACK, {}, 0.005, 2);
        NS_TEST_EXPECT_MSG_NE(other.end, o.end, "another seed, another run");
    }
};

/** Ideal coding: each loss costs one symbol more, whatever was lost, and reordering nothing. */
class CodedSprayTestCase : public TestCase
{
  public:
    CodedSprayTestCase()
        : TestCase("coded messages need as many packets as they have, whichever")
    {
    }

  private:
    void DoRun() override
    {
        const char* erasure = "erasure rto=200us";
        Outcome o = Spray("ops", erasure, {}, 0);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent + o.t.timeouts + o.t.duplicates, 0, "by m packets");
        NS_TEST_EXPECT_MSG_EQ(o.acks, o.t.sent, "one ACK per packet");
        const Outcome sack = Spray("ops", SACK, {}, 0);
        NS_TEST_EXPECT_MSG_EQ(o.end, sack.end, "nothing is slower than without coding");

        o = Spray("ops", erasure, {}, 0.02);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered at 2 % loss");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, o.lost, "each lost symbol costs one");
        NS_TEST_EXPECT_MSG_EQ(o.t.duplicates, 0, "none is surplus");
        NS_TEST_EXPECT_MSG_LT(o.t.timeouts, 17, "timeouts: at most one per tail");
        const double rate = static_cast<double>(o.t.resent) / static_cast<double>(o.t.sent);
        NS_TEST_EXPECT_MSG_EQ_TOL(rate, 0.02 / 0.98, 0.004, "about 2 %");
    }
};

/** Observations of a path selector of the test's own. */
struct Heard
{
    uint64_t data{0};                   //!< packets sent
    uint64_t replies{0};                //!< replies made
    uint64_t back{0};                   //!< replies that came back
    uint64_t wrong{0};                  //!< echoes of another packet's port
    uint64_t marked{0};                 //!< replies with an ECN echo
    uint64_t timeouts{0};               //!< RTOs
    std::map<const void*, void*> hosts; //!< a QP's state to its sender's host's
};

Heard g_heard; //!< by the selector of the running case

/** A path selector whose port tells the PSN, so that an echo can be checked. */
const weft_path_ops g_selector{
    [](const void*, const weft_path_site*) { return sizeof(uint64_t); },
    [](void* host, const void*, const weft_path_site* site) {
        *static_cast<uint64_t*>(host) = site->host;
        return 0;
    },
    [](const void*, const weft_path_site*) { return sizeof(uint64_t); },
    [](void* qp, void* host, const void*, const weft_path_site*, uint32_t) {
        g_heard.hosts[qp] = host;
        return 0;
    },
    [](void* qp, weft_packet* data, int64_t) {
        g_heard.data++;
        g_heard.wrong += *static_cast<uint64_t*>(g_heard.hosts[qp]) != data->src;
        data->sport = static_cast<uint16_t>(data->psn * 7);
    },
    [](void* host, weft_packet* reply) {
        g_heard.replies++;
        g_heard.wrong += *static_cast<uint64_t*>(host) != reply->src;
    },
    [](void* qp, const weft_packet* reply, int64_t) {
        g_heard.back++;
        g_heard.marked += (reply->flags & WEFT_F_ECE) != 0;
        g_heard.wrong += *static_cast<uint64_t*>(g_heard.hosts[qp]) != reply->dst;
        // The packet answered lies ahead of the ePSN, or (0) before it.
        g_heard.wrong += reply->ahead != 0 &&
                         reply->echo != static_cast<uint16_t>((reply->psn + reply->ahead) * 7);
    },
    [](void*, int64_t) { g_heard.timeouts++; },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    {}};

/** A host-side balancer that learns would learn from the wrong packets, or not at all. */
class FeedbackTestCase : public TestCase
{
  public:
    FeedbackTestCase()
        : TestCase("a path selector hears which packet an ACK answers, ECN marks and timeouts")
    {
    }

  private:
    void DoRun() override
    {
        g_heard = Heard{};
        weft_lb_ops balancer = *weft_lb_find("ops");
        balancer.path = &g_selector;
        int64_t config[8] = {};
        weft_config_default(&balancer.algo, config);
        auto fabric = CreateObject<WeftFabric>();
        fabric->SetAttribute("Topology", StringValue(FAT_TREE));
        fabric->SetAttribute("Transport", StringValue("sack threshold=32"));
        fabric->SetAttribute("CongestionControl", StringValue("none"));
        fabric->SetAttribute("Switch", StringValue("shared-buffer preset=100g kmin=5KB kmax=9KB"));
        fabric->SetChoice("balancer", &balancer.algo, config);
        NodeContainer hosts(16);
        NodeContainer switches(20);
        std::string error;
        NS_TEST_ASSERT_MSG_EQ(fabric->Build(hosts, switches, error), true, error);
        for (uint32_t h = 0; h < 16; h++)
        {
            fabric->Post(fabric->CreateQp(h, h < 8 ? h + 8 : 0, nullptr), 200000, 0);
        }
        const uint32_t last = 200000 / 1500; // the last packet of 134
        fabric->AddDrop(3, last, 1);
        Simulator::Run();
        uint64_t sent = 0;
        uint64_t timeouts = 0;
        for (uint32_t i = 0; i < fabric->GetNQps(); i++)
        {
            const WeftQp* qp = fabric->GetQp(i);
            const weft_tx_counters* tx = fabric->GetTransport()->tx_counters(qp->tx);
            sent += tx->sent + tx->resent;
            timeouts += tx->timeouts;
        }
        NS_TEST_EXPECT_MSG_EQ(fabric->CheckConservation(error), true, error);
        NS_TEST_EXPECT_MSG_EQ(g_heard.wrong, 0, "echoes and hosts");
        NS_TEST_EXPECT_MSG_EQ(g_heard.data, sent, "every packet asks for its port");
        NS_TEST_EXPECT_MSG_EQ(g_heard.back, g_heard.replies, "every reply comes back");
        NS_TEST_EXPECT_MSG_GT(g_heard.marked, 0, "ECN echoes");
        NS_TEST_EXPECT_MSG_LT(g_heard.marked, g_heard.back, "of marked packets only");
        NS_TEST_EXPECT_MSG_GT(timeouts, 0, "the lost tail's timeout");
        NS_TEST_EXPECT_MSG_EQ(g_heard.timeouts, timeouts, "is heard");
        Simulator::Destroy();
    }
};

/** A QP that shares its host's line with many has few packets in flight, and explores as few. */
class OwnBdpTestCase : public TestCase
{
  public:
    OwnBdpTestCase()
        : TestCase("a path selector's BDP is that of its QP, not of the line")
    {
    }

  private:
    /** @return the BDP of a QP between hosts of different pods, in packets */
    uint32_t Bdp(const std::string& workload)
    {
        WeftRigSetup setup;
        setup.topology = "fat-tree k=4 tiers=3 link-rate=800Gbps link-delay=500ns";
        setup.balancer = "reps";
        setup.frames = "roce preset=ofan";
        WeftRig rig(setup);
        rig.helper.InstallWorkload(workload);
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            const WeftQp* qp = rig.fabric->GetQp(i);
            if (qp->src == 0 && qp->dst == 15)
            {
                return rig.fabric->GetQpBdp(qp->src, qp->dst);
            }
        }
        return 0;
    }

    void DoRun() override
    {
        // 6.253 us at 100 B/ns are 149.7 frames of 4178 B with their gaps.
        NS_TEST_EXPECT_MSG_EQ(Bdp("permutation bytes=1MB pattern=shift shift=15"), 150, "alone");
        NS_TEST_EXPECT_MSG_EQ(Bdp("alltoall bytes=1MB"), 10, "one of 15");
        WeftRig rig(WeftRigSetup{});
        const auto create = [&rig] {
            rig.fabric->CreateQp(0, 7, nullptr);
            return rig.fabric->GetQpBdp(0, 7);
        };
        const uint32_t alone = create();
        NS_TEST_EXPECT_MSG_GT(alone, 30, "without a workload the first QP has the line for itself");
        NS_TEST_EXPECT_MSG_EQ(create(), (alone + 1) / 2, "the second one a half");
        rig.helper.InstallWorkload("alltoall bytes=1MB");
        rig.helper.InstallWorkload("alltoall bytes=1MB");
        const uint32_t many = 2 + 2 * (rig.fabric->GetNHosts() - 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(create(), alone / (many + 1.0), 1.0, "two workloads besides");
    }
};

class WeftSprayingTestSuite : public TestSuite
{
  public:
    WeftSprayingTestSuite()
        : TestSuite("weft-spraying", Type::UNIT)
    {
        AddTestCase(new QuietSprayTestCase);
        AddTestCase(new LossySprayTestCase);
        AddTestCase(new CodedSprayTestCase);
        AddTestCase(new FeedbackTestCase);
        AddTestCase(new OwnBdpTestCase);
    }
};

WeftSprayingTestSuite g_weftSprayingTestSuite; //!< registers the suite

} // namespace
