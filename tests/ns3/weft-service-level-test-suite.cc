// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Service levels: sets of QPs with a balancer, a transport, a congestion control and a queue of
 * their own, in one fabric. If these fail, mixed traffic is balanced by the wrong algorithm, one
 * class holds another one back, or bytes appear or vanish where classes meet.
 */
#include "weft-test-rig.h"

#include "ns3/abort.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <map>
#include <weft/registry.h>

using namespace ns3;

namespace
{

constexpr const char* FABRIC =
    "leaf-spine leaves=2 spines=4 hosts-per-leaf=4 link-rate=100Gbps link-delay=1us";

/** Algorithms of the QPs of one level. */
struct Level
{
    std::string balancer{"ecmp"};
    std::string transport{"nic-sr"};
    uint32_t queue{1};
};

/** A fabric with service levels. The simulation is destroyed with it. */
class LevelRig : public WeftMessageListener
{
  public:
    explicit LevelRig(const std::vector<Level>& levels,
                      const std::string& buffer = "shared-buffer preset=100g classes=4")
        : fabric(CreateObject<WeftFabric>())
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        fabric->SetAttribute("Topology", StringValue(FABRIC));
        fabric->SetAttribute("Switch", StringValue(buffer));
        fabric->SetAttribute("CongestionControl", StringValue("none"));
        for (uint32_t i = 0; i < levels.size(); i++)
        {
            if (i > 0)
            {
                fabric->AddServiceLevel(levels[i].queue);
            }
            fabric->SetLevelText(i, "balancer", levels[i].balancer);
            fabric->SetLevelText(i, "transport", levels[i].transport);
        }
    }

    ~LevelRig() override
    {
        Simulator::Destroy();
    }

    LevelRig(const LevelRig&) = delete;
    LevelRig& operator=(const LevelRig&) = delete;

    /** @return why it cannot be built, or nothing */
    std::string Build()
    {
        NodeContainer hosts(8);
        NodeContainer switches(6);
        std::string error;
        fabric->Build(hosts, switches, error);
        return error;
    }

    /** @return a QP of that level with one message */
    WeftQp* Send(uint32_t level, uint32_t src, uint32_t dst, uint64_t bytes)
    {
        WeftQp* qp = fabric->CreateQp(src, dst, this, level);
        fabric->Post(qp, bytes, 0);
        sent++;
        return qp;
    }

    /** Every host of a leaf sends to some of the other, on a QP of each level. */
    void SendAll(uint64_t bytes, uint32_t peers)
    {
        for (uint32_t src = 0; src < 8; src++)
        {
            for (uint32_t i = src; i < src + peers; i++)
            {
                for (uint32_t level = 0; level < fabric->GetNServiceLevels(); level++)
                {
                    Send(level, src, (src < 4 ? 4 : 0) + i % 4, bytes);
                }
            }
        }
    }

    /** @return what is wrong after a run, or nothing */
    std::string Audit() const
    {
        std::string error;
        fabric->CheckConservation(error);
        return acked == sent ? error : std::to_string(sent - acked) + " messages are missing";
    }

    /** @return sums over the QPs of a level */
    WeftRigTotals GetTotals(uint32_t level) const
    {
        WeftRigTotals t{};
        for (uint32_t i = 0; i < fabric->GetNQps(); i++)
        {
            const WeftQp& qp = *fabric->GetQp(i);
            if (qp.algos->sl == level)
            {
                const weft_tx_counters& tx = *qp.algos->transport->tx_counters(qp.tx);
                t.sent += tx.sent;
                t.resent += tx.resent;
                t.nacks += tx.nacks;
                t.nacksSent += qp.nacks_sent;
                t.torNacks += qp.tor_nacks;
                t.outOfOrder += qp.out_of_order;
            }
        }
        return t;
    }

    void MessageDelivered(const WeftQp&, uint64_t) override
    {
    }

    void MessageAcked(const WeftQp& qp, uint64_t) override
    {
        acked++;
        ackedAt[qp.index] = WeftNow();
    }

