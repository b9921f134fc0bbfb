// SPDX-License-Identifier: GPL-2.0-only
/** @file net-rig.h  Memory and faults of links for a fabric of the core that a test runs itself. */
#ifndef NET_RIG_H
#define NET_RIG_H

#include "random-scene.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>
#include <weft/net.h>

/** Memory of a net, freed with it. */
class Memory
{
  public:
    ~Memory()
    {
        for (void* block : m_blocks)
        {
            std::free(block);
        }
    }

    static void* Take(void* of, size_t bytes)
    {
        const size_t size = (bytes + 63) / 64 * 64;
        void* block = std::aligned_alloc(64, size);
        std::memset(block, 0, size);
        static_cast<Memory*>(of)->m_blocks.push_back(block);
        return block;
    }

  private:
    std::vector<void*> m_blocks; //!< all that was taken
};

/** Faults of links, in the order of time, as the core's user does them. */
class Faults
{
  public:
    Faults(weft_net* net, const weft_clos& clos, const Scene& scene)
        : m_net(net),
          m_clos(clos),
          m_scene(scene)
    {
    }

    void Run(int64_t until)
    {
        std::map<int64_t, std::vector<size_t>> begins;
        std::map<int64_t, std::vector<size_t>> ends;
        for (size_t i = 0; i < m_scene.faults.size(); i++)
        {
            begins[m_scene.faults[i].at].push_back(i);
            ends[m_scene.faults[i].back].push_back(i);
        }
        for (int64_t at = -1; (at = Next(begins, ends, at)) < until;)
        {
            weft_net_run(m_net, at);
            for (const size_t i : begins[at])
            {
                Change(m_scene.faults[i], true, at);
            }
            for (const size_t i : ends[at])
            {
                Change(m_scene.faults[i], false, at);
            }
            Learn(at);
        }
        weft_net_run(m_net, until);
    }

  private:
    using Times = std::map<int64_t, std::vector<size_t>>;

    /** @return when something happens next after a time: a change of a link, or forwarding has
     * waited for long enough */
    int64_t Next(const Times& begins, const Times& ends, int64_t after) const
    {
        int64_t next = INT64_MAX;
        for (const Times* times : {&begins, &ends})
        {
            const auto at = times->upper_bound(after);
            next = at == times->end() ? next : std::min(next, at->first);
        }
        for (const auto& [link, since] : m_since)
        {
            const bool waits = m_scene.convergence != WEFT_NEVER;
            const int64_t at = waits ? since + m_scene.convergence : INT64_MAX;
            next = at > after ? std::min(next, at) : next;
        }
        return next;
    }

    void Change(const Scene::Fault& f, bool begins, int64_t at)
    {
        if (f.rate)
        {
            weft_link link;
            weft_planes_link(&m_clos, f.link, &link);
            auto& rates = m_rates[f.link];
            begins ? void(rates.insert(f.rate)) : void(rates.erase(rates.find(f.rate)));
            weft_net_set_rate(m_net,
                              f.link,
                              rates.empty() ? link.rate : std::min(*rates.begin(), link.rate));
            return;
        }
        const bool was = m_down[f.link] > 0;
        m_down[f.link] += begins ? 1 : -1;
        const bool is = m_down[f.link] > 0;
        if (was != is)
        {
            weft_net_set_down(m_net, f.link, is);
            m_since[f.link] = at;
        }
    }

    /** Forwarding learns of what has lasted for the convergence delay. */
    void Learn(int64_t at)
    {
        bool learns = false;
        for (const auto& [link, since] : m_since)
        {
            const bool lasts =
                m_scene.convergence != WEFT_NEVER && at - since >= m_scene.convergence;
            if (lasts && m_known.count(link) != (m_down[link] > 0))
            {
                m_down[link] > 0 ? void(m_known.insert(link)) : void(m_known.erase(link));
                learns = true;
            }
        }
        if (learns)
        {
            Converge({m_known.begin(), m_known.end()});
        }
    }

    /** @param all links that are down, by the numbers of all planes */
    void Converge(const std::vector<uint64_t>& all)
    {
        for (uint32_t plane = 0; plane < m_clos.planes; plane++)
        {
            std::vector<uint64_t> dead;
            for (const uint64_t link : all)
            {
                if (link / m_clos.nlinks == plane)
                {
                    dead.push_back(link % m_clos.nlinks);
                }
            }
            Converge(plane, dead);
        }
    }

    void Converge(uint32_t plane, const std::vector<uint64_t>& dead)
    {
        const weft_fib_case of{dead.data(), dead.size(), nullptr, 0, m_scene.weights};
        const int64_t size = weft_fib_size_for(&m_clos, &of);
        m_memory.emplace_back(static_cast<size_t>(size) / 8 + 1);
        auto fib = reinterpret_cast<weft_fib*>(m_memory.back().data());
        weft_fib_build_for(fib, static_cast<size_t>(size), &m_clos, &of);
        weft_net_set_routes(m_net,
                            plane,
                            dead.empty() && !m_clos.graph ? nullptr : fib,
                            dead.empty());
    }

    weft_net* m_net;
    const weft_clos& m_clos;
    const Scene& m_scene;
    std::map<uint64_t, int> m_down;                     //!< failures in force, by link
    std::map<uint64_t, int64_t> m_since;                //!< when it went down or came back
    std::map<uint64_t, std::multiset<int64_t>> m_rates; //!< in force, by link
    std::set<uint64_t> m_known;                         //!< links that forwarding knows to be down
    std::vector<std::vector<uint64_t>> m_memory;
};

#endif // NET_RIG_H
