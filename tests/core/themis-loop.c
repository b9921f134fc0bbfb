/* SPDX-License-Identifier: MIT */
#include "themis-loop.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "themis-rig.h"

#define MAX_PATHS 64
#define MAX_SLOTS 10000000
#define PIPE      8192 /* packets on their way, and replies */

/** Trace of one packet. */
struct trace
{
    bool delivered; /**< the NIC has it */
    bool gone;      /**< its last transmission was lost, or dropped by the NIC */
    bool sent;      /**< at least once: losses hit first transmissions */
    bool asked;
    uint64_t passed;    /**< place among all that passed the ToR, last time; 0: it has not */
    uint64_t lost;      /**< its place if it was lost on the last hop, else 0 */
    uint64_t overtaken; /**< place of the last packet of its path that came later; 0: none */
    uint64_t trigger;   /**< place of what triggered its NACK; 0: none */
    uint64_t returned;  /**< how many had passed when its NACK came to the ToR; 0: it has not */
};

struct item
{
    uint64_t slot;
    uint32_t packet;
    bool nack;
    bool lost;
};

struct pipe
{
    struct item items[PIPE];
    uint64_t head, tail;
    uint64_t latest;
};

struct loop
{
    const struct loop_setup *s;
    struct loop_result *r;
    struct weft_rng rng;
    struct bench bench;
    struct trace *trace;
    uint64_t now, passed;
    uint64_t path_latest[MAX_PATHS];
    struct pipe fabric;  /* to the ToR, in the order of arrival */
    struct pipe replies; /* from the NIC to the ToR */
    struct pipe answers; /* from the ToR to the sender */
    uint32_t epsn;       /* the NIC's */
    bool nacked;
    bool complained;         /* has sent a NACK */
    uint64_t accepted;       /* place of the packet that moved the ePSN */
    bool refused;            /* the packet of the ePSN passed before the ePSN came to it, */
    uint64_t since;          /* and this is the first place that the ToR must remember to know it */
    uint32_t una, next, end; /* the sender's; end: beyond what has been sent */
    bool resend;
    uint64_t moved; /* when una did */
};

static struct item *
pipe_put(struct pipe *p, uint64_t slot, uint32_t packet, bool nack)
{
    MUST(p->tail - p->head < PIPE);
    struct item *item = &p->items[p->tail++ % PIPE];
    *item = (struct item){slot, packet, nack, false};
    return item;
}

static bool
pipe_get(struct pipe *p, uint64_t now, struct item *item)
{
    if (p->head == p->tail || p->items[p->head % PIPE].slot > now)
    {
        return false;
    }
    *item = p->items[p->head++ % PIPE];
    return true;
}

static uint32_t
path_of(const struct loop *l, uint32_t packet)
{
    return ((l->s->first + packet) & WEFT_PSN_MASK) % l->s->npaths;
}

static bool
is_named(const struct loop *l, uint32_t packet)
{
    for (uint32_t i = 0; i < l->s->nlost; i++)
    {
        if (l->s->lost[i] == packet)
        {
            return true;
        }
    }
    return false;
}

/* Into the fabric, behind what arrives earlier. */
static void
transmit(struct loop *l, uint32_t packet)
{
    struct trace *t = &l->trace[packet];
    const bool first = !t->sent;
    uint64_t *latest = &l->path_latest[path_of(l, packet)];
    uint64_t slot = l->now + 1 + weft_rng_below(&l->rng, l->s->spread);
    t->sent = true;
    t->gone = first && weft_rng_below(&l->rng, 10000) < l->s->before;
    t->passed = 0;
    t->overtaken = 0;
    if (t->gone)
    {
        l->r->losses++;
        return;
    }
    slot = slot > *latest ? slot : *latest + 1;
    *latest = slot;
    pipe_put(&l->fabric, slot, packet, false)->lost =
        first && (is_named(l, packet) || weft_rng_below(&l->rng, 10000) < l->s->last_hop);
    for (uint64_t i = l->fabric.tail - 1; i > l->fabric.head; i--)
    {
        struct item *a = &l->fabric.items[(i - 1) % PIPE];
        struct item *b = &l->fabric.items[i % PIPE];
        if (a->slot <= b->slot)
        {
            break;
        }
        const struct item swap = *a;
        *a = *b;
        *b = swap;
    }
}

