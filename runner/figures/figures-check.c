/* SPDX-License-Identifier: GPL-2.0-only */
/* Mistakes in <figure> elements, found before hours of simulation rather than after them. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "figure.h"
#include "figures.h"
#include "scenario-load.h"
#include "textbuf.h"

static bool
is_cdf(const struct element *figure)
{
    return strcmp(element_value(figure, "template"), "cdf") == 0;
}

static void
try_table(const struct column_table *table, bool derived, struct nearest *near, bool *found)
{
    if (derived && table->derived)
    {
        nearest_try(near, table->derived->name);
        *found = strcmp(table->derived->name, near->name) == 0;
    }
    for (size_t i = 0; i < table->n; i++)
    {
        nearest_try(near, table->columns[i].name);
        *found = *found || strcmp(table->columns[i].name, near->name) == 0;
    }
}

static void
try_plan(const struct plan *plan, struct nearest *near, bool *found)
{
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        for (size_t c = 0; c < plan->dimensions[k].ncolumns; c++)
        {
            nearest_try(near, plan->dimensions[k].columns[c]);
            *found = *found || strcmp(plan->dimensions[k].columns[c], near->name) == 0;
        }
    }
}

/** Reports a column that is neither in @p table (may be NULL) nor, if @p varies, in the sweep. */
static void
check_column(const struct plan *plan, const struct element *figure, const char *attribute,
             const char *column, const struct column_table *table, bool varies,
             struct diagnostics *d)
{
    struct nearest near = nearest_start(column);
    bool found = false;
    if (table)
    {
        bool derived = is_cdf(figure) && strcmp(attribute, "x") == 0;
        try_table(table, derived, &near, &found);
    }
    if (varies)
    {
        found = found || strcmp(column, "run") == 0;
        try_plan(plan, &near, &found);
    }
    if (!found)
    {
        diag_error(d, element_line(figure, attribute),
                   "%s of <figure %s>: there is no column '%s'; expected %s%s%s%s", attribute,
                   element_value(figure, "name"), column, table ? "a column of " : "",
                   table ? table->file : "",
                   varies ? (table ? " or a parameter of the sweep" : "a parameter of the sweep")
                          : "",
                   did_you_mean(near.best));
    }
}

/** The value must be one that its column takes. */
static void
check_taken(const struct plan *plan, const struct element *figure, const char *attribute,
            const char *column, const char *value, struct diagnostics *d)
{
    size_t c;
    const struct plan_dimension *dim = plan_column(plan, column, &c);
    struct nearest near = nearest_start(value);
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        nearest_try(&near, dim->points[p].cells[c]);
        if (strcmp(dim->points[p].cells[c], value) == 0)
        {
            return;
        }
    }
    if (dim)
    {
        diag_error(d, element_line(figure, attribute),
                   "%s of <figure %s>: %s never is '%s'; expected a value of the sweep%s",
                   attribute, element_value(figure, "name"), column, value,
                   did_you_mean(near.best));
    }
}

static void
check_where(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    const char *text = element_value(figure, "where");
    struct words w = words_split(text ? text : "");
    for (size_t i = 0; i < w.n; i++)
    {
        char *equals = strchr(w.word[i], '=');
        if (!equals || equals == w.word[i])
        {
            diag_error(d, element_line(figure, "where"),
                       "where of <figure %s>: '%s' is no condition; expected column=value",
                       element_value(figure, "name"), w.word[i]);
            continue;
        }
        *equals = '\0';
        check_column(plan, figure, "where", w.word[i], figure_table(figure), true, d);
        check_taken(plan, figure, "where", w.word[i], equals + 1, d);
    }
    words_free(&w);
}

/** Samples must be taken, and messages written, for a figure to show them. */
static void
check_measured(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    const struct element *measure = element_child(plan->doc->root, "measure");
    int64_t data = figure_value(figure, "data").integer;
    const char *need = data == DATA_SERIES ? "qps" : data == DATA_FLOWS ? "flows" : "queues";
    bool sampled = data == DATA_SERIES || data == DATA_QUEUES ||
                   ((data == DATA_SUMMARY || data == DATA_LAYERS) &&
                    strcmp(figure_shown(figure), "queue_mean_bytes") == 0);
    bool unwritten = data == DATA_FLOWS && measure && element_attribute(measure, need) &&
                     !figure_value(measure, need).integer;
    if (unwritten || (sampled && (!measure || !element_attribute(measure, need))))
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> shows what is not measured (%s); expected <measure %s%s=\"...\"/>",
                   element_value(figure, "name"), figure_table(figure)->file,
                   unwritten ? "" : "interval=\"...\" ", need);
    }
}

/** Attributes that the template has no use for. */
static void
check_useless(const struct element *figure, const char *const *attributes, size_t n,
              const char *what, const char *expected, struct diagnostics *d)
{
    for (size_t i = 0; i < n; i++)
    {
        if (element_attribute(figure, attributes[i]))
        {
            diag_error(d, element_line(figure, attributes[i]),
                       "%s of <figure %s> of %s; expected template=\"%s\"", attributes[i],
                       element_value(figure, "name"), what, expected);
        }
    }
}

