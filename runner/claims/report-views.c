/* SPDX-License-Identifier: GPL-2.0-only */
/* The <view>s of a section: what is asked once, and read by its queries as a table. */
#include <stdlib.h>

#include "data-save.h"
#include "element-values.h"
#include "report-query.h"
#include "sql-file.h"

/** Names the columns that rest on rows of which some have no value, as a view's rows do not tell;
 * the caller frees it. NULL: none does. */
static char *
hole_of(const struct query_rows *rows, const struct query_hole *holes)
{
    const size_t n = rows->nrows * rows->ncolumns;
    size_t at = 0;
    while (at < n && holes[at].ground != QUERY_PARTLY)
    {
        at++;
    }
    return at < n ? xformat("'%s' of row %zu rests on %zu of %zu rows, as others have no value; "
                            "expected a view of those that have one, or null where some have none",
                            rows->columns[at % rows->ncolumns], at / rows->ncolumns + 1,
                            holes[at].have, holes[at].of)
                  : NULL;
}

static bool
ask(struct report_source *s, const struct element *view)
{
    struct query_limits limits = s->options->limits;
    struct query_mistake m;
    limits.rows = DATA_MOST_ROWS;
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(s->db, view->text, limits, &m);
    OWNED struct query_hole *holes =
        rows ? database_holes(s->db, view->text, limits, rows->nrows, &m) : NULL;
    OWNED char *why = holes ? hole_of(rows, holes) : m.message;
    const bool good = !why && database_define(s->db, element_value(view, "name"), rows, &why);
    if (!good)
    {
        diag_error(s->d, view->text_line + (holes ? 0 : m.line), "%s", why);
    }
    return good;
}

/** Whether a table of open data has the rows of this view, and not of another one, as `columns`
 * say. */
static bool
is_saved(struct report_source *s, const struct element *view)
{
    CLEANUP(text_drop) struct text t = {0};
    struct query_mistake m;
    text_add(&t, "SELECT 1 FROM main.columns WHERE \"table\" = ");
    sql_add_literal(&t, element_value(view, "name"));
    text_add(&t, " AND doc = '" DATA_VIEW_DOC "' || ");
    sql_add_literal(&t, view->text);
    text_add(&t, " LIMIT 1");
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(s->db, t.s, s->options->limits, &m);
    free(m.message);
    return rows && rows->nrows;
}

/** Open data have the rows of a view already. */
static bool
make(struct report_source *s, const struct element *view)
{
    const char *name = element_value(view, "name");
    const bool there = database_has(s->db, name), saved = there && is_saved(s, view);
    if (there && !saved)
    {
        diag_error(s->d, view->line, "the results have %s '%s'; expected another name%s",
                   s->options->data ? "another table or view" : "a table", name,
                   s->options->data ? ", or data that are saved again" : "");
    }
    return there ? saved : ask(s, view);
}

bool
report_views_make(struct report_source *s)
{
    bool good = true;
    for (const struct element *e = NULL;
         good && (e = element_child_after(s->section, "view", e)) != NULL;)
    {
        good = make(s, e);
    }
    return good;
}
