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

#include <weft/error.h>
#include <weft/levels.h>

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
    m_fabric->JoinNews(this);
    // QPs and events point here: lives until the simulation is destroyed, whoever holds it.
    Simulator::ScheduleDestroy(&WeftCollective::Dispose, Ptr<WeftCollective>(this));
    m_installed = true;
    WeftRoot::Add(this);
    for (uint32_t i = 0; i < m_messages.size(); i++)
    {
        if (m_messages[i].waits == 0)
        {
            Release(i, WeftNow());
        }
    }
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
    weft_traffic_size size{};
    hosts.why = &why;
    int code = ops->size(config.data(), &hosts, &size);
    if (code == 0)
    {
        m_messages.resize(size.nmessages);
        m_successors.resize(size.nnext);
        m_times.resize(size.nmessages);
        m_ngroups = size.ngroups;
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
    CreateQps(size.nqps);
    BuildBarriers();
    return true;
}

void
WeftCollective::BuildBarriers()
{
    if (std::none_of(m_messages.begin(), m_messages.end(), [](const weft_message& m) {
            return m.barrier != 0;
        }))
    {
        return;
    }
    for (const weft_message& m : m_messages)
    {
        m_nsteps = std::max(m_nsteps, m.step + 1);
    }
    m_steps.resize(size_t{m_ngroups} * m_nsteps);
    m_news = weft_clos_least_delay(&m_fabric->GetClos(), m_fabric->GetFrameConfig().ack);
    for (const weft_message& m : m_messages)
    {
        StepOf(m).left++;
    }
    uint32_t first = 0;
    for (Step& step : m_steps)
    {
        step.first = first;
        first += step.left;
    }
    m_members.resize(first);
    for (uint32_t i = 0; i < first; i++)
    {
        Step& step = StepOf(m_messages[i]);
        m_members[step.first + step.n++] = i;
        NS_ASSERT_MSG(!m_messages[i].barrier || (m_messages[i].step > 0 && (&step - 1)->left > 0),
                      "Weft: message " << i << " waits for a step without messages");
    }
}

WeftCollective::Step&
WeftCollective::StepOf(const weft_message& m)
{
    return m_steps[size_t{m.group} * m_nsteps + m.step];
}

template <typename F>
void
WeftCollective::ForEachBehind(const weft_message& m, F release)
{
    if (m.step + 1 < m_nsteps)
    {
        const Step& next = *(&StepOf(m) + 1);
        for (uint32_t i = 0; i < next.n; i++)
        {
            const uint32_t message = m_members[next.first + i];
            if (m_messages[message].barrier)
            {
                release(message);
            }
        }
    }
}

