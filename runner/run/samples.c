/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of a run, of all layers, QPs and ports that are asked for. */
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-ranks.h"
#include "textbuf.h"

/** Counters of a QP at the last sample. */
struct qp_counted
{
    uint64_t sent, resent, bytes;
    double rate_time;
};

static struct qp_sample
sample_qp(const struct samples *samples, const struct weft_qp *qp, struct qp_counted *last,
          int64_t now)
{
    const struct weft_tx_counters *tx = weft_net_tx_counters(qp);
    const uint64_t resent = tx->resent - last->resent;
    const uint64_t all = tx->sent - last->sent + resent;
    struct qp_sample s = {.time = now, .qp = qp->index};
    s.wire_rate =
        (double)(qp->sent_bytes - last->bytes) * 8e12 / (double)samples->measure->interval;
    s.sent = tx->sent;
    s.resent = tx->resent;
    s.resent_share = all ? (double)resent / (double)all : 0;
    s.nacks_received = tx->nacks;
    s.cnps_received = qp->cnps;
    last->sent = tx->sent;
    last->resent = tx->resent;
    last->bytes = qp->sent_bytes;
    return s;
}

static void
sample_qps(struct samples *samples, int64_t now)
{
    const struct measurements *m = samples->measure;
    for (size_t i = 0; i < m->nqps; i++)
    {
        const struct weft_qp *qp = weft_net_qp(samples->sim->net, m->qps[i]);
        struct qp_counted *last = &samples->last[i];
        /* Between two packets the rate of the earlier one counts: it set the gap. */
        const double rate_time = qp->rate_time + qp->last_rate * (double)(now - qp->last_sent);
        const double rate = (rate_time - last->rate_time) / (double)m->interval;
        last->rate_time = rate_time;
        if (qp->acked < qp->nwqes || qp->last_sent >= now - m->interval)
        {
            struct qp_sample s = sample_qp(samples, qp, last, now);
            s.rate = rate;
            *ROW_ADD(&samples->taken, series) = s;
        }
    }
}

static void
sample_ports(struct samples *samples, int64_t now)
{
    const struct measurements *m = samples->measure;
    const struct weft_mmu *buffer = NULL;
    struct weft_net *net = samples->sim->net;
    for (size_t i = 0; i < m->nports; i++)
    {
        const struct measured_port *at = &m->ports[i];
        struct weft_net_port port;
        weft_net_port_status(net, samples->sim->clos->nhosts + at->index, at->port, &port);
        if (i == 0 || m->ports[i - 1].index != at->index)
        {
            buffer = weft_net_buffer(net, at->index); /* looks at all of its ports */
        }
        struct port_sample *s = ROW_ADD(&samples->taken, ports);
        s->time = now;
        s->index = at->index;
        s->port = at->port;
        s->layer = at->layer;
        s->queue = weft_mmu_queues(buffer)[at->port];
        s->paused = port.paused != 0;
        s->wire_rate = (double)(port.bytes - samples->port_bytes[i]) * 8e12 / (double)m->interval;
        samples->port_bytes[i] = port.bytes;
    }
}

/** The layer of a port of a switch. */
static size_t
layer_at(const struct samples *samples, const struct weft_switch_map *map, uint32_t port)
{
    return layer_of(samples->sim->clos, map->tier, port >= map->first_up);
}

/** The names of layers, in the order in which packets meet them. */
static const char *const *
names_of_layers(const struct samples *samples)
{
    const char *const *names;
    layer_names(samples->sim->clos, &names);
    return names;
}

static uint64_t
bytes_sent(const struct samples *samples, uint32_t index, uint32_t port)
{
    struct weft_net_port is;
    weft_net_port_status(samples->sim->net, samples->sim->clos->nhosts + index, port, &is);
    return is.bytes;
}

