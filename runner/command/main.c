/* SPDX-License-Identifier: GPL-2.0-only */
/* The weft command. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "process-title.h"
#include "provenance.h"
#include "run-host.h"
#include "shown-text.h"
#include "sweep-run.h"
#include "textbuf.h"

/* Meaning of the exit status of run and run-one. */
#define STATUS_HELP                                                                                \
    "\nExit status: 0 all is well; 1 a run failed, results cannot be written or, with --collect, " \
    "no\n"                                                                                         \
    "run is finished; 2 a mistake in the scenario or on the command line, nothing was run; 3 a\n"  \
    "figure could not be drawn.\n"

static const struct command commands[] = {
    {"run", command_run, "run all runs of scenarios, print their tables, draw their figures",
     "run FILE... [OPTIONS]\n\n"
     "Runs every run of the scenario that is not finished yet, prints a table, draws its "
     "figures.\nSeveral follow each other with one progress, and one that fails does not stop the "
     "others; --quick\nthen takes the small version of those that have one. Interrupt it at any "
     "time: the same command goes on\nwhere it was. SIGUSR1 makes it say where its runs are.\n",
     "OnpKbjzoDsSkqcaMPN",
     STATUS_HELP "\nExamples:\n"
                 "  weft run scenarios/themis/fig1.xml\n"
                 "  weft run scenarios/themis/loss.xml --seed 7 --out /tmp/loss-7\n"
                 "  weft run my.xml --set balancer.name=ecmp --set workload.bytes=1MB\n"
                 "  weft run scenarios/themis/*.xml --quick --results /tmp/themis\n"
                 "  weft run --plan scenarios/themis/fig5.xml --out /shared/fig5 > runs.txt\n"
                 "  parallel < runs.txt\n"
                 "  sbatch --array=1-30 --wrap 'sed -n \"${SLURM_ARRAY_TASK_ID}p\" runs.txt | sh'\n"
                 "  weft run --collect scenarios/themis/fig5.xml --out /shared/fig5\n",
     1, INT_MAX},
    {"run-one", command_run_one, "run a single run of a sweep (what --plan prints)",
     "run-one FILE --run NAME... [OPTIONS]\n\n"
     "Runs single runs of a sweep unless they are finished, one at a time unless -j says "
     "otherwise.\nAny number of these may work on one results folder at a time; 'weft run "
     "--collect "
     "FILE' then makes\nthe table and the figures.\n",
     "rjzosSkqcaMP",
     STATUS_HELP "\nExample:\n"
                 "  weft run-one scenarios/themis/fig1.xml --run themis\n",
     1, 1},
    {"validate", command_validate, "check scenarios and run nothing",
     "validate FILE... [OPTIONS]\n\n"
     "Checks scenarios, all their runs and their quick versions included, and runs nothing.\n",
     "CSskqOM",
     "\nExit status: 0 all are well; 2 there are mistakes or, with --cost, runs that will take "
     "more\nmemory than this machine has.\n"
     "\nExamples:\n  weft validate scenarios/themis/*.xml\n"
     "  weft validate --cost scenarios/themis/fig5.xml\n",
     1, INT_MAX},
    {"plot", command_plot, "draw the figures of finished runs again",
     "plot FILE|RESULTS_FOLDER [OPTIONS]\n\n"
     "Draws the figures of finished runs again, as SVG, PNG and PDF.\n",
     "fqodQ",
     "\nExit status: 0 all are drawn, 2 a mistake in the scenario or on the command line, 3 a "
     "figure\ncould not be drawn.\n"
     "\nExamples:\n  weft plot scenarios/themis/fig1.xml\n"
     "  weft plot results/themis-fig1 --figure fig1d\n"
     "  weft plot results/themis-fig1 --figure fig1d --sql\n",
     1, 1},
    {"query", command_query, "ask results in SQL",
     "query RESULTS [SELECT] [OPTIONS]\n\n"
     "Asks a results folder, or a file of docs/data, in SQL: prints the rows of a SELECT over its "
     "tables. "
     "Without\na SELECT it prints all tables and columns with their meaning. Beside SQLite's own "
     "functions there are\np50, p90, p95, p99, p99_9, percentile(x, p), stddev, ci95, "
     "slope_loglog(y, x) and corr(y, x).\n",
     "BFwdtTR",
     "\nA query reads and does nothing else.\n"
     "\nExit status: 0 all is well; 2 a mistake in the query or on the command line, or there are "
     "no "
     "results.\n"
     "\nExamples:\n"
     "  weft query results/themis-fig1 \"select name, cct_us, goodput_gbps from summary\"\n"
     "  weft query results/themis-fig1 \"select name, p99(resent_share) from qps join runs using "
     "(run) group by name\"\n"
     "  weft query --data cross-one-nic \"select \\\"balancer.name\\\", avg(increase) from summary "
     "group by 1\"\n",
     1, 2},
    {"export", command_export, "write runs as CSV files, with their scenarios",
     "export RUN.sqlite... [OPTIONS]\n\n"
     "Writes all that the file of a run holds into a folder of the run's name: its tables as CSV "
     "files, "
     "its\nresolved scenario with the files that it names, and provenance.txt. What is there "
     "already is "
     "not\nreplaced.\n",
     "x",
     "\nExit status: 0 all is well; 1 a file is damaged, or cannot be written.\n"
     "\nExample:\n  weft export results/themis-fig1/runs/*.sqlite --to /tmp/fig1\n",
     1, INT_MAX},
    {"look", command_look, "look into a run: its hottest links, and where load is uneven",
     "look RUN.sqlite|RESULTS\n\n"
     "Looks into one run, by its file or by a results folder that has one alone: the ten links "
     "that were\nbusy longest, how evenly the links of each layer were used, and the links that "
     "lost frames, were\npaused, dead, lossy or slow. With --qp, why a QP was slow. With --output, "
     "all of it as a page in\nHTML, on which the fabric is drawn.\n",
     "Eu",
     "\nExit status: 0 all is well; 1 the file is damaged, or lists no links; 2 a mistake on the "
     "command\nline.\n"
     "\nExamples:\n  weft look results/themis-fig1/runs/rsq.sqlite\n  weft look "
     "results/themis-fig1/runs/rsq.sqlite --qp 3\n  weft look "
     "results/themis-fig1/runs/rsq.sqlite --output run.html\n",
     1, 1},
    {"report", command_report, "show results as a page in HTML",
     "report RESULTS... [OPTIONS]\n\n"
     "Makes a page in HTML, which needs no other file, of the figures and tables in folders of "
     "results.\n",
     "Hu",
     "\nExit status: 0 all is well; 1 the page cannot be written; 2 a mistake on the command line, "
     "or "
     "results\nare missing.\n"
     "\nExample:\n  weft report results/themis-fig1 --output fig1.html\n",
     1, INT_MAX},
    {"list", command_list, "show what a scenario can name: algorithms, parameters, columns",
     "list [NAME|KIND|ELEMENT|elements|columns] [OPTIONS]\n\n"
     "Shows every algorithm by kind; with a name its parameters, bounds, defaults, presets and "
     "source.\n",
     "m",
     "\nExamples:\n  weft list\n  weft list themis\n  weft list balancer\n"
     "  weft list failure\n  weft list columns --markdown\n",
     0, 1},
    {"schema", command_schema, "print the RELAX NG schema of scenarios",
     "schema\n\n"
     "Prints the RELAX NG schema of scenarios, made from the algorithms' tables.\n",
     "", "\nExample:\n  weft schema > scenarios/weft.rng\n", 0, 0},
};

