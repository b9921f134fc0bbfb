/* SPDX-License-Identifier: GPL-2.0-only */
/** @file provenance.h Provenance of a run: versions, command, seed, time, memory. */
#ifndef WEFT_RUNNER_PROVENANCE_H
#define WEFT_RUNNER_PROVENANCE_H

#include "results.h"
#include "scenario.h"
#include "sql-file.h"

/** Remembers the command line; call once at the start of main(). */
void provenance_command(int argc, char *const *argv);

/** Writes the table `provenance`: what produced a run. @p seconds: its wall-clock time. False with
 * a sentence in *why. */
bool provenance_add(const struct sql_file *file, const struct scenario *s,
                    const struct run_results *r, double seconds, char **why);

/** "0.1.0 (commit abc123)"; of a tree that was changed, "0.1.0 (commit abc123-modified def456)". */
const char *provenance_version(void);

/** Adds a word as a POSIX shell would need it. */
struct text;
void add_shell_word(struct text *t, const char *word);

/* Code that makes a run: the simulator's and that of the algorithms that it uses, as hashes that
 * the build has taken of their sources (built-code.cmake says of which). Results of other code than
 * that are stale. */

/** The commit of the tree, "" where none is known: "4eddc03b672c", or with what was changed since
 * "4eddc03b672c-modified " and a hash of the files that differ. */
extern const char built_commit[];

/** "simulator 5ffd5b9568c4, balancer ecmp e33ab278b73e, ...": what a run of @p s uses, in the
 * registry's order; the caller frees it. */
char *built_code(const struct scenario *s);

/** Says what has changed where a run was made by the code @p was, and @p code is that of now: "the
 * code of balancer ecmp changed". NULL: nothing. The caller frees it. */
char *built_code_changed(const char *was, const char *code);

#endif
