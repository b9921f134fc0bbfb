/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways of QPs' data: counted by each switch as it lets a packet go on, put together at the end. */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "mpi-ranks.h"
#include "textbuf.h"

#define NONE UINT32_MAX

/** Data of a QP that went on by a port of a switch. */
struct path_port
{
    uint32_t qp, index, port; /**< index: the switch */
    uint32_t hop, choices;    /**< as in the table */
    uint32_t next;            /**< the port of this QP that was used last before; NONE */
    uint64_t packets, turns;
    int64_t first, last;
};

/** A switch. Only the thread that runs it writes here. */
struct paths_at
{
    struct path_port *ports;
    uint32_t n, room;
    uint32_t *newest; /**< [bucket]: the port that a QP used last, or NONE; of a QP in the first
                         bucket from its own on that is free or its */
    uint32_t nqps, buckets; /**< buckets: 0 or a power of two, more than twice nqps */
};

static uint32_t *
bucket_of(const struct paths_at *at, uint32_t qp)
{
    uint32_t i = (qp * UINT32_C(2654435761)) >> 7 & (at->buckets - 1);
    while (at->newest[i] != NONE && at->ports[at->newest[i]].qp != qp)
    {
        i = (i + 1) & (at->buckets - 1);
    }
    return &at->newest[i];
}

static void
make_buckets(struct paths_at *at)
{
    uint32_t *old = at->newest;
    const uint32_t n = at->buckets;
    at->buckets = n ? 2 * n : 16;
    at->newest = xcalloc(at->buckets, sizeof *at->newest);
    memset(at->newest, 0xff, at->buckets * sizeof *at->newest);
    for (uint32_t i = 0; i < n; i++)
    {
        if (old[i] != NONE)
        {
            *bucket_of(at, at->ports[old[i]].qp) = old[i];
        }
    }
    free(old);
}

/** Returns the ports that a QP has used, the last one first. */
static uint32_t *
ports_of(struct paths_at *at, uint32_t qp)
{
    if (at->buckets == 0)
    {
        make_buckets(at);
    }
    uint32_t *newest = bucket_of(at, qp);
    if (*newest != NONE || 2 * ++at->nqps < at->buckets)
    {
        return newest;
    }
    make_buckets(at);
    return bucket_of(at, qp);
}

/** Moves a port of a QP to the front of those that it has used; adds it if it is new. */
static struct path_port *
move_to_front(struct paths_at *at, uint32_t *newest, const struct path_port *of)
{
    uint32_t *link = newest;
    while (*link != NONE && at->ports[*link].port != of->port)
    {
        link = &at->ports[*link].next;
    }
    uint32_t i = *link;
    if (i != NONE)
    {
        *link = at->ports[i].next;
    }
    else
    {
        if (at->n == at->room)
        {
            at->room = at->room ? 2 * at->room : 16;
            at->ports = xrealloc(at->ports, at->room, sizeof *at->ports);
        }
        i = at->n++;
        at->ports[i] = *of;
    }
    at->ports[i].next = *newest;
    *newest = i;
    return &at->ports[i];
}

/** A switch lets a frame go on. */
static void
count(void *of, uint32_t index, const struct weft_packet *p, uint32_t out, uint32_t n, int64_t now)
{
    const struct paths *paths = of;
    if (p->kind != WEFT_DATA || (paths->asked && !(p->qp < paths->nasked && paths->asked[p->qp])))
    {
        return;
    }
    struct paths_at *at = &paths->at[index];
    const struct path_port new_one = {
        .qp = p->qp, .index = index, .port = out, .hop = p->hops, .choices = n, .first = now};
    uint32_t *newest = ports_of(at, p->qp);
    const bool turns = *newest != NONE && at->ports[*newest].port != out;
    struct path_port *port = move_to_front(at, newest, &new_one);
    port->packets++;
    port->turns += turns;
    port->last = now;
    port->hop = p->hops < port->hop ? p->hops : port->hop;
    port->choices = n > port->choices ? n : port->choices;
}

void
paths_begin(struct paths *paths, const struct simulation *sim)
{
    const struct measurements *m = &sim->s->measure;
    paths->sim = sim;
    if (m->paths == PATHS_OFF)
    {
        return;
    }
    if (m->paths == PATHS_QPS)
    {
        paths->nasked = m->nqps ? m->qps[m->nqps - 1] + 1 : 0;
        paths->asked = xcalloc((size_t)paths->nasked + 1, sizeof *paths->asked);
    }
    for (size_t i = 0; paths->asked && i < m->nqps; i++)
    {
        paths->asked[m->qps[i]] = true;
    }
    paths->at = xcalloc(weft_planes_switches(sim->clos), sizeof *paths->at);
    weft_net_watch_routes(sim->net, count, paths);
}

void
paths_end(struct paths *paths)
{
    for (uint32_t i = 0; paths->at && i < weft_planes_switches(paths->sim->clos); i++)
    {
        free(paths->at[i].ports);
        free(paths->at[i].newest);
    }
    free(paths->at);
    free(paths->asked);
}

/* --- their rows ------------------------------------------------------------------------------- */

