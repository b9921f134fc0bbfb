/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure.h Figure: what its element says, and the numbers that it shows. */
#ifndef WEFT_RUNNER_FIGURE_H
#define WEFT_RUNNER_FIGURE_H

#include "columns.h"
#include "figure-element.h"
#include "query.h"
#include "sweep-plan.h"
#include "textbuf.h"

/** Point of a figure. For a box, y is the median, and the whisker ends at the last values within
 * 1.5 times the distance of the quartiles from them. */
struct figure_point
{
    double x;                         /**< lines, cdf and scatter; else NAN */
    double y;                         /**< a mean; z of a heat map */
    double low, high;                 /**< of its whisker; y itself where there is none */
    double end;                       /**< of a timeline: it lasts from x to there, in row y */
    double first, third, least, most; /**< of a box: quartiles and extremes */
    size_t n;                         /**< values that it is of; 0: nothing there */
};

/** A value of the horizontal axis that has a name. */
struct figure_tic
{
    double x;
    char *name;
    bool labelled; /**< by the scenario; else it is the parameter's value */
};

/** Names that tell points apart in one way: each value of a column, or of several together, once,
 * in the order in which they come. */
struct figure_names
{
    size_t n, parts;                  /**< parts: columns */
    char **keys;                      /**< [value * parts + part]: the cells */
    char **names;                     /**< [value]: what they are called in the figure */
    const struct plan_column *column; /**< of the sweep that the first part is; NULL: none */
};

/** The numbers: curves of points, by categories (bars, boxes; a heat map's rows are its series) or
 * along x (lines, cdf, scatter). Each panel has a curve of each series: curve panel * series.n +
 * series, perhaps an empty one. Its points are those from first[curve] to before first[curve + 1],
 * of categories one each. */
struct figure_data
{
    struct figure_names series, panels; /**< one without a name where the figure has none */
    struct figure_names categories;     /**< below the axis of bars, boxes and heat maps */
    struct figure_names lanes;          /**< rows of a timeline */
    size_t ncurves;                     /**< panels.n * series.n */
    size_t *first;                      /**< [curve]; and of one behind the last */
    struct figure_point *points;
    size_t npoints;            /**< in all */
    struct figure_point *line; /**< bars: a further line over the categories, or NULL */
    struct figure_tic *tics;   /**< lines: what the sweep calls values of x, ascending */
    size_t ntics;
    bool whiskers;          /**< its points may have them */
    bool counted;           /**< it is known how many values a point is the mean of */
    char *remarks;          /**< notes on the results, in short; NULL: none */
    size_t nruns, nlacking; /**< runs shown, or rows of a <query>; those of them that lack values */
};

/** Reads what the figure shows from the results. NULL with what was wrong, in which line of the
 * scenario. */
struct figure_data *figure_read(const struct plan *plan, const struct figure *figure,
                                struct database *results, struct query_mistake *mistake);
void figure_data_free(struct figure_data *data);

/** Adds a point behind all others. */
void figure_add_point(struct figure_data *d, struct figure_point p);

/** Whether there are series that a legend names. */
bool figure_data_has_series(const struct figure_data *data);

/** Fewer values make an interval that is mostly Student's t: 12.7 standard errors for two, 4.3 for
 * three, 2.8 for five. */
#define FEW_VALUES 5

/** Whether it shows confidence intervals, none of them of as many values as FEW_VALUES. */
bool figure_has_short_intervals(const struct figure *figure, const struct figure_data *data);

/** Reads a <figure>, which figure_drop() frees, after document_check(). False: it has no name or no
 * template. What has no meaning in its template counts as not given. */
bool figure_load(struct figure *f, const struct element *e);
void figure_drop(struct figure *f);

/** Whether its kind is one of a FIGURE_SET(). */
bool figure_is(const struct figure *figure, unsigned kinds);

/** Whether names stand along its horizontal axis, not numbers. */
bool figure_has_categories(const struct figure *figure);

/** The names of its rows: the series of a heat map, the lanes of a timeline; else none. */
const struct figure_names *figure_rows(const struct figure *figure, const struct figure_data *data);

/** The column that tells its curves apart, or NULL: "series", or the rows of a heat map. */
const char *figure_series(const struct figure *figure);

/** The table that it reads. */
const struct column_table *figure_table(const struct figure *figure);

/** The name of the line over its bars. */
const char *figure_line_label(const struct figure *figure);

/** The column whose values it shows: x of a distribution, z of a heat map, else y. */
const char *figure_shown(const struct figure *figure);

/** Whether a reference is a <mark>, which has a place along x, and no <level>. */
bool figure_is_mark(const struct figure_reference *reference);

/** Whether the runs at a point of a dimension are in the figure. */
bool figure_shows_point(const struct figure *figure, const struct plan_dimension *dim, size_t p);

/**
 * Reports what varies besides seeds among the runs, or the rows of a run, that share a point, a box
 * or a curve of the figure: a mean over sizes says nothing, and its whiskers would look like those
 * of seeds. Unless pool="on" says that it is meant.
 */
void figure_check_pooling(const struct plan *plan, const struct figure *figure,
                          struct diagnostics *d);

#endif
