// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The event wheel against an ordered set. Were the order wrong, results would depend on which
 * delays happen to have a lane; were a bucket's cost not proportional to its events, a large
 * synchronized fabric, where tens of thousands of events are due at once, would stand still.
 */
#include "ns3/test.h"
#include "ns3/weft-event-wheel.h"

#include <cstdint>
#include <set>
#include <string>
#include <weft/rng.h>

using namespace ns3;

namespace
{

/** What is scheduled; nobody runs it. */
class NoEvent : public FabricEvent
{
  public:
    void Fire(int64_t /* now */) override
    {
    }
};

/** Random programs: due at once or nearly so, bursts for one instant, up to the horizon. */
class WheelOrderTestCase : public TestCase
{
  public:
    explicit WheelOrderTestCase(uint64_t seed)
        : TestCase("the order of a set, program " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    static constexpr uint64_t HORIZON = 500000; //!< time steps that the wheel holds at least

    void DoRun() override
    {
        weft_rng_seed(&m_rng, m_seed, 0, 0);
        for (int step = 0; step < 3000; step++)
        {
            const uint64_t delay = PickDelay();
            const uint32_t spread = weft_rng_below(&m_rng, 2) * weft_rng_below(&m_rng, 300);
            // Few or many, as often as not for one time step.
            const uint32_t n = weft_rng_below(&m_rng, weft_rng_below(&m_rng, 4) == 0 ? 300 : 4);
            for (uint32_t i = 0; i < n; i++)
            {
                Push(delay + weft_rng_below(&m_rng, spread + 1));
            }
            if (weft_rng_below(&m_rng, 100) == 0)
            {
                Push(FindFarthest());
            }
            Serve(weft_rng_below(&m_rng, 2 * n + 2));
        }
        Serve(UINT32_MAX);
        NS_TEST_EXPECT_MSG_EQ(m_wheel.IsEmpty(), true, "events are left");
        NS_TEST_EXPECT_MSG_EQ(m_wheel.GetFirst().IsNothing(), true, "there is a first event");
    }

    /** @return a time from now: none, within a bucket, within some, anywhere */
    uint64_t PickDelay()
    {
        const uint32_t bounds[] = {1, 100, 1000, HORIZON - 600};
        return weft_rng_below(&m_rng, bounds[weft_rng_below(&m_rng, 4)]);
    }

    /** @return the longest delay that the wheel holds */
    uint64_t FindFarthest()
    {
        m_wheel.SetNow(m_now);
        uint64_t delay = HORIZON;
        while (m_wheel.Holds(m_now + delay + 1))
        {
            delay++;
        }
        return delay;
    }

    /** Adds an event. A lane that is given up brings events that are older than those there. */
    void Push(uint64_t delay)
    {
        const bool old = weft_rng_below(&m_rng, 500) == 0;
        const uint64_t uid = old ? m_oldUid-- : m_uid++;
        const WeftEventKey key{m_now + delay, uid << WeftEventKey::SLOT_BITS};
        m_wheel.SetNow(m_now);
        NS_TEST_ASSERT_MSG_EQ(m_wheel.Holds(key.ts), true, "the horizon is too near");
        m_wheel.Push({key, &m_event, static_cast<uint32_t>(uid)});
        m_model.insert(key);
        Check();
    }

    /** Takes events. @param n how many, at most */
    void Serve(uint32_t n)
    {
        for (; n > 0 && !m_model.empty(); n--)
        {
            const WeftEventEntry entry = m_wheel.Pop();
            const WeftEventKey first = *m_model.begin();
            m_model.erase(m_model.begin());
            NS_TEST_ASSERT_MSG_EQ(entry.key.ts, first.ts, "another time");
            NS_TEST_ASSERT_MSG_EQ(entry.key.rank, first.rank, "another event");
            NS_TEST_ASSERT_MSG_EQ(entry.context,
                                  static_cast<uint32_t>(first.GetUid()),
                                  "another context");
            m_now = first.ts;
            Check();
        }
    }

    /** Compares the first events. */
    void Check()
    {
        const WeftEventKey expected = m_model.empty() ? WeftEventKey{} : *m_model.begin();
        NS_TEST_ASSERT_MSG_EQ(m_wheel.GetFirst().rank, expected.rank, "another event is first");
        NS_TEST_ASSERT_MSG_EQ(m_wheel.GetFirst().ts, expected.ts, "another time is first");
    }

    const uint64_t m_seed;
    weft_rng m_rng{};
    WeftEventWheel m_wheel;
    std::set<WeftEventKey> m_model;
    NoEvent m_event;
    uint64_t m_now{0};
    uint64_t m_uid{1000000};
    uint64_t m_oldUid{999999};
};

/** A large synchronized fabric: half a million ports are free at the same picosecond. If each event
 * moved all before it, as it once did, this would take many minutes and run into CTest's limit. */
class WheelBurstTestCase : public TestCase
{
  public:
    WheelBurstTestCase()
        : TestCase("half a million events at once")
    {
    }

  private:
    static constexpr uint64_t EVENTS = 500000; //!< at each of two times

    void DoRun() override
    {
        for (uint64_t uid = 1; uid <= EVENTS; uid++)
        {
            m_wheel.Push({{1000, uid << WeftEventKey::SLOT_BITS}, &m_event, 0});
        }
        // The first one is taken, and each makes another that is due in the same bucket.
        for (uint64_t uid = 1; uid <= EVENTS; uid++)
        {
            NS_TEST_ASSERT_MSG_EQ(m_wheel.Pop().key.GetUid(), uid, "not in order");
            const uint64_t next = EVENTS + uid;
            m_wheel.Push({{1001, next << WeftEventKey::SLOT_BITS}, &m_event, 0});
        }
        for (uint64_t uid = EVENTS + 1; uid <= 2 * EVENTS; uid++)
        {
            NS_TEST_ASSERT_MSG_EQ(m_wheel.Pop().key.GetUid(), uid, "not in order");
        }
        NS_TEST_EXPECT_MSG_EQ(m_wheel.IsEmpty(), true, "events are left");
    }

    WeftEventWheel m_wheel;
    NoEvent m_event;
};

class WeftEventWheelTestSuite : public TestSuite
{
  public:
    WeftEventWheelTestSuite()
        : TestSuite("weft-event-wheel", Type::UNIT)
    {
        for (uint64_t seed = 1; seed <= 8; seed++)
        {
            AddTestCase(new WheelOrderTestCase(seed));
        }
        AddTestCase(new WheelBurstTestCase);
    }
};

WeftEventWheelTestSuite g_weftEventWheelTestSuite; //!< registers the suite

} // namespace
