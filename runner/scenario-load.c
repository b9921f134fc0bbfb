/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-load.h"

#include <stdlib.h>
#include <string.h>

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
        char expected[512];
        if (weft_param_expected(p, expected, sizeof expected) < 0)
        {
            snprintf(expected, sizeof expected, "a %s", weft_type_name(p->type));
        }
        diag_error(d, line, "the %s %s lacks %s=\"...\"; expected %s", algo->name,
                   e ? e->name : "element", p->name, expected);
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
                       (!vocabulary_attribute(e->spec, a->name) ||
                        !vocabulary_takes(e->spec, choice->algo, a->name));
            if (own && is_preset == (pass == 0))
            {
                good = set_parameter(d, e->spec, choice->algo, choice->config, a) && good;
            }
        }
    }
    return good;
}

static bool
load_choice(const struct element *root, const char *kind, struct choice *choice,
            struct diagnostics *d)
{
    const struct element *e = element_child(root, kind);
    const char *selector = vocabulary_find(kind, "scenario")->selector;
    const char *name = e ? element_value(e, selector) : NULL;
    name = name ? name : default_algorithm(kind);
    if (!name)
    {
        report_no_choice(root, e, kind, d);
        return false;
    }
    choice->algo = weft_find(kind, name);
    if (!choice->algo)
    {
        report_unknown_algorithm(d, e ? element_line(e, selector) : root->line,
                                 weft_registry_find(kind), name);
        return false;
    }
    choice->config = xcalloc(1, choice->algo->config_size);
    weft_config_default(choice->algo, choice->config);
    bool good = !e || set_all(e, choice, d);
    int line = e ? element_line(e, selector) : root->line;
    good = all_given(e, line, choice->algo, d) && good;
    const char *wrong = good && choice->algo->check ? choice->algo->check(choice->config) : NULL;
    if (wrong)
    {
        diag_error(d, line, "<%s %s>: %s", kind, name, wrong);
    }
    return good && !wrong;
}

