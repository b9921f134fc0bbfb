/* SPDX-License-Identifier: GPL-2.0-only */
#include "commands.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "figures.h"
#include "list.h"
#include "loaded.h"
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
    char *scheduler;
    bool dry_run, print_plan, markdown, no_figures, help;
    char **files;
    int nfiles;
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"jobs", required_argument, NULL, 'j'},
    {"out", required_argument, NULL, 'o'},
    {"only", required_argument, NULL, 'O'},
    {"run", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},
    {"set", required_argument, NULL, 'S'},
    {"scheduler", required_argument, NULL, 'c'},
    {"figure", required_argument, NULL, 'f'},
    {"again", no_argument, NULL, 'a'},
    {"dry-run", no_argument, NULL, 'n'},
    {"plan", no_argument, NULL, 'p'},
    {"no-figures", no_argument, NULL, 'N'},
    {"markdown", no_argument, NULL, 'm'},
    {NULL, 0, NULL, 0},
};

static void
add_set(struct arguments *a, char *set)
{
    ARRAY_GROW(a->sets, a->nsets);
    a->sets[a->nsets++] = set;
}

static bool
take_jobs(struct arguments *a, const char *text)
{
    char *end;
    a->sweep.jobs = strtol(text, &end, 10);
    if (*end || end == text || a->sweep.jobs < 1 || a->sweep.jobs > 4096)
    {
        fprintf(stderr, "weft: error: --jobs '%s'; expected a number from 1 to 4096\n", text);
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
        return take_jobs(a, optarg);
    case 'o':
        a->sweep.out = optarg;
        break;
    case 'O':
        a->sweep.only = optarg;
        break;
    case 'r':
        a->sweep.run = optarg;
        break;
    case 's':
        add_set(a, xformat("seed.value=%s", optarg));
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
    free(a->scheduler);
}

/**
 * Parses the options whose letters are in @p allowed. Returns -1 to go on, else the exit status:
 * after --help or a mistake.
 */
static int
parse(int argc, char **argv, const char *allowed, int least, int most, const char *help,
      struct arguments *a)
{
    *a = (struct arguments){0};
    int letter;
    bool good = true;
    optind = 1;
    while (good && (letter = getopt_long(argc, argv, "hj:", long_options, NULL)) != -1)
    {
        if (letter != '?' && letter != 'h' && !strchr(allowed, letter))
        {
            fprintf(stderr, "weft: error: 'weft %s' does not take '%s'\n", argv[0],
                    argv[optind - 1]);
            good = false;
        }
        good = good && letter != '?' && take_option(a, letter);
    }
    a->files = argv + optind;
    a->nfiles = argc - optind;
    a->plan = (struct plan_options){a->sets, a->nsets, a->scheduler};
    if (good && a->help)
    {
        fputs(help, stdout);
        free_arguments(a);
        return EXIT_GOOD;
    }
    if (!good || a->nfiles < least || a->nfiles > most)
    {
        fputs(help, stderr);
        free_arguments(a);
        return EXIT_BAD_INPUT;
    }
    return -1;
}

/* --- commands --------------------------------------------------------------------------------- */

static int
sweep_with(int argc, char **argv, const char *allowed, const char *help)
{
    struct arguments a;
    struct loaded l;
    int status = parse(argc, argv, allowed, 1, 1, help, &a);
    if (status >= 0)
    {
        return status;
    }
    a.print_plan = a.print_plan || strcmp(argv[0], "plan") == 0;
    if (strcmp(argv[0], "run-one") == 0 && !a.sweep.run)
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
        status = a.print_plan ? sweep_print_plan(l.plan, &a.sweep, &a.plan)
                 : a.dry_run  ? sweep_dry_run(l.plan, &a.sweep)
                              : loaded_sweep(&l, &a.sweep, !a.no_figures);
        loaded_free(&l);
    }
    free_arguments(&a);
    return status;
}

#define COMMON_HELP                                                                                \
    "  -j, --jobs N          N processes at a time (default: one per core)\n"                      \
    "  --out DIR             results folder (default: results/NAME in this folder)\n"              \
    "  --seed N              another seed\n"                                                       \
    "  --set PARAM=VALUE     set element.attribute in every run\n"                                 \
    "  --scheduler TYPE      ns-3's event scheduler, such as MapScheduler\n"                       \
    "  --again               also repeat runs that are finished\n"                                 \
    "  --no-figures          draw nothing\n"

#define STATUS_HELP                                                                                \
    "\nExit status: 0 all is well; 1 a run failed or results cannot be written; 2 a mistake in\n"  \
    "the scenario or on the command line, nothing was run; 3 a figure could not be drawn.\n"

int
command_run(int argc, char **argv)
{
    return sweep_with(argc, argv, "josScaN",
                      "usage: weft run FILE [OPTIONS]\n\n"
                      "Runs every run of the scenario that is not finished yet, prints a table, "
                      "draws its figures.\n\n" COMMON_HELP STATUS_HELP "\nExamples:\n"
                      "  weft run scenarios/themis/fig1.xml\n"
                      "  weft run scenarios/themis/loss.xml --seed 7 --out /tmp/loss-7\n"
                      "  weft run my.xml --set balancer.name=ecmp --set workload.bytes=1MB\n");
}

