/* SPDX-License-Identifier: MIT */
/* Mistakes with what an init has refused or nobody has configured, and with packets that cannot be.
 */
#include "misuse.h"

#include <stdlib.h>

static struct weft_nic_algos algos = {.tclass = 1};
static struct weft_qp_site site = {
    .index = 7,
    .transport = {.rate = 100000000000, .base_rtt = 8000000, .frame = 1500},
    .cc = {.line_rate = 100000000000, .share = 1, .base_rtt = 8000000, .links = 2, .frame = 1500}};
static struct weft_qp qp;
static struct weft_wqe wqes[1];
static struct weft_host sender;
static struct weft_qp_answer answer;

static void
must(bool holds)
{
    if (!holds)
    {
        exit(3);
    }
}

static int
make_qp(const char *transport)
{
    algos.transport = weft_transport_find(transport);
    algos.transport_config = defaults(&algos.transport->algo);
    algos.cc = weft_cc_find("none");
    algos.cc_config = defaults(&algos.cc->algo);
    weft_config_default(&weft_fabric_algo, &algos.frame);
    packet.qp = 7;
    return weft_qp_init(&qp, calloc(1, weft_qp_size(&algos, &site)), &algos, &site, 0);
}

static void
be_refused(void)
{
    site.index = UINT32_MAX;
    must(make_qp("gbn") != 0);
    weft_host_init(&sender, 100000000000, true);
}

static void
refused_posts(void)
{
    be_refused();
    must(weft_qp_post(&qp, wqes, 1, 0, 0) == WEFT_EINVAL);
}

static void
refused_activates(void)
{
    be_refused();
    weft_host_activate(&sender, &qp);
}

static void
refused_resumes(void)
{
    be_refused();
    must(!weft_host_resume(&sender, &qp, 0));
}

static void
refused_receives(void)
{
    be_refused();
    weft_qp_data(&qp, &packet, 0, &answer);
    must(answer.verdict.reply == WEFT_REPLY_NONE);
}

static void
refused_hears(void)
{
    be_refused();
    packet.kind = WEFT_ACK;
    weft_qp_reply(&qp, &packet, 0);
}

static void
refused_times_out(void)
{
    be_refused();
    must(weft_qp_timer(&qp, 1000000000) == WEFT_TIMER_NOTHING);
}

static void
refused_is_ready(void)
{
    be_refused();
    must(!weft_qp_ready(&qp));
}

static void
refused_has_a_rate(void)
{
    be_refused();
    must(weft_qp_rate(&qp, 0) > 0);
}

static void
zeros_receive(void)
{
    weft_qp_data(&qp, &packet, 0, &answer);
}

static void
zeros_post(void)
{
    must(weft_qp_post(&qp, wqes, 1, 0, 0) == WEFT_EINVAL);
}

static void
no_host_made(void)
{
    static uint64_t hosts[64];
    const struct weft_lb_ops *reps = weft_lb_find("reps");
    algos.path = reps->path;
    algos.path_config = defaults(&reps->algo);
    algos.path_hosts = hosts;
    algos.path_stride = sizeof hosts;
    site.path = (struct weft_path_site){.qp_bdp = 10, .provides = WEFT_NEEDS_ALL};
    must(make_qp("gbn") == 0);
}

static void
never_posted(void)
{
    must(make_qp("sack") == 0 && weft_qp_post(&qp, wqes, 1, 0, 0) == 0);
    packet.psn = 1;
    weft_qp_data(&qp, &packet, 0, &answer);
    must(qp.arrived == 0);
}

/* Each transport drops a PSN that no sender can have come to, wherever its PSNs begin. */
static void
far_ahead(void)
{
    static uint64_t end[4096];
    const struct weft_registry *all = weft_registry_find("transport");
    for (size_t i = 0; i < all->count; i++)
    {
        const struct weft_transport_ops *nic = weft_transport_find(all->algos[i]->name);
        const struct weft_transport_site at = {.first_psn = WEFT_PSN_MASK, .frame = 1500};
        struct weft_rx_verdict verdict = {0};
        void *config = defaults(&nic->algo);
        must(nic->rx_size(config) <= sizeof end && nic->rx_init(end, config, &at) == 0);
        packet.psn = 7999999;
        verdict.place = packet.psn;
        nic->rx_data(end, &packet, 0, &verdict);
        must(verdict.epsn == WEFT_PSN_MASK && !verdict.fresh && !verdict.duplicate);
        must(verdict.reply != WEFT_REPLY_ACK);
        packet.psn = WEFT_PSN_MASK; /* what is due comes, and is taken */
        verdict = (struct weft_rx_verdict){.place = packet.psn};
        nic->rx_data(end, &packet, 0, &verdict);
        must(verdict.epsn == 0 && verdict.fresh);
    }
}

