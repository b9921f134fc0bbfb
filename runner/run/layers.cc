/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "layers.h"
#include "layer-names.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

LayerMeter::LayerMeter(Ptr<WeftFabric> fabric)
    : m_fabric(fabric),
      m_tiers(fabric->GetClos().tiers),
      m_queued(2 * m_tiers - 1, 0)
{
}

size_t
LayerMeter::GetLayer(const weft_switch_map& map, bool up) const
{
    return layer_of(&m_fabric->GetClos(), map.tier, up);
}

weft_switch_map
LayerMeter::GetMap(uint32_t index) const
{
    weft_switch_map map;
    weft_clos_switch(&m_fabric->GetClos(), index, &map);
    return map;
}

uint64_t
LayerMeter::GetSent(uint32_t index, uint32_t port) const
{
    weft_net_port is;
    weft_net_port_status(m_fabric->GetNet(), m_fabric->GetNHosts() + index, port, &is);
    return is.bytes;
}

queue_sample
LayerMeter::Sample(bool counts)
{
    queue_sample s{};
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
    m_samples += counts;
    return s;
}

void
LayerMeter::SampleBalance(int64_t now, int64_t interval, std::vector<balance_sample>& rows)
{
    const double rate = 8e12 / static_cast<double>(interval); // bit/s for each byte
    const size_t first = rows.size();
    std::vector<uint32_t> ports(m_queued.size());
    const char* const* names;
    layer_names(&m_fabric->GetClos(), &names);
    rows.resize(first + ports.size());
    size_t place = 0;
    for (uint32_t i = 0; i < m_fabric->GetNSwitches(); i++)
    {
        const weft_switch_map map = GetMap(i);
        const uint32_t* queues = weft_mmu_queues(weft_net_buffer(m_fabric->GetNet(), i));
        m_sent.resize(std::max(m_sent.size(), place + weft_map_nports(&map)));
        for (uint32_t p = 0; p < weft_map_nports(&map); p++, place++)
        {
            const size_t layer = GetLayer(map, p >= map.first_up);
            balance_sample& b = rows[first + layer];
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
        balance_sample& b = rows[first + i];
        b.time = now;
        b.layer = names[i];
        b.queue_mean /= ports[i];
        b.rate_mean /= ports[i];
        b.queue_imbalance = static_cast<double>(b.queue_max) - b.queue_mean;
        b.load_imbalance = b.rate_mean > 0 ? b.rate_max / b.rate_mean : std::nan("");
    }
}

std::vector<layer_result>
LayerMeter::Collect() const
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
        l.queue_mean =
            m_samples ? m_queued[i] / (static_cast<double>(m_samples) * l.links) : std::nan("");
    }
    return layers;
}
