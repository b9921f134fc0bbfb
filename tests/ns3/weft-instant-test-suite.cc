// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A fabric lags behind the clock, window by window, and nobody can tell. What is heard is heard at
 * its time, whenever a sink is connected; what is read is as of now; a call carries out nothing
 * that is heard; a run may be stopped anywhere. Were it otherwise, a program would see a fabric
 * that depends on how it looks at it.
 */
#include "weft-listener.h"
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/data-rate.h"
#include "ns3/test.h"
#include "ns3/weft-channel.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** A frame that was told of. */
struct Told
{
    int64_t at;     //!< ps
    uint32_t node;  //!< of the device
    uint64_t frame; //!< which one, and what became of it

    bool operator==(const Told& other) const
    {
        return at == other.at && node == other.node && frame == other.frame;
    }
};

/** Story that sinks at all devices of a fabric are told. */
class Story
{
  public:
    /** Connects them. */
    void Connect(const WeftFabric& fabric)
    {
        for (uint32_t i = 0; i < fabric.GetNHosts(); i++)
        {
            Listen(fabric.GetNic(i), "Tx", 1);
            Listen(fabric.GetNic(i), "Rx", 2);
        }
        for (uint32_t i = 0; i < fabric.GetNSwitches(); i++)
        {
            Listen(fabric.GetSwitch(i), "Drop", 3);
            Listen(fabric.GetSwitch(i), "Mark", 4);
        }
    }

    /** @return all from a time on, by time and node: across nodes nothing orders an instant */
    std::vector<Told> Get(int64_t from = 0) const
    {
        std::vector<Told> some;
        std::copy_if(m_told.begin(), m_told.end(), std::back_inserter(some), [from](auto& t) {
            return t.at >= from;
        });
        std::stable_sort(some.begin(), some.end(), [](auto& a, auto& b) {
            return std::make_pair(a.at, a.node) < std::make_pair(b.at, b.node);
        });
        return some;
    }

    /** @return how many frames of a kind were told of before a time */
    uint64_t Count(uint64_t what, int64_t before) const
    {
        return static_cast<uint64_t>(
            std::count_if(m_told.begin(), m_told.end(), [what, before](auto& t) {
                return t.frame >> 60 == what && t.at < before;
            }));
    }

    uint64_t wrong{0};             //!< told in another node's context
    std::function<void()> hearing; //!< called whenever something is told

  private:
    struct Sink
    {
        Story* story;
        uint32_t node;
        uint64_t what;

        void Hear(const weft_packet& p)
        {
            story->Add(node, what, p);
        }
    };

    void Listen(Ptr<NetDevice> device, const std::string& source, uint64_t what)
    {
        m_sinks.push_back({this, device->GetNode()->GetId(), what});
        device->TraceConnectWithoutContext(source, MakeCallback(&Sink::Hear, &m_sinks.back()));
    }

    void Add(uint32_t node, uint64_t what, const weft_packet& p)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        wrong += Simulator::GetContext() != node;
        const uint64_t id = weft_mix64(uint64_t{p.qp} << 32 | uint64_t{p.psn} << 8 | p.kind);
        m_told.push_back({now, node, what << 60 | id >> 4});
        if (hearing)
        {
            hearing();
        }
    }

    std::vector<Told> m_told; //!< in the order in which it was
    std::deque<Sink> m_sinks; //!< they keep their places
};

/** A busy fabric: marks, drops, pauses, losses; a window is 1 us. */
WeftRigSetup
MakeBusy()
{
    WeftRigSetup setup;
    setup.topology = "leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps "
                     "link-delay=1us";
    setup.balancer = "jsq";
    setup.transport = "nic-sr rto=50us";
    setup.cc = "dcqcn";
    setup.buffer = "shared-buffer buffer=60KB alpha=1 pfc=off ecn=on ecn-at=dequeue "
                   "kmin=5KB kmax=30KB pmax=0.2";
    return setup;
}

