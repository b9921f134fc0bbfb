/* SPDX-License-Identifier: MIT */
/*
 * Exceptions to structured forwarding while links are down.
 *
 * How many paths a port leads to decomposes. From ToR s in pod p to ToR t in pod q by aggregation j
 * they are as many as lead from aggregation j of p to that of q, times the links from the latter
 * down to t; none if the link from s is dead. So ToRs fall into classes: the intact ones of each
 * pod, and each one that has lost a link upwards; one list serves a pair of classes, and none is
 * needed where all ports weigh the same. Aggregations and cores have lists per destination pod, and
 * one per ToR below them that has lost a link. A host's dead link is known to its own ToR alone.
 *
 * Weighted by capacity, a path counts as much as its slowest link. The sum of that over paths is,
 * added up over all capacities x that links have, the paths whose links all have x or more, times
 * what x is above the next smaller one. So everything counts paths, level by level: below x a
 * degraded link is as good as dead.
 *
 * One walk over these serves twice: it counts (weft_fib_size_for), then it writes
 * (weft_fib_build_for).
 */
#include "topo/fib-walk.h"

#include <string.h>

#include <weft/error.h>

static uint64_t
tor_bundle(const struct walk *w, uint32_t tor, uint32_t j)
{
    return weft_clos_tor_link(w->clos, tor) + (uint64_t)j * w->clos->parallel;
}

static uint64_t
agg_bundle(const struct walk *w, uint32_t pod, uint32_t j, uint32_t u)
{
    return weft_clos_agg_link(w->clos, pod * w->clos->up_tor + j) +
           (uint64_t)u * w->clos->core_parallel;
}

/* Links alive from ToR @p tor to aggregation j. */
static uint32_t
live_tor_links(const struct walk *w, uint32_t tor, uint32_t j)
{
    return w->clos->parallel - count_dead(w, tor_bundle(w, tor, j), w->clos->parallel);
}

/* Links alive from aggregation j of a pod to its core u. */
static uint32_t
live_agg_links(const struct walk *w, uint32_t pod, uint32_t j, uint32_t u)
{
    return w->clos->core_parallel - count_dead(w, agg_bundle(w, pod, j, u), w->clos->core_parallel);
}

static bool
tor_hurt(const struct walk *w, uint32_t tor)
{
    return count_dead(w, tor_bundle(w, tor, 0), (uint64_t)w->clos->up_tor * w->clos->parallel) > 0;
}

static bool
agg_hurt(const struct walk *w, uint32_t pod, uint32_t j)
{
    return count_dead(w, agg_bundle(w, pod, j, 0),
                      (uint64_t)w->clos->up_agg * w->clos->core_parallel) > 0;
}

/* The list for the weights of the @p n ports from @p first on; WEFT_FIB_NONE if all weigh the same.
 */
static uint32_t
put_list(struct walk *w, uint32_t first, uint32_t n)
{
    struct weft_fib_rounds r;
    const uint32_t list = (uint32_t)w->words;
    weft_fib_reduce(w->weight, n, w->of.weights != WEFT_WEIGHTS_NONE, &r);
    if (r.ports == 0)
    {
        return WEFT_FIB_EMPTY;
    }
    if (r.total == n && r.ports == n)
    {
        return WEFT_FIB_NONE;
    }
    if (w->fib)
    {
        weft_fib_write(&r, w->weight, NULL, first, n, &w->fib->pool[w->words]);
    }
    w->words += weft_fib_words(&r);
    return list;
}

static void
add_entry(struct walk *w, uint32_t sw, uint32_t target, uint32_t list)
{
    if (list == WEFT_FIB_NONE)
    {
        return;
    }
    w->entries++;
    if (w->fib)
    {
        struct weft_fib_entry *e = weft_fib_slot(w->fib, sw, target);
        e->sw = sw;
        e->target = target;
        e->list = list;
    }
}

static void
walk_hosts(struct walk *w)
{
    const struct weft_clos *c = w->clos;
    for (size_t i = 0; i < w->of.ndead && w->of.dead[i] < c->nhosts; i++)
    {
        const uint32_t host = (uint32_t)w->of.dead[i];
        add_entry(w, host / c->hosts_per_tor, c->ntors + c->npods + host, WEFT_FIB_EMPTY);
        if (w->fib)
        {
            w->fib->dead_hosts = true;
        }
    }
}

