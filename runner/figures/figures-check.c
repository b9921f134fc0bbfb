/* SPDX-License-Identifier: GPL-2.0-only */
/* Mistakes in <figure> elements, found before hours of simulation rather than after them. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "element-values.h"
#include "figure-rows.h"
#include "figure-script.h"
#include "figure.h"
#include "figures.h"
#include "scenario-load.h"
#include "sweep-plan.h"
#include "textbuf.h"

static bool
is_cdf(const struct figure *figure)
{
    return figure->kind == FIGURE_CDF;
}

/** Returns the name of a figure's kind for messages. */
static const char *
kind_name(const struct figure *figure)
{
    static const char *const names[] = {"bars",       "bars",       "lines",          "a cdf",
                                        "a heat map", "a box plot", "a scatter plot", "a timeline"};
    return names[figure->kind];
}

/** Reports a column that is neither in @p table (may be NULL) nor, if @p varies, in the sweep. */
static void
check_column(const struct plan *plan, const struct figure *figure, const char *attribute,
             const char *column, const struct column_table *table, bool varies,
             struct diagnostics *d)
{
    struct nearest near = nearest_start(column);
    const bool swept = plan_column(plan, column) || strcmp(column, "run") == 0;
    if ((table && columns_find(table, column)) || (varies && swept))
    {
        return;
    }
    for (size_t i = 0; table && i < table->n; i++)
    {
        nearest_try(&near, table->columns[i].name);
    }
    CLEANUP(text_drop) struct text list = {0};
    for (size_t i = 0; varies && i < plan->ncolumns; i++)
    {
        nearest_try(&near, plan->keys[i].name);
        text_add(&list, "%s%s", i ? ", " : ": ", plan->keys[i].name);
    }
    diag_error(d, element_line(figure->e, attribute),
               "%s of <figure %s>: there is no column '%s'; expected %s%s%s%s%s%s", attribute,
               figure->name, column, table ? "a column of " : "", table ? table->file : "",
               table && varies ? " or " : "", varies ? "a parameter of the sweep" : "",
               list.len ? list.s : "", did_you_mean(near.best));
}

/** The value must be one that its column takes. */
static void
check_taken(const struct plan *plan, const struct figure *figure, const char *attribute,
            const char *column, const char *value, struct diagnostics *d)
{
    const struct plan_column *swept = plan_column(plan, column);
    struct nearest near = nearest_start(value);
    for (size_t p = 0; swept && p < swept->dim->npoints; p++)
    {
        nearest_try(&near, plan_cell(swept, p));
        if (strcmp(plan_cell(swept, p), value) == 0)
        {
            return;
        }
    }
    if (swept)
    {
        diag_error(d, element_line(figure->e, attribute),
                   "%s of <figure %s>: %s never is '%s'; expected a value of the sweep%s",
                   attribute, figure->name, column, value, did_you_mean(near.best));
    }
}

static void
check_where(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    for (size_t i = 0; i < figure->nconditions; i++)
    {
        const struct figure_condition *c = &figure->conditions[i];
        if (!c->value)
        {
            diag_error(d, element_line(figure->e, "where"),
                       "where of <figure %s>: '%s' is no condition; expected column=value",
                       figure->name, c->column);
            continue;
        }
        check_column(plan, figure, "where", c->column, figure_table(figure), true, d);
        check_taken(plan, figure, "where", c->column, c->value, d);
    }
}

/** Samples must be taken, and messages written, for a figure to show them. */
static void
check_measured(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    const struct element *measure = element_child(plan->doc->root, "measure");
    int64_t data = figure->data;
    const char *need = data == DATA_SERIES     ? "qps"
                       : data == DATA_FLOWS    ? "flows"
                       : data == DATA_TIMELINE ? "timeline"
                                               : "queues";
    bool sampled = data == DATA_SERIES || data == DATA_QUEUES || data == DATA_TIMELINE ||
                   ((data == DATA_SUMMARY || data == DATA_LAYERS) &&
                    strcmp(figure_shown(figure), "queue_mean_bytes") == 0);
    bool unwritten = data == DATA_FLOWS && measure && element_attribute(measure, need) &&
                     !element_number(measure, need).integer;
    if (unwritten || (sampled && (!measure || !element_attribute(measure, need))))
    {
        diag_error(d, element_line(figure->e, "data"),
                   "<figure %s> shows what is not measured (%s); expected <measure %s%s=\"...\"/>",
                   figure->name, figure_table(figure)->file,
                   unwritten || data == DATA_TIMELINE ? "" : "interval=\"...\" ", need);
    }
}

