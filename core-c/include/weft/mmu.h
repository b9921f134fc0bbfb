/* SPDX-License-Identifier: MIT */
/**
 * @file mmu.h  A switch's shared buffer: dynamic thresholds (Choudhury & Hahne 1998), PFC
 * (IEEE 802.1Qbb) with headroom per port and class, ECN-RED marking (DCQCN §5), packet trimming
 * (prime §IV).
 *
 * With PFC a packet is accounted to its ingress port and class. Ingress (p, c) pauses its upstream
 * when its shared bytes exceed alpha * (shared pool - shared bytes in use); what arrives after that
 * goes to the ingress' headroom, and is dropped only when that is full too. It resumes once its
 * shared bytes have fallen to the threshold less xon-gap and its headroom is empty. Without PFC a
 * packet is dropped at egress when the port's queue exceeds alpha * (pool - used) (equality
 * admits).
 *
 * Exactly: the ingress' bytes and the bytes in use both count the frame just admitted; an ingress
 * without a byte left resumes whatever the threshold. Without PFC the queue counts the frame that
 * wants in, the bytes in use do not. A control frame (class 0) is dropped only when the shared pool
 * is full.
 *
 * With more than two classes, or with trimming, the queue that a threshold, RED or trimming looks
 * at is that of the frame's class at its egress port; otherwise it is the whole port's, of which
 * class 0 holds little.
 *
 * Trimming (lossy switches only): a data frame longer than trim-bytes that would make its queue
 * exceed trim-at, or that would be dropped, loses its payload instead. What is left, trim-bytes
 * long, goes on in class 0, unless that queue would exceed header-queue: then it is dropped. Which
 * frame is cut, the one that arrives or the newest one of the queue, is the host's to do, which
 * holds the queues; see weft_mmu_replace().
 */
