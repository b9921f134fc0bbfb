/* SPDX-License-Identifier: MIT */
/*
 * DCQCN. If these fail, every figure over T_I and T_D is wrong: rates are cut or recover at the
 * wrong time or by the wrong amount.
 */
#include <check.h>
#include <string.h>

#include <weft/cc.h>
#include <weft/rng.h>

#include "cc/dcqcn.h"

Suite *dcqcn_suite(void);

#define US   INT64_C(1000000)
#define MS   (1000 * US)
#define G100 INT64_C(100000000000)

static const struct weft_cc_ops *ops;
static struct weft_dcqcn_config config;
static struct weft_dcqcn qp;

static void
start(int64_t line_rate)
{
    const struct weft_cc_site site = {line_rate, 1, 0, 2, 1500, 20};
    ops->init(&qp, &config, &site, 0);
}

static const struct weft_packet signal;

static void
send_bytes(uint32_t bytes, int64_t now)
{
    struct weft_packet data;
    memset(&data, 0, sizeof data);
    for (uint32_t left = bytes; left > 0; left -= data.bytes)
    {
        data.bytes = (uint16_t)(left < 9000 ? left : 9000);
        ops->on_sent(&qp, &data, now);
    }
}

static void
set(const char *name, const char *text)
{
    ck_assert_int_eq(weft_config_set(&ops->algo, &config, name, text), 0);
}

/* Alpha stands still at 1 for a millisecond, so that every cut halves. */
static void
setup(void)
{
    ops = weft_cc_find("dcqcn");
    ck_assert_ptr_nonnull(ops);
    ck_assert_uint_eq(ops->state_size, sizeof qp);
    ck_assert_uint_eq(ops->algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&ops->algo, &config), 0);
    set("alpha-timer", "1ms");
    start(G100);
}

START_TEST(rnic_halves_at_the_first_tick_then_recovers)
{
    ck_assert_int_eq(ops->rate(&qp, 7 * US), G100);
    ops->on_cnp(&qp, &signal, 10 * US);
    ck_assert_int_eq(ops->rate(&qp, 14 * US - 1), G100);
    ck_assert_int_eq(ops->rate(&qp, 14 * US), G100 / 2);
    ck_assert_int_eq(ops->rate(&qp, 314 * US - 1), G100 / 2);
    ck_assert_int_eq(ops->rate(&qp, 314 * US), G100 * 3 / 4);
    ck_assert_int_eq(ops->rate(&qp, 614 * US), G100 * 7 / 8);
    ck_assert_uint_eq(ops->cuts(&qp), 1);
}
END_TEST

START_TEST(rnic_first_cut_at_once_is_an_option)
{
    set("first-cut", "at-once");
    start(G100);
    ops->on_cnp(&qp, &signal, 10 * US);
    ck_assert_int_eq(ops->rate(&qp, 10 * US), G100 / 2);
    ops->on_cnp(&qp, &signal, 11 * US);
    ck_assert_int_eq(ops->rate(&qp, 14 * US - 1), G100 / 2);
    ck_assert_int_eq(ops->rate(&qp, 14 * US), G100 / 4);
}
END_TEST

START_TEST(rnic_back_to_back_cuts_keep_the_target_unless_clamped)
{
    for (int64_t clamp = 0; clamp < 2; clamp++)
    {
        config.clamp_target = clamp;
        start(G100);
        ops->on_cnp(&qp, &signal, 0);
        ops->on_cnp(&qp, &signal, 5 * US);
        ck_assert_int_eq(ops->rate(&qp, 8 * US), G100 / 4);
        int64_t target = clamp ? G100 / 2 : G100;
        ck_assert_int_eq(ops->rate(&qp, 308 * US), (G100 / 4 + target) / 2);
    }
}
END_TEST

START_TEST(rnic_many_signals_in_one_interval_cut_once)
{
    ops->on_cnp(&qp, &signal, 0);
    for (int64_t t = 0; t < 4 * US; t += US / 8)
    {
        ops->on_nack(&qp, &signal, t);
        ops->on_cnp(&qp, &signal, t);
    }
    ck_assert_int_eq(ops->rate(&qp, 4 * US), G100 / 2);
    ck_assert_int_eq(ops->rate(&qp, 100 * US), G100 / 2);
    ck_assert_uint_eq(ops->cuts(&qp), 1);
}
END_TEST

