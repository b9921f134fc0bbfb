/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cells that nobody would write: a reader of CSV by RFC 4180 must find them again in what Weft
 * writes of them. Else a table shows other cells than its runs have.
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

/** Writes lines as the cells of one row, and reads that. */
static void
check_row(const struct words *lines)
{
    struct text row = {0}, cells = {0};
    for (size_t i = 0; i < lines->n; i++)
    {
        text_add(&row, i ? "," : "");
        csv_add_cell(&row, lines->word[i]);
        text_add(&cells, "%s\1", lines->word[i]);
    }
    text_add(&row, "\n");
    struct plain p = read_plainly(row.s);
    MUST(p.rows == 1 && p.row[0] == lines->n);
    MUST(strcmp(p.cells.s, cells.s) == 0);
    free(p.cells.s);
    free(p.row);
    free(row.s);
    free(cells.s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct words cells = {0};
    /* 1 ends a cell in the check itself, and 2 one in the data: cells may hold line ends. */
    for (size_t at = 0, n; at <= size && size && !memchr(data, 1, size); at += n + 1)
    {
        const uint8_t *end = memchr(data + at, 2, size - at);
        n = end ? (size_t)(end - data) - at : size - at;
        words_add(&cells, xformat("%.*s", (int)n, (const char *)data + at));
    }
    for (size_t i = 0; i < cells.n; i++)
    {
        double value = 0;
        const enum cell_kind kind = csv_number(cells.word[i], &value);
        MUST(kind != CELL_NUMBER || isfinite(value));
        MUST(*cells.word[i] || kind == CELL_EMPTY);
    }
    if (cells.n)
    {
        check_row(&cells);
    }
    words_free(&cells);
    return 0;
}
