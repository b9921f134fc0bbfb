/* SPDX-License-Identifier: GPL-2.0-only */
/* weft reproduce: all that a paper's claims rest on, run in one go. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "files.h"
#include "loaded.h"
#include "papers.h"
#include "provenance.h"
#include "report-summary.h"
#include "report.h"
#include "results-folder.h"
#include "textbuf.h"
#include "validation.h"

#define REPORT  "docs/validation.md"
#define LOG     "runs.log"
#define NEW_LOG ".tmp-" LOG

static const char help[] =
    "usage: weft reproduce PAPER [OPTIONS]\n"
    "       weft reproduce [--list]\n\n"
    "Runs every scenario that the claims of a paper rest on, draws their figures, and "
    "writes its part of\n" REPORT
    ", which sets the claims beside the results. PAPER is the name of a file in\n" CLAIMS
    ". Interrupt it at any time: the same command goes on where it was.\n\n"
    "  --quick               the quick version of each scenario that has one (its <quick>);\n"
    "                        prints a summary; the report goes to RESULTS/PAPER-quick/report.md,\n"
    "                        tables and a line for each run to runs.log beside it\n"
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

/** Everything that names the results folder @p was names @p is. */
static void
rename_results(struct element *e, const char *was, const char *is)
{
    const char *results = element_value(e, "results");
    if (results && strcmp(results, was) == 0)
    {
        element_set(e, "results", is, element_line(e, "results"), false);
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        rename_results(e->children[i], was, is);
    }
}

/** The claims look at what was run: at the results of the quick version, which is called @p quick
 * and made by 'weft run @p with', instead of the full ones. */
static void
point_claims(struct document *claims, const char *scenario, const char *with, const char *quick)
{
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        struct element *e = claims->root->children[i];
        const char *named = element_value(e, "scenario"), *results = element_value(e, "results");
        if (named && strcmp(named, scenario) == 0 && results)
        {
            char *was = xstrdup(results);
            rename_results(claims->root, was, quick);
            element_set(e, "scenario", with, element_line(e, "scenario"), false);
            free(was);
        }
    }
}

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
                point_claims(claims, path, p.name, p.loaded.plan->name);
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

/* --- the report ------------------------------------------------------------------------------- */

/** Sections with results, and sections that want some. */
static void
count_results(const struct document *claims, const char *results, size_t *have, size_t *want)
{
    *have = *want = 0;
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        const char *name = element_value(claims->root->children[i], "results");
        if (name)
        {
            char *path = xformat("%s/%s/summary.csv", results, name);
            *have += access(path, F_OK) == 0;
            ++*want;
            free(path);
        }
    }
}

/** What is there now; "" if there is nothing, NULL after a message if it cannot be read. */
static char *
read_report(void)
{
    char *why = NULL;
    if (access(REPORT, F_OK) != 0 && errno == ENOENT)
    {
        return xstrdup("");
    }
    char *text = file_read_path(REPORT, SIZE_MAX, NULL, &why);
    if (!text)
    {
        sweep_refuse(why, EXIT_FAILED);
    }
    return text;
}

/** Writes the paper's part of the report anew; those of other papers stay. */
static int
write_report(const char *paper, const char *results)
{
    char *path = papers_claims(paper);
    struct document *claims = claims_read(path);
    int status = EXIT_BAD_INPUT;
    if (claims)
    {
        size_t have, want;
        count_results(claims, results, &have, &want);
        fprintf(stderr, "%s: results of %zu of %zu sections\n", paper, have, want);
        const struct report_options options = {results, true, REPORT_LIMITS};
        char *part = have ? report_write(&claims, 1, &options) : NULL;
        char *old = read_report();
        char *text = part && old ? validation_replace(old, path, part) : NULL;
        status = text ? report_deliver(text, REPORT) : part && !old ? EXIT_FAILED : EXIT_BAD_INPUT;
        free(text);
        free(old);
        free(part);
    }
    fprintf(stderr, status == EXIT_GOOD ? "written: " REPORT "\n" : REPORT " is as it was\n");
    document_free(claims);
    free(path);
    return status;
}

/** The folder for what a part of the paper's runs has to say, beside their results. */
static char *
part_folder(const struct reproduce_arguments *a)
{
    return xformat("%s/%s-%s", a->results, a->paper, a->quick ? "quick" : "part");
}

/** The report of a part: in a file; in short on standard output. */
static int
report_part(const struct reproduce_arguments *a, struct document *claims)
{
    const struct report_options options = {a->results, true, REPORT_LIMITS};
    char *text = report_write(&claims, 1, &options), *why = NULL;
    char *folder = part_folder(a), *path = xformat("%s/report.md", folder);
    int status = !text                                ? EXIT_BAD_INPUT
                 : !results_folder_mark(folder, &why) ? sweep_refuse(why, EXIT_FAILED)
                                                      : report_deliver(text, path);
    if (status == EXIT_GOOD)
    {
        report_summary(text, stdout);
        printf("\nthe report: %s\n", path);
        if (!a->report_alone)
        {
            printf("tables and runs: %s/" LOG "\n", folder);
        }
    }
    free(path);
    free(folder);
    free(text);
    return status;
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
    char *path = part_folder(a), *why = NULL;
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

/** Whether the part's folder may be written to. */
static bool
may_write_part(const struct reproduce_arguments *a)
{
    char *path = part_folder(a), *why = NULL;
    bool good = results_folder_is_ours(path, &why);
    if (!good)
    {
        sweep_refuse(why, EXIT_BAD_INPUT);
    }
    free(path);
    return good;
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
    else if (parts.refused || (part && !may_write_part(a)))
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
        reported = part ? report_part(a, claims) : write_report(a->paper, a->results);
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
