/* SPDX-License-Identifier: MIT */
/**
 * @file host.h  A host's NIC: which of its QPs sends next, and when.
 *
 * QPs with something to send, or the hosts that they send to, are served round robin, each for a
 * batch of packets, as pacing and window allow; replies and other traffic take turns with data or
 * go first. The simulator keeps the wire, the queues of replies and of other traffic, and time:
 * when the wire is free it asks weft_host_next() and sends what that says.
 */
#ifndef WEFT_HOST_H
#define WEFT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/packet.h>
#include <weft/qp.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Sources that may use the wire; the turn goes round in this order. */
    enum weft_host_source
    {
        WEFT_SEND_REPLY, /**< the first of the replies that wait */
        WEFT_SEND_OTHER, /**< the first of other traffic's packets */
        WEFT_SEND_DATA,  /**< what weft_host_data() makes */
        WEFT_SEND_NOTHING,
    };

    /** NIC of one host. Read what you like; only the functions below write. */
    struct weft_host
    {
        struct weft_qp **active; /**< QPs with something to send: the caller's memory */
        int64_t *send_at;        /**< when pacing lets each of them send, ps: the caller's memory */
        uint32_t nactive;        /**< how many */
        uint32_t capacity;       /**< room for so many */
        uint32_t next;           /**< the active QP whose turn it is */
        uint32_t turn;           /**< enum weft_host_source whose turn it is */
        int64_t batch_left;      /**< packets that the QP may still send in a row */
        int64_t host_send_at;    /**< when a rate that QPs share (per_host) lets them send, ps */
        uint32_t unshared;       /**< how many active QPs do not share it */
        int64_t rate;            /**< bit/s of its wire */
        struct weft_qp *chosen;  /**< by weft_host_next() */
        uint32_t psn;            /**< of its packet */
        int what;                /**< enum weft_tx_what */
        bool replies_first;      /**< replies need not wait for their turn */
        bool by_destination;     /**< destinations take turns; each one's QPs lie side by side */
    };

    /** A host without QPs, on a wire of @p rate bit/s. */
    WEFT_API void weft_host_init(struct weft_host *host, int64_t rate, bool replies_first);

    /** Serves destinations in turn from here on, each for a batch, and the QPs of one in turn
     * within its turns. No QP is active yet. */
    WEFT_API void weft_host_serve_destinations(struct weft_host *host);

    /**
     * Memory for the list of active QPs: at least as many entries each as the host has QPs. It must
     * be there before the first weft_host_activate(). The former arrays are copied and no longer
     * used, so they must still exist and be others (no realloc()). Returns 0 or WEFT_ENOMEM (fewer
     * than are active; nothing has changed).
     */
    WEFT_API int weft_host_lend(struct weft_host *host, struct weft_qp **active, int64_t *send_at,
                                uint32_t capacity);

    /** A QP of this host has something to send. It joins behind all active ones, or behind those of
     * its destination if destinations take turns; nothing happens if it is active already, or given
     * up. */
    WEFT_API void weft_host_activate(struct weft_host *host, struct weft_qp *qp);

    /** A QP of this host is to send nothing until it is activated again, if it is. */
    WEFT_API void weft_host_drop(struct weft_host *host, struct weft_qp *qp);

    /** A QP has had news (a reply, a timeout, a loss): it becomes active if it has something to
     * send. Returns whether it has and is not given up: the wire may be asked for it. */
    WEFT_API bool weft_host_resume(struct weft_host *host, struct weft_qp *qp, int64_t now);

    /**
     * Returns what is to be sent at @p now, when the wire is free. @p waiting: bit s: packets of
     * source s wait and may go, which the caller knows of replies and other traffic. @p paused: bit
     * c: PFC keeps traffic class c back. The answer binds: it takes the turn, and WEFT_SEND_DATA
     * takes the packet from its transport, so weft_host_data() and weft_host_pace() follow at the
     * same time, before any other call.
     */
    WEFT_API enum weft_host_source weft_host_next(struct weft_host *host, uint32_t waiting,
                                                  uint32_t paused, int64_t now);

    /** Makes the data packet that weft_host_next() has chosen; it counts as sent. */
    WEFT_API void weft_host_data(struct weft_host *host, struct weft_packet *data, int64_t now);

    /**
     * Accounts that packet and paces its QP. @p free_after: when the wire would be free after it,
     * ps. Returns true if the QP is paced and sends right when its pace lets it: the packet has
     * waited for its turn, not for the wire.
     */
    WEFT_API bool weft_host_pace(struct weft_host *host, const struct weft_packet *data,
                                 int64_t free_after, int64_t now);

    /** The case of weft_host_next_at() in which a class is paused, or some QPs share a rate. */
    WEFT_API int64_t weft_host_next_at_exactly(const struct weft_host *host, uint32_t paused);

    /** When weft_host_next() will have something, if nothing new happens: ps, in the past if at
     * once; or WEFT_NEVER. The wire may be taken then. */
    static inline int64_t weft_host_next_at(const struct weft_host *host, uint32_t waiting,
                                            uint32_t paused)
    {
        if (waiting != 0)
        {
            return 0;
        }
        if (paused != 0 || (host->unshared > 0 && host->host_send_at > 0))
        {
            return weft_host_next_at_exactly(host, paused);
        }
        int64_t at = WEFT_NEVER;
        for (uint32_t i = 0; i < host->nactive; i++)
        {
            at = host->send_at[i] < at ? host->send_at[i] : at;
        }
        return at > host->host_send_at ? at : host->host_send_at;
    }

    /** The later of @p soon and weft_host_next_at(): all QPs are looked at only if none may send by
     * then. */
    static inline int64_t weft_host_next_from(const struct weft_host *host, uint32_t waiting,
                                              uint32_t paused, int64_t soon)
    {
        if (waiting == 0 && paused == 0 && host->host_send_at <= soon)
        {
            for (uint32_t i = 0; i < host->nactive; i++)
            {
                if (host->send_at[i] <= soon)
                {
                    return soon;
                }
            }
        }
        const int64_t at = weft_host_next_at(host, waiting, paused);
        return at > soon ? at : soon;
    }

    /** When pacing lets a QP of this host send, ps. */
    WEFT_API int64_t weft_host_send_at(const struct weft_host *host, const struct weft_qp *qp);

#ifdef __cplusplus
}
#endif
#endif
