/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_PORT_H
#define NS3_WEFT_PORT_H

#include "weft-packet.h"
#include "weft-receiver.h"

#include <cstdint>
#include <weft/scheduler.h>

namespace ns3
{

class WeftInstant;
class WeftNic;
class WeftSwitch;

/** @ingroup weft The egress queues of a port that has more than two classes. */
struct WeftClassQueues
{
    /** One class. */
    struct Queue
    {
        WeftPacket* head; //!< leaves next
        WeftPacket* tail; //!< came last
    };

    Queue queue[WEFT_MAX_CLASSES]{};              //!< by class
    uint32_t waits{0};                            //!< a bit for each class that has packets
    const weft_scheduler_ops* scheduler{nullptr}; //!< nullptr: the lowest class first
    void* state{nullptr};                         //!< of the scheduler

    /** @param p goes to the end of its queue */
    void Push(WeftPacket* p);
    /** @param c a class that waits @return its first packet, which is taken out */
    WeftPacket* Pop(uint32_t c);
    /** @param ready a bit for each class that may send, at least one @return the one that does */
    uint32_t Pick(uint32_t ready) const;
    /** @param p leaves at once while nothing waits */
    void Pass(const WeftPacket* p) const;
};

/**
 * @ingroup weft
 * @brief One direction of a full-duplex link: egress queues, the wire, and the transmit event.
 *
 * Store and forward: a frame of B bytes that starts at t arrives whole at t + B/C + propagation;
 * the wire is free again at t + (B + gap)/C. A transmit event is armed only when something waits.
 *
 * At rates where these are no whole ps they happen at the next one. A frame that waited for the
 * wire starts when it is free to the fraction, so that frames back to back are rounded up once, not
 * one by one; any other starts at a whole ps.
 */
class alignas(64) WeftPort final : public FabricEvent, public WeftInArena
{
  public:
    /**
     * @param index this port's number at its switch; 0 at a NIC
     * @param rate bit/s
     * @param delay propagation delay, ps
     * @param gap bytes of preamble and inter-frame gap
     */
    WeftPort(uint32_t index, int64_t rate, int64_t delay, int64_t gap);

    /** @param sw the switch that owns this port */
    void SetSwitch(WeftSwitch* sw);
    /** @param nic the NIC that owns this port */
    void SetNic(WeftNic* nic);
    /** Gives a switch's port more than two classes. @param queues of them; they outlive the port */
    void SetClasses(WeftClassQueues* queues);
    /** Connects two ports into a link. @param a one end @param b the other end */
    static void Connect(WeftPort* a, WeftPort* b);

    /** A switch's packet is to leave here. @param p the packet @param now ps */
    void Enqueue(WeftPacket* p, int64_t now)
    {
        const uint32_t c = p->d.tclass;
        if (!(m_state & (WAITS | WAITS << 1 | ARMED | MANY | PAUSED << c)) && now >= m_freeAt)
        {
            TransmitFromSwitch<false, false>(p, now);
            return;
        }
        if (__builtin_expect(m_state & MANY, 0))
        {
            EnqueueAmongMany(p, now);
            return;
        }
        p->SetNext(nullptr);
        if (m_state & (WAITS << c))
        {
            m_tail[c]->SetNext(p);
        }
        else
        {
            m_head[c] = p;
            m_state = static_cast<uint16_t>(m_state | WAITS << c);
            SetTarget(p);
        }
        m_tail[c] = p;
        if (!(m_state & (ARMED | PAUSED << c)))
        {
            GoOn(now);
        }
    }

    /** @param tclass class @return the packet that waits there and came last, or nullptr */
    WeftPacket* GetNewest(uint32_t tclass) const
    {
        if (m_state & MANY)
        {
            return m_many->waits >> tclass & 1 ? m_many->queue[tclass].tail : nullptr;
        }
        return m_state & (WAITS << tclass) ? m_tail[tclass] : nullptr;
    }

    /** Fetches what Enqueue() touches. */
    void Prefetch() const
    {
        __builtin_prefetch(this, 1);
        __builtin_prefetch(m_tail, 1);
    }

    /** Puts a NIC's frame on the wire, which must be free. @param p the frame @param now ps */
    void Transmit(WeftPacket* p, int64_t now)
    {
        Send(p, Occupy<true>(p, now));
    }

    /** What is sent now has not waited for the wire: it starts at a whole ps. */
    void StartAnew()
    {
        if (!m_psPerByte)
        {
            m_carry = 0;
        }
    }