/** Looks at all queues; they enter the means while the workload runs. */
static void
sample_queues(struct samples *samples, int64_t now)
{
    const struct weft_clos *clos = samples->sim->clos;
    const bool counts = !is_done(samples->sim);
    struct queue_sample s = {.time = now};
    for (uint32_t i = 0; i < weft_planes_switches(clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(clos, i, &map);
        const struct weft_mmu *mmu = weft_net_buffer(samples->sim->net, i);
        const bool counted = map.tier != WEFT_TIER_SERVER; /* as in the summary */
        const uint64_t used = counted ? (uint64_t)(mmu->shared_used + mmu->headroom_used) : 0;
        uint64_t queued[2] = {0, 0};
        for (uint32_t p = 0; p < weft_map_nports(&map); p++)
        {
            const uint32_t bytes = weft_mmu_queues(mmu)[p];
            queued[p >= map.first_up] += bytes;
            s.longest_queue = counted && bytes > s.longest_queue ? bytes : s.longest_queue;
        }
        for (int up = 0; counts && up < (map.tier + 1U < clos->tiers ? 2 : 1); up++)
        {
            samples->queued[layer_of(clos, map.tier, up)] += (double)queued[up];
        }
        s.buffer_used = used > s.buffer_used ? used : s.buffer_used;
    }
    samples->looks += counts;
    *ROW_ADD(&samples->taken, queues) = s;
}

/** Adds the ports of a switch to the rows of their layers, of which there are @p ports; @p sent: by
 * each of them up to the last sample. */
static void
add_balance(const struct samples *samples, uint32_t index, uint64_t *sent,
            struct balance_sample *rows, uint32_t *ports)
{
    const double rate = 8e12 / (double)samples->measure->interval; /* bit/s for each byte */
    struct weft_switch_map map;
    weft_clos_switch(samples->sim->clos, index, &map);
    const uint32_t *queues = weft_mmu_queues(weft_net_buffer(samples->sim->net, index));
    for (uint32_t p = 0; p < weft_map_nports(&map); p++)
    {
        const size_t layer = layer_at(samples, &map, p);
        struct balance_sample *b = &rows[layer];
        const uint64_t bytes = bytes_sent(samples, index, p);
        const double load = (double)(bytes - sent[p]) * rate;
        sent[p] = bytes;
        b->queue_max = queues[p] > b->queue_max ? queues[p] : b->queue_max;
        b->queue_mean += queues[p];
        b->rate_max = load > b->rate_max ? load : b->rate_max;
        b->rate_mean += load;
        ports[layer]++;
    }
}

/** Looks at all queues and at what was sent since the last look: a row per layer, in the order in
 * which packets meet them. */
static void
sample_balance(struct samples *samples, int64_t now)
{
    const struct weft_clos *clos = samples->sim->clos;
    OWNED uint32_t *ports = xcalloc(samples->nlayers, sizeof *ports);
    OWNED struct balance_sample *rows = xcalloc(samples->nlayers, sizeof *rows);
    uint64_t *sent = samples->sent;
    for (uint32_t i = 0; i < weft_planes_switches(clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(clos, i, &map);
        add_balance(samples, i, sent, rows, ports);
        sent += weft_map_nports(&map);
    }
    for (size_t i = 0; i < samples->nlayers; i++)
    {
        struct balance_sample *b = &rows[i];
        b->time = now;
        b->layer = names_of_layers(samples)[i];
        b->queue_mean /= ports[i];
        b->rate_mean /= ports[i];
        b->queue_imbalance = (double)b->queue_max - b->queue_mean;
        b->load_imbalance = b->rate_mean > 0 ? b->rate_max / b->rate_mean : (double)NAN;
        *ROW_ADD(&samples->taken, balance) = *b;
    }
}

static void
sample_all(struct samples *samples, int64_t now)
{
    sample_qps(samples, now);
    sample_ports(samples, now);
    if (samples->measure->queues)
    {
        sample_queues(samples, now);
    }
    if (samples->measure->balance)
    {
        sample_balance(samples, now);
    }
}

/** Takes a sample, and the next one in an interval. */
static void
sample(void *of)
{
    struct samples *samples = of;
    const struct measurements *m = samples->measure;
    const struct run_host *host = samples->sim->host;
    const int64_t now = host->now();
    const unsigned nodes = m->nports > 0 || m->queues || m->balance;
    const unsigned qps = m->nqps > 0;
    host->settle();
    weft_net_gather(samples->sim->net, nodes * WEFT_GATHER_NODES | qps * WEFT_GATHER_QPS);
    if (!ranks_helps())
    {
        sample_all(samples, now);
    }
    if (!is_done(samples->sim))
    {
        host->at(now + m->interval, sample, samples);
    }
}

/** How many ports all switches have. */
static size_t
count_ports(const struct weft_clos *clos)
{
    size_t n = 0;
    for (uint32_t i = 0; i < weft_planes_switches(clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(clos, i, &map);
        n += weft_map_nports(&map);
    }
    return n;
}

void
samples_begin(struct samples *samples, const struct simulation *sim)
{
    const struct measurements *m = &sim->s->measure;
    samples->sim = sim;
    samples->measure = m;
    const char *const *names;
    samples->nlayers = layer_names(sim->clos, &names);
    samples->queued = xcalloc(samples->nlayers, sizeof *samples->queued);
    samples->last = xcalloc(m->nqps + 1, sizeof *samples->last);
    samples->port_bytes = xcalloc(m->nports + 1, sizeof *samples->port_bytes);
    samples->sent = xcalloc(m->balance ? count_ports(sim->clos) : 1, sizeof *samples->sent);
    if (m->interval > 0 && measures_over_time(m))
    {
        sim->host->at(sim->host->now() + m->interval, sample, samples);
    }
}

/** Adds the ports of a switch to the rows of their layers. */
static void
add_layers(const struct samples *samples, uint32_t index, struct layer_result *layers)
{
    const struct weft_clos *clos = samples->sim->clos;
    struct weft_net *net = samples->sim->net;
    struct weft_switch_map map;
    weft_clos_switch(clos, index, &map);
    for (int up = 0; up < (map.tier + 1U < clos->tiers ? 2 : 1); up++)
    {
        layers[layer_of(clos, map.tier, up)].marked += weft_net_marks(net, index, up);
    }
    for (uint32_t p = 0; p < weft_map_nports(&map); p++)
    {
        struct layer_result *l = &layers[layer_at(samples, &map, p)];
        const uint64_t bytes = bytes_sent(samples, index, p);
        const uint64_t peak = weft_net_peak_queue(net, index, p >= map.first_up);
        l->links++;
        l->queue_peak = peak > l->queue_peak ? peak : l->queue_peak;
        l->load_max = bytes > l->load_max ? bytes : l->load_max;
        l->load_mean += (double)bytes;
    }
}

static void
collect_layers(const struct samples *samples, struct run_results *out)
{
    out->nlayers = samples->nlayers;
    out->layers = xcalloc(out->nlayers, sizeof *out->layers);
    for (uint32_t i = 0; i < weft_planes_switches(samples->sim->clos); i++)
    {
        add_layers(samples, i, out->layers);
    }
    for (size_t i = 0; i < out->nlayers; i++)
    {
        struct layer_result *l = &out->layers[i];
        l->layer = names_of_layers(samples)[i];
        l->load_mean /= l->links;
        l->overload = l->load_mean > 0 ? (double)l->load_max / l->load_mean - 1 : (double)NAN;
        l->queue_mean =
            samples->looks ? samples->queued[i] / ((double)samples->looks * l->links) : (double)NAN;
    }
}

void
samples_collect(struct samples *samples, struct run_results *out)
{
    struct run_results *taken = &samples->taken;
    out->series = taken->series;
    out->nseries = taken->nseries;
    out->queues = taken->queues;
    out->nqueues = taken->nqueues;
    out->ports = taken->ports;
    out->nports = taken->nports;
    out->balance = taken->balance;
    out->nbalance = taken->nbalance;
    memset(taken, 0, sizeof *taken);
    collect_layers(samples, out);
}

void
samples_end(struct samples *samples)
{
    run_results_free(&samples->taken);
    free(samples->last);
    free(samples->port_bytes);
    free(samples->sent);
    free(samples->queued);
}
