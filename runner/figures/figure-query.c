/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries that the attributes of a figure make. */
#include "figure-rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql-file.h"
#include "sweep-plan.h"

/** A column that tells points apart. */
struct key
{
    const char *column;
    const char *as; /**< what the query calls it */
    bool number;    /**< it is an axis of numbers */
};

/** A query while it is written. */
struct writing
{
    const struct plan *plan;
    const struct figure *figure;
    const struct column_table *table;
    const char *from;                   /**< the table's name */
    struct key keys[FIGURE_MOST_X + 2]; /**< the columns that come first: panel, series, all of x */
    size_t nkeys, nx;                   /**< all of them; of these, x */
    double scale;                       /**< of the values */
    struct text t;
};

/* --- columns ---------------------------------------------------------------------------------- */

/** Adds a column of @p table with the table's name before it where two are joined. */
static void
add_of(struct text *t, const struct writing *w, const char *table, const char *column)
{
    if (w->table != &summary_table)
    {
        text_add(t, "%s.", table);
    }
    sql_add_name(t, column);
}

/** Adds a column that the figure names: of its table, else of what varies. @p number: what varies
 * as a number in its unit. */
static void
add_column(struct text *t, const struct writing *w, const char *name, bool number)
{
    const struct plan_column *swept = plan_column(w->plan, name);
    if (columns_find(w->table, name))
    {
        add_of(t, w, w->from, name);
        return;
    }
    OWNED char *numbers =
        number && swept ? database_number_column(&w->plan->keys[swept - w->plan->columns]) : NULL;
    add_of(t, w, "summary", numbers ? numbers : !swept && strcmp(name, "run") == 0 ? "name" : name);
}

/** Adds "0.001 * " if the factor is not 1; else false. */
static bool
add_scale(struct text *t, double factor)
{
    const struct query_cell cell = {.kind = QUERY_REAL, .real = factor};
    if (factor < 1 || factor > 1)
    {
        query_cell_add(t, &cell);
        text_add(t, " * ");
        return true;
    }
    return false;
}

/** Adds a value to compare a column with. */
static void
add_value(struct text *t, const char *value)
{
    const size_t whole = strspn(value, "0123456789");
    if (whole > 0 && whole < 16 && !value[whole] && (*value != '0' || whole == 1))
    {
        text_add(t, "%s", value);
    }
    else
    {
        sql_add_literal(t, value);
    }
}

/* --- parts ------------------------------------------------------------------------------------ */

/** Adds what the query reads: tables, and the rows that "where" asks for. */
static void
add_source(struct writing *w)
{
    text_add(&w->t, "\nfrom %s%s", w->from,
             w->table != &summary_table ? " join summary using (run)" : "");
    for (size_t i = 0; i < w->figure->nconditions; i++)
    {
        const struct figure_condition *c = &w->figure->conditions[i];
        text_add(&w->t, i ? " and " : "\nwhere ");
        add_column(&w->t, w, c->column, false);
        text_add(&w->t, *c->value ? " = " : " is null");
        if (*c->value)
        {
            add_value(&w->t, c->value);
        }
    }
}

/** Finds the columns that tell points apart, but for the x of a cdf, which is what it shows. */
static void
find_keys(struct writing *w)
{
    const enum figure_kind kind = w->figure->kind;
    const struct words *x = &w->figure->x_columns;
    const char *panels = w->figure->panels, *series = figure_series(w->figure);
    if (panels)
    {
        w->keys[w->nkeys++] = (struct key){panels, "panel", false};
    }
    if (series)
    {
        w->keys[w->nkeys++] = (struct key){series, kind == FIGURE_HEATMAP ? "y" : "series", false};
    }
    while (w->nx < x->n && w->nx < FIGURE_MOST_X && kind != FIGURE_CDF)
    {
        w->keys[w->nkeys++] = (struct key){x->word[w->nx], figure_columns[w->nx].name,
                                           !figure_has_categories(w->figure)};
        w->nx++;
    }
}

