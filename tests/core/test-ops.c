/* SPDX-License-Identifier: MIT */
/* A user would lose host-side spraying (ofan §3.2(4)): packets bunched on some paths, replies that
 * collide, or a run that cannot be repeated. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"

#define PORTS 16

/* One host and one of its QPs. */
static struct
{
    const struct weft_lb_ops *ops;
    uint64_t config[4];
    uint64_t host[8];
    uint64_t qp[8];
} rig;

static void
begin_ops(uint64_t seed, uint64_t run, uint32_t host, uint32_t qp_index, const char *replies)
{
    const struct weft_path_site site = {seed, run, host, NULL};
    memset(&rig, 0, sizeof(rig));
    rig.ops = weft_lb_find("ops");
    ck_assert_ptr_nonnull(rig.ops);
    ck_assert_int_eq(rig.ops->kind, WEFT_LB_PATH);
    ck_assert_uint_le(rig.ops->algo.config_size, sizeof(rig.config));
    ck_assert_uint_le(rig.ops->path->host_size(rig.config, &site), sizeof(rig.host));
    ck_assert_uint_le(rig.ops->path->qp_size(rig.config), sizeof(rig.qp));
    ck_assert_int_eq(weft_config_default(&rig.ops->algo, rig.config), 0);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "replies", replies), 0);
    ck_assert_int_eq(rig.ops->path->host_init(rig.host, rig.config, &site), 0);
    rig.ops->path->qp_init(rig.qp, rig.host, rig.config, &site, qp_index);
}

static struct weft_packet
packet_of(enum weft_packet_kind kind)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = (uint8_t)kind;
    packet.src = 3;
    packet.dst = 77;
    packet.sport = 50000;
    return packet;
}

static uint16_t
data_port(void)
{
    struct weft_packet packet = packet_of(WEFT_DATA);
    rig.ops->path->data(rig.qp, &packet, 0);
    ck_assert(packet.src == 3 && packet.dst == 77 && packet.kind == WEFT_DATA);
    return packet.sport;
}

static uint16_t
reply_port(enum weft_packet_kind kind)
{
    struct weft_packet packet = packet_of(kind);
    rig.ops->path->reply(rig.host, &packet);
    return packet.sport;
}

/* Sum of squares against a uniform expectation, in standard deviations of chi-square. */
static double
chi_score(const uint32_t *counts, uint32_t n, uint32_t total)
{
    double x = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const double d = (double)counts[i] - (double)total / n;
        x += d * d * n / total;
    }
    return (x - (n - 1)) * (x - (n - 1)) / (2.0 * (n - 1));
}

START_TEST(source_ports_are_uniform_over_all_16_bits)
{
    static uint32_t high[256];
    static uint32_t low[256];
    begin_ops(1, 1, 3, 0, "spray");
    for (uint32_t i = 0; i < 256 * 400; i++)
    {
        const uint16_t port = data_port();
        high[port >> 8]++;
        low[port & 255]++;
    }
    ck_assert_double_lt(chi_score(high, 256, 256 * 400), 25);
    ck_assert_double_lt(chi_score(low, 256, 256 * 400), 25);
}
END_TEST

START_TEST(two_tiers_of_switches_spread_one_flow_over_all_paths)
{
    static uint32_t counts[PORTS * PORTS];
    uint64_t edge[8];
    uint64_t aggregation[PORTS][8];
    uint32_t queues[PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 0, PORTS, PORTS};
    struct weft_site site;
    memset(&site, 0, sizeof(site));
    site.seed = 5;
    site.tiers = 3;
    site.up_ports = PORTS;
    begin_ops(5, 1, 3, 0, "spray");
    ck_assert_int_eq(rig.ops->init(edge, rig.config, &site), 0);
    for (uint32_t i = 0; i < PORTS; i++)
    {
        site.switch_index = 1 + i;
        site.tier = 1;
        ck_assert_int_eq(rig.ops->init(aggregation[i], rig.config, &site), 0);
    }
    for (uint32_t i = 0; i < 256 * 100; i++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA);
        rig.ops->path->data(rig.qp, &packet, 0);
        const uint16_t sport = packet.sport;
        const uint32_t up = rig.ops->pick(edge, &ports, &packet, 0);
        counts[up * PORTS + rig.ops->pick(aggregation[up], &ports, &packet, 0)]++;
        MUST(packet.sport == sport); /* switches hash, and nothing else */
        MUST(rig.ops->pick(edge, &ports, &packet, 1) == up);
    }
    /* 65,536 values thrown into 256 paths: 256 each, give or take 16, and 100 draws, give or take
     * 10. */
    for (uint32_t i = 0; i < PORTS * PORTS; i++)
    {
        ck_assert(counts[i] > 100 - 5 * 12 && counts[i] < 100 + 5 * 12);
    }
}
END_TEST

