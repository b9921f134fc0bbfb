/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of distributions: the curves of a cdf and the boxes of a box plot. */
#include <stdlib.h>
#include <string.h>

#include "figure-rows.h"

#define JUMP          0.006  /* a share: more than between the steps of a large pool */
#define WHISKER       1.5    /* times the distance of the quartiles, as Tukey has them */
#define QUARTER       250000 /* in millionths */
#define HALF          500000
#define THREE_QUARTER 750000

/** The values of a curve, or of a category of it. */
static struct pool *
pool_of(struct collecting *c, size_t curve, size_t category)
{
    for (size_t i = c->npools; i-- > 0;)
    {
        if (c->pools[i].curve == curve && c->pools[i].category == category)
        {
            return &c->pools[i].pool;
        }
    }
    c->pools = xrealloc(c->pools, c->npools + 1, sizeof *c->pools);
    c->pools[c->npools] = (struct figure_pool){curve, category, {NULL, 0}};
    return &c->pools[c->npools++].pool;
}

/** Adds a row's number to a pool; what is no number is noted. */
static bool
take(struct collecting *c, const struct row *r, const char *column, double scale, size_t curve,
     size_t category)
{
    enum cell_kind kind;
    double value;
    if (!number_of_row(c, r, column, &kind, &value))
    {
        return false;
    }
    struct pool *pool = pool_of(c, curve, category);
    note_value(c, kind == CELL_NUMBER);
    if (kind == CELL_NUMBER)
    {
        pool_add(pool, value * scale);
    }
    return kind != CELL_TEXT || refuse_text(c, column);
}

static void
free_pools(struct collecting *c)
{
    for (size_t i = 0; i < c->npools; i++)
    {
        pool_free(&c->pools[i].pool);
    }
    free(c->pools);
}

/* --- curves ----------------------------------------------------------------------------------- */

static bool
take_number(struct collecting *c, const struct row *r)
{
    return take(c, r, c->x.word[0], c->x_scale, curve_of_row(c, r), 0);
}

static void
add_step(struct collecting *c, size_t curve, double x, double share)
{
    size_t n = c->data->npoints[curve];
    struct figure_point *p = point_at(&c->data->points[curve], &c->data->npoints[curve], n);
    p->x = x;
    point_add(p, share * c->y_scale);
}

/** One curve: shares up to x, or above it, where an axis without 0 ends with the last value. Jumps
 * stand upright; between close steps it is straight. A single step stands on an axis without 0 as
 * well, down to the share of one value. */
static void
add_curve(struct collecting *c, struct figure_pool *from, bool above)
{
    struct cdf_point *steps;
    pool_sort(&from->pool);
    size_t n = pool_cdf(&from->pool, &steps);
    double before = 0;
    for (size_t i = 0; i < n; i++)
    {
        double x = steps[i].x, share = steps[i].share;
        bool last = above && i + 1 == n;
        if (i == 0 || last || share - before > JUMP)
        {
            add_step(c, from->curve, x, above ? 1 - before : before);
        }
        if (!last)
        {
            add_step(c, from->curve, x, above ? 1 - share : share);
        }
        before = share;
    }
    if (above && n == 1)
    {
        add_step(c, from->curve, steps[0].x, 1 / (double)from->pool.n);
    }
    free(steps);
}

bool
collect_cdf(struct collecting *c)
{
    bool good = collect_rows(c, take_number);
    bool above = figure_value(c->figure, "y-log").integer != 0;
    for (size_t i = 0; good && i < c->npools; i++)
    {
        add_curve(c, &c->pools[i], above);
    }
    free_pools(c);
    return good;
}

/* --- boxes ------------------------------------------------------------------------------------ */

static bool
take_boxed(struct collecting *c, const struct row *r)
{
    size_t curve = curve_of_row(c, r), category = category_of_row(c, r);
    return take(c, r, c->y, c->y_scale, curve, category);
}

static struct figure_box
box_of(struct pool *p)
{
    struct figure_box b = {.n = p->n};
    pool_sort(p);
    b.first = pool_quantile(p, QUARTER);
    b.median = pool_quantile(p, HALF);
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

bool
collect_boxes(struct collecting *c)
{
    struct figure_data *d = c->data;
    bool good = collect_rows(c, take_boxed);
    d->boxes = xcalloc(d->ncurves + 1, sizeof *d->boxes);
    for (size_t i = 0; i < d->ncurves; i++)
    {
        d->boxes[i] = xcalloc(d->ncategories + 1, sizeof **d->boxes);
    }
    for (size_t i = 0; good && i < c->npools; i++)
    {
        struct figure_pool *from = &c->pools[i];
        if (from->pool.n)
        {
            d->boxes[from->curve][from->category] = box_of(&from->pool);
        }
    }
    free_pools(c);
    return good;
}
