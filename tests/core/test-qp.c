/* SPDX-License-Identifier: MIT */
/* A user would lose messages, or hear of them twice; learn of arrivals late or never where ACKs
 * wait for each other. */
#include <check.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>

#include "host-rig.h"

#define FIRST 0xfffffeU /* the PSN wraps after two packets */

static struct weft_qp *const qp = &host_rig.qp[0];

/* Begins a QP whose first PSN is FIRST. */
static void
begin_qp(const char *transport, const char *const *settings)
{
    host_rig_begin(transport, settings);
    host_rig_add(FIRST);
}

static uint32_t
psn_of(uint32_t index)
{
    return (FIRST + index) & WEFT_PSN_MASK;
}

/* Data packet @p index arrives: its answer. */
static struct weft_qp_answer
arrives(uint32_t index, uint32_t flags)
{
    struct weft_qp_answer answer;
    memset(&answer, 0x55, sizeof(answer));
    const struct weft_packet data = host_rig_packet(0, psn_of(index), flags);
    weft_qp_data(qp, &data, 0, &answer);
    return answer;
}

/* Checks that a packet is not answered. */
static void
waits(uint32_t index, uint32_t flags)
{
    ck_assert_int_eq(arrives(index, flags).verdict.reply, WEFT_REPLY_NONE);
}

/* Checks that a packet is answered by an ACK of @p epsn that names @p place, and in its bitmap @p
 * named. */
static void
is_acked(uint32_t index, uint32_t flags, uint32_t epsn, uint32_t place, uint64_t named)
{
    const struct weft_qp_answer answer = arrives(index, flags);
    struct weft_packet reply = host_rig_packet(0, psn_of(index), flags);
    ck_assert_int_eq(answer.verdict.reply, WEFT_REPLY_ACK);
    weft_qp_answer_with(qp, &reply, &answer);
    ck_assert_int_eq(reply.kind, WEFT_ACK);
    ck_assert_uint_eq(reply.psn, psn_of(epsn));
    ck_assert_uint_eq(reply.ahead, place > epsn ? place - epsn : 0);
    ck_assert_uint_eq(weft_ack_bitmap(&reply), named);
}

START_TEST(its_lines_are_those_of_the_cache)
{
    if (sizeof(void *) < 8)
    {
        return; /* smaller pointers: fewer lines */
    }
    ck_assert_uint_eq(offsetof(struct weft_qp, algos), 64);
    ck_assert_uint_eq(offsetof(struct weft_qp, bulk_first), 128);
    ck_assert_uint_eq(offsetof(struct weft_qp, wqes), 192);
    /* Members that every data packet reads at the receiver, and at the sender, are in one line. */
    ck_assert_uint_lt(offsetof(struct weft_qp, sport_rx), 64);
    ck_assert_uint_lt(offsetof(struct weft_qp, dst), 128);
}
END_TEST

