/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database-fill.h"
#include "figure-read.h"
#include "sql-text.h"

/** A query while it is written. */
struct writing
{
    const struct plan *plan;
    const struct element *figure;
    const struct column_table *table;
    char *from; /**< the table's name */
    struct words x;
    struct text t;
    size_t nkeys; /**< columns that tell points apart; they come first */
};

/** A column that tells points apart, and what the query calls it. */
struct key
{
    const char *column;
    char as[24];
    bool number; /**< it is an axis of numbers */
};

#define MOST_KEYS (FIGURE_MOST_X + 2)

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
    size_t cell;
    const struct plan_dimension *dim = plan_column(w->plan, name, &cell);
    if (columns_find(w->table, name))
    {
        add_of(t, w, w->from, name);
        return;
    }
    const struct database_key key = dim ? plan_key(dim, cell) : (struct database_key){.name = NULL};
    char *numbers = number && dim ? database_number_column(&key) : NULL;
    add_of(t, w, "summary", numbers ? numbers : !dim && strcmp(name, "run") == 0 ? "name" : name);
    free(numbers);
}

/** Whether the figure scales the values of an axis. */
static bool
has_scale(const struct writing *w, const char *attribute)
{
    const double scale = figure_value(w->figure, attribute).real;
    return scale < 1 || scale > 1;
}

/** Adds "0.001 * " if it does. */
static void
add_scale(struct text *t, const struct writing *w, const char *attribute)
{
    if (has_scale(w, attribute))
    {
        const struct query_cell scale = {.kind = QUERY_REAL,
                                         .real = figure_value(w->figure, attribute).real};
        query_cell_add(t, &scale);
        text_add(t, " * ");
    }
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
    const char *where = element_value(w->figure, "where");
    struct words words = words_split(where ? where : "");
    text_add(&w->t, "\nfrom %s%s", w->from,
             w->table != &summary_table ? " join summary using (run)" : "");
    for (size_t i = 0; i < words.n; i++)
    {
        char *equals = strchr(words.word[i], '=');
        *equals = '\0';
        text_add(&w->t, i ? " and " : "\nwhere ");
        add_column(&w->t, w, words.word[i], false);
        text_add(&w->t, equals[1] ? " = " : " is null");
        if (equals[1])
        {
            add_value(&w->t, equals + 1);
        }
    }
    words_free(&words);
}

/** The columns that tell points apart, but for the x of a cdf, which is what it shows. */
static size_t
find_keys(const struct writing *w, struct key *keys)
{
    const enum figure_kind kind = figure_kind(w->figure);
    const char *panels = element_value(w->figure, "panels"), *series = figure_series(w->figure);
    const char *as = kind == FIGURE_HEATMAP ? "y" : "series";
    size_t n = 0;
    if (panels)
    {
        keys[n++] = (struct key){panels, "panel", false};
    }
    if (series)
    {
        keys[n] = (struct key){series, "", false};
        snprintf(keys[n++].as, sizeof keys->as, "%s", as);
    }
    for (size_t i = 0; i < w->x.n && i < FIGURE_MOST_X && kind != FIGURE_CDF; i++)
    {
        keys[n] = (struct key){w->x.word[i], "x", !figure_has_categories(w->figure)};
        if (i > 0)
        {
            snprintf(keys[n].as, sizeof keys->as, "x%zu", i + 1);
        }
        n++;
    }
    return n;
}

