/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether buffer and balancers suit the topology, tried on one switch of each tier, and whether a
 * run can end before its limit: so that a sweep does not find out after hours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/levels.h>
#include <weft/net.h>

#include "input-file.h"
#include "link-failures.h"
#include "scenario-load.h"
#include "textbuf.h"
#include "traffic-load.h"

static void
check_buffer(const struct level *l, uint32_t nports)
{
    struct weft_refusal why = {0, NULL, ""};
    const int code = weft_mmu_check(l->s->switches.config, nports, &why);
    if (code < 0)
    {
        diag_error(l->d, level_line(l, "switch", NULL), "%s", weft_refusal_text(code, &why));
    }
}

static void
report_balancer(const struct level *l, int code, const struct weft_refusal *why)
{
    const struct weft_clos *clos = &l->s->clos;
    const char *name = l->balancer->algo->name;
    if (code == WEFT_ENOTCLOS)
    {
        diag_error(l->d, level_line(l, "balancer", NULL),
                   "the balancer %s%s needs a Clos, and this topology is a graph; expected the "
                   "topology leaf-spine, fat-tree or clos, or another balancer",
                   name, l->of);
    }
    else
    {
        diag_error(l->d, level_line(l, "balancer", NULL),
                   "the balancer %s%s cannot work on this %s with %u paths, last hops of %lld Gbps "
                   "and %lld ns: %s; 'weft list %s' shows what can be set",
                   name, l->of, l->s->topology.algo->name, clos->npaths,
                   (long long)(clos->host_rate / 1000000000), (long long)(clos->host_delay / 1000),
                   weft_refusal_text(code, why), name);
    }
}

static void
check_balancer(const struct level *l, uint32_t index)
{
    const struct scenario *s = l->s;
    const struct choice *balancer = l->balancer;
    const struct weft_lb_ops *lb = weft_lb_find(balancer->algo->name);
    struct weft_site site;
    static const struct weft_port_reader none; /* init() reads no port */
    const uint64_t seed = weft_level_seed(s->seed, l->number);
    weft_clos_site(&s->clos, s->switches.config, index, seed, s->run, &site);
    struct weft_refusal why = {0, NULL, ""};
    site.reader = &none;
    site.provides = WEFT_NEEDS_ALL;
    site.why = &why;
    void *state = xcalloc(lb->state_size(balancer->config, &site) / 8 + 2, 8);
    int code = lb->init(state, balancer->config, &site);
    if (code < 0)
    {
        report_balancer(l, code, &why);
    }
    free(state);
}

static void
check_last_hop(const struct level *l)
{
    const struct scenario *s = l->s;
    const struct choice *balancer = l->balancer;
    const struct weft_tor_ops *tor = weft_lb_find(balancer->algo->name)->tor;
    const struct weft_fabric_config *frame = s->fabric.config;
    if (!tor)
    {
        return;
    }
    struct weft_last_hop hop;
    struct weft_refusal why = {0, NULL, ""};
    weft_clos_last_hop(&s->clos, frame, &hop);
    hop.why = &why;
    hop.provides = WEFT_NEEDS_ALL;
    void *qp = xcalloc(tor->qp_size(balancer->config, &hop) / 8 + 1, 8);
    int code = tor->qp_init(qp, balancer->config, &hop);
    if (code < 0)
    {
        report_balancer(l, code, &why);
    }
    free(qp);
}

const char *
part_kind(enum weft_net_part part)
{
    static const char *const kinds[] = {
        "switch", NULL, "transport", "balancer", "congestion-control", "scheduler"};
    return kinds[part];
}

/** Where that is set about which weft_net_check() complains. */
static int
part_line(const struct level *l, enum weft_net_part part, const struct weft_refusal *why)
{
    if (part == WEFT_NET_QUEUE)
    {
        return element_line(l->e, "queue");
    }
    if (why->param && strcmp(why->param, "outstanding") == 0)
    {
        const struct element *e = element_child(l->e ? l->e : l->s->root, "transport");
        return e && element_attribute(e, "outstanding") ? element_line(e, "outstanding")
                                                        : level_line(l, "fabric", NULL);
    }
    return level_line(l, part_kind(part), NULL);
}

struct weft_net_config
level_config(const struct level *l, struct weft_net_level *one)
{
    const struct scenario *s = l->s;
    *one = (struct weft_net_level){.lb = weft_lb_find(l->balancer->algo->name),
                                   .transport = weft_transport_find(l->transport->algo->name),
                                   .transport_config = l->transport->config,
                                   .cc = weft_cc_find(l->cc->algo->name),
                                   .cc_config = l->cc->config,
                                   .tclass = (uint8_t)(l->class ? l->class->queue : 1)};
    return (struct weft_net_config){.clos = &s->clos,
                                    .frame = *(const struct weft_fabric_config *)s->fabric.config,
                                    .buffer = *(const struct weft_mmu_config *)s->switches.config,
                                    .scheduler = weft_scheduler_find(s->scheduler.algo->name),
                                    .levels = one,
                                    .nlevels = 1};
}

/** Whether a part of a level suits frames and switches, in the core's words. */
static bool
part_fits(const struct level *l, enum weft_net_part part)
{
    struct weft_net_level level;
    const struct weft_net_config config = level_config(l, &level);
    struct weft_refusal why = {0, NULL, ""};
    if (weft_net_check(&config, part, 0, &why) == 0)
    {
        return true;
    }
    weft_net_name_part(&config, part, 0, l->of, &why);
    diag_error(l->d, part_line(l, part, &why), "%s", why.text);
    return false;
}