START_TEST(a_message_is_told_of_once_and_in_order)
{
    begin_qp("ideal", NULL);
    ck_assert_int_eq(weft_qp_post(qp, host_rig.wqes[0], 0, 0, 0), WEFT_EINVAL);
    ck_assert_ptr_null(weft_qp_next_delivered(qp, 0));
    ck_assert_ptr_null(weft_qp_next_acked(qp));
    const uint32_t sizes[] = {2, 1, 3};
    uint64_t degrees[WEFT_OOO_DEGREES] = {0};
    host_rig.algos.ooo_degrees = degrees;
    for (uint32_t i = 0; i < 3; i++)
    {
        host_rig_post(0, sizes[i], 0);
    }
    host_rig_sends("0 0 0 0 0 0 -");
    arrives(1, 0);
    arrives(2, WEFT_F_LAST);
    ck_assert_ptr_null(weft_qp_next_delivered(qp, 4));
    ck_assert_int_eq(qp->last_delivery, -1);
    arrives(0, 0);
    ck_assert_uint_eq(weft_qp_next_delivered(qp, 5)->tag, 0);
    ck_assert_uint_eq(weft_qp_next_delivered(qp, 5)->tag, 1);
    ck_assert_ptr_null(weft_qp_next_delivered(qp, 5));
    arrives(0, 0);
    ck_assert_ptr_null(weft_qp_next_delivered(qp, 6));
    ck_assert(qp->last_delivery == 5 && qp->duplicates == 1 && qp->out_of_order == 2);
    ck_assert(degrees[0] == 0 && degrees[1] == 1 && degrees[2] == 1 && degrees[3] == 0);
    host_rig_reply(0, WEFT_ACK, psn_of(2), 0, 0);
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 0);
    ck_assert_ptr_null(weft_qp_next_acked(qp));
    host_rig_reply(0, WEFT_ACK, psn_of(2), 0, 0);
    ck_assert_ptr_null(weft_qp_next_acked(qp));
    host_rig_reply(0, WEFT_ACK, psn_of(6), 0, 0);
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 1);
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 2);
    ck_assert_ptr_null(weft_qp_next_acked(qp));
    ck_assert_ptr_null(weft_qp_next_failed(qp));
    host_rig_end();
}
END_TEST

START_TEST(an_application_may_post_when_it_is_told)
{
    struct weft_wqe moved[4];
    begin_qp("gbn", NULL);
    host_rig_post(0, 1, 0);
    host_rig_sends("0 -");
    arrives(0, WEFT_F_LAST);
    ck_assert_uint_eq(weft_qp_next_delivered(qp, 0)->tag, 0);
    memcpy(moved, host_rig.wqes[0], sizeof(moved));
    memset(host_rig.wqes[0], 0xff, sizeof(moved));
    ck_assert_int_eq(weft_qp_post(qp, moved, 2 * RIG_PAYLOAD, 7, 0), 0);
    ck_assert_ptr_null(weft_qp_next_delivered(qp, 0));
    weft_host_activate(&host_rig.host, qp);
    host_rig_sends("0 0 -");
    ck_assert_uint_eq(host_rig.sent.flags, WEFT_F_LAST);
    host_rig_reply(0, WEFT_ACK, psn_of(1), 0, 0);
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 0);
    ck_assert_int_eq(weft_qp_post(qp, moved, 1, 8, 0), 0);
    ck_assert_ptr_null(weft_qp_next_acked(qp));
    weft_host_activate(&host_rig.host, qp);
    host_rig_sends("0 -");
    ck_assert_uint_eq(host_rig.sent.bytes, 81);
    host_rig_reply(0, WEFT_ACK, psn_of(4), 0, 0);
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 7);
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 8);
    host_rig_end();
}
END_TEST

static const char *const rto_10us[] = {"rto", "10us", NULL};
START_TEST(a_qp_is_given_up_once)
{
    host_rig_begin("gbn", rto_10us);
    host_rig.with_path = true;
    host_rig.algos.frame.retry_limit = 2;
    host_rig_add(FIRST);
    host_rig_post(0, 1, 0);
    host_rig_post(0, 1, 0);
    host_rig_sends("0 0");
    host_rig.log[0] = '\0';
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_sends("0 0");
    host_rig_reply(0, WEFT_ACK, psn_of(1), 0, host_rig.now); /* progress: it counts anew */
    ck_assert_uint_eq(weft_qp_next_acked(qp)->tag, 0);
    host_rig_post(0, 1, host_rig.now);
    for (uint32_t i = 0; i < 2; i++)
    {
        ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
        host_rig_sends("0 0 -");
    }
    host_rig.log[0] = '\0';
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_GIVE_UP);
    host_rig_logged("cc timeout; path timeout; cc lost 16777215 of 60006 by timeout; "
                    "path lost 16777215 of 60006 by timeout; idle; ");
    weft_host_drop(&host_rig.host, qp);
    ck_assert_uint_eq(weft_qp_next_failed(qp)->tag, 1);
    ck_assert_int_eq(weft_qp_post(qp, host_rig.wqes[0], 1, 0, 0), WEFT_EINVAL);
    ck_assert_uint_eq(weft_qp_next_failed(qp)->tag, 2);
    ck_assert_ptr_null(weft_qp_next_failed(qp));
    weft_host_activate(&host_rig.host, qp);
    host_rig_sends("-");
    /* A caller who asks for its deadline all the same hears of no other one. */
    ck_assert_int_eq(weft_qp_deadline(qp), WEFT_NEVER);
    ck_assert_int_eq(weft_qp_timer(qp, WEFT_NEVER - 1), WEFT_TIMER_NOTHING);
    ck_assert_ptr_null(weft_qp_next_failed(qp));
    host_rig_logged("");
    host_rig_end();
}
END_TEST

