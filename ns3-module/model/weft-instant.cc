/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-instant.h"

#include "ns3/weft-fabric-simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{
constexpr std::size_t FEW = 16; //!< items that an insertion sort puts in order soonest
} // namespace

void
WeftInstant::Schedule()
{
    WeftScheduleNow(this, m_context);
}

void
WeftInstant::Note(Step step, uint64_t number, std::function<void()> call)
{
    m_calls.push_back(std::move(call));
    Note(step, number, &WeftInstant::Call, this, m_calls.size() - 1);
}

void
WeftInstant::Do(std::function<void()> call)
{
    if (m_running)
    {
        call();
        return;
    }
    Note(CALL, 0, std::move(call));
}

void
WeftInstant::Call(void* of, uint64_t what, int64_t /* now */)
{
    // Moved out: it may make others, and then they move.
    const std::function<void()> call = std::move(static_cast<WeftInstant*>(of)->m_calls[what]);
    call();
}

void
WeftInstant::NoteMeanwhile(const Item& item)
{
    const auto isLess = [](const Item& a, const Item& b) { return a.key < b.key; };
    if (isLess(item, m_items[m_done]))
    {
        m_later.push_back(item); // its step is over
        return;
    }
    const auto rest = m_items.begin() + static_cast<std::ptrdiff_t>(m_done) + 1;
    m_items.insert(std::upper_bound(rest, m_items.end(), item, isLess), item);
}

void
WeftInstant::Sort()
{
    if (m_items.size() > FEW)
    {
        std::stable_sort(m_items.begin(), m_items.end(), [](const Item& a, const Item& b) {
            return a.key < b.key;
        });
        return;
    }
    for (std::size_t i = 1; i < m_items.size(); i++)
    {
        const Item item = m_items[i];
        std::size_t at = i;
        for (; at > 0 && m_items[at - 1].key > item.key; at--)
        {
            m_items[at] = m_items[at - 1];
        }
        m_items[at] = item;
    }
}

void
WeftInstant::NextRound()
{
    m_items = m_later;
    m_later.clear();
}

void
WeftInstant::Fire(int64_t now)
{
    m_running = true;
    m_last = now;
    do
    {
        if (m_items.size() > 1)
        {
            Sort();
        }
        for (m_done = 0; m_done < m_items.size(); m_done++)
        {
            const Item& item = m_items[m_done];
            item.action(item.of, item.what, now);
        }
        m_items.clear();
        if (__builtin_expect(!m_later.empty(), 0))
        {
            NextRound();
        }
    } while (__builtin_expect(!m_items.empty(), 0));
    if (__builtin_expect(!m_calls.empty(), 0))
    {
        m_calls.clear();
    }
    m_running = false;
}

} // namespace ns3
