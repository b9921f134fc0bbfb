/* SPDX-License-Identifier: MIT */
/*
 * Subflows: a QP's packets go out in turn over n labels that it drew when it was made, all of them
 * different. Switches hash a label as they hash any flow, so each subflow keeps to one path. The
 * subflows of a QP share its window, its rate and its acknowledgements.
 */
#include "base/tables.h"
#include "lb/site.h"
#include "lb/sprayed.h"

#include <weft/error.h>

/* "subq" and "subh" in ASCII: this balancer's random streams, one per QP and one per host. */
#define SUBFLOW_QP_STREAM   (UINT64_C(0x73756271) << 32)
#define SUBFLOW_HOST_STREAM (UINT64_C(0x73756268) << 32)

#define LABELS 65536

struct subflow_config
{
    int64_t n;
    int64_t replies; /* enum weft_replies */
};

/* One QP's; its n labels follow. */
struct subflow
{
    uint32_t n;
    uint32_t next; /* the subflow of the next packet */
};

static const struct weft_param params[] = {
    {"n", WEFT_COUNT, WEFT_P(struct subflow_config, n), "4", "1", "1024", NULL, "Subflows of a QP.",
     "ofan Table 2"},
    {"replies", WEFT_CHOICE, WEFT_P(struct subflow_config, replies), "echo", NULL, NULL,
     WEFT_REPLIES_CHOICES, WEFT_REPLIES_DOC, "(ours): a subflow's ACKs are its own, as in MPTCP"},
};

static uint16_t *
labels_of(struct subflow *s)
{
    return (uint16_t *)(void *)(s + 1);
}

static int
subflow_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    weft_replier_init((struct weft_replier *)host, site, SUBFLOW_HOST_STREAM,
                      ((const struct subflow_config *)config)->replies);
    return 0;
}

static size_t
subflow_qp_size(const void *config)
{
    const size_t n = (size_t)((const struct subflow_config *)config)->n;
    return sizeof(struct subflow) + n * sizeof(uint16_t);
}

static int
subflow_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
                uint32_t qp_index)
{
    struct subflow *s = qp;
    uint64_t used[LABELS / 64] = {0};
    struct weft_rng rng;
    const int64_t n = ((const struct subflow_config *)config)->n;
    (void)host;
    if (n < 1 || n > LABELS)
    {
        return weft_refuse_config(site->why, &weft_lb_subflow.algo, config);
    }
    s->n = (uint32_t)n;
    s->next = 0;
    weft_host_rng(&rng, site, SUBFLOW_QP_STREAM | qp_index);
    for (uint32_t i = 0; i < s->n;)
    {
        const uint16_t label = weft_label(&rng);
        const uint64_t bit = UINT64_C(1) << (label & 63U);
        labels_of(s)[i] = label;
        i += (used[label / 64] & bit) == 0;
        used[label / 64] |= bit;
    }
    return 0;
}

static void
subflow_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct subflow *s = qp;
    (void)now;
    data->sport = labels_of(s)[s->next];
    s->next = s->next + 1 < s->n ? s->next + 1 : 0;
}

static const struct weft_path_ops subflow_path = {
    .host_size = weft_sprayed_host_size,
    .host_init = subflow_host_init,
    .qp_size = subflow_qp_size,
    .qp_init = subflow_qp_init,
    .data = subflow_data,
    .reply = weft_sprayed_reply,
};

const struct weft_lb_ops weft_lb_subflow = {
    .algo =
        {
            .name = "subflow",
            .doc =
                "Subflows: a QP's packets in turn over n labels, each hashed as a flow of its own.",
            .source = "ofan §3.2(2)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct subflow_config),
        },
    .state_size = weft_sprayed_size,
    .init = weft_sprayed_init,
    .pick = weft_sprayed_pick,
    .path = &subflow_path,
    .oblivious = true,
    .peek = weft_sprayed_peek,
};
