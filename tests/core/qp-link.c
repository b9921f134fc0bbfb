/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "must.h"
#include "qp-link-world.h"

#define WAY    5 /* steps */
#define FRAMES 8192

struct frame
{
    struct weft_packet packet;
    int64_t due;
    bool lost; /* it is the news of its loss */
};

static struct frame frames[FRAMES]; /* under way */
static struct weft_packet replies[QP_LINK_HOSTS][FRAMES];

static bool
strikes(uint32_t of_256)
{
    return !qp_link_world.calm && of_256 > 0 && qp_link_draw(256) < of_256;
}

static void
begin_qp(uint32_t i)
{
    struct connection *c = &qp_link_world.connection[i];
    const struct weft_qp_site site = {
        .index = i,
        .src = i % QP_LINK_HOSTS,
        .dst = (i + 1 + i / QP_LINK_HOSTS) % QP_LINK_HOSTS,
        .transport = {.first_psn = qp_link_world.link->first_psn},
        .cc = {.links = i},
    };
    c->memory = malloc(weft_qp_size(&qp_link_world.algos, &site));
    MUST(weft_qp_init(&c->qp, c->memory, &qp_link_world.algos, &site, 0) == 0);
}

/* A message more, in an array that is never where it was. */
static void
post(uint32_t i, uint32_t bytes)
{
    struct connection *c = &qp_link_world.connection[i];
    const uint32_t packets = (bytes + QP_LINK_PAYLOAD - 1) / QP_LINK_PAYLOAD;
    if (c->messages == QP_LINK_MESSAGES || c->posted + packets > QP_LINK_PACKETS)
    {
        return;
    }
    struct weft_wqe *wqes = malloc((c->messages + 1) * sizeof(*wqes));
    if (c->messages > 0)
    {
        memcpy(wqes, c->wqes, c->messages * sizeof(*wqes));
    }
    const int error = weft_qp_post(&c->qp, wqes, bytes, c->messages, qp_link_world.now);
    MUST((error == 0) == !c->qp.given_up);
    free(error ? wqes : c->wqes);
    if (!error)
    {
        c->wqes = wqes;
        c->posted += packets;
        c->bytes[c->messages] = bytes;
        c->end[c->messages++] = c->posted;
        weft_host_activate(&qp_link_world.host[c->qp.src], &c->qp);
    }
}

static void
add_frame(const struct weft_packet *packet, int64_t due, bool lost)
{
    MUST(qp_link_world.nframes < FRAMES);
    frames[qp_link_world.nframes++] = (struct frame){*packet, due, lost};
}

static void
launch(const struct weft_packet *packet)
{
    const struct qp_link *link = qp_link_world.link;
    if (strikes(link->loss))
    {
        if (qp_link_world.transport.tx_lost && packet->kind != WEFT_NACK)
        {
            add_frame(packet, qp_link_world.now + 2 * WAY * QP_LINK_SLOT, true);
        }
        return;
    }
    struct weft_packet arrives = *packet;
    if (packet->kind == WEFT_DATA && strikes(link->trim))
    {
        arrives.flags |= WEFT_F_TRIMMED;
    }
    for (uint32_t n = 1 + strikes(link->copies); n > 0; n--)
    {
        const uint32_t jitter = qp_link_world.calm ? 0 : qp_link_draw(link->jitter + 1);
        add_frame(&arrives, qp_link_world.now + (WAY + (int64_t)jitter) * QP_LINK_SLOT, false);
    }
}

/* Checks that all is so that an ACK says of packets beyond its ePSN, and that it says all of it. */
static void
check_bitmap(struct connection *c, const struct weft_packet *ack)
{
    const uint32_t epsn = qp_link_index(ack->psn), place = epsn + ack->ahead;
    MUST(ack->ahead == 0 || c->arrived[place]);
    c->reported[place] |= ack->ahead > 0;
    for (uint32_t i = 0; i < WEFT_ACK_BITMAP; i++)
    {
        const bool beyond = ack->ahead > 0 && place - 1 - i > epsn && i < place;
        const bool named = weft_ack_bitmap(ack) >> i & 1U;
        MUST(named == (qp_link_world.link->ack_every > 1 && beyond && c->arrived[place - 1 - i]));
        if (named)
        {
            c->reported[place - 1 - i] = true;
        }
    }
}

/* However many wait, they are fewer than ack-every. */
static void
check_unreported(const struct connection *c)
{
    uint32_t waiting = c->epsn - c->answered;
    if (qp_link_world.transport.rx_bitmap)
    {
        waiting = 0;
        for (uint32_t i = c->answered; i < c->next; i++)
        {
            waiting += c->arrived[i] && !c->reported[i];
        }
    }
    MUST(waiting < qp_link_world.link->ack_every);
}

