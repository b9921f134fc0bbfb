// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * PRO's loss detection and MP-RDMA's in a running fabric: what spraying reorders is not sent again,
 * what is lost is, and all arrives.
 */
#include "weft-test-rig.h"

#include "ns3/node-container.h"
#include "ns3/test.h"

#include <utility>

using namespace ns3;

namespace
{

/** Case of a run: every host sends 2 MB, 1,370 packets, to a host of another leaf. */
struct Case
{
    std::string transport;                                  //!< under test
    std::string balancer{"switch-rr"};                      //!< its name
    std::vector<std::pair<uint32_t, uint32_t>> drops{};     //!< QP and packet, lost once each
    double loss{0};                                         //!< of data, injected
    bool fails{false};                                      //!< a link does, for 100 us
    std::string buffer{"shared-buffer preset=100g pfc=on"}; //!< the switches'
    bool slow{false};                                       //!< a link has half its rate
};

/** Outcome of a run. */
struct Outcome
{
    WeftRigTotals t;      //!< of QPs and switches
    uint64_t lost{0};     //!< frames of all kinds, everywhere
    bool done{false};     //!< everything was delivered and acknowledged
    std::string books;    //!< what does not balance
    int64_t finished{-1}; //!< when the last message was delivered, ps
};

Outcome
Simulate(const Case& run)
{
    WeftRigSetup setup;
    setup.balancer = run.balancer;
    setup.transport = run.transport;
    setup.buffer = run.buffer;
    WeftRig rig(setup);
    rig.fabric->SetLossProbability(run.loss);
    for (const auto& [qp, packet] : run.drops)
    {
        rig.fabric->AddDrop(qp, packet, 1);
    }
    if (run.fails)
    {
        rig.fabric->ScheduleFailure(rig.FindLink(0, 4), MicroSeconds(50), MicroSeconds(150));
    }
    if (run.slow)
    {
        const uint64_t link = rig.FindLink(0, 4);
        const int64_t rate = rig.fabric->GetLink(link).rate;
        rig.fabric->ScheduleDegradation(link, rate / 2, Time(0), Time::Max());
    }
    rig.SendAll(3, 2000000);
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    Outcome o;
    o.t = rig.GetTotals();
    for (const uint64_t lost : rig.fabric->GetCounters().lost)
    {
        o.lost += lost;
    }
    o.done = rig.delivered == rig.fabric->GetNHosts() && rig.acked == rig.delivered;
    o.books = rig.Audit();
    o.finished = rig.lastDelivered;
    return o;
}

/** Losses in the middle of flows: alone, in a burst, and many. */
std::vector<std::pair<uint32_t, uint32_t>>
MiddleLosses()
{
    std::vector<std::pair<uint32_t, uint32_t>> drops{{0, 100}, {1, 300}, {1, 301}, {1, 302}};
    for (uint32_t packet = 200; packet < 1000; packet += 8)
    {
        drops.emplace_back(3, packet);
    }
    return drops;
}

/** Packets that are merely late. */
class SprayingTestCase : public TestCase
{
  public:
    SprayingTestCase()
        : TestCase("packets that only overtake each other are not sent again")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t overtaken = 0;
        for (const char* balancer : {"ops", "switch-rr", "host-dr", "drill"})
        {
            for (const char* transport : {"pro-window", "mprdma"})
            {
                const Outcome o = Simulate({transport, balancer});
                NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered: " << balancer);
                NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
                NS_TEST_EXPECT_MSG_EQ(o.lost, 0, "nothing is lost");
                NS_TEST_EXPECT_MSG_EQ(o.t.nacksSent,
                                      0,
                                      "no NACK: " << transport << " " << balancer);
                NS_TEST_EXPECT_MSG_EQ(o.t.resent + o.t.timeouts, 0, "no repeat: " << transport);
                overtaken += o.t.outOfOrder;
            }
        }
        NS_TEST_EXPECT_MSG_GT(overtaken, 1000, "there is reordering");

