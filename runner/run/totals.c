/* SPDX-License-Identifier: GPL-2.0-only */
/* Totals of a run, from the counters of NICs, switches and QPs. */
#include "collect.h"

#include <string.h>

#include "mpi-ranks.h"
#include "textbuf.h"

void
collect_switches(const struct simulation *sim, struct run_results *out)
{
    struct run_summary *sum = &out->summary;
    for (uint32_t i = 0; i < weft_planes_switches(sim->clos); i++)
    {
        const struct weft_mmu *mmu = weft_net_buffer(sim->net, i);
        const uint64_t peak = (uint64_t)mmu->peak_used;
        struct weft_switch_map map;
        weft_clos_switch(sim->clos, i, &map);
        if (map.tier == WEFT_TIER_SERVER)
        {
            continue; /* what waits there waits at its sender in truth */
        }
        sum->marked += mmu->marks;
        sum->pauses += mmu->pauses;
        sum->buffer_peak = peak > sum->buffer_peak ? peak : sum->buffer_peak;
        for (int up = 0; up <= 1; up++)
        {
            const uint64_t queue = weft_net_peak_queue(sim->net, i, up);
            sum->queue_peak = queue > sum->queue_peak ? queue : sum->queue_peak;
        }
    }
}

/** Returns the ToRs of all planes, @p n of them; to be freed. */
static uint32_t *
list_tors(const struct weft_clos *clos, uint32_t n)
{
    uint32_t *tors = xcalloc(n + (size_t)1, sizeof *tors);
    uint32_t found = 0;
    for (uint32_t s = 0; found < n; s++)
    {
        struct weft_switch_map map;
        weft_clos_switch(clos, s, &map);
        tors[found] = s;
        found += map.tier == 0;
    }
    return tors;
}

void
collect_tors(const struct simulation *sim, struct run_results *out)
{
    const struct weft_lb_ops *lb = weft_net_lb(sim->net);
    const uint32_t n = lb->counters || lb->tor ? sim->clos->planes * sim->clos->ntors : 0;
    OWNED struct weft_lb_counters *counted = xcalloc(n + (size_t)1, sizeof *counted);
    OWNED uint32_t *tors = list_tors(sim->clos, n);
    for (uint32_t i = 0; lb->counters && i < n; i++)
    {
        if (weft_net_is_here(sim->net, sim->clos->nhosts + tors[i]))
        {
            counted[i] = *lb->counters(weft_net_balancer(sim->net, tors[i]));
        }
    }
    _Static_assert(sizeof *counted % sizeof(uint64_t) == 0, "rows of words");
    weft_net_sum(sim->net, (uint64_t *)counted, n * (sizeof *counted / sizeof(uint64_t)));
    for (uint32_t i = 0; !ranks_helps() && i < n; i++) /* rank 0 has those of the others */
    {
        struct tor_result *tor = ROW_ADD(out, tors);
        tor->tor = tors[i];
        tor->counted = counted[i];
        tor->replies = *weft_net_tor_counters(sim->net, tor->tor);
    }
}

