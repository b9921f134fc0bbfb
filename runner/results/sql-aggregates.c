/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-aggregates.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "textbuf.h"

/** The numbers of a group so far: SQLite's memory, zero at first. */
struct group
{
    size_t have, of; /**< rows with a value, and all */
    struct pool y, x;
    struct moments moments;
    bool full; /**< memory was out */
    double percent;
    double sum;
    int64_t whole;       /**< the same of whole numbers */
    bool real;           /**< one of them was not whole */
    sqlite3_value *most; /**< or the least */
};

struct aggregate;
typedef void (*add_fn)(struct group *g, int n, sqlite3_value **args);
typedef void (*end_fn)(sqlite3_context *context, const struct aggregate *a, struct group *g);

/** Aggregate function. */
struct aggregate
{
    const char *name;
    int arguments;
    add_fn add;                           /**< a row whose arguments are numbers */
    end_fn end;                           /**< at least one row was added */
    double percent;                       /**< of a quantile; below 0: the second argument */
    double (*of)(const struct moments *); /**< of what adds up moments */
};

/** User data of a function. */
struct registered
{
    const struct aggregate *aggregate;
    struct sql_holes *holes;
};

/* --- one by one ------------------------------------------------------------------------------- */

/** Keeps a value in memory that SQLite counts. */
static void
keep(struct group *g, struct pool *p, sqlite3_value *value)
{
    if ((p->n & (p->n - 1)) == 0)
    {
        double *more = sqlite3_realloc64(p->values, (p->n ? 2 * p->n : 1) * sizeof *more);
        g->full = g->full || !more;
        p->values = more ? more : p->values;
    }
    if (!g->full)
    {
        p->values[p->n++] = sqlite3_value_double(value);
    }
}

static void
add_to_pool(struct group *g, int n, sqlite3_value **args)
{
    keep(g, &g->y, args[0]);
    g->percent = n > 1 ? sqlite3_value_double(args[1]) : 0;
}

static void
add_to_pools(struct group *g, int n, sqlite3_value **args)
{
    (void)n;
    keep(g, &g->y, args[0]);
    keep(g, &g->x, args[1]);
}

static void
add_to_moments(struct group *g, int n, sqlite3_value **args)
{
    moments_add(&g->moments, sqlite3_value_double(args[n - 1]), sqlite3_value_double(args[0]));
}

static void
add_to_sum(struct group *g, int n, sqlite3_value **args)
{
    (void)n;
    g->sum += sqlite3_value_double(args[0]);
    g->real = g->real || sqlite3_value_numeric_type(args[0]) == SQLITE_FLOAT ||
              fabs(g->sum) > (double)((int64_t)1 << 62);
    g->whole += g->real ? 0 : sqlite3_value_int64(args[0]);
}

/** Keeps the greatest of the numbers times @p sign. */
static void
keep_greatest(struct group *g, sqlite3_value *value, int sign)
{
    if (!g->most || sign * sqlite3_value_double(value) > sign * sqlite3_value_double(g->most))
    {
        sqlite3_value_free(g->most);
        g->most = sqlite3_value_dup(value);
    }
}

static void
add_to_greatest(struct group *g, int n, sqlite3_value **args)
{
    (void)n;
    keep_greatest(g, args[0], 1);
}

