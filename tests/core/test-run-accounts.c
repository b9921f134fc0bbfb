/* SPDX-License-Identifier: MIT */
/* A writer of a transport, or of a part of a fabric, would publish a completion time of messages
 * that were never delivered. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "run-stage.h"

static struct weft_transport_ops lying;
static struct graph g;

/* Says of packets beyond the ePSN that all have arrived. */
static uint64_t
all_of_them(const void *rx, uint32_t place)
{
    (void)rx;
    (void)place;
    return UINT64_MAX;
}

static void
begin_lying(uint32_t messages)
{
    stage_describe(FOUR_PATHS, "ecmp");
    lying = *(const struct weft_transport_ops *)stage_choose("transport", "trim",
                                                             &stage.level[0].transport_config);
    lying.rx_bitmap = all_of_them;
    stage.level[0].transport = &lying;
    stage.net.frame.ack_every = 4;
    stage_begin();
    for (uint32_t i = 0; i < messages; i++)
    {
        graph_add(&g, i % 4, (i + 2) % 4, 200000);
        ck_assert_int_eq(weft_run_drop(stage.run, i, 20, 1, false), 0);
    }
    graph_start(&g);
    weft_run_until(stage.run, 10000 * US);
}

START_TEST(messages_that_are_acknowledged_and_not_there_are_named)
{
    char why[900];
    begin_lying(1);
    ck_assert(!weft_run_conserves(stage.run, why, sizeof why));
    ck_assert_str_eq(why, "1 message is acknowledged and not delivered: message 0 of QP 0 (host 0 "
                          "to host 2). ");
    const struct weft_collective_state state = graph_state(&g);
    ck_assert_uint_eq(state.acked, 1);
    ck_assert(!state.done);
    stage_end();
}
END_TEST

START_TEST(of_many_messages_the_first_are_named_as_far_as_there_is_room)
{
    char why[900], little[20];
    begin_lying(12);
    ck_assert(!weft_run_conserves(stage.run, why, sizeof why));
    ck_assert(strstr(why, "12 messages are acknowledged and not delivered: message 0 of QP 0 ") ==
              why);
    ck_assert_ptr_nonnull(strstr(why, ", message 7 of QP 7 (host 3 to host 1) and others. "));
    ck_assert_ptr_null(strstr(why, "message 8 of"));
    memset(little, 'x', sizeof little);
    ck_assert(!weft_run_conserves(stage.run, little, 10));
    ck_assert_str_eq(little, "12 messag");
    ck_assert_int_eq(little[10], 'x');
    ck_assert(!weft_run_conserves(stage.run, NULL, 0));
    stage_end();
}
END_TEST

static struct weft_net_counters *
counters(void)
{
    return (struct weft_net_counters *)(uintptr_t)weft_net_node_counters(weft_run_net(stage.run),
                                                                         0);
}

static void
check_why(const char *text)
{
    char why[900] = "";
    ck_assert(weft_run_conserves(stage.run, why, sizeof why) == (text[0] == '\0'));
    ck_assert_str_eq(why, text);
}

START_TEST(a_frame_that_began_has_ended_or_is_in_the_fabric)
{
    char want[200];
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    graph_add(&g, 0, 2, 1000000);
    graph_start(&g);
    weft_run_until(stage.run, 10 * US);
    struct weft_net_counters *c = counters();
    ck_assert_uint_gt(weft_net_inside(weft_run_net(stage.run)), 0);
    c->sent_bytes++; /* some are in the fabric: nobody can tell */
    check_why("");
    c->sent_bytes--;
    stage_run();
    struct weft_net_counters total;
    weft_net_total(weft_run_net(stage.run), &total);
    const unsigned long long frames = total.sent, bytes = total.sent_bytes;
    c->sent++;
    snprintf(want, sizeof want, "%llu frames began, but %llu ended and 0 are in the fabric. ",
             frames + 1, frames);
    check_why(want);
    c->lost[WEFT_NET_ENDED]++;
    check_why("");
    c->made_by_tors_bytes++;
    snprintf(want, sizeof want, "%llu bytes began, but %llu ended and no frame is left. ",
             bytes + 1, bytes);
    check_why(want);
    c->trimmed_bytes++;
    check_why("");
    c->lost_bytes++;
    snprintf(want, sizeof want, "%llu bytes began, but %llu ended and no frame is left. ",
             bytes + 1, bytes + 2);
    check_why(want);
    stage_end();
}
END_TEST

START_TEST(a_buffer_accounts_for_what_its_queues_hold)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    graph_add(&g, 0, 2, 1000000);
    graph_add(&g, 1, 2, 1000000);
    graph_start(&g);
    weft_run_until(stage.run, 30 * US);
    struct weft_mmu *mmu =
        (struct weft_mmu *)(uintptr_t)weft_net_buffer(weft_run_net(stage.run), 1);
    ck_assert_int_gt(mmu->shared_used, 0); /* two senders, one receiver */
    check_why("");
    stage_run();
    mmu->shared_used += 5;
    check_why("switch 1 is empty and accounts for 5 bytes, its queues for 0, its ingress ports for "
              "0. ");
    mmu->headroom_used -= 5;
    check_why("");
    weft_mmu_queues(mmu)[1] += 7;
    check_why("switch 1 is empty and accounts for 0 bytes, its queues for 7, its ingress ports for "
              "0. ");
    weft_mmu_queues(mmu)[1] -= 7;
    for (uint32_t k = 0; k < mmu->config.classes; k++) /* each counts once, at its own port */
    {
        weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 2, k)].bytes += 9;
        check_why("switch 1 is empty and accounts for 0 bytes, its queues for 0, its ingress ports "
                  "for 9. ");
        weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 2, k)].bytes -= 9;
    }
    stage_end();
}
END_TEST

START_TEST(a_port_accounts_for_what_its_classes_hold)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage.net.buffer.classes = 4;
    stage_begin();
    graph_add(&g, 0, 2, 1000000);
    graph_add(&g, 1, 2, 1000000);
    graph_start(&g);
    weft_run_until(stage.run, 30 * US);
    struct weft_mmu *mmu =
        (struct weft_mmu *)(uintptr_t)weft_net_buffer(weft_run_net(stage.run), 1);
    ck_assert_int_gt(mmu->shared_used, 0);
    check_why("");
    stage_run();
    weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, 2, 3)] += 9;
    check_why("switch 1 accounts for 0 bytes at port 2, its classes for 9. ");
    weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, 2, 3)] -= 9;
    weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 2, 1)].headroom += 9;
    check_why("switch 1 is empty and accounts for 0 bytes, its queues for 0, its ingress ports for "
              "9. ");
    stage_end();
}
END_TEST

static void
clear(void)
{
    memset(&g, 0, sizeof g);
}

Suite *run_accounts_suite(void);

Suite *
run_accounts_suite(void)
{
    Suite *suite = suite_create("run-accounts");
    TCase *tcase = tcase_create("run-accounts");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clear, NULL);
    tcase_add_test(tcase, messages_that_are_acknowledged_and_not_there_are_named);
    tcase_add_test(tcase, of_many_messages_the_first_are_named_as_far_as_there_is_room);
    tcase_add_test(tcase, a_frame_that_began_has_ended_or_is_in_the_fabric);
    tcase_add_test(tcase, a_port_accounts_for_what_its_classes_hold);
    tcase_add_test(tcase, a_buffer_accounts_for_what_its_queues_hold);
    suite_add_tcase(suite, tcase);
    return suite;
}
