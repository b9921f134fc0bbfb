/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_INJECTED_LOSSES_H
#define NS3_WEFT_INJECTED_LOSSES_H

#include <cstdint>
#include <map>
#include <weft/packet.h>
#include <weft/rng.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief The losses that a scenario asks for: data packets by name, or at random.
 *
 * A packet is named by its QP and by how many packets behind the QP's first one it is, so that the
 * name does not depend on the QP's first PSN. The sender's NIC marks its first transmissions, so
 * that switches share no list.
 */
class WeftInjectedLosses
{
  public:
    /** Where a named packet is lost. */
    enum Place
    {
        AT_TOP,      //!< the switch where the packet turns downwards
        AT_LAST_HOP, //!< between the last switch and the NIC
    };

    /** Names a packet. @param qp the QP's index @param offset packets behind its first @param count
     * how often it is lost @param place where */
    void AddDrop(uint32_t qp, uint32_t offset, uint32_t count, Place place);
    /** Loses data at random where it turns downwards. @param probability in [0, 1] */
    void SetProbability(double probability);

    /** @return whether anything is lost at the top, now or later */
    bool IsActiveAtTop() const
    {
        return m_activeAtTop;
    }

    /** @return whether Mark() has something to do */
    bool HasDrops() const
    {
        return !m_drops.empty();
    }

    /** Marks what is to be lost by name. @param d data that leaves its NIC @param firstPsn its QP's
     * first one */
    void Mark(weft_packet& d, uint32_t firstPsn);
    /** @param d data that turns downwards @param rng drawn from if there is random loss, and the
     * packet is not lost by name @return whether it is lost */
    bool IsLostAtTop(const weft_packet& d, weft_rng& rng) const;

  private:
    /** How often a packet is still to be lost. */
    struct Drops
    {
        uint32_t atTop{0};     //!< where it turns downwards; these first
        uint32_t atLastHop{0}; //!< before its NIC
    };

    bool m_activeAtTop{false};         //!< something was asked for there
    double m_probability{0};           //!< of random loss
    std::map<uint64_t, Drops> m_drops; //!< by QP and offset
};

} // namespace ns3

#endif /* NS3_WEFT_INJECTED_LOSSES_H */
