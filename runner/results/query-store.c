/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a query as a table, which other queries read. */
#include <stdlib.h>

#include "query-database.h"
#include "sql-file.h"

static void
bind(sqlite3_stmt *s, int at, const struct query_cell *cell)
{
    switch (cell->kind)
    {
    case QUERY_INTEGER:
        sqlite3_bind_int64(s, at, cell->integer);
        break;
    case QUERY_REAL:
        sqlite3_bind_double(s, at, cell->real);
        break;
    case QUERY_TEXT:
        sqlite3_bind_text(s, at, cell->text, -1, SQLITE_STATIC);
        break;
    case QUERY_NULL:
        sqlite3_bind_null(s, at);
        break;
    }
}

static bool
insert_rows(sqlite3_stmt *s, const struct query_rows *rows)
{
    bool good = true;
    for (size_t row = 0; good && row < rows->nrows; row++)
    {
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            bind(s, (int)c + 1, &rows->cells[row * rows->ncolumns + c]);
        }
        good = sqlite3_step(s) == SQLITE_DONE && sqlite3_reset(s) == SQLITE_OK;
    }
    return good;
}

bool
query_rows_store(const struct query_rows *rows, sqlite3 *db, const char *schema, const char *name)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    CLEANUP(text_drop) struct text table = {0}, create = {0}, insert = {0};
    text_add(&table, "%s.", schema);
    sql_add_name(&table, name);
    text_add(&create, "CREATE TABLE %s (", table.s);
    text_add(&insert, "INSERT INTO %s VALUES (", table.s);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        text_add(&create, c ? ", " : "");
        sql_add_name(&create, rows->columns[c]);
        text_add(&insert, c ? ", ?" : "?");
    }
    text_add(&create, ")");
    text_add(&insert, ")");
    return sqlite3_exec(db, create.s, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(db, insert.s, -1, &s, NULL) == SQLITE_OK && insert_rows(s, rows);
}

bool
database_define(struct database *db, const char *name, const struct query_rows *rows, char **why)
{
    struct database *const both[] = {db, db->counting};
    bool good = true;
    for (size_t i = 0; good && i < 2 && both[i]; i++)
    {
        good = query_rows_store(rows, both[i]->db, "temp", name);
        *why = good ? NULL : xstrdup(sqlite3_errmsg(both[i]->db));
    }
    return good;
}

bool
database_has(struct database *db, const char *name)
{
    struct query_mistake m;
    CLEANUP(text_drop) struct text sql = {0};
    text_add(&sql, "SELECT 1 FROM main.sqlite_master WHERE name = ");
    sql_add_literal(&sql, name);
    text_add(&sql, " COLLATE NOCASE");
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(db, sql.s, QUERY_LIMITS, &m);
    free(m.message);
    return rows && rows->nrows;
}