/* At 16 us a CNP and a decrease tick coincide: the tick comes first and does not see it. */
START_TEST(rnic_signal_on_a_tick_waits_for_the_next)
{
    ops->on_cnp(&qp, &signal, 0);
    ops->on_cnp(&qp, &signal, 16 * US);
    ck_assert_int_eq(ops->rate(&qp, 20 * US - 1), G100 / 2);
    ck_assert_int_eq(ops->rate(&qp, 20 * US), G100 / 4);
}
END_TEST

START_TEST(rnic_additive_then_hyper_increase)
{
    set("f", "1");
    set("r-ai", "1Gbps");
    set("r-hai", "10Gbps");
    set("clamp-target", "on");
    set("t-i", "100us");
    start(G100);
    ops->on_cnp(&qp, &signal, 0);
    ops->on_cnp(&qp, &signal, 4 * US);
    ck_assert_int_eq(ops->rate(&qp, 8 * US), 25000000000);   /* target 50 */
    ck_assert_int_eq(ops->rate(&qp, 108 * US), 37500000000); /* fast recovery */
    ck_assert_int_eq(ops->rate(&qp, 208 * US), 44250000000); /* target 51 */
    ck_assert_int_eq(ops->rate(&qp, 308 * US), 52625000000); /* target 61 */
    ck_assert_int_eq(ops->rate(&qp, 408 * US), 61812500000); /* target 71 */
    ck_assert_int_eq(ops->rate(&qp, 1000 * MS), G100);       /* never above line rate */
}
END_TEST

START_TEST(paper_cuts_with_the_signal_and_drops_the_target)
{
    ck_assert_int_eq(weft_config_preset(&ops->algo, &config, "paper"), 0);
    set("alpha-timer", "10ms");
    start(G100);
    ops->on_cnp(&qp, &signal, 0);
    ck_assert_int_eq(ops->rate(&qp, 0), G100 / 2);
    ops->on_nack(&qp, &signal, 50 * US - 1);
    ck_assert_int_eq(ops->rate(&qp, 50 * US - 1), G100 / 2);
    ops->on_nack(&qp, &signal, 50 * US);
    ck_assert_int_eq(ops->rate(&qp, 50 * US), G100 / 4);
    ck_assert_int_eq(ops->rate(&qp, 105 * US - 1), G100 / 4);
    ck_assert_int_eq(ops->rate(&qp, 105 * US), G100 * 3 / 8);
}
END_TEST

START_TEST(paper_alpha_decays_between_signals)
{
    ck_assert_int_eq(weft_config_preset(&ops->algo, &config, "paper"), 0);
    set("g", "0.5");
    start(G100);
    ops->on_cnp(&qp, &signal, 0);        /* alpha 1 */
    ops->on_cnp(&qp, &signal, 110 * US); /* two alpha ticks: 1/4; two rounds: 87.5 Gb/s */
    ck_assert_int_eq(ops->rate(&qp, 110 * US), 76562500000);
    ck_assert_double_eq(qp.alpha, 0.625);
}
END_TEST

START_TEST(paper_byte_counter_and_timer_make_hyper_increase)
{
    ck_assert_int_eq(weft_config_preset(&ops->algo, &config, "paper"), 0);
    set("f", "0");
    set("r-ai", "1Gbps");
    set("r-hai", "4Gbps");
    set("byte-counter", "1MB");
    start(G100);
    send_bytes(5000000, 0); /* before the first CNP nothing counts */
    ops->on_cnp(&qp, &signal, 0);
    ops->on_cnp(&qp, &signal, 50 * US); /* rate 25, target 50 */
    send_bytes(999999, 50 * US);
    ck_assert_int_eq(ops->rate(&qp, 50 * US), 25000000000);
    send_bytes(1, 50 * US); /* additive: target 51 */
    ck_assert_int_eq(ops->rate(&qp, 50 * US), 38000000000);
    ck_assert_int_eq(ops->rate(&qp, 105 * US), 45000000000); /* (0, 1): target 52 */
    send_bytes(1000000, 105 * US);                           /* (1, 1): hyper, target 56 */
    ck_assert_int_eq(ops->rate(&qp, 105 * US), 50500000000);
}
END_TEST

