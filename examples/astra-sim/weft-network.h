// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Network back-end of ASTRA-sim: what its ranks send goes over a fabric of Weft. See README.md.
 */
#ifndef WEFT_NETWORK_H
#define WEFT_NETWORK_H

#include "ns3/nstime.h"
#include "ns3/weft-fabric.h"

#include <astra-sim/common/AstraNetworkAPI.hh>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

/**
 * Network of a rank. A send meets the receive of the same ranks, tag and size; of several such, the
 * first meets the first. A receive ends when the last byte is there, a send when the receiver has
 * acknowledged it. What a rank sends to another one goes over one connection, in order.
 */
class WeftNetwork final : public AstraSim::AstraNetworkAPI, private ns3::WeftMessageListener
{
  public:
    using Handler = void (*)(void*); //!< function of ASTRA-sim that is called when a time has come

    /** Networks of all ranks of a job. */
    using Job = std::vector<std::unique_ptr<WeftNetwork>>;

    /** Makes the networks of a job, which ends the simulation when all of its ranks have finished.
     * @param fabric a fabric that has been built @param hosts where each rank is @return them, by
     * rank */
    static std::unique_ptr<Job> Make(ns3::Ptr<ns3::WeftFabric> fabric,
                                     const std::vector<uint32_t>& hosts);
    /** @param job its networks @return a line for each rank that has not finished: what it waits
     * for; empty if all have */
    static std::string GetStuck(const Job& job);

    // From AstraNetworkAPI
    int sim_send(void* buffer,
                 uint64_t count,
                 int type,
                 int dst,
                 int tag,
                 AstraSim::sim_request* request,
                 Handler msg_handler,
                 void* fun_arg) override;
    int sim_recv(void* buffer,
                 uint64_t count,
                 int type,
                 int src,
                 int tag,
                 AstraSim::sim_request* request,
                 Handler msg_handler,
                 void* fun_arg) override;
    void sim_schedule(AstraSim::timespec_t delta, Handler fun_ptr, void* fun_arg) override;
    AstraSim::timespec_t sim_get_time() override;
    BackendType get_backend_type() override;
    double get_BW_at_dimension(int dim) override;
    void sim_notify_finished() override;

  private:
    /** Sending or receiving rank, tag and bytes. */
    using Key = std::tuple<int, int, uint64_t>;

    /** Call that ASTRA-sim waits for. */
    struct Call
    {
        Handler handler; //!< function
        void* arg;       //!< its argument
    };

    /** Message under way. */
    struct Sent
    {
        Key key;   //!< receiving rank, tag, bytes
        Call call; //!< when it is acknowledged
    };

    WeftNetwork(int of, uint32_t host, ns3::Ptr<ns3::WeftFabric> fabric, Job* job);

    // From WeftMessageListener
    void MessageDelivered(const ns3::WeftQp& qp, uint64_t number) override;
    void MessageAcked(const ns3::WeftQp& qp, uint64_t number) override;
    void MessageFailed(const ns3::WeftQp& qp, uint64_t number) override;

    /** A message is here. @param key sending rank, tag, bytes */
    void Arrive(const Key& key);
    /** @return who waits for what at this rank, in a line */
    std::string DescribeWaits() const;
    /** Ends the program if there is no such rank. @param other a rank @param what names the call */
    void RequireOther(int other, const char* what) const;

    ns3::Ptr<ns3::WeftFabric> m_fabric;        //!< what it sends over
    Job* m_job;                                //!< networks of all ranks
    uint32_t m_host;                           //!< where the rank is
    std::map<int, ns3::WeftConnection*> m_to;  //!< by receiving rank
    std::map<uint64_t, Sent> m_sent;           //!< messages that are not acknowledged
    uint64_t m_nsent{0};                       //!< messages so far
    std::map<Key, std::deque<Call>> m_waiting; //!< receives without a message, in order
    std::map<Key, uint64_t> m_arrived;         //!< messages without a receive
    bool m_finished{false};                    //!< its workload
};

#endif // WEFT_NETWORK_H
