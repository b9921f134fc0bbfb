/* SPDX-License-Identifier: GPL-2.0-only */
/* Mistakes in <figure> elements, found before hours of simulation rather than after them. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "figure-rows.h"
#include "figure-script.h"
#include "figure.h"
#include "figures.h"
#include "scenario-load.h"
#include "sweep-plan.h"
#include "textbuf.h"

static bool
is_cdf(const struct element *figure)
{
    return figure_kind(figure) == FIGURE_CDF;
}

/** Returns the name of a figure's kind for messages. */
static const char *
kind_name(const struct element *figure)
{
    static const char *const names[] = {"bars",       "bars",       "lines",         "a cdf",
                                        "a heat map", "a box plot", "a scatter plot"};
    return names[figure_kind(figure)];
}

/** Reports a column that is neither in @p table (may be NULL) nor, if @p varies, in the sweep. */
static void
check_column(const struct plan *plan, const struct element *figure, const char *attribute,
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
    diag_error(d, element_line(figure, attribute),
               "%s of <figure %s>: there is no column '%s'; expected %s%s%s%s%s%s", attribute,
               element_value(figure, "name"), column, table ? "a column of " : "",
               table ? table->file : "", table && varies ? " or " : "",
               varies ? "a parameter of the sweep" : "", list.len ? list.s : "",
               did_you_mean(near.best));
}

/** The value must be one that its column takes. */
static void
check_taken(const struct plan *plan, const struct element *figure, const char *attribute,
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
    CLEANUP(words_free) struct words w = words_split(text ? text : "");
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
}

/** Samples must be taken, and messages written, for a figure to show them. */
static void
check_measured(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    const struct element *measure = element_child(plan->doc->root, "measure");
    int64_t data = element_number(figure, "data").integer;
    const char *need = data == DATA_SERIES ? "qps" : data == DATA_FLOWS ? "flows" : "queues";
    bool sampled = data == DATA_SERIES || data == DATA_QUEUES ||
                   ((data == DATA_SUMMARY || data == DATA_LAYERS) &&
                    strcmp(figure_shown(figure), "queue_mean_bytes") == 0);
    bool unwritten = data == DATA_FLOWS && measure && element_attribute(measure, need) &&
                     !element_number(measure, need).integer;
    if (unwritten || (sampled && (!measure || !element_attribute(measure, need))))
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> shows what is not measured (%s); expected <measure %s%s=\"...\"/>",
                   element_value(figure, "name"), figure_table(figure)->file,
                   unwritten ? "" : "interval=\"...\" ", need);
    }
}

#define OF(kind) FIGURE_SET(FIGURE_##kind)

/** Attributes that not every template has a use for. */
static const struct
{
    const char *name;
    unsigned kinds;
    const char *expected;
} special[] = {
    {"x-log", FIGURES_OF_NUMBERS, "lines"},
    {"x-min", FIGURES_OF_NUMBERS, "lines"},
    {"x-max", FIGURES_OF_NUMBERS, "lines"},
    {"y", ~OF(CDF), "lines"},
    {"y-log", ~OF(HEATMAP), "lines"},
    {"y-min", ~OF(HEATMAP), "lines"},
    {"y-max", ~OF(HEATMAP), "lines"},
    {"y-scale", ~OF(HEATMAP), "lines"},
    {"z", OF(HEATMAP), "heatmap"},
    {"z-label", OF(HEATMAP), "heatmap"},
    {"z-scale", OF(HEATMAP), "heatmap"},
    {"z-log", OF(HEATMAP), "heatmap"},
    {"series", ~(OF(BARS) | OF(HEATMAP)), "grouped-bars"},
    {"series-label", ~(OF(BARS) | OF(HEATMAP)), "grouped-bars"},
    {"legend", ~OF(HEATMAP), "lines"},
    {"values", FIGURES_OF_BARS | OF(HEATMAP), "bars"},
    {"relative-to", FIGURES_OF_BARS, "bars"},
    {"line", FIGURES_OF_BARS, "bars"},
    {"line-label", FIGURES_OF_BARS, "bars"},
    {"points", FIGURES_OF_LINES, "lines"},
    {"spread", FIGURES_OF_LINES, "lines"},
    {"error", FIGURES_OF_WHISKERS, "lines"},
};

static void
check_special(const struct element *figure, struct diagnostics *d)
{
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    {
        if (!figure_is(figure, special[i].kinds) && element_attribute(figure, special[i].name))
        {
            diag_error(d, element_line(figure, special[i].name),
                       "%s of <figure %s> of %s; expected template=\"%s\"", special[i].name,
                       element_value(figure, "name"), kind_name(figure), special[i].expected);
        }
    }
}

/** How panels stand has no effect where there are none. */
static void
check_panels(const struct element *figure, struct diagnostics *d)
{
    static const char *const names[] = {"panel-columns", "panel-axes"};
    const bool may = element_attribute(figure, "panels") || figure_own_query(figure);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        if (!may && element_attribute(figure, names[i]))
        {
            diag_error(d, element_line(figure, names[i]),
                       "%s of <figure %s>, which has no panels; expected panels=\"...\" as well",
                       names[i], element_value(figure, "name"));
        }
    }
}

