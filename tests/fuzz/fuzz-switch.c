/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A switch of node/ by itself, without neighbours that run, against one that does
 * everything when it happens. The switch puts off what it sends and what it gives back until
 * somebody looks, and is run from window to window or in shorter pieces; frames must leave when
 * they would, marked, trimmed, blocked and made up for as they would be, and neighbours be paused
 * and resumed when they would. Else a fabric's results hang on how it is run.
 */
#include <string.h>

#include <weft/psn.h>
#include <weft/weft.h>

#include "fuzz.h"
#include "must.h"
#include "node/host-node.h"
#include "plain-switch.h"

#define PORTS   PLAIN_PORTS
#define FRAMES  PLAIN_FRAMES
#define WINDOWS 24U
#define ARENA   ((size_t)4 << 20)
#define CONFIG  64U /* words of a configuration */
#define FIBS    512U

static _Alignas(64) char arena[ARENA];
static size_t used;

static struct
{
    struct weft_clos clos;
    struct weft_net_level level;
    struct weft_net_config config;
    uint64_t words[5][CONFIG];
    struct weft_net *net;
    struct weft_switch_node *sw;
    uint64_t fib[FIBS];
    uint64_t dead[2]; /* links to spines */
    size_t ndead;
    bool tor; /* ToRs have middleware */
    uint32_t nframes;
    uint32_t psn[PLAIN_QPS];  /* of the newest data of a QP */
    uint32_t epsn[PLAIN_QPS]; /* of its newest reply */
} t;

static void *
take(void *of, size_t bytes)
{
    (void)of;
    void *memory = arena + used;
    used += (bytes + 63) / 64 * 64;
    MUST(used <= ARENA);
    return memory;
}

static const void *
configure(uint32_t slot, const struct weft_algo *algo, const char *const *settings)
{
    MUST(algo->config_size <= sizeof t.words[slot]);
    weft_config_default(algo, t.words[slot]);
    for (; settings && *settings; settings += 2)
    {
        MUST(weft_config_set(algo, t.words[slot], settings[0], settings[1]) == 0);
    }
    return t.words[slot];
}

static void
draw_shape(struct fuzz_input *in)
{
    static const char *const rates[] = {"100Gbps", "70Gbps", "400Gbps", "10Gbps"};
    const char *const shape[] = {"leaves",
                                 "2",
                                 "spines",
                                 "2",
                                 "hosts-per-leaf",
                                 "2",
                                 "link-rate",
                                 rates[fuzz_below(in, 4)],
                                 "fabric-rate",
                                 rates[fuzz_below(in, 4)],
                                 "link-delay",
                                 fuzz_below(in, 2) ? "200ns" : "2us",
                                 NULL};
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    MUST(kind->build(configure(0, &kind->algo, shape), &t.clos) == 0);
}

static void
draw_trimming(struct fuzz_input *in, struct weft_mmu_config *b)
{
    b->trim = true;
    b->trim_at = 2000 + fuzz_below(in, 12000);
    b->trim_bytes = 64 + fuzz_below(in, 3) * 32;
    b->trim_victim = fuzz_below(in, 2) ? WEFT_TRIM_COIN : WEFT_TRIM_ARRIVAL;
    b->header_queue = fuzz_below(in, 2) ? 1000 + fuzz_below(in, 4000) : 0;
    b->pfc = false;
    b->buffer = 20000 + fuzz_below(in, 40000);
    b->port_buffer = 0;
}

static void
draw_buffer(struct fuzz_input *in)
{
    struct weft_mmu_config *b = &t.config.buffer;
    weft_config_default(&weft_mmu_algo, b);
    b->classes = fuzz_below(in, 2) ? 4 : 2;
    b->pfc = fuzz_below(in, 3) > 0;
    b->headroom = fuzz_below(in, 4) * 1500;
    b->buffer =
        5000 + fuzz_below(in, 40000) + (b->pfc ? PORTS * (b->classes - 1) * b->headroom : 0);
    b->alpha = (1 + fuzz_below(in, 32)) / 16.0;
    b->xon_gap = fuzz_below(in, 3000);
    b->ecn = fuzz_below(in, 2);
    b->ecn_at = fuzz_below(in, 2) ? WEFT_ECN_ENQUEUE : WEFT_ECN_DEQUEUE;
    b->kmin = fuzz_below(in, 8000);
    b->kmax = b->kmin + fuzz_below(in, 8000);
    b->pmax = 0.5;
    if (!b->pfc && fuzz_below(in, 2))
    {
        b->port_buffer = 2000 + fuzz_below(in, 20000);
    }
    if (!t.tor && fuzz_below(in, 3) == 0)
    {
        draw_trimming(in, b);
    }
}

