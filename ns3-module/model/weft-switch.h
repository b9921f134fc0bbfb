/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SWITCH_H
#define NS3_WEFT_SWITCH_H

#include "weft-net-device.h"
#include "weft-port.h"
#include "weft-receiver.h"
#include "weft-tor-balancer.h"

#include "ns3/weft-arena.h"

#include <algorithm>
#include <memory>
#include <vector>
#include <weft/clos.h>
#include <weft/lb.h>
#include <weft/levels.h>
#include <weft/mmu.h>
#include <weft/rng.h>
#include <weft/tor.h>

namespace ns3
{

class WeftQp;

/**
 * @ingroup weft
 * @brief A shared-buffer switch: one device with all its ports, as ns-3's bridge has.
 *
 * Ingress: ToR middleware (NACKs from NICs), forwarding, balancer, buffer admission with PFC and
 * ECN. Egress: per-class queues of the WeftPort. The decisions are the core's; this class wires
 * them.
 */
class WeftSwitch final : public WeftNetDevice, public WeftReceiver, public WeftInArena
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
     * @param why nullptr, or where a refusal is explained
     * @return 0, or the balancer's or the buffer's WEFT_E... if it cannot work here
     */
    int Setup(Ptr<WeftFabric> fabric, uint32_t index, weft_refusal* why);

    /** Starts all that draws random numbers here anew: part of Setup().
     * @param why nullptr, or where a refusal is explained
     * @return 0, or the balancer's WEFT_E... if it cannot work here */
    int InitRandomness(weft_refusal* why = nullptr);

    /** @param index port number @return the port */
    WeftPort* GetPort(uint32_t index) const
    {
        return m_port + index;
    }

