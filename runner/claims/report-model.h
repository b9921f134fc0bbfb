/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-model.h  A report before it is Markdown or HTML: every query has its answer. */
#ifndef WEFT_RUNNER_REPORT_MODEL_H
#define WEFT_RUNNER_REPORT_MODEL_H

#include "report-query.h"
#include "report-verdict.h"

struct report_claim
{
    const struct element *e;
    size_t number;                  /**< in its file, from 1 */
    struct report_numbers *numbers; /**< NULL: it has no query */
    bool former;
    enum report_verdict verdict;
};

struct report_table
{
    const struct element *e;
    struct report_numbers *numbers;
};

struct report_section
{
    const struct element *e;
    struct report_claim *claims;
    size_t nclaims;
    struct report_table *tables;
    size_t ntables;
    char *results;            /**< the folder; NULL: there are none */
    char *figure;             /**< the file that stands for it in Markdown; NULL: none */
    struct query_rows *facts; /**< as results_facts(); NULL: there are no results */
};

/** What one file of claims makes. */
struct report_part
{
    const struct document *file;
    struct report_section *sections;
    size_t nsections, nclaims;
    size_t counts[VERDICTS];
};

struct report
{
    struct report_part *parts;
    size_t nparts;
};

/** What made results, as rows of what and text: runs, versions, machine, command, seeds, dates.
 * NULL if it cannot be asked. */
struct query_rows *results_facts(struct database *db);

#endif
