// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Rates at which a byte takes no whole number of picoseconds. Were the roundings of frames added
 * up, a long message would take longer than its wire needs; were bounds rounded otherwise than
 * runs, some would come out faster than possible.
 */
#include "weft-test-rig.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <string>
#include <weft/rng.h>

using namespace ns3;

namespace
{

/** 300 Gb/s: a byte takes 26 2/3 ps. Frames may not drift by their roundings. */
class OddRateTestCase : public TestCase
{
  public:
    OddRateTestCase()
        : TestCase("at rates that do not divide, frames do not drift by their roundings")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=1 hosts-per-leaf=2 link-rate=300Gbps";
        setup.frames = "roce payload=1000B header=48B gap=20B";
        WeftRig rig(setup);
        rig.Send(0, 1, 100 * 1000);
        Simulator::Run();
        // 1,068 bytes take 28,480 ps exactly, 1,048 take 27,946 2/3: rounded up.
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered,
                              99 * INT64_C(28480) + 2 * INT64_C(1027947),
                              "the hundredth frame");
    }
};

/** A gigabyte at rates at which a byte is no whole number of ps, over two links. */
class LongMessageTestCase : public TestCase
{
  public:
    LongMessageTestCase()
        : TestCase("frames back to back take their exact time, or long messages get slower")
    {
    }

  private:
    static constexpr int64_t FRAME = 4137; //!< bytes, without the gap of 20

    /** @param rate link rate @param packets full ones @param exact the wires' time, rounded up */
    void Check(const std::string& rate, uint64_t packets, int64_t exact)
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=1 spines=1 hosts-per-leaf=2 link-rate=" + rate;
        setup.frames = "roce payload=4075B header=62B gap=20B ack-every=64";
        setup.transport = "ideal rto=inf";
        WeftRig rig(setup);
        rig.Send(0, 1, packets * 4075);
        Simulator::Run();
        // Each of the two links may round up once.
        NS_TEST_EXPECT_MSG_GT(rig.lastDelivered, exact + 2000000 - 1, rate << ": too soon");
        NS_TEST_EXPECT_MSG_LT(rig.lastDelivered, exact + 2000000 + 2, rate << ": too late");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void DoRun() override
    {
        // 245,399 frames with gaps and, twice, the last one: 1,020,131,917 bytes.
        const int64_t bytes = INT64_C(245399) * (FRAME + 20) + 2 * FRAME;
        Check("3200Gbps", 245400, (bytes * 5 + 1) / 2);
        Check("1600Gbps", 245400, bytes * 5);
        // 2,999 frames: 12,475,117 bytes.
        const int64_t fewer = INT64_C(2999) * (FRAME + 20) + 2 * FRAME;
        Check("333Gbps", 3000, (fewer * 8000 + 332) / 333);
        // 8e12 / 123,456,789 = 64,800 + 72,800 / 123,456,789.
        Check("123456789bps",
              3000,
              fewer * 64800 + (fewer * 72800 + 123456788) / INT64_C(123456789));
    }
};

/** A frame that comes when the last one's end is rounded up to has not waited for the wire. */
class JustFreeTestCase : public TestCase
{
  public:
    JustFreeTestCase()
        : TestCase("a frame that comes when the wire is just free starts then, not before it came")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology =
            "leaf-spine leaves=1 spines=1 hosts-per-leaf=4 link-rate=300Gbps link-delay=1us";
        setup.frames = "roce payload=1000B header=48B gap=0B";
        WeftRig rig(setup);
        // 1,048 bytes take 27,946 2/3 ps; the third frame waits for the second.
        rig.Send(0, 3, 1000);
        Simulator::Schedule(PicoSeconds(27947), &WeftRig::Send, &rig, 1, 3, 1000);
        Simulator::Schedule(PicoSeconds(27950), &WeftRig::Send, &rig, 2, 3, 1000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered,
                              2 * INT64_C(1000000) + 2 * INT64_C(27947) + INT64_C(55894),
                              "the third frame");
    }
};

/** The third frame while a neighbour is paused, so that the switch sees to each frame's end. */
class JustFreeInPauseTestCase : public TestCase
{
  public:
    JustFreeInPauseTestCase()
        : TestCase("the same while a neighbour is paused")
    {
    }