/** Where <level>s and <mark>s have a place. */
static void
check_references(const struct element *figure, struct diagnostics *d)
{
    const bool heat = figure_kind(figure) == FIGURE_HEATMAP;
    for (size_t i = 0; i < figure->nchildren; i++)
    {
        const struct element *e = figure->children[i];
        const bool mark = strcmp(e->name, "mark") == 0;
        if (figure_draws(e) && (heat || (mark && figure_has_categories(figure))))
        {
            diag_error(d, e->line, "<%s> in <figure %s> of %s; expected %stemplate=\"lines\"",
                       e->name, element_value(figure, "name"), kind_name(figure),
                       heat ? "" : "<level> or ");
        }
    }
}

/** A font's name goes into SVG and into what gnuplot reads. */
static void
check_font(const struct element *figure, struct diagnostics *d)
{
    const char *font = element_value(figure, "font");
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -";
    if (font && font[strspn(font, letters)])
    {
        diag_error(d, element_line(figure, "font"),
                   "font '%s' of <figure %s>; expected a name of letters, digits, spaces and '-'",
                   font, element_value(figure, "name"));
    }
}

/** The values of a curve's x must be numbers, and those in the sweep above 0 on a logarithmic axis.
 */
static void
check_numbers(const struct plan *plan, const struct element *figure, const char *x,
              struct diagnostics *d)
{
    const struct column *of_file = columns_find(figure_table(figure), x);
    const struct plan_column *swept = is_cdf(figure) || of_file ? NULL : plan_column(plan, x);
    const bool log = element_number(figure, "x-log").integer != 0;
    if (of_file ? of_file->kind == COLUMN_TEXT : strcmp(x, "run") == 0)
    {
        diag_error(d, element_line(figure, "x"),
                   "x of <figure %s> of %s: column '%s' holds text; expected one of numbers",
                   element_value(figure, "name"), kind_name(figure), x);
    }
    for (size_t p = 0; swept && p < swept->dim->npoints; p++)
    {
        const char *found = plan_cell(swept, p);
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
    if (swept && !plan->keys[swept - plan->columns].unit)
    {
        diag_error(d, element_line(figure, "x"),
                   "x of <figure %s> of %s: the values of %s in the sweep have several units; "
                   "expected one",
                   element_value(figure, "name"), kind_name(figure), x);
    }
}

/** Checks an axis: its ends in order, and all of it above 0 if it is logarithmic. */
static void
check_axis(const struct element *figure, const char *axis, struct diagnostics *d)
{
    const char *name = element_value(figure, "name");
    OWNED char *least = xformat("%s-min", axis), *most = xformat("%s-max", axis);
    OWNED char *log = xformat("%s-log", axis);
    bool is_log = element_number(figure, log).integer != 0;
    double start = element_number(figure, least).real, end = element_number(figure, most).real;
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
        const bool known = e->spec && grammar_attribute(e->spec, axis);
        if (known && element_attribute(e, axis) && element_number(e, axis).real <= 0)
        {
            diag_error(
                d, element_line(e, axis),
                "%s of <%s> in <figure %s> is %s; expected more than 0 on a logarithmic axis", axis,
                e->name, name, element_value(e, axis));
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
check_steps(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    bool found = false;
    for (size_t i = 0; !found && i < plan->nruns; i++)
    {
        CLEANUP(scenario_drop) struct scenario *s = plan_load(plan, i, d);
        found = !s || has_steps(s);
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
    const struct element *first = element_child(plan->doc->root, "workload");
    if (!first || !element_child_after(plan->doc->root, "workload", first))
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> shows workloads one by one, but there is one only; expected "
                   "data=\"summary\"",
                   element_value(figure, "name"));
    }
}

/** Checks that a template can make something of the rows of a file: means of few, or the
 * distribution of any; else the columns are those of a table that is not meant. */
static bool
check_data(const struct element *figure, struct diagnostics *d)
{
    const int64_t data = element_number(figure, "data").integer;
    const char *name = element_value(figure, "name");
    const bool samples = data == DATA_SERIES || data == DATA_QUEUES;
    const size_t reported = d->reported;
    if (!figure_is(figure, FIGURES_OF_ROWS) && (data == DATA_QPS || data == DATA_FLOWS))
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> of %s cannot show the rows of %s; expected template=\"cdf\"", name,
                   kind_name(figure), figure_table(figure)->file);
    }
    else if (samples && figure_has_categories(figure) && !figure_is(figure, FIGURES_OF_ROWS))
    {
        diag_error(d, element_line(figure, "data"),
                   "<figure %s> of %s cannot show samples; expected data=\"summary\" or "
                   "template=\"lines\"",
                   name, kind_name(figure));
    }
    return d->reported == reported;
}

/** Checks attributes that the template does not know. */
static void
check_template(const struct plan *plan, const struct element *figure, struct diagnostics *d)
{
    figure_template_check(plan, figure, d);
    check_special(figure, d);
    check_panels(figure, d);
    check_references(figure, d);
    check_font(figure, d);
    if (element_attribute(figure, "panels") && element_attribute(figure, "line"))
    {
        diag_error(d, element_line(figure, "line"),
                   "line of <figure %s> with panels; expected one or the other",
                   element_value(figure, "name"));
    }
}

