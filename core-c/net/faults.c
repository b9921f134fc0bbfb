/* SPDX-License-Identifier: MIT */
/* Links that fail, come back or become slower, forwarding that changes, losses that are asked for.
 */
#include "node/host-ports.h"
#include "node/switch-node.h"
#include "parallel/net-ranks.h"

#include <weft/error.h>

#define LOSS_STREAM (UINT64_C(0x105e) << 48) /* rng streams of links' losses, by direction */

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

/* Room for the faults of a port's link. */
static struct weft_port_faults *
make_faults(struct weft_net *net, struct weft_port *port)
{
    if (!port->faults)
    {
        port->faults = weft_take(&net->first.memory, sizeof *port->faults);
        port->faults->lost_before = INT64_MIN;
        port->faults->held_until = INT64_MIN;
        port->faults->down_for.since = WEFT_NEVER;
        port->faults->lossy_for.since = WEFT_NEVER;
    }
    return port->faults;
}

/* The faults of a port's link, whose node looks at what comes by it from now on. */
static struct weft_port_faults *
faults_of(struct weft_net *net, const struct weft_end *end, struct weft_port *port)
{
    if (end->is_host)
    {
        net->host[end->index].watches_links = true;
    }
    else
    {
        net->sw[end->index].watches_links = true;
        net->sw[end->index].is_plain = false;
    }
    return make_faults(net, port);
}

/* Bits of ways: 1 << enum weft_direction. */
static unsigned
ways_of(enum weft_direction way)
{
    return way == WEFT_BOTH_WAYS ? 1U << WEFT_UPWARDS | 1U << WEFT_DOWNWARDS : 1U << way;
}

/* An end of a link, and the ways that come there and leave from there. */
struct side
{
    const struct weft_end *end;
    unsigned comes, leaves;
};

static void
set_port_down(struct weft_net *net, const struct side *at, unsigned ways, bool down)
{
    struct weft_port *port = weft_net_port_at(net, at->end);
    struct weft_port_faults *faults = port ? faults_of(net, at->end, port) : NULL;
    const unsigned was = faults ? faults->down : 0;
    const unsigned is = down ? was | ways : was & ~ways;
    if (!faults || is == was)
    {
        return;
    }
    faults->down = is;
    port->carry = 0; /* what starts now starts now */
    if ((is ^ was) & at->comes)
    {
        const int64_t held = faults->held_until;
        faults->lost_before = down ? INT64_MAX : net->now > held ? net->now : held;
        faults->lost_rate = port->from_rate;
        faults->lost_delay = port->from_delay;
        weft_span_set(&faults->down_for, down, net->now);
    }
    if (at->end->is_host)
    {
        choose_ports_again(net, at->end->index);
    }
}

/* Both sides of a link: its lower one first. */
static void
sides_of(const struct weft_net *net, uint64_t link, struct weft_link *of, struct side sides[2])
{
    weft_planes_link(net->config.clos, link, of);
    sides[0] = (struct side){&of->lower, 1U << WEFT_DOWNWARDS, 1U << WEFT_UPWARDS};
    sides[1] = (struct side){&of->upper, 1U << WEFT_UPWARDS, 1U << WEFT_DOWNWARDS};
}

void
weft_net_set_way_down(struct weft_net *net, uint64_t link, enum weft_direction way, bool down)
{
    struct weft_link of;
    struct side sides[2];
    sides_of(net, link, &of, sides);
    for (unsigned i = 0; i < 2; i++)
    {
        set_port_down(net, &sides[i], ways_of(way), down);
    }
    if (weft_clos_most_ports(net->config.clos) > 1 && of.lower.is_host)
    {
        tell_ranks(net);
    }
}

void
weft_net_set_down(struct weft_net *net, uint64_t link, bool down)
{
    weft_net_set_way_down(net, link, WEFT_BOTH_WAYS, down);
}

/* Counts what a wire did at its rate so far. */
static void
change_rate(struct weft_net *net, struct weft_port *port, int64_t rate)
{
    const int64_t busy = weft_port_busy(port);
    struct weft_port_faults *faults = make_faults(net, port);
    faults->busy = busy;
    faults->former_bytes = weft_port_taken(port);
    weft_port_set_rate(port, rate);
}

int
weft_net_set_way_rate(struct weft_net *net, uint64_t link, enum weft_direction way, int64_t rate)
{
    struct weft_link of;
    struct side sides[2];
    sides_of(net, link, &of, sides);
    of.rate = rate;
    if (rate < 1 || weft_link_least_delay(&of, net->shortest) < net->window)
    {
        return WEFT_ERANGE;
    }
    for (unsigned i = 0; i < 2; i++)
    {
        struct weft_port *port = weft_net_port_at(net, sides[i].end);
        if (port && (ways_of(way) & sides[i].leaves))
        {
            change_rate(net, port, rate);
        }
        if (port && (ways_of(way) & sides[i].comes))
        {
            port->from_rate = rate;
        }
    }
    return 0;
}

int
weft_net_set_rate(struct weft_net *net, uint64_t link, int64_t rate)
{
    return weft_net_set_way_rate(net, link, WEFT_BOTH_WAYS, rate);
}

