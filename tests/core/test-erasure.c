/* SPDX-License-Identifier: MIT */
/* A user would lose the yardstick of ofan's figures: a loss recovery that adds nothing of its own,
 * neither packets nor waiting, to what a load balancer does (ofan §4). */
#include <check.h>
#include <string.h>

#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

#define FIRST   (0xffffff - 2000) /* wraps within a run */
#define PACKETS 6000
#define US      INT64_C(1000000) /* ps */

static struct weft_rx_verdict
arrive_with(uint8_t flags, uint32_t psn, uint32_t end)
{
    struct weft_packet data;
    struct weft_rx_verdict verdict = {.epsn = UINT32_MAX, .reply = UINT8_MAX, .place = psn};
    memset(&data, 0, sizeof(data));
    data.psn = psn & WEFT_PSN_MASK;
    data.flags = flags;
    data.ahead = (uint16_t)((end - psn) & WEFT_PSN_MASK);
    rig.ops->rx_data(rig.rx, &data, NOW, &verdict);
    return verdict;
}

static struct weft_rx_verdict
arrive_of(uint32_t psn, uint32_t end)
{
    return arrive_with(0, psn, end);
}

/* The reply to what left at @p sent, which took that place: packets newly acknowledged. */
static uint32_t
acks(uint32_t place, uint32_t epsn, int64_t sent)
{
    struct weft_packet packet = ack_of(place, epsn);
    packet.sent = sent;
    return rig.ops->tx_reply(rig.tx, &packet, sent);
}

static void
loses(uint32_t psn, int64_t sent)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = WEFT_DATA;
    packet.psn = psn & WEFT_PSN_MASK;
    packet.sent = sent;
    rig.ops->tx_lost(rig.tx, &packet, sent);
}

/* The ACK of that place is lost. */
static void
loses_ack(uint32_t place, uint32_t epsn, int64_t sent)
{
    struct weft_packet packet = ack_of(place, epsn);
    packet.sent = sent;
    rig.ops->tx_lost(rig.tx, &packet, sent);
}

static void
begin_16us(uint32_t first)
{
    static const char *const settings[] = {"rto", "16us", "window", "64", NULL};
    begin("erasure", first, settings);
}

START_TEST(any_m_symbols_make_a_message_of_m_packets)
{
    const uint32_t m = 1000;
    const uint32_t last = weft_psn_add(FIRST, m);
    const uint32_t stale = (uint32_t)_i;
    struct weft_rng rng;
    static bool placed[1000];
    uint32_t epsn = FIRST;
    memset(placed, 0, sizeof(placed));
    weft_rng_seed(&rng, 5, 0, (uint64_t)_i);
    begin("erasure", FIRST, NULL);
    for (uint32_t i = 1; i <= 2 * m; i++)
    {
        /* Any PSN that the sender takes for unacknowledged: its una may be old. */
        const uint32_t least = (epsn - FIRST) & WEFT_PSN_MASK;
        const uint32_t una = least - weft_rng_below(&rng, 1 + (stale < least ? stale : least));
        const uint32_t psn = una == m ? m - 1 : una + weft_rng_below(&rng, m - una);
        const struct weft_rx_verdict v = arrive_of(weft_psn_add(FIRST, psn), last);
        const uint32_t place = (v.place - FIRST) & WEFT_PSN_MASK;
        ck_assert(v.reply == WEFT_REPLY_ACK && v.fresh != v.duplicate);
        ck_assert(v.fresh == (i <= m) && place < m && v.duplicate == placed[place]);
        placed[place] = true;
        ck_assert((v.epsn == last) == (i >= m));
        epsn = v.epsn;
    }
    end();
}
END_TEST

