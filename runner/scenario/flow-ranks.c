/* SPDX-License-Identifier: GPL-2.0-only */
/* The hosts that a file of flows or of a trace's ranks names, as ranks of its workload. */
#include <stdlib.h>
#include <string.h>

#include "flow-list.h"
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

/** The rank of the host with an id of the topology's file; false after an error, which is at a line
 * of @p path. */
static bool
find_rank(const struct placing *p, uint32_t id, const char *path, int line, uint32_t *rank)
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
        diag_error(p->d, p->line, "%s:%d: %s", path, line, why);
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
        const char *path = p->w->input->path;
        const int line = p->w->input->flows.lines[i];
        good = find_rank(p, table->flows[i].src, path, line, &flows[i].src) && good;
        good = find_rank(p, table->flows[i].dst, path, line, &flows[i].dst) && good;
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

/* --- ranks of a trace ------------------------------------------------------------------------- */

/** Ranks and hosts while their file is read. */
struct places
{
    struct placing of;
    struct table_lines t;
    uint32_t *host;  /**< [nranks] */
    int *rank_line;  /**< [nranks]: where it stands; 0: nowhere yet */
    int *host_line;  /**< [nhosts] */
    uint32_t nhosts; /**< of the workload */
    uint32_t nranks;
};

/** The host that a line names, as a number of the workload's own ones; false after an error. */
static bool
read_host(struct places *p, uint32_t *host)
{
    const struct placing *of = &p->of;
    int64_t number;
    if (!table_value(&p->t, &flow_host_param, p->t.word[1], &number))
    {
        return false;
    }
    *host = (uint32_t)number;
    if (nodes_have_ids(of->s, NODE_HOST))
    {
        return find_rank(of, *host, p->t.from->path, p->t.line, host);
    }
    return *host < p->nhosts ||
           input_error(p->t.from, p->t.line, "host %u; the %s has %u hosts, 0 to %u", *host,
                       of->w->hosts ? "workload" : "topology", p->nhosts, p->nhosts - 1);
}

/** Reads a line of rank and host. False after errors. */
static bool
read_place(struct places *p)
{
    static const struct weft_param rank_param = INPUT_PARAM("rank", WEFT_COUNT, "0", "1048575");
    struct input_source *from = p->t.from;
    int64_t rank;
    uint32_t host;
    if (p->t.n != 2)
    {
        return input_error(from, p->t.line, "%zu words; expected two, a rank and its host", p->t.n);
    }
    if (!table_value(&p->t, &rank_param, p->t.word[0], &rank) || !read_host(p, &host))
    {
        return false;
    }
    if (rank >= p->nranks)
    {
        return input_error(from, p->t.line, "rank %lld; the trace has %u ranks, 0 to %u",
                           (long long)rank, p->nranks, p->nranks - 1);
    }
    if (p->rank_line[rank] || p->host_line[host])
    {
        return p->rank_line[rank]
                   ? input_error(from, p->t.line,
                                 "rank %s is at line %d as well; expected each once", p->t.word[0],
                                 p->rank_line[rank])
                   : input_error(from, p->t.line,
                                 "host %s has the rank of line %d; expected a host of its own",
                                 p->t.word[1], p->host_line[host]);
    }
    p->rank_line[rank] = p->host_line[host] = p->t.line;
    p->host[rank] = host;
    return true;
}

/** Reads all lines. A first one may name the columns. False after errors. */
static bool
read_places(struct places *p)
{
    bool good = true;
    uint32_t rank = 0;
    for (bool first = true; table_lines_next(&p->t); first = false)
    {
        const bool names = first && p->t.n == 2 && strcmp(p->t.word[0], "rank") == 0 &&
                           strcmp(p->t.word[1], "host") == 0;
        good = (names || read_place(p)) && good;
    }
    while (good && rank < p->nranks && p->rank_line[rank])
    {
        rank++;
    }
    return good && (rank == p->nranks ||
                    input_error(p->t.from, p->t.line,
                                "rank %u has no host; expected a line for each of %u ranks", rank,
                                p->nranks));
}

/** Whether the attribute is absent, or says what the resolved scenario says of it by default. */
static bool
is_default(const struct element *e, const char *name, const char *value)
{
    const struct attribute *a = element_attribute(e, name);
    return !a || strcmp(a->value, value) == 0;
}

/** Whether nothing else says where ranks are. */
static bool
check_alone(const struct element *e, struct diagnostics *d)
{
    if (is_default(e, "placement", "blocked") && is_default(e, "rails", "0"))
    {
        return true;
    }
    diag_error(d, element_line(e, "placement-file"),
               "placement-file of <workload> says where ranks are; expected no placement and no "
               "rails beside it");
    return false;
}

bool
place_ranks(const struct element *e, const struct scenario *s, struct workload *w,
            struct diagnostics *d)
{
    const int line = element_line(e, "placement-file");
    if (!w->places || !w->table.program)
    {
        return true;
    }
    struct input_source from = {.path = w->places->path, .scenario_line = line, .d = d};
    struct places p = {.of = {s, w, line, d},
                       .nhosts = w->hosts ? w->nhosts : s->clos.nhosts,
                       .nranks = w->table.program->nranks};
    note_ids(s, NODE_HOST, w->places->written, line, d);
    p.host = xcalloc(p.nranks, sizeof *p.host);
    p.rank_line = xcalloc(p.nranks, sizeof *p.rank_line);
    p.host_line = xcalloc(p.nhosts, sizeof *p.host_line);
    table_lines_begin(&p.t, &from, w->places->bytes, w->places->n);
    const bool good = check_alone(e, d) && read_places(&p);
    table_lines_end(&p.t);
    free(p.rank_line);
    free(p.host_line);
    w->own_places = p.host;
    w->table.place = p.host;
    w->table.nplaces = p.nranks;
    return good;
}
