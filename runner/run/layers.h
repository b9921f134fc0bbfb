/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file layers.h  The queueing layers of a fabric: their queues and their loads. */
#ifndef WEFT_RUNNER_LAYERS_H
#define WEFT_RUNNER_LAYERS_H

#include "results.h"

#include "ns3/weft-fabric.h"

#include <vector>

/** Ports that a packet meets in the same place of its way: up from the ToRs, down from the cores...
 */
class LayerMeter
{
  public:
    /** @param fabric a fabric that has been built */
    explicit LayerMeter(ns3::Ptr<ns3::WeftFabric> fabric);

    /**
     * Looks at all queues.
     * @param counts whether they enter the means
     * @return what queues.csv says of them
     */
    queue_sample Sample(bool counts);

    /** Looks at all queues and at what was sent since the last look. @param now ps @param interval
     * since then, ps @param rows gets one per layer, in the order in which packets meet them */
    void SampleBalance(int64_t now, int64_t interval, std::vector<balance_sample> &rows);

    /** @return one row per layer, in the order in which packets meet them */
    std::vector<layer_result> Collect() const;

  private:
    /** @param map of a switch @param up whether its up ports are meant @return number of the layer
     */
    size_t GetLayer(const weft_switch_map &map, bool up) const;
    /** @param index of a switch @return its place in the fabric */
    weft_switch_map GetMap(uint32_t index) const;
    /** @param index of a switch @param port of it @return bytes that it has sent */
    uint64_t GetSent(uint32_t index, uint32_t port) const;

    ns3::Ptr<ns3::WeftFabric> m_fabric;
    uint32_t m_tiers;
    uint64_t m_samples{0};
    std::vector<uint64_t> m_sent; //!< by each port of all switches, up to the last look
    std::vector<double> m_queued; //!< bytes in the queues of each layer, over all samples
};

#endif
