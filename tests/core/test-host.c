/* SPDX-License-Identifier: MIT */
/* A user would lose the fair NIC: QPs that starve others or sleep for ever, that send faster than
 * their rate or more than their window, or through a pause. */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>

#include "host-rig.h"
#include "must.h"

#define NEVER_TIMES_OUT "rto", "inf", NULL

static const char *const patient[] = {NEVER_TIMES_OUT};

/* QPs of go-back-N, each with so many packets to send. */
static void
begin_qps(uint32_t nqps, uint32_t packets)
{
    host_rig_begin("gbn", patient);
    for (uint32_t i = 0; i < nqps; i++)
    {
        host_rig_add(0xfffffe);
    }
    for (uint32_t i = 0; i < nqps && packets > 0; i++)
    {
        host_rig_post(i, packets, 0);
    }
}

START_TEST(every_qp_has_its_turn)
{
    begin_qps(3, 3);
    host_rig_sends("0 1 2 0 1 2 0 1 2 -");
    host_rig_end();
}
END_TEST

START_TEST(a_turn_is_a_batch_of_packets)
{
    begin_qps(3, 0);
    host_rig.algos.frame.batch = 2;
    host_rig_post(0, 5, 0);
    host_rig_post(1, 1, 0); /* runs dry in the middle of its batch */
    host_rig_post(2, 4, 0);
    host_rig_sends("0 0 1 2 2 0 0 2 2 0 -");
    host_rig_end();
}
END_TEST

START_TEST(a_path_selector_says_how_long_its_batches_are)
{
    host_rig_begin("gbn", patient);
    host_rig.with_path = true;
    for (uint32_t i = 0; i < 3; i++)
    {
        host_rig_add(0);
        host_rig_post(i, 6, 0);
    }
    host_rig.algos.frame.batch = 5; /* of no account */
    host_rig_path(0)->batch = 3;
    host_rig_path(2)->batch = 2;
    host_rig_sends("0 0 0 1 2 2 0 0");
    host_rig_path(0)->batch = 1; /* from its next turn on */
    host_rig_sends("0 1 2 2 1 2 2 1 1 1 -");
    host_rig_end();
}
END_TEST

START_TEST(a_batch_ends_with_its_qp)
{
    begin_qps(3, 6);
    host_rig.algos.frame.batch = 3;
    host_rig_sends("0 0");
    weft_host_drop(&host_rig.host, &host_rig.qp[0]);
    ck_assert_int_eq(host_rig.qp[0].slot, -1);
    host_rig_sends("1 1 1 2");                       /* whole ones follow */
    weft_host_drop(&host_rig.host, &host_rig.qp[1]); /* not its turn: that of 2 goes on */
    host_rig_sends("2 2 2");
    weft_host_activate(&host_rig.host, &host_rig.qp[0]);
    weft_host_activate(&host_rig.host, &host_rig.qp[0]); /* it is already */
    host_rig_sends("2 2 0 0 0 0 -");
    weft_host_drop(&host_rig.host, &host_rig.qp[0]); /* no more is no error */
    host_rig_end();
}
END_TEST

START_TEST(a_rate_is_kept_to_the_picosecond)
{
    begin_qps(1, 10);
    host_rig_cc(0)->rate = RIG_RATE / 3;
    ck_assert_int_eq(host_rig_send(0, 0), 0);
    ck_assert(host_rig.held); /* it was due at 0, and left then */
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[0]), 3000001); /* rounded up */
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 3000001);
    ck_assert_int_eq(host_rig_send(0, 3000000), -1);
    ck_assert_int_eq(host_rig_send(0, 3000001), 0);
    ck_assert(host_rig.held);
    ck_assert_int_eq(host_rig_send(0, 6000005), 0); /* it had to wait for the wire */
    ck_assert(!host_rig.held);
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[0]), 9000006);
    host_rig_cc(0)->rate = RIG_RATE; /* what was paced stays so until it is sent */
    ck_assert_int_eq(host_rig_send(0, 9000005), -1);
    ck_assert_int_eq(host_rig_send(0, 9000006), 0);
    ck_assert(!host_rig.held);
    ck_assert_double_eq(host_rig.qp[0].rate_time, 9000006.0 * (double)(RIG_RATE / 3));
    ck_assert_uint_eq(host_rig.qp[0].sent_bytes, UINT64_C(4) * 980);
    ck_assert_int_eq(host_rig.qp[0].first_sent, 0);
    host_rig_end();
}
END_TEST

