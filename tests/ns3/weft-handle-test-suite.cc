// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a program holds and asks of a fabric: connections, devices, links, changes before the
 * simulation runs. Were one of them off, it would read what is not so, or crash where it could be
 * told what is wrong.
 */
#include "weft-death.h"
#include "weft-listener.h"

#include "ns3/packet.h"
#include "ns3/test.h"
#include "ns3/weft-channel.h"

#include <functional>
#include <string>

using namespace ns3;

namespace
{

/** A link without delay is crossed in the time of a frame alone: the window is made of that. */
class NoDelayTestCase : public TestCase
{
  public:
    NoDelayTestCase()
        : TestCase(
              "links without delay: no faster than planned, and no frame shorter than Ethernet's")
    {
    }

  private:
    /** @return what is said when a link gets a rate while the fabric runs */
    static std::string SetRate(const std::string& delay, uint64_t link, const std::string& rate)
    {
        return WeftDeathOf([&] {
            WeftRig rig(WeftOneSwitch(2, delay));
            rig.Send(0, 1, 100000);
            Simulator::Schedule(MicroSeconds(3),
                                &WeftChannel::SetRate,
                                rig.fabric->GetChannel(link),
                                DataRate(rate));
            Simulator::Stop(MilliSeconds(1));
            Simulator::Run();
        });
    }

    void Received(const weft_packet& p)
    {
        m_bytes = p.bytes;
        m_at = WeftNow();
    }

    void CheckShort()
    {
        WeftRig rig(WeftOneSwitch(2, "0us"));
        rig.fabric->GetNic(1)->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&NoDelayTestCase::Received, this));
        rig.fabric->GetNic(0)->Send(Create<Packet>(1), rig.fabric->GetNic(1)->GetAddress(), 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 64, "the least frame of Ethernet");
        NS_TEST_EXPECT_MSG_EQ(m_at, 2 * 64 * 80, "the time of two links");
    }

    void DoRun() override
    {
        const std::string said = SetRate("0us", 0, "400Gbps");
        NS_TEST_EXPECT_MSG_NE(said.find("SetRate() of link 0 to 400000000000 bit/s"),
                              std::string::npos,
                              said);
        NS_TEST_EXPECT_MSG_EQ(SetRate("0us", 0, "40Gbps"), "", "a slower one");
        NS_TEST_EXPECT_MSG_EQ(SetRate("1us", 0, "400Gbps"), "", "where frames have a way to go");
        CheckShort();
    }

    uint32_t m_bytes{0}; //!< of the frame
    int64_t m_at{-1};    //!< when it came, ps
};

/** A handle shows a QP as it is now. */
class HandleTestCase : public TestCase
{
  public:
    HandleTestCase()
        : TestCase("a connection and an application show their QP as of now")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(WeftOneSwitch(4));
        WeftListener nobody(false);
        WeftConnection* c = rig.fabric->Connect(0, 1, &nobody);
        rig.fabric->PostMessages(0, {{c, 1000000, 0}});
        uint32_t behind = 0;
        for (int64_t at = 5500000; at < 15000000; at += 1000000)
        {
            Simulator::Schedule(PicoSeconds(at), [&] {
                const uint64_t first = c->GetQp(0)->arrived;
                behind += rig.fabric->GetQp(0)->arrived != first;
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(behind, 0, "times at which it lagged");
    }
};

/** Faults that were asked for before AssignStreams() are in force after it. */
class StreamsTestCase : public TestCase
{
  public:
    StreamsTestCase()
        : TestCase("AssignStreams() keeps failures and rates that were asked for before it")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=2 hosts-per-leaf=2 link-rate=100Gbps";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Time(0)));
        const uint64_t link = rig.FindLink(0, 2);
        rig.fabric->GetChannel(1)->SetDown(true);
        rig.fabric->GetChannel(0)->SetRate(DataRate("400Gbps"));
        rig.fabric->ScheduleFailure(link, Time(0), Time::Max());
        rig.helper.AssignStreams(7);
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetChannel(1)->IsDown(), true, "SetDown()");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetChannel(0)->GetDataRate(),
                              DataRate("400Gbps"),
                              "SetRate()");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetChannel(link)->IsDown(), true, "ScheduleFailure()");
        NS_TEST_EXPECT_MSG_NE(rig.fabric->GetFib(), nullptr, "and forwarding knows");
        rig.Send(0, 2, 100000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "a message");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetCounters().lost[WeftFabric::DROP_LINK], 0, "no loss");
    }
};

