/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that work on results. */
#include "commands.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "diagnostics.h"
#include "export.h"
#include "files.h"
#include "open-data.h"
#include "query.h"
#include "results-page.h"
#include "run-file.h"
#include "shown-text.h"
#include "stylesheets.h"

/* --- weft export ------------------------------------------------------------------------------ */

/** Exports the file of a run into a folder of its name in @p to. */
static bool
export_file(sqlite3 *db, const char *path, const struct folder *to, char **why)
{
    CLEANUP(folder_close) struct folder run = NO_FOLDER;
    OWNED char *name = run_file_attach_path(db, path, why);
    return name && folder_make_in(&run, to, name, why) && export_run(db, &run, why);
}

int
command_export(const struct arguments *a)
{
    CLEANUP(folder_close) struct folder to = NO_FOLDER;
    const char *out = a->to ? a->to : ".";
    char *why = NULL;
    sqlite3 *db = run_file_reader();
    bool good = folder_make(out, &why) && folder_open(&to, out, &why);
    for (int i = 0; good && i < a->nfiles; i++)
    {
        good = export_file(db, a->files[i], &to, &why);
    }
    sqlite3_close(db);
    return good ? EXIT_GOOD : sweep_refuse(why, EXIT_FAILED);
}

/* --- weft query ------------------------------------------------------------------------------- */

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
    print_shown(stderr, "weft: error: --format '%s'; expected text, csv, markdown or json%s\n",
                name, did_you_mean(near.best));
    return false;
}

/** The file of results that are kept with the sources; NULL with a sentence. */
static char *
find_data(const char *name, char **why)
{
    OWNED char *folder = checkout_path(OPEN_DATA);
    if (!folder)
    {
        *why = xstrdup("there is no folder " OPEN_DATA " here");
    }
    return folder ? open_data_find(folder, name, why) : NULL;
}

/** Opens other results as NAME=RESULTS says; with open data RESULTS may be a name, too. */
static bool
attach(struct database *db, const char *text, const struct arguments *a, char **why)
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
    const char *results = text + n + 1;
    for (char **before = a->others.word; *before != text; before++)
    {
        if (strncmp(*before, text, n + 1) == 0)
        {
            *why = xformat("--with '%s'; expected another name than before", text);
            return false;
        }
    }
    OWNED char *path =
        a->open_data && access(results, F_OK) != 0 ? find_data(results, why) : xstrdup(results);
    return path && database_attach(db, name, path, why);
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
    OWNED char *path = a->open_data ? find_data(a->files[0], why) : xstrdup(a->files[0]);
    struct database *db = path ? database_open_within(path, a->timeout, why) : NULL;
    bool good = db && (!a->beside || database_put_beside(db, a->beside, why));
    for (size_t i = 0; good && i < a->others.n; i++)
    {
        good = attach(db, a->others.word[i], a, why);
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
           enum query_format format, double spent)
{
    struct query_limits limits = QUERY_LIMITS;
    struct query_mistake mistake;
    limits.seconds = a->timeout;
    limits.spent = spent;
    limits.rows = (size_t)a->rows;
    CLEANUP(query_rows_drop) struct query_rows *rows = database_query(db, sql, limits, &mistake);
    CLEANUP(text_drop) struct text t = {0};
    if (!rows)
    {
        print_shown(stderr, "%s:%d: error: %s\n", a->query_file ? a->query_file : "weft query",
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
    const double start = clock_seconds();
    OWNED char *sql = read_query(a, &why);
    CLEANUP(database_drop) struct database *db = sql ? open_all(a, &why) : NULL;
    return db ? print_rows(db, a, sql, format, clock_seconds() - start)
              : sweep_refuse(why, EXIT_BAD_INPUT);
}

/* --- weft report ------------------------------------------------------------------------------ */

int
command_report(const struct arguments *a)
{
    char *why = NULL;
    for (int i = 0; i < a->nfiles; i++)
    {
        struct stat st;
        if (stat(a->files[i], &st) == 0 && !S_ISDIR(st.st_mode))
        {
            return sweep_refuse(xformat("%s is no folder; expected folders of results (files "
                                        "of claims are './weft report FILE.xml')",
                                        a->files[i]),
                                EXIT_BAD_INPUT);
        }
    }
    xmlDoc *page = results_page(a->files, (size_t)a->nfiles, a->output);
    OWNED char *text = page ? page_write(page, html_stylesheet, NULL) : NULL;
    xmlFreeDoc(page);
    return !text                                 ? EXIT_BAD_INPUT
           : page_deliver(text, a->output, &why) ? EXIT_GOOD
           : why                                 ? sweep_refuse(why, EXIT_FAILED)
                                                 : EXIT_FAILED;
}
