/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a query as a table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "page.h"
#include "query.h"
#include "shown-text.h"
#include "stylesheets.h"

void
query_cell_add(struct text *t, const struct query_cell *cell)
{
    char digits[40];
    switch (cell->kind)
    {
    case QUERY_INTEGER:
        text_add(t, "%" PRId64, cell->integer);
        break;
    case QUERY_REAL:
        snprintf(digits, sizeof digits, "%.15g", cell->real);
        if (strtod(digits, NULL) < cell->real || strtod(digits, NULL) > cell->real)
        {
            snprintf(digits, sizeof digits, "%.17g", cell->real);
        }
        text_add(t, "%s", digits);
        break;
    case QUERY_TEXT:
        text_add(t, "%s", cell->text);
        break;
    case QUERY_NULL:
        break;
    }
}

char *
query_cell_text(const struct query_cell *cell)
{
    struct text t = {0};
    query_cell_add(&t, cell);
    return text_take(&t);
}

/** A cell as one line, to be read: ten digits tell more than what was measured. */
static char *
shown_text(const struct query_cell *cell)
{
    OWNED char *raw =
        cell->kind == QUERY_REAL ? xformat("%.10g", cell->real) : query_cell_text(cell);
    struct text t = {0};
    text_add_printed(&t, raw, strlen(raw));
    return text_take(&t);
}

static const struct query_cell *
cell_at(const struct query_rows *rows, size_t row, size_t column)
{
    return &rows->cells[row * rows->ncolumns + column];
}

/** Numbers stand at the right of their column. */
static bool
is_number(const struct query_cell *c)
{
    return c->kind == QUERY_INTEGER || c->kind == QUERY_REAL;
}

/** Widest column that others are aligned behind, characters. */
#define MOST_WIDTH 200

/** Characters of a line of UTF-8. */
static size_t
width_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
    {
        n += ((unsigned char)*s & 0xc0) != 0x80;
    }
    return n;
}

/** @p last: nothing follows in its line. */
static void
add_padded(struct text *t, const char *s, size_t width, bool right, bool last)
{
    const size_t own = width_of(s);
    const int pad = own < width ? (int)(width - own) : 0;
    text_add(t, "%*s%s%*s%s", right ? pad : 0, "", s, right || last ? 0 : pad, "",
             last ? "\n" : "  ");
}

static void
print_text(struct text *t, const struct query_rows *rows)
{
    const size_t n = rows->ncolumns, all = (rows->nrows + 1) * n;
    OWNED size_t *width = xcalloc(n, sizeof *width);
    OWNED char **texts = xcalloc(all, sizeof *texts); /* the columns' names first */
    for (size_t i = 0; i < all; i++)
    {
        texts[i] = i < n ? xstrdup(rows->columns[i]) : shown_text(&rows->cells[i - n]);
        const size_t own = width_of(texts[i]) < MOST_WIDTH ? width_of(texts[i]) : MOST_WIDTH;
        width[i % n] = own > width[i % n] ? own : width[i % n];
    }
    for (size_t i = 0; i < all; i++)
    {
        const bool right = all > n && is_number(&rows->cells[i < n ? i : i - n]);
        add_padded(t, texts[i], width[i % n], right, (i + 1) % n == 0);
        free(texts[i]);
    }
}

static void
print_csv(struct text *t, const struct query_rows *rows)
{
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        text_add(t, c ? "," : "");
        csv_add_cell(t, rows->columns[c]);
    }
    text_add(t, "\n");
    for (size_t i = 0; i < rows->nrows * rows->ncolumns; i++)
    {
        OWNED char *cell = query_cell_text(&rows->cells[i]);
        csv_add_cell(t, cell);
        text_add(t, (i + 1) % rows->ncolumns ? "," : "\n");
    }
}

/** Adds rows from @p first on, not too many for their tree; the columns' names before the first.
 * The next row. */
static size_t
add_markdown_rows(struct text *t, const struct query_rows *rows, size_t first)
{
    enum
    {
        AT_ONCE = 1000
    };
    xmlDoc *page = page_new("table");
    xmlNode *table = xmlDocGetRootElement(page);
    size_t r = first;
    for (size_t c = 0; first == 0 && c < rows->ncolumns; c++)
    {
        xmlNode *column = page_add(table, "column", rows->columns[c]);
        page_set(column, "number", rows->nrows > 0 && is_number(cell_at(rows, 0, c)) ? "on" : NULL);
    }
    for (; r < rows->nrows && r < first + AT_ONCE; r++)
    {
        xmlNode *row = page_add(table, "row", NULL);
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            OWNED char *s = shown_text(cell_at(rows, r, c));
            page_add(row, "cell", s);
        }
    }
    OWNED char *text = page_write(page, markdown_stylesheet, NULL);
    text_add(t, "%s", text);
    xmlFreeDoc(page);
    return r;
}

static void
print_markdown(struct text *t, const struct query_rows *rows)
{
    for (size_t r = add_markdown_rows(t, rows, 0); r < rows->nrows;)
    {
        r = add_markdown_rows(t, rows, r);
    }
}

static void
add_json_string(struct text *t, const char *s)
{
    text_add(t, "\"");
    for (; *s; s++)
    {
        const unsigned char c = (unsigned char)*s;
        text_add(t, c == '"' || c == '\\' ? "\\%c" : c < 0x20 ? "\\u%04x" : "%c", c);
    }
    text_add(t, "\"");
}

static void
add_json_value(struct text *t, const struct query_cell *c)
{
    if (c->kind == QUERY_TEXT)
    {
        CLEANUP(text_drop) struct text valid = {0};
        text_add_printed(&valid, c->text, strlen(c->text));
        add_json_string(t, valid.s ? valid.s : "");
    }
    else if (c->kind == QUERY_NULL || !isfinite(c->real))
    {
        text_add(t, "null");
    }
    else
    {
        query_cell_add(t, c);
    }
}

static void
print_json(struct text *t, const struct query_rows *rows)
{
    text_add(t, "[");
    for (size_t r = 0; r < rows->nrows; r++)
    {
        text_add(t, r ? ",\n {" : "\n {");
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            text_add(t, c ? ", " : "");
            add_json_string(t, rows->columns[c]);
            text_add(t, ": ");
            add_json_value(t, cell_at(rows, r, c));
        }
        text_add(t, "}");
    }
    text_add(t, "\n]\n");
}

void
query_print(struct text *t, const struct query_rows *rows, enum query_format format)
{
    static void (*const printers[])(struct text *, const struct query_rows *) = {
        [QUERY_AS_TEXT] = print_text,
        [QUERY_AS_CSV] = print_csv,
        [QUERY_AS_MARKDOWN] = print_markdown,
        [QUERY_AS_JSON] = print_json,
    };
    printers[format](t, rows);
}
