/* SPDX-License-Identifier: MIT */
/*
 * Simple round robin: one pointer per next-hop group, whatever the destination. Every group starts
 * at random. A group's pointer counts on across lists of different lengths (destinations behind a
 * failure). Which ports such a list's packets take depends on when they come: if every third packet
 * of the group is for a list of 3, all of them take the same port.
 */
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/rng.h>

/* "srr" in ASCII: this balancer's random streams, one per switch. */
#define SIMPLE_RR_STREAM (UINT64_C(0x737272) << 32)

/* The state: packets per group, at the index of the group's first port. */

static size_t
simple_rr_size(const void *config, const struct weft_site *site)
{
    (void)config;
    return weft_per_port(site, sizeof(uint32_t));
}

static int
simple_rr_init(void *state, const void *config, const struct weft_site *site)
{
    uint32_t *next = (uint32_t *)state;
    struct weft_rng rng;
    (void)config;
    if (weft_site_ports(site))
    {
        return WEFT_EINVAL;
    }
    weft_site_rng(&rng, site, SIMPLE_RR_STREAM | site->switch_index);
    for (uint32_t port = 0; port < site->nports; port++)
    {
        next[port] = weft_rng_u32(&rng) >> 1; /* 2^31 packets before it wraps */
    }
    return 0;
}

static uint32_t
simple_rr_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    (void)packet;
    return weft_port_at(ports, ((const uint32_t *)state)[ports->first] % ports->n);
}

static uint32_t
simple_rr_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    const uint32_t port = simple_rr_peek(state, ports, packet);
    (void)now;
    ((uint32_t *)state)[ports->first]++;
    return port;
}

const struct weft_lb_ops weft_lb_simple_rr = {
    .algo =
        {
            .name = "simple-rr",
            .doc = "Simple round robin: one pointer per next-hop group, in the order of the ports.",
            .source = "ofan §6.1",
        },
    .state_size = simple_rr_size,
    .init = simple_rr_init,
    .pick = simple_rr_pick,
    .oblivious = true,
    .peek = simple_rr_peek,
    .reorders = true,
};
