/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses of a scenario, for a run: drops, random loss, links that are slow or fail. */
#include "losses.h"

#include <stdlib.h>

#include "textbuf.h"

struct faulty_link *
set_losses(const struct scenario *s, struct weft_run *run, size_t *n)
{
    for (size_t i = 0; i < s->ndrops; i++)
    {
        const struct drop_rule *rule = &s->drops[i];
        weft_run_drop(run, (uint32_t)rule->qp, rule->psn_offset, (uint32_t)rule->count,
                      rule->last_hop);
    }
    weft_net_lose(weft_run_net(run), s->loss);
    struct faulty_link *all = faulty_links(s, n);
    for (size_t i = 0; i < *n; i++)
    {
        const struct link_fault *f = all[i].fault;
        f->slow ? weft_run_degrade(run, all[i].link, all[i].rate, f->at, f->repair)
                : weft_run_fail(run, all[i].link, f->at, f->repair);
    }
    return all;
}
