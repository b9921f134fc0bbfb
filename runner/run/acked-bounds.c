/* SPDX-License-Identifier: GPL-2.0-only */
#include "completion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "textbuf.h"

struct bounding
{
    const struct scenario *s;
    const struct weft_job *job;
    const struct weft_message *messages;
    const uint32_t *next;
    size_t n;
    struct weft_wire wire; /**< links: 0 */
    int64_t pace;          /**< bit/s at which hosts send data */
    int64_t first;         /**< ps: the earliest start that the workload names */
    int64_t spread;        /**< ps: how much later the latest one is */
};

/** The closed forms hold for links that are all alike and an ACK for each packet. */
static bool
make_wire(const struct scenario *s, struct weft_wire *w)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_clos *c = &s->clos;
    *w = (struct weft_wire){f->payload, f->header, f->gap, f->ack, c->host_rate, c->host_delay, 0};
    return weft_clos_even(c) && f->ack_every == 1;
}

static struct weft_wire
wire_of(const struct bounding *b, const struct weft_message *m)
{
    struct weft_wire w = b->wire;
    w.links = weft_clos_hops(&b->s->clos, m->src, m->dst);
    return w;
}

static bool
acks_take_wire(const struct bounding *b)
{
    const struct weft_fabric_config *frame = b->s->fabric.config;
    return frame->ack_priority != WEFT_ACK_IDEAL;
}

/** How much sooner than after equal starts the last ACK may come: by the spread, and by the ACKs of
 * as many packets as may leave in it before there is anything to answer. */
static int64_t
early_by(const struct bounding *b, const struct weft_wire *w)
{
    int64_t carry = 0;
    int64_t slot = weft_wire_carry(w->payload + w->header + w->gap, w->rate, &carry);
    slot -= carry > 0 ? 1 : 0; /* frames in a row may be so little apart */
    int64_t ack = weft_wire_time(w->ack + w->gap, w->rate);
    int64_t packets = b->spread / slot + 1;
    return ack > (WEFT_NEVER - b->spread) / packets ? WEFT_NEVER : b->spread + packets * ack;
}

/** From a message's start to its last ACK, while its sender receives as much as it sends and has
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
    int64_t all = weft_permutation_paced_bound(&w, m->bytes / (uint64_t)w.payload, b->pace);
    return b->spread == 0 ? all : larger(all - early_by(b, &w), answered);
}

/* --- one step --------------------------------------------------------------------------------- */

/** Numbers of the messages by group x @p per_group + step, of which there are @p n: those of k are
 * order[first[k]] .. order[first[k + 1] - 1]. */
static void
sort_by_step(const struct bounding *b, size_t per_group, size_t n, size_t *first, uint32_t *order)
{
    OWNED size_t *place = xcalloc(n + 1, sizeof *place);
    for (size_t i = 0; i < b->n; i++)
    {
        place[b->messages[i].group * per_group + b->messages[i].step + 1]++;
    }
    for (size_t k = 0; k < n; k++)
    {
        place[k + 1] += place[k];
    }
    memcpy(first, place, (n + 1) * sizeof *first);
    for (size_t i = 0; i < b->n; i++)
    {
        order[place[b->messages[i].group * per_group + b->messages[i].step]++] = (uint32_t)i;
    }
}

/** Whether each host that takes part sends one message and receives one, all of the same size.
 * @p marks: two per host, all less than @p mark. */
static bool
is_exchange(const struct bounding *b, const uint32_t *order, size_t n, uint32_t *marks,
            uint32_t mark)
{
    for (size_t i = 0; i < n; i++)
    {
        const struct weft_message *m = &b->messages[order[i]];
        if (m->bytes != b->messages[order[0]].bytes || marks[2 * m->src] == mark ||
            marks[2 * m->dst + 1] == mark)
        {
            return false;
        }
        marks[2 * m->src] = mark;
        marks[2 * m->dst + 1] = mark;
    }
    for (size_t i = 0; i < n; i++)
    {
        if (marks[2 * b->messages[order[i]].dst] != mark)
        {
            return false;
        }
    }
    return true;
}

