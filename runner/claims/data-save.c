/* SPDX-License-Identifier: GPL-2.0-only */
#include "data-save.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data-reads.h"
#include "database.h"
#include "open-data.h"
#include "results-page.h"
#include "shown-text.h"
#include "sql-aggregates.h"
#include "sql-open.h"
#include "sweep-run.h"

/** Limits of a copy: steps of SQLite's machine, and pages of 4 KiB, of which open data have a
 * quarter at most. The results may be a stranger's, and without an end. */
#define MOST_STEPS 100000000000
#define MOST_PAGES (1 << 18)

/** Results that are copied into a database in memory, `data`. */
struct copy
{
    sqlite3 *db; /**< its main database: the results */
    const struct data_reads *reads;
};

static bool
run(const struct copy *c, const char *sql)
{
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* --- tables ----------------------------------------------------------------------------------- */

/** Whether any column of a table is read. */
static bool
is_read(const struct copy *c, const char *table)
{
    OWNED char *start = xformat("%s.", table);
    bool read = false;
    for (size_t i = 0; !read && i < c->reads->columns.n; i++)
    {
        read = strncmp(c->reads->columns.word[i], start, strlen(start)) == 0;
    }
    return read;
}

/** The type of a column with what follows it, which are in a row from @p at on. A type is any text.
 * The caller frees it. */
static char *
type_in(sqlite3_stmt *s, int at)
{
    struct text t = {0};
    const char *type = (const char *)sqlite3_column_text(s, at);
    if (type && *type)
    {
        sql_add_name(&t, type);
    }
    text_add(&t, "%s", (const char *)sqlite3_column_text(s, at + 1));
    return text_take(&t);
}

/** Lists the columns of a table that are copied: for a CREATE TABLE, and their names. */
static bool
list_columns(const struct copy *c, const char *table, struct text *types, struct text *names)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    const bool whole = list_has("columns runs", table);
    bool good = sqlite3_prepare_v2(c->db,
                                   "SELECT name, type, iif(\"notnull\", ' NOT NULL', '') || "
                                   "iif(pk, ' PRIMARY KEY', '') FROM pragma_table_info(?, 'main')",
                                   -1, &s, NULL) == SQLITE_OK &&
                sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK;
    while (good && sqlite3_step(s) == SQLITE_ROW)
    {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        OWNED char *column = xformat("%s.%s", table, name);
        if (whole || strcmp(name, "run") == 0 || words_have(&c->reads->columns, column))
        {
            text_add(types, types->len ? ", " : "");
            text_add(names, names->len ? ", " : "");
            sql_add_name(types, name);
            sql_add_name(names, name);
            OWNED char *type = type_in(s, 1);
            text_add(types, " %s", type);
        }
    }
    return good && names->len;
}

static bool
copy_table(const struct copy *c, const char *table)
{
    CLEANUP(text_drop) struct text types = {0}, names = {0}, name = {0};
    const bool good = list_columns(c, table, &types, &names);
    sql_add_name(&name, table);
    OWNED char *sql =
        good ? xformat("CREATE TABLE data.%s (%s); INSERT INTO data.%s SELECT %s FROM main.%s "
                       "ORDER BY rowid;",
                       name.s, types.s, name.s, names.s, name.s)
             : NULL;
    return good && run(c, sql);
}

/* --- in fewer bytes --------------------------------------------------------------------------- */

/* A table that takes fewer bytes in another form is kept in a table stored_..., of which it is a
 * view. */

/** Whether a query of one cell gives something but 0. */
static bool
is_true(const struct copy *c, const char *sql)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    return sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK &&
           sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0);
}

/** Whether all values of a column of `summary` are numbers of six decimals, as those of results
 * are: they come back from a whole number of millionths as they were. */
static bool
is_in_millionths(const struct copy *c, const char *name)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t,
             "SELECT count(x) AND count(*) FILTER (WHERE x IS NOT NULL AND (typeof(x) <> 'real' "
             "OR abs(x) > 9e9 OR cast(round(x * 1e6) AS INTEGER) / 1e6 <> x)) = 0 FROM (SELECT ");
    sql_add_name(&t, name);
    text_add(&t, " AS x FROM main.summary)");
    return is_true(c, t.s);
}

