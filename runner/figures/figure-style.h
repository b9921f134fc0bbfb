/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file figure-style.h  Colour, dashes, marker and pattern of what a figure shows.
 *
 * A style is one number: colour, dashes, marker and pattern each go round with it, and the lengths
 * of these cycles have no common factor, so that the first FIGURE_BAR_STYLES styles differ as bars
 * and the first FIGURE_LINE_STYLES as lines. A balancer has the same style in every figure.
 */
#ifndef WEFT_RUNNER_FIGURE_STYLE_H
#define WEFT_RUNNER_FIGURE_STYLE_H

#include "figure.h"

#define FIGURE_COLOURS     7
#define FIGURE_DASHES      5
#define FIGURE_MARKERS     8
#define FIGURE_PATTERNS    6
#define FIGURE_BAR_STYLES  (FIGURE_COLOURS * FIGURE_PATTERNS)
#define FIGURE_LINE_STYLES (FIGURE_COLOURS * FIGURE_DASHES * FIGURE_MARKERS)

/** 0xRRGGBB. Okabe and Ito's, without yellow, which white paper swallows: apart from one another
 * with any of the three kinds of colour blindness as well. */
extern const unsigned figure_colours[FIGURE_COLOURS];
/** gnuplot's types of dashes, of points and of filled patterns. */
extern const unsigned figure_dashes[FIGURE_DASHES];
extern const unsigned figure_markers[FIGURE_MARKERS];
extern const unsigned figure_patterns[FIGURE_PATTERNS];

/** The style of a balancer: its place in the table of figure-style.c; one that is not there comes
 * behind, by its place in the registry. */
size_t figure_balancer_style(const char *name);

/**
 * The styles of values, by their first parts: those of the balancers that they stand for, also by
 * way of <cases>; of several with one balancer the first has its style and the others its colour;
 * and what is no balancer goes through the cycle. @p styles has room for all. Returns whether there
 * is any balancer.
 */
bool figure_styles(const struct plan *plan, const struct figure_names *names, size_t *styles);

#endif
