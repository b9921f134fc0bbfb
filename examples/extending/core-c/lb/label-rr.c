/* SPDX-License-Identifier: MIT */
/* A QP's packets take a few UDP source ports in turn, so that switches hash them to a few paths. */
#include "lb/ecmp.h"
#include "lb/site.h"
#include "lb/sprayed.h"
#include "roster/tables.h"

/* "lrrq" and "lrrh" in ASCII: this balancer's random streams, one per QP and one per host. */
#define QP_STREAM   (UINT64_C(0x6c727271) << 32)
#define HOST_STREAM (UINT64_C(0x6c727268) << 32)

struct label_rr_config
{
    int64_t labels;
};

struct label_rr
{
    uint16_t first;
    uint16_t step;
    uint16_t labels;
};

static const struct weft_param params[] = {
    {"labels", WEFT_COUNT, WEFT_P(struct label_rr_config, labels), "8", "1", "1024", NULL,
     "Source ports that the packets of a QP take in turn.", "(ours)"},
};

static int
host_init(void *host, const void *config, const struct weft_path_site *site)
{
    (void)config;
    weft_replier_init((struct weft_replier *)host, site, HOST_STREAM, WEFT_REPLIES_ECHO);
    return 0;
}

static size_t
qp_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct label_rr);
}

static int
qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
        uint32_t qp_index)
{
    const int64_t labels = ((const struct label_rr_config *)config)->labels;
    struct weft_rng rng;
    (void)host;
    if (labels < 1 || labels > 1024)
    {
        return weft_refuse_config(site->why, &weft_lb_label_rr.algo, config);
    }
    weft_host_rng(&rng, site, QP_STREAM | qp_index);
    *(struct label_rr *)qp = (struct label_rr){weft_label(&rng), 0, (uint16_t)labels};
    return weft_host_serves(site, &weft_lb_label_rr);
}

static void
data(void *qp, struct weft_packet *packet, int64_t now)
{
    struct label_rr *l = qp;
    (void)now;
    packet->sport = (uint16_t)(l->first + l->step);
    l->step = (uint16_t)(l->step + 1 == l->labels ? 0 : l->step + 1);
}

static const struct weft_path_ops path = {
    .host_size = weft_sprayed_host_size,
    .host_init = host_init,
    .qp_size = qp_size,
    .qp_init = qp_init,
    .data = data,
    .reply = weft_sprayed_reply,
    .fields = {.reads = WEFT_FIELD_ECHO, .writes = WEFT_FIELD_SPORT},
};

static int
init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_label_rr);
    return missing ? missing : weft_sprayed_init(state, config, site);
}

const struct weft_lb_ops weft_lb_label_rr = {
    .algo =
        {
            .name = "label-rr",
            .doc = "A QP's packets take a few UDP source ports in turn, hashed by the switches.",
            .source = "(ours)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct label_rr_config),
        },
    .state_size = weft_sprayed_size,
    .init = init,
    .pick = weft_sprayed_pick,
    .path = &path,
    .oblivious = true,
    .peek = weft_sprayed_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
    .reorders = true,
};
