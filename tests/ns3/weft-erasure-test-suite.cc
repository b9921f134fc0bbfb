// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The ideal loss recovery in a running fabric: as many symbols as packets and losses, whatever
 * queues do, and each loss is told a round trip of the idle fabric after the symbol left.
 */
#include "weft-slow-suite.h"
#include "weft-test-rig.h"

#include "ns3/node-container.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr const char* HUGE_BUFFERS = "shared-buffer preset=ofan port-buffer=1GB";
constexpr const char* OFAN_BUFFERS = "shared-buffer preset=ofan";

/** Case of a run: every host sends 4 MiB to a host of another pod. */
struct Case
{
    std::string balancer;                                   //!< its name
    std::string buffer{HUGE_BUFFERS};                       //!< the switches'
    std::string frames{"roce payload=4096B"};               //!< with the ACKs' priority
    double loss{0};                                         //!< of data, injected
    bool fails{false};                                      //!< a core link does, for 100 us
    std::string topology{"fat-tree k=4 link-rate=100Gbps"}; //!< with so many hosts:
    uint32_t shift{5};                                      //!< hosts between sender and receiver
};

/** Outcome of a run. */
struct Outcome
{
    WeftRigTotals t;      //!< of QPs and switches
    uint64_t lostData{0}; //!< in switches
    uint64_t lostAcks{0}; //!< in switches
    uint64_t lost{0};     //!< frames of all kinds, everywhere
    bool done{false};     //!< everything was delivered and acknowledged
    std::string books;    //!< what does not balance
};

/** Sorts what switches drop. */
class Losses
{
  public:
    /** @param rig whose switches are watched */
    explicit Losses(const WeftRig& rig)
    {
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            rig.fabric->GetSwitch(i)->TraceConnectWithoutContext("Drop",
                                                                 MakeCallback(&Losses::Add, this));
        }
    }

    uint64_t data{0}; //!< packets
    uint64_t acks{0}; //!< ACKs

  private:
    void Add(const weft_packet& d)
    {
        data += d.kind == WEFT_DATA;
        acks += d.kind == WEFT_ACK;
    }
};

Outcome
Simulate(const Case& run)
{
    WeftRigSetup setup;
    setup.topology = run.topology;
    setup.balancer = run.balancer;
    setup.transport = "erasure";
    setup.frames = run.frames;
    setup.buffer = run.buffer;
    WeftRig rig(setup);
    Losses losses(rig);
    rig.fabric->SetLossProbability(run.loss);
    if (run.fails)
    {
        rig.fabric->ScheduleFailure(rig.FindLink(8, 16), MicroSeconds(50), MicroSeconds(150));
    }
    rig.SendAll(run.shift, 4 << 20);
    Simulator::Stop(MilliSeconds(50));
    Simulator::Run();
    Outcome o;
    o.t = rig.GetTotals();
    o.lostData = losses.data;
    o.lostAcks = losses.acks;
    for (const uint64_t lost : rig.fabric->GetCounters().lost)
    {
        o.lost += lost;
    }
    o.done = rig.delivered == rig.fabric->GetNHosts() && rig.acked == rig.delivered;
    o.books = rig.Audit();
    return o;
}

/** Queues would look like losses, and repair symbols would queue. */
class QueuesTestCase : public TestCase
{
  public:
    QueuesTestCase()
        : TestCase("without a loss exactly m symbols are sent, whatever queues do")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* balancer : {"ecmp", "simple-rr", "ops"})
        {
            Check({balancer});
        }
        Case large{"ecmp"};
        large.topology = "fat-tree k=8 link-rate=800Gbps";
        large.shift = 19;
        Check(large);
        large.balancer = "simple-rr";
        Check(large);
    }

    void Check(const Case& run)
    {
        const Outcome o = Simulate(run);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered: " << run.balancer);
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(o.lost, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent + o.t.duplicates, 0, "nothing is sent again");
    }
};

