/* SPDX-License-Identifier: MIT */
/* Numbering, links and structured forwarding of Clos fabrics with 2 and 3 tiers. */
#include "checked/check.h"
#include "topo/clos-shape.h"
#include "topo/graph-distance.h"

#include <weft/error.h>
#include <weft/wire-time.h>

/* Between two hosts. */
#define MAX_PATHS (INT64_C(1) << 24)

static int64_t
planes_of(const struct weft_clos_shape *s)
{
    return s->hosts.planes ? s->hosts.planes : 1;
}

static int
check_counts(const struct weft_clos_shape *s)
{
    const int64_t counts[] = {
        s->pods,     s->tors_per_pod, s->hosts_per_tor,          s->aggs_per_pod,
        s->parallel, planes_of(s),    s->up_agg ? s->up_agg : 1, s->up_agg ? s->core_parallel : 1};
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++)
    {
        if (counts[i] < 1)
        {
            return WEFT_ERANGE;
        }
        if (counts[i] > WEFT_MAX_HOSTS)
        {
            return WEFT_EOVERFLOW;
        }
    }
    if (s->hosts.tors < 0 || s->hosts.gpus < 0 || s->hosts.server_rate < 0 ||
        s->hosts.server_delay < 0 || s->host_rate < 1 || s->fabric_rate < 0 || s->core_rate < 0 ||
        s->host_delay < 0 || s->fabric_delay < 0 || s->core_delay < 0 ||
        (s->up_agg == 0 && s->pods > 1))
    {
        return WEFT_ERANGE;
    }
    return 0;
}

/* No product here exceeds 2^60: check_counts() came first, and paths come last. */
static bool
fits(const struct weft_clos_shape *s)
{
    const int64_t cores = s->up_agg * s->core_parallel; /* links from an aggregation; 0: 2 tiers */
    const int64_t core_ports = cores ? s->pods * s->core_parallel : 0;
    return s->pods * s->tors_per_pod <= WEFT_MAX_HOSTS &&
           s->pods * s->tors_per_pod * s->hosts_per_tor <= WEFT_MAX_HOSTS &&
           s->hosts_per_tor + s->aggs_per_pod * s->parallel <= WEFT_MAX_PORTS &&
           s->tors_per_pod * s->parallel + cores <= WEFT_MAX_PORTS &&
           core_ports <= WEFT_MAX_PORTS && s->hosts.gpus <= WEFT_MAX_PORTS &&
           planes_of(s) * (s->hosts.tors ? s->hosts.tors : 1) + (s->hosts.server_rate > 0) <=
               WEFT_MAX_PLANES &&
           s->pods * s->aggs_per_pod <= WEFT_MAX_HOSTS &&
           s->aggs_per_pod * s->up_agg <= WEFT_MAX_HOSTS &&
           s->aggs_per_pod * s->parallel * s->parallel * (cores ? cores * s->core_parallel : 1) <=
               MAX_PATHS;
}

/* Returns what is wrong with the hosts' servers and ToRs, or NULL. */
static const char *
wrong_hosts(const struct weft_clos_shape *s)
{
    const int64_t of = s->rails ? s->pods * s->tors_per_pod : s->hosts_per_tor;
    if (s->hosts.gpus == 0 && (s->rails || s->hosts.server_rate > 0))
    {
        return "it has a scale-up network and no servers; expected gpus-per-server";
    }
    if (s->hosts.gpus > 0 && of % s->hosts.gpus != 0)
    {
        return "it has a part of a server; expected gpus-per-server that divides the hosts of a "
               "ToR, or of rail-optimised fabrics the ToRs";
    }
    return s->hosts.tors > 1 && s->tors_per_pod % s->hosts.tors != 0
               ? "it has hosts at fewer ToRs than others; expected tors-per-host that divides the "
                 "ToRs, or those of a pod"
               : NULL;
}

/* @p own, or what stands for it. */
static int64_t
given(int64_t own, int64_t otherwise)
{
    return own ? own : otherwise;
}

