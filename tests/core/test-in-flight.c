/* SPDX-License-Identifier: MIT */
/* A user would lose a part of the link: packets that have arrived behind a missing one would fill
 * the window as if they were still under way. */
#include <check.h>

#include <weft/error.h>

#include "nic-rig.h"

static const char *const transports[] = {"ideal", "trim", "pro-window", "multipath-timers", "sack"};

#define FIRST 0xffffe0U

static uint32_t
psn_of(uint32_t index)
{
    return (FIRST + index) & WEFT_PSN_MASK;
}

static void
begin_with(int transport, uint32_t posted)
{
    static const char *const four[] = {"outstanding", "4", "window", "64", NULL};
    static const char *const late[] = {"outstanding", "4",  "window", "64",
                                       "threshold",   "63", NULL}; /* no gap is a loss */
    begin(transports[transport], FIRST, transports[transport][0] == 's' ? late : four);
    rig.ops->tx_post(rig.tx, posted);
}

/* The receiver has packet @p index, and not the first one. */
static void
acknowledge(uint32_t index)
{
    const struct weft_packet ack = ack_of(psn_of(index), FIRST);
    ck_assert_uint_eq(rig.ops->tx_reply(rig.tx, &ack, NOW), 0);
}

START_TEST(what_has_arrived_leaves_room)
{
    begin_with(_i, 10);
    for (uint32_t i = 0; i < 4; i++)
    {
        sends(WEFT_TX_NEW, psn_of(i));
    }
    sends(WEFT_TX_NONE, 0);
    acknowledge(2);
    acknowledge(2); /* twice: one packet */
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 3);
    ck_assert_uint_eq(rig.ops->tx_sacked(rig.tx), 1);
    sends(WEFT_TX_NEW, psn_of(4));
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(reply(WEFT_ACK, psn_of(3), NOW), 3);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    ck_assert_uint_eq(rig.ops->tx_sacked(rig.tx), 0);
    end();
}
END_TEST

/* The receiver's bitmap bounds how far the newest packet may lie beyond the missing one. */
START_TEST(nothing_is_sent_beyond_the_bitmap)
{
    begin_with(_i, 100);
    sends(WEFT_TX_NEW, psn_of(0));
    for (uint32_t i = 1; i < 63; i++)
    {
        sends(WEFT_TX_NEW, psn_of(i));
        acknowledge(i);
    }
    sends(WEFT_TX_NEW, psn_of(63));
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    ck_assert_uint_eq(reply(WEFT_ACK, psn_of(64), NOW), 64);
    sends(WEFT_TX_NEW, psn_of(64));
    end();
}
END_TEST

/* More in flight than the receiver can place would be lost there for nothing. */
START_TEST(a_sender_of_more_than_the_bitmap_is_refused)
{
    const struct weft_transport_site site = {.first_psn = FIRST};
    static const char *const senders[] = {"ideal", "trim",  "pro-window", "multipath-timers",
                                          "sack",  "nic-sr"};
    begin(senders[_i], FIRST, NULL);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "outstanding", "65"), 0);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "64"), 0);
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &site), WEFT_ERANGE);
    end();
}
END_TEST

Suite *
in_flight_suite(void)
{
    Suite *suite = suite_create("in-flight");
    TCase *tcase = tcase_create("in-flight");
    tcase_add_loop_test(tcase, what_has_arrived_leaves_room, 0, 5);
    tcase_add_loop_test(tcase, nothing_is_sent_beyond_the_bitmap, 0, 5);
    tcase_add_loop_test(tcase, a_sender_of_more_than_the_bitmap_is_refused, 0, 6);
    suite_add_tcase(suite, tcase);
    return suite;
}
