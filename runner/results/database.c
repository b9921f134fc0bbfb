/* SPDX-License-Identifier: GPL-2.0-only */
#include "database.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "run-file.h"
#include "sql-aggregates.h"
#include "sql-file.h"
#include "sql-open.h"

/* --- what varies ------------------------------------------------------------------------------ */

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
    struct database_key key = {.name = name, .unit = unit_of(cells, n), .is_exact = true};
    for (size_t i = 0; i < n; i++)
    {
        char digits[40];
        snprintf(digits, sizeof digits, "%.15g", strtod(cells[i], NULL));
        key.is_exact = key.is_exact && strcmp(digits, cells[i]) == 0;
    }
    return key;
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

bool
database_has_seeds(const struct database_writer *w)
{
    bool has = false;
    for (size_t k = 0; k < w->nkeys; k++)
    {
        has = has || w->keys[k].is_seed;
    }
    return has;
}

/* --- tables ----------------------------------------------------------------------------------- */

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

/** The columns of `summary` that vary. */
static void
add_key_columns(struct text *t, struct text *docs, const struct database_writer *w)
{
    for (size_t k = 0; k < w->nkeys; k++)
    {
        const struct database_key *key = &w->keys[k];
        sql_add_name(t, key->name);
        text_add(t, key->is_exact ? " NUMERIC," : " TEXT,");
        add_doc(docs, "summary", key->name, "varies in this sweep");
        if (has_number(key))
        {
            OWNED char *name = database_number_column(key);
            sql_add_name(t, name);
            text_add(t, " REAL,");
            add_doc(docs, "summary", name, "the same as a number");
        }
    }
}

/** Makes the table of a table of runs. */
static void
add_table(struct text *t, struct text *docs, const struct database_writer *w,
          const struct column_table *table)
{
    const bool whole = table == &summary_table;
    text_add(t, "CREATE TABLE \"%s\" (run INTEGER %s,", table->name,
             whole ? "PRIMARY KEY, name TEXT NOT NULL" : "NOT NULL");
    add_doc(docs, table->name, "run", "number of the run, as in runs");
    if (whole)
    {
        add_doc(docs, table->name, "name", "name of the run and of its file");
        add_key_columns(t, docs, w);
    }
    columns_add_types(t, table);
    text_add(t, whole ? ", notes TEXT);" : ");");
    for (size_t c = 0; c < table->n; c++)
    {
        add_doc(docs, table->name, table->columns[c].name, table->columns[c].doc);
    }
    if (whole)
    {
        add_doc(docs, table->name, "notes",
                "kinds of the notes that hold for it, with spaces between them; empty: none does");
    }
}

static const char fixed_tables[] =
    "CREATE TABLE columns (\"table\" TEXT NOT NULL, \"column\" TEXT NOT NULL, doc TEXT NOT NULL);"
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE parameters (run INTEGER NOT NULL, " PARAMETERS_COLUMNS ");"
    "CREATE TABLE provenance (run INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL);"
    "CREATE TABLE notes (kind TEXT NOT NULL, run INTEGER, text TEXT NOT NULL);"
    "INSERT INTO columns VALUES"
    "('runs','run','number of the run, from 1 in the order of the sweep'),"
    "('runs','name','its name, and that of its file in runs/'),"
    "('parameters','run','number of the run, as in runs'),"
    "('parameters','name','element and attribute of its resolved scenario: balancer.name'),"
    "('parameters','number','which of several elements of that name, from 0'),"
    "('parameters','text','the value as written'),"
    "('parameters','value','the value as a number in that unit; NULL: it is none'),"
    "('parameters','unit','bytes, us, gbps, or empty'),"
    "('provenance','run','number of the run, as in runs'),"
    "('provenance','key','what is told: weft, ns-3, compiler, command, seed, wall time, ...'),"
    "('provenance','text','what it was'),"
    "('notes','kind','what it is about: straggler, spurious, unchanged, ...'),"
    "('notes','run','number of the run that it names; empty: it is of several alike'),"
    "('notes','text','what the terminal prints');";