static void
fill_links(const struct weft_clos_shape *s, struct weft_clos *clos)
{
    const bool cores = s->up_agg > 0;
    clos->parallel = (uint32_t)s->parallel;
    clos->core_parallel = (uint32_t)(cores ? s->core_parallel : s->parallel);
    clos->host_rate = s->host_rate;
    clos->fabric_rate = given(s->fabric_rate, clos->host_rate);
    clos->core_rate = given(cores ? s->core_rate : 0, clos->fabric_rate);
    if (s->hosts.divided)
    {
        clos->host_rate /= planes_of(s);
        clos->fabric_rate /= planes_of(s);
        clos->core_rate /= planes_of(s);
    }
    clos->host_delay = s->host_delay;
    clos->fabric_delay = given(s->fabric_delay, clos->host_delay);
    clos->core_delay = given(cores ? s->core_delay : 0, clos->fabric_delay);
}

int
weft_clos_refuse(struct weft_clos *clos, int code)
{
    *clos = (struct weft_clos){
        .hosts_per_tor = 1,
        .tors_per_pod = 1,
        .up_tor = 1,
        .up_agg = 1,
        .parallel = 1,
        .core_parallel = 1,
        .host_rate = 1,
        .fabric_rate = 1,
        .core_rate = 1,
        .planes = 1,
    };
    return code;
}

int
weft_clos_fill(const struct weft_clos_shape *s, struct weft_clos *clos)
{
    const int error = check_counts(s);
    if (error || !fits(s) || wrong_hosts(s))
    {
        return weft_clos_refuse(clos, error      ? error
                                      : !fits(s) ? (int)WEFT_EOVERFLOW
                                                 : (int)WEFT_ERANGE);
    }
    clos->graph = NULL;
    clos->planes = (uint32_t)planes_of(s);
    fill_links(s, clos);
    clos->tiers = s->up_agg ? 3 : 2;
    clos->npods = (uint32_t)s->pods;
    clos->tors_per_pod = (uint32_t)s->tors_per_pod;
    clos->ntors = clos->npods * clos->tors_per_pod;
    clos->hosts_per_tor = (uint32_t)s->hosts_per_tor;
    clos->nhosts = clos->ntors * clos->hosts_per_tor;
    clos->up_tor = (uint32_t)s->aggs_per_pod;
    clos->up_agg = (uint32_t)s->up_agg;
    clos->naggs = clos->npods * clos->up_tor;
    clos->ncores = clos->up_tor * clos->up_agg;
    clos->nswitches = clos->ntors + clos->naggs + clos->ncores;
    clos->npaths =
        clos->up_tor * clos->parallel * (s->up_agg ? clos->up_agg * clos->core_parallel : 1);
    clos->nlinks = weft_clos_agg_link(clos, clos->naggs);
    clos->gpus = (uint32_t)s->hosts.gpus;
    clos->rails = s->rails;
    clos->server_rate = s->hosts.server_rate;
    clos->server_delay = s->hosts.server_rate > 0 ? s->hosts.server_delay : 0;
    return 0;
}

const char *
weft_clos_wrong(const struct weft_clos_shape *s)
{
    switch (check_counts(s))
    {
    case 0:
        return fits(s) ? wrong_hosts(s)
                       : "it is too large; expected at most 1048576 hosts, 8192 ports per switch, "
                         "64 ports per host, that to its server's network included, and 2^24 paths "
                         "between two hosts";
    case WEFT_EOVERFLOW:
        return "it is too large; expected at most 1048576 of anything";
    default:
        return "a number of switches, hosts or links, or a rate, is below 1, or a delay negative";
    }
}

