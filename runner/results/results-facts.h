/* SPDX-License-Identifier: GPL-2.0-only */
/** @file results-facts.h  Parts of a page about results: their provenance, figures and cells. */
#ifndef WEFT_RUNNER_RESULTS_FACTS_H
#define WEFT_RUNNER_RESULTS_FACTS_H

#include "page.h"
#include "query.h"

/** Adds what made results: runs, versions, machine, command, seeds, dates. Nothing if they cannot
 * be asked or @p db is NULL. */
void results_add_facts(xmlNode *section, const char *folder, struct database *db);

/** Keys of the provenance that these facts are made of, as a list in SQL. */
#define FACTS_KEYS                                                                                 \
    "'weft', 'ns-3', 'compiler', 'machine', 'command', 'seed', 'finished', 'wall time'"

/** Largest figure that a page takes up, bytes. */
#define DRAWING_MOST_BYTES ((size_t)8 << 20)

/** Adds a <drawing> for each NAME.svg in a folder, as the address of an image: whoever wrote the
 * file, browsers run nothing in an image and fetch nothing for it. */
void drawings_add(xmlNode *section, const char *folder);

/** Adds a <cell>, which is sorted by the cell's number or that of its text. @p number: it is set as
 * one. */
xmlNode *query_cell_add_to(xmlNode *row, const char *text, const struct query_cell *cell,
                           bool number);

#endif
