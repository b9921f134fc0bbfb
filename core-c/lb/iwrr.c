/* SPDX-License-Identifier: MIT */
#include "lb/iwrr.h"

#include "base/gcd.h"

struct weft_iwrr
weft_iwrr_build(struct weft_iwrr_port *at, uint32_t n)
{
    struct weft_iwrr s = {at, n, 0};
    uint32_t divisor = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        divisor = weft_gcd(divisor, at[i].weight);
    }
    for (uint32_t i = 0; i < n && divisor > 0; i++)
    {
        at[i].weight /= divisor;
        s.rounds = at[i].weight > s.rounds ? at[i].weight : s.rounds;
    }
    return s;
}

void
weft_iwrr_seat(const struct weft_iwrr *s, struct weft_iwrr_slot *slot, struct weft_rng *rng)
{
    while (slot->place >= s->n || slot->round >= s->at[slot->place].weight)
    {
        slot->place = weft_rng_below(rng, s->n);
        slot->round = weft_rng_below(rng, s->rounds);
    }
}

/* Takes a port within the slot's round. If there is none, the slot stands behind the round. */
static uint32_t
take_in_round(const struct weft_iwrr *s, struct weft_iwrr_slot *slot,
              const struct weft_ports *ports)
{
    while (slot->place < s->n)
    {
        const struct weft_iwrr_port *p = &s->at[slot->place++];
        if (p->weight > slot->round && weft_ports_have(ports, p->port))
        {
            return p->port;
        }
    }
    return WEFT_IWRR_NONE;
}

uint32_t
weft_iwrr_take(const struct weft_iwrr *s, struct weft_iwrr_slot *slot,
               const struct weft_ports *ports)
{
    uint32_t port = take_in_round(s, slot, ports);
    if (port == WEFT_IWRR_NONE)
    {
        slot->place = 0;
        slot->round = slot->round + 1 < s->rounds ? slot->round + 1 : 0;
        port = take_in_round(s, slot, ports);
    }
    if (port == WEFT_IWRR_NONE)
    {
        /* A port without a slot in a whole round has none in a later one. */
        slot->place = 0;
        slot->round = 0;
        port = take_in_round(s, slot, ports);
    }
    return port;
}
