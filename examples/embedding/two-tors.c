/* SPDX-License-Identifier: MIT */
/*
 * The core in a simulator of one's own, without ns-3. Two NICs with a QP each send from one ToR to
 * another over two paths, one of them longer, so that sprayed packets overtake each other; one
 * packet is lost. Time goes in steps of a packet's time on the wire. usage: two-tors [BALANCER]
 */
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

#define PACKETS 2000         /* of each QP */
#define FRAME   1500         /* bytes */
#define HEADER  62           /* bytes of it */
#define STEP    120000       /* ps: a frame at 100 Gb/s */
#define RATE    100000000000 /* bit/s */
#define LOST    1000         /* PSN of QP 0 that is lost once */

/* Services of this program for a balancer: pick() at the source's ToR, and all of tor.h. */
#define PROVIDED ((uint32_t)WEFT_NEED_PICK | WEFT_NEED_TOR)

static const struct weft_lb_ops *lb;
static const void *lb_config;
static struct weft_clos clos; /* two leaves of two hosts, two spines */
static void *leaf;            /* the source's ToR: where the balancer chooses */
static struct weft_tor_counters tor;
static struct weft_refusal why; /* of what refuses, if anything does */

static struct weft_host hosts[2]; /* the senders' NICs */
static struct
{
    struct weft_qp qp;
    struct weft_wqe message;
    void *tor;              /* at the destination's ToR */
    struct weft_qp *active; /* the host's list of active QPs */
    int64_t send_at;        /* and when each of them may send */
} qps[2];

static struct
{
    struct weft_packet packets[16];
    int n;
} arrivals[16]; /* by step, modulo 16 */

static void
carry(const struct weft_packet *packet, int64_t step)
{
    arrivals[step % 16].packets[arrivals[step % 16].n++] = *packet;
}

static void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 1);
    weft_config_default(algo, config);
    return config;
}

/* Leaf 0 as its balancer sees it. Returns 0 or a negative WEFT_E... */
static int
describe_leaf(struct weft_site *site)
{
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    void *shape = defaults(&kind->algo);
    struct weft_mmu_config buffer;
    weft_config_set_int(&kind->algo, shape, "leaves", 2);
    weft_config_set_int(&kind->algo, shape, "spines", 2);
    weft_config_set(&kind->algo, shape, "hosts-per-leaf", "2"); /* or as a user wrote it */
    weft_config_default(&weft_mmu_algo, &buffer);
    const int error = kind->build(shape, &clos);
    if (!error)
    {
        weft_clos_site(&clos, &buffer, 0, 1, 1, site);
    }
    return error;
}

/* Describes the NIC of both QPs: frames, transport and congestion control; no path selector. */
static const struct weft_nic_algos *
describe_nic(void)
{
    static struct weft_nic_algos algos = {.tclass = 1};
    algos.transport = weft_transport_find("nic-sr");
    algos.transport_config = defaults(&algos.transport->algo);
    algos.cc = weft_cc_find("dcqcn");
    algos.cc_config = defaults(&algos.cc->algo);
    weft_config_default(&weft_fabric_algo, &algos.frame);
    algos.frame.header = HEADER;
    algos.frame.payload = FRAME - HEADER;
    algos.frame.gap = 0;
    return &algos;
}

/* Host i has a QP with a message to host 2 + i. Returns 0 or a negative WEFT_E... */
static int
set_up_host(uint32_t i, const struct weft_nic_algos *algos)
{
    const struct weft_last_hop hop = {.npaths = 2,
                                      .rate = RATE,
                                      .rtt = 16 * STEP,
                                      .mtu = FRAME,
                                      .why = &why,
                                      .provides = PROVIDED};
    const struct weft_qp_site site = {
        .index = i,
        .src = i,
        .dst = 2 + i,
        .sport = 49152,
        .transport = {.first_psn = 0, .qp = i, .rate = RATE, .base_rtt = 8 * STEP, .frame = FRAME},
        .cc = {.line_rate = RATE,
               .share = 1,
               .base_rtt = 8 * STEP,
               .links = 2,
               .frame = FRAME,
               .why = &why},
    };
    weft_host_init(&hosts[i], RATE, true);
    weft_host_lend(&hosts[i], &qps[i].active, &qps[i].send_at, 1);
    int error = weft_qp_init(&qps[i].qp, malloc(weft_qp_size(algos, &site)), algos, &site, 0);
    if (!error && lb->tor)
    {
        qps[i].tor = malloc(lb->tor->qp_size(lb_config, &hop));
        error = lb->tor->qp_init(qps[i].tor, lb_config, &hop);
    }
    if (!error)
    {
        weft_qp_post(&qps[i].qp, &qps[i].message, PACKETS * (uint64_t)(FRAME - HEADER), 0, 0);
        weft_host_activate(&hosts[i], &qps[i].qp);
    }
    return error;
}

