/* SPDX-License-Identifier: MIT */
/* Mistakes with a balancer's parts at hosts and ToRs, and with views. */
#include "misuse.h"

#include <stdlib.h>

static uint64_t host[256], flow[256];

static const struct weft_path_site path_site = {.seed = 1,
                                                .run = 1,
                                                .clos = &clos,
                                                .qp_bdp = 10,
                                                .dst = 100,
                                                .batch = 1,
                                                .provides = WEFT_NEEDS_ALL};

/* The path selector of a balancer at a host, and of a QP there. */
static void
make_path(const char *name)
{
    make("ecmp"); /* which fills the shape */
    lb = weft_lb_find(name);
    void *config = defaults(&lb->algo);
    if (lb->path->host_size(config, &path_site) > sizeof host ||
        lb->path->qp_size(config, &path_site) > sizeof flow ||
        lb->path->host_init(host, config, &path_site) ||
        lb->path->qp_init(flow, host, config, &path_site, 0))
    {
        exit(3);
    }
    packet.sport = 49152;
}

static void
path_of_no_host(void)
{
    make_path("reps");
    uint64_t zeros[64] = {0};
    packet.kind = WEFT_ACK;
    lb->path->reply(zeros, &packet);
}

static void
path_sent_a_reply(void)
{
    make_path("reps");
    packet.kind = WEFT_ACK;
    lb->path->data(flow, &packet, 0);
}

static void
path_with_its_own_port(void)
{
    make_path("ops");
    lb->path->data(flow, &packet, 0);
    packet.sport = 1; /* what data() wrote is handed in again */
    lb->path->data(flow, &packet, 0);
}

static void
path_told_of_data(void)
{
    make_path("plb");
    lb->path->on_reply(flow, &packet, 0);
}

static void
path_idle(void)
{
    make_path("pro");
    lb->path->data(flow, &packet, 0);
}

static void
path_active_twice(void)
{
    make_path("pro");
    lb->path->on_active(flow, true, 0);
    lb->path->on_active(flow, true, 0);
}

static void
path_backwards(void)
{
    make_path("reps");
    lb->path->on_timeout(flow, 5);
    lb->path->on_timeout(flow, 4);
}

static void
plan(uint32_t dst, uint64_t bytes)
{
    const struct weft_plan_site site = {.seed = 1, .run = 1, .host = 0, .payload = 4096};
    const struct weft_plan_message message = {.dst = dst, .bytes = bytes};
    struct weft_plan_part parts[16];
    lb = weft_lb_find("subflow");
    void *config = defaults(&lb->algo);
    if (lb->plan->host_init(host, config, &site))
    {
        exit(3);
    }
    lb->plan->plan(host, &message, 1, 0, parts);
}

static void
plan_nothing(void)
{
    plan(1, 0);
}

static void
plan_to_itself(void)
{
    plan(0, 1);
}

static struct weft_tor_counters counters;

static void
make_tor(void)
{
    const struct weft_last_hop hop = {
        .npaths = 2, .rate = 100000000000, .rtt = 2000000, .mtu = 1500, .provides = WEFT_NEED_TOR};
    lb = weft_lb_find("themis");
    void *config = defaults(&lb->algo);
    if (lb->tor->qp_size(config, &hop) > sizeof flow || lb->tor->qp_init(flow, config, &hop))
    {
        exit(3);
    }
}

static void
tor_sees_an_ack_pass(void)
{
    uint32_t epsn;
    make_tor();
    packet.kind = WEFT_ACK;
    lb->tor->to_host(flow, &packet, false, &counters, &epsn);
}

static void
tor_sees_a_cnp(void)
{
    make_tor();
    packet.kind = WEFT_CNP;
    lb->tor->from_host(flow, &packet, &counters);
}

static void
tor_sees_its_own_nack(void)
{
    make_tor();
    packet.kind = WEFT_NACK;
    packet.flags = WEFT_F_COMPENSATED;
    lb->tor->from_host(flow, &packet, &counters);
}

static void
view_of_another(void)
{
    struct weft_dctcp_view view;
    make_tor();
    weft_dctcp_read(flow, &view);
}

const struct mistake parts_mistakes[] = {
    {path_of_no_host, "lb->path->reply: host_init() of this host's state", false},
    {path_sent_a_reply, "lb->path->data: the packet is data", true},
    {path_with_its_own_port, "lb->path->data: every packet comes with its QP's own source", true},
    {path_told_of_data, "lb->path->on_reply: the packet is an ACK or a NACK", true},
    {path_idle, "lb->path->data: on_active(true) comes before", true},
    {path_active_twice, "lb->path->on_active: a QP begins idle", true},
    {path_backwards, "lb->path->on_timeout: time does not go backwards", true},
    {plan_nothing, "lb->plan->plan: a message has bytes", false},
    {plan_to_itself, "lb->plan->plan: dst is another host", true},
    {tor_sees_an_ack_pass, "lb->tor->to_host: it is called for data alone", true},
    {tor_sees_a_cnp, "lb->tor->from_host: it is called for ACKs and NACKs alone", true},
    {tor_sees_its_own_nack, "lb->tor->from_host: it is called for the NIC's own replies", true},
    {view_of_another, "weft_dctcp_read: the state is of the algorithm", false},
    {NULL, NULL, false},
};
