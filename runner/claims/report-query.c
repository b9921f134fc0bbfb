/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries of claims and tables: asked, and their answers checked. */
#include "report-query.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database.h"
#include "element-values.h"
#include "open-data.h"

struct words
report_shows(const struct element *section)
{
    const char *names = element_value(section, "shows");
    return names ? words_split_at(names, ';') : (struct words){0};
}

/* --- results ---------------------------------------------------------------------------------- */

void
report_source_close(struct report_source *s)
{
    database_close(s->db);
    free(s->missing);
    free(s->why);
    s->db = NULL;
    s->missing = s->why = NULL;
    s->bad = false;
}

/** The scenario that makes results, as far as the claims say; else NULL. */
static const char *
maker_of(const struct report_source *s, const char *results)
{
    for (size_t i = 0; i < s->claims->nchildren; i++)
    {
        const struct element *e = s->claims->children[i];
        const char *its = element_value(e, "results"), *scenario = element_value(e, "scenario");
        if (its && scenario && strcmp(its, results) == 0)
        {
            return scenario;
        }
    }
    return NULL;
}

/** The results of a name: a folder, or a file of open data. The caller frees it. */
static char *
path_of(const struct report_options *options, const char *results)
{
    return options->data ? xformat("%s/%s" OPEN_DATA_ENDING, options->data, results)
                         : xformat("%s/%s", options->results, results);
}

bool
report_has_results(const struct report_options *options, const char *results)
{
    OWNED char *path = path_of(options, results);
    OWNED char *database = xformat("%s/" DATABASE_FILE, path),
               *table = xformat("%s/summary.csv", path);
    return open_data_is(path) ? access(path, F_OK) == 0
                              : access(database, F_OK) == 0 || access(table, F_OK) == 0;
}

/** Opens results, or those of an <attach> beside the section's. */
static bool
open_results(struct report_source *s, const char *results, const char *as)
{
    OWNED char *path = path_of(s->options, results);
    bool good = false;
    if (!report_has_results(s->options, results))
    {
        const char *scenario = maker_of(s, results);
        s->missing =
            xformat("there are no results in %s%s%s%s", path, scenario ? "; './weft run " : "",
                    scenario ? scenario : "", scenario ? "' makes them" : "");
    }
    else if (as)
    {
        good = database_attach(s->db, as, path, &s->why);
    }
    else
    {
        s->db = database_open(path, &s->why);
        good = s->db != NULL;
    }
    return good;
}

bool
report_source_open(struct report_source *s)
{
    if (s->missing || s->why || s->bad || s->db)
    {
        return !s->missing && !s->why && !s->bad;
    }
    bool good = open_results(s, element_value(s->section, "results"), NULL);
    const struct element *e = NULL;
    while (good && (e = element_child_after(s->section, "attach", e)) != NULL)
    {
        good = open_results(s, element_value(e, "results"), element_value(e, "as"));
    }
    s->bad = good && !report_views_make(s);
    return good && !s->bad;
}

/* --- columns ---------------------------------------------------------------------------------- */

/** Returns the element whose attribute of that name holds for a column: its own, or the query's for
 * all. */
static const struct element *
giver_of(const struct element *column, const struct element *query, const char *name)
{
    return column && element_attribute(column, name) ? column : query;
}

/** Spaces tell several intervals of a query apart. */
static bool
is_interval(const char *name)
{
    const char *sign = name + strspn(name, " "), *rest = sign + strlen(INTERVAL_COLUMN);
    return strncmp(sign, INTERVAL_COLUMN, strlen(INTERVAL_COLUMN)) == 0 && !rest[strspn(rest, " ")];
}

static struct report_column
describe_column(const struct element *e, const struct element *query, const char *name)
{
    const struct element *column = element_named(e, "column", name);
    const char *unit = element_value(giver_of(column, query, "unit"), "unit");
    const bool key = list_has(element_value(query, "each"), name) ||
                     list_has(element_value(query, "over"), name);
    return (struct report_column){
        .kind = key                                ? REPORT_KEY
                : strcmp(name, FORMER_COLUMN) == 0 ? REPORT_FORMER
                : is_interval(name)                ? REPORT_INTERVAL
                                                   : REPORT_VALUE,
        .label = strcmp(name, UNNAMED_COLUMN) == 0 ? NULL : name,
        .unit = unit && *unit ? unit : NULL,
        .decimals = (int)element_number(giver_of(column, query, "decimals"), "decimals").integer,
        .former = element_number(giver_of(column, query, "former"), "former").integer != 0,
    };
}