START_TEST(a_symbol_takes_no_place_of_packets_that_were_sent_after_it)
{
    begin_16us(10);
    struct weft_rx_verdict v = arrive_of(10, 11);
    ck_assert(v.fresh && v.place == 10 && v.epsn == 11);
    v = arrive_of(13, 14);
    ck_assert(v.fresh && v.place == 13 && v.epsn == 11);
    v = arrive_of(13, 12); /* knows of 11, not of 12 */
    ck_assert(v.fresh && v.place == 11 && v.epsn == 12);
    v = arrive_of(10, 12);
    ck_assert(v.duplicate && !v.fresh && v.reply == WEFT_REPLY_ACK && v.epsn == 12);
    v = arrive_of(12 + 64, 12 + 65); /* beyond the bitmap */
    ck_assert(v.reply == WEFT_REPLY_NONE && !v.fresh && !v.duplicate);
    end();
}
END_TEST

START_TEST(a_packet_tells_what_the_receiver_needs)
{
    struct weft_packet data;
    memset(&data, 0, sizeof(data));
    begin_16us(0xffffff);
    rig.ops->tx_post(rig.tx, 3);
    sends_at(0, WEFT_TX_NEW, 0xffffff);
    sends_at(0, WEFT_TX_NEW, 0);
    data.psn = 0;
    rig.ops->tx_stamp(rig.tx, &data);
    ck_assert_uint_eq(data.ahead, 1);
    data.psn = 0xffffff;
    rig.ops->tx_stamp(rig.tx, &data);
    ck_assert_uint_eq(data.ahead, 2);
    ck_assert(data.flags & WEFT_F_ACK_REQ); /* an ACK that waits would count as a loss */
    end();
}
END_TEST

/* 4,097 bytes were delivered after two of payload: the last one and its repair symbol. */
START_TEST(a_last_packet_which_may_be_short_stands_for_no_other)
{
    begin_16us(0);
    struct weft_rx_verdict v = arrive_with(WEFT_F_LAST, 1, 2);
    ck_assert(v.fresh && v.place == 1 && v.epsn == 0 && v.reply == WEFT_REPLY_ACK);
    v = arrive_with(WEFT_F_LAST | WEFT_F_RETX, 1, 2);
    ck_assert(v.duplicate && !v.fresh && v.place == 1 && v.epsn == 0 && v.reply == WEFT_REPLY_ACK);
    v = arrive_of(0, 2);
    ck_assert(v.fresh && v.place == 0 && v.epsn == 2);
    v = arrive_of(2, 4); /* of full size: two of those may well stand for a short one */
    ck_assert(v.fresh && v.epsn == 3);
    v = arrive_of(2, 4);
    ck_assert(v.fresh && v.place == 3 && v.epsn == 4);
    end();
}
END_TEST

START_TEST(a_symbol_is_in_flight_until_answered_or_told_lost)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 4);
    for (uint32_t psn = 0; psn < 4; psn++)
    {
        sends_at(psn, WEFT_TX_NEW, psn);
    }
    sends_at(4, WEFT_TX_NONE, 9); /* all places missing are in flight */
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 4);
    ck_assert_uint_eq(acks(0, 1, 5), 1);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 3);
    loses(2, 6);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    sends_at(6, WEFT_TX_RETX, 2); /* what was lost, so that it displaces nothing */
    sends_at(6, WEFT_TX_NONE, 9);
    loses(2, 7);
    loses(1, 7);
    sends_at(7, WEFT_TX_RETX, 1);
    sends_at(7, WEFT_TX_RETX, 2);
    sends_at(7, WEFT_TX_NONE, 9);
    ck_assert_uint_eq(acks(3, 1, 8), 0);
    ck_assert_uint_eq(acks(2, 1, 8), 0);
    ck_assert_uint_eq(acks(1, 4, 8), 3);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    end();
}
END_TEST

START_TEST(a_tors_nack_answers_no_symbol)
{
    struct weft_packet nack;
    memset(&nack, 0, sizeof(nack));
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 2);
    sends_at(0, WEFT_TX_NEW, 0);
    sends_at(0, WEFT_TX_NEW, 1);
    nack.kind = WEFT_NACK;
    ck_assert_uint_eq(rig.ops->tx_reply(rig.tx, &nack, 5), 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->nacks, 1);
    sends_at(6, WEFT_TX_NONE, 9);
    end();
}
END_TEST

