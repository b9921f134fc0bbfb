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

    /** Faults in force in one direction of a link. */
    struct Way
    {
        int down{0};
        std::multiset<int64_t> rates;
        int64_t delay{0};
    };

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
            const int64_t delay = DelayOf(link);
            const int64_t at = delay != WEFT_NEVER ? since + delay : INT64_MAX;
            next = at > after ? std::min(next, at) : next;
        }
        return next;
    }

    void Change(const Scene::Fault& f, bool begins, int64_t at)
    {
        const bool was = IsDown(f.link);
        for (const weft_direction way : {WEFT_UPWARDS, WEFT_DOWNWARDS})
        {
            if (f.direction == WEFT_BOTH_WAYS || f.direction == way)
            {
                ChangeWay(f, way, begins);
            }
        }
        if (f.effect == WEFT_FAULT_LOSSY || f.effect == WEFT_FAULT_CORRUPTING)
        {
            weft_net_set_losses(m_net,
                                f.link,
                                f.direction,
                                f.number,
                                begins ? &f.losses : nullptr,
                                f.effect == WEFT_FAULT_CORRUPTING);
        }
        if (was != IsDown(f.link))
        {
            m_since[f.link] = at;
            m_news = true;
        }
    }

    void ChangeWay(const Scene::Fault& f, weft_direction way, bool begins)
    {
        Way& is = m_ways[{f.link, way}];
        if (f.rate)
        {
            weft_link link;
            weft_planes_link(&m_clos, f.link, &link);
            begins ? void(is.rates.insert(f.rate)) : void(is.rates.erase(is.rates.find(f.rate)));
            const int64_t least = is.rates.empty() ? link.rate : *is.rates.begin();
            weft_net_set_way_rate(m_net, f.link, way, std::min(least, link.rate));
        }
        else if (f.effect == WEFT_FAULT_DELAYED)
        {
            is.delay += begins ? f.delay : -f.delay;
            weft_net_set_way_delay(m_net, f.link, way, is.delay);
        }
        else if (f.effect == WEFT_FAULT_DOWN)
        {
            is.down += begins ? 1 : -1;
            weft_net_set_way_down(m_net, f.link, way, is.down > 0);
        }
    }

    /** @return whether a link is down in a direction */
    bool IsDown(uint64_t link)
    {
        return m_ways[{link, WEFT_UPWARDS}].down > 0 || m_ways[{link, WEFT_DOWNWARDS}].down > 0;
    }

    /** @return after how long forwarding learns that a link is as it is, ps */
    int64_t DelayOf(uint64_t link) const
    {
        const auto up = m_ways.find({link, WEFT_UPWARDS});
        const auto down = m_ways.find({link, WEFT_DOWNWARDS});
        const bool fails = (up != m_ways.end() && up->second.down > 0) ||
                           (down != m_ways.end() && down->second.down > 0);
        return fails || m_scene.recovery < 0 ? m_scene.convergence : m_scene.recovery;
    }

    /** Forwarding learns of what has lasted for the convergence delay. */
    void Learn(int64_t at)
    {
        bool learns = false;
        std::vector<uint64_t> down;
        for (const auto& [link, since] : m_since)
        {
            const bool lasts = DelayOf(link) != WEFT_NEVER && at - since >= DelayOf(link);
            if (IsDown(link))
            {
                down.push_back(link);
            }
            if (lasts && (m_known.count(link) > 0) != IsDown(link))
            {
                IsDown(link) ? void(m_known.insert(link)) : void(m_known.erase(link));
                learns = true;
            }
        }
        if (m_news && weft_net_knows_at_once(m_net))
        {
            Converge(down, true);
        }
        m_news = false;
        if (learns)
        {
            Converge({m_known.begin(), m_known.end()}, false);
        }
    }

    /** @param all links that are down, by the numbers of all planes @param atOnce tells those that
     * know at once */
    void Converge(const std::vector<uint64_t>& all, bool atOnce)
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
            Converge(plane, dead, atOnce);
        }
    }

    void Converge(uint32_t plane, const std::vector<uint64_t>& dead, bool atOnce)
    {
        const weft_fib_case of{dead.data(), dead.size(), nullptr, 0, m_scene.weights};
        const int64_t size = weft_fib_size_for(&m_clos, &of);
        m_memory.emplace_back(static_cast<size_t>(size) / 8 + 1);
        auto fib = reinterpret_cast<weft_fib*>(m_memory.back().data());
        weft_fib_build_for(fib, static_cast<size_t>(size), &m_clos, &of);
        const weft_fib* routes = dead.empty() && !m_clos.graph ? nullptr : fib;
        atOnce ? weft_net_tell_at_once(m_net, plane, routes)
               : weft_net_set_routes(m_net, plane, routes, dead.empty());
    }

    weft_net* m_net;
    const weft_clos& m_clos;
    const Scene& m_scene;
    std::map<std::pair<uint64_t, weft_direction>, Way> m_ways; //!< of links
    std::map<uint64_t, int64_t> m_since;                       //!< when it went down or came back
    std::set<uint64_t> m_known; //!< links that forwarding knows to be down
    bool m_news{false};         //!< a link is down or back since hosts were told
    std::vector<std::vector<uint64_t>> m_memory;
};

#endif // NET_RIG_H