static int
line_of(const struct element *root, const char *kind)
{
    const struct element *e = element_child(root, kind);
    if (!e)
    {
        return root->line;
    }
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

static bool
build_topology(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct weft_topology_ops *ops = weft_topology_find(s->topology.algo->name);
    int code = ops->build(s->topology.config, &s->clos);
    if (code == WEFT_EOVERFLOW)
    {
        diag_error(d, line_of(root, "topology"),
                   "this %s is too large; expected at most %u hosts and 4096 ports per switch",
                   s->topology.algo->name, (unsigned)WEFT_MAX_HOSTS);
    }
    else if (code < 0)
    {
        diag_error(d, line_of(root, "topology"), "this %s cannot be built: %s; expected %s",
                   s->topology.algo->name, weft_strerror(code), s->topology.algo->doc);
    }
    return code >= 0;
}

/** Gives the workload what its file says. */
static bool
load_input(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct weft_workload_ops *ops = weft_workload_find(s->workload.algo->name);
    const struct element *e = element_child(root, "workload");
    const char *file = e ? element_value(e, "file") : NULL;
    if (ops->table == WEFT_TABLE_NONE)
    {
        return true;
    }
    if (!file)
    {
        diag_error(d, line_of(root, "workload"), "the %s workload lacks file=\"...\"; expected %s",
                   s->workload.algo->name,
                   ops->table == WEFT_TABLE_FLOWS
                       ? "a file of flows: CSV, HPCC's, ConWeave's or htsim's"
                       : "a distribution of sizes: lines of bytes and percent");
        return false;
    }
    s->input = input_file_load(d->file, file, ops->table, element_line(e, "file"), d);
    if (s->input)
    {
        ops->use(s->workload.config, &s->input->table);
    }
    return s->input != NULL;
}

/** Reports flows of hosts that are not there. */
static bool
check_flows(const struct element *root, const struct scenario *s, struct diagnostics *d)
{
    const struct input_file *f = s->input;
    const uint32_t n = s->clos.nhosts;
    for (uint32_t i = 0; f && i < f->table.nflows; i++)
    {
        const struct weft_table_flow *flow = &f->table.flows[i];
        if (flow->src >= n || flow->dst >= n)
        {
            diag_error(d, element_line(element_child(root, "workload"), "file"),
                       "%s:%d: there is no host %u; expected 0 to %u, the hosts of this topology",
                       f->path, f->lines[i], flow->src >= n ? flow->src : flow->dst, n - 1);
            return false;
        }
    }
    return true;
}

static bool
size_workload(const struct element *root, const struct scenario *s, uint32_t *nqps,
              struct diagnostics *d)
{
    const struct weft_workload_ops *ops = weft_workload_find(s->workload.algo->name);
    struct weft_traffic_size size;
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    int code = ops->size(s->workload.config, &hosts, &size);
    if (code == WEFT_EOVERFLOW)
    {
        diag_error(d, line_of(root, "workload"),
                   "this %s is too large; expected at most 16777216 messages",
                   s->workload.algo->name);
    }
    else if (code < 0)
    {
        const char *why = ops->refusal ? ops->refusal(s->workload.config, &hosts) : NULL;
        diag_error(d, line_of(root, "workload"), "this %s does not fit %u hosts: %s",
                   s->workload.algo->name, s->clos.nhosts, why ? why : weft_strerror(code));
    }
    *nqps = code >= 0 ? size.nqps : 0;
    return code >= 0;
}

/** The value of a count that the algorithm may lack; -1 then. */
static int64_t
count_of(const struct choice *choice, const char *name)
{
    const struct weft_param *p = weft_param_find(choice->algo, name);
    return p ? *(const int64_t *)((const char *)choice->config + p->offset) : -1;
}

/** A sender that may not send as many packets as an ACK waits for stands still until its RTO. */
static void
check_acks(const struct element *root, const struct scenario *s, struct diagnostics *d)
{
    int64_t outstanding = count_of(&s->transport, "outstanding");
    int64_t every = count_of(&s->fabric, "ack-every");
    const struct element *e = element_child(root, "transport");
    if (outstanding >= 0 && outstanding < every)
    {
        bool named = e && element_attribute(e, "outstanding");
        diag_error(d, named ? element_line(e, "outstanding") : line_of(root, "fabric"),
                   "outstanding %lld of <transport> is less than ack-every %lld of <fabric>: every "
                   "ACK would wait for the RTO; expected outstanding to be at least ack-every",
                   (long long)outstanding, (long long)every);
    }
}

struct scenario *
scenario_load(const struct element *root, struct diagnostics *d)
{
    size_t before = d->reported;
    struct scenario *s = xcalloc(1, sizeof *s);
    const char *name = element_value(root, "name");
    s->name = xstrdup(name ? name : "");
    bool topology = load_choice(root, "topology", &s->topology, d);
    load_choice(root, "fabric", &s->fabric, d);
    load_choice(root, "switch", &s->switches, d);
    load_choice(root, "transport", &s->transport, d);
    load_choice(root, "congestion-control", &s->cc, d);
    load_choice(root, "balancer", &s->balancer, d);
    bool workload = load_choice(root, "workload", &s->workload, d);
    workload = workload && load_input(root, s, d);
    topology = topology && build_topology(root, s, d);
    uint32_t nqps = 0;
    if (topology && workload && check_flows(root, s, d))
    {
        size_workload(root, s, &nqps, d);
    }
    if (!topology)
    {
        s->clos.nhosts = 0;
    }
    load_conditions(root, s, nqps, d);
    if (d->reported == before)
    {
        check_acks(root, s, d);
        check_fit(s, line_of(root, "switch"), line_of(root, "balancer"), d);
        check_limit(s, line_of(root, "limit"), d);
    }
    if (d->reported == before)
    {
        check_suit(s, root, d);
    }
    if (d->reported > before)
    {
        scenario_free(s);
        return NULL;
    }
    return s;
}

static void
free_pairs(struct attribute_default *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        free(list[i].name);
        free(list[i].value);
    }
    free(list);
}

void
scenario_free(struct scenario *s)
{
    if (!s)
    {
        return;
    }
    struct choice *const choices[] = {&s->topology, &s->fabric,    &s->switches, &s->balancer,
                                      &s->cc,       &s->transport, &s->workload};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    {
        free(choices[i]->config);
    }
    free_pairs(s->defaults, s->ndefaults);
    free_pairs(s->globals, s->nglobals);
    free(s->drops);
    free(s->failures);
    free(s->measure.qps);
    free(s->name);
    free(s);
}
