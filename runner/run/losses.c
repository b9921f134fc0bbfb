/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses of a scenario, for a run: drops, random loss, links that are slow or fail. */
#include "losses.h"

#include <stdlib.h>

#include "grammar.h"
#include "textbuf.h"

static struct weft_fault
fault_of(const struct faulty_link *l)
{
    const struct link_fault *f = l->fault;
    const int64_t outage = fault_flaps(f) ? fault_outage(f) : 0;
    return (struct weft_fault){
        .links = &l->link,
        .nlinks = 1,
        .effect = (enum weft_fault_effect)f->effect,
        .direction = (enum weft_direction)f->direction,
        .rate = l->rate,
        .delay = f->extra,
        .losses = fault_losses(f),
        .at = f->at,
        .repair = f->repair <= WEFT_LATEST ? f->repair : WEFT_NEVER,
        .down = outage,
        .up = outage == 0      ? 0
              : f->mean_up > 0 ? f->mean_up
                               : f->period - outage,
        .drawn = f->mean_up > 0,
        .count = f->count > 0 ? (uint64_t)f->count : 0,
        .stream = l->stream,
    };
}

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
    if (s->recovery != ATTRIBUTE_ABSENT)
    {
        weft_run_set_recovery(run, s->recovery);
    }
    struct faulty_link *all = faulty_links(s, n);
    for (size_t i = 0; i < *n; i++)
    {
        const struct weft_fault fault = fault_of(&all[i]);
        weft_run_add_fault(run, &fault);
    }
    return all;
}
