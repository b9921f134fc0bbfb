// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Windowed congestion control in a running fabric: a window holds what it says, below one packet
 * too, no loss stops it for good, and Swift keeps queues short and links busy.
 */
#include "weft-test-rig.h"

#include "ns3/test.h"

using namespace ns3;

namespace
{

/** Outcome of a run. */
struct Outcome
{
    int64_t end;        //!< when the last message was delivered, ps
    bool done;          //!< everything was delivered and acknowledged
    std::string books;  //!< what does not balance
    uint32_t peakQueue; //!< most bytes at a port of the receiver's ToR, once settled
    double meanQueue;   //!< on average, of the longest queue there
    WeftRigTotals t;    //!< of QPs and switches
};

/** Queues at host 0's ToR, looked at every 2 us from 300 us on, while all flows send. */
struct Queues
{
    WeftRig* rig;      //!< under test
    uint32_t peak{0};  //!< bytes
    double sum{0};     //!< of the longest queue
    uint32_t looks{0}; //!< so often

    /** Looks, and looks again 2 us later. */
    void Look()
    {
        if (rig->delivered > 0)
        {
            return;
        }
        const uint32_t tor = weft_clos_tor(&rig->fabric->GetClos(), 0);
        const weft_mmu& mmu = rig->fabric->GetSwitch(tor)->GetBuffer();
        const uint32_t ports = rig->fabric->GetSwitch(tor)->GetNPorts();
        const uint32_t* queues = weft_mmu_queues(&mmu);
        const uint32_t longest = *std::max_element(queues, queues + ports);
        peak = std::max(peak, longest);
        sum += longest;
        looks++;
        Simulator::Schedule(MicroSeconds(2), &Queues::Look, this);
    }
};

/** How the flows of a run are controlled. */
struct Control
{
    std::string cc;                   //!< congestion control
    std::string transport{"sack"};    //!< transport
    std::vector<uint32_t> sources{8}; //!< they send to host 0
    uint64_t bytes{1000000};          //!< each
    double loss{0};                   //!< probability
    int64_t lossEnds{-1};             //!< us, or -1
    bool drops{false};                //!< packet 20 of the first flow is lost
};

Outcome
Simulate(const Control& control)
{
    WeftRigSetup setup;
    setup.topology = "fat-tree k=4 tiers=3 link-rate=100Gbps";
    setup.cc = control.cc;
    setup.transport = control.transport;
    setup.frames = "roce payload=4096B retry-limit=0";
    WeftRig rig(setup);
    for (const uint32_t src : control.sources)
    {
        rig.Send(src, 0, control.bytes);
    }
    rig.fabric->SetLossProbability(control.loss);
    if (control.drops)
    {
        rig.fabric->AddDrop(0, 20, 1);
    }
    if (control.lossEnds >= 0)
    {
        Simulator::Schedule(MicroSeconds(control.lossEnds),
                            &WeftFabric::SetLossProbability,
                            rig.fabric,
                            0.0);
    }
    Queues queues{&rig};
    Simulator::Schedule(MicroSeconds(300), &Queues::Look, &queues);
    Simulator::Stop(MilliSeconds(control.loss > 0 ? 400 : 3));
    Simulator::Run();
    Outcome o{};
    o.end = rig.lastDelivered;
    o.done = rig.acked == control.sources.size() && rig.delivered == rig.acked;
    o.books = rig.Audit();
    o.peakQueue = queues.peak;
    o.meanQueue = queues.sum / std::max(queues.looks, 1U);
    o.t = rig.GetTotals();
    return o;
}

/** Packets per round trip are what the window says, from half a packet to all that fits. */
class WindowHoldsTestCase : public TestCase
{
  public:
    WindowHoldsTestCase()
        : TestCase("a window lets so many packets leave per round trip")
    {
    }

  private:
    /** @param window packets @param packets of the message @return ps per packet */
    double PerPacket(const std::string& window, uint32_t packets)
    {
        Control c{"swift max-cwnd=" + window};
        c.bytes = packets * UINT64_C(4096);
        const Outcome o = Simulate(c);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered with a window of " << window);
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        return static_cast<double>(o.end) / packets;
    }

