/* SPDX-License-Identifier: MIT */
/*
 * DCQCN (Zhu et al., SIGCOMM 2015), in the two models that are in use:
 *
 * rnic   as in the RDMA models of ns-3 (HPCC's, ConWeave's): a CNP sets a flag, the decrease timer
 *        looks at it every T_D and cuts; the first CNP sets alpha to 1 and starts the timers; R_T
 *        survives back-to-back cuts; one additive step, then hyper increase.
 * paper  a CNP cuts at once with the alpha before it; timer and byte counter both count rounds;
 *        hyper increase adds i * R_HAI.
 *
 * No timer is an event here. Between two signals alpha, R_C and R_T depend on time alone, so each
 * is worked off when it is read, in the order of cc.h. Alpha is only read by a cut and changed by
 * a CNP; R_C and R_T only change at the increase timer, the byte counter and a cut.
 */
#include "cc/dcqcn.h"

#include "base/saturating.h"
#include "checked/check.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/views.h>

#define FIELD(member) WEFT_P(struct weft_dcqcn_config, member)

static const struct weft_param params[] = {
    {"model", WEFT_CHOICE, FIELD(model), "rnic", NULL, NULL, "rnic paper",
     "How a CNP cuts: at the next decrease tick, or at once.", "DCQCN §5; HPCC's ns-3 model"},
    {"t-i", WEFT_TIME, FIELD(t_i), "300us", "1us", "10s", NULL,
     "Rate-increase timer T_I, started anew by every cut.", "DCQCN §5; themis §5"},
    {"t-d", WEFT_TIME, FIELD(t_d), "4us", "1us", "10s", NULL,
     "Rate-decrease interval T_D: at most one cut in this time.", "themis §5"},
    {"alpha-timer", WEFT_TIME, FIELD(alpha_timer), "1us", "100ns", "10s", NULL,
     "Period of the alpha update.", "HPCC's ns-3 model"},
    {"g", WEFT_REAL, FIELD(g), "0.00390625", "0.0001", "1", NULL,
     "Weight of a new sample in alpha: 1/256.", "DCQCN §5"},
    {"f", WEFT_COUNT, FIELD(f), "5", "0", "1000", NULL,
     "Rounds of fast recovery before the target rises.", "DCQCN §5"},
    {"r-ai", WEFT_RATE, FIELD(r_ai), "80Mbps", "0bps", "1Tbps", NULL,
     "Additive increase of the target: 5 Mb/s per 25 Gb/s of line rate, at 400 Gb/s.",
     "HPCC's ns-3 model"},
    {"r-hai", WEFT_RATE, FIELD(r_hai), "800Mbps", "0bps", "1Tbps", NULL,
     "Hyper increase of the target: 50 Mb/s per 25 Gb/s of line rate, at 400 Gb/s.",
     "HPCC's ns-3 model"},
    {"min-rate", WEFT_RATE, FIELD(min_rate), "100Mbps", "1bps", "1Tbps", NULL,
     "No cut goes below this rate (or the line rate, if that is lower).", "ConWeave's ns-3 model"},
    {"byte-counter", WEFT_BYTES, FIELD(byte_counter), "10MB", "1KB", "1000GB", NULL,
     "Model paper: bytes sent per round of the byte counter.", "DCQCN §5"},
    {"cnp-interval", WEFT_TIME, FIELD(cnp_interval), "4us", "0s", "inf", NULL,
     "Receiver: least time between two CNPs of a QP; inf: no CNPs.", "HPCC's ns-3 model"},
    {"clamp-target", WEFT_BOOL, FIELD(clamp_target), "off", NULL, NULL, NULL,
     "Model rnic: every cut sets R_T to R_C, back-to-back cuts too.", "HPCC's ns-3 model"},
    {"first-cut", WEFT_CHOICE, FIELD(first_cut), "tick", NULL, NULL, "tick at-once",
     "Model rnic: the first CNP's cut comes T_D later, or with the CNP.", "HPCC's ns-3 model"},
    {"nack-cut", WEFT_BOOL, FIELD(nack_cut), "on", NULL, NULL, NULL,
     "A NACK counts as a CNP, under the same T_D.", "themis §2.2"},
};

