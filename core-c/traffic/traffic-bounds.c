/* SPDX-License-Identifier: MIT */
/* Lower bounds of workloads by their closed forms, and of exchanges that follow each other. */
#include <weft/bounds.h>

#include "traffic/traffic-walk.h"

/* --- deliveries ------------------------------------------------------------------------------- */

int64_t
weft_first_start(const struct weft_message *messages, uint32_t n)
{
    int64_t start = WEFT_NEVER;
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_message *m = &messages[i];
        start = !weft_starts_after(m) && m->start < start ? m->start : start;
    }
    return start;
}

/* Whether all links of all planes are alike. */
static bool
is_even(const struct weft_clos *clos)
{
    struct weft_clos plane = *clos;
    plane.planes = 1;
    plane.server_rate = 0;
    return weft_clos_even(&plane);
}

/* Whether all messages cross so many links, none of them a server's own. Of no messages it is as if
 * they did, unless some may be inside servers. */
static bool
all_cross(const struct weft_traffic *t, uint32_t links)
{
    bool all = t->n > 0 || t->clos->server_rate == 0;
    for (uint32_t i = 0; i < t->n && all; i++)
    {
        const struct weft_message *m = &t->messages[i];
        all = weft_clos_hops(t->clos, m->src, m->dst) == links &&
              !weft_clos_inside(t->clos, m->src, m->dst);
    }
    return all;
}

static struct weft_wire
wire_of_links(const struct weft_traffic *t, uint32_t links)
{
    const struct weft_fabric_config *f = t->frame;
    const struct weft_clos *c = t->clos;
    return (struct weft_wire){f->payload,   f->header,     f->gap, f->ack,
                              c->host_rate, c->host_delay, links,  c->planes};
}

int64_t
weft_traffic_bound(const struct weft_traffic *t, bool partial)
{
    const struct weft_hosts all = weft_clos_hosts(t->clos), hosts = weft_job_hosts(t->job, &all);
    if (t->job->ops->bound == NULL || !is_even(t->clos))
    {
        return -1;
    }
    const uint32_t most = weft_clos_hops(t->clos, 0, t->clos->nhosts - 1);
    const struct weft_bound_case of = {.wire = wire_of_links(t, most),
                                       .pace = t->clos->host_rate,
                                       .ideal_acks = t->frame->ack_priority == WEFT_ACK_IDEAL,
                                       .partial = partial};
    const int64_t bound = t->job->ops->bound(t->job->config, &hosts, &of);
    const int64_t start = t->n > 0 ? weft_first_start(t->messages, t->n) : 0;
    return bound < 0 || !all_cross(t, most) ? -1 : weft_sum(start, bound);
}

struct weft_traffic_steps
weft_count_steps(const struct weft_traffic *t)
{
    struct weft_traffic_steps s = {1, 1, false, false};
    for (uint32_t i = 0; i < t->n; i++)
    {
        const struct weft_message *m = &t->messages[i];
        s.n = m->step >= s.n ? m->step + 1 : s.n;
        s.ngroups = m->group >= s.ngroups ? m->group + 1 : s.ngroups;
        s.barriers = s.barriers || m->barrier;
        s.waits = s.waits || m->nnext > 0 || m->barrier;
    }
    return s;
}

/* --- ACKs ------------------------------------------------------------------------------------- */

struct bounding
{
    const struct weft_traffic *t;
    struct weft_traffic_steps steps;
    bool known;     /* the closed forms hold: links are all alike, each packet has an ACK */
    int64_t pace;   /* bit/s at which hosts send data */
    int64_t first;  /* ps: the earliest start that the workload names */
    int64_t spread; /* ps: how much later the latest one is */
    struct weft_walk walk;
    /* Cells are steps, or each group's steps: the messages of cell k are order[begin[k]] ..
     * order[begin[k + 1] - 1]. */
    uint32_t *begin, *order;
    uint32_t *left;  /* [cell]: messages that have not ended */
    int64_t *ends;   /* [cell]: the last ACK */
    uint32_t *marks; /* two per host */
};

static struct weft_wire
wire_of(const struct bounding *b, const struct weft_message *m)
{
    return wire_of_links(b->t, weft_clos_hops(b->t->clos, m->src, m->dst));
}

static bool
acks_take_wire(const struct bounding *b)
{
    return b->t->frame->ack_priority != WEFT_ACK_IDEAL;
}

/* How much sooner than after equal starts the last ACK may come: by the spread, and by the ACKs of
 * as many packets as may leave in it before there is anything to answer. */
static int64_t
early_by(const struct bounding *b, const struct weft_wire *w)
{
    int64_t carry = 0;
    int64_t slot = weft_wire_carry(w->payload + w->header + w->gap, w->rate, &carry);
    slot -= carry > 0 ? 1 : 0; /* frames in a row may be so little apart */
    const int64_t ack = weft_wire_time(w->ack + w->gap, w->rate);
    const int64_t packets = b->spread / slot + 1;
    return ack > (WEFT_NEVER - b->spread) / packets ? WEFT_NEVER : b->spread + packets * ack;
}