static void
measure_step(const struct flow_result *flows, const uint32_t *order, size_t n,
             struct step_result *step)
{
    bool whole = true;
    step->messages = (uint32_t)n;
    step->posted = -1;
    for (size_t i = 0; i < n; i++)
    {
        const struct flow_result *f = &flows[order[i]];
        bool earlier = step->posted < 0 || f->posted < step->posted;
        step->posted = f->posted >= 0 && earlier ? f->posted : step->posted;
        step->acked = f->acked > step->acked ? f->acked : step->acked;
        step->cct = f->acked - f->posted > step->cct ? f->acked - f->posted : step->cct;
        whole = whole && f->acked >= 0;
    }
    step->acked = whole ? step->acked : -1;
    step->cct = whole ? step->cct : -1;
}

/** The steps' times and bounds. Returns whether all bounds are known; *acked: whether all messages
 * were acknowledged: without some, the whole may end early. */
static bool
fill_steps(const struct bounding *b, const struct flow_result *flows, size_t nsteps,
           struct step_result *steps, bool *acked)
{
    OWNED size_t *first = xcalloc(nsteps + 1, sizeof *first);
    OWNED uint32_t *order = xcalloc(b->n, sizeof *order);
    OWNED uint32_t *marks = xcalloc(2 * (size_t)b->s->clos.nhosts, sizeof *marks);
    bool known = true;
    *acked = true;
    sort_by_step(b, 0, nsteps, first, order);
    for (size_t k = 0; k < nsteps; k++)
    {
        const uint32_t *mine = order + first[k];
        size_t n = first[k + 1] - first[k];
        steps[k].step = (uint32_t)k;
        steps[k].bound = -1;
        measure_step(flows, mine, n, &steps[k]);
        bool exchange = b->wire.rate && is_exchange(b, mine, n, marks, (uint32_t)k + 1);
        for (size_t i = 0; exchange && i < n; i++)
        {
            int64_t bound = exchange_bound(b, &b->messages[mine[i]]);
            steps[k].bound = bound > steps[k].bound ? bound : steps[k].bound;
        }
        known = known && exchange;
        *acked = *acked && steps[k].acked >= 0;
    }
    return known;
}

double
increase_over(int64_t time, int64_t bound, int64_t first)
{
    return bound > first && time >= 0 ? (double)(time - first) / (double)(bound - first) - 1 : NAN;
}

/** Returns the mean increase. */
static double
relate_steps(struct step_result *steps, size_t nsteps)
{
    double sum = 0;
    for (size_t k = 0; k < nsteps; k++)
    {
        steps[k].increase = increase_over(steps[k].cct, steps[k].bound, 0);
        sum += steps[k].increase / (double)nsteps;
    }
    return sum;
}

/* --- the whole -------------------------------------------------------------------------------- */

/** The steps of each group, where steps wait for those before. */
struct barriers
{
    size_t nsteps;
    size_t *left;    /**< of each step of each group: messages that have not ended */
    int64_t *ends;   /**< the last ACK of each */
    int64_t news;    /**< from that to the next step's beginning */
    size_t *first;   /**< its messages: order[first[k]] .. order[first[k + 1] - 1]; NULL: there are
                        no barriers */
    uint32_t *order; /**< messages, by group and step */
};

static struct barriers
find_barriers(const struct bounding *b)
{
    const struct weft_message *m = b->messages;
    struct barriers bars = {.nsteps = 1};
    size_t ngroups = 1;
    bool any = false;
    for (size_t i = 0; i < b->n; i++)
    {
        bars.nsteps = m[i].step >= bars.nsteps ? m[i].step + (size_t)1 : bars.nsteps;
        ngroups = m[i].group >= ngroups ? m[i].group + (size_t)1 : ngroups;
        any = any || m[i].barrier;
    }
    if (any)
    {
        const size_t n = ngroups * bars.nsteps;
        bars.news = weft_clos_least_delay(&b->s->clos, b->wire.ack);
        bars.left = xcalloc(n, sizeof *bars.left);
        bars.ends = xcalloc(n, sizeof *bars.ends);
        bars.first = xcalloc(n + 1, sizeof *bars.first);
        bars.order = xcalloc(b->n, sizeof *bars.order);
        sort_by_step(b, bars.nsteps, n, bars.first, bars.order);
        for (size_t k = 0; k < n; k++)
        {
            bars.left[k] = bars.first[k + 1] - bars.first[k];
        }
    }
    return bars;
}

