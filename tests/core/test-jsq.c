/* SPDX-License-Identifier: MIT */
/* A user would lose the greedy optimum that ofan's theorem 1 is about: a longer queue joined, or
 * ties that always go to one port. */
#include <check.h>

#include "lb-rig.h"
#include "must.h"

#define PORTS 64

/* Against the definition, on random queues with many ties, groups and lists with weights. */
START_TEST(no_candidate_has_a_shorter_queue)
{
    const struct weft_site site = lb_site(1, PORTS);
    struct weft_rng rng;
    struct lb_rig rig;
    weft_rng_seed(&rng, 1, 1, 1);
    lb_open(&rig, "jsq", NULL, &site);
    for (uint32_t repeat = 0; repeat < 20000; repeat++)
    {
        uint32_t queues[PORTS];
        uint16_t list[2 * PORTS];
        const uint32_t levels = 1 + weft_rng_below(&rng, 40);
        const uint16_t n = (uint16_t)(1 + weft_rng_below(&rng, 2 * PORTS));
        for (uint32_t i = 0; i < PORTS; i++)
        {
            queues[i] = weft_rng_below(&rng, levels) * 4178;
        }
        for (uint32_t i = 0; i < n; i++)
        {
            list[i] = (uint16_t)weft_rng_below(&rng, PORTS);
        }
        const struct weft_ports listed = {queues, list, 0, n, PORTS};
        const struct weft_ports whole = {queues, NULL, 16, 48, 48};
        const struct weft_ports *ports = repeat % 2 ? &listed : &whole;
        const uint32_t port = lb_pick(&rig, ports);
        bool found = false;
        for (uint32_t i = 0; i < ports->n; i++)
        {
            found = found || weft_port_at(ports, i) == port;
            MUST(queues[weft_port_at(ports, i)] >= queues[port]);
        }
        MUST(found);
    }
    lb_close(&rig);
}
END_TEST

START_TEST(ties_are_broken_evenly)
{
    const struct weft_site site = lb_site(2, PORTS);
    uint32_t queues[PORTS];
    uint32_t counts[PORTS] = {0};
    uint32_t tied[PORTS / 4];
    struct lb_rig rig;
    const struct weft_ports ports = {queues, NULL, 0, PORTS, PORTS};
    for (uint32_t i = 0; i < PORTS; i++)
    {
        queues[i] = i % 4 == 1 ? 1000 : 1001;
    }
    lb_open(&rig, "jsq", NULL, &site);
    for (uint32_t i = 0; i < 32000; i++)
    {
        counts[lb_pick(&rig, &ports)]++;
    }
    for (uint32_t i = 0; i < PORTS; i++)
    {
        ck_assert(i % 4 == 1 || counts[i] == 0);
        tied[i / 4] = counts[i / 4 * 4 + 1];
    }
    ck_assert_double_lt(lb_unevenness(tied, PORTS / 4), 4);
    lb_close(&rig);
}
END_TEST

/* W-ECMP: of two empty ports, the one with three entries is taken three times as often. */
START_TEST(ties_count_by_their_weights)
{
    static const uint32_t queues[4] = {0, 0, 9000, 0};
    static const uint16_t list[6] = {0, 1, 2, 0, 2, 0};
    const struct weft_ports ports = {queues, list, 0, 6, 4};
    const struct weft_site site = lb_site(3, 4);
    uint32_t counts[4] = {0};
    struct lb_rig rig;
    lb_open(&rig, "jsq", NULL, &site);
    for (uint32_t i = 0; i < 16000; i++)
    {
        counts[lb_pick(&rig, &ports)]++;
    }
    ck_assert(counts[2] == 0 && counts[3] == 0);
    ck_assert_uint_gt(counts[0], 12000 - 250); /* 4.5 standard deviations */
    ck_assert_uint_lt(counts[0], 12000 + 250);
    lb_close(&rig);
}
END_TEST

/* With a list in rounds ports 0 to 3 have weights 4, 2, 3 and 2, and each group of ties its own
 * shares. */
START_TEST(ties_of_a_list_in_rounds_count_by_their_weights)
{
    static const uint16_t list[7] = {0, 1, 2, 3, 0, 2, 0};
    static const uint32_t weight[4] = {4, 2, 3, 2};
    const struct weft_site site = lb_site(4, 4);
    for (uint32_t tied = 1; tied < 16; tied++)
    {
        uint32_t queues[4];
        uint32_t counts[4] = {0};
        uint32_t all = 0;
        struct lb_rig rig;
        const struct weft_ports ports = {queues, list, 0, 11, 4, 4, 8};
        for (uint32_t i = 0; i < 4; i++)
        {
            queues[i] = tied >> i & 1U ? 500 : 501;
            all += tied >> i & 1U ? weight[i] : 0;
        }
        lb_open(&rig, "jsq", NULL, &site);
        for (uint32_t i = 0; i < 20000; i++)
        {
            counts[lb_pick(&rig, &ports)]++;
        }
        for (uint32_t i = 0; i < 4; i++)
        {
            const double share = tied >> i & 1U ? weight[i] / (double)all : 0;
            ck_assert_double_eq_tol(counts[i] / 20000.0, share, 0.016); /* 4.5 deviations */
        }
        lb_close(&rig);
    }
}
END_TEST

Suite *
jsq_suite(void)
{
    Suite *suite = suite_create("jsq");
    TCase *tcase = tcase_create("jsq");
    tcase_add_test(tcase, no_candidate_has_a_shorter_queue);
    tcase_add_test(tcase, ties_are_broken_evenly);
    tcase_add_test(tcase, ties_count_by_their_weights);
    tcase_add_test(tcase, ties_of_a_list_in_rounds_count_by_their_weights);
    suite_add_tcase(suite, tcase);
    return suite;
}
