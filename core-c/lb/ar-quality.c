/* SPDX-License-Identifier: MIT */
/*
 * Adaptive routing by the quality of ports, as Broadcom's switches do it: link load and queue
 * length, measured anew from time to time, are quantised and added up; between two measurements
 * every packet takes a random one of the best ports, whatever has happened to them since.
 *
 * A measurement is made when a packet is to be forwarded and the last one is an interval old.
 */
#include "lb/candidates.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/mmu.h>
#include <weft/rng.h>

/* "arq" in ASCII: this balancer's random streams, one per switch. */
#define AR_QUALITY_STREAM (UINT64_C(0x617271) << 32)

/* Levels of load and of queue length. */
#define LEVELS 8

struct ar_quality_config
{
    int64_t interval;
    int64_t queue;
    int64_t load;
    int64_t length;
};

struct port_quality
{
    uint64_t sent; /* bytes, at the last measurement */
    uint32_t cost; /* the less, the better */
};

struct ar_quality
{
    struct weft_rng rng;
    struct ar_quality_config config;
    const struct weft_port_reader *reader;
    int64_t measured; /* when; -1: never */
    uint32_t nports;
    uint32_t tclass;
};

static const struct weft_param params[] = {
    {"interval", WEFT_TIME, WEFT_P(struct ar_quality_config, interval), "1us", "1ps", "1s", NULL,
     "Time between two measurements, at least.", "pro §VI"},
    {"queue", WEFT_BYTES, WEFT_P(struct ar_quality_config, queue), "100KB", "8B", "1GB", NULL,
     "Queue of the worst level; the eight levels are of equal width.", "(ours)"},
    {"load", WEFT_COUNT, WEFT_P(struct ar_quality_config, load), "1", "0", "100", NULL,
     "Weight of the link's load.", "(ours)"},
    {"length", WEFT_COUNT, WEFT_P(struct ar_quality_config, length), "1", "0", "100", NULL,
     "Weight of the queue's length.", "(ours)"},
};

static struct port_quality *
qualities_of(struct ar_quality *s)
{
    return (struct port_quality *)(void *)(s + 1);
}

static size_t
ar_quality_size(const void *config, const struct weft_site *site)
{
    (void)config;
    return sizeof(struct ar_quality) + weft_per_port(site, sizeof(struct port_quality));
}

static int
ar_quality_init(void *state, const void *config, const struct weft_site *site)
{
    struct ar_quality *s = state;
    const struct ar_quality_config *c = config;
    if (c->interval < 1 || c->queue < LEVELS || c->load < 0 || c->length < 0)
    {
        return weft_refuse_config(site->why, &weft_lb_ar_quality.algo, config);
    }
    if (weft_site_ports(site))
    {
        return WEFT_EINVAL;
    }
    if (site->reader == NULL)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "it measures ports; expected the site to have a reader");
    }
    if (site->tclass < 1 || site->tclass >= WEFT_MAX_CLASSES)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "it asks whether PFC has paused its data; expected the site to have a "
                           "tclass of 1 to 7");
    }
    *s = (struct ar_quality){.config = *c,
                             .reader = site->reader,
                             .measured = -1,
                             .nports = site->nports,
                             .tclass = site->tclass};
    weft_site_rng(&s->rng, site, AR_QUALITY_STREAM | site->switch_index);
    for (uint32_t i = 0; i < s->nports; i++)
    {
        qualities_of(s)[i] = (struct port_quality){0, 0};
    }
    return 0;
}

static uint32_t
level_of(double share)
{
    return share >= 1 ? LEVELS - 1 : (uint32_t)(share * LEVELS);
}

static void
measure(struct ar_quality *s, int64_t now)
{
    const double span = s->measured < 0 ? 0 : (double)(now - s->measured);
    for (uint32_t i = 0; i < s->nports; i++)
    {
        struct port_quality *q = &qualities_of(s)[i];
        struct weft_port_status status;
        s->reader->read(s->reader->of, i, now, &status);
        const double most = (double)status.rate / 8e12 * span; /* bytes in that time */
        const double load = most > 0 ? (double)(status.sent - q->sent) / most : 0;
        const double length = (double)status.queue_bytes / (double)s->config.queue;
        const bool paused = status.paused >> s->tclass & 1U;
        q->sent = status.sent;
        q->cost = (uint32_t)s->config.load * level_of(load) +
                  (uint32_t)s->config.length * (paused ? LEVELS - 1 : level_of(length));
    }
    s->measured = now;
}

static uint32_t
ar_quality_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet,
                int64_t now)
{
    struct ar_quality *s = state;
    (void)packet;
    if (s->measured < 0 || now - s->measured >= s->config.interval)
    {
        measure(s, now);
    }
    const struct port_quality *q = qualities_of(s);
    uint32_t least = UINT32_MAX;
    uint32_t ties = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < ports->n; i++)
    {
        const uint32_t cost = q[weft_port_at(ports, i)].cost;
        ties = cost < least ? 1 : ties + (cost == least);
        best = cost < least || (cost == least && weft_rng_below(&s->rng, ties) == 0) ? i : best;
        least = cost < least ? cost : least;
    }
    return weft_port_at(ports, best);
}

const struct weft_lb_ops weft_lb_ar_quality = {
    .algo =
        {
            .name = "ar-quality",
            .doc = "Adaptive routing by link load and queue length, measured from time to time.",
            .source = "pro §VI",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct ar_quality_config),
        },
    .state_size = ar_quality_size,
    .init = ar_quality_init,
    .pick = ar_quality_pick,
    .reads_ports = true,
    .reorders = true,
};