void
WeftCollective::CreateQps(uint32_t nqps)
{
    std::vector<const weft_message*> first(nqps, nullptr);
    std::vector<size_t> count(nqps, 0);
    for (const weft_message& m : m_messages)
    {
        first[m.qp] = first[m.qp] ? first[m.qp] : &m;
        count[m.qp]++;
    }
    std::vector<weft_flow> flows;
    uint32_t created = 0;
    std::vector<uint32_t> starters(m_fabric->GetClos().nhosts, 0);
    flows.reserve(nqps);
    for (const weft_message* m : first)
    {
        flows.push_back({m->src, m->dst});
        const uint32_t each = PlannerOf(*m).GetQpsPerConnection();
        starters[m->src] += m->waits == 0 ? each : 0;
        created += each;
    }
    m_fabric->SetFlows(flows);
    m_fabric->AddStarters(starters, created);
    for (const weft_message* m : first)
    {
        m_connections.push_back(m_fabric->ConnectFirst(m->src, m->dst, this, GetLevel(*m)));
    }
    for (uint32_t i = 0; i < nqps; i++)
    {
        m_connections[i]->Reserve(count[i]); // numbers behind all first QPs, which are the graph's
    }
    if (m_watched)
    {
        Watch();
    }
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

bool
WeftCollective::AreAllDone() const
{
    return m_done + m_failed + m_unstarted == m_messages.size();
}

void
WeftCollective::Sync() const
{
    if (m_fabric)
    {
        m_fabric->Sync();
    }
}

bool
WeftCollective::IsDone() const
{
    Sync();
    return AreAllDone();
}

void
WeftCollective::Release(uint32_t message, int64_t since)
{
    const weft_message& m = m_messages[message];
    const int64_t start = std::min(m.start, WeftTicks::LATEST + 1); // or beyond all clocks
    const int64_t at = m.barrier || m.delayed ? since + start : std::max(since, start);
    m_fabric->GetTicks().CallAt(
        m.src,
        at,
        WEFT_NET_POST,
        message,
        [](void* of, uint64_t what, int64_t now) {
            static_cast<WeftCollective*>(of)->Post(static_cast<uint32_t>(what), now);
        },
        this,
        message);
}

void
WeftCollective::Post(uint32_t message, int64_t now)
{
    const weft_message& m = m_messages[message];
    const uint32_t level = GetLevel(m);
    NS_LOG_LOGIC("message " << message << " of group " << m.group << " step " << m.step
                            << " is posted");
    m_times[message].posted = now;
    if (!PlannerOf(m).IsActive())
    {
        m_fabric->PostNow(m_connections[m.qp]->GetQp(0), m.bytes, message);
        return;
    }
    const std::lock_guard<std::recursive_mutex> lock(m_mutex);
    std::vector<WeftPost>& together = m_together[{m.src, level}];
    if (together.empty())
    {
        m_fabric->GetTicks().CallAt(
            m.src,
            now,
            WEFT_NET_PLAN,
            level,
            [](void* of, uint64_t what, int64_t at) {
                static_cast<WeftCollective*>(of)->PostTogether(static_cast<uint32_t>(what >> 32),
                                                               static_cast<uint32_t>(what),
                                                               at);
            },
            this,
            uint64_t{m.src} << 32 | level);
    }
    together.push_back({m_connections[m.qp], m.bytes, message});
}

void
WeftCollective::PostTogether(uint32_t host, uint32_t level, int64_t now)
{
    std::unique_lock<std::recursive_mutex> lock(m_mutex);
    const std::vector<WeftPost> posts = std::exchange(m_together[{host, level}], {});
    lock.unlock();
    m_fabric->GetServiceLevel(level)->planner.Post(host, posts, now);
}

uint32_t
WeftCollective::GetLevel(const weft_message& m) const
{
    return m.sl ? m.sl : m_level;
}

const WeftPlanner&
WeftCollective::PlannerOf(const weft_message& m) const
{
    return m_fabric->GetServiceLevel(GetLevel(m))->planner;
}

void
WeftCollective::MessageDelivered(const WeftQp& /* qp */, uint64_t tag)
{
    const std::lock_guard<std::recursive_mutex> lock(m_mutex);
    const auto message = static_cast<uint32_t>(tag);
    const int64_t now = m_fabric->GetTime();
    if (m_fabric->IsTimely()) // else it was before a sink was connected
    {
        m_deliveredTrace(message, TimeStep(static_cast<uint64_t>(now)));
    }
    Tell(message, false, now);
    Note({now, message, DELIVERED});
}

void
WeftCollective::Count(uint32_t message, int64_t at)
{
    Times& t = m_times[message];
    t.ready = std::max(t.ready, at);
    if (--m_messages[message].waits == 0)
    {
        Release(message, t.ready);
    }
}

void
WeftCollective::Tell(uint32_t message, bool sender, int64_t at)
{
    const weft_message& m = m_messages[message];
    for (uint32_t i = 0; i < m.nnext; i++)
    {
        const uint32_t next = m_successors[m.first_next + i];
        if ((m_messages[next].src == m.src) == sender)
        {
            Count(next, at);
        }
    }
}

void
WeftCollective::MessageAcked(const WeftQp& /* qp */, uint64_t tag)
{
    const std::lock_guard<std::recursive_mutex> lock(m_mutex);
    const auto message = static_cast<uint32_t>(tag);
    const int64_t now = m_fabric->GetTime();
    Tell(message, true, now);
    Note({now, message, ACKED});
}

void
WeftCollective::MessageFailed(const WeftQp& /* qp */, uint64_t tag)
{
    const std::lock_guard<std::recursive_mutex> lock(m_mutex);
    Note({m_fabric->GetTime(), static_cast<uint32_t>(tag), FAILED});
}

void
WeftCollective::NoteFailed(uint32_t message, int64_t now)
{
    const weft_message& m = m_messages[message];
    Times& t = m_times[message];
    NS_LOG_WARN("message " << message << " is given up");
    t.failed = true;
    m_failed++;
    // The sender hears no more of the message by itself: it asks the receiver.
    t.asked = now + GetWay(m.src, m.dst);
    if (t.delivered < 0)
    {
        SetLost(message, true);
    }
    else
    {
        TellGivenUp(message);
    }
    CheckDone(now);
}

void
WeftCollective::EndInStep(uint32_t message, int64_t at)
{
    if (m_steps.empty())
    {
        return;
    }
    const weft_message& m = m_messages[message];
    // Hosts tell in any order within a window.
    Step& step = StepOf(m);
    step.last = std::max(step.last, at);
    if (--step.left == 0)
    {
        NS_LOG_INFO("group " << m.group << " has done step " << m.step);
        m_released = true;
        ForEachBehind(m, [this, &step](uint32_t next) {
            if (IsHere(m_messages[next].src))
            {
                Count(next, step.last + m_news);
            }
        });
    }
}

void
WeftCollective::SetLost(uint32_t message, bool lost)
{
    lost ? m_undelivered++ : m_undelivered--;
    m_lostWaits.resize(m_messages.size());
    std::vector<uint32_t> left{message};
    while (!left.empty())
    {
        const weft_message& m = m_messages[left.back()];
        left.pop_back();
        for (uint32_t i = 0; i < m.nnext; i++)
        {
            SetLostWait(m_successors[m.first_next + i], lost, left);
        }
        if (!m_steps.empty())
        {
            Step& step = StepOf(m);
            const bool could = step.lost == 0;
            lost ? step.lost++ : step.lost--;
            if (could != (step.lost == 0))
            {
                ForEachBehind(m, [&](uint32_t next) { SetLostWait(next, lost, left); });
            }
        }
    }
}

void
WeftCollective::SetLostWait(uint32_t message, bool lost, std::vector<uint32_t>& changed)
{
    const bool could = m_lostWaits[message] == 0;
    lost ? m_lostWaits[message]++ : m_lostWaits[message]--;
    if (could != (m_lostWaits[message] == 0))
    {
        lost ? m_unstarted++ : m_unstarted--;
        changed.push_back(message);
    }
}

void
WeftCollective::CheckDone(int64_t at)
{
    m_doneAt = std::max(m_doneAt, at);
    if (AreAllDone() && !m_tellsDone)
    {
        m_tellsDone = true;
        // At the same time whoever reads or watches meanwhile.
        const int64_t border = m_fabric->GetTicks().GetBorder(m_doneAt);
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
    if (AreAllDone())
    {
        NS_LOG_INFO("all is done: " << m_acked << " messages acknowledged, " << m_failed
                                    << " given up, " << m_unstarted << " never started");
        m_doneTrace();
    }
}

Time
WeftCollective::GetCompletionTime() const
{
    Sync();
    return TimeStep(static_cast<uint64_t>(m_lastDelivery));
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
