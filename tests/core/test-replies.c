/* SPDX-License-Identifier: MIT */
/* A user would lose the comparison of schemes whose ACKs travel alike: replies that are to be
 * hashed and still go as the balancer would have them, or that are to be sprayed and keep to one
 * path. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "net-parts.h"
#include "net-world.h"

/* Choices of switches for replies. */
static struct
{
    uint64_t ports[64][HOSTS]; /* [switch][qp]: bits of the ports that its replies took */
    uint64_t replies;
    uint64_t picked[64]; /* [port] */
} seen;

static void
note(void *of, uint32_t index, const struct weft_packet *p, uint32_t out, uint32_t n, int64_t now)
{
    (void)of;
    (void)n;
    (void)now;
    if (p->kind == WEFT_ACK || p->kind == WEFT_NACK || p->kind == WEFT_CNP)
    {
        seen.ports[index][p->qp] |= UINT64_C(1) << out;
        seen.picked[out]++;
        seen.replies++;
    }
}

/* A run of a scene with balancer @p name in place of its own, each host sending to the one half the
 * fabric away: k = 4, so that a ToR and an aggregation choose between two ports each. */
static struct result
run(const struct scene *scene, const char *name, const char *const *settings, const char *replies,
    bool watched)
{
    const char *const frames[] = {"replies", replies, NULL};
    const struct weft_net_hooks hooks = {.picked = note};
    memset(&seen, 0, sizeof seen);
    world.frames = frames;
    world_begin_with(scene, weft_lb_find(name), settings);
    if (watched)
    {
        weft_net_set_hooks(world.net, &hooks);
    }
    weft_net_run(world.net, LONG);
    const struct result r = world_conclude();
    world_end();
    world.frames = NULL;
    return r;
}

static const char *const none[] = {NULL};

/* The most ports that one QP's replies took at one switch, and the fewest at one that they met. */
static void
count_ports(uint32_t *most, uint32_t *fewest)
{
    *most = 0;
    *fewest = UINT32_MAX;
    for (uint32_t sw = 0; sw < 20; sw++)
    {
        for (uint32_t qp = 0; qp < HOSTS; qp++)
        {
            uint32_t n = 0;
            for (uint64_t bits = seen.ports[sw][qp]; bits != 0; bits &= bits - 1)
            {
                n++;
            }
            *most = n > *most ? n : *most;
            *fewest = n > 0 && n < *fewest ? n : *fewest;
        }
    }
}

static const char *const balancers[] = {
    "ecmp", "letflow", "conga",   "drill",    "ar",    "switch-rr", "ofan", "host-dr", "ops",
    "reps", "plb",     "subflow", "ethereal", "prime", "pro",       "jsq",  "themis"};
#define NBALANCERS ((int)(sizeof balancers / sizeof balancers[0]))

START_TEST(hashed_replies_keep_to_one_path_under_every_balancer)
{
    uint32_t most, fewest;
    run(&scenes[0], balancers[_i], none, "ecmp", true);
    count_ports(&most, &fewest);
    ck_assert_uint_gt(seen.replies, 2000);
    ck_assert_msg(most == 1, "%s", balancers[_i]);
}
END_TEST

/* 16 QPs of 138 packets each, and as many ACKs: of one QP's at a ToR all by the same port has a
 * chance of 2^-137, and shares of all differ by less than a tenth. */
START_TEST(sprayed_replies_take_all_paths_under_every_balancer)
{
    uint32_t most, fewest;
    run(&scenes[0], balancers[_i], none, "spray", true);
    count_ports(&most, &fewest);
    ck_assert_uint_gt(seen.replies, 2000);
    ck_assert_msg(fewest == 2 && most == 2, "%s", balancers[_i]);
    ck_assert_uint_gt(seen.picked[2] * 10, seen.replies / 2 * 9);
    ck_assert_uint_gt(seen.picked[3] * 10, seen.replies / 2 * 9);
}
END_TEST

/* Balancers that can hash replies themselves do the same, to the last frame. */
START_TEST(hashed_replies_are_those_of_the_balancers_own_parameter)
{
    static const char *const names[] = {"pro",  "prime", "co-prime", "ops",
                                        "reps", "plb",   "subflow"};
    static const char *const ecmp[] = {"replies", "ecmp", NULL};
    const struct result own = run(&scenes[0], names[_i], ecmp, "balancer", false);
    const struct result all = run(&scenes[0], names[_i], none, "ecmp", false);
    const struct result again = run(&scenes[0], names[_i], ecmp, "ecmp", false);
    ck_assert_uint_gt(own.total.delivered, 4000);
    ck_assert_mem_eq(&own, &all, sizeof own);
    ck_assert_mem_eq(&own, &again, sizeof own);
}
END_TEST

/* Paced QPs, NACKs, CNPs, on one thread and three. */
START_TEST(they_are_the_same_on_any_number_of_threads)
{
    static const char *const how[] = {"ecmp", "spray"};
    for (int i = 0; i < 2; i++)
    {
        world.threads = 1;
        const struct result one = run(&scenes[_i], scenes[_i].balancer, none, how[i], false);
        world.threads = 3;
        const struct result three = run(&scenes[_i], scenes[_i].balancer, none, how[i], false);
        world.threads = 0;
        ck_assert_uint_gt(one.total.delivered, 1000);
        ck_assert_mem_eq(&one, &three, sizeof one);
    }
}
END_TEST

START_TEST(ideal_replies_have_no_path)
{
    static const char *const frames[] = {"ack-priority", "ideal", "replies", "spray", NULL};
    struct weft_refusal why = {.code = 0};
    world.frames = frames;
    world_describe(&scenes[0]);
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(why.text, "ideal ones take none"));
    world.net = NULL;
    world.frames = NULL;
    world_end();
}
END_TEST

Suite *replies_suite(void);

Suite *
replies_suite(void)
{
    Suite *suite = suite_create("replies");
    TCase *tcase = tcase_create("replies");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, hashed_replies_keep_to_one_path_under_every_balancer, 0, NBALANCERS);
    tcase_add_loop_test(tcase, sprayed_replies_take_all_paths_under_every_balancer, 0, NBALANCERS);
    tcase_add_loop_test(tcase, hashed_replies_are_those_of_the_balancers_own_parameter, 0, 7);
    tcase_add_loop_test(tcase, they_are_the_same_on_any_number_of_threads, 1, NSCENES);
    tcase_add_test(tcase, ideal_replies_have_no_path);
    suite_add_tcase(suite, tcase);
    return suite;
}
