/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sql-text.h  Names and values as SQL has them. */
#ifndef WEFT_RUNNER_SQL_TEXT_H
#define WEFT_RUNNER_SQL_TEXT_H

#include "textbuf.h"

/** Adds a name of a table or column, in quotes where SQL needs them. */
void sql_add_name(struct text *t, const char *name);

/** Adds a text in quotes. */
void sql_add_literal(struct text *t, const char *s);

#endif
