// SPDX-License-Identifier: GPL-2.0-only
/** @file net-rig.h  Memory and faults of links for a fabric of the core that a test runs itself. */
#ifndef NET_RIG_H
#define NET_RIG_H

#include "random-scene.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
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
        std::map<int64_t, std::vector<std::pair<size_t, bool>>> changes;
        for (size_t i = 0; i < m_scene.faults.size(); i++)
        {
            changes[m_scene.faults[i].at].emplace_back(i, true);
            if (m_scene.faults[i].back != INT64_MAX)
            {
                changes[m_scene.faults[i].back].emplace_back(i, false);
            }
        }
        std::map<int64_t, std::vector<uint64_t>> converge; // after the convergence delay
        while (!changes.empty() || !converge.empty())
        {
            const int64_t change = changes.empty() ? INT64_MAX : changes.begin()->first;
            const int64_t fib = converge.empty() ? INT64_MAX : converge.begin()->first;
            if (std::min(change, fib) >= until)
            {
                break;
            }
            weft_net_run(m_net, std::min(change, fib));
            if (fib <= change)
            {
                Converge(converge.begin()->second);
                converge.erase(converge.begin());
                continue;
            }
            bool changed = false;
            for (const auto& [i, begins] : changes.begin()->second)
            {
                changed = Change(m_scene.faults[i], begins) || changed;
            }
            changes.erase(changes.begin());
            if (changed)
            {
                std::vector<uint64_t> dead;
                for (const auto& [link, n] : m_down)
                {
                    if (n > 0)
                    {
                        dead.push_back(link);
                    }
                }
                if (m_scene.convergence == 0)
                {
                    Converge(dead);
                }
                else if (m_scene.convergence != WEFT_NEVER)
                {
                    converge[change + m_scene.convergence] = dead;
                }
            }
        }
        weft_net_run(m_net, until);
    }

  private:
    bool Change(const Scene::Fault& f, bool begins)
    {
        if (f.rate)
        {
            weft_link link;
            weft_planes_link(&m_clos, f.link, &link);
            weft_net_set_rate(m_net, f.link, begins ? std::min(f.rate, link.rate) : link.rate);
            return false;
        }
        const bool was = m_down[f.link] > 0;
        m_down[f.link] += begins ? 1 : -1;
        const bool is = m_down[f.link] > 0;
        if (was != is)
        {
            weft_net_set_down(m_net, f.link, is);
        }
        return was != is;
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
    std::map<uint64_t, int> m_down;
    std::vector<std::vector<uint64_t>> m_memory;
};

#endif // NET_RIG_H