int
weft_clos_check(const struct weft_clos *c)
{
    const struct weft_clos_shape shape = {
        c->npods,         c->tors_per_pod,
        c->hosts_per_tor, c->up_tor,
        c->up_agg,        c->parallel,
        c->core_parallel, c->host_rate,
        c->fabric_rate,   c->core_rate,
        c->host_delay,    c->fabric_delay,
        c->core_delay,    {c->planes, 0, 0, c->gpus, c->server_rate, c->server_delay, NULL},
        c->rails};
    struct weft_clos same;
    const bool filled = !c->graph && weft_clos_fill(&shape, &same) == 0 && c->tiers == same.tiers &&
                        c->nhosts == same.nhosts && c->nswitches == same.nswitches &&
                        c->nlinks == same.nlinks && c->ntors == same.ntors &&
                        c->naggs == same.naggs && c->ncores == same.ncores &&
                        c->npaths == same.npaths && c->core_parallel == same.core_parallel &&
                        c->fabric_rate == same.fabric_rate && c->core_rate == same.core_rate;
    return filled ? 0 : WEFT_EINVAL;
}

static void
set_ends(struct weft_link *link, uint32_t lower, uint32_t lower_port, uint32_t upper,
         uint32_t upper_port)
{
    link->lower.index = lower;
    link->lower.port = lower_port;
    link->upper.index = upper;
    link->upper.port = upper_port;
}

static void
host_link(const struct weft_clos *clos, uint32_t host, struct weft_link *link)
{
    link->lower.is_host = true;
    link->rate = clos->host_rate;
    link->delay = clos->host_delay;
    set_ends(link, host, 0, host / clos->hosts_per_tor, host % clos->hosts_per_tor);
}

static void
tor_link(const struct weft_clos *clos, uint64_t i, struct weft_link *link)
{
    const uint32_t ups = clos->up_tor * clos->parallel;
    const uint32_t tor = (uint32_t)(i / ups);
    const uint32_t up = (uint32_t)(i % ups);
    const uint32_t pod = tor / clos->tors_per_pod;
    set_ends(link, tor, clos->hosts_per_tor + up,
             clos->ntors + pod * clos->up_tor + up / clos->parallel,
             tor % clos->tors_per_pod * clos->parallel + up % clos->parallel);
}

static void
agg_link(const struct weft_clos *clos, uint64_t i, struct weft_link *link)
{
    const uint32_t ups = clos->up_agg * clos->core_parallel;
    const uint32_t agg = (uint32_t)(i / ups);
    const uint32_t up = (uint32_t)(i % ups);
    const uint32_t core = agg % clos->up_tor * clos->up_agg + up / clos->core_parallel;
    link->rate = clos->core_rate;
    link->delay = clos->core_delay;
    set_ends(link, clos->ntors + agg, clos->tors_per_pod * clos->parallel + up,
             clos->ntors + clos->naggs + core,
             agg / clos->up_tor * clos->core_parallel + up % clos->core_parallel);
}

void
weft_clos_link(const struct weft_clos *clos, uint64_t i, struct weft_link *link)
{
    const uint64_t first_agg = weft_clos_agg_link(clos, 0);
    WEFT_ASSERT(i < clos->nlinks, "weft_clos_link", "a link is below nlinks of the shape");
    if (clos->graph)
    {
        *link = clos->graph->links[i];
        return;
    }
    link->lower.is_host = false;
    link->upper.is_host = false;
    link->rate = clos->fabric_rate;
    link->delay = clos->fabric_delay;
    if (i < clos->nhosts)
    {
        host_link(clos, (uint32_t)i, link);
    }
    else if (i < first_agg)
    {
        tor_link(clos, i - clos->nhosts, link);
    }
    else
    {
        agg_link(clos, i - first_agg, link);
    }
}

/* The link of a host to its server's switch. */
static void
server_link(const struct weft_clos *clos, uint32_t host, struct weft_link *link)
{
    link->rate = clos->server_rate;
    link->delay = clos->server_delay;
    link->lower.is_host = true;
    link->upper.is_host = false;
    set_ends(link, host, clos->planes,
             clos->planes * clos->nswitches + weft_clos_server(clos, host),
             weft_clos_gpu(clos, host));
}

