/* SPDX-License-Identifier: MIT */
/* A user would lose memory for QPs of which it is known how little they send (10^6 of them took
 * 4 GB), or results that are the same with it. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "net-parts.h"
#include "net-world.h"

static const struct narrow_case
{
    const char *transport;
    const char *settings[7];
    uint64_t packets; /* of each message */
} cases[] = {
    {"nic-sr", {NULL}, 100},
    {"sack", {NULL}, 63},
    {"sack", {NULL}, 64},
    {"sack", {"threshold", "6", NULL}, 100},
    {"sack", {"threshold", "300", NULL}, 100}, /* which no gap of theirs reaches */
    {"sack", {"outstanding", "40", NULL}, 200},
    {"trim", {NULL}, 128},
    {"ideal", {NULL}, 65},
    {"multipath-timers", {"rto", "200us", NULL}, 100},
};

static size_t taken; /* bytes */
static uint32_t failures;

static void *
take(void *of, size_t bytes)
{
    taken += bytes;
    return parts_take(of, bytes);
}

static void
failed(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    (void)now;
    ck_assert_uint_eq(tag, 0);
    failures++;
}

/* A fabric that loses and reorders. */
static void
make(const struct narrow_case *c)
{
    static const struct scene lossy = {"rsq", "sack", "none", {"preset", "100g"}, 0, 0};
    world_describe(&lossy);
    world.heard = 0;
    world.level.transport = weft_transport_find(c->transport);
    void *config = parts_defaults(&world.level.transport->algo);
    parts_set_all(&world.level.transport->algo, config, c->settings);
    world.level.transport_config = config;
    world.config.memory.take = take;
    world.config.hooks.failed = failed;
    failures = 0;
    taken = 0;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    weft_net_lose(world.net, 0.02);
}

static struct weft_qp *
add(uint32_t src, uint64_t packets)
{
    struct weft_qp *qp;
    const struct weft_net_qp_site site = {
        .src = src, .dst = (src + 5) % HOSTS, .stream = src, .packets = packets};
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    return qp;
}

/* Each host sends two messages; of a QP's packets so many are known. */
static struct result
run(const struct narrow_case *c, uint64_t known)
{
    make(c);
    const uint64_t payload = (uint64_t)world.config.frame.payload;
    for (uint32_t i = 0; i < HOSTS; i++)
    {
        struct weft_qp *qp = add(i, known);
        weft_net_post(world.net, qp, (c->packets - 7) * payload, i, 0, i);
        weft_net_post(world.net, qp, 6 * payload + 1, i, 3000000, i);
    }
    weft_net_run(world.net, 20 * LONG);
    const struct result r = world_conclude();
    world_end();
    return r;
}

START_TEST(a_qp_of_which_it_is_known_how_little_it_sends_does_the_same_in_less_memory)
{
    const struct result wide = run(&cases[_i], 0);
    const size_t most = taken;
    const struct result narrow = run(&cases[_i], cases[_i].packets);
    ck_assert_uint_gt(wide.total.lost[WEFT_NET_DROP_INJECTED], 0);
    ck_assert_uint_gt(wide.total.payload, 0);
    ck_assert_uint_eq(failures, 0);
    ck_assert_mem_eq(&wide, &narrow, sizeof wide);
    ck_assert_uint_lt(taken + HOSTS * (size_t)1500, most);
}
END_TEST

START_TEST(what_a_qp_has_no_room_for_fails)
{
    make(&cases[0]);
    const uint64_t payload = (uint64_t)world.config.frame.payload;
    struct weft_qp *qp = add(0, 3);
    weft_net_post(world.net, qp, 2 * payload, 0, 0, 0);
    weft_net_post(world.net, qp, payload + 1, 0, 0, 1); /* two packets */
    weft_net_post(world.net, qp, payload, 0, 0, 2);
    weft_net_run(world.net, 20 * LONG);
    ck_assert_uint_eq(failures, 1);
    ck_assert_uint_eq(qp->posted, 3);
    ck_assert_uint_eq(qp->acked, 2);
    world_end();
}
END_TEST

Suite *narrow_suite(void);

Suite *
narrow_suite(void)
{
    Suite *suite = suite_create("narrow");
    TCase *tcase = tcase_create("narrow");
    tcase_add_loop_test(tcase,
                        a_qp_of_which_it_is_known_how_little_it_sends_does_the_same_in_less_memory,
                        0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tcase, what_a_qp_has_no_room_for_fails);
    suite_add_tcase(suite, tcase);
    return suite;
}
