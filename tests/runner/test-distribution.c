/* SPDX-License-Identifier: GPL-2.0-only */
/* Percentiles and CDFs, against counting by hand. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "csv.h"
#include "distribution.h"

/** @p n whole numbers below @p most in an order that is not theirs. */
static struct pool
scattered(size_t n, uint64_t most)
{
    struct pool p = {NULL, 0};
    uint64_t state = 12345;
    for (size_t i = 0; i < n; i++)
    {
        state = state * 6364136223846793005U + 1442695040888963407U;
        pool_add(&p, (double)((state >> 33) % most));
    }
    pool_sort(&p);
    return p;
}

static size_t
up_to(const struct pool *p, double x)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
    {
        n += p->values[i] <= x;
    }
    return n;
}

/* A p99 that is one rank off hides, in a hundred flows, the one that everybody waits for. */
START_TEST(a_percentile_is_the_value_at_its_nearest_rank)
{
    struct pool p = {NULL, 0};
    for (int i = 1000; i >= 1; i--)
    {
        pool_add(&p, i);
    }
    pool_sort(&p);
    ck_assert(pool_quantile(&p, 0) == 1);
    ck_assert(pool_quantile(&p, 500000) == 500);
    ck_assert(pool_quantile(&p, 990000) == 990);
    ck_assert(pool_quantile(&p, 999000) == 999);
    ck_assert(pool_quantile(&p, 999100) == 1000);
    ck_assert(pool_quantile(&p, 1000000) == 1000);
    pool_free(&p);
    pool_add(&p, 7);
    ck_assert(pool_quantile(&p, 10000) == 7);
    pool_free(&p);
}
END_TEST

/* By its definition: the least value that this share of all does not exceed. */
START_TEST(percentiles_agree_with_counting)
{
    static const uint32_t shares[] = {1, 250000, 500000, 900000, 990000, 999000, 999999};
    for (size_t n = 1; n < 60; n += 7)
    {
        struct pool p = scattered(n, 20);
        for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        {
            double x = pool_quantile(&p, shares[i]);
            ck_assert_uint_ge((uint64_t)up_to(&p, x) * 1000000, (uint64_t)shares[i] * n);
            ck_assert_uint_lt((uint64_t)up_to(&p, x - 1) * 1000000, (uint64_t)shares[i] * n);
        }
        pool_free(&p);
    }
}
END_TEST

/* A drawn curve must be the data's own: every step of it exact, ties counted as one, from the least
 * to the greatest, and nothing left out where there are few. */
START_TEST(steps_of_a_cdf_are_exact)
{
    static const struct
    {
        size_t n;
        uint64_t most;
    } cases[] = {{1, 10}, {128, 1U << 30}, {1280, 40}, {5000, 1U << 30}, {16256, 3000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    {
        struct pool p = scattered(cases[k].n, cases[k].most);
        struct cdf_point *points;
        size_t n = pool_cdf(&p, &points);
        for (size_t i = 0; i < n; i++)
        {
            double count = points[i].share * (double)p.n;
            ck_assert_double_eq_tol(count, (double)up_to(&p, points[i].x), 1e-6);
            ck_assert(i == 0 || points[i].x > points[i - 1].x);
        }
        ck_assert(points[0].x == p.values[0]);
        ck_assert(points[n - 1].x == p.values[p.n - 1] && points[n - 1].share == 1);
        ck_assert(p.n > 256 || n == p.n);
        free(points);
        pool_free(&p);
    }
}
END_TEST

/* The tail is what such a figure is for: of many values it must keep the last ones one by one, and
 * still be small. */
START_TEST(a_long_tail_is_kept)
{
    struct pool p = {NULL, 0};
    for (size_t i = 0; i < 2000000; i++)
    {
        pool_add(&p, (double)i);
    }
    struct cdf_point *points;
    size_t n = pool_cdf(&p, &points), last = 0;
    ck_assert_uint_lt(n, 500);
    for (size_t i = 1; i < n; i++)
    {
        ck_assert_double_lt(points[i].share - points[i - 1].share, 1.001 / 256);
        last += points[i].share > 0.99;
    }
    ck_assert_uint_gt(last, 100);
    for (size_t i = 1; i <= 16; i++)
    {
        ck_assert(points[n - i].x == (double)(p.n - i));
    }
    free(points);
    pool_free(&p);
}
END_TEST

/* A word that counts as 0, or a unit that counts as none, is a wrong number in a paper. */
START_TEST(a_number_is_all_of_its_cell)
{
    static const struct
    {
        const char *cell;
        double value;
    } numbers[] = {{"12.5", 12.5},  {"-3", -3}, {"64KiB", 65536}, {"2B", 2},
                   {"1.5ms", 1500}, {"7us", 7}, {"25ns", .025},   {"400Gbps", 400},
                   {"500Mbps", .5}, {"1s", 1e6}};
    static const char *const words[] = {"never", "1mib", "1abc", "16 MiB", "1KiBx", "MiB", "1,5"};
    static const char *const none[] = {"", "nan", "inf", "1e999"};
    double value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    {
        ck_assert(csv_number(numbers[i].cell, &value) == CELL_NUMBER);
        ck_assert_double_eq_tol(value, numbers[i].value, 1e-12 * fabs(value));
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    {
        ck_assert_msg(csv_number(words[i], &value) == CELL_TEXT, "%s", words[i]);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    {
        ck_assert_msg(csv_number(none[i], &value) == CELL_EMPTY, "%s", none[i]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("distribution");
    TCase *t = tcase_create("distribution");
    tcase_add_test(t, a_percentile_is_the_value_at_its_nearest_rank);
    tcase_add_test(t, percentiles_agree_with_counting);
    tcase_add_test(t, steps_of_a_cdf_are_exact);
    tcase_add_test(t, a_long_tail_is_kept);
    tcase_add_test(t, a_number_is_all_of_its_cell);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
