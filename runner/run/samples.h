/* SPDX-License-Identifier: GPL-2.0-only */
/** @file samples.h  Samples that <measure> takes while a run goes on. */
#ifndef WEFT_RUNNER_SAMPLES_H
#define WEFT_RUNNER_SAMPLES_H

#include "collect.h"

/** Samples of QPs, ports and queues until the workload is done. */
struct samples
{
    const struct simulation *sim;
    const struct measurements *measure;
    struct qp_counted *last;  /**< [measured QP]: its counters at the last sample */
    uint64_t *port_bytes;     /**< [measured port]: sent up to the last sample */
    uint64_t *sent;           /**< by each port of all switches, up to the last sample */
    double *queued;           /**< [layer]: bytes in its queues, over all samples */
    size_t nlayers;           /**< of queues that packets meet */
    uint64_t looks;           /**< samples that are in `queued` */
    struct run_results taken; /**< series, ports, queues and balance */
};

/** Takes the first sample an interval from now, if anything is to be sampled. */
void samples_begin(struct samples *samples, const struct simulation *sim);
/** Moves the samples to the results, and fills the layers. */
void samples_collect(struct samples *samples, struct run_results *out);
/** Frees what they have; all zeros are none. */
void samples_end(struct samples *samples);

#endif
