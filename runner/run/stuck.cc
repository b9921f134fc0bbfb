/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * QPs that are not done at the end of a run, and what each waits for.
 */
#include "collect.h"
#include "node-numbers.h"

#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

/** @param fabric the fabric @param qp a QP @return whether forwarding knows a way for its data */
bool
HasRoute(const WeftFabric& fabric, const WeftQp& qp)
{
    const uint32_t tor = weft_clos_tor(&fabric.GetClos(), qp.src);
    weft_switch_map map;
    weft_ports ports;
    weft_clos_switch(&fabric.GetClos(), tor, &map);
    return !fabric.GetFib() || weft_fib_route(fabric.GetFib(), tor, &map, qp.dst, &ports);
}

/** Causes for which a QP waits. */
enum Cause : uint64_t
{
    NO_ROUTE,
    PAUSED,
    WINDOW,
    NO_RTO,
    ACKS_OR_RTO,
    RTO,
    PACING,
    NOTHING,
};

/** Causes in words, by Cause. */
const char* const CAUSES[] = {
    "no route to the destination",
    "NIC paused by PFC",
    "waiting for ACKs: the congestion window is full",
    "waiting for ACKs; there is no RTO",
    "waiting for ACKs or the RTO",
    "waiting for the RTO",
    "paced by congestion control",
    "sending",
};

/** Knowledge of a sender's rank about a QP, a row of words. */
struct Sending
{
    uint64_t inFlight; //!< packets
    double rate;       //!< bit/s
    int64_t until;     //!< when what it waits for is due, ps, or -1
    uint64_t cause;    //!< Cause
};

/** @param qp a QP that is not active @param until gets when that is due @return what it waits for
 */
Cause
WhyQuiet(const WeftQp& qp, int64_t& until)
{
    const weft_transport_ops* transport = qp.algos->transport;
    const weft_cc_ops* cc = qp.algos->cc;
    const int64_t deadline = transport->tx_deadline(qp.tx);
    const uint32_t flight = transport->tx_flight(qp.tx);
    until = deadline == WEFT_NEVER ? -1 : deadline;
    if (cc->window && transport->tx_ready(qp.tx) && flight >= cc->window(qp.cc, WeftNow()))
    {
        return WINDOW;
    }
    if (deadline == WEFT_NEVER)
    {
        return NO_RTO;
    }
    return flight > 0 ? ACKS_OR_RTO : RTO;
}

/** @param fabric the fabric @param qp a QP @param until gets when that is due, or -1 @return what
 * it waits for */
Cause
Why(const WeftFabric& fabric, const WeftQp& qp, int64_t& until)
{
    const Ptr<WeftNic> nic = fabric.GetNic(qp.src);
    until = -1;
    if (!HasRoute(fabric, qp))
    {
        return NO_ROUTE;
    }
    if (nic->GetPort()->IsPaused(qp.algos->tclass))
    {
        return PAUSED;
    }
    if (qp.slot < 0)
    {
        return WhyQuiet(qp, until);
    }
    const int64_t at = nic->GetSendAt(qp);
    if (at > WeftNow() && qp.algos->cc->rate(qp.cc, WeftNow()) < nic->GetPort()->GetRate())
    {
        until = at;
        return PACING;
    }
    return NOTHING;
}

/** @param qp a QP @return whether its sender has something under way, and goes on */
bool
IsUnderWay(const WeftQp& qp)
{
    return qp.acked < qp.nwqes && !qp.given_up;
}

Sending
Look(const WeftFabric& fabric, const WeftQp& qp)
{
    Sending s{};
    s.inFlight = qp.algos->transport->tx_flight(qp.tx);
    s.rate = static_cast<double>(qp.algos->cc->rate(qp.cc, WeftNow()));
    s.cause = Why(fabric, qp, s.until);
    return s;
}

