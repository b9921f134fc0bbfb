/* SPDX-License-Identifier: MIT */
/* A user would lose the path selectors that avoid what loses packets: they would blame labels that
 * have lost nothing, or one loss twice, or never hear of it. */
#include <check.h>

#include "host-rig.h"

#define FIRST 0xfffffeU /* the PSN wraps after two packets */

static struct weft_qp *const qp = &host_rig.qp[0];

static uint32_t
psn_of(uint32_t index)
{
    return (FIRST + index) & WEFT_PSN_MASK;
}

/* QP 0 has @p posted packets to send; a path selector listens. */
static void
begin_posted(const char *transport, const char *const *settings, uint32_t posted)
{
    host_rig_begin(transport, settings);
    host_rig.with_path = true;
    host_rig.cc.on_ack = NULL;
    host_rig.path.on_reply = NULL;
    host_rig.path.on_active = NULL;
    host_rig.cc.on_lost = NULL;
    host_rig_add(FIRST);
    host_rig_post(0, posted, 0);
}

static const char *const rto_10us[] = {"rto", "10us", NULL};
static const char *const sack_4[] = {"rto", "10us", "threshold", "4", NULL};

START_TEST(gbn_names_what_it_goes_back_for)
{
    begin_posted("gbn", rto_10us, 10);
    host_rig_sends("0 0 0 0");
    host_rig_reply(0, WEFT_NACK, psn_of(1), 1, host_rig.now);
    host_rig_logged("cc nack 16777215; path lost 16777215 of 60001 by nack; ");
    host_rig_reply(0, WEFT_NACK, psn_of(1), 1, host_rig.now); /* a ToR's, before it is sent again */
    host_rig_logged("cc nack 16777215; ");
    host_rig_sends("0 0 0 0");
    host_rig_reply(0, WEFT_NACK, psn_of(1), 2, host_rig.now);
    host_rig_logged("cc nack 16777215; path lost 16777215 of 60004 by nack; "); /* its new label */
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; "); /* it was not sent in between */
    host_rig_sends("0");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 16777215 of 60008 by timeout; ");
    ck_assert_uint_eq(qp->tor_nacks, 0);
    host_rig_end();
}
END_TEST

START_TEST(selective_repeat_names_its_one_packet)
{
    begin_posted("nic-sr", rto_10us, 10);
    host_rig_sends("0 0 0 0");
    host_rig_reply(0, WEFT_NACK, psn_of(2), 1, host_rig.now);
    host_rig_logged("cc nack 0; path lost 0 of 60002 by nack; ");
    host_rig_reply(0, WEFT_NACK, psn_of(2), 1, host_rig.now);
    host_rig_logged("cc nack 0; ");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; ");
    host_rig_sends("0");
    host_rig_reply(0, WEFT_ACK, psn_of(2), 0, host_rig.now);
    host_rig_logged("");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 0 of 60004 by timeout; ");
    host_rig_end();
}
END_TEST

START_TEST(ideal_knows_by_its_timer_alone)
{
    begin_posted("ideal", rto_10us, 10);
    host_rig_sends("0 0 0");
    host_rig_reply(0, WEFT_ACK, psn_of(1), 0, host_rig.now);
    host_rig_logged("");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 16777215 of 60001 by timeout; "
                    "path lost 0 of 60002 by timeout; ");
    host_rig_end();
}
END_TEST

START_TEST(sack_names_every_packet_of_a_gap)
{
    begin_posted("sack", sack_4, 20);
    host_rig_sends("0 0 0 0 0 0 0 0");
    for (uint16_t ahead = 1; ahead < 5; ahead++)
    {
        host_rig_logged("");
        host_rig_reply(0, WEFT_ACK, psn_of(0), ahead == 2 ? 0 : ahead, host_rig.now);
    }
    host_rig_logged("path lost 16777214 of 60000 by gap; path lost 0 of 60002 by gap; ");
    host_rig_reply(0, WEFT_ACK, psn_of(0), 5, host_rig.now);
    host_rig_logged("");
    host_rig_sends("0 0 0"); /* both, and a new one */
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 16777214 of 60008 by timeout; "
                    "path lost 0 of 60009 by timeout; "); /* not what left after it was set */
    host_rig_end();
}
END_TEST

/* A header's NACK asks for the packet ahead of the ePSN. */
static void
trimmed(uint32_t epsn, uint16_t ahead)
{
    const struct weft_packet nack = {.kind = WEFT_NACK,
                                     .psn = epsn & WEFT_PSN_MASK,
                                     .ahead = ahead,
                                     .flags = WEFT_F_TRIMMED | WEFT_F_ASKS_AHEAD};
    weft_qp_reply(qp, &nack, host_rig.now);
    weft_host_resume(&host_rig.host, qp, host_rig.now);
}

START_TEST(trim_names_what_was_trimmed_and_what_its_timer_misses)
{
    begin_posted("trim", rto_10us, 20);
    host_rig_sends("0 0 0 0 0 0");
    host_rig_reply(0, WEFT_ACK, psn_of(1), 0, host_rig.now);
    host_rig_logged("");
    trimmed(psn_of(1), 1);
    host_rig_logged("cc nack 16777215; path lost 0 of 60002 by trimmed; ");
    trimmed(psn_of(1), 1); /* a second time, before it is sent again */
    host_rig_logged("cc nack 16777215; ");
    host_rig_reply(0, WEFT_ACK, psn_of(1), 2, host_rig.now);
    host_rig_logged("");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 16777215 of 60001 by timeout; "
                    "path lost 2 of 60004 by timeout; "
                    "path lost 3 of 60005 by timeout; "); /* 0 waits to be sent again, 1 came */
    host_rig_sends("0 0 0");
    trimmed(psn_of(1), 1);
    host_rig_logged("cc nack 16777215; path lost 0 of 60007 by trimmed; ");
    host_rig_end();
}
END_TEST

