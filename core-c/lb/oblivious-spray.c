/* SPDX-License-Identifier: MIT */
/*
 * Oblivious packet spraying at the hosts: every packet leaves with a source port of its own, drawn
 * uniformly from all 65,536, and switches hash it as they hash any flow. For one pair of hosts, the
 * shares of a switch's n ports then differ by some sqrt(n / 65536) of a share (1.6 % for 16 ports);
 * with the 16,384 ports of the dynamic range it would be twice that. A QP may have fewer
 * (`labels`).
 */
#include "lb/ecmp.h"
#include "lb/site.h"
#include "lb/sprayed.h"
#include "roster/tables.h"

/* "opsq" and "opsh" in ASCII: this balancer's random streams, one per QP and one per host. */
#define QP_STREAM   (UINT64_C(0x6f707371) << 32)
#define HOST_STREAM (UINT64_C(0x6f707368) << 32)

struct spray_config
{
    int64_t replies; /* enum weft_replies */
    int64_t labels;
};

static const struct weft_param params[] = {
    {"replies", WEFT_CHOICE, WEFT_P(struct spray_config, replies), "spray", NULL, NULL,
     WEFT_REPLIES_CHOICES, WEFT_REPLIES_DOC, "ofan §3.2(4) leaves it open; spray (ours)"},
    WEFT_LABELS_PARAM(struct spray_config,
                      "Each of fewer than 65,536 leaves once before one leaves again, as in "
                      "UEC's simulator, which has 256."),
};

static int
spray_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    weft_replier_init((struct weft_replier *)host, site, HOST_STREAM,
                      ((const struct spray_config *)config)->replies);
    return 0;
}

static size_t
spray_qp_size(const void *config, const struct weft_path_site *site)
{
    (void)site;
    return sizeof(struct weft_rng) +
           weft_few_labels_size(((const struct spray_config *)config)->labels);
}

static int
spray_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
              uint32_t qp_index)
{
    struct weft_rng *rng = qp;
    const struct spray_config *c = config;
    (void)host;
    if (c->labels < 1 || c->labels > WEFT_LABELS)
    {
        return weft_refuse_config(site->why, &weft_lb_oblivious_spray.algo, config);
    }
    weft_host_rng(rng, site, QP_STREAM | qp_index);
    weft_few_labels_begin((struct weft_few_labels *)(void *)(rng + 1), rng, c->labels, true);
    return weft_host_serves(site, &weft_lb_oblivious_spray);
}

static void
spray_data(void *qp, struct weft_packet *data, int64_t now)
{
    (void)now;
    data->sport = weft_label((struct weft_rng *)qp);
}

static int
spray_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_oblivious_spray);
    return missing ? missing : weft_sprayed_init(state, config, site);
}

static const struct weft_path_ops spray_path = {
    .host_size = weft_sprayed_host_size,
    .host_init = spray_host_init,
    .qp_size = spray_qp_size,
    .qp_init = spray_qp_init,
    .data = spray_data,
    .reply = weft_sprayed_reply,
    .fields = {.reads = WEFT_FIELD_ECHO, .writes = WEFT_FIELD_SPORT},
};

const struct weft_lb_ops weft_lb_oblivious_spray = {
    .algo =
        {
            .name = "ops",
            .doc = "Oblivious packet spraying: a random UDP source port per packet, hashed by the "
                   "switches.",
            .source = "ofan §3.2(4)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct spray_config),
        },
    .state_size = weft_sprayed_size,
    .init = spray_init,
    .pick = weft_sprayed_pick,
    .any_hash = true,
    .path = &spray_path,
    .oblivious = true,
    .peek = weft_sprayed_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
    .reorders = true,
};
