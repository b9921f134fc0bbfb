/* SPDX-License-Identifier: GPL-2.0-only */
/* weft reproduce: all that the claims of a paper, or of all papers, rest on, run in one go. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "commands.h"
#include "experiment.h"
#include "files.h"
#include "papers.h"
#include "report-verdict.h"
#include "report.h"
#include "results-folder.h"
#include "shown-text.h"
#include "textbuf.h"

#define LOG     "runs.log"
#define NEW_LOG ".tmp-" LOG

/** Behind a paper's name: the folders of reports on its quick version, and on a part of it. */
#define QUICK "-quick"
#define PART  "-part"

/** A scenario that claims name. */
struct part
{
    char *path, *name; /**< of its file; and of what is run of it, for messages */
    struct experiment experiment;
    bool good;    /**< it was loaded */
    bool refused; /**< its results belong into a folder that is not Weft's */
    bool waits;   /**< for its turn */
    char *out;
    size_t due;
    int status;
};

struct paper
{
    const char *name;
    struct document *claims; /**< NULL: there are mistakes in them */
    struct words scenarios;  /**< files of those that are wanted */
    char *folder;            /**< for what the runs of the paper, or of a part of it, have to say */
    int status;
};

struct reproduction
{
    const struct arguments *options;
    char *results;             /**< where they are from the checkout */
    char *data, *save_data;    /**< likewise, folders of open data; NULL: none */
    bool alone;                /**< the report: nothing is run */
    bool part;                 /**< not all runs in full */
    const struct words *known; /**< papers, wanted or not */
    struct paper *papers;
    size_t npapers;
    struct part *parts; /**< of all papers, each scenario once */
    size_t nparts;
    struct progress_whole whole;
};

/** The worse of two exit statuses. */
static int
worst(int a, int b)
{
    static const int rank[] = {
        [EXIT_GOOD] = 0, [EXIT_NO_FIGURE] = 1, [EXIT_BAD_INPUT] = 2, [EXIT_FAILED] = 3};
    return rank[a] < rank[b] ? b : a;
}

/* --- loading ---------------------------------------------------------------------------------- */

static struct sweep_options
options_of(const struct reproduction *r, const struct part *p)
{
    return (struct sweep_options){
        .out = p->out, .jobs = r->options->sweep.jobs, .log_interval = 60};
}

/** The scenario of that file; NULL: no paper has named it yet. */
static struct part *
part_of(const struct reproduction *r, const char *path)
{
    for (size_t i = 0; i < r->nparts; i++)
    {
        if (strcmp(r->parts[i].path, path) == 0)
        {
            return &r->parts[i];
        }
    }
    return NULL;
}

static struct part *
load_part(struct reproduction *r, const char *path)
{
    const struct plan_options version = {.quick = r->options->quick ? QUICK_IF_ANY : QUICK_NO};
    struct part p = {.path = xstrdup(path)};
    char *why = NULL;
    p.good = experiment_read(path, &version, &p.experiment);
    p.name = xformat("%s%s", path, p.good ? document_option(p.experiment.doc) : "");
    p.status = p.good ? EXIT_GOOD : EXIT_BAD_INPUT;
    if (p.good)
    {
        p.out = xformat("%s/%s", r->results, p.experiment.plan->name);
        struct sweep_options options = options_of(r, &p);
        p.due = sweep_count_due(p.experiment.plan, &options);
        p.refused = !r->alone && !results_folder_is_ours(p.out, &why);
    }
    if (p.refused)
    {
        sweep_refuse(why, EXIT_BAD_INPUT);
    }
    ARRAY_GROW(r->parts, r->nparts);
    r->parts[r->nparts] = p;
    return &r->parts[r->nparts++];
}

/** Whether @p name is @p paper with an ending, or none. */
static bool
is_folder_of(const char *name, const char *paper)
{
    const size_t n = strlen(paper);
    const char *rest = name + n;
    return strncmp(name, paper, n) == 0 &&
           (!*rest || strcmp(rest, QUICK) == 0 || strcmp(rest, PART) == 0);
}