/** The templates of a set: "lines" or "cdf". The caller frees it. */
static char *
templates_of(const struct figure *figure, unsigned kinds)
{
    CLEANUP(words_free)
    struct words w = words_split(grammar_attribute(figure->e->spec, "template")->param.choices);
    struct text t = {0};
    for (size_t i = 0; i < w.n; i++)
    {
        if (kinds & FIGURE_SET(i))
        {
            text_add(&t, "%s\"%s\"", t.len ? " or " : "", w.word[i]);
        }
    }
    return text_take(&t);
}

/** Reports attributes that its template has no use for. */
static void
check_special(const struct figure *figure, struct diagnostics *d)
{
    for (size_t i = 0; i < figure->e->nattributes; i++)
    {
        const struct attribute *a = &figure->e->attributes[i];
        const struct attribute_spec *spec = grammar_attribute(figure->e->spec, a->name);
        if (spec && spec->templates && !figure_is(figure, spec->templates))
        {
            OWNED char *expected = templates_of(figure, spec->templates);
            diag_error(d, a->line, "%s of <figure %s> of %s; expected template=%s", a->name,
                       figure->name, kind_name(figure), expected);
        }
    }
}

/** How panels stand has no effect where there are none. */
static void
check_panels(const struct figure *figure, struct diagnostics *d)
{
    static const char *const names[] = {"panel-columns", "panel-axes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        if (!figure->panels && !figure->query && element_attribute(figure->e, names[i]))
        {
            diag_error(d, element_line(figure->e, names[i]),
                       "%s of <figure %s>, which has no panels; expected panels=\"...\" as well",
                       names[i], figure->name);
        }
    }
}

/** Where <level>s and <mark>s have a place. */
static void
check_references(const struct figure *figure, struct diagnostics *d)
{
    const bool heat = figure->kind == FIGURE_HEATMAP;
    for (size_t i = 0; i < figure->nreferences; i++)
    {
        const struct figure_reference *r = &figure->references[i];
        if (heat || (figure_is_mark(r) && figure_has_categories(figure)))
        {
            diag_error(d, r->e->line, "<%s> in <figure %s> of %s; expected %stemplate=\"lines\"",
                       r->e->name, figure->name, kind_name(figure), heat ? "" : "<level> or ");
        }
    }
}

/** The values of a curve's x must be numbers, and those in the sweep above 0 on a logarithmic axis.
 */
static void
check_numbers(const struct plan *plan, const struct figure *figure, const char *x,
              struct diagnostics *d)
{
    const struct column *of_file = columns_find(figure_table(figure), x);
    const struct plan_column *swept = is_cdf(figure) || of_file ? NULL : plan_column(plan, x);
    if (of_file ? of_file->kind == COLUMN_TEXT : strcmp(x, "run") == 0)
    {
        diag_error(d, element_line(figure->e, "x"),
                   "x of <figure %s> of %s: column '%s' holds text; expected one of numbers",
                   figure->name, kind_name(figure), x);
    }
    for (size_t p = 0; swept && p < swept->dim->npoints; p++)
    {
        const char *found = plan_cell(swept, p);
        double value;
        bool number = csv_number(found, &value) == CELL_NUMBER;
        if (!number || (figure->x.log && value <= 0))
        {
            diag_error(d, element_line(figure->e, number ? "x-log" : "x"),
                       number ? "x-log of <figure %s>: %s is '%s' in the sweep; expected values "
                                "above 0 on a logarithmic axis"
                              : "x of <figure %s> of lines: %s is '%s' in the sweep; expected "
                                "numbers",
                       figure->name, x, found);
            return;
        }
    }
    if (swept && !plan->keys[swept - plan->columns].unit)
    {
        diag_error(d, element_line(figure->e, "x"),
                   "x of <figure %s> of %s: the values of %s in the sweep have several units; "
                   "expected one",
                   figure->name, kind_name(figure), x);
    }
}

