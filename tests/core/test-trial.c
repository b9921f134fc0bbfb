/* SPDX-License-Identifier: MIT */
/* Configurations that weft_net_try() takes are made, and what it refuses is refused by the fabric
 * as well: else a sweep that was looked at before ends at its first run, or a sound one is never
 * begun. */
#include <check.h>
#include <stdio.h>

#include <weft/weft.h>

#include "net-parts.h"

static struct weft_clos clos;
static struct weft_net_level level;
static struct weft_net_config config;

static void
describe(const char *topology, const char *const *shape, const char *balancer,
         const char *const *frames)
{
    const struct weft_topology_ops *kind = weft_topology_find(topology);
    void *settings = parts_defaults(&kind->algo);
    parts_set_all(&kind->algo, settings, shape);
    ck_assert_int_eq(kind->build(settings, &clos), 0);
    level = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = 1};
    level.lb = weft_lb_find(balancer);
    level.lb_config = parts_defaults(&level.lb->algo);
    level.transport = weft_transport_find("nic-sr");
    level.transport_config = parts_defaults(&level.transport->algo);
    level.cc = weft_cc_find("dcqcn");
    level.cc_config = parts_defaults(&level.cc->algo);
    config = (struct weft_net_config){.clos = &clos, .levels = &level, .nlevels = 1, .seed = 3};
    config.scheduler = weft_scheduler_find("strict");
    config.scheduler_config = parts_defaults(&config.scheduler->algo);
    config.memory.take = parts_take;
    weft_config_default(&weft_fabric_algo, &config.frame);
    weft_config_default(&weft_mmu_algo, &config.buffer);
    parts_set_all(&weft_fabric_algo, &config.frame, frames);
}

/* Returns the code of the first part that refuses, or 0. */
static int
tried(struct weft_refusal *why)
{
    int code = 0;
    for (int part = 0; part < WEFT_NET_PARTS && !code; part++)
    {
        code = weft_net_try(&config, (enum weft_net_part)part, 0, why);
    }
    return code;
}

/* Returns the code of a fabric with a QP from each host to each. */
static int
made(void)
{
    struct weft_refusal why = {0};
    struct weft_net *net;
    struct weft_qp *qp;
    int code = weft_net_make(&net, &config, &why);
    for (uint32_t i = 0; i < clos.nhosts * clos.nhosts && !code; i++)
    {
        const struct weft_net_qp_site site = {
            .src = i / clos.nhosts, .dst = i % clos.nhosts, .stream = i};
        code = site.src == site.dst ? 0 : weft_net_add_qp(net, &site, &qp, &why);
    }
    return code;
}

static const char *const batches[] = {"1", "2", "3", "4", "5", "8"};
static const char *const shapes[][9] = {
    {"leaves", "2", "spines", "4", "hosts-per-leaf", "2", NULL},
    {"leaves", "1", "spines", "2", "hosts-per-leaf", "3", NULL},
    {"leaves", "3", "spines", "6", "hosts-per-leaf", "1", NULL},
    {"leaves", "2", "spines", "65", "hosts-per-leaf", "2", NULL},
};

START_TEST(what_is_tried_is_what_is_made)
{
    const struct weft_registry *all = weft_registry_find("balancer");
    const struct weft_algo *algo = all->algos[_i];
    uint32_t refused = 0, begun = 0;
    for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++)
    {
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        {
            const char *const frames[] = {"batch", batches[b], NULL};
            struct weft_refusal why = {0};
            describe("leaf-spine", shapes[s], algo->name, frames);
            const int code = tried(&why);
            ck_assert_msg(code == made(), "%s, batch %s, shape %zu: %d", algo->name, batches[b], s,
                          code);
            ck_assert_msg(code == 0 || (why.code == code && why.text[0] != '\0'), "%s: why",
                          algo->name);
            *(code ? &refused : &begun) += 1;
            parts_free();
        }
    }
    ck_assert_uint_gt(begun, 0);
    ck_assert_msg(refused > 0 || algo != &weft_lb_find("pro")->algo, "pro takes every batch");
}
END_TEST

