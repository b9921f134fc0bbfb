/* SPDX-License-Identifier: MIT */
/* A user would lose the pipeline: a rank that sends what it has not received. */
#include <check.h>

#include <weft/weft.h>

Suite *pipeline_suite(void);

/* Ranks 0 to 2, two microbatches each: 0 -> 1 is messages 0 and 1, 1 -> 2 messages 2 and 3. */
START_TEST(a_message_waits_for_its_microbatch)
{
    const struct weft_workload_ops *ops = weft_workload_find("pipeline");
    const struct weft_hosts hosts = {.n = 3, .per_tor = 3, .per_pod = 3};
    struct weft_traffic_size size;
    struct weft_message messages[4];
    uint64_t config[16];
    uint32_t next[8];
    ck_assert_uint_le(ops->algo.config_size, sizeof config);
    weft_config_default(&ops->algo, config);
    weft_config_set(&ops->algo, config, "bytes", "1MB");
    weft_config_set(&ops->algo, config, "microbatches", "2");
    ck_assert_int_eq(ops->size(config, &hosts, &size), 0);
    ck_assert_uint_eq(size.nmessages, 4);
    ck_assert_uint_eq(size.nqps, 2);
    ck_assert_uint_le(size.nnext, 8);
    ck_assert_int_eq(ops->fill(config, &hosts, 1, 1, messages, next), 0);
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_uint_eq(messages[i].src, i / 2);
        ck_assert_uint_eq(messages[i].dst, i / 2 + 1);
        ck_assert_uint_eq(messages[i].waits, i / 2);
        ck_assert_uint_eq(messages[i].nnext, i < 2);
    }
    ck_assert_uint_eq(next[messages[1].first_next], 3);
}
END_TEST

Suite *
pipeline_suite(void)
{
    Suite *suite = suite_create("pipeline");
    TCase *tcase = tcase_create("pipeline");
    tcase_add_test(tcase, a_message_waits_for_its_microbatch);
    suite_add_tcase(suite, tcase);
    return suite;
}