/** @p m has ended: whoever waits for all of its step may be released. */
static void
pass_barrier(struct barriers *bars, struct message_walk *w, const struct weft_message *m,
             int64_t acked)
{
    const size_t at = m->group * bars->nsteps + m->step;
    bars->ends[at] = larger(bars->ends[at], acked);
    if (--bars->left[at] > 0 || m->step + (size_t)1 == bars->nsteps)
    {
        return;
    }
    for (size_t i = bars->first[at + 1]; i < bars->first[at + 2]; i++)
    {
        if (w->messages[bars->order[i]].barrier)
        {
            walk_release(w, bars->order[i], later(bars->ends[at], bars->news));
        }
    }
}

/** The last ACK where every message starts as soon as those that it waits for can have ended in an
 * idle fabric. */
static int64_t
chain_bound(const struct bounding *b)
{
    struct barriers bars = find_barriers(b);
    struct message_walk w = walk_begin(b->messages, b->next, b->n, true);
    int64_t last = 0;
    for (size_t i = 0; i < w.n; i++)
    {
        const struct weft_message *m = &b->messages[w.order[i]];
        const struct weft_wire wire = wire_of(b, m);
        const int64_t start = walk_start(&w, w.order[i]);
        const int64_t acked = later(start, exchange_bound(b, m));
        last = larger(last, acked);
        walk_on(&w, m, later(start, weft_message_bound(&wire, m->bytes)));
        if (bars.first)
        {
            pass_barrier(&bars, &w, m, acked);
        }
    }
    walk_end(&w);
    free(bars.left);
    free(bars.ends);
    free(bars.first);
    free(bars.order);
    return last;
}

/** What the workload itself knows of its last ACK, from time 0; -1: nothing. The closest pair of
 * hosts decides how early the first packet can be there. */
static int64_t
own_bound(const struct bounding *b)
{
    const struct weft_workload_ops *ops = b->job->ops;
    const struct weft_hosts all = weft_clos_hosts(&b->s->clos);
    const struct weft_hosts hosts = weft_job_hosts(b->job, &all);
    struct weft_bound_case of = {
        .wire = b->wire, .pace = b->pace, .acked = 1, .ideal_acks = !acks_take_wire(b)};
    for (size_t i = 0; ops->bound && i < b->n; i++)
    {
        const struct weft_message *m = &b->messages[i];
        uint32_t links = weft_clos_hops(&b->s->clos, m->src, m->dst);
        of.wire.links = of.wire.links == 0 || links < of.wire.links ? links : of.wire.links;
    }
    int64_t own = ops->bound && b->wire.rate ? ops->bound(b->job->config, &hosts, &of) : -1;
    return own < 0 ? -1 : later(b->first, own);
}

/** @p chained: every step is an exchange. @p phases: steps wait for those before. -1: no bound is
 * known. */
static int64_t
whole_bound(const struct bounding *b, bool chained, bool phases)
{
    int64_t own = own_bound(b);
    /* Of messages that all go at once this is the time of the farthest pair by itself. */
    int64_t chain = chained && (phases || own >= 0) ? chain_bound(b) : -1;
    return larger(chain, own);
}

/** By how much the messages of a step may start apart: those that nothing holds back, and those
 * whose times count from what they wait for. */
static int64_t
widest_spread(const struct bounding *b)
{
    int64_t widest = 0, least = WEFT_NEVER, most = 0;
    for (size_t i = 0; i < b->n; i++)
    {
        int64_t start = b->messages[i].start;
        if (starts_after(&b->messages[i]))
        {
            least = start < least ? start : least;
            most = larger(most, start);
        }
        else
        {
            widest = larger(widest, start - b->first);
        }
    }
    return larger(widest, most - least);
}