    void MessageFailed(const WeftQp&, uint64_t) override
    {
    }

    Ptr<WeftFabric> fabric;              //!< under test
    uint64_t sent{0};                    //!< messages
    uint64_t acked{0};                   //!< messages
    std::map<uint32_t, int64_t> ackedAt; //!< ps, by QP
};

uint64_t g_picked[2][2]; //!< packets by the balancer that was asked, and by their level

/** A balancer that notes of which level its packets are, and sends all by one port. */
template <uint32_t LEVEL>
weft_lb_ops
Noting()
{
    weft_lb_ops lb{};
    lb.algo = weft_algo{};
    lb.algo.name = LEVEL ? "noting-1" : "noting-0";
    lb.algo.doc = lb.algo.source = "";
    lb.state_size = [](const void*, const weft_site*) { return size_t{8}; };
    lb.init = [](void*, const void*, const weft_site*) { return 0; };
    lb.pick = [](void*, const weft_ports* ports, weft_packet* packet, int64_t) {
        g_picked[LEVEL][packet->sl]++;
        return weft_port_at(ports, LEVEL ? ports->n - 1U : 0U);
    };
    return lb;
}

/** Data and replies of a level are its own balancer's at every switch, and have its queue. */
class OwnBalancerTestCase : public TestCase
{
  public:
    OwnBalancerTestCase()
        : TestCase("each packet is picked by the balancer of its own level, in its own queue")
    {
    }

  private:
    void See(const weft_packet& p)
    {
        m_wrongClass += p.tclass != (p.kind != WEFT_DATA ? 0 : p.sl ? 3 : 1);
    }

    void DoRun() override
    {
        static const weft_lb_ops first = Noting<0>();
        static const weft_lb_ops last = Noting<1>();
        g_picked[0][0] = g_picked[0][1] = g_picked[1][0] = g_picked[1][1] = 0;
        LevelRig rig({{}, {"ecmp", "nic-sr", 3}});
        const uint64_t none[1] = {};
        rig.fabric->SetLevelChoice(0, "balancer", &first.algo, none);
        rig.fabric->SetLevelChoice(1, "balancer", &last.algo, none);
        const std::string error = rig.Build();
        NS_TEST_ASSERT_MSG_EQ(error, "", error);
        for (uint32_t i = 0; i < 4; i++)
        {
            rig.fabric->GetNic(i)->TraceConnectWithoutContext(
                "Rx",
                MakeCallback(&OwnBalancerTestCase::See, this));
        }
        rig.SendAll(100000, 4);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "all arrives, and the books balance");
        NS_TEST_EXPECT_MSG_EQ(g_picked[0][1], 0, "none of level 1 at the balancer of level 0");
        NS_TEST_EXPECT_MSG_EQ(g_picked[1][0], 0, "nor the other way");
        // Every data packet and its ACK has a choice once, at its first ToR.
        NS_TEST_EXPECT_MSG_EQ(g_picked[0][0], 2 * rig.GetTotals(0).sent, "level 0");
        NS_TEST_EXPECT_MSG_EQ(g_picked[1][1], 2 * rig.GetTotals(1).sent, "level 1");
        NS_TEST_EXPECT_MSG_EQ(m_wrongClass, 0, "data has the queue of its level, replies go first");
    }

    uint64_t m_wrongClass{0}; //!< packets in another queue than their level's
};

/** A ToR balances the level that asks for it, and no other one. */
class TorBalancerTestCase : public TestCase
{
  public:
    TorBalancerTestCase()
        : TestCase("balancers that work at ToRs, beside others that do not")
    {
    }

