/* SPDX-License-Identifier: MIT */
/* A user would lose the point: a NACK that passes too early, or one that is never made up for. */
#include <check.h>

#include <weft/weft.h>

Suite *nack_hold_suite(void);

static const struct weft_tor_ops *tor;
static struct weft_tor_counters counters;
static uint64_t config[4], qp[4];
static uint32_t epsn;

static void
setup(void)
{
    const struct weft_lb_ops *lb = weft_lb_find("nack-hold");
    const struct weft_last_hop hop = {.npaths = 4, .provides = WEFT_NEEDS_ALL};
    weft_config_default(&lb->algo, config);
    weft_config_set_int(&lb->algo, config, "tolerance", 2);
    tor = lb->tor;
    ck_assert_uint_le(tor->qp_size(config, &hop), sizeof qp);
    ck_assert_int_eq(tor->qp_init(qp, config, &hop), 0);
}

static enum weft_tor_verdict
replies(enum weft_packet_kind kind, uint32_t psn)
{
    const struct weft_packet reply = {.kind = kind, .psn = psn & WEFT_PSN_MASK};
    return tor->from_host(qp, &reply, &counters);
}

static bool
passes(uint32_t psn)
{
    const struct weft_packet data = {.kind = WEFT_DATA, .psn = psn & WEFT_PSN_MASK};
    return tor->to_host(qp, &data, false, &counters, &epsn);
}

START_TEST(two_more_packets_release_the_nack)
{
    ck_assert_int_eq(replies(WEFT_NACK, 5), WEFT_TOR_BLOCK);
    ck_assert(!passes(7));
    ck_assert(passes(8));
    ck_assert_uint_eq(epsn, 5);
    ck_assert(!passes(9));
}
END_TEST

START_TEST(an_ack_beyond_it_ends_the_wait)
{
    ck_assert_int_eq(replies(WEFT_NACK, 5), WEFT_TOR_BLOCK);
    ck_assert(!passes(5));
    ck_assert_int_eq(replies(WEFT_ACK, 8), WEFT_TOR_FORWARD);
    ck_assert(!passes(8));
}
END_TEST

Suite *
nack_hold_suite(void)
{
    Suite *suite = suite_create("nack-hold");
    TCase *tcase = tcase_create("nack-hold");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, two_more_packets_release_the_nack);
    tcase_add_test(tcase, an_ack_beyond_it_ends_the_wait);
    suite_add_tcase(suite, tcase);
    return suite;
}
