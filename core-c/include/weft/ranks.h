/* SPDX-License-Identifier: MIT */
/**
 * @file ranks.h  Several processes run one fabric, each of them (a rank, the term of MPI) some of
 * its nodes.
 *
 * Every rank makes the fabric from the same configuration, but for the rank's own number in its
 * `ranks`, makes the same calls in the same order, and runs its own nodes: ToRs and what lies above
 * them in ranges, hosts with their ToR. It makes no others, and of QPs only the ends that are at
 * its hosts; of all of them it has struct weft_qp. Whatever one tells another is told once for each
 * window, by a function that the caller provides: the core knows nothing of MPI. All ranks run the
 * same build on machines of one kind. Memory is taken in rows for all nodes all the same; what is
 * of nodes that are not made is never touched, so that a system that gives memory when it is
 * touched gives none.
 *
 * weft_net_make() is followed by weft_net_set_threads(), also for one thread. What happens is the
 * same with any number of ranks. Hooks are called on the rank of their node, and may ask for
 * something at hosts of that rank alone (weft_net_is_here()); no node is watched. What is asked for
 * outside of hooks is asked for on all ranks. A QP that a hook of its sender makes, with a reserved
 * index, is there on other ranks when its window is over. What is read of a host, a switch or an
 * end of a QP is on its rank; that of switches and QPs also on rank 0, as it was last gathered.
 */
#ifndef WEFT_RANKS_H
#define WEFT_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_net;

#define WEFT_NET_RANKS 128U /**< the most ranks */

    /** Bytes that one rank has for another one. */
    struct weft_parcel
    {
        const void *bytes;
        size_t n;
    };

    /** Ranks: what one knows of the others, and how it talks to them. */
    struct weft_ranks
    {
        void *of; /**< handed to exchange() */
        uint32_t rank;
        uint32_t n; /**< how many there are, 1 to WEFT_NET_RANKS */
        /** Sends out[r] to each other rank r and sets in[r] to what that one sends here, which
         * stays until the next call. All ranks call it equally often. It returns only if all is
         * well. */
        void (*exchange)(void *of, const struct weft_parcel *out, struct weft_parcel *in);
    };

    /** News that a program on all ranks tells its others at the end of each window. */
    struct weft_net_news
    {
        void *of; /**< handed to both */
        /** Returns what is new here; it stays until the call is over. */
        struct weft_parcel (*tell)(void *of);
        /** Hears what is new at a rank: called for each rank that has something to tell, its own
         * included, in the same order everywhere. Returns whether it may have asked for something
         * to happen, on any rank, and is the same on all. */
        bool (*hear)(void *of, uint32_t rank, struct weft_parcel news);
    };

    /** A program is to be asked for news, and hears them; copied. */
    WEFT_API void weft_net_set_news(struct weft_net *net, const struct weft_net_news *news);
    /** Whether this rank runs a node: hosts first, then switches. */
    WEFT_API bool weft_net_is_here(const struct weft_net *net, uint32_t node);

    /** Subjects of weft_net_gather(). */
    enum weft_gather
    {
        WEFT_GATHER_TOTAL = 1, /**< weft_net_total() */
        WEFT_GATHER_NODES =
            2,               /**< that, nodes' counters and ports, switches' buffers, reordering */
        WEFT_GATHER_QPS = 4, /**< what struct weft_qp has, and the transport's counters */
    };

    /** Rank 0 gets what the others have, so that it can be read there: @p what, of enum
     * weft_gather. States of algorithms stay where they are. All ranks call it; with one rank it
     * does nothing. */
    WEFT_API void weft_net_gather(struct weft_net *net, unsigned what);
    /** Adds up on rank 0 what all ranks have in a row of words. All ranks call it. */
    WEFT_API void weft_net_sum(struct weft_net *net, uint64_t *words, size_t n);

#ifdef __cplusplus
}
#endif
#endif
