/* SPDX-License-Identifier: GPL-2.0-only */
/* Open data: results in few bytes, as far as claims ask for them. */
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "claims.h"
#include "database.h"
#include "files.h"
#include "open-data.h"
#include "results-facts.h"
#include "shown-text.h"
#include "sql-aggregates.h"
#include "sql-file.h"
#include "sql-open.h"

/** Limits of a copy: steps of SQLite's machine, and pages of 4 KiB, of which open data have a
 * quarter at most. The results may be a stranger's, and without an end. */
#define MOST_STEPS 100000000000
#define MOST_PAGES (1 << 18)

/** zlib's code for gzip's format, with the largest window. */
#define GZIP (16 + MAX_WBITS)

/** Results of a name that are copied into a database in memory, `data`. */
struct copy
{
    sqlite3 *db; /**< its main database: the results */
    const char *name;
    struct text tables;  /**< queries of them, and names that others have behind `other.` */
    struct text columns; /**< all queries that may name a column */
    struct words views;  /**< names of those that are made, each followed by what it is made of */
};

/** Runs statements that a format of sqlite3_mprintf() makes. */
static bool
run(const struct copy *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    const bool good = sql && sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return good;
}

/** Asks for a text; NULL: SQLite says why, or there is none. The caller frees it. */
static char *
ask(const struct copy *c, const char *format, ...)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    const bool there = sql && sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK &&
                       sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL;
    sqlite3_free(sql);
    return there ? xstrdup((const char *)sqlite3_column_text(s, 0)) : NULL;
}

/* --- what claims ask for -----------------------------------------------------------------------
 */

/** Adds the texts of queries in an element, other than views. @p as: the name of the results in
 * them, of which the words behind it are taken; NULL: they are the section's own. */
static void
take_texts(struct copy *c, const xmlNode *e, const char *as)
{
    for (const xmlNode *child = e->children; child; child = child->next)
    {
        if (list_has("query headline", (const char *)child->name))
        {
            const char *text = (const char *)child->children->content;
            OWNED char *start = xformat("%s.", as ? as : "");
            text_add(&c->columns, "%s\n", text);
            text_add(&c->tables, "%s\n", as ? "" : text);
            for (const char *at = text; as && (at = strstr(at, start)) != NULL; at++)
            {
                text_add(&c->tables, "%.40s\n", at + strlen(start));
            }
        }
        take_texts(c, child, as);
    }
}

/** Takes the queries of all sections that read the results. */
static void
take_claims(struct copy *c, const struct claims *claims)
{
    const xmlNode *root = xmlDocGetRootElement(claims->doc), *section = NULL, *e = NULL;
    while ((section = child_after(root, "section", section)) != NULL)
    {
        const char *results = value_of(section, "results");
        if (results && strcmp(results, c->name) == 0)
        {
            take_texts(c, section, NULL);
        }
        while ((e = child_after(section, "attach", e)) != NULL)
        {
            if (strcmp(value_of(e, "results"), c->name) == 0)
            {
                take_texts(c, section, value_of(e, "as"));
            }
        }
    }
}

/* --- tables ------------------------------------------------------------------------------------
 */

/** Copies a table: the columns that queries name. */
static bool
copy_table(const struct copy *c, const char *table, bool whole)
{
    OWNED char *columns =
        ask(c,
            "SELECT group_concat(printf('\"%%w\"', name), ', ') FROM pragma_table_info(%Q, 'main') "
            "WHERE %d OR name = 'run' OR instr(%Q, name)",
            table, whole, c->columns.s ? c->columns.s : "");
    return columns &&
           run(c, "CREATE TABLE data.\"%w\" AS SELECT %s FROM main.\"%w\" ORDER BY rowid", table,
               columns, table);
}

/** Copies `columns`, and of the tables that queries name those that are not large. What queries are
 * made for, SQLite plans with an index of `qps` and the like: the rows of an answer shall come in
 * the same order. */
