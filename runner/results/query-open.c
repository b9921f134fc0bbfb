/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening results to query them. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "clock.h"
#include "database.h"
#include "open-data.h"
#include "query-database.h"
#include "results-folder.h"
#include "sql-open.h"
#include "sql-printf.h"

/** Longest text that a query may read or make, bytes: one step of it must not take long. */
#define MOST_TEXT (1 << 16)

/** Steps of SQLite's machine that opening a file may take: its names of tables. */
#define OPENING_STEPS 10000000

/** Longest query, bytes. */
#define MOST_SQL (1 << 18)

/** Returns what SQLite opens of a results folder, or of results that are in memory. */
static char *
address_of(const char *out)
{
    OWNED char *path = xformat("%s/" DATABASE_FILE, out);
    return open_data_is(out) ? xstrdup(":memory:") : sql_file_address(path);
}

/** The file of results, for messages, and what makes it again. */
static char *
file_of(const char *out)
{
    return open_data_is(out) ? xstrdup(out) : xformat("%s/" DATABASE_FILE, out);
}

static char *
maker_of(const char *out)
{
    return open_data_is(out) ? xstrdup("weft reproduce all --report --save-data " OPEN_DATA)
                             : xformat("weft run --collect %s", out);
}

/** Whether the results are as they were written. *image: their bytes, if they are to be read from
 * memory. */
static bool
look(const char *out, double deadline, struct image *image, char **why)
{
    *image = (struct image){0};
    return open_data_is(out) ? (image->bytes = open_data_read(out, &image->n, why)) != NULL
                             : results_file_is_whole(out, DATABASE_FILE, deadline, why);
}

