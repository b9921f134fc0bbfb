/* SPDX-License-Identifier: MIT */
/**
 * @file lb.h  Load balancers.
 *
 * A balancer is up to three parts. At every switch it chooses among the live equal-cost ports of a
 * next-hop group: a switch calls pick() once for every packet that has more than one candidate
 * (weft_lb_picks()). At the hosts (path.h) it writes a label into the UDP source port of what they
 * send. Some labels work over any switch that hashes that port (`any_hash`: REPS, OPS, PLB,
 * subflow); others name a path, and only the balancer's own pick() can read them (PRIME, Host DR).
 * At the destination's ToR (tor.h) it stands between the fabric and the NIC. All parts that a
 * balancer has belong together: see needs.h.
 *
 * A balancer that must see more has arrive(), which a ToR calls for every packet, and leave(),
 * which every switch calls for data. With them it may hold packets back, make packets of its own,
 * and have deadlines.
 *
 * pick() and arrive() see packets of all kinds, and of replies (ACK, NACK, CNP) only the sport is
 * theirs to change: echo and meta are the balancer's in data and WEFT_CONTROL, but the transport's
 * in replies. In an ACK meta is the bitmap of what has arrived, and what a balancer wrote there
 * would acknowledge packets that are lost. The ns-3 module ends a run in which that happens.
 *
 * A balancer may ask another one, its part: weft_lb_find("ar") from anywhere, or the table itself
 * in roster/tables.h from a file of the core. The part's state lies behind the balancer's own, at
 * weft_lb_part_at(sizeof(struct own)) bytes:
 *  - state_size() returns that and the part's state_size(),
 *  - init() calls the part's init() on the state there,
 *  - pick() calls the part's pick() on it where it wants to know what the part would do.
 *
 * The part's configuration is its own, filled by weft_config_default(); a balancer keeps no pointer
 * to it. The site is handed on as it is, `why` included: the part's refusal becomes the whole's. A
 * part's set_routes() is called where the whole's is; it `looks` if one part does. Streams
 * of random numbers differ by balancer, so that parts do not disturb each other; of two parts of
 * one kind, one gets another seed in its site. A part with arrive() or leave() wants every call of
 * it, with the flow's state that its flow_size() asks for.
 */
