/* SPDX-License-Identifier: GPL-2.0-only */
#include "fct.h"

#include <math.h>
#include <stdlib.h>

#include "distribution.h"
#include "textbuf.h"

#define CLOS_LINKS 6 /* between the hosts of a Clos that lie farthest apart */

int64_t
ideal_fct(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct weft_fabric_config *f = s->fabric.config;
    struct weft_hop few[CLOS_LINKS], *hops = few;
    struct weft_wire w = {.payload = f->payload, .header = f->header, .gap = f->gap};
    w.links = weft_clos_best_path(&s->clos, src, dst, few, CLOS_LINKS);
    if (w.links > CLOS_LINKS)
    {
        hops = xcalloc(w.links, sizeof *hops);
        weft_clos_best_path(&s->clos, src, dst, hops, w.links);
    }
    const int64_t ideal = weft_message_path(&w, hops, bytes);
    if (hops != few)
    {
        free(hops);
    }
    return ideal > 0 && ideal < WEFT_NEVER ? ideal : -1;
}

double
fct_slowdown(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes, int64_t fct)
{
    const int64_t ideal = fct < 0 ? -1 : ideal_fct(s, src, dst, bytes);
    return ideal < 0 ? NAN : (double)fct / (double)ideal;
}

/** Sorts the pool and takes its percentiles; NaN of an empty one. */
static void
take_percentiles(struct pool *p, double of[4])
{
    static const uint32_t shares_ppm[4] = {500000, 950000, 990000, 999000};
    pool_sort(p);
    for (int i = 0; i < 4; i++)
    {
        of[i] = p->n ? pool_quantile(p, shares_ppm[i]) : NAN;
    }
    pool_free(p);
}

static int64_t
time_of(double fct)
{
    return isnan(fct) ? -1 : (int64_t)fct;
}

void
collect_fct(struct run_results *r)
{
    struct run_summary *sum = &r->summary;
    struct pool fcts = {NULL, 0}, slowdowns = {NULL, 0};
    double fct[4], slowdown[4];
    for (size_t i = 0; i < r->nflows; i++)
    {
        const struct flow_result *f = &r->flows[i];
        if (f->fct >= 0)
        {
            pool_add(&fcts, (double)f->fct);
        }
        if (!isnan(f->slowdown))
        {
            pool_add(&slowdowns, f->slowdown);
        }
    }
    take_percentiles(&fcts, fct);
    take_percentiles(&slowdowns, slowdown);
    sum->fct_p50 = time_of(fct[0]);
    sum->fct_p95 = time_of(fct[1]);
    sum->fct_p99 = time_of(fct[2]);
    sum->fct_p99_9 = time_of(fct[3]);
    sum->fct_slowdown_p50 = slowdown[0];
    sum->fct_slowdown_p95 = slowdown[1];
    sum->fct_slowdown_p99 = slowdown[2];
    sum->fct_slowdown_p99_9 = slowdown[3];
}
