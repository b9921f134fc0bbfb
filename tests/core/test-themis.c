/* SPDX-License-Identifier: MIT */
/*
 * A user would lose Themis: NACKs blocked or made against what the paper says. Worked examples,
 * packet by packet.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "refused.h"
#include "themis-rig.h"

static void
pass_all(struct bench *b, const uint32_t *psns, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        ck_assert_int_eq(pass(b, psns[i]), -1);
    }
}

#define PASS(b, ...)                                                                               \
    do                                                                                             \
    {                                                                                              \
        const uint32_t psns_[] = {__VA_ARGS__};                                                    \
        pass_all(b, psns_, sizeof psns_ / sizeof psns_[0]);                                        \
    } while (0)

/* Figure 2: with ePSN 0 and two paths, 2 proves the loss of 0 and 1 does not. */
START_TEST(figure_2_only_the_same_path_proves_a_loss)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 2);
    ck_assert(nack(&b, 0));
    ck_assert_uint_eq(b.n.valid, 1);
    close_bench(&b);
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 1);
    ck_assert(!nack(&b, 0));
    ck_assert_uint_eq(b.n.invalid, 1);
    close_bench(&b);
}
END_TEST

/* Figure 4b: 0, 1, 3, 2; the NACK of 2 is invalid by 3. Then 6: the NACK of 4 is valid. */
START_TEST(figure_4b_packet_by_packet)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 1, 3);
    ck_assert(!nack(&b, 2));
    PASS(&b, 2);
    ck_assert_uint_eq(b.n.cancelled, _i < 2 ? 1 : 0);
    PASS(&b, 6);
    ck_assert(nack(&b, 4));
    ck_assert_uint_eq(b.n.seen, 2);
    ck_assert_uint_eq(b.n.valid, 1);
    ck_assert_uint_eq(b.n.invalid, 1);
    ck_assert_uint_eq(b.n.compensated, 0);
    close_bench(&b);
}
END_TEST

/* Figure 4c: BePSN = 2, then 4 passes: the ToR sends a NACK of 2, once. */
START_TEST(figure_4c_packet_by_packet)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 1, 3);
    ck_assert(!nack(&b, 2));
    ck_assert_int_eq(pass(&b, 4), _i < 2 ? 2 : -1);
    ck_assert_int_eq(pass(&b, 6), -1);
    ck_assert_uint_eq(b.n.compensated, _i < 2 ? 1 : 0);
    close_bench(&b);
}
END_TEST

/* The NACK returns after 2 has left for the NIC: literally armed, it fires on 6 without a loss. */
START_TEST(a_packet_that_overtakes_its_nack)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 1, 3, 2);
    ck_assert(!nack(&b, 2));
    ck_assert_int_eq(pass(&b, 6), _i == 1 ? 2 : -1);
    ck_assert_uint_eq(b.n.scan_cancelled, _i == 0 ? 1 : 0);
    ck_assert_uint_eq(b.n.armed, _i == 1 ? 1 : 0);
    close_bench(&b);
}
END_TEST

/* 0 2 4 1 5: 5 triggers the NACK of 3, but the first newer PSN in the ring is 4. */
START_TEST(the_first_newer_psn_is_not_always_the_trigger)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 2);
    ck_assert(!nack(&b, 1));
    PASS(&b, 4, 1, 5);
    /* 5 is on the path of 3: the NACK is needed. It was 1 that moved the ePSN, so it is not 4. */
    ck_assert_int_eq(nack(&b, 3), _i == 0);
    ck_assert_uint_eq(b.n.valid, _i == 0 ? 1 : 0);
    ck_assert_int_eq(pass(&b, 7), _i == 1 ? 3 : -1);
    close_bench(&b);
}
END_TEST

/*
 * N = 2; data 2, data 3, then a NACK of 2: the NIC had 2 before 3 and does not have it. A loss on
 * the last hop, or a NIC that drops what is out of order. As printed, only 4 brings the NACK.
 */
