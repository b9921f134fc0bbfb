/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of claims and tables as Markdown. */
#include "report-numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "markdown.h"

/** Of a table that is shown at once. */
#define MOST_ROWS 16

/* --- numbers ---------------------------------------------------------------------------------- */

static void
add_number(struct text *t, double value, int decimals)
{
    if (!isfinite(value))
    {
        text_add(t, "undefined");
        return;
    }
    const bool zero = fabs(value) < 0.5 * pow(10, -decimals);
    text_add(t, "%.*f", decimals, zero ? 0 : value);
}

/** " (8/10)", where some rows have no value. */
static void
add_ground(struct text *t, const struct query_hole *hole, const char *words)
{
    if (hole->ground == QUERY_PARTLY)
    {
        text_add(t, " (%s%zu/%zu)", words, hole->have, hole->of);
    }
}

/** What stands in the place of a number that is not there. */
static const char *
absence(const struct query_hole *hole)
{
    return hole->ground == QUERY_NO_ROWS ? "not run" : "none";
}

static void
add_unit(struct text *t, const struct report_column *column)
{
    if (column->unit)
    {
        text_add(t, " ");
        markdown_add_plain(t, column->unit);
    }
}

static void
add_label(struct text *t, const char *label)
{
    if (label)
    {
        markdown_add_plain(t, label);
        text_add(t, ": ");
    }
}

/** The cells that name a row, as "all-to-all, 10us". NULL: none. */
static char *
row_name(const struct report_numbers *n, size_t row)
{
    struct text t = {0};
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind == REPORT_KEY)
        {
            text_add(&t, "%s", t.len ? ", " : "");
            query_cell_add(&t, &n->rows->cells[row * n->rows->ncolumns + c]);
        }
    }
    return t.s;
}

/** "15.6 %". */
static void
add_value(struct text *t, const struct report_numbers *n, size_t at, bool with_unit)
{
    const struct report_column *column = &n->columns[at % n->rows->ncolumns];
    if (n->rows->cells[at].kind == QUERY_NULL)
    {
        text_add(t, "%s", absence(&n->holes[at]));
    }
    else
    {
        add_number(t, n->rows->cells[at].real, column->decimals);
        if (with_unit)
        {
            add_unit(t, column);
        }
    }
    add_ground(t, &n->holes[at], "");
}

/** All numbers of a column. */
struct span
{
    double least, most;
    size_t numbers;
    struct query_hole hole; /**< what the row rests on that lacks most */
};

static struct query_hole
worse(struct query_hole a, struct query_hole b)
{
    return a.ground == b.ground  ? (a.have * b.of <= b.have * a.of ? a : b)
           : a.ground > b.ground ? a
                                 : b;
}

static struct span
span_of(const struct report_numbers *n, size_t column)
{
    struct span all = {INFINITY, -INFINITY, 0, {QUERY_WHOLE, 0, 0}};
    for (size_t at = column; at < n->rows->nrows * n->rows->ncolumns; at += n->rows->ncolumns)
    {
        const struct query_cell *cell = &n->rows->cells[at];
        all.hole = worse(all.hole, n->holes[at]);
        if (cell->kind != QUERY_NULL)
        {
            all.numbers++;
            all.least = cell->real < all.least ? cell->real : all.least;
            all.most = cell->real > all.most ? cell->real : all.most;
        }
    }
    return all;
}

/** "15.6 to 75.3 %", over all rows. */
static void
add_span(struct text *t, const struct report_numbers *n, size_t c)
{
    const struct report_column *column = &n->columns[c];
    const struct span all = span_of(n, c);
    add_label(t, column->label);
    if (all.numbers == 0 || all.hole.ground == QUERY_NO_ROWS)
    {
        text_add(t, "%s", absence(&all.hole));
        add_ground(t, &all.hole, "at worst ");
        return;
    }
    add_number(t, all.least, column->decimals);
    text_add(t, " to ");
    add_number(t, all.most, column->decimals);
    add_unit(t, column);
    add_ground(t, &all.hole, "at worst ");
}

/** "allreduce: AR: 2.3 ms<br>Themis: 1.1 ms": a row of a claim. */
static void
add_claim_numbers(struct text *t, const struct report_numbers *n, size_t row, size_t *entries)
{
    char *name = row_name(n, row);
    const char *label = name;
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind == REPORT_VALUE)
        {
            text_add(t, "%s", (*entries)++ ? "<br>" : "");
            add_label(t, label);
            add_label(t, n->columns[c].label);
            add_value(t, n, row * n->rows->ncolumns + c, true);
            label = NULL;
        }
    }
    free(name);
}

