/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "simulate.h"
#include "collect.h"
#include "completion.h"
#include "fabric-setup.h"
#include "link-failures.h"
#include "mpi-ranks.h"
#include "samples.h"
#include "scenario.h"

#include "ns3/config.h"
#include "ns3/event-id.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"
#include "ns3/weft-helper.h"
#include "ns3/weft-nic.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t PROGRESS_INTERVAL = INT64_C(20000000); //!< ps between two progress reports

/** @return the sentence for a name or value that ns-3 does not take */
std::string
Rejected(const char* what, const attribute_default& d)
{
    return "line " + std::to_string(d.line) + ": ns-3 has no " + what + " '" + d.name +
           "' that takes '" + d.value + "'";
}

/** Other ranks would wait for one that is at its end. @param error why it is */
void
EndAll(const std::string& error)
{
    if (ranks_get())
    {
        ranks_abort(error.c_str());
    }
}

/** Run: builds it, samples it, collects what it measured. */
class Run
{
  public:
    Run(const scenario& s, unsigned threads, progress_fn progress, void* user)
        : m_s(s),
          m_threads(threads),
          m_progress(progress),
          m_user(user)
    {
    }

    bool Build(std::string& error);
    bool Go(std::string& error);

    /** @return whether messages were left when it ended */
    bool IsCut() const
    {
        return m_cut;
    }

    std::string DescribeCut(const run_results& r) const;
    void Collect(run_results* out);

  private:
    bool ApplyDefaults(std::string& error);
    void Report();
    void EndTraffic();
    void ScheduleWindow();
    void CollectFlows(run_results* out);
    qp_result CollectQp(const WeftQp* qp) const;
    void CollectQps(run_results* out, run_summary& sum);
    void CollectCuts();
    double GetGoodput(const WeftQp* qp) const;
    int64_t GetEnd() const;

    const scenario& m_s;
    unsigned m_threads;
    progress_fn m_progress;
    void* m_user;
    Ptr<WeftFabric> m_fabric;
    Ptr<WeftCollective> m_work;
    std::vector<link_fault> m_failures;
    std::unique_ptr<Sampler> m_sampler;
    std::vector<uint64_t> m_cuts; //!< by QP: of its congestion control, which is the sender's
    uint64_t m_totalBytes{0};
    WeftCounters m_counters{};  //!< when it ended
    int64_t m_done{WEFT_NEVER}; //!< nothing that comes later changes a result
    fct_window m_window{};      //!< whose messages fct_* are of
    EventId m_limit;
    EventId m_begin; //!< of the window
    EventId m_end;   //!< of the window
    bool m_cut{false};
};

bool
Run::ApplyDefaults(std::string& error)
{
    if (Time::GetResolution() != Time::PS) // it is set once in a process
    {
        Time::SetResolution(Time::PS);
    }
    WeftHelper::UsePicoseconds();
    for (size_t i = 0; i < m_s.nglobals; i++)
    {
        const attribute_default& g = m_s.globals[i];
        if (!GlobalValue::BindFailSafe(g.name, StringValue(g.value)))
        {
            error = Rejected("global value", g);
            return false;
        }
    }
    for (size_t i = 0; i < m_s.ndefaults; i++)
    {
        const attribute_default& d = m_s.defaults[i];
        if (!Config::SetDefaultFailSafe(d.name, StringValue(d.value)))
        {
            error = Rejected("attribute", d);
            return false;
        }
    }
    return true;
}

bool
Run::Build(std::string& error)
{
    if (!ApplyDefaults(error))
    {
        return false;
    }
    m_fabric = BuildFabric(m_s, m_threads, ranks_get(), m_failures, error);
    if (!m_fabric)
    {
        return false;
    }
    m_work = CreateObject<WeftCollective>();
    m_work->SetWorkload(m_s.workload.algo, m_s.workload.config);
    if (!m_work->Install(m_fabric, error))
    {
        return false;
    }
    m_work->TraceConnectWithoutContext("Done", MakeCallback(&Run::EndTraffic, this));
    m_totalBytes = m_work->GetTotalBytes();
    m_sampler = std::make_unique<Sampler>(m_s.measure, m_fabric, m_work);
    m_sampler->Start();
    if (m_progress || ranks_get()) // all ranks have the same events
    {
        Simulator::Schedule(TimeStep(PROGRESS_INTERVAL), &Run::Report, this);
    }
    ScheduleWindow();
    return true;
}

