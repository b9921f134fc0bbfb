/* SPDX-License-Identifier: MIT */
/* Mistakes with transports, congestion controls, schedulers, QPs and hosts. */
#include "misuse.h"

#include <stdlib.h>

static const struct weft_transport_ops *nic;
static uint64_t end[1024];

static void
make_end(const char *name, bool sends)
{
    const struct weft_transport_site site = {
        .rate = 100000000000, .base_rtt = 8000000, .frame = 1500};
    nic = weft_transport_find(name);
    void *config = defaults(&nic->algo);
    if ((sends ? nic->tx_size : nic->rx_size)(config) > sizeof end ||
        (sends ? nic->tx_init : nic->rx_init)(end, config, &site))
    {
        exit(3);
    }
}

static void
receiver_sends(void)
{
    uint32_t psn;
    make_end("gbn", false);
    nic->tx_next(end, 0, &psn);
}

static void
place_forgotten(void)
{
    struct weft_rx_verdict verdict = {.place = 0};
    make_end("nic-sr", false);
    packet.psn = 7;
    nic->rx_data(end, &packet, 0, &verdict);
}

static void
trimmed_at_gbn(void)
{
    struct weft_rx_verdict verdict = {.place = 0};
    make_end("gbn", false);
    packet.flags = WEFT_F_TRIMMED;
    nic->rx_data(end, &packet, 0, &verdict);
}

static void
timer_with_an_old_verdict(void)
{
    struct weft_rx_verdict verdict = {.reply = WEFT_REPLY_ACK};
    make_end("pro-window", false);
    nic->rx_timeout(end, 0, &verdict);
}

static void
reply_to_nothing(void)
{
    make_end("gbn", true);
    packet.kind = WEFT_ACK;
    packet.psn = 1;
    if (nic->tx_reply(end, &packet, 0) != 0)
    {
        exit(3);
    }
}

static void
sender_backwards(void)
{
    uint32_t psn;
    make_end("sack", true);
    nic->tx_post(end, 2);
    nic->tx_next(end, 5, &psn);
    nic->tx_next(end, 4, &psn);
}

static const struct weft_cc_ops *cc;
static struct weft_cc_ack ack = {.reply = &packet};

static void
make_cc(const char *name)
{
    const struct weft_cc_site site = {100000000000, 1, 8000000, 2, 1500, 20, NULL};
    cc = weft_cc_find(name);
    if (cc->state_size > sizeof end || cc->init(end, defaults(&cc->algo), &site, 10))
    {
        exit(3);
    }
    packet.kind = WEFT_ACK;
}

static void
cc_backwards(void)
{
    make_cc("dcqcn");
    cc->rate(end, 9); /* before its init */
}

static void
cc_jumps(void)
{
    make_cc("dctcp");
    ack.acked = 1;
    ack.una = ack.delivered = ack.next = 5;
    cc->on_ack(end, &ack, 10);
}

static void
cc_unlearns(void)
{
    make_cc("dctcp");
    ack.delivered = ack.next = 5;
    cc->on_ack(end, &ack, 10);
    ack.delivered = 4;
    cc->on_ack(end, &ack, 10);
}

static void
cc_of_the_future(void)
{
    make_cc("swift");
    packet.sent = 11;
    cc->on_ack(end, &ack, 10);
}

static void
cc_stamped_in_the_future(void)
{
    const struct weft_stamp stamp = {.at = 11, .rate = 1};
    make_cc("hpcc");
    cc->on_stamps(end, &stamp, 1, 10);
}

static void
cc_stamped_by_nobody(void)
{
    make_cc("hpcc");
    cc->on_stamps(end, NULL, 0, 10);
}

static void
cc_notified_by_an_ack(void)
{
    make_cc("dcqcn");
    cc->on_cnp(end, &packet, 10);
}

static void
schedule(uint32_t ready, uint32_t last)
{
    const struct weft_scheduler_site site = {.classes = 4, .frame = 1500};
    const struct weft_scheduler_ops *drr = weft_scheduler_find("dwrr");
    const uint32_t bytes[WEFT_MAX_CLASSES] = {0, 1500, 1500, 1500};
    if (drr->init(end, defaults(&drr->algo), &site))
    {
        exit(3);
    }
    drr->pick(end, ready, last, bytes);
}

static void
schedule_control(void)
{
    schedule(3, 0);
}

static void
schedule_too_many(void)
{
    schedule(2, 6);
}

static struct weft_qp qp;
static struct weft_wqe wqes[2];
static struct weft_host sender;
static struct weft_qp *active[1];
static int64_t send_at[1];

static void
make_qp(void)
{
    static struct weft_nic_algos algos = {.tclass = 1};
    static const struct weft_qp_site site = {
        .index = 7,
        .transport = {.rate = 100000000000, .base_rtt = 8000000, .frame = 1500},
        .cc = {
            .line_rate = 100000000000, .share = 1, .base_rtt = 8000000, .links = 2, .frame = 1500}};
    algos.transport = weft_transport_find("gbn");
    algos.transport_config = defaults(&algos.transport->algo);
    algos.cc = weft_cc_find("none");
    algos.cc_config = defaults(&algos.cc->algo);
    weft_config_default(&weft_fabric_algo, &algos.frame);
    if (weft_qp_init(&qp, calloc(1, weft_qp_size(&algos, &site)), &algos, &site, 0))
    {
        exit(3);
    }
    weft_host_init(&sender, 100000000000, true);
    packet.qp = 7;
}