START_TEST(a_reply_after_giving_up_changes_nothing)
{
    host_rig_begin("gbn", rto_10us);
    host_rig.with_path = true;
    host_rig.algos.frame.retry_limit = 1;
    host_rig.cc.on_ack = NULL;
    host_rig.path.on_reply = NULL;
    host_rig_add(FIRST);
    host_rig_post(0, 2, 0);
    host_rig_sends("0 0 -");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_sends("0 0 -");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_GIVE_UP);
    weft_host_drop(&host_rig.host, qp);
    host_rig.log[0] = '\0';
    const struct weft_packet ack = {.kind = WEFT_ACK, .psn = 0};
    weft_qp_reply(qp, &ack, host_rig.now);
    host_rig_logged(""); /* it is idle already */
    ck_assert(!weft_host_resume(&host_rig.host, qp, host_rig.now));
    ck_assert_ptr_null(weft_qp_next_acked(qp));
    ck_assert_uint_eq(weft_qp_next_failed(qp)->tag, 0);
    ck_assert_ptr_null(weft_qp_next_failed(qp));
    arrives(0, 0); /* what was under way may still be delivered */
    arrives(1, WEFT_F_LAST);
    ck_assert_uint_eq(weft_qp_next_delivered(qp, 0)->tag, 0);
    host_rig_end();
}
END_TEST

START_TEST(nothing_is_sent_after_giving_up_even_if_asked_for)
{
    host_rig_begin("gbn", rto_10us);
    host_rig.algos.frame.retry_limit = 1;
    host_rig_add(FIRST);
    host_rig_post(0, 2, 0);
    host_rig_sends("0 0 -");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_TIMEOUT);
    host_rig_sends("0 0 -");
    ck_assert_int_eq(host_rig_times_out(0), WEFT_TIMER_GIVE_UP);
    weft_host_drop(&host_rig.host, qp);
    const struct weft_packet nack = {.kind = WEFT_NACK, .psn = FIRST};
    weft_qp_reply(qp, &nack, host_rig.now);
    ck_assert(!weft_host_resume(&host_rig.host, qp, host_rig.now)); /* do not ask the wire */
    host_rig_sends("-");
    host_rig_end();
}
END_TEST

START_TEST(cnps_keep_their_distance)
{
    host_rig_begin("gbn", NULL);
    host_rig.cc_config.cnp_interval = 50;
    host_rig_add(FIRST);
    struct weft_qp_answer answer;
    struct weft_packet data = host_rig_packet(0, FIRST, 0);
    static const struct
    {
        int64_t now;
        uint32_t flags;
        bool cnp;
    } marks[] = {{0, 0, false},          {0, WEFT_F_CE, true},   {49, WEFT_F_CE, false},
                 {50, WEFT_F_CE, true},  {99, WEFT_F_CE, false}, {150, 0, false},
                 {151, WEFT_F_CE, true}, {151, WEFT_F_CE, false}};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
    {
        data.flags = (uint8_t)marks[i].flags;
        weft_qp_data(qp, &data, marks[i].now, &answer);
        ck_assert(answer.cnp == marks[i].cnp);
    }
    ck_assert_uint_eq(qp->cnps_sent, 3);
    data.sport = 1234;
    data.flags = WEFT_F_CE;
    data.psn = 3;
    weft_qp_make_reply(qp, &data, WEFT_CNP, data.psn);
    ck_assert(data.src == 5 && data.dst == 3 && data.bytes == 64 && data.sport == RIG_SPORT);
    weft_qp_cnp(qp, &data, 200);
    host_rig_logged("cc cnp 3 of 1234; ");
    ck_assert_uint_eq(qp->cnps, 1);
    host_rig_end();
}
END_TEST

