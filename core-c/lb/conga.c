/* SPDX-License-Identifier: MIT */
/*
 * CONGA: the source's ToR sends each flowlet by the path whose most loaded link is the least
 * loaded.
 *
 * Every switch keeps a discounting rate estimator (DRE) per port: bytes sent, multiplied by
 * 1 - alpha every period. A data packet collects the greatest level on its path; the destination's
 * ToR keeps it (From-Leaf) and returns it on data that goes the other way (To-Leaf).
 *
 * What a packet carries in meta: [0] its path + 1 (tor-path.h); [1] the greatest level so far and,
 * above it, the level that it returns; [2] the path + 1 that this is about, 0: none.
 */
#include "lb/site.h"
#include "lb/tor-path.h"
#include "roster/tables.h"

#include <weft/clos.h>
#include <weft/error.h>
#include <weft/rng.h>

/* "cong" in ASCII: this balancer's random streams, one per switch. */
#define CONGA_STREAM (UINT64_C(0x636f6e67) << 32)

struct conga_config
{
    int64_t gap;
    int64_t period;
    double alpha;
    int64_t bits;
    int64_t aging;
};

/* Flowlets of one QP, at its source's ToR. */
struct conga_flow
{
    int64_t last; /* when its last packet came */
    uint16_t path;
};

struct conga_dre
{
    int64_t ends; /* the period up to which it has been discounted: when the next one begins, ps */
    uint64_t bytes;
    double full; /* bytes in it at line rate */
};

/* Congestion level of a path to or from another ToR. */
struct conga_level
{
    int64_t at; /* when it was learnt; -1: nothing is known */
    uint8_t level;
    bool changed; /* From-Leaf: it has not been returned since */
};

/* News of levels from another ToR: whether any was learnt, and which are yet to be returned. */
struct conga_news
{
    uint32_t known;   /* 1: some level was learnt */
    uint16_t last;    /* the path whose level was returned last */
    uint16_t changed; /* how many levels have changed and have not been returned since */
};

struct conga
{
    struct weft_tor_paths paths;
    struct weft_rng rng;
    struct conga_config config;
    const struct weft_clos *clos;
    struct conga_flow *current; /* from arrive() to the pick() behind it: whose packet it is */
    uint32_t nports;
    uint32_t ntors; /* 0 above the ToRs */
    struct weft_lb_counters counters;
};

static const struct weft_param params[] = {
    {"gap", WEFT_TIME, WEFT_P(struct conga_config, gap), "100us", "1ps", "1s", NULL,
     "A longer silence of a QP ends its flowlet.", "Alizadeh et al., SIGCOMM 2014, §3.4"},
    {"period", WEFT_TIME, WEFT_P(struct conga_config, period), "50us", "1ns", "1s", NULL,
     "Time between two discounts of a port's load.", "§3.2"},
    {"alpha", WEFT_REAL, WEFT_P(struct conga_config, alpha), "0.2", "0.001", "1", NULL,
     "Share of the load that each discount takes away.", "§3.2"},
    {"bits", WEFT_COUNT, WEFT_P(struct conga_config, bits), "3", "1", "8", NULL,
     "Bits of a congestion level.", "§3.6"},
    {"aging", WEFT_TIME, WEFT_P(struct conga_config, aging), "500us", "1ns", "inf", NULL,
     "Feedback older than this counts as no congestion and is not returned.", "§3.3"},
};

static const struct weft_preset presets[] = {
    {"sigcomm14", "gap=500us period=20us alpha=0.125 bits=3 aging=10ms",
     "The paper's: flowlets of 500 us, a time constant of 160 us, entries of 10 ms.",
     "Alizadeh et al., SIGCOMM 2014, §3"},
};

static size_t
conga_size(const void *config, const struct weft_site *site)
{
    const size_t entries = weft_tor_path_entries(site);
    size_t ntors = 0;
    (void)config;
    /* gcc 14.2 would read clos->ntors always if this were (entries > 0 ? clos->ntors : 0) * size +
     * size. */
    if (entries > 0)
    {
        ntors = site->clos->ntors;
    }
    return sizeof(struct conga) + weft_per_port(site, sizeof(struct conga_dre)) +
           2 * entries * sizeof(struct conga_level) + ntors * sizeof(struct conga_news);
}

static struct conga_dre *
dres_of(struct conga *s)
{
    return (struct conga_dre *)(void *)(s + 1);
}

/* Levels of all paths to a ToR. */
static struct conga_level *
to_leaf(struct conga *s, uint32_t tor)
{
    return (struct conga_level *)(void *)(dres_of(s) + s->nports) + (size_t)tor * s->paths.npaths;
}

/* Levels of all paths from a ToR. */
static struct conga_level *
from_leaf(struct conga *s, uint32_t tor)
{
    return to_leaf(s, s->ntors + tor);
}

static struct conga_news *
news_from(struct conga *s, uint32_t tor)
{
    return (struct conga_news *)(void *)to_leaf(s, 2 * s->ntors) + tor;
}

