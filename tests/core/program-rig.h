/* SPDX-License-Identifier: MIT */
/** @file program-rig.h  Programs for tests: built, and begun on a run. */
#ifndef WEFT_PROGRAM_RIG_H
#define WEFT_PROGRAM_RIG_H

#include "play-naive.h"

/** Memory of malloc(). */
extern const struct weft_scratch program_memory;

/** Packs a task, whose operations come to the builder in another order. Returns as
 * weft_ops_pack(). */
int program_pack(const struct task *task, struct weft_program *program, struct weft_refusal *why);
/** Starts a program on a run, with a rank at each of the first hosts. */
struct weft_collective *program_start(struct weft_run *run, struct weft_program *program,
                                      uint64_t eager, double scale);

#endif
