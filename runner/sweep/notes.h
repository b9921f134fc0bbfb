/* SPDX-License-Identifier: GPL-2.0-only */
/** @file notes.h Notes on the numbers of a sweep that a reader of its tables may miss: one line of
 * text each, kept in the table `notes` of results.sqlite, for the terminal, pages and queries. */
#ifndef WEFT_RUNNER_NOTES_H
#define WEFT_RUNNER_NOTES_H

#include "database.h"
#include "sweep-plan.h"

/** The notes in their order: kind, run (NULL: of no single one), text. */
#define NOTES_QUERY "SELECT kind, run, text FROM notes ORDER BY rowid"

/** The kind of those that are warnings: seeds without a value. */
#define NOTES_MISSING "missing-values"

/** Finds the notes of the results in @p w, which database_complete() has completed, and adds them
 * to its table. False with a sentence in *why. */
bool notes_write(const struct plan *plan, const struct database_writer *w, char **why);

#endif
