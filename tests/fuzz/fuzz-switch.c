/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A switch of fabric/node.h by itself, without neighbours that run, against one that does
 * everything when it happens. The switch puts off what it sends and what it gives back until
 * somebody looks, and is run from window to window or in shorter pieces; frames must leave when
 * they would, marked as they would be, and neighbours be paused and resumed when they would. Else a
 * fabric's results hang on how it is run.
 */
#include <string.h>

#include <weft/weft.h>

#include "fabric/node.h"
#include "fuzz.h"
#include "must.h"

#define PORTS   4U /* 0, 1: to hosts; 2, 3: to spines */
#define CLASSES 4U
#define FRAMES  600U
#define WINDOWS 24U
#define ARENA   ((size_t)4 << 20)
#define CONFIG  64U /* words of a configuration */

/* A frame, or a PFC frame: when it comes or has come, and what it is. */
struct event
{
    int64_t at;
    struct weft_packet packet;
    bool is_pfc, pauses;
};

struct queue
{
    struct weft_packet frame[FRAMES];
    uint32_t head, tail;
};

struct plain_port
{
    struct queue queue[CLASSES];
    struct queue sent[CLASSES]; /* `sent` of a packet: when it is at the other end */
    struct event pfc[2 * FRAMES];
    uint32_t npfc;
    struct weft_packet last; /* whose buffer is to be given back at `end` */
    int64_t free_at, end, carry;
    uint32_t paused, peak;
    struct weft_rng rng;
};

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
    /* The plain one. */
    struct plain_port port[PORTS];
    struct weft_mmu *mmu;
    void *lb;
    struct weft_rng rng;
    struct event coming[FRAMES];
    uint32_t ncoming, nframes;
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
}

/* Both switches, and a QP for data to be of. */
static void
make(struct fuzz_input *in)
{
    static const char *const balancers[] = {"jsq", "ecmp", "drill", "ar", "ops"};
    static const struct weft_net_qp_site site = {.src = 0, .dst = 2};
    struct weft_qp *qp;
    struct weft_site of;
    draw_shape(in);
    draw_buffer(in);
    t.level = (struct weft_net_level){.share = 1, .labels = 64, .tclass = 1};
    t.level.lb = weft_lb_find(balancers[fuzz_below(in, 5)]);
    t.level.lb_config = configure(1, &t.level.lb->algo, NULL);
    t.level.transport = weft_transport_find("gbn");
    t.level.transport_config = configure(2, &t.level.transport->algo, NULL);
    t.level.cc = weft_cc_find("none");
    t.level.cc_config = configure(3, &t.level.cc->algo, NULL);
    t.config.clos = &t.clos;
    weft_config_default(&weft_fabric_algo, &t.config.frame);
    t.config.frame.gap = fuzz_below(in, 3) * 10;
    t.config.scheduler = weft_scheduler_find("strict");
    t.config.scheduler_config = configure(4, &t.config.scheduler->algo, NULL);
    t.config.levels = &t.level;
    t.config.nlevels = 1;
    t.config.seed = fuzz_byte(in);
    t.config.memory.take = take;
    MUST(weft_net_make(&t.net, &t.config, NULL) == 0);
    MUST(weft_net_add_qp(t.net, &site, &qp, NULL) == 0);
    t.sw = &t.net->sw[0];
    t.mmu = take(NULL, (size_t)weft_mmu_size(&t.config.buffer, PORTS));
    MUST(weft_mmu_init(t.mmu, &t.config.buffer, PORTS) == 0);
    weft_clos_site(&t.clos, &t.config.buffer, 0, t.config.seed, 0, &of);
    of.provides = WEFT_NEEDS_ALL;
    t.lb = take(NULL, t.level.lb->state_size(t.level.lb_config, &of) + 16);
    MUST(t.level.lb->init(t.lb, t.level.lb_config, &of) == 0);
    t.rng = t.sw->rng;
    for (uint32_t i = 0; i < PORTS; i++)
    {
        t.port[i].end = WEFT_NEVER;
        if (t.sw->leaving)
        {
            t.port[i].rng = t.sw->leaving[i];
        }
    }
}

static void
push(struct queue *q, const struct weft_packet *p)
{
    MUST(q->tail < FRAMES);
    q->frame[q->tail++] = *p;
}

/* The class that would go first, or CLASSES. */
static uint32_t
first_class(const struct plain_port *port)
{
    uint32_t c = 0;
    while (c < CLASSES && (port->queue[c].head == port->queue[c].tail || (port->paused >> c & 1U)))
    {
        c++;
    }
    return c;
}

static void
mark(struct weft_packet *p, uint32_t out, struct weft_rng *rng)
{
    const uint32_t i = weft_mmu_index(t.mmu, out, p->tclass);
    const uint32_t queue = weft_mmu_counts_by_class(&t.config.buffer)
                               ? weft_mmu_class_queues(t.mmu)[i]
                               : weft_mmu_queues(t.mmu)[out];
    if (p->kind == WEFT_DATA && weft_mmu_mark(t.mmu, queue - p->bytes, rng))
    {
        p->flags |= WEFT_F_CE;
    }
}

