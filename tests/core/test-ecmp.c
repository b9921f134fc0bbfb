/* SPDX-License-Identifier: MIT */
/* A user would lose the baselines: flows or packets bunched on some ports, tiers that polarise. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "lb/ecmp.h"

/* Upper 0.1 % point of chi-square, by Wilson & Hilferty's approximation (z = 3.09). */
static double
chi_square_limit(uint32_t n)
{
    const double d = 2.0 / (9.0 * (n - 1));
    double root = 1.0;
    for (int i = 0; i < 60; i++) /* Newton: root = sqrt(d) */
    {
        root = 0.5 * (root + d / root);
    }
    const double x = 1.0 - d + 3.09 * root;
    return (n - 1) * x * x * x;
}

static double
chi_square(const uint32_t *counts, uint32_t n)
{
    double sum = 0;
    double x = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        sum += counts[i];
    }
    for (uint32_t i = 0; i < n; i++)
    {
        x += (counts[i] - sum / n) * (counts[i] - sum / n) / (sum / n);
    }
    return x;
}

static struct weft_site
site_of(uint32_t index, uint32_t tier, uint32_t tiers)
{
    struct weft_site site;
    memset(&site, 0, sizeof site);
    site.seed = 3;
    site.run = 1;
    site.switch_index = index;
    site.tier = tier;
    site.tiers = tiers;
    site.nports = 32;
    site.up_ports = 16;
    site.npaths = tiers == 3 ? 256 : 16;
    site.provides = WEFT_NEEDS_ALL;
    site.port_buffer = 100000;
    return site;
}

struct picker
{
    const struct weft_lb_ops *ops;
    uint64_t state[64];
};

static void
open_picker(struct picker *p, const char *name, const char *hash, const struct weft_site *site)
{
    int64_t config[32];
    p->ops = weft_lb_find(name);
    ck_assert_ptr_nonnull(p->ops);
    ck_assert_int_eq(weft_config_default(&p->ops->algo, config), 0);
    if (hash)
    {
        ck_assert_int_eq(weft_config_set(&p->ops->algo, config, "hash", hash), 0);
    }
    ck_assert_uint_le(p->ops->state_size(config, site), sizeof p->state);
    ck_assert_int_eq(p->ops->init(p->state, config, site), 0);
}

/* The chosen place in a group of n ports that starts at port 16. */
static uint32_t
choose(struct picker *p, uint32_t n, struct weft_packet *packet)
{
    static const uint32_t queues[64];
    struct weft_ports ports = {queues, NULL, 16, (uint16_t)n, (uint16_t)n};
    const uint32_t port = p->ops->pick(p->state, &ports, packet, 0);
    ck_assert_uint_ge(port, 16);
    ck_assert_uint_lt(port, 16 + n);
    return port - 16;
}

static struct weft_packet
flow(uint32_t src, uint32_t dst, uint32_t sport)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof packet);
    packet.src = src & WEFT_HOST_MASK;
    packet.dst = dst & WEFT_HOST_MASK;
    packet.sport = (uint16_t)sport;
    return packet;
}

START_TEST(flows_spread_evenly_over_any_number_of_ports)
{
    static const uint32_t sizes[] = {2, 3, 7, 16, 48};
    const struct weft_site site = site_of(5, 0, 2);
    struct picker p;
    open_picker(&p, "ecmp", "mix", &site);
    for (unsigned s = 0; s < 5; s++)
    {
        uint32_t counts[48] = {0};
        for (uint32_t i = 0; i < 65536; i++)
        {
            struct weft_packet packet = flow(i & 255, 256 + (i >> 8), 49152);
            counts[choose(&p, sizes[s], &packet)]++;
        }
        ck_assert_double_lt(chi_square(counts, sizes[s]), chi_square_limit(sizes[s]));
    }
}
END_TEST

