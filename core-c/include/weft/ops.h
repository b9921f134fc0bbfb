/* SPDX-License-Identifier: MIT */
/**
 * @file ops.h  Programs: what each rank of a job does, as operations that wait for each other. A
 * rank is a process with a host of its own; it sends, receives and computes. Messages of a workload
 * (traffic.h) wait for each other across hosts; operations wait for operations of their rank alone,
 * and a receive for its data.
 *
 * Once what it requires is done:
 * - COMPUTE begins when it is its turn on its stream, and ends its time later;
 * - SEND begins when nothing is computed on its stream, and ends when it is acknowledged;
 * - RECV begins at once, which is called posted, and ends when its data are there;
 * - JOIN begins and ends at once.
 *
 * Operations of a stream take turns in the order in which they become ready, those that one thing
 * makes ready in the order of their numbers; streams of a rank run beside each other. A send takes
 * its stream no time. A receive meets a send of its pair of ranks, tag and size: of several the
 * first one posted the first one that comes. Above a size a send is a rendezvous: it asks first,
 * and its data go once the receive is posted and has answered (struct weft_played in run.h).
 *
 * A builder takes operations in any order and packs them: 64 bytes for an operation with all that
 * changes while it runs, 4 for each dependency, and 8 for each pair, tag and size.
 */
#ifndef WEFT_OPS_H
#define WEFT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/net.h>
#include <weft/refusal.h>
#include <weft/traffic.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum weft_op_kind
    {
        WEFT_OP_COMPUTE,
        WEFT_OP_SEND,
        WEFT_OP_RECV,
        WEFT_OP_JOIN, /**< nothing: ends when what it requires is done */
    };