static const struct weft_preset presets[] = {
    {"paper",
     "model=paper t-i=55us t-d=50us alpha-timer=55us g=0.00390625 f=5 r-ai=40Mbps r-hai=400Mbps "
     "byte-counter=10MB cnp-interval=50us",
     "As published in 2015, for 40 Gb/s.", "DCQCN §5; r-hai (ours)"},
    {"vendor", "model=rnic t-i=300us t-d=4us", "The NIC vendor's timers.", "HPCC §5.1"},
    {"hpcc", "model=rnic t-i=900us t-d=4us", "The timers that HPCC's authors recommend.",
     "HPCC §2.3; themis §5"},
    {"pro", "model=rnic t-i=300us t-d=4us f=1 r-ai=80Mbps r-hai=200Mbps",
     "What ConWeave's authors recommend, for 200 Gb/s: steps of 10 and 25 Mb/s per 25 Gb/s.",
     "pro §VI-A; conweave-ns3: run.py"},
};

static int64_t
earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void
publish(struct weft_dcqcn *s)
{
    s->wake = earlier(s->next_cut, s->next_rise);
    s->rate_bps = s->current < 1.0 ? 1 : (int64_t)s->current;
}

/*
 * Works off the alpha ticks up to and including @p now. Below tiny, alpha is as good as 0: it no
 * longer changes 1 - alpha / 2, nor (1 - g) * alpha + g. So the loop is short after any idle time.
 */
static void
update_alpha(struct weft_dcqcn *s, int64_t now)
{
    const struct weft_dcqcn_config *c = s->config;
    if (now < s->next_alpha)
    {
        return;
    }
    int64_t ticks = (now - s->next_alpha) / c->alpha_timer + 1;
    s->next_alpha = weft_sum(s->next_alpha + (ticks - 1) * c->alpha_timer, c->alpha_timer);
    if (s->alpha_cnp)
    {
        s->alpha = (1 - c->g) * s->alpha + c->g;
        s->alpha_cnp = false;
        ticks--;
    }
    const double tiny = c->g * (1.0 / 72057594037927936.0); /* g * 2^-56 */
    for (; ticks > 0 && s->alpha > tiny; ticks--)
    {
        s->alpha = (1 - c->g) * s->alpha;
    }
}

/* Does one round of recovery, given the rounds that came before it. */
static void
rise(struct weft_dcqcn *s)
{
    const struct weft_dcqcn_config *c = s->config;
    int64_t most = s->timer_rounds;
    int64_t least = s->timer_rounds;
    if (c->model == WEFT_DCQCN_PAPER)
    {
        most = most > s->byte_rounds ? most : s->byte_rounds;
        least = earlier(least, s->byte_rounds);
    }
    if (least > c->f)
    {
        double i = c->model == WEFT_DCQCN_PAPER ? (double)(least - c->f) : 1.0;
        s->target += i * (double)c->r_hai;
    }
    else if (most >= c->f)
    {
        s->target += (double)c->r_ai;
    }
    if (s->target > s->line)
    {
        s->target = s->line;
    }
    s->current = s->current / 2 + s->target / 2;
}

/* Works off the increase timer up to and including @p now. */
static void
run_rises(struct weft_dcqcn *s, int64_t now)
{
    const int64_t period = s->config->t_i;
    while (s->next_rise <= now)
    {
        double before = s->current;
        rise(s);
        s->timer_rounds++;
        s->next_rise = weft_sum(s->next_rise, period);
        if (s->target >= s->line && s->current == before && s->next_rise <= now)
        {
            /* Recovered: all further rounds do nothing but count. */
            int64_t rounds = (now - s->next_rise) / period + 1;
            s->timer_rounds += rounds;
            s->next_rise = weft_sum(s->next_rise + (rounds - 1) * period, period);
        }
    }
}

