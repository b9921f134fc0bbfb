/* SPDX-License-Identifier: MIT */
/**
 * @file traffic.h  Workloads as message graphs.
 *
 * A message goes from one host to another on one QP and may start once its host knows that all the
 * messages it waits for are done, and its start time has come: those that it receives when they
 * have been delivered in full, those that it sent itself when they are acknowledged. Messages of
 * one QP are sent in the order of their numbers. Collectives are graphs with dependencies, never
 * timers. A barrier stands for what synchronises hosts outside the fabric, such as computing: it
 * takes no traffic, and no more time than one node needs to hear of another at all
 * (weft_clos_least_delay()). What a host computes between two messages is a delay.
 *
 * Groups. `groups` groups of equal size share the hosts: interleaved, group g holds the hosts h
 * with h mod groups = g (each rank at another ToR when groups = hosts per ToR); blocked,
 * consecutive hosts. Rank r is the r-th lowest host of its group. random: as blocked, over a random
 * permutation of the hosts.
 *
 * Rails. Hosts are numbered ToR by ToR. In a rail-optimised fabric a workload whose hosts are whole
 * servers numbers them server by server instead, before they form groups; in a fabric without
 * servers it does so with rails > 0: a server has `rails` hosts (its GPUs' NICs), host i of all
 * servers of a block is at the block's i-th ToR, and a block is `rails` ToRs in a row.
 */