stuck_qp
Describe(const WeftQp& qp, const Sending& sending)
{
    stuck_qp s{};
    s.qp = qp.index;
    s.src = qp.src;
    s.dst = qp.dst;
    s.messages = qp.nwqes;
    s.delivered = qp.delivered;
    s.packets = qp.posted;
    s.acked = qp.una;
    s.in_flight = sending.inFlight;
    s.rate = sending.rate;
    s.until = sending.until;
    s.why = CAUSES[sending.cause];
    return s;
}

/** @param fabric the fabric @return by QP, what senders know, which rank 0 gets of all ranks */
std::vector<Sending>
LookAtAll(const WeftFabric& fabric)
{
    std::vector<Sending> all(fabric.GetNQps());
    for (uint32_t i = 0; i < fabric.GetNQps(); i++)
    {
        const WeftQp* qp = fabric.GetQp(i);
        if (qp && weft_net_is_here(fabric.GetNet(), qp->src) && IsUnderWay(*qp))
        {
            all[i] = Look(fabric, *qp);
        }
    }
    SumRows(fabric, all);
    return all;
}

/** @param of the scenario @param host a host @return "host 1", with its id in the topology's file
 */
std::string
Shown(const scenario& of, uint32_t host)
{
    char* text = node_shown(&of, NODE_HOST, host);
    const std::string shown = text;
    free(text);
    return shown;
}

/** @param of the scenario @param s a QP @return "such as QP 3, host 1 to host 2: ..." */
std::string
Example(const scenario& of, const stuck_qp& s)
{
    const std::string ends = Shown(of, s.src) + " to " + Shown(of, s.dst);
    char text[160];
    int n = std::snprintf(text,
                          sizeof text,
                          "%llu of %llu packets acknowledged, %llu in flight, rate %.4g Gbps",
                          static_cast<unsigned long long>(s.acked),
                          static_cast<unsigned long long>(s.packets),
                          static_cast<unsigned long long>(s.in_flight),
                          s.rate * 1e-9);
    if (s.until >= 0)
    {
        std::snprintf(text + n,
                      sizeof text - static_cast<size_t>(n),
                      ", due at %.6g ms",
                      static_cast<double>(s.until) * 1e-9);
    }
    return "such as QP " + std::to_string(s.qp) + ", " + ends + ": " + text;
}

} // namespace

void
CollectStuck(Ptr<WeftFabric> fabric, Ptr<WeftCollective> work, run_results* out)
{
    std::vector<stuck_qp> stuck;
    const std::vector<Sending> sending = LookAtAll(*fabric);
    for (uint32_t i = 0; i < fabric->GetNQps(); i++)
    {
        const WeftQp* qp = fabric->GetQp(i);
        if (qp && IsUnderWay(*qp))
        {
            stuck.push_back(Describe(*qp, sending[i]));
        }
    }
    for (const auto& t : work->GetTimes())
    {
        out->unposted += t.posted < 0;
    }
    ToC(stuck, out->stuck, out->nstuck);
}

std::string
DescribeCauses(const scenario& s, const run_results& r)
{
    std::map<std::string, std::pair<size_t, size_t>> causes; // how many, and the first
    for (size_t i = 0; i < r.nstuck; i++)
    {
        causes.try_emplace(r.stuck[i].why, 0, i).first->second.first++;
    }
    std::string text;
    const char* separator = "";
    for (const auto& [why, cause] : causes)
    {
        text += separator + std::to_string(cause.first) + " " + why + " (" +
                Example(s, r.stuck[cause.second]) + ")";
        separator = ", ";
    }
    if (r.unposted > 0)
    {
        text += (r.nstuck ? "; " : "") + std::to_string(r.unposted) + " messages have not started";
    }
    return text;
}

std::string
DescribeStuck(const scenario& s, const run_results& r)
{
    return "; " + std::to_string(r.nstuck) +
           (r.nstuck == 1 ? " QP is not done" : " QPs are not done") +
           (r.nstuck + r.unposted > 0 ? ": " : "") + DescribeCauses(s, r);
}
