/* SPDX-License-Identifier: MIT */
/* A queue pair: what its two ends do with data, replies and timeouts. */
#include "checked/check.h"
#include "nic/credit.h"
#include "nic/labels.h"
#include "nic/ooo.h"
#include "nic/wqe.h"

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/qp.h>

static void
tell_active(struct weft_qp *qp, bool active, int64_t now)
{
    if (qp->path && qp->algos->path->on_active)
    {
        qp->algos->path->on_active(qp->path, active, now);
    }
}

/* Packets that complete the message after @p done of them. */
static uint64_t
end_of(const struct weft_qp *qp, size_t done)
{
    return done < qp->nwqes ? qp->wqes[done].end : WEFT_NO_PACKETS;
}

int
weft_qp_post(struct weft_qp *qp, struct weft_wqe *wqes, uint64_t bytes, uint64_t tag, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_post");
    WEFT_CHECK(wqes, "weft_qp_post", "there is room for one more message (wqes)");
    WEFT_CHECK(qp->nwqes == 0 || wqes[qp->nwqes - 1].end == qp->posted, "weft_qp_post",
               "wqes holds the messages that were posted before");
    WEFT_CHECK(now >= qp->last_sent, "weft_qp_post", WEFT_RULE_TIME);
    if (bytes == 0 || !wqes || !qp->algos || qp->given_up)
    {
        return WEFT_EINVAL;
    }
    if (qp->una == qp->posted)
    {
        tell_active(qp, true, now);
    }
    const uint64_t packets = weft_wqe_add(qp, wqes, bytes, tag);
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

/* Whether an ACK may wait for others where only those of packets in order do. */
static bool
may_ack_wait(const struct weft_qp *qp, const struct weft_packet *data,
             const struct weft_rx_verdict *v)
{
    return qp->unacked + 1 < qp->algos_rx->frame.ack_every && data->flags == 0 && v->fresh &&
           v->epsn == weft_psn_add(qp->epsn, 1);
}

/* Whether the sender waits for news of this packet: one sent after it has asked for its ACK, or
 * ended a message. Perhaps none follows. */
static bool
is_awaited(struct weft_qp *qp, const struct weft_packet *data)
{
    if (weft_psn_before(qp->asked, qp->epsn))
    {
        qp->asked = qp->epsn;
    }
    const bool awaited = weft_psn_before(data->psn, qp->asked);
    if (!awaited && (data->flags & (WEFT_F_LAST | WEFT_F_ACK_REQ)))
    {
        qp->asked = weft_psn_add(data->psn, 1);
    }
    return awaited;
}

/*
 * Whether an ACK may wait for others where ACKs have bitmaps, in any order: all that wait fit one
 * bitmap. If this packet does not fit, an ACK of those that wait goes out in its place, or if it
 * may not wait itself its own, and they go on waiting.
 */
static bool
may_ack_wait_in_any_order(struct weft_qp *qp, const struct weft_packet *data,
                          struct weft_qp_answer *answer)
{
    struct weft_rx_verdict *v = &answer->verdict;
    const bool urgent = is_awaited(qp, data) || data->flags != 0 || !v->fresh;
    const bool first = qp->unacked == 0;
    const uint32_t low =
        first || weft_psn_before(data->psn, qp->first_waiting) ? data->psn : qp->first_waiting;
    const uint32_t high =
        first || weft_psn_before(qp->last_waiting, data->psn) ? data->psn : qp->last_waiting;
    answer->bitmap = true;
    if (weft_psn_diff(high, low) > WEFT_ACK_BITMAP)
    {
        if (!urgent)
        {
            v->place = qp->last_waiting;
            qp->first_waiting = data->psn;
            qp->last_waiting = data->psn;
            qp->unacked = 1;
        }
        else if (weft_psn_before(qp->last_waiting, v->epsn))
        {
            qp->unacked = 0; /* its ePSN tells of all that wait */
        }
        return false;
    }
    qp->first_waiting = low;
    qp->last_waiting = high;
    if (!urgent && qp->unacked + 1 < qp->algos_rx->frame.ack_every)
    {
        qp->unacked++;
        return true;
    }
    v->place = high;
    qp->unacked = 0;
    return false;
}

/* Whether an ACK waits for others; else it is sent now. */
static bool
delays_ack(struct weft_qp *qp, const struct weft_packet *data, struct weft_qp_answer *answer)
{
    if (qp->algos_rx->frame.ack_every <= 1)
    {
        return false;
    }
    if (qp->algos_rx->transport->rx_bitmap)
    {
        return may_ack_wait_in_any_order(qp, data, answer);
    }
    const bool waits = may_ack_wait(qp, data, &answer->verdict);
    qp->unacked = waits ? qp->unacked + 1 : 0;
    return waits;
}

static void
advance(struct weft_qp *qp, uint32_t epsn)
{
    if (epsn != qp->epsn)
    {
        qp->arrived += (uint64_t)weft_psn_diff(epsn, qp->epsn);
        qp->epsn = epsn;
    }
}

#ifdef WEFT_CHECKED
/* Whether a data packet is of a message that was posted, where the sender is the QP's own. */
static bool
is_posted(const struct weft_qp *qp, uint32_t psn)
{
    const size_t n = __atomic_load_n(&qp->nwqes, __ATOMIC_ACQUIRE);
    const struct weft_wqe *wqes = __atomic_load_n(&qp->wqes, __ATOMIC_ACQUIRE);
    const int64_t seq = (int64_t)qp->arrived + weft_psn_diff(psn, qp->epsn);
    return !qp->tx || (n > 0 && seq < (int64_t)wqes[n - 1].end);
}
#endif

static __attribute__((noinline)) void
listen(struct weft_qp *qp, const struct weft_packet *data, bool answered, int64_t now)
{
    if (qp->algos_rx->transport->rx_deadline)
    {
        qp->newest = *data;
        qp->answered = answered;
    }
    if (qp->pull)
    {
        weft_pull_hear(qp, data, now);
    }
}

void
weft_qp_data(struct weft_qp *qp, const struct weft_packet *data, int64_t now,
             struct weft_qp_answer *answer)
{
    WEFT_CHECK_QP(qp, "weft_qp_data");
    struct weft_rx_verdict *v = &answer->verdict;
    WEFT_CHECK(data->kind == WEFT_DATA, "weft_qp_data", "the packet is data");
    WEFT_CHECK(data->qp == qp->index, "weft_qp_data", WEFT_RULE_QP);
    WEFT_CHECK(is_posted(qp, data->psn), "weft_qp_data",
               "the data's PSN is of a message that weft_qp_post() has posted");
    v->place = data->psn;
    v->asks_place = false;
    answer->bitmap = false;
    qp->algos_rx->transport->rx_data(qp->rx, data, now, v);
    qp->duplicates += v->duplicate;
    if (!(data->flags & WEFT_F_TRIMMED))
    {
        weft_count_ooo(qp, data->psn);
    }
    answer->cnp = (data->flags & WEFT_F_CE) && is_cnp_due(qp, now);
    if (v->reply == WEFT_REPLY_ACK)
    {
        v->reply = delays_ack(qp, data, answer) ? WEFT_REPLY_NONE : WEFT_REPLY_ACK;
    }
    else
    {
        qp->nacks_sent += v->reply == WEFT_REPLY_NACK;
    }
    if (qp->listens)
    {
        listen(qp, data, v->reply != WEFT_REPLY_NONE, now);
    }
    advance(qp, v->epsn);
}

int64_t
weft_qp_rx_deadline(const struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_qp_rx_deadline");
    const struct weft_transport_ops *transport = qp->algos_rx->transport;
    return transport->rx_deadline ? transport->rx_deadline(qp->rx) : WEFT_NEVER;
}

void
weft_qp_rx_timer(struct weft_qp *qp, int64_t now, struct weft_qp_answer *answer)
{
    WEFT_CHECK_QP(qp, "weft_qp_rx_timer");
    struct weft_rx_verdict *v = &answer->verdict;
    *answer = (struct weft_qp_answer){
        .verdict = {.epsn = qp->epsn, .reply = WEFT_REPLY_NONE, .place = qp->newest.psn}};
    if (qp->answered)
    {
        qp->newest.flags &= ~(unsigned)(WEFT_F_CE | WEFT_F_TRIMMED) & UINT8_MAX;
    }
    if (weft_qp_rx_deadline(qp) <= now)
    {
        qp->algos_rx->transport->rx_timeout(qp->rx, now, v);
        qp->nacks_sent += v->reply == WEFT_REPLY_NACK;
        qp->answered = qp->answered || v->reply != WEFT_REPLY_NONE;
        advance(qp, v->epsn);
    }
}

const struct weft_wqe *
weft_qp_next_delivered(struct weft_qp *qp, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_next_delivered");
    if (qp->arrived < qp->deliver_at)
    {
        return NULL;
    }
    /* A message that is not to be seen yet has received nothing. */
    if (qp->delivered >= __atomic_load_n(&qp->nwqes, __ATOMIC_ACQUIRE))
    {
        qp->deliver_at = qp->arrived + 1;
        return NULL;
    }
    const struct weft_wqe *message = &__atomic_load_n(&qp->wqes, __ATOMIC_ACQUIRE)[qp->delivered];
    qp->deliver_at = message->end;
    if (qp->arrived < message->end)
    {
        return NULL;
    }
    qp->delivered++;
    qp->last_delivery = now;
    return message;
}

static void
take_nack(struct weft_qp *qp, const struct weft_packet *nack, int64_t now)
{
    qp->tor_nacks += (nack->flags & WEFT_F_COMPENSATED) != 0;
    /* A trimmed packet waits for the window: it left room when it was taken out of flight. */
    qp->urgent |= !(nack->flags & WEFT_F_TRIMMED);
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
    const uint64_t una = qp->una + packets;
    const struct weft_cc_ack ack = {
        .reply = reply,
        .acked = packets,
        .in_flight = transport->tx_flight(qp->tx),
        .una = una,
        .delivered = una + (transport->tx_sacked ? transport->tx_sacked(qp->tx) : 0U),
        .next = transport->tx_counters(qp->tx)->sent,
    };
    qp->algos->cc->on_ack(qp->cc, &ack, now);
}

static void
tell_loss(struct weft_qp *qp, const struct weft_loss *loss, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    qp->unasked |= a->frame.ack_every > 1 && !a->cc->stamp && /* which waits for no ACK */
                   loss->cause == WEFT_LOST_TRIMMED && loss->psn == qp->ask;
    if (a->cc->on_lost)
    {
        a->cc->on_lost(qp->cc, loss, now);
    }
    if (qp->path && a->path->on_lost)
    {
        a->path->on_lost(qp->path, loss, now);
    }
}

static struct weft_loss
loss_of(const struct weft_qp *qp, uint32_t psn, enum weft_loss_cause cause)
{
    const uint16_t *label = qp->labels ? weft_label_place(qp, psn) : NULL;
    return (struct weft_loss){
        .psn = psn,
        .sport = label ? *label : 0,
        .labelled = label != NULL,
        .cause = (uint8_t)cause,
    };
}

static void
tell_losses(struct weft_qp *qp, enum weft_loss_cause cause, int64_t now)
{
    const struct weft_transport_ops *transport = qp->algos->transport;
    uint32_t psn;
    while (qp->tells_losses && transport->tx_next_lost && transport->tx_next_lost(qp->tx, &psn))
    {
        const struct weft_loss loss = loss_of(qp, psn, cause);
        tell_loss(qp, &loss, now);
    }
}

void
weft_qp_told_lost(struct weft_qp *qp, const struct weft_packet *lost, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_told_lost");
    WEFT_CHECK(lost->qp == qp->index, "weft_qp_told_lost", WEFT_RULE_QP);
    WEFT_CHECK(qp->algos->transport->tx_lost, "weft_qp_told_lost",
               "only a transport with tx_lost() is told of losses");
    qp->algos->transport->tx_lost(qp->tx, lost, now);
    if (qp->tells_losses && lost->kind == WEFT_DATA)
    {
        const struct weft_loss loss = {
            .psn = lost->psn, .sport = lost->sport, .labelled = true, .cause = WEFT_LOST_TOLD};
        tell_loss(qp, &loss, now);
    }
}

/* How the sender knows of the losses that a reply shows. */
static enum weft_loss_cause
cause_of(const struct weft_packet *reply)
{
    return reply->kind != WEFT_NACK        ? WEFT_LOST_BY_GAP
           : reply->flags & WEFT_F_TRIMMED ? WEFT_LOST_TRIMMED
                                           : WEFT_LOST_BY_NACK;
}

void
weft_qp_reply(struct weft_qp *qp, const struct weft_packet *reply, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_reply");
    const struct weft_nic_algos *a = qp->algos;
    WEFT_CHECK(reply->kind == WEFT_ACK || reply->kind == WEFT_NACK, "weft_qp_reply",
               "the packet is an ACK or a NACK");
    WEFT_CHECK(reply->qp == qp->index, "weft_qp_reply", WEFT_RULE_QP);
    WEFT_CHECK(now >= qp->last_sent, "weft_qp_reply", WEFT_RULE_TIME);
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
    if (qp->tells_losses)
    {
        tell_losses(qp, cause_of(reply), now);
    }
    qp->una += packets;
    /* Whether it ends a message is asked first: that is at hand. */
    if (packets > 0 && qp->una >= qp->ack_at && qp->una == qp->posted && !qp->given_up)
    {
        tell_active(qp, false, now);
    }
}

const struct weft_wqe *
weft_qp_next_acked(struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_qp_next_acked");
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
    WEFT_CHECK_QP(qp, "weft_qp_cnp");
    WEFT_CHECK(cnp->kind == WEFT_CNP, "weft_qp_cnp", "the packet is a CNP");
    WEFT_CHECK(cnp->qp == qp->index, "weft_qp_cnp", WEFT_RULE_QP);
    WEFT_CHECK(now >= qp->last_sent, "weft_qp_cnp", WEFT_RULE_TIME);
    qp->cnps++;
    if (qp->algos->cc->on_cnp)
    {
        qp->algos->cc->on_cnp(qp->cc, cnp, now);
    }
}

void
weft_qp_stamps(struct weft_qp *qp, const struct weft_stamp *stamps, uint32_t n, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_stamps");
    WEFT_CHECK(now >= qp->last_sent, "weft_qp_stamps", WEFT_RULE_TIME);
    if (qp->algos->cc->on_stamps)
    {
        qp->algos->cc->on_stamps(qp->cc, stamps, n, now);
    }
}

void
weft_qp_pull(struct weft_qp *qp, const struct weft_packet *pull, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_pull");
    WEFT_CHECK(pull->kind == WEFT_PULL, "weft_qp_pull", "the packet is a pull");
    WEFT_CHECK(pull->qp == qp->index, "weft_qp_pull", WEFT_RULE_QP);
    WEFT_CHECK(now >= qp->last_sent, "weft_qp_pull", WEFT_RULE_TIME);
    if (qp->algos->cc->on_pull)
    {
        qp->algos->cc->on_pull(qp->cc, pull, now);
    }
}

int64_t
weft_qp_deadline(const struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_qp_deadline");
    return qp->given_up ? WEFT_NEVER : qp->algos->transport->tx_deadline(qp->tx);
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
give_up(struct weft_qp *qp, int64_t now)
{
    tell_active(qp, false, now);
    qp->given_up = true;
    qp->ack_at = WEFT_NO_PACKETS; /* a reply that still comes completes no message */
    qp->failed = qp->acked;
}

enum weft_qp_timeout
weft_qp_timer(struct weft_qp *qp, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_qp_timer");
    const struct weft_nic_algos *a = qp->algos;
    const struct weft_tx_counters *counters = a->transport->tx_counters(qp->tx);
    const uint64_t before = counters->timeouts;
    WEFT_CHECK(now >= qp->last_sent, "weft_qp_timer", WEFT_RULE_TIME);
    if (weft_qp_deadline(qp) > now)
    {
        return WEFT_TIMER_NOTHING;
    }
    a->transport->tx_timeout(qp->tx, now);
    if (counters->timeouts == before)
    {
        tell_losses(qp, WEFT_LOST_BY_TIMEOUT, now);
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
    tell_losses(qp, WEFT_LOST_BY_TIMEOUT, now);
    if (is_out_of_retries(qp))
    {
        give_up(qp, now);
    }
    return qp->given_up ? WEFT_TIMER_GIVE_UP : WEFT_TIMER_TIMEOUT;
}

const struct weft_wqe *
weft_qp_next_failed(struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_qp_next_failed");
    return qp->given_up && qp->failed < qp->nwqes ? &qp->wqes[qp->failed++] : NULL;
}
