/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds with ACKs and with paced senders. If these fail, a run comes out faster than the
 * possible, or is called slow by comparison with what no run can reach.
 */
#include <check.h>
#include <stdbool.h>
#include <string.h>

#include <weft/param.h>
#include <weft/rng.h>
#include <weft/theory.h>

#include "must.h"

Suite *theory_bounds_suite(void);

#define US INT64_C(1000000)

/* ofan §5: 800 Gb/s, 0.5 us, six links. */
static const struct weft_wire ofan = {4096, 62, 20, 64, INT64_C(800000000000), US / 2, 6};

/*
 * 128 hosts, 1 MiB to each other: 127 x 256 packets of 41.78 ns and ACKs of 0.84 ns are 1.3856 ms;
 * the first packet takes 5 x 541.58 ns to the last link, which adds 500 ns; the last gap does not
 * count.
 */
START_TEST(alltoall_of_the_papers_size)
{
    int64_t bound = weft_alltoall_acked_bound(&ofan, 128, 1 << 20, ofan.rate);
    ck_assert_int_eq(bound, INT64_C(127) * 256 * (41780 + 840) + 5 * 541580 + 500000 - 200);
    ck_assert_int_eq(bound / US, 1388);
    /* without ACKs: less by their 27.3 us, but for the way of the last frame */
    ck_assert_int_lt(weft_alltoall_bound(&ofan, 128, 128 << 20), bound - 27 * US);
}
END_TEST

START_TEST(one_packet_each_is_a_round_trip)
{
    int64_t back = 6 * (640 + US / 2);
    ck_assert_int_eq(weft_alltoall_acked_bound(&ofan, 2, 4096, ofan.rate),
                     weft_one_way(&ofan) + back);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 1, ofan.rate / 2),
                     weft_one_way(&ofan) + back);
}
END_TEST

START_TEST(nothing_takes_no_time_and_the_absurd_never_ends)
{
    ck_assert_int_eq(weft_alltoall_acked_bound(&ofan, 1, 4096, ofan.rate), 0);
    ck_assert_int_eq(weft_alltoall_acked_bound(&ofan, 8, 0, ofan.rate), 0);
    ck_assert_int_eq(weft_alltoall_acked_bound(&ofan, 8, 1, 0), WEFT_NEVER);
    ck_assert_int_eq(weft_alltoall_acked_bound(&ofan, UINT32_MAX, UINT64_MAX, 1), WEFT_NEVER);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 0, 1), 0);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 1, 0), WEFT_NEVER);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, UINT64_MAX, 1), WEFT_NEVER);
}
END_TEST

#define MAX_HOSTS  4U
#define MAX_FRAMES 200U

/* A frame on its way to its last link, in which it queues. */
struct frame
{
    int64_t at;
    int64_t bytes;
    uint32_t src, dst;
    bool ack;
};

/*
 * n hosts on a fabric that never collides before the last link. Each host sends its data, a part of
 * a message at a time, and its ACKs in a random order, sometimes idle for a while.
 */
struct rig
{
    struct weft_wire w;
    struct weft_rng rng;
    uint32_t n;
    uint32_t data_per_cent; /* how often data goes before a waiting ACK */
    uint32_t idle_per_cent;
    int64_t pace;
    uint64_t bytes;
    uint64_t left[MAX_HOSTS][MAX_HOSTS];
    int64_t acks[MAX_HOSTS][MAX_FRAMES]; /* when the ACK that this host owes can go; to whom */
    uint32_t ack_to[MAX_HOSTS][MAX_FRAMES];
    uint32_t nacks[MAX_HOSTS];
    int64_t turn[MAX_HOSTS]; /* when the host decides what to send next */
    int64_t data_due[MAX_HOSTS];
    int64_t down[MAX_HOSTS]; /* when the last link to the host is free */
    struct frame way[MAX_FRAMES];
    uint32_t nway;
    int64_t last_ack;
};

