/* SPDX-License-Identifier: MIT */
/* A user would lose PLB (ofan §3.2(3)): a label that changes without congestion, too often, or not
 * at all. */
#include <check.h>
#include <stdio.h>

#include <weft/rng.h>
#include <weft/weft.h>

#include "must.h"
#include "path-rig.h"

static struct path_rig rig;

/* ACKs come back: 'x' marked, '.' not. */
static void
acks(const char *marks)
{
    for (; *marks != '\0'; marks++)
    {
        path_rig_answer(&rig, WEFT_ACK, 0, *marks == 'x', 0);
    }
}

/* Sends @p packets; returns how many of them had another label than the one before. */
static uint32_t
changes(uint32_t packets, uint16_t *label)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < packets; i++)
    {
        const uint16_t sport = path_rig_data(&rig);
        n += sport != *label;
        *label = sport;
    }
    return n;
}

START_TEST(without_marks_it_is_ecmp)
{
    uint16_t label = PATH_RIG_SPORT;
    path_rig_begin(&rig, "plb", "", 1, 1, 3, 0);
    for (int i = 0; i < 1000; i++)
    {
        ck_assert_uint_eq(changes(1, &label), 0);
        acks(".");
    }
}
END_TEST

/* Table 2's 40 %, of the last ten: four marks are not more than that, five are. */
START_TEST(the_label_changes_above_beta_and_not_at_it)
{
    static const struct
    {
        const char *marks;
        uint32_t changes;
    } cases[] = {
        {"xxxx......", 0},
        {"......xxxx", 0},
        {"x.x.x.x...", 0},
        {"xxxxx.....", 1},
        {".....xxxxx", 1},
        {"x.x.x.x.x.", 1},
        {"xxxxxxxxxx", 1},
        /* Only the last ten count. */
        {"xxxxx..........", 0},
        {"xxxxxxxxxx......", 0},
        {"xxxxxxxxxx.....", 1},
        /* Packets that have not come back yet count as unmarked. */
        {"xxxx", 0},
        {"xxxxx", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        uint16_t label = PATH_RIG_SPORT;
        path_rig_begin(&rig, "plb", "", 1, 1, 3, 0);
        ck_assert_uint_eq(changes(10, &label), 0);
        acks(cases[i].marks);
        ck_assert_msg(changes(1, &label) == cases[i].changes, "%s", cases[i].marks);
        ck_assert_uint_eq(changes(9, &label), 0);
    }
}
END_TEST

START_TEST(no_change_before_alpha_packets_and_one_per_alpha_then)
{
    uint16_t label = PATH_RIG_SPORT;
    path_rig_begin(&rig, "plb", "alpha=25", 1, 1, 3, 0);
    acks("xxxxxxxxxx");
    ck_assert_uint_eq(changes(25, &label), 0);
    for (int i = 0; i < 20; i++)
    {
        ck_assert_uint_eq(changes(1, &label), 1); /* the first of 25 */
        ck_assert_uint_eq(changes(24, &label), 0);
    }
    /* The burst is over: the window must empty, and then nothing changes any more. */
    acks("......");
    ck_assert_uint_eq(changes(100, &label), 0);
    /* The packets sent meanwhile are more than alpha: a new burst is acted upon at once. */
    acks("xxxxx");
    ck_assert_uint_eq(changes(25, &label), 1);
}
END_TEST

START_TEST(a_timeout_changes_the_label_unless_told_not_to)
{
    uint16_t label = PATH_RIG_SPORT;
    path_rig_begin(&rig, "plb", "", 1, 1, 3, 0);
    rig.ops->path->on_timeout(rig.qp, 0);
    ck_assert_uint_eq(changes(1, &label), 1);
    ck_assert_uint_eq(changes(100, &label), 0);
    label = PATH_RIG_SPORT;
    path_rig_begin(&rig, "plb", "timeout=off", 1, 1, 3, 0);
    rig.ops->path->on_timeout(rig.qp, 0);
    ck_assert_uint_eq(changes(100, &label), 0);
}
END_TEST

/* Against the rule said plainly: the marks of all ACKs in a list, its end added up each time. */
static void
compare_with_list(uint64_t seed, uint32_t alpha, uint32_t beta, uint32_t window)
{
    static bool marks[4000];
    uint32_t n = 0;
    uint32_t since = 0;
    uint16_t label = PATH_RIG_SPORT;
    struct weft_rng rng;
    char settings[64];
    weft_rng_seed(&rng, seed, 0, 0);
    snprintf(settings, sizeof(settings), "alpha=%u beta=%u window=%u", alpha, beta, window);
    path_rig_begin(&rig, "plb", settings, seed, 1, 3, 0);
    while (n < 4000)
    {
        if (weft_rng_below(&rng, 2))
        {
            marks[n] = weft_rng_below(&rng, 100) < (n / 400 % 2 ? 10 : 60);
            path_rig_answer(&rig, n % 7 ? WEFT_ACK : WEFT_NACK, 0, marks[n], 0);
            n++;
            continue;
        }
        uint32_t sum = 0;
        for (uint32_t i = 0; i < window && i < n; i++)
        {
            sum += marks[n - 1 - i];
        }
        const bool expected = since >= alpha && 100 * sum > beta * window;
        since = expected ? 1 : since + 1;
        const uint16_t sport = path_rig_data(&rig);
        MUST((sport != label) == expected);
        label = sport;
    }
}

START_TEST(random_sequences_agree_with_the_rule)
{
    static const uint32_t windows[] = {1, 3, 10, 63, 64};
    for (uint32_t i = 0; i < 100; i++)
    {
        compare_with_list(i, 1 + i % 40, i * 7 % 101, windows[i % 5]);
    }
}
END_TEST

START_TEST(replies_keep_to_their_path_unless_asked_otherwise)
{
    path_rig_check_replies("plb", "ecmp");
}
END_TEST

START_TEST(switches_hash_as_under_ecmp)
{
    path_rig_check_switches("plb");
}
END_TEST

START_TEST(a_run_can_be_repeated_and_streams_are_apart)
{
    path_rig_check_streams("plb", "replies=spray");
}
END_TEST

Suite *
plb_suite(void)
{
    Suite *suite = suite_create("plb");
    TCase *tcase = tcase_create("plb");
    tcase_add_test(tcase, without_marks_it_is_ecmp);
    tcase_add_test(tcase, the_label_changes_above_beta_and_not_at_it);
    tcase_add_test(tcase, no_change_before_alpha_packets_and_one_per_alpha_then);
    tcase_add_test(tcase, a_timeout_changes_the_label_unless_told_not_to);
    tcase_add_test(tcase, random_sequences_agree_with_the_rule);
    tcase_add_test(tcase, replies_keep_to_their_path_unless_asked_otherwise);
    tcase_add_test(tcase, switches_hash_as_under_ecmp);
    tcase_add_test(tcase, a_run_can_be_repeated_and_streams_are_apart);
    suite_add_tcase(suite, tcase);
    return suite;
}