void
Run::Report()
{
    run_progress p{};
    p.done =
        static_cast<double>(m_fabric->GetCounters().payload) / static_cast<double>(m_totalBytes);
    p.now = WeftNow();
    p.delivered = m_work->GetNAcked();
    p.messages = m_work->GetMessages().size();
    if (m_progress)
    {
        m_progress(m_user, &p);
    }
    if (!m_work->IsDone())
    {
        Simulator::Schedule(TimeStep(PROGRESS_INTERVAL), &Run::Report, this);
    }
}

void
Run::ScheduleWindow()
{
    const std::vector<weft_message>& messages = m_work->GetMessages();
    const measurements& measure = m_s.measure;
    const int64_t first = weft_first_start(messages.data(), messages.size());
    m_window = {first + measure.warm_up, WEFT_NEVER, 0, UINT64_MAX};
    if (measure.warm_up > 0)
    {
        m_window.before = UINT64_MAX;
        m_begin = Simulator::Schedule(TimeStep(uint64_t(m_window.begin)), [this] {
            m_window.before = m_fabric->GetCounters().payload;
        });
    }
    if (measure.window < WEFT_NEVER - m_window.begin)
    {
        m_window.end = m_window.begin + measure.window;
        m_end = Simulator::Schedule(TimeStep(uint64_t(m_window.end)),
                                    [this] { m_window.until = m_fabric->GetCounters().payload; });
    }
}

void
Run::EndTraffic()
{
    // Removed, not cancelled: a cancelled event would still carry the clock to its time.
    Simulator::Remove(m_limit);
    Simulator::Remove(m_begin);
    Simulator::Remove(m_end);
    m_fabric->ForgetFaults();
    m_done = m_work->GetDoneTime();
}

bool
Run::Go(std::string& error)
{
    if (m_s.stop != WEFT_NEVER)
    {
        m_limit = Simulator::Schedule(TimeStep(uint64_t(m_s.stop)), [] { Simulator::Stop(); });
    }
    Simulator::Run();
    if (m_done == WEFT_NEVER && m_work->IsDone())
    {
        EndTraffic(); // it was stopped before it was told
    }
    m_fabric->ReleasePackets(); // rank 0 is to have room for what the others have counted
    m_work->GatherTimes();
    if (!m_fabric->CheckConservation(error))
    {
        error = "conservation is violated: " + error;
        EndAll(error);
        return false;
    }
    m_cut = !m_work->IsDone();
    return error.empty();
}

std::string
Run::DescribeCut(const run_results& r) const
{
    const auto& times = m_work->GetTimes();
    const auto undelivered =
        std::count_if(times.begin(), times.end(), [](const auto& t) { return t.delivered < 0; });
    return std::to_string(undelivered) + " of " + std::to_string(times.size()) +
           " messages were not delivered" +
           (WeftNow() >= m_s.stop ? " at the time limit" : ", and nothing is left to happen") +
           DescribeStuck(m_s, r);
}

void
Run::CollectFlows(run_results* out)
{
    std::vector<flow_result> flows;
    std::vector<group_result> groups(m_work->GetNGroups(), group_result{0, 0, -1, -1});
    for (uint32_t i = 0; i < m_work->GetMessages().size(); i++)
    {
        const weft_message& m = m_work->GetMessages()[i];
        const WeftCollective::Times& t = m_work->GetTimes()[i];
        flow_result f{};
        f.message = i;
        f.qp = m_work->GetConnection(m.qp)->GetQp(0)->index;
        f.src = m.src;
        f.dst = m.dst;
        f.group = m.group;
        f.step = m.step;
        f.bytes = m.bytes;
        f.posted = t.posted;
        f.delivered = t.delivered;
        f.acked = t.acked;
        f.fct = t.delivered < 0 ? -1 : t.delivered - t.posted;
        f.slowdown = fct_slowdown(&m_s, m.src, m.dst, m.bytes, f.fct);
        flows.push_back(f);
        group_result& g = groups[m.group];
        g.group = m.group;
        g.messages++;
        g.delivered = std::max(g.delivered, t.delivered);
        g.acked = std::max(g.acked, t.acked);
    }
    for (const flow_result& f : flows)
    {
        group_result& g = groups[f.group];
        g.delivered = m_cut && f.delivered < 0 ? -1 : g.delivered;
        g.acked = m_cut && f.acked < 0 ? -1 : g.acked;
    }
    ToC(flows, out->flows, out->nflows);
    ToC(groups, out->groups, out->ngroups);
}

