/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-axis.h  An axis of numbers: its ends, and as many tics as have room beside each
 * other. */
#ifndef WEFT_RUNNER_FIGURE_AXIS_H
#define WEFT_RUNNER_FIGURE_AXIS_H

#include "figure.h"

struct figure_axis
{
    bool log, any;      /**< any: something stands on it */
    bool bytes;         /**< its numbers have a unit each: "10 KB" */
    double least, most; /**< of what stands on it; of a logarithmic one, above 0 */
    double from, to;    /**< its ends */
    struct text tics;   /**< gnuplot's list of them; empty: it makes its own */
    struct text bare;   /**< the same without numbers */
};

/** Makes room for a value. */
void axis_extend(struct figure_axis *a, double value);

/**
 * Sets the ends: those that are given (not NULL), else a linear axis begins at 0 or below what is
 * negative, and a logarithmic one before what stands on it; @p decade: at a power of ten. @p room:
 * the share of the axis that stays free above.
 */
void axis_set_ends(struct figure_axis *a, const double *from, const double *to, bool decade,
                   double room);

/** Adds a number as it stands on an axis: "10 KB" where it is of bytes, "2×10^{6}" where some of
 * the axis' numbers are too long otherwise, else as "%g" has it. */
void axis_add_number(struct text *t, const struct figure_axis *a, double value);

/** Makes the list of tics, each with its number, of an axis @p length long (units of the font's
 * size); @p upright: one above the other. Returns the width of the widest number. */
double axis_tics(struct figure_axis *a, double length, bool upright);

/** Where a value stands, as a share of the axis. */
double axis_place(const struct figure_axis *a, double value);

#endif
