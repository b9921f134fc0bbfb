/* SPDX-License-Identifier: MIT */
/* A host's NIC: round robin over its QPs or their destinations, as pacing and window allow. */
#include "base/saturating.h"
#include "checked/check.h"
#include "nic/labels.h"

#include <string.h>

#include <weft/error.h>
#include <weft/host.h>
#include <weft/levels.h>
#include <weft/psn.h>
#include <weft/wire-time.h>

#define RULE_HOST "a QP is handed to the host that it sends from"

/* weft_host_data() and weft_host_pace() have followed weft_host_next(); only checks want to know.
 */
static void
settle(struct weft_host *host)
{
#ifdef WEFT_CHECKED
    host->what = WEFT_TX_NONE;
#else
    (void)host;
#endif
}

void
weft_host_init(struct weft_host *host, int64_t rate, bool replies_first)
{
    WEFT_CHECK(weft_rate_possible(rate), "weft_host_init", "a wire has a rate, bit/s");
    memset(host, 0, sizeof(*host));
    host->rate = rate;
    host->replies_first = replies_first;
}

void
weft_host_serve_destinations(struct weft_host *host)
{
    WEFT_CHECK(host->nactive == 0, "weft_host_serve_destinations", "no QP is active yet");
    host->by_destination = true;
}

int
weft_host_lend(struct weft_host *host, struct weft_qp **active, int64_t *send_at, uint32_t capacity)
{
    WEFT_CHECK(capacity == 0 || (active && send_at), "weft_host_lend", "both lists have memory");
    if (capacity < host->nactive)
    {
        return WEFT_ENOMEM;
    }
    if (host->nactive > 0)
    {
        memcpy(active, host->active, host->nactive * sizeof(*active));
        memcpy(send_at, host->send_at, host->nactive * sizeof(*send_at));
    }
    host->active = active;
    host->send_at = send_at;
    host->capacity = capacity;
    return 0;
}

static void
seat(struct weft_host *host, uint32_t i, struct weft_qp *qp, int64_t send_at)
{
    host->active[i] = qp;
    host->send_at[i] = send_at;
    qp->slot = (int32_t)i;
}

/* Returns the index behind the QPs of the i-th one's destination. */
static uint32_t
end_of_destination(const struct weft_host *host, uint32_t i)
{
    const uint32_t dst = host->active[i]->dst;
    while (i < host->nactive && host->active[i]->dst == dst)
    {
        i++;
    }
    return i;
}

/* Makes room for a QP behind those of its destination. If that has just had its turn, the new one
 * does not prolong it. Returns the place. */
static __attribute__((noinline)) uint32_t
join_destination(struct weft_host *host, const struct weft_qp *qp)
{
    uint32_t at = host->nactive;
    while (at > 0 && host->active[at - 1]->dst != qp->dst)
    {
        at--;
    }
    if (at == 0)
    {
        return host->nactive;
    }
    for (uint32_t i = host->nactive; i > at; i--)
    {
        seat(host, i, host->active[i - 1], host->send_at[i - 1]);
    }
    host->next += host->next >= at;
    return at;
}

/* The turn of the i-th QP's destination is over: within that it comes last now. Returns the place
 * of the next destination. */
static __attribute__((noinline)) uint32_t
end_turn(struct weft_host *host, uint32_t i)
{
    struct weft_qp *qp = host->active[i];
    const int64_t send_at = host->send_at[i];
    const uint32_t end = end_of_destination(host, i);
    for (; i + 1 < end; i++)
    {
        seat(host, i, host->active[i + 1], host->send_at[i + 1]);
    }
    seat(host, i, qp, send_at);
    return end;
}

void
weft_host_activate(struct weft_host *host, struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_host_activate");
    if (qp->slot < 0 && !qp->given_up && !qp->held)
    {
        WEFT_ASSERT(host->nactive < host->capacity, "weft_host_activate",
                    "weft_host_lend() comes before, with room for all QPs of the host");
        WEFT_CHECK(host->nactive == 0 || host->active[0]->src == qp->src, "weft_host_activate",
                   RULE_HOST);
        const uint32_t at = host->by_destination ? join_destination(host, qp) : host->nactive;
        seat(host, at, qp, qp->send_at);
        host->nactive++;
        host->unshared += !qp->algos->cc->per_host;
    }
}

