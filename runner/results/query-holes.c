/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells of an answer that rest on rows without a value. */
#include "query.h"

#include <stdint.h>
#include <stdlib.h>

#include "sql-aggregates.h"

/** While the holes of an answer are looked for. */
struct search
{
    struct database *db; /**< whose aggregates count */
    const char *sql;
    struct query_limits limits;
    struct query_mistake *mistake;
    struct sql_holes *holes;
    struct query_rows *counted; /**< the answer, by these aggregates */
    struct query_hole *cells;   /**< found so far */
};

/** The answer as the altered holes make it; NULL after a mistake. */
static struct query_rows *
ask(struct search *s)
{
    s->holes->nfilled = 0;
    return database_query(s->db, s->sql, s->limits, s->mistake);
}

/** Runs the query again and marks the cells that the altered holes change, as resting on @p hole:
 * those that had a value, and those that had none and have one now. */
static bool
mark(struct search *s, const struct sql_hole *hole)
{
    const struct query_rows *was = s->counted;
    struct query_rows *now = ask(s);
    for (size_t i = 0; now && i < was->nrows * was->ncolumns; i++)
    {
        const bool may_rest = hole->of > 0 || was->cells[i].kind == QUERY_NULL;
        if (s->cells[i].ground == QUERY_WHOLE && may_rest &&
            (now->nrows != was->nrows || !query_cell_same(&was->cells[i], &now->cells[i])))
        {
            s->cells[i] = hole->of ? (struct query_hole){QUERY_PARTLY, hole->have, hole->of}
                                   : (struct query_hole){QUERY_NO_ROWS, 0, 0};
        }
    }
    query_rows_free(now);
    return now != NULL;
}

/** Orders cells that lack most first; then those that have nothing, and last those of no rows. */
static int
by_badness(const void *a, const void *b)
{
    const struct sql_hole *x = a, *y = b;
    const size_t lacks = x->of - x->have, others = y->of - y->have;
    return (x->have == 0) != (y->have == 0) ? (x->have == 0) - (y->have == 0)
           : (x->of == 0) != (y->of == 0)   ? (x->of == 0) - (y->of == 0)
           : x->have                        ? (lacks < others) - (lacks > others)
                                            : (lacks > others) - (lacks < others);
}

/** Alters one hole after the other that has some values. Those that have none stay altered: of what
 * is made of several the last one counts, which is the worst. */
static bool
alter_each(struct search *s)
{
    struct sql_holes *h = s->holes;
    bool good = true;
    for (size_t i = 0; good && i < h->n; i++)
    {
        h->holes[i].altered = true;
        h->alters_unknown = h->holes[i].have > 0;
        good = mark(s, &h->holes[i]);
        h->holes[i].altered = h->holes[i].have == 0;
    }
    return good;
}

static bool
search(struct search *s, size_t nrows)
{
    s->holes->recording = true;
    s->counted = ask(s);
    s->holes->recording = false;
    if (!s->counted)
    {
        return false;
    }
    if (s->counted->nrows != nrows)
    {
        s->mistake->message = xstrdup(
            "its number of rows depends on what min(), max(), sum() or avg() make of texts");
        return false;
    }
    s->cells = xcalloc(nrows * s->counted->ncolumns + 1, sizeof *s->cells);
    if (s->holes->n)
    {
        qsort(s->holes->holes, s->holes->n, sizeof *s->holes->holes, by_badness);
    }
    return alter_each(s);
}

struct query_hole *
database_holes(struct database *db, const char *sql, struct query_limits limits, size_t nrows,
               struct query_mistake *mistake)
{
    struct search s = {.sql = sql, .limits = limits, .mistake = mistake};
    *mistake = (struct query_mistake){NULL, 0};
    s.db = database_counting(db, &s.holes);
    *s.holes = (struct sql_holes){.holes = s.holes->holes};
    const bool good = search(&s, nrows);
    if (!good)
    {
        free(s.cells);
        s.cells = NULL;
    }
    query_rows_free(s.counted);
    return s.cells;
}