static bool
copy_tables(const struct copy *c)
{
    OWNED char *list =
        ask(c,
            "SELECT group_concat(name, ' ') FROM (SELECT name FROM main.sqlite_master WHERE type = "
            "'table' AND (name = 'columns' OR name NOT IN ('summary', 'runs', 'provenance') AND "
            "instr(%Q, name)) ORDER BY rowid)",
            c->tables.s ? c->tables.s : "");
    CLEANUP(words_free) struct words tables = words_split(list ? list : "");
    bool good = list != NULL;
    for (size_t i = 0; good && i < tables.n; i++)
    {
        const char *name = tables.word[i];
        OWNED char *large = ask(c, "SELECT 1 FROM main.\"%w\" LIMIT 1 OFFSET %d", name,
                                strcmp(name, "parameters") == 0 ? -1 : VIEW_MOST_ROWS);
        if (!large || strcmp(name, "parameters") == 0)
        {
            good = copy_table(c, name, strcmp(name, "columns") == 0) &&
                   (!list_has("qps flows series", name) ||
                    run(c, "CREATE INDEX data.%s_run ON %s (run)", name, name));
        }
    }
    return good;
}

/* --- in fewer bytes ----------------------------------------------------------------------------
 */

/* A table that takes fewer bytes in another form is kept in a table stored_..., of which it is a
 * view. */

/** Whether all values of a column of `summary` are numbers of six decimals, as those of results
 * are: they come back from a whole number of millionths as they were. */
static bool
is_in_millionths(const struct copy *c, const char *name)
{
    OWNED char *is = ask(c,
                         "SELECT 1 FROM main.summary HAVING count(\"%w\") AND count(*) FILTER "
                         "(WHERE \"%w\" IS NOT NULL AND (typeof(\"%w\") <> 'real' OR abs(\"%w\") > "
                         "9e9 OR cast(round(\"%w\" * 1e6) AS INTEGER) / 1e6 <> \"%w\")) = 0",
                         name, name, name, name, name, name);
    return is != NULL;
}

/** Copies `summary`, in which such columns are whole numbers. By the cast of the view they compare
 * with a text as the table's do. */
static bool
copy_summary(const struct copy *c)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    CLEANUP(text_drop) struct text values = {0}, names = {0};
    const char *comma = "";
    bool good = sqlite3_prepare_v2(c->db,
                                   "SELECT name, printf('\"%w\"', name) FROM "
                                   "pragma_table_info('summary', 'main')",
                                   -1, &s, NULL) == SQLITE_OK;
    for (; good && sqlite3_step(s) == SQLITE_ROW; comma = ", ")
    {
        const char *name = (const char *)sqlite3_column_text(s, 1);
        const bool whole = is_in_millionths(c, (const char *)sqlite3_column_text(s, 0));
        text_add(&values, whole ? "%scast(round(%s * 1e6) AS INTEGER) AS %s" : "%s%s", comma, name,
                 name);
        text_add(&names, whole ? "%scast(%s / 1e6 AS REAL) AS %s" : "%s%s", comma, name, name);
    }
    return good && run(c,
                       "CREATE TABLE data.stored_summary AS SELECT %s FROM main.summary ORDER BY "
                       "rowid; CREATE INDEX data.stored_summary_run ON stored_summary (run); "
                       "CREATE VIEW data.summary AS SELECT %s FROM stored_summary;",
                       values.s, names.s);
}

/** Copies the names of runs, which are in `summary` as well, unless a run has no row there. */
static bool
copy_runs(const struct copy *c)
{
    OWNED char *lacks = ask(c, "SELECT 1 FROM (SELECT run, name FROM main.runs EXCEPT SELECT run, "
                               "name FROM main.summary)");
    return lacks ? copy_table(c, "runs", true)
                 : run(c, "CREATE VIEW data.runs AS SELECT run, name FROM stored_summary");
}

/** Copies the provenance, or what a page shows of it; most runs have the same as the run before. */
static bool
copy_provenance(const struct copy *c)
{
    const bool whole = c->tables.s && strstr(c->tables.s, "provenance");
    return run(
        c,
        "CREATE TABLE data.stored_provenance (first INTEGER, last INTEGER, key TEXT, text TEXT);"
        "INSERT INTO data.stored_provenance SELECT min(run), max(run), key, text FROM "
        "(SELECT *, run - row_number() OVER (PARTITION BY key, text, again ORDER BY run) AS behind "
        "FROM (SELECT *, row_number() OVER (PARTITION BY run, key, text) AS again "
        "FROM main.provenance %s)) GROUP BY key, text, again, behind ORDER BY key, min(run), text;"
        "CREATE VIEW data.provenance AS SELECT r.run, p.key, p.text FROM stored_provenance p "
        "JOIN runs r ON r.run BETWEEN p.first AND p.last;",
        whole ? "" : "WHERE key IN (" FACTS_KEYS ")");
}

