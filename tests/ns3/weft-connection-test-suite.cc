// SPDX-License-Identifier: GPL-2.0-only
// A user would lose messages that go out in parts (subflows, planners), transports whose receivers
// have a timer of their own, and what path selectors are told of losses and of QPs that are active.
#include "weft-death.h"
#include "weft-test-rig.h"

#include "ns3/string.h"
#include "ns3/test.h"

#include <map>
#include <weft/host.h>
#include <weft/plan.h>

using namespace ns3;

namespace
{

constexpr const char* FOUR_PATHS = "leaf-spine leaves=2 spines=4 hosts-per-leaf=2 "
                                   "link-rate=100Gbps";

/** Subflows are QPs of their own: as many, with a part of the message each, and other labels. */
class SubflowTestCase : public TestCase
{
  public:
    SubflowTestCase()
        : TestCase("a message of a subflow balancer goes out on n QPs, and is done when all are")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = FOUR_PATHS;
        setup.balancer = "subflow n=4";
        WeftRig rig(setup);
        WeftConnection* c = rig.fabric->Connect(0, 2, &rig);
        const auto payload = static_cast<uint64_t>(rig.fabric->GetFrameConfig().payload);
        rig.fabric->PostMessages(0, {{c, 10 * payload, 7}, {c, 2 * payload, 8}});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetNQps(), 4, "QPs");
        NS_TEST_EXPECT_MSG_EQ(rig.delivered, 2, "delivered, once each");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 2, "acknowledged, once each");
        const uint64_t packets[] = {4, 4, 2, 2}; // 3 + 1, 3 + 1, 2, 2
        for (uint32_t i = 0; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetQp(i)->una, packets[i], "packets of QP " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "conservation");
    }
};

/** Nobody repairs a subflow whose path is dead but its own timer: it is a flow like any other. */
class DeadSubflowTestCase : public TestCase
{
  public:
    DeadSubflowTestCase()
        : TestCase("a subflow on a dead path holds its message up, and its siblings do not help")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = FOUR_PATHS;
        setup.balancer = "subflow n=8";
        setup.seed = 2;
        setup.frames = "roce retry-limit=3";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Seconds(1)));
        rig.fabric->ScheduleFailure(rig.FindLink(0, 2), Time(0), Time::Max());
        WeftConnection* c = rig.fabric->Connect(0, 2, &rig);
        rig.fabric->PostMessages(0, {{c, 1000000, 0}});
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        uint32_t dead = 0;
        uint32_t cut = 0;
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            const WeftQp* qp = rig.fabric->GetQp(i);
            dead += qp->given_up;
            cut += qp->arrived == 0;
            NS_TEST_EXPECT_MSG_EQ((qp->given_up || qp->una == qp->posted),
                                  true,
                                  "one or the other");
        }
        NS_TEST_EXPECT_MSG_GT(dead, 0, "8 labels over 4 paths, one of them dead");
        NS_TEST_EXPECT_MSG_LT(dead, 8, "the others arrive");
        NS_TEST_EXPECT_MSG_GT(cut, 0, "data of one at least meets the dead link");
        NS_TEST_EXPECT_MSG_EQ(rig.delivered, 0, "the message is not whole");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 0, "and not acknowledged");
        NS_TEST_EXPECT_MSG_EQ(rig.failed, 1, "but has failed, once");
    }
};

/** Calls of the planner: by time, ps, each host with its number of messages. */
std::map<int64_t, std::vector<std::pair<uint32_t, size_t>>> g_asked;

const weft_plan_ops g_spy{
    [](const void*, const weft_plan_site*) { return sizeof(uint32_t); },
    [](void* host, const void*, const weft_plan_site* site) {
        *static_cast<uint32_t*>(host) = site->host;
        return 0;
    },
    [](const void*) { return uint32_t{1}; },
    [](const void*, uint32_t) { return uint32_t{4}; },
    [](const void*, const weft_plan_message*, size_t n) { return n; },
    [](void* host,
       const weft_plan_message* messages,
       size_t n,
       int64_t now,
       weft_plan_part* parts) {
        g_asked[now].push_back({*static_cast<uint32_t*>(host), n});
        for (size_t i = 0; i < n; i++)
        {
            // The last first, on QPs that come into being as they are asked for, one after the
            // other.
            const size_t m = n - 1 - i;
            parts[i] = {static_cast<uint32_t>(m),
                        3,
                        messages[m].bytes,
                        0,
                        false,
                        static_cast<int64_t>(m) * 1000000};
        }
        return n;
    },
};

