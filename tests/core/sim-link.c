/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

#define MAX_FRAMES 8192

struct frame
{
    uint64_t due; /* slot */
    bool lost;    /* it is the news of its loss */
    struct weft_packet packet;
};

struct world
{
    const struct sim_link *link;
    struct weft_rng rng;
    void *rx;
    void *tx;
    uint8_t *placed; /* [packets] */
    uint8_t *losses; /* [packets]: transmissions that the mask still takes */
    uint32_t posted;
    uint32_t acked;
    uint32_t in_order; /* packets before the receiver's ePSN */
    struct frame frames[MAX_FRAMES];
    uint32_t nframes;
    uint64_t slot;
    struct weft_packet newest; /* data that has arrived */
    struct sim_outcome outcome;
};

static void
add_frame(struct world *w, const struct weft_packet *packet, uint64_t due, bool lost)
{
    MUST(w->nframes < MAX_FRAMES);
    struct frame *f = &w->frames[w->nframes++];
    f->due = due;
    f->lost = lost;
    f->packet = *packet;
}

static void
launch(struct world *w, const struct weft_packet *packet, double loss)
{
    if (weft_rng_unit(&w->rng) < loss)
    {
        w->outcome.lost_data += packet->kind == WEFT_DATA;
        w->outcome.lost_replies += packet->kind != WEFT_DATA;
        if (w->link->ops->tx_lost != NULL)
        {
            const uint64_t trip =
                (uint64_t)(packet->sent / SIM_SLOT) + 2 * (uint64_t)w->link->delay;
            add_frame(w, packet, trip, true);
        }
        return;
    }
    const uint32_t copies = 1 + (weft_rng_unit(&w->rng) < w->link->duplication);
    for (uint32_t i = 0; i < copies; i++)
    {
        const uint32_t jitter = weft_rng_below(&w->rng, w->link->jitter + 1);
        add_frame(w, packet, w->slot + w->link->delay + jitter, false);
    }
}

static void
send(struct world *w)
{
    struct weft_packet packet;
    uint32_t psn = 0;
    const bool ready = w->link->ops->tx_ready(w->tx);
    const int what = w->link->ops->tx_next(w->tx, (int64_t)w->slot * SIM_SLOT, &psn);
    MUST(ready == (what != WEFT_TX_NONE));
    if (what == WEFT_TX_NONE)
    {
        return;
    }
    const uint32_t index = (psn - w->link->first_psn) & WEFT_PSN_MASK;
    MUST(index < w->posted);
    memset(&packet, 0, sizeof(packet));
    packet.kind = WEFT_DATA;
    packet.psn = psn & WEFT_PSN_MASK;
    packet.sent = (int64_t)w->slot * SIM_SLOT;
    const bool last = (index + 1) % w->link->chunk == 0 || index + 1 == w->link->packets;
    packet.flags = last ? WEFT_F_LAST : 0;
    if (w->link->ops->tx_stamp != NULL)
    {
        w->link->ops->tx_stamp(w->tx, &packet);
    }
    w->outcome.data_frames++;
    const bool masked = w->losses[index] > 0;
    w->losses[index] = (uint8_t)(w->losses[index] - masked);
    launch(w, &packet, masked ? 1.0 : w->link->data_loss);
}

static void
answer(struct world *w, const struct weft_packet *data, const struct weft_rx_verdict *verdict)
{
    struct weft_packet reply = *data;
    const bool nack = verdict->reply == WEFT_REPLY_NACK;
    w->outcome.acks += !nack;
    w->outcome.nacks += nack;
    reply.kind = nack ? WEFT_NACK : WEFT_ACK;
    reply.flags = verdict->asks_place ? WEFT_F_ASKS_AHEAD : 0;
    reply.psn = verdict->epsn & WEFT_PSN_MASK;
    reply.ahead = weft_ahead(verdict->place, verdict->epsn);
    launch(w, &reply, w->link->reply_loss);
}

/* The receiver's timer, where it has one: what its NACKs ask for has not arrived. */
static void
fire_receiver(struct world *w)
{
    const struct weft_transport_ops *ops = w->link->ops;
    const int64_t now = (int64_t)w->slot * SIM_SLOT;
    while (ops->rx_deadline != NULL && ops->rx_deadline(w->rx) <= now)
    {
        struct weft_rx_verdict v = {.reply = WEFT_REPLY_NONE, .place = w->newest.psn};
        ops->rx_timeout(w->rx, now, &v);
        MUST(((v.epsn - w->link->first_psn) & WEFT_PSN_MASK) == w->in_order && !v.fresh);
        if (v.reply != WEFT_REPLY_NONE)
        {
            const uint32_t index = (v.place - w->link->first_psn) & WEFT_PSN_MASK;
            MUST(v.reply == WEFT_REPLY_NACK && v.asks_place && !w->placed[index]);
            answer(w, &w->newest, &v);
        }
    }
}

