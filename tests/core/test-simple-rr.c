/* SPDX-License-Identifier: MIT */
/* A user would lose the baseline of ofan's theorem 1: a rotation that skips, that knows of
 * destinations, or whose switches all start alike. */
#include <check.h>

#include "lb-rig.h"
#include "must.h"

#define DOWN 8
#define UP   6

static const uint32_t queues[DOWN + UP];

START_TEST(packet_i_takes_port_i_mod_n_from_a_random_start)
{
    const struct weft_ports up = {queues, NULL, DOWN, UP, UP};
    static uint32_t starts[UP];
    for (uint64_t seed = 0; seed < 6000; seed++)
    {
        const struct weft_site site = lb_site(seed, DOWN + UP);
        struct lb_rig rig;
        lb_open(&rig, "simple-rr", NULL, &site);
        const uint32_t start = lb_pick(&rig, &up) - DOWN;
        MUST(start < UP);
        starts[start]++;
        for (uint32_t i = 1; i < 20; i++)
        {
            MUST(lb_pick(&rig, &up) == DOWN + (start + i) % UP);
        }
        lb_close(&rig);
    }
    ck_assert_double_lt(lb_unevenness(starts, UP), 4);
}
END_TEST

/* ofan §6.1: the pointer is the group's; neither destination nor kind of packet matters. */
START_TEST(a_group_has_one_pointer_and_groups_are_apart)
{
    const struct weft_ports up = {queues, NULL, DOWN, UP, UP};
    const struct weft_ports down = {queues, NULL, 2, 2, 2};
    const struct weft_site site = lb_site(3, DOWN + UP);
    struct weft_packet packet = {0};
    struct lb_rig rig;
    lb_open(&rig, "simple-rr", NULL, &site);
    uint32_t last = lb_pick(&rig, &up) - DOWN;
    uint32_t last_down = lb_pick(&rig, &down);
    for (uint32_t i = 0; i < 1000; i++)
    {
        packet.dst = (i * 37) & WEFT_HOST_MASK;
        packet.kind = (uint8_t)(i % 5);
        const uint32_t foretold = rig.ops->peek(rig.state, &up, &packet);
        const uint32_t port = rig.ops->pick(rig.state, &up, &packet, 0);
        MUST(port == foretold && port - DOWN == (last + 1) % UP);
        last = port - DOWN;
        if (i % 3 == 0)
        {
            const uint32_t child = lb_pick(&rig, &down);
            MUST(child + last_down == 2 + 3); /* ports 2 and 3 in turn */
            last_down = child;
        }
    }
    lb_close(&rig);
}
END_TEST

/* W-ECMP: port 8 has weight 3, 9 and 10 have 1. Packets to other destinations come in between. */
START_TEST(a_weighted_list_is_gone_through_entry_by_entry)
{
    static const uint16_t list[5] = {8, 9, 10, 8, 8};
    const struct weft_ports weighted = {queues, list, DOWN, 5, UP};
    const struct weft_ports whole = {queues, NULL, DOWN, UP, UP};
    const struct weft_site site = lb_site(4, DOWN + UP);
    uint32_t counts[DOWN + UP] = {0};
    struct lb_rig rig;
    lb_open(&rig, "simple-rr", NULL, &site);
    for (uint32_t i = 0; i < 500; i++)
    {
        counts[lb_pick(&rig, &weighted)]++;
    }
    ck_assert(counts[8] == 300 && counts[9] == 100 && counts[10] == 100);
    counts[8] = counts[9] = counts[10] = 0;
    for (uint32_t i = 0; i < 500; i++)
    {
        counts[lb_pick(&rig, &weighted)]++;
        (void)lb_pick(&rig, &whole);
    }
    ck_assert(counts[8] == 300 && counts[9] == 100 && counts[10] == 100);
    lb_close(&rig);
}
END_TEST

/* The price of one count for all destinations: where every third packet of a group is for the one
 * with a list of 3, they all take one port. (ofan's pointers, one per destination, would not.) */
START_TEST(a_list_whose_length_the_traffic_repeats_is_starved)
{
    static const uint16_t list[3] = {8, 9, 10};
    const struct weft_ports three = {queues, list, DOWN, 3, UP, 3, 3};
    const struct weft_ports whole = {queues, NULL, DOWN, UP, UP};
    for (uint64_t seed = 0; seed < 20; seed++)
    {
        const struct weft_site site = lb_site(seed, DOWN + UP);
        struct lb_rig rig;
        lb_open(&rig, "simple-rr", NULL, &site);
        const uint32_t only = lb_pick(&rig, &three);
        for (uint32_t i = 1; i < 300; i++)
        {
            const uint32_t port = lb_pick(&rig, i % 3 == 0 ? &three : &whole);
            MUST(i % 3 != 0 || port == only);
        }
        lb_close(&rig);
    }
}
END_TEST

Suite *
simple_rr_suite(void)
{
    Suite *suite = suite_create("simple-rr");
    TCase *tcase = tcase_create("simple-rr");
    tcase_add_test(tcase, packet_i_takes_port_i_mod_n_from_a_random_start);
    tcase_add_test(tcase, a_group_has_one_pointer_and_groups_are_apart);
    tcase_add_test(tcase, a_weighted_list_is_gone_through_entry_by_entry);
    tcase_add_test(tcase, a_list_whose_length_the_traffic_repeats_is_starved);
    suite_add_tcase(suite, tcase);
    return suite;
}
