// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What happens at one node at one instant has an order that hangs on nothing else. Were it the
 * order of an event list, a result would change with the simulator, with what other nodes do, and
 * with how many threads run them; were it always the same for frames that arrive together, one
 * sender in step with others would win every tie.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/test.h"
#include "ns3/weft-instant.h"

#include <algorithm>
#include <string>
#include <vector>
#include <weft/rng.h>

using namespace ns3;

namespace
{

/** Notes things and writes down what happens. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase(const std::string& simulator)
        : TestCase("by step, by number, then as it came, under " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void Note(WeftInstant::Step step, uint64_t number, char what)
    {
        m_instant->Note(
            step,
            number,
            [](void* of, uint64_t letter, int64_t) {
                static_cast<OrderTestCase*>(of)->m_seen += static_cast<char>(letter);
            },
            this,
            static_cast<uint64_t>(what));
    }

    /** @param notes how many of @p all, in any order @return what happens */
    std::string Run(std::function<void()> notes)
    {
        m_seen.clear();
        Simulator::Schedule(NanoSeconds(1), notes);
        Simulator::Run();
        return m_seen;
    }

    void CheckOrder()
    {
        struct Thing
        {
            WeftInstant::Step step;
            uint64_t number;
            char what;
        };

        std::vector<Thing> things;
        std::string expected;
        char letter = '!';
        for (const auto step : {WeftInstant::TIMER,
                                WeftInstant::END,
                                WeftInstant::START,
                                WeftInstant::BALANCER,
                                WeftInstant::PFC,
                                WeftInstant::MAIL,
                                WeftInstant::ARRIVAL,
                                WeftInstant::POST,
                                WeftInstant::PART,
                                WeftInstant::CALL,
                                WeftInstant::PLAN})
        {
            for (const uint64_t number : {0ULL, 7ULL, (1ULL << 56) - 1})
            {
                things.push_back({step, number, letter});
                expected += letter++;
            }
        }
        weft_rng rng;
        weft_rng_seed(&rng, 1, 1, 1);
        for (size_t n = 1; n <= things.size(); n++)
        {
            for (size_t i = things.size() - 1; i > 0; i--)
            {
                std::swap(things[i], things[weft_rng_below(&rng, static_cast<uint32_t>(i + 1))]);
            }
            std::string some(expected);
            const auto noted = [&](char c) {
                return std::any_of(things.begin(), things.begin() + n, [c](const Thing& t) {
                    return t.what == c;
                });
            };
            some.erase(std::remove_if(some.begin(), some.end(), [&](char c) { return !noted(c); }),
                       some.end());
            const std::string seen = Run([&] {
                for (size_t i = 0; i < n; i++)
                {
                    Note(things[i].step, things[i].number, things[i].what);
                }
            });
            NS_TEST_EXPECT_MSG_EQ(seen, some, n << " things");
        }
    }

    /** What a step makes possible happens in its turn, in another round if that is over. */
    void CheckMeanwhile()
    {
        const std::string seen = Run([this] {
            Note(WeftInstant::PFC, 1, 'b');
            Note(WeftInstant::PFC, 1, 'c'); // as it came
            Note(WeftInstant::POST, 0, 'f');
            m_instant->Note(WeftInstant::ARRIVAL, 3, [this] {
                Note(WeftInstant::ARRIVAL, 2, 'g'); // its turn is over
                Note(WeftInstant::TIMER, 0, 'G');   // so is this one's, which comes first there
                Note(WeftInstant::ARRIVAL, 3, 'e');
                m_instant->Do([this] { m_seen += 'd'; }); // at once
            });
            m_instant->Do([this] { m_seen += 'z'; }); // behind all that is due
            Note(WeftInstant::TIMER, 9, 'a');
        });
        NS_TEST_EXPECT_MSG_EQ(seen, "abcdefzGg", "what is noted meanwhile");
    }

    /** Events of this instant, kept ones and others, go on in the order in which they came. */
    void CheckAmongOthers()
    {
        const std::string seen = Run([this] {
            Simulator::ScheduleNow(&OrderTestCase::See, this, '1');
            Note(WeftInstant::ARRIVAL, 0, '2');
            Simulator::ScheduleNow(&OrderTestCase::See, this, '3');
            Note(WeftInstant::TIMER, 0, '0'); // of the same instant, which comes where it began
        });
        NS_TEST_EXPECT_MSG_EQ(seen, "1023", "beside ordinary events");
    }

    /** A simulation that is stopped goes on where it was. */
    void CheckStop()
    {
        const std::string seen = Run([this] {
            Note(WeftInstant::ARRIVAL, 0, '1');
            Simulator::Stop();
        });
        NS_TEST_EXPECT_MSG_EQ(seen, "", "nothing after a stop");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_seen, "1", "it is not lost");
    }

    void See(char c)
    {
        m_seen += c;
    }

    void DoRun() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        const WeftSimulatorChoice choice(m_simulator, "MapScheduler");
        NS_TEST_ASSERT_MSG_EQ(choice.IsInUse(), true, m_simulator);
        m_instant = new WeftInstant;
        CheckOrder();
        CheckMeanwhile();
        CheckAmongOthers();
        CheckStop();
        m_instant->Unref();
    }

    std::string m_simulator;         //!< under which it runs
    WeftInstant* m_instant{nullptr}; //!< of a node
    std::string m_seen;              //!< what has happened
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
        AddTestCase(new OrderTestCase("DefaultSimulatorImpl"));
        AddTestCase(new OrderTestCase("FabricSimulatorImpl"));
        AddTestCase(new TieTestCase);
    }
};

WeftInstantTestSuite g_weftInstantTestSuite; //!< registers the suite

} // namespace
