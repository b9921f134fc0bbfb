/* SPDX-License-Identifier: MIT */
/**
 * @file sprayed.h  Common part of path selectors whose hosts write a label into the UDP source
 * port and whose switches hash it as they hash any flow. Private.
 */
#ifndef WEFT_LB_SPRAYED_H
#define WEFT_LB_SPRAYED_H

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

#ifdef __cplusplus
}
#endif
#endif
