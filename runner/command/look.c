/* SPDX-License-Identifier: GPL-2.0-only */
/* weft look: what went on inside a run. */
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "look.h"
#include "page.h"
#include "query.h"
#include "run-file.h"
#include "shown-text.h"

static bool
is_run(const char *name)
{
    const size_t n = strlen(name);
    return *name != '.' && n > 7 && strcmp(name + n - 7, ".sqlite") == 0;
}

/** Returns the path of the only run of a results folder, or of the file that it is itself; NULL
 * with a sentence. */
static char *
find_run(const char *path, char **why)
{
    struct stat st;
    OWNED char *runs = xformat("%s/runs", path);
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
    {
        return xstrdup(path);
    }
    DIR *dir = opendir(runs);
    char *found = NULL;
    size_t n = 0;
    for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        const bool first = is_run(e->d_name) && n++ == 0;
        found = first ? xformat("%s/%s", runs, e->d_name) : found;
    }
    if (dir)
    {
        closedir(dir);
    }
    if (n != 1)
    {
        *why = xformat("%s has %zu runs; expected the file of one%s%s", path, n,
                       n ? ", such as " : "", n ? found : "");
        free(found);
        return NULL;
    }
    return found;
}

static void
add_answer(struct text *t, struct database *db, const struct look_question *q, long qp)
{
    CLEANUP(query_rows_drop) struct query_rows *rows = look_ask(db, q, qp);
    if (!rows || rows->nrows == 0)
    {
        return;
    }
    text_add(t, "\n%s\n", q->heading);
    for (size_t i = 0; q->is_text && i < rows->nrows; i++)
    {
        query_cell_add(t, &rows->cells[i]);
        text_add(t, "\n");
    }
    if (!q->is_text)
    {
        query_print(t, rows, QUERY_AS_TEXT);
    }
}

/** Whether a run has a QP; else a sentence. */
static bool
has_qp(struct database *db, const char *name, long qp, char **why)
{
    OWNED char *sql = xformat("select max(qp), sum(qp = %ld) from run.qps", qp);
    CLEANUP(query_rows_drop) struct query_rows *known = results_ask(db, sql);
    const bool has = known->nrows > 0 && known->cells[1].integer > 0;
    *why = has ? NULL
               : xformat("--qp %ld; %s has QPs 0 to %lld", qp, name,
                         known->nrows ? (long long)known->cells[0].integer : 0);
    return has;
}

/** Prints what is known of a QP. */
static int
answer_of_qp(struct database *db, const char *name, long qp)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "QP %ld of %s\n", qp, name);
    for (size_t i = 0; look_question(true, i); i++)
    {
        add_answer(&t, db, look_question(true, i), qp);
    }
    if (!look_has_table(db, "paths"))
    {
        text_add(&t,
                 "\nThe same run with --set measure.paths=on, into a folder of its own, shows its "
                 "way.\n");
    }
    if (!look_has_table(db, "series"))
    {
        text_add(&t,
                 "\nThe same run with --set measure.qps=%ld --set measure.interval=1us, into a "
                 "folder of its own, shows it over time.\n",
                 qp);
    }
    print_shown(stdout, "%s", t.s);
    return EXIT_GOOD;
}

/** Prints the answers of a run. */
static int
answer(struct database *db, const char *name)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "%s\n", name);
    for (size_t i = 0; look_question(false, i); i++)
    {
        add_answer(&t, db, look_question(false, i), -1);
    }
    print_shown(stdout, "%s", t.s);
    return EXIT_GOOD;
}

/** Writes the page of a run, with the story of the QP that lost most if none is asked for. */
static int
write_page(struct database *db, const char *name, const struct arguments *a)
{
    char *why = NULL;
    CLEANUP(query_rows_drop)
    struct query_rows *straggler = results_ask(db, "select straggler_qp from run.summary");
    const bool has = straggler->nrows > 0 && straggler->cells[0].kind == QUERY_INTEGER;
    OWNED char *page = look_page(db, name,
                                 a->qp >= 0 ? a->qp
                                 : has      ? (long)straggler->cells[0].integer
                                            : -1);
    return page_deliver(page, a->output, &why) ? EXIT_GOOD
           : why                               ? sweep_refuse(why, EXIT_FAILED)
                                               : EXIT_FAILED;
}

static bool
has_links(sqlite3 *db)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(db, "SELECT 1 FROM run.sqlite_master WHERE name = 'links'", -1, &s, NULL);
    return sqlite3_step(s) == SQLITE_ROW;
}

int
command_look(const struct arguments *a)
{
    char *why = NULL;
    sqlite3 *own = run_file_reader();
    OWNED char *path = find_run(a->files[0], &why);
    OWNED char *name = path ? run_file_attach_path(own, path, &why) : NULL;
    if (name && !has_links(own))
    {
        why = xformat("%s does not list its links; expected a run with <measure links=\"on\"/>",
                      path);
    }
    CLEANUP(database_drop) struct database *db = why ? NULL : database_of(own, &why);
    if (!db)
    {
        return sweep_refuse(why, path ? EXIT_FAILED : EXIT_BAD_INPUT);
    }
    if (a->qp >= 0 && !has_qp(db, name, a->qp, &why))
    {
        return sweep_refuse(why, EXIT_BAD_INPUT);
    }
    return a->output    ? write_page(db, name, a)
           : a->qp >= 0 ? answer_of_qp(db, name, a->qp)
                        : answer(db, name);
}
