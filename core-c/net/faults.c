/* SPDX-License-Identifier: MIT */
/* Links that fail, come back or become slower, forwarding that changes, losses that are asked for.
 */
#include "node/host-ports.h"
#include "node/switch-node.h"
#include "parallel/net-ranks.h"

#include <weft/error.h>

/* Nodes of one rank may have something to do now: all agree on when. */
static void
tell_ranks(struct weft_net *net)
{
    if (net->ranks && net->threads) /* else nothing is under way yet */
    {
        weft_ranks_tell(net);
    }
}

/* Has what waits at a host's ports choose them again, if it has several. */
static void
choose_ports_again(struct weft_net *net, uint32_t host)
{
    struct weft_host_node *h = &net->host[host];
    if (!weft_node_is_elsewhere(net, host) && h->ports)
    {
        h->ports->moves = true;
        h->wake_at = net->now;
        weft_net_wake(net, host, net->now);
    }
}

static void
set_port_down(struct weft_net *net, const struct weft_end *end, bool down)
{
    struct weft_port *port = weft_net_port_at(net, end);
    if (port && down != (port->lost_before == INT64_MAX))
    {
        port->lost_before = down ? INT64_MAX : net->now;
        port->lost_rate = port->rate;
        port->carry = 0; /* what starts now starts now */
        if (end->is_host)
        {
            choose_ports_again(net, end->index);
        }
        else
        {
            net->sw[end->index].watches_links = true;
            net->sw[end->index].is_plain = false;
        }
    }
}

void
weft_net_set_down(struct weft_net *net, uint64_t link, bool down)
{
    struct weft_link of;
    weft_planes_link(net->config.clos, link, &of);
    set_port_down(net, &of.lower, down);
    set_port_down(net, &of.upper, down);
    if (weft_clos_most_ports(net->config.clos) > 1 && of.lower.is_host)
    {
        tell_ranks(net);
    }
}

static void
set_port_rate(struct weft_net *net, const struct weft_end *end, int64_t rate)
{
    struct weft_port *port = weft_net_port_at(net, end);
    if (port)
    {
        weft_port_set_rate(port, rate);
    }
}

int
weft_net_set_rate(struct weft_net *net, uint64_t link, int64_t rate)
{
    struct weft_link of;
    weft_planes_link(net->config.clos, link, &of);
    of.rate = rate;
    if (rate < 1 || weft_link_least_delay(&of, net->shortest) < net->window)
    {
        return WEFT_ERANGE;
    }
    set_port_rate(net, &of.lower, rate);
    set_port_rate(net, &of.upper, rate);
    return 0;
}

static void
restart_tor(struct weft_net *net, struct weft_net_qp *q)
{
    const struct weft_net_level *level = &net->level[q->qp.algos->sl];
    struct weft_last_hop hop;
    weft_clos_last_hop(net->config.clos, &net->config.frame, &hop);
    hop.why = NULL;
    hop.provides = WEFT_NEEDS_ALL;
    q->tor_ops->qp_init(q->tor, level->lb_config, &hop);
    weft_switch_note_owes(net, q);
}

/* The ToR of a QP's receiver in a plane. */
static struct weft_switch_node *
tor_of(const struct weft_net *net, const struct weft_net_qp *q)
{
    const struct weft_clos *clos = net->config.clos;
    return &net->sw[q->plane * clos->nswitches + weft_clos_tor(clos, q->qp.dst)];
}

/* Has the ToRs of a plane do their work, or not. */
static void
turn_tors(struct weft_net *net, uint32_t plane)
{
    const uint32_t first = plane * net->config.clos->nswitches;
    for (uint32_t i = first; i < first + net->config.clos->nswitches; i++)
    {
        if (!weft_node_is_elsewhere(net, net->nhosts + i) && net->sw[i].has_tor)
        {
            net->sw[i].tor_plane = net->tor_active & UINT64_C(1) << plane;
        }
    }
}

static void
set_tor_active(struct weft_net *net, uint32_t plane, bool active)
{
    for (uint32_t i = 0; i < net->nqps; i++)
    {
        struct weft_net_qp *q = net->qp[i];
        if (!q || !q->tor || q->plane != plane)
        {
            continue;
        }
        if (active)
        {
            restart_tor(net, q);
        }
        else
        {
            weft_switch_release_tor(net, tor_of(net, q), q);
        }
    }
    net->tor_active ^= UINT64_C(1) << plane;
    turn_tors(net, plane);
}

static void
tell_hosts(struct weft_net *net, const struct weft_nic_algos *algos, uint32_t plane,
           const struct weft_fib *fib)
{
    for (uint32_t host = 0; algos->path && algos->path->set_routes && host < net->nhosts; host++)
    {
        if (!weft_node_is_elsewhere(net, host))
        {
            algos->path->set_routes(weft_path_host(algos, host), plane, fib);
        }
    }
}

static void
set_fib(struct weft_net *net, uint32_t plane, const struct weft_fib *fib)
{
    net->fib[plane] = fib;
    net->has_fib = false;
    for (uint32_t i = 0; i < net->config.clos->planes; i++)
    {
        net->has_fib = net->has_fib || net->fib[i];
    }
    weft_net_note_routes(net);
}

void
weft_net_set_routes(struct weft_net *net, uint32_t plane, const struct weft_fib *fib, bool whole)
{
    const uint32_t each = net->config.clos->nswitches;
    bool has_tor = false;
    set_fib(net, plane, fib ? fib : net->whole);
    for (uint32_t i = plane * each; net->lb->set_routes && i < (plane + 1) * each; i++)
    {
        if (!weft_node_is_elsewhere(net, net->nhosts + i))
        {
            net->lb->set_routes(net->sw[i].lb, fib);
        }
    }
    for (uint32_t i = 0; i < net->nhosts; i++)
    {
        choose_ports_again(net, i);
    }
    for (uint32_t i = 0; i < net->config.nlevels; i++)
    {
        tell_hosts(net, &net->algos[i], plane, fib);
        has_tor = has_tor || net->level[i].lb->tor;
    }
    const bool turns = has_tor && whole != (net->tor_active >> plane & 1U);
    if (turns)
    {
        set_tor_active(net, plane, whole);
    }
    if (turns || weft_clos_most_ports(net->config.clos) > 1)
    {
        tell_ranks(net);
    }
}

void
weft_net_drop(struct weft_net *net, struct weft_qp *qp, uint32_t offset, uint32_t count,
              bool at_last_hop)
{
    struct weft_net_qp *q = (struct weft_net_qp *)(void *)qp;
    struct weft_named_drop *drop = q->drops;
    while (drop && drop->offset != offset)
    {
        drop = drop->next;
    }
    if (!drop)
    {
        drop = weft_take(&net->first.memory, sizeof *drop);
        drop->offset = offset;
        drop->next = q->drops;
        q->drops = drop;
    }
    *(at_last_hop ? &drop->at_last_hop : &drop->at_top) += count;
    net->has_drops = true;
    net->loses_at_top = net->loses_at_top || !at_last_hop;
    weft_net_note_routes(net);
}

void
weft_net_lose(struct weft_net *net, double probability)
{
    net->loss = probability;
    net->loses_at_top = net->loses_at_top || probability > 0;
    weft_net_note_routes(net);
}