START_TEST(what_passed_before_the_trigger_was_not_kept)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 2, 3);
    ck_assert_int_eq(nack(&b, 2), _i == 0);
    ck_assert_uint_eq(b.n.scan_passed, _i == 0 ? 1 : 0);
    ck_assert_int_eq(pass(&b, 4), _i == 1 ? 2 : -1);
    close_bench(&b);
}
END_TEST

/* 2 passes behind the trigger 3, is lost on the last hop, and the NIC stays silent. */
START_TEST(a_ring_of_silence_tells_a_loss_on_the_last_hop)
{
    struct bench b;
    for (int late = 0; late < 2; late++) /* 2 passes before or after the NACK is back */
    {
        open_bench(&b, 2, 5, "scan", "1");
        PASS(&b, 0, 1, 3);
        if (!late)
        {
            PASS(&b, 2);
        }
        ck_assert(!nack(&b, 2));
        if (late)
        {
            PASS(&b, 2);
        }
        PASS(&b, 4, 5, 6, 7);
        ck_assert_int_eq(pass(&b, 8), 2);
        PASS(&b, 9, 10, 11, 12, 13, 14, 15);
        ck_assert_uint_eq(b.n.silent, 1);
        ck_assert_uint_eq(b.n.compensated, 1);
        close_bench(&b);
    }
}
END_TEST

START_TEST(an_ack_ends_the_watch)
{
    struct bench b;
    open_bench(&b, 2, 5, "scan", "1");
    PASS(&b, 0, 1, 3, 2);
    ck_assert(!nack(&b, 2));
    PASS(&b, 4, 5, 6);
    ck_assert(!ack(&b, 4));
    PASS(&b, 7, 8, 9, 10, 11, 12);
    ck_assert_uint_eq(b.n.compensated, 0);
    close_bench(&b);
}
END_TEST

/* Go-back-N drops 3, asks for 2 and, if nothing follows, never for 3: the ACK of 2 tells. */
START_TEST(an_ack_that_tells_of_a_dropped_packet_becomes_a_nack)
{
    struct bench b;
    open_bench(&b, 2, 100, "scan", "1");
    PASS(&b, 0, 1, 3);
    ck_assert(!nack(&b, 2));
    PASS(&b, 2);
    ck_assert(ack(&b, 3));
    ck_assert_uint_eq(b.n.turned, 1);
    PASS(&b, 4);
    ck_assert(!nack(&b, 3)); /* asked for already */
    ck_assert_uint_eq(b.n.repeated, 1);
    PASS(&b, 3);
    ck_assert(ack(&b, 4)); /* 4 was dropped as well */
    ck_assert_uint_eq(b.n.turned, 2);
    close_bench(&b);
    open_bench(&b, 2, 100, "scan", "1");
    PASS(&b, 0, 1, 2, 4, 3);
    ck_assert(!ack(&b, 3)); /* the NIC has never complained: it keeps what it gets */
    close_bench(&b);
}
END_TEST

/* The trigger has fallen out of the ring; the missing packet stands before the first newer one. */
START_TEST(a_missing_packet_that_left_before_the_first_newer_one)
{
    struct bench b;
    open_bench(&b, 4, 3, compensations[_i], "1");
    PASS(&b, 9, 6, 7, 8);
    ck_assert_uint_eq(b.n.ring_full, 1);
    ck_assert(!nack(&b, 6));
    ck_assert_uint_eq(b.n.scan_cancelled, _i == 0 ? 1 : 0);
    ck_assert_uint_eq(b.n.armed, _i == 1 ? 1 : 0);
    close_bench(&b);
}
END_TEST

START_TEST(nothing_newer_in_the_ring_is_forwarded)
{
    struct bench b;
    open_bench(&b, 4, 100, compensations[_i], "1");
    ck_assert(nack(&b, 5));
    ck_assert_uint_eq(b.n.unknown, 1);
    close_bench(&b);
    open_bench(&b, 4, 100, compensations[_i], "1");
    PASS(&b, 3, 4, 5);
    ck_assert(nack(&b, 5));
    ck_assert_uint_eq(b.n.unknown, 1);
    close_bench(&b);
}
END_TEST

