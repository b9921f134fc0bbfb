/* SPDX-License-Identifier: GPL-2.0-only */
/** @file loaded.h  A scenario file with its plan, checked: what the commands work on. */
#ifndef WEFT_RUNNER_LOADED_H
#define WEFT_RUNNER_LOADED_H

#include "sweep-run.h"

struct loaded
{
    struct document *doc;
    struct plan *plan;
};

/** Reads and checks everything; false after printing all errors. */
bool loaded_read(const char *path, const struct plan_options *options, struct loaded *l);
void loaded_free(struct loaded *l);

/** The same for a scenario's file, or the results folder that keeps it: *out is that folder, else
 * @p chosen or where 'weft run' puts the results; the caller frees it. */
bool loaded_read_results(const char *file_or_folder, const char *chosen,
                         const struct plan_options *options, struct loaded *l, char **out);

/** Draws the figures (@p only: that one) while nobody else writes tables or figures there. False
 * after messages if not all were drawn. */
bool loaded_draw(const struct loaded *l, const char *out, const char *only);

/** Runs what is selected and, if @p figures and all went well, draws. An exit status. */
int loaded_sweep(const struct loaded *l, const struct sweep_options *options, bool figures);

#endif
