/* SPDX-License-Identifier: MIT */
/* Order of what happens at a switch at one instant, which hangs on nothing else: frames that start
 * by port, the timer of a ToR's balancer, PFC frames, arrivals. Without it results would hang on
 * how a switch is run. */
#include <check.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <weft/theory.h>
#include <weft/weft.h>

#include "net-parts.h"
#include "node/switch-node.h"

#define T    INT64_C(40000000) /* ps: the instant */
#define DATA 1U                /* traffic class */

/* A fabric, and what switch 0 did at the instant, in words. */
static struct
{
    struct weft_clos clos;
    struct weft_net_level level;
    struct weft_net_config config;
    struct weft_net *net;
    struct weft_switch_node *sw; /* ports 0 and 1 to hosts, 2 and 3 to spines */
    bool rang;                   /* the balancer's timer has run out */
    char log[256];
} world;

__attribute__((format(printf, 2, 3))) static void
note(int64_t now, const char *format, ...)
{
    const size_t length = strlen(world.log);
    va_list args;
    va_start(args, format);
    if (now == T)
    {
        vsnprintf(world.log + length, sizeof world.log - length, format, args);
    }
    va_end(args);
}

/* A balancer that goes by the source port, says what it is told, and has a timer. */
static size_t
lb_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return 8;
}

static int
lb_init(void *state, const void *config, const struct weft_site *site)
{
    (void)state;
    (void)config;
    (void)site;
    return 0;
}

static uint32_t
lb_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)state;
    (void)now;
    return weft_port_at(ports, packet->sport % ports->n);
}

static enum weft_arrival
lb_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    (void)state;
    (void)flow;
    (void)queue;
    note(now, "arrives by %u; ", packet->in_port);
    return WEFT_ARRIVAL_FORWARD;
}

static void
lb_leave(void *state, struct weft_packet *data, uint32_t port, int64_t now)
{
    (void)state;
    (void)data;
    note(now, "leaves by %u; ", port);
}

static int64_t
lb_deadline(const void *state)
{
    (void)state;
    return world.rang ? WEFT_NEVER : T;
}

static void
lb_on_deadline(void *state, int64_t now)
{
    (void)state;
    world.rang = true;
    note(now, "timer; ");
}

/* Middleware that sends a NACK for the data that leaves at the instant. */
static size_t
tor_size(const void *config, const struct weft_last_hop *hop)
{
    (void)config;
    (void)hop;
    return 8;
}

static int
tor_init(void *qp, const void *config, const struct weft_last_hop *hop)
{
    (void)qp;
    (void)config;
    (void)hop;
    return 0;
}

static bool
tor_to_host(void *qp, const struct weft_packet *data, bool paused,
            struct weft_tor_counters *counters, uint32_t *epsn)
{
    (void)qp;
    (void)paused;
    (void)counters;
    *epsn = data->psn;
    return true;
}

static enum weft_tor_verdict
tor_from_host(void *qp, const struct weft_packet *reply, struct weft_tor_counters *counters)
{
    (void)qp;
    (void)reply;
    (void)counters;
    return WEFT_TOR_FORWARD;
}

static const struct weft_tor_ops tor = {
    .qp_size = tor_size, .qp_init = tor_init, .to_host = tor_to_host, .from_host = tor_from_host};

static struct weft_lb_ops lb = {.algo = {.name = "scribe", .doc = "", .source = ""},
                                .state_size = lb_size,
                                .init = lb_init,
                                .pick = lb_pick,
                                .arrive = lb_arrive,
                                .leave = lb_leave,
                                .deadline = lb_deadline,
                                .on_deadline = lb_on_deadline,
                                .oblivious = true};

