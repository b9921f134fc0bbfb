/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * The timing wheel against a sorted set: whatever is added and taken, the first event of all comes
 * out. Else events happen in another order, and results depend on it.
 */
#include "events.h"
#include "fuzz.h"
#include "must.h"

#include "ns3/weft-event-wheel.h"

#include <memory>

using namespace ns3;

namespace
{

/** A wheel and what it should hold. */
class Game
{
  public:
    explicit Game(fuzz_input* in)
        : m_in(in)
    {
        m_now = fuzz_below(in, 4) == 0 ? fuzz_number(in, 6) : 0;
    }

    void Play()
    {
        while (m_in->left > 0)
        {
            Step();
            Compare();
        }
        while (!m_events.empty())
        {
            Pop();
        }
        MUST(m_wheel.IsEmpty());
    }

  private:
    void Step()
    {
        const uint32_t what = fuzz_below(m_in, 16);
        if (what == 0)
        {
            m_now += m_events.empty() ? fuzz_number(m_in, 4) : 0;
        }
        else if (what == 1 && fuzz_below(m_in, 16) == 0)
        {
            m_wheel.Clear();
            m_events.clear();
        }
        else if (what < 9)
        {
            const uint64_t delay = FuzzDelay(m_in);
            for (uint32_t n = what == 2 ? 1 + fuzz_byte(m_in) : 1; n > 0; n--)
            {
                Push(m_now + delay);
            }
        }
        else
        {
            for (uint32_t n = what == 9 ? fuzz_byte(m_in) : 1; n > 0 && !m_events.empty(); n--)
            {
                Pop();
            }
        }
    }

    void Push(uint64_t ts)
    {
        m_wheel.SetNow(m_now);
        if (m_wheel.Holds(ts))
        {
            const uint64_t rank = ++m_uid << WeftEventKey::SLOT_BITS;
            m_wheel.Push({{ts, rank}, FuzzEventOf(m_uid), static_cast<uint32_t>(m_uid)});
            m_events.insert({ts, m_uid});
        }
    }

    void Pop()
    {
        const auto [ts, uid] = *m_events.begin();
        const WeftEventEntry entry = m_wheel.Pop();
        m_events.erase(m_events.begin());
        MUST(entry.key.ts == ts && entry.key.GetUid() == uid);
        MUST(entry.event == FuzzEventOf(uid) && entry.context == static_cast<uint32_t>(uid));
        m_now = ts;
        Compare();
    }

    void Compare() const
    {
        MUST(m_wheel.IsEmpty() == m_events.empty());
        const WeftEventKey first = m_wheel.GetFirst();
        MUST(first.IsNothing() == m_events.empty());
        MUST(m_events.empty() ||
             (first.ts == m_events.begin()->first && first.GetUid() == m_events.begin()->second));
    }

    fuzz_input* m_in;
    WeftEventWheel m_wheel;
    FuzzEventSet m_events;
    uint64_t m_now{0};
    uint64_t m_uid{0};
};

} // namespace

int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_input in{data, size};
    std::make_unique<Game>(&in)->Play();
    return 0;
}
