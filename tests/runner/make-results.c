/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: make-results FROM [TO]
 * Writes TO/results.sqlite (FROM's) with what FROM/summary.csv and FROM/runs/RUN/ hold. The tables
 * may lack any columns; the runs' names are in the column run of summary.csv.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "database.h"
#include "textbuf.h"

static void
stop(char *why)
{
    fprintf(stderr, "make-results: %s\n", why);
    exit(1);
}

/** A table that may lack columns; NULL if it is not there. */
static struct csv *
read_table(const char *path)
{
    char *why = NULL, *bytes = file_read_path(path, (size_t)1 << 24, NULL, &why);
    struct csv *csv = bytes ? csv_cut(bytes, path, &why) : NULL;
    if (bytes && !csv)
    {
        stop(why);
    }
    free(why);
    return csv;
}

/** One row of @p from with all columns of @p table, in their order. */
static struct csv *
whole_row(const struct column_table *table, const struct csv *from, size_t row)
{
    struct text t = {0};
    char *why = NULL;
    columns_header(&t, table);
    for (size_t c = 0; c < table->n; c++)
    {
        const long column = csv_column(from, table->columns[c].name);
        text_add(&t, c ? "," : "");
        csv_add_cell(&t, column < 0 ? "" : csv_cell(from, row, (size_t)column));
    }
    text_add(&t, "\n");
    struct csv *csv = csv_cut(text_take(&t), table->file, &why);
    if (!csv)
    {
        stop(why);
    }
    return csv;
}

static void
add_rows(struct database_writer *w, const struct column_table *table, const struct csv *from,
         size_t first, size_t end)
{
    char *why = NULL;
    for (size_t r = first; r < end; r++)
    {
        struct csv *row = whole_row(table, from, r);
        if (!database_add_table(w, table, row, &why))
        {
            stop(why);
        }
        csv_free(row);
    }
}

/** What is in a run's folder. */
static void
add_run_tables(struct database_writer *w, const char *from, const char *run)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    for (size_t i = 0; i < n; i++)
    {
        char *path = xformat("%s/runs/%s/%s", from, run, tables[i]->file);
        struct csv *csv = read_table(path);
        if (csv && tables[i] != &summary_table)
        {
            add_rows(w, tables[i], csv, 0, csv->nrows);
        }
        csv_free(csv);
        free(path);
    }
}

/** The columns of summary.csv that vary; *columns are their numbers. */
static struct database_key *
find_keys(const struct csv *summary, size_t *n, size_t **columns)
{
    struct database_key *keys = xcalloc(summary->ncolumns, sizeof *keys);
    const char **cells = xcalloc(summary->nrows + 1, sizeof *cells);
    *columns = xcalloc(summary->ncolumns, sizeof **columns);
    *n = 0;
    for (size_t c = 0; c < summary->ncolumns; c++)
    {
        if (columns_find(&summary_table, summary->header[c]) ||
            strcmp(summary->header[c], "run") == 0)
        {
            continue;
        }
        for (size_t r = 0; r < summary->nrows; r++)
        {
            cells[r] = csv_cell(summary, r, c);
        }
        (*columns)[*n] = c;
        keys[(*n)++] = database_key_of(summary->header[c], cells, summary->nrows);
    }
    free(cells);
    return keys;
}

static void
add_runs(struct database_writer *w, const char *from, const struct csv *summary,
         const size_t *columns, size_t nkeys)
{
    const char **cells = xcalloc(nkeys + 1, sizeof *cells);
    const long name = csv_column(summary, "run");
    char *why = NULL;
    for (size_t r = 0; r < summary->nrows; r++)
    {
        const char *run = csv_cell(summary, r, (size_t)name);
        for (size_t k = 0; k < nkeys; k++)
        {
            cells[k] = csv_cell(summary, r, columns[k]);
        }
        if (!database_add_run(w, r + 1, run, cells, &why))
        {
            stop(why);
        }
        add_rows(w, &summary_table, summary, r, r + 1);
        add_run_tables(w, from, run);
    }
    free(cells);
}

int
main(int argc, char **argv)
{
    const char *from = argc > 1 ? argv[1] : "", *to = argc > 2 ? argv[2] : from;
    char *path = xformat("%s/summary.csv", from), *why = NULL;
    struct csv *summary = read_table(path);
    struct folder top;
    struct text list = {0};
    size_t nkeys, *columns;
    if (!summary || csv_column(summary, "run") < 0)
    {
        stop(xformat("%s: no such table, or it has no column run", path));
    }
    if ((mkdir(to, 0777) != 0 && errno != EEXIST) || !folder_open(&top, to, &why))
    {
        stop(why ? why : xformat("%s: %s", to, strerror(errno)));
    }
    struct database_key *keys = find_keys(summary, &nkeys, &columns);
    struct database_writer *w = database_begin(&top, keys, nkeys, &why);
    if (!w)
    {
        stop(why);
    }
    add_runs(w, from, summary, columns, nkeys);
    if (!database_finish(w, &list, &why))
    {
        stop(why);
    }
    folder_close(&top);
    csv_free(summary);
    free(keys);
    free(columns);
    free(path);
    free(list.s);
    return 0;
}
