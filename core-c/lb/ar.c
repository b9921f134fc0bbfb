/* SPDX-License-Identifier: MIT */
/*
 * Adaptive routing as switches do it: queue lengths are quantised by three thresholds, and every
 * packet takes a random port of the least bin. A queue exactly at a threshold is in the higher bin.
 */
#include "lb/candidates.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <assert.h>

#include <weft/error.h>
#include <weft/rng.h>

/* "ar" in ASCII: this balancer's random streams, one per switch. */
#define AR_STREAM (UINT64_C(0x6172) << 32)

struct ar_config
{
    double low; /* per cent of the port's buffer */
    double middle;
    double high;
};

struct ar
{
    struct weft_rng rng;
    uint32_t threshold[3]; /* bytes: the least queue of bins 1, 2 and 3 */
};

static const struct weft_param params[] = {
    {"low", WEFT_REAL, WEFT_P(struct ar_config, low), "5", "0", "100", NULL,
     "First threshold, per cent of the port's share of the buffer.", "ofan §3.2"},
    {"middle", WEFT_REAL, WEFT_P(struct ar_config, middle), "10", "0", "100", NULL,
     "Second threshold, per cent of the port's share of the buffer.", "ofan §3.2"},
    {"high", WEFT_REAL, WEFT_P(struct ar_config, high), "20", "0", "100", NULL,
     "Third threshold, per cent of the port's share of the buffer.", "ofan §3.2"},
};

static const char *
check(const void *config)
{
    const struct ar_config *c = config;
    if (c->low > c->middle || c->middle > c->high)
    {
        return "thresholds are out of order; expected low <= middle <= high";
    }
    return NULL;
}

/* The least whole number of bytes that is not below the threshold. */
static uint32_t
threshold(double percent, int64_t buffer)
{
    double exact = percent * (double)buffer / 100.0;
    if (exact >= (double)UINT32_MAX)
    {
        return UINT32_MAX;
    }
    uint32_t bytes = (uint32_t)exact;
    return (double)bytes < exact ? bytes + 1 : bytes;
}

static size_t
ar_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct ar);
}

static int
ar_init(void *state, const void *config, const struct weft_site *site)
{
    struct ar *ar = state;
    const struct ar_config *c = config;
    if (check(config))
    {
        return weft_refuse_config(site->why, &weft_lb_ar.algo, config);
    }
    if (site->port_buffer < 1)
    {
        return weft_refuse(
            site->why, WEFT_ERANGE, NULL,
            "the thresholds are shares of a port's buffer; expected the site to have "
            "a port_buffer");
    }
    weft_site_rng(&ar->rng, site, AR_STREAM | site->switch_index);
    ar->threshold[0] = threshold(c->low, site->port_buffer);
    ar->threshold[1] = threshold(c->middle, site->port_buffer);
    ar->threshold[2] = threshold(c->high, site->port_buffer);
    return weft_site_ports(site);
}

static inline uint32_t
bin_of(const struct ar *ar, uint32_t queue)
{
    return (uint32_t)(queue >= ar->threshold[0]) + (uint32_t)(queue >= ar->threshold[1]) +
           (uint32_t)(queue >= ar->threshold[2]);
}

/* The longest queue of a bin. */
static inline uint32_t
end_of(const struct ar *ar, uint32_t bin)
{
    return bin < 3 ? ar->threshold[bin] - 1 : UINT32_MAX;
}

static uint32_t
ar_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct ar *ar = state;
    const uint32_t distinct = weft_ports_distinct(ports);
    uint16_t least[WEFT_MAX_PORTS];
    uint32_t count = 0;
    uint32_t best = UINT32_MAX;
    (void)packet;
    (void)now;
    assert(ports->n >= 1 && ports->n <= WEFT_MAX_PORTS);
    for (uint32_t i = 0; i < distinct; i++)
    {
        const uint32_t port = weft_port_at(ports, i);
        const uint32_t bin = bin_of(ar, ports->queue_bytes[port]);
        count = bin < best ? 0 : count;
        best = bin < best ? bin : best;
        least[count] = (uint16_t)port;
        count += bin == best;
    }
    return least[weft_ties_draw(&ar->rng, ports, end_of(ar, best), count)];
}

const struct weft_lb_ops weft_lb_ar = {
    .algo =
        {
            .name = "ar",
            .doc =
                "Adaptive routing: a random port among those in the lowest bin of queue lengths.",
            .source = "ofan §3.2; themis §2.2",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct ar_config),
            .check = check,
        },
    .state_size = ar_size,
    .init = ar_init,
    .pick = ar_pick,
    .reorders = true,
};
