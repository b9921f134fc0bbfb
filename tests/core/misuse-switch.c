/* SPDX-License-Identifier: MIT */
/* Mistakes with balancers at switches, buffers and shapes. */
#include "misuse.h"

#include <stdlib.h>
#include <string.h>

const struct weft_lb_ops *lb;
void *state;
struct weft_clos clos;
static uint32_t queues[PORTS];
struct weft_ports ports = {queues, NULL, 4, 4, 4, 0, 0};
struct weft_packet packet;

void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 8);
    weft_config_default(algo, config);
    return config;
}

/* ToR 0 of a fat-tree of three tiers with k = 8: ports 4 to 7 lead upwards. */
void
make(const char *name)
{
    const struct weft_topology_ops *tree = weft_topology_find("fat-tree");
    struct weft_mmu_config buffer;
    struct weft_site site;
    void *shape = defaults(&tree->algo);
    lb = weft_lb_find(name);
    void *config = defaults(&lb->algo);
    weft_config_default(&weft_mmu_algo, &buffer);
    if (weft_config_set(&tree->algo, shape, "k", "8") || tree->build(shape, &clos))
    {
        exit(3);
    }
    weft_clos_site(&clos, &buffer, 0, 1, 1, &site);
    site.provides = WEFT_NEEDS_ALL;
    state = calloc(1, lb->state_size(config, &site));
    if (lb->init(state, config, &site))
    {
        exit(3);
    }
    packet.dst = 100;
}

static void
no_candidates(void)
{
    make("jsq");
    ports.n = 0;
    lb->pick(state, &ports, &packet, 0);
}

static void
foreign_ports(void)
{
    make("drill");
    ports.first = PORTS;
    lb->pick(state, &ports, &packet, 0);
}

static void
foreign_list(void)
{
    static const uint16_t list[] = {4, 5, 4000};
    make("switch-rr");
    ports.list = list;
    ports.n = 3;
    lb->pick(state, &ports, &packet, 0);
}

static void
shuffled(void)
{
    static const uint16_t list[] = {6, 4, 7, 5};
    make("simple-rr");
    ports.list = list;
    lb->pick(state, &ports, &packet, 0);
}

static void
too_wide(void)
{
    make("rsq");
    ports.width = 3;
    lb->pick(state, &ports, &packet, 0);
}

static void
unasked(void)
{
    static uint64_t flow[64];
    uint32_t queue;
    make("conweave");
    lb->arrive(state, flow, &packet, &queue, 0);
    lb->pick(state, &ports, &packet, 0);
}

static void
foreign_host(void)
{
    make("ofan");
    packet.dst = 1000000;
    lb->pick(state, &ports, &packet, 0);
}

static void
backwards(void)
{
    make("ecmp");
    lb->pick(state, &ports, &packet, 5);
    lb->pick(state, &ports, &packet, 4);
}

static void
no_queues(void)
{
    make("ar");
    ports.queue_bytes = NULL;
    lb->pick(state, &ports, &packet, 0);
}

static uint32_t
scribble_when_picking(void *of, const struct weft_ports *from, struct weft_packet *p, int64_t now)
{
    (void)of;
    (void)now;
    p->meta[0]++;
    return weft_port_at(from, 0);
}

static enum weft_arrival
scribble_when_arriving(void *of, void *flow, struct weft_packet *p, uint32_t *queue, int64_t now)
{
    (void)of;
    (void)flow;
    (void)queue;
    (void)now;
    p->echo++;
    return WEFT_ARRIVAL_FORWARD;
}

/* A balancer of one's own that has only data in mind. Checks lie before its state: a mark, and the
 * table to which they hand on. */
static void
make_scribbler(const char *like)
{
    static struct weft_lb_ops scribbler;
    const struct weft_lb_ops *const ops = &scribbler;
    make(like);
    scribbler = *lb;
    scribbler.pick = scribble_when_picking;
    scribbler.arrive = scribble_when_arriving;
    memcpy((char *)state + sizeof(uint64_t), &ops, sizeof(void *));
}

static void
scribbled_pick(void)
{
    make_scribbler("ecmp");
    lb->pick(state, &ports, &packet, 0); /* data: its to write into */
    packet.kind = WEFT_NACK;
    lb->pick(state, &ports, &packet, 0);
}

static void
scribbled_arrival(void)
{
    uint32_t queue;
    make_scribbler("letflow");
    packet.kind = WEFT_ACK;
    lb->arrive(state, NULL, &packet, &queue, 0);
}

static void
no_init(void)
{
    make("ecmp");
    uint64_t zeros[64] = {0};
    lb->pick(zeros, &ports, &packet, 0);
}

static uint64_t memory[1024];
static struct weft_mmu *const mmu = (struct weft_mmu *)(void *)memory;

static void
make_buffer(void)
{
    struct weft_mmu_config config;
    weft_config_default(&weft_mmu_algo, &config);
    if (weft_mmu_size(&config, PORTS) > (int64_t)sizeof memory ||
        weft_mmu_init(mmu, &config, PORTS))
    {
        exit(3);
    }
}

static void
buffer_of_a_foreign_port(void)
{
    make_buffer();
    weft_mmu_admit(mmu, 0, PORTS, 1, 1500);
}

