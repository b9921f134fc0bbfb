/* SPDX-License-Identifier: MIT */
/* A user would lose the rate at which ofan's figures with failures are drawn. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "lb-rig.h"

#define MAX_LINKS 512
#define MAX_PORTS 64
#define MAX_FLOWS (54 * 54)

static const int64_t spines[32] = {4, 3, 3, 2, 1000000000, 2000000000, 0, 0, 1, 0};
static const int64_t flat_6[32] = {6, 2, 1000000000, 0, 0, 0, [9] = 1};
#define NSHAPES 5

static const char *const kinds[NSHAPES] = {"leaf-spine", "fat-tree", "fat-tree", "fat-tree",
                                           "clos"};

/* Three tiers whose parallel links, rates and delays are their own. */
static const int64_t three_tiers[32] = {3,          2,          2,          2, 3, 2, 3,
                                        1000000000, 2000000000, 5000000000, 0, 0, 0, [13] = 1};
static const int64_t tree_4[32] = {4, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t tree_6[32] = {6, 3, 1000000000, 0, 0, 0, [9] = 1};

struct rig
{
    struct weft_clos clos;
    struct weft_fib *fib;      /* weights off */
    struct weft_fib *weighted; /* W-ECMP */
    struct weft_flow flows[MAX_FLOWS];
    size_t n;
    double up[MAX_LINKS];
    double down[MAX_LINKS];
    uint64_t link[256][MAX_PORTS]; /* [switch][port] */
    uint64_t lost;
};

static void
shape(struct rig *r, int i)
{
    const int64_t *configs[] = {spines, flat_6, tree_4, tree_6, three_tiers};
    memset(r, 0, sizeof *r);
    ck_assert_int_eq(weft_topology_find(kinds[i])->build(configs[i], &r->clos), 0);
    ck_assert_uint_le(r->clos.nlinks, MAX_LINKS);
    for (uint64_t l = 0; l < r->clos.nlinks; l++)
    {
        struct weft_link link;
        weft_clos_link(&r->clos, l, &link);
        r->link[link.upper.index][link.upper.port] = l;
        if (!link.lower.is_host)
        {
            r->link[link.lower.index][link.lower.port] = l;
        }
    }
}

static struct weft_fib *
make_fib(const struct weft_clos *clos, const uint64_t *dead, size_t n, bool weighted)
{
    const int64_t size = weft_fib_size(clos, dead, n, weighted);
    ck_assert_int_gt(size, 0);
    struct weft_fib *fib = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(fib, (size_t)size, clos, dead, n, weighted), 0);
    return fib;
}

static void
break_links(struct rig *r, const uint64_t *dead, size_t n)
{
    r->fib = make_fib(&r->clos, dead, n, false);
    r->weighted = make_fib(&r->clos, dead, n, true);
}

static void
done(struct rig *r)
{
    free(r->fib);
    free(r->weighted);
}

static void
add(struct rig *r, uint32_t src, uint32_t dst)
{
    ck_assert_uint_lt(r->n, MAX_FLOWS);
    r->flows[r->n].src = src;
    r->flows[r->n].dst = dst;
    r->n++;
}

static void
add_all_to_all(struct rig *r)
{
    for (uint32_t src = 0; src < r->clos.nhosts; src++)
    {
        for (uint32_t dst = 0; dst < r->clos.nhosts; dst++)
        {
            if (src != dst)
            {
                add(r, src, dst);
            }
        }
    }
}

static double
rho(const struct rig *r, const struct weft_fib *fib, enum weft_split split, uint64_t *lost)
{
    const int64_t size = weft_rho_size(&r->clos, r->n);
    ck_assert_int_gt(size, 0);
    uint8_t *memory = malloc((size_t)size + 8);
    struct weft_rho out;
    memset(memory, 0x5a, (size_t)size + 8);
    const struct weft_rho_plane links = {fib, NULL, 0};
    ck_assert_int_eq(
        weft_rho_max(memory, (size_t)size - 1, &r->clos, &links, r->flows, r->n, split, &out),
        WEFT_EOVERFLOW);
    ck_assert_int_eq(
        weft_rho_max(memory, (size_t)size, &r->clos, &links, r->flows, r->n, split, &out), 0);
    for (unsigned i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(memory[(size_t)size + i], 0x5a);
    }
    free(memory);
    *lost = out.lost;
    return out.share;
}

/* By the text: a flow's unit is divided by its live paths, and each path's links get their part. */
static void
split_by_path(struct rig *r, const struct weft_flow *f)
{
    const uint32_t paths = weft_clos_paths(&r->clos, f->src, f->dst);
    uint32_t alive = 0;
    for (uint32_t path = 0; path < paths; path++)
    {
        alive += weft_fib_path(r->fib, f->src, f->dst, path);
    }
    r->lost += alive == 0;
    for (uint32_t path = 0; path < paths; path++)
    {
        uint64_t links[6];
        const uint32_t n = weft_clos_path(&r->clos, f->src, f->dst, path, links);
        for (uint32_t i = 0; i < n && weft_fib_path(r->fib, f->src, f->dst, path); i++)
        {
            (i < n / 2 ? r->up : r->down)[links[i]] += 1.0 / alive;
        }
    }
}

