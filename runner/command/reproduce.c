/* SPDX-License-Identifier: GPL-2.0-only */
/* weft reproduce: all that a paper's claims rest on, run in one go. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims-quick.h"
#include "commands.h"
#include "files.h"
#include "loaded.h"
#include "paper-report.h"
#include "papers.h"
#include "provenance.h"
#include "report.h"
#include "results-folder.h"
#include "textbuf.h"
#include "validation.h"

#define LOG     "runs.log"
#define NEW_LOG ".tmp-" LOG

struct reproduction
{
    const struct arguments *options;
    const char *paper;
    char *results; /**< where they are from the checkout */
    char *folder;  /**< for what the runs of the paper, or of a part of it, have to say */
    bool part;     /**< not all runs in full */
};

/** A scenario that claims name. */
struct part
{
    char *name; /**< of the file that is run, for messages */
    struct loaded loaded;
    bool good; /**< it was loaded */
    char *out;
    size_t due;
    int status;
};

struct parts
{
    struct part *part;
    size_t n;
    bool refused; /**< results of one belong into a folder that is not Weft's */
};

/* --- running ---------------------------------------------------------------------------------- */

static struct sweep_options
options_of(const struct reproduction *r, const struct part *p)
{
    return (struct sweep_options){
        .out = p->out, .jobs = r->options->sweep.jobs, .log_interval = 60};
}

static struct parts
load_parts(const struct reproduction *r, struct document *claims)
{
    struct words scenarios = papers_scenarios(claims);
    struct parts parts = {0};
    const struct plan_options version = {.quick = r->options->quick ? QUICK_IF_ANY : QUICK_NO};
    const struct sweep_options wanted = {.only = r->options->sweep.only};
    for (size_t i = 0; i < scenarios.n; i++)
    {
        const char *path = scenarios.word[i];
        char *why = NULL;
        if (!run_is_selected(&wanted, path))
        {
            continue;
        }
        struct part p = {0};
        p.good = loaded_read(path, &version, &p.loaded);
        const bool quick = p.good && p.loaded.doc->quick;
        p.name = xformat("%s%s", path, p.good ? document_option(p.loaded.doc) : "");
        p.status = p.good ? EXIT_GOOD : EXIT_BAD_INPUT;
        if (p.good)
        {
            p.out = xformat("%s/%s", r->results, p.loaded.plan->name);
            struct sweep_options options = options_of(r, &p);
            p.due = sweep_count_due(p.loaded.plan, &options);
            if (!r->options->report_alone && !results_folder_is_ours(p.out, &why))
            {
                sweep_refuse(why, EXIT_BAD_INPUT);
                parts.refused = true;
            }
            if (quick)
            {
                claims_use_quick(claims, path, p.name, p.loaded.plan->name);
            }
        }
        ARRAY_GROW(parts.part, parts.n);
        parts.part[parts.n++] = p;
    }
    words_free(&scenarios);
    return parts;
}

static void
free_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
    {
        if (parts->part[i].good)
        {
            loaded_free(&parts->part[i].loaded);
        }
        free(parts->part[i].name);
        free(parts->part[i].out);
    }
    free(parts->part);
}

/** One line that says how far all of it is. */
static void
announce(const struct part *p, const struct progress_whole *w)
{
    char left[32] = "";
    double elapsed = clock_seconds() - w->start;
    if (p->due == 0)
    {
        fprintf(stderr,
                "\n[scenario %zu of %zu] %s: its %zu runs are there already; none is to do\n",
                w->sweep, w->nsweeps, p->name, p->loaded.plan->nruns);
        return;
    }
    if (w->before > 0 && w->total > w->before)
    {
        duration_text(left, sizeof left,
                      elapsed * (double)(w->total - w->before) / (double)w->before);
    }
    fprintf(stderr,
            "\n[scenario %zu of %zu] %s: %zu of %zu runs to do; %zu of %zu in all are done%s%s%s\n",
            w->sweep, w->nsweeps, p->name, p->due, p->loaded.plan->nruns, w->before, w->total,
            *left ? ", " : "", left, *left ? " left" : "");
}

/** Runs all of them, whatever becomes of the others, until it is interrupted. @p log: where runs
 * that end well say so; NULL: on the terminal. */
static void
run_parts(const struct reproduction *r, struct parts *parts, FILE *log)
{
    struct progress_whole whole = {.nsweeps = parts->n, .start = clock_seconds(), .log = log};
    for (size_t i = 0; i < parts->n; i++)
    {
        whole.total += parts->part[i].due;
    }
    for (size_t i = 0; i < parts->n; i++)
    {
        struct part *p = &parts->part[i];
        whole.sweep = i + 1;
        if (sweep_was_interrupted())
        {
            p->status = EXIT_FAILED;
        }
        else if (p->good)
        {
            struct sweep_options options = options_of(r, p);
            announce(p, &whole);
            options.whole = &whole;
            fflush(stdout);
            p->status = loaded_sweep(&p->loaded, &options, !r->options->no_figures);
            whole.before += p->due;
        }
    }
}

