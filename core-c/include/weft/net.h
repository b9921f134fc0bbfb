/* SPDX-License-Identifier: MIT */
/**
 * @file net.h  A whole fabric that runs: hosts with their NICs, switches and links, without an
 * event list.
 *
 * A link has a delay, and whatever a node does nobody else can notice before that. So each node is
 * run by itself for a whole window, the least delay of all links, and then the next one. What
 * happens at one node at one instant has an order of its own: timers, ends and starts of frames by
 * port, a ToR balancer's timer, PFC frames, mail, arrivals in an order that is drawn, posts.
 *
 * A post at a time that has passed happens now. Times are ps. Switches are numbered through all
 * planes (clos.h), and of the ports of a host each is in the plane of its number. Faults are made
 * outside of hooks.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/lb.h>
#include <weft/levels.h>
#include <weft/mmu.h>
#include <weft/packet.h>
#include <weft/qp.h>
#include <weft/refusal.h>
#include <weft/scheduler.h>
#include <weft/tor.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_net;
    struct weft_ranks;

    /** Where memory comes from. */
    struct weft_memory
    {
        /** @p bytes of zeros, aligned to 64 bytes. It must not fail: a caller who has no more ends
         * the program, or leaves by longjmp() and uses the fabric no more. */
        void *(*take)(void *of, size_t bytes);
        void *of; /**< handed to take() */
    };

    /** Memory for a while, as the setup of a workload needs it: of any content. */
    struct weft_scratch
    {
        void *(*take)(void *of, size_t bytes); /**< 8-byte aligned, with any content */
        void (*give)(void *of, void *memory);  /**< what take() has returned is not needed */
        void *of;                              /**< handed to both */
    };

    /** A set of QPs and how they work; see levels.h. */
    struct weft_net_level
    {
        const struct weft_lb_ops *lb;
        const void *lb_config;
        const struct weft_transport_ops *transport;
        const void *transport_config;
        const struct weft_cc_ops *cc;
        const void *cc_config;
        double share;    /**< of line rate that all hosts may send at (weft_rho_max()), in (0, 1] */
        uint32_t labels; /**< as in struct weft_nic_algos */
        uint8_t tclass;  /**< traffic class of its data, 1 to 7, below the switches' classes */
    };

    /** Why a frame did not get to a NIC. */
    enum weft_net_loss
    {
        WEFT_NET_DROP_BUFFER,   /**< no room in a switch */
        WEFT_NET_DROP_LINK,     /**< a dead link, or no route */
        WEFT_NET_DROP_INJECTED, /**< weft_net_drop(), weft_net_lose() */
        WEFT_NET_BLOCKED,       /**< a NACK that a ToR kept */
        WEFT_NET_ENDED,         /**< a balancer's own, that has come to the ToR it was for */
        WEFT_NET_DROP_LOSSY,    /**< a lossy link */
        WEFT_NET_CORRUPTED,     /**< a link that spoils frames */
        WEFT_NET_LOSSES,
        WEFT_NET_NO_ROUTE = WEFT_NET_LOSSES, /**< told to hooks; counted as WEFT_NET_DROP_LINK */
    };

    /** Direction of a link in which it has a fault. */
    enum weft_direction
    {
        WEFT_BOTH_WAYS,
        WEFT_UPWARDS,   /**< from its lower to its upper end, as in struct weft_link */
        WEFT_DOWNWARDS, /**< from its upper to its lower end */
    };

    /** Frames that a link loses at random: each by itself with probability `good`; or in bursts
     * (Gilbert-Elliott), where the link is in one of two states. Each probability is in [0, 1]. In
     * the long run to_bad / (to_bad + to_good) of all frames meet the bad state, whose bursts are
     * 1 / to_good frames long in the mean. */
    struct weft_frame_losses
    {
        double good;    /**< a frame's loss in the good state */
        double bad;     /**< a frame's loss in the bad state */
        double to_bad;  /**< from good to bad, behind each frame; 0: it stays good */
        double to_good; /**< from bad to good, behind each frame */
    };

    /** Counters of a node. Frames unless said otherwise. */
    struct weft_net_counters
    {
        uint64_t hops;               /**< that have come here over a link, or as mail */
        uint64_t sent;               /**< by a NIC */
        uint64_t sent_bytes;         /**< by a NIC */
        uint64_t made_by_tors;       /**< compensated NACKs, and a balancer's own */
        uint64_t made_by_tors_bytes; /**< their bytes */
        uint64_t delivered;          /**< to a NIC */
        uint64_t delivered_bytes;    /**< to a NIC */
        uint64_t lost[WEFT_NET_LOSSES];
        uint64_t lost_bytes;    /**< of all kinds */
        uint64_t trimmed;       /**< that lost their payload */
        uint64_t trimmed_bytes; /**< that were cut away */
        uint64_t payload;       /**< bytes of payload placed at receivers, each once */
    };

    /** Hooks of a program, each of them optional. They are called when it happens, in the order of
     * the node where it does; what happened at other nodes may be told later, as nodes are run one
     * after the other. Calls may post at the node where they are. */
    struct weft_net_hooks
    {
        void *of; /**< handed to all */
        /** The last byte of a message is in order at the receiver. */
        void (*delivered)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now);
        /** The sender knows that. */
        void (*acked)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now);
        /** The QP is given up, and the sender will never know. */
        void (*failed)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now);
        /** The retry limit of a QP is reached; told before its messages. */
        void (*gave_up)(void *of, struct weft_qp *qp, int64_t now);
        /** A NIC starts to send a frame. */
        void (*sent)(void *of, uint32_t host, const struct weft_packet *packet, int64_t now);
        /** A frame has come to a NIC. */
        void (*received)(void *of, uint32_t host, const struct weft_packet *packet, int64_t now);
        /** A frame ends before its NIC, at a node: hosts first, then switches. */
        void (*lost)(void *of, uint32_t node, const struct weft_packet *packet,
                     enum weft_net_loss why, int64_t now);
        /** A switch has put an ECN mark on data. */
        void (*marked)(void *of, uint32_t index, const struct weft_packet *packet, int64_t now);
        /** Data loses its payload at a switch: the frame as it was. */
        void (*trimmed)(void *of, uint32_t index, const struct weft_packet *packet, int64_t now);
        /** A balancer has chosen port @p out, one of @p n, for a frame. */
        void (*picked)(void *of, uint32_t index, const struct weft_packet *packet, uint32_t out,
                       uint32_t n, int64_t now);
        /** A frame of any kind joins the queue of a switch's port. */
        void (*queued)(void *of, uint32_t index, const struct weft_packet *packet, uint32_t port,
                       int64_t now);
        /** Starts to leave by that port; a switch that trims may have cut its payload meanwhile.
         * Of a node that is not watched the order among ports is not that of time. */
        void (*leaves)(void *of, uint32_t index, const struct weft_packet *packet, uint32_t port,
                       int64_t now);
        /** A QP's retransmission timer has run out. */
        void (*timed_out)(void *of, struct weft_qp *qp, int64_t now);
        /** A sender is told of a loss by the fabric. */
        void (*told_lost)(void *of, struct weft_qp *qp, const struct weft_packet *lost,
                          int64_t now);
        /** A switch sends a PFC frame by a port. */
        void (*paused)(void *of, uint32_t index, uint32_t port, uint32_t tclass, bool pause,
                       int64_t now);
    };

    struct weft_net_config
    {
        const struct weft_clos *clos; /**< outlives the fabric */
        struct weft_fabric_config frame;
        struct weft_mmu_config buffer;              /**< of every switch */
        const struct weft_scheduler_ops *scheduler; /**< of ports with more than two classes */
        const void *scheduler_config;
        enum weft_weights weights;           /**< of a graph's forwarding while nothing is down */
        const struct weft_net_level *levels; /**< by service level */
        uint32_t nlevels;                    /**< 1 to WEFT_LEVELS */
        uint64_t seed;
        uint64_t run;
        struct weft_net_hooks hooks;
        struct weft_memory memory;
        /** Memory of packets in queues and on links; take() NULL: `memory`. See weft_net_is_over().
         * */
        struct weft_memory frames;
        const struct weft_ranks *ranks; /**< NULL: this process runs all nodes; see ranks.h */
    };

    /** Part of a fabric that a check is about. */
    enum weft_net_part
    {
        WEFT_NET_BUFFER,    /**< of switches; whatever the level */
        WEFT_NET_QUEUE,     /**< a level's traffic class */
        WEFT_NET_TRANSPORT, /**< a level's */
        WEFT_NET_BALANCER,  /**< a level's */
        WEFT_NET_CONTROL,   /**< a level's congestion control */
        WEFT_NET_SCHEDULER, /**< of switches; whatever the level */
        WEFT_NET_PARTS,
    };

    /**
     * Whether a part of a configuration suits its frames and its buffer: 0, WEFT_EINVAL or
     * WEFT_ERANGE. weft_net_make() asks this of every part. The text in @p why goes on behind a
     * name for the part, which is the caller's: "the transport gbn" "would take a trimmed packet
     * for a whole one; expected ...".
     */
    WEFT_API int weft_net_check(const struct weft_net_config *config, enum weft_net_part part,
                                uint32_t level, struct weft_refusal *why);

    /**
     * Whether a part of a configuration can begin: calls the inits that weft_net_make(),
     * weft_net_add_qp() and the level's planner call of it, with the same sites, at one switch of
     * each tier and for QPs to a host below the same ToR, to one of the next ToR and to the
     * farthest; in a graph at every switch and for QPs to hosts of each of them. What it takes for
     * states comes from config->memory, and nothing of it is used later. Call weft_net_check() of
     * the part before. Returns 0 or what an init refuses with; weft_refusal_text() of @p why.
     */
    WEFT_API int weft_net_try(const struct weft_net_config *config, enum weft_net_part part,
                              uint32_t level, struct weft_refusal *why);

    /** Most QPs that a connection between two hosts ever has, of all of which a fabric has
     * WEFT_QP_MASK + 1: those that its level's planner may ask for, else 1. Memory as of
     * weft_net_try(). */
    WEFT_API uint32_t weft_net_most_qps(const struct weft_net_config *config, uint32_t level,
                                        uint32_t src, uint32_t dst);

    /**
     * Warns of what works, and spoils a part of a level or makes it useless, as a NIC that drops
     * what comes out of order under a balancer that reorders: a user would measure a scheme that
     * never worked.
     * @p at is 0 before the first call and is set for the next one; false: nothing more. Sets
     * @p part, and the text in @p what, which goes on behind its name, as weft_net_check()'s.
     * `param` is the part's parameter at fault, "name" if another algorithm is the way out, or
     * NULL where it lies with the balancer as much as with the transport. Those of switches are
     * told of level 0.
     */
    WEFT_API bool weft_net_warning(const struct weft_net_config *config, uint32_t level,
                                   uint32_t *at, enum weft_net_part *part,
                                   struct weft_refusal *what);

    /** Puts a part's name before the text: "the balancer rsq of service level 2 ...". @p of: what
     * stands for " of service level 2", or NULL. */
    WEFT_API void weft_net_name_part(const struct weft_net_config *config, enum weft_net_part part,
                                     uint32_t level, const char *of, struct weft_refusal *what);

    /**
     * Makes a fabric at time 0 in which nothing happens yet. Configurations are kept by pointer and
     * outlive it. Returns 0, WEFT_EINVAL (no such shape; no levels, algorithms, configurations or
     * memory.take(), that is NULL; ideal replies, or trimming, with what
     * cannot work with them), WEFT_ERANGE (levels, classes, frames, ranks), or what the buffer, the
     * scheduler, a balancer or a path part refuses with; @p why explains it (it may be NULL).
     * @p net is NULL then.
     */
    WEFT_API int weft_net_make(struct weft_net **net, const struct weft_net_config *config,
                               struct weft_refusal *why);

    /** Sets the hooks that are told of things from now on. */
    WEFT_API void weft_net_set_hooks(struct weft_net *net, const struct weft_net_hooks *hooks);
    /** Has @p call told from now on of every port by which a switch lets a frame go on, of @p n
     * that its route has there; NULL: nobody. It is called as hooks are, beside them. */
    WEFT_API void weft_net_watch_routes(struct weft_net *net,
                                        void (*call)(void *of, uint32_t index,
                                                     const struct weft_packet *packet, uint32_t out,
                                                     uint32_t n, int64_t now),
                                        void *of);
    /** QPs of a service level that are made from now on have another share, as in its struct
     * weft_net_level. */
    WEFT_API void weft_net_set_share(struct weft_net *net, uint32_t level, double share);