static void
send(struct rig *g, uint32_t src, uint32_t dst, int64_t bytes, bool ack)
{
    int64_t wire = weft_wire_time(bytes, g->w.rate);
    int64_t now = g->turn[src];
    struct frame f = {now + (g->w.links - 1) * (wire + g->w.delay), bytes, src, dst, ack};
    MUST(g->nway < MAX_FRAMES);
    g->way[g->nway++] = f;
    g->turn[src] = now + weft_wire_time(bytes + g->w.gap, g->w.rate);
    if (!ack)
    {
        g->data_due[src] = now + weft_wire_time(bytes + g->w.gap, g->pace);
    }
}

static bool
send_data(struct rig *g, uint32_t src)
{
    uint32_t first = weft_rng_below(&g->rng, g->n);
    for (uint32_t i = 0; g->data_due[src] <= g->turn[src] && i < g->n; i++)
    {
        uint64_t *left = &g->left[src][(first + i) % g->n];
        uint64_t part = *left < (uint64_t)g->w.payload ? *left : (uint64_t)g->w.payload;
        if (part > 0)
        {
            *left -= part;
            send(g, src, (first + i) % g->n, (int64_t)part + g->w.header, false);
            return true;
        }
    }
    return false;
}

static bool
send_ack(struct rig *g, uint32_t src)
{
    for (uint32_t i = 0; i < g->nacks[src]; i++)
    {
        if (g->acks[src][i] <= g->turn[src])
        {
            uint32_t last = --g->nacks[src];
            uint32_t to = g->ack_to[src][i];
            g->acks[src][i] = g->acks[src][last];
            g->ack_to[src][i] = g->ack_to[src][last];
            send(g, src, to, g->w.ack, true);
            return true;
        }
    }
    return false;
}

/* Nothing can be sent now: the host looks again when something can, or when a frame has come. */
static void
wait(struct rig *g, uint32_t src)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t to = 0; to < g->n; to++)
    {
        next = g->left[src][to] > 0 && g->data_due[src] < next ? g->data_due[src] : next;
    }
    for (uint32_t i = 0; i < g->nacks[src]; i++)
    {
        next = g->acks[src][i] < next ? g->acks[src][i] : next;
    }
    g->turn[src] = next;
}

static void
decide(struct rig *g, uint32_t src)
{
    bool data_first = weft_rng_below(&g->rng, 100) < g->data_per_cent;
    if (weft_rng_below(&g->rng, 100) < g->idle_per_cent)
    {
        g->turn[src] += weft_rng_below(&g->rng, 100000);
    }
    else if (data_first ? send_data(g, src) || send_ack(g, src)
                        : send_ack(g, src) || send_data(g, src))
    {
        return;
    }
    else
    {
        wait(g, src);
    }
}

/* A frame reaches its last link. */
static void
land(struct rig *g, uint32_t i)
{
    struct frame f = g->way[i];
    g->way[i] = g->way[--g->nway];
    int64_t begin = f.at > g->down[f.dst] ? f.at : g->down[f.dst];
    int64_t end = begin + weft_wire_time(f.bytes, g->w.rate) + g->w.delay;
    g->down[f.dst] = begin + weft_wire_time(f.bytes + g->w.gap, g->w.rate);
    if (f.ack)
    {
        g->last_ack = end > g->last_ack ? end : g->last_ack;
        return;
    }
    g->acks[f.dst][g->nacks[f.dst]] = end;
    g->ack_to[f.dst][g->nacks[f.dst]++] = f.src;
    g->turn[f.dst] = g->turn[f.dst] == WEFT_NEVER ? end : g->turn[f.dst];
}

/* Handles the earliest event; false when there is none left. */
static bool
advance(struct rig *g)
{
    uint32_t host = 0;
    uint32_t frame = 0;
    for (uint32_t i = 1; i < g->n; i++)
    {
        host = g->turn[i] < g->turn[host] ? i : host;
    }
    for (uint32_t i = 1; i < g->nway; i++)
    {
        frame = g->way[i].at < g->way[frame].at ? i : frame;
    }
    if (g->nway > 0 && g->way[frame].at <= g->turn[host])
    {
        land(g, frame);
        return true;
    }
    if (g->turn[host] == WEFT_NEVER)
    {
        return false;
    }
    decide(g, host);
    return true;
}

