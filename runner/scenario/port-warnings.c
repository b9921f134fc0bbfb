/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: ports of hosts that carry nothing, as QPs keep to one port each and are too few. */
#include <stdlib.h>

#include <weft/clos.h>

#include "scenario-load.h"
#include "textbuf.h"
#include "traffic-load.h"

/** A host as a sender to the fabric. */
struct sender
{
    uint32_t qps;
    uint64_t ports; /**< that lead to where it sends, as bits */
};

static uint32_t
count_bits(uint64_t bits)
{
    uint32_t n = 0;
    for (; bits != 0; bits &= bits - 1)
    {
        n++;
    }
    return n;
}

/** Whether a balancer neither labels packets nor divides messages: the NIC hashes a QP's one label.
 */
static bool
keeps_to_a_port(const struct weft_lb_ops *lb)
{
    return !lb->plan && !(lb->path && lb->reorders);
}

/** Returns the first level of a workload, if the balancers of all of them are such; else
 * UINT32_MAX. */
static uint32_t
level_that_keeps(const struct scenario *s)
{
    bool all = true;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const struct level l = level_at(s, s->workloads[i].level, NULL);
        all = all && keeps_to_a_port(weft_lb_find(l.balancer->algo->name));
    }
    return all && s->nworkloads > 0 ? s->workloads[0].level : UINT32_MAX;
}

/** Returns the host with most QPs to the fabric, if none has as many as ports; else one without. */
static struct sender
busiest(const struct weft_clos *clos, const struct traffic_sample *t)
{
    OWNED bool *known = xcalloc((size_t)t->n + 1, sizeof *known); /* there are no more QPs */
    OWNED struct sender *senders = xcalloc(clos->nhosts, sizeof *senders);
    struct sender most = {0, 0};
    for (uint32_t i = 0; i < t->n; i++)
    {
        const struct weft_message *m = &t->messages[i];
        if (!known[m->qp] && !weft_clos_inside(clos, m->src, m->dst))
        {
            senders[m->src].qps++;
            senders[m->src].ports |= weft_clos_ways(clos, m->src, m->dst);
        }
        known[m->qp] = true;
    }
    for (uint32_t i = 0; i < clos->nhosts; i++)
    {
        const struct sender *own = &senders[i];
        if (own->qps > 0 && own->qps >= count_bits(own->ports))
        {
            return (struct sender){0, 0};
        }
        most = own->qps > most.qps ? *own : most;
    }
    return most;
}

/** Returns such a host; of more messages than are looked at, the average one. */
static struct sender
sender_of(const struct scenario *s)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct traffic_sample sample;
    struct weft_traffic_size size;
    struct sender sender = {0, 0};
    if (traffic_messages(s, &hosts, LOAD_MOST_MESSAGES, &sample))
    {
        sender = busiest(&s->clos, &sample);
        free(sample.messages);
    }
    else if (scenario_ops(s)->size(s->workload.config, &hosts, &size) >= 0)
    {
        sender.ports = weft_clos_ways(&s->clos, 0, hosts.n - 1);
        sender.qps = (size.nqps - 1) / hosts.n + 1;
        sender.qps = sender.qps < count_bits(sender.ports) ? sender.qps : 0;
    }
    return sender;
}

void
warn_of_ports(const struct scenario *s, struct diagnostics *d)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const uint32_t level = level_that_keeps(s);
    if (f->host_port != WEFT_PORT_HASHED || weft_clos_most_ports(&s->clos) == 1 ||
        level == UINT32_MAX)
    {
        return;
    }
    const struct sender sender = sender_of(s);
    if (sender.qps > 0)
    {
        const struct level l = level_at(s, level, d);
        const struct weft_lb_ops *lb = weft_lb_find(l.balancer->algo->name);
        diag_warning(d, level_line(&l, "balancer", "name"),
                     "the balancer %s%s keeps a QP to one port of its host at a time, and hosts "
                     "with %u ports have %u QPs at most: ports carry nothing; expected more QPs, "
                     "%sor a balancer that labels packets, such as reps",
                     l.balancer->algo->name, level_owns(&l, "balancer") ? l.of : "",
                     count_bits(sender.ports), sender.qps,
                     lb->tor || lb->request ? "" : "host-port=\"round-robin\" of <fabric>, ");
    }
}
