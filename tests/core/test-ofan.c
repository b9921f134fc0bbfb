/* SPDX-License-Identifier: MIT */
/* A user would lose what OFAN is for (ofan §7, App. F): equal loads on uplinks and on downlinks,
 * with failures as well. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"
#include "refused.h"

#define MAX_UP 32

static const uint32_t no_queues[128];

/* k = 8: each of an edge's 31 x 2 virtual flows has a pointer that visits the 4 uplinks in turn,
 * whichever hosts send and whatever passes in between. */
START_TEST(an_edge_has_a_pointer_per_destination_edge_and_class)
{
    const struct weft_clos clos = lb_fat_tree("8");
    static uint32_t ring[2][32][4];
    static uint32_t sent[2][32];
    struct weft_rng rng;
    struct lb_place edge;
    weft_rng_seed(&rng, 1, 1, 1);
    lb_open_at(&edge, &clos, 5, 1, "ofan", NULL);
    for (uint32_t i = 0; i < 60000; i++)
    {
        static const uint32_t class_of[6] = {0, 1, 1,
                                             1, 1, 0}; /* DATA, ACK, NACK, CNP, PULL, RAW */
        const uint32_t kind = weft_rng_below(&rng, 6);
        const uint32_t dst = weft_rng_below(&rng, clos.nhosts);
        const uint32_t to = weft_clos_tor(&clos, dst);
        if (to != 5)
        {
            const uint32_t port = lb_take(&edge, dst, (enum weft_packet_kind)kind, NULL);
            const uint32_t n = sent[class_of[kind]][to]++;
            uint32_t *slot = &ring[class_of[kind]][to][n % 4];
            MUST(port >= 4 && port < 8);
            MUST(n < 4 || *slot == port);
            *slot = port;
        }
    }
    for (uint32_t i = 0; i < 2 * 32; i++)
    {
        const uint32_t *r = ring[i / 32][i % 32];
        uint32_t seen = 0;
        for (uint32_t k = 0; k < 4; k++)
        {
            seen |= UINT32_C(1) << r[k];
        }
        ck_assert_uint_eq(seen, i % 32 == 5 ? 1 : 0xf0);
    }
    lb_close(&edge.rig);
}
END_TEST

/* §7: "an aggregation switch maintains the same for each destination pod": its 4 edges share. */
START_TEST(an_aggregation_has_a_pointer_per_destination_pod_and_class)
{
    const struct weft_clos clos = lb_fat_tree("8");
    static uint32_t ring[2][8][4];
    static uint32_t sent[2][8];
    struct weft_rng rng;
    struct lb_place agg;
    weft_rng_seed(&rng, 2, 1, 1);
    lb_open_at(&agg, &clos, clos.ntors + 9, 1, "ofan", NULL); /* of pod 2 */
    for (uint32_t i = 0; i < 20000; i++)
    {
        const uint32_t class = weft_rng_below(&rng, 2);
        const uint32_t dst = weft_rng_below(&rng, clos.nhosts);
        const uint32_t pod = dst / 16;
        if (pod != 2)
        {
            const uint32_t port = lb_take(&agg, dst, class ? WEFT_ACK : WEFT_DATA, NULL);
            const uint32_t n = sent[class][pod]++;
            uint32_t *slot = &ring[class][pod][n % 4];
            MUST(port >= 4 && port < 8);
            MUST(n < 4 || *slot == port);
            MUST(n % 4 == 0 || ring[class][pod][n % 4 - 1] != port);
            *slot = port;
        }
    }
    lb_close(&agg.rig);
}
END_TEST

/* §7: at k = 64 "each edge switch would maintain 2K pointers and each aggregation switch 63". */
START_TEST(k_64_takes_little_memory)
{
    const struct weft_clos clos = lb_fat_tree("64");
    const struct weft_lb_ops *ops = weft_lb_find("ofan");
    const struct weft_site edge = lb_site_of(&clos, 7, 1);
    const struct weft_site agg = lb_site_of(&clos, clos.ntors + 7, 1);
    const struct weft_site core = lb_site_of(&clos, clos.nswitches - 1, 1);
    uint64_t config[8];
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ck_assert_uint_lt(ops->state_size(config, &edge), 64 << 10);
    ck_assert_uint_ge(ops->state_size(config, &edge), 2 * 2047 * 8);
    ck_assert_uint_lt(ops->state_size(config, &agg), 32 << 10);
    ck_assert_uint_lt(ops->state_size(config, &core), 1 << 10);
}
END_TEST

