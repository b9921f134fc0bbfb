/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of scenarios as a page in HTML. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html-page.h"
#include "report-model.h"

/** Of a table that is shown; more say so. */
#define MOST_ROWS 1000

/** The last part of a path. */
static char *
name_of(const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
    {
        n--;
    }
    size_t start = n;
    while (start > 0 && folder[start - 1] != '/')
    {
        start--;
    }
    return xformat("%.*s", (int)(n - start), folder + start);
}

/** Whether all rows have the same in a column. */
static bool
is_constant(const struct query_rows *rows, size_t column)
{
    bool same = true;
    char *first = report_cell_text(&rows->cells[column]);
    for (size_t r = 1; same && r < rows->nrows; r++)
    {
        char *cell = report_cell_text(&rows->cells[r * rows->ncolumns + column]);
        same = strcmp(cell, first) == 0;
        free(cell);
    }
    free(first);
    return same;
}

/** Whether a column has the numbers of the texts before it, as "t-i_us" those of "t-i": sorting the
 * texts by what they mean needs no other column. */
static bool
repeats(const struct query_rows *rows, size_t column)
{
    const char *before = column ? rows->columns[column - 1] : "", *name = rows->columns[column];
    const size_t n = strlen(before);
    return column && rows->cells[column - 1].kind == QUERY_TEXT && strncmp(name, before, n) == 0 &&
           name[n] == '_';
}

/** Where a column is shown. */
enum place
{
    NOWHERE,
    IN_LIST,
    IN_TABLE,
};

/** What does not vary, as a list beside the table. */
static void
add_constants(struct text *t, const struct query_rows *rows, const enum place *places)
{
    text_add(t, rows->nrows > 1
                    ? "<details class=\"facts\"><summary>The same in all rows</summary>\n"
                    : "<details class=\"facts\" open><summary>All values</summary>\n");
    text_add(t, "<div class=\"box\"><table>\n<tbody>\n");
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (places[c] == IN_LIST && rows->cells[c].kind != QUERY_NULL)
        {
            html_page_row(t, rows->columns[c], &rows->cells[c]);
        }
    }
    text_add(t, "</tbody>\n</table></div>\n</details>\n");
}

static void
add_varying(struct text *t, const char *title, const struct query_rows *rows,
            const enum place *places)
{
    html_page_table_begin(t, title);
    text_add(t, "<thead><tr>");
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (places[c] == IN_TABLE)
        {
            const bool number = rows->cells[c].kind != QUERY_TEXT;
            html_page_add(
                t, number ? "<th scope=\"col\" class=\"n\">%s</th>" : "<th scope=\"col\">%s</th>",
                rows->columns[c]);
        }
    }
    text_add(t, "</tr></thead>\n<tbody>\n");
    const size_t nrows = rows->nrows > MOST_ROWS ? MOST_ROWS : rows->nrows;
    for (size_t at = 0; at < nrows * rows->ncolumns; at++)
    {
        const size_t c = at % rows->ncolumns;
        const struct query_cell *cell = &rows->cells[at];
        text_add(t, "%s", c == 0 ? "<tr>" : "");
        if (places[c] == IN_TABLE)
        {
            char *text = report_cell_text(cell);
            html_page_cell(t, cell, cell->kind != QUERY_TEXT);
            html_page_add(t, "%s</td>", text);
            free(text);
        }
        text_add(t, "%s", c + 1 == rows->ncolumns ? "</tr>\n" : "");
    }
    html_page_table_end(t);
}

/** A table of results that has rows. */
static void
add_rows(struct text *t, const char *title, const struct query_rows *rows)
{
    enum place *places = xcalloc(rows->ncolumns, sizeof *places);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        places[c] = repeats(rows, c) ? NOWHERE : is_constant(rows, c) ? IN_LIST : IN_TABLE;
    }
    if (rows->nrows > 1)
    {
        add_varying(t, title, rows, places);
    }
    if (rows->nrows > MOST_ROWS)
    {
        text_add(t, "<p class=\"missing\">The first %d rows.</p>\n", MOST_ROWS);
    }
    add_constants(t, rows, places);
    free(places);
}

/** Asks for a table; a sentence in *why if it cannot be. */
static void
add_table(struct text *t, struct database *db, const char *table, const char *title, char **why)
{
    char *sql = xformat("select * from \"%s\" limit %d", table, MOST_ROWS + 1);
    struct query_mistake mistake = {NULL, 0};
    struct query_rows *rows = database_query(db, sql, QUERY_LIMITS, &mistake);
    if (rows && rows->nrows)
    {
        add_rows(t, title, rows);
    }
    *why = mistake.message;
    free(sql);
    query_rows_free(rows);
}

static bool
add_results(struct text *t, const char *folder, size_t number)
{
    char *why = NULL, *none = NULL, *name = name_of(folder);
    char *prefix = xformat("s%zu-", number);
    struct database *db = database_open(folder, &why);
    html_page_add(t, "<section id=\"s%zu\">\n<h2>%s</h2>\n", number, name);
    html_page_figures(t, folder, prefix);
    if (db)
    {
        add_table(t, db, "aggregate", "Over the seeds", &none);
        add_table(t, db, "summary", "All runs", &why);
        struct query_rows *facts = results_facts(db);
        html_page_facts(t, folder, facts);
        query_rows_free(facts);
    }
    text_add(t, "</section>\n");
    if (why)
    {
        fprintf(stderr, "weft: error: %s: %s\n", folder, why);
    }
    const bool good = !why;
    database_close(db);
    free(prefix);
    free(name);
    free(none);
    free(why);
    return good;
}

static void
add_contents(struct text *t, char *const *folders, size_t n)
{
    text_add(t, "<nav aria-label=\"Scenarios\">\n<ol class=\"contents\">\n");
    for (size_t i = 0; i < n; i++)
    {
        char *name = name_of(folders[i]);
        html_page_add(t, "<li><a href=\"#s%zu\">%s</a></li>\n", i + 1, name);
        free(name);
    }
    text_add(t, "</ol>\n</nav>\n");
}

char *
results_html(char *const *folders, size_t n)
{
    struct text t = {0};
    bool good = true;
    char *name = name_of(folders[0]);
    char *title = n == 1 ? xformat("Results of %s", name) : xformat("Results of %zu scenarios", n);
    html_page_begin(&t, title);
    html_page_add(&t, "<header>\n<h1>%s</h1>\n", title);
    if (n > 1)
    {
        add_contents(&t, folders, n);
    }
    text_add(&t, "</header>\n");
    for (size_t i = 0; i < n; i++)
    {
        good = add_results(&t, folders[i], i + 1) && good;
    }
    html_page_end(&t);
    free(title);
    free(name);
    char *page = text_take(&t);
    if (!good)
    {
        free(page);
        page = NULL;
    }
    return page;
}
