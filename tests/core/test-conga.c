/* SPDX-License-Identifier: MIT */
/* A user would lose CONGA's feedback: loads that do not fade, levels of the wrong path, flowlets
 * that go where the network is full. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

#define US INT64_C(1000000) /* ps */

static struct weft_clos clos;

/* Two leaves with four spines, 100 Gb/s. */
static void
prepare(void)
{
    const char *const settings[] = {"leaves", "2",         "spines",  "4", "hosts-per-leaf",
                                    "4",      "link-rate", "100Gbps", NULL};
    memset(&clos, 0, sizeof clos);
    lb_build(&clos, "leaf-spine", settings);
}

static void
leave(struct lb_place *at, struct weft_packet *p, uint32_t port, int64_t now)
{
    at->rig.ops->leave(at->rig.state, p, port, now);
}

static enum weft_arrival
arrive_from_above(struct lb_place *tor, void *flow, struct weft_packet *p, int64_t now)
{
    uint32_t queue;
    p->in_port = tor->map.first_up;
    return tor->rig.ops->arrive(tor->rig.state, flow, p, &queue, now);
}

/* The level that a packet finds at a port that has sent @p n frames by @p now, itself included. */
static unsigned
level_after(uint32_t n, int64_t now, int64_t later)
{
    struct lb_place tor;
    struct weft_packet p = lb_data(0, 4);
    lb_open_at(&tor, &clos, 0, 1, "conga", NULL);
    p.meta[0] = 1;
    for (uint32_t i = 0; i < n; i++)
    {
        p.meta[1] = 0;
        leave(&tor, &p, tor.map.first_up, now);
    }
    struct weft_packet small = lb_data(0, 4);
    small.meta[0] = 1;
    small.bytes = later > now ? 1 : 0;
    leave(&tor, later > now ? &small : &p, tor.map.first_up, later);
    const unsigned level = later > now ? small.meta[1] : p.meta[1];
    lb_close(&tor.rig);
    return level;
}

/* 100 Gb/s, 50 us, alpha 0.2, 3 bits: a DRE at line rate holds 3,125,000 B. 2,000 frames of 1,048 B
 * are 2,096,000 B, level 5.37; a discount later 1,676,800 B, level 4.29. A level has 3 bits. */
START_TEST(loads_are_quantised_and_fade)
{
    prepare();
    ck_assert_uint_eq(level_after(1999, 10 * US, 10 * US), 5);
    ck_assert_uint_eq(level_after(2000, 10 * US, 49 * US), 5);
    ck_assert_uint_eq(level_after(2000, 10 * US, 50 * US), 4);
    ck_assert_uint_eq(level_after(2000, 10 * US, 10000 * US), 0);
    ck_assert_uint_eq(level_after(5000, 10 * US, 10 * US), 7);
}
END_TEST

/* An aggregation's links to cores are four times as fast as those to ToRs: the same bytes are a
 * quarter of the load. */
START_TEST(each_link_has_a_rate_of_its_own)
{
    const char *const settings[] = {
        "pods", "2",         "tors-per-pod", "2",         "aggregations", "2", "cores",
        "2",    "link-rate", "100Gbps",      "core-rate", "400Gbps",      NULL};
    struct lb_place agg;
    struct weft_packet p = lb_data(0, 40);
    memset(&clos, 0, sizeof clos);
    lb_build(&clos, "clos", settings);
    lb_open_at(&agg, &clos, clos.ntors, 1, "conga", NULL);
    p.meta[0] = 1;
    for (uint32_t port = 0; port < 4; port++)
    {
        for (int i = 0; i < 2000; i++)
        {
            p.meta[1] = 0;
            leave(&agg, &p, port, US);
        }
        ck_assert_uint_eq(p.meta[1], port < agg.map.first_up ? 5 : 1);
    }
    lb_close(&agg.rig);
}
END_TEST