/* Returns 0 or a negative WEFT_E... */
static int
set_up(void)
{
    struct weft_site site;
    lb_config = defaults(&lb->algo);
    int error = describe_leaf(&site);
    site.why = &why;
    site.provides = PROVIDED;
    if (!error)
    {
        leaf = malloc(lb->state_size(lb_config, &site));
        error = lb->init(leaf, lb_config, &site);
    }
    const struct weft_nic_algos *algos = describe_nic();
    for (uint32_t i = 0; i < 2 && !error; i++)
    {
        error = set_up_host(i, algos);
    }
    return error;
}

/* The sender's NIC, whose wire is free, then its ToR. */
static void
send(uint32_t i, int64_t step)
{
    const uint32_t queues[4] = {0};
    const struct weft_ports uplinks = {queues, NULL, 2, 2, 2, 0, 0};
    const int64_t now = step * STEP;
    struct weft_packet p;
    if (weft_qp_timer(&qps[i].qp, now) != WEFT_TIMER_NOTHING)
    {
        weft_host_resume(&hosts[i], &qps[i].qp, now);
    }
    if (weft_host_next(&hosts[i], 0, 0, now) != WEFT_SEND_DATA)
    {
        return;
    }
    weft_host_data(&hosts[i], &p, now);
    weft_host_pace(&hosts[i], &p, now + STEP, now);
    const bool longer = lb->pick(leaf, &uplinks, &p, now) == uplinks.first;
    if ((p.flags & WEFT_F_RETX) || i != 0 || p.psn != LOST)
    {
        carry(&p, step + (longer ? 14 : 8));
    }
}

/* The destination's ToR, which may have a NACK to send or to block, and the NIC behind it. */
static void
receive(const struct weft_packet *data, int64_t step)
{
    struct weft_qp *qp = &qps[data->qp].qp;
    struct weft_qp_answer answer;
    struct weft_packet reply = *data;
    uint32_t epsn;
    if (lb->tor && lb->tor->to_host(qps[data->qp].tor, data, false, &tor, &epsn))
    {
        struct weft_packet nack = *data;
        weft_qp_make_reply(qp, &nack, WEFT_NACK, epsn);
        carry(&nack, step + 8);
    }
    weft_qp_data(qp, data, step * STEP, &answer);
    if (answer.verdict.reply == WEFT_REPLY_NONE)
    {
        return;
    }
    weft_qp_answer_with(qp, &reply, &answer);
    switch (lb->tor ? lb->tor->from_host(qps[data->qp].tor, &reply, &tor) : WEFT_TOR_FORWARD)
    {
    case WEFT_TOR_BLOCK:
        return;
    case WEFT_TOR_NACK:
        reply.kind = WEFT_NACK;
        reply.flags |= WEFT_F_COMPENSATED;
        break;
    case WEFT_TOR_FORWARD:
        break;
    }
    carry(&reply, step + 8);
}

/* A reply at the sender's NIC. */
static void
acknowledge(const struct weft_packet *reply, int64_t now)
{
    weft_qp_reply(&qps[reply->qp].qp, reply, now);
    weft_host_resume(&hosts[reply->qp], &qps[reply->qp].qp, now);
}

int
main(int argc, char **argv)
{
    lb = weft_lb_find(argc > 1 ? argv[1] : "themis");
    const int error = lb ? set_up() : WEFT_ENOTFOUND;
    if (error)
    {
        fprintf(stderr, "%s\n", weft_refusal_text(error, &why));
        return EXIT_FAILURE;
    }
    for (int64_t step = 0; step < 100000; step++)
    {
        for (int i = 0; i < arrivals[step % 16].n; i++)
        {
            const struct weft_packet p = arrivals[step % 16].packets[i];
            p.kind == WEFT_DATA ? receive(&p, step) : acknowledge(&p, step * STEP);
        }
        arrivals[step % 16].n = 0;
        send(0, step);
        send(1, step);
    }
    for (int i = 0; i < 2; i++)
    {
        const struct weft_qp *qp = &qps[i].qp;
        const struct weft_tx_counters *c = qp->algos->transport->tx_counters(qp->tx);
        printf("qp %d: %u of %d packets acknowledged, %u resent, %u NACKs, %u timeouts\n", i,
               (unsigned)qp->una, PACKETS, (unsigned)c->resent, (unsigned)c->nacks,
               (unsigned)c->timeouts);
    }
    printf("ToR: %u NACKs seen, %u blocked\n", (unsigned)tor.seen, (unsigned)tor.blocked);
    return EXIT_SUCCESS;
}
