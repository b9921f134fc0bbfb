/* SPDX-License-Identifier: MIT */
/* Random spraying: every packet takes a port of its own, drawn uniformly. */
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/rng.h>

/* "rsq" in ASCII: this balancer's random streams, one per switch. */
#define RSQ_STREAM (UINT64_C(0x727371) << 32)

static size_t
rsq_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct weft_rng);
}

static int
rsq_init(void *state, const void *config, const struct weft_site *site)
{
    (void)config;
    weft_site_rng((struct weft_rng *)state, site, RSQ_STREAM | site->switch_index);
    return weft_site_ports(site);
}

static uint32_t
rsq_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)packet;
    (void)now;
    return weft_port_at(ports, weft_rng_below((struct weft_rng *)state, ports->n));
}

const struct weft_lb_ops weft_lb_rsq = {
    .algo =
        {
            .name = "rsq",
            .doc = "Random packet spraying: a uniformly random port per packet.",
            .source = "ofan §6.1; themis §2.2",
        },
    .state_size = rsq_size,
    .init = rsq_init,
    .pick = rsq_pick,
    .oblivious = true,
    .reorders = true,
};
