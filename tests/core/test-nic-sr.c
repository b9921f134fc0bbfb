/* SPDX-License-Identifier: MIT */
/* A user would lose NIC-SR, the transport whose NACKs Themis exists for (themis §2.2). */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

static void
begin_sr(uint32_t first_psn, const char *const *settings)
{
    begin("nic-sr", first_psn, settings);
}

START_TEST(receiver_follows_figure_4b)
{
    /* themis Fig. 4b: 0, 1, 3, 2, then 6 while 4 is missing. */
    begin_sr(0, NULL);
    answers(0, WEFT_REPLY_ACK, 1);
    answers(1, WEFT_REPLY_ACK, 2);
    answers(3, WEFT_REPLY_NACK, 2);
    answers(2, WEFT_REPLY_ACK, 4);
    answers(6, WEFT_REPLY_NACK, 4);
    end();
}
END_TEST

START_TEST(each_epsn_has_at_most_one_nack)
{
    begin_sr(0, NULL);
    answers(1, WEFT_REPLY_NACK, 0);
    answers(2, WEFT_REPLY_NONE, 0);
    answers(5, WEFT_REPLY_NONE, 0);
    /* The ePSN moves onto another hole: silence until the next out-of-order arrival. */
    answers(0, WEFT_REPLY_ACK, 3);
    answers(6, WEFT_REPLY_NACK, 3);
    answers(7, WEFT_REPLY_NONE, 3);
    end();
}
END_TEST

START_TEST(old_packets_are_acknowledged_again)
{
    begin_sr(0, NULL);
    answers(0, WEFT_REPLY_ACK, 1);
    const struct weft_rx_verdict v = arrive(0);
    ck_assert_int_eq(v.reply, WEFT_REPLY_ACK);
    ck_assert_uint_eq(v.epsn, 1);
    ck_assert(!v.fresh && v.duplicate);
    end();
}
END_TEST

START_TEST(a_duplicate_may_trigger_the_nack)
{
    begin_sr(0, NULL);
    answers(1, WEFT_REPLY_NACK, 0);
    answers(3, WEFT_REPLY_NONE, 0);
    answers(0, WEFT_REPLY_ACK, 2);
    const struct weft_rx_verdict v = arrive(3);
    ck_assert_int_eq(v.reply, WEFT_REPLY_NACK);
    ck_assert_uint_eq(v.epsn, 2);
    ck_assert(!v.fresh && v.duplicate);
    end();
}
END_TEST

START_TEST(beyond_the_window_is_dropped_in_silence)
{
    static const char *const small[] = {"window", "64", "outstanding", "64", NULL};
    begin_sr(0xffffff, small);
    const struct weft_rx_verdict v = arrive(63);
    ck_assert_int_eq(v.reply, WEFT_REPLY_NONE);
    ck_assert_uint_eq(v.epsn, 0xffffff);
    ck_assert(!v.fresh && !v.duplicate);
    answers(62, WEFT_REPLY_NACK, 0xffffff);
    end();
}
END_TEST

START_TEST(sender_repeats_only_what_a_nack_asks_for)
{
    begin_sr(0, NULL);
    rig.ops->tx_post(rig.tx, 6);
    for (uint32_t psn = 0; psn < 5; psn++)
    {
        sends(WEFT_TX_NEW, psn);
    }
    ck_assert_uint_eq(reply(WEFT_NACK, 2, NOW), 2);
    ck_assert_uint_eq(reply(WEFT_NACK, 2, NOW), 0); /* already queued */
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NEW, 5);
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(reply(WEFT_NACK, 2, NOW), 0); /* lost again, says a ToR */
    sends(WEFT_TX_RETX, 2);
    const struct weft_tx_counters *c = rig.ops->tx_counters(rig.tx);
    ck_assert(c->sent == 6 && c->resent == 2 && c->nacks == 3 && c->timeouts == 0);
    end();
}
END_TEST

START_TEST(an_arrival_cancels_its_queued_retransmission)
{
    begin_sr(0, NULL);
    rig.ops->tx_post(rig.tx, 4);
    for (uint32_t psn = 0; psn < 4; psn++)
    {
        sends(WEFT_TX_NEW, psn);
    }
    reply(WEFT_NACK, 1, NOW);
    ck_assert_uint_eq(reply(WEFT_ACK, 3, NOW), 2);
    sends(WEFT_TX_NONE, 0);
    /* An overtaken NACK asks for what is known to have arrived. */
    ck_assert_uint_eq(reply(WEFT_NACK, 2, NOW), 0);
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_una(rig.tx), 3);
    end();
}
END_TEST