static bool
make_tables(const struct database_writer *w, char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    CLEANUP(text_drop) struct text t = {0}, docs = {0};
    text_add(&t, "BEGIN; %s", fixed_tables);
    for (size_t i = 0; i < n; i++)
    {
        if (tables[i] != &stuck_table)
        {
            add_table(&t, &docs, w, tables[i]);
        }
    }
    text_add(&docs, SQL_MESSAGES_VIEW "; COMMIT;");
    return sql_file_run(&w->file, t.s, why) && sql_file_run(&w->file, docs.s, why);
}

/* --- rows ------------------------------------------------------------------------------------- */

/** Adds a row to `runs` and, if the run has any, to `summary`. */
static bool
add_summary(const struct database_writer *w, size_t number, const char *name,
            const char *const *cells, bool summary, char **why)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "INSERT INTO main.runs VALUES (%zu, ", number);
    sql_add_literal(&t, name);
    text_add(&t, summary ? "); INSERT INTO main.summary SELECT %zu, " : ");", number);
    if (summary)
    {
        sql_add_literal(&t, name);
    }
    for (size_t k = 0; summary && k < w->nkeys; k++)
    {
        double value;
        text_add(&t, ", ");
        sql_add_literal(&t, cells[k]);
        if (has_number(&w->keys[k]))
        {
            const bool is = csv_number(cells[k], &value) == CELL_NUMBER;
            text_add(&t, is ? ", %.17g" : ", NULL", value);
        }
    }
    text_add(&t, summary ? ", *, NULL FROM run.summary;" : "");
    return sql_file_run(&w->file, t.s, why);
}

/** Adds the name of a table that a run and all of them together have. */
static void
add_if_there(const struct database_writer *w, struct words *tables, const char *name)
{
    static const char *const schemas[] = {"run", "main"};
    bool there = true;
    for (size_t i = 0; i < 2; i++)
    {
        there = there && sqlite3_table_column_metadata(w->file.db, schemas[i], name, NULL, NULL,
                                                       NULL, NULL, NULL, NULL) == SQLITE_OK;
    }
    if (there)
    {
        words_add(tables, xstrdup(name));
    }
}

/** The tables of the run that Weft writes: a stranger's file may have others, such as `columns`. */
static void
list_tables(const struct database_writer *w, struct words *tables)
{
    size_t n;
    const struct column_table *const *all = column_tables(&n);
    add_if_there(w, tables, "parameters");
    add_if_there(w, tables, "provenance");
    for (size_t i = 0; i < n; i++)
    {
        add_if_there(w, tables, all[i]->name);
    }
}

bool
database_add_run(const struct database_writer *w, size_t number, const char *name,
                 const char *const *cells, char **why)
{
    CLEANUP(words_free) struct words tables = {0};
    list_tables(w, &tables);
    bool good = sql_file_run(&w->file, "BEGIN;", why) &&
                add_summary(w, number, name, cells, words_have(&tables, "summary"), why);
    for (size_t i = 0; good && i < tables.n; i++)
    {
        OWNED char *sql = xformat("INSERT INTO main.\"%s\" SELECT %zu, * FROM run.\"%s\";",
                                  tables.word[i], number, tables.word[i]);
        good = strcmp(tables.word[i], "summary") == 0 || sql_file_run(&w->file, sql, why);
    }
    return good && sql_file_run(&w->file, "COMMIT;", why);
}

char *
database_select(const struct database_writer *w, const char *table)
{
    struct text t = {0};
    size_t n, i = 0;
    const struct column_table *const *tables = column_tables(&n);
    while (strcmp(tables[i]->name, table) != 0)
    {
        i++;
    }
    text_add(&t, "SELECT s.name AS run");
    for (size_t k = 0; k < w->nkeys; k++)
    {
        text_add(&t, ",s.");
        sql_add_name(&t, w->keys[k].name);
    }
    for (size_t c = 0; c < tables[i]->n; c++)
    {
        text_add(&t, ",t.\"%s\"", tables[i]->columns[c].name);
    }
    text_add(&t, " FROM \"%s\" t CROSS JOIN summary s ON s.run = t.run ORDER BY t.rowid", table);
    return text_take(&t);
}

/* --- over the seeds --------------------------------------------------------------------------- */

/** Columns of `aggregate` for each column of `summary`. Numbers have six decimals, as all of
 * results. */
