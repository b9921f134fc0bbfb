/* SPDX-License-Identifier: MIT */
/* The power of two choices: of a few ports drawn at random, the one with the shortest queue. */
#include "lb/site.h"
#include "roster/tables.h"

/* "2c" in ASCII: this balancer's random streams, one per switch. */
#define TWO_CHOICES_STREAM (UINT64_C(0x3263) << 32)

struct two_choices_config
{
    int64_t samples;
};

struct two_choices
{
    struct weft_rng rng;
    uint32_t samples;
};

static const struct weft_param params[] = {
    {"samples", WEFT_COUNT, WEFT_P(struct two_choices_config, samples), "2", "1", "64", NULL,
     "Ports drawn per packet, with replacement.", "Mitzenmacher 2001"},
};

static size_t
two_choices_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct two_choices);
}

static int
two_choices_init(void *state, const void *config, const struct weft_site *site)
{
    struct two_choices *t = state;
    t->samples = (uint32_t)((const struct two_choices_config *)config)->samples;
    weft_site_rng(&t->rng, site, TWO_CHOICES_STREAM | site->switch_index);
    return t->samples > 0 ? 0 : weft_refuse_config(site->why, &weft_lb_two_choices.algo, config);
}

static uint32_t
two_choices_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet,
                 int64_t now)
{
    struct two_choices *t = state;
    (void)packet;
    (void)now;
    uint32_t best = weft_port_at(ports, weft_rng_below(&t->rng, ports->n));
    for (uint32_t i = 1; i < t->samples; i++)
    {
        const uint32_t port = weft_port_at(ports, weft_rng_below(&t->rng, ports->n));
        best = ports->queue_bytes[port] < ports->queue_bytes[best] ? port : best;
    }
    return best;
}

const struct weft_lb_ops weft_lb_two_choices = {
    .algo =
        {
            .name = "two-choices",
            .doc = "The power of two choices: the shorter queue of two random ports.",
            .source = "Mitzenmacher 2001",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct two_choices_config),
        },
    .state_size = two_choices_size,
    .init = two_choices_init,
    .pick = two_choices_pick,
    .fields = {.reads = 0, .writes = 0}, /* pick() looks at no member of a packet */
    .reorders = true,
};