START_TEST(at_line_rate_the_wire_paces)
{
    begin_qps(1, 2);
    ck_assert_int_eq(weft_host_next(&host_rig.host, 0, 0, 7), WEFT_SEND_DATA);
    weft_host_data(&host_rig.host, &host_rig.sent, 7);
    ck_assert(!weft_host_pace(&host_rig.host, &host_rig.sent, 1234567, 7));
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 1234567);
    host_rig_end();
}
END_TEST

START_TEST(a_rate_of_the_host_is_shared)
{
    host_rig_begin("gbn", patient);
    host_rig.cc.per_host = true;
    host_rig.cc_config.rate = RIG_RATE / 2;
    host_rig_add(0);
    host_rig_add(0);
    host_rig_post(0, 3, 0);
    host_rig_post(1, 3, 0);
    host_rig_sends("0 - 1 - 0 - 1 - 0 - 1 -"); /* of both together, half of the line */
    host_rig_post(0, 1, 0);
    host_rig_cc(0)->rate = RIG_RATE / 4;
    host_rig.now = 12 * RIG_SLOT;
    host_rig_sends("0 - - - -");
    host_rig_post(1, 1, 0); /* the other one's packet has paced it too */
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 16 * RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 4), 16 * RIG_SLOT);
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[1]), 16 * RIG_SLOT);
    ck_assert_int_eq(host_rig_send(0, 16 * RIG_SLOT - 1), -1);
    ck_assert_int_eq(host_rig_send(0, 16 * RIG_SLOT), 1);
    host_rig_end();
}
END_TEST

START_TEST(a_qp_keeps_its_pace_while_it_is_not_active)
{
    begin_qps(2, 1);
    host_rig_cc(0)->rate = RIG_RATE / 10;
    host_rig_sends("0 1 -");
    weft_host_drop(&host_rig.host, &host_rig.qp[0]);
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[0]), 10 * RIG_SLOT);
    host_rig_post(0, 1, 3 * RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 10 * RIG_SLOT);
    ck_assert_int_eq(host_rig_send(0, 10 * RIG_SLOT - 1), -1);
    ck_assert_int_eq(host_rig_send(0, 10 * RIG_SLOT), 0);
    host_rig_end();
}
END_TEST

static void
begin_window(const char *transport, uint32_t window, uint32_t packets)
{
    host_rig_begin(transport, patient);
    host_rig.with_window = true;
    host_rig_add(0xfffffe);
    host_rig_cc(0)->window = window;
    host_rig_post(0, packets, 0);
}

START_TEST(no_more_is_in_flight_than_the_window)
{
    begin_window("gbn", 3, 100);
    host_rig_sends("0 0 0 - -");
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), WEFT_NEVER);
    host_rig_reply(0, WEFT_ACK, 0, 0, 0); /* 2 of them */
    host_rig_sends("0 0 -");
    host_rig_cc(0)->window = 2;
    host_rig_reply(0, WEFT_ACK, 1, 0, 0); /* 1: 2 in flight */
    host_rig_sends("-");
    host_rig_reply(0, WEFT_ACK, 3, 0, 0);
    host_rig_sends("0 0 -");
    host_rig_end();
}
END_TEST

