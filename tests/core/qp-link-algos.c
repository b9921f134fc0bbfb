/* SPDX-License-Identifier: MIT */
/* Algorithms of qp-link.h's QPs: they check what a QP tells them against the books of its link. */
#include <stdio.h>

#include "must.h"
#include "qp-link-world.h"

struct qp_link_world qp_link_world;

static int
cc_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)config;
    (void)now;
    *(struct control *)state =
        (struct control){QP_LINK_RATE, qp_link_world.link->window, site->links};
    return 0;
}

static int64_t
cc_rate(void *state, int64_t now)
{
    (void)now;
    return ((struct control *)state)->rate;
}

static uint32_t
cc_window(void *state, int64_t now)
{
    (void)now;
    return ((struct control *)state)->window;
}

/* Packets that have arrived. */
static uint32_t
count_arrived(const struct connection *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->next; i++)
    {
        n += c->arrived[i];
    }
    return n;
}

/* The books of a QP agree with those of its transport whenever an ACK is told of. */
static void
cc_on_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    const struct connection *c = &qp_link_world.connection[((struct control *)state)->qp];
    (void)now;
    MUST(ack->una == qp_link_index(qp_link_world.transport.tx_una(c->qp.tx)));
    MUST(ack->una <= c->epsn && ack->una == c->qp.una + ack->acked);
    MUST(ack->next == c->next && ack->in_flight == qp_link_world.transport.tx_flight(c->qp.tx));
    MUST(ack->delivered >= ack->una && ack->delivered <= count_arrived(c));
}

static void
cc_on_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    struct connection *c = &qp_link_world.connection[((struct control *)state)->qp];
    const uint32_t i = qp_link_index(loss->psn);
    (void)now;
    MUST(i < c->next && c->sent[i] > 0);
    if (loss->cause == WEFT_LOST_TOLD) /* it may have been sent twice by now, and both are lost */
    {
        MUST(loss->labelled && loss->sport == qp_link_world.told->sport);
    }
    else
    {
        MUST(!c->lost[i]);
        MUST(loss->labelled == (c->next - i <= qp_link_world.algos.labels));
        MUST(!loss->labelled || loss->sport == c->label[i]);
    }
    c->lost[i] = true;
    qp_link_world.outcome.losses++;
}

static size_t
path_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct selector);
}

static int
path_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
          uint32_t qp_index)
{
    (void)host;
    (void)config;
    (void)site;
    *(struct selector *)qp = (struct selector){qp_index, false};
    return 0;
}

static void
path_data(void *qp, struct weft_packet *data, int64_t now)
{
    (void)now;
    data->sport = (uint16_t)qp_link_draw(65536);
    qp_link_world.connection[((struct selector *)qp)->qp].label[qp_link_index(data->psn)] =
        data->sport;
}

static void
path_reply(void *host, struct weft_packet *reply)
{
    (void)host;
    MUST(reply->meta[0] == 0 && reply->meta[1] == 0 && reply->meta[2] == 0);
}

static void
path_on_active(void *qp, bool active, int64_t now)
{
    struct selector *s = qp;
    (void)now;
    MUST(s->active != active);
    s->active = active;
}

static void
set(const char *name, uint32_t value)
{
    char text[32];
    snprintf(text, sizeof(text), strcmp(name, "rto") == 0 ? "%uns" : "%u", value);
    if (weft_param_find(&qp_link_world.transport.algo, name))
    {
        MUST(weft_config_set(&qp_link_world.transport.algo, qp_link_world.config, name, text) == 0);
    }
}

static void
begin_transport(void)
{
    const struct qp_link *link = qp_link_world.link;
    qp_link_world.transport = *weft_transport_find(link->transport);
    MUST(weft_config_default(&qp_link_world.transport.algo, qp_link_world.config) == 0);
    set("outstanding", link->outstanding);
    set("threshold", link->outstanding / 4);
    set("rto", link->rto * (uint32_t)(QP_LINK_SLOT / 1000));
}

/* Labels are remembered for it; cc_on_lost() checks them. */
static void
path_on_lost(void *qp, const struct weft_loss *loss, int64_t now)
{
    (void)qp;
    (void)loss;
    (void)now;
}

void
qp_link_begin_algos(void)
{
    const struct qp_link *link = qp_link_world.link;
    begin_transport();
    qp_link_world.cc = (struct weft_cc_ops){
        .state_size = sizeof(struct control),
        .init = cc_init,
        .rate = cc_rate,
        .on_ack = cc_on_ack,
        .on_lost = cc_on_lost,
        .window = link->window > 0 ? cc_window : NULL,
    };
    qp_link_world.path = (struct weft_path_ops){
        .qp_size = path_size,
        .qp_init = path_init,
        .data = path_data,
        .reply = path_reply,
        .on_active = path_on_active,
        .on_lost = path_on_lost,
    };
    qp_link_world.algos = (struct weft_nic_algos){
        .transport = &qp_link_world.transport,
        .transport_config = qp_link_world.config,
        .cc = &qp_link_world.cc,
        .path = &qp_link_world.path,
        .labels = 32,
        .tclass = 1,
    };
    qp_link_world.algos.frame = (struct weft_fabric_config){
        .payload = QP_LINK_PAYLOAD,
        .header = QP_LINK_HEADER,
        .gap = 20,
        .ack = 64,
        .batch = link->batch,
        .ack_every = link->ack_every,
        .retry_limit = link->retry_limit,
    };
}
