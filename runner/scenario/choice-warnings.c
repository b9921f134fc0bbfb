/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: choices that are possible, and of which one has no effect or spoils the other. */
#include "scenario-load.h"

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

void
warn_of_choices(const struct scenario *s, struct diagnostics *d)
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
        }
        if (i == 0)
        {
            warn_of_measure(&level);
            warn_of_arrivals(&level);
        }
    }
}
