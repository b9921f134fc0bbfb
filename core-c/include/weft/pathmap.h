/* SPDX-License-Identifier: MIT */
/**
 * @file pathmap.h  Themis' PathMap for three tiers: by which change of its UDP source port a packet
 * leaves its flow's path for another one (themis §3.2; Zhang et al., ATC'21).
 *
 * With linear hashes h at both choices on the way up, h(sport XOR delta) = h(sport) XOR c(delta):
 * the change of path does not depend on the flow. The change r in [0, N) is r mod (ports of a ToR)
 * XORed onto the ToR's choice and r / (ports of a ToR) XORed onto the aggregation's.
 */
#ifndef WEFT_PATHMAP_H
#define WEFT_PATHMAP_H

#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /**
     * Fills delta[0 .. tor_ports * agg_ports) with the least source-port change for each change of
     * path; delta[0] is 0. The seeds are those of weft_ecmp_hash_linear() at the two tiers; their
     * constants do not matter. Returns 0, or WEFT_ENOPATH with a sentence in *reason (may be NULL):
     * a number of ports is not a power of two, there are more paths than source ports, or the two
     * tiers are polarised, so that no source port leads to some paths.
     */
    WEFT_API int weft_pathmap_build(uint16_t *delta, uint32_t tor_ports, uint32_t agg_ports,
                                    uint64_t tor_seed, uint64_t agg_seed, const char **reason);

#ifdef __cplusplus
}
#endif
#endif
