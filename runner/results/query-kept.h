/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file query-kept.h  Of tables with millions of rows, open data (open-data.h) keeps what queries
 * of claims make of them: the rows of a query within a query, such as (select run, max(fct_us) as
 * longest from qps group by run). The table `kept` names the tables with such rows and has their
 * queries. A query that holds the same one reads the table in its place.
 */
#ifndef WEFT_RUNNER_QUERY_KEPT_H
#define WEFT_RUNNER_QUERY_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#define KEPT_TABLE "kept"

struct kept
{
    char *name; /**< of the table */
    char *lead; /**< "with ...", all before it that it may refer to; "": it refers to nothing */
    char *body; /**< "select ..." without parentheses, white space as kept_squeeze() leaves it */
};

/** Those that may hold others first. */
struct kept_list
{
    struct kept *kept;
    size_t n;
};

struct sqlite3;

/** Reads `kept` of the main database, if it has one. False with a sentence. */
bool kept_load(struct kept_list *list, struct sqlite3 *db, char **why);

/** Adds a copy of one. */
void kept_add(struct kept_list *list, const struct kept *kept);
/** Frees what one holds. */
void kept_drop(struct kept *kept);
void kept_free(struct kept_list *list);

/** A query that reads the tables; NULL: there are none. The caller frees it. */
char *kept_put(const struct kept_list *list, const char *sql);

/** A query with each white space outside of quotes as one blank, or none beside parentheses. The
 * caller frees it. */
char *kept_squeeze(const char *sql);

/** Behind a text in quotes, or the next character. */
const char *kept_skip(const char *s);

#endif