/* A switch's @p n ports down to one child: what is alive of the links from number @p first on. */
static void
walk_bundle(struct walk *w, uint32_t sw, uint32_t target, uint64_t first, uint32_t n, uint32_t port)
{
    if (count_dead(w, first, n) == 0)
    {
        return;
    }
    begin_weights(w, n);
    for (uint32_t step = take_level(w); step > 0; step = take_level(w))
    {
        for (uint32_t m = 0; m < n; m++)
        {
            w->part[m] = 1;
        }
        clear_dead(w, first, n);
        add_level(w, n, step);
    }
    add_entry(w, sw, target, put_list(w, port, n));
}

/* The classes of ToRs, and their aggregations' ports down to those that have lost a link. */
static void
walk_tors(struct walk *w)
{
    const struct weft_clos *c = w->clos;
    w->nhurt = 0;
    for (uint32_t tor = 0; tor < c->ntors; tor++)
    {
        const uint32_t pod = tor / c->tors_per_pod;
        const bool hurt = tor_hurt(w, tor);
        if (w->fib)
        {
            w->fib->class_of[tor] = hurt ? c->npods + w->nhurt : pod;
        }
        w->nhurt += hurt;
        for (uint32_t j = 0; hurt && j < c->up_tor; j++)
        {
            walk_bundle(w, c->ntors + pod * c->up_tor + j, tor, tor_bundle(w, tor, j), c->parallel,
                        tor % c->tors_per_pod * c->parallel);
        }
    }
}

/* Paths between aggregations j of two pods; 1 within a pod. */
static uint32_t
joint_paths(const struct walk *w, uint32_t p, uint32_t q, uint32_t j)
{
    const struct weft_clos *c = w->clos;
    if (p == q)
    {
        return 1;
    }
    if (!agg_hurt(w, p, j) && !agg_hurt(w, q, j))
    {
        return c->up_agg * c->core_parallel * c->core_parallel;
    }
    uint32_t paths = 0;
    for (uint32_t u = 0; u < c->up_agg; u++)
    {
        paths += live_agg_links(w, p, j, u) * live_agg_links(w, q, j, u);
    }
    return paths;
}

/* Paths between the aggregations of two pods at the level in hand. */
static void
fill_joint(struct walk *w, uint32_t p, uint32_t q)
{
    for (uint32_t j = 0; j < w->clos->up_tor; j++)
    {
        w->joint[j] = joint_paths(w, p, q, j);
    }
}

/* Fills the exceptions down to ToR t of the second pod (ntors: an intact one). */
static void
fill_via(struct walk *w, uint32_t t)
{
    const struct weft_clos *c = w->clos;
    for (uint32_t j = 0; j < c->up_tor; j++)
    {
        const uint32_t down = t < c->ntors ? live_tor_links(w, t, j) : c->parallel;
        w->via[j] = (uint64_t)w->joint[j] * down;
    }
}

/* From ToR s of pod p (ntors: an intact one) to ToR t of pod q. */
static uint32_t
tor_list(struct walk *w, uint32_t p, uint32_t s, uint32_t q, uint32_t t)
{
    const struct weft_clos *c = w->clos;
    const uint32_t n = c->up_tor * c->parallel;
    begin_weights(w, n);
    for (uint32_t step = take_level(w); step > 0; step = take_level(w))
    {
        if (w->of.nslow > 0)
        {
            fill_joint(w, p, q);
            fill_via(w, t);
        }
        for (uint32_t i = 0; i < n; i++)
        {
            w->part[i] = w->via[i / c->parallel];
        }
        if (s < c->ntors)
        {
            clear_dead(w, tor_bundle(w, s, 0), n);
        }
        add_level(w, n, step);
    }
    return put_list(w, c->hosts_per_tor, n);
}

/* From every class of pod p, whose own ones begin at @p own, to ToR t of pod q (ntors: an intact
 * one). */
static void
walk_sources(struct walk *w, uint32_t p, uint32_t own, uint32_t q, uint32_t t, uint32_t to)
{
    const struct weft_clos *c = w->clos;
    fill_via(w, t);
    for (uint32_t i = 0; i <= c->tors_per_pod; i++)
    {
        const uint32_t s = i > 0 ? p * c->tors_per_pod + i - 1 : c->ntors;
        if (i > 0 && !tor_hurt(w, s))
        {
            continue;
        }
        const uint32_t from = i > 0 ? own++ : p;
        const uint32_t list = i > 0 && s == t ? WEFT_FIB_NONE : tor_list(w, p, s, q, t);
        if (w->fib)
        {
            w->fib->tor_lists[(size_t)from * w->fib->nclasses + to] = list;
        }
    }
}