static const struct
{
    const char *before, *after, *ending, *type;
} spreads[] = {{"micro(mean(", "))", "mean", "REAL"},
               {"min(", ")", "min", "REAL"},
               {"max(", ")", "max", "REAL"},
               {"count(", ")", "n", "INTEGER"},
               {"micro(stddev(", "))", "stddev", "REAL"},
               {"micro(ci95(", "))", "ci95", "REAL"}};

/** Adds what tells cases apart: all that varies but the seeds. */
static void
add_case(struct text *t, const struct database_writer *w, bool types)
{
    for (size_t k = 0; k < w->nkeys; k++)
    {
        if (!w->keys[k].is_seed)
        {
            text_add(t, ",");
            sql_add_name(t, w->keys[k].name);
            text_add(t, !types ? "" : w->keys[k].is_exact ? " NUMERIC" : " TEXT");
        }
    }
}

/** Adds columns, or @p types: their names and types. Which QP was the slowest has no mean. */
static void
add_spreads(struct text *t, bool types)
{
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *name = summary_table.columns[c].name;
        const bool has = summary_table.columns[c].kind != COLUMN_INDEX;
        for (size_t i = 0; has && i < sizeof spreads / sizeof *spreads; i++)
        {
            types ? text_add(t, ",\"%s_%s\" %s", name, spreads[i].ending, spreads[i].type)
                  : text_add(t, ",%s\"%s\"%s", spreads[i].before, name, spreads[i].after);
        }
    }
}

/** micro(x): the nearest number of six decimals. */
static void
micro(sqlite3_context *context, int n, sqlite3_value **args)
{
    (void)n;
    const double value = sqlite3_value_double(args[0]) * 1e6;
    if (sqlite3_value_type(args[0]) != SQLITE_NULL && fabs(value) < 9e18)
    {
        sqlite3_result_double(context, (double)llround(value) / 1e6);
    }
}

/** `aggregate`: a row for each case, in the order of the runs. */
static bool
add_aggregate(const struct database_writer *w, char **why)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "CREATE TABLE aggregate (seeds INTEGER");
    add_case(&t, w, true);
    add_spreads(&t, true);
    text_add(&t, "); INSERT INTO aggregate SELECT count(*)");
    add_case(&t, w, false);
    add_spreads(&t, false);
    text_add(&t, " FROM summary GROUP BY 1 = 1");
    add_case(&t, w, false);
    text_add(&t, " ORDER BY min(run);");
    return sql_aggregates_register(w->file.db, NULL) == SQLITE_OK &&
           sqlite3_create_function(w->file.db, "micro", 1, SQLITE_UTF8, NULL, micro, NULL, NULL) ==
               SQLITE_OK &&
           sql_file_run(&w->file, t.s, why);
}

/* --- the whole -------------------------------------------------------------------------------- */

bool
database_begin(struct database_writer *w, const struct folder *top, const struct database_key *keys,
               size_t nkeys, char **why)
{
    *w = (struct database_writer){.top = top, .keys = keys, .nkeys = nkeys};
    w->temporary = top ? file_begin(top, DATABASE_FILE, why) : NULL;
    const bool open =
        top ? w->temporary && sql_file_open(&w->file, top, w->temporary, DATABASE_FILE, 4096, why)
            : sql_file_open_unnamed(&w->file, why);
    const bool good = open && make_tables(w, why);
    if (!good)
    {
        database_abandon(w);
    }
    return good;
}

bool
database_complete(const struct database_writer *w, char **why)
{
    return sql_file_run(&w->file, "BEGIN;", why) &&
           (!database_has_seeds(w) || add_aggregate(w, why)) &&
           sql_file_run(&w->file,
                        "CREATE INDEX qps_run ON qps (run); CREATE INDEX flows_run ON flows (run);"
                        "CREATE INDEX series_run ON series (run); COMMIT;",
                        why);
}

bool
database_finish(struct database_writer *w, char **why)
{
    const bool ended = sql_file_end(&w->file, w->temporary, why);
    const bool placed = ended && file_place(w->top, w->temporary, DATABASE_FILE, why);
    if (!ended)
    {
        database_abandon(w);
    }
    free(w->temporary);
    w->temporary = NULL;
    return placed;
}

void
database_abandon(struct database_writer *w)
{
    sql_file_close(&w->file);
    if (w->temporary)
    {
        file_drop(w->top, w->temporary);
    }
    free(w->temporary);
    w->temporary = NULL;
}
