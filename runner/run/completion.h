/* SPDX-License-Identifier: GPL-2.0-only */
/** @file completion.h  Completion times, of messages, steps and workloads, beside their bounds. */
#ifndef WEFT_RUNNER_COMPLETION_H
#define WEFT_RUNNER_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/traffic.h>

#include "results.h"
#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /**
     * ps from a message's post to its last delivery if it had the fabric for itself, without
     * failures, at line rate and on one path: weft_message_path() on weft_clos_best_path(). -1:
     * there is no such path. A message whose packets take several paths can be faster: a short last
     * packet then overtakes others, and links slower than the NIC's carry it side by side.
     */
    int64_t ideal_fct(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes);

    /** The slowdown of @p fct, ps; NaN if that is negative or there is no ideal one. */
    double fct_slowdown(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes,
                        int64_t fct);

    /** The messages that fct_* are of, by when they could start, and what was delivered meanwhile.
     */
    struct fct_window
    {
        int64_t begin;          /**< ps: from then on */
        int64_t end;            /**< ps: up to before it; WEFT_NEVER: to the end of the run */
        uint64_t before, until; /**< payload delivered by begin and by end */
    };

    /** Fills the percentiles of r->summary from r->flows, by nearest rank, the loads, and how slow
     * QPs are. r->summary must have the end of the run. */
    void collect_fct(const struct scenario *s, const struct fct_window *w, struct run_results *r);

    /** By which part @p time is later than a bound, both counted from @p first; NaN: it did not
     * happen, or no bound is known. */
    double increase_over(int64_t time, int64_t bound, int64_t first);

    /** Nothing can bring the last ACK of a job's @p n messages earlier, ps from time 0, on a fabric
     * that it has for itself; -1: no bound is known. Groups, QPs and successors count from the
     * job's own first one. @p flows: what became of these messages. */
    int64_t bound_acked_of_job(const struct scenario *s, const struct weft_job *job,
                               const struct weft_message *messages, const uint32_t *next,
                               const struct flow_result *flows, size_t n);

    /**
     * Fills r->steps and, in r->summary, the bounds with ACKs and the increases over them. @p
     * next: the successors that the messages name. r->flows, completion times and rho_max must be
     * there.
     */
    void collect_steps(const struct scenario *s, const struct weft_message *messages,
                       const uint32_t *next, struct run_results *r);

    /**
     * Nothing can bring the last ACK of @p n messages earlier, ps from time 0, WEFT_NEVER at most:
     * each takes its way and its host's wire, begins after those that it waits for, and shares the
     * wires of its two hosts with all others of these hosts. @p next: the successors that the
     * messages name.
     */
    int64_t least_time(const struct scenario *s, const struct weft_message *messages,
                       const uint32_t *next, size_t n);

    /** Fills r->workloads if there are several. @p next: the successors that the messages name.
     * r->flows must be there. */
    void collect_workloads(const struct scenario *s, const struct weft_message *messages,
                           const uint32_t *next, struct run_results *r);

    /* --- a walk over messages ----------------------------------------------------------------- */

    /** Messages in an order in which each comes after what it waits for, as early as it can be. */
    struct message_walk
    {
        const struct weft_message *messages;
        const uint32_t *next; /**< the successors that they name */
        int64_t *ready;       /**< by message, ps: what it waits for is there */
        uint32_t *waits;      /**< by message: for so many that were not walked over */
        uint32_t *order;
        size_t n; /**< in that order so far */
    };

    /** @p barriers: those count among what is waited for. */
    struct message_walk walk_begin(const struct weft_message *messages, const uint32_t *next,
                                   size_t n, bool barriers);
    /** When a message may start, ps. */
    int64_t walk_start(const struct message_walk *w, uint32_t message);
    /** One of those that a message waits for ends at @p time. */
    void walk_release(struct message_walk *w, uint32_t message, int64_t time);
    /** The same for all that wait for @p m itself, which is there at @p end. */
    void walk_on(struct message_walk *w, const struct weft_message *m, int64_t end);
    void walk_end(struct message_walk *w);

    static inline int64_t larger(int64_t a, int64_t b)
    {
        return a > b ? a : b;
    }

    /** A time and what comes on top; WEFT_NEVER at most. */
    static inline int64_t later(int64_t time, int64_t by)
    {
        return time > WEFT_NEVER - by ? WEFT_NEVER : time + by;
    }

#ifdef __cplusplus
}
#endif
#endif