#define WEFT_NET_THREADS 64U /**< the most threads */

    /** From now on @p n threads run the nodes, the caller's among them; once, and with 1 nothing
     * changes but where several ranks run the fabric (ranks.h). Where the system has fewer, these
     * do it all. What happens is the same with any number. Hooks are called on the thread of their
     * node, several at a time, and take() one at a time: it does not leave by longjmp() then. A
     * process that is forked afterwards, outside of hooks, goes on with one thread.
     * weft_net_stop_threads() comes before the memory goes. Returns 0 or WEFT_ERANGE (1 to
     * WEFT_NET_THREADS, once). */
    WEFT_API int weft_net_set_threads(struct weft_net *net, uint32_t n);
    /** Ends all threads but the caller's, which runs all nodes from now on. */
    WEFT_API void weft_net_stop_threads(struct weft_net *net);

    /** Description of a QP that is to be made. */
    struct weft_net_qp_site
    {
        uint32_t src;    /**< sending host */
        uint32_t dst;    /**< receiving host, another one */
        uint32_t level;  /**< service level */
        uint32_t bdp;    /**< as in struct weft_path_site: weft_net_bdp(); 0: of a host that starts
                            with this QP alone */
        uint64_t stream; /**< of its random numbers: unique in the run */
        bool reserved;   /**< its index is `index`; else the next one */
        uint32_t index;  /**< one that weft_net_reserve_qps() has set aside */
        /** Most packets that will be posted on it, for which its states need no more memory than
         * these take. Beyond them a message fails. 0: it is not known. */
        uint64_t packets;
    };

    /** The bandwidth-delay product from one host to another where nothing else is sent, full
     * packets rounded up, at least 1, of which each of @p sharers QPs has a part. */
    WEFT_API uint32_t weft_net_bdp(const struct weft_net *net, uint32_t src, uint32_t dst,
                                   uint32_t sharers);

    /** Sets aside the next @p n indices, from *@p first on, for QPs that are made later, so that
     * their numbers do not hang on which is made first. Not from a hook on one of several threads:
     * WEFT_EINVAL. Returns 0 or WEFT_EOVERFLOW (WEFT_QP_MASK + 1 indices are all that there are).
     */
    WEFT_API int weft_net_reserve_qps(struct weft_net *net, uint32_t n, uint32_t *first);

    /** Makes a QP. A hook or a call on one of several threads may make one of its own host, with a
     * reserved index, whose balancer has no part at ToRs. Returns 0, WEFT_EINVAL (no such hosts or
     * level, an index that is not reserved or in use, or a thread may not), WEFT_EOVERFLOW
     * (WEFT_QP_MASK + 1 indices are taken) or what its algorithms refuse with. */
    WEFT_API int weft_net_add_qp(struct weft_net *net, const struct weft_net_qp_site *site,
                                 struct weft_qp **qp, struct weft_refusal *why);

    /** Posts a message of @p bytes > 0 at @p at, or now if that has passed; of those of one instant
     * at one host the one with the lowest @p number first. A hook of the sending host may post for
     * now, and then it is done at once. What a hook of another node asks for that weft_net_run()
     * runs comes there after the least delay of a link at the soonest. */
    WEFT_API void weft_net_post(struct weft_net *net, struct weft_qp *qp, uint64_t bytes,
                                uint64_t tag, int64_t at, uint64_t number);

    /** Steps of an instant of a host at which a program acts, behind all else that is due there
     * then: in this order, then by number. weft_net_post() is a WEFT_NET_POST. */
    enum weft_net_step
    {
        WEFT_NET_POST, /**< messages of a workload */
        WEFT_NET_PART, /**< parts of messages that were put off */
        WEFT_NET_CALL, /**< anything else */
        WEFT_NET_PLAN, /**< what looks at all that was posted then */
    };

    /** Calls @p call at a host, at @p at or now if that has passed, with @p of and @p what; of
     * those of one step the one with the lowest @p number first, of which those from 2^56 on count
     * as the same. A hook of that host, or another call there, is served at once if it asks for
     * now, unless it asks for WEFT_NET_PLAN; one of another node as in weft_net_post(). */
    WEFT_API void weft_net_call(struct weft_net *net, uint32_t host, int64_t at,
                                enum weft_net_step step, uint64_t number,
                                void (*call)(void *of, uint64_t what, int64_t now), void *of,
                                uint64_t what);

    /** Sends a packet of the program's own (WEFT_RAW, of class 1, with its source, its destination
     * and its length, at least 38 bytes) as soon as the NIC lets it from @p at on: by port number
     * in_port - 1 of the host, dead or alive, or, if in_port is 0, by one that leads there. Its psn
     * and qp may say which it is. What comes of it hooks tell: sent, received, lost. From a hook as
     * weft_net_post(). */
    WEFT_API void weft_net_send(struct weft_net *net, uint32_t host,
                                const struct weft_packet *packet, int64_t at);

    /** Lets everything happen that happens before @p until. */
    WEFT_API void weft_net_run(struct weft_net *net, int64_t until);

    /** When something happens next at a node that is not watched, or WEFT_NEVER; perhaps it comes
     * to nothing. */
    WEFT_API int64_t weft_net_next(struct weft_net *net);

    /** Whether nothing is left to happen at any node of this rank. If so, and if nothing is asked
     * for any more, the configuration's `frames` may be given back: all but packets can be read as
     * before, and gathered. */
    WEFT_API bool weft_net_is_over(const struct weft_net *net);

    /** @name A program that is to hear of a node's frames at the time when they come runs that node
     * by itself @{ */
    /** From now on weft_net_run() leaves the node out, or runs it again. Who watches nodes calls
     * weft_net_run() up to a multiple of weft_net_window() at most, and before it goes beyond that
     * has run the nodes that it watches up to there. */
    WEFT_API void weft_net_watch(struct weft_net *net, uint32_t node, bool watch);
    /** When something happens next at a node, or WEFT_NEVER; perhaps it comes to nothing. */
    WEFT_API int64_t weft_net_node_next(const struct weft_net *net, uint32_t node);
    /** Lets everything happen at a node that happens before @p until, which is at most the end of
     * the window that weft_net_run() has begun. */
    WEFT_API void weft_net_run_node(struct weft_net *net, uint32_t node, int64_t until);
    /** The least time after which one node can notice another, ps. */
    WEFT_API int64_t weft_net_window(const struct weft_net *net);
    /** @} */

    /** Everything before this has happened, and nothing after. */
    WEFT_API int64_t weft_net_now(const struct weft_net *net);

    /** When the last thing happened, ps: a timer that came to nothing is none. */
    WEFT_API int64_t weft_net_last(const struct weft_net *net);

    /** Node that calls a hook. */
    struct weft_net_teller
    {
        uint32_t node; /**< its number, hosts first */
        int64_t now;   /**< the instant at which it is, ps */
        bool watched;  /**< weft_net_run_node() runs it: no other is beyond that instant */
    };

    /** Whether a node is run just now, so that others lag; @p teller, which may be NULL, gets
     * which. */
    WEFT_API bool weft_net_is_telling(const struct weft_net *net, struct weft_net_teller *teller);

    /** @name Faults take effect now, before all else of this instant @{ */
    /** A link, a weft_planes_link() number, goes down or comes back. */
    WEFT_API void weft_net_set_down(struct weft_net *net, uint64_t link, bool down);
    /** As that, in one direction alone: frames that way are lost, and hosts take the whole link for
     * one that is down. */
    WEFT_API void weft_net_set_way_down(struct weft_net *net, uint64_t link,
                                        enum weft_direction way, bool down);
    /** A link, likewise, has another rate, bit/s. Returns 0 or WEFT_ERANGE: it is not above 0, or a
     * frame would cross the link, which has no delay, in less than weft_net_window(). */
    WEFT_API int weft_net_set_rate(struct weft_net *net, uint64_t link, int64_t rate);
    /** As that, in one direction alone. */
    WEFT_API int weft_net_set_way_rate(struct weft_net *net, uint64_t link, enum weft_direction way,
                                       int64_t rate);
    /** Frames that begin to cross a link from now on take @p more ps than planned, at least 0.
     * When they take less than before, the wire is held for the difference first: no frame
     * overtakes another. */
    WEFT_API void weft_net_set_way_delay(struct weft_net *net, uint64_t link,
                                         enum weft_direction way, int64_t more);
    /** Every frame that comes by a link is lost as @p losses say, or spoilt; NULL: not any more.
     * Those of several numbers work side by side. What is drawn hangs on the seed, the run, the
     * link and the direction. PFC frames are not lost. */
    WEFT_API void weft_net_set_losses(struct weft_net *net, uint64_t link, enum weft_direction way,
                                      uint64_t number, const struct weft_frame_losses *losses,
                                      bool spoils);
    /** Forwarding of a plane changes. @p fib, by the plane's own numbers, stays until the next
     * call; NULL: nothing is down there. @p whole: the plane's ToRs may do their work again. */
    WEFT_API void weft_net_set_routes(struct weft_net *net, uint32_t plane,
                                      const struct weft_fib *fib, bool whole);
    /** Whether hosts of some balancer know of links before forwarding changes
     * (weft_path_knows_at_once()). */
    WEFT_API bool weft_net_knows_at_once(const struct weft_net *net);
    /** Tells these hosts what forwarding of a plane would be; @p fib as weft_net_set_routes() has
     * it, which does not tell them. */
    WEFT_API void weft_net_tell_at_once(struct weft_net *net, uint32_t plane,
                                        const struct weft_fib *fib);
    /** The next @p count transmissions of a QP's packet, @p offset behind its first, are lost:
     * where they turn downwards, or behind the last switch. */
    WEFT_API void weft_net_drop(struct weft_net *net, struct weft_qp *qp, uint32_t offset,
                                uint32_t count, bool at_last_hop);
    /** Data is lost at random where it turns downwards. */
    WEFT_API void weft_net_lose(struct weft_net *net, double probability);
    /** @} */

    /** @name What there is; reading changes nothing @{ */
    /** The QP of that index, or NULL if that is reserved and it is yet to be made. */
    WEFT_API struct weft_qp *weft_net_qp(const struct weft_net *net, uint32_t index);
    /** Indices taken: QPs that were made, and those that are reserved. */
    WEFT_API uint32_t weft_net_nqps(const struct weft_net *net);
    /** Returns the counters of one node: hosts first, then switches. */
    WEFT_API const struct weft_net_counters *weft_net_node_counters(const struct weft_net *net,
                                                                    uint32_t node);
    /** Sums the counters of all nodes. */
    WEFT_API void weft_net_total(const struct weft_net *net, struct weft_net_counters *sum);
    /** A switch's buffer, all that has left by now given back. */
    WEFT_API const struct weft_mmu *weft_net_buffer(struct weft_net *net, uint32_t index);
    WEFT_API const struct weft_tor_counters *weft_net_tor_counters(const struct weft_net *net,
                                                                   uint32_t index);
    /** The longest queue that one of a switch's down ports, or up ports, ever had, bytes. */
    WEFT_API uint32_t weft_net_peak_queue(const struct weft_net *net, uint32_t index, bool up);
    /** ECN marks on what left by a switch's down ports, or up ports. */
    WEFT_API uint64_t weft_net_marks(const struct weft_net *net, uint32_t index, bool up);
    /** Returns what switches do, for all service levels. */
    WEFT_API const struct weft_lb_ops *weft_net_lb(const struct weft_net *net);
    /** Returns its configuration. */
    WEFT_API const void *weft_net_lb_config(const struct weft_net *net);
    /** Returns the state of a switch's balancer; NULL: another rank runs it. */
    WEFT_API void *weft_net_balancer(const struct weft_net *net, uint32_t index);
    /** Bytes that are kept of a QP besides its struct. */
    struct weft_net_qp_bytes
    {
        size_t nics;   /**< at both hosts: transport, congestion control, path part, labels */
        size_t labels; /**< of these: the sender's labels */
        size_t tor;    /**< by middleware at its receiver's ToR */
        size_t flow;   /**< by the balancer, at both ToRs */
    };

    WEFT_API void weft_net_measure_qp(const struct weft_qp *qp, struct weft_net_qp_bytes *bytes);
    /** Returns the counters of a QP's sender; NULL where another rank runs it and nothing was
     * gathered. */
    WEFT_API const struct weft_tx_counters *weft_net_tx_counters(const struct weft_qp *qp);
    /** Returns the algorithms that QPs of a service level work by, with what hosts keep for them.
     * */
    WEFT_API const struct weft_nic_algos *weft_net_algos(const struct weft_net *net,
                                                         uint32_t level);
    /** Forwarding of a plane: NULL while nothing is down there, but in graphs. */
    WEFT_API const struct weft_fib *weft_net_fib(const struct weft_net *net, uint32_t plane);
    /** Frames that were sent, or made by a ToR, and have neither ended nor come to a NIC. They are
     * counted where they are. */
    WEFT_API uint64_t weft_net_inside(const struct weft_net *net);
    /** Replies and packets of the program's own that a NIC has yet to send. */
    WEFT_API uint64_t weft_net_waiting(const struct weft_net *net, uint32_t host);
    /** When pacing lets a QP send, ps. */
    WEFT_API int64_t weft_net_send_at(const struct weft_net *net, const struct weft_qp *qp);

    /** Bytes that a fabric takes, for who wants to know before there is one. */
    struct weft_net_sizes
    {
        size_t host;      /**< with its port, without what algorithms keep there */
        size_t host_port; /**< of a host with several */
        size_t sw;        /**< without ports, buffer, balancer */
        size_t port;      /**< of a switch, without its scheduler */
        size_t lane;      /**< of a port's class */
        size_t busy_lane; /**< what it takes besides while something leaves by it */
        size_t qp;        /**< without what algorithms keep */
        size_t frame;     /**< queued or on a wire */
    };

    WEFT_API void weft_net_measure(struct weft_net_sizes *sizes);

    /** For how long something holds. */
    struct weft_net_span
    {
        int64_t sum;   /**< ps, of the times that have ended */
        int64_t since; /**< when the one began that has not; WEFT_NEVER: there is none */
    };

    /** A port as it is. */
    struct weft_net_port
    {
        int64_t rate;        /**< bit/s */
        int64_t delay;       /**< to the other end, ps */
        int64_t free_at;     /**< when the wire is, or was, free, ps */
        uint64_t frames;     /**< that it has begun to send */
        uint64_t bytes;      /**< of these, without gaps */
        int64_t busy;        /**< for how long frames and gaps take its wire, ps */
        uint32_t paused;     /**< bit c: PFC keeps class c back */
        uint32_t peak_queue; /**< the longest that its queue was, bytes; 0 of a host */
        uint64_t marks;      /**< ECN marks on what leaves by it */
        uint64_t dropped;    /**< frames for which the buffer had no room in its queue */
        struct weft_net_span paused_for; /**< PFC keeps any class back */
        struct weft_net_span down_for;   /**< the way that comes to it is down */
        struct weft_net_span lossy_for;  /**< the way that comes to it loses or spoils frames */
        bool down;                       /**< the link is down, at least in one direction */
        uint64_t lost_down;  /**< frames that came by it while the link was down, or were cut */
        uint64_t lost_lossy; /**< frames that came by it and were lost: the link is lossy */
        uint64_t corrupted;  /**< frames that came by it and were spoilt */
    };

    /** Describes a port of a node, hosts first. */
    WEFT_API void weft_net_port_status(const struct weft_net *net, uint32_t node, uint32_t port,
                                       struct weft_net_port *is);
    /** @} */

#ifdef __cplusplus
}
#endif
#endif