/* The next four ports towards host @p dst: their order as a number below 256, and its start. */
static uint32_t
order_to(struct lb_place *p, uint32_t dst)
{
    uint32_t order = 0;
    for (uint32_t i = 0; i < 4; i++)
    {
        order = order << 2 | (lb_take(p, dst, WEFT_DATA, NULL) & 3);
    }
    return order;
}

/* "Each pointer is initialized to a random uplink port and a random round-robin traversal order."
 */
START_TEST(starts_and_orders_are_random)
{
    const struct weft_clos clos = lb_fat_tree("8");
    static uint32_t counts[256];
    uint32_t orders[24];
    uint32_t n = 0;
    for (uint64_t seed = 0; seed < 1000; seed++)
    {
        struct lb_place edge;
        lb_open_at(&edge, &clos, 0, seed, "ofan", NULL);
        for (uint32_t i = 0; i < 6; i++)
        {
            counts[order_to(&edge, 20 * (i + 1))]++;
        }
        lb_close(&edge.rig);
    }
    for (uint32_t i = 0; i < 256; i++)
    {
        if (counts[i] > 0)
        {
            MUST(n < 24);
            orders[n++] = counts[i];
        }
    }
    ck_assert_uint_eq(n, 24);
    ck_assert_double_lt(lb_unevenness(orders, 24), 4);
}
END_TEST

static bool
same_cycle(uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < 4; i++)
    {
        if (a == b)
        {
            return true;
        }
        a = (a << 2 | a >> 6) & 255;
    }
    return false;
}

/* Pairs of pointers with the same order: a sixth of 4! / 4 by chance, all where pods have one. */
START_TEST(pointers_to_a_pod_may_share_an_order)
{
    const struct weft_clos clos = lb_fat_tree("8");
    for (int shared = 0; shared < 2; shared++)
    {
        uint32_t same_pod = 0;
        uint32_t other_pod = 0;
        uint32_t starts = 0;
        for (uint64_t seed = 0; seed < 600; seed++)
        {
            struct lb_place edge;
            lb_open_at(&edge, &clos, 0, seed, "ofan", shared ? "order=pod" : NULL);
            const uint32_t a = order_to(&edge, 16);
            const uint32_t b = order_to(&edge, 20); /* the same pod, another edge */
            same_pod += same_cycle(a, b);
            starts += a >> 6 == b >> 6;
            other_pod += same_cycle(a, order_to(&edge, 32));
            lb_close(&edge.rig);
        }
        ck_assert(other_pod > 55 && other_pod < 145); /* 100, standard deviation 9 */
        ck_assert(shared ? same_pod == 600 : same_pod > 55 && same_pod < 145);
        ck_assert(starts > 95 && starts < 205); /* 150, standard deviation 11 */
    }
}
END_TEST

/* Whoever calls it need not gather queues at every packet. */
START_TEST(it_looks_at_queues_only_if_pointers_start_there)
{
    static uint32_t queues[8];
    const struct weft_lb_ops *ofan = weft_lb_find("ofan");
    const struct weft_clos clos = lb_fat_tree("8");
    const struct weft_ports blind = {NULL, NULL, 4, 4, 4}, seeing = {queues, NULL, 4, 4, 4};
    struct lb_place with, without;
    lb_open_at(&with, &clos, 0, 3, "ofan", "");
    lb_open_at(&without, &clos, 0, 3, "ofan", "");
    int64_t config[32];
    ck_assert_int_eq(weft_config_default(&ofan->algo, config), 0);
    ck_assert(!weft_lb_looks(ofan, config));
    ck_assert_int_eq(weft_config_set(&ofan->algo, config, "first", "shortest"), 0);
    ck_assert(weft_lb_looks(ofan, config));
    for (uint32_t i = 0; i < 1000; i++)
    {
        struct weft_packet p = {.kind = WEFT_DATA, .dst = (16 + i % 100) & WEFT_HOST_MASK};
        struct weft_packet q = p;
        queues[4 + i % 4] = i;
        ck_assert_uint_eq(ofan->pick(with.rig.state, &seeing, &p, i),
                          ofan->pick(without.rig.state, &blind, &q, i));
    }
    lb_close(&with.rig);
    lb_close(&without.rig);
}
END_TEST

