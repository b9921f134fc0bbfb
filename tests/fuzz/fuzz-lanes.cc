/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * The event lanes against a sorted set: whatever the delays, whichever of them have lanes, events
 * come in the order of time and uid. Else results depend on what the lanes have learnt.
 */
#include "events.h"
#include "fuzz.h"
#include "must.h"

#include "ns3/weft-event-lanes.h"

#include <memory>
#include <vector>

using namespace ns3;

namespace
{

/** Lanes and what they should hold. */
class Game
{
  public:
    explicit Game(fuzz_input* in)
        : m_in(in)
    {
        m_lanes.SetLarge(fuzz_below(in, 2) == 0);
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
        m_lanes.ClearElsewhere();
        MUST(m_lanes.IsEmpty() && m_lanes.Next().IsNothing());
    }

  private:
    void Step()
    {
        const uint32_t what = fuzz_below(m_in, 32);
        if (what < 16)
        {
            const auto delay = static_cast<int64_t>(FuzzDelay(m_in));
            Push(delay, what < 4 ? 1 + fuzz_byte(m_in) : 1);
        }
        else if (what < 26)
        {
            for (uint32_t n = what < 20 ? 1 + fuzz_byte(m_in) : 1; n > 0 && !m_events.empty(); n--)
            {
                Pop();
            }
        }
        else if (what < 28)
        {
            Circulate();
        }
        else if (what == 28)
        {
            m_uid += fuzz_number(m_in, 3); // events of others
        }
        else if (what == 29)
        {
            SetElsewhere();
        }
        else if (what == 30 && fuzz_below(m_in, 16) == 0)
        {
            m_lanes.Clear();
            m_events.clear();
            m_elsewhere = false;
        }
    }

    void Push(int64_t delay, uint32_t n)
    {
        for (; n > 0; n--)
        {
            m_uid++;
            m_lanes.Push(m_now, delay, m_uid, FuzzEventOf(m_uid), static_cast<uint32_t>(m_uid));
            m_events.insert({static_cast<uint64_t>(m_now + delay), m_uid});
        }
    }

    /** A fabric for a while: each event that comes schedules another, at one of a few delays. */
    void Circulate()
    {
        std::vector<int64_t> delays;
        for (uint32_t n = fuzz_between(m_in, 1, 12); n > 0; n--)
        {
            delays.push_back(static_cast<int64_t>(FuzzDelay(m_in)));
        }
        const uint32_t n = 16 * fuzz_byte(m_in);
        for (uint32_t i = 0; i < n; i++)
        {
            if (m_events.empty() || i % 16 == 15)
            {
                Push(delays[i % delays.size()], 2);
            }
            Pop();
            Push(delays[(m_uid * 7 + i / 5) % delays.size()], 1);
        }
    }

    void SetElsewhere()
    {
        if (m_elsewhere)
        {
            m_events.erase(m_elsewhereKey);
        }
        m_elsewhere = fuzz_below(m_in, 4) > 0;
        if (m_elsewhere)
        {
            m_elsewhereKey = {static_cast<uint64_t>(m_now) + FuzzDelay(m_in), ++m_uid};
            m_events.insert(m_elsewhereKey);
            m_lanes.SetElsewhere(m_elsewhereKey.first, m_elsewhereKey.second);
        }
        else
        {
            m_lanes.ClearElsewhere();
        }
    }

    void Pop()
    {
        const auto [ts, uid] = *m_events.begin();
        const WeftEventKey next = m_lanes.Next();
        Compare();
        m_events.erase(m_events.begin());
        m_now = static_cast<int64_t>(ts);
        if (m_elsewhere && uid == m_elsewhereKey.second)
        {
            MUST(next.GetSlot() == 0 && m_lanes.GetPlace() == WeftEventLanes::ELSEWHERE);
            m_lanes.ClearElsewhere();
            m_elsewhere = false;
            return;
        }
        uint32_t context = 0;
        const uint32_t slot = next.GetSlot();
        MUST(slot != 0 || m_lanes.GetPlace() != WeftEventLanes::ELSEWHERE);
        const FabricEvent* event = slot != 0 ? m_lanes.PopLane(slot, context)
                                             : m_lanes.PopOffLane(m_lanes.GetPlace(), context);
        MUST(event == FuzzEventOf(uid) && context == static_cast<uint32_t>(uid));
    }

    void Compare() const
    {
        const WeftEventKey next = m_lanes.Next();
        MUST(next.IsNothing() == m_events.empty());
        MUST(m_events.empty() ||
             (next.ts == m_events.begin()->first && next.GetUid() == m_events.begin()->second));
        MUST(m_lanes.IsEmpty() == (m_events.size() == (m_elsewhere ? 1U : 0U)));
        MUST(m_lanes.GetElsewhere() == (m_elsewhere ? m_elsewhereKey.first : UINT64_MAX));
    }

    fuzz_input* m_in;
    WeftEventLanes m_lanes;
    FuzzEventSet m_events;
    int64_t m_now{0};
    uint64_t m_uid{0};
    bool m_elsewhere{false};
    std::pair<uint64_t, uint64_t> m_elsewhereKey;
};

} // namespace

int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_input in{data, size};
    std::make_unique<Game>(&in)->Play();
    return 0;
}
