// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a program may get wrong when it uses the module. Were it not refused by name, a user would
 * look for a crash in ns-3, or believe numbers of a simulation whose clock ran backwards.
 */
#include "weft-death.h"
#include "weft-test-rig.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-rdma-application.h"

#include <functional>
#include <memory>
#include <string>

using namespace ns3;

namespace
{

constexpr const char* FOUR_HOSTS = "leaf-spine leaves=2 spines=2 hosts-per-leaf=2 "
                                   "link-rate=100Gbps link-delay=1us";

/** @param frames of the fabric @param balancer of it @return four hosts, two paths */
WeftRigSetup
FourHosts(const std::string& frames = "roce", const std::string& balancer = "ecmp")
{
    WeftRigSetup setup;
    setup.topology = FOUR_HOSTS;
    setup.frames = frames;
    setup.balancer = balancer;
    return setup;
}

/** Mistakes in calls end the program, with the call's name. */
class WrongCallTestCase : public TestCase
{
  public:
    WrongCallTestCase()
        : TestCase("a call that cannot work aborts, naming it")
    {
    }

  private:
    /** @param what part of the message @param act is to be aborted, with the fabric of a rig */
    void Dies(const std::string& what, const std::function<void(WeftRig&)>& act)
    {
        const std::string said = WeftDeathOf([&act] {
            WeftRig rig(FourHosts());
            act(rig);
        });
        NS_TEST_EXPECT_MSG_NE(said.find(what), std::string::npos, what << "; it said: " << said);
    }

    /** @param act at 5 us of a simulation */
    static void RunTo5us(const std::function<void()>& act)
    {
        Simulator::Schedule(MicroSeconds(5), &WeftCall, act);
        Simulator::Run();
    }

    void DoRun() override
    {
        Dies("ScheduleFailure() of link 4 at +1us, but it is +5us now", [](WeftRig& rig) {
            RunTo5us([&] { rig.fabric->ScheduleFailure(4, MicroSeconds(1), Time::Max()); });
        });
        Dies("ScheduleDegradation() of link 4 at +1us, but it is +5us now", [](WeftRig& rig) {
            RunTo5us(
                [&] { rig.fabric->ScheduleDegradation(4, 1000, MicroSeconds(1), Seconds(1)); });
        });
        Dies("ScheduleFailure() of link 4 at +9us, with its repair at +8us", [](WeftRig& rig) {
            rig.fabric->ScheduleFailure(4, MicroSeconds(9), MicroSeconds(8));
        });
        Dies("ScheduleDegradation(): no link 100; the fabric has", [](WeftRig& rig) {
            rig.fabric->ScheduleDegradation(100, 1000, MicroSeconds(1), Seconds(1));
        });
        Dies("AddFault(): no link 100; the fabric has", [](WeftRig& rig) {
            WeftFabric::Fault fault;
            fault.links = {4, 100};
            rig.fabric->AddFault(fault);
        });
        Dies("AddFault(): expected links",
             [](WeftRig& rig) { rig.fabric->AddFault(WeftFabric::Fault()); });
        Dies("AddFault() of link 4: expected a rate", [](WeftRig& rig) {
            WeftFabric::Fault fault;
            fault.links = {4};
            fault.effect = WEFT_FAULT_LOSSY;
            fault.losses.good = 1.5;
            rig.fabric->AddFault(fault);
        });
        Dies("ScheduleFailure() of link 4 at", [](WeftRig& rig) {
            RunTo5us([&] { rig.fabric->ScheduleFailure(4, PicoSeconds(4999999), Time::Max()); });
        });
        Dies("ScheduleDegradation() of link 4 at", [](WeftRig& rig) {
            RunTo5us([&] {
                rig.fabric->ScheduleDegradation(4, 1000, PicoSeconds(4999999), Seconds(1));
            });
        });
        for (const uint64_t rate : {uint64_t{0}, UINT64_MAX})
        {
            Dies("cannot be degraded to " + std::to_string(rate), [rate](WeftRig& rig) {
                rig.fabric->ScheduleDegradation(4, DataRate(rate), Seconds(0), Seconds(1));
            });
            Dies("SetRate() of link 4 to " + std::to_string(rate),
                 [rate](WeftRig& rig) { rig.fabric->GetChannel(4)->SetRate(DataRate(rate)); });
        }
        Dies("GetNic(): no host 100; the fabric has 4",
             [](WeftRig& rig) { rig.fabric->GetNic(100); });
        Dies("GetSwitch(): no switch 4; the fabric has 4",
             [](WeftRig& rig) { rig.fabric->GetSwitch(4); });
        Dies("GetChannel(): no link 8; the fabric has 8",
             [](WeftRig& rig) { rig.fabric->GetChannel(8); });
        Dies("GetLink(): no link 8; the fabric has 8",
             [](WeftRig& rig) { rig.fabric->GetLink(8); });
        Dies("GetQp(): no QP 0; the fabric has 0", [](WeftRig& rig) { rig.fabric->GetQp(0); });
        DestroyedTooEarly();
    }

