/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-rig.h"

struct host_rig host_rig;

__attribute__((format(printf, 1, 2))) static void
note(const char *format, ...)
{
    const size_t length = strlen(host_rig.log);
    va_list args;
    va_start(args, format);
    vsnprintf(host_rig.log + length, sizeof(host_rig.log) - length, format, args);
    va_end(args);
}

static void
note_loss(const char *who, const struct weft_loss *loss)
{
    static const char *const causes[] = {"nack", "trimmed", "gap", "timeout", "told"};
    note("%s lost %u", who, loss->psn);
    if (loss->labelled)
    {
        note(" of %u", loss->sport);
    }
    note(" by %s; ", causes[loss->cause]);
}

static int
cc_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)site;
    (void)now;
    memcpy(state, config, sizeof(struct host_rig_cc));
    return 0;
}

static int64_t
cc_rate(void *state, int64_t now)
{
    (void)now;
    return ((struct host_rig_cc *)state)->rate;
}

static uint32_t
cc_window(void *state, int64_t now)
{
    (void)now;
    return ((struct host_rig_cc *)state)->window;
}

static int64_t
cc_cnp_interval(const void *config)
{
    return ((const struct host_rig_cc *)config)->cnp_interval;
}

static void
cc_on_sent(void *state, const struct weft_packet *data, int64_t now)
{
    (void)state;
    (void)data;
    (void)now;
}

static void
cc_on_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    (void)state;
    (void)now;
    note("cc ack %u of %u, una %u, flight %u; ", ack->acked, (uint32_t)ack->next,
         (uint32_t)ack->una, ack->in_flight);
}

static void
cc_on_cnp(void *state, const struct weft_packet *cnp, int64_t now)
{
    (void)state;
    (void)now;
    note("cc cnp %u of %u; ", cnp->psn, cnp->echo);
}

static void
cc_on_nack(void *state, const struct weft_packet *nack, int64_t now)
{
    (void)state;
    (void)now;
    note("cc nack %u; ", nack->psn);
}

static void
cc_on_timeout(void *state, int64_t now)
{
    (void)state;
    (void)now;
    note("cc timeout; ");
}

static void
cc_on_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    (void)state;
    (void)now;
    note_loss("cc", loss);
}

static size_t
path_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct host_rig_path);
}

static int
path_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
          uint32_t qp_index)
{
    (void)host;
    (void)config;
    (void)site;
    (void)qp_index;
    *(struct host_rig_path *)qp = (struct host_rig_path){.batch = 1, .label = RIG_LABEL};
    return 0;
}

static void
path_data(void *qp, struct weft_packet *data, int64_t now)
{
    (void)now;
    data->sport = ((struct host_rig_path *)qp)->label++;
}

static void
path_reply(void *host, struct weft_packet *reply)
{
    (void)host;
    (void)reply;
}

static void
path_on_reply(void *qp, const struct weft_packet *reply, int64_t now)
{
    (void)qp;
    (void)now;
    note("path reply %u; ", reply->psn);
}

static void
path_on_timeout(void *qp, int64_t now)
{
    (void)qp;
    (void)now;
    note("path timeout; ");
}

static void
path_on_lost(void *qp, const struct weft_loss *loss, int64_t now)
{
    (void)qp;
    (void)now;
    note_loss("path", loss);
}

static void
path_on_active(void *qp, bool active, int64_t now)
{
    (void)qp;
    (void)now;
    note("%s; ", active ? "active" : "idle");
}

static uint32_t
path_batch(const void *qp)
{
    return ((const struct host_rig_path *)qp)->batch;
}

static void
begin_algos(void)
{
    host_rig.cc = (struct weft_cc_ops){
        .state_size = sizeof(struct host_rig_cc),
        .init = cc_init,
        .rate = cc_rate,
        .on_sent = cc_on_sent,
        .on_ack = cc_on_ack,
        .on_cnp = cc_on_cnp,
        .on_nack = cc_on_nack,
        .on_timeout = cc_on_timeout,
        .on_lost = cc_on_lost,
        .cnp_interval = cc_cnp_interval,
        .window = cc_window,
    };
    host_rig.path = (struct weft_path_ops){
        .qp_size = path_size,
        .qp_init = path_init,
        .data = path_data,
        .reply = path_reply,
        .on_reply = path_on_reply,
        .on_timeout = path_on_timeout,
        .on_lost = path_on_lost,
        .on_active = path_on_active,
        .batch = path_batch,
    };
    host_rig.cc_config = (struct host_rig_cc){RIG_RATE, 1000000, WEFT_NEVER};
    host_rig.algos = (struct weft_nic_algos){
        .transport = &host_rig.transport,
        .transport_config = host_rig.transport_config,
        .cc = &host_rig.cc,
        .cc_config = &host_rig.cc_config,
        .frame = {.payload = RIG_PAYLOAD, .header = 80, .gap = 20, .ack = 64},
        .labels = 16,
        .tclass = 1,
    };
    host_rig.algos.frame.batch = 1;
    host_rig.algos.frame.ack_every = 1;
}