/* The switch is watched: what it tells, it tells in order. @p makes_nacks: it has middleware. */
static void
begin_with(bool makes_nacks, const char *delay)
{
    const char *const shape[] = {"leaves",         "2",   "spines",    "2",
                                 "hosts-per-leaf", "2",   "link-rate", "100Gbps",
                                 "link-delay",     delay, NULL};
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    const struct weft_net_qp_site site = {.src = 2, .dst = 0};
    struct weft_qp *qp;
    memset(&world, 0, sizeof world);
    lb.tor = makes_nacks ? &tor : NULL;
    void *topology = parts_defaults(&kind->algo);
    parts_set_all(&kind->algo, topology, shape);
    ck_assert_int_eq(kind->build(topology, &world.clos), 0);
    world.level = (struct weft_net_level){.lb = &lb, .share = 1, .labels = 4096, .tclass = DATA};
    world.level.transport = weft_transport_find("gbn");
    world.level.transport_config = parts_defaults(&world.level.transport->algo);
    world.level.cc = weft_cc_find("none");
    world.level.cc_config = parts_defaults(&world.level.cc->algo);
    world.config.clos = &world.clos;
    world.config.levels = &world.level;
    world.config.nlevels = 1;
    world.config.scheduler = weft_scheduler_find("strict");
    world.config.memory.take = parts_take;
    weft_config_default(&weft_fabric_algo, &world.config.frame);
    weft_config_default(&weft_mmu_algo, &world.config.buffer);
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    world.sw = &world.net->sw[0];
    weft_net_watch(world.net, world.clos.nhosts, true);
}

static void
begin(void)
{
    begin_with(false, "1us");
}

static void
end(void)
{
    parts_free();
}

/* The neighbour's end of a port. */
static struct weft_port *
peer(uint32_t port)
{
    char *lane = (char *)world.sw->node.port[port].pfc_from;
    return (struct weft_port *)(void *)(lane - offsetof(struct weft_port, pfc));
}

/* Data for a host comes by a port, to go on by an uplink, 0 or 1, if it goes upwards. */
static void
arrives_for(uint32_t dst, uint32_t port, uint32_t uplink, int64_t at)
{
    struct weft_frame *frame = weft_lane_pass(&peer(port)->lane[DATA], &world.net->first.chunks);
    frame->d = (struct weft_packet){.dst = dst & WEFT_HOST_MASK,
                                    .src = 2U - (dst & 2U),
                                    .tclass = DATA,
                                    .bytes = 1000,
                                    .sport = (uint16_t)uplink};
    frame->at = at;
    weft_port_announce(&world.net->first, peer(port), at);
}

static void
arrives(uint32_t port, uint32_t uplink, int64_t at)
{
    arrives_for(2, port, uplink, at);
}

/* A PFC frame that resumes comes by a port. */
static void
resumes(uint32_t port, int64_t at)
{
    struct weft_pfc_lane *lane = &peer(port)->pfc;
    weft_port_pause(&world.net->first, peer(port), DATA, false, 0);
    lane->ring[(lane->sent - 1) & (lane->size - 1)].at = at;
}

/* Runs the switch instant by instant. */
static void
run(const char *expected)
{
    const uint32_t node = world.clos.nhosts;
    while (weft_net_node_next(world.net, node) <= T)
    {
        weft_net_run_node(world.net, node, weft_net_node_next(world.net, node) + 1);
    }
    ck_assert_str_eq(world.log, expected);
}

START_TEST(frames_start_by_port)
{
    begin();
    world.rang = true;
    world.sw->node.port[2].free_at = T;
    world.sw->node.port[3].free_at = T;
    const uint32_t first = _i == 0 ? 0 : 1;
    arrives(first, first, T - 2000);
    arrives(1 - first, 1 - first, T - 1000);
    run("leaves by 2; leaves by 3; ");
    end();
}
END_TEST

/* By port 0 data leaves for which the ToR sends a NACK. It joins the queue of an uplink where data
 * is yet to start, and goes first there, as replies do. */
