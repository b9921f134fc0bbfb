/* SPDX-License-Identifier: MIT */
/*
 * Exceptions to structured forwarding while links are down.
 *
 * Whether a port leads to a ToR decomposes: of ToR s towards ToR t, the port to aggregation j leads
 * there if the link is alive, if t still hangs below its own pod's aggregation j, and if
 * aggregation j of both pods have a core in common. So a ToR needs one list for its own dead links,
 * one list per destination ToR that is cut from an aggregation, and a list per pair only where both
 * meet. Aggregations and cores have lists per destination pod, and one per ToR below them. A host's
 * dead link is known to its own ToR alone.
 *
 * One walk over these serves twice: it counts (weft_fib_size), then it writes (weft_fib_build).
 */
#include "topo/fib.h"
#include "topo/clos-shape.h"

#include <string.h>

#include <weft/error.h>

struct walk
{
    const struct weft_clos *clos;
    const uint64_t *dead;
    size_t ndead;
    struct weft_fib *fib; /* NULL: only count */
    uint64_t entries;
    uint64_t words; /* of the pool: counted by full groups, written by what is alive */
};

static bool
any_dead(const struct walk *w, uint64_t first, uint64_t count)
{
    size_t lo = 0;
    size_t hi = w->ndead;
    while (lo < hi)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if (w->dead[mid] < first)
        {
            lo = mid + 1;
        }
        else
        {
            hi = mid;
        }
    }
    return lo < w->ndead && w->dead[lo] - first < count;
}

static bool
all_dead(const struct walk *w, uint64_t first)
{
    for (uint32_t m = 0; m < w->clos->parallel; m++)
    {
        if (!any_dead(w, first + m, 1))
        {
            return false;
        }
    }
    return true;
}

static uint64_t
tor_bundle(const struct walk *w, uint32_t tor, uint32_t j)
{
    return weft_clos_tor_link(w->clos, tor) + (uint64_t)j * w->clos->parallel;
}

static uint64_t
agg_bundle(const struct walk *w, uint32_t pod, uint32_t j, uint32_t u)
{
    return weft_clos_agg_link(w->clos, pod * w->clos->up_tor + j) + (uint64_t)u * w->clos->parallel;
}

static bool
tor_hurt(const struct walk *w, uint32_t tor)
{
    return any_dead(w, tor_bundle(w, tor, 0), (uint64_t)w->clos->up_tor * w->clos->parallel);
}

static bool
agg_hurt(const struct walk *w, uint32_t pod, uint32_t j)
{
    return any_dead(w, agg_bundle(w, pod, j, 0), (uint64_t)w->clos->up_agg * w->clos->parallel);
}

/* Whether a ToR is cut from some aggregation of its pod. */
static bool
tor_cut(const struct walk *w, uint32_t tor)
{
    if (!tor_hurt(w, tor))
    {
        return false;
    }
    for (uint32_t j = 0; j < w->clos->up_tor; j++)
    {
        if (all_dead(w, tor_bundle(w, tor, j)))
        {
            return true;
        }
    }
    return false;
}

/* Whether aggregation j of two pods still have a core in common. */
static bool
joined(const struct walk *w, uint32_t p, uint32_t q, uint32_t j)
{
    if (p == q || (!agg_hurt(w, p, j) && !agg_hurt(w, q, j)))
    {
        return true;
    }
    for (uint32_t u = 0; u < w->clos->up_agg; u++)
    {
        if (!all_dead(w, agg_bundle(w, p, j, u)) && !all_dead(w, agg_bundle(w, q, j, u)))
        {
            return true;
        }
    }
    return false;
}

static bool
pods_split(const struct walk *w, uint32_t p, uint32_t q)
{
    for (uint32_t j = 0; j < w->clos->up_tor; j++)
    {
        if (!joined(w, p, q, j))
        {
            return true;
        }
    }
    return false;
}

static void
add_entry(struct walk *w, uint32_t sw, uint32_t target, uint32_t list)
{
    w->entries++;
    if (w->fib)
    {
        struct weft_fib_entry *e = weft_fib_slot(w->fib, sw, target);
        e->sw = sw;
        e->target = target;
        e->list = list;
    }
}

