/* SPDX-License-Identifier: MIT */
/* Makes a fabric of its configuration, and what is read of it. */
#include "lb/sprayed.h"
#include "net/net-check.h"
#include "node/host-ports.h"
#include "node/sites.h"
#include "node/switch-node.h"
#include "parallel/net-ranks.h"

#include <weft/error.h>
#include <weft/psn.h>

#define SWITCH_STREAM  (UINT64_C(0x5317c4) << 32) /* rng streams of switches */
#define PORT_STREAM    (UINT64_C(0x3907) << 48)   /* of their ports */
#define TIE_STREAM     (UINT64_C(0x71e5) << 32)   /* of their ties */
#define SHORTEST_FRAME 38                         /* bytes: of Ethernet and IP without anything */
#define SERVER_BUFFER  1000000000                 /* bytes of each port of a server's own switch */

static void
take_levels(struct weft_net *net)
{
    const struct weft_net_config *c = &net->config;
    net->levels.n = c->nlevels;
    for (uint32_t i = 0; i < c->nlevels; i++)
    {
        net->level[i] = c->levels[i];
        net->levels.lb[i] = c->levels[i].lb;
        net->levels.config[i] = c->levels[i].lb_config;
        net->levels.tclass[i] = c->levels[i].tclass;
    }
    net->config.levels = net->level;
    weft_levels_ops(&net->levels, &net->joined);
    /* A balancer that is alone is asked without a detour. */
    net->lb = c->nlevels == 1 ? net->levels.lb[0] : &net->joined;
    net->lb_config = c->nlevels == 1 ? net->levels.config[0] : &net->levels;
}

static int
make_hosts_paths(struct weft_net *net, struct weft_nic_algos *a, uint32_t sl,
                 struct weft_refusal *why)
{
    struct weft_path_site site = weft_net_host_site(&net->config, sl, 0, why);
    const bool plans = net->level[sl].lb->plan; /* all ranks ask how many QPs a host may make */
    if (!a->path)
    {
        return 0;
    }
    a->path_stride = (a->path->host_size(a->path_config, &site) + 7) / 8 * 8;
    a->path_hosts = weft_take(&net->first.memory, a->path_stride * net->nhosts);
    int code = 0;
    for (uint32_t host = 0; host < net->nhosts && !code; host++)
    {
        site.host = host;
        code = weft_node_is_elsewhere(net, host) && !plans
                   ? 0
                   : a->path->host_init(weft_path_host(a, host), a->path_config, &site);
    }
    return code;
}

/* Returns the pacers of pulls of all hosts, which service levels share. */
static struct weft_puller *
pullers_of(struct weft_net *net)
{
    for (uint32_t sl = 0; sl < net->levels.n; sl++)
    {
        if (net->algos[sl].pullers)
        {
            return net->algos[sl].pullers;
        }
    }
    struct weft_puller *made = weft_take(&net->first.memory, net->nhosts * sizeof *made);
    for (uint32_t host = 0; host < net->nhosts; host++)
    {
        weft_puller_init(&made[host]);
    }
    return made;
}

static int
make_algos(struct weft_net *net, uint32_t sl, struct weft_refusal *why)
{
    const struct weft_net_level *l = &net->level[sl];
    struct weft_nic_algos *a = &net->algos[sl];
    *a = (struct weft_nic_algos){
        .transport = l->transport,
        .transport_config = l->transport_config,
        .cc = l->cc,
        .cc_config = l->cc_config,
        .path = l->lb->path,
        .path_config = l->lb_config,
        .frame = net->config.frame,
        .labels = l->labels,
        .ooo_degrees = weft_take(&net->first.memory, WEFT_OOO_DEGREES * sizeof(uint64_t)),
        .tclass = l->tclass,
        .sl = (uint8_t)sl,
    };
    a->pullers = l->cc->terms ? pullers_of(net) : NULL;
    return make_hosts_paths(net, a, sl, why);
}

static void
init_port(struct weft_net *net, struct weft_port *port, uint32_t index)
{
    port->index = (uint16_t)index;
    port->end = WEFT_NEVER;
    port->gap = net->config.frame.gap;
    port->lane = weft_take(&net->first.memory, net->classes * sizeof *port->lane);
}

