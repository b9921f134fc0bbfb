/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure.h  One figure: what its element says, and the numbers that it shows. */
#ifndef WEFT_RUNNER_FIGURE_H
#define WEFT_RUNNER_FIGURE_H

#include "columns.h"
#include "csv.h"
#include "sweep-plan.h"
#include "textbuf.h"

/** What a figure reads: the choices of its attribute "data". */
enum figure_source
{
    DATA_SUMMARY,
    DATA_SERIES,
    DATA_QUEUES,
    DATA_LAYERS,
    DATA_STEPS,
    DATA_QPS,
    DATA_FLOWS,
    DATA_WORKLOADS,
};

/** One point of a figure: the mean of the runs that share it, with their extremes. */
struct figure_point
{
    double x; /**< lines and distributions only */
    double sum, squares, least, most;
    size_t n; /**< 0: nothing there */
};

/** A value of the horizontal axis that has a name. */
struct figure_tic
{
    double x;
    char *name;
    bool labelled; /**< by the scenario; else it is the parameter's value */
};

/** The numbers: series by categories (bars) or series of points (lines, cdf). */
struct figure_data
{
    char **series; /**< names in the legend */
    size_t nseries;
    char **categories; /**< bars: names below the axis */
    size_t ncategories;
    struct figure_point **points; /**< [series] */
    size_t *npoints;              /**< [series]; bars: ncategories */
    struct figure_point *line;    /**< bars: a further line over the categories, or NULL */
    struct figure_tic *tics;      /**< lines: what the sweep calls the values of x, ascending */
    size_t ntics;
    size_t nruns, nlacking; /**< runs shown; those of them without (some) values */
};

/** Reads what the figure needs from the results in @p out. NULL with a sentence in *why. */
struct figure_data *figure_read(const struct plan *plan, const struct element *figure,
                                const char *out, char **why);
void figure_data_free(struct figure_data *data);

/** A boolean, choice or real attribute of a <figure>, <level> or <mark>, with its default. */
union attribute_value figure_value(const struct element *figure, const char *name);

/** The CSV file that it reads, of the results or of each run. */
const struct column_table *figure_table(const struct element *figure);

/** The column whose values it shows: x of a distribution, else y. */
const char *figure_shown(const struct element *figure);

/** The dimension that has a column of that name, and the column's number in it; NULL: none. */
const struct plan_dimension *plan_column(const struct plan *plan, const char *name, size_t *cell);

#endif
