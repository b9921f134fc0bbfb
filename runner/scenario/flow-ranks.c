/* SPDX-License-Identifier: GPL-2.0-only */
/* The hosts that a file of flows names, as ranks of its workload. */
#include <stdlib.h>
#include <string.h>

#include "input-file.h"
#include "node-numbers.h"
#include "number-order.h"
#include "scenario-load.h"
#include "textbuf.h"

/** A workload whose flows are looked at. */
struct placing
{
    const struct scenario *s;
    const struct workload *w;
    int line; /**< that names the file */
    struct diagnostics *d;
};

/** The rank of the host with an id of the topology's file; false after an error. */
static bool
find_rank(const struct placing *p, uint32_t id, uint32_t flow, uint32_t *rank)
{
    const struct workload *w = p->w;
    OWNED char *why = NULL;
    if (node_find(p->s, NODE_HOST, id, rank, &why) && w->hosts)
    {
        const uint32_t *own = bsearch(rank, w->hosts, w->nhosts, sizeof *own, order_u32);
        OWNED char *ranges = own ? NULL : host_list(p->s, w->hosts, w->nhosts);
        *rank = own ? (uint32_t)(own - w->hosts) : 0;
        why = own ? NULL : xformat("host %u is none of this workload's; expected %s", id, ranges);
    }
    if (why)
    {
        diag_error(p->d, p->line, "%s:%d: %s", w->input->path, w->input->flows.lines[flow], why);
    }
    return !why;
}

/** Makes a table of ranks of a file whose hosts are ids of the topology's file. */
static bool
translate(const struct placing *p, struct weft_table *table)
{
    bool good = true;
    struct weft_table_flow *flows = xcalloc(table->nflows, sizeof *flows);
    for (uint32_t i = 0; i < table->nflows && !diag_is_full(p->d); i++)
    {
        flows[i] = table->flows[i];
        good = find_rank(p, table->flows[i].src, i, &flows[i].src) && good;
        good = find_rank(p, table->flows[i].dst, i, &flows[i].dst) && good;
    }
    table->flows = flows;
    return good;
}

static uint32_t
greater_end(const struct weft_table_flow *flow)
{
    return flow->src > flow->dst ? flow->src : flow->dst;
}

/** Reports flows whose hosts are not there, and how many hosts the file needs. */
static bool
check_ranks(const struct placing *p, const struct weft_table *table)
{
    const struct workload *w = p->w;
    const uint32_t n = w->hosts ? w->nhosts : p->s->clos.nhosts;
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->nflows; i++)
    {
        const uint32_t host = greater_end(&table->flows[i]);
        most = host > most ? host : most;
    }
    for (uint32_t i = 0; most >= n && i < table->nflows && !diag_is_full(p->d); i++)
    {
        const uint32_t host = greater_end(&table->flows[i]);
        if (host >= n)
        {
            diag_error(p->d, p->line,
                       "%s:%d: %s %u names host %u; the %s has %u hosts, 0 to %u, and the file "
                       "needs %llu",
                       w->input->path, w->input->flows.lines[i],
                       w->input->flows.is_matrix ? "connection" : "flow", i + 1, host,
                       w->hosts ? "workload" : "topology", n, n - 1, (unsigned long long)most + 1);
        }
    }
    return table->nflows == 0 || most < n;
}

bool
place_flows(const struct element *e, const struct scenario *s, struct workload *w,
            struct diagnostics *d)
{
    const struct placing p = {s, w, element_line(e, "file"), d};
    bool good = true;
    if (!w->input)
    {
        return true;
    }
    if (w->input->flows.table.nflows > 0)
    {
        note_ids(s, NODE_HOST, w->input->written, p.line, d);
    }
    if (w->input->flows.table.nflows > 0 && nodes_have_ids(s, NODE_HOST))
    {
        good = translate(&p, &w->table);
        w->own_flows = w->table.flows;
    }
    else
    {
        good = check_ranks(&p, &w->table);
    }
    weft_workload_find(w->choice.algo->name)->use(w->choice.config, &w->table);
    return good;
}
