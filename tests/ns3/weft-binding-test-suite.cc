// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a program does in the midst of a simulation: reads, posts, sinks and changes, from events
 * of its own and from callbacks. Were one of them off, results would hang on who looks, and on how
 * far the fabric lags behind the clock just then.
 */
#include "weft-listener.h"

#include "ns3/packet.h"
#include "ns3/test.h"
#include "ns3/weft-channel.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** Lets a program read at odd times, which cuts windows. @param until when */
void
ReadOften(const WeftRig& rig, Time until)
{
    for (int64_t at = 0; at < until.GetTimeStep(); at += 70001 + at / 7 % 100000)
    {
        Simulator::Schedule(PicoSeconds(at), [&rig] { rig.fabric->GetCounters(); });
    }
}

/** Listeners of two hosts hear of one instant in an order that is no chance. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("callbacks of one instant have an order, whoever reads, connects first or "
                   "listens as well")
    {
    }

  private:
    using Heard = std::vector<std::pair<int64_t, uint32_t>>; //!< times, ps, and hosts

    /** A long frame and a short one arrive together at two hosts. @param reads whether the program
     * looks when the switch has begun to send the long one only @return what arrived */
    static Heard RunTwo(bool reads)
    {
        WeftRig rig(WeftOneSwitch(4));
        Heard heard;
        for (const uint32_t host : {0U, 1U})
        {
            rig.fabric->GetNic(host)->TraceConnectWithoutContext(
                "Rx",
                WeftSink(
                    [&heard, host](const weft_packet&) { heard.emplace_back(WeftNow(), host); }));
        }
        const auto send = [&rig](uint32_t from, uint32_t to, uint32_t bytes) {
            rig.fabric->GetNic(from)->Send(Create<Packet>(bytes - 18),
                                           rig.fabric->GetNic(to)->GetAddress(),
                                           1);
        };
        Simulator::Schedule(Time(0), [&] { send(2, 1, 1000); });
        Simulator::Schedule(PicoSeconds(2 * 80 * (1000 - 64)), [&] { send(3, 0, 64); });
        if (reads)
        {
            Simulator::Schedule(PicoSeconds(1100000), [&rig] { rig.fabric->GetCounters(); });
        }
        Simulator::Run();
        return heard;
    }

    static Heard RunOnce(const std::vector<uint32_t>& connected, bool reads)
    {
        WeftRig rig(WeftOneSwitch(8));
        Heard heard;
        WeftListener listener(false);
        for (const uint32_t host : connected)
        {
            rig.fabric->GetNic(host)->TraceConnectWithoutContext(
                "Rx",
                WeftSink(
                    [&heard, host](const weft_packet&) { heard.emplace_back(WeftNow(), host); }));
        }
        for (uint32_t host = 0; host < 4; host++)
        {
            WeftQp* qp = rig.fabric->CreateQp(4 + host, host, &listener);
            rig.fabric->Post(qp, 50000, 0);
            rig.fabric->Post(rig.fabric->CreateQp(host, 4 + host, &listener), 20000, 0);
        }
        if (reads)
        {
            ReadOften(rig, MicroSeconds(20));
        }
        Simulator::Run();
        return heard;
    }

    void DoRun() override
    {
        const Heard two = RunTwo(false);
        NS_TEST_ASSERT_MSG_EQ(two.size(), 2, "both frames");
        NS_TEST_EXPECT_MSG_EQ(two[0].first, two[1].first, "at one instant");
        NS_TEST_EXPECT_MSG_EQ((RunTwo(true) == two), true, "whoever reads");
        const Heard plain = RunOnce({0, 1, 2, 3}, false);
        NS_TEST_EXPECT_MSG_GT(plain.size(), 100, "frames");
        NS_TEST_EXPECT_MSG_EQ((RunOnce({2, 0, 3, 1}, false) == plain), true, "whoever is first");
        NS_TEST_EXPECT_MSG_EQ((RunOnce({0, 1, 2, 3}, true) == plain), true, "whoever reads");
        Heard all = RunOnce({7, 6, 5, 4, 3, 2, 1, 0}, true);
        all.erase(std::remove_if(all.begin(), all.end(), [](auto& of) { return of.second > 3; }),
                  all.end());
        NS_TEST_EXPECT_MSG_EQ((all == plain), true, "whoever listens as well");
    }
};

