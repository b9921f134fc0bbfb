/* SPDX-License-Identifier: GPL-2.0-only */
/** @file summary-notes.h  What the numbers of a sweep mean that a reader of its table may miss. */
#ifndef WEFT_RUNNER_SUMMARY_NOTES_H
#define WEFT_RUNNER_SUMMARY_NOTES_H

#include "query.h"
#include "sweep-plan.h"

/** Prints a sentence for each. @p nruns: how many are in @p db. */
void summary_notes(const struct plan *plan, struct database *db, size_t nruns);

#endif
