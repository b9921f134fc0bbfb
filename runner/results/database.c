/* SPDX-License-Identifier: GPL-2.0-only */
#include "database.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file-list.h"
#include "sql-text.h"
#include "textbuf.h"

struct database_writer
{
    const struct folder *top;
    char *temporary; /**< the file's name until it is whole */
    sqlite3 *db;
    const struct database_key *keys;
    size_t nkeys;
    int64_t run; /**< that rows are added of */
    bool closed; /**< the file is */
    sqlite3_stmt *run_row, *parameter, *provenance;
    sqlite3_stmt **rows; /**< as column_tables() */
};

/** False with what SQLite says. */
static bool
fail(const struct database_writer *w, char **why)
{
    *why = xformat("cannot write %s/" DATABASE_FILE ": %s", w->top ? w->top->path : ":memory:",
                   w->db ? sqlite3_errmsg(w->db) : "out of memory");
    return false;
}

static bool
execute(struct database_writer *w, const char *sql, char **why)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(w, why);
}

/** "INSERT INTO name VALUES (?, ...)" with @p n values. */
static bool
prepare_insert(struct database_writer *w, const char *name, size_t n, sqlite3_stmt **statement,
               char **why)
{
    struct text t = {0};
    text_add(&t, "INSERT INTO ");
    sql_add_name(&t, name);
    text_add(&t, " VALUES (?");
    for (size_t i = 1; i < n; i++)
    {
        text_add(&t, ",?");
    }
    text_add(&t, ")");
    bool good = sqlite3_prepare_v2(w->db, t.s, -1, statement, NULL) == SQLITE_OK || fail(w, why);
    free(t.s);
    return good;
}

/* --- tables ----------------------------------------------------------------------------------- */

static bool
is_whole(enum column_kind kind)
{
    return kind == COLUMN_U64 || kind == COLUMN_U32 || kind == COLUMN_INDEX;
}

static const char *
type_of(enum column_kind kind)
{
    return kind == COLUMN_TEXT ? "TEXT" : is_whole(kind) ? "INTEGER" : "REAL";
}

/** Has `columns` say what a column is. */
static void
add_doc(struct text *docs, const char *table, const char *column, const char *doc)
{
    const char *const cells[] = {table, column, doc};
    text_add(docs, "INSERT INTO columns VALUES ");
    for (size_t i = 0; i < 3; i++)
    {
        text_add(docs, i ? "," : "(");
        sql_add_literal(docs, cells[i]);
    }
    text_add(docs, ");");
}

char *
database_number_column(const struct database_key *key)
{
    return !key->unit      ? NULL
           : key->is_exact ? xstrdup(key->name)
                           : xformat("%s_%s", key->name, *key->unit ? key->unit : "number");
}

static bool
has_number(const struct database_key *key)
{
    return key->unit && !key->is_exact;
}

/** The columns of `summary` that vary; how many. */
static size_t
add_key_columns(struct text *t, struct text *docs, const struct database_writer *w)
{
    size_t n = w->nkeys;
    for (size_t k = 0; k < w->nkeys; k++)
    {
        const struct database_key *key = &w->keys[k];
        text_add(t, ",");
        sql_add_name(t, key->name);
        text_add(t, key->is_exact ? " NUMERIC" : " TEXT");
        add_doc(docs, "summary", key->name, "varies in this sweep");
        if (has_number(key))
        {
            char *name = database_number_column(key);
            text_add(t, ",");
            sql_add_name(t, name);
            text_add(t, " REAL");
            add_doc(docs, "summary", name, "the same as a number");
            free(name);
            n++;
        }
    }
    return n;
}

