// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Links that fail and come back. A user who studies failures must know that what is lost is lost to
 * the failure and not to the simulator.
 */
#include "weft-test-rig.h"

#include "ns3/test.h"

using namespace ns3;

namespace
{

/** A link fails and comes back under one long message: Themis stops spraying, then starts anew. */
class FailureTestCase : public TestCase
{
  public:
    FailureTestCase()
        : TestCase("a failed link costs packets only until forwarding has adapted")
    {
    }

  private:
    /** Reading at one time. */
    struct Reading
    {
        uint64_t lost{0};                //!< on dead links
        uint64_t seen{0};                //!< NACKs that Themis-D looked at
        uint64_t nacks{0};               //!< NACKs at the sender
        uint64_t injected{0};            //!< injected losses
        std::vector<uint64_t> uplinks{}; //!< frames on each uplink of leaves 0 and 1
    };

    void Read(WeftRig* rig)
    {
        const WeftRigTotals t = rig->GetTotals();
        Reading r;
        r.lost = rig->fabric->GetCounters().lost[WeftFabric::DROP_LINK];
        r.injected = rig->fabric->GetCounters().lost[WeftFabric::DROP_INJECTED];
        r.seen = t.tor.seen;
        r.nacks = t.nacks;
        for (uint32_t i = 0; i < 8; i++)
        {
            r.uplinks.push_back(rig->fabric->GetSwitch(i / 4)->GetPort(2 + i % 4)->GetFrames());
        }
        m_readings.push_back(r);
    }

    /** @return uplinks of a leaf used between two readings */
    uint32_t Used(size_t leaf, size_t from, size_t to) const
    {
        uint32_t used = 0;
        for (size_t i = 4 * leaf; i < 4 * leaf + 4; i++)
        {
            used += m_readings[to].uplinks[i] != m_readings[from].uplinks[i];
        }
        return used;
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.balancer = "themis";
        setup.transport = "nic-sr rto=30us";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(5)));
        WeftQp* qp = rig.Send(0, 7, 8000 * 1452);
        rig.Send(2, 4, 8000 * 1452); // has nothing to do with the failed link
        rig.fabric->ScheduleFailure(rig.FindLink(0, 5), MicroSeconds(20), MicroSeconds(600));
        rig.fabric->AddDrop(qp->index, 4000, 1); // at about 490 us, under the failure
        const std::vector<int64_t> times{19, 30, 400, 590, 620, 900};
        for (const int64_t us : times)
        {
            Simulator::Schedule(MicroSeconds(static_cast<uint64_t>(us)),
                                &FailureTestCase::Read,
                                this,
                                &rig);
        }
        Simulator::Run();
        const auto& r = m_readings;
        NS_TEST_ASSERT_MSG_EQ(r.size(), times.size(), "all readings");
        NS_TEST_EXPECT_MSG_EQ(r[0].lost, 0, "nothing is lost before the failure");
        NS_TEST_EXPECT_MSG_EQ((r[1].lost > 5 && r[1].lost < 25), true, "a quarter of 5 us is lost");
        NS_TEST_EXPECT_MSG_EQ(r[5].lost, r[1].lost, "nothing is lost later");
        for (size_t leaf = 0; leaf < 2; leaf++)
        {
            NS_TEST_EXPECT_MSG_EQ(Used(leaf, 2, 3), 1, "ECMP while a link is down, leaf " << leaf);
            NS_TEST_EXPECT_MSG_EQ(Used(leaf, 4, 5), 4, "spraying once it is back, leaf " << leaf);
        }
        NS_TEST_EXPECT_MSG_EQ(r[3].seen, r[1].seen, "Themis-D lets NACKs pass meanwhile");
        NS_TEST_EXPECT_MSG_EQ(r[3].injected - r[2].injected, 1, "one packet was dropped then");
        NS_TEST_EXPECT_MSG_EQ(r[3].nacks - r[2].nacks, 1, "and its NACK passed");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 2, "the messages arrive");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    std::vector<Reading> m_readings; //!< in order of time
};

/** Two links fail one soon after the other: each is known only a convergence delay later. */
class ConvergenceTestCase : public TestCase
{
  public:
    ConvergenceTestCase()
        : TestCase("a failure is not known before its time because another one was found")
    {
    }

