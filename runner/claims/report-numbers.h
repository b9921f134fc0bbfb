/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-numbers.h  Numbers of claims and tables as Markdown. */
#ifndef WEFT_RUNNER_REPORT_NUMBERS_H
#define WEFT_RUNNER_REPORT_NUMBERS_H

#include "report-query.h"

/** Behind what was made by an algorithm's former code. */
#define REPORT_FORMER_MARK " †"

/** Adds the numbers of a claim, "<br>" between them; @p entries: those before, and then all. */
void report_add_numbers(struct text *t, const struct element *claim, const struct report_numbers *n,
                        size_t *entries);

/** Adds a <table>. */
void report_add_table(struct text *t, const struct element *table, const struct report_numbers *n);

/** Whether a claim has a number of former code; @p n may be NULL. */
bool report_claim_is_former(const struct element *claim, const struct report_numbers *n);

#endif
