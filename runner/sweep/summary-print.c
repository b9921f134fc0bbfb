/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep says on the terminal. */
#include "summary-print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

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

/** The place of a column; rows->ncolumns: there is none. */
static size_t
column_of(const struct query_rows *rows, const char *name, const char *suffix)
{
    const size_t n = strlen(name);
    size_t c = 0;
    while (c < rows->ncolumns &&
           (strncmp(rows->columns[c], name, n) != 0 || strcmp(rows->columns[c] + n, suffix) != 0))
    {
        c++;
    }
    return c;
}

double
summary_number(const struct query_rows *rows, size_t row, const char *name, const char *suffix)
{
    const size_t c = column_of(rows, name, suffix);
    return c < rows->ncolumns ? rows->cells[row * rows->ncolumns + c].real : NAN;
}

static char *
cell_text(const struct query_rows *rows, size_t row, size_t column)
{
    struct text t = {0};
    query_cell_add(&t, &rows->cells[row * rows->ncolumns + column]);
    return text_take(&t);
}

/* --- tables ----------------------------------------------------------------------------------- */

struct shown
{
    const char *column, *title;
    double scale;
    const char *format;
    const char *from; /**< another column, which is subtracted; NULL: none */
};

static const struct shown shown[] = {
    {"cct_us", "cct_ms", 1e-3, "%#.5g", "first_start_us"},
    {"goodput_gbps", "goodput_gbps", 1, "%.2f", NULL},
    {"mean_rate_gbps", "rate_gbps", 1, "%.2f", NULL},
    {"resent_share", "resent_%", 100, "%.2f", NULL},
    {"nacks_received", "nacks", 1, "%.0f", NULL},
    {"timeouts", "timeouts", 1, "%.0f", NULL},
    {"increase", "increase_%", 100, "%.2f", NULL},
};

#define NSHOWN (sizeof shown / sizeof *shown)

/** Beside `increase` if a fabric cannot serve its hosts at line rate: it says what of the increase
 * is not the fabric's own. */
static const struct shown shown_rho = {"increase_rho", "   increase_rho_%", 100, "%.2f", NULL};

static size_t
widest(const struct query_rows *rows, size_t column)
{
    size_t width = strlen(rows->columns[column]);
    for (size_t row = 0; row < rows->nrows && row < MOST_SHOWN; row++)
    {
        char *text = cell_text(rows, row, column);
        width = strlen(text) > width ? strlen(text) : width;
        free(text);
    }
    return width;
}

static void
print_cell(const struct query_rows *rows, size_t row, size_t column, const char *end)
{
    char *text = cell_text(rows, row, column);
    printf("%-*s%s", (int)widest(rows, column), text, end);
    free(text);
}

static void
print_cells(const struct query_rows *rows, size_t row, size_t first, size_t n)
{
    for (size_t k = first; k < first + n; k++)
    {
        print_cell(rows, row, k, "  ");
    }
}

/** Messages that were given up, and those that waited for them. */
static double
failed_in(const struct query_rows *rows, size_t row, const char *suffix)
{
    return summary_number(rows, row, "failed", suffix) +
           summary_number(rows, row, "unstarted", suffix);
}

/** A number; behind a mean how many of the seeds have a value, where not all do. */
static void
print_shown(const struct query_rows *rows, size_t row, const struct shown *s, const char *suffix)
{
    const double from = s->from ? summary_number(rows, row, s->from, suffix) : 0;
    const double value = (summary_number(rows, row, s->column, suffix) - from) * s->scale;
    const double n = summary_number(rows, row, s->column, "_n"),
                 of = summary_number(rows, row, "seeds", "");
    char text[64] = "-";
    if (!isnan(value))
    {
        const int at = snprintf(text, sizeof text, s->format, value);
        if (*suffix && n < of)
        {
            snprintf(text + at, sizeof text - (size_t)at, " (%.0f/%.0f)", n, of);
        }
    }
    printf(" %12s", text); /* a blank even before what is too wide */
}

/** The values that vary and the main totals; @p suffix: "_mean" for an aggregate. Nothing of
 * results that could not be read. */
