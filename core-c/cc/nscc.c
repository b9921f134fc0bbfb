/* SPDX-License-Identifier: MIT */
/*
 * NSCC, Ultra Ethernet's congestion control at the sender (UEC 1.0, its section on congestion
 * control; where that leaves something open, as uet-htsim 40ccb05 has it). A window in bytes, and
 * for each ACK one of four acts, by the mark of the packet that it answers and by its queueing
 * delay, which is what its round trip is above the shortest one:
 *
 *                     delay below the target            delay at or above the target
 *   no mark           proportional or fast increase     fair increase
 *   mark              nothing: balancers act            multiplicative decrease
 *
 * Increases are summed up, and join the window after some packets or a round trip, with a constant
 * (eta) once a round trip. A trimmed or lost packet takes its bytes off the window. Quick adapt
 * looks once a round trip whether there was trouble and far less than a window has arrived, and
 * then makes the window what has arrived; replies about what was under way do nothing more.
 *
 * Transports count packets: each counts as a full frame here.
 */
#include "checked/check.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/views.h>

struct nscc_config
{
    int64_t network_rtt; /* ps; 0: the QP's own base_rtt */
    int64_t target;      /* ps; 0: three quarters of network_rtt */
    int64_t initial;     /* bytes; 0: the largest window */
    double most;         /* BDPs */
    double proportional; /* packets */
    double fair;         /* packets */
    double eta;          /* packets */
    double fast;         /* share of what is acknowledged */
    int64_t fast_delay;  /* ps */
    double gamma;
    double max_mdf;
    double weight;      /* of a delay in the average */
    int64_t adjust;     /* packets */
    int64_t quick;      /* quick adapt is on */
    int64_t quick_gate; /* power of two that the largest window is divided by */
};

struct nscc
{
    const struct nscc_config *config;
    int64_t line;        /* bit/s */
    int64_t network_rtt; /* ps */
    int64_t target;      /* ps */
    int64_t base_rtt;    /* ps: the shortest round trip that a reply has shown */
    int64_t last_cut;    /* of the multiplicative decrease */
    int64_t last_eta;
    int64_t quick_at;   /* quick adapt looks after that; WEFT_NEVER: at the first reply it will be
                           set */
    double frame;       /* bytes */
    double scale;       /* BDP of the network over that of 100 Gb/s and 12 us */
    double cwnd;        /* bytes */
    double most;        /* bytes */
    double increase;    /* bytes squared: what joins the window once it is divided by it */
    double gathered;    /* bytes acknowledged since then */
    double delay;       /* ps: the average */
    double arrived;     /* bytes acknowledged since quick adapt looked last */
    double ignored;     /* bytes heard of since it acted */
    double to_ignore;   /* bytes that were in flight when it acted */
    double undelayed;   /* bytes acknowledged in a row without delay */
    uint64_t delivered; /* packets acknowledged in any order */
    uint64_t cuts;
    uint32_t in_flight; /* packets */
    bool fast;          /* the increase is fast */
    bool lost;          /* a packet was lost since quick adapt acted last */
};

/* Bandwidth-delay product of 100 Gb/s and 12 us, bytes, and the round trip, ps: what UEC's
 * constants are given for. */
#define REFERENCE_BDP 150000.0
#define REFERENCE_RTT 12e6

#define MOST_BYTES 1e15
#define P(member)  WEFT_P(struct nscc_config, member)