/** All hosts send, some of them to the same ones. */
void
Load(WeftRig& rig)
{
    rig.SendAll(3, 150000);
    rig.SendIncast(40000);
}

/** A run in which sinks hear of all. */
struct Whole
{
    explicit Whole(const WeftRigSetup& setup)
        : rig(setup)
    {
        story.Connect(*rig.fabric);
        Load(rig);
        Simulator::Run();
    }

    WeftRig rig; //!< after its run
    Story story; //!< of all of it
};

constexpr uint64_t TX = 1, RX = 2, DROP = 3; //!< kinds of what is told

/** A sink hears of everything from the time on at which it is connected. */
class LateSinkTestCase : public TestCase
{
  public:
    explicit LateSinkTestCase(const std::string& scheduler)
        : TestCase("a sink connected in mid-window hears all from then on under " + scheduler),
          m_scheduler(scheduler)
    {
    }

  private:
    void DoRun() override
    {
        const WeftSimulatorChoice choice("DefaultSimulatorImpl", m_scheduler);
        std::vector<Told> all;
        WeftCounters counters;
        {
            const Whole whole(MakeBusy());
            all = whole.story.Get();
            counters = whole.rig.fabric->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(whole.story.wrong, 0, "told elsewhere");
            NS_TEST_EXPECT_MSG_GT(whole.story.Count(DROP, INT64_MAX), 10, "drops");
        }
        NS_TEST_ASSERT_MSG_GT(all.size(), 4000, "frames");
        // A border, the time of a frame, and times between.
        for (const int64_t at : {int64_t{10000000},
                                 all[all.size() / 3].at,
                                 all[all.size() / 2].at + 1,
                                 int64_t{17345678},
                                 all[2 * all.size() / 3].at - 1})
        {
            WeftRig rig(MakeBusy());
            Story late;
            Simulator::Schedule(PicoSeconds(at), [&] { late.Connect(*rig.fabric); });
            Load(rig);
            Simulator::Run();
            const auto from =
                std::find_if(all.begin(), all.end(), [at](auto& t) { return t.at >= at; });
            const std::vector<Told> told = late.Get();
            NS_TEST_EXPECT_MSG_EQ(std::equal(from, all.end(), told.begin(), told.end()),
                                  true,
                                  "frames from " << at << " on");
            NS_TEST_EXPECT_MSG_EQ(late.wrong, 0, "told elsewhere");
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetCounters().hops, counters.hops, "hops");
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetCounters().payload, counters.payload, "payload");
        }
    }

    std::string m_scheduler; //!< under which it runs
};

/** Counts of nodes to which nobody listens are as of now. */
class ReadTestCase : public TestCase
{
  public:
    ReadTestCase()
        : TestCase("what is read in mid-window is as of then")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<int64_t>
            times{1, 4999999, 5000000, 5000001, 12345678, 20000500, 33333333};
        std::vector<WeftCounters> read;
        uint64_t hops = 0;
        {
            WeftRig rig(MakeBusy());
            for (const int64_t at : times)
            {
                Simulator::Schedule(PicoSeconds(at),
                                    [&] { read.push_back(rig.fabric->GetCounters()); });
            }
            Load(rig);
            Simulator::Run();
            hops = rig.fabric->GetCounters().hops;
        }
        const Whole whole(MakeBusy());
        NS_TEST_EXPECT_MSG_EQ(whole.rig.fabric->GetCounters().hops, hops, "in the end");
        NS_TEST_ASSERT_MSG_EQ(read.size(), times.size(), "readings");
        for (size_t i = 0; i < times.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(read[i].sent, whole.story.Count(TX, times[i]), "at " << times[i]);
            NS_TEST_EXPECT_MSG_EQ(read[i].delivered,
                                  whole.story.Count(RX, times[i]),
                                  "at " << times[i]);
        }
    }
};

/** A program that asks for something is told of what comes of it later, at this instant; one that
 * is being told of something at that node, at once. */
class CallTestCase : public TestCase
{
  public:
    CallTestCase()
        : TestCase("a call carries out nothing that is heard, but within a callback of its node")
    {
    }