/** Changes by a callback hold from its time on, at nodes that lag as well. */
class ChangeTestCase : public TestCase
{
  public:
    ChangeTestCase()
        : TestCase("losses that a callback asks for begin then, as those of an event do")
    {
    }

  private:
    using Change = std::function<void(WeftFabric&)>; //!< what is asked for

    /** @param needsTime of the listener that asks @param later by an event of its own @param reads
     * whether the program does @return what was lost until 2 us later, and what was sent */
    static std::vector<uint64_t>
    RunOnce(const Change& change, bool needsTime, bool later, bool reads)
    {
        WeftRig rig(WeftOneSwitch(4));
        WeftListener trigger(needsTime);
        WeftListener nobody(false);
        WeftQp* small = rig.fabric->CreateQp(0, 1, &trigger);
        WeftQp* large = rig.fabric->CreateQp(2, 3, &nobody);
        trigger.delivered = [&](const WeftQp&, uint64_t) {
            if (later)
            {
                Simulator::ScheduleNow([&] { change(*rig.fabric); });
                return;
            }
            change(*rig.fabric);
        };
        Simulator::Schedule(PicoSeconds(3777777), [&] { rig.fabric->Post(small, 3000, 0); });
        rig.fabric->Post(large, 1000000, 0);
        if (reads)
        {
            ReadOften(rig, MicroSeconds(9));
        }
        Simulator::Stop(MicroSeconds(9));
        Simulator::Run();
        const WeftCounters c = rig.fabric->GetCounters();
        return {c.lost[WeftFabric::DROP_INJECTED], c.sent, c.delivered};
    }

    void DoRun() override
    {
        const Change loses = [](WeftFabric& fabric) { fabric.SetLossProbability(0.5); };
        // The 24 frames from about the time of the callback on.
        const Change drops = [](WeftFabric& fabric) {
            for (uint32_t offset = 30; offset < 70; offset++)
            {
                fabric.AddDrop(1, offset, 1);
            }
        };
        for (const Change& change : {loses, drops})
        {
            const auto byEvent = RunOnce(change, true, true, false);
            NS_TEST_EXPECT_MSG_GT(byEvent[0], 0, "losses");
            NS_TEST_EXPECT_MSG_EQ((RunOnce(change, true, false, false) == byEvent),
                                  true,
                                  "at once");
            NS_TEST_EXPECT_MSG_EQ((RunOnce(change, true, false, true) == byEvent), true, "reads");
            const auto lagging = RunOnce(change, false, false, false);
            NS_TEST_EXPECT_MSG_EQ((RunOnce(change, false, false, true) == lagging),
                                  true,
                                  "one who is told late");
        }
    }
};

/** Posts of a late listener at another host come there after the way to it. */
class LatePostTestCase : public TestCase
{
  public:
    LatePostTestCase()
        : TestCase(
              "who is told late and posts at another host: when that is does not hang on reads")
    {
    }

  private:
    /** @return when it was told, when the answer of another host left, and when it came, ps */
    static std::vector<int64_t> RunOnce(bool busy, bool reads, uint32_t other)
    {
        WeftRig rig(WeftOneSwitch(4));
        WeftListener listener(false);
        std::vector<int64_t> times;
        WeftQp* question = rig.fabric->CreateQp(2, 1, &listener);
        WeftQp* answer = rig.fabric->CreateQp(other, 2, &listener);
        listener.delivered = [&](const WeftQp& qp, uint64_t) {
            times.push_back(rig.fabric->GetTime());
            if (&qp == question)
            {
                rig.fabric->Post(answer, 3000, 0);
            }
        };
        if (busy)
        {
            rig.fabric->Post(rig.fabric->CreateQp(other, 1, nullptr), 100000, 0);
        }
        rig.fabric->Post(question, 20000, 0);
        if (reads)
        {
            ReadOften(rig, MicroSeconds(20));
        }
        Simulator::Run();
        times.push_back(answer->first_sent);
        return times;
    }