/** Checks an axis: its ends in order, and all of it above 0 if it is logarithmic. */
static void
check_axis(const struct figure *figure, const struct axis_attributes *a, struct diagnostics *d)
{
    const char *name = figure->name, *axis = a == &figure->x ? "x" : "y";
    OWNED char *least = xformat("%s-min", axis), *most = xformat("%s-max", axis);
    if (a->log && a->from <= 0)
    {
        diag_error(d, element_line(figure->e, least),
                   "%s of <figure %s> is 0; expected more than 0 on a logarithmic axis", least,
                   name);
    }
    if (a->to > 0 && a->from >= a->to)
    {
        diag_error(d, element_line(figure->e, most),
                   "%s of <figure %s> is not above %s; expected more than %g", most, name, least,
                   a->from);
    }
    for (size_t i = 0; a->log && i < figure->nreferences; i++)
    {
        const struct figure_reference *r = &figure->references[i];
        const char *at = element_value(r->e, axis);
        if (at && (a == &figure->x ? r->x : r->y) <= 0)
        {
            diag_error(
                d, element_line(r->e, axis),
                "%s of <%s> in <figure %s> is %s; expected more than 0 on a logarithmic axis", axis,
                r->e->name, name, at);
        }
    }
}

/** Whether steps of the workload wait for one another. */
static bool
has_steps(const struct scenario *s)
{
    const struct weft_workload_ops *ops = scenario_ops(s);
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct weft_traffic_size size;
    return ops->size(s->workload.config, &hosts, &size) == 0 && size.nsteps > 1;
}

/** Some run must have steps for a figure to show them. */
static void
check_steps(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    bool found = false;
    for (size_t i = 0; !found && i < plan->nruns; i++)
    {
        CLEANUP(scenario_drop) struct scenario *s = plan_load(plan, i, d);
        found = !s || has_steps(s);
    }
    if (!found)
    {
        diag_error(d, element_line(figure->e, "data"),
                   "<figure %s> shows steps, but no message of the workload waits for another; "
                   "expected a workload in steps, such as allreduce-ring",
                   figure->name);
    }
}

/** A table of workloads is written where there are several. */
static void
check_workloads(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    const struct element *first = element_child(plan->doc->root, "workload");
    if (!first || !element_child_after(plan->doc->root, "workload", first))
    {
        diag_error(d, element_line(figure->e, "data"),
                   "<figure %s> shows workloads one by one, but there is one only; expected "
                   "data=\"summary\"",
                   figure->name);
    }
}

/** Checks that a template can make something of the rows of a file: means of few, or the
 * distribution of any; else the columns are those of a table that is not meant. */
static bool
check_data(const struct figure *figure, struct diagnostics *d)
{
    const int64_t data = figure->data;
    const char *name = figure->name;
    const bool samples = data == DATA_SERIES || data == DATA_QUEUES;
    const size_t reported = d->reported;
    const bool spans = data == DATA_TIMELINE;
    if (!figure_is(figure, FIGURES_OF_ROWS) && (data == DATA_QPS || data == DATA_FLOWS || spans))
    {
        diag_error(d, element_line(figure->e, "data"),
                   "<figure %s> of %s cannot show the rows of %s; expected template=\"%s\"", name,
                   kind_name(figure), figure_table(figure)->file, spans ? "timeline" : "cdf");
    }
    else if (samples && figure_has_categories(figure) && !figure_is(figure, FIGURES_OF_ROWS))
    {
        diag_error(d, element_line(figure->e, "data"),
                   "<figure %s> of %s cannot show samples; expected data=\"summary\" or "
                   "template=\"lines\"",
                   name, kind_name(figure));
    }
    return d->reported == reported;
}

/** Checks attributes that the template does not know. */
static void
check_template(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    figure_template_check(plan, figure, d);
    check_special(figure, d);
    check_panels(figure, d);
    check_references(figure, d);
    if (figure->panels && figure->line)
    {
        diag_error(d, element_line(figure->e, "line"),
                   "line of <figure %s> with panels; expected one or the other", figure->name);
    }
}

