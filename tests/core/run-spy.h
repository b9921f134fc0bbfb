/* SPDX-License-Identifier: MIT */
/** @file run-spy.h  A balancer whose planner notes what it is asked, for tests. */
#ifndef WEFT_RUN_SPY_H
#define WEFT_RUN_SPY_H

#include <weft/plan.h>

#include "run-stage.h"

/** Parts that it makes: a message whole, by the fourth QP of its connection, which has one from the
 * start; the last message first, each US later. */
struct spy
{
    int64_t at[8]; /**< what it was asked */
    uint32_t host[8];
    size_t messages[8];
    uint32_t asked;
    uint64_t bytes; /**< that its parts are wrong by */
    uint32_t qp;    /**< that they are wrong by */
    uint32_t message;
    int64_t delay;
    uint16_t labels[4]; /**< told to the path part */
    uint32_t nlabels;
    int refuses;
    bool silent; /**< several threads ask it */
    struct weft_lb_ops balancer;
    struct weft_path_ops path;
};
extern struct spy spy;

extern const struct weft_plan_ops spy_ops;

/** Describes a stage whose first level has the spy, by ECMP. */
void spy_describe(const char *topology);

#endif
