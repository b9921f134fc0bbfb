/* SPDX-License-Identifier: GPL-2.0-only */
/* Each query is answered in a process of its own, which writes the rows into a pipe: whatever
 * SQLite makes of a query or of a file, the process ends at its limits of time and memory, and
 * writes no file. */
#define _GNU_SOURCE /* pipe2 */
#include "query.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query-database.h"
#include "shown-text.h"
#include "sql-file.h"

/* --- what a query may do ---------------------------------------------------------------------- */

/** Functions that answer differently every time ('now') or elsewhere, or that reach out of the
 * database. */
static const char forbidden[] =
    "random randomblob load_extension fts3_tokenizer current_time current_date current_timestamp "
    "sqlite_log date time datetime julianday unixepoch strftime timediff sqlite_version "
    "sqlite_source_id sqlite_compileoption_get sqlite_compileoption_used";

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
                         (action == SQLITE_FUNCTION && !list_has(forbidden, second));
    return allowed ? SQLITE_OK : SQLITE_DENY;
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

/** The line of a place in a query, from 0. */
static int
line_at(const char *sql, int at)
{
    int line = 0;
    for (int i = 0; i < at && sql[i]; i++)
    {
        line += sql[i] == '\n';
    }
    return line;
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

#define NOTHING_ELSE "a query may read tables and call functions, nothing else"

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
               ? xformat("%s; " NOTHING_ELSE, said)
               : xstrdup(said);
}

/** Why there are no rows, or not all of them. */
static char *
reason(struct database *db, int status, struct query_limits limits)
{
    return status == SQLITE_ROW ? xformat("it gives more than %zu rows", limits.rows)
           : status == SQLITE_INTERRUPT
               ? xformat("it takes more than %llu steps", (unsigned long long)limits.steps)
           : status == SQLITE_NOMEM ? xformat(QUERY_TOO_LARGE, limits.bytes >> 20)
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
           : sqlite3_column_count(s) == 0 ? xstrdup("it gives no columns; " NOTHING_ELSE)
                                          : NULL;
}

/* --- the process that answers ----------------------------------------------------------------- */

/* An answer is a number of columns, their names and the rows, all of it cells; last a text of this
 * kind, which says what is wrong, or nothing. */
#define ANSWER_ENDS ((enum query_kind)(QUERY_TEXT + 1))

static void
put(FILE *to, enum query_kind kind, int64_t integer, double real, const char *text)
{
    integer = kind >= QUERY_TEXT ? (int64_t)strlen(text) : integer;
    putc((int)kind, to);
    fwrite(&integer, sizeof integer, 1, to);
    fwrite(&real, sizeof real, 1, to);
    fwrite(text, 1, kind >= QUERY_TEXT ? (size_t)integer : 0, to);
}

/** Longest text that an answer may have, bytes. */
#define MOST_TEXT (1 << 16)

/** Puts a cell of the row that a step has made; false if its text is too long. */
static bool
put_cell(FILE *to, sqlite3_stmt *s, int i)
{
    static const enum query_kind kinds[] = {[SQLITE_INTEGER] = QUERY_INTEGER,
                                            [SQLITE_FLOAT] = QUERY_REAL,
                                            [SQLITE_TEXT] = QUERY_TEXT,
                                            [SQLITE_BLOB] = QUERY_TEXT,
                                            [SQLITE_NULL] = QUERY_NULL};
    const enum query_kind kind = kinds[sqlite3_column_type(s, i)];
    const bool number = kind == QUERY_INTEGER || kind == QUERY_REAL;
    const char *text = kind == QUERY_TEXT ? (const char *)sqlite3_column_text(s, i) : NULL;
    const bool fits = !text || strlen(text) <= MOST_TEXT;
    if (fits)
    {
        put(to, kind, kind == QUERY_INTEGER ? sqlite3_column_int64(s, i) : 0,
            number ? sqlite3_column_double(s, i) : NAN, text ? text : ""); /* an empty blob */
    }
    return fits;
}

/** Puts all rows; what is wrong with them, or NULL. */
static char *
put_rows(FILE *to, struct database *db, sqlite3_stmt *s, struct query_limits limits)
{
    const int n = sqlite3_column_count(s);
    int status;
    put(to, QUERY_INTEGER, n, n, "");
    for (int i = 0; i < n; i++)
    {
        OWNED char *name = one_line(sqlite3_column_name(s, i));
        put(to, QUERY_TEXT, 0, NAN, name);
    }
    for (size_t row = 0; (status = sqlite3_step(s)) == SQLITE_ROW && row < limits.rows; row++)
    {
        for (int i = 0; i < n; i++)
        {
            if (!put_cell(to, s, i))
            {
                return xformat("a text of its rows has more than %d bytes", MOST_TEXT);
            }
        }
    }
    return status == SQLITE_DONE ? NULL : reason(db, status, limits);
}

static int
stop(void *nothing)
{
    (void)nothing;
    return 1;
}

static void
answer(FILE *to, struct database *db, const char *sql, struct query_limits limits)
{
    sqlite3_stmt *s = NULL;
    const char *rest = NULL;
    int at = 0, status = db->holes ? sql_aggregates_register(db->db, db->holes) : SQLITE_OK;
    sqlite3_set_authorizer(db->db, authorize, NULL);
    sqlite3_progress_handler(db->db, limits.steps < INT_MAX ? (int)limits.steps : INT_MAX,
                             limits.steps ? stop : NULL, NULL);
    status = status == SQLITE_OK ? sqlite3_prepare_v2(db->db, sql, -1, &s, &rest) : status;
    const bool prepared = status == SQLITE_OK;
    at = prepared ? 0 : place_of_mistake(db->db);
    char *why = prepared ? refusal(db, s, sql, rest, &at) : reason(db, status, limits);
    why = why ? why : put_rows(to, db, s, limits);
    put(to, ANSWER_ENDS, 0, line_at(sql, at), why ? why : "");
}

