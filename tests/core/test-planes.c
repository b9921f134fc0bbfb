/* SPDX-License-Identifier: MIT */
/* Hosts with a port in each of several planes: were a frame to leave by another port, or at another
 * time, no comparison of schemes on such fabrics would be worth anything. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

#include "net-parts.h"
#include "planes-naive.h"

#define LONG     INT64_C(3000000000000) /* ps: after this nothing happens any more */
#define MOST_QPS 64U

/* A fabric, and what was heard of its QPs. */
static struct
{
    struct weft_clos clos;
    struct weft_graph graph;
    uint32_t ports; /* of each host */
    struct weft_net_level level;
    struct weft_net_config config;
    struct weft_net *net;
    struct naive_planes heard;
    uint32_t by_port[64]; /* data frames that left, by port */
    uint32_t wrong;       /* frames that came by another port than they left by */
    uint32_t delivered;
    int64_t cut_at; /* frames that leave later are counted in `late` as well */
    uint32_t late[64];
    uint16_t went[MOST_QPS]; /* the port of a QP's last data */
} world;

static void
sent(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    (void)host;
    if (p->kind != WEFT_DATA && p->kind != WEFT_RAW)
    {
        return;
    }
    const uint32_t several = world.ports > 1;
    world.wrong += p->in_port < several || p->in_port > several * world.ports;
    const uint32_t port = several ? p->in_port - 1U : 0;
    world.by_port[port]++;
    world.late[port] += now > world.cut_at;
    if (p->kind == WEFT_RAW)
    {
        return;
    }
    world.went[p->qp] = (uint16_t)port;
    if (p->qp < NAIVE_FLOWS && p->psn < NAIVE_PACKETS)
    {
        world.heard.flow[p->qp].sent[p->psn] = now;
        world.heard.flow[p->qp].by[p->psn] = (uint8_t)port;
    }
}

static void
received(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    (void)host;
    (void)now;
    world.wrong += p->in_port >= world.ports;
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    world.delivered++;
    if (qp->index < NAIVE_FLOWS)
    {
        world.heard.flow[tag].delivered = now;
    }
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    if (qp->index < NAIVE_FLOWS)
    {
        world.heard.flow[tag].acked = now;
    }
}

static void *
configured(const struct weft_algo *algo, const char *const *settings)
{
    static const char *const none[] = {NULL};
    void *config = parts_defaults(algo);
    parts_set_all(algo, config, settings ? settings : none);
    return config;
}

/* Describes a fabric. @p frames: settings; NULL: defaults. */
static void
describe(const char *const *shape, const char *balancer, const char *transport,
         const char *const *timers, const char *const *frames)
{
    static const char *const none[] = {NULL};
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    memset(&world, 0, sizeof world);
    world.cut_at = INT64_MAX;
    ck_assert_int_eq(kind->build(configured(&kind->algo, shape), &world.clos), 0);
    world.ports = world.clos.planes;
    parts_describe(&world.config, &world.level, &world.clos, balancer, transport,
                   timers ? timers : none);
    if (frames)
    {
        parts_set_all(&weft_fabric_algo, &world.config.frame, frames);
    }
    world.config.hooks = (struct weft_net_hooks){
        .delivered = delivered, .acked = acked, .sent = sent, .received = received};
}

static struct weft_qp *
post(uint32_t src, uint32_t dst, uint64_t bytes, int64_t at)
{
    struct weft_qp *qp;
    const uint32_t i = weft_net_nqps(world.net);
    const struct weft_net_qp_site site = {.src = src, .dst = dst, .stream = i};
    ck_assert_uint_lt(i, MOST_QPS);
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    weft_net_post(world.net, qp, bytes, i, at, i);
    return qp;
}

static void
make(void)
{
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
}