static void
tell_delivered(struct connection *c)
{
    const struct weft_wqe *m = weft_qp_next_delivered(&c->qp, qp_link_world.now);
    for (; m; m = weft_qp_next_delivered(&c->qp, qp_link_world.now))
    {
        MUST(m->tag == c->delivered && c->end[c->delivered] <= c->epsn);
        c->delivered++;
        if (qp_link_draw(4) == 0)
        {
            post((uint32_t)(c - qp_link_world.connection), 1 + qp_link_draw(3 * QP_LINK_PAYLOAD));
        }
    }
    MUST(c->delivered == c->messages || c->end[c->delivered] > c->epsn);
}

/* The receiver answers a packet. */
static void
answer_with(struct connection *c, const struct weft_packet *data,
            const struct weft_qp_answer *answer)
{
    struct weft_packet *reply = &replies[c->qp.dst][qp_link_world.nreplies[c->qp.dst]++];
    MUST(qp_link_world.nreplies[c->qp.dst] < FRAMES);
    *reply = *data;
    weft_qp_answer_with(&c->qp, reply, answer);
    MUST(reply->src == c->qp.dst && reply->dst == c->qp.src);
    MUST(qp_link_index(reply->psn) == c->epsn);
    c->answered = c->epsn;
    qp_link_world.outcome.acks += reply->kind == WEFT_ACK;
    qp_link_world.outcome.nacks += reply->kind == WEFT_NACK;
}

/* Checks that what a NACK by the receiver's timer asks for has not arrived. */
static void
fire_receiver(struct connection *c)
{
    while (weft_qp_rx_deadline(&c->qp) <= qp_link_world.now)
    {
        struct weft_qp_answer answer;
        weft_qp_rx_timer(&c->qp, qp_link_world.now, &answer);
        const struct weft_rx_verdict *v = &answer.verdict;
        MUST(qp_link_index(v->epsn) == c->epsn && !v->fresh);
        if (v->reply != WEFT_REPLY_NONE)
        {
            MUST(v->reply == WEFT_REPLY_NACK && !c->arrived[qp_link_index(v->place)]);
            answer_with(c, &c->qp.newest, &answer);
        }
    }
}

static void
receive(const struct weft_packet *data)
{
    struct connection *c = &qp_link_world.connection[data->qp];
    struct weft_qp_answer answer;
    weft_qp_data(&c->qp, data, qp_link_world.now, &answer);
    const struct weft_rx_verdict *v = &answer.verdict;
    const uint32_t place = qp_link_index(v->place);
    if (v->fresh &&
        !qp_link_world.transport.rx_bitmap) /* the place of its reply is that of others too */
    {
        MUST(!c->arrived[place]);
        c->arrived[place] = true;
    }
    else if (v->fresh)
    {
        MUST(!c->arrived[qp_link_index(data->psn)]);
        c->arrived[qp_link_index(data->psn)] = true;
    }
    for (; c->epsn < qp_link_index(v->epsn); c->epsn++)
    {
        MUST(c->arrived[c->epsn]);
    }
    MUST(c->epsn == qp_link_index(v->epsn) && c->qp.arrived == c->epsn);
    MUST(!(data->flags & WEFT_F_TRIMMED) || (!v->fresh && v->reply != WEFT_REPLY_NONE));
    if (v->reply != WEFT_REPLY_NONE)
    {
        answer_with(c, data, &answer);
        if (qp_link_world.transport.rx_bitmap && v->reply == WEFT_REPLY_ACK)
        {
            check_bitmap(c, &replies[c->qp.dst][qp_link_world.nreplies[c->qp.dst] - 1]);
        }
    }
    fire_receiver(c);
    check_unreported(c);
    tell_delivered(c);
}

static void
take_reply(const struct weft_packet *reply)
{
    struct connection *c = &qp_link_world.connection[reply->qp];
    weft_qp_reply(&c->qp, reply, qp_link_world.now);
    MUST(c->qp.una <= c->epsn);
    const struct weft_wqe *m = weft_qp_next_acked(&c->qp);
    for (; m; m = weft_qp_next_acked(&c->qp))
    {
        MUST(!c->qp.given_up && m->tag == c->acked && c->acked < c->delivered);
        MUST(c->end[c->acked++] <= c->qp.una);
        if (qp_link_draw(4) == 0)
        {
            post((uint32_t)(c - qp_link_world.connection), 1 + qp_link_draw(20 * QP_LINK_PAYLOAD));
        }
    }
    MUST(c->qp.given_up || c->acked == c->messages || c->end[c->acked] > c->qp.una);
    const bool resumed =
        weft_host_resume(&qp_link_world.host[c->qp.src], &c->qp, qp_link_world.now);
    MUST(resumed == (!c->qp.given_up && weft_qp_ready(&c->qp)));
}

