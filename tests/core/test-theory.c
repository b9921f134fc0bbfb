/* SPDX-License-Identifier: MIT */
/*
 * Closed forms. If these fail, slowdowns are measured against a wrong ideal, and Themis' memory is
 * not the paper's.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weft/param.h>
#include <weft/rng.h>
#include <weft/theory.h>

#include "base/muldiv.h"

Suite *theory_suite(void);

#define MS INT64_C(1000000000)
#define US INT64_C(1000000)

/* themis §5: 400 Gb/s, 1 us, four links between racks. */
static const struct weft_wire themis = {1452, 48, 20, 64, INT64_C(400000000000), US, 4};

/* ofan Appendix B: 800 Gb/s, 0.5 us, six links. */
static const struct weft_wire ofan = {4096, 62, 20, 64, INT64_C(800000000000), US / 2, 6};

START_TEST(permutation_bound_is_the_printed_number)
{
    ck_assert_int_eq(weft_permutation_bound(&ofan, 256), 17056940);
}
END_TEST

START_TEST(themis_collectives_have_their_lower_bounds)
{
    int64_t allreduce = weft_allreduce_ring_bound(&themis, 16, 300000000);
    int64_t alltoall = weft_alltoall_bound(&themis, 16, 300000000);
    ck_assert_int_eq((allreduce + MS / 2000) / (MS / 1000), 11900); /* 11.900 ms */
    ck_assert_int_eq((alltoall + MS / 2000) / (MS / 1000), 5892);   /* 5.892 ms */
    ck_assert_int_eq(allreduce, 30 * weft_message_fifo(&themis, 18750000));
}
END_TEST

START_TEST(nothing_to_send_takes_no_time)
{
    ck_assert_int_eq(weft_message_bound(&themis, 0), 0);
    ck_assert_int_eq(weft_message_fifo(&themis, 0), 0);
    ck_assert_int_eq(weft_allreduce_ring_bound(&themis, 1, 1000), 0);
    ck_assert_int_eq(weft_alltoall_bound(&themis, 1, 1000), 0);
    ck_assert_int_eq(weft_alltoall_bound(&themis, 0, 1000), 0);
    ck_assert_int_eq(weft_permutation_bound(&ofan, 0), 0);
    ck_assert_uint_eq(weft_packets(0, 1452), 0);
}
END_TEST

START_TEST(wire_times_are_exact_and_rounded_up)
{
    ck_assert_int_eq(weft_wire_time(4158, INT64_C(800000000000)), 41580);
    ck_assert_int_eq(weft_wire_time(1, INT64_C(100000000000)), 80);
    ck_assert_int_eq(weft_wire_time(1, 3), INT64_C(2666666666667));
    ck_assert_int_eq(weft_wire_time(0, 1), 0);
    ck_assert_int_eq(weft_wire_time(INT64_MAX, 1), WEFT_NEVER);
    ck_assert_int_eq(weft_wire_time(INT64_MAX, INT64_MAX), INT64_C(8000000000000));
    ck_assert_int_eq(weft_one_way(&themis), 4 * (30000 + US));
    ck_assert_uint_eq(weft_packets(1452, 1452), 1);
    ck_assert_uint_eq(weft_packets(1453, 1452), 2);
    ck_assert_uint_eq(weft_packets(UINT64_MAX, 1), UINT64_MAX);
}
END_TEST

START_TEST(absurd_sizes_give_never_not_nonsense)
{
    ck_assert_int_eq(weft_message_bound(&themis, UINT64_MAX), WEFT_NEVER);
    ck_assert_int_eq(weft_message_fifo(&themis, UINT64_MAX), WEFT_NEVER);
    ck_assert_int_eq(weft_allreduce_ring_bound(&themis, UINT32_MAX, UINT64_MAX), WEFT_NEVER);
    ck_assert_int_eq(weft_alltoall_bound(&themis, UINT32_MAX, UINT64_MAX), WEFT_NEVER);
    ck_assert_int_eq(weft_permutation_bound(&ofan, UINT64_MAX), WEFT_NEVER);
}
END_TEST