/* App. F.4, first variant. */
START_TEST(a_pointer_may_start_at_the_shortest_queue)
{
    static const uint32_t queues[8] = {0, 0, 0, 0, 9000, 300, 9000, 300};
    const struct weft_ports up = {queues, NULL, 4, 4, 4};
    const struct weft_clos clos = lb_fat_tree("8");
    uint32_t sevens = 0;
    for (uint64_t seed = 0; seed < 400; seed++)
    {
        struct lb_place edge;
        lb_open_at(&edge, &clos, 0, seed, "ofan", "first=shortest");
        const uint32_t first = lb_take(&edge, 70, WEFT_DATA, &up);
        MUST(first == 5 || first == 7);
        sevens += first == 7;
        for (uint32_t i = 1; i < 12; i++)
        {
            MUST(lb_take(&edge, 70, WEFT_DATA, &up) == 4 + (first + i) % 4);
        }
        lb_close(&edge.rig);
    }
    ck_assert(sevens > 155 && sevens < 245);
}
END_TEST

/* Before weights: a port that does not lead there is passed over, the others keep their order. */
START_TEST(unreachable_ports_are_passed_over)
{
    static const uint16_t list[3] = {4, 6, 7};
    const struct weft_ports three = {no_queues, list, 4, 3, 4};
    const struct weft_clos clos = lb_fat_tree("8");
    for (uint64_t seed = 0; seed < 100; seed++)
    {
        struct lb_place edge;
        uint32_t order[4];
        uint32_t n = 0;
        lb_open_at(&edge, &clos, 0, seed, "ofan", NULL);
        for (uint32_t i = 0; i < 4; i++)
        {
            const uint32_t port = lb_take(&edge, 70, WEFT_DATA, NULL);
            order[n] = port;
            n += port != 5;
        }
        for (uint32_t i = 0; i < 9; i++)
        {
            MUST(lb_take(&edge, 70, WEFT_DATA, &three) == order[i % 3]);
        }
        lb_close(&edge.rig);
    }
}
END_TEST

/* k = 8 with dead links, and the edge of pod 0 that the tests look at. */
struct hurt
{
    struct weft_clos clos;
    struct weft_fib *fib;
    struct lb_place edge;
};

static void
begin_hurt(struct hurt *h, uint64_t seed, bool weighted, const char *settings)
{
    h->clos = lb_fat_tree("8");
    const uint64_t agg_links = h->clos.nhosts + 32 * 4;
    /* Edge 6 (pod 1) loses uplink 0; aggregations 1 and 2 of pod 1 lose one core link and two. */
    const uint64_t dead[4] = {h->clos.nhosts + 6 * 4, agg_links + 5 * 4, agg_links + 6 * 4 + 1,
                              agg_links + 6 * 4 + 3};
    const size_t size = (size_t)weft_fib_size(&h->clos, dead, 4, weighted);
    h->fib = malloc(size);
    ck_assert_int_eq(weft_fib_build(h->fib, size, &h->clos, dead, 4, weighted), 0);
    lb_open_at(&h->edge, &h->clos, 1, seed, "ofan", settings);
    h->edge.rig.ops->set_routes(h->edge.rig.state, h->fib);
}

static void
end_hurt(struct hurt *h)
{
    lb_close(&h->edge.rig);
    free(h->fib);
}

/* Packets of @p n to host @p dst by uplink. */
static void
count_uplinks(struct hurt *h, uint32_t dst, uint32_t n, uint32_t *counts)
{
    struct weft_ports ports;
    memset(counts, 0, 4 * sizeof(*counts));
    for (uint32_t i = 0; i < n; i++)
    {
        ck_assert(weft_fib_route(h->fib, 1, &h->edge.map, dst, &ports));
        ports.queue_bytes = no_queues;
        counts[lb_take(&h->edge, dst, WEFT_DATA, &ports) - 4]++;
    }
}

/* Towards pod 1 the weights are 4, 3, 2, 4; edge 6 of it is not reached by uplink 0. The lists
 * of candidates may be weighted as well or not. */
