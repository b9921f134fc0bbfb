/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stuck.h"

#include "to-c.h"

#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

#include <cstdio>
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

/** @param qp a QP that is not active @param until gets when that is due @return what it waits for
 */
const char*
WhyQuiet(const WeftQp& qp, int64_t& until)
{
    const weft_transport_ops* transport = qp.algos->transport;
    const weft_cc_ops* cc = qp.algos->cc;
    const int64_t deadline = transport->tx_deadline(qp.tx);
    const uint32_t flight = transport->tx_flight(qp.tx);
    until = deadline == WEFT_NEVER ? -1 : deadline;
    if (cc->window && transport->tx_ready(qp.tx) && flight >= cc->window(qp.cc, WeftNow()))
    {
        return "waiting for ACKs: the congestion window is full";
    }
    if (deadline == WEFT_NEVER)
    {
        return "waiting for ACKs; there is no RTO";
    }
    return flight > 0 ? "waiting for ACKs or the RTO" : "waiting for the RTO";
}

/** @param fabric the fabric @param qp a QP @param until gets when that is due, or -1 @return what
 * it waits for */
const char*
Why(const WeftFabric& fabric, const WeftQp& qp, int64_t& until)
{
    const Ptr<WeftNic> nic = fabric.GetNic(qp.src);
    until = -1;
    if (!HasRoute(fabric, qp))
    {
        return "no route to the destination";
    }
    if (nic->GetPort()->IsPaused(qp.algos->tclass))
    {
        return "NIC paused by PFC";
    }
    if (qp.slot < 0)
    {
        return WhyQuiet(qp, until);
    }
    const int64_t at = nic->GetSendAt(qp);
    if (at > WeftNow() && qp.algos->cc->rate(qp.cc, WeftNow()) < nic->GetPort()->GetRate())
    {
        until = at;
        return "paced by congestion control";
    }
    return "sending";
}

stuck_qp
Describe(const WeftFabric& fabric, const WeftQp& qp)
{
    stuck_qp s{};
    s.qp = qp.index;
    s.src = qp.src;
    s.dst = qp.dst;
    s.messages = qp.nwqes;
    s.delivered = qp.delivered;
    s.packets = qp.posted;
    s.acked = qp.una;
    s.in_flight = qp.algos->transport->tx_flight(qp.tx);
    s.rate = static_cast<double>(qp.algos->cc->rate(qp.cc, WeftNow()));
    s.why = Why(fabric, qp, s.until);
    return s;
}

/** @param s a QP @return "such as QP 3, host 1 to host 2: ..." */
std::string
Example(const stuck_qp& s)
{
    char text[240];
    int n = std::snprintf(text,
                          sizeof text,
                          "such as QP %u, host %u to host %u: %llu of %llu packets acknowledged, "
                          "%llu in flight, rate %.4g Gbps",
                          s.qp,
                          s.src,
                          s.dst,
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
    return text;
}

} // namespace

void
CollectStuck(Ptr<WeftFabric> fabric, Ptr<WeftCollective> work, run_results* out)
{
    std::vector<stuck_qp> stuck;
    for (uint32_t i = 0; i < fabric->GetNQps(); i++)
    {
        const WeftQp* qp = fabric->GetQp(i);
        if (qp && qp->acked < qp->nwqes && !qp->given_up)
        {
            stuck.push_back(Describe(*fabric, *qp));
        }
    }
    for (const auto& t : work->GetTimes())
    {
        out->unposted += t.posted < 0;
    }
    ToC(stuck, out->stuck, out->nstuck);
}

std::string
DescribeCauses(const run_results& r)
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
                Example(r.stuck[cause.second]) + ")";
        separator = ", ";
    }
    if (r.unposted > 0)
    {
        text += (r.nstuck ? "; " : "") + std::to_string(r.unposted) + " messages have not started";
    }
    return text;
}

std::string
DescribeStuck(const run_results& r)
{
    return "; " + std::to_string(r.nstuck) +
           (r.nstuck == 1 ? " QP is not done" : " QPs are not done") +
           (r.nstuck + r.unposted > 0 ? ": " : "") + DescribeCauses(r);
}
