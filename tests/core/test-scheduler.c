/* SPDX-License-Identifier: MIT */
/*
 * Schedulers of traffic classes. If these fail, classes do not get the shares that their weights
 * say, one of them starves under a weighted scheduler, or a wire stands still while frames wait.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/registry.h>
#include <weft/rng.h>
#include <weft/scheduler.h>

#include "must.h"

Suite *scheduler_suite(void);

#define FRAME 1500U
#define MOST  4096

/* A port: its scheduler, and what waits in every class. */
struct port
{
    const struct weft_scheduler_ops *ops;
    void *config, *state;
    uint32_t queue[WEFT_MAX_CLASSES][MOST];
    uint32_t head[WEFT_MAX_CLASSES], tail[WEFT_MAX_CLASSES];
    uint64_t sent[WEFT_MAX_CLASSES], bytes[WEFT_MAX_CLASSES];
};

static struct port port;

static void
open_port(const char *name, const char *const *settings)
{
    const struct weft_scheduler_site site = {WEFT_MAX_CLASSES, FRAME};
    memset(&port, 0, sizeof port);
    port.ops = weft_scheduler_find(name);
    port.config = calloc(1, port.ops->algo.config_size + 1);
    ck_assert_int_eq(weft_config_default(&port.ops->algo, port.config), 0);
    for (; settings && *settings; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&port.ops->algo, port.config, settings[0], settings[1]),
                         0);
    }
    port.state = malloc(port.ops->state_size(port.config) + 1);
    ck_assert_int_eq(port.ops->init(port.state, port.config, &site), 0);
}

static void
close_port(void)
{
    free(port.config);
    free(port.state);
}

static void
arrives(uint32_t tclass, uint32_t bytes)
{
    port.queue[tclass][port.tail[tclass]++ % MOST] = bytes;
    ck_assert_uint_le(port.tail[tclass] - port.head[tclass], MOST);
}

static bool
waits(uint32_t tclass)
{
    return port.head[tclass] != port.tail[tclass];
}

/* The class that sends next of those in @p may. */
static uint32_t
sends_of(uint32_t may)
{
    uint32_t ready = 0, last = 0;
    uint32_t bytes[WEFT_MAX_CLASSES] = {0};
    for (uint32_t c = 1; c < WEFT_MAX_CLASSES; c++)
    {
        if (waits(c) && may >> c & 1U)
        {
            ready |= 1U << c;
            last |= (port.tail[c] - port.head[c] == 1) ? 1U << c : 0U;
            bytes[c] = port.queue[c][port.head[c] % MOST];
        }
    }
    const uint32_t c = port.ops->pick(port.state, ready, last, bytes);
    MUST(c < WEFT_MAX_CLASSES && (ready >> c & 1U)); /* something that waits, and may go */
    port.head[c]++;
    port.sent[c]++;
    port.bytes[c] += bytes[c];
    return c;
}

static uint32_t
sends(void)
{
    return sends_of(UINT32_MAX);
}

static void
expect_order(const char *classes)
{
    for (const char *c = classes; *c; c++)
    {
        ck_assert_uint_eq(sends(), (uint32_t)(*c - '0'));
    }
}

START_TEST(strict_sends_the_lowest_class_and_starves_others)
{
    open_port("strict", NULL);
    ck_assert(port.ops->lowest_first);
    for (int i = 0; i < 3; i++)
    {
        arrives(5, 100);
        arrives(2, 100);
    }
    expect_order("22");
    arrives(1, 100);
    expect_order("12555");
    close_port();
}
END_TEST

START_TEST(wrr_counts_packets_whatever_their_length)
{
    const char *const weights[] = {"weight-1", "3", NULL};
    open_port("wrr", weights);
    for (int i = 0; i < 1000; i++)
    {
        arrives(1, FRAME);
        arrives(2, 64);
    }
    expect_order("111211121112");
    while (port.sent[1] + port.sent[2] < 1200)
    {
        sends();
    }
    ck_assert_uint_eq(port.sent[1], 3 * port.sent[2]);
    close_port();
}
END_TEST