static void
deliver_due(void)
{
    uint32_t kept = 0, due = 0;
    static struct frame now[FRAMES];
    for (uint32_t i = 0; i < qp_link_world.nframes; i++)
    {
        if (frames[i].due <= qp_link_world.now)
        {
            now[due++] = frames[i];
        }
        else
        {
            frames[kept++] = frames[i];
        }
    }
    qp_link_world.nframes = kept;
    for (uint32_t i = 0; i < due; i++)
    {
        struct connection *c = &qp_link_world.connection[now[i].packet.qp];
        if (now[i].lost)
        {
            qp_link_world.told = &now[i].packet;
            weft_qp_told_lost(&c->qp, &now[i].packet, qp_link_world.now);
            weft_host_resume(&qp_link_world.host[c->qp.src], &c->qp, qp_link_world.now);
        }
        else if (now[i].packet.kind == WEFT_DATA)
        {
            receive(&now[i].packet);
        }
        else
        {
            take_reply(&now[i].packet);
        }
    }
}

static void
check_timer(struct connection *c)
{
    if (weft_qp_deadline(&c->qp) > qp_link_world.now)
    {
        return;
    }
    const enum weft_qp_timeout outcome = weft_qp_timer(&c->qp, qp_link_world.now);
    MUST(weft_qp_deadline(&c->qp) > qp_link_world.now);
    qp_link_world.outcome.timeouts += outcome != WEFT_TIMER_NOTHING;
    if (outcome == WEFT_TIMER_GIVE_UP)
    {
        weft_host_drop(&qp_link_world.host[c->qp.src], &c->qp);
        c->failed = c->acked;
        const struct weft_wqe *m = weft_qp_next_failed(&c->qp);
        for (; m; m = weft_qp_next_failed(&c->qp))
        {
            MUST(m->tag == c->failed);
            c->failed++;
            qp_link_world.outcome.failed++;
        }
        MUST(c->failed == c->messages);
        return;
    }
    weft_host_resume(&qp_link_world.host[c->qp.src], &c->qp, qp_link_world.now);
}

/* A packet is what its message says, and was told as lost if it is sent again. */
static void
check_data(struct connection *c, const struct weft_packet *data)
{
    const uint32_t i = qp_link_index(data->psn);
    uint32_t m = 0;
    MUST(i < c->posted);
    while (c->end[m] <= i)
    {
        m++;
    }
    const bool last = c->end[m] == i + 1;
    const uint32_t rest = c->bytes[m] % QP_LINK_PAYLOAD;
    MUST(data->bytes == QP_LINK_HEADER + (last && rest > 0 ? rest : QP_LINK_PAYLOAD));
    MUST(((data->flags & WEFT_F_LAST) != 0) == last);
    MUST(((data->flags & WEFT_F_RETX) != 0) == (c->sent[i] > 0));
    const bool gone_back = qp_link_is("nic-sr") && qp_link_world.outcome.timeouts > 0;
    const bool names_all =
        !qp_link_is("gbn") && !qp_link_is("mprdma") && !qp_link_is("erasure") && !gone_back;
    MUST(c->sent[i] == 0 || c->lost[i] || !names_all);
    MUST(c->sent[i] > 0 || i == c->next);
    c->next += c->sent[i] == 0;
    c->sent[i] = (uint8_t)(c->sent[i] < UINT8_MAX ? c->sent[i] + 1 : UINT8_MAX);
    c->lost[i] = false;
}

static void
send_data(uint32_t h)
{
    struct weft_packet data;
    struct weft_host *host = &qp_link_world.host[h];
    struct connection *c = &qp_link_world.connection[host->chosen->index];
    const struct control *control = c->qp.cc;
    MUST(!c->qp.given_up && !(qp_link_world.paused[h] >> 1 & 1U));
    const bool beyond = !c->qp.urgent && qp_link_world.link->window > 0 && !qp_link_is("erasure") &&
                        qp_link_world.transport.tx_flight(c->qp.tx) > control->window;
    const bool unasked = c->qp.unasked;
    weft_host_data(host, &data, qp_link_world.now);
    MUST(!beyond || (unasked && (data.flags & (WEFT_F_ACK_REQ | WEFT_F_LAST))));
    check_data(c, &data);
    weft_host_pace(host, &data, qp_link_world.now + QP_LINK_SLOT, qp_link_world.now);
    qp_link_world.outcome.sent += !(data.flags & WEFT_F_RETX);
    qp_link_world.outcome.resent += (data.flags & WEFT_F_RETX) != 0;
    launch(&data);
}

