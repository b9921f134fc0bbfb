/* SPDX-License-Identifier: GPL-2.0-only */
#include "query-holes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql-aggregates.h"

/** While the holes of an answer are looked for. */
struct search
{
    struct database *db; /**< whose aggregates count */
    const char *sql;
    struct query_limits limits;
    struct query_mistake *mistake;
    struct sql_holes holes;
    struct query_rows *counted; /**< the answer, by these aggregates */
    struct query_hole *cells;   /**< found so far */
};

static bool
is_same(const struct query_cell *a, const struct query_cell *b)
{
    return a->kind == b->kind &&
           (a->kind == QUERY_NULL ||
            (a->kind == QUERY_TEXT   ? strcmp(a->text, b->text) == 0
             : a->kind == QUERY_REAL ? !(a->real < b->real) && !(a->real > b->real)
                                     : a->integer == b->integer));
}

/** The answer as the aggregates' actions make it; NULL after a mistake. */
static struct query_rows *
ask(struct search *s)
{
    s->holes.nfilled = 0;
    return database_query(s->db, s->sql, s->limits, s->mistake);
}

/** Gives every hole an action: @p partly to those that have some values, @p none to those that have
 * none of some rows, @p no_rows to those of no rows. */
static void
set_actions(struct search *s, enum sql_hole_action partly, enum sql_hole_action none,
            enum sql_hole_action no_rows)
{
    for (size_t i = 0; i < s->holes.n; i++)
    {
        struct sql_hole *h = &s->holes.holes[i];
        h->action = h->have ? partly : h->of ? none : no_rows;
    }
}

/** Runs the query again with the actions that are set, and marks the cells that depend on @p hole.
 * With @p all NULL it looks at the cells that had a value: those whose value differs now depend on
 * it. Otherwise it looks at the cells that had none and still have none: those that have a value in
 * @p all, the answer with every hole filled, depend on it. Returns false after a mistake. */
static bool
mark(struct search *s, const struct sql_hole *hole, const struct query_rows *all)
{
    const struct query_rows *was = s->counted;
    struct query_rows *now = ask(s);
    for (size_t i = 0; now && i < was->nrows * was->ncolumns; i++)
    {
        const bool same_rows = now->nrows == was->nrows && (!all || all->nrows == was->nrows);
        const bool is_null = was->cells[i].kind == QUERY_NULL;
        if (s->cells[i].ground == QUERY_WHOLE && is_null == (all != NULL) &&
            (!same_rows ||
             (all ? now->cells[i].kind == QUERY_NULL && all->cells[i].kind != QUERY_NULL
                  : !is_same(&was->cells[i], &now->cells[i]))))
        {
            s->cells[i] = hole->of ? (struct query_hole){QUERY_PARTLY, hole->have, hole->of}
                                   : (struct query_hole){QUERY_NO_ROWS, 0, 0};
        }
    }
    query_rows_free(now);
    return now != NULL;
}

/** Of cells with a value: one hole after the other, the worst first; then all at once, for what is
 * made of several aggregates in a row. */
static bool
find_partial(struct search *s)
{
    const struct sql_hole *worst = NULL;
    bool good = true;
    s->holes.unknown = SQL_HOLE_BLANK;
    for (size_t i = 0; good && i < s->holes.n; i++)
    {
        struct sql_hole *hole = &s->holes.holes[i];
        if (hole->of > 0)
        {
            worst = worst ? worst : hole;
            set_actions(s, SQL_HOLE_KEEP, SQL_HOLE_KEEP, SQL_HOLE_KEEP);
            hole->action = hole->have ? SQL_HOLE_BLANK : SQL_HOLE_FILL;
            good = mark(s, hole, NULL);
        }
    }
    set_actions(s, SQL_HOLE_BLANK, SQL_HOLE_BLANK, SQL_HOLE_KEEP);
    return good && (!worst || mark(s, worst, NULL));
}

/** Of cells without one: those for which there are no rows, then those whose rows have no value. */
static bool
find_empty(struct search *s)
{
    static const struct sql_hole no_rows = {0, 0, SQL_HOLE_KEEP};
    s->holes.unknown = SQL_HOLE_KEEP;
    set_actions(s, SQL_HOLE_KEEP, SQL_HOLE_FILL, SQL_HOLE_FILL);
    struct query_rows *all = ask(s);
    set_actions(s, SQL_HOLE_KEEP, SQL_HOLE_FILL, SQL_HOLE_KEEP);
    bool good = all && mark(s, &no_rows, all);
    for (size_t i = 0; good && i < s->holes.n; i++)
    {
        struct sql_hole *hole = &s->holes.holes[i];
        if (hole->have == 0 && hole->of > 0)
        {
            set_actions(s, SQL_HOLE_KEEP, SQL_HOLE_FILL, SQL_HOLE_FILL);
            hole->action = SQL_HOLE_KEEP;
            good = mark(s, hole, all);
        }
    }
    query_rows_free(all);
    return good;
}

/** Those that lack most first; those that have nothing last, as only what a query puts in their
 * place can rest on them. */
static int
by_badness(const void *a, const void *b)
{
    const struct sql_hole *x = a, *y = b;
    const size_t lacks = x->of - x->have, others = y->of - y->have;
    return (x->have == 0) != (y->have == 0) ? (x->have == 0) - (y->have == 0)
                                            : (lacks < others) - (lacks > others);
}

static bool
search(struct search *s, const struct query_rows *rows)
{
    s->holes.recording = true;
    s->counted = ask(s);
    s->holes.recording = false;
    if (!s->counted)
    {
        return false;
    }
    s->cells = xcalloc(rows->nrows * rows->ncolumns + 1, sizeof *s->cells);
    if (s->holes.n == 0)
    {
        return true;
    }
    if (s->counted->nrows != rows->nrows)
    {
        s->mistake->message = xstrdup(
            "its number of rows depends on what min(), max(), sum() or avg() make of texts");
        return false;
    }
    qsort(s->holes.holes, s->holes.n, sizeof *s->holes.holes, by_badness);
    return find_partial(s) && find_empty(s);
}

struct query_hole *
database_holes(const struct database *db, const char *sql, struct query_limits limits,
               const struct query_rows *rows, struct query_mistake *mistake)
{
    struct search s = {.sql = sql, .limits = limits, .mistake = mistake};
    *mistake = (struct query_mistake){NULL, 0};
    s.db = database_open_again(db, &s.holes, &mistake->message);
    const bool good = s.db && search(&s, rows);
    if (!good)
    {
        free(s.cells);
        s.cells = NULL;
    }
    query_rows_free(s.counted);
    free(s.holes.holes);
    database_close(s.db);
    return s.cells;
}
