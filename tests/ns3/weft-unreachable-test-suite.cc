// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Destinations that cannot be reached. A user who fails links at random cuts hosts off now and
 * then: the run must end, and every message be accounted for.
 */
#include "weft-slow-suite.h"
#include "weft-test-rig.h"

#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/weft-collective.h"

#include <weft/registry.h>

using namespace ns3;

namespace
{

/** Setup of a case on a small fat-tree. */
struct Setup
{
    std::string balancer{"rsq"};     //!< its name
    std::string transport{"nic-sr"}; //!< its name
    std::string timer{" rto=30us"};  //!< of the transport
    std::string topology{"fat-tree k=4 link-rate=100Gbps link-delay=100ns"};
    std::string workload{"ring bytes=20KB groups=1"};  //!< as in a scenario
    std::vector<std::pair<uint32_t, uint32_t>> dead{}; //!< links, by their switches
    Time convergence{Time::Max()};                     //!< until it is known
};

/** A workload on a fabric; the simulation is destroyed with it. */
class Job
{
  public:
    explicit Job(const Setup& setup)
        : m_setup(setup)
    {
    }

    ~Job()
    {
        Simulator::Destroy();
    }

    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /** @return whether the balancer takes this fabric; it says why not otherwise */
    bool Build()
    {
        WeftHelper helper; // sets the resolution of time
        fabric =
            CreateObjectWithAttributes<WeftFabric>("Topology",
                                                   StringValue(m_setup.topology),
                                                   "Balancer",
                                                   StringValue(m_setup.balancer),
                                                   "Transport",
                                                   StringValue(m_setup.transport + m_setup.timer),
                                                   "ConvergenceDelay",
                                                   TimeValue(m_setup.convergence));
        weft_clos shape;
        std::string error;
        NodeContainer hosts;
        NodeContainer switches;
        if (!fabric->GetShape(&shape, error))
        {
            return false;
        }
        hosts.Create(shape.nhosts);
        switches.Create(weft_planes_switches(&shape));
        return fabric->Build(hosts, switches, error);
    }

    /** Fails the links, runs the workload to its end. */
    void Go()
    {
        for (const auto& [lower, upper] : m_setup.dead)
        {
            fabric->ScheduleFailure(FindLink(lower, upper), Time(0), Time::Max());
        }
        work =
            CreateObjectWithAttributes<WeftCollective>("Workload", StringValue(m_setup.workload));
        std::string error;
        NS_ABORT_MSG_UNLESS(work->Install(fabric, error), error);
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
    }

    /** @return messages delivered */
    size_t CountDelivered() const
    {
        size_t n = 0;
        for (const auto& t : work->GetTimes())
        {
            n += t.delivered >= 0;
        }
        return n;
    }

    /** @return an empty string if the run is done and all adds up, else what does not */
    std::string Audit() const
    {
        std::string error;
        fabric->CheckConservation(error);
        const size_t all = work->GetMessages().size();
        const size_t found = CountDelivered() + work->GetUndelivered() + work->GetUnstarted();
        if (!work->IsDone())
        {
            error += "not done. ";
        }
        if (found != all)
        {
            error += std::to_string(found) + " of " + std::to_string(all) + " messages. ";
        }
        if (fabric->GetPacketsInUse() != 0)
        {
            error += "packets are left. ";
        }
        return error;
    }

    Ptr<WeftFabric> fabric;   //!< under test
    Ptr<WeftCollective> work; //!< on it

  private:
    uint64_t FindLink(uint32_t lower, uint32_t upper) const
    {
        const weft_clos& clos = fabric->GetClos();
        uint64_t i = clos.nhosts;
        for (weft_link link; i < clos.nlinks; i++)
        {
            weft_clos_link(&clos, i, &link);
            if (link.lower.index == lower && link.upper.index == upper)
            {
                break;
            }
        }
        return i;
    }

    Setup m_setup; //!< what was asked for
};

const std::vector<std::pair<uint32_t, uint32_t>> CUT_OFF{{0, 8}, {0, 9}}; //!< edge 0, hosts 0 and 1
const std::vector<std::pair<uint32_t, uint32_t>> LOST_CORE{{8, 16}}; //!< one core link of pod 0

/** Each host sends to the next one; hosts 0 and 1 are cut off. */
class CutOffTestCase : public TestCase
{
  public:
    CutOffTestCase()
        : TestCase("only messages from and to hosts that are cut off fail")
    {
    }