/* A path of FIFO links, store-and-forward: free[] is when each next link may start a frame. */
struct path
{
    const struct weft_wire *w;
    int64_t free[16];
};

/* Sends a frame that is complete at the sender at @p now; returns when it has arrived. */
static int64_t
forward(struct path *p, int64_t bytes, int64_t now)
{
    for (uint32_t i = 0; i < p->w->links; i++)
    {
        int64_t begin = now > p->free[i] ? now : p->free[i];
        p->free[i] = begin + weft_wire_time(bytes + p->w->gap, p->w->rate);
        now = begin + weft_wire_time(bytes, p->w->rate) + p->w->delay;
    }
    return now;
}

/* When a message is delivered on one path or, spread, with its own later links for each frame. */
static int64_t
deliver(const struct weft_wire *w, uint64_t bytes, bool spread)
{
    struct path path = {w, {0}};
    int64_t end = 0;
    for (uint64_t sent = 0; sent < bytes; sent += (uint64_t)w->payload)
    {
        uint64_t left = bytes - sent;
        int64_t payload = left < (uint64_t)w->payload ? (int64_t)left : w->payload;
        if (spread)
        {
            memset(path.free + 1, 0, sizeof path.free - sizeof path.free[0]);
        }
        int64_t at = forward(&path, payload + w->header, 0);
        end = at > end ? at : end;
    }
    return end;
}

/* Spraying would beat its ideal, with slowdowns below 1, if a short frame could not overtake. */
START_TEST(message_bound_equals_forwarding_frame_by_frame)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 2, 3);
    for (int i = 0; i < 300; i++)
    {
        struct weft_wire w = themis;
        w.links = 1 + weft_rng_below(&rng, 6);
        w.payload = 1 + weft_rng_below(&rng, 3000);
        w.delay = weft_rng_below(&rng, 100000);
        uint64_t bytes = 1 + weft_rng_below(&rng, 60000);
        int64_t bound = weft_message_bound(&w, bytes);
        int64_t slot = weft_wire_time(w.payload + w.header + w.gap, w.rate);
        ck_assert_int_eq(bound, deliver(&w, bytes, true));
        ck_assert_int_eq(weft_message_fifo(&w, bytes), deliver(&w, bytes, false));
        ck_assert_int_ge(deliver(&w, bytes, false), bound);
        ck_assert_int_le(deliver(&w, bytes, false) - bound, slot);
        bytes = (uint64_t)w.payload * (1 + weft_rng_below(&rng, 20)); /* full frames only */
        ck_assert_int_eq(weft_message_bound(&w, bytes), deliver(&w, bytes, false));
    }
}
END_TEST

/* 1453 B over four links: the full frame, and not the short one behind it, arrives last. */
START_TEST(a_short_last_frame_may_overtake)
{
    ck_assert_int_eq(weft_message_bound(&themis, 1453), weft_one_way(&themis));
    ck_assert_int_eq(weft_message_bound(&themis, 1453), weft_alltoall_bound(&themis, 2, 2906));
}
END_TEST

/* Sends each part of an all-to-all, last peer's last frame through an idle fabric. */
START_TEST(alltoall_bound_is_reached_where_nothing_collides)
{
    for (uint64_t bytes = 1; bytes < 100000; bytes += 997)
    {
        uint64_t part = (bytes + 7) / 8;
        struct path path = {&themis, {0}};
        int64_t last = 0;
        for (int peer = 0; peer < 7; peer++)
        {
            memset(path.free + 1, 0, sizeof path.free - sizeof path.free[0]); /* other links */
            for (uint64_t sent = 0; sent < part; sent += 1452)
            {
                int64_t payload = part - sent < 1452 ? (int64_t)(part - sent) : 1452;
                last = forward(&path, payload + themis.header, 0);
            }
        }
        int64_t bound = weft_alltoall_bound(&themis, 8, bytes);
        ck_assert_int_le(bound, last);
        ck_assert_int_le(last - bound, 3 * 30000); /* a full frame ahead at each later link */
    }
}
END_TEST

