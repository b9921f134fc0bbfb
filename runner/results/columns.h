/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file columns.h  The tables of results-tables.h: name, unit and meaning of each column, its value
 * in SQLite, and that as it stands in CSV.
 */
#ifndef WEFT_RUNNER_COLUMNS_H
#define WEFT_RUNNER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "results.h"
#include "textbuf.h"

enum column_kind
{
    COLUMN_TIME,  /**< int64_t ps, shown in us with six decimals, exact; negative: empty */
    COLUMN_U64,   /**< uint64_t */
    COLUMN_U32,   /**< uint32_t */
    COLUMN_INDEX, /**< int64_t, which one it is, so that no mean of it is one; negative: empty */
    COLUMN_RATE,  /**< double bit/s, shown in Gbps with six decimals */
    COLUMN_RATIO, /**< double, six decimals */
    COLUMN_REAL,  /**< the same; NaN: empty */
    COLUMN_TEXT,  /**< const char * */
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
    const char *name; /**< in SQLite */
    const char *file; /**< in CSV */
    const char *doc;
    const struct column *columns;
    size_t n;
    size_t row_size, rows, nrows; /**< bytes of a row; offsets in struct run_results */
};

#define TABLE_END(table, doc) extern const struct column_table table##_table;
#include "results-tables.h"

/** All of them; *n tables. */
const struct column_table *const *column_tables(size_t *n);

/** Row @p i of a table; NULL: it has no more. */
const void *column_row(const struct column_table *table, const struct run_results *r, size_t i);

/** The table's column of that name, or NULL. */
const struct column *columns_find(const struct column_table *table, const char *name);

/** Adds ",name TYPE" for each column, as CREATE TABLE has them, but for the first comma. */
void columns_add_types(struct text *t, const struct column_table *table);

/** Adds what makes the table in a run's file; SQLite keeps it word by word. */
void columns_add_create(struct text *t, const struct column_table *table);

struct sqlite3_stmt;

/** Binds a row's values, rounded as they are shown, to the parameters of an INSERT from the first
 * one on. */
void columns_bind(struct sqlite3_stmt *insert, const struct column_table *table, const void *row);

/** A value as a fixed-point number: @p units of 10^-6. Independent of the locale. */
void add_micro(struct text *t, int64_t units);

#endif
