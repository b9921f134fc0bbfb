/* SPDX-License-Identifier: GPL-2.0-only */
#include "traffic-load.h"

#include <stdlib.h>

#include <weft/theory.h>

#include "textbuf.h"

bool
traffic_messages(const struct scenario *s, const struct weft_hosts *hosts, uint32_t most,
                 struct traffic_sample *sample)
{
    const struct weft_workload_ops *ops = scenario_ops(s);
    struct weft_traffic_size size;
    *sample = (struct traffic_sample){0};
    if (ops->size(s->workload.config, hosts, &size) < 0 || size.nmessages > most)
    {
        return false;
    }
    sample->messages = xcalloc(size.nmessages, sizeof *sample->messages);
    sample->n = size.nmessages;
    OWNED uint32_t *next = xcalloc((size_t)size.nnext + 1, sizeof *next);
    bool good = ops->fill(s->workload.config, hosts, s->seed, s->run, sample->messages, next) >= 0;
    if (!good)
    {
        free(sample->messages);
        *sample = (struct traffic_sample){0};
    }
    return good;
}

/** Draws a sample of messages that are few enough to be looked at before the run. */
static bool
try_sample(const struct scenario *s, const struct weft_hosts *hosts, struct traffic_sample *sample)
{
    struct weft_traffic_size size;
    const bool fits = scenario_ops(s)->size(s->workload.config, hosts, &size) >= 0;
    return fits &&
           traffic_messages(s, hosts, size.bytes ? LOAD_MOST_MESSAGES : LOAD_MOST_UNLIKE, sample);
}

/** The largest part of the fabric, of whole ToRs, on which the workload is small enough. */
static void
take_sample(const struct scenario *s, struct traffic_sample *sample, bool *exact)
{
    const struct weft_hosts all = weft_clos_hosts(&s->clos);
    *exact = try_sample(s, &all, sample);
    for (uint32_t parts = 2; !sample->messages && parts <= all.n / all.per_tor; parts++)
    {
        struct weft_hosts some = all;
        some.n = all.n / all.per_tor / parts * all.per_tor;
        some.per_pod = some.per_pod < some.n ? some.per_pod : some.n;
        if (all.n % some.n == 0)
        {
            try_sample(s, &some, sample);
        }
    }
}

/** The mean number of links between two hosts: the last resort. */
static double
mean_links(const struct weft_clos *c)
{
    const double others = c->nhosts - 1;
    const double tor = c->hosts_per_tor - 1;
    const double pod = (double)c->hosts_per_tor * c->tors_per_pod - 1;
    const double far = c->tiers == 2 ? 4 : 6;
    return (2 * tor + 4 * (pod - tor) + far * (others - pod)) / others;
}

static uint64_t
acks_of(uint64_t packets, int64_t every)
{
    return (packets - 1) / (uint64_t)every + 1;
}

/** Bytes of data frames and their gaps. */
static double
on_wire(const struct weft_fabric_config *f, double bytes, double packets)
{
    return bytes + packets * (double)(f->header + f->gap);
}

/** Adds up the sample, each of whose messages stands for @p scale of them. */
static void
add_up(const struct scenario *s, const struct traffic_sample *sample, double scale, uint64_t bytes,
       struct traffic_load *load)
{
    const struct weft_fabric_config *f = s->fabric.config;
    for (uint32_t i = 0; i < sample->n; i++)
    {
        const struct weft_message *m = &sample->messages[i];
        const uint64_t size = bytes ? bytes : m->bytes;
        const double packets = (double)weft_packets(size, f->payload);
        const double acks = (double)acks_of(weft_packets(size, f->payload), f->ack_every);
        const double links = weft_clos_hops(&s->clos, m->src, m->dst);
        const bool inside = load->exact && weft_clos_inside(&s->clos, m->src, m->dst);
        load->bytes += scale * (double)size;
        load->packets += scale * packets;
        load->acks += scale * acks;
        load->data_links += scale * packets * links;
        load->ack_links += scale * acks * (f->ack_priority == WEFT_ACK_IDEAL ? 1 : links);
        load->inside += inside ? scale * on_wire(f, (double)size, packets) : 0;
    }
}

