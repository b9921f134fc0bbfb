/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-layout.h  Where the text of a figure fits, and the ends of its automatic axes. */
#ifndef WEFT_RUNNER_FIGURE_LAYOUT_H
#define WEFT_RUNNER_FIGURE_LAYOUT_H

#include "figure.h"

/** Mean of a point, and the two ends of its spread. Needs n > 0. */
struct figure_spread
{
    double mean, low, high;
};

/** @p deviation: one standard deviation on either side; else the extremes. */
struct figure_spread figure_spread_of(const struct figure_point *p, bool deviation);

/** How the names below an axis are written. */
struct label_layout
{
    size_t width;   /**< characters after which a name goes on in another line */
    size_t lines;   /**< most of them */
    size_t longest; /**< characters in the longest line */
    bool slanted;   /**< they have no room side by side */
};

/** For @p n names side by side. */
struct label_layout label_layout(char *const *names, size_t n);

/** The bytes of a name's next line: as many words as fit, but one at least. The space behind them
 * belongs to no line. */
size_t label_line(const char *name, size_t width);

/** Adds legend_rows, legend_columns and legend_font. */
void add_legend(struct text *t, const struct element *figure, const struct figure_data *data);

/** Adds the least and the greatest value of both axes: x_least, x_most, y_least, y_most; of a
 * logarithmic axis those above 0. */
void add_extent(struct text *t, const struct element *figure, const struct figure_data *data);

#endif
