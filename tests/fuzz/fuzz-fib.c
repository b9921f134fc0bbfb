/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The exceptions to structured forwarding, for any small fabric and any set of dead links, against
 * a search of the graph. Else packets are sent into dead ends, or live paths are left unused.
 */
#include <stdlib.h>

#include "fib-model.h"
#include "fuzz.h"
#include "must.h"

#define MOST_LINKS 1024

/** Any small fabric; what the topology kinds refuse is left out. */
static bool
choose(struct weft_clos *clos, struct fuzz_input *in)
{
    static const char *const kinds[] = {"leaf-spine", "fat-tree", "clos"};
    const uint32_t kind = fuzz_below(in, 3);
    const struct weft_topology_ops *ops = weft_topology_find(kinds[kind]);
    int64_t config[32];
    MUST(ops->algo.config_size <= sizeof config && weft_config_default(&ops->algo, config) == 0);
    if (kind == 0)
    {
        config[0] = fuzz_between(in, 1, 7);
        config[1] = fuzz_between(in, 1, 5);
        config[2] = fuzz_between(in, 1, 3);
        config[3] = fuzz_between(in, 1, 4);
        config[4] = 1000000000;
    }
    else if (kind == 1)
    {
        config[0] = 2 * (int64_t)fuzz_between(in, 1, 3);
        config[1] = fuzz_between(in, 2, 3);
        config[2] = 1000000000;
        config[6] = fuzz_below(in, 4);
    }
    for (unsigned i = 0; kind == 2 && i < 7; i++)
    {
        config[i] = fuzz_between(in, 1, i < 5 ? 4 : 3);
    }
    config[7] = kind == 2 ? 1000000000 : config[7];
    if (ops->build(config, clos) != 0)
    {
        return false;
    }
    return clos->nlinks <= MOST_LINKS &&
           clos->hosts_per_tor + clos->up_tor * clos->parallel <= FIB_MODEL_PORTS;
}

/** Some links one by one, and some runs of them. */
static size_t
kill(const struct weft_clos *clos, struct fuzz_input *in, uint64_t *dead)
{
    bool down[MOST_LINKS] = {false};
    size_t n = 0;
    for (uint32_t k = fuzz_below(in, 40); k > 0 && in->left > 0; k--)
    {
        const uint32_t first = fuzz_below(in, (uint32_t)clos->nlinks);
        const uint32_t run = fuzz_below(in, 4) == 0 ? fuzz_byte(in) : 1;
        for (uint32_t i = first; i < first + run && i < clos->nlinks; i++)
        {
            down[i] = true;
        }
    }
    for (uint32_t i = 0; i < clos->nlinks; i++)
    {
        if (down[i])
        {
            dead[n++] = i;
        }
    }
    return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    struct graph g;
    uint64_t dead[MOST_LINKS];
    const bool weighted = fuzz_below(&in, 2) == 0;
    if (!choose(&g.clos, &in))
    {
        return 0;
    }
    const uint32_t first = fuzz_byte(&in);
    const size_t n = kill(&g.clos, &in, dead);
    const int64_t bytes = weft_fib_size(&g.clos, dead, n, weighted);
    MUST(bytes > 0);
    struct weft_fib *fib = malloc((size_t)bytes);
    MUST(weft_fib_build(fib, (size_t)bytes, &g.clos, dead, n, weighted) == 0);
    graph_init(&g);
    graph_wire(&g, dead, n);
    /* A few destinations are enough for one input. */
    const uint32_t step = 1 + g.clos.nhosts / 6;
    for (uint32_t dst = first % step; dst < g.clos.nhosts; dst += step)
    {
        graph_compare(&g, fib, weighted, dst);
    }
    graph_free(&g);
    free(fib);
    return 0;
}