static const struct weft_param params[] = {
    {"network-rtt", WEFT_TIME, P(network_rtt), "0s", "0s", "1s", NULL,
     "Round trip of the fabric's longest idle path, from which the gains, the target and the first "
     "window follow; 0: that of the QP's own path, so that near hosts have smaller ones.",
     "UEC 1.0"},
    {"target", WEFT_TIME, P(target), "0s", "0s", "1s", NULL,
     "Target of the queueing delay; 0: three quarters of network-rtt, for switches that trim. UEC "
     "has all of it for switches that do not.",
     "UEC 1.0"},
    {"initial", WEFT_BYTES, P(initial), "0B", "0B", "1GB", NULL,
     "First window; 0: the largest one of network-rtt.", "UEC 1.0"},
    {"max-cwnd", WEFT_REAL, P(most), "1.5", "0.01", "1000", NULL,
     "Largest window, in bandwidth-delay products of the shortest round trip that was seen.",
     "UEC 1.0"},
    {"proportional", WEFT_REAL, P(proportional), "4", "0", "1000", NULL,
     "Proportional increase without any delay, packets a round trip, scaled by the network's BDP "
     "over that of 100 Gb/s and 12 us, and by the target over 12 us (alpha).",
     "UEC 1.0"},
    {"fair", WEFT_REAL, P(fair), "5", "0", "1000", NULL,
     "Fair increase, packets a round trip, scaled by the BDP.", "UEC 1.0"},
    {"eta", WEFT_REAL, P(eta), "0.15", "0", "1000", NULL,
     "Constant increase, packets a round trip, scaled by the BDP.", "UEC 1.0"},
    {"fast", WEFT_REAL, P(fast), "0.25", "0", "1000", NULL,
     "Fast increase: share of what is acknowledged, scaled by the BDP, once a window has been "
     "acknowledged without delay.",
     "UEC 1.0"},
    {"fast-delay", WEFT_TIME, P(fast_delay), "1us", "0s", "1s", NULL,
     "Delay below which a packet counts as undelayed for the fast increase.", "uet-htsim 40ccb05"},
    {"gamma", WEFT_REAL, P(gamma), "0.8", "0", "1", NULL,
     "Weight of the average delay's excess in a decrease.", "UEC 1.0"},
    {"max-mdf", WEFT_REAL, P(max_mdf), "0.5", "0.01", "0.99", NULL,
     "Largest decrease, as a part of the window.", "UEC 1.0"},
    {"delay-weight", WEFT_REAL, P(weight), "0.0125", "0.0001", "1", NULL,
     "Weight of the latest delay in the average.", "uet-htsim 40ccb05"},
    {"adjust", WEFT_COUNT, P(adjust), "8", "1", "4194304", NULL,
     "Packets acknowledged after which increases join the window; they do so after network-rtt in "
     "any case.",
     "UEC 1.0"},
    {"quick-adapt", WEFT_BOOL, P(quick), "on", NULL, NULL, NULL,
     "Once a round trip, after trouble, the window becomes what has arrived.", "UEC 1.0"},
    {"quick-gate", WEFT_COUNT, P(quick_gate), "3", "0", "30", NULL,
     "Quick adapt acts where less has arrived than the largest window divided by 2 to this power.",
     "UEC 1.0"},
};

static double
smaller(double a, double b)
{
    return a < b ? a : b;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

/* Bytes that the line takes in a time. */
static double
bytes_in(const struct nscc *s, int64_t time)
{
    return (double)s->line * (double)time / 8e12;
}

static void
bound(struct nscc *s)
{
    s->cwnd = smaller(larger(s->cwnd, s->frame), larger(s->most, s->frame));
}

static void
set_base_rtt(struct nscc *s, int64_t rtt)
{
    s->base_rtt = rtt;
    s->most = smaller(s->config->most * bytes_in(s, rtt), MOST_BYTES);
}

static bool
is_possible(const struct nscc_config *c)
{
    return c->most > 0 && c->proportional >= 0 && c->fair >= 0 && c->eta >= 0 && c->fast >= 0 &&
           c->gamma >= 0 && c->max_mdf > 0 && c->max_mdf < 1 && c->weight > 0 && c->weight <= 1 &&
           c->adjust > 0 && c->quick_gate >= 0 && c->network_rtt >= 0 && c->target >= 0 &&
           c->initial >= 0;
}

static int
nscc_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct nscc *s = state;
    const struct nscc_config *c = config;
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt and a frame");
    }
    if (!is_possible(c))
    {
        return weft_refuse_config(site->why, &weft_cc_nscc.algo, config);
    }
    const int64_t rtt = c->network_rtt > 0 ? c->network_rtt : site->base_rtt;
    *s = (struct nscc){.config = c,
                       .line = site->line_rate,
                       .network_rtt = rtt,
                       .target = c->target > 0 ? c->target : (int64_t)(0.75 * (double)rtt),
                       .frame = site->frame,
                       .last_cut = now,
                       .last_eta = now,
                       .quick_at = WEFT_NEVER};
    s->scale = bytes_in(s, rtt) / REFERENCE_BDP;
    set_base_rtt(s, rtt);
    s->cwnd = c->initial > 0 ? (double)c->initial : s->most;
    bound(s);
    return 0;
}

