/* SPDX-License-Identifier: GPL-2.0-only */
/** @file summary-notes.h  What the numbers of a sweep mean that a reader of its table may miss. */
#ifndef WEFT_RUNNER_SUMMARY_NOTES_H
#define WEFT_RUNNER_SUMMARY_NOTES_H

#include "csv.h"
#include "files.h"
#include "sweep-plan.h"

/** Prints a sentence for each. @p summary: summary.csv, whose rows are those of @p runs. @p
 * finished: the folder of the finished runs. */
void summary_notes(const struct plan *plan, const struct csv *summary, const size_t *runs,
                   const struct folder *finished);

/** The number in a cell of the column that is called @p name and @p suffix; NAN: it is empty, or
 * there is no such column. */
double summary_number(const struct csv *csv, size_t row, const char *name, const char *suffix);

#endif