/** A planner that sees messages one by one cannot place them against each other. */
class TogetherTestCase : public TestCase
{
  public:
    TogetherTestCase()
        : TestCase("a planner sees all that a host posts at one instant, and may make QPs")
    {
    }

  private:
    void DoRun() override
    {
        g_asked.clear();
        weft_lb_ops balancer = *weft_lb_find("ecmp");
        balancer.plan = &g_spy;
        int64_t config[8] = {};
        weft_config_default(&balancer.algo, config);
        auto fabric = CreateObject<WeftFabric>();
        fabric->SetAttribute("Topology", StringValue(FOUR_PATHS));
        fabric->SetChoice("balancer", &balancer.algo, config);
        NodeContainer hosts(4);
        NodeContainer switches(6);
        std::string error;
        NS_TEST_ASSERT_MSG_EQ(fabric->Build(hosts, switches, error), true, error);
        auto all = CreateObject<WeftCollective>();
        all->SetAttribute("Workload", StringValue("alltoall bytes=30KB"));
        NS_TEST_ASSERT_MSG_EQ(all->Install(fabric, error), true, error);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(g_asked.size(), 1, "one instant");
        NS_TEST_EXPECT_MSG_EQ(g_asked.begin()->second.size(), 4, "each host is asked once");
        for (const auto& ask : g_asked.begin()->second)
        {
            NS_TEST_EXPECT_MSG_EQ(ask.second, 3, "for all its messages");
        }
        NS_TEST_EXPECT_MSG_EQ(all->IsDone(), true, "all is done");
        std::map<int64_t, uint32_t> began;
        for (uint32_t i = 0; i < fabric->GetNQps(); i++)
        {
            const WeftQp* qp = fabric->GetQp(i);
            began[qp->first_sent < 0 ? -1 : qp->first_sent / 1000000] += 1;
        }
        NS_TEST_EXPECT_MSG_EQ(
            (began == std::map<int64_t, uint32_t>{{-1, 36}, {0, 4}, {1, 4}, {2, 4}}),
            true,
            "a part leaves when its delay is over");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetNQps(), 12 * 4, "QPs up to the fourth one were made");
        NS_TEST_EXPECT_MSG_EQ(fabric->CheckConservation(error), true, error);
        Simulator::Destroy();
    }
};

/** A host may post messages of several service levels at one instant, or none. */
class MixedPostsTestCase : public TestCase, public WeftMessageListener
{
  public:
    MixedPostsTestCase()
        : TestCase("messages of several service levels are posted by the planner of each")
    {
    }

    void MessageDelivered(const WeftQp&, uint64_t) override
    {
    }

    void MessageAcked(const WeftQp&, uint64_t tag) override
    {
        m_acked[tag]++;
    }

    void MessageFailed(const WeftQp&, uint64_t) override
    {
    }

  private:
    void DoRun() override
    {
        auto fabric = CreateObject<WeftFabric>();
        fabric->SetAttribute("Topology", StringValue(FOUR_PATHS));
        for (const char* balancer : {"subflow n=4", "subflow n=2"})
        {
            fabric->SetLevelText(fabric->AddServiceLevel(1), "balancer", balancer);
        }
        NodeContainer hosts(4);
        NodeContainer switches(6);
        std::string error;
        NS_TEST_ASSERT_MSG_EQ(fabric->Build(hosts, switches, error), true, error);
        fabric->PostMessages(0, {});
        std::vector<WeftConnection*> c;
        for (uint32_t level = 0; level < 3; level++)
        {
            c.push_back(fabric->Connect(0, 2, this, level));
        }
        const auto payload = static_cast<uint64_t>(fabric->GetFrameConfig().payload);
        fabric->PostMessages(0,
                             {{c[0], 8 * payload, 0},
                              {c[2], 8 * payload, 1},
                              {c[1], 8 * payload, 2},
                              {c[2], 4 * payload, 3},
                              {c[0], 4 * payload, 4}});
        Simulator::Run();
        const uint64_t packets[] = {12, 2, 2, 2, 2, 6, 6}; // 1, 4 and 2 QPs
        NS_TEST_ASSERT_MSG_EQ(fabric->GetNQps(), 7, "QPs");
        for (uint32_t i = 0; i < 7; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(fabric->GetQp(i)->una, packets[i], "packets of QP " << i);
        }
        const std::map<uint64_t, uint32_t> once{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}};
        NS_TEST_EXPECT_MSG_EQ((m_acked == once), true, "all are acknowledged, once each");
        for (uint32_t level = 0; level < 2; level++)
        {
            const auto die = [&fabric, &c, level](uint32_t src, uint64_t bytes) {
                return WeftDeathOf([&] { fabric->PostMessages(src, {{c[level], bytes, 5}}); });
            };
            NS_TEST_EXPECT_MSG_NE(die(0, 0).find("a message of 0 bytes"), std::string::npos, level);
            NS_TEST_EXPECT_MSG_NE(die(1, 9).find("a message of host 0 among those of host 1"),
                                  std::string::npos,
                                  level);
        }
        Simulator::Destroy();
    }

    std::map<uint64_t, uint32_t> m_acked; //!< how often, by tag
};