static void
add_to_least(struct group *g, int n, sqlite3_value **args)
{
    (void)n;
    keep_greatest(g, args[0], -1);
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
end_quantile(sqlite3_context *context, const struct aggregate *a, struct group *g)
{
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
}

static void
end_slope(sqlite3_context *context, const struct aggregate *a, struct group *g)
{
    double value;
    (void)a;
    answer(context, fit_exponent(&g->x, &g->y, &value) ? value : NAN);
}

static void
end_moments(sqlite3_context *context, const struct aggregate *a, struct group *g)
{
    answer(context, a->of(&g->moments));
}

static void
end_average(sqlite3_context *context, const struct aggregate *a, struct group *g)
{
    (void)a;
    sqlite3_result_double(context, g->sum / (double)g->have);
}

static void
end_sum(sqlite3_context *context, const struct aggregate *a, struct group *g)
{
    if (g->real || strcmp(a->name, "total") == 0)
    {
        sqlite3_result_double(context, g->sum);
    }
    else
    {
        sqlite3_result_int64(context, g->whole);
    }
}

static void
end_most(sqlite3_context *context, const struct aggregate *a, struct group *g)
{
    (void)a;
    sqlite3_result_value(context, g->most);
}

/* --- all -------------------------------------------------------------------------------------- */

static void
take_row(sqlite3_context *context, int n, sqlite3_value **args)
{
    const struct registered *r = sqlite3_user_data(context);
    struct group *g = sqlite3_aggregate_context(context, sizeof *g);
    if (!g)
    {
        return;
    }
    g->of++;
    for (int i = 0; i < n; i++)
    {
        const int type = sqlite3_value_numeric_type(args[i]);
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        {
            return;
        }
    }
    g->have++;
    r->aggregate->add(g, n, args);
    if (g->full)
    {
        sqlite3_result_error_nomem(context);
    }
}

/** Whether the result is another one than that of the values, as holes are looked for. */
static bool
is_altered(sqlite3_context *context, struct sql_holes *holes, size_t have, size_t of)
{
    size_t i = 0;
    if (!holes || (have == of && of > 0))
    {
        return false;
    }
    while (i < holes->n && (holes->holes[i].have != have || holes->holes[i].of != of))
    {
        i++;
    }
    if (holes->altered == SQL_RECORDING)
    {
        if (i == holes->n && i < SQL_MOST_HOLES)
        {
            holes->holes[holes->n++] = (struct sql_hole){have, of};
        }
        return false;
    }
    if (i == holes->n) /* by what is altered below it, or there are too many */
    {
        return holes->holes[holes->altered].have > 0;
    }
    const bool altered = i == holes->altered || (i < holes->altered && have == 0);
    if (altered && have == 0)
    {
        /* Different ones, so that no difference of two is 0. */
        sqlite3_result_double(context, 1.37 + 0.011 * (double)(holes->nfilled++ % 1009));
    }
    return altered;
}

static void
end_group(sqlite3_context *context)
{
    const struct registered *r = sqlite3_user_data(context);
    struct group *g = sqlite3_aggregate_context(context, 0);
    const size_t have = g ? g->have : 0;
    if (is_altered(context, r->holes, have, g ? g->of : 0))
    {
        /* The result is set. */
    }
    else if (have)
    {
        r->aggregate->end(context, r->aggregate, g);
    }
    else if (strcmp(r->aggregate->name, "total") == 0)
    {
        sqlite3_result_double(context, 0);
    }
    if (g)
    {
        sqlite3_free(g->y.values);
        sqlite3_free(g->x.values);
        sqlite3_value_free(g->most);
    }
}

int
sql_aggregates_register(sqlite3 *db, struct sql_holes *holes)
{
    /* The last five are SQLite's own. */
    static const struct aggregate all[] = {
        {"p50", 1, add_to_pool, end_quantile, 50, NULL},
        {"p90", 1, add_to_pool, end_quantile, 90, NULL},
        {"p95", 1, add_to_pool, end_quantile, 95, NULL},
        {"p99", 1, add_to_pool, end_quantile, 99, NULL},
        {"p99_9", 1, add_to_pool, end_quantile, 99.9, NULL},
        {"percentile", 2, add_to_pool, end_quantile, -1, NULL},
        {"mean", 1, add_to_moments, end_moments, 0, moments_mean},
        {"stddev", 1, add_to_moments, end_moments, 0, moments_stddev},
        {"ci95", 1, add_to_moments, end_moments, 0, moments_ci95},
        {"corr", 2, add_to_moments, end_moments, 0, moments_correlation},
        {"slope_loglog", 2, add_to_pools, end_slope, 0, NULL},
        {"avg", 1, add_to_sum, end_average, 0, NULL},
        {"sum", 1, add_to_sum, end_sum, 0, NULL},
        {"total", 1, add_to_sum, end_sum, 0, NULL},
        {"min", 1, add_to_least, end_most, 0, NULL},
        {"max", 1, add_to_greatest, end_most, 0, NULL},
    };
    const size_t n = sizeof all / sizeof *all - (holes ? 0 : 5);
    int status = SQLITE_OK;
    for (size_t i = 0; i < n && status == SQLITE_OK; i++)
    {
        struct registered *r = xcalloc(1, sizeof *r);
        *r = (struct registered){&all[i], holes};
        status = sqlite3_create_function_v2(db, all[i].name, all[i].arguments,
                                            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                            r, NULL, take_row, end_group, free);
    }
    return status;
}
