/* SPDX-License-Identifier: GPL-2.0-only */
#include "flight.h"

#include <stdlib.h>
#include <string.h>

#include "must.h"

/** Frames under way in one direction. */
#define MOST_FRAMES 8192

struct way
{
    struct weft_packet frame[MOST_FRAMES];
    uint32_t n;
};

struct flight
{
    const struct weft_transport_ops *ops;
    void *tx, *rx;
    int64_t now;
    uint32_t first_psn, posted;
    uint32_t epsn;                    /* the last that the receiver said */
    uint32_t placed;                  /* payloads */
    bool arrived[2 * FLIGHT_PACKETS]; /* by number: its payload was placed */
    struct way data, replies;
};

static void
way_add(struct way *w, const struct weft_packet *frame)
{
    if (w->n < MOST_FRAMES)
    {
        w->frame[w->n++] = *frame;
    }
}

static struct weft_packet
way_take(struct way *w, uint32_t i)
{
    const struct weft_packet frame = w->frame[i];
    w->n--;
    memmove(&w->frame[i], &w->frame[i + 1], (w->n - i) * sizeof frame);
    return frame;
}

static void
post(struct flight *f, uint32_t n)
{
    n = n < FLIGHT_PACKETS - f->posted ? n : FLIGHT_PACKETS - f->posted;
    if (n > 0)
    {
        f->ops->tx_post(f->tx, n);
        f->posted += n;
    }
}

/** Returns whether something was sent. */
static bool
send(struct flight *f)
{
    struct weft_packet data;
    uint32_t psn = 0;
    memset(&data, 0, sizeof data);
    const bool ready = f->ops->tx_ready(f->tx);
    const int what =
        f->data.n < MOST_FRAMES ? f->ops->tx_next(f->tx, f->now, &psn) : (int)WEFT_TX_NONE;
    MUST(f->data.n == MOST_FRAMES || ready == (what != WEFT_TX_NONE));
    if (what == WEFT_TX_NONE)
    {
        return false;
    }
    data.psn = psn & WEFT_PSN_MASK;
    MUST(flight_index(data.psn, f->first_psn) < f->posted);
    data.kind = WEFT_DATA;
    data.sent = f->now++; /* no two leave at once */
    data.flags = what == WEFT_TX_RETX ? WEFT_F_RETX : 0;
    if (flight_index(data.psn, f->first_psn) + 1 == f->posted)
    {
        data.flags |= WEFT_F_LAST;
    }
    if (f->ops->tx_stamp)
    {
        f->ops->tx_stamp(f->tx, &data);
    }
    way_add(&f->data, &data);
    return true;
}

static void
receive(struct flight *f, const struct weft_packet *data)
{
    struct weft_rx_verdict v;
    memset(&v, 0x55, sizeof v);
    v.place = data->psn;
    f->ops->rx_data(f->rx, data, f->now, &v);
    const uint32_t place = flight_index(v.place, f->first_psn);
    MUST(!(v.fresh && v.duplicate) && place < f->posted);
    MUST(!v.fresh || !f->arrived[place]);
    MUST(!v.duplicate || f->arrived[place]);
    f->arrived[place] = f->arrived[place] || v.fresh;
    f->placed += v.fresh;
    MUST(flight_index(v.epsn, f->first_psn) <= f->placed);
    f->epsn = v.epsn;
    if (v.reply != WEFT_REPLY_NONE)
    {
        struct weft_packet reply = *data;
        reply.kind = v.reply == WEFT_REPLY_ACK ? WEFT_ACK : WEFT_NACK;
        reply.psn = v.epsn;
        reply.ahead = weft_ahead(v.place, v.epsn);
        reply.flags = 0;
        way_add(&f->replies, &reply);
    }
}

static void
move(struct flight *f, struct way *w, uint32_t i, bool copies, uint32_t fate)
{
    if (fate == 0 && copies)
    {
        way_add(w, &w->frame[i]);
        return;
    }
    const struct weft_packet frame = way_take(w, i);
    if (fate == 1)
    {
        if (f->ops->tx_lost && frame.kind != WEFT_NACK)
        {
            f->ops->tx_lost(f->tx, &frame, f->now);
        }
    }
    else if (w == &f->data)
    {
        receive(f, &frame);
    }
    else
    {
        (void)f->ops->tx_reply(f->tx, &frame, f->now);
    }
}

/** A ToR asks for the ePSN on the NIC's behalf. */
static void
ask(struct flight *f)
{
    struct weft_packet nack;
    memset(&nack, 0, sizeof nack);
    nack.kind = WEFT_NACK;
    nack.flags = WEFT_F_COMPENSATED;
    nack.psn = f->epsn;
    if (f->epsn != f->first_psn)
    {
        way_add(&f->replies, &nack);
    }
}

