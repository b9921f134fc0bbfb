/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-load.h"

#include <stdlib.h>
#include <string.h>

#include "element-values.h"
#include "input-file.h"
#include "messages.h"
#include "textbuf.h"

static void
report_no_choice(const struct element *root, const struct element *e, const char *kind,
                 struct diagnostics *d)
{
    const struct element_spec *spec = vocabulary_find(kind, "scenario");
    char *names = algorithm_names(weft_registry_find(kind));
    if (e)
    {
        diag_error(d, e->line, "<%s> lacks %s=\"...\"; expected %s", kind, spec->selector, names);
    }
    else
    {
        diag_error(d, root->line, "the scenario has no <%s %s=\"...\"/>; expected one of %s", kind,
                   spec->selector, names);
    }
    free(names);
}

/** Whether a preset of the element sets the parameter. */
static bool
preset_sets(const struct weft_algo *algo, const char *preset, const char *param)
{
    for (size_t i = 0; preset && i < algo->npresets; i++)
    {
        if (strcmp(algo->presets[i].name, preset) != 0)
        {
            continue;
        }
        size_t n = strlen(param);
        for (const char *p = algo->presets[i].settings; (p = strstr(p, param)) != NULL; p += n)
        {
            if ((p == algo->presets[i].settings || p[-1] == ' ') && p[n] == '=')
            {
                return true;
            }
        }
    }
    return false;
}

static bool
all_given(const struct element *e, int line, const struct weft_algo *algo, struct diagnostics *d)
{
    bool good = true;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const struct weft_param *p = &algo->params[i];
        if (p->def || (e && element_attribute(e, p->name)) ||
            (e && preset_sets(algo, element_value(e, "preset"), p->name)))
        {
            continue;
        }
        diag_error(d, line, "the %s %s lacks %s=\"...\"; expected %s", algo->name,
                   e ? e->name : "element", p->name, expected_value(p));
        good = false;
    }
    return good;
}

/** The preset first, then the other attributes in any order. */
static bool
set_all(const struct element *e, const struct choice *choice, struct diagnostics *d)
{
    bool good = true;
    for (int pass = 0; pass < 2; pass++)
    {
        for (size_t i = 0; i < e->nattributes; i++)
        {
            const struct attribute *a = &e->attributes[i];
            bool is_preset = strcmp(a->name, "preset") == 0;
            bool own = strcmp(a->name, e->spec->selector) != 0 &&
                       (!grammar_attribute(e->spec, a->name) ||
                        !vocabulary_takes(e->spec, choice->algo, a->name));
            if (own && is_preset == (pass == 0))
            {
                good = set_parameter(d, e->spec, choice->algo, choice->config, a) && good;
            }
        }
    }
    return good;
}

bool
read_choice(const struct element *e, const char *kind, struct choice *choice, struct diagnostics *d)
{
    const char *selector = vocabulary_find(kind, "scenario")->selector;
    const char *name = e ? element_value(e, selector) : NULL;
    name = name ? name : default_algorithm(kind);
    *choice = (struct choice){.algo = name ? weft_find(kind, name) : NULL};
    if (choice->algo)
    {
        choice->config = xcalloc(1, choice->algo->config_size);
        weft_config_default(choice->algo, choice->config);
        return !e || set_all(e, choice, d);
    }
    if (name)
    {
        report_unknown_algorithm(d, element_line(e, selector), weft_registry_find(kind), name);
    }
    return !name;
}

bool
load_choice_of(const struct element *root, const struct element *e, const char *kind,
               struct choice *choice, struct diagnostics *d)
{
    const char *selector = vocabulary_find(kind, "scenario")->selector;
    const int line = e ? element_line(e, selector) : root->line;
    bool good = read_choice(e, kind, choice, d);
    if (good && !choice->algo)
    {
        report_no_choice(root, e, kind, d);
    }
    good = choice->algo && all_given(e, line, choice->algo, d) && good;
    const char *wrong = good && choice->algo->check ? choice->algo->check(choice->config) : NULL;
    if (wrong)
    {
        diag_error(d, line, "<%s %s>: %s", kind, choice->algo->name, wrong);
    }
    return good && !wrong;
}

static bool
load_choice(const struct element *root, const char *kind, struct choice *choice,
            struct diagnostics *d)
{
    return load_choice_of(root, element_child(root, kind), kind, choice, d);
}

int
line_of_element(const struct element *e)
{
    /* A value that an override set is the likelier culprit. */
    for (size_t i = 0; i < e->nattributes; i++)
    {
        if (e->attributes[i].overridden)
        {
            return e->attributes[i].line;
        }
    }
    return e->line;
}

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
    if (s->topology_file)
    {
        s->graph_name = s->topology_file->kept;
        ops->use(s->topology.config, &s->topology_file->graph);
    }
    return s->topology_file != NULL;
}

static bool
build_topology(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct weft_topology_ops *ops = weft_topology_find(s->topology.algo->name);
    if (ops->use && !load_graph(root, s, d))
    {
        return false;
    }
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
        const struct choice *c = level_at(NULL, s, i, NULL).balancer;
        const struct weft_lb_ops *lb = c->algo ? weft_lb_find(c->algo->name) : NULL;
        const uint32_t qps = lb && lb->plan ? lb->plan->qps(c->config) : 1;
        most = qps > most ? qps : most;
    }
    return most;
}

/** Whether an element's attributes lie in the scenario itself. */
static bool
is_once(const struct element_spec *spec)
{
    return spec->nattributes && !(spec->flags & ELEMENT_MANY) && grammar_allows(spec, "scenario");
}

static void
read_fixed(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        const struct element_spec *spec = &vocabulary.elements[i];
        if (is_once(spec))
        {
            element_read(element_child(root, spec->name), spec, s, d);
        }
    }
}

struct scenario *
scenario_load(struct element *root, struct diagnostics *d)
{
    size_t before = d->reported;
    struct scenario *s = xcalloc(1, sizeof *s);
    s->root = root;
    read_fixed(root, s, d);
    bool topology = load_choice(root, "topology", &s->topology, d);
    load_choice(root, "fabric", &s->fabric, d);
    load_choice(root, "switch", &s->switches, d);
    load_choice(root, "scheduler", &s->scheduler, d);
    load_choice(root, "transport", &s->transport, d);
    load_choice(root, "congestion-control", &s->cc, d);
    load_choice(root, "balancer", &s->balancer, d);
    topology = topology && build_topology(root, s, d);
    load_classes(root, s, d);
    uint32_t nqps = load_workloads(root, s, topology, d) * qps_per_connection(s);
    if (!topology)
    {
        s->clos.nhosts = 0;
    }
    load_conditions(root, s, nqps, d);
    if (d->reported == before)
    {
        check_fit(root, s, d);
        check_limit(s, line_of(root, "limit"), d);
    }
    if (d->reported == before)
    {
        check_suit(root, s, d);
        check_no_effect(root, s, d);
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
        free(s->workloads[i].hosts);
        free(s->workloads[i].ranges);
    }
    free_classes(s);
    free(s->workloads);
    free((void *)s->jobs.jobs);
    free(s->defaults);
    free(s->globals);
    free(s->drops);
    free(s->failures);
    free(s->degradations);
    free(s->measure.qps);
    free(s->measure.ports);
    element_free(s->root);
    free(s);
}
