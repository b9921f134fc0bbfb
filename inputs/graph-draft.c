/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of links while it is read, and the graph that is made of it. */
#include "graph-draft.h"

#include <stdlib.h>

#include <weft/clos.h>

#include "textbuf.h"

void
graph_draft_add(struct graph_draft *g, const struct weft_graph_edge *edge, double loss, int line)
{
    ARRAY_GROW(g->edges, g->n);
    ARRAY_GROW(g->lines, g->n);
    ARRAY_GROW(g->losses, g->n);
    g->edges[g->n] = *edge;
    g->losses[g->n] = loss;
    g->lines[g->n++] = line;
}

void
graph_draft_drop(struct graph_draft *g)
{
    free(g->edges);
    free(g->lines);
    free(g->losses);
}

/** Puts what links lose where the Clos has them that the graph is. */
static double *
losses_of_clos(const struct weft_graph *graph, double *losses)
{
    struct weft_clos clos;
    const size_t nodes = (size_t)graph->nhosts + graph->nswitches;
    OWNED uint32_t *node = xcalloc(nodes, sizeof *node);
    OWNED uint64_t *link = xcalloc(graph->nlinks, sizeof *link);
    double *to = xcalloc(graph->nlinks, sizeof *to);
    weft_clos_recognise(graph, &clos, node, node + graph->nhosts, link);
    for (uint32_t i = 0; i < graph->nlinks; i++)
    {
        to[link[i]] = losses[i];
    }
    free(losses);
    return to;
}

double *
graph_draft_losses(const struct graph_draft *g, const struct weft_graph *graph, bool clos)
{
    double *losses = xcalloc(g->n, sizeof *losses), most = 0;
    OWNED uint32_t *ports = xcalloc(g->nhosts, sizeof *ports);
    uint32_t other = graph->nhost_links;
    for (size_t i = 0; i < g->n; i++)
    {
        const struct weft_graph_edge *e = &g->edges[i];
        const uint32_t lower = e->a < e->b ? e->a : e->b;
        const bool host = lower < g->nhosts;
        losses[host ? graph->first_link[lower] + ports[lower]++ : other++] = g->losses[i];
        most = g->losses[i] > most ? g->losses[i] : most;
    }
    if (most > 0)
    {
        return clos ? losses_of_clos(graph, losses) : losses;
    }
    free(losses);
    return NULL;
}

/** Says what is wrong with the graph. */
static void
report(const struct graph_draft *g, const struct weft_graph_fault *fault)
{
    if (fault->edge != UINT32_MAX)
    {
        input_error(g->from, g->lines[fault->edge], "%s", fault->reason);
    }
    else if (fault->other != UINT32_MAX)
    {
        input_error(g->from, 1, "nodes %s and %s: %s", g->names[fault->node],
                    g->names[fault->other], fault->reason);
    }
    else if (fault->node != UINT32_MAX)
    {
        input_error(g->from, 1, "node %s: %s", g->names[fault->node], fault->reason);
    }
    else
    {
        input_error(g->from, 1, "%s", fault->reason);
    }
}

/** Numbers the nodes anew: that of now node @p to[node]. */
static void
renumber(struct graph_draft *g, const uint32_t *to)
{
    const size_t nodes = (size_t)g->nhosts + g->nswitches;
    char **names = xcalloc(nodes, sizeof *names);
    for (size_t i = 0; i < g->n; i++)
    {
        g->edges[i].a = to[g->edges[i].a];
        g->edges[i].b = to[g->edges[i].b];
    }
    for (size_t i = 0; i < nodes; i++)
    {
        names[to[i]] = g->names[i];
    }
    free(g->names);
    g->names = names;
}

/** Makes a Clos, whatever its numbers, the one that it is, by its own. */
static bool
recognise(struct graph_draft *g, struct weft_graph *graph, void *memory, size_t size,
          struct weft_clos *clos)
{
    struct weft_graph_fault fault;
    OWNED uint32_t *to = xcalloc((size_t)g->nhosts + g->nswitches, sizeof *to);
    if (!weft_clos_recognise(graph, clos, to, to + g->nhosts, NULL))
    {
        return true;
    }
    for (uint32_t i = 0; i < g->nswitches; i++)
    {
        to[g->nhosts + i] += g->nhosts;
    }
    renumber(g, to);
    const int code = weft_graph_init(graph, memory, size, g->nhosts, g->nswitches, g->edges,
                                     (uint32_t)g->n, &fault);
    graph->clos = clos;
    return code == 0;
}

void *
graph_draft_make(struct graph_draft *g, struct weft_graph *graph)
{
    struct weft_graph_fault fault;
    struct weft_clos *clos;
    const int64_t size = weft_graph_size(g->nhosts, g->nswitches, g->edges, (uint32_t)g->n);
    if (size < 0)
    {
        input_error(g->from, 1,
                    "%u hosts, %u switches and %zu links; expected a host and a switch at least, "
                    "at most %u hosts, %u switches and %u links, and at most %u pairs of a switch "
                    "and a group of hosts at the same switches",
                    g->nhosts, g->nswitches, g->n, WEFT_MAX_HOSTS, WEFT_GRAPH_SWITCHES,
                    WEFT_GRAPH_LINKS, WEFT_GRAPH_ROWS);
        return NULL;
    }
    const size_t room = ((size_t)size / 8 + 1) * 8;
    char *memory = xcalloc(1, room + sizeof *clos);
    clos = (struct weft_clos *)(void *)(memory + room);
    if (weft_graph_init(graph, memory, (size_t)size, g->nhosts, g->nswitches, g->edges,
                        (uint32_t)g->n, &fault) != 0)
    {
        report(g, &fault);
        free(memory);
        return NULL;
    }
    graph->gpus = graph->gpus ? graph->gpus : g->gpus;
    if (!recognise(g, graph, memory, (size_t)size, clos))
    {
        free(memory);
        return NULL;
    }
    graph->gpus = graph->gpus ? graph->gpus : g->gpus;
    return memory;
}
