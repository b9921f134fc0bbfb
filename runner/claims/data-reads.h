/* SPDX-License-Identifier: GPL-2.0-only */
/** @file data-reads.h Tables and columns that claims read of results, as SQLite tells them. */
#ifndef WEFT_RUNNER_DATA_READS_H
#define WEFT_RUNNER_DATA_READS_H

#include "document.h"
#include "report-query.h"

/** A <view> of a section, and its rows. */
struct data_view
{
    const struct element *view;
    const char *file; /**< that it is in */
    struct query_rows *rows;
};

/** Reads of the results of one scenario. */
struct data_reads
{
    const char *name;     /**< of the results */
    struct words columns; /**< "qps.fct_us"; "qps." of none of its columns */
    struct data_view *views;
    size_t nviews;
};

struct data_reads_list
{
    struct data_reads *reads;
    size_t n;
};

/** Finds what all queries of claims files read of results of these names, and perhaps of others.
 * Sections whose results are not all there are left out. False after a message. */
bool data_reads_find(struct data_reads_list *list, struct document *const *claims, size_t n,
                     const struct words *names, const struct report_options *options);

void data_reads_free(struct data_reads_list *list);

#endif
