/* SPDX-License-Identifier: MIT */
/* Embedders that go on with a shape, a graph, a buffer or a fabric that was refused would crash or
 * divide by zero far from the mistake. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/weft.h>

#include "refused.h"

static void
look_up(const struct weft_clos *clos)
{
    struct weft_mmu_config buffer;
    struct weft_switch_map map;
    struct weft_fabric_config frame;
    struct weft_last_hop hop;
    struct weft_site site;
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &buffer), 0);
    ck_assert_int_eq(weft_config_default(&weft_fabric_algo, &frame), 0);
    weft_clos_switch(clos, 0, &map);
    weft_clos_site(clos, &buffer, 0, 1, 1, &site);
    weft_clos_last_hop(clos, &frame, &hop);
    (void)weft_clos_tor(clos, 1);
    (void)weft_clos_paths(clos, 0, 1);
    (void)weft_clos_way(clos, 0, 1, 1500);
}

/* Look-ups of nothing come back, whatever they say, or an assertion ends the program. */
static void
come_back_or_assert(const struct weft_clos *clos)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
    {
        look_up(clos);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT),
                  "status %d: neither an answer nor an assertion", status);
}

START_TEST(a_shape_that_is_refused_is_one_of_nothing)
{
    const struct weft_registry *all = weft_registry_find("topology");
    for (size_t i = 0; i < all->count; i++)
    {
        const struct weft_topology_ops *kind = weft_topology_find(all->algos[i]->name);
        void *zeros = calloc(1, kind->algo.config_size + 1);
        struct weft_clos clos;
        memset(&clos, 0xa5, sizeof clos);
        ck_assert_int_lt(kind->build(zeros, &clos), 0);
        ck_assert_uint_eq(clos.nhosts, 0);
        ck_assert_uint_eq(clos.nswitches, 0);
        ck_assert_uint_eq(clos.nlinks, 0);
        ck_assert_int_eq(weft_clos_check(&clos), WEFT_EINVAL);
        come_back_or_assert(&clos);
        free(zeros);
    }
}
END_TEST

START_TEST(a_graph_that_is_refused_is_one_of_nothing)
{
    const struct weft_graph_edge lone[] = {{0, 2, 100000000000, 1000, false},
                                           {1, 1, 100000000000, 1000, false}};
    uint64_t room[256];
    for (size_t size = 0; size <= sizeof room; size += sizeof room)
    {
        struct weft_graph_fault fault;
        struct weft_graph graph;
        memset(&graph, 0xa5, sizeof graph);
        ck_assert_int_lt(weft_graph_init(&graph, room, size, 2, 1, lone, 2, &fault), 0);
        ck_assert_uint_eq(graph.nhosts, 0);
        ck_assert_uint_eq(graph.nswitches, 0);
        ck_assert_ptr_null(graph.links);
    }
}
END_TEST

START_TEST(a_graph_of_nothing_makes_no_shape)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    const struct weft_graph nothing = {0};
    void *config = calloc(1, kind->algo.config_size);
    struct weft_clos clos;
    kind->use(config, &nothing);
    ck_assert_int_eq(kind->build(config, &clos), WEFT_EINVAL);
    ck_assert_uint_eq(clos.nhosts, 0);
    free(config);
}
END_TEST

START_TEST(a_buffer_needs_memory_and_a_configuration)
{
    struct weft_refusal why = {0};
    struct weft_mmu_config config;
    uint64_t room[4096];
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
    ck_assert_int_eq(weft_mmu_init(NULL, &config, 4), WEFT_EINVAL);
    ck_assert_int_eq(weft_mmu_init((struct weft_mmu *)(void *)room, NULL, 4), WEFT_EINVAL);
    ck_assert_int_eq(weft_mmu_size(NULL, 4), WEFT_EINVAL);
    ck_assert_int_eq(weft_mmu_check(NULL, 4, &why), WEFT_EINVAL);
    (void)refused(WEFT_EINVAL, &why);
}
END_TEST

START_TEST(levels_need_balancers)
{
    struct weft_levels levels = {.n = 2, .lb = {weft_lb_find("ecmp"), weft_lb_find("emcp")}};
    struct weft_refusal why = {0};
    const struct weft_site site = {
        .nports = 4, .up_ports = 2, .why = &why, .provides = WEFT_NEEDS_ALL};
    struct weft_lb_ops both;
    uint64_t state[256];
    weft_levels_ops(&levels, &both);
    ck_assert_uint_le(both.state_size(&levels, &site), sizeof state);
    ck_assert_int_eq(both.init(state, &levels, &site), WEFT_EINVAL);
    ck_assert_str_eq(refused(WEFT_EINVAL, &why),
                     "lb of a service level is NULL; expected what weft_lb_find() finds");
    ck_assert_uint_eq(weft_lb_needs(weft_lb_find("emcp")), 0);
}
END_TEST

