/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SWITCH_H
#define NS3_WEFT_SWITCH_H

#include "weft-net-device.h"

#include <cstdint>
#include <vector>
#include <weft/clos.h>
#include <weft/lb.h>
#include <weft/mmu.h>
#include <weft/net.h>
#include <weft/tor.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief A shared-buffer switch: one device with all its ports, as ns-3's bridge has.
 *
 * What it does is the core's; this is what a program sees of it.
 */
class WeftSwitch final : public WeftNetDevice
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftSwitch();
    ~WeftSwitch() override;

    /** @param fabric the fabric @param index its number among the switches */
    void Setup(Ptr<WeftFabric> fabric, uint32_t index);

    /** @param index port number @return the port */
    const WeftPort* GetPort(uint32_t index) const
    {
        return &m_ports[index];
    }

    /** @return number of ports */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /** @return number of its ports that lead down; they come first */
    uint32_t GetNDownPorts() const
    {
        return m_map.first_up;
    }

    /** @return 0 for a ToR, 1 for a spine or aggregation, 2 for a core */
    uint32_t GetTier() const
    {
        return m_map.tier;
    }

    /** @return its number in the fabric */
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /** @return the shared buffer, its queue lengths and counters; looking changes nothing */
    const weft_mmu& GetBuffer() const;
    /** @return what ToR middleware did here */
    const weft_tor_counters& GetTorCounters() const;
    /** @return the longest queue that a port ever had, bytes */
    uint32_t GetPeakQueue() const;
    /** @param up whether of the up ports @return the longest queue that one of them ever had, bytes
     */
    uint32_t GetPeakQueue(bool up) const;
    /** @param up whether of the up ports @return ECN marks on what left by them */
    uint64_t GetMarks(bool up) const;
    /** @return what the balancer keeps here */
    void* GetBalancerState() const;
    /** @param sum gets what the balancer has counted here added */
    void AddCounters(weft_lb_counters& sum) const;

    /** @name What the core tells of @{ */
    void TellLost(const weft_packet& p, weft_net_loss why); //!< @param p a frame @param why reason
    void TellMarked(const weft_packet& p);                  //!< @param p a frame
    void TellQueued(const weft_packet& p, uint32_t port);   //!< @param p a frame @param port where
    void TellLeaving(const weft_packet& p, uint32_t port);  //!< @param p a frame @param port where
    void TellTrimmed(const weft_packet& p);                 //!< @param p a frame
    /** @param port that sends a PFC frame @param tclass class @param pause pause or resume */
    void TellPaused(uint32_t port, uint32_t tclass, bool pause);
    /** A balancer has chosen. @param p for which frame @param out the port @param n of how many */
    void TellPicked(const weft_packet& p, uint32_t out, uint32_t n) const;
    /** @} */

    /** Signature of the "Pause" trace. @param port where @param tclass class @param pause pause or
     * resume */
    typedef void (*PauseTracedCallback)(uint32_t port, uint32_t tclass, bool pause);

  protected:
    void DoDispose() override;

  private:
    uint32_t m_index{0};                                             //!< number
    weft_switch_map m_map{};                                         //!< its place in the fabric
    std::vector<WeftPort> m_ports;                                   //!< by number
    TracedCallback<const weft_packet&> m_dropTrace;                  //!< "Drop"
    TracedCallback<const weft_packet&> m_markTrace;                  //!< "Mark"
    TracedCallback<const weft_packet&> m_trimTrace;                  //!< "Trim"
    TracedCallback<const weft_packet&> m_blockTrace;                 //!< "NackBlocked"
    TracedCallback<const weft_packet&, uint32_t> m_enqueueTrace;     //!< "Enqueue"
    TracedCallback<const weft_packet&, uint32_t> m_dequeueTrace;     //!< "Dequeue"
    TracedCallback<const weft_packet&, uint32_t> m_txEndTrace;       //!< "TxEnd"
    TracedCallback<const weft_packet&, weft_net_loss> m_rxDropTrace; //!< "RxDrop"
    TracedCallback<uint32_t, uint32_t, bool> m_pauseTrace;           //!< "Pause"
};

} // namespace ns3

#endif /* NS3_WEFT_SWITCH_H */