    void DoRun() override
    {
        for (const uint32_t other : {0U, 3U})
        {
            for (const bool busy : {false, true})
            {
                const auto plain = RunOnce(busy, false, other);
                NS_TEST_ASSERT_MSG_EQ(plain.size(), 3, "both messages");
                NS_TEST_EXPECT_MSG_EQ((RunOnce(busy, true, other) == plain), true, "whoever reads");
                NS_TEST_EXPECT_MSG_EQ((busy || plain[2] == plain[0] + 1000000),
                                      true,
                                      "a window later: " << plain[2] - plain[0]);
            }
        }
    }
};

/** A sink that is connected by a callback hears what comes from then on, each at its time. */
class LateSinkTestCase : public TestCase
{
  public:
    LateSinkTestCase()
        : TestCase("a sink that is connected by a callback hears all that comes from then on")
    {
    }

  private:
    using Heard = std::vector<std::pair<int64_t, uint32_t>>; //!< times, ps, and PSNs

    /** @param late whether a callback connects the sink, and not the program at the beginning
     * @param needsTime of the listener whose callback it is @param from gets the time of that
     * @param source of the NIC of host 3 @return what the sink heard */
    static Heard RunOnce(bool late, bool needsTime, int64_t& from, const char* source)
    {
        WeftRig rig(WeftOneSwitch(4));
        Heard heard;
        WeftListener trigger(needsTime);
        WeftListener nobody(false);
        const auto connect = [&] {
            rig.fabric->GetNic(3)->TraceConnectWithoutContext(
                source,
                WeftSink([&heard](const weft_packet& p) { heard.emplace_back(WeftNow(), p.psn); }));
        };
        trigger.delivered = [&](const WeftQp&, uint64_t) {
            from = WeftNow();
            late ? connect() : void();
        };
        late ? void() : connect();
        WeftQp* small = rig.fabric->CreateQp(0, 1, &trigger);
        rig.fabric->Post(rig.fabric->CreateQp(2, 3, &nobody), 1000000, 0);
        Simulator::Schedule(PicoSeconds(3777777), [&] { rig.fabric->Post(small, 3000, 0); });
        Simulator::Run();
        return heard;
    }

    void DoRun() override
    {
        for (const char* source : {"Rx", "Tx"})
        {
            for (const bool needsTime : {true, false})
            {
                int64_t from = -1;
                const Heard late = RunOnce(true, needsTime, from, source);
                int64_t other = -1;
                Heard all = RunOnce(false, needsTime, other, source);
                NS_TEST_EXPECT_MSG_EQ(from, other, "the callback");
                all.erase(all.begin(),
                          std::lower_bound(all.begin(), all.end(), std::make_pair(from, 0U)));
                NS_TEST_EXPECT_MSG_GT(all.size(), 100, "frames");
                NS_TEST_EXPECT_MSG_EQ((late == all),
                                      true,
                                      source << ": " << late.size() << " of " << all.size());
            }
        }
    }
};

/** A program that insists posts as often as it likes. */
class InsistentTestCase : public TestCase
{
  public:
    InsistentTestCase()
        : TestCase("a message may be posted again whenever it fails, many times over")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t often = 1000000;
        WeftRigSetup setup = WeftOneSwitch(2);
        setup.frames = "roce retry-limit=1";
        WeftRig rig(setup);
        WeftListener listener(true);
        WeftQp* qp = rig.fabric->CreateQp(0, 1, &listener);
        uint32_t failures = 0;
        bool nested = false;
        uint32_t deepest = 0;
        listener.failed = [&](const WeftQp&, uint64_t) {
            deepest += nested;
            nested = true;
            if (++failures < often)
            {
                rig.fabric->Post(qp, 1000, failures);
            }
            nested = false;
        };
        rig.fabric->GetChannel(1)->SetDown(true);
        rig.fabric->Post(qp, 1000, 0);
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(failures, often, "each is told of");
        NS_TEST_EXPECT_MSG_EQ(deepest, 0, "one after the other");
    }
};

class WeftBindingTestSuite : public TestSuite
{
  public:
    WeftBindingTestSuite()
        : TestSuite("weft-binding", Type::UNIT)
    {
        AddTestCase(new OrderTestCase);
        AddTestCase(new ChangeTestCase);
        AddTestCase(new LatePostTestCase);
        AddTestCase(new LateSinkTestCase);
        AddTestCase(new InsistentTestCase);
    }
};

WeftBindingTestSuite g_weftBindingTestSuite; //!< registers the suite

} // namespace
