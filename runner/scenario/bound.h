/* SPDX-License-Identifier: GPL-2.0-only */
/** @file bound.h  The closed form that a scenario's completion time is compared with. */
#ifndef WEFT_RUNNER_BOUND_H
#define WEFT_RUNNER_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/traffic.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct scenario;

    /** The scenario's whole workload as one job. */
    struct weft_job job_of_all(const struct scenario *s);

    /**
     * Nothing can end the workload's messages earlier, ps from time 0; -1: no bound is known. @p
     * whole: all of them were delivered; without some, a collective may end earlier than its closed
     * form says.
     */
    int64_t bound_of(const struct scenario *s, const struct weft_message *messages, size_t n,
                     bool whole);

    /** The same for one of the scenario's jobs and its messages. */
    int64_t bound_of_job(const struct scenario *s, const struct weft_job *job,
                         const struct weft_message *messages, size_t n, bool whole);

    /** The same for the whole workload as if all its messages crossed the fabric and could start at
     * time 0. */
    int64_t bound_if_all_cross(const struct scenario *s);

    /** Whether a message's start counts from what it waits for. */
    static inline bool starts_after(const struct weft_message *m)
    {
        return m->barrier || m->delayed;
    }

    /** When the earliest message may start, ps: what comes before tells nothing of the fabric. */
    int64_t first_start(const struct weft_message *messages, size_t n);

#ifdef __cplusplus
}
#endif
#endif
