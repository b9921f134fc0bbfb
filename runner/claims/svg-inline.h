/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file svg-inline.h  A figure as a part of a page in HTML. Whoever wrote the file, it draws and
 * does nothing else: elements and attributes that are not known are left out, and so are scripts,
 * styles, titles and links to anything outside.
 */
#ifndef WEFT_RUNNER_SVG_INLINE_H
#define WEFT_RUNNER_SVG_INLINE_H

#include "textbuf.h"

/** Largest figure that a page takes up, bytes. */
#define SVG_MOST_BYTES ((size_t)8 << 20)

/**
 * Adds the figure in @p n bytes of SVG, whose ids get @p prefix before them so that no other figure
 * of the page has them; @p label says what it is to who cannot see it. False with a sentence in
 * *why (the caller frees it), and nothing is added.
 */
bool svg_inline(struct text *t, const char *bytes, size_t n, const char *prefix, const char *label,
                char **why);

#endif