static void
check_x(const struct plan *plan, const struct figure *f, struct diagnostics *d)
{
    const bool numbers = !figure_has_categories(f);
    const struct words *x = &f->x_columns;
    const int64_t data = f->data;
    const bool samples = data == DATA_SERIES || data == DATA_QUEUES;
    const bool varies = !is_cdf(f) && (figure_is(f, FIGURES_OF_ROWS) || !samples);
    for (size_t i = 0; i < x->n; i++)
    {
        const struct column_table *table = numbers || data ? figure_table(f) : NULL;
        check_column(plan, f, "x", x->word[i], table, varies, d);
    }
    if (x->n > FIGURE_MOST_X)
    {
        diag_error(d, element_line(f->e, "x"), "<figure %s> has %zu x columns; expected at most %d",
                   f->name, x->n, FIGURE_MOST_X);
    }
    if (numbers && x->n > 1)
    {
        diag_error(d, element_line(f->e, "x"), "<figure %s> of %s has %zu x columns; expected one",
                   f->name, kind_name(f), x->n);
    }
    if (numbers)
    {
        check_numbers(plan, f, x->n ? x->word[0] : "", d);
    }
}

/** Every column that a figure names must be there. */
static void
check_columns(const struct plan *plan, const struct figure *f, struct diagnostics *d)
{
    const bool heat = f->kind == FIGURE_HEATMAP;
    const int64_t data = f->data;
    const struct column_table *table = figure_table(f);
    const struct column_table *of_rows =
        data >= DATA_LAYERS || (figure_is(f, FIGURES_OF_ROWS) && data != DATA_SUMMARY) ? table
                                                                                       : NULL;
    const struct
    {
        const char *attribute, *column;
        const struct column_table *table;
        bool varies;
    } named[] = {
        {heat ? "z" : "y", is_cdf(f) ? NULL : figure_shown(f), table, f->kind == FIGURE_SCATTER},
        {"y", heat ? f->y.column : NULL, of_rows, true},
        {"series", f->series, of_rows, true},
        {"panels", f->panels, of_rows, true},
        {"line", f->line, &summary_table, false},
        {"end", f->end, table, false},
    };
    check_x(plan, f, d);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    {
        if (named[i].column)
        {
            check_column(plan, f, named[i].attribute, named[i].column, named[i].table,
                         named[i].varies, d);
        }
    }
}

/** Checks the names in a figure without <query>. */
static void
check_attributes(const struct plan *plan, const struct figure *f, struct diagnostics *d)
{
    if (!check_data(f, d))
    {
        return;
    }
    check_columns(plan, f, d);
    if (f->relative_to && f->x_columns.n)
    {
        check_taken(plan, f, "relative-to", f->series ? f->series : f->x_columns.word[0],
                    f->relative_to, d);
    }
    if (f->data == DATA_STEPS && d->reported == 0)
    {
        check_steps(plan, f, d);
    }
    if (f->data == DATA_WORKLOADS)
    {
        check_workloads(plan, f, d);
    }
    check_where(plan, f, d);
    check_measured(plan, f, d);
    if (d->reported == 0)
    {
        figure_check_pooling(plan, f, d);
    }
}

/** Whether a figure has what each figure must have, but not each template's: document_check() knows
 * of no such. */
static bool
has_axes(const struct figure *f, struct diagnostics *d)
{
    const char *lacking = f->query                                    ? NULL
                          : !f->x.column                              ? "x"
                          : is_cdf(f)                                 ? NULL
                          : !f->y.column                              ? "y"
                          : f->kind == FIGURE_HEATMAP && !f->z.column ? "z"
                          : f->kind == FIGURE_TIMELINE && !f->end     ? "end"
                                                                      : NULL;
    if (lacking)
    {
        diag_error(d, f->e->line,
                   "<figure %s> of %s lacks %s=\"...\"; expected a column, or a <query>", f->name,
                   f->template, lacking);
    }
    return !lacking;
}

void
figures_check(const struct plan *plan, struct diagnostics *d)
{
    CLEANUP(database_drop) struct database *tables = NULL;
    const struct element *e = NULL;
    while ((e = element_child_after(plan->doc->root, "figure", e)) != NULL)
    {
        CLEANUP(figure_drop) struct figure f;
        /* Without name or template document_check() has complained already. */
        if (!figure_load(&f, e) || !has_axes(&f, d))
        {
            continue;
        }
        tables = f.query && !tables ? plan_tables(plan) : tables;
        check_template(plan, &f, d);
        f.query ? figure_check_query(&f, tables, d) : check_attributes(plan, &f, d);
        check_axis(&f, &f.x, d);
        check_axis(&f, &f.y, d);
    }
}
