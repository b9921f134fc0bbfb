/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening results to query them. */
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "clock.h"
#include "database.h"
#include "open-data.h"
#include "query-database.h"
#include "results-folder.h"
#include "sql-open.h"

/** Steps of SQLite's machine that opening a file may take: its names of tables. */
#define OPENING_STEPS 10000000

/** Longest definition of a table or view, bytes. */
#define OPENING_TEXT (1 << 16)

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

/** Registers what queries may call beside SQLite's own functions; an SQLite result code. */
static int
prepare_for_queries(sqlite3 *db)
{
    /* "balancer.nam" is a column that is not there, and not a text. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_exec(db, "PRAGMA temp_store = MEMORY;", NULL, NULL, NULL);
    return sql_aggregates_register(db, NULL);
}

/** Limits what is done in this process with a file that others have made; NULL: no longer. */
static void
limit_opening(sqlite3 *db, struct sql_steps *steps)
{
    sql_limit_steps(db, steps);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, steps ? OPENING_TEXT : INT_MAX);
}

/** Whether the tables of an open file are those that queries are made for. */
static bool
tables_fit(struct database *db, const char *name, const char *out, char **why)
{
    OWNED char *file = file_of(out), *wrong = NULL;
    const bool fits =
        version_fits(db, name, out, why) &&
        sql_schema_fits(db->db, name, open_data_is(out) ? SQL_AND_QUERIES : SQL_RESULTS, &wrong);
    *why = wrong ? xformat("%s cannot be used: %s", file, wrong) : *why;
    return fits;
}

/** Opens what is whole. Takes the image. */
static struct database *
open_image(const char *out, struct image image, char **why)
{
    struct database *db = xcalloc(1, sizeof *db);
    struct sql_steps steps = {OPENING_STEPS};
    OWNED char *address = address_of(out);
    keep(db, image);
    db->opens_by = INFINITY;
    bool good = sql_open(&db->db, address, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                place(db->db, "main", &image) && prepare_for_queries(db->db) == SQLITE_OK;
    if (!good)
    {
        OWNED char *file = file_of(out);
        *why = xformat("%s cannot be opened: %s", file,
                       db->db ? sqlite3_errmsg(db->db) : "out of memory");
    }
    else
    {
        limit_opening(db->db, &steps);
        good = tables_fit(db, "main", out, why);
        limit_opening(db->db, NULL);
    }
    if (!good)
    {
        database_close(db);
        db = NULL;
    }
    return db;
}

struct database *
database_open_whole(const char *out, char **why)
{
    return open_image(out, (struct image){0}, why);
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
    struct database *db = look(out, deadline, &image, why) ? open_image(out, image, why) : NULL;
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
    if (prepare_for_queries(own) != SQLITE_OK)
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

bool
database_attach(struct database *db, const char *name, const char *out, char **why)
{
    struct image image;
    struct sql_steps steps = {OPENING_STEPS};
    if (!look(out, db->opens_by, &image, why))
    {
        return false;
    }
    keep(db, image);
    limit_opening(db->db, &steps);
    OWNED char *address = address_of(out);
    bool good = sql_attach(db->db, address, name) == SQLITE_OK && place(db->db, name, &image);
    if (!good)
    {
        OWNED char *file = file_of(out);
        *why = xformat("%s cannot be opened: %s", file, sqlite3_errmsg(db->db));
    }
    good = good && tables_fit(db, name, out, why);
    limit_opening(db->db, NULL);
    return good;
}

void
database_close(struct database *db)
{
    if (db)
    {
        sqlite3_close(db->db);
        for (size_t i = 0; i < db->nimages; i++)
        {
            free(db->images[i].bytes);
        }
        free(db->images);
        free(db);
    }
}

void
database_drop(struct database **db)
{
    database_close(*db);
}