START_TEST(a_retransmission_cancels_and_a_second_block_overwrites)
{
    struct bench b;
    open_bench(&b, 4, 100, "literal", "1");
    PASS(&b, 0, 2);
    ck_assert(!nack(&b, 1));
    PASS(&b, 7);
    ck_assert(!nack(&b, 4));
    ck_assert_uint_eq(b.n.overwritten, 1);
    ck_assert_uint_eq(b.n.armed, 2);
    PASS(&b, 5, 4);
    ck_assert_uint_eq(b.n.cancelled, 1);
    PASS(&b, 8, 12, 16);
    close_bench(&b);
}
END_TEST

START_TEST(a_forwarded_nack_leaves_the_armed_one)
{
    struct bench b;
    open_bench(&b, 4, 100, "literal", "1");
    PASS(&b, 0, 2);
    ck_assert(!nack(&b, 1));
    PASS(&b, 7);
    ck_assert(nack(&b, 3));
    ck_assert_int_eq(pass(&b, 9), 1);
    close_bench(&b);
}
END_TEST

/* Paths follow PSN mod N; after 2^24 - 1 comes 0, wherever that lies when N is no power of two. */
START_TEST(paths_across_the_wrap_of_the_psn)
{
    const uint32_t last = WEFT_PSN_MASK; /* 2^24 - 1 = 0 mod 3, mod 5 and mod 15 */
    struct bench b;
    open_bench(&b, 15, 100, "scan", "1");
    PASS(&b, 15);
    ck_assert(nack(&b, last)); /* residues 0 and 0, though the distance is 16 */
    close_bench(&b);
    open_bench(&b, 15, 100, "scan", "1");
    PASS(&b, 14);
    ck_assert(!nack(&b, last)); /* residues 14 and 0, though the distance is 15 */
    ck_assert_int_eq(pass(&b, 15), last);
    close_bench(&b);
    open_bench(&b, 16, 100, "scan", "1");
    PASS(&b, 15);
    ck_assert(nack(&b, last));
    close_bench(&b);
}
END_TEST

static const char *
hop_refused(const void *config, struct weft_last_hop hop)
{
    static struct weft_refusal why;
    uint64_t memory[128];
    why = (struct weft_refusal){0};
    hop.why = &why;
    return refused(weft_lb_find("themis")->tor->qp_init(memory, config, &hop), &why);
}

START_TEST(only_distinguishable_sizes_are_accepted)
{
    int64_t config[32];
    uint64_t memory[128];
    const struct weft_tor_ops *ops = weft_lb_find("themis")->tor;
    struct weft_last_hop hop = last_hop(256, 50);
    configure(config, "ring-factor", "1");
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), 0);
    hop.npaths = 0;
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), WEFT_ERANGE);
    hop = last_hop(16, 127);
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), 0);
    hop = last_hop(16, 128); /* with one byte, the other half of the range is for reordering */
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(hop_refused(config, hop), "set entry-bytes=2"));
    configure(config, "entry-bytes", "2");
    hop = last_hop(16, 200);
    ck_assert_uint_le(ops->qp_size(config, &hop), sizeof memory);
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), 0);
    configure(config, "entry-bytes", "3");
    hop = last_hop(16, 70000);
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(hop_refused(config, hop), "ring-factor"));
}
END_TEST

/* With one byte, 300 leaves 1 too late to be recorded. Two copies of 1 come, and 301 between them.
 * It is the first that moves the NIC's ePSN, so the NIC has yet to deal with 301: the NACK of 2
 * that it triggers is another path's. */
START_TEST(of_two_copies_too_late_the_first_counts)
{
    struct bench b;
    open_bench(&b, 4, 100, "scan", "1");
    PASS(&b, 0);
    ck_assert(!ack(&b, 1));
    PASS(&b, 300, 1, 301, 1);
    ck_assert(!nack(&b, 1)); /* by 300 */
    ck_assert(!ack(&b, 2));  /* by the first 1 */
    ck_assert(!nack(&b, 2)); /* by 301 */
    ck_assert_uint_eq(b.n.armed, 1);
    ck_assert_uint_eq(b.n.unknown, 0);
    close_bench(&b);
}
END_TEST

