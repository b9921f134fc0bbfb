/* SPDX-License-Identifier: GPL-2.0-only */
/* Dimensions of a sweep that change no result: a reader of a figure would take that for a finding,
 * and those who vary timers may not see that messages were over before any of them. */
#include "notes-unchanged.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "textbuf.h"

/** Outcome of a run. */
struct outcome
{
    int64_t same; /**< the same number in runs with the same totals; 0: it is not finished */
    double end;   /**< us */
    double cuts, timeouts;
};

/** A dimension of a sweep, and runs that differ in it alone. */
struct lines
{
    const struct plan *plan;
    const struct outcome *outcomes; /**< by run, from 0 */
    const struct plan_dimension *dim;
    size_t stride; /**< from a run to that of its next value */
    bool *whole;   /**< of the run at its first value: all runs of its line are finished */
    bool *flat;    /**< and have the same totals */
};

/** Whether a total is of what happened, and not of the memory that algorithms take for their
 * states, by which they differ whatever they do. */
static bool
is_outcome(const char *column)
{
    return !list_has("switch_state_bytes nic_state_bytes nic_label_bytes", column);
}

/** The totals of all runs, each run's number among those that differ. */
static struct outcome *
list_outcomes(const struct plan *plan, struct database *db)
{
    struct outcome *all = xcalloc(plan->nruns + 1, sizeof *all);
    CLEANUP(text_drop) struct text sql = {0};
    text_add(&sql, "SELECT run, end_us, cuts, timeouts, dense_rank() OVER (ORDER BY ");
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *name = summary_table.columns[c].name;
        if (is_outcome(name))
        {
            text_add(&sql, "%s\"%s\"", c ? "," : "", name);
        }
    }
    text_add(&sql, ") FROM summary");
    CLEANUP(query_rows_drop) struct query_rows *rows = results_ask(db, sql.s);
    for (size_t row = 0; row < rows->nrows; row++)
    {
        const struct query_cell *cells = &rows->cells[row * rows->ncolumns];
        all[cells[0].integer - 1] =
            (struct outcome){cells[4].integer, cells[1].real, cells[2].real, cells[3].real};
    }
    return all;
}

/** Compares the runs of each line. */
static void
look_at_lines(struct lines *l)
{
    for (size_t run = 0; run < l->plan->nruns; run++)
    {
        const struct outcome *first = &l->outcomes[run];
        l->whole[run] = run / l->stride % l->dim->npoints == 0;
        for (size_t p = 0; l->whole[run] && p < l->dim->npoints; p++)
        {
            l->whole[run] = first[p * l->stride].same != 0;
        }
        l->flat[run] = l->whole[run];
        for (size_t p = 1; l->flat[run] && p < l->dim->npoints; p++)
        {
            l->flat[run] = first[p * l->stride].same == first->same;
        }
    }
}

/** Whether there are lines where dimension @p k has point @p p, NULL: anywhere, and all are flat.
 */
static bool
all_are_flat(const struct lines *l, size_t k, const struct plan_point *p)
{
    size_t n = 0, nflat = 0;
    for (size_t run = 0; run < l->plan->nruns; run++)
    {
        const bool meant = l->whole[run] && (!p || plan_point(l->plan, run, k) == p);
        n += meant;
        nflat += meant && l->flat[run];
    }
    return n > 0 && nflat == n;
}

/** The names of a dimension's columns, of which a <zip> has several. */
static void
add_names(struct text *t, const struct plan_dimension *dim)
{
    for (size_t c = 0; c < dim->ncolumns; c++)
    {
        text_add(t, "%s%s", c ? " with " : "", dim->columns[c]);
    }
}

/** Adds "balancer.name=themis, ops or bytes=4KB": where all lines are flat. */
static void
add_places(struct text *where, const struct lines *l)
{
    for (size_t k = 0; k < l->plan->ndimensions; k++)
    {
        const struct plan_dimension *other = &l->plan->dimensions[k];
        const char *before = NULL;
        for (size_t p = 0; other != l->dim && !other->is_seeds && p < other->npoints; p++)
        {
            if (other->npoints > 1 && all_are_flat(l, k, &other->points[p]))
            {
                text_add(where, "%s", before ? before : where->len ? " or " : "");
                if (!before)
                {
                    add_names(where, other);
                }
                text_add(where, "%s%s", before ? "" : "=", other->points[p].cells[0]);
                before = ", ";
            }
        }
    }
}

