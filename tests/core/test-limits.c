/* SPDX-License-Identifier: MIT */
/* A user whose machine is busy would see tests fail that have nothing wrong with them. */
#include <check.h>
#include <threads.h>

Suite *limits_suite(void);

/* Check's own limit is 4 s. */
START_TEST(a_slow_machine_fails_no_test)
{
    const struct timespec longer = {4, 500000000};
    ck_assert_int_eq(thrd_sleep(&longer, NULL), 0);
}
END_TEST

Suite *
limits_suite(void)
{
    Suite *suite = suite_create("limits");
    TCase *tcase = tcase_create("time");
    tcase_add_test(tcase, a_slow_machine_fails_no_test);
    suite_add_tcase(suite, tcase);
    return suite;
}