/** Makes the table of a CSV file. */
static bool
make_table(struct database_writer *w, size_t i, const struct column_table *table, char **why)
{
    struct text t = {0}, docs = {0};
    char *name = column_table_name(table);
    const bool whole = table == &summary_table;
    size_t n = 1 + table->n;
    text_add(&t, "CREATE TABLE \"%s\" (run INTEGER %s", name,
             whole ? "PRIMARY KEY, name TEXT NOT NULL" : "NOT NULL");
    add_doc(&docs, name, "run", "number of the run, as in runs");
    if (whole)
    {
        add_doc(&docs, name, "name", "name of the run and of its folder");
        n += 1 + add_key_columns(&t, &docs, w);
    }
    for (size_t c = 0; c < table->n; c++)
    {
        text_add(&t, ",\"%s\" %s", table->columns[c].name, type_of(table->columns[c].kind));
        add_doc(&docs, name, table->columns[c].name, table->columns[c].doc);
    }
    text_add(&t, ");");
    bool good = execute(w, t.s, why) && execute(w, docs.s, why) &&
                prepare_insert(w, name, n, &w->rows[i], why);
    free(t.s);
    free(docs.s);
    free(name);
    return good;
}

static const char fixed_tables[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "BEGIN;"
    "CREATE TABLE columns (\"table\" TEXT NOT NULL, \"column\" TEXT NOT NULL, doc TEXT NOT NULL);"
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE parameters (run INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,"
    " text TEXT NOT NULL, value REAL, unit TEXT);"
    "CREATE TABLE provenance (run INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL);"
    "INSERT INTO columns VALUES"
    "('runs','run','number of the run, from 1 in the order of the sweep'),"
    "('runs','name','its name, and that of its folder in runs/'),"
    "('parameters','run','number of the run, as in runs'),"
    "('parameters','name','element and attribute of its resolved scenario: balancer.name'),"
    "('parameters','number','which of several elements of that name, from 0'),"
    "('parameters','text','the value as written'),"
    "('parameters','value','the value as a number in that unit; NULL: it is none'),"
    "('parameters','unit','bytes, us, gbps, or empty'),"
    "('provenance','run','number of the run, as in runs'),"
    "('provenance','key','what is told: weft, ns-3, compiler, command, seed, wall time, ...'),"
    "('provenance','text','what it was');";

static bool
make_tables(struct database_writer *w, char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    bool good = execute(w, fixed_tables, why);
    w->rows = xcalloc(n, sizeof *w->rows);
    for (size_t i = 0; good && i < n; i++)
    {
        good = tables[i] == &stuck_table || make_table(w, i, tables[i], why);
    }
    return good && execute(w, "CREATE VIEW messages AS SELECT * FROM flows;", why) &&
           prepare_insert(w, "runs", 2, &w->run_row, why) &&
           prepare_insert(w, "parameters", 6, &w->parameter, why) &&
           prepare_insert(w, "provenance", 3, &w->provenance, why);
}

/** The unit that all cells have in common, or NULL. */
static const char *
unit_of(const char *const *cells, size_t n)
{
    const char *unit = NULL;
    for (size_t i = 0; i < n; i++)
    {
        const char *its = csv_unit(cells[i]);
        const bool zero = strcmp(cells[i], "0") == 0;
        if (!its || (unit && strcmp(unit, its) != 0 && !zero))
        {
            return NULL;
        }
        unit = zero && unit ? unit : its;
    }
    return unit;
}

struct database_key
database_key_of(const char *name, const char *const *cells, size_t n)
{
    struct database_key key = {name, unit_of(cells, n), true};
    for (size_t i = 0; i < n; i++)
    {
        char digits[40];
        snprintf(digits, sizeof digits, "%.15g", strtod(cells[i], NULL));
        key.is_exact = key.is_exact && strcmp(digits, cells[i]) == 0;
    }
    return key;
}

struct database_writer *
database_begin(const struct folder *top, const struct database_key *keys, size_t nkeys, char **why)
{
    struct database_writer *w = xcalloc(1, sizeof *w);
    w->top = top;
    w->keys = keys;
    w->nkeys = nkeys;
    w->temporary = file_begin(top, DATABASE_FILE, why);
    char *path = w->temporary ? xformat("%s/%s", top->path, w->temporary) : NULL;
    bool good = path && (sqlite3_open_v2(path, &w->db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK ||
                         fail(w, why));
    free(path);
    if (!good || !make_tables(w, why))
    {
        database_abandon(w);
        w = NULL;
    }
    return w;
}

/* --- rows ------------------------------------------------------------------------------------- */

static void
bind_text(sqlite3_stmt *row, int at, const char *text)
{
    sqlite3_bind_text(row, at, text, -1, SQLITE_STATIC);
}

/** A number, or NULL where the text is none. */
static void
bind_number(sqlite3_stmt *row, int at, const char *text)
{
    double value;
    if (csv_number(text, &value) == CELL_NUMBER)
    {
        sqlite3_bind_double(row, at, value);
    }
    else
    {
        sqlite3_bind_null(row, at);
    }
}

static void
bind_cell(sqlite3_stmt *row, int at, enum column_kind kind, const char *cell)
{
    if (kind == COLUMN_TEXT)
    {
        bind_text(row, at, cell);
    }
    else if (*cell && is_whole(kind))
    {
        sqlite3_bind_int64(row, at, strtoll(cell, NULL, 10));
    }
    else
    {
        bind_number(row, at, cell);
    }
}

static bool
step(struct database_writer *w, sqlite3_stmt *row, char **why)
{
    bool good = sqlite3_step(row) == SQLITE_DONE;
    return (sqlite3_reset(row) == SQLITE_OK && good) || fail(w, why);
}

/** The place of a table among column_tables(). */
static size_t
place_of(const struct column_table *table)
{
    size_t n, i = 0;
    const struct column_table *const *tables = column_tables(&n);
    while (tables[i] != table)
    {
        i++;
    }
    return i;
}

bool
database_add_run(struct database_writer *w, size_t number, const char *name,
                 const char *const *cells, char **why)
{
    sqlite3_stmt *summary = w->rows[place_of(&summary_table)];
    int at = 2;
    w->run = (int64_t)number;
    sqlite3_bind_int64(w->run_row, 1, w->run);
    bind_text(w->run_row, 2, name);
    /* The columns before those of summary.csv, for the row that comes. */
    sqlite3_bind_text(summary, at, name, -1, SQLITE_TRANSIENT);
    for (size_t k = 0; k < w->nkeys; k++)
    {
        sqlite3_bind_text(summary, ++at, cells[k], -1, SQLITE_TRANSIENT);
        if (has_number(&w->keys[k]))
        {
            bind_number(summary, ++at, cells[k]);
        }
    }
    return step(w, w->run_row, why);
}

bool
database_drop_run(struct database_writer *w, char **why)
{
    static const char sql[] = "DELETE FROM \"%s\" WHERE run = %lld;";
    static const char *const fixed[] = {"runs", "parameters", "provenance"};
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    struct text t = {0};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    {
        text_add(&t, sql, fixed[i], (long long)w->run);
    }
    for (size_t i = 0; i < n; i++)
    {
        char *name = column_table_name(tables[i]);
        if (w->rows[i])
        {
            text_add(&t, sql, name, (long long)w->run);
        }
        free(name);
    }
    const bool good = execute(w, t.s, why);
    free(t.s);
    return good;
}

bool
database_add_table(struct database_writer *w, const struct column_table *table,
                   const struct csv *csv, char **why)
{
    sqlite3_stmt *row = w->rows[place_of(table)];
    const int before = sqlite3_bind_parameter_count(row) - (int)table->n;
    bool good = true;
    for (size_t r = 0; good && r < csv->nrows; r++)
    {
        sqlite3_bind_int64(row, 1, w->run);
        for (size_t c = 0; c < table->n; c++)
        {
            bind_cell(row, before + 1 + (int)c, table->columns[c].kind, csv_cell(csv, r, c));
        }
        good = step(w, row, why);
    }
    return good;
}

bool
database_add_parameter(struct database_writer *w, const char *name, size_t number, const char *text,
                       char **why)
{
    sqlite3_bind_int64(w->parameter, 1, w->run);
    bind_text(w->parameter, 2, name);
    sqlite3_bind_int64(w->parameter, 3, (sqlite3_int64)number);
    bind_text(w->parameter, 4, text);
    bind_number(w->parameter, 5, text);
    bind_text(w->parameter, 6, csv_unit(text));
    return step(w, w->parameter, why);
}

bool
database_add_provenance(struct database_writer *w, const char *key, const char *text, char **why)
{
    sqlite3_bind_int64(w->provenance, 1, w->run);
    bind_text(w->provenance, 2, key);
    bind_text(w->provenance, 3, text);
    return step(w, w->provenance, why);
}

/** Whether a column is of what varies, and its cells are to stay as they are. */
static bool
is_text(const struct database_writer *w, const char *column)
{
    for (size_t k = 0; k < w->nkeys; k++)
    {
        if (strcmp(w->keys[k].name, column) == 0)
        {
            return !w->keys[k].is_exact;
        }
    }
    return false;
}

bool
database_add_csv(struct database_writer *w, const char *name, const struct csv *csv, char **why)
{
    struct text t = {0};
    sqlite3_stmt *row = NULL;
    text_add(&t, "CREATE TABLE \"%s\" (", name);
    for (size_t c = 0; csv && c < csv->ncolumns; c++)
    {
        text_add(&t, c ? "," : "");
        sql_add_name(&t, csv->header[c]);
        text_add(&t, is_text(w, csv->header[c]) ? " TEXT" : " NUMERIC");
    }
    text_add(&t, ");");
    bool good = !csv || (execute(w, t.s, why) && prepare_insert(w, name, csv->ncolumns, &row, why));
    for (size_t r = 0; csv && good && r < csv->nrows; r++)
    {
        for (size_t c = 0; c < csv->ncolumns; c++)
        {
            const char *cell = csv_cell(csv, r, c);
            bind_text(row, (int)c + 1, *cell ? cell : NULL);
        }
        good = step(w, row, why);
    }
    sqlite3_finalize(row);
    free(t.s);
    return good;
}

/* --- end -------------------------------------------------------------------------------------- */

static void
finalize_statements(struct database_writer *w)
{
    sqlite3_stmt *each;
    while (w->db && (each = sqlite3_next_stmt(w->db, NULL)) != NULL)
    {
        sqlite3_finalize(each);
    }
    free(w->rows);
}

/** Ends the transaction. */
static bool
commit(struct database_writer *w, char **why)
{
    char *end =
        xformat("CREATE INDEX qps_run ON qps (run); CREATE INDEX flows_run ON flows (run);"
                "CREATE INDEX series_run ON series (run); PRAGMA user_version = %d; COMMIT;",
                DATABASE_VERSION);
    const bool good = execute(w, end, why);
    free(end);
    return good;
}

/** Closes the file; false with a sentence if not all of it could be written. */
static bool
close_file(struct database_writer *w, char **why)
{
    finalize_statements(w);
    bool good = !why || commit(w, why);
    if (sqlite3_close(w->db) != SQLITE_OK && good && why)
    {
        good = fail(w, why);
    }
    w->db = NULL;
    return good;
}

static void
free_writer(struct database_writer *w)
{
    free(w->temporary);
    free(w);
}

/** Writes the list of tables anew with the line of the file that is closed. */
static bool
write_list(const struct database_writer *w, struct text *list, char **why)
{
    if (!file_list_add_file(list, DATABASE_FILE, w->top, w->temporary, why))
    {
        return false;
    }
    char *bytes = file_list_end(TABLE_LIST_HEADING, list);
    const bool good = file_replace(w->top->path, TABLE_LIST_FILE, bytes, strlen(bytes), why);
    free(bytes);
    return good;
}

bool
database_finish(struct database_writer *w, struct text *list, char **why)
{
    w->closed = true;
    if (!close_file(w, why) || !write_list(w, list, why))
    {
        database_abandon(w);
        return false;
    }
    const bool placed = file_place(w->top, w->temporary, DATABASE_FILE, why);
    free_writer(w);
    return placed;
}

void
database_abandon(struct database_writer *w)
{
    if (!w->closed)
    {
        close_file(w, NULL);
    }
    if (w->temporary)
    {
        file_drop(w->top, w->temporary);
    }
    free_writer(w);
}

struct sqlite3 *
database_make_empty(const struct database_key *keys, size_t nkeys, const struct csv *aggregate,
                    char **why)
{
    struct database_writer w = {.keys = keys, .nkeys = nkeys};
    const bool good =
        (sqlite3_open_v2(":memory:", &w.db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK ||
         fail(&w, why)) &&
        make_tables(&w, why) && database_add_csv(&w, "aggregate", aggregate, why) &&
        commit(&w, why);
    finalize_statements(&w);
    if (!good)
    {
        sqlite3_close(w.db);
        w.db = NULL;
    }
    return w.db;
}
