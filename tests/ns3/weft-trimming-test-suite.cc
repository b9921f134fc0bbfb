// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Traffic classes, schedulers and packet trimming in a running fabric. If these fail, classes leave
 * a port in another order than their scheduler says, bytes appear or vanish where packets are
 * trimmed, or a trimmed packet is never sent again.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/test.h"

#include <tuple>

using namespace ns3;

namespace
{

constexpr const char* ONE_SWITCH =
    "leaf-spine leaves=1 spines=1 hosts-per-leaf=4 link-rate=100Gbps link-delay=1us";
constexpr int64_t FRAME = 1500;

/** Switch into which frames for host 1 are put by hand, as if they came from host 0. */
class OneSwitch : public WeftRig
{
  public:
    explicit OneSwitch(const WeftRigSetup& setup)
        : WeftRig(setup),
          m_qp(fabric->CreateQp(0, 1, this))
    {
        fabric->GetNic(1)->TraceConnectWithoutContext("Rx", MakeCallback(&OneSwitch::See, this));
    }

    /** A frame arrives now. @param kind of packet @param tclass its class @param bytes its length
     * @param psn its number */
    void Put(weft_packet_kind kind, uint32_t tclass, int64_t bytes, uint32_t psn)
    {
        weft_packet p{};
        p.dst = 1;
        p.qp = m_qp->index & WEFT_QP_MASK;
        p.kind = kind;
        p.tclass = static_cast<uint8_t>(tclass);
        p.bytes = static_cast<uint16_t>(bytes);
        p.psn = psn & WEFT_PSN_MASK;
        p.sport = 777;
        p.meta[1] = 4321;
        fabric->GetTicks().ChangeNow([this, p] { net_put(fabric->GetNet(), &p); });
    }

    /** Frames of one class and length that no transport knows of. */
    void PutMany(uint32_t tclass, int64_t bytes, uint32_t n)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            Put(WEFT_CNP, tclass, bytes, 0);
        }
    }

    std::vector<weft_packet> seen; //!< by host 1's NIC, in order

  private:
    void See(const weft_packet& p)
    {
        seen.push_back(p);
    }

    WeftQp* m_qp; //!< from host 0 to host 1
};

/** @return the classes of what was seen, a digit each */
std::string
ClassesOf(const std::vector<weft_packet>& seen)
{
    std::string text;
    for (const weft_packet& p : seen)
    {
        text += static_cast<char>('0' + p.tclass);
    }
    return text;
}

/** Frames that wait together leave as the scheduler says. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("classes leave a port in the order of its scheduler, class 0 first")
    {
    }

  private:
    void Check(const std::string& scheduler, const std::string& expected)
    {
        WeftRigSetup setup;
        setup.topology = ONE_SWITCH;
        setup.buffer = "shared-buffer preset=100g classes=4";
        setup.scheduler = scheduler;
        OneSwitch rig(setup);
        rig.PutMany(3, FRAME, 1); // the wire is free: it leaves at once
        rig.PutMany(3, FRAME, 4);
        rig.PutMany(2, FRAME / 2, 4);
        rig.PutMany(1, FRAME, 4);
        rig.PutMany(0, 64, 2);
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance while frames wait");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ClassesOf(rig.seen), expected, scheduler);
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "and in the end");
    }

    void DoRun() override
    {
        Check("strict", "300111122223333");
        Check("wrr", "300123123123123");
        Check("wrr weight-1=3", "300111231232323");
        Check("dwrr", "300122312231313");
        Check("dwrr weight-3=2", "300122331223311");
    }
};

/** Frames that come while others leave. */
class TurnTestCase : public TestCase
{
  public:
    TurnTestCase()
        : TestCase(
              "a frame that need not wait has its turn, and a class that empties loses its own")
    {
    }

