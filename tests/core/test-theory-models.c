/* SPDX-License-Identifier: MIT */
/*
 * OFAN's models of collisions, queues and packet sizes. If these fail, simulations are compared
 * with something the paper's analysis does not say.
 */
#include <check.h>
#include <math.h>

#include <weft/rng.h>
#include <weft/theory.h>

#include "must.h"

Suite *theory_models_suite(void);

/* k = 4, 16 hosts, two per edge: 14/15 of all leave, then 13/14; 14/15 go to any edge, 1/14 along.
 */
START_TEST(collisions_in_the_smallest_fat_tree_by_hand)
{
    ck_assert_double_eq_tol(weft_all_northbound(4), 13.0 / 15, 1e-12);
    ck_assert_double_eq_tol(weft_all_to_one_edge(4), 1.0 / 15, 1e-12);
    ck_assert_double_eq_tol(weft_red_edge(4), 0.8, 1e-12);
    ck_assert_double_eq_tol(weft_colliding_pairs(4, 1), 120 * 0.64 * 0.5 / 13, 1e-12);
    ck_assert_double_eq_tol(weft_colliding_pairs_across(4, 1), 112 * 0.64 * 0.5 / 13, 1e-12);
    ck_assert_double_eq_tol(weft_safe_flow(4, 200.0 / 41780), 1 - 400.0 / 41780, 1e-12);
}
END_TEST

/* Eq. 24 bounds Eq. 8 from below; Eq. 20: JSQ collides less than round-robin. */
START_TEST(collisions_obey_the_papers_inequalities)
{
    for (uint32_t k = 4; k <= 128; k += 2)
    {
        double safe = weft_safe_flow(k, 200.0 / 41780);
        ck_assert_double_ge(weft_all_northbound(k), 1 - (k - 2.0) / ((double)k * k - 2));
        ck_assert_double_lt(weft_colliding_pairs(k, safe), weft_colliding_pairs(k, 1));
        ck_assert_double_lt(weft_colliding_pairs_across(k, 1), weft_colliding_pairs(k, 1));
        ck_assert_double_gt(weft_red_edge(k), 0.79);
    }
    ck_assert_double_eq_tol(weft_safe_flow(64, 0.1), pow(0.8, 31), 1e-12);
}
END_TEST

/* Random permutations of 128 hosts, edges of 4: how often does all traffic leave an edge? */
START_TEST(red_edges_are_as_frequent_as_in_random_permutations)
{
    struct weft_rng rng;
    uint32_t north = 0;
    uint32_t edges = 0;
    weft_rng_seed(&rng, 5, 5, 5);
    for (int run = 0; run < 3000; run++)
    {
        uint32_t to[128];
        uint32_t fixed = 0;
        for (uint32_t i = 0; i < 128; i++)
        {
            uint32_t j = weft_rng_below(&rng, i + 1);
            to[i] = to[j];
            to[j] = i;
        }
        for (uint32_t i = 0; i < 128; i++)
        {
            fixed += to[i] == i;
        }
        for (uint32_t e = 0; fixed == 0 && e < 32; e++)
        {
            uint32_t inside = 0;
            for (uint32_t i = 4 * e; i < 4 * e + 4; i++)
            {
                inside += to[i] / 4 == e;
            }
            north += inside == 0;
            edges++;
        }
    }
    ck_assert_uint_gt(edges, 30000);
    double sigma = sqrt(0.08 / edges);
    ck_assert_double_eq_tol((double)north / edges, weft_all_northbound(8), 4 * sigma);
}
END_TEST

START_TEST(random_spraying_grows_as_the_root_of_the_message)
{
    ck_assert_double_eq_tol(weft_random_spray_queue(8, 256), sqrt(0.75 * 512 / 3.14159265), 1e-6);
    ck_assert_double_eq_tol(weft_random_spray_queue(8, 4096), 4 * weft_random_spray_queue(8, 256),
                            1e-9);
}
END_TEST