static void
send(struct loop *l)
{
    if (l->resend)
    {
        l->resend = false;
        transmit(l, l->una);
    }
    else if (l->next < l->s->length)
    {
        transmit(l, l->next++);
        l->end = l->end > l->next ? l->end : l->next;
    }
}

static void
answer(struct loop *l, uint32_t packet, bool nack)
{
    if (nack)
    {
        struct trace *t = &l->trace[packet];
        l->r->asked++;
        l->r->spurious += !t->gone;
        l->r->twice += t->asked;
        t->asked = true;
    }
    pipe_put(&l->answers, l->now + l->s->delay, packet, nack);
}

static void
acknowledged(struct loop *l)
{
    struct item item;
    while (pipe_get(&l->answers, l->now, &item))
    {
        if (item.packet > l->una)
        {
            l->una = item.packet;
            l->next = l->next > l->una ? l->next : l->una;
            l->resend = false;
            l->moved = l->now;
        }
        if (item.nack && item.packet == l->una)
        {
            l->resend = !l->s->gbn;
            l->next = l->s->gbn ? l->una : l->next;
        }
    }
}

static bool
is_paused(const struct loop *l, uint64_t slot)
{
    return l->s->period > 0 && slot % l->s->period < l->s->hold;
}

/* When what takes @p slots without a pause is over. */
static uint64_t
after_pauses(const struct loop *l, uint64_t slots)
{
    uint64_t slot = l->now;
    while (slots > 0 || is_paused(l, slot))
    {
        slots -= !is_paused(l, slot);
        slot++;
    }
    return slot;
}

static void
reply(struct loop *l, bool nack)
{
    const uint64_t trip = l->s->rtt + weft_rng_below(&l->rng, l->s->jitter + 1);
    uint64_t slot = l->s->period ? after_pauses(l, trip) : l->now + trip;
    /* After a pause all leave together: replies are small. */
    const uint64_t next = l->replies.latest + (l->s->period ? 0 : 1);
    slot = slot > next ? slot : next;
    /* A packet per slot asks for a reply at most, so that none waits longer than the jitter. */
    MUST(l->s->period || slot <= l->now + l->s->rtt + l->s->jitter);
    l->replies.latest = slot;
    pipe_put(&l->replies, slot, l->epsn, nack);
}

static void
receive(struct loop *l, uint32_t packet)
{
    struct trace *t = &l->trace[packet];
    if (packet > l->epsn)
    {
        t->gone = l->s->gbn;
        t->delivered = !l->s->gbn;
        if (!l->nacked)
        {
            l->nacked = l->complained = true;
            l->r->nacks++;
            l->trace[l->epsn].trigger = l->passed;
            reply(l, true);
        }
        return;
    }
    t->delivered = true;
    const uint32_t before = l->epsn;
    while (l->epsn < l->s->length && l->trace[l->epsn].delivered)
    {
        l->epsn++;
        l->nacked = false;
    }
    if (l->epsn != before)
    {
        const uint64_t passed = l->trace[l->epsn].passed;
        const uint64_t lost = l->trace[before].lost; /* the ToR cannot tell it from the second */
        l->refused = l->complained && passed && l->trace[l->epsn].gone && (!lost || passed < lost);
        l->since = passed < l->accepted ? passed : l->accepted;
        l->accepted = l->passed;
    }
    reply(l, false);
}

