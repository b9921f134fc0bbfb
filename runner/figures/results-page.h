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

#endif
