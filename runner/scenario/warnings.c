/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: choices that are possible, and of which one has no effect or spoils the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input-file.h"
#include "link-failures.h"
#include "node-numbers.h"
#include "scenario-load.h"
#include "traffic-load.h"

/* --- flows that start at random --------------------------------------------------------------- */

/** The flows of a <workload> that start at random. */
struct arrivals
{
    int line;
    uint32_t flows;
    double load;
    double start; /**< ps */
    double span;  /**< ps over which they start, on average */
    double alone; /**< ps that the largest one takes of its host's wire, at least */
    uint64_t largest;
};

static struct arrivals
arrivals_of(const struct scenario *s, size_t which)
{
    const struct workload *w = &s->workloads[which];
    const struct weft_job *job = &s->jobs.jobs[which];
    const struct weft_hosts all = weft_clos_hosts(&s->clos), hosts = weft_job_hosts(job, &all);
    const struct weft_param *load = weft_param_find(w->choice.algo, "load");
    const struct weft_table *sizes = &w->input->flows.table;
    struct weft_traffic_size size;
    job->ops->size(job->config, &hosts, &size);
    struct arrivals a = {
        .line = w->line,
        .flows = size.nmessages,
        .load = *(const double *)((const char *)job->config + load->offset),
        .start = (double)choice_value(&w->choice, "start", 0),
        .span = weft_poisson_span(job->config, &hosts),
        .largest = sizes->sizes[sizes->nsizes - 1].bytes,
    };
    a.alone = (double)a.largest * 8e12 / (double)hosts.rate;
    return a;
}

/** While the largest flow is under way the fabric fills, and then it empties. */
static void
warn_of_span(const struct arrivals *a, struct diagnostics *d)
{
    if (a->span < a->alone)
    {
        diag_warning(d, a->line,
                     "%u flows start within %.4g us on average, and one of %llu bytes takes %.4g "
                     "us alone: the fabric does not come to load %.4g; expected some times as many "
                     "flows, and a warm-up and a window of <measure> "
                     "(docs/flow-completion-times.md)",
                     a->flows, a->span * 1e-6, (unsigned long long)a->largest, a->alone * 1e-6,
                     a->load);
    }
}

static void
warn_of_window(const struct arrivals *a, const struct level *l)
{
    const struct measurements *m = &l->s->measure;
    const double end = (double)m->warm_up + (double)m->window;
    if ((double)m->warm_up >= a->span)
    {
        diag_warning(l->d, level_line(l, "measure", "warm-up"),
                     "warm-up of <measure> ends after %.4g us, and flows start until %.4g us on "
                     "average: few or none are measured",
                     (double)m->warm_up * 1e-6, a->span * 1e-6);
    }
    else if (m->window < WEFT_NEVER && end > a->span * (1 + 1e-9))
    {
        diag_warning(l->d, level_line(l, "measure", "window"),
                     "the window of <measure> ends after %.4g us, and flows start until %.4g us on "
                     "average: the load falls before the window ends",
                     end * 1e-6, a->span * 1e-6);
    }
}

static void
warn_of_limit(const struct arrivals *a, const struct level *l)
{
    const double end = a->start + a->span;
    if (end > (double)l->s->stop)
    {
        diag_warning(l->d, a->line,
                     "flows start until %.4g us on average, and <limit> ends the run at %.4g us: "
                     "the later ones never start",
                     end * 1e-6, (double)l->s->stop * 1e-6);
    }
}

static void
warn_of_arrivals(const struct level *l)
{
    const struct scenario *s = l->s;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        if (strcmp(s->workloads[i].choice.algo->name, "poisson") != 0)
        {
            continue;
        }
        const struct arrivals a = arrivals_of(s, i);
        if (a.load > 1)
        {
            diag_warning(l->d, a.line,
                         "load %.4g of <workload> is more than hosts can send: completion times "
                         "grow for as long as flows start",
                         a.load);
        }
        warn_of_limit(&a, l);
        /* Beside other workloads they are there for those, for as long as those take. */
        if (s->nworkloads == 1)
        {
            warn_of_span(&a, l->d);
            warn_of_window(&a, l);
        }
    }
}

/* --- choices that do not suit each other ------------------------------------------------------ */

/** Where a balancer does not suit a transport: that may be what the class has chosen. */
static int
line_of_pair(const struct level *l)
{
    const bool transport = !level_owns(l, "balancer") && level_owns(l, "transport");
    return level_line(l, transport ? "transport" : "balancer", "name");
}

/** Whether it is about something of the class, and not of the scenario, which is warned for all. */
static bool
is_own(const struct level *l, const char *kind, bool pair)
{
    return level_owns(l, kind) || (pair && level_owns(l, "transport"));
}

