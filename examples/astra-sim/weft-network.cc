// SPDX-License-Identifier: GPL-2.0-only
#include "weft-network.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace ns3;

namespace
{

/** @param unit of ASTRA-sim @return picoseconds of it */
long double
GetPicoseconds(AstraSim::time_type_e unit)
{
    switch (unit)
    {
    case AstraSim::SE:
        return 1e12L;
    case AstraSim::MS:
        return 1e9L;
    case AstraSim::US:
        return 1e6L;
    case AstraSim::NS:
        return 1e3L;
    default:
        return 1e-3L;
    }
}

/** @param key sending rank, tag, bytes @return the same, to be read */
std::string
Describe(const std::tuple<int, int, uint64_t>& key)
{
    const auto& [src, tag, bytes] = key;
    std::ostringstream text;
    text << bytes << " bytes from rank " << src << " with tag " << tag;
    return text.str();
}

} // namespace

WeftNetwork::WeftNetwork(int of, uint32_t host, Ptr<WeftFabric> fabric, Job* job)
    : AstraNetworkAPI(of),
      m_fabric(fabric),
      m_job(job),
      m_host(host)
{
}

std::unique_ptr<WeftNetwork::Job>
WeftNetwork::Make(Ptr<WeftFabric> fabric, const std::vector<uint32_t>& hosts)
{
    auto job = std::make_unique<Job>();
    std::map<uint32_t, int> rankAt;
    for (const uint32_t host : hosts)
    {
        const auto rank = static_cast<int>(job->size());
        NS_ABORT_MSG_IF(host >= fabric->GetNHosts(),
                        "rank " << rank << " is at host " << host << "; expected one below "
                                << fabric->GetNHosts());
        const auto [at, alone] = rankAt.insert({host, rank});
        NS_ABORT_MSG_UNLESS(alone,
                            "ranks " << at->second << " and " << rank << " are at host " << host
                                     << "; expected a host for each");
        job->emplace_back(new WeftNetwork(rank, host, fabric, job.get()));
    }
    return job;
}

std::string
WeftNetwork::DescribeWaits() const
{
    std::ostringstream text;
    text << "rank " << rank << " has not finished: ";
    size_t n = 0;
    for (const auto& waiting : m_waiting)
    {
        n += waiting.second.size();
    }
    if (n)
    {
        text << n << (n == 1 ? " receive waits" : " receives wait") << ", such as for "
             << Describe(m_waiting.begin()->first) << "; ";
    }
    n = 0;
    for (const auto& arrived : m_arrived)
    {
        n += arrived.second;
    }
    if (n)
    {
        text << n
             << (n == 1 ? " message waits for its receive" : " messages wait for their receives")
             << ", such as " << Describe(m_arrived.begin()->first) << "; ";
    }
    text << m_sent.size() << " of its own are under way\n";
    return text.str();
}

std::string
WeftNetwork::GetStuck(const Job& job)
{
    std::string text;
    for (const auto& network : job)
    {
        text += network->m_finished ? "" : network->DescribeWaits();
    }
    return text;
}

void
WeftNetwork::RequireOther(int other, const char* what) const
{
    NS_ABORT_MSG_IF(other < 0 || static_cast<size_t>(other) >= m_job->size() || other == rank,
                    "rank " << rank << " " << what << " rank " << other
                            << "; expected another one below " << m_job->size());
}

int
WeftNetwork::sim_send(void* /* buffer */,
                      uint64_t count,
                      int /* type */,
                      int dst,
                      int tag,
                      AstraSim::sim_request* /* request */,
                      Handler msg_handler,
                      void* fun_arg)
{
    RequireOther(dst, "sends to");
    WeftConnection*& to = m_to[dst];
    if (!to)
    {
        to = m_fabric->Connect(m_host, (*m_job)[dst]->m_host, this);
    }
    m_sent[m_nsent] = {{dst, tag, count}, {msg_handler, fun_arg}};
    m_fabric->PostMessages(m_host, {{to, std::max<uint64_t>(count, 1), m_nsent++}});
    return 0;
}

int
WeftNetwork::sim_recv(void* /* buffer */,
                      uint64_t count,
                      int /* type */,
                      int src,
                      int tag,
                      AstraSim::sim_request* /* request */,
                      Handler msg_handler,
                      void* fun_arg)
{
    RequireOther(src, "receives from");
    const Key key{src, tag, count};
    const auto arrived = m_arrived.find(key);
    if (arrived == m_arrived.end())
    {
        m_waiting[key].push_back({msg_handler, fun_arg});
        return 0;
    }
    if (--arrived->second == 0)
    {
        m_arrived.erase(arrived);
    }
    Simulator::ScheduleNow(msg_handler, fun_arg);
    return 0;
}

void
WeftNetwork::Arrive(const Key& key)
{
    const auto waiting = m_waiting.find(key);
    if (waiting == m_waiting.end())
    {
        m_arrived[key]++;
        return;
    }
    const Call call = waiting->second.front();
    waiting->second.pop_front();
    if (waiting->second.empty())
    {
        m_waiting.erase(waiting);
    }
    call.handler(call.arg);
}

void
WeftNetwork::MessageDelivered(const WeftQp& /* qp */, uint64_t number)
{
    const auto [dst, tag, bytes] = m_sent.at(number).key;
    (*m_job)[dst]->Arrive({rank, tag, bytes});
}

void
WeftNetwork::MessageAcked(const WeftQp& /* qp */, uint64_t number)
{
    const Call call = m_sent.at(number).call;
    m_sent.erase(number);
    call.handler(call.arg);
}

void
WeftNetwork::MessageFailed(const WeftQp& /* qp */, uint64_t number)
{
    const auto [dst, tag, bytes] = m_sent.at(number).key;
    NS_ABORT_MSG("rank " << rank << " gives up sending " << bytes << " bytes to rank " << dst
                         << " with tag " << tag << ": its NIC has reached the retry limit");
}

void
WeftNetwork::sim_schedule(AstraSim::timespec_t delta, Handler fun_ptr, void* fun_arg)
{
    const long double ps = delta.time_val * GetPicoseconds(delta.time_res);
    Simulator::Schedule(PicoSeconds(std::llround(ps)), fun_ptr, fun_arg);
}

AstraSim::timespec_t
WeftNetwork::sim_get_time()
{
    return {AstraSim::NS, Simulator::Now().GetPicoSeconds() / 1e3L};
}

AstraSim::AstraNetworkAPI::BackendType
WeftNetwork::get_backend_type()
{
    return BackendType::NS3;
}

double
WeftNetwork::get_BW_at_dimension(int /* dim */)
{
    return static_cast<double>(weft_planes_host_rate(&m_fabric->GetClos())) / 8e9;
}

void
WeftNetwork::sim_notify_finished()
{
    m_finished = true;
    if (std::all_of(m_job->begin(), m_job->end(), [](const auto& n) { return n->m_finished; }))
    {
        Simulator::Stop();
    }
}
