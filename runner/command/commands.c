/* SPDX-License-Identifier: GPL-2.0-only */
#include "commands.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "figures.h"
#include "list.h"
#include "loaded.h"
#include "results-folder.h"
#include "schema.h"
#include "sweep-run.h"
#include "textbuf.h"

/** Options of all commands; each command's letters say which it takes. */
struct arguments
{
    struct sweep_options sweep;
    struct plan_options plan;
    const char *figure;
    char **sets;
    size_t nsets;
    const char **runs;
    size_t nruns;
    long batch;
    char *scheduler;
    bool dry_run, print_plan, markdown, no_figures, cost, sql, help;
    char **files;
    int nfiles;
};

/** Every option of every command: what getopt takes and what --help says, in this order. */
static const struct option_entry
{
    const char *name;
    char letter;
    const char *value; /**< what follows it; NULL: nothing */
    const char *doc;
} option_table[] = {
    {"help", 'h', NULL, NULL},
    {"only", 'O', "PATTERN", "only runs whose name holds PATTERN (or matches, with * ? [])"},
    {"run", 'r', "NAME", "the run; several, each with its --run, follow each other"},
    {"dry-run", 'n', NULL,
     "list the runs: finished, to do, or stale and what has changed; run nothing"},
    {"batch", 'b', "N", "N runs per command: clusters limit the length of an array"},
    {"plan", 'p', NULL, "print one command per run instead; see 'weft plan --help'"},
    {"jobs", 'j', "N", "N processes at a time (default: one per core, if memory suffices)"},
    {"out", 'o', "DIR", "results folder (default: results/NAME in this folder)"},
    {"seed", 's', "N", "another seed"},
    {"set", 'S', "PARAM=VALUE", "set element.attribute in every run"},
    {"quick", 'q', NULL, "the small version that the scenario's <quick> makes: NAME-quick"},
    {"scheduler", 'c', "TYPE", "ns-3's event scheduler, such as MapScheduler"},
    {"again", 'a', NULL, "also repeat runs that are finished"},
    {"exceed-memory", 'M', NULL, "also run what will take more memory than there is"},
    {"progress", 'P', "SECONDS",
     "time between lines of progress where output is no terminal (default: 60; 0: none)"},
    {"no-figures", 'N', NULL, "draw nothing"},
    {"cost", 'C', NULL, "also estimate what each run takes: packet-hops, CPU time, memory, disk"},
    {"figure", 'f', "NAME", "only this figure"},
    {"sql", 'Q', NULL, "print the query that each figure is made of; draw nothing"},
    {"markdown", 'm', NULL, "as tables of the manual"},
};

#define NOPTIONS (sizeof option_table / sizeof *option_table)

static void
print_help(FILE *out, const char *usage, const char *allowed, const char *rest)
{
    fprintf(out, "usage: weft %s\n", usage);
    for (size_t i = 0; i < NOPTIONS; i++)
    {
        const struct option_entry *o = &option_table[i];
        if (o->doc && strchr(allowed, o->letter))
        {
            char left[40];
            snprintf(left, sizeof left, "%s--%s%s%s", o->letter == 'j' ? "-j, " : "", o->name,
                     o->value ? " " : "", o->value ? o->value : "");
            fprintf(out, "  %-21s %s\n", left, o->doc);
        }
    }
    fputs(rest, out);
}

static void
add_set(struct arguments *a, char *set)
{
    ARRAY_GROW(a->sets, a->nsets);
    a->sets[a->nsets++] = set;
}

static bool
take_number(const char *name, const char *text, long least, long most, long *value)
{
    char *end;
    *value = strtol(text, &end, 10);
    if (*end || end == text || *value < least || *value > most)
    {
        fprintf(stderr, "weft: error: --%s '%s'; expected a number from %ld to %ld\n", name, text,
                least, most);
        return false;
    }
    return true;
}

static bool
take_option(struct arguments *a, int letter)
{
    switch (letter)
    {
    case 'h':
        a->help = true;
        break;
    case 'j':
        return take_number("jobs", optarg, 1, 4096, &a->sweep.jobs);
    case 'o':
        a->sweep.out = optarg;
        break;
    case 'O':
        a->sweep.only = optarg;
        break;
    case 'r':
        ARRAY_GROW(a->runs, a->nruns);
        a->runs[a->nruns++] = optarg;
        break;
    case 's':
        add_set(a, xformat("seed.value=%s", optarg));
        break;
    case 'q':
        a->plan.quick = QUICK_YES;
        break;
    case 'S':
        add_set(a, xstrdup(optarg));
        break;
    case 'c':
        free(a->scheduler);
        a->scheduler = xformat("%s%s", strncmp(optarg, "ns3::", 5) == 0 ? "" : "ns3::", optarg);
        break;
    case 'f':
        a->figure = optarg;
        break;
    case 'a':
        a->sweep.again = true;
        break;
    case 'n':
        a->dry_run = true;
        break;
    case 'p':
        a->print_plan = true;
        break;
    case 'N':
        a->no_figures = true;
        break;
    case 'M':
        a->sweep.exceed_memory = true;
        break;
    case 'P':
        return take_number("progress", optarg, 0, 86400, &a->sweep.log_interval);
    case 'b':
        return take_number("batch", optarg, 1, PLAN_MOST_RUNS, &a->batch);
    case 'C':
        a->cost = true;
        break;
    case 'Q':
        a->sql = true;
        break;
    default:
        a->markdown = true;
        break;
    }
    return true;
}