void
collect_trims(const struct simulation *sim, struct run_results *out)
{
    const struct weft_mmu_config *buffer = sim->s->switches.config;
    for (uint32_t i = 0; buffer->trim && i < weft_planes_switches(sim->clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(sim->clos, i, &map);
        const struct weft_mmu *mmu = weft_net_buffer(sim->net, i);
        *ROW_ADD(out, trims) = (struct trim_result){i, map.tier, mmu->trims, mmu->header_drops};
    }
}

void
collect_times(struct run_results *out)
{
    struct run_summary *sum = &out->summary;
    const bool cut = out->nstuck + out->unposted > 0; /* the slowest group has not ended */
    double n = 0;
    for (size_t i = 0; i < out->ngroups; i++)
    {
        n += out->groups[i].delivered >= 0;
    }
    double mean = n > 0 ? 0 : -1;
    sum->cct = sum->cct_acked = -1;
    for (size_t i = 0; i < out->ngroups; i++)
    {
        const struct group_result *g = &out->groups[i];
        sum->cct = g->delivered > sum->cct ? g->delivered : sum->cct;
        sum->cct_acked = g->acked > sum->cct_acked ? g->acked : sum->cct_acked;
        mean += g->delivered >= 0 ? (double)g->delivered / n : 0;
    }
    sum->cct_mean = (int64_t)mean;
    for (size_t i = 0; i < out->ngroups; i++)
    {
        const struct group_result *g = &out->groups[i];
        sum->cct = cut && g->delivered < 0 ? -1 : sum->cct;
        sum->cct_mean = sum->cct < 0 ? -1 : sum->cct_mean;
        sum->cct_acked = cut && g->acked < 0 ? -1 : sum->cct_acked;
    }
}

/** The least degree that at least this share of packets do not exceed. @p all: their sum. */
static uint64_t
quantile_of(const uint64_t *packets, uint64_t all, double share)
{
    uint64_t seen = 0;
    for (uint32_t degree = 0; degree < WEFT_OOO_DEGREES; degree++)
    {
        seen += packets[degree];
        if (seen > 0 && (double)seen >= share * (double)all)
        {
            return degree;
        }
    }
    return 0;
}

void
collect_reordering(const struct simulation *sim, struct run_results *out)
{
    uint64_t packets[WEFT_OOO_DEGREES] = {0};
    uint64_t beyond = 0, arrived = 0;
    for (uint32_t level = 0; level <= sim->s->nclasses; level++)
    {
        const uint64_t *degrees = weft_net_algos(sim->net, level)->ooo_degrees;
        for (uint32_t i = 0; i < WEFT_OOO_DEGREES; i++)
        {
            packets[i] += degrees[i];
            beyond += degrees[i];
        }
    }
    for (uint32_t i = 0; i < weft_net_nqps(sim->net); i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        arrived += qp ? qp->arrived + qp->duplicates : 0;
    }
    /* A run that was cut has some packets that arrived early and are not yet in order. */
    packets[0] = arrived > beyond ? arrived - beyond : 0;
    const uint64_t all = packets[0] + beyond;
    out->summary.ooo_p50 = quantile_of(packets, all, 0.5);
    out->summary.ooo_p99 = quantile_of(packets, all, 0.99);
    out->summary.ooo_max = quantile_of(packets, all, 1);
    for (uint32_t degree = 0; beyond > 0 && degree < WEFT_OOO_DEGREES; degree++)
    {
        if (packets[degree] > 0)
        {
            *ROW_ADD(out, reordering) = (struct reordering_result){degree, packets[degree]};
        }
    }
}

/** Bytes that NICs and switches keep, by index. */
struct states
{
    uint64_t *nics, *labels, *switches; /* labels: each NIC's memory of labels */
};

/** Bytes that a state takes among others. */
static uint64_t
whole_words(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/** Adds what is there without any QP. */
static void
add_fixed(const struct simulation *sim, struct states *states)
{
    const struct scenario *s = sim->s;
    const struct weft_lb_ops *lb = weft_net_lb(sim->net);
    for (uint32_t i = 0; i < sim->clos->planes * sim->clos->nswitches; i++)
    {
        struct weft_site site;
        weft_clos_site(sim->clos, s->switches.config, i % sim->clos->nswitches, s->seed, s->run,
                       &site);
        site.provides = WEFT_NEEDS_ALL;
        states->switches[i] += lb->state_size(weft_net_lb_config(sim->net), &site);
    }
    for (uint32_t level = 0; level <= s->nclasses; level++)
    {
        const uint64_t path = weft_net_algos(sim->net, level)->path_stride;
        for (uint32_t i = 0; i < sim->clos->nhosts; i++)
        {
            states->nics[i] += path + weft_run_planner_bytes(sim->run, level);
        }
    }
}

/** Adds what is kept of a QP. */
static void
add_qp(const struct simulation *sim, const struct weft_qp *qp, struct states *states)
{
    const struct weft_nic_algos *algos = qp->algos;
    const uint64_t rx = whole_words(algos->transport->rx_size(algos->transport_config));
    struct weft_net_qp_bytes bytes;
    weft_net_measure_qp(qp, &bytes);
    const uint64_t tor = whole_words(bytes.tor);
    const uint64_t flow = whole_words(bytes.flow) / sim->clos->planes; /* at each ToR */
    const uint64_t labels = whole_words(bytes.labels);
    states->nics[qp->src] += bytes.nics - rx - labels;
    states->labels[qp->src] += labels;
    states->nics[qp->dst] += rx;
    states->switches[weft_clos_tor(sim->clos, qp->src)] += flow;
    states->switches[weft_clos_tor(sim->clos, qp->dst)] += tor + flow;
}

static uint64_t
most_of(const uint64_t *bytes, uint32_t n)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        most = bytes[i] > most ? bytes[i] : most;
    }
    return most;
}

void
collect_state_bytes(const struct simulation *sim, struct run_results *out)
{
    const uint32_t nhosts = sim->clos->nhosts, nswitches = weft_planes_switches(sim->clos);
    OWNED uint64_t *nics = xcalloc(nhosts, sizeof *nics);
    OWNED uint64_t *labels = xcalloc(nhosts, sizeof *labels);
    OWNED uint64_t *switches = xcalloc(nswitches, sizeof *switches);
    struct states states = {nics, labels, switches};
    add_fixed(sim, &states);
    for (uint32_t i = 0; i < weft_net_nqps(sim->net); i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        if (qp)
        {
            add_qp(sim, qp, &states);
        }
    }
    out->summary.nic_state = most_of(nics, nhosts);
    out->summary.nic_labels = most_of(labels, nhosts);
    out->summary.switch_state = most_of(switches, nswitches);
}
