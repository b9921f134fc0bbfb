/* SPDX-License-Identifier: GPL-2.0-only */
/* The <view>s of a section: what is asked once, and read by its queries as a table. */
#include <stdlib.h>

#include "data-save.h"
#include "element-values.h"
#include "report-query.h"

/** What rests on rows of which some have no value, as a view's rows do not tell; the caller frees
 * it. NULL: nothing does. */
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
    if (why)
    {
        diag_error(s->d, view->text_line + (holes ? 0 : m.line), "%s", why);
    }
    return !why && database_define(s->db, element_value(view, "name"), rows, &s->why);
}

/** Open data have the rows of a view already. */
static bool
make(struct report_source *s, const struct element *view)
{
    const char *name = element_value(view, "name");
    const bool there = database_has(s->db, name);
    if (there && !s->options->data)
    {
        diag_error(s->d, view->line, "the results have a table '%s'; expected another name", name);
    }
    return there ? s->options->data != NULL : ask(s, view);
}

bool
report_views_make(struct report_source *s)
{
    bool good = true;
    for (const struct element *e = NULL; good && (e = report_next(s->section, "view", e)) != NULL;)
    {
        good = make(s, e);
    }
    return good;
}
