/* SPDX-License-Identifier: MIT */
/*
 * TIMELY (Mittal et al., SIGCOMM 2015, Algorithm 1): a rate that follows the gradient of the round
 * trip between two thresholds, and the round trip itself outside of them.
 *
 * With form=patched the gradient only weighs the distance of the round trip from a target ("ECN or
 * Delay", Zhu et al., CoNEXT 2016, Algorithm 2): the gradient alone has no fixed point, so that
 * flows need not share fairly and the queue may stay at any length.
 *
 * A completion event is the reply that completes a segment of so many bytes, or with segment=0 the
 * first one of a packet that was sent after the last update (HPCC's ns-3 model).
 */
#include "checked/check.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/views.h>

struct timely_config
{
    int64_t form; /* FORM_ */
    double alpha;
    double beta;
    int64_t t_low;    /* ps */
    int64_t t_high;   /* ps */
    int64_t target;   /* ps; 0: t_low */
    int64_t min_rtt;  /* ps; 0: that of the QP's idle path */
    int64_t delta;    /* bit/s; 0: line rate / 1000 */
    int64_t hai;      /* completion events */
    int64_t hai_step; /* deltas */
    int64_t segment;  /* bytes; 0: a round trip */
    int64_t initial;  /* bit/s; 0: line rate */
    int64_t min_rate; /* bit/s */
};

enum
{
    FORM_GRADIENT,
    FORM_PATCHED,
};

struct timely
{
    const struct timely_config *config;
    double line; /* bit/s */
    double least;
    double rate;
    double delta;
    double diff;    /* ps: the mean of differences of round trips */
    double min_rtt; /* ps */
    double target;  /* ps: of the patched form */
    int64_t rate_bps;
    int64_t rtt;         /* ps: the last one; 0: none yet */
    int64_t falls;       /* completion events in a row whose gradient was not above 0 */
    uint64_t packets;    /* that a segment has; 0: a round trip's */
    uint64_t next_event; /* it comes once so many packets are delivered */
    uint64_t cuts;
};

#define FIELD(member) WEFT_P(struct timely_config, member)

static const struct weft_param params[] = {
    {"form", WEFT_CHOICE, FIELD(form), "gradient", NULL, NULL, "gradient patched",
     "Between t-low and t-high: by the sign of the gradient, or by the distance from the target, "
     "weighed by the gradient.",
     "TIMELY Alg. 1; ECN or Delay Alg. 2"},
    {"alpha", WEFT_REAL, FIELD(alpha), "0.875", "0.0001", "1", NULL,
     "Weight of the latest difference of round trips in the mean.", "ECN or Delay Table 2"},
    {"beta", WEFT_REAL, FIELD(beta), "0.8", "0", "1", NULL,
     "Weight of a decrease; the patched form has 0.008.", "TIMELY §4.4"},
    {"t-low", WEFT_TIME, FIELD(t_low), "50us", "0s", "10s", NULL,
     "Round trip below which the rate rises whatever the gradient.", "TIMELY §4.4"},
    {"t-high", WEFT_TIME, FIELD(t_high), "500us", "1ns", "10s", NULL,
     "Round trip above which the rate falls whatever the gradient.", "TIMELY §4.4"},
    {"target", WEFT_TIME, FIELD(target), "0s", "0s", "10s", NULL,
     "Form patched: the round trip that is held, queueing included; 0: t-low.",
     "ECN or Delay §4.3"},
    {"min-rtt", WEFT_TIME, FIELD(min_rtt), "0s", "0s", "10s", NULL,
     "Round trip by which the gradient is divided; 0: that of the QP's idle path.",
     "TIMELY Alg. 1; default (ours)"},
    {"delta", WEFT_RATE, FIELD(delta), "0bps", "0bps", "1Tbps", NULL,
     "Additive increase; 0: a thousandth of the line rate, 10 Mb/s at 10 Gb/s.",
     "TIMELY §4.4; HPCC's ns-3 model"},
    {"hai", WEFT_COUNT, FIELD(hai), "5", "1", "1000000", NULL,
     "Completion events in a row without a rise of the round trip after which steps are larger.",
     "TIMELY Alg. 1"},
    {"hai-step", WEFT_COUNT, FIELD(hai_step), "5", "1", "1000", NULL, "Such a step, in deltas.",
     "TIMELY Alg. 1"},
    {"segment", WEFT_BYTES, FIELD(segment), "16KB", "0B", "1GB", NULL,
     "Bytes on the wire whose delivery is a completion event; 0: those of a round trip.",
     "TIMELY §5; ECN or Delay Table 2"},
    {"initial", WEFT_RATE, FIELD(initial), "0bps", "0bps", "1Tbps", NULL,
     "First rate; 0: the line rate.", "(ours)"},
    {"min-rate", WEFT_RATE, FIELD(min_rate), "100Mbps", "1bps", "1Tbps", NULL,
     "No cut goes below this rate (or the line rate, if that is lower).", "HPCC's ns-3 model"},
};

