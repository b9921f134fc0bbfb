/* SPDX-License-Identifier: MIT */
/** @file ecmp.h  ECMP's choice of a port, for balancers that fall back to it. Private. */
#ifndef WEFT_LB_ECMP_H
#define WEFT_LB_ECMP_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/lb.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Members of a packet that a hash reads. */
#define WEFT_HASHED_FIELDS ((uint32_t)WEFT_FIELD_SRC | WEFT_FIELD_DST | WEFT_FIELD_SPORT)

    struct weft_ecmp
    {
        uint64_t seed;
        bool linear;
    };

    /** Bits of the linear hash between one tier's window and the next one's. */
#define WEFT_LINEAR_WINDOW 8U

    /** The seed of a switch's linear hash. Tier and site decide it; see weft_ecmp_hash_linear(). */
    static inline uint64_t weft_linear_seed(const struct weft_site *site, uint32_t tier)
    {
        const uint64_t run = weft_mix64(weft_mix64(site->seed) ^ site->run);
        const uint64_t map = run >> 40 << 40;
        const uint64_t window = (uint64_t)(tier * WEFT_LINEAR_WINDOW) << 32;
        return map | window | (uint32_t)weft_mix64(run ^ site->switch_index);
    }

    static inline void weft_ecmp_init(struct weft_ecmp *ecmp, const struct weft_site *site,
                                      bool linear)
    {
        const uint64_t run = weft_mix64(weft_mix64(site->seed) ^ site->run);
        ecmp->linear = linear;
        ecmp->seed =
            linear ? weft_linear_seed(site, site->tier) : weft_mix64(run ^ site->switch_index);
    }

    /** A hash's place in [0, n): low bits where that keeps linearity. */
    static inline uint32_t weft_linear_index(uint32_t hash, uint32_t n)
    {
        return (n & (n - 1)) == 0 ? hash & (n - 1) : hash % n;
    }

    /** The candidate, in [0, n), that a hash which is not linear chooses for a packet's flow. */
    static inline uint32_t weft_ecmp_mix_index(const struct weft_ecmp *ecmp, uint32_t n,
                                               const struct weft_packet *packet)
    {
        return (uint32_t)(((uint64_t)weft_ecmp_hash(packet, ecmp->seed) * n) >> 32);
    }

    /** The candidate, in [0, n), that plain ECMP chooses for a packet's flow. */
    static inline uint32_t weft_ecmp_index(const struct weft_ecmp *ecmp, uint32_t n,
                                           const struct weft_packet *packet)
    {
        if (ecmp->linear)
        {
            return weft_linear_index(weft_ecmp_hash_linear(packet, ecmp->seed), n);
        }
        return weft_ecmp_mix_index(ecmp, n, packet);
    }

#ifdef __cplusplus
}
#endif
#endif
