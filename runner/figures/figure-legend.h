/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-legend.h  How large the legend of a figure is, and where it stands. */
#ifndef WEFT_RUNNER_FIGURE_LEGEND_H
#define WEFT_RUNNER_FIGURE_LEGEND_H

#include "figure-layout.h"

/** Where it is to stand, its rows and columns and its font; @p titled: with a title above. */
void legend_lay_out(struct figure_layout *l, const struct element *figure,
                    const struct figure_data *data, bool titled);

/** The room that it takes, with its distance to what stands below it. */
double legend_height(const struct figure_layout *l);

/** Its place, given that of the plots. False: it is to stand in the first of them and would cover
 * something there in each corner; then it is on top after another layout. */
bool legend_place(struct figure_layout *l, const struct element *figure,
                  const struct figure_data *data);

#endif
