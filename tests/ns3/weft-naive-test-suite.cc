// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Whole fabrics against a second simulator, made by hand and sharing no code with the first: the
 * same frames at the same picoseconds, the same queues to the byte. What both are given is the
 * workload and the outcomes of chance.
 *
 * Spread over a packet's time, host h starts at 2h modulo the time of a byte, and all times of
 * frames are whole bytes: frames of chains that began at different hosts never meet at one instant.
 * If ACKs take no wire, nothing at all then hangs on an order of simultaneous events. If all hosts
 * start together, nearly everything does. Queues are looked at on odd picoseconds, when nothing
 * happens.
 */
#include "naive-scene.h"
#include "weft-slow-suite.h"

#include "ns3/test.h"

#include <string>

using namespace ns3;
using namespace ns3::naive;

namespace
{

/** Runs one scene in both simulators. */
class AgreementTestCase : public TestCase
{
  public:
    explicit AgreementTestCase(const Scene& scene)
        : TestCase("agrees with a fabric simulated by hand: " + scene.Describe()),
          m_scene(scene)
    {
    }

  private:
    void DoRun() override
    {
        Populate(m_scene);
        Observed observed(m_scene);
        observed.Run();
        unsigned ties = 0;
        const Outcome naive = RunNaive(m_scene, observed, ties);
        const Differences d(observed.outcome, naive);
        NS_TEST_EXPECT_MSG_EQ(d.deliveries, 0, "times at which messages are complete");
        NS_TEST_EXPECT_MSG_EQ(d.acks, 0, "times at which senders know");
        NS_TEST_EXPECT_MSG_EQ(d.queues, 0, "of " << naive.queues.size() << " queues looked at");
        NS_TEST_EXPECT_MSG_EQ(d.peaks, 0, "longest queues of switches");
        NS_TEST_EXPECT_MSG_EQ(d.frames, 0, "frames on wires");
        NS_TEST_EXPECT_MSG_EQ((ties == 0 || !m_scene.IsFreeOfTies()), true, ties << " ties");
        NS_TEST_EXPECT_MSG_EQ((ties > 0 || !m_scene.together), true, "no ties");
        NS_TEST_EXPECT_MSG_EQ(observed.rig.Audit(), "", "the books balance");
    }

    Scene m_scene; //!< under test
};

/** Were the two compared loosely, or with queues empty, they would agree on anything. */
class SensitivityTestCase : public TestCase
{
  public:
    SensitivityTestCase()
        : TestCase("a byte or two picoseconds more in the fabric simulated by hand are seen")
    {
    }

  private:
    /** @return what differs if the naive fabric has other frames or wires than the module's */
    static Differences Compare(const Scene& scene, const Observed& observed)
    {
        unsigned ties = 0;
        return Differences(observed.outcome, RunNaive(scene, observed, ties));
    }

    void Check(const std::string& balancer)
    {
        Scene scene{4, 4, 4, balancer, false, false, 1};
        Populate(scene);
        Observed observed(scene);
        observed.Run();
        Scene gap = scene;
        gap.gap++;
        Scene header = scene;
        header.header++;
        Scene ack = scene;
        ack.ack++;
        Scene delay = scene;
        delay.delay += 2;
        for (const Scene& other : {gap, header, ack, delay})
        {
            const Differences d = Compare(other, observed);
            // Where ACKs do not cross, their length does not matter to data.
            NS_TEST_EXPECT_MSG_GT(d.deliveries, scene.GetHosts() / 2, balancer << ": deliveries");
            NS_TEST_EXPECT_MSG_EQ(d.acks, scene.GetHosts(), balancer << ": ACKs");
            NS_TEST_EXPECT_MSG_GT(d.queues, 0, balancer << ": queues");
        }
        NS_TEST_EXPECT_MSG_EQ(Compare(scene, observed).queues, 0, balancer << ": as it is");
    }

    void DoRun() override
    {
        Check("simple-rr");
        Check("jsq");
        Check("ops");
        Check("pro");
    }
};

class WeftNaiveTestSuite : public WeftSlowSuite
{
  public:
    WeftNaiveTestSuite()
        : WeftSlowSuite("weft-naive", Type::UNIT)
    {
        for (const std::string balancer : {"simple-rr", "jsq", "ops", "pro"})
        {
            for (const bool idealAcks : {true, false})
            {
                for (const bool together : {true, false})
                {
                    AddScenes(balancer, idealAcks, together);
                }
                AddTestCase(new AgreementTestCase(MakeOfanScene(balancer, idealAcks)));
                AddTestCase(new AgreementTestCase(MakeGaplessScene(balancer, idealAcks)));
                AddTestCase(new AgreementTestCase(MakeOddScene(balancer, idealAcks, 8000, 333)));
                AddTestCase(new AgreementTestCase(MakeOddScene(balancer, idealAcks, 5, 2)));
            }
        }
        for (const uint32_t qps : {2, 3, 6})
        {
            for (const bool idealAcks : {true, false})
            {
                AddQps(qps, idealAcks);
            }
        }
        for (const std::string balancer : {"ethereal spread=0s", "ethereal spread=0s replies=copy"})
        {
            for (const bool idealAcks : {true, false})
            {
                AddPlans(balancer, idealAcks);
            }
        }
        AddTestCase(new SensitivityTestCase);
    }

  private:
    /** More messages to a leaf than spines, as many, and fewer; one message and one spine. */
    void AddPlans(const std::string& balancer, bool idealAcks)
    {
        for (const uint32_t messages : {1, 4, 9})
        {
            for (Scene scene : {Scene{3, 2, 6, balancer, idealAcks, true, 1},
                                Scene{4, 4, 4, balancer, idealAcks, true, 2},
                                Scene{3, 6, 5, balancer, idealAcks, false, 3},
                                Scene{3, 1, 4, balancer, idealAcks, false, 4}})
            {
                scene.qps = messages;
                AddSlow(new AgreementTestCase(scene));
            }
        }
    }

    void AddQps(uint32_t qps, bool idealAcks)
    {
        for (Scene scene : {Scene{4, 4, 4, "pro", idealAcks, true, 1},
                            Scene{3, 8, 4, "pro", idealAcks, false, 2},
                            Scene{3, 6, 4, "pro", idealAcks, false, 3}})
        {
            scene.qps = qps;
            AddSlow(new AgreementTestCase(scene));
        }
    }

    void AddScenes(const std::string& balancer, bool idealAcks, bool together)
    {
        for (const uint64_t seed : {1, 2})
        {
            for (const Scene& scene : {Scene{4, 4, 4, balancer, idealAcks, together, seed},
                                       Scene{3, 5, 2, balancer, idealAcks, together, seed},
                                       Scene{5, 3, 4, balancer, idealAcks, together, seed}})
            {
                AddSlow(new AgreementTestCase(scene));
            }
        }
    }
};

WeftNaiveTestSuite g_weftNaiveTestSuite; //!< registers the suite

} // namespace
