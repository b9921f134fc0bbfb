/* SPDX-License-Identifier: MIT */
#include "lb/congestion-history.h"

/* Packets after which counts begin anew at 0, so that no sum overflows. */
#define ROUND (2 * WEFT_MAX_PENALTY)

void
weft_history_add_row(struct weft_history *h, uint32_t *until, uint32_t n)
{
    const uint32_t at = weft_history_counts(h);
    h->row[h->nrows++] = (struct weft_history_row){.at = at, .n = n};
    for (uint32_t i = 0; i < n; i++)
    {
        until[at + i] = 0;
    }
}

static void
find_least(struct weft_history_row *row, const uint32_t *until, uint32_t sent)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < row->n && until[least] > sent; i++)
    {
        least = until[i] < until[least] ? i : least;
    }
    row->least = least;
    row->least_until = until[least];
}

/* Whether the whole row has penalties. If so, `least` is the one whose penalty ends first. */
static bool
all_are_penalized(struct weft_history_row *row, const uint32_t *until, uint32_t sent)
{
    if (until[row->least] != row->least_until)
    {
        find_least(row, until, sent);
    }
    return row->least_until > sent;
}

/* Whether every entropy has a penalty. */
static bool
none_is_free(struct weft_history *h, const uint32_t *until, struct weft_history_rows rows)
{
    bool penalized = false;
    for (uint32_t i = 0; i < rows.n; i++)
    {
        struct weft_history_row *row = &h->row[rows.first + i];
        penalized = all_are_penalized(row, until + row->at, h->sent) || penalized;
    }
    return penalized;
}

static uint16_t
least_label(struct weft_history *h, const uint32_t *until, struct weft_history_rows rows,
            const struct weft_parts *parts)
{
    struct weft_history_row *row = &h->row[rows.first];
    uint32_t label = 0;
    if (rows.n == 1)
    {
        return weft_parts_label(parts, row->least);
    }
    for (uint32_t i = 0; i < rows.n; i++)
    {
        find_least(&row[i], until + row[i].at, h->sent); /* some parts may have free ports */
        label |= row[i].least << parts->shift[i];
    }
    return (uint16_t)label;
}

static bool
is_free(const struct weft_history *h, const uint32_t *until, struct weft_history_rows rows,
        const struct weft_parts *parts, struct weft_entropy entropy)
{
    for (uint32_t i = 0; i < rows.n; i++)
    {
        if (until[weft_history_place(h, rows, i, parts, entropy)] > h->sent)
        {
            return false;
        }
    }
    return true;
}

/* Every 2^31 packets. */
static void
begin_round(struct weft_history *h, uint32_t *until)
{
    for (uint32_t i = 0; i < weft_history_counts(h); i++)
    {
        until[i] = weft_history_penalty(h, until, i);
    }
    h->sent = 0;
}

static uint16_t
choose(struct weft_history *h, const uint32_t *until, struct weft_history_rows rows, bool explores,
       struct weft_multipart *m, uint16_t *order)
{
    struct weft_entropy next;
    if (explores)
    {
        return weft_multipart_next(m, order).label;
    }
    if (none_is_free(h, until, rows))
    {
        return least_label(h, until, rows, &m->parts);
    }
    do
    {
        next = weft_multipart_next(m, order);
    } while (!is_free(h, until, rows, &m->parts, next));
    return next.label;
}

uint16_t
weft_history_next(struct weft_history *h, uint32_t *until, struct weft_history_rows rows,
                  bool explores, struct weft_multipart *m, uint16_t *order)
{
    const uint16_t label = choose(h, until, rows, explores, m, order);
    h->sent++;
    if (h->sent == ROUND)
    {
        begin_round(h, until);
    }
    return label;
}
