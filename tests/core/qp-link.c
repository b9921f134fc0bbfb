/* SPDX-License-Identifier: MIT */
#include "qp-link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

#define SLOT INT64_C(1000000)    /* ps: a full frame and its gap */
#define RATE INT64_C(8000000000) /* bit/s */
#define PAYLOAD 900
#define HEADER 80
#define WAY 5 /* steps */
#define FRAMES 8192
#define MESSAGES 512

struct control
{
    int64_t rate;
    uint32_t window;
    uint32_t qp;
};

struct selector
{
    uint32_t qp;
    bool active;
};

/* A QP, and what is known of each of its packets. */
struct connection
{
    struct weft_qp qp;
    struct weft_wqe* wqes;
    void* memory;
    uint32_t end[MESSAGES]; /* one past the last packet of each message */
    uint32_t bytes[MESSAGES];
    uint32_t messages, posted, next, epsn, delivered, acked, failed;
    uint32_t answered; /* the ePSN that the last reply carried */
    uint8_t sent[QP_LINK_PACKETS];
    bool arrived[QP_LINK_PACKETS];
    bool reported[QP_LINK_PACKETS]; /* a reply has told of it */
    bool lost[QP_LINK_PACKETS];     /* told since it was last sent */
    uint16_t label[QP_LINK_PACKETS];
};

struct frame
{
    struct weft_packet packet;
    int64_t due;
    bool lost; /* it is the news of its loss */
};

static struct
{
    const struct qp_link* link;
    struct weft_nic_algos algos;
    struct weft_transport_ops transport;
    struct weft_cc_ops cc;
    struct weft_path_ops path;
    uint64_t config[8];
    struct weft_host host[QP_LINK_HOSTS];
    struct weft_qp* active[QP_LINK_HOSTS][QP_LINK_QPS];
    int64_t send_at[QP_LINK_HOSTS][QP_LINK_QPS];
    uint32_t paused[QP_LINK_HOSTS];
    uint32_t nreplies[QP_LINK_HOSTS];
    struct connection connection[QP_LINK_QPS];
    uint32_t nframes;
    int64_t now;
    bool calm; /* no faults any more */
    struct qp_link_outcome outcome;
} world;

static struct frame frames[FRAMES]; /* under way */
static struct weft_packet replies[QP_LINK_HOSTS][FRAMES];

static uint32_t
draw(uint32_t n)
{
    return world.link->draw(world.link->context, n);
}

static bool
strikes(uint32_t of_256)
{
    return !world.calm && of_256 > 0 && draw(256) < of_256;
}

static uint32_t
index_of(uint32_t psn)
{
    return (psn - world.link->first_psn) & WEFT_PSN_MASK;
}

static bool
is(const char* transport)
{
    return strcmp(world.link->transport, transport) == 0;
}

static int
cc_init(void* state, const void* config, const struct weft_cc_site* site, int64_t now)
{
    (void)config;
    (void)now;
    *(struct control*)state = (struct control){RATE, world.link->window, site->links};
    return 0;
}

static int64_t
cc_rate(void* state, int64_t now)
{
    (void)now;
    return ((struct control*)state)->rate;
}

static uint32_t
cc_window(void* state, int64_t now)
{
    (void)now;
    return ((struct control*)state)->window;
}

/* The books of a QP agree with those of its transport whenever an ACK is told of. */
static void
cc_on_ack(void* state, const struct weft_cc_ack* ack, int64_t now)
{
    const struct connection* c = &world.connection[((struct control*)state)->qp];
    (void)now;
    MUST(ack->una == index_of(world.transport.tx_una(c->qp.tx)));
    MUST(ack->una <= c->epsn && ack->una == c->qp.una + ack->acked);
    MUST(ack->next == c->next && ack->in_flight == world.transport.tx_flight(c->qp.tx));
}

static void
cc_on_lost(void* state, const struct weft_loss* loss, int64_t now)
{
    struct connection* c = &world.connection[((struct control*)state)->qp];
    const uint32_t i = index_of(loss->psn);
    (void)now;
    MUST(i < c->next && c->sent[i] > 0);
    MUST(loss->labelled == (c->next - i <= world.algos.labels));
    if (!is("erasure")) /* which may have sent it twice by now, and lost both */
    {
        MUST(!c->lost[i]);
        MUST(!loss->labelled || loss->sport == c->label[i]);
    }
    c->lost[i] = true;
    world.outcome.losses++;
}