START_TEST(what_a_start_makes_is_there_for_ports_behind_it)
{
    begin_with(true, "1us");
    world.rang = true;
    for (uint32_t port = 0; port < 4; port++)
    {
        world.sw->node.port[port].free_at = T;
    }
    arrives(1, 0, T - 2000);
    arrives(1, 1, T - 1000);
    arrives_for(0, 3, 0, T - 1000);
    weft_net_watch(world.net, world.clos.nhosts, _i);
    run("leaves by 0; leaves by 3; ");
    const struct weft_port *up = &world.sw->node.port[2];
    ck_assert_uint_eq(up[0].lane[0].left + up[1].lane[0].left, 1);
    end();
}
END_TEST

START_TEST(frames_start_before_the_timer_of_a_balancer)
{
    begin();
    world.sw->node.port[3].free_at = T;
    arrives(0, 1, T - 1000);
    run("leaves by 3; timer; ");
    end();
}
END_TEST

START_TEST(the_timer_comes_before_a_resume)
{
    begin();
    world.sw->node.port[3].paused = 1U << DATA;
    arrives(0, 1, T - 1000);
    resumes(3, T);
    run("timer; leaves by 3; ");
    end();
}
END_TEST

START_TEST(a_resume_comes_before_arrivals)
{
    begin();
    world.rang = true;
    world.sw->node.port[3].paused = 1U << DATA;
    arrives(0, 1, T - 1000);
    arrives(1, 0, T);
    resumes(3, T);
    run("leaves by 3; arrives by 1; leaves by 2; ");
    end();
}
END_TEST

START_TEST(arrivals_come_in_the_order_that_is_drawn)
{
    begin();
    world.rang = true;
    const bool swaps = (weft_tie_order(world.sw->node.tie_salt, T) & 1U) != 0;
    arrives(0, 0, T);
    arrives(1, 1, T);
    run(swaps ? "arrives by 1; leaves by 3; arrives by 0; leaves by 2; "
              : "arrives by 0; leaves by 2; arrives by 1; leaves by 3; ");
    end();
}
END_TEST

START_TEST(all_of_it)
{
    begin();
    world.sw->node.port[2].free_at = T;
    world.sw->node.port[3].paused = 1U << DATA;
    arrives(0, 1, T - 2000);
    arrives(1, 0, T - 1000);
    arrives(0, 1, T);
    resumes(3, T);
    run("leaves by 2; timer; leaves by 3; arrives by 0; ");
    end();
}
END_TEST

/* Else a frame would come to a node that has gone on. */
START_TEST(a_window_without_delay_is_what_the_shortest_frame_takes)
{
    begin_with(false, "0ps");
    ck_assert_int_eq(weft_net_window(world.net), weft_wire_time(38, 100000000000));
    end();
    begin_with(false, "7ns");
    ck_assert_int_eq(weft_net_window(world.net), 7000);
    end();
}
END_TEST

/* Each switch draws its own order, and each seed another one. */
START_TEST(orders_are_drawn_for_each_switch_and_seed)
{
    begin();
    const uint64_t salt = world.sw->node.tie_salt;
    ck_assert_uint_ne(salt, world.net->sw[1].node.tie_salt);
    world.config.seed = 2;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    ck_assert_uint_ne(salt, world.net->sw[0].node.tie_salt);
    end();
}
END_TEST

Suite *instant_switch_suite(void);

Suite *
instant_switch_suite(void)
{
    Suite *suite = suite_create("instant-switch");
    TCase *tcase = tcase_create("instant-switch");
    tcase_add_loop_test(tcase, frames_start_by_port, 0, 2);
    tcase_add_loop_test(tcase, what_a_start_makes_is_there_for_ports_behind_it, 0, 2);
    tcase_add_test(tcase, frames_start_before_the_timer_of_a_balancer);
    tcase_add_test(tcase, the_timer_comes_before_a_resume);
    tcase_add_test(tcase, a_resume_comes_before_arrivals);
    tcase_add_test(tcase, arrivals_come_in_the_order_that_is_drawn);
    tcase_add_test(tcase, all_of_it);
    tcase_add_test(tcase, a_window_without_delay_is_what_the_shortest_frame_takes);
    tcase_add_test(tcase, orders_are_drawn_for_each_switch_and_seed);
    suite_add_tcase(suite, tcase);
    return suite;
}