static void
end(void)
{
    ck_assert_uint_eq(world.wrong, 0);
    ck_assert_uint_eq(weft_net_inside(world.net), 0);
    parts_free();
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* Draws a fabric, its flows and the seed of what chance decides in it. */
static void
draw(struct naive_planes *n, uint32_t number)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, number, 1, 0x706c616e);
    static const int64_t bytes[] = {80, 40, 20};
    memset(n, 0, sizeof *n);
    n->hosts = 2 + weft_rng_below(&rng, NAIVE_HOSTS - 1);
    n->planes = 2 + weft_rng_below(&rng, NAIVE_PLANES - 1);
    n->nflows = 1 + weft_rng_below(&rng, NAIVE_FLOWS);
    n->choice = (enum naive_choice)(number % 3);
    n->window = 1 + weft_rng_below(&rng, number % 2 ? 4 : 40);
    n->byte = bytes[weft_rng_below(&rng, 3)];
    n->delay = 1000 * (1 + weft_rng_below(&rng, 900));
    n->data = 1500;
    n->ack = 64 + 20 * weft_rng_below(&rng, 3);
    n->gap = 20 * weft_rng_below(&rng, 2);
    n->seed = number;
    n->apart = 2; /* each plane is a leaf and a spine */
    for (uint32_t i = 0; i < n->nflows; i++)
    {
        struct naive_flow *f = &n->flow[i];
        f->src = weft_rng_below(&rng, n->hosts);
        f->dst = (f->src + 1 + weft_rng_below(&rng, n->hosts - 1)) % n->hosts;
        f->packets = 1 + weft_rng_below(&rng, NAIVE_PACKETS);
        f->start = number % 4 ? weft_rng_below(&rng, 2000000) : 0;
    }
}

/* Makes of the fabric a graph of one switch for each plane, to which all hosts have a link. */
static void
as_graph(const struct naive_planes *n)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    struct weft_graph_edge edges[NAIVE_HOSTS * NAIVE_PLANES];
    struct weft_graph_fault fault;
    uint64_t config[4] = {0};
    uint32_t nedges = 0;
    for (uint32_t i = 0; i < n->hosts * n->planes; i++)
    {
        edges[nedges++] =
            (struct weft_graph_edge){i / n->planes, n->hosts + i % n->planes,
                                     INT64_C(8000000000000) / n->byte, n->delay, false};
    }
    const int64_t size = weft_graph_size(n->hosts, n->planes, edges, nedges);
    ck_assert_int_eq(weft_graph_init(&world.graph, parts_take(NULL, (size_t)size), (size_t)size,
                                     n->hosts, n->planes, edges, nedges, &fault),
                     0);
    kind->use(config, &world.graph);
    ck_assert_int_eq(kind->build(config, &world.clos), 0);
    world.ports = n->planes;
}

/* Runs the same in the fabric; its labels' ports are those that the other one is told. */
static void
run_fabric(struct naive_planes *n)
{
    char hosts[16], planes[16], rate[16], delay[24], ack[16], gap[16], window[16];
    const char *const shape[] = {"leaves",     "1",      "spines", "1",         "hosts-per-leaf",
                                 hosts,        "planes", planes,   "link-rate", rate,
                                 "link-delay", delay,    NULL};
    static const char *const choices[] = {"hash", "round-robin", "least-queued"};
    static const char *const never[] = {"rto", "inf", NULL};
    const char *const frames[] = {"ack-priority", "share", "ack",       ack,
                                  "gap",          gap,     "host-port", choices[n->choice],
                                  "port-window",  window,  NULL};
    snprintf(hosts, sizeof hosts, "%u", n->hosts);
    snprintf(planes, sizeof planes, "%u", n->planes);
    snprintf(rate, sizeof rate, "%dGbps", (int)(8000 / n->byte));
    snprintf(delay, sizeof delay, "%dps", (int)n->delay);
    snprintf(ack, sizeof ack, "%dB", (int)n->ack);
    snprintf(gap, sizeof gap, "%dB", (int)n->gap);
    snprintf(window, sizeof window, "%u", n->window);
    describe(shape, "ops", "ideal", never, frames);
    if (n->apart == 1)
    {
        as_graph(n);
    }
    world.config.seed = n->seed;
    make();
    for (uint32_t i = 0; i < n->nflows; i++)
    {
        const struct naive_flow *f = &n->flow[i];
        post(f->src, f->dst, f->packets * (uint64_t)world.config.frame.payload, f->start);
    }
    weft_net_run(world.net, LONG);
    for (uint32_t i = 0; i < n->nflows; i++)
    {
        memcpy(n->flow[i].port, world.heard.flow[i].by, sizeof n->flow[i].port);
    }
}

