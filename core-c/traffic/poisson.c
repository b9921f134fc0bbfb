/* SPDX-License-Identifier: MIT */
/*
 * Flows that come at random, as data-center workloads are simulated: a Poisson process over all
 * hosts, sizes from a distribution, source and destination uniform. The load is that of the hosts'
 * links, as HPCC's and ConWeave's generators have it: the share of its line rate that the average
 * host sends, frames' headers not counted. n hosts of rate C with flows of s bytes on average start
 * load n C / (8 s) of them a second. On links between switches it is what becomes of that: more
 * where they are oversubscribed.
 *
 * Three random streams, for gaps, sizes and pairs: flows are the same at another load but for their
 * times.
 */
#include "base/exponential.h"
#include "roster/tables.h"
#include "traffic/groups.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>

/* "pois" in ASCII, and which of the three. */
#define STREAM (UINT64_C(0x706f6973) << 32)

#define MOST_START INT64_C(1000000000000000) /* ps: 1000 s */

struct poisson_config
{
    int64_t start; /* ps */
    int64_t flows;
    int64_t duration; /* ps; 0: flows counts */
    double load;
    int64_t inter_rack;
    const struct weft_table *table;
};

static const struct weft_param params[] = {
    {"load", WEFT_REAL, WEFT_P(struct poisson_config, load), NULL, "0.000001", "10", NULL,
     "Payload that the average host is given to send, as a share of its line rate.", "(ours)"},
    {"flows", WEFT_COUNT, WEFT_P(struct poisson_config, flows), "1000", "1", "16777216", NULL,
     "How many flows start.", "(ours)"},
    {"duration", WEFT_TIME, WEFT_P(struct poisson_config, duration), "0s", "0s", "1000s", NULL,
     "If not 0s, as many flows start as arrive in this time on average, whatever flows says.",
     "(ours)"},
    {"inter-rack", WEFT_BOOL, WEFT_P(struct poisson_config, inter_rack), "off", NULL, NULL, NULL,
     "Only pairs of hosts behind different ToRs.", "(ours)"},
    {"start", WEFT_TIME, WEFT_P(struct poisson_config, start), "0s", "0s", "1000s", NULL,
     "The process begins at this time.", "(ours)"},
};

static void
poisson_use(void *config, const struct weft_table *table)
{
    struct poisson_config *c = config;
    c->table = table;
}

/* Bytes rise, and shares from 0 to 1. */
static bool
is_distribution(const struct weft_table *t)
{
    if (!t || t->nsizes < 2 || t->sizes[0].share != 0 || t->sizes[t->nsizes - 1].share != 1)
    {
        return false;
    }
    bool rising = t->sizes[t->nsizes - 1].bytes > 0;
    for (uint32_t i = 1; i < t->nsizes; i++)
    {
        rising = rising && t->sizes[i].bytes >= t->sizes[i - 1].bytes &&
                 t->sizes[i].share >= t->sizes[i - 1].share;
    }
    return rising;
}

static double
mean_bytes(const struct weft_table *t)
{
    double mean = 0;
    for (uint32_t i = 1; i < t->nsizes; i++)
    {
        const struct weft_table_size *p = &t->sizes[i - 1];
        mean += (p[1].share - p[0].share) * ((double)p[0].bytes + (double)p[1].bytes) / 2;
    }
    return mean;
}

/* Mean ps between two flows. */
static double
mean_gap(const struct poisson_config *c, const struct weft_hosts *hosts)
{
    return mean_bytes(c->table) * 8e12 / (c->load * (double)hosts->n * (double)hosts->rate);
}

static double
flows_of(const struct poisson_config *c, const struct weft_hosts *hosts)
{
    return c->duration > 0 ? floor((double)c->duration / mean_gap(c, hosts) + 0.5)
                           : (double)c->flows;
}

/* Whether the hosts are behind two ToRs at least. */
static bool
has_racks(const struct weft_hosts *hosts)
{
    uint32_t i = 0;
    while (hosts->per_tor > 0 && i < hosts->n && weft_host_tor(hosts, i) == weft_host_tor(hosts, 0))
    {
        i++;
    }
    return hosts->per_tor > 0 && i < hosts->n;
}