/* The ToR's down port. The last hop is a part of the replies' way. */
static void
pass_one(struct loop *l)
{
    struct item item;
    if (!pipe_get(&l->fabric, l->now, &item))
    {
        return;
    }
    l->passed++;
    l->trace[item.packet].passed = l->passed;
    for (uint32_t i = l->epsn; i < item.packet; i++)
    {
        if (path_of(l, i) == path_of(l, item.packet))
        {
            l->trace[i].overtaken = l->passed;
        }
    }
    const int64_t made = pass_paused(&l->bench, l->s->first + item.packet, is_paused(l, l->now));
    if (made >= 0)
    {
        answer(l, ((uint32_t)made - l->s->first) & WEFT_PSN_MASK, true);
    }
    if (item.lost)
    {
        l->trace[item.packet].gone = true;
        l->trace[item.packet].lost = l->passed;
        l->r->losses++;
        return;
    }
    receive(l, item.packet);
}

static void
replies_return(struct loop *l)
{
    struct item item;
    while (pipe_get(&l->replies, l->now, &item))
    {
        const uint32_t psn = l->s->first + item.packet;
        if (item.nack)
        {
            l->trace[item.packet].returned = l->passed;
            if (nack(&l->bench, psn))
            {
                answer(l, item.packet, true);
            }
        }
        else
        {
            l->refused &= item.packet != l->epsn || l->since + l->s->ring > l->passed;
            answer(l, item.packet, ack(&l->bench, psn));
        }
    }
}

/*
 * Whether a ToR that remembers a ring's worth of packets could have known that the NIC waits for
 * its ePSN in vain. The NIC has complained, and the packet passed before what made it complain, or
 * a ring's worth followed it, or a later packet of its path passed and it did not. Or the packet
 * passed before the ePSN came to it, at a NIC that has complained before.
 */
static bool
knowable(const struct loop *l)
{
    const struct trace *t = &l->trace[l->epsn];
    const uint64_t ring = l->s->ring;
    if (l->refused)
    {
        return true;
    }
    if (!t->trigger || !t->returned)
    {
        return false;
    }
    if (!t->passed || t->passed + ring <= t->returned)
    {
        return t->overtaken + ring > t->returned;
    }
    const uint64_t since = t->passed > t->returned ? t->passed : t->returned;
    return (t->passed < t->trigger && t->returned - l->accepted <= ring) ||
           l->passed - since >= ring;
}

static void
time_out(struct loop *l)
{
    l->r->timeouts++;
    l->r->missed += knowable(l);
    l->moved = l->now;
    l->resend = !l->s->gbn;
    l->next = l->s->gbn ? l->una : l->next;
}

void
themis_loop(const struct loop_setup *setup, struct loop_result *result)
{
    struct loop *l = calloc(1, sizeof *l);
    ck_assert_ptr_nonnull(l);
    l->s = setup;
    l->r = result;
    l->trace = calloc(setup->length + 1, sizeof *l->trace);
    ck_assert_ptr_nonnull(l->trace);
    ck_assert_uint_gt(setup->ring, setup->rtt + setup->jitter);
    weft_rng_seed(&l->rng, setup->seed, setup->run, 0);
    open_bench(&l->bench, setup->npaths, setup->ring, setup->mode, setup->width);
    uint64_t rto = 2 * (setup->delay + setup->rtt + setup->jitter + setup->spread) +
                   2 * setup->ring + 4 * setup->npaths;
    if (setup->period > 0)
    {
        rto = 2 * setup->period + rto * setup->period / (setup->period - setup->hold);
    }
    while (l->una < setup->length)
    {
        MUST(l->now < MAX_SLOTS);
        acknowledged(l);
        if (l->now - l->moved > rto && l->end > l->una)
        {
            time_out(l);
        }
        send(l);
        replies_return(l);
        pass_one(l);
        l->now++;
    }
    result->silent += l->bench.n.silent;
    result->turned += l->bench.n.turned;
    result->slots += l->now;
    close_bench(&l->bench);
    free(l->trace);
    free(l);
}
