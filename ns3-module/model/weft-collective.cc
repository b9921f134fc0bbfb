/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-collective.h"

#include "weft-fabric.h"
#include "weft-root.h"
#include "weft-ticks.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <weft/levels.h>
#include <weft/refusal.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftCollective");
NS_OBJECT_ENSURE_REGISTERED(WeftCollective);

TypeId
WeftCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftCollective")
            .SetParent<Object>()
            .SetGroupName("Weft")
            .AddConstructor<WeftCollective>()
            .AddAttribute("Workload",
                          "A workload and its parameters, as in `weft list workload`",
                          StringValue("ring"),
                          MakeStringAccessor(&WeftCollective::SetWorkloadText,
                                             &WeftCollective::GetWorkloadText),
                          MakeStringChecker())
            .AddAttribute(
                "ServiceLevel",
                "Of the QPs of messages that name none; see WeftFabric::AddServiceLevel()",
                UintegerValue(0),
                MakeUintegerAccessor(&WeftCollective::m_level),
                MakeUintegerChecker<uint32_t>(0, WEFT_LEVELS - 1))
            .AddTraceSource(
                "Delivered",
                "A message is whole at its receiver: its number, the time",
                WeftWatching(MakeTraceSourceAccessor(&WeftCollective::m_deliveredTrace)),
                "ns3::WeftCollective::DeliveredCallback")
            .AddTraceSource("Done",
                            "Every message has been delivered and acknowledged, was given up or "
                            "cannot start; told less than a window of WeftTicks later: "
                            "GetDoneTime() says when it was",
                            MakeTraceSourceAccessor(&WeftCollective::m_doneTrace),
                            "ns3::TracedCallback::Void");
    return tid;
}

WeftCollective::WeftCollective()
    : m_workload("workload")
{
}

WeftCollective::~WeftCollective()
{
}

void
WeftCollective::DoDispose()
{
    m_last = GetState(); // the fabric's memory may go
    m_of = nullptr;
    m_fabric = nullptr;
    Object::DoDispose();
}

void
WeftCollective::SetWorkloadText(std::string text)
{
    if (m_installed && WeftChoice("workload", text).Format() == m_workload.Format())
    {
        return; // ConfigStore sets what was saved
    }
    RequireUninstalled();
    m_workload.Set(text);
}

std::string
WeftCollective::GetWorkloadText() const
{
    return m_workload.Format();
}

void
WeftCollective::SetWorkload(const weft_algo* algo, const void* config)
{
    RequireUninstalled();
    m_workload.Set(algo, config);
}

void
WeftCollective::SetTable(const weft_table* table)
{
    RequireUninstalled();
    m_table = table;
}

void
WeftCollective::RequireUninstalled() const
{
    NS_ABORT_MSG_IF(m_installed,
                    "Weft: attribute Workload was set after the workload had been installed, which "
                    "would change nothing; set it before Install()");
}

bool
WeftCollective::Install(Ptr<WeftFabric> fabric, std::string& error)
{
    if (m_installed)
    {
        error = "this workload has been installed already";
        return false;
    }
    m_fabric = fabric;
    if (!Fill(error))
    {
        return false;
    }
    // QPs and events point here: lives until the simulation is destroyed, whoever holds it.
    Simulator::ScheduleDestroy(&WeftCollective::Dispose, Ptr<WeftCollective>(this));
    m_installed = true;
    WeftRoot::Add(this);
    return true;
}

bool
WeftCollective::Fill(std::string& error)
{
    const auto ops = m_workload.GetOps<weft_workload_ops>();
    weft_hosts hosts = weft_clos_hosts(&m_fabric->GetClos());
    std::vector<uint64_t> config(ops->algo.config_size / sizeof(uint64_t) + 1);
    std::memcpy(config.data(), m_workload.GetConfig(), ops->algo.config_size);
    if (m_table && ops->use)
    {
        ops->use(config.data(), m_table);
    }
    weft_refusal why{};
    weft_traffic_size& size = m_graph.size;
    hosts.why = &why;
    int code = ops->size(config.data(), &hosts, &size);
    if (code == 0)
    {
        m_messages.resize(size.nmessages);
        m_successors.resize(size.nnext);
        m_times.resize(size.nmessages);
        code = ops->fill(config.data(),
                         &hosts,
                         m_fabric->GetSeed(),
                         m_fabric->GetRun(),
                         m_messages.data(),
                         m_successors.data());
    }
    if (code != 0)
    {
        error = m_workload.Format() + " on " + std::to_string(hosts.n) +
                " hosts: " + weft_refusal_text(code, &why);
        return false;
    }
    m_graph.messages = m_messages.data();
    weft_run_find_programs(m_fabric->GetCoreRun(), ops, config.data(), &m_graph);
    m_program = m_graph.nprograms > 0 ? m_graph.programs[0].program : nullptr;
    for (const weft_message& m : m_messages)
    {
        if (GetLevel(m) >= m_fabric->GetNServiceLevels())
        {
            error = m_workload.Format() + ": service level " + std::to_string(GetLevel(m)) +
                    "; expected 0 to " + std::to_string(m_fabric->GetNServiceLevels() - 1) +
                    ", or WeftFabric::AddServiceLevel() first";
            return false;
        }
    }
    return Start(error);
}