  private:
    void Check(const std::string& balancer, bool swapped)
    {
        std::vector<Level> levels{{"ecmp", "gbn", 1}, {balancer, "gbn", 2}};
        const uint32_t its = swapped ? 0 : 1;
        if (swapped)
        {
            std::swap(levels[0], levels[1]);
            levels[1].queue = 2;
        }
        LevelRig rig(levels);
        const std::string error = rig.Build();
        NS_TEST_ASSERT_MSG_EQ(error, "", error);
        rig.SendAll(300000, 4);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", balancer);
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals(1 - its).outOfOrder, 0, "ECMP keeps to one path");
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            const WeftQp& qp = *rig.fabric->GetQp(i);
            const bool tracks = levels[qp.algos->sl].balancer != "ecmp" &&
                                weft_lb_find(balancer.c_str())->flow_size;
            weft_net_qp_bytes bytes;
            weft_net_measure_qp(&qp, &bytes);
            NS_TEST_ASSERT_MSG_EQ((bytes.flow > 0), tracks, "states of ToRs for its QPs alone");
        }
    }

    void DoRun() override
    {
        for (const char* balancer : {"conga", "conweave", "letflow"})
        {
            Check(balancer, false);
            Check(balancer, true);
        }
    }
};

/** Themis filters the NACKs of its own QPs. */
class ThemisTestCase : public TestCase
{
  public:
    ThemisTestCase()
        : TestCase("Themis in one level, spraying without it in another")
    {
    }

  private:
    void Check(bool fails)
    {
        LevelRig rig({{"rsq", "nic-sr", 1}, {"themis", "nic-sr", 2}, {"ecmp", "nic-sr", 3}});
        const std::string error = rig.Build();
        NS_TEST_ASSERT_MSG_EQ(error, "", error);
        if (fails)
        {
            rig.fabric->ScheduleFailure(8 + 1, MicroSeconds(20), MicroSeconds(40)); // of leaf 0
        }
        else
        {
            // A slower path makes packets overtake each other.
            rig.fabric->ScheduleDegradation(8 + 1,
                                            rig.fabric->GetLink(8 + 1).rate / 2,
                                            Time(0),
                                            Time::Max());
        }
        rig.SendAll(1000000, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "all arrives, and the books balance");
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            const WeftQp& qp = *rig.fabric->GetQp(i);
            weft_net_qp_bytes bytes;
            weft_net_measure_qp(&qp, &bytes);
            NS_TEST_ASSERT_MSG_EQ((bytes.tor > 0), (qp.algos->sl == 1), "its QPs alone");
        }
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals(0).torNacks, 0, "no NACK of a ToR for others");
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals(2).torNacks, 0, "nor for those");
        if (!fails)
        {
            NS_TEST_EXPECT_MSG_GT(rig.GetTotals(0).nacks, 0, "reordering makes NACKs");
            NS_TEST_EXPECT_MSG_GT(rig.GetTotals(1).nacksSent, 0, "of Themis' receivers, too");
            NS_TEST_EXPECT_MSG_EQ(rig.GetTotals(1).nacks, 0, "which its ToRs block");
            NS_TEST_EXPECT_MSG_EQ(rig.GetTotals(2).nacksSent, 0, "one path keeps the order");
        }
    }

    void DoRun() override
    {
        Check(false);
        Check(true);
    }
};

/** Each level has a transport of its own. */
class TransportTestCase : public TestCase
{
  public:
    TransportTestCase()
        : TestCase("transports side by side")
    {
    }

  private:
    void DoRun() override
    {
        LevelRig rig({{"rsq", "gbn", 1}, {"rsq", "sack", 2}, {"rsq", "erasure", 3}});
        const std::string error = rig.Build();
        NS_TEST_ASSERT_MSG_EQ(error, "", error);
        rig.SendAll(400000, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "all arrives, and the books balance");
        NS_TEST_EXPECT_MSG_GT(rig.GetTotals(0).nacksSent, 0, "go-back-N asks for what is late");
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals(1).nacksSent, 0, "SACK never does");
    }
};

/** A pause is for one class: replies of others do not wait behind those that it keeps back. */
class PausedRepliesTestCase : public TestCase
{
  public:
    PausedRepliesTestCase()
        : TestCase("replies of a paused class keep no others back")
    {
    }

