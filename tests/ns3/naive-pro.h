// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file naive-pro.h  Alg. 1 of PRO by hand, to check the module's against. It shares no code with
 * it.
 */
#ifndef NAIVE_PRO_H
#define NAIVE_PRO_H

#include <cstddef>
#include <numeric>
#include <vector>

/**
 * The path of every packet of every host on a leaf-spine, where a host's QPs are all active and
 * take turns. The path of an ACK is the next one of all to its ToR.
 */
class NaivePro
{
  public:
    NaivePro(unsigned hostsPerLeaf, unsigned spines, unsigned qps, const std::vector<unsigned>& to)
        : m_hostsPerLeaf(hostsPerLeaf),
          m_spines(spines),
          m_qps(qps),
          m_to(to),
          m_leaves(static_cast<unsigned>(to.size()) / qps / hostsPerLeaf),
          m_counter(to.size() / qps * m_leaves),
          m_reply(to.size() / qps * m_leaves),
          m_path(to.size(), -1)
    {
    }

    unsigned GetPath(unsigned host, unsigned to, bool ack, unsigned nth)
    {
        const size_t set = size_t{host} * m_leaves + to / m_hostsPerLeaf;
        if (ack)
        {
            return m_reply[set]++ % m_spines;
        }
        int& path = m_path[host * m_qps + nth % m_qps];
        const unsigned next =
            path < 0 ? m_counter[set] : static_cast<unsigned>(path) + GetSpan(host, to);
        path = static_cast<int>(next % m_spines);
        m_counter[set] = static_cast<unsigned>(path) + 1;
        return static_cast<unsigned>(path);
    }

  private:
    /** The host's QPs to that ToR, made odd, and coprime with the paths. */
    unsigned GetSpan(unsigned host, unsigned to) const
    {
        unsigned span = 0;
        for (unsigned qp = 0; qp < m_qps; qp++)
        {
            span += m_to[host * m_qps + qp] / m_hostsPerLeaf == to / m_hostsPerLeaf;
        }
        span += span % 2 == 0;
        while (std::gcd(span, m_spines) != 1)
        {
            span += 2;
        }
        return span;
    }

    unsigned m_hostsPerLeaf;
    unsigned m_spines;
    unsigned m_qps;
    const std::vector<unsigned>& m_to; //!< [host * qps + qp]
    unsigned m_leaves;
    std::vector<unsigned> m_counter; //!< [host][leaf]: C
    std::vector<unsigned> m_reply;   //!< [host][leaf]
    std::vector<int> m_path;         //!< [host][QP]; -1: new
};

#endif