/** Common properties of flat lines. */
struct common
{
    double last_end; /**< us, the latest one */
    double cuts, timeouts;
};

/** Takes those where a parameter is said to change nothing: at these places, or everywhere. */
static struct common
list_common(const struct lines *l)
{
    struct common c = {0, 0, 0};
    for (size_t run = 0; run < l->plan->nruns; run++)
    {
        const struct outcome *o = &l->outcomes[run];
        if (l->flat[run])
        {
            c.last_end = o->end > c.last_end ? o->end : c.last_end;
            c.cuts += o->cuts;
            c.timeouts += o->timeouts;
        }
    }
    return c;
}

/** The least value of a time that varies, us, and how it is written; NULL: it is no time. */
static const char *
least_time(const struct plan_dimension *dim, double *least)
{
    const char *cell = NULL;
    for (size_t p = 0; p < dim->npoints && dim->ncolumns == 1 && !dim->is_cases; p++)
    {
        const char *unit = csv_unit(dim->points[p].cells[0]);
        double value;
        if (!unit || strcmp(unit, "us") != 0)
        {
            return NULL;
        }
        csv_number(dim->points[p].cells[0], &value);
        if (!cell || value < *least)
        {
            *least = value;
            cell = dim->points[p].cells[0];
        }
    }
    return cell;
}

/** Adds why nothing changes, where the totals say so. */
static void
add_reason(struct text *t, const struct lines *l)
{
    const struct common c = list_common(l);
    const char *name = l->dim->columns[0], *dot = strrchr(name, '.');
    double least = 0;
    const char *cell = least_time(l->dim, &least);
    if (l->dim->is_seeds)
    {
        text_add(t, "; nothing that is drawn matters, and one seed is enough");
    }
    else if (cell && least > c.last_end)
    {
        text_add(t, "; the runs are over after ");
        text_add_rounded(t, "%.4g", c.last_end);
        text_add(t, " us, before the least of these, %s", cell);
    }
    else if (strncmp(name, "congestion-control", strlen("congestion-control")) == 0 && c.cuts == 0)
    {
        text_add(t, "; no rate is cut there");
    }
    else if (dot && strcmp(dot, ".rto") == 0 && c.timeouts == 0)
    {
        text_add(t, "; there are no timeouts there");
    }
}

/** A note if a dimension changes nothing, everywhere or at some places; else NULL. */
static char *
note_of(const struct lines *l)
{
    struct text t = {0};
    CLEANUP(text_drop) struct text where = {0};
    const bool everywhere = all_are_flat(l, 0, NULL);
    if (!everywhere)
    {
        add_places(&where, l);
    }
    if (everywhere || where.len)
    {
        add_names(&t, l->dim);
        text_add(&t, " changes nothing %s%s: all totals are the same for its %zu values",
                 everywhere ? "in any run" : "where ", everywhere ? "" : where.s, l->dim->npoints);
        add_reason(&t, l);
    }
    return t.s;
}

char **
notes_unchanged(const struct plan *plan, struct database *db)
{
    OWNED struct outcome *outcomes = plan->ndimensions ? list_outcomes(plan, db) : NULL;
    OWNED bool *whole = xcalloc(plan->nruns + 1, sizeof *whole);
    OWNED bool *flat = xcalloc(plan->nruns + 1, sizeof *flat);
    char **notes = xcalloc(plan->ndimensions + 1, sizeof *notes);
    size_t stride = plan->nruns;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        stride /= dim->npoints;
        if (dim->npoints > 1)
        {
            struct lines l = {plan, outcomes, dim, stride, whole, flat};
            look_at_lines(&l);
            notes[k] = note_of(&l);
        }
    }
    return notes;
}
