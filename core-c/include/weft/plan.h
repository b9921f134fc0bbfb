/* SPDX-License-Identifier: MIT */
/**
 * @file plan.h  Planners: what a load balancer decides when messages are posted.
 *
 * A planner splits messages over several QPs between the same two hosts, and may say by which label
 * (a UDP source port: an entropy or an explicit path) each part goes. It is asked once for all the
 * messages that a host posts at one instant, such as a step of a collective. A message is complete
 * when all of its parts are.
 */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/refusal.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_clos;

    /** The host whose messages are planned. */
    struct weft_plan_site
    {
        uint64_t seed;                           /**< the run's seed */
        uint64_t run;                            /**< the run's number */
        uint32_t host;                           /**< its index */
        int64_t payload;                         /**< bytes of a full data packet */
        const struct weft_clos *clos;            /**< the fabric's shape; outlives the planner */
        const struct weft_random_source *random; /**< as in struct weft_site */
        void *path; /**< the host's state of the balancer's path part, where it keeps what its QPs
                       have met (a label that loses packets); outlives the planner; NULL: none */
        struct weft_refusal *why; /**< NULL, or where host_init() says why it refuses; not kept */
    };

    /** A message that the host posts. */
    struct weft_plan_message
    {
        uint32_t dst;        /**< receiving host, another one */
        uint32_t connection; /**< whose QPs carry it: its number in the run */
        uint64_t bytes;      /**< > 0 */
    };

    /** A part of it. The parts of a message add up to it. */
    struct weft_plan_part
    {
        uint32_t message; /**< its index among those planned together */
        uint32_t qp;      /**< which QP of its connection, from 0 up, below most_qps() */
        uint64_t bytes;   /**< > 0 */
        uint16_t label;   /**< told to the path part by on_label() when the part is posted */
        bool labelled;    /**< there is a label */
        int64_t delay;    /**< ps from now until it is posted, at least 0 */
    };

    struct weft_plan_ops
    {
        /** Bytes of state for one host. May be 0. */
        size_t (*host_size)(const void *config, const struct weft_plan_site *site);
        /** Returns 0, or as init() of struct weft_lb_ops. @p config outlives the state. */
        int (*host_init)(void *host, const void *config, const struct weft_plan_site *site);
        /** QPs that a connection has from the start, at least 1. */
        uint32_t (*qps)(const void *config);
        /** Optional, where QPs are made as parts need them: how many a connection to host @p dst
         * ever has at most, at least qps(). NULL: qps(). */
        uint32_t (*most_qps)(const void *host, uint32_t dst);
        /** Most parts that plan() makes of these messages. */
        size_t (*most_parts)(const void *host, const struct weft_plan_message *messages, size_t n);
        /** Writes the parts in the order in which they are to be posted, those of one delay.
         * Returns how many. */
        size_t (*plan)(void *host, const struct weft_plan_message *messages, size_t n, int64_t now,
                       struct weft_plan_part *parts);
    };

#ifdef __cplusplus
}
#endif
#endif
