/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host of node/ by itself: data, replies, PFC frames, mail and a program's posts come at
 * times that the input says, many of them at one. Run from window to window it must do what it does
 * when it is run in pieces of any length, down to single instants; no frame may start before the
 * wire is free, or while its class is paused. Else a fabric's results hang on how it is run.
 */
#include <string.h>

#include <weft/psn.h>
#include <weft/weft.h>

#include "fuzz.h"
#include "must.h"
#include "node/host-node.h"
#include "node/mail.h"
#include "node/switch-node.h"

#define OWN     4U /* QPs of host 0 */
#define QPS     7U /* the others send to it */
#define WINDOWS 40U
#define EVENTS  16U /* in a window */
#define ARENA   ((size_t)4 << 20)
#define CONFIG  64U /* words of a configuration */

struct world
{
    struct weft_net *net;
    uint64_t heard; /* of all that was told, in order */
    uint64_t sent;
    char *arena;
    size_t used;
};

static _Alignas(64) char arenas[2][ARENA];

static struct
{
    struct weft_clos clos;
    struct weft_net_level level;
    uint64_t words[4][CONFIG];
    struct world world[2]; /* in one piece, in many */
    int64_t free_at;       /* of the wire */
    int64_t frame_at;      /* when the newest frame arrives */
    uint32_t paused;       /* classes, before this window's events */
    struct weft_pfc pfc[EVENTS];
    uint32_t npfc;
    uint64_t number; /* of posts */
} t;

static void *
take(void *of, size_t bytes)
{
    struct world *w = of;
    void *memory = w->arena + w->used;
    w->used += (bytes + 63) / 64 * 64;
    MUST(w->used <= ARENA);
    return memory;
}

static void
hear(void *of, uint64_t what, uint64_t which, int64_t now)
{
    struct world *w = of;
    w->heard = weft_mix64(weft_mix64(w->heard ^ (uint64_t)now) ^ what << 56 ^ which);
}

static uint64_t
digest(const struct weft_packet *p)
{
    uint64_t h = weft_mix64((uint64_t)p->qp << 32 | p->psn << 8 | p->kind);
    h = weft_mix64(h ^ ((uint64_t)p->flags << 48 | (uint64_t)p->sport << 32 | p->bytes));
    return weft_mix64(h ^ (uint64_t)p->sent);
}

/* Whether a class is paused just before and at @p now. */
static bool
is_paused(uint32_t tclass, int64_t now)
{
    bool paused = t.paused >> tclass & 1U;
    for (uint32_t i = 0; i < t.npfc && t.pfc[i].at <= now; i++)
    {
        const bool mine = t.pfc[i].tclass == tclass;
        paused = !mine ? paused : t.pfc[i].at == now ? paused && t.pfc[i].pause : t.pfc[i].pause;
    }
    return paused;
}

static void
sent(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    struct world *w = of;
    const struct weft_port *port = &w->net->host[0].port;
    MUST(host == 0);
    hear(of, 1, digest(p), now);
    w->sent++;
    const bool takes_wire = p->kind == WEFT_DATA || p->kind == WEFT_RAW || !w->net->ideal_replies;
    if (w == &t.world[0] && takes_wire)
    {
        MUST(now >= t.free_at);
        MUST(!is_paused(p->tclass, now));
        /* The wire may be free a fraction of a ps earlier than told. */
        t.free_at = now + weft_wire_time(p->bytes + port->gap, port->rate) - 1;
    }
}

static void
received(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    MUST(host == 0);
    hear(of, 2, digest(p), now);
}

static void
told(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    hear(of, 3, (uint64_t)qp->index << 32 | tag, now);
}

static void
timed_out(void *of, struct weft_qp *qp, int64_t now)
{
    hear(of, 4, qp->index, now);
}

static const void *
configure(uint32_t slot, const struct weft_algo *algo, const char *name, const char *value)
{
    MUST(algo->config_size <= sizeof t.words[slot]);
    weft_config_default(algo, t.words[slot]);
    MUST(!name || weft_config_set(algo, t.words[slot], name, value) == 0);
    return t.words[slot];
}

