/* SPDX-License-Identifier: MIT */
/** @file theory.h  Closed forms: lower bounds of collectives and pairs, Themis' memory model. */
#ifndef WEFT_THEORY_H
#define WEFT_THEORY_H

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