/** Adds the load without a sample. */
static void
add_mean(const struct scenario *s, uint64_t messages, uint64_t bytes, struct traffic_load *load)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const uint64_t packets = weft_packets(bytes, f->payload);
    const double links = mean_links(&s->clos);
    load->bytes = (double)messages * (double)bytes;
    load->packets = (double)messages * (double)packets;
    load->acks = (double)messages * (double)acks_of(packets, f->ack_every);
    load->data_links = load->packets * links;
    load->ack_links = load->acks * (f->ack_priority == WEFT_ACK_IDEAL ? 1 : links);
}

bool
traffic_load_of(const struct scenario *s, bool links, struct traffic_load *load)
{
    const struct weft_workload_ops *ops = scenario_ops(s);
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct weft_traffic_size size;
    struct traffic_sample sample = {0};
    *load = (struct traffic_load){0};
    if (ops->size(s->workload.config, &hosts, &size) < 0)
    {
        return false;
    }
    load->messages = size.nmessages;
    load->qps = size.nqps;
    if (links || size.bytes == 0)
    {
        take_sample(s, &sample, &load->exact);
    }
    if (sample.messages)
    {
        add_up(s, &sample, (double)size.nmessages / sample.n, size.bytes, load);
    }
    else
    {
        add_mean(s, size.nmessages, size.bytes ? size.bytes : 1, load);
    }
    load->wire = on_wire(f, load->bytes, load->packets);
    free(sample.messages);
    return true;
}

/* --- bounds ----------------------------------------------------------------------------------- */

/** Returns the rate at which a host sends by its server's own network, at most, bit/s. */
static int64_t
server_rate(const struct weft_clos *c)
{
    const struct weft_graph *g = c->graph;
    int64_t most = g ? 0 : c->server_rate, own = 0;
    for (uint32_t i = 0; g && i < g->nhost_links; i++)
    {
        const struct weft_end *end = &g->links[i].lower;
        own = end->port == 0 ? 0 : own;
        own += g->inside[end->index] >> end->port & 1U ? g->links[i].rate : 0;
        most = own > most ? own : most;
    }
    return most;
}

/** Returns ps that wires of that rate take for what the average host has of so many bytes. */
static double
average_time(const struct scenario *s, double bytes, int64_t rate)
{
    /* Without the last gap of each port; and what is rounded here must not make it greater. */
    const double gaps = (double)(weft_clos_most_ports(&s->clos) *
                                 ((const struct weft_fabric_config *)s->fabric.config)->gap);
    return (bytes / s->clos.nhosts - gaps) * 8e12 / (double)rate * (1 - 1e-9);
}

/** Returns what a host's wires take for what the average host sends: some host sends that much to
 * the fabric, and some host that much inside its server. */
static int64_t
load_bound(const struct scenario *s)
{
    const int64_t fabric = weft_planes_host_rate(&s->clos), server = server_rate(&s->clos);
    struct traffic_load load;
    if (!traffic_load_of(s, server > 0, &load))
    {
        return 0;
    }
    const bool apart = server > 0 && load.exact; /* else both networks carry all of it */
    const double across = apart ? average_time(s, load.wire - load.inside, fabric)
                                : average_time(s, load.wire, fabric + server);
    const double inside = apart ? average_time(s, load.inside, server) : 0;
    const double time = across > inside ? across : inside;
    return time < 9e18 ? (int64_t)time : WEFT_NEVER;
}

static int64_t
form_of_messages(const struct scenario *s)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct traffic_sample sample = {0};
    int64_t bound = -1;
    if (try_sample(s, &hosts, &sample))
    {
        const struct weft_job job = scenario_job(s);
        const struct weft_traffic t = scenario_traffic(s, &job, sample.messages, NULL, sample.n);
        bound = weft_traffic_bound(&t, false);
    }
    free(sample.messages);
    return bound;
}

int64_t
traffic_bound(const struct scenario *s, bool sure)
{
    const int64_t load = load_bound(s);
    const struct weft_job job = scenario_job(s);
    const struct weft_traffic none = scenario_traffic(s, &job, NULL, NULL, 0);
    const int64_t form = sure ? form_of_messages(s) : weft_traffic_bound(&none, false);
    return form > load ? form : load;
}
