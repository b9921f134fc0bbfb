/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-aggregates.h"

#include <math.h>
#include <stdbool.h>

#include "distribution.h"
#include "statistics.h"

/** Values of a group that are kept at most: half a gigabyte. */
#define MOST_VALUES ((size_t)1 << 26)

/** The numbers of a group so far: SQLite's memory, zero at first. */
struct group
{
    struct pool y, x;
    struct moments moments;
    double percent;
};

/** What a function is: its user data. */
struct aggregate
{
    const char *name;
    int arguments;
    void (*add)(sqlite3_context *, int, sqlite3_value **);
    void (*end)(sqlite3_context *);
    double percent;                       /**< of a quantile; below 0: the second argument */
    double (*of)(const struct moments *); /**< of what adds up moments */
};

/** The group if the row counts: all of its @p n arguments have a value. */
static struct group *
group_of(sqlite3_context *context, int n, sqlite3_value **args)
{
    struct group *g = sqlite3_aggregate_context(context, sizeof(struct group));
    for (int i = 0; i < n; i++)
    {
        const int type = sqlite3_value_numeric_type(args[i]);
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        {
            return NULL;
        }
    }
    if (g && g->y.n >= MOST_VALUES)
    {
        sqlite3_result_error(context, "too many values for an aggregate that keeps them all", -1);
        return NULL;
    }
    return g;
}

static void
add_to_pool(sqlite3_context *context, int n, sqlite3_value **args)
{
    struct group *g = group_of(context, n, args);
    if (g)
    {
        pool_add(&g->y, sqlite3_value_double(args[0]));
        g->percent = n > 1 ? sqlite3_value_double(args[1]) : 0;
    }
}

static void
add_to_pools(sqlite3_context *context, int n, sqlite3_value **args)
{
    struct group *g = group_of(context, n, args);
    if (g)
    {
        pool_add(&g->y, sqlite3_value_double(args[0]));
        pool_add(&g->x, sqlite3_value_double(args[1]));
    }
}

static void
add_to_moments(sqlite3_context *context, int n, sqlite3_value **args)
{
    struct group *g = group_of(context, n, args);
    if (g)
    {
        moments_add(&g->moments, sqlite3_value_double(args[n - 1]), sqlite3_value_double(args[0]));
    }
}

/** NULL where there is no such number. */
static void
answer(sqlite3_context *context, double value)
{
    if (isfinite(value))
    {
        sqlite3_result_double(context, value);
    }
}

static void
end_quantile(sqlite3_context *context)
{
    const struct aggregate *a = sqlite3_user_data(context);
    struct group *g = sqlite3_aggregate_context(context, 0);
    if (!g || g->y.n == 0)
    {
        return;
    }
    const double percent = a->percent < 0 ? g->percent : a->percent;
    if (percent >= 0 && percent <= 100)
    {
        pool_sort(&g->y);
        sqlite3_result_double(context, pool_quantile(&g->y, (uint32_t)lround(10000 * percent)));
    }
    else
    {
        sqlite3_result_error(context, "percentile() takes a share from 0 to 100", -1);
    }
    pool_free(&g->y);
}

static void
end_slope(sqlite3_context *context)
{
    struct group *g = sqlite3_aggregate_context(context, 0);
    double value;
    if (g)
    {
        answer(context, fit_exponent(&g->x, &g->y, &value) ? value : NAN);
        pool_free(&g->x);
        pool_free(&g->y);
    }
}

static void
end_moments(sqlite3_context *context)
{
    const struct aggregate *a = sqlite3_user_data(context);
    const struct group *g = sqlite3_aggregate_context(context, 0);
    if (g)
    {
        answer(context, a->of(&g->moments));
    }
}

int
sql_aggregates_register(sqlite3 *db)
{
    static struct aggregate aggregates[] = {
        {"p50", 1, add_to_pool, end_quantile, 50, NULL},
        {"p90", 1, add_to_pool, end_quantile, 90, NULL},
        {"p95", 1, add_to_pool, end_quantile, 95, NULL},
        {"p99", 1, add_to_pool, end_quantile, 99, NULL},
        {"p99_9", 1, add_to_pool, end_quantile, 99.9, NULL},
        {"percentile", 2, add_to_pool, end_quantile, -1, NULL},
        {"stddev", 1, add_to_moments, end_moments, 0, moments_stddev},
        {"ci95", 1, add_to_moments, end_moments, 0, moments_ci95},
        {"corr", 2, add_to_moments, end_moments, 0, moments_correlation},
        {"slope_loglog", 2, add_to_pools, end_slope, 0, NULL},
    };
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates && status == SQLITE_OK; i++)
    {
        struct aggregate *a = &aggregates[i];
        status = sqlite3_create_function(db, a->name, a->arguments,
                                         SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, a,
                                         NULL, a->add, a->end);
    }
    return status;
}