    /** @return number of ports */
    uint32_t GetNPorts() const
    {
        return m_nports;
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

    /** @param through whether what leaves at this instant has left, also if that is yet to happen
     * @return the shared buffer, its queue lengths and counters; looking changes nothing */
    const weft_mmu& GetBuffer(bool through = false);

    /** @return what Themis-D did here */
    const weft_tor_counters& GetTorCounters() const
    {
        return m_tor;
    }

    /** Routing has converged. @param fib the exceptions now in force, nullptr: none */
    void SetRoutes(const weft_fib* fib);

    /** Themis-D is turned off: a NACK that it owes the sender leaves at once. @param qp a QP of a
     * host of this ToR, with middleware */
    void ReleaseTor(WeftQp* qp);

    // From WeftReceiver
    void Note(WeftPacket* p) override;
    void Expect(const WeftPacket* p) const override;

    /** A link of this switch goes down or comes back: from now on arrivals look at their port. */
    void WatchLinks()
    {
        m_watchesLinks = true;
    }

    /** A frame that the balancer made goes on. @param p the frame @param now ps */
    void GoOn(WeftPacket* p, int64_t now)
    {
        Forward(p, now);
    }

    /** A frame for a host of this ToR is to be held back. @param p the frame, which may get trimmed
     * @param now ps @return whether the buffer has room for it; else it was dropped */
    bool BuffersForHost(WeftPacket* p, int64_t now);
    /** It goes on. @param p the frame, buffered @param now ps */
    void EnqueueForHost(WeftPacket* p, int64_t now);

    /** @return what the balancer keeps here */
    void* GetBalancerState() const
    {
        return m_lbState;
    }

    /** @param sum gets what the balancer has counted here added */
    void AddCounters(weft_lb_counters& sum) const;

    /**
     * A port starts to send a frame.
     * @tparam MANY whether ports have more than two classes
     * @param p the frame
     * @param out the port
     * @param toHost whether a NIC is at the other end
     * @param now ps
     * @param end when its last bit leaves, ps
     */
    template <bool MANY>
    void Leaving(WeftPacket* p, uint32_t out, bool toHost, int64_t now, int64_t end)
    {
        InService& s = m_inService[out];
        if (s.end != INT64_MAX)
        {
            Release(out);
        }
        s.end = end;
        s.bytes = p->d.bytes;
        s.ingress = static_cast<uint16_t>(MANY ? weft_mmu_index(m_mmu, p->d.in_port, p->d.tclass)
                                               : p->d.in_port * 2U + p->d.tclass);
        if (p->d.kind == WEFT_DATA && m_inspects[toHost])
        {
            Inspect(p, out, toHost, now);
        }
    }

    /**
     * While a neighbour is paused, gives back the buffer of all frames that have left by now, as it
     * may then go on. Otherwise nobody sees when that happens, and it is put off.
     * @param now ps
     */
    void Settle(int64_t now)
    {
        if (__builtin_expect(m_pausedIngress != 0, 0))
        {
            SettleAll(now);
        }
    }

    /** @return whether a neighbour is paused */
    bool HasPausedNeighbour() const
    {
        return m_pausedIngress != 0;
    }

    /** A frame is on a wire: while a neighbour is paused, its end is an event, as the buffer that
     * it gives back may let that neighbour go on. @param time until its last bit has left, ps */
    void ExpectDrain(int64_t time)
    {
        if (__builtin_expect(m_pausedIngress != 0, 0))
        {
            ScheduleDrain(time);
        }
    }

    /** @return number of its ports that lead down; they come first */
    uint32_t GetNDownPorts() const
    {
        return m_map.first_up;
    }

    /** @return the longest queue that a port ever had, bytes */
    uint32_t GetPeakQueue() const
    {
        return std::max(m_peakQueue[0], m_peakQueue[1]);
    }

    /** @param up whether of the up ports @return the longest queue that one of them ever had, bytes
     */
    uint32_t GetPeakQueue(bool up) const
    {
        return m_peakQueue[up];
    }

    /** @param up whether of the up ports @return ECN marks on what left by them */
    uint64_t GetMarks(bool up) const
    {
        return m_marks[up];
    }

    /** Signature of the "Pause" trace. @param port where @param tclass class @param pause pause or
     * resume */
    typedef void (*PauseTracedCallback)(uint32_t port, uint32_t tclass, bool pause);

  protected:
    void DoDispose() override;

  private:
    /**
     * The frame that a port sends or sent last. Its buffer is to be given back when its last bit
     * has left; it is given back when somebody looks, or when the port sends the next one.
     */
    struct InService
    {
        int64_t end{INT64_MAX}; //!< ps; INT64_MAX: the buffer has been given back
        uint32_t bytes{0};      //!< of the frame
        uint16_t ingress{0};    //!< weft_mmu_index() of ingress port and class
    };

    /** The end of a frame for whose buffer a paused neighbour waits. */
    class Drain;
    void MakeDrain();                                   //!< Part of Setup()
    [[gnu::noinline]] void ScheduleDrain(int64_t time); //!< @param time until then, ps

    void Arrive(WeftPacket* p, int64_t now); //!< @param p has arrived @param now ps
    /** @param p has arrived @param now ps @return whether its link was down meanwhile, and it was
     * dropped */
    [[gnu::noinline]] bool IsCut(WeftPacket* p, int64_t now);
    /** What ToR middleware and balancer let pass goes on. @param p a reply from a NIC @param now ps
     */
    [[gnu::noinline]] void ArriveAtTor(WeftPacket* p, int64_t now);
    /** What the balancer's part for all that arrives lets pass goes on. @param p the frame
     * @param now ps */
    [[gnu::noinline]] void ArriveAtBalancer(WeftPacket* p, int64_t now);
    /** The same, if the balancer has such a part. @param p the frame @param now ps */
    void PassBalancer(WeftPacket* p, int64_t now)
    {
        if (m_torBalancer)
        {
            ArriveAtBalancer(p, now);
        }
        else
        {
            Forward(p, now);
        }
    }

    /** Routes, balances, admits and enqueues. @param p the frame @param now ps */
    [[gnu::noinline]] void Forward(WeftPacket* p, int64_t now);
    /** The same while links are dead or losses are injected. @param p the frame @param now ps */
    [[gnu::noinline]] void ForwardFaulty(WeftPacket* p, int64_t now);
    /** @param p a frame @param out where it is to leave @return whether a <drop> or <loss> takes
     * it: it turns downwards here */
    bool IsInjectedLoss(const WeftPacket* p, uint32_t out);
    /** @param p a frame @param ports where it may leave @param now ps @return where it does */
    uint32_t Choose(WeftPacket* p, const weft_ports& ports, int64_t now)
    {
        if (ports.n == 1)
        {
            return weft_port_at(&ports, 0);
        }
        return Ask(p, ports, now);
    }

    /** @param p a frame @param ports where it may leave @param now ps @return what the balancer
     * says */
    uint32_t Ask(WeftPacket* p, const weft_ports& ports, int64_t now)
    {
        if (!m_oblivious)
        {
            SettleAll(now);
        }
        const uint64_t notes = p->GetNotes();
        const uint32_t out = m_pick(m_lbState, &ports, &p->d, now);
        if (__builtin_expect(p->GetNotes() != notes, 0))
        {
            RequireBalancersOwn(p);
        }
        return out;
    }

    /** The balancer has written echo or meta: aborts if that is not its part of the frame, but the
     * transport's. @param p the frame */
    [[gnu::noinline]] void RequireBalancersOwn(const WeftPacket* p) const;
    /** Fetches what Dispatch() touches. @param p the frame @param out where it is to leave */
    void Prefetch(const WeftPacket* p, uint32_t out) const;
    /** @param p a frame for a host of this ToR @return the host's port */
    uint32_t GetHostPort(const WeftPacket* p) const;
    /** The one way into the buffer: of frames that are forwarded and of those that a balancer holds
     * back. @param p a frame, which may get trimmed @param out where it is to leave @param held
     * whether it is not to be queued there yet @param now ps @return whether it has got its room in
     * the buffer; else it was dropped */
    bool Buffer(WeftPacket* p, uint32_t out, bool held, int64_t now);
    /** Buffers a frame and lets it leave. @param p the frame @param out where @param now ps */
    void Dispatch(WeftPacket* p, uint32_t out, int64_t now);
    /** @param p a frame that ends here @param why reason, a WeftFabric::Loss */
    [[gnu::cold, gnu::noinline]] void Drop(WeftPacket* p, int why);
    /** @param p a frame that gets its ECN mark @param out its port */
    [[gnu::noinline]] void Mark(WeftPacket* p, uint32_t out);
    /** Gives back the buffer of all frames that have left by now. @param now ps */
    [[gnu::noinline]] void SettleAll(int64_t now);
    /** The same while a neighbour is paused: in the order of their ends. @param now ps */
    void SettleInOrder(int64_t now);
    /** @param now ps @return the port whose frame left first by now, or GetNPorts() */
    uint32_t FindFirstLeft(int64_t now) const;

    /** Gives back the buffer of a port's last frame, which has left, if no neighbour is paused.
     * @param out the port */
    void Release(uint32_t out)
    {
        InService& s = m_inService[out];
        const bool resumes = weft_mmu_release_at(m_mmu, s.ingress, out, s.bytes);
        NS_ASSERT_MSG(!resumes, "Weft: nobody has called Settle()");
        (void)resumes;
        s.end = INT64_MAX;
    }

    /** What a weft_port_reader calls. @param of a switch @param port number @param now ps
     * @param status gets what is known of it */
    static void ReadPort(void* of, uint32_t port, int64_t now, weft_port_status* status);
    /** Takes a NACK from a NIC to the ToR middleware. @param p the NACK @return whether it goes on
     */
    bool PassesTor(WeftPacket* p);
    /** Pauses the neighbour at a port. @param in port @param tclass class @param now ps */
    void Pause(uint32_t in, uint32_t tclass, int64_t now);
    /** Asks the buffer for a frame's room, once all that has left is accounted. @param p the frame
     * @param out its port @param held whether it is not to be queued there yet @param now ps
     * @return false if it was dropped */
    [[gnu::noinline]] bool AdmitsExactly(WeftPacket* p, uint32_t out, bool held, int64_t now);
    /** There is no room for a frame whole. @param p data; becomes the header that goes on, its own
     * or that of the newest of its queue @param out its port @param held whether it is not to be
     * queued there yet @return the buffer's verdict on the header */
    [[gnu::noinline]] unsigned Trim(WeftPacket* p, uint32_t out, bool held);
    /** Lets a frame take the place of the newest one of its queue. @param p the frame; becomes that
     * other one @param out its port @return whether it did */
    bool Replace(WeftPacket* p, uint32_t out);
    /** Marks what joins a queue, if ECN is done there. @param p a frame that has its room @param
     * out its port @param queue bytes of the port's queue without it */
    void MarkAtEnqueue(WeftPacket* p, uint32_t out, uint32_t queue)
    {
        if (m_marksAtEnqueue && p->d.kind == WEFT_DATA &&
            weft_mmu_mark(m_mmu, GetMarkedQueue(p, out, queue), &m_rng))
        {
            Mark(p, out);
        }
    }

    /** @param p data that has its room @param out its port @param queue bytes of the port's queue
     * without it @return bytes of the queue that decides whether it is marked */
    uint32_t GetMarkedQueue(const WeftPacket* p, uint32_t out, uint32_t queue) const
    {
        return __builtin_expect(m_countsByClass, 0) ? GetClassQueue(p, out) : queue;
    }

    /** @param p data that has its room @param out its port @return bytes of its class' queue there
     * without it; 0 for a header, which is never marked */
    [[gnu::noinline]] uint32_t GetClassQueue(const WeftPacket* p, uint32_t out) const;
    void SetUpClasses(); //!< Gives ports more than two classes, if that is asked for
    /** Looks at data that starts to leave. @param p the frame @param out port @param toHost whether
     * a NIC is at the other end @param now ps */
    [[gnu::noinline]] void Inspect(WeftPacket* p, uint32_t out, bool toHost, int64_t now);
    /** Runs Themis-D on data for a NIC. @param p the frame @param out port @param now ps */
    void RunTor(const WeftPacket* p, uint32_t out, int64_t now);
    /** Asks for a packet that nobody has seen. @param qp number of a QP @param epsn the packet */
    void AskFor(uint32_t qp, uint32_t epsn);
    /** Sends a NACK on a NIC's behalf. @param data of its QP @param out the NIC's port @param epsn
     * asked for @param now ps */
    void MakeUp(const weft_packet& data, uint32_t out, uint32_t epsn, int64_t now);
    /** @param out port of a NIC @param level service level of a QP @return whether this switch has
     * paused the NIC's replies of that */
    bool HasPausedReplies(uint32_t out, uint32_t level) const;

    // What every hop reads comes first, right behind the base class that is aligned for it.
    weft_switch_map m_map{};                                                         //!< forwarding
    weft_mmu* m_mmu{nullptr};                                                        //!< buffer
    uint32_t (*m_pick)(void*, const weft_ports*, weft_packet*, int64_t){nullptr};    //!< balancer
    uint32_t (*m_peek)(const void*, const weft_ports*, const weft_packet*){nullptr}; //!< or none
    void* m_lbState{nullptr};                                                        //!< its state
    WeftPort* m_port{nullptr};               //!< ports, in a row
    InService* m_inService{nullptr};         //!< of each port
    WeftFabric* m_owner{nullptr};            //!< m_fabric
    WeftTorBalancer* m_torBalancer{nullptr}; //!< where the balancer has arrive(), at ToRs
    FabricEvent* m_drain{nullptr};           //!< see ExpectDrain()
    uint32_t m_pausedIngress{0};             //!< paused (port, class) pairs
    uint32_t m_peakQueue[2]{};               //!< bytes: of the down ports, of the up ports
    bool m_hasTorOps{false};                 //!< some service level has Themis-D
    bool m_watchesLinks{false};              //!< a link is or was down
    bool m_marksAtEnqueue{false};            //!< ECN looks at the queue that a frame joins
    bool m_marksAtDequeue{false};            //!< or at the one that it leaves
    bool m_countsByClass{false};             //!< weft_mmu_counts_by_class()
    bool m_oblivious{false};                 //!< the balancer does not look at queues
    bool m_inspects[2]{}; //!< data that leaves is looked at: to a switch, to a NIC

    const weft_tor_ops* m_torOps[WEFT_LEVELS]{}; //!< Themis-D, at ToRs, by service level
    uint32_t m_index{0};                         //!< number in the fabric
    const weft_lb_ops* m_lb{nullptr};            //!< balancer
    weft_tor_counters m_tor{};                   //!< its counters
    uint64_t m_marks[2]{};                       //!< ECN marks: of the down ports, of the up ports
    weft_port_reader m_reader{this, &WeftSwitch::ReadPort}; //!< for the balancer
    weft_rng m_rng{}; //!< draws when a frame arrives: ECN at enqueue, trimming, injected loss
    WeftVector<weft_rng>
        m_departureRng;    //!< of each port, where ECN looks at the queue that is left
    uint64_t m_tieSalt{0}; //!< of the order in which frames arrive at one instant
    uint32_t m_nports{0};  //!< ports
    WeftVector<InService> m_inServiceMemory;               //!< of m_inService
    WeftVector<uint64_t> m_mmuMemory;                      //!< of m_mmu
    WeftVector<uint64_t> m_lbMemory;                       //!< of m_lbState
    WeftVector<WeftClassQueues> m_classQueues;             //!< of ports with more than two classes
    WeftVector<uint64_t> m_schedulerMemory;                //!< of their schedulers
    TracedCallback<const weft_packet&> m_dropTrace;        //!< "Drop"
    TracedCallback<const weft_packet&> m_markTrace;        //!< "Mark"
    TracedCallback<const weft_packet&> m_trimTrace;        //!< "Trim"
    TracedCallback<const weft_packet&> m_blockTrace;       //!< "NackBlocked"
    TracedCallback<uint32_t, uint32_t, bool> m_pauseTrace; //!< "Pause"
};

// Called from the hop as one: inlined there it would push what the hop keeps in registers out of
// them.
template <bool WAITED, bool AMONG_MANY>
[[gnu::noinline]] void
WeftPort::TransmitFromSwitch(WeftPacket* p, int64_t now)
{
    NS_ASSERT(now >= m_freeAt);
    const int64_t serialization = Occupy<WAITED>(p, now);
    m_switch->Leaving<AMONG_MANY>(p, m_index, m_facesHost, now, now + serialization);
    m_switch->ExpectDrain(serialization);
    Send(p, serialization);
}

} // namespace ns3

#endif /* NS3_WEFT_SWITCH_H */
