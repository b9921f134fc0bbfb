/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that work on scenarios. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "experiment.h"
#include "figures.h"
#include "mpi-ranks.h"
#include "results-folder.h"
#include "shown-text.h"
#include "sweep-run.h"

/* --- weft run --------------------------------------------------------------------------------- */

/** A scenario of those on the command line. */
struct part
{
    struct experiment experiment;
    char *name; /**< of its file and version, for messages */
    char *out;  /**< its results folder; NULL: there are mistakes, or the folder is another's */
    size_t due;
    int status;
};

static struct sweep_options
options_of(const struct arguments *a, const struct part *p)
{
    struct sweep_options options = a->sweep;
    options.out = p->out;
    return options;
}

/** Reads a scenario, and asks where its results may go. */
static struct part
load_part(const struct arguments *a, const char *path)
{
    struct part p = {.status = EXIT_BAD_INPUT};
    struct plan_options plan = a->plan;
    char *why = NULL;
    plan.quick = a->quick && a->nfiles > 1 ? QUICK_IF_ANY : plan.quick;
    const bool good = experiment_read(path, &plan, &p.experiment);
    p.name = xformat("%s%s", path, good ? document_option(p.experiment.doc) : "");
    if (!good)
    {
        p.experiment = (struct experiment){NULL, NULL};
        return p;
    }
    char *out = a->sweep.out ? xstrdup(a->sweep.out)
                             : xformat("%s/%s", a->results, p.experiment.plan->name);
    if (a->nfiles > 1 && !results_folder_is_ours(out, &why))
    {
        free(out);
        sweep_refuse(why, EXIT_BAD_INPUT);
        return p;
    }
    p.out = out;
    p.status = EXIT_GOOD;
    const struct sweep_options options = options_of(a, &p);
    p.due = a->nfiles > 1 ? sweep_count_due(p.experiment.plan, &options) : 0;
    return p;
}

static void
free_part(struct part *p)
{
    if (p->experiment.plan)
    {
        experiment_free(&p->experiment);
    }
    free(p->name);
    free(p->out);
}

/** Prints a line that says how far all of it is. */
static void
announce(const struct part *p, const struct progress_whole *w)
{
    char left[32] = "";
    const double elapsed = clock_seconds() - w->start;
    print_shown(stderr, "\n[scenario %zu of %zu] %s: ", w->sweep, w->nsweeps, p->name);
    if (p->due == 0)
    {
        fprintf(stderr, "its %zu runs are there already; none is to do\n",
                p->experiment.plan->nruns);
        return;
    }
    if (w->before > 0 && w->total > w->before)
    {
        duration_text(left, sizeof left,
                      elapsed * (double)(w->total - w->before) / (double)w->before);
    }
    fprintf(stderr, "%zu of %zu runs to do; %zu of %zu in all are done%s%s%s\n", p->due,
            p->experiment.plan->nruns, w->before, w->total, *left ? ", " : "", left,
            *left ? " left" : "");
}

/** Says what is wrong with a scenario of several that did not end well. */
static void
tell_of(const struct part *p)
{
    if (p->status != EXIT_GOOD)
    {
        print_shown(stderr, "weft: error: %s: %s\n", p->name,
                    p->status == EXIT_NO_FIGURE   ? "a figure could not be drawn"
                    : p->status == EXIT_BAD_INPUT ? "there are mistakes in it; it was not run"
                                                  : "not every run ended well");
    }
}

static int
run_part(const struct arguments *a, const struct part *p, struct progress_whole *whole)
{
    struct sweep_options options = options_of(a, p);
    const struct plan *plan = p->experiment.plan;
    if (a->print_plan)
    {
        return sweep_print_plan(plan, &options, &a->plan, (size_t)a->batch);
    }
    if (a->dry_run)
    {
        return sweep_dry_run(plan, &options);
    }
    if (whole->nsweeps > 1)
    {
        whole->sweep++;
        announce(p, whole);
        options.whole = whole;
        fflush(stdout);
    }
    const int status = experiment_sweep(&p->experiment, &options, !a->no_figures);
    whole->before += p->due;
    return status;
}

/** The worse of two exit statuses. */
static int
worst(int a, int b)
{
    static const int rank[] = {
        [EXIT_GOOD] = 0, [EXIT_NO_FIGURE] = 1, [EXIT_BAD_INPUT] = 2, [EXIT_FAILED] = 3};
    return rank[a] < rank[b] ? b : a;
}

/** Runs one scenario after the other, whatever becomes of the others, until it is interrupted. */
static int
run(const struct arguments *a)
{
    const size_t n = (size_t)a->nfiles;
    OWNED struct part *parts = xcalloc(n, sizeof *parts);
    struct progress_whole whole = {.start = clock_seconds()};
    int status = EXIT_GOOD;
    for (size_t i = 0; i < n; i++)
    {
        parts[i] = load_part(a, a->files[i]);
        whole.nsweeps += parts[i].out != NULL;
        whole.total += parts[i].due;
    }
    for (size_t i = 0; i < n; i++)
    {
        if (parts[i].out)
        {
            parts[i].status =
                sweep_was_interrupted() ? EXIT_FAILED : run_part(a, &parts[i], &whole);
        }
        status = worst(status, parts[i].status);
    }
    for (size_t i = 0; i < n; i++)
    {
        if (n > 1)
        {
            tell_of(&parts[i]);
        }
        free_part(&parts[i]);
    }
    return status;
}

