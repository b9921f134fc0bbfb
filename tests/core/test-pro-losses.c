/* SPDX-License-Identifier: MIT */
/* A user would lose packets or time where a link loses them under PRO's loss detection, and the
 * order of completions (pro §III-B, §III-C). */
#include <check.h>
#include <string.h>

#include <weft/psn.h>
#include <weft/rng.h>

#include "host-rig.h"
#include "must.h"
#include "sim-link.h"

#define NEAR_WRAP 0xfffffaU

static struct sim_link
link_of(uint64_t seed, const char *window)
{
    const char *const settings[] = {"ooo-window", window, "rto", "300us", NULL};
    return sim_link_of("pro-window", settings, 0xffffff - 5000, 12000, seed);
}

START_TEST(reordering_within_the_window_costs_nothing)
{
    struct sim_link link = link_of((uint64_t)_i, "32");
    link.jitter = 15;
    struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == 0 && o.tx.timeouts == 0 && o.nacks == 0);
    ck_assert_uint_eq(o.acks, link.packets);
    link = link_of((uint64_t)_i, "4");
    link.jitter = 15;
    o = sim_link_run(&link);
    /* Repeats widen the window, so that in the end there are no more of them. */
    ck_assert(o.nacks > 0 && o.tx.timeouts == 0 && o.duplicates > 0);
    ck_assert_uint_lt(o.tx.resent, 40);
}
END_TEST

START_TEST(losses_need_no_timer_while_packets_follow)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(3, "32");
    uint32_t lost = 0;
    memset(mask, 0, sizeof(mask));
    for (uint32_t i = 0; i < 11900; i += 1 + i % 9)
    {
        mask[i] = 1;
        lost++;
    }
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == lost && o.nacks == lost && o.tx.nacks == lost);
    ck_assert(o.tx.timeouts == 0 && o.duplicates == 0);
}
END_TEST

START_TEST(a_retransmission_lost_too_waits_for_the_timer)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(4, "32");
    memset(mask, 0, sizeof(mask));
    mask[11000] = 2;
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.nacks == 1 && o.tx.nacks == 1);
    ck_assert(o.tx.resent == 2 && o.tx.timeouts == 1 && o.duplicates == 0);
}
END_TEST

START_TEST(a_lost_tail_costs_one_timeout)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(5, "32");
    memset(mask, 0, sizeof(mask));
    memset(mask + 12000 - 15, 1, 15);
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.timeouts == 1 && o.tx.resent == 15 && o.duplicates == 0);
}
END_TEST

START_TEST(everything_arrives_once_over_a_terrible_link)
{
    const char *const settings[] = {"ooo-window", _i % 3 == 0 ? "1" : "20",
                                    "nacks",      _i % 2 == 0 ? "one" : "all",
                                    "timeout",    _i % 4 < 2 ? "sender" : "receiver",
                                    "check",      _i % 5 == 4 ? "timeouts" : "events",
                                    "rto",        "300us",
                                    NULL};
    struct sim_link link = sim_link_of("pro-window", settings, 0xffffff - 3000, 6000, (uint64_t)_i);
    link.jitter = (uint32_t)_i * 3;
    link.data_loss = 0.02 * (_i % 4);
    link.reply_loss = 0.03 * (_i % 3);
    link.duplication = 0.05 * (_i % 2);
    link.chunk = _i % 2 == 0 ? 6000 : 777;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(link.data_loss == 0 || o.tx.resent > 0);
}
END_TEST

/* pro §III-C: packets are placed as they come, messages complete in the order in which they were
 * posted, each once the packets of all up to it have come, at both ends. */
START_TEST(messages_complete_in_the_order_posted)
{
    static const char *const transports[] = {"pro-window", "mprdma", "nic-sr", "sack"};
    enum
    {
        MESSAGES = 6,
        EACH = 5,
        PACKETS = MESSAGES * EACH
    };
    struct weft_rng rng;
    uint32_t order[PACKETS];
    bool arrived[PACKETS] = {false};
    uint32_t told = 0, placed_out_of_order = 0, epsn = 0;
    weft_rng_seed(&rng, 23, 0, (uint64_t)_i);
    host_rig_begin(transports[_i % 4], NULL);
    host_rig_add(NEAR_WRAP);
    struct weft_qp *qp = &host_rig.qp[0];
    for (uint32_t i = 0; i < PACKETS; i++)
    {
        const uint32_t at = weft_rng_below(&rng, i + 1);
        order[i] = order[at];
        order[at] = i;
        if (i % EACH == 0)
        {
            host_rig_post(0, EACH, 0);
        }
    }
    for (uint32_t i = 0; i < PACKETS; i++)
    {
        MUST(host_rig_send(0, (int64_t)i * RIG_SLOT) == 0);
    }
    for (uint32_t i = 0; i < PACKETS; i++)
    {
        struct weft_qp_answer answer;
        const uint32_t last = (order[i] + 1) % EACH == 0 ? WEFT_F_LAST : 0;
        const struct weft_packet data = host_rig_packet(0, weft_psn_add(NEAR_WRAP, order[i]), last);
        weft_qp_data(qp, &data, (int64_t)i, &answer);
        MUST(answer.verdict.fresh);
        placed_out_of_order += order[i] > epsn;
        arrived[order[i]] = true;
        while (epsn < PACKETS && arrived[epsn])
        {
            epsn++;
        }
        for (const struct weft_wqe *m; (m = weft_qp_next_delivered(qp, (int64_t)i)) != NULL; told++)
        {
            MUST(m->tag == told && m->end <= epsn);
        }
        MUST(told == epsn / EACH && qp->out_of_order == placed_out_of_order);
    }
    ck_assert_uint_eq(told, MESSAGES);
    for (uint32_t acked = 0, n = 1; n <= PACKETS; n++)
    {
        host_rig_reply(0, WEFT_ACK, weft_psn_add(NEAR_WRAP, n), 0, 0);
        for (const struct weft_wqe *m; (m = weft_qp_next_acked(qp)) != NULL; acked++)
        {
            MUST(m->tag == acked);
        }
        MUST(acked == n / EACH);
    }
    host_rig_end();
}
END_TEST

Suite *pro_losses_suite(void);

Suite *
pro_losses_suite(void)
{
    Suite *suite = suite_create("pro-losses");
    TCase *tc = tcase_create("pro-losses");
    tcase_add_loop_test(tc, reordering_within_the_window_costs_nothing, 0, 3);
    tcase_add_test(tc, losses_need_no_timer_while_packets_follow);
    tcase_add_test(tc, a_retransmission_lost_too_waits_for_the_timer);
    tcase_add_test(tc, a_lost_tail_costs_one_timeout);
    tcase_add_loop_test(tc, everything_arrives_once_over_a_terrible_link, 0, 20);
    tcase_add_loop_test(tc, messages_complete_in_the_order_posted, 0, 40);
    suite_add_tcase(suite, tc);
    return suite;
}
