/* SPDX-License-Identifier: MIT */
/* Hosts that copy or move a state, as a checkpoint or a growing array does, would read freed
 * memory. Two states of each algorithm do the same work, and one of them moves all the time. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "absurd.h"
#include "lb-rig.h"
#include "must.h"

#define STEPS 300

/* Two states of one kind, in memory of just their size. */
struct twins
{
    void *stays;
    void *moves;
    size_t size;
};

static struct weft_rng rng;

static struct twins
twins_of(size_t size)
{
    const struct twins t = {calloc(1, size + 1), calloc(1, size + 1), size};
    return t;
}

static void
move(struct twins *t)
{
    void *there = malloc(t->size + 1);
    memcpy(there, t->moves, t->size);
    memset(t->moves, 0xee, t->size);
    free(t->moves);
    t->moves = there;
}

static void
end(struct twins *t)
{
    free(t->stays);
    free(t->moves);
}

static struct weft_packet
some_packet(const struct weft_clos *clos)
{
    struct weft_packet p;
    memset(&p, 0, sizeof p);
    p.src = weft_rng_below(&rng, clos->nhosts) & WEFT_HOST_MASK;
    p.dst = ((p.src + 1 + weft_rng_below(&rng, clos->nhosts - 1)) % clos->nhosts) & WEFT_HOST_MASK;
    p.psn = weft_rng_below(&rng, 400) & WEFT_PSN_MASK;
    p.sport = (uint16_t)weft_rng_u32(&rng);
    p.kind = (uint8_t)weft_rng_below(&rng, WEFT_CNP);
    p.flags = weft_rng_below(&rng, 4) == 0 ? WEFT_F_ECE : 0;
    p.bytes = 1500;
    return p;
}

static struct weft_fib *
some_failure(const struct weft_clos *clos)
{
    const uint64_t dead[] = {clos->nhosts, clos->nlinks - 1};
    const size_t size = (size_t)weft_fib_size(clos, dead, 2, true);
    struct weft_fib *fib = malloc(size);
    ck_assert_int_eq(weft_fib_build(fib, size, clos, dead, 2, true), 0);
    return fib;
}

/* At one switch: a third of the packets under failures. */
static void
pick_by_both(const struct weft_lb_ops *lb, const void *config, const struct weft_site *site)
{
    const struct weft_clos *clos = site->clos;
    struct twins t = twins_of(lb->state_size(config, site));
    struct weft_fib *fib = some_failure(clos);
    struct weft_switch_map map;
    uint32_t queues[64];
    weft_clos_switch(clos, site->switch_index, &map);
    MUST(lb->init(t.stays, config, site) == 0 && lb->init(t.moves, config, site) == 0);
    for (int64_t now = 0; now < STEPS; now++)
    {
        struct weft_packet p = some_packet(clos), q = p;
        struct weft_ports ports = {queues, NULL, 0, 0, 0, 0, 0};
        const bool hurt = now >= STEPS / 3 && now < 2 * STEPS / 3;
        for (uint32_t i = 0; i < site->nports; i++)
        {
            queues[i] = 1500 * weft_rng_below(&rng, 4);
        }
        move(&t);
        if (now % (STEPS / 3) == 0 && lb->set_routes)
        {
            lb->set_routes(t.stays, hurt ? fib : NULL);
            lb->set_routes(t.moves, hurt ? fib : NULL);
        }
        weft_route(&map, p.dst, &ports);
        if (!hurt || weft_fib_route(fib, site->switch_index, &map, p.dst, &ports))
        {
            ports.queue_bytes = queues;
            MUST(lb->pick(t.stays, &ports, &p, now) == lb->pick(t.moves, &ports, &q, now));
            MUST(memcmp(&p, &q, sizeof p) == 0);
        }
    }
    free(fib);
    end(&t);
}

static void
move_balancer(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    const struct weft_clos clos = lb_fat_tree("4");
    void *config = absurd_config(algo, 1);
    for (uint32_t tier = 0; tier < 3; tier++)
    {
        const uint32_t index[] = {0, clos.ntors, clos.nswitches - 1};
        const struct weft_site site = lb_site_of(&clos, index[tier], 9);
        pick_by_both(lb, config, &site);
    }
    free(config);
}

START_TEST(balancers_at_switches)
{
    weft_rng_seed(&rng, 1, 1, 1);
    absurd_each("balancer", move_balancer);
}
END_TEST

