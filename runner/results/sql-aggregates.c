/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-aggregates.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "textbuf.h"

/** Counts that are told apart; cells that rest on others are said to rest on the worst. */
#define MOST_HOLES 64

/** Bytes of a row that is kept, at most: two numbers, in arrays that grow by doubling. */
#define ROW_BYTES 32

/** The numbers of a group so far: SQLite's memory, zero at first. */
struct group
{
    size_t have, of; /**< rows with a value, and all */
    struct pool y, x;
    struct moments moments;
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
    bool keeps;                           /**< all values */
};

/** User data of a function. */
struct registered
{
    const struct aggregate *aggregate;
    struct sql_budget *budget;
    struct sql_holes *holes;
};

/* --- one by one ------------------------------------------------------------------------------- */

static void
add_to_pool(struct group *g, int n, sqlite3_value **args)
{
    pool_add(&g->y, sqlite3_value_double(args[0]));
    g->percent = n > 1 ? sqlite3_value_double(args[1]) : 0;
}

static void
add_to_pools(struct group *g, int n, sqlite3_value **args)
{
    (void)n;
    pool_add(&g->y, sqlite3_value_double(args[0]));
    pool_add(&g->x, sqlite3_value_double(args[1]));
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
    if (r->aggregate->keeps)
    {
        if (r->budget->bytes < ROW_BYTES)
        {
            sqlite3_result_error_nomem(context);
            return;
        }
        r->budget->bytes -= ROW_BYTES;
    }
    g->have++;
    r->aggregate->add(g, n, args);
}

/** The hole, which is added if it is new and they are recorded; NULL: it is not among them. */
static const struct sql_hole *
find_hole(struct sql_holes *holes, size_t have, size_t of)
{
    for (size_t i = 0; i < holes->n; i++)
    {
        if (holes->holes[i].have == have && holes->holes[i].of == of)
        {
            return &holes->holes[i];
        }
    }
    if (holes->recording && holes->n < MOST_HOLES)
    {
        ARRAY_GROW(holes->holes, holes->n);
        holes->holes[holes->n++] = (struct sql_hole){have, of, false};
    }
    return NULL;
}

/** Whether the result is another one than that of the values, as holes are looked for. */
static bool
is_altered(sqlite3_context *context, struct sql_holes *holes, size_t have, size_t of)
{
    if (!holes || (have == of && of > 0))
    {
        return false;
    }
    const struct sql_hole *hole = find_hole(holes, have, of);
    if (hole && hole->altered && have == 0)
    {
        /* Different ones, so that no difference of two is 0. */
        sqlite3_result_double(context, 1.37 + 0.011 * (double)(holes->nfilled++ % 1009));
    }
    return hole ? hole->altered : holes->alters_unknown;
}

static void
end_group(sqlite3_context *context)
{
    const struct registered *r = sqlite3_user_data(context);
    struct group *g = sqlite3_aggregate_context(context, 0);
    const size_t have = g ? g->have : 0;
    if (r->budget->is_over || is_altered(context, r->holes, have, g ? g->of : 0))
    {
        /* Nobody asks for a result any more, or it has one. */
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
        r->budget->bytes += r->aggregate->keeps ? have * ROW_BYTES : 0;
        pool_free(&g->y);
        pool_free(&g->x);
        sqlite3_value_free(g->most);
    }
}

int
sql_aggregates_register(sqlite3 *db, struct sql_budget *budget, struct sql_holes *holes)
{
    /* The last five are SQLite's own. */
    static const struct aggregate all[] = {
        {"p50", 1, add_to_pool, end_quantile, 50, NULL, true},
        {"p90", 1, add_to_pool, end_quantile, 90, NULL, true},
        {"p95", 1, add_to_pool, end_quantile, 95, NULL, true},
        {"p99", 1, add_to_pool, end_quantile, 99, NULL, true},
        {"p99_9", 1, add_to_pool, end_quantile, 99.9, NULL, true},
        {"percentile", 2, add_to_pool, end_quantile, -1, NULL, true},
        {"mean", 1, add_to_moments, end_moments, 0, moments_mean, false},
        {"stddev", 1, add_to_moments, end_moments, 0, moments_stddev, false},
        {"ci95", 1, add_to_moments, end_moments, 0, moments_ci95, false},
        {"corr", 2, add_to_moments, end_moments, 0, moments_correlation, false},
        {"slope_loglog", 2, add_to_pools, end_slope, 0, NULL, true},
        {"avg", 1, add_to_sum, end_average, 0, NULL, false},
        {"sum", 1, add_to_sum, end_sum, 0, NULL, false},
        {"total", 1, add_to_sum, end_sum, 0, NULL, false},
        {"min", 1, add_to_least, end_most, 0, NULL, false},
        {"max", 1, add_to_greatest, end_most, 0, NULL, false},
    };
    const size_t n = sizeof all / sizeof *all - (holes ? 0 : 5);
    int status = SQLITE_OK;
    for (size_t i = 0; i < n && status == SQLITE_OK; i++)
    {
        struct registered *r = xcalloc(1, sizeof *r);
        *r = (struct registered){&all[i], budget, holes};
        status = sqlite3_create_function_v2(db, all[i].name, all[i].arguments,
                                            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                            r, NULL, take_row, end_group, free);
    }
    return status;
}
