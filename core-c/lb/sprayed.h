/* SPDX-License-Identifier: MIT */
/**
 * @file sprayed.h  Common part of path selectors whose hosts write a label into the UDP source
 * port and whose switches hash it as they hash any flow. Private.
 */
#ifndef WEFT_LB_SPRAYED_H
#define WEFT_LB_SPRAYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/lb.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** How ACKs, NACKs and CNPs travel: a parameter of every such balancer. */
    enum weft_replies
    {
        WEFT_REPLIES_ECMP,
        WEFT_REPLIES_SPRAY,
        WEFT_REPLIES_ECHO,
    };

/** The parameter's choices and its meaning. */
#define WEFT_REPLIES_CHOICES "ecmp spray echo"
#define WEFT_REPLIES_DOC                                                                           \
    "How ACKs, NACKs and CNPs travel: on their QP's ECMP path, on a random label each, or on the " \
    "label of the packet that they answer."

    /** The host's part: draws for the replies that it makes. */
    struct weft_replier
    {
        struct weft_rng rng;
        uint64_t how; /**< enum weft_replies */
    };

    /** @p stream: the balancer's own random stream for hosts, without the host's index. */
    void weft_replier_init(struct weft_replier *replier, const struct weft_path_site *site,
                           uint64_t stream, int64_t how);

    /** For a table: host_size() and reply() of a host whose state is a struct weft_replier. */
    size_t weft_sprayed_host_size(const void *config, const struct weft_path_site *site);
    void weft_sprayed_reply(void *host, struct weft_packet *reply);

    /** For a table: what the switches do. */
    size_t weft_sprayed_size(const void *config, const struct weft_site *site);
    int weft_sprayed_init(void *state, const void *config, const struct weft_site *site);
    uint32_t weft_sprayed_pick(void *state, const struct weft_ports *ports,
                               struct weft_packet *packet, int64_t now);
    uint32_t weft_sprayed_peek(const void *state, const struct weft_ports *ports,
                               const struct weft_packet *packet);

    /** A random label: all 16 bits. */
    static inline uint16_t weft_label(struct weft_rng *rng)
    {
        return (uint16_t)(weft_rng_u32(rng) >> 16);
    }

/** Labels there are. */
#define WEFT_LABELS 65536

/** A table's row of the parameter `labels`. @p config: the struct that has the member; @p how: they
 * are drawn. */
#define WEFT_LABELS_PARAM(config, how)                                                             \
    {                                                                                              \
        "labels", WEFT_COUNT, WEFT_P(config, labels), "65536", "1", "65536", NULL,                 \
            "Labels of a QP, in a row from a random one on. Few of them are hashed onto paths "    \
            "less evenly. " how,                                                                   \
            "(ours)"                                                                               \
    }

    /** Draws of a QP that has fewer labels. Stays where it is. */
    struct weft_few_labels
    {
        struct weft_random_source source;
        struct weft_rng rng;
        uint32_t first;
        uint32_t n;
        uint32_t round; /**< n, rounded up to a power of two */
        uint32_t place; /**< in the round */
        uint32_t order; /**< mask of the round */
    };

    /** Bytes of it that a QP with @p labels needs. */
    static inline size_t weft_few_labels_size(int64_t labels)
    {
        return labels < WEFT_LABELS ? sizeof(struct weft_few_labels) : 0;
    }

    /** Lets weft_label() draw from @p labels labels alone, at random or in rounds. @p few: not read
     * if they are all. */
    void weft_few_labels_begin(struct weft_few_labels *few, struct weft_rng *rng, int64_t labels,
                               bool in_turns);

#ifdef __cplusplus
}
#endif
#endif
