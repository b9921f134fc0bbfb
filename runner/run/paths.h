/* SPDX-License-Identifier: GPL-2.0-only */
/** @file paths.h  Ways of QPs' data through the fabric, that <measure paths=> asks for. */
#ifndef WEFT_RUNNER_PATHS_H
#define WEFT_RUNNER_PATHS_H

#include "collect.h"

/** Ports by which data went, of each switch. */
struct paths
{
    const struct simulation *sim;
    struct paths_at *at; /**< [switch]; NULL: nobody asks */
    bool *asked;         /**< [QP]: it is asked for; NULL: all are */
    uint32_t nasked;     /**< its entries */
};

/** Counts from now on, if they are asked for. */
void paths_begin(struct paths *paths, const struct simulation *sim);
/** Fills the rows with what all ranks have counted, on rank 0. All ranks call it. */
void paths_collect(const struct paths *paths, struct run_results *out);
/** Frees what they have; all zeros are none. */
void paths_end(struct paths *paths);

#endif