/* Divides what a switch gets among the candidates of its forwarding. */
static void
split_by_hop(struct rig *r, const struct weft_fib *fib, uint32_t at, uint32_t dst, double amount)
{
    struct weft_switch_map map;
    struct weft_ports ports;
    weft_clos_switch(&r->clos, at, &map);
    ck_assert(weft_fib_route(fib, at, &map, dst, &ports));
    for (uint32_t i = 0; i < ports.n; i++)
    {
        struct weft_link link;
        const uint32_t port = weft_port_at(&ports, i);
        const uint64_t l = r->link[at][port];
        const bool up = port >= map.first_up;
        weft_clos_link(&r->clos, l, &link);
        (up ? r->up : r->down)[l] += amount / ports.n;
        if (up || !link.lower.is_host)
        {
            split_by_hop(r, fib, up ? link.upper.index : link.lower.index, dst, amount / ports.n);
        }
    }
}

static double
share_of(const struct rig *r)
{
    double slowest = 0;
    double sender = 0;
    for (uint64_t l = 0; l < r->clos.nlinks; l++)
    {
        struct weft_link link;
        weft_clos_link(&r->clos, l, &link);
        const double most = r->up[l] > r->down[l] ? r->up[l] : r->down[l];
        slowest = most / (double)link.rate > slowest ? most / (double)link.rate : slowest;
        sender = l < r->clos.nhosts && r->up[l] > sender ? r->up[l] : sender;
    }
    return slowest > 0 ? sender / (double)r->clos.host_rate / slowest : 1;
}

static double
by_paths(struct rig *r)
{
    memset(r->up, 0, sizeof r->up);
    memset(r->down, 0, sizeof r->down);
    r->lost = 0;
    for (size_t i = 0; i < r->n; i++)
    {
        split_by_path(r, &r->flows[i]);
    }
    return share_of(r);
}

static double
by_hops(struct rig *r, const struct weft_fib *fib)
{
    memset(r->up, 0, sizeof r->up);
    memset(r->down, 0, sizeof r->down);
    for (size_t i = 0; i < r->n; i++)
    {
        const struct weft_flow *f = &r->flows[i];
        bool alive = false;
        for (uint32_t p = 0; !alive && p < weft_clos_paths(&r->clos, f->src, f->dst); p++)
        {
            alive = weft_fib_path(r->fib, f->src, f->dst, p);
        }
        if (alive)
        {
            r->up[f->src] += 1;
            split_by_hop(r, fib, weft_clos_tor(&r->clos, f->src), f->dst, 1);
        }
    }
    return share_of(r);
}

/* The link from aggregation 0 of the last of four pods to core 0 is dead, and the hosts of pod 0
 * send to those of that pod. By paths: four units on three links. Hop by hop: two units on the one
 * link that aggregation 0 has left. */
START_TEST(one_dead_core_link_costs_a_quarter_by_path_and_half_by_hop)
{
    struct rig r;
    uint64_t lost;
    shape(&r, 2);
    const uint64_t dead = r.clos.nlinks - 4;
    break_links(&r, &dead, 1);
    for (uint32_t host = 0; host < 4; host++)
    {
        add(&r, host, 12 + host);
    }
    ck_assert_double_eq_tol(rho(&r, r.fib, WEFT_SPLIT_PATH, &lost), 0.75, 1e-12);
    ck_assert_double_eq_tol(rho(&r, r.fib, WEFT_SPLIT_HOP, &lost), 0.5, 1e-12);
    ck_assert_uint_eq(lost, 0);
    r.n = 0;
    /* All to all: a host has 15 units, and 48 enter the pod. By paths aggregation 1 gets 32 of them
     * and hands 16 to each ToR, which has two of the four within the pod from it besides. */
    add_all_to_all(&r);
    ck_assert_double_eq_tol(rho(&r, r.fib, WEFT_SPLIT_PATH, &lost), 15.0 / 18, 1e-12);
    ck_assert_double_eq_tol(rho(&r, r.fib, WEFT_SPLIT_HOP, &lost), 15.0 / 24, 1e-12);
    done(&r);
}
END_TEST

START_TEST(healthy_fabrics_without_oversubscription_serve_line_rate)
{
    struct rig r;
    uint64_t lost;
    shape(&r, _i);
    add_all_to_all(&r);
    ck_assert(rho(&r, NULL, WEFT_SPLIT_PATH, &lost) == 1);
    ck_assert(rho(&r, NULL, WEFT_SPLIT_HOP, &lost) == 1);
    ck_assert_uint_eq(lost, 0);
    r.n = 0; /* many to one: what counts is what a sender may send */
    for (uint32_t src = 1; src <= 5; src++)
    {
        add(&r, src, 0);
    }
    ck_assert_double_eq_tol(rho(&r, NULL, WEFT_SPLIT_PATH, &lost), 0.2, 1e-12);
}
END_TEST

