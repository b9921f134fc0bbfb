/* SPDX-License-Identifier: MIT */
/* Look-ups of switches, balancers and hosts in the exceptions while links are down. */
#include "checked/check.h"
#include "topo/clos-shape.h"
#include "topo/fib.h"

static uint32_t
find(const struct weft_fib *fib, uint32_t sw, uint32_t target)
{
    return weft_fib_slot(fib, sw, target)->list;
}

static uint32_t
route_tor(const struct weft_fib *fib, uint32_t s, const struct weft_switch_map *map, uint32_t dst)
{
    if (dst - map->lo < map->hi - map->lo)
    {
        return fib->dead_hosts ? find(fib, s, fib->clos.ntors + fib->clos.npods + dst)
                               : WEFT_FIB_NONE;
    }
    const uint32_t t = weft_map_child(&fib->by_tor, dst);
    return fib->tor_lists[(size_t)fib->class_of[s] * fib->nclasses + fib->class_of[t]];
}

/* Whether a ToR has lost a link upwards. */
static bool
hurt(const struct weft_fib *fib, uint32_t t)
{
    return fib->class_of[t] >= fib->clos.npods;
}

/* Whether tier-1 switch j of a pod still reaches ToR t of that pod. */
static bool
hangs_below(const struct weft_fib *fib, uint32_t pod, uint32_t j, uint32_t t)
{
    return !hurt(fib, t) ||
           find(fib, fib->clos.ntors + pod * fib->clos.up_tor + j, t) != WEFT_FIB_EMPTY;
}

static uint32_t
route_agg(const struct weft_fib *fib, uint32_t index, const struct weft_switch_map *map,
          uint32_t dst)
{
    const struct weft_clos *c = &fib->clos;
    const uint32_t t = weft_map_child(&fib->by_tor, dst);
    if (dst - map->lo < map->hi - map->lo)
    {
        return hurt(fib, t) ? find(fib, index, t) : WEFT_FIB_NONE;
    }
    const uint32_t pod = weft_map_child(&fib->by_pod, dst);
    return hangs_below(fib, pod, (index - c->ntors) % c->up_tor, t)
               ? find(fib, index, c->ntors + pod)
               : WEFT_FIB_EMPTY;
}

static uint32_t
route_core(const struct weft_fib *fib, uint32_t index, uint32_t dst)
{
    const struct weft_clos *c = &fib->clos;
    const uint32_t pod = weft_map_child(&fib->by_pod, dst);
    const uint32_t core = index - c->ntors - c->naggs;
    return hangs_below(fib, pod, core / c->up_agg, weft_map_child(&fib->by_tor, dst))
               ? find(fib, index, c->ntors + pod)
               : WEFT_FIB_EMPTY;
}

bool
weft_fib_route(const struct weft_fib *fib, uint32_t index, const struct weft_switch_map *map,
               uint32_t dst, struct weft_ports *out)
{
    WEFT_CHECK(index < fib->clos.nswitches, "weft_fib_route", WEFT_RULE_SWITCH);
    WEFT_CHECK(dst < fib->clos.nhosts, "weft_fib_route", WEFT_RULE_HOSTS);
    if (fib->clos.graph)
    {
        return weft_graph_fib_route(fib, index, dst, out);
    }
    const uint32_t list = map->tier == 0   ? route_tor(fib, index, map, dst)
                          : map->tier == 1 ? route_agg(fib, index, map, dst)
                                           : route_core(fib, index, dst);
    weft_route(map, dst, out);
    if (list != WEFT_FIB_NONE)
    {
        const uint16_t *head = &fib->pool[list];
        out->n = head[0];
        out->round = head[1];
        out->even = head[2];
        out->list = head + WEFT_FIB_HEAD;
    }
    return out->n > 0;
}

bool
weft_fib_leads(const struct weft_clos *clos, const struct weft_fib *fib, uint32_t src, uint32_t dst)
{
    const uint32_t tor = weft_clos_tor(clos, src);
    struct weft_switch_map map;
    struct weft_ports ports;
    if (!fib || (clos->graph && clos->graph->most_ports > 1))
    {
        return !fib || weft_fib_ways(fib, src, dst) != 0;
    }
    weft_clos_switch(clos, tor, &map);
    return weft_fib_route(fib, tor, &map, dst, &ports);
}

bool
weft_fib_path(const struct weft_fib *fib, uint32_t src, uint32_t dst, uint32_t path)
{
    uint64_t links[6];
    const uint32_t n = weft_clos_path(&fib->clos, src, dst, path, links);
    for (uint32_t i = 0; i < n; i++)
    {
        if (weft_fib_dead(fib, links[i]))
        {
            return false;
        }
    }
    return n > 0;
}

/* Paths from aggregation j of pod p to that of pod q. */
static uint32_t
agg_paths(const struct weft_fib *fib, uint32_t p, uint32_t q, uint32_t j)
{
    const struct weft_clos *c = &fib->clos;
    const uint64_t up = weft_clos_agg_link(c, p * c->up_tor + j);
    const uint64_t down = weft_clos_agg_link(c, q * c->up_tor + j);
    const uint32_t n = c->core_parallel;
    uint32_t paths = 0;
    for (uint32_t u = 0; u < c->up_agg * n; u += n)
    {
        paths += weft_fib_live(fib, up + u, n) * weft_fib_live(fib, down + u, n);
    }
    return paths;
}

uint32_t
weft_fib_pod_weight(const struct weft_fib *fib, uint32_t index, uint32_t port, uint32_t pod)
{
    const struct weft_clos *c = &fib->clos;
    const bool tor = index < c->ntors;
    const uint32_t own = tor ? index / c->tors_per_pod : (index - c->ntors) / c->up_tor;
    const uint32_t up = port - (tor ? c->hosts_per_tor : c->tors_per_pod * c->parallel);
    WEFT_CHECK(!c->graph && index < c->ntors + c->naggs && pod < c->npods, "weft_fib_pod_weight",
               "a ToR or an aggregation of a Clos, and one of its pods");
    WEFT_CHECK(up < (tor ? c->up_tor * c->parallel : c->up_agg * c->core_parallel),
               "weft_fib_pod_weight", "port is an up port of the switch");
    const uint32_t parent = up / (tor ? c->parallel : c->core_parallel);
    if (weft_fib_dead(fib, tor ? weft_clos_tor_link(c, index) + up
                               : weft_clos_agg_link(c, index - c->ntors) + up))
    {
        return 0;
    }
    if (tor)
    {
        return pod == own ? 1 : agg_paths(fib, own, pod, parent);
    }
    const uint32_t peer = pod * c->up_tor + (index - c->ntors) % c->up_tor;
    return weft_fib_live(fib, weft_clos_agg_link(c, peer) + (uint64_t)parent * c->core_parallel,
                         c->core_parallel);
}