/* Three tiers and all their distances, at which some balancers refuse their switches. */
START_TEST(three_tiers_are_tried_as_they_are_made)
{
    const struct weft_registry *all = weft_registry_find("balancer");
    const char *const odd[] = {
        "pods", "2", "tors-per-pod", "2", "hosts-per-tor", "2", "aggregations", "3", "cores",
        "6",    NULL};
    const char *const frames[] = {"batch", batches[_i], NULL};
    uint32_t refused = 0;
    for (size_t i = 0; i < all->count; i++)
    {
        struct weft_refusal why = {0};
        describe("clos", odd, all->algos[i]->name, frames);
        const int code = tried(&why);
        ck_assert_msg(code == made(), "%s: %d", all->algos[i]->name, code);
        refused += code != 0;
        parts_free();
    }
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* Middleware has states at ToRs of QPs that cross them. */
START_TEST(middleware_refuses_what_its_ring_cannot_tell_apart)
{
    const char *const none[] = {NULL}, *const ring[] = {"ring", "200", "entry-bytes", "1", NULL};
    struct weft_refusal why = {0};
    describe("leaf-spine", shapes[0], "themis", none);
    parts_set_all(&level.lb->algo, (void *)(uintptr_t)level.lb_config, ring);
    ck_assert_int_eq(tried(&why), WEFT_ERANGE);
    ck_assert_int_eq(made(), WEFT_ERANGE);
    parts_free();
}
END_TEST

/* Parts besides the balancer, by configurations that nobody has set. */
START_TEST(each_part_refuses_for_itself)
{
    static const uint64_t unset[64];
    const char *const none[] = {NULL};
    struct weft_refusal why = {0};
    describe("leaf-spine", shapes[0], "ecmp", none);
    ck_assert_int_eq(tried(&why), 0);
    level.transport_config = unset;
    ck_assert_int_eq(weft_net_try(&config, WEFT_NET_TRANSPORT, 0, &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(why.param);
    level.cc_config = unset;
    ck_assert_int_eq(weft_net_try(&config, WEFT_NET_CONTROL, 0, &why), WEFT_ERANGE);
    config.scheduler = weft_scheduler_find("wrr");
    config.scheduler_config = unset;
    ck_assert_int_eq(weft_net_try(&config, WEFT_NET_SCHEDULER, 0, &why), 0);
    config.buffer.classes = 4;
    ck_assert_int_eq(weft_net_try(&config, WEFT_NET_SCHEDULER, 0, &why), WEFT_ERANGE);
    config.buffer.headroom = config.buffer.buffer;
    ck_assert_int_eq(weft_net_try(&config, WEFT_NET_BUFFER, 0, &why), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_try(&config, WEFT_NET_QUEUE, 0, &why), 0);
    parts_free();
}
END_TEST

/* As many as there are paths, where a planner may use each by itself. */
START_TEST(a_connection_has_the_qps_of_its_planner)
{
    const char *const k4[] = {"k", "4", NULL}, *const none[] = {NULL};
    describe("fat-tree", k4, "ethereal", none);
    ck_assert_uint_eq(weft_net_most_qps(&config, 0, 0, 1), 1);
    ck_assert_uint_eq(weft_net_most_qps(&config, 0, 0, 2), 2);
    ck_assert_uint_eq(weft_net_most_qps(&config, 0, 0, 15), 4);
    describe("fat-tree", k4, "ecmp", none);
    ck_assert_uint_eq(weft_net_most_qps(&config, 0, 0, 15), 1);
    parts_free();
}
END_TEST

Suite *trial_suite(void);

Suite *
trial_suite(void)
{
    Suite *suite = suite_create("trial");
    TCase *c = tcase_create("trial");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, what_is_tried_is_what_is_made, 0,
                        (int)weft_registry_find("balancer")->count);
    tcase_add_loop_test(c, three_tiers_are_tried_as_they_are_made, 0, 6);
    tcase_add_test(c, middleware_refuses_what_its_ring_cannot_tell_apart);
    tcase_add_test(c, each_part_refuses_for_itself);
    tcase_add_test(c, a_connection_has_the_qps_of_its_planner);
    suite_add_tcase(suite, c);
    return suite;
}