/** Has SQLite read a database from memory, if it is there. */
static bool
place(sqlite3 *db, const char *name, const struct image *image)
{
    const sqlite3_int64 n = (sqlite3_int64)image->n;
    return !image->bytes || sqlite3_deserialize(db, name, image->bytes, n, n,
                                                SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
}

/** Keeps an image as long as the database. */
static void
keep(struct database *db, struct image image)
{
    if (image.bytes)
    {
        ARRAY_GROW(db->images, db->nimages);
        db->images[db->nimages++] = image;
    }
}

/** Whether the tables of an open file have the version that queries are made for. */
static bool
version_fits(struct database *db, const char *name, const char *out, char **why)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    OWNED char *sql = xformat("PRAGMA \"%s\".user_version", name);
    const bool read =
        sqlite3_prepare_v2(db->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
    const int version = read ? sqlite3_column_int(s, 0) : 0;
    const bool fits = read && version == RESULTS_VERSION;
    if (!fits)
    {
        OWNED char *file = file_of(out), *maker = maker_of(out);
        *why = read ? xformat("%s has tables of version %d, not %d; '%s' makes it again", file,
                              version, RESULTS_VERSION, maker)
                    : xformat("%s cannot be used: %s; '%s' makes it again", file,
                              sqlite3_errmsg(db->db), maker);
    }
    return fits;
}

/** Forbids what nobody who queries may do, whatever the query. */
static void
restrict_database(sqlite3 *db)
{
    /* "balancer.nam" is a column that is not there, and not a text. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_TEXT);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, MOST_SQL);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 50);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_exec(db, "PRAGMA temp_store = MEMORY;", NULL, NULL, NULL);
}

/** Whether the tables of an open file are those that queries are made for. */
static bool
tables_fit(struct database *db, const char *name, const char *out, char **why)
{
    struct sql_steps steps = {OPENING_STEPS};
    OWNED char *file = file_of(out), *wrong = NULL;
    sql_limit_steps(db->db, &steps);
    const bool fits =
        version_fits(db, name, out, why) &&
        sql_schema_fits(db->db, name, open_data_is(out) ? SQL_AND_QUERIES : SQL_RESULTS, &wrong);
    sql_limit_steps(db->db, NULL);
    *why = wrong ? xformat("%s cannot be used: %s", file, wrong) : *why;
    return fits;
}

/** Registers what queries may call beside SQLite's own; an SQLite result code. */
static int
add_functions(struct database *db, struct sql_holes *holes)
{
    const int status = sql_aggregates_register(db->db, &db->budget, holes);
    return status == SQLITE_OK ? sql_printf_register(db->db) : status;
}

static struct database *
open_with(const char *out, const struct image *image, struct sql_holes *holes, char **why)
{
    struct database *db = xcalloc(1, sizeof *db);
    OWNED char *address = address_of(out);
    bool good = sql_open(&db->db, address, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                place(db->db, "main", image);
    if (!good)
    {
        OWNED char *file = file_of(out);
        *why = xformat("%s cannot be opened: %s", file,
                       db->db ? sqlite3_errmsg(db->db) : "out of memory");
    }
    else
    {
        restrict_database(db->db);
        good = tables_fit(db, "main", out, why) && add_functions(db, holes) == SQLITE_OK;
    }
    if (!good)
    {
        database_close(db);
        db = NULL;
    }
    return db;
}

/** Opens what is whole, twice. Takes the image. */
static struct database *
open_both(const char *out, struct image image, char **why)
{
    struct database *db = open_with(out, &image, NULL, why);
    if (!db)
    {
        free(image.bytes);
        return NULL;
    }
    keep(db, image);
    db->opens_by = INFINITY;
    if ((db->counting = open_with(out, &image, &db->holes, why)) == NULL)
    {
        database_close(db);
        db = NULL;
    }
    return db;
}

struct database *
database_open_whole(const char *out, char **why)
{
    return open_both(out, (struct image){0}, why);
}

struct database *
database_open(const char *out, char **why)
{
    return database_open_within(out, INFINITY, why);
}

struct database *
database_open_within(const char *out, double seconds, char **why)
{
    struct image image;
    const double deadline = clock_seconds() + seconds;
    struct database *db = look(out, deadline, &image, why) ? open_both(out, image, why) : NULL;
    if (db)
    {
        db->opens_by = deadline;
    }
    return db;
}

struct database *
database_lend(sqlite3 *own, char **why)
{
    struct database *db = xcalloc(1, sizeof *db);
    db->db = own;
    restrict_database(db->db);
    if (add_functions(db, NULL) != SQLITE_OK)
    {
        *why = xstrdup(sqlite3_errmsg(own));
        database_give_back(db);
        return NULL;
    }
    return db;
}

void
database_give_back(struct database *db)
{
    if (db)
    {
        db->db = NULL;
        database_close(db);
    }
}

struct database *
database_of(sqlite3 *own, char **why)
{
    struct database *db = database_lend(own, why);
    if (!db)
    {
        sqlite3_close(own);
    }
    return db;
}

static bool
attach(struct database *db, const char *name, const char *out, const struct image *image,
       char **why)
{
    OWNED char *address = address_of(out);
    const bool good = sql_attach(db->db, address, name) == SQLITE_OK && place(db->db, name, image);
    if (!good)
    {
        OWNED char *file = file_of(out);
        *why = xformat("%s cannot be opened: %s", file, sqlite3_errmsg(db->db));
    }
    return good && tables_fit(db, name, out, why);
}

bool
database_attach(struct database *db, const char *name, const char *out, char **why)
{
    struct image image;
    const bool whole = look(out, db->opens_by, &image, why);
    if (whole)
    {
        keep(db, image);
    }
    return whole && attach(db, name, out, &image, why) &&
           attach(db->counting, name, out, &image, why);
}

struct database *
database_counting(struct database *db, struct sql_holes **holes)
{
    *holes = &db->holes;
    return db->counting;
}

void
database_close(struct database *db)
{
    if (db)
    {
        database_close(db->counting);
        sqlite3_close(db->db);
        for (size_t i = 0; i < db->nimages; i++)
        {
            free(db->images[i].bytes);
        }
        free(db->images);
        free(db->holes.holes);
        free(db);
    }
}

void
database_drop(struct database **db)
{
    database_close(*db);
}
