/* SPDX-License-Identifier: GPL-2.0-only */
#include "report-numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element-values.h"

/* --- texts ------------------------------------------------------------------------------------ */

static void
add_paragraphs(struct text *t, const struct report_form *form, const char *s)
{
    struct text paragraph = {0};
    for (bool more = true; more;)
    {
        const size_t n = strcspn(s, "\n"), blank = strspn(s, " \t\r");
        more = s[n] != '\0';
        text_add(&paragraph, "%.*s\n", (int)n, s);
        if (blank >= n || !more)
        {
            char *whole = text_take(&paragraph);
            if (whole[strspn(whole, " \t\r\n")])
            {
                form->paragraph(t, whole);
            }
            free(whole);
        }
        s += n + more;
    }
}

void
report_add_texts(struct text *t, const struct report_form *form, const struct element *e)
{
    for (const struct element *text = NULL; (text = report_next(e, "text", text)) != NULL;)
    {
        add_paragraphs(t, form, text->text);
    }
}

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
add_unit(struct text *t, const struct report_form *form, const struct report_column *column)
{
    if (column->unit)
    {
        text_add(t, " ");
        form->plain(t, column->unit);
    }
}

static void
add_label(struct text *t, const struct report_form *form, const char *label)
{
    if (label)
    {
        text_add(t, "%s", form->label);
        form->plain(t, label);
        text_add(t, ":%s ", form->label_end);
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
add_value(struct text *t, const struct report_form *form, const struct report_numbers *n, size_t at,
          bool with_unit)
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
            add_unit(t, form, column);
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
add_span(struct text *t, const struct report_form *form, const struct report_numbers *n, size_t c)
{
    const struct report_column *column = &n->columns[c];
    const struct span all = span_of(n, c);
    add_label(t, form, column->label);
    if (all.numbers == 0 || all.hole.ground == QUERY_NO_ROWS)
    {
        text_add(t, "%s", absence(&all.hole));
        add_ground(t, &all.hole, "at worst ");
        return;
    }
    add_number(t, all.least, column->decimals);
    text_add(t, " to ");
    add_number(t, all.most, column->decimals);
    add_unit(t, form, column);
    add_ground(t, &all.hole, "at worst ");
}

/** "allreduce: AR: 2.3 ms", "Themis: 1.1 ms": a row of a claim. */
static void
add_claim_numbers(struct text *t, const struct report_form *form, const struct report_numbers *n,
                  size_t row, size_t *entries)
{
    char *name = row_name(n, row);
    const char *label = name;
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind == REPORT_VALUE)
        {
            text_add(t, "%s", (*entries)++ ? form->next : "");
            add_label(t, form, label);
            add_label(t, form, n->columns[c].label);
            add_value(t, form, n, row * n->rows->ncolumns + c, true);
            label = NULL;
        }
    }
    free(name);
}

static void
add_numbers(struct text *t, const struct report_form *form, const struct element *claim,
            const struct report_numbers *n, size_t *entries)
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
                text_add(t, "%s", (*entries)++ ? form->next : "");
                add_span(t, form, n, c);
            }
        }
    }
    else
    {
        for (size_t r = 0; r < n->rows->nrows; r++)
        {
            add_claim_numbers(t, form, n, r, entries);
        }
    }
}

void
report_add_evidence(struct text *t, const struct report_form *form, const struct element *claim,
                    const struct report_numbers *n)
{
    size_t entries = 0;
    if (n)
    {
        add_numbers(t, form, claim, n, &entries);
    }
    for (const struct element *test = NULL; (test = report_next(claim, "test", test)) != NULL;)
    {
        const char *file = element_value(test, "file"), *base = strrchr(file, '/');
        text_add(t, "%s", entries++ ? form->next : "");
        add_label(t, form, "tested");
        form->code(t, element_value(test, "name"));
        text_add(t, " in ");
        form->code(t, base ? base + 1 : file);
    }
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
        former = former || report_is_former(n, r);
    }
    return former;
}

/* --- tables ----------------------------------------------------------------------------------- */

void
report_add_head(struct text *t, const struct report_form *form, const struct report_numbers *n,
                size_t c)
{
    const struct report_column *column = &n->columns[c];
    form->plain(t, n->rows->columns[c]);
    if (column->kind == REPORT_VALUE)
    {
        text_add(t, "%s", column->unit ? "," : "");
        add_unit(t, form, column);
        text_add(t, "%s", column->former ? REPORT_FORMER_MARK : "");
    }
}

void
report_add_cell(struct text *t, const struct report_form *form, const struct report_numbers *n,
                size_t row, size_t c)
{
    const size_t at = row * n->rows->ncolumns + c;
    if (n->columns[c].kind == REPORT_VALUE)
    {
        add_value(t, form, n, at, false);
        return;
    }
    const bool last = c + 1 == n->rows->ncolumns || n->columns[c + 1].kind != REPORT_KEY;
    char *cell = report_cell_text(&n->rows->cells[at]);
    form->plain(t, cell);
    text_add(t, "%s", last && report_is_former(n, row) ? REPORT_FORMER_MARK : "");
    free(cell);
}
