/* SPDX-License-Identifier: MIT */
/* A user would lose fairness: a class that sends twice while another waits. */
#include <check.h>

#include <weft/weft.h>

Suite *rr_suite(void);

START_TEST(classes_that_are_ready_take_turns)
{
    static const uint32_t ready[] = {0xE, 0xE, 0xE, 0xE, 0xA, 0xA, 0x2};
    static const uint32_t sends[] = {1, 2, 3, 1, 3, 1, 1};
    static const uint32_t bytes[WEFT_MAX_CLASSES] = {0, 100, 1500, 1500};
    const struct weft_scheduler_ops *ops = weft_scheduler_find("rr");
    const struct weft_scheduler_site site = {.classes = 4, .frame = 1500};
    uint64_t state[1];
    ck_assert_uint_le(ops->state_size(NULL), sizeof state);
    ck_assert_int_eq(ops->init(state, NULL, &site), 0);
    for (size_t i = 0; i < sizeof ready / sizeof ready[0]; i++)
    {
        ck_assert_uint_eq(ops->pick(state, ready[i], 0, bytes), sends[i]);
    }
}
END_TEST

Suite *
rr_suite(void)
{
    Suite *suite = suite_create("rr");
    TCase *tcase = tcase_create("rr");
    tcase_add_test(tcase, classes_that_are_ready_take_turns);
    suite_add_tcase(suite, tcase);
    return suite;
}