START_TEST(what_a_lost_ack_said_is_asked_for)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 5);
    for (uint32_t psn = 0; psn < 4; psn++)
    {
        sends_at(0, WEFT_TX_NEW, psn);
    }
    loses_ack(2, 0, 1);
    sends_at(1, WEFT_TX_NEW, 4); /* of the same message: as good as a repair symbol */
    sends_at(1, WEFT_TX_RETX, 2);
    sends_at(1, WEFT_TX_NONE, 9);
    acks(2, 0, 2);
    ck_assert_uint_eq(acks(1, 0, 2), 0);
    ck_assert_uint_eq(acks(0, 3, 2), 3);
    /* The last ones' ACKs: they say all, or name what lies beyond the ePSN. */
    loses_ack(3, 4, 3);
    sends_at(3, WEFT_TX_RETX, 3);
    loses_ack(4, 5, 3);
    sends_at(3, WEFT_TX_RETX, 3);
    sends_at(3, WEFT_TX_NONE, 9);
    ck_assert_uint_eq(acks(3, 5, 4), 2);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    ck_assert_uint_eq(acks(3, 5, 4), 0); /* surplus */
    ck_assert(!rig.ops->tx_ready(rig.tx));
    end();
}
END_TEST

START_TEST(new_packets_go_first_after_half_of_all_psns_too)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 10000000);
    uint32_t psn = 0;
    for (uint32_t i = 0; i < 9000000; i++)
    {
        MUST(rig.ops->tx_next(rig.tx, i, &psn) == WEFT_TX_NEW && psn == i);
        MUST(acks(psn, psn + 1, i) == 1);
    }
    sends_at(10 * US, WEFT_TX_NEW, 9000000); /* lost */
    sends_at(20 * US, WEFT_TX_NEW, 9000001);
    acks(9000001, 9000000, 20 * US);
    loses(9000000, 20 * US);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    sends_at(28 * US, WEFT_TX_NEW, 9000002);
    end();
}
END_TEST

START_TEST(queues_alone_make_no_repair_symbols)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 50);
    for (uint32_t psn = 0; psn < 50; psn++)
    {
        sends_at(psn * US, WEFT_TX_NEW, psn);
    }
    /* As long as there is no loss, it does not matter how long they wait. */
    for (int64_t t = 50 * US; t < 5000 * US; t += US)
    {
        rig.ops->tx_timeout(rig.tx, t);
        sends_at(t, WEFT_TX_NONE, 9);
    }
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 50);
    for (uint32_t psn = 0; psn < 50; psn++)
    {
        ck_assert_uint_eq(acks(psn, psn + 1, (5000 + psn) * US), 1);
        sends_at((5000 + psn) * US, WEFT_TX_NONE, 9);
    }
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->resent, 0);
    end();
}
END_TEST

START_TEST(losses_are_no_timeouts_but_silences_are)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 100);
    for (int64_t t = 0; t < 100; t += 5)
    {
        const uint32_t psn = (uint32_t)t / 5;
        sends_at(t * US, WEFT_TX_NEW, psn);
        if (psn % 2 == 0)
        {
            acks(psn, 0, t * US);
        }
        else
        {
            loses(psn, t * US);
        }
        rig.ops->tx_timeout(rig.tx, t * US);
    }
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    /* The last reply came at 90 us: silences of 16, 32, 64 ... us, whatever is lost in them. */
    uint32_t psn;
    int64_t silence = 16;
    for (int64_t t = 95; t < 2000; t++)
    {
        const uint64_t before = rig.ops->tx_counters(rig.tx)->timeouts;
        if (rig.ops->tx_deadline(rig.tx) <= t * US)
        {
            rig.ops->tx_timeout(rig.tx, t * US);
        }
        if (rig.ops->tx_next(rig.tx, t * US, &psn) != WEFT_TX_NONE)
        {
            loses(psn, t * US);
        }
        if (rig.ops->tx_counters(rig.tx)->timeouts != before)
        {
            ck_assert_int_eq(t - 90, silence);
            silence *= 2;
        }
    }
    ck_assert_int_eq(silence, 16 << 7);
    /* A reply ends it: the next one is short again, and no timer has to be moved forward for it. */
    acks(0, 1, 2000 * US);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 2016 * US);
    rig.ops->tx_timeout(rig.tx, 2016 * US);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 8);
    end();
}
END_TEST