void
weft_planes_link(const struct weft_clos *clos, uint64_t i, struct weft_link *link)
{
    WEFT_ASSERT(i < weft_planes_links(clos), "weft_planes_link",
                "a link is below weft_planes_links() of the shape");
    if (i >= clos->planes * clos->nlinks)
    {
        server_link(clos, (uint32_t)(i - clos->planes * clos->nlinks), link);
        return;
    }
    const uint32_t plane = (uint32_t)(i / clos->nlinks);
    weft_clos_link(clos, i % clos->nlinks, link);
    *(link->lower.is_host ? &link->lower.port : &link->lower.index) +=
        link->lower.is_host ? plane : plane * clos->nswitches;
    link->upper.index += plane * clos->nswitches;
}

/*
 * x / d as (x * magic) >> shift with magic = ceil(2^(20 + l) / d), 2^l >= d: exact for x < 2^20
 * (Granlund & Montgomery 1994), and magic < 2^22.
 */
static void
set_division(struct weft_switch_map *map, uint32_t d)
{
    uint32_t l = 0;
    while ((UINT32_C(1) << l) < d)
    {
        l++;
    }
    map->hosts_per_child = d;
    map->child_shift = (uint8_t)(20 + l);
    map->child_magic = (uint32_t)(((UINT64_C(1) << (20 + l)) + d - 1) / d);
}

static void
tor_map(const struct weft_clos *clos, uint32_t tor, struct weft_switch_map *map)
{
    map->tier = 0;
    map->lo = tor * clos->hosts_per_tor;
    map->hi = map->lo + clos->hosts_per_tor;
    map->parallel = 1;
    map->first_up = (uint16_t)clos->hosts_per_tor;
    map->n_up = (uint16_t)(clos->up_tor * clos->parallel);
    set_division(map, 1);
}

static void
agg_map(const struct weft_clos *clos, uint32_t agg, struct weft_switch_map *map)
{
    const uint32_t pod_hosts = clos->tors_per_pod * clos->hosts_per_tor;
    map->tier = 1;
    map->lo = agg / clos->up_tor * pod_hosts;
    map->hi = map->lo + pod_hosts;
    map->parallel = (uint16_t)clos->parallel;
    map->first_up = (uint16_t)(clos->tors_per_pod * clos->parallel);
    map->n_up = (uint16_t)(clos->up_agg * clos->core_parallel);
    set_division(map, clos->hosts_per_tor);
}

static void
core_map(const struct weft_clos *clos, struct weft_switch_map *map)
{
    map->tier = 2;
    map->lo = 0;
    map->hi = clos->nhosts;
    map->parallel = (uint16_t)clos->core_parallel;
    map->first_up = (uint16_t)(clos->npods * clos->core_parallel);
    map->n_up = 0;
    set_division(map, clos->tors_per_pod * clos->hosts_per_tor);
}

/* A server's switch: its hosts are in a row, or as far apart as those of their ToRs. */
static void
server_map(const struct weft_clos *clos, uint32_t server, struct weft_switch_map *map)
{
    const uint32_t apart = clos->rails ? clos->hosts_per_tor : 1;
    map->tier = WEFT_TIER_SERVER;
    map->lo = weft_clos_first_gpu(clos, server);
    map->hi = map->lo + (clos->gpus - 1) * apart + 1;
    map->parallel = 1;
    map->first_up = (uint16_t)clos->gpus;
    map->n_up = 0;
    set_division(map, apart);
}

static void
graph_map(const struct weft_clos *clos, uint32_t index, struct weft_switch_map *map)
{
    const struct weft_graph *g = clos->graph;
    const uint32_t nports = g->first_port[index + 1] - g->first_port[index];
    const uint32_t hosts = g->nhost_ports[index];
    const uint32_t to_tors =
        clos->tiers == 3 && hosts == 0 ? weft_graph_tor_ports(g, index) : nports;
    map->tier = weft_graph_is_server(g, index) ? WEFT_TIER_SERVER
                : hosts > 0                    ? 0
                                               : 1U + (to_tors == 0);
    map->lo = map->hi = 0;
    map->parallel = 1;
    map->first_up = (uint16_t)(hosts ? hosts : to_tors ? to_tors : nports);
    map->n_up = (uint16_t)(nports - map->first_up);
    set_division(map, 1);
}