/* Starts a list that may grow to @p width ports; returns its place. */
static uint32_t
open_list(struct walk *w, uint32_t width)
{
    const uint32_t list = (uint32_t)w->words;
    if (w->fib)
    {
        w->fib->pool[list] = 0;
        w->words++;
    }
    else
    {
        w->words += 1 + (uint64_t)width;
    }
    return list;
}

static void
add_port(struct walk *w, uint32_t list, uint32_t port)
{
    uint16_t *ports = &w->fib->pool[list];
    ports[0]++;
    ports[ports[0]] = (uint16_t)port;
    w->words++;
}

/* Adds the live links of the bundle that starts at link @p first and port @p port. */
static void
add_bundle(struct walk *w, uint32_t list, uint64_t first, uint32_t port)
{
    for (uint32_t m = 0; w->fib && m < w->clos->parallel; m++)
    {
        if (!any_dead(w, first + m, 1))
        {
            add_port(w, list, port + m);
        }
    }
}

/* ToR s towards t. s = ntors: from any intact ToR of t's pod; t = ntors: to any intact one. */
static uint32_t
tor_list(struct walk *w, uint32_t s, uint32_t t)
{
    const struct weft_clos *c = w->clos;
    const bool pair = s < c->ntors && t < c->ntors;
    const uint32_t list = open_list(w, c->up_tor * c->parallel);
    for (uint32_t j = 0; w->fib && j < c->up_tor; j++)
    {
        const uint32_t port = c->hosts_per_tor + j * c->parallel;
        if ((t < c->ntors && all_dead(w, tor_bundle(w, t, j))) ||
            (pair && !joined(w, s / c->tors_per_pod, t / c->tors_per_pod, j)))
        {
            continue;
        }
        if (s < c->ntors)
        {
            add_bundle(w, list, tor_bundle(w, s, j), port);
            continue;
        }
        for (uint32_t m = 0; m < c->parallel; m++)
        {
            add_port(w, list, port + m);
        }
    }
    return list;
}

static void
walk_hosts(struct walk *w)
{
    const struct weft_clos *c = w->clos;
    for (size_t i = 0; i < w->ndead && w->dead[i] < c->nhosts; i++)
    {
        const uint32_t host = (uint32_t)w->dead[i];
        add_entry(w, host / c->hosts_per_tor, c->ntors + c->npods + host, WEFT_FIB_EMPTY);
        if (w->fib)
        {
            w->fib->dead_hosts = true;
        }
    }
}

/* A switch's ports down to one child: what is alive of the bundle that starts at @p first. */
static void
walk_bundle(struct walk *w, uint32_t sw, uint32_t target, uint64_t first, uint32_t port)
{
    if (!any_dead(w, first, w->clos->parallel))
    {
        return;
    }
    uint32_t list = WEFT_FIB_EMPTY;
    if (!all_dead(w, first))
    {
        list = open_list(w, w->clos->parallel);
        add_bundle(w, list, first, port);
    }
    add_entry(w, sw, target, list);
}

static void
walk_tors(struct walk *w)
{
    const struct weft_clos *c = w->clos;
    for (uint32_t tor = 0; tor < c->ntors; tor++)
    {
        if (!tor_hurt(w, tor))
        {
            continue;
        }
        const uint32_t pod = tor / c->tors_per_pod;
        const uint32_t up = tor_list(w, tor, c->ntors);
        const uint32_t cut = tor_cut(w, tor) ? tor_list(w, c->ntors, tor) : WEFT_FIB_NONE;
        for (uint32_t j = 0; j < c->up_tor; j++)
        {
            walk_bundle(w, c->ntors + pod * c->up_tor + j, tor, tor_bundle(w, tor, j),
                        tor % c->tors_per_pod * c->parallel);
        }
        if (w->fib)
        {
            w->fib->up[tor] = up;
            w->fib->cut[tor] = cut;
        }
    }
}

