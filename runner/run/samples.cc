/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "samples.h"

#include "collect.h"
#include "mpi-ranks.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/weft-nic.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

Sampler::Sampler(const measurements& measure, Ptr<WeftFabric> fabric, Ptr<WeftCollective> work)
    : m_measure(measure),
      m_fabric(fabric),
      m_work(work),
      m_last(measure.nqps),
      m_portBytes(measure.nports),
      m_tiers(fabric->GetClos().tiers),
      m_queued(2 * m_tiers - 1, 0)
{
}

void
Sampler::Start()
{
    if (m_measure.interval > 0 && measures_over_time(&m_measure))
    {
        Schedule();
    }
}

void
Sampler::Schedule()
{
    Simulator::Schedule(TimeStep(static_cast<uint64_t>(m_measure.interval)),
                        &Sampler::Sample,
                        this);
}

void
Sampler::Sample()
{
    const int64_t now = WeftNow();
    const unsigned nodes = m_measure.nports > 0 || m_measure.queues || m_measure.balance;
    const unsigned qps = m_measure.nqps > 0;
    m_fabric->Gather(nodes * WEFT_GATHER_NODES | qps * WEFT_GATHER_QPS);
    if (!ranks_helps())
    {
        SampleAll(now);
    }
    if (!m_work->IsDone())
    {
        Schedule();
    }
}

void
Sampler::SampleAll(int64_t now)
{
    SampleQps(now);
    SamplePorts(now);
    if (m_measure.queues)
    {
        SampleQueues(now);
    }
    if (m_measure.balance)
    {
        SampleBalance(now);
    }
}

void
Sampler::SampleQps(int64_t now)
{
    const auto interval = static_cast<double>(m_measure.interval);
    for (size_t i = 0; i < m_measure.nqps; i++)
    {
        const WeftQp* qp = m_fabric->GetQp(m_measure.qps[i]);
        // Between two packets the rate of the earlier one counts: it set the gap.
        const double rateTime =
            qp->rate_time + qp->last_rate * static_cast<double>(now - qp->last_sent);
        const double rate = (rateTime - m_last[i].rateTime) / interval;
        m_last[i].rateTime = rateTime;
        if (qp->acked < qp->nwqes || qp->last_sent >= now - m_measure.interval)
        {
            m_samples.push_back(SampleQp(qp, m_last[i], now));
            m_samples.back().rate = rate;
        }
    }
}

qp_sample
Sampler::SampleQp(const WeftQp* qp, Last& last, int64_t now) const
{
    const weft_tx_counters* tx = weft_net_tx_counters(qp);
    const uint64_t resent = tx->resent - last.resent;
    const uint64_t all = tx->sent - last.sent + resent;
    qp_sample s{};
    s.time = now;
    s.qp = qp->index;
    s.wire_rate = static_cast<double>(qp->sent_bytes - last.bytes) * 8e12 /
                  static_cast<double>(m_measure.interval);
    s.sent = tx->sent;
    s.resent = tx->resent;
    s.resent_share = all ? static_cast<double>(resent) / static_cast<double>(all) : 0;
    s.nacks_received = tx->nacks;
    s.cnps_received = qp->cnps;
    last.sent = tx->sent;
    last.resent = tx->resent;
    last.bytes = qp->sent_bytes;
    return s;
}

void
Sampler::SamplePorts(int64_t now)
{
    const weft_mmu* buffer = nullptr;
    weft_net* net = m_fabric->GetNet();
    for (size_t i = 0; i < m_measure.nports; i++)
    {
        const measured_port& at = m_measure.ports[i];
        weft_net_port port;
        weft_net_port_status(net, m_fabric->GetNHosts() + at.index, at.port, &port);
        if (i == 0 || m_measure.ports[i - 1].index != at.index)
        {
            buffer = weft_net_buffer(net, at.index); // looks at all of its ports
        }
        port_sample s{};
        s.time = now;
        s.index = at.index;
        s.port = at.port;
        s.layer = at.layer;
        s.queue = weft_mmu_queues(buffer)[at.port];
        s.paused = port.paused != 0;
        s.wire_rate = static_cast<double>(port.bytes - m_portBytes[i]) * 8e12 /
                      static_cast<double>(m_measure.interval);
        m_portBytes[i] = port.bytes;
        m_ports.push_back(s);
    }
}

size_t
Sampler::GetLayer(const weft_switch_map& map, bool up) const
{
    return layer_of(&m_fabric->GetClos(), map.tier, up);
}

weft_switch_map
Sampler::GetMap(uint32_t index) const
{
    weft_switch_map map;
    weft_clos_switch(&m_fabric->GetClos(), index, &map);
    return map;
}

uint64_t
Sampler::GetSent(uint32_t index, uint32_t port) const
{
    weft_net_port is;
    weft_net_port_status(m_fabric->GetNet(), m_fabric->GetNHosts() + index, port, &is);
    return is.bytes;
}

