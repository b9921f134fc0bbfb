/* SPDX-License-Identifier: GPL-2.0-only */
/** @file commands.h Commands of weft; each returns its exit status. */
#ifndef WEFT_RUNNER_COMMANDS_H
#define WEFT_RUNNER_COMMANDS_H

#include "arguments.h"

int command_run(const struct arguments *a);
int command_run_one(const struct arguments *a);
int command_validate(const struct arguments *a);
int command_plot(const struct arguments *a);
int command_export(const struct arguments *a);
int command_look(const struct arguments *a);
int command_report(const struct arguments *a);
int command_list(const struct arguments *a);
int command_query(const struct arguments *a);
int command_schema(const struct arguments *a);

#endif
