/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes of numbers and of categories: their ends, their tics, what stands where. */
#include "figure-layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure-markup.h"

#define MOST_TICS   11  /* more of them are clutter */
#define LINE_HEIGHT 1.7 /* between two tics one above the other */
#define GAP         1.0 /* between two tics side by side */
#define FEW_TIMES   4.0 /* a logarithmic axis that spans less has the tics of a linear one */
#define EDGE        1e-9
#define LARGE       1e6  /* "%g" has powers of ten from here on */
#define SMALL       1e-4 /* and below this */
#define MANY        1e3  /* an axis that spans as much has the powers of ten alone */

void
axis_extend(struct figure_axis *a, double value)
{
    if (!isfinite(value) || (a->log && value <= 0))
    {
        return;
    }
    a->least = !a->any || value < a->least ? value : a->least;
    a->most = !a->any || value > a->most ? value : a->most;
    a->any = true;
}

void
axis_set_ends(struct figure_axis *a, const double *from, const double *to, bool decade, double room)
{
    const double least = a->any ? a->least : 1, most = a->any ? a->most : 10;
    if (a->log)
    {
        double margin = pow(most / least, 0.05);
        margin = margin < 1.1 ? 1.1 : margin;
        a->from = from ? *from : decade ? pow(10, floor(log10(least / 1.01))) : least / margin;
        a->to = to ? *to : most * margin * (1 + room);
        a->to = a->to > a->from ? a->to : a->from * 10;
        return;
    }
    a->from = from ? *from : least < 0 ? least * 1.05 : 0;
    a->to = to ? *to : most + room * (most - a->from);
    a->to = a->to > a->from ? a->to : a->from + 1;
}

double
axis_place(const struct figure_axis *a, double value)
{
    return a->log ? log(value / a->from) / log(a->to / a->from)
                  : (value - a->from) / (a->to - a->from);
}

/* --- tics ------------------------------------------------------------------------------------- */

/** Places of tics, ascending. */
struct tics
{
    double at[MOST_TICS + 1];
    size_t n; /**< MOST_TICS + 1: too many */
};

static void
add_place(struct tics *t, const struct figure_axis *a, double value)
{
    const double place = axis_place(a, value);
    if (place >= -EDGE && place <= 1 + EDGE && t->n <= MOST_TICS)
    {
        t->at[t->n++] = value;
    }
}

/** Multiples of 1, 2 or 5 times a power of ten: the @p k-th such step, from fine to coarse. */
static struct tics
linear_tics(const struct figure_axis *a, int k)
{
    static const double steps[] = {1, 2, 5};
    struct tics t = {.n = 0};
    const double fine = pow(10, floor(log10((a->to - a->from) / 100)));
    const double step = fine * steps[k % 3] * pow(10, k / 3);
    for (double i = ceil(a->from / step - EDGE); i * step <= a->to + EDGE * step; i++)
    {
        add_place(&t, a, i * step);
        if (t.n > MOST_TICS)
        {
            break;
        }
    }
    return t;
}

/** 1, 2, 3, 5 and 7 or 1, 2 and 5 or 1 and 3 times each power of ten; or each power; or each second
 * of them, and so on, from fine to coarse. */
static struct tics
log_tics(const struct figure_axis *a, int k)
{
    static const double factors[3][5] = {{1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}};
    struct tics t = {.n = 0};
    const int every = k < 4 ? 1 : k - 2;
    const int last = (int)ceil(log10(a->to));
    for (int e = (int)floor(log10(a->from)); e <= last; e++)
    {
        for (size_t i = 0; i < 5 && e % every == 0; i++)
        {
            const double factor = k < 3 ? factors[k][i] : i == 0 ? 1 : 0;
            if (factor > 0)
            {
                add_place(&t, a, factor * pow(10, e));
            }
        }
    }
    return t;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/** Whether numbers of an axis are as large or as small as to need powers of ten. */
static bool
has_powers(const struct figure_axis *a)
{
    const double most = fmax(fabs(a->from), fabs(a->to));
    return !a->bytes && (most >= LARGE || most <= 10 * SMALL || (a->log && a->from < SMALL));
}

static void
add_bytes(struct text *t, double value)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    size_t i = 0;
    while (fabs(value) >= 1000 && i + 1 < sizeof units / sizeof *units)
    {
        value /= 1000;
        i++;
    }
    text_add(t, "%g %s", value, units[i]);
}