static int
conga_init(void *state, const void *config, const struct weft_site *site)
{
    struct conga *s = state;
    const struct conga_config *c = config;
    if (c->gap < 1 || c->period < 1 || !(c->alpha > 0 && c->alpha <= 1) || c->bits < 1 ||
        c->bits > 8 || c->aging < 1)
    {
        return weft_refuse_config(site->why, &weft_lb_conga.algo, config);
    }
    if (site->port_rate < 1)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL,
                           "it measures loads; expected the site to have a port_rate");
    }
    *s = (struct conga){.config = *c, .clos = site->clos, .nports = site->nports};
    const int code = weft_tor_paths_init(&s->paths, site, &weft_lb_conga, true);
    if (code)
    {
        return code;
    }
    if (site->tier == 0)
    {
        s->ntors = site->clos->ntors;
    }
    weft_site_rng(&s->rng, site, CONGA_STREAM | site->switch_index);
    for (uint32_t i = 0; i < s->nports; i++)
    {
        int64_t rate, delay;
        weft_clos_port(site->clos, site->switch_index, i, &rate, &delay);
        dres_of(s)[i] = (struct conga_dre){
            .ends = c->period, .full = (double)rate / 8e12 * (double)c->period / c->alpha};
    }
    for (uint32_t i = 0; i < 2 * s->ntors * s->paths.npaths; i++)
    {
        to_leaf(s, 0)[i] = (struct conga_level){.at = -1};
    }
    for (uint32_t i = 0; i < s->ntors; i++)
    {
        *news_from(s, i) = (struct conga_news){.known = 0};
    }
    return 0;
}

static size_t
conga_flow_size(const void *config)
{
    (void)config;
    return sizeof(struct conga_flow);
}

static int
conga_flow_init(void *flow, const void *config)
{
    (void)config;
    *(struct conga_flow *)flow = (struct conga_flow){.path = WEFT_NO_TOR_PATH};
    return 0;
}

/* A port's load, discounted up to @p now. */
static struct conga_dre *
dre_at(struct conga *s, uint32_t port, int64_t now)
{
    struct conga_dre *dre = &dres_of(s)[port];
    if (now >= dre->ends)
    {
        const int64_t periods = (now - dre->ends) / s->config.period + 1;
        for (int64_t left = periods; left > 0 && dre->bytes > 0; left--)
        {
            dre->bytes = (uint64_t)((double)dre->bytes * (1 - s->config.alpha));
        }
        dre->ends += periods * s->config.period;
    }
    return dre;
}

static uint8_t
level_of(const struct conga *s, const struct conga_dre *dre)
{
    const uint32_t top = (1U << s->config.bits) - 1;
    const double level = (double)dre->bytes / dre->full * (double)(top + 1);
    return (uint8_t)(level < top ? (uint32_t)level : top);
}

/* A port's level at @p now. */
static uint8_t
level_at(struct conga *s, uint32_t port, int64_t now)
{
    return level_of(s, dre_at(s, port, now));
}

static uint8_t
known(const struct conga *s, const struct conga_level *level, int64_t now)
{
    return level->at >= 0 && now - level->at <= s->config.aging ? level->level : 0;
}

/* The path to @p tor whose worst link is best; @p old if that is none the worse. */
static uint16_t
best_path(struct conga *s, uint32_t tor, uint16_t old, int64_t now)
{
    const struct conga_level *levels = to_leaf(s, tor);
    uint32_t best = UINT32_MAX;
    uint32_t ties = 0;
    uint16_t path = 0;
    const uint16_t stride = (uint16_t)weft_tor_path_stride(&s->paths, tor);
    for (uint16_t i = 0; i < s->paths.npaths; i = (uint16_t)(i + stride))
    {
        const uint32_t local = level_at(s, weft_tor_path_port(&s->paths, i), now);
        const uint32_t remote = known(s, &levels[i], now);
        const uint32_t cost = local > remote ? local : remote;
        if (cost > best || (cost == best && path == old))
        {
            continue;
        }
        ties = cost < best ? 1 : ties + 1;
        path = cost < best || i == old || weft_rng_below(&s->rng, ties) == 0 ? i : path;
        best = cost;
    }
    return path;
}

/* The path of @p tor whose level is to be returned next: one that has changed, else the next in
 * turn; npaths: all are too old. */
static uint32_t
next_news(struct conga *s, uint32_t tor, int64_t now)
{
    const struct conga_level *levels = from_leaf(s, tor);
    const struct conga_news *news = news_from(s, tor);
    const uint32_t n = s->paths.npaths;
    uint32_t chosen = n;
    uint32_t path = news->last;
    for (uint32_t left = n; left > 0; left--)
    {
        path = path + 1 < n ? path + 1 : 0;
        if (levels[path].at < 0 || now - levels[path].at > s->config.aging)
        {
            continue;
        }
        if (levels[path].changed || news->changed == 0)
        {
            return path;
        }
        chosen = chosen == n ? path : chosen;
    }
    return chosen;
}

