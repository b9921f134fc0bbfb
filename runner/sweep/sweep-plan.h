/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sweep-plan.h  The runs of a scenario: what varies, and each run's values and name. */
#ifndef WEFT_RUNNER_SWEEP_PLAN_H
#define WEFT_RUNNER_SWEEP_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "database.h"
#include "diagnostics.h"
#include "document.h"
#include "overrides.h"
#include "query.h"
#include "scenario-load.h"

/** Most runs of one scenario. */
#define PLAN_MOST_RUNS 100000

/** Look of a case; what is not given is Weft's to choose. */
struct plan_look
{
    bool has_colour, has_style;
    unsigned colour; /**< 0xRRGGBB */
    unsigned style;  /**< which of the styles: solid, dashed and so on, from 0 */
};

/** The colours that have names, which are those of Weft's own cycle and in its order. */
#define PLAN_COLOURS 7
extern const unsigned plan_colours[PLAN_COLOURS];

#define PLAN_STYLES 5

/** Takes a word of @p attribute of @p e, such as "blue", "#0072B2" or, as a style, "dashed".
 * Reports what is none. */
void plan_look_take(struct plan_look *look, const struct element *e, const char *attribute,
                    const char *word, struct diagnostics *d);

/** Value of a dimension: what it sets, and what its columns show. */
struct plan_point
{
    struct override *sets;
    size_t nsets;
    const struct element *adds; /**< the <case> whose failures are its runs'; NULL: none */
    char **cells;               /**< one per column of the dimension */
    char *label;                /**< for figures; NULL: the cell */
    struct plan_look look;
};

/** Dimension: one thing that varies; the dimensions of a plan multiply. */
struct plan_dimension
{
    char **columns; /**< names of its columns in summary.csv */
    size_t ncolumns;
    bool is_cases; /**< its cell alone, without "column=", goes into the run's name */
    bool is_seeds;
    bool has_cases; /**< its points may set different parameters */
    struct plan_point *points;
    size_t npoints;
};

/** Column of what varies. */
struct plan_column
{
    const struct plan_dimension *dim;
    size_t cell; /**< which of the dimension's columns it is */
};

struct plan
{
    const struct document *doc;
    char *name; /**< of the scenario */
    struct plan_dimension *dimensions;
    size_t ndimensions;
    struct plan_column *columns; /**< of all dimensions */
    struct database_key *keys;   /**< the same as columns of results.sqlite */
    size_t ncolumns;
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
    char *const *cases; /**< "NAME: element.attribute=value, ..." */
    size_t ncases;
    const char *host; /**< of runs (run-host.h), to be said again; NULL: the default */
    enum quick_choice quick;
};

/** NULL after errors, which are in @p d. @p doc must outlive the plan. */
struct plan *plan_build(const struct document *doc, const struct plan_options *options,
                        struct diagnostics *d);

void plan_free(struct plan *plan);

/** The point of dimension @p k in run @p i. The first dimension varies slowest. */
const struct plan_point *plan_point(const struct plan *plan, size_t i, size_t k);

/** The column of that name; NULL: none. */
const struct plan_column *plan_column(const struct plan *plan, const char *name);

/** The value of a column at a point of its dimension. */
const char *plan_cell(const struct plan_column *column, size_t p);

/** The values in run @p i of what varies, one for each of plan->keys. They are the plan's; the
 * caller frees the array. */
const char **plan_cells(const struct plan *plan, size_t i);

/** The tables that the results of a plan will have, without rows: to try queries before there are
 * any results. NULL if there is no memory for them. */
struct database *plan_tables(const struct plan *plan);

/** Names the runs: plan->names, of plan->nruns. */
void plan_name_runs(struct plan *plan);

/** Loads run @p i. NULL after errors. */
struct scenario *plan_load(const struct plan *plan, size_t i, struct diagnostics *d);

/** Checks the names of the runs and loads each of them; true if all is well. */
bool plan_check(const struct plan *plan, struct diagnostics *d);

#endif
