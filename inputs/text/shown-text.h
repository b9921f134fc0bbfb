/* SPDX-License-Identifier: GPL-2.0-only */
/** @file shown-text.h  Text of scenarios and results on its way into a figure or to a terminal. */
#ifndef WEFT_INPUTS_SHOWN_TEXT_H
#define WEFT_INPUTS_SHOWN_TEXT_H

#include <stdio.h>

#include "textbuf.h"

/**
 * Adds the first @p n bytes of @p s as one line that every figure can hold. Control characters,
 * line ends among them, become spaces; what is no UTF-8 or what XML cannot hold becomes U+FFFD: the
 * cell of a damaged CSV file may be any bytes.
 */
void text_add_shown(struct text *t, const char *s, size_t n);

/** Adds a text for a terminal: what changes the direction of a line becomes U+FFFD as well, so that
 * a message reads as it was written. */
void text_add_printed(struct text *t, const char *s, size_t n);

/** Adds a message likewise; of one that quotes a whole cell or file, the beginning and the end. */
void text_add_message(struct text *t, const char *s);

/** Prints what a format makes, so that no name, path or text in it is a command to a terminal:
 * text_add_printed() of each line. All that the command prints with texts of others goes this way.
 */
void print_shown(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