/** On a linear axis all have the power of its end, so that they can be compared. */
static void
add_power(struct text *t, const struct figure_axis *a, double value)
{
    const double of = a->log ? value : fmax(fabs(a->from), fabs(a->to));
    const int power = (int)floor(log10(of) + EDGE);
    const double factor = value / pow(10, power);
    if (a->log && fabs(factor - 1) < EDGE)
    {
        text_add(t, "10^{%d}", power);
        return;
    }
    text_add(t, "%g×10^{%d}", factor, power);
}

void
axis_add_number(struct text *t, const struct figure_axis *a, double value)
{
    if (value > 0 || value < 0)
    {
        a->bytes        ? add_bytes(t, value)
        : has_powers(a) ? add_power(t, a, value)
                        : text_add(t, "%g", value);
        return;
    }
    text_add(t, "0");
}

static double
number_width(const struct figure_axis *a, double value)
{
    CLEANUP(text_drop) struct text t = {0};
    axis_add_number(&t, a, value);
    return text_width(t.s, t.len);
}

/** A multiple of a step that is nearly 0 is 0. */
static double
rounded(const struct figure_axis *a, double value)
{
    return fabs(value) < (a->to - a->from) * EDGE ? 0 : value;
}

static bool
has_room(const struct tics *t, const struct figure_axis *a, double length, bool upright)
{
    for (size_t i = 1; i < t->n && t->n <= MOST_TICS; i++)
    {
        const double apart = length * (axis_place(a, t->at[i]) - axis_place(a, t->at[i - 1]));
        const double need =
            upright
                ? LINE_HEIGHT
                : (number_width(a, t->at[i]) + number_width(a, rounded(a, t->at[i - 1]))) / 2 + GAP;
        if (apart < need)
        {
            return false;
        }
    }
    return t->n <= MOST_TICS;
}

/** The small tics of a logarithmic axis between powers of ten. */
static void
add_small_tics(struct text *t, const struct figure_axis *a)
{
    const int last = (int)ceil(log10(a->to)), first = (int)floor(log10(a->from));
    for (int e = first; e <= last && last - first <= 6; e++)
    {
        for (int m = 2; m < 10; m++)
        {
            const double value = m * pow(10, e);
            if (value >= a->from && value <= a->to)
            {
                text_add(t, ", '' %.9g 1", value);
            }
        }
    }
}

double
axis_tics(struct figure_axis *a, double length, bool upright)
{
    struct text *t = &a->tics, *bare = &a->bare;
    const bool by_powers = a->log && a->to / a->from >= FEW_TIMES;
    struct tics tics = {.n = 0};
    const bool plain = by_powers && has_powers(a) && a->to / a->from >= MANY;
    for (int k = plain ? 3 : 0; k < 30; k++)
    {
        tics = by_powers ? log_tics(a, k) : linear_tics(a, k);
        if (has_room(&tics, a, length, upright))
        {
            break;
        }
    }
    double widest = 0;
    t->len = bare->len = 0;
    a->beyond = 0;
    text_add(t, "(");
    text_add(bare, "(");
    for (size_t i = 0; i < tics.n && i < MOST_TICS; i++)
    {
        const double value = rounded(a, tics.at[i]), width = number_width(a, value);
        widest = width > widest ? width : widest;
        a->beyond = fmax(a->beyond, width / 2 - length * (1 - axis_place(a, value)));
        text_add(t, "%s'", i ? ", " : "");
        axis_add_number(t, a, value);
        text_add(t, "' %.9g", value);
        text_add(bare, "%s'' %.9g", i ? ", " : "", value);
    }
    if (by_powers && tics.n > 0)
    {
        add_small_tics(t, a);
        add_small_tics(bare, a);
    }
    text_add(t, ")");
    text_add(bare, ")");
    return widest;
}

/* Ends of the axis of n categories. */
#define CATEGORY_FROM  (-0.6)
#define CATEGORY_TO(n) ((double)(n)-0.4)

double
category_place(size_t i, size_t n)
{
    return ((double)i - CATEGORY_FROM) / (CATEGORY_TO(n) - CATEGORY_FROM);
}
