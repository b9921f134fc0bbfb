/* SPDX-License-Identifier: MIT */
/* QPs of a run: their numbers, their listeners, how many share a host's line, and drops of packets
 * of those that are yet to be made. */
#include "parallel/net-threads.h"
#include "run/run-parts.h"

#include <weft/error.h>

/* Makes room for the listeners of QPs below @p n. */
static void
reach(struct weft_run *run, uint32_t n)
{
    while (run->nlisteners < n)
    {
        run->listener = (const struct weft_listener **)weft_grow(
            &run->memory, (void *)run->listener, run->nlisteners, &run->listener_room,
            sizeof *run->listener);
        run->listener[run->nlisteners++] = NULL;
    }
}

bool
weft_run_drops_any(const struct weft_run *run, uint32_t first, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < run->ndrops; i++)
    {
        any = any || (run->drop[i].qp >= first && run->drop[i].qp - first < n);
    }
    return any;
}

int
weft_run_reserve(struct weft_run *run, uint32_t n, bool late, const struct weft_listener *listener,
                 uint32_t *first)
{
    const int code = weft_net_reserve_qps(run->net, n, first);
    if (code)
    {
        return code;
    }
    reach(run, *first + n);
    for (uint32_t i = 0; i < n; i++)
    {
        run->listener[*first + i] = listener;
    }
    if (late && weft_run_drops_any(run, *first, n))
    {
        weft_net_stop_threads(run->net); /* a drop is told to all nodes when its QP is made */
        return run->has_ranks ? WEFT_EINVAL : 0;
    }
    return 0;
}

static void
count_starter(struct weft_run *run, uint32_t host)
{
    if (run->announced > 0)
    {
        run->announced--;
        return;
    }
    if (!run->starters)
    {
        run->starters = weft_take(weft_run_memory(run), run->clos->nhosts * sizeof *run->starters);
    }
    run->starters[host]++;
}

void
weft_run_add_starters(struct weft_run *run, const uint32_t *qps, uint32_t created)
{
    if (!run->starters)
    {
        run->starters = weft_take(&run->memory, run->clos->nhosts * sizeof *run->starters);
    }
    for (uint32_t i = 0; i < run->clos->nhosts; i++)
    {
        run->starters[i] += qps[i];
    }
    run->announced += created;
}

uint32_t
weft_run_qp_bdp(const struct weft_run *run, uint32_t src, uint32_t dst)
{
    return weft_net_bdp(run->net, src, dst, run->starters ? run->starters[src] : 1);
}

/* Names the drops of a QP that has come to be. */
static void
apply_drops(struct weft_run *run, struct weft_qp *qp)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < run->ndrops; i++)
    {
        const struct weft_late_drop drop = run->drop[i];
        if (drop.qp == qp->index)
        {
            weft_net_drop(run->net, qp, drop.offset, drop.count, drop.at_last_hop);
        }
        else
        {
            run->drop[left++] = drop;
        }
    }
    run->ndrops = left;
}

int
weft_run_make_qp(struct weft_run *run, const struct weft_net_qp_site *site, struct weft_qp **qp,
                 struct weft_refusal *why)
{
    struct weft_net_qp_site whole = *site;
    count_starter(run, site->src);
    whole.bdp = weft_run_qp_bdp(run, site->src, site->dst);
    const int code = weft_net_add_qp(run->net, &whole, qp, why);
    if (code)
    {
        return code;
    }
    if (weft_run_drops_any(run, site->index, 1))
    {
        apply_drops(run, *qp);
    }
    if (run->host.made)
    {
        run->host.made(run->host.of, *qp);
    }
    return 0;
}

int
weft_run_add_qp(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
                const struct weft_listener *listener, struct weft_qp **qp, struct weft_refusal *why)
{
    struct weft_net_qp_site site = {
        .src = src, .dst = dst, .level = level, .stream = run->streams, .reserved = true};
    if (src == dst || src >= run->clos->nhosts || dst >= run->clos->nhosts || level >= run->nlevels)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, "there are no such hosts, or no such level");
    }
    const int code = weft_run_reserve(run, 1, false, listener, &site.index);
    run->streams += code == 0;
    return code ? code : weft_run_make_qp(run, &site, qp, why);
}

int
weft_run_drop(struct weft_run *run, uint32_t qp, uint32_t offset, uint32_t count, bool at_last_hop)
{
    const bool reserved = run->net && qp < weft_net_nqps(run->net);
    struct weft_qp *of = reserved ? weft_net_qp(run->net, qp) : NULL;
    if (of)
    {
        weft_net_drop(run->net, of, offset, count, at_last_hop);
        return 0;
    }
    if (reserved && run->has_ranks)
    {
        return WEFT_EINVAL;
    }
    run->drop = weft_grow(&run->memory, run->drop, run->ndrops, &run->drop_room, sizeof *run->drop);
    run->drop[run->ndrops++] = (struct weft_late_drop){qp, offset, count, at_last_hop};
    if (reserved)
    {
        weft_net_stop_threads(run->net); /* it is told to all nodes when the QP is made */
    }
    return 0;
}