/* A QP may point to its host's state, which stays; one without QPs moves as well. */
static void
move_path_selector(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    const struct weft_path_ops *path = lb->path;
    const struct weft_clos clos = lb_fat_tree("4");
    const struct weft_path_site site = {.provides = WEFT_NEEDS_ALL,
                                        .seed = 1,
                                        .run = 1,
                                        .clos = &clos,
                                        .qp_bdp = 1,
                                        .dst = clos.nhosts - 1,
                                        .batch = 1};
    if (!path)
    {
        return;
    }
    void *config = absurd_config(algo, 1);
    struct twins host = twins_of(path->host_size(config, &site));
    void *hosts[2] = {calloc(1, host.size + 1), calloc(1, host.size + 1)};
    struct twins qp = twins_of(path->qp_size(config, &site));
    MUST(path->host_init(host.stays, config, &site) == 0);
    MUST(path->host_init(host.moves, config, &site) == 0);
    MUST(path->host_init(hosts[0], config, &site) == 0);
    MUST(path->host_init(hosts[1], config, &site) == 0);
    MUST(path->qp_init(qp.stays, hosts[0], config, &site, 3) == 0);
    MUST(path->qp_init(qp.moves, hosts[1], config, &site, 3) == 0);
    for (int64_t now = 0; now < STEPS; now++)
    {
        struct weft_packet p = some_packet(&clos), q = p;
        move(&host);
        move(&qp);
        p.src = q.src = 0;
        p.dst = q.dst = (1 + weft_rng_below(&rng, clos.nhosts - 1)) & WEFT_HOST_MASK;
        path->reply(host.stays, &p);
        path->reply(host.moves, &q);
        MUST(p.sport == q.sport);
        path->data(qp.stays, &p, now);
        path->data(qp.moves, &q, now);
        MUST(p.sport == q.sport);
        if (path->on_reply)
        {
            path->on_reply(qp.stays, &p, now);
            path->on_reply(qp.moves, &p, now);
        }
    }
    end(&host);
    end(&qp);
    free(hosts[0]);
    free(hosts[1]);
    free(config);
}

START_TEST(path_selectors_at_hosts)
{
    weft_rng_seed(&rng, 2, 2, 2);
    absurd_each("balancer", move_path_selector);
}
END_TEST

static void
move_tor(const struct weft_algo *algo)
{
    const struct weft_tor_ops *tor = ((const struct weft_lb_ops *)(const void *)algo)->tor;
    const struct weft_clos clos = lb_fat_tree("4");
    const struct weft_last_hop hop = {4, 400000000000, 2500000, 4158, .provides = WEFT_NEEDS_ALL};
    if (!tor)
    {
        return;
    }
    void *config = absurd_config(algo, 1);
    struct twins t = twins_of(tor->qp_size(config, &hop));
    struct weft_tor_counters c[2];
    memset(c, 0, sizeof c);
    MUST(tor->qp_init(t.stays, config, &hop) == 0 && tor->qp_init(t.moves, config, &hop) == 0);
    for (uint32_t i = 0; i < 10 * STEPS; i++)
    {
        struct weft_packet p = some_packet(&clos);
        uint32_t epsn[2] = {0, 0};
        p.psn = (i + weft_rng_below(&rng, 40)) & WEFT_PSN_MASK;
        move(&t);
        MUST(tor->to_host(t.stays, &p, false, &c[0], &epsn[0]) ==
             tor->to_host(t.moves, &p, false, &c[1], &epsn[1]));
        MUST(epsn[0] == epsn[1]);
        p.psn = i & WEFT_PSN_MASK;
        p.kind = WEFT_NACK;
        MUST(i % 5 != 0 ||
             tor->from_host(t.stays, &p, &c[0]) == tor->from_host(t.moves, &p, &c[1]));
    }
    MUST(memcmp(&c[0], &c[1], sizeof c[0]) == 0 && c[0].seen > 0);
    end(&t);
    free(config);
}

START_TEST(middleware_at_tors)
{
    weft_rng_seed(&rng, 3, 3, 3);
    absurd_each("balancer", move_tor);
}
END_TEST

static void
move_transport(const struct weft_algo *algo)
{
    const struct weft_transport_ops *nic = (const struct weft_transport_ops *)(const void *)algo;
    void *config = absurd_config(algo, 1);
    struct twins tx = twins_of(nic->tx_size(config)), rx = twins_of(nic->rx_size(config));
    MUST(nic->tx_init(tx.stays, config, &(struct weft_transport_site){.first_psn = 5}) == 0 &&
         nic->tx_init(tx.moves, config, &(struct weft_transport_site){.first_psn = 5}) == 0);
    MUST(nic->rx_init(rx.stays, config, &(struct weft_transport_site){.first_psn = 5}) == 0 &&
         nic->rx_init(rx.moves, config, &(struct weft_transport_site){.first_psn = 5}) == 0);
    nic->tx_post(tx.stays, STEPS);
    nic->tx_post(tx.moves, STEPS);
    for (int64_t now = 0; now < 4 * STEPS; now++)
    {
        struct weft_packet p = {
            .sent = now, .dst = 1, .bytes = 1500, .kind = WEFT_DATA, .tclass = 1};
        uint32_t psn, moved;
        struct weft_rx_verdict v, w;
        move(&tx);
        move(&rx);
        nic->tx_timeout(tx.stays, now * 10000000);
        nic->tx_timeout(tx.moves, now * 10000000);
        const int what = nic->tx_next(tx.stays, now * 10000000, &psn);
        MUST(what == nic->tx_next(tx.moves, now * 10000000, &moved));
        MUST(what == WEFT_TX_NONE || psn == moved);
        /* The first packet arrives: a timer that never fires asks for no other one. */
        if (what == WEFT_TX_NONE || (now > 0 && weft_rng_below(&rng, 5) == 0))
        {
            continue;
        }
        p.psn = psn & WEFT_PSN_MASK;
        v.place = w.place = p.psn;
        nic->rx_data(rx.stays, &p, now, &v);
        nic->rx_data(rx.moves, &p, now, &w);
        MUST(v.epsn == w.epsn && v.reply == w.reply && v.fresh == w.fresh);
        p.kind = v.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
        p.ahead = weft_ahead(v.place, v.epsn);
        p.psn = v.epsn & WEFT_PSN_MASK;
        MUST(nic->tx_reply(tx.stays, &p, now * 10000000) ==
             nic->tx_reply(tx.moves, &p, now * 10000000));
    }
    MUST(nic->tx_una(tx.stays) == nic->tx_una(tx.moves) && nic->tx_una(tx.stays) != 5);
    end(&tx);
    end(&rx);
    free(config);
}