static int64_t
nscc_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct nscc *)state)->line;
}

static void
cut_to(struct nscc *s, double cwnd)
{
    const double before = s->cwnd;
    s->cwnd = cwnd;
    bound(s);
    s->cuts += s->cwnd < before;
}

/* Averages a delay. One above the target without a mark counts as a quarter of the shortest round
 * trip: another path than that of the queue has delayed it. */
static void
average(struct nscc *s, int64_t delay, bool marked)
{
    const double w = s->config->weight;
    const double sample = !marked && delay > s->target ? 0.25 * (double)s->base_rtt : (double)delay;
    s->delay = w * sample + (1 - w) * s->delay;
}

/* Looks once a round trip. Returns whether the reply does nothing more: quick adapt has acted on
 * it, or it tells of trouble that quick adapt has acted on. */
static bool
quick_adapt(struct nscc *s, bool marked, int64_t delay, int64_t now)
{
    bool done = s->config->quick && s->ignored < s->to_ignore && marked;
    if (s->config->quick && !done && (s->quick_at == WEFT_NEVER || now > s->quick_at))
    {
        const double gate = s->most / (double)(UINT64_C(1) << s->config->quick_gate);
        done = s->quick_at != WEFT_NEVER && (s->lost || delay > 4 * s->target) && s->arrived < gate;
        if (done)
        {
            cut_to(s, s->arrived);
            s->to_ignore = s->in_flight * s->frame;
            s->ignored = 0;
            s->lost = false;
        }
        s->arrived = 0;
        s->quick_at = now + s->base_rtt + s->target;
    }
    if (done)
    {
        s->increase = 0;
        s->gathered = 0;
    }
    return done;
}

static void
increase_below_target(struct nscc *s, double acked, int64_t delay)
{
    const struct nscc_config *c = s->config;
    s->undelayed = delay < c->fast_delay ? s->undelayed + acked : 0;
    s->fast = delay < c->fast_delay && (s->fast || s->undelayed > s->cwnd);
    if (s->fast)
    {
        s->cwnd += acked * c->fast * s->scale;
        return;
    }
    const double gain = c->proportional * s->frame * s->scale * ((double)s->target / REFERENCE_RTT);
    s->increase += gain * acked * (double)(s->target - delay) / (double)s->target;
}

static void
decrease(struct nscc *s, int64_t now)
{
    s->fast = false;
    s->undelayed = 0;
    if (s->delay > (double)s->target && now - s->last_cut > s->base_rtt)
    {
        const double excess = (s->delay - (double)s->target) / s->delay;
        cut_to(s, s->cwnd * larger(1 - s->config->gamma * excess, 1 - s->config->max_mdf));
        s->last_cut = now;
    }
}

/* Adds to the window what has been gathered. */
static void
adjust(struct nscc *s, int64_t now)
{
    const double eta = s->config->eta * s->frame * s->scale;
    if (s->gathered > (double)s->config->adjust * s->frame || now - s->last_eta > s->network_rtt)
    {
        s->cwnd += s->increase / s->cwnd;
        if (now - s->last_eta >= s->network_rtt)
        {
            s->cwnd += eta;
            s->last_eta = now;
        }
        s->increase = 0;
        s->gathered = 0;
    }
    bound(s);
}