START_TEST(what_is_asked_for_leaves_whatever_the_window)
{
    begin_window("nic-sr", 3, 100);
    host_rig_sends("0 0 0 -");
    host_rig_reply(0, WEFT_NACK, 0xfffffe, 0, 0);
    host_rig_sends("0 -");
    ck_assert(host_rig.sent.psn == 0xfffffe && (host_rig.sent.flags & WEFT_F_RETX));
    host_rig_reply(0, WEFT_ACK, 0xffffff, 0, 0);
    host_rig_sends("0 -");
    ck_assert(host_rig.sent.psn == 1 && !(host_rig.sent.flags & WEFT_F_RETX));
    host_rig_end();
}
END_TEST

/* Were trimmed packets sent again at once, the queue that trimmed them would trim them again. */
START_TEST(what_was_trimmed_waits_for_the_window)
{
    begin_window("trim", 3, 100);
    host_rig_sends("0 0 0 -");
    host_rig_cc(0)->window = 1;
    for (uint32_t ahead = 0; ahead < 3; ahead++)
    {
        const struct weft_packet nack = {.kind = WEFT_NACK,
                                         .psn = 0xfffffe,
                                         .ahead = (uint16_t)ahead,
                                         .flags = WEFT_F_TRIMMED | WEFT_F_ASKS_AHEAD};
        host_rig_sends("-");
        weft_qp_reply(&host_rig.qp[0], &nack, host_rig.now);
        weft_host_resume(&host_rig.host, &host_rig.qp[0], host_rig.now);
    }
    host_rig_sends("0 -"); /* the third has left it empty */
    ck_assert(host_rig.sent.psn == 0xfffffe && (host_rig.sent.flags & WEFT_F_RETX));
    host_rig_end();
}
END_TEST

START_TEST(a_window_that_opens_ends_a_long_pause)
{
    begin_window("gbn", 1, 100);
    host_rig_cc(0)->rate = RIG_RATE / 100; /* a window of a fraction of a packet */
    host_rig_sends("0 -");
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[0]), 100 * RIG_SLOT);
    host_rig_cc(0)->window = 4;
    host_rig_cc(0)->rate = RIG_RATE / 5;
    host_rig_reply(0, WEFT_ACK, 0xffffff, 0, 3 * RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 5 * RIG_SLOT);
    host_rig_cc(0)->rate = RIG_RATE / 50; /* closed again: that is no reason to wait longer */
    host_rig_reply(0, WEFT_ACK, 0xffffff, 0, 3 * RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 5 * RIG_SLOT);
    host_rig_cc(0)->rate = RIG_RATE; /* due within a packet's time: as it is */
    host_rig_reply(0, WEFT_ACK, 0xffffff, 0, 4 * RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 5 * RIG_SLOT);
    host_rig_end();
}
END_TEST

/* Checks the sources that send in so many slots, with QP 0's data and what @p waiting says. */
static void
sources(uint32_t waiting, const char *expected)
{
    char got[64] = "";
    for (size_t i = 0; i < strlen(expected); i++)
    {
        const enum weft_host_source source = weft_host_next(&host_rig.host, waiting, 0, 0);
        got[i] = "RODN"[source];
        if (source == WEFT_SEND_DATA)
        {
            weft_host_data(&host_rig.host, &host_rig.sent, 0);
            weft_host_pace(&host_rig.host, &host_rig.sent, 0, 0);
        }
    }
    ck_assert_str_eq(got, expected);
}

START_TEST(replies_and_other_traffic_take_turns_with_data)
{
    const uint32_t replies = 1U << WEFT_SEND_REPLY, other = 1U << WEFT_SEND_OTHER;
    begin_qps(1, 100);
    sources(replies | other, "RODRODR");
    sources(replies, "DRDR");
    sources(other, "ODOD");
    sources(0, "DDD");
    sources(replies, "RDR");
    weft_host_drop(&host_rig.host, &host_rig.qp[0]);
    sources(replies, "RRR");
    sources(other, "OO");
    sources(0, "NN");
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), WEFT_NEVER);
    ck_assert_int_le(weft_host_next_at(&host_rig.host, replies, 0), 0);
    host_rig_end();
}
END_TEST

