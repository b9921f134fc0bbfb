/* SPDX-License-Identifier: MIT */
/* Makes QPs: what their algorithms are told of the place where they work. */
#include "node/qp-make.h"

#include "node/host-ports.h"
#include "node/sites.h"
#include "node/switch-node.h"

#include <math.h>
#include <string.h>

#include <weft/psn.h>

#define QP_STREAM       (UINT64_C(0x9b) << 40) /* rng streams of QPs */
#define FIRST_EPHEMERAL 49152U                 /* RoCEv2 source ports (RFC 6335 dynamic range) */

static uint32_t
full_frame(const struct weft_net_config *c)
{
    return (uint32_t)(c->frame.payload + c->frame.header);
}

/* Returns the round trip of a full frame and its ACK where nothing else is sent, ps. */
static int64_t
base_rtt(const struct weft_net_config *c, uint32_t src, uint32_t dst)
{
    return weft_clos_way(c->clos, src, dst, full_frame(c)) +
           weft_clos_way(c->clos, dst, src, c->frame.ack);
}

/* Packets of what a share of a line carries in a round trip. */
static uint32_t
bdp(const struct weft_net_config *c, int64_t rate, int64_t rtt, uint32_t sharers)
{
    const double bytes = (double)rate / 8e12 * (double)rtt;
    const double slot = full_frame(c) + (double)c->frame.gap;
    const double packets = ceil(bytes / (slot * (sharers > 0 ? sharers : 1)));
    return packets < 1 ? 1 : packets > 1e9 ? (uint32_t)1e9 : (uint32_t)packets;
}

uint32_t
weft_net_bdp(const struct weft_net *net, uint32_t src, uint32_t dst, uint32_t sharers)
{
    return bdp(&net->config, weft_clos_ways_rate(net->config.clos, src, dst),
               base_rtt(&net->config, src, dst), sharers);
}

void
weft_net_describe_qp(const struct weft_net_config *c, const struct weft_net_qp_site *of,
                     uint32_t index, struct weft_qp_site *site)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, c->seed, c->run, QP_STREAM + of->stream);
    const int64_t rate = weft_clos_ways_rate(c->clos, of->src, of->dst);
    const bool inside = weft_clos_inside(c->clos, of->src, of->dst);
    *site = (struct weft_qp_site){.index = index, .src = of->src, .dst = of->dst};
    site->sport =
        (uint16_t)(FIRST_EPHEMERAL + weft_rng_below(&rng, UINT16_MAX + 1 - FIRST_EPHEMERAL));
    const int64_t first = c->frame.first_psn;
    site->cc = (struct weft_cc_site){
        .line_rate = rate,
        .share = inside ? 1 : c->levels[of->level].share,
        .base_rtt = base_rtt(c, of->src, of->dst),
        .links = weft_clos_hops(c->clos, of->src, of->dst),
        .frame = full_frame(c),
        .gap = (uint32_t)c->frame.gap,
    };
    site->transport = (struct weft_transport_site){
        .first_psn = first < 0 ? weft_rng_u32(&rng) & WEFT_PSN_MASK : (uint32_t)first,
        .qp = index,
        .rate = rate,
        .base_rtt = site->cc.base_rtt,
        .frame = full_frame(c),
        .seed = c->seed,
        .run = c->run,
    };
    const uint32_t whole = bdp(c, rate, site->cc.base_rtt, 1);
    site->path = weft_net_host_site(c, of->level, of->src, NULL);
    site->path.qp_bdp = of->bdp ? of->bdp : whole;
    site->path.dst = of->dst;
    site->path.host_bdp = whole;
}

/* Makes the states that ToRs keep of a QP, if it crosses them. */
static int
init_tor(struct weft_worker *here, struct weft_net_qp *q, const struct weft_net_level *level,
         struct weft_refusal *why)
{
    const struct weft_net *net = here->net;
    const struct weft_clos *clos = net->config.clos;
    const struct weft_lb_ops *lb = level->lb;
    int code = 0;
    const bool receives = !weft_node_is_elsewhere(net, q->qp.dst);
    if (weft_clos_tor(clos, q->qp.src) == weft_clos_tor(clos, q->qp.dst) ||
        weft_clos_inside(clos, q->qp.src, q->qp.dst))
    {
        return 0;
    }
    const struct weft_last_hop hop = weft_net_last_hop(&net->config, why);
    q->bytes.tor = lb->tor ? lb->tor->qp_size(level->lb_config, &hop) : 0;
    q->flow_each = lb->flow_size ? lb->flow_size(level->lb_config) : 0;
    q->bytes.flow = clos->planes * q->flow_each;
    if (lb->tor && receives)
    {
        q->tor = weft_take(&here->memory, q->bytes.tor);
        q->tor_ops = lb->tor;
        q->tor_plane = UINT64_C(1) << q->plane;
        code = lb->tor->qp_init(q->tor, level->lb_config, &hop);
        weft_switch_note_owes(net, q);
    }
    if (!code && lb->flow_size && (receives || !weft_node_is_elsewhere(net, q->qp.src)))
    {
        q->flow = weft_take(&here->memory, q->bytes.flow);
        for (uint32_t plane = 0; plane < clos->planes && !code; plane++)
        {
            code = lb->flow_init((char *)q->flow + plane * q->flow_each, level->lb_config);
        }
    }
    return code;
}