  private:
    void Ask(const WeftRig& rig, WeftQp* qp)
    {
        m_inside = true;
        rig.fabric->Post(qp, 1000, 0);
        rig.fabric->GetNic(qp->src)->Send(Create<Packet>(100),
                                          rig.fabric->GetNic(qp->dst)->GetAddress(),
                                          0x0800);
        m_inside = false;
        m_heard = 0;
        m_askedAt = WeftNow();
    }

    /** A program's event posts and sends. */
    void CheckEvent()
    {
        WeftRig rig((WeftRigSetup()));
        Story story;
        story.Connect(*rig.fabric);
        uint64_t within = 0;
        story.hearing = [&] {
            within += m_inside;
            m_heard += WeftNow() == m_askedAt;
        };
        WeftQp* qp = rig.fabric->CreateQp(0, 7, nullptr);
        for (const int64_t at : {3000001, 40000000})
        {
            Simulator::Schedule(PicoSeconds(at), [&] { Ask(rig, qp); });
            Simulator::Schedule(PicoSeconds(at + 1), [&] {
                NS_TEST_EXPECT_MSG_EQ(m_heard, 1, "the first frame leaves at that instant");
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(within, 0, "told within a call");
    }

    /** A listener that hears of a frame posts at its node, and at other ones. */
    void CheckCallback()
    {
        WeftRig rig((WeftRigSetup()));
        Story story;
        WeftQp* own = rig.fabric->CreateQp(7, 0, nullptr);
        WeftQp* others = rig.fabric->CreateQp(3, 1, nullptr); // of a host to which nobody listens
        WeftQp* heard = rig.fabric->CreateQp(5, 1, nullptr);  // of one to which somebody does
        int64_t at = -1;
        bool once = false;
        uint64_t sent = 0;   // at once
        int64_t toldAt = -1; // of a frame of `heard`
        story.hearing = [&] {
            sent += once && WeftNow() == at && Simulator::GetContext() == 7;
            toldAt = Simulator::GetContext() == 5 ? WeftNow() : toldAt;
            if (at >= 0 || Simulator::GetContext() != 7)
            {
                return;
            }
            at = WeftNow();
            once = true;
            rig.fabric->Post(own, 1000, 0);
            once = false;
            rig.fabric->Post(others, 1000, 0);
            rig.fabric->Post(heard, 1000, 0);
        };
        for (const auto& [host, source] : {std::make_pair(7U, "Rx"), {7U, "Tx"}, {5U, "Tx"}})
        {
            rig.fabric->GetNic(host)->TraceConnectWithoutContext(
                source,
                WeftSink([&](const weft_packet&) { story.hearing(); }));
        }
        rig.Send(0, 7, 1000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sent, 1, "a frame of the same node leaves at once");
        NS_TEST_EXPECT_MSG_EQ(own->first_sent, at, "when it was posted");
        NS_TEST_EXPECT_MSG_EQ(others->first_sent, at, "one of another node at that instant");
        NS_TEST_EXPECT_MSG_EQ(heard->first_sent, at, "and one of a node that is heard");
        NS_TEST_EXPECT_MSG_EQ(toldAt, at, "which is told then");
    }

    void DoRun() override
    {
        CheckEvent();
        CheckCallback();
    }

    bool m_inside{false};  //!< of a call
    uint64_t m_heard{0};   //!< told of at m_askedAt
    int64_t m_askedAt{-1}; //!< ps
};

/** A link that becomes slower does so before all else of that instant, whatever event is there
 * first; but one who is being told of something changes nothing within what is under way. */
class FaultTestCase : public TestCase
{
  public:
    FaultTestCase()
        : TestCase("a link's rate changes before all else of its instant, and not in mid-frame")
    {
    }

  private:
    /** @param at when host 3's link becomes slower, ps @param asked when that is asked for
     * @return what is told */
    static std::vector<Told> RunSlower(int64_t at, int64_t asked)
    {
        WeftRig rig(MakeBusy());
        Story story;
        story.Connect(*rig.fabric);
        Simulator::Schedule(PicoSeconds(asked), [&] {
            rig.fabric->ScheduleDegradation(3, DataRate("10Gbps"), PicoSeconds(at), Time::Max());
        });
        Load(rig);
        Simulator::Stop(MicroSeconds(60));
        Simulator::Run();
        return story.Get();
    }

    /** At the time of a frame, asked for early and when that frame's event is already there. */
    void CheckSchedule()
    {
        std::vector<Told> all;
        {
            const Whole whole(MakeBusy());
            all = whole.story.Get();
        }
        uint32_t n = 0;
        for (const Told& told : all)
        {
            if (told.node == 3 && told.frame >> 60 == TX && told.at > 10000000 && ++n % 20 == 1 &&
                n < 100)
            {
                const auto early = RunSlower(told.at, 1);
                NS_TEST_EXPECT_MSG_EQ((early == all), false, "it makes a difference");
                NS_TEST_EXPECT_MSG_EQ((early == RunSlower(told.at, told.at - 1)),
                                      true,
                                      "asked for late, at " << told.at);
            }
        }
        NS_TEST_EXPECT_MSG_GT(n, 40, "frames");
    }

    /** In a callback: the answer to a frame leaves as it would. */
    void CheckCallback()
    {
        WeftRig rig((WeftRigSetup()));
        int64_t at = -1;
        rig.fabric->GetNic(7)->TraceConnectWithoutContext("Rx", WeftSink([&](const weft_packet&) {
                                                              at = at < 0 ? WeftNow() : at;
                                                              rig.fabric->GetChannel(7)->SetRate(
                                                                  DataRate("1Gbps"));
                                                          }));
        rig.Send(0, 7, 1000);
        Simulator::Run();
        const int64_t way =
            weft_clos_way(&rig.fabric->GetClos(), 7, 0, rig.fabric->GetFrameConfig().ack);
        NS_TEST_EXPECT_MSG_EQ(rig.lastAcked, at + way, "the ACK takes its way");
    }

    void DoRun() override
    {
        CheckSchedule();
        CheckCallback();
    }
};

/** A run in pieces is the run. */
class StopTestCase : public TestCase
{
  public:
    StopTestCase()
        : TestCase("a run that is stopped anywhere goes on where it was")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<Told> all;
        int64_t end = 0;
        {
            const Whole whole(MakeBusy());
            all = whole.story.Get();
            end = whole.rig.fabric->GetLastTime().GetTimeStep();
        }
        WeftRig rig(MakeBusy());
        Story story;
        story.Connect(*rig.fabric);
        Load(rig);
        for (const int64_t piece : {700001, 2299999, 1, 999999, 12345678, 1000000})
        {
            Simulator::Stop(PicoSeconds(piece));
            Simulator::Run();
            rig.fabric->GetCounters(); // who looks changes nothing
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((story.Get() == all), true, "frames");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetLastTime().GetTimeStep(), end, "the end");
    }
};

/** Two fabrics with other windows in one simulation are two simulations. */
class TwoFabricsTestCase : public TestCase
{
  public:
    TwoFabricsTestCase()
        : TestCase("two fabrics in one simulation do not notice each other")
    {
    }

  private:
    static WeftRigSetup Other()
    {
        WeftRigSetup setup = MakeBusy();
        setup.topology = "leaf-spine leaves=2 spines=3 hosts-per-leaf=3 link-rate=200Gbps "
                         "link-delay=370ns";
        return setup;
    }

    void DoRun() override
    {
        std::vector<std::vector<Told>> alone;
        for (const WeftRigSetup& setup : {MakeBusy(), Other()})
        {
            const Whole whole(setup);
            alone.push_back(whole.story.Get());
            m_nodes.push_back(whole.rig.fabric->GetNHosts() + whole.rig.fabric->GetNSwitches());
        }
        WeftRig one(MakeBusy());
        WeftRig two(Other());
        Story stories[2];
        stories[0].Connect(*one.fabric);
        stories[1].Connect(*two.fabric);
        Load(one);
        Load(two);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((stories[0].Get() == alone[0]), true, "the first");
        std::vector<Told> second = stories[1].Get();
        for (Told& told : second)
        {
            told.node -= m_nodes[0]; // ns-3 numbers all nodes of a program
        }
        NS_TEST_EXPECT_MSG_EQ((second == alone[1]), true, "the second");
        for (const Story& story : stories)
        {
            NS_TEST_EXPECT_MSG_EQ(story.wrong, 0, "told elsewhere");
        }
    }

    std::vector<uint32_t> m_nodes; //!< of each fabric
};

/** Where nobody may send any more and no timer runs, nothing is left to be done. */
class DeadlockTestCase : public TestCase
{
  public:
    DeadlockTestCase()
        : TestCase("a fabric that PFC has stopped for good ends the run")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=2 hosts-per-leaf=4 link-rate=100Gbps "
                         "link-delay=1us";
        setup.transport = "nic-sr rto=inf";
        setup.buffer = "shared-buffer buffer=2MB alpha=0.02 pfc=on headroom=60KB ecn=off";
        WeftRig rig(setup);
        rig.SendIncast(200000);
        Simulator::Schedule(MicroSeconds(20), [&] { rig.Pause(8, 0, 1, true); });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 0, "messages");
        NS_TEST_EXPECT_MSG_GT(rig.fabric->GetPacketsInFabric(), 100, "frames that wait");
        NS_TEST_EXPECT_MSG_GT(rig.GetTotals().pauses, 7, "all are paused");
        NS_TEST_EXPECT_MSG_EQ(weft_net_next(rig.fabric->GetNet()), WEFT_NEVER, "nothing is due");
        NS_TEST_EXPECT_MSG_LT(rig.fabric->GetLastTime(), MicroSeconds(200), "the end");
        rig.Pause(8, 0, 1, false);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 7, "messages, once it goes on");
    }
};

