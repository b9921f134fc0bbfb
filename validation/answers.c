/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries of claims and tables: asked, and their answers checked. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"

static bool
is_headline(const xmlNode *query)
{
    return !xmlStrEqual(query->name, (const xmlChar *)"query");
}

/* --- columns -----------------------------------------------------------------------------------
 */

/** Returns what a column's own element says of it, or else the query. */
static const char *
said_of(const xmlNode *column, const xmlNode *query, const char *attribute)
{
    const char *own = value_of(column, attribute);
    return own ? own : value_of(query, attribute);
}

/** Whether a name is "+-"; spaces tell several intervals of a query apart. */
static bool
is_interval(const char *name)
{
    const char *sign = name + strspn(name, " ");
    return strncmp(sign, "+-", 2) == 0 && !sign[2 + strspn(sign + 2, " ")];
}

static struct column
describe(const xmlNode *query, const char *name)
{
    const xmlNode *column = NULL;
    while ((column = child_after(query->parent, ASKED_COLUMN, column)) != NULL &&
           strcmp(value_of(column, "name"), name) != 0)
    {
    }
    const char *unit = said_of(column, query, "unit"), *former = said_of(column, query, "former");
    const char *decimals = said_of(column, query, "decimals");
    const bool key =
        list_has(value_of(query, "each"), name) || list_has(value_of(query, "over"), name);
    return (struct column){
        .kind = key                           ? COLUMN_KEY
                : strcmp(name, "former") == 0 ? COLUMN_FORMER
                : is_interval(name)           ? COLUMN_INTERVAL
                                              : COLUMN_VALUE,
        .label = strcmp(name, "value") == 0 ? NULL : name,
        .unit = unit && *unit ? unit : NULL,
        .decimals = decimals ? atoi(decimals) : 1,
        .former = former && strcmp(former, "on") == 0,
    };
}

/* --- checks ------------------------------------------------------------------------------------
 */

/** Reports a name that is none of the answer's columns. */
static void
check_known(struct source *s, const struct answer *a, const char *name, int line)
{
    struct nearest near = nearest_start(name);
    const char *const *columns = (const char *const *)a->rows->columns;
    if (name_find(&near, columns, a->rows->ncolumns) == a->rows->ncolumns)
    {
        diag_error(s->d, line, "the query gives no column '%s'%s", name, did_you_mean(near.best));
    }
}

static void
check_names(struct source *s, const struct answer *a)
{
    const char *each = value_of(a->query, "each"), *over = value_of(a->query, "over");
    OWNED char *keys = xformat("%s %s", each ? each : "", over ? over : "");
    CLEANUP(words_free) struct words names = words_split(keys);
    for (size_t i = 0; i < names.n; i++)
    {
        check_known(s, a, names.word[i], line_of(a->query));
    }
    for (const xmlNode *c = NULL;
         !is_headline(a->query) && (c = child_after(a->query->parent, ASKED_COLUMN, c)) != NULL;)
    {
        check_known(s, a, value_of(c, "name"), line_of(c));
    }
}

/** Whether two rows have the same name. */
static bool
is_same_name(const struct answer *a, size_t row, size_t other)
{
    const size_t n = a->rows->ncolumns;
    bool same = true;
    for (size_t c = 0; same && c < n; c++)
    {
        same = a->columns[c].kind != COLUMN_KEY ||
               query_cell_same(&a->rows->cells[row * n + c], &a->rows->cells[other * n + c]);
    }
    return same;
}

/** Says that two rows have the same name; NULL: each has its own. The caller frees it. */
static char *
twice(const struct answer *a)
{
    for (size_t row = 1; row < a->rows->nrows; row++)
    {
        for (size_t other = 0; other < row; other++)
        {
            if (is_same_name(a, row, other))
            {
                return xformat("rows %zu and %zu of the query have the same name; expected one row "
                               "for each, as from 'group by'",
                               other + 1, row + 1);
            }
        }
    }
    return NULL;
}

/** Says what is wrong with the rows and columns of an answer; NULL: nothing. The caller frees it.
 */
static char *
complaint(const struct answer *a)
{
    const bool named = value_of(a->query, "each") || value_of(a->query, "over");
    const bool headline = is_headline(a->query);
    const size_t count = answer_count(a);
    for (size_t c = 0; c < a->rows->ncolumns; c++)
    {
        if (a->columns[c].kind == COLUMN_INTERVAL &&
            (c == 0 || a->columns[c - 1].kind != COLUMN_VALUE))
        {
            return xformat("there is no number before column '%s'; expected the one whose "
                           "interval it is half of",
                           a->rows->columns[c]);
        }
    }
    if (!named && a->rows->nrows > 1)
    {
        return xformat("the %s gives %zu rows; expected one%s", headline ? "headline" : "query",
                       a->rows->nrows,
                       headline ? ""
                                : ", or each=\"COLUMN ...\" (over=) with the columns that name "
                                  "them");
    }
    return headline && a->rows->nrows && (count == 0 || count > MOST_NUMBERS)
               ? xformat("the headline gives %zu numbers, with those of intervals; expected 1 to "
                         "%d",
                         count, MOST_NUMBERS)
           : named ? twice(a)
                   : NULL;
}