int
command_sweep(int argc, char **argv)
{
    return sweep_with(
        argc, argv, "joOsScanpN",
        "usage: weft sweep FILE [OPTIONS]\n\n"
        "Like 'weft run'. Interrupt it at any time: the same command goes on where it was.\n\n"
        "  --only PATTERN        only runs whose name holds PATTERN (or matches, with * ? [])\n"
        "  --dry-run             list the runs and which are finished; run nothing\n"
        "  --plan                print one command per run instead; see 'weft plan "
        "--help'\n" COMMON_HELP STATUS_HELP "\nExamples:\n"
        "  weft sweep scenarios/themis/fig5-quick.xml -j 2\n"
        "  weft sweep scenarios/themis/fig5.xml --only alltoall --dry-run\n"
        "  weft sweep scenarios/themis/fig5.xml --only '*t-i=900us*themis'\n");
}

int
command_run_one(int argc, char **argv)
{
    return sweep_with(argc, argv, "rosSca",
                      "usage: weft run-one FILE --run NAME [--out DIR] [--set PARAM=VALUE]\n\n"
                      "Runs one run of a sweep unless it is finished. Any number of these may work "
                      "on one results\nfolder at a time; 'weft run FILE' then writes the table and "
                      "the figures.\n" STATUS_HELP "\nExample:\n"
                      "  weft run-one scenarios/themis/fig1.xml --run themis\n");
}

int
command_plan(int argc, char **argv)
{
    return sweep_with(argc, argv, "oOsSc",
                      "usage: weft plan FILE [--only PATTERN] [--out DIR] [--set PARAM=VALUE]\n\n"
                      "Prints one command per run. Each may be given any number of times; a "
                      "finished run is not repeated.\n"
                      "\nExamples:\n"
                      "  weft plan scenarios/themis/fig5.xml --out /shared/fig5 > runs.txt\n"
                      "  parallel < runs.txt\n"
                      "  sbatch --array=1-30 --wrap 'sed -n \"${SLURM_ARRAY_TASK_ID}p\" runs.txt | "
                      "sh'\n");
}

int
command_validate(int argc, char **argv)
{
    struct arguments a;
    int status = parse(argc, argv, "Ss", 1, INT_MAX,
                       "usage: weft validate FILE... [--set PARAM=VALUE]\n\n"
                       "Checks scenarios, all their runs included, and runs nothing.\n"
                       "\nExit status: 0 all are well, 2 there are mistakes.\n"
                       "\nExample:\n  weft validate scenarios/themis/*.xml\n",
                       &a);
    if (status >= 0)
    {
        return status;
    }
    status = EXIT_GOOD;
    for (int i = 0; i < a.nfiles; i++)
    {
        struct loaded l;
        if (!loaded_read(a.files[i], &a.plan, &l))
        {
            status = EXIT_BAD_INPUT;
            continue;
        }
        printf("%s: %zu %s, %zu %s\n", a.files[i], l.plan->nruns,
               l.plan->nruns == 1 ? "run" : "runs", figures_count(l.plan),
               figures_count(l.plan) == 1 ? "figure" : "figures");
        loaded_free(&l);
    }
    free_arguments(&a);
    return status;
}

/** A results folder keeps its scenario; a file's results lie where 'weft run' puts them. */
static int
plot(const struct arguments *a)
{
    struct stat st;
    bool folder = stat(a->files[0], &st) == 0 && S_ISDIR(st.st_mode);
    char *path = folder ? xformat("%s/scenario.xml", a->files[0]) : xstrdup(a->files[0]);
    struct loaded l;
    int status = EXIT_BAD_INPUT;
    if (loaded_read(path, &a->plan, &l))
    {
        char *out = results_folder(l.plan, folder ? a->files[0] : a->sweep.out);
        if (figures_count(l.plan) == 0)
        {
            fprintf(stderr, "%s: error: the scenario has no <figure>\n", path);
        }
        else
        {
            status = figures_draw(l.plan, out, a->figure) ? EXIT_GOOD : EXIT_NO_FIGURE;
        }
        free(out);
        loaded_free(&l);
    }
    free(path);
    return status;
}

int
command_plot(int argc, char **argv)
{
    struct arguments a;
    int status = parse(argc, argv, "fo", 1, 1,
                       "usage: weft plot FILE|RESULTS_FOLDER [--figure NAME] [--out DIR]\n\n"
                       "Draws the figures of finished runs again, as SVG and PNG.\n\n"
                       "  --figure NAME         only this one\n"
                       "  --out DIR             where the results of FILE are\n"
                       "\nExit status: 0 all are drawn, 2 a mistake in the scenario, 3 a figure "
                       "could not be drawn.\n"
                       "\nExamples:\n  weft plot scenarios/themis/fig1.xml\n"
                       "  weft plot results/themis-fig1 --figure fig1d\n",
                       &a);
    if (status < 0)
    {
        status = plot(&a);
        free_arguments(&a);
    }
    return status;
}

int
command_list(int argc, char **argv)
{
    struct arguments a;
    int status = parse(argc, argv, "m", 0, 1,
                       "usage: weft list [NAME|KIND|ELEMENT|elements|columns] [--markdown]\n\n"
                       "Shows every algorithm by kind; with a name its parameters, bounds, "
                       "defaults, presets and source.\n"
                       "\nExamples:\n  weft list\n  weft list themis\n  weft list balancer\n"
                       "  weft list failure\n  weft list columns --markdown\n",
                       &a);
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
    struct arguments a;
    int status =
        parse(argc, argv, "", 0, 0,
              "usage: weft schema\n\n"
              "Prints the RELAX NG schema of scenarios, made from the algorithms' tables.\n"
              "\nExample:\n  weft schema > scenarios/weft.rng\n",
              &a);
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
