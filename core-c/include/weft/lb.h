/* SPDX-License-Identifier: MIT */
/**
 * @file lb.h  Load balancers.
 *
 * A port selector sits at a switch and chooses among the live equal-cost ports of a next-hop
 * group. A switch calls pick() once for every packet that has more than one candidate. A path
 * selector sits at the hosts and chooses the UDP source port of what they send, on which its pick()
 * hashes.
 */
#ifndef WEFT_LB_H
#define WEFT_LB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/packet.h>
#include <weft/param.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_clos;
    struct weft_fib;

    /**
     * The candidates: live ports of one next-hop group, in a fixed order. n >= 1. Under W-ECMP a
     * port occurs as often as its weight says, interleaved, as in a switch's own table: round r
     * holds the ports of weight >= r, ascending. Read them by weft_port_at().
     */
    struct weft_ports
    {
        /** Bytes queued at every port of the switch (index: port), the frame in service included.
         */
        const uint32_t *queue_bytes;
        const uint16_t *list; /**< the candidates; NULL: first, first+1, ... */
        uint16_t first;       /**< the group's first port, dead or alive */
        uint16_t n;           /**< candidates: live ports, each counted by its weight */
        uint16_t width;       /**< ports of the group when healthy */
        /** The first `even` candidates are the list's first `round` ports, over and over; the
         * others follow them. Of no meaning without a list; both 0: it is just a list. */
        uint16_t round;
        uint16_t even;
    };

    /** The i-th candidate's port number. i < n. */
    static inline uint32_t weft_port_at(const struct weft_ports *ports, uint32_t i)
    {
        if (ports->list == NULL)
        {
            return (uint32_t)ports->first + i;
        }
        return ports->list[i < ports->even ? i % ports->round : i - ports->even + ports->round];
    }

    /** The switch at which a port selector sits. */
    struct weft_site
    {
        uint64_t seed;         /**< the run's seed */
        uint64_t run;          /**< the run's number */
        uint32_t switch_index; /**< unique in the fabric: selects hash seed and random stream */
        uint32_t nports;
        uint32_t tier;       /**< 0 = ToR (leaf, edge), 1 = spine or aggregation, 2 = core */
        uint32_t tiers;      /**< of the fabric: 2 or 3 */
        uint32_t up_ports;   /**< width of the up group, 0 at the top */
        uint32_t npaths;     /**< equal-cost paths between hosts of different pods (leaves) */
        int64_t port_rate;   /**< bit/s of an up port (of a down port at the top) */
        int64_t port_buffer; /**< bytes: the switch's buffer divided by its ports */
        const struct weft_clos *clos; /**< the fabric's shape; outlives the balancer; NULL if there
                                         is none, as in a fabric that is no Clos */
    };

    enum weft_lb_kind
    {
        WEFT_LB_PORT, /**< at every switch */
        WEFT_LB_PATH, /**< at the hosts; its switches do what pick() says */
        WEFT_LB_PLAN, /**< plans a batch of messages */
        WEFT_LB_TOR,  /**< a pair of ToRs */
    };

    struct weft_tor_ops;

    /** The host at which a path selector sits. */
    struct weft_path_site
    {
        uint64_t seed;                /**< the run's seed */
        uint64_t run;                 /**< the run's number */
        uint32_t host;                /**< its index */
        const struct weft_clos *clos; /**< the fabric's shape; outlives the balancer */
        /** For qp_init(): packets that make up the QP's own bandwidth-delay product, rounded up:
         * its share of the host's line (1/n, where the host starts with n QPs) times a packet's
         * round trip in an idle fabric. >= 1. */
        uint32_t qp_bdp;
    };

    /**
     * A path selector's part at the hosts. Every packet comes with its QP's own source port, the
     * same in every packet of a QP in both directions. States are aligned as uint64_t. A QP's may
     * point to its host's, which must not be moved then.
     */
    struct weft_path_ops
    {
        /** Bytes of state for one host. May be 0. */
        size_t (*host_size)(const void *config, const struct weft_path_site *site);
        /** Returns 0, WEFT_EINVAL (the site lacks what this balancer needs to know) or WEFT_ERANGE
         * (it cannot work in such a fabric). */
        int (*host_init)(void *host, const void *config, const struct weft_path_site *site);
        /** Bytes of state for one QP at its sender. May be 0. */
        size_t (*qp_size)(const void *config);
        /** @p host: the sender's, for the QP to keep if it needs it. @p qp_index: unique in the
         * run. Returns 0, WEFT_EINVAL (there is no host) or WEFT_ERANGE (a parameter out of its
         * bounds, as in a configuration without its defaults). */
        int (*qp_init)(void *qp, void *host, const void *config, const struct weft_path_site *site,
                       uint32_t qp_index);
        /** A data packet, first transmission or not, leaves its sender: chooses its sport. */
        void (*data)(void *qp, struct weft_packet *data, int64_t now);
        /** The receiver's host makes a reply (ACK, NACK or CNP): chooses its sport. */
        void (*reply)(void *host, struct weft_packet *reply);
        /** Optional: an ACK or a NACK has come back. Its echo is the sport of the packet that it
         * answers, WEFT_F_ECE whether that was marked. */
        void (*on_reply)(void *qp, const struct weft_packet *reply, int64_t now);
        /** Optional: the QP's retransmission timer fired. */
        void (*on_timeout)(void *qp, int64_t now);
        /** Optional: routing has converged; as in struct weft_lb_ops. */
        void (*set_routes)(void *host, const struct weft_fib *fib);
    };

    struct weft_lb_ops
    {
        struct weft_algo algo;
        enum weft_lb_kind kind;
        /** Bytes of state for one switch, aligned as max_align_t; enough for init() to refuse. */
        size_t (*state_size)(const void *config, const struct weft_site *site);
        /** Returns 0, WEFT_EINVAL (the site lacks what this balancer needs to know, or contradicts
         * itself), WEFT_ERANGE or WEFT_ENOPATH (it cannot work at such a site, or a parameter is
         * out of its bounds). */
        int (*init)(void *state, const void *config, const struct weft_site *site);
        /** Returns the chosen port number. May rewrite the packet's sport (themis §3.2, three
         * tiers). */
        uint32_t (*pick)(void *state, const struct weft_ports *ports, struct weft_packet *packet,
                         int64_t now);
        /** Optional: routing has converged after failures or repairs. @p fib: what pick()'s ports
         * come from until the next call; NULL: all is healthy. */
        void (*set_routes)(void *state, const struct weft_fib *fib);
        /** WEFT_LB_TOR: what the destination's ToR does with data and replies; else NULL. */
        const struct weft_tor_ops *tor;
        /** Optional: why init() has just failed on this state, in words; NULL if that is unknown.
         */
        const char *(*refusal)(const void *state);
        /** WEFT_LB_PATH: what the hosts do; else NULL. */
        const struct weft_path_ops *path;
        /** pick() never reads queue_bytes, so a switch need not bring them up to date for it. */
        bool oblivious;
        /** Optional: what pick() would return, changing nothing. A host may fetch that port's
         * memory ahead of time. May be wrong. */
        uint32_t (*peek)(const void *state, const struct weft_ports *ports,
                         const struct weft_packet *packet);
    };

    /** The balancer of that name, or NULL. */
    const struct weft_lb_ops *weft_lb_find(const char *name);

    /**
     * A 32-bit hash of the 5-tuple (src, dst, UDP source port; the destination port and the
     * protocol are RoCEv2's constants) under a switch's own seed, so that tiers do not polarise.
     */
    uint32_t weft_ecmp_hash(const struct weft_packet *packet, uint64_t switch_seed);

    /**
     * A *linear* hash over GF(2): h(a XOR b) = h(a) XOR h(b) up to the seed's constant, as in
     * commodity switches (Zhang et al., ATC'21). Themis' PathMap rests on it. Of @p switch_seed,
     * bits 40-63 choose the map, bits 32-36 by how many bits its result is rotated (8 per tier, so
     * that tiers use different bits), and bits 0-31 are the constant.
     */
    uint32_t weft_ecmp_hash_linear(const struct weft_packet *packet, uint64_t switch_seed);

#ifdef __cplusplus
}
#endif
#endif