#ifndef WEFT_LB_H
#define WEFT_LB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/needs.h>
#include <weft/packet.h>
#include <weft/param.h>
#include <weft/path.h>
#include <weft/ports.h>
#include <weft/refusal.h>
#include <weft/rng.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_tor_ops;

    /** The switch at which a port selector sits. */
    struct weft_site
    {
        uint64_t seed;         /**< the run's seed */
        uint64_t run;          /**< the run's number */
        uint32_t switch_index; /**< unique in the fabric: selects hash seed and random stream */
        uint32_t nports;
        uint32_t tier;     /**< 0 = ToR (leaf, edge), 1 = spine or aggregation, 2 = core; in no Clos
                                0 = a switch with hosts, 1 = any other */
        uint32_t tiers;    /**< of the fabric: 2 or 3; 0: it is no Clos */
        uint32_t up_ports; /**< width of the up group, 0 at the top */
        uint32_t npaths;   /**< equal-cost paths between hosts of different pods (leaves) */
        uint32_t tclass;   /**< traffic class of the data that it balances, 1 to 7 */
        int64_t port_rate; /**< bit/s of an up port (of a down port at the top) */
        int64_t port_buffer;          /**< bytes: the switch's buffer divided by its ports */
        const struct weft_clos *clos; /**< the fabric's shape; outlives the balancer; NULL if there
                                         is none, as in a fabric that is no Clos */
        const struct weft_port_reader *reader; /**< outlives the balancer; NULL: what it would tell
                                                  is not known */
        const struct weft_random_source *random; /**< NULL: draws come from (seed, run); else it
                                                    outlives the balancer */
        struct weft_refusal *why; /**< NULL, or where init() says why it refuses; not kept */
        uint32_t provides; /**< enum weft_need: what the simulator does for the balancer. That the
                              switch calls pick() goes without saying */
    };

    /** Fate of a packet that has entered a ToR. */
    enum weft_arrival
    {
        WEFT_ARRIVAL_FORWARD, /**< it goes on */
        WEFT_ARRIVAL_HOLD, /**< data for a host of this ToR: it gets its room in the buffer, or is
                              dropped, and waits as the last of the queue that arrive() names */
        WEFT_ARRIVAL_END,  /**< a packet of kind WEFT_CONTROL ends here */
    };

    enum weft_request_what
    {
        WEFT_REQUEST_EMIT,    /**< a packet of the balancer's own leaves */
        WEFT_REQUEST_RELEASE, /**< all packets of a queue join their port's, in the order in which
                                 they came */
    };

    /** Request of a balancer to its switch. */
    struct weft_request
    {
        enum weft_request_what what;
        uint32_t queue;            /**< RELEASE: the queue */
        struct weft_packet packet; /**< EMIT: of kind WEFT_CONTROL, with all its members; it is
                                      buffered as if it had entered at its in_port */
    };

    /** Counters of a balancer that holds or reroutes, of one switch. */
    struct weft_lb_counters
    {
        uint64_t reroutes; /**< QPs (or flowlets) that went on by another path than before, or by a
                              newly drawn one that may be the same */
        uint64_t probes;   /**< requests for a round trip sent, answered or not */
        uint64_t notices;  /**< notices of congestion sent */
        uint64_t held;     /**< packets held back to be put in order */
        uint64_t flushed;  /**< queues released because their time was over, not because what they
                              waited for had come */
        uint64_t full;     /**< packets let through out of order for want of a queue */
        uint64_t queues;   /**< most queues in use at once */
    };

    struct weft_lb_ops
    {
        struct weft_algo algo;
        /** Bytes of state for one switch, aligned as max_align_t; enough for init() to refuse. */
        size_t (*state_size)(const void *config, const struct weft_site *site);
        /** Returns 0, WEFT_EINVAL (the site lacks what this balancer needs to know, or contradicts
         * itself, or the simulator does not provide what it needs), WEFT_ENOTCLOS (it needs a Clos,
         * and the site has no tiers), WEFT_ERANGE or WEFT_ENOPATH (it cannot work at such a site,
         * or a parameter is out of its bounds). The site's `why` tells more. */
        int (*init)(void *state, const void *config, const struct weft_site *site);
        /** Returns the chosen port number. May rewrite the packet's sport (themis §3.2, three
         * tiers), and of data echo and meta. */
        uint32_t (*pick)(void *state, const struct weft_ports *ports, struct weft_packet *packet,
                         int64_t now);
        /** Optional: routing has converged after failures or repairs. @p fib: what pick()'s ports
         * come from until the next call; NULL: all is healthy. */
        void (*set_routes)(void *state, const struct weft_fib *fib);
        /** Optional: what the destination's ToR does with data and replies. */
        const struct weft_tor_ops *tor;
        /** Optional: what the hosts do with packets. */
        const struct weft_path_ops *path;
        /** Optional: what the hosts do with messages. */
        const struct weft_plan_ops *plan;
        /** pick() is called for the last live port of a group, too: packets name their path, and
         * what it names may be dead. */
        bool pick_last;
        /** The hosts' part works over any hash of the UDP source port at the switches. */
        bool any_hash;
        /** Whether it reads ports by the site's reader. */
        bool reads_ports;
        /** Members of packets that pick(), arrive() and leave() read and write. */
        struct weft_fields fields;
        /** Packets of one QP overtake each other where it has a choice. */
        bool reorders;
        /** With `reorders`: it takes paths in turn, so that in an even fabric few packets are
         * overtaken by many. */
        bool in_turn;
        /** Whether it hears of congestion by ECN marks, and by losses if its hosts' part has
         * on_lost(). */
        bool learns_from_marks;
        /** While forwarding knows of a failure it is plain ECMP, and all NACKs pass. */
        bool off_while_down;
        /** pick() never reads queue_bytes, so a switch need not bring them up to date for it. Of
         * any other balancer it does so for the candidates, whose queues pick() may read. */
        bool oblivious;
        /** Optional, where that depends on the configuration: whether pick() reads them. */
        bool (*looks)(const void *config);
        /** Optional: what pick() would return, changing nothing. A host may fetch that port's
         * memory ahead of time. May be wrong. */
        uint32_t (*peek)(const void *state, const struct weft_ports *ports,
                         const struct weft_packet *packet);

        /** Optional: bytes of state that ToRs keep for one QP between hosts of different ToRs,
         * 8-byte aligned. The source's ToR and the destination's get the same memory: each has its
         * own part of it. */
        size_t (*flow_size)(const void *config);
        /** With flow_size(): returns 0 or WEFT_ERANGE. */
        int (*flow_init)(void *flow, const void *config);
        /**
         * Optional: a packet of any kind has entered a ToR, from a NIC or from above (in_port).
         * @p flow: its QP's state, NULL where it has none. pick() follows at once if the packet
         * goes on and has a choice; the candidates are not known before. @p queue: for
         * WEFT_ARRIVAL_HOLD.
         */
        enum weft_arrival (*arrive)(void *state, void *flow, struct weft_packet *packet,
                                    uint32_t *queue, int64_t now);
        /** Optional: data starts to leave a switch, the last one included, by @p port. @p now goes
         * on for each port by itself: a simulator that works its ports off one by one may tell of
         * another one's earlier frame later, but of all before a pick() before that. */
        void (*leave)(void *state, struct weft_packet *data, uint32_t port, int64_t now);
        /** Optional: what the balancer wants done, one at a time; false: nothing more. Asked after
         * arrive() and on_deadline(), before the packet of that arrive() goes on. */
        bool (*request)(void *state, struct weft_request *request, int64_t now);
        /** Optional: when on_deadline() is due, or WEFT_NEVER. Asked after arrive() and
         * on_deadline(). */
        int64_t (*deadline)(const void *state);
        /** With deadline(): a no-op if @p now is before it. */
        void (*on_deadline)(void *state, int64_t now);
        /** Optional: what it has counted. Of all switches the sums are told. */
        const struct weft_lb_counters *(*counters)(const void *state);
    };

    /** Whether a switch calls pick(); else the packet takes the only candidate. */
    static inline bool weft_lb_picks(const struct weft_lb_ops *lb, const struct weft_ports *ports)
    {
        return ports->n > 1 || (lb->pick_last && ports->n < ports->width);
    }

    /** Whether pick() reads queue_bytes under this configuration; else they may be out of date, or
     * NULL. */
    static inline bool weft_lb_looks(const struct weft_lb_ops *lb, const void *config)
    {
        return lb->looks ? lb->looks(config) : !lb->oblivious;
    }

    /** Where the state of a part begins behind @p own bytes of state. */
    static inline size_t weft_lb_part_at(size_t own)
    {
        return (own + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    }

    /** Returns what a balancer needs of a simulator, a set of enum weft_need: by the hooks that it
     * has. */
    WEFT_API uint32_t weft_lb_needs(const struct weft_lb_ops *lb);

    /** 0 if @p provides holds all that the balancer needs but a reader; else WEFT_EINVAL, and in
     * @p why, unless that is NULL, the first of what is missing. */
    WEFT_API int weft_lb_check_needs(const struct weft_lb_ops *lb, uint32_t provides,
                                     struct weft_refusal *why);

    /** The balancer of that name, or NULL (also of NULL). */
    WEFT_API const struct weft_lb_ops *weft_lb_find(const char *name);

    /**
     * A 32-bit hash of the 5-tuple (src, dst, UDP source port; the destination port and the
     * protocol are RoCEv2's constants) under a switch's own seed, so that tiers do not polarise.
     */
    WEFT_API uint32_t weft_ecmp_hash(const struct weft_packet *packet, uint64_t switch_seed);

    /**
     * A *linear* hash over GF(2): h(a XOR b) = h(a) XOR h(b) up to the seed's constant, as in
     * commodity switches (Zhang et al., ATC'21). Themis' PathMap rests on it. Of @p switch_seed,
     * bits 40-63 choose the map, bits 32-36 by how many bits its result is rotated (8 per tier, so
     * that tiers use different bits), and bits 0-31 are the constant.
     */
    WEFT_API uint32_t weft_ecmp_hash_linear(const struct weft_packet *packet, uint64_t switch_seed);

#ifdef __cplusplus
}
#endif
#endif