/*
 * Two hosts exchange m packets both ways; by symmetry each receives when the other does. The NIC
 * alternates between data and ACKs. Returns when the last ACK has arrived.
 */
static int64_t
exchange(const struct weft_wire *w, uint32_t m)
{
    struct path path = {w, {0}};
    int64_t *arrives = (int64_t *)calloc(m, sizeof *arrives);
    uint32_t sent = 0;
    uint32_t acked = 0;
    int64_t last = 0;
    bool data_next = true;
    ck_assert_ptr_nonnull(arrives);
    while (acked < m)
    {
        bool ack_ready = acked < sent && arrives[acked] <= path.free[0];
        if (sent < m && (data_next || !ack_ready))
        {
            arrives[sent++] = forward(&path, w->payload + w->header, path.free[0]);
            data_next = false;
        }
        else
        {
            int64_t due = arrives[acked++];
            last = forward(&path, w->ack, due > path.free[0] ? due : path.free[0]);
            data_next = true;
        }
    }
    free(arrives);
    return last;
}

/*
 * The printed form counts one gap too many once ACKs and data alternate (m >= i1 = 78): the ACK of
 * packet i starts T_a + T_g before ACK i2 arrives, not T_a. The exchange ends those 200 ps earlier.
 */
START_TEST(permutation_bound_is_reached_but_for_one_gap)
{
    for (uint32_t m = 1; m < 1000; m++)
    {
        int64_t slack = m < 78 ? 0 : weft_wire_time(ofan.gap, ofan.rate);
        ck_assert_int_eq(weft_permutation_bound(&ofan, m), exchange(&ofan, m) + slack);
    }
    ck_assert_int_eq(weft_permutation_bound(&ofan, 1), 2 * 6 * US / 2 + 6 * (41580 + 640));
}
END_TEST

/* themis Table 1 and §4. */
START_TEST(themis_memory_is_the_papers_example)
{
    struct weft_themis_memory m = {256, INT64_C(400000000000), 2 * US, 16, 100, 1500, 1500, 1};
    ck_assert_uint_eq(weft_themis_ring_entries(m.rate, m.rtt, m.factor_milli, m.mtu), 100);
    ck_assert_uint_eq(weft_themis_memory_bytes(&m), 192512);
    m.entry_bytes = 2;
    ck_assert_uint_eq(weft_themis_memory_bytes(&m), 192512 + 100 * 1600);
}
END_TEST

START_TEST(ring_entries_are_rounded_up_from_the_exact_quotient)
{
    const int64_t rate = INT64_C(400000000000);
    ck_assert_uint_eq(weft_themis_ring_entries(rate, 2 * US + 1, 1500, 1500), 101);
    ck_assert_uint_eq(weft_themis_ring_entries(rate, 2 * US, 1501, 1500), 101);
    ck_assert_uint_eq(weft_themis_ring_entries(rate, 2 * US, 1500, 1499), 101);
    ck_assert_uint_eq(weft_themis_ring_entries(rate, 2 * US, 1500, 1501), 100);
    ck_assert_uint_eq(weft_themis_ring_entries(1, 1, 1, 1), 1);
    ck_assert_uint_eq(weft_themis_ring_entries(rate, 0, 1500, 1500), 0);
    ck_assert_uint_eq(weft_themis_ring_entries(INT64_MAX, INT64_MAX, UINT32_MAX, 1), 0);
    ck_assert_uint_eq(weft_themis_ring_entries(rate, 2 * US, 1500, 0), 0);
}
END_TEST

/* A gigabyte in frames of 4,157 B at 3.2 Tb/s was 48 us too long in 1 s when each was rounded up.
 */
