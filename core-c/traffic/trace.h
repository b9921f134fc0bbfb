/* SPDX-License-Identifier: MIT */
/** @file trace.h  The workload "trace": a program's sends as messages. Private. */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <weft/ops.h>
#include <weft/traffic.h>

/** Bytes of the messages by which a sender asks for a rendezvous, and its receiver answers. */
#define WEFT_ASKING_BYTES 64U

/** How a program is run. */
struct weft_trace
{
    struct weft_program *program;
    int64_t start;        /**< ps */
    double compute_scale; /**< of times of computing */
    uint64_t eager;       /**< bytes: larger messages ask first */
};

/** Describes what a configuration of the workload "trace" says. */
struct weft_trace weft_trace_of(const void *config);
/** Sets the hosts of ranks, @p host [hosts->n]: as weft_hosts has their numbers. */
void weft_trace_place(const void *config, const struct weft_hosts *hosts, uint64_t seed,
                      uint64_t run, uint32_t *host);

/** Messages of a send: 1, or 3, which are the question, the answer and the data. */
static inline uint32_t
weft_trace_messages(const struct weft_trace *t, const struct weft_op *send)
{
    return send->amount > t->eager ? 3 : 1;
}

#endif
