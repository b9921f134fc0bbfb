/* SPDX-License-Identifier: MIT */
/** @file themis.h Common part of Themis-S (themis.c) and Themis-D (themis-d.c). Private. */
#ifndef WEFT_TOR_THEMIS_H
#define WEFT_TOR_THEMIS_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/tor.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum themis_compensation
    {
        THEMIS_SCAN,    /**< by the ring and the NIC's ePSN, which its replies tell */
        THEMIS_LITERAL, /**< every blocked NACK is armed, as themis §3.4 has it */
        THEMIS_OFF,     /**< blocked NACKs are never made up for */
    };

    enum themis_replies
    {
        THEMIS_REPLIES_ECMP,  /**< like any unsprayed packet */
        THEMIS_REPLIES_SPRAY, /**< by the ePSN that ACKs and NACKs carry */
    };

    struct themis_config
    {
        int64_t compensation; /**< enum themis_compensation */
        int64_t entry_bytes;  /**< of a truncated PSN */
        double ring_factor;   /**< F */
        int64_t replies;      /**< enum themis_replies */
        int64_t ring;         /**< entries; 0: as the last hop and F say */
    };

    /**
     * Most ring entries: half the range of a truncated PSN. The other half is for reordering, since
     * PSNs in the ring must not lie farther behind the newest than the whole range.
     */
    static inline uint32_t themis_entry_reach(const struct themis_config *config)
    {
        return (UINT32_C(1) << (8 * (uint32_t)config->entry_bytes - 1)) - 1;
    }

    /** PSN mod N without a division instruction. */
    struct themis_modulus
    {
        uint32_t n;
        uint32_t magic; /**< ceil(2^shift / n) */
        uint32_t shift; /**< 24 + l, 2^l >= n: exact for 24 bits (Granlund & Montgomery 1994) */
    };

    /** @p n in [1, 2^24]. */
    static inline void themis_modulus_init(struct themis_modulus *m, uint32_t n)
    {
        uint32_t l = 0;
        while ((UINT32_C(1) << l) < n)
        {
            l++;
        }
        m->n = n;
        m->shift = 24 + l;
        m->magic = (uint32_t)(((UINT64_C(1) << m->shift) + n - 1) / n);
    }

    static inline uint32_t themis_residue(const struct themis_modulus *m, uint32_t psn)
    {
        return psn - (uint32_t)(((uint64_t)psn * m->magic) >> m->shift) * m->n;
    }

    extern const struct weft_tor_ops weft_themis_d;

#ifdef __cplusplus
}
#endif
#endif