/* A single source has work 1, served at once. Two at full load: more than one is there 1/4 of the
 * time. */
START_TEST(periodic_queues_by_hand)
{
    ck_assert_double_eq_tol(weft_periodic_tail(1, 4, 0.5), 0.5 / 4, 1e-12);
    ck_assert_double_eq_tol(weft_periodic_queue(1, 4), 0.25, 1e-12);
    ck_assert_double_eq_tol(weft_periodic_tail(2, 2, 0), 1, 1e-12);
    ck_assert_double_eq_tol(weft_periodic_tail(2, 2, 1), 0.25, 1e-12);
    ck_assert_double_eq_tol(weft_periodic_queue(2, 2), 1.25, 1e-12);
    ck_assert_double_eq_tol(weft_periodic_tail(3, 5, 0), 0.6, 1e-12); /* the load */
    ck_assert_double_eq(weft_periodic_tail(3, 5, 3), 0);
    ck_assert_double_eq(weft_periodic_queue(0, 5), 0);
    ck_assert(isinf(weft_periodic_queue(3, 2)) && isinf(weft_periodic_queue_bridge(3, 2)));
    ck_assert(isinf(weft_periodic_queue_truncated(3, 2)));
    ck_assert_double_eq(weft_periodic_queue_bridge(0, 1), 0);
}
END_TEST

/* Unfinished work at a random time: the i youngest packets came within the last age[i]. */
static double
work_now(uint32_t sources, double period, struct weft_rng *rng)
{
    double age[64];
    double work = 0;
    for (uint32_t i = 0; i < sources; i++)
    {
        uint32_t at = i;
        double a = period * weft_rng_unit(rng);
        for (; at > 0 && age[at - 1] > a; at--)
        {
            age[at] = age[at - 1];
        }
        age[at] = a;
    }
    for (uint32_t i = 0; i < sources; i++)
    {
        work = i + 1 - age[i] > work ? i + 1 - age[i] : work;
    }
    return work;
}

START_TEST(periodic_queues_are_those_of_random_phases)
{
    static const struct
    {
        uint32_t sources;
        double period;
    } cases[] = {{4, 4}, {8, 8}, {8, 10}, {32, 32}, {32, 33.5}, {64, 64}};
    const int runs = 40000;
    struct weft_rng rng;
    weft_rng_seed(&rng, 6, 6, 6);
    for (int c = 0; c < 6; c++)
    {
        uint32_t above[4] = {0};
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < runs; i++)
        {
            double work = work_now(cases[c].sources, cases[c].period, &rng);
            sum += ceil(work);
            squares += ceil(work) * ceil(work);
            for (int x = 0; x < 4; x++)
            {
                above[x] += work > 1.3 * x + 0.2;
            }
        }
        for (int x = 0; x < 4; x++)
        {
            double p = weft_periodic_tail(cases[c].sources, cases[c].period, 1.3 * x + 0.2);
            double sigma = sqrt(p * (1 - p) / runs) + 1e-9;
            ck_assert_double_eq_tol((double)above[x] / runs, p, 4 * sigma);
        }
        double mean = weft_periodic_queue(cases[c].sources, cases[c].period);
        double sigma = sqrt((squares / runs - mean * mean) / runs);
        ck_assert_double_eq_tol(sum / runs, mean, 4 * sigma);
    }
}
END_TEST

/* The bridge lacks the packet in service, half a packet at full load; its share falls as the root.
 */
START_TEST(the_gaussian_approximation_closes_in_on_the_exact_queue)
{
    for (uint32_t n = 16; n <= 1024; n *= 4)
    {
        double exact = weft_periodic_queue(n, n);
        double bridge = weft_periodic_queue_bridge(n, n);
        ck_assert_double_eq_tol(bridge, sqrt(3.14159265358979 * n / 8), 1e-9);
        ck_assert_double_gt(exact, bridge);
        ck_assert_double_lt(exact - bridge, 1);
        ck_assert_double_lt(weft_periodic_queue_truncated(n, n), bridge);
        ck_assert_double_eq_tol(weft_periodic_queue_truncated(n, n),
                                sqrt(n / (2 * 3.14159265358979)), 1e-9);
    }
}
END_TEST