/* A QP whose first packet has been chosen at time 5. */
static void
choose_first(void)
{
    make_qp();
    weft_host_lend(&sender, active, send_at, 1);
    weft_qp_post(&qp, wqes, 10000, 0, 0);
    weft_host_activate(&sender, &qp);
    if (weft_host_next(&sender, 0, 0, 5) != WEFT_SEND_DATA)
    {
        exit(3);
    }
}

static void
send_first(void)
{
    choose_first();
    weft_host_data(&sender, &packet, 5);
    weft_host_pace(&sender, &packet, 6, 5);
}

static void
no_list(void)
{
    make_qp();
    weft_qp_post(&qp, wqes, 1, 0, 0);
    weft_host_activate(&sender, &qp);
}

static void
next_without_data(void)
{
    choose_first();
    weft_host_next(&sender, 0, 0, 5);
}

static void
data_unasked(void)
{
    send_first();
    weft_host_data(&sender, &packet, 5);
}

static void
pace_later(void)
{
    choose_first();
    weft_host_data(&sender, &packet, 5);
    weft_host_pace(&sender, &packet, 7, 6);
}

static void
next_backwards(void)
{
    send_first();
    send_at[0] = 0;
    weft_host_next(&sender, 0, 0, 4);
}

static void
drop_at_another(void)
{
    struct weft_host other;
    send_first();
    weft_host_init(&other, 100000000000, true);
    weft_host_drop(&other, &qp);
}

static void
other_turns_later(void)
{
    send_first();
    weft_host_serve_destinations(&sender);
}

static void
reply_backwards(void)
{
    send_first();
    packet.kind = WEFT_ACK;
    weft_qp_reply(&qp, &packet, 4);
}

static void
forgotten_messages(void)
{
    struct weft_wqe others[2] = {{0, 0, 0, 0}};
    send_first();
    weft_qp_post(&qp, others, 1, 0, 5);
}

static void
data_as_reply(void)
{
    make_qp();
    weft_qp_reply(&qp, &packet, 0);
}

static void
reply_of_another(void)
{
    make_qp();
    packet.kind = WEFT_ACK;
    packet.qp = 8;
    weft_qp_reply(&qp, &packet, 0);
}

static void
answer_nothing(void)
{
    struct weft_qp_answer answer = {.verdict = {.reply = WEFT_REPLY_NONE}};
    make_qp();
    weft_qp_answer_with(&qp, &packet, &answer);
}

static void
make_an_ack(void)
{
    make_qp();
    weft_qp_make_reply(&qp, &packet, WEFT_ACK, 0);
}

static void
tell_loss(void)
{
    make_qp();
    weft_qp_told_lost(&qp, &packet, 0);
}

const struct mistake nic_mistakes[] = {
    {receiver_sends, "nic->tx_next: init() of this state comes first", false},
    {place_forgotten, "nic->rx_data: the caller has written the data's PSN into place", true},
    {trimmed_at_gbn, "nic->rx_data: only where the transport `trims`", true},
    {timer_with_an_old_verdict, "nic->rx_timeout: the caller has written WEFT_REPLY_NONE", true},
    {reply_to_nothing, "nic->tx_reply: a reply's psn is the receiver's ePSN", true},
    {sender_backwards, "nic->tx_next: time does not go backwards", true},
    {cc_backwards, "cc->rate: time does not go backwards", true},
    {cc_jumps, "cc->on_ack: una counts from the QP's first packet", true},
    {cc_unlearns, "cc->on_ack: delivered is at least una, and never falls", true},
    {cc_of_the_future, "cc->on_ack: reply has when its data packet was sent", true},
    {cc_stamped_in_the_future, "cc->on_stamps: a stamp has the link's rate", true},
    {cc_stamped_by_nobody, "cc->on_stamps: there are 1 to WEFT_STAMPS stamps", true},
    {cc_notified_by_an_ack, "cc->on_cnp: the packet is a CNP", true},
    {schedule_control, "scheduler->pick: ready has a bit for at least one class", false},
    {schedule_too_many, "scheduler->pick: the classes of last are among those", true},
    {no_list, "weft_host_activate: weft_host_lend() comes before", false},
    {next_without_data, "weft_host_next: weft_host_data() and weft_host_pace() follow", true},
    {data_unasked, "weft_host_data: weft_host_next() has said WEFT_SEND_DATA", true},
    {pace_later, "weft_host_pace: it is handed what weft_host_data() has made", true},
    {next_backwards, "weft_host_next: time does not go backwards", true},
    {drop_at_another, "weft_host_drop: a QP is handed to the host that it sends from", false},
    {other_turns_later, "weft_host_serve_destinations: no QP is active yet", true},
    {reply_backwards, "weft_qp_reply: time does not go backwards", true},
    {forgotten_messages, "weft_qp_post: wqes holds the messages that were posted before", true},
    {data_as_reply, "weft_qp_reply: the packet is an ACK or a NACK", true},
    {reply_of_another, "weft_qp_reply: the packet is of this QP", true},
    {answer_nothing, "weft_qp_answer_with: there is a reply to be sent", true},
    {make_an_ack, "weft_qp_make_reply: it makes a CNP or a NACK", true},
    {tell_loss, "weft_qp_told_lost: only a transport with tx_lost()", false},
    {NULL, NULL, false},
};