/* Returns a level of @p tor on a packet to it. */
static void
give_back(struct conga *s, uint32_t tor, struct weft_packet *packet, int64_t now)
{
    struct conga_news *news = news_from(s, tor);
    const uint32_t path = news->known > 0 ? next_news(s, tor, now) : s->paths.npaths;
    if (path < s->paths.npaths)
    {
        struct conga_level *level = &from_leaf(s, tor)[path];
        news->changed = (uint16_t)(news->changed - level->changed);
        news->last = (uint16_t)path;
        level->changed = false;
        packet->meta[1] = (uint16_t)(level->level << 8);
        packet->meta[2] = (uint16_t)(path + 1);
    }
}

/* Data from another ToR: learns the level of its path, and what it returns. */
static void
learn(struct conga *s, const struct weft_packet *packet, int64_t now)
{
    const uint32_t tor = weft_clos_tor(s->clos, packet->src);
    const uint16_t path = weft_tor_path(packet);
    if (path < s->paths.npaths)
    {
        struct conga_level *from = &from_leaf(s, tor)[path];
        struct conga_news *news = news_from(s, tor);
        const uint8_t level = (uint8_t)packet->meta[1];
        const bool changes = from->at < 0 || from->level != level;
        news->known = 1;
        news->changed = (uint16_t)(news->changed + (changes && !from->changed));
        *from =
            (struct conga_level){.at = now, .level = level, .changed = changes || from->changed};
    }
    if (packet->meta[2] > 0 && packet->meta[2] <= s->paths.npaths)
    {
        to_leaf(s, tor)[packet->meta[2] - 1] =
            (struct conga_level){.at = now, .level = (uint8_t)(packet->meta[1] >> 8)};
    }
}

static enum weft_arrival
conga_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    struct conga *s = state;
    struct conga_flow *f = flow;
    (void)queue;
    s->current = NULL;
    if (f == NULL || packet->kind != WEFT_DATA)
    {
        return WEFT_ARRIVAL_FORWARD;
    }
    if (!weft_tor_path_starts(&s->paths, packet))
    {
        learn(s, packet, now);
        return WEFT_ARRIVAL_FORWARD;
    }
    const uint32_t tor = weft_clos_tor(s->clos, packet->dst);
    if (f->path == WEFT_NO_TOR_PATH || now - f->last > s->config.gap)
    {
        const uint16_t path = best_path(s, tor, f->path, now);
        s->counters.reroutes += f->path != WEFT_NO_TOR_PATH && path != f->path;
        f->path = path;
    }
    f->last = now;
    s->current = f;
    weft_tor_path_set(packet, f->path);
    give_back(s, tor, packet, now);
    return WEFT_ARRIVAL_FORWARD;
}

static uint32_t
conga_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct conga *s = state;
    bool gone;
    const uint32_t port = weft_tor_path_pick(&s->paths, ports, packet, &gone);
    if (!gone || s->current == NULL)
    {
        return port;
    }
    /* The uplink is gone: the least loaded of the others. */
    uint32_t best = weft_port_at(ports, 0);
    for (uint32_t i = 1; i < ports->n; i++)
    {
        const uint32_t other = weft_port_at(ports, i);
        best = level_at(s, other, now) < level_at(s, best, now) ? other : best;
    }
    s->counters.reroutes++;
    s->current->path = weft_tor_path_move(&s->paths, packet, best);
    return best;
}

static void
conga_leave(void *state, struct weft_packet *data, uint32_t port, int64_t now)
{
    struct conga *s = state;
    if (weft_tor_path(data) == WEFT_NO_TOR_PATH || (s->ntors > 0 && port < s->paths.first_up))
    {
        return;
    }
    struct conga_dre *dre = dre_at(s, port, now);
    dre->bytes += data->bytes;
    const uint8_t level = level_of(s, dre);
    if (level > (uint8_t)data->meta[1])
    {
        data->meta[1] = (uint16_t)((data->meta[1] & 0xff00) | level);
    }
}

static const struct weft_lb_counters *
conga_counters(const void *state)
{
    return &((const struct conga *)state)->counters;
}

const struct weft_lb_ops weft_lb_conga = {
    .algo =
        {
            .name = "conga",
            .doc = "CONGA: a flowlet takes the path whose most loaded link is the least loaded.",
            .source = "Alizadeh et al., SIGCOMM 2014",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct conga_config),
        },
    .state_size = conga_size,
    .init = conga_init,
    .pick = conga_pick,
    .pick_last = true,
    .oblivious = true,
    .flow_size = conga_flow_size,
    .flow_init = conga_flow_init,
    .arrive = conga_arrive,
    .leave = conga_leave,
    .counters = conga_counters,
    .fields = {.reads = WEFT_TOR_PATH_FIELDS | WEFT_FIELD_BYTES, .writes = WEFT_FIELD_META},
};