bool
WeftCollective::Start(std::string& error)
{
    m_graph.messages = m_messages.data();
    m_graph.next = m_successors.data();
    m_graph.times = m_times.data();
    m_graph.level = m_level;
    SetHooks();
    Sync();
    weft_refusal why{};
    const int code = weft_run_collective(m_fabric->GetCoreRun(), &m_graph, &m_of, &why);
    if (code != 0)
    {
        error = m_workload.Format() + ": " + weft_refusal_text(code, &why);
        return false;
    }
    m_fabric->NoteShares();
    if (m_watched)
    {
        Watch();
    }
    return true;
}

void
WeftCollective::SetHooks()
{
    weft_collective_hooks& hooks = m_graph.hooks;
    hooks.of = this;
    hooks.posted = [](void* of, uint32_t message, int64_t) {
        const weft_message& m = static_cast<WeftCollective*>(of)->m_messages[message];
        NS_LOG_LOGIC("message " << message << " of group " << m.group << " step " << m.step
                                << " is posted");
    };
    hooks.delivered = [](void* of, uint32_t message, int64_t now) {
        auto self = static_cast<WeftCollective*>(of);
        if (self->m_fabric->IsTimely()) // else it was before a sink was connected
        {
            self->m_deliveredTrace(message, TimeStep(static_cast<uint64_t>(now)));
        }
    };
    hooks.failed = [](void*, uint32_t message, int64_t) {
        NS_LOG_WARN("message " << message << " is given up");
    };
    hooks.ended = [](void*, uint32_t group, uint32_t step) {
        NS_LOG_INFO("group " << group << " has done step " << step);
    };
    hooks.done = [](void* of, int64_t at) { static_cast<WeftCollective*>(of)->PlanDone(at); };
}

void
WeftCollective::Watch()
{
    m_watched = true;
    for (size_t i = 0; m_fabric && i < m_messages.size(); i++)
    {
        m_fabric->Watch(m_messages[i].dst);
    }
}

void
WeftCollective::Sync() const
{
    if (m_fabric)
    {
        m_fabric->Sync();
    }
}

weft_collective_state
WeftCollective::GetState() const
{
    Sync();
    weft_collective_state is = m_last;
    if (m_of)
    {
        weft_collective_describe(m_of, &is);
    }
    is.done = is.done || m_messages.empty();
    return is;
}

const WeftConnection*
WeftCollective::GetConnection(uint32_t qp) const
{
    NS_ABORT_MSG_UNLESS(m_fabric, "Weft: GetConnection() after Simulator::Destroy()");
    NS_ABORT_MSG_IF(qp >= m_graph.size.nqps, "Weft: GetConnection(): no QP " << qp);
    return m_fabric->GetConnection(weft_collective_connection(m_of, qp));
}

bool
WeftCollective::IsDone() const
{
    return GetState().done;
}

uint32_t
WeftCollective::GetLevel(const weft_message& m) const
{
    return m.sl ? m.sl : m_level;
}

void
WeftCollective::PlanDone(int64_t at)
{
    if (!m_tellsDone.exchange(true))
    {
        // At the same time whoever reads or watches meanwhile.
        const int64_t border = m_fabric->GetTicks().GetBorder(at);
        m_fabric->GetTicks().After([this, border] {
            Simulator::ScheduleWithContext(
                Simulator::NO_CONTEXT,
                TimeStep(static_cast<uint64_t>(std::max<int64_t>(border - WeftNow(), 0))),
                &WeftCollective::TellDone,
                Ptr<WeftCollective>(this));
        });
    }
}

void
WeftCollective::TellDone()
{
    m_tellsDone = false;
    m_fabric->GetTicks()
        .SyncChanges(); // those of this instant come first, whatever was planned when
    const weft_collective_state is = GetState();
    if (is.done)
    {
        NS_LOG_INFO("all is done: " << is.acked << " messages acknowledged, " << is.failed
                                    << " given up, " << is.unstarted << " never started");
        m_doneTrace();
    }
}

Time
WeftCollective::GetCompletionTime() const
{
    return TimeStep(static_cast<uint64_t>(GetState().last_delivery));
}

void
WeftCollective::GatherTimes()
{
    weft_collective_gather(m_of);
}

uint64_t
WeftCollective::GetTotalBytes() const
{
    uint64_t bytes = 0;
    for (const weft_message& m : m_messages)
    {
        bytes += m.bytes;
    }
    return bytes;
}

} // namespace ns3