/* 2^16 RTOs at most, else a long outage would be followed by one as long, or time would overflow.
 */
START_TEST(silences_do_not_grow_for_ever)
{
    int64_t now = 0;
    int64_t silence = 16 * US;
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 1);
    sends_at(0, WEFT_TX_NEW, 0);
    for (uint64_t n = 1; n <= 50; n++)
    {
        const int64_t due = n == 1 ? silence : now + silence;
        rig.ops->tx_timeout(rig.tx, due - 1);
        ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, n - 1);
        rig.ops->tx_timeout(rig.tx, due + 16 * US); /* the timer may look an rto later */
        ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, n);
        now = due + 16 * US;
        silence = n == 1 ? silence : silence < (16 * US) << 16 ? 2 * silence : silence;
    }
    ck_assert_int_eq(silence, (16 * US) << 16);
    end();
}
END_TEST

/* New packets go first, but not past a silence: what is missing may be all that the receiver waits
 * for. */
START_TEST(after_a_timeout_what_is_missing_goes_first)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 50);
    for (uint32_t psn = 0; psn < 4; psn++)
    {
        sends_at(0, WEFT_TX_NEW, psn);
    }
    loses(1, 0);
    loses(2, 0);
    sends_at(1 * US, WEFT_TX_NEW, 4);
    loses(4, 2 * US);
    rig.ops->tx_timeout(rig.tx, 16 * US);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 1);
    sends_at(17 * US, WEFT_TX_RETX, 1);
    sends_at(17 * US, WEFT_TX_RETX, 2);
    sends_at(17 * US, WEFT_TX_RETX, 4);
    sends_at(17 * US, WEFT_TX_NEW, 5);
    end();
}
END_TEST

START_TEST(a_message_that_follows_does_not_delay_the_one_before)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 4);
    sends_at(0, WEFT_TX_NEW, 0); /* lost */
    sends_at(0, WEFT_TX_NEW, 1);
    acks(1, 0, 0);
    sends_at(12 * US, WEFT_TX_NEW, 2);
    acks(2, 0, 12 * US);
    loses(0, 20 * US);
    sends_at(20 * US, WEFT_TX_NEW, 3); /* of the same message: as good as a repair symbol */
    rig.ops->tx_post(rig.tx, 3);
    sends_at(20 * US, WEFT_TX_RETX, 0);
    sends_at(20 * US, WEFT_TX_NEW, 4);
    acks(0, 3, 20 * US);
    acks(3, 4, 20 * US);
    acks(4, 5, 20 * US);
    ck_assert_uint_eq(rig.ops->tx_una(rig.tx), 5);
    sends_at(21 * US, WEFT_TX_NEW, 5);
    sends_at(21 * US, WEFT_TX_NEW, 6);
    sends_at(21 * US, WEFT_TX_NONE, 9);
    end();
}
END_TEST

START_TEST(a_hole_holds_up_the_stream_for_the_window_at_most)
{
    begin_16us(0);
    rig.ops->tx_post(rig.tx, 1000);
    for (uint32_t psn = 0; psn < 64; psn++)
    {
        sends_at(psn, WEFT_TX_NEW, psn);
        if (psn != 0 && psn != 40)
        {
            acks(psn, 0, psn);
        }
    }
    sends_at(64, WEFT_TX_NONE, 9);
    loses(40, 20 * US);
    loses(0, 20 * US);
    sends_at(20 * US, WEFT_TX_RETX, 0); /* the oldest first */
    sends_at(20 * US, WEFT_TX_RETX, 40);
    sends_at(20 * US, WEFT_TX_NONE, 9);
    ck_assert_uint_eq(acks(0, 40, 20 * US), 40);
    for (uint32_t psn = 64; psn < 104; psn++)
    {
        sends_at(21 * US, WEFT_TX_NEW, psn);
    }
    loses(40, 40 * US);
    sends_at(40 * US, WEFT_TX_RETX, 40);
    ck_assert_uint_eq(acks(40, 64, 40 * US), 24);
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed, const char *window)
{
    const char *const settings[] = {"window", window, "rto", "60us", NULL};
    return sim_link_of("erasure", settings, FIRST, PACKETS, seed);
}