/* From a message's start to its last ACK, while its sender receives as much as it sends and has
 * started no more than the spread before the one that it receives from: until that one's data
 * comes, its own need not make room for ACKs. A short last packet behind full ones is not counted.
 */
static int64_t
exchange_bound(const struct bounding *b, const struct weft_message *m)
{
    struct weft_wire w = wire_of(b, m);
    const int64_t answered = weft_answered_bound(&w, 1, m->bytes, b->pace);
    if (!acks_take_wire(b))
    {
        return answered;
    }
    if (m->bytes < (uint64_t)w.payload)
    {
        w.payload = (int64_t)m->bytes;
    }
    const int64_t all = weft_permutation_paced_bound(&w, m->bytes / (uint64_t)w.payload, b->pace);
    return b->spread == 0 ? all : weft_larger(all - early_by(b, &w), answered);
}

/* Orders the messages by cells: each group has @p per_group, or all groups share them if it is 0.
 */
static void
sort_by_step(struct bounding *b, uint32_t per_group, size_t cells)
{
    const struct weft_message *m = b->t->messages;
    for (size_t k = 0; k <= cells; k++)
    {
        b->begin[k] = 0;
    }
    for (uint32_t i = 0; i < b->t->n; i++)
    {
        b->begin[(size_t)m[i].group * per_group + m[i].step + 1]++;
    }
    for (size_t k = 0; k < cells; k++)
    {
        b->begin[k + 1] += b->begin[k];
    }
    /* Each place moves behind its cell, where the next one begins, and back. */
    for (uint32_t i = 0; i < b->t->n; i++)
    {
        b->order[b->begin[(size_t)m[i].group * per_group + m[i].step]++] = i;
    }
    for (size_t k = cells; k > 0; k--)
    {
        b->begin[k] = b->begin[k - 1];
    }
    b->begin[0] = 0;
}

/* Whether each host that takes part in a step sends one message and receives one, all of the same
 * size. */
static bool
is_exchange(const struct bounding *b, uint32_t step)
{
    const struct weft_message *m = b->t->messages;
    const uint32_t *order = b->order + b->begin[step];
    const uint32_t n = b->begin[step + 1] - b->begin[step], mark = step + 1;
    bool is = b->known;
    for (uint32_t i = 0; i < n && is; i++)
    {
        const struct weft_message *one = &m[order[i]];
        is = one->bytes == m[order[0]].bytes && b->marks[2 * one->src] != mark &&
             b->marks[2 * one->dst + 1] != mark;
        b->marks[2 * one->src] = b->marks[2 * one->dst + 1] = mark;
    }
    for (uint32_t i = 0; i < n && is; i++)
    {
        is = b->marks[2 * m[order[i]].dst] == mark;
    }
    return is;
}

/* Fills the bounds of steps, unless it is NULL. Whether all are exchanges. */
static bool
bound_steps(struct bounding *b, int64_t *steps)
{
    bool all = true;
    for (uint32_t i = 0; i < 2 * b->t->clos->nhosts; i++)
    {
        b->marks[i] = 0;
    }
    sort_by_step(b, 0, b->steps.n);
    for (uint32_t k = 0; k < b->steps.n; k++)
    {
        const bool exchange = is_exchange(b, k);
        int64_t bound = -1;
        for (uint32_t i = b->begin[k]; steps != NULL && exchange && i < b->begin[k + 1]; i++)
        {
            bound = weft_larger(bound, exchange_bound(b, &b->t->messages[b->order[i]]));
        }
        if (steps != NULL)
        {
            steps[k] = bound;
        }
        all = all && exchange;
    }
    return all;
}

/* @p m has ended: whoever waits for all of its step may be released, when the news is there. */
static void
pass_barrier(struct bounding *b, const struct weft_message *m, int64_t acked, int64_t news)
{
    const size_t at = (size_t)m->group * b->steps.n + m->step;
    b->ends[at] = weft_larger(b->ends[at], acked);
    if (--b->left[at] > 0 || m->step + 1 == b->steps.n)
    {
        return;
    }
    for (uint32_t i = b->begin[at + 1]; i < b->begin[at + 2]; i++)
    {
        if (b->t->messages[b->order[i]].barrier)
        {
            weft_walk_release(&b->walk, b->order[i], weft_sum(b->ends[at], news));
        }
    }
}

static void
set_up_barriers(struct bounding *b)
{
    const size_t cells = (size_t)b->steps.ngroups * b->steps.n;
    sort_by_step(b, b->steps.n, cells);
    for (size_t k = 0; k < cells; k++)
    {
        b->left[k] = b->begin[k + 1] - b->begin[k];
        b->ends[k] = 0;
    }
}