START_TEST(a_congestion_control_may_want_no_cnps)
{
    begin_qp("gbn", NULL);
    ck_assert(!arrives(0, WEFT_F_CE).cnp);
    host_rig_end();
    host_rig_begin("gbn", NULL);
    host_rig.cc.cnp_interval = NULL;
    host_rig_add(FIRST);
    ck_assert(!arrives(0, WEFT_F_CE).cnp);
    host_rig_end();
}
END_TEST

START_TEST(acks_in_order_wait_for_others)
{
    begin_qp("nic-sr", NULL);
    host_rig.algos.frame.ack_every = 3;
    waits(0, 0);
    waits(1, 0);
    is_acked(2, 0, 3, 3, 0);
    waits(3, 0);
    is_acked(4, WEFT_F_LAST, 5, 5, 0); /* ends a message */
    waits(5, 0);
    is_acked(6, WEFT_F_CE, 7, 7, 0); /* must tell of congestion */
    waits(7, 0);
    is_acked(8, WEFT_F_ACK_REQ, 9, 9, 0);
    waits(9, 0);
    is_acked(9, 0, 10, 10, 0); /* again: its ACK may be lost */
    waits(10, 0);
    ck_assert_int_eq(arrives(12, 0).verdict.reply, WEFT_REPLY_NACK);
    waits(13, 0);               /* answered by nothing: beyond the ePSN */
    is_acked(11, 0, 14, 14, 0); /* closes the gap: news of three */
    host_rig_end();
}
END_TEST

START_TEST(acks_in_any_order_name_what_has_arrived)
{
    begin_qp("sack", NULL);
    host_rig.algos.frame.ack_every = 4;
    waits(1, 0);
    waits(3, 0);
    waits(0, 0);
    is_acked(2, 0, 4, 3, 0); /* all in order */
    waits(9, 0);
    waits(6, 0);
    waits(5, 0);
    is_acked(7, 0, 4, 9, 0xe); /* 8 is missing, 7, 6 and 5 are there */
    waits(10, 0);
    is_acked(6, 0, 4, 10, 0x1d); /* a copy is answered at once, with what waits: 9, 7, 6, 5 */
    waits(13, 0);
    is_acked(14, WEFT_F_LAST, 4, 14, 0x1d9); /* 13, 10, 9, 7, 6 */
    is_acked(12, 0, 4, 12, 0x76); /* what the end has overtaken has nothing to wait for */
    waits(15, 0);
    is_acked(4, WEFT_F_RETX, 8, 15, 0x37);
    host_rig_end();
}
END_TEST

/* Returns what the ACK of a packet with label 100 + @p index echoes; -1: it waits. */
static int
echo_of(uint32_t index, uint32_t flags)
{
    struct weft_packet packet = host_rig_packet(0, psn_of(index), flags);
    struct weft_qp_answer answer;
    memset(&answer, 0x55, sizeof(answer));
    packet.sport = (uint16_t)(100 + index);
    weft_qp_data(qp, &packet, 0, &answer);
    if (answer.verdict.reply == WEFT_REPLY_NONE)
    {
        return -1;
    }
    weft_qp_answer_with(qp, &packet, &answer);
    ck_assert_uint_eq(packet.flags & WEFT_F_ECE, flags & WEFT_F_CE ? WEFT_F_ECE : 0);
    return packet.echo;
}