START_TEST(without_loss_m_packets_are_sent_in_any_order)
{
    struct sim_link link = link_of((uint64_t)_i, "4096");
    link.jitter = 15; /* each way */
    link.chunk = _i % 2 == 0 ? PACKETS : 500;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == 0 && o.tx.timeouts == 0 && o.duplicates == 0);
    ck_assert_uint_eq(o.acks, link.packets);
    const uint32_t chunks = link.packets / link.chunk;
    ck_assert_uint_le(o.slots, link.packets + chunks * (2 * (8 + 15) + 1));
}
END_TEST

START_TEST(each_loss_costs_one_symbol)
{
    static const char *const windows[] = {"64", "256", "4096"};
    struct sim_link link = link_of((uint64_t)_i, windows[_i % 3]);
    link.jitter = (uint32_t)(_i % 4) * 5;
    link.chunk = _i % 2 == 0 ? PACKETS : 777;
    link.data_loss = _i % 5 == 4 ? 0.5 : 0.02 * (1 + _i % 5);
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_gt(o.lost_data, 0);
    ck_assert_uint_eq(o.tx.resent, o.lost_data);
    ck_assert_uint_eq(o.duplicates, 0);
}
END_TEST

START_TEST(the_end_of_a_message_is_all_that_waits)
{
    struct sim_link link = link_of(3, "4096");
    link.data_loss = 0.02;
    const struct sim_outcome o = sim_link_run(&link);
    /* A rateless sender fills the wire until the last round trips: each of them may lose some. */
    ck_assert_uint_le(o.slots, link.packets + o.lost_data + 3 * (16 + 1));
}
END_TEST

START_TEST(a_lost_ack_costs_a_symbol_at_most)
{
    static const char *const windows[] = {"64", "1024"};
    struct sim_link link = link_of((uint64_t)_i, windows[_i % 2]);
    link.jitter = 15;
    link.reply_loss = 0.1 * (1 + _i % 5);
    link.data_loss = 0.02 * (_i % 4);
    link.chunk = _i % 3 == 0 ? 7 : 1000;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_ge(o.tx.resent, o.lost_data);
    const uint64_t surplus = o.tx.resent - o.lost_data;
    ck_assert_uint_le(surplus, o.lost_replies);
    ck_assert_uint_le(o.duplicates, surplus);
    link.duplication = 0.05; /* a copy counts as a symbol: the receiver cannot tell */
    (void)sim_link_run(&link);
}
END_TEST

/* Messages of one short packet each: a lost ACK is made up for by no other one. */
START_TEST(messages_of_a_single_packet_cost_no_more)
{
    struct sim_link link = link_of((uint64_t)_i, "64");
    link.packets = 500;
    link.chunk = 1;
    link.data_loss = 0.1;
    struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == o.lost_data && o.duplicates == 0);
    link.reply_loss = 0.2;
    o = sim_link_run(&link);
    ck_assert_uint_eq(o.tx.resent, o.lost_data + o.lost_replies);
}
END_TEST