/* Gives a host its ports, if there are several. */
static void
make_host_ports(struct weft_net *net, struct weft_host_node *h)
{
    const uint32_t n = weft_clos_host_ports(net->config.clos, h->node.number);
    h->node.nports = n;
    h->node.port = &h->port;
    init_port(net, &h->port, 0);
    if (n > 1)
    {
        h->node.port = weft_take(&net->first.memory, n * sizeof *h->node.port);
        h->ports = weft_take(&net->first.memory, sizeof *h->ports);
        h->ports->queue = weft_take(&net->first.memory, n * sizeof *h->ports->queue);
        h->ports->inside = weft_clos_inside_ports(net->config.clos, h->node.number);
        h->port.free_at = WEFT_NEVER; /* of a host with one port it is looked at first */
    }
    for (uint32_t i = 0; n > 1 && i < n; i++)
    {
        init_port(net, &h->node.port[i], i);
    }
}

static void
make_nic(const struct weft_net *net, struct weft_host *nic, int64_t rate, bool first)
{
    weft_host_init(nic, rate, first);
    if (net->config.frame.turn == WEFT_TURN_DESTINATIONS)
    {
        weft_host_serve_destinations(nic);
    }
}

static void
make_host(struct weft_net *net, uint32_t i)
{
    struct weft_host_node *h = &net->host[i];
    const struct weft_clos *clos = net->config.clos;
    const uint64_t inside = weft_clos_inside_ports(clos, i);
    const bool first = net->config.frame.ack_priority == WEFT_ACK_FIRST;
    int64_t rate[2] = {0, 0}; /* to the fabric, and to its server */
    h->node.number = i;
    h->node.worker = &net->first;
    h->wake_at = WEFT_NEVER;
    make_host_ports(net, h);
    for (uint32_t port = 0; port < h->node.nports; port++)
    {
        struct weft_link link;
        weft_planes_link(clos, weft_clos_host_link(clos, i, port), &link);
        rate[inside >> port & 1U] += link.rate;
    }
    make_nic(net, &h->nic, rate[0], first);
    if (inside && rate[0] > 0)
    {
        h->inside = weft_take(&net->first.memory, sizeof *h->inside);
        make_nic(net, h->inside, rate[1], first);
    }
}

static int
make_ports(struct weft_net *net, struct weft_switch_node *sw)
{
    const struct weft_net_config *c = &net->config;
    const struct weft_scheduler_site site = weft_net_scheduler_site(c);
    const bool schedules = weft_net_schedules(c);
    sw->node.port = weft_take(&net->first.memory, sw->node.nports * sizeof *sw->node.port);
    for (uint32_t i = 0; i < sw->node.nports; i++)
    {
        struct weft_port *port = &sw->node.port[i];
        init_port(net, port, i);
        if (schedules)
        {
            port->scheduler =
                weft_take(&net->first.memory, c->scheduler->state_size(c->scheduler_config) + 8);
            const int code = c->scheduler->init(port->scheduler, c->scheduler_config, &site);
            if (code)
            {
                return code;
            }
        }
    }
    return 0;
}

static void
seed_switch(struct weft_net *net, struct weft_switch_node *sw)
{
    const uint64_t seed = net->config.seed;
    const uint64_t run = net->config.run;
    struct weft_rng ties;
    weft_rng_seed(&ties, seed, run, TIE_STREAM + sw->index);
    sw->node.tie_salt = (uint64_t)weft_rng_u32(&ties) << 32;
    sw->node.tie_salt |= weft_rng_u32(&ties);
    weft_rng_seed(&sw->rng, seed, run, SWITCH_STREAM + sw->index);
    if (net->marks_at_dequeue)
    {
        sw->leaving = weft_take(&net->first.memory, sw->node.nports * sizeof *sw->leaving);
        for (uint32_t i = 0; i < sw->node.nports; i++)
        {
            weft_rng_seed(&sw->leaving[i], seed, run,
                          PORT_STREAM + ((uint64_t)sw->index << 16 | i));
        }
    }
}

