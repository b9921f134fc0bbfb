/* SPDX-License-Identifier: GPL-2.0-only */
/** @file papers.h  The papers whose claims are kept in docs/claims, and the scenarios behind them.
 */
#ifndef WEFT_RUNNER_PAPERS_H
#define WEFT_RUNNER_PAPERS_H

#include "document.h"
#include "textbuf.h"

#define CLAIMS "docs/claims"
#define PAPERS "docs/papers"

/** Stands for all papers on the command line. */
#define PAPERS_ALL "all"

/** Names of the claims files, without folder and ending, in their order. */
void papers_find(struct words *papers);

/** Goes to the checkout that this program was built in, unless the claims are here; each of the
 * @p n paths, which may be NULL, then names what it did. False after a message. */
bool papers_go_to(char **paths[], size_t n);

/** The claims file of a paper; the caller frees it. */
char *papers_claims(const char *paper);

/** The scenarios of a claims file, each once, in its order. */
struct words papers_scenarios(const struct document *claims);

/** Prints all of them; an exit status. */
int papers_list(const struct words *papers);

/** Whether @p name is one of the papers, or all of them; else says so. */
bool papers_know(const struct words *papers, const char *name);

/** Where a report's numbers come from. */
struct paper_sources
{
    const char *results; /**< the folder of all results */
    const char *data;    /**< a folder of open data that is read in their place; or NULL */
};

/* The reports that `weft reproduce` leaves: as Markdown and as a page. */

/** Writes the paper's page in PAPERS anew, and report.html in @p folder. An exit status. */
int paper_report_whole(struct document *claims, const char *paper, const struct paper_sources *from,
                       const char *folder);

/** Writes report.md and report.html in @p folder, and the report in short on standard output. An
 * exit status. */
int paper_report_part(struct document *claims, const struct paper_sources *from,
                      const char *folder);

/** Saves open data of the results @p names: what all @p papers read of them. An exit status. */
int papers_save_data(const struct words *papers, const struct words *names, const char *results,
                     const char *folder);

#endif
