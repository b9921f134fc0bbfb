/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "samples.h"

#include "mpi-ranks.h"
#include "to-c.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/weft-nic.h"

using namespace ns3;

Sampler::Sampler(const measurements& measure, Ptr<WeftFabric> fabric, Ptr<WeftCollective> work)
    : m_measure(measure),
      m_fabric(fabric),
      m_work(work),
      m_layers(fabric),
      m_last(measure.nqps),
      m_portBytes(measure.nports)
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
        m_layers.SampleBalance(now, m_measure.interval, m_balance);
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

void
Sampler::SampleQueues(int64_t now)
{
    queue_sample s = m_layers.Sample(!m_work->IsDone());
    s.time = now;
    m_queues.push_back(s);
}

void
Sampler::Collect(run_results* out) const
{
    ToC(m_samples, out->series, out->nseries);
    ToC(m_queues, out->queues, out->nqueues);
    ToC(m_ports, out->ports, out->nports);
    ToC(m_balance, out->balance, out->nbalance);
    ToC(m_layers.Collect(), out->layers, out->nlayers);
}