START_TEST(nonsense_replies_change_nothing)
{
    begin_sr(100, NULL);
    rig.ops->tx_post(rig.tx, 10);
    sends(WEFT_TX_NEW, 100);
    ck_assert_uint_eq(reply(WEFT_ACK, 102, NOW), 0);  /* never sent */
    ck_assert_uint_eq(reply(WEFT_NACK, 102, NOW), 0); /* never sent */
    ck_assert_uint_eq(reply(WEFT_ACK, 99, NOW), 0);   /* old */
    ck_assert_uint_eq(reply(WEFT_ACK, 101, NOW), 1);
    ck_assert_uint_eq(reply(WEFT_NACK, 101, NOW), 0); /* not sent yet */
    sends(WEFT_TX_NEW, 101);
    end();
}
END_TEST

START_TEST(outstanding_packets_are_limited)
{
    static const char *const three[] = {"outstanding", "3", NULL};
    begin_sr(0xfffffe, three);
    rig.ops->tx_post(rig.tx, 10);
    sends(WEFT_TX_NEW, 0xfffffe);
    sends(WEFT_TX_NEW, 0xffffff);
    sends(WEFT_TX_NEW, 0);
    sends(WEFT_TX_NONE, 0);
    reply(WEFT_ACK, 0xffffff, NOW);
    sends(WEFT_TX_NEW, 1);
    sends(WEFT_TX_NONE, 0);
    end();
}
END_TEST

START_TEST(the_timer_restarts_on_progress_and_resends_the_oldest)
{
    static const char *const one[] = {"on-timeout", "one", NULL};
    begin_sr(0, one);
    ck_assert(rig.ops->tx_deadline(rig.tx) == WEFT_NEVER);
    rig.ops->tx_post(rig.tx, 4);
    ck_assert(rig.ops->tx_deadline(rig.tx) == WEFT_NEVER);
    for (uint32_t p = 0; p < 3; p++)
    {
        sends(WEFT_TX_NEW, p);
    }
    uint32_t psn = 0;
    ck_assert_int_eq(rig.ops->tx_next(rig.tx, NOW + 400, &psn), WEFT_TX_NEW);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + RTO); /* not by sending on */
    reply(WEFT_ACK, 1, NOW + 500);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 500 + RTO);
    reply(WEFT_NACK, 1, NOW + 700); /* no progress */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 500 + RTO);
    sends(WEFT_TX_RETX, 1);
    rig.ops->tx_timeout(rig.tx, NOW + 499 + RTO);
    sends(WEFT_TX_NONE, 0);
    rig.ops->tx_timeout(rig.tx, NOW + 500 + RTO);
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_NONE, 0);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 500 + 2 * RTO); /* no back-off */
    reply(WEFT_ACK, 4, NOW + 2 * RTO);
    ck_assert(rig.ops->tx_deadline(rig.tx) == WEFT_NEVER);
    ck_assert(rig.ops->tx_counters(rig.tx)->timeouts == 1);
    end();
}
END_TEST

/* A RoCE requester: an outage would else cost an RTO for each packet that it took. */
START_TEST(the_timer_goes_back_and_sends_from_there_on)
{
    begin_sr(0xfffffe, NULL);
    rig.ops->tx_post(rig.tx, 7);
    for (uint32_t p = 0; p < 6; p++)
    {
        sends(WEFT_TX_NEW, weft_psn_add(0xfffffe, p));
    }
    reply(WEFT_ACK, 0xffffff, NOW);
    reply(WEFT_NACK, 0xffffff, NOW);
    rig.ops->tx_timeout(rig.tx, NOW + RTO);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    sends(WEFT_TX_RETX, 0xffffff); /* once: what the NACK asked for is the oldest */
    sends(WEFT_TX_RETX, 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    reply(WEFT_ACK, 2, NOW + RTO); /* past what need not be sent again */
    sends(WEFT_TX_RETX, 2);
    reply(WEFT_NACK, 2, NOW + RTO); /* it has been sent again: once more */
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_RETX, 3);
    sends(WEFT_TX_NEW, 4);
    sends(WEFT_TX_NONE, 0);
    const struct weft_tx_counters *c = rig.ops->tx_counters(rig.tx);
    ck_assert(c->sent == 7 && c->resent == 5 && c->timeouts == 1);
    end();
}
END_TEST

