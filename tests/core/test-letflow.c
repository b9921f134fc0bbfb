/* SPDX-License-Identifier: MIT */
/* A user would lose flowlets: packets that change their path in the middle of a burst, silences
 * that change nothing, or aggregations that undo what the ToR drew. */
#include <check.h>
#include <stdlib.h>

#include "lb-rig.h"
#include "must.h"

#define US INT64_C(1000000) /* ps */

static uint32_t
port_at(struct lb_place *tor, void *flow, int64_t now)
{
    struct weft_packet p = lb_data(0, 15);
    return lb_forward(tor, flow, &p, NULL, now);
}

/* Packets at 0, 90, 190 and 291 us with a gap of 100 us: one new flowlet, the last. */
START_TEST(a_longer_silence_than_the_gap_begins_a_flowlet)
{
    const struct weft_clos clos = lb_fat_tree("4");
    uint32_t changes = 0;
    for (uint64_t seed = 1; seed <= 400; seed++)
    {
        struct lb_place tor;
        lb_open_at(&tor, &clos, 0, seed, "letflow", "gap=100us");
        void *flow = lb_flow(&tor);
        const uint32_t first = port_at(&tor, flow, 0);
        MUST(port_at(&tor, flow, 90 * US) == first);
        MUST(port_at(&tor, flow, 190 * US) == first); /* just the gap */
        MUST(tor.rig.ops->counters(tor.rig.state)->reroutes == 0);
        changes += port_at(&tor, flow, 291 * US) != first;
        MUST(tor.rig.ops->counters(tor.rig.state)->reroutes == 1);
        free(flow);
        lb_close(&tor.rig);
    }
    ck_assert(changes > 150 && changes < 250); /* one of two ports: 5 sigma */
}
END_TEST

/* All four paths of a fat-tree are drawn alike, and an aggregation takes what the ToR has drawn. */
START_TEST(the_tor_draws_the_whole_path)
{
    const struct weft_clos clos = lb_fat_tree("4");
    struct lb_place tor, agg;
    uint32_t counts[4] = {0};
    lb_open_at(&tor, &clos, 0, 7, "letflow", NULL);
    lb_open_at(&agg, &clos, clos.ntors, 7, "letflow", NULL);
    for (uint32_t i = 0; i < 4000; i++)
    {
        void *flow = lb_flow(&tor);
        struct weft_packet p = lb_data(0, 15);
        const uint32_t up = lb_forward(&tor, flow, &p, NULL, 0) - tor.map.first_up;
        const uint32_t core = lb_forward(&agg, NULL, &p, NULL, 0) - agg.map.first_up;
        struct weft_packet again = lb_data(0, 15);
        MUST(lb_forward(&tor, flow, &again, NULL, US) == up + tor.map.first_up);
        MUST(lb_forward(&agg, NULL, &again, NULL, US) == core + agg.map.first_up);
        counts[2 * up + core]++;
        free(flow);
    }
    ck_assert_double_lt(lb_unevenness(counts, 4), 5);
    lb_close(&tor.rig);
    lb_close(&agg.rig);
}
END_TEST

/* An uplink that is gone ends the flowlets on it, and they stay where they went. */
START_TEST(a_dead_uplink_ends_its_flowlets)
{
    const struct weft_clos clos = lb_fat_tree("8");
    static const uint32_t queues[8];
    struct lb_place tor;
    lb_open_at(&tor, &clos, 0, 3, "letflow", NULL);
    void *flow = lb_flow(&tor);
    const uint32_t first = port_at(&tor, flow, 0);
    uint16_t left[4];
    uint16_t n = 0;
    for (uint16_t port = 4; port < 8; port++)
    {
        if (port != first)
        {
            left[n++] = port;
        }
    }
    const struct weft_ports ports = {queues, left, 4, n, 4, 0, 0};
    struct weft_packet p = lb_data(0, 100);
    const uint32_t other = lb_forward(&tor, flow, &p, &ports, US);
    ck_assert_uint_ne(other, first);
    ck_assert_uint_eq(tor.rig.ops->counters(tor.rig.state)->reroutes, 1);
    for (int i = 2; i < 50; i++)
    {
        p = lb_data(0, 100);
        MUST(lb_forward(&tor, flow, &p, &ports, i * US) == other);
    }
    free(flow);
    lb_close(&tor.rig);
}
END_TEST

/* Packets that are not balanced (an ACK, a QP without state) keep to ECMP's choice. */
START_TEST(replies_keep_to_one_path)
{
    const struct weft_clos clos = lb_fat_tree("4");
    struct lb_place tor;
    lb_open_at(&tor, &clos, 0, 3, "letflow", "gap=1ns");
    void *flow = lb_flow(&tor);
    struct weft_packet p = lb_data(0, 15);
    p.kind = WEFT_ACK;
    const uint32_t port = lb_forward(&tor, flow, &p, NULL, 0);
    for (int i = 1; i < 50; i++)
    {
        struct weft_packet other = lb_data(0, 15);
        MUST(lb_forward(&tor, flow, &p, NULL, i * US) == port && p.meta[0] == 0);
        MUST(lb_forward(&tor, NULL, &other, NULL, i * US) == port && other.meta[0] == 0);
    }
    free(flow);
    lb_close(&tor.rig);
}
END_TEST

Suite *
letflow_suite(void)
{
    Suite *s = suite_create("letflow");
    TCase *t = tcase_create("letflow");
    tcase_add_test(t, a_longer_silence_than_the_gap_begins_a_flowlet);
    tcase_add_test(t, the_tor_draws_the_whole_path);
    tcase_add_test(t, a_dead_uplink_ends_its_flowlets);
    tcase_add_test(t, replies_keep_to_one_path);
    suite_add_tcase(s, t);
    return s;
}
