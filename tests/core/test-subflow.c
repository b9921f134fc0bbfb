/* SPDX-License-Identifier: MIT */
/* A user would lose subflows (ofan §3.2(2)): messages in fewer or unequal parts, on fewer paths
 * than asked for, or bytes that no part carries. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "path-rig.h"

#define PAYLOAD 4096
#define MOST    1024

static struct planner
{
    const struct weft_lb_ops *ops;
    uint64_t config[8];
    uint64_t host[16];
    struct weft_plan_part parts[2 * MOST];
} p;

static void
begin(const char *n)
{
    const struct weft_plan_site site = {.seed = 1, .run = 1, .host = 3, .payload = PAYLOAD};
    p.ops = weft_lb_find("subflow");
    ck_assert_int_eq(weft_config_default(&p.ops->algo, p.config), 0);
    ck_assert_int_eq(weft_config_set(&p.ops->algo, p.config, "n", n), 0);
    ck_assert_uint_le(p.ops->plan->host_size(p.config, &site), sizeof(p.host));
    ck_assert_int_eq(p.ops->plan->host_init(p.host, p.config, &site), 0);
}

static size_t
plan(const struct weft_plan_message *messages, size_t n)
{
    const size_t most = p.ops->plan->most_parts(p.host, messages, n);
    ck_assert_uint_le(most, sizeof(p.parts) / sizeof(p.parts[0]));
    const size_t made = p.ops->plan->plan(p.host, messages, n, 0, p.parts);
    ck_assert_uint_le(made, most);
    return made;
}

/* 10 packets, the last one of 1 byte, on 4 QPs: 3, 3, 2 and 2 packets. */
START_TEST(a_message_is_divided_by_whole_packets)
{
    const struct weft_plan_message message = {.dst = 9, .connection = 5, .bytes = 9 * PAYLOAD + 1};
    static const uint64_t bytes[] = {3 * PAYLOAD, 3 * PAYLOAD, 2 * PAYLOAD, PAYLOAD + 1};
    begin("4");
    ck_assert_uint_eq(p.ops->plan->qps(p.config), 4);
    ck_assert_uint_eq(plan(&message, 1), 4);
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_uint_eq(p.parts[i].bytes, bytes[i]);
        ck_assert_uint_eq(p.parts[i].qp, i);
        ck_assert_uint_eq(p.parts[i].message, 0);
        ck_assert(p.parts[i].labelled);
    }
}
END_TEST

START_TEST(a_message_of_few_packets_has_few_parts)
{
    const struct weft_plan_message messages[] = {{.dst = 9, .connection = 5, .bytes = 1},
                                                 {.dst = 8, .connection = 6, .bytes = PAYLOAD + 1}};
    begin("4");
    ck_assert_uint_eq(plan(messages, 2), 3);
    ck_assert_uint_eq(p.parts[0].bytes, 1);
    ck_assert_uint_eq(p.parts[1].message, 1);
    ck_assert_uint_eq(p.parts[1].bytes, PAYLOAD);
    ck_assert_uint_eq(p.parts[2].bytes, 1);
}
END_TEST

START_TEST(no_byte_is_lost_and_parts_are_equal_but_for_a_packet)
{
    static const char *const numbers[] = {"1", "2", "3", "7", "64", "1024"};
    for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
    {
        begin(numbers[k]);
        for (uint64_t bytes = 1; bytes < 3000000; bytes = bytes * 3 + 1)
        {
            const struct weft_plan_message message = {.dst = 9, .connection = 5, .bytes = bytes};
            const size_t n = plan(&message, 1);
            uint64_t sum = 0;
            for (size_t i = 0; i < n; i++)
            {
                sum += p.parts[i].bytes;
                MUST(p.parts[i].bytes + 2 * PAYLOAD > p.parts[0].bytes);
                MUST(i + 1 == n || p.parts[i].bytes % PAYLOAD == 0);
            }
            MUST(sum == bytes);
        }
    }
}
END_TEST

/* All labels of a connection differ, are the same in every message, and other connections' are
 * others. */
START_TEST(each_subflow_keeps_a_label_of_its_own)
{
    static uint16_t first[MOST];
    const struct weft_plan_message message = {
        .dst = 9, .connection = 5, .bytes = 5000 * (uint64_t)PAYLOAD};
    const struct weft_plan_message other = {
        .dst = 9, .connection = 6, .bytes = 5000 * (uint64_t)PAYLOAD};
    static bool used[65536];
    size_t same = 0;
    memset(used, 0, sizeof(used));
    begin("1024");
    MUST(plan(&message, 1) == MOST);
    for (size_t i = 0; i < MOST; i++)
    {
        first[i] = p.parts[i].label;
        MUST(!used[first[i]]);
        used[first[i]] = true;
    }
    MUST(plan(&message, 1) == MOST);
    for (size_t i = 0; i < MOST; i++)
    {
        MUST(p.parts[i].label == first[i]);
    }
    MUST(plan(&other, 1) == MOST);
    for (size_t i = 0; i < MOST; i++)
    {
        same += p.parts[i].label == first[i];
    }
    ck_assert_uint_lt(same, 5);
}
END_TEST

/* 16,000 labels in 64 bins: chi-square within 5 standard deviations of its mean. */
START_TEST(labels_are_uniform)
{
    double bins[64] = {0};
    double x = 0;
    begin("4");
    for (uint32_t connection = 0; connection < 4000; connection++)
    {
        const struct weft_plan_message message = {
            .dst = 9, .connection = connection, .bytes = 4 * PAYLOAD};
        MUST(plan(&message, 1) == 4);
        for (int i = 0; i < 4; i++)
        {
            bins[p.parts[i].label >> 10]++;
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

START_TEST(packets_carry_their_subflows_label)
{
    struct path_rig rig;
    path_rig_begin(&rig, "subflow", "", 1, 1, 3, 0);
    ck_assert_uint_eq(path_rig_data(&rig), PATH_RIG_SPORT);
    rig.ops->path->on_label(rig.qp, 0, 0);
    ck_assert_uint_eq(path_rig_data(&rig), 0);
    rig.ops->path->on_label(rig.qp, 777, 0);
    ck_assert_uint_eq(path_rig_data(&rig), 777);
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

Suite *
subflow_suite(void)
{
    Suite *suite = suite_create("subflow");
    TCase *tcase = tcase_create("subflow");
    tcase_add_test(tcase, a_message_is_divided_by_whole_packets);
    tcase_add_test(tcase, a_message_of_few_packets_has_few_parts);
    tcase_add_test(tcase, no_byte_is_lost_and_parts_are_equal_but_for_a_packet);
    tcase_add_test(tcase, each_subflow_keeps_a_label_of_its_own);
    tcase_add_test(tcase, labels_are_uniform);
    tcase_add_test(tcase, packets_carry_their_subflows_label);
    tcase_add_test(tcase, acks_return_on_their_subflow_unless_asked_otherwise);
    tcase_add_test(tcase, switches_hash_as_under_ecmp);
    suite_add_tcase(suite, tcase);
    return suite;
}
