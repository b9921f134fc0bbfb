/* SPDX-License-Identifier: GPL-2.0-only */
#include "export.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "columns.h"
#include "csv.h"
#include "sql-file.h"

static void
add_cell(struct text *t, const struct csv_source *c, sqlite3_stmt *s, int at)
{
    const char *text = (const char *)sqlite3_column_text(s, at);
    text_add(t, at ? "," : "");
    if (sqlite3_column_type(s, at) != SQLITE_FLOAT)
    {
        csv_add_cell(t, text ? text : "");
    }
    else if (at < c->nkeys)
    {
        text_add(t, "%.15g", sqlite3_column_double(s, at));
    }
    else
    {
        add_micro(t, llroundl(sqlite3_column_double(s, at) * 1e6L));
    }
}

bool
csv_write(FILE *file, const void *source)
{
    const struct csv_source *c = source;
    CLEANUP(text_drop) struct text t = {0};
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    int status =
        sqlite3_prepare_v2(c->db, c->select, -1, &s, NULL) == SQLITE_OK ? SQLITE_ROW : SQLITE_ERROR;
    const int n = sqlite3_column_count(s);
    for (int i = 0; i < n; i++)
    {
        text_add(&t, i ? "," : "");
        csv_add_cell(&t, sqlite3_column_name(s, i));
    }
    text_add(&t, "\n");
    while (status == SQLITE_ROW && fwrite(t.s, 1, t.len, file) == t.len)
    {
        t.len = 0;
        status = sqlite3_step(s);
        for (int i = 0; status == SQLITE_ROW && i < n; i++)
        {
            add_cell(&t, c, s, i);
        }
        text_add(&t, "\n");
    }
    errno = status == SQLITE_ROW || status == SQLITE_DONE ? errno : EIO;
    return status == SQLITE_DONE;
}

/* --- a run ------------------------------------------------------------------------------------ */

static bool
export_tables(sqlite3 *db, const struct folder *to, char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
    {
        OWNED char *select = xformat("SELECT * FROM run.\"%s\";", tables[i]->name);
        const struct csv_source c = {db, select, 0};
        const struct file_writer file = {tables[i]->file, csv_write, &c};
        good = sqlite3_table_column_metadata(db, "run", tables[i]->name, NULL, NULL, NULL, NULL,
                                             NULL, NULL) != SQLITE_OK ||
               file_write(to, &file, why);
    }
    return good;
}

/** Writes a file for each row of a SELECT: its name and its bytes. */
static bool
export_files(sqlite3 *db, const char *sql, const struct folder *to, char **why)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    bool good = status == SQLITE_OK;
    while (good && (status = sqlite3_step(s)) == SQLITE_ROW)
    {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        const void *bytes = sqlite3_column_blob(s, 1);
        good = name && name_is_safe(name) &&
               file_create(to, name, bytes ? bytes : "", (size_t)sqlite3_column_bytes(s, 1), why);
    }
    if (!*why && status != SQLITE_DONE)
    {
        *why = xformat("the file of a run cannot be read: %s", sqlite3_errmsg(db));
    }
    return good && status == SQLITE_DONE;
}

bool
export_run(sqlite3 *db, const struct folder *to, char **why)
{
    return export_files(db, "SELECT name, bytes FROM run.files;", to, why) &&
           export_files(db,
                        "SELECT 'provenance.txt', group_concat(key || ': ' || text || char(10), '')"
                        " FROM (SELECT * FROM run.provenance ORDER BY rowid);",
                        to, why) &&
           export_tables(db, to, why);
}