static void
draw_algorithms(struct fuzz_input *in)
{
    static const char *const balancers[] = {"jsq", "ecmp",  "drill",   "ar",
                                            "ops", "conga", "letflow", "ar-quality"};
    static const char *const compensations[] = {"scan", "literal", "off"};
    static const char *const hasty[] = {"period", "1us", "gap", "300ns", NULL};
    const char *const themis[] = {"compensation", compensations[fuzz_below(in, 3)], "entry-bytes",
                                  "2", NULL};
    t.tor = fuzz_below(in, 3) == 0;
    draw_buffer(in);
    t.level = (struct weft_net_level){.share = 1, .labels = 64, .tclass = 1};
    t.level.lb = weft_lb_find(t.tor ? "themis" : balancers[fuzz_below(in, 8)]);
    t.level.lb_config = configure(1, &t.level.lb->algo,
                                  t.tor               ? themis
                                  : t.level.lb->leave ? hasty
                                                      : NULL);
    t.level.transport = weft_transport_find(t.config.buffer.trim ? "trim" : "nic-sr");
    t.level.transport_config = configure(2, &t.level.transport->algo, NULL);
    t.level.cc = weft_cc_find("none");
    t.level.cc_config = configure(3, &t.level.cc->algo, NULL);
}

/* Both switches, and QPs: to each host behind the switch, from it, and between the two. */
static void
make(struct fuzz_input *in)
{
    static const struct weft_net_qp_site sites[PLAIN_QPS] = {
        {.src = 2, .dst = 0}, {.src = 3, .dst = 1}, {.src = 0, .dst = 2},
        {.src = 1, .dst = 3}, {.src = 0, .dst = 1}, {.src = 1, .dst = 0}};
    struct weft_qp *qp;
    draw_shape(in);
    weft_config_default(&weft_fabric_algo, &t.config.frame);
    draw_algorithms(in);
    t.config.clos = &t.clos;
    t.config.frame.gap = fuzz_below(in, 3) * 10;
    t.config.frame.first_psn = fuzz_below(in, 2) ? 0 : 0xffffe0;
    t.config.scheduler = weft_scheduler_find("strict");
    t.config.scheduler_config = configure(4, &t.config.scheduler->algo, NULL);
    t.config.levels = &t.level;
    t.config.nlevels = 1;
    t.config.seed = fuzz_byte(in);
    t.config.memory.take = take;
    MUST(weft_net_make(&t.net, &t.config, NULL) == 0);
    for (uint32_t i = 0; i < PLAIN_QPS; i++)
    {
        MUST(weft_net_add_qp(t.net, &sites[i], &qp, NULL) == 0);
        t.psn[i] = t.epsn[i] = qp->first_psn;
    }
    t.sw = &t.net->sw[0];
    plain_switch_init(t.net);
}

/* The neighbour's end of a link. */
static struct weft_port *
peer(uint32_t port)
{
    struct weft_link link;
    const uint32_t hosts[] = {0, 1};
    if (port < 2)
    {
        return &t.net->host[hosts[port]].port;
    }
    for (uint64_t i = t.clos.nhosts;; i++)
    {
        weft_clos_link(&t.clos, i, &link);
        if (link.lower.index == 0 && link.lower.port == port)
        {
            return &t.net->sw[link.upper.index].node.port[link.upper.port];
        }
    }
}

/* The link by which a port leads to a spine. */
static uint64_t
link_of(uint32_t port)
{
    struct weft_link link;
    uint64_t i = t.clos.nhosts;
    for (weft_clos_link(&t.clos, i, &link); link.lower.index != 0 || link.lower.port != port;)
    {
        weft_clos_link(&t.clos, ++i, &link);
    }
    return i;
}

/* Draws a QP's frame, as its NICs would send it: data mostly in order, replies of what has gone. */
static void
draw_sequel(struct fuzz_input *in, uint32_t qp, bool data, struct weft_packet *p)
{
    p->qp = qp & WEFT_QP_MASK;
    if (data)
    {
        const uint32_t step = fuzz_below(in, 8);
        t.psn[qp] = step == 0 ? t.psn[qp] : weft_psn_add(t.psn[qp], step == 1 ? 2 : 1);
        p->psn = t.psn[qp] & WEFT_PSN_MASK;
        return;
    }
    const uint32_t ahead = (t.psn[qp] - t.epsn[qp]) & WEFT_PSN_MASK;
    t.epsn[qp] = weft_psn_add(t.epsn[qp], ahead ? fuzz_below(in, 65536) % (ahead + 1) : 0);
    p->psn = t.epsn[qp] & WEFT_PSN_MASK;
    p->kind = fuzz_below(in, 2) ? WEFT_ACK : WEFT_NACK;
}

