/* SPDX-License-Identifier: MIT */
/** @file bdp.h  The bandwidth-delay product of a QP's path, in packets. Private. */
#ifndef WEFT_NIC_BDP_H
#define WEFT_NIC_BDP_H

#include <weft/transport.h>

#include "base/muldiv.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** ceil(BDP / MTU) of an idle path with full frames; at least 1, at most @p most. */
    static inline uint32_t weft_bdp_frames(const struct weft_transport_site *site, uint32_t most)
    {
        uint64_t rest = 0;
        if (site->rate < 0 || site->base_rtt < 0 || site->frame == 0)
        {
            return 1;
        }
        const uint64_t bytes = weft_muldiv((uint64_t)site->rate, (uint64_t)site->base_rtt,
                                           UINT64_C(8000000000000), &rest);
        const uint64_t frames = bytes / site->frame + (bytes % site->frame > 0 || rest > 0);
        return frames < 1 ? 1 : frames < most ? (uint32_t)frames : most;
    }

#ifdef __cplusplus
}
#endif
#endif
