/* SPDX-License-Identifier: MIT */
/* A user would lose OFAN's weighted rotation (ofan App. F.4): shares that are not the weights', or
 * bursts on one port. */
#include <check.h>
#include <string.h>

#include "lb-rig.h"
#include "lb/iwrr.h"
#include "must.h"

#define PORTS 8
#define SLOTS 4096

/* App. F.4: "{1600, 1600, 1600, 800} ... reshuffled into {P3, P2, P4, P1}, yielding for example
 * IWRR schedule {P3, P2, P4, P1, P3, P2, P1}". */
START_TEST(the_papers_example)
{
    static const uint32_t schedule[7] = {3, 2, 4, 1, 3, 2, 1};
    struct weft_iwrr_port at[4] = {{1600, 3}, {1600, 2}, {800, 4}, {1600, 1}};
    const struct weft_ports all = {NULL, NULL, 1, 4, 4};
    const struct weft_iwrr s = weft_iwrr_build(at, 4);
    struct weft_iwrr_slot slot = {0, 0};
    ck_assert_uint_eq(s.rounds, 2);
    ck_assert(at[0].weight == 2 && at[1].weight == 2 && at[2].weight == 1 && at[3].weight == 2);
    for (uint32_t i = 0; i < 7 * 3; i++)
    {
        ck_assert_uint_eq(weft_iwrr_take(&s, &slot, &all), schedule[i % 7]);
    }
}
END_TEST

/* A schedule written out, round by round, as the text has it. */
struct written
{
    struct weft_iwrr_port at[PORTS];
    struct weft_iwrr s;
    uint32_t slots[SLOTS];
    uint32_t n;
};

static void
write_out(struct written *w, struct weft_rng *rng)
{
    const uint32_t factor = 1 + weft_rng_below(rng, 50);
    for (uint32_t i = 0; i < PORTS; i++)
    {
        w->at[i].port = (i * 3 + 5) % PORTS;
        w->at[i].weight = factor * weft_rng_below(rng, 9);
    }
    w->at[1].weight = factor; /* no divisor but the factor */
    w->s = weft_iwrr_build(w->at, PORTS);
    w->n = 0;
    for (uint32_t round = 0; round < w->s.rounds; round++)
    {
        for (uint32_t i = 0; i < PORTS; i++)
        {
            if (w->at[i].weight > round)
            {
                w->slots[w->n++] = w->at[i].port;
            }
        }
    }
    ck_assert_uint_eq(w->at[1].weight, 1);
}

START_TEST(random_weights_follow_the_schedule_written_out)
{
    const struct weft_ports all = {NULL, NULL, 0, PORTS, PORTS};
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 1, 1);
    for (uint32_t repeat = 0; repeat < 500; repeat++)
    {
        struct written w;
        struct weft_iwrr_slot slot = {0, 0};
        write_out(&w, &rng);
        for (uint32_t i = 0; i < 3 * w.n; i++)
        {
            MUST(weft_iwrr_take(&w.s, &slot, &all) == w.slots[i % w.n]);
        }
    }
}
END_TEST

/* With the ports of a random list only, the others' slots are passed over for good. */
START_TEST(unreachable_ports_are_passed_over_for_good)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 2, 1, 1);
    for (uint32_t repeat = 0; repeat < 500; repeat++)
    {
        struct written w;
        struct weft_iwrr_slot slot = {0, 0};
        uint16_t list[PORTS + 1];
        uint16_t n = 0;
        uint32_t reachable[SLOTS];
        uint32_t count = 0;
        write_out(&w, &rng);
        for (uint32_t i = 0; i < PORTS; i++)
        {
            list[n] = (uint16_t)i;
            n = (uint16_t)(n + weft_rng_below(&rng, 2));
        }
        list[n++] = (uint16_t)w.at[1].port;
        const struct weft_ports some = {NULL, list, 0, n, PORTS};
        for (uint32_t i = 0; i < w.n; i++)
        {
            reachable[count] = w.slots[i];
            count += weft_ports_have(&some, w.slots[i]);
        }
        for (uint32_t i = 0; i < 3 * count; i++)
        {
            MUST(weft_iwrr_take(&w.s, &slot, &some) == reachable[i % count]);
        }
    }
}
END_TEST

START_TEST(a_pointer_is_seated_at_any_slot_alike)
{
    struct weft_iwrr_port at[3] = {{6, 0}, {2, 1}, {10, 2}};
    const struct weft_iwrr s = weft_iwrr_build(at, 3); /* 3, 1 and 5 */
    uint32_t counts[15] = {0};
    uint32_t slots[9];
    uint32_t n = 0;
    struct weft_rng rng;
    weft_rng_seed(&rng, 3, 1, 1);
    for (uint32_t i = 0; i < 9000; i++)
    {
        struct weft_iwrr_slot slot = {99, i % 4};
        weft_iwrr_seat(&s, &slot, &rng);
        MUST(slot.place < 3 && slot.round < at[slot.place].weight);
        counts[slot.place * 5 + slot.round]++;
        const struct weft_iwrr_slot seated = slot;
        weft_iwrr_seat(&s, &slot, &rng);
        MUST(slot.place == seated.place && slot.round == seated.round);
    }
    for (uint32_t i = 0; i < 15; i++)
    {
        if (i % 5 < at[i / 5].weight)
        {
            slots[n++] = counts[i];
        }
    }
    ck_assert_uint_eq(n, 9);
    ck_assert_double_lt(lb_unevenness(slots, 9), 4);
}
END_TEST

START_TEST(no_port_left_is_said)
{
    struct weft_iwrr_port dead[2] = {{0, 0}, {0, 1}};
    struct weft_iwrr_port one[2] = {{0, 0}, {7, 1}};
    const struct weft_ports all = {NULL, NULL, 0, 2, 2};
    const struct weft_ports first = {NULL, NULL, 0, 1, 2};
    struct weft_iwrr_slot slot = {0, 0};
    struct weft_iwrr s = weft_iwrr_build(dead, 2);
    ck_assert_uint_eq(s.rounds, 0);
    ck_assert_uint_eq(weft_iwrr_take(&s, &slot, &all), WEFT_IWRR_NONE);
    s = weft_iwrr_build(one, 2);
    ck_assert_uint_eq(s.rounds, 1);
    ck_assert_uint_eq(weft_iwrr_take(&s, &slot, &all), 1);
    ck_assert_uint_eq(weft_iwrr_take(&s, &slot, &first), WEFT_IWRR_NONE);
}
END_TEST

Suite *
iwrr_suite(void)
{
    Suite *suite = suite_create("iwrr");
    TCase *tcase = tcase_create("iwrr");
    tcase_add_test(tcase, the_papers_example);
    tcase_add_test(tcase, random_weights_follow_the_schedule_written_out);
    tcase_add_test(tcase, unreachable_ports_are_passed_over_for_good);
    tcase_add_test(tcase, a_pointer_is_seated_at_any_slot_alike);
    tcase_add_test(tcase, no_port_left_is_said);
    suite_add_tcase(suite, tcase);
    return suite;
}