/* Local levels 3, 0, 0, 1 and remote ones 0, 5, 2, none: costs 3, 5, 2, 1, so the fourth. When what
 * is known of the second is too old, it costs 0. */
START_TEST(the_path_with_the_best_worst_link_is_taken)
{
    static const uint32_t frames[] = {1200, 0, 0, 400};
    static const unsigned remote[] = {0, 5, 2};
    struct lb_place tor;
    prepare();
    lb_open_at(&tor, &clos, 0, 1, "conga", "aging=500us");
    for (uint16_t path = 0; path < 4; path++)
    {
        struct weft_packet p = lb_data(0, 4);
        p.meta[0] = (uint16_t)(path + 1);
        for (uint32_t i = 0; i < frames[path]; i++)
        {
            leave(&tor, &p, tor.map.first_up + path, 1 * US);
        }
        struct weft_packet feedback = lb_data(4, 0);
        void *flow = lb_flow(&tor);
        feedback.meta[1] = (uint16_t)(path < 3 ? remote[path] << 8 : 0);
        feedback.meta[2] = path < 3 ? (uint16_t)(path + 1) : 0;
        ck_assert_int_eq(arrive_from_above(&tor, flow, &feedback, 2 * US), WEFT_ARRIVAL_FORWARD);
        free(flow);
    }
    void *flow = lb_flow(&tor), *later = lb_flow(&tor);
    struct weft_packet p = lb_data(0, 4);
    ck_assert_uint_eq(lb_forward(&tor, flow, &p, NULL, 3 * US), tor.map.first_up + 3U);
    p = lb_data(0, 4);
    ck_assert_uint_ne(lb_forward(&tor, later, &p, NULL, 503 * US), tor.map.first_up + 0U);
    free(flow);
    free(later);
    lb_close(&tor.rig);
}
END_TEST

/* Frames for level 1 of a port, at most; its DRE holds 372.7 of them for each level. */
#define LEVEL 380U

/* A packet with a path leaves by each of the four uplinks as often as its level needs. */
static void
load(struct lb_place *tor, const uint32_t levels[4], int64_t now)
{
    for (uint16_t path = 0; path < 4; path++)
    {
        struct weft_packet p = lb_data(0, 4);
        p.meta[0] = (uint16_t)(path + 1);
        for (uint32_t i = 0; i < levels[path] * LEVEL; i++)
        {
            leave(tor, &p, tor->map.first_up + path, now);
        }
    }
}

/* The other leaf returns what it knows of a path. */
static void
tell(struct lb_place *tor, uint16_t path, unsigned level, int64_t now)
{
    struct weft_packet p = lb_data(4, 0);
    void *flow = lb_flow(tor);
    p.meta[1] = (uint16_t)(level << 8);
    p.meta[2] = (uint16_t)(path + 1);
    arrive_from_above(tor, flow, &p, now);
    free(flow);
}

/* The path that a new QP takes. */
static uint32_t
taken(struct lb_place *tor, int64_t now)
{
    struct weft_packet p = lb_data(0, 4);
    void *flow = lb_flow(tor);
    const uint32_t port = lb_forward(tor, flow, &p, NULL, now);
    free(flow);
    return port - tor->map.first_up;
}

/* Local levels 2, 3, 7, 7 and remote ones 2, 0, 0, 0: the worst link of the first path has 2, that
 * of the second 3, though the sums are 4 and 3. */
START_TEST(the_worst_link_counts_and_not_the_sum)
{
    struct lb_place tor;
    prepare();
    lb_open_at(&tor, &clos, 0, 1, "conga", NULL);
    load(&tor, (const uint32_t[]){2, 3, 7, 7}, US);
    tell(&tor, 0, 2, US);
    ck_assert_uint_eq(taken(&tor, 2 * US), 0);
    lb_close(&tor.rig);
}
END_TEST