/* The turn of a class ends with its queue: what comes later waits for the next one. */
START_TEST(wrr_turn_is_lost_when_the_queue_runs_empty)
{
    const char *const weights[] = {"weight-1", "4", "weight-2", "2", NULL};
    open_port("wrr", weights);
    arrives(1, FRAME);
    expect_order("1");
    for (int i = 0; i < 8; i++)
    {
        arrives(1, FRAME);
        arrives(2, FRAME);
    }
    expect_order("22111122");
    close_port();
}
END_TEST

/* The example of Shreedhar & Varghese's paper, in our frames: what one turn leaves is in the next.
 */
START_TEST(dwrr_worked_example)
{
    open_port("dwrr", NULL);
    arrives(1, 1000); /* 1500: 500 left */
    arrives(1, 1400); /* 2000: 600 left */
    arrives(1, 1400); /* 2100: 700 left */
    arrives(2, 600);  /* 1500: both, nothing left */
    arrives(2, 900);
    arrives(2, 1500);
    arrives(2, 1500);
    expect_order("1221212");
    close_port();
}
END_TEST

START_TEST(dwrr_shares_bytes_of_mixed_frames)
{
    const char *const weights[] = {"weight-1", "3", NULL};
    struct weft_rng rng;
    weft_rng_seed(&rng, 8, 0, (uint64_t)_i);
    open_port("dwrr", weights);
    for (int i = 0; i < 100000; i++)
    {
        while (port.tail[1] - port.head[1] < 4)
        {
            arrives(1, 64 + weft_rng_below(&rng, FRAME - 63));
        }
        while (port.tail[2] - port.head[2] < 4)
        {
            arrives(2, _i ? 64 : FRAME);
        }
        sends();
        /* Never off by more than a turn and a frame of each: Shreedhar & Varghese's bound. */
        const int64_t off = (int64_t)(port.bytes[1] - 3 * port.bytes[2]);
        MUST(off <= 4 * 3 * (int64_t)FRAME && off >= -4 * 3 * (int64_t)FRAME);
    }
    close_port();
}
END_TEST

START_TEST(dwrr_deficit_is_lost_when_the_queue_runs_empty)
{
    const char *const weights[] = {"weight-1", "3", NULL};
    open_port("dwrr", weights);
    arrives(1, 100); /* 4400 bytes of its turn would be left */
    expect_order("1");
    for (int i = 0; i < 8; i++)
    {
        arrives(1, FRAME);
        arrives(2, FRAME);
    }
    expect_order("21112111");
    close_port();
}
END_TEST

/* A paused class loses its turn, and does not save it up. */
START_TEST(pauses_are_no_savings)
{
    const char *const weights[] = {"weight-1", "3", NULL};
    open_port(_i ? "dwrr" : "wrr", weights);
    for (int i = 0; i < 100; i++)
    {
        arrives(1, FRAME);
        arrives(2, FRAME);
    }
    for (int i = 0; i < 20; i++)
    {
        ck_assert_uint_eq(sends_of(6), 1);
        ck_assert_uint_eq(sends_of(4), 2); /* class 1 is paused in the middle of its turn */
    }
    expect_order("11121112");
    close_port();
}
END_TEST

