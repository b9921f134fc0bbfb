/* SPDX-License-Identifier: GPL-2.0-only */
/** @file commands.h  The commands of weft; argv[0] is the command's name. */
#ifndef WEFT_RUNNER_COMMANDS_H
#define WEFT_RUNNER_COMMANDS_H

struct command
{
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
};

int command_run(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_run_one(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_collect(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_report(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_list(int argc, char **argv);
int command_query(int argc, char **argv);
int command_schema(int argc, char **argv);

#endif