START_TEST(replies_go_first_where_they_may)
{
    const uint32_t replies = 1U << WEFT_SEND_REPLY, other = 1U << WEFT_SEND_OTHER;
    begin_qps(1, 100);
    weft_host_init(&host_rig.host, RIG_RATE, true);
    host_rig.qp[0].slot = -1;
    ck_assert_int_eq(weft_host_lend(&host_rig.host, host_rig.active, host_rig.send_at, 1), 0);
    weft_host_activate(&host_rig.host, &host_rig.qp[0]);
    sources(replies | other, "RRRR");
    sources(other, "ODOD");
    sources(replies, "RR");
    sources(other, "OD"); /* they have used up nobody's turn */
    host_rig_end();
}
END_TEST

START_TEST(a_pause_keeps_back_its_class_alone)
{
    begin_qps(0, 0);
    host_rig_add(0);
    host_rig_add(0);
    static struct weft_nic_algos second;
    second = host_rig.algos;
    second.tclass = 2;
    host_rig.qp[1].algos = &second;
    host_rig_post(0, 10, 0);
    host_rig_post(1, 10, 0);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 1U << 1), 0);
    ck_assert_int_eq(host_rig_send(1U << 1, 0), 1);
    ck_assert_uint_eq(host_rig.sent.tclass, 2);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 1U << 1), RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 1U << 2), 0);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 1U << 1 | 1U << 2), WEFT_NEVER);
    ck_assert_int_eq(host_rig_send(1U << 1 | 1U << 2, RIG_SLOT), -1);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 1U), 0); /* nobody's */
    ck_assert_int_eq(host_rig_send(0, RIG_SLOT), 0);               /* its place is kept */
    host_rig_end();
}
END_TEST

START_TEST(a_longer_list_takes_over_the_shorter_one)
{
    begin_qps(3, 10);
    struct weft_qp *active[4];
    int64_t send_at[4];
    host_rig_cc(1)->rate = RIG_RATE / 50;
    host_rig_sends("0 1 2");
    ck_assert_int_eq(weft_host_lend(&host_rig.host, active, send_at, 2), WEFT_ENOMEM);
    ck_assert_ptr_eq(host_rig.host.active, host_rig.active);
    ck_assert_int_eq(weft_host_lend(&host_rig.host, active, send_at, 4), 0);
    memset(host_rig.active, 0, sizeof(host_rig.active));
    memset(host_rig.send_at, 0, sizeof(host_rig.send_at));
    host_rig.now = 3 * RIG_SLOT;
    host_rig_sends("0 2 0 2");
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[1]), 51 * RIG_SLOT);
    host_rig_end();
}
END_TEST

START_TEST(a_packet_says_what_it_is)
{
    host_rig_begin("gbn", patient);
    host_rig.with_path = true;
    host_rig_add(0);
    host_rig_add(0xffffff);
    ck_assert_int_eq(weft_qp_post(&host_rig.qp[1], host_rig.wqes[1], 2 * RIG_PAYLOAD + 7, 0, 0), 0);
    ck_assert_int_eq(weft_qp_post(&host_rig.qp[1], host_rig.wqes[1], 1, 0, 0), 0);
    ck_assert_int_eq(weft_qp_post(&host_rig.qp[1], host_rig.wqes[1], RIG_PAYLOAD, 0, 0), 0);
    weft_host_activate(&host_rig.host, &host_rig.qp[1]);
    static const struct
    {
        uint32_t psn, bytes, flags;
    } expected[] = {
        {0xffffff, 980, 0},
        {0, 980, 0},
        {1, 87, WEFT_F_LAST},
        {2, 81, WEFT_F_LAST},
        {3, 980, WEFT_F_LAST},
        {0, 980, WEFT_F_RETX},
        {1, 87, WEFT_F_LAST | WEFT_F_RETX},
    };
    for (uint32_t i = 0; i < 7; i++)
    {
        if (i == 5)
        {
            host_rig_reply(1, WEFT_NACK, 0, 2, 99);
        }
        ck_assert_int_eq(host_rig_send(0, (int64_t)i * RIG_SLOT), 1);
        const struct weft_packet *p = &host_rig.sent;
        ck_assert_uint_eq(p->psn, expected[i].psn);
        ck_assert_uint_eq(p->bytes, expected[i].bytes);
        ck_assert_uint_eq(p->flags, expected[i].flags);
        ck_assert_uint_eq(p->sport, RIG_LABEL + i);
        ck_assert(p->kind == WEFT_DATA && p->src == 3 && p->dst == 5 && p->tclass == 1);
        ck_assert(p->sent == (int64_t)i * RIG_SLOT && p->hops == 0 && p->meta[0] == 0);
    }
    host_rig_end();
}
END_TEST