  private:
    void Check(Time convergence)
    {
        Setup setup;
        setup.dead = CUT_OFF;
        setup.convergence = convergence;
        Job run(setup);
        NS_TEST_ASSERT_MSG_EQ(run.Build(), true, "it can be built");
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.Audit(), "", "all is accounted for");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUndelivered(), 2, "1 to 2 and 15 to 0");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUnstarted(), 0, "nothing waits for them");
        for (uint32_t i = 0; i < 16; i++)
        {
            const WeftCollective::Times& t = run.work->GetTimes()[i];
            const bool lost = i == 1 || i == 15;
            NS_TEST_EXPECT_MSG_EQ(t.failed, lost, "host " << i << ": given up");
            NS_TEST_EXPECT_MSG_EQ((t.delivered < 0), lost, "host " << i << ": not delivered");
            NS_TEST_EXPECT_MSG_EQ((t.acked < 0), lost, "host " << i << ": not acknowledged");
        }
    }

    void DoRun() override
    {
        Check(Time::Max());
        Check(Time(0));
    }
};

/** Messages that wait for a lost one cannot start, nor those that wait for them. */
class DependenceTestCase : public TestCase
{
  public:
    DependenceTestCase()
        : TestCase("messages that wait for a lost one are counted, and the run ends")
    {
    }

  private:
    void DoRun() override
    {
        Setup setup;
        setup.dead = CUT_OFF;
        setup.workload = "allreduce-ring bytes=160KB groups=1";
        Job run(setup);
        NS_TEST_ASSERT_MSG_EQ(run.Build(), true, "it can be built");
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.Audit(), "", "all is accounted for");
        const size_t ranks = 16;
        const size_t steps = 2 * (ranks - 1);
        NS_TEST_ASSERT_MSG_EQ(run.work->GetMessages().size(), ranks * steps, "the collective");
        // Two links of the ring are dead, behind ranks 1 and 15. A rank can send as many steps as
        // it is behind the nearer dead link, less one; the two ranks before it send in vain.
        size_t delivered = 0;
        size_t failed = 0;
        for (size_t rank = 0; rank < ranks; rank++)
        {
            const size_t behind = rank < 2 ? rank : rank - 2;
            const bool dead = rank == 1 || rank == 15;
            delivered += dead ? 0 : std::min(steps, behind + 1);
            failed += dead ? std::min(steps, behind + 1) : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(run.CountDelivered(), delivered, "delivered");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUndelivered(), failed, "failed");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUnstarted(),
                              ranks * steps - delivered - failed,
                              "never started");
    }
};

/** Nobody passes a barrier that a lost message holds back. */
class LostBarrierTestCase : public TestCase
{
  public:
    LostBarrierTestCase()
        : TestCase("no message starts behind a barrier that was not passed; all are counted")
    {
    }

  private:
    void DoRun() override
    {
        Setup setup;
        setup.dead = CUT_OFF;
        setup.workload = "fsdp bytes=20KB gpus=1 layers=3 placement=blocked";
        Job run(setup);
        NS_TEST_ASSERT_MSG_EQ(run.Build(), true, "it can be built");
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.Audit(), "", "all is accounted for");
        NS_TEST_EXPECT_MSG_EQ(run.CountDelivered(), 14, "the others' first phase");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUndelivered(), 2, "1 to 2 and 15 to 0");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUnstarted(), 32, "the later phases");
    }
};

/** A sender that gives up before its first ACK can be back: all messages arrive nevertheless. */
class LateTestCase : public TestCase
{
  public:
    LateTestCase()
        : TestCase("a message that its sender has given up may arrive, and others go on")
    {
    }

  private:
    void Check(const std::string& workload)
    {
        Setup setup;
        setup.topology = "leaf-spine leaves=4 spines=2 hosts-per-leaf=1 link-rate=100Gbps "
                         "link-delay=1ms";
        setup.workload = workload;
        Job run(setup);
        NS_TEST_ASSERT_MSG_EQ(run.Build(), true, "it can be built");
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.Audit(), "", "all is accounted for");
        NS_TEST_EXPECT_MSG_EQ(run.CountDelivered(), 4, "the first step arrives");
        NS_TEST_EXPECT_MSG_EQ(run.work->GetUndelivered(), 4, "the second one has no sender left");
        for (const auto& t : run.work->GetTimes())
        {
            NS_TEST_EXPECT_MSG_EQ(t.acked, -1, "no sender hears of it in time");
        }
    }

    void DoRun() override
    {
        Check("allreduce-ring bytes=40KB groups=1");
        Check("fsdp bytes=10KB gpus=1 layers=3"); // what waits for a barrier goes on as well
    }
};

/** Every balancer with every transport. */
class EverySchemeTestCase : public TestCase
{
  public:
    EverySchemeTestCase()
        : TestCase("no balancer and no transport hangs or loses count")
    {
    }

  private:
    void Check(const Setup& setup)
    {
        Job run(setup);
        const std::string name = setup.balancer + ", " + setup.transport +
                                 (setup.convergence.IsZero() ? ", converged" : ", not converged");
        if (!run.Build())
        {
            return; // it says that it cannot work on this fabric
        }
        m_built++;
        run.Go();
        NS_TEST_EXPECT_MSG_EQ(run.Audit(), "", name);
        NS_TEST_EXPECT_MSG_GT(run.CountDelivered(), 0, name << ": other hosts are reached");
        if (setup.dead.size() == 2)
        {
            NS_TEST_EXPECT_MSG_GT(run.work->GetUndelivered(), 0, name << ": a host is cut off");
            NS_TEST_EXPECT_MSG_GT(run.work->GetUnstarted(), 0, name << ": others wait for it");
        }
        else if (setup.convergence.IsZero())
        {
            NS_TEST_EXPECT_MSG_EQ(run.CountDelivered(),
                                  run.work->GetMessages().size(),
                                  name << ": all hosts are reached");
        }
    }