/* Path selectors learn, of several packets, the label of the last that came, whichever it is, and
 * that of each marked one. */
START_TEST(merged_acks_echo_the_newest_label_and_each_marked_one)
{
    begin_qp(_i == 0 ? "sack" : "trim", NULL);
    host_rig.algos.frame.ack_every = 4;
    ck_assert_int_eq(echo_of(0, 0), -1);
    ck_assert_int_eq(echo_of(3, 0), -1);
    ck_assert_int_eq(echo_of(2, 0), -1);
    ck_assert_int_eq(echo_of(1, 0), 101);
    ck_assert_int_eq(echo_of(4, 0), -1);
    ck_assert_int_eq(echo_of(6, WEFT_F_CE), 106);
    ck_assert_int_eq(echo_of(5, WEFT_F_CE), 105);
    ck_assert_int_eq(echo_of(7, 0), -1);
    ck_assert_int_eq(echo_of(100, 0), 200); /* does not fit the bitmap with 7 */
    host_rig_end();
}
END_TEST

START_TEST(a_bitmap_is_48_packets_wide)
{
    begin_qp("sack", NULL);
    host_rig.algos.frame.ack_every = 4;
    waits(1, 0);
    waits(2, 0);
    waits(49, 0); /* the last one that fits with 1 */
    is_acked(50, 0, 0, 49, 1ULL << 46 | 1ULL << 47);
    waits(97, 0);                                /* 50 waits still, alone */
    is_acked(100, WEFT_F_CE, 0, 100, 1ULL << 2); /* for itself, with 97 but not 50 */
    waits(51, 0);
    is_acked(52, 0, 0, 97, 1ULL << 44 | 1ULL << 45 | 1ULL << 46 | 1ULL << 47);
    host_rig_end();
}
END_TEST

/* Sends all that the QP has, over a network that loses the first copy of packets 3, 60 to 69 and
 * 130. Returns how many packets have been sent when none is missing. */
static uint32_t
send_over_gaps(void)
{
    uint32_t sent = 0;
    for (; qp->una < qp->posted && host_rig_send(0, host_rig.now) == 0; sent++)
    {
        struct weft_packet p = host_rig.sent;
        struct weft_qp_answer answer;
        const uint32_t i = (p.psn - FIRST) & WEFT_PSN_MASK;
        host_rig.now += RIG_SLOT;
        if ((i == 3 || (i >= 60 && i < 70) || i == 130) && !(p.flags & WEFT_F_RETX))
        {
            continue;
        }
        weft_qp_data(qp, &p, host_rig.now, &answer);
        if (answer.verdict.reply == WEFT_REPLY_ACK)
        {
            weft_qp_answer_with(qp, &p, &answer);
            weft_qp_reply(qp, &p, host_rig.now);
            weft_host_resume(&host_rig.host, qp, host_rig.now);
        }
    }
    return sent;
}

/* Each packet is named by some ACK, so the sender learns of all that has arrived, how far beyond
 * the gap it may lie. */
START_TEST(a_threshold_may_exceed_the_bitmap)
{
    static const char *const thresholds[] = {"32", "47", "48", "49", "100", "600"};
    for (uint32_t i = 0; i < 24; i++)
    {
        const char *const settings[] = {"threshold", thresholds[i % 6], "rto", "100ms", NULL};
        begin_qp("sack", settings);
        host_rig.algos.frame.ack_every = 1U << 2 * (i / 6); /* 1, 4, 16, 64 */
        host_rig_post(0, 1000, 0);
        ck_assert_uint_eq(send_over_gaps(), 1012);
        ck_assert_uint_eq(qp->una, qp->posted);
        ck_assert_uint_eq(qp->duplicates, 0);
        const struct weft_tx_counters *tx = qp->algos->transport->tx_counters(qp->tx);
        ck_assert(tx->resent == 12 && tx->timeouts == 0);
        host_rig_end();
    }
}
END_TEST

