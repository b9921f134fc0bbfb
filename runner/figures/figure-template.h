/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-template.h  The gnuplot text that draws a figure. */
#ifndef WEFT_RUNNER_FIGURE_TEMPLATE_H
#define WEFT_RUNNER_FIGURE_TEMPLATE_H

#include "figure.h"

/** plots/frame.gp, the template, of plots/ or of the user's own, and plots/draw.gp. NULL with a
 * sentence in *why; else the caller frees it. */
char *figure_template(const struct plan *plan, const struct element *figure, char **why);

/** Reports a template of the user's own that cannot be read. */
void figure_template_check(const struct plan *plan, const struct element *figure,
                           struct diagnostics *d);

#endif
