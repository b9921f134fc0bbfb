/* SPDX-License-Identifier: MIT */
/* A user would lose the point of the balancer: the longer of two queues taken. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

/* Port 0 is empty, all others are full: with two draws of four it is taken 7 times of 16. */
START_TEST(the_shorter_of_two_queues_is_taken)
{
    static const uint32_t queues[4] = {0, 9000, 9000, 9000};
    const struct weft_lb_ops *lb = weft_lb_find("two-choices");
    const struct weft_ports ports = {queues, NULL, 0, 4, 4, 0, 0};
    struct weft_site site;
    struct weft_packet packet;
    int64_t config[1];
    uint64_t state[8];
    int taken = 0;
    memset(&site, 0, sizeof site);
    memset(&packet, 0, sizeof packet);
    ck_assert_ptr_nonnull(lb);
    ck_assert_int_eq(weft_config_default(&lb->algo, config), 0);
    ck_assert_uint_le(lb->state_size(config, &site), sizeof state);
    ck_assert_int_eq(lb->init(state, config, &site), 0);
    for (int i = 0; i < 16000; i++)
    {
        taken += lb->pick(state, &ports, &packet, 0) == 0;
    }
    ck_assert_int_ge(taken, 6750);
    ck_assert_int_le(taken, 7250);
}
END_TEST

Suite *
two_choices_suite(void)
{
    Suite *suite = suite_create("two-choices");
    TCase *tcase = tcase_create("two-choices");
    tcase_add_test(tcase, the_shorter_of_two_queues_is_taken);
    suite_add_tcase(suite, tcase);
    return suite;
}