/* Whether the i-th QP now has what is left of a batch, since it is its destination's. */
static bool
takes_over(const struct weft_host *host, uint32_t i, uint32_t dst)
{
    return host->by_destination && i < host->nactive && host->active[i]->dst == dst;
}

void
weft_host_drop(struct weft_host *host, struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_host_drop");
    if (qp->slot < 0)
    {
        return;
    }
    const uint32_t i = (uint32_t)qp->slot;
    WEFT_CHECK(i < host->nactive && host->active[i] == qp, "weft_host_drop", RULE_HOST);
    qp->send_at = host->send_at[i];
    qp->slot = -1;
    host->nactive--;
    host->unshared -= !qp->algos->cc->per_host;
    for (uint32_t k = i; k < host->nactive; k++)
    {
        seat(host, k, host->active[k + 1], host->send_at[k + 1]);
    }
    if (host->next > i)
    {
        host->next--;
    }
    else if (host->next == i && !takes_over(host, i, qp->dst))
    {
        host->batch_left = 0;
    }
}

/* Bytes of a full frame and the gap behind it. */
static int64_t
full_slot(const struct weft_fabric_config *frame)
{
    return frame->payload + frame->header + frame->gap;
}

/* Paces an active QP anew if its window has opened: one below a packet put the next one off by many
 * round trips. */
static void
hasten(struct weft_host *host, struct weft_qp *qp, int64_t now)
{
    const int64_t slot = full_slot(&qp->algos->frame);
    int64_t *at = &host->send_at[qp->slot];
    if (*at - now > weft_wire_time(slot, host->rate))
    {
        const int64_t sooner = weft_sum(qp->last_sent, weft_wire_time(slot, weft_qp_rate(qp, now)));
        *at = *at < sooner ? *at : sooner;
    }
}

bool
weft_host_resume(struct weft_host *host, struct weft_qp *qp, int64_t now)
{
    WEFT_CHECK_QP(qp, "weft_host_resume");
    if (qp->given_up || qp->held || !weft_qp_ready(qp))
    {
        return false;
    }
    weft_host_activate(host, qp);
    WEFT_CHECK((uint32_t)qp->slot < host->nactive && host->active[qp->slot] == qp,
               "weft_host_resume", RULE_HOST);
    if (qp->algos->cc->window)
    {
        hasten(host, qp, now);
    }
    return true;
}

static bool
has_room(struct weft_qp *qp, int64_t now)
{
    /* Packets taken for lost are in flight no more. Where none is in flight, what the receiver or
     * the timer asks for must leave all the same, or the stream would stop for good. A cut may
     * leave less in flight than one ACK answers: then one packet more leaves, which asks for it. */
    const struct weft_nic_algos *a = qp->algos;
    return qp->urgent || qp->unasked ||
           a->transport->tx_flight(qp->tx) < a->cc->window(qp->cc, now);
}

/* Takes the QP's next packet, if window and transport let it send one. */
static bool
take_packet(struct weft_host *host, struct weft_qp *qp, int64_t now)
{
    if (qp->algos->cc->window && !has_room(qp, now))
    {
        return false;
    }
    host->what = qp->algos->transport->tx_next(qp->tx, now, &host->psn);
    return host->what != WEFT_TX_NONE;
}

static int64_t
batch_of(const struct weft_qp *qp)
{
    const struct weft_nic_algos *a = qp->algos;
    return qp->path && a->path->batch ? a->path->batch(qp->path) : a->frame.batch;
}

/* Whether a rate that QPs of its host share keeps this one back. */
static bool
is_held(const struct weft_host *host, const struct weft_qp *qp, int64_t now)
{
    return host->host_send_at > now && qp->algos->cc->per_host;
}

