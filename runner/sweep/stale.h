/* SPDX-License-Identifier: GPL-2.0-only */
/** @file stale.h  What has changed in a scenario since a run of it was made. */
#ifndef WEFT_RUNNER_STALE_H
#define WEFT_RUNNER_STALE_H

#include "files.h"

/**
 * Compares the scenario kept in runs/name with @p resolved, the one that the run has now. Returns
 * "workload.bytes changed (200KB, now 1MB)", several separated by commas; that a table is missing
 * or has other columns than now; or NULL if nothing was kept or nothing differs. The caller frees
 * it.
 */
char *stale_reason(const struct folder *runs, const char *name, const char *resolved);

#endif