/* Else what waits would be of another lap of the PSNs at last, and be named for packets of this. */
START_TEST(what_an_epsn_has_told_waits_no_longer)
{
    begin_qp("sack", NULL);
    host_rig.algos.frame.ack_every = 4;
    for (uint32_t i = 1; i < 60; i++)
    {
        (void)arrives(i, WEFT_F_CE);
    }
    waits(60, 0);
    waits(61, 0);
    is_acked(0, WEFT_F_RETX, 62, 0, 0); /* too far from 60 to wait with it, and tells of it */
    waits(62, 0);
    waits(63, 0);
    waits(64, 0);
    is_acked(65, 0, 66, 65, 0);
    host_rig_end();
}
END_TEST

START_TEST(every_ack_is_alone_where_none_may_wait)
{
    begin_qp("sack", NULL);
    is_acked(1, 0, 0, 1, 0);
    is_acked(3, 0, 0, 3, 0);
    is_acked(0, 0, 2, 0, 0);
    host_rig_end();
}
END_TEST

static int64_t rx_due; /* of the receiver below */

static int64_t
rx_deadline(const void *rx)
{
    (void)rx;
    return rx_due;
}

static void
rx_timeout(void *rx, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)rx;
    ck_assert_int_ge(now, rx_due);
    rx_due = WEFT_NEVER;
    verdict->reply = WEFT_REPLY_NACK;
    verdict->asks_place = true;
    verdict->place = psn_of(4);
    verdict->epsn = psn_of(1);
}

START_TEST(a_receiver_may_have_a_timer)
{
    struct weft_qp_answer answer;
    host_rig_begin("ideal", NULL);
    host_rig.transport.rx_deadline = rx_deadline;
    host_rig.transport.rx_timeout = rx_timeout;
    host_rig_add(FIRST);
    rx_due = 77;
    arrives(0, 0);
    arrives(5, WEFT_F_CE);
    ck_assert_int_eq(weft_qp_rx_deadline(qp), 77);
    weft_qp_rx_timer(qp, 76, &answer);
    ck_assert(answer.verdict.reply == WEFT_REPLY_NONE && !answer.cnp);
    ck_assert_uint_eq(qp->nacks_sent, 0);
    weft_qp_rx_timer(qp, 77, &answer);
    ck_assert(answer.verdict.reply == WEFT_REPLY_NACK && !answer.cnp && !answer.bitmap);
    ck_assert_uint_eq(qp->nacks_sent, 1);
    struct weft_packet nack = qp->newest;
    weft_qp_answer_with(qp, &nack, &answer);
    ck_assert(nack.kind == WEFT_NACK && nack.psn == psn_of(1) && nack.ahead == 3);
    ck_assert_uint_eq(nack.flags, WEFT_F_ASKS_AHEAD); /* its ACK has echoed the mark */
    ck_assert(nack.src == 5 && nack.dst == 3 && nack.echo == RIG_SPORT);
    weft_qp_rx_timer(qp, 1000, &answer);
    ck_assert_int_eq(answer.verdict.reply, WEFT_REPLY_NONE);
    host_rig_end();
}
END_TEST

/* The timer fires: the flags of its NACK. */
static unsigned
flags_by_timer(void)
{
    struct weft_qp_answer answer;
    rx_due = 0;
    weft_qp_rx_timer(qp, 0, &answer);
    ck_assert_int_eq(answer.verdict.reply, WEFT_REPLY_NACK);
    struct weft_packet nack = qp->newest;
    weft_qp_answer_with(qp, &nack, &answer);
    return nack.flags & ~(unsigned)WEFT_F_ASKS_AHEAD;
}