        // Packets over a slow link come later than by a bandwidth-delay product. Each of them
        // widens the window when it comes again. ACKs overtake NACKs there: a packet that is
        // acknowledged before its turn is not sent again.
        Case slow{"pro-window", "simple-rr"};
        slow.slow = true;
        const Outcome pro = Simulate(slow);
        slow.transport = "mprdma";
        const Outcome mp = Simulate(slow);
        NS_TEST_EXPECT_MSG_EQ(pro.lost + mp.lost, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(pro.t.resent, pro.t.nacksSent, "at most one for each NACK");
        NS_TEST_EXPECT_MSG_EQ(pro.t.duplicates, pro.t.resent, "all of them in vain");
        NS_TEST_EXPECT_MSG_GT(pro.t.resent, 0, "there are some");
        NS_TEST_EXPECT_MSG_LT(pro.t.resent, mp.t.resent, "a bitmap's overflow costs more");
    }
};

/** Packets that are lost while others follow. */
class LossesTestCase : public TestCase
{
  public:
    LossesTestCase()
        : TestCase("losses with packets behind them need no timer, and nothing else is sent again")
    {
    }

  private:
    void DoRun() override
    {
        Case run{"pro-window ooo-window=64"};
        run.drops = MiddleLosses();
        const uint64_t losses = run.drops.size();
        const Outcome pro = Simulate(run);
        NS_TEST_EXPECT_MSG_EQ(pro.done, true, "all is delivered");
        NS_TEST_EXPECT_MSG_EQ(pro.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(pro.lost, losses, "all the losses");
        NS_TEST_EXPECT_MSG_EQ(pro.t.resent, losses, "each costs one retransmission");
        NS_TEST_EXPECT_MSG_EQ(pro.t.nacks, losses, "and one NACK");
        NS_TEST_EXPECT_MSG_EQ(pro.t.timeouts + pro.t.duplicates, 0, "and that is all");

        run.transport = "mprdma rto=80us";
        const Outcome mp = Simulate(run);
        NS_TEST_EXPECT_MSG_EQ(mp.done, true, "all is delivered");
        NS_TEST_EXPECT_MSG_EQ(mp.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(mp.t.timeouts, 0, "the bitmap overflows before");
        NS_TEST_EXPECT_MSG_GT(mp.t.duplicates, losses, "what had come is sent again");
        NS_TEST_EXPECT_MSG_LT(pro.finished, mp.finished, "which takes its time");
    }
};

/** Nothing follows that could tell of a loss. */
class TailTestCase : public TestCase
{
  public:
    TailTestCase()
        : TestCase("a lost tail costs one timeout, and 80 us")
    {
    }

  private:
    void DoRun() override
    {
        Case run{"pro-window"};
        const Outcome quiet = Simulate(run);
        run.drops = {{3, 1369}, {3, 1367}, {3, 1360}};
        for (const char* transport : {"pro-window", "pro-window timeout=receiver"})
        {
            run.transport = transport;
            const Outcome o = Simulate(run);
            NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered");
            NS_TEST_EXPECT_MSG_EQ(o.t.timeouts, 1, "one timeout for all three");
            NS_TEST_EXPECT_MSG_EQ(o.t.resent, 3, "all of them then");
            NS_TEST_EXPECT_MSG_GT(o.finished, quiet.finished + 80000000, "it is the RTO");
            NS_TEST_EXPECT_MSG_LT(o.finished, quiet.finished + 100000000, "and no more");
        }
    }
};

/** Anything may be lost. */
class TroubleTestCase : public TestCase
{
  public:
    TroubleTestCase()
        : TestCase("all arrives whatever is lost")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"pro-window",
                                      "pro-window nacks=all ooo-window=8",
                                      "pro-window check=timeouts",
                                      "pro-window timeout=receiver",
                                      "mprdma rto=80us",
                                      "mprdma rto=80us delta=32",
                                      "mprdma rto=80us in-flight=64"})
        {
            Case run{transport, "ops"};
            run.loss = 0.01;
            Check(run);
            run.loss = 0;
            run.fails = true;
            Check(run);
            run.fails = false;
            run.buffer = "shared-buffer preset=100g pfc=off port-buffer=4KB";
            Check(run);
        }
    }

    void Check(const Case& run)
    {
        const Outcome o = Simulate(run);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered: " << run.transport);
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance: " << run.transport);
        NS_TEST_EXPECT_MSG_GT(o.lost + o.t.drops, 10, "there are losses");
        NS_TEST_EXPECT_MSG_GT(o.t.resent, 10, "they are repaired");
    }
};

class WeftProWindowTestSuite : public TestSuite
{
  public:
    WeftProWindowTestSuite()
        : TestSuite("weft-pro-window", Type::UNIT)
    {
        AddTestCase(new SprayingTestCase);
        AddTestCase(new LossesTestCase);
        AddTestCase(new TailTestCase);
        AddTestCase(new TroubleTestCase);
    }
};

WeftProWindowTestSuite g_weftProWindowTestSuite; //!< registers the suite

} // namespace