static void
walk_pods(struct walk *w, uint32_t p, uint32_t own_p, uint32_t q, uint32_t own_q)
{
    const struct weft_clos *c = w->clos;
    fill_joint(w, p, q);
    for (uint32_t i = 0; i <= c->tors_per_pod; i++)
    {
        const uint32_t t = i > 0 ? q * c->tors_per_pod + i - 1 : c->ntors;
        if (i == 0 || tor_hurt(w, t))
        {
            walk_sources(w, p, own_p, q, t, i > 0 ? own_q++ : q);
        }
    }
}

static uint32_t
count_hurt(const struct walk *w, uint32_t pod)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->clos->tors_per_pod; i++)
    {
        n += tor_hurt(w, pod * w->clos->tors_per_pod + i);
    }
    return n;
}

static void
walk_tor_lists(struct walk *w)
{
    uint32_t own_p = w->clos->npods;
    for (uint32_t p = 0; p < w->clos->npods; p++)
    {
        uint32_t own_q = w->clos->npods;
        for (uint32_t q = 0; q < w->clos->npods; q++)
        {
            walk_pods(w, p, own_p, q, own_q);
            own_q += count_hurt(w, q);
        }
        own_p += count_hurt(w, p);
    }
}

/* Aggregation j of pod p towards pod q. */
static void
walk_agg_up(struct walk *w, uint32_t p, uint32_t q, uint32_t j)
{
    const struct weft_clos *c = w->clos;
    const uint32_t n = c->up_agg * c->core_parallel;
    if (!agg_hurt(w, p, j) && !agg_hurt(w, q, j))
    {
        return;
    }
    begin_weights(w, n);
    for (uint32_t step = take_level(w); step > 0; step = take_level(w))
    {
        for (uint32_t i = 0; i < n; i++)
        {
            w->part[i] = live_agg_links(w, q, j, i / c->core_parallel);
        }
        clear_dead(w, agg_bundle(w, p, j, 0), n);
        add_level(w, n, step);
    }
    add_entry(w, c->ntors + p * c->up_tor + j, c->ntors + q,
              put_list(w, c->tors_per_pod * c->parallel, n));
}

static void
walk_aggs(struct walk *w, uint32_t pod)
{
    const struct weft_clos *c = w->clos;
    for (uint32_t j = 0; j < c->up_tor; j++)
    {
        for (uint32_t q = 0; q < c->npods; q++)
        {
            if (q != pod)
            {
                walk_agg_up(w, pod, q, j);
            }
        }
        for (uint32_t u = 0; u < c->up_agg; u++)
        {
            walk_bundle(w, c->ntors + c->naggs + j * c->up_agg + u, c->ntors + pod,
                        agg_bundle(w, pod, j, u), c->core_parallel, pod * c->core_parallel);
        }
    }
}

static void
walk_all(struct walk *w)
{
    w->entries = 0;
    w->words = WEFT_FIB_EMPTY + WEFT_FIB_HEAD;
    walk_hosts(w);
    walk_tors(w);
    walk_tor_lists(w);
    for (uint32_t p = 0; w->clos->tiers == 3 && p < w->clos->npods; p++)
    {
        walk_aggs(w, p);
    }
}

/* Twice as many slots as entries at least, and always a free one. */
static uint64_t
slots_for(uint64_t entries)
{
    uint64_t slots = 1;
    while (slots < 2 * entries + 1)
    {
        slots *= 2;
    }
    return slots;
}

static void
start(struct walk *w, const struct weft_clos *clos, const struct weft_fib_case *of)
{
    w->clos = clos;
    w->of = *of;
    w->of.nslow = of->weights == WEFT_WEIGHTS_CAPACITY ? of->nslow : 0;
    w->level = WHOLE;
    w->fib = NULL;
    walk_all(w);
}

static uint64_t
dead_words(const struct weft_clos *clos)
{
    return clos->nlinks / 64 + 1;
}