static void
warn_of_core(const struct level *l, bool used)
{
    struct weft_net_level one;
    const struct weft_net_config config = level_config(l, &one);
    struct weft_refusal what = {0, NULL, ""};
    enum weft_net_part part;
    uint32_t at = 0;
    while (weft_net_warning(&config, 0, &at, &part, &what))
    {
        const char *kind = part_kind(part);
        const bool of_switch = part == WEFT_NET_BUFFER || part == WEFT_NET_SCHEDULER;
        if (of_switch ? l->number == 0 : used)
        {
            weft_net_name_part(&config, part, 0, is_own(l, kind, !what.param) ? l->of : "", &what);
            diag_warning(l->d, what.param ? level_line(l, kind, what.param) : line_of_pair(l), "%s",
                         what.text);
        }
    }
}

/** A failure is the scenario's, and a transport that does not use what it has is none of the
 * core's business. */
static void
warn_of_level(const struct level *l)
{
    const struct weft_mmu_config *mmu = l->s->switches.config;
    const struct weft_transport_ops *transport = weft_transport_find(l->transport->algo->name);
    if (weft_lb_find(l->balancer->algo->name)->off_while_down && fails_surely(l->s))
    {
        diag_warning(l->d, level_line(l, "balancer", "name"),
                     "%s%s is off in the whole fabric while a failure is known: it is plain ECMP "
                     "then, and NACKs pass",
                     l->balancer->algo->name, is_own(l, "balancer", false) ? l->of : "");
    }
    if (transport->trims && !mmu->trim && mmu->pfc)
    {
        diag_idle(l->d, level_line(l, "transport", "name"),
                  "the transport %s%s with switches that do not trim: it does not use what it "
                  "has for that; expected trim=\"on\" of <switch>, or another transport",
                  l->transport->algo->name, is_own(l, "transport", false) ? l->of : "");
    }
}

static void
warn_of_measure(const struct level *l)
{
    if (l->s->measure.interval > l->s->stop && measures_over_time(&l->s->measure))
    {
        diag_warning(
            l->d, level_line(l, "measure", "interval"),
            "interval of <measure> is longer than the time of <limit>: nothing is sampled");
    }
}

/* --- <switch>, <scheduler> -------------------------------------------------------------------- */

static void
check_switch(const struct scenario *s, struct diagnostics *d)
{
    const struct weft_mmu_config *mmu = s->switches.config;
    const struct element *e = element_child(s->root, "switch");
    const struct
    {
        const char *name, *by, *is;
        bool off;
    } rules[] = {
        {"headroom", "pfc", "off", !mmu->pfc},
        {"xon-gap", "pfc", "off", !mmu->pfc},
        {"ecn-at", "ecn", "off", !mmu->ecn},
        {"kmin", "ecn", "off", !mmu->ecn},
        {"kmax", "ecn", "off", !mmu->ecn},
        {"pmax", "ecn", "off", !mmu->ecn},
        {"trim-at", "trim", "off", !mmu->trim},
        {"trim-bytes", "trim", "off", !mmu->trim},
        {"trim-victim", "trim", "off", !mmu->trim},
        {"header-queue", "trim", "off", !mmu->trim},
        {"buffer", "port-buffer", "more than 0B", mmu->port_buffer > 0},
        {"alpha", "port-buffer", "more than 0B", mmu->port_buffer > 0},
    };
    for (size_t i = 0; e && i < sizeof rules / sizeof *rules; i++)
    {
        if (rules[i].off && element_attribute(e, rules[i].name) &&
            element_line(e, rules[i].by) != LINE_COMMAND && !is_complete(e, s->switches.algo))
        {
            diag_idle(d, element_line(e, rules[i].name), "%s of <switch> has no effect: %s is %s",
                      rules[i].name, rules[i].by, rules[i].is);
        }
    }
}

static void
check_weights(const struct scenario *s, struct diagnostics *d)
{
    const struct weft_mmu_config *mmu = s->switches.config;
    const struct element *e = element_child(s->root, "scheduler");
    for (int64_t class = mmu->classes; e && class < 8; class ++)
    {
        char name[16];
        snprintf(name, sizeof name, "weight-%d", (int)class);
        if (element_attribute(e, name) && !is_complete(e, s->scheduler.algo))
        {
            diag_idle(d, element_line(e, name),
                      "%s of <scheduler> has no effect: no port has a class of that number", name);
        }
    }
}

/* --- <topology> ------------------------------------------------------------------------------- */

