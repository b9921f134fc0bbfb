/* SPDX-License-Identifier: MIT */
/*
 * Round robin over a next-hop group in a random order, which is drawn anew after some full turns.
 *
 * A whole group has its order in a table. Under failures destinations have lists of their own, of
 * any length, and packets to them alternate: an order kept for one would be lost at the next
 * packet. So lists are gone through by one count per group, and the random order of a list's
 * positions is computed from the count's epoch.
 */
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/rng.h>

/* "rr" in ASCII: this balancer's random streams, one per switch. */
#define SWITCH_RR_STREAM (UINT64_C(0x7272) << 32)

struct switch_rr_config
{
    int64_t turns;
};

/* A next-hop group, at the index of its first port; its order is at the same index. */
struct group
{
    uint16_t place;
    uint16_t turn;  /* full turns under this order */
    uint32_t count; /* of packets that had a list */
};

/* The groups follow it in memory, a struct for each port, and behind them the orders. */
struct switch_rr
{
    struct weft_rng rng;
    uint64_t key; /* of the orders of lists */
    uint32_t turns;
    uint32_t nports;
};

static const struct weft_param params[] = {
    {"turns", WEFT_COUNT, WEFT_P(struct switch_rr_config, turns), "5", "1", "65535", NULL,
     "Full turns over the group before a new random order is drawn.", "ofan §3.2(5); htsim"},
};

static inline struct group *
groups_of(struct switch_rr *s)
{
    return (struct group *)(void *)(s + 1);
}

/* Places within the groups. */
static inline uint16_t *
orders_of(struct switch_rr *s)
{
    return (uint16_t *)(void *)(groups_of(s) + s->nports);
}

static size_t
switch_rr_size(const void *config, const struct weft_site *site)
{
    (void)config;
    return sizeof(struct switch_rr) + weft_per_port(site, sizeof(struct group) + sizeof(uint16_t));
}

static int
switch_rr_init(void *state, const void *config, const struct weft_site *site)
{
    struct switch_rr *s = state;
    const int64_t turns = ((const struct switch_rr_config *)config)->turns;
    if (turns < 1 || turns > UINT16_MAX)
    {
        return weft_refuse_config(site->why, &weft_lb_switch_rr.algo, config);
    }
    if (weft_site_ports(site))
    {
        return WEFT_EINVAL;
    }
    weft_site_rng(&s->rng, site, SWITCH_RR_STREAM | site->switch_index);
    s->key = (uint64_t)weft_rng_u32(&s->rng) << 32;
    s->key |= weft_rng_u32(&s->rng);
    s->turns = (uint32_t)turns;
    s->nports = site->nports;
    for (uint32_t port = 0; port < site->nports; port++)
    {
        struct group *g = &groups_of(s)[port];
        g->place = 0;
        g->turn = (uint16_t)s->turns; /* the first packet draws the first order */
        g->count = weft_rng_u32(&s->rng) >> 1;
    }
    return 0;
}

/* Fisher-Yates. */
static void
draw_order(struct switch_rr *s, const struct weft_ports *ports)
{
    uint16_t *order = orders_of(s) + ports->first;
    for (uint32_t i = 0; i < ports->n; i++)
    {
        const uint32_t j = weft_rng_below(&s->rng, i + 1);
        order[i] = order[j];
        order[j] = (uint16_t)i;
    }
}

static uint32_t
of_group(struct switch_rr *s, const struct weft_ports *ports)
{
    struct group *g = groups_of(s) + ports->first;
    if (g->turn == s->turns)
    {
        draw_order(s, ports);
        g->turn = 0;
    }
    const uint32_t port = (uint32_t)ports->first + orders_of(s)[ports->first + g->place];
    g->place++;
    if (g->place == ports->n)
    {
        g->place = 0;
        g->turn++;
    }
    return port;
}

/* The x-th of n in the random order that key names: swap-or-not (Hoang, Morris and Rogaway 2012).
 */
static uint32_t
shuffled(uint64_t key, uint32_t n, uint32_t x)
{
    for (uint32_t round = 0; round < 12; round++)
    {
        const uint64_t word = weft_mix64(key + round);
        const uint32_t sum = (uint32_t)(((word >> 32) * n) >> 32);
        const uint32_t other = sum - x + (x > sum ? n : 0);
        const uint32_t greater = x > other ? x : other;
        x = weft_mix64(word + greater) & 1 ? other : x;
    }
    return x;
}

static uint32_t
of_list(struct switch_rr *s, const struct weft_ports *ports)
{
    const uint32_t count = groups_of(s)[ports->first].count++;
    const uint32_t turn = count / ports->n;
    const uint64_t epoch = (uint64_t)ports->first << 32 | turn / s->turns;
    return weft_port_at(ports,
                        shuffled(weft_mix64(s->key ^ epoch), ports->n, count - turn * ports->n));
}

static uint32_t
switch_rr_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct switch_rr *s = state;
    (void)packet;
    (void)now;
    return ports->list == NULL ? of_group(s, ports) : of_list(s, ports);
}

const struct weft_lb_ops weft_lb_switch_rr = {
    .algo =
        {
            .name = "switch-rr",
            .doc = "Round robin over a next-hop group, in a random order that changes every few "
                   "turns.",
            .source = "ofan §3.2(5)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct switch_rr_config),
        },
    .state_size = switch_rr_size,
    .init = switch_rr_init,
    .pick = switch_rr_pick,
    .oblivious = true,
    .reorders = true,
};