#define NCOMMANDS (sizeof commands / sizeof *commands)

static void
usage(FILE *out)
{
    fprintf(out, "usage: weft COMMAND [OPTIONS] ...\n\n");
    for (size_t i = 0; i < NCOMMANDS; i++)
    {
        print_shown(out, "  %-10s %s\n", commands[i].name, commands[i].doc);
    }
    fprintf(out, "\n'weft COMMAND --help' explains a command. For example:\n"
                 "  weft run scenarios/themis/fig1.xml\n"
                 "  weft list themis\n");
}

/** Where standard input, output or errors are closed, the next file that is opened would take their
 * place, and messages would be written into results. Opened so that they still cannot be used. */
static void
occupy_standard_files(void)
{
    int fd;
    do
    {
        fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
    {
        close(fd);
    }
}

/** Does what a command line asks for; returns an exit status. */
static int
call(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    {
        if (argc > 2 && argv[2][0] != '-')
        {
            return call(3, (char *[]){argv[0], argv[2], "--help", NULL});
        }
        usage(stdout);
        return EXIT_GOOD;
    }
    if (strcmp(name, "--version") == 0)
    {
        print_shown(stdout, "weft %s\n", provenance_version());
        return EXIT_GOOD;
    }
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < NCOMMANDS; i++)
    {
        if (strcmp(commands[i].name, name) == 0)
        {
            return command_call(commands, NCOMMANDS, &commands[i], argc - 1, argv + 1);
        }
        nearest_try(&near, commands[i].name);
    }
    if (*name)
    {
        /* Commands of the launcher, which hands on those that it does not know. */
        const char *others = getenv("WEFT_COMMANDS");
        CLEANUP(words_free) struct words also = words_split(others ? others : "");
        nearest_try_words(&near, &also);
        OWNED char *hint = access(name, F_OK) == 0 ? xformat("; did you mean 'weft run %s'?", name)
                                                   : xstrdup(did_you_mean(near.best));
        print_shown(stderr,
                    "weft: error: unknown command '%s'%s\n'weft --help' lists the commands\n", name,
                    hint);
        return EXIT_BAD_INPUT;
    }
    usage(stderr);
    return EXIT_BAD_INPUT;
}

int
main(int argc, char **argv)
{
    occupy_standard_files();
    process_title_init(argc, argv);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files: writes fail, and say so */
    provenance_command(argc, argv);
    run_without_memory(on_out_of_memory);
    signal(SIGUSR1, SIG_IGN); /* it asks where runs are; as long as there are none, nowhere */
    const int status = call(argc, argv);
    /* A full disk behind standard output must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
    {
        fprintf(stderr, "weft: error: cannot write to standard output\n");
        return EXIT_FAILED;
    }
    return status;
}