    /** The wire is free, or a NIC's pacing gap is over: to be noted. @param now ps */
    void Fire(int64_t now) override;
    void Expect() const override;
    /** The peer's PFC frame takes effect at this instant: to be noted. @param tclass class @param
     * paused pause or resume */
    void SetPaused(uint32_t tclass, bool paused);
    /** Sends a PFC frame to the peer. @param tclass class @param pause pause or resume @param now
     * ps */
    void SendPause(uint32_t tclass, bool pause, int64_t now);

    /**
     * For a link that is or was down.
     * @param p arrives here @param now ps
     * @return whether the wire was down at any time since its first bit departed
     */
    bool WasCut(const WeftPacket* p, int64_t now) const
    {
        return m_lostBefore != NEVER_DOWN && now - m_delay - WireTime(p->d.bytes) < m_lostBefore;
    }

    /** @return when the wire is free, ps */
    int64_t GetFreeAt() const
    {
        return m_freeAt;
    }

    /** @param tclass class @return whether the peer paused it */
    bool IsPaused(uint32_t tclass) const
    {
        return (m_state & (PAUSED << tclass)) != 0;
    }

    /** @return bit c: the peer has paused class c */
    uint32_t GetPausedClasses() const
    {
        return m_state / PAUSED % (1U << WEFT_MAX_CLASSES);
    }

    /** Takes the link's direction down or up. A frame is lost if the wire is down at any time from
     * its first bit's departure to its last bit's arrival. @param down state */
    void SetDown(bool down);

    /** Changes the rate. A frame on the wire keeps its times; the next one starts when that would
     * have let it. @param rate bit/s */
    void SetRate(int64_t rate);

    /** @return whether the link is down */
    bool IsDown() const
    {
        return m_lostBefore == DOWN;
    }

    /** @param bytes of a frame that starts now, and its gap @param now ps @return from when on the
     * next one may be ready without having to wait for anything but the wire, ps */
    int64_t GetFreeAfter(int64_t bytes, int64_t now) const
    {
        return m_psPerByte ? now + bytes * m_psPerByte : FreeAfterSlowly(bytes, now);
    }

    /** @param bytes frame or frame and gap @return ps on this wire, rounded up */
    int64_t WireTime(int64_t bytes) const
    {
        return m_psPerByte ? bytes * m_psPerByte : SlowWireTime(bytes);
    }

    /** @return the port at the other end */
    WeftPort* GetPeer() const
    {
        return m_peer;
    }

    /** @return whether it is a switch's port to a NIC */
    bool FacesHost() const
    {
        return m_facesHost;
    }

    /** @return bit/s */
    int64_t GetRate() const
    {
        return m_rate;
    }

    /** @return propagation delay, ps */
    int64_t GetDelay() const
    {
        return m_delay;
    }

    /** @return the id of the node that it belongs to: the context of its events */
    uint32_t GetContext() const
    {
        return m_context;
    }

    /** @return the owning NIC, or nullptr */
    WeftNic* GetNic() const
    {
        return m_nic;
    }

    /** @return the owning switch, or nullptr */
    WeftSwitch* GetSwitch() const
    {
        return m_switch;
    }

    /** @return frames sent on this wire */
    uint64_t GetFrames() const
    {
        return m_frames;
    }

    /** @return bytes sent on this wire, without gaps */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    /** Arms the transmit event for when the wire is free, if it is not armed. @param now ps */
    void Arm(int64_t now)
    {
        if (!(m_state & ARMED))
        {
            m_state |= ARMED;
            WeftSchedule(m_freeAt - now, this, m_context);
        }
    }

    /** What waits may leave: now if the wire is free, or when it is. @param now ps */
    void GoOn(int64_t now)
    {
        now >= m_freeAt ? Serve<false>(now) : Arm(now);
    }

    void Start(int64_t now); //!< The event that Fire() notes @param now ps
    /** Lets the next packet of a switch leave, if one may. @tparam WAITED whether it waited for the
     * wire @param now ps */
    template <bool WAITED>
    void Serve(int64_t now);
    /** The peer's PFC frame takes effect. @param tclass class @param paused pause or resume @param
     * now ps */
    void ApplyPause(uint32_t tclass, bool paused, int64_t now);
    static constexpr int64_t NEVER_DOWN = INT64_MIN; //!< nothing is lost
    static constexpr int64_t DOWN = INT64_MAX;       //!< everything is lost

    /** Bits of m_state. */
    enum State : uint16_t
    {
        WAITS = 1,    //!< a packet of class 0 waits; shifted by one, of class 1. Unless MANY
        PAUSED = 4,   //!< the peer has paused class 0; shifted by 1 to 7, another class
        ARMED = 1024, //!< the transmit event is pending
        MANY = 2048,  //!< more than two classes: the queues are m_many's
    };

