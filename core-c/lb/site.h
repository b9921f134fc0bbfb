/* SPDX-License-Identifier: MIT */
/** @file site.h  Whether a site says what a balancer rests on, and how many ways its fabric has
 * upwards. Private. */
#ifndef WEFT_LB_SITE_H
#define WEFT_LB_SITE_H

#include <weft/clos.h>
#include <weft/error.h>
#include <weft/lb.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Bytes for @p nports items of @p bytes; 0 for a number of ports that init() refuses. */
    static inline size_t weft_per_port(const struct weft_site *site, size_t bytes)
    {
        return site->nports <= WEFT_MAX_PORTS ? site->nports * bytes : 0;
    }

    /** Ports upwards of a ToR of a Clos. */
    static inline uint32_t weft_tor_uplinks(const struct weft_clos *clos)
    {
        return clos->up_tor * clos->parallel;
    }

    /** Ports upwards of an aggregation; 1 in two tiers, whose spines have one way for a packet. */
    static inline uint32_t weft_agg_uplinks(const struct weft_clos *clos)
    {
        return clos->tiers == 3 ? clos->up_agg * clos->core_parallel : 1;
    }

    /** Begins a stream of (seed, run), or of the caller's @p source. */
    static inline void weft_stream_begin(struct weft_rng *rng,
                                         const struct weft_random_source *source, uint64_t seed,
                                         uint64_t run, uint64_t stream)
    {
        if (source)
        {
            weft_rng_attach(rng, source, stream);
        }
        else
        {
            weft_rng_seed(rng, seed, run, stream);
        }
    }

    /** Begins a balancer's random stream at a switch. */
    static inline void weft_site_rng(struct weft_rng *rng, const struct weft_site *site,
                                     uint64_t stream)
    {
        weft_stream_begin(rng, site->random, site->seed, site->run, stream);
    }

    /** Seeds the random numbers of an algorithm at a host. */
    static inline void weft_host_rng(struct weft_rng *rng, const struct weft_path_site *site,
                                     uint64_t stream)
    {
        weft_stream_begin(rng, site->random, site->seed, site->run, stream);
    }

    /** 0, or WEFT_EINVAL and why: what the balancer needs besides its pick() is not all provided.
     */
    static inline int weft_site_serves(const struct weft_site *site, const struct weft_lb_ops *lb)
    {
        return weft_lb_check_needs(lb, site->provides | WEFT_NEED_PICK, site->why);
    }

    /** Whether a host's site serves a balancer: 0, or WEFT_EINVAL with the reason. A host knows of
     * no pick(). */
    static inline int weft_host_serves(const struct weft_path_site *site,
                                       const struct weft_lb_ops *lb)
    {
        return weft_lb_check_needs(lb, site->provides, site->why);
    }

    /** 0, or WEFT_EINVAL and why: the switch has no ports, more than it can have, or more up ports
     * than ports. */
    static inline int weft_site_ports(const struct weft_site *site)
    {
        const bool sound =
            site->nports >= 1 && site->nports <= WEFT_MAX_PORTS && site->up_ports <= site->nports;
        return sound ? 0
                     : weft_refuse(site->why, WEFT_EINVAL, NULL,
                                   "the switch has no ports, more than 8192, or more up ports than "
                                   "ports");
    }

    /** Whether the fabric's shape is there and has such a switch. */
    static inline bool weft_site_has_shape(const struct weft_site *site)
    {
        struct weft_switch_map map;
        if (!site->clos || weft_clos_check(site->clos) ||
            site->switch_index >= site->clos->nswitches)
        {
            return false;
        }
        weft_clos_switch(site->clos, site->switch_index, &map);
        return site->nports == weft_map_nports(&map) && site->up_ports == map.n_up &&
               site->tier == map.tier && site->tiers == site->clos->tiers;
    }

    /** 0, WEFT_ENOTCLOS or WEFT_EINVAL, and why: the fabric is no Clos; its shape is missing, or
     * has no such switch. */
    static inline int weft_site_shape(const struct weft_site *site)
    {
        if (weft_site_has_shape(site))
        {
            return 0;
        }
        if (site->tiers == 0)
        {
            return weft_refuse(site->why, WEFT_ENOTCLOS, NULL, weft_strerror(WEFT_ENOTCLOS));
        }
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site is not one of its fabric's switches; expected clos to be "
                           "filled, and the rest as weft_clos_site() has it");
    }

    /** Whether the fabric of a host is a Clos and has that host: 0, or WEFT_ENOTCLOS or WEFT_EINVAL
     * with the reason. */
    static inline int weft_host_shape(const struct weft_path_site *site)
    {
        if (!site->clos || site->clos->graph)
        {
            return weft_refuse(site->why, WEFT_ENOTCLOS, NULL, weft_strerror(WEFT_ENOTCLOS));
        }
        return weft_clos_check(site->clos) == 0 && site->host < site->clos->nhosts
                   ? 0
                   : weft_refuse(site->why, WEFT_EINVAL, NULL,
                                 "the site is not one of its fabric's hosts; expected clos to be "
                                 "filled, and host to be below its hosts");
    }

#ifdef __cplusplus
}
#endif
#endif
