/* SPDX-License-Identifier: MIT */
/** @file play-naive.h  Model of a program that is run, by brute force: after each thing that
 * happens to a rank all its operations are looked at. */
#ifndef WEFT_PLAY_NAIVE_H
#define WEFT_PLAY_NAIVE_H

#include "run-stage.h"

#define MOST_OPS          80U
#define MOST_EDGES        400U
#define MOST_RANKS_PLAYED 8U

/** Program, with the times that its operations have. */
struct task
{
    struct weft_op_spec op[MOST_OPS]; /**< those of one rank in a row */
    uint32_t nops, nranks;
    uint32_t after[MOST_EDGES], before[MOST_EDGES];
    bool start[MOST_EDGES];
    uint32_t nedges;
    uint64_t eager;
    double scale;
    uint32_t host[MOST_RANKS_PLAYED];
    int64_t begun[MOST_OPS], ended[MOST_OPS];
};

/** Times that a message takes from rank to rank on an ideal network, whatever else is under way. */
struct ways
{
    int64_t ps[MOST_RANKS_PLAYED][MOST_RANKS_PLAYED];
};

/** Runs a task on the stage's run; fills its times. */
void play_naively(struct task *task);
/** Runs a task on an ideal network, without any of Weft; fills its times. @p acks_first: of what
 * comes to a rank at one instant, which no time puts in an order. */
void play_ideally(struct task *task, const struct ways *ways, bool acks_first);

#endif
