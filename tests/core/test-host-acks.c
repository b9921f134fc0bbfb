/* SPDX-License-Identifier: MIT */
/* A user would lose time wherever an ACK answers several packets: a sender that waits for an ACK
 * that its receiver keeps back stands still until its timer fires. */
#include <check.h>

#include "host-rig.h"

static void
begin_window(uint32_t window, uint32_t ack_every)
{
    static const char *const patient[] = {"rto", "inf", NULL};
    host_rig_begin("gbn", patient);
    host_rig.with_window = true;
    host_rig.algos.frame.ack_every = ack_every;
    host_rig_add(0xfffffe);
    host_rig_cc(0)->window = window;
    host_rig_post(0, 2000, 0);
}

START_TEST(a_packet_behind_which_nothing_may_follow_asks_for_its_ack)
{
    begin_window(16, 8);
    for (int i = 0; i < 15; i++)
    {
        host_rig_sends("0");
        ck_assert_uint_eq(host_rig.sent.flags, 0);
    }
    host_rig_sends("0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_ACK_REQ);
    host_rig_end();
}
END_TEST

/* Five in flight for a window of five, none of which has asked, would wait for ACKs of eight. */
START_TEST(a_cut_window_lets_one_packet_ask)
{
    begin_window(20, 8);
    host_rig_sends("0 0 0 0 0");
    host_rig_cc(0)->window = 5;
    host_rig_sends("0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_ACK_REQ);
    host_rig_end();
}
END_TEST

/* And once more if that one was trimmed, whoever else hears of losses; not if another one was. */
START_TEST(so_does_one_that_asked_and_was_trimmed)
{
    struct weft_packet nack = {
        .kind = WEFT_NACK, .psn = 0, .ahead = 1, .flags = WEFT_F_TRIMMED | WEFT_F_ASKS_AHEAD};
    host_rig_begin("trim", NULL);
    host_rig.with_window = true;
    host_rig.cc.on_lost = _i ? host_rig.cc.on_lost : NULL;
    host_rig.algos.frame.ack_every = 8;
    host_rig_add(0);
    host_rig_cc(0)->window = 6;
    host_rig_post(0, 100, 0);
    host_rig_sends("0 0 0 0 0 0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_ACK_REQ);
    host_rig_cc(0)->window = 2;
    weft_qp_reply(&host_rig.qp[0], &nack, host_rig.now);
    weft_host_resume(&host_rig.host, &host_rig.qp[0], host_rig.now);
    host_rig_sends("-");
    nack.ahead = 5;
    weft_qp_reply(&host_rig.qp[0], &nack, host_rig.now);
    weft_host_resume(&host_rig.host, &host_rig.qp[0], host_rig.now);
    host_rig_sends("0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_RETX | WEFT_F_ACK_REQ);
    host_rig_end();
}
END_TEST

/* The end of a message is answered at once without being asked. */
START_TEST(the_last_packet_of_all_need_not_ask)
{
    host_rig_begin("gbn", NULL);
    host_rig.algos.frame.ack_every = 8;
    host_rig_add(0);
    host_rig_post(0, 1, 0);
    host_rig_sends("0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_LAST);
    host_rig_end();
}
END_TEST

START_TEST(so_does_one_that_fills_what_the_transport_allows)
{
    static const char *const three[] = {"outstanding", "3", NULL};
    static const char *const transports[] = {"gbn", "nic-sr", "ideal"};
    host_rig_begin(transports[_i], three);
    host_rig.algos.frame.ack_every = 8;
    host_rig_add(0xfffffe);
    host_rig_post(0, 100, 0);
    host_rig_sends("0 0");
    ck_assert_uint_eq(host_rig.sent.flags, 0);
    host_rig_sends("0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_ACK_REQ);
    host_rig_end();
}
END_TEST

Suite *host_acks_suite(void);

Suite *
host_acks_suite(void)
{
    Suite *suite = suite_create("host-acks");
    TCase *tc = tcase_create("host-acks");
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, a_packet_behind_which_nothing_may_follow_asks_for_its_ack);
    tcase_add_test(tc, a_cut_window_lets_one_packet_ask);
    tcase_add_loop_test(tc, so_does_one_that_asked_and_was_trimmed, 0, 2);
    tcase_add_test(tc, the_last_packet_of_all_need_not_ask);
    tcase_add_loop_test(tc, so_does_one_that_fills_what_the_transport_allows, 0, 3);
    return suite;
}