static void
tick(struct flight *f, int64_t later)
{
    f->now += later;
    if (f->ops->tx_deadline(f->tx) <= f->now)
    {
        f->ops->tx_timeout(f->tx, f->now);
        MUST(f->ops->tx_deadline(f->tx) > f->now);
    }
}

static void
step(struct flight *f, bool copies, struct fuzz_input *in)
{
    const uint32_t what = fuzz_below(in, 16);
    if (what == 0)
    {
        post(f, 1 + fuzz_byte(in));
    }
    else if (what == 1)
    {
        tick(f, (int64_t)fuzz_byte(in) * fuzz_byte(in) * 1000);
    }
    else if (what == 2)
    {
        ask(f);
    }
    else if (what < 8)
    {
        for (uint32_t n = what < 5 ? 1 + fuzz_byte(in) : 1; n > 0 && send(f); n--)
        {
        }
    }
    else
    {
        struct way *w = what % 2 == 0 ? &f->data : &f->replies;
        const uint32_t near = w->n < 256 ? w->n : 256;
        const uint32_t fate = what < 10 ? fuzz_below(in, 2) : 2;
        for (uint32_t n = what < 12 ? 1 : 1 + fuzz_below(in, 64); n > 0 && w->n > 0; n--)
        {
            const uint32_t i = what < 14 && near > 0 ? fuzz_below(in, near) : 0;
            move(f, w, i < w->n ? i : 0, copies, fate);
        }
    }
}

/** From now on nothing is lost: all must come to an end, and soon. */
static void
finish(struct flight *f)
{
    for (uint32_t rounds = 0; flight_index(f->ops->tx_una(f->tx), f->first_psn) < f->posted;
         rounds++)
    {
        MUST(rounds < 4 * FLIGHT_PACKETS);
        bool moved = f->data.n + f->replies.n > 0;
        while (send(f))
        {
            moved = true;
        }
        while (f->data.n > 0)
        {
            move(f, &f->data, 0, false, 2);
        }
        while (f->replies.n > 0)
        {
            move(f, &f->replies, 0, false, 2);
        }
        if (!moved)
        {
            MUST(f->ops->tx_deadline(f->tx) != WEFT_NEVER);
            tick(f, f->ops->tx_deadline(f->tx) - f->now);
        }
    }
    MUST(f->placed == f->posted && !f->ops->tx_ready(f->tx));
    MUST(f->ops->tx_deadline(f->tx) == WEFT_NEVER && f->ops->tx_flight(f->tx) == 0);
    MUST(f->ops->tx_counters(f->tx)->sent == f->posted);
}

void
flight_run(const struct weft_transport_ops *ops, const void *config, uint32_t first_psn,
           bool copies, struct fuzz_input *in)
{
    static struct flight f;
    f = (struct flight){.ops = ops, .first_psn = first_psn, .epsn = first_psn};
    f.rx = malloc(ops->rx_size(config));
    f.tx = malloc(ops->tx_size(config));
    const struct weft_transport_site site = {.first_psn = first_psn, .base_rtt = FLIGHT_RTT};
    ops->rx_init(f.rx, config, &site);
    ops->tx_init(f.tx, config, &site);
    while (in->left > 0)
    {
        step(&f, copies, in);
    }
    finish(&f);
    free(f.rx);
    free(f.tx);
}

void
flight_receiver_init(struct flight_receiver *r, uint32_t first_psn, uint32_t window)
{
    memset(r, 0, sizeof *r);
    r->first_psn = first_psn;
    r->window = window;
}

struct weft_rx_verdict
flight_receive(struct flight_receiver *r, uint32_t psn, bool nacks)
{
    const uint32_t i = flight_index(psn, r->first_psn);
    struct weft_rx_verdict v = {.place = psn, .reply = WEFT_REPLY_ACK};
    if (i > r->epsn)
    {
        const bool inside = i < r->epsn + r->window;
        v.reply = inside && nacks && !r->nacked ? WEFT_REPLY_NACK : WEFT_REPLY_NONE;
        v.fresh = inside && !r->got[i];
        v.duplicate = inside && r->got[i];
        r->got[i] = r->got[i] || inside;
        r->nacked = r->nacked || v.reply == WEFT_REPLY_NACK;
    }
    else
    {
        v.fresh = i == r->epsn;
        v.duplicate = !v.fresh;
        r->got[i] = true;
        r->nacked = r->nacked && !v.fresh;
    }
    while (r->got[r->epsn])
    {
        r->epsn++;
    }
    v.epsn = (r->first_psn + r->epsn) & WEFT_PSN_MASK;
    return v;
}

bool
flight_agree(const struct weft_rx_verdict *a, const struct weft_rx_verdict *b)
{
    return a->epsn == b->epsn && a->reply == b->reply && a->fresh == b->fresh &&
           a->duplicate == b->duplicate && a->place == b->place;
}
