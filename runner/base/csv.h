/* SPDX-License-Identifier: GPL-2.0-only */
/** @file csv.h  Reading back the CSV files that Weft writes (RFC 4180). */
#ifndef WEFT_RUNNER_CSV_H
#define WEFT_RUNNER_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "textbuf.h"

struct csv
{
    char *bytes; /**< of the file, cut into cells */
    char **header;
    size_t ncolumns;
    char **cells; /**< [row * ncolumns + column] */
    size_t nrows;
};

/** Cuts a file's bytes, which end in a NUL and are freed with the result or the failure. NULL with
 * a sentence in *why (the caller frees it) if it was cut within a row, or its rows differ in
 * length.
 * @p path: for messages. */
struct csv *csv_cut(char *bytes, const char *path, char **why);
void csv_free(struct csv *csv);
/** Number of the column of that name, or -1. */
long csv_column(const struct csv *csv, const char *name);
const char *csv_cell(const struct csv *csv, size_t row, size_t column);

enum cell_kind
{
    CELL_EMPTY, /**< or not finite: no value */
    CELL_NUMBER,
    CELL_TEXT,
};

/** What a cell holds; if all of it is a number, or one with a unit, *value is that in bytes, us or
 * Gbps. */
enum cell_kind csv_number(const char *cell, double *value);

/** The unit that csv_number() gives a cell's value in: "bytes", "us" or "gbps"; "" of a number
 * alone; NULL: it is none. */
const char *csv_unit(const char *cell);

/** Adds a cell, quoted where RFC 4180 asks for it. */
void csv_add_cell(struct text *t, const char *cell);

#endif
