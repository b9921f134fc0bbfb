/* SPDX-License-Identifier: GPL-2.0-only */
/* weft query */
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "diagnostics.h"
#include "files.h"
#include "query.h"
#include "sweep-run.h"

/** Largest file with a query, bytes. */
#define MOST_BYTES ((size_t)1 << 20)

static const char help[] =
    "usage: weft query RESULTS [SELECT] [OPTIONS]\n\n"
    "Asks a results folder in SQL: prints the rows of a SELECT over its tables (results.sqlite). "
    "Without\na SELECT it prints all tables and columns with their meaning. Beside SQLite's own "
    "functions there are\np50, p90, p95, p99, p99_9, percentile(x, p), stddev, ci95, "
    "slope_loglog(y, x) and corr(y, x).\n\n"
    "  --file FILE           the SELECT is in FILE\n"
    "  --with NAME=RESULTS   other results as well: NAME.summary and so on; up to 9 times\n"
    "  --format FORMAT       text (default), csv, markdown or json\n"
    "  --timeout SECONDS     give up after that time (default: 60)\n"
    "  --rows N              most rows (default: 1000000)\n"
    "\nA query reads and does nothing else.\n"
    "\nExit status: 0 all is well; 2 a mistake in the query or on the command line, or there are "
    "no "
    "results.\n"
    "\nExamples:\n"
    "  weft query results/themis-fig1 \"select name, cct_us, goodput_gbps from summary\"\n"
    "  weft query results/themis-fig1 \"select name, p99(resent_share) from qps join runs using "
    "(run) group by name\"\n";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"file", required_argument, NULL, 'f'},
    {"with", required_argument, NULL, 'w'},
    {"format", required_argument, NULL, 'F'},
    {"timeout", required_argument, NULL, 't'},
    {"rows", required_argument, NULL, 'r'},
    {NULL, 0, NULL, 0},
};

/** Other results that a query may read, at most: SQLite attaches ten. */
#define MOST_OTHERS 9

struct query_arguments
{
    const char *results, *file;
    const char *others[MOST_OTHERS]; /**< NAME=RESULTS */
    size_t nothers;
    char *sql;        /**< from the command line or the file */
    const char *from; /**< for messages: the file, or "weft query" */
    enum query_format format;
    struct query_limits limits;
};

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

/** Keeps NAME=RESULTS for later; false after a message. */
static bool
take_other(struct query_arguments *a, const char *text)
{
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || text[n] != '=' || strncmp(text, "main=", 5) == 0 ||
        strncmp(text, "temp=", 5) == 0)
    {
        fprintf(
            stderr,
            "weft: error: --with '%s'; expected NAME=RESULTS, the name of small letters, digits "
            "and '_', and not main or temp\n",
            text);
        return false;
    }
    if (a->nothers == MOST_OTHERS)
    {
        fprintf(stderr, "weft: error: --with more than %d times\n", MOST_OTHERS);
        return false;
    }
    a->others[a->nothers++] = text;
    return true;
}

/** A number of an option, from @p least to @p most. */
static bool
take_value(const char *option, const char *text, double least, double most, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= least && *value <= most))
    {
        fprintf(stderr, "weft: error: --%s '%s'; expected a number from %g to %g\n", option, text,
                least, most);
        return false;
    }
    return true;
}

static bool
take_query_option(struct query_arguments *a, int letter)
{
    double value;
    switch (letter)
    {
    case 'f':
        a->file = optarg;
        return true;
    case 'w':
        return take_other(a, optarg);
    case 'F':
        return take_format(optarg, &a->format);
    case 't':
        return take_value("timeout", optarg, 0.001, 1e6, &a->limits.seconds);
    case 'r':
        if (!take_value("rows", optarg, 1, 1e9, &value))
        {
            return false;
        }
        a->limits.rows = (size_t)value;
        return true;
    default:
        return false;
    }
}

/** The query's text; false after a message. */
static bool
take_query(struct query_arguments *a, const char *sql)
{
    char *why = NULL;
    a->from = a->file ? a->file : "weft query";
    a->sql = a->file ? file_read_path(a->file, MOST_BYTES, NULL, &why)
                     : xstrdup(sql ? sql : QUERY_OF_TABLES);
    if (!a->sql)
    {
        sweep_refuse(why, EXIT_BAD_INPUT);
    }
    return a->sql != NULL;
}

/** Returns -1 to go on, else the exit status. */
static int
take_arguments(int argc, char **argv, struct query_arguments *a)
{
    int letter;
    *a = (struct query_arguments){.limits = QUERY_LIMITS};
    optind = 1;
    while ((letter = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
    {
        if (letter == 'h')
        {
            fputs(help, stdout);
            return EXIT_GOOD;
        }
        if (!take_query_option(a, letter))
        {
            return EXIT_BAD_INPUT;
        }
    }
    const int n = argc - optind;
    if (n < 1 || n > (a->file ? 1 : 2))
    {
        fputs(help, stderr);
        return EXIT_BAD_INPUT;
    }
    a->results = argv[optind];
    return take_query(a, n > 1 ? argv[optind + 1] : NULL) ? -1 : EXIT_BAD_INPUT;
}

static int
print_rows(struct database *db, const struct query_arguments *a)
{
    struct query_mistake mistake;
    struct query_rows *rows = database_query(db, a->sql, a->limits, &mistake);
    struct text t = {0};
    if (!rows)
    {
        fprintf(stderr, "%s:%d: error: %s\n", a->from, mistake.line + 1, mistake.message);
        free(mistake.message);
        return EXIT_BAD_INPUT;
    }
    query_print(&t, rows, a->format);
    fputs(t.s, stdout);
    free(t.s);
    query_rows_free(rows);
    return EXIT_GOOD;
}

/** The results with the others attached; NULL with a sentence. */
static struct database *
open_all(const struct query_arguments *a, char **why)
{
    struct database *db = database_open(a->results, why);
    bool good = db != NULL;
    for (size_t i = 0; good && i < a->nothers; i++)
    {
        const char *equals = strchr(a->others[i], '=');
        char *name = xformat("%.*s", (int)(equals - a->others[i]), a->others[i]);
        good = database_attach(db, name, equals + 1, why);
        free(name);
    }
    if (!good)
    {
        database_close(db);
        db = NULL;
    }
    return db;
}

int
command_query(int argc, char **argv)
{
    struct query_arguments a;
    char *why = NULL;
    int status = take_arguments(argc, argv, &a);
    if (status >= 0)
    {
        return status;
    }
    struct database *db = open_all(&a, &why);
    status = db ? print_rows(db, &a) : sweep_refuse(why, EXIT_BAD_INPUT);
    database_close(db);
    free(a.sql);
    return status;
}