START_TEST(a_flow_keeps_its_port)
{
    const struct weft_site site = site_of(5, 0, 2);
    struct picker p;
    open_picker(&p, "ecmp", "mix", &site);
    struct weft_packet packet = flow(1, 2, 3);
    const uint32_t port = choose(&p, 16, &packet);
    for (uint32_t psn = 0; psn < 100; psn++)
    {
        packet.psn = psn & WEFT_PSN_MASK;
        packet.kind = (uint8_t)(psn % 4);
        packet.flags = WEFT_F_CE;
        ck_assert_uint_eq(choose(&p, 16, &packet), port);
    }
}
END_TEST

/* Among the flows that one switch sends to port 0, the next switch must still use all its ports. */
START_TEST(tiers_do_not_polarise)
{
    static const char *const hashes[] = {"mix", "linear"};
    const struct weft_site tor = site_of(5, 0, 3);
    const struct weft_site agg = site_of(600, 1, 3);
    struct picker lower, upper;
    uint32_t counts[16] = {0};
    open_picker(&lower, "ecmp", hashes[_i], &tor);
    open_picker(&upper, "ecmp", hashes[_i], &agg);
    for (uint32_t i = 0; i < 65536; i++)
    {
        struct weft_packet packet = flow(i & 63, 64 + (i >> 6 & 63), 49152 + (i >> 12));
        if (choose(&lower, 16, &packet) == 0)
        {
            counts[choose(&upper, 16, &packet)]++;
        }
    }
    ck_assert_double_lt(chi_square(counts, 16), chi_square_limit(16));
    for (uint32_t i = 0; i < 16; i++)
    {
        ck_assert_uint_gt(counts[i], 0);
    }
}
END_TEST

START_TEST(neighbouring_switches_choose_independently)
{
    const struct weft_site one = site_of(5, 0, 2);
    const struct weft_site two = site_of(6, 0, 2);
    struct picker a, b;
    uint32_t same = 0;
    open_picker(&a, "ecmp", "mix", &one);
    open_picker(&b, "ecmp", "mix", &two);
    for (uint32_t i = 0; i < 16000; i++)
    {
        struct weft_packet packet = flow(i, i + 1, 49152);
        same += choose(&a, 16, &packet) == choose(&b, 16, &packet);
    }
    ck_assert_uint_gt(same, 850); /* 1000 expected, 5 standard deviations are 153 */
    ck_assert_uint_lt(same, 1150);
}
END_TEST

START_TEST(the_linear_hash_is_linear)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 2, 3);
    for (unsigned i = 0; i < 20000; i++)
    {
        const uint64_t seed = (uint64_t)weft_rng_u32(&rng) << 32 | weft_rng_u32(&rng);
        const struct weft_packet a =
            flow(weft_rng_u32(&rng), weft_rng_u32(&rng), weft_rng_u32(&rng));
        const struct weft_packet b =
            flow(weft_rng_u32(&rng), weft_rng_u32(&rng), weft_rng_u32(&rng));
        const struct weft_packet both =
            flow(a.src ^ b.src, a.dst ^ b.dst, (uint32_t)(a.sport ^ b.sport));
        const struct weft_packet zero = flow(0, 0, 0);
        ck_assert_uint_eq(weft_ecmp_hash_linear(&both, seed),
                          weft_ecmp_hash_linear(&a, seed) ^ weft_ecmp_hash_linear(&b, seed) ^
                              weft_ecmp_hash_linear(&zero, seed));
        ck_assert_uint_eq(weft_ecmp_hash_linear(&zero, seed), (uint32_t)seed);
    }
}
END_TEST

/* Both windows together, 16 bits, take every value as the source port does: no path is out of
 * reach. */
START_TEST(source_ports_reach_every_pair_of_choices)
{
    for (uint64_t seed = 0; seed < 20; seed++)
    {
        struct weft_site site = site_of(1, 0, 3);
        static uint8_t seen[65536];
        site.seed = seed;
        memset(seen, 0, sizeof seen);
        for (uint32_t sport = 0; sport < 65536; sport++)
        {
            const struct weft_packet p = flow(77, 1234, sport);
            const uint32_t tor = weft_ecmp_hash_linear(&p, weft_linear_seed(&site, 0)) & 255;
            const uint32_t agg = weft_ecmp_hash_linear(&p, weft_linear_seed(&site, 1)) & 255;
            ck_assert_uint_eq(seen[tor << 8 | agg]++, 0);
        }
    }
}
END_TEST