static size_t
path_size(const void* config)
{
    (void)config;
    return sizeof(struct selector);
}

static int
path_init(void* qp,
          void* host,
          const void* config,
          const struct weft_path_site* site,
          uint32_t qp_index)
{
    (void)host;
    (void)config;
    (void)site;
    *(struct selector*)qp = (struct selector){qp_index, false};
    return 0;
}

static void
path_data(void* qp, struct weft_packet* data, int64_t now)
{
    (void)now;
    data->sport = (uint16_t)draw(65536);
    world.connection[((struct selector*)qp)->qp].label[index_of(data->psn)] = data->sport;
}

static void
path_reply(void* host, struct weft_packet* reply)
{
    (void)host;
    MUST(reply->meta[0] == 0 && reply->meta[1] == 0 && reply->meta[2] == 0);
}

static void
path_on_active(void* qp, bool active, int64_t now)
{
    struct selector* s = qp;
    (void)now;
    MUST(s->active != active);
    s->active = active;
}

static void
set(const char* name, uint32_t value)
{
    char text[32];
    snprintf(text, sizeof(text), strcmp(name, "rto") == 0 ? "%uns" : "%u", value);
    if (weft_param_find(&world.transport.algo, name))
    {
        MUST(weft_config_set(&world.transport.algo, world.config, name, text) == 0);
    }
}

static void
begin_transport(void)
{
    const struct qp_link* link = world.link;
    world.transport = *weft_transport_find(link->transport);
    MUST(weft_config_default(&world.transport.algo, world.config) == 0);
    set("outstanding", link->outstanding);
    set("threshold", link->outstanding / 4);
    set("rto", 200000); /* 200 steps */
}

static void
begin_algos(void)
{
    const struct qp_link* link = world.link;
    world.cc = (struct weft_cc_ops){
        .state_size = sizeof(struct control),
        .init = cc_init,
        .rate = cc_rate,
        .on_ack = cc_on_ack,
        .on_lost = cc_on_lost,
        .window = link->window > 0 ? cc_window : NULL,
    };
    world.path = (struct weft_path_ops){
        .qp_size = path_size,
        .qp_init = path_init,
        .data = path_data,
        .reply = path_reply,
        .on_active = path_on_active,
    };
    world.algos = (struct weft_nic_algos){
        .transport = &world.transport,
        .transport_config = world.config,
        .cc = &world.cc,
        .path = &world.path,
        .labels = 32,
        .tclass = 1,
    };
    world.algos.frame = (struct weft_fabric_config){
        .payload = PAYLOAD,
        .header = HEADER,
        .gap = 20,
        .ack = 64,
        .batch = link->batch,
        .ack_every = link->ack_every,
        .retry_limit = link->retry_limit,
    };
}

static void
begin_qp(uint32_t i)
{
    struct connection* c = &world.connection[i];
    const struct weft_qp_site site = {
        .index = i,
        .src = i % QP_LINK_HOSTS,
        .dst = (i + 1 + i / QP_LINK_HOSTS) % QP_LINK_HOSTS,
        .transport = {.first_psn = world.link->first_psn},
        .cc = {.links = i},
    };
    c->memory = malloc(weft_qp_size(&world.algos));
    MUST(weft_qp_init(&c->qp, c->memory, &world.algos, &site, 0) == 0);
}

/* A message more, in an array that is never where it was. */
static void
post(uint32_t i, uint32_t bytes)
{
    struct connection* c = &world.connection[i];
    const uint32_t packets = (bytes + PAYLOAD - 1) / PAYLOAD;
    if (c->messages == MESSAGES || c->posted + packets > QP_LINK_PACKETS)
    {
        return;
    }
    struct weft_wqe* wqes = malloc((c->messages + 1) * sizeof(*wqes));
    if (c->messages > 0)
    {
        memcpy(wqes, c->wqes, c->messages * sizeof(*wqes));
    }
    const int error = weft_qp_post(&c->qp, wqes, bytes, c->messages, world.now);
    MUST((error == 0) == !c->qp.given_up);
    free(error ? wqes : c->wqes);
    if (!error)
    {
        c->wqes = wqes;
        c->posted += packets;
        c->bytes[c->messages] = bytes;
        c->end[c->messages++] = c->posted;
        weft_host_activate(&world.host[c->qp.src], &c->qp);
    }
}