START_TEST(rate_stops_at_the_minimum)
{
    for (int64_t t = 0; t < 1000 * US; t += 4 * US)
    {
        ops->on_cnp(&qp, &signal, t);
    }
    ck_assert_int_eq(ops->rate(&qp, 1000 * US), 100000000);
    start(1000); /* a line slower than min-rate: no cut at all */
    ops->on_cnp(&qp, &signal, 0);
    ck_assert_int_eq(ops->rate(&qp, 4 * US), 1000);
}
END_TEST

START_TEST(nacks_do_not_cut_when_told_so)
{
    set("nack-cut", "off");
    start(G100);
    ops->on_nack(&qp, &signal, 0);
    ck_assert_int_eq(ops->rate(&qp, 10 * US), G100);
    ck_assert_uint_eq(ops->cuts(&qp), 0);
}
END_TEST

START_TEST(presets_are_the_published_timers)
{
    static const struct
    {
        const char *name;
        int64_t model, t_i, t_d;
    } expected[] = {
        {"paper", WEFT_DCQCN_PAPER, 55 * US, 50 * US},
        {"vendor", WEFT_DCQCN_RNIC, 300 * US, 4 * US},
        {"hpcc", WEFT_DCQCN_RNIC, 900 * US, 4 * US},
    };
    for (int i = 0; i < 3; i++)
    {
        ck_assert_int_eq(weft_config_preset(&ops->algo, &config, expected[i].name), 0);
        ck_assert_int_eq(config.model, expected[i].model);
        ck_assert_int_eq(config.t_i, expected[i].t_i);
        ck_assert_int_eq(config.t_d, expected[i].t_d);
    }
    ck_assert_int_eq(weft_config_default(&ops->algo, &config), 0);
    ck_assert_int_eq(ops->cnp_interval(&config), 4 * US);
    set("cnp-interval", "inf");
    ck_assert_int_eq(ops->cnp_interval(&config), WEFT_NEVER);
}
END_TEST

/* The naive reference: three timers in a list, fired one by one. */
enum timer
{
    ALPHA,
    DECREASE,
    INCREASE,
    TIMERS,
};

struct naive
{
    const struct weft_dcqcn_config *c;
    int64_t due[TIMERS];
    double rc, rt, alpha, line;
    int64_t rounds, byte_rounds, bytes, last_cut;
    bool alpha_flag, cut_flag, started;
};

static void
naive_increase(struct naive *n)
{
    bool paper = n->c->model == WEFT_DCQCN_PAPER;
    int64_t t = n->rounds;
    int64_t b = paper ? n->byte_rounds : t;
    int64_t f = n->c->f;
    if (t > f && b > f)
    {
        int64_t i = (t < b ? t : b) - f;
        n->rt += (double)(paper ? i : 1) * (double)n->c->r_hai;
    }
    else if (t >= f || b >= f)
    {
        n->rt += (double)n->c->r_ai;
    }
    n->rt = n->rt > n->line ? n->line : n->rt;
    n->rc = n->rc / 2 + n->rt / 2;
}

static void
naive_cut(struct naive *n, int64_t now)
{
    bool keep = n->c->model == WEFT_DCQCN_RNIC && !n->c->clamp_target && n->rounds == 0;
    double min = (double)n->c->min_rate;
    n->rt = keep ? n->rt : n->rc;
    n->rc = n->rc * (1 - n->alpha / 2);
    min = min > n->line ? n->line : min;
    n->rc = n->rc < min ? min : n->rc;
    n->rounds = n->byte_rounds = n->bytes = 0;
    n->due[INCREASE] = now + n->c->t_i;
    n->last_cut = now;
}

static void
naive_fire(struct naive *n, enum timer timer)
{
    int64_t now = n->due[timer];
    switch (timer)
    {
    case ALPHA:
        n->alpha = n->alpha_flag ? (1 - n->c->g) * n->alpha + n->c->g : (1 - n->c->g) * n->alpha;
        n->alpha_flag = false;
        n->due[ALPHA] = now + n->c->alpha_timer;
        break;
    case DECREASE:
        n->due[DECREASE] = now + n->c->t_d;
        if (n->cut_flag)
        {
            n->cut_flag = false;
            naive_cut(n, now);
        }
        break;
    default:
        n->due[INCREASE] = now + n->c->t_i;
        naive_increase(n);
        n->rounds++;
    }
}

