/* SPDX-License-Identifier: GPL-2.0-only */
/** @file statistics.h  What figures and queries say of several numbers. */
#ifndef WEFT_RUNNER_STATISTICS_H
#define WEFT_RUNNER_STATISTICS_H

#include <stdbool.h>

#include "distribution.h"

/** Moments of points (x, y) about their means, added up one by one (Welford): differences of raw
 * sums would lose the digits of long queues. All zero: no points. */
struct moments
{
    double n, x, y, xx, xy, yy;
};

void moments_add(struct moments *m, double x, double y);

/** The mean of y; NAN of none. */
double moments_mean(const struct moments *m);

/** The sample's standard deviation of y; NAN of less than two. */
double moments_stddev(const struct moments *m);

/** Half of the 95 % confidence interval of y's mean, by Student's t; NAN of less than two. */
double moments_ci95(const struct moments *m);

/** Pearson's correlation; not finite if all x or all y are the same. */
double moments_correlation(const struct moments *m);

/** e of y ~ x^e: a least-squares line through the logarithms, after the mean over those with the
 * same x; false if there are not two points, or if a value is not positive. As many y as x. */
bool fit_exponent(const struct pool *x, const struct pool *y, double *value);

#endif
