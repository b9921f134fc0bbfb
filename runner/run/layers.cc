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
LayerMeter::GetLayer(const WeftSwitch& sw, bool up) const
{
    return layer_of(&m_fabric->GetClos(), sw.GetTier(), up);
}

queue_sample
LayerMeter::Sample(bool counts)
{
    queue_sample s{};
    for (uint32_t i = 0; i < m_fabric->GetNSwitches(); i++)
    {
        Ptr<WeftSwitch> sw = m_fabric->GetSwitch(i);
        const weft_mmu& mmu = sw->GetBuffer();
        uint64_t queued[2] = {0, 0};
        for (uint32_t p = 0; p < sw->GetNPorts(); p++)
        {
            const uint32_t bytes = weft_mmu_queues(&mmu)[p];
            queued[p >= sw->GetNDownPorts()] += bytes;
            s.longest_queue = std::max<uint64_t>(s.longest_queue, bytes);
        }
        for (size_t up = 0; counts && up < (sw->GetTier() + 1 < m_tiers ? 2 : 1); up++)
        {
            m_queued[GetLayer(*sw, up)] += static_cast<double>(queued[up]);
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
        Ptr<WeftSwitch> sw = m_fabric->GetSwitch(i);
        const uint32_t* queues = weft_mmu_queues(&sw->GetBuffer());
        m_sent.resize(std::max(m_sent.size(), place + sw->GetNPorts()));
        for (uint32_t p = 0; p < sw->GetNPorts(); p++, place++)
        {
            const size_t layer = GetLayer(*sw, p >= sw->GetNDownPorts());
            balance_sample& b = rows[first + layer];
            const uint64_t sent = sw->GetPort(p)->GetBytes();
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
        Ptr<WeftSwitch> sw = m_fabric->GetSwitch(i);
        for (size_t up = 0; up < (sw->GetTier() + 1 < m_tiers ? 2 : 1); up++)
        {
            layers[GetLayer(*sw, up)].marked += sw->GetMarks(up);
        }
        for (uint32_t p = 0; p < sw->GetNPorts(); p++)
        {
            const bool up = p >= sw->GetNDownPorts();
            layer_result& l = layers[GetLayer(*sw, up)];
            const uint64_t bytes = sw->GetPort(p)->GetBytes();
            l.links++;
            l.queue_peak = std::max<uint64_t>(l.queue_peak, sw->GetPeakQueue(up));
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
