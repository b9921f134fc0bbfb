/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Costs of single calls of the C core, for who calls them from another simulator: ns of CPU time,
 * the best of five rounds, less those of the loop. usage: call-bench [TEXT], for lines with it
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/weft.h>

#define CALLS   100000
#define ROUNDS  5
#define PACKETS 1024 /* different ones, which calls are handed by turns */
#define RATE    INT64_C(400000000000)
#define RTT     8000000
#define FRAME   4158
#define SLOT    83160 /* ps: a frame's time on the wire */

static struct
{
    struct weft_clos clos;
    struct weft_site site; /* ToR 0 of a fat-tree with k = 32: 16 uplinks */
    struct weft_path_site path_site;
    struct weft_ports ports;
    uint32_t queue_bytes[32];
    struct weft_packet packet[PACKETS];
    const struct weft_lb_ops *lb;
    const struct weft_transport_ops *nic;
    const struct weft_cc_ops *cc;
    void *state, *flow, *host, *qp, *tor, *tx, *rx;
    struct weft_mmu *mmu;
    uint64_t una;
    int64_t now;
    double loop; /* ns */
    volatile uint32_t sink;
} b;

static void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 8);
    weft_config_default(algo, config);
    return config;
}

static void *
room(size_t bytes)
{
    const size_t size = (bytes + 64) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    return memory ? memset(memory, 0, size) : NULL;
}

static void
must(int error)
{
    if (error)
    {
        fprintf(stderr, "call-bench: %s\n", weft_strerror(error));
        exit(1);
    }
}

static void
read_port(void *of, uint32_t port, int64_t now, struct weft_port_status *status)
{
    (void)of;
    status->rate = RATE;
    status->sent = (uint64_t)(now / 1000) * FRAME;
    status->queue_bytes = b.queue_bytes[port];
    status->paused = 0;
}

static void
make_shape(void)
{
    static const struct weft_port_reader reader = {NULL, read_port};
    const struct weft_topology_ops *tree = weft_topology_find("fat-tree");
    void *shape = defaults(&tree->algo);
    struct weft_mmu_config buffer;
    struct weft_switch_map map;
    must(weft_config_set(&tree->algo, shape, "k", "32"));
    must(tree->build(shape, &b.clos));
    weft_config_default(&weft_mmu_algo, &buffer);
    weft_clos_site(&b.clos, &buffer, 0, 1, 1, &b.site);
    b.site.reader = &reader;
    b.site.provides = WEFT_NEEDS_ALL;
    weft_clos_switch(&b.clos, 0, &map);
    weft_route(&map, b.clos.nhosts - 1, &b.ports);
    b.ports.queue_bytes = b.queue_bytes;
    b.path_site = (struct weft_path_site){.seed = 1,
                                          .run = 1,
                                          .clos = &b.clos,
                                          .qp_bdp = RTT / SLOT,
                                          .dst = b.clos.nhosts - 1,
                                          .batch = 1,
                                          .provides = WEFT_NEEDS_ALL};
}

/* Data of host 0 to one of another pod. */
static struct weft_packet
data(uint32_t i)
{
    return (struct weft_packet){.sent = b.now,
                                .dst = (b.clos.nhosts - 1 - i * 7 % 4096) & WEFT_HOST_MASK,
                                .kind = WEFT_DATA,
                                .psn = i & WEFT_PSN_MASK,
                                .bytes = FRAME,
                                .sport = (uint16_t)(49152 + i % 64),
                                .tclass = 1};
}

/* --- what is measured ------------------------------------------------------------------------- */

static uint32_t
nothing(uint32_t i, struct weft_packet *packet)
{
    (void)packet;
    return i;
}

static uint32_t
pick(uint32_t i, struct weft_packet *packet)
{
    struct weft_request request;
    uint32_t queue;
    (void)i;
    if (b.lb->arrive)
    {
        b.lb->arrive(b.state, b.flow, packet, &queue, b.now);
        while (b.lb->request && b.lb->request(b.state, &request, b.now))
        {
        }
    }
    const uint32_t port = b.lb->pick(b.state, &b.ports, packet, b.now);
    b.queue_bytes[port] = (b.queue_bytes[port] + FRAME) & 0x3ffff;
    return port;
}

static uint32_t
path_data(uint32_t i, struct weft_packet *packet)
{
    (void)i;
    packet->sport = 49152;
    b.lb->path->data(b.qp, packet, b.now);
    return packet->sport;
}