void
Sampler::SampleQueues(int64_t now)
{
    const bool counts = !m_work->IsDone();
    queue_sample s{};
    s.time = now;
    for (uint32_t i = 0; i < m_fabric->GetNSwitches(); i++)
    {
        const weft_switch_map map = GetMap(i);
        const weft_mmu& mmu = *weft_net_buffer(m_fabric->GetNet(), i);
        uint64_t queued[2] = {0, 0};
        for (uint32_t p = 0; p < weft_map_nports(&map); p++)
        {
            const uint32_t bytes = weft_mmu_queues(&mmu)[p];
            queued[p >= map.first_up] += bytes;
            s.longest_queue = std::max<uint64_t>(s.longest_queue, bytes);
        }
        for (size_t up = 0; counts && up < (map.tier + 1U < m_tiers ? 2 : 1); up++)
        {
            m_queued[GetLayer(map, up)] += static_cast<double>(queued[up]);
        }
        s.buffer_used =
            std::max(s.buffer_used, static_cast<uint64_t>(mmu.shared_used + mmu.headroom_used));
    }
    m_queueSamples += counts;
    m_queues.push_back(s);
}

void
Sampler::SampleBalance(int64_t now)
{
    const double rate = 8e12 / static_cast<double>(m_measure.interval); // bit/s for each byte
    const size_t first = m_balance.size();
    std::vector<uint32_t> ports(m_queued.size());
    const char* const* names;
    layer_names(&m_fabric->GetClos(), &names);
    m_balance.resize(first + ports.size());
    size_t place = 0;
    for (uint32_t i = 0; i < m_fabric->GetNSwitches(); i++)
    {
        const weft_switch_map map = GetMap(i);
        const uint32_t* queues = weft_mmu_queues(weft_net_buffer(m_fabric->GetNet(), i));
        m_sent.resize(std::max(m_sent.size(), place + weft_map_nports(&map)));
        for (uint32_t p = 0; p < weft_map_nports(&map); p++, place++)
        {
            const size_t layer = GetLayer(map, p >= map.first_up);
            balance_sample& b = m_balance[first + layer];
            const uint64_t sent = GetSent(i, p);
            const double load = static_cast<double>(sent - m_sent[place]) * rate;
            m_sent[place] = sent;
            b.queue_max = std::max<uint64_t>(b.queue_max, queues[p]);
            b.queue_mean += queues[p];
            b.rate_max = std::max(b.rate_max, load);
            b.rate_mean += load;
            ports[layer]++;
        }
    }
    for (size_t i = 0; i < ports.size(); i++)
    {
        balance_sample& b = m_balance[first + i];
        b.time = now;
        b.layer = names[i];
        b.queue_mean /= ports[i];
        b.rate_mean /= ports[i];
        b.queue_imbalance = static_cast<double>(b.queue_max) - b.queue_mean;
        b.load_imbalance = b.rate_mean > 0 ? b.rate_max / b.rate_mean : std::nan("");
    }
}

std::vector<layer_result>
Sampler::CollectLayers() const
{
    std::vector<layer_result> layers(m_queued.size());
    for (uint32_t i = 0; i < m_fabric->GetNSwitches(); i++)
    {
        const weft_switch_map map = GetMap(i);
        for (size_t up = 0; up < (map.tier + 1U < m_tiers ? 2 : 1); up++)
        {
            layers[GetLayer(map, up)].marked += weft_net_marks(m_fabric->GetNet(), i, up);
        }
        for (uint32_t p = 0; p < weft_map_nports(&map); p++)
        {
            const bool up = p >= map.first_up;
            layer_result& l = layers[GetLayer(map, up)];
            const uint64_t bytes = GetSent(i, p);
            l.links++;
            l.queue_peak =
                std::max<uint64_t>(l.queue_peak, weft_net_peak_queue(m_fabric->GetNet(), i, up));
            l.load_max = std::max(l.load_max, bytes);
            l.load_mean += static_cast<double>(bytes);
        }
    }
    const char* const* names;
    layer_names(&m_fabric->GetClos(), &names);
    for (size_t i = 0; i < layers.size(); i++)
    {
        layer_result& l = layers[i];
        l.layer = names[i];
        l.load_mean /= l.links;
        l.overload =
            l.load_mean > 0 ? static_cast<double>(l.load_max) / l.load_mean - 1 : std::nan("");
        l.queue_mean = m_queueSamples
                         ? m_queued[i] / (static_cast<double>(m_queueSamples) * l.links)
                         : std::nan("");
    }
    return layers;
}

void
Sampler::Collect(run_results* out) const
{
    ToC(m_samples, out->series, out->nseries);
    ToC(m_queues, out->queues, out->nqueues);
    ToC(m_ports, out->ports, out->nports);
    ToC(m_balance, out->balance, out->nbalance);
    ToC(CollectLayers(), out->layers, out->nlayers);
}