    void DoRun() override
    {
        const double one = PerPacket("1", 100);
        const double half = PerPacket("0.5", 100);
        const double ten = PerPacket("10", 1000);
        const double twenty = PerPacket("20", 1000);
        NS_TEST_EXPECT_MSG_EQ_TOL(half, 2 * one, 0.03 * one, "half a packet");
        NS_TEST_EXPECT_MSG_EQ_TOL(ten, one / 10, 0.005 * one, "ten packets");
        NS_TEST_EXPECT_MSG_EQ_TOL(twenty, one / 20, 0.005 * one, "twenty");
    }
};

/** Whatever is lost, the window opens again, with every transport. */
class WindowOpensTestCase : public TestCase
{
  public:
    WindowOpensTestCase()
        : TestCase("no loss closes a window for good")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"sack", "erasure", "nic-sr", "gbn", "ideal"})
        {
            for (const char* cc : {"swift", "mswift fast-cut=on"})
            {
                Control c{cc, transport};
                c.loss = 0.02;
                Outcome o = Simulate(c);
                NS_TEST_EXPECT_MSG_EQ(o.done, true, cc << ", " << transport << ", 2 % loss");
                NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
                NS_TEST_EXPECT_MSG_GT(o.t.cuts, 0, "losses cut the window");
                c.loss = 1;
                c.lossEnds = 1500;
                c.bytes = 100000;
                o = Simulate(c);
                NS_TEST_EXPECT_MSG_EQ(o.done, true, cc << ", " << transport << ", an outage");
                NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
                NS_TEST_EXPECT_MSG_GT(o.t.timeouts, 0, "silence was noticed");
                // At worst one timer of 1 ms for each of the 25 packets lost, after the outage.
                NS_TEST_EXPECT_MSG_LT(o.end, 28 * INT64_C(1000000000), "and made good");
            }
        }
    }
};

/** Packets that a NACK asks for leave whatever the window, and only they. */
class WindowYieldsTestCase : public TestCase
{
  public:
    WindowYieldsTestCase()
        : TestCase("a full window holds back no retransmission, and holds after it")
    {
    }

  private:
    void DoRun() override
    {
        // NIC-SR takes nothing for lost, so all that follows the lost packet fills the window.
        Control c{"swift max-cwnd=4 fast-cut=off", "nic-sr"};
        c.bytes = 100 * 4096;
        const Outcome whole = Simulate(c);
        c.drops = true;
        const Outcome hurt = Simulate(c);
        NS_TEST_EXPECT_MSG_EQ(hurt.t.nacks, 1, "the receiver asks for it");
        NS_TEST_EXPECT_MSG_EQ(hurt.t.resent, 1, "it is sent again");
        NS_TEST_EXPECT_MSG_EQ(hurt.t.timeouts, 0, "and needs no timer");
        NS_TEST_EXPECT_MSG_GT(hurt.end, whole.end, "the window counts as before");
        NS_TEST_EXPECT_MSG_LT(hurt.end, whole.end + INT64_C(40000000), "a round trip or two later");
    }
};

/** The least window of an outage does not outlast it: an ACK opens it at once. */
class PacingEndsTestCase : public TestCase
{
  public:
    PacingEndsTestCase()
        : TestCase("a window that opens ends the pacing of a small one")
    {
    }

  private:
    void DoRun() override
    {
        Control c{"swift", "erasure rto=100us"};
        c.bytes = 2000000;
        c.loss = 1;
        c.lossEnds = 5000;
        const Outcome o = Simulate(c);
        NS_TEST_EXPECT_MSG_GT(o.t.timeouts, 4, "so many that the window is the least");
        // A packet in 1,000 round trips of 14 us each: one such pause may reach beyond the outage.
        NS_TEST_EXPECT_MSG_LT(o.end, 30 * INT64_C(1000000000), "and no more after it");
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "all is delivered");
    }
};

/** A flow alone keeps line rate; two share a link, and their queue stays at the target. */
class SwiftTestCase : public TestCase
{
  public:
    SwiftTestCase()
        : TestCase("swift keeps links busy and queues short")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome free = Simulate({"none", "sack", {8}, 8000000});
        const Outcome crowd = Simulate({"none", "sack", {4, 8}, 8000000});
        const double target = 113000;
        NS_TEST_EXPECT_MSG_GT(crowd.peakQueue, 5 * target, "two flows without control queue up");
        for (const char* cc : {"swift", "mswift"})
        {
            Outcome o = Simulate({cc, "sack", {8}, 8000000});
            NS_TEST_EXPECT_MSG_EQ(o.end, free.end, "line rate for a flow alone: " << cc);
            NS_TEST_EXPECT_MSG_EQ(o.t.cuts, 0, "uncut");
            o = Simulate({cc, "sack", {4, 8}, 8000000});
            NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
            NS_TEST_EXPECT_MSG_GT(o.t.cuts, 2, "two flows are cut");
            NS_TEST_EXPECT_MSG_LT(o.peakQueue, 1.25 * target, "their queue is at the target");
            NS_TEST_EXPECT_MSG_GT(o.meanQueue, 0.3 * target, "not far below it");
            NS_TEST_EXPECT_MSG_LT(static_cast<double>(o.end),
                                  1.02 * static_cast<double>(crowd.end),
                                  "and the link is busy");
        }
    }
};

class WeftWindowTestSuite : public TestSuite
{
  public:
    WeftWindowTestSuite()
        : TestSuite("weft-window", Type::UNIT)
    {
        AddTestCase(new WindowHoldsTestCase);
        AddTestCase(new WindowOpensTestCase);
        AddTestCase(new WindowYieldsTestCase);
        AddTestCase(new PacingEndsTestCase);
        AddTestCase(new SwiftTestCase);
    }
};

WeftWindowTestSuite g_weftWindowTestSuite; //!< registers the suite

} // namespace
