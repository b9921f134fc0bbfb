/* SPDX-License-Identifier: MIT */
/*
 * LetFlow: a QP's packets take one path until it has been silent for a while; what follows, a
 * flowlet, draws another one at random. A silence of just the gap does not end a flowlet.
 */
#include "lb/site.h"
#include "lb/tor-path.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/rng.h>

/* "lf" in ASCII: this balancer's random streams, one per ToR. */
#define LETFLOW_STREAM (UINT64_C(0x6c66) << 32)

struct letflow_config
{
    int64_t gap;
};

/* Flowlets of one QP, at its source's ToR. */
struct letflow_flow
{
    int64_t last; /* when its last packet came */
    uint16_t path;
};

struct letflow
{
    struct weft_tor_paths paths;
    struct weft_rng rng;
    int64_t gap;
    struct letflow_flow *current; /* from arrive() to the pick() behind it: whose packet it is */
    struct weft_lb_counters counters;
};

static const struct weft_param params[] = {
    {"gap", WEFT_TIME, WEFT_P(struct letflow_config, gap), "100us", "1ps", "1s", NULL,
     "A longer silence of a QP ends its flowlet.", "Vanini et al., NSDI 2017"},
};

static size_t
letflow_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct letflow);
}

static int
letflow_init(void *state, const void *config, const struct weft_site *site)
{
    struct letflow *s = state;
    const struct letflow_config *c = config;
    *s = (struct letflow){.gap = c->gap};
    weft_site_rng(&s->rng, site, LETFLOW_STREAM | site->switch_index);
    return c->gap > 0 ? weft_tor_paths_init(&s->paths, site, &weft_lb_letflow, false)
                      : weft_refuse_config(site->why, &weft_lb_letflow.algo, config);
}

static size_t
letflow_flow_size(const void *config)
{
    (void)config;
    return sizeof(struct letflow_flow);
}

static int
letflow_flow_init(void *flow, const void *config)
{
    (void)config;
    *(struct letflow_flow *)flow = (struct letflow_flow){.path = WEFT_NO_TOR_PATH};
    return 0;
}

static enum weft_arrival
letflow_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    struct letflow *s = state;
    struct letflow_flow *f = flow;
    (void)queue;
    s->current = NULL;
    if (f == NULL || !weft_tor_path_starts(&s->paths, packet))
    {
        return WEFT_ARRIVAL_FORWARD;
    }
    if (f->path == WEFT_NO_TOR_PATH || now - f->last > s->gap)
    {
        s->counters.reroutes += f->path != WEFT_NO_TOR_PATH;
        f->path = (uint16_t)weft_rng_below(&s->rng, s->paths.npaths);
    }
    f->last = now;
    s->current = f;
    weft_tor_path_set(packet, f->path);
    return WEFT_ARRIVAL_FORWARD;
}

static uint32_t
letflow_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct letflow *s = state;
    bool gone;
    const uint32_t port = weft_tor_path_pick(&s->paths, ports, packet, &gone);
    (void)now;
    if (!gone || s->current == NULL)
    {
        return port;
    }
    /* The uplink is gone, and the flowlet with it. */
    const uint32_t other = weft_port_at(ports, weft_rng_below(&s->rng, ports->n));
    s->counters.reroutes++;
    s->current->path = weft_tor_path_move(&s->paths, packet, other);
    return other;
}

static const struct weft_lb_counters *
letflow_counters(const void *state)
{
    return &((const struct letflow *)state)->counters;
}

const struct weft_lb_ops weft_lb_letflow = {
    .algo =
        {
            .name = "letflow",
            .doc = "LetFlow: the source's ToR draws a random path for each flowlet.",
            .source = "Vanini et al., NSDI 2017",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct letflow_config),
        },
    .state_size = letflow_size,
    .init = letflow_init,
    .pick = letflow_pick,
    .pick_last = true,
    .oblivious = true,
    .flow_size = letflow_flow_size,
    .flow_init = letflow_flow_init,
    .arrive = letflow_arrive,
    .counters = letflow_counters,
    .fields = {.reads = WEFT_TOR_PATH_FIELDS, .writes = WEFT_FIELD_META},
};
