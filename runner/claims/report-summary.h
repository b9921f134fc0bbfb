/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-summary.h  A report in short, for a terminal. */
#ifndef WEFT_RUNNER_REPORT_SUMMARY_H
#define WEFT_RUNNER_REPORT_SUMMARY_H

#include <stdio.h>

#include "report.h"

/** Prints the titles of a report's sections and, in two lines each, its claims: number, as much of
 * the claim as fits, what Weft measures, what the paper has, and the verdict. */
void report_summary(const struct report *r, FILE *out);

#endif
