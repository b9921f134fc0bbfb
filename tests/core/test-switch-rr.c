/* SPDX-License-Identifier: MIT */
/* A user would lose per-packet spraying at switches (ofan §3.2(5)): turns that miss a port, or an
 * order that stays and lets senders synchronise. */
#include <check.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

#define DOWN 4
#define UP   8

static const uint32_t queues[DOWN + UP];
static const struct weft_ports up = {queues, NULL, DOWN, UP, UP};

/* Takes one full turn; every entry of the group once. */
static void
turn(struct lb_rig *rig, const struct weft_ports *ports, uint32_t *order)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < ports->n; i++)
    {
        order[i] = lb_pick(rig, ports);
        MUST(order[i] >= ports->first && order[i] < (uint32_t)ports->first + ports->width);
        MUST((seen >> order[i] & 1) == 0);
        seen |= UINT32_C(1) << order[i];
    }
}

/* Turns under one order, then another order: changes of order that kept it by chance are 1 in 8!.
 */
static void
check_turns(const char *settings, uint32_t turns, const struct weft_ports *ports)
{
    const struct weft_site site = lb_site(7, DOWN + UP);
    struct lb_rig rig;
    uint32_t kept = 0;
    uint32_t order[UP];
    uint32_t again[UP];
    lb_open(&rig, "switch-rr", settings, &site);
    memset(order, 0, sizeof(order));
    for (uint32_t period = 0; period < 300; period++)
    {
        turn(&rig, ports, again);
        kept += memcmp(order, again, ports->n * sizeof(*order)) == 0;
        memcpy(order, again, sizeof(order));
        for (uint32_t t = 1; t < turns; t++)
        {
            turn(&rig, ports, again);
            MUST(memcmp(order, again, ports->n * sizeof(*order)) == 0);
        }
    }
    ck_assert_uint_le(kept, 1);
    lb_close(&rig);
}

START_TEST(each_turn_visits_each_port_once_and_every_fifth_ends_the_order)
{
    check_turns(NULL, 5, &up);
    check_turns("turns=1", 1, &up);
    check_turns("turns=12", 12, &up);
}
END_TEST

START_TEST(every_order_is_as_likely)
{
    const struct weft_ports group = {queues, NULL, DOWN, 4, 4};
    static uint32_t counts[256];
    uint32_t orders[24];
    uint32_t n = 0;
    const struct weft_site site = lb_site(8, DOWN + UP);
    struct lb_rig rig;
    lb_open(&rig, "switch-rr", "turns=1", &site);
    for (uint32_t i = 0; i < 24000; i++)
    {
        uint32_t order[UP] = {0};
        turn(&rig, &group, order);
        counts[(order[0] & 3) << 6 | (order[1] & 3) << 4 | (order[2] & 3) << 2 | (order[3] & 3)]++;
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
    lb_close(&rig);
}
END_TEST

START_TEST(groups_do_not_disturb_each_other)
{
    const struct weft_ports down = {queues, NULL, 2, 2, 2};
    const struct weft_site site = lb_site(9, DOWN + UP);
    struct lb_rig rig;
    lb_open(&rig, "switch-rr", NULL, &site);
    for (uint32_t i = 0; i < 200; i++)
    {
        uint32_t seen = 0;
        for (uint32_t k = 0; k < UP; k++)
        {
            seen |= UINT32_C(1) << lb_pick(&rig, &up);
            if (k % 4 == 0)
            {
                seen |= UINT32_C(1) << lb_pick(&rig, &down);
            }
        }
        MUST(seen == (UINT32_C(255) << DOWN | UINT32_C(3) << 2));
    }
    lb_close(&rig);
}
END_TEST

/* Whether the periods of 5 turns over 7 ports that start at @p seq repeat their first turn. */
static bool
is_periodic(const uint32_t *seq, uint32_t periods)
{
    for (uint32_t i = 0; i < periods * 35; i++)
    {
        if (i % 35 >= 7 && seq[i] != seq[i - 7])
        {
            return false;
        }
    }
    return true;
}

/* A dead port: turns, orders and periods are those of a group of seven. */
START_TEST(the_ports_of_a_list_are_gone_through_likewise)
{
    static const uint16_t list[7] = {4, 5, 6, 8, 9, 10, 11};
    const struct weft_ports live = {queues, list, DOWN, 7, UP};
    const struct weft_site site = lb_site(10, DOWN + UP);
    static uint32_t seq[35 * 201];
    uint32_t start = 0;
    uint32_t kept = 0;
    struct lb_rig rig;
    lb_open(&rig, "switch-rr", NULL, &site);
    for (uint32_t i = 0; i < 35 * 201; i++)
    {
        seq[i] = lb_pick(&rig, &live);
    }
    while (start < 35 && !is_periodic(seq + start, 200)) /* the first period has begun before */
    {
        start++;
    }
    ck_assert_uint_lt(start, 35);
    for (uint32_t period = 0; period < 200; period++)
    {
        const uint32_t *order = seq + start + period * 35;
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 7; i++)
        {
            seen |= UINT32_C(1) << order[i];
        }
        MUST(seen == 0xf70);
        kept += period > 0 && memcmp(order, order - 35, 7 * sizeof(*order)) == 0;
    }
    ck_assert_uint_le(kept, 1);
    lb_close(&rig);
}
END_TEST

/* W-ECMP: a list far longer than the switch has ports, and packets to others in between. */
START_TEST(weights_are_kept_to_whatever_comes_in_between)
{
    static uint16_t list[2000];
    const struct weft_ports weighted = {queues, list, DOWN, 2000, UP};
    const struct weft_site site = lb_site(11, DOWN + UP);
    uint32_t counts[DOWN + UP] = {0};
    struct lb_rig rig;
    for (uint32_t i = 0; i < 2000; i++)
    {
        list[i] = (uint16_t)(i % 5 == 0 ? 4 : 5); /* 400 and 1600 */
    }
    lb_open(&rig, "switch-rr", NULL, &site);
    for (uint32_t i = 0; i < 2000 * 10; i++)
    {
        counts[lb_pick(&rig, &weighted)]++;
        (void)lb_pick(&rig, &up);
    }
    ck_assert_uint_ge(counts[4], 4000 - 400);
    ck_assert_uint_le(counts[4], 4000 + 400);
    ck_assert_uint_eq(counts[4] + counts[5], 20000);
    lb_close(&rig);
}
END_TEST

Suite *
switch_rr_suite(void)
{
    Suite *suite = suite_create("switch-rr");
    TCase *tcase = tcase_create("switch-rr");
    tcase_add_test(tcase, each_turn_visits_each_port_once_and_every_fifth_ends_the_order);
    tcase_add_test(tcase, every_order_is_as_likely);
    tcase_add_test(tcase, groups_do_not_disturb_each_other);
    tcase_add_test(tcase, the_ports_of_a_list_are_gone_through_likewise);
    tcase_add_test(tcase, weights_are_kept_to_whatever_comes_in_between);
    suite_add_tcase(suite, tcase);
    return suite;
}
