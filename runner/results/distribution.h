/* SPDX-License-Identifier: GPL-2.0-only */
/** @file distribution.h  Numbers pooled over rows and runs: quantiles and the empirical CDF. */
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
/** What follows needs ascending values. */
void pool_sort(struct pool *p);
void pool_free(struct pool *p);

/** Of a sorted pool that is not empty, the least value that @p share_ppm millionths of them do not
 * exceed (nearest rank): 500000 gives the median, 1000000 the greatest. */
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

#endif