static void
free_arguments(struct arguments *a)
{
    for (size_t i = 0; i < a->nsets; i++)
    {
        free(a->sets[i]);
    }
    free(a->sets);
    free(a->runs);
    free(a->scheduler);
}

/** How a command is called. */
struct page
{
    const char *usage;   /**< first lines of --help */
    const char *allowed; /**< letters of the options that it takes */
    const char *rest;    /**< what --help says below them */
    int least, most;     /**< files */
};

/** Whether all options are known, allowed and well-formed; they are in @p a then. */
static bool
take_options(int argc, char **argv, const struct page *page, struct arguments *a)
{
    struct option options[NOPTIONS + 1] = {{NULL, 0, NULL, 0}};
    int letter;
    for (size_t i = 0; i < NOPTIONS; i++)
    {
        const struct option_entry *o = &option_table[i];
        options[i] =
            (struct option){o->name, o->value ? required_argument : no_argument, NULL, o->letter};
    }
    optind = 1;
    while ((letter = getopt_long(argc, argv, "hj:", options, NULL)) != -1)
    {
        if (letter != '?' && letter != 'h' && !strchr(page->allowed, letter))
        {
            fprintf(stderr, "weft: error: 'weft %s' does not take '%s'\n", argv[0],
                    argv[optind - 1]);
            return false;
        }
        if (letter == '?' || !take_option(a, letter))
        {
            return false;
        }
    }
    a->files = argv + optind;
    a->nfiles = argc - optind;
    return true;
}

/** Parses the command line. Returns -1 to go on, else the exit status: after --help or a mistake.
 */
static int
parse(int argc, char **argv, const struct page *page, struct arguments *a)
{
    *a = (struct arguments){.sweep.log_interval = 60, .batch = 1};
    bool good = take_options(argc, argv, page, a);
    a->plan.sets = a->sets;
    a->plan.nsets = a->nsets;
    a->plan.scheduler = a->scheduler;
    a->sweep.runs = a->runs;
    a->sweep.nruns = a->nruns;
    int status = -1;
    if (good && a->help)
    {
        print_help(stdout, page->usage, page->allowed, page->rest);
        status = EXIT_GOOD;
    }
    else if (!good || a->nfiles < page->least || a->nfiles > page->most)
    {
        print_help(stderr, page->usage, page->allowed, page->rest);
        status = EXIT_BAD_INPUT;
    }
    if (status >= 0)
    {
        free_arguments(a);
    }
    return status;
}

/* --- commands --------------------------------------------------------------------------------- */

static int
sweep_with(int argc, char **argv, const struct page *page)
{
    struct arguments a;
    struct loaded l;
    int status = parse(argc, argv, page, &a);
    if (status >= 0)
    {
        return status;
    }
    a.print_plan = a.print_plan || strcmp(argv[0], "plan") == 0;
    bool single = strcmp(argv[0], "run-one") == 0;
    if (single && a.sweep.jobs == 0)
    {
        a.sweep.jobs = 1; /* whoever gives out the commands counts on one core each */
    }
    if (single && !a.nruns)
    {
        fprintf(stderr, "weft: error: run-one needs --run NAME\n");
        status = EXIT_BAD_INPUT;
    }
    else if (!loaded_read(a.files[0], &a.plan, &l))
    {
        status = EXIT_BAD_INPUT;
    }
    else
    {
        status = a.print_plan ? sweep_print_plan(l.plan, &a.sweep, &a.plan, (size_t)a.batch)
                 : a.dry_run  ? sweep_dry_run(l.plan, &a.sweep)
                              : loaded_sweep(&l, &a.sweep, !a.no_figures);
        loaded_free(&l);
    }
    free_arguments(&a);
    return status;
}

#define STATUS_HELP                                                                                \
    "\nExit status: 0 all is well; 1 a run failed or results cannot be written; 2 a mistake in\n"  \
    "the scenario or on the command line, nothing was run; 3 a figure could not be drawn.\n"

