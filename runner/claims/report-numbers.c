/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that a query gives, in words and as rows of a table. */
#include "report-query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "element-values.h"

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

/** Returns the text in the place of a number that is not there. */
static const char *
absence(const struct query_hole *hole)
{
    return hole->ground == QUERY_NO_ROWS ? "not run" : "none";
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

/** " %". */
static void
add_unit(struct text *t, const struct report_column *column)
{
    text_add(t, "%s%s", column->unit ? " " : "", column->unit ? column->unit : "");
}

/** " ± 0.4", if the column behind a value has half of its interval. */
static void
add_interval(struct text *t, const struct report_numbers *n, size_t at)
{
    const size_t behind = at % n->rows->ncolumns + 1;
    if (behind < n->rows->ncolumns && n->columns[behind].kind == REPORT_INTERVAL &&
        n->rows->cells[at + 1].kind != QUERY_NULL && isfinite(n->rows->cells[at + 1].real))
    {
        text_add(t, " ± ");
        add_number(t, n->rows->cells[at + 1].real, n->columns[behind - 1].decimals);
    }
}

/** "15.6 ± 0.4 %". */
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
        add_interval(t, n, at);
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
    if (all.numbers == 0 || all.hole.ground == QUERY_NO_ROWS)
    {
        text_add(t, "%s", absence(&all.hole));
    }
    else
    {
        add_number(t, all.least, column->decimals);
        text_add(t, " to ");
        add_number(t, all.most, column->decimals);
        add_unit(t, column);
    }
    add_ground(t, &all.hole, "at worst ");
}

/** Adds a <value>, whose text is freed. */
static void
add_entry(xmlNode *claim, const char *row, const char *column, struct text *text)
{
    xmlNode *value = page_add(claim, "value", text->s);
    page_set(value, "row", row);
    page_set(value, "column", column);
    free(text_take(text));
}

/** Whether a claim shows the least and the most of all rows. */
static bool
has_span(const struct element *e, const struct report_numbers *n)
{
    return n->rows && n->rows->nrows > 1 && element_value(element_child(e, "query"), "over");
}

size_t
report_count(const struct element *e, const struct report_numbers *n)
{
    size_t values = 0, intervals = 0;
    for (size_t c = 0; n->rows && c < n->rows->ncolumns; c++)
    {
        values += n->columns[c].kind == REPORT_VALUE;
        intervals += n->columns[c].kind == REPORT_INTERVAL;
    }
    return !n->rows ? 0 : has_span(e, n) ? 2 * values : n->rows->nrows * (values + intervals);
}

void
report_add_values(xmlNode *claim, const struct element *e, const struct report_numbers *n)
{
    const size_t nrows = n->rows ? n->rows->nrows : 0;
    const bool span = has_span(e, n);
    if (nrows == 0)
    {
        page_add(claim, "value", "not run");
    }
    for (size_t r = 0; r < (span ? 1 : nrows); r++)
    {
        /* "allreduce: AR: 2.3 ms", "Themis: 1.1 ms". */
        OWNED char *name = span ? NULL : row_name(n, r);
        const char *row = name;
        for (size_t c = 0; c < n->rows->ncolumns; c++)
        {
            struct text text = {0};
            if (n->columns[c].kind != REPORT_VALUE)
            {
                continue;
            }
            if (span)
            {
                add_span(&text, n, c);
            }
            else
            {
                add_value(&text, n, r * n->rows->ncolumns + c, true);
            }
            add_entry(claim, row, n->columns[c].label, &text);
            row = NULL;
        }
    }
}

/** Whether a row is of former code. */
static bool
is_former_row(const struct report_numbers *n, size_t row)
{
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const struct query_cell *cell = &n->rows->cells[row * n->rows->ncolumns + c];
        if (n->columns[c].kind == REPORT_FORMER && cell->kind != QUERY_NULL && cell->real > 0)
        {
            return true;
        }
    }
    return false;
}

bool
report_claim_is_former(const struct element *claim, const struct report_numbers *n)
{
    bool former = false;
    for (size_t i = 0; i < claim->nchildren; i++)
    {
        const struct element *e = claim->children[i];
        former = former || (element_attribute(e, "former") && element_number(e, "former").integer);
    }
    for (size_t r = 0; n && n->rows && r < n->rows->nrows; r++)
    {
        former = former || is_former_row(n, r);
    }
    return former;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void
add_head(xmlNode *table, const struct report_numbers *n)
{
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const struct report_column *column = &n->columns[c];
        CLEANUP(text_drop) struct text head = {0};
        text_add(&head, "%s", n->rows->columns[c]);
        if (column->kind == REPORT_VALUE)
        {
            text_add(&head, "%s", column->unit ? "," : "");
            add_unit(&head, column);
            text_add(&head, "%s", column->former ? REPORT_FORMER_MARK : "");
        }
        if (column->kind == REPORT_VALUE || column->kind == REPORT_KEY)
        {
            page_set(page_add(table, "column", head.s), "number",
                     column->kind == REPORT_VALUE ? "on" : NULL);
        }
    }
}

static void
add_row(xmlNode *table, const struct report_numbers *n, size_t row)
{
    xmlNode *to = page_add(table, "row", NULL);
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const size_t at = row * n->rows->ncolumns + c;
        const bool last = c + 1 == n->rows->ncolumns || n->columns[c + 1].kind != REPORT_KEY;
        CLEANUP(text_drop) struct text text = {0};
        if (n->columns[c].kind == REPORT_VALUE)
        {
            add_value(&text, n, at, false);
        }
        else if (n->columns[c].kind == REPORT_KEY)
        {
            query_cell_add(&text, &n->rows->cells[at]);
            text_add(&text, "%s", last && is_former_row(n, row) ? REPORT_FORMER_MARK : "");
        }
        if (n->columns[c].kind == REPORT_VALUE || n->columns[c].kind == REPORT_KEY)
        {
            report_add_cell(to, text.s, &n->rows->cells[at], n->columns[c].kind == REPORT_VALUE);
        }
    }
}

void
report_add_rows(xmlNode *table, const struct report_numbers *n)
{
    const size_t nrows = n->rows ? n->rows->nrows : 0;
    for (size_t row = 0; row < nrows; row++)
    {
        if (row == 0)
        {
            add_head(table, n);
        }
        add_row(table, n, row);
    }
}

xmlNode *
report_add_cell(xmlNode *row, const char *text, const struct query_cell *cell, bool number)
{
    xmlNode *to = page_add(row, "cell", text);
    double value = cell->real;
    if (cell->kind == QUERY_TEXT && csv_number(cell->text, &value) != CELL_NUMBER)
    {
        value = NAN;
    }
    page_set(to, "number", number ? "on" : NULL);
    if (isfinite(value))
    {
        page_format(to, "value", "%.17g", value);
    }
    return to;
}
