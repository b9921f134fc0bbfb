/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: what a scenario says and what changes nothing. */
#include <stdio.h>
#include <string.h>

#include "link-failures.h"
#include "scenario-load.h"

/** Whether every parameter is given, as Weft writes them in a run's folder: nobody means each. */
static bool
is_complete(const struct element *e, const struct weft_algo *algo)
{
    bool all = true;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        all = all && element_attribute(e, algo->params[i].name);
    }
    return all;
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

/* --- links ------------------------------------------------------------------------------------ */

static void
check_links(const struct scenario *s, struct diagnostics *d)
{
    const struct element *share = element_child(s->root, "random-degrade");
    if (share && s->random_degrade.share == 1 && random_links_any(&s->random_degrade))
    {
        diag_idle(d, element_line(share, "share"),
                  "share 1 of <random-degrade> has no effect: the links keep their rates");
    }
    for (size_t i = 0; i < s->ndegradations; i++)
    {
        const struct link_fault *f = &s->degradations[i];
        struct weft_link link;
        weft_clos_link(&s->clos, f->link, &link);
        if (f->rate == link.rate)
        {
            diag_idle(d, f->line, "<degrade> has no effect: the link has that rate as planned");
        }
        if (f->at >= s->stop)
        {
            diag_idle(d, f->line, "<degrade> has no effect: it comes after the <limit>");
        }
    }
    for (size_t i = 0; i < s->nfailures; i++)
    {
        if (s->failures[i].at >= s->stop)
        {
            diag_idle(d, s->failures[i].line,
                      "<failure> has no effect: it comes after the <limit>");
        }
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
                             w->hosts[a], w->name, o->name);
            }
        }
    }
}

void
check_no_effect(const struct scenario *s, struct diagnostics *d)
{
    check_switch(s, d);
    check_weights(s, d);
    check_links(s, d);
    check_hosts(s, d);
}