/* In planes, and then as a graph. */
START_TEST(hosts_with_several_ports_are_those_simulated_by_hand)
{
    static struct naive_planes n;
    const uint32_t first = 30U * ((uint32_t)_i % 10);
    for (uint32_t number = first; number < first + 30; number++)
    {
        draw(&n, number);
        n.apart = _i < 10 ? 2 : 1;
        run_fabric(&n);
        naive_planes_run(&n);
        for (uint32_t i = 0; i < n.nflows; i++)
        {
            const struct naive_flow *a = &n.flow[i], *b = &world.heard.flow[i];
            for (uint32_t psn = 0; psn < a->packets; psn++)
            {
                if (a->sent[psn] != b->sent[psn] || a->by[psn] != b->by[psn])
                {
                    ck_abort_msg(
                        "fabric %u (choice %d, window %u, %u planes), flow %u, packet %u: at "
                        "%lld by %u, by hand at %lld by %u",
                        number, n.choice, n.window, n.planes, i, psn, (long long)b->sent[psn],
                        b->by[psn], (long long)a->sent[psn], a->by[psn]);
                }
            }
            ck_assert_int_eq(a->delivered, b->delivered);
            ck_assert_int_eq(a->acked, b->acked);
        }
        end();
    }
}
END_TEST

/* --- ports that die --------------------------------------------------------------------------- */

static const char *const two_tiers[] = {"leaves",         "4",       "spines", "4",
                                        "hosts-per-leaf", "2",       "planes", "2",
                                        "link-rate",      "100Gbps", NULL};
static const char *const hasty[] = {"rto", "100us", NULL};

#define CUT INT64_C(50000000) /* ps */

/* Returns the link of a host in a plane. */
static uint64_t
host_link(uint32_t host, uint32_t plane)
{
    return plane * world.clos.nlinks + host;
}

/* Posts a long message and runs the fabric until its packets are under way. Returns their port. */
static uint32_t
begin_long(const char *balancer)
{
    describe(two_tiers, balancer, "sack", hasty, NULL);
    make();
    post(0, 7, 4000000, 0);
    weft_net_run(world.net, CUT);
    world.cut_at = CUT;
    return world.went[0];
}

START_TEST(a_nic_knows_at_once_of_its_own_dead_port)
{
    const uint32_t port = begin_long("ecmp");
    ck_assert_uint_eq(world.by_port[1 - port], 0);
    weft_net_set_down(world.net, host_link(0, port), true);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, 1);
    ck_assert_uint_eq(world.late[port], 0);
    ck_assert_uint_gt(world.late[1 - port], 2000);
    end();
}
END_TEST

START_TEST(a_port_that_comes_back_is_used_again)
{
    const uint32_t port = begin_long("ecmp");
    weft_net_set_down(world.net, host_link(0, port), true);
    weft_net_run(world.net, 2 * CUT);
    ck_assert_uint_eq(world.late[port], 0);
    weft_net_set_down(world.net, host_link(0, port), false);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, 1);
    ck_assert_uint_gt(world.late[port], 1000);
    end();
}
END_TEST

/* A sender that is alive in a plane whose forwarding no longer leads to its receiver. */
START_TEST(a_plane_that_does_not_lead_to_the_receiver_is_left_when_forwarding_knows)
{
    static uint64_t memory[4096];
    struct weft_fib *fib = (struct weft_fib *)(void *)memory;
    const uint32_t port = begin_long("ecmp");
    const uint64_t dead[] = {7}; /* by the plane's own numbers */
    const struct weft_fib_case of = {.dead = dead, .ndead = 1};
    weft_net_set_down(world.net, host_link(7, port), true);
    weft_net_run(world.net, 2 * CUT);
    ck_assert_uint_gt(world.late[port], 0); /* nobody has told it */
    ck_assert_uint_eq(world.late[1 - port], 0);
    ck_assert_int_eq(weft_fib_build_for(fib, sizeof memory, &world.clos, &of), 0);
    weft_net_set_routes(world.net, port, fib, false);
    memset(world.late, 0, sizeof world.late);
    world.cut_at = 2 * CUT;
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, 1);
    ck_assert_uint_eq(world.late[port], 0);
    ck_assert_uint_gt(world.late[1 - port], 1000);
    ck_assert_ptr_eq(weft_net_fib(world.net, port), fib);
    ck_assert_ptr_null(weft_net_fib(world.net, 1 - port));
    end();
}
END_TEST