  private:
    void Check(const std::string& scheduler, uint32_t first, const std::string& expected)
    {
        WeftRigSetup setup;
        setup.topology = ONE_SWITCH;
        setup.buffer = "shared-buffer preset=100g classes=4";
        setup.scheduler = scheduler;
        OneSwitch rig(setup);
        rig.PutMany(first, FRAME, 1); // the wire is free: it leaves at once
        rig.PutMany(1, FRAME, 1);
        rig.PutMany(2, FRAME, 2);
        // The second frame is on the wire, which a frame takes 0.12 us.
        Simulator::Schedule(NanoSeconds(180), &OneSwitch::PutMany, &rig, 1U, FRAME, 2U);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ClassesOf(rig.seen), expected, scheduler);
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void DoRun() override
    {
        for (const char* scheduler : {"wrr weight-1=3", "dwrr weight-1=3"})
        {
            Check(scheduler, 3, "312112"); // 1 had nothing left to send: then 2, whatever came
            Check(scheduler, 1, "121112"); // 1 has had its turn: then 2
        }
    }
};

/** PFC stops one class, and its scheduler serves the others. */
class PauseTestCase : public TestCase
{
  public:
    PauseTestCase()
        : TestCase("a paused class waits, others go on, and it leaves after its pause")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* scheduler : {"strict", "wrr", "dwrr"})
        {
            WeftRigSetup setup;
            setup.topology = ONE_SWITCH;
            setup.buffer = "shared-buffer preset=100g classes=8";
            setup.scheduler = scheduler;
            OneSwitch rig(setup);
            const WeftPort* out = rig.fabric->GetSwitch(0)->GetPort(1);
            rig.Pause(rig.fabric->GetNHosts(), 1, 5, true);
            for (const uint32_t tclass : {5U, 6U})
            {
                Simulator::Schedule(NanoSeconds(1), &OneSwitch::PutMany, &rig, tclass, FRAME, 2U);
            }
            Simulator::Schedule(MicroSeconds(50),
                                &WeftRig::Pause,
                                &rig,
                                rig.fabric->GetNHosts(),
                                1U,
                                5U,
                                false);
            Simulator::Stop(MicroSeconds(40));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(ClassesOf(rig.seen), "66", scheduler);
            NS_TEST_EXPECT_MSG_EQ((out->IsPaused(5) && !out->IsPaused(6)), true, "class 5 alone");
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(ClassesOf(rig.seen), "6655", scheduler);
            NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        }
    }
};

/** Each class is paused by itself at the switch that runs out of memory for it. */
class UpstreamTestCase : public TestCase
{
  public:
    UpstreamTestCase()
        : TestCase("a switch pauses the class that holds too much, and no other")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = ONE_SWITCH;
        setup.buffer = "shared-buffer preset=100g classes=8 buffer=1MB headroom=20KB "
                       "alpha=0.1";
        OneSwitch rig(setup);
        rig.PutMany(7, FRAME, 20);
        rig.PutMany(4, FRAME, 5);
        Simulator::Stop(MicroSeconds(2));
        Simulator::Run();
        const WeftPort* nic = rig.fabric->GetNic(0)->GetPort();
        NS_TEST_EXPECT_MSG_EQ(nic->IsPaused(7), true, "20 frames are too many");
        NS_TEST_EXPECT_MSG_EQ(nic->IsPaused(4), false, "5 are not");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(nic->IsPaused(7), false, "it goes on");
        NS_TEST_EXPECT_MSG_EQ(rig.seen.size(), 25, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }
};

/** A (in service), B, C and D fill the queue; E arrives. */
class ExampleTestCase : public TestCase
{
  public:
    ExampleTestCase()
        : TestCase("worked example: which of the packets is trimmed, and the order of leaving")
    {
    }

