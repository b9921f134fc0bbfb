/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-load.h"

#include <stdlib.h>
#include <string.h>

#include "element-values.h"
#include "input-file.h"
#include "textbuf.h"

static int
line_of(const struct element *root, const char *kind)
{
    const struct element *e = element_child(root, kind);
    return e ? line_of_element(e) : root->line;
}

/** Gives a graph what its file says. */
static bool
load_graph(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct weft_topology_ops *ops = weft_topology_find(s->topology.algo->name);
    const struct element *e = element_child(root, "topology");
    if (!s->graph_name)
    {
        diag_error(d, e->line,
                   "the %s topology lacks file=\"...\"; expected a topology.txt as HPCC's and "
                   "ConWeave's simulators have it, or a <graph> in XML",
                   s->topology.algo->name);
        return false;
    }
    s->topology_file =
        input_file_load(d->file, s->graph_name, INPUT_GRAPH, element_line(e, "file"), d);
    if (!s->topology_file)
    {
        return false;
    }
    s->graph_name = s->topology_file->kept;
    ops->use(s->topology.config, &s->topology_file->graph);
    const struct graph_names *names = &s->topology_file->names;
    const bool has_ids = names->has_ids[NODE_HOST] || names->has_ids[NODE_SWITCH];
    if (!has_ids && element_attribute(e, "ids"))
    {
        diag_error(d, element_line(e, "ids"),
                   "ids of <topology> is for files that number their nodes, and %s names them; "
                   "expected no ids",
                   s->topology_file->path);
    }
    s->ids = has_ids ? s->ids : ATTRIBUTE_ABSENT;
    return has_ids || !element_attribute(e, "ids");
}

/** Returns memory with the graph of @p n links, or NULL and why there is none. */
static void *
make_tors(const struct weft_topology_ops *ops, const void *config, uint32_t n,
          struct weft_graph *graph, struct weft_graph_fault *fault)
{
    uint32_t nhosts, nswitches;
    *fault = (struct weft_graph_fault){
        .reason = "it has too many links, or too many switches times hosts"};
    if (n > WEFT_GRAPH_LINKS)
    {
        return NULL;
    }
    OWNED struct weft_graph_edge *edges = xcalloc(n, sizeof *edges);
    ops->edges(config, edges, &nhosts, &nswitches);
    const int64_t size = weft_graph_size(nhosts, nswitches, edges, n);
    void *memory = size < 0 ? NULL : xcalloc((size_t)size / 8 + 1, 8);
    if (memory &&
        weft_graph_init(graph, memory, (size_t)size, nhosts, nswitches, edges, n, fault) != 0)
    {
        free(memory);
        memory = NULL;
    }
    return memory;
}

/** Makes the graph of a Clos whose hosts are at several ToRs; true where it is none. */
static bool
make_graph(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct weft_topology_ops *ops = weft_topology_find(s->topology.algo->name);
    struct weft_graph_fault fault;
    uint32_t nhosts, nswitches;
    const uint32_t n = ops->edges ? ops->edges(s->topology.config, NULL, &nhosts, &nswitches) : 0;
    if (n == 0)
    {
        return true;
    }
    s->tors_memory = make_tors(ops, s->topology.config, n, &s->tors, &fault);
    if (!s->tors_memory)
    {
        diag_error(d, line_of(root, "topology"), "this %s cannot be built: %s",
                   s->topology.algo->name, fault.reason);
        return false;
    }
    ops->use(s->topology.config, &s->tors);
    return true;
}

static bool
build_topology(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct weft_topology_ops *ops = weft_topology_find(s->topology.algo->name);
    const bool file = ops->use && !ops->edges;
    if (!(file ? load_graph : make_graph)(root, s, d))
    {
        return false;
    }
    s->ids = file ? s->ids : ATTRIBUTE_ABSENT;
    int code = ops->build(s->topology.config, &s->clos);
    if (code < 0) /* what a configuration alone can do wrong, its check has found */
    {
        diag_error(d, line_of(root, "topology"), "this %s cannot be built: %s; expected %s",
                   s->topology.algo->name, weft_strerror(code), s->topology.algo->doc);
    }
    return code >= 0;
}

/** Most QPs that a planner begins a connection with; 1 where nothing plans. */
static uint32_t
qps_per_connection(const struct scenario *s)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        const struct choice *c = level_at(s, i, NULL).balancer;
        const struct weft_lb_ops *lb = c->algo ? weft_lb_find(c->algo->name) : NULL;
        const uint32_t qps = lb && lb->plan ? lb->plan->qps(c->config) : 1;
        most = qps > most ? qps : most;
    }
    return most;
}

/** Reads what stands once. Whether there is a topology. */
static bool
read_once(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    bool topology = false;
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        const struct element_spec *spec = &vocabulary.elements[i];
        const struct element *e = element_child(root, spec->name);
        if ((spec->flags & ELEMENT_MANY) || !grammar_allows(spec, "scenario"))
        {
            continue;
        }
        element_read(e, spec, s, d);
        if (spec->flags & ELEMENT_SHORT) /* comes before the elements that it stands for */
        {
            apply_nic_preset(s->root, s->nic);
        }
        if (spec->selector)
        {
            struct choice *choice = (void *)((char *)s + spec->choice);
            const bool good = load_choice_of(root, e, spec->name, choice, d);
            topology = choice == &s->topology ? good : topology;
        }
    }
    return topology;
}

struct scenario *
scenario_load(struct element *root, struct diagnostics *d)
{
    size_t before = d->reported;
    struct scenario *s = xcalloc(1, sizeof *s);
    s->root = root;
    element_check_distinct(root, d);
    const bool topology = read_once(root, s, d) && build_topology(root, s, d);
    load_classes(root, s, d);
    const uint64_t first_qps =
        (uint64_t)load_workloads(root, s, topology, d) * qps_per_connection(s);
    const uint32_t nqps = first_qps < UINT32_MAX ? (uint32_t)first_qps : UINT32_MAX;
    if (!topology)
    {
        s->clos.nhosts = 0;
    }
    load_conditions(root, s, nqps, d);
    if (d->reported == before)
    {
        check_feasible(s, d);
        check_limit(s, line_of(root, "limit"), d);
    }
    if (d->reported == before)
    {
        warn_of_scenario(s, d);
    }
    if (d->reported > before)
    {
        scenario_free(s);
        return NULL;
    }
    return s;
}

void
scenario_free(struct scenario *s)
{
    if (!s)
    {
        return;
    }
    struct choice *const choices[] = {&s->topology, &s->fabric, &s->switches, &s->scheduler,
                                      &s->balancer, &s->cc,     &s->transport};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    {
        free(choices[i]->config);
    }
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        free(s->workloads[i].choice.config);
        free((void *)s->workloads[i].own_flows);
        free(s->workloads[i].own_places);
        free(s->workloads[i].hosts);
        free(s->workloads[i].ranges);
    }
    free_classes(s);
    free(s->tors_memory);
    free(s->workloads);
    free((void *)s->jobs.jobs);
    free(s->drops);
    for (size_t i = 0; i < s->nfaults; i++)
    {
        free(s->faults[i].others);
        free(s->faults[i].links);
    }
    free(s->faults);
    free(s->measure.qps);
    free(s->measure.timeline);
    free(s->measure.ports);
    element_free(s->root);
    free(s);
}

void
scenario_drop(struct scenario **s)
{
    scenario_free(*s);
}