START_TEST(oversubscription_is_seen)
{
    struct rig r;
    uint64_t lost;
    const int64_t config[32] = {2, 1, 8, 2, 1000000000, 2000000000, 0, 0, 1, 0};
    memset(&r, 0, sizeof r);
    ck_assert_int_eq(weft_topology_find("leaf-spine")->build(config, &r.clos), 0);
    for (uint32_t host = 0; host < 8; host++)
    {
        add(&r, host, 8 + host);
    }
    ck_assert_double_eq_tol(rho(&r, NULL, WEFT_SPLIT_PATH, &lost), 0.5, 1e-12);
}
END_TEST

static void
check_flows(struct rig *r)
{
    uint64_t lost;
    const double by_path = by_paths(r);
    ck_assert_double_eq_tol(rho(r, r->fib, WEFT_SPLIT_PATH, &lost), by_path, 1e-9);
    ck_assert_uint_eq(lost, r->lost);
    /* Forwarding with weights is how switches split by path. */
    ck_assert_double_eq_tol(by_hops(r, r->weighted), by_path, 1e-9);
    ck_assert_double_eq_tol(rho(r, r->fib, WEFT_SPLIT_HOP, &lost), by_hops(r, r->fib), 1e-9);
    ck_assert_uint_eq(lost, r->lost);
}

START_TEST(random_failures_match_a_count_over_all_paths)
{
    struct rig r;
    struct weft_rng rng;
    uint64_t dead[MAX_LINKS];
    weft_rng_seed(&rng, 5, (uint64_t)_i, 0);
    shape(&r, _i);
    for (uint32_t repeat = 0; repeat < 40; repeat++)
    {
        size_t ndead = 0;
        for (uint64_t l = repeat % 2 ? 0 : r.clos.nhosts; l < r.clos.nlinks; l++)
        {
            dead[ndead] = l;
            ndead += weft_rng_below(&rng, 100) < repeat;
        }
        break_links(&r, dead, ndead);
        r.n = 0;
        /* No receiver has more than a sender, so that the fabric is what limits. */
        const uint32_t shift = 1 + weft_rng_below(&rng, r.clos.nhosts - 1);
        for (uint32_t src = 0; src < r.clos.nhosts; src++)
        {
            add(&r, src, (src + shift) % r.clos.nhosts);
        }
        check_flows(&r);
        done(&r);
    }
}
END_TEST

START_TEST(hosts_that_do_not_exist_are_refused)
{
    struct rig r;
    struct weft_rho out;
    uint64_t memory[4096];
    shape(&r, 2);
    add(&r, 0, r.clos.nhosts);
    const struct weft_rho_plane links = {NULL, NULL, 0};
    ck_assert_int_eq(
        weft_rho_max(memory, sizeof memory, &r.clos, &links, r.flows, 1, WEFT_SPLIT_PATH, &out),
        WEFT_ERANGE);
}
END_TEST

START_TEST(the_ideal_control_sends_at_its_share)
{
    const struct weft_cc_ops *ideal = weft_cc_find("ideal");
    struct weft_cc_site site = {400000000000, 0.75, 1, 6, 1500, 20};
    struct weft_cc_ideal_config config;
    uint64_t state[4];
    ck_assert_ptr_nonnull(ideal);
    ck_assert(ideal->per_host);
    ck_assert_int_eq(weft_config_default(&ideal->algo, &config), 0);
    ck_assert_int_eq(config.split, WEFT_SPLIT_PATH);
    ideal->init(state, &config, &site, 0);
    ck_assert_int_eq(ideal->rate(state, 5), 300000000000);
    site.share = 1;
    ideal->init(state, &config, &site, 0);
    ck_assert_int_eq(ideal->rate(state, 5), site.line_rate);
}
END_TEST

Suite *
rho_max_suite(void)
{
    Suite *suite = suite_create("rho-max");
    TCase *tcase = tcase_create("rho-max");
    tcase_add_test(tcase, one_dead_core_link_costs_a_quarter_by_path_and_half_by_hop);
    tcase_add_loop_test(tcase, healthy_fabrics_without_oversubscription_serve_line_rate, 0,
                        NSHAPES);
    tcase_add_test(tcase, oversubscription_is_seen);
    tcase_add_loop_test(tcase, random_failures_match_a_count_over_all_paths, 0, NSHAPES);
    tcase_add_test(tcase, hosts_that_do_not_exist_are_refused);
    tcase_add_test(tcase, the_ideal_control_sends_at_its_share);
    suite_add_tcase(suite, tcase);
    return suite;
}
