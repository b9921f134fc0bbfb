/* SPDX-License-Identifier: MIT */
/** @file sites.h Sites: what a fabric tells its parts of the places where they work, the same when
 * they are made and when they are tried before that. Private. */
#ifndef WEFT_SITES_H
#define WEFT_SITES_H

#include <weft/net.h>
#include <weft/rng.h>

/** Whether a switch's ports have schedulers with states. */
static inline bool
weft_net_schedules(const struct weft_net_config *c)
{
    return c->buffer.classes > 2 && !c->scheduler->lowest_first;
}

/** Returns the site of the scheduler of a switch's port. */
static inline struct weft_scheduler_site
weft_net_scheduler_site(const struct weft_net_config *c)
{
    return (struct weft_scheduler_site){.classes = (uint32_t)c->buffer.classes,
                                        .frame = (uint32_t)(c->frame.payload + c->frame.header)};
}

/** Returns the site of the balancers of a switch, by its number among those of all planes. */
static inline struct weft_site
weft_net_switch_site(const struct weft_net_config *c, uint32_t index,
                     const struct weft_port_reader *reader, struct weft_refusal *why)
{
    struct weft_site site;
    weft_clos_site(c->clos, &c->buffer, index, c->seed, c->run, &site);
    site.reader = reader;
    site.provides = WEFT_NEEDS_ALL;
    site.why = why;
    return site;
}

/** Returns the site of a level's path part at a host. */
static inline struct weft_path_site
weft_net_host_site(const struct weft_net_config *c, uint32_t level, uint32_t host,
                   struct weft_refusal *why)
{
    return (struct weft_path_site){
        .seed = weft_level_seed(c->seed, level),
        .run = c->run,
        .host = host,
        .clos = c->clos,
        .qp_bdp = 1,
        .batch = (uint32_t)c->frame.batch,
        .why = why,
        .provides = WEFT_NEEDS_ALL,
    };
}

/** Describes the hop from a ToR to its host for middleware. */
static inline struct weft_last_hop
weft_net_last_hop(const struct weft_net_config *c, struct weft_refusal *why)
{
    struct weft_last_hop hop;
    weft_clos_last_hop(c->clos, &c->frame, &hop);
    hop.why = why;
    hop.provides = WEFT_NEEDS_ALL;
    return hop;
}

/** Describes a QP for the parts of its NICs. */
void weft_net_describe_qp(const struct weft_net_config *c, const struct weft_net_qp_site *of,
                          uint32_t index, struct weft_qp_site *site);

#endif
