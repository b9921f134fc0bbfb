/* SPDX-License-Identifier: MIT */
/* Links that fail at random, each by itself (ofan §5.2). */
#include "topo/clos-shape.h"

#include <weft/rng.h>

/* "fail" in ASCII: the random stream of a fabric's failures. */
#define FAILURES_STREAM (UINT64_C(0x6661696c) << 32)

size_t
weft_random_failures(const struct weft_clos *clos, double edge, double core, uint64_t seed,
                     uint64_t run, uint64_t *dead)
{
    const uint64_t first_core = clos->graph ? clos->nlinks : weft_clos_agg_link(clos, 0);
    struct weft_rng rng;
    size_t n = 0;
    weft_rng_seed(&rng, seed, run, FAILURES_STREAM);
    for (uint64_t link = clos->nhosts; link < clos->nlinks; link++)
    {
        /* One draw per link, whatever becomes of it: more failures are the same and some more. */
        if (weft_rng_unit(&rng) < (link < first_core ? edge : core))
        {
            if (dead)
            {
                dead[n] = link;
            }
            n++;
        }
    }
    return n;
}