/* Far from full load the series takes over from erfc: no step, and neither overflows. */
START_TEST(gaussian_queues_are_continuous_and_fall_with_the_period)
{
    double last = weft_periodic_queue_bridge(100, 100);
    double last_truncated = weft_periodic_queue_truncated(100, 100);
    for (double period = 101; period < 2000; period += 1)
    {
        double bridge = weft_periodic_queue_bridge(100, period);
        double truncated = weft_periodic_queue_truncated(100, period);
        MUST(bridge < last && bridge > last * 0.85);
        MUST(truncated < last_truncated && truncated > last_truncated * 0.85);
        last = bridge;
        last_truncated = truncated;
    }
    ck_assert_double_eq_tol(weft_periodic_queue_bridge(100, 1e9), 5e-8, 1e-10);
}
END_TEST

/* k = 16: 8 x (1 - 7/1023), 64 x (1 - 63/1023), 128 x (1 - (127/128)^8). */
START_TEST(expected_flows_of_host_dr_and_ofan)
{
    ck_assert_double_eq_tol(weft_host_dr_edge_flows(16), 7.945259, 1e-6);
    ck_assert_double_eq_tol(weft_host_dr_pod_flows(16), 60.058651, 1e-6);
    ck_assert_double_eq_tol(weft_ofan_edge_flows(16), 7.784635, 1e-6);
    for (uint32_t k = 16; k <= 128; k *= 2) /* Taylor: k/2 - 1/4 */
    {
        ck_assert_double_eq_tol(weft_ofan_edge_flows(k), k / 2.0 - 0.25, 1.0 / k);
    }
}
END_TEST

START_TEST(pointers_at_65536_hosts_are_the_papers)
{
    struct weft_pointers p;
    weft_pointer_counts(64, &p);
    ck_assert_uint_eq(p.simple_rr, 1);
    ck_assert_uint_eq(p.ofan_edge, 2047);
    ck_assert_uint_eq(p.ofan_aggregation, 63);
    ck_assert_uint_eq(p.host_dr, 65535);
    ck_assert_uint_eq(p.host_dr_downlink, 1024);
    /* F.2: consolidation gains more than k/4 */
    ck_assert_uint_gt(p.host_dr_downlink, 64 / 4 * p.ofan_aggregation);
}
END_TEST

/* 5qr/b with q = 800 KB, about 200 packets: 1,000 in the permutation; each of the all-to-all's 127
 * flows has that part of the line. Packets of 4,158 B make it 985 and 7.8. */
START_TEST(worst_reordering_is_from_8_to_1000_packets)
{
    ck_assert_double_eq_tol(weft_worst_reordering(5, 200, 1), 1000, 1e-9);
    ck_assert_double_eq(ceil(weft_worst_reordering(5, 200, 1 / 127.0)), 8);
    ck_assert_double_eq(floor(weft_worst_reordering(5, 819200 / 4158.0, 1)), 985);
    ck_assert_double_eq(ceil(weft_worst_reordering(5, 819200 / 4158.0, 1 / 127.0)), 8);
}
END_TEST

/* App. E, F.3 at k = 16, as figures 17 and 19 have it: edge and next layer, the two readings of a
 * truncated normal distribution and the exact queue. */
START_TEST(queue_models_of_figures_17_and_19)
{
    double edge = weft_host_dr_edge_flows(16);
    double pod = weft_host_dr_pod_flows(16);
    double pointers = weft_ofan_edge_flows(16);
    ck_assert_double_eq_tol(edge, 7.945, 0.001);
    ck_assert_double_eq_tol(weft_periodic_queue_truncated(edge, 8), 1.11, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_bridge(edge, 8), 1.74, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue(8, 8), 2.12, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_truncated(pod, 64), 2.48, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_bridge(pod, 64), 3.38, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_truncated(pointers, 8), 1.07, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_bridge(pointers, 8), 1.65, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_truncated(15, 15), 1.55, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue_bridge(15, 15), 2.43, 0.005);
    ck_assert_double_eq_tol(weft_periodic_queue(15, 15), 2.77, 0.005);
}
END_TEST

