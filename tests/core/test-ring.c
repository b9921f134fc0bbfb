/* SPDX-License-Identifier: MIT */
/* A user would lose Themis: its ToR would judge NACKs by the wrong packets. */
#include <check.h>

#include <weft/rng.h>

#include "base/ring.h"
#include "must.h"

struct rig
{
    struct weft_ring ring;
    uint8_t slots[4 * 7 + 1];
};

START_TEST(entries_come_out_as_they_went_in)
{
    for (uint32_t width = 1; width <= 4; width++)
    {
        struct rig rig;
        uint8_t *const slots = weft_ring_slots(&rig.ring);
        weft_ring_init(&rig.ring, 3, width);
        slots[weft_ring_size(3, width)] = 0xee;
        ck_assert(!weft_ring_push(&rig.ring, 0x11223344));
        ck_assert(!weft_ring_push(&rig.ring, 0xdeadbeef));
        ck_assert_uint_eq(weft_ring_at(&rig.ring, 1), 0xdeadbeef & weft_ring_mask(&rig.ring));
        ck_assert_uint_eq(weft_ring_at(&rig.ring, 0), 0x11223344 & weft_ring_mask(&rig.ring));
        weft_ring_drop(&rig.ring, 1);
        ck_assert_uint_eq(weft_ring_at(&rig.ring, 0), 0xdeadbeef & weft_ring_mask(&rig.ring));
        weft_ring_drop(&rig.ring, 1);
        ck_assert_uint_eq(rig.ring.count, 0);
        ck_assert_uint_eq(slots[weft_ring_size(3, width)], 0xee);
    }
}
END_TEST

START_TEST(a_full_ring_gives_up_its_oldest_and_says_so)
{
    struct rig rig;
    weft_ring_init(&rig.ring, 3, 1);
    for (uint32_t i = 0; i < 3; i++)
    {
        ck_assert(!weft_ring_push(&rig.ring, i));
    }
    ck_assert(weft_ring_push(&rig.ring, 3));
    ck_assert_uint_eq(rig.ring.count, 3);
    ck_assert_uint_eq(weft_ring_at(&rig.ring, 0), 1);
    ck_assert_uint_eq(weft_ring_at(&rig.ring, 2), 3);
}
END_TEST

START_TEST(an_entry_is_found_from_a_place_on_and_then_before_it)
{
    for (uint32_t width = 1; width <= 4; width++)
    {
        struct rig rig;
        weft_ring_init(&rig.ring, 4, width);
        for (uint32_t i = 0; i < 6; i++)
        {
            weft_ring_push(&rig.ring, 7 + i % 3); /* it holds 9, 7, 8, 9 */
        }
        ck_assert_uint_eq(weft_ring_find(&rig.ring, 0, 9), 0);
        ck_assert_uint_eq(weft_ring_find(&rig.ring, 1, 9), 3);
        ck_assert_uint_eq(weft_ring_find(&rig.ring, 2, 7), 1);
        ck_assert_uint_eq(weft_ring_find(&rig.ring, 4, 9), 0);
        ck_assert_uint_eq(weft_ring_find(&rig.ring, 2, 6), 4);
    }
}
END_TEST

START_TEST(random_use_matches_a_list)
{
    enum
    {
        STEPS = 50000
    };
    static uint32_t list[STEPS];
    for (uint32_t width = 1; width <= 4; width++)
    {
        struct rig rig;
        struct weft_rng rng;
        uint32_t from = 0;
        uint32_t to = 0; /* list[from .. to) is in the ring */
        weft_ring_init(&rig.ring, 7, width);
        weft_rng_seed(&rng, 4, 0, width);
        for (int i = 0; i < STEPS; i++)
        {
            if (weft_rng_below(&rng, 3) != 0)
            {
                list[to] = weft_rng_u32(&rng);
                const bool full = to - from == 7;
                MUST(weft_ring_push(&rig.ring, list[to++]) == full);
                from += full;
            }
            else
            {
                const uint32_t n = weft_rng_below(&rng, to - from + 1);
                weft_ring_drop(&rig.ring, n);
                from += n;
            }
            MUST(rig.ring.count == to - from);
            for (uint32_t k = 0; k < to - from; k++)
            {
                MUST(weft_ring_at(&rig.ring, k) == (list[from + k] & weft_ring_mask(&rig.ring)));
            }
        }
    }
}
END_TEST

Suite *
ring_suite(void)
{
    Suite *suite = suite_create("ring");
    TCase *tcase = tcase_create("ring");
    tcase_add_test(tcase, entries_come_out_as_they_went_in);
    tcase_add_test(tcase, a_full_ring_gives_up_its_oldest_and_says_so);
    tcase_add_test(tcase, an_entry_is_found_from_a_place_on_and_then_before_it);
    tcase_add_test(tcase, random_use_matches_a_list);
    suite_add_tcase(suite, tcase);
    return suite;
}