static struct bounding
bound_what(const struct scenario *s, const struct weft_job *job,
           const struct weft_message *messages, const uint32_t *next, size_t n)
{
    struct bounding b = {.s = s, .job = job, .messages = messages, .next = next, .n = n};
    b.first = first_start(messages, n);
    b.spread = widest_spread(&b);
    if (!make_wire(s, &b.wire))
    {
        b.wire.rate = 0;
    }
    b.pace = b.wire.rate;
    return b;
}

/** The steps of messages, of which there is at least one. */
struct stepping
{
    struct step_result *steps;
    size_t nsteps;
    bool phases;  /**< they wait for those before; steps that do not wait for each other are none:
                     all their messages go at once, and messages of one step that wait for each
                     other are no exchange */
    bool chained; /**< every one is an exchange */
    bool acked;   /**< all messages were acknowledged */
};

static struct stepping
step_through(const struct bounding *b, const struct flow_result *flows)
{
    struct stepping t = {.nsteps = 1};
    bool waits = false;
    for (size_t i = 0; i < b->n; i++)
    {
        const struct weft_message *m = &b->messages[i];
        t.nsteps = m->step + 1 > t.nsteps ? m->step + (size_t)1 : t.nsteps;
        waits = waits || m->nnext > 0 || m->barrier;
    }
    t.steps = xcalloc(t.nsteps, sizeof *t.steps);
    t.chained = fill_steps(b, flows, t.nsteps, t.steps, &t.acked);
    t.phases = (t.nsteps > 1) == waits;
    return t;
}

/** The bound of the workload's own form or of its exchanges, else that of any traffic. */
static int64_t
any_bound(const struct bounding *b, const struct stepping *t)
{
    const int64_t bound = whole_bound(b, t->chained, t->phases);
    return bound < 0 ? least_time(b->s, b->messages, b->next, b->n) : bound;
}

int64_t
bound_acked_of_job(const struct scenario *s, const struct weft_job *job,
                   const struct weft_message *messages, const uint32_t *next,
                   const struct flow_result *flows, size_t n)
{
    const struct bounding b = bound_what(s, job, messages, next, n);
    const struct stepping t = step_through(&b, flows);
    free(t.steps);
    return t.acked ? any_bound(&b, &t) : -1;
}

void
collect_steps(const struct scenario *s, const struct weft_message *messages, const uint32_t *next,
              struct run_results *r)
{
    const struct weft_job all = job_of_all(s);
    struct run_summary *sum = &r->summary;
    sum->bound_acked = sum->bound_rho = -1;
    sum->increase = sum->step_increase = sum->increase_rho = NAN;
    struct bounding b = bound_what(s, &all, messages, next, r->nflows);
    const struct stepping t = step_through(&b, r->flows);
    if (s->nworkloads > 1) /* their steps have nothing to do with each other */
    {
        free(t.steps);
        sum->bound_acked = t.acked ? least_time(s, messages, next, r->nflows) : -1;
        sum->increase = increase_over(sum->cct_acked, sum->bound_acked, b.first);
        return;
    }
    const double mean = relate_steps(t.steps, t.nsteps);
    sum->bound_acked = t.acked ? any_bound(&b, &t) : -1;
    sum->increase = increase_over(sum->cct_acked, sum->bound_acked, b.first);
    sum->step_increase = t.nsteps > 1 && t.phases ? mean : NAN;
    b.pace = (int64_t)(sum->rho_max * (double)b.wire.rate);
    sum->bound_rho = t.acked && b.pace > 0 ? whole_bound(&b, t.chained, t.phases) : -1;
    sum->increase_rho = increase_over(sum->cct_acked, sum->bound_rho, b.first);
    r->nsteps = t.nsteps > 1 && t.phases ? t.nsteps : 0;
    r->steps = t.steps;
}
