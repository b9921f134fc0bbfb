/* SPDX-License-Identifier: MIT */
/* A user would lose subflows (ofan §3.2(2)): a QP on fewer paths than asked for, or unequally on
 * them. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "path-rig.h"

/* The label of the i-th packet is that of the (i mod n)-th, and those n are all different. */
static void
check_turns(struct path_rig *rig, uint32_t n)
{
    static uint16_t first[1024];
    static uint16_t count[65536];
    const uint32_t packets = 5 * n + n / 2;
    memset(count, 0, sizeof(count));
    for (uint32_t i = 0; i < packets; i++)
    {
        const uint16_t label = path_rig_data(rig);
        first[i % n] = i < n ? label : first[i % n];
        MUST(first[i % n] == label);
        count[label]++;
    }
    uint32_t labels = 0;
    for (uint32_t label = 0; label < 65536; label++)
    {
        labels += count[label] > 0;
        MUST(count[label] == 0 || count[label] == 5 || count[label] == 6);
    }
    ck_assert_uint_eq(labels, n);
}

START_TEST(a_qp_takes_its_n_labels_in_turn)
{
    static const struct
    {
        const char *settings;
        uint32_t n;
    } cases[] = {{"", 4}, {"n=1", 1}, {"n=3", 3}, {"n=64", 64}, {"n=1024", 1024}};
    struct path_rig rig;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        for (uint32_t qp = 0; qp < 50; qp++)
        {
            path_rig_begin(&rig, "subflow", cases[i].settings, 1, 1, 3, qp);
            check_turns(&rig, cases[i].n);
        }
    }
}
END_TEST

/* 16,000 labels in 64 bins: chi-square within 5 standard deviations of its mean. */
START_TEST(labels_are_uniform)
{
    struct path_rig rig;
    double bins[64] = {0};
    double x = 0;
    for (uint32_t qp = 0; qp < 4000; qp++)
    {
        path_rig_begin(&rig, "subflow", "", 1, 1, 3, qp);
        for (int i = 0; i < 4; i++)
        {
            bins[path_rig_data(&rig) >> 10]++;
        }
    }
    for (int i = 0; i < 64; i++)
    {
        x += (bins[i] - 250) * (bins[i] - 250) / 250;
    }
    ck_assert_double_gt(x, 63 - 5 * 11.2);
    ck_assert_double_lt(x, 63 + 5 * 11.2);
}
END_TEST

START_TEST(acks_return_on_their_subflow_unless_asked_otherwise)
{
    path_rig_check_replies("subflow", "echo");
}
END_TEST

START_TEST(switches_hash_as_under_ecmp)
{
    path_rig_check_switches("subflow");
}
END_TEST

START_TEST(a_run_can_be_repeated_and_streams_are_apart)
{
    path_rig_check_streams("subflow", "replies=spray");
}
END_TEST

Suite *
subflow_suite(void)
{
    Suite *suite = suite_create("subflow");
    TCase *tcase = tcase_create("subflow");
    tcase_add_test(tcase, a_qp_takes_its_n_labels_in_turn);
    tcase_add_test(tcase, labels_are_uniform);
    tcase_add_test(tcase, acks_return_on_their_subflow_unless_asked_otherwise);
    tcase_add_test(tcase, switches_hash_as_under_ecmp);
    tcase_add_test(tcase, a_run_can_be_repeated_and_streams_are_apart);
    suite_add_tcase(suite, tcase);
    return suite;
}