/* Packets to a host, and packets without a path, are no load of CONGA's. */
START_TEST(only_packets_with_a_path_load_links_of_the_fabric)
{
    struct lb_place tor;
    prepare();
    lb_open_at(&tor, &clos, 0, 1, "conga", NULL);
    struct weft_packet p = lb_data(4, 0), plain = lb_data(0, 4);
    p.meta[0] = 1;
    for (int i = 0; i < 5000; i++)
    {
        leave(&tor, &p, 0, US);
        leave(&tor, &plain, tor.map.first_up, US);
    }
    ck_assert_uint_eq(p.meta[1], 0);
    ck_assert_uint_eq(plain.meta[1], 0);
    leave(&tor, &p, tor.map.first_up, US);
    ck_assert_uint_eq(p.meta[1], 0);
    load(&tor, (const uint32_t[]){1, 0, 0, 0}, US);
    leave(&tor, &p, tor.map.first_up, US);
    ck_assert_uint_eq(p.meta[1], 1);
    lb_close(&tor.rig);
}
END_TEST

/* Where a path's uplink is dead the least loaded of the others is taken, whichever it is. */
START_TEST(a_dead_uplink_is_left_for_the_least_loaded)
{
    for (uint16_t best = 1; best < 4; best++)
    {
        struct lb_place tor;
        prepare();
        lb_open_at(&tor, &clos, 0, 1, "conga", NULL);
        uint32_t levels[4] = {0, 3, 3, 3};
        const uint16_t first = tor.map.first_up;
        const uint16_t alive[] = {(uint16_t)(first + 1), (uint16_t)(first + 2),
                                  (uint16_t)(first + 3)};
        const struct weft_ports ports = {.list = alive, .first = first, .n = 3, .width = 4};
        struct weft_packet p = lb_data(0, 4);
        void *flow = lb_flow(&tor);
        levels[best] = 2;
        load(&tor, levels, US);
        ck_assert_uint_eq(lb_forward(&tor, flow, &p, &ports, 2 * US), first + best);
        free(flow);
        lb_close(&tor.rig);
    }
}
END_TEST

/* All levels that have come are returned, each in its turn: that of every path alone as well. */
START_TEST(the_level_of_every_path_is_returned)
{
    for (uint16_t path = 0; path < 4; path++)
    {
        struct lb_place tor;
        prepare();
        lb_open_at(&tor, &clos, 0, 1, "conga", NULL);
        struct weft_packet from = lb_data(4, 0), to = lb_data(0, 4);
        void *there = lb_flow(&tor), *back = lb_flow(&tor);
        from.meta[0] = (uint16_t)(path + 1);
        from.meta[1] = 6;
        arrive_from_above(&tor, back, &from, US);
        lb_forward(&tor, there, &to, NULL, 2 * US);
        ck_assert_uint_eq(to.meta[2], path + 1U);
        ck_assert_uint_eq(to.meta[1] >> 8, 6);
        free(there);
        free(back);
        lb_close(&tor.rig);
    }
}
END_TEST

/* The other leaf's level of a path comes with a packet. */
static void
hear(struct lb_place *tor, uint16_t path, uint16_t level)
{
    struct weft_packet p = lb_data(4, 0);
    void *flow = lb_flow(tor);
    p.meta[0] = (uint16_t)(path + 1);
    p.meta[1] = level;
    arrive_from_above(tor, flow, &p, US);
    free(flow);
}

/* The path whose level the next packet returns. */
static unsigned
told_of(struct lb_place *tor)
{
    struct weft_packet p = lb_data(0, 4);
    void *flow = lb_flow(tor);
    lb_forward(tor, flow, &p, NULL, 2 * US);
    free(flow);
    return p.meta[2] - 1U;
}

/* The first level of a path is news even if it is 0, and precedes what was returned already. */
START_TEST(the_first_level_of_a_path_has_changed)
{
    struct lb_place tor;
    prepare();
    lb_open_at(&tor, &clos, 0, 1, "conga", NULL);
    hear(&tor, 2, 6);
    ck_assert_uint_eq(told_of(&tor), 2);
    hear(&tor, 1, 6);
    ck_assert_uint_eq(told_of(&tor), 1);
    hear(&tor, 3, 0);
    ck_assert_uint_eq(told_of(&tor), 3);
    lb_close(&tor.rig);
}
END_TEST