  private:
    void DoRun() override
    {
        LevelRig rig({{}, {"ecmp", "nic-sr", 2}});
        rig.fabric->SetAttribute("Frames", StringValue("roce ack-priority=share"));
        const std::string error = rig.Build();
        NS_TEST_ASSERT_MSG_EQ(error, "", error);
        WeftPause(rig.fabric, 1, 0, 2, true);
        const WeftQp* paused = rig.Send(1, 0, 1, 100000);
        Simulator::Stop(MicroSeconds(30));
        Simulator::Run();
        const WeftQp* other = rig.Send(0, 2, 1, 100000);
        Simulator::Schedule(MicroSeconds(200), &WeftPause, rig.fabric, 1U, 0U, 2U, false);
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(other->una, other->posted, "its ACKs pass");
        NS_TEST_EXPECT_MSG_EQ(paused->una, 0, "those of the paused class wait");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "and all come in the end");
    }
};

/** A pause is for one class: only the balancer whose data are of it turns away from the port. */
class PausedPortTestCase : public TestCase
{
  public:
    PausedPortTestCase()
        : TestCase("a balancer that asks for pauses sees those of its own class")
    {
    }

  private:
    void DoRun() override
    {
        LevelRig rig({{"ar-quality", "nic-sr", 1}, {"ar-quality", "nic-sr", 2}});
        const std::string error = rig.Build();
        NS_TEST_ASSERT_MSG_EQ(error, "", error);
        const Ptr<WeftSwitch> leaf = rig.fabric->GetSwitch(0);
        const uint32_t up = leaf->GetNDownPorts();
        WeftPause(rig.fabric, rig.fabric->GetNHosts(), up, 2, true);
        WeftPause(rig.fabric, rig.fabric->GetNHosts(), up + 1, 1, true);
        rig.Send(1, 0, 4, 1000000);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "class 2 goes by the ports that are left");
        NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(up)->GetBytes(), 0, "not by that which is paused");
        NS_TEST_EXPECT_MSG_GT(leaf->GetPort(up + 1)->GetBytes(), 0, "also where class 1 is");
    }
};

/** The rate that a fabric with a dead link can serve depends on how flows are split. */
class ShareTestCase : public TestCase
{
  public:
    ShareTestCase()
        : TestCase("the ideal rate of a level is for its own split")
    {
    }

  private:
    /** @return the rate of a QP of a level whose control is that one */
    static DataRate GetRate(uint32_t level, const std::string& control)
    {
        const std::vector<Level> two(2);
        LevelRig rig(two);
        rig.fabric->SetAttribute(
            "Topology",
            StringValue(std::string(FABRIC) + " parallel=2 fabric-rate=50Gbps"));
        rig.fabric->SetLevelText(level, "congestion-control", control);
        std::string error = rig.Build();
        NS_ABORT_MSG_UNLESS(error.empty(), error);
        rig.fabric->ScheduleFailure(8, Seconds(0), Time::Max()); // one of two to a spine
        std::vector<weft_flow> flows;
        for (uint32_t i = 0; i < 8; i++)
        {
            flows.push_back({i, (i + 4) % 8});
        }
        rig.fabric->SetFlows(flows);
        const WeftQp* qp = rig.fabric->CreateQp(0, 4, nullptr, level);
        return rig.fabric->GetNic(0)->GetRate(qp);
    }

    void DoRun() override
    {
        const DataRate path = GetRate(0, "ideal split=path");
        const DataRate hop = GetRate(0, "ideal split=hop");
        NS_TEST_ASSERT_MSG_NE(path, hop, "it matters here");
        NS_TEST_EXPECT_MSG_EQ(GetRate(1, "ideal split=path"), path, "level 1 by paths");
        NS_TEST_EXPECT_MSG_EQ(GetRate(1, "ideal split=hop"), hop, "level 1 by hops");
    }
};