/** All ports of a rank, or of all of them; to be freed. */
struct gathered
{
    struct path_port *ports;
    size_t n;
};

static void
gather_more(struct gathered *all, const void *ports, size_t n)
{
    all->ports = xrealloc(all->ports, all->n + n + 1, sizeof *all->ports);
    if (n > 0)
    {
        memcpy(all->ports + all->n, ports, n * sizeof *all->ports);
    }
    all->n += n;
}

/** Sends rank 0 the ports of the others. */
static void
gather_ranks(const struct weft_ranks *ranks, struct gathered *all)
{
    OWNED struct weft_parcel *out = xcalloc(ranks->n, sizeof *out);
    OWNED struct weft_parcel *in = xcalloc(ranks->n, sizeof *in);
    if (ranks->rank != 0)
    {
        out[0] = (struct weft_parcel){all->ports, all->n * sizeof *all->ports};
    }
    ranks->exchange(ranks->of, out, in);
    for (uint32_t r = 1; ranks->rank == 0 && r < ranks->n; r++)
    {
        gather_more(all, in[r].bytes, in[r].n / sizeof *all->ports);
    }
}

/** By QP, then in the order of a way. */
static int
by_way(const void *a, const void *b)
{
    const struct path_port *x = a, *y = b;
    const uint32_t left[] = {x->qp, x->hop, x->index, x->port};
    const uint32_t right[] = {y->qp, y->hop, y->index, y->port};
    size_t i = 0;
    while (i < 3 && left[i] == right[i])
    {
        i++;
    }
    return (left[i] > right[i]) - (left[i] < right[i]);
}

/** Numbers of the directions of links by which switches send, by switch and port; to be freed.
 * @p first gets where each switch's begin. */
static uint64_t *
ways_out(const struct simulation *sim, size_t *first)
{
    const struct weft_clos *clos = sim->clos;
    size_t n = 0;
    for (uint32_t i = 0; i < weft_planes_switches(clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(clos, i, &map);
        first[i] = n;
        n += weft_map_nports(&map);
    }
    uint64_t *ways = xcalloc(n + 1, sizeof *ways);
    for (uint64_t i = 0; i < 2 * weft_planes_links(clos); i++)
    {
        const struct link_way way = link_way_of(sim, i);
        if (!way.from.is_host)
        {
            ways[first[way.from.index] + way.from.port] = i;
        }
    }
    return ways;
}

/** Writes the name of each row's link, one behind the other; rows of one QP after the other name
 * the same links, of which each is named once. */
static void
name_links(const struct simulation *sim, struct run_results *out)
{
    struct text names = {0};
    OWNED size_t *first = xcalloc((size_t)weft_planes_switches(sim->clos) + 1, sizeof *first);
    OWNED uint64_t *ways = ways_out(sim, first);
    OWNED size_t *named = xcalloc(2 * (size_t)weft_planes_links(sim->clos) + 1, sizeof *named);
    text_add_bytes(&names, "", 1); /* 0: it has no name yet */
    for (size_t i = 0; i < out->npaths; i++)
    {
        const uint64_t way = ways[first[out->paths[i].index] + out->paths[i].port];
        if (named[way] == 0)
        {
            const struct link_way is = link_way_of(sim, way);
            named[way] = names.len;
            link_add_name(sim, &is, &names);
            text_add_bytes(&names, "", 1);
        }
    }
    out->path_names = names.s;
    for (size_t i = 0; i < out->npaths; i++)
    {
        struct path_result *row = &out->paths[i];
        row->link = names.s + named[ways[first[row->index] + row->port]];
    }
}

static void
fill_rows(const struct gathered *all, struct path_result *rows)
{
    for (size_t i = 0, end = 0; i < all->n; i++)
    {
        const struct path_port *p = &all->ports[i];
        if (i == end)
        {
            double sum = 0;
            for (; end < all->n && all->ports[end].qp == p->qp && all->ports[end].hop == p->hop;
                 end++)
            {
                sum += (double)all->ports[end].packets;
            }
            for (size_t k = i; k < end; k++)
            {
                rows[k].share = (double)all->ports[k].packets / sum;
            }
        }
        rows[i].qp = p->qp;
        rows[i].hop = p->hop;
        rows[i].index = p->index;
        rows[i].port = p->port;
        rows[i].choices = p->choices;
        rows[i].packets = p->packets;
        rows[i].turns = p->turns;
        rows[i].first = p->first;
        rows[i].last = p->last;
    }
}

void
paths_collect(const struct paths *paths, struct run_results *out)
{
    struct gathered all = {NULL, 0};
    if (!paths->at)
    {
        return;
    }
    for (uint32_t i = 0; i < weft_planes_switches(paths->sim->clos); i++)
    {
        gather_more(&all, paths->at[i].ports, paths->at[i].n);
    }
    if (ranks_get())
    {
        gather_ranks(ranks_get(), &all);
    }
    if (!ranks_helps() && all.n > 0)
    {
        qsort(all.ports, all.n, sizeof *all.ports, by_way);
        out->npaths = all.n;
        out->paths = xcalloc(all.n, sizeof *out->paths);
        fill_rows(&all, out->paths);
        name_links(paths->sim, out);
    }
    free(all.ports);
}