static void
start(uint32_t out, int64_t now, bool waited)
{
    struct plain_port *port = &t.port[out];
    const struct weft_port *wire = &t.sw->node.port[out];
    const uint32_t c = first_class(port);
    struct weft_packet p = port->queue[c].frame[port->queue[c].head++];
    if (t.config.buffer.ecn && t.config.buffer.ecn_at == WEFT_ECN_DEQUEUE)
    {
        mark(&p, out, &port->rng);
    }
    MUST(port->end == WEFT_NEVER);
    port->carry = waited && now == port->free_at ? port->carry : 0;
    int64_t carry = port->carry;
    port->free_at = now + weft_wire_carry(p.bytes + wire->gap, wire->rate, &port->carry);
    port->end = now + weft_wire_carry(p.bytes, wire->rate, &carry);
    port->last = p;
    p.sent = port->end + wire->delay;
    push(&port->sent[c], &p);
}

static void
send_pfc(uint32_t by, uint32_t tclass, bool pauses, int64_t now)
{
    struct plain_port *port = &t.port[by];
    const struct weft_port *wire = &t.sw->node.port[by];
    const int64_t free = port->free_at > now ? port->free_at : now;
    MUST(port->npfc < 2 * FRAMES);
    port->pfc[port->npfc++] =
        (struct event){.at = free + weft_wire_time(64, wire->rate) + wire->delay,
                       .packet.tclass = tclass & 7U,
                       .pauses = pauses};
}

static void
end(uint32_t out, int64_t now)
{
    struct plain_port *port = &t.port[out];
    const struct weft_packet *p = &port->last;
    port->end = WEFT_NEVER;
    if (weft_mmu_release(t.mmu, p->in_port, out, p->tclass, p->bytes))
    {
        send_pfc(p->in_port, p->tclass, false, now);
    }
}

static void
arrive(struct weft_packet *p, int64_t now)
{
    struct weft_ports ports;
    p->hops++;
    weft_route(&t.sw->map, p->dst, &ports);
    ports.queue_bytes = weft_mmu_queues(t.mmu);
    const uint32_t out =
        ports.n > 1 ? t.level.lb->pick(t.lb, &ports, p, now) : weft_port_at(&ports, 0);
    const unsigned verdict = weft_mmu_admit(t.mmu, p->in_port, out, p->tclass, p->bytes);
    if (verdict & WEFT_MMU_PAUSE)
    {
        send_pfc(p->in_port, p->tclass, true, now);
    }
    if (!(verdict & WEFT_MMU_ADMIT))
    {
        return;
    }
    struct plain_port *port = &t.port[out];
    const uint32_t queue = weft_mmu_queues(t.mmu)[out];
    port->peak = queue > port->peak ? queue : port->peak;
    if (t.config.buffer.ecn && t.config.buffer.ecn_at == WEFT_ECN_ENQUEUE)
    {
        mark(p, out, &t.rng);
    }
    push(&port->queue[p->tclass], p);
    if (port->free_at <= now && first_class(port) < CLASSES)
    {
        start(out, now, false);
    }
}

static void
take_pfc(const struct event *e)
{
    struct plain_port *port = &t.port[e->packet.in_port];
    const uint32_t bit = 1U << e->packet.tclass;
    port->paused = e->pauses ? port->paused | bit : port->paused & ~bit;
    if (port->free_at <= e->at && first_class(port) < CLASSES)
    {
        start(e->packet.in_port, e->at, false);
    }
}

/* What comes at one instant: PFC frames by port, then frames in the order that is drawn. */
static uint32_t
rank(const struct event *e)
{
    const uint32_t port = e->packet.in_port;
    return e->is_pfc ? port : 1U << 16 | (port ^ weft_tie_order(t.sw->node.tie_salt, e->at));
}

/* The next of what comes, or NULL. */
static struct event *
next_coming(void)
{
    struct event *next = NULL;
    for (uint32_t i = 0; i < t.ncoming; i++)
    {
        struct event *e = &t.coming[i];
        if (e->at != WEFT_NEVER &&
            (!next || e->at < next->at || (e->at == next->at && rank(e) < rank(next))))
        {
            next = e;
        }
    }
    return next;
}