static void
naive_run(struct naive *n, int64_t now)
{
    for (;;)
    {
        int first = ALPHA;
        for (int timer = DECREASE; timer < TIMERS; timer++)
        {
            first = n->due[timer] < n->due[first] ? timer : first;
        }
        if (n->due[first] > now)
        {
            return;
        }
        naive_fire(n, (enum timer)first);
    }
}

static void
naive_signal_rnic(struct naive *n, int64_t now)
{
    n->cut_flag = true;
    n->alpha_flag = n->started;
    if (n->started)
    {
        return;
    }
    n->due[ALPHA] = now + n->c->alpha_timer;
    n->due[DECREASE] = now + (n->c->first_cut == WEFT_DCQCN_TICK ? n->c->t_d : 0);
    n->started = true;
    naive_run(n, now);
}

static void
naive_signal(struct naive *n, int64_t now)
{
    if (n->c->model == WEFT_DCQCN_RNIC)
    {
        naive_signal_rnic(n, now);
        return;
    }
    if (n->started && now < n->last_cut + n->c->t_d)
    {
        return;
    }
    n->started = true;
    naive_cut(n, now);
    n->alpha = (1 - n->c->g) * n->alpha + n->c->g;
    n->due[ALPHA] = now + n->c->alpha_timer;
}

static void
naive_sent(struct naive *n, uint32_t bytes)
{
    for (uint32_t i = 0; n->c->model == WEFT_DCQCN_PAPER && n->started && i < bytes; i++)
    {
        if (++n->bytes == n->c->byte_counter)
        {
            n->bytes = 0;
            naive_increase(n);
            n->byte_rounds++;
        }
    }
}

static void
random_config(struct weft_rng *rng)
{
    static const double gains[] = {1.0 / 256, 1.0 / 16, 0.3, 1.0};
    static const int64_t t_d[] = {4, 5, 50, 200};
    static const int64_t t_i[] = {1, 10, 55, 300, 900};
    config.model = weft_rng_below(rng, 2);
    config.t_i = t_i[weft_rng_below(rng, 5)] * US;
    config.t_d = t_d[weft_rng_below(rng, 4)] * US;
    config.alpha_timer = (int64_t)(1 + weft_rng_below(rng, 60)) * US;
    config.g = gains[weft_rng_below(rng, 4)];
    config.f = weft_rng_below(rng, 7);
    config.r_ai = (int64_t)weft_rng_below(rng, 3) * 40000000;
    config.r_hai = (int64_t)weft_rng_below(rng, 1000000000);
    config.byte_counter = 1000 + weft_rng_below(rng, 20000);
    config.clamp_target = weft_rng_below(rng, 2);
    config.first_cut = weft_rng_below(rng, 2);
    config.nack_cut = weft_rng_below(rng, 2);
}

/* Whole microseconds make timers and signals coincide; odd ones and long pauses come as well. */
static int64_t
random_gap(struct weft_rng *rng)
{
    switch (weft_rng_below(rng, 16))
    {
    case 0:
        return (int64_t)weft_rng_below(rng, 2000) * US;
    case 1:
        return weft_rng_below(rng, 9999999);
    case 2:
    case 3:
    case 4:
        return 0;
    default:
        return (int64_t)weft_rng_below(rng, 12) * US;
    }
}

static void
random_event(struct naive *n, struct weft_rng *rng, int64_t now)
{
    uint32_t bytes = weft_rng_below(rng, 3000);
    switch (weft_rng_below(rng, 4))
    {
    case 0:
        naive_signal(n, now);
        ops->on_cnp(&qp, &signal, now);
        break;
    case 1:
        if (config.nack_cut)
        {
            naive_signal(n, now);
        }
        ops->on_nack(&qp, &signal, now);
        break;
    case 2:
        naive_sent(n, bytes);
        send_bytes(bytes, now);
        break;
    default:
        break;
    }
}