START_TEST(shares_follow_the_weights_of_the_pod)
{
    for (uint64_t seed = 0; seed < 50; seed++)
    {
        struct hurt h;
        uint32_t n[4];
        begin_hurt(&h, seed, seed % 2, NULL);
        count_uplinks(&h, 16, 13 * 7, n);
        ck_assert(n[0] == 28 && n[1] == 21 && n[2] == 14 && n[3] == 28);
        count_uplinks(&h, 6 * 4, 9 * 7, n);
        ck_assert(n[0] == 0 && n[1] == 21 && n[2] == 14 && n[3] == 28);
        count_uplinks(&h, 40, 4 * 7, n); /* a pod that nothing has happened to */
        ck_assert(n[0] == 7 && n[1] == 7 && n[2] == 7 && n[3] == 7);
        count_uplinks(&h, 0, 4 * 7, n); /* the own pod */
        ck_assert(n[0] == 7 && n[1] == 7 && n[2] == 7 && n[3] == 7);
        h.edge.rig.ops->set_routes(h.edge.rig.state, NULL);
        for (uint32_t i = 0; i < 28; i++)
        {
            n[lb_take(&h.edge, 16, WEFT_DATA, NULL) - 4]++;
        }
        ck_assert(n[0] == 14 && n[1] == 14 && n[2] == 14 && n[3] == 14);
        end_hurt(&h);
    }
}
END_TEST

/* Flows that begin after convergence begin at a slot of the schedule as likely as at any other: at
 * an uplink as often as it weighs. Else all first packets would go evenly, to the weak ones too. */
START_TEST(pointers_start_at_a_random_slot_of_the_schedule)
{
    uint32_t n[4] = {0};
    for (uint64_t seed = 0; seed < 650; seed++)
    {
        struct hurt h;
        begin_hurt(&h, seed, true, NULL);
        for (uint32_t dst = 16; dst <= 20; dst += 4) /* edges 4 and 5, which all uplinks reach */
        {
            uint32_t once[4];
            count_uplinks(&h, dst, 1, once);
            for (uint32_t i = 0; i < 4; i++)
            {
                n[i] += once[i];
            }
        }
        end_hurt(&h);
    }
    double chi = 0;
    for (uint32_t i = 0; i < 4; i++)
    {
        static const double expected[] = {400, 300, 200, 400}; /* of 1300: weights 4, 3, 2, 4 */
        chi += (n[i] - expected[i]) * (n[i] - expected[i]) / expected[i];
    }
    ck_assert_double_lt(chi, 16.3); /* 3 degrees of freedom, 0.1 % */
}
END_TEST

/* A pod has one schedule: two of its edges are sent the same cycle of 13. */
START_TEST(pointers_to_a_pod_share_its_schedule)
{
    struct hurt h;
    uint32_t cycle[2][26];
    uint32_t shift = 0;
    begin_hurt(&h, 3, true, NULL);
    for (uint32_t i = 0; i < 26; i++)
    {
        for (uint32_t e = 0; e < 2; e++)
        {
            struct weft_ports ports;
            const uint32_t dst = e ? 20 : 16;
            ck_assert(weft_fib_route(h.fib, 1, &h.edge.map, dst, &ports));
            ports.queue_bytes = no_queues;
            cycle[e][i] = lb_take(&h.edge, dst, WEFT_DATA, &ports);
        }
    }
    while (shift < 13 && memcmp(cycle[0], cycle[1] + shift, 13 * sizeof(cycle[0][0])) != 0)
    {
        shift++;
    }
    ck_assert_uint_lt(shift, 13);
    end_hurt(&h);
}
END_TEST

/* App. F.4, second variant; lists may still hold a port as often as it weighs. */
START_TEST(without_weights_all_reachable_ports_are_alike)
{
    for (int weighted = 0; weighted < 2; weighted++)
    {
        struct hurt h;
        uint32_t n[4];
        begin_hurt(&h, 3, weighted, "weights=off");
        count_uplinks(&h, 16, 40, n);
        ck_assert(n[0] == 10 && n[1] == 10 && n[2] == 10 && n[3] == 10);
        count_uplinks(&h, 6 * 4, 30, n);
        ck_assert(n[0] == 0 && n[1] == 10 && n[2] == 10 && n[3] == 10);
        end_hurt(&h);
    }
}
END_TEST

