/* SPDX-License-Identifier: MIT */
/*
 * A user would lose what PRO proves of its queues (pro §IV): bounded at full load, and alike at all
 * ports. The paper's slot model, driven by the NICs' own choices: in every slot each NIC sends one
 * packet, QP by QP; packets arrive, each port sends one, queues are read.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/rng.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"

#define TORS  8U
#define HOSTS 8U /* per ToR: B_in */
#define PATHS 8U /* B_e */
#define QPS   14U

static struct
{
    const struct weft_path_ops *path;
    struct weft_clos clos;
    uint64_t config[8];
    void *host[TORS * HOSTS];
    uint64_t qp[TORS * HOSTS][QPS][16];
    uint32_t dst[TORS * HOSTS][QPS];
    uint32_t tor_queue[TORS][PATHS];     /* ToR's up ports */
    uint32_t agg_queue[PATHS][TORS];     /* aggregations' ports to ToRs */
    uint32_t waiting[TORS][PATHS][2048]; /* destinations' ToRs, in the order of the queue */
    uint32_t head[TORS][PATHS];
    uint32_t tor_peak, agg_peak;
    uint32_t slot; /* the next one */
} w;

static void
open_fabric(const char *start, uint64_t seed)
{
    const char *const shape[] = {"leaves", "8", "spines", "8", "hosts-per-leaf", "8", NULL};
    const struct weft_algo *algo = &weft_lb_find("pro")->algo;
    struct weft_path_site site = {
        .seed = seed, .run = 1, .clos = &w.clos, .batch = 1, .provides = WEFT_NEEDS_ALL};
    memset(&w, 0, sizeof(w));
    lb_build(&w.clos, "leaf-spine", shape);
    w.path = weft_lb_find("pro")->path;
    ck_assert_int_eq(weft_config_default(algo, w.config), 0);
    ck_assert_int_eq(weft_config_set(algo, w.config, "start", start), 0);
    for (site.host = 0; site.host < TORS * HOSTS; site.host++)
    {
        w.host[site.host] = malloc(w.path->host_size(w.config, &site));
        ck_assert_int_eq(w.path->host_init(w.host[site.host], w.config, &site), 0);
    }
}

static void
close_fabric(void)
{
    for (uint32_t host = 0; host < TORS * HOSTS; host++)
    {
        free(w.host[host]);
    }
}

static void
open_qp(uint32_t host, uint32_t qp, uint32_t tor)
{
    struct weft_path_site site = {
        .seed = 1, .clos = &w.clos, .batch = 1, .host = host, .provides = WEFT_NEEDS_ALL};
    site.dst = tor * HOSTS;
    w.dst[host][qp] = site.dst;
    MUST(w.path->qp_size(w.config, &site) <= sizeof(w.qp[0][0]));
    MUST(w.path->qp_init(w.qp[host][qp], w.host[host], w.config, &site, host * QPS + qp) == 0);
    w.path->on_active(w.qp[host][qp], true, 0);
}

/* Returns the up port of the ToR that a NIC's packet takes. */
static uint32_t
send(uint32_t host, uint32_t qp)
{
    struct weft_packet packet = lb_data(host, w.dst[host][qp]);
    w.path->data(w.qp[host][qp], &packet, 0);
    return packet.sport & 63U;
}

/* ---- One ToR, Lemmas 2 to 4: all its NICs send to one other ToR, an odd number of QPs each. ----
 */

struct tor_slot
{
    uint32_t arrived[PATHS];
    uint32_t queue[PATHS];
};

static void
tor_slot(uint32_t slot, uint32_t qps, const struct tor_slot *before, struct tor_slot *now)
{
    memset(now, 0, sizeof(*now));
    for (uint32_t host = 0; host < HOSTS; host++)
    {
        now->arrived[send(host, slot % qps)]++;
    }
    for (uint32_t i = 0; i < PATHS; i++)
    {
        now->queue[i] = before->queue[i] + now->arrived[i];
        now->queue[i] -= now->queue[i] > 0;
    }
}

static bool
rotated(const uint32_t *before, const uint32_t *now)
{
    for (uint32_t i = 0; i < PATHS; i++)
    {
        if (now[(i + 1) % PATHS] != before[i])
        {
            return false;
        }
    }
    return true;
}

/* Eq. 2: what arrives moves on by a port in each slot; Lemma 4: after one period so do the queues,
 * so that their lengths are the same for ever, at most what arrives in a period. */
START_TEST(the_queues_of_a_tor_rotate_and_stay_what_they_are)
{
    const uint32_t qps = 1 + 2 * ((uint32_t)_i % 5);
    struct tor_slot slots[2] = {{{0}, {0}}};
    open_fabric("random", (uint64_t)_i + 1);
    for (uint32_t host = 0; host < HOSTS; host++)
    {
        for (uint32_t qp = 0; qp < qps; qp++)
        {
            open_qp(host, qp, 1);
        }
    }
    for (uint32_t slot = 0; slot < 40 * PATHS; slot++)
    {
        tor_slot(slot, qps, &slots[slot % 2], &slots[1 - slot % 2]);
        const struct tor_slot *before = &slots[slot % 2];
        const struct tor_slot *now = &slots[1 - slot % 2];
        MUST(slot == 0 || rotated(before->arrived, now->arrived));
        MUST(slot <= PATHS || rotated(before->queue, now->queue));
        for (uint32_t i = 0; i < PATHS; i++)
        {
            MUST(now->queue[i] < HOSTS);
        }
    }
    close_fabric();
}
END_TEST

