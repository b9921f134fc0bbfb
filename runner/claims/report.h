/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file report.h  A report that sets what a paper claims beside what results say. The claims are an
 * XML file: what each says, the paper's value, and a query of results.sqlite that gives Weft's.
 */
#ifndef WEFT_RUNNER_REPORT_H
#define WEFT_RUNNER_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"
#include "page.h"
#include "query.h"
#include "textbuf.h"

/** Elements and attributes of a claims file. */
extern const struct grammar claims_grammar;

/** Reports what it must not hold: unknown elements and attributes, missing ones. */
void claims_check(const struct document *claims, struct diagnostics *d);

/** Reads and checks a claims file; NULL after printing what is wrong. */
struct document *claims_read(const char *path);

/** Limits of one query of a report: 60 s, 1,000 rows, 1 GiB. */
#define REPORT_LIMITS ((struct query_limits){60, 1000, (size_t)1 << 30, 0, 0})

struct report_options
{
    const char *results; /**< folder of all results */
    bool allow_missing;  /**< what is not there is no error */
    struct query_limits limits;
    const char *output; /**< the file it is for, from which it links to figures; NULL: none */
    bool drawings;      /**< with the figures of the results, for a page in HTML */
    const char *data;   /**< a folder of open data, which is read in place of results; or NULL */
};

/** Asks all queries of @p n claims files, and makes a page's tree of the answers, which
 * xmlFreeDoc() frees. NULL after printing what is wrong or missing. */
xmlDoc *report_make(struct document *const *claims, size_t n, const struct report_options *options);

/** Puts a report into a file, or on standard output if @p output is NULL. An exit status. */
int report_deliver(const char *text, const char *output);

#endif
