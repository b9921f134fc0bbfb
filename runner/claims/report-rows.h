/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-rows.h  CSV files of results, and those of their rows that a claim asks for. */
#ifndef WEFT_RUNNER_REPORT_ROWS_H
#define WEFT_RUNNER_REPORT_ROWS_H

#include "report.h"

/** The folder of results that a <value> reads; NULL if there is none. The caller frees it. */
char *value_folder(const struct report_source *s, const struct element *value);

/** Reports what is not there, unless that is allowed. */
void report_absent(struct report_source *s, const struct element *value, const char *what);

/** Reports a run whose files are not those that it has written, or cannot be read. */
void report_unusable(struct report_source *s, const struct element *value, const char *run,
                     const char *why);

/** The CSV file of the results that a <value> names, read once; NULL after reporting that it is not
 * there or cannot be read. */
const struct csv *source_file(struct report_source *s, const struct element *value);

/** A column of @p csv, or -1 after reporting that it lacks it. @p also: others that could be meant,
 * or NULL. */
long column_of(struct report_source *s, const struct csv *csv, const struct column_table *also,
               const char *name, int line);

/** The rows of a CSV file, some of which are kept: of the results, or of one run. */
struct selection
{
    const struct csv *csv;
    bool *row;
    const struct column_table *table; /**< of the runs' files that are read; NULL: none are */
    bool in_run;                      /**< csv is such a file; else its runs are selected */
};

/** All rows; the caller frees them. */
struct selection select_all(const struct csv *csv, const struct column_table *table, bool in_run);

/** One condition of a where. */
struct condition
{
    const char *column;
    char relation; /**< '=' is this text; '<' and '>' are at most and at least this number */
    const char *value;
    double number; /**< value as one; NAN: it is none */
    int line;
};

/** Keeps the rows that pass. A column that the runs' files have as well is theirs. */
void keep(struct report_source *s, struct selection *rows, const struct condition *c);

/** Keeps the rows for which every condition of an element's where holds. */
void filter(struct report_source *s, struct selection *rows, const struct element *e);

#endif
