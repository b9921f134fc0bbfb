/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input-file.h"
#include "link-failures.h"
#include "scenario-load.h"
#include "textbuf.h"

/** Writes ` name="value"`, the value in its canonical form. */
static void
write_param(struct text *t, const struct weft_param *param, const void *config)
{
    char value[128];
    if (weft_param_format(param, config, value, sizeof value) >= 0)
    {
        text_add(t, " %s=\"", param->name);
        text_add_xml(t, value);
        text_add(t, "\"");
    }
}

static void
write_file(struct text *t, const struct input_file *input)
{
    if (input)
    {
        text_add(t, " file=\"%s\"", input->kept);
    }
}

/** What a <workload> has besides its parameters. */
static void
write_part(struct text *t, const struct scenario *s, const struct workload *w)
{
    if (w->name)
    {
        text_add(t, " name=\"%s\"", w->name);
    }
    for (uint32_t i = 0, last; i < w->nhosts; i = last + 1)
    {
        for (last = i; last + 1 < w->nhosts && w->hosts[last + 1] == w->hosts[last] + 1; last++)
        {
        }
        text_add(t, "%s%u", i ? " " : " hosts=\"", w->hosts[i]);
        if (last > i)
        {
            text_add(t, "-%u", w->hosts[last]);
        }
    }
    text_add(t, "%s", w->nhosts ? "\"" : "");
    if (w->level)
    {
        text_add(t, " class=\"%s\"", s->classes[w->level - 1].name);
    }
    write_file(t, w->input);
    if (w->input && w->input->is_matrix)
    {
        text_add(t, " start-unit=\"%s\"", w->input->kind == INPUT_FLOWS_PS ? "ps" : "us");
    }
}

/** @p more: further attributes, each with a blank before it, or "". */
static void
write_choice(struct text *t, const char *kind, const struct choice *choice, const char *more)
{
    text_add(t, "  <%s %s=\"%s\"", kind, vocabulary_find(kind, "scenario")->selector,
             choice->algo->name);
    text_add(t, "%s", more);
    for (size_t i = 0; i < choice->algo->nparams; i++)
    {
        write_param(t, &choice->algo->params[i], choice->config);
    }
    text_add(t, "/>\n");
}

static void
write_classes(struct text *t, const struct scenario *s)
{
    for (size_t i = 0; i < s->nclasses; i++)
    {
        const struct qp_class *c = &s->classes[i];
        text_add(t, "  <class name=\"%s\" queue=\"%u\">\n", c->name, c->queue);
        write_choice(t, "transport", &c->transport, "");
        write_choice(t, "congestion-control", &c->cc, "");
        write_choice(t, "balancer", &c->balancer, "");
        text_add(t, "  </class>\n");
    }
}

static void
write_value(struct text *t, const char *element, const char *name, union attribute_value value)
{
    const struct element_spec *spec = vocabulary_find(element, "scenario");
    write_param(t, &vocabulary_attribute(spec, name)->param, &value);
}

static void
write_integer(struct text *t, const char *element, const char *name, int64_t value)
{
    write_value(t, element, name, (union attribute_value){.integer = value});
}

static void
write_losses(struct text *t, const struct scenario *s)
{
    for (size_t i = 0; i < s->ndrops; i++)
    {
        text_add(t, "  <drop qp=\"%u\" packets=\"%u\" count=\"%u\"%s/>\n", s->drops[i].qp,
                 s->drops[i].psn_offset, s->drops[i].count,
                 s->drops[i].last_hop ? " at=\"last-hop\"" : "");
    }
    text_add(t, "  <loss");
    write_value(t, "loss", "probability", (union attribute_value){.real = s->loss});
    text_add(t, "/>\n");
}

static uint64_t
parallel_number(const struct weft_clos *clos, uint64_t number, const struct weft_link *link)
{
    uint64_t parallel = 0;
    for (uint64_t i = clos->nhosts; i < number; i++)
    {
        struct weft_link other;
        weft_clos_link(clos, i, &other);
        parallel += link_joins(clos, &other, link->lower.index, link->upper.index);
    }
    return parallel;
}

static void
write_random_links(struct text *t, const struct scenario *s, const char *element,
                   const struct random_links *r)
{
    text_add(t, "  <%s", element);
    if (r->links > 0)
    {
        write_integer(t, element, "links", (int64_t)r->links);
    }
    else
    {
        write_value(t, element, "edge-aggregation", (union attribute_value){.real = r->edge});
    }
    if (s->clos.ncores && r->links == 0)
    {
        write_value(t, element, "aggregation-core", (union attribute_value){.real = r->core});
    }
    write_integer(t, element, "at", r->at);
    write_integer(t, element, "repair", r->repair);
}

