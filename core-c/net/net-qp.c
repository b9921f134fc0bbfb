/* SPDX-License-Identifier: MIT */
/* QPs that programs and planners ask for. */
#include "node/qp-make.h"
#include "parallel/net-ranks.h"

#include <weft/error.h>
#include <weft/psn.h>

/* Whether QPs of others are made at the same time. */
static bool
is_beside_others(const struct weft_worker *here)
{
    return here->net->threads && here->running && !here->running->watched;
}

int
weft_net_reserve_qps(struct weft_net *net, uint32_t n, uint32_t *first)
{
    if (is_beside_others(weft_worker_here(net)))
    {
        return WEFT_EINVAL;
    }
    if (n > WEFT_QP_MASK + 1 - net->nqps)
    {
        return WEFT_EOVERFLOW;
    }
    *first = net->nqps;
    for (uint32_t i = 0; i < n; i++, net->nqps++)
    {
        net->qp = (struct weft_net_qp **)weft_grow(&net->first.memory, (void *)net->qp, net->nqps,
                                                   &net->qp_room, sizeof *net->qp);
    }
    return 0;
}

static int
check(const struct weft_worker *here, const struct weft_net_qp_site *of, struct weft_refusal *why)
{
    const struct weft_net *net = here->net;
    if (of->src == of->dst || of->src >= net->nhosts || of->dst >= net->nhosts ||
        of->level >= net->config.nlevels)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, "there are no such hosts, or no such level");
    }
    if (net->ranks && (!net->threads || (here->running && !of->reserved)))
    {
        return weft_refuse(why, WEFT_EINVAL, NULL,
                           "where several ranks run a fabric, QPs are made on all of them, outside "
                           "of hooks and after weft_net_set_threads(); a host may make those whose "
                           "indices are reserved");
    }
    if (of->reserved && (of->index >= net->nqps || net->qp[of->index]))
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, "the index is not reserved, or in use");
    }
    if (!of->reserved && net->nqps > WEFT_QP_MASK)
    {
        return WEFT_EOVERFLOW;
    }
    if (!is_beside_others(here))
    {
        return 0;
    }
    if (!of->reserved || here->running->number != of->src || net->level[of->level].lb->tor)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL,
                           "several threads run the fabric, and a host may make QPs of its own "
                           "alone, with reserved indices and nothing at ToRs; expected them to be "
                           "made outside of hooks, or one thread");
    }
    return 0;
}

int
weft_net_add_qp(struct weft_net *net, const struct weft_net_qp_site *of, struct weft_qp **made,
                struct weft_refusal *why)
{
    struct weft_worker *here = weft_worker_here(net);
    struct weft_net_qp *q = NULL;
    uint32_t index = of->index;
    int code = check(here, of, why);
    code = code ? code : weft_qp_make(here, of, &q, why);
    code = code || of->reserved ? code : weft_net_reserve_qps(net, 1, &index);
    if (code)
    {
        return code;
    }
    weft_qp_register(net, q, index, &here->memory);
    if (net->ranks && here->running)
    {
        weft_ranks_add_qp(here, of);
    }
    *made = &q->qp;
    return 0;
}
