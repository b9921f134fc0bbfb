/* SPDX-License-Identifier: GPL-2.0-only */
/** @file experiment.h  A scenario file with its plan, checked: what the commands work on. */
#ifndef WEFT_RUNNER_EXPERIMENT_H
#define WEFT_RUNNER_EXPERIMENT_H

#include "sweep-run.h"

struct experiment
{
    struct document *doc;
    struct plan *plan;
};

/** Reads and checks everything; false after printing all errors. */
bool experiment_read(const char *path, const struct plan_options *options, struct experiment *l);
void experiment_free(struct experiment *l);

/** Reads a scenario's file, or the results folder that keeps it: *out is that folder, else @p
 * chosen or where 'weft run' puts the results; the caller frees it. */
bool experiment_read_results(const char *file_or_folder, const char *chosen,
                             const struct plan_options *options, struct experiment *l, char **out);

/** Draws the figures (@p only: that one), with the runs of other results @p beside, while nobody
 * else writes tables or figures there. False after messages if not all were drawn. */
bool experiment_draw(const struct experiment *l, const char *out, const char *only,
                     const char *beside);

/** Runs what is selected and, if @p figures and all went well, draws. An exit status. */
int experiment_sweep(const struct experiment *l, const struct sweep_options *options, bool figures);

#endif
