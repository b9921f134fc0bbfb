/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sweep-plan.h  The runs of a scenario: what varies, and each run's values and name. */
#ifndef WEFT_RUNNER_SWEEP_PLAN_H
#define WEFT_RUNNER_SWEEP_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "overrides.h"
#include "plan-look.h"
#include "scenario-load.h"

/** Most runs of one scenario. */
#define PLAN_MOST_RUNS 100000

/** One value of a dimension: what it sets, and what its columns show. */
struct plan_point
{
    struct override *sets;
    size_t nsets;
    char **cells; /**< one per column of the dimension */
    char *label;  /**< for figures; NULL: the cell */
    struct plan_look look;
};

/** One thing that varies; the dimensions of a plan multiply. */
struct plan_dimension
{
    char **columns; /**< names of its columns in summary.csv */
    size_t ncolumns;
    bool is_cases; /**< its cell alone, without "column=", goes into the run's name */
    bool is_seeds;
    struct plan_point *points;
    size_t npoints;
};

struct plan
{
    const struct document *doc;
    char *name; /**< of the scenario */
    struct plan_dimension *dimensions;
    size_t ndimensions;
    struct override *fixed; /**< from the command line, for all runs */
    size_t nfixed;
    size_t nruns;
    char **names; /**< [run]: readable, unique, can be a folder */
};

/** Whether the quick version of a scenario is asked for. */
enum quick_choice
{
    QUICK_NO,
    QUICK_YES,
    QUICK_IF_ANY, /**< the scenario itself where it has none */
};

/** Options of the command line that change what is run. */
struct plan_options
{
    char *const *sets; /**< "element.attribute=value" */
    size_t nsets;
    const char *scheduler; /**< an ns-3 scheduler's type; NULL: as the scenario says */
    enum quick_choice quick;
};

/** NULL after errors, which are in @p d. @p doc must outlive the plan. */
struct plan *plan_build(const struct document *doc, const struct plan_options *options,
                        struct diagnostics *d);

void plan_free(struct plan *plan);

/** The point of dimension @p k in run @p i. The first dimension varies slowest. */
const struct plan_point *plan_point(const struct plan *plan, size_t i, size_t k);

/** Names the runs: plan->names, of plan->nruns. */
void plan_name_runs(struct plan *plan);

/** Loads run @p i. NULL after errors. */
struct scenario *plan_load(const struct plan *plan, size_t i, struct diagnostics *d);

/** Checks the document and loads every run of it; true if all is well. */
bool plan_check(const struct plan *plan, struct diagnostics *d);

#endif
