/* SPDX-License-Identifier: MIT */
/* An author would lose balancers that are made of others: one switch part that asks another one,
 * and Themis-D behind a switch part that is not Themis-S. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "lb-rig.h"
#include "lb/candidates.h"
#include "must.h"
#include "refused.h"

/* ---- Round robin over the whole group; adaptive where the next port is gone. ---- */

struct turn
{
    uint32_t next;
};

static const struct weft_lb_ops *
adaptive(uint64_t config[8])
{
    const struct weft_lb_ops *ar = weft_lb_find("ar");
    MUST(ar != NULL && ar->algo.config_size <= 8 * sizeof config[0]);
    MUST(weft_config_default(&ar->algo, config) == 0);
    return ar;
}

static void *
part_of(void *state)
{
    return (char *)state + weft_lb_part_at(sizeof(struct turn));
}

static size_t
turn_size(const void *config, const struct weft_site *site)
{
    uint64_t theirs[8];
    (void)config;
    return weft_lb_part_at(sizeof(struct turn)) + adaptive(theirs)->state_size(theirs, site);
}

static int
turn_init(void *state, const void *config, const struct weft_site *site)
{
    uint64_t theirs[8];
    (void)config;
    ((struct turn *)state)->next = 0;
    return adaptive(theirs)->init(part_of(state), theirs, site);
}

static uint32_t
turn_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct turn *t = state;
    const uint32_t port = ports->first + t->next++ % ports->width;
    return weft_ports_have(ports, port)
               ? port
               : weft_lb_find("ar")->pick(part_of(state), ports, packet, now);
}

static const struct weft_lb_ops turn = {
    .algo = {.name = "turn"},
    .state_size = turn_size,
    .init = turn_init,
    .pick = turn_pick,
};

START_TEST(a_balancer_asks_another_where_its_port_is_gone)
{
    uint32_t queues[8] = {0};
    static const uint16_t live[] = {4, 6, 7};
    const struct weft_ports all = {queues, NULL, 4, 4, 4, 0, 0};
    const struct weft_ports left = {queues, live, 4, 3, 4, 0, 0};
    const struct weft_clos clos = lb_fat_tree("8");
    const struct weft_site site = lb_site_of(&clos, 0, 1);
    struct weft_packet p = lb_data(0, 100);
    uint32_t counts[8] = {0};
    char *state = malloc(turn.state_size(NULL, &site));
    ck_assert_int_eq(turn.init(state, NULL, &site), 0);
    for (uint32_t i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(turn.pick(state, &all, &p, 0), 4 + i % 4);
    }
    queues[4] = queues[6] = 1 << 19; /* of the live ports 7 is the only one that is not full */
    for (uint32_t i = 0; i < 8; i++)
    {
        const uint32_t port = turn.pick(state, &left, &p, 0);
        counts[port]++;
        ck_assert_uint_eq(port, i % 4 == 1 ? 7 : 4 + i % 4);
    }
    ck_assert(counts[7] == 4 && counts[4] == 2 && counts[6] == 2);
    free(state);
}
END_TEST

/* The part's reason is the whole's. */
START_TEST(what_the_part_refuses_the_whole_refuses)
{
    const struct weft_clos clos = lb_fat_tree("4");
    struct weft_refusal why = {0};
    struct weft_site site = lb_site_of(&clos, 0, 1);
    site.why = &why;
    site.port_buffer = 0;
    char *state = malloc(turn.state_size(NULL, &site));
    ck_assert_int_eq(turn.init(state, NULL, &site), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "port_buffer"));
    free(state);
}
END_TEST

/* ---- A random port for each residue of the PSN, and Themis-D at the destination. ---- */

#define PATHS   4
#define PACKETS 1000
#define LOST    500
#define STEP    INT64_C(120000) /* ps: 1,500 B at 100 Gb/s */
#define BACK    8               /* steps that a reply takes */

struct shuffle
{
    uint16_t port[PATHS];
};

static size_t
shuffle_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct shuffle);
}

static int
shuffle_init(void *state, const void *config, const struct weft_site *site)
{
    struct shuffle *s = state;
    struct weft_rng rng;
    (void)config;
    weft_rng_seed(&rng, site->seed, site->run, site->switch_index);
    for (uint16_t i = 0; i < PATHS; i++) /* Fisher and Yates */
    {
        const uint32_t j = weft_rng_below(&rng, i + 1U);
        s->port[i] = s->port[j];
        s->port[j] = i;
    }
    return 0;
}

static uint32_t
shuffle_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)now;
    return weft_port_at(ports, ((const struct shuffle *)state)->port[packet->psn % PATHS]);
}

static const struct weft_lb_ops shuffle = {
    .algo = {.name = "shuffle"},
    .state_size = shuffle_size,
    .init = shuffle_init,
    .pick = shuffle_pick,
    .oblivious = true,
};

/* QP between two ToRs; the paths take 8, 11, 14, ... steps. */
static struct
{
    const struct weft_transport_ops *nic;
    const struct weft_tor_ops *tor;
    void *tx, *rx, *qp;
    struct shuffle switch_state;
    struct weft_tor_counters counters;
    struct weft_packet at[64][PATHS + 3]; /* arrivals by step, mod 64 */
    int n[64];
} sim;

static void
carry(struct weft_packet p, int64_t step)
{
    MUST(sim.n[step % 64] < PATHS + 3);
    sim.at[step % 64][sim.n[step % 64]++] = p;
}

static void
carry_reply(uint8_t kind, uint32_t epsn, int64_t step)
{
    carry((struct weft_packet){.kind = kind, .psn = epsn & WEFT_PSN_MASK}, step + BACK);
}