START_TEST(an_infinite_rto_never_fires)
{
    static const char *const never[] = {"rto", "inf", NULL};
    begin_sr(0, never);
    rig.ops->tx_post(rig.tx, 1);
    sends(WEFT_TX_NEW, 0);
    ck_assert(rig.ops->tx_deadline(rig.tx) == WEFT_NEVER);
    rig.ops->tx_timeout(rig.tx, INT64_MAX - 1);
    sends(WEFT_TX_NONE, 0);
    end();
}
END_TEST

/* The naive receiver: sets of what has arrived and of which ePSNs have had their NACK. */
#define SPAN   60000
#define WINDOW 256

static bool arrived[SPAN + 2 * WINDOW];
static bool nacked[SPAN + 2 * WINDOW];

static struct weft_rx_verdict
naive(uint32_t first, uint32_t *epsn, uint32_t n)
{
    struct weft_rx_verdict v = {0, WEFT_REPLY_NONE, false, false, weft_psn_add(first, n)};
    const bool inside = n < *epsn + WINDOW;
    v.duplicate = arrived[n];
    v.fresh = inside && !arrived[n];
    arrived[n] |= inside;
    if (n <= *epsn)
    {
        v.reply = WEFT_REPLY_ACK;
    }
    else if (inside && !nacked[*epsn])
    {
        nacked[*epsn] = true;
        v.reply = WEFT_REPLY_NACK;
    }
    while (arrived[*epsn])
    {
        (*epsn)++;
    }
    v.epsn = weft_psn_add(first, *epsn);
    return v;
}

START_TEST(receiver_matches_a_set_on_random_arrivals)
{
    static const char *const small[] = {"window", "256", "outstanding", "256", NULL};
    const uint32_t first = 0xffffff - SPAN / 2; /* wraps half way */
    struct weft_rng rng;
    uint32_t epsn = 0;
    unsigned kinds[3] = {0, 0, 0};
    weft_rng_seed(&rng, 11, 0, (uint64_t)_i);
    memset(arrived, 0, sizeof(arrived));
    memset(nacked, 0, sizeof(nacked));
    begin_sr(first, small);
    while (epsn < SPAN)
    {
        /* Mostly near the ePSN, sometimes old, sometimes at the window's end or beyond it. */
        const uint32_t reach = weft_rng_below(&rng, 50) == 0 ? WINDOW + 20 : 3U + (unsigned)_i * 6;
        const uint32_t back = weft_rng_below(&rng, 20) == 0 ? 30 : 0;
        const uint32_t n = (epsn > back ? epsn - back : 0) + weft_rng_below(&rng, reach);
        const struct weft_rx_verdict got = arrive(weft_psn_add(first, n));
        const struct weft_rx_verdict want = naive(first, &epsn, n);
        MUST(got.epsn == want.epsn);
        MUST(got.reply == want.reply);
        MUST(got.fresh == want.fresh);
        MUST(got.duplicate == want.duplicate);
        kinds[got.reply]++;
    }
    MUST(kinds[0] > 1000 && kinds[1] > 1000 && kinds[2] > 1000);
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed)
{
    static const char *const fast[] = {"rto", "300us", NULL};
    struct sim_link link;
    memset(&link, 0, sizeof(link));
    begin_sr(0, fast);
    end();
    link.ops = rig.ops;
    link.config = rig.config;
    link.first_psn = 0xffffff - 5000;
    link.packets = 12000;
    link.chunk = 12000;
    link.delay = 8;
    link.seed = seed;
    return link;
}

START_TEST(a_clean_link_needs_no_retransmission)
{
    const struct sim_link link = link_of(1);
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == 0 && o.nacks == 0 && o.tx.timeouts == 0);
    ck_assert_uint_eq(o.acks, link.packets);
}
END_TEST

