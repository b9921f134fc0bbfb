/* SPDX-License-Identifier: MIT */
/*
 * HPCC (Li et al., SIGCOMM 2019, Algorithm 1): a window that brings the busiest link of the path to
 * `eta` of its rate, by what all ports of the path say of themselves (INT).
 *
 * Of two packets that took the same path, the ports' counters give what was sent between them, and
 * so U, what is in flight as a share of rate x T. W follows from U and from the window W^c that was
 * in force when the packet was sent: every reply may change W (fast react), but W^c only follows
 * once per round trip, so that no reply acts on what another one has acted on already.
 */
#include "checked/check.h"
#include "roster/tables.h"

#include <math.h>
#include <string.h>

#include <weft/error.h>
#include <weft/views.h>

struct hpcc_config
{
    double eta;
    int64_t max_stage;
    int64_t w_ai;  /* bytes; 0: by flows */
    int64_t flows; /* that are expected on a link */
    int64_t t;     /* ps; 0: the round trip of the QP's idle path */
    int64_t fast_react;
    int64_t min_rate; /* bit/s */
};

struct hpcc
{
    const struct hpcc_config *config;
    double t;     /* ps */
    double frame; /* bytes of a full data frame with its gap */
    double most;  /* bytes: the first and largest window */
    double least; /* bytes */
    double w_ai;  /* bytes */
    double w;     /* bytes: the window in force */
    double w_c;   /* bytes: the one that it is computed from */
    double u;     /* in flight on the busiest link, as a share */
    int64_t stage;
    int64_t line;
    int64_t rate_bps;
    uint64_t next; /* packets sent when W^c was updated last */
    uint64_t cuts;
    uint32_t nlast;
    uint32_t nfresh; /* of the reply that on_ack() will tell of; 0: it has none */
    struct weft_stamp last[WEFT_STAMPS];
    struct weft_stamp fresh[WEFT_STAMPS];
};

#define FIELD(member) WEFT_P(struct hpcc_config, member)

static const struct weft_param params[] = {
    {"eta", WEFT_REAL, FIELD(eta), "0.95", "0.01", "1", NULL,
     "Utilisation of the busiest link that is aimed at.", "HPCC §3.3"},
    {"max-stage", WEFT_COUNT, FIELD(max_stage), "5", "0", "1000000", NULL,
     "Additive steps in a row, one in a round trip, behind which the window follows the "
     "utilisation again.",
     "HPCC §3.3"},
    {"w-ai", WEFT_BYTES, FIELD(w_ai), "0B", "0B", "1GB", NULL,
     "Additive step; 0: the first window x (1 - eta) / flows.", "HPCC §3.3"},
    {"flows", WEFT_COUNT, FIELD(flows), "100", "1", "1000000", NULL,
     "Flows that are expected on a link.", "HPCC §3.3; value (ours)"},
    {"t", WEFT_TIME, FIELD(t), "0s", "0s", "1s", NULL,
     "Round trip T without queues; 0: that of the QP's idle path.", "HPCC §3.2; default (ours)"},
    {"fast-react", WEFT_BOOL, FIELD(fast_react), "on", NULL, NULL, NULL,
     "Every reply changes the window; off: one in a round trip.", "HPCC §3.2"},
    {"min-rate", WEFT_RATE, FIELD(min_rate), "100Mbps", "1bps", "1Tbps", NULL,
     "The window is no smaller than what this rate sends in T.", "HPCC's ns-3 model"},
};

static const struct weft_preset presets[] = {
    {"ns-3", "max-stage=0 flows=125",
     "As HPCC's authors run their simulator: no stages, and a step of 40 Mb/s at 100 Gb/s.",
     "HPCC's ns-3 model: run.py"},
};

static void
set_window(struct hpcc *s, double w)
{
    const double at_most = w < s->most ? w : s->most;
    s->w = at_most > s->least ? at_most : s->least;
    const double rate = s->w * 8e12 / s->t;
    s->rate_bps = rate >= (double)s->line ? s->line : rate > 1 ? (int64_t)rate : 1;
}

static int
hpcc_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct hpcc *s = state;
    const struct hpcc_config *c = config;
    (void)now;
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt and a frame");
    }
    if (site->links > WEFT_STAMPS + 1)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL,
                           "the way has too many links for hpcc; expected at most 16");
    }
    if (!(c->eta > 0 && c->eta <= 1) || c->flows < 1 || c->min_rate < 1)
    {
        return weft_refuse_config(site->why, &weft_cc_hpcc.algo, config);
    }
    memset(s, 0, sizeof *s);
    s->config = c;
    s->line = site->line_rate;
    s->t = (double)(c->t > 0 ? c->t : site->base_rtt);
    s->frame = (double)site->frame + (double)site->gap;
    s->most = (double)site->line_rate * s->t / 8e12;
    s->least = (double)(c->min_rate < s->line ? c->min_rate : s->line) * s->t / 8e12;
    s->w_ai = c->w_ai > 0 ? (double)c->w_ai : s->most * (1 - c->eta) / (double)c->flows;
    s->u = 1;
    set_window(s, s->most);
    s->w_c = s->w;
    return 0;
}

