/* SPDX-License-Identifier: MIT */
/* A queue pair: what its two ends do with data, replies and timeouts. */
#include <assert.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/qp.h>
#include <weft/theory.h>

#define NONE UINT64_MAX /* packets that no QP ever reaches */
#define WORD sizeof(uint64_t)
#define LINE 64U /* bytes of a cache line */

/* Where the states lie: sender and receiver are at different hosts, so the receiver's begins with
 * the cache line after the sender's last one, if the memory begins with one. */
struct layout
{
    size_t path;
    size_t cc;
    size_t rx;
    size_t end;
};

static size_t
words_of(size_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static struct layout
lay_out(const struct weft_nic_algos *algos)
{
    struct layout l;
    l.path = words_of(algos->transport->tx_size(algos->transport_config));
    l.cc = l.path + (algos->path ? words_of(algos->path->qp_size(algos->path_config)) : 0);
    l.rx = (l.cc + words_of(algos->cc->state_size) + LINE - 1) / LINE * LINE;
    l.end = l.rx + words_of(algos->transport->rx_size(algos->transport_config));
    return l;
}

size_t
weft_qp_size(const struct weft_nic_algos *algos)
{
    return lay_out(algos).end;
}

static void *
path_of(const struct weft_nic_algos *algos, uint32_t host)
{
    return (char *)algos->path_hosts + (size_t)host * algos->path_stride;
}

static int
init_states(struct weft_qp *qp, const struct weft_qp_site *site, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    int error = a->transport->tx_init(qp->tx, a->transport_config, qp->first_psn);
    if (!error)
    {
        error = a->transport->rx_init(qp->rx, a->transport_config, qp->first_psn);
    }
    if (!error)
    {
        error = a->cc->init(qp->cc, a->cc_config, &site->cc, now);
    }
    if (!error && qp->path)
    {
        error = a->path->qp_init(qp->path, path_of(a, qp->src), a->path_config, &site->path,
                                 qp->index);
    }
    return error;
}

int
weft_qp_init(struct weft_qp *qp, void *memory, const struct weft_nic_algos *algos,
             const struct weft_qp_site *site, int64_t now)
{
    const struct layout l = lay_out(algos);
    char *states = memory;
    memset(qp, 0, sizeof(*qp));
    qp->algos = algos;
    qp->algos_rx = algos;
    qp->tx = states;
    qp->path = algos->path ? states + l.path : NULL;
    qp->cc = states + l.cc;
    qp->rx = states + l.rx;
    qp->index = site->index;
    qp->src = site->src;
    qp->dst = site->dst;
    qp->sport = site->sport;
    qp->first_psn = site->first_psn & WEFT_PSN_MASK;
    qp->epsn = qp->first_psn;
    qp->deliver_at = NONE;
    qp->ack_at = NONE;
    qp->slot = -1;
    qp->first_sent = -1;
    qp->last_delivery = -1;
    qp->cnp_interval =
        algos->cc->cnp_interval ? algos->cc->cnp_interval(algos->cc_config) : WEFT_NEVER;
    return init_states(qp, site, now);
}

/* Packets that complete the message after @p done of them. */
static uint64_t
end_of(const struct weft_qp *qp, size_t done)
{
    return done < qp->nwqes ? qp->wqes[done].end : NONE;
}

int
weft_qp_post(struct weft_qp *qp, struct weft_wqe *wqes, uint64_t bytes, uint64_t tag)
{
    if (bytes == 0 || qp->given_up)
    {
        return WEFT_EINVAL;
    }
    const uint64_t packets = weft_packets(bytes, qp->algos->frame.payload);
    qp->wqes = wqes;
    wqes[qp->nwqes++] = (struct weft_wqe){
        .first = qp->posted, .end = qp->posted + packets, .bytes = bytes, .tag = tag};
    qp->posted += packets;
    qp->deliver_at = end_of(qp, qp->delivered);
    qp->ack_at = end_of(qp, qp->acked);
    for (uint64_t left = packets; left > 0;)
    {
        const uint32_t part = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
        qp->algos->transport->tx_post(qp->tx, part);
        left -= part;
    }
    return 0;
}

/* Notification point (DCQCN §3): at most one CNP per interval. */
static bool
is_cnp_due(struct weft_qp *qp, int64_t now)
{
    if (qp->cnp_interval == WEFT_NEVER ||
        (qp->cnps_sent > 0 && now - qp->last_cnp < qp->cnp_interval))
    {
        return false;
    }
    qp->last_cnp = now;
    qp->cnps_sent++;
    return true;
}

static bool
may_ack_wait(const struct weft_qp *qp, const struct weft_packet *data,
             const struct weft_rx_verdict *v)
{
    return qp->unacked + 1 < qp->algos_rx->frame.ack_every && data->flags == 0 && v->fresh &&
           v->epsn == weft_psn_add(qp->epsn, 1);
}

void
weft_qp_data(struct weft_qp *qp, const struct weft_packet *data, int64_t now,
             struct weft_qp_answer *answer)
{
    struct weft_rx_verdict *v = &answer->verdict;
    v->place = data->psn;
    qp->algos_rx->transport->rx_data(qp->rx, data, v);
    qp->duplicates += v->duplicate;
    qp->out_of_order += weft_psn_before(qp->epsn, data->psn);
    answer->cnp = (data->flags & WEFT_F_CE) && is_cnp_due(qp, now);
    if (v->reply == WEFT_REPLY_NONE ||
        (v->reply == WEFT_REPLY_ACK && may_ack_wait(qp, data, v)))
    {
        v->reply = WEFT_REPLY_NONE;
        qp->unacked++;
    }
    else
    {
        qp->unacked = 0;
        qp->nacks_sent += v->reply == WEFT_REPLY_NACK;
    }
    if (v->epsn != qp->epsn)
    {
        qp->arrived += (uint64_t)weft_psn_diff(v->epsn, qp->epsn);
        qp->epsn = v->epsn;
    }
}

void
weft_qp_make_reply(const struct weft_qp *qp, struct weft_packet *packet,
                   enum weft_packet_kind kind, uint32_t place, uint32_t epsn)
{
    const struct weft_nic_algos *a = qp->algos;
    const uint32_t src = packet->src;
    packet->src = packet->dst;
    packet->dst = src & WEFT_HOST_MASK;
    packet->echo = packet->sport;
    packet->ahead = weft_ahead(place, epsn);
    /* The data packet's may have been changed on its way; a reply starts from the QP's own. */
    packet->sport = qp->sport;
    packet->psn = epsn & WEFT_PSN_MASK;
    packet->bytes = (uint16_t)a->frame.ack;
    packet->kind = (uint8_t)kind;
    packet->flags = packet->flags & WEFT_F_CE ? WEFT_F_ECE : 0;
    packet->tclass = (uint8_t)weft_reply_class(a);
    packet->hops = 0;
    packet->meta[0] = packet->meta[1] = packet->meta[2] = 0;
    if (a->path)
    {
        a->path->reply(path_of(a, packet->src), packet);
    }
}

const struct weft_wqe *
weft_qp_next_delivered(struct weft_qp *qp, int64_t now)
{
    if (qp->arrived < qp->deliver_at)
    {
        return NULL;
    }
    const struct weft_wqe *message = &qp->wqes[qp->delivered++];
    qp->deliver_at = end_of(qp, qp->delivered);
    qp->last_delivery = now;
    return message;
}

static void
take_nack(struct weft_qp *qp, const struct weft_packet *nack, int64_t now)
{
    qp->tor_nacks += (nack->flags & WEFT_F_COMPENSATED) != 0;
    qp->urgent = true;
    if (qp->algos->cc->on_nack)
    {
        qp->algos->cc->on_nack(qp->cc, nack, now);
    }
}

/* Tells the congestion control of a reply that newly acknowledged @p packets. */
static void
tell_cc(struct weft_qp *qp, const struct weft_packet *reply, uint32_t packets, int64_t now)
{
    const struct weft_transport_ops *transport = qp->algos->transport;
    const struct weft_cc_ack ack = {
        .reply = reply,
        .acked = packets,
        .in_flight = transport->tx_flight(qp->tx),
        .una = qp->una + packets,
        .next = transport->tx_counters(qp->tx)->sent,
    };
    qp->algos->cc->on_ack(qp->cc, &ack, now);
}

void
weft_qp_reply(struct weft_qp *qp, const struct weft_packet *reply, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    const uint32_t packets = a->transport->tx_reply(qp->tx, reply, now);
    qp->acks += reply->kind == WEFT_ACK;
    if (reply->kind == WEFT_NACK)
    {
        take_nack(qp, reply, now);
    }
    if (a->cc->on_ack)
    {
        tell_cc(qp, reply, packets, now);
    }
    if (qp->path && a->path->on_reply)
    {
        a->path->on_reply(qp->path, reply, now);
    }
    qp->una += packets;
}

const struct weft_wqe *
weft_qp_next_acked(struct weft_qp *qp)
{
    if (qp->una < qp->ack_at)
    {
        return NULL;
    }
    const struct weft_wqe *message = &qp->wqes[qp->acked++];
    qp->ack_at = end_of(qp, qp->acked);
    return message;
}

void
weft_qp_cnp(struct weft_qp *qp, const struct weft_packet *cnp, int64_t now)
{
    qp->cnps++;
    if (qp->algos->cc->on_cnp)
    {
        qp->algos->cc->on_cnp(qp->cc, cnp, now);
    }
}

int64_t
weft_qp_deadline(const struct weft_qp *qp)
{
    return qp->algos->transport->tx_deadline(qp->tx);
}

/* Counts a timeout. Returns whether it was one too many without progress. */
static bool
is_out_of_retries(struct weft_qp *qp)
{
    const int64_t limit = qp->algos->frame.retry_limit;
    qp->retries = qp->una == qp->timeout_una ? qp->retries : 0;
    qp->timeout_una = qp->una;
    return qp->retries++ >= limit && limit > 0;
}

static void
give_up(struct weft_qp *qp)
{
    qp->given_up = true;
    qp->ack_at = NONE; /* a reply that still comes completes no message */
    qp->failed = qp->acked;
}

enum weft_qp_timeout
weft_qp_timer(struct weft_qp *qp, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    const struct weft_tx_counters *counters = a->transport->tx_counters(qp->tx);
    const uint64_t before = counters->timeouts;
    if (weft_qp_deadline(qp) > now)
    {
        return WEFT_TIMER_NOTHING;
    }
    a->transport->tx_timeout(qp->tx, now);
    if (counters->timeouts == before)
    {
        return WEFT_TIMER_NOTHING;
    }
    qp->urgent = true;
    if (a->cc->on_timeout)
    {
        a->cc->on_timeout(qp->cc, now);
    }
    if (qp->path && a->path->on_timeout)
    {
        a->path->on_timeout(qp->path, now);
    }
    if (is_out_of_retries(qp))
    {
        give_up(qp);
    }
    return qp->given_up ? WEFT_TIMER_GIVE_UP : WEFT_TIMER_TIMEOUT;
}

const struct weft_wqe *
weft_qp_next_failed(struct weft_qp *qp)
{
    return qp->given_up && qp->failed < qp->nwqes ? &qp->wqes[qp->failed++] : NULL;
}