    void DestroyedTooEarly()
    {
        Dies("GetNic() after Simulator::Destroy()", [](WeftRig& rig) {
            Simulator::Destroy();
            rig.fabric->GetNic(0);
        });
        Dies("CreateQp() after Simulator::Destroy()", [](WeftRig& rig) {
            Simulator::Destroy();
            rig.fabric->CreateQp(0, 3, &rig);
        });
        Dies("Post() after Simulator::Destroy()", [](WeftRig& rig) {
            WeftQp* qp = rig.fabric->CreateQp(0, 3, &rig);
            Simulator::Destroy();
            rig.fabric->Post(qp, 1000, 0);
        });
        Dies("Post() after ReleasePackets()", [](WeftRig& rig) {
            WeftQp* qp = rig.fabric->CreateQp(0, 3, &rig);
            rig.fabric->Post(qp, 1000, 0);
            Simulator::Run();
            rig.fabric->ReleasePackets();
            rig.fabric->Post(qp, 1000, 0);
        });
        Dies("GetPacketsInFabric() after Simulator::Destroy()", [](WeftRig& rig) {
            Simulator::Destroy();
            rig.fabric->GetPacketsInFabric();
        });
        Dies("CheckConservation() after Simulator::Destroy()", [](WeftRig& rig) {
            rig.Send(0, 3, 100000);
            Simulator::Stop(MicroSeconds(5));
            Simulator::Run();
            Simulator::Destroy();
            rig.Audit();
        });
        Dies("SetDown() of a link that is in no fabric", [](WeftRig& rig) {
            Ptr<WeftChannel> channel = rig.fabric->GetChannel(4);
            Simulator::Destroy();
            channel->SetDown(true);
        });
    }
};

/** A link that is taken down by hand fails like any other. */
class SetDownTestCase : public TestCase
{
  public:
    SetDownTestCase()
        : TestCase("forwarding learns of SetDown() and SetRate(), as of a scheduled failure")
    {
    }

  private:
    /** Where messages over a link that is down for a while end. */
    struct Outcome
    {
        int64_t end;      //!< last ACK
        uint64_t dropped; //!< frames on the dead link
        bool adapted;     //!< forwarding did while it was down
        bool whole;       //!< and again afterwards
    };

    static Outcome RunWith(const std::function<void(WeftRig&, uint64_t)>& fail)
    {
        WeftRig rig(FourHosts("roce", "simple-rr"));
        Outcome o{};
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(10)));
        rig.SendAll(2, 1000000);
        fail(rig, rig.FindLink(0, 2));
        Simulator::Schedule(MicroSeconds(20), &WeftCall, std::function<void()>([&] {
                                o.adapted = rig.fabric->GetFib() != nullptr;
                            }));
        Simulator::Run();
        o.end = rig.lastAcked;
        o.dropped = rig.fabric->GetCounters().lost[WeftFabric::DROP_LINK];
        o.whole = rig.fabric->GetFib() == nullptr;
        return o;
    }

    void DoRun() override
    {
        const Outcome planned = RunWith([](WeftRig& rig, uint64_t link) {
            rig.fabric->ScheduleFailure(link, MicroSeconds(5), MicroSeconds(40));
        });
        const Outcome byHand = RunWith([](WeftRig& rig, uint64_t link) {
            Ptr<WeftChannel> channel = rig.fabric->GetChannel(link);
            Simulator::Schedule(MicroSeconds(5), &WeftChannel::SetDown, channel, true);
            Simulator::Schedule(MicroSeconds(40), &WeftChannel::SetDown, channel, false);
        });
        NS_TEST_EXPECT_MSG_GT(planned.dropped, 0, "the link was in use");
        NS_TEST_EXPECT_MSG_EQ(byHand.dropped, planned.dropped, "dropped");
        NS_TEST_EXPECT_MSG_EQ(byHand.end, planned.end, "the end");
        NS_TEST_EXPECT_MSG_EQ((byHand.adapted && byHand.whole), true, "forwarding");

        const Outcome slower = RunWith([](WeftRig& rig, uint64_t link) {
            rig.fabric->SetAttribute("ConvergenceCapacity", BooleanValue(true));
            Simulator::Schedule(MicroSeconds(5),
                                &WeftChannel::SetRate,
                                rig.fabric->GetChannel(link),
                                int64_t{1000000000});
        });
        NS_TEST_EXPECT_MSG_EQ((slower.adapted && !slower.whole), true, "capacities count");
        CheckRepairs();
    }

    void CheckRepairs()
    {
        WeftRig rig(FourHosts());
        const uint64_t link = rig.FindLink(0, 2);
        Ptr<WeftChannel> channel = rig.fabric->GetChannel(link);
        rig.fabric->ScheduleFailure(link, MicroSeconds(1), MicroSeconds(50));
        rig.fabric->ScheduleFailure(link, MicroSeconds(20), MicroSeconds(80));
        Simulator::Schedule(MicroSeconds(10), &WeftChannel::SetDown, channel, false);
        const std::pair<int64_t, bool> states[] = {{5, true},
                                                   {15, false},
                                                   {30, true},
                                                   {60, true},
                                                   {90, false}};
        for (const auto& [us, down] : states)
        {
            Simulator::Schedule(
                MicroSeconds(us),
                &WeftCall,
                std::function<void()>([this, channel, us = us, down = down] {
                    NS_TEST_EXPECT_MSG_EQ(channel->IsDown(), down, "at " << us << " us");
                }));
        }
        Simulator::Run();
    }
};

