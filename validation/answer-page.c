/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers in words, and as rows of a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "results-facts.h"

/* --- numbers -----------------------------------------------------------------------------------
 */

static void
add_number(struct text *t, double value, int decimals)
{
    const bool zero = fabs(value) < 0.5 * pow(10, -decimals);
    if (isfinite(value))
    {
        text_add(t, "%.*f", decimals, zero ? 0 : value);
    }
    else
    {
        text_add(t, "undefined");
    }
}

/** Adds " (8/10)", where some rows have no value. */
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

/** Adds " %". */
static void
add_unit(struct text *t, const struct column *column)
{
    text_add(t, "%s%s", column->unit ? " " : "", column->unit ? column->unit : "");
}

/** Adds "15.6 ± 0.4 %"; the interval stands in the column behind. */
static void
add_value(struct text *t, const struct answer *a, size_t at, bool with_unit)
{
    const size_t c = at % a->rows->ncolumns;
    const struct column *column = &a->columns[c];
    const struct query_cell *cell = &a->rows->cells[at];
    if (cell->kind == QUERY_NULL)
    {
        text_add(t, "%s", absence(&a->holes[at]));
    }
    else
    {
        add_number(t, cell->real, column->decimals);
        if (c + 1 < a->rows->ncolumns && column[1].kind == COLUMN_INTERVAL &&
            cell[1].kind != QUERY_NULL && isfinite(cell[1].real))
        {
            text_add(t, " ± ");
            add_number(t, cell[1].real, column->decimals);
        }
        if (with_unit)
        {
            add_unit(t, column);
        }
    }
    add_ground(t, &a->holes[at], "");
}

static struct query_hole
worse(struct query_hole a, struct query_hole b)
{
    return a.ground == b.ground  ? (a.have * b.of <= b.have * a.of ? a : b)
           : a.ground > b.ground ? a
                                 : b;
}

/** Adds "15.6 to 75.3 %", over all rows of a column, and what the row rests on that lacks most. */
static void
add_span(struct text *t, const struct answer *a, size_t c)
{
    double least = INFINITY, most = -INFINITY;
    struct query_hole hole = {QUERY_WHOLE, 0, 0};
    bool any = false;
    for (size_t at = c; at < a->rows->nrows * a->rows->ncolumns; at += a->rows->ncolumns)
    {
        const struct query_cell *cell = &a->rows->cells[at];
        const bool there = cell->kind != QUERY_NULL;
        hole = worse(hole, a->holes[at]);
        any = any || there;
        least = there && cell->real < least ? cell->real : least;
        most = there && cell->real > most ? cell->real : most;
    }
    if (!any || hole.ground == QUERY_NO_ROWS)
    {
        text_add(t, "%s", absence(&hole));
    }
    else
    {
        add_number(t, least, a->columns[c].decimals);
        text_add(t, " to ");
        add_number(t, most, a->columns[c].decimals);
        add_unit(t, &a->columns[c]);
    }
    add_ground(t, &hole, "at worst ");
}

/* --- claims ------------------------------------------------------------------------------------
 */

/** Returns the cells that name a row, as "all-to-all, 10us"; NULL: none. The caller frees it. */
static char *
row_name(const struct answer *a, size_t row)
{
    struct text t = {0};
    for (size_t c = 0; c < a->rows->ncolumns; c++)
    {
        if (a->columns[c].kind == COLUMN_KEY)
        {
            text_add(&t, "%s", t.len ? ", " : "");
            query_cell_add(&t, &a->rows->cells[row * a->rows->ncolumns + c]);
        }
    }
    return t.s;
}

/** Adds the values of a row, or with @p span those over all rows. */
static void
add_row_values(xmlNode *claim, const struct answer *a, size_t row, bool span)
{
    OWNED char *name = span ? NULL : row_name(a, row);
    const char *label = name;
    for (size_t c = 0; c < a->rows->ncolumns; c++)
    {
        CLEANUP(text_drop) struct text text = {0};
        if (a->columns[c].kind != COLUMN_VALUE)
        {
            continue;
        }
        if (span)
        {
            add_span(&text, a, c);
        }
        else
        {
            add_value(&text, a, row * a->rows->ncolumns + c, true);
        }
        xmlNode *value = page_add(claim, "value", text.s);
        page_set(value, "row", label);
        page_set(value, "column", a->columns[c].label);
        label = NULL;
    }
}

void
answer_add_values(xmlNode *claim, const struct answer *a)
{
    const size_t nrows = a->rows ? a->rows->nrows : 0;
    const bool span = nrows > 1 && value_of(a->query, "over");
    if (nrows == 0)
    {
        page_add(claim, "value", "not run");
    }
    for (size_t r = 0; r < (span ? 1 : nrows); r++)
    {
        add_row_values(claim, a, r, span);
    }
}

/* --- tables ------------------------------------------------------------------------------------
 */

static bool
is_shown(const struct column *column)
{
    return column->kind == COLUMN_VALUE || column->kind == COLUMN_KEY;
}

static void
add_head(xmlNode *table, const struct answer *a)
{
    for (size_t c = 0; c < a->rows->ncolumns; c++)
    {
        const struct column *column = &a->columns[c];
        const bool value = column->kind == COLUMN_VALUE;
        CLEANUP(text_drop) struct text head = {0};
        text_add(&head, "%s", a->rows->columns[c]);
        if (value)
        {
            text_add(&head, "%s", column->unit ? "," : "");
            add_unit(&head, column);
            text_add(&head, "%s", column->former ? FORMER_MARK : "");
        }
        if (is_shown(column))
        {
            page_set(page_add(table, "column", head.s), "number", value ? "on" : NULL);
        }
    }
}

static void
add_row(xmlNode *table, const struct answer *a, size_t row)
{
    xmlNode *to = page_add(table, "row", NULL);
    for (size_t c = 0; c < a->rows->ncolumns; c++)
    {
        const size_t at = row * a->rows->ncolumns + c;
        const bool value = a->columns[c].kind == COLUMN_VALUE;
        const bool last = c + 1 == a->rows->ncolumns || a->columns[c + 1].kind != COLUMN_KEY;
        CLEANUP(text_drop) struct text text = {0};
        if (value)
        {
            add_value(&text, a, at, false);
        }
        else
        {
            query_cell_add(&text, &a->rows->cells[at]);
            text_add(&text, "%s", last && answer_row_is_former(a, row) ? FORMER_MARK : "");
        }
        if (is_shown(&a->columns[c]))
        {
            query_cell_add_to(to, text.s, &a->rows->cells[at], value);
        }
    }
}

void
answer_add_rows(xmlNode *table, const struct answer *a)
{
    for (size_t row = 0; a->rows && row < a->rows->nrows; row++)
    {
        if (row == 0)
        {
            add_head(table, a);
        }
        add_row(table, a, row);
    }
}
