/* SPDX-License-Identifier: MIT */
/*
 * Subflows: a message is divided into n parts of (almost) equal length, each of which goes out on a
 * QP of its own, with a label of its own: parallel flows, as in MPTCP. Switches hash a label as
 * they hash any flow. Each subflow has its own window, rate and acknowledgements.
 */
#include "lb/ecmp.h"
#include "lb/site.h"
#include "lb/sprayed.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/plan.h>
#include <weft/wire-time.h>

/* "subq" and "subh" in ASCII: this balancer's random streams, one per connection and one per host.
 */
#define SUBFLOW_QP_STREAM   (UINT64_C(0x73756271) << 32)
#define SUBFLOW_HOST_STREAM (UINT64_C(0x73756268) << 32)

#define LABELS 65536

struct subflow_config
{
    int64_t n;
    int64_t replies; /* enum weft_replies */
};

/* A host's, as a planner. */
struct subflow_planner
{
    uint64_t seed;
    uint64_t run;
    const struct weft_random_source *random;
    int64_t payload;
    uint32_t n;
};

/* A QP's. */
struct subflow
{
    uint16_t label;
    bool labelled;
};

static const struct weft_param params[] = {
    {"n", WEFT_COUNT, WEFT_P(struct subflow_config, n), "4", "1", "1024", NULL,
     "Subflows of a connection.", "ofan Table 2"},
    {"replies", WEFT_CHOICE, WEFT_P(struct subflow_config, replies), "echo", NULL, NULL,
     WEFT_REPLIES_CHOICES, WEFT_REPLIES_DOC, "(ours): a subflow's ACKs are its own, as in MPTCP"},
};

static int
subflow_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    weft_replier_init((struct weft_replier *)host, site, SUBFLOW_HOST_STREAM,
                      ((const struct subflow_config *)config)->replies);
    return 0;
}

static size_t
subflow_qp_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct subflow);
}

static int
subflow_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
                uint32_t qp_index)
{
    (void)host;
    (void)config;
    (void)qp_index;
    *(struct subflow *)qp = (struct subflow){.labelled = false};
    return weft_host_serves(site, &weft_lb_subflow);
}

static void
subflow_label(void *qp, uint16_t label, int64_t now)
{
    (void)now;
    *(struct subflow *)qp = (struct subflow){.label = label, .labelled = true};
}

/* A QP that no plan has labelled keeps to its own source port. */
static void
subflow_data(void *qp, struct weft_packet *data, int64_t now)
{
    const struct subflow *s = qp;
    (void)now;
    data->sport = s->labelled ? s->label : data->sport;
}

static size_t
planner_size(const void *config, const struct weft_plan_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct subflow_planner);
}

static int
planner_init(void *host, const void *config, const struct weft_plan_site *site)
{
    const int64_t n = ((const struct subflow_config *)config)->n;
    if (n < 1 || n > LABELS)
    {
        return weft_refuse_config(site->why, &weft_lb_subflow.algo, config);
    }
    if (site->payload < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site does not say how long a packet is; expected payload > 0");
    }
    *(struct subflow_planner *)host = (struct subflow_planner){.seed = site->seed,
                                                               .run = site->run,
                                                               .random = site->random,
                                                               .payload = site->payload,
                                                               .n = (uint32_t)n};
    return 0;
}

static uint32_t
planner_qps(const void *config)
{
    return (uint32_t)((const struct subflow_config *)config)->n;
}

static size_t
planner_most_parts(const void *host, const struct weft_plan_message *messages, size_t n)
{
    (void)messages;
    return n * ((const struct subflow_planner *)host)->n;
}

/* The labels of a connection, all different, the same each time. */
static void
label_parts(const struct subflow_planner *h, uint32_t connection, struct weft_plan_part *parts,
            size_t n)
{
    uint64_t used[LABELS / 64] = {0};
    struct weft_rng rng;
    weft_stream_begin(&rng, h->random, h->seed, h->run, SUBFLOW_QP_STREAM | connection);
    for (size_t i = 0; i < n;)
    {
        const uint16_t label = weft_label(&rng);
        const uint64_t bit = UINT64_C(1) << (label & 63U);
        parts[i].label = label;
        parts[i].labelled = true;
        i += (used[label / 64] & bit) == 0;
        used[label / 64] |= bit;
    }
}

/* Whole packets, the first parts one more each; a message of fewer packets has fewer parts. Only
 * the last part may end with a short packet. */
static size_t
divide(const struct subflow_planner *h, const struct weft_plan_message *m, uint32_t message,
       struct weft_plan_part *parts)
{
    const uint64_t packets = weft_packets(m->bytes, h->payload);
    const uint32_t n = packets < h->n ? (uint32_t)packets : h->n;
    uint64_t left = m->bytes;
    for (uint32_t i = 0; i < n; i++)
    {
        const uint64_t share = packets / n + (i < packets % n);
        const uint64_t bytes = share * (uint64_t)h->payload;
        parts[i] = (struct weft_plan_part){
            .message = message, .qp = i, .bytes = bytes < left ? bytes : left};
        left -= parts[i].bytes;
    }
    label_parts(h, m->connection, parts, n);
    return n;
}

static size_t
planner_plan(void *host, const struct weft_plan_message *messages, size_t n, int64_t now,
             struct weft_plan_part *parts)
{
    (void)now;
    size_t made = 0;
    for (size_t i = 0; i < n; i++)
    {
        made += divide(host, &messages[i], (uint32_t)i, parts + made);
    }
    return made;
}

static const struct weft_plan_ops subflow_plan = {
    .host_size = planner_size,
    .host_init = planner_init,
    .qps = planner_qps,
    .most_parts = planner_most_parts,
    .plan = planner_plan,
};

static int
subflow_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_subflow);
    return missing ? missing : weft_sprayed_init(state, config, site);
}

static const struct weft_path_ops subflow_path = {
    .host_size = weft_sprayed_host_size,
    .host_init = subflow_host_init,
    .qp_size = subflow_qp_size,
    .qp_init = subflow_qp_init,
    .data = subflow_data,
    .reply = weft_sprayed_reply,
    .on_label = subflow_label,
    .fields = {.reads = WEFT_FIELD_ECHO, .writes = WEFT_FIELD_SPORT},
};

const struct weft_lb_ops weft_lb_subflow = {
    .algo =
        {
            .name = "subflow",
            .doc = "Subflows: a message in n parts, each a flow of its own with its own label.",
            .source = "ofan §3.2(2)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct subflow_config),
        },
    .state_size = weft_sprayed_size,
    .init = subflow_init,
    .pick = weft_sprayed_pick,
    .any_hash = true,
    .path = &subflow_path,
    .plan = &subflow_plan,
    .oblivious = true,
    .peek = weft_sprayed_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
};
