/* SPDX-License-Identifier: MIT */
/* A user would lose the control: a rate that does not fall, or rises above the line's. */
#include <check.h>

#include <weft/weft.h>

Suite *aimd_suite(void);

START_TEST(a_cnp_halves_and_acks_add)
{
    const struct weft_cc_ops *cc = weft_cc_find("aimd");
    const struct weft_cc_site site = {.line_rate = 100000000000, .share = 1};
    const struct weft_packet packet = {0};
    struct weft_cc_ack ack = {.reply = &packet, .acked = 10};
    uint64_t config[2], state[4];
    weft_config_default(&cc->algo, config);
    ck_assert_uint_le(cc->state_size, sizeof state);
    ck_assert_int_eq(cc->init(state, config, &site, 0), 0);
    cc->on_cnp(state, &packet, 1);
    ck_assert_int_eq(cc->rate(state, 1), 50000000000);
    cc->on_ack(state, &ack, 2);
    ck_assert_int_eq(cc->rate(state, 2), 50050000000);
    ack.acked = 1000000;
    cc->on_ack(state, &ack, 3);
    ck_assert_int_eq(cc->rate(state, 3), 100000000000);
    ck_assert_uint_eq(cc->cuts(state), 1);
}
END_TEST

Suite *
aimd_suite(void)
{
    Suite *suite = suite_create("aimd");
    TCase *tcase = tcase_create("aimd");
    tcase_add_test(tcase, a_cnp_halves_and_acks_add);
    suite_add_tcase(suite, tcase);
    return suite;
}