    /** @param peer the other end of the link */
    void SetPeer(WeftPort* peer);
    /** Puts a switch's frame on the wire. @tparam WAITED whether it waited for the wire
     * @tparam AMONG_MANY whether there are more than two classes
     * @param p the frame @param now ps */
    template <bool WAITED, bool AMONG_MANY>
    void TransmitFromSwitch(WeftPacket* p, int64_t now);
    /** Enqueue() where there are more than two classes. @param p the packet @param now ps */
    [[gnu::noinline]] void EnqueueAmongMany(WeftPacket* p, int64_t now);
    /** The same for Serve(). @tparam WAITED whether it waited for the wire @param now ps */
    template <bool WAITED>
    [[gnu::noinline]] void ServeAmongMany(int64_t now);

    /** Takes the wire for a frame. @tparam WAITED whether it waited for the wire
     * @param p the frame @param now ps @return its serialization, ps */
    template <bool WAITED>
    int64_t Occupy(const WeftPacket* p, int64_t now)
    {
        m_frames++;
        m_bytes += p->d.bytes;
        if (__builtin_expect(m_psPerByte == 0, 0))
        {
            return OccupySlowly(p->d.bytes, now, WAITED);
        }
        const int64_t serialization = int64_t{p->d.bytes} * m_psPerByte;
        m_freeAt = now + serialization + m_gapTime;
        return serialization;
    }

    /** Lets a frame arrive. @param p the frame @param serialization ps */
    void Send(WeftPacket* p, int64_t serialization)
    {
        p->d.in_port = m_peerIndex;
        p->SetReceiver(m_receiver);
        WeftSchedule(serialization + m_delay, p, m_peerContext);
    }

    /** @return a bit for each class of which a packet may leave, class 0 the lowest */
    uint32_t GetReady() const
    {
        return m_state & ~(m_state / PAUSED) & (WAITS | WAITS << 1);
    }

    /** @return the same where there are more than two classes */
    uint32_t GetReadyAmongMany() const
    {
        return m_many->waits & ~(m_state / static_cast<uint32_t>(PAUSED));
    }

    /** Rates that do not divide a byte into whole picoseconds. @param bytes length @return ps,
     * rounded up */
    int64_t SlowWireTime(int64_t bytes) const;
    /** The same for GetFreeAfter(). @param bytes frame and gap @param now ps @return ps */
    int64_t FreeAfterSlowly(int64_t bytes, int64_t now) const;
    /** The same for Occupy(). @param bytes frame @param now ps @param waited whether it waited
     * @return its serialization, ps */
    [[gnu::noinline]] int64_t OccupySlowly(int64_t bytes, int64_t now, bool waited);

    // What a frame reads is on the first two cache lines, the first one for those that wait.
    int64_t m_freeAt{0};               //!< the wire is free from here on, ps
    uint32_t m_psPerByte{0};           //!< 0: not a whole number, or too large
    uint32_t m_gapTime{0};             //!< ps of the gap behind a frame, if m_psPerByte
    WeftReceiver* m_receiver{nullptr}; //!< the peer's owner
    uint16_t m_index;                  //!< number at the owner
    uint16_t m_peerIndex{0};           //!< the peer's number at its owner
    uint16_t m_state{0};               //!< enum State
    bool m_facesHost{false};           //!< a switch's down port to a NIC
    uint32_t m_context{0};             //!< id of the owner's node
    uint32_t m_peerContext{0};         //!< id of the peer's node

    WeftPacket* m_tail[2]{};       //!< the last packets of the queues
    WeftPacket* m_head[2]{};       //!< egress queues, class 0 first
    WeftSwitch* m_switch{nullptr}; //!< owner, or nullptr
    int64_t m_delay;               //!< propagation, ps
    uint64_t m_bytes{0};           //!< bytes sent
    uint64_t m_frames{0};          //!< frames sent

    int64_t m_rate;                   //!< bit/s
    int64_t m_gap;                    //!< bytes of the gap behind a frame
    int64_t m_carry{0};               //!< the wire is free so much before m_freeAt, 1/rate ps
    int64_t m_lostBefore{NEVER_DOWN}; //!< frames that began earlier do not arrive: last repair, ps
    WeftPort* m_peer{nullptr};        //!< the other end
    WeftNic* m_nic{nullptr};          //!< owner, or nullptr
    WeftClassQueues* m_many{nullptr}; //!< the queues, if MANY
    WeftInstant* m_instant{nullptr};  //!< of the owner's node
};

} // namespace ns3

#endif /* NS3_WEFT_PORT_H */
