/* SPDX-License-Identifier: MIT */
/* A lower bound for any traffic: hosts' wires, and chains of messages. */
#include <math.h>

#include <weft/bounds.h>

#include "base/bitmap.h"
#include "traffic/traffic-walk.h"

/* Ports of a host that traffic may take. */
struct wire
{
    int64_t ports;
    int64_t rate; /* of all together, bit/s */
    int64_t best; /* of the fastest one */
};

/* Returns the ports of @p bits. */
static struct wire
wire_of(const struct weft_clos *clos, uint32_t host, uint64_t bits)
{
    struct wire w = {0};
    for (; bits != 0; bits &= bits - 1)
    {
        struct weft_link link;
        weft_planes_link(clos, weft_clos_host_link(clos, host, weft_ctz64(bits)), &link);
        w.ports++;
        w.rate += link.rate;
        w.best = link.rate > w.best ? link.rate : w.best;
    }
    return w;
}

/* Bits of a host's ports that are of one network: its server's or the fabric. */
static uint64_t
network_of(const struct weft_clos *clos, uint32_t host, bool inside)
{
    const uint64_t all = UINT64_MAX >> (WEFT_MAX_PLANES - weft_clos_host_ports(clos, host));
    const uint64_t own = weft_clos_inside_ports(clos, host);
    return inside ? own : all & ~own;
}

/* Ports by which a message leaves and arrives. */
struct ends
{
    struct wire out;
    struct wire in;
};

static struct ends
ends_of(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    return (struct ends){wire_of(clos, src, weft_clos_ways(clos, src, dst)),
                         wire_of(clos, dst, weft_clos_ways(clos, dst, src))};
}

static bool
is_alike(const struct wire *w)
{
    return w->best * w->ports == w->rate;
}

/* ps that so many packets with @p bytes of payload take of a wire. */
static double
wire_time(const struct weft_fabric_config *f, double packets, double bytes, int64_t rate)
{
    return (bytes + packets * (double)(f->header + f->gap)) * 8e12 / (double)rate;
}

/* Rounds ps down that may not fit; WEFT_NEVER then. */
static int64_t
fit(double time)
{
    return time < 9e18 ? (int64_t)time : WEFT_NEVER;
}

/* ps after which the last one of so many packets can begin to leave by, or arrive at, ports that
 * share them: as many at each that is like the others; else no port is idle before. */
static double
start_at(const struct weft_fabric_config *f, const struct wire *w, uint64_t packets)
{
    const uint64_t n = (uint64_t)w->ports, beyond = packets > n ? packets - n : 0;
    const double slots = (double)(is_alike(w) ? (packets - 1) / n : beyond);
    return wire_time(f, slots, slots * (double)f->payload, is_alike(w) ? w->best : w->rate);
}

static int64_t
last_start(const struct weft_fabric_config *f, const struct ends *ends, uint64_t packets)
{
    const double out = start_at(f, &ends->out, packets), in = start_at(f, &ends->in, packets);
    return fit(out > in ? out : in);
}

int64_t
weft_ideal_fct(const struct weft_clos *clos, const struct weft_fabric_config *frame, uint32_t src,
               uint32_t dst, uint64_t bytes, struct weft_hop *hops)
{
    struct weft_wire w = {.payload = frame->payload, .header = frame->header, .gap = frame->gap};
    const struct ends ends = ends_of(clos, src, dst);
    const uint64_t packets = bytes > 0 ? weft_packets(bytes, frame->payload) : 0;
    int64_t ideal = -1;
    w.links = weft_clos_best_path(clos, src, dst, hops, UINT32_MAX);
    if (packets > 0 && ends.out.ports == ends.in.ports && is_alike(&ends.out) && is_alike(&ends.in))
    {
        w.ports = (uint32_t)ends.out.ports;
        ideal = weft_message_path(&w, hops, bytes);
    }
    else if (packets > 0)
    {
        const uint64_t last = bytes - (packets - 1) * (uint64_t)frame->payload;
        ideal = weft_sum(last_start(frame, &ends, packets), weft_message_path(&w, hops, last));
    }
    return ideal > 0 && ideal < WEFT_NEVER ? ideal : -1;
}

#define CLOS_LINKS 6 /* between the hosts of a Clos that lie farthest apart */

/* Load of a host's wire in one direction. */
struct wire_load
{
    double time;   /* ps of all frames; no gap behind a message, as one is the last of each port */
    int64_t begin; /* ps, when the first of them may be there; -1: none is */
    int64_t after; /* ps from the last of them to what ends it, at least */
};

/* A message by itself: what its last packet, which leaves behind all others, still has to do. */
struct last_packet
{
    int64_t before; /* ps that those before it take of its hosts' wires */
    int64_t way;    /* ps from then on to its delivery */
    int64_t from;   /* ps of these after it has left the source's wire */
    int64_t to;     /* ps of these before it comes to the destination's wire */
};

/* Returns ps of a way but for those on a wire; rounded so that no bound becomes greater by it. */
static int64_t
way_without(const struct weft_fabric_config *f, int64_t way, uint64_t bytes, const struct wire *w)
{
    const double last = (double)bytes - (double)f->gap;
    return weft_larger(way - (int64_t)ceil(wire_time(f, 1, last, w->best)), 0);
}

