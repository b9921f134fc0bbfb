/* SPDX-License-Identifier: MIT */
/* A user would lose what trimming is for: a NACK of a trimmed packet that waits among data comes as
 * late as a timer; and what ToRs have sent. */
#include <check.h>

#include "host-rig.h"

#define CLASS 5U /* of the QP's data */

/* The class of the reply to a data packet. */
static unsigned
class_of_reply(enum weft_packet_kind kind, uint32_t flags)
{
    struct weft_packet packet = host_rig_packet(0, 0, flags);
    packet.tclass = CLASS;
    weft_qp_make_reply(&host_rig.qp[0], &packet, kind, 0);
    return packet.tclass;
}

START_TEST(a_nack_of_a_trimmed_packet_goes_first)
{
    host_rig_begin("trim", NULL);
    host_rig.algos.tclass = CLASS;
    host_rig.algos.frame.ack_priority = WEFT_ACK_SHARE;
    host_rig_add(0);
    ck_assert_uint_eq(class_of_reply(WEFT_NACK, WEFT_F_TRIMMED), 0);
    ck_assert_uint_eq(class_of_reply(WEFT_NACK, 0), CLASS);
    ck_assert_uint_eq(class_of_reply(WEFT_ACK, WEFT_F_TRIMMED), CLASS); /* it came meanwhile */
    ck_assert_uint_eq(class_of_reply(WEFT_ACK, 0), CLASS);
    host_rig.algos.frame.ack_priority = WEFT_ACK_FIRST;
    ck_assert_uint_eq(class_of_reply(WEFT_NACK, 0), 0);
    host_rig_end();
}
END_TEST

/* Callers at a ToR counted no NACKs of ToRs unless they set the flag themselves. */
START_TEST(a_nack_of_a_tor_is_known_as_one)
{
    host_rig_begin("gbn", NULL);
    host_rig_add(0);
    struct weft_packet data = host_rig_packet(0, 3, WEFT_F_CE);
    weft_qp_make_reply(&host_rig.qp[0], &data, WEFT_NACK, 1);
    ck_assert_int_eq(data.kind, WEFT_NACK);
    ck_assert_uint_eq(data.flags, WEFT_F_COMPENSATED);
    weft_qp_reply(&host_rig.qp[0], &data, 0);
    ck_assert_uint_eq(host_rig.qp[0].tor_nacks, 1);
    host_rig_end();
}
END_TEST

Suite *qp_classes_suite(void);

Suite *
qp_classes_suite(void)
{
    Suite *suite = suite_create("qp-classes");
    TCase *tcase = tcase_create("qp-classes");
    tcase_add_test(tcase, a_nack_of_a_trimmed_packet_goes_first);
    tcase_add_test(tcase, a_nack_of_a_tor_is_known_as_one);
    suite_add_tcase(suite, tcase);
    return suite;
}