static void
send(uint32_t h)
{
    struct weft_host *host = &qp_link_world.host[h];
    const uint32_t waiting = qp_link_world.nreplies[h] > 0 ? 1U << WEFT_SEND_REPLY : 0;
    const int64_t at = weft_host_next_at(host, waiting, qp_link_world.paused[h]);
    switch (weft_host_next(host, waiting, qp_link_world.paused[h], qp_link_world.now))
    {
    case WEFT_SEND_REPLY:
        launch(&replies[h][0]);
        qp_link_world.nreplies[h]--;
        memmove(&replies[h][0], &replies[h][1],
                qp_link_world.nreplies[h] * sizeof(struct weft_packet));
        break;
    case WEFT_SEND_DATA:
        MUST(at <= qp_link_world.now);
        send_data(h);
        break;
    default:
        MUST(weft_host_next_at(host, waiting, qp_link_world.paused[h]) > qp_link_world.now);
    }
}

/* A pause, or another window or rate. */
static void
meddle(void)
{
    const uint32_t i = qp_link_draw(QP_LINK_QPS);
    struct connection *c = &qp_link_world.connection[i];
    struct control *control = c->qp.cc;
    switch (qp_link_draw(3))
    {
    case 0:
        qp_link_world.paused[i % QP_LINK_HOSTS] ^= 1U << 1;
        break;
    case 1:
        control->window =
            1 + qp_link_draw(qp_link_world.link->window > 0 ? 2 * qp_link_world.link->window : 1);
        weft_host_resume(&qp_link_world.host[c->qp.src], &c->qp, qp_link_world.now);
        break;
    default:
        control->rate = QP_LINK_RATE / (1 + qp_link_draw(6));
    }
}

static void
step(void)
{
    deliver_due();
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        fire_receiver(&qp_link_world.connection[i]);
        check_timer(&qp_link_world.connection[i]);
    }
    if (!qp_link_world.calm && qp_link_draw(16) == 0)
    {
        const uint32_t i = qp_link_draw(QP_LINK_QPS); /* arguments have no order of their own */
        post(i, 1 + qp_link_draw(1 + qp_link_draw(100 * QP_LINK_PAYLOAD)));
    }
    if (strikes(qp_link_world.link->unrest))
    {
        meddle();
    }
    for (uint32_t h = 0; h < QP_LINK_HOSTS; h++)
    {
        send(h);
    }
    qp_link_world.now += QP_LINK_SLOT;
}

static bool
is_done(void)
{
    bool done = true;
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        const struct connection *c = &qp_link_world.connection[i];
        done = done && (c->qp.given_up || c->acked == c->messages);
    }
    return done;
}

static void
check_end(struct connection *c)
{
    const struct weft_tx_counters *counters = qp_link_world.transport.tx_counters(c->qp.tx);
    MUST(counters->sent == c->next);
    MUST(counters->nacks <= c->qp.nacks_sent || qp_link_world.link->copies > 0);
    MUST(c->qp.given_up ||
         (c->delivered == c->messages && c->epsn == c->posted && c->qp.una == c->posted &&
          !weft_qp_ready(&c->qp) && weft_qp_deadline(&c->qp) == WEFT_NEVER));
    qp_link_world.outcome.delivered += c->delivered;
    free(c->memory);
    free(c->wqes);
}

struct qp_link_outcome
qp_link_run(const struct qp_link *link)
{
    memset(&qp_link_world, 0, sizeof(qp_link_world));
    qp_link_world.link = link;
    qp_link_begin_algos();
    for (uint32_t h = 0; h < QP_LINK_HOSTS; h++)
    {
        weft_host_init(&qp_link_world.host[h], QP_LINK_RATE, h == 0);
        MUST(weft_host_lend(&qp_link_world.host[h], qp_link_world.active[h],
                            qp_link_world.send_at[h], QP_LINK_QPS) == 0);
    }
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        begin_qp(i);
    }
    for (uint32_t n = 0; n < link->steps; n++)
    {
        step();
    }
    qp_link_world.calm = true;
    memset(qp_link_world.paused, 0, sizeof(qp_link_world.paused));
    for (uint32_t n = 0; !is_done(); n++)
    {
        MUST(n < 1000000); /* it takes for ever */
        step();
    }
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        check_end(&qp_link_world.connection[i]);
    }
    return qp_link_world.outcome;
}
