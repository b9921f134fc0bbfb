/* SPDX-License-Identifier: GPL-2.0-only */
/* weft look: what went on inside a run. */
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "query.h"
#include "run-file.h"
#include "shown-text.h"

#define DROPPED "dropped_buffer + dropped_link + dropped_lossy + dropped_corrupted"

/* Columns that tell of a link. */
#define ABOUT                                                                                      \
    "select link, round(100 * busy_share, 1) as \"busy_%\", round(bytes / 1e6, 3) as MB, "         \
    "round(queue_peak_bytes / 1e3, 1) as peak_queue_KB, marked, " DROPPED " as dropped, "          \
    "round(paused_us, 1) as paused_us, round(down_us, 1) as down_us, "                             \
    "round(lossy_us, 1) as lossy_us from run.links "

/** What is asked of the links, each with its heading. Nothing is printed of one without rows. */
static const struct question
{
    const char *heading, *sql;
} questions[] = {
    {"the links that were busy longest",
     ABOUT "order by busy_share desc, queue_peak_bytes desc, rowid limit 10"},
    {"how evenly the links of a layer were used",
     "with layer as (select layer, count(*) as links, avg(bytes) as mean, max(bytes) as most, "
     "min(bytes) as least, min(rowid) as first from run.links group by layer) "
     "select layer, links, round(mean / 1e6, 3) as mean_MB, "
     "round(most / mean, 2) as most_by_mean, "
     "(select link from run.links l where l.layer = layer.layer order by bytes desc, rowid limit "
     "1) as most_used, round(least / mean, 2) as least_by_mean, "
     "(select link from run.links l where l.layer = layer.layer order by bytes, rowid limit 1) "
     "as least_used from layer where mean > 0 order by first"},
    {"the links that lost frames, were paused, dead or lossy (ten at most)",
     ABOUT "where " DROPPED " > 0 or paused_us > 0 or down_us > 0 or lossy_us > 0 "
           "order by dropped desc, down_us + lossy_us desc, paused_us desc, rowid limit 10"},
};

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

/** Prints the answers of a run. */
static int
answer(struct database *db, const char *name)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "%s\n", name);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
    {
        CLEANUP(query_rows_drop) struct query_rows *rows = results_ask(db, questions[i].sql);
        if (rows->nrows > 0)
        {
            text_add(&t, "\n%s\n", questions[i].heading);
            query_print(&t, rows, QUERY_AS_TEXT);
        }
    }
    print_shown(stdout, "%s", t.s);
    return EXIT_GOOD;
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
    return answer(db, name);
}