static void
check_topology(const struct scenario *s, struct diagnostics *d)
{
    const struct element *e = element_child(s->root, "topology");
    if (!weft_clos_scales_up(&s->clos) && element_attribute(e, "scale-up-delay") &&
        element_line(e, "scale-up-rate") != LINE_COMMAND && !is_complete(e, s->topology.algo))
    {
        diag_idle(d, element_line(e, "scale-up-delay"),
                  "scale-up-delay of <topology> has no effect: scale-up-rate is 0bps");
    }
}

/* --- links ------------------------------------------------------------------------------------ */

/** Whether all links of a fault have its rate as planned. */
static bool
keeps_rates(const struct scenario *s, const struct link_fault *f)
{
    bool keeps = f->nlinks > 0;
    for (size_t i = 0; i < f->nlinks; i++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, f->links[i], &link);
        keeps = keeps && f->rate == link.rate;
    }
    return keeps;
}

/** Whether a host is below the lower end of a link of a Clos, or is that end. */
static bool
is_below(const struct weft_clos *clos, const struct weft_link *link, uint32_t host)
{
    const uint32_t sw = link->lower.index % clos->nswitches, tor = weft_clos_tor(clos, host);
    return link->lower.is_host ? host == link->lower.index
           : sw < clos->ntors
               ? tor == sw
               : tor / clos->tors_per_pod == (sw - clos->ntors) / (clos->naggs / clos->npods);
}

/** Whether no message crosses any link of a fault. */
static bool
is_unused(const struct scenario *s, const struct link_fault *f)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct traffic_sample all = {0};
    bool unused = f->nlinks > 0;
    for (size_t i = 0; i < f->nlinks && unused; i++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, f->links[i], &link);
        unused = (link.lower.is_host || !s->clos.graph) &&
                 (all.messages || traffic_messages(s, &hosts, LOAD_MOST_UNLIKE, &all));
        for (uint32_t m = 0; m < all.n && unused; m++)
        {
            unused = is_below(&s->clos, &link, all.messages[m].src) ==
                     is_below(&s->clos, &link, all.messages[m].dst);
        }
    }
    free(all.messages);
    return unused;
}

static void
check_fault(const struct scenario *s, const struct link_fault *f, struct diagnostics *d)
{
    const bool keeps = f->effect == WEFT_FAULT_SLOW && keeps_rates(s, f);
    const char *why = fault_idle(f);
    why = why                                               ? why
          : keeps                                           ? "the link has that rate as planned"
          : f->effect != WEFT_FAULT_DOWN && is_unused(s, f) ? "no message crosses it"
                                                            : NULL;
    if (why)
    {
        diag_idle(d, f->e->line, "<%s> has no effect: %s", f->of->name, why);
    }
}

/* --- hosts ------------------------------------------------------------------------------------ */

/** Whoever lists hosts for each workload wants to keep them apart. */
static void
check_hosts(const struct scenario *s, struct diagnostics *d)
{
    for (size_t i = 1; i < s->nworkloads; i++)
    {
        const struct workload *w = &s->workloads[i];
        for (size_t k = 0; k < i; k++)
        {
            const struct workload *o = &s->workloads[k];
            uint32_t a = 0, b = 0;
            while (a < w->nhosts && b < o->nhosts && w->hosts[a] != o->hosts[b])
            {
                *(w->hosts[a] < o->hosts[b] ? &a : &b) += 1;
            }
            if (a < w->nhosts && b < o->nhosts)
            {
                diag_warning(d, w->line,
                             "host %u is listed for the workload '%s' and for '%s': they share its "
                             "link, and neither is alone on its hosts",
                             node_number(s, NODE_HOST, w->hosts[a]), w->name, o->name);
            }
        }
    }
}

/* --- all -------------------------------------------------------------------------------------- */

void
warn_of_scenario(const struct scenario *s, struct diagnostics *d)
{
    bool used = false;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        used = used || s->workloads[i].level == 0;
    }
    for (uint32_t i = 0; i <= s->nclasses; i++)
    {
        const struct level level = level_at(s, i, d);
        warn_of_core(&level, i > 0 || used);
        if (i > 0 || used)
        {
            warn_of_level(&level);
            warn_of_counts(&level);
        }
        if (i == 0)
        {
            warn_of_measure(&level);
            warn_of_arrivals(&level);
        }
    }
    check_topology(s, d);
    check_switch(s, d);
    check_weights(s, d);
    for (size_t i = 0; i < s->nfaults; i++)
    {
        if (s->faults[i].e)
        {
            check_fault(s, &s->faults[i], d);
        }
    }
    warn_of_cut_hosts(s, d);
    warn_of_ports(s, d);
    check_hosts(s, d);
}
