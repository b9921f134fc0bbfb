/* SPDX-License-Identifier: GPL-2.0-only */
/** @file least-time.h  A lower bound for any traffic: hosts' wires, and chains of messages. */
#ifndef WEFT_RUNNER_LEAST_TIME_H
#define WEFT_RUNNER_LEAST_TIME_H

#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /**
     * Nothing can bring the last ACK of @p n messages earlier, ps from time 0, WEFT_NEVER at most:
     * each takes its way and its host's wire, begins after those that it waits for, and shares the
     * wires of its two hosts with all others of these hosts. @p next: the successors that the
     * messages name.
     */
    int64_t least_time(const struct scenario *s, const struct weft_message *messages,
                       const uint32_t *next, size_t n);

#ifdef __cplusplus
}
#endif
#endif
