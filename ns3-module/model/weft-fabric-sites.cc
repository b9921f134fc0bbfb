/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: what it tells algorithms of the places where they work.
#include "weft-fabric.h"

#include "weft-qp.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <weft/clos.h>
#include <weft/error.h>
#include <weft/tor.h>

namespace ns3
{

weft_site
WeftFabric::GetSite(uint32_t index) const
{
    weft_site site;
    weft_clos_site(&m_clos, &GetMmuConfig(), index, m_streamSeed, m_run, &site);
    return site;
}

weft_last_hop
WeftFabric::GetLastHop() const
{
    weft_last_hop hop;
    weft_clos_last_hop(&m_clos, &m_frame, &hop);
    return hop;
}

weft_path_site
WeftFabric::GetPathSite(uint32_t host) const
{
    return weft_path_site{m_streamSeed, m_run, host, &m_clos, 1, 0, nullptr, nullptr};
}

void
WeftFabric::AddStarters(const std::vector<uint32_t>& qps, uint32_t created)
{
    m_starters.resize(m_clos.nhosts);
    for (size_t host = 0; host < qps.size(); host++)
    {
        m_starters.at(host) += qps[host];
    }
    m_announced += created;
}

void
WeftFabric::CountStarter(uint32_t host)
{
    if (m_announced > 0)
    {
        m_announced--;
        return;
    }
    m_starters.resize(m_clos.nhosts);
    m_starters[host]++;
}

uint32_t
WeftFabric::GetQpBdp(uint32_t src, uint32_t dst) const
{
    const double starters = src < m_starters.size() ? std::max(m_starters[src], 1U) : 1;
    const double frame = static_cast<double>(m_frame.payload + m_frame.header + m_frame.gap);
    const double bytes = static_cast<double>(GetLink(src).rate) / 8e12 *
                         static_cast<double>(GetIdleRoundTrip(src, dst));
    return static_cast<uint32_t>(std::clamp(std::ceil(bytes / (frame * starters)), 1.0, 1e9));
}

weft_cc_site
WeftFabric::GetCcSite(uint32_t src, uint32_t dst) const
{
    weft_cc_site site{};
    site.line_rate = GetLink(src).rate;
    site.share = m_rhoMax;
    site.links = weft_clos_hops(&m_clos, src, dst);
    site.frame = static_cast<uint32_t>(m_frame.payload + m_frame.header);
    site.gap = static_cast<uint32_t>(m_frame.gap);
    site.base_rtt = GetIdleRoundTrip(src, dst);
    return site;
}

int64_t
WeftFabric::GetIdleRoundTrip(uint32_t src, uint32_t dst) const
{
    return weft_clos_way(&m_clos, src, dst, m_frame.payload + m_frame.header) +
           weft_clos_way(&m_clos, dst, src, m_frame.ack);
}

void
WeftFabric::InitQpTor(WeftQp* qp, const WeftServiceLevel& level)
{
    const weft_lb_ops* lb = level.GetBalancer();
    const void* config = level.path_config;
    weft_refusal why{};
    weft_last_hop hop = GetLastHop();
    hop.why = &why;
    int code = 0;
    if (lb->tor)
    {
        code = lb->tor->qp_init(qp->tor, config, &hop);
    }
    if (code == 0 && lb->flow_size)
    {
        code = lb->flow_init(qp->flow, config);
    }
    NS_ABORT_MSG_IF(code != 0,
                    "Weft: " << level.balancer.Format() << ": " << weft_refusal_text(code, &why));
}

} // namespace ns3
