/* SPDX-License-Identifier: GPL-2.0-only */
/* weft query */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "diagnostics.h"
#include "files.h"
#include "query.h"

/** Largest file with a query, bytes. */
#define MOST_BYTES ((size_t)1 << 20)

/** Other results that a query may read, at most: SQLite attaches ten. */
#define MOST_OTHERS 9

static bool
take_format(const char *name, enum query_format *format)
{
    static const char *const names[] = {
        [QUERY_AS_TEXT] = "text",
        [QUERY_AS_CSV] = "csv",
        [QUERY_AS_MARKDOWN] = "markdown",
        [QUERY_AS_JSON] = "json",
    };
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        if (strcmp(names[i], name) == 0)
        {
            *format = (enum query_format)i;
            return true;
        }
        nearest_try(&near, names[i]);
    }
    fprintf(stderr, "weft: error: --format '%s'; expected text, csv, markdown or json%s\n", name,
            did_you_mean(near.best));
    return false;
}

/** Opens other results as NAME=RESULTS says. */
static bool
attach(struct database *db, const char *text, char **why)
{
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || text[n] != '=' || strncmp(text, "main=", 5) == 0 ||
        strncmp(text, "temp=", 5) == 0)
    {
        *why = xformat("--with '%s'; expected NAME=RESULTS, the name of small letters, digits and "
                       "'_', and not main or temp",
                       text);
        return false;
    }
    OWNED char *name = xformat("%.*s", (int)n, text);
    return database_attach(db, name, text + n + 1, why);
}

/** The results with the others attached; NULL with a sentence. */
static struct database *
open_all(const struct arguments *a, char **why)
{
    if (a->others.n > MOST_OTHERS)
    {
        *why = xformat("--with more than %d times", MOST_OTHERS);
        return NULL;
    }
    struct database *db = database_open(a->files[0], why);
    bool good = db != NULL;
    for (size_t i = 0; good && i < a->others.n; i++)
    {
        good = attach(db, a->others.word[i], why);
    }
    if (!good)
    {
        database_close(db);
        db = NULL;
    }
    return db;
}

/** The query's text; NULL with a sentence. */
static char *
read_query(const struct arguments *a, char **why)
{
    if (a->query_file && a->nfiles > 1)
    {
        *why = xformat("a SELECT and --file '%s'; expected one of them", a->query_file);
        return NULL;
    }
    return a->query_file ? file_read_path(a->query_file, MOST_BYTES, NULL, why)
                         : xstrdup(a->nfiles > 1 ? a->files[1] : QUERY_OF_TABLES);
}

static int
print_rows(struct database *db, const struct arguments *a, const char *sql,
           enum query_format format)
{
    struct query_limits limits = QUERY_LIMITS;
    struct query_mistake mistake;
    limits.seconds = a->timeout;
    limits.rows = (size_t)a->rows;
    CLEANUP(query_rows_drop) struct query_rows *rows = database_query(db, sql, limits, &mistake);
    CLEANUP(text_drop) struct text t = {0};
    if (!rows)
    {
        fprintf(stderr, "%s:%d: error: %s\n", a->query_file ? a->query_file : "weft query",
                mistake.line + 1, mistake.message);
        free(mistake.message);
        return EXIT_BAD_INPUT;
    }
    query_print(&t, rows, format);
    fputs(t.s, stdout);
    return EXIT_GOOD;
}

int
command_query(const struct arguments *a)
{
    enum query_format format;
    char *why = NULL;
    if (!take_format(a->format, &format))
    {
        return EXIT_BAD_INPUT;
    }
    OWNED char *sql = read_query(a, &why);
    CLEANUP(database_drop) struct database *db = sql ? open_all(a, &why) : NULL;
    return db ? print_rows(db, a, sql, format) : sweep_refuse(why, EXIT_BAD_INPUT);
}
