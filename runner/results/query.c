/* SPDX-License-Identifier: GPL-2.0-only */
#include "query.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "database.h"
#include "open-data.h"
#include "provenance.h"
#include "results-folder.h"
#include "shown-text.h"
#include "sql-aggregates.h"

/** Steps of SQLite's machine between two looks at the clock. */
#define STEPS_PER_LOOK 100

/** Longest text that a query may read or make, bytes: one step of it must not take long. */
#define MOST_TEXT (1 << 16)

/** Longest query, bytes. */
#define MOST_SQL (1 << 18)

/** An SQLite file that is in memory; no bytes: it is on disk. */
struct image
{
    unsigned char *bytes;
    size_t n;
};

struct database
{
    sqlite3 *db;
    struct image *images; /**< those that SQLite reads, also for `counting` */
    size_t nimages;
    struct database *counting; /**< the same results, with aggregates that fill `holes`; or NULL */
    struct sql_holes holes;
    double deadline;     /**< of the query in hand */
    uint64_t steps_left; /**< likewise */
    struct sql_budget budget;
};

/* --- opening ---------------------------------------------------------------------------------- */

/** What SQLite opens of a results folder, or of results that are in memory. */
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
                             : xformat("weft collect %s", out);
}

/** Whether the results are as they were written. *image: their bytes, if they are to be read from
 * memory. */