START_TEST(two_tiers_rotate_per_destination_leaf_and_over_parallel_links)
{
    static const char *const settings[] = {"leaves", "4",        "spines", "3", "hosts-per-leaf",
                                           "4",      "parallel", "2",      NULL};
    struct weft_clos clos;
    struct lb_place leaf;
    struct lb_place spine;
    uint32_t ring[4][6];
    lb_build(&clos, "leaf-spine", settings);
    lb_open_at(&leaf, &clos, 0, 1, "ofan", NULL);
    lb_open_at(&spine, &clos, clos.ntors, 1, "ofan", NULL);
    for (uint32_t i = 0; i < 60; i++)
    {
        for (uint32_t to = 1; to < 4; to++)
        {
            const uint32_t port = lb_take(&leaf, to * 4 + i % 3, WEFT_DATA, NULL);
            MUST(port >= 4 && port < 10);
            MUST(i < 6 || ring[to][i % 6] == port);
            for (uint32_t k = 0; k < i && i < 6; k++)
            {
                MUST(ring[to][k] != port);
            }
            ring[to][i % 6] = port;
        }
    }
    /* Data to leaf 2 alternates between its two links, whatever replies do. */
    uint32_t last = lb_take(&spine, 8, WEFT_DATA, NULL);
    for (uint32_t i = 0; i < 20; i++)
    {
        (void)lb_take(&spine, 9, WEFT_ACK, NULL);
        const uint32_t port = lb_take(&spine, 8 + i % 4, WEFT_DATA, NULL);
        MUST(port / 2 == 2 && port + last == 4 + 5);
        last = port;
    }
    lb_close(&leaf.rig);
    lb_close(&spine.rig);
}
END_TEST

/* Else the first packets of all spines meet on the first link to each leaf. */
START_TEST(parallel_links_start_at_random)
{
    static const char *const settings[] = {"leaves", "4",        "spines", "3", "hosts-per-leaf",
                                           "4",      "parallel", "2",      NULL};
    struct weft_clos clos;
    uint32_t first[2][4] = {{0}};
    lb_build(&clos, "leaf-spine", settings);
    for (uint64_t seed = 0; seed < 400; seed++)
    {
        struct lb_place spine;
        lb_open_at(&spine, &clos, clos.ntors + (uint32_t)seed % 3, seed, "ofan", NULL);
        for (uint32_t leaf = 0; leaf < 4; leaf++)
        {
            const uint32_t data = lb_take(&spine, leaf * 4, WEFT_DATA, NULL);
            const uint32_t ack = lb_take(&spine, leaf * 4, WEFT_ACK, NULL);
            MUST(data / 2 == leaf && ack / 2 == leaf);
            first[0][leaf] += data % 2;
            first[1][leaf] += ack % 2;
        }
        lb_close(&spine.rig);
    }
    for (uint32_t i = 0; i < 8; i++)
    {
        ck_assert_uint_gt(first[i / 4][i % 4], 150); /* 5 sigma */
        ck_assert_uint_lt(first[i / 4][i % 4], 250);
    }
}
END_TEST

START_TEST(an_absurd_fabric_is_refused_with_the_reason)
{
    const struct weft_lb_ops *ops = weft_lb_find("ofan");
    struct weft_clos clos = lb_fat_tree("8");
    struct weft_site site = lb_site_of(&clos, 0, 1);
    uint64_t config[8];
    clos.npods = clos.ntors = 1 << 19;
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    const size_t size = ops->state_size(config, &site);
    ck_assert_uint_lt(size, 1024);
    void *state = malloc(size);
    struct weft_refusal why = {0};
    site.why = &why;
    ck_assert_int_eq(ops->init(state, config, &site), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "clos"));
    free(state);
}
END_TEST

Suite *
ofan_suite(void)
{
    Suite *suite = suite_create("ofan");
    TCase *tcase = tcase_create("ofan");
    tcase_add_test(tcase, an_edge_has_a_pointer_per_destination_edge_and_class);
    tcase_add_test(tcase, an_aggregation_has_a_pointer_per_destination_pod_and_class);
    tcase_add_test(tcase, k_64_takes_little_memory);
    tcase_add_test(tcase, starts_and_orders_are_random);
    tcase_add_test(tcase, pointers_to_a_pod_may_share_an_order);
    tcase_add_test(tcase, it_looks_at_queues_only_if_pointers_start_there);
    tcase_add_test(tcase, a_pointer_may_start_at_the_shortest_queue);
    tcase_add_test(tcase, unreachable_ports_are_passed_over);
    tcase_add_test(tcase, shares_follow_the_weights_of_the_pod);
    tcase_add_test(tcase, pointers_start_at_a_random_slot_of_the_schedule);
    tcase_add_test(tcase, pointers_to_a_pod_share_its_schedule);
    tcase_add_test(tcase, without_weights_all_reachable_ports_are_alike);
    tcase_add_test(tcase, two_tiers_rotate_per_destination_leaf_and_over_parallel_links);
    tcase_add_test(tcase, parallel_links_start_at_random);
    tcase_add_test(tcase, an_absurd_fabric_is_refused_with_the_reason);
    suite_add_tcase(suite, tcase);
    return suite;
}
