/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_PORT_H
#define NS3_WEFT_PORT_H

#include "weft-packet.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <weft/mmu.h>

namespace ns3
{

class WeftFabric;
class WeftNic;
class WeftSwitch;

/**
 * @ingroup weft
 * Schedules an event object that already exists; nothing is allocated.
 * @param delay picoseconds from now
 * @param event the object, armed once more
 */
inline void
WeftSchedule(int64_t delay, EventImpl* event)
{
    Simulator::Schedule(TimeStep(static_cast<uint64_t>(delay)), Ptr<EventImpl>(event));
}

/**
 * @ingroup weft
 * @return the simulated time in picoseconds (Time::SetResolution(Time::PS) is required)
 */
inline int64_t
WeftNow()
{
    return Simulator::Now().GetTimeStep();
}

/**
 * @ingroup weft
 * @brief One direction of a full-duplex link: egress queues, the wire, and the transmit event.
 *
 * Store and forward: a frame of B bytes that starts at t arrives whole at t + B/C + propagation;
 * the wire is free again at t + (B + gap)/C. A transmit event is armed only when something waits.
 */
class alignas(64) WeftPort final : public EventImpl
{
  public:
    /**
     * @param fabric the fabric, for its packet pool and counters
     * @param index this port's number at its switch; 0 at a NIC
     * @param rate bit/s
     * @param delay propagation delay, ps
     * @param gap bytes of preamble and inter-frame gap
     */
    WeftPort(WeftFabric* fabric, uint32_t index, int64_t rate, int64_t delay, int64_t gap);

    /** @param sw the switch that owns this port */
    void SetSwitch(WeftSwitch* sw);
    /** @param nic the NIC that owns this port */
    void SetNic(WeftNic* nic);
    /** Connects two ports into a link. @param a one end @param b the other end */
    static void Connect(WeftPort* a, WeftPort* b);

    /** A switch's packet is to leave here. @param p the packet @param now ps */
    void Enqueue(WeftPacket* p, int64_t now)
    {
        const uint8_t c = p->d.tclass;
        if (now >= m_freeAt && !m_armed && !m_paused[c] && !m_head[0] && !m_head[1])
        {
            Transmit(p, now);
            return;
        }
        p->next = nullptr;
        *(m_head[c] ? &m_tail[c]->next : &m_head[c]) = p;
        m_tail[c] = p;
        if (!m_armed && !m_paused[c])
        {
            Arm(now);
        }
    }

    /** Puts a frame on the wire, which must be free. @param p the frame @param now ps */
    void Transmit(WeftPacket* p, int64_t now);
    /** A frame's last bit has arrived here. @param p the frame */
    void Arrive(WeftPacket* p);
    /** The peer's PFC frame takes effect. @param tclass class @param paused pause or resume */
    void SetPaused(uint32_t tclass, bool paused);
    /** Sends a PFC frame to the peer. @param tclass class @param pause pause or resume @param now
     * ps */
    void SendPause(uint32_t tclass, bool pause, int64_t now);
    /** Arms the transmit event for when the wire is free, if it is not armed. @param now ps */
    void Arm(int64_t now)
    {
        if (!m_armed)
        {
            m_armed = true;
            WeftSchedule(m_freeAt > now ? m_freeAt - now : 0, this);
        }
    }

    /** @return when the wire is free, ps */
    int64_t GetFreeAt() const
    {
        return m_freeAt;
    }

    /** @param tclass class @return whether the peer paused it */
    bool IsPaused(uint32_t tclass) const
    {
        return m_paused[tclass];
    }

    /** Takes the link's direction down or up. A frame is lost if the wire is down at any time from
     * its first bit's departure to its last bit's arrival. @param down state */
    void SetDown(bool down);

    /** @return whether the link is down */
    bool IsDown() const
    {
        return m_lostBefore == DOWN;
    }

    /** @param bytes frame or frame and gap @return ps on this wire */
    int64_t WireTime(int64_t bytes) const
    {
        return m_psPerByte ? bytes * m_psPerByte : SlowWireTime(bytes);
    }

    /** @return the port at the other end */
    WeftPort* GetPeer() const
    {
        return m_peer;
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
    static constexpr int64_t NEVER_DOWN = INT64_MIN; //!< nothing is lost
    static constexpr int64_t DOWN = INT64_MAX;       //!< everything is lost

    void Notify() override;
    /** For a link that is or was down. @param p arrives here now @return whether the wire was down
     * at any time since its first bit departed */
    bool WasCut(const WeftPacket* p) const;
    /** Sends the next waiting frame of a switch. @param now ps */
    void TransmitNext(int64_t now);
    /** Rates that do not divide a byte into whole picoseconds. @param bytes length @return ps,
     * rounded up */
    int64_t SlowWireTime(int64_t bytes) const;

    int64_t m_freeAt{0};                //!< the wire is free from here on, ps
    int64_t m_psPerByte;                //!< 0: not a whole number
    int64_t m_delay;                    //!< propagation, ps
    int64_t m_gapTime;                  //!< ps of the gap behind a frame, if m_psPerByte
    WeftPort* m_peer{nullptr};          //!< the other end
    WeftSwitch* m_switch{nullptr};      //!< owner, or
    WeftNic* m_nic{nullptr};            //!< owner
    WeftPacket* m_head[WEFT_CLASSES]{}; //!< egress queues, class 0 first
    WeftPacket* m_tail[WEFT_CLASSES]{}; //!< their last packets
    uint32_t m_index;                   //!< number at the owner
    bool m_armed{false};                //!< the transmit event is pending
    bool m_paused[WEFT_CLASSES]{};      //!< by the peer's PFC
    bool m_facesHost{false};            //!< a switch's down port to a NIC
    int64_t m_rate;                     //!< bit/s
    int64_t m_gap;                      //!< bytes of the gap behind a frame
    uint64_t m_frames{0};               //!< frames sent
    uint64_t m_bytes{0};                //!< bytes sent
    WeftFabric* m_fabric;               //!< pool and counters
    int64_t m_lostBefore{NEVER_DOWN}; //!< frames that began earlier do not arrive: last repair, ps
};

} // namespace ns3

#endif /* NS3_WEFT_PORT_H */
