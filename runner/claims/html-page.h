/* SPDX-License-Identifier: GPL-2.0-only */
/** @file html-page.h  Parts that all pages in HTML have. */
#ifndef WEFT_RUNNER_HTML_PAGE_H
#define WEFT_RUNNER_HTML_PAGE_H

#include "html.h"
#include "query.h"

/** Adds HTML: @p format is HTML, each %s in it a plain text as html_add() adds it; there may be %zu
 * as well. */
void html_page_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Adds all that comes before the first heading. */
void html_page_begin(struct text *t, const char *title);
void html_page_end(struct text *t);

/** Adds the figures NAME.svg in a folder; their ids begin with @p prefix. */
void html_page_figures(struct text *t, const char *folder, const char *prefix);

/** Adds a folded table of what made results: results_facts(). */
void html_page_facts(struct text *t, const char *folder, const struct query_rows *facts);

/** Adds a query, folded away. */
void html_page_query(struct text *t, const char *sql);

/** Adds the start and the end of a table that readers can sort, in a box of its own. */
void html_page_table_begin(struct text *t, const char *caption);
void html_page_table_end(struct text *t);

/** Adds the start of a cell; its end is "</td>". @p number: it is set as one. */
void html_page_cell(struct text *t, const struct query_cell *cell, bool number);

/** Adds a row of a name and its value. */
void html_page_row(struct text *t, const char *name, const struct query_cell *cell);

#endif
