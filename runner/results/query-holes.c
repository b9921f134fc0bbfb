/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells of an answer that rest on rows without a value. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "query-database.h"

/** Marks the cells that an altered hole changes, as resting on it: those that had a value, and
 * those that had none and have one now. */
static void
mark(struct query_hole *cells, const struct query_rows *was, const struct query_rows *now,
     const struct sql_hole *hole)
{
    for (size_t i = 0; i < was->nrows * was->ncolumns; i++)
    {
        const bool may_rest = hole->of > 0 || was->cells[i].kind == QUERY_NULL;
        if (cells[i].ground == QUERY_WHOLE && may_rest &&
            (now->nrows != was->nrows || !query_cell_same(&was->cells[i], &now->cells[i])))
        {
            cells[i] = hole->of ? (struct query_hole){QUERY_PARTLY, hole->have, hole->of}
                                : (struct query_hole){QUERY_NO_ROWS, 0, 0};
        }
    }
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

/** Asks once for all holes, and once more for each of them. */
static struct query_hole *
search(struct database *db, const char *sql, struct query_limits limits, size_t nrows,
       struct query_mistake *mistake)
{
    struct sql_holes *holes = db->holes;
    CLEANUP(query_rows_drop)
    struct query_rows *was = database_query(db, sql, limits, mistake);
    if (was && was->nrows != nrows)
    {
        mistake->message = xstrdup(
            "its number of rows depends on what min(), max(), sum() or avg() make of texts");
    }
    struct query_hole *cells =
        mistake->message ? NULL : xcalloc(nrows * was->ncolumns + 1, sizeof *cells);
    qsort(holes->holes, holes->n, sizeof *holes->holes, by_badness);
    for (holes->altered = 0; cells && holes->altered < holes->n; holes->altered++)
    {
        holes->nfilled = 0;
        CLEANUP(query_rows_drop)
        struct query_rows *now = database_query(db, sql, limits, mistake);
        if (now)
        {
            mark(cells, was, now, &holes->holes[holes->altered]);
        }
        else
        {
            free(cells);
            cells = NULL;
        }
    }
    return cells;
}

struct query_hole *
database_holes(struct database *db, const char *sql, struct query_limits limits, size_t nrows,
               struct query_mistake *mistake)
{
    struct query_hole *cells = NULL;
    const int how = PROT_READ | PROT_WRITE;
    db->holes = mmap(NULL, sizeof *db->holes, how, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (db->holes == MAP_FAILED)
    {
        *mistake = (struct query_mistake){xstrdup(strerror(errno)), 0};
    }
    else
    {
        db->holes->altered = SQL_RECORDING;
        cells = search(db, sql, limits, nrows, mistake);
        munmap(db->holes, sizeof *db->holes);
    }
    db->holes = NULL;
    return cells;
}
