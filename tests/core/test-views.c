/* SPDX-License-Identifier: MIT */
/* A user would lose what a study plots: rates, windows and alphas, and why a NACK was blocked. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "themis-rig.h"

#define US   INT64_C(1000000) /* ps */
#define G100 INT64_C(100000000000)

static uint64_t config[32], state[160];

static const struct weft_cc_ops *
begin(const char *name, const char *param, int64_t value)
{
    /* 100 Gb/s, 8 us, 1,250 B on the wire: a bandwidth-delay product of 80 packets. */
    const struct weft_cc_site site = {G100, 1, 8 * US, 6, 1230, 20, NULL};
    const struct weft_cc_ops *cc = weft_cc_find(name);
    ck_assert_uint_le(cc->algo.config_size, sizeof config);
    ck_assert_uint_le(cc->state_size, sizeof state);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    ck_assert_int_eq(param ? weft_config_set_int(&cc->algo, config, param, value) : 0, 0);
    ck_assert_int_eq(cc->init(state, config, &site, 0), 0);
    return cc;
}

/* A CNP at 10 us cuts at the tick of 14 us; T_I = 300 us; alpha falls once a millisecond. */
START_TEST(dcqcn_is_seen_at_any_time_and_left_alone)
{
    static const struct weft_packet cnp = {.kind = WEFT_CNP};
    struct weft_dcqcn_view v;
    uint64_t before[160];
    const struct weft_cc_ops *cc = begin("dcqcn", "alpha-timer", 1000 * US);
    weft_dcqcn_read(state, 9 * US, &v);
    ck_assert_double_eq(v.current, 100e9);
    ck_assert_double_eq(v.target, 100e9);
    ck_assert_int_eq(v.stage, WEFT_DCQCN_UNCUT);
    ck_assert_int_eq(v.next_rise, WEFT_NEVER);
    cc->on_cnp(state, &cnp, 10 * US);
    memcpy(before, state, sizeof state);
    weft_dcqcn_read(state, 13 * US, &v);
    ck_assert_int_eq(v.next_cut, 14 * US);
    weft_dcqcn_read(state, 14 * US, &v);
    ck_assert_double_eq(v.current, 50e9);
    ck_assert_double_eq(v.target, 100e9);
    ck_assert_double_eq(v.alpha, 1);
    ck_assert_int_eq(v.stage, WEFT_DCQCN_FAST_RECOVERY);
    ck_assert_int_eq(v.next_rise, 314 * US);
    ck_assert_uint_eq(v.cuts, 1);
    weft_dcqcn_read(state, 314 * US, &v);
    ck_assert_double_eq(v.current, 75e9);
    ck_assert_int_eq(v.timer_rounds, 1);
    weft_dcqcn_read(state, 1010 * US, &v);
    ck_assert_double_eq(v.alpha, 1 - 1.0 / 256);
    weft_dcqcn_read(state, (14 + 5 * 300) * US, &v);
    ck_assert_int_eq(v.stage, WEFT_DCQCN_ADDITIVE);
    weft_dcqcn_read(state, (14 + 6 * 300) * US, &v);
    ck_assert_int_eq(v.stage, WEFT_DCQCN_HYPER);
    ck_assert_int_eq(memcmp(before, state, sizeof state), 0);
    ck_assert_int_eq(cc->rate(state, 314 * US), G100 * 3 / 4); /* what the first view foretold */
}
END_TEST

START_TEST(dcqcn_counts_bytes_in_the_papers_model)
{
    struct weft_packet packet = {.kind = WEFT_CNP, .bytes = 1000};
    struct weft_dcqcn_view v;
    const struct weft_cc_ops *cc = begin("dcqcn", "model", 1);
    cc->on_cnp(state, &packet, 0);
    for (int i = 0; i < 25001; i++) /* 2.5 rounds of 10 MB, and one packet */
    {
        cc->on_sent(state, &packet, 1);
    }
    weft_dcqcn_read(state, 1, &v);
    ck_assert_int_eq(v.byte_rounds, 2);
    ck_assert_int_eq(v.bytes, 5001000);
    ck_assert_int_eq(v.timer_rounds, 0);
    ck_assert_double_eq(v.current, 87.5e9);
}
END_TEST

