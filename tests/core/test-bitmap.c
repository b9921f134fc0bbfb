/* SPDX-License-Identifier: MIT */
/* A user would lose the selective-repeat receiver: it forgets or invents arrivals. */
#include <check.h>

#include <weft/psn.h>
#include <weft/rng.h>

#include "base/bitmap.h"
#include "must.h"

START_TEST(a_run_ends_at_the_first_gap)
{
    uint64_t words[2];
    weft_bitmap_init(words, 128);
    for (uint32_t n = 60; n < 70; n++)
    {
        ck_assert(weft_bitmap_set(words, 127, n));
        ck_assert(!weft_bitmap_set(words, 127, n));
    }
    ck_assert_uint_eq(weft_bitmap_advance(words, 127, 59), 0);
    ck_assert_uint_eq(weft_bitmap_advance(words, 127, 62), 8);
    ck_assert_uint_eq(weft_bitmap_advance(words, 127, 60), 2);
    ck_assert(words[0] == 0 && words[1] == 0);
}
END_TEST

START_TEST(a_full_window_advances_by_itself_once)
{
    for (uint32_t from = 0; from < 256; from += 37)
    {
        uint64_t words[4];
        weft_bitmap_init(words, 256);
        for (uint32_t n = 0; n < 256; n++)
        {
            weft_bitmap_set(words, 255, from + n);
        }
        ck_assert_uint_eq(weft_bitmap_advance(words, 255, from), 256);
        ck_assert(words[0] == 0 && words[1] == 0 && words[2] == 0 && words[3] == 0);
    }
}
END_TEST

START_TEST(sliding_matches_a_plain_array_across_the_wrap)
{
    enum
    {
        WINDOW = 512,
        STEPS = 60000
    };
    static bool plain[STEPS * 2 + WINDOW];
    uint64_t words[WINDOW / 64];
    struct weft_rng rng;
    uint32_t start = 0; /* of the window, counted from the first number */
    const uint32_t first = 0xffffff - STEPS / 4;
    weft_rng_seed(&rng, 3, 0, 0);
    weft_bitmap_init(words, WINDOW);
    for (int i = 0; i < STEPS; i++)
    {
        const uint32_t span = weft_rng_below(&rng, 8) == 0 ? WINDOW : 40;
        const uint32_t n = start + weft_rng_below(&rng, span);
        MUST(weft_bitmap_set(words, WINDOW - 1, weft_psn_add(first, n)) == !plain[n]);
        plain[n] = true;
        const uint32_t run = weft_bitmap_advance(words, WINDOW - 1, weft_psn_add(first, start));
        for (uint32_t k = 0; k < run; k++)
        {
            MUST(plain[start + k]);
        }
        start += run;
        MUST(!plain[start]);
    }
    MUST(start > STEPS / 4); /* it went across the wrap */
}
END_TEST

START_TEST(a_count_matches_a_plain_array_across_the_wrap)
{
    uint64_t words[4];
    bool plain[256] = {false};
    struct weft_rng rng;
    weft_rng_seed(&rng, 3, 0, 0);
    weft_bitmap_init(words, 256);
    for (uint32_t i = 0; i < 2000; i++)
    {
        const uint32_t bit = weft_rng_below(&rng, 256);
        weft_bitmap_set(words, 255, bit);
        plain[bit] = true;
        const uint32_t first = weft_rng_below(&rng, 1 << 24);
        const uint32_t count = weft_rng_below(&rng, 257);
        uint32_t set = 0;
        for (uint32_t k = 0; k < count; k++)
        {
            set += plain[(first + k) % 256];
        }
        MUST(weft_bitmap_count(words, 255, first, count) == set);
        if (i % 100 == 99)
        {
            weft_bitmap_clear(words, 255, first, count);
            for (uint32_t k = 0; k < count; k++)
            {
                plain[(first + k) % 256] = false;
            }
        }
    }
}
END_TEST

START_TEST(the_next_set_bit_is_that_of_a_plain_array)
{
    uint64_t words[4];
    struct weft_rng rng;
    weft_rng_seed(&rng, 4, 0, 0);
    for (uint32_t i = 0; i < 2000; i++)
    {
        bool plain[256] = {false};
        weft_bitmap_init(words, 256);
        for (uint32_t n = weft_rng_below(&rng, 4); n < 4; n++)
        {
            const uint32_t bit = weft_rng_below(&rng, 256);
            weft_bitmap_set(words, 255, bit);
            plain[bit] = true;
        }
        const uint32_t first = weft_rng_below(&rng, 1 << 24);
        uint32_t distance = 0;
        while (!plain[(first + distance) % 256])
        {
            distance++;
        }
        MUST(weft_bitmap_next(words, 255, first) == distance);
    }
}
END_TEST

START_TEST(only_powers_of_two_from_64_are_windows)
{
    ck_assert(weft_bitmap_valid(64) && weft_bitmap_valid(16384));
    ck_assert(!weft_bitmap_valid(0) && !weft_bitmap_valid(32) && !weft_bitmap_valid(100));
    ck_assert(!weft_bitmap_valid(-64) && !weft_bitmap_valid(INT64_MIN));
}
END_TEST

Suite *
bitmap_suite(void)
{
    Suite *suite = suite_create("bitmap");
    TCase *tcase = tcase_create("bitmap");
    tcase_add_test(tcase, a_run_ends_at_the_first_gap);
    tcase_add_test(tcase, a_full_window_advances_by_itself_once);
    tcase_add_test(tcase, sliding_matches_a_plain_array_across_the_wrap);
    tcase_add_test(tcase, a_count_matches_a_plain_array_across_the_wrap);
    tcase_add_test(tcase, the_next_set_bit_is_that_of_a_plain_array);
    tcase_add_test(tcase, only_powers_of_two_from_64_are_windows);
    suite_add_tcase(suite, tcase);
    return suite;
}
