/* SPDX-License-Identifier: GPL-2.0-only */
/** @file results-page.h  The results of scenarios as a page. */
#ifndef WEFT_RUNNER_RESULTS_PAGE_H
#define WEFT_RUNNER_RESULTS_PAGE_H

#include <stddef.h>

#include "page.h"
#include "query.h"

/** The results in @p n folders as a page's tree, which xmlFreeDoc() frees; NULL after a message. @p
 * output: the page's file, from which it links to tables; NULL: from here. */
xmlDoc *results_page(char *const *folders, size_t n, const char *output);

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

#endif