static void
print_table(const struct query_rows *rows, size_t first, size_t nkeys, const char *suffix)
{
    if (!rows->ncolumns)
    {
        return;
    }
    for (size_t k = first; k < first + nkeys; k++)
    {
        printf("%-*s  ", (int)widest(rows, k), rows->columns[k]);
    }
    for (size_t c = 0; c < NSHOWN; c++)
    {
        printf("%13s", shown[c].title);
    }
    bool rho = false, failed = false; /* of any run: hosts must send below line rate, messages */
    for (size_t row = 0; row < rows->nrows; row++)
    {
        rho = rho || summary_number(rows, row, "rho_max", suffix) < 1;
        failed = failed || failed_in(rows, row, suffix) > 0;
    }
    printf("%s%s\n", rho ? shown_rho.title : "", failed ? "       failed" : "");
    for (size_t row = 0; row < rows->nrows && row < MOST_SHOWN; row++)
    {
        print_cells(rows, row, first, nkeys);
        for (size_t c = 0; c < NSHOWN; c++)
        {
            print_shown(rows, row, &shown[c], suffix);
        }
        if (rho)
        {
            printf("    ");
            print_shown(rows, row, &shown_rho, suffix);
        }
        if (failed)
        {
            printf("%13.5g", failed_in(rows, row, suffix));
        }
        printf("\n");
    }
    if (rows->nrows > MOST_SHOWN)
    {
        printf("... and %zu more\n", rows->nrows - MOST_SHOWN);
    }
}

/** Completion times of each workload by itself, where there are several. */
static void
print_workloads(const struct query_rows *rows, size_t first, size_t nkeys)
{
    static const struct shown cct = {"cct_us", "cct_ms", 1e-3, "%#.5g", "start_us"};
    const size_t name = column_of(rows, "workload", "");
    printf("\nby workload\n");
    for (size_t k = first; k < first + nkeys; k++)
    {
        printf("%-*s  ", (int)widest(rows, k), rows->columns[k]);
    }
    printf("%-*s        cct_ms   increase_%%\n", (int)widest(rows, name), "workload");
    for (size_t row = 0; row < rows->nrows && row < MOST_SHOWN; row++)
    {
        print_cells(rows, row, first, nkeys);
        print_cell(rows, row, name, "");
        print_shown(rows, row, &cct, "");
        print_shown(rows, row, &shown[NSHOWN - 1], "");
        printf("\n");
    }
    if (rows->nrows > MOST_SHOWN)
    {
        printf("... and %zu more\n", rows->nrows - MOST_SHOWN);
    }
}

/* --- seeds without a value -------------------------------------------------------------------- */

/** The values of one case, as "ops, 1MiB"; the scenario's name if nothing but the seed varies. */
static char *
case_name(const char *scenario, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    struct text t = {0};
    for (size_t c = 1; c <= nkeys; c++)
    {
        char *cell = cell_text(aggregate, row, c);
        text_add(&t, "%s%s", c > 1 ? ", " : "", cell);
        free(cell);
    }
    return t.s ? text_take(&t) : xstrdup(scenario);
}

/** Warns once for each number of runs that lack values, with their columns: values that others
 * have, or that there would be if no messages had failed, which leaves a run without an increase.
 */
static void
warn_of_case(const char *scenario, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    const double of = summary_number(aggregate, row, "seeds", "");
    const bool failed = summary_number(aggregate, row, "failed", "_max") > 0 ||
                        summary_number(aggregate, row, "unstarted", "_max") > 0;
    char *name = case_name(scenario, aggregate, row, nkeys);
    double *lack = xcalloc(summary_table.n, sizeof *lack);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *column = summary_table.columns[c].name;
        const double n = summary_number(aggregate, row, column, "_n");
        lack[c] = n > 0 || (failed && strcmp(column, "increase") == 0) ? of - n : 0;
    }
    for (double missing = 1; missing <= of; missing++)
    {
        struct text columns = {0};
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
        free(columns.s);
    }
    free(lack);
    free(name);
}

/* --- all of it -------------------------------------------------------------------------------- */

static struct query_rows *
rows_of(struct database *db, const struct database_writer *w, const char *table)
{
    char *select = database_select(w, table);
    struct query_rows *rows = summary_rows(db, select);
    free(select);
    return rows;
}

void
summary_print(struct database *db, const struct database_writer *w, const char *scenario)
{
    const size_t keys = w->nkeys ? w->nkeys : 1, first = w->nkeys ? 1 : 0;
    struct query_rows *summary = rows_of(db, w, "summary"),
                      *workloads = rows_of(db, w, "workloads");
    print_table(summary, first, keys, "");
    if (database_has_seeds(w))
    {
        struct query_rows *aggregate = summary_rows(db, "SELECT * FROM aggregate");
        printf("\nmean over seeds (aggregate.csv has their spread as well)\n");
        print_table(aggregate, 0, w->nkeys, "_mean"); /* the seeds are one column, too */
        fflush(stdout);
        for (size_t row = 0; row < aggregate->nrows; row++)
        {
            warn_of_case(scenario, aggregate, row, w->nkeys - 1);
        }
        query_rows_free(aggregate);
    }
    if (workloads->nrows)
    {
        print_workloads(workloads, first, keys);
    }
    query_rows_free(summary);
    query_rows_free(workloads);
}