/* A silence of just the gap does not end a flowlet; a picosecond more does. */
START_TEST(a_flowlet_ends_behind_its_gap)
{
    for (int64_t late = 0; late < 2; late++)
    {
        struct lb_place tor;
        struct weft_packet p = lb_data(0, 4);
        prepare();
        lb_open_at(&tor, &clos, 0, 1, "conga", "gap=1us");
        void *flow = lb_flow(&tor);
        const uint32_t port = lb_forward(&tor, flow, &p, NULL, US);
        tell(&tor, (uint16_t)(port - tor.map.first_up), 2, US); /* now the others are better */
        p = lb_data(0, 4);
        ck_assert_int_eq(lb_forward(&tor, flow, &p, NULL, 2 * US + late) == port, late == 0);
        free(flow);
        lb_close(&tor.rig);
    }
}
END_TEST

/* At its age feedback still counts and is returned, a picosecond later it does not. */
START_TEST(feedback_counts_up_to_its_age)
{
    for (int64_t late = 0; late < 2; late++)
    {
        const int64_t now = 1 * US + 500 * US + late;
        struct lb_place tor;
        prepare();
        lb_open_at(&tor, &clos, 0, 1, "conga", "aging=500us");
        struct weft_packet from = lb_data(4, 0), to = lb_data(0, 4);
        void *there = lb_flow(&tor), *back = lb_flow(&tor);
        from.meta[0] = 2;
        from.meta[1] = 6;
        arrive_from_above(&tor, back, &from, US);
        for (uint16_t path = 1; path < 4; path++)
        {
            tell(&tor, path, 1, US);
        }
        uint32_t others = 0;
        for (int i = 0; i < 100; i++)
        {
            others += taken(&tor, now) != 0;
        }
        ck_assert(late ? others > 50 : others == 0);
        lb_forward(&tor, there, &to, NULL, now);
        ck_assert_uint_eq(to.meta[2], late ? 0 : 2);
        free(there);
        free(back);
        lb_close(&tor.rig);
    }
}
END_TEST

/* A flowlet stays where it was if no path is better, wherever that is in the row; else it takes any
 * of the best with the same chance. */
START_TEST(ties_go_to_the_old_path_or_to_any)
{
    struct lb_place tor;
    uint32_t counts[4] = {0};
    prepare();
    lb_open_at(&tor, &clos, 0, 1, "conga", "gap=1us");
    for (uint16_t old = 0; old < 4; old++)
    {
        for (uint16_t path = 0; path < 4; path++)
        {
            tell(&tor, path, path == old ? 0 : 1, 0);
        }
        for (int i = 0; i < 1000; i++)
        {
            void *flow = lb_flow(&tor);
            struct weft_packet p = lb_data(0, 4);
            tell(&tor, old, 0, 0);
            MUST(lb_forward(&tor, flow, &p, NULL, 0) == tor.map.first_up + (uint32_t)old);
            tell(&tor, old, 1, 0); /* now all are alike */
            p = lb_data(0, 4);
            MUST(lb_forward(&tor, flow, &p, NULL, 2 * US) == tor.map.first_up + (uint32_t)old);
            tell(&tor, old, 2, 0); /* now the others are better */
            p = lb_data(0, 4);
            counts[lb_forward(&tor, flow, &p, NULL, 4 * US) - tor.map.first_up]++;
            free(flow);
        }
    }
    ck_assert_double_lt(lb_unevenness(counts, 4), 5);
    lb_close(&tor.rig);
}
END_TEST

/* A packet collects the greatest level of its way; the destination's ToR returns it, changed ones
 * first, and the source's ToR goes by it. */