/* Random hosts: a linear hash spreads a subspace either evenly or not at all. */
START_TEST(the_linear_hash_spreads_random_flows)
{
    const struct weft_site site = site_of(5, 0, 2);
    struct picker p;
    struct weft_rng rng;
    uint32_t counts[12] = {0};
    weft_rng_seed(&rng, 4, 5, 6);
    open_picker(&p, "ecmp", "linear", &site);
    for (unsigned i = 0; i < 60000; i++)
    {
        const uint32_t src = weft_rng_below(&rng, 1024), dst = weft_rng_below(&rng, 1024);
        struct weft_packet packet = flow(src, dst, weft_rng_u32(&rng));
        counts[choose(&p, 12, &packet)]++; /* no power of two */
    }
    ck_assert_double_lt(chi_square(counts, 12), chi_square_limit(12));
}
END_TEST

START_TEST(random_spraying_is_uniform_and_its_own_stream)
{
    static const uint32_t sizes[] = {2, 3, 16, 48};
    const struct weft_site one = site_of(5, 0, 2);
    const struct weft_site two = site_of(6, 0, 2);
    struct picker a, b, again;
    open_picker(&a, "rsq", NULL, &one);
    open_picker(&b, "rsq", NULL, &two);
    open_picker(&again, "rsq", NULL, &one);
    for (unsigned s = 0; s < 4; s++)
    {
        uint32_t counts[48] = {0};
        uint32_t same = 0;
        struct weft_packet packet = flow(1, 2, 3);
        for (uint32_t i = 0; i < 48000; i++)
        {
            const uint32_t port = choose(&a, sizes[s], &packet);
            counts[port]++;
            same += port == choose(&b, sizes[s], &packet);
            ck_assert_uint_eq(choose(&again, sizes[s], &packet), port);
        }
        ck_assert_double_lt(chi_square(counts, sizes[s]), chi_square_limit(sizes[s]));
        ck_assert_uint_lt(same, 48000 / sizes[s] + 600);
    }
}
END_TEST

START_TEST(dead_ports_are_never_chosen)
{
    static const char *const names[] = {"ecmp", "rsq", "ar", "themis"};
    static const uint16_t live[] = {17, 20, 31};
    static const uint32_t queues[64];
    const struct weft_site site = site_of(5, 0, 2);
    struct picker p;
    uint32_t hits[3] = {0};
    open_picker(&p, names[_i], NULL, &site);
    for (uint32_t i = 0; i < 3000; i++)
    {
        struct weft_ports ports = {queues, live, 16, 3, 16};
        struct weft_packet packet = flow(i, i + 7, 49152);
        const uint32_t port = p.ops->pick(p.state, &ports, &packet, 0);
        ck_assert(port == 17 || port == 20 || port == 31);
        hits[port == 17 ? 0 : port == 20 ? 1 : 2]++;
    }
    ck_assert_double_lt(chi_square(hits, 3), chi_square_limit(3));
}
END_TEST

Suite *
ecmp_suite(void)
{
    Suite *suite = suite_create("ecmp");
    TCase *tcase = tcase_create("ecmp");
    tcase_add_test(tcase, flows_spread_evenly_over_any_number_of_ports);
    tcase_add_test(tcase, a_flow_keeps_its_port);
    tcase_add_loop_test(tcase, tiers_do_not_polarise, 0, 2);
    tcase_add_test(tcase, neighbouring_switches_choose_independently);
    tcase_add_test(tcase, the_linear_hash_is_linear);
    tcase_add_test(tcase, source_ports_reach_every_pair_of_choices);
    tcase_add_test(tcase, the_linear_hash_spreads_random_flows);
    tcase_add_test(tcase, random_spraying_is_uniform_and_its_own_stream);
    tcase_add_loop_test(tcase, dead_ports_are_never_chosen, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}
