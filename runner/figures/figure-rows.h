/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-rows.h Rows of a figure, as a query of results.sqlite; the query's columns, which a
 * <query> in a figure has as well; and the names of their values. */
#ifndef WEFT_RUNNER_FIGURE_ROWS_H
#define WEFT_RUNNER_FIGURE_ROWS_H

#include <math.h>

#include "distribution.h"
#include "figure.h"

/** A column that a figure's query may have. */
struct figure_column
{
    const char *name;
    unsigned required, allowed; /**< FIGURE_SET()s of kinds */
};

#define FIGURE_COLUMNS 15

/** Most key columns of x, series and panels each. */
#define FIGURE_MOST_X 4

/** All of them. */
extern const struct figure_column figure_columns[FIGURE_COLUMNS];

/** Limits of queries that Weft has made: they take as much as the results do. */
#define FIGURE_LIMITS ((struct query_limits){3600, SIZE_MAX, (size_t)4 << 30, 0, 0})

/** The query that a figure's attributes make, or its own <query>. The caller frees it. */
char *figure_query(const struct plan *plan, const struct figure *figure);

/** Returns a query for a figure without <query>: how many runs are in it, and how many of these
 * lack (some) values. The caller frees it. */
char *figure_query_of_runs(const struct plan *plan, const struct figure *figure);

/** Finds the columns of a query with @p n columns: at[i] of figure_columns[i] is its number, or
 * SIZE_MAX. Returns a sentence on one that is not known, is there twice or is lacking, which the
 * caller frees; else NULL. */
char *figure_columns_mistake(const struct figure *figure, char *const *names, size_t n, size_t *at);

/** Reports what is wrong with a figure's <query>, which is tried on @p tables without rows (NULL:
 * it is not tried), and attributes that say what it says. */
void figure_check_query(const struct figure *figure, struct database *tables,
                        struct diagnostics *d);

/** Adds the points of a cdf: the shares of values up to x times @p y_scale, or above x. Sorts the
 * pool. */
void figure_add_cdf(struct figure_data *d, struct pool *p, bool above, double y_scale);

/** The box of a pool, which it sorts; nothing of an empty one. */
struct figure_point figure_box_of(struct pool *p);

/** Returns the name of a value of the sweep (@p column NULL: it is none) where the scenario gives
 * no label: what the field calls a balancer; a number, a space and its unit, of sizes all in powers
 * of ten if some are; else itself. The caller frees it. */
char *figure_value_name(const struct plan *plan, const struct plan_column *column,
                        const char *value);

/** Makes names of the keys that were read: the labels of the sweep, else its values. Those of a
 * <query> are values of the sweep where all of a column are, and are not plain numbers. */
void figure_name_all(const struct plan *plan, const struct figure *figure,
                     struct figure_data *data);

#endif
