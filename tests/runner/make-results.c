/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: make-results FROM [TO]
 * Writes TO/results.sqlite (FROM's) with what FROM/summary.csv and FROM/runs/RUN/ hold. The tables
 * may lack any columns; the runs' names are in the column run of summary.csv. FROM/notes.csv, if
 * there is one, has a column text.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "columns.h"
#include "database.h"
#include "sql-file.h"
#include "textbuf.h"

struct csv
{
    char *bytes;
    char **cells; /**< [row * ncolumns + column], the header first */
    size_t n, ncolumns, nrows;
};

static void
stop(char *why)
{
    fprintf(stderr, "make-results: %s\n", why);
    exit(1);
}

/** The cell at *p, unquoted where it stands; *p moves behind its separator. *last: it ended its
 * row.
 */
static char *
next_cell(char **p, bool *last)
{
    char *cell = *p, *end = cell, *s = cell;
    bool quoted = *s == '"';
    s += quoted;
    while (*s && (quoted || (*s != ',' && *s != '\n')))
    {
        if (quoted && *s == '"')
        {
            if (s[1] != '"')
            {
                quoted = false;
                s++;
                continue;
            }
            s++;
        }
        *end++ = *s++;
    }
    *last = *s != ',';
    *p = *s ? s + 1 : s;
    *end = '\0';
    return cell;
}

/** A table; without columns if it is not there. */
static struct csv
read_table(const char *path)
{
    struct csv csv = {0};
    char *why = NULL;
    csv.bytes = file_read_path(path, (size_t)1 << 24, NULL, &why);
    bool last = false;
    for (char *p = csv.bytes; p && *p;)
    {
        ARRAY_GROW(csv.cells, csv.n);
        csv.cells[csv.n++] = next_cell(&p, &last);
        csv.ncolumns = last && csv.ncolumns == 0 ? csv.n : csv.ncolumns;
    }
    csv.nrows = csv.ncolumns ? csv.n / csv.ncolumns - 1 : 0;
    free(why);
    return csv;
}

static void
free_table(struct csv *csv)
{
    free(csv->bytes);
    free(csv->cells);
}

static const char *
cell(const struct csv *csv, size_t row, size_t column)
{
    return csv->cells[(row + 1) * csv->ncolumns + column];
}

/** Runs a statement. */
static void
run(const struct database_writer *w, struct text *sql)
{
    char *why = NULL;
    if (!sql_file_run(&w->file, sql->s, &why))
    {
        stop(why);
    }
    free(text_take(sql));
}

/** Makes the table of a run of some rows. */
static void
make_table(const struct database_writer *w, const struct column_table *table, const struct csv *csv,
           size_t first, size_t end)
{
    struct text t = {0};
    text_add(&t, "CREATE TABLE run.\"%s\" (", table->name);
    columns_add_types(&t, table);
    text_add(&t, ");");
    for (size_t r = first; r < end; r++)
    {
        text_add(&t, "INSERT INTO run.\"%s\" DEFAULT VALUES;", table->name);
        for (size_t c = 0; c < csv->ncolumns; c++)
        {
            if (columns_find(table, cell(csv, (size_t)-1, c)) && *cell(csv, r, c))
            {
                text_add(&t, "UPDATE run.\"%s\" SET \"%s\" = ", table->name,
                         cell(csv, (size_t)-1, c));
                sql_add_literal(&t, cell(csv, r, c));
                text_add(&t, " WHERE rowid = %zu;", r - first + 1);
            }
        }
    }
    run(w, &t);
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
        const char *name = cell(summary, (size_t)-1, c);
        if (columns_find(&summary_table, name) || strcmp(name, "run") == 0)
        {
            continue;
        }
        for (size_t r = 0; r < summary->nrows; r++)
        {
            cells[r] = cell(summary, r, c);
        }
        (*columns)[*n] = c;
        keys[(*n)++] = database_key_of(name, cells, summary->nrows);
    }
    free(cells);
    return keys;
}

/** Makes the tables of a run, and takes them away when they are added. */
static void
add_run(const struct database_writer *w, const char *from, const struct csv *summary, size_t row,
        const char *name, const char *const *cells)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    struct text drop = {0};
    char *why = NULL;
    text_add(&drop, " ");
    for (size_t i = 0; i < n; i++)
    {
        const bool whole = tables[i] == &summary_table;
        char *path = xformat("%s/runs/%s/%s", from, name, tables[i]->file);
        struct csv csv = whole ? *summary : read_table(path);
        if (csv.ncolumns)
        {
            make_table(w, tables[i], &csv, whole ? row : 0, whole ? row + 1 : csv.nrows);
            text_add(&drop, "DROP TABLE run.\"%s\";", tables[i]->name);
        }
        if (!whole)
        {
            free_table(&csv);
        }
        free(path);
    }
    if (!database_add_run(w, row + 1, name, cells, &why))
    {
        stop(why);
    }
    run(w, &drop);
}

static void
add_runs(const struct database_writer *w, const char *from, const struct csv *summary, size_t name,
         const size_t *columns)
{
    const char **cells = xcalloc(w->nkeys + 1, sizeof *cells);
    for (size_t r = 0; r < summary->nrows; r++)
    {
        for (size_t k = 0; k < w->nkeys; k++)
        {
            cells[k] = cell(summary, r, columns[k]);
        }
        add_run(w, from, summary, r, cell(summary, r, name), cells);
    }
    free(cells);
}

/** Adds notes, which no run has. */
static void
add_notes(const struct database_writer *w, const char *from)
{
    char *path = xformat("%s/notes.csv", from);
    struct csv csv = read_table(path);
    struct text t = {0};
    text_add(&t, "CREATE TABLE IF NOT EXISTS notes (kind TEXT, run INTEGER, text TEXT);");
    for (size_t r = 0; r < csv.nrows; r++)
    {
        text_add(&t, "INSERT INTO notes VALUES ('test', NULL, ");
        sql_add_literal(&t, cell(&csv, r, 0));
        text_add(&t, ");");
    }
    if (csv.ncolumns)
    {
        run(w, &t);
    }
    free(t.s);
    free_table(&csv);
    free(path);
}

int
main(int argc, char **argv)
{
    const char *from = argc > 1 ? argv[1] : "", *to = argc > 2 ? argv[2] : from;
    char *path = xformat("%s/summary.csv", from), *why = NULL;
    struct csv summary = read_table(path);
    struct folder top;
    size_t nkeys, *columns, name = 0;
    while (name < summary.ncolumns && strcmp(cell(&summary, (size_t)-1, name), "run") != 0)
    {
        name++;
    }
    if (name == summary.ncolumns)
    {
        stop(xformat("%s: no such table, or it has no column run", path));
    }
    if ((mkdir(to, 0777) != 0 && errno != EEXIST) || !folder_open(&top, to, &why))
    {
        stop(why ? why : xformat("%s: %s", to, strerror(errno)));
    }
    struct database_key *keys = find_keys(&summary, &nkeys, &columns);
    struct database_writer w;
    if (!database_begin(&w, &top, keys, nkeys, &why))
    {
        stop(why);
    }
    add_runs(&w, from, &summary, name, columns);
    add_notes(&w, from);
    if (!database_complete(&w, &why) || !database_finish(&w, &why))
    {
        stop(why);
    }
    folder_close(&top);
    free_table(&summary);
    free(keys);
    free(columns);
    free(path);
    return 0;
}
