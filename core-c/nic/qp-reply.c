/* SPDX-License-Identifier: MIT */
/* Packets that a receiver makes: replies to data, and pulls. */
#include "checked/check.h"
#include "nic/labels.h"

#include <weft/levels.h>
#include <weft/psn.h>
#include <weft/qp.h>
#include <weft/rng.h>

/* A source port for a reply, drawn from what no other reply has: its QP, its kind, and when the
 * data left that it answers. */
static __attribute__((noinline)) uint16_t
random_sport(const struct weft_qp *qp, const struct weft_packet *packet)
{
    const uint64_t of = (uint64_t)qp->index << 40 ^ (uint64_t)packet->kind << 36 ^ qp->sport_rx;
    return (uint16_t)(weft_mix64(weft_mix64(of) ^ (uint64_t)packet->sent) >> 48);
}

/* Makes a data packet a reply that names @p place. The frame itself turns round, so that a reply
 * allocates nothing. */
static inline void
turn(const struct weft_qp *qp, struct weft_packet *packet, enum weft_packet_kind kind,
     uint32_t place, uint32_t epsn)
{
    const struct weft_nic_algos *a = qp->algos_rx;
    const uint32_t src = packet->src;
    const uint32_t cut = kind == WEFT_NACK ? packet->flags & WEFT_F_TRIMMED : 0U;
    packet->src = packet->dst & WEFT_HOST_MASK;
    packet->dst = src & WEFT_HOST_MASK;
    packet->echo = packet->sport;
    packet->ahead = weft_ahead(place, epsn);
    /* The data packet's may have been changed on its way; a reply starts from the QP's own. */
    packet->sport = qp->sport_rx;
    packet->psn = epsn & WEFT_PSN_MASK;
    packet->bytes = (uint16_t)a->frame.ack;
    packet->kind = (uint8_t)kind;
    packet->flags = (uint8_t)((packet->flags & WEFT_F_CE ? WEFT_F_ECE : 0U) | cut);
    packet->tclass = cut ? 0U : (uint8_t)weft_reply_class(a);
    packet->hops = 0;
    packet->meta[0] = packet->meta[1] = packet->meta[2] = 0;
    if (a->frame.replies == WEFT_REPLIES_SPRAYED)
    {
        packet->sport = random_sport(qp, packet);
    }
}

/* The path part of the receiver's host sees its replies, unless the fabric says how they travel. */
static inline void
choose_path(const struct weft_qp *qp, struct weft_packet *reply)
{
    const struct weft_nic_algos *a = qp->algos_rx;
    if (a->path && a->frame.replies == WEFT_REPLIES_BALANCER)
    {
        a->path->reply(weft_path_host(a, reply->src), reply);
    }
}

void
weft_qp_make_reply(const struct weft_qp *qp, struct weft_packet *packet, enum weft_packet_kind kind,
                   uint32_t epsn)
{
    WEFT_CHECK_QP(qp, "weft_qp_make_reply");
    WEFT_CHECK(packet->kind == WEFT_DATA && packet->qp == qp->index, "weft_qp_make_reply",
               "the packet is a copy of data of this QP");
    WEFT_CHECK(kind == WEFT_CNP || kind == WEFT_NACK, "weft_qp_make_reply",
               "it makes a CNP or a NACK");
    turn(qp, packet, kind, packet->psn, epsn);
    if (kind == WEFT_NACK)
    {
        packet->flags = WEFT_F_COMPENSATED; /* marks are for the NIC's own reply to echo */
        return;                             /* a ToR has no part in what the host knows of paths */
    }
    choose_path(qp, packet);
}

void
weft_qp_answer_with(const struct weft_qp *qp, struct weft_packet *packet,
                    const struct weft_qp_answer *answer)
{
    WEFT_CHECK_QP(qp, "weft_qp_answer_with");
    const struct weft_rx_verdict *v = &answer->verdict;
    WEFT_CHECK(v->reply != WEFT_REPLY_NONE, "weft_qp_answer_with", "there is a reply to be sent");
    WEFT_CHECK(packet->kind == WEFT_DATA, "weft_qp_answer_with",
               "the packet is a copy of the data that is answered");
    turn(qp, packet, v->reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK, v->place, v->epsn);
    choose_path(qp, packet);
    if (v->asks_place)
    {
        packet->flags |= WEFT_F_ASKS_AHEAD;
    }
    if (answer->bitmap)
    {
        weft_set_ack_bitmap(packet, qp->algos_rx->transport->rx_bitmap(qp->rx, v->place));
    }
}

void
weft_qp_make_pull(const struct weft_qp *qp, struct weft_packet *pull, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos_rx;
    *pull = (struct weft_packet){
        .sent = now,
        .src = qp->dst & WEFT_HOST_MASK,
        .dst = qp->src & WEFT_HOST_MASK,
        .qp = qp->index & WEFT_QP_MASK,
        .kind = WEFT_PULL,
        .bytes = (uint16_t)a->frame.ack,
        .sport = qp->sport_rx,
        .echo = qp->sport_rx,
        .in_port = qp->pull->in_port,
        .ahead = (uint16_t)qp->pull->granted,
        .tclass = weft_reply_class(a) & UINT8_MAX,
        .sl = a->sl & (WEFT_LEVELS - 1),
    };
    if (a->frame.replies == WEFT_REPLIES_SPRAYED)
    {
        pull->sport = random_sport(qp, pull);
    }
    choose_path(qp, pull);
}