void
report_add_numbers(struct text *t, const struct element *claim, const struct report_numbers *n,
                   size_t *entries)
{
    const bool span = element_value(element_child(claim, "query"), "over") != NULL;
    if (!n->rows || n->rows->nrows == 0)
    {
        text_add(t, "not run");
        ++*entries;
    }
    else if (span && n->rows->nrows > 1)
    {
        for (size_t c = 0; c < n->rows->ncolumns; c++)
        {
            if (n->columns[c].kind == REPORT_VALUE)
            {
                text_add(t, "%s", (*entries)++ ? "<br>" : "");
                add_span(t, n, c);
            }
        }
    }
    else
    {
        for (size_t r = 0; r < n->rows->nrows; r++)
        {
            add_claim_numbers(t, n, r, entries);
        }
    }
}

bool
report_claim_is_former(const struct element *claim, const struct report_numbers *n)
{
    const struct element *query = element_child(claim, "query");
    const char *all = query ? element_value(query, "former") : NULL;
    bool former = all && strcmp(all, "on") == 0;
    for (size_t i = 0; i < claim->nchildren; i++)
    {
        const char *own = element_value(claim->children[i], "former");
        former = former || (own && strcmp(own, "on") == 0);
    }
    for (size_t r = 0; n && n->rows && r < n->rows->nrows; r++)
    {
        former = former || report_is_former(n, r);
    }
    return former;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void
add_table_head(struct text *t, const struct report_numbers *n)
{
    text_add(t, "|");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const struct report_column *column = &n->columns[c];
        if (column->kind != REPORT_FORMER)
        {
            text_add(t, " ");
            markdown_add_plain(t, n->rows->columns[c]);
            text_add(t, "%s", column->kind == REPORT_VALUE && column->unit ? "," : "");
            if (column->kind == REPORT_VALUE)
            {
                add_unit(t, column);
            }
            text_add(t, "%s |",
                     column->kind == REPORT_VALUE && column->former ? REPORT_FORMER_MARK : "");
        }
    }
    text_add(t, "\n|");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const enum report_column_kind kind = n->columns[c].kind;
        text_add(t, "%s", kind == REPORT_KEY ? "---|" : kind == REPORT_VALUE ? "--:|" : "");
    }
    text_add(t, "\n");
}

static void
add_table_row(struct text *t, const struct report_numbers *n, size_t row)
{
    bool former = report_is_former(n, row);
    text_add(t, "|");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const size_t at = row * n->rows->ncolumns + c;
        const enum report_column_kind next =
            c + 1 < n->rows->ncolumns ? n->columns[c + 1].kind : REPORT_VALUE;
        if (n->columns[c].kind == REPORT_VALUE)
        {
            text_add(t, " ");
            add_value(t, n, at, false);
            text_add(t, " |");
        }
        else if (n->columns[c].kind == REPORT_KEY)
        {
            struct text cell = {0};
            query_cell_add(&cell, &n->rows->cells[at]);
            text_add(t, " ");
            markdown_add_plain(t, cell.s ? cell.s : "");
            text_add(t, "%s |", former && next != REPORT_KEY ? REPORT_FORMER_MARK : "");
            free(cell.s);
        }
    }
    text_add(t, "\n");
}

/** A long table is folded away where Markdown is shown. */
void
report_add_table(struct text *t, const struct element *table, const struct report_numbers *n)
{
    const char *title = element_value(table, "title");
    const size_t nrows = n->rows ? n->rows->nrows : 0;
    const bool folded = nrows > MOST_ROWS;
    text_add(t, "%s", folded ? "\n<details><summary>" : "\n");
    markdown_add_plain(t, title);
    if (folded)
    {
        text_add(t, " (%zu rows)</summary>\n\n", nrows);
    }
    else
    {
        text_add(t, nrows ? ":\n\n" : ": not run\n");
    }
    if (nrows)
    {
        add_table_head(t, n);
    }
    for (size_t row = 0; row < nrows; row++)
    {
        add_table_row(t, n, row);
    }
    text_add(t, "%s", folded ? "\n</details>\n" : "");
}
