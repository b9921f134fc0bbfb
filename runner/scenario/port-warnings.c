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

static void
count_senders(const struct weft_clos *clos, const struct traffic_sample *t, struct sender *senders)
{
    OWNED bool *known = xcalloc((size_t)t->n + 1, sizeof *known); /* there are no more QPs */
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
}

void
warn_of_ports(const struct scenario *s, struct diagnostics *d)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    const uint32_t level = level_that_keeps(s);
    struct traffic_sample sample;
    uint32_t qps = 0, ports = 0;
    if (f->host_port != WEFT_PORT_HASHED || weft_clos_most_ports(&s->clos) == 1 ||
        level == UINT32_MAX || !traffic_messages(s, &hosts, LOAD_MOST_MESSAGES, &sample))
    {
        return;
    }
    OWNED struct sender *senders = xcalloc(hosts.n, sizeof *senders);
    count_senders(&s->clos, &sample, senders);
    free(sample.messages);
    bool all = true;
    for (uint32_t i = 0; i < hosts.n; i++)
    {
        const uint32_t own = count_bits(senders[i].ports);
        all = all && (senders[i].qps == 0 || senders[i].qps < own);
        qps = senders[i].qps > qps ? senders[i].qps : qps;
        ports = own > ports ? own : ports;
    }
    if (all && qps > 0)
    {
        const struct level l = level_at(s, level, d);
        diag_warning(d, level_line(&l, "balancer", "name"),
                     "the balancer %s%s keeps a QP to one port of its host at a time, and hosts "
                     "with %u ports have %u QPs at most: ports carry nothing; expected more QPs, "
                     "host-port=\"round-robin\" of <fabric>, or a balancer that labels packets, "
                     "such as reps",
                     l.balancer->algo->name, level_owns(&l, "balancer") ? l.of : "", ports, qps);
    }
}