/* Copies of 1 with 2 too late between them: the NIC has not had 2 when 1 moves the ePSN. */
START_TEST(of_two_copies_too_late_others_between_stay_unknown)
{
    struct bench b;
    open_bench(&b, 4, 100, "scan", "1");
    PASS(&b, 0);
    ck_assert(!ack(&b, 1));
    PASS(&b, 300, 1, 2, 301, 1);
    ck_assert(!nack(&b, 1)); /* by 300 */
    ck_assert(!ack(&b, 2));  /* by the first 1; the copy of 2 is on its way */
    ck_assert(!nack(&b, 2)); /* by a late duplicate of 300: 2 may come yet */
    ck_assert_uint_eq(b.n.unknown, 0);
    close_bench(&b);
}
END_TEST

/* A ring of four, though the last hop asks for 50: the fifth packet without a reply pushes the
 * first one out, and is counted. */
START_TEST(a_ring_can_be_given_its_size)
{
    int64_t config[32];
    uint64_t memory[128];
    struct weft_tor_counters counters = {0};
    uint32_t epsn;
    const struct weft_tor_ops *ops = weft_lb_find("themis")->tor;
    const struct weft_last_hop hop = last_hop(16, 50);
    configure(config, "ring", "4");
    ck_assert_uint_lt(ops->qp_size(config, &hop), sizeof memory);
    ck_assert_int_eq(ops->qp_init(memory, config, &hop), 0);
    for (uint32_t psn = 0; psn < 6; psn++)
    {
        const struct weft_packet data = {.kind = WEFT_DATA, .psn = psn & WEFT_PSN_MASK};
        (void)ops->to_host(memory, &data, false, &counters, &epsn);
        ck_assert_uint_eq(counters.ring_full, psn < 4 ? 0 : psn - 3);
    }
    configure(config, "ring", "0"); /* as the last hop asks for */
    const size_t computed = ops->qp_size(config, &hop);
    configure(config, "ring", "75"); /* 50 times F = 1.5 */
    ck_assert_uint_eq(ops->qp_size(config, &hop), computed);
    configure(config, "ring", "128");
    ck_assert_ptr_nonnull(strstr(hop_refused(config, hop), "at most 127"));
    const struct weft_algo *algo = &weft_lb_find("themis")->algo;
    ck_assert_int_eq(weft_config_set_int(algo, config, "ring", 65536), WEFT_ERANGE);
}
END_TEST

/* 1.001 times 1000 packets are 1001, though 1.001 * 1000 is a little less in floating point. */
START_TEST(a_ring_has_as_many_entries_as_its_factor_says)
{
    int64_t config[32];
    const struct weft_lb_ops *lb = weft_lb_find("themis");
    const struct weft_last_hop hop = last_hop(16, 1000);
    struct bench b = {.ops = lb->tor};
    configure(config, "ring-factor", "1.001");
    ck_assert_int_eq(weft_config_set(&lb->algo, config, "entry-bytes", "2"), 0);
    b.qp = malloc(b.ops->qp_size(config, &hop));
    ck_assert_int_eq(b.ops->qp_init(b.qp, config, &hop), 0);
    for (uint32_t psn = 0; psn < 1001; psn++)
    {
        pass(&b, psn);
    }
    ck_assert_uint_eq(b.n.ring_full, 0);
    pass(&b, 1001);
    ck_assert_uint_eq(b.n.ring_full, 1);
    close_bench(&b);
}
END_TEST

