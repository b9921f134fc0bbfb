/* SPDX-License-Identifier: MIT */
/* A user would lose the point of an incast, all to one, or trust a bound that a run can beat. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

Suite *incast_suite(void);

static const struct weft_hosts hosts = {8, 4, 8};
static const struct weft_workload_ops *ops;
static int64_t config[16];
static struct weft_message messages[8];
static struct weft_traffic_size size;

static void
set(const char *name, const char *text)
{
    ck_assert_int_eq(weft_config_set(&ops->algo, config, name, text), 0);
}

static void
setup(void)
{
    ops = weft_workload_find("incast");
    ck_assert_uint_le(ops->algo.config_size, sizeof config);
    weft_config_default(&ops->algo, config);
    set("bytes", "3000B");
    set("placement", "blocked");
}

static void
build(void)
{
    uint32_t next[1];
    ck_assert_int_eq(ops->size(config, &hosts, &size), 0);
    ck_assert_uint_le(size.nmessages, 8);
    ck_assert_int_eq(ops->fill(config, &hosts, 1, 0, messages, next), 0);
}

START_TEST(everybody_sends_to_rank_0_of_the_group)
{
    set("groups", "2");
    build();
    ck_assert_uint_eq(size.nmessages, 6);
    for (uint32_t i = 0; i < 6; i++)
    {
        ck_assert_uint_eq(messages[i].src, i < 3 ? 1 + i : 2 + i);
        ck_assert_uint_eq(messages[i].dst, i < 3 ? 0 : 4);
        ck_assert_uint_eq(messages[i].bytes, 3000);
    }
}
END_TEST

START_TEST(only_so_many_senders_as_asked_for)
{
    set("senders", "3");
    build();
    ck_assert_uint_eq(size.nmessages, 3);
    ck_assert_uint_eq(messages[2].src, 3);
    set("senders", "8");
    ck_assert_int_eq(ops->size(config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, config, &hosts), "fewer ranks than senders"));
}
END_TEST

/* By hand, 100 Gb/s and 4 links of 1 us: the first frame of 1562 B is at the last switch after 3
 * (124.96 ns + 1 us); 3 senders' 6 frames with 5 gaps are 9472 B, 757.76 ns, and 1 us to go. An ACK
 * of 64 B takes 4 (5.12 ns + 1 us). */
START_TEST(the_receivers_wire_is_the_bound)
{
    struct weft_bound_case of = {.wire = {1500, 62, 20, 64, INT64_C(100000000000), 1000000, 4},
                                 .pace = INT64_C(100000000000)};
    set("senders", "3");
    ck_assert_int_eq(ops->bound(config, &hosts, &of), 3 * 1124960 + 757760 + 1000000);
    of.acked = 1;
    ck_assert_int_eq(ops->bound(config, &hosts, &of), 5132640 + 4020480);
    of.partial = 1;
    ck_assert_int_eq(ops->bound(config, &hosts, &of), -1);
}
END_TEST

Suite *
incast_suite(void)
{
    Suite *suite = suite_create("incast");
    TCase *tcase = tcase_create("incast");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, everybody_sends_to_rank_0_of_the_group);
    tcase_add_test(tcase, only_so_many_senders_as_asked_for);
    tcase_add_test(tcase, the_receivers_wire_is_the_bound);
    suite_add_tcase(suite, tcase);
    return suite;
}