/** Seven hosts in step send through a queue that drops: none is always the first. */
class TieTestCase : public TestCase
{
  public:
    TieTestCase()
        : TestCase("no sender in step with others wins every tie")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<uint64_t> drops(7);
        for (uint64_t seed = 1; seed <= 8; seed++)
        {
            WeftRigSetup setup;
            setup.topology = "leaf-spine leaves=1 spines=1 hosts-per-leaf=8 link-rate=100Gbps";
            setup.buffer = "shared-buffer buffer=100KB headroom=0B pfc=off ecn=off";
            setup.transport = "nic-sr rto=100us";
            setup.seed = seed;
            WeftRig rig(setup);
            rig.SendIncast(300000);
            Simulator::Run();
            for (uint32_t i = 0; i < 7; i++)
            {
                const WeftQp* qp = rig.fabric->GetQp(i);
                drops[i] += qp->algos->transport->tx_counters(qp->tx)->resent;
            }
        }
        const auto [least, most] = std::minmax_element(drops.begin(), drops.end());
        NS_TEST_EXPECT_MSG_GT(*least, 100, "packets sent again by whoever has the fewest");
        NS_TEST_EXPECT_MSG_LT(*most, 2 * *least, "and by whoever has the most");
    }
};

class WeftInstantTestSuite : public TestSuite
{
  public:
    WeftInstantTestSuite()
        : TestSuite("weft-instant", Type::UNIT)
    {
        AddTestCase(new LateSinkTestCase("MapScheduler"));
        AddTestCase(new LateSinkTestCase("HeapScheduler"));
        AddTestCase(new ReadTestCase);
        AddTestCase(new CallTestCase);
        AddTestCase(new FaultTestCase);
        AddTestCase(new StopTestCase);
        AddTestCase(new TwoFabricsTestCase);
        AddTestCase(new DeadlockTestCase);
        AddTestCase(new TieTestCase);
    }
};

WeftInstantTestSuite g_weftInstantTestSuite; //!< registers the suite

} // namespace
