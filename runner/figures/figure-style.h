/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file figure-style.h  Colour, dashes, marker and pattern of what a figure shows.
 *
 * A style is one number: colour, dashes, marker and pattern each go round with it, and the lengths
 * of these cycles have no common factor, so that the first FIGURE_BAR_STYLES styles differ as bars
 * and the first FIGURE_LINE_STYLES as lines. A balancer has the same style in every figure, but for
 * what figure_looks() makes of it.
 */
#ifndef WEFT_RUNNER_FIGURE_STYLE_H
#define WEFT_RUNNER_FIGURE_STYLE_H

#include "figure.h"

/** Colours of plan_colours: Okabe and Ito's, without yellow, which white paper swallows; apart from
 * one another with any of the three kinds of colour blindness as well. */
#define FIGURE_COLOURS     PLAN_COLOURS
#define FIGURE_DASHES      5
#define FIGURE_MARKERS     8
#define FIGURE_PATTERNS    6
#define FIGURE_BAR_STYLES  (FIGURE_COLOURS * FIGURE_PATTERNS)
#define FIGURE_LINE_STYLES (FIGURE_COLOURS * FIGURE_DASHES * FIGURE_MARKERS)

/** How a value looks. Colour: 0xRRGGBB; the others are gnuplot's types of dashes, points and filled
 * patterns. */
struct figure_look
{
    unsigned colour, dash, marker, pattern;
    unsigned dense_dash; /**< of a line through many points, which dashes would break up: only lines
                            of one colour have different ones */
};

/** The style of a balancer: its place in the table of figure-style.c; one that is not there comes
 * behind, by its place in the registry. */
size_t figure_balancer_style(const char *name);

/** Returns what the field calls a balancer: "REPS" for "reps"; of one that it does not know the
 * name itself. */
const char *figure_short_name(const char *name);

/** Whether a value of a column stands for the balancer that is called so. */
bool figure_is_balancer(const struct plan *plan, const struct plan_column *column, const char *key);

/**
 * The looks of values, by their first parts: the styles of the balancers that they stand for, also
 * by way of <cases>, or what the scenario gives them. If the column has no more values than there
 * are colours, or the figure shows no more of them, no two have the same colour: who comes later
 * has the first that is free. Else of several with one balancer the first has its style and the
 * others its colour. Patterns differ only between those of one colour. @p looks has room for all.
 * Returns whether there is any balancer, or a look that is given.
 */
bool figure_looks(const struct plan *plan, const struct figure_names *names,
                  struct figure_look *looks);

#endif