static void
buffer_of_a_foreign_class(void)
{
    make_buffer();
    weft_mmu_admit(mmu, 0, 1, 2, 1500);
}

static void
released_twice(void)
{
    make_buffer();
    weft_mmu_admit(mmu, 0, 1, 1, 1500);
    weft_mmu_release(mmu, 0, 1, 1, 1500);
    weft_mmu_release(mmu, 0, 1, 1, 1500);
    weft_mmu_admit(mmu, 0, 1, 1, 1000);
}

static void
replaced_unasked(void)
{
    make_buffer();
    weft_mmu_replace(mmu, 0, 1, 1, 1500, 0, 1500);
}

static void
foreign_link(void)
{
    struct weft_link link;
    make("ecmp");
    weft_clos_link(&clos, clos.nlinks, &link);
}

static void
foreign_switch(void)
{
    struct weft_switch_map map;
    make("ecmp");
    weft_clos_switch(&clos, clos.nswitches, &map);
}

static void
port_beyond_its_switch(void)
{
    int64_t rate;
    int64_t delay;
    make("ecmp");
    weft_clos_port(&clos, 0, PORTS, &rate, &delay);
}

static void
way_to_nowhere(void)
{
    make("ecmp");
    weft_clos_way(&clos, 0, clos.nhosts, 1500);
}

static void
path_beyond_the_last(void)
{
    uint64_t links[6];
    make("ecmp");
    weft_clos_path(&clos, 0, 100, weft_clos_paths(&clos, 0, 100), links);
}

static void
exception_for_nobody(void)
{
    static uint64_t room[4096];
    struct weft_switch_map map;
    make("ecmp");
    const uint64_t dead = clos.nhosts;
    struct weft_fib *fib = (struct weft_fib *)(void *)room;
    if (weft_fib_build(fib, sizeof room, &clos, &dead, 1, false))
    {
        exit(3);
    }
    weft_clos_switch(&clos, 0, &map);
    weft_fib_route(fib, 0, &map, clos.nhosts, &ports);
}

/* A switch with two hosts. */
static void
graph_of_strangers(void)
{
    static uint64_t room[1024];
    const struct weft_graph_edge edges[] = {{0, 2, 100000000000, 1000, false},
                                            {1, 2, 100000000000, 1000, false}};
    struct weft_graph_fault fault;
    struct weft_graph graph;
    if (weft_graph_init(&graph, room, sizeof room, 2, 1, edges, 2, &fault))
    {
        exit(3);
    }
    weft_graph_hops(&graph, 0, 2);
}

static void
level_beyond_the_last(void)
{
    struct weft_levels levels = {.n = 1, .lb = {weft_lb_find("ecmp")}, .tclass = {1}};
    const struct weft_site site = {
        .nports = PORTS, .up_ports = 4, .tclass = 1, .provides = WEFT_NEEDS_ALL};
    struct weft_lb_ops all;
    levels.config[0] = defaults(&levels.lb[0]->algo);
    weft_levels_ops(&levels, &all);
    state = calloc(1, all.state_size(&levels, &site));
    if (all.init(state, &levels, &site))
    {
        exit(3);
    }
    packet.sl = 1;
    all.pick(state, &ports, &packet, 0);
}

const struct mistake switch_mistakes[] = {
    {no_candidates, "lb->pick: there is at least one candidate (n)", false},
    {foreign_ports, "lb->pick: candidates are ports of the switch", false},
    {foreign_list, "lb->pick: candidates are ports of the switch", false},
    {shuffled, "lb->pick: candidates come in the order of their port numbers", true},
    {too_wide, "lb->pick: width counts the group's ports", true},
    {foreign_host, "lb->pick: a packet's src and dst are hosts of the site's clos", false},
    {backwards, "lb->pick: time does not go backwards", true},
    {no_queues, "lb->pick: this balancer looks at queues", false},
    {no_init, "lb->pick: init() of this state comes first", false},
    {scribbled_pick, "lb->pick: a balancer writes echo and meta of data and of its own", false},
    {scribbled_arrival, "lb->arrive: a balancer writes echo and meta of data and of its own",
     false},
    {unasked, "lb->pick: after arrive() and on_deadline() request() is asked", false},
    {level_beyond_the_last, "lb->pick: a packet's service level (sl) is below n", false},
    {buffer_of_a_foreign_port, "weft_mmu_admit: ports are below nports of the buffer", false},
    {buffer_of_a_foreign_class, "weft_mmu_admit: a traffic class is below", false},
    {released_twice, "weft_mmu_admit: no more is released than was admitted", false},
    {replaced_unasked, "weft_mmu_replace: it comes after weft_mmu_admit()", false},
    {foreign_link, "weft_clos_link: a link is below nlinks", false},
    {foreign_switch, "weft_clos_switch: a switch is below nswitches", false},
    {port_beyond_its_switch, "weft_clos_port: a port is below those of its switch", true},
    {way_to_nowhere, "weft_clos_way: hosts are below nhosts", true},
    {path_beyond_the_last, "weft_clos_path: a path is below weft_clos_paths()", false},
    {exception_for_nobody, "weft_fib_route: hosts are below nhosts", false},
    {graph_of_strangers, "weft_graph_hops: hosts are below nhosts", false},
    {NULL, NULL, false},
};