/** Limits longer than this are none, s. */
#define MOST_SECONDS 1e8

/** Exit status of a process that has no memory left. */
#define WITHOUT_MEMORY 3

static void
end_without_memory(void)
{
    _exit(WITHOUT_MEMORY);
}

/** Puts this process under its limits: it must not tidy up what is its parent's. */
static void
limit_process(const struct query_limits *limits)
{
    const double left = fmin(fmax(limits->seconds - limits->spent, 0.001), MOST_SECONDS);
    const struct itimerval timer = {
        .it_value = {(time_t)left, (suseconds_t)(1e6 * (left - floor(left)))}};
    const struct rlimit none = {0, 0};
    sigset_t heard;
    sigemptyset(&heard);
    on_out_of_memory = end_without_memory;
    tidy_out_of_memory = NULL;
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &heard, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_FSIZE, &none);
    setitimer(ITIMER_REAL, &timer, NULL);
    sqlite3_hard_heap_limit64((sqlite3_int64)limits->bytes);
}

/** Starts the process that answers. It may go on with its parent's open database, as SQLite asks
 * for no locks of it. */
static bool
start(struct query *q, struct database *db, const char *sql)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
    {
        return false;
    }
    q->child = fork();
    FILE *end = fdopen(ends[q->child == 0], q->child == 0 ? "w" : "r");
    close(ends[q->child != 0]);
    if (q->child == 0)
    {
        limit_process(&q->limits);
        answer(end, db, sql, q->limits);
        fflush(end);
        _exit(0);
    }
    q->answer = end;
    return q->child > 0 && end;
}

/* --- the process that asks -------------------------------------------------------------------- */

/** Ends the other process, unless it has ended. Returns why it has not answered to the end. */
static char *
fate(struct query *q)
{
    int status = 0;
    kill(q->child, SIGKILL);
    while (waitpid(q->child, &status, 0) < 0 && errno == EINTR)
    {
    }
    q->child = 0;
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return number == SIGALRM ? xformat("it takes longer than %g seconds", q->limits.seconds)
           : number ? xformat("its process was killed by signal %d (%s)", number, strsignal(number))
           : WEXITSTATUS(status) == WITHOUT_MEMORY
               ? xformat(QUERY_TOO_LARGE, q->limits.bytes >> 20)
               : xformat("its process ended with status %d", WEXITSTATUS(status));
}

/** Takes the next cell, in the place of the former one; false at the answer's end. */
static bool
take(struct query *q, struct query_cell *c)
{
    free(c->text);
    const int kind = getc(q->answer);
    *c = (struct query_cell){.kind = (enum query_kind)kind};
    bool good = kind != EOF && fread(&c->integer, sizeof c->integer, 1, q->answer) == 1 &&
                fread(&c->real, sizeof c->real, 1, q->answer) == 1;
    const size_t n = good && c->kind >= QUERY_TEXT ? (size_t)c->integer : 0;
    if (n > q->left)
    {
        q->mistake->message = xformat(QUERY_TOO_LARGE, q->limits.bytes >> 20);
        return false;
    }
    q->left -= n;
    c->text = good && c->kind >= QUERY_TEXT ? xcalloc(n + 1, 1) : NULL;
    good = good && fread(c->text, 1, n, q->answer) == n;
    if (!good)
    {
        q->mistake->message = fate(q);
    }
    else if (c->kind == ANSWER_ENDS && n > 0)
    {
        *q->mistake = (struct query_mistake){c->text, (int)c->real};
        c->text = NULL;
    }
    return good && c->kind != ANSWER_ENDS;
}

struct query *
query_begin(struct database *db, const char *sql, struct query_limits limits,
            struct query_mistake *mistake)
{
    struct query *q = xcalloc(1, sizeof *q);
    struct query_cell n = {0};
    *q = (struct query){.limits = limits, .left = limits.bytes, .mistake = mistake};
    *mistake = (struct query_mistake){NULL, 0};
    if (!start(q, db, sql))
    {
        mistake->message = xformat("no process can be started for it: %s", strerror(errno));
    }
    else if (take(q, &n))
    {
        q->ncolumns = (size_t)n.integer;
        q->columns = xcalloc(q->ncolumns, sizeof *q->columns);
        q->cells = xcalloc(q->ncolumns, sizeof *q->cells);
        const struct query_cell *names = query_next(q);
        for (size_t i = 0; names && i < q->ncolumns; i++)
        {
            q->columns[i] = xstrdup(names[i].text);
        }
    }
    return mistake->message && !query_end(q) ? NULL : q;
}

const struct query_cell *
query_next(struct query *q)
{
    size_t i = 0;
    while (i < q->ncolumns && take(q, &q->cells[i]))
    {
        i++;
    }
    return i == q->ncolumns ? q->cells : NULL;
}

bool
query_end(struct query *q)
{
    bool good = q != NULL;
    if (q)
    {
        good = !q->mistake->message;
        if (q->child > 0)
        {
            free(fate(q));
        }
        if (q->answer)
        {
            fclose(q->answer);
        }
        for (size_t i = 0; i < q->ncolumns; i++)
        {
            free(q->columns[i]);
            free(q->cells[i].text);
        }
        free(q->columns);
        free(q->cells);
        free(q);
    }
    return good;
}