START_TEST(switches_hash_as_under_ecmp)
{
    const struct weft_lb_ops *ecmp = weft_lb_find("ecmp");
    uint64_t config[4];
    uint64_t ours[8];
    uint64_t theirs[8];
    uint32_t queues[PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 0, PORTS, PORTS};
    struct weft_site site;
    memset(&site, 0, sizeof(site));
    site.seed = 9;
    begin_ops(9, 1, 3, 0, "spray");
    ck_assert_int_eq(weft_config_default(&ecmp->algo, config), 0);
    ck_assert_int_eq(rig.ops->init(ours, rig.config, &site), 0);
    ck_assert_int_eq(ecmp->init(theirs, config, &site), 0);
    for (uint32_t i = 0; i < 1000; i++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA);
        packet.sport = (uint16_t)(i * 61);
        MUST(rig.ops->pick(ours, &ports, &packet, 0) == ecmp->pick(theirs, &ports, &packet, 0));
    }
}
END_TEST

START_TEST(replies_are_sprayed_unless_asked_otherwise)
{
    static const enum weft_packet_kind kinds[] = {WEFT_ACK, WEFT_NACK, WEFT_CNP};
    begin_ops(1, 1, 3, 0, "ecmp");
    for (uint32_t i = 0; i < 30; i++)
    {
        ck_assert_uint_eq(reply_port(kinds[i % 3]), 50000);
    }
    ck_assert_uint_ne(data_port(), data_port());
    begin_ops(1, 1, 3, 0, "spray");
    uint32_t kept = 0;
    for (uint32_t i = 0; i < 3000; i++)
    {
        kept += reply_port(kinds[i % 3]) == 50000;
    }
    ck_assert_uint_le(kept, 2);
    ck_assert_int_eq(weft_config_default(&rig.ops->algo, rig.config), 0);
    ck_assert_int_eq((int)rig.config[0], 1); /* spray */
}
END_TEST

/* Draws of one QP and of its host, one number of each. */
static uint64_t
draws(uint64_t seed, uint64_t run, uint32_t host, uint32_t qp_index)
{
    uint64_t word = 0;
    begin_ops(seed, run, host, qp_index, "spray");
    for (int i = 0; i < 2; i++)
    {
        word = word << 16 | data_port();
        word = word << 16 | reply_port(WEFT_ACK);
    }
    return word;
}

START_TEST(a_run_can_be_repeated_and_streams_are_apart)
{
    const uint64_t data = UINT64_C(0xffff0000ffff0000);
    const uint64_t base = draws(1, 1, 3, 8);
    ck_assert(draws(1, 1, 3, 8) == base);
    ck_assert((draws(2, 1, 3, 8) & data) != (base & data));
    ck_assert((draws(1, 2, 3, 8) & ~data) != (base & ~data));
    /* A QP's draws are its own, and so are a host's. */
    ck_assert((draws(1, 1, 3, 9) & data) != (base & data));
    ck_assert((draws(1, 1, 3, 9) & ~data) == (base & ~data));
    ck_assert((draws(1, 1, 4, 8) & data) == (base & data));
    ck_assert((draws(1, 1, 4, 8) & ~data) != (base & ~data));
    ck_assert((base & data) != (base & ~data) << 16);
}
END_TEST

Suite *
ops_suite(void)
{
    Suite *suite = suite_create("ops");
    TCase *tcase = tcase_create("ops");
    tcase_add_test(tcase, source_ports_are_uniform_over_all_16_bits);
    tcase_add_test(tcase, two_tiers_of_switches_spread_one_flow_over_all_paths);
    tcase_add_test(tcase, switches_hash_as_under_ecmp);
    tcase_add_test(tcase, replies_are_sprayed_unless_asked_otherwise);
    tcase_add_test(tcase, a_run_can_be_repeated_and_streams_are_apart);
    suite_add_tcase(suite, tcase);
    return suite;
}
