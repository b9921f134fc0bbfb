/* SPDX-License-Identifier: GPL-2.0-only */
/* The weft command. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "memory-out.h"
#include "process-title.h"
#include "provenance.h"
#include "sweep-run.h"
#include "textbuf.h"

static const struct command commands[] = {
    {"run", command_run, "run all runs of a scenario, print its table, draw its figures"},
    {"sweep", command_sweep, "the same as run"},
    {"run-one", command_run_one, "run a single run of a sweep (what --plan prints)"},
    {"plan", command_plan, "print one command per run, for GNU parallel or a Slurm array"},
    {"collect", command_collect, "make table and figures of what is finished, run nothing"},
    {"validate", command_validate, "check scenarios and run nothing"},
    {"plot", command_plot, "draw the figures of finished runs again"},
    {"query", command_query, "ask results in SQL"},
    {"report", command_report, "set a paper's claims beside the results, as Markdown"},
    {"reproduce", command_reproduce, "run all that a paper's claims rest on, and report"},
    {"list", command_list, "show what a scenario can name: algorithms, parameters, columns"},
    {"schema", command_schema, "print the RELAX NG schema of scenarios"},
};

#define NCOMMANDS (sizeof commands / sizeof *commands)

static void
usage(FILE *out)
{
    fprintf(out, "usage: weft COMMAND [OPTIONS] ...\n\n");
    for (size_t i = 0; i < NCOMMANDS; i++)
    {
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].doc);
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

int
main(int argc, char **argv)
{
    occupy_standard_files();
    process_title_init(argc, argv);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files: writes fail, and say so */
    provenance_command(argc, argv);
    memory_out_is(on_out_of_memory);
    signal(SIGUSR1, SIG_IGN); /* it asks where runs are; as long as there are none, nowhere */
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    {
        usage(stdout);
        return EXIT_GOOD;
    }
    if (strcmp(name, "--version") == 0)
    {
        printf("weft %s\n", provenance_version());
        return EXIT_GOOD;
    }
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < NCOMMANDS; i++)
    {
        if (strcmp(commands[i].name, name) == 0)
        {
            int status = commands[i].run(argc - 1, argv + 1);
            /* A full disk behind standard output must not look like success. */
            if (fflush(stdout) != 0 || ferror(stdout))
            {
                fprintf(stderr, "weft: error: cannot write to standard output\n");
                return EXIT_FAILED;
            }
            return status;
        }
        nearest_try(&near, commands[i].name);
    }
    if (*name)
    {
        fprintf(stderr, "weft: error: unknown command '%s'%s\n\n", name, did_you_mean(near.best));
    }
    usage(stderr);
    return EXIT_BAD_INPUT;
}
