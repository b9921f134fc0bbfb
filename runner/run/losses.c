/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses of a scenario, for a run: drops, random loss, links that are slow or fail. */
#include "losses.h"

#include <stdlib.h>

#include "link-failures.h"
#include "textbuf.h"

struct link_fault *
set_losses(const struct scenario *s, struct weft_run *run, size_t *n)
{
    for (size_t i = 0; i < s->ndrops; i++)
    {
        const struct drop_rule *rule = &s->drops[i];
        weft_run_drop(run, (uint32_t)rule->qp, rule->psn_offset, (uint32_t)rule->count,
                      rule->last_hop);
    }
    weft_net_lose(weft_run_net(run), s->loss);
    OWNED struct link_fault *slow = degradations_of(s, n);
    for (size_t i = 0; i < *n; i++)
    {
        weft_run_degrade(run, slow[i].link, slow[i].rate, slow[i].at, slow[i].repair);
    }
    struct link_fault *failures = failures_of(s, n);
    for (size_t i = 0; i < *n; i++)
    {
        weft_run_fail(run, failures[i].link, failures[i].at, failures[i].repair);
    }
    return failures;
}
