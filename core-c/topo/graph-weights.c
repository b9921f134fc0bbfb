/* SPDX-License-Identifier: MIT */
/*
 * Forwarding in a graph, weighted by capacity: a port counts as much as the shortest paths behind
 * it, each of these as much as its slowest link. Added up over all rates x that links have, from
 * the least on, that is the number of paths whose links all have x or more, times what x is above
 * the next smaller one.
 */
#include "topo/fib.h"
#include "topo/graph-distance.h"

#include <string.h>

/* Weights of more bits are rounded: far finer than what a switch can store. */
#define MOST_WEIGHT 1099511627776.0

struct weighing
{
    const struct weft_graph *g;
    const struct weft_fib_case *of;
    struct weft_fib *fib; /* NULL: only count */
    uint64_t words;       /* of the pool */
    int64_t unit;         /* what all rates are multiples of, bit/s */
    const uint16_t *distance;
};

static int64_t
rate_of(const struct weighing *w, uint32_t link)
{
    const struct weft_slow_link *slow = w->of->slow;
    const int64_t planned = w->g->links[link].rate;
    size_t lo = 0, hi = w->of->nslow;
    while (lo < hi)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if (slow[mid].link == link)
        {
            return slow[mid].rate < planned ? slow[mid].rate : planned;
        }
        lo = slow[mid].link < link ? mid + 1 : lo;
        hi = slow[mid].link < link ? hi : mid;
    }
    return planned;
}

/* The least rate above @p level of a link between switches; 0: there is none. */
static int64_t
next_rate(const struct weighing *w, int64_t level)
{
    int64_t next = 0;
    for (uint32_t i = w->g->nhost_links; i < w->g->nlinks; i++)
    {
        const int64_t rate = rate_of(w, i);
        next = rate > level && (next == 0 || rate < next) ? rate : next;
    }
    return next;
}

static void
find_unit(struct weighing *w)
{
    for (int64_t level = next_rate(w, 0); level > 0; level = next_rate(w, level))
    {
        for (int64_t a = level; a > 0;)
        {
            const int64_t rest = w->unit % a;
            w->unit = a;
            a = rest;
        }
    }
}

/* Adds what one level of rates gives to the ports of switch @p s, all nearer switches being done.
 */
static void
add_switch(const struct weighing *w, uint32_t s, int64_t level, double step)
{
    const struct weft_graph *g = w->g;
    g->paths[s] = w->distance[s] == 0;
    for (uint32_t p = g->first_port[s] + g->nhost_ports[s]; p < g->first_port[s + 1]; p++)
    {
        const struct weft_graph_port *port = &g->ports[p];
        if (w->distance[port->peer] + 1U == w->distance[s] &&
            !weft_graph_dead(g->dead, port->link) && rate_of(w, port->link) >= level)
        {
            g->paths[s] += g->paths[port->peer];
            g->weight[p] += step * g->paths[port->peer];
        }
    }
}

/* Weighs all ports towards the switch whose distances are in hand; the search has left the switches
 * in its queue, the nearest first. */
static void
weigh_ports(const struct weighing *w, uint32_t reached)
{
    const struct weft_graph *g = w->g;
    int64_t last = 0;
    memset(g->weight, 0, g->first_port[g->nswitches] * sizeof *g->weight);
    for (int64_t level = next_rate(w, 0); level > 0; level = next_rate(w, level))
    {
        for (uint32_t i = 0; i < reached; i++)
        {
            add_switch(w, g->queue[i], level, (double)((level - last) / w->unit));
        }
        last = level;
    }
}

/* Rounds weights that are too large; none becomes 0. */
static void
round_weights(const double *of, const uint16_t *list, uint32_t n, uint64_t *weight)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        most = of[list[i]] > most ? of[list[i]] : most;
    }
    const double scale = most > MOST_WEIGHT ? MOST_WEIGHT / most : 1;
    for (uint32_t i = 0; i < n; i++)
    {
        const uint64_t rounded = (uint64_t)(of[list[i]] * scale + 0.5);
        weight[i] = rounded > 0 ? rounded : 1;
    }
}

static uint32_t
put_list(struct weighing *w, uint32_t s)
{
    const struct weft_graph *g = w->g;
    uint16_t list[WEFT_MAX_PORTS];
    uint64_t weight[WEFT_MAX_PORTS];
    struct weft_fib_rounds r;
    const uint32_t place = (uint32_t)w->words;
    const uint32_t n = weft_graph_candidates(g, w->distance, g->dead, s, list);
    if (n == 0)
    {
        return WEFT_FIB_EMPTY;
    }
    round_weights(g->weight + g->first_port[s], list, n, weight);
    weft_fib_reduce(weight, n, true, &r);
    if (w->fib)
    {
        weft_fib_write(&r, weight, list, 0, n, &w->fib->pool[w->words]);
    }
    w->words += weft_fib_words(&r);
    return place;
}

uint64_t
weft_graph_weigh(const struct weft_graph *g, const struct weft_fib_case *of, uint32_t ngroups,
                 struct weft_fib *fib)
{
    struct weighing w = {.g = g, .of = of, .fib = fib, .words = WEFT_FIB_EMPTY + WEFT_FIB_HEAD};
    find_unit(&w);
    for (uint32_t group = 0; group < ngroups; group++)
    {
        uint16_t *distance = g->scratch + (size_t)group * g->nswitches;
        weft_graph_distances(g, g->member_now[group], g->dead, distance);
        w.distance = distance;
        weigh_ports(&w, weft_graph_reached(g, distance));
        for (uint32_t s = 0; s < g->nswitches; s++)
        {
            const uint32_t place = put_list(&w, s);
            if (fib)
            {
                fib->rows[(size_t)s * ngroups + group] = place;
            }
        }
    }
    return w.words;
}