static void
cut(struct weft_dcqcn *s, int64_t now, bool keep_target)
{
    if (!keep_target)
    {
        s->target = s->current;
    }
    s->current *= 1 - s->alpha / 2;
    if (s->current < s->min)
    {
        s->current = s->min;
    }
    s->timer_rounds = 0;
    s->byte_rounds = 0;
    s->bytes = 0;
    s->next_rise = weft_sum(now, s->config->t_i);
    s->cuts++;
}

/* The decrease tick that finds a CNP: after the alpha tick, before the increase timer. */
static void
cut_at_tick(struct weft_dcqcn *s, int64_t tick)
{
    s->tick_base = tick;
    s->next_cut = WEFT_NEVER;
    update_alpha(s, tick);
    cut(s, tick, !s->config->clamp_target && s->timer_rounds == 0);
}

static __attribute__((noinline)) void
work_off(struct weft_dcqcn *s, int64_t now)
{
    if (s->next_cut <= now)
    {
        run_rises(s, s->next_cut - 1);
        cut_at_tick(s, s->next_cut);
    }
    run_rises(s, now);
    publish(s);
}

static inline void
catch_up(struct weft_dcqcn *s, int64_t now)
{
    if (now >= s->wake)
    {
        work_off(s, now);
    }
}

/* Whether all values are sound that a division or a loop rests on. */
static bool
sound(const struct weft_dcqcn_config *c)
{
    return c->t_i > 0 && c->t_d > 0 && c->alpha_timer > 0 && c->byte_counter > 0 &&
           c->min_rate > 0 && c->g > 0 && c->g <= 1;
}

static int
dcqcn_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct weft_dcqcn *s = state;
    if (!weft_rate_possible(site->line_rate))
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s");
    }
    if (!sound((const struct weft_dcqcn_config *)config))
    {
        return weft_refuse_config(site->why, &weft_cc_dcqcn.algo, config);
    }
    s->config = config;
    s->line = (double)site->line_rate;
    s->min = (double)earlier(s->config->min_rate, site->line_rate);
    s->current = s->line;
    s->target = s->line;
    s->alpha = 1;
    s->next_alpha = WEFT_NEVER;
    s->next_rise = WEFT_NEVER;
    s->next_cut = WEFT_NEVER;
    s->tick_base = now;
    s->timer_rounds = 0;
    s->byte_rounds = 0;
    s->bytes = 0;
    s->cuts = 0;
    s->started = false;
    s->alpha_cnp = false;
    publish(s);
    return 0;
}

static int64_t
dcqcn_rate(void *state, int64_t now)
{
    struct weft_dcqcn *s = state;
    catch_up(s, now);
    return s->rate_bps;
}

/* The byte counter of the paper's model; it runs from the first CNP on. */
static void
dcqcn_sent(void *state, const struct weft_packet *data, int64_t now)
{
    struct weft_dcqcn *s = state;
    if (s->config->model != WEFT_DCQCN_PAPER || !s->started)
    {
        return;
    }
    catch_up(s, now);
    s->bytes += data->bytes;
    while (s->bytes >= s->config->byte_counter)
    {
        s->bytes -= s->config->byte_counter;
        rise(s);
        s->byte_rounds++;
    }
    publish(s);
}

static void
signal_rnic(struct weft_dcqcn *s, int64_t now)
{
    const struct weft_dcqcn_config *c = s->config;
    if (s->started)
    {
        s->alpha_cnp = true;
        if (s->next_cut == WEFT_NEVER)
        {
            const int64_t past = (now - s->tick_base) / c->t_d;
            s->next_cut = weft_sum(s->tick_base + past * c->t_d, c->t_d);
        }
    }
    else
    {
        s->started = true;
        s->next_alpha = weft_sum(now, c->alpha_timer);
        s->tick_base = now;
        s->next_cut = weft_sum(now, c->t_d);
        if (c->first_cut == WEFT_DCQCN_AT_ONCE)
        {
            cut_at_tick(s, now);
        }
    }
    publish(s);
}