/** What bars cannot show. */
static void
check_for_lines(const struct element *figure, struct diagnostics *d)
{
    static const char *const attributes[] = {"x-log", "x-min", "x-max", "points", "spread"};
    const char *name = element_value(figure, "name");
    check_useless(figure, attributes, sizeof attributes / sizeof *attributes, "bars", "lines", d);
    for (size_t i = 0; i < figure->nchildren; i++)
    {
        if (strcmp(figure->children[i]->name, "mark") == 0)
        {
            diag_error(d, figure->children[i]->line,
                       "<mark> in <figure %s> of bars; expected <level> or template=\"lines\"",
                       name);
        }
    }
}

/** The values of a curve's x must be numbers, and those in the sweep above 0 on a logarithmic axis.
 */
static void
check_numbers(const struct plan *plan, const struct element *figure, const char *x,
              struct diagnostics *d)
{
    size_t cell;
    const struct plan_dimension *dim = is_cdf(figure) ? NULL : plan_column(plan, x, &cell);
    const struct column_table *table = figure_table(figure);
    bool log = figure_value(figure, "x-log").integer != 0, text = strcmp(x, "run") == 0;
    for (size_t i = 0; i < table->n; i++)
    {
        text = text ||
               (table->columns[i].kind == COLUMN_TEXT && strcmp(table->columns[i].name, x) == 0);
    }
    if (text)
    {
        diag_error(d, element_line(figure, "x"),
                   "x of <figure %s> of %s: column '%s' holds text; expected one of numbers",
                   element_value(figure, "name"), is_cdf(figure) ? "a cdf" : "lines", x);
    }
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        const char *found = dim->points[p].cells[cell];
        double value;
        bool number = csv_number(found, &value) == CELL_NUMBER;
        if (!number || (log && value <= 0))
        {
            diag_error(d, element_line(figure, number ? "x-log" : "x"),
                       number ? "x-log of <figure %s>: %s is '%s' in the sweep; expected values "
                                "above 0 on a logarithmic axis"
                              : "x of <figure %s> of lines: %s is '%s' in the sweep; expected "
                                "numbers",
                       element_value(figure, "name"), x, found);
            return;
        }
    }
}

/** What stands on an axis: its ends in order, and all of it above 0 if it is logarithmic. */
static void
check_axis(const struct element *figure, const char *axis, struct diagnostics *d)
{
    const char *name = element_value(figure, "name");
    char *least = xformat("%s-min", axis), *most = xformat("%s-max", axis);
    char *log = xformat("%s-log", axis);
    bool is_log = figure_value(figure, log).integer != 0;
    double start = figure_value(figure, least).real, end = figure_value(figure, most).real;
    if (is_log && element_attribute(figure, least) && start <= 0)
    {
        diag_error(d, element_line(figure, least),
                   "%s of <figure %s> is 0; expected more than 0 on a logarithmic axis", least,
                   name);
    }
    if (end > 0 && start >= end)
    {
        diag_error(d, element_line(figure, most),
                   "%s of <figure %s> is not above %s; expected more than %g", most, name, least,
                   start);
    }
    for (size_t i = 0; is_log && i < figure->nchildren; i++)
    {
        const struct element *e = figure->children[i];
        if (element_attribute(e, axis) && figure_value(e, axis).real <= 0)
        {
            diag_error(
                d, element_line(e, axis),
                "%s of <%s> in <figure %s> is %s; expected more than 0 on a logarithmic axis", axis,
                e->name, name, element_value(e, axis));
        }
    }
    free(least);
    free(most);
    free(log);
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
check_steps(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    bool found = false;
    for (size_t i = 0; !found && i < plan->nruns; i++)
    {
        struct scenario *s = plan_load(plan, i, d);
        found = !s || has_steps(s);
        scenario_free(s);
    }
    if (!found)
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> shows steps, but no message of the workload waits for another; "
                   "expected a workload in steps, such as allreduce-ring",
                   element_value(figure, "name"));
    }
}

/** A table of workloads is written where there are several. */
static void
check_workloads(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    const struct element *root = plan->doc->root;
    size_t n = 0;
    for (size_t i = 0; i < root->nchildren; i++)
    {
        n += strcmp(root->children[i]->name, "workload") == 0;
    }
    if (n < 2)
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> shows workloads one by one, but there is one only; expected "
                   "data=\"summary\"",
                   element_value(figure, "name"));
    }
}