/* Pairs of ToRs in pods p and q for which no single list will do. */
static void
walk_pairs(struct walk *w, uint32_t p, uint32_t q)
{
    const struct weft_clos *c = w->clos;
    const bool split = pods_split(w, p, q);
    for (uint32_t s = p * c->tors_per_pod; s < (p + 1) * c->tors_per_pod; s++)
    {
        if (!split && !tor_hurt(w, s))
        {
            continue;
        }
        for (uint32_t t = q * c->tors_per_pod; t < (q + 1) * c->tors_per_pod; t++)
        {
            if (s != t && (split || tor_cut(w, t)))
            {
                add_entry(w, s, t, tor_list(w, s, t));
            }
        }
    }
    if (w->fib && split)
    {
        w->fib->split = true;
    }
}

/* Aggregation j of pod p towards pod q. */
static void
walk_agg_up(struct walk *w, uint32_t p, uint32_t q, uint32_t j)
{
    const struct weft_clos *c = w->clos;
    if (!agg_hurt(w, p, j) && !agg_hurt(w, q, j))
    {
        return;
    }
    const uint32_t list = open_list(w, c->up_agg * c->parallel);
    for (uint32_t u = 0; w->fib && u < c->up_agg; u++)
    {
        if (!all_dead(w, agg_bundle(w, q, j, u)))
        {
            add_bundle(w, list, agg_bundle(w, p, j, u), (c->tors_per_pod + u) * c->parallel);
        }
    }
    add_entry(w, c->ntors + p * c->up_tor + j, c->ntors + q, list);
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
                        agg_bundle(w, pod, j, u), pod * c->parallel);
        }
    }
}

static void
walk_all(struct walk *w)
{
    w->entries = 0;
    w->words = WEFT_FIB_EMPTY + 1;
    walk_hosts(w);
    walk_tors(w);
    for (uint32_t p = 0; p < w->clos->npods; p++)
    {
        for (uint32_t q = 0; q < w->clos->npods; q++)
        {
            walk_pairs(w, p, q);
        }
        if (w->clos->tiers == 3)
        {
            walk_aggs(w, p);
        }
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
start(struct walk *w, const struct weft_clos *clos, const uint64_t *dead, size_t ndead)
{
    w->clos = clos;
    w->dead = dead;
    w->ndead = ndead;
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
    const uint64_t size =
        sizeof(struct weft_fib) + 2 * (uint64_t)w->clos->ntors * sizeof(uint32_t) +
        dead_words(w->clos) * sizeof(uint64_t) +
        slots_for(w->entries) * sizeof(struct weft_fib_entry) + w->words * sizeof(uint16_t);
    return (int64_t)((size + 7) & ~UINT64_C(7));
}

int64_t
weft_fib_size(const struct weft_clos *clos, const uint64_t *dead, size_t ndead)
{
    struct walk w;
    start(&w, clos, dead, ndead);
    return bytes_of(&w);
}

static bool
sound(const struct weft_clos *clos, const uint64_t *dead, size_t ndead)
{
    for (size_t i = 0; i < ndead; i++)
    {
        if (dead[i] >= clos->nlinks || (i > 0 && dead[i] <= dead[i - 1]))
        {
            return false;
        }
    }
    return true;
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
    fib->dead = (uint64_t *)(fib + 1);
    for (size_t i = 0; i < w->ndead; i++)
    {
        fib->dead[w->dead[i] >> 6] |= UINT64_C(1) << (w->dead[i] & 63U);
    }
    fib->up = (uint32_t *)(fib->dead + dead_words(w->clos));
    fib->cut = fib->up + ntors;
    fib->at = (struct weft_fib_entry *)(fib->cut + ntors);
    fib->pool = (uint16_t *)(fib->at + slots);
}

struct weft_fib *
weft_fib_build(void *memory, size_t size, const struct weft_clos *clos, const uint64_t *dead,
               size_t ndead)
{
    struct walk w;
    if (!sound(clos, dead, ndead))
    {
        return NULL;
    }
    start(&w, clos, dead, ndead);
    const int64_t need = bytes_of(&w);
    if (need < 0 || (uint64_t)need > size)
    {
        return NULL;
    }
    struct weft_fib *fib = (struct weft_fib *)memory;
    lay_out(fib, &w);
    w.fib = fib;
    walk_all(&w);
    return fib;
}
