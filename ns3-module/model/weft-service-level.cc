/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-service-level.h"

#include <weft/levels.h>
#include <weft/refusal.h>

namespace ns3
{

namespace
{
constexpr std::size_t MAX_PATH_WORDS = std::size_t{1} << 31; //!< of all hosts: 16 GiB
constexpr uint32_t REMEMBERED_LABELS = 4096;                 //!< of packets that may be lost, by QP
} // namespace

WeftServiceLevel::WeftServiceLevel(uint8_t level)
    : weft_nic_algos{},
      balancer("balancer", "ecmp"),
      transports("transport", "nic-sr"),
      controls("congestion-control", "dcqcn"),
      m_degrees(WEFT_OOO_DEGREES)
{
    ooo_degrees = m_degrees.data();
    sl = level;
    tclass = 1;
    labels = REMEMBERED_LABELS;
}

std::string
WeftServiceLevel::Format() const
{
    return balancer.Format() + "; " + transports.Format() + "; " + controls.Format();
}

bool
WeftServiceLevel::Build(const weft_fabric_config& frames,
                        const weft_path_site& site,
                        uint32_t hosts,
                        std::string& error)
{
    frame = frames;
    transport = transports.GetOps<weft_transport_ops>();
    transport_config = transports.GetConfig();
    cc = controls.GetOps<weft_cc_ops>();
    cc_config = controls.GetConfig();
    path = GetBalancer()->path;
    path_config = balancer.GetConfig();
    weft_path_site own = site;
    own.seed = weft_level_seed(site.seed, sl);
    m_pathWords = path ? (path->host_size(path_config, &own) + 7) / 8 : 0;
    if (m_pathWords > MAX_PATH_WORDS / hosts)
    {
        error = balancer.Format() + ": the hosts' states would take more than 16 GiB";
        return false;
    }
    m_pathMemory.assign(m_pathWords * hosts, 0);
    path_hosts = m_pathMemory.data();
    path_stride = m_pathWords * sizeof(uint64_t);
    weft_refusal why{};
    own.why = &why;
    for (uint32_t host = 0; path && host < hosts; host++)
    {
        own.host = host;
        const int code = path->host_init(GetPathHost(host), path_config, &own);
        if (code != 0)
        {
            error = balancer.Format() + " at host " + std::to_string(host) + ": " +
                    weft_refusal_text(code, &why);
            return false;
        }
    }
    const weft_plan_site
        plan{own.seed, own.run, 0, frames.payload, own.clos, own.random, nullptr, nullptr};
    return planner.Init(GetBalancer(), path_config, plan, *this, hosts, error);
}

void
WeftServiceLevel::SetRoutes(const weft_fib* fib, uint32_t hosts)
{
    for (uint32_t host = 0; path && path->set_routes && host < hosts; host++)
    {
        path->set_routes(GetPathHost(host), fib);
    }
}

} // namespace ns3