uint32_t g_told = 0; //!< how often a listener was told

/** Counts, whoever it is. */
class Counting : public WeftMessageListener
{
  public:
    void MessageDelivered(const WeftQp&, uint64_t) override
    {
        g_told++;
    }

    void MessageAcked(const WeftQp&, uint64_t) override
    {
        g_told++;
    }
};

/** A listener may go while its messages are under way. */
class DeletedListenerTestCase : public TestCase
{
  public:
    DeletedListenerTestCase()
        : TestCase("a listener that is deleted is told nothing more, a copy of it nothing at all")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* balancer : {"ecmp", "subflow n=2"})
        {
            g_told = 0;
            WeftRig rig(FourHosts("roce", balancer));
            auto listener = std::make_unique<Counting>();
            WeftConnection* c = rig.fabric->Connect(0, 2, listener.get());
            rig.fabric->PostMessages(0, {{c, 5000, 1}, {c, 1000000, 2}});
            auto copy = std::make_unique<Counting>(*listener);
            copy.reset();
            Simulator::Schedule(MicroSeconds(20), &WeftCall, std::function<void()>([&listener] {
                                    listener.reset();
                                }));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(g_told, 2, "of the first message only, with " << balancer);
            NS_TEST_EXPECT_MSG_EQ(c->GetQp(0)->nwqes, c->GetQp(0)->acked, "all goes on");
        }
    }
};

/** An application whose QP is given up says so, once, and posts nothing more. */
class FailedMessageTestCase : public TestCase
{
  public:
    FailedMessageTestCase()
        : TestCase("an application tells of a message that its sender has given up")
    {
    }

  private:
    void Fail(uint64_t message, Time)
    {
        m_failed.push_back(message);
    }

    void DoRun() override
    {
        WeftRig rig(FourHosts("roce retry-limit=2"));
        auto app = CreateObjectWithAttributes<WeftRdmaApplication>("Remote",
                                                                   UintegerValue(3),
                                                                   "Messages",
                                                                   UintegerValue(0),
                                                                   "Bytes",
                                                                   UintegerValue(100000));
        app->TraceConnectWithoutContext("Failed", MakeCallback(&FailedMessageTestCase::Fail, this));
        rig.helper.GetHosts().Get(0)->AddApplication(app);
        rig.fabric->ScheduleFailure(3, MicroSeconds(100), Time::Max()); // the receiver's
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(app->GetDelivered(), 2, "before the failure");
        NS_TEST_EXPECT_MSG_EQ(app->GetFailed(), 1, "given up");
        NS_TEST_ASSERT_MSG_EQ(m_failed.size(), 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(m_failed[0], app->GetDelivered(), "the one that was under way");
    }

    std::vector<uint64_t> m_failed; //!< messages
};

class WeftSafetyTestSuite : public TestSuite
{
  public:
    WeftSafetyTestSuite()
        : TestSuite("weft-safety", Type::UNIT)
    {
        AddTestCase(new WrongCallTestCase);
        AddTestCase(new SetDownTestCase);
        AddTestCase(new DeletedListenerTestCase);
        AddTestCase(new FailedMessageTestCase);
    }
};

WeftSafetyTestSuite g_weftSafetyTestSuite; //!< registers the suite

} // namespace
