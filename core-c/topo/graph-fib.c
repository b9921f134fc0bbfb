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

#include "checked/check.h"

struct rows
{
    const struct weft_graph *g;
    struct weft_fib *fib; /* NULL: only count */
    uint32_t ngroups;     /* of hosts, without the links of theirs that are dead */
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
    for (uint32_t group = 0; group < r->ngroups; group++)
    {
        const uint16_t *distance = g->scratch + (size_t)group * g->nswitches;
        uint32_t place = WEFT_FIB_EMPTY;
        r->nports = weft_graph_candidates(g, distance, r->g->dead, s, r->list);
        if (r->nports > 0)
        {
            uint32_t *slot = find_slot(r, s, theirs);
            const bool known = *slot != 0;
            place = !known   ? add_list(r)
                    : r->fib ? r->fib->rows[(size_t)s * r->ngroups + *slot - 1]
                             : WEFT_FIB_EMPTY;
            *slot = known ? *slot : group + 1;
        }
        if (r->fib)
        {
            r->fib->rows[(size_t)s * r->ngroups + group] = place;
        }
    }
}

static void
walk_all(struct rows *r, const struct weft_fib_case *of)
{
    if (of->weights == WEFT_WEIGHTS_CAPACITY)
    {
        r->words = weft_graph_weigh(r->g, of, r->ngroups, r->fib);
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

/* Writes what all walks go by into the graph's own memory: dead links, and groups of hosts and
 * distances without them. Returns how many groups there are, or UINT32_MAX. */
static uint32_t
take_down(const struct weft_graph *g, const struct weft_fib_case *of)
{
    memset(g->dead, 0, (size_t)dead_words(g) * sizeof *g->dead);
    for (size_t i = 0; i < of->ndead; i++)
    {
        g->dead[of->dead[i] >> 6] |= UINT64_C(1) << (of->dead[i] & 63U);
    }
    const uint32_t n = weft_graph_find_groups(g, g->dead, g->group_now, g->member_now);
    for (uint32_t group = 0; n <= g->most_groups && group < n; group++)
    {
        weft_graph_distances(g, g->member_now[group], g->dead,
                             g->scratch + (size_t)group * g->nswitches);
    }
    return n;
}

/* Rows of numbers that hosts with several ports go by. */
static uint64_t
own_rows(const struct rows *r)
{
    return r->g->most_ports > 1 ? (uint64_t)r->ngroups * r->g->nswitches : 0;
}

static int64_t
bytes_of(const struct rows *r)
{
    const uint64_t rows = (uint64_t)r->ngroups * r->g->nswitches;
    const uint64_t size = sizeof(struct weft_fib) + dead_words(r->g) * sizeof(uint64_t) +
                          (rows + r->g->nhosts) * sizeof(uint32_t) +
                          (own_rows(r) + r->words) * sizeof(uint16_t);
    return r->words > UINT32_MAX ? (int64_t)WEFT_EOVERFLOW : (int64_t)((size + 7) & ~UINT64_C(7));
}

int64_t
weft_graph_fib_size(const struct weft_graph *g, const struct weft_fib_case *of)
{
    struct rows r = {.g = g, .ngroups = take_down(g, of)};
    if (r.ngroups > g->most_groups)
    {
        return WEFT_EOVERFLOW;
    }
    walk_all(&r, of);
    return bytes_of(&r);
}

int
weft_graph_fib_build(struct weft_fib *fib, size_t size, const struct weft_clos *shape,
                     const struct weft_fib_case *of)
{
    const struct weft_graph *g = shape->graph;
    struct rows r = {.g = g, .ngroups = take_down(g, of)};
    if (r.ngroups > g->most_groups)
    {
        return WEFT_EOVERFLOW;
    }
    walk_all(&r, of);
    const int64_t need = bytes_of(&r);
    if (need < 0 || (uint64_t)need > size)
    {
        return need < 0 ? (int)need : (int)WEFT_ENOMEM;
    }
    memset(fib, 0, (size_t)need);
    fib->clos = *shape;
    fib->dead = (uint64_t *)(fib + 1);
    memcpy(fib->dead, g->dead, (size_t)dead_words(g) * sizeof *fib->dead);
    fib->rows = (uint32_t *)(fib->dead + dead_words(g));
    fib->ngroups = r.ngroups;
    fib->group = fib->rows + (size_t)r.ngroups * g->nswitches;
    memcpy(fib->group, g->group_now, g->nhosts * sizeof *fib->group);
    fib->distance = (uint16_t *)(fib->group + g->nhosts);
    memcpy(fib->distance, g->scratch, (size_t)own_rows(&r) * sizeof *fib->distance);
    fib->pool = fib->distance + own_rows(&r);
    r.fib = fib;
    walk_all(&r, of);
    return 0;
}

/* A host's link to a switch, or UINT32_MAX. */
static uint32_t
link_at(const struct weft_graph *g, uint32_t host, uint32_t index)
{
    const uint32_t link = g->first_link[host];
    if (g->tor[host] == index && g->most_ports == 1)
    {
        return link;
    }
    const uint32_t port = g->most_ports > 1 ? weft_graph_port_at(g, host, index) : UINT32_MAX;
    return port == UINT32_MAX ? UINT32_MAX : link + port;
}

bool
weft_graph_fib_route(const struct weft_fib *fib, uint32_t index, uint32_t dst,
                     struct weft_ports *out)
{
    const struct weft_graph *g = fib->clos.graph;
    const uint32_t link = link_at(g, dst, index);
    out->list = NULL;
    out->round = out->even = 0;
    if (link != UINT32_MAX && (g->most_ports == 1 || !weft_fib_dead(fib, link)))
    {
        out->first = (uint16_t)g->links[link].upper.port;
        out->n = out->width = !weft_fib_dead(fib, link);
    }
    else
    {
        const uint32_t *rows = fib->rows + (size_t)index * fib->ngroups;
        const uint16_t *head = &fib->pool[rows[fib->group[dst]]];
        out->list = head + WEFT_FIB_HEAD;
        out->first = head[0] > 0 ? head[WEFT_FIB_HEAD] : 0; /* an empty list may be the last */
        out->n = head[0];
        out->round = head[1];
        out->even = head[2];
        out->width = out->round;
    }
    return out->n > 0;
}

uint64_t
weft_fib_ways(const struct weft_fib *fib, uint32_t src, uint32_t dst)
{
    const struct weft_graph *g = fib->clos.graph;
    WEFT_CHECK(g && g->most_ports > 1, "weft_fib_ways", "a graph whose hosts have several links");
    const uint16_t *distance = fib->distance + (size_t)fib->group[dst] * g->nswitches;
    return weft_graph_ways_by(g, distance, fib->dead, src, dst);
}
