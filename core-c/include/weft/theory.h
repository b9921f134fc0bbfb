/* SPDX-License-Identifier: MIT */
/** @file theory.h  Closed forms: lower bounds of collectives and pairs, what a fabric with failures
 * can serve, Themis' memory model. */
#ifndef WEFT_THEORY_H
#define WEFT_THEORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** What the bounds need to know of frames and links. Sizes in bytes, rate in bit/s, times in
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
    };

    /** Packets of a message. */
    uint64_t weft_packets(uint64_t bytes, int64_t payload);

    /** ps that @p bytes take on a wire of @p rate, rounded up. */
    int64_t weft_wire_time(int64_t bytes, int64_t rate);

    /** One-way time of a lone full packet: every link's serialization (store-and-forward) and
     * propagation. */
    int64_t weft_one_way(const struct weft_wire *w);

    /** Ring allreduce among n ranks of @p bytes each: 2(n-1) steps of ceil(bytes/n); time to the
     * last delivery with each step on one path, as weft_message_fifo(). Where a step ends in a
     * short frame, spraying can be faster by less than a slot per step. */
    int64_t weft_allreduce_ring_bound(const struct weft_wire *w, uint32_t ranks, uint64_t bytes);

    /** Direct all-to-all, @p bytes per rank in total (bytes/n to each peer): time to the last
     * delivery. */
    int64_t weft_alltoall_bound(const struct weft_wire *w, uint32_t ranks, uint64_t bytes);

    /** A single message in an idle fabric: the least time to its last delivery, whichever paths its
     * frames take. Bounds that do not fit 63 bits are WEFT_NEVER; none is less than 0. */
    int64_t weft_message_bound(const struct weft_wire *w, uint64_t bytes);

    /** The same where all frames take one path: equal for full frames; a short last one comes up to
     * a slot (frame and gap) later. */
    int64_t weft_message_fifo(const struct weft_wire *w, uint64_t bytes);

    /**
     * Two hosts exchange m packets both ways, one ACK per packet sharing the wire with data: the
     * time of the last ACK (ofan App. B; its second constraint read as t_i(2) = t_{i-(i1-1)} + T_p
     * + (H-1) T_a). For m >= i1 two lone hosts can end one gap (200 ps there) before it.
     */
    int64_t weft_permutation_bound(const struct weft_wire *w, uint64_t m);

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

    struct weft_rho
    {
        double share;  /**< rho_max as a share of the hosts' line rate, in (0, 1] */
        uint64_t lost; /**< flows that have no live path; they do not count */
    };

    /** Bytes that weft_rho_max() needs for @p n flows; negative: WEFT_EOVERFLOW. */
    int64_t weft_rho_size(const struct weft_clos *clos, size_t n);

    /**
     * rho_max (ofan App. A): the rate at which hosts may send so that no link gets more than it can
     * carry if every flow is split evenly. Each flow is a unit; the fullest link and direction says
     * how much a unit may be, and the share is what the busiest sender's units come to. It is 1 if
     * no link is slower than that sender's own, as in a healthy all-to-all.
     * @p fib: the links that are down (weights do not matter); NULL: none. @p memory: 8-byte
     * aligned. Returns 0, WEFT_ERANGE (there is no such host) or WEFT_EOVERFLOW (too little
     * memory).
     */
    int weft_rho_max(void *memory, size_t size, const struct weft_clos *clos,
                     const struct weft_fib *fib, const struct weft_flow *flows, size_t n,
                     enum weft_split split, struct weft_rho *out);

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
    uint32_t weft_themis_ring_entries(int64_t rate, int64_t rtt, uint32_t factor_milli,
                                      int64_t mtu);

    /** Eq. 4, bytes per ToR. The paper's example is 192,512. */
    uint64_t weft_themis_memory_bytes(const struct weft_themis_memory *m);

#ifdef __cplusplus
}
#endif
#endif