static void
add_frame(const struct weft_packet* packet, int64_t due, bool lost)
{
    MUST(world.nframes < FRAMES);
    frames[world.nframes++] = (struct frame){*packet, due, lost};
}

static void
launch(const struct weft_packet* packet)
{
    const struct qp_link* link = world.link;
    if (strikes(link->loss))
    {
        if (world.transport.tx_lost && packet->kind != WEFT_NACK)
        {
            add_frame(packet, world.now + 2 * WAY * SLOT, true);
        }
        return;
    }
    for (uint32_t n = 1 + strikes(link->copies); n > 0; n--)
    {
        const uint32_t jitter = world.calm ? 0 : draw(link->jitter + 1);
        add_frame(packet, world.now + (WAY + (int64_t)jitter) * SLOT, false);
    }
}

/* What an ACK says of packets beyond its ePSN is so, and all of it. */
static void
check_bitmap(struct connection* c, const struct weft_packet* ack)
{
    const uint32_t epsn = index_of(ack->psn), place = epsn + ack->ahead;
    MUST(ack->ahead == 0 || c->arrived[place]);
    c->reported[place] |= ack->ahead > 0;
    for (uint32_t i = 0; i < WEFT_ACK_BITMAP; i++)
    {
        const bool beyond = ack->ahead > 0 && place - 1 - i > epsn && i < place;
        const bool named = weft_ack_bitmap(ack) >> i & 1U;
        MUST(named == (world.link->ack_every > 1 && beyond && c->arrived[place - 1 - i]));
        if (named)
        {
            c->reported[place - 1 - i] = true;
        }
    }
}

/* However many wait, they are fewer than ack-every. */
static void
check_unreported(const struct connection* c)
{
    uint32_t waiting = c->epsn - c->answered;
    if (is("sack"))
    {
        waiting = 0;
        for (uint32_t i = c->answered; i < c->next; i++)
        {
            waiting += c->arrived[i] && !c->reported[i];
        }
    }
    MUST(waiting < world.link->ack_every);
}

static void
tell_delivered(struct connection* c)
{
    const struct weft_wqe* m = weft_qp_next_delivered(&c->qp, world.now);
    for (; m; m = weft_qp_next_delivered(&c->qp, world.now))
    {
        MUST(m->tag == c->delivered && c->end[c->delivered] <= c->epsn);
        c->delivered++;
        if (draw(4) == 0)
        {
            post((uint32_t)(c - world.connection), 1 + draw(3 * PAYLOAD));
        }
    }
    MUST(c->delivered == c->messages || c->end[c->delivered] > c->epsn);
}

static void
receive(const struct weft_packet* data)
{
    struct connection* c = &world.connection[data->qp];
    struct weft_qp_answer answer;
    weft_qp_data(&c->qp, data, world.now, &answer);
    const struct weft_rx_verdict* v = &answer.verdict;
    const uint32_t place = index_of(v->place);
    if (v->fresh && !is("sack")) /* the place of its reply is that of others too */
    {
        MUST(!c->arrived[place]);
        c->arrived[place] = true;
    }
    else if (v->fresh)
    {
        MUST(!c->arrived[index_of(data->psn)]);
        c->arrived[index_of(data->psn)] = true;
    }
    for (; c->epsn < index_of(v->epsn); c->epsn++)
    {
        MUST(c->arrived[c->epsn]);
    }
    MUST(c->epsn == index_of(v->epsn) && c->qp.arrived == c->epsn);
    if (v->reply != WEFT_REPLY_NONE)
    {
        struct weft_packet* reply = &replies[c->qp.dst][world.nreplies[c->qp.dst]++];
        MUST(world.nreplies[c->qp.dst] < FRAMES);
        *reply = *data;
        weft_qp_answer_with(&c->qp, reply, &answer);
        MUST(reply->src == c->qp.dst && reply->dst == c->qp.src);
        MUST(index_of(reply->psn) == c->epsn);
        c->answered = c->epsn;
        world.outcome.acks += reply->kind == WEFT_ACK;
        world.outcome.nacks += reply->kind == WEFT_NACK;
        if (is("sack"))
        {
            check_bitmap(c, reply);
        }
    }
    check_unreported(c);
    tell_delivered(c);
}