    void DoRun() override
    {
        const weft_registry* balancers = weft_registry_find("balancer");
        const weft_registry* transports = weft_registry_find("transport");
        for (size_t i = 0; i < balancers->count * transports->count; i++)
        {
            Setup setup;
            setup.balancer = balancers->algos[i / transports->count]->name;
            setup.transport = transports->algos[i % transports->count]->name;
            setup.workload = "allreduce-ring bytes=40KB groups=4 placement=interleaved";
            for (const Time& convergence : {Time::Max(), Time(0)})
            {
                setup.convergence = convergence;
                setup.dead = CUT_OFF;
                Check(setup);
                setup.dead = LOST_CORE;
                Check(setup);
            }
        }
        NS_TEST_EXPECT_MSG_GT(m_built, 2 * balancers->count * transports->count, "most are tried");
    }

    size_t m_built{0}; //!< runs
};

/** How often a lost packet is sent again. */
class RetryLimitTestCase : public TestCase
{
  public:
    RetryLimitTestCase()
        : TestCase("a sender gives up after the retry limit, and not before")
    {
    }

  private:
    /** Listens to one QP. */
    class Listener : public WeftMessageListener
    {
      public:
        void MessageDelivered(const WeftQp&, uint64_t) override
        {
        }

        void MessageAcked(const WeftQp&, uint64_t) override
        {
            acked++;
        }

        void MessageFailed(const WeftQp&, uint64_t tag) override
        {
            failed.push_back(tag);
            at = WeftNow();
        }

        uint32_t acked{0};              //!< messages
        std::vector<uint64_t> failed{}; //!< their tags
        int64_t at{-1};                 //!< when the last one failed, ps
    };

    void GaveUp(const WeftQp& qp)
    {
        m_gaveUp.push_back(qp.index);
    }

    /** Loses the first transmissions of packets 0 and 1 of the first of two messages. */
    void Check(const std::string& limit, uint32_t losses, uint32_t expected)
    {
        m_gaveUp.clear();
        WeftRigSetup setup;
        setup.frames = "roce retry-limit=" + limit;
        setup.transport = "nic-sr rto=50us outstanding=1";
        WeftRig rig(setup);
        Listener listener;
        rig.fabric->GetNic(0)->TraceConnectWithoutContext(
            "GiveUp",
            MakeCallback(&RetryLimitTestCase::GaveUp, this));
        WeftQp* qp = rig.fabric->CreateQp(0, 7, &listener);
        rig.fabric->Post(qp, 2000, 1);
        rig.fabric->Post(qp, 2000, 2);
        rig.fabric->AddDrop(0, 0, losses);
        rig.fabric->AddDrop(0, 1, losses);
        Simulator::Run();
        const std::string name = "limit " + limit + ", " + std::to_string(losses) + " losses";
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", name);
        NS_TEST_ASSERT_MSG_EQ(listener.failed.size(), expected, name << ": messages given up");
        NS_TEST_EXPECT_MSG_EQ(listener.acked, 2 - expected, name << ": messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_gaveUp.size(), expected / 2, name << ": the trace");
        if (expected)
        {
            NS_TEST_EXPECT_MSG_EQ(rig.GetTotals().resent, losses - 1, name << ": sent again");
            NS_TEST_EXPECT_MSG_EQ(listener.at, 50000000LL * losses, name << ": gives up then");
            rig.fabric->Post(qp, 2000, 3);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(listener.failed.back(), 3, name << ": and takes nothing more");
        }
    }

    void DoRun() override
    {
        Check("7", 7, 0); // for each packet anew
        Check("7", 8, 2);
        Check("1", 1, 0);
        Check("1", 2, 2);
        Check("0", 50, 0);
    }

    std::vector<uint32_t> m_gaveUp; //!< QPs
};

class WeftUnreachableTestSuite : public WeftSlowSuite
{
  public:
    WeftUnreachableTestSuite()
        : WeftSlowSuite("weft-unreachable", Type::UNIT)
    {
        AddTestCase(new CutOffTestCase);
        AddTestCase(new DependenceTestCase);
        AddTestCase(new LostBarrierTestCase);
        AddTestCase(new LateTestCase);
        AddSlow(new EverySchemeTestCase);
        AddTestCase(new RetryLimitTestCase);
    }
};

WeftUnreachableTestSuite g_weftUnreachableTestSuite; //!< registers the suite

} // namespace
