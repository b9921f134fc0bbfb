/* SPDX-License-Identifier: MIT */
/*
 * Forwarding in a graph: for each switch and each switch with hosts, a list of ports. Rows of one
 * switch that are alike share their list. One walk serves twice, as for a Clos (fib.c): it counts,
 * then it writes.
 */
#include "topo/fib.h"
#include "topo/graph-distance.h"

#include <string.h>

#include <weft/error.h>

struct rows
{
    const struct weft_graph *g;
    struct weft_fib *fib; /* NULL: only count */
    uint64_t words;       /* of the pool */
    uint32_t nports;      /* of the list in hand */
    uint16_t list[WEFT_MAX_PORTS];
};

/* A slot of the switch in hand holds a row, by its group, whose list others may share: 1 + group;
 * 0: it is free. @p theirs: room for that row's ports. */
static uint32_t *
find_slot(const struct rows *r, uint32_t s, uint16_t *theirs)
{
    const struct weft_graph *g = r->g;
    uint64_t hash = r->nports;
    for (uint32_t i = 0; i < r->nports; i++)
    {
        hash = weft_mix64(hash ^ r->list[i]);
    }
    for (uint32_t i = (uint32_t)hash & (g->nslots - 1);; i = (i + 1) & (g->nslots - 1))
    {
        const uint32_t group = g->slots[i] - 1;
        if (g->slots[i] == 0)
        {
            return &g->slots[i];
        }
        const uint32_t n = weft_graph_candidates(g, g->scratch + (size_t)group * g->nswitches,
                                                 r->g->dead, s, theirs);
        if (n == r->nports && memcmp(theirs, r->list, n * sizeof *theirs) == 0)
        {
            return &g->slots[i];
        }
    }
}

static uint32_t
add_list(struct rows *r)
{
    const uint32_t place = (uint32_t)r->words;
    if (r->fib)
    {
        uint16_t *to = &r->fib->pool[r->words];
        to[0] = (uint16_t)r->nports;
        to[1] = (uint16_t)r->nports;
        to[2] = (uint16_t)r->nports;
        memcpy(to + WEFT_FIB_HEAD, r->list, r->nports * sizeof *to);
    }
    r->words += WEFT_FIB_HEAD + r->nports;
    return place;
}

static void
walk_switch(struct rows *r, uint32_t s)
{
    const struct weft_graph *g = r->g;
    uint16_t theirs[WEFT_MAX_PORTS];
    memset(g->slots, 0, g->nslots * sizeof *g->slots);
    for (uint32_t group = 0; group < g->ngroups; group++)
    {
        const uint16_t *distance = g->scratch + (size_t)group * g->nswitches;
        uint32_t place = WEFT_FIB_EMPTY;
        r->nports = weft_graph_candidates(g, distance, r->g->dead, s, r->list);
        if (r->nports > 0)
        {
            uint32_t *slot = find_slot(r, s, theirs);
            const bool known = *slot != 0;
            place = !known   ? add_list(r)
                    : r->fib ? r->fib->rows[(size_t)s * g->ngroups + *slot - 1]
                             : WEFT_FIB_EMPTY;
            *slot = known ? *slot : group + 1;
        }
        if (r->fib)
        {
            r->fib->rows[(size_t)s * g->ngroups + group] = place;
        }
    }
}

static void
walk_all(struct rows *r, const struct weft_fib_case *of)
{
    if (of->weights == WEFT_WEIGHTS_CAPACITY)
    {
        r->words = weft_graph_weigh(r->g, of, r->fib);
        return;
    }
    r->words = WEFT_FIB_EMPTY + WEFT_FIB_HEAD;
    for (uint32_t s = 0; s < r->g->nswitches; s++)
    {
        walk_switch(r, s);
    }
}

static uint64_t
dead_words(const struct weft_graph *g)
{
    return g->nlinks / 64 + 1;
}

/* Writes what all walks go by into the graph's own memory: dead links, and distances without them.
 * */
static void
take_down(const struct weft_graph *g, const struct weft_fib_case *of)
{
    memset(g->dead, 0, (size_t)dead_words(g) * sizeof *g->dead);
    for (size_t i = 0; i < of->ndead; i++)
    {
        g->dead[of->dead[i] >> 6] |= UINT64_C(1) << (of->dead[i] & 63U);
    }
    weft_graph_all_distances(g, g->dead, g->scratch);
}

static int64_t
bytes_of(const struct rows *r)
{
    const uint64_t rows = (uint64_t)r->g->ngroups * r->g->nswitches;
    const uint64_t size = sizeof(struct weft_fib) + dead_words(r->g) * sizeof(uint64_t) +
                          rows * sizeof(uint32_t) + r->words * sizeof(uint16_t);
    return r->words > UINT32_MAX ? (int64_t)WEFT_EOVERFLOW : (int64_t)((size + 7) & ~UINT64_C(7));
}

int64_t
weft_graph_fib_size(const struct weft_graph *g, const struct weft_fib_case *of)
{
    struct rows r = {.g = g};
    take_down(g, of);
    walk_all(&r, of);
    return bytes_of(&r);
}

int
weft_graph_fib_build(struct weft_fib *fib, size_t size, const struct weft_clos *shape,
                     const struct weft_fib_case *of)
{
    const struct weft_graph *g = shape->graph;
    struct rows r = {.g = g};
    const int64_t need = weft_graph_fib_size(g, of);
    if (need < 0 || (uint64_t)need > size)
    {
        return need < 0 ? (int)need : (int)WEFT_ENOMEM;
    }
    memset(fib, 0, (size_t)need);
    fib->clos = *shape;
    fib->dead = (uint64_t *)(fib + 1);
    memcpy(fib->dead, g->dead, (size_t)dead_words(g) * sizeof *fib->dead);
    fib->rows = (uint32_t *)(fib->dead + dead_words(g));
    fib->pool = (uint16_t *)(fib->rows + (size_t)g->ngroups * g->nswitches);
    r.fib = fib;
    walk_all(&r, of);
    return 0;
}

bool
weft_graph_fib_route(const struct weft_fib *fib, uint32_t index, uint32_t dst,
                     struct weft_ports *out)
{
    const struct weft_graph *g = fib->clos.graph;
    const uint32_t tor = g->tor[dst];
    out->list = NULL;
    out->round = out->even = 0;
    if (tor == index)
    {
        out->first = (uint16_t)g->links[dst].upper.port;
        out->n = out->width = !weft_fib_dead(fib, dst);
    }
    else
    {
        const uint16_t *head = &fib->pool[fib->rows[(size_t)index * g->ngroups + g->group[tor]]];
        out->list = head + WEFT_FIB_HEAD;
        out->first = head[WEFT_FIB_HEAD];
        out->n = head[0];
        out->round = head[1];
        out->even = head[2];
        out->width = out->round;
    }
    return out->n > 0;
}
