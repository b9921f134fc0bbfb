/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file samples.h Samples that <measure> takes while a run goes on. */
#ifndef WEFT_RUNNER_SAMPLES_H
#define WEFT_RUNNER_SAMPLES_H

#include "results.h"
#include "scenario.h"

#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"

#include <vector>

/** Samples QPs, ports and queues until the workload is done. */
class Sampler
{
  public:
    /** @param measure what is sampled, and how often; outlives this @param fabric a fabric that has
     * been built @param work what runs on it */
    Sampler(const measurements &measure, ns3::Ptr<ns3::WeftFabric> fabric,
            ns3::Ptr<ns3::WeftCollective> work);

    /** Takes the first sample an interval from now, if anything is to be sampled. */
    void Start();

    /** @param out gets the samples and the layers */
    void Collect(run_results *out) const;

  private:
    /** A QP's counters at the last sample. */
    struct Last
    {
        uint64_t sent{0};
        uint64_t resent{0};
        uint64_t bytes{0};
        double rateTime{0};
    };

    /** Takes a sample, and the next one in an interval. */
    void Sample();
    /** Reads all that is sampled. @param now ps */
    void SampleAll(int64_t now);
    /** @param now ps */
    void SampleQps(int64_t now);
    /** @param qp a QP @param last its counters at the last sample; updated @param now ps
     * @return the sample, but for the congestion control's rate */
    qp_sample SampleQp(const ns3::WeftQp *qp, Last &last, int64_t now) const;
    /** @param now ps */
    void SamplePorts(int64_t now);
    /** Looks at all queues; they enter the means while the workload runs. @param now ps */
    void SampleQueues(int64_t now);
    /** Looks at all queues and at what was sent since the last look: a row per layer, in the order
     * in which packets meet them. @param now ps */
    void SampleBalance(int64_t now);
    /** @return one row per layer, likewise */
    std::vector<layer_result> CollectLayers() const;
    /** @param map of a switch @param up whether its up ports are meant @return number of the layer
     */
    size_t GetLayer(const weft_switch_map &map, bool up) const;
    /** @param index of a switch @return its place in the fabric */
    weft_switch_map GetMap(uint32_t index) const;
    /** @param index of a switch @param port of it @return bytes that it has sent */
    uint64_t GetSent(uint32_t index, uint32_t port) const;
    /** The next sample is due. */
    void Schedule();

    const measurements &m_measure;
    ns3::Ptr<ns3::WeftFabric> m_fabric;
    ns3::Ptr<ns3::WeftCollective> m_work;
    std::vector<Last> m_last;
    std::vector<qp_sample> m_samples;
    std::vector<uint64_t> m_portBytes; //!< sent by each port up to the last sample
    std::vector<port_sample> m_ports;
    std::vector<queue_sample> m_queues;
    std::vector<balance_sample> m_balance;
    uint32_t m_tiers;
    uint64_t m_queueSamples{0};
    std::vector<uint64_t> m_sent; //!< by each port of all switches, up to the last look
    std::vector<double> m_queued; //!< bytes in the queues of each layer, over all samples
};

#endif
