/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_SITES_H
#define NS3_WEFT_SITES_H

#include <cstdint>
#include <weft/cc.h>
#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/lb.h>
#include <weft/mmu.h>
#include <weft/path.h>
#include <weft/tor.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief What the core's algorithms are told of the places of a fabric where they work: shape,
 * frames and random streams.
 */
class WeftSites
{
  public:
    /** @param clos shape @param frame frame sizes; both may be filled in later, and outlive this */
    WeftSites(const weft_clos& clos, const weft_fabric_config& frame);

    /** @param seed of all streams @param run its number */
    void SetStreams(uint64_t seed, uint64_t run);

    /** @return what all random streams derive from, with GetRun() */
    uint64_t GetSeed() const
    {
        return m_seed;
    }

    /** @return the run's number */
    uint64_t GetRun() const
    {
        return m_run;
    }

    /** @return shape */
    const weft_clos& GetClos() const
    {
        return m_clos;
    }

    /** @return frame sizes */
    const weft_fabric_config& GetFrame() const
    {
        return m_frame;
    }

    /** @return bytes of a full data frame, without the gap behind it */
    uint32_t GetFullFrame() const;
    /** @param host index @return bit/s of its link */
    int64_t GetHostRate(uint32_t host) const;
    /** @param src sending host @param dst receiving host @return ps that a full frame and its ACK
     * take if they never wait */
    int64_t GetIdleRoundTrip(uint32_t src, uint32_t dst) const;

    /** @param index of a switch @param mmu its buffer @return a balancer's site */
    weft_site GetSwitch(uint32_t index, const weft_mmu_config& mmu) const;
    /** @param host index @return a path selector's site */
    weft_path_site GetPath(uint32_t host) const;
    /** @param src sending host @param dst receiving host @param share of line rate at which hosts
     * may send, see WeftFabric::GetRhoMax() @return a congestion control's site */
    weft_cc_site GetCc(uint32_t src, uint32_t dst, double share) const;
    /** @return what sizes a ToR's rings */
    weft_last_hop GetLastHop() const;

  private:
    const weft_clos& m_clos;           //!< shape
    const weft_fabric_config& m_frame; //!< frame sizes
    uint64_t m_seed{0};                //!< see GetSeed()
    uint64_t m_run{0};                 //!< see GetRun()
};

} // namespace ns3

#endif /* NS3_WEFT_SITES_H */
