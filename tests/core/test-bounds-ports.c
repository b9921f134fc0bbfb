/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds where hosts have several ports, of any rates. If these fail, a run is told to be
 * faster than anything could be.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "net-parts.h"

Suite *bounds_ports_suite(void);

#define LONG     INT64_C(3000000000000) /* ps: after this nothing happens any more */
#define GBPS     INT64_C(1000000000)
#define TORS     5U
#define SPINES   2U
#define HOSTS    5U
#define EDGES    64U
#define MESSAGES 4U

static struct
{
    struct weft_graph_edge edges[EDGES];
    uint32_t nhosts, nedges, nmessages;
    struct weft_graph graph;
    struct weft_clos clos;
    struct weft_net_level level;
    struct weft_net_config config;
    struct weft_net *net;
    struct weft_message messages[MESSAGES];
    int64_t delivered[MESSAGES];
    int64_t acked; /* the last one */
} world;

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    world.delivered[tag] = now;
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    (void)tag;
    world.acked = now;
}

static void
begin(uint32_t nhosts)
{
    memset(&world, 0, sizeof world);
    world.nhosts = nhosts;
}

static void
link(uint32_t a, uint32_t b, int64_t rate, bool scale_up)
{
    ck_assert_uint_lt(world.nedges, EDGES);
    world.edges[world.nedges++] = (struct weft_graph_edge){a, b, rate, 500000, scale_up};
}

static void
send(uint32_t src, uint32_t dst, uint64_t bytes)
{
    const uint32_t i = world.nmessages++;
    world.messages[i] = (struct weft_message){.bytes = bytes, .src = src, .dst = dst, .qp = i};
}

static void
make(uint32_t nswitches, const char *balancer, const char *const *frames)
{
    static const char *const never[] = {"rto", "inf", NULL};
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    const int64_t size = weft_graph_size(world.nhosts, nswitches, world.edges, world.nedges);
    struct weft_graph_fault fault;
    void *config = parts_defaults(&kind->algo);
    ck_assert_int_eq(weft_graph_init(&world.graph, parts_take(NULL, (size_t)size), (size_t)size,
                                     world.nhosts, nswitches, world.edges, world.nedges, &fault),
                     0);
    kind->use(config, &world.graph);
    ck_assert_int_eq(kind->build(config, &world.clos), 0);
    parts_describe(&world.config, &world.level, &world.clos, balancer, "ideal", never);
    world.config.hooks = (struct weft_net_hooks){.delivered = delivered, .acked = acked};
    parts_set_all(&weft_fabric_algo, &world.config.frame, frames);
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
}

/* Sends the messages, and returns their least time. */
static int64_t
run(void)
{
    const struct weft_job job = {.ops = weft_workload_find("flows")};
    const struct weft_traffic t = {.clos = &world.clos,
                                   .frame = &world.config.frame,
                                   .job = &job,
                                   .messages = world.messages,
                                   .n = world.nmessages};
    for (uint32_t i = 0; i < world.nmessages; i++)
    {
        struct weft_qp *qp;
        const struct weft_message *m = &world.messages[i];
        const struct weft_net_qp_site site = {.src = m->src, .dst = m->dst, .stream = i};
        ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
        weft_net_post(world.net, qp, m->bytes, i, 0, i);
    }
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(weft_net_inside(world.net), 0);
    return weft_traffic_least_time(&t, true, parts_take(NULL, weft_traffic_memory(&t)));
}

static int64_t
ideal_of(const struct weft_message *m)
{
    struct weft_hop hops[TORS + SPINES + 2];
    return weft_ideal_fct(&world.clos, &world.config.frame, m->src, m->dst, m->bytes, hops);
}

/* --- by chance -------------------------------------------------------------------------------- */

static int64_t
draw_rate(struct weft_rng *rng)
{
    static const int64_t rates[] = {25, 100, 400, 900};
    return GBPS * rates[weft_rng_below(rng, 4)];
}

/* Hosts at some of the ToRs, perhaps with a server's switch; ToRs at all spines, and perhaps at
 * each other. Returns the number of switches. */