/* Model of a NIC of round robin, written down plainly. */
static struct
{
    int list[RIG_QPS]; /* QPs that have something to send, or might */
    int n;
    int turn; /* the QP whose turn it is; -1: that of the first one, or of one that joins before */
    int64_t left;
    int packets[RIG_QPS];
    int64_t send_at[RIG_QPS];
} model;

static int
model_find(int qp)
{
    int i = 0;
    while (i < model.n && model.list[i] != qp)
    {
        i++;
    }
    return i;
}

static void
model_activate(int qp)
{
    if (model_find(qp) == model.n)
    {
        model.list[model.n++] = qp;
        model.turn = model.turn < 0 ? qp : model.turn;
    }
}

static int
model_after(int qp)
{
    const int i = model_find(qp) + 1;
    return i < model.n ? model.list[i] : -1;
}

static void
model_drop(int qp)
{
    const int i = model_find(qp);
    if (i == model.n)
    {
        return;
    }
    if (model.turn == qp)
    {
        model.turn = model_after(qp);
        model.left = 0;
    }
    model.n--;
    memmove(&model.list[i], &model.list[i + 1], (size_t)(model.n - i) * sizeof(int));
}

static int
model_send(uint32_t paused, int64_t now, int64_t batch)
{
    int order[RIG_QPS];
    const int n = model.n, first = model.turn < 0 ? 0 : model_find(model.turn);
    for (int i = 0; i < n; i++)
    {
        order[i] = model.list[(first + i) % n];
    }
    for (int i = 0; i < n; i++)
    {
        const int qp = order[i];
        if (model.send_at[qp] > now || (paused >> (1 + qp % 2) & 1U))
        {
            continue;
        }
        if (model.packets[qp] == 0)
        {
            model_drop(qp);
            continue;
        }
        model.packets[qp]--;
        model.left = (qp == model.turn && model.left > 0 ? model.left : batch) - 1;
        model.turn = model.left > 0 ? qp : model_after(qp);
        return qp;
    }
    return -1;
}

/* A QP posts, is dropped or changes its rate. */
static void
meddle(struct weft_rng *rng, int64_t now)
{
    const uint32_t qp = weft_rng_below(rng, RIG_QPS), what = weft_rng_below(rng, 8);
    if (what < 5 && host_rig.qp[qp].nwqes < RIG_WQES)
    {
        const uint32_t packets = 1 + weft_rng_below(rng, 6);
        host_rig_post(qp, packets, now);
        model.packets[qp] += (int)packets;
        model_activate((int)qp);
    }
    else if (what == 5)
    {
        weft_host_drop(&host_rig.host, &host_rig.qp[qp]);
        model_drop((int)qp);
    }
    else if (what == 6)
    {
        host_rig_cc(qp)->rate = RIG_RATE / (1 + weft_rng_below(rng, 8));
    }
    else
    {
        MUST(weft_host_resume(&host_rig.host, &host_rig.qp[qp], now) == (model.packets[qp] > 0));
        if (model.packets[qp] > 0)
        {
            model_activate((int)qp);
        }
    }
}

