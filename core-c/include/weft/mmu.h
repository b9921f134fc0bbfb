/* SPDX-License-Identifier: MIT */
/**
 * @file mmu.h  A switch's shared buffer: dynamic thresholds (Choudhury & Hahne 1998), PFC
 * (IEEE 802.1Qbb) with per-port headroom, ECN-RED marking (DCQCN §5).
 *
 * With PFC a packet is accounted to its ingress port and class. Ingress (p, c) pauses its upstream
 * when its shared bytes exceed alpha * (shared pool - shared bytes in use); what arrives after that
 * goes to the port's headroom, and is dropped only when that is full too. It resumes once its
 * shared bytes have fallen to the threshold less xon-gap and its headroom is empty. Without PFC a
 * packet is dropped at egress when the port's queue exceeds alpha * (pool - used) (equality
 * admits).
 *
 * Exactly: the ingress' bytes and the bytes in use both count the frame just admitted; an ingress
 * without a byte left resumes whatever the threshold. Without PFC the queue counts the frame that
 * wants in, the bytes in use do not. A control frame (class 0) is dropped only when the shared pool
 * is full.
 */
#ifndef WEFT_MMU_H
#define WEFT_MMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/param.h>
#include <weft/refusal.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Traffic classes per port. Class 0 (control) is never paused; class 1 carries data. */
#define WEFT_CLASSES 2

    enum weft_ecn_at
    {
        WEFT_ECN_ENQUEUE,
        WEFT_ECN_DEQUEUE,
    };

    /** Parameters of a switch's memory; the element <switch> of a scenario. */
    struct weft_mmu_config
    {
        int64_t buffer;      /**< bytes in all, headroom included */
        double alpha;        /**< dynamic-threshold factor */
        int64_t pfc;         /**< 0 or 1 */
        int64_t headroom;    /**< bytes per port for what is under way when a pause is sent */
        int64_t xon_gap;     /**< bytes below the threshold at which a paused ingress resumes */
        int64_t ecn;         /**< 0 or 1 */
        int64_t ecn_at;      /**< enum weft_ecn_at */
        int64_t kmin;        /**< bytes of the egress queue below or at which nothing is marked */
        int64_t kmax;        /**< bytes above which everything is marked */
        double pmax;         /**< marking probability at kmax */
        int64_t port_buffer; /**< bytes that each port has for itself; 0: all share `buffer` */
    };

    /** Bytes of memory of a switch with @p nports ports. */
    static inline int64_t weft_mmu_total(const struct weft_mmu_config *config, uint32_t nports)
    {
        return config->port_buffer ? config->port_buffer * nports : config->buffer;
    }

    /** The parameter table of struct weft_mmu_config (registry "switch", name "shared-buffer"). */
    extern const struct weft_algo weft_mmu_algo;

    enum weft_mmu_verdict
    {
        WEFT_MMU_DROP = 0,
        WEFT_MMU_ADMIT = 1,
        WEFT_MMU_PAUSE =
            2, /**< or-ed to ADMIT or DROP: send a pause to the ingress port's upstream now */
    };

    /** What an ingress port holds of the buffer, in one class. */
    struct weft_mmu_ingress
    {
        uint32_t bytes;    /**< of the shared pool */
        uint32_t headroom; /**< bytes of its headroom */
        uint32_t paused;   /**< 1: its upstream is paused */
    };

    /** One switch's buffer. Its arrays follow the struct in the caller's memory: plain bytes, which
     * may be moved. */
    struct weft_mmu
    {
        /* What every frame reads comes first. */
        int64_t
            shared; /**< bytes of the shared pool: buffer - nports * headroom (PFC), else buffer */
        int64_t shared_used;
        int64_t headroom_used; /**< over all ports */
        int64_t peak_used;     /**< largest shared_used + headroom_used ever */
        double alpha;          /**< the configuration's */
        int64_t port_buffer;   /**< the configuration's */
        uint32_t nports;
        bool pfc; /**< the configuration's */
        struct weft_mmu_config config;
        uint64_t pauses; /**< pause frames asked for */
        uint64_t drops;
        uint64_t marks;
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

    /** [port * WEFT_CLASSES + class] */
    static inline struct weft_mmu_ingress *weft_mmu_ingresses(const struct weft_mmu *mmu)
    {
        return (struct weft_mmu_ingress *)(void *)(weft_mmu_queues(mmu) + mmu->nports);
    }

    /** Bytes of memory for a switch of @p nports ports, or WEFT_EOVERFLOW as a negative value. */
    int64_t weft_mmu_size(uint32_t nports);

    /**
     * Makes an empty buffer of @p mmu, weft_mmu_size() bytes, 8-byte aligned; where it begins with
     * a cache line of WEFT_MMU_LINE bytes, so do the queues, and an adaptive choice scans 16 ports
     * in one line. Returns 0, WEFT_EOVERFLOW (too many ports) or WEFT_ERANGE (a size out of its
     * bounds, as in a configuration without its defaults; or the headroom of all ports leaves no
     * shared pool).
     */
    /** What weft_mmu_init() returns for such a switch, and why it refuses. @p why may be NULL. */
    int weft_mmu_check(const struct weft_mmu_config *config, uint32_t nports,
                       struct weft_refusal *why);

    int weft_mmu_init(struct weft_mmu *mmu, const struct weft_mmu_config *config, uint32_t nports);

    /** The case of weft_mmu_release() in which the ingress is paused or has used its headroom. */
    bool weft_mmu_release_slowly(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                                 uint32_t bytes);

    /** A frame of @p bytes came in at port @p in, class @p tclass, and goes out at @p out. enum
     * weft_mmu_verdict. */
    unsigned weft_mmu_admit(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                            uint32_t bytes);

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
        const struct weft_mmu_ingress *i = &weft_mmu_ingresses(mmu)[in * WEFT_CLASSES + tclass];
        const int64_t used = mmu->shared_used + bytes;
        if (used > mmu->shared || used + mmu->headroom_used > mmu->peak_used)
        {
            return false;
        }
        if (mmu->port_buffer)
        {
            return (int64_t)weft_mmu_queues(mmu)[out] + bytes <= mmu->port_buffer;
        }
        if (tclass == 0)
        {
            return true;
        }
        if (mmu->pfc)
        {
            return !i->paused &&
                   (double)(i->bytes + bytes) <= mmu->alpha * (double)(mmu->shared - used);
        }
        return (double)((int64_t)weft_mmu_queues(mmu)[out] + bytes) <=
               mmu->alpha * (double)(mmu->shared - mmu->shared_used);
    }

    /** Accounts a frame that weft_mmu_admits_easily(). */
    static inline void weft_mmu_take(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                     uint32_t tclass, uint32_t bytes)
    {
        weft_mmu_ingresses(mmu)[in * WEFT_CLASSES + tclass].bytes += bytes;
        mmu->shared_used += bytes;
        weft_mmu_queues(mmu)[out] += bytes;
    }

    /** That frame has left the switch. Returns true if the ingress port's upstream is to be
     * resumed. */
    static inline bool weft_mmu_release(struct weft_mmu *mmu, uint32_t in, uint32_t out,
                                        uint32_t tclass, uint32_t bytes)
    {
        struct weft_mmu_ingress *i = &weft_mmu_ingresses(mmu)[in * WEFT_CLASSES + tclass];
        if ((i->paused | i->headroom) != 0)
        {
            return weft_mmu_release_slowly(mmu, in, out, tclass, bytes);
        }
        weft_mmu_queues(mmu)[out] -= bytes;
        i->bytes -= bytes;
        mmu->shared_used -= bytes;
        return false;
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
