/* SPDX-License-Identifier: GPL-2.0-only */
/** @file notes.h  What the numbers of a sweep mean that a reader of its tables may miss: one line
 * of text each, kept in the table `notes` of results.sqlite, for the terminal, pages and queries.
 */
#ifndef WEFT_RUNNER_NOTES_H
#define WEFT_RUNNER_NOTES_H

#include "database.h"
#include "query.h"
#include "sweep-plan.h"
#include "textbuf.h"

/** The notes in their order: kind, run (NULL: of no single one), text. */
#define NOTES_QUERY "SELECT kind, run, text FROM notes ORDER BY rowid"

/** The kind of those that are warnings: seeds without a value. */
#define NOTES_MISSING "missing-values"

/** Notes while they are found. */
struct notes
{
    const struct plan *plan;
    struct database *db; /**< all results, to be queried */
    struct text inserts; /**< what puts the notes into the table */
};

/** Finds the notes of the results in @p w, which database_complete() has completed, and adds them
 * to its table. False with a sentence in *why. */
bool notes_write(const struct plan *plan, const struct database_writer *w, char **why);

/** Adds one. @p run: the one that it names, from 1; 0: none. */
void notes_add(struct notes *notes, const char *kind, size_t run, const char *text);

/** Adds a note for each thing that varies and changes no result, everywhere or for some values of
 * another one. */
void notes_add_unchanged(struct notes *notes);

/** The rows of a SELECT of Weft's own on whole results; none after a message. */
struct query_rows *results_ask(struct database *db, const char *sql);

/** Adds a number; halves are rounded up, as in CSV files. Nothing is behind 0. */
void add_rounded(struct text *t, const char *format, double value);

#endif
