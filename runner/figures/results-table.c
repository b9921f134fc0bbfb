/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of results on a page: which columns there are, in which order, and their cells. */
#include "results-table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "results-facts.h"
#include "summary.h"
#include "textbuf.h"

/** Columns of aggregate.csv for each of summary.csv: the first is the mean, the last half of its
 * interval, and one how many seeds have a value. */
#define SPREAD_COLUMNS 6
#define SPREAD_N       3

/* --- columns ---------------------------------------------------------------------------------- */

/** Where a column is shown; in the table in this order. */
enum place
{
    IN_LIST, /**< beside the table: all rows have the same */
    FIRST,   /**< it tells the runs apart */
    DRAWN,   /**< a figure shows it */
    TOLD,    /**< the terminal does */
    BEHIND,
    NAMING, /**< it names the run: what varies says more */
    SPREAD, /**< of a mean, beside its interval */
    NOWHERE,
};

struct shown_column
{
    char *name;
    enum place place;
    bool is_spread; /**< of the mean and half of its interval, SPREAD_COLUMNS - 1 later */
};

/** Returns the name of the column whose mean and interval begin at @p c; NULL: they are not there.
 * */
static char *
spread_at(const struct query_rows *rows, size_t c)
{
    const size_t last = c + SPREAD_COLUMNS - 1, n = strlen(rows->columns[c]);
    const char *end = rows->columns[c] + (n > 5 ? n - 5 : n);
    OWNED char *name = xformat("%.*s", (int)(end - rows->columns[c]), rows->columns[c]);
    OWNED char *half = xformat("%s_ci95", name);
    const bool is = strcmp(end, "_mean") == 0 && last < rows->ncolumns &&
                    strcmp(half, rows->columns[last]) == 0;
    return is ? xstrdup(name) : NULL;
}

/** "162 ± 3 (8/10)", "4.3 ± 1.3": the interval has one digit, or two if the first is a 1; all of
 * them from 10 on. */
static char *
spread_text(const struct query_cell *row, size_t c)
{
    const struct query_cell *mean = &row[c], *half = &row[c + SPREAD_COLUMNS - 1];
    const long long n = (long long)row[c + SPREAD_N].integer, seeds = (long long)row[0].integer;
    struct text t = {0};
    if (half->kind != QUERY_NULL && half->real > 0 && isfinite(half->real))
    {
        const int digits = (int)-floor(log10(half->real / 2));
        const int decimals = digits < 0 ? 0 : digits;
        text_add(&t, "%.*f ± %.*f", decimals, mean->real, decimals, half->real);
    }
    else
    {
        query_cell_add(&t, mean);
        text_add(&t, half->kind != QUERY_NULL ? " ± 0" : "");
    }
    if (mean->kind != QUERY_NULL && n < seeds)
    {
        text_add(&t, " (%lld/%lld)", n, seeds);
    }
    return text_take(&t);
}

static char *
cell_text(const struct query_rows *rows, const struct shown_column *columns, size_t row, size_t c)
{
    const struct query_cell *cells = &rows->cells[row * rows->ncolumns];
    return columns[c].is_spread ? spread_text(cells, c) : query_cell_text(&cells[c]);
}

/** Whether all rows have the same in a column. */
static bool
is_constant(const struct query_rows *rows, const struct shown_column *columns, size_t c)
{
    bool same = true;
    OWNED char *first = cell_text(rows, columns, 0, c);
    for (size_t r = 1; same && r < rows->nrows; r++)
    {
        OWNED char *cell = cell_text(rows, columns, r, c);
        same = strcmp(cell, first) == 0;
    }
    return same;
}

/** Whether a column has the numbers of the texts before it, as "t-i_us" those of "t-i": sorting the
 * texts by what they mean needs no other column. */
static bool
repeats(const struct query_rows *rows, size_t column)
{
    const char *before = column ? rows->columns[column - 1] : "", *name = rows->columns[column];
    const size_t n = strlen(before);
    return column && rows->cells[column - 1].kind == QUERY_TEXT && strncmp(name, before, n) == 0 &&
           name[n] == '_' && rows->cells[column].kind != QUERY_TEXT;
}

/** Whether a query names a column. */
static bool
names(const struct element *query, const char *column)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t n = strlen(column);
    const char *at = query ? query->text : "";
    while ((at = strstr(at, column)) != NULL &&
           (strspn(at + n, inside) || (at > query->text && strchr(inside, at[-1]))))
    {
        at += n;
    }
    return at != NULL;
}

/** Whether a figure of the scenario (NULL: not known) shows a column. */
static bool
is_drawn(const struct document *scenario, const char *column)
{
    static const char *const attributes[] = {"x", "y", "z", "series", "panels", "line"};
    bool drawn = false;
    const struct element *e = NULL;
    while (!drawn && scenario && (e = element_child_after(scenario->root, "figure", e)) != NULL)
    {
        drawn = names(element_child(e, "query"), column);
        for (size_t i = 0; !drawn && i < sizeof attributes / sizeof *attributes; i++)
        {
            drawn = list_has(element_value(e, attributes[i]), column);
        }
    }
    return drawn;
}