START_TEST(transports)
{
    weft_rng_seed(&rng, 4, 4, 4);
    absurd_each("transport", move_transport);
}
END_TEST

static void
move_cc(const struct weft_algo *algo)
{
    const struct weft_cc_ops *cc = (const struct weft_cc_ops *)(const void *)algo;
    const struct weft_cc_site site = {400000000000, 1, 6000000, 4, 1500, 20};
    void *config = absurd_config(algo, 1);
    struct twins t = twins_of(cc->state_size);
    MUST(cc->init(t.stays, config, &site, 0) == 0 && cc->init(t.moves, config, &site, 0) == 0);
    for (int64_t now = 1000000; now < STEPS * INT64_C(1000000); now += 1000000)
    {
        const int64_t delay = 5000000 + weft_rng_below(&rng, 20000000);
        const uint64_t una = (uint64_t)now / 1000000;
        const struct weft_packet ack = {.sent = now - delay,
                                        .dst = 1,
                                        .bytes = 64,
                                        .kind = WEFT_ACK,
                                        .flags = now % 3000000 == 0 ? WEFT_F_ECE : 0};
        move(&t);
        if (cc->on_ack)
        {
            const struct weft_cc_ack taken = {&ack, 1, 3, una, una + 3, una};
            cc->on_ack(t.stays, &taken, now);
            cc->on_ack(t.moves, &taken, now);
        }
        if (cc->on_cnp && now % 7000000 == 0)
        {
            cc->on_cnp(t.stays, &ack, now);
            cc->on_cnp(t.moves, &ack, now);
        }
        MUST(cc->rate(t.stays, now) == cc->rate(t.moves, now));
    }
    end(&t);
    free(config);
}

START_TEST(congestion_controls)
{
    weft_rng_seed(&rng, 5, 5, 5);
    absurd_each("congestion-control", move_cc);
}
END_TEST

/* Without and with queues that are counted by class. */
START_TEST(buffers)
{
    struct weft_mmu_config config;
    weft_rng_seed(&rng, 6, 6, 6);
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
    config.buffer = 40000;
    config.headroom = _i ? 1000 : 4000;
    config.classes = 2 << _i;
    struct twins t = twins_of((size_t)weft_mmu_size(&config, 8));
    MUST(weft_mmu_init((struct weft_mmu *)t.stays, &config, 8) == 0);
    MUST(weft_mmu_init((struct weft_mmu *)t.moves, &config, 8) == 0);
    for (uint32_t i = 0; i < STEPS; i++)
    {
        const uint32_t in = weft_rng_below(&rng, 8), out = weft_rng_below(&rng, 8);
        move(&t);
        struct weft_mmu *a = (struct weft_mmu *)t.stays, *b = (struct weft_mmu *)t.moves;
        const unsigned verdict = weft_mmu_admit(a, in, out, 1, 900);
        MUST(verdict == weft_mmu_admit(b, in, out, 1, 900));
        MUST(memcmp(weft_mmu_queues(a), weft_mmu_queues(b), 8 * sizeof(uint32_t)) == 0);
        if ((verdict & WEFT_MMU_ADMIT) && i % 3 != 0)
        {
            MUST(weft_mmu_release(a, in, out, 1, 900) == weft_mmu_release(b, in, out, 1, 900));
        }
    }
    MUST(((struct weft_mmu *)t.moves)->pauses > 0);
    end(&t);
}
END_TEST

Suite *moving_suite(void);

Suite *
moving_suite(void)
{
    Suite *suite = suite_create("moving");
    TCase *tcase = tcase_create("moving");
    tcase_add_test(tcase, balancers_at_switches);
    tcase_add_test(tcase, path_selectors_at_hosts);
    tcase_add_test(tcase, middleware_at_tors);
    tcase_add_test(tcase, transports);
    tcase_add_test(tcase, congestion_controls);
    tcase_add_loop_test(tcase, buffers, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