START_TEST(reordering_alone_causes_spurious_retransmissions)
{
    /* NACKs and retransmissions come though nothing is lost, as themis §2.2 measures. */
    struct sim_link link = link_of(2);
    link.jitter = 6;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.timeouts == 0);
    ck_assert_uint_gt(o.tx.resent, link.packets / 20);
    /* All of them in vain, but for those under way at the end. */
    ck_assert_uint_le(o.duplicates, o.tx.resent);
    ck_assert_uint_gt(o.duplicates + 20, o.tx.resent);
}
END_TEST

START_TEST(a_lost_packet_costs_one_nack_and_one_retransmission)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(3);
    for (uint32_t i = 100; i < 11900; i += 1000)
    {
        mask[i] = 1;
    }
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_eq(o.lost_data, 12);
    ck_assert_uint_eq(o.tx.resent, 12);
    ck_assert_uint_eq(o.tx.nacks, 12);
    ck_assert(o.tx.timeouts == 0 && o.duplicates == 0);
}
END_TEST

START_TEST(a_retransmission_lost_too_waits_for_the_timer)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(4);
    mask[7000] = 2;
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.nacks == 1 && o.tx.timeouts == 1);
    /* In the round trip before the ACK says that all the others have arrived it sends on. */
    ck_assert_uint_ge(o.tx.resent, 2);
    ck_assert_uint_le(o.tx.resent, 2 + 2 * link.delay + 1);
}
END_TEST

/* The last 200 packets are lost, as in an outage: nothing follows that a NACK could answer. */
START_TEST(an_outage_costs_one_timeout)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(5);
    memset(mask + 11800, 1, 200);
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.lost_data == 200 && o.tx.resent == 200 && o.tx.timeouts == 1);
}
END_TEST

START_TEST(everything_arrives_once_over_a_terrible_link)
{
    struct sim_link link = link_of((uint64_t)_i);
    link.jitter = (uint32_t)_i * 5;
    link.data_loss = 0.02 * (_i % 4);
    link.reply_loss = 0.03 * (_i % 3);
    link.duplication = 0.05 * (_i % 2);
    link.chunk = _i % 2 == 0 ? 12000 : 777;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(link.data_loss == 0 || o.tx.resent > 0);
}
END_TEST

START_TEST(unsound_configurations_are_refused)
{
    begin_sr(0, NULL);
    end();
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "outstanding", "4194305"),
                     WEFT_ERANGE);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "16000"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "8192"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "outstanding", "8192"), 0);
    ck_assert_ptr_null(rig.ops->algo.check(rig.config));
}
END_TEST

Suite *
nic_sr_suite(void)
{
    Suite *suite = suite_create("nic-sr");
    TCase *tcase = tcase_create("nic-sr");
    tcase_add_test(tcase, receiver_follows_figure_4b);
    tcase_add_test(tcase, each_epsn_has_at_most_one_nack);
    tcase_add_test(tcase, old_packets_are_acknowledged_again);
    tcase_add_test(tcase, a_duplicate_may_trigger_the_nack);
    tcase_add_test(tcase, beyond_the_window_is_dropped_in_silence);
    tcase_add_test(tcase, sender_repeats_only_what_a_nack_asks_for);
    tcase_add_test(tcase, an_arrival_cancels_its_queued_retransmission);
    tcase_add_test(tcase, nonsense_replies_change_nothing);
    tcase_add_test(tcase, outstanding_packets_are_limited);
    tcase_add_test(tcase, the_timer_restarts_on_progress_and_resends_the_oldest);
    tcase_add_test(tcase, the_timer_goes_back_and_sends_from_there_on);
    tcase_add_test(tcase, an_infinite_rto_never_fires);
    tcase_add_loop_test(tcase, receiver_matches_a_set_on_random_arrivals, 0, 6);
    tcase_add_test(tcase, a_clean_link_needs_no_retransmission);
    tcase_add_test(tcase, reordering_alone_causes_spurious_retransmissions);
    tcase_add_test(tcase, a_lost_packet_costs_one_nack_and_one_retransmission);
    tcase_add_test(tcase, a_retransmission_lost_too_waits_for_the_timer);
    tcase_add_test(tcase, an_outage_costs_one_timeout);
    tcase_add_loop_test(tcase, everything_arrives_once_over_a_terrible_link, 0, 12);
    tcase_add_test(tcase, unsound_configurations_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
