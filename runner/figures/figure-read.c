/* SPDX-License-Identifier: GPL-2.0-only */
/* From the rows of a figure's query to what it shows. */
#include "figure-read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "figure-pools.h"
#include "figure-query.h"
#include "query-holes.h"

#define MOST_DOTS 50000 /* of a scatter plot: more make a drawing that nothing opens */
#define NONE      SIZE_MAX

/** Places in figure_columns. */
enum slot
{
    SLOT_X,
    SLOT_LAST_X = FIGURE_MOST_X - 1,
    SLOT_Y,
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

/** A point and where it is. */
struct placed
{
    size_t panel, series, category;
    struct figure_point point;
};

/** The values of a curve, or of a category of it. */
struct figure_pool
{
    size_t panel, series, category;
    struct pool pool;
};

/** A figure while its rows are read. */
struct reading
{
    const struct plan *plan;
    const struct element *figure;
    enum figure_kind kind;
    struct figure_data *data;
    size_t at[FIGURE_COLUMNS]; /**< the query's column with that name; NONE: it has none */
    struct placed *placed;     /**< in the order of the rows */
    size_t nplaced;
    struct figure_pool *pools;
    size_t npools;
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
take_columns(void *user, char *const *names, size_t n)
{
    struct reading *r = user;
    r->why = figure_columns_mistake(r->figure, names, n, r->at);
    r->data->whiskers = !figure_own_query(r->figure) || has(r, SLOT_LOW) || has(r, SLOT_HIGH);
    r->data->counted = has(r, SLOT_N);
    return !r->why;
}

/* --- cells ------------------------------------------------------------------------------------ */

/** The place of a key in a list; it is added where it is new. */
static size_t
place_of(char ***keys, size_t *n, const char *key)
{
    for (size_t i = 0; i < *n; i++)
    {
        if (strcmp((*keys)[i], key) == 0)
        {
            return i;
        }
    }
    ARRAY_GROW(*keys, *n);
    (*keys)[*n] = xstrdup(key);
    return (*n)++;
}

/** Adds the text of a cell; nothing if there is no such column. */
static void
add_key(struct text *t, const struct reading *r, const struct query_cell *cells, size_t slot)
{
    const size_t start = t->len;
    if (r->at[slot] != NONE)
    {
        query_cell_add(t, &cells[r->at[slot]]);
    }
    for (size_t i = start; i < t->len; i++)
    {
        t->s[i] = t->s[i] == '\n' ? ' ' : t->s[i]; /* line ends stand between keys */
    }
}

static size_t
place_of_cell(const struct reading *r, const struct query_cell *cells, enum slot slot, char ***keys,
              size_t *n)
{
    struct text key = {0};
    add_key(&key, r, cells, slot);
    const size_t place = place_of(keys, n, key.s ? key.s : "");
    free(key.s);
    return place;
}

/** The place of what stands in all columns of x, a line end behind each. */
static size_t
category_of(const struct reading *r, const struct query_cell *cells)
{
    struct text key = {0};
    for (size_t slot = SLOT_X; slot <= SLOT_LAST_X; slot++)
    {
        add_key(&key, r, cells, slot);
        text_add(&key, r->at[slot] != NONE ? "\n" : "");
    }
    const size_t place = place_of(&r->data->category_keys, &r->data->ncategories, key.s);
    free(key.s);
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
    const char *relative = element_value(r->figure, "relative-to");
    if (isnan(y) && n > 0 && relative)
    {
        r->why = xformat("no finished run of '%s' to relate to", relative);
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
    for (; r->nline < d->ncategories; r->nline++)
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
    if (r->kind == FIGURE_SCATTER && r->nplaced > MOST_DOTS)
    {
        r->why = xformat("it would have more than %d dots (a cdf or a box plot shows any number)",
                         MOST_DOTS);
        return false;
    }
    return true;
}

/** Reads a value of a distribution. */
static bool
read_value(struct reading *r, const struct query_cell *cells, struct placed p)
{
    size_t i = r->npools;
    double value;
    if (!number_in(r, cells, r->kind == FIGURE_CDF ? SLOT_X : SLOT_Y, &value))
    {
        return false;
    }
    while (i > 0 && (r->pools[i - 1].panel != p.panel || r->pools[i - 1].series != p.series ||
                     r->pools[i - 1].category != p.category))
    {
        i--;
    }
    if (i == 0)
    {
        ARRAY_GROW(r->pools, r->npools);
        r->pools[r->npools] = (struct figure_pool){p.panel, p.series, p.category, {NULL, 0}};
        i = ++r->npools;
    }
    if (!isnan(value))
    {
        pool_add(&r->pools[i - 1].pool, value);
    }
    return true;
}

static bool
take_row(void *user, const struct query_cell *cells)
{
    struct reading *r = user;
    struct figure_data *d = r->data;
    const enum slot series = r->kind == FIGURE_HEATMAP ? SLOT_Y : SLOT_SERIES;
    struct placed p = {.panel = place_of_cell(r, cells, SLOT_PANEL, &d->panel_keys, &d->npanels),
                       .series = place_of_cell(r, cells, series, &d->series_keys, &d->nseries)};
    r->row++;
    if (figure_has_categories(r->figure))
    {
        p.category = category_of(r, cells);
    }
    return r->kind == FIGURE_CDF || r->kind == FIGURE_BOX ? read_value(r, cells, p)
                                                          : read_point(r, cells, p);
}

/* --- curves ----------------------------------------------------------------------------------- */

static int
by_x(const void *a, const void *b)
{
    double x = ((const struct figure_point *)a)->x, y = ((const struct figure_point *)b)->x;
    return (x > y) - (x < y);
}

/** Two rows for one place would draw one of them, or a line that stands upright. */
static bool
refuse_second(struct reading *r, size_t panel, size_t series, const char *x)
{
    const struct figure_data *d = r->data;
    r->why = xformat("there are two rows of x '%s'%s%s%s%s; expected one: group by them", x,
                     *d->series_keys[series] ? ", " : "", d->series_keys[series],
                     *d->panel_keys[panel] ? ", " : "", d->panel_keys[panel]);
    return false;
}

static bool
make_categories(struct reading *r)
{
    struct figure_data *d = r->data;
    bool *taken = xcalloc(d->ncurves * d->ncategories + 1, sizeof *taken);
    bool good = true;
    for (size_t i = 0; i < d->ncurves; i++)
    {
        d->points[i] = xcalloc(d->ncategories + 1, sizeof **d->points);
        d->npoints[i] = d->ncategories;
    }
    for (size_t i = 0; i < r->nplaced && good; i++)
    {
        const struct placed *p = &r->placed[i];
        const size_t curve = p->panel * d->nseries + p->series;
        bool *its = &taken[curve * d->ncategories + p->category];
        char *x = xformat("%.*s", (int)strlen(d->category_keys[p->category]) - 1,
                          d->category_keys[p->category]);
        good = !*its || refuse_second(r, p->panel, p->series, x);
        *its = true;
        d->points[curve][p->category] = p->point;
        free(x);
    }
    free(taken);
    return good;
}

static bool
make_lines(struct reading *r)
{
    struct figure_data *d = r->data;
    bool good = true;
    for (size_t i = 0; i < r->nplaced; i++)
    {
        const size_t curve = r->placed[i].panel * d->nseries + r->placed[i].series;
        ARRAY_GROW(d->points[curve], d->npoints[curve]);
        d->points[curve][d->npoints[curve]++] = r->placed[i].point;
    }
    for (size_t i = 0; i < d->ncurves && r->kind == FIGURE_LINES && good; i++)
    {
        if (d->npoints[i])
        {
            qsort(d->points[i], d->npoints[i], sizeof **d->points, by_x);
        }
        for (size_t k = 1; k < d->npoints[i] && good; k++)
        {
            char *x = xformat("%.15g", d->points[i][k].x);
            good = d->points[i][k].x > d->points[i][k - 1].x ||
                   refuse_second(r, i / d->nseries, i % d->nseries, x);
            free(x);
        }
    }
    return good;
}

static void
make_distributions(struct reading *r)
{
    struct figure_data *d = r->data;
    const bool above = figure_value(r->figure, "y-log").integer != 0;
    const double scale = figure_value(r->figure, "y-scale").real;
    d->boxes = r->kind == FIGURE_BOX ? xcalloc(d->ncurves + 1, sizeof *d->boxes) : NULL;
    for (size_t i = 0; i < d->ncurves && d->boxes; i++)
    {
        d->boxes[i] = xcalloc(d->ncategories + 1, sizeof **d->boxes);
    }
    for (size_t i = 0; i < r->npools; i++)
    {
        struct figure_pool *from = &r->pools[i];
        const size_t curve = from->panel * d->nseries + from->series;
        if (d->boxes)
        {
            d->boxes[curve][from->category] = figure_box_of(&from->pool);
        }
        else
        {
            d->npoints[curve] = figure_cdf_of(&from->pool, above, scale, &d->points[curve]);
        }
    }
}

/** Puts what was read in the order of panels and series. */
static bool
make_curves(struct reading *r)
{
    struct figure_data *d = r->data;
    d->ncurves = d->npanels * d->nseries;
    d->points = xcalloc(d->ncurves + 1, sizeof *d->points);
    d->npoints = xcalloc(d->ncurves + 1, sizeof *d->npoints);
    if (r->kind == FIGURE_CDF || r->kind == FIGURE_BOX)
    {
        make_distributions(r);
        return true;
    }
    return figure_has_categories(r->figure) ? make_categories(r) : make_lines(r);
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool
shows_anything(const struct figure_data *data)
{
    for (size_t i = 0; i < data->ncurves; i++)
    {
        for (size_t k = 0; k < data->npoints[i]; k++)
        {
            if (data->points[i][k].n)
            {
                return true;
            }
        }
        for (size_t k = 0; data->boxes && k < data->ncategories; k++)
        {
            if (data->boxes[i][k].n)
            {
                return true;
            }
        }
    }
    return false;
}

/** That there is nothing to show. */
static char *
nothing_shown(const struct reading *r)
{
    const bool own = figure_own_query(r->figure) != NULL;
    return own && r->row == 0 ? xstrdup("its query gives no rows")
           : own              ? xstrdup("its query gives rows without values")
           : r->row ? xformat("column '%s' of the results is empty", figure_shown(r->figure))
                    : xformat("no finished run has results for '%s'", figure_shown(r->figure));
}

/** Counts the runs that are shown. */
static bool
count_runs(struct reading *r, struct database *results, struct query_mistake *m)
{
    char *sql = figure_query_of_runs(r->plan, r->figure);
    struct query_rows *rows = database_query(results, sql, FIGURE_LIMITS, m);
    if (rows)
    {
        r->data->nruns = (size_t)rows->cells[0].integer;
        r->data->nlacking = (size_t)rows->cells[1].integer;
    }
    query_rows_free(rows);
    free(sql);
    return rows != NULL;
}

/** Counts the values of a <query> that rest on rows of which some have none. A query that cannot be
 * asked for that tells nothing. */
static void
count_holes(struct reading *r, struct database *results, const char *sql)
{
    const size_t at = r->at[r->kind == FIGURE_HEATMAP ? SLOT_Z : SLOT_Y];
    struct query_mistake m = {NULL, 0};
    struct query_rows *rows = database_query(results, sql, QUERY_LIMITS, &m);
    struct query_hole *holes = rows ? database_holes(results, sql, QUERY_LIMITS, rows, &m) : NULL;
    for (size_t i = 0; holes && i < rows->nrows; i++)
    {
        r->data->nlacking += holes[i * rows->ncolumns + at].ground != QUERY_WHOLE;
    }
    r->data->nruns = rows ? rows->nrows : 0;
    free(holes);
    query_rows_free(rows);
    free(m.message);
}

static bool
read_all(struct reading *r, struct database *results, struct query_mistake *m)
{
    const struct element *own = figure_own_query(r->figure);
    const struct query_reader reader = {take_columns, take_row, r};
    char *sql = figure_query(r->plan, r->figure);
    bool good = database_read(results, sql, own ? QUERY_LIMITS : FIGURE_LIMITS, &reader, m);
    m->line = own ? own->text_line + m->line : r->figure->line;
    if (good && own && !figure_is(r->figure, FIGURES_OF_ROWS))
    {
        count_holes(r, results, sql);
    }
    free(sql);
    if (good && make_curves(r) && !shows_anything(r->data))
    {
        r->why = nothing_shown(r);
    }
    good = good && !r->why && (own || count_runs(r, results, m));
    if (good)
    {
        figure_name_all(r->plan, r->figure, r->data);
    }
    m->message = m->message ? m->message : r->why;
    return good;
}

struct figure_data *
figure_read(const struct plan *plan, const struct element *figure, struct database *results,
            struct query_mistake *mistake)
{
    struct reading r = {.plan = plan,
                        .figure = figure,
                        .kind = figure_kind(figure),
                        .data = xcalloc(1, sizeof(struct figure_data))};
    const bool good = read_all(&r, results, mistake);
    for (size_t i = 0; i < r.npools; i++)
    {
        pool_free(&r.pools[i].pool);
    }
    free(r.pools);
    free(r.placed);
    if (!good)
    {
        figure_data_free(r.data);
        return NULL;
    }
    return r.data;
}
