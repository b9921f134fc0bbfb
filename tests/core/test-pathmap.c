/* SPDX-License-Identifier: MIT */
/* A user would lose Themis in three tiers: packets on other paths than Themis-D reckons with. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

#include "lb/ecmp.h"

/* A fat-tree whose switches all run Themis. */
struct tree
{
    struct weft_clos clos;
    void **states;
    uint64_t *links; /* [switch * k + port]: link number + 1 */
    uint32_t k;
};

static void
open_tree(struct tree *t, uint32_t k, uint64_t seed)
{
    const struct weft_lb_ops *ops = weft_lb_find("themis");
    const int64_t shape[32] = {k, 3, 1000000000, 0, 0, 0, [9] = 1};
    int64_t config[32];
    ck_assert_int_eq(weft_topology_find("fat-tree")->build(shape, &t->clos), 0);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    t->k = k;
    t->states = calloc(t->clos.nswitches, sizeof *t->states);
    t->links = calloc((size_t)t->clos.nswitches * k, sizeof *t->links);
    ck_assert(t->states && t->links);
    for (uint32_t s = 0; s < t->clos.nswitches; s++)
    {
        struct weft_switch_map map;
        struct weft_site site;
        memset(&site, 0, sizeof site);
        site.provides = WEFT_NEEDS_ALL;
        weft_clos_switch(&t->clos, s, &map);
        site.seed = seed;
        site.switch_index = s;
        site.nports = k;
        site.tier = map.tier;
        site.tiers = 3;
        site.up_ports = map.n_up;
        site.npaths = t->clos.npaths;
        t->states[s] = malloc(ops->state_size(config, &site));
        ck_assert_ptr_nonnull(t->states[s]);
        ck_assert_int_eq(ops->init(t->states[s], config, &site), 0);
    }
    for (uint64_t i = t->clos.nhosts; i < t->clos.nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(&t->clos, i, &link);
        t->links[link.lower.index * k + link.lower.port] = i + 1;
        t->links[link.upper.index * k + link.upper.port] = i + 1;
    }
}

static void
close_tree(struct tree *t)
{
    for (uint32_t s = 0; s < t->clos.nswitches; s++)
    {
        free(t->states[s]);
    }
    free(t->states);
    free(t->links);
}

/* Walks up from the source's ToR; returns the core. *agg_choice: the ToR's choice. */
static uint32_t
climb(struct tree *t, struct weft_packet *packet, uint32_t *agg_choice)
{
    static const uint32_t queues[64];
    uint32_t s = weft_clos_tor(&t->clos, packet->src);
    for (uint32_t tier = 0; tier < 2; tier++)
    {
        struct weft_switch_map map;
        struct weft_ports ports;
        struct weft_link link;
        weft_clos_switch(&t->clos, s, &map);
        weft_route(&map, packet->dst, &ports);
        ports.queue_bytes = queues;
        ck_assert_uint_eq(ports.n, t->k / 2);
        const uint32_t port = weft_lb_find("themis")->pick(t->states[s], &ports, packet, 0);
        *agg_choice = tier == 0 ? port - map.first_up : *agg_choice;
        weft_clos_link(&t->clos, t->links[s * t->k + port] - 1, &link);
        s = link.upper.index;
    }
    return s - t->clos.ntors - t->clos.naggs;
}

/* Aggregations of a pod hash alike, but for a constant of their own. */
static uint32_t
constant(const struct tree *t, uint32_t src, uint32_t agg, uint64_t seed)
{
    struct weft_site site;
    const uint32_t pod = weft_clos_tor(&t->clos, src) / t->clos.tors_per_pod;
    memset(&site, 0, sizeof site);
    site.provides = WEFT_NEEDS_ALL;
    site.seed = seed;
    site.switch_index = t->clos.ntors + pod * t->clos.up_tor + agg;
    return (uint32_t)weft_linear_seed(&site, 1) & 3;
}

/* In k = 8, packet PSN of every flow takes the path base XOR (PSN mod 16), PSN wrap included. */
START_TEST(every_change_leads_to_its_path)
{
    static const uint32_t firsts[] = {0, 5, WEFT_PSN_MASK - 20};
    const uint64_t seed = (uint64_t)_i;
    struct tree t;
    struct weft_rng rng;
    open_tree(&t, 8, seed);
    weft_rng_seed(&rng, seed, 0, 0);
    for (unsigned f = 0; f < 300; f++)
    {
        struct weft_packet packet;
        uint32_t base_agg = 0;
        uint32_t agg = 0;
        memset(&packet, 0, sizeof packet);
        packet.src = weft_rng_below(&rng, 128) & WEFT_HOST_MASK;
        packet.dst = (packet.src + 16 + weft_rng_below(&rng, 96)) % 128; /* another pod */
        packet.kind = WEFT_RAW;
        const uint16_t sport = (uint16_t)weft_rng_u32(&rng);
        packet.sport = sport;
        const uint32_t base = climb(&t, &packet, &base_agg);
        ck_assert_uint_eq(packet.sport, sport); /* not sprayed, not rewritten */
        for (uint32_t i = 0; i < 50; i++)
        {
            packet.kind = WEFT_DATA;
            packet.sport = sport;
            packet.psn = weft_psn_add(firsts[f % 3], i) & WEFT_PSN_MASK;
            const uint32_t core = climb(&t, &packet, &agg);
            const uint32_t change = packet.psn % 16;
            ck_assert_uint_eq(agg, base_agg ^ (change & 3));
            ck_assert_uint_eq(core / 4, agg);
            ck_assert_uint_eq(core % 4, (base % 4) ^ constant(&t, packet.src, base_agg, seed) ^
                                            constant(&t, packet.src, agg, seed) ^ (change >> 2));
        }
    }
    close_tree(&t);
}
END_TEST