  private:
    /** @return what host 1 sees: letters, small ones for headers */
    std::string Watch(const std::string& victim, uint64_t seed, const std::string& classes)
    {
        WeftRigSetup setup;
        setup.topology = ONE_SWITCH;
        setup.transport = "trim";
        setup.seed = seed;
        setup.buffer =
            "shared-buffer pfc=off trim=on trim-at=6000B kmin=0B kmax=0B classes=" + classes +
            " trim-victim=" + victim;
        OneSwitch rig(setup);
        for (uint32_t psn = 0; psn < 5; psn++)
        {
            rig.Put(WEFT_DATA, 1, FRAME, psn);
        }
        const WeftCounters& c = rig.fabric->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(c.trimmed, 1, "one packet is trimmed");
        NS_TEST_EXPECT_MSG_EQ(c.trimmed_bytes, 1500 - 64, "to 64 bytes");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance while frames wait");
        Simulator::Run();
        std::string text;
        for (const weft_packet& p : rig.seen)
        {
            const bool header = p.flags & WEFT_F_TRIMMED;
            text += static_cast<char>((header ? 'a' : 'A') + p.psn);
            NS_TEST_EXPECT_MSG_EQ(p.bytes, (header ? 64 : FRAME), "its length");
            NS_TEST_EXPECT_MSG_EQ(p.tclass, (header ? 0U : 1U), "its class");
            NS_TEST_EXPECT_MSG_EQ((p.sport == 777 && p.meta[1] == 4321 && p.src == 0),
                                  true,
                                  "the rest");
            // A joins an empty queue; a header is not marked, though its packet was.
            NS_TEST_EXPECT_MSG_EQ(((p.flags & WEFT_F_CE) != 0),
                                  (p.psn != 0 && (!header || p.psn == 3)),
                                  "the mark of " << p.psn);
        }
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetQp(0)->nacks_sent, 1, "one NACK, at once");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "and in the end");
        return text;
    }

    void DoRun() override
    {
        for (const char* classes : {"2", "8"})
        {
            uint32_t heads = 0;
            for (uint64_t seed = 1; seed <= 40; seed++)
            {
                const std::string text = Watch("coin", seed, classes);
                NS_TEST_EXPECT_MSG_EQ((text == "AdBCE" || text == "AeBCD"), true, text);
                heads += text == "AdBCE";
            }
            NS_TEST_EXPECT_MSG_EQ((heads > 8 && heads < 32), true, heads << " of 40 heads");
            NS_TEST_EXPECT_MSG_EQ(Watch("arrival", 1, classes), "AeBCD", "no coin");
        }
    }
};

/** A, B, C and D of 1,500 bytes fill the queue; E of 1,000 arrives, and stands where D stood. */
class ReplacedMarkTestCase : public TestCase
{
  public:
    ReplacedMarkTestCase()
        : TestCase("a packet that takes another's place is marked for the queue before it")
    {
    }

  private:
    /** @return whether E is marked; -1: it is the one that is trimmed */
    int Watch(const std::string& threshold, uint64_t seed, const std::string& classes)
    {
        WeftRigSetup setup;
        setup.topology = ONE_SWITCH;
        setup.transport = "trim";
        setup.seed = seed;
        setup.buffer =
            "shared-buffer pfc=off trim=on trim-at=6000B trim-victim=coin classes=" + classes +
            " kmin=" + threshold + " kmax=" + threshold;
        OneSwitch rig(setup);
        for (uint32_t psn = 0; psn < 5; psn++)
        {
            rig.Put(WEFT_DATA, 1, psn < 4 ? FRAME : 1000, psn);
        }
        Simulator::Run();
        for (const weft_packet& p : rig.seen)
        {
            if (p.psn == 4 && !(p.flags & WEFT_F_TRIMMED))
            {
                return (p.flags & WEFT_F_CE) != 0;
            }
        }
        return -1;
    }

    void DoRun() override
    {
        for (const char* classes : {"2", "8"})
        {
            uint32_t heads = 0;
            for (uint64_t seed = 1; seed <= 10; seed++)
            {
                const int marked = Watch("4400B", seed, classes); // 4,500 B are before it
                const int unmarked = Watch("4600B", seed, classes);
                NS_TEST_EXPECT_MSG_EQ((marked == 1 || marked == -1), true, "above 4,400 B");
                NS_TEST_EXPECT_MSG_EQ((unmarked == 0 || unmarked == -1), true, "below 4,600 B");
                heads += marked == 1 && unmarked == 0;
            }
            NS_TEST_EXPECT_MSG_GT(heads, 0, "it was put to the test");
        }
    }
};