/** Says what is wrong with a cell: a value must be a number, of rows that are there. */
static char *
refusal(const struct source *s, const struct answer *a, size_t at)
{
    const size_t c = at % a->rows->ncolumns;
    const char *name = a->rows->columns[c];
    const struct query_cell *cell = &a->rows->cells[at];
    const bool value = a->columns[c].kind == COLUMN_VALUE;
    if (cell->kind == QUERY_TEXT && (value || a->columns[c].kind == COLUMN_INTERVAL))
    {
        const bool may_name = value && !is_headline(a->query);
        return xformat("column '%s' holds text ('%s'); expected numbers%s%s%s", name, cell->text,
                       may_name ? ", or each=\"" : "", may_name ? name : "",
                       may_name ? "\" if it names the rows" : "");
    }
    return value && a->holes[at].ground == QUERY_NO_ROWS && !s->options->allow_missing
               ? xformat("there are no rows in %s/%s for column '%s'", s->options->results,
                         value_of(s->section, "results"), name)
               : NULL;
}

/** Says why there is no answer, or none without rows; NULL: nothing speaks against that. */
static char *
absence(const struct source *s, const struct answer *a)
{
    const bool may = s->options->allow_missing;
    return s->missing && !may ? xstrdup(s->missing)
           : a->rows && a->rows->nrows == 0 && !may
               ? xformat("there are no rows in %s/%s for the query", s->options->results,
                         value_of(s->section, "results"))
               : NULL;
}

/* --- asking ------------------------------------------------------------------------------------
 */

static int
count_lines(const char *s)
{
    int n = 0;
    for (; (s = strchr(s, '\n')) != NULL; s++)
    {
        n++;
    }
    return n;
}

/** Asks the query, and on what its cells rest; no rows after reporting a mistake. */
static void
ask(struct source *s, struct answer *a)
{
    struct query_mistake m;
    OWNED char *text = query_text(a->query);
    a->rows = database_query(s->db, text, s->options->limits, &m);
    a->holes = a->rows ? database_holes(s->db, text, s->options->limits, a->rows->nrows, &m) : NULL;
    if (!a->holes)
    {
        const char *own = (const char *)a->query->children->content;
        const int before = count_lines(text) - count_lines(own);
        diag_error(s->d, line_of(a->query) + (m.line > before ? m.line - before : 0), "%s",
                   m.message);
        free(m.message);
        query_rows_free(a->rows);
        a->rows = NULL;
    }
}

/** Describes the columns of an answer and checks all of it. */
static void
check(struct source *s, struct answer *a)
{
    const size_t before = s->d->reported;
    a->columns = xcalloc(a->rows->ncolumns, sizeof *a->columns);
    for (size_t c = 0; c < a->rows->ncolumns; c++)
    {
        a->columns[c] = describe(a->query, a->rows->columns[c]);
    }
    check_names(s, a);
    OWNED char *why = s->d->reported == before ? complaint(a) : NULL;
    const bool whole = s->d->reported == before && !why;
    for (size_t i = 0; whole && !why && i < a->rows->nrows * a->rows->ncolumns; i++)
    {
        why = refusal(s, a, i);
    }
    if (why)
    {
        diag_error(s->d, line_of(a->query), "%s", why);
    }
}

struct answer
answer_of(struct source *s, const xmlNode *query)
{
    struct answer a = {.query = query};
    if (query && source_open(s))
    {
        ask(s, &a);
    }
    if (a.rows)
    {
        check(s, &a);
    }
    OWNED char *why = query ? absence(s, &a) : NULL;
    if (query && s->why)
    {
        diag_error(s->d, line_of(s->section), "%s", s->why); /* once for all of its queries */
    }
    else if (why)
    {
        diag_error(s->d, line_of(query), "%s", why);
    }
    return a;
}

void
answer_drop(struct answer *a)
{
    query_rows_free(a->rows);
    free(a->holes);
    free(a->columns);
}

/* --- what it is --------------------------------------------------------------------------------
 */

size_t
answer_count(const struct answer *a)
{
    size_t values = 0, intervals = 0;
    for (size_t c = 0; a->rows && c < a->rows->ncolumns; c++)
    {
        values += a->columns[c].kind == COLUMN_VALUE;
        intervals += a->columns[c].kind == COLUMN_INTERVAL;
    }
    return !a->rows ? 0
           : a->rows->nrows > 1 && value_of(a->query, "over")
               ? 2 * values
               : a->rows->nrows * (values + intervals);
}

bool
answer_was_run(const struct answer *a)
{
    bool run = !a->query || (a->rows && a->rows->nrows > 0);
    for (size_t i = 0; a->rows && run && i < a->rows->nrows * a->rows->ncolumns; i++)
    {
        run = a->columns[i % a->rows->ncolumns].kind != COLUMN_VALUE ||
              a->holes[i].ground != QUERY_NO_ROWS;
    }
    return run;
}

bool
answer_row_is_former(const struct answer *a, size_t row)
{
    bool former = false;
    for (size_t c = 0; !former && c < a->rows->ncolumns; c++)
    {
        const struct query_cell *cell = &a->rows->cells[row * a->rows->ncolumns + c];
        former = a->columns[c].kind == COLUMN_FORMER && cell->kind != QUERY_NULL && cell->real > 0;
    }
    return former;
}
