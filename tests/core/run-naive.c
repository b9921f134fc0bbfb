/* SPDX-License-Identifier: MIT */
#include "run-naive.h"

#include <check.h>
#include <string.h>

#define MOST_LINKS 64U

/* Links as they are, or as forwarding knows them. */
struct links
{
    int32_t down[MOST_LINKS]; /* failures in force */
    int64_t rate[MOST_LINKS];
};

/* Something that happens to links. */
struct change
{
    int64_t at;
    uint64_t link;
    int64_t rate; /* 0: it fails or is repaired */
    int32_t more; /* failures */
};

static struct
{
    struct story *story;
    struct graph *graph;
    struct weft_net *net;
    struct weft_qp *qp[MOST_MESSAGES];
    bool released[MOST_MESSAGES];
    struct links links;
    struct change change[2 * MOST_FAULTS];
    uint32_t nchanges;
    int64_t learns_at[2 * MOST_FAULTS];
    struct links learns[2 * MOST_FAULTS];
    uint32_t nlearns;
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

static void
list_changes(void)
{
    for (uint32_t i = 0; i < naive.story->nfaults; i++)
    {
        const struct fault *f = &naive.story->fault[i];
        const int64_t back = f->rate > 0 ? planned_rate(f->link) : 0;
        naive.change[naive.nchanges++] = (struct change){f->at, f->link, f->rate, 1};
        if (f->repair != WEFT_NEVER)
        {
            naive.change[naive.nchanges++] = (struct change){f->repair, f->link, back, -1};
        }
    }
}

static void
learn(const struct links *links)
{
    static uint64_t dead[MOST_LINKS];
    static struct weft_slow_link slow[MOST_LINKS];
    struct weft_fib_case of = {dead, 0, slow, 0, naive.story->weights};
    for (uint64_t i = 0; i < stage.clos.nlinks; i++)
    {
        if (links->down[i] > 0)
        {
            dead[of.ndead++] = i;
        }
        if (links->rate[i] < planned_rate(i))
        {
            slow[of.nslow++] = (struct weft_slow_link){i, links->rate[i]};
        }
    }
    const bool whole =
        of.ndead == 0 && (of.nslow == 0 || naive.story->weights != WEFT_WEIGHTS_CAPACITY);
    weft_net_set_routes(naive.net, 0, whole ? NULL : stage_fib(&of), whole);
}

/* All that happens to links at an instant. */
static void
change_links(int64_t at)
{
    bool changed = false;
    for (uint32_t i = 0; i < naive.nchanges; i++)
    {
        const struct change *c = &naive.change[i];
        if (c->at != at)
        {
            continue;
        }
        if (c->rate > 0)
        {
            ck_assert_int_eq(weft_net_set_rate(naive.net, c->link, c->rate), 0);
            naive.links.rate[c->link] = c->rate;
            changed = changed || naive.story->weights == WEFT_WEIGHTS_CAPACITY;
            continue;
        }
        const bool was = naive.links.down[c->link] > 0;
        naive.links.down[c->link] += c->more;
        const bool down = naive.links.down[c->link] > 0;
        if (down != was)
        {
            weft_net_set_down(naive.net, c->link, down);
            changed = true;
        }
    }
    if (changed && naive.story->convergence != WEFT_NEVER)
    {
        naive.learns_at[naive.nlearns] = at + naive.story->convergence;
        naive.learns[naive.nlearns++] = naive.links;
    }
    for (uint32_t i = 0; i < naive.nlearns; i++)
    {
        if (naive.learns_at[i] == at)
        {
            learn(&naive.learns[i]);
        }
    }
}

/* When links change next, or forwarding does, after a time. */
static int64_t
next_change(int64_t after)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < naive.nchanges; i++)
    {
        const int64_t at = naive.change[i].at;
        next = at > after && at < next ? at : next;
    }
    for (uint32_t i = 0; i < naive.nlearns; i++)
    {
        const int64_t at = naive.learns_at[i];
        next = at > after && at < next ? at : next;
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
        naive.links.rate[i] = planned_rate(i);
    }
    for (uint32_t i = 0; i < story->graph.is.size.nmessages; i++)
    {
        story->graph.t[i] = (struct weft_message_times){-1, -1, -1, -1, 0, false};
    }
    make_fabric();
    list_changes();
    look_at_all();
    for (int64_t at = -1; (at = next_change(at)) != WEFT_NEVER;)
    {
        weft_net_run(naive.net, at);
        change_links(at);
    }
    weft_net_run(naive.net, LATER);
}
