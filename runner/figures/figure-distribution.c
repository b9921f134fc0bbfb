/* SPDX-License-Identifier: GPL-2.0-only */
/* Curves and boxes of the values of a distribution. */
#include "figure-rows.h"

#include <math.h>
#include <stdlib.h>

#define JUMP          0.006  /* a share: more than between the steps of a large pool */
#define WHISKER       1.5    /* times the distance of the quartiles, as Tukey has them */
#define QUARTER       250000 /* in millionths */
#define HALF          500000
#define THREE_QUARTER 750000

/* --- curves ----------------------------------------------------------------------------------- */

static void
add_share(struct figure_data *d, double x, double y)
{
    figure_add_point(d, (struct figure_point){.x = x, .y = y, .low = y, .high = y, .n = 1});
}

/** Shares up to x, or above it, where an axis without 0 ends with the last value. Jumps stand
 * upright; between close steps it is straight. A single step stands on an axis without 0 as well,
 * down to the share of one value. */
void
figure_add_cdf(struct figure_data *d, struct pool *p, bool above, double y_scale)
{
    struct cdf_point *steps;
    pool_sort(p);
    const size_t nsteps = pool_cdf(p, &steps);
    double before = 0;
    for (size_t i = 0; i < nsteps; i++)
    {
        const double x = steps[i].x, share = steps[i].share;
        const bool last = above && i + 1 == nsteps;
        if (i == 0 || last || share - before > JUMP)
        {
            add_share(d, x, y_scale * (above ? 1 - before : before));
        }
        if (!last)
        {
            add_share(d, x, y_scale * (above ? 1 - share : share));
        }
        before = share;
    }
    if (above && nsteps == 1)
    {
        add_share(d, steps[0].x, y_scale / (double)p->n);
    }
    free(steps);
}

/* --- boxes ------------------------------------------------------------------------------------ */

struct figure_point
figure_box_of(struct pool *p)
{
    struct figure_point b = {.x = NAN, .n = p->n};
    if (p->n == 0)
    {
        return b;
    }
    pool_sort(p);
    b.first = pool_quantile(p, QUARTER);
    b.y = pool_quantile(p, HALF);
    b.third = pool_quantile(p, THREE_QUARTER);
    b.least = p->values[0];
    b.most = p->values[p->n - 1];
    const double reach = WHISKER * (b.third - b.first);
    size_t i = 0, k = p->n - 1;
    while (p->values[i] < b.first - reach)
    {
        i++;
    }
    while (p->values[k] > b.third + reach)
    {
        k--;
    }
    b.low = p->values[i];
    b.high = p->values[k];
    return b;
}