/* H = 82 B, alpha = 10 (figure 11): sqrt(8.2 x 10^6) = 2863.6 B for 1 MB, 518.4 B for 32 KiB. */
START_TEST(best_packets_are_figure_11s)
{
    ck_assert_double_eq_tol(weft_best_payload(1e6, 82, 10), 2863.564, 1e-3);
    ck_assert_double_eq_tol(weft_best_payload(32768, 82, 10), 518.361, 1e-3);
    ck_assert_double_eq_tol(weft_message_cost(1000, 100, 10, 100), 200 * 20, 1e-9);
    ck_assert_double_eq_tol(weft_message_cost_sqrt(1600, 100, 2, 100), 200 * (16 + 8), 1e-9);
}
END_TEST

/* Every other payload costs more. */
START_TEST(best_packets_cost_least)
{
    for (double bytes = 1e4; bytes < 1e10; bytes *= 10)
    {
        double best = weft_best_payload(bytes, 82, 10);
        double best_sqrt = weft_best_payload_sqrt(bytes, 82, 3);
        double least = weft_message_cost(bytes, 82, 10, best);
        double least_sqrt = weft_message_cost_sqrt(bytes, 82, 3, best_sqrt);
        for (double f = 0.5; f < 2; f += 0.01)
        {
            MUST(weft_message_cost(bytes, 82, 10, best * f) >= least * (1 - 1e-12));
            MUST(weft_message_cost_sqrt(bytes, 82, 3, best_sqrt * f) >= least_sqrt * (1 - 1e-12));
        }
        MUST(weft_message_cost_sqrt(bytes, 82, 3, best_sqrt * 1.1) > least_sqrt * (1 + 1e-5));
        MUST(weft_message_cost_sqrt(bytes, 82, 3, best_sqrt / 1.1) > least_sqrt * (1 + 1e-5));
    }
    /* Theta(D^(1/3)): a thousand times the bytes, ten times the payload */
    double ratio = weft_best_payload_sqrt(1e18, 82, 3) / weft_best_payload_sqrt(1e15, 82, 3);
    ck_assert_double_eq_tol(ratio, 10, 0.01);
    ck_assert_double_eq_tol(weft_best_payload_sqrt(1e18, 82, 3) / (pow(164.0 / 3, 2.0 / 3) * 1e6),
                            1, 0.001);
}
END_TEST

Suite *
theory_models_suite(void)
{
    Suite *suite = suite_create("theory-models");
    TCase *tc = tcase_create("theory-models");
    tcase_add_test(tc, collisions_in_the_smallest_fat_tree_by_hand);
    tcase_add_test(tc, collisions_obey_the_papers_inequalities);
    tcase_add_test(tc, red_edges_are_as_frequent_as_in_random_permutations);
    tcase_add_test(tc, random_spraying_grows_as_the_root_of_the_message);
    tcase_add_test(tc, periodic_queues_by_hand);
    tcase_add_test(tc, periodic_queues_are_those_of_random_phases);
    tcase_add_test(tc, the_gaussian_approximation_closes_in_on_the_exact_queue);
    tcase_add_test(tc, gaussian_queues_are_continuous_and_fall_with_the_period);
    tcase_add_test(tc, expected_flows_of_host_dr_and_ofan);
    tcase_add_test(tc, pointers_at_65536_hosts_are_the_papers);
    tcase_add_test(tc, worst_reordering_is_from_8_to_1000_packets);
    tcase_add_test(tc, queue_models_of_figures_17_and_19);
    tcase_add_test(tc, best_packets_are_figure_11s);
    tcase_add_test(tc, best_packets_cost_least);
    suite_add_tcase(suite, tc);
    return suite;
}