/** Adds the first columns from key @p first on: "select a as x, b as series". */
static void
add_keys(struct writing *w, size_t first)
{
    text_add(&w->t, "select ");
    for (size_t i = first; i < w->nkeys; i++)
    {
        text_add(&w->t, i > first ? ",\n       " : "");
        if (w->keys[i].number)
        {
            add_scale(&w->t, w->figure->x.scale);
        }
        add_column(&w->t, w, w->keys[i].column, w->keys[i].number);
        text_add(&w->t, " as %s", w->keys[i].as);
    }
}

static void
add_group_by(struct writing *w, size_t n)
{
    text_add(&w->t, "\ngroup by ");
    for (size_t i = 0; i < n; i++)
    {
        text_add(&w->t, "%s%zu", i ? ", " : "", i + 1);
    }
}

/** Adds what comes first in the results, so that the order is that of the sweep. */
static void
add_place(struct writing *w)
{
    text_add(&w->t, w->table == &summary_table ? "min(run)" : "min(%s.rowid)", w->from);
}

/** Adds one end of a mean's whisker: "100 * (avg(y) - ci95(y)) as low" or "min(y) as low". */
static void
add_end(struct writing *w, const char *value, bool upper, const char *as)
{
    static const char *const around[] = {
        [ERROR_CI95] = "ci95", [ERROR_EXTREMES] = NULL, [ERROR_STDDEV] = "stddev"};
    const char *by = around[w->figure->error];
    text_add(&w->t, ",\n       ");
    const bool braced = add_scale(&w->t, w->scale) && by;
    if (by)
    {
        text_add(&w->t, "%savg(%s) %c %s(%s)%s as %s", braced ? "(" : "", value, upper ? '+' : '-',
                 by, value, braced ? ")" : "", as);
    }
    else
    {
        text_add(&w->t, "%s(%s) as %s", upper ? "max" : "min", value, as);
    }
}

/** Adds a mean and, if they have names, the two ends of its whisker. */
static void
add_mean(struct writing *w, const char *column, const char *as, const char *low, const char *high)
{
    CLEANUP(text_drop) struct text value = {0};
    add_column(&value, w, column, true);
    text_add(&w->t, ",\n       ");
    add_scale(&w->t, w->scale);
    text_add(&w->t, "avg(%s) as %s", value.s, as);
    if (low)
    {
        add_end(w, value.s, false, low);
        add_end(w, value.s, true, high);
    }
}

/* --- figures of means ------------------------------------------------------------------------- */

/** Adds a query with a row for each point. */
static void
add_means(struct writing *w, bool with_place)
{
    const bool heat = w->figure->kind == FIGURE_HEATMAP;
    const char *shown = figure_shown(w->figure);
    add_keys(w, 0);
    add_mean(w, shown, heat ? "z" : "y", heat ? NULL : "low", "high");
    text_add(&w->t, ",\n       count(");
    add_column(&w->t, w, shown, true);
    text_add(&w->t, ") as n");
    if (with_place)
    {
        text_add(&w->t, ", ");
        add_place(w);
        text_add(&w->t, " as place");
    }
    add_source(w);
    add_group_by(w, w->nkeys);
}

/** Adds "(select *, max(y) filter (where series = 'ecmp') over (partition by x) as base from
 * means)": beside each mean that which it is divided by. */
static void
add_bases(struct writing *w)
{
    const char *as = figure_series(w->figure) ? "series" : "x";
    size_t nparts = 0;
    text_add(&w->t, "(\n  select *, max(y) filter (where %s = ", as);
    add_value(&w->t, w->figure->relative_to);
    text_add(&w->t, ") over (");
    for (size_t i = 0; i < w->nkeys; i++)
    {
        if (strcmp(w->keys[i].as, as) != 0)
        {
            text_add(&w->t, "%s%s", nparts++ ? ", " : "partition by ", w->keys[i].as);
        }
    }
    text_add(&w->t, ") as base\n  from means)");
}

