/* SPDX-License-Identifier: MIT */
/*
 * Protective load balancing without idle times: a QP keeps to one label, at first its own source
 * port, and takes a random one when too many of the packets acknowledged last were marked, at most
 * once per alpha packets sent. An ACK counts whichever label its packet had: for a round trip after
 * a change the old path's marks still come back, and what alpha must be depends on that.
 */
#include "lb/ecmp.h"
#include "lb/site.h"
#include "lb/sprayed.h"
#include "roster/tables.h"

#include <weft/error.h>

/* "plbq" and "plbh" in ASCII: this balancer's random streams, one per QP and one per host. */
#define PLB_QP_STREAM   (UINT64_C(0x706c6271) << 32)
#define PLB_HOST_STREAM (UINT64_C(0x706c6268) << 32)

struct plb_config
{
    int64_t alpha;
    double beta;
    int64_t window;
    int64_t timeout; /* 0 or 1 */
    int64_t replies; /* enum weft_replies */
};

struct plb
{
    struct weft_rng rng;
    uint64_t marks;     /* of the last `window` ACKs, newest in bit 0 */
    uint64_t alpha;     /* packets sent between changes */
    uint64_t since;     /* packets sent since the last one */
    uint32_t marked;    /* bits set in marks */
    uint32_t tolerated; /* as many do not change the label */
    uint16_t label;
    uint8_t newest; /* window - 1 */
    bool changed;   /* false: the label is the QP's own source port */
    bool timeout;
};

static const struct weft_param params[] = {
    {"alpha", WEFT_COUNT, WEFT_P(struct plb_config, alpha), "10", "1", "1000000000", NULL,
     "The label changes at most once per this many packets sent.", "ofan §3.2(3); 10 (ours)"},
    {"beta", WEFT_REAL, WEFT_P(struct plb_config, beta), "40", "0", "100", NULL,
     "It changes when more than this share of recent packets was marked, per cent.",
     "ofan §3.2(3), Table 2"},
    {"window", WEFT_COUNT, WEFT_P(struct plb_config, window), "10", "1", "64", NULL,
     "Recent packets: the last ones acknowledged; those missing at first count as unmarked.",
     "(ours)"},
    {"timeout", WEFT_BOOL, WEFT_P(struct plb_config, timeout), "on", NULL, NULL, NULL,
     "A retransmission timeout changes the label too, however many packets were sent.",
     "Linux tcp_write_timeout(); ofan is silent"},
    {"replies", WEFT_CHOICE, WEFT_P(struct plb_config, replies), "ecmp", NULL, NULL,
     WEFT_REPLIES_CHOICES, WEFT_REPLIES_DOC, "(ours): a host changes the labels of its own data"},
};

static int
plb_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    weft_replier_init((struct weft_replier *)host, site, PLB_HOST_STREAM,
                      ((const struct plb_config *)config)->replies);
    return 0;
}

static size_t
plb_qp_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct plb);
}

static int
plb_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
            uint32_t qp_index)
{
    struct plb *p = qp;
    const struct plb_config *c = config;
    (void)host;
    if (c->alpha < 1 || c->window < 1 || c->window > 64 || !(c->beta >= 0 && c->beta <= 100))
    {
        return weft_refuse_config(site->why, &weft_lb_plb.algo, config);
    }
    weft_host_rng(&p->rng, site, PLB_QP_STREAM | qp_index);
    p->marks = 0;
    p->alpha = (uint64_t)c->alpha;
    p->since = 0;
    p->marked = 0;
    p->tolerated = (uint32_t)(c->beta * (double)c->window / 100.0);
    p->label = 0;
    p->newest = (uint8_t)(c->window - 1);
    p->changed = false;
    p->timeout = c->timeout != 0;
    return weft_host_serves(site, &weft_lb_plb);
}

static void
change(struct plb *p)
{
    p->label = weft_label(&p->rng);
    p->changed = true;
    p->since = 0;
}

static void
plb_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct plb *p = qp;
    (void)now;
    if (p->since >= p->alpha && p->marked > p->tolerated)
    {
        change(p);
    }
    p->since++;
    data->sport = p->changed ? p->label : data->sport;
}

static void
plb_on_reply(void *qp, const struct weft_packet *reply, int64_t now)
{
    struct plb *p = qp;
    const uint64_t mark = (reply->flags & WEFT_F_ECE) != 0;
    (void)now;
    p->marked += (uint32_t)mark - (uint32_t)(p->marks >> p->newest & 1U);
    p->marks = p->marks << 1 | mark;
}

static void
plb_on_timeout(void *qp, int64_t now)
{
    struct plb *p = qp;
    (void)now;
    if (p->timeout)
    {
        change(p);
    }
}

static int
plb_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_plb);
    return missing ? missing : weft_sprayed_init(state, config, site);
}

static const struct weft_path_ops plb_path = {
    .host_size = weft_sprayed_host_size,
    .host_init = plb_host_init,
    .qp_size = plb_qp_size,
    .qp_init = plb_qp_init,
    .data = plb_data,
    .reply = weft_sprayed_reply,
    .on_reply = plb_on_reply,
    .on_timeout = plb_on_timeout,
    .fields = {.reads = WEFT_FIELD_FLAGS | WEFT_FIELD_ECHO, .writes = WEFT_FIELD_SPORT},
};

const struct weft_lb_ops weft_lb_plb = {
    .algo =
        {
            .name = "plb",
            .doc = "Protective load balancing: a QP's label changes when too many of its packets "
                   "are marked.",
            .source = "ofan §3.2(3); Qureshi et al., SIGCOMM 2022",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct plb_config),
        },
    .state_size = weft_sprayed_size,
    .init = plb_init,
    .pick = weft_sprayed_pick,
    .any_hash = true,
    .path = &plb_path,
    .oblivious = true,
    .peek = weft_sprayed_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
    .learns_from_marks = true,
};
