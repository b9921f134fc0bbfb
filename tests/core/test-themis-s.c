/* SPDX-License-Identifier: MIT */
/* A user would lose Themis' spraying in two tiers, and with it every verdict of Themis-D. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "themis-rig.h"
#include "tor/themis.h"

struct leaf
{
    const struct weft_lb_ops *ops;
    uint64_t state[64];
    struct weft_ports ports;
};

/* Any exceptions: Themis only asks whether there are some. */
static const struct weft_fib *const failures = (const struct weft_fib *)(const void *)"some";

static void
open_switch(struct leaf *l, uint32_t spines, uint32_t tier, uint32_t tiers, const char *name,
            const char *value)
{
    static const uint32_t queues[512];
    const struct weft_ports whole = {queues, NULL, 16, (uint16_t)spines, (uint16_t)spines};
    int64_t config[32];
    struct weft_site site;
    memset(&site, 0, sizeof site);
    site.provides = WEFT_NEEDS_ALL;
    site.seed = 1;
    site.tier = tier;
    site.tiers = tiers;
    site.up_ports = tier == 0 ? spines : 0;
    site.npaths = spines;
    l->ops = weft_lb_find("themis");
    l->ports = whole;
    configure(config, name, value);
    ck_assert_uint_le(l->ops->state_size(config, &site), sizeof l->state);
    ck_assert_int_eq(l->ops->init(l->state, config, &site), 0);
}

static void
open_leaf(struct leaf *l, uint32_t spines, uint32_t tier, const char *name, const char *value)
{
    open_switch(l, spines, tier, 2, name, value);
}

static uint32_t
send(struct leaf *l, enum weft_packet_kind kind, uint32_t src, uint32_t psn)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof packet);
    packet.kind = (uint8_t)kind;
    packet.src = src & WEFT_HOST_MASK;
    packet.dst = 200;
    packet.sport = 49152;
    packet.psn = psn & WEFT_PSN_MASK;
    const uint32_t port = l->ops->pick(l->state, &l->ports, &packet, 0);
    ck_assert_uint_eq(packet.sport, 49152);
    ck_assert_uint_ge(port, 16);
    ck_assert_uint_lt(port, 16U + l->ports.width);
    return port - 16;
}

/* Eq. 1, with the flow's own ECMP path as P_base, for whole and odd N, to the end of the PSNs. */
START_TEST(path_is_psn_mod_n_plus_base_mod_n)
{
    static const uint32_t spines[] = {1, 2, 3, 7, 16, 100, 127, 255, 256};
    static const uint32_t psns[] = {0, 1, 2, 15, 16, 17, 4095, 65535, 8388608, 16777214, 16777215};
    for (unsigned s = 0; s < sizeof spines / sizeof spines[0]; s++)
    {
        struct leaf l;
        struct weft_rng rng;
        const uint32_t n = spines[s];
        weft_rng_seed(&rng, n, 0, 0);
        open_leaf(&l, n, 0, NULL, NULL);
        for (uint32_t src = 0; src < 40; src++)
        {
            const uint32_t base = send(&l, WEFT_RAW, src, 0);
            for (unsigned i = 0; i < 500; i++)
            {
                const uint32_t psn = i < 11 ? psns[i] : weft_rng_u32(&rng) & WEFT_PSN_MASK;
                ck_assert_uint_eq(send(&l, WEFT_DATA, src, psn), (psn % n + base) % n);
            }
        }
    }
}
END_TEST

/* Any number of paths, the PSNs around all multiples near the wrap and some elsewhere: a residue
 * that is off by one would put a packet on its neighbour's path, and its NACK would be believed. */
START_TEST(residues_are_exact)
{
    for (uint32_t n = 1; n <= 70000; n++)
    {
        struct themis_modulus m;
        themis_modulus_init(&m, n);
        const uint32_t top = WEFT_PSN_MASK / n * n;
        for (uint32_t i = 0; i < 20; i++)
        {
            const uint32_t near = i < 3 ? top - 1 + i : n * (i * 37) + i % 3 - 1;
            const uint32_t psn = near & WEFT_PSN_MASK;
            MUST(themis_residue(&m, psn) == psn % n);
        }
        MUST(themis_residue(&m, WEFT_PSN_MASK) == WEFT_PSN_MASK % n);
    }
}
END_TEST

START_TEST(flows_have_different_base_paths)
{
    struct leaf l;
    uint32_t used = 0;
    open_leaf(&l, 16, 0, NULL, NULL);
    for (uint32_t src = 0; src < 256; src++)
    {
        used |= UINT32_C(1) << send(&l, WEFT_DATA, src, 0);
    }
    ck_assert_uint_eq(used, 0xffff);
}
END_TEST

START_TEST(replies_go_as_they_are_told_to)
{
    static const enum weft_packet_kind kinds[] = {WEFT_ACK, WEFT_NACK, WEFT_CNP};
    struct leaf together, apart;
    open_leaf(&together, 16, 0, "replies", "ecmp");
    open_leaf(&apart, 16, 0, "replies", "spray");
    const uint32_t base = send(&together, WEFT_RAW, 3, 0);
    for (uint32_t psn = 0; psn < 64; psn++)
    {
        for (unsigned k = 0; k < 3; k++)
        {
            ck_assert_uint_eq(send(&together, kinds[k], 3, psn), base);
            /* A CNP's own header has no PSN to spray by. */
            const uint32_t step = kinds[k] == WEFT_CNP ? 0 : psn;
            ck_assert_uint_eq(send(&apart, kinds[k], 3, psn), (base + step) % 16);
        }
        ck_assert_uint_eq(send(&apart, WEFT_RAW, 3, psn), base);
    }
}
END_TEST

