/* SPDX-License-Identifier: GPL-2.0-only */
/** @file validation.h  One page with the reports of several papers, each made by itself. */
#ifndef WEFT_RUNNER_VALIDATION_H
#define WEFT_RUNNER_VALIDATION_H

#include <stddef.h>

#define VALIDATION "docs/validation.md"

/** The page as it is now, "" if there is none; NULL after a message if it cannot be read. The
 * caller frees it. */
char *validation_read(void);

/** Where on the page @p old the report of these claims begins, in bytes; SIZE_MAX: it has none. */
size_t validation_place(const char *old, const char *claims);

/**
 * The page @p old (may be empty) with the report @p part in place of the one that was made from
 * the same claims file, or behind all others. The caller frees it.
 */
char *validation_replace(const char *old, const char *claims, const char *part);

#endif
