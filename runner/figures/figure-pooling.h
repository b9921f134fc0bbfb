/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-pooling.h  Whether a figure's means are over seeds alone. */
#ifndef WEFT_RUNNER_FIGURE_POOLING_H
#define WEFT_RUNNER_FIGURE_POOLING_H

#include "figure.h"

/**
 * Reports what varies besides seeds among the runs, or the rows of a run, that share a point, a box
 * or a curve of the figure: a mean over sizes says nothing, and its whiskers would look like those
 * of seeds. Unless pool="on" says that it is meant.
 */
void figure_check_pooling(const struct plan *plan, const struct element *figure,
                          struct diagnostics *d);

#endif