  private:
    void Read(WeftRig* rig)
    {
        m_lost.push_back(rig->fabric->GetCounters().lost[WeftFabric::DROP_LINK]);
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.balancer = "rsq";
        setup.transport = "ideal rto=50us";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(20)));
        rig.Send(0, 7, 1000 * 1452);
        rig.fabric->ScheduleFailure(rig.FindLink(0, 4), MicroSeconds(10), Time::Max());
        rig.fabric->ScheduleFailure(rig.FindLink(0, 5), MicroSeconds(25), Time::Max());
        for (const uint64_t us : {9, 28, 33, 44, 49, 200})
        {
            Simulator::Schedule(MicroSeconds(us), &ConvergenceTestCase::Read, this, &rig);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_lost.size(), 6, "all readings");
        NS_TEST_EXPECT_MSG_EQ(m_lost[0], 0, "before the first failure");
        NS_TEST_EXPECT_MSG_GT(m_lost[1], 0, "the first link is not known to be down");
        NS_TEST_EXPECT_MSG_GT(m_lost[3], m_lost[2] + 10, "the first is known, the second is not");
        NS_TEST_EXPECT_MSG_EQ(m_lost[5], m_lost[4], "both are known");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "the message arrives");
    }

    std::vector<uint64_t> m_lost; //!< frames lost on dead links
};

/** Losses on a dead wire, frame by frame, where many frames are on their way at once. */
class DeadWireTestCase : public TestCase
{
  public:
    DeadWireTestCase()
        : TestCase("a frame is lost if its link was down at any time while it was on the wire")
    {
    }

  private:
    using Failures = std::vector<std::pair<uint64_t, uint64_t>>; //!< from and to, us

    void Arrived(WeftRig* rig)
    {
        m_arrived = rig->fabric->GetSwitch(2)->GetPort(1)->GetFrames();
    }

    void Sent(WeftRig* rig)
    {
        m_sent = rig->fabric->GetSwitch(0)->GetPort(1)->GetFrames();
    }

    /** No frame arrives between the first failure and the last repair. */
    void Check(const Failures& failures, uint64_t from, uint64_t to)
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=1 hosts-per-leaf=1 link-rate=10Gbps "
                         "fabric-delay=1ms";
        setup.transport = "nic-sr rto=50ms";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(Time::Max()));
        Simulator::Schedule(MicroSeconds(from), &DeadWireTestCase::Arrived, this, &rig);
        Simulator::Schedule(MicroSeconds(to), &DeadWireTestCase::Sent, this, &rig);
        for (const auto& [at, repair] : failures)
        {
            rig.fabric->ScheduleFailure(rig.FindLink(0, 2), MicroSeconds(at), MicroSeconds(repair));
        }
        rig.Send(0, 1, 3000000);
        Simulator::Run();
        // No ACK crosses the link before 2 ms: the dead wire held data alone.
        const uint64_t lost = rig.fabric->GetCounters().lost[WeftFabric::DROP_LINK];
        NS_TEST_EXPECT_MSG_GT(m_sent, m_arrived + 500, "much was on the wire");
        NS_TEST_EXPECT_MSG_EQ(lost, m_sent - m_arrived, "lost between " << from << " and " << to);
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "the message arrives");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void DoRun() override
    {
        Check({{100, 900}}, 100, 900); // back before any frame would have arrived
        Check({{1500, 1501}}, 1500, 1501);
        Check({{100, 900}, {300, 500}}, 100, 900);
        Check({{100, 500}, {300, 900}}, 100, 900);
        Check({{100, 500}, {100, 900}}, 100, 900);
        Check({{100, 500}, {600, 900}}, 100, 900); // what was sent between is under way at 600 us
    }

    uint64_t m_arrived{0}; //!< frames at the link's far end when it fails
    uint64_t m_sent{0};    //!< frames sent on the link when it is back
};

/** To the picosecond: a frame is lost if it starts before its link is back. */
class RepairedInTimeTestCase : public TestCase
{
  public:
    RepairedInTimeTestCase()
        : TestCase("a frame that starts when its link is back arrives, one before that does not")
    {
    }

  private:
    /** Host 0 sends a packet @p at that time, ps; its link is down from 0 to 10 us. */
    void Check(uint64_t at, uint64_t lost)
    {
        WeftRigSetup setup;
        setup.transport = "nic-sr rto=50us";
        WeftRig rig(setup);
        rig.fabric->ScheduleFailure(0, Time(0), MicroSeconds(10));
        WeftQp* qp = rig.fabric->CreateQp(0, 7, &rig);
        Simulator::Schedule(PicoSeconds(at), &WeftFabric::Post, rig.fabric, qp, 1000, 0);
        Simulator::Run();
        const WeftCounters& c = rig.fabric->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(c.lost[WeftFabric::DROP_LINK], lost, "sent at " << at << " ps");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "it arrives in the end");
    }

    void DoRun() override
    {
        Check(9999999, 1);
        Check(10000000, 0);
        Check(10000001, 0);
    }
};

