/* SPDX-License-Identifier: MIT */
/* A switch's buffer where it is not plain that a frame has its room: thresholds, PFC, trimming; and
 * ECN marks. */
#include "node/switch-node.h"

void
weft_switch_mark(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
                 uint32_t out, struct weft_rng *rng, int64_t now)
{
    uint32_t queue = weft_mmu_queues(sw->mmu)[out] - p->bytes;
    if (net->counts_by_class)
    {
        /* A header is not marked, as in UEC's simulator: its payload has met the congestion. */
        const uint32_t i = weft_mmu_index(sw->mmu, out, p->tclass);
        queue = p->flags & WEFT_F_TRIMMED ? 0 : weft_mmu_class_queues(sw->mmu)[i] - p->bytes;
    }
    if (weft_mmu_mark(sw->mmu, queue, rng))
    {
        p->flags |= WEFT_F_CE;
        sw->node.port[out].marks++;
        if (net->config.hooks.marked)
        {
            net->config.hooks.marked(net->config.hooks.of, sw->index, p, now);
        }
    }
}

/* The arrival takes the place of the newest frame of its queue, which is to be trimmed then. */
static bool
replace(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
        uint32_t out)
{
    struct weft_port *port = &sw->node.port[out];
    struct weft_packet *newest =
        port->waits >> p->tclass & 1U ? &weft_lane_newest(&port->lane[p->tclass])->d : NULL;
    if (!newest || newest->kind != WEFT_DATA || newest->bytes <= sw->mmu->config.trim_bytes ||
        !weft_mmu_replace(sw->mmu, p->in_port, out, p->tclass, p->bytes, newest->in_port,
                          newest->bytes))
    {
        return false;
    }
    const struct weft_packet cut = *newest;
    *newest = *p;
    *p = cut;
    if (net->marks_at_enqueue && newest->kind == WEFT_DATA)
    {
        weft_switch_mark(net, sw, newest, out, &sw->rng, sw->node.now);
    }
    return true;
}

/* There is no room for a frame whole: the buffer's verdict on what is left of it. */
static unsigned
trim(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p, uint32_t out,
     bool held)
{
    /* A frame that a balancer holds back must stay the frame that it knows. */
    const struct weft_mmu_config *c = &sw->mmu->config;
    if (c->trim_victim == WEFT_TRIM_COIN && weft_rng_below(&sw->rng, 2) == 0 && !held)
    {
        replace(net, sw, p, out);
    }
    if (net->config.hooks.trimmed)
    {
        net->config.hooks.trimmed(net->config.hooks.of, sw->index, p, sw->node.now);
    }
    const unsigned verdict = weft_mmu_admit_header(sw->mmu, p->in_port, out);
    sw->node.counters.trimmed++;
    sw->node.counters.trimmed_bytes += p->bytes - (uint64_t)c->trim_bytes;
    p->bytes = (uint16_t)c->trim_bytes;
    p->tclass = 0;
    p->flags |= WEFT_F_TRIMMED;
    return verdict;
}

static void
pause_neighbour(const struct weft_net *net, struct weft_switch_node *sw,
                const struct weft_packet *p)
{
    sw->paused_ingress++;
    weft_switch_order(sw, true);
    weft_switch_tell_pause(net, sw, p->in_port, p->tclass, true);
    weft_port_pause(sw->node.worker, &sw->node.port[p->in_port], p->tclass, true, sw->node.now);
}

/* Asks the buffer once all that has left is accounted. */
bool
weft_switch_admits_exactly(const struct weft_net *net, struct weft_switch_node *sw,
                           struct weft_packet *p, uint32_t out, bool held)
{
    if (sw->ordered == 0)
    {
        weft_switch_settle_all(net, sw);
    }
    if (weft_mmu_admits_easily(sw->mmu, p->in_port, out, p->tclass, p->bytes))
    {
        weft_mmu_take(sw->mmu, p->in_port, out, p->tclass, p->bytes);
        return true;
    }
    const bool header = (p->flags & WEFT_F_TRIMMED) != 0;
    unsigned verdict = weft_mmu_admit(sw->mmu, p->in_port, out, p->tclass, p->bytes);
    if (verdict == WEFT_MMU_TRIM)
    {
        verdict = p->kind == WEFT_DATA
                      ? trim(net, sw, p, out, held)
                      : weft_mmu_admit_whole(sw->mmu, p->in_port, out, p->tclass, p->bytes);
    }
    if (verdict & WEFT_MMU_PAUSE)
    {
        pause_neighbour(net, sw, p); /* it is whole: where PFC works nothing is trimmed */
    }
    if (verdict & WEFT_MMU_ADMIT)
    {
        return true;
    }
    sw->node.port[out].dropped++;
    sw->mmu->header_drops += header; /* weft_mmu_admit_header() counts one that was trimmed here */
    weft_node_lose(net, &sw->node, p, WEFT_NET_DROP_BUFFER);
    return false;
}
