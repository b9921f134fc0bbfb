/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of a sweep on the terminal. */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "shown-text.h"

/** Rows shown on the terminal before it refers to the file. */
#define MOST_SHOWN 100

/* --- tables ----------------------------------------------------------------------------------- */

/** A column of numbers. */
struct shown
{
    const char *sql;    /**< of a row t; '$' stands for "_mean" in `aggregate` */
    const char *column; /**< whose seeds a mean tells of */
    const char *format, *title;
};

static const struct shown shown[] = {
    {"(t.cct_us$ - t.first_start_us$) * 1e-3", "cct_us", "%#.5g", "cct_ms"},
    {"t.goodput_gbps$", "goodput_gbps", "%.2f", "goodput_gbps"},
    {"t.mean_rate_gbps$", "mean_rate_gbps", "%.2f", "rate_gbps"},
    {"t.resent_share$ * 100", "resent_share", "%.2f", "resent_%"},
    {"t.nacks_received$", "nacks_received", "%.0f", "nacks"},
    {"t.timeouts$", "timeouts", "%.0f", "timeouts"},
    {"t.increase$ * 100", "increase", "%.2f", "increase_%"},
};

/** Beside `increase` if a fabric cannot serve its hosts at line rate: it says what of the increase
 * is not the fabric's own. */
static const struct shown shown_rho = {"t.increase_rho$ * 100", "increase_rho", "%.2f",
                                       "   increase_rho_%"};

/** Messages that were given up, and those that waited for them. */
static const struct shown shown_failed = {"t.failed$ + t.unstarted$", "failed", "%.5g", "failed"};

bool
summary_prints(const char *column)
{
    static const char *const also[] = {"increase_rho", "failed", "unstarted"};
    bool has = false;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
    {
        has = has || strcmp(shown[i].column, column) == 0;
    }
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
    {
        has = has || strcmp(also[i], column) == 0;
    }
    return has;
}

/** Columns of each workload by itself. */
static const struct shown shown_cct = {"(t.cct_us - t.start_us) * 1e-3", "cct_us", "%#.5g",
                                       "cct_ms"};
static const struct shown shown_increase = {"t.increase * 100", "increase", "%.2f", "increase_%"};

/** A table while it is asked for. */
struct table
{
    struct text sql;
    size_t nnames;                  /**< columns that name the rows, which come first */
    const struct shown *numbers[9]; /**< behind them; then, of means, of how many seeds each is */
    size_t nnumbers;
};

/** Begins a SELECT with what varies, the run's name if nothing does. */
static struct table
begin_table(const struct database_writer *w, bool means)
{
    struct table t = {.nnames = means || w->nkeys == 0};
    text_add(&t.sql, "SELECT %s", means ? "t.seeds" : t.nnames ? "s.name AS run" : "");
    for (size_t k = 0; k < w->nkeys; k++)
    {
        if (!means || !w->keys[k].is_seed)
        {
            text_add(&t.sql, t.nnames++ ? ", s." : "s.");
            sql_add_name(&t.sql, w->keys[k].name);
        }
    }
    return t;
}

static void
add_shown(struct table *t, const struct shown *s, bool means)
{
    text_add(&t->sql, ", ");
    for (const char *c = s->sql; *c; c++)
    {
        *c != '$' ? text_add(&t->sql, "%c", *c) : text_add(&t->sql, "%s", means ? "_mean" : "");
    }
    text_add(&t->sql, " AS \"%s\"", s->title);
    t->numbers[t->nnumbers++] = s;
}

/** A number as it is shown, or "-"; a mean tells of how many seeds it is if not all have a value.
 */
static char *
number_text(const struct table *t, const struct query_rows *rows, size_t row, size_t c)
{
    const struct query_cell *cell = &rows->cells[row * rows->ncolumns + c];
    struct text text = {0};
    if (cell->kind == QUERY_NULL)
    {
        return xstrdup("-");
    }
    text_add_rounded(&text, t->numbers[c - t->nnames]->format, cell->real);
    if (c + t->nnumbers < rows->ncolumns)
    {
        query_cell_add(&text, cell + t->nnumbers);
    }
    return text_take(&text);
}

