/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure.h Figure: what its element says, and the numbers that it shows. */
#ifndef WEFT_RUNNER_FIGURE_H
#define WEFT_RUNNER_FIGURE_H

#include "columns.h"
#include "element-values.h"
#include "query.h"
#include "sweep-plan.h"
#include "textbuf.h"

/** Sources of a figure: the choices of its attribute "data". */
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

/** Kinds of figures: the templates of plots/, in the order of the attribute's choices. */
enum figure_kind
{
    FIGURE_BARS,
    FIGURE_GROUPED_BARS,
    FIGURE_LINES,
    FIGURE_CDF,
    FIGURE_HEATMAP,
    FIGURE_BOX,
    FIGURE_SCATTER,
};

/** Sets of kinds. */
#define FIGURE_SET(kind) (1U << (kind))
#define FIGURE_ALL       (~0U)
#define FIGURES_OF_BARS  (FIGURE_SET(FIGURE_BARS) | FIGURE_SET(FIGURE_GROUPED_BARS))
#define FIGURES_OF_LINES FIGURE_SET(FIGURE_LINES)
/** Figures of means that have whiskers. */
#define FIGURES_OF_WHISKERS (FIGURES_OF_BARS | FIGURES_OF_LINES)
/** Figures with numbers along x. */
#define FIGURES_OF_NUMBERS       (FIGURES_OF_LINES | FIGURE_SET(FIGURE_CDF) | FIGURE_SET(FIGURE_SCATTER))
#define FIGURES_OF_DISTRIBUTIONS (FIGURE_SET(FIGURE_CDF) | FIGURE_SET(FIGURE_BOX))
/** Figures that show rows one by one or their distribution, and not a mean of several. */
#define FIGURES_OF_ROWS (FIGURES_OF_DISTRIBUTIONS | FIGURE_SET(FIGURE_SCATTER))

/** Spans of the whiskers of a mean: the choices of the attribute "error". */
enum figure_error
{
    ERROR_CI95,
    ERROR_EXTREMES,
    ERROR_STDDEV,
};

/** Point of a figure. For a box, y is the median, and the whisker ends at the last values within
 * 1.5 times the distance of the quartiles from them. */
struct figure_point
{
    double x;                         /**< lines, cdf and scatter; else NAN */
    double y;                         /**< a mean; z of a heat map */
    double low, high;                 /**< of its whisker; y itself where there is none */
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
    size_t ncurves;                     /**< panels.n * series.n */
    size_t *first;                      /**< [curve]; and of one behind the last */
    struct figure_point *points;
    size_t npoints;            /**< in all */
    struct figure_point *line; /**< bars: a further line over the categories, or NULL */
    struct figure_tic *tics;   /**< lines: what the sweep calls values of x, ascending */
    size_t ntics;
    bool whiskers;          /**< its points may have them */
    bool counted;           /**< it is known how many values a point is the mean of */
    size_t nruns, nlacking; /**< runs shown, or rows of a <query>; those of them that lack values */
};

/** Reads what the figure shows from the results. NULL with what was wrong, in which line of the
 * scenario. */
struct figure_data *figure_read(const struct plan *plan, const struct element *figure,
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
bool figure_has_short_intervals(const struct element *figure, const struct figure_data *data);

/** Whether its kind is one of a FIGURE_SET(). */
bool figure_is(const struct element *figure, unsigned kinds);

/** Returns the built-in template; for a user's .gp file, the one named by like="". */
enum figure_kind figure_kind(const struct element *figure);

/** The user's own template, a file ending in .gp; NULL: one of plots/. */
const char *figure_own_template(const struct element *figure);

/** Whether names stand along its horizontal axis, not numbers. */
bool figure_has_categories(const struct element *figure);

/** The column that tells its curves apart, or NULL: "series", or the rows of a heat map. */
const char *figure_series(const struct element *figure);

/** The table that it reads. */
const struct column_table *figure_table(const struct element *figure);

/** Returns the figure's <query>, which says in SQL what it shows; NULL: its attributes do. */
const struct element *figure_own_query(const struct element *figure);

/** The name of the line over its bars. */
const char *figure_line_label(const struct element *figure);

/** The column whose values it shows: x of a distribution, z of a heat map, else y. */
const char *figure_shown(const struct element *figure);

/** Whether what stands in a figure is drawn in it: a <level> or a <mark>. */
bool figure_draws(const struct element *child);

/** Whether the runs at a point of a dimension are in the figure. */
bool figure_shows_point(const struct element *figure, const struct plan_dimension *dim, size_t p);

/**
 * Reports what varies besides seeds among the runs, or the rows of a run, that share a point, a box
 * or a curve of the figure: a mean over sizes says nothing, and its whiskers would look like those
 * of seeds. Unless pool="on" says that it is meant.
 */
void figure_check_pooling(const struct plan *plan, const struct element *figure,
                          struct diagnostics *d);

#endif
