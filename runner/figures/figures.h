/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figures.h  The figures of a scenario: checked with it, drawn by gnuplot from
 * results.sqlite. */
#ifndef WEFT_RUNNER_FIGURES_H
#define WEFT_RUNNER_FIGURES_H

#include "sweep-plan.h"

/** Reports columns and values in <figure> elements that will not exist. */
void figures_check(const struct plan *plan, struct diagnostics *d);

/**
 * Draws all figures of the plan's scenario, or the one named @p only, from the results in @p out,
 * and those @p beside (NULL: none), as database_put_beside() takes them: writes NAME.svg, NAME.png,
 * and NAME.gp and NAME.dat to redraw them by hand. Returns false after messages on standard error.
 */
bool figures_draw(const struct plan *plan, const char *out, const char *only, const char *beside);

/** Prints the query that each figure is made of, or that of the one named @p only. */
void figures_print_queries(const struct plan *plan, const char *only);

/** How many figures the scenario has. */
size_t figures_count(const struct plan *plan);

/** Whether there is a figure of that name (NULL: any will do); else says so. */
bool figures_know(const struct plan *plan, const char *only);

#endif
