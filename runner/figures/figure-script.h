/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-script.h  What gnuplot reads to draw a figure. */
#ifndef WEFT_RUNNER_FIGURE_SCRIPT_H
#define WEFT_RUNNER_FIGURE_SCRIPT_H

#include "figure.h"

/**
 * NAME.gp: the settings of a figure, then the template that draws it. The texts of the scenario and
 * of the results stand in a block of data that gnuplot does not evaluate; nothing else in the
 * script is theirs but the figure's name, which has letters, digits and . _ - + = only, and the
 * template, if it is one of the user's own. Returns NULL with a sentence in *why if there is no
 * template, or no room for the figure. The caller frees it.
 */
char *figure_script(const struct plan *plan, const struct element *figure,
                    const struct figure_data *data, char **why);

#endif
