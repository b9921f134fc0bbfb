/* SPDX-License-Identifier: GPL-2.0-only */
/** @file provenance.h  What produced a run: versions, command, seed, time, memory. */
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

/** Seconds of a clock that only moves forward. */
double clock_seconds(void);

/** Adds a word as a POSIX shell would need it. */
struct text;
void add_shell_word(struct text *t, const char *word);

#endif
