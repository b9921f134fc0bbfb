/* SPDX-License-Identifier: MIT */
/* Join the shortest queue: adaptive routing that sees queue lengths to the byte. */
#include "lb/shortest.h"
#include "lb/site.h"
#include "roster/tables.h"

/* "jsq" in ASCII: this balancer's random streams, one per switch. */
#define JSQ_STREAM (UINT64_C(0x6a7371) << 32)

static size_t
jsq_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct weft_rng);
}

static int
jsq_init(void *state, const void *config, const struct weft_site *site)
{
    (void)config;
    weft_site_rng((struct weft_rng *)state, site, JSQ_STREAM | site->switch_index);
    return weft_site_ports(site);
}

static uint32_t
jsq_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)packet;
    (void)now;
    return weft_shortest((struct weft_rng *)state, ports);
}

const struct weft_lb_ops weft_lb_jsq = {
    .algo =
        {
            .name = "jsq",
            .doc =
                "Join the shortest queue: the port with the fewest bytes queued, ties at random.",
            .source = "ofan §6.1",
        },
    .state_size = jsq_size,
    .init = jsq_init,
    .pick = jsq_pick,
    .reorders = true,
};