START_TEST(with_all_ports_dead_nothing_is_delivered_and_nothing_hangs)
{
    begin_long("ecmp");
    weft_net_set_down(world.net, host_link(0, 0), true);
    weft_net_set_down(world.net, host_link(0, 1), true);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, 0);
    ck_assert(weft_net_is_over(world.net));
    end();
}
END_TEST

/* Waiting data and replies of a dead port take another one: all of them count as sent once. */
START_TEST(what_waits_for_a_port_that_dies_takes_another)
{
    static const char *const deep[] = {"port-window", "64", "ack-priority", "share", NULL};
    describe(two_tiers, "ops", "sack", hasty, deep);
    make();
    for (uint32_t i = 0; i < 6; i++)
    {
        post(0, 2 + i, 400000, 0);
        post(2 + i, 0, 400000, 0);
    }
    weft_net_run(world.net, CUT);
    world.cut_at = CUT;
    weft_net_set_down(world.net, host_link(0, 1), true);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, 12);
    ck_assert_uint_eq(weft_net_waiting(world.net, 0), 0);
    end();
}
END_TEST

/* Sends packets of the program that name a port, and runs the fabric until they are there. */
static void
send_by(uint32_t port, uint32_t n, int64_t at)
{
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_packet p = {.kind = WEFT_RAW,
                                      .dst = 7,
                                      .bytes = 600,
                                      .tclass = 1,
                                      .in_port = (uint16_t)(1 + port),
                                      .sport = (uint16_t)(77 * i)};
        weft_net_send(world.net, 0, &p, at);
    }
    weft_net_run(world.net, at + CUT);
}

/* Else an IP stack's frames would leave by another port than the device that they were given. */
START_TEST(a_packet_of_the_program_leaves_by_the_port_that_it_names)
{
    struct weft_net_counters total;
    describe(two_tiers, "ecmp", "sack", hasty, NULL);
    make();
    send_by(1, 40, 0);
    send_by(0, 9, CUT);
    ck_assert_uint_eq(world.by_port[1], 40);
    ck_assert_uint_eq(world.by_port[0], 9);
    weft_net_set_down(world.net, host_link(0, 1), true);
    send_by(1, 5, 2 * CUT);
    weft_net_total(world.net, &total);
    ck_assert_uint_eq(world.by_port[0], 9);
    ck_assert_uint_eq(total.lost[WEFT_NET_DROP_LINK], 5);
    ck_assert_uint_eq(weft_net_waiting(world.net, 0), 0);
    end();
}
END_TEST

/* --- which ports schemes use ------------------------------------------------------------------ */

/* Schemes, and how far the planes' shares of their packets may be apart, in packets of 10,000:
 * those that count are exact, those that draw are within five standard deviations. */
static const struct
{
    const char *balancer;
    const char *port; /* host-port */
    uint32_t most;
} sharers[] = {
    {"ops", "hash", 600},        {"reps", "hash", 1200},        {"prime", "hash", 4},
    {"co-prime", "hash", 4},     {"host-dr", "hash", 4},        {"pro", "hash", 4},
    {"ecmp", "round-robin", 4},  {"ops", "round-robin", 4},     {"letflow", "round-robin", 4},
    {"conga", "round-robin", 4}, {"ecmp", "least-queued", 200}, {"ops", "least-queued", 200},
};

START_TEST(schemes_that_spread_packets_use_all_planes_alike)
{
    const char *const frames[] = {"host-port", sharers[_i].port, NULL};
    static const char *const shape[] = {"leaves",         "4",       "spines", "4",
                                        "hosts-per-leaf", "2",       "planes", "4",
                                        "link-rate",      "100Gbps", NULL};
    describe(shape, sharers[_i].balancer, "sack", hasty, frames);
    make();
    post(0, 7, 10000 * (uint64_t)world.config.frame.payload, 0);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, 1);
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < 4; i++)
    {
        least = world.by_port[i] < least ? world.by_port[i] : least;
        most = world.by_port[i] > most ? world.by_port[i] : most;
    }
    ck_assert_msg(most - least <= sharers[_i].most, "%s, %s: %u to %u", sharers[_i].balancer,
                  sharers[_i].port, least, most);
    end();
}
END_TEST