#ifndef WEFT_TRAFFIC_H
#define WEFT_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/param.h>
#include <weft/refusal.h>
#include <weft/theory.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_program;

    struct weft_message
    {
        uint64_t bytes;    /**< > 0 */
        int64_t start;     /**< not before, ps; with a barrier or delayed: so long after what it
                              waits for */
        uint32_t src, dst; /**< hosts, different */
        uint32_t qp;       /**< < nqps; all messages of a QP have the same src and dst */
        uint32_t group;    /**< < ngroups */
        uint32_t step;     /**< of the collective, from 0 */
        uint32_t waits; /**< messages that must come first: delivered to its source, or, where that
                           sent them, acknowledged */
        uint32_t first_next; /**< its successors: next[first_next .. first_next + nnext); messages
                                may share them */
        uint32_t nnext;
        uint8_t barrier; /**< 1: waits also, counted once in waits, until all messages of the step
                            before in its group are acknowledged, of which there must be some; 0:
                            does not */
        uint8_t delayed; /**< 1: start counts from the end of its waits, without a barrier as well
                          */
        uint16_t sl;     /**< service level of its QP (levels.h); what a workload leaves at 0 */
        uint32_t op;     /**< of a program (ops.h): its send */
    };

    /** Sizes of a graph. */
    struct weft_traffic_size
    {
        uint32_t nmessages;
        uint32_t nqps;
        uint32_t nnext; /**< what no message refers to is the workload's scratch */
        uint32_t ngroups;
        uint32_t nsteps; /**< > every message's step, where steps wait for one another; 1 where
                            messages go at once, whatever steps they name */
        uint64_t bytes;  /**< of each message, if all are alike and each QP has as many; else 0 */
    };

    /** The hosts that a workload runs on. */
    struct weft_hosts
    {
        uint32_t n;
        uint32_t per_tor;
        uint32_t per_pod;   /**< a multiple of per_tor; n where there is one pod */
        int64_t rate;       /**< bit/s of their links, the mean if these differ; 0 where no
                               workload asks for it */
        const uint32_t *at; /**< where each of them is in the fabric, rising; NULL: host i is the
                               i-th */
        struct weft_refusal *why; /**< NULL, or where size() says why it refuses; not kept */
        const uint32_t *tor;      /**< [place in the fabric]: its ToR; NULL: the place / per_tor */
        uint32_t gpus;            /**< of them in each server; 0: nothing says so */
        uint32_t rails; /**< hosts of a server, which are at ToRs in a row; 0: they are not */
        bool scale_up;  /**< servers have networks of their own */
    };

    /** The place in the fabric of the @p i-th host. */
    static inline uint32_t weft_host_at(const struct weft_hosts *hosts, uint32_t i)
    {
        return hosts->at ? hosts->at[i] : i;
    }

    /** The ToR of the @p i-th host. */
    static inline uint32_t weft_host_tor(const struct weft_hosts *hosts, uint32_t i)
    {
        const uint32_t at = weft_host_at(hosts, i);
        return hosts->tor ? hosts->tor[at] : at / hosts->per_tor;
    }

    /** Flow of a table: a message on a QP of its own. */
    struct weft_table_flow
    {
        uint64_t bytes;    /**< > 0 */
        int64_t start;     /**< ps, >= 0; of a flow that waits: so long after what it waits for */
        uint32_t src, dst; /**< different */
    };

    /** Flow `after` starts once `before` is done, as one message waits for another: one of the two
     * hosts of `before` is the source of `after`. */
    struct weft_table_wait
    {
        uint32_t before, after;
    };

    /** A point of a distribution of sizes. */
    struct weft_table_size
    {
        uint64_t bytes;
        double share; /**< of all flows, that have at most so many bytes */
    };

    enum weft_table_kind
    {
        WEFT_TABLE_NONE,
        WEFT_TABLE_FLOWS,   /**< flows and perhaps waits, which are no circle */
        WEFT_TABLE_SIZES,   /**< sizes, two or more: bytes rising, shares rising from 0 to 1; linear
                               in between */
        WEFT_TABLE_PROGRAM, /**< operations of ranks (ops.h) */
    };

    /** Tables that a workload takes besides its parameters. The core reads no files: whoever embeds
     * it hands over what a file says. */
    struct weft_table
    {
        const struct weft_table_flow *flows;
        const struct weft_table_wait *waits;
        const struct weft_table_size *sizes;
        uint32_t nflows, nwaits, nsizes;
        struct weft_program *program;
        const uint32_t *place; /**< [nplaces]: the host of each of the program's ranks, numbered
                                  among the workload's own; NULL: as its placement has it */
        uint32_t nplaces;
    };

    /** Case of a workload's lower bound: an idle fabric, all of whose links are alike. */
    struct weft_bound_case
    {
        struct weft_wire wire; /**< links: between the closest two hosts that exchange messages */
        int64_t pace;          /**< bit/s at which hosts send data, at most wire.rate */
        uint32_t acked;        /**< 1: the time of the last ACK; 0: of the last delivery, where all
                                  pairs of hosts are wire.links apart and hosts send at line rate */
        uint32_t ideal_acks;   /**< 1: ACKs take no time of the wires */
        uint32_t partial;      /**< 1: some messages are never delivered, and do not count */
    };

    /** Workload kinds (registry "workload"): ring, alltoall, fsdp, ... */
    struct weft_workload_ops
    {
        struct weft_algo algo;
        /** 0, WEFT_ERANGE (hosts not divisible into groups, fewer than 2 ranks) or WEFT_EOVERFLOW
         *  (more than 2^24 messages, or a product that does not fit). `why` of the hosts tells
         *  more. */
        int (*size)(const void *config, const struct weft_hosts *hosts,
                    struct weft_traffic_size *out);
        /** Writes out->nmessages messages and out->nnext successors. Random ones draw from (seed,
         * run). */
        int (*fill)(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
                    struct weft_message *messages, uint32_t *next);
        /**
         * Optional: the least time from the first start to the end of all messages, ps, on hosts
         * that size() accepts; -1: none is known in this case. With acked only what the messages do
         * to each other: a message by itself and chains of steps need no closed form.
         */
        int64_t (*bound)(const void *config, const struct weft_hosts *hosts,
                         const struct weft_bound_case *of);
        /** Kind of table that use() must be called with before anything else. */
        enum weft_table_kind table;
        /** With a table: keeps a pointer to it in @p config, for as long as that is used. size()
         * returns WEFT_ERANGE for one that is not as it should be. */
        void (*use)(void *config, const struct weft_table *table);
        /** Optional, of collectives that nccl-tests has: returns the bus bandwidth over the
         * algorithm bandwidth, on hosts that size() accepts, and sets @p bytes to what a group's
         * size is there, whose quotient by the time is the algorithm bandwidth. [nccl-tests,
         * PERFORMANCE.md] */
        double (*bus)(const void *config, const struct weft_hosts *hosts, double *bytes);
    };

    /** The workload of that name, or NULL (also of NULL). */
    WEFT_API const struct weft_workload_ops *weft_workload_find(const char *name);

    /** The time over which the flows of the workload "poisson" start, on average, ps. @p config:
     * its own, with a distribution; size() accepts it. */
    WEFT_API double weft_poisson_span(const void *config, const struct weft_hosts *hosts);

/** Most jobs of one fabric. */
#define WEFT_MAX_JOBS 1024U

    /** Job: one of several workloads that share a fabric. */
    struct weft_job
    {
        const struct weft_workload_ops *ops;
        const void *config;
        const uint32_t *hosts; /**< that it runs on, rising; NULL: all of the fabric */
        uint32_t nhosts;
        uint16_t sl; /**< service level of its QPs */
    };

    /** The configuration of weft_workload_jobs. */
    struct weft_jobs
    {
        const struct weft_job *jobs;
        uint32_t njobs; /**< 1 to WEFT_MAX_JOBS */
    };

    /**
     * Several workloads as one, which no name chooses: messages, QPs and groups of the first job,
     * then of the second, and so on. Each draws random numbers of its own; the first one those that
     * it draws alone. Runs are to be below 2^54.
     */
    WEFT_API extern const struct weft_workload_ops weft_workload_jobs;

    /** The hosts of a job, of @p all hosts of the fabric. */
    WEFT_API struct weft_hosts weft_job_hosts(const struct weft_job *job,
                                              const struct weft_hosts *all);

#ifdef __cplusplus
}
#endif
#endif