/** Outcome of a run with trimming. */
struct Outcome
{
    WeftRigTotals t;
    WeftCounters c;
    bool done{false};
    int64_t end{0};
    std::string books;
};

/** Audits a fabric again and again. */
class Auditor
{
  public:
    /** @param rig whose books */
    explicit Auditor(WeftRig& rig)
        : m_rig(rig)
    {
        Look();
    }

    std::string wrong; //!< the first thing
    uint64_t looks{0}; //!< how often

  private:
    void Look()
    {
        const WeftCounters& c = m_rig.fabric->GetCounters();
        int64_t buffered = 0;
        for (uint32_t i = 0; i < m_rig.fabric->GetNSwitches(); i++)
        {
            buffered += m_rig.fabric->GetSwitch(i)->GetBuffer().shared_used;
        }
        const auto inside =
            static_cast<int64_t>(c.sent_bytes + c.made_by_tors_bytes - c.delivered_bytes -
                                 c.lost_bytes - c.trimmed_bytes);
        wrong += wrong.empty() ? m_rig.Audit() : "";
        wrong += wrong.empty() && inside < buffered ? "more is buffered than is under way" : "";
        looks++;
        if (m_rig.acked < m_rig.fabric->GetNQps() && WeftNow() < INT64_C(20000000000))
        {
            Simulator::Schedule(NanoSeconds(300), &Auditor::Look, this);
        }
    }

    WeftRig& m_rig; //!< whose books
};

Outcome
Incast(const std::string& buffer, const std::string& balancer, const std::string& frames)
{
    WeftRigSetup setup;
    setup.buffer = buffer;
    setup.balancer = balancer;
    setup.transport = "trim rto=200us";
    setup.cc = "dctcp";
    setup.frames = frames;
    WeftRig rig(setup);
    rig.SendIncast(200000);
    Auditor auditor(rig);
    Simulator::Stop(MilliSeconds(30));
    Simulator::Run();
    Outcome o;
    o.t = rig.GetTotals();
    o.c = rig.fabric->GetCounters();
    o.done = rig.delivered == rig.fabric->GetNQps() && rig.acked == rig.delivered;
    o.end = rig.lastAcked;
    o.books = auditor.looks > 300 ? auditor.wrong + rig.Audit() : "hardly looked at";
    return o;
}

/** Queues overflow, and nobody waits for a timer. */
class IncastTestCase : public TestCase
{
  public:
    IncastTestCase()
        : TestCase("an incast over trimming switches needs no timer, and its books balance always")
    {
    }

  private:
    void Check(const std::string& buffer, const std::string& balancer, const std::string& frames)
    {
        const Outcome o =
            Incast("shared-buffer pfc=off trim=on trim-at=30KB " + buffer, balancer, frames);
        const std::string what = buffer + " " + balancer + " " + frames;
        NS_TEST_EXPECT_MSG_EQ(o.books, "", what);
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "everything is delivered: " << what);
        NS_TEST_EXPECT_MSG_EQ((o.t.trims > 100), true, "there is something to trim: " << what);
        NS_TEST_EXPECT_MSG_EQ(o.c.trimmed, o.t.trims, "both counters of it");
        NS_TEST_EXPECT_MSG_EQ(o.t.timeouts + o.t.drops + o.t.duplicates, 0, what);
        NS_TEST_EXPECT_MSG_EQ(o.t.nacksSent, o.t.trims, "a NACK for each");
        NS_TEST_EXPECT_MSG_EQ(o.t.nacks, o.t.trims, "that comes");
        NS_TEST_EXPECT_MSG_EQ(o.t.resent, o.t.trims, "and is answered once");
    }

    void DoRun() override
    {
        Check("", "ecmp", "roce");
        Check("", "ops", "roce ack-every=8");
        Check("trim-victim=coin", "ops", "roce ack-priority=share");
        Check("trim-victim=coin classes=4", "reps", "roce");
        Check("port-buffer=60KB classes=8", "conweave", "roce ack-priority=ideal");
        Check("ecn-at=dequeue kmin=6KB kmax=24KB", "conga", "roce first-psn=-1");
    }
};

/** A header queue of a few headers: some are lost, and the timer is for these. */
class HeaderDropsTestCase : public TestCase
{
  public:
    HeaderDropsTestCase()
        : TestCase("headers that find no room are lost, and the timer sends their packets again")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome o =
            Incast("shared-buffer pfc=off trim=on trim-at=30KB header-queue=200B", "ops", "roce");
        NS_TEST_EXPECT_MSG_EQ(o.books, "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(o.done, true, "everything is delivered");
        NS_TEST_EXPECT_MSG_EQ((o.t.headerDrops > 0 && o.t.timeouts > 0),
                              true,
                              "it was put to the test");
        NS_TEST_EXPECT_MSG_EQ(o.t.nacksSent,
                              o.t.trims - o.t.headerDrops,
                              "a NACK for each that came");
        NS_TEST_EXPECT_MSG_EQ(o.c.trimmed, o.t.trims, "both counters");
    }
};

/** Trimming under every simulator. */
class SameTestCase : public TestCase
{
  public:
    SameTestCase()
        : TestCase("trimming by coins is the same under ns-3's simulator and under ours")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<std::tuple<int64_t, uint64_t, uint64_t, uint64_t>> all;
        for (const std::string& simulator : WeftSimulators())
        {
            const WeftSimulatorChoice choice(simulator, "MapScheduler");
            const Outcome o =
                Incast("shared-buffer pfc=off trim=on trim-at=30KB trim-victim=coin classes=4",
                       "ops",
                       "roce");
            all.emplace_back(o.end, o.t.trims, o.t.marks, o.c.delivered_bytes);
        }
        NS_TEST_EXPECT_MSG_EQ((all.front() == all.back()), true, "times and counters");
    }
};

/** Combinations that would go wrong in silence. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("trimming with a transport or a balancer that does not know of it is refused")
    {
    }

  private:
    void Check(const std::string& transport, const std::string& balancer, const std::string& why)
    {
        auto fabric = CreateObject<WeftFabric>();
        fabric->SetAttribute("Switch", StringValue("shared-buffer preset=trim-400g"));
        fabric->SetAttribute("Transport", StringValue(transport));
        fabric->SetAttribute("Balancer", StringValue(balancer));
        fabric->SetAttribute("Topology", StringValue(ONE_SWITCH));
        NodeContainer hosts;
        NodeContainer switches;
        hosts.Create(4);
        switches.Create(2);
        std::string error;
        const bool built = fabric->Build(hosts, switches, error);
        NS_TEST_EXPECT_MSG_EQ(built, why.empty(), transport << " " << balancer << ": " << error);
        NS_TEST_EXPECT_MSG_NE(error.find(why), std::string::npos, error);
        Simulator::Destroy();
    }

    void DoRun() override
    {
        for (const char* transport : {"nic-sr", "gbn", "ideal", "sack", "erasure"})
        {
            Check(transport, "ecmp", "would take a trimmed packet for a whole one");
        }
        Check("trim", "themis", "would block NACKs of trimmed packets");
        Check("trim", "ecmp", "");
    }
};

class WeftTrimmingTestSuite : public TestSuite
{
  public:
    WeftTrimmingTestSuite()
        : TestSuite("weft-trimming", Type::UNIT)
    {
        AddTestCase(new OrderTestCase);
        AddTestCase(new TurnTestCase);
        AddTestCase(new PauseTestCase);
        AddTestCase(new UpstreamTestCase);
        AddTestCase(new ExampleTestCase);
        AddTestCase(new ReplacedMarkTestCase);
        AddTestCase(new IncastTestCase);
        AddTestCase(new HeaderDropsTestCase);
        AddTestCase(new SameTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

WeftTrimmingTestSuite g_weftTrimmingTestSuite; //!< registers the suite

} // namespace