static void
compare(uint32_t paused, int64_t now)
{
    const int qp = model_send(paused, now, host_rig.algos.frame.batch);
    const int64_t at = weft_host_next_at(&host_rig.host, 0, paused);
    MUST(qp < 0 || at <= now); /* it has told when */
    MUST(host_rig_send(paused, now) == qp);
    if (qp >= 0)
    {
        const int64_t rate = host_rig_cc((uint32_t)qp)->rate;
        MUST(host_rig.held == (rate != RIG_RATE && model.send_at[qp] == now));
        model.send_at[qp] = now + weft_wire_time(1000, rate);
    }
    else
    {
        MUST(weft_host_next_at(&host_rig.host, 0, paused) > now);
    }
    MUST((int)host_rig.host.nactive == model.n);
    for (int i = 0; i < model.n; i++)
    {
        MUST(host_rig.host.active[i] == &host_rig.qp[model.list[i]]);
        MUST(host_rig.host.active[i]->slot == i);
    }
}

START_TEST(nobody_is_passed_over)
{
    struct weft_rng rng;
    static struct weft_nic_algos odd;
    memset(&model, 0, sizeof(model));
    model.turn = -1;
    weft_rng_seed(&rng, (uint64_t)_i, 0, 0);
    host_rig_begin("gbn", patient);
    host_rig.algos.frame.batch = 1 + _i % 4;
    odd = host_rig.algos;
    odd.tclass = 2;
    for (uint32_t i = 0; i < RIG_QPS; i++)
    {
        host_rig_add(0xfffff0);
        host_rig.qp[i].algos = i % 2 == 0 ? &host_rig.algos : &odd;
    }
    uint32_t paused = 0;
    for (int64_t now = 0; now < 5000 * RIG_SLOT; now += RIG_SLOT)
    {
        for (uint32_t n = weft_rng_below(&rng, 3); n > 0; n--)
        {
            meddle(&rng, now);
        }
        paused = weft_rng_below(&rng, 20) == 0 ? 2 * weft_rng_below(&rng, 4) : paused;
        compare(paused, now);
    }
    host_rig_end();
}
END_TEST

Suite *host_suite(void);

Suite *
host_suite(void)
{
    Suite *s = suite_create("host");
    TCase *tc = tcase_create("host");
    suite_add_tcase(s, tc);
    tcase_add_test(tc, every_qp_has_its_turn);
    tcase_add_test(tc, a_turn_is_a_batch_of_packets);
    tcase_add_test(tc, a_path_selector_says_how_long_its_batches_are);
    tcase_add_test(tc, a_batch_ends_with_its_qp);
    tcase_add_test(tc, a_rate_is_kept_to_the_picosecond);
    tcase_add_test(tc, at_line_rate_the_wire_paces);
    tcase_add_test(tc, a_rate_of_the_host_is_shared);
    tcase_add_test(tc, a_qp_keeps_its_pace_while_it_is_not_active);
    tcase_add_test(tc, no_more_is_in_flight_than_the_window);
    tcase_add_test(tc, what_is_asked_for_leaves_whatever_the_window);
    tcase_add_test(tc, what_was_trimmed_waits_for_the_window);
    tcase_add_test(tc, a_window_that_opens_ends_a_long_pause);
    tcase_add_test(tc, replies_and_other_traffic_take_turns_with_data);
    tcase_add_test(tc, replies_go_first_where_they_may);
    tcase_add_test(tc, a_pause_keeps_back_its_class_alone);
    tcase_add_test(tc, a_longer_list_takes_over_the_shorter_one);
    tcase_add_test(tc, a_packet_says_what_it_is);
    tcase_add_loop_test(tc, nobody_is_passed_over, 0, 12);
    return s;
}
