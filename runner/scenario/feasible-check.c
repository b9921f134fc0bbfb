/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a run can begin, by the inits of all its parts at each kind of place, and whether it can
 * end before its limit: so that a sweep does not find out after hours. */
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
report_balancer(const struct level *l, int code, const struct weft_refusal *why)
{
    const struct weft_clos *clos = &l->s->clos;
    const char *name = l->balancer->algo->name;
    if (code == WEFT_ENOTCLOS)
    {
        diag_error(l->d, level_line(l, "balancer", NULL),
                   "the balancer %s%s needs a Clos, and %s; expected %s, or another balancer", name,
                   l->of,
                   l->s->tors_memory ? "hosts at several ToRs make this topology a graph"
                                     : "this topology is a graph",
                   l->s->tors_memory ? "planes instead of tors-per-host"
                                     : "the topology leaf-spine, fat-tree or clos");
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
                                   .lb_config = l->balancer->config,
                                   .transport = weft_transport_find(l->transport->algo->name),
                                   .transport_config = l->transport->config,
                                   .cc = weft_cc_find(l->cc->algo->name),
                                   .cc_config = l->cc->config,
                                   .share = 1,
                                   .tclass = (uint8_t)(l->class ? l->class->queue : 1)};
    return (struct weft_net_config){.clos = &s->clos,
                                    .frame = *(const struct weft_fabric_config *)s->fabric.config,
                                    .buffer = *(const struct weft_mmu_config *)s->switches.config,
                                    .scheduler = weft_scheduler_find(s->scheduler.algo->name),
                                    .scheduler_config = s->scheduler.config,
                                    .weights = (enum weft_weights)s->weights,
                                    .seed = weft_level_seed(s->seed, l->number),
                                    .run = s->run,
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

/** Checks the parts of a level; a class' part that is the scenario's is checked there. */
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

/* --- the inits of all parts ------------------------------------------------------------------- */

/** Memory for what is tried. */
struct lent
{
    struct lent *next;
    max_align_t bytes[];
};

static void *
lend(void *of, size_t bytes)
{
    struct lent **all = of, *one = xcalloc(1, sizeof *one + bytes);
    one->next = *all;
    *all = one;
    return one->bytes;
}

static void
give_back(struct lent *all)
{
    while (all)
    {
        struct lent *one = all;
        all = one->next;
        free(one);
    }
}

/** Reports a part of a level whose inits refuse, at all kinds of places of the fabric. */
static void
check_beginning(const struct level *l, enum weft_net_part part)
{
    struct weft_net_level level;
    struct weft_net_config config = level_config(l, &level);
    struct weft_refusal why = {0, NULL, ""};
    struct lent *all = NULL;
    config.memory = (struct weft_memory){lend, &all};
    const int code = weft_net_try(&config, part, 0, &why);
    give_back(all);
    if (code < 0 && part == WEFT_NET_BALANCER)
    {
        report_balancer(l, code, &why);
    }
    else if (code < 0 && part == WEFT_NET_BUFFER)
    {
        diag_error(l->d, part_line(l, part, &why), "%s", weft_refusal_text(code, &why));
    }
    else if (code < 0)
    {
        diag_error(l->d, part_line(l, part, &why), "the %s%s cannot begin: %s", part_kind(part),
                   l->of, weft_refusal_text(code, &why));
    }
}

/** QPs of a connection at most, by how many links its hosts are apart. */
#define FARTHEST 8

static uint32_t
most_qps(const struct level *l, uint32_t src, uint32_t dst)
{
    struct weft_net_level level;
    struct weft_net_config config = level_config(l, &level);
    struct lent *all = NULL;
    config.memory = (struct weft_memory){lend, &all};
    const uint32_t most = weft_net_most_qps(&config, 0, src, dst);
    give_back(all);
    return most;
}

/** QPs of all connections at most, those included that planners may ask for. */
static uint64_t
count_qps(const struct scenario *s, uint32_t nqps)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    uint32_t known[WEFT_LEVELS][FARTHEST] = {{0}};
    struct traffic_sample all;
    uint64_t sum = 0;
    uint8_t *seen = xcalloc(nqps, sizeof *seen);
    traffic_messages(s, &hosts, UINT32_MAX, &all);
    for (uint32_t i = 0; i < all.n; i++)
    {
        const struct weft_message *m = &all.messages[i];
        const uint32_t apart = weft_clos_hops(&s->clos, m->src, m->dst) % FARTHEST;
        uint32_t *most = &known[m->sl][apart];
        if (*most == 0)
        {
            const struct level l = level_at(s, m->sl, NULL);
            *most = most_qps(&l, m->src, m->dst);
        }
        sum += seen[m->qp] ? 0 : *most;
        seen[m->qp] = 1;
    }
    free(seen);
    free(all.messages);
    return sum;
}

/** Numbers of QPs are as many as a packet can name. */
static void
check_qps(const struct scenario *s, struct diagnostics *d)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct weft_traffic_size size;
    uint64_t most = 0;
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        const struct level l = level_at(s, i, d);
        const uint64_t each = most_qps(&l, 0, s->clos.nhosts - 1);
        most = each > most ? each : most;
    }
    if (scenario_ops(s)->size(s->workload.config, &hosts, &size) < 0 ||
        size.nqps * most <= WEFT_QP_MASK + 1)
    {
        return;
    }
    const uint64_t n = count_qps(s, size.nqps);
    if (n > WEFT_QP_MASK + 1)
    {
        const struct level l = level_at(s, 0, d);
        diag_error(d, level_line(&l, "balancer", NULL),
                   "%u connections may need %llu QPs, as a message may go by so many of them; "
                   "expected at most %u: fewer connections, or another balancer",
                   size.nqps, (unsigned long long)n, WEFT_QP_MASK + 1);
    }
}