/* Chooses the active QP that sends now. */
static bool
choose(struct weft_host *host, uint32_t paused, int64_t now)
{
    uint32_t i = host->next;
    for (uint32_t left = host->nactive; left > 0; left--)
    {
        i = i < host->nactive ? i : 0;
        struct weft_qp *qp = host->active[i];
        WEFT_CHECK(now >= qp->last_sent, "weft_host_next", WEFT_RULE_TIME);
        WEFT_CHECK(!qp->given_up, "weft_host_next",
                   "a QP that weft_qp_timer() gives up is taken out by weft_host_drop()");
        if (host->send_at[i] > now || (paused >> qp->algos->tclass & 1U) || is_held(host, qp, now))
        {
            i++;
            continue;
        }
        if (take_packet(host, qp, now))
        {
            const bool goes_on = i == host->next && host->batch_left > 0;
            host->batch_left = (goes_on ? host->batch_left : batch_of(qp)) - 1;
            host->next = host->batch_left > 0   ? i
                         : host->by_destination ? end_turn(host, i)
                                                : i + 1;
            host->chosen = qp;
            return true;
        }
        weft_host_drop(host, qp);
    }
    return false;
}

enum weft_host_source
weft_host_next(struct weft_host *host, uint32_t waiting, uint32_t paused, int64_t now)
{
    WEFT_CHECK(waiting >> WEFT_SEND_DATA == 0, "weft_host_next",
               "waiting has bits for replies and other traffic alone");
    WEFT_CHECK(
        host->what == WEFT_TX_NONE, "weft_host_next",
        "weft_host_data() and weft_host_pace() follow WEFT_SEND_DATA, before any other call");
    if ((waiting & 1U << WEFT_SEND_REPLY) && host->replies_first)
    {
        return WEFT_SEND_REPLY;
    }
    /* Where nothing else waits it is the turn of data. */
    uint32_t source = waiting ? host->turn : WEFT_SEND_DATA;
    for (uint32_t left = waiting ? WEFT_SEND_NOTHING : 1; left > 0; left--)
    {
        source = source < WEFT_SEND_NOTHING ? source : 0;
        const bool goes =
            source == WEFT_SEND_DATA
                ? (host->unshared > 0 || now >= host->host_send_at) && choose(host, paused, now)
                : (waiting >> source & 1U) != 0;
        source++;
        if (goes)
        {
            host->turn = source;
            return (enum weft_host_source)(source - 1);
        }
    }
    return WEFT_SEND_NOTHING;
}

/* Looks for the message of a packet, and remembers which of its packets are full. Returns whether
 * this one is its last, and then its payload. */
static bool
is_last(struct weft_qp *qp, uint64_t seq, int64_t *payload)
{
    const struct weft_wqe *message = &qp->wqes[qp->acked];
    while (seq >= message->end)
    {
        message++;
    }
    qp->bulk_first = message->first;
    qp->bulk_end = message->end - 1;
    if (seq < qp->bulk_end)
    {
        return false;
    }
    *payload = (int64_t)(message->bytes - (message->end - message->first - 1) * (uint64_t)*payload);
    return true;
}

/* Whether a packet must ask for its ACK, since nothing may follow it before that. Where the
 * transport lets nothing follow, its flags may have asked already. A sender without credit waits
 * for pulls instead. */
static bool
asks_for_ack(struct weft_qp *qp, const struct weft_packet *data, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    return (data->flags == 0 && !a->transport->tx_ready(qp->tx)) ||
           (a->cc->window && !a->cc->stamp &&
            a->transport->tx_flight(qp->tx) >= a->cc->window(qp->cc, now));
}

static void
remember_label(struct weft_qp *qp, const struct weft_packet *data)
{
    uint16_t *label = weft_label_place(qp, data->psn);
    if (label)
    {
        *label = data->sport;
    }
}

static __attribute__((noinline)) void
stamp(const struct weft_host *host, struct weft_qp *qp, struct weft_packet *data, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    if (a->transport->tx_stamp)
    {
        a->transport->tx_stamp(qp->tx, data);
    }
    if (a->cc->stamp)
    {
        const uint64_t sent = a->transport->tx_counters(qp->tx)->sent;
        const uint64_t told =
            qp->una + (a->transport->tx_sacked ? a->transport->tx_sacked(qp->tx) : 0U);
        const struct weft_demand demand = {
            .waiting = qp->posted - told - a->transport->tx_flight(qp->tx),
            .has_new = qp->posted > sent,
            .active = host->nactive,
        };
        a->cc->stamp(qp->cc, &demand, data, now);
    }
}