/** Questions that cannot be answered end the program with a reason. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase(
              "what a program holds after Destroy(), or asks in a callback, is refused by name")
    {
    }

  private:
    /** @param what part of the message @param act is to be aborted */
    void Dies(const std::string& what, const std::function<void(WeftRig&)>& act)
    {
        const std::string said = WeftDeathOf([&act] {
            WeftRig rig(WeftOneSwitch(4));
            act(rig);
        });
        NS_TEST_EXPECT_MSG_NE(said.find(what), std::string::npos, what << "; it said: " << said);
    }

    void CheckNic(const std::function<void(WeftNic&, WeftQp*)>& ask)
    {
        Dies("a device after Simulator::Destroy()", [&](WeftRig& rig) {
            Ptr<WeftNic> nic = rig.fabric->GetNic(0);
            WeftQp* qp = rig.Send(0, 1, 1000);
            Simulator::Run();
            Simulator::Destroy();
            ask(*nic, qp);
        });
    }

    void CheckSwitch(const std::function<void(WeftSwitch&)>& ask)
    {
        Dies("a device after Simulator::Destroy()", [&](WeftRig& rig) {
            Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(0);
            Simulator::Destroy();
            ask(*sw);
        });
    }

    void CheckHeld()
    {
        CheckNic([](WeftNic& nic, WeftQp*) { nic.GetWaiting(); });
        CheckNic([](WeftNic& nic, WeftQp* qp) { nic.GetSendAt(*qp); });
        CheckNic([](WeftNic& nic, WeftQp* qp) { nic.GetRate(qp); });
        CheckSwitch([](WeftSwitch& sw) { sw.GetBuffer(); });
        CheckSwitch([](WeftSwitch& sw) { sw.GetTorCounters(); });
        CheckSwitch([](WeftSwitch& sw) { sw.GetPeakQueue(); });
        CheckSwitch([](WeftSwitch& sw) { sw.GetMarks(true); });
        CheckSwitch([](WeftSwitch& sw) { sw.GetBalancerState(); });
        Dies("GetConnection() after Simulator::Destroy()", [](WeftRig& rig) {
            auto job = rig.helper.InstallWorkload("ring bytes=1KB");
            Simulator::Destroy();
            job->GetConnection(0);
        });
        for (const bool loses : {false, true})
        {
            Dies(loses ? "SetLossProbability() after" : "AddDrop() after", [loses](WeftRig& rig) {
                rig.Send(0, 1, 1000);
                Simulator::Destroy();
                loses ? rig.fabric->SetLossProbability(1) : rig.fabric->AddDrop(0, 0, 1);
            });
        }
    }

    void DoRun() override
    {
        CheckHeld();
        Dies("CheckConservation() by one who is being told of something", [](WeftRig& rig) {
            WeftListener listener(true);
            listener.delivered = [&rig](const WeftQp&, uint64_t) { rig.Audit(); };
            rig.fabric->Post(rig.fabric->CreateQp(0, 1, &listener), 100000, 0);
            Simulator::Run();
        });
        Dies("is to happen at", [](WeftRig& rig) {
            const auto nothing = [](void*, uint64_t, int64_t) {};
            rig.fabric->GetTicks().CallAt(0, INT64_MAX - 10, WEFT_NET_CALL, 0, nothing, nullptr, 0);
            Simulator::Run();
        });
        Dies("ScheduleFailure() of link 0 at", [](WeftRig& rig) {
            rig.fabric->ScheduleFailure(0, Time::Max() - PicoSeconds(5), Time::Max());
            Simulator::Run();
        });
    }
};

/** The last thing that happens is none that comes to nothing. */
class LastTimeTestCase : public TestCase
{
  public:
    LastTimeTestCase()
        : TestCase("GetLastTime() is that of the last ACK, not of a timer that has become stale")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"nic-sr", "sack", "gbn"})
        {
            WeftRigSetup setup = WeftOneSwitch(2);
            setup.transport = transport;
            WeftRig rig(setup);
            rig.Send(0, 1, 100000);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetLastTime().GetTimeStep(),
                                  rig.lastAcked,
                                  transport);
        }
    }
};

/** A packet that is sent runs the hosts that it concerns, not the whole fabric. */
class SendTestCase : public TestCase
{
  public:
    SendTestCase()
        : TestCase("a packet of a stack does not run the whole fabric when it is sent")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(WeftOneSwitch(4));
        const weft_net* net = rig.fabric->GetNet();
        bool sent = false;
        rig.fabric->ScheduleFailure(2, PicoSeconds(5777777), Time::Max());
        Simulator::Schedule(PicoSeconds(5777777), [&] {
            const Address to = rig.fabric->GetNic(1)->GetAddress();
            sent = rig.fabric->GetNic(0)->Send(Create<Packet>(100), to, 1);
            NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetNic(2)->Send(Create<Packet>(100), to, 1),
                                  false,
                                  "its link has failed at this instant");
        });
        Simulator::Schedule(PicoSeconds(6777777), [&] {
            const Address to = rig.fabric->GetNic(1)->GetAddress();
            rig.fabric->GetNic(0)->Send(Create<Packet>(100), to, 1);
            NS_TEST_EXPECT_MSG_EQ(weft_net_now(net), 6000000, "up to where the fabric is run");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sent, true, "sent");
    }
};

class WeftHandleTestSuite : public TestSuite
{
  public:
    WeftHandleTestSuite()
        : TestSuite("weft-handle", Type::UNIT)
    {
        AddTestCase(new NoDelayTestCase);
        AddTestCase(new HandleTestCase);
        AddTestCase(new StreamsTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new LastTimeTestCase);
        AddTestCase(new SendTestCase);
    }
};

WeftHandleTestSuite g_weftHandleTestSuite; //!< registers the suite

} // namespace
