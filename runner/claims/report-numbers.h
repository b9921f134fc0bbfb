/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-numbers.h  Texts of claims files, and numbers of claims and tables in words. */
#ifndef WEFT_RUNNER_REPORT_NUMBERS_H
#define WEFT_RUNNER_REPORT_NUMBERS_H

#include "report-query.h"

/** Behind what was made by an algorithm's former code. */
#define REPORT_FORMER_MARK " †"

/** Of a table that is shown at once. */
#define REPORT_MOST_ROWS 16

/** How a report is written down. */
struct report_form
{
    void (*plain)(struct text *t, const char *s);     /**< adds a text in which nothing is markup */
    void (*code)(struct text *t, const char *s);      /**< adds it as code */
    void (*paragraph)(struct text *t, const char *s); /**< adds a text that is Markdown */
    const char *label, *label_end;                    /**< around what names a number */
    const char *next;                                 /**< between the numbers of a claim */
};

/** Adds all <text> of an element in paragraphs, which blank lines part. */
void report_add_texts(struct text *t, const struct report_form *form, const struct element *e);

/** Adds what Weft has beside a claim of the paper: numbers (NULL: none), and tests that show it. */
void report_add_evidence(struct text *t, const struct report_form *form,
                         const struct element *claim, const struct report_numbers *n);

/** Adds what stands above a column of a table. */
void report_add_head(struct text *t, const struct report_form *form, const struct report_numbers *n,
                     size_t column);

/** Adds a cell of a table; that of a FORMER_COLUMN is not to be shown. */
void report_add_cell(struct text *t, const struct report_form *form, const struct report_numbers *n,
                     size_t row, size_t column);

/** Whether a claim has a number of former code; @p n may be NULL. */
bool report_claim_is_former(const struct element *claim, const struct report_numbers *n);

#endif
