/* SPDX-License-Identifier: MIT */
/* A user would lose tolerance of reordering: a NACK for packets that are merely late. */
#include <check.h>

#include "nic-rig.h"

Suite *late_nack_suite(void);

START_TEST(a_nack_waits_for_so_many_packets)
{
    static const char *const settings[] = {"tolerance", "3", NULL};
    begin("late-nack", 0, settings);
    answers(1, WEFT_REPLY_NONE, 0);
    answers(2, WEFT_REPLY_NONE, 0);
    answers(4, WEFT_REPLY_NACK, 0);
    answers(5, WEFT_REPLY_NONE, 0);
    answers(0, WEFT_REPLY_ACK, 3);
    answers(6, WEFT_REPLY_NACK, 3);
    answers(3, WEFT_REPLY_ACK, 7);
    end();
}
END_TEST

Suite *
late_nack_suite(void)
{
    Suite *suite = suite_create("late-nack");
    TCase *tcase = tcase_create("late-nack");
    tcase_add_test(tcase, a_nack_waits_for_so_many_packets);
    suite_add_tcase(suite, tcase);
    return suite;
}