/* --- views -------------------------------------------------------------------------------------
 */

/** Returns what a view is made of: its query, and the results that this calls by their names. */
static char *
origin(const xmlNode *view)
{
    const char *text = (const char *)view->children->content;
    struct text t = {0};
    text_add(&t, "%s", text);
    for (const xmlNode *e = NULL; (e = child_after(view->parent, "attach", e)) != NULL;)
    {
        OWNED char *start = xformat("%s.", value_of(e, "as"));
        text_add(&t, strstr(text, start) ? "\n%s%s" : "", start, value_of(e, "results"));
    }
    return text_take(&t);
}

/** Stores a view's rows, unless another section has; else a sentence. The caller frees it. */
static char *
copy_view(struct copy *c, const struct source *s, const xmlNode *view)
{
    const char *name = value_of(view, "name");
    OWNED char *of = origin(view);
    OWNED char *sql = xformat("select * from \"%s\"", name);
    for (size_t i = 0; i < c->views.n; i += 2)
    {
        if (strcasecmp(c->views.word[i], name) == 0)
        {
            return strcmp(c->views.word[i + 1], of) == 0
                       ? NULL
                       : xformat("%s has another <view> '%s'; expected the same of the same "
                                 "results, or another name",
                                 c->name, name);
        }
    }
    struct query_mistake m;
    CLEANUP(query_rows_drop) struct query_rows *rows = database_query(s->db, sql, QUERY_LIMITS, &m);
    words_add(&c->views, xstrdup(name));
    words_add(&c->views, xstrdup(of));
    return !rows ? m.message
           : rows_store(rows, c->db, "data", name) &&
                   run(c,
                       "INSERT INTO data.columns SELECT %Q, name, '" VIEW_DOC "' || %Q FROM "
                       "pragma_table_info(%Q, 'data') ORDER BY cid",
                       name, view->children->content, name)
               ? NULL
               : xstrdup(sqlite3_errmsg(c->db));
}

/** Stores the views of the sections that read the results. False after messages. */
static bool
copy_views(struct copy *c, const struct claims *claims, const struct claims_options *options)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = claims->path};
    const xmlNode *root = xmlDocGetRootElement(claims->doc), *section = NULL, *e = NULL;
    while ((section = child_after(root, "section", section)) != NULL)
    {
        const char *results = value_of(section, "results");
        struct source s = {.options = options, .claims = root, .section = section, .d = &d};
        const bool reads = results && strcmp(results, c->name) == 0 && child_of(section, "view");
        const bool open = reads && source_open(&s);
        const char *lacks = s.missing ? s.missing : s.why;
        if (lacks)
        {
            diag_error(&d, line_of(section), "%s", lacks);
        }
        while (open && (e = child_after(section, "view", e)) != NULL)
        {
            OWNED char *why = copy_view(c, &s, e);
            if (why)
            {
                diag_error(&d, line_of(e), "%s", why);
            }
        }
        source_close(&s);
    }
    diag_print(&d, stderr);
    return d.n == 0;
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static bool
copy_all(const struct copy *c)
{
    return sql_attach(c->db, ":memory:", "data") == SQLITE_OK &&
           run(c,
               "PRAGMA data.page_size = 4096; PRAGMA data.max_page_count = %d; "
               "PRAGMA data.user_version = %d; BEGIN;",
               MOST_PAGES, RESULTS_VERSION) &&
           copy_summary(c) && copy_runs(c) && copy_provenance(c) && copy_tables(c) &&
           run(c, "DELETE FROM data.columns WHERE \"column\" NOT IN (SELECT name FROM "
                  "pragma_table_info(\"table\", 'data'))");
}

/** Returns bytes in gzip's format, without a name or a time, so that the same bytes give the same
 * with the same version of zlib; the caller frees them. */
static char *
pack(const unsigned char *bytes, size_t n, size_t *size)
{
    z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)n};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK)
    {
        on_out_of_memory();
    }
    const size_t room = deflateBound(&z, (uLong)n);
    char *packed = xcalloc(room, 1);
    void *out = packed;
    z.next_out = out;
    z.avail_out = (uInt)room;
    deflate(&z, Z_FINISH);
    *size = room - z.avail_out;
    deflateEnd(&z);
    return packed;
}

