/* SPDX-License-Identifier: MIT */
/* A user would lose messages to the NIC where a network drops and reorders, or hear wrong news of
 * them: QPs of every transport, over a link that does (see qp-link.c for what is checked). */
#include <check.h>

#include <weft/rng.h>

#include "qp-link.h"

static uint32_t
draw(void *context, uint32_t n)
{
    return weft_rng_below((struct weft_rng *)context, n);
}

static const char *const transports[] = {"gbn",     "nic-sr",     "ideal",  "sack",
                                         "erasure", "pro-window", "mprdma", "multipath-timers"};
#define NTRANSPORTS ((int)(sizeof(transports) / sizeof(transports[0])))

static struct qp_link
calm_link(const char *transport, struct weft_rng *rng, uint64_t seed)
{
    weft_rng_seed(rng, seed, 0, 0);
    return (struct qp_link){
        .transport = transport,
        .outstanding = 64,
        .rto = 200,
        .first_psn = 0xffffe0,
        .ack_every = 1,
        .batch = 1,
        .steps = 3000,
        .draw = draw,
        .context = rng,
    };
}

static const uint32_t every[] = {1, 4, 16};

START_TEST(nothing_is_lost_for_good)
{
    struct weft_rng rng;
    const int round = _i / NTRANSPORTS;
    struct qp_link link = calm_link(transports[_i % NTRANSPORTS], &rng, (uint64_t)_i);
    link.ack_every = every[round % 3];
    link.batch = 1 + (uint32_t)round / 3;
    link.window = round / 3 % 2 == 0 ? 24 : 0;
    link.loss = 8;
    link.copies = _i % NTRANSPORTS == 4 ? 0 : 4; /* each symbol of erasure has one answer */
    link.jitter = 6;
    link.unrest = 4;
    const struct qp_link_outcome o = qp_link_run(&link);
    ck_assert_uint_gt(o.sent, 1000);
    ck_assert_uint_gt(o.resent, 0);
    ck_assert_uint_gt(o.losses, 0);
    ck_assert_uint_gt(o.delivered, 50);
    ck_assert_uint_eq(o.failed, 0);
}
END_TEST

/* The sender hears of a trimmed packet, and sends it again at once. */
START_TEST(what_is_trimmed_is_sent_again)
{
    struct weft_rng rng;
    struct qp_link link = calm_link("trim", &rng, (uint64_t)_i);
    link.rto = 2000; /* more than data ever waits behind the replies to two QPs' packets */
    link.ack_every = every[_i % 3];
    link.window = _i / 3 % 2 == 0 ? 24 : 0;
    link.trim = 40;
    link.loss = _i / 6 % 2 == 0 ? 0 : 8;
    link.copies = link.loss / 2;
    link.jitter = 6;
    link.unrest = link.loss;
    const struct qp_link_outcome o = qp_link_run(&link);
    ck_assert_uint_gt(o.sent, 1000);
    ck_assert_uint_gt(o.nacks, 0);
    ck_assert_uint_ge(o.losses, o.resent);
    ck_assert_uint_eq(o.failed, 0);
    ck_assert(link.loss > 0 || (o.timeouts == 0 && o.resent == o.nacks));
    ck_assert(link.ack_every == 1 || o.acks < o.sent);
}
END_TEST

START_TEST(qps_are_given_up_where_too_much_is_lost)
{
    struct weft_rng rng;
    struct qp_link link = calm_link(transports[_i], &rng, (uint64_t)_i);
    link.retry_limit = 1;
    link.loss = 100;
    link.steps = 10000;
    const struct qp_link_outcome o = qp_link_run(&link);
    ck_assert(_i == 4 || o.failed > 0); /* repairs need no timeouts */
}
END_TEST

/* Else every window of packets would end in a timeout. */
START_TEST(acks_that_wait_cost_no_timeouts)
{
    struct weft_rng rng;
    struct qp_link link = calm_link(transports[_i % 4], &rng, (uint64_t)_i);
    link.ack_every = 16;
    link.outstanding = _i / 4 % 2 == 0 ? 64 : 8;
    link.window = _i / 8 % 2 == 0 ? 0 : 12;
    link.jitter = _i % 4 >= 2 ? 3 : 0; /* of those that bear it */
    const struct qp_link_outcome o = qp_link_run(&link);
    ck_assert_uint_gt(o.sent, 1000);
    ck_assert_uint_eq(o.timeouts, 0);
    ck_assert(_i % 4 >= 2 || o.acks < o.sent);
}
END_TEST

Suite *qp_link_suite(void);

Suite *
qp_link_suite(void)
{
    Suite *s = suite_create("qp-link");
    TCase *tc = tcase_create("qp-link");
    suite_add_tcase(s, tc);
    tcase_add_loop_test(tc, nothing_is_lost_for_good, 0, 12 * NTRANSPORTS);
    tcase_add_loop_test(tc, what_is_trimmed_is_sent_again, 0, 120);
    tcase_add_loop_test(tc, qps_are_given_up_where_too_much_is_lost, 0, NTRANSPORTS);
    tcase_add_loop_test(tc, acks_that_wait_cost_no_timeouts, 0, 16);
    return s;
}
