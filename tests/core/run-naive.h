/* SPDX-License-Identifier: MIT */
/** @file run-naive.h  Model of a run, by brute force on a bare fabric: after each hook all
 * messages of a graph are looked at, and at each fault all links. */
#ifndef WEFT_RUN_NAIVE_H
#define WEFT_RUN_NAIVE_H

#include "run-stage.h"

#define MOST_FAULTS 24U

/** Fault of links. */
struct fault
{
    struct weft_fault is; /**< `links` is set when it is added; no times that are drawn */
    uint64_t links[3];
};

/** Task of a run. */
struct story
{
    struct graph graph; /**< closed */
    struct fault fault[MOST_FAULTS];
    uint32_t nfaults;
    int64_t convergence, recovery;
    enum weft_weights weights;
};

/** Runs a story on the stage's fabric; fills the times of its graph but for `ready`. */
void naive_run(struct story *story);

#endif
