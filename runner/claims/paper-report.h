/* SPDX-License-Identifier: GPL-2.0-only */
/** @file paper-report.h  The reports that `weft reproduce` leaves: as Markdown and as a page. */
#ifndef WEFT_RUNNER_PAPER_REPORT_H
#define WEFT_RUNNER_PAPER_REPORT_H

#include "document.h"

/** Writes the paper's part of VALIDATION anew, where those of other papers stay, and report.html in
 * @p folder. An exit status. */
int paper_report_whole(struct document *claims, const char *paper, const char *results,
                       const char *folder);

/** Writes report.md and report.html in @p folder, and the report in short on standard output. An
 * exit status. */
int paper_report_part(struct document *claims, const char *results, const char *folder);

#endif
