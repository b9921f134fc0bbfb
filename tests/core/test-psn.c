/* SPDX-License-Identifier: MIT */
/* A user would lose long runs: every transfer beyond 16.7 million packets wraps its PSNs. */
#include <check.h>

#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"

START_TEST(addition_wraps_at_24_bits)
{
    ck_assert_uint_eq(weft_psn_add(0xffffff, 1), 0);
    ck_assert_uint_eq(weft_psn_add(0xfffffe, 5), 3);
    ck_assert_uint_eq(weft_psn_add(0, (uint32_t)-1), 0xffffff);
    ck_assert_uint_eq(weft_psn_add(2, (uint32_t)-5), 0xfffffd);
}
END_TEST

START_TEST(distances_are_signed_across_the_wrap)
{
    ck_assert_int_eq(weft_psn_diff(5, 5), 0);
    ck_assert_int_eq(weft_psn_diff(0, 0xffffff), 1);
    ck_assert_int_eq(weft_psn_diff(0xffffff, 0), -1);
    ck_assert_int_eq(weft_psn_diff(0x7fffff, 0), 0x7fffff);
    ck_assert_int_eq(weft_psn_diff(0x800000, 0), -0x800000);
    ck_assert(weft_psn_before(0xffffff, 0));
    ck_assert(!weft_psn_before(0, 0xffffff));
    ck_assert(!weft_psn_before(7, 7));
}
END_TEST

START_TEST(distance_undoes_addition_anywhere)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 0, 0);
    for (int i = 0; i < 100000; i++)
    {
        const uint32_t from = weft_rng_below(&rng, 1U << 24);
        const int32_t step = (int32_t)weft_rng_below(&rng, 1U << 24) - (1 << 23);
        const uint32_t to = weft_psn_add(from, (uint32_t)step);
        MUST(to < 1U << 24);
        MUST(weft_psn_diff(to, from) == step);
        MUST(weft_psn_before(to, from) == (step < 0));
    }
}
END_TEST

Suite *
psn_suite(void)
{
    Suite *suite = suite_create("psn");
    TCase *tcase = tcase_create("psn");
    tcase_add_test(tcase, addition_wraps_at_24_bits);
    tcase_add_test(tcase, distances_are_signed_across_the_wrap);
    tcase_add_test(tcase, distance_undoes_addition_anywhere);
    suite_add_tcase(suite, tcase);
    return suite;
}