/* Sends a packet as above, and its ACK comes back. */
static uint32_t
path_data_and_reply(uint32_t i, struct weft_packet *packet)
{
    path_data(i, packet);
    packet->echo = packet->sport;
    packet->kind = WEFT_ACK;
    packet->flags = i % 16 == 0 ? WEFT_F_ECE : 0;
    if (b.lb->path->on_reply)
    {
        b.lb->path->on_reply(b.qp, packet, b.now);
    }
    return packet->sport;
}

/* A packet is sent, received and acknowledged. */
static uint32_t
transport(uint32_t i, struct weft_packet *packet)
{
    struct weft_rx_verdict verdict = {.reply = WEFT_REPLY_NONE};
    uint32_t psn = 0;
    (void)i;
    b.nic->tx_next(b.tx, b.now, &psn);
    packet->psn = psn & WEFT_PSN_MASK;
    if (b.nic->tx_stamp)
    {
        b.nic->tx_stamp(b.tx, packet);
    }
    verdict.place = psn;
    b.nic->rx_data(b.rx, packet, b.now, &verdict);
    packet->kind = WEFT_ACK;
    packet->psn = verdict.epsn & WEFT_PSN_MASK;
    packet->ahead = weft_ahead(verdict.place, verdict.epsn);
    return b.nic->tx_reply(b.tx, packet, b.now);
}

static uint32_t
control_sent(uint32_t i, struct weft_packet *packet)
{
    (void)i;
    if (b.cc->on_sent)
    {
        b.cc->on_sent(b.state, packet, b.now);
    }
    return (uint32_t)b.cc->rate(b.state, b.now) + (b.cc->window ? b.cc->window(b.state, b.now) : 0);
}

/* Five ports, each half used. */
static void
stamp(void)
{
    struct weft_stamp stamps[5];
    for (uint32_t k = 0; k < 5; k++)
    {
        stamps[k] = (struct weft_stamp){.at = b.now - RTT + k,
                                        .bytes = (uint64_t)(b.now / 8000000 * (RATE / 2000000)),
                                        .rate = RATE,
                                        .node = k};
    }
    b.cc->on_stamps(b.state, stamps, 5, b.now);
}

static uint32_t
control_ack(uint32_t i, struct weft_packet *packet)
{
    b.una++;
    packet->kind = WEFT_ACK;
    packet->sent = b.now - RTT;
    packet->flags = i % 64 == 0 ? WEFT_F_ECE : 0;
    const struct weft_cc_ack ack = {.reply = packet,
                                    .acked = 1,
                                    .in_flight = 90,
                                    .una = b.una,
                                    .next = b.una + 90,
                                    .delivered = b.una};
    if (b.cc->on_stamps)
    {
        stamp();
    }
    if (b.cc->on_ack)
    {
        b.cc->on_ack(b.state, &ack, b.now);
    }
    return (uint32_t)ack.una;
}

/* Data passes to the NIC, and its ACK comes back. */
static uint32_t
tor(uint32_t i, struct weft_packet *packet)
{
    static struct weft_tor_counters counters;
    uint32_t epsn;
    const bool nack = b.lb->tor->to_host(b.tor, packet, false, &counters, &epsn);
    packet->kind = WEFT_ACK;
    packet->psn = (i + 1) & WEFT_PSN_MASK;
    return nack + (uint32_t)b.lb->tor->from_host(b.tor, packet, &counters);
}

static uint32_t
buffer(uint32_t i, struct weft_packet *packet)
{
    const uint32_t in = i % 16;
    const uint32_t out = 16 + i % 16;
    if (weft_mmu_admits_easily(b.mmu, in, out, 1, packet->bytes))
    {
        weft_mmu_take(b.mmu, in, out, 1, packet->bytes);
    }
    else
    {
        weft_mmu_admit(b.mmu, in, out, 1, packet->bytes);
    }
    return weft_mmu_release(b.mmu, in, out, 1, packet->bytes);
}

/* --- measuring -------------------------------------------------------------------------------- */

typedef uint32_t (*call_fn)(uint32_t i, struct weft_packet *packet);

__attribute__((noinline)) static void
measured(call_fn call, uint32_t first)
{
    for (uint32_t i = first; i < first + CALLS; i++)
    {
        struct weft_packet packet = b.packet[i % PACKETS];
        packet.psn = i & WEFT_PSN_MASK;
        b.now += SLOT;
        b.sink = call(i, &packet);
    }
}

