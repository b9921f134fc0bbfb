/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion times and slowdowns of flows: their percentiles, and the load that they were of. */
#include "completion.h"

#include <math.h>
#include <stdlib.h>

#include "distribution.h"
#include "textbuf.h"

#define FEW_LINKS 6 /* between the hosts of a Clos that lie farthest apart */

int64_t
fct_ideal(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const uint32_t n = weft_clos_hops(&s->clos, src, dst);
    struct weft_hop few[FEW_LINKS];
    OWNED struct weft_hop *many = n > FEW_LINKS ? xcalloc(n, sizeof *many) : NULL;
    return weft_ideal_fct(&s->clos, s->fabric.config, src, dst, bytes, many ? many : few);
}

double
fct_slowdown(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes, int64_t fct)
{
    const int64_t ideal = fct < 0 ? -1 : fct_ideal(s, src, dst, bytes);
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

static bool
is_in(const struct fct_window *w, const struct flow_result *f)
{
    return f->posted >= w->begin && f->posted < w->end;
}

/** bit/s of all hosts that a workload runs on. */
static double
rate_of_hosts(const struct scenario *s)
{
    const struct weft_hosts all = weft_clos_hosts(&s->clos);
    OWNED bool *in = xcalloc(all.n, sizeof *in);
    uint32_t n = 0;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const struct workload *w = &s->workloads[i];
        for (uint32_t k = 0; k < (w->hosts ? w->nhosts : all.n); k++)
        {
            const uint32_t host = w->hosts ? w->hosts[k] : k;
            n += !in[host];
            in[host] = true;
        }
    }
    return (double)n * (double)all.rate;
}

/** The share of what @p rate carries from the beginning of the window to @p end. */
static double
load_until(const struct fct_window *w, double bytes, double rate, int64_t end)
{
    return end > w->begin ? bytes * 8e12 / (rate * (double)(end - w->begin)) : NAN;
}

static void
collect_loads(const struct scenario *s, const struct fct_window *w, struct run_results *r)
{
    const double rate = rate_of_hosts(s);
    double bytes = 0;
    int64_t last_start = -1, last_delivery = -1;
    for (size_t i = 0; i < r->nflows; i++)
    {
        const struct flow_result *f = &r->flows[i];
        const bool in = is_in(w, f);
        bytes += in ? (double)f->bytes : 0;
        last_start = in && f->posted > last_start ? f->posted : last_start;
        last_delivery = f->delivered > last_delivery ? f->delivered : last_delivery;
    }
    const bool cut = r->nstuck + r->unposted > 0;
    const bool whole = w->end < WEFT_NEVER; /* the window, unless the run was stopped in it */
    const int64_t end = cut && w->end > r->summary.end ? r->summary.end : w->end;
    r->summary.load_offered = load_until(w, bytes, rate, whole ? end : last_start);
    r->summary.load_carried =
        load_until(w, (double)(w->until - w->before), rate, whole || cut ? end : last_delivery);
}

static void
collect_qps(struct run_results *r)
{
    struct run_summary *sum = &r->summary;
    struct pool slowdowns = {NULL, 0};
    double of[4];
    sum->qp_slowdown_max = NAN;
    sum->slowest_qp = -1;
    for (size_t i = 0; i < r->nqps; i++)
    {
        const struct qp_result *qp = &r->qps[i];
        if (isnan(qp->slowdown))
        {
            continue;
        }
        pool_add(&slowdowns, qp->slowdown);
        if (!(qp->slowdown <= sum->qp_slowdown_max))
        {
            sum->qp_slowdown_max = qp->slowdown;
            sum->slowest_qp = qp->qp;
        }
    }
    take_percentiles(&slowdowns, of);
    sum->qp_slowdown_p50 = of[0];
}

void
collect_fct(const struct scenario *s, const struct fct_window *w, struct run_results *r)
{
    struct run_summary *sum = &r->summary;
    struct pool fcts = {NULL, 0}, slowdowns = {NULL, 0};
    double fct[4], slowdown[4];
    collect_loads(s, w, r);
    collect_qps(r);
    for (size_t i = 0; i < r->nflows; i++)
    {
        const struct flow_result *f = &r->flows[i];
        if (!is_in(w, f))
        {
            continue;
        }
        sum->fct_messages += f->fct >= 0;
        sum->fct_undelivered += f->fct < 0;
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
