/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that a run's fabric takes, from the sizes of its parts. */
#include "footprint.h"

#include <math.h>
#include <string.h>

#include "run-host.h"
#include "scenario.h"
#include "textbuf.h"

#define LANES 2.0 /* classes of a port that are used: data and replies */

static struct weft_net_sizes
sizes_of_parts(void)
{
    struct weft_net_sizes sizes;
    weft_net_measure(&sizes);
    return sizes;
}

/** Algorithms of the QPs of a service level. */
struct algorithms
{
    const struct weft_lb_ops *lb;
    const struct weft_transport_ops *transport;
    const struct weft_cc_ops *cc;
    const void *lb_config, *transport_config;
};

/** The algorithms of a level: 0 is the scenario's own. */
static struct algorithms
algorithms_of(const struct scenario *s, size_t level)
{
    const struct qp_class *c = level > 0 ? &s->classes[level - 1] : NULL;
    const struct choice *balancer = c ? &c->balancer : &s->balancer;
    const struct choice *transport = c ? &c->transport : &s->transport;
    const struct choice *cc = c ? &c->cc : &s->cc;
    return (struct algorithms){weft_lb_find(balancer->algo->name),
                               weft_transport_find(transport->algo->name),
                               weft_cc_find(cc->algo->name), balancer->config, transport->config};
}

/** Bytes of a port's lanes, of which a share is busy. */
static double
lanes_bytes(double busy)
{
    const struct weft_net_sizes sizes = sizes_of_parts();
    return LANES * ((double)sizes.lane + busy * (double)sizes.busy_lane);
}

static double
switch_bytes(const struct scenario *s, uint32_t index, double busy)
{
    const struct weft_mmu_config *buffer = s->switches.config;
    const struct weft_scheduler_ops *scheduler = weft_scheduler_find(s->scheduler.algo->name);
    const struct weft_net_sizes sizes = sizes_of_parts();
    const struct host_bytes *own = &run_host_chosen()->bytes;
    struct weft_switch_map map;
    struct weft_site site;
    weft_clos_switch(&s->clos, index, &map);
    weft_clos_site(&s->clos, buffer, index, s->seed, s->run, &site);
    const double queues =
        buffer->classes > 2 ? (double)scheduler->state_size(s->scheduler.config) : 0;
    const double port = own->port + (double)sizes.port + lanes_bytes(busy) + queues;
    double balancers = 0;
    for (size_t i = 0; i <= s->nclasses; i++)
    {
        const struct algorithms a = algorithms_of(s, i);
        balancers += (double)a.lb->state_size(a.lb_config, &site);
    }
    return own->sw + (double)sizes.sw + weft_map_nports(&map) * port +
           (double)weft_mmu_size(buffer, weft_map_nports(&map)) + balancers;
}

/** A host with a QP to the farthest one. */
static struct weft_path_site
path_site(const struct scenario *s)
{
    return (struct weft_path_site){.seed = s->seed,
                                   .run = s->run,
                                   .clos = &s->clos,
                                   .qp_bdp = 1,
                                   .dst = s->clos.nhosts - 1,
                                   .batch = 1,
                                   .provides = WEFT_NEEDS_ALL,
                                   .host_bdp = 1};
}

/** Bytes of one host's states of path selectors. */
static double
path_bytes(const struct scenario *s)
{
    const struct weft_path_site site = path_site(s);
    double bytes = 0;
    for (size_t i = 0; i <= s->nclasses; i++)
    {
        const struct algorithms a = algorithms_of(s, i);
        bytes += a.lb->path ? (double)a.lb->path->host_size(a.lb_config, &site) : 0;
    }
    return bytes;
}

/** Bytes of both ends of a transport, for QPs of so many packets. */
static double
transport_bytes(const struct algorithms *a, double packets)
{
    const size_t size = a->transport->algo.config_size;
    OWNED void *config = xcalloc(1, size + 1);
    memcpy(config, a->transport_config, size);
    if (a->transport->narrow && packets < UINT32_MAX)
    {
        a->transport->narrow(config, (uint64_t)ceil(packets));
    }
    return (double)a->transport->tx_size(config) + (double)a->transport->rx_size(config);
}

/** Bytes of the states of a QP. */
static double
qp_bytes(const struct scenario *s, const struct algorithms *a, double packets)
{
    const struct weft_path_site site = path_site(s);
    struct weft_last_hop hop;
    weft_clos_last_hop(&s->clos, s->fabric.config, &hop);
    double bytes = transport_bytes(a, a->lb->plan ? INFINITY : packets);
    bytes += (double)a->cc->state_size;
    bytes += a->lb->path ? (double)a->lb->path->qp_size(a->lb_config, &site) : 0;
    bytes += a->lb->tor ? (double)a->lb->tor->qp_size(a->lb_config, &hop) : 0;
    bytes += a->lb->flow_size ? (double)a->lb->flow_size(a->lb_config) : 0;
    return bytes;
}

double
footprint_of_fabric(const struct scenario *s, double busy)
{
    const struct weft_clos *c = &s->clos;
    const struct weft_net_sizes sizes = sizes_of_parts();
    const struct host_bytes *own = &run_host_chosen()->bytes;
    const uint32_t most = weft_clos_most_ports(c);
    const double port = lanes_bytes(busy) + (most > 1 ? (double)sizes.host_port : 0);
    const double nic = own->nic + (double)sizes.host + most * port + path_bytes(s);
    double bytes = c->nhosts * nic + (double)weft_planes_links(c) * own->link;
    if (c->graph)
    {
        for (uint32_t i = 0; i < c->nswitches; i++)
        {
            bytes += switch_bytes(s, i, busy);
        }
        const struct weft_fib_case healthy = {.weights = (enum weft_weights)s->weights};
        return bytes + (double)weft_fib_size_for(c, &healthy);
    }
    double plane = c->ntors * switch_bytes(s, 0, busy);
    plane += c->naggs ? c->naggs * switch_bytes(s, c->ntors, busy) : 0;
    plane += c->ncores ? c->ncores * switch_bytes(s, c->ntors + c->naggs, busy) : 0;
    const uint32_t servers = weft_clos_servers(c);
    bytes += servers > 0 ? servers * switch_bytes(s, c->planes * c->nswitches, busy) : 0;
    return bytes + c->planes * plane;
}

double
footprint_of_qp(const struct scenario *s, double packets)
{
    double most = 0; /* a QP may be of any level */
    for (size_t i = 0; i <= s->nclasses; i++)
    {
        const struct algorithms a = algorithms_of(s, i);
        const double bytes = qp_bytes(s, &a, packets);
        most = bytes > most ? bytes : most;
    }
    return most + (double)sizes_of_parts().qp + 2 * sizeof(void *) + sizeof(struct weft_flow);
}

double
footprint_of_message(void)
{
    return sizeof(struct weft_message) + sizeof(struct weft_message_times) +
           sizeof(struct weft_wqe) + 2 * sizeof(uint32_t);
}

double
footprint_of_packet(void)
{
    return (double)sizes_of_parts().frame;
}
