/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep says on the terminal. */
#include "summary-print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "sql-file.h"

/** Rows shown on the terminal before it refers to the file. */
#define MOST_SHOWN 100

/** Results are whole and the questions Weft's own. */
#define LIMITS ((struct query_limits){3600, 10000000, SIZE_MAX / 2, 0})

struct query_rows *
summary_rows(struct database *db, const char *sql)
{
    struct query_mistake m;
    struct query_rows *rows = database_query(db, sql, LIMITS, &m);
    if (!rows)
    {
        fprintf(stderr, "weft: error: the results cannot be read: %s\n", m.message);
        free(m.message);
        rows = xcalloc(1, sizeof *rows);
    }
    return rows;
}

static char *
cell_text(const struct query_rows *rows, size_t row, size_t column)
{
    struct text t = {0};
    query_cell_add(&t, &rows->cells[row * rows->ncolumns + column]);
    return text_take(&t);
}

/* --- tables ----------------------------------------------------------------------------------- */

/** A column of numbers: of t.`column`, less t.`from` if it is not NULL. */
struct shown
{
    const char *column, *from, *scale, *format, *title;
};

static const struct shown shown[] = {
    {"cct_us", "first_start_us", "1e-3", "%#.5g", "cct_ms"},
    {"goodput_gbps", NULL, "1", "%.2f", "goodput_gbps"},
    {"mean_rate_gbps", NULL, "1", "%.2f", "rate_gbps"},
    {"resent_share", NULL, "100", "%.2f", "resent_%"},
    {"nacks_received", NULL, "1", "%.0f", "nacks"},
    {"timeouts", NULL, "1", "%.0f", "timeouts"},
    {"increase", NULL, "100", "%.2f", "increase_%"},
};

/** Beside `increase` if a fabric cannot serve its hosts at line rate: it says what of the increase
 * is not the fabric's own. */
static const struct shown shown_rho = {"increase_rho", NULL, "100", "%.2f", "   increase_rho_%"};

/** Versions of SQLite round halves in two ways: so much more, and all round them up. */
#define HALVES_UP "1.000000000001"

/** Messages that were given up, and those that waited for them. */
#define FAILED "(t.failed%s + t.unstarted%s)"

/** Adds a column; @p suffix: "_mean" of `aggregate`, where a mean is told of how many seeds it is
 * if not all have a value, or "". */
static void
add_shown(struct text *t, const struct shown *s, const char *suffix)
{
    text_add(t, ", CASE WHEN t.%s%s IS NULL THEN '-' ELSE printf('%s', (t.%s%s", s->column, suffix,
             s->format, s->column, suffix);
    text_add(t, s->from ? " - t.%s%s) * %s * " HALVES_UP ")" : "%s%s) * %s * " HALVES_UP ")",
             s->from ? s->from : "", s->from ? suffix : "", s->scale);
    if (*suffix)
    {
        text_add(t,
                 " || CASE WHEN t.%s_n < t.seeds THEN printf(' (%%d/%%d)', t.%s_n, t.seeds) ELSE ''"
                 " END",
                 s->column, s->column);
    }
    text_add(t, " END AS \"%s\"", s->title);
}

/** Begins a SELECT with what varies, the run's name if nothing does; the number of columns. */
static size_t
add_keys(struct text *t, const struct database_writer *w, bool aggregate)
{
    size_t n = aggregate || w->nkeys == 0;
    text_add(t, "SELECT %s", aggregate ? "t.seeds" : n ? "s.name AS run" : "");
    for (size_t k = 0; k < w->nkeys; k++)
    {
        if (!aggregate || !w->keys[k].is_seed)
        {
            text_add(t, n++ ? ", s." : "s.");
            sql_add_name(t, w->keys[k].name);
        }
    }
    return n;
}

/** Rows of numbers behind columns that name them, up to MOST_SHOWN. */
static void
print_rows(const struct query_rows *rows, size_t nnames)
{
    for (size_t row = 0; row <= rows->nrows && row <= MOST_SHOWN; row++)
    {
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            size_t width = strlen(rows->columns[c]);
            for (size_t k = 0; c < nnames && k < rows->nrows && k < MOST_SHOWN; k++)
            {
                OWNED char *text = cell_text(rows, k, c);
                width = strlen(text) > width ? strlen(text) : width;
            }
            OWNED char *text = row ? cell_text(rows, row - 1, c) : xstrdup(rows->columns[c]);
            /* Of numbers there is a blank even before what is too wide. */
            c < nnames
                ? printf("%-*s  ", (int)width, text)
                : printf("%s%*s", row ? " " : "", (width < 13 ? 13 : (int)width) - (row > 0), text);
        }
        printf("\n");
    }
    if (rows->nrows > MOST_SHOWN)
    {
        printf("... and %zu more\n", rows->nrows - MOST_SHOWN);
    }
}

/** Asks for a table and prints it, if it has rows. */
static void
print_selected(struct database *db, struct text *select, size_t nnames, const char *title)
{
    CLEANUP(query_rows_drop) struct query_rows *rows = summary_rows(db, select->s);
    if (rows->nrows)
    {
        printf("%s", title);
        print_rows(rows, nnames);
    }
    free(text_take(select));
}