static void
take_reply(const struct weft_packet* reply)
{
    struct connection* c = &world.connection[reply->qp];
    weft_qp_reply(&c->qp, reply, world.now);
    MUST(c->qp.una <= c->epsn);
    const struct weft_wqe* m = weft_qp_next_acked(&c->qp);
    for (; m; m = weft_qp_next_acked(&c->qp))
    {
        MUST(!c->qp.given_up && m->tag == c->acked && c->acked < c->delivered);
        MUST(c->end[c->acked++] <= c->qp.una);
        if (draw(4) == 0)
        {
            post((uint32_t)(c - world.connection), 1 + draw(20 * PAYLOAD));
        }
    }
    MUST(c->qp.given_up || c->acked == c->messages || c->end[c->acked] > c->qp.una);
    const bool resumed = weft_host_resume(&world.host[c->qp.src], &c->qp, world.now);
    MUST(resumed == (!c->qp.given_up && weft_qp_ready(&c->qp)));
}

static void
deliver_due(void)
{
    uint32_t kept = 0, due = 0;
    static struct frame now[FRAMES];
    for (uint32_t i = 0; i < world.nframes; i++)
    {
        if (frames[i].due <= world.now)
        {
            now[due++] = frames[i];
        }
        else
        {
            frames[kept++] = frames[i];
        }
    }
    world.nframes = kept;
    for (uint32_t i = 0; i < due; i++)
    {
        struct connection* c = &world.connection[now[i].packet.qp];
        if (now[i].lost)
        {
            weft_qp_told_lost(&c->qp, &now[i].packet, world.now);
            weft_host_resume(&world.host[c->qp.src], &c->qp, world.now);
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
check_timer(struct connection* c)
{
    if (weft_qp_deadline(&c->qp) > world.now)
    {
        return;
    }
    const enum weft_qp_timeout outcome = weft_qp_timer(&c->qp, world.now);
    MUST(weft_qp_deadline(&c->qp) > world.now);
    world.outcome.timeouts += outcome != WEFT_TIMER_NOTHING;
    if (outcome == WEFT_TIMER_GIVE_UP)
    {
        weft_host_drop(&world.host[c->qp.src], &c->qp);
        c->failed = c->acked;
        const struct weft_wqe* m = weft_qp_next_failed(&c->qp);
        for (; m; m = weft_qp_next_failed(&c->qp))
        {
            MUST(m->tag == c->failed);
            c->failed++;
            world.outcome.failed++;
        }
        MUST(c->failed == c->messages);
        return;
    }
    weft_host_resume(&world.host[c->qp.src], &c->qp, world.now);
}

/* A packet is what its message says, and was told as lost if it is sent again. */
static void
check_data(struct connection* c, const struct weft_packet* data)
{
    const uint32_t i = index_of(data->psn);
    uint32_t m = 0;
    MUST(i < c->posted);
    while (c->end[m] <= i)
    {
        m++;
    }
    const bool last = c->end[m] == i + 1;
    const uint32_t rest = c->bytes[m] % PAYLOAD;
    MUST(data->bytes == HEADER + (last && rest > 0 ? rest : PAYLOAD));
    MUST(((data->flags & WEFT_F_LAST) != 0) == last);
    MUST(((data->flags & WEFT_F_RETX) != 0) == (c->sent[i] > 0));
    const bool names_all = is("nic-sr") || is("ideal") || is("sack");
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
    struct weft_host* host = &world.host[h];
    struct connection* c = &world.connection[host->chosen->index];
    const struct control* control = c->qp.cc;
    MUST(!c->qp.given_up && !(world.paused[h] >> 1 & 1U));
    MUST(c->qp.urgent || world.link->window == 0 || is("erasure") ||
         world.transport.tx_flight(c->qp.tx) <= control->window);
    weft_host_data(host, &data, world.now);
    check_data(c, &data);
    weft_host_pace(host, &data, world.now + SLOT, world.now);
    world.outcome.sent += !(data.flags & WEFT_F_RETX);
    world.outcome.resent += (data.flags & WEFT_F_RETX) != 0;
    launch(&data);
}

static void
send(uint32_t h)
{
    struct weft_host* host = &world.host[h];
    const uint32_t waiting = world.nreplies[h] > 0 ? 1U << WEFT_SEND_REPLY : 0;
    const int64_t at = weft_host_next_at(host, waiting, world.paused[h]);
    switch (weft_host_next(host, waiting, world.paused[h], world.now))
    {
    case WEFT_SEND_REPLY:
        launch(&replies[h][0]);
        world.nreplies[h]--;
        memmove(&replies[h][0], &replies[h][1], world.nreplies[h] * sizeof(struct weft_packet));
        break;
    case WEFT_SEND_DATA:
        MUST(at <= world.now);
        send_data(h);
        break;
    default:
        MUST(weft_host_next_at(host, waiting, world.paused[h]) > world.now);
    }
}

/* A pause, or another window or rate. */
static void
meddle(void)
{
    const uint32_t i = draw(QP_LINK_QPS);
    struct connection* c = &world.connection[i];
    struct control* control = c->qp.cc;
    switch (draw(3))
    {
    case 0:
        world.paused[i % QP_LINK_HOSTS] ^= 1U << 1;
        break;
    case 1:
        control->window = 1 + draw(world.link->window > 0 ? 2 * world.link->window : 1);
        weft_host_resume(&world.host[c->qp.src], &c->qp, world.now);
        break;
    default:
        control->rate = RATE / (1 + draw(6));
    }
}

static void
step(void)
{
    deliver_due();
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        check_timer(&world.connection[i]);
    }
    if (!world.calm && draw(16) == 0)
    {
        post(draw(QP_LINK_QPS), 1 + draw(1 + draw(100 * PAYLOAD)));
    }
    if (strikes(world.link->unrest))
    {
        meddle();
    }
    for (uint32_t h = 0; h < QP_LINK_HOSTS; h++)
    {
        send(h);
    }
    world.now += SLOT;
}

static bool
is_done(void)
{
    bool done = true;
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        const struct connection* c = &world.connection[i];
        done = done && (c->qp.given_up || c->acked == c->messages);
    }
    return done;
}

static void
check_end(struct connection* c)
{
    const struct weft_tx_counters* counters = world.transport.tx_counters(c->qp.tx);
    MUST(counters->sent == c->next);
    MUST(counters->nacks <= c->qp.nacks_sent || world.link->copies > 0);
    MUST(c->qp.given_up ||
         (c->delivered == c->messages && c->epsn == c->posted && c->qp.una == c->posted &&
          !weft_qp_ready(&c->qp) && weft_qp_deadline(&c->qp) == WEFT_NEVER));
    world.outcome.delivered += c->delivered;
    free(c->memory);
    free(c->wqes);
}

struct qp_link_outcome
qp_link_run(const struct qp_link* link)
{
    memset(&world, 0, sizeof(world));
    world.link = link;
    begin_transport();
    begin_algos();
    for (uint32_t h = 0; h < QP_LINK_HOSTS; h++)
    {
        weft_host_init(&world.host[h], RATE, h == 0);
        MUST(weft_host_lend(&world.host[h], world.active[h], world.send_at[h], QP_LINK_QPS) == 0);
    }
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        begin_qp(i);
    }
    for (uint32_t n = 0; n < link->steps; n++)
    {
        step();
    }
    world.calm = true;
    memset(world.paused, 0, sizeof(world.paused));
    for (uint32_t n = 0; !is_done(); n++)
    {
        MUST(n < 1000000); /* it takes for ever */
        step();
    }
    for (uint32_t i = 0; i < QP_LINK_QPS; i++)
    {
        check_end(&world.connection[i]);
    }
    return world.outcome;
}