/** Adds the means of a further column, over all series. */
static void
add_line(struct writing *w)
{
    text_add(&w->t, ",\nlines as (\n");
    add_keys(w, w->nkeys - w->nx);
    add_mean(w, w->figure->line, "line", "line_low", "line_high");
    add_source(w);
    add_group_by(w, w->nx);
    text_add(&w->t, ")");
}

/** Adds the end of a query whose means are divided, or stand beside a line. */
static void
add_outer(struct writing *w)
{
    const bool relative = w->figure->relative_to != NULL;
    const bool line = w->figure->line != NULL;
    text_add(&w->t, "\nselect ");
    for (size_t i = 0; i < w->nkeys; i++)
    {
        text_add(&w->t, "%s, ", w->keys[i].as);
    }
    for (int i = 0; i < 3; i++)
    {
        static const char *const names[] = {"y", "low", "high"};
        if (relative)
        {
            add_scale(&w->t, w->scale);
        }
        text_add(&w->t, relative ? "%s / base as %s, " : "%s, ", names[i], names[i]);
    }
    text_add(&w->t, "n%s\nfrom ", line ? ", line, line_low, line_high" : "");
    if (relative)
    {
        add_bases(w);
    }
    else
    {
        text_add(&w->t, "means");
    }
    for (size_t i = 0; i < w->nx && line; i++)
    {
        text_add(&w->t, i ? ", %s" : " join lines using (%s", figure_columns[i].name);
    }
    text_add(&w->t, "%s\norder by place", line ? ")" : "");
}

/** The query of bars, lines and heat maps. */
static void
write_means(struct writing *w)
{
    const bool line = w->figure->line != NULL;
    if (!line && !w->figure->relative_to)
    {
        add_means(w, false);
        text_add(&w->t, "\norder by ");
        add_place(w);
        return;
    }
    text_add(&w->t, "with means as (\n");
    add_means(w, true);
    text_add(&w->t, ")");
    if (line)
    {
        add_line(w);
    }
    add_outer(w);
}

/** The query of distributions and dots: a row for each row. */
static void
write_rows(struct writing *w)
{
    const bool cdf = w->figure->kind == FIGURE_CDF;
    add_keys(w, 0);
    text_add(&w->t, w->nkeys ? ",\n       " : "");
    add_scale(&w->t, w->scale);
    add_column(&w->t, w, figure_shown(w->figure), true);
    text_add(&w->t, cdf ? " as x" : " as y");
    if (w->figure->end)
    {
        text_add(&w->t, ",\n       ");
        add_scale(&w->t, w->figure->x.scale);
        add_column(&w->t, w, w->figure->end, true);
        text_add(&w->t, " as end");
    }
    add_source(w);
    text_add(&w->t, w->table == &summary_table ? "\norder by run" : "\norder by %s.rowid", w->from);
}

/* --- the whole -------------------------------------------------------------------------------- */

static struct writing
begin(const struct plan *plan, const struct figure *figure)
{
    const enum figure_kind kind = figure->kind;
    struct writing w = {
        .plan = plan,
        .figure = figure,
        .table = figure_table(figure),
        .scale = kind == FIGURE_HEATMAP ? figure->z.scale
                 : kind == FIGURE_CDF   ? figure->x.scale
                                        : figure->y.scale,
    };
    w.from = w.table->name;
    find_keys(&w);
    return w;
}

char *
figure_query(const struct plan *plan, const struct figure *figure)
{
    const struct element *own = figure->query;
    if (own)
    {
        return xstrdup(own->text);
    }
    struct writing w = begin(plan, figure);
    figure_is(figure, FIGURES_OF_ROWS) ? write_rows(&w) : write_means(&w);
    return text_take(&w.t);
}

char *
figure_query_of_runs(const struct plan *plan, const struct figure *figure)
{
    struct writing w = begin(plan, figure);
    text_add(&w.t, "select count(distinct run), count(distinct case when ");
    add_column(&w.t, &w, figure_shown(figure), true);
    text_add(&w.t, " is null then run end)");
    add_source(&w);
    return text_take(&w.t);
}