void
weft_clos_port(const struct weft_clos *clos, uint32_t index, uint32_t port, int64_t *rate,
               int64_t *delay)
{
    struct weft_switch_map map;
    WEFT_CHECK(index < weft_planes_switches(clos), "weft_clos_port", WEFT_RULE_SWITCH);
    weft_clos_switch(clos, index, &map);
    WEFT_CHECK(port < weft_map_nports(&map), "weft_clos_port",
               "a port is below those of its switch");
    const bool host = map.tier == 0 && port < map.first_up;
    const bool core = map.tier == 2 || (map.tier == 1 && port >= map.first_up);
    *rate = host ? clos->host_rate : core ? clos->core_rate : clos->fabric_rate;
    *delay = host ? clos->host_delay : core ? clos->core_delay : clos->fabric_delay;
    if (map.tier == WEFT_TIER_SERVER)
    {
        *rate = clos->server_rate;
        *delay = clos->server_delay;
    }
    if (clos->graph)
    {
        const struct weft_graph *g = clos->graph;
        const struct weft_link *link = &g->links[g->ports[g->first_port[index] + port].link];
        *rate = link->rate;
        *delay = link->delay;
    }
}

void
weft_clos_switch(const struct weft_clos *clos, uint32_t index, struct weft_switch_map *map)
{
    WEFT_ASSERT(index < weft_planes_switches(clos), "weft_clos_switch", WEFT_RULE_SWITCH);
    if (index >= clos->planes * clos->nswitches)
    {
        server_map(clos, index - clos->planes * clos->nswitches, map);
        return;
    }
    index = clos->planes > 1 ? index % clos->nswitches : index;
    if (clos->graph)
    {
        graph_map(clos, index, map);
    }
    else if (index < clos->ntors)
    {
        tor_map(clos, index, map);
    }
    else if (index < clos->ntors + clos->naggs)
    {
        agg_map(clos, index - clos->ntors, map);
    }
    else
    {
        core_map(clos, map);
    }
}

uint32_t
weft_clos_hops(const struct weft_clos *clos, uint32_t a, uint32_t b)
{
    WEFT_CHECK_HOSTS(clos, a, b, "weft_clos_hops");
    if (clos->graph)
    {
        return weft_graph_hops(clos->graph, a, b);
    }
    if (weft_clos_inside(clos, a, b))
    {
        return 2;
    }
    const uint32_t tor_a = weft_clos_tor(clos, a);
    const uint32_t tor_b = weft_clos_tor(clos, b);
    if (a == b)
    {
        return 0;
    }
    if (tor_a == tor_b)
    {
        return 2;
    }
    return tor_a / clos->tors_per_pod == tor_b / clos->tors_per_pod ? 4 : 6;
}

int64_t
weft_clos_way(const struct weft_clos *clos, uint32_t a, uint32_t b, int64_t bytes)
{
    WEFT_CHECK_HOSTS(clos, a, b, "weft_clos_way");
    if (clos->graph)
    {
        return weft_graph_time(clos->graph, a, b, bytes);
    }
    if (weft_clos_inside(clos, a, b))
    {
        return 2 * (clos->server_delay + weft_wire_time(bytes, clos->server_rate));
    }
    const uint32_t links = weft_clos_hops(clos, a, b);
    const uint32_t inner = links > 2 ? 2 : 0;
    const uint32_t cores = links > 4 ? 2 : 0;
    return 2 * (clos->host_delay + weft_wire_time(bytes, clos->host_rate)) +
           inner * (clos->fabric_delay + weft_wire_time(bytes, clos->fabric_rate)) +
           cores * (clos->core_delay + weft_wire_time(bytes, clos->core_rate));
}

