/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-numbers.h  Numbers of claims and tables in words, as parts of a page's tree. */
#ifndef WEFT_RUNNER_REPORT_NUMBERS_H
#define WEFT_RUNNER_REPORT_NUMBERS_H

#include "page.h"
#include "report-query.h"

/** Behind what was made by an algorithm's former code. */
#define REPORT_FORMER_MARK " †"

/** Of a table that is shown at once. */
#define REPORT_MOST_ROWS 16

/** Adds a <value> for each number that Weft has beside a claim of the paper. */
void report_add_values(xmlNode *claim, const struct element *e, const struct report_numbers *n);

/** Adds the columns and rows of a table; that of a FORMER_COLUMN is not shown. */
void report_add_rows(xmlNode *table, const struct report_numbers *n);

/** Adds a <cell>, which is sorted by the cell's number or that of its text. @p number: it is set as
 * one. */
xmlNode *report_add_cell(xmlNode *row, const char *text, const struct query_cell *cell,
                         bool number);

/** Whether a claim has a number of former code; @p n may be NULL. */
bool report_claim_is_former(const struct element *claim, const struct report_numbers *n);

#endif
