/* SPDX-License-Identifier: MIT */
/* Large messages go out on several QPs, each of which ECMP hashes by itself; small ones on one. */
#include "lb/ecmp.h"
#include "lb/site.h"
#include "lb/sprayed.h"
#include "roster/tables.h"

#include <weft/plan.h>
#include <weft/theory.h>

struct split_config
{
    int64_t above;
    int64_t qps;
};

struct split
{
    uint64_t above;
    int64_t payload;
    uint32_t qps;
};

static const struct weft_param params[] = {
    {"above", WEFT_BYTES, WEFT_P(struct split_config, above), "256KB", "0B", "1000000GB", NULL,
     "Longest message that goes out whole.", "(ours)"},
    {"qps", WEFT_COUNT, WEFT_P(struct split_config, qps), "4", "1", "1024", NULL,
     "QPs that a longer one is split over.", "(ours)"},
};

static size_t
host_size(const void *config, const struct weft_plan_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct split);
}

static int
host_init(void *host, const void *config, const struct weft_plan_site *site)
{
    const struct split_config *c = config;
    if (c->above < 0 || c->qps < 1 || c->qps > 1024)
    {
        return weft_refuse_config(site->why, &weft_lb_split_large.algo, config);
    }
    if (site->payload < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site does not say how long a packet is; expected payload > 0");
    }
    *(struct split *)host = (struct split){(uint64_t)c->above, site->payload, (uint32_t)c->qps};
    return 0;
}

static uint32_t
qps(const void *config)
{
    return (uint32_t)((const struct split_config *)config)->qps;
}

static size_t
most_parts(const void *host, const struct weft_plan_message *messages, size_t n)
{
    (void)messages;
    return n * ((const struct split *)host)->qps;
}

/* Whole packets, the first parts one more each. */
static size_t
plan(void *host, const struct weft_plan_message *messages, size_t n, int64_t now,
     struct weft_plan_part *parts)
{
    const struct split *s = host;
    size_t made = 0;
    (void)now;
    for (uint32_t m = 0; m < n; m++)
    {
        uint64_t left = messages[m].bytes;
        const uint64_t packets = weft_packets(left, s->payload);
        const uint64_t split = left > s->above ? s->qps : 1;
        const uint64_t pieces = packets < split ? packets : split;
        for (uint32_t i = 0; i < pieces; i++)
        {
            const uint64_t share = packets / pieces + (i < packets % pieces);
            const uint64_t bytes = share * (uint64_t)s->payload;
            parts[made] = (struct weft_plan_part){
                .message = m, .qp = i, .bytes = bytes < left ? bytes : left};
            left -= parts[made++].bytes;
        }
    }
    return made;
}

static const struct weft_plan_ops planner = {
    .host_size = host_size,
    .host_init = host_init,
    .qps = qps,
    .most_parts = most_parts,
    .plan = plan,
};

static int
init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_split_large);
    return missing ? missing : weft_sprayed_init(state, config, site);
}

const struct weft_lb_ops weft_lb_split_large = {
    .algo =
        {
            .name = "split-large",
            .doc = "Large messages are split over several QPs, and ECMP hashes each of them.",
            .source = "(ours)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct split_config),
        },
    .state_size = weft_sprayed_size,
    .init = init,
    .pick = weft_sprayed_pick,
    .plan = &planner,
    .oblivious = true,
    .peek = weft_sprayed_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
};