/** Where a column is shown that is not the same in all rows; @p measured: what tells the runs apart
 * is before. */
static enum place
place_of(const struct shown_column *column, bool measured, const struct document *scenario)
{
    const bool naming = strcmp(column->name, "run") == 0 || strcmp(column->name, "name") == 0;
    return naming                             ? NAMING
           : !measured                        ? FIRST
           : is_drawn(scenario, column->name) ? DRAWN
           : column->place == SPREAD          ? SPREAD
           : summary_prints(column->name)     ? TOLD
                                              : BEHIND;
}

static struct shown_column *
place_columns(const struct query_rows *rows, const struct results_table *t)
{
    struct shown_column *columns = xcalloc(rows->ncolumns, sizeof *columns);
    bool measured = false;
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        struct shown_column *column = &columns[c];
        char *spread = spread_at(rows, c);
        column->is_spread = spread != NULL;
        column->name = spread ? spread : xstrdup(rows->columns[c]);
        measured = measured || strcmp(column->name, t->measured) == 0;
        column->place = column->place == NOWHERE || repeats(rows, c) ? NOWHERE
                        : is_constant(rows, columns, c)              ? IN_LIST
                                                        : place_of(column, measured, t->scenario);
        for (size_t k = 1; spread && k < SPREAD_COLUMNS; k++)
        {
            columns[c + k].place = k < SPREAD_COLUMNS - 1 ? SPREAD : NOWHERE;
        }
    }
    return columns;
}

/* --- tables ----------------------------------------------------------------------------------- */

/** Adds columns that do not vary, as a list beside the table. */
static void
add_constants(xmlNode *section, const struct results_table *t, const struct query_rows *rows,
              const struct shown_column *columns)
{
    xmlNode *list = page_add(section, "facts", NULL);
    page_format(list, "title", rows->nrows > 1 ? "The same in all rows: %s" : "All values",
                t->title);
    page_set(list, "open", rows->nrows > 1 ? NULL : "open");
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (columns[c].place == IN_LIST && rows->cells[c].kind != QUERY_NULL)
        {
            OWNED char *text = cell_text(rows, columns, 0, c);
            page_set(page_add(list, "fact", text), "name", columns[c].name);
        }
    }
}

/** The mean @p cell and half of its interval as they are, for who wants all digits. */
static void
set_digits(xmlNode *to, const struct query_cell *cell)
{
    OWNED char *mean = query_cell_text(cell), *half = query_cell_text(cell + SPREAD_COLUMNS - 1);
    if (*half)
    {
        page_format(to, "title", "%s ± %s", mean, half);
    }
}

/** Adds columns and rows; what figures show comes before what none does. */
static void
add_varying(xmlNode *section, const struct results_table *t, const struct query_rows *rows,
            const struct shown_column *columns)
{
    size_t *order = xcalloc(rows->ncolumns, sizeof *order), n = 0, drawn = 0;
    for (enum place place = FIRST; place < NOWHERE; place++)
    {
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            if (columns[c].place == place)
            {
                drawn += place == DRAWN;
                order[n++] = c;
            }
        }
    }
    xmlNode *table = page_add(section, "table", NULL);
    page_set(table, "title", t->title);
    page_set(table, "file", t->file);
    page_set(table, "cut", rows->nrows > RESULTS_MOST_ROWS ? "on" : NULL);
    if (t->file)
    {
        OWNED char *path = xformat("%s/%s", t->folder, t->file);
        page_set_link(table, "href", path, t->output);
    }
    for (size_t i = 0; i < n; i++)
    {
        const struct shown_column *shown = &columns[order[i]];
        xmlNode *column = page_add(table, "column", shown->name);
        page_set(column, "number", rows->cells[order[i]].kind != QUERY_TEXT ? "on" : NULL);
        page_set(column, "behind", drawn && shown->place > DRAWN ? "on" : NULL);
    }
    for (size_t r = 0; r < rows->nrows && r < RESULTS_MOST_ROWS; r++)
    {
        xmlNode *row = page_add(table, "row", NULL);
        for (size_t i = 0; i < n; i++)
        {
            const struct query_cell *cell = &rows->cells[r * rows->ncolumns + order[i]];
            OWNED char *text = cell_text(rows, columns, r, order[i]);
            xmlNode *to = query_cell_add_to(row, text, cell, cell->kind != QUERY_TEXT);
            page_set(to, "behind", drawn && columns[order[i]].place > DRAWN ? "on" : NULL);
            if (columns[order[i]].is_spread)
            {
                set_digits(to, cell);
            }
        }
    }
    free(order);
}

void
results_table_add(xmlNode *section, const struct results_table *t, const struct query_rows *rows)
{
    OWNED struct shown_column *columns = place_columns(rows, t);
    if (rows->nrows > 1)
    {
        add_varying(section, t, rows, columns);
    }
    add_constants(section, t, rows, columns);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        free(columns[c].name);
    }
}