void
host_rig_begin(const char *transport, const char *const *settings)
{
    const struct weft_transport_ops *ops = weft_transport_find(transport);
    ck_assert_ptr_nonnull(ops);
    memset(&host_rig, 0, sizeof(host_rig));
    host_rig.transport = *ops;
    ck_assert_uint_le(ops->algo.config_size, sizeof(host_rig.transport_config));
    ck_assert_int_eq(weft_config_default(&ops->algo, host_rig.transport_config), 0);
    for (; settings != NULL && settings[0] != NULL; settings += 2)
    {
        ck_assert_int_eq(
            weft_config_set(&ops->algo, host_rig.transport_config, settings[0], settings[1]), 0);
    }
    begin_algos();
    weft_host_init(&host_rig.host, RIG_RATE, false);
    ck_assert_int_eq(weft_host_lend(&host_rig.host, host_rig.active, host_rig.send_at, RIG_QPS), 0);
}

void
host_rig_end(void)
{
    for (uint32_t i = 0; i < host_rig.nqps; i++)
    {
        free(host_rig.memory[i]);
    }
}

uint32_t
host_rig_add(uint32_t first_psn)
{
    const uint32_t i = host_rig.nqps++;
    const struct weft_qp_site site = {
        .index = i,
        .src = 3,
        .dst = 5,
        .sport = RIG_SPORT,
        .transport = {.first_psn = first_psn},
    };
    ck_assert_uint_lt(i, RIG_QPS);
    host_rig.algos.path = host_rig.with_path ? &host_rig.path : NULL;
    host_rig.cc.window = host_rig.with_window ? cc_window : NULL;
    const size_t size = weft_qp_size(&host_rig.algos, &site);
    ck_assert_uint_eq(size % 8, 0);
    host_rig.memory[i] = malloc(size);
    ck_assert_int_eq(weft_qp_init(&host_rig.qp[i], host_rig.memory[i], &host_rig.algos, &site, 0),
                     0);
    return i;
}

void
host_rig_post(uint32_t qp, uint32_t packets, int64_t now)
{
    ck_assert_uint_lt(host_rig.qp[qp].nwqes, RIG_WQES);
    ck_assert_int_eq(weft_qp_post(&host_rig.qp[qp], host_rig.wqes[qp],
                                  (uint64_t)packets * RIG_PAYLOAD, host_rig.qp[qp].nwqes, now),
                     0);
    weft_host_activate(&host_rig.host, &host_rig.qp[qp]);
}

int
host_rig_send(uint32_t paused, int64_t now)
{
    const enum weft_host_source source = weft_host_next(&host_rig.host, 0, paused, now);
    if (source == WEFT_SEND_NOTHING)
    {
        return -1;
    }
    ck_assert_int_eq(source, WEFT_SEND_DATA);
    weft_host_data(&host_rig.host, &host_rig.sent, now);
    const int64_t free_after =
        now + weft_wire_time(host_rig.sent.bytes + host_rig.algos.frame.gap, RIG_RATE);
    host_rig.held = weft_host_pace(&host_rig.host, &host_rig.sent, free_after, now);
    return (int)host_rig.sent.qp;
}

void
host_rig_sends(const char *expected)
{
    char got[256] = "";
    for (const char *at = expected; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
    {
        const int qp = host_rig_send(0, host_rig.now);
        const size_t length = strlen(got);
        const char *gap = length > 0 ? " " : "";
        snprintf(got + length, sizeof(got) - length, "%s%c", gap, qp < 0 ? '-' : '0' + qp);
        host_rig.now += RIG_SLOT;
    }
    ck_assert_str_eq(got, expected);
}

struct weft_packet
host_rig_packet(uint32_t qp, uint32_t psn, uint32_t flags)
{
    return (struct weft_packet){
        .src = 3,
        .dst = 5,
        .tclass = 1,
        .qp = qp & WEFT_QP_MASK,
        .kind = WEFT_DATA,
        .psn = psn & WEFT_PSN_MASK,
        .flags = (uint8_t)flags,
        .bytes = RIG_PAYLOAD + 80,
        .sport = RIG_SPORT,
    };
}

void
host_rig_reply(uint32_t qp, enum weft_packet_kind kind, uint32_t psn, uint16_t ahead, int64_t now)
{
    const struct weft_packet reply = {
        .kind = (uint8_t)kind, .psn = psn & WEFT_PSN_MASK, .ahead = ahead};
    weft_qp_reply(&host_rig.qp[qp], &reply, now);
    weft_host_resume(&host_rig.host, &host_rig.qp[qp], now);
}

enum weft_qp_timeout
host_rig_times_out(uint32_t i)
{
    struct weft_qp *qp = &host_rig.qp[i];
    const int64_t at = weft_qp_deadline(qp);
    ck_assert_int_lt(at, WEFT_NEVER);
    ck_assert_int_eq(weft_qp_timer(qp, at - 1), WEFT_TIMER_NOTHING);
    const enum weft_qp_timeout outcome = weft_qp_timer(qp, at);
    host_rig.now = at > host_rig.now ? at : host_rig.now;
    if (outcome == WEFT_TIMER_TIMEOUT)
    {
        weft_host_resume(&host_rig.host, qp, at);
    }
    return outcome;
}

void
host_rig_logged(const char *expected)
{
    ck_assert_str_eq(host_rig.log, expected);
    host_rig.log[0] = '\0';
}