/* A frame that ToRs look at: of the QPs whose hosts lie that way. */
static void
draw_flow(struct fuzz_input *in, uint32_t port, uint32_t c, struct weft_packet *p)
{
    const uint32_t host = port < 2 ? port : fuzz_below(in, 2);
    const bool local = port < 2 && fuzz_below(in, 4) == 0;
    const uint32_t up = local ? 4 + host : 2 + host; /* of which it sends data */
    const bool data = c > 0;
    p->dst = (port >= 2 ? host : local ? 1 - host : 2 + host) & WEFT_HOST_MASK;
    p->src = (port >= 2 ? 2 + host : host) & WEFT_HOST_MASK;
    draw_sequel(in,
                port < 2 ? (data    ? up
                            : local ? 5 - host
                                    : host)
                : data   ? host
                         : 2 + host,
                data, p);
}

static void
send_frame(struct fuzz_input *in, uint32_t port, int64_t at)
{
    const uint32_t classes = (uint32_t)t.config.buffer.classes;
    const uint32_t c = fuzz_below(in, classes);
    struct plain_event *e = &plain.coming[plain.ncoming++];
    *e = (struct plain_event){.at = at};
    e->packet = (struct weft_packet){
        .dst = fuzz_below(in, 4) & WEFT_HOST_MASK,
        .kind = c == 0 ? WEFT_ACK : WEFT_DATA,
        .psn = t.nframes++ & 0xffffffU,
        .tclass = c & 7U,
        .bytes = (uint16_t)(c == 0              ? 64
                            : fuzz_below(in, 3) ? 1500
                                                : 65 + fuzz_below(in, 1400)),
        .sport = (uint16_t)fuzz_byte(in),
        .in_port = (uint16_t)port,
    };
    if (t.tor || t.level.lb->arrive)
    {
        draw_flow(in, port, c, &e->packet);
    }
    else if (t.config.buffer.trim && c == 0 && fuzz_below(in, 4) == 0)
    {
        e->packet.kind = WEFT_DATA; /* cut by another switch */
        e->packet.flags = WEFT_F_TRIMMED;
    }
    struct weft_frame *frame = weft_lane_pass(&peer(port)->lane[c], &t.net->first.chunks);
    frame->d = e->packet;
    frame->d.in_port = UINT16_MAX;
    frame->at = at;
    weft_port_announce(&t.net->first, peer(port), at);
}

static void
send_pause(struct fuzz_input *in, uint32_t port, int64_t at)
{
    struct weft_port *from = peer(port);
    const uint32_t c = fuzz_between(in, 1, (uint32_t)t.config.buffer.classes - 1);
    struct plain_event *e = &plain.coming[plain.ncoming++];
    *e = (struct plain_event){.at = at, .is_pfc = true, .pauses = fuzz_below(in, 2)};
    e->packet.in_port = (uint16_t)port;
    e->packet.tclass = c & 7U;
    weft_port_pause(&t.net->first, from, c, e->pauses,
                    at - from->delay - weft_port_wire_time(from, 64));
    /* A switch that is run from WEFT_NEVER on must know of it as of a frame. */
    weft_port_announce(&t.net->first, from, at);
}

/* Draws what comes within a window: of each port at rising times, often at those of other ports. */
static void
draw_window(struct fuzz_input *in, int64_t from, int64_t window)
{
    plain.ncoming = 0;
    for (uint32_t port = 0; port < PORTS; port++)
    {
        int64_t at = from + fuzz_below(in, 4) * window / 8;
        for (uint32_t n = fuzz_below(in, 12); n > 0 && t.nframes < FRAMES - 1; n--)
        {
            if (at >= from + window)
            {
                break;
            }
            if (fuzz_below(in, 8) == 0)
            {
                send_pause(in, port, at);
            }
            else
            {
                send_frame(in, port, at);
            }
            at += 1 + (fuzz_below(in, 2) ? window / 16 : fuzz_below(in, 65536) * window / 65536);
        }
    }
}

/* A link to a spine fails or comes back, and forwarding knows of it at once; or one has another
 * rate. */
static void
meddle(struct fuzz_input *in, int64_t now)
{
    static const int64_t rates[] = {100000000000, 70000000000, 40000000000};
    const uint32_t port = fuzz_below(in, PORTS);
    const uint64_t link = port < 2 ? port : link_of(port);
    t.net->now = now;
    if (fuzz_below(in, 2))
    {
        weft_net_set_rate(t.net, link, rates[fuzz_below(in, 3)]);
        plain.port[port].carry = 0;
        return;
    }
    const bool down = fuzz_below(in, 2);
    weft_net_set_down(t.net, link, down);
    plain_switch_cut(port, down, now);
    if (port < 2 || t.tor || fuzz_below(in, 2))
    {
        return; /* not known, or not to be: middleware is turned off by it */
    }
    t.ndead = 0;
    for (uint32_t up = 2; up < PORTS; up++)
    {
        t.dead[t.ndead] = link_of(up);
        t.ndead += plain.port[up].cut == INT64_MAX;
    }
    const struct weft_fib_case of = {.dead = t.dead, .ndead = t.ndead};
    struct weft_fib *fib = (struct weft_fib *)(void *)t.fib;
    MUST(weft_fib_build_for(fib, sizeof t.fib, &t.clos, &of) == 0);
    weft_net_set_routes(t.net, 0, t.ndead ? fib : NULL, t.ndead == 0);
    if (t.level.lb->set_routes)
    {
        t.level.lb->set_routes(plain.lb, t.ndead ? fib : NULL);
    }
}