START_TEST(frames_in_a_row_are_rounded_up_once)
{
    const int64_t rates[] = {INT64_C(3200000000000), INT64_C(333000000000), 123456789,
                             INT64_C(999999999989), 3};
    struct weft_rng rng;
    weft_rng_seed(&rng, 5, 5, 5);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
    {
        int64_t carry = 0;
        int64_t sum = 0;
        int64_t bytes = 0;
        bool right = true;
        for (int frames = 0; frames < 240000 && sum < WEFT_NEVER / 2; frames++)
        {
            int64_t frame = frames % 2 == 0 ? 4157 : weft_rng_below(&rng, 3);
            int64_t ps = weft_wire_carry(frame, rates[i], &carry);
            int64_t alone = weft_wire_time(frame, rates[i]);
            bytes += frame;
            sum += ps;
            right = right && sum == weft_wire_time(bytes, rates[i]);
            right = right && carry >= 0 && carry < rates[i] && (ps == alone || ps == alone - 1);
        }
        ck_assert(right);
        ck_assert_int_gt(sum, INT64_C(240000) / 2 * 4157);
    }
    int64_t carry = 0;
    ck_assert_int_eq(weft_wire_carry(INT64_MAX, 1, &carry), WEFT_NEVER);
}
END_TEST

/* q * d + r = a * b, modulo 2^64 and in magnitude. */
START_TEST(long_division_is_exact)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 4, 4, 4);
    for (int i = 0; i < 20000; i++)
    {
        uint64_t a = ((uint64_t)weft_rng_u32(&rng) << 32 | 1) >> weft_rng_below(&rng, 64);
        uint64_t b = ((uint64_t)weft_rng_u32(&rng) << 31) >> weft_rng_below(&rng, 63);
        uint64_t d = 1 + (((uint64_t)weft_rng_u32(&rng) << 31) >> weft_rng_below(&rng, 63));
        uint64_t rest = 0;
        uint64_t q = weft_muldiv(a, b, d, &rest);
        uint64_t rest_by_bits = 0;
        ck_assert_uint_eq(q, weft_muldiv_by_bits(a, b, d, &rest_by_bits));
        ck_assert_uint_eq(rest, rest_by_bits);
        double exact = (double)a * (double)b / (double)d;
        if (q == UINT64_MAX)
        {
            ck_assert_double_ge(exact, 1.8e19);
            continue;
        }
        ck_assert_uint_lt(rest, d);
        ck_assert_uint_eq(q * d + rest, a * b);
        ck_assert((double)q <= exact * (1 + 1e-9));
        ck_assert((double)q + 1 >= exact * (1 - 1e-9));
    }
}
END_TEST

Suite *
theory_suite(void)
{
    Suite *suite = suite_create("theory");
    TCase *tc = tcase_create("theory");
    tcase_add_test(tc, permutation_bound_is_the_printed_number);
    tcase_add_test(tc, themis_collectives_have_their_lower_bounds);
    tcase_add_test(tc, nothing_to_send_takes_no_time);
    tcase_add_test(tc, wire_times_are_exact_and_rounded_up);
    tcase_add_test(tc, frames_in_a_row_are_rounded_up_once);
    tcase_add_test(tc, absurd_sizes_give_never_not_nonsense);
    tcase_add_test(tc, message_bound_equals_forwarding_frame_by_frame);
    tcase_add_test(tc, a_short_last_frame_may_overtake);
    tcase_add_test(tc, alltoall_bound_is_reached_where_nothing_collides);
    tcase_add_test(tc, permutation_bound_is_reached_but_for_one_gap);
    tcase_add_test(tc, themis_memory_is_the_papers_example);
    tcase_add_test(tc, ring_entries_are_rounded_up_from_the_exact_quotient);
    tcase_add_test(tc, long_division_is_exact);
    suite_add_tcase(suite, tc);
    return suite;
}
