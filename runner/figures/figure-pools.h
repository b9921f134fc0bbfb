/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-pools.h  Distributions as figures show them: the curve of a cdf, a box. */
#ifndef WEFT_RUNNER_FIGURE_POOLS_H
#define WEFT_RUNNER_FIGURE_POOLS_H

#include "distribution.h"
#include "figure.h"

/** The points of a curve: the shares of values up to x times @p y_scale, or above x. Sorts the
 * pool. Returns how many; the caller frees *points. */
size_t figure_cdf_of(struct pool *p, bool above, double y_scale, struct figure_point **points);

/** The box of a pool, which it sorts; nothing of an empty one. */
struct figure_point figure_box_of(struct pool *p);

#endif
