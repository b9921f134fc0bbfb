/* SPDX-License-Identifier: MIT */
/* Links that fail at random, each by itself (ofan §5.2), or a number of them (pro §VI-B). */
#include "checked/check.h"
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
    WEFT_CHECK(edge >= 0 && edge <= 1 && core >= 0 && core <= 1, "weft_random_failures",
               "a probability is from 0 to 1");
    weft_rng_seed(&rng, seed, run, FAILURES_STREAM);
    for (uint64_t i = 0; i < weft_planes_links(clos); i++)
    {
        const uint64_t link = i % clos->nlinks; /* of its plane */
        if (link < weft_clos_host_links(clos))
        {
            continue;
        }
        /* A link takes one draw, whatever becomes of it: more failures are the same and some more.
         * */
        if (weft_rng_unit(&rng) < (link < first_core ? edge : core))
        {
            if (dead)
            {
                dead[n] = i;
            }
            n++;
        }
    }
    return n;
}

/* Puts a link into its place among the first n, which are in order. */
static void
insert(struct weft_drawn_link *links, size_t n, struct weft_drawn_link one)
{
    while (n > 0 && links[n - 1].draw > one.draw)
    {
        links[n] = links[n - 1];
        n--;
    }
    links[n] = one;
}

size_t
weft_random_links(const struct weft_clos *clos, size_t count, uint64_t seed, uint64_t run,
                  struct weft_drawn_link *links)
{
    struct weft_rng rng;
    size_t n = 0;
    weft_rng_seed(&rng, seed, run, FAILURES_STREAM);
    for (uint64_t link = 0; link < weft_planes_links(clos); link++)
    {
        if (link % clos->nlinks < weft_clos_host_links(clos))
        {
            continue;
        }
        const struct weft_drawn_link one = {weft_rng_unit(&rng), link};
        if (n < count)
        {
            insert(links, n++, one);
        }
        else if (count > 0 && one.draw < links[count - 1].draw)
        {
            insert(links, count - 1, one);
        }
    }
    return n;
}