static int
sum_up(const struct parts *parts)
{
    int status = EXIT_GOOD;
    for (size_t i = 0; i < parts->n; i++)
    {
        const struct part *p = &parts->part[i];
        if (p->status != EXIT_GOOD)
        {
            fprintf(stderr, "weft: error: %s: %s\n", p->name,
                    p->status == EXIT_NO_FIGURE   ? "a figure could not be drawn"
                    : p->status == EXIT_BAD_INPUT ? "there are mistakes in it; it was not run"
                                                  : "not every run ended well");
        }
        bool worse = status == EXIT_GOOD || status == EXIT_NO_FIGURE ||
                     (status == EXIT_BAD_INPUT && p->status == EXIT_FAILED);
        status = worse && p->status != EXIT_GOOD ? p->status : status;
    }
    return status;
}

/* --- beside the results ----------------------------------------------------------------------- */

/** Opens a file that gets its name when it is complete. */
static FILE *
open_log(const struct folder *f, char **why)
{
    unlinkat(f->fd, NEW_LOG, 0); /* of a process that was killed */
    int fd = openat(f->fd, NEW_LOG, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
    {
        *why = xformat("cannot write %s/" NEW_LOG ": %s", f->path, strerror(errno));
    }
    return fd < 0 ? NULL : fdopen(fd, "w");
}

/** Runs them while standard output is the log. */
static bool
run_into(const struct reproduction *r, struct parts *parts, FILE *log)
{
    fflush(stdout);
    int terminal = dup(STDOUT_FILENO);
    bool good = terminal >= 0 && dup2(fileno(log), STDOUT_FILENO) >= 0;
    if (good)
    {
        run_parts(r, parts, log);
        good = fflush(stdout) == 0;
        good = dup2(terminal, STDOUT_FILENO) >= 0 && good;
    }
    if (terminal >= 0)
    {
        close(terminal);
    }
    return good && fflush(log) == 0 && !ferror(log);
}

/** Sends what runs and tables say to a file while @p parts are run. */
static bool
run_quietly(const struct reproduction *r, struct parts *parts)
{
    char *why = NULL;
    struct folder f = NO_FOLDER;
    FILE *log = results_folder_mark(r->folder, &why) && folder_open(&f, r->folder, &why)
                    ? open_log(&f, &why)
                    : NULL;
    bool good = log && run_into(r, parts, log);
    if (log)
    {
        good = fclose(log) == 0 && good;
        good = good && renameat(f.fd, NEW_LOG, f.fd, LOG) == 0;
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: %s%s\n", why ? why : "cannot write " LOG " in ",
                why ? "" : r->folder);
    }
    folder_close(&f);
    free(why);
    return good;
}

static int
report(const struct reproduction *r, struct document *claims)
{
    if (!r->part)
    {
        return paper_report_whole(claims, r->paper, r->results, r->folder);
    }
    const int status = paper_report_part(claims, r->results, r->folder);
    if (status == EXIT_GOOD && !r->options->report_alone)
    {
        printf("tables and runs: %s/" LOG "\n", r->folder);
    }
    return status;
}

/** Runs what is to be run; an exit status. */
static int
run_all(const struct reproduction *r, struct parts *parts)
{
    const char *only = r->options->sweep.only;
    char *why = NULL;
    if (parts->n == 0)
    {
        why = xformat("no scenario of '%s' matches '%s'; 'weft reproduce --list' names them",
                      r->paper, only ? only : "");
        return sweep_refuse(why, EXIT_BAD_INPUT);
    }
    if (!parts->refused && !results_folder_is_ours(r->folder, &why))
    {
        return sweep_refuse(why, EXIT_BAD_INPUT);
    }
    if (parts->refused || r->options->report_alone)
    {
        return parts->refused ? EXIT_BAD_INPUT : EXIT_GOOD;
    }
    if (r->part && !run_quietly(r, parts))
    {
        return EXIT_FAILED;
    }
    if (!r->part)
    {
        run_parts(r, parts, NULL);
    }
    return sum_up(parts);
}

static int
reproduce(const struct reproduction *r)
{
    char *path = papers_claims(r->paper);
    struct document *claims = claims_read(path);
    free(path);
    if (!claims)
    {
        return EXIT_BAD_INPUT;
    }
    struct parts parts = load_parts(r, claims);
    int status = run_all(r, &parts), reported = EXIT_GOOD;
    if (status == EXIT_GOOD || status == EXIT_NO_FIGURE)
    {
        reported = report(r, claims);
    }
    else if (parts.n)
    {
        fprintf(stderr,
                "weft: no report is written; the same command goes on where this one ended\n");
    }
    free_parts(&parts);
    document_free(claims);
    return reported != EXIT_GOOD ? reported : status;
}

int
command_reproduce(const struct arguments *a)
{
    struct reproduction r = {.options = a,
                             .paper = a->nfiles ? a->files[0] : NULL,
                             .results = xstrdup(a->results),
                             .part = a->quick || a->sweep.only};
    struct words papers = {0};
    int status = EXIT_BAD_INPUT;
    if (papers_go_to(&r.results))
    {
        papers = papers_find();
        r.folder = xformat("%s/%s%s", r.results, r.paper ? r.paper : "",
                           a->quick ? "-quick"
                           : r.part ? "-part"
                                    : "");
        status = a->list || !r.paper             ? papers_list(&papers)
                 : papers_know(&papers, r.paper) ? reproduce(&r)
                                                 : EXIT_BAD_INPUT;
    }
    words_free(&papers);
    free(r.folder);
    free(r.results);
    return status;
}