static int
make_balancer(struct weft_net *net, struct weft_switch_node *sw, struct weft_refusal *why)
{
    sw->reader = (struct weft_port_reader){.of = sw, .read = weft_switch_read_port};
    const struct weft_site site = weft_net_switch_site(&net->config, sw->index, &sw->reader, why);
    weft_ecmp_init(&sw->ecmp, &site, false);
    sw->lb = weft_take(&net->first.memory, net->lb->state_size(net->lb_config, &site) + 16);
    return net->lb->init(sw->lb, net->lb_config, &site);
}

/* Makes a switch's buffer. That of a server's own network loses and marks nothing and pauses
 * nobody: credits keep it lossless, for which it has room here for what they would hold back. */
static int
make_buffer(struct weft_net *net, struct weft_switch_node *sw, struct weft_refusal *why)
{
    const uint32_t n = sw->node.nports;
    struct weft_mmu_config buffer = net->config.buffer;
    const int64_t size = weft_mmu_size(&buffer, n);
    if (sw->map.tier == WEFT_TIER_SERVER)
    {
        buffer.pfc = buffer.ecn = buffer.trim = 0;
        buffer.port_buffer = SERVER_BUFFER;
    }
    const int code = size < 0 ? (int)size : weft_mmu_check(&buffer, n, why);
    if (!code)
    {
        sw->mmu = weft_take(&net->first.memory, (size_t)size);
    }
    return code ? code : weft_mmu_init(sw->mmu, &buffer, n);
}

static int
make_switch(struct weft_net *net, uint32_t i, struct weft_refusal *why)
{
    struct weft_switch_node *sw = &net->sw[i];
    weft_clos_switch(net->config.clos, i, &sw->map);
    sw->index = i;
    const uint32_t each = net->config.clos->nswitches, planes = net->config.clos->planes;
    sw->plane = i / each < planes ? i / each : planes; /* behind them: servers' own */
    sw->local = i - sw->plane * each;
    sw->limit = WEFT_ALL_STARTS;
    sw->fires_at = WEFT_NEVER;
    sw->owed_at = WEFT_NEVER;
    sw->own_at = WEFT_NEVER;
    sw->departs_at = WEFT_NEVER;
    sw->sent_at = -1;
    sw->node.number = net->nhosts + i;
    sw->node.worker = &net->first;
    sw->node.nports = weft_map_nports(&sw->map);
    int code = make_buffer(net, sw, why);
    if (code)
    {
        return code;
    }
    sw->waiting = weft_take(&net->first.memory, net->words * sizeof *sw->waiting);
    for (uint32_t k = 0; sw->map.tier == 0 && k < net->config.nlevels; k++)
    {
        sw->has_tor = sw->has_tor || net->level[k].lb->tor;
    }
    if (sw->has_tor)
    {
        weft_switch_make_tournaments(sw);
        sw->tor_plane = UINT64_C(1) << sw->plane;
    }
    sw->is_tor = sw->map.tier == 0 && net->lb->arrive;
    sw->is_plain = !sw->has_tor && !sw->is_tor;
    seed_switch(net, sw);
    code = code ? code : make_ports(net, sw);
    return code ? code : make_balancer(net, sw, why);
}

static int
make_node(struct weft_net *net, uint32_t i, struct weft_refusal *why)
{
    if (i < net->nhosts)
    {
        make_host(net, i);
        return 0;
    }
    return make_switch(net, i - net->nhosts, why);
}

/* Connects a port with what comes to it: the lanes of the other end or, where another rank runs
 * that, copies of them. */
static void
listen_to(struct weft_net *net, struct weft_port *port, const struct weft_end *end)
{
    struct weft_port *other = weft_net_port_at(net, end);
    port->is_fed = !other;
    port->from =
        other ? other->lane : weft_take(&net->first.memory, net->classes * sizeof *port->from);
    port->pfc_from = other ? &other->pfc : weft_take(&net->first.memory, sizeof *port->pfc_from);
}

static void
connect_end(struct weft_net *net, const struct weft_link *link, const struct weft_end *end,
            const struct weft_end *other)
{
    struct weft_port *port = weft_net_port_at(net, end);
    const uint32_t node = weft_net_node_at(net, other);
    if (!port)
    {
        return;
    }
    port->peer_due = &net->due[node];
    port->peer_soon = weft_soon_of(net, node);
    port->peer_coming = &net->coming[(size_t)node * net->words + other->port / 64U];
    port->peer_bit = UINT64_C(1) << (other->port & 63U);
    listen_to(net, port, other);
    port->delay = port->from_delay = link->delay;
    port->from_rate = link->rate;
    port->faces_host = other->is_host;
    port->paused_for.since = WEFT_NEVER;
    weft_port_set_rate(port, link->rate);
}