/* themis §6: while a link is down, ToRs revert to ECMP. */
START_TEST(failures_revert_to_ecmp)
{
    static const uint16_t live[] = {16, 17, 18, 20};
    struct leaf l;
    open_leaf(&l, 16, 0, NULL, NULL);
    const uint32_t base = send(&l, WEFT_RAW, 3, 0);
    l.ops->set_routes(l.state, failures);
    for (uint32_t psn = 0; psn < 64; psn++)
    {
        ck_assert_uint_eq(send(&l, WEFT_DATA, 3, psn), base);
    }
    l.ops->set_routes(l.state, NULL);
    ck_assert_uint_eq(send(&l, WEFT_DATA, 3, 1), (base + 1) % 16);
    l.ports.list = live;
    l.ports.n = 4;
    const uint32_t port = send(&l, WEFT_DATA, 3, 0);
    for (uint32_t psn = 0; psn < 64; psn++)
    {
        ck_assert_uint_eq(send(&l, WEFT_DATA, 3, psn), port);
    }
}
END_TEST

START_TEST(aggregations_of_three_tiers_do_not_spray)
{
    struct leaf l;
    open_switch(&l, 4, 1, 3, NULL, NULL);
    l.ops->set_routes(l.state, NULL);
    for (uint32_t psn = 0; psn < 64; psn++)
    {
        ck_assert_uint_eq(send(&l, WEFT_DATA, 3, psn), send(&l, WEFT_DATA, 3, 0));
    }
}
END_TEST

/*
 * Three spines with four parallel links: a user would lose Eq. 1's even load at the last fabric
 * hop, or Eq. 3, if a residue mod 12 were not one path from end to end.
 */
START_TEST(parallel_links_are_part_of_the_path)
{
    enum
    {
        SPINES = 3,
        LINKS = 4,
        PATHS = SPINES * LINKS
    };
    struct leaf source, spines[SPINES];
    open_leaf(&source, PATHS, 0, NULL, NULL);
    for (uint32_t i = 0; i < SPINES; i++)
    {
        open_leaf(&spines[i], LINKS, 1, NULL, NULL);
    }
    for (uint32_t src = 0; src < 40; src++)
    {
        uint32_t up_of[PATHS];
        uint32_t down_of[PATHS];
        uint32_t used[SPINES * LINKS] = {0};
        for (uint32_t psn = 0; psn < PATHS; psn++)
        {
            up_of[psn] = send(&source, WEFT_DATA, src, psn);
            down_of[psn] = send(&spines[up_of[psn] / LINKS], WEFT_DATA, src, psn);
            used[up_of[psn] / LINKS * LINKS + down_of[psn]]++;
        }
        for (uint32_t i = 0; i < PATHS; i++)
        {
            ck_assert_uint_eq(used[i], 1);
        }
        for (uint32_t psn = WEFT_PSN_MASK; psn > WEFT_PSN_MASK - 50; psn--)
        {
            const uint32_t up = send(&source, WEFT_DATA, src, psn);
            ck_assert_uint_eq(up, up_of[psn % PATHS]);
            ck_assert_uint_eq(send(&spines[up / LINKS], WEFT_DATA, src, psn), down_of[psn % PATHS]);
        }
    }
}
END_TEST

/* A spine reverts to ECMP with its leaves, or where a bundle has lost a link. */
START_TEST(failures_revert_parallel_links_to_ecmp)
{
    static const uint16_t live[] = {16, 17, 19};
    struct leaf l;
    open_leaf(&l, 4, 1, NULL, NULL);
    const uint32_t base = send(&l, WEFT_RAW, 3, 0);
    ck_assert_uint_eq(send(&l, WEFT_DATA, 3, 1), (base + 1) % 4);
    l.ops->set_routes(l.state, failures);
    ck_assert_uint_eq(send(&l, WEFT_DATA, 3, 1), base);
    l.ops->set_routes(l.state, NULL);
    l.ports.list = live;
    l.ports.n = 3;
    ck_assert_uint_eq(send(&l, WEFT_DATA, 3, 1), send(&l, WEFT_DATA, 3, 0));
}
END_TEST

Suite *
themis_s_suite(void)
{
    Suite *suite = suite_create("themis-s");
    TCase *tcase = tcase_create("themis-s");
    tcase_add_test(tcase, path_is_psn_mod_n_plus_base_mod_n);
    tcase_add_test(tcase, residues_are_exact);
    tcase_add_test(tcase, flows_have_different_base_paths);
    tcase_add_test(tcase, replies_go_as_they_are_told_to);
    tcase_add_test(tcase, failures_revert_to_ecmp);
    tcase_add_test(tcase, aggregations_of_three_tiers_do_not_spray);
    tcase_add_test(tcase, parallel_links_are_part_of_the_path);
    tcase_add_test(tcase, failures_revert_parallel_links_to_ecmp);
    suite_add_tcase(suite, tcase);
    return suite;
}