/** The values that vary and the main totals. */
static void
print_table(struct database *db, const struct database_writer *w, bool aggregate)
{
    const char *table = aggregate ? "aggregate" : "summary", *suffix = aggregate ? "_mean" : "";
    struct text t = {0};
    text_add(&t, "SELECT min(t.rho_max%s) < 1, max(" FAILED ") > 0 FROM %s t", suffix, suffix,
             suffix, table);
    CLEANUP(query_rows_drop) struct query_rows *any = summary_rows(db, t.s);
    const bool rho = any->nrows && any->cells[0].integer,
               failed = any->nrows && any->cells[1].integer;
    t.len = 0;
    const size_t n = add_keys(&t, w, aggregate);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
    {
        add_shown(&t, &shown[i], suffix);
    }
    if (rho)
    {
        add_shown(&t, &shown_rho, suffix);
    }
    if (failed)
    {
        text_add(&t, ", printf('%%.5g', " FAILED ") AS failed", suffix, suffix);
    }
    text_add(&t, " FROM %s t CROSS JOIN %s s ON s.rowid = t.rowid ORDER BY t.rowid", table, table);
    print_selected(db, &t, n,
                   aggregate ? "\nmean over seeds (aggregate.csv has their spread as well)\n" : "");
}

/** Completion times of each workload by itself, where there are several. */
static void
print_workloads(struct database *db, const struct database_writer *w)
{
    static const struct shown cct = {"cct_us", "start_us", "1e-3", "%#.5g", "cct_ms"};
    struct text t = {0};
    const size_t n = add_keys(&t, w, false);
    text_add(&t, ", t.workload");
    add_shown(&t, &cct, "");
    add_shown(&t, &shown[sizeof shown / sizeof *shown - 1], "");
    text_add(&t, " FROM workloads t CROSS JOIN summary s ON s.run = t.run ORDER BY t.rowid");
    print_selected(db, &t, n + 1, "\nby workload\n");
}

/* --- seeds without a value -------------------------------------------------------------------- */

/** The number in a cell of the column that is called @p name and @p suffix; NAN: it has none, or
 * there is no such column. */
static double
number_at(const struct query_rows *rows, size_t row, const char *name, const char *suffix)
{
    const size_t n = strlen(name);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (strncmp(rows->columns[c], name, n) == 0 && strcmp(rows->columns[c] + n, suffix) == 0)
        {
            return rows->cells[row * rows->ncolumns + c].real;
        }
    }
    return NAN;
}

/** The values of one case, as "ops, 1MiB"; the scenario's name if nothing but the seed varies. */
static char *
case_name(const char *scenario, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    struct text t = {0};
    for (size_t c = 1; c <= nkeys; c++)
    {
        OWNED char *cell = cell_text(aggregate, row, c);
        text_add(&t, "%s%s", c > 1 ? ", " : "", cell);
    }
    return t.s ? text_take(&t) : xstrdup(scenario);
}

/** Warns once for each number of runs that lack values, with their columns: values that others
 * have, or that there would be if no messages had failed, which leaves a run without an increase.
 */
static void
warn_of_case(const char *scenario, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    const double of = number_at(aggregate, row, "seeds", "");
    const bool failed = number_at(aggregate, row, "failed", "_max") > 0 ||
                        number_at(aggregate, row, "unstarted", "_max") > 0;
    OWNED char *name = case_name(scenario, aggregate, row, nkeys);
    OWNED double *lack = xcalloc(summary_table.n, sizeof *lack);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *column = summary_table.columns[c].name;
        const double n = number_at(aggregate, row, column, "_n");
        lack[c] = n > 0 || (failed && strcmp(column, "increase") == 0) ? of - n : 0;
    }
    for (double missing = 1; missing <= of; missing++)
    {
        CLEANUP(text_drop) struct text columns = {0};
        for (size_t c = 0; c < summary_table.n; c++)
        {
            if (fabs(lack[c] - missing) < 0.5)
            {
                text_add(&columns, "%s%s", columns.len ? ", " : "", summary_table.columns[c].name);
            }
        }
        if (columns.len)
        {
            fprintf(stderr,
                    "weft: warning: %.0f of %.0f runs of %s have no %s%s; means are over the other "
                    "runs\n",
                    missing, of, name, columns.s, failed ? " (messages failed)" : "");
        }
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

void
summary_print(struct database *db, const struct database_writer *w, const char *scenario)
{
    print_table(db, w, false);
    if (database_has_seeds(w))
    {
        CLEANUP(query_rows_drop)
        struct query_rows *aggregate = summary_rows(db, "SELECT * FROM aggregate");
        print_table(db, w, true);
        fflush(stdout);
        for (size_t row = 0; row < aggregate->nrows; row++)
        {
            warn_of_case(scenario, aggregate, row, w->nkeys - 1);
        }
    }
    print_workloads(db, w);
}
