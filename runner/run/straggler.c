/* SPDX-License-Identifier: GPL-2.0-only */
/* How long QPs had messages under way, and how much of that they lost. A QP of a collective waits
 * for others most of the time, so that all QPs end with the slowest one, and their completion times
 * do not tell which one that is. */
#include <stdlib.h>

#include "completion.h"
#include "distribution.h"
#include "textbuf.h"

/** A message that could start, of those that are sorted. */
struct span
{
    uint32_t qp;
    int64_t from, to; /**< ps; below 0: it has failed */
    uint64_t bytes;
};

static int
by_qp_and_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->qp != y->qp ? (x->qp > y->qp) - (x->qp < y->qp)
                          : (x->from > y->from) - (x->from < y->from);
}

/** The messages that could start, by QP and time; the caller frees them. */
static struct span *
list_spans(const struct run_results *r, bool cut, size_t *n)
{
    struct span *spans = xcalloc(r->nflows + 1, sizeof *spans);
    *n = 0;
    for (size_t i = 0; i < r->nflows; i++)
    {
        const struct flow_result *f = &r->flows[i];
        if (f->posted >= 0)
        {
            const int64_t to = f->delivered < 0 && cut ? r->summary.end : f->delivered;
            spans[(*n)++] = (struct span){f->qp, f->posted, to, f->bytes};
        }
    }
    qsort(spans, *n, sizeof *spans, by_qp_and_start);
    return spans;
}

/** Fills the two times of a QP from its messages, unless one has failed or others carry some of
 * their bytes. Messages that overlap are as one. */
static void
add_up(const struct scenario *s, struct qp_result *qp, const struct span *spans, size_t n)
{
    uint64_t bytes = 0;
    int64_t busy = 0, ideal = 0;
    for (size_t i = 0, end; i < n; i = end)
    {
        const int64_t from = spans[i].from > qp->start ? spans[i].from : qp->start;
        struct span all = {qp->qp, from, from, 0};
        for (end = i; end < n && (end == i || spans[end].from < all.to); end++)
        {
            if (spans[end].to < 0)
            {
                return;
            }
            all.to = spans[end].to > all.to ? spans[end].to : all.to;
            all.bytes += spans[end].bytes;
        }
        bytes += all.bytes;
        busy += all.to - all.from;
        ideal += fct_ideal(s, qp->src, qp->dst, all.bytes);
    }
    if (n && bytes == qp->bytes)
    {
        qp->busy = busy;
        qp->lost = busy > ideal ? busy - ideal : 0;
    }
}

/** Fills what the summary says of the QP that lost most. */
static void
find_straggler(struct run_results *r)
{
    struct run_summary *sum = &r->summary;
    struct pool lost = {NULL, 0};
    const struct qp_result *most = NULL;
    for (size_t i = 0; i < r->nqps; i++)
    {
        const struct qp_result *qp = &r->qps[i];
        if (qp->lost >= 0)
        {
            pool_add(&lost, (double)qp->lost);
            most = !most || qp->lost > most->lost ? qp : most;
        }
    }
    pool_sort(&lost);
    sum->straggler = most ? (int64_t)most->qp : -1;
    sum->qp_lost_max = most ? most->lost : -1;
    sum->qp_lost_p50 = most ? (int64_t)pool_quantile(&lost, 500000) : -1;
    if (most)
    {
        sum->straggler_resent = most->resent;
        sum->straggler_nacks = most->nacks_received;
        sum->straggler_cuts = most->cuts;
        sum->straggler_timeouts = most->timeouts;
    }
    pool_free(&lost);
}

void
collect_straggler(const struct scenario *s, bool cut, struct run_results *r)
{
    size_t n, first = 0;
    OWNED struct span *spans = list_spans(r, cut, &n);
    for (size_t i = 0; i < r->nqps; i++)
    {
        struct qp_result *qp = &r->qps[i];
        qp->busy = qp->lost = -1;
        while (first < n && spans[first].qp < qp->qp)
        {
            first++;
        }
        size_t end = first;
        while (end < n && spans[end].qp == qp->qp)
        {
            end++;
        }
        add_up(s, qp, &spans[first], end - first);
    }
    find_straggler(r);
}
