/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of a section, with what is attached to them and the views that are made of them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims.h"
#include "database.h"
#include "open-data.h"
#include "query-database.h"
#include "sql-file.h"

/* --- opening -----------------------------------------------------------------------------------
 */

/** Returns the path of results of a name: a folder, or a file of open data. The caller frees it. */
static char *
path_of(const struct claims_options *options, const char *results)
{
    return options->data ? xformat("%s/%s" OPEN_DATA_ENDING, options->data, results)
                         : xformat("%s/%s", options->results, results);
}

bool
results_are_there(const struct claims_options *options, const char *results)
{
    OWNED char *path = path_of(options, results);
    OWNED char *database = xformat("%s/" DATABASE_FILE, path),
               *table = xformat("%s/summary.csv", path);
    return options->data ? access(path, F_OK) == 0
                         : access(database, F_OK) == 0 || access(table, F_OK) == 0;
}

char *
results_read(const struct source *s, const char *results)
{
    const bool quick = s->options->quick && claims_have_quick(s->claims, results);
    return xformat("%s%s", results, quick ? "-quick" : "");
}

/** Says that results are missing, and what makes them, as far as the claims tell. */
static char *
absence(const struct source *s, const char *path, const char *results)
{
    for (const xmlNode *e = NULL; (e = child_after(s->claims, "section", e)) != NULL;)
    {
        const char *its = value_of(e, "results"), *scenario = value_of(e, "scenario");
        if (its && scenario && strcmp(its, results) == 0)
        {
            return xformat("there are no results in %s; './weft run %s' makes them", path,
                           scenario);
        }
    }
    return xformat("there are no results in %s", path);
}

/** Opens a section's results (@p as NULL), or attaches others. */
static bool
open_results(struct source *s, const char *results, const char *as)
{
    OWNED char *read = results_read(s, results);
    OWNED char *path = path_of(s->options, read);
    if (!results_are_there(s->options, read))
    {
        s->missing = absence(s, path, results);
        return false;
    }
    if (as)
    {
        return database_attach(s->db, as, path, &s->why);
    }
    s->db = database_open(path, &s->why);
    return s->db != NULL;
}

/* --- views -------------------------------------------------------------------------------------
 */

static bool
insert_rows(sqlite3_stmt *s, const struct query_rows *rows)
{
    bool good = true;
    for (size_t i = 0; good && i < rows->nrows * rows->ncolumns; i++)
    {
        const struct query_cell *cell = &rows->cells[i];
        const int at = (int)(i % rows->ncolumns) + 1;
        const bool last = i % rows->ncolumns + 1 == rows->ncolumns;
        good = (cell->kind == QUERY_INTEGER ? sqlite3_bind_int64(s, at, cell->integer)
                : cell->kind == QUERY_REAL  ? sqlite3_bind_double(s, at, cell->real)
                : cell->kind == QUERY_TEXT ? sqlite3_bind_text(s, at, cell->text, -1, SQLITE_STATIC)
                                           : sqlite3_bind_null(s, at)) == SQLITE_OK;
        good = good && (!last || (sqlite3_step(s) == SQLITE_DONE && sqlite3_reset(s) == SQLITE_OK));
    }
    return good;
}

bool
rows_store(const struct query_rows *rows, sqlite3 *db, const char *schema, const char *name)
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

/** Names a cell that rests on rows of which some have no value, as a view's rows do not tell; the
 * caller frees it. NULL: none does. */
static char *
hole_of(const struct query_rows *rows, const struct query_hole *holes)
{
    const size_t n = rows->nrows * rows->ncolumns;
    size_t at = 0;
    while (at < n && holes[at].ground != QUERY_PARTLY)
    {
        at++;
    }
    return at < n ? xformat("'%s' of row %zu rests on %zu of %zu rows, as others have no value; "
                            "expected a view of those that have one, or null where some have none",
                            rows->columns[at % rows->ncolumns], at / rows->ncolumns + 1,
                            holes[at].have, holes[at].of)
                  : NULL;
}

/** Asks a view, and makes its rows a table. */
static bool
ask_view(struct source *s, const xmlNode *view)
{
    struct query_limits limits = s->options->limits;
    struct query_mistake m;
    limits.rows = VIEW_MOST_ROWS;
    const char *sql = (const char *)view->children->content;
    CLEANUP(query_rows_drop) struct query_rows *rows = database_query(s->db, sql, limits, &m);
    OWNED struct query_hole *holes =
        rows ? database_holes(s->db, sql, limits, rows->nrows, &m) : NULL;
    OWNED char *why = holes ? hole_of(rows, holes) : m.message;
    if (!why && !rows_store(rows, s->db->db, "temp", value_of(view, "name")))
    {
        why = xstrdup(sqlite3_errmsg(s->db->db));
    }
    if (why)
    {
        diag_error(s->d, line_of(view) + (holes ? 0 : m.line), "%s", why);
    }
    return !why;
}

/** Whether a table of open data has the rows of this view, and not of another one, as `columns`
 * say. */
static bool
is_saved(struct source *s, const xmlNode *view)
{
    CLEANUP(text_drop) struct text t = {0};
    struct query_mistake m;
    text_add(&t, "SELECT 1 FROM main.columns WHERE \"table\" = ");
    sql_add_literal(&t, value_of(view, "name"));
    text_add(&t, " AND doc = '" VIEW_DOC "' || ");
    sql_add_literal(&t, (const char *)view->children->content);
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(s->db, t.s, s->options->limits, &m);
    free(m.message);
    return rows && rows->nrows;
}

/** Makes a view, unless open data have its rows already. */
static bool
make_view(struct source *s, const xmlNode *view)
{
    const bool there = database_has(s->db, value_of(view, "name"));
    if (there && !is_saved(s, view))
    {
        diag_error(s->d, line_of(view), "the results have %s '%s'; expected another name%s",
                   s->options->data ? "another table or view" : "a table", value_of(view, "name"),
                   s->options->data ? ", or data that are saved again" : "");
        return false;
    }
    return there || ask_view(s, view);
}

/* --- sections ----------------------------------------------------------------------------------
 */

bool
source_open(struct source *s)
{
    if (s->missing || s->why || s->bad || s->db)
    {
        return !s->missing && !s->why && !s->bad;
    }
    bool good = open_results(s, value_of(s->section, "results"), NULL);
    for (const xmlNode *e = NULL; good && (e = child_after(s->section, "attach", e)) != NULL;)
    {
        good = open_results(s, value_of(e, "results"), value_of(e, "as"));
    }
    for (const xmlNode *e = NULL;
         good && !s->bad && (e = child_after(s->section, "view", e)) != NULL;)
    {
        s->bad = !make_view(s, e);
    }
    return good && !s->bad;
}

void
source_close(struct source *s)
{
    database_close(s->db);
    free(s->missing);
    free(s->why);
    s->db = NULL;
    s->missing = s->why = NULL;
    s->bad = false;
}

char *
query_text(const xmlNode *query)
{
    const bool headline = !xmlStrEqual(query->name, (const xmlChar *)"query");
    const char *text = (const char *)query->children->content;
    const xmlNode *of = headline ? child_of(query->parent, "query") : NULL;
    const char *asked = of ? (const char *)of->children->content : "";
    size_t n = strlen(asked);
    while (n && strchr(" \t\r\n;", asked[n - 1]))
    {
        n--;
    }
    return of ? xformat("with answer as (%.*s\n) %s", (int)n, asked, text) : xstrdup(text);
}