static double
best_ns(call_fn call)
{
    double best = 1e9;
    b.una = 0;
    for (uint32_t round = 0; round < ROUNDS; round++)
    {
        struct timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        measured(call, round * CALLS);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        const double ns =
            (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
        best = ns / CALLS < best ? ns / CALLS : best;
    }
    return best;
}

static const char *wanted = "";

static void
report(const char *kind, const char *name, const char *what, call_fn call)
{
    char line[100];
    snprintf(line, sizeof line, "%-20s %-18s %-28s", kind, name, what);
    if (strstr(line, wanted))
    {
        printf("%s %6.1f\n", line, best_ns(call) - b.loop);
    }
}

static void
measure_balancer(const char *name)
{
    b.lb = weft_lb_find(name);
    void *config = defaults(&b.lb->algo);
    b.state = room(b.lb->state_size(config, &b.site));
    must(b.lb->init(b.state, config, &b.site));
    b.flow = b.lb->flow_size ? room(b.lb->flow_size(config)) : NULL;
    must(b.flow ? b.lb->flow_init(b.flow, config) : 0);
    const struct weft_path_ops *path = b.lb->path;
    if (path)
    {
        b.host = room(path->host_size(config, &b.path_site));
        b.qp = room(path->qp_size(config, &b.path_site));
        must(path->host_init(b.host, config, &b.path_site));
        must(path->qp_init(b.qp, b.host, config, &b.path_site, 0));
        if (path->on_active)
        {
            path->on_active(b.qp, true, b.now);
        }
    }
    for (uint32_t i = 0; i < PACKETS; i++)
    {
        b.packet[i] = data(i);
        if (path)
        {
            path_data(i, &b.packet[i]);
        }
    }
    report("balancer", name, b.lb->arrive ? "arrive, pick" : "pick", pick);
    if (path)
    {
        report("balancer", name, "data", path_data);
        report("balancer", name, "data, on_reply", path_data_and_reply);
    }
    if (b.lb->tor)
    {
        const struct weft_last_hop hop = {
            .npaths = 16, .rate = RATE, .rtt = 2000000, .mtu = FRAME, .provides = WEFT_NEEDS_ALL};
        b.tor = room(b.lb->tor->qp_size(config, &hop));
        must(b.lb->tor->qp_init(b.tor, config, &hop));
        report("balancer", name, "to_host, from_host", tor);
    }
}

static void
measure_transport(const char *name)
{
    const struct weft_transport_site site = {.rate = RATE, .base_rtt = RTT, .frame = FRAME};
    b.nic = weft_transport_find(name);
    void *config = defaults(&b.nic->algo);
    b.tx = room(b.nic->tx_size(config));
    b.rx = room(b.nic->rx_size(config));
    must(b.nic->tx_init(b.tx, config, &site));
    must(b.nic->rx_init(b.rx, config, &site));
    b.nic->tx_post(b.tx, 2 * ROUNDS * CALLS);
    report("transport", name, "tx_next, rx_data, tx_reply", transport);
}

static void
measure_control(const char *name)
{
    const struct weft_cc_site site = {
        .line_rate = RATE, .share = 1, .base_rtt = RTT, .links = 6, .frame = FRAME, .gap = 20};
    b.cc = weft_cc_find(name);
    void *config = defaults(&b.cc->algo);
    b.state = room(b.cc->state_size);
    must(b.cc->init(b.state, config, &site, b.now));
    report("congestion-control", name, b.cc->window ? "on_sent, rate, window" : "on_sent, rate",
           control_sent);
    report("congestion-control", name, b.cc->on_stamps ? "on_stamps, on_ack" : "on_ack",
           control_ack);
}

int
main(int argc, char **argv)
{
    const struct weft_registry *lbs = weft_registry_find("balancer");
    const struct weft_registry *nics = weft_registry_find("transport");
    const struct weft_registry *ccs = weft_registry_find("congestion-control");
    struct weft_mmu_config memory;
    wanted = argc > 1 ? argv[1] : "";
    make_shape();
    b.loop = best_ns(nothing);
    for (size_t i = 0; i < lbs->count; i++)
    {
        measure_balancer(lbs->algos[i]->name);
    }
    for (size_t i = 0; i < nics->count; i++)
    {
        measure_transport(nics->algos[i]->name);
    }
    for (size_t i = 0; i < ccs->count; i++)
    {
        measure_control(ccs->algos[i]->name);
    }
    weft_config_default(&weft_mmu_algo, &memory);
    b.mmu = room((size_t)weft_mmu_size(&memory, 32));
    must(weft_mmu_init(b.mmu, &memory, 32));
    report("switch", "shared-buffer", "admit, release", buffer);
    return 0;
}