/** A link with two failures at once is back when both are repaired, in forwarding, too. */
class TwiceFailedTestCase : public TestCase
{
  public:
    TwiceFailedTestCase()
        : TestCase("forwarding avoids a link until all of its failures are repaired")
    {
    }

  private:
    void Read(WeftRig* rig)
    {
        m_frames.push_back(rig->fabric->GetSwitch(0)->GetPort(2)->GetFrames());
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.balancer = "rsq";
        setup.transport = "ideal rto=50us";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(5)));
        rig.fabric->ScheduleFailure(rig.FindLink(0, 4), MicroSeconds(10), MicroSeconds(50));
        rig.fabric->ScheduleFailure(rig.FindLink(0, 4), MicroSeconds(30), MicroSeconds(200));
        rig.Send(0, 7, 3000 * 1452);
        for (const uint64_t us : {9, 20, 199, 300})
        {
            Simulator::Schedule(MicroSeconds(us), &TwiceFailedTestCase::Read, this, &rig);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_frames.size(), 4, "all readings");
        NS_TEST_EXPECT_MSG_GT(m_frames[0], 0, "the link is in use");
        NS_TEST_EXPECT_MSG_EQ(m_frames[2], m_frames[1], "not while one failure lasts");
        NS_TEST_EXPECT_MSG_GT(m_frames[3], m_frames[2], "again after the second repair");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "the message arrives");
    }

    std::vector<uint64_t> m_frames; //!< sent on the link
};

/** A program that has seen all that matters waits for nothing that was planned for later. */
class ForgottenTestCase : public TestCase
{
  public:
    ForgottenTestCase()
        : TestCase("faults that are forgotten do not happen, and do not keep the clock going")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig{WeftRigSetup()};
        rig.fabric->ScheduleFailure(rig.FindLink(0, 4), Seconds(1), Seconds(2));
        rig.fabric->ScheduleDegradation(rig.FindLink(0, 5), 1000000000, Seconds(3), Time::Max());
        rig.Send(0, 7, 100000);
        Simulator::Schedule(MicroSeconds(5), &WeftFabric::ForgetFaults, rig.fabric);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "the message arrives");
        NS_TEST_EXPECT_MSG_LT(Simulator::Now(), Seconds(1), "and the run ends soon");
    }
};

/** A leaf without uplinks: its messages are not done, nothing hangs; after repair they are. */
class PartitionTestCase : public TestCase
{
  public:
    PartitionTestCase()
        : TestCase("a cut-off leaf is reported as not done, and recovers when it is repaired")
    {
    }

  private:
    void Check(const std::string& balancer, Time repair, uint64_t expected, bool host)
    {
        WeftRigSetup setup;
        setup.balancer = balancer;
        setup.cc = "dcqcn";
        setup.frames = "roce retry-limit=0"; // so that senders are still there after the repair
        // Each timeout repeats one packet of a tail that was lost whole.
        setup.transport = "nic-sr rto=50us";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(10)));
        rig.SendAll(2, 200000);
        for (uint32_t spine = 4; spine < 8 && !host; spine++)
        {
            rig.fabric->ScheduleFailure(rig.FindLink(0, spine), MicroSeconds(5), repair);
        }
        if (host)
        {
            rig.fabric->ScheduleFailure(0, MicroSeconds(5), repair);
        }
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, expected, balancer << ": messages done");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", balancer << ": the books balance");
    }

    void DoRun() override
    {
        for (const char* balancer : {"ecmp", "rsq", "ar", "themis"})
        {
            // Hosts 0 and 1 send to 2 and 3, and receive from 6 and 7.
            Check(balancer, Time::Max(), 4, false);
            Check(balancer, MilliSeconds(2), 8, false);
            Check(balancer, Time::Max(), 6, true);
            Check(balancer, MilliSeconds(2), 8, true);
        }
    }
};

/** Gray faults: a link that stays up and loses frames, one that flaps, one with a longer way. */
class GrayFaultTestCase : public TestCase
{
  public:
    GrayFaultTestCase()
        : TestCase(
              "a link loses or spoils frames one way, flaps, or takes longer, as it is asked to")
    {
    }

  private:
    /** Receiver's link, as graph files number it: host 7's. */
    static constexpr uint64_t LINK = 7;

