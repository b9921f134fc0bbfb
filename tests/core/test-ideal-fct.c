/* SPDX-License-Identifier: MIT */
/*
 * The ideal flow completion time. If these fail, slowdowns are of something that no idle fabric
 * does: below 1, or above where nothing slows a message down.
 */
#include <check.h>

#include <weft/clos.h>
#include <weft/param.h>
#include <weft/rng.h>
#include <weft/theory.h>

#include "must.h"

Suite *ideal_fct_suite(void);

#define MAX_LINKS 8U
#define MAX_BYTES 200000U

/* Rates at which a byte takes whole ps. */
static const int64_t rates[] = {INT64_C(10000000000),  INT64_C(25000000000),  INT64_C(40000000000),
                                INT64_C(100000000000), INT64_C(200000000000), INT64_C(400000000000),
                                INT64_C(800000000000)};

static struct weft_wire
draw(struct weft_rng *rng, struct weft_hop hops[MAX_LINKS])
{
    struct weft_wire w = {1 + weft_rng_below(rng, 4096),
                          weft_rng_below(rng, 100),
                          weft_rng_below(rng, 40),
                          64,
                          rates[3],
                          1000000,
                          1 + weft_rng_below(rng, MAX_LINKS)};
    for (uint32_t i = 0; i < MAX_LINKS; i++)
    {
        hops[i].rate = rates[weft_rng_below(rng, sizeof rates / sizeof *rates)];
        hops[i].delay = weft_rng_below(rng, 3000000);
    }
    return w;
}

/* Frame by frame: each link takes it when it has come whole and the link is free. */
static int64_t
send(const struct weft_wire *w, const struct weft_hop *hops, uint64_t bytes)
{
    int64_t free_at[MAX_LINKS] = {0};
    int64_t at = 0;
    for (uint64_t sent = 0; sent < bytes; sent += (uint64_t)w->payload)
    {
        const uint64_t left = bytes - sent;
        const int64_t payload = left < (uint64_t)w->payload ? (int64_t)left : w->payload;
        at = 0;
        for (uint32_t i = 0; i < w->links; i++)
        {
            const int64_t start = at > free_at[i] ? at : free_at[i];
            const int64_t ps = INT64_C(8000000000000) / hops[i].rate;
            free_at[i] = start + (payload + w->header + w->gap) * ps;
            at = start + (payload + w->header) * ps + hops[i].delay;
        }
    }
    return at;
}

START_TEST(frames_one_by_one_take_as_long_on_any_links)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 5, 5, 5);
    for (int i = 0; i < 20000; i++)
    {
        struct weft_hop hops[MAX_LINKS];
        const struct weft_wire w = draw(&rng, hops);
        const uint64_t bytes =
            1 + weft_rng_below(&rng, i % 2 ? 3 * 4096 : MAX_BYTES) % (100 * (uint64_t)w.payload);
        MUST(weft_message_path(&w, hops, bytes) == send(&w, hops, bytes));
    }
}
END_TEST

START_TEST(links_that_are_alike_are_the_case_that_was_known)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 6, 6, 6);
    for (int i = 0; i < 20000; i++)
    {
        struct weft_hop hops[MAX_LINKS];
        struct weft_wire w = draw(&rng, hops);
        for (uint32_t k = 0; k < MAX_LINKS; k++)
        {
            hops[k] = (struct weft_hop){w.rate, w.delay};
        }
        const uint64_t bytes = 1 + weft_rng_below(&rng, MAX_BYTES);
        MUST(weft_message_path(&w, hops, bytes) == weft_message_fifo(&w, bytes));
    }
}
END_TEST

/* 100 Gb/s hosts, 40 Gb/s in between: 9 slots of 1,082 B at 200 ps, and a frame's way of twice
 * 1,062 B at 80 ps, twice at 200 ps, and 4 us. A lone frame waits for nothing. */
START_TEST(the_slowest_link_sets_the_pace)
{
    const struct weft_hop hops[] = {
        {rates[3], 1000000}, {rates[2], 1000000}, {rates[2], 1000000}, {rates[3], 1000000}};
    const struct weft_wire w = {.payload = 1000, .header = 62, .gap = 20, .links = 4};
    ck_assert_int_eq(weft_message_path(&w, hops, 10000),
                     9 * 1082 * 200 + 2 * 1062 * 80 + 2 * 1062 * 200 + 4000000);
    ck_assert_int_eq(weft_message_path(&w, hops, 100), 2 * 162 * 80 + 2 * 162 * 200 + 4000000);
    ck_assert_int_eq(weft_message_path(&w, hops, 0), 0);
    ck_assert_int_eq(weft_message_path(&w, hops, UINT64_MAX), WEFT_NEVER);
    const struct weft_hop far[] = {{1, WEFT_NEVER}, {1, WEFT_NEVER}, {1, 1}, {1, 1}};
    ck_assert_int_eq(weft_message_path(&w, far, 5000), WEFT_NEVER);
}
END_TEST

/* A tier's rate and delay, where a message crosses it, and no other. */
START_TEST(a_clos_has_each_tiers_links_on_the_way)
{
    const struct weft_clos clos = {.tiers = 3,
                                   .nhosts = 16,
                                   .hosts_per_tor = 2,
                                   .tors_per_pod = 2,
                                   .host_rate = 1,
                                   .fabric_rate = 2,
                                   .core_rate = 3,
                                   .host_delay = 10,
                                   .fabric_delay = 20,
                                   .core_delay = 30};
    static const int64_t tiers[3][6] = {{1, 1}, {1, 2, 2, 1}, {1, 2, 3, 3, 2, 1}};
    for (uint32_t height = 0; height < 3; height++)
    {
        struct weft_hop hops[6] = {{0, 0}};
        const uint32_t links = 2 * (height + 1);
        ck_assert_uint_eq(weft_clos_best_path(&clos, 0, (1U << (height + 1)) - 1, hops, 6), links);
        for (uint32_t i = 0; i < 6; i++)
        {
            ck_assert_int_eq(hops[i].rate, tiers[height][i]);
            ck_assert_int_eq(hops[i].delay, 10 * tiers[height][i]);
        }
    }
    struct weft_hop one = {0, 0};
    ck_assert_uint_eq(weft_clos_best_path(&clos, 0, 15, &one, 1), 6);
    ck_assert_int_eq(one.rate, 1);
    ck_assert_uint_eq(weft_clos_best_path(&clos, 3, 3, &one, 1), 0);
}
END_TEST

Suite *
ideal_fct_suite(void)
{
    Suite *suite = suite_create("ideal-fct");
    TCase *tc = tcase_create("ideal-fct");
    tcase_add_test(tc, frames_one_by_one_take_as_long_on_any_links);
    tcase_add_test(tc, links_that_are_alike_are_the_case_that_was_known);
    tcase_add_test(tc, the_slowest_link_sets_the_pace);
    tcase_add_test(tc, a_clos_has_each_tiers_links_on_the_way);
    suite_add_tcase(suite, tc);
    return suite;
}