/** What a template makes of the rows of a file: means of few, or the distribution of any. */
static void
check_data(const struct element *figure, bool lines, struct diagnostics *d)
{
    int64_t data = figure_value(figure, "data").integer;
    const char *name = element_value(figure, "name");
    bool samples = data == DATA_SERIES || data == DATA_QUEUES;
    if (data == DATA_QPS || data == DATA_FLOWS)
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> of %s cannot show the rows of %s; expected template=\"cdf\"", name,
                   lines ? "lines" : "bars", figure_table(figure)->file);
    }
    else if (!lines && samples)
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> of bars cannot show samples; expected data=\"summary\" or "
                   "template=\"lines\"",
                   name);
    }
}

/** Attributes of other templates than its own. */
static void
check_template(const struct element *figure, struct diagnostics *d)
{
    static const char *const of_bars[] = {"values", "relative-to", "line", "line-label"};
    static const char *const of_lines[] = {"y", "points", "spread", "error"};
    bool lines = strcmp(element_value(figure, "template"), "lines") == 0;
    if (is_cdf(figure))
    {
        check_useless(figure, of_bars, 4, "a cdf", "bars", d);
        check_useless(figure, of_lines, 4, "a cdf", "lines", d);
        return;
    }
    check_data(figure, lines, d);
    if (lines)
    {
        check_useless(figure, of_bars, 1, "lines", "bars", d);
    }
    else
    {
        check_for_lines(figure, d);
    }
}

static void
check_x(const struct plan *plan, const struct element *e, const struct words *x,
        struct diagnostics *d)
{
    const char *kind = element_value(e, "template");
    bool cdf = is_cdf(e), lines = strcmp(kind, "lines") == 0;
    int64_t data = figure_value(e, "data").integer;
    bool varies = !cdf && data != DATA_SERIES && data != DATA_QUEUES;
    for (size_t i = 0; i < x->n; i++)
    {
        const struct column_table *table = cdf || lines || data ? figure_table(e) : NULL;
        check_column(plan, e, "x", x->word[i], table, varies, d);
    }
    if ((cdf || lines) && x->n > 1)
    {
        diag_error(d, element_line(e, "x"), "<figure %s> of %s has %zu x columns; expected one",
                   element_value(e, "name"), cdf ? "a cdf" : "lines", x->n);
    }
    if (cdf || lines)
    {
        check_numbers(plan, e, x->n ? x->word[0] : "", d);
    }
}

/** Every column that a figure names must be there. */
static void
check_columns(const struct plan *plan, const struct element *e, const struct words *x,
              struct diagnostics *d)
{
    const char *series = element_value(e, "series"), *line = element_value(e, "line");
    int64_t data = figure_value(e, "data").integer;
    check_x(plan, e, x, d);
    if (!is_cdf(e))
    {
        check_column(plan, e, "y", element_value(e, "y"), figure_table(e), false, d);
    }
    if (series)
    {
        bool of_file = data >= DATA_LAYERS || (is_cdf(e) && data != DATA_SUMMARY);
        check_column(plan, e, "series", series, of_file ? figure_table(e) : NULL, true, d);
    }
    if (line)
    {
        check_column(plan, e, "line", line, &summary_table, false, d);
    }
}

static void
check_figure(const struct plan *plan, const struct element *e, struct diagnostics *d)
{
    const char *series = element_value(e, "series"), *relative = element_value(e, "relative-to");
    struct words x = words_split(element_value(e, "x"));
    check_columns(plan, e, &x, d);
    if (relative && x.n)
    {
        check_taken(plan, e, "relative-to", series ? series : x.word[0], relative, d);
    }
    words_free(&x);
    check_template(e, d);
    check_axis(e, "x", d);
    check_axis(e, "y", d);
    if (figure_value(e, "data").integer == DATA_STEPS && d->reported == 0)
    {
        check_steps(plan, e, d);
    }
    if (figure_value(e, "data").integer == DATA_WORKLOADS)
    {
        check_workloads(plan, e, d);
    }
    check_where(plan, e, d);
    check_measured(plan, e, d);
}

/** What every figure must have, but not every template's: document_check() knows of no such. */
static bool
has_y(const struct element *e, struct diagnostics *d)
{
    bool good = is_cdf(e) || element_value(e, "y");
    if (!good)
    {
        diag_error(d, e->line, "<figure %s> of %s lacks y=\"...\"; expected a column",
                   element_value(e, "name"), element_value(e, "template"));
    }
    return good;
}

void
figures_check(const struct plan *plan, struct diagnostics *d)
{
    const struct element *root = plan->doc->root;
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (strcmp(e->name, "figure") != 0)
        {
            continue;
        }
        const char *name = element_value(e, "name");
        for (size_t k = 0; name && k < i; k++)
        {
            const struct element *other = root->children[k];
            const char *taken = element_value(other, "name");
            if (strcmp(other->name, "figure") == 0 && taken && strcmp(taken, name) == 0)
            {
                diag_error(d, element_line(e, "name"),
                           "a second figure '%s'; expected each name "
                           "once",
                           name);
            }
        }
        /* Without these document_check() has complained already. */
        if (name && element_value(e, "template") && element_value(e, "x") && has_y(e, d))
        {
            check_figure(plan, e, d);
        }
    }
}