START_TEST(a_label_is_remembered_for_so_many_packets)
{
    static const char *const one[] = {"rto", "10us", "on-timeout", "one", NULL};
    host_rig_begin("nic-sr", one);
    host_rig.with_path = true;
    host_rig.cc.on_lost = NULL;
    host_rig.algos.labels = 4;
    host_rig_add(FIRST);
    host_rig_post(0, 10, 0);
    host_rig_sends("0 0 0 0");
    host_rig.log[0] = '\0';
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 16777214 of 60000 by timeout; ");
    host_rig_sends("0 0"); /* the packet again, and a fifth one, in its place */
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; path timeout; path lost 16777214 by timeout; ");
    host_rig_end();
}
END_TEST

START_TEST(no_labels_need_be_remembered)
{
    static const struct weft_qp_site anywhere;
    host_rig_begin("nic-sr", rto_10us);
    host_rig.algos.labels = 0;
    host_rig_add(FIRST);
    host_rig_post(0, 10, 0);
    host_rig_sends("0 0");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_logged("cc timeout; cc lost 16777214 by timeout; ");
    const size_t without = weft_qp_size(&host_rig.algos, &anywhere);
    host_rig.algos.labels = 1024; /* congestion controls do not ask for them */
    ck_assert_uint_eq(weft_qp_size(&host_rig.algos, &anywhere), without);
    host_rig.algos.path = &host_rig.path;
    ck_assert_uint_ge(weft_qp_size(&host_rig.algos, &anywhere), without + 2048);
    host_rig_end();
}
END_TEST

START_TEST(a_loss_that_the_fabric_tells_of_is_named)
{
    begin_posted("erasure", NULL, 3);
    host_rig_sends("0 0 0");
    struct weft_packet lost = host_rig_packet(0, psn_of(1), 0);
    lost.sport = 60001;
    weft_qp_told_lost(qp, &lost, host_rig.now);
    host_rig_logged("path lost 16777215 of 60001 by told; ");
    host_rig_sends("0 -"); /* its repair, by 60003 */
    ck_assert(host_rig.sent.psn == lost.psn && host_rig.sent.sport == 60003);
    weft_qp_told_lost(qp, &lost, host_rig.now); /* another one by 60001, that left before */
    host_rig_logged("path lost 16777215 of 60001 by told; ");
    lost.kind = WEFT_ACK; /* the packet that it answers was not */
    weft_qp_told_lost(qp, &lost, host_rig.now);
    host_rig_logged("");
    host_rig_end();
}
END_TEST

START_TEST(an_active_qp_has_something_to_wait_for)
{
    host_rig_begin("gbn", rto_10us);
    host_rig.with_path = true;
    host_rig_add(FIRST);
    host_rig_post(0, 1, 0);
    host_rig_post(0, 2, 0);
    host_rig_logged("active; ");
    host_rig_sends("0 0 0 -");
    host_rig_reply(0, WEFT_ACK, psn_of(2), 0, 0);
    host_rig_logged("cc ack 2 of 3, una 2, flight 1; path reply 0; ");
    host_rig_reply(0, WEFT_ACK, psn_of(3), 0, 0);
    host_rig_logged("cc ack 1 of 3, una 3, flight 0; path reply 1; idle; ");
    host_rig_reply(0, WEFT_ACK, psn_of(3), 0, 0);
    host_rig_logged("cc ack 0 of 3, una 3, flight 0; path reply 1; ");
    host_rig_post(0, 1, 0);
    host_rig_logged("active; ");
    host_rig_end();
}
END_TEST

START_TEST(a_loss_is_told_after_what_shows_it)
{
    host_rig_begin("gbn", rto_10us);
    host_rig.with_path = true;
    host_rig_add(FIRST);
    host_rig_post(0, 3, 0);
    host_rig_sends("0 0 0");
    host_rig.log[0] = '\0';
    struct weft_packet nack = {.kind = WEFT_NACK, .psn = 0xffffff, .flags = WEFT_F_COMPENSATED};
    weft_qp_reply(qp, &nack, host_rig.now);
    host_rig_logged("cc nack 16777215; cc ack 1 of 3, una 1, flight 0; path reply 16777215; "
                    "cc lost 16777215 of 60001 by nack; path lost 16777215 of 60001 by nack; ");
    ck_assert(qp->tor_nacks == 1 && qp->acks == 0);
    host_rig_end();
}
END_TEST

Suite *qp_losses_suite(void);

Suite *
qp_losses_suite(void)
{
    Suite *s = suite_create("qp-losses");
    TCase *tc = tcase_create("qp-losses");
    suite_add_tcase(s, tc);
    tcase_add_test(tc, gbn_names_what_it_goes_back_for);
    tcase_add_test(tc, selective_repeat_names_its_one_packet);
    tcase_add_test(tc, ideal_knows_by_its_timer_alone);
    tcase_add_test(tc, sack_names_every_packet_of_a_gap);
    tcase_add_test(tc, trim_names_what_was_trimmed_and_what_its_timer_misses);
    tcase_add_test(tc, a_label_is_remembered_for_so_many_packets);
    tcase_add_test(tc, no_labels_need_be_remembered);
    tcase_add_test(tc, a_loss_that_the_fabric_tells_of_is_named);
    tcase_add_test(tc, an_active_qp_has_something_to_wait_for);
    tcase_add_test(tc, a_loss_is_told_after_what_shows_it);
    return s;
}
