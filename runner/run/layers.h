/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file layers.h  The queueing layers of a fabric: their queues and their loads. */
#ifndef WEFT_RUNNER_LAYERS_H
#define WEFT_RUNNER_LAYERS_H

#include "results.h"

#include "ns3/weft-fabric.h"
#include "ns3/weft-switch.h"

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
    /** @param sw a switch @param up whether its up ports are meant @return number of the layer */
    size_t GetLayer(const ns3::WeftSwitch &sw, bool up) const;

    ns3::Ptr<ns3::WeftFabric> m_fabric;
    uint32_t m_tiers;
    uint64_t m_samples{0};
    std::vector<uint64_t> m_sent; //!< by each port of all switches, up to the last look
    std::vector<double> m_queued; //!< bytes in the queues of each layer, over all samples
};

#endif
