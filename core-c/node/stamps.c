/* SPDX-License-Identifier: MIT */
/* Stamps of ports, on their way to senders and until the replies are there. */
#include "node/stamps.h"

/** A stamp, and of which packet. */
struct kept
{
    int64_t sent;
    struct weft_stamp stamp;
};

/** Stamps of one place on a QP's way, in the order in which the packets were sent: a ring. */
struct place
{
    struct kept *ring;
    uint32_t size; /**< a power of two, or 0 */
    uint32_t begin;
    uint32_t end;
};

struct weft_stamps
{
    struct place place[WEFT_STAMPS];
};

void
weft_switch_stamp(const struct weft_net *net, struct weft_switch_node *sw,
                  const struct weft_port *port, const struct weft_packet *p, int64_t at)
{
    const struct weft_qp *qp = &net->qp[p->qp]->qp;
    if (!qp->algos->cc->on_stamps || p->hops < 1 || p->hops > WEFT_STAMPS)
    {
        return;
    }
    struct weft_letter *letter = weft_letter_get(sw->node.worker);
    letter->packet = *p;
    letter->stamp = (struct weft_stamp){
        .at = at,
        .bytes = weft_port_taken(port) - p->bytes - (uint64_t)port->gap,
        .rate = port->rate,
        .queue = weft_mmu_queues(sw->mmu)[port->index] - p->bytes,
        .node = sw->node.number,
        .port = port->index,
    };
    weft_mail_send(sw->node.worker, qp->src, at + net->window,
                   weft_mail_key(WEFT_MAIL_STAMP, (uint64_t)p->qp << 24 | p->psn), letter);
}

static struct kept *
kept_at(const struct place *place, uint32_t i)
{
    return &place->ring[i & (place->size - 1)];
}

static void
make_room(struct place *place, const struct weft_memory *memory)
{
    if (place->end - place->begin < place->size)
    {
        return;
    }
    const uint32_t size = place->size ? 2 * place->size : 8;
    struct kept *ring = weft_take(memory, size * sizeof *ring);
    for (uint32_t i = place->begin; i != place->end; i++)
    {
        ring[i & (size - 1)] = *kept_at(place, i);
    }
    place->ring = ring;
    place->size = size;
}

void
weft_stamps_keep(struct weft_net_qp *q, const struct weft_letter *letter,
                 const struct weft_memory *memory)
{
    if (!q->stamps)
    {
        q->stamps = weft_take(memory, sizeof *q->stamps);
        *q->stamps = (struct weft_stamps){{{NULL, 0, 0, 0}}};
    }
    struct place *place = &q->stamps->place[letter->packet.hops - 1];
    make_room(place, memory);
    /* Sprayed packets may overtake each other. */
    uint32_t i = place->end++;
    for (; i != place->begin && kept_at(place, i - 1)->sent > letter->packet.sent; i--)
    {
        *kept_at(place, i) = *kept_at(place, i - 1);
    }
    *kept_at(place, i) = (struct kept){.sent = letter->packet.sent, .stamp = letter->stamp};
}

void
weft_stamps_tell(struct weft_net_qp *q, const struct weft_packet *reply, int64_t now)
{
    struct weft_stamp stamps[WEFT_STAMPS];
    uint32_t n = 0;
    for (uint32_t i = 0; q->stamps && i < WEFT_STAMPS; i++)
    {
        struct place *place = &q->stamps->place[i];
        while (place->begin != place->end && kept_at(place, place->begin)->sent < reply->sent)
        {
            place->begin++;
        }
        if (place->begin != place->end && kept_at(place, place->begin)->sent == reply->sent)
        {
            stamps[n++] = kept_at(place, place->begin++)->stamp;
        }
    }
    if (n > 0)
    {
        weft_qp_stamps(&q->qp, stamps, n, now);
    }
}