/* NULL, or what is wrong. */
static const char *
poisson_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct poisson_config *c = config;
    if (!is_distribution(c->table))
    {
        return "the sizes are no distribution; expected two or more points whose bytes rise and "
               "whose shares rise from 0 to 1";
    }
    if (hosts->n < 2 || hosts->rate < 1 || !(c->load > 0))
    {
        return "nobody sends; expected two hosts, their line rate and a load";
    }
    if (c->start < 0 || c->start > MOST_START)
    {
        return "the start is out of bounds; expected 0s to 1000s";
    }
    if (c->inter_rack && !has_racks(hosts))
    {
        return "inter-rack has no other rack to send to; expected two ToRs with hosts";
    }
    if (flows_of(c, hosts) < 1)
    {
        return "no flow starts in that time on average; expected a longer duration or more load";
    }
    if (flows_of(c, hosts) * mean_gap(c, hosts) > (double)MOST_START)
    {
        return "the flows take more than 1000 s to start; expected fewer or more load";
    }
    return NULL;
}

static int
poisson_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct poisson_config *c = config;
    if (poisson_refusal(config, hosts))
    {
        return WEFT_ERANGE;
    }
    const double flows = flows_of(c, hosts);
    if (flows > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    *out = (struct weft_traffic_size){(uint32_t)flows, (uint32_t)flows, 0, 1, 1, 0};
    return 0;
}

double
weft_poisson_span(const void *config, const struct weft_hosts *hosts)
{
    return flows_of(config, hosts) * mean_gap(config, hosts);
}

static int
poisson_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    return weft_workload_refuse(poisson_count(config, hosts, out), config, hosts, poisson_refusal);
}

static uint64_t
draw_bytes(const struct weft_table *t, struct weft_rng *rng)
{
    const double u = weft_rng_unit(rng);
    const struct weft_table_size *p = t->sizes;
    while (p[1].share <= u)
    {
        p++;
    }
    const double more = (u - p[0].share) / (p[1].share - p[0].share);
    const double bytes = (double)p[0].bytes + more * (double)(p[1].bytes - p[0].bytes);
    return bytes < 1 ? 1 : (uint64_t)(bytes + 0.5);
}

static void
draw_pair(const struct poisson_config *c, const struct weft_hosts *hosts, struct weft_rng *rng,
          struct weft_message *m)
{
    m->src = weft_rng_below(rng, hosts->n);
    do
    {
        m->dst = weft_rng_below(rng, hosts->n - 1);
        m->dst += m->dst >= m->src;
    } while (c->inter_rack && weft_host_tor(hosts, m->dst) == weft_host_tor(hosts, m->src));
}

static int
poisson_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
             struct weft_message *messages, uint32_t *next)
{
    const struct poisson_config *c = config;
    struct weft_traffic_size size = {0};
    const int error = poisson_size(config, hosts, &size);
    struct weft_rng gaps, sizes, pairs;
    (void)next;
    if (error)
    {
        return error;
    }
    const double gap = mean_gap(c, hosts);
    int64_t now = c->start;
    weft_rng_seed(&gaps, seed, run, STREAM);
    weft_rng_seed(&sizes, seed, run, STREAM | 1);
    weft_rng_seed(&pairs, seed, run, STREAM | 2);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        struct weft_message *m = &messages[i];
        memset(m, 0, sizeof *m);
        now += (int64_t)(weft_rng_exponential(&gaps) * gap + 0.5);
        m->start = now;
        m->bytes = draw_bytes(c->table, &sizes);
        m->qp = i;
        draw_pair(c, hosts, &pairs, m);
    }
    return 0;
}

const struct weft_workload_ops weft_workload_poisson = {
    {"poisson", "Flows that start at random between random hosts; a file has their sizes.",
     "Alizadeh et al. 2013 (pFabric) §5", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct poisson_config), NULL},
    poisson_size,
    poisson_fill,
    NULL,
    WEFT_TABLE_SIZES,
    poisson_use,
    NULL,
};