  private:
    void CheckPaused(WeftRig* rig)
    {
        m_paused = rig->HasPaused(0);
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology =
            "leaf-spine leaves=1 spines=1 hosts-per-leaf=8 link-rate=300Gbps link-delay=1us";
        setup.frames = "roce payload=1000B header=48B gap=0B";
        setup.buffer =
            "shared-buffer buffer=1MB headroom=90KB alpha=0.01 xon-gap=0B pfc=on ecn=off";
        WeftRig rig(setup);
        for (uint32_t src = 4; src < 7; src++)
        {
            rig.Send(src, 7, 100000);
        }
        constexpr int64_t start = 5000000;
        Simulator::Schedule(PicoSeconds(start), &WeftRig::Send, &rig, 0, 3, 1000);
        Simulator::Schedule(PicoSeconds(start + 27947), &WeftRig::Send, &rig, 1, 3, 1000);
        Simulator::Schedule(PicoSeconds(start + 27950), &WeftRig::Send, &rig, 2, 3, 1000);
        Simulator::Schedule(PicoSeconds(start + 1000000 + 27947),
                            &JustFreeInPauseTestCase::CheckPaused,
                            this,
                            &rig);
        rig.fabric->GetNic(3)->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&JustFreeInPauseTestCase::Receive, this));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_paused, true, "a neighbour is paused");
        NS_TEST_EXPECT_MSG_EQ(m_last,
                              start + 2 * INT64_C(1000000) + 2 * INT64_C(27947) + INT64_C(55894),
                              "the third frame");
    }

    void Receive(const weft_packet&)
    {
        m_last = WeftNow();
    }

    bool m_paused{false}; //!< when the first frame starts to leave the switch
    int64_t m_last{-1};   //!< arrival of the last frame, ps
};

/** A paced frame that is due when the wire is just free has waited for its turn, not for the wire.
 */
class JustDueTestCase : public TestCase
{
  public:
    JustDueTestCase()
        : TestCase("a paced frame does not start before it is due")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology =
            "leaf-spine leaves=1 spines=1 hosts-per-leaf=4 link-rate=300Gbps link-delay=1us";
        setup.frames = "roce payload=1000B header=48B gap=0B";
        setup.cc = "ideal";
        WeftRig rig(setup);
        // Half of the line for everybody: the second frame is due at 55,894.
        rig.fabric->SetFlows({{0, 3}, {1, 3}});
        rig.Send(0, 3, 2000);
        // 1,046 bytes take 27,893 1/3 ps.
        Simulator::ScheduleWithContext(rig.fabric->GetNic(0)->GetNode()->GetId(),
                                       PicoSeconds(55894 - 27894),
                                       &JustDueTestCase::SendPacket,
                                       &rig);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered,
                              55894 + 2 * INT64_C(27947) + 2 * INT64_C(1000000),
                              "the second frame");
    }

    static void SendPacket(WeftRig* rig)
    {
        rig->fabric->GetNic(0)->Send(Create<Packet>(1046 - 18),
                                     rig->fabric->GetNic(1)->GetAddress(),
                                     0x0800);
    }
};

/** A frame that starts when its link comes back has not started before. */
class JustRepairedTestCase : public TestCase
{
  public:
    JustRepairedTestCase()
        : TestCase("a frame that starts when its link is repaired arrives")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology =
            "leaf-spine leaves=1 spines=1 hosts-per-leaf=2 link-rate=300Gbps link-delay=1us";
        setup.frames = "roce payload=1000B header=48B gap=0B";
        setup.transport = "ideal rto=100us";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Time::Max()));
        // The third frame starts when the second one's 2/3 ps are over.
        rig.fabric->ScheduleFailure(0, PicoSeconds(1), PicoSeconds(55894));
        rig.Send(0, 1, 5000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetCounters().lost[WeftFabric::DROP_LINK],
                              2,
                              "frames that began before");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "all arrives");
    }
};

/** No run is faster than its bound at any rate, by not so much as a picosecond. */
class OddBoundTestCase : public TestCase
{
  public:
    OddBoundTestCase()
        : TestCase("no run beats its bound at rates that do not divide")
    {
    }

