/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"
#include "mpi-ranks.h"
#include "results-folder.h"
#include "shown-text.h"
#include "textbuf.h"

void
experiment_free(struct experiment *l)
{
    plan_free(l->plan);
    document_free(l->doc);
}

/** Turns to the quick version if it is wanted. False after errors. */
static bool
choose_version(struct document *doc, enum quick_choice quick, struct diagnostics *d)
{
    const bool there = element_child(doc->root, "quick") != NULL;
    if (quick == QUICK_YES && !there)
    {
        diag_error(d, LINE_NONE, "the scenario has no <quick>; expected one with --quick");
    }
    if (quick == QUICK_NO || !there)
    {
        quick_check(doc, d);
        return there || quick != QUICK_YES;
    }
    return quick_apply(doc, d);
}

/** Adds the cases of the command line. False after errors. */
static bool
add_cases(struct document *doc, const struct plan_options *options, struct diagnostics *d)
{
    bool good = true;
    for (size_t i = 0; i < options->ncases; i++)
    {
        good = document_add_case(doc, options->cases[i], d) && good;
    }
    if (good && options->ncases)
    {
        document_check(doc, d); /* the names of cases, once more */
    }
    return good && !d->misnamed;
}

bool
experiment_read(const char *path, const struct plan_options *options, struct experiment *l)
{
    CLEANUP(diag_free) struct diagnostics errors = {.file = path};
    struct diagnostics *d = &errors;
    struct document *doc = document_read(path, d);
    *l = (struct experiment){doc, NULL};
    if (doc)
    {
        document_check(doc, d);
    }
    if (doc && doc->root->spec && !d->misnamed && choose_version(doc, options->quick, d) &&
        add_cases(doc, options, d))
    {
        l->plan = plan_build(doc, options, d);
    }
    if (l->plan)
    {
        plan_check(l->plan, d);
        figures_check(l->plan, d);
    }
    bool good = d->n == 0;
    diag_print(d, stderr);
    if (!good)
    {
        experiment_free(l);
    }
    return good;
}

bool
experiment_read_results(const char *file_or_folder, const char *chosen,
                        const struct plan_options *options, struct experiment *l, char **out)
{
    struct stat st;
    bool folder = stat(file_or_folder, &st) == 0 && S_ISDIR(st.st_mode);
    OWNED char *path =
        folder ? xformat("%s/scenario.xml", file_or_folder) : xstrdup(file_or_folder);
    bool good = experiment_read(path, options, l);
    *out = good ? results_folder(l->plan, folder ? file_or_folder : chosen) : NULL;
    return good;
}

bool
experiment_draw(const struct experiment *l, const char *out, const char *only, const char *beside)
{
    char *why = NULL;
    CLEANUP(fd_drop) int lock = results_folder_lock_tables(out, &why);
    if (lock < 0)
    {
        sweep_refuse(why, EXIT_FAILED);
    }
    return lock >= 0 && figures_draw(l->plan, out, only, beside);
}

int
experiment_sweep(const struct experiment *l, const struct sweep_options *options, bool figures)
{
    int status = sweep_run(l->plan, options);
    if (status != EXIT_GOOD || ranks_helps() || !figures || options->nruns ||
        figures_count(l->plan) == 0)
    {
        return status;
    }
    OWNED char *out = results_folder(l->plan, options->out);
    if (!experiment_draw(l, out, NULL, NULL))
    {
        print_shown(
            stderr,
            "weft: warning: the results are complete in %s, but not every figure was drawn; "
            "'weft plot %s%s' tries again\n",
            out, l->doc->path, document_option(l->doc));
        status = EXIT_NO_FIGURE;
    }
    return status;
}
