/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-script.h Files that gnuplot reads to draw a figure: NAME.gp and NAME.dat. */
#ifndef WEFT_RUNNER_FIGURE_SCRIPT_H
#define WEFT_RUNNER_FIGURE_SCRIPT_H

#include "figure.h"

/**
 * NAME.gp: the settings of a figure, then the template that draws it. The texts of the scenario and
 * of the results stand in a block of data that gnuplot does not evaluate; nothing else in the
 * script is theirs but the figure's name, which has letters, digits and . _ - + = only, and the
 * template, if it is one of the user's own. Returns NULL with a sentence in *why if there is no
 * template. The caller frees it.
 */
char *figure_script(const struct plan *plan, const struct figure *figure,
                    const struct figure_data *data, char **why);

/** NAME.dat: the numbers of a figure, in blocks that gnuplot reads. The caller frees it. */
char *figure_numbers(const struct figure *figure, const struct figure_data *data);

/** Whether some mean is over more than one value; *least and *most of them, of the means that are
 * over any. */
bool figure_has_spread(const struct figure_data *data, size_t *least, size_t *most);

/**
 * The places of values along an axis of a heat map, by their first parts: ascending where all are
 * numbers, else as they come. The caller frees them.
 */
size_t *figure_places(const struct figure_names *names);

/** The places of the categories along their axis: those of a heat map as above, else as they come.
 * The caller frees them. */
size_t *figure_category_places(const struct figure *figure, const struct figure_data *data);

/** plots/frame.gp, the template, of plots/ or of the user's own, and plots/draw.gp. NULL with a
 * sentence in *why; else the caller frees it. */
char *figure_template(const struct plan *plan, const struct figure *figure, char **why);

/** Reports a template of the user's own that cannot be read. */
void figure_template_check(const struct plan *plan, const struct figure *figure,
                           struct diagnostics *d);

#endif