/** Adds a column of `summary`: for its table, for what goes into it, and for its view. */
static void
add_column(const struct copy *c, const char *name, const char *type, struct text *sql[3])
{
    static const char *const before[] = {"", "cast(round(", "cast("};
    const bool in_millionths = is_in_millionths(c, name);
    for (size_t i = 0; i < 3; i++)
    {
        text_add(sql[i], sql[i]->len ? ", " : "");
        text_add(sql[i], in_millionths ? before[i] : "");
        sql_add_name(sql[i], name);
    }
    text_add(sql[0], " %s", in_millionths ? "INTEGER" : type);
    text_add(sql[1], in_millionths ? " * 1e6) AS INTEGER)" : "");
    if (in_millionths)
    {
        /* by the cast it compares with a text as the table's does */
        text_add(sql[2], " / 1e6 AS %s) AS ", type);
        sql_add_name(sql[2], name);
    }
}

static bool
copy_summary(const struct copy *c)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    CLEANUP(text_drop) struct text types = {0}, values = {0}, names = {0};
    struct text *sql[] = {&types, &values, &names};
    const bool good = sqlite3_prepare_v2(c->db,
                                         "SELECT name, type, iif(pk, ' PRIMARY KEY', '') FROM "
                                         "pragma_table_info('summary', 'main')",
                                         -1, &s, NULL) == SQLITE_OK;
    while (good && sqlite3_step(s) == SQLITE_ROW)
    {
        OWNED char *type = type_in(s, 1);
        add_column(c, (const char *)sqlite3_column_text(s, 0), type, sql);
    }
    OWNED char *all =
        good ? xformat("CREATE TABLE data.stored_summary (%s); INSERT INTO data.stored_summary "
                       "SELECT %s FROM main.summary ORDER BY rowid; "
                       "CREATE VIEW data.summary AS SELECT %s FROM stored_summary;",
                       types.s, values.s, names.s)
             : NULL;
    return good && run(c, all);
}

/** Names of runs are in `summary` as well, unless a run has no row there. */
static bool
copy_runs(const struct copy *c)
{
    return is_true(c, "SELECT NOT EXISTS (SELECT run, name FROM main.runs EXCEPT "
                      "SELECT run, name FROM main.summary)")
               ? run(c, "CREATE VIEW data.runs AS SELECT run, name FROM stored_summary;")
               : copy_table(c, "runs");
}

/** Copies the provenance; most runs have the same as the run before. */
static bool
copy_provenance(const struct copy *c)
{
    const bool facts = !is_read(c, "provenance");
    OWNED char *sql = xformat(
        "CREATE TABLE data.stored_provenance (first INTEGER, last INTEGER, key TEXT, text TEXT);"
        "INSERT INTO data.stored_provenance SELECT min(run), max(run), key, text FROM "
        "(SELECT *, run - row_number() OVER (PARTITION BY key, text, again ORDER BY run) AS behind "
        "FROM (SELECT *, row_number() OVER (PARTITION BY run, key, text) AS again "
        "FROM main.provenance %s)) GROUP BY key, text, again, behind ORDER BY key, min(run), text;"
        "CREATE VIEW data.provenance AS SELECT r.run, p.key, p.text FROM stored_provenance p "
        "JOIN runs r ON r.run BETWEEN p.first AND p.last;",
        facts ? "WHERE key IN (" FACTS_KEYS ")" : "");
    return run(c, sql);
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool
copy_views(const struct copy *c)
{
    bool good = true;
    for (size_t i = 0; good && i < c->reads->nviews; i++)
    {
        const struct data_view *view = &c->reads->views[i];
        const char *name = element_value(view->view, "name");
        CLEANUP(text_drop) struct text t = {0};
        text_add(&t, "INSERT INTO data.columns SELECT ");
        sql_add_literal(&t, name);
        text_add(&t, ", name, '" DATA_VIEW_DOC "' || ");
        sql_add_literal(&t, view->view->text);
        text_add(&t, " FROM pragma_table_info(");
        sql_add_literal(&t, name);
        text_add(&t, ", 'data') ORDER BY cid");
        good = query_rows_store(view->rows, c->db, "data", name) && run(c, t.s);
    }
    return good;
}

/** The names of the other tables that are copied. */
static bool
list_tables(const struct copy *c, struct words *tables)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    const bool good = sqlite3_prepare_v2(c->db,
                                         "SELECT name FROM main.sqlite_master WHERE type = 'table' "
                                         "ORDER BY rowid",
                                         -1, &s, NULL) == SQLITE_OK;
    while (good && sqlite3_step(s) == SQLITE_ROW)
    {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        const bool special = list_has("summary runs provenance", name);
        if (!special && (strcmp(name, "columns") == 0 || is_read(c, name)))
        {
            words_add(tables, xstrdup(name));
        }
    }
    return good;
}