static int64_t
bytes_of(const struct walk *w)
{
    if (w->entries > UINT32_MAX / 4 || w->words > UINT32_MAX)
    {
        return WEFT_EOVERFLOW;
    }
    const uint64_t classes = (uint64_t)w->clos->npods + w->nhurt;
    const uint64_t size =
        sizeof(struct weft_fib) + (w->clos->ntors + classes * classes) * sizeof(uint32_t) +
        dead_words(w->clos) * sizeof(uint64_t) +
        slots_for(w->entries) * sizeof(struct weft_fib_entry) + w->words * sizeof(uint16_t);
    return (int64_t)((size + 7) & ~UINT64_C(7));
}

static int
check(const struct weft_clos *clos, const struct weft_fib_case *of)
{
    const int error = clos->graph ? 0 : weft_clos_check(clos);
    for (size_t i = 0; !error && i < of->ndead; i++)
    {
        if (of->dead[i] >= clos->nlinks || (i > 0 && of->dead[i] <= of->dead[i - 1]))
        {
            return WEFT_ERANGE;
        }
    }
    for (size_t i = 0; !error && i < of->nslow; i++)
    {
        if (of->slow[i].link >= clos->nlinks || of->slow[i].rate < 1 ||
            (i > 0 && of->slow[i].link <= of->slow[i - 1].link))
        {
            return WEFT_ERANGE;
        }
    }
    return error;
}

int64_t
weft_fib_size_for(const struct weft_clos *clos, const struct weft_fib_case *of)
{
    struct walk w;
    const int error = check(clos, of);
    if (error || clos->graph)
    {
        return error ? error : weft_graph_fib_size(clos->graph, of);
    }
    start(&w, clos, of);
    return bytes_of(&w);
}

static void
lay_out(struct weft_fib *fib, const struct walk *w)
{
    const uint32_t ntors = w->clos->ntors;
    const uint64_t slots = slots_for(w->entries);
    memset(fib, 0, (size_t)bytes_of(w));
    fib->clos = *w->clos;
    weft_clos_switch(w->clos, ntors, &fib->by_tor);
    weft_clos_switch(w->clos, w->clos->nswitches - 1, &fib->by_pod);
    fib->mask = (uint32_t)(slots - 1);
    fib->nclasses = w->clos->npods + w->nhurt;
    fib->dead = (uint64_t *)(fib + 1);
    for (size_t i = 0; i < w->of.ndead; i++)
    {
        fib->dead[w->of.dead[i] >> 6] |= UINT64_C(1) << (w->of.dead[i] & 63U);
    }
    fib->at = (struct weft_fib_entry *)(fib->dead + dead_words(w->clos));
    fib->class_of = (uint32_t *)(fib->at + slots);
    fib->tor_lists = fib->class_of + ntors;
    fib->pool = (uint16_t *)(fib->tor_lists + (size_t)fib->nclasses * fib->nclasses);
}

int
weft_fib_build_for(struct weft_fib *fib, size_t size, const struct weft_clos *clos,
                   const struct weft_fib_case *of)
{
    struct walk w;
    const int error = check(clos, of);
    if (error || clos->graph)
    {
        return error ? error : weft_graph_fib_build(fib, size, clos, of);
    }
    start(&w, clos, of);
    const int64_t need = bytes_of(&w);
    if (need < 0 || (uint64_t)need > size)
    {
        return need < 0 ? (int)need : (int)WEFT_ENOMEM;
    }
    lay_out(fib, &w);
    w.fib = fib;
    walk_all(&w);
    return 0;
}

static struct weft_fib_case
case_of(const uint64_t *dead, size_t ndead, bool weighted)
{
    return (struct weft_fib_case){dead, ndead, NULL, 0,
                                  weighted ? WEFT_WEIGHTS_PATHS : WEFT_WEIGHTS_NONE};
}

int64_t
weft_fib_size(const struct weft_clos *clos, const uint64_t *dead, size_t ndead, bool weighted)
{
    const struct weft_fib_case of = case_of(dead, ndead, weighted);
    return weft_fib_size_for(clos, &of);
}

int
weft_fib_build(struct weft_fib *fib, size_t size, const struct weft_clos *clos,
               const uint64_t *dead, size_t ndead, bool weighted)
{
    const struct weft_fib_case of = case_of(dead, ndead, weighted);
    return weft_fib_build_for(fib, size, clos, &of);
}