static void
acknowledge(const struct weft_cc_ops *cc, uint64_t una, uint8_t flags, int64_t now)
{
    const struct weft_packet reply = {.kind = WEFT_ACK, .flags = flags, .sent = now - 9 * US};
    const struct weft_cc_ack ack = {&reply, 1, 79, una, una + 79, una};
    const struct weft_packet data = {.kind = WEFT_DATA};
    for (int n = una == 1 ? 80 : 1; n > 0 && cc->on_sent; n--)
    {
        cc->on_sent(state, &data, now);
    }
    cc->on_ack(state, &ack, now);
}

/* The first window is the BDP, alpha is 1 at first: a mark halves. */
START_TEST(dctcp_shows_its_window_and_alpha)
{
    struct weft_dctcp_view v;
    const struct weft_cc_ops *cc = begin("dctcp", NULL, 0);
    weft_dctcp_read(state, &v);
    ck_assert_double_eq(v.cwnd, 80);
    ck_assert_double_eq(v.alpha, 1);
    acknowledge(cc, 1, WEFT_F_ECE, 9 * US);
    weft_dctcp_read(state, &v);
    ck_assert_double_eq(v.cwnd, 40);
    ck_assert_double_eq(v.threshold, 40);
    ck_assert_uint_eq(v.acked, 1);
    ck_assert_uint_eq(v.marked, 1);
    ck_assert_uint_eq(v.cuts, 1);
    for (uint64_t una = 2; una <= 81; una++) /* the end of a window of 80, one of them marked */
    {
        acknowledge(cc, una, 0, 9 * US);
    }
    weft_dctcp_read(state, &v);
    ck_assert_double_eq_tol(v.alpha, 1 + 0.0625 * (1.0 / 81 - 1), 1e-12);
    ck_assert_uint_eq(cc->window(state, 0), (uint32_t)v.cwnd);
}
END_TEST

/* 113 KB of queueing at 100 Gb/s are 9.04 us over six links, above the 8 us of an idle path. */
START_TEST(swift_shows_its_delays)
{
    static const char *const names[] = {"swift", "mswift"};
    struct weft_swift_view v;
    const struct weft_cc_ops *cc = begin(names[_i], NULL, 0);
    weft_swift_read(state, &v);
    ck_assert_int_eq(v.delay, 8 * US);
    ck_assert_int_eq(v.target, 17040000);
    ck_assert_double_eq_tol(v.cwnd, 170.4, 1e-9);
    acknowledge(cc, 1, 0, 9 * US);
    weft_swift_read(state, &v);
    ck_assert_int_eq(v.delay, 9 * US);
    cc->on_timeout(state, 10 * US);
    weft_swift_read(state, &v);
    ck_assert_int_eq(v.timeouts, 1);
    ck_assert_uint_eq(v.cuts, 1);
    ck_assert_double_eq_tol(v.cwnd, 85.2, 1e-9);
}
END_TEST

static void
judged(const struct bench *b, enum weft_themis_reason reason, uint32_t epsn, uint32_t tpsn)
{
    struct weft_themis_judgement j;
    weft_themis_judged(b->qp, &j);
    ck_assert_str_eq(weft_themis_reason_text(j.reason), weft_themis_reason_text(reason));
    ck_assert_uint_eq(j.epsn, epsn);
    ck_assert_uint_eq(j.tpsn, tpsn);
    ck_assert_uint_eq(j.epsn_path, epsn == WEFT_THEMIS_NONE ? WEFT_THEMIS_NONE : epsn % 2);
    ck_assert_uint_eq(j.tpsn_path, tpsn == WEFT_THEMIS_NONE ? WEFT_THEMIS_NONE : tpsn % 2);
}

/* Themis' figures 2 and 4, two paths: 0, 1, 3 pass; the NACK of 2 is another path's; 4 proves it.
 */
