/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-summary.h  A report in short, for a terminal. */
#ifndef WEFT_RUNNER_REPORT_SUMMARY_H
#define WEFT_RUNNER_REPORT_SUMMARY_H

#include <stdio.h>

/** Prints of a report in Markdown the titles of its sections and, a line each, its claims: number,
 * what Weft measures, what the paper has, and as much of the claim as fits. */
void report_summary(const char *markdown, FILE *out);

#endif