/** Every balancer with every transport, in a class beside another one. */
class CombinationsTestCase : public TestCase
{
  public:
    CombinationsTestCase()
        : TestCase("every transport and balancer, trimming, 2, 4 and 8 classes: they run, or are "
                   "refused with a reason")
    {
    }

  private:
    void Check(const weft_algo& transport, const weft_algo& balancer, bool trims, uint32_t classes)
    {
        const std::string what = std::string(transport.name) + ", " + balancer.name +
                                 (trims ? ", trimming, " : ", ") + std::to_string(classes);
        LevelRig rig(
            {{"rsq", trims ? "trim" : "sack", 1}, {balancer.name, transport.name, classes - 1}},
            std::string("shared-buffer classes=") + std::to_string(classes) +
                (trims ? " preset=trim-400g trim-at=20KB kmin=5KB kmax=15KB" : " preset=100g"));
        const std::string error = rig.Build();
        const bool fits = !trims || (weft_transport_find(transport.name)->trims &&
                                     !weft_lb_find(balancer.name)->tor);
        NS_TEST_ASSERT_MSG_EQ(error.empty(), fits, what << ": " << error);
        if (!fits)
        {
            return;
        }
        rig.SendAll(20000, 1);
        for (uint32_t src = 1; src < 8; src++)
        {
            rig.Send(src % 2, src, 0, 40000);
        }
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", what);
    }

    void DoRun() override
    {
        const weft_registry* transports = weft_registry_find("transport");
        const weft_registry* balancers = weft_registry_find("balancer");
        for (size_t i = 0; i < transports->count * balancers->count; i++)
        {
            for (uint32_t classes = 2; classes <= 8; classes *= 2)
            {
                const weft_algo& transport = *transports->algos[i / balancers->count];
                const weft_algo& balancer = *balancers->algos[i % balancers->count];
                Check(transport, balancer, false, classes);
                Check(transport, balancer, true, classes);
            }
        }
    }
};

/** Levels that do not fit the fabric are refused with a reason. */
class RefusedTestCase : public TestCase
{
  public:
    RefusedTestCase()
        : TestCase("a level that does not fit is refused with a reason")
    {
    }

  private:
    void Check(const Level& level, const std::string& buffer, const std::string& reason)
    {
        LevelRig rig({{"ecmp", "trim", 1}, level}, buffer);
        rig.fabric->SetAttribute("Frames", StringValue("roce ack-every=4"));
        const std::string error = rig.Build();
        NS_TEST_EXPECT_MSG_NE(error.find(reason), std::string::npos, "refused: " << error);
    }

    void DoRun() override
    {
        Check({"ecmp", "sack", 2},
              "shared-buffer preset=100g",
              "queue 2 of service level 1 is none for data");
        Check({"ecmp", "sack", 1}, "shared-buffer preset=trim-400g", "take a trimmed packet");
        Check({"themis", "trim", 1}, "shared-buffer preset=trim-400g", "block NACKs of trimmed");
        Check({"ecmp", "sack outstanding=3", 1},
              "shared-buffer preset=100g",
              "the transport sack of service level 1 has outstanding 3, less than ack-every 4");
        Check({"ecmp", "trim", 1},
              "shared-buffer preset=100g pfc=off port-buffer=1000B",
              "a switch has a port-buffer of 1000 bytes, which holds no full frame");
    }
};

class WeftServiceLevelTestSuite : public TestSuite
{
  public:
    WeftServiceLevelTestSuite()
        : TestSuite("weft-service-level", Type::UNIT)
    {
        AddTestCase(new OwnBalancerTestCase);
        AddTestCase(new TorBalancerTestCase);
        AddTestCase(new ThemisTestCase);
        AddTestCase(new TransportTestCase);
        AddTestCase(new PausedRepliesTestCase);
        AddTestCase(new PausedPortTestCase);
        AddTestCase(new ShareTestCase);
        AddTestCase(new CombinationsTestCase);
        AddTestCase(new RefusedTestCase);
    }
};

WeftServiceLevelTestSuite g_weftServiceLevelTestSuite; //!< registers the suite

} // namespace