/** Whether the scenario's results are to lie where a report on any paper is; then says so. */
static bool
lies_in_reports_folder(const struct reproduction *r, const struct part *p)
{
    const char *of = NULL;
    for (size_t i = 0; p->good && !of && i < r->known->n; i++)
    {
        of = is_folder_of(p->experiment.plan->name, r->known->word[i]) ? r->known->word[i] : NULL;
    }
    if (of)
    {
        sweep_refuse(
            xformat("%s: the scenario's results and the report of %s would both lie in %s; "
                    "expected a scenario of another name",
                    p->path, of, p->out),
            EXIT_BAD_INPUT);
    }
    return of != NULL;
}

/** Takes a scenario of the paper; false after a message if its results cannot go where they are to.
 */
static bool
take_scenario(struct reproduction *r, struct paper *paper, const char *path)
{
    const struct part *known = part_of(r, path), *p = known ? known : load_part(r, path);
    words_add(&paper->scenarios, xstrdup(path));
    if (p->good && p->experiment.doc->quick)
    {
        claims_use_quick(paper->claims, path, p->name, p->experiment.plan->name);
    }
    return !lies_in_reports_folder(r, p) && !p->refused;
}

/** Loads the paper's scenarios and says what speaks against it before anything is run. */
static void
load_paper(struct reproduction *r, struct paper *paper)
{
    const struct sweep_options wanted = {.only = r->options->sweep.only};
    char *path = papers_claims(paper->name), *why = NULL;
    CLEANUP(words_free) struct words named = {0};
    paper->claims = claims_read(path);
    bool good = paper->claims != NULL;
    if (good)
    {
        named = papers_scenarios(paper->claims);
    }
    for (size_t i = 0; i < named.n; i++)
    {
        if (run_is_selected(&wanted, named.word[i]))
        {
            good = take_scenario(r, paper, named.word[i]) && good;
        }
    }
    if (good && paper->scenarios.n && !results_folder_is_ours(paper->folder, &why))
    {
        good = false;
        sweep_refuse(why, EXIT_BAD_INPUT);
    }
    paper->status = good ? EXIT_GOOD : EXIT_BAD_INPUT;
    free(path);
}

/** Counts what is to be run. */
static void
count_parts(struct reproduction *r, const struct paper *paper)
{
    for (size_t i = 0; paper->status == EXIT_GOOD && i < paper->scenarios.n; i++)
    {
        struct part *p = part_of(r, paper->scenarios.word[i]);
        r->whole.nsweeps += !p->waits;
        r->whole.total += p->waits ? 0 : p->due;
        p->waits = true;
    }
}

static void
free_all(struct reproduction *r)
{
    for (size_t i = 0; i < r->nparts; i++)
    {
        if (r->parts[i].good)
        {
            experiment_free(&r->parts[i].experiment);
        }
        free(r->parts[i].path);
        free(r->parts[i].name);
        free(r->parts[i].out);
    }
    for (size_t i = 0; i < r->npapers; i++)
    {
        document_free(r->papers[i].claims);
        words_free(&r->papers[i].scenarios);
        free(r->papers[i].folder);
    }
    free(r->parts);
    free(r->papers);
    free(r->results);
    free(r->data);
    free(r->save_data);
}

/* --- running ---------------------------------------------------------------------------------- */

/** Prints one line that says how far all of it is. */
static void
announce(const struct part *p, const struct progress_whole *w)
{
    char left[32] = "";
    double elapsed = clock_seconds() - w->start;
    if (p->due == 0)
    {
        print_shown(stderr,
                    "\n[scenario %zu of %zu] %s: its %zu runs are there already; none is to do\n",
                    w->sweep, w->nsweeps, p->name, p->experiment.plan->nruns);
        return;
    }
    if (w->before > 0 && w->total > w->before)
    {
        duration_text(left, sizeof left,
                      elapsed * (double)(w->total - w->before) / (double)w->before);
    }
    print_shown(
        stderr,
        "\n[scenario %zu of %zu] %s: %zu of %zu runs to do; %zu of %zu in all are done%s%s%s\n",
        w->sweep, w->nsweeps, p->name, p->due, p->experiment.plan->nruns, w->before, w->total,
        *left ? ", " : "", left, *left ? " left" : "");
}

