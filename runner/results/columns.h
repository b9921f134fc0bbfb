/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file columns.h  One table per CSV file: name, unit and meaning of each column. The tables give
 * the header, the values and the manual's pages.
 */
#ifndef WEFT_RUNNER_COLUMNS_H
#define WEFT_RUNNER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "results.h"
#include "textbuf.h"

enum column_kind
{
    COLUMN_TIME,  /**< int64_t ps, written in us with six decimals, exact; negative: empty */
    COLUMN_U64,   /**< uint64_t */
    COLUMN_U32,   /**< uint32_t */
    COLUMN_INDEX, /**< int64_t, which one it is, so that no mean of it is one; negative: empty */
    COLUMN_RATE,  /**< double bit/s, written in Gbps with six decimals */
    COLUMN_RATIO, /**< double, six decimals */
    COLUMN_REAL,  /**< the same; NaN: empty */
    COLUMN_TEXT,  /**< const char *, without comma or quote */
    COLUMN_SHARE, /**< uint64_t, as a share of `sent` + `resent`; 0 of none */
};

struct column
{
    const char *name; /**< carries the unit: cct_us */
    enum column_kind kind;
    size_t offset;
    size_t sent, resent; /**< COLUMN_SHARE: offsets of uint64_t; else as offset */
    const char *doc;
};

struct column_table
{
    const char *file;
    const char *doc;
    const struct column *columns;
    size_t n;
};

extern const struct column_table summary_table, flows_table, qps_table, groups_table, series_table,
    queues_table, ports_table, balance_table, reordering_table, layers_table, steps_table,
    workloads_table, tors_table, trims_table, stuck_table;

/** All of them; *n tables. */
const struct column_table *const *column_tables(size_t *n);

/** The name of a file's table in results.sqlite: what stands before the dot. The caller frees it.
 */
char *column_table_name(const struct column_table *table);

/** The file's column of that name, or NULL. */
const struct column *columns_find(const struct column_table *table, const char *name);

/** Adds "a,b,c\n". */
void columns_header(struct text *t, const struct column_table *table);
/** Adds one row with its newline. */
void columns_row(struct text *t, const struct column_table *table, const void *row);

/** A value as a fixed-point number: @p units of 10^-6. Independent of the locale. */
void add_micro(struct text *t, int64_t units);

#endif