/* A congestion control that counts marks would take one for many. */
START_TEST(a_mark_is_echoed_once)
{
    host_rig_begin("nic-sr", NULL);
    host_rig.transport.rx_deadline = rx_deadline;
    host_rig.transport.rx_timeout = rx_timeout;
    host_rig_add(FIRST);
    ck_assert_int_eq(arrives(5, WEFT_F_CE | WEFT_F_TRIMMED).verdict.reply, WEFT_REPLY_NACK);
    ck_assert_uint_eq(flags_by_timer(), 0);
    waits(6, WEFT_F_CE);
    ck_assert_uint_eq(flags_by_timer(), WEFT_F_ECE);
    ck_assert_uint_eq(flags_by_timer(), 0);
    waits(7, 0);
    ck_assert_uint_eq(flags_by_timer(), 0);
    waits(8, WEFT_F_CE | WEFT_F_TRIMMED);
    ck_assert_uint_eq(flags_by_timer(), WEFT_F_ECE | WEFT_F_TRIMMED);
    ck_assert_uint_eq(flags_by_timer(), 0);
    host_rig_end();
}
END_TEST

static size_t
size_by_bdp(const void *config, const struct weft_path_site *site)
{
    (void)config;
    return 64 * (size_t)site->qp_bdp;
}

/* A path selector that keeps something of each path needs as much memory as the fabric has paths.
 */
START_TEST(a_path_part_may_be_as_large_as_its_site)
{
    const struct weft_qp_site near = {.path = {.qp_bdp = 1}}, far = {.path = {.qp_bdp = 100}};
    host_rig_begin("gbn", NULL);
    const size_t without = weft_qp_size(&host_rig.algos, &far);
    host_rig.path.qp_size = size_by_bdp;
    host_rig.path.on_lost = NULL; /* no labels */
    host_rig.algos.path = &host_rig.path;
    ck_assert_uint_eq(weft_qp_size(&host_rig.algos, &near), without + 64);
    ck_assert_uint_eq(weft_qp_size(&host_rig.algos, &far), without + 6400);
    char *memory = malloc(without + 6400);
    struct weft_qp own;
    ck_assert_int_eq(weft_qp_init(&own, memory, &host_rig.algos, &far, 0), 0);
    ck_assert_ptr_eq(own.cc, (char *)own.path + 6400);
    free(memory);
    host_rig_end();
}
END_TEST

Suite *qp_suite(void);

Suite *
qp_suite(void)
{
    Suite *s = suite_create("qp");
    TCase *tc = tcase_create("qp");
    suite_add_tcase(s, tc);
    tcase_add_test(tc, its_lines_are_those_of_the_cache);
    tcase_add_test(tc, a_message_is_told_of_once_and_in_order);
    tcase_add_test(tc, an_application_may_post_when_it_is_told);
    tcase_add_test(tc, a_qp_is_given_up_once);
    tcase_add_test(tc, a_reply_after_giving_up_changes_nothing);
    tcase_add_test(tc, nothing_is_sent_after_giving_up_even_if_asked_for);
    tcase_add_test(tc, cnps_keep_their_distance);
    tcase_add_test(tc, a_congestion_control_may_want_no_cnps);
    tcase_add_test(tc, acks_in_order_wait_for_others);
    tcase_add_test(tc, acks_in_any_order_name_what_has_arrived);
    tcase_add_loop_test(tc, merged_acks_echo_the_newest_label_and_each_marked_one, 0, 2);
    tcase_add_test(tc, a_bitmap_is_48_packets_wide);
    tcase_add_test(tc, a_threshold_may_exceed_the_bitmap);
    tcase_add_test(tc, what_an_epsn_has_told_waits_no_longer);
    tcase_add_test(tc, every_ack_is_alone_where_none_may_wait);
    tcase_add_test(tc, a_receiver_may_have_a_timer);
    tcase_add_test(tc, a_mark_is_echoed_once);
    tcase_add_test(tc, a_path_part_may_be_as_large_as_its_site);
    return s;
}