/** run and sweep are two names of one thing. */
#define RUN_OPTIONS "OnpbjosSqcaMPN"

int
command_run(int argc, char **argv)
{
    static const struct page page = {
        "run FILE [OPTIONS]\n\n"
        "Runs every run of the scenario that is not finished yet, prints a table, draws its "
        "figures.\nInterrupt it at any time: the same command goes on where it was. SIGUSR1 makes "
        "it say\nwhere its runs are. 'weft sweep' is the same.\n",
        RUN_OPTIONS,
        STATUS_HELP "\nExamples:\n"
                    "  weft run scenarios/themis/fig1.xml\n"
                    "  weft run scenarios/themis/loss.xml --seed 7 --out /tmp/loss-7\n"
                    "  weft run my.xml --set balancer.name=ecmp --set workload.bytes=1MB\n",
        1, 1};
    return sweep_with(argc, argv, &page);
}

int
command_sweep(int argc, char **argv)
{
    static const struct page page = {
        "sweep FILE [OPTIONS]\n\n"
        "The same as 'weft run'.\n",
        RUN_OPTIONS,
        STATUS_HELP "\nExamples:\n"
                    "  weft sweep scenarios/themis/fig5.xml --quick -j 2\n"
                    "  weft sweep scenarios/themis/fig5.xml --only alltoall --dry-run\n"
                    "  weft sweep scenarios/themis/fig5.xml --only '*t-i=900us*themis'\n",
        1, 1};
    return sweep_with(argc, argv, &page);
}

int
command_run_one(int argc, char **argv)
{
    static const struct page page = {
        "run-one FILE --run NAME... [OPTIONS]\n\n"
        "Runs single runs of a sweep unless they are finished, one at a time unless -j says "
        "otherwise.\nAny number of these may work on one results folder at a time; 'weft collect "
        "FILE' then makes\nthe table and the figures.\n",
        "rjosSqcaMP",
        STATUS_HELP "\nExample:\n"
                    "  weft run-one scenarios/themis/fig1.xml --run themis\n",
        1, 1};
    return sweep_with(argc, argv, &page);
}

int
command_plan(int argc, char **argv)
{
    static const struct page page = {
        "plan FILE [OPTIONS]\n\n"
        "Prints one command per run. Each may be given any number of times; a finished run is not "
        "repeated.\n",
        "bOosSqcM",
        "\nExamples:\n"
        "  weft plan scenarios/themis/fig5.xml --out /shared/fig5 > runs.txt\n"
        "  parallel < runs.txt\n"
        "  sbatch --array=1-30 --wrap 'sed -n \"${SLURM_ARRAY_TASK_ID}p\" runs.txt | sh'\n",
        1, 1};
    return sweep_with(argc, argv, &page);
}

static void
print_counts(const char *path, const struct plan *plan)
{
    const size_t figures = figures_count(plan);
    printf("%s%s: %zu %s, %zu %s\n", path, document_option(plan->doc), plan->nruns,
           plan->nruns == 1 ? "run" : "runs", figures, figures == 1 ? "figure" : "figures");
}

/** The quick version of a file that is good, if it has one. */
static int
validate_quick(const char *path, const struct arguments *a)
{
    struct plan_options options = a->plan;
    struct loaded l;
    options.quick = QUICK_YES;
    if (!loaded_read(path, &options, &l))
    {
        fprintf(stderr, "%s: these are mistakes of its quick version (--quick)\n", path);
        return EXIT_BAD_INPUT;
    }
    print_counts(path, l.plan);
    loaded_free(&l);
    return EXIT_GOOD;
}

/** One file of `weft validate`. */
static int
validate(const char *path, const struct arguments *a)
{
    struct loaded l;
    if (!loaded_read(path, &a->plan, &l))
    {
        return EXIT_BAD_INPUT;
    }
    print_counts(path, l.plan);
    const bool both = !a->cost && element_child(l.doc->root, "quick");
    bool fits = !a->cost || sweep_any_selected(l.plan, &a->sweep);
    if (a->cost && fits)
    {
        cost_print(l.plan, &a->sweep);
        fits = cost_check(l.plan, &a->sweep);
    }
    loaded_free(&l);
    return !fits ? EXIT_BAD_INPUT : both ? validate_quick(path, a) : EXIT_GOOD;
}

