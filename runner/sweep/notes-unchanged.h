/* SPDX-License-Identifier: GPL-2.0-only */
/** @file notes-unchanged.h  Dimensions of a sweep that change no result. */
#ifndef WEFT_RUNNER_NOTES_UNCHANGED_H
#define WEFT_RUNNER_NOTES_UNCHANGED_H

#include "query.h"
#include "sweep-plan.h"

/** For each dimension a note if it changes nothing, everywhere or for some values of another one,
 * else NULL. The caller frees them and the array. */
char **notes_unchanged(const struct plan *plan, struct database *db);

#endif
