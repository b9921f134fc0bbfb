/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-texts.h  What a figure says besides its numbers, and how much of its spread it
 * shows. */
#ifndef WEFT_RUNNER_FIGURE_TEXTS_H
#define WEFT_RUNNER_FIGURE_TEXTS_H

#include "figure-layout.h"

/** How lines show their spread: the choices of the attribute "spread". */
enum figure_spread
{
    SPREAD_AUTO,
    SPREAD_BAND,
    SPREAD_BARS,
    SPREAD_NONE,
};

/** How this one does, never SPREAD_AUTO: bands of many lines cover one another. */
enum figure_spread figure_spread(const struct element *figure, const struct figure_data *data);

/** Whether a line has so many points that dashes, or a whisker at each, would break it up. */
bool figure_is_dense(const struct element *figure, const struct figure_data *data);

/** The texts around the plots. */
struct figure_texts figure_texts_make(const struct plan *plan, const struct element *figure,
                                      const struct figure_data *data);
void figure_texts_free(struct figure_texts *t);

/**
 * The name of a column, of a CSV file or of the sweep, with the unit of its numbers times @p scale:
 * "completion time (ms)" for cct_us and 0.001. Without @p numbers, where its cells stand as they
 * are and carry their units, the name alone. "" for the column of <cases> without a name. The
 * caller frees it.
 */
char *column_title(const char *column, double scale, bool numbers);

/** The names of the columns in a list of words, with commas. The caller frees it. */
char *columns_title(const char *columns, double scale, bool numbers);

#endif