/* Every frame that came leaves, in the order of its class, and every class goes on all the time. */
START_TEST(nothing_is_lost_and_no_class_starves)
{
    const struct weft_registry *r = weft_registry_find("scheduler");
    const char *const weights[] = {"weight-1", "7", "weight-4", "2", "weight-7", "65535", NULL};
    const struct weft_algo *algo = r->algos[_i];
    struct weft_rng rng;
    weft_rng_seed(&rng, 9, 0, (uint64_t)_i);
    open_port(algo->name, algo->nparams ? weights : NULL);
    uint64_t came = 0, left = 0;
    for (int i = 0; i < 20000; i++)
    {
        const uint32_t c = 1 + weft_rng_below(&rng, WEFT_MAX_CLASSES - 1);
        if (port.tail[c] - port.head[c] < MOST && (came == left || weft_rng_below(&rng, 16) < 9))
        {
            arrives(c, 1 + weft_rng_below(&rng, FRAME));
            came++;
            continue;
        }
        uint32_t may = 1U + weft_rng_u32(&rng);
        for (uint32_t k = 1; k < WEFT_MAX_CLASSES; k++)
        {
            may |= waits(k) && left % 3 ? 1U << k : 0U;
        }
        bool any = false;
        for (uint32_t k = 1; k < WEFT_MAX_CLASSES; k++)
        {
            any = any || (waits(k) && (may >> k & 1U));
        }
        if (any)
        {
            sends_of(may);
            left++;
        }
    }
    for (; left < came; left++)
    {
        sends();
    }
    for (uint32_t c = 1; c < WEFT_MAX_CLASSES; c++)
    {
        MUST(!waits(c) && port.sent[c] == port.tail[c]);
    }
    close_port();
}
END_TEST

START_TEST(a_share_of_one_is_served_beside_the_greatest)
{
    const char *const weights[] = {"weight-2", "65535", NULL};
    open_port(_i ? "dwrr" : "wrr", weights);
    uint64_t turns = 0;
    for (int i = 0; i < 4 * 65536; i++)
    {
        while (port.tail[1] - port.head[1] < 2)
        {
            arrives(1, FRAME);
        }
        while (port.tail[2] - port.head[2] < 2)
        {
            arrives(2, FRAME);
        }
        turns += sends() == 1;
    }
    ck_assert_uint_ge(turns, 3);
    close_port();
}
END_TEST

START_TEST(absurd_configurations_are_refused)
{
    const struct weft_registry *r = weft_registry_find("scheduler");
    const struct weft_scheduler_ops *ops = weft_scheduler_find(r->algos[_i]->name);
    const struct weft_scheduler_site site = {4, FRAME}, none = {0, FRAME}, many = {9, FRAME};
    const struct weft_scheduler_site empty = {4, 0};
    void *zeros = calloc(1, ops->algo.config_size + 1);
    void *sound = calloc(1, ops->algo.config_size + 1);
    void *state = malloc(ops->state_size(zeros) + 1);
    ck_assert_int_eq(weft_config_default(&ops->algo, sound), 0);
    ck_assert_int_eq(ops->init(state, sound, &site), 0);
    if (ops->algo.nparams > 0)
    {
        ck_assert_int_eq(ops->init(state, zeros, &site), WEFT_ERANGE);
        ck_assert_int_eq(ops->init(state, sound, &none), WEFT_ERANGE);
        ck_assert_int_eq(ops->init(state, sound, &many), WEFT_ERANGE);
        ck_assert_int_eq(ops->init(state, sound, &empty), WEFT_ERANGE);
    }
    free(zeros);
    free(sound);
    free(state);
}
END_TEST

Suite *
scheduler_suite(void)
{
    const int n = (int)weft_registry_find("scheduler")->count;
    Suite *suite = suite_create("scheduler");
    TCase *tc = tcase_create("scheduler");
    tcase_add_test(tc, strict_sends_the_lowest_class_and_starves_others);
    tcase_add_test(tc, wrr_counts_packets_whatever_their_length);
    tcase_add_test(tc, wrr_turn_is_lost_when_the_queue_runs_empty);
    tcase_add_test(tc, dwrr_worked_example);
    tcase_add_loop_test(tc, dwrr_shares_bytes_of_mixed_frames, 0, 2);
    tcase_add_test(tc, dwrr_deficit_is_lost_when_the_queue_runs_empty);
    tcase_add_loop_test(tc, pauses_are_no_savings, 0, 2);
    tcase_add_loop_test(tc, nothing_is_lost_and_no_class_starves, 0, n);
    tcase_add_loop_test(tc, a_share_of_one_is_served_beside_the_greatest, 0, 2);
    tcase_add_loop_test(tc, absurd_configurations_are_refused, 0, n);
    suite_add_tcase(suite, tc);
    return suite;
}
