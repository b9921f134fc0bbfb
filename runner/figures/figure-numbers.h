/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-numbers.h  NAME.dat: the numbers of a figure, in blocks that gnuplot reads. */
#ifndef WEFT_RUNNER_FIGURE_NUMBERS_H
#define WEFT_RUNNER_FIGURE_NUMBERS_H

#include "figure.h"

/** The file's text. The caller frees it. */
char *figure_numbers(const struct element *figure, const struct figure_data *data);

/** Whether some mean is over more than one value; *least and *most of them, of the means that are
 * over any. */
bool figure_has_spread(const struct figure_data *data, size_t *least, size_t *most);

/**
 * The places of values along an axis of a heat map, by their first parts: ascending where all are
 * numbers, else as they come. The caller frees them.
 */
size_t *figure_places(const struct figure_names *names);

#endif