/* Each sender ignores what a reply says of a packet that it has not sent. */
static void
named_unsent(void)
{
    static uint64_t end[65536];
    const struct weft_registry *all = weft_registry_find("transport");
    for (size_t i = 0; i < all->count; i++)
    {
        const struct weft_transport_ops *nic = weft_transport_find(all->algos[i]->name);
        const struct weft_transport_site at = {
            .rate = 100000000000, .base_rtt = 8000000, .frame = 1500};
        void *config = defaults(&nic->algo);
        uint32_t psn;
        must(nic->tx_size(config) <= sizeof end && nic->tx_init(end, config, &at) == 0);
        nic->tx_post(end, 4);
        must(nic->tx_next(end, 0, &psn) == WEFT_TX_NEW &&
             nic->tx_next(end, 0, &psn) == WEFT_TX_NEW);
        packet.kind = WEFT_ACK;
        packet.psn = 0;
        packet.ahead = 2;
        must(nic->tx_reply(end, &packet, 0) == 0 && nic->tx_una(end) == 0);
        must(!nic->tx_sacked || nic->tx_sacked(end) == 0);
    }
}

static const struct weft_transport_ops *
nic_sr(void)
{
    return weft_transport_find("nic-sr");
}

static void
transport_without_config(void)
{
    nic_sr()->tx_size(NULL);
}

static void
cc_without_config(void)
{
    static uint64_t rate[64];
    weft_cc_find("dcqcn")->init(rate, NULL, &site.cc, 0);
}

static void
balancer_without_config(void)
{
    const struct weft_site at = {.nports = PORTS, .up_ports = 4};
    weft_lb_find("drill")->state_size(NULL, &at);
}

static void
path_without_config(void)
{
    weft_lb_find("reps")->path->host_size(NULL, &site.path);
}

static void
planner_without_config(void)
{
    const struct weft_plan_site at = {.payload = 4096};
    weft_lb_find("subflow")->plan->host_size(NULL, &at);
}

static void
tor_without_config(void)
{
    const struct weft_last_hop at = {.npaths = 2};
    weft_lb_find("themis")->tor->qp_size(NULL, &at);
}

static void
scheduler_without_config(void)
{
    weft_scheduler_find("dwrr")->state_size(NULL);
}

#define QP_RULE "weft_qp_init() of this QP comes first, and returns 0"

const struct mistake refused_mistakes[] = {
    {refused_posts, "weft_qp_post: " QP_RULE, true},
    {refused_activates, "weft_host_activate: " QP_RULE, true},
    {refused_resumes, "weft_host_resume: " QP_RULE, true},
    {refused_receives, "weft_qp_data: " QP_RULE, true},
    {refused_hears, "weft_qp_reply: " QP_RULE, true},
    {refused_times_out, "weft_qp_timer: " QP_RULE, true},
    {refused_is_ready, "weft_qp_ready: " QP_RULE, true},
    {refused_has_a_rate, "weft_qp_rate: " QP_RULE, true},
    {zeros_receive, "weft_qp_data: " QP_RULE, false},
    {zeros_post, "weft_qp_post: " QP_RULE, true},
    {no_host_made, "lb->path->qp_init: host_init() of this host's state", false},
    {never_posted, "weft_qp_data: the data's PSN is of a message", true},
    {far_ahead, "nic->rx_data: a PSN is less than 2^22 beyond the ePSN", true},
    {named_unsent, "nic->tx_reply: a reply's psn + ahead is a PSN that was sent", true},
    {transport_without_config, "nic->tx_size: config is not NULL", false},
    {cc_without_config, "cc->init: config is not NULL", false},
    {balancer_without_config, "lb->state_size: config is not NULL", false},
    {path_without_config, "lb->path->host_size: config is not NULL", false},
    {planner_without_config, "lb->plan->host_size: config is not NULL", false},
    {tor_without_config, "lb->tor->qp_size: config is not NULL", false},
    {scheduler_without_config, "scheduler->state_size: config is not NULL", false},
    {NULL, NULL, false},
};
