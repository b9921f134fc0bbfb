/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-layout.h"

#include <math.h>
#include <string.h>

#define ROW_WIDTH     84 /* characters that fit across a figure */
#define LABELS_WIDTH  78 /* the same for names side by side below an axis */
#define MOST_WIDTH    20 /* in one line of a name below an axis */
#define SLANTED_WIDTH 16
#define FONT          15
#define LEAST_FONT    6

struct figure_spread
figure_spread_of(const struct figure_point *p, bool deviation)
{
    double n = (double)p->n, mean = p->sum / n;
    if (!deviation)
    {
        return (struct figure_spread){mean, p->least, p->most};
    }
    double rest = p->n > 1 ? (p->squares - p->sum * mean) / (n - 1) : 0;
    double by = rest > 0 ? sqrt(rest) : 0;
    return (struct figure_spread){mean, mean - by, mean + by};
}

/* --- names ------------------------------------------------------------------------------------ */

/** Characters of UTF-8 in the first @p n bytes. */
static size_t
characters(const char *s, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
    {
        count += ((unsigned char)s[i] & 0xC0U) != 0x80U;
    }
    return count;
}

size_t
label_line(const char *s, size_t width)
{
    size_t n = strcspn(s, " ");
    while (s[n])
    {
        size_t more = n + 1 + strcspn(s + n + 1, " ");
        if (characters(s, more) > width)
        {
            break;
        }
        n = more;
    }
    return n;
}

static void
measure_labels(struct label_layout *l, char *const *names, size_t n)
{
    l->lines = l->longest = 0;
    for (size_t i = 0; i < n; i++)
    {
        size_t lines = 0;
        for (const char *s = names[i]; *s; lines++)
        {
            size_t length = label_line(s, l->width), count = characters(s, length);
            l->longest = count > l->longest ? count : l->longest;
            s += length + (s[length] != '\0');
        }
        l->lines = lines > l->lines ? lines : l->lines;
    }
}

struct label_layout
label_layout(char *const *names, size_t n)
{
    struct label_layout l = {0};
    size_t room = n && n < LABELS_WIDTH / 2 ? LABELS_WIDTH / n - 1 : 1;
    l.width = room < MOST_WIDTH ? room : MOST_WIDTH;
    measure_labels(&l, names, n);
    if (l.longest > room)
    {
        l.width = SLANTED_WIDTH;
        l.slanted = true;
        measure_labels(&l, names, n);
    }
    return l;
}

static void
count_name(const char *name, size_t *n, size_t *longest)
{
    size_t length = characters(name, strlen(name));
    *longest = length > *longest ? length : *longest;
    ++*n;
}

void
add_legend(struct text *t, const struct element *figure, const struct figure_data *data)
{
    size_t n = 0, longest = 0;
    bool bars = strcmp(element_value(figure, "template"), "bars") == 0;
    for (size_t i = 0; !bars && i < data->nseries; i++)
    {
        count_name(data->series[i], &n, &longest);
    }
    if (data->line)
    {
        const char *label = element_value(figure, "line-label");
        count_name(label ? label : element_value(figure, "line"), &n, &longest);
    }
    for (size_t i = 0; i < figure->nchildren; i++)
    {
        const char *label = element_value(figure->children[i], "label");
        count_name(label ? label : "", &n, &longest);
    }
    size_t fit = ROW_WIDTH / (longest + 12);
    fit = fit < 1 ? 1 : fit > n ? n : fit;
    size_t rows = n ? (n + fit - 1) / fit : 0;
    double font =
        longest + 12 > ROW_WIDTH ? FONT * (ROW_WIDTH - 8.0) / (double)(longest + 4) : FONT;
    text_add(t, "legend_rows = %zu\nlegend_columns = %zu\nlegend_font = ',%.3g'\n", rows,
             rows ? (n + rows - 1) / rows : 1, font > LEAST_FONT ? font : LEAST_FONT);
}

/* --- axes ------------------------------------------------------------------------------------- */

struct extent
{
    bool log, any;
    double least, most;
};

static void
extend(struct extent *e, double value)
{
    if (!isfinite(value) || (e->log && value <= 0))
    {
        return;
    }
    e->least = !e->any || value < e->least ? value : e->least;
    e->most = !e->any || value > e->most ? value : e->most;
    e->any = true;
}

static void
extend_points(struct extent *x, struct extent *y, const struct figure_point *points, size_t n,
              bool deviation)
{
    for (size_t i = 0; i < n; i++)
    {
        if (points[i].n && !(x->log && points[i].x <= 0))
        {
            struct figure_spread spread = figure_spread_of(&points[i], deviation);
            extend(x, points[i].x);
            extend(y, spread.mean);
            extend(y, spread.low);
            extend(y, spread.high);
        }
    }
}

void
add_extent(struct text *t, const struct element *figure, const struct figure_data *data)
{
    struct extent x = {.log = figure_value(figure, "x-log").integer != 0};
    struct extent y = {.log = figure_value(figure, "y-log").integer != 0};
    bool deviation = figure_value(figure, "error").integer == 1;
    for (size_t i = 0; i < data->nseries; i++)
    {
        extend_points(&x, &y, data->points[i], data->npoints[i], deviation);
    }
    if (data->line)
    {
        extend_points(&x, &y, data->line, data->ncategories, deviation);
    }
    for (size_t i = 0; i < figure->nchildren; i++)
    {
        const struct element *e = figure->children[i];
        extend(&y, figure_value(e, "y").real);
        if (strcmp(e->name, "mark") == 0)
        {
            extend(&x, figure_value(e, "x").real);
        }
    }
    text_add(t, "x_least = %.9g\nx_most = %.9g\ny_least = %.9g\ny_most = %.9g\n",
             x.any ? x.least : 1, x.any ? x.most : 10, y.any ? y.least : 1, y.any ? y.most : 10);
}