static void
check_x(const struct plan *plan, const struct element *e, const struct words *x,
        struct diagnostics *d)
{
    const bool numbers = !figure_has_categories(e);
    const int64_t data = element_number(e, "data").integer;
    const bool samples = data == DATA_SERIES || data == DATA_QUEUES;
    const bool varies = !is_cdf(e) && (figure_is(e, FIGURES_OF_ROWS) || !samples);
    for (size_t i = 0; i < x->n; i++)
    {
        const struct column_table *table = numbers || data ? figure_table(e) : NULL;
        check_column(plan, e, "x", x->word[i], table, varies, d);
    }
    if (x->n > FIGURE_MOST_X)
    {
        diag_error(d, element_line(e, "x"), "<figure %s> has %zu x columns; expected at most %d",
                   element_value(e, "name"), x->n, FIGURE_MOST_X);
    }
    if (numbers && x->n > 1)
    {
        diag_error(d, element_line(e, "x"), "<figure %s> of %s has %zu x columns; expected one",
                   element_value(e, "name"), kind_name(e), x->n);
    }
    if (numbers)
    {
        check_numbers(plan, e, x->n ? x->word[0] : "", d);
    }
}

/** Every column that a figure names must be there. */
static void
check_columns(const struct plan *plan, const struct element *e, const struct words *x,
              struct diagnostics *d)
{
    const bool heat = figure_kind(e) == FIGURE_HEATMAP;
    const int64_t data = element_number(e, "data").integer;
    const struct column_table *table = figure_table(e);
    const struct column_table *of_rows =
        data >= DATA_LAYERS || (figure_is(e, FIGURES_OF_ROWS) && data != DATA_SUMMARY) ? table
                                                                                       : NULL;
    const struct
    {
        const char *attribute, *column;
        const struct column_table *table;
        bool varies;
    } named[] = {
        {heat ? "z" : "y", is_cdf(e) ? NULL : figure_shown(e), table,
         figure_kind(e) == FIGURE_SCATTER},
        {"y", heat ? element_value(e, "y") : NULL, of_rows, true},
        {"series", element_value(e, "series"), of_rows, true},
        {"panels", element_value(e, "panels"), of_rows, true},
        {"line", element_value(e, "line"), &summary_table, false},
    };
    check_x(plan, e, x, d);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    {
        if (named[i].column)
        {
            check_column(plan, e, named[i].attribute, named[i].column, named[i].table,
                         named[i].varies, d);
        }
    }
}

/** Checks the names in a figure without <query>. */
static void
check_attributes(const struct plan *plan, const struct element *e, struct diagnostics *d)
{
    const char *series = element_value(e, "series"), *relative = element_value(e, "relative-to");
    CLEANUP(words_free) struct words x = words_split(element_value(e, "x"));
    if (!check_data(e, d))
    {
        return;
    }
    check_columns(plan, e, &x, d);
    if (relative && x.n)
    {
        check_taken(plan, e, "relative-to", series ? series : x.word[0], relative, d);
    }
    if (element_number(e, "data").integer == DATA_STEPS && d->reported == 0)
    {
        check_steps(plan, e, d);
    }
    if (element_number(e, "data").integer == DATA_WORKLOADS)
    {
        check_workloads(plan, e, d);
    }
    check_where(plan, e, d);
    check_measured(plan, e, d);
    if (d->reported == 0)
    {
        figure_check_pooling(plan, e, d);
    }
}

/** Whether it has a template that Weft knows, or one of the user's own. */
static bool
has_template(const struct element *e)
{
    const char *name = element_value(e, "template");
    union attribute_value value;
    return name && (template_is_file(name) ||
                    attribute_parse(grammar_attribute(e->spec, "template"), name, &value) == 0);
}

/** Whether a figure has what each figure must have, but not each template's: document_check() knows
 * of no such. */
static bool
has_axes(const struct element *e, struct diagnostics *d)
{
    const char *lacking = figure_own_query(e)                                          ? NULL
                          : !element_value(e, "x")                                     ? "x"
                          : is_cdf(e)                                                  ? NULL
                          : !element_value(e, "y")                                     ? "y"
                          : figure_kind(e) == FIGURE_HEATMAP && !element_value(e, "z") ? "z"
                                                                                       : NULL;
    if (lacking)
    {
        diag_error(d, e->line,
                   "<figure %s> of %s lacks %s=\"...\"; expected a column, or a <query>",
                   element_value(e, "name"), element_value(e, "template"), lacking);
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
        if (figure_own_query(e) && !tables)
        {
            tables = plan_tables(plan);
        }
        const char *name = element_value(e, "name");
        /* Without these document_check() has complained already. */
        if (name && has_template(e) && has_axes(e, d))
        {
            figure_own_query(e) ? figure_check_query(e, tables, d) : check_attributes(plan, e, d);
            check_template(plan, e, d);
            check_axis(e, "x", d);
            check_axis(e, "y", d);
        }
    }
}
