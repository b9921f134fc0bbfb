/* SPDX-License-Identifier: MIT */
/* A user would lose flows of a trace, or have them start before what they wait for. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

Suite *flows_suite(void);

static const struct weft_hosts hosts = {8, 4, 8, INT64_C(100000000000)};
static const struct weft_workload_ops *ops;
static int64_t config[8];
static struct weft_message messages[4];
static uint32_t next[4];
static struct weft_traffic_size size;

/* Host 0 sends to 5; when 5 has it, it sends to 1 and 2; 0 sends to 3 when 5 has acknowledged. */
static const struct weft_table_flow flows[] = {
    {3000, 2000, 0, 5}, {1000, 0, 5, 1}, {1000, 700, 5, 2}, {9000, 0, 0, 3}};
static const struct weft_table_wait waits[] = {{0, 2}, {0, 1}, {0, 3}};

static void
setup(void)
{
    ops = weft_workload_find("flows");
    weft_config_default(&ops->algo, config);
    ck_assert_int_eq(weft_config_set(&ops->algo, config, "start", "1us"), 0);
}

static int
build(const struct weft_table *table)
{
    ops->use(config, table);
    const int error = ops->size(config, &hosts, &size);
    return error ? error : ops->fill(config, &hosts, 1, 0, messages, next);
}

START_TEST(every_flow_is_a_message_on_its_own_qp)
{
    const struct weft_table table = {.flows = flows, .waits = waits, .nflows = 4, .nwaits = 3};
    ck_assert_int_eq(build(&table), 0);
    ck_assert_uint_eq(size.nmessages, 4);
    ck_assert_uint_eq(size.nqps, 4);
    ck_assert_uint_eq(size.bytes, 0);
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_uint_eq(messages[i].qp, i);
        ck_assert_uint_eq(messages[i].src, flows[i].src);
        ck_assert_uint_eq(messages[i].dst, flows[i].dst);
        ck_assert_uint_eq(messages[i].bytes, flows[i].bytes);
        ck_assert_uint_eq(messages[i].waits, i > 0);
        ck_assert_uint_eq(messages[i].delayed, i > 0);
    }
    ck_assert_int_eq(messages[0].start, 1002000); /* with the workload's own */
    ck_assert_int_eq(messages[2].start, 700);     /* after what it waits for */
    ck_assert_uint_eq(messages[0].nnext, 3);
    ck_assert_uint_eq(next[messages[0].first_next], 2);
    ck_assert_uint_eq(next[messages[0].first_next + 1], 1);
    ck_assert_uint_eq(next[messages[0].first_next + 2], 3);
}
END_TEST

/* A warning of messages that are too long for a transport's count knows their size by this. */
START_TEST(flows_of_one_size_are_alike)
{
    static const struct weft_table_flow like[] = {{1000, 0, 0, 1}, {1000, 0, 1, 2}};
    static const struct weft_table_flow unlike[] = {
        {1000, 0, 0, 1}, {2000, 0, 1, 2}, {1000, 0, 2, 3}};
    const struct weft_table alike = {.flows = like, .nflows = 2};
    const struct weft_table others = {.flows = unlike, .nflows = 3};
    ck_assert_int_eq(build(&alike), 0);
    ck_assert_uint_eq(size.bytes, 1000);
    ck_assert_int_eq(build(&others), 0);
    ck_assert_uint_eq(size.bytes, 0);
}
END_TEST

START_TEST(flows_that_cannot_be_are_refused)
{
    static const struct weft_table_flow wrong[] = {{1, 0, 3, 3}, {0, 0, 0, 1}, {1, -1, 0, 1}};
    static const struct weft_table_flow beyond[] = {{1, 0, 0, 7}, {1, 0, 0, 8}, {1, 0, 140, 1}};
    static const struct weft_table_wait bad[] = {{1, 3}, {2, 2}, {0, 4}};
    for (uint32_t i = 0; i < 3; i++)
    {
        const struct weft_table table = {.flows = &wrong[i], .nflows = 1};
        ck_assert_int_eq(build(&table), WEFT_ERANGE);
        ck_assert_ptr_nonnull(strstr(size_refused(ops, config, &hosts), "two of the hosts"));
    }
    const struct weft_table far = {.flows = beyond, .nflows = 3};
    ck_assert_int_eq(build(&far), WEFT_ERANGE);
    ck_assert_str_eq(
        size_refused(ops, config, &hosts),
        "flow 1, counted from 0, names host 8; there are 8 hosts, and the flows need 141");
    for (uint32_t i = 0; i < 3; i++) /* host 0 hears nothing of 5's flow to 1 */
    {
        const struct weft_table table = {flows, &bad[i], NULL, 4, 1, 0};
        ck_assert_int_eq(build(&table), WEFT_ERANGE);
        ck_assert_ptr_nonnull(strstr(size_refused(ops, config, &hosts), "waits for one"));
    }
    const struct weft_table none = {0};
    ck_assert_int_eq(build(&none), WEFT_ERANGE);
}
END_TEST

/* The flow of 9000 B that starts 2 us after the first ends last. */
START_TEST(the_bound_is_that_of_the_last_flow_by_itself)
{
    static const struct weft_table_flow two[] = {{3000, 1000000, 0, 5}, {9000, 3000000, 1, 4}};
    const struct weft_table table = {.flows = two, .nflows = 2};
    const struct weft_bound_case of = {
        .wire = {1500, 62, 20, 64, INT64_C(100000000000), 1000000, 4}};
    ck_assert_int_eq(build(&table), 0);
    ck_assert_int_eq(ops->bound(config, &hosts, &of), 2000000 + weft_message_bound(&of.wire, 9000));
}
END_TEST

Suite *
flows_suite(void)
{
    Suite *suite = suite_create("flows");
    TCase *tcase = tcase_create("flows");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, every_flow_is_a_message_on_its_own_qp);
    tcase_add_test(tcase, flows_of_one_size_are_alike);
    tcase_add_test(tcase, flows_that_cannot_be_are_refused);
    tcase_add_test(tcase, the_bound_is_that_of_the_last_flow_by_itself);
    suite_add_tcase(suite, tcase);
    return suite;
}
