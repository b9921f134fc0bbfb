/* SPDX-License-Identifier: MIT */
/**
 * @file run.h  A run: a fabric (net.h) with what a scenario puts on it. Connections carry messages,
 * in parts where a balancer plans; collectives post the messages of a workload's graph
 * (traffic.h), each when what it waits for is done; links fail, slow down and come back, and
 * forwarding follows.
 *
 * The order of calls: weft_run_make(), weft_run_build(), faults, collectives, weft_run_until(). A
 * simulator that has a clock of its own calls weft_net_run() in place of the last one, and says by
 * struct weft_run_host how it is asked to be there at a time. Times are ps.
 */
#ifndef WEFT_RUN_H
#define WEFT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/net.h>
#include <weft/ranks.h>
#include <weft/refusal.h>
#include <weft/theory.h>
#include <weft/traffic.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_run;
    struct weft_connection;
    struct weft_collective;

    /** Latest time for which anything can be asked: sums of two do not overflow. */
#define WEFT_LATEST (INT64_MAX / 2)

    /** Listener to what becomes of messages; each function is optional. They are called as hooks
     * are (struct weft_net_hooks): with several threads on that of the node. */
    struct weft_listener
    {
        void *of; /**< handed to all */
        /** The last byte of a message is in order at the receiver. */
        void (*delivered)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now);
        /** The sender knows that. */
        void (*acked)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now);
        /** The sender has given the QP up, and will never know. */
        void (*failed)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now);
    };

    /** How a run is driven, and what is told of it. Each member may be NULL. */
    struct weft_run_host
    {
        void *of; /**< handed to all */
        /** Does weft_net_call(), which is what happens without it: a simulator that runs the
         * fabric by events of its own plans one. */
        void (*call)(void *of, uint32_t host, int64_t at, enum weft_net_step step, uint64_t number,
                     void (*call)(void *of, uint64_t what, int64_t now), void *whose,
                     uint64_t what);
        /** Calls @p change once all that happens before @p at has happened, and nothing after; of
         * several at one time in the order of these requests. Without it weft_run_until() does. */
        void (*change)(void *of, int64_t at, void (*change)(struct weft_run *run, int64_t at));
        /** A QP has been made, perhaps by a planner on the thread of its host. */
        void (*made)(void *of, struct weft_qp *qp);
        /** A message, or a part of one, is about to be posted. */
        void (*posts)(void *of, const struct weft_qp *qp, uint64_t bytes);
        /** A link has gone down, or come back. */
        void (*link_changed)(void *of, uint64_t link, bool down);
        /** Forwarding has changed; @p down: links that it knows to be down. */
        void (*rerouted)(void *of, size_t down, bool whole);
        /** A planner breaks its contract, or no QP can be made for a part: ends the program, as
         * abort() does without it. */
        void (*broken)(void *of, const char *why);
    };

    struct weft_run_config
    {
        struct weft_memory memory;   /**< of the run, not of its fabric; as in net.h */
        struct weft_scratch scratch; /**< take() NULL: `memory`, where it stays */
        struct weft_run_host host;
        int64_t convergence; /**< as weft_run_set_convergence() has it */
    };

    /** Makes a run without a fabric. Returns NULL without memory.take(). */
    WEFT_API struct weft_run *weft_run_make(const struct weft_run_config *config);

    /**
     * Makes the fabric, and its balancers' planners. Again: makes it anew, before there are QPs;
     * the memory of the former one may go before. The configuration's hooks are called before
     * listeners. Returns as weft_net_make(), or what a planner refuses with, and @p why.
     */
    WEFT_API int weft_run_build(struct weft_run *run, const struct weft_net_config *config,
                                struct weft_refusal *why);
    /** As weft_net_set_threads(), for a fabric that is built: one thread where a balancer both
     * plans and works at ToRs, which have to know of QPs that hosts make as they are run, and where
     * packets of such QPs are to be dropped. @p n: 1 with several ranks at least. */
    WEFT_API int weft_run_set_threads(struct weft_run *run, uint32_t n);
    /** Whether a balancer of @p config plans and works at ToRs: no ranks can share the fabric. */
    WEFT_API bool weft_run_is_alone(const struct weft_net_config *config);

    WEFT_API struct weft_net *weft_run_net(const struct weft_run *run);
    /** Bytes that the planner of a level keeps at one host. */
    WEFT_API size_t weft_run_planner_bytes(const struct weft_run *run, uint32_t level);

    /** Checks conservation: frames sent = delivered + lost + in the fabric, bytes likewise once no
     * frame is left, the accounts of each buffer, and that receivers have what is acknowledged.
     * Outside of hooks; with several ranks after weft_net_gather() on rank 0. Returns whether all
     * adds up; else @p why says what does not, up to @p size bytes. */
    WEFT_API bool weft_run_conserves(struct weft_run *run, char *why, size_t size);

    /** @name QPs and connections @{ */
    /** Makes a QP past any planner. @p listener is kept by pointer, may be NULL, and outlives the
     * run. Returns as weft_net_add_qp(). */
    WEFT_API int weft_run_add_qp(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
                                 const struct weft_listener *listener, struct weft_qp **qp,
                                 struct weft_refusal *why);
    /** Says how many of the QPs that are made next send from the start, for path selectors that
     * count in BDPs: QPs of a host share its line. A collective does so; each other QP counts as
     * one. @p qps: with how many each host starts; @p created: QPs in all. */
    WEFT_API void weft_run_add_starters(struct weft_run *run, const uint32_t *qps,
                                        uint32_t created);
    /** Packets of the BDP that a QP has which is made now: see struct weft_path_site. */
    WEFT_API uint32_t weft_run_qp_bdp(const struct weft_run *run, uint32_t src, uint32_t dst);

    /** Connects two hosts for messages: with the QPs that the level's planner wants, or one. @p
     * listener as above, of whole messages. Returns 0, WEFT_EINVAL (no such hosts or level, or by a
     * hook on one of several threads), WEFT_EOVERFLOW (all QPs are taken) or what an algorithm
     * refuses with. */
    WEFT_API int weft_run_connect(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
                                  const struct weft_listener *listener,
                                  struct weft_connection **connection, struct weft_refusal *why);
    WEFT_API uint32_t weft_connection_src(const struct weft_connection *c);
    WEFT_API uint32_t weft_connection_dst(const struct weft_connection *c);
    WEFT_API uint32_t weft_connection_level(const struct weft_connection *c);
    /** Returns its number in the run. */
    WEFT_API uint32_t weft_connection_index(const struct weft_connection *c);
    /** QPs made so far; where several ranks run the fabric, at the sender's. */
    WEFT_API uint32_t weft_connection_nqps(const struct weft_connection *c);
    /** A QP of it, below weft_connection_nqps(). */
    WEFT_API struct weft_qp *weft_connection_qp(const struct weft_connection *c, uint32_t i);

    /** A message to be posted. */
    struct weft_post
    {
        struct weft_connection *connection;
        uint64_t bytes; /**< > 0 */
        uint64_t tag;   /**< handed to the listener */
    };

    /** Posts messages of host @p src that are of this instant, each level's planner seeing those of
     * its level together. Called by that host: in a hook of it, or by weft_net_call(). */
    WEFT_API void weft_run_post(struct weft_run *run, uint32_t src, const struct weft_post *posts,
                                size_t n, int64_t now);
    /** @} */

    /** Effect of a fault on its links. */
    enum weft_fault_effect
    {
        WEFT_FAULT_DOWN,       /**< they carry nothing */
        WEFT_FAULT_SLOW,       /**< they have a lower rate */
        WEFT_FAULT_LOSSY,      /**< they lose frames at random */
        WEFT_FAULT_CORRUPTING, /**< they spoil frames at random: lost, and counted apart */
        WEFT_FAULT_DELAYED,    /**< they have a longer way */
        WEFT_FAULT_EFFECTS,
    };

    /** Fault of links: they have the effect together, once or, if they flap, again and again. */
    struct weft_fault
    {
        const uint64_t *links; /**< [nlinks]: weft_planes_link() numbers; copied */
        size_t nlinks;
        enum weft_fault_effect effect;
        enum weft_direction direction;
        int64_t rate;                    /**< of slow links, bit/s: at most what is planned */
        int64_t delay;                   /**< of delayed ones, ps on top of what is planned */
        struct weft_frame_losses losses; /**< of lossy and corrupting ones */
        int64_t at;      /**< when it begins, ps; of one that flaps: when it does so first */
        int64_t repair;  /**< when it ends for good, ps; WEFT_NEVER: it does not */
        int64_t down;    /**< of one that flaps: so long with the effect, ps; 0: once */
        int64_t up;      /**< of one that flaps: so long without it, ps; 0: once */
        bool drawn;      /**< `down` and `up` are the means of exponential times */
        uint64_t count;  /**< most times that one which flaps begins; 0: any number */
        uint64_t stream; /**< of random numbers, for times that are drawn: they hang on it and on
                            the seed and run, and on nothing else */
    };

    /** @name Faults
     * The fabric is built; times are not in the past. All return 0 or WEFT_ERANGE (no such link, or
     * a time beyond WEFT_LATEST, but for WEFT_NEVER as a repair, or one before @p at). @{ */
    /** Plans a fault. Returns as all do, also WEFT_ERANGE for a rate, a delay or a probability that
     * cannot be, and WEFT_EINVAL for no links, no such effect or direction, or one of `down` and
     * `up` alone. */
    WEFT_API int weft_run_add_fault(struct weft_run *run, const struct weft_fault *fault);
    /** Sets how long a link must be back before forwarding knows, of what comes back from now on;
     * WEFT_NEVER: it never does. By default as weft_run_set_convergence() says. */
    WEFT_API void weft_run_set_recovery(struct weft_run *run, int64_t delay);
    /** A link fails. A failure at time 0 that lasts counts in weft_run_share() of workloads set up
     * later. */
    WEFT_API int weft_run_fail(struct weft_run *run, uint64_t link, int64_t at, int64_t repair);
    /** A link has another rate, of at most what is planned, for a while; of several the lowest. */
    WEFT_API int weft_run_degrade(struct weft_run *run, uint64_t link, int64_t rate, int64_t at,
                                  int64_t repair);
    /** A link goes down now, or comes back whatever failures are in force. */
    WEFT_API int weft_run_set_down(struct weft_run *run, uint64_t link, bool down);
    /** As weft_net_set_rate(), now; forwarding that weighs by capacity adapts. */
    WEFT_API int weft_run_set_rate(struct weft_run *run, uint64_t link, int64_t rate);
    WEFT_API bool weft_run_is_down(const struct weft_run *run, uint64_t link);
    /** No fault that is planned takes place any more, and forwarding stays as it is; a host of its
     * own forgets its changes itself. */
    WEFT_API void weft_run_forget_faults(struct weft_run *run);
    /** Sets how long a link must be down, or back, without a break before forwarding knows, of what
     * fails from now on; 0: it knows at that instant, WEFT_NEVER: never. What does not last that
     * long is never heard of. */
    WEFT_API void weft_run_set_convergence(struct weft_run *run, int64_t delay);
    /** Sets how forwarding weighs ports from the next change on. */
    WEFT_API void weft_run_set_weights(struct weft_run *run, enum weft_weights weights);
    /** The next @p count transmissions of a QP's packet, @p offset behind its first, are lost; also
     * of a QP that is yet to be made. Returns 0 or WEFT_EINVAL: several ranks run the fabric, and
     * the QP is only made when a part of a message needs it. */
    WEFT_API int weft_run_drop(struct weft_run *run, uint32_t qp, uint32_t offset, uint32_t count,
                               bool at_last_hop);
    /** @} */

    /** Computes the share of line rate of each level (weft_rho_max()), given the failures at time 0
     * that last, for QPs made from now on. A collective does so. @p flows: every pair of hosts
     * that has a QP. Returns 0 or as weft_rho_max(). */
    WEFT_API int weft_run_set_flows(struct weft_run *run, const struct weft_flow *flows, size_t n);
    /** The share of a level, as it was computed last; as configured before. */
    WEFT_API double weft_run_share(const struct weft_run *run, uint32_t level);

    /** Times of a message; -1: not yet. */
    struct weft_message_times
    {
        int64_t posted;    /**< what it waits for is done, and its start has come */
        int64_t delivered; /**< in order at the receiver */
        int64_t acked;     /**< known to the sender */
        int64_t asked;     /**< its receiver heard that it is given up */
        int64_t ready;     /**< what it waits for was done, as far as it is; from 0 */
        bool failed;       /**< the sender has given it up; it may be delivered all the same */
    };

    /** Listener to a collective's messages, by number; each function is optional. Called as
     * hooks are, but failed(), ended() and done(): with several ranks these come on all of them, at
     * the end of a window. */
    struct weft_collective_hooks
    {
        void *of; /**< handed to all */
        void (*posted)(void *of, uint32_t message, int64_t now);
        void (*delivered)(void *of, uint32_t message, int64_t now);
        void (*failed)(void *of, uint32_t message, int64_t now);
        /** All messages of a group's step are acknowledged; only where there are barriers. */
        void (*ended)(void *of, uint32_t group, uint32_t step);
        /** Every message is delivered and acknowledged, was given up or can never start. Told again
         * when what waits for a message that was given up, and comes after all, is done. */
        void (*done)(void *of, int64_t at);
    };

    /** A program (ops.h) among the messages of a workload. They are posted when its operations
     * begin, whatever else they wait for. */
    struct weft_played
    {
        struct weft_program *program; /**< its operations get their times */
        const uint32_t *host;         /**< [rank] */
        uint32_t first, n;            /**< messages first .. first + n */
        int64_t start;
        double compute_scale;
        uint64_t eager;
    };

    /** A workload's graph: rows of the caller's that outlive the run. */
    struct weft_collective_config
    {
        struct weft_traffic_size size;
        struct weft_message *messages;    /**< [nmessages]; `waits` is counted down */
        const uint32_t *next;             /**< [nnext] */
        struct weft_message_times *times; /**< [nmessages]: filled */
        struct weft_played *programs;     /**< [nprograms]; each is run once */
        uint32_t nprograms;
        uint32_t level; /**< of messages whose sl is 0 */
        bool alone;     /**< nobody else posts on its QPs, whose states so need less memory */
        struct weft_collective_hooks hooks;
    };

    /** Takes memory of the run for the rows of a workload, and fills them. Returns as its size() or
     * fill(); the level and the hooks stay the caller's. */
    WEFT_API int weft_run_fill(struct weft_run *run, const struct weft_workload_ops *ops,
                               const void *config, struct weft_collective_config *out,
                               struct weft_refusal *why);
    /** For who fills the rows of @p out himself: finds the programs of a workload, and has their
     * messages wait for them, as weft_run_fill() does. */
    WEFT_API void weft_run_find_programs(struct weft_run *run, const struct weft_workload_ops *ops,
                                         const void *config, struct weft_collective_config *out);

    /**
     * Starts a workload now: makes its connections and posts what waits for nothing. The first
     * message of each of the graph's QPs says between which hosts it is, and its level. Outside of
     * hooks, on all ranks. Returns 0, WEFT_EINVAL (a service level that there is not) or as
     * weft_run_connect() and weft_run_set_flows().
     */
    WEFT_API int weft_run_collective(struct weft_run *run,
                                     const struct weft_collective_config *config,
                                     struct weft_collective **collective, struct weft_refusal *why);
    /** The connection of a QP of the graph. */
    WEFT_API struct weft_connection *weft_collective_connection(const struct weft_collective *c,
                                                                uint32_t qp);

    /** State of a collective. */
    struct weft_collective_state
    {
        size_t acked;          /**< messages acknowledged */
        size_t failed;         /**< messages given up by their senders */
        size_t undelivered;    /**< of these: not delivered */
        size_t unstarted;      /**< that wait, directly or not, for one that is not delivered */
        size_t held;           /**< that no operation of a program has posted yet */
        int64_t last_delivery; /**< so far, 0 before the first */
        int64_t done_at;       /**< anything was done last */
        bool done;             /**< as hooks.done() */
    };

    /** Describes how far a collective is. */
    WEFT_API void weft_collective_describe(struct weft_collective *c,
                                           struct weft_collective_state *is);
    /** Says which operations of programs have not ended although nothing but others of them could
     * let them: "rank 3, line 17, ...", up to @p size bytes. Returns how many there are that have
     * not ended. */
    WEFT_API size_t weft_collective_blocked(const struct weft_collective *c, char *text,
                                            size_t size);
    /** Rank 0 gets the times at which messages were posted, and those of operations: it has all
     * others. All ranks call it. */
    WEFT_API void weft_collective_gather(struct weft_collective *c);

    /** @name A run without a simulator @{ */
    /** Calls @p call at a time, outside of nodes: all that happens before has happened, faults of
     * that time have taken place, and nothing after. Of one time in the order of these requests.
     * Returns a number for weft_run_remove(). */
    WEFT_API uint64_t weft_run_at(struct weft_run *run, int64_t at, void (*call)(void *of),
                                  void *of);
    /** Removes a call, if it has not come. */
    WEFT_API void weft_run_remove(struct weft_run *run, uint64_t number);
    /** Lets everything happen that happens before @p until, and faults and calls of that time; ends
     * before by weft_run_stop(), and with WEFT_NEVER where nothing is left to happen. Returns the
     * time that it has come to: @p until, that of the call that stopped it, or that of the last
     * thing, at most a window later. */
    WEFT_API int64_t weft_run_until(struct weft_run *run, int64_t until);
    /** Returns the time that it has come to. */
    WEFT_API int64_t weft_run_now(const struct weft_run *run);
    /** Lets weft_run_until() end; called by a call. */
    WEFT_API void weft_run_stop(struct weft_run *run);
    /** @} */

#ifdef __cplusplus
}
#endif
#endif
