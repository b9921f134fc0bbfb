/* SPDX-License-Identifier: GPL-2.0-only */
/* weft reproduce: all that a paper's claims rest on, run in one go. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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

static const char help[] =
    "usage: weft reproduce PAPER [OPTIONS]\n"
    "       weft reproduce [--list]\n\n"
    "Runs every scenario that the claims of a paper rest on, draws their figures, and "
    "writes its part of\n" VALIDATION
    ", which sets the claims beside the results, and the same as a page with all "
    "figures,\nRESULTS/PAPER/report.html. PAPER is the name of a file in " CLAIMS
    ". Interrupt it at any time: the\nsame command goes on where it was.\n\n"
    "  --quick               the quick version of each scenario that has one (its <quick>);\n"
    "                        prints a summary; the reports go to RESULTS/PAPER-quick/report.md "
    "and\n"
    "                        .html, tables and a line for each run to runs.log beside them\n"
    "  --only PATTERN        only scenarios whose file holds PATTERN (or matches, with * ? []);\n"
    "                        the same, to RESULTS/PAPER-part\n"
    "  --report              run nothing; only write the report\n"
    "  --results DIR         folder of all results (default: results in this folder)\n"
    "  -j, --jobs N          N processes at a time (default: one per core)\n"
    "  --no-figures          draw nothing\n"
    "  --list                the papers and their scenarios\n"
    "\nExit status: 0 all is well; 1 a run failed or something cannot be written; 2 a mistake in a "
    "file or\non the command line; 3 a figure could not be drawn. A scenario that fails does not "
    "stop the others.\n"
    "\nExamples:\n  weft reproduce themis --quick\n"
    "  weft reproduce themis -j 8 --results /scratch/results\n"
    "  weft reproduce themis --only fig1\n";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"quick", no_argument, NULL, 'q'},
    {"report", no_argument, NULL, 'R'},
    {"results", required_argument, NULL, 'r'},
    {"jobs", required_argument, NULL, 'j'},
    {"only", required_argument, NULL, 'O'},
    {"no-figures", no_argument, NULL, 'N'},
    {"list", no_argument, NULL, 'l'},
    {NULL, 0, NULL, 0},
};

struct reproduce_arguments
{
    const char *paper, *only;
    char *results;
    long jobs;
    bool quick, report_alone, no_figures, list;
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
options_of(const struct reproduce_arguments *a, const struct part *p)
{
    return (struct sweep_options){.out = p->out, .jobs = a->jobs, .log_interval = 60};
}

static struct parts
load_parts(const struct reproduce_arguments *a, struct document *claims)
{
    struct words scenarios = papers_scenarios(claims);
    struct parts parts = {0};
    const struct plan_options version = {.quick = a->quick ? QUICK_IF_ANY : QUICK_NO};
    const struct sweep_options wanted = {.only = a->only};
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
            p.out = xformat("%s/%s", a->results, p.loaded.plan->name);
            struct sweep_options options = options_of(a, &p);
            p.due = sweep_count_due(p.loaded.plan, &options);
            if (!a->report_alone && !results_folder_is_ours(p.out, &why))
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
run_parts(const struct reproduce_arguments *a, struct parts *parts, FILE *log)
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
            struct sweep_options options = options_of(a, p);
            announce(p, &whole);
            options.whole = &whole;
            fflush(stdout);
            p->status = loaded_sweep(&p->loaded, &options, !a->no_figures);
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

/** The folder for what the runs of a paper, or of a part of it, have to say. */
static char *
report_folder(const struct reproduce_arguments *a)
{
    return xformat("%s/%s%s", a->results, a->paper, a->quick ? "-quick" : a->only ? "-part" : "");
}

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
run_into(const struct reproduce_arguments *a, struct parts *parts, FILE *log)
{
    fflush(stdout);
    int terminal = dup(STDOUT_FILENO);
    bool good = terminal >= 0 && dup2(fileno(log), STDOUT_FILENO) >= 0;
    if (good)
    {
        run_parts(a, parts, log);
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
run_quietly(const struct reproduce_arguments *a, struct parts *parts)
{
    char *path = report_folder(a), *why = NULL;
    struct folder f = NO_FOLDER;
    FILE *log =
        results_folder_mark(path, &why) && folder_open(&f, path, &why) ? open_log(&f, &why) : NULL;
    bool good = log && run_into(a, parts, log);
    if (log)
    {
        good = fclose(log) == 0 && good;
        good = good && renameat(f.fd, NEW_LOG, f.fd, LOG) == 0;
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: %s%s\n", why ? why : "cannot write " LOG " in ",
                why ? "" : path);
    }
    folder_close(&f);
    free(why);
    free(path);
    return good;
}

/** Whether that folder may be written to. */
static bool
may_write_report(const struct reproduce_arguments *a)
{
    char *path = report_folder(a), *why = NULL;
    bool good = results_folder_is_ours(path, &why);
    if (!good)
    {
        sweep_refuse(why, EXIT_BAD_INPUT);
    }
    free(path);
    return good;
}

static int
report(const struct reproduce_arguments *a, struct document *claims)
{
    char *folder = report_folder(a);
    const int status = a->quick || a->only
                           ? paper_report_part(claims, a->results, folder)
                           : paper_report_whole(claims, a->paper, a->results, folder);
    if (status == EXIT_GOOD && (a->quick || a->only) && !a->report_alone)
    {
        printf("tables and runs: %s/" LOG "\n", folder);
    }
    free(folder);
    return status;
}

static int
reproduce(const struct reproduce_arguments *a)
{
    char *path = papers_claims(a->paper);
    struct document *claims = claims_read(path);
    free(path);
    if (!claims)
    {
        return EXIT_BAD_INPUT;
    }
    struct parts parts = load_parts(a, claims);
    const bool part = a->quick || a->only;
    int status = EXIT_GOOD;
    if (parts.n == 0)
    {
        fprintf(stderr,
                "weft: error: no scenario of '%s' matches '%s'; 'weft reproduce --list' "
                "names them\n",
                a->paper, a->only ? a->only : "");
        status = EXIT_BAD_INPUT;
    }
    else if (parts.refused || !may_write_report(a))
    {
        status = EXIT_BAD_INPUT;
    }
    else if (!a->report_alone)
    {
        if (part && !run_quietly(a, &parts))
        {
            status = EXIT_FAILED;
        }
        else if (!part)
        {
            run_parts(a, &parts, NULL);
        }
        status = status == EXIT_GOOD ? sum_up(&parts) : status;
    }
    bool whole = status == EXIT_GOOD || status == EXIT_NO_FIGURE;
    int reported = EXIT_GOOD;
    if (whole)
    {
        reported = report(a, claims);
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

/* --- the command ------------------------------------------------------------------------------ */

/** Returns -1 to go on, else the exit status. */
static int
take_arguments(int argc, char **argv, struct reproduce_arguments *a)
{
    int letter;
    optind = 1;
    while ((letter = getopt_long(argc, argv, "hj:", long_options, NULL)) != -1)
    {
        char *end = NULL;
        switch (letter)
        {
        case 'h':
            fputs(help, stdout);
            return EXIT_GOOD;
        case 'j':
            a->jobs = strtol(optarg, &end, 10);
            if (*end || end == optarg || a->jobs < 1 || a->jobs > 4096)
            {
                fprintf(stderr, "weft: error: --jobs '%s'; expected a number from 1 to 4096\n",
                        optarg);
                return EXIT_BAD_INPUT;
            }
            break;
        case 'r':
            free(a->results);
            a->results = xstrdup(optarg);
            break;
        case 'O':
            a->only = optarg;
            break;
        case 'q':
            a->quick = true;
            break;
        case 'R':
            a->report_alone = true;
            break;
        case 'N':
            a->no_figures = true;
            break;
        case 'l':
            a->list = true;
            break;
        default:
            fputs(help, stderr);
            return EXIT_BAD_INPUT;
        }
    }
    if (optind < argc - 1)
    {
        fputs(help, stderr);
        return EXIT_BAD_INPUT;
    }
    a->paper = optind < argc ? argv[optind] : NULL;
    return -1;
}

int
command_reproduce(int argc, char **argv)
{
    struct reproduce_arguments a = {.results = xstrdup("results")};
    int status = take_arguments(argc, argv, &a);
    if (status < 0)
    {
        status = EXIT_BAD_INPUT;
        struct words papers = {0};
        if (papers_go_to(&a.results))
        {
            papers = papers_find();
            status = a.list || !a.paper              ? papers_list(&papers)
                     : papers_know(&papers, a.paper) ? reproduce(&a)
                                                     : EXIT_BAD_INPUT;
        }
        words_free(&papers);
    }
    free(a.results);
    return status;
}