/** Runs a paper's scenarios, whatever becomes of the others, until it is interrupted. */
static void
run_parts(struct reproduction *r, const struct paper *paper)
{
    for (size_t i = 0; i < paper->scenarios.n; i++)
    {
        struct part *p = part_of(r, paper->scenarios.word[i]);
        if (!p->waits)
        {
            continue; /* an earlier paper's, too */
        }
        p->waits = false;
        r->whole.sweep++;
        if (sweep_was_interrupted())
        {
            p->status = EXIT_FAILED;
        }
        else if (p->good)
        {
            struct sweep_options options = options_of(r, p);
            announce(p, &r->whole);
            options.whole = &r->whole;
            fflush(stdout);
            p->status = experiment_sweep(&p->experiment, &options, !r->options->no_figures);
            r->whole.before += p->due;
        }
    }
}

static int
sum_up(const struct reproduction *r, const struct paper *paper)
{
    int status = EXIT_GOOD;
    for (size_t i = 0; i < paper->scenarios.n; i++)
    {
        const struct part *p = part_of(r, paper->scenarios.word[i]);
        if (p->status != EXIT_GOOD)
        {
            print_shown(stderr, "weft: error: %s: %s\n", p->name,
                        p->status == EXIT_NO_FIGURE   ? "a figure could not be drawn"
                        : p->status == EXIT_BAD_INPUT ? "there are mistakes in it; it was not run"
                                                      : "not every run ended well");
        }
        status = worst(status, p->status);
    }
    return status;
}

/* --- beside the results ----------------------------------------------------------------------- */

