/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-markup.h  Texts of scenarios and results in a figure: "T_{D}" and "x^{2}" have a
 * subscript and a superscript, and nothing else in them means anything to gnuplot. */
#ifndef WEFT_RUNNER_FIGURE_MARKUP_H
#define WEFT_RUNNER_FIGURE_MARKUP_H

#include <stddef.h>

#include "textbuf.h"

/** Between the rows of a name; no text of XML has it. */
#define ROW_END      '\x1f'
#define ROW_END_TEXT "\x1f"

/** Adds the first @p n bytes of @p s as gnuplot's enhanced text: one line, as text_add_shown()
 * makes it, with all escaped that is not "_{...}" or "^{...}". */
void text_add_markup(struct text *t, const char *s, size_t n);

/** How wide the first @p n bytes are in DejaVu Sans, in units of the font's size; wide fonts are
 * not much wider. */
double text_width(const char *s, size_t n);

/** A name of several rows, with ", " between them; the caller frees it. */
char *text_in_one_row(const char *s);

/** The bytes of the next line of a text @p width wide: as many words as fit, but one at least. The
 * space behind them, or the end of a row of the text, belongs to no line; what stands in braces
 * stays together. */
size_t text_line(const char *s, double width);

/** How many lines that makes; *widest: the width of the widest. */
size_t text_lines(const char *s, double width, double *widest);

#endif