/** Prints the names of the columns, or a row. */
static void
print_row(const struct table *t, const struct query_rows *rows, const size_t *widths, size_t row)
{
    for (size_t c = 0; c < t->nnames + t->nnumbers; c++)
    {
        const bool name = c < t->nnames;
        OWNED char *text = row == 0 ? xstrdup(rows->columns[c])
                           : name   ? query_cell_text(&rows->cells[(row - 1) * rows->ncolumns + c])
                                    : number_text(t, rows, row - 1, c);
        /* Numbers have a blank even before what is too wide. */
        name ? print_shown(stdout, "%-*s  ", (int)widths[c], text)
             : print_shown(stdout, "%s%*s", row ? " " : "", (int)widths[c] - (row > 0), text);
    }
    printf("\n");
}

/** Asks for the rest of a table and prints it, up to MOST_SHOWN rows, if it has any. */
static void
print_table(struct database *db, struct table *t, const char *title)
{
    CLEANUP(query_rows_drop) struct query_rows *rows = results_ask(db, t->sql.s);
    const size_t n = rows->nrows < MOST_SHOWN ? rows->nrows : MOST_SHOWN;
    OWNED size_t *widths = xcalloc(rows->ncolumns + 1, sizeof *widths);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        const size_t least = c < t->nnames ? 0 : 13, title_width = strlen(rows->columns[c]);
        widths[c] = title_width > least ? title_width : least;
        for (size_t row = 0; c < t->nnames && row < n; row++)
        {
            OWNED char *text = query_cell_text(&rows->cells[row * rows->ncolumns + c]);
            widths[c] = strlen(text) > widths[c] ? strlen(text) : widths[c];
        }
    }
    print_shown(stdout, "%s", n ? title : "");
    for (size_t row = 0; n && row <= n; row++)
    {
        print_row(t, rows, widths, row);
    }
    if (rows->nrows > n)
    {
        printf("... and %zu more\n", rows->nrows - n);
    }
    free(t->sql.s);
}

/** The values that vary and the main totals, of runs or of means over seeds. */
static void
print_totals(struct database *db, const struct database_writer *w, bool means)
{
    const char *from = means ? "aggregate" : "summary", *mean = means ? "_mean" : "";
    OWNED char *what = xformat("SELECT min(rho_max%s) < 1, max(failed%s + unstarted%s) > 0 FROM %s",
                               mean, mean, mean, from);
    CLEANUP(query_rows_drop) struct query_rows *any = results_ask(db, what);
    struct table t = begin_table(w, means);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
    {
        add_shown(&t, &shown[i], means);
    }
    if (any->nrows && any->cells[0].integer)
    {
        add_shown(&t, &shown_rho, means);
    }
    if (any->nrows && any->cells[1].integer)
    {
        add_shown(&t, &shown_failed, means);
    }
    for (size_t i = 0; means && i < t.nnumbers; i++)
    {
        const char *column = t.numbers[i]->column;
        text_add(&t.sql,
                 ", CASE WHEN t.%s_n < t.seeds THEN printf(' (%%d/%%d)', t.%s_n, t.seeds) END",
                 column, column);
    }
    text_add(&t.sql, " FROM %s t CROSS JOIN %s s ON s.rowid = t.rowid ORDER BY t.rowid", from,
             from);
    print_table(db, &t,
                means ? "\nmean over seeds (aggregate.csv has their spread as well)\n" : "");
}

/** Completion times of each workload by itself, where there are several. */
static void
print_workloads(struct database *db, const struct database_writer *w)
{
    struct table t = begin_table(w, false);
    text_add(&t.sql, ", t.workload");
    t.nnames++;
    add_shown(&t, &shown_cct, false);
    add_shown(&t, &shown_increase, false);
    text_add(&t.sql, " FROM workloads t CROSS JOIN summary s ON s.run = t.run ORDER BY t.rowid");
    print_table(db, &t, "\nby workload\n");
}

/* --- all of it -------------------------------------------------------------------------------- */

/** Prints the lines that are warnings, or those that are not. */
static void
print_notes(const struct query_rows *notes, bool warnings)
{
    for (size_t row = 0; row < notes->nrows; row++)
    {
        const struct query_cell *cells = &notes->cells[row * notes->ncolumns];
        if ((strcmp(cells[0].text, NOTES_MISSING) == 0) == warnings)
        {
            print_shown(warnings ? stderr : stdout, "%s%s\n", warnings ? "weft: warning: " : "",
                        cells[2].text);
        }
    }
}

void
summary_print(struct database *db, const struct database_writer *w)
{
    CLEANUP(query_rows_drop) struct query_rows *notes = results_ask(db, NOTES_QUERY);
    print_totals(db, w, false);
    if (database_has_seeds(w))
    {
        print_totals(db, w, true);
        fflush(stdout);
        print_notes(notes, true);
    }
    print_workloads(db, w);
    print_notes(notes, false);
}