/* ---- Theorem 1: both layers, all ToRs to all others at full load. ---- */

static void
enter_tor(uint32_t tor, uint32_t port, uint32_t dst)
{
    const uint32_t room = sizeof(w.waiting[0][0]) / sizeof(w.waiting[0][0][0]);
    const uint32_t n = w.tor_queue[tor][port]++;
    MUST(n < room);
    w.waiting[tor][port][(w.head[tor][port] + n) % room] = dst;
}

/* Each port of a ToR sends one packet, which the aggregation has in the same slot; then each port
 * of the aggregations sends one. */
static void
serve(void)
{
    const uint32_t room = sizeof(w.waiting[0][0]) / sizeof(w.waiting[0][0][0]);
    for (uint32_t tor = 0; tor < TORS; tor++)
    {
        for (uint32_t port = 0; port < PATHS; port++)
        {
            if (w.tor_queue[tor][port] > 0)
            {
                w.agg_queue[port][w.waiting[tor][port][w.head[tor][port]]]++;
                w.head[tor][port] = (w.head[tor][port] + 1) % room;
                w.tor_queue[tor][port]--;
            }
            w.tor_peak = w.tor_queue[tor][port] > w.tor_peak ? w.tor_queue[tor][port] : w.tor_peak;
        }
    }
    for (uint32_t i = 0; i < PATHS * TORS; i++)
    {
        uint32_t *queue = &w.agg_queue[i / TORS][i % TORS];
        *queue -= *queue > 0;
        w.agg_peak = *queue > w.agg_peak ? *queue : w.agg_peak;
    }
}

/* In every slot each ToR receives as many packets as it has hosts. */
static uint32_t
other_tor(uint32_t host, uint32_t qp)
{
    return (host / HOSTS + 1 + (host % HOSTS + qp) % (TORS - 1)) % TORS;
}

static void
run(uint32_t slots, uint32_t qps, struct weft_rng *random)
{
    for (const uint32_t end = w.slot + slots; w.slot < end; w.slot++)
    {
        for (uint32_t host = 0; host < TORS * HOSTS; host++)
        {
            const uint32_t qp = w.slot % qps;
            const uint32_t port = random ? weft_rng_below(random, PATHS) : send(host, qp);
            enter_tor(host / HOSTS, port, w.dst[host][qp] / HOSTS);
        }
        serve();
    }
}

static void
begin(const char *start, uint32_t qps, uint64_t seed)
{
    open_fabric(start, seed);
    for (uint32_t host = 0; host < TORS * HOSTS; host++)
    {
        for (uint32_t qp = 0; qp < qps; qp++)
        {
            open_qp(host, qp, other_tor(host, qp));
        }
    }
}

/*
 * After a period at the ToRs and another at the aggregations lengths come back, and grow no more.
 * The proof has at most B_in packets in a queue of a ToR: that is so for QPs to one ToR (above).
 * QPs to several have a counter for each, all of which begin at path 0 as Alg. 1 is printed: the
 * first packets of all QPs of all NICs meet at one port, and the bound is P * B_in at both layers.
 */
START_TEST(the_queues_of_both_layers_are_bounded_at_full_load)
{
    static const uint32_t numbers[] = {1, 2, 3, 5, 7, 8, 14};
    const uint32_t qps = numbers[_i % 7];
    const uint32_t period = qps * PATHS;
    begin(_i < 7 ? "zero" : "random", qps, (uint64_t)_i + 1);
    run(3 * period, qps, NULL);
    const uint32_t tor = w.tor_peak;
    const uint32_t agg = w.agg_peak;
    run(100 * period, qps, NULL);
    ck_assert_uint_eq(w.tor_peak, tor);
    ck_assert_uint_eq(w.agg_peak, agg);
    ck_assert_uint_lt(tor, qps * HOSTS);
    ck_assert_uint_lt(agg, qps * HOSTS);
    ck_assert(_i >= 5 || tor == qps * (HOSTS - 1)); /* all but one wait at the first port */
    close_fabric();
}
END_TEST

/* With random paths the same model's queues are many times as long, and grow. */
START_TEST(with_random_paths_they_are_not)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 5, 5, 5);
    begin("random", 7, 1);
    run(2000, 7, &rng);
    const uint32_t tor = w.tor_peak;
    ck_assert_uint_gt(tor, 8 * HOSTS);
    run(30000, 7, &rng);
    ck_assert_uint_gt(w.tor_peak, 2 * tor);
    close_fabric();
}
END_TEST

Suite *
pro_queues_suite(void)
{
    Suite *s = suite_create("pro-queues");
    TCase *tc = tcase_create("pro-queues");
    tcase_add_loop_test(tc, the_queues_of_a_tor_rotate_and_stay_what_they_are, 0, 30);
    tcase_add_loop_test(tc, the_queues_of_both_layers_are_bounded_at_full_load, 0, 14);
    tcase_add_test(tc, with_random_paths_they_are_not);
    suite_add_tcase(s, tc);
    return s;
}