    void CheckLosses(bool spoils)
    {
        WeftRigSetup setup;
        setup.transport = "ideal rto=50us";
        WeftRig rig(setup);
        WeftFabric::Fault fault;
        fault.links = {LINK};
        fault.effect = spoils ? WEFT_FAULT_CORRUPTING : WEFT_FAULT_LOSSY;
        fault.direction = WEFT_DOWNWARDS;
        fault.losses.good = 0.05;
        rig.fabric->AddFault(fault);
        rig.Send(0, LINK, 4000 * 1452);
        Simulator::Run();
        const WeftCounters sum = rig.fabric->GetCounters();
        const uint64_t lost = sum.lost[spoils ? WeftFabric::CORRUPTED : WeftFabric::DROP_LOSSY];
        NS_TEST_EXPECT_MSG_EQ((lost > 150 && lost < 280), true, "5 % of them: " << lost);
        NS_TEST_EXPECT_MSG_EQ(sum.lost[spoils ? WeftFabric::DROP_LOSSY : WeftFabric::CORRUPTED],
                              0,
                              "each is counted by its reason");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "the message arrives");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void Read(WeftRig* rig, bool down, bool known)
    {
        NS_TEST_EXPECT_MSG_EQ(rig->fabric->IsLinkDown(m_flaps), down, "at " << WeftNow() << " ps");
        NS_TEST_EXPECT_MSG_EQ((rig->fabric->GetFib() != nullptr), known, WeftNow() << " ps");
    }

    /** @param convergence delay in us @param hears whether forwarding hears of 30 us down, and not
     * that it is up for 20 */
    void CheckFlap(uint64_t convergence, bool hears)
    {
        WeftRigSetup setup;
        WeftRig rig(setup);
        m_flaps = rig.FindLink(0, 5);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(convergence)));
        rig.fabric->SetAttribute("RecoveryDelay", TimeValue(MicroSeconds(40)));
        WeftFabric::Fault fault;
        fault.links = {m_flaps};
        fault.at = MicroSeconds(10);
        fault.down = MicroSeconds(30);
        fault.up = MicroSeconds(20);
        fault.count = 3;
        rig.fabric->AddFault(fault);
        const std::vector<uint64_t> times{9, 20, 38, 45, 65, 95, 115, 145, 179, 181};
        const std::vector<bool> down{0, 1, 1, 0, 1, 0, 1, 0, 0, 0};
        for (size_t i = 0; i < times.size(); i++)
        {
            const bool known = hears && times[i] >= 10 + convergence && times[i] < 180;
            Simulator::Schedule(MicroSeconds(times[i]),
                                &GrayFaultTestCase::Read,
                                this,
                                &rig,
                                down[i],
                                known);
        }
        Simulator::Run();
    }

    void CheckDelay()
    {
        WeftRigSetup setup;
        WeftRig rig(setup);
        WeftFabric::Fault fault;
        fault.links = {0};
        fault.effect = WEFT_FAULT_DELAYED;
        fault.delay = MicroSeconds(7);
        fault.direction = WEFT_UPWARDS;
        fault.at = MicroSeconds(100);
        rig.fabric->AddFault(fault);
        rig.Send(0, 1, 100);
        Simulator::Schedule(MicroSeconds(99), &WeftCall, std::function<void()>([&] {
                                m_first = rig.lastDelivered;
                            }));
        Simulator::Schedule(MicroSeconds(200), &WeftCall, std::function<void()>([&] {
                                rig.Send(0, 1, 100);
                            }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.lastDelivered - 200000000, m_first + 7000000, "7 us later");
    }

    void DoRun() override
    {
        CheckLosses(false);
        CheckLosses(true);
        CheckFlap(25, true);
        CheckFlap(31, false);
        CheckDelay();
    }

    uint64_t m_flaps{0}; //!< link
    int64_t m_first{0};  //!< when a message came before the fault
};

class WeftFailureTestSuite : public TestSuite
{
  public:
    WeftFailureTestSuite()
        : TestSuite("weft-failure", Type::UNIT)
    {
        AddTestCase(new FailureTestCase);
        AddTestCase(new ConvergenceTestCase);
        AddTestCase(new DeadWireTestCase);
        AddTestCase(new RepairedInTimeTestCase);
        AddTestCase(new TwiceFailedTestCase);
        AddTestCase(new ForgottenTestCase);
        AddTestCase(new PartitionTestCase);
        AddTestCase(new GrayFaultTestCase);
    }
};

WeftFailureTestSuite g_weftFailureTestSuite; //!< registers the suite

} // namespace
