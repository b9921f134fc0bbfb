/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-names.h  What columns are called in figures whose author does not say. */
#ifndef WEFT_RUNNER_FIGURE_NAMES_H
#define WEFT_RUNNER_FIGURE_NAMES_H

#include <stdbool.h>

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