static void
react(struct nscc *s, double acked, bool marked, int64_t delay, int64_t now)
{
    if (quick_adapt(s, marked, delay, now))
    {
        return;
    }
    if (marked && delay >= s->target)
    {
        decrease(s, now);
    }
    else if (!marked && delay >= s->target)
    {
        s->increase += s->config->fair * s->frame * s->scale * acked;
    }
    else if (!marked)
    {
        increase_below_target(s, acked, delay);
    }
    adjust(s, now);
}

static void
nscc_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct nscc *s = state;
    const int64_t rtt = now - ack->reply->sent;
    const bool marked = (ack->reply->flags & WEFT_F_ECE) != 0;
    const uint64_t packets = ack->delivered > s->delivered ? ack->delivered - s->delivered : 0;
    const double acked = (double)packets * s->frame;
    int64_t delay = (int64_t)s->delay;
    s->in_flight = ack->in_flight;
    if (rtt < s->base_rtt && (packets > 0 || ack->reply->kind == WEFT_NACK))
    {
        set_base_rtt(s, rtt);
    }
    if (ack->reply->kind == WEFT_NACK)
    {
        return; /* on_lost() tells the rest, and the next ACK what has arrived */
    }
    s->delivered += packets;
    s->arrived += acked;
    s->gathered += acked;
    s->ignored += acked;
    if (packets > 0) /* else it was overtaken, and another has told of its packet */
    {
        delay = rtt - s->base_rtt;
        average(s, delay, marked);
    }
    react(s, acked, marked, delay, now);
}

/* A timeout tells nothing of a queue. */
static void
nscc_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    struct nscc *s = state;
    if (loss->cause != WEFT_LOST_BY_TIMEOUT)
    {
        s->ignored += s->frame;
        if (loss->cause == WEFT_LOST_TRIMMED)
        {
            average(s, s->network_rtt, true); /* about what a queue that trims takes */
        }
        s->lost = true;
        s->in_flight++; /* quick adapt counts what it waits for with this packet */
        const bool done = quick_adapt(s, true, 0, now);
        s->in_flight--;
        if (done)
        {
            return;
        }
    }
    cut_to(s, s->cwnd - s->frame);
}

static uint64_t
nscc_cuts(const void *state)
{
    return ((const struct nscc *)state)->cuts;
}

static uint32_t
nscc_window(void *state, int64_t now)
{
    const struct nscc *s = state;
    const double packets = s->cwnd / s->frame;
    (void)now;
    return packets < 1 ? 1U : packets < UINT32_MAX ? (uint32_t)packets : UINT32_MAX;
}

void
weft_nscc_read(const void *state, struct weft_nscc_view *view)
{
    const struct nscc *s = WEFT_OWN_STATE(state, &weft_cc_nscc, &weft_cc_nscc, "weft_nscc_read");
    *view = (struct weft_nscc_view){
        .cwnd = s->cwnd,
        .most = s->most,
        .delay = s->delay,
        .base_rtt = s->base_rtt,
        .target = s->target,
        .cuts = s->cuts,
    };
}

const struct weft_cc_ops weft_cc_nscc = {
    .algo =
        {
            .name = "nscc",
            .doc = "NSCC, Ultra Ethernet's at the sender: a window by marks and queueing delay, "
                   "and quick adapt.",
            .source = "UEC 1.0; uet-htsim 40ccb05",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct nscc_config),
        },
    .state_size = sizeof(struct nscc),
    .init = nscc_init,
    .rate = nscc_rate,
    .on_ack = nscc_ack,
    .on_lost = nscc_lost,
    .cuts = nscc_cuts,
    .window = nscc_window,
    .fields = {.reads = WEFT_FIELD_SENT | WEFT_FIELD_FLAGS | WEFT_FIELD_KIND},
};
