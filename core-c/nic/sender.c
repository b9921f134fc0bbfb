/* SPDX-License-Identifier: MIT */
#include "nic/sender.h"

void
weft_sender_post(void *tx, uint32_t npackets)
{
    struct weft_sender *s = tx;
    s->unsent += npackets;
}

int64_t
weft_sender_deadline(const void *tx)
{
    return ((const struct weft_sender *)tx)->deadline;
}

uint32_t
weft_sender_una(const void *tx)
{
    return ((const struct weft_sender *)tx)->una;
}

const struct weft_tx_counters *
weft_sender_counters(const void *tx)
{
    return &((const struct weft_sender *)tx)->counters;
}

uint32_t
weft_sender_flight(const void *tx)
{
    const struct weft_sender *s = tx;
    return weft_sender_outstanding(s) - s->sacked - s->queued;
}

uint32_t
weft_sender_sacked(const void *tx)
{
    return ((const struct weft_sender *)tx)->sacked;
}

bool
weft_sender_next_lost(void *tx, uint32_t *psn)
{
    struct weft_sender *s = tx;
    const bool lost = s->lost;
    s->lost = false;
    *psn = s->una;
    return lost;
}

bool
weft_sender_ready(const void *tx)
{
    const struct weft_sender *s = tx;
    return s->resend || weft_sender_may_send_new(s);
}
