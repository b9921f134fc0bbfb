/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-element.h  A <figure> as its attributes say it: the places that the vocabulary
 * fills. */
#ifndef WEFT_RUNNER_FIGURE_ELEMENT_H
#define WEFT_RUNNER_FIGURE_ELEMENT_H

#include "document.h"
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
    DATA_TIMELINE,
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
    FIGURE_TIMELINE,
};

/** Sets of kinds. */
#define FIGURE_SET(kind) (1U << (kind))
#define FIGURE_ALL       (~0U)
#define FIGURES_OF_BARS  (FIGURE_SET(FIGURE_BARS) | FIGURE_SET(FIGURE_GROUPED_BARS))
#define FIGURES_OF_LINES FIGURE_SET(FIGURE_LINES)
/** Figures of what lasts from x to an end. */
#define FIGURES_OF_SPANS FIGURE_SET(FIGURE_TIMELINE)
/** Figures of means that have whiskers. */
#define FIGURES_OF_WHISKERS (FIGURES_OF_BARS | FIGURES_OF_LINES)
/** Figures with numbers along x. */
#define FIGURES_OF_NUMBERS                                                                         \
    (FIGURES_OF_LINES | FIGURE_SET(FIGURE_CDF) | FIGURE_SET(FIGURE_SCATTER) | FIGURES_OF_SPANS)
#define FIGURES_OF_DISTRIBUTIONS (FIGURE_SET(FIGURE_CDF) | FIGURE_SET(FIGURE_BOX))
/** Figures that show rows one by one or their distribution, and not a mean of several. */
#define FIGURES_OF_ROWS (FIGURES_OF_DISTRIBUTIONS | FIGURE_SET(FIGURE_SCATTER) | FIGURES_OF_SPANS)
/** Figures whose curves "series" tells apart. */
#define FIGURES_OF_SERIES (~(FIGURE_SET(FIGURE_BARS) | FIGURE_SET(FIGURE_HEATMAP)))
/** Figures with numbers along y, and those with numbers by colour. */
#define FIGURES_OF_COLOURS FIGURE_SET(FIGURE_HEATMAP)
#define FIGURES_OF_HEIGHTS (~(FIGURES_OF_COLOURS | FIGURES_OF_SPANS))

/** Spans of the whiskers of a mean: the choices of the attribute "error". */
enum figure_error
{
    ERROR_CI95,
    ERROR_EXTREMES,
    ERROR_STDDEV,
};

/** Where the legend stands: the choices of the attribute "legend". */
enum legend_place
{
    LEGEND_NONE,
    LEGEND_TOP,
    LEGEND_RIGHT,
    LEGEND_INSIDE,
};

/** How lines show their spread: the choices of the attribute "spread". */
enum figure_spread
{
    SPREAD_AUTO,
    SPREAD_BAND,
    SPREAD_BARS,
    SPREAD_NONE,
};

/** Attributes x, x-label, x-scale and so on of an axis. */
struct axis_attributes
{
    const char *column, *label; /**< NULL: not given */
    double scale;
    int64_t log;
    double from, to; /**< NAN, and of to also 0: automatic */
};

/** A condition of "where", column=value. */
struct figure_condition
{
    char *column;
    char *value; /**< NULL: it is no condition; column is all of it */
};

/** A <level> or <mark>. */
struct figure_reference
{
    const struct element *e;
    double x, y;
    const char *label;
};

struct figure
{
    const struct element *e;
    const struct element
        *query;               /**< <query>, which says in SQL what it shows; NULL: attributes do */
    enum figure_kind kind;    /**< its template's; of one of the user's own that of like="" */
    const char *own_template; /**< a file ending in .gp; NULL: one of plots/ */
    struct axis_attributes x, y, z;
    struct words x_columns;
    struct figure_condition *conditions; /**< of "where" */
    size_t nconditions;
    struct figure_reference *references; /**< in the order of the file */
    size_t nreferences;
    const char *name, *template, *title, *series, *series_label, *panels, *where, *relative_to,
        *line, *line_label, *end, *width, *height, *font;
    int64_t like, data, legend, panel_columns, panel_axes, pool, values, points, spread, error,
        note;
    double font_size;
};

#endif
