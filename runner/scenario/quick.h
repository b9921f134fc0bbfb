/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file quick.h  The quick version of a scenario: <quick> says what is smaller in it. It is a
 * scenario in itself, whose results have a folder of their own.
 */
#ifndef WEFT_RUNNER_QUICK_H
#define WEFT_RUNNER_QUICK_H

#include "document.h"

/** Reports what is wrong in a document's <quick>, if it has one: names of parameters, cases and
 * figures that are not there, and what would change nothing. Values are for who loads its runs. */
void quick_check(const struct document *doc, struct diagnostics *d);

/**
 * Makes of a document its quick version, whose name ends in "-quick": values and elements of
 * <quick> take their places as if the file said so, and <quick> goes. doc->quick is the same as a
 * file. One without <quick> keeps its name and its values. False after errors, then the document
 * can only be freed.
 */
bool quick_apply(struct document *doc, struct diagnostics *d);

#endif