/** Makes table and figures of what is finished. */
static int
collect(const struct arguments *a)
{
    struct experiment l;
    char *out;
    if (!experiment_read_results(a->files[0], a->sweep.out, &a->plan, &l, &out))
    {
        return EXIT_BAD_INPUT;
    }
    struct sweep_options options = a->sweep;
    options.out = out;
    int status = sweep_collect(l.plan, &options);
    if (status == EXIT_GOOD && !a->no_figures && figures_count(l.plan) > 0)
    {
        status = experiment_draw(&l, out, NULL, NULL) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    free(out);
    experiment_free(&l);
    return status;
}

int
command_run(const struct arguments *a)
{
    const bool together = !a->print_plan && !a->dry_run && !a->collect, several = a->nfiles > 1;
    const char *wrong = NULL;
    if (a->collect && (several || a->print_plan || a->dry_run))
    {
        wrong = "--collect takes one scenario, or its results folder, and neither --plan nor "
                "--dry-run";
    }
    else if (a->batch > 1 && !a->print_plan)
    {
        wrong = "--batch is for --plan; expected --plan as well, or --jobs for runs at a time";
    }
    else if (several && a->sweep.out)
    {
        wrong = "--out with several scenarios; expected --results, the folder of all results";
    }
    else if (together && !ranks_begin())
    {
        return EXIT_BAD_INPUT;
    }
    else if (several && ranks_get())
    {
        wrong = "several scenarios under mpirun; expected one";
    }
    return wrong ? sweep_refuse(xstrdup(wrong), EXIT_BAD_INPUT) : a->collect ? collect(a) : run(a);
}

int
command_run_one(const struct arguments *a)
{
    struct arguments one = *a;
    if (one.sweep.jobs == 0)
    {
        one.sweep.jobs = 1; /* whoever gives out the commands counts on one core each */
    }
    if (one.sweep.threads == 0)
    {
        one.sweep.threads = 1;
    }
    /* Not together with others: each of those that were started has a run of its own. */
    return one.runs.n ? run(&one)
                      : sweep_refuse(
                            xformat("run-one needs --run NAME; 'weft run --plan %s' lists the runs",
                                    *a->files),
                            EXIT_BAD_INPUT);
}

static void
print_counts(const char *path, const struct plan *plan)
{
    const size_t figures = figures_count(plan);
    print_shown(stdout, "%s%s: %zu %s, %zu %s\n", path, document_option(plan->doc), plan->nruns,
                plan->nruns == 1 ? "run" : "runs", figures, figures == 1 ? "figure" : "figures");
}

/** The quick version of a file that is good, if it has one. */
static int
validate_quick(const char *path, const struct arguments *a)
{
    struct plan_options options = a->plan;
    struct experiment l;
    options.quick = QUICK_YES;
    if (!experiment_read(path, &options, &l))
    {
        print_shown(stderr, "%s: these are mistakes of its quick version (--quick)\n", path);
        return EXIT_BAD_INPUT;
    }
    print_counts(path, l.plan);
    experiment_free(&l);
    return EXIT_GOOD;
}

static int
validate(const char *path, const struct arguments *a)
{
    struct experiment l;
    if (!experiment_read(path, &a->plan, &l))
    {
        return EXIT_BAD_INPUT;
    }
    print_counts(path, l.plan);
    const bool both = !a->cost && element_child(l.doc->root, "quick");
    const bool fits =
        sweep_any_selected(l.plan, &a->sweep) && (!a->cost || cost_print(l.plan, &a->sweep));
    experiment_free(&l);
    return !fits ? EXIT_BAD_INPUT : both ? validate_quick(path, a) : EXIT_GOOD;
}

int
command_validate(const struct arguments *a)
{
    int status = EXIT_GOOD;
    for (int i = 0; i < a->nfiles; i++)
    {
        int one = validate(a->files[i], a);
        status = one != EXIT_GOOD ? one : status;
    }
    return status;
}

int
command_plot(const struct arguments *a)
{
    struct experiment l;
    char *out, *why = NULL;
    int status = EXIT_BAD_INPUT;
    if (!experiment_read_results(a->files[0], a->sweep.out, &a->plan, &l, &out))
    {
        return status;
    }
    if (figures_count(l.plan) == 0)
    {
        print_shown(stderr, "%s: error: the scenario has no <figure>\n", l.doc->path);
    }
    else if (!figures_know(l.plan, a->figure))
    {
        status = EXIT_BAD_INPUT;
    }
    else if (a->sql)
    {
        figures_print_queries(l.plan, a->figure);
        status = EXIT_GOOD;
    }
    else if (!results_folder_is_ours(out, &why))
    {
        sweep_refuse(why, status);
    }
    else
    {
        status = experiment_draw(&l, out, a->figure, a->beside) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    free(out);
    experiment_free(&l);
    return status;
}