void
check_feasible(const struct scenario *s, struct diagnostics *d)
{
    const size_t before = d->reported;
    struct level l = level_at(s, 0, d);
    part_fits(&l, WEFT_NET_BUFFER);
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        l = level_at(s, i, d);
        check_parts(&l);
    }
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        l = level_at(s, i, d);
        for (uint32_t part = 0; part < WEFT_NET_PARTS && d->reported == before; part++)
        {
            check_beginning(&l, (enum weft_net_part)part);
        }
    }
    if (d->reported == before)
    {
        check_qps(s, d);
    }
}

/* --- the limit -------------------------------------------------------------------------------- */

static bool
something_fails(const struct scenario *s)
{
    for (size_t i = 0; i < s->nfaults; i++)
    {
        const bool loses =
            s->faults[i].effect != WEFT_FAULT_SLOW && s->faults[i].effect != WEFT_FAULT_DELAYED;
        if (loses && fault_happens(&s->faults[i]))
        {
            return true;
        }
    }
    return false;
}

bool
fails_surely(const struct scenario *s)
{
    int64_t first = WEFT_NEVER;
    for (size_t i = 0; i < s->nfaults; i++)
    {
        const struct link_fault *f = &s->faults[i];
        first = fault_is_heard(s, f) && f->at < first ? f->at : first;
    }
    if (first == WEFT_NEVER)
    {
        return false;
    }
    return first == 0 || first < traffic_bound(s, true) - s->convergence;
}

/** ps before which no sender gives up, by its retry limit and the shortest RTO; WEFT_NEVER: none
 * ever does, as nothing can be lost for good. */
static int64_t
first_given_up(const struct scenario *s)
{
    const struct weft_fabric_config *f = s->fabric.config;
    bool fails = s->loss > 0 || something_fails(s);
    int64_t rto = WEFT_NEVER;
    for (size_t i = 0; i < s->ndrops; i++)
    {
        fails = fails || s->drops[i].count > f->retry_limit;
    }
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        const int64_t own = choice_value(level_at(s, i, NULL).transport, "rto", 0);
        rto = own < rto ? own : rto;
    }
    return f->retry_limit > 0 && fails && rto <= WEFT_NEVER / f->retry_limit ? f->retry_limit * rto
                                                                             : WEFT_NEVER;
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

/** Checks starts: a flow that starts later than a run may last is an error, unless runs end there
 * by intention. */
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

/** Checks that faults begin before the run may end, unless runs end there by intention. */
static void
check_faults(const struct scenario *s, struct diagnostics *d)
{
    for (size_t i = 0; i < s->nfaults; i++)
    {
        const struct link_fault *f = &s->faults[i];
        if (f->e && fault_happens(f) && f->at >= s->stop)
        {
            (s->stop_is_end ? diag_warning : diag_error)(
                d, f->e->line,
                "<%s> has no effect: it comes after the <limit>, at %.6g ms, which ends the run at "
                "%.6g ms; expected it earlier, or at=\"never\"",
                f->e->name, (double)f->at * 1e-9, (double)s->stop * 1e-9);
        }
    }
}

void
check_limit(const struct scenario *s, int line, struct diagnostics *d)
{
    check_starts(s, d);
    check_faults(s, d);
    if (s->stop_is_end || traffic_bound(s, false) <= s->stop)
    {
        return;
    }
    const int64_t bound = traffic_bound(s, true);
    if (bound > s->stop)
    {
        const bool early = first_given_up(s) <= s->stop;
        (early ? diag_warning : diag_error)(
            d, line,
            "time %.6g ms of <limit> is less than the %.6g ms that the workload takes at least, on "
            "an idle fabric; %sexpected a later limit, or then=\"stop\" to end there without an "
            "error",
            (double)s->stop * 1e-9, (double)bound * 1e-9,
            early ? "only messages that senders give up take less; " : "");
    }
}
