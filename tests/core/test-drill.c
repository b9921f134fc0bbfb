/* SPDX-License-Identifier: MIT */
/* A user would lose what a few samples and a memory buy: packets that join longer queues, or a
 * memory of ports that are dead, or of another group. */
#include <check.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

#define PORTS 16

/* DRILL(2, 0), port 0 empty, 1 to 3 full: without replacement it is drawn half of the time. */
START_TEST(samples_are_drawn_without_replacement)
{
    static const uint32_t queues[PORTS] = {0, 9, 9, 9};
    const struct weft_site site = lb_site(1, PORTS);
    const struct weft_ports ports = {queues, NULL, 0, 4, 4};
    struct lb_rig rig;
    uint32_t counts[PORTS] = {0};
    lb_open(&rig, "drill", "d=2 m=0", &site);
    for (int i = 0; i < 40000; i++)
    {
        counts[lb_pick(&rig, &ports)]++;
    }
    ck_assert(counts[0] > 19500 && counts[0] < 20500); /* 5 sigma */
    ck_assert_double_lt(lb_unevenness(counts + 1, 3), 5);
    lb_close(&rig);
}
END_TEST

/* DRILL(1, 1): the best port is found once and then never left while it stays the best. */
START_TEST(the_best_port_is_remembered_per_group)
{
    uint32_t queues[PORTS];
    const struct weft_site site = lb_site(2, PORTS);
    const struct weft_ports low = {queues, NULL, 0, 8, 8};
    const struct weft_ports high = {queues, NULL, 8, 8, 8};
    struct lb_rig rig;
    for (uint32_t i = 0; i < PORTS; i++)
    {
        queues[i] = i == 3 || i == 12 ? 0 : 5000;
    }
    lb_open(&rig, "drill", "d=1 m=1", &site);
    for (int i = 0; i < 1000; i++)
    {
        const uint32_t a = lb_pick(&rig, &low);
        const uint32_t b = lb_pick(&rig, &high);
        MUST(a < 8 && b >= 8);
        MUST(i < 300 || (a == 3 && b == 12));
    }
    queues[3] = 6000;
    ck_assert_uint_ne(lb_pick(&rig, &low), 3);
    lb_close(&rig);
}
END_TEST

/* DRILL(1, 1) over equal queues: what was drawn comes before what is remembered. Were it the other
 * way round, a switch would stay at one port as long as all queues are empty. */
START_TEST(a_remembered_port_is_no_better_than_an_equal_one)
{
    static const uint32_t queues[PORTS] = {0};
    const struct weft_site site = lb_site(5, PORTS);
    const struct weft_ports ports = {queues, NULL, 0, 8, 8};
    struct lb_rig rig;
    uint32_t counts[8] = {0};
    uint32_t stays = 0;
    lb_open(&rig, "drill", "d=1 m=1", &site);
    for (uint32_t i = 0, last = 0; i < 16000; i++)
    {
        const uint32_t port = lb_pick(&rig, &ports);
        stays += port == last;
        last = port;
        counts[port]++;
    }
    ck_assert_double_lt(lb_unevenness(counts, 8), 5);
    ck_assert(stays > 1790 && stays < 2210); /* one in 8; 5 sigma */
    lb_close(&rig);
}
END_TEST

START_TEST(a_dead_port_is_forgotten)
{
    static const uint16_t live[] = {0, 1, 2, 4, 5, 6, 7};
    uint32_t queues[PORTS] = {9, 9, 9, 0, 9, 9, 9, 9};
    const struct weft_site site = lb_site(3, PORTS);
    const struct weft_ports all = {queues, NULL, 0, 8, 8};
    const struct weft_ports hurt = {queues, live, 0, 7, 8};
    struct lb_rig rig;
    lb_open(&rig, "drill", "d=2 m=4", &site);
    while (lb_pick(&rig, &all) != 3)
    {
    }
    for (int i = 0; i < 1000; i++)
    {
        MUST(lb_pick(&rig, &hurt) != 3);
    }
    lb_close(&rig);
}
END_TEST

/* As many samples as ports: the shortest queue, as jsq finds it; on lists with weights as well. */
START_TEST(with_all_ports_drawn_it_joins_the_shortest_queue)
{
    const struct weft_site site = lb_site(4, PORTS);
    struct weft_rng rng;
    struct lb_rig rig;
    weft_rng_seed(&rng, 4, 0, 0);
    lb_open(&rig, "drill", "d=16 m=2", &site);
    for (int repeat = 0; repeat < 5000; repeat++)
    {
        static const uint16_t list[] = {2, 5, 7, 2, 5};
        uint32_t queues[PORTS];
        const struct weft_ports whole = {queues, NULL, 0, PORTS, PORTS};
        const struct weft_ports listed = {queues, list, 0, 5, PORTS, 3, 5};
        const struct weft_ports *ports = repeat % 2 ? &whole : &listed;
        for (uint32_t i = 0; i < PORTS; i++)
        {
            queues[i] = weft_rng_below(&rng, 30);
        }
        const uint32_t port = lb_pick(&rig, ports);
        for (uint32_t i = 0; i < ports->n; i++)
        {
            MUST(queues[weft_port_at(ports, i)] >= queues[port]);
        }
    }
    lb_close(&rig);
}
END_TEST

Suite *
drill_suite(void)
{
    Suite *suite = suite_create("drill");
    TCase *tcase = tcase_create("drill");
    tcase_add_test(tcase, samples_are_drawn_without_replacement);
    tcase_add_test(tcase, the_best_port_is_remembered_per_group);
    tcase_add_test(tcase, a_remembered_port_is_no_better_than_an_equal_one);
    tcase_add_test(tcase, a_dead_port_is_forgotten);
    tcase_add_test(tcase, with_all_ports_drawn_it_joins_the_shortest_queue);
    suite_add_tcase(suite, tcase);
    return suite;
}
