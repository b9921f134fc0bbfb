/* SPDX-License-Identifier: MIT */
/* A user would lose Ethereal's plans of short messages: parts that are all headers, or paths that
 * are left empty while others have two. */
#include <check.h>
#include <string.h>

#include "ethereal-rig.h"
#include "must.h"

/* Plans @p n messages of host 0 to the first host behind the next leaf, on 8 paths, with packets of
 * 1,000 bytes. */
static void
plan(uint32_t n, uint64_t bytes)
{
    struct weft_plan_message batch[8];
    for (uint32_t i = 0; i < n; i++)
    {
        batch[i] = (struct weft_plan_message){.dst = 2, .connection = i, .bytes = bytes};
    }
    ethereal_plan(batch, n, 0);
}

/* A message wants 8 parts. None is shorter than a packet, unless the message is: 8 packets are 8
 * parts, a byte less is 7, less than two packets is one. */
START_TEST(a_part_is_a_packet_at_least)
{
    static const uint64_t bytes[] = {8000, 7999, 2000, 1999, 1000, 999, 1, 80000};
    static const uint32_t parts[] = {8, 7, 2, 1, 1, 1, 1, 8};
    ethereal_spines(8, "");
    ether.payload = 1000;
    ethereal_plan_at(0);
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
    {
        uint64_t sum = 0;
        plan(1, bytes[i]);
        ck_assert_uint_eq(ether.nparts, parts[i]);
        for (size_t k = 0; k < ether.nparts; k++)
        {
            sum += ether.parts[k].bytes;
            MUST(ether.parts[k].bytes >= (bytes[i] < 1000 ? bytes[i] : 1000));
        }
        ck_assert_uint_eq(sum, bytes[i]);
    }
    ethereal_end();
}
END_TEST

/* Three messages of 3,500 bytes want 8 parts each, 24 in all, and have 3: the deal goes on where
 * the one before ended, so that 9 parts are one on each path and two on one. */
START_TEST(short_messages_share_the_paths)
{
    uint32_t used[8] = {0};
    uint32_t twice = 0;
    ethereal_spines(8, "");
    ether.payload = 1000;
    ethereal_plan_at(0);
    plan(3, 3500);
    ck_assert_uint_eq(ether.nparts, 9);
    for (size_t k = 0; k < ether.nparts; k++)
    {
        used[ether.parts[k].label >> 8]++;
    }
    for (uint32_t path = 0; path < 8; path++)
    {
        MUST(used[path] >= 1 && used[path] <= 2);
        twice += used[path] == 2;
    }
    ck_assert_uint_eq(twice, 1);
    ethereal_end();
}
END_TEST

Suite *ethereal_short_suite(void);

Suite *
ethereal_short_suite(void)
{
    Suite *suite = suite_create("ethereal-short");
    TCase *tcase = tcase_create("ethereal-short");
    tcase_add_test(tcase, a_part_is_a_packet_at_least);
    tcase_add_test(tcase, short_messages_share_the_paths);
    suite_add_tcase(suite, tcase);
    return suite;
}
