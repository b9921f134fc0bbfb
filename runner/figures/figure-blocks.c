/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of a figure as blocks that gnuplot reads. */
#include "figure-script.h"

#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "figure-markup.h"
#include "shown-text.h"

#define NEXT_BLOCK "\n\n"

/** A category's name as one field of a data file: it is there to be read by people. */
static void
add_cell(struct text *t, const char *s)
{
    CLEANUP(text_drop) struct text cell = {0};
    OWNED char *row = text_in_one_row(s);
    text_add_shown(&cell, row, strlen(row));
    for (size_t i = 0; i < cell.len; i++)
    {
        cell.s[i] = cell.s[i] == '"' ? '\'' : cell.s[i];
    }
    text_add(t, "\"%s\"", cell.s ? cell.s : "");
}

/** Adds numbers of a point, or that there is none. */
static void
add_values(struct text *t, const struct figure_point *p, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        p->n ? text_add(t, " %.9g", values[i]) : text_add(t, " NaN");
    }
}

/** Mean, and the two ends of its whisker. */
static void
add_point(struct text *t, const struct figure_point *p)
{
    const double values[] = {p->y, p->low, p->high};
    add_values(t, p, values, 3);
}

/** A block per panel, a row per category: its name, then mean and whisker of each series and of the
 * line. */
static void
add_bars(struct text *t, const struct figure_data *data)
{
    for (size_t p = 0; p < data->panels.n; p++)
    {
        text_add(t, "%s", p ? NEXT_BLOCK : "");
        for (size_t k = 0; k < data->categories.n; k++)
        {
            add_cell(t, data->categories.names[k]);
            for (size_t i = 0; i < data->series.n; i++)
            {
                add_point(t, &data->points[data->first[p * data->series.n + i] + k]);
            }
            if (data->line)
            {
                add_point(t, &data->line[k]);
            }
            text_add(t, "\n");
        }
    }
}

/** A block per curve: x, then mean and whisker. A logarithmic axis has no place for 0: what stands
 * there would be drawn as a spike. */
static void
add_lines(struct text *t, const struct figure_data *data, bool x_log, bool y_log)
{
    for (size_t i = 0; i < data->ncurves; i++)
    {
        size_t shown = 0;
        text_add(t, "%s", i ? NEXT_BLOCK : "");
        for (size_t k = data->first[i]; k < data->first[i + 1]; k++)
        {
            const struct figure_point *p = &data->points[k];
            if ((x_log && p->x <= 0) || (y_log && p->n && p->y <= 0))
            {
                continue;
            }
            text_add(t, "%.9g", p->x);
            add_point(t, p);
            text_add(t, "\n");
            shown++;
        }
        if (shown == 0)
        {
            text_add(t, "NaN NaN NaN NaN\n");
        }
    }
}

/* --- heat maps and boxes ---------------------------------------------------------------------- */

size_t *
figure_places(const struct figure_names *names)
{
    const size_t n = names->n;
    size_t *places = xcalloc(n + 1, sizeof *places);
    OWNED double *values = xcalloc(n + 1, sizeof *values);
    bool numbers = true;
    for (size_t i = 0; i < n; i++)
    {
        numbers = numbers && csv_number(names->keys[i * names->parts], &values[i]) == CELL_NUMBER;
    }
    for (size_t i = 0; i < n; i++)
    {
        places[i] = numbers ? 0 : i;
        for (size_t k = 0; numbers && k < n; k++)
        {
            places[i] += values[k] < values[i] || (values[k] <= values[i] && k < i);
        }
    }
    return places;
}

size_t *
figure_category_places(const struct figure *figure, const struct figure_data *data)
{
    const size_t n = data->categories.n;
    if (figure->kind == FIGURE_HEATMAP)
    {
        return figure_places(&data->categories);
    }
    size_t *places = xcalloc(n + 1, sizeof *places);
    for (size_t i = 0; i < n; i++)
    {
        places[i] = i;
    }
    return places;
}

/** A block per panel, a row per field: the names of x and y, their places, z. */
static void
add_fields(struct text *t, const struct figure_data *data)
{
    OWNED size_t *columns = figure_places(&data->categories);
    OWNED size_t *rows = figure_places(&data->series);
    for (size_t i = 0; i < data->ncurves; i++)
    {
        const size_t row = i % data->series.n;
        text_add(t, "%s", i && row == 0 ? NEXT_BLOCK : "");
        for (size_t k = 0; k < data->categories.n; k++)
        {
            const struct figure_point *p = &data->points[data->first[i] + k];
            add_cell(t, data->categories.names[k]);
            text_add(t, " ");
            add_cell(t, data->series.names[row]);
            text_add(t, " %zu %zu", columns[k], rows[row]);
            add_values(t, p, &p->y, 1);
            text_add(t, "\n");
        }
    }
}

/** A block per curve, a row per category: its name, low end, quartiles, high end, extremes. */
static void
add_boxes(struct text *t, const struct figure_data *data)
{
    for (size_t i = 0; i < data->ncurves; i++)
    {
        text_add(t, "%s", i ? NEXT_BLOCK : "");
        for (size_t k = 0; k < data->categories.n; k++)
        {
            const struct figure_point *b = &data->points[data->first[i] + k];
            const double values[] = {b->low, b->first, b->y, b->third, b->high, b->least, b->most};
            add_cell(t, data->categories.names[k]);
            add_values(t, b, values, sizeof values / sizeof *values);
            text_add(t, "\n");
        }
    }
}

/** A block per curve: from where to where, and in which row. */
static void
add_spans(struct text *t, const struct figure_data *data)
{
    for (size_t i = 0; i < data->ncurves; i++)
    {
        text_add(t, "%s", i ? NEXT_BLOCK : "");
        for (size_t k = data->first[i]; k < data->first[i + 1]; k++)
        {
            const struct figure_point *p = &data->points[k];
            text_add(t, "%.12g %.12g %.9g\n", p->x, p->end, p->y);
        }
        text_add(t, "%s", data->first[i] == data->first[i + 1] ? "NaN NaN NaN\n" : "");
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

bool
figure_has_spread(const struct figure_data *data, size_t *least, size_t *most)
{
    *least = SIZE_MAX;
    *most = 0;
    for (size_t i = 0; i < data->npoints; i++)
    {
        const size_t n = data->points[i].n;
        *least = n && n < *least ? n : *least;
        *most = n > *most ? n : *most;
    }
    return *most > 1;
}

bool
figure_has_short_intervals(const struct figure *figure, const struct figure_data *data)
{
    size_t least, most;
    const bool interval = figure_is(figure, FIGURES_OF_WHISKERS) && figure->error == ERROR_CI95;
    return interval && !figure->query && figure_has_spread(data, &least, &most) &&
           most < FEW_VALUES;
}

char *
figure_numbers(const struct figure *figure, const struct figure_data *data)
{
    struct text t = {0};
    switch (figure->kind)
    {
    case FIGURE_BARS:
    case FIGURE_GROUPED_BARS:
        add_bars(&t, data);
        break;
    case FIGURE_HEATMAP:
        add_fields(&t, data);
        break;
    case FIGURE_BOX:
        add_boxes(&t, data);
        break;
    case FIGURE_TIMELINE:
        add_spans(&t, data);
        break;
    default:
        add_lines(&t, data, figure->x.log, figure->y.log);
        break;
    }
    return text_take(&t);
}
