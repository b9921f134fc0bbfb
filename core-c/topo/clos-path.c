/* SPDX-License-Identifier: MIT */
/* The shortest paths between two hosts, numbered by what each switch on the way chooses. */
#include "checked/check.h"
#include "topo/clos-shape.h"

/* Tiers between two hosts: 0 below one ToR, 1 in one pod, 2 beyond. */
static uint32_t
height(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    return weft_clos_hops(clos, src, dst) / 2 - 1;
}

uint32_t
weft_clos_paths(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    WEFT_CHECK_HOSTS(clos, src, dst, "weft_clos_paths");
    WEFT_CHECK(!clos->graph, "weft_clos_paths", WEFT_RULE_CLOS);
    if (src == dst)
    {
        return 0;
    }
    const uint32_t p = clos->parallel;
    const uint32_t c = clos->core_parallel;
    const uint32_t tiers = height(clos, src, dst);
    const uint32_t near = tiers > 0 ? clos->up_tor * p * p : 1;
    return tiers > 1 ? near * clos->up_agg * c * c : near;
}

/* Takes the lowest digit, in base @p base, off @p number. */
static uint32_t
take(uint32_t *number, uint32_t base)
{
    const uint32_t digit = *number % base;
    *number /= base;
    return digit;
}

uint32_t
weft_clos_path(const struct weft_clos *clos, uint32_t src, uint32_t dst, uint32_t path,
               uint64_t links[6])
{
    WEFT_CHECK_HOSTS(clos, src, dst, "weft_clos_path");
    WEFT_CHECK(!clos->graph, "weft_clos_path", WEFT_RULE_CLOS);
    const uint32_t p = clos->parallel;
    const uint32_t c = clos->core_parallel;
    const uint32_t s = weft_clos_tor(clos, src);
    const uint32_t t = weft_clos_tor(clos, dst);
    uint32_t n = 0;
    if (src == dst)
    {
        return 0;
    }
    WEFT_ASSERT(path < weft_clos_paths(clos, src, dst), "weft_clos_path",
                "a path is below weft_clos_paths() of its hosts");
    const uint32_t tiers = height(clos, src, dst);
    const uint32_t j = tiers > 0 ? take(&path, clos->up_tor * p) : 0;
    const uint32_t u = tiers > 1 ? take(&path, clos->up_agg * c) : 0;
    links[n++] = src;
    if (tiers > 0)
    {
        links[n++] = weft_clos_tor_link(clos, s) + j;
    }
    if (tiers > 1)
    {
        const uint32_t up = s / clos->tors_per_pod * clos->up_tor + j / p;
        const uint32_t down = t / clos->tors_per_pod * clos->up_tor + j / p;
        links[n++] = weft_clos_agg_link(clos, up) + u;
        links[n++] = weft_clos_agg_link(clos, down) + u / c * c + take(&path, c);
    }
    if (tiers > 0)
    {
        links[n++] = weft_clos_tor_link(clos, t) + j / p * p + take(&path, p);
    }
    links[n++] = dst;
    return n;
}