int64_t
weft_link_least_delay(const struct weft_link *link, int64_t bytes)
{
    /* A frame that waited for the wire may have begun by a fraction of a ps before. */
    int64_t carry = 0;
    const int64_t wire = weft_wire_carry(bytes, link->rate, &carry);
    return link->delay > 0 ? link->delay : wire - (carry > 0 && wire > 1);
}

int64_t
weft_clos_least_delay(const struct weft_clos *clos, int64_t bytes)
{
    int64_t least = WEFT_NEVER; /* of the last plane, which is as the others, and of servers */
    for (uint64_t i = (clos->planes - 1) * clos->nlinks; i < weft_planes_links(clos); i++)
    {
        struct weft_link link;
        weft_planes_link(clos, i, &link);
        const int64_t delay = weft_link_least_delay(&link, bytes);
        least = delay < least ? delay : least;
    }
    return least;
}

uint32_t
weft_clos_best_path(const struct weft_clos *clos, uint32_t a, uint32_t b, struct weft_hop *hops,
                    uint32_t most)
{
    WEFT_CHECK_HOSTS(clos, a, b, "weft_clos_best_path");
    if (clos->graph)
    {
        return weft_graph_best_path(clos->graph, a, b, hops, most);
    }
    const struct weft_hop tiers[3] = {{clos->host_rate, clos->host_delay},
                                      {clos->fabric_rate, clos->fabric_delay},
                                      {clos->core_rate, clos->core_delay}};
    const struct weft_hop server = {clos->server_rate, clos->server_delay};
    const uint32_t links = weft_clos_hops(clos, a, b);
    const bool inside = weft_clos_inside(clos, a, b);
    for (uint32_t i = 0; i < links && i < most; i++)
    {
        hops[i] = inside ? server : tiers[i < links / 2 ? i : links - 1 - i];
    }
    return links;
}

void
weft_clos_site(const struct weft_clos *clos, const struct weft_mmu_config *buffer, uint32_t index,
               uint64_t seed, uint64_t run, struct weft_site *out)
{
    struct weft_switch_map map;
    WEFT_CHECK(index < weft_planes_switches(clos), "weft_clos_site", WEFT_RULE_SWITCH);
    const uint32_t each = clos->nswitches > 0 ? clos->nswitches : 1; /* a refused shape has none */
    const uint32_t last = clos->planes * each - 1, of = index < last ? index : last;
    const uint32_t plane = of / each, own = of % each;
    weft_clos_switch(clos, own, &map);
    out->seed = plane > 0 ? weft_mix64(seed ^ weft_mix64(plane)) : seed;
    out->run = run;
    out->switch_index = own;
    out->nports = weft_map_nports(&map);
    out->tier = clos->graph && map.tier == 2 ? 1 : map.tier;
    out->tiers = clos->graph ? 0 : clos->tiers;
    out->up_ports = clos->graph && map.tier > 0 ? 0 : map.n_up;
    out->npaths = clos->npaths;
    out->tclass = 1;
    out->port_rate = map.tier == 0 ? clos->fabric_rate : clos->core_rate;
    out->clos = clos->graph ? NULL : clos;
    out->port_buffer = out->nports ? weft_mmu_total(buffer, out->nports) / out->nports : 0;
    out->reader = NULL;
    out->random = NULL;
    out->why = NULL;
    out->provides = 0;
}

void
weft_clos_last_hop(const struct weft_clos *clos, const struct weft_fabric_config *frames,
                   struct weft_last_hop *out)
{
    const int64_t data = frames->payload + frames->header;
    out->npaths = clos->npaths;
    out->rate = clos->host_rate;
    out->why = NULL;
    out->provides = 0;
    out->mtu = data;
    out->rtt = 2 * clos->host_delay + weft_wire_time(data, clos->host_rate) +
               weft_wire_time(data + frames->gap, clos->host_rate) +
               weft_wire_time(frames->ack, clos->host_rate);
}
