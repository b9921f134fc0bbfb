/* SPDX-License-Identifier: GPL-2.0-only */
/** @file stale.h  What has changed in a scenario, or in Weft, since a run was made. */
#ifndef WEFT_RUNNER_STALE_H
#define WEFT_RUNNER_STALE_H

#include "run-folder.h"

/**
 * Compares what made runs/name with @p source, which would make it now. Returns
 * "workload.bytes changed (200KB, now 1MB)", several separated by commas; that a table is missing
 * or has other columns than now; "the code of balancer ecmp changed"; or NULL if nothing was kept
 * or nothing differs. The caller frees it.
 */
char *stale_reason(const struct folder *runs, const char *name, const struct run_source *source);

#endif