static struct last_packet
last_packet_of(const struct weft_traffic *t, const struct weft_message *m, struct weft_hop *hops)
{
    const struct weft_fabric_config *f = t->frame;
    const uint64_t packets = weft_packets(m->bytes, f->payload);
    const uint64_t last = m->bytes - (packets - 1) * (uint64_t)f->payload;
    const struct ends ends = ends_of(t->clos, m->src, m->dst);
    struct last_packet l = {.before = last_start(f, &ends, packets)};
    l.way = weft_larger(weft_ideal_fct(t->clos, f, m->src, m->dst, last, hops), 0);
    l.from = way_without(f, l.way, last, &ends.out);
    l.to = way_without(f, l.way, last, &ends.in);
    return l;
}

/* ps of an ACK's way back, if it counts; in a graph it may take any. */
static int64_t
way_back(const struct weft_traffic *t, const struct weft_message *m, bool acked)
{
    const struct weft_fabric_config *f = t->frame;
    const bool known = !t->clos->graph && f->ack_priority != WEFT_ACK_IDEAL;
    return acked && known ? weft_clos_way(t->clos, m->dst, m->src, f->ack) : 0;
}

static void
add_load(struct wire_load *l, double time, int64_t begin, int64_t after)
{
    const bool first = l->begin < 0;
    l->begin = first || begin < l->begin ? begin : l->begin;
    l->after = first || after < l->after ? after : l->after;
    l->time += time;
}

/* The time that a message takes of a host's wire; no gap is behind the last frame of a port. */
static double
time_of(const struct weft_traffic *t, const struct weft_message *m, const struct wire *w)
{
    const double bytes = (double)m->bytes - (double)(w->ports * t->frame->gap);
    const uint64_t packets = weft_packets(m->bytes, t->frame->payload);
    return wire_time(t->frame, (double)packets, bytes, w->rate);
}

/* A message that may begin at @p start: on the wires of its hosts. */
static void
add_message(const struct weft_traffic *t, const struct weft_message *m, const struct last_packet *l,
            int64_t start, int64_t back, struct wire_load *loads)
{
    const bool inside = weft_clos_inside(t->clos, m->src, m->dst);
    const uint32_t hosts = t->clos->nhosts, first = inside ? 2 * hosts : 0;
    const struct wire src = wire_of(t->clos, m->src, network_of(t->clos, m->src, inside)),
                      dst = wire_of(t->clos, m->dst, network_of(t->clos, m->dst, inside));
    add_load(&loads[first + m->src], time_of(t, m, &src), start, l->from + back);
    add_load(&loads[first + hosts + m->dst], time_of(t, m, &dst), weft_sum(start, l->to), back);
}

/* The end of the host whose wire is busy longest. */
static int64_t
last_wire(const struct wire_load *loads, uint32_t n)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        /* Rounding must not make the bound greater. */
        const double end =
            (double)loads[i].begin + loads[i].time * (1 - 1e-9) + (double)loads[i].after;
        last = loads[i].begin < 0 ? last : weft_larger(last, fit(end));
    }
    return last;
}

struct layout
{
    struct weft_walk walk;
    struct wire_load *loads; /* [host]: as a source; [hosts + host]: as a destination; the same
                                once more of servers' own networks */
    struct weft_hop *hops;
};

static size_t
lay_out(struct layout *l, const struct weft_traffic *t, void *memory)
{
    size_t used = 0;
    weft_walk_lay_out(&l->walk, t, memory, &used);
    l->loads = weft_walk_take(memory, &used, (size_t)t->clos->nhosts * 4 * sizeof *l->loads);
    const size_t most = t->clos->graph != NULL ? (size_t)t->clos->nswitches + 1 : CLOS_LINKS;
    l->hops = weft_walk_take(memory, &used, most * sizeof *l->hops);
    return used;
}

size_t
weft_least_time_memory(const struct weft_traffic *t)
{
    struct layout l;
    return lay_out(&l, t, NULL);
}

int64_t
weft_traffic_least_time(const struct weft_traffic *t, bool acked, void *memory)
{
    const uint32_t hosts = t->clos->nhosts;
    struct layout in;
    int64_t last = 0;
    (void)lay_out(&in, t, memory);
    for (uint32_t i = 0; i < 4 * hosts; i++)
    {
        in.loads[i] = (struct wire_load){0, -1, 0};
    }
    weft_walk_begin(&in.walk, false);
    for (uint32_t i = 0; i < in.walk.n; i++)
    {
        const struct weft_message *m = &t->messages[in.walk.order[i]];
        const int64_t start = weft_walk_start(&in.walk, in.walk.order[i]);
        const struct last_packet l = last_packet_of(t, m, in.hops);
        const int64_t end = weft_sum(weft_sum(start, l.before), l.way);
        const int64_t back = way_back(t, m, acked);
        add_message(t, m, &l, start, back, in.loads);
        last = weft_larger(last, weft_sum(end, back));
        weft_walk_on(&in.walk, m, end);
    }
    return weft_larger(last, last_wire(in.loads, 4 * hosts));
}
