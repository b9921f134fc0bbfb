/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-rows.h  The rows of results that a figure shows, and the series that they are in.
 */
#ifndef WEFT_RUNNER_FIGURE_ROWS_H
#define WEFT_RUNNER_FIGURE_ROWS_H

#include "columns.h"
#include "distribution.h"
#include "figure.h"

/** A figure while its numbers are read. */
struct collecting
{
    const struct plan *plan;
    const struct element *figure;
    const char *out;
    const struct column_table *table; /**< of the files that it reads */
    struct csv *summary;
    struct figure_data *data;
    char **series_keys, **category_keys;
    struct words x, where;
    const char *y, *series;
    double x_scale, y_scale;
    size_t nline;       /**< of data->line */
    struct pool *pools; /**< cdf: [series] */
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

size_t series_of_row(struct collecting *c, const struct row *r);

/** The run in hand has rows; one of them may lack its value. */
void note_value(struct collecting *c, bool has_value);

#endif
