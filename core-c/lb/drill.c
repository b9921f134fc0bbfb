/* SPDX-License-Identifier: MIT */
/*
 * DRILL(d, m): of d random candidates and the m best ones of the last packet, each packet takes the
 * one with the shortest queue, and the m best of all these are remembered. Every next-hop group has
 * a memory of its own. A remembered port that is no candidate any more is left out.
 */
#include "lb/candidates.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/rng.h>

/* "dril" in ASCII: this balancer's random streams, one per switch. */
#define DRILL_STREAM (UINT64_C(0x6472696c) << 32)
#define MOST         16
#define NOTHING      UINT16_MAX /* remembered */

struct drill_config
{
    int64_t d;
    int64_t m;
};

/* The remembered ports follow it in memory: m for each port with which a group may begin. */
struct drill
{
    struct weft_rng rng;
    uint32_t d;
    uint32_t m;
};

/* Ports in ascending order of their queues; of equal ones the first that came. */
struct best
{
    uint32_t n;
    uint16_t port[2 * MOST];
};

static const struct weft_param params[] = {
    {"d", WEFT_COUNT, WEFT_P(struct drill_config, d), "2", "1", "16", NULL,
     "Candidates drawn at random for each packet, without replacement.", "pro §VI"},
    {"m", WEFT_COUNT, WEFT_P(struct drill_config, m), "1", "0", "16", NULL,
     "Ports remembered from the packet before.", "pro §VI"},
};

static size_t
drill_size(const void *config, const struct weft_site *site)
{
    const struct drill_config *c = config;
    return sizeof(struct drill) + weft_per_port(site, (size_t)c->m * sizeof(uint16_t));
}

static int
drill_init(void *state, const void *config, const struct weft_site *site)
{
    const struct drill_config *c = config;
    struct drill *drill = state;
    uint16_t *memory = (uint16_t *)(void *)(drill + 1);
    if (c->d < 1 || c->d > MOST || c->m < 0 || c->m > MOST)
    {
        return weft_refuse_config(site->why, &weft_lb_drill.algo, config);
    }
    if (weft_site_ports(site))
    {
        return WEFT_EINVAL;
    }
    weft_site_rng(&drill->rng, site, DRILL_STREAM | site->switch_index);
    drill->d = (uint32_t)c->d;
    drill->m = (uint32_t)c->m;
    for (size_t i = 0; i < (size_t)drill->m * site->nports; i++)
    {
        memory[i] = NOTHING;
    }
    return 0;
}

static void
consider(struct best *best, const uint32_t *queue_bytes, uint32_t port)
{
    uint32_t i = best->n;
    for (uint32_t k = 0; k < best->n; k++)
    {
        if (best->port[k] == port)
        {
            return;
        }
    }
    for (; i > 0 && queue_bytes[best->port[i - 1]] > queue_bytes[port]; i--)
    {
        best->port[i] = best->port[i - 1];
    }
    best->port[i] = (uint16_t)port;
    best->n++;
}

/* d of n without replacement, in random order, since the first of equals is taken. */
static void
draw(struct drill *drill, const struct weft_ports *ports, struct best *best)
{
    const uint32_t d = drill->d < ports->n ? drill->d : ports->n;
    uint32_t drawn[MOST];
    for (uint32_t k = 0; k < d;)
    {
        const uint32_t i = weft_rng_below(&drill->rng, ports->n);
        uint32_t j = 0;
        while (j < k && drawn[j] != i)
        {
            j++;
        }
        if (j == k)
        {
            drawn[k++] = i;
            consider(best, ports->queue_bytes, weft_port_at(ports, i));
        }
    }
}

static uint32_t
drill_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct drill *drill = state;
    uint16_t *memory = (uint16_t *)(void *)(drill + 1) + (size_t)drill->m * ports->first;
    struct best best;
    (void)packet;
    (void)now;
    best.n = 0;
    draw(drill, ports, &best);
    for (uint32_t i = 0; i < drill->m && memory[i] != NOTHING; i++)
    {
        if (weft_ports_have(ports, memory[i]))
        {
            consider(&best, ports->queue_bytes, memory[i]);
        }
    }
    for (uint32_t i = 0; i < drill->m; i++)
    {
        memory[i] = i < best.n ? best.port[i] : NOTHING;
    }
    return best.port[0];
}

const struct weft_lb_ops weft_lb_drill = {
    .algo =
        {
            .name = "drill",
            .doc = "DRILL(d, m): the shortest queue of d random ports and the m best ones of the "
                   "last packet.",
            .source = "pro §II, §VI; Ghorbani et al., SIGCOMM 2017",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct drill_config),
        },
    .state_size = drill_size,
    .init = drill_init,
    .pick = drill_pick,
    .reorders = true,
};