/** Whatever loses a symbol, it costs one. */
class LossesTestCase : public TestCase
{
  public:
    LossesTestCase()
        : TestCase("each lost symbol costs one, and each lost ACK at most one")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* balancer : {"ecmp", "simple-rr", "ops"})
        {
            Case run{balancer, OFAN_BUFFERS, "roce payload=4096B ack-priority=ideal"};
            run.loss = run.balancer == "ecmp" ? 0 : 0.02;
            Outcome o = Simulate(run);
            NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered: " << balancer);
            NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
            NS_TEST_EXPECT_MSG_GT(o.lostData, 100, "there are losses");
            NS_TEST_EXPECT_MSG_EQ(o.t.resent, o.lostData, "each costs one symbol");
            NS_TEST_EXPECT_MSG_EQ(o.t.duplicates, 0, "and none is surplus");

            run.frames = "roce payload=4096B ack-priority=share";
            o = Simulate(run);
            NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered: " << balancer);
            NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(o.t.resent, o.lostData, "each costs one symbol");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(o.t.resent, o.lostData + o.lostAcks, "and ACKs");
        }
        Case run{"ops"};
        run.fails = true;
        const Outcome o = Simulate(run);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_GT(o.lost, 10, "frames are lost on a dead link");
        NS_TEST_EXPECT_MSG_GT(o.t.resent, 5, "data among them");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(o.t.resent, o.lost, "each costs one symbol at most");
    }
};

/** The yardstick itself: how long a loss delays a message that nothing else delays. */
class NewsTestCase : public TestCase
{
  public:
    NewsTestCase()
        : TestCase("a loss is told a round trip of the idle fabric after the symbol left")
    {
    }

  private:
    static constexpr uint32_t PACKETS = 100; //!< of the message

    /** @param bytes of a message on its own @param lost packets that are lost once @return when it
     * was delivered, ps */
    int64_t Deliver(uint64_t bytes, const std::vector<uint32_t>& lost)
    {
        WeftRigSetup setup;
        setup.topology = "fat-tree k=4 link-rate=100Gbps";
        setup.transport = "erasure";
        setup.frames = "roce payload=4096B";
        WeftRig rig(setup);
        WeftQp* qp = rig.Send(0, 15, bytes);
        for (const uint32_t offset : lost)
        {
            rig.fabric->AddDrop(0, offset, 1);
        }
        const weft_clos& clos = rig.fabric->GetClos();
        const weft_fabric_config& frame = rig.fabric->GetFrameConfig();
        m_trip = weft_clos_way(&clos, 0, 15, frame.payload + frame.header) +
                 weft_clos_way(&clos, 15, 0, frame.ack);
        m_slot = weft_wire_time(frame.payload + frame.header + frame.gap, clos.host_rate);
        if (bytes == PACKETS * 4096)
        {
            // All have left, and ACKs are back, but for the last one: its loss is news under way.
            Simulator::Stop(
                TimeStep(static_cast<uint64_t>(PACKETS * m_slot - m_slot + m_trip - 1)));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "news are no frames");
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetPacketsInUse(), 1 - lost.size(), "the last ACK");
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetPacketsInFabric(), 1 - lost.size(), "on its way");
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        const weft_tx_counters* tx = rig.fabric->GetTransport()->tx_counters(qp->tx);
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "all is acknowledged");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetPacketsInUse(), 0, "and nothing is left");
        NS_TEST_EXPECT_MSG_EQ(tx->resent, lost.size(), "one symbol for each loss");
        NS_TEST_EXPECT_MSG_EQ(qp->duplicates, 0, "none is surplus");
        return rig.lastDelivered;
    }

    void DoRun() override
    {
        const int64_t quiet = Deliver(PACKETS * 4096, {});
        const int64_t last = Deliver(PACKETS * 4096, {PACKETS - 1});
        NS_TEST_EXPECT_MSG_EQ(last - quiet, m_trip, "the last one of many");
        const int64_t one = Deliver(4096, {});
        const int64_t again = Deliver(4096, {0});
        NS_TEST_EXPECT_MSG_EQ(again - one, m_trip, "a lone one");
        // A packet of one byte follows: neither it nor its repair stands for the 4,096 lost ones.
        const int64_t full = Deliver(4097, {0});
        NS_TEST_EXPECT_MSG_EQ(full - one, m_trip, "a full one before a short one");
        const int64_t both = Deliver(4097, {0, 1});
        NS_TEST_EXPECT_MSG_GT(both - one, m_trip, "both");
    }

    int64_t m_trip{0}; //!< round trip, ps
    int64_t m_slot{0}; //!< of a packet on the wire, ps
};

class WeftErasureTestSuite : public WeftSlowSuite
{
  public:
    WeftErasureTestSuite()
        : WeftSlowSuite("weft-erasure", Type::UNIT)
    {
        AddSlow(new QueuesTestCase);
        AddTestCase(new LossesTestCase);
        AddTestCase(new NewsTestCase);
    }
};

WeftErasureTestSuite g_weftErasureTestSuite; //!< registers the suite

} // namespace