#ifndef WEFT_MMU_H
#define WEFT_MMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/param.h>
#include <weft/refusal.h>
#include <weft/rng.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Most traffic classes of a port. Class 0 (control) is never paused; class 1 carries data. */
#define WEFT_MAX_CLASSES 8

    enum weft_ecn_at
    {
        WEFT_ECN_ENQUEUE,
        WEFT_ECN_DEQUEUE,
    };

    enum weft_trim_victim
    {
        WEFT_TRIM_ARRIVAL, /**< the frame that found the queue too long */
        WEFT_TRIM_COIN,    /**< that one or the newest one of the queue, by a fair coin */
    };

    /** Parameters of a switch's memory; the element <switch> of a scenario. */
    struct weft_mmu_config
    {
        int64_t buffer;   /**< bytes in all, headroom included */
        double alpha;     /**< dynamic-threshold factor */
        int64_t pfc;      /**< 0 or 1 */
        int64_t headroom; /**< bytes per port and data class for what is under way when a pause is
                             sent */
        int64_t xon_gap;  /**< bytes below the threshold at which a paused ingress resumes */
        int64_t ecn;      /**< 0 or 1 */
        int64_t ecn_at;   /**< enum weft_ecn_at */
        int64_t kmin;     /**< bytes of the egress queue below or at which nothing is marked */
        int64_t kmax;     /**< bytes above which everything is marked */
        double pmax;      /**< marking probability at kmax */
        int64_t port_buffer;  /**< bytes that each port has for itself; 0: all share `buffer` */
        int64_t classes;      /**< traffic classes of every port: 2, 4 or 8 */
        int64_t trim;         /**< 0 or 1 */
        int64_t trim_at;      /**< bytes of a data queue above which a frame is trimmed */
        int64_t trim_bytes;   /**< bytes of a trimmed frame; shorter ones are never trimmed */
        int64_t trim_victim;  /**< enum weft_trim_victim */
        int64_t header_queue; /**< with trimming, bytes of class 0 at an egress port above which a
                                 frame of that class is dropped; 0: 2 * trim_at */
    };

    /** Bytes of memory of a switch with @p nports ports. */
    static inline int64_t weft_mmu_total(const struct weft_mmu_config *config, uint32_t nports)
    {
        return config->port_buffer ? config->port_buffer * nports : config->buffer;
    }

    /** Bytes of headroom that a port has with PFC, for all its data classes. */
    static inline int64_t weft_mmu_port_headroom(const struct weft_mmu_config *config)
    {
        return config->pfc ? (config->classes - 1) * config->headroom : 0;
    }

    /** The parameter table of struct weft_mmu_config (registry "switch", name "shared-buffer"). */
    WEFT_API extern const struct weft_algo weft_mmu_algo;

    enum weft_mmu_verdict
    {
        WEFT_MMU_DROP = 0,
        WEFT_MMU_ADMIT = 1,
        WEFT_MMU_PAUSE =
            2, /**< or-ed to ADMIT or DROP: send a pause to the ingress port's upstream now */
        WEFT_MMU_TRIM = 4, /**< alone: there is no room for it whole. Nothing has been accounted;
                              weft_mmu_replace() and weft_mmu_admit_header() come next, or, where
                              the frame cannot be trimmed, weft_mmu_admit_whole() */
    };

    enum weft_mmu_flag
    {
        WEFT_MMU_PAUSED = 1,   /**< its upstream is paused */
        WEFT_MMU_BY_CLASS = 2, /**< queues are counted by class, too */
    };

    /** Share of an ingress port in the buffer, in one class. */
    struct weft_mmu_ingress
    {
        uint32_t bytes;    /**< of the shared pool */
        uint32_t headroom; /**< bytes of its headroom */
        uint32_t flags;    /**< enum weft_mmu_flag */
    };

    /** Buffer of one switch. Its arrays follow the struct in the caller's memory: plain bytes,
     * which may be moved. */
    struct weft_mmu
    {
        /* Members that every frame reads come first. */
        int64_t
            shared; /**< bytes of the shared pool: the buffer, with PFC less all ports' headroom */
        int64_t shared_used;
        int64_t easy_used;  /**< of the pool, with a frame: up to here nothing but a threshold can
                               be met; the least of shared and peak_used - headroom_used */
        int64_t easy_bytes; /**< of an ingress or a queue, with a frame: below its threshold as long
                               as easy_used is not passed */
        int64_t headroom_used; /**< over all ports */
        int64_t peak_used;     /**< largest shared_used + headroom_used ever */
        double alpha;          /**< the configuration's */
        int64_t port_limit;    /**< bytes of a port above which nothing is admitted: port_buffer;
                                  0: no such limit; -1: weft_mmu_counts_by_class() */
        uint32_t nports;
        bool pfc;            /**< the configuration's */
        uint8_t class_shift; /**< classes are 1 << class_shift; 1 unless -1 is above */
        struct weft_mmu_config config;
        uint64_t pauses; /**< pause frames asked for */
        uint64_t drops;
        uint64_t marks;
        uint64_t trims;        /**< frames that lost their payload */
        uint64_t header_drops; /**< of the drops, headers: those of frames trimmed here, to which a
                                  host adds those that were trimmed before */
    };