/* QPs without labels: as many as there are to do it by, and each keeps its plane. */
START_TEST(a_qp_with_one_label_keeps_to_one_plane)
{
    uint32_t used = 0;
    for (uint32_t dst = 1; dst < 8; dst++)
    {
        describe(two_tiers, "themis", "nic-sr", NULL, NULL);
        make();
        post(0, dst, 1000000, 0);
        weft_net_run(world.net, LONG);
        ck_assert_uint_eq(world.delivered, 1);
        ck_assert(world.by_port[0] == 0 || world.by_port[1] == 0);
        used |= 1U << world.went[0];
        end();
    }
    ck_assert_uint_eq(used, 3); /* not all of them the same one */
}
END_TEST

START_TEST(schemes_that_follow_a_qp_at_its_tor_need_it_in_one_plane)
{
    static const char *const schemes[] = {"themis", "conweave"};
    static const char *const ports[] = {"round-robin", "least-queued"};
    for (uint32_t i = 0; i < 4; i++)
    {
        const char *const frames[] = {"host-port", ports[i % 2], NULL};
        struct weft_refusal why = {0};
        describe(two_tiers, schemes[i / 2], "nic-sr", NULL, frames);
        ck_assert_int_eq(weft_net_make(&world.net, &world.config, &why), WEFT_EINVAL);
        ck_assert_str_eq(why.param, "host-port");
        ck_assert_ptr_nonnull(strstr(why.text, "at one ToR"));
        parts_free();
    }
}
END_TEST

/* --- one by one ------------------------------------------------------------------------------- */

/* A closed form: a host's packets over n planes of 1/n of the rate leave at the whole rate. */
START_TEST(planes_of_a_part_of_the_rate_are_worth_one_of_the_whole)
{
    int64_t whole = 0;
    for (uint32_t planes = 1; planes <= 8; planes *= 2)
    {
        char n[8];
        const char *const shape[] = {"leaves",     "4",       "spines", "4", "hosts-per-leaf", "2",
                                     "link-rate",  "400Gbps", "planes", n,   "divide-rates",   "on",
                                     "link-delay", "1us",     NULL};
        static const char *const frames[] = {"host-port", "least-queued", "ack-priority", "ideal",
                                             NULL};
        snprintf(n, sizeof n, "%u", planes);
        describe(shape, "simple-rr", "ideal", NULL, frames);
        make();
        post(0, 7, 4000 * (uint64_t)world.config.frame.payload, 0);
        weft_net_run(world.net, LONG);
        const int64_t frame = world.config.frame.payload + world.config.frame.header;
        const int64_t byte = 20 * planes; /* ps on a wire of 400/n Gbit/s */
        const int64_t slot = (frame + world.config.frame.gap) * byte;
        /* The last packet of the last round, after three wires more and four delays. */
        const int64_t expected = (4000 / planes - 1) * slot + 4 * (frame * byte + 1000000);
        ck_assert_int_eq(world.heard.flow[0].delivered, expected);
        whole = planes == 1 ? expected : whole;
        ck_assert_int_le(expected - whole, (4 * frame - slot / byte) * (byte - 20) + 4);
        end();
    }
}
END_TEST

Suite *
planes_suite(void)
{
    Suite *suite = suite_create("planes");
    TCase *tcase = tcase_create("planes");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, hosts_with_several_ports_are_those_simulated_by_hand, 0, 20);
    tcase_add_test(tcase, a_nic_knows_at_once_of_its_own_dead_port);
    tcase_add_test(tcase, a_port_that_comes_back_is_used_again);
    tcase_add_test(tcase, a_plane_that_does_not_lead_to_the_receiver_is_left_when_forwarding_knows);
    tcase_add_test(tcase, with_all_ports_dead_nothing_is_delivered_and_nothing_hangs);
    tcase_add_test(tcase, a_packet_of_the_program_leaves_by_the_port_that_it_names);
    tcase_add_test(tcase, what_waits_for_a_port_that_dies_takes_another);
    tcase_add_loop_test(tcase, schemes_that_spread_packets_use_all_planes_alike, 0,
                        (int)(sizeof sharers / sizeof *sharers));
    tcase_add_test(tcase, a_qp_with_one_label_keeps_to_one_plane);
    tcase_add_test(tcase, schemes_that_follow_a_qp_at_its_tor_need_it_in_one_plane);
    tcase_add_test(tcase, planes_of_a_part_of_the_rate_are_worth_one_of_the_whole);
    suite_add_tcase(suite, tcase);
    return suite;
}
