/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that look at the runs of a sweep and start none. */
#include <fnmatch.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provenance.h"
#include "results-folder.h"
#include "shown-text.h"
#include "summary.h"
#include "sweep-run.h"
#include "textbuf.h"

#define LONGEST_LINE 60000 /* of a plan that is not warned of, characters */

/* --- which runs are meant --------------------------------------------------------------------- */

char *
results_folder(const struct plan *plan, const char *out)
{
    return out ? xstrdup(out) : xformat("results/%s", plan->name);
}

bool
run_is_selected(const struct sweep_options *options, const char *name)
{
    bool named = false;
    for (size_t i = 0; i < options->nruns; i++)
    {
        named = named || strcmp(options->runs[i], name) == 0;
    }
    return options->nruns                  ? named
           : !options->only                ? true
           : strpbrk(options->only, "*?[") ? fnmatch(options->only, name, 0) == 0
                                           : strstr(name, options->only) != NULL;
}

static bool
is_run_of(const struct plan *plan, const struct sweep_options *options)
{
    for (size_t i = 0; i < plan->nruns; i++)
    {
        if (run_is_selected(options, plan->names[i]))
        {
            return true;
        }
    }
    return false;
}

/** For the end of a message: the run, or the value of what varies, that is nearest to a name. */
static const char *
nearest_run(const struct plan *plan, const char *name)
{
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        nearest_try(&near, plan->names[i]);
    }
    for (size_t i = 0; i < plan->ncolumns && !near.best; i++)
    {
        const struct plan_column *c = &plan->columns[i];
        for (size_t p = 0; p < c->dim->npoints; p++)
        {
            nearest_try(&near, plan_cell(c, p));
        }
    }
    return did_you_mean(near.best);
}

bool
sweep_any_selected(const struct plan *plan, const struct sweep_options *options)
{
    const char *missing = NULL;
    for (size_t k = 0; !missing && k < options->nruns; k++)
    {
        const struct sweep_options one = {.runs = &options->runs[k], .nruns = 1};
        missing = is_run_of(plan, &one) ? NULL : options->runs[k];
    }
    if (!missing && !options->nruns && options->only && !is_run_of(plan, options))
    {
        missing = options->only;
    }
    if (missing)
    {
        print_shown(
            stderr, "weft: error: no run matches '%s'; 'weft run %s%s --dry-run' lists them%s\n",
            missing, plan->doc->path, document_option(plan->doc), nearest_run(plan, missing));
    }
    return !missing;
}

int
sweep_refuse(char *why, int status)
{
    print_shown(stderr, "weft: error: %s\n", why);
    free(why);
    return status;
}

/* --- commands --------------------------------------------------------------------------------- */

/** The results folder of a command that does not run; NULL after a message. */
static char *
usable_folder(const struct plan *plan, const struct sweep_options *options)
{
    char *out = results_folder(plan, options->out), *why = NULL;
    if (!sweep_any_selected(plan, options))
    {
        free(out);
        return NULL;
    }
    if (!results_folder_is_ours(out, &why))
    {
        sweep_refuse(why, EXIT_BAD_INPUT);
        free(out);
        return NULL;
    }
    return out;
}

int
sweep_dry_run(const struct plan *plan, const struct sweep_options *options)
{
    static const char *const states[] = {[RUN_TO_DO] = "to do",
                                         [RUN_STALE] = "stale",
                                         [RUN_DAMAGED] = "damaged",
                                         [RUN_UNREADABLE] = "unreadable",
                                         [RUN_FINISHED] = "finished"};
    OWNED char *out = usable_folder(plan, options);
    if (!out)
    {
        return EXIT_BAD_INPUT;
    }
    struct results_folder r;
    struct sqlite3 *db = run_file_reader();
    results_folder_open(&r, out);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        const char *name = plan->names[i];
        OWNED char *why = NULL;
        if (run_is_selected(options, name))
        {
            enum run_state state = plan_run_state(plan, i, &r.runs, db, &why);
            print_shown(stdout, "%-8s  %s%s%s\n", states[state], name, why ? ": " : "",
                        why ? why : "");
        }
    }
    sqlite3_close(db);
    results_folder_close(&r);
    return EXIT_GOOD;
}

int
sweep_collect(const struct plan *plan, const struct sweep_options *options)
{
    OWNED char *out = usable_folder(plan, options);
    if (!out)
    {
        return EXIT_BAD_INPUT;
    }
    struct results_folder r;
    results_folder_open(&r, out);
    int status = summary_write(plan, &r, out) ? EXIT_GOOD : EXIT_FAILED;
    results_folder_close(&r);
    return status;
}

/** Adds one line of a plan but for its runs. */
static void
add_command(struct text *t, const struct plan *plan)
{
    const char *command = getenv("WEFT_COMMAND");
    add_shell_word(t, command ? command : "weft");
    text_add(t, " run-one %s", *plan->doc->path == '-' ? "./" : ""); /* no option */
    add_shell_word(t, plan->doc->path);
}

static void
add_options(struct text *t, const struct plan *plan, const char *out,
            const struct sweep_options *options, const struct plan_options *sets)
{
    text_add(t, "%s --out ", document_option(plan->doc));
    add_shell_word(t, out);
    for (size_t k = 0; k < sets->nsets; k++)
    {
        text_add(t, " --set ");
        add_shell_word(t, sets->sets[k]);
    }
    for (size_t k = 0; k < sets->ncases; k++)
    {
        text_add(t, " --add-case ");
        add_shell_word(t, sets->cases[k]);
    }
    if (sets->host)
    {
        text_add(t, " --host %s", sets->host);
    }
    text_add(t, "%s%s", options->again ? " --again" : "",
             options->exceed_memory ? " --exceed-memory" : "");
}

/** Systems take no command of more than 128 KiB, and some that hand one on quote it before. */
static void
warn_of_length(size_t longest)
{
    if (longest > LONGEST_LINE)
    {
        fprintf(
            stderr,
            "weft: warning: lines of the plan have up to %zu characters, which may be more than "
            "can be run; expected a smaller --batch, for %d at most\n",
            longest, LONGEST_LINE);
    }
}

int
sweep_print_plan(const struct plan *plan, const struct sweep_options *options,
                 const struct plan_options *sets, size_t batch)
{
    OWNED char *out = usable_folder(plan, options);
    if (!out)
    {
        return EXIT_BAD_INPUT;
    }
    struct text line = {0};
    size_t n = 0, longest = 0;
    bool good = true;
    for (size_t i = 0; good && i < plan->nruns; i++)
    {
        if (run_is_selected(options, plan->names[i]))
        {
            if (n++ == 0)
            {
                add_command(&line, plan);
            }
            text_add(&line, " --run ");
            add_shell_word(&line, plan->names[i]);
        }
        if (n > 0 && (n == batch || i + 1 == plan->nruns))
        {
            add_options(&line, plan, out, options, sets);
            longest = line.len > longest ? line.len : longest;
            good = !strchr(line.s, '\n');
            print_shown(stdout, "%s%s", good ? line.s : "", good ? "\n" : "");
            free(line.s);
            line = (struct text){0};
            n = 0;
        }
    }
    if (!good)
    {
        fprintf(stderr,
                "weft: error: a line end in a name or value; expected none in a plan, which "
                "is read line by line\n");
    }
    warn_of_length(longest);
    return good ? EXIT_GOOD : EXIT_BAD_INPUT;
}
