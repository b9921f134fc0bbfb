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
 * name does not depend on the QP's first PSN.
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

    /** @return whether TakeAtTop() has been given something to do, ever */
    bool IsActiveAtTop() const
    {
        return m_activeAtTop;
    }

    /** @return whether TakeAtLastHop() has something to do */
    bool IsActiveAtLastHop() const
    {
        return !m_lastHopDrops.empty();
    }

    /** @param d data that turns downwards @param firstPsn its QP's first one @param rng drawn from
     * if there is random loss, and the packet is not lost by name @return whether it is lost */
    bool TakeAtTop(const weft_packet& d, uint32_t firstPsn, weft_rng& rng);
    /** @param d data that is about to come to its NIC @param firstPsn its QP's first one @return
     * whether it is lost */
    [[gnu::noinline]] bool TakeAtLastHop(const weft_packet& d, uint32_t firstPsn);

  private:
    /** By QP and offset: the number of losses left, at least 1. */
    using Drops = std::map<uint64_t, uint32_t>;

    /** @param drops those of a place @param d data there @param firstPsn its QP's first one @return
     * whether it is lost by name, which is then done once more */
    static bool Take(Drops& drops, const weft_packet& d, uint32_t firstPsn);

    bool m_activeAtTop{false}; //!< something was asked for there
    double m_probability{0};   //!< of random loss
    Drops m_topDrops;          //!< at the top
    Drops m_lastHopDrops;      //!< before the NIC
};

} // namespace ns3

#endif /* NS3_WEFT_INJECTED_LOSSES_H */
