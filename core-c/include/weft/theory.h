/* SPDX-License-Identifier: MIT */
/**
 * @file theory.h  Closed forms: lower bounds of collectives and pairs, what a fabric with failures
 * can serve, a sprayed fabric with a dead link, Themis' memory model, and OFAN's models of
 * collisions, queues and packet sizes.
 */
#ifndef WEFT_THEORY_H
#define WEFT_THEORY_H

#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>
#include <weft/wire-time.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Frames and links, as the bounds need to know them. Sizes in bytes, rate in bit/s, times in
     * ps. */
    struct weft_wire
    {
        int64_t payload; /**< of a full data packet */
        int64_t header;
        int64_t gap; /**< preamble and inter-frame gap */
        int64_t ack; /**< an ACK frame in all */
        int64_t rate;
        int64_t delay;  /**< propagation per link */
        uint32_t links; /**< on the path */
        uint32_t ports; /**< of each host, side by side, whose wires are all like this one, as those
                           of planes; 0: one. Bounds of last ACKs are of one. */
    };

    /** Returns the bytes of a message on the port that has most of it, where all ports share its
     * packets evenly. */
    WEFT_API uint64_t weft_port_bytes(const struct weft_wire *w, uint64_t bytes);

    /** One-way time of a lone full packet: every link's serialization (store-and-forward) and
     * propagation. */
    WEFT_API int64_t weft_one_way(const struct weft_wire *w);

    /** Ring allreduce among n ranks of @p bytes each: 2(n-1) steps of ceil(bytes/n); time to the
     * last delivery with each step on one path, as weft_message_fifo(). Where a step ends in a
     * short frame, spraying can be faster by less than a slot per step. */
    WEFT_API int64_t weft_allreduce_ring_bound(const struct weft_wire *w, uint32_t ranks,
                                               uint64_t bytes);

    /** Direct all-to-all, @p bytes per rank in total (bytes/n to each peer): time to the last
     * delivery. */
    WEFT_API int64_t weft_alltoall_bound(const struct weft_wire *w, uint32_t ranks, uint64_t bytes);

    /** Incast: each of @p senders sends @p bytes to one host; time to the last delivery. The wire
     * into that host carries them all once the first frame has come to it. Paths may have different
     * lengths; @c links is the shortest one's. */
    WEFT_API int64_t weft_incast_bound(const struct weft_wire *w, uint32_t senders, uint64_t bytes);

    /** Returns the ps that an ACK takes from receiver to sender on an idle fabric. */
    WEFT_API int64_t weft_ack_way(const struct weft_wire *w);

    /** A single message in an idle fabric: the least time to its last delivery, whichever paths its
     * frames take. Bounds that do not fit 63 bits are WEFT_NEVER; none is less than 0. */
    WEFT_API int64_t weft_message_bound(const struct weft_wire *w, uint64_t bytes);

    /** Returns the same bound where all frames take one path: equal for full frames; a short last
     * one comes up to a slot (frame and gap) later. Rounded up once; a run may round up at each
     * link. */
    WEFT_API int64_t weft_message_fifo(const struct weft_wire *w, uint64_t bytes);

    /** Link of a path. */
    struct weft_hop
    {
        int64_t rate;  /**< bit/s, > 0 */
        int64_t delay; /**< propagation, ps */
    };

    /** weft_message_fifo() where a path's links need not be alike: the ideal flow completion time.
     * @p hops: the w->links links in their order; w->rate and w->delay do not count. Exact where
     * rates make frames take whole ps; else a run may round up by a ps at each link. */
    WEFT_API int64_t weft_message_path(const struct weft_wire *w, const struct weft_hop *hops,
                                       uint64_t bytes);

    /**
     * Two hosts exchange m packets both ways, one ACK per packet sharing the wire with data: the
     * time of the last ACK (ofan App. B; its second constraint read as t_i(2) = t_{i-(i1-1)} + T_p
     * + (H-1) T_a). For m >= i1 two lone hosts can end one gap (200 ps there) before it.
     */
    WEFT_API int64_t weft_permutation_bound(const struct weft_wire *w, uint64_t m);

    /**
     * Returns that bound where hosts send data at @p pace bit/s (rho times the rate; gaps
     * included), a data packet starting a slot of that rate after the one before it, and reply at
     * line rate. A true bound for NICs that let data and ACKs take turns: the wire must carry all
     * of both, and data that waits for its turn or its slot cannot be answered. With pace = rate
     * the number above, less that gap: what two lone hosts reach.
     */
    WEFT_API int64_t weft_permutation_paced_bound(const struct weft_wire *w, uint64_t m,
                                                  int64_t pace);

    /**
     * @p messages equal ones of @p bytes that leave one host at @p pace bit/s (at most the rate):
     * least time of the last ACK if ACKs take no wire from data: the last packet is answered when
     * it arrives. For an exchange 1 message, for an all-to-all one per peer.
     */
    WEFT_API int64_t weft_answered_bound(const struct weft_wire *w, uint32_t messages,
                                         uint64_t bytes, int64_t pace);

    /**
     * Direct all-to-all among n ranks, @p bytes for each peer, sent at @p pace bit/s (at most the
     * rate) and one ACK per packet on the same wires: least time of the last ACK, whichever paths
     * and orders frames take (ofan §5). All hosts are @c links apart; where some are closer, a
     * bound needs the links of the closest.
     */
    WEFT_API int64_t weft_alltoall_acked_bound(const struct weft_wire *w, uint32_t ranks,
                                               uint64_t bytes, int64_t pace);

    struct weft_clos;
    struct weft_fib;

    struct weft_flow
    {
        uint32_t src; /**< host */
        uint32_t dst; /**< another one */
    };

    /** How a flow divides where several ways are live. */
    enum weft_split
    {
        WEFT_SPLIT_PATH, /**< evenly over its live paths, as the text has it; so does W-ECMP */
        WEFT_SPLIT_HOP,  /**< at each switch evenly over the ports that lead to it */
    };

    /** A link that is slower than planned. */
    struct weft_slow_link
    {
        uint64_t link; /**< number of weft_clos_link() */
        int64_t rate;  /**< bit/s, > 0 */
    };

    /** Links of a plane that are not as planned. */
    struct weft_rho_plane
    {
        const struct weft_fib *fib; /**< the links that are down (weights do not matter); NULL: none
                                     */
        const struct weft_slow_link *slow; /**< they get what they would get otherwise */
        size_t nslow;
    };

    struct weft_rho
    {
        double share;  /**< rho_max as a share of the hosts' line rate, in (0, 1] */
        uint64_t lost; /**< flows that have no live path; they do not count */
    };

    /** Bytes that weft_rho_max() needs for @p n flows; negative: WEFT_EOVERFLOW. */
    WEFT_API int64_t weft_rho_size(const struct weft_clos *clos, size_t n);

    /**
     * rho_max (ofan App. A): the rate at which hosts may send so that no link gets more than it can
     * carry if every flow is split evenly. Each flow is a unit; the fullest link and direction says
     * how much a unit may be, and the share is what the busiest sender's units come to, of all its
     * ports, dead or alive. It is 1 if no link is slower than that sender's ports, as in a healthy
     * all-to-all.
     * A flow of which k of P planes lead, by as many paths each, puts 1/k on a port of its host,
     * and gets k/P of the rate; by path, planes get as much of it as they have of its live paths.
     * In a graph a flow is split over its shortest paths, or at each switch over its candidates.
     * @p planes: [clos->planes]. @p memory: 8-byte aligned. Returns 0, WEFT_ERANGE (there is no
     * such host, no such link, or a rate is below 1) or WEFT_EOVERFLOW (too little memory).
     */
    WEFT_API int weft_rho_max(void *memory, size_t size, const struct weft_clos *clos,
                              const struct weft_rho_plane *planes, const struct weft_flow *flows,
                              size_t n, enum weft_split split, struct weft_rho *out);

    /** A leaf-spine in which links between one leaf and one spine are dead, and not all of them
     * (ethereal §2.2). */
    struct weft_dead_links
    {
        uint32_t leaves;   /**< at least 2 */
        uint32_t spines;   /**< at least 1 */
        uint32_t hosts;    /**< per leaf, at least 1 */
        uint32_t parallel; /**< links between each leaf and each spine, at least 1 */
        uint32_t dead;     /**< of those between one leaf and one spine; below parallel */
        double speed;      /**< rate of these links over that of a host's, > 0 */
    };

    /** Paths from another leaf's hosts to that leaf, one for each uplink. */
    WEFT_API uint64_t weft_sprayed_paths(const struct weft_dead_links *d);

    /** How many of these meet on the links that are left: two where two links are parallel. All
     * that tells a sprayer of the congestion comes from these. */
    WEFT_API uint64_t weft_congested_paths(const struct weft_dead_links *d);

    /**
     * Returns what each link that is left would have to carry, over its rate, while that leaf's
     * hosts are sent as much as their own links can take, all of it from other leaves and sprayed
     * evenly over the paths: hosts / (spines (parallel - dead) speed). With two parallel links and
     * no oversubscription 2. Infinite if no link is left.
     */
    WEFT_API double weft_sprayed_load(const struct weft_dead_links *d);

    /** By what an all-to-all sprayed like that takes longer than hosts' links need for it: at least
     * 1. With H of N hosts at a leaf these send it a share (N - H) / (N - 1) of what it gets. */
    WEFT_API double weft_sprayed_alltoall(const struct weft_dead_links *d);

    /** Returns that time where each spine gets what its links into the leaf can carry, as under
     * W-ECMP or if senders leave congested paths. */
    WEFT_API double weft_weighted_alltoall(const struct weft_dead_links *d);

    /** Themis' memory (themis §4). */
    struct weft_themis_memory
    {
        uint64_t npaths;
        int64_t rate;          /**< last hop, bit/s */
        int64_t rtt;           /**< last hop, ps */
        uint64_t nics;         /**< per ToR */
        uint64_t qps;          /**< cross-rack QPs per NIC */
        int64_t mtu;           /**< bytes */
        uint32_t factor_milli; /**< F times 1000: 1500 for 1.5 */
        uint32_t entry_bytes;  /**< 1 in the paper */
    };

    /** Entries of a QP's ring: ceil(BW * RTT * F / MTU), in integers. 0 if it does not fit 32 bits.
     */
    WEFT_API uint32_t weft_themis_ring_entries(int64_t rate, int64_t rtt, uint32_t factor_milli,
                                               int64_t mtu);

    /** Eq. 4, bytes per ToR. The paper's example is 192,512. */
    WEFT_API uint64_t weft_themis_memory_bytes(const struct weft_themis_memory *m);

    /*
     * Theorem 1 (ofan App. C): a random permutation over a three-tier fat-tree of even degree k >=
     * 4, n = k^3/4 hosts. Flows that switch balancers keep on one path, by accident, collide where
     * two of them go down to the same edge switch from the same aggregation switch.
     */

    /** Eqs. 7, 8: probability that no flow of an edge switch stays within it. */
    WEFT_API double weft_all_northbound(uint32_t k);

    /** Eq. 9: that all flows of an edge switch go to one other edge switch. */
    WEFT_API double weft_all_to_one_edge(uint32_t k);

    /** Eq. 10: that an edge switch is red: the first and not the second. */
    WEFT_API double weft_red_edge(uint32_t k);

    /** Eq. 13: that no flow of the edge switch ends a packet within a gap of a given flow's; under
     * JSQ that one is then bound to its port. @p gap_share: T_IPG / T_SERVICE (Eqs. 11, 12). */
    WEFT_API double weft_safe_flow(uint32_t k, double gap_share);

    /** Eqs. 14-19: expected pairs of flows that collide. @p safe: weft_safe_flow() for JSQ, 1 for
     * simple round-robin. Counts pairs from the same edge switch too, which never share an
     * aggregation switch. */
    WEFT_API double weft_colliding_pairs(uint32_t k, double safe);

    /** Returns that expectation without pairs from the same edge switch: what a simulation can
     * count. */
    WEFT_API double weft_colliding_pairs_across(uint32_t k, double safe);

    /** Theorem 2, Eq. 21 with the root over m: packets queued at an uplink of an edge switch
     * without internal traffic, when each host has sent @p m and each took a random port. */
    WEFT_API double weft_random_spray_queue(uint32_t k, double m);

    /*
     * Theorems 3 and 4: the N*D/D/1 queue. N sources send a packet every D slots each, with
     * independent uniform phases; a slot serves one. N <= D: else the queue grows for ever.
     */

    /** Probability that the unfinished work, in slots, is above @p x at any time; of an integer x:
     * that more than x packets are there, the one in service included (Roberts & Virtamo 1991). */
    WEFT_API double weft_periodic_tail(uint32_t sources, double period, double x);

    /** Mean packets, the one in service included; infinite if sources > period. */
    WEFT_API double weft_periodic_queue(uint32_t sources, double period);

    /** Returns the Gaussian approximation of that mean, the supremum of a Brownian bridge with
     * drift; for sources that need not be a whole number. */
    WEFT_API double weft_periodic_queue_bridge(double sources, double period);

    /** A cruder one (App. E's words): a normal distribution of the mean and the variance that sent
     * less served has after half a period, cut off at 0. */
    WEFT_API double weft_periodic_queue_truncated(double sources, double period);

    /** ofan §8.2: packets of a flow that can arrive while another of it waits in @p hops queues of
     * @p packets each. @p share: the flow's rate over the links' (1 in a permutation). */
    WEFT_API double weft_worst_reordering(uint32_t hops, double packets, double share);

    /** Eq. 25: flows of an edge switch that leave it. Each loads an uplink every k/2 slots. */
    WEFT_API double weft_host_dr_edge_flows(uint32_t k);

    /** Eq. 26: flows of a pod that leave it. Each loads a core link every k^2/4 slots. */
    WEFT_API double weft_host_dr_pod_flows(uint32_t k);

    /** F.3: pointers that an edge switch uses under OFAN, about k/2 - 1/4; an aggregation switch
     * uses up to k - 1. */
    WEFT_API double weft_ofan_edge_flows(uint32_t k);

    /** Pointers per size class (F.2, F.4). */
    struct weft_pointers
    {
        uint64_t simple_rr;        /**< per next-hop group of a switch */
        uint64_t ofan_edge;        /**< an edge switch: one for each other edge switch */
        uint64_t ofan_aggregation; /**< an aggregation switch: one for each other pod */
        uint64_t host_dr;          /**< a host: one for each other host */
        uint64_t host_dr_downlink; /**< rotations that meet at an aggregation switch on the way
                                      down: its pod's hosts; under OFAN ofan_aggregation */
    };

    /** For a fat-tree of degree @p k <= 2^20. */
    WEFT_API void weft_pointer_counts(uint32_t k, struct weft_pointers *out);

    /*
     * Theorem 5 (ofan §8.1, App. G): sending D bytes with a header of H bytes per packet (gap
     * included: 82 B) through queues of alpha packets (10).
     */

    /** Eq. 5: the payload of least cost, in bytes. */
    WEFT_API double weft_best_payload(double bytes, double header, double alpha);

    /** Eq. 29: the completion time without the idle round trip, in bytes of wire time. */
    WEFT_API double weft_message_cost(double bytes, double header, double alpha, double payload);

    /** Returns the same cost through queues of beta sqrt(packets), as random spraying makes them.
     * */
    WEFT_API double weft_message_cost_sqrt(double bytes, double header, double beta,
                                           double payload);

    /** Returns the payload of least cost there: (2 H / beta)^(2/3) D^(1/3) for large D. */
    WEFT_API double weft_best_payload_sqrt(double bytes, double header, double beta);

#ifdef __cplusplus
}
#endif
#endif