/* Time of the last ACK. */
static int64_t
all_to_all(struct rig *g)
{
    memset(g->nacks, 0, sizeof g->nacks);
    memset(g->turn, 0, sizeof g->turn);
    memset(g->data_due, 0, sizeof g->data_due);
    memset(g->down, 0, sizeof g->down);
    g->nway = 0;
    g->last_ack = 0;
    for (uint32_t i = 0; i < g->n * g->n; i++)
    {
        g->left[i / g->n][i % g->n] = i / g->n == i % g->n ? 0 : g->bytes;
    }
    while (advance(g))
    {
    }
    return g->last_ack;
}

static void
random_rig(struct rig *g)
{
    g->w = ofan;
    g->n = 2 + weft_rng_below(&g->rng, MAX_HOSTS - 1);
    g->w.links = 2 + weft_rng_below(&g->rng, 5);
    g->w.payload = 1 + weft_rng_below(&g->rng, 5000);
    g->w.delay = weft_rng_below(&g->rng, 100000);
    g->bytes = 1 + weft_rng_below(&g->rng, 4 * (uint32_t)g->w.payload);
    g->pace = weft_rng_below(&g->rng, 2) ? g->w.rate
                                         : g->w.rate / 100 * (20 + weft_rng_below(&g->rng, 80));
}

/* Whatever the hosts do, nobody is faster; and what only ACKs or data first can do comes near. */
START_TEST(no_order_of_data_and_acks_beats_the_alltoall_bound)
{
    static struct rig g;
    uint32_t near = 0;
    weft_rng_seed(&g.rng, 2, 2, 2);
    for (int i = 0; i < 2000; i++)
    {
        random_rig(&g);
        int64_t bound = weft_alltoall_acked_bound(&g.w, g.n, g.bytes, g.pace);
        int64_t best = WEFT_NEVER;
        for (int order = 0; order < 20; order++)
        {
            g.data_per_cent = 25 * weft_rng_below(&g.rng, 5);
            g.idle_per_cent = order % 4 == 3 ? 5 : 0;
            int64_t end = all_to_all(&g);
            MUST(end >= bound);
            best = end < best ? end : best;
        }
        near += best - bound <= bound / 10;
    }
    ck_assert_uint_gt(near, 1000);
}
END_TEST

/* Alone and unhurried, two hosts reach it: full frames, one round trip beyond the last slot. */
START_TEST(alltoall_bound_is_reached_by_two_slow_hosts)
{
    static struct rig g;
    weft_rng_seed(&g.rng, 1, 1, 1);
    g.w = ofan;
    g.n = 2;
    g.data_per_cent = 100;
    for (uint32_t m = 1; m < 50; m++)
    {
        g.bytes = (uint64_t)m * 4096;
        g.pace = g.w.rate / 2;
        ck_assert_int_eq(all_to_all(&g), weft_alltoall_acked_bound(&g.w, 2, g.bytes, g.pace));
    }
}
END_TEST

/*
 * Two hosts exchange m packets; data and ACKs take turns, data not before its slot of the pace. By
 * symmetry each receives when the other does.
 */
static int64_t
exchange(const struct weft_wire *w, uint32_t m, int64_t pace)
{
    static int64_t arrives[2048];
    int64_t slot = weft_wire_time(w->payload + w->header + w->gap, pace);
    int64_t now = 0;
    int64_t due = 0;
    uint32_t sent = 0;
    uint32_t acked = 0;
    bool data_next = true;
    int64_t back = w->links * (weft_wire_time(w->ack, w->rate) + w->delay);
    int64_t last = 0;
    while (acked < m)
    {
        bool ack_ready = acked < sent && arrives[acked] <= now;
        bool data_ready = sent < m && due <= now;
        if (data_ready && (data_next || !ack_ready))
        {
            arrives[sent++] = now + weft_one_way(w);
            due = now + slot;
            now += weft_wire_time(w->payload + w->header + w->gap, w->rate);
            data_next = false;
        }
        else if (ack_ready)
        {
            acked++;
            last = now + back;
            now += weft_wire_time(w->ack + w->gap, w->rate);
            data_next = true;
        }
        else
        {
            int64_t ack = acked < sent ? arrives[acked] : WEFT_NEVER;
            now = sent < m && due < ack ? due : ack;
        }
    }
    return last;
}

/* Frames of ofan's sizes at any pace; ACKs that just come too late for a slot cost less than one.
 */
