/* SPDX-License-Identifier: MIT */
/* Credit: what receivers hear of demand, and the pacer of pulls at a host (UEC 1.0, RCCC; as
 * uet-htsim 40ccb05 has it). */
#include "nic/credit.h"

#include "nic/labels.h"

#include <weft/pull.h>

enum
{
    OUT,
    ASKS,
    IDLE,
};

/* Quanta whose time a pull takes that grants nothing. */
#define EMPTY_PULL 4

void
weft_puller_init(struct weft_puller *p)
{
    *p = (struct weft_puller){.at = WEFT_NEVER, .armed_at = WEFT_NEVER};
}

static void
leave(struct weft_puller *p, struct weft_qp *qp)
{
    struct weft_pull_rx *r = qp->pull;
    struct weft_pull_list *list = &p->list[r->list - ASKS];
    *(r->prev ? &r->prev->pull->next : &list->first) = r->next;
    *(r->next ? &r->next->pull->prev : &list->last) = r->prev;
    r->list = OUT;
}

/* Goes to the end of a list. */
static void
join(struct weft_puller *p, struct weft_qp *qp, uint8_t which)
{
    struct weft_pull_rx *r = qp->pull;
    struct weft_pull_list *list = &p->list[which - ASKS];
    r->list = which;
    r->next = NULL;
    r->prev = list->last;
    *(list->last ? &list->last->pull->next : &list->first) = qp;
    list->last = qp;
}

/* Quanta that it has asked for and not got; negative: got beyond. */
static int64_t
owed(const struct weft_pull_rx *r)
{
    return (int64_t)(r->target - r->granted);
}

/* A trimmed packet shows that its sender will want credit, whatever it has asked for: it is granted
 * that when nobody asks, or where none is then granted, as if it had asked for a pull. */
void
weft_pull_hear(struct weft_qp *qp, const struct weft_packet *data, int64_t now)
{
    struct weft_pull_rx *r = qp->pull;
    struct weft_puller *p = &qp->algos_rx->pullers[qp->dst];
    const int16_t more = (int16_t)(uint16_t)(data->ahead - (uint16_t)r->granted);
    const uint64_t target = r->granted + (uint64_t)(int64_t)more;
    const bool asks = (int64_t)(target - r->target) > 0;
    r->in_port = data->in_port;
    r->target = asks ? target : r->target;
    if ((data->flags & WEFT_F_TRIMMED) && owed(r) <= 0 && r->terms.ahead == 0)
    {
        r->target = r->granted + r->terms.each;
    }
    if ((asks || (data->flags & WEFT_F_TRIMMED)) && r->list != ASKS)
    {
        if (r->list == IDLE)
        {
            leave(p, qp);
        }
        join(p, qp, ASKS);
        p->at = p->at == WEFT_NEVER ? now : p->at;
    }
}

/* Grants a QP the next credit. Returns the quanta. */
static uint32_t
grant(struct weft_puller *p, struct weft_qp *qp)
{
    struct weft_pull_rx *r = qp->pull;
    const bool asked = r->list == ASKS;
    const int64_t due = owed(r);
    const uint32_t n = !asked || due >= (int64_t)r->terms.each ? r->terms.each
                       : due > 0                               ? (uint32_t)due
                                                               : 0;
    leave(p, qp);
    r->granted += n;
    r->pulls++;
    if (owed(r) > 0)
    {
        join(p, qp, ASKS);
    }
    else if (-owed(r) < (int64_t)r->terms.ahead)
    {
        join(p, qp, IDLE);
    }
    return n;
}

struct weft_qp *
weft_puller_take(struct weft_puller *p, int64_t now, struct weft_packet *pull)
{
    struct weft_qp *qp = p->list[0].first ? p->list[0].first : p->list[1].first;
    if (now < p->at)
    {
        return NULL;
    }
    if (!qp)
    {
        p->at = WEFT_NEVER;
        return NULL;
    }
    const struct weft_pull_rx *r = qp->pull;
    const uint32_t n = grant(p, qp);
    const double takes = r->terms.pace * (n > 0 ? n : EMPTY_PULL);
    p->at = now + (takes > 1 ? (int64_t)takes : 1);
    weft_qp_make_pull(qp, pull, now);
    return qp;
}