/* The way from a port is longer, or shorter: then its wire is held, so that no frame overtakes
 * another. */
static void
set_port_delay(struct weft_net *net, const struct weft_end *end, struct weft_port *port,
               int64_t delay)
{
    const int64_t shorter = port->delay - delay;
    port->delay = delay;
    if (shorter > 0)
    {
        port->free_at = (port->free_at > net->now ? port->free_at : net->now) + shorter;
        port->carry = 0;
    }
    if (shorter > 0 && port->noted)
    {
        weft_switch_note_port(&net->sw[end->index], port);
    }
}

/* The way to a port is longer, or shorter. */
static void
expect_delay(struct weft_net *net, const struct weft_end *end, struct weft_port *port,
             int64_t delay)
{
    if (delay < port->from_delay)
    {
        faults_of(net, end, port)->held_until = net->now + port->from_delay - delay;
    }
    port->from_delay = delay;
}

void
weft_net_set_way_delay(struct weft_net *net, uint64_t link, enum weft_direction way, int64_t more)
{
    struct weft_link of;
    struct side sides[2];
    sides_of(net, link, &of, sides);
    for (unsigned i = 0; i < 2; i++)
    {
        struct weft_port *port = weft_net_port_at(net, sides[i].end);
        if (port && (ways_of(way) & sides[i].leaves))
        {
            set_port_delay(net, sides[i].end, port, of.delay + more);
        }
        if (port && (ways_of(way) & sides[i].comes))
        {
            expect_delay(net, sides[i].end, port, of.delay + more);
        }
    }
}

/* Begins losses of what comes to a port, in a state as it is in the long run. */
static void
begin_losses(struct weft_net *net, const struct weft_end *end, struct weft_port *port,
             struct weft_port_losses losses, uint64_t stream)
{
    struct weft_port_faults *faults = faults_of(net, end, port);
    struct weft_port_losses **at = &faults->losses;
    struct weft_port_losses *l = faults->free;
    faults->free = l ? l->next : NULL;
    l = l ? l : weft_take(&net->first.memory, sizeof *l);
    if (!faults->draws)
    {
        weft_rng_seed(&faults->rng, net->config.seed, net->config.run, LOSS_STREAM + stream);
        faults->draws = true;
    }
    while (*at && (*at)->number < losses.number)
    {
        at = &(*at)->next;
    }
    *l = losses;
    l->bad = l->is.to_bad > 0 &&
             weft_rng_unit(&faults->rng) * (l->is.to_bad + l->is.to_good) < l->is.to_bad;
    l->next = *at;
    *at = l;
}

static void
end_losses(struct weft_port_faults *faults, uint64_t number)
{
    struct weft_port_losses **at = &faults->losses;
    while (*at && (*at)->number != number)
    {
        at = &(*at)->next;
    }
    struct weft_port_losses *l = *at;
    if (l)
    {
        *at = l->next;
        l->next = faults->free;
        faults->free = l;
    }
}

void
weft_net_set_losses(struct weft_net *net, uint64_t link, enum weft_direction way, uint64_t number,
                    const struct weft_frame_losses *losses, bool spoils)
{
    struct weft_link of;
    struct side sides[2];
    sides_of(net, link, &of, sides);
    for (unsigned i = 0; i < 2; i++)
    {
        struct weft_port *port = weft_net_port_at(net, sides[i].end);
        if (!port || !(ways_of(way) & sides[i].comes))
        {
            continue;
        }
        if (port->faults)
        {
            end_losses(port->faults, number);
        }
        if (losses)
        {
            const struct weft_port_losses is = {
                .number = number,
                .is = *losses,
                .why = spoils ? WEFT_NET_CORRUPTED : WEFT_NET_DROP_LOSSY,
            };
            begin_losses(net, sides[i].end, port, is, 2 * link + i);
        }
        if (port->faults)
        {
            weft_span_set(&port->faults->lossy_for, port->faults->losses != NULL, net->now);
        }
    }
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

/* Tells hosts of forwarding, if they are of those that know @p at_once, or of the others. */
static void
tell_hosts(struct weft_net *net, const struct weft_nic_algos *algos, uint32_t plane,
           const struct weft_fib *fib, bool at_once)
{
    if (weft_path_knows_at_once(algos->path, algos->path_config) != at_once)
    {
        return;
    }
    for (uint32_t host = 0; algos->path && algos->path->set_routes && host < net->nhosts; host++)
    {
        if (!weft_node_is_elsewhere(net, host))
        {
            algos->path->set_routes(weft_path_host(algos, host), plane, fib);
        }
    }
}

bool
weft_net_knows_at_once(const struct weft_net *net)
{
    bool knows = false;
    for (uint32_t i = 0; i < net->config.nlevels; i++)
    {
        knows = knows || weft_path_knows_at_once(net->algos[i].path, net->algos[i].path_config);
    }
    return knows;
}

void
weft_net_tell_at_once(struct weft_net *net, uint32_t plane, const struct weft_fib *fib)
{
    for (uint32_t i = 0; i < net->config.nlevels; i++)
    {
        tell_hosts(net, &net->algos[i], plane, fib, true);
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
        tell_hosts(net, &net->algos[i], plane, fib, false);
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
