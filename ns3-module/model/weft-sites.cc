/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-sites.h"

namespace ns3
{

WeftSites::WeftSites(const weft_clos& clos, const weft_fabric_config& frame)
    : m_clos(clos),
      m_frame(frame)
{
}

void
WeftSites::SetStreams(uint64_t seed, uint64_t run)
{
    m_seed = seed;
    m_run = run;
}

uint32_t
WeftSites::GetFullFrame() const
{
    return static_cast<uint32_t>(m_frame.payload + m_frame.header);
}

int64_t
WeftSites::GetHostRate(uint32_t host) const
{
    weft_link link;
    weft_clos_link(&m_clos, host, &link); // the first links are those of the hosts
    return link.rate;
}

int64_t
WeftSites::GetIdleRoundTrip(uint32_t src, uint32_t dst) const
{
    return weft_clos_way(&m_clos, src, dst, GetFullFrame()) +
           weft_clos_way(&m_clos, dst, src, m_frame.ack);
}

weft_site
WeftSites::GetSwitch(uint32_t index, const weft_mmu_config& mmu) const
{
    weft_site site;
    weft_clos_site(&m_clos, &mmu, index, m_seed, m_run, &site);
    site.provides = WEFT_NEEDS_ALL;
    return site;
}

weft_path_site
WeftSites::GetPath(uint32_t host) const
{
    const auto batch = static_cast<uint32_t>(m_frame.batch);
    return weft_path_site{m_seed,
                          m_run,
                          host,
                          &m_clos,
                          1,
                          0,
                          nullptr,
                          batch,
                          nullptr,
                          WEFT_NEEDS_ALL};
}

weft_cc_site
WeftSites::GetCc(uint32_t src, uint32_t dst, double share) const
{
    weft_cc_site site{};
    site.line_rate = GetHostRate(src);
    site.share = share;
    site.links = weft_clos_hops(&m_clos, src, dst);
    site.frame = GetFullFrame();
    site.gap = static_cast<uint32_t>(m_frame.gap);
    site.base_rtt = GetIdleRoundTrip(src, dst);
    return site;
}

weft_last_hop
WeftSites::GetLastHop() const
{
    weft_last_hop hop;
    weft_clos_last_hop(&m_clos, &m_frame, &hop);
    hop.provides = WEFT_NEEDS_ALL;
    return hop;
}

} // namespace ns3
