/* SPDX-License-Identifier: GPL-2.0-only */
/** @file distribution.h Statistics of several numbers for figures and queries: quantiles, the
 * empirical CDF, means and their spread. */
#ifndef WEFT_RUNNER_DISTRIBUTION_H
#define WEFT_RUNNER_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Numbers in any order; all zero is an empty pool. */
struct pool
{
    double *values;
    size_t n;
};

void pool_add(struct pool *p, double value);
/** Sorts a pool, as the functions below need it. */
void pool_sort(struct pool *p);
void pool_free(struct pool *p);

/** Returns the least value of a sorted pool, which is not empty, that @p share_ppm millionths of
 * them do not exceed (nearest rank): 500000 gives the median, 1000000 the greatest. */
double pool_quantile(const struct pool *p, uint32_t share_ppm);

/** A step of the empirical CDF: that share of the values is @p x or less. */
struct cdf_point
{
    double x, share;
};

/**
 * Steps of the CDF of a sorted pool, each of them exact, from its least value to its greatest: all
 * of them where there are few, else 1/256 apart and closer in the upper tail, by 1/16 of what is
 * left above. Returns how many; the caller frees *points.
 */
size_t pool_cdf(const struct pool *p, struct cdf_point **points);

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
