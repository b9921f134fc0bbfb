/* SPDX-License-Identifier: MIT */
/* A lower bound for any traffic: hosts' wires, and chains of messages. */
#include <math.h>

#include <weft/bounds.h>

#include "traffic/traffic-walk.h"

static uint32_t
count_bits(uint64_t bits)
{
    uint32_t n = 0;
    for (; bits != 0; bits &= bits - 1)
    {
        n++;
    }
    return n;
}

/* Ports by which a host sends to another, or receives from it: the fewer of the two. */
static uint32_t
ports_between(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    const uint32_t out = count_bits(weft_clos_ways(clos, src, dst)),
                   in = count_bits(weft_clos_ways(clos, dst, src));
    return out < in ? out : in;
}

/* Bytes of a message on the port that has most of it, where @p ports of a host share its packets
 * evenly. */
static uint64_t
most_of_a_port(uint32_t ports, int64_t payload, uint64_t bytes)
{
    const uint64_t packets = weft_packets(bytes, payload);
    const uint64_t before = (packets - 1) / ports, full = (uint64_t)payload;
    const uint64_t last = bytes - (packets - 1) * full;
    return before * full + (packets % ports == 1 || ports == 1 ? last : full);
}

int64_t
weft_ideal_fct(const struct weft_clos *clos, const struct weft_fabric_config *frame, uint32_t src,
               uint32_t dst, uint64_t bytes, struct weft_hop *hops)
{
    struct weft_wire w = {.payload = frame->payload, .header = frame->header, .gap = frame->gap};
    w.links = weft_clos_best_path(clos, src, dst, hops, UINT32_MAX);
    const uint32_t ports = ports_between(clos, src, dst);
    const int64_t ideal =
        bytes > 0 ? weft_message_path(&w, hops, most_of_a_port(ports, frame->payload, bytes)) : -1;
    return ideal > 0 && ideal < WEFT_NEVER ? ideal : -1;
}

#define CLOS_LINKS 6 /* between the hosts of a Clos that lie farthest apart */

/* Load of a host's wire in one direction. */
struct wire_load
{
    double time;   /* ps of all frames; no gap behind a message, as one is the last of each port */
    int64_t begin; /* ps, when the first of them may be there; -1: none is */
    int64_t after; /* ps from the last of them to its ACK at the sender, at least */
};

/* Ports of a host that are of one network: its server's or the fabric. */
struct wire
{
    int64_t ports;
    int64_t rate; /* of all together, bit/s */
    int64_t best; /* of the fastest one */
};

static struct wire
wire_of(const struct weft_clos *clos, uint32_t host, bool inside)
{
    const struct weft_graph *g = clos->graph;
    struct wire w = {0};
    for (uint32_t port = 0; port < weft_clos_host_ports(clos, host); port++)
    {
        struct weft_link link;
        if ((g ? (g->inside[host] >> port & 1U) != 0 : port >= clos->planes) == inside)
        {
            weft_planes_link(clos, weft_clos_host_link(clos, host, port), &link);
            w.ports++;
            w.rate += link.rate;
            w.best = link.rate > w.best ? link.rate : w.best;
        }
    }
    return w;
}

/* ps that so many packets with @p bytes of payload take of a wire. */
static double
wire_time(const struct weft_traffic *t, uint64_t packets, double bytes, int64_t rate)
{
    const struct weft_fabric_config *f = t->frame;
    const double all = bytes + (double)packets * (double)(f->header + f->gap);
    return all * 8e12 / (double)rate;
}

/* Rounds ps down that may not fit; WEFT_NEVER then. */
static int64_t
fit(double time)
{
    return time < 9e18 ? (int64_t)time : WEFT_NEVER;
}

/* A message by itself: what its last packet, which leaves behind all others, still has to do. */
struct last_packet
{
    uint64_t bytes; /* of its payload */
    int64_t before; /* ps that those before it take of the source's wire */
    int64_t way;    /* ps from then on to its delivery */
};

static struct last_packet
last_packet_of(const struct weft_traffic *t, const struct weft_message *m, struct weft_hop *hops)
{
    const struct weft_fabric_config *f = t->frame;
    const uint64_t packets = weft_packets(m->bytes, f->payload) - 1;
    /* By its port, at least. */
    const uint64_t before = packets / ports_between(t->clos, m->src, m->dst);
    const struct wire src = wire_of(t->clos, m->src, weft_clos_inside(t->clos, m->src, m->dst));
    struct last_packet l = {.bytes = m->bytes - packets * (uint64_t)f->payload};
    l.before = fit(wire_time(t, before, (double)before * (double)f->payload, src.best));
    l.way = weft_larger(weft_ideal_fct(t->clos, f, m->src, m->dst, l.bytes, hops), 0);
    return l;
}

/* ps of an ACK's way back; in a graph it may take any. */
static int64_t
way_back(const struct weft_traffic *t, const struct weft_message *m)
{
    const struct weft_fabric_config *f = t->frame;
    const bool known = !t->clos->graph && f->ack_priority != WEFT_ACK_IDEAL;
    return known ? weft_clos_way(t->clos, m->dst, m->src, f->ack) : 0;
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
    return wire_time(t, weft_packets(m->bytes, t->frame->payload), bytes, w->rate);
}

/* A message that may begin at @p start: on the wires of its hosts. */
static void
add_message(const struct weft_traffic *t, const struct weft_message *m, const struct last_packet *l,
            int64_t start, struct wire_load *loads)
{
    const bool inside = weft_clos_inside(t->clos, m->src, m->dst);
    const uint32_t hosts = t->clos->nhosts, first = inside ? 2 * hosts : 0;
    const struct wire src = wire_of(t->clos, m->src, inside),
                      dst = wire_of(t->clos, m->dst, inside);
    const double last = (double)l->bytes - (double)t->frame->gap;
    const int64_t back = way_back(t, m);
    /* Rounded so that no bound becomes greater by it. */
    const int64_t from = l->way - (int64_t)ceil(wire_time(t, 1, last, src.best));
    const int64_t to = l->way - (int64_t)ceil(wire_time(t, 1, last, dst.best));
    add_load(&loads[first + m->src], time_of(t, m, &src), start, weft_larger(from, 0) + back);
    add_load(&loads[first + hosts + m->dst], time_of(t, m, &dst),
             weft_sum(start, weft_larger(to, 0)), back);
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
weft_traffic_least_time(const struct weft_traffic *t, void *memory)
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
        add_message(t, m, &l, start, in.loads);
        last = weft_larger(last, weft_sum(end, way_back(t, m)));
        weft_walk_on(&in.walk, m, end);
    }
    return weft_larger(last, last_wire(in.loads, 4 * hosts));
}
