/* SPDX-License-Identifier: MIT */
/* A user would lose paths: packets of a QP on fewer source ports than asked for. */
#include <check.h>

#include "path-rig.h"

Suite *label_rr_suite(void);

START_TEST(three_labels_take_turns)
{
    static struct path_rig rig;
    path_rig_begin(&rig, "label-rr", "labels=3", 1, 1, 0, 7);
    const uint16_t first = path_rig_data(&rig);
    ck_assert_uint_eq(path_rig_data(&rig), (uint16_t)(first + 1));
    ck_assert_uint_eq(path_rig_data(&rig), (uint16_t)(first + 2));
    ck_assert_uint_eq(path_rig_data(&rig), first);
    ck_assert_uint_eq(path_rig_reply(&rig, WEFT_ACK, 1234), 1234);
}
END_TEST

Suite *
label_rr_suite(void)
{
    Suite *suite = suite_create("label-rr");
    TCase *tcase = tcase_create("label-rr");
    tcase_add_test(tcase, three_labels_take_turns);
    suite_add_tcase(suite, tcase);
    return suite;
}
