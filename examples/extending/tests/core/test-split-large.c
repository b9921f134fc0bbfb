/* SPDX-License-Identifier: MIT */
/* A user would lose bytes that no part carries, or see small messages split. */
#include <check.h>

#include <weft/weft.h>

Suite *split_large_suite(void);

START_TEST(large_messages_are_split_by_whole_packets)
{
    const struct weft_lb_ops *lb = weft_lb_find("split-large");
    const struct weft_plan_site site = {.payload = 1000};
    const struct weft_plan_message messages[] = {{.bytes = 3000}, {.bytes = 4001}};
    static const uint64_t bytes[] = {3000, 3000, 1001};
    uint64_t config[2], host[4];
    struct weft_plan_part parts[4];
    weft_config_default(&lb->algo, config);
    weft_config_set(&lb->algo, config, "above", "3KB");
    weft_config_set(&lb->algo, config, "qps", "2");
    ck_assert_uint_le(lb->plan->host_size(config, &site), sizeof host);
    ck_assert_int_eq(lb->plan->host_init(host, config, &site), 0);
    ck_assert_uint_eq(lb->plan->most_parts(host, messages, 2), 4);
    ck_assert_uint_eq(lb->plan->plan(host, messages, 2, 0, parts), 3);
    for (uint32_t i = 0; i < 3; i++)
    {
        ck_assert_uint_eq(parts[i].bytes, bytes[i]);
        ck_assert_uint_eq(parts[i].message, i > 0);
        ck_assert_uint_eq(parts[i].qp, i > 1);
    }
}
END_TEST

Suite *
split_large_suite(void)
{
    Suite *suite = suite_create("split-large");
    TCase *tcase = tcase_create("split-large");
    tcase_add_test(tcase, large_messages_are_split_by_whole_packets);
    suite_add_tcase(suite, tcase);
    return suite;
}
