/* SPDX-License-Identifier: GPL-2.0-only */
/** @file results-table.h  A table of results on a page. */
#ifndef WEFT_RUNNER_RESULTS_TABLE_H
#define WEFT_RUNNER_RESULTS_TABLE_H

#include "document.h"
#include "page.h"
#include "query.h"

/** Rows of a table that are shown; of more the page says so. */
#define RESULTS_MOST_ROWS 1000

struct results_table
{
    const char *title;
    const char *measured; /**< the first of its columns that tells of a run and not what varied */
    const char *file;     /**< with the same rows in CSV, in the folder; NULL: there is none */
    const char *folder;   /**< of the results */
    const char *output;   /**< the page's file, from which it links to that; NULL: from here */
    const struct document *scenario; /**< NULL: not known */
};

/** Adds a table that has rows: what varies, what the scenario's figures show, what the terminal
 * shows, the rest, and last the spread of means. What all rows have in common is a list beside it.
 */
void results_table_add(xmlNode *section, const struct results_table *t,
                       const struct query_rows *rows);

#endif
