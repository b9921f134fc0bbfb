/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: a transport's count of packets that the balancer's reordering exceeds, so that the
 * transport decides a comparison of balancers. */
#include <math.h>
#include <string.h>

#include <weft/clos.h>

#include "link-failures.h"
#include "scenario-load.h"
#include "textbuf.h"

/**
 * A count of packets by which a transport tells losses from reordering. Random choice and shortest
 * queues let one packet in a hundred be overtaken by a third to a half of a BDP in healthy fabrics.
 * `sack` with less than a fifth sends 10 to 30 % again that had arrived; `mprdma`, which drops what
 * its bitmap cannot hold, needs a third or more. Under random choice the lengths of queues wander:
 * the longer a message is, the farther they are apart, by the root of its length
 * (docs/decisions.md).
 */
static const struct count
{
    const char *transport, *param;
    int64_t share; /**< of the BDP that it must hold: 1 / share */
    double root;   /**< and as much of the root of the BDP times a message's packets */
    const char *does, *expected;
} counts[] = {
    {"sack", "threshold", 5, 0.15, "much of what has arrived is sent again",
     "no threshold, so that time decides, or "},
    {"mprdma", "window", 3, 0, "much of what arrives is dropped, and QPs wait for their timers",
     ""},
};

/** Whether packets overtake each other by many: those that take paths in turn let few pass, unless
 * links differ. */
static bool
reorders_far(const struct level *l)
{
    const struct scenario *s = l->s;
    const struct weft_lb_ops *lb = weft_lb_find(l->balancer->algo->name);
    bool uneven = false;
    for (size_t i = 0; i < s->nfaults; i++)
    {
        uneven = uneven || fault_happens(&s->faults[i]);
    }
    return lb->reorders && (uneven || !lb->in_turn);
}

/** The least count that holds what is reordered in a message of so many packets (0: of any number);
 * 0: none is needed, as it has fewer packets. */
static int64_t
count_for(const struct count *n, double bdp, uint64_t packets)
{
    const int64_t share = (int64_t)(bdp / (double)n->share);
    const int64_t wander = (int64_t)(n->root * sqrt(bdp * (double)packets));
    return packets > 0 && packets < (uint64_t)share ? 0 : wander > share ? wander : share;
}

/** Returns that count for all messages of the level, but for those of an all-to-all or an incast,
 * whose QPs share a host's wire. */
static int64_t
least_count(const struct level *l, const struct count *n, double bdp, uint64_t payload)
{
    const struct weft_hosts all = weft_clos_hosts(&l->s->clos);
    int64_t least = 0;
    for (size_t i = 0; i < l->s->nworkloads; i++)
    {
        const struct workload *w = &l->s->workloads[i];
        const struct weft_job *job = &l->s->jobs.jobs[i];
        const struct weft_hosts hosts = weft_job_hosts(job, &all);
        struct weft_traffic_size size;
        if (w->level == l->number && !list_has("alltoall incast", w->choice.algo->name) &&
            job->ops->size(job->config, &hosts, &size) == 0)
        {
            const int64_t own = count_for(n, bdp, (size.bytes + payload - 1) / payload);
            least = own > least ? own : least;
        }
    }
    return least;
}

static void
warn_of_clock(const struct level *l)
{
    static const char *const clock[] = {"reorder-min", "reorder-max", "probe"};
    const struct element *root = level_owns(l, "transport") ? l->e : l->s->root;
    const struct element *e = root ? element_child(root, "transport") : NULL;
    for (size_t i = 0; e && i < sizeof clock / sizeof *clock; i++)
    {
        if (choice_value(l->transport, "threshold", 0) > 0 && element_attribute(e, clock[i]) &&
            weft_param_find(l->transport->algo, clock[i]) && !is_complete(e, l->transport->algo))
        {
            diag_idle(l->d, element_line(e, clock[i]),
                      "%s of <transport> has no effect: threshold is more than 0", clock[i]);
        }
    }
}

void
warn_of_counts(const struct level *l)
{
    warn_of_clock(l);
    struct weft_net_level one;
    const struct weft_net_config c = level_config(l, &one);
    const int64_t frame = c.frame.payload + c.frame.header;
    const uint32_t last = c.clos->nhosts - 1;
    const int64_t trip =
        weft_clos_way(c.clos, 0, last, frame) + weft_clos_way(c.clos, last, 0, c.frame.ack);
    const double bdp =
        (double)trip * 1e-12 * (double)weft_planes_host_rate(c.clos) / 8 / (double)frame;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    {
        const struct count *n = &counts[i];
        const int64_t least = least_count(l, n, bdp, (uint64_t)c.frame.payload);
        const int64_t value = choice_value(l->transport, n->param, 0);
        if (strcmp(l->transport->algo->name, n->transport) == 0 && value > 0 && value < least &&
            reorders_far(l))
        {
            diag_warning(l->d, level_line(l, "transport", n->param),
                         "%s of the transport %s%s is less than what balancers reorder that spread "
                         "packets: with a BDP of %d packets %s; expected %s%d or more",
                         n->param, n->transport, level_owns(l, "transport") ? l->of : "", (int)bdp,
                         n->does, n->expected, (int)least);
        }
    }
}