/** A name in the claims file that must be one of an answer's columns. */
static void
check_known(struct report_source *s, const struct query_rows *rows, const char *name, int line)
{
    struct nearest near = nearest_start(name);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (strcmp(rows->columns[c], name) == 0)
        {
            return;
        }
        nearest_try(&near, rows->columns[c]);
    }
    diag_error(s->d, line, "the query gives no column '%s'%s", name, did_you_mean(near.best));
}

static void
check_all_known(struct report_source *s, const struct element *e, const struct element *query,
                const struct query_rows *rows)
{
    static const char *const lists[] = {"each", "over"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    {
        const char *list = element_value(query, lists[i]);
        CLEANUP(words_free) struct words w = words_split(list ? list : "");
        for (size_t k = 0; k < w.n; k++)
        {
            check_known(s, rows, w.word[k], element_line(query, lists[i]));
        }
    }
    for (const struct element *c = NULL; e && (c = element_child_after(e, "column", c)) != NULL;)
    {
        check_known(s, rows, element_value(c, "name"), element_line(c, "name"));
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

/** Returns the cells that name a row, one behind the other; the caller frees it. */
static char *
name_of_row(const struct report_numbers *n, size_t row)
{
    struct text t = {0};
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind == REPORT_KEY)
        {
            query_cell_add(&t, &n->rows->cells[row * n->rows->ncolumns + c]);
            text_add(&t, "\n");
        }
    }
    return text_take(&t);
}

/** The first row of the name of another one before it; *other is that. The number of rows: there is
 * none. */
static size_t
find_same_name(const struct report_numbers *n, size_t *other)
{
    OWNED char **names = xcalloc(n->rows->nrows + 1, sizeof *names);
    size_t row = 0, before = 0;
    for (; row < n->rows->nrows; row++)
    {
        names[row] = name_of_row(n, row);
        for (before = 0; before < row && strcmp(names[before], names[row]) != 0; before++)
        {
        }
        if (before < row)
        {
            break;
        }
    }
    *other = before;
    for (size_t r = 0; names[r]; r++)
    {
        free(names[r]);
    }
    return row;
}

/** Whether it asks the answer of another one. */
static bool
is_headline(const struct element *query)
{
    return strcmp(query->name, "headline") == 0;
}

/** A row must be one number each, or be named. */
static void
check_rows(struct report_source *s, const struct element *query, const struct report_numbers *n)
{
    const bool named = element_value(query, "each") || element_value(query, "over");
    if (!named && n->rows->nrows > 1)
    {
        diag_error(s->d, query->line, "the %s gives %zu rows; expected one%s", query->name,
                   n->rows->nrows,
                   is_headline(query)
                       ? ""
                       : ", or each=\"COLUMN ...\" (over=) with the columns that name them");
        return;
    }
    size_t other;
    const size_t row = named ? find_same_name(n, &other) : n->rows->nrows;
    if (row < n->rows->nrows)
    {
        diag_error(s->d, query->line,
                   "rows %zu and %zu of the query have the same name; expected one row for each, "
                   "as from 'group by'",
                   other + 1, row + 1);
    }
}

/** Half of an interval stands behind its value. */
static void
check_intervals(struct report_source *s, const struct element *query,
                const struct report_numbers *n)
{
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind == REPORT_INTERVAL &&
            (c == 0 || n->columns[c - 1].kind != REPORT_VALUE))
        {
            diag_error(s->d, query->line,
                       "there is no number before column '%s'; expected the one whose interval "
                       "it is half of",
                       n->rows->columns[c]);
        }
    }
}

/** A cell has room for a headline. */
static void
check_headline(struct report_source *s, const struct element *e, const struct element *query,
               const struct report_numbers *n)
{
    const size_t count = report_count(e, n);
    if (is_headline(query) && n->rows->nrows && (count == 0 || count > REPORT_MOST_NUMBERS))
    {
        diag_error(s->d, query->line,
                   "the headline gives %zu numbers, with those of intervals; expected 1 to %d",
                   count, REPORT_MOST_NUMBERS);
    }
}

/** Refuses a text in a column that is shown as a number. */
static void
refuse_text(struct report_source *s, const struct element *query, const char *column,
            const char *text, bool may_name)
{
    OWNED char *names = may_name ? xformat(", or each=\"%s\" if it names the rows", column) : NULL;
    diag_error(s->d, query->line, "column '%s' holds text ('%s'); expected numbers%s", column, text,
               names ? names : "");
}

