/* SPDX-License-Identifier: MIT */
/**
 * @file multipart.h  Multi-part entropy (prime §III-D): a UDP source port that names, tier by tier,
 * the up port that a packet takes, how a sender goes through all of them (Alg. 2), and how the
 * switches read it. Private.
 *
 * The lowest tier's part lies in the lowest bits. A part has as many bits as the number of a port
 * needs, also where that number of ports is no power of two. Where hosts have several ports, the
 * lowest part of all is the host's port: a path is that of a plane, and packets go over the planes
 * as over paths. Downwards a packet has no choice but
 * among parallel links, and takes the one that corresponds to its way up.
 */
#ifndef WEFT_LB_MULTIPART_H
#define WEFT_LB_MULTIPART_H

#include <stddef.h>
#include <stdint.h>

#include <weft/lb.h>
#include <weft/rng.h>

#include "lb/sprayed.h"

#ifdef __cplusplus
extern "C"
{
#endif

/** Most parts. A Clos of three tiers has two, and hosts with several ports are one more. */
#define WEFT_PARTS 3

/** No path. */
#define WEFT_NO_PATH UINT32_MAX

    /** How an entropy is divided. Paths are numbered in mixed radix, the lowest part first. */
    struct weft_parts
    {
        uint16_t ports[WEFT_PARTS];    /**< up ports of a switch of that tier */
        uint8_t shift[WEFT_PARTS + 1]; /**< bits below the part; [n]: bits in all, at most 16 */
        uint8_t n;
        bool names_port; /**< the lowest one is the host's port */
    };

    /** Entropy: a label, and the path that it takes. */
    struct weft_entropy
    {
        uint32_t path; /**< its number */
        uint16_t label;
    };

    /** Divides an entropy for @p n <= WEFT_PARTS tiers of @p ports up ports each. Returns 0, or
     * WEFT_ERANGE: a tier has none, or all need more than 16 bits. */
    int weft_parts_init(struct weft_parts *parts, const uint32_t *ports, uint32_t n);

    /** The parts that a packet needs from a QP's host to its receiver: none below one ToR, one in a
     * pod. Returns 0, WEFT_ENOTCLOS, WEFT_EINVAL (no such host) or WEFT_ERANGE, and why; then there
     * are none. */
    int weft_parts_between(struct weft_parts *parts, const struct weft_path_site *site);

    /** The parts of a packet that crosses the whole fabric; errors likewise. */
    int weft_parts_across(struct weft_parts *parts, const struct weft_path_site *site);

    /** How many paths there are. */
    uint32_t weft_parts_paths(const struct weft_parts *parts);

    /** How many values the parts' permutations hold. */
    uint32_t weft_parts_values(const struct weft_parts *parts);

    /** The value of part @p i of a label. */
    static inline uint32_t weft_part_of(const struct weft_parts *parts, uint32_t i, uint32_t label)
    {
        const uint32_t bits = (uint32_t)parts->shift[i + 1] - parts->shift[i];
        return label >> parts->shift[i] & ((UINT32_C(1) << bits) - 1);
    }

    /** Has data leave its host by the port that its label names. */
    static inline void weft_parts_ask_port(const struct weft_parts *parts, struct weft_packet *data)
    {
        data->in_port = parts->names_port ? (uint16_t)(1 + weft_part_of(parts, 0, data->sport)) : 0;
    }

    /** The number of a label's path; WEFT_NO_PATH if it names none. */
    uint32_t weft_parts_path(const struct weft_parts *parts, uint16_t label);

    /** The label of path number @p path < weft_parts_paths(). */
    uint16_t weft_parts_label(const struct weft_parts *parts, uint32_t path);

    /** Alg. 2: one permutation of its ports and one counter for each part. The permutations lie
     * where the caller has them, one after the other. */
    struct weft_multipart
    {
        struct weft_rng rng;
        struct weft_entropy above; /**< the next entropy, less its lowest part */
        struct weft_parts parts;
        uint16_t counter[WEFT_PARTS];
    };

    /** Begins with permutations drawn from m->rng, all counters at 0. @p order:
     * weft_parts_values() of them. */
    void weft_multipart_begin(struct weft_multipart *m, const struct weft_parts *parts,
                              uint16_t *order);

    /** The lowest part has come to its end: it is shuffled, and the next part's counter steps,
     * which may have come to its end as well. */
    void weft_multipart_wrap(struct weft_multipart *m, uint16_t *order);

    /** The next entropy. */
    static inline struct weft_entropy weft_multipart_next(struct weft_multipart *m, uint16_t *order)
    {
        struct weft_entropy next = m->above;
        if (m->parts.n > 0)
        {
            const uint16_t port = order[m->counter[0]++];
            next.path += port;
            next.label |= port;
            if (m->counter[0] == m->parts.ports[0])
            {
                weft_multipart_wrap(m, order);
            }
        }
        return next;
    }

    /** How a switch forwards a packet that names a port which does not lead to its receiver. */
    enum weft_dead_port
    {
        WEFT_DEAD_PORT_HASH,   /**< that packet is hashed, as under ECMP; others stay */
        WEFT_DEAD_PORT_MODULO, /**< the group has shrunk, and all packets index what is left */
    };

    /** Beginning of the configuration of a balancer of this kind. */
    struct weft_multipart_config
    {
        int64_t replies;   /**< enum weft_replies */
        int64_t dead_port; /**< enum weft_dead_port */
    };

/** Parameters of that configuration. */
#define WEFT_MULTIPART_PARAMS                                                                      \
    {"replies",                                                                                    \
     WEFT_CHOICE,                                                                                  \
     WEFT_P(struct weft_multipart_config, replies),                                                \
     "echo",                                                                                       \
     NULL,                                                                                         \
     NULL,                                                                                         \
     WEFT_REPLIES_CHOICES,                                                                         \
     "How ACKs, NACKs and CNPs travel: on their QP's ECMP path, on a random entropy each, or on "  \
     "the entropy of the packet that they answer.",                                                \
     "prime §III-C: an ACK copies the entropy field"},                                             \
    {                                                                                              \
        "dead-port", WEFT_CHOICE, WEFT_P(struct weft_multipart_config, dead_port), "hash", NULL,   \
            NULL, "hash modulo",                                                                   \
            "Where a switch sends packets once routing has taken ports out: those that name such " \
            "a port by a hash, as under ECMP, or all of them to the port whose place among those " \
            "left is the number that they name, modulo how many are left.",                        \
            "(ours): prime §IV-A2 leaves it open"                                                 \
    }

/* "prq" and "prh" in ASCII: the random streams, one per QP and one per host. CO-PRIME has those of
 * PRIME: without congestion they are the same. */
#define WEFT_MULTIPART_QP_STREAM   (UINT64_C(0x707271) << 32)
#define WEFT_MULTIPART_HOST_STREAM (UINT64_C(0x707268) << 32)

    /** For a table: the host's part. */
    size_t weft_multipart_host_size(const void *config, const struct weft_path_site *site);
    int weft_multipart_host_init(void *host, const void *config, const struct weft_path_site *site);
    void weft_multipart_reply(void *host, struct weft_packet *reply);

    /** For a table: what the switches do. */
    size_t weft_multipart_size(const void *config, const struct weft_site *site);
    int weft_multipart_init(void *state, const void *config, const struct weft_site *site);
    uint32_t weft_multipart_pick(void *state, const struct weft_ports *ports,
                                 struct weft_packet *packet, int64_t now);
    uint32_t weft_multipart_peek(const void *state, const struct weft_ports *ports,
                                 const struct weft_packet *packet);

#ifdef __cplusplus
}
#endif
#endif
