/* SPDX-License-Identifier: GPL-2.0-only */
/** @file rank-table.h  A scheme's results beside those of others: tables and a figure. */
#ifndef WEFT_RUNNER_RANK_TABLE_H
#define WEFT_RUNNER_RANK_TABLE_H

#include "experiment.h"

/** The column of what was run for it, which has the scheme's name. */
#define RANK_COLUMN "scheme"

struct ranking
{
    const char *name; /**< of the scheme */
    char *others;     /**< results of the others, as database_open() takes them */
    char *scenario;   /**< the file that those were made from */
    char *column;     /**< their column of schemes */
    char *again;      /**< one of them, of which one run is made again */
    char *case_again; /**< what that run has in RANK_COLUMN */
    char *out;        /**< results folder of what was run for it */
    struct experiment experiment;
};

/** Whether a dimension is traffic, links and the like: neither schemes nor seeds. */
bool rank_is_condition(const struct plan_dimension *dim);

/** Prints the scheme's row above the others', and in which columns it is ahead of which of them;
 * writes that to rank.csv and, if @p figure, draws rank.svg. @p db: the others'. An exit status. */
int rank_show(const struct ranking *r, struct database *db, bool figure);

#endif
