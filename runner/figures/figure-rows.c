/* SPDX-License-Identifier: GPL-2.0-only */
/* From the rows of a figure's query to what it shows. */
#include "figure-rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "query.h"

/* More make a drawing that nothing opens. */
#define MOST_DOTS   50000
#define MOST_CURVES 10000
#define MOST_LANES  500
#define MOST_FIELDS PLAN_MOST_RUNS /* bars and boxes as well */
#define NONE        SIZE_MAX

/** Places in figure_columns. */
enum slot
{
    SLOT_X,
    SLOT_LAST_X = FIGURE_MOST_X - 1,
    SLOT_Y,
    SLOT_END,
    SLOT_Z,
    SLOT_SERIES,
    SLOT_PANEL,
    SLOT_LOW,
    SLOT_HIGH,
    SLOT_N,
    SLOT_LINE,
    SLOT_LINE_LOW,
    SLOT_LINE_HIGH,
};

/** A point, or the values of a curve or a box, and where it is. */
struct placed
{
    size_t panel, series, category, lane;
    size_t curve; /**< when all are known */
    double order; /**< in its curve: by category, of lines by x, else as they came */
    struct figure_point point;
    struct pool pool;
};

/** A figure while its rows are read. */
struct reading
{
    const struct plan *plan;
    const struct figure *figure;
    enum figure_kind kind;
    struct figure_data *data;
    size_t at[FIGURE_COLUMNS]; /**< the query's column with that name; NONE: it has none */
    bool pooled;               /**< it shows distributions */
    struct placed *placed;     /**< in the order of the rows */
    size_t nplaced;
    size_t nline; /**< of data->line */
    size_t row;   /**< in hand, from 1 */
    char *why;
};

static bool
has(const struct reading *r, enum slot slot)
{
    return r->at[slot] != NONE;
}

/* --- columns ---------------------------------------------------------------------------------- */

static bool
take_columns(struct reading *r, char *const *names, size_t n)
{
    r->why = figure_columns_mistake(r->figure, names, n, r->at);
    r->data->whiskers = !figure_is(r->figure, FIGURES_OF_ROWS) &&
                        (!r->figure->query || has(r, SLOT_LOW) || has(r, SLOT_HIGH));
    r->data->counted = has(r, SLOT_N);
    return !r->why;
}

/* --- cells ------------------------------------------------------------------------------------ */

/** The text of a cell in one line, which the caller frees; "" if there is no such column. */
static char *
key_in(const struct reading *r, const struct query_cell *cells, size_t slot)
{
    struct text t = {0};
    if (r->at[slot] != NONE)
    {
        query_cell_add(&t, &cells[r->at[slot]]);
    }
    for (size_t i = 0; i < t.len; i++)
    {
        t.s[i] = t.s[i] == '\n' ? ' ' : t.s[i];
    }
    return text_take(&t);
}

/** Whether a value, part by part, is @p key. */
static bool
is_key(char *const *value, char *const *key, size_t parts)
{
    size_t i = 0;
    while (i < parts && strcmp(value[i], key[i]) == 0)
    {
        i++;
    }
    return i == parts;
}

/** The place of what stands in the columns from @p first to @p last; it is added where it is new.
 */
static size_t
place_of(const struct reading *r, const struct query_cell *cells, enum slot first, enum slot last,
         struct figure_names *names)
{
    char *key[FIGURE_MOST_X];
    size_t n = 0, place = 0;
    for (size_t slot = first; slot <= last; slot++)
    {
        if (slot == first || r->at[slot] != NONE)
        {
            key[n++] = key_in(r, cells, slot);
        }
    }
    while (place < names->n && !is_key(&names->keys[place * n], key, n))
    {
        place++;
    }
    for (size_t i = 0; i < n; i++)
    {
        if (place < names->n)
        {
            free(key[i]);
            continue;
        }
        ARRAY_GROW(names->keys, place * n + i);
        names->keys[place * n + i] = key[i];
    }
    names->parts = n;
    names->n += place == names->n;
    return place;
}