void
weft_host_data(struct weft_host *host, struct weft_packet *data, int64_t now)
{
    struct weft_qp *qp = host->chosen;
    WEFT_CHECK(host->what != WEFT_TX_NONE, "weft_host_data",
               "weft_host_next() has said WEFT_SEND_DATA");
    const struct weft_nic_algos *a = qp->algos;
    const uint32_t una = weft_psn_add(qp->first_psn, (uint32_t)qp->una);
    const uint64_t seq = qp->una + (uint64_t)weft_psn_diff(host->psn, una);
    const bool is_bulk = seq - qp->bulk_first < qp->bulk_end - qp->bulk_first;
    int64_t payload = a->frame.payload;
    const bool last = !is_bulk && is_last(qp, seq, &payload);
    qp->urgent = false;
    *data = (struct weft_packet){
        .sent = now,
        .src = qp->src & WEFT_HOST_MASK,
        .dst = qp->dst & WEFT_HOST_MASK,
        .qp = qp->index & WEFT_QP_MASK,
        .psn = host->psn & WEFT_PSN_MASK,
        .bytes = (uint16_t)(payload + a->frame.header),
        .sport = qp->sport,
        .kind = WEFT_DATA,
        .flags =
            (uint8_t)((host->what == WEFT_TX_RETX ? WEFT_F_RETX : 0) | (last ? WEFT_F_LAST : 0)),
        .tclass = a->tclass,
        .sl = a->sl & (WEFT_LEVELS - 1),
    };
    if (qp->stamps)
    {
        stamp(host, qp, data, now);
    }
    if (a->frame.ack_every > 1)
    {
        data->flags |= asks_for_ack(qp, data, now) ? WEFT_F_ACK_REQ : 0;
        qp->unasked = (data->flags & (WEFT_F_ACK_REQ | WEFT_F_LAST)) == 0 && !a->cc->stamp;
        qp->ask = qp->unasked ? qp->ask : data->psn;
    }
    if (qp->path)
    {
        a->path->data(qp->path, data, now);
    }
    if (qp->tells_losses && qp->labels) /* the flag is at hand, and without it there are none */
    {
        remember_label(qp, data);
    }
}

/* Accounts for the QP's rate so far. */
static void
account(struct weft_qp *qp, const struct weft_packet *data, int64_t rate, int64_t now)
{
    if (qp->last_rate > 0)
    {
        qp->rate_time += qp->last_rate * (double)(now - qp->last_sent);
    }
    else
    {
        qp->first_sent = now;
    }
    qp->last_rate = (double)rate;
    qp->last_sent = now;
    qp->sent_bytes += data->bytes;
}

bool
weft_host_pace(struct weft_host *host, const struct weft_packet *data, int64_t free_after,
               int64_t now)
{
    struct weft_qp *qp = host->chosen;
    WEFT_CHECK(host->what != WEFT_TX_NONE && data->qp == qp->index && data->psn == host->psn &&
                   data->sent == now,
               "weft_host_pace", "it is handed what weft_host_data() has made, at the same time");
    settle(host);
    const struct weft_cc_ops *cc = qp->algos->cc;
    const int64_t rate = cc->rate(qp->cc, now);
    int64_t *at = &host->send_at[qp->slot];
    const bool is_paced = rate != host->rate;
    const bool was_held = is_paced && *at == now;
    *at = is_paced ? weft_sum(now, weft_wire_time(data->bytes + qp->algos->frame.gap, rate))
                   : free_after;
    if (cc->per_host)
    {
        host->host_send_at = *at;
    }
    if (cc->on_sent)
    {
        cc->on_sent(qp->cc, data, now);
    }
    account(qp, data, rate, now);
    return was_held;
}

int64_t
weft_host_next_at_exactly(const struct weft_host *host, uint32_t paused)
{
    int64_t at = WEFT_NEVER;
    for (uint32_t i = 0; i < host->nactive; i++)
    {
        const struct weft_qp *qp = host->active[i];
        const bool goes = !(paused >> qp->algos->tclass & 1U);
        const int64_t own = weft_host_send_at(host, qp);
        at = goes && own < at ? own : at;
    }
    return at;
}

int64_t
weft_host_send_at(const struct weft_host *host, const struct weft_qp *qp)
{
    WEFT_CHECK_QP(qp, "weft_host_send_at");
    const int64_t at = qp->slot < 0 ? qp->send_at : host->send_at[qp->slot];
    return is_held(host, qp, at) ? host->host_send_at : at;
}