/* The plain switch, up to before @p until. */
static void
run_plainly(int64_t until)
{
    for (;;)
    {
        struct event *e = next_coming();
        int64_t now = e ? e->at : WEFT_NEVER;
        for (uint32_t i = 0; i < PORTS; i++)
        {
            const int64_t free = first_class(&t.port[i]) < CLASSES ? t.port[i].free_at : WEFT_NEVER;
            now = t.port[i].end < now ? t.port[i].end : now;
            now = free < now ? free : now;
        }
        if (now >= until)
        {
            return;
        }
        bool quiet = true;
        for (uint32_t i = 0; i < PORTS; i++)
        {
            if (t.port[i].end == now)
            {
                end(i, now);
                quiet = false;
            }
        }
        for (uint32_t i = 0; i < PORTS; i++)
        {
            if (t.port[i].free_at == now && first_class(&t.port[i]) < CLASSES)
            {
                start(i, now, true);
                quiet = false;
            }
        }
        if (quiet && e->is_pfc)
        {
            take_pfc(e);
            e->at = WEFT_NEVER;
        }
        else if (quiet)
        {
            arrive(&e->packet, now);
            e->at = WEFT_NEVER;
        }
    }
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

static void
send_frame(struct fuzz_input *in, uint32_t port, int64_t at)
{
    const uint32_t classes = (uint32_t)t.config.buffer.classes;
    const uint32_t c = fuzz_below(in, classes);
    struct event *e = &t.coming[t.ncoming++];
    *e = (struct event){.at = at};
    e->packet = (struct weft_packet){
        .dst = fuzz_below(in, 4),
        .kind = c == 0 ? WEFT_ACK : WEFT_DATA,
        .psn = t.nframes++ & 0xffffffU,
        .tclass = c & 7U,
        .bytes = (uint16_t)(c == 0              ? 64
                            : fuzz_below(in, 3) ? 1500
                                                : 65 + fuzz_below(in, 1400)),
        .sport = (uint16_t)fuzz_byte(in),
        .in_port = (uint16_t)port,
    };
    struct weft_frame *frame = weft_lane_pass(&peer(port)->lane[c], &t.net->chunks);
    frame->d = e->packet;
    frame->d.in_port = UINT16_MAX;
    frame->at = at;
    weft_port_announce(t.net, peer(port), at);
}

static void
send_pause(struct fuzz_input *in, uint32_t port, int64_t at)
{
    struct weft_port *from = peer(port);
    const uint32_t c = fuzz_between(in, 1, (uint32_t)t.config.buffer.classes - 1);
    struct event *e = &t.coming[t.ncoming++];
    *e = (struct event){.at = at, .is_pfc = true, .pauses = fuzz_below(in, 2)};
    e->packet.in_port = (uint16_t)port;
    e->packet.tclass = c & 7U;
    weft_port_pause(t.net, from, c, e->pauses, at - from->delay - weft_port_wire_time(from, 64));
    /* A switch that is run from WEFT_NEVER on must know of it as of a frame. */
    weft_port_announce(t.net, from, at);
}

/* What comes within a window: of each port at rising times, often at those of other ports. */
static void
draw_window(struct fuzz_input *in, int64_t from, int64_t window)
{
    t.ncoming = 0;
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

/* What has left by a class of a port, in both. */
static void
compare_lane(uint32_t i, uint32_t c)
{
    struct weft_lane *lane = &t.sw->node.port[i].lane[c];
    const struct queue *sent = &t.port[i].sent[c];
    MUST(lane->left == sent->tail);
    struct weft_chunk *chunk = lane->head;
    uint32_t place = lane->head_at;
    for (uint32_t k = 0; k < sent->tail; k++, place++)
    {
        if (place == WEFT_CHUNK_FRAMES)
        {
            chunk = chunk->next;
            place = 0;
        }
        const struct weft_frame *f = &chunk->frame[place];
        MUST(f->at == sent->frame[k].sent && f->d.psn == sent->frame[k].psn);
        MUST(f->d.flags == sent->frame[k].flags && f->d.hops == sent->frame[k].hops);
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
    MUST(port->peak_queue == t.port[i].peak && port->paused == t.port[i].paused);
    MUST(port->pfc.sent == t.port[i].npfc);
    for (uint32_t k = 0; k < t.port[i].npfc; k++)
    {
        const struct weft_pfc *pfc = &port->pfc.ring[k & (port->pfc.size - 1)];
        const struct event *e = &t.port[i].pfc[k];
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
    const struct weft_mmu *mmu = weft_net_buffer(t.net, 0);
    MUST(mmu->peak_used == t.mmu->peak_used && mmu->drops == t.mmu->drops);
    MUST(mmu->pauses == t.mmu->pauses && mmu->marks == t.mmu->marks);
    MUST(mmu->shared_used == t.mmu->shared_used && mmu->headroom_used == t.mmu->headroom_used);
    MUST(memcmp(weft_mmu_queues(mmu), weft_mmu_queues(t.mmu), PORTS * sizeof(uint32_t)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    memset(arena, 0, used);
    used = 0;
    memset(&t, 0, sizeof t);
    make(&in);
    const int64_t window = weft_net_window(t.net);
    const uint32_t node = t.clos.nhosts;
    for (uint32_t k = 0; k < WINDOWS && in.left > 0; k++)
    {
        const int64_t from = (k + 4) * window; /* PFC frames of it were sent after 0 */
        draw_window(&in, from, window);
        for (uint32_t cuts = fuzz_below(&in, 3); cuts > 0; cuts--)
        {
            weft_net_run_node(t.net, node,
                              from + 1 + fuzz_below(&in, 65536) * (window - 1) / 65536);
        }
        weft_net_run_node(t.net, node, from + window);
        MUST(weft_net_node_next(t.net, node) >= from + window);
        run_plainly(from + window);
        compare(from + window);
    }
    return 0;
}
