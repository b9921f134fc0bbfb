/* SPDX-License-Identifier: MIT */
/* Conservation in a run: what began has ended or is on its way, and buffers account for it. */
#include "run/run-parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define NAMED_MESSAGES 8U /* in one sentence */

/* Sentences, as many as there is room for. */
struct findings
{
    char *text;
    size_t size;
    size_t n;
};

static void
find(struct findings *f, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const size_t room = f->n < f->size ? f->size - f->n : 0;
    const int n = vsnprintf(room > 0 ? f->text + f->n : NULL, room, format, values);
    va_end(values);
    f->n += n > 0 ? (size_t)n : 0;
}

static void
check_frames(const struct weft_net_counters *c, uint64_t inside, struct findings *f)
{
    const uint64_t began = c->sent + c->made_by_tors;
    const uint64_t bytes_began = c->sent_bytes + c->made_by_tors_bytes;
    const uint64_t bytes_ended = c->delivered_bytes + c->lost_bytes + c->trimmed_bytes;
    uint64_t ended = c->delivered;
    for (uint32_t i = 0; i < WEFT_NET_LOSSES; i++)
    {
        ended += c->lost[i];
    }
    if (began != ended + inside)
    {
        find(f,
             "%" PRIu64 " frames began, but %" PRIu64 " ended and %" PRIu64 " are in the fabric. ",
             began, ended, inside);
    }
    if (inside == 0 && bytes_began != bytes_ended)
    {
        find(f, "%" PRIu64 " bytes began, but %" PRIu64 " ended and no frame is left. ",
             bytes_began, bytes_ended);
    }
}

/* Sums what a buffer's ports account for. */
static void
check_buffer(const struct weft_mmu *mmu, uint32_t index, bool empty, struct findings *f)
{
    const bool by_class = weft_mmu_counts_by_class(&mmu->config);
    int64_t queued = 0, held = 0;
    for (uint32_t port = 0; port < mmu->nports; port++)
    {
        const int64_t queue = weft_mmu_queues(mmu)[port];
        int64_t classes = 0;
        for (uint32_t k = 0; k < mmu->config.classes; k++)
        {
            const uint32_t i = weft_mmu_index(mmu, port, k);
            const struct weft_mmu_ingress *in = &weft_mmu_ingresses(mmu)[i];
            held += (int64_t)in->bytes + in->headroom;
            classes += by_class ? weft_mmu_class_queues(mmu)[i] : 0;
        }
        queued += queue;
        if (by_class && classes != queue)
        {
            find(f,
                 "switch %" PRIu32 " accounts for %" PRId64 " bytes at port %" PRIu32
                 ", its classes for %" PRId64 ". ",
                 index, queue, port, classes);
        }
    }
    const int64_t used = mmu->shared_used + mmu->headroom_used;
    if (queued != used || held != used || (empty && used != 0))
    {
        find(f,
             "switch %" PRIu32 "%s accounts for %" PRId64 " bytes, its queues for %" PRId64
             ", its ingress ports for %" PRId64 ". ",
             index, empty ? " is empty and" : "", used, queued, held);
    }
}

/* Counts the messages that are acknowledged and not delivered, and names the first ones if @p f is
 * not NULL. */
static uint64_t
check_messages(const struct weft_net *net, struct findings *f)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < weft_net_nqps(net); k++)
    {
        const struct weft_qp *qp = weft_net_qp(net, k);
        for (size_t i = qp ? qp->delivered : 0; qp && i < qp->acked; i++, n++)
        {
            if (f && n < NAMED_MESSAGES)
            {
                find(f,
                     "%smessage %" PRIu64 " of QP %" PRIu32 " (host %" PRIu32 " to host %" PRIu32
                     ")",
                     n == 0 ? ": " : ", ", qp->wqes[i].tag, qp->index, qp->src, qp->dst);
            }
        }
    }
    return n;
}

bool
weft_run_conserves(struct weft_run *run, char *why, size_t size)
{
    struct findings f = {why, size, 0};
    struct weft_net_counters total;
    const uint64_t inside = weft_net_inside(run->net);
    weft_net_total(run->net, &total);
    check_frames(&total, inside, &f);
    for (uint32_t i = 0; i < weft_planes_switches(run->clos); i++)
    {
        check_buffer(weft_net_buffer(run->net, i), i, inside == 0, &f);
    }
    const uint64_t n = check_messages(run->net, NULL);
    if (n > 0)
    {
        find(&f, "%" PRIu64 " message%s acknowledged and not delivered", n,
             n == 1 ? " is" : "s are");
        check_messages(run->net, &f);
        find(&f, "%s", n > NAMED_MESSAGES ? " and others. " : ". ");
    }
    return f.n == 0;
}
