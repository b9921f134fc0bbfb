/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SWITCH_H
#define NS3_WEFT_SWITCH_H

#include "weft-net-device.h"
#include "weft-port.h"
#include "weft-receiver.h"

#include <memory>
#include <vector>
#include <weft/clos.h>
#include <weft/lb.h>
#include <weft/mmu.h>
#include <weft/rng.h>
#include <weft/tor.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief A shared-buffer switch: one device with all its ports, as ns-3's bridge has.
 *
 * Ingress: ToR middleware (NACKs from NICs), forwarding, balancer, buffer admission with PFC and
 * ECN. Egress: per-class queues of the WeftPort. The decisions are the core's; this class wires
 * them.
 */
class WeftSwitch final : public WeftNetDevice, public WeftReceiver
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftSwitch();
    ~WeftSwitch() override;

    /**
     * Sets the switch up.
     * @param fabric the fabric
     * @param index its number in the fabric
     * @return 0, or the balancer's WEFT_E... if it cannot work here
     */
    int Setup(Ptr<WeftFabric> fabric, uint32_t index);

    /** @return why the balancer made Setup() fail, in words, or nullptr if that is unknown */
    const char* GetRefusal() const
    {
        return m_lbState && m_lb->refusal ? m_lb->refusal(m_lbState) : nullptr;
    }

    /** @param index port number @return the port */
    WeftPort* GetPort(uint32_t index) const
    {
        return m_ports[index];
    }

    /** @return number of ports */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
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
    const weft_mmu& GetBuffer();

    /** @return what Themis-D did here */
    const weft_tor_counters& GetTorCounters() const
    {
        return m_tor;
    }

    /** Failures were found or repaired. @param healthy whether none is left */
    void SetHealthy(bool healthy);

    // From WeftReceiver
    void Arrive(WeftPacket* p, int64_t now) override;

    /** A link of this switch goes down or comes back: from now on arrivals look at their port. */
    void WatchLinks()
    {
        m_watchesLinks = true;
    }

    /**
     * A port starts to send a frame.
     * @param p the frame
     * @param out the port
     * @param toHost whether a NIC is at the other end
     * @param now ps
     * @param end when its last bit leaves, ps
     */
    void Leaving(WeftPacket* p, uint32_t out, bool toHost, int64_t now, int64_t end);

    /** Gives back the buffer of all frames that have left by now. @param now ps */
    void Settle(int64_t now)
    {
        if (m_left[SHORT].IsDue(now) | m_left[LONG].IsDue(now))
        {
            ReleaseDue(now);
        }
    }

    /**
     * @return whether a transmit event must mark the end of each frame, because a paused
     * neighbour waits for the buffer it gives back
     */
    bool NeedsDrainEvent() const
    {
        return m_pausedIngress != 0;
    }

    /** @return the longest queue that a port ever had, bytes */
    uint32_t GetPeakQueue() const
    {
        return m_peakQueue;
    }

    /** Signature of the "Pause" trace. @param port where @param tclass class @param pause pause or
     * resume */
    typedef void (*PauseTracedCallback)(uint32_t port, uint32_t tclass, bool pause);

  protected:
    void DoDispose() override;

  private:
    /** A frame on a wire whose buffer is given back when its last bit leaves. */
    struct Left
    {
        int64_t end;         //!< ps
        uint32_t bytes;      //!< of the frame
        uint16_t inAndClass; //!< ingress port * WEFT_CLASSES + class
        uint16_t out;        //!< egress port
    };

    /**
     * The frames on wires in the order of their ends: a ring.
     *
     * Frames of one length that leave at one rate end in the order in which they began. There is a
     * ring for ACKs and the like and one for longer frames, or each ACK would have to be put before
     * the data frames that still leave.
     */
    struct Departures
    {
        std::unique_ptr<Left[]> ring; //!< mask + 1 places, or none yet
        uint32_t head{0};             //!< the first to end
        uint32_t tail{0};             //!< one past the last
        uint32_t mask{0};             //!< places - 1
        int64_t next{INT64_MAX};      //!< when the first ends, ps

        /** @param now ps @return whether the first has left */
        bool IsDue(int64_t now) const
        {
            return next <= now;
        }

        /** @param left a frame that has begun to leave */
        void Push(const Left& left);
        /** @return the first, removed */
        Left Pop();
        /** Doubles the ring. */
        [[gnu::noinline]] void Grow();
    };

    /** Which of the two rings. */
    enum Length
    {
        SHORT,
        LONG,
        LENGTHS
    };

    /** Routes, balances, admits and enqueues. @param p the frame @param now ps */
    void Forward(WeftPacket* p, int64_t now);
    /** @param p the frame @param ports candidates @return false if no port leads to its destination
     */
    bool Route(const WeftPacket* p, weft_ports& ports) const;
    /** @param p a frame that turns downwards @return whether a <drop> or <loss> takes it */
    bool IsInjectedLoss(const WeftPacket* p);
    /** Gives back the buffer of all frames that have left, in the order of their ends. @param now
     * ps */
    void ReleaseDue(int64_t now);
    /** Accounts one departed frame. @param left the frame @param now ps */
    void Release(const Left& left, int64_t now);
    /** Takes a NACK from a NIC to the ToR middleware. @param p the NACK @return whether it goes on
     */
    bool PassesTor(WeftPacket* p);
    /** Pauses the neighbour at a port. @param in port @param tclass class @param now ps */
    void Pause(uint32_t in, uint32_t tclass, int64_t now);
    /** Takes a frame into the buffer, marks it, pauses its neighbour. @param p the frame @param out
     * port @param now ps @return false if it was dropped */
    bool Admit(WeftPacket* p, uint32_t out, int64_t now);
    /** Runs Themis-D on data for a NIC. @param p the frame @param out port @param now ps */
    void RunTor(const WeftPacket* p, uint32_t out, int64_t now);

    // What every hop reads comes first, right behind the base class that is aligned for it.
    weft_switch_map m_map{};                                                      //!< forwarding
    weft_mmu* m_mmu{nullptr};                                                     //!< buffer
    uint32_t (*m_pick)(void*, const weft_ports*, weft_packet*, int64_t){nullptr}; //!< balancer
    void* m_lbState{nullptr};                                                     //!< its state
    WeftPort** m_port{nullptr};                                                   //!< m_ports
    Departures m_left[LENGTHS];            //!< frames on wires
    WeftFabric* m_owner{nullptr};          //!< m_fabric
    const weft_tor_ops* m_torOps{nullptr}; //!< Themis-D, at ToRs
    uint32_t m_shortFrame{0};              //!< bytes up to which a frame is short
    uint32_t m_pausedIngress{0};           //!< paused (port, class) pairs
    uint32_t m_peakQueue{0};               //!< bytes
    bool m_watchesLinks{false};            //!< a link is or was down
    bool m_marksAtEnqueue{false};          //!< ECN looks at the queue that a frame joins
    bool m_marksAtDequeue{false};          //!< or at the one that it leaves

    uint32_t m_index{0};                                   //!< number in the fabric
    const weft_lb_ops* m_lb{nullptr};                      //!< balancer
    weft_tor_counters m_tor{};                             //!< its counters
    weft_rng m_rng{};                                      //!< ECN draws and injected loss
    std::vector<WeftPort*> m_ports;                        //!< ports
    std::vector<uint64_t> m_mmuMemory;                     //!< of m_mmu
    std::vector<uint64_t> m_lbMemory;                      //!< of m_lbState
    TracedCallback<const weft_packet&> m_dropTrace;        //!< "Drop"
    TracedCallback<const weft_packet&> m_markTrace;        //!< "Mark"
    TracedCallback<const weft_packet&> m_blockTrace;       //!< "NackBlocked"
    TracedCallback<uint32_t, uint32_t, bool> m_pauseTrace; //!< "Pause"
};

} // namespace ns3

#endif /* NS3_WEFT_SWITCH_H */
