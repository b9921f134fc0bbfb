/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file html.h  Texts of claims files and cells of results as parts of a page in HTML. Whatever the
 * bytes are, nothing in them becomes an element, an attribute or the end of one.
 */
#ifndef WEFT_RUNNER_HTML_H
#define WEFT_RUNNER_HTML_H

#include "textbuf.h"

/** Adds a plain text, also within an attribute's quotes. It becomes one line; what HTML cannot hold
 * becomes U+FFFD, and so does what changes the direction of a line. */
void html_add(struct text *t, const char *s);

/** Adds a text that is Markdown: code, **strong** and links to https and http, of others the label
 * alone. */
void html_add_markdown(struct text *t, const char *s);

/** Adds lines of code as they are, but for what all of them are indented by. */
void html_add_block(struct text *t, const char *s);

#endif