static void *
take(void *of, size_t bytes)
{
    (void)of;
    return calloc(1, bytes);
}

static struct weft_clos shape;
static struct weft_net_level level;

/* A fabric that would be made. */
static struct weft_net_config
sound(void)
{
    static uint64_t configs[3][64];
    static uint64_t leaf_spine[32];
    struct weft_net_config c = {.levels = &level, .nlevels = 1, .seed = 1, .run = 1};
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    level = (struct weft_net_level){
        .lb = weft_lb_find("ops"),
        .lb_config = configs[0],
        .transport = weft_transport_find("nic-sr"),
        .transport_config = configs[1],
        .cc = weft_cc_find("dcqcn"),
        .cc_config = configs[2],
        .share = 1,
        .tclass = 1,
    };
    weft_config_default(&level.lb->algo, configs[0]);
    weft_config_default(&level.transport->algo, configs[1]);
    weft_config_default(&level.cc->algo, configs[2]);
    weft_config_default(&kind->algo, leaf_spine);
    ck_assert_int_eq(kind->build(leaf_spine, &shape), 0);
    weft_config_default(&weft_fabric_algo, &c.frame);
    weft_config_default(&weft_mmu_algo, &c.buffer);
    c.clos = &shape;
    c.memory.take = take;
    return c;
}

static void
net_refuses(const struct weft_net_config *config, int code, const char *says)
{
    struct weft_refusal why = {0};
    struct weft_net *net = (struct weft_net *)(void *)&why;
    ck_assert_int_eq(weft_net_make(&net, config, &why), code);
    ck_assert_ptr_null(net);
    ck_assert_msg(strstr(refused(code, &why), says) != NULL, "%s", why.text);
}

START_TEST(a_fabric_names_what_it_lacks)
{
    struct weft_net_config c = {0};
    net_refuses(&c, WEFT_EINVAL, "the shape is none that a topology has made");
    c = sound();
    c.nlevels = 0;
    net_refuses(&c, WEFT_ERANGE, "the number of service levels");
    c = sound();
    c.memory.take = NULL;
    net_refuses(&c, WEFT_EINVAL, "memory.take is NULL");
    c = sound();
    c.levels = NULL;
    net_refuses(&c, WEFT_EINVAL, "levels is NULL");
    c = sound();
    level.lb = weft_lb_find("opps");
    net_refuses(&c, WEFT_EINVAL, "lb of a level is NULL");
    c = sound();
    level.transport = weft_transport_find("nicsr");
    net_refuses(&c, WEFT_EINVAL, "transport of a level is NULL");
    c = sound();
    level.cc = weft_cc_find("dcqnc");
    net_refuses(&c, WEFT_EINVAL, "cc of a level is NULL");
    c = sound();
    level.cc_config = NULL;
    net_refuses(&c, WEFT_EINVAL, "an algorithm of a level has no configuration");
    c = sound();
    level.transport_config = NULL;
    net_refuses(&c, WEFT_EINVAL, "an algorithm of a level has no configuration");
    c = sound();
    c.buffer.classes = 4;
    net_refuses(&c, WEFT_EINVAL, "scheduler or its configuration is NULL");
}
END_TEST

/* So does a part of it that is checked by itself. */
START_TEST(a_part_names_what_its_level_lacks)
{
    struct weft_refusal why = {0};
    const struct weft_net_config c = sound();
    level.transport = NULL;
    ck_assert_int_eq(weft_net_check(&c, WEFT_NET_TRANSPORT, 0, &why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "transport of a level is NULL"));
    level.lb = NULL;
    ck_assert_int_eq(weft_net_check(&c, WEFT_NET_BALANCER, 0, &why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "lb of a level is NULL"));
}
END_TEST

/* Also where it is refused when half of it is made, as by a congestion control. */
START_TEST(half_a_fabric_is_none)
{
    struct weft_net_config c = sound();
    level.lb = weft_lb_find("conga");
    level.lb_config = calloc(1, level.lb->algo.config_size);
    net_refuses(&c, WEFT_ERANGE, "");
}
END_TEST

Suite *refused_shapes_suite(void);

Suite *
refused_shapes_suite(void)
{
    Suite *s = suite_create("refused-shapes");
    TCase *tc = tcase_create("refused-shapes");
    tcase_add_test(tc, a_shape_that_is_refused_is_one_of_nothing);
    tcase_add_test(tc, a_graph_that_is_refused_is_one_of_nothing);
    tcase_add_test(tc, a_graph_of_nothing_makes_no_shape);
    tcase_add_test(tc, a_buffer_needs_memory_and_a_configuration);
    tcase_add_test(tc, levels_need_balancers);
    tcase_add_test(tc, a_fabric_names_what_it_lacks);
    tcase_add_test(tc, a_part_names_what_its_level_lacks);
    tcase_add_test(tc, half_a_fabric_is_none);
    suite_add_tcase(s, tc);
    return s;
}