/* Compares what has left by a class of a port, in both. */
static void
compare_lane(uint32_t i, uint32_t c)
{
    struct weft_lane *lane = &t.sw->node.port[i].lane[c];
    const struct plain_queue *sent = &plain.port[i].sent[c];
    MUST(lane->left == sent->tail);
    struct weft_place place = lane->head;
    for (uint32_t k = 0; k < sent->tail; k++, place.frame++)
    {
        if (place.frame == place.end)
        {
            place = weft_chunk_begin(weft_chunk_of(&place)->next);
        }
        const struct weft_frame *f = place.frame;
        MUST(f->at == sent->frame[k].sent && f->d.psn == sent->frame[k].psn);
        MUST(f->d.flags == sent->frame[k].flags && f->d.hops == sent->frame[k].hops);
        MUST(f->d.kind == sent->frame[k].kind && f->d.bytes == sent->frame[k].bytes);
        MUST(memcmp(f->d.meta, sent->frame[k].meta, sizeof f->d.meta) == 0);
    }
}

static void
compare_port(uint32_t i)
{
    const struct weft_port *port = &t.sw->node.port[i];
    for (uint32_t c = 0; c < (uint32_t)t.config.buffer.classes; c++)
    {
        compare_lane(i, c);
    }
    MUST(port->peak_queue == plain.port[i].peak && port->paused == plain.port[i].paused);
    MUST(port->pfc.sent == plain.port[i].npfc);
    for (uint32_t k = 0; k < plain.port[i].npfc; k++)
    {
        const struct weft_pfc *pfc = &port->pfc.ring[k & (port->pfc.size - 1)];
        const struct plain_event *e = &plain.port[i].pfc[k];
        MUST(pfc->at == e->at && pfc->tclass == e->packet.tclass && pfc->pause == e->pauses);
    }
}

/* Both are at @p now, before what happens then. */
static void
compare(int64_t now)
{
    t.net->now = now;
    for (uint32_t i = 0; i < PORTS; i++)
    {
        compare_port(i);
    }
    MUST(memcmp(t.sw->node.counters.lost, plain.lost, sizeof plain.lost) == 0);
    MUST(memcmp(&t.sw->tor, &plain.counters, sizeof plain.counters) == 0);
    MUST(t.sw->node.counters.made_by_tors == plain.made);
    const struct weft_mmu *mmu = weft_net_buffer(t.net, 0);
    MUST(mmu->peak_used == plain.mmu->peak_used && mmu->drops == plain.mmu->drops);
    MUST(mmu->trims == plain.mmu->trims && mmu->header_drops == plain.mmu->header_drops);
    MUST(mmu->pauses == plain.mmu->pauses && mmu->marks == plain.mmu->marks);
    MUST(mmu->shared_used == plain.mmu->shared_used &&
         mmu->headroom_used == plain.mmu->headroom_used);
    MUST(memcmp(weft_mmu_queues(mmu), weft_mmu_queues(plain.mmu), PORTS * sizeof(uint32_t)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    memset(arena, 0, used);
    used = 0;
    memset(&t, 0, sizeof t);
    memset(&plain, 0, sizeof plain);
    make(&in);
    const int64_t window = weft_net_window(t.net);
    const uint32_t node = t.clos.nhosts;
    for (uint32_t k = 0; k < WINDOWS && in.left > 0; k++)
    {
        const int64_t from = (k + 4) * window; /* PFC frames of it were sent after 0 */
        if (fuzz_below(&in, 6) == 0)
        {
            meddle(&in, from);
        }
        draw_window(&in, from, window);
        for (uint32_t cuts = fuzz_below(&in, 3); cuts > 0; cuts--)
        {
            weft_net_run_node(t.net, node,
                              from + 1 + fuzz_below(&in, 65536) * (window - 1) / 65536);
        }
        weft_net_run_node(t.net, node, from + window);
        MUST(weft_net_node_next(t.net, node) >= from + window);
        plain_switch_run(from + window);
        compare(from + window);
    }
    return 0;
}