void
Run::CollectCuts()
{
    m_cuts.resize(m_fabric->GetNQps());
    for (uint32_t i = 0; i < m_cuts.size(); i++)
    {
        const WeftQp* qp = m_fabric->GetQp(i);
        const bool here = qp && weft_net_is_here(m_fabric->GetNet(), qp->src);
        m_cuts[i] = here && qp->algos->cc->cuts ? qp->algos->cc->cuts(qp->cc) : 0;
    }
    m_fabric->Sum(m_cuts);
}

qp_result
Run::CollectQp(const WeftQp* qp) const
{
    const weft_tx_counters* tx = weft_net_tx_counters(qp);
    const auto active = static_cast<double>(qp->last_sent - qp->first_sent);
    qp_result r{};
    r.qp = qp->index;
    r.src = qp->src;
    r.dst = qp->dst;
    for (size_t i = 0; i < qp->nwqes; i++)
    {
        r.bytes += qp->wqes[i].bytes;
    }
    r.start = qp->first_sent;
    r.delivered = qp->last_delivery;
    r.sent = tx->sent;
    r.resent = tx->resent;
    r.duplicates = qp->duplicates;
    r.out_of_order = qp->out_of_order;
    r.nacks_sent = qp->nacks_sent;
    r.nacks_received = tx->nacks;
    r.cnps_received = qp->cnps;
    r.cuts = m_cuts[qp->index];
    r.timeouts = tx->timeouts;
    r.mean_rate = active > 0 ? qp->rate_time / active : qp->last_rate;
    r.fct = r.delivered < 0 ? -1 : r.delivered - r.start;
    const bool whole = qp->delivered == qp->nwqes;
    r.slowdown = fct_slowdown(&m_s, r.src, r.dst, r.bytes, whole ? r.fct : -1);
    return r;
}

/** @return when the last thing happened that matters, ps: the clock is later, at the end of a
 * window or when a timer has run out that is stale */
int64_t
Run::GetEnd() const
{
    if (m_done != WEFT_NEVER)
    {
        return m_done;
    }
    return WeftNow() >= m_s.stop ? m_s.stop : m_fabric->GetLastTime().GetTimeStep();
}

double
Run::GetGoodput(const WeftQp* qp) const
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < qp->delivered; i++)
    {
        bytes += qp->wqes[i].bytes;
    }
    int64_t end = qp->last_delivery;
    if (m_cut && qp->delivered < qp->nwqes)
    {
        // A message under way counts by what is there in order, until now.
        bytes += (qp->arrived - qp->wqes[qp->delivered].first) *
                 static_cast<uint64_t>(m_fabric->GetFrameConfig().payload);
        end = GetEnd();
    }
    return bytes ? static_cast<double>(bytes) * 8e12 / static_cast<double>(end - qp->first_sent)
                 : 0;
}

void
Run::CollectQps(run_results* out, run_summary& sum)
{
    std::vector<qp_result> qps;
    std::vector<double> goodput;
    double rateTime = 0;
    double time = 0;
    for (uint32_t i = 0; i < m_fabric->GetNQps(); i++)
    {
        const WeftQp* qp = m_fabric->GetQp(i);
        if (!qp)
        {
            continue;
        }
        const qp_result r = CollectQp(qp);
        // A QP of one packet is active for no time at all: a picosecond gives it a voice.
        const auto active =
            static_cast<double>(std::max<int64_t>(qp->last_sent - qp->first_sent, 1));
        rateTime += r.mean_rate * active;
        time += active;
        qps.push_back(r);

        sum.data_sent += r.sent;
        sum.data_resent += r.resent;
        sum.duplicates += r.duplicates;
        sum.out_of_order += r.out_of_order;
        sum.nacks_sent += r.nacks_sent;
        sum.nacks_received += r.nacks_received;
        sum.cnps_received += r.cnps_received;
        sum.cuts += r.cuts;
        sum.timeouts += r.timeouts;
        goodput.push_back(GetGoodput(qp));
    }
    for (const double each : goodput)
    {
        sum.goodput += each / static_cast<double>(goodput.size());
    }
    sum.mean_rate = rateTime / time;
    sum.qps = qps.size();
    ToC(qps, out->qps, out->nqps);
}

