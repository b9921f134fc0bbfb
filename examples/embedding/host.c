/* SPDX-License-Identifier: MIT */
/*
 * The core in a simulator of one's own, without ns-3. Two QPs run from one ToR to another over two
 * paths, one of them longer, so that sprayed packets overtake each other; one packet is lost.
 * Time goes in steps of a packet's time on the wire. usage: host [BALANCER]
 */
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

#define PACKETS 2000         /* of each QP */
#define FRAME   1500         /* bytes */
#define STEP    120000       /* ps: a frame at 100 Gb/s */
#define RATE    100000000000 /* bit/s */
#define LOST    1000         /* PSN of QP 0 that is lost once */

static const struct weft_transport_ops *nic;
static const struct weft_cc_ops *cc;
static const struct weft_lb_ops *lb;
static struct weft_clos clos; /* two leaves of two hosts, two spines */
static void *leaf;            /* the source's ToR: where the balancer chooses */
static struct weft_tor_counters tor;
static struct weft_refusal why; /* of what refuses, if anything does */

static struct
{
    void *tx, *rx, *rate, *tor;
    int64_t next; /* when its rate allows the next packet, ps */
} qps[2];

static struct
{
    struct weft_packet packets[16];
    int n;
} arrivals[16]; /* by step, modulo 16 */

static void
carry(struct weft_packet packet, int kind, uint32_t psn, int64_t step)
{
    packet.kind = (uint8_t)kind;
    packet.psn = psn;
    arrivals[step % 16].packets[arrivals[step % 16].n++] = packet;
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

/* Returns 0 or a negative WEFT_E... */
static int
set_up(void)
{
    struct weft_site site;
    const struct weft_cc_site sender = {.line_rate = RATE,
                                        .share = 1,
                                        .base_rtt = 8 * STEP,
                                        .links = 2,
                                        .frame = FRAME,
                                        .why = &why};
    const struct weft_last_hop hop = {
        .npaths = 2, .rate = RATE, .rtt = 16 * STEP, .mtu = FRAME, .why = &why};
    void *lb_config = defaults(&lb->algo), *nic_config = defaults(&nic->algo);
    void *cc_config = defaults(&cc->algo);
    int error = describe_leaf(&site);
    site.why = &why;
    if (!error)
    {
        leaf = malloc(lb->state_size(lb_config, &site));
        error = lb->init(leaf, lb_config, &site);
    }
    for (int i = 0; i < 2 && !error; i++)
    {
        error = nic->tx_init(qps[i].tx = malloc(nic->tx_size(nic_config)), nic_config,
                             &(struct weft_transport_site){.first_psn = 0});
        error |= nic->rx_init(qps[i].rx = malloc(nic->rx_size(nic_config)), nic_config,
                              &(struct weft_transport_site){.first_psn = 0});
        error |= cc->init(qps[i].rate = malloc(cc->state_size), cc_config, &sender, 0);
        if (!error)
        {
            nic->tx_post(qps[i].tx, PACKETS);
        }
        if (!error && lb->tor)
        {
            qps[i].tor = malloc(lb->tor->qp_size(lb_config, &hop));
            error = lb->tor->qp_init(qps[i].tor, lb_config, &hop);
        }
    }
    return error;
}

/* The sender's NIC, then its ToR. */
static void
send(uint32_t i, int64_t step)
{
    const struct weft_ports uplinks = {(const uint32_t[4]){0}, NULL, 2, 2, 2, 0, 0};
    const int64_t now = step * STEP;
    struct weft_packet p = {.sent = now,
                            .src = i & WEFT_HOST_MASK,
                            .dst = (2 + i) & WEFT_HOST_MASK,
                            .qp = i & WEFT_QP_MASK,
                            .bytes = FRAME,
                            .sport = 49152,
                            .kind = WEFT_DATA,
                            .tclass = 1};
    uint32_t psn;
    nic->tx_timeout(qps[i].tx, now);
    const int what = qps[i].next > now ? WEFT_TX_NONE : nic->tx_next(qps[i].tx, now, &psn);
    if (what == WEFT_TX_NONE)
    {
        return;
    }
    p.psn = psn & WEFT_PSN_MASK;
    const bool longer = lb->pick(leaf, &uplinks, &p, now) == uplinks.first;
    if (what == WEFT_TX_RETX || i != 0 || p.psn != LOST)
    {
        carry(p, WEFT_DATA, p.psn, step + (longer ? 14 : 8));
    }
    qps[i].next = now + (int64_t)(FRAME * 8e12 / (double)cc->rate(qps[i].rate, now));
}

/* The destination's ToR, which may have a NACK to send or to block, and the NIC behind it. */
static void
receive(const struct weft_packet *data, int64_t step)
{
    struct weft_rx_verdict verdict;
    uint32_t epsn;
    if (lb->tor && lb->tor->to_host(qps[data->qp].tor, data, false, &tor, &epsn))
    {
        carry(*data, WEFT_NACK, epsn, step + 8);
    }
    verdict.place = data->psn;
    nic->rx_data(qps[data->qp].rx, data, step * STEP, &verdict);
    struct weft_packet reply = *data;
    reply.kind = verdict.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
    reply.psn = verdict.epsn;
    reply.ahead = weft_ahead(verdict.place, verdict.epsn);
    if (verdict.reply == WEFT_REPLY_NONE)
    {
        return;
    }
    switch (lb->tor ? lb->tor->from_host(qps[data->qp].tor, &reply, &tor) : WEFT_TOR_FORWARD)
    {
    case WEFT_TOR_BLOCK:
        return;
    case WEFT_TOR_NACK:
        reply.kind = WEFT_NACK;
        break;
    case WEFT_TOR_FORWARD:
        break;
    }
    carry(reply, reply.kind, reply.psn, step + 8);
}

static void
acknowledge(const struct weft_packet *reply, int64_t now)
{
    nic->tx_reply(qps[reply->qp].tx, reply, now);
    if (reply->kind == WEFT_NACK)
    {
        cc->on_nack(qps[reply->qp].rate, reply, now);
    }
}

int
main(int argc, char **argv)
{
    nic = weft_transport_find("nic-sr");
    cc = weft_cc_find("dcqcn");
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
        const struct weft_tx_counters *c = nic->tx_counters(qps[i].tx);
        printf("qp %d: %u of %d packets acknowledged, %u resent, %u NACKs, %u timeouts\n", i,
               (unsigned)nic->tx_una(qps[i].tx), PACKETS, (unsigned)c->resent, (unsigned)c->nacks,
               (unsigned)c->timeouts);
    }
    printf("ToR: %u NACKs seen, %u blocked\n", (unsigned)tor.seen, (unsigned)tor.blocked);
    return EXIT_SUCCESS;
}