static void
connect(struct weft_net *net, uint64_t link)
{
    struct weft_link of;
    weft_planes_link(net->config.clos, link, &of);
    connect_end(net, &of, &of.lower, &of.upper);
    connect_end(net, &of, &of.upper, &of.lower);
}

static void
take_rows(struct weft_net *net)
{
    const struct weft_clos *clos = net->config.clos;
    const uint32_t nodes = clos->nhosts + weft_planes_switches(clos);
    uint32_t ports = weft_clos_most_ports(clos);
    for (uint32_t i = 0; i < weft_planes_switches(clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(clos, i, &map);
        ports = weft_map_nports(&map) > ports ? weft_map_nports(&map) : ports;
    }
    net->nhosts = clos->nhosts;
    net->nswitches = weft_planes_switches(clos);
    net->fib = (const struct weft_fib **)weft_take(&net->first.memory,
                                                   (clos->planes + 1) * sizeof *net->fib);
    net->words = (ports + 63) / 64;
    net->host = weft_take(&net->first.memory, net->nhosts * sizeof *net->host);
    net->sw = weft_take(&net->first.memory, net->nswitches * sizeof *net->sw);
    net->node = (struct weft_node **)weft_take(&net->first.memory, nodes * sizeof *net->node);
    net->run_by = weft_take(&net->first.memory, nodes);
    net->due = weft_take(&net->first.memory, nodes * sizeof *net->due);
    net->soon = weft_take(&net->first.memory, (nodes / WEFT_BLOCK + 1) * (size_t)64);
    net->slack = weft_take(&net->first.memory, net->nswitches * sizeof *net->slack);
    net->coming = weft_take(&net->first.memory, (size_t)nodes * net->words * sizeof *net->coming);
    net->first.nblocks = (nodes + WEFT_BLOCK - 1) / WEFT_BLOCK;
    net->first.block = weft_take(&net->first.memory, net->first.nblocks * sizeof *net->first.block);
    for (uint32_t i = 0; i < nodes; i++)
    {
        net->due[i] = WEFT_NEVER;
        *weft_soon_of(net, i) = WEFT_NEVER;
        net->first.block[i / WEFT_BLOCK] = i / WEFT_BLOCK * WEFT_BLOCK;
        net->node[i] = i < net->nhosts ? &net->host[i].node : &net->sw[i - net->nhosts].node;
    }
}

/* Bytes of the shortest frame. */
static int64_t
shortest_frame(const struct weft_net_config *c)
{
    const int64_t of[] = {c->frame.ack, c->frame.header + 1, /* data of a byte */
                          c->buffer.trim ? c->buffer.trim_bytes : SHORTEST_FRAME};
    int64_t least = SHORTEST_FRAME;
    for (unsigned i = 0; i < sizeof of / sizeof of[0]; i++)
    {
        least = of[i] < least ? of[i] : least;
    }
    return least;
}

static void
settle_flags(struct weft_net *net)
{
    const struct weft_mmu_config *b = &net->config.buffer;
    bool tor = false;
    for (uint32_t i = 0; i < net->config.nlevels; i++)
    {
        tor = tor || net->level[i].lb->tor;
        net->stamps = net->stamps || net->level[i].cc->on_stamps;
    }
    net->classes = (uint32_t)b->classes;
    net->marks_at_enqueue = b->ecn && b->ecn_at == WEFT_ECN_ENQUEUE;
    net->marks_at_dequeue = b->ecn && b->ecn_at == WEFT_ECN_DEQUEUE;
    net->counts_by_class = weft_mmu_counts_by_class(b);
    net->mark_above = !net->marks_at_enqueue ? INT64_MAX : net->counts_by_class ? -1 : b->kmin;
    net->calm = net->mark_above < 0            ? 0
                : net->mark_above > UINT32_MAX ? UINT32_MAX
                                               : (uint32_t)net->mark_above;
    net->ideal_replies = net->config.frame.ack_priority == WEFT_ACK_IDEAL;
    net->reads_queues = weft_lb_looks(net->lb, net->lb_config);
    net->hashes_replies = net->config.frame.replies != WEFT_REPLIES_BALANCER;
    net->looks = net->reads_queues || net->lb->leave || net->hashes_replies;
    net->hashes = net->lb->pick == weft_sprayed_pick && !net->looks;
    net->looks_at_dequeue = net->marks_at_dequeue || net->stamps;
    net->has_tor = tor;
    net->tor_active = UINT64_MAX;
    weft_net_note_routes(net);
    net->shortest = shortest_frame(&net->config);
    net->window = weft_clos_least_delay(net->config.clos, net->shortest);
    net->first.chunks.take = net->config.frames.take;
    net->first.chunks.of = net->config.frames.of;
    net->first.algos = net->algos;
}

/* A graph has no structured forwarding. */
static int
route_graph(struct weft_net *net)
{
    const struct weft_fib_case healthy = {.weights = net->config.weights};
    if (!net->config.clos->graph)
    {
        return 0;
    }
    const int64_t size = weft_fib_size_for(net->config.clos, &healthy);
    if (size < 0)
    {
        return (int)size;
    }
    net->whole = weft_take(&net->first.memory, (size_t)size);
    net->fib[0] = net->whole;
    net->has_fib = true;
    weft_net_note_routes(net);
    return weft_fib_build_for(net->whole, (size_t)size, net->config.clos, &healthy);
}

/* Returns the least time after which a host hears of a loss elsewhere: the reply to a packet
 * through the fabric crosses links of two hosts. */
static int64_t
soonest_news(const struct weft_net *net)
{
    int64_t least = WEFT_NEVER;
    bool tells = false;
    for (uint32_t i = 0; i < net->config.nlevels; i++)
    {
        tells = tells || net->level[i].transport->tx_lost;
    }
    for (uint32_t i = 0; i < net->nhosts && tells; i++)
    {
        const struct weft_host_node *h = &net->host[i];
        for (uint32_t k = 0; k < h->node.nports; k++)
        {
            const bool inside = h->inside && (h->ports->inside >> k & 1U);
            const int64_t both = inside ? WEFT_NEVER : 2 * h->node.port[k].delay;
            least = both < least ? both : least;
        }
    }
    return least;
}

/* Notes how much longer than a window it takes until something is noticed elsewhere that a switch
 * does. Ranks wait for all nodes of a window; stamps are there after one. */
static void
note_slack(struct weft_net *net)
{
    const int64_t news = soonest_news(net);
    for (uint32_t i = 0; i < net->nswitches; i++)
    {
        const struct weft_node *node = &net->sw[i].node;
        int64_t least = news;
        for (uint32_t k = 0; k < node->nports; k++)
        {
            least = node->port[k].delay < least ? node->port[k].delay : least;
        }
        net->slack[i] = least > net->window ? least - net->window : 0;
        net->has_slack = net->has_slack || net->slack[i] > 0;
    }
}

int
weft_net_make(struct weft_net **made, const struct weft_net_config *config,
              struct weft_refusal *why)
{
    int code = weft_net_check_all(config, why);
    *made = NULL;
    if (code)
    {
        return code;
    }
    struct weft_net *net = config->memory.take(config->memory.of, sizeof *net);
    net->config = *config;
    net->first.memory = config->memory;
    net->config.frames = config->frames.take ? config->frames : config->memory;
    take_levels(net);
    settle_flags(net);
    take_rows(net);
    weft_worker_begin(&net->first, net);
    code = weft_ranks_begin(net, why);
    for (uint32_t i = 0; i < net->nhosts + net->nswitches && !code; i++)
    {
        code = weft_node_is_elsewhere(net, i) ? 0 : make_node(net, i, why);
    }
    for (uint32_t i = 0; i < config->nlevels && !code; i++)
    {
        code = make_algos(net, i, why);
    }
    for (uint64_t i = 0; i < weft_planes_links(config->clos) && !code; i++)
    {
        connect(net, i);
    }
    if (!code && !config->ranks && !net->stamps)
    {
        note_slack(net);
    }
    code = code ? code : route_graph(net);
    *made = code ? NULL : net;
    return code;
}