static uint32_t
draw_fabric(struct weft_rng *rng)
{
    begin(2 + weft_rng_below(rng, HOSTS - 1));
    const uint32_t first = world.nhosts, server = first + TORS + SPINES;
    const bool servers = weft_rng_below(rng, 3) == 0;
    for (uint32_t host = 0; host < world.nhosts; host++)
    {
        const uint32_t tors = 1 + weft_rng_below(rng, TORS), from = weft_rng_below(rng, TORS);
        for (uint32_t i = 0; i < tors; i++)
        {
            link(host, first + (from + i) % TORS, draw_rate(rng), false);
        }
        if (servers && host < 3)
        {
            link(host, server, draw_rate(rng), true);
        }
    }
    for (uint32_t i = 0; i < TORS * SPINES; i++)
    {
        link(first + i % TORS, first + TORS + i / TORS, draw_rate(rng), false);
    }
    for (uint32_t i = weft_rng_below(rng, 4); i > 0; i--)
    {
        link(first + i, first + i - 1, draw_rate(rng), false);
    }
    return TORS + SPINES + servers;
}

static void
draw_messages(struct weft_rng *rng, uint32_t most)
{
    for (uint32_t left = 1 + weft_rng_below(rng, most); left > 0; left--)
    {
        const uint32_t src = weft_rng_below(rng, world.nhosts);
        const uint32_t dst = src + 1 + weft_rng_below(rng, world.nhosts - 1);
        send(src, dst % world.nhosts, 1 + weft_rng_below(rng, left % 2 ? 6000 : 120000));
    }
}

START_TEST(nothing_is_faster_than_its_bound)
{
    static const char *const choices[] = {"hash", "round-robin", "least-queued"};
    static const char *const acks[] = {"share", "ideal"};
    static const char *const windows[] = {"1", "16"};
    struct weft_rng rng;
    weft_rng_seed(&rng, (uint64_t)_i, 0, 0x626f756e);
    for (uint32_t i = 0; i < 200; i++)
    {
        const char *const frames[] = {"host-port",
                                      choices[i % 3],
                                      "ack-priority",
                                      acks[i / 3 % 2],
                                      "port-window",
                                      windows[i / 6 % 2],
                                      NULL};
        const bool one_path = i % 2; /* else a short last packet may overtake others */
        const uint32_t nswitches = draw_fabric(&rng);
        draw_messages(&rng, _i % 2 ? MESSAGES : 1);
        make(nswitches, one_path ? "ecmp" : "ops", frames);
        const int64_t least = run();
        ck_assert_int_gt(least, 0);
        ck_assert_int_le(least, world.acked);
        for (uint32_t k = 0; one_path && k < world.nmessages; k++)
        {
            ck_assert_int_le(ideal_of(&world.messages[k]), world.delivered[k]);
        }
        parts_free();
    }
}
END_TEST

/* --- by hand ---------------------------------------------------------------------------------- */

/* Three ports of 100 Gb/s send to two of 400 Gb/s, or the other way round: 10 MB at 300 Gb/s. */
START_TEST(ports_that_differ_are_used_together)
{
    static const char *const in_turn[] = {"host-port", "round-robin", NULL};
    begin(2);
    for (uint32_t i = 0; i < 3; i++)
    {
        link(0, 2 + i, 100 * GBPS, false);
        link(2 + i, 5, 400 * GBPS, false);
        link(2 + i, 6, 400 * GBPS, false);
    }
    link(1, 5, 400 * GBPS, false);
    link(1, 6, 400 * GBPS, false);
    send((uint32_t)_i, 1 - (uint32_t)_i, 10000000);
    make(5, "ops", in_turn);
    const int64_t least = run(), ideal = ideal_of(&world.messages[0]);
    const int64_t wire = INT64_C(10000000) * 8000 / 300;
    ck_assert(least > wire && least < wire / 100 * 115 && least <= world.acked);
    ck_assert(ideal > wire && ideal < wire / 100 * 115 && ideal <= world.delivered[0]);
    parts_free();
}
END_TEST

Suite *
bounds_ports_suite(void)
{
    Suite *suite = suite_create("bounds-ports");
    TCase *tcase = tcase_create("bounds-ports");
    tcase_add_loop_test(tcase, nothing_is_faster_than_its_bound, 0, 8);
    tcase_add_loop_test(tcase, ports_that_differ_are_used_together, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
