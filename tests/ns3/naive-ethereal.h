// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file naive-ethereal.h  Theorem 1 of Ethereal by hand, to check the module's plans against. It
 * shares no code with them.
 */
#ifndef NAIVE_ETHEREAL_H
#define NAIVE_ETHEREAL_H

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/** A part of a message. */
struct NaivePart
{
    unsigned message; //!< of its host
    unsigned to;      //!< host
    unsigned packets; //!< of it
    unsigned spine;   //!< over which it goes
};

/** The spines that a host sends to another host over, in the order in which it begins. */
using NaiveHeard = std::vector<std::pair<unsigned, unsigned>>;

/**
 * Plan of a host of a leaf-spine: which part of a message takes which spine. Slots on the uplinks
 * are filled one by one: whole messages as long as each uplink gets as many, then equal parts of
 * the messages that are left, the fewest that come out even. Each takes an uplink with the least
 * load; ties go round. Left to chance are the first uplink towards each leaf, and the order of the
 * parts.
 */
class NaiveEthereal
{
  public:
    NaiveEthereal(unsigned hostsPerLeaf, unsigned spines)
        : m_hostsPerLeaf(hostsPerLeaf),
          m_spines(spines)
    {
    }

    /** @param host sends @param to whom it sends, one message each, in the order of posting
     * @param packets of each @param heard the outcomes of chance @return all parts in their order:
     * first what stays in the rack */
    std::vector<NaivePart> Plan(unsigned host,
                                const std::vector<unsigned>& to,
                                unsigned packets,
                                const NaiveHeard& heard) const
    {
        std::vector<NaivePart> near;
        std::vector<NaivePart> far;
        const unsigned own = host / m_hostsPerLeaf;
        const unsigned leaves = 1 + *std::max_element(to.begin(), to.end()) / m_hostsPerLeaf;
        for (unsigned leaf = 0; leaf < leaves; leaf++)
        {
            std::vector<NaivePart> its;
            for (unsigned i = 0; i < to.size(); i++)
            {
                if (to[i] / m_hostsPerLeaf == leaf)
                {
                    its.push_back({i, to[i], packets, 0});
                }
            }
            if (leaf == own)
            {
                near = its;
            }
            else if (!its.empty())
            {
                FillSlots(its, FindFirst(its.front().to, heard), far);
            }
        }
        Arrange(heard, far, near);
        return near;
    }

  private:
    /** @return the spine behind which the spines that a host is sent to over begin */
    unsigned FindFirst(unsigned to, const NaiveHeard& heard) const
    {
        const auto used = [&](unsigned spine) {
            return std::count(heard.begin(), heard.end(), std::make_pair(to, spine)) > 0;
        };
        unsigned first = 0;
        for (unsigned i = 0; i < m_spines; i++)
        {
            first = used(i) && !used((i + m_spines - 1) % m_spines) ? i : first;
        }
        return first;
    }

    void FillSlots(const std::vector<NaivePart>& its,
                   unsigned first,
                   std::vector<NaivePart>& parts) const
    {
        const auto n = static_cast<unsigned>(its.size());
        const unsigned left = n % m_spines;
        unsigned each = 1;
        while (left * each % m_spines != 0)
        {
            each++;
        }
        std::vector<unsigned> load(m_spines);
        unsigned last = first + m_spines - 1;
        for (unsigned i = 0; i < n; i++)
        {
            const unsigned count = i < n - left ? 1 : each;
            for (unsigned k = 0; k < count; k++)
            {
                last = FindLeast(load, last);
                load[last] += its[i].packets / count;
                parts.push_back({its[i].message, its[i].to, its[i].packets / count, last});
            }
        }
    }

    unsigned FindLeast(const std::vector<unsigned>& load, unsigned last) const
    {
        unsigned best = (last + 1) % m_spines;
        for (unsigned i = 2; i <= m_spines; i++)
        {
            const unsigned spine = (last + i) % m_spines;
            best = load[spine] < load[best] ? spine : best;
        }
        return best;
    }

    /** Moves parts behind others: those that are heard of in that order, then the others. */
    static void
    Arrange(const NaiveHeard& heard, std::vector<NaivePart>& parts, std::vector<NaivePart>& others)
    {
        for (const auto& [to, spine] : heard)
        {
            const auto part = std::find_if(parts.begin(), parts.end(), [&](const NaivePart& one) {
                return one.to == to && one.spine == spine;
            });
            if (part != parts.end())
            {
                others.push_back(*part);
                parts.erase(part);
            }
        }
        others.insert(others.end(), parts.begin(), parts.end());
    }

    unsigned m_hostsPerLeaf;
    unsigned m_spines;
};

#endif