/* The paper's example: 100 entries of one byte, next to a small state. */
START_TEST(memory_per_qp_is_small)
{
    int64_t config[32];
    const struct weft_last_hop hop = {64, INT64_C(400000000000), 2000000, 1500,
                                      .provides = WEFT_NEEDS_ALL};
    configure(config, NULL, NULL);
    ck_assert_uint_ge(weft_lb_find("themis")->tor->qp_size(config, &hop), 100);
    ck_assert_uint_le(weft_lb_find("themis")->tor->qp_size(config, &hop), 100 + 64);
}
END_TEST

/* Whether the ToR owes a NACK of @p epsn, and owes it once. */
static void
must_owe(struct bench *b, bool owes, uint32_t epsn)
{
    uint32_t owed = UINT32_MAX;
    ck_assert(b->ops->release(b->qp, &b->n, &owed) == owes);
    ck_assert_uint_eq(owed, owes ? epsn : UINT32_MAX);
    ck_assert(!b->ops->release(b->qp, &b->n, &owed));
    ck_assert_uint_eq(b->n.released, owes);
    close_bench(b);
}

/* The NIC complains once: what is blocked when the middleware is turned off would need a timeout.
 */
START_TEST(a_blocked_nack_is_owed_when_the_middleware_is_turned_off)
{
    struct bench b;
    open_bench(&b, 2, 100, compensations[_i], "1");
    must_owe(&b, false, 0);
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 1, 3);
    ck_assert(!nack(&b, 2));
    must_owe(&b, _i < 2, 2); /* armed */
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 1, 3);
    ck_assert(!nack(&b, 2));
    PASS(&b, 2);
    must_owe(&b, _i == 0, 2); /* passed: literal forgets it */
    open_bench(&b, 2, 100, compensations[_i], "1");
    PASS(&b, 0, 1, 3);
    ck_assert(!nack(&b, 2));
    ck_assert_int_eq(pass(&b, 4), _i < 2 ? 2 : -1);
    must_owe(&b, false, 0); /* asked for */
}
END_TEST

Suite *
themis_suite(void)
{
    Suite *suite = suite_create("themis");
    TCase *tcase = tcase_create("themis");
    tcase_add_loop_test(tcase, figure_2_only_the_same_path_proves_a_loss, 0, 3);
    tcase_add_loop_test(tcase, figure_4b_packet_by_packet, 0, 3);
    tcase_add_loop_test(tcase, figure_4c_packet_by_packet, 0, 3);
    tcase_add_loop_test(tcase, a_packet_that_overtakes_its_nack, 0, 3);
    tcase_add_loop_test(tcase, the_first_newer_psn_is_not_always_the_trigger, 0, 3);
    tcase_add_loop_test(tcase, what_passed_before_the_trigger_was_not_kept, 0, 3);
    tcase_add_test(tcase, a_ring_of_silence_tells_a_loss_on_the_last_hop);
    tcase_add_test(tcase, an_ack_ends_the_watch);
    tcase_add_test(tcase, an_ack_that_tells_of_a_dropped_packet_becomes_a_nack);
    tcase_add_loop_test(tcase, a_missing_packet_that_left_before_the_first_newer_one, 0, 3);
    tcase_add_loop_test(tcase, nothing_newer_in_the_ring_is_forwarded, 0, 3);
    tcase_add_test(tcase, a_retransmission_cancels_and_a_second_block_overwrites);
    tcase_add_test(tcase, a_forwarded_nack_leaves_the_armed_one);
    tcase_add_loop_test(tcase, a_blocked_nack_is_owed_when_the_middleware_is_turned_off, 0, 3);
    tcase_add_test(tcase, paths_across_the_wrap_of_the_psn);
    tcase_add_test(tcase, only_distinguishable_sizes_are_accepted);
    tcase_add_test(tcase, of_two_copies_too_late_the_first_counts);
    tcase_add_test(tcase, of_two_copies_too_late_others_between_stay_unknown);
    tcase_add_test(tcase, a_ring_can_be_given_its_size);
    tcase_add_test(tcase, a_ring_has_as_many_entries_as_its_factor_says);
    tcase_add_test(tcase, memory_per_qp_is_small);
    suite_add_tcase(suite, tcase);
    return suite;
}