/** Adds the first columns: "select a as x, b as series". */
static void
add_keys(struct writing *w, const struct key *keys, size_t n)
{
    text_add(&w->t, "select ");
    for (size_t i = 0; i < n; i++)
    {
        text_add(&w->t, i ? ",\n       " : "");
        if (keys[i].number)
        {
            add_scale(&w->t, w, "x-scale");
        }
        add_column(&w->t, w, keys[i].column, keys[i].number);
        text_add(&w->t, " as %s", keys[i].as);
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

/** Adds one end of a mean's whisker: "100 * (avg(y) - ci95(y))" or "min(y)". */
static void
add_end(struct writing *w, const char *value, const char *scale, bool upper)
{
    static const char *const around[] = {
        [ERROR_CI95] = "ci95", [ERROR_EXTREMES] = NULL, [ERROR_STDDEV] = "stddev"};
    const char *by = around[figure_value(w->figure, "error").integer];
    const bool braced = by && has_scale(w, scale);
    text_add(&w->t, ",\n       ");
    add_scale(&w->t, w, scale);
    if (by)
    {
        text_add(&w->t, "%savg(%s) %c %s(%s)%s", braced ? "(" : "", value, upper ? '+' : '-', by,
                 value, braced ? ")" : "");
    }
    else
    {
        text_add(&w->t, "%s(%s)", upper ? "max" : "min", value);
    }
}

/** Adds a mean and, if they have names, the two ends of its whisker. */
static void
add_mean(struct writing *w, const char *column, const char *scale, const char *as, const char *low,
         const char *high)
{
    struct text value = {0};
    add_column(&value, w, column, true);
    text_add(&w->t, ",\n       ");
    add_scale(&w->t, w, scale);
    text_add(&w->t, "avg(%s) as %s", value.s, as);
    if (low)
    {
        add_end(w, value.s, scale, false);
        text_add(&w->t, " as %s", low);
        add_end(w, value.s, scale, true);
        text_add(&w->t, " as %s", high);
    }
    free(value.s);
}

/* --- figures of means ------------------------------------------------------------------------- */

/** Adds a query with a row for each point. */
static void
add_means(struct writing *w, const struct key *keys, size_t n, bool with_place)
{
    const bool heat = figure_kind(w->figure) == FIGURE_HEATMAP;
    const char *shown = figure_shown(w->figure);
    add_keys(w, keys, n);
    add_mean(w, shown, heat ? "z-scale" : "y-scale", heat ? "z" : "y", heat ? NULL : "low", "high");
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
    add_group_by(w, n);
}

/** Adds "(select *, max(y) filter (where series = 'ecmp') over (partition by x) as base from
 * means)": beside each mean that which it is divided by. */
static void
add_bases(struct writing *w, const struct key *keys, size_t n)
{
    const bool by_series = figure_series(w->figure) != NULL;
    const char *as = by_series ? "series" : "x";
    size_t nparts = 0;
    text_add(&w->t, "(\n  select *, max(y) filter (where %s = ", as);
    add_value(&w->t, element_value(w->figure, "relative-to"));
    text_add(&w->t, ") over (");
    for (size_t i = 0; i < n; i++)
    {
        if (strcmp(keys[i].as, as) != 0)
        {
            text_add(&w->t, "%s%s", nparts++ ? ", " : "partition by ", keys[i].as);
        }
    }
    text_add(&w->t, ") as base\n  from means)");
}

/** Adds the means of a further column, over all series. */
static void
add_line(struct writing *w, const struct key *keys, size_t n)
{
    text_add(&w->t, ",\nlines as (\n");
    add_keys(w, keys + n - w->x.n, w->x.n);
    add_mean(w, element_value(w->figure, "line"), "y-scale", "line", "line_low", "line_high");
    add_source(w);
    add_group_by(w, w->x.n);
    text_add(&w->t, ")");
}

/** Adds the end of a query whose means are divided, or stand beside a line. */
static void
add_outer(struct writing *w, const struct key *keys, size_t n)
{
    const bool relative = element_value(w->figure, "relative-to") != NULL;
    const bool line = element_value(w->figure, "line") != NULL;
    text_add(&w->t, "\nselect ");
    for (size_t i = 0; i < n; i++)
    {
        text_add(&w->t, "%s, ", keys[i].as);
    }
    for (int i = 0; i < 3; i++)
    {
        static const char *const names[] = {"y", "low", "high"};
        if (relative)
        {
            add_scale(&w->t, w, "y-scale");
        }
        text_add(&w->t, relative ? "%s / base as %s, " : "%s, ", names[i], names[i]);
    }
    text_add(&w->t, "n%s\nfrom ", line ? ", line, line_low, line_high" : "");
    if (relative)
    {
        add_bases(w, keys, n);
    }
    else
    {
        text_add(&w->t, "means");
    }
    for (size_t i = 0; i < w->x.n && line; i++)
    {
        text_add(&w->t, i ? ", %s" : " join lines using (%s", keys[n - w->x.n + i].as);
    }
    text_add(&w->t, "%s\norder by place", line ? ")" : "");
}

/** The query of bars, lines and heat maps. */
static void
write_means(struct writing *w)
{
    struct key keys[MOST_KEYS];
    const size_t n = find_keys(w, keys);
    const bool line = element_value(w->figure, "line") != NULL;
    const bool outer = line || element_value(w->figure, "relative-to");
    text_add(&w->t, "%s", outer ? "with means as (\n" : "");
    add_means(w, keys, n, outer);
    if (outer)
    {
        text_add(&w->t, ")");
    }
    if (line)
    {
        add_line(w, keys, n);
    }
    if (outer)
    {
        add_outer(w, keys, n);
    }
    else
    {
        text_add(&w->t, "\norder by ");
        add_place(w);
    }
}

/* --- figures of rows -------------------------------------------------------------------------- */

/** The query of distributions and dots: a row for each row. */
static void
write_rows(struct writing *w)
{
    const bool cdf = figure_kind(w->figure) == FIGURE_CDF;
    struct key keys[MOST_KEYS];
    const size_t n = find_keys(w, keys);
    add_keys(w, keys, n);
    text_add(&w->t, n ? ",\n       " : "");
    add_scale(&w->t, w, cdf ? "x-scale" : "y-scale");
    add_column(&w->t, w, figure_shown(w->figure), true);
    text_add(&w->t, cdf ? " as x" : " as y");
    add_source(w);
    text_add(&w->t, w->table == &summary_table ? "\norder by run" : "\norder by %s.rowid", w->from);
}

/* --- the whole -------------------------------------------------------------------------------- */

static struct writing
begin(const struct plan *plan, const struct element *figure)
{
    const struct column_table *table = figure_table(figure);
    const char *x = element_value(figure, "x");
    return (struct writing){
        .plan = plan,
        .figure = figure,
        .table = table,
        .from = column_table_name(table),
        .x = words_split(x ? x : ""),
    };
}

static char *
end(struct writing *w)
{
    free(w->from);
    words_free(&w->x);
    return text_take(&w->t);
}

char *
figure_query(const struct plan *plan, const struct element *figure)
{
    const struct element *own = figure_own_query(figure);
    if (own)
    {
        return xstrdup(own->text);
    }
    struct writing w = begin(plan, figure);
    figure_is(figure, FIGURES_OF_ROWS) ? write_rows(&w) : write_means(&w);
    return end(&w);
}

char *
figure_query_of_runs(const struct plan *plan, const struct element *figure)
{
    struct writing w = begin(plan, figure);
    text_add(&w.t, "select count(distinct run), count(distinct case when ");
    add_column(&w.t, &w, figure_shown(figure), true);
    text_add(&w.t, " is null then run end)");
    add_source(&w);
    return end(&w);
}