/** What a class has from the scenario is looked at there. */
static void
check_parts(const struct level *l)
{
    const bool own_transport = !l->class || level_owns(l, "transport");
    const bool own_balancer = !l->class || level_owns(l, "balancer");
    if (l->class)
    {
        part_fits(l, WEFT_NET_QUEUE);
    }
    if (!own_transport || part_fits(l, WEFT_NET_TRANSPORT))
    {
        (void)(own_balancer && part_fits(l, WEFT_NET_BALANCER));
    }
}

/** Its balancer, on each of these switches and at the last hop. */
static void
check_balancer_on(const struct level *l, const uint32_t *indices, uint32_t n)
{
    const size_t before = l->d->reported;
    for (uint32_t i = 0; i < n && l->d->reported == before; i++)
    {
        check_balancer(l, indices ? indices[i] : i);
    }
    if (l->d->reported == before && !l->s->clos.graph)
    {
        check_last_hop(l);
    }
}

void
check_feasible(const struct scenario *s, struct diagnostics *d)
{
    const uint32_t first[3] = {0, s->clos.ntors, s->clos.ntors + s->clos.naggs};
    const size_t before = d->reported;
    struct level l = level_at(s, 0, d);
    part_fits(&l, WEFT_NET_BUFFER);
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        l = level_at(s, i, d);
        check_parts(&l);
    }
    /* In a graph each switch may have another number of ports. */
    const uint32_t n = s->clos.graph ? s->clos.nswitches : s->clos.tiers;
    const uint32_t *indices = s->clos.graph ? NULL : first;
    for (uint32_t i = 0; i < n && d->reported == before; i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(&s->clos, indices ? indices[i] : i, &map);
        check_buffer(&l, weft_map_nports(&map));
    }
    for (uint32_t i = 0; i <= s->nclasses && d->reported == before; i++)
    {
        l = level_at(s, i, d);
        check_balancer_on(&l, indices, n);
    }
}

/* --- the limit -------------------------------------------------------------------------------- */

static bool
something_fails(const struct scenario *s)
{
    return s->nfailures || random_links_any(&s->random_failures);
}

bool
fails_surely(const struct scenario *s)
{
    int64_t first = random_links_any(&s->random_failures) ? s->random_failures.at : WEFT_NEVER;
    for (size_t i = 0; i < s->nfailures; i++)
    {
        first = s->failures[i].at < first ? s->failures[i].at : first;
    }
    if (first == WEFT_NEVER || s->convergence == WEFT_NEVER)
    {
        return false;
    }
    return first == 0 || first < traffic_bound(s, true) - s->convergence;
}

/** Senders that give up end their messages early, if something can be lost for good. */
static bool
may_give_up(const struct scenario *s)
{
    const struct weft_fabric_config *f = s->fabric.config;
    bool fails = s->loss > 0 || something_fails(s);
    for (size_t i = 0; i < s->ndrops; i++)
    {
        fails = fails || s->drops[i].count > f->retry_limit;
    }
    return f->retry_limit > 0 && fails;
}

/** ps from which on the workload's last messages may start, at the earliest. */
static double
last_start(const struct scenario *s, size_t which)
{
    const struct workload *w = &s->workloads[which];
    const struct weft_job *job = &s->jobs.jobs[which];
    const struct weft_hosts all = weft_clos_hosts(&s->clos), hosts = weft_job_hosts(job, &all);
    const struct weft_table *t = &w->table;
    struct weft_traffic_size size;
    const bool fits = job->ops->size(job->config, &hosts, &size) >= 0;
    const double steps = fits && size.nsteps > 1 ? size.nsteps - 1 : 0;
    double last = 0;
    for (uint32_t i = 0; t->nwaits == 0 && i < t->nflows; i++)
    {
        last = (double)t->flows[i].start > last ? (double)t->flows[i].start : last;
    }
    return (double)choice_value(&w->choice, "start", 0) + last +
           steps * (double)choice_value(&w->choice, "compute", 0);
}

/** What starts later than a run may last is an error, unless runs end there by intention. */
static void
check_starts(const struct scenario *s, struct diagnostics *d)
{
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const double last = last_start(s, i);
        const struct workload *w = &s->workloads[i];
        if (last >= (double)s->stop)
        {
            (s->stop_is_end ? diag_warning : diag_error)(
                d, w->line,
                "messages of this %s start after %.6g ms or later, and <limit> ends the run at "
                "%.6g ms; expected earlier ones, or a later limit",
                w->choice.algo->name, last * 1e-9, (double)s->stop * 1e-9);
        }
    }
}

void
check_limit(const struct scenario *s, int line, struct diagnostics *d)
{
    check_starts(s, d);
    if (s->stop_is_end || may_give_up(s) || traffic_bound(s, false) <= s->stop)
    {
        return;
    }
    const int64_t bound = traffic_bound(s, true);
    if (bound > s->stop)
    {
        diag_error(d, line,
                   "time %.6g ms of <limit> is less than the %.6g ms that the workload takes at "
                   "least, on an idle fabric; expected a later limit, or then=\"stop\" to end "
                   "there without an error",
                   (double)s->stop * 1e-9, (double)bound * 1e-9);
    }
}
