/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-qp-store.h"

#include "ns3/abort.h"
#include "ns3/weft-fabric-simulator.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <weft/error.h>
#include <weft/levels.h>
#include <weft/psn.h>
#include <weft/refusal.h>

namespace ns3
{

namespace
{

constexpr uint64_t QP_STREAM = UINT64_C(0x9b) << 40; //!< rng streams of QPs
constexpr size_t NAMED_MESSAGES = 8;                 //!< in one error
constexpr uint16_t FIRST_EPHEMERAL = 49152; //!< RoCEv2 source ports (RFC 6335 dynamic range)

/** @param bytes of a state @return 64-bit words that hold it */
size_t
CountWords(size_t bytes)
{
    return (bytes + 7) / 8;
}

} // namespace

WeftQpStore::WeftQpStore(const WeftSites& sites)
    : m_sites(sites)
{
}

WeftQpStore::~WeftQpStore()
{
    for (WeftQp* qp : m_qps)
    {
        qp->Unref();
    }
}

uint64_t
WeftQpStore::TakeStream()
{
    return QP_STREAM + m_streams++;
}

WeftQp*
WeftQpStore::Create(uint32_t src, uint32_t dst, const WeftServiceLevel& level, uint64_t stream)
{
    NS_ABORT_MSG_IF(m_qps.size() > WEFT_QP_MASK,
                    "Weft: a fabric has at most " << WEFT_QP_MASK + 1 << " QPs");
    const int64_t first = m_sites.GetFrame().first_psn;
    weft_rng rng;
    weft_qp_site site{};
    site.index = GetN();
    weft_rng_seed(&rng, m_sites.GetSeed(), m_sites.GetRun(), stream);
    site.src = src;
    site.dst = dst;
    site.sport = static_cast<uint16_t>(FIRST_EPHEMERAL +
                                       weft_rng_below(&rng, UINT16_MAX + 1 - FIRST_EPHEMERAL));
    site.transport.first_psn =
        first < 0 ? weft_rng_u32(&rng) & WEFT_PSN_MASK : static_cast<uint32_t>(first);
    site.cc = m_sites.GetCc(src, dst, level.share);
    auto qp = new WeftQp;
    CountStarter(src);
    InitState(qp, site, level);
    m_qps.push_back(qp);
    return qp;
}

void
WeftQpStore::InitState(WeftQp* qp, weft_qp_site& site, const WeftServiceLevel& level) const
{
    const weft_lb_ops* lb = level.GetBalancer();
    const void* config = level.path_config;
    const weft_clos& clos = m_sites.GetClos();
    const weft_last_hop hop = m_sites.GetLastHop();
    const bool tracked = (lb->tor || lb->flow_size) &&
                         weft_clos_tor(&clos, site.src) != weft_clos_tor(&clos, site.dst);
    if (level.path)
    {
        site.path = m_sites.GetPath(site.src);
        site.path.seed = weft_level_seed(m_sites.GetSeed(), level.sl);
        site.path.qp_bdp = GetBdp(site.src, site.dst);
        site.path.dst = site.dst;
    }
    const size_t nic = CountWords(weft_qp_size(&level, &site));
    const size_t tor = tracked && lb->tor ? CountWords(lb->tor->qp_size(config, &hop)) : 0;
    const size_t flow = tracked && lb->flow_size ? CountWords(lb->flow_size(config)) : 0;
    qp->memory.assign(nic + tor + flow, 0);
    site.transport.qp = site.index;
    site.transport.rate = site.cc.line_rate;
    site.transport.base_rtt = site.cc.base_rtt;
    site.transport.frame = site.cc.frame;
    site.transport.seed = m_sites.GetSeed();
    site.transport.run = m_sites.GetRun();
    weft_refusal why{};
    site.cc.why = &why;
    site.path.why = &why;
    const int code = weft_qp_init(qp, qp->memory.data(), &level, &site, WeftNow());
    NS_ABORT_MSG_IF(code != 0, "Weft: " << level.Format() << ": " << weft_refusal_text(code, &why));
    if (tracked)
    {
        qp->tor = lb->tor ? qp->memory.data() + nic : nullptr;
        qp->flow = lb->flow_size ? qp->memory.data() + nic + tor : nullptr;
        InitTor(qp, level);
    }
}

void
WeftQpStore::InitTor(WeftQp* qp, const WeftServiceLevel& level) const
{
    const weft_lb_ops* lb = level.GetBalancer();
    const void* config = level.path_config;
    weft_refusal why{};
    weft_last_hop hop = m_sites.GetLastHop();
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

void
WeftQpStore::RestartTor(WeftQp* qp) const
{
    if (qp->tor)
    {
        const auto level = static_cast<const WeftServiceLevel*>(qp->algos);
        const weft_last_hop hop = m_sites.GetLastHop();
        level->GetBalancer()->tor->qp_init(qp->tor, level->path_config, &hop);
    }
}

void
WeftQpStore::AddStarters(const std::vector<uint32_t>& qps, uint32_t created)
{
    m_starters.resize(m_sites.GetClos().nhosts);
    for (size_t host = 0; host < qps.size(); host++)
    {
        m_starters.at(host) += qps[host];
    }
    m_announced += created;
}

void
WeftQpStore::CountStarter(uint32_t host)
{
    if (m_announced > 0)
    {
        m_announced--;
        return;
    }
    m_starters.resize(m_sites.GetClos().nhosts);
    m_starters[host]++;
}

uint32_t
WeftQpStore::GetBdp(uint32_t src, uint32_t dst) const
{
    const weft_fabric_config& f = m_sites.GetFrame();
    const double starters = src < m_starters.size() ? std::max(m_starters[src], 1U) : 1;
    const double frame = static_cast<double>(f.payload + f.header + f.gap);
    const double bytes = static_cast<double>(m_sites.GetHostRate(src)) / 8e12 *
                         static_cast<double>(m_sites.GetIdleRoundTrip(src, dst));
    return static_cast<uint32_t>(std::clamp(std::ceil(bytes / (frame * starters)), 1.0, 1e9));
}

std::string
WeftQpStore::DescribeUndelivered() const
{
    std::ostringstream text;
    size_t n = 0;
    for (const WeftQp* qp : m_qps)
    {
        for (size_t i = qp->delivered; i < qp->acked; i++)
        {
            if (n++ < NAMED_MESSAGES)
            {
                text << (n == 1 ? ": " : ", ") << "message " << qp->posts[i].tag << " of QP "
                     << qp->index << " (host " << qp->src << " to host " << qp->dst << ")";
            }
        }
    }
    const std::string those = text.str() + (n > NAMED_MESSAGES ? " and others. " : ". ");
    return n == 0 ? ""
                  : std::to_string(n) + (n == 1 ? " message is" : " messages are") +
                        " acknowledged and not delivered" + those;
}

WeftConnection*
WeftQpStore::Connect(WeftFabric* fabric,
                     uint32_t src,
                     uint32_t dst,
                     WeftMessageListener* listener,
                     uint32_t level)
{
    const auto index = static_cast<uint32_t>(m_connections.size());
    m_connections.push_back(
        std::make_unique<WeftConnection>(fabric, index, src, dst, listener, level));
    return m_connections.back().get();
}

} // namespace ns3