/** The number in a column; NAN: there is none. False with a sentence: it holds a text. */
static bool
number_in(struct reading *r, const struct query_cell *cells, enum slot slot, double *value)
{
    const struct query_cell *cell = has(r, slot) ? &cells[r->at[slot]] : NULL;
    *value = NAN;
    if (cell && cell->kind == QUERY_TEXT)
    {
        const enum cell_kind kind = csv_number(cell->text, value);
        if (kind == CELL_TEXT)
        {
            r->why = xformat("column '%s' is '%s' in row %zu; expected numbers",
                             figure_columns[slot].name, cell->text, r->row);
        }
        *value = kind == CELL_NUMBER ? *value : NAN;
        return kind != CELL_TEXT;
    }
    *value = cell && isfinite(cell->real) ? cell->real : NAN;
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

/** Reads a mean with its whisker. */
static bool
read_mean(struct reading *r, const struct query_cell *cells, const enum slot slots[3],
          struct figure_point *p)
{
    double y, low, high, n;
    if (!number_in(r, cells, slots[0], &y) || !number_in(r, cells, slots[1], &low) ||
        !number_in(r, cells, slots[2], &high) || !number_in(r, cells, SLOT_N, &n))
    {
        return false;
    }
    const char *relative = r->figure->relative_to;
    if (isnan(y) && n > 0 && relative)
    {
        r->why = xformat("no finished run of '%s' has a value other than 0 to relate to", relative);
        return false;
    }
    /* Without a column n a whisker tells that there are several. */
    const double least = isnan(low) && isnan(high) ? 1 : has(r, SLOT_N) ? n : 2;
    p->y = y;
    p->low = isnan(low) ? y : low;
    p->high = isnan(high) ? y : high;
    p->n = isnan(y) ? 0 : (size_t)fmax(1, isnan(n) ? least : fmin(n, 1e15));
    return true;
}

/** Reads the line over the bars: the first of its rows that has a value. */
static bool
read_line(struct reading *r, const struct query_cell *cells, size_t category)
{
    static const enum slot slots[] = {SLOT_LINE, SLOT_LINE_LOW, SLOT_LINE_HIGH};
    struct figure_data *d = r->data;
    struct figure_point p = {0};
    for (; r->nline < d->categories.n; r->nline++)
    {
        ARRAY_GROW(d->line, r->nline);
        d->line[r->nline] = p;
    }
    if (!read_mean(r, cells, slots, &p))
    {
        return false;
    }
    if (d->line[category].n == 0)
    {
        d->line[category] = p;
    }
    return true;
}

static void
place(struct reading *r, struct placed p)
{
    const unsigned by_x = FIGURES_OF_LINES | FIGURES_OF_SPANS;
    p.order = figure_has_categories(r->figure) ? (double)p.category
              : figure_is(r->figure, by_x)     ? p.point.x
                                               : (double)r->nplaced;
    ARRAY_GROW(r->placed, r->nplaced);
    r->placed[r->nplaced++] = p;
}

/** Reads a point of bars, lines, a heat map or dots. */
static bool
read_point(struct reading *r, const struct query_cell *cells, struct placed p)
{
    const enum slot value = r->kind == FIGURE_HEATMAP ? SLOT_Z : SLOT_Y;
    const enum slot slots[] = {value, SLOT_LOW, SLOT_HIGH};
    if (!read_mean(r, cells, slots, &p.point))
    {
        return false;
    }
    if (figure_has_categories(r->figure))
    {
        place(r, p);
        return !has(r, SLOT_LINE) || read_line(r, cells, p.category);
    }
    if (!number_in(r, cells, SLOT_X, &p.point.x))
    {
        return false;
    }
    if (p.point.n && !isnan(p.point.x))
    {
        place(r, p);
    }
    return true;
}

/** Reads what lasts from x to an end. */
static bool
read_span(struct reading *r, const struct query_cell *cells, struct placed p)
{
    double x, end;
    p.lane = place_of(r, cells, SLOT_Y, SLOT_Y, &r->data->lanes);
    if (!number_in(r, cells, SLOT_X, &x) || !number_in(r, cells, SLOT_END, &end))
    {
        return false;
    }
    if (end < x)
    {
        r->why = xformat("row %zu ends at %.15g, before it begins at %.15g", r->row, end, x);
        return false;
    }
    if (!isnan(x) && !isnan(end))
    {
        const double y = (double)p.lane;
        p.point = (struct figure_point){.x = x, .end = end, .y = y, .low = y, .high = y, .n = 1};
        place(r, p);
    }
    return true;
}

/** Reads a value of a distribution. */
static bool
read_value(struct reading *r, const struct query_cell *cells, struct placed p)
{
    size_t i = r->nplaced;
    double value;
    if (!number_in(r, cells, r->kind == FIGURE_CDF ? SLOT_X : SLOT_Y, &value))
    {
        return false;
    }
    while (i > 0 && (r->placed[i - 1].panel != p.panel || r->placed[i - 1].series != p.series ||
                     r->placed[i - 1].category != p.category))
    {
        i--;
    }
    if (i == 0)
    {
        place(r, p);
        i = r->nplaced;
    }
    if (!isnan(value))
    {
        pool_add(&r->placed[i - 1].pool, value);
    }
    return true;
}

/** Whether what was read so far can be drawn. */
static bool
is_drawable(struct reading *r)
{
    const struct figure_data *d = r->data;
    const size_t curves = d->panels.n * d->series.n;
    if (curves > MOST_CURVES)
    {
        r->why = xformat("it would have more than %d curves", MOST_CURVES);
    }
    else if (curves * d->categories.n > MOST_FIELDS)
    {
        r->why = xformat("it would have more than %d bars, boxes or fields", MOST_FIELDS);
    }
    else if (r->kind == FIGURE_SCATTER && r->nplaced > MOST_DOTS)
    {
        r->why = xformat("it would have more than %d dots (a cdf or a box plot shows any number)",
                         MOST_DOTS);
    }
    else if (r->kind == FIGURE_TIMELINE && (r->nplaced > MOST_DOTS || d->lanes.n > MOST_LANES))
    {
        r->why = xformat("it would have more than %d bars or %d rows; expected fewer, by where",
                         MOST_DOTS, MOST_LANES);
    }
    return !r->why;
}

static bool
take_row(struct reading *r, const struct query_cell *cells)
{
    struct figure_data *d = r->data;
    const enum slot series = r->kind == FIGURE_HEATMAP ? SLOT_Y : SLOT_SERIES;
    struct placed p = {.panel = place_of(r, cells, SLOT_PANEL, SLOT_PANEL, &d->panels),
                       .series = place_of(r, cells, series, series, &d->series)};
    r->row++;
    if (figure_has_categories(r->figure))
    {
        p.category = place_of(r, cells, SLOT_X, SLOT_LAST_X, &d->categories);
    }
    return (r->pooled                    ? read_value(r, cells, p)
            : r->kind == FIGURE_TIMELINE ? read_span(r, cells, p)
                                         : read_point(r, cells, p)) &&
           is_drawable(r);
}

/* --- curves ----------------------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    return p->curve != q->curve ? (p->curve > q->curve) - (p->curve < q->curve)
           : p->lane != q->lane ? (p->lane > q->lane) - (p->lane < q->lane)
                                : (p->order > q->order) - (p->order < q->order);
}

/** Two rows for one place would draw one of them, or a line that stands upright. */
static void
refuse_second(struct reading *r, const struct placed *p)
{
    const struct figure_data *d = r->data;
    const char *series = d->series.keys[p->series], *panel = d->panels.keys[p->panel];
    CLEANUP(text_drop) struct text x = {0};
    for (size_t i = 0; i < d->categories.parts; i++)
    {
        text_add(&x, "%s%s", i ? ", " : "",
                 d->categories.keys[p->category * d->categories.parts + i]);
    }
    if (!d->categories.parts)
    {
        text_add(&x, "%.15g", p->point.x);
    }
    r->why = xformat("there are two rows of x '%s'%s%s%s%s; expected one: group by them", x.s,
                     *series ? ", " : "", series, *panel ? ", " : "", panel);
}

/** Bars of a row lie on one another where they are of several runs. */
static void
refuse_overlap(struct reading *r, const struct placed *p, const struct placed *q)
{
    if (r->kind == FIGURE_TIMELINE && p->curve == q->curve && p->lane == q->lane &&
        q->point.x < p->point.end)
    {
        r->why = xformat("in row '%s' something begins at %.15g and something else lasts until "
                         "%.15g; expected the rows of one run in a panel, such as by "
                         "where=\"seed=1\"",
                         r->data->lanes.keys[p->lane], q->point.x, p->point.end);
    }
}

/** Adds a point, or what its values are; of categories that come before it there is nothing. */
static void
add_placed(struct reading *r, struct placed *p)
{
    struct figure_data *d = r->data;
    while (d->categories.n && d->npoints < p->curve * d->categories.n + p->category)
    {
        figure_add_point(d, (struct figure_point){0});
    }
    if (r->kind == FIGURE_CDF)
    {
        figure_add_cdf(d, &p->pool, r->figure->y.log, r->figure->y.scale);
    }
    else
    {
        figure_add_point(d, r->pooled ? figure_box_of(&p->pool) : p->point);
    }
}

/** Puts what was read in the order of panels and series. */
static void
make_curves(struct reading *r)
{
    struct figure_data *d = r->data;
    const size_t n = d->categories.n;
    d->ncurves = d->panels.n * d->series.n;
    d->first = xcalloc(d->ncurves + 1, sizeof *d->first);
    for (size_t i = 0; i < r->nplaced; i++)
    {
        r->placed[i].curve = r->placed[i].panel * d->series.n + r->placed[i].series;
    }
    if (r->nplaced)
    {
        qsort(r->placed, r->nplaced, sizeof *r->placed, by_place);
    }
    for (size_t i = 0; i < r->nplaced && !r->why; i++)
    {
        const size_t before = d->npoints;
        add_placed(r, &r->placed[i]);
        d->first[r->placed[i].curve + 1] += d->npoints - before;
        if (i > 0)
        {
            refuse_overlap(r, &r->placed[i - 1], &r->placed[i]);
        }
        if (i > 0 && !r->why && by_place(&r->placed[i - 1], &r->placed[i]) == 0)
        {
            refuse_second(r, &r->placed[i]);
        }
    }
    while (d->npoints < d->ncurves * n)
    {
        figure_add_point(d, (struct figure_point){0});
    }
    for (size_t i = 0; i < d->ncurves; i++)
    {
        d->first[i + 1] = n ? (i + 1) * n : d->first[i] + d->first[i + 1];
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool
shows_anything(const struct figure_data *data)
{
    size_t i = 0;
    while (i < data->npoints && !data->points[i].n)
    {
        i++;
    }
    return i < data->npoints;
}

/** Says that there is nothing to show. */
static char *
nothing_shown(const struct reading *r)
{
    const bool own = r->figure->query != NULL;
    return own && r->row == 0 ? xstrdup("its query gives no rows")
           : own              ? xstrdup("its query gives rows without values")
           : r->row ? xformat("column '%s' of the results is empty", figure_shown(r->figure))
                    : xformat("no finished run has results for '%s'", figure_shown(r->figure));
}

/** Counts the runs that are shown. */
static bool
count_runs(struct reading *r, struct database *results, struct query_mistake *m)
{
    OWNED char *sql = figure_query_of_runs(r->plan, r->figure);
    struct query_rows *rows = database_query(results, sql, FIGURE_LIMITS, m);
    if (rows)
    {
        r->data->nruns = (size_t)rows->cells[0].integer;
        r->data->nlacking = (size_t)rows->cells[1].integer;
    }
    query_rows_free(rows);
    return rows != NULL;
}

/** Counts the values of a <query> that rest on rows of which some have none. A query that cannot be
 * asked for that tells nothing. */
static void
count_holes(struct reading *r, struct database *results, const char *sql, size_t ncolumns)
{
    const size_t at = r->at[r->kind == FIGURE_HEATMAP ? SLOT_Z : SLOT_Y];
    struct query_mistake m = {NULL, 0};
    OWNED struct query_hole *holes = database_holes(results, sql, QUERY_LIMITS, r->row, &m);
    for (size_t i = 0; holes && i < r->row; i++)
    {
        r->data->nlacking += holes[i * ncolumns + at].ground != QUERY_WHOLE;
    }
    r->data->nruns = r->row;
    free(m.message);
}

static bool
read_all(struct reading *r, struct database *results, struct query_mistake *m)
{
    const struct element *own = r->figure->query;
    OWNED char *sql = figure_query(r->plan, r->figure);
    struct query *q = query_begin(results, sql, own ? QUERY_LIMITS : FIGURE_LIMITS, m);
    const size_t ncolumns = q ? q->ncolumns : 0;
    const struct query_cell *cells;
    bool good = q && take_columns(r, q->columns, ncolumns);
    while (good && (cells = query_next(q)) != NULL)
    {
        good = take_row(r, cells);
    }
    good = query_end(q) && good;
    m->line = own ? own->text_line + m->line : r->figure->e->line;
    if (good)
    {
        make_curves(r);
        r->why = r->why || shows_anything(r->data) ? r->why : nothing_shown(r);
    }
    good = good && !r->why && (own || count_runs(r, results, m));
    if (good && own && !figure_is(r->figure, FIGURES_OF_ROWS))
    {
        count_holes(r, results, sql, ncolumns);
    }
    if (good)
    {
        figure_name_all(r->plan, r->figure, r->data);
    }
    m->message = m->message ? m->message : r->why;
    return good;
}

/** Returns the first half of notes that tell a reader not to take what the figure shows for the
 * work of what it compares, three at most; NULL: there are none. The caller frees it. */
static char *
read_remarks(struct database *results)
{
    static const char sql[] =
        "with said as (select row_number() over (order by rowid) as i, substr(text, 1, "
        "instr(text || ': ', ': ') - 1) as brief from notes where kind in ('straggler', "
        "'retransmissions', 'spurious', 'idle-planes', 'unchanged')) "
        "select group_concat(brief, '; ') || (select iif(count(*) > 3, '; ' || (count(*) - 3) || "
        "' more in the table notes', '') from said) from said where i <= 3";
    struct query_mistake m = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows =
        database_has(results, "notes") ? database_query(results, sql, FIGURE_LIMITS, &m) : NULL;
    const bool has = rows && rows->nrows > 0 && rows->cells[0].kind == QUERY_TEXT;
    free(m.message);
    return has ? query_cell_text(&rows->cells[0]) : NULL;
}

struct figure_data *
figure_read(const struct plan *plan, const struct figure *figure, struct database *results,
            struct query_mistake *mistake)
{
    struct reading r = {.plan = plan,
                        .figure = figure,
                        .kind = figure->kind,
                        .pooled = figure_is(figure, FIGURES_OF_DISTRIBUTIONS),
                        .data = xcalloc(1, sizeof(struct figure_data))};
    const bool good = read_all(&r, results, mistake);
    for (size_t i = 0; i < r.nplaced; i++)
    {
        pool_free(&r.placed[i].pool);
    }
    free(r.placed);
    if (!good)
    {
        figure_data_free(r.data);
        return NULL;
    }
    r.data->remarks = figure->note ? read_remarks(results) : NULL;
    return r.data;
}