static void
hpcc_stamps(void *state, const struct weft_stamp *stamps, uint32_t n, int64_t now)
{
    struct hpcc *s = state;
    (void)now;
    memcpy(s->fresh, stamps, n * sizeof *stamps);
    s->nfresh = n;
}

/* Whether the packet left later than the last one, by the same ports. */
static bool
follows(const struct hpcc *s)
{
    bool same = s->nfresh == s->nlast;
    for (uint32_t i = 0; same && i < s->nfresh; i++)
    {
        const struct weft_stamp *a = &s->last[i];
        const struct weft_stamp *b = &s->fresh[i];
        same = a->node == b->node && a->port == b->port && a->at < b->at;
    }
    return same;
}

/* MeasureInflight() of Algorithm 1. */
static void
measure(struct hpcc *s)
{
    double most = -1;
    double tau = 0;
    for (uint32_t i = 0; i < s->nfresh; i++)
    {
        const struct weft_stamp *a = &s->last[i];
        const struct weft_stamp *b = &s->fresh[i];
        const double time = (double)(b->at - a->at);
        const double rate = (double)b->rate * 1e-12; /* bits in a ps */
        const double sent = (double)(b->bytes - a->bytes) * 8 / time;
        const double queue = (double)(a->queue < b->queue ? a->queue : b->queue) * 8;
        const double u = queue / (rate * s->t) + sent / rate;
        if (u > most)
        {
            most = u;
            tau = time;
        }
    }
    tau = tau < s->t ? tau : s->t;
    s->u = (1 - tau / s->t) * s->u + tau / s->t * most;
}

/* ComputeWind() of Algorithm 1. @p update: W^c follows. */
static void
compute(struct hpcc *s, bool update)
{
    const double eta = s->config->eta;
    const bool multiplies = s->u >= eta || s->stage >= s->config->max_stage;
    set_window(s, (multiplies ? s->w_c * eta / s->u : s->w_c) + s->w_ai);
    if (update)
    {
        s->stage = multiplies ? 0 : s->stage + 1;
        s->cuts += s->w < s->w_c;
        s->w_c = s->w;
    }
}

static void
hpcc_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct hpcc *s = state;
    const bool update = ack->delivered > s->next;
    (void)now;
    if (s->nfresh > 0 && (update || s->config->fast_react))
    {
        if (follows(s))
        {
            measure(s);
            compute(s, update);
        }
        memcpy(s->last, s->fresh, s->nfresh * sizeof s->fresh[0]);
        s->nlast = s->nfresh;
        s->next = update ? ack->next : s->next;
    }
    s->nfresh = 0;
}

static int64_t
hpcc_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct hpcc *)state)->rate_bps;
}

static uint64_t
hpcc_cuts(const void *state)
{
    return ((const struct hpcc *)state)->cuts;
}

static uint32_t
hpcc_window(void *state, int64_t now)
{
    const struct hpcc *s = state;
    const double packets = ceil(s->w / s->frame);
    (void)now;
    return packets < (double)UINT32_MAX ? (uint32_t)packets : UINT32_MAX;
}

void
weft_hpcc_read(const void *state, struct weft_hpcc_view *view)
{
    const struct hpcc *s = WEFT_OWN_STATE(state, &weft_cc_hpcc, &weft_cc_hpcc, "weft_hpcc_read");
    *view = (struct weft_hpcc_view){
        .w = s->w,
        .w_c = s->w_c,
        .u = s->u,
        .stage = s->stage,
        .cuts = s->cuts,
    };
}

const struct weft_cc_ops weft_cc_hpcc = {
    .algo =
        {
            .name = "hpcc",
            .doc = "HPCC: a window by the utilisation that the ports of the path tell (INT).",
            .source = "Li et al., SIGCOMM 2019",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct hpcc_config),
        },
    .state_size = sizeof(struct hpcc),
    .init = hpcc_init,
    .rate = hpcc_rate,
    .on_ack = hpcc_ack,
    .on_stamps = hpcc_stamps,
    .cuts = hpcc_cuts,
    .window = hpcc_window,
};
