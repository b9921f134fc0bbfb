/* SPDX-License-Identifier: MIT */
/* A user would lose host-side spraying (ofan §3.2(4)): packets bunched on some paths, replies that
 * collide, or a run that cannot be repeated. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "path-rig.h"

#define PORTS 16

static struct path_rig rig;

/* Sum of squares against a uniform expectation, in standard deviations of chi-square. */
static double
chi_score(const uint32_t *counts, uint32_t n, uint32_t total)
{
    double x = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const double d = (double)counts[i] - (double)total / n;
        x += d * d * n / total;
    }
    return (x - (n - 1)) * (x - (n - 1)) / (2.0 * (n - 1));
}

START_TEST(source_ports_are_uniform_over_all_16_bits)
{
    static uint32_t high[256];
    static uint32_t low[256];
    path_rig_begin(&rig, "ops", "", 1, 1, 3, 0);
    for (uint32_t i = 0; i < 256 * 400; i++)
    {
        const uint16_t port = path_rig_data(&rig);
        high[port >> 8]++;
        low[port & 255]++;
    }
    ck_assert_double_lt(chi_score(high, 256, 256 * 400), 25);
    ck_assert_double_lt(chi_score(low, 256, 256 * 400), 25);
}
END_TEST

/* Few labels, as UEC's simulator has them, are those in a row from a random one on; all of them are
 * drawn, and another QP has others. */
START_TEST(a_qp_may_have_few_labels)
{
    static const char *const names[] = {"ops", "reps"};
    uint16_t first[2];
    for (uint32_t qp_index = 0; qp_index < 2; qp_index++)
    {
        uint32_t seen[4] = {0};
        path_rig_begin(&rig, names[_i], "labels=4", 1, 1, 3, qp_index);
        const uint16_t some = path_rig_data(&rig);
        uint16_t low = some;
        for (uint32_t i = 0; i < 100; i++)
        {
            const uint16_t label = path_rig_data(&rig);
            MUST((uint16_t)(label - some + 3) <= 6);
            low = (int16_t)(label - low) < 0 ? label : low;
        }
        for (uint32_t i = 0; i < 400; i++)
        {
            const uint16_t label = (uint16_t)(path_rig_data(&rig) - low);
            MUST(label < 4);
            seen[label]++;
        }
        for (uint32_t i = 0; i < 4; i++)
        {
            ck_assert_uint_gt(seen[i], 50);
        }
        first[qp_index] = low;
    }
    ck_assert_uint_gt((uint16_t)(first[0] - first[1] + 3), 6);
    path_rig_check_streams(names[_i], "labels=256");
}
END_TEST

/* As UEC's simulator does: evenly, and in another order each round. */
START_TEST(each_of_few_labels_leaves_once_a_round)
{
    static const uint32_t numbers[] = {1, 5, 256};
    const uint32_t n = numbers[_i];
    char text[32];
    uint32_t kept = 0;
    snprintf(text, sizeof text, "labels=%u", (unsigned)n);
    path_rig_begin(&rig, "ops", text, 1, 1, 3, 0);
    uint16_t before[256];
    for (uint32_t round = 0; round < 50; round++)
    {
        uint16_t now[256];
        for (uint32_t i = 0; i < n; i++)
        {
            now[i] = path_rig_data(&rig);
            for (uint32_t j = 0; j < i; j++)
            {
                MUST(now[j] != now[i]);
            }
        }
        kept += round > 0 && memcmp(before, now, n * sizeof now[0]) == 0;
        memcpy(before, now, sizeof now);
    }
    ck_assert(n == 1 ? kept == 49 : kept < 25);
}
END_TEST

START_TEST(two_tiers_of_switches_spread_one_flow_over_all_paths)
{
    static uint32_t counts[PORTS * PORTS];
    uint64_t edge[8];
    uint64_t aggregation[PORTS][8];
    uint32_t queues[PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 0, PORTS, PORTS};
    struct weft_packet packet;
    struct weft_site site;
    memset(&packet, 0, sizeof(packet));
    packet.src = 3;
    packet.dst = 77;
    memset(&site, 0, sizeof(site));
    site.provides = WEFT_NEEDS_ALL;
    site.seed = 5;
    site.tiers = 3;
    site.nports = PORTS;
    site.up_ports = PORTS;
    path_rig_begin(&rig, "ops", "", 5, 1, 3, 0);
    ck_assert_int_eq(rig.ops->init(edge, rig.config, &site), 0);
    for (uint32_t i = 0; i < PORTS; i++)
    {
        site.switch_index = 1 + i;
        site.tier = 1;
        ck_assert_int_eq(rig.ops->init(aggregation[i], rig.config, &site), 0);
    }
    for (uint32_t i = 0; i < 256 * 100; i++)
    {
        const uint16_t sport = path_rig_data(&rig);
        packet.sport = sport;
        const uint32_t up = rig.ops->pick(edge, &ports, &packet, 0);
        counts[up * PORTS + rig.ops->pick(aggregation[up], &ports, &packet, 0)]++;
        MUST(packet.sport == sport); /* switches hash, and nothing else */
        MUST(rig.ops->pick(edge, &ports, &packet, 1) == up);
    }
    /* 65,536 values thrown into 256 paths: 256 each, give or take 16, and 100 draws, give or take
     * 10. */
    for (uint32_t i = 0; i < PORTS * PORTS; i++)
    {
        ck_assert(counts[i] > 100 - 5 * 12 && counts[i] < 100 + 5 * 12);
    }
}
END_TEST

START_TEST(switches_hash_as_under_ecmp)
{
    path_rig_check_switches("ops");
}
END_TEST

START_TEST(replies_are_sprayed_unless_asked_otherwise)
{
    path_rig_check_replies("ops", "spray");
}
END_TEST

START_TEST(a_run_can_be_repeated_and_streams_are_apart)
{
    path_rig_check_streams("ops", "");
}
END_TEST

Suite *
oblivious_spray_suite(void)
{
    Suite *suite = suite_create("oblivious-spray");
    TCase *tcase = tcase_create("ops");
    tcase_add_test(tcase, source_ports_are_uniform_over_all_16_bits);
    tcase_add_loop_test(tcase, a_qp_may_have_few_labels, 0, 2);
    tcase_add_loop_test(tcase, each_of_few_labels_leaves_once_a_round, 0, 3);
    tcase_add_test(tcase, two_tiers_of_switches_spread_one_flow_over_all_paths);
    tcase_add_test(tcase, switches_hash_as_under_ecmp);
    tcase_add_test(tcase, replies_are_sprayed_unless_asked_otherwise);
    tcase_add_test(tcase, a_run_can_be_repeated_and_streams_are_apart);
    suite_add_tcase(suite, tcase);
    return suite;
}