  private:
    /** @return a fabric of random frames and delays */
    WeftRigSetup Draw(const std::string& topology, const std::string& rate)
    {
        const auto below = [this](uint32_t bound) {
            return std::to_string(1 + weft_rng_below(&m_rng, bound));
        };
        WeftRigSetup setup;
        setup.topology = topology + " link-rate=" + rate + " link-delay=" + below(200000) + "ps";
        setup.frames = "roce payload=" + below(4096) + "B header=62B gap=" + below(30) +
                       "B ack-priority=share";
        setup.transport = "ideal rto=inf";
        setup.buffer = weft_rng_below(&m_rng, 2)
                         ? "shared-buffer pfc=off ecn=off port-buffer=1GB"
                         : "shared-buffer pfc=on ecn=off buffer=1MB headroom=30KB alpha=0.01";
        return setup;
    }

    /** @param what a run @param time when it was over @param bound its bound */
    void Expect(const std::string& what, int64_t time, int64_t bound)
    {
        NS_TEST_EXPECT_MSG_EQ((time >= bound), true, what << ": " << time << " before " << bound);
        NS_TEST_EXPECT_MSG_LT(time, bound + bound / 2, what << ": the bound is far off");
    }

    /** Compares the time of a lone message with its bound. */
    void CheckMessage(const WeftRigSetup& setup, uint32_t dst, uint64_t bytes)
    {
        WeftRig rig(setup);
        rig.Send(0, dst, bytes);
        Simulator::Run();
        const weft_wire wire = rig.GetWire(0, dst);
        const bool sprayed = setup.balancer != "ecmp";
        Expect("message, " + setup.topology + ", " + setup.frames,
               rig.lastDelivered,
               sprayed ? weft_message_bound(&wire, bytes) : weft_message_fifo(&wire, bytes));
    }

    /** Two hosts, both ways. */
    void CheckExchange(const WeftRigSetup& setup, uint32_t dst, uint64_t packets)
    {
        WeftRig rig(setup);
        const weft_wire wire = rig.GetWire(0, dst);
        rig.Send(0, dst, packets * static_cast<uint64_t>(wire.payload));
        rig.Send(dst, 0, packets * static_cast<uint64_t>(wire.payload));
        Simulator::Run();
        Expect("exchange, " + setup.topology + ", " + setup.frames,
               rig.lastAcked,
               weft_permutation_paced_bound(&wire, packets, wire.rate));
    }

    /** Four hosts on a switch. */
    void CheckAllToAll(const WeftRigSetup& setup, uint64_t bytes)
    {
        WeftRig rig(setup);
        for (uint32_t src = 0; src < 4; src++)
        {
            for (uint32_t shift = 1; shift < 4; shift++)
            {
                rig.Send(src, (src + shift) % 4, bytes);
            }
        }
        Simulator::Run();
        const weft_wire wire = rig.GetWire(0, 1);
        const int64_t bound = weft_alltoall_acked_bound(&wire, 4, bytes, wire.rate);
        NS_TEST_EXPECT_MSG_EQ((rig.lastAcked >= bound),
                              true,
                              setup.topology << ": " << rig.lastAcked << " before " << bound);
    }

    void DoRun() override
    {
        weft_rng_seed(&m_rng, 12, 0, 0);
        for (const char* rate : {"3200Gbps", "333Gbps", "1600Gbps", "7Tbps", "123456789bps"})
        {
            for (int i = 0; i < 40; i++)
            {
                const uint64_t bytes = 1 + weft_rng_below(&m_rng, 300000);
                WeftRigSetup setup = Draw("fat-tree k=4 tiers=3", rate);
                const uint32_t dst = 1 + weft_rng_below(&m_rng, 15);
                setup.balancer = i % 2 == 0 ? "ecmp" : "rsq";
                CheckMessage(setup, dst, bytes);
                setup.balancer = "ecmp";
                CheckExchange(setup, dst, 1 + weft_rng_below(&m_rng, 300));
                CheckAllToAll(Draw("leaf-spine leaves=1 spines=1 hosts-per-leaf=4", rate), bytes);
            }
        }
    }

    weft_rng m_rng{};
};

class WeftOddRatesTestSuite : public TestSuite
{
  public:
    WeftOddRatesTestSuite()
        : TestSuite("weft-odd-rates", Type::UNIT)
    {
        AddTestCase(new OddRateTestCase);
        AddTestCase(new LongMessageTestCase);
        AddTestCase(new JustFreeTestCase);
        AddTestCase(new JustFreeInPauseTestCase);
        AddTestCase(new JustDueTestCase);
        AddTestCase(new JustRepairedTestCase);
        AddTestCase(new OddBoundTestCase);
    }
};

WeftOddRatesTestSuite g_weftOddRatesTestSuite; //!< registers the suite

} // namespace
