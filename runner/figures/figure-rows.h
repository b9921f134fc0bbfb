/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-rows.h  The rows of results that a figure shows, and the series that they are in.
 */
#ifndef WEFT_RUNNER_FIGURE_ROWS_H
#define WEFT_RUNNER_FIGURE_ROWS_H

#include "columns.h"
#include "distribution.h"
#include "figure.h"

/** Whose curve one is. */
struct curve_place
{
    size_t panel, series;
};

/** The values of a curve, or of a category of it. */
struct figure_pool
{
    size_t curve, category;
    struct pool pool;
};

/** A figure while its numbers are read. */
struct collecting
{
    const struct plan *plan;
    const struct element *figure;
    const char *out;
    const struct column_table *table; /**< of the files that it reads */
    struct csv *summary;
    struct figure_data *data;
    struct curve_place *places; /**< of data->points as they come; [data->ncurves] */
    struct words x, where;
    const char *y, *series, *panel;
    double x_scale, y_scale;
    size_t nline;              /**< of data->line */
    struct figure_pool *pools; /**< of distributions */
    size_t npools;
    bool took, lacked; /**< of the run in hand: rows; one without a value */
    char **why;
};

/** A row of a run's file, or one of summary.csv itself. */
struct row
{
    size_t run;             /**< row of summary.csv */
    const struct csv *file; /**< NULL: only that */
    size_t at;              /**< its row */
};

/** Takes one row; false with a sentence in *c->why. */
typedef bool (*take_fn)(struct collecting *c, const struct row *r);

/** Takes the rows of summary.csv, or of the figure's file of each of its runs. */
bool collect_rows(struct collecting *c, take_fn take);

/** The cell of that column, in the file or else in summary.csv; NULL: neither has it. */
const char *cell_of(const struct collecting *c, const struct row *r, const char *name);

/** Whether a row has all of these columns (NULL: none); else *c->why says which not. */
bool has_columns(const struct collecting *c, const struct row *r, const char *const *names,
                 size_t n);

/** The label of what varies in that column of a row, or NULL. */
const char *label_of(const struct plan *plan, const char *column, const struct csv *summary,
                     size_t row);

/** The place of @p key in a list; it is added with @p label where it is new. */
size_t place_of(char ***keys, char ***labels, size_t *n, const char *key, const char *label);

/** The number of the curve that a row belongs to. */
size_t curve_of_row(struct collecting *c, const struct row *r);

/** The number of the category that a row belongs to. */
size_t category_of_row(struct collecting *c, const struct row *r);

/** A number of a row. The kind of its cell; false with a sentence in
 * *c->why: there is no such column. */
bool number_of_row(struct collecting *c, const struct row *r, const char *name,
                   enum cell_kind *kind, double *value);

/** The point of a category in a list that grows with the categories. */
struct figure_point *point_at(struct figure_point **points, size_t *n, size_t category);

/** Adds a value to a point. */
void point_add(struct figure_point *p, double value);

/** False, with a sentence in *c->why that the column holds text. */
bool refuse_text(struct collecting *c, const char *column);

/** Curves and boxes of distributions: figure-pools.c. */
bool collect_cdf(struct collecting *c);
bool collect_boxes(struct collecting *c);

/** The run in hand has rows; one of them may lack its value. */
void note_value(struct collecting *c, bool has_value);

#endif