void
Run::Collect(run_results* out)
{
    run_summary& sum = out->summary;
    out->ranks = ranks_get() ? ranks_get()->n : 1;
    out->peak_memory = ranks_peak_memory();
    m_counters = m_fabric->GetCounters();
    CollectCuts();
    ToC(CollectTors(m_fabric), out->tors, out->ntors);
    if (m_cut)
    {
        CollectStuck(m_fabric, m_work, out);
    }
    if (ranks_helps())
    {
        return; // rank 0 has it all
    }
    CollectFlows(out);
    CollectQps(out, sum);
    CollectReordering(*m_fabric, out);
    CollectSwitches(m_fabric, sum);
    CollectStateBytes(m_fabric, sum);
    CollectTimes(*out, sum);
    const int64_t end = GetEnd();
    sum.end = std::max(end, sum.cct); // what was given up may still have come
    // By any time that has not come, all was delivered.
    m_window.before = std::min(m_window.before, m_counters.payload);
    m_window.until = std::min(m_window.until, m_counters.payload);
    collect_fct(&m_s, &m_window, out);
    collect_straggler(&m_s, m_cut, out);
    const bool whole = m_work->GetUndelivered() + m_work->GetUnstarted() == 0;
    const std::vector<weft_message>& messages = m_work->GetMessages();
    const int64_t first = weft_first_start(messages.data(), messages.size());
    sum.first_start = first;
    const weft_job job = scenario_job(&m_s);
    const weft_traffic traffic =
        scenario_traffic(&m_s, &job, messages.data(), nullptr, messages.size());
    sum.bound = weft_traffic_bound(&traffic, !whole);
    sum.slowdown = sum.bound > first && sum.cct >= 0
                     ? static_cast<double>(sum.cct - first) / static_cast<double>(sum.bound - first)
                     : std::nan("");
    sum.failed = m_work->GetUndelivered();
    sum.unstarted = m_work->GetUnstarted();
    sum.links_failed = links_failed(m_failures.data(), m_failures.size(), end);
    sum.failures_late = std::count_if(m_failures.begin(),
                                      m_failures.end(),
                                      [end](const link_fault& f) { return f.at > end; });
    for (const link_fault& f : m_failures)
    {
        sum.failures_known += m_s.convergence <= end && f.at <= end - m_s.convergence;
    }
    const WeftCounters& c = m_counters;
    sum.messages = out->nflows;
    sum.dropped_buffer = c.lost[WeftFabric::DROP_BUFFER];
    sum.dropped_link = c.lost[WeftFabric::DROP_LINK];
    sum.dropped_injected = c.lost[WeftFabric::DROP_INJECTED];
    sum.trimmed = c.trimmed;
    sum.packet_hops = c.hops;
    sum.events = Simulator::GetEventCount();
    m_sampler->Collect(out);
    collect_nodes(&m_s, out);
    ToC(CollectTrims(m_fabric), out->trims, out->ntrims);
    double queued = 0;
    double links = 0;
    for (size_t i = 0; i < out->nlayers; i++)
    {
        queued += out->layers[i].queue_mean * out->layers[i].links;
        links += out->layers[i].links;
    }
    sum.queue_mean = queued / links;
    sum.rho_max = m_fabric->GetRhoMax();
    collect_workloads(&m_s, messages.data(), m_work->GetSuccessors().data(), out);
    collect_steps(&m_s, messages.data(), m_work->GetSuccessors().data(), out);
}

/** Simulates. @param s scenario @param threads how many @param results filled unless it fails
 * @param progress called now and then @param user its argument @param error what is wrong, or why
 * it is a part
 * @return how it ended */
simulated
Simulate(const scenario& s,
         unsigned threads,
         run_results* results,
         progress_fn progress,
         void* user,
         std::string& error)
{
    Run run(s, threads, progress, user);
    const bool built = run.Build(error);
    if (ranks_get() && !ranks_agree(built ? "built" : "refused"))
    {
        EndAll(built ? "rank 0 could not build the run" : error);
    }
    if (!built || !run.Go(error))
    {
        return SIMULATED_NOT;
    }
    run.Collect(results);
    if (!run.IsCut())
    {
        return SIMULATED;
    }
    if (s.stop_is_end && WeftNow() >= s.stop)
    {
        error = DescribeCauses(s, *results);
        return SIMULATED;
    }
    error = run.DescribeCut(*results);
    return SIMULATED_PART;
}

} // namespace

simulated
simulate(const scenario* s,
         unsigned threads,
         run_results* results,
         progress_fn progress,
         void* user,
         char* why,
         size_t why_size)
{
    std::memset(results, 0, sizeof *results);
    std::string error;
    simulated how = SIMULATED_NOT;
    try
    {
        how = Simulate(*s, threads, results, progress, user, error);
        Simulator::Destroy();
        if (ranks_get())
        {
            Config::Reset(); // this process has other runs to come
        }
    }
    catch (const std::bad_alloc&)
    {
        error = "out of memory";
        EndAll(error);
    }
    catch (const std::length_error& e)
    {
        error = std::string("out of memory: ") + e.what();
        EndAll(error);
    }
    std::snprintf(why, why_size, "%s", error.c_str());
    return how;
}
