/* SPDX-License-Identifier: MIT */
/* Themis' memory (themis §4), in integers: doubles make 101 entries of the paper's example. */
#include "base/muldiv.h"

#include <weft/theory.h>

#define PATHMAP_ENTRY 2U  /* bytes: a difference of UDP source ports */
#define FLOW_ENTRY    20U /* bytes: QP, blocked ePSN, flag, ring's place */

uint32_t
weft_themis_ring_entries(int64_t rate, int64_t rtt, uint32_t factor_milli, int64_t mtu)
{
    if (rate <= 0 || rtt < 0 || mtu <= 0 || mtu > INT64_MAX / 1000)
    {
        return 0;
    }
    /* rate * rtt = (whole + rest / WEFT_BIT_PS) bytes; times F = (whole * F) + (more + frac) */
    uint64_t rest = 0;
    uint64_t frac = 0;
    uint64_t whole = weft_muldiv((uint64_t)rate, (uint64_t)rtt, WEFT_BIT_PS, &rest);
    uint64_t more = weft_muldiv(rest, factor_milli, WEFT_BIT_PS, &frac);
    if (factor_milli != 0 && whole > (UINT64_MAX - more) / factor_milli)
    {
        return 0;
    }
    uint64_t scaled = whole * factor_milli + more;
    uint64_t entries = scaled / ((uint64_t)mtu * 1000);
    entries += scaled % ((uint64_t)mtu * 1000) != 0 || frac != 0;
    return entries > UINT32_MAX ? 0 : (uint32_t)entries;
}

uint64_t
weft_themis_memory_bytes(const struct weft_themis_memory *m)
{
    uint64_t entries = weft_themis_ring_entries(m->rate, m->rtt, m->factor_milli, m->mtu);
    uint64_t per_qp = FLOW_ENTRY + entries * m->entry_bytes;
    return m->npaths * PATHMAP_ENTRY + per_qp * m->qps * m->nics;
}