static void
draw_algorithms(struct fuzz_input *in)
{
    static const char *const transports[] = {"gbn",     "nic-sr",     "sack",
                                             "erasure", "pro-window", "multipath-timers"};
    static const char *const controls[] = {"none",   "dcqcn", "dctcp", "swift",
                                           "timely", "hpcc",  "nscc",  "rccc"};
    static const char *const balancers[] = {"ops", "reps", "ecmp"};
    t.level = (struct weft_net_level){.share = 1, .labels = 64, .tclass = 1};
    t.level.lb = weft_lb_find(balancers[fuzz_below(in, 3)]);
    t.level.lb_config = configure(0, &t.level.lb->algo, NULL, NULL);
    t.level.transport = weft_transport_find(transports[fuzz_below(in, 6)]);
    t.level.transport_config = configure(1, &t.level.transport->algo, "rto", "20us");
    t.level.cc = weft_cc_find(controls[fuzz_below(in, 8)]);
    if (t.level.cc->stamp && t.level.transport->tx_stamp)
    {
        t.level.cc = weft_cc_find("none"); /* both would write into data */
    }
    t.level.cc_config = configure(2, &t.level.cc->algo, NULL, NULL);
}

static void
draw_shape(struct fuzz_input *in)
{
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    const char *const shape[] = {
        "leaves",         "1", "spines",    "1",
        "hosts-per-leaf", "4", "link-rate", fuzz_below(in, 2) ? "100Gbps" : "70Gbps"};
    weft_config_default(&kind->algo, t.words[3]);
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i += 2)
    {
        MUST(weft_config_set(&kind->algo, t.words[3], shape[i], shape[i + 1]) == 0);
    }
    MUST(kind->build(t.words[3], &t.clos) == 0);
}

static void
make(struct fuzz_input *in)
{
    struct weft_net_config c = {.clos = &t.clos, .levels = &t.level, .nlevels = 1};
    struct weft_qp *qp;
    draw_shape(in);
    draw_algorithms(in);
    weft_config_default(&weft_fabric_algo, &c.frame);
    weft_config_default(&weft_mmu_algo, &c.buffer);
    c.frame.ack_priority = fuzz_below(in, 3);
    c.frame.ack_every = fuzz_below(in, 2) ? 4 : 1;
    c.frame.batch = 1 + fuzz_below(in, 3);
    c.scheduler = weft_scheduler_find("strict");
    c.seed = fuzz_byte(in);
    for (uint32_t k = 0; k < 2; k++)
    {
        struct world *w = &t.world[k];
        memset(arenas[k], 0, w->used ? w->used : ARENA);
        *w = (struct world){.arena = arenas[k]};
        c.memory = (struct weft_memory){.take = take, .of = w};
        c.hooks = (struct weft_net_hooks){.of = w,
                                          .sent = sent,
                                          .received = received,
                                          .delivered = told,
                                          .acked = told,
                                          .failed = told,
                                          .timed_out = timed_out};
        MUST(weft_net_make(&w->net, &c, NULL) == 0);
        for (uint32_t i = 0; i < QPS; i++)
        {
            const struct weft_net_qp_site site = {
                .src = i < OWN ? 0 : i - OWN + 1, .dst = i < OWN ? 1 + i % 3 : 0, .stream = i};
            MUST(weft_net_add_qp(w->net, &site, &qp, NULL) == 0);
        }
    }
}

/* A frame arrives in both. */
static void
send_frame(struct fuzz_input *in, int64_t at)
{
    static const enum weft_packet_kind replies[] = {WEFT_ACK, WEFT_ACK, WEFT_NACK, WEFT_CNP};
    const bool data = fuzz_below(in, 2);
    const uint32_t i = data ? OWN + fuzz_below(in, QPS - OWN) : fuzz_below(in, OWN);
    const struct weft_qp *qp = weft_net_qp(t.world[0].net, i);
    const uint32_t from = data ? qp->epsn : qp->first_psn + (uint32_t)qp->una;
    const struct weft_packet p = {.src = (data ? qp->src : qp->dst) & WEFT_HOST_MASK,
                                  .qp = i & WEFT_QP_MASK,
                                  .kind = (uint8_t)(data ? WEFT_DATA : replies[fuzz_below(in, 4)]),
                                  .psn = weft_psn_add(from, fuzz_below(in, 12)) & WEFT_PSN_MASK,
                                  .flags =
                                      (uint8_t)(fuzz_below(in, 4) == 0 && data ? WEFT_F_CE : 0),
                                  .tclass = data,
                                  .bytes = data ? 1500 : 84,
                                  .sport = (uint16_t)fuzz_below(in, 64)};
    for (uint32_t k = 0; k < 2; k++)
    {
        struct weft_net *net = t.world[k].net;
        struct weft_port *port = &net->sw[0].node.port[0];
        struct weft_frame *frame = weft_lane_pass(&port->lane[p.tclass], &net->first.chunks);
        frame->d = p;
        frame->at = at;
        weft_port_announce(&net->first, port, at);
    }
}

