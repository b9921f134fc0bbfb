/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs of other results in the tables of those that are open. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "open-data.h"
#include "query-database.h"
#include "shown-text.h"
#include "sql-file.h"

/** Name of the other results in queries. */
#define BESIDE "beside"

/** The runs of the others under numbers behind those of the runs that are here, but for those that
 * are here as well. */
#define RUNS                                                                                       \
    "CREATE TEMP VIEW beside_runs AS SELECT run, run + (SELECT max(run) FROM main.runs) AS "       \
    "number FROM " BESIDE ".runs WHERE name NOT IN (SELECT name FROM main.runs)"

/** Tables of runs that both have, and whether their rows have a place: those of a view do not. */
#define TABLES                                                                                     \
    "SELECT m.name, m.type = 'table' AND b.type = 'table' AND m.name <> 'summary' "                \
    "FROM main.sqlite_master m JOIN " BESIDE ".sqlite_master b USING (name) "                      \
    "WHERE m.type IN ('table', 'view') AND b.type IN ('table', 'view') AND "                       \
    "EXISTS (SELECT 1 FROM pragma_table_info(m.name, 'main') i WHERE i.name = 'run')"

/** Columns of a table, and whether the others have them. */
#define COLUMNS                                                                                    \
    "SELECT name, name IN (SELECT name FROM pragma_table_info(?1, '" BESIDE "')) FROM "            \
    "pragma_table_info(?1, 'main')"

/** Columns that vary in one sweep and not in the other one. */
#define STRANGERS(here, there)                                                                     \
    "SELECT \"column\", '" there "' FROM " here ".columns WHERE \"table\" = 'summary' AND doc = "  \
    "'varies in this sweep' AND \"column\" NOT IN (SELECT \"column\" FROM " there                  \
    ".columns WHERE \"table\" = 'summary')"

/** Steps that telling them may take. */
#define STEPS 10000000

/** Columns that two runs of one scenario hardly share by accident. */
#define TELLING(of)                                                                                \
    "(" of ".cct_us, " of ".cct_acked_us, " of ".data_sent, " of ".marked, " of                    \
    ".queue_peak_bytes, " of ".queue_mean_bytes, " of ".packet_hops, " of ".end_us)"

/** Adds the SELECT of the columns of a table that the others have, in the order that it has here.
 */
static bool
add_columns(struct text *t, sqlite3 *db, const char *table)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    bool good = sqlite3_prepare_v2(db, COLUMNS, -1, &s, NULL) == SQLITE_OK &&
                sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK;
    for (const char *comma = ""; good && sqlite3_step(s) == SQLITE_ROW; comma = ", ")
    {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        const bool run = strcmp(name, "run") == 0;
        text_add(t, "%s%s", comma, run ? "r.number" : sqlite3_column_int(s, 1) ? "t." : "NULL");
        if (!run && sqlite3_column_int(s, 1))
        {
            sql_add_name(t, name);
        }
    }
    return good;
}

/** Makes a view of a table here and there, in the place of the table. @p has_place: its rows have a
 * rowid, by which figures order them. */
static bool
join_table(sqlite3 *db, const char *table, bool has_place)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "CREATE TEMP VIEW ");
    sql_add_name(&t, table);
    text_add(&t, has_place ? " AS SELECT *, rowid AS rowid FROM main." : " AS SELECT * FROM main.");
    sql_add_name(&t, table);
    text_add(&t, " UNION ALL SELECT ");
    const bool good = add_columns(&t, db, table);
    text_add(&t, has_place ? ", (1 << 40) + t.rowid FROM " BESIDE "." : " FROM " BESIDE ".");
    sql_add_name(&t, table);
    text_add(&t, " t JOIN beside_runs r ON r.run = t.run");
    return good && sqlite3_exec(db, t.s, NULL, NULL, NULL) == SQLITE_OK;
}

/** Joins all tables. */
static bool
join_tables(sqlite3 *db)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    bool good = sqlite3_exec(db, RUNS, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, TABLES, -1, &s, NULL) == SQLITE_OK;
    CLEANUP(words_free) struct words names = {0}, placed = {0};
    while (good && sqlite3_step(s) == SQLITE_ROW)
    {
        const bool has_place = sqlite3_column_int(s, 1) != 0;
        words_add(has_place ? &placed : &names, xstrdup((const char *)sqlite3_column_text(s, 0)));
    }
    for (size_t i = 0; good && i < names.n + placed.n; i++)
    {
        const bool has_place = i >= names.n;
        good = join_table(db, has_place ? placed.word[i - names.n] : names.word[i], has_place);
    }
    return good;
}

/** Whether both are of one scenario, as far as what varies says. */
static bool
are_alike(struct database *db, const char *results, char **why)
{
    struct query_mistake m;
    struct query_limits limits = QUERY_LIMITS;
    limits.steps = STEPS;
    const char *sql = "SELECT * FROM (" STRANGERS("main", BESIDE) " UNION ALL " STRANGERS(
        BESIDE, "main") ") LIMIT 1";
    CLEANUP(query_rows_drop) struct query_rows *rows = database_query(db, sql, limits, &m);
    if (!rows)
    {
        *why = xformat("%s cannot be used: %s", results, m.message);
        free(m.message);
    }
    else if (rows->nrows)
    {
        OWNED char *column = query_cell_text(&rows->cells[0]);
        const bool lacks = strcmp(rows->cells[1].text, BESIDE) == 0;
        *why = xformat("'%s' %s in %s; expected results of the same scenario", column,
                       lacks ? "does not vary" : "varies only", results);
    }
    return rows && !rows->nrows;
}

/** Warns if runs that both have are others there. */
static bool
compare(struct database *db, const char *results, char **why)
{
    struct query_mistake m = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows =
        database_query(db,
                       "SELECT count(*), coalesce(sum(" TELLING("m") " IS NOT " TELLING(
                           "b") "), 0) "
                                "FROM main.summary m JOIN " BESIDE ".summary b USING (name)",
                       QUERY_LIMITS, &m);
    if (rows && rows->cells[1].integer > 0)
    {
        print_shown(stderr,
                    "weft: warning: %lld of %lld runs that %s has as well have other values there, "
                    "and count as they are here: the code of the fabric has changed since, or a "
                    "case has other parameters\n",
                    (long long)rows->cells[1].integer, (long long)rows->cells[0].integer, results);
    }
    *why = rows ? NULL : xformat("%s cannot be used: %s", results, m.message);
    free(m.message);
    return rows != NULL;
}

/** The folder or file that somebody means; NULL with a sentence. */
static char *
find(const char *results, char **why)
{
    OWNED char *folder = checkout_path(OPEN_DATA), *other = NULL;
    if (access(results, F_OK) == 0)
    {
        return xstrdup(results);
    }
    char *path = folder ? open_data_find(folder, results, &other) : NULL;
    if (!path)
    {
        *why = xformat("there is no folder of results '%s'%s%s", results, folder ? ", and " : "",
                       folder ? other : "");
    }
    return path;
}

bool
database_put_beside(struct database *db, const char *results, char **why)
{
    OWNED char *path = find(results, why);
    if (!path || !database_attach(db, BESIDE, path, why) || !are_alike(db, path, why))
    {
        return false;
    }
    const bool joined = join_tables(db->db);
    if (!joined)
    {
        *why = xformat("%s cannot be used: %s", path, sqlite3_errmsg(db->db));
    }
    return joined && compare(db, path, why);
}