/* 16 consecutive packets of a flow take 16 different paths; 16 later each takes the same again. */
START_TEST(consecutive_packets_use_every_path_once)
{
    struct tree t;
    open_tree(&t, 8, 77);
    for (uint32_t src = 0; src < 128; src++)
    {
        uint32_t last[16];
        for (uint32_t turn = 0; turn < 3; turn++)
        {
            uint32_t used = 0;
            for (uint32_t i = 0; i < 16; i++)
            {
                struct weft_packet packet;
                uint32_t agg = 0;
                memset(&packet, 0, sizeof packet);
                packet.src = src & WEFT_HOST_MASK;
                packet.dst = (src + 64) % 128;
                packet.sport = (uint16_t)(49152 + src);
                packet.psn = (turn * 16 + i) & WEFT_PSN_MASK;
                const uint32_t core = climb(&t, &packet, &agg);
                used |= UINT32_C(1) << core;
                ck_assert(turn == 0 || last[i] == core);
                last[i] = core;
            }
            ck_assert_uint_eq(used, 0xffff);
        }
    }
    close_tree(&t);
}
END_TEST

START_TEST(each_delta_is_the_least_that_leads_there)
{
    struct weft_site site;
    uint16_t delta[256];
    struct weft_packet packet;
    memset(&site, 0, sizeof site);
    site.provides = WEFT_NEEDS_ALL;
    memset(&packet, 0, sizeof packet);
    site.seed = 12;
    const uint64_t tor = weft_linear_seed(&site, 0);
    const uint64_t agg = weft_linear_seed(&site, 1);
    ck_assert_int_eq(weft_pathmap_build(delta, 16, 16, tor, agg, NULL), 0);
    ck_assert_uint_eq(delta[0], 0);
    for (uint32_t r = 0; r < 256; r++)
    {
        for (uint32_t d = 0; d <= delta[r]; d++)
        {
            packet.sport = (uint16_t)d;
            const uint32_t t = (weft_ecmp_hash_linear(&packet, tor) ^ (uint32_t)tor) & 15;
            const uint32_t a = (weft_ecmp_hash_linear(&packet, agg) ^ (uint32_t)agg) & 15;
            ck_assert_int_eq((a * 16 + t) == r, d == delta[r]);
        }
    }
}
END_TEST

START_TEST(a_pathmap_that_cannot_exist_is_refused_with_the_reason)
{
    static uint16_t delta[65536];
    struct weft_site site;
    const char *reason = NULL;
    memset(&site, 0, sizeof site);
    site.provides = WEFT_NEEDS_ALL;
    const uint64_t tor = weft_linear_seed(&site, 0);
    const uint64_t agg = weft_linear_seed(&site, 1);
    ck_assert_int_eq(weft_pathmap_build(delta, 4, 4, tor, tor, &reason), WEFT_ENOPATH);
    ck_assert_ptr_nonnull(strstr(reason, "polarised"));
    ck_assert_int_eq(weft_pathmap_build(delta, 6, 4, tor, agg, &reason), WEFT_ENOPATH);
    ck_assert_ptr_nonnull(strstr(reason, "power of two"));
    ck_assert_int_eq(weft_pathmap_build(delta, 4, 0, tor, agg, &reason), WEFT_ENOPATH);
    ck_assert_int_eq(weft_pathmap_build(delta, 512, 512, tor, agg, &reason), WEFT_ENOPATH);
    ck_assert_ptr_nonnull(strstr(reason, "more paths"));
    ck_assert_int_eq(weft_pathmap_build(delta, 256, 256, tor, agg, &reason), 0);
}
END_TEST

/* Themis at a k = 6 fat-tree: 3 up ports, no PathMap. */
START_TEST(themis_refuses_a_fabric_without_a_pathmap)
{
    const struct weft_lb_ops *ops = weft_lb_find("themis");
    struct weft_site site;
    int64_t config[32];
    uint64_t state[64];
    memset(&site, 0, sizeof site);
    site.provides = WEFT_NEEDS_ALL;
    site.tiers = 3;
    site.up_ports = 3;
    site.npaths = 9;
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ck_assert_uint_le(ops->state_size(config, &site), sizeof state);
    struct weft_refusal why = {0};
    site.why = &why;
    ck_assert_int_eq(ops->init(state, config, &site), WEFT_ENOPATH);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ENOPATH, &why), "not a power of two"));
}
END_TEST

Suite *
pathmap_suite(void)
{
    Suite *suite = suite_create("pathmap");
    TCase *tcase = tcase_create("pathmap");
    tcase_add_loop_test(tcase, every_change_leads_to_its_path, 0, 10);
    tcase_add_test(tcase, consecutive_packets_use_every_path_once);
    tcase_add_test(tcase, each_delta_is_the_least_that_leads_there);
    tcase_add_test(tcase, a_pathmap_that_cannot_exist_is_refused_with_the_reason);
    tcase_add_test(tcase, themis_refuses_a_fabric_without_a_pathmap);
    suite_add_tcase(suite, tcase);
    return suite;
}
