/* SPDX-License-Identifier: MIT */
#include "nic/rewind.h"

bool
weft_rewind_tx_ready(const void *tx)
{
    const struct weft_rewind_tx *t = tx;
    return t->next != t->base.end || weft_sender_may_send_new(&t->base);
}

int
weft_rewind_tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct weft_rewind_tx *t = tx;
    if (t->next != t->base.end)
    {
        *psn = t->next;
        t->next = weft_psn_add(t->next, 1);
        t->base.counters.resent++;
        return WEFT_TX_RETX;
    }
    if (!weft_sender_may_send_new(&t->base))
    {
        return WEFT_TX_NONE;
    }
    *psn = weft_sender_send_new(&t->base, now);
    t->next = t->base.end;
    return WEFT_TX_NEW;
}

uint32_t
weft_rewind_tx_flight(const void *tx)
{
    const struct weft_rewind_tx *t = tx;
    return (t->next - t->base.una) & WEFT_PSN_MASK;
}
