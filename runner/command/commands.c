/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that work on scenarios. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiment.h"
#include "figures.h"
#include "mpi-ranks.h"
#include "results-folder.h"
#include "shown-text.h"
#include "sweep-run.h"

static int
run(const struct arguments *a)
{
    struct experiment l;
    if (!experiment_read(a->files[0], &a->plan, &l))
    {
        return EXIT_BAD_INPUT;
    }
    int status = a->print_plan ? sweep_print_plan(l.plan, &a->sweep, &a->plan, (size_t)a->batch)
                 : a->dry_run  ? sweep_dry_run(l.plan, &a->sweep)
                               : experiment_sweep(&l, &a->sweep, !a->no_figures);
    experiment_free(&l);
    return status;
}

int
command_run(const struct arguments *a)
{
    const bool together = !a->print_plan && !a->dry_run;
    if (a->batch > 1 && !a->print_plan)
    {
        return sweep_refuse(
            xstrdup("--batch is for --plan; expected --plan as well, or --jobs for runs at a time"),
            EXIT_BAD_INPUT);
    }
    return together && !ranks_begin() ? EXIT_BAD_INPUT : run(a);
}

int
command_plan(const struct arguments *a)
{
    struct arguments plan = *a;
    plan.print_plan = true;
    return command_run(&plan);
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
    return one.runs.n
               ? run(&one)
               : sweep_refuse(
                     xformat("run-one needs --run NAME; 'weft plan %s' lists the runs", *a->files),
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
    else if (a->sql)
    {
        status = figures_print_queries(l.plan, a->figure) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    else if (!results_folder_is_ours(out, &why))
    {
        sweep_refuse(why, status);
    }
    else
    {
        status = experiment_draw(&l, out, a->figure) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    free(out);
    experiment_free(&l);
    return status;
}

int
command_collect(const struct arguments *a)
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
        status = experiment_draw(&l, out, NULL) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    free(out);
    experiment_free(&l);
    return status;
}
