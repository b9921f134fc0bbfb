/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV files that nobody would write: a reader of results must find the cells that RFC 4180 says are
 * there, or say that rows differ, and find the same in what Weft writes of them. Else a table or a
 * figure shows other numbers than its runs have.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "fuzz.h"
#include "must.h"

/** A file read plainly, one character at a time: all cells, and the length of each row. */
struct plain
{
    struct text cells; /* each ended by 1: no cell holds that, see usable() */
    size_t *row, rows;
};

static void
end_row(struct plain *p)
{
    p->rows++;
    p->row = xrealloc(p->row, p->rows + 1, sizeof *p->row);
    p->row[p->rows] = 0;
}

static struct plain
read_plainly(const char *s)
{
    struct plain p = {.row = xcalloc(1, sizeof *p.row)};
    bool quoted = false, start = true;
    for (; *s; s++)
    {
        if (start && *s == '"')
        {
            quoted = true;
        }
        else if (quoted && *s == '"' && s[1] == '"')
        {
            text_add(&p.cells, "\"");
            s++;
        }
        else if (quoted && *s == '"')
        {
            quoted = false;
        }
        else if (!quoted && (*s == ',' || *s == '\n'))
        {
            text_add(&p.cells, "\1");
            p.row[p.rows]++;
            start = true;
            if (*s == '\n')
            {
                end_row(&p);
            }
            continue;
        }
        else
        {
            text_add(&p.cells, "%c", *s);
        }
        start = false;
    }
    return p;
}

/** The file ends its last row, and holds none of the characters that the check itself uses. */
static bool
usable(const uint8_t *data, size_t size)
{
    return size > 0 && data[size - 1] == '\n' && !memchr(data, 1, size) && !memchr(data, 0, size);
}

static void
add_row(struct text *t, const struct csv *csv, char *const *cells)
{
    for (size_t c = 0; c < csv->ncolumns; c++)
    {
        text_add(t, "%s\1", cells[c]);
    }
}

/** All cells of a file, header included, each ended by 1. */
static char *
flat(const struct csv *csv)
{
    struct text t = {0};
    add_row(&t, csv, csv->header);
    for (size_t r = 0; r < csv->nrows; r++)
    {
        add_row(&t, csv, csv->cells + r * csv->ncolumns);
    }
    return text_take(&t);
}

static void
check_against_plain(const struct csv *csv, const char *text)
{
    struct plain p = read_plainly(text);
    bool even = true;
    for (size_t r = 0; r < p.rows; r++)
    {
        even = even && p.row[r] == p.row[0];
    }
    const bool closed = p.row[p.rows] == 0 && text[strlen(text) - 1] == '\n';
    char *cells = text_take(&p.cells);
    if (closed && (cells[0] == '\0' || cells[strlen(cells) - 1] == 1))
    {
        MUST(even == (csv != NULL));
    }
    if (csv && closed && even && p.rows == csv->nrows + 1)
    {
        char *got = flat(csv);
        MUST(strcmp(got, cells) == 0);
        free(got);
    }
    free(cells);
    free(p.row);
}

static void
write_row(struct text *t, const struct csv *csv, char *const *cells)
{
    for (size_t c = 0; c < csv->ncolumns; c++)
    {
        text_add(t, c ? "," : "");
        csv_add_cell(t, cells[c]);
    }
    text_add(t, "\n");
}

/** Writes what was read, and reads that. */
static void
check_written(const struct csv *csv)
{
    struct text t = {0};
    char *why = NULL;
    write_row(&t, csv, csv->header);
    for (size_t r = 0; r < csv->nrows; r++)
    {
        write_row(&t, csv, csv->cells + r * csv->ncolumns);
    }
    struct csv *again = csv_cut(text_take(&t), "again.csv", &why);
    MUST(again && again->ncolumns == csv->ncolumns && again->nrows == csv->nrows);
    char *first = flat(csv), *second = flat(again);
    MUST(strcmp(first, second) == 0);
    free(first);
    free(second);
    csv_free(again);
}

static void
check_numbers(const struct csv *csv)
{
    for (size_t i = 0; i < csv->nrows * csv->ncolumns; i++)
    {
        double value = 0;
        const enum cell_kind kind = csv_number(csv->cells[i], &value);
        MUST(kind != CELL_NUMBER || isfinite(value));
        MUST(*csv->cells[i] || kind == CELL_EMPTY);
    }
    for (size_t c = 0; c < csv->ncolumns; c++)
    {
        const long column = csv_column(csv, csv->header[c]);
        MUST(column >= 0 && column <= (long)c);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = xcalloc(size + 1, 1), *why = NULL;
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    char *copy = xstrdup(bytes);
    struct csv *csv = csv_cut(bytes, "fuzz.csv", &why);
    MUST((csv == NULL) == (why != NULL));
    if (usable(data, size))
    {
        check_against_plain(csv, copy);
    }
    if (csv)
    {
        check_written(csv);
        check_numbers(csv);
    }
    csv_free(csv);
    free(copy);
    free(why);
    return 0;
}