START_TEST(a_window_that_no_bitmap_has_is_refused)
{
    begin("erasure", 0, NULL);
    ck_assert_ptr_null(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "96"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    end();
}
END_TEST

/*
 * A dead path, on which all is lost, at 100 ns a symbol and 10 us to hear of it. A user would wait
 * for ever if a sender that hears of losses alone were not found silent, or if it had more symbols
 * under way than are missing. The path heals as the host would give up.
 */
START_TEST(a_dead_path_is_found_silent_and_takes_a_window_per_round_trip)
{
    enum
    {
        DELAY = 100,               /* slots of 100 ns */
        DEAD = 16 * 128 * 10 + 10, /* the eighth silence of 16 us has passed */
        WINDOW = 64,
        MESSAGE = 1000,
    };
    static uint32_t under_way[DELAY]; /* a symbol's PSN + 1, by when its fate is known */
    uint32_t wasted = 0, spent = 0;
    uint64_t timeouts = 0;
    int64_t slot = 0;
    begin_16us(0);
    memset(under_way, 0, sizeof under_way);
    rig.ops->tx_post(rig.tx, MESSAGE);
    for (; rig.ops->tx_una(rig.tx) != MESSAGE; slot++)
    {
        const int64_t now = slot * US / 10;
        uint32_t *symbol = &under_way[slot % DELAY];
        MUST(slot < DEAD + 10 * MESSAGE);
        rig.ops->tx_timeout(rig.tx, now);
        timeouts = slot < DEAD ? rig.ops->tx_counters(rig.tx)->timeouts : timeouts;
        if (*symbol != 0 && slot < DEAD)
        {
            loses(*symbol - 1, now);
        }
        else if (*symbol != 0)
        {
            const struct weft_rx_verdict v = arrive_of(*symbol - 1, *symbol);
            acks(v.place, v.epsn, now);
        }
        *symbol = 0;
        if (rig.ops->tx_next(rig.tx, now, symbol) != WEFT_TX_NONE)
        {
            ++*symbol;
            *(slot < DEAD ? &wasted : &spent) += 1;
        }
    }
    ck_assert_uint_eq(timeouts, 8); /* the host's retry limit */
    ck_assert_uint_le(wasted, WINDOW * (DEAD / DELAY + 1));
    ck_assert_uint_gt(wasted, WINDOW * (DEAD / DELAY) / 2);
    ck_assert_uint_le(spent, MESSAGE + WINDOW);
    end();
}
END_TEST

Suite *
erasure_suite(void)
{
    Suite *suite = suite_create("erasure");
    TCase *tcase = tcase_create("erasure");
    tcase_add_loop_test(tcase, any_m_symbols_make_a_message_of_m_packets, 0, 20);
    tcase_add_test(tcase, a_symbol_takes_no_place_of_packets_that_were_sent_after_it);
    tcase_add_test(tcase, a_packet_tells_what_the_receiver_needs);
    tcase_add_test(tcase, a_last_packet_which_may_be_short_stands_for_no_other);
    tcase_add_test(tcase, a_symbol_is_in_flight_until_answered_or_told_lost);
    tcase_add_test(tcase, a_tors_nack_answers_no_symbol);
    tcase_add_test(tcase, what_a_lost_ack_said_is_asked_for);
    tcase_add_test(tcase, new_packets_go_first_after_half_of_all_psns_too);
    tcase_add_test(tcase, queues_alone_make_no_repair_symbols);
    tcase_add_test(tcase, losses_are_no_timeouts_but_silences_are);
    tcase_add_test(tcase, silences_do_not_grow_for_ever);
    tcase_add_test(tcase, after_a_timeout_what_is_missing_goes_first);
    tcase_add_test(tcase, a_message_that_follows_does_not_delay_the_one_before);
    tcase_add_test(tcase, a_hole_holds_up_the_stream_for_the_window_at_most);
    tcase_add_loop_test(tcase, without_loss_m_packets_are_sent_in_any_order, 0, 6);
    tcase_add_loop_test(tcase, each_loss_costs_one_symbol, 0, 30);
    tcase_add_test(tcase, the_end_of_a_message_is_all_that_waits);
    tcase_add_loop_test(tcase, a_lost_ack_costs_a_symbol_at_most, 0, 30);
    tcase_add_loop_test(tcase, messages_of_a_single_packet_cost_no_more, 0, 6);
    tcase_add_test(tcase, a_window_that_no_bitmap_has_is_refused);
    tcase_add_test(tcase, a_dead_path_is_found_silent_and_takes_a_window_per_round_trip);
    suite_add_tcase(suite, tcase);
    return suite;
}