/* The last ACK where every message starts as soon as those that it waits for can have ended. */
static int64_t
chain_bound(struct bounding *b)
{
    const int64_t news = weft_clos_least_delay(b->t->clos, b->t->frame->ack);
    int64_t last = 0;
    if (b->steps.barriers)
    {
        set_up_barriers(b);
    }
    weft_walk_begin(&b->walk, true);
    for (uint32_t i = 0; i < b->walk.n; i++)
    {
        const struct weft_message *m = &b->t->messages[b->walk.order[i]];
        const struct weft_wire wire = wire_of(b, m);
        const int64_t start = weft_walk_start(&b->walk, b->walk.order[i]);
        const int64_t acked = weft_sum(start, exchange_bound(b, m));
        last = weft_larger(last, acked);
        weft_walk_on(&b->walk, m, weft_sum(start, weft_message_bound(&wire, m->bytes)));
        if (b->steps.barriers)
        {
            pass_barrier(b, m, acked, news);
        }
    }
    return last;
}

/* Returns what the workload itself knows of its last ACK; -1: nothing. The closest pair of hosts
 * decides how early the first packet can be there. */
static int64_t
own_bound(const struct bounding *b)
{
    const struct weft_traffic *t = b->t;
    const struct weft_hosts all = weft_clos_hosts(t->clos), hosts = weft_job_hosts(t->job, &all);
    uint32_t least = 0;
    if (t->job->ops->bound == NULL || !b->known || t->n == 0)
    {
        return -1;
    }
    for (uint32_t i = 0; i < t->n; i++)
    {
        const uint32_t links = weft_clos_hops(t->clos, t->messages[i].src, t->messages[i].dst);
        least = least == 0 || links < least ? links : least;
    }
    const struct weft_bound_case of = {.wire = wire_of_links(t, least),
                                       .pace = b->pace,
                                       .acked = 1,
                                       .ideal_acks = !acks_take_wire(b)};
    const int64_t own = t->job->ops->bound(t->job->config, &hosts, &of);
    return own < 0 ? -1 : weft_sum(b->first, own);
}

/* By how much the messages of a step may start apart: those that nothing holds back, and those
 * whose times count from what they wait for. */
static int64_t
widest_spread(const struct bounding *b)
{
    int64_t widest = 0, least = WEFT_NEVER, most = 0;
    for (uint32_t i = 0; i < b->t->n; i++)
    {
        const struct weft_message *m = &b->t->messages[i];
        if (weft_starts_after(m))
        {
            least = m->start < least ? m->start : least;
            most = weft_larger(most, m->start);
        }
        else
        {
            widest = weft_larger(widest, m->start - b->first);
        }
    }
    return weft_larger(widest, most - least);
}

/* Takes what there is to a bound from the memory; returns how much it is. */
static size_t
lay_out(struct bounding *b, const struct weft_traffic *t, void *memory)
{
    size_t used = 0;
    b->t = t;
    b->steps = weft_count_steps(t);
    const size_t cells = (size_t)b->steps.n * (b->steps.barriers ? b->steps.ngroups : 1);
    weft_walk_lay_out(&b->walk, t, memory, &used);
    b->begin = weft_walk_take(memory, &used, (cells + 1) * sizeof *b->begin);
    b->order = weft_walk_take(memory, &used, t->n * sizeof *b->order);
    b->left = weft_walk_take(memory, &used, cells * sizeof *b->left);
    b->ends = weft_walk_take(memory, &used, cells * sizeof *b->ends);
    b->marks = weft_walk_take(memory, &used, 2 * (size_t)t->clos->nhosts * sizeof *b->marks);
    return used;
}

size_t
weft_traffic_memory(const struct weft_traffic *t)
{
    struct bounding b;
    const size_t acked = lay_out(&b, t, NULL), least = weft_least_time_memory(t);
    return acked > least ? acked : least;
}

int64_t
weft_traffic_acked_bound(const struct weft_traffic *t, int64_t pace, int64_t *steps, void *memory)
{
    struct bounding b;
    (void)lay_out(&b, t, memory);
    b.known = weft_clos_even(t->clos) && t->frame->ack_every == 1;
    b.pace = pace;
    b.first = weft_first_start(t->messages, t->n);
    b.spread = widest_spread(&b);
    const bool chained = bound_steps(&b, steps);
    const int64_t own = own_bound(&b);
    /* Steps that do not wait for each other all go at once, and messages of one step that wait for
     * each other are no exchange. Of messages that all go at once a chain is the time of the
     * farthest pair by itself. */
    const bool phases = (b.steps.n > 1) == b.steps.waits;
    const int64_t chain = chained && (phases || own >= 0) ? chain_bound(&b) : -1;
    return weft_larger(chain, own);
}