/** A value must be a number, of rows that are there. */
static void
check_cell(struct report_source *s, const struct element *query, const struct report_numbers *n,
           size_t at)
{
    const size_t column = at % n->rows->ncolumns;
    const struct query_cell *cell = &n->rows->cells[at];
    const bool value = n->columns[column].kind == REPORT_VALUE;
    if (cell->kind == QUERY_TEXT && (value || n->columns[column].kind == REPORT_INTERVAL))
    {
        refuse_text(s, query, n->rows->columns[column], cell->text, value && !is_headline(query));
    }
    else if (value && n->holes[at].ground == QUERY_NO_ROWS && !s->options->allow_missing)
    {
        diag_error(s->d, query->line, "there are no rows in %s/%s for column '%s'",
                   s->options->results, element_value(s->section, "results"),
                   n->rows->columns[column]);
    }
}

/** Reports results that are not there. */
static void
report_absent(struct report_source *s, const struct element *query, const struct query_rows *rows)
{
    if (s->why)
    {
        diag_error(s->d, s->section->line, "%s", s->why); /* once for all of its queries */
    }
    else if (s->missing && !s->options->allow_missing)
    {
        diag_error(s->d, query->line, "%s", s->missing);
    }
    else if (rows && rows->nrows == 0 && !s->options->allow_missing)
    {
        diag_error(s->d, query->line, "there are no rows in %s/%s for the query",
                   s->options->results, element_value(s->section, "results"));
    }
}

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

/** The <query> whose answer a <headline> asks, or NULL. */
static const struct element *
asked_by(const struct element *e, const struct element *query)
{
    return is_headline(query) ? element_child(e, "query") : NULL;
}

char *
report_query_text(const struct element *e, const struct element *query)
{
    const struct element *of = asked_by(e, query);
    size_t n = of ? strlen(of->text) : 0;
    while (n && strchr(" \t\r\n;", of->text[n - 1]))
    {
        n--;
    }
    return of ? xformat("with " ANSWER " as (%.*s\n) %s", (int)n, of->text, query->text)
              : xstrdup(query->text);
}

/** The answer, with what its cells rest on; NULL after reporting a mistake. */
static struct query_rows *
ask(struct report_source *s, const struct element *e, const struct element *query,
    struct query_hole **holes)
{
    struct query_mistake m;
    OWNED char *text = report_query_text(e, query);
    struct query_rows *rows = database_query(s->db, text, s->options->limits, &m);
    *holes = rows ? database_holes(s->db, text, s->options->limits, rows->nrows, &m) : NULL;
    if (!*holes)
    {
        const int before = count_lines(text) - count_lines(query->text);
        const int within = m.line > before ? m.line - before : 0;
        diag_error(s->d, query->text_line + within, "%s", m.message);
        free(m.message);
        query_rows_free(rows);
        rows = NULL;
    }
    return rows;
}

static void
take_answer(struct report_source *s, const struct element *e, const struct element *query,
            struct report_numbers *n)
{
    const struct query_rows *rows = n->rows;
    const size_t before = s->d->reported;
    n->columns = xcalloc(rows->ncolumns, sizeof *n->columns);
    check_all_known(s, is_headline(query) ? NULL : e, query, rows);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        n->columns[c] = describe_column(e, query, rows->columns[c]);
    }
    if (s->d->reported == before)
    {
        check_rows(s, query, n);
        check_intervals(s, query, n);
        check_headline(s, e, query, n);
    }
    for (size_t i = 0; s->d->reported == before && i < rows->nrows * rows->ncolumns; i++)
    {
        check_cell(s, query, n, i);
    }
    report_absent(s, query, rows);
}

struct report_numbers *
report_numbers(struct report_source *s, const struct element *e, const char *which)
{
    const struct element *query = element_child(e, which);
    if (!query)
    {
        return NULL;
    }
    struct report_numbers *n = xcalloc(1, sizeof *n);
    if (!report_source_open(s))
    {
        report_absent(s, query, NULL);
    }
    else if ((n->rows = ask(s, e, query, &n->holes)) != NULL)
    {
        take_answer(s, e, query, n);
    }
    return n;
}

void
report_numbers_free(struct report_numbers *n)
{
    if (n)
    {
        query_rows_free(n->rows);
        free(n->holes);
        free(n->columns);
        free(n);
    }
}
