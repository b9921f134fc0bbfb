/* SPDX-License-Identifier: GPL-2.0-only */
/** @file look.h  Questions that weft look asks of a run, whose file is the schema `run`. */
#ifndef WEFT_RUNNER_LOOK_H
#define WEFT_RUNNER_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "query.h"

/** A table of the answer, with its heading. Nothing is shown of one without rows. */
struct look_question
{
    const char *heading, *sql;
    const char *needs; /**< a table that not every run has; NULL: links */
    bool is_text;      /**< of lines, and no table */
};

/** Whether the run has a table. */
bool look_has_table(struct database *db, const char *name);

/** Returns the i-th question about a run, or about a QP; NULL: there are no more. */
const struct look_question *look_question(bool of_qp, size_t i);

/** Returns the answer, for @p qp if it is about one; NULL: the run lacks what it needs. */
struct query_rows *look_ask(struct database *db, const struct look_question *question, long qp);

/** Returns a page of a run in HTML, which the caller frees: its fabric, drawn, the story of @p qp,
 * and all tables. */
char *look_page(struct database *db, const char *name, long qp);

#endif
