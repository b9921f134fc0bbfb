/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftSwitch: traffic classes and packet trimming.
#include "weft-fabric.h"
#include "weft-switch.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <utility>
#include <weft/error.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSwitchClasses");

void
WeftSwitch::SetUpClasses()
{
    const auto classes = static_cast<uint32_t>(m_mmu->config.classes);
    if (classes == 2)
    {
        return; // class 0 goes first under every scheduler, and class 1 is alone behind it
    }
    const weft_fabric_config& frame = m_owner->GetFrameConfig();
    const weft_scheduler_site site{classes, static_cast<uint32_t>(frame.payload + frame.header)};
    const weft_scheduler_ops* ops = m_owner->GetScheduler();
    const void* config = m_owner->GetSchedulerConfig();
    const size_t words = (ops->state_size(config) + 7) / 8;
    m_classQueues.resize(m_nports);
    m_schedulerMemory.assign(words * m_nports, 0);
    for (uint32_t i = 0; i < m_nports; i++)
    {
        WeftClassQueues& queues = m_classQueues[i];
        if (!ops->lowest_first)
        {
            queues.scheduler = ops;
            queues.state = m_schedulerMemory.data() + words * i;
            const int code = ops->init(queues.state, config, &site);
            NS_ABORT_MSG_IF(code != 0,
                            "Weft: scheduler " << ops->algo.name << ": " << weft_strerror(code));
        }
        m_port[i].SetClasses(&queues);
    }
}

uint32_t
WeftSwitch::GetClassQueue(const WeftPacket* p, uint32_t out) const
{
    // A header is not marked, as in UEC's simulator: its payload has met the congestion.
    const uint32_t i = weft_mmu_index(m_mmu, out, p->d.tclass);
    return p->d.flags & WEFT_F_TRIMMED ? 0 : weft_mmu_class_queues(m_mmu)[i] - p->d.bytes;
}

unsigned
WeftSwitch::Trim(WeftPacket* p, uint32_t out, bool held)
{
    // What a balancer holds back must stay the frame that it knows.
    const bool heads =
        m_mmu->config.trim_victim == WEFT_TRIM_COIN && weft_rng_below(&m_rng, 2) == 0;
    const bool replaced = heads && !held && Replace(p, out);
    NS_LOG_INFO("switch " << m_index << " trims " << (replaced ? "the newest of its queue, " : "")
                          << p->d);
    m_trimTrace(p->d);
    const unsigned verdict = weft_mmu_admit_header(m_mmu, p->d.in_port, out);
    const auto bytes = static_cast<uint16_t>(m_mmu->config.trim_bytes);
    m_owner->GetAccounts().CountTrimmed(static_cast<uint32_t>(p->d.bytes - bytes));
    p->d.bytes = bytes;
    p->d.tclass = 0;
    p->d.flags |= WEFT_F_TRIMMED;
    return verdict;
}

bool
WeftSwitch::Replace(WeftPacket* p, uint32_t out)
{
    WeftPacket* newest = m_port[out].GetNewest(p->d.tclass);
    if (!newest || newest->d.kind != WEFT_DATA || newest->d.bytes <= m_mmu->config.trim_bytes ||
        !weft_mmu_replace(m_mmu,
                          p->d.in_port,
                          out,
                          p->d.tclass,
                          p->d.bytes,
                          newest->d.in_port,
                          newest->d.bytes))
    {
        return false;
    }
    std::swap(p->d, newest->d); // the arrival stands where the newest stood
    MarkAtEnqueue(newest, out, weft_mmu_queues(m_mmu)[out] - newest->d.bytes);
    return true;
}

} // namespace ns3
