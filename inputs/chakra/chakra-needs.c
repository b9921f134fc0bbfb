/* SPDX-License-Identifier: GPL-2.0-only */
#include "chakra-needs.h"

#include <stdlib.h>

#include "textbuf.h"

/** Most nodes of a circle that a message names. */
#define SHOWN_NODES 8

struct known
{
    uint64_t id;
    uint32_t node;
};

static int
by_id(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id ? 1 : -1) : (x->node > y->node) - (x->node < y->node);
}

/** The nodes, sorted by id, or NULL after an error. */
static struct known *
sort_nodes(struct input_source *from, uint32_t rank, const struct chakra_trace *trace)
{
    struct known *known = xcalloc(trace->n, sizeof *known);
    for (size_t i = 0; i < trace->n; i++)
    {
        known[i] = (struct known){trace->nodes[i].id, (uint32_t)i};
    }
    qsort(known, trace->n, sizeof *known, by_id);
    for (size_t i = 1; i < trace->n; i++)
    {
        if (known[i].id == known[i - 1].id)
        {
            const struct chakra_node *node = &trace->nodes[known[i].node];
            input_error_at(from, node->byte,
                           "rank %u, node %llu '%s': a second node of this id; the first one is at "
                           "byte %zu",
                           rank, (unsigned long long)node->id, node->name,
                           trace->nodes[known[i - 1].node].byte);
            free(known);
            return NULL;
        }
    }
    return known;
}

/** The node of that id, or the number of nodes. */
static size_t
find(const struct known *known, size_t n, uint64_t id)
{
    size_t low = 0, high = n;
    while (low < high)
    {
        const size_t middle = low + (high - low) / 2;
        if (known[middle].id < id)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low < n && known[low].id == id ? known[low].node : n;
}

static bool
find_all(struct input_source *from, uint32_t rank, const struct known *known, const uint64_t *ids,
         struct chakra_trace *trace)
{
    bool good = true;
    trace->needs = xcalloc(trace->nneeds + 1, sizeof *trace->needs);
    for (size_t i = 0; i < trace->n && (good || !diag_is_full(from->d)); i++)
    {
        const struct chakra_node *node = &trace->nodes[i];
        for (uint32_t k = node->first; k < node->first + node->n; k++)
        {
            const size_t found = find(known, trace->n, ids[k]);
            trace->needs[k] = (uint32_t)found;
            if (found == trace->n)
            {
                good = input_error_at(from, node->byte,
                                      "rank %u, node %llu '%s': it waits for node %llu, which the "
                                      "file does not have; expected the id of another node",
                                      rank, (unsigned long long)node->id, node->name,
                                      (unsigned long long)ids[k]);
            }
        }
    }
    return good;
}

/* --- circles ---------------------------------------------------------------------------------- */

/** Counts for each node what it waits for; returns the nodes in an order in which they can be done,
 * of which *done says how many. The caller frees it. */
static uint32_t *
order(const struct chakra_trace *trace, uint32_t *waits, size_t *done)
{
    const size_t n = trace->n;
    OWNED uint32_t *first = xcalloc(n + 2, sizeof *first);
    OWNED uint32_t *next = xcalloc(trace->nneeds + 1, sizeof *next);
    uint32_t *ready = xcalloc(n + 1, sizeof *ready);
    size_t nready = 0;
    for (size_t k = 0; k < trace->nneeds; k++)
    {
        first[trace->needs[k] + 2]++;
    }
    for (size_t i = 2; i < n + 2; i++)
    {
        first[i] += first[i - 1];
    }
    for (size_t i = 0; i < n; i++)
    {
        const struct chakra_node *node = &trace->nodes[i];
        for (uint32_t k = node->first; k < node->first + node->n; k++)
        {
            next[first[trace->needs[k] + 1]++] = (uint32_t)i;
        }
        waits[i] = node->n;
        ready[nready] = (uint32_t)i;
        nready += node->n == 0;
    }
    for (size_t i = 0; i < nready; i++)
    {
        for (uint32_t k = first[ready[i]]; k < first[ready[i] + 1]; k++)
        {
            ready[nready] = next[k];
            nready += --waits[next[k]] == 0;
        }
    }
    *done = nready;
    return ready;
}

/** A node that waits for @p node, and still waits itself. */
static uint32_t
waits_for(const struct chakra_trace *trace, const uint32_t *waits, uint32_t node)
{
    const struct chakra_node *of = &trace->nodes[node];
    uint32_t k = of->first;
    while (waits[trace->needs[k]] == 0)
    {
        k++;
    }
    return trace->needs[k];
}

static bool
report_circle(struct input_source *from, uint32_t rank, const struct chakra_trace *trace,
              const uint32_t *waits)
{
    CLEANUP(text_drop) struct text chain = {0};
    uint32_t at = 0;
    while (waits[at] == 0)
    {
        at++;
    }
    for (size_t i = 0; i < trace->n; i++) /* into the circle, from what leads to it */
    {
        at = waits_for(trace, waits, at);
    }
    const uint32_t begin = at;
    for (size_t i = 0; i == 0 || at != begin; i++)
    {
        at = waits_for(trace, waits, at);
        if (i < SHOWN_NODES)
        {
            text_add(&chain, " for %llu", (unsigned long long)trace->nodes[at].id);
        }
        else if (i == SHOWN_NODES)
        {
            text_add(&chain, " ...");
        }
    }
    const struct chakra_node *node = &trace->nodes[begin];
    return input_error_at(from, node->byte,
                          "rank %u, node %llu '%s': it waits for itself:%s; expected no circle",
                          rank, (unsigned long long)node->id, node->name, chain.s);
}

bool
chakra_needs_resolve(struct input_source *from, uint32_t rank, const uint64_t *ids,
                     struct chakra_trace *trace)
{
    OWNED struct known *known = sort_nodes(from, rank, trace);
    if (!known || !find_all(from, rank, known, ids, trace))
    {
        return false;
    }
    OWNED uint32_t *waits = xcalloc(trace->n + 1, sizeof *waits);
    size_t done = 0;
    free(order(trace, waits, &done));
    return done == trace->n || report_circle(from, rank, trace, waits);
}