static bool
look(const char *out, struct image *image, char **why)
{
    *image = (struct image){0};
    return open_data_is(out) ? (image->bytes = open_data_read(out, &image->n, why)) != NULL
                             : results_file_is_whole(out, DATABASE_FILE, why);
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
    ARRAY_GROW(db->images, db->nimages);
    db->images[db->nimages++] = image;
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

/** What nobody who queries may do, whatever the query. */
static void
restrict_database(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    /* "balancer.nam" is a column that is not there, and not a text. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_TEXT);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, MOST_SQL);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 50);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_exec(db, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;", NULL, NULL, NULL);
}

static struct database *
open_with(const char *out, const struct image *image, struct sql_holes *holes, char **why)
{
    struct database *db = xcalloc(1, sizeof *db);
    OWNED char *address = address_of(out);
    bool good = sqlite3_open_v2(address, &db->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) ==
                    SQLITE_OK &&
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
        good = version_fits(db, "main", out, why) &&
               sql_aggregates_register(db->db, &db->budget, holes) == SQLITE_OK;
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
    struct image image;
    return look(out, &image, why) ? open_both(out, image, why) : NULL;
}

struct database *
database_of(sqlite3 *own, char **why)
{
    struct database *db = xcalloc(1, sizeof *db);
    db->db = own;
    restrict_database(db->db);
    if (sql_aggregates_register(db->db, &db->budget, NULL) != SQLITE_OK)
    {
        *why = xstrdup(sqlite3_errmsg(own));
        database_close(db);
        return NULL;
    }
    return db;
}

static bool
attach(struct database *db, const char *name, const char *out, const struct image *image,
       char **why)
{
    sqlite3_stmt *s = NULL;
    OWNED char *address = address_of(out);
    bool good = sqlite3_prepare_v2(db->db, "ATTACH ? AS ?", -1, &s, NULL) == SQLITE_OK &&
                sqlite3_bind_text(s, 1, address, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(s) == SQLITE_DONE;
    sqlite3_finalize(s);
    good = good && place(db->db, name, image);
    if (!good)
    {
        OWNED char *file = file_of(out);
        *why = xformat("%s cannot be opened: %s", file, sqlite3_errmsg(db->db));
    }
    return good && version_fits(db, name, out, why);
}

bool
database_attach(struct database *db, const char *name, const char *out, char **why)
{
    struct image image;
    const bool whole = look(out, &image, why);
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

/* --- what a query may do ---------------------------------------------------------------------- */

/** Functions that answer differently every time ('now') or elsewhere, or that reach out of the
 * database. */
static bool
is_forbidden(const char *function)
{
    static const char *const names[] = {"random",
                                        "randomblob",
                                        "load_extension",
                                        "fts3_tokenizer",
                                        "current_time",
                                        "current_date",
                                        "current_timestamp",
                                        "sqlite_log",
                                        "zeroblob",
                                        "date",
                                        "time",
                                        "datetime",
                                        "julianday",
                                        "unixepoch",
                                        "strftime",
                                        "timediff",
                                        "sqlite_version",
                                        "sqlite_source_id",
                                        "sqlite_compileoption_get",
                                        "sqlite_compileoption_used"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        if (sqlite3_stricmp(function, names[i]) == 0)
        {
            return true;
        }
    }
    return false;
}

static int
authorize(void *user, int action, const char *first, const char *second, const char *schema,
          const char *trigger)
{
    (void)user;
    (void)first;
    (void)schema;
    (void)trigger;
    const bool allowed = action == SQLITE_SELECT || action == SQLITE_READ ||
                         action == SQLITE_RECURSIVE ||
                         (action == SQLITE_FUNCTION && second && !is_forbidden(second));
    return allowed ? SQLITE_OK : SQLITE_DENY;
}

static int
is_over(void *user)
{
    struct database *db = user;
    const bool out_of_steps = db->steps_left < STEPS_PER_LOOK;
    db->steps_left -= out_of_steps ? 0 : STEPS_PER_LOOK;
    db->budget.is_over = out_of_steps || clock_seconds() > db->deadline;
    return db->budget.is_over;
}

/** A text of the query's own as one line of valid UTF-8, whatever is in it. */
static char *
one_line(const char *s)
{
    struct text t = {0};
    text_add_printed(&t, s ? s : "", s ? strlen(s) : 0);
    return text_take(&t);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void
set_mistake(struct query_mistake *m, char *message, const char *sql, int at)
{
    m->message = message;
    m->line = 0;
    for (int i = 0; i < at && sql[i]; i++)
    {
        m->line += sql[i] == '\n';
    }
}

/** The name nearest to one that is not there. */
static char *
nearest_of(struct database *db, const char *sql, const char *name)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    struct nearest near = nearest_start(name);
    char *best = NULL;
    if (sqlite3_prepare_v2(db->db, sql, -1, &s, NULL) == SQLITE_OK)
    {
        while (sqlite3_step(s) == SQLITE_ROW)
        {
            const char *before = near.best, *found = (const char *)sqlite3_column_text(s, 0);
            char *candidate = xstrdup(found ? found : "");
            nearest_try(&near, candidate);
            if (near.best == before)
            {
                free(candidate);
                continue;
            }
            free(best);
            best = candidate;
        }
    }
    return best;
}

/** Of a column in quotes SQLite says `"name" - should this be a string literal in single-quotes?`
 * since 3.46, and `name` before: leaves the name. */
static void
keep_name(char *said)
{
    char *end = strrchr(said, '"');
    if (*said == '"' && end > said)
    {
        *end = '\0';
        memmove(said, said + 1, (size_t)(end - said));
    }
}

/** A table that has the column; NULL: none has. The caller frees it. */
static char *
owner_of(struct database *db, const char *column)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    const char *sql = "SELECT \"table\" FROM columns WHERE \"column\" = ?1";
    const bool found = sqlite3_prepare_v2(db->db, sql, -1, &s, NULL) == SQLITE_OK &&
                       sqlite3_bind_text(s, 1, column, -1, SQLITE_STATIC) == SQLITE_OK &&
                       sqlite3_step(s) == SQLITE_ROW;
    return found ? xstrdup((const char *)sqlite3_column_text(s, 0)) : NULL;
}

/** What SQLite says of a query, and the name that may be meant. */
static char *
explain(struct database *db)
{
    static const struct
    {
        const char *lacks, *names;
    } lacking[] = {
        {"no such column: ", "SELECT \"column\" FROM columns"},
        {"no such table: ", "SELECT name FROM sqlite_master WHERE type <> 'index'"},
    };
    struct text words = {0};
    text_add_message(&words, sqlite3_errmsg(db->db));
    OWNED char *said = text_take(&words), *best = NULL, *owner = NULL;
    for (size_t i = 0; i < 2; i++)
    {
        char *at = strstr(said, lacking[i].lacks);
        if (!at)
        {
            continue;
        }
        char *name = at + strlen(lacking[i].lacks), *dot;
        keep_name(name);
        best = nearest_of(db, lacking[i].names, name);
        dot = strchr(name, '.');
        best = best || !dot ? best : nearest_of(db, lacking[i].names, dot + 1);
        const bool is = best && (strcmp(best, name) == 0 || (dot && strcmp(best, dot + 1) == 0));
        owner = is ? owner_of(db, best) : NULL;
    }
    const bool dotted = best && strpbrk(best, ".-");
    return owner && !dotted ? xformat("%s; the table %s has one of that name", said, owner)
           : dotted ? xformat("%s; did you mean \"%s\"? SQL has such a name in double quotes", said,
                              best)
           : best   ? xformat("%s; did you mean '%s'?", said, best)
           : strstr(said, "authoriz") || strstr(said, "prohibited")
               ? xformat("%s; a query may read tables and call functions, nothing else", said)
               : xstrdup(said);
}

/* --- a step that does not end ----------------------------------------------------------------- */

/** Behind the limit of time, s: SQLite ends a query at that if it can. */
#define GRACE 2

/** Longer limits are none, s. */
#define MOST_SECONDS 1e8

static char message[100];

/** Nothing else can: one step of SQLite's does not end. */
static void
end_process(int number)
{
    (void)number;
    if (write(STDERR_FILENO, message, strlen(message)) < 0)
    {
        _exit(2); /* the same: nobody hears of it */
    }
    _exit(2);
}

static void
set_timer(time_t seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/** From now on the process ends with a message and exit status 2 if this takes longer than @p
 * seconds and a little; until stop_watchdog(). */
static void
start_watchdog(double seconds)
{
    struct sigaction action;
    if (seconds > MOST_SECONDS)
    {
        return;
    }
    snprintf(message, sizeof message,
             "weft: error: a query takes longer than %g seconds in one step\n", seconds);
    memset(&action, 0, sizeof action);
    action.sa_handler = end_process;
    sigaction(SIGALRM, &action, NULL);
    set_timer((time_t)seconds + GRACE);
}

static void
stop_watchdog(void)
{
    set_timer(0);
}

/* --- rows ------------------------------------------------------------------------------------- */

/** A cell of the row that a step has made; its text is SQLite's. */
static struct query_cell
cell_of(sqlite3_stmt *s, int i)
{
    static char nothing[] = "";
    struct query_cell c = {QUERY_NULL, 0, NAN, NULL};
    switch (sqlite3_column_type(s, i))
    {
    case SQLITE_INTEGER:
        c.kind = QUERY_INTEGER;
        c.integer = sqlite3_column_int64(s, i);
        c.real = (double)c.integer;
        break;
    case SQLITE_FLOAT:
        c.kind = QUERY_REAL;
        c.real = sqlite3_column_double(s, i);
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        c.kind = QUERY_TEXT;
        c.text = (char *)sqlite3_column_text(s, i);
        c.text = c.text ? c.text : nothing; /* of a blob without bytes */
        break;
    default:
        break;
    }
    return c;
}

/** Why there are no rows, or not all of them. */
static char *
reason(struct database *db, int status, struct query_limits limits)
{
    return status == SQLITE_ROW ? xformat("it gives more than %zu rows", limits.rows)
           : status == SQLITE_INTERRUPT && db->steps_left < STEPS_PER_LOOK
               ? xformat("it takes more than %llu steps", (unsigned long long)limits.steps)
           : status == SQLITE_INTERRUPT ? xformat("it takes longer than %g seconds", limits.seconds)
           : status == SQLITE_NOMEM     ? xformat(QUERY_TOO_LARGE, limits.bytes >> 20)
                                        : explain(db);
}

/** Where in the query the last mistake is; -1: that is not known. */
static int
place_of_mistake(sqlite3 *db)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(db);
#else
    (void)db;
    return -1;
#endif
}

/** Whether only white space, comments and a ';' follow. */
static bool
nothing_follows(struct database *db, const char *rest)
{
    CLEANUP(statement_drop) sqlite3_stmt *more = NULL;
    return sqlite3_prepare_v2(db->db, rest, -1, &more, NULL) == SQLITE_OK && !more;
}

/** What is wrong with a query that is not a SELECT alone; NULL: nothing. *at: where. */
static char *
refusal(struct database *db, sqlite3_stmt *s, const char *sql, const char *rest, int *at)
{
    const bool explains = s && sqlite3_stmt_isexplain(s);
    const bool more = s && !explains && !nothing_follows(db, rest);
    *at = more ? (int)(rest - sql) : 0;
    return !s         ? xstrdup("there is no query; expected select ...")
           : explains ? xstrdup("EXPLAIN is not there; expected select ...")
           : more     ? xstrdup("more follows the first ';'; expected one select")
                      : NULL;
}

/** Puts a query under its limits, or takes them away. */
static void
set_limits(struct database *db, const struct query_limits *limits)
{
    if (limits)
    {
        db->deadline = clock_seconds() + limits->seconds;
        db->steps_left = limits->steps ? limits->steps : UINT64_MAX;
        db->budget = (struct sql_budget){limits->bytes, false};
        sqlite3_hard_heap_limit64((sqlite3_int64)limits->bytes);
        start_watchdog(limits->seconds);
    }
    else
    {
        stop_watchdog();
    }
    sqlite3_progress_handler(db->db, limits ? STEPS_PER_LOOK : 0, limits ? is_over : NULL, db);
    sqlite3_set_authorizer(db->db, limits ? authorize : NULL, NULL);
}

struct query *
query_begin(struct database *db, const char *sql, struct query_limits limits,
            struct query_mistake *mistake)
{
    struct query *q = xcalloc(1, sizeof *q);
    const char *rest = NULL;
    *q = (struct query){.db = db, .limits = limits, .mistake = mistake};
    *mistake = (struct query_mistake){NULL, 0};
    set_limits(db, &limits);
    const int status = sqlite3_prepare_v2(db->db, sql, -1, &q->statement, &rest);
    const bool prepared = status == SQLITE_OK;
    int at = prepared ? 0 : place_of_mistake(db->db);
    char *why = prepared ? refusal(db, q->statement, sql, rest, &at) : reason(db, status, limits);
    set_mistake(mistake, why, sql, at);
    q->ncolumns = why ? 0 : (size_t)sqlite3_column_count(q->statement);
    q->cells = xcalloc(q->ncolumns + 1, sizeof *q->cells);
    q->columns = xcalloc(q->ncolumns + 1, sizeof *q->columns);
    for (size_t i = 0; i < q->ncolumns; i++)
    {
        q->columns[i] = one_line(sqlite3_column_name(q->statement, (int)i));
    }
    return why && !query_end(q) ? NULL : q;
}

const struct query_cell *
query_next(struct query *q)
{
    const int status = sqlite3_step(q->statement);
    if (status != SQLITE_ROW || q->nrows++ >= q->limits.rows)
    {
        q->mistake->message = status == SQLITE_DONE ? NULL : reason(q->db, status, q->limits);
        return NULL;
    }
    for (size_t i = 0; i < q->ncolumns; i++)
    {
        q->cells[i] = cell_of(q->statement, (int)i);
    }
    return q->cells;
}

bool
query_end(struct query *q)
{
    bool good = q != NULL;
    if (q)
    {
        good = !q->mistake->message;
        sqlite3_finalize(q->statement);
        set_limits(q->db, NULL);
        for (size_t i = 0; i < q->ncolumns; i++)
        {
            free(q->columns[i]);
        }
        free(q->columns);
        free(q->cells);
        free(q);
    }
    return good;
}