/** Opens a file that gets its name when it is complete. */
static int
open_log(const struct folder *f)
{
    unlinkat(f->fd, NEW_LOG, 0); /* of a process that was killed */
    return openat(f->fd, NEW_LOG, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/** Sends what runs and tables say to a file while a paper's scenarios are run. */
static bool
run_quietly(struct reproduction *r, const struct paper *paper)
{
    char *why = NULL;
    CLEANUP(folder_close) struct folder f = NO_FOLDER;
    const bool there = results_folder_mark(paper->folder, &why) &&
                       folder_open(&f, paper->folder, &why) && fflush(stdout) == 0;
    const int log = there ? open_log(&f) : -1, terminal = log < 0 ? -1 : dup(STDOUT_FILENO);
    bool good = terminal >= 0 && dup2(log, STDOUT_FILENO) >= 0;
    if (good)
    {
        r->whole.log = stdout;
        run_parts(r, paper);
        r->whole.log = NULL;
        good = fflush(stdout) == 0 && !ferror(stdout);
        good = dup2(terminal, STDOUT_FILENO) >= 0 && good && close(terminal) == 0 &&
               close(log) == 0 && renameat(f.fd, NEW_LOG, f.fd, LOG) == 0;
    }
    if (!good)
    {
        sweep_refuse(
            why ? why : xformat("cannot write %s/" LOG ": %s", paper->folder, strerror(errno)), 0);
    }
    return good;
}

static int
report(const struct reproduction *r, const struct paper *paper)
{
    const struct paper_sources from = {r->results, r->data};
    if (!r->part)
    {
        return paper_report_whole(paper->claims, paper->name, &from, paper->folder);
    }
    const int status = paper_report_part(paper->claims, &from, paper->folder);
    if (status == EXIT_GOOD && !r->alone)
    {
        print_shown(stdout, "tables and runs: %s/" LOG "\n", paper->folder);
    }
    return status;
}

/** Runs what is to be run for a paper; an exit status. */
static int
run_paper(struct reproduction *r, const struct paper *paper)
{
    if (r->alone)
    {
        return EXIT_GOOD;
    }
    if (r->part && !run_quietly(r, paper))
    {
        return EXIT_FAILED;
    }
    if (!r->part)
    {
        run_parts(r, paper);
    }
    return sum_up(r, paper);
}

static int
reproduce_paper(struct reproduction *r, const struct paper *paper)
{
    const int status = run_paper(r, paper);
    if (status != EXIT_GOOD && status != EXIT_NO_FIGURE)
    {
        print_shown(
            stderr,
            "weft: no report of %s is written; the same command goes on where this one ended\n",
            paper->name);
        return status;
    }
    return worst(report(r, paper), status);
}

/** Lists the papers that @p wanted names. */
static void
choose_papers(struct reproduction *r, const struct words *papers, const char *wanted)
{
    const bool all = strcmp(wanted, PAPERS_ALL) == 0;
    for (size_t i = 0; i < papers->n; i++)
    {
        if (all || strcmp(papers->word[i], wanted) == 0)
        {
            ARRAY_GROW(r->papers, r->npapers);
            r->papers[r->npapers++] =
                (struct paper){.name = papers->word[i],
                               .folder = xformat("%s/%s%s", r->results, papers->word[i],
                                                 r->options->quick ? QUICK
                                                 : r->part         ? PART
                                                                   : "")};
        }
    }
}

/** Loads the papers and their scenarios; false after a message if none has one to run. */
static bool
load_papers(struct reproduction *r, const char *wanted)
{
    const char *only = r->options->sweep.only;
    bool any = false;
    for (size_t i = 0; i < r->npapers; i++)
    {
        struct paper *paper = &r->papers[i];
        load_paper(r, paper);
        count_parts(r, paper);
        any = any || !paper->claims || paper->scenarios.n;
    }
    if (!any)
    {
        char *why = xformat("no scenario of '%s' matches '%s'; 'weft reproduce --list' names them",
                            wanted, only ? only : "");
        sweep_refuse(why, EXIT_BAD_INPUT);
    }
    return any;
}

/** Saves what all papers read of the results of those that are wanted. */
static int
save_data(const struct reproduction *r)
{
    CLEANUP(words_free) struct words names = {0};
    for (size_t i = 0; i < r->npapers; i++)
    {
        const struct document *claims = r->papers[i].claims;
        for (size_t k = 0; claims && k < claims->root->nchildren; k++)
        {
            const char *results = element_value(claims->root->children[k], "results");
            if (results && !words_have(&names, results))
            {
                words_add(&names, xstrdup(results));
            }
        }
    }
    return papers_save_data(r->known, &names, r->results, r->save_data);
}

/** Reproduces one paper after the other: what is wrong with one does not stop the others. */
static int
reproduce(struct reproduction *r, const struct words *papers, const char *wanted)
{
    CLEANUP(text_drop) struct text failed = {0};
    int status = EXIT_GOOD;
    r->known = papers;
    choose_papers(r, papers, wanted);
    if (!load_papers(r, wanted))
    {
        return EXIT_BAD_INPUT;
    }
    r->whole.start = clock_seconds();
    for (size_t i = 0; i < r->npapers; i++)
    {
        const struct paper *paper = &r->papers[i];
        int own = paper->status;
        if (sweep_was_interrupted())
        {
            own = EXIT_FAILED;
        }
        else if (own == EXIT_GOOD && paper->scenarios.n)
        {
            own = reproduce_paper(r, paper);
        }
        if (own != EXIT_GOOD)
        {
            text_add(&failed, "%s%s", failed.len ? ", " : "", paper->name);
        }
        status = worst(status, own);
    }
    if (r->save_data && !sweep_was_interrupted())
    {
        status = worst(status, save_data(r));
    }
    if (r->npapers > 1 && failed.len)
    {
        print_shown(stderr, "\nweft: error: there were errors (above) with: %s\n", failed.s);
    }
    return status;
}

/** Whether the options go together; else says so. */
static bool
options_fit(const struct arguments *a)
{
    const char *why = !a->save_data           ? NULL
                      : a->data               ? "--data"
                      : a->quick              ? "--quick"
                      : a->sweep.only         ? "--only"
                      : !a->nfiles || a->list ? "--list"
                                              : NULL;
    if (why)
    {
        print_shown(stderr, "weft: error: --save-data with %s; expected it with all runs in full\n",
                    why);
    }
    return !why;
}

static char *
copy_of(const char *path)
{
    return path ? xstrdup(path) : NULL;
}

int
command_reproduce(const struct arguments *a)
{
    const char *wanted = a->nfiles ? a->files[0] : NULL;
    struct reproduction r = {.options = a,
                             .results = xstrdup(a->results),
                             .data = copy_of(a->data),
                             .save_data = copy_of(a->save_data),
                             .alone = a->report_alone || a->data,
                             .part = a->quick || a->sweep.only};
    char **paths[] = {&r.results, &r.data, &r.save_data};
    CLEANUP(words_free) struct words papers = {0};
    int status = EXIT_BAD_INPUT;
    if (options_fit(a) && papers_go_to(paths, sizeof paths / sizeof *paths))
    {
        papers_find(&papers);
        status = a->list || !wanted             ? papers_list(&papers)
                 : papers_know(&papers, wanted) ? reproduce(&r, &papers, wanted)
                                                : EXIT_BAD_INPUT;
    }
    free_all(&r);
    return status;
}
