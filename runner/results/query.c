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

#include "clock.h"
#include "query-database.h"
#include "shown-text.h"
#include "sql-file.h"

/** Steps of SQLite's machine between two looks at the clock. */
#define STEPS_PER_LOOK 100

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

/** Leaves the name of a column in quotes: SQLite says `"name" - should this be a string literal in
 * single-quotes?` since 3.46, and `name` before. */
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
    const char *sql =
        "SELECT \"table\" FROM columns WHERE \"column\" = ?1 AND \"table\" IS NOT NULL";
    const bool found = sqlite3_prepare_v2(db->db, sql, -1, &s, NULL) == SQLITE_OK &&
                       sqlite3_bind_text(s, 1, column, -1, SQLITE_STATIC) == SQLITE_OK &&
                       sqlite3_step(s) == SQLITE_ROW;
    return found ? xstrdup((const char *)sqlite3_column_text(s, 0)) : NULL;
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

/** Returns what SQLite says of a query, and the name that may be meant. */
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
    bool lacks = false;
    for (size_t i = 0; i < 2; i++)
    {
        char *at = strstr(said, lacking[i].lacks);
        if (!at)
        {
            continue;
        }
        lacks = true;
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
           : lacks && db->nimages
               ? xformat("%s; open data lack what no claim reads: 'weft run' makes it", said)
           : strstr(said, "syntax error") && place_of_mistake(db->db) == 0
               ? xformat("%s; expected a query: SELECT columns FROM table", said)
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

/** From now on the process ends with a message and exit status 2 if this takes longer than its
 * seconds and a little; until stop_watchdog(). */
static void
start_watchdog(const struct query_limits *limits)
{
    struct sigaction action;
    if (limits->seconds > MOST_SECONDS)
    {
        return;
    }
    snprintf(message, sizeof message,
             "weft: error: a query takes longer than %g seconds in one step\n", limits->seconds);
    memset(&action, 0, sizeof action);
    action.sa_handler = end_process;
    sigaction(SIGALRM, &action, NULL);
    set_timer((time_t)(limits->seconds - limits->spent) + GRACE);
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
           : status == SQLITE_TOOBIG    ? xformat("a text or a row of it has more than %d bytes",
                                                  sqlite3_limit(db->db, SQLITE_LIMIT_LENGTH, -1))
                                        : explain(db);
}

/** Whether only white space, comments and a ';' follow. */
static bool
nothing_follows(struct database *db, const char *rest)
{
    CLEANUP(statement_drop) sqlite3_stmt *more = NULL;
    return sqlite3_prepare_v2(db->db, rest, -1, &more, NULL) == SQLITE_OK && !more;
}

/** Says what is wrong with a query that is not a SELECT alone; NULL: nothing. *at: where. */
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
        db->deadline = clock_seconds() + limits->seconds - limits->spent;
        db->steps_left = limits->steps ? limits->steps : UINT64_MAX;
        db->budget = (struct sql_budget){limits->bytes, false};
        sqlite3_hard_heap_limit64((sqlite3_int64)limits->bytes);
        start_watchdog(limits);
    }
    else
    {
        stop_watchdog();
    }
    sqlite3_progress_handler(db->db, limits ? STEPS_PER_LOOK : 0, limits ? is_over : NULL, db);
    sqlite3_set_authorizer(db->db, limits ? authorize : NULL, db);
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
    const size_t most = (size_t)sqlite3_limit(db->db, SQLITE_LIMIT_SQL_LENGTH, -1);
    char *why = prepared             ? refusal(db, q->statement, sql, rest, &at)
                : strlen(sql) > most ? xformat("the query has more than %zu bytes", most)
                                     : reason(db, status, limits);
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
