/* SPDX-License-Identifier: GPL-2.0-only */
/** @file markdown.h  Texts of claims files and cells of results as parts of a report in Markdown.
 */
#ifndef WEFT_RUNNER_MARKDOWN_H
#define WEFT_RUNNER_MARKDOWN_H

#include "textbuf.h"

/** But for the last, these write one line: white space becomes one space. */

/** Adds a text that is itself Markdown, without HTML: outside code '<' and '&' are what they look
 * like. @p in_table: '|' is escaped where it would end a cell. */
void markdown_add(struct text *t, const char *s, bool in_table);

/** Adds a plain text, such as a label or a cell: nothing in it is Markdown. */
void markdown_add_plain(struct text *t, const char *s);

/** Adds a plain text as code. */
void markdown_add_code(struct text *t, const char *s, bool in_table);

/** Adds lines of code as they are, but for what all of them are indented by and blank lines at both
 * ends. @p language: "sql". */
void markdown_add_block(struct text *t, const char *language, const char *s);

/** The lines of such a block, a newline behind each; the caller frees them. */
char *markdown_block_lines(const char *s);

/** The text in one line: white space is one space; the caller frees it. */
char *markdown_folded(const char *s);

/** The bytes of the code that starts at @p s with a fence of backquotes; 0: nothing closes it. */
size_t markdown_code_length(const char *s);

#endif