/** The start of an element that names a link. */
static void
write_link(struct text *t, const struct scenario *s, const char *element, uint64_t number)
{
    struct weft_link link;
    weft_clos_link(&s->clos, number, &link);
    if (link.lower.is_host)
    {
        text_add(t, "  <%s host=\"%u\"", element, link.lower.index);
        return;
    }
    text_add(t, "  <%s lower=\"%u\" upper=\"%u\" link=\"%" PRIu64 "\"", element, link.lower.index,
             link.upper.index, parallel_number(&s->clos, number, &link));
}

static void
write_failures(struct text *t, const struct scenario *s)
{
    for (size_t i = 0; i < s->nfailures; i++)
    {
        write_link(t, s, "failure", s->failures[i].link);
        write_integer(t, "failure", "at", s->failures[i].at);
        write_integer(t, "failure", "repair", s->failures[i].repair);
        text_add(t, "/>\n");
    }
    for (size_t i = 0; i < s->ndegradations; i++)
    {
        write_link(t, s, "degrade", s->degradations[i].link);
        write_integer(t, "degrade", "rate", s->degradations[i].rate);
        write_integer(t, "degrade", "at", s->degradations[i].at);
        write_integer(t, "degrade", "repair", s->degradations[i].repair);
        text_add(t, "/>\n");
    }
    write_random_links(t, s, "random-failures", &s->random_failures);
    text_add(t, "/>\n");
    if (random_links_any(&s->random_degrade))
    {
        write_random_links(t, s, "random-degrade", &s->random_degrade);
        write_value(t, "random-degrade", "share",
                    (union attribute_value){.real = s->random_degrade.share});
        text_add(t, "/>\n");
    }
    text_add(t, "  <convergence");
    write_integer(t, "convergence", "delay", s->convergence);
    write_integer(t, "convergence", "weights", s->weights);
    text_add(t, "/>\n");
}

static void
write_measure(struct text *t, const struct scenario *s)
{
    text_add(t, "  <measure");
    write_integer(t, "measure", "interval", s->measure.interval);
    for (size_t i = 0; i < s->measure.nqps; i++)
    {
        text_add(t, "%s%u", i ? " " : " qps=\"", s->measure.qps[i]);
    }
    text_add(t, "%s", s->measure.nqps ? "\"" : "");
    if (s->measure.port_names)
    {
        text_add(t, " ports=\"%s\"", s->measure.port_names);
    }
    write_integer(t, "measure", "queues", s->measure.queues);
    write_integer(t, "measure", "balance", s->measure.balance);
    write_integer(t, "measure", "flows", s->measure.flows);
    write_integer(t, "measure", "warm-up", s->measure.warm_up);
    write_integer(t, "measure", "window", s->measure.window);
    text_add(t, "/>\n");
}

static void
write_pairs(struct text *t, const char *element, const struct attribute_default *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, "  <%s name=\"", element);
        text_add_xml(t, list[i].name);
        text_add(t, "\" value=\"");
        text_add_xml(t, list[i].value);
        text_add(t, "\"/>\n");
    }
}

char *
scenario_write(const struct scenario *s, const char *name)
{
    struct text t = {0};
    text_add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scenario name=\"%s\">\n", name);
    struct text file = {0};
    write_file(&file, s->topology_file);
    write_choice(&t, "topology", &s->topology, file.s ? file.s : "");
    free(file.s);
    write_choice(&t, "fabric", &s->fabric, "");
    write_choice(&t, "switch", &s->switches, "");
    write_choice(&t, "scheduler", &s->scheduler, "");
    write_choice(&t, "transport", &s->transport, "");
    write_choice(&t, "congestion-control", &s->cc, "");
    write_choice(&t, "balancer", &s->balancer, "");
    write_classes(&t, s);
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        struct text more = {0};
        write_part(&more, s, &s->workloads[i]);
        write_choice(&t, "workload", &s->workloads[i].choice, more.s ? more.s : "");
        free(more.s);
    }
    write_losses(&t, s);
    write_failures(&t, s);
    write_measure(&t, s);
    text_add(&t, "  <limit");
    write_integer(&t, "limit", "time", s->stop);
    if (s->stop_is_end)
    {
        write_integer(&t, "limit", "then", 1); /* else as ever: old results stay good */
    }
    text_add(&t, "/>\n  <seed");
    write_integer(&t, "seed", "value", (int64_t)s->seed);
    write_integer(&t, "seed", "run", (int64_t)s->run);
    text_add(&t, "/>\n");
    write_pairs(&t, "default", s->defaults, s->ndefaults);
    write_pairs(&t, "global", s->globals, s->nglobals);
    text_add(&t, "</scenario>\n");
    return text_take(&t);
}