/** Copies what is read. What the queries are made for, SQLite plans with an index of `qps` and the
 * like: the rows of an answer shall come in the same order. */
static bool
copy_all(const struct copy *c)
{
    static const char *const indices[] = {"qps", "flows", "series"};
    static const char documented[] =
        "DELETE FROM data.columns WHERE \"column\" NOT IN (SELECT name FROM "
        "pragma_table_info(\"table\", 'data'));";
    CLEANUP(words_free) struct words tables = {0};
    OWNED char *start = xformat("PRAGMA data.page_size = 4096; PRAGMA data.max_page_count = %d; "
                                "PRAGMA data.user_version = %d; BEGIN;",
                                MOST_PAGES, RESULTS_VERSION);
    bool good = sql_attach(c->db, ":memory:", "data") == SQLITE_OK && run(c, start) &&
                list_tables(c, &tables);
    good = good && copy_summary(c) && copy_runs(c) && copy_provenance(c);
    for (size_t i = 0; good && i < tables.n; i++)
    {
        good = copy_table(c, tables.word[i]);
    }
    for (size_t i = 0; good && i < sizeof indices / sizeof *indices; i++)
    {
        OWNED char *sql = xformat("CREATE INDEX data.%s_run ON %s (run);", indices[i], indices[i]);
        good = !words_have(&tables, indices[i]) || run(c, sql);
    }
    return good && run(c, documented) && copy_views(c) && run(c, "COMMIT; VACUUM data;");
}

/* --- files ------------------------------------------------------------------------------------ */

/** Clears what in a file's header depends on how often SQLite has changed it, and on its version.
 */
static void
clear_header(unsigned char *bytes)
{
    memset(bytes + 24, 0, 4);
    memset(bytes + 92, 0, 8);
}

/** Writes the copy, and says how large it is. */
static bool
write_copy(const struct copy *c, const char *folder, char **why)
{
    sqlite3_int64 n = 0;
    size_t size = 0;
    unsigned char *bytes = sqlite3_serialize(c->db, "data", &n, 0);
    if (!bytes)
    {
        *why = xstrdup("out of memory");
        return false;
    }
    clear_header(bytes);
    const bool good = open_data_write(folder, c->reads->name, bytes, (size_t)n, &size, why);
    sqlite3_free(bytes);
    if (good)
    {
        print_shown(stdout, "%s/%s" OPEN_DATA_ENDING ": %zu KB\n", folder, c->reads->name,
                    (size + 999) / 1000);
    }
    return good;
}

static bool
save(const struct data_reads *reads, const char *results, const char *folder, char **why)
{
    static struct sql_budget unlimited = {SIZE_MAX, false};
    struct copy c = {NULL, reads};
    OWNED char *path = xformat("%s/%s/" DATABASE_FILE, results, reads->name),
               *address = sql_file_address(path);
    const int how = SQLITE_OPEN_READWRITE; /* the address says: to be read */
    OWNED char *wrong = NULL;
    struct sql_steps steps = {MOST_STEPS};
    bool copied = sql_open(&c.db, address, how, NULL) == SQLITE_OK;
    if (copied)
    {
        sql_limit_steps(c.db, &steps);
        copied = sql_schema_fits(c.db, "main", SQL_RESULTS, &wrong) &&
                 sql_aggregates_register(c.db, &unlimited, NULL) == SQLITE_OK && copy_all(&c);
    }
    if (!copied)
    {
        *why = xformat("cannot save what claims read of %s: %s", path,
                       wrong  ? wrong
                       : c.db ? sqlite3_errmsg(c.db)
                              : "out of memory");
    }
    const bool good = copied && write_copy(&c, folder, why);
    sqlite3_close(c.db);
    return good;
}

int
data_save(struct document *const *claims, size_t n, const struct words *names, const char *results,
          const char *folder)
{
    const struct report_options options = {
        .results = results, .allow_missing = true, .limits = REPORT_LIMITS};
    struct data_reads_list list = {0};
    char *why = NULL;
    bool good = data_reads_find(&list, claims, n, names, &options) && folder_make(folder, &why);
    for (size_t i = 0; good && i < list.n; i++)
    {
        const bool wanted = words_have(names, list.reads[i].name);
        good = !wanted || save(&list.reads[i], results, folder, &why);
    }
    data_reads_free(&list);
    return good ? EXIT_GOOD : why ? sweep_refuse(why, EXIT_FAILED) : EXIT_BAD_INPUT;
}