static const struct weft_preset presets[] = {
    {"paper", "form=gradient min-rtt=20us delta=10Mbps", "As published in 2015, for 10 Gb/s.",
     "TIMELY §4.4"},
    {"patched", "form=patched beta=0.008", "Patched TIMELY, which holds a target.",
     "ECN or Delay §4.3"},
    {"hpcc", "form=gradient min-rtt=20us segment=0B",
     "As HPCC's authors ran it: one completion event in a round trip.", "HPCC's ns-3 model"},
};

static const char *
timely_check(const void *config)
{
    const struct timely_config *c = config;
    return c->t_high < c->t_low ? "t-high is less than t-low; expected at least t-low" : NULL;
}

static void
set_rate(struct timely *s, double rate)
{
    const double most = rate < s->line ? rate : s->line;
    const double before = s->rate;
    s->rate = most > s->least ? most : s->least;
    s->cuts += s->rate < before;
    s->rate_bps = s->rate < 1 ? 1 : (int64_t)s->rate;
}

static int
timely_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct timely *s = state;
    const struct timely_config *c = config;
    (void)now;
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt and a frame");
    }
    if (!(c->alpha > 0) || c->t_high < 1 || c->hai < 1 || c->hai_step < 1 || c->min_rate < 1 ||
        timely_check(config))
    {
        return weft_refuse_config(site->why, &weft_cc_timely.algo, config);
    }
    const double line = (double)site->line_rate;
    *s = (struct timely){
        .config = c,
        .line = line,
        .least = c->min_rate < site->line_rate ? (double)c->min_rate : line,
        .rate = line,
        .delta = c->delta > 0 ? (double)c->delta : line / 1000,
        .min_rtt = (double)(c->min_rtt > 0 ? c->min_rtt : site->base_rtt),
        .target = (double)(c->target > 0 ? c->target : c->t_low),
        .packets = ((uint64_t)c->segment + site->frame - 1) / site->frame,
    };
    s->next_event = s->packets > 0 ? s->packets : 1;
    set_rate(s, c->initial > 0 ? (double)c->initial : line);
    s->cuts = 0;
    return 0;
}

/* The weight of the target in the patched form: 0 while the round trip falls by a quarter of the
 * idle one, 1 while it rises so, and between the two a line. */
static double
weight(double gradient)
{
    return gradient <= -0.25 ? 0 : gradient >= 0.25 ? 1 : 2 * gradient + 0.5;
}

/* Between the thresholds. */
static double
by_gradient(const struct timely *s, double gradient)
{
    const struct timely_config *c = s->config;
    if (c->form == FORM_PATCHED)
    {
        const double w = weight(gradient);
        const double error = ((double)s->rtt - s->target) / s->target;
        return s->delta * (1 - w) + s->rate * (1 - c->beta * w * error);
    }
    if (gradient <= 0)
    {
        const bool fast = s->falls >= c->hai;
        return s->rate + (fast ? (double)c->hai_step : 1) * s->delta;
    }
    return s->rate * (1 - c->beta * gradient);
}

/* A completion event. */
static void
take_rtt(struct timely *s, int64_t rtt)
{
    const struct timely_config *c = s->config;
    const double diff = s->rtt > 0 ? (double)(rtt - s->rtt) : 0;
    s->diff = (1 - c->alpha) * s->diff + c->alpha * diff;
    s->rtt = rtt;
    const double gradient = s->diff / s->min_rtt;
    s->falls = gradient <= 0 ? s->falls + 1 : 0;
    if (rtt < c->t_low)
    {
        set_rate(s, s->rate + s->delta);
    }
    else if (rtt > c->t_high)
    {
        set_rate(s, s->rate * (1 - c->beta * (1 - (double)c->t_high / (double)rtt)));
    }
    else
    {
        set_rate(s, by_gradient(s, gradient));
    }
}

static void
timely_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct timely *s = state;
    if (ack->delivered < s->next_event || (ack->reply->flags & WEFT_F_TRIMMED))
    {
        return; /* the header of a trimmed packet did not wait with the others */
    }
    s->next_event = s->packets > 0 ? ack->delivered + s->packets : ack->next + 1;
    take_rtt(s, now > ack->reply->sent ? now - ack->reply->sent : 1);
}

static int64_t
timely_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct timely *)state)->rate_bps;
}

static uint64_t
timely_cuts(const void *state)
{
    return ((const struct timely *)state)->cuts;
}

void
weft_timely_read(const void *state, struct weft_timely_view *view)
{
    const struct timely *s =
        WEFT_OWN_STATE(state, &weft_cc_timely, &weft_cc_timely, "weft_timely_read");
    *view = (struct weft_timely_view){
        .rate = s->rate,
        .gradient = s->diff / s->min_rtt,
        .rtt = s->rtt,
        .falls = s->falls,
        .cuts = s->cuts,
    };
}

const struct weft_cc_ops weft_cc_timely = {
    .algo =
        {
            .name = "timely",
            .doc = "TIMELY: a rate that follows the gradient of the round trip.",
            .source = "Mittal et al., SIGCOMM 2015; Zhu et al., CoNEXT 2016",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct timely_config),
            .check = timely_check,
        },
    .state_size = sizeof(struct timely),
    .init = timely_init,
    .rate = timely_rate,
    .on_ack = timely_ack,
    .cuts = timely_cuts,
    .fields = {.reads = WEFT_FIELD_SENT | WEFT_FIELD_FLAGS},
};