int
command_validate(int argc, char **argv)
{
    static const struct page page = {
        "validate FILE... [OPTIONS]\n\n"
        "Checks scenarios, all their runs and their quick versions included, and runs nothing.\n",
        "CSsqOM",
        "\nExit status: 0 all are well; 2 there are mistakes or, with --cost, runs that will take "
        "more\nmemory than this machine has.\n"
        "\nExamples:\n  weft validate scenarios/themis/*.xml\n"
        "  weft validate --cost scenarios/themis/fig5.xml\n",
        1, INT_MAX};
    struct arguments a;
    int status = parse(argc, argv, &page, &a);
    if (status >= 0)
    {
        return status;
    }
    status = EXIT_GOOD;
    for (int i = 0; i < a.nfiles; i++)
    {
        int one = validate(a.files[i], &a);
        status = one != EXIT_GOOD ? one : status;
    }
    free_arguments(&a);
    return status;
}

static int
plot(const struct arguments *a)
{
    struct loaded l;
    char *out, *why = NULL;
    int status = EXIT_BAD_INPUT;
    if (!loaded_read_results(a->files[0], a->sweep.out, &a->plan, &l, &out))
    {
        return status;
    }
    if (figures_count(l.plan) == 0)
    {
        fprintf(stderr, "%s: error: the scenario has no <figure>\n", l.doc->path);
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
        status = loaded_draw(&l, out, a->figure) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    free(out);
    loaded_free(&l);
    return status;
}

int
command_plot(int argc, char **argv)
{
    static const struct page page = {
        "plot FILE|RESULTS_FOLDER [OPTIONS]\n\n"
        "Draws the figures of finished runs again, as SVG, PNG and PDF.\n",
        "fqoQ",
        "\nExit status: 0 all are drawn, 2 a mistake in the scenario, 3 a figure could not be "
        "drawn.\n"
        "\nExamples:\n  weft plot scenarios/themis/fig1.xml\n"
        "  weft plot results/themis-fig1 --figure fig1d\n"
        "  weft plot results/themis-fig1 --figure fig1d --sql\n",
        1, 1};
    struct arguments a;
    int status = parse(argc, argv, &page, &a);
    if (status < 0)
    {
        status = plot(&a);
        free_arguments(&a);
    }
    return status;
}

static int
collect(const struct arguments *a)
{
    struct loaded l;
    char *out;
    if (!loaded_read_results(a->files[0], a->sweep.out, &a->plan, &l, &out))
    {
        return EXIT_BAD_INPUT;
    }
    struct sweep_options options = a->sweep;
    options.out = out;
    int status = sweep_collect(l.plan, &options);
    if (status == EXIT_GOOD && !a->no_figures && figures_count(l.plan) > 0)
    {
        status = loaded_draw(&l, out, NULL) ? EXIT_GOOD : EXIT_NO_FIGURE;
    }
    free(out);
    loaded_free(&l);
    return status;
}

int
command_collect(int argc, char **argv)
{
    static const struct page page = {
        "collect FILE|RESULTS_FOLDER [OPTIONS]\n\n"
        "Makes the table and the figures of what is finished, and runs nothing. Others may run "
        "meanwhile,\nhere or on other machines. Give it the --set, --seed and --quick of the "
        "runs.\n",
        "osSqcN",
        "\nExit status: 0 all is well, however many runs are finished; 1 none is, or the table "
        "cannot be\nwritten; 2 a mistake in the scenario or on the command line; 3 a figure could "
        "not be drawn.\n"
        "\nExamples:\n  weft collect scenarios/themis/fig5.xml --out /shared/fig5\n"
        "  weft collect results/themis-fig1 --no-figures\n",
        1, 1};
    struct arguments a;
    int status = parse(argc, argv, &page, &a);
    if (status < 0)
    {
        status = collect(&a);
        free_arguments(&a);
    }
    return status;
}

int
command_list(int argc, char **argv)
{
    static const struct page page = {
        "list [NAME|KIND|ELEMENT|elements|columns] [OPTIONS]\n\n"
        "Shows every algorithm by kind; with a name its parameters, bounds, defaults, presets and "
        "source.\n",
        "m",
        "\nExamples:\n  weft list\n  weft list themis\n  weft list balancer\n"
        "  weft list failure\n  weft list columns --markdown\n",
        0, 1};
    struct arguments a;
    int status = parse(argc, argv, &page, &a);
    if (status < 0)
    {
        status = list_print(a.nfiles ? a.files[0] : NULL, a.markdown);
        free_arguments(&a);
    }
    return status;
}

int
command_schema(int argc, char **argv)
{
    static const struct page page = {
        "schema\n\n"
        "Prints the RELAX NG schema of scenarios, made from the algorithms' tables.\n",
        "", "\nExample:\n  weft schema > scenarios/weft.rng\n", 0, 0};
    struct arguments a;
    int status = parse(argc, argv, &page, &a);
    if (status < 0)
    {
        char *text = schema_text();
        fputs(text, stdout);
        free(text);
        status = EXIT_GOOD;
        free_arguments(&a);
    }
    return status;
}
