/* SPDX-License-Identifier: GPL-2.0-only */
#include "completion.h"

#include <math.h>
#include <stdlib.h>

#include "bound.h"
#include "textbuf.h"

/** What a host's wire carries one way. */
struct wire_load
{
    double time;   /**< ps of all frames; no gap behind a message, as one is the last */
    int64_t begin; /**< ps, when the first of them may be there; -1: none is */
    int64_t after; /**< ps from the last of them to its ACK at the sender, at least */
};

static int64_t
host_rate(const struct scenario *s, uint32_t host)
{
    struct weft_link link;
    weft_clos_link(&s->clos, host, &link);
    return link.rate;
}

/** ps that so many packets with @p bytes of payload take of a wire. */
static double
wire_time(const struct scenario *s, uint64_t packets, double bytes, int64_t rate)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const double all = bytes + (double)packets * (double)(f->header + f->gap);
    return all * 8e12 / (double)rate;
}

/** A message by itself: what its last packet, which leaves behind all others, still has to do. */
struct last_packet
{
    uint64_t bytes; /**< of its payload */
    int64_t before; /**< ps that those before it take of the source's wire */
    int64_t way;    /**< ps from then on to its delivery */
};

static struct last_packet
last_packet_of(const struct scenario *s, const struct weft_message *m)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const uint64_t packets = weft_packets(m->bytes, f->payload) - 1;
    const double before = (double)packets * (double)f->payload;
    struct last_packet l = {.bytes = m->bytes - packets * (uint64_t)f->payload};
    l.before = (int64_t)wire_time(s, packets, before, host_rate(s, m->src));
    l.way = larger(ideal_fct(s, m->src, m->dst, l.bytes), 0);
    return l;
}

/** ps of an ACK's way back; in a graph it may take any. */
static int64_t
way_back(const struct scenario *s, const struct weft_message *m)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const bool known = !s->clos.graph && f->ack_priority != WEFT_ACK_IDEAL;
    return known ? weft_clos_way(&s->clos, m->dst, m->src, f->ack) : 0;
}

static void
add_load(struct wire_load *l, double time, int64_t begin, int64_t after)
{
    const bool first = l->begin < 0;
    l->begin = first || begin < l->begin ? begin : l->begin;
    l->after = first || after < l->after ? after : l->after;
    l->time += time;
}

/** A message that may begin at @p start: on the wires of its hosts. */
static void
add_message(const struct scenario *s, const struct weft_message *m, const struct last_packet *l,
            int64_t start, struct wire_load *src, struct wire_load *dst)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const uint64_t packets = weft_packets(m->bytes, f->payload);
    const double bytes = (double)m->bytes - (double)f->gap,
                 last = (double)l->bytes - (double)f->gap;
    const int64_t rates[] = {host_rate(s, m->src), host_rate(s, m->dst)}, back = way_back(s, m);
    /* Rounded so that no bound becomes greater by it. */
    const int64_t from = l->way - (int64_t)ceil(wire_time(s, 1, last, rates[0]));
    const int64_t to = l->way - (int64_t)ceil(wire_time(s, 1, last, rates[1]));
    add_load(src, wire_time(s, packets, bytes, rates[0]), start, larger(from, 0) + back);
    add_load(dst, wire_time(s, packets, bytes, rates[1]), start + larger(to, 0), back);
}

/** The end of the host whose wire is busy longest. */
static int64_t
last_wire(const struct wire_load *loads, uint32_t n)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        /* What is rounded here must not make it greater. */
        const double end =
            (double)loads[i].begin + loads[i].time * (1 - 1e-9) + (double)loads[i].after;
        last = loads[i].begin < 0 ? last : larger(last, end < 9e18 ? (int64_t)end : WEFT_NEVER);
    }
    return last;
}

struct message_walk
walk_begin(const struct weft_message *messages, const uint32_t *next, size_t n, bool barriers)
{
    struct message_walk w = {messages,
                             next,
                             xcalloc(n + 1, sizeof *w.ready),
                             xcalloc(n + 1, sizeof *w.waits),
                             xcalloc(n + 1, sizeof *w.order),
                             0};
    for (size_t i = 0; i < n; i++)
    {
        w.waits[i] += barriers && messages[i].barrier;
        for (uint32_t k = 0; k < messages[i].nnext; k++)
        {
            w.waits[next[messages[i].first_next + k]]++;
        }
    }
    for (size_t i = 0; i < n; i++)
    {
        w.order[w.n] = (uint32_t)i;
        w.n += w.waits[i] == 0;
    }
    return w;
}

int64_t
walk_start(const struct message_walk *w, uint32_t message)
{
    const struct weft_message *m = &w->messages[message];
    const int64_t ready = w->ready[message];
    return starts_after(m) ? later(ready, m->start) : larger(ready, m->start);
}

void
walk_release(struct message_walk *w, uint32_t message, int64_t time)
{
    w->ready[message] = larger(w->ready[message], time);
    w->order[w->n] = message;
    w->n += --w->waits[message] == 0;
}

void
walk_on(struct message_walk *w, const struct weft_message *m, int64_t end)
{
    for (uint32_t k = 0; k < m->nnext; k++)
    {
        walk_release(w, w->next[m->first_next + k], end);
    }
}

void
walk_end(struct message_walk *w)
{
    free(w->ready);
    free(w->waits);
    free(w->order);
}

int64_t
least_time(const struct scenario *s, const struct weft_message *messages, const uint32_t *next,
           size_t n)
{
    const uint32_t hosts = s->clos.nhosts;
    OWNED struct wire_load *loads = xcalloc((size_t)hosts * 2, sizeof *loads);
    int64_t last = 0;
    for (uint32_t i = 0; i < 2 * hosts; i++)
    {
        loads[i].begin = -1;
    }
    struct message_walk w = walk_begin(messages, next, n, false);
    for (size_t i = 0; i < w.n; i++)
    {
        const struct weft_message *m = &messages[w.order[i]];
        const int64_t start = walk_start(&w, w.order[i]);
        const struct last_packet l = last_packet_of(s, m);
        const int64_t end = start + l.before + l.way;
        add_message(s, m, &l, start, &loads[m->src], &loads[hosts + m->dst]);
        last = larger(last, end + way_back(s, m));
        walk_on(&w, m, end);
    }
    last = larger(last, last_wire(loads, 2 * hosts));
    walk_end(&w);
    return last;
}