START_TEST(themis_says_why_in_the_papers_example)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    judged(&b, WEFT_THEMIS_NOTHING, WEFT_THEMIS_NONE, WEFT_THEMIS_NONE);
    ck_assert(nack(&b, 0));
    judged(&b, WEFT_THEMIS_NO_TRIGGER, 0, WEFT_THEMIS_NONE);
    close_bench(&b);
    open_bench(&b, 2, 100, compensations[_i], "1");
    pass(&b, 2);
    ck_assert(nack(&b, 0));
    judged(&b, WEFT_THEMIS_SAME_PATH, 0, 2);
    close_bench(&b);
    open_bench(&b, 2, 100, compensations[_i], "1");
    pass(&b, 0);
    pass(&b, 1);
    pass(&b, 3);
    ck_assert(!nack(&b, 2));
    judged(&b, WEFT_THEMIS_OTHER_PATH, 2, 3);
    if (_i < 2)
    {
        ck_assert_int_eq(pass(&b, 4), 2);
        judged(&b, WEFT_THEMIS_OVERTAKEN, 2, 4);
    }
    close_bench(&b);
}
END_TEST

START_TEST(themis_says_why_it_follows_the_nic)
{
    struct bench b;
    struct weft_tor_counters n = {0};
    uint32_t epsn = 0;
    open_bench(&b, 2, 4, "scan", "1");
    pass(&b, 0);
    pass(&b, 1);
    pass(&b, 3);
    pass(&b, 2);
    ck_assert(!nack(&b, 2));
    judged(&b, WEFT_THEMIS_ON_ITS_WAY, 2, 3);
    ck_assert_int_eq(pass(&b, 5), -1); /* the ring of four gives up 0, ... */
    ck_assert_int_eq(pass(&b, 7), -1);
    ck_assert_int_eq(pass(&b, 9), -1);
    ck_assert_int_eq(pass(&b, 11), 2);
    judged(&b, WEFT_THEMIS_SILENCE, 2, 11);
    ck_assert(!nack(&b, 2));
    judged(&b, WEFT_THEMIS_REPEATED, 2, 5);
    close_bench(&b);
    open_bench(&b, 2, 100, "scan", "1");
    pass(&b, 1);
    ck_assert(!nack(&b, 0));
    ck_assert(b.ops->release(b.qp, &n, &epsn));
    judged(&b, WEFT_THEMIS_RELEASED, 0, WEFT_THEMIS_NONE);
    b.n.compensated = n.compensated;
    b.n.released = n.released;
    close_bench(&b);
    open_bench(&b, 2, 100, "scan", "1");
    pass(&b, 1);
    ck_assert(!nack(&b, 0));
    pass(&b, 0);
    ck_assert(ack(&b, 1)); /* the NIC has dropped 1, which came before 0 */
    judged(&b, WEFT_THEMIS_TURNED, 1, WEFT_THEMIS_NONE);
    close_bench(&b);
}
END_TEST

START_TEST(every_reason_has_its_own_words)
{
    for (int a = WEFT_THEMIS_NOTHING; a <= WEFT_THEMIS_TURNED; a++)
    {
        const char *text = weft_themis_reason_text((enum weft_themis_reason)a);
        ck_assert_str_ne(text, "unknown");
        for (int b = WEFT_THEMIS_NOTHING; b < a; b++)
        {
            ck_assert_str_ne(text, weft_themis_reason_text((enum weft_themis_reason)b));
        }
    }
}
END_TEST

Suite *views_suite(void);

Suite *
views_suite(void)
{
    Suite *suite = suite_create("views");
    TCase *tcase = tcase_create("views");
    tcase_add_test(tcase, dcqcn_is_seen_at_any_time_and_left_alone);
    tcase_add_test(tcase, dcqcn_counts_bytes_in_the_papers_model);
    tcase_add_test(tcase, dctcp_shows_its_window_and_alpha);
    tcase_add_loop_test(tcase, swift_shows_its_delays, 0, 2);
    tcase_add_loop_test(tcase, themis_says_why_in_the_papers_example, 0, 3);
    tcase_add_test(tcase, themis_says_why_it_follows_the_nic);
    tcase_add_test(tcase, every_reason_has_its_own_words);
    suite_add_tcase(suite, tcase);
    return suite;
}
