/* SPDX-License-Identifier: GPL-2.0-only */
/** @file data-save.h  Open data (open-data.h) of results: what claims read of them. */
#ifndef WEFT_RUNNER_DATA_SAVE_H
#define WEFT_RUNNER_DATA_SAVE_H

#include <stddef.h>

#include "document.h"
#include "textbuf.h"

/** Tables with more rows than this are not kept whole, but for `summary`, `runs` and
 * `parameters`. */
#define DATA_MOST_ROWS 20000

/** Before what a view was made of, in `columns`. */
#define DATA_VIEW_DOC "of: "

/**
 * Saves results of these names in a folder, which it makes: the whole table `summary`, provenance,
 * and of the other tables what any query of the @p n claims files reads. What is not there is left
 * out. An exit status, after a line for each file.
 */
int data_save(struct document *const *claims, size_t n, const struct words *names,
              const char *results, const char *folder);

#endif