/** Stream of a send, receive or join that waits for no computing but what it requires. */
#define WEFT_NO_STREAM 255U
/** No operation. */
#define WEFT_NO_OP UINT32_MAX
/** Most operations of a program, and most dependencies. */
#define WEFT_MAX_OPS (UINT32_C(1) << 31)
/** Most ranks. */
#define WEFT_MAX_RANKS (UINT32_C(1) << 20)

    /** An operation as a reader adds it. */
    struct weft_op_spec
    {
        uint64_t amount; /**< bytes, of which 0 are sent as 1, or ps of computing */
        uint32_t rank;
        uint32_t peer; /**< of a send or receive: the other rank */
        uint32_t tag;
        uint32_t id; /**< what its reader calls it: a line, a node, a number */
        bool own;    /**< the tag is from weft_ops_tag(), which meets none of the trace's */
        uint8_t kind;
        uint8_t stream; /**< one of its rank's, or WEFT_NO_STREAM */
        uint8_t nic;    /**< of its rank: sends of another one have a connection of their own */
    };

    /** A collective operation of some ranks, done by the algorithm of a workload. */
    struct weft_op_collective
    {
        const struct weft_workload_ops *how; /**< such as allreduce-ring */
        const void *config; /**< of one group that starts at 0; NULL: the defaults, and `bytes` */
        uint64_t bytes;     /**< as the workload's parameter of this name */
        const uint32_t *ranks; /**< [n], the first of the group is its rank 0 */
        uint32_t n;            /**< 1: nothing is sent */
        uint32_t gpus;         /**< ranks in a row of one server, 0: not said */
        uint32_t id;
        uint8_t nic;
    };

    struct weft_ops;

    /** Begins a program. @p memory: of the builder, and of the program until it is released. @p
     * called: what ids are, in messages: "line", "node", "operation"; it outlives the program.
     * Returns NULL without take(), or for no ranks or more than WEFT_MAX_RANKS. */
    WEFT_API struct weft_ops *weft_ops_begin(const struct weft_scratch *memory, uint32_t nranks,
                                             const char *called);
    /** Gives a builder back that is not to be packed. */
    WEFT_API void weft_ops_end(struct weft_ops *ops);

    /** Adds an operation, and returns its number in the builder, from 0 up. What is wrong with it
     * (its rank, its peer, its kind, too many) weft_ops_pack() says: of several the first
     * one. */
    WEFT_API uint32_t weft_ops_add(struct weft_ops *ops, const struct weft_op_spec *spec);
    /** Lets @p op wait for the end of @p before, an operation of the same rank; either may be added
     * later. WEFT_NO_OP: for nothing. */
    WEFT_API void weft_ops_require(struct weft_ops *ops, uint32_t op, uint32_t before);
    /** Lets @p op wait for the start of @p before. */
    WEFT_API void weft_ops_require_start(struct weft_ops *ops, uint32_t op, uint32_t before);
    /** Returns how many operations there are so far. */
    WEFT_API uint32_t weft_ops_count(const struct weft_ops *ops);
    /** Returns a tag for messages that a reader adds of its own accord (`own`). */
    WEFT_API uint32_t weft_ops_tag(struct weft_ops *ops);

    /**
     * Adds a collective. At each rank it begins with the end of a join, @p first[i], which is to
     * require what comes before it, and ends with that of another one, @p last[i]: [n] each.
     * Returns 0 or as the size() of the workload.
     */
    WEFT_API int weft_ops_collective(struct weft_ops *ops, const struct weft_op_collective *spec,
                                     uint32_t *first, uint32_t *last, struct weft_refusal *why);
    /** Says that operations which are there form a collective, whose time is to be told: the joins
     * at which each rank begins and ends it. @p bus: bus bandwidth over algorithm bandwidth, 0: it
     * has none; @p name outlives the program. */
    WEFT_API void weft_ops_name_collective(struct weft_ops *ops, const char *name, uint64_t bytes,
                                           double bus, uint32_t id, const uint32_t *first,
                                           const uint32_t *last, uint32_t n);

    /** State of an operation. */
    enum weft_op_state
    {
        WEFT_OP_WAITS,  /**< for what it requires */
        WEFT_OP_QUEUED, /**< for its turn on its stream */
        WEFT_OP_ASKS,   /**< a rendezvous: for its receiver's answer */
        WEFT_OP_BEGUN,
        WEFT_OP_ENDED,
        WEFT_OP_FAILED, /**< its sender has given it up */
    };

    /** An operation that is packed, with all that changes as it runs. */
    struct weft_op
    {
        uint64_t amount;
        int64_t begun; /**< ps; -1: not yet */
        int64_t ended;
        uint32_t peer;
        uint32_t tag;
        uint32_t match; /**< number of its pair, tag and size */
        uint32_t next;  /**< those that wait for its start: program's next[next .. next + nstart),
                             and behind them, up to the `next` of the operation behind it, those
                             that wait for its end */
        uint32_t nstart;
        uint32_t waits;   /**< that it requires and that are not done */
        uint32_t id;      /**< what its reader calls it */
        uint32_t message; /**< of a send: the number of its first message */
        uint32_t link;    /**< behind it in a queue; of a send and a receive that have met the other
                               one */
        uint8_t kind;
        uint8_t state;
        uint8_t stream;
        uint8_t nic;
    };

    /** Sends and receives of one pair, tag and size that wait for each other. */
    struct weft_op_match
    {
        uint32_t head, tail; /**< a queue of receives that are posted, or of sends that have come;
                                WEFT_NO_OP: of nothing */
    };

    /** A collective of a program. */
    struct weft_program_collective
    {
        const char *name;
        uint64_t bytes;
        double bus;
        uint32_t id;
        uint32_t first; /**< its joins: program's joins[first .. first + 2 * n): where ranks begin,
                             and then where they end */
        uint32_t n;
    };

    /** A program that is packed: operations of one rank in a row, in the order in which they were
     * added. */
    struct weft_program
    {
        struct weft_op *ops; /**< [nops + 1]: the last one ends the rows */
        uint32_t *next;      /**< operations, by number */
        uint32_t *rank;      /**< [nranks + 1]: the first operation of each */
        struct weft_op_match *match;
        uint32_t *connection; /**< [nsends]: of each send, by number: its pair of ranks and NIC */
        uint32_t *back;       /**< [nconnections]: the connection the other way */
        uint32_t *qp;         /**< [nconnections]: its number in a workload; WEFT_NO_OP: unused */
        struct weft_program_collective *collectives;
        uint32_t *joins;
        const char *called;
        uint32_t nranks, nops, nnext, nmatches, ncollectives;
        uint32_t nsends;
        uint32_t nconnections;    /**< of sends, and the other way */
        uint64_t eager;           /**< of the workload that `qp` is numbered for */
        uint32_t nmessages, nqps; /**< of that; 0: of none yet */
        uint32_t nstreams;        /**< that any rank has */
        uint32_t nnics;
        uint32_t ntags; /**< from weft_ops_tag(): they count down from the highest */
        struct weft_scratch memory;
    };

    /**
     * Checks and packs what was added, and ends the builder, whatever it returns: 0, WEFT_EOVERFLOW
     * (too many operations), WEFT_ERANGE (a rank that there is not, a message to its own rank),
     * WEFT_ENOTFOUND (a send without a receive, or a receive without a send, of its size) or
     * WEFT_EINVAL (operations that wait for each other in a circle, or across ranks).
     * @p why names rank and operation.
     */
    WEFT_API int weft_ops_pack(struct weft_ops *ops, struct weft_program *program,
                               struct weft_refusal *why);
    /** Gives the memory of a program back. */
    WEFT_API void weft_program_release(struct weft_program *program);
    /** Returns the rank of an operation. */
    WEFT_API uint32_t weft_program_rank(const struct weft_program *program, uint32_t op);
    /** Writes "rank 3, line 17, receive of 10 B from rank 0, tag 7", up to @p size bytes. */
    WEFT_API void weft_program_describe(const struct weft_program *program, uint32_t op, char *text,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif
