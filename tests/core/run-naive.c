/* SPDX-License-Identifier: MIT */
#include "run-naive.h"

#include <check.h>
#include <string.h>

#define MOST_LINKS   64U
#define MOST_OUTAGES 4096U

/* A time in which a fault has its effect. */
struct outage
{
    uint32_t fault;
    int64_t begin, end;
    bool acts;
};

/* A link as what happens makes it; [0]: upwards, [1]: downwards. */
struct state
{
    bool down[2];
    int64_t rate[2], delay[2];
};

static struct
{
    struct story *story;
    struct graph *graph;
    struct weft_net *net;
    struct weft_qp *qp[MOST_MESSAGES];
    bool released[MOST_MESSAGES];
    struct outage outage[MOST_OUTAGES];
    uint32_t noutages;
    struct state link[MOST_LINKS];
    int64_t since[2][MOST_LINKS]; /* its state of being down, its rate */
    bool known_down[MOST_LINKS];
    int64_t known_rate[MOST_LINKS];
} naive;

static int64_t
way(uint32_t from, uint32_t to)
{
    return weft_clos_way(&stage.clos, from, to, stage.net.frame.ack);
}

/* When the sender of a message knew that it is there; -1: not yet. */
static int64_t
settled(uint32_t i)
{
    const struct weft_message_times *t = &naive.graph->t[i];
    const struct weft_message *m = &naive.graph->m[i];
    const int64_t both = t->asked > t->delivered ? t->asked : t->delivered;
    return t->acked >= 0                    ? t->acked
           : t->failed && t->delivered >= 0 ? both + way(m->dst, m->src)
                                            : -1;
}

static int64_t
later(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

/* When all that a message waits for is done; -1: it is not. */
static int64_t
ready(uint32_t i)
{
    const struct graph *g = naive.graph;
    const struct weft_message *m = &g->m[i];
    int64_t at = 0, step = 0;
    for (uint32_t k = 0; k < g->nwaits; k++)
    {
        const uint32_t before = g->before[k];
        if (g->after[k] == i)
        {
            at = later(at, g->m[before].src == m->src ? settled(before) : g->t[before].delivered);
        }
    }
    for (uint32_t k = 0; m->barrier && k < g->is.size.nmessages; k++)
    {
        if (g->m[k].group == m->group && g->m[k].step + 1 == m->step)
        {
            step = later(step, settled(k));
        }
    }
    const int64_t news = m->barrier ? weft_clos_least_delay(&stage.clos, stage.net.frame.ack) : 0;
    return later(at, step < 0 ? step : step + news);
}

static void
look_at_all(void)
{
    struct graph *g = naive.graph;
    for (uint32_t i = 0; i < g->is.size.nmessages; i++)
    {
        const struct weft_message *m = &g->m[i];
        const int64_t since = naive.released[i] ? -1 : ready(i);
        if (since >= 0)
        {
            const int64_t start = since > m->start ? since : m->start;
            naive.released[i] = true;
            g->t[i].posted = m->barrier || m->delayed ? since + m->start : start;
            weft_net_post(naive.net, naive.qp[m->qp], m->bytes, i, g->t[i].posted, i);
        }
    }
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    naive.graph->t[tag].delivered = now;
    look_at_all();
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    naive.graph->t[tag].acked = now;
    look_at_all();
}

static void
failed(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    naive.graph->t[tag].failed = true;
    naive.graph->t[tag].asked = now + way(naive.graph->m[tag].src, naive.graph->m[tag].dst);
    look_at_all();
}

/* Makes the fabric with a QP for each of the graph's, which share the hosts' lines. */
static void
make_fabric(void)
{
    struct weft_net_config config = stage.net;
    struct weft_flow flows[MOST_MESSAGES];
    const struct weft_message *first[MOST_MESSAGES] = {NULL};
    uint32_t starters[MOST_LINKS] = {0};
    const uint32_t nqps = naive.graph->is.size.nqps;
    config.hooks =
        (struct weft_net_hooks){.delivered = delivered, .acked = acked, .failed = failed};
    ck_assert_int_eq(weft_net_make(&naive.net, &config, NULL), 0);
    for (uint32_t i = naive.graph->is.size.nmessages; i-- > 0;)
    {
        first[naive.graph->m[i].qp] = &naive.graph->m[i];
    }
    for (uint32_t i = 0; i < nqps; i++)
    {
        flows[i] = (struct weft_flow){first[i]->src, first[i]->dst};
        starters[first[i]->src] += first[i]->waits == 0;
    }
    const struct weft_fib_case whole = {.weights = WEFT_WEIGHTS_NONE};
    weft_net_set_share(naive.net, 0, stage_share(flows, nqps, &whole, WEFT_SPLIT_PATH));
    for (uint32_t i = 0; i < nqps; i++)
    {
        const uint32_t src = first[i]->src, dst = first[i]->dst;
        const uint32_t bdp = weft_net_bdp(naive.net, src, dst, starters[src]);
        const struct weft_net_qp_site site = {.src = src, .dst = dst, .bdp = bdp, .stream = i};
        ck_assert_int_eq(weft_net_add_qp(naive.net, &site, &naive.qp[i], NULL), 0);
    }
}

static int64_t
planned_rate(uint64_t link)
{
    struct weft_link of;
    weft_clos_link(&stage.clos, link, &of);
    return of.rate;
}

/* Lists the outages of all faults, each of its own times. */
static void
list_outages(void)
{
    for (uint32_t i = 0; i < naive.story->nfaults; i++)
    {
        const struct weft_fault *f = &naive.story->fault[i].is;
        int64_t at = f->at;
        for (uint64_t n = 0; (n == 0 || (f->down && at < f->repair && at <= LATER)) &&
                             (f->count == 0 || n < f->count);
             n++)
        {
            const int64_t end = f->down && at + f->down < f->repair ? at + f->down : f->repair;
            ck_assert_uint_lt(naive.noutages, MOST_OUTAGES);
            naive.outage[naive.noutages++] = (struct outage){i, at, end, false};
            at += f->down + f->up;
        }
    }
}

static bool
is_lossy(const struct weft_fault *f)
{
    return f->effect == WEFT_FAULT_LOSSY || f->effect == WEFT_FAULT_CORRUPTING;
}

static void
add_effect(struct state *state, const struct weft_fault *f)
{
    for (int way = 0; way < 2; way++)
    {
        const bool has = f->direction != (way ? WEFT_UPWARDS : WEFT_DOWNWARDS);
        state->down[way] = state->down[way] || (has && f->effect == WEFT_FAULT_DOWN);
        state->delay[way] += has && f->effect == WEFT_FAULT_DELAYED ? f->delay : 0;
        if (has && f->effect == WEFT_FAULT_SLOW && f->rate < state->rate[way])
        {
            state->rate[way] = f->rate;
        }
    }
}

static struct state
look_at(uint64_t link)
{
    struct state state = {.rate = {planned_rate(link), planned_rate(link)}};
    for (uint32_t i = 0; i < naive.noutages; i++)
    {
        const struct fault *f = &naive.story->fault[naive.outage[i].fault];
        for (size_t k = 0; k < f->is.nlinks && naive.outage[i].acts; k++)
        {
            if (f->links[k] == link)
            {
                add_effect(&state, &f->is);
                break; /* named twice it is one */
            }
        }
    }
    return state;
}

static int64_t
least(const struct state *s)
{
    return s->rate[0] < s->rate[1] ? s->rate[0] : s->rate[1];
}

static void
set_link(uint64_t link, int64_t at)
{
    const struct state was = naive.link[link], is = look_at(link);
    for (int way = 0; way < 2; way++)
    {
        const enum weft_direction to = way ? WEFT_DOWNWARDS : WEFT_UPWARDS;
        ck_assert_int_eq(weft_net_set_way_rate(naive.net, link, to, is.rate[way]), 0);
        weft_net_set_way_delay(naive.net, link, to, is.delay[way]);
        weft_net_set_way_down(naive.net, link, to, is.down[way]);
    }
    if ((is.down[0] || is.down[1]) != (was.down[0] || was.down[1]))
    {
        naive.since[0][link] = at;
    }
    naive.since[1][link] = least(&is) == least(&was) ? naive.since[1][link] : at;
    naive.link[link] = is;
}

/* Outages begin, or end, at an instant. */
static void
change_links(int64_t at, bool begin)
{
    for (uint32_t i = 0; i < naive.noutages; i++)
    {
        struct outage *o = &naive.outage[i];
        const struct fault *f = &naive.story->fault[o->fault];
        if ((begin ? o->begin : o->end) != at)
        {
            continue;
        }
        o->acts = begin;
        for (size_t k = 0; k < f->is.nlinks && is_lossy(&f->is); k++)
        {
            weft_net_set_losses(naive.net, f->links[k], f->is.direction, o->fault + 1,
                                begin ? &f->is.losses : NULL,
                                f->is.effect == WEFT_FAULT_CORRUPTING);
        }
    }
    for (uint64_t link = 0; link < stage.clos.nlinks; link++)
    {
        set_link(link, at);
    }
}

static void
route(void)
{
    static uint64_t dead[MOST_LINKS];
    static struct weft_slow_link slow[MOST_LINKS];
    struct weft_fib_case of = {dead, 0, slow, 0, naive.story->weights};
    for (uint64_t i = 0; i < stage.clos.nlinks; i++)
    {
        if (naive.known_down[i])
        {
            dead[of.ndead++] = i;
        }
        if (naive.known_rate[i] < planned_rate(i))
        {
            slow[of.nslow++] = (struct weft_slow_link){i, naive.known_rate[i]};
        }
    }
    const bool whole =
        of.ndead == 0 && (of.nslow == 0 || naive.story->weights != WEFT_WEIGHTS_CAPACITY);
    weft_net_set_routes(naive.net, 0, whole ? NULL : stage_fib(&of), whole);
}

static bool
has_lasted(int64_t since, bool recovers, int64_t at)
{
    const struct story *s = naive.story;
    const int64_t delay = recovers ? s->recovery : s->convergence;
    return delay != WEFT_NEVER && at - since >= delay;
}

/* Forwarding learns of what has lasted. */
static void
learn(int64_t at)
{
    bool learns = false;
    for (uint64_t i = 0; i < stage.clos.nlinks; i++)
    {
        const struct state *is = &naive.link[i];
        const bool down = is->down[0] || is->down[1];
        const int64_t rate = least(is);
        if (down != naive.known_down[i] && has_lasted(naive.since[0][i], !down, at))
        {
            naive.known_down[i] = down;
            learns = true;
        }
        if (naive.story->weights == WEFT_WEIGHTS_CAPACITY && rate != naive.known_rate[i] &&
            has_lasted(naive.since[1][i], rate > naive.known_rate[i], at))
        {
            naive.known_rate[i] = rate;
            learns = true;
        }
    }
    if (learns)
    {
        route();
    }
}

static int64_t
sooner(int64_t next, int64_t at, int64_t after)
{
    return at > after && at < next ? at : next;
}

/* When links change next, or have been so for as long as forwarding waits, after a time. */
static int64_t
next_change(int64_t after)
{
    const int64_t delays[] = {naive.story->convergence, naive.story->recovery};
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < naive.noutages; i++)
    {
        next = sooner(next, naive.outage[i].begin, after);
        next = sooner(next, naive.outage[i].end, after);
    }
    for (uint64_t i = 0; i < 4 * stage.clos.nlinks; i++)
    {
        const int64_t delay = delays[i & 1U];
        if (delay != WEFT_NEVER)
        {
            next = sooner(next, naive.since[i >> 1 & 1U][i / 4] + delay, after);
        }
    }
    return next;
}

void
naive_run(struct story *story)
{
    memset(&naive, 0, sizeof naive);
    naive.story = story;
    naive.graph = &story->graph;
    ck_assert_uint_le(stage.clos.nlinks, MOST_LINKS);
    for (uint64_t i = 0; i < stage.clos.nlinks; i++)
    {
        naive.known_rate[i] = planned_rate(i);
        naive.link[i] = look_at(i);
    }
    for (uint32_t i = 0; i < story->graph.is.size.nmessages; i++)
    {
        story->graph.t[i] = (struct weft_message_times){-1, -1, -1, -1, 0, false};
    }
    make_fabric();
    list_outages();
    look_at_all();
    for (int64_t at = -1; (at = next_change(at)) != WEFT_NEVER;)
    {
        weft_net_run(naive.net, at);
        change_links(at, true);
        change_links(at, false);
        learn(at);
    }
    weft_net_run(naive.net, LATER);
}
