/* SPDX-License-Identifier: MIT */
#include "lb/congestion-history.h"

/* Packets after which counts begin anew at 0, so that no sum overflows. */
#define ROUND (2 * WEFT_MAX_PENALTY)

void
weft_history_begin(struct weft_history *h, uint32_t *until, uint32_t npaths, uint32_t explore)
{
    *h = (struct weft_history){.npaths = npaths, .exploring = explore};
    for (uint32_t i = 0; i < npaths; i++)
    {
        until[i] = 0;
    }
}

static void
find_least(struct weft_history *h, const uint32_t *until)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < h->npaths && until[least] > h->sent; i++)
    {
        least = until[i] < until[least] ? i : least;
    }
    h->least = least;
    h->least_until = until[least];
}

/* Whether all paths have penalties. If so, h->least is the path whose penalty ends first. */
static bool
all_are_penalized(struct weft_history *h, const uint32_t *until)
{
    if (until[h->least] != h->least_until)
    {
        find_least(h, until);
    }
    return h->least_until > h->sent;
}

/* Every 2^31 packets. */
static void
begin_round(struct weft_history *h, uint32_t *until)
{
    for (uint32_t i = 0; i < h->npaths; i++)
    {
        until[i] = weft_history_penalty(h, until, i);
    }
    h->sent = 0;
}

static uint16_t
choose(struct weft_history *h, const uint32_t *until, struct weft_multipart *m, uint16_t *order)
{
    struct weft_entropy next;
    if (h->exploring > 0)
    {
        h->exploring--;
        return weft_multipart_next(m, order).label;
    }
    if (all_are_penalized(h, until))
    {
        return weft_parts_label(&m->parts, h->least);
    }
    do
    {
        next = weft_multipart_next(m, order);
    } while (weft_history_penalty(h, until, next.path) > 0);
    return next.label;
}

uint16_t
weft_history_next(struct weft_history *h, uint32_t *until, struct weft_multipart *m,
                  uint16_t *order)
{
    const uint16_t label = choose(h, until, m, order);
    h->sent++;
    if (h->sent == ROUND)
    {
        begin_round(h, until);
    }
    return label;
}