/** Writes the copy, and says how large it is. What depends on how often SQLite has changed it, and
 * on its version, is cleared in its header. */
/** Whether a file that is to be replaced is open data, or there is none. */
static bool
may_replace(const char *path, char **why)
{
    static const char magic[] = "SQLite format 3";
    size_t n = 0;
    if (access(path, F_OK) != 0)
    {
        return true;
    }
    OWNED char *unread = NULL;
    OWNED unsigned char *bytes = open_data_read(path, &n, &unread);
    const bool may = bytes && n > sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
    if (!may)
    {
        *why = xformat("%s is not open data, and is not replaced; expected another folder", path);
    }
    return may;
}

static bool
write_copy(const struct copy *c, const char *folder, char **why)
{
    sqlite3_int64 n = 0;
    size_t size = 0;
    unsigned char *bytes = sqlite3_serialize(c->db, "data", &n, 0);
    if (!bytes || (size_t)n > OPEN_DATA_MOST)
    {
        *why = xformat("%s: %lld MB of results are too many; expected %zu at most", c->name,
                       (long long)n >> 20, OPEN_DATA_MOST >> 20);
        sqlite3_free(bytes);
        return false;
    }
    memset(bytes + 24, 0, 4);
    memset(bytes + 92, 0, 8);
    OWNED char *packed = pack(bytes, (size_t)n, &size),
               *file = xformat("%s" OPEN_DATA_ENDING, c->name);
    sqlite3_free(bytes);
    OWNED char *path = xformat("%s/%s", folder, file);
    const bool good = may_replace(path, why) && file_replace(folder, file, packed, size, why);
    if (good)
    {
        print_shown(stdout, "%s/%s: %zu KB\n", folder, file, (size + 999) / 1000);
    }
    return good;
}

/** Opens the results, and copies all but the views; else a sentence. The caller frees it. */
static char *
begin_copy(struct copy *c, struct sql_steps *steps, const struct claims_options *options)
{
    OWNED char *path = xformat("%s/%s/" DATABASE_FILE, options->results, c->name);
    OWNED char *address = sql_file_address(path), *wrong = NULL;
    bool good = sql_open(&c->db, address, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
    if (good)
    {
        sql_limit_steps(c->db, steps);
        good = sql_schema_fits(c->db, "main", SQL_RESULTS, &wrong) &&
               sql_aggregates_register(c->db, NULL) == SQLITE_OK && copy_all(c);
    }
    return good ? NULL
                : xformat("cannot save what claims read of %s: %s", path,
                          wrong   ? wrong
                          : c->db ? sqlite3_errmsg(c->db)
                                  : "out of memory");
}

static int
save(const char *name, struct claims *const *claims, size_t n, const struct claims_options *options)
{
    struct sql_steps steps = {MOST_STEPS};
    struct copy c = {.name = name};
    for (size_t i = 0; i < n; i++)
    {
        take_claims(&c, claims[i]);
    }
    char *why = begin_copy(&c, &steps, options);
    bool good = !why;
    for (size_t i = 0; good && i < n; i++)
    {
        good = copy_views(&c, claims[i], options);
    }
    int status = good ? CLAIMS_GOOD : CLAIMS_BAD_INPUT;
    if (good && !(run(&c, "COMMIT; VACUUM data;") && write_copy(&c, options->save_data, &why)))
    {
        status = CLAIMS_FAILED;
        why = why ? why : xstrdup(sqlite3_errmsg(c.db));
    }
    sqlite3_close(c.db);
    free(c.tables.s);
    free(c.columns.s);
    words_free(&c.views);
    return why ? claims_refuse(why, CLAIMS_FAILED) : status;
}

int
data_save(struct claims *const *claims, size_t n, const struct claims_options *options)
{
    int status = CLAIMS_GOOD;
    char *why = NULL;
    if (!folder_make(options->save_data, &why))
    {
        return claims_refuse(why, CLAIMS_FAILED);
    }
    CLEANUP(words_free) struct words done = {0};
    for (size_t i = 0; i < n; i++)
    {
        CLEANUP(words_free) struct words names = claims_values(claims[i], "results");
        for (size_t k = 0; status == CLAIMS_GOOD && k < names.n; k++)
        {
            const char *name = names.word[k];
            if (!words_have(&done, name) && results_are_there(options, name))
            {
                words_add(&done, xstrdup(name));
                status = save(name, claims, n, options);
            }
        }
    }
    return status;
}