static void
receive_data(struct world *w, const struct weft_packet *data)
{
    struct weft_rx_verdict verdict;
    verdict.place = data->psn;
    verdict.asks_place = false;
    w->newest = *data;
    w->link->ops->rx_data(w->rx, data, (int64_t)w->slot * SIM_SLOT, &verdict);
    const uint32_t index = (verdict.place - w->link->first_psn) & WEFT_PSN_MASK;
    MUST(!(verdict.fresh && verdict.duplicate));
    MUST(verdict.duplicate == (w->placed[index] != 0));
    w->placed[index] |= verdict.fresh;
    w->outcome.duplicates += verdict.duplicate;
    const uint32_t in_order = (verdict.epsn - w->link->first_psn) & WEFT_PSN_MASK;
    MUST(in_order >= w->in_order);
    for (; w->in_order < in_order; w->in_order++)
    {
        MUST(w->placed[w->in_order]);
    }
    if (verdict.reply != WEFT_REPLY_NONE)
    {
        answer(w, data, &verdict);
    }
    fire_receiver(w);
}

static void
receive_reply(struct world *w, const struct weft_packet *reply)
{
    w->acked += w->link->ops->tx_reply(w->tx, reply, (int64_t)w->slot * SIM_SLOT);
    MUST(w->acked <= w->in_order);
    MUST(w->link->ops->tx_una(w->tx) == weft_psn_add(w->link->first_psn, w->acked));
}

static void
deliver_due(struct world *w)
{
    uint32_t i = 0;
    while (i < w->nframes)
    {
        if (w->frames[i].due > w->slot)
        {
            i++;
            continue;
        }
        const struct weft_packet packet = w->frames[i].packet;
        const bool lost = w->frames[i].lost;
        w->frames[i] = w->frames[--w->nframes];
        if (lost)
        {
            w->link->ops->tx_lost(w->tx, &packet, (int64_t)w->slot * SIM_SLOT);
        }
        else if (packet.kind == WEFT_DATA)
        {
            receive_data(w, &packet);
        }
        else
        {
            receive_reply(w, &packet);
        }
    }
}

static void
step(struct world *w)
{
    const struct weft_transport_ops *ops = w->link->ops;
    const int64_t now = (int64_t)w->slot * SIM_SLOT;
    if (w->posted == w->acked && w->posted < w->link->packets)
    {
        const uint32_t left = w->link->packets - w->posted;
        const uint32_t n = left < w->link->chunk ? left : w->link->chunk;
        ops->tx_post(w->tx, n);
        w->posted += n;
    }
    deliver_due(w);
    fire_receiver(w);
    if (now >= ops->tx_deadline(w->tx))
    {
        const uint64_t before = ops->tx_counters(w->tx)->timeouts;
        ops->tx_timeout(w->tx, now);
        MUST(ops->tx_ready(w->tx) || ops->tx_lost || ops->tx_counters(w->tx)->timeouts == before);
        MUST(ops->tx_deadline(w->tx) > now);
    }
    send(w);
}

static void
check_end(struct world *w)
{
    const struct sim_outcome *o = &w->outcome;
    for (uint32_t i = 0; i < w->link->packets; i++)
    {
        MUST(w->placed[i]);
    }
    MUST(w->in_order == w->link->packets);
    MUST(w->link->ops->tx_deadline(w->tx) == WEFT_NEVER);
    MUST(!w->link->ops->tx_ready(w->tx));
    MUST(o->tx.sent == w->link->packets);
    MUST(o->tx.sent + o->tx.resent == o->data_frames);
    MUST(w->link->duplication > 0 || o->tx.nacks <= o->nacks);
}

struct sim_link
sim_link_of(const char *transport, const char *const *settings, uint32_t first_psn,
            uint32_t packets, uint64_t seed)
{
    struct sim_link link;
    memset(&link, 0, sizeof(link));
    begin(transport, first_psn, settings);
    ck_assert_ptr_null(rig.ops->algo.check(rig.config));
    end();
    link.ops = rig.ops;
    link.config = rig.config;
    link.first_psn = first_psn;
    link.packets = packets;
    link.chunk = packets;
    link.delay = 8;
    link.seed = seed;
    return link;
}

struct sim_outcome
sim_link_run(const struct sim_link *link)
{
    struct world *w = (struct world *)calloc(1, sizeof(*w));
    w->link = link;
    w->rx = malloc(link->ops->rx_size(link->config));
    w->tx = malloc(link->ops->tx_size(link->config));
    w->placed = (uint8_t *)calloc(link->packets, 1);
    w->losses = (uint8_t *)calloc(link->packets, 1);
    if (link->mask != NULL)
    {
        memcpy(w->losses, link->mask, link->packets);
    }
    weft_rng_seed(&w->rng, link->seed, 0, 0);
    const struct weft_transport_site site = {.first_psn = link->first_psn,
                                             .base_rtt = 2 * (int64_t)link->delay * SIM_SLOT};
    link->ops->rx_init(w->rx, link->config, &site);
    link->ops->tx_init(w->tx, link->config, &site);
    for (; w->acked < link->packets; w->slot++)
    {
        MUST(w->slot < 100 * (uint64_t)link->packets + 1000000); /* it takes for ever */
        step(w);
    }
    w->outcome.tx = *link->ops->tx_counters(w->tx);
    w->outcome.slots = w->slot;
    check_end(w);
    const struct sim_outcome outcome = w->outcome;
    free(w->losses);
    free(w->placed);
    free(w->tx);
    free(w->rx);
    free(w);
    return outcome;
}
