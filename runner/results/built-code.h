/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file built-code.h  Which code makes a run: the simulator's and that of the algorithms that it
 * uses, as hashes that the build has taken of their sources (built-code.cmake says of which).
 * Results of other code than that are stale.
 */
#ifndef WEFT_RUNNER_BUILT_CODE_H
#define WEFT_RUNNER_BUILT_CODE_H

#include "scenario.h"

/** The commit of the tree, "" where none is known: "4eddc03b672c", or with what was changed since
 * "4eddc03b672c-modified " and a hash of the files that differ. */
extern const char built_commit[];

/** "simulator 5ffd5b9568c4, balancer ecmp e33ab278b73e, ...": what a run of @p s uses, in the
 * registry's order; the caller frees it. */
char *built_code(const struct scenario *s);

/** What has changed where a run was made by the code @p was, and @p code is that of now:
 * "the code of balancer ecmp changed". NULL: nothing. The caller frees it. */
char *built_code_changed(const char *was, const char *code);

#endif
