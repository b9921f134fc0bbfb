/* SPDX-License-Identifier: MIT */
/** @file site.h  Whether a site says what a balancer rests on. Private. */
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

    /** 0, or WEFT_EINVAL: the switch has no ports, more than it can have, or more up ports than
     * ports. */
    static inline int weft_site_ports(const struct weft_site *site)
    {
        const bool sound =
            site->nports >= 1 && site->nports <= WEFT_MAX_PORTS && site->up_ports <= site->nports;
        return sound ? 0 : WEFT_EINVAL;
    }

    /** 0, or WEFT_EINVAL: the fabric's shape is missing, or is none, or has no such switch. */
    static inline int weft_site_shape(const struct weft_site *site)
    {
        struct weft_switch_map map;
        if (!site->clos || weft_clos_check(site->clos) ||
            site->switch_index >= site->clos->nswitches)
        {
            return WEFT_EINVAL;
        }
        weft_clos_switch(site->clos, site->switch_index, &map);
        const bool same = site->nports == weft_map_nports(&map) && site->up_ports == map.n_up &&
                          site->tier == map.tier && site->tiers == site->clos->tiers;
        return same ? 0 : WEFT_EINVAL;
    }

    /** The same for the fabric of a host. */
    static inline int weft_host_shape(const struct weft_path_site *site)
    {
        return site->clos ? weft_clos_check(site->clos) : (int)WEFT_EINVAL;
    }

#define WEFT_NO_SHAPE                                                                              \
    "the site is not one of its fabric's switches; expected clos to be filled, and the rest as "   \
    "weft_clos_site() has it"

#ifdef __cplusplus
}
#endif
#endif