static void
send_one(int64_t step)
{
    static const struct weft_ports uplinks = {NULL, NULL, 0, PATHS, PATHS, 0, 0};
    struct weft_packet p = {.kind = WEFT_DATA};
    uint32_t psn;
    sim.nic->tx_timeout(sim.tx, step * STEP);
    const int what = sim.nic->tx_next(sim.tx, step * STEP, &psn);
    if (what == WEFT_TX_NONE)
    {
        return;
    }
    p.psn = psn & WEFT_PSN_MASK;
    const uint32_t path = shuffle.pick(&sim.switch_state, &uplinks, &p, step);
    if (what == WEFT_TX_RETX || psn != LOST)
    {
        carry(p, step + 8 + 3 * path);
    }
}

static void
receive(const struct weft_packet *data, int64_t step)
{
    struct weft_rx_verdict verdict = {.place = data->psn};
    uint32_t epsn;
    if (sim.tor->to_host(sim.qp, data, false, &sim.counters, &epsn))
    {
        carry_reply(WEFT_NACK, epsn, step);
    }
    sim.nic->rx_data(sim.rx, data, step, &verdict);
    const bool nack = verdict.reply == WEFT_REPLY_NACK;
    const struct weft_packet reply = {.kind = nack ? WEFT_NACK : WEFT_ACK,
                                      .psn = verdict.epsn & WEFT_PSN_MASK};
    if (verdict.reply != WEFT_REPLY_NONE)
    {
        const enum weft_tor_verdict what = sim.tor->from_host(sim.qp, &reply, &sim.counters);
        if (what != WEFT_TOR_BLOCK)
        {
            carry_reply(what == WEFT_TOR_NACK ? WEFT_NACK : (uint8_t)reply.kind, verdict.epsn,
                        step);
        }
    }
}

/* A part that belongs to "themis" is told a configuration of "themis". */
static void
open_tor(uint32_t npaths)
{
    const struct weft_lb_ops *themis = weft_lb_find("themis");
    const struct weft_last_hop hop = {npaths, 100000000000, 16 * STEP, 1500, NULL, WEFT_NEEDS_ALL};
    uint64_t config[32];
    ck_assert_uint_le(themis->algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&themis->algo, config), 0);
    sim.tor = themis->tor;
    sim.qp = malloc(sim.tor->qp_size(config, &hop));
    ck_assert_int_eq(sim.tor->qp_init(sim.qp, config, &hop), 0);
}

static void
run(uint64_t seed, uint32_t npaths)
{
    uint64_t config[32];
    const struct weft_transport_site from_0 = {.first_psn = 0};
    const struct weft_site site = {
        .seed = seed, .run = 1, .nports = PATHS, .provides = WEFT_NEEDS_ALL};
    memset(&sim, 0, sizeof sim);
    sim.nic = weft_transport_find("nic-sr");
    ck_assert_int_eq(weft_config_default(&sim.nic->algo, config), 0);
    ck_assert_int_eq(shuffle.init(&sim.switch_state, NULL, &site), 0);
    ck_assert_int_eq(sim.nic->tx_init(sim.tx = malloc(sim.nic->tx_size(config)), config, &from_0),
                     0);
    ck_assert_int_eq(sim.nic->rx_init(sim.rx = malloc(sim.nic->rx_size(config)), config, &from_0),
                     0);
    open_tor(npaths);
    sim.nic->tx_post(sim.tx, PACKETS);
    for (int64_t step = 0; sim.nic->tx_una(sim.tx) != PACKETS; step++)
    {
        MUST(step < 100 * PACKETS);
        for (int i = 0; i < sim.n[step % 64]; i++)
        {
            const struct weft_packet p = sim.at[step % 64][i];
            p.kind == WEFT_DATA ? receive(&p, step)
                                : (void)sim.nic->tx_reply(sim.tx, &p, step * STEP);
        }
        sim.n[step % 64] = 0;
        send_one(step);
    }
}

static uint64_t
finish(void)
{
    const uint64_t resent = sim.nic->tx_counters(sim.tx)->resent;
    free(sim.tx);
    free(sim.rx);
    free(sim.qp);
    return resent;
}

/* Many overtake each other, one is lost: only that one is sent again, and no timer is needed. */
START_TEST(themis_d_serves_any_switch_part_that_goes_by_the_psn)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        run(seed, PATHS);
        ck_assert_uint_gt(sim.counters.blocked, PACKETS / 10);
        ck_assert_uint_eq(sim.nic->tx_counters(sim.tx)->timeouts, 0);
        ck_assert_uint_eq(finish(), 1);
    }
}
END_TEST

/* Themis-D that is told of half the paths takes two for one, and lets NACKs through that overtaking
 * alone has caused: the promise does not hold. */
START_TEST(a_wrong_number_of_paths_is_paid_for)
{
    run(1, PATHS / 2);
    ck_assert_uint_gt(finish(), 1);
}
END_TEST

Suite *compose_suite(void);

Suite *
compose_suite(void)
{
    Suite *suite = suite_create("compose");
    TCase *tcase = tcase_create("compose");
    tcase_add_test(tcase, a_balancer_asks_another_where_its_port_is_gone);
    tcase_add_test(tcase, what_the_part_refuses_the_whole_refuses);
    tcase_add_test(tcase, themis_d_serves_any_switch_part_that_goes_by_the_psn);
    tcase_add_test(tcase, a_wrong_number_of_paths_is_paid_for);
    suite_add_tcase(suite, tcase);
    return suite;
}