/** When receivers are to acknowledge, by their state. */
std::map<const void*, int64_t> g_due;

/** Go-back-N whose receiver acknowledges 5 us after the first packet that is not acknowledged. */
weft_transport_ops
DelayedAcks()
{
    static const weft_transport_ops* gbn = weft_transport_find("gbn");
    weft_transport_ops delayed = *gbn;
    delayed.rx_data = [](void* rx, const weft_packet* d, int64_t now, weft_rx_verdict* v) {
        gbn->rx_data(rx, d, now, v);
        if (v->reply == WEFT_REPLY_ACK)
        {
            v->reply = WEFT_REPLY_NONE;
            g_due.emplace(rx, now + 5000000);
        }
    };
    delayed.rx_deadline = [](const void* rx) {
        const auto due = g_due.find(rx);
        return due == g_due.end() ? WEFT_NEVER : due->second;
    };
    delayed.rx_timeout = [](void* rx, int64_t, weft_rx_verdict* v) {
        g_due.erase(rx);
        v->reply = WEFT_REPLY_ACK;
    };
    return delayed;
}

/** Windows that the receiver drives (PRO's), or ACKs that wait for a time, need it. */
class ReceiverTimerTestCase : public TestCase
{
  public:
    ReceiverTimerTestCase()
        : TestCase("a receiver's timer sends its reply when it is due")
    {
    }

  private:
    void DoRun() override
    {
        g_due.clear();
        const weft_transport_ops delayed = DelayedAcks();
        int64_t config[8] = {};
        weft_config_default(&delayed.algo, config);
        auto fabric = CreateObject<WeftFabric>();
        fabric->SetAttribute("Topology", StringValue(FOUR_PATHS));
        fabric->SetAttribute("CongestionControl", StringValue("none"));
        fabric->SetChoice("transport", &delayed.algo, config);
        NodeContainer hosts(4);
        NodeContainer switches(6);
        std::string error;
        NS_TEST_ASSERT_MSG_EQ(fabric->Build(hosts, switches, error), true, error);
        WeftQp* qp = fabric->CreateQp(0, 2, nullptr);
        const auto payload = static_cast<uint64_t>(fabric->GetFrameConfig().payload);
        fabric->Post(qp, 100 * payload, 0);
        Simulator::Run();
        const int64_t wire = (fabric->GetFrameConfig().payload + fabric->GetFrameConfig().header +
                              fabric->GetFrameConfig().gap) *
                             80;
        // The first ACK 5 us after the first packet, the next one 5 us after the next packet ...
        const int64_t each = 5000000 / wire + 1;
        NS_TEST_EXPECT_MSG_EQ(qp->acks, static_cast<uint64_t>((100 + each - 1) / each), "ACKs");
        NS_TEST_EXPECT_MSG_EQ(qp->una, 100, "all is acknowledged");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetTransport()->tx_counters(qp->tx)->timeouts, 0, "in time");
        NS_TEST_EXPECT_MSG_EQ(fabric->CheckConservation(error), true, error);
        Simulator::Destroy();
    }
};

class WeftConnectionTestSuite : public TestSuite
{
  public:
    WeftConnectionTestSuite()
        : TestSuite("weft-connection", Type::UNIT)
    {
        AddTestCase(new SubflowTestCase);
        AddTestCase(new DeadSubflowTestCase);
        AddTestCase(new TogetherTestCase);
        AddTestCase(new MixedPostsTestCase);
        AddTestCase(new ReceiverTimerTestCase);
    }
};

WeftConnectionTestSuite g_weftConnectionTestSuite; //!< registers the suite

} // namespace
