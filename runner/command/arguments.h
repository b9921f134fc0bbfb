/* SPDX-License-Identifier: GPL-2.0-only */
/** @file arguments.h  The commands of weft, what each takes, and a command line in parts. */
#ifndef WEFT_RUNNER_ARGUMENTS_H
#define WEFT_RUNNER_ARGUMENTS_H

#include "sweep-run.h"
#include "textbuf.h"

struct command;

/** A command line. Options that were not given have their defaults. */
struct arguments
{
    const struct command *command;
    const struct command *all; /**< commands there are */
    size_t nall;
    char *const *files;
    int nfiles;
    struct sweep_options sweep;
    struct plan_options plan;
    struct words sets, cases, runs, others; /**< options that may be given several times */
    const char *figure, *query_file, *format, *results, *output, *to, *beside;
    long batch, rows, qp;
    double timeout;
    bool help, dry_run, print_plan, collect, markdown, no_figures, cost, sql, quick;
    bool html, open_data;
};

struct command
{
    const char *name;
    int (*run)(const struct arguments *a); /**< an exit status */
    const char *doc;                       /**< in the list of all commands */
    const char *usage;                     /**< first lines of --help */
    const char *options;                   /**< letters of those that it takes */
    const char *rest;                      /**< what --help says below them */
    int least, most;                       /**< arguments besides options */
};

/** Runs one of @p nall commands with its part of the command line: argv[0] is its name. Returns an
 * exit status: also that of --help, or of a mistake after its message. */
int command_call(const struct command *all, size_t nall, const struct command *command, int argc,
                 char **argv);

#endif
