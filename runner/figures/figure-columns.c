/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of a figure's query, and mistakes in a <query> that are found before there are rows.
 */
#include <stdlib.h>
#include <string.h>

#include "figure-rows.h"

const struct figure_column figure_columns[FIGURE_COLUMNS] = {
    {"x", FIGURE_ALL, FIGURE_ALL},
    {"x2", 0, ~FIGURES_OF_NUMBERS},
    {"x3", 0, ~FIGURES_OF_NUMBERS},
    {"x4", 0, ~FIGURES_OF_NUMBERS},
    {"y", ~FIGURE_SET(FIGURE_CDF), ~FIGURE_SET(FIGURE_CDF)},
    {"end", FIGURES_OF_SPANS, FIGURES_OF_SPANS},
    {"z", FIGURE_SET(FIGURE_HEATMAP), FIGURE_SET(FIGURE_HEATMAP)},
    {"series", 0, ~(FIGURE_SET(FIGURE_BARS) | FIGURE_SET(FIGURE_HEATMAP))},
    {"panel", 0, FIGURE_ALL},
    {"low", 0, FIGURES_OF_WHISKERS},
    {"high", 0, FIGURES_OF_WHISKERS},
    {"n", 0, ~FIGURES_OF_ROWS},
    {"line", 0, FIGURES_OF_BARS},
    {"line_low", 0, FIGURES_OF_BARS},
    {"line_high", 0, FIGURES_OF_BARS},
};

/** The columns that a kind of figure may have: "x, y and perhaps series". */
static char *
expected_columns(unsigned kind)
{
    struct text t = {0};
    for (int required = 1; required >= 0; required--)
    {
        for (size_t i = 0, n = 0; i < FIGURE_COLUMNS; i++)
        {
            const bool is_required = (figure_columns[i].required & kind) != 0;
            if ((figure_columns[i].allowed & kind) && is_required == (required == 1))
            {
                const char *before = n++ ? ", " : required ? "" : " and perhaps ";
                text_add(&t, "%s%s", before, figure_columns[i].name);
            }
        }
    }
    return text_take(&t);
}

/** The place of a name; FIGURE_COLUMNS: the figure has no such column. */
static size_t
slot_of(const char *name, unsigned kind, struct nearest *near)
{
    size_t found = FIGURE_COLUMNS;
    for (size_t i = 0; i < FIGURE_COLUMNS; i++)
    {
        if (figure_columns[i].allowed & kind)
        {
            nearest_try(near, figure_columns[i].name);
            found = strcmp(figure_columns[i].name, name) == 0 ? i : found;
        }
    }
    return found;
}

char *
figure_columns_mistake(const struct figure *figure, char *const *names, size_t n, size_t *at)
{
    const unsigned kind = FIGURE_SET(figure->kind);
    char *expected = expected_columns(kind), *why = NULL;
    for (size_t i = 0; i < FIGURE_COLUMNS; i++)
    {
        at[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < n && !why; i++)
    {
        struct nearest near = nearest_start(names[i]);
        const size_t slot = slot_of(names[i], kind, &near);
        why = slot == FIGURE_COLUMNS ? xformat("it has a column '%s'; expected %s%s", names[i],
                                               expected, did_you_mean(near.best))
              : at[slot] != SIZE_MAX ? xformat("it has two columns '%s'", names[i])
                                     : NULL;
        at[why ? 0 : slot] = i;
    }
    for (size_t i = 0; i < FIGURE_COLUMNS && !why; i++)
    {
        if (at[i] == SIZE_MAX && (figure_columns[i].required & kind))
        {
            why = xformat("it has no column '%s'; expected %s", figure_columns[i].name, expected);
        }
    }
    free(expected);
    return why;
}

/* --- <query> ---------------------------------------------------------------------------------- */

/** Checks attributes that a <query> stands for. */
static void
check_others(const struct figure *figure, struct diagnostics *d)
{
    static const char *const others[] = {"data",    "x",       "y",           "z",    "series",
                                         "panels",  "where",   "relative-to", "line", "x-scale",
                                         "y-scale", "z-scale", "error",       "pool", "end"};
    const bool cdf = figure->kind == FIGURE_CDF;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    {
        /* The shares of a cdf are Weft's own. */
        const bool own = cdf && strcmp(others[i], "y-scale") == 0;
        if (element_attribute(figure->e, others[i]) && !own)
        {
            diag_error(d, element_line(figure->e, others[i]),
                       "%s of <figure %s>, which has a <query>; expected the query alone to say "
                       "what is shown",
                       others[i], figure->name);
        }
    }
}

void
figure_check_query(const struct figure *figure, struct database *tables, struct diagnostics *d)
{
    const struct element *query = figure->query;
    struct query_mistake m = {NULL, 0};
    size_t at[FIGURE_COLUMNS];
    check_others(figure, d);
    struct query *q = tables ? query_begin(tables, query->text, QUERY_LIMITS, &m) : NULL;
    OWNED char *why = q ? figure_columns_mistake(figure, q->columns, q->ncolumns, at) : m.message;
    if (why)
    {
        diag_error(d, query->text_line + m.line, "<query> of <figure %s>: %s", figure->name, why);
    }
    query_end(q);
}
