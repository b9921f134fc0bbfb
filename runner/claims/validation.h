/* SPDX-License-Identifier: GPL-2.0-only */
/** @file validation.h  One page with the reports of several papers, each made by itself. */
#ifndef WEFT_RUNNER_VALIDATION_H
#define WEFT_RUNNER_VALIDATION_H

#define VALIDATION "docs/validation.md"

/**
 * The page @p old (may be empty) with the report @p part in place of the one that was made from
 * the same claims file, or behind all others. The caller frees it.
 */
char *validation_replace(const char *old, const char *claims, const char *part);

#endif