START_TEST(levels_come_back_on_data_of_the_other_way)
{
    struct lb_place source, spine, destination;
    prepare();
    lb_open_at(&source, &clos, 0, 1, "conga", NULL);
    lb_open_at(&destination, &clos, 1, 1, "conga", NULL);
    lb_open_at(&spine, &clos, clos.ntors, 1, "conga", NULL);
    void *there = lb_flow(&source), *back = lb_flow(&destination);
    struct weft_packet p = lb_data(0, 4);
    p.meta[0] = 1;
    for (uint32_t i = 0; i < 2000; i++)
    {
        leave(&spine, &p, 1, US); /* the spine's link to the second leaf is loaded */
    }
    p.meta[1] = 0;
    leave(&source, &p, source.map.first_up, US);
    ck_assert_uint_eq(p.meta[1], 0);
    leave(&spine, &p, 1, US);
    ck_assert_uint_eq(p.meta[1], 5);
    arrive_from_above(&destination, there, &p, 2 * US);
    leave(&destination, &p, 0, 2 * US); /* to its host: no link of the fabric's */
    ck_assert_uint_eq(p.meta[1], 5);
    struct weft_packet reverse = lb_data(4, 0);
    lb_forward(&destination, back, &reverse, NULL, 3 * US);
    ck_assert_uint_eq(reverse.meta[1] >> 8, 5);
    ck_assert_uint_eq(reverse.meta[2], 1);
    arrive_from_above(&source, back, &reverse, 4 * US);
    for (int i = 0; i < 200; i++)
    {
        void *flow = lb_flow(&source);
        struct weft_packet fresh = lb_data(0, 4);
        MUST(lb_forward(&source, flow, &fresh, NULL, 5 * US) != source.map.first_up);
        free(flow);
    }
    free(there);
    free(back);
    lb_close(&source.rig);
    lb_close(&spine.rig);
    lb_close(&destination.rig);
}
END_TEST

/* Nothing is loaded: a new flowlet stays on the path of the last one, and QPs spread. */
START_TEST(a_flowlet_moves_only_for_something_better)
{
    struct lb_place tor;
    uint32_t counts[4] = {0};
    prepare();
    lb_open_at(&tor, &clos, 0, 1, "conga", "gap=1us");
    for (int i = 0; i < 4000; i++)
    {
        void *flow = lb_flow(&tor);
        struct weft_packet p = lb_data(0, 4);
        const uint32_t port = lb_forward(&tor, flow, &p, NULL, 0);
        p = lb_data(0, 4);
        MUST(lb_forward(&tor, flow, &p, NULL, 5 * US) == port);
        counts[port - tor.map.first_up]++;
        free(flow);
    }
    ck_assert_double_lt(lb_unevenness(counts, 4), 5);
    ck_assert_uint_eq(tor.rig.ops->counters(tor.rig.state)->reroutes, 0);
    lb_close(&tor.rig);
}
END_TEST

Suite *
conga_suite(void)
{
    Suite *s = suite_create("conga");
    TCase *t = tcase_create("conga");
    tcase_add_test(t, loads_are_quantised_and_fade);
    tcase_add_test(t, each_link_has_a_rate_of_its_own);
    tcase_add_test(t, the_path_with_the_best_worst_link_is_taken);
    tcase_add_test(t, the_worst_link_counts_and_not_the_sum);
    tcase_add_test(t, only_packets_with_a_path_load_links_of_the_fabric);
    tcase_add_test(t, a_dead_uplink_is_left_for_the_least_loaded);
    tcase_add_test(t, the_level_of_every_path_is_returned);
    tcase_add_test(t, the_first_level_of_a_path_has_changed);
    tcase_add_test(t, a_flowlet_ends_behind_its_gap);
    tcase_add_test(t, feedback_counts_up_to_its_age);
    tcase_add_test(t, ties_go_to_the_old_path_or_to_any);
    tcase_add_test(t, levels_come_back_on_data_of_the_other_way);
    tcase_add_test(t, a_flowlet_moves_only_for_something_better);
    suite_add_tcase(s, t);
    return s;
}