/** Bytes of a cache line, and from a struct weft_mmu to its arrays: whole lines. */
#define WEFT_MMU_LINE 64U
#define WEFT_MMU_ARRAYS                                                                            \
    ((sizeof(struct weft_mmu) + WEFT_MMU_LINE - 1) / WEFT_MMU_LINE * WEFT_MMU_LINE)

    /** [port]: bytes queued at egress, all classes, frame in service included. */
    static inline uint32_t *weft_mmu_queues(const struct weft_mmu *mmu)
    {
        return (uint32_t *)(void *)((const char *)mmu + WEFT_MMU_ARRAYS);
    }

    /** [weft_mmu_index()] */
    static inline struct weft_mmu_ingress *weft_mmu_ingresses(const struct weft_mmu *mmu)
    {
        return (struct weft_mmu_ingress *)(void *)(weft_mmu_queues(mmu) + mmu->nports);
    }

    /** Whether the queues of a port are counted for each of its classes. */
    static inline bool weft_mmu_counts_by_class(const struct weft_mmu_config *config)
    {
        return config->classes > 2 || config->trim;
    }

    /** Number of a port and class in the arrays that have an element for each. */
    static inline uint32_t weft_mmu_index(const struct weft_mmu *mmu, uint32_t port,
                                          uint32_t tclass)
    {
        return (port << mmu->class_shift) + tclass;
    }

    static inline bool weft_mmu_is_paused(const struct weft_mmu *mmu, uint32_t in, uint32_t tclass)
    {
        const uint32_t i = weft_mmu_index(mmu, in, tclass);
        return (weft_mmu_ingresses(mmu)[i].flags & WEFT_MMU_PAUSED) != 0;
    }

    /** [weft_mmu_index()], only where weft_mmu_counts_by_class(): bytes queued at egress, frame in
     * service included. */
    static inline uint32_t *weft_mmu_class_queues(const struct weft_mmu *mmu)
    {
        return (uint32_t *)(void *)(weft_mmu_ingresses(mmu) +
                                    ((size_t)mmu->nports << mmu->class_shift));
    }

    /**
     * Bytes of memory for a switch of @p nports ports, or a negative value: WEFT_EOVERFLOW (none or
     * too many ports), WEFT_ERANGE (classes other than 2, 4 or 8), WEFT_EINVAL (no configuration).
     */
    WEFT_API int64_t weft_mmu_size(const struct weft_mmu_config *config, uint32_t nports);

    /** Returns what weft_mmu_init() returns for such a switch, and says in @p why, which may be
     * NULL, why it refuses. */
    WEFT_API int weft_mmu_check(const struct weft_mmu_config *config, uint32_t nports,
                                struct weft_refusal *why);

    /**
     * Makes an empty buffer of @p mmu, weft_mmu_size() bytes, 8-byte aligned; where it begins with
     * a cache line of WEFT_MMU_LINE bytes, so do the queues, and an adaptive choice scans 16 ports
     * in one line. Returns 0, an error of weft_mmu_size(), or WEFT_ERANGE (a size out of its
     * bounds, as in a configuration without its defaults; trimming with PFC; or the headroom of all
     * ports leaves no shared pool), or WEFT_EINVAL (@p mmu or @p config is NULL).
     */
    WEFT_API int weft_mmu_init(struct weft_mmu *mmu, const struct weft_mmu_config *config,
                               uint32_t nports);

    /** The case of weft_mmu_release_at() in which the ingress is paused, has used its headroom, or
     * queues are counted by class. */
    WEFT_API bool weft_mmu_release_slowly(struct weft_mmu *mmu, uint32_t i, uint32_t out,
                                          uint32_t bytes);

    /** A frame of @p bytes came in at port @p in, class @p tclass, and goes out at @p out. enum
     * weft_mmu_verdict. */
    WEFT_API unsigned weft_mmu_admit(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                     uint32_t tclass, uint32_t bytes);

    /** Admits or drops a frame that cannot be trimmed. */
    WEFT_API unsigned weft_mmu_admit_whole(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                           uint32_t tclass, uint32_t bytes);

    /**
     * WEFT_TRIM_COIN, heads: the newest frame of the arrival's queue, which came in at port
     * @p newest_in with @p newest_bytes, gives up its place. If frames differ in length, the queue
     * may exceed trim-at by that much. True: the newest is released and the arrival accounted, and
     * the newest is to be trimmed. False: even so there is no memory for the arrival; nothing has
     * changed, and the arrival is to be trimmed. Only after WEFT_MMU_TRIM.
     */
    WEFT_API bool weft_mmu_replace(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                                   uint32_t bytes, uint32_t newest_in, uint32_t newest_bytes);

    /** A frame that came in at @p in is trimmed: room for its header, trim-bytes of class 0.
     * WEFT_MMU_ADMIT or WEFT_MMU_DROP. */
    WEFT_API unsigned weft_mmu_admit_header(struct weft_mmu *mmu, uint32_t in, uint32_t out);

    /** weft_mmu_admits_easily() and weft_mmu_take() where weft_mmu_counts_by_class(). */
    WEFT_API bool weft_mmu_admits_by_class(const struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                           uint32_t tclass, uint32_t bytes);
    WEFT_API void weft_mmu_take_by_class(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                         uint32_t tclass, uint32_t bytes);

    /** weft_mmu_admits_easily() where port_limit is 0: two classes share one pool. */
    static inline bool weft_mmu_pool_admits_easily(const struct weft_mmu *mmu, uint32_t in,
                                                   uint32_t out, uint32_t tclass, uint32_t bytes)
    {
        const struct weft_mmu_ingress *i = &weft_mmu_ingresses(mmu)[in * 2 + tclass];
        const int64_t used = mmu->shared_used + bytes;
        if (used > mmu->easy_used)
        {
            return false;
        }
        if (tclass == 0)
        {
            return true;
        }
        const int64_t held = (int64_t)(mmu->pfc ? i->bytes : weft_mmu_queues(mmu)[out]) + bytes;
        if (i->flags)
        {
            return false;
        }
        return held <= mmu->easy_bytes ||
               (double)held <=
                   mmu->alpha * (double)(mmu->shared - (mmu->pfc ? used : used - bytes));
    }

    /**
     * Whether weft_mmu_admit() would admit that frame below all thresholds, without a pause and
     * without a new peak_used. True means weft_mmu_take() does the same for less; false means ask
     * weft_mmu_admit().
     *
     * True holds however many of the frames that are accounted have left already. So a host may put
     * off weft_mmu_release() until this returns false, while nothing is paused.
     */
    static inline bool weft_mmu_admits_easily(const struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                              uint32_t tclass, uint32_t bytes)
    {
        if (mmu->port_limit == 0)
        {
            return weft_mmu_pool_admits_easily(mmu, in, out, tclass, bytes);
        }
        return mmu->shared_used + bytes <= mmu->easy_used &&
               (mmu->port_limit > 0 ? (int64_t)weft_mmu_queues(mmu)[out] + bytes <= mmu->port_limit
                                    : weft_mmu_admits_by_class(mmu, in, out, tclass, bytes));
    }

    /** weft_mmu_take() behind weft_mmu_pool_admits_easily(). */
    static inline void weft_mmu_take_of_pool(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                             uint32_t tclass, uint32_t bytes)
    {
        weft_mmu_ingresses(mmu)[in * 2 + tclass].bytes += bytes;
        mmu->shared_used += bytes;
        weft_mmu_queues(mmu)[out] += bytes;
    }

    /** Accounts a frame that weft_mmu_admits_easily(). */
    static inline void weft_mmu_take(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                     uint32_t tclass, uint32_t bytes)
    {
        if (mmu->port_limit < 0)
        {
            weft_mmu_take_by_class(mmu, in, out, tclass, bytes);
            return;
        }
        weft_mmu_take_of_pool(mmu, in, out, tclass, bytes);
    }

    /** weft_mmu_release() for the ingress of number @p i, weft_mmu_index() of port and class. */
    static inline bool weft_mmu_release_at(struct weft_mmu *mmu, uint32_t i, uint32_t out,
                                           uint32_t bytes)
    {
        struct weft_mmu_ingress *ingress = &weft_mmu_ingresses(mmu)[i];
        if ((ingress->flags | ingress->headroom) != 0)
        {
            return weft_mmu_release_slowly(mmu, i, out, bytes);
        }
        weft_mmu_queues(mmu)[out] -= bytes;
        ingress->bytes -= bytes;
        mmu->shared_used -= bytes;
        return false;
    }

    /** Releases a frame that has left the switch. Returns true if the ingress port's upstream is to
     * be resumed. */
    static inline bool weft_mmu_release(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                        uint32_t tclass, uint32_t bytes)
    {
        return weft_mmu_release_at(mmu, weft_mmu_index(mmu, in, tclass), out, bytes);
    }

    /** Whether RED marks a packet that sees @p queue bytes. Draws from @p rng only between kmin and
     * kmax. */
    static inline bool weft_mmu_mark(struct weft_mmu *mmu, uint32_t queue, struct weft_rng *rng)
    {
        const struct weft_mmu_config *c = &mmu->config;
        if (!c->ecn || (int64_t)queue <= c->kmin)
        {
            return false;
        }
        if ((int64_t)queue <= c->kmax && weft_rng_unit(rng) * (double)(c->kmax - c->kmin) >=
                                             c->pmax * (double)((int64_t)queue - c->kmin))
        {
            return false;
        }
        mmu->marks++;
        return true;
    }

#ifdef __cplusplus
}
#endif
#endif
