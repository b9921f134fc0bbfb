/* SPDX-License-Identifier: MIT */
/* A user would lose IRN's transport (SIGCOMM 2018), which is `sack` with preset="irn": recovery
 * that does not wait for a count of packets, BDP-FC, and the timer for few packets. */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>

#include "nic-rig.h"

#define US INT64_C(1000000) /* ps */

/* 40 Gb/s and 24 us: 120,000 B, 117.2 frames of 1024 B. */
static const struct weft_transport_site paper = {
    .rate = INT64_C(40000000000), .base_rtt = 24 * US, .frame = 1024};

static void
begin_irn(const char *const *settings)
{
    begin_at(&paper, "sack", settings);
    ck_assert_int_eq(weft_config_preset(&rig.ops->algo, rig.config, "irn"), 0);
    for (; settings && settings[0]; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, settings[0], settings[1]), 0);
    }
    ck_assert_ptr_null(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &paper), 0);
    rig.ops->tx_post(rig.tx, 1000);
}

static void
send_new(uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
    {
        sends(WEFT_TX_NEW, first + i);
    }
}

static uint32_t
acks(uint32_t psn, uint32_t epsn)
{
    const struct weft_packet packet = ack_of(psn, epsn);
    return rig.ops->tx_reply(rig.tx, &packet, NOW);
}

/* §3.1: whatever a later packet has overtaken is lost, and goes before new packets. */
START_TEST(the_first_gap_is_a_loss)
{
    begin_irn(NULL);
    send_new(0, 10);
    acks(3, 0);
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NEW, 10);
    acks(5, 0); /* 4 is lost, too; 0 to 2 were sent again */
    sends(WEFT_TX_RETX, 4);
    sends(WEFT_TX_NEW, 11);
    end();
}
END_TEST

/* Other presets repeat a round once packets are answered that left behind it. */
START_TEST(only_the_timer_repeats_what_was_sent_again)
{
    static const char *const rounds[] = {"recovery", "rounds", NULL};
    begin_irn(NULL);
    send_new(0, 4);
    acks(1, 0);
    sends(WEFT_TX_RETX, 0);
    send_new(4, 20);
    acks(20, 0);
    for (uint32_t psn = 2; psn < 20; psn++)
    {
        sends(WEFT_TX_RETX, psn); /* but not 0 */
    }
    sends(WEFT_TX_NEW, 24);
    end();
    begin_irn(rounds);
    send_new(0, 4);
    acks(1, 0);
    sends(WEFT_TX_RETX, 0);
    send_new(4, 20);
    acks(20, 0);
    sends(WEFT_TX_RETX, 0);
    end();
}
END_TEST

/* §3.1: the packet of the cumulative ACK, and others only if a later one is known to be there. */
START_TEST(the_timer_repeats_the_oldest_packet_and_what_was_overtaken)
{
    begin_irn(NULL);
    send_new(0, 10);
    acks(4, 0);
    acks(2, 0);
    for (int n = 0; n < 2; n++)
    {
        const uint32_t missing[] = {0, 1, 3};
        for (uint32_t i = 0; i < 3; i++)
        {
            sends(WEFT_TX_RETX, missing[i]);
        }
        rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    }
    end();
    begin_irn((const char *const[]){"threshold", "4", NULL});
    send_new(0, 10);
    acks(3, 0); /* no loss yet */
    sends(WEFT_TX_NEW, 10);
    rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    for (uint32_t psn = 0; psn < 3; psn++)
    {
        sends(WEFT_TX_RETX, psn);
    }
    sends(WEFT_TX_NEW, 11);
    end();
    begin_irn(NULL);
    send_new(0, 10);
    rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_NEW, 10);
    end();
}
END_TEST

/* §3.2: 118 packets from the oldest missing one on, whatever has arrived beyond it. */
START_TEST(bdp_fc_bounds_what_is_sent_beyond_the_oldest_missing_packet)
{
    begin_irn(NULL);
    send_new(0, 118);
    sends(WEFT_TX_NONE, 0);
    for (uint32_t psn = 1; psn < 118; psn++)
    {
        acks(psn, 0);
    }
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_NONE, 0);
    acks(0, 118);
    send_new(118, 118);
    sends(WEFT_TX_NONE, 0);
    end();
    begin_irn((const char *const[]){"outstanding", "64", NULL});
    send_new(0, 64); /* `outstanding` bounds it as well */
    sends(WEFT_TX_NONE, 0);
    end();
    begin_irn((const char *const[]){"bdp-fc", "off", NULL});
    send_new(0, 500);
    end();
}
END_TEST

/* §3.1: RTO_low, 100 us, with up to three packets; RTO_high, 320 us, with more. */
START_TEST(few_packets_have_a_shorter_timer)
{
    begin_irn(NULL);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    send_new(0, 3);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 100 * US);
    send_new(3, 1);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 320 * US);
    acks(0, 1);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 100 * US);
    rig.ops->tx_timeout(rig.tx, NOW + 100 * US - 1);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    rig.ops->tx_timeout(rig.tx, NOW + 100 * US);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 1);
    sends(WEFT_TX_RETX, 1);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 200 * US);
    ck_assert(rig.ops->hastens(rig.config));
    end();
    begin_irn((const char *const[]){"rto-low-packets", "5", NULL});
    send_new(0, 5);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 100 * US);
    send_new(5, 1);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 320 * US);
    end();
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    static const char *const bad[][3] = {
        {"threshold", "0", "expected a threshold"},
        {"rto", "99us", "nor less"},
        {"rto", "inf", "not inf"},
    };
    begin_irn(NULL);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, bad[_i][0], bad[_i][1]), 0);
    const char *why = rig.ops->algo.check(rig.config);
    ck_assert(why && strstr(why, bad[_i][2]));
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &paper), WEFT_ERANGE);
    end();
}
END_TEST

Suite *irn_suite(void);

Suite *
irn_suite(void)
{
    Suite *suite = suite_create("irn");
    TCase *tcase = tcase_create("irn");
    tcase_add_test(tcase, the_first_gap_is_a_loss);
    tcase_add_test(tcase, only_the_timer_repeats_what_was_sent_again);
    tcase_add_test(tcase, the_timer_repeats_the_oldest_packet_and_what_was_overtaken);
    tcase_add_test(tcase, bdp_fc_bounds_what_is_sent_beyond_the_oldest_missing_packet);
    tcase_add_test(tcase, few_packets_have_a_shorter_timer);
    tcase_add_loop_test(tcase, what_makes_no_sense_is_refused, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