static void
signal_paper(struct weft_dcqcn *s, int64_t now)
{
    const struct weft_dcqcn_config *c = s->config;
    if (s->started && now - s->tick_base < c->t_d)
    {
        return;
    }
    s->started = true;
    s->tick_base = now;
    cut(s, now, false);
    s->alpha = (1 - c->g) * s->alpha + c->g;
    s->next_alpha = weft_sum(now, c->alpha_timer);
    publish(s);
}

static void
dcqcn_cnp(void *state, const struct weft_packet *cnp, int64_t now)
{
    struct weft_dcqcn *s = state;
    (void)cnp;
    catch_up(s, now);
    update_alpha(s, now);
    if (s->config->model == WEFT_DCQCN_PAPER)
    {
        signal_paper(s, now);
    }
    else
    {
        signal_rnic(s, now);
    }
}

static void
dcqcn_nack(void *state, const struct weft_packet *nack, int64_t now)
{
    if (((struct weft_dcqcn *)state)->config->nack_cut)
    {
        dcqcn_cnp(state, nack, now);
    }
}

static int64_t
dcqcn_cnp_interval(const void *config)
{
    return ((const struct weft_dcqcn_config *)config)->cnp_interval;
}

static uint64_t
dcqcn_cuts(const void *state)
{
    return ((const struct weft_dcqcn *)state)->cuts;
}

static enum weft_dcqcn_stage
stage_of(const struct weft_dcqcn *s)
{
    const int64_t f = s->config->f;
    const bool counts = s->config->model == WEFT_DCQCN_PAPER;
    const int64_t timer = s->timer_rounds;
    const int64_t bytes = counts ? s->byte_rounds : timer;
    if (s->cuts == 0)
    {
        return WEFT_DCQCN_UNCUT;
    }
    return timer > f && bytes > f     ? WEFT_DCQCN_HYPER
           : timer >= f || bytes >= f ? WEFT_DCQCN_ADDITIVE
                                      : WEFT_DCQCN_FAST_RECOVERY;
}

void
weft_dcqcn_read(const void *state, int64_t now, struct weft_dcqcn_view *view)
{
    const struct weft_dcqcn *own =
        WEFT_OWN_STATE(state, &weft_cc_dcqcn, &weft_cc_dcqcn, "weft_dcqcn_read");
    struct weft_dcqcn s = *own;
    catch_up(&s, now);
    update_alpha(&s, now);
    *view = (struct weft_dcqcn_view){
        .current = s.current,
        .target = s.target,
        .alpha = s.alpha,
        .timer_rounds = s.timer_rounds,
        .byte_rounds = s.byte_rounds,
        .bytes = s.bytes,
        .next_rise = s.next_rise,
        .next_cut = s.next_cut,
        .cuts = s.cuts,
        .stage = stage_of(&s),
    };
}

const struct weft_cc_ops weft_cc_dcqcn = {
    .algo =
        {
            .name = "dcqcn",
            .doc = "DCQCN: ECN-driven rate control of RoCEv2.",
            .source = "Zhu et al., SIGCOMM 2015",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct weft_dcqcn_config),
        },
    .state_size = sizeof(struct weft_dcqcn),
    .init = dcqcn_init,
    .rate = dcqcn_rate,
    .on_sent = dcqcn_sent,
    .on_cnp = dcqcn_cnp,
    .on_nack = dcqcn_nack,
    .cnp_interval = dcqcn_cnp_interval,
    .cuts = dcqcn_cuts,
    .fields = {.reads = WEFT_FIELD_BYTES},
};
