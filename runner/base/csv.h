/* SPDX-License-Identifier: GPL-2.0-only */
/** @file csv.h  Cells of CSV files (RFC 4180), and the numbers that they may hold. */
#ifndef WEFT_RUNNER_CSV_H
#define WEFT_RUNNER_CSV_H

#include "textbuf.h"

enum cell_kind
{
    CELL_EMPTY, /**< or not finite: no value */
    CELL_NUMBER,
    CELL_TEXT,
};

/** Returns what a cell holds; if all of it is a number, or one with a unit, *value is that in
 * bytes, us or Gbps. */
enum cell_kind csv_number(const char *cell, double *value);

/** The unit that csv_number() gives a cell's value in: "bytes", "us" or "gbps"; "" of a number
 * alone; NULL: it is none. */
const char *csv_unit(const char *cell);

/** Adds a cell, quoted where RFC 4180 asks for it. */
void csv_add_cell(struct text *t, const char *cell);

#endif