static void
send_pause(struct fuzz_input *in, int64_t at)
{
    const struct weft_pfc pfc = {.at = at, .tclass = fuzz_below(in, 2), .pause = fuzz_below(in, 2)};
    t.pfc[t.npfc++] = pfc;
    for (uint32_t k = 0; k < 2; k++)
    {
        struct weft_port *port = &t.world[k].net->sw[0].node.port[0];
        weft_port_pause(&t.world[k].net->first, port, pfc.tclass, pfc.pause, 0);
        port->pfc.ring[(port->pfc.sent - 1) & (port->pfc.size - 1)].at = at;
        weft_port_announce(&t.world[k].net->first, port, at);
    }
}

/* A program posts a message or sends a packet. */
static void
ask(struct fuzz_input *in, int64_t at)
{
    const struct weft_packet raw = {.kind = WEFT_RAW, .dst = 2, .bytes = 600, .tclass = 1};
    const uint32_t qp = fuzz_below(in, OWN);
    const uint64_t bytes = 1 + fuzz_below(in, 65536) % 20000;
    const bool sends = fuzz_below(in, 5) == 0;
    for (uint32_t k = 0; k < 2; k++)
    {
        struct weft_net *net = t.world[k].net;
        if (sends)
        {
            weft_net_send(net, 0, &raw, at);
        }
        else
        {
            weft_net_post(net, weft_net_qp(net, qp), bytes, t.number, at, t.number % 3);
        }
    }
    t.number++;
}

static void
draw_window(struct fuzz_input *in, int64_t from, int64_t window)
{
    int64_t at = from;
    for (uint32_t i = 0; i < t.npfc; i++)
    {
        const uint32_t bit = 1U << t.pfc[i].tclass;
        t.paused = t.pfc[i].pause ? t.paused | bit : t.paused & ~bit;
    }
    t.npfc = 0;
    for (uint32_t n = fuzz_below(in, EVENTS); n > 0 && at < from + window; n--)
    {
        const uint32_t what = fuzz_below(in, 8);
        if (what == 0)
        {
            send_pause(in, at);
        }
        else if (what < 3)
        {
            ask(in, at);
        }
        else if (at > t.frame_at)
        {
            send_frame(in, at);
            t.frame_at = at;
        }
        at += fuzz_below(in, 3) == 0 ? 0 : 1 + fuzz_below(in, 65536) * window / 262144;
    }
}

static void
run_in_pieces(struct fuzz_input *in, struct weft_net *net, int64_t until, int64_t window)
{
    const uint32_t longest = fuzz_below(in, 3);
    while (weft_net_node_next(net, 0) < until)
    {
        const int64_t more =
            longest == 0 ? 1 : 1 + (int64_t)fuzz_below(in, 65536) * window / (longest * 65536);
        const int64_t upto = weft_net_node_next(net, 0) + more;
        weft_net_run_node(net, 0, upto < until ? upto : until);
    }
}

static void
compare(void)
{
    const struct weft_host_node *one = &t.world[0].net->host[0];
    const struct weft_host_node *many = &t.world[1].net->host[0];
    MUST(t.world[0].heard == t.world[1].heard && t.world[0].sent == t.world[1].sent);
    MUST(memcmp(&one->node.counters, &many->node.counters, sizeof one->node.counters) == 0);
    MUST(one->node.last == many->node.last);
    MUST(one->port.free_at == many->port.free_at && one->port.carry == many->port.carry);
    MUST(one->port.sent_bytes == many->port.sent_bytes);
    MUST(one->nic.nactive == many->nic.nactive && one->nic.next == many->nic.next);
    MUST(one->replies.tail - one->replies.head == many->replies.tail - many->replies.head);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    memset(&t, 0, sizeof t);
    make(&in);
    const int64_t window = weft_net_window(t.world[0].net);
    for (uint32_t k = 0; k < WINDOWS && in.left > 0; k++)
    {
        const int64_t from = (k + 1) * window;
        t.world[0].net->now = from;
        t.world[1].net->now = from;
        draw_window(&in, from, window);
        weft_net_run_node(t.world[0].net, 0, from + window);
        run_in_pieces(&in, t.world[1].net, from + window, window);
        compare();
    }
    return 0;
}