static void
lend(struct weft_host *nic, uint32_t nqps, const struct weft_memory *memory)
{
    if (nqps <= nic->capacity)
    {
        return;
    }
    const uint32_t twice = nic->capacity < 2 ? 4 : 2 * nic->capacity;
    const uint32_t capacity = nqps > twice ? nqps : twice;
    struct weft_qp **active = (struct weft_qp **)weft_take(memory, capacity * sizeof *active);
    weft_host_lend(nic, active, weft_take(memory, capacity * sizeof(int64_t)), capacity);
}

/* Gives a QP the NIC that sends for it. */
static void
join_nic(const struct weft_net *net, struct weft_net_qp *q, const struct weft_nic_algos *algos,
         const struct weft_net_qp_site *of)
{
    struct weft_host_node *h = &net->host[of->src];
    const struct weft_clos *clos = net->config.clos;
    const uint64_t ways = weft_clos_ways(clos, of->src, of->dst);
    q->nic = h->inside && weft_clos_inside(clos, of->src, of->dst) ? h->inside : &h->nic;
    q->sprays = algos->path && net->level[of->level].lb->reorders && (ways & (ways - 1)) != 0;
}

/* Returns the configuration of a transport for a QP with so many packets at most. */
static const void *
narrowed(struct weft_worker *here, const struct weft_nic_algos *algos, uint64_t packets)
{
    const size_t size = algos->transport->algo.config_size;
    if (here->config_room < size)
    {
        here->config = weft_take(&here->memory, size);
        here->config_room = size;
    }
    memcpy(here->config, algos->transport_config, size);
    algos->transport->narrow(here->config, packets);
    return here->config;
}

/* Makes the states of both ends. */
static int
init_ends(struct weft_worker *here, struct weft_net_qp *q, const struct weft_nic_algos *algos,
          const struct weft_qp_site *site, int64_t now)
{
    struct weft_nic_algos own = *algos;
    if (q->most < UINT64_MAX && algos->transport->narrow)
    {
        own.transport_config = narrowed(here, algos, q->most);
    }
    const int code =
        weft_qp_init(&q->qp, weft_take(&here->memory, weft_qp_size(&own, site)), &own, site, now);
    if (!code)
    {
        q->qp.algos = algos;
        q->qp.algos_rx = algos;
    }
    return code;
}

int
weft_qp_make(struct weft_worker *here, const struct weft_net_qp_site *of, struct weft_net_qp **made,
             struct weft_refusal *why)
{
    const struct weft_net *net = here->net;
    const struct weft_nic_algos *algos = &net->algos[of->level];
    const struct weft_node *asks = here->running;
    struct weft_qp_site site;
    weft_net_describe_qp(&net->config, of, of->reserved ? of->index : net->nqps, &site);
    site.cc.why = why;
    site.path.why = why;
    struct weft_net_qp *q = weft_take(&here->memory, sizeof *q);
    q->tx_armed_at = WEFT_NEVER;
    q->rx_armed_at = WEFT_NEVER;
    q->most = of->packets ? of->packets : UINT64_MAX;
    q->hastens = algos->transport->hastens && algos->transport->hastens(algos->transport_config);
    q->round_trip = site.cc.base_rtt;
    q->way_back = weft_clos_way(net->config.clos, of->dst, of->src, net->config.frame.ack);
    q->bytes.nics = weft_qp_size(algos, &site);
    q->bytes.labels = weft_path_hears_losses(algos->path, algos->path_config)
                          ? algos->labels * sizeof(uint16_t)
                          : 0;
    site.lacks_sender = weft_node_is_elsewhere(net, of->src);
    site.lacks_receiver = weft_node_is_elsewhere(net, of->dst);
    *made = q;
    join_nic(net, q, algos, of);
    q->plane = weft_host_home_port(&net->config, of->src, of->dst, site.sport);
    const int code = init_ends(here, q, algos, &site, asks ? asks->now : net->now);
    if (!site.lacks_receiver)
    {
        q->qp.algos_rx = &net->node[of->dst]->worker->algos[of->level];
    }
    return code ? code : init_tor(here, q, &net->level[of->level], why);
}

void
weft_qp_register(struct weft_net *net, struct weft_net_qp *q, uint32_t index,
                 const struct weft_memory *memory)
{
    net->qp[index] = q;
    if (!weft_node_is_elsewhere(net, q->qp.src))
    {
        lend(q->nic, ++net->host[q->qp.src].nqps, memory);
    }
}