START_TEST(taking_turns_at_any_pace_comes_close_to_the_paced_bound)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 3, 3, 3);
    for (int i = 0; i < 3000; i++)
    {
        struct weft_wire w = ofan;
        w.links = 1 + weft_rng_below(&rng, 6);
        uint32_t m = 1 + weft_rng_below(&rng, 600);
        uint32_t share = i % 2 ? 900 + weft_rng_below(&rng, 100) : 10 + weft_rng_below(&rng, 990);
        int64_t pace = w.rate / 1000 * share;
        int64_t bound = weft_permutation_paced_bound(&w, m, pace);
        int64_t end = exchange(&w, m, pace);
        ck_assert_msg(end >= bound, "m %u links %u share %u: %lld < %lld", m, w.links, share,
                      (long long)end, (long long)bound);
        ck_assert_msg(end - bound <= end / 50, "m %u links %u share %u: %lld vs %lld", m, w.links,
                      share, (long long)end, (long long)bound);
    }
}
END_TEST

/* rho = 1 is the printed number less a gap, which two lone hosts reach; half the rate, 255 slots
 * of 83.56 ns and one round trip. */
START_TEST(paced_permutation_of_the_papers_size)
{
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 256, ofan.rate), 17056740);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 256, 2 * ofan.rate), 17056740);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 77, ofan.rate),
                     weft_permutation_bound(&ofan, 77));
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, UINT64_MAX, ofan.rate), WEFT_NEVER);
    ck_assert_int_eq(weft_permutation_paced_bound(&ofan, 256, ofan.rate / 2),
                     255 * 83560 + 6 * 541580 + 6 * 500640);
}
END_TEST

/* 300 Gb/s: a byte takes 26 2/3 ps. 1,048 + 2 * 1,048 + 3 * 64 bytes in a row take 88,960. */
START_TEST(what_lies_in_a_row_on_a_wire_is_rounded_once)
{
    const struct weft_wire w = {1000, 48, 0, 64, INT64_C(300000000000), 0, 1};
    ck_assert_int_eq(weft_permutation_paced_bound(&w, 3, w.rate - 1), 88960);
}
END_TEST

/* ACKs that take no wire: 256 packets and one round trip; of a short one its own way. */
START_TEST(data_alone_is_answered_when_it_arrives)
{
    const int64_t back = 6 * 500640;
    ck_assert_int_eq(weft_answered_bound(&ofan, 1, 1 << 20, ofan.rate),
                     255 * 41780 + 6 * 541580 + back);
    ck_assert_int_eq(weft_answered_bound(&ofan, 1, 1 << 20, ofan.rate / 2),
                     255 * 83560 + 6 * 541580 + back);
    ck_assert_int_eq(weft_answered_bound(&ofan, 127, 1 << 20, 2 * ofan.rate),
                     (127 * 256 - 1) * INT64_C(41780) + 6 * 541580 + back);
    ck_assert_int_eq(weft_answered_bound(&ofan, 1, 100, ofan.rate), 6 * (1620 + US / 2) + back);
    ck_assert_int_eq(weft_answered_bound(&ofan, 1, 0, ofan.rate), 0);
    ck_assert_int_eq(weft_answered_bound(&ofan, 1, 1, 0), WEFT_NEVER);
}
END_TEST

Suite *
theory_bounds_suite(void)
{
    Suite *suite = suite_create("theory-bounds");
    TCase *tc = tcase_create("theory-bounds");
    tcase_add_test(tc, alltoall_of_the_papers_size);
    tcase_add_test(tc, data_alone_is_answered_when_it_arrives);
    tcase_add_test(tc, what_lies_in_a_row_on_a_wire_is_rounded_once);
    tcase_add_test(tc, one_packet_each_is_a_round_trip);
    tcase_add_test(tc, nothing_takes_no_time_and_the_absurd_never_ends);
    tcase_add_test(tc, no_order_of_data_and_acks_beats_the_alltoall_bound);
    tcase_add_test(tc, alltoall_bound_is_reached_by_two_slow_hosts);
    tcase_add_test(tc, taking_turns_at_any_pace_comes_close_to_the_paced_bound);
    tcase_add_test(tc, paced_permutation_of_the_papers_size);
    suite_add_tcase(suite, tc);
    return suite;
}