/* Compares what must agree to the last bit; alpha only where it is not as good as 0. */
static void
compare(struct naive *n, int64_t now)
{
    ck_assert_int_eq(ops->rate(&qp, now), n->rc < 1 ? 1 : (int64_t)n->rc);
    ck_assert(qp.current == n->rc);
    ck_assert(qp.target == n->rt);
    ck_assert_int_eq(qp.timer_rounds, n->rounds);
    ck_assert_int_gt(qp.rate_bps, 0);
    ck_assert_int_le(qp.rate_bps, G100);
    if (qp.next_alpha == n->due[ALPHA] && n->alpha > 1e-15)
    {
        ck_assert(qp.alpha == n->alpha);
    }
}

START_TEST(lazy_evaluation_equals_timers_fired_one_by_one)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 7, 0, (uint64_t)_i);
    random_config(&rng);
    start(G100);
    struct naive n = {&config, {WEFT_NEVER, WEFT_NEVER, WEFT_NEVER},
                      1e11,    1e11,
                      1,       1e11,
                      0,       0,
                      0,       0,
                      false,   false,
                      false};
    int64_t now = 0;
    for (int step = 0; step < 2000; step++)
    {
        now += random_gap(&rng);
        naive_run(&n, now);
        random_event(&n, &rng, now);
        if (weft_rng_below(&rng, 2))
        {
            compare(&n, now);
        }
    }
    compare(&n, now);
}
END_TEST

/* A QP that is silent for a second, then cut: alpha has had 10^6 ticks. */
START_TEST(long_silence_equals_a_million_ticks)
{
    set("alpha-timer", "1us");
    start(G100);
    struct naive n = {&config, {WEFT_NEVER, WEFT_NEVER, WEFT_NEVER},
                      1e11,    1e11,
                      1,       1e11,
                      0,       0,
                      0,       0,
                      false,   false,
                      false};
    for (int64_t t = 0; t < 3; t++)
    {
        naive_run(&n, t * 1000 * MS);
        naive_signal(&n, t * 1000 * MS);
        ops->on_cnp(&qp, &signal, t * 1000 * MS);
        naive_run(&n, t * 1000 * MS + 100 * US);
        compare(&n, t * 1000 * MS + 100 * US);
    }
    ck_assert_int_lt(qp.rate_bps, G100);
}
END_TEST

/* A timer that would be due beyond all times is never due: a rate that was cut stays so. */
START_TEST(timers_end_with_time)
{
    set("model", _i ? "paper" : "rnic");
    set("first-cut", "at-once");
    start(G100);
    ops->on_cnp(&qp, &signal, WEFT_NEVER - 1000);
    ck_assert_int_eq(ops->rate(&qp, WEFT_NEVER - 1000), G100 / 2);
    ops->on_cnp(&qp, &signal, WEFT_NEVER - 2);
    const int64_t rate = ops->rate(&qp, WEFT_NEVER - 2);
    ck_assert_int_le(rate, G100 / 2);
    ck_assert_int_eq(ops->rate(&qp, WEFT_NEVER - 1), rate);
}
END_TEST

Suite *
dcqcn_suite(void)
{
    Suite *suite = suite_create("dcqcn");
    TCase *tc = tcase_create("dcqcn");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, rnic_halves_at_the_first_tick_then_recovers);
    tcase_add_test(tc, rnic_first_cut_at_once_is_an_option);
    tcase_add_test(tc, rnic_back_to_back_cuts_keep_the_target_unless_clamped);
    tcase_add_test(tc, rnic_many_signals_in_one_interval_cut_once);
    tcase_add_test(tc, rnic_signal_on_a_tick_waits_for_the_next);
    tcase_add_test(tc, rnic_additive_then_hyper_increase);
    tcase_add_test(tc, paper_cuts_with_the_signal_and_drops_the_target);
    tcase_add_test(tc, paper_alpha_decays_between_signals);
    tcase_add_test(tc, paper_byte_counter_and_timer_make_hyper_increase);
    tcase_add_test(tc, rate_stops_at_the_minimum);
    tcase_add_test(tc, nacks_do_not_cut_when_told_so);
    tcase_add_test(tc, presets_are_the_published_timers);
    tcase_add_loop_test(tc, lazy_evaluation_equals_timers_fired_one_by_one, 0, 300);
    tcase_add_test(tc, long_silence_equals_a_million_ticks);
    tcase_add_loop_test(tc, timers_end_with_time, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
