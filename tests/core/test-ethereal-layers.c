/* SPDX-License-Identifier: MIT */
/* A user would lose equal shares (ethereal §2.3, §3.2) above the ToRs' uplinks, from hosts other
 * than the first, or where links are parallel. */
#include <check.h>
#include <string.h>

#include "ethereal-rig.h"
#include "must.h"

#define MAX_LINKS 1024

static const struct
{
    const char *kind, *shape;
    uint32_t far_paths, near_paths; /* to other pods, and within one */
} fabrics[] = {
    {"leaf-spine", "leaves=4 hosts-per-leaf=3 spines=5", 0, 5},
    {"leaf-spine", "leaves=3 hosts-per-leaf=2 spines=3 parallel=2", 0, 6},
    {"fat-tree", "k=4 tiers=3", 4, 2},
    {"fat-tree", "k=6 tiers=3", 9, 3},
    {"clos",
     "pods=3 tors-per-pod=2 hosts-per-tor=2 aggregations=2 cores=6 parallel=2 core-parallel=2 "
     "link-rate=100Gbps fabric-rate=400Gbps core-rate=400Gbps",
     48, 4},
};
#define NFABRICS 5

static struct weft_plan_message batch[64];

static uint32_t
pod_of(uint32_t host)
{
    return weft_clos_tor(&ether.clos, host) / ether.clos.tors_per_pod;
}

static uint32_t
paths_between(int fabric, uint32_t src, uint32_t dst)
{
    if (weft_clos_tor(&ether.clos, src) == weft_clos_tor(&ether.clos, dst))
    {
        return 1;
    }
    return pod_of(src) == pod_of(dst) ? fabrics[fabric].near_paths : fabrics[fabric].far_paths;
}

/* Bytes of the plan on each link, by its place on the way. Returns how many links a way has. */
static uint32_t
load_links(uint32_t src, uint32_t dst, uint64_t load[6][MAX_LINKS])
{
    uint32_t hops = 0;
    memset(load, 0, 6 * MAX_LINKS * sizeof(load[0][0]));
    MUST(ether.clos.nlinks <= MAX_LINKS);
    for (size_t i = 0; i < ether.nparts; i++)
    {
        struct weft_packet packet = {.kind = WEFT_DATA,
                                     .src = src & WEFT_HOST_MASK,
                                     .dst = dst & WEFT_HOST_MASK,
                                     .sport = ether.parts[i].label};
        uint64_t links[6];
        hops = ethereal_drive(&packet, links);
        for (uint32_t hop = 0; hop < hops; hop++)
        {
            load[hop][links[hop]] += ether.parts[i].bytes;
        }
    }
    return hops;
}

/* All links at one place of the way have the same. Returns how many they are. */
static uint32_t
count_even(const uint64_t load[MAX_LINKS], uint64_t all)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < MAX_LINKS; i++)
    {
        used += load[i] > 0;
    }
    for (uint32_t i = 0; i < MAX_LINKS; i++)
    {
        MUST(load[i] == 0 || load[i] * used == all);
    }
    return used;
}

/* n messages of one byte per path and more: the uplinks, and the links of each layer above them up
 * and down, carry the same, and none that spraying would use is left out. */
static void
check_pair(int fabric, uint32_t src, uint32_t dst, uint32_t n)
{
    static uint64_t load[6][MAX_LINKS];
    const uint32_t paths = paths_between(fabric, src, dst);
    const uint64_t bytes = 10 * paths;
    for (uint32_t i = 0; i < n; i++)
    {
        batch[i] = (struct weft_plan_message){.dst = dst, .connection = i, .bytes = bytes};
    }
    ethereal_plan(batch, n, 0);
    const uint32_t hops = load_links(src, dst, load);
    uint32_t most = 1;
    for (uint32_t hop = 0; hop < hops; hop++)
    {
        const uint32_t used = count_even(load[hop], n * bytes);
        most = used > most ? used : most;
        MUST((hop > 0 && hop < hops - 1) || used == 1);
        MUST(hop != 1 || hops == 2 || used == fabrics[fabric].near_paths);
    }
    MUST(hops > 4 ? most * ether.clos.parallel == paths : most == paths);
}

START_TEST(every_layer_gets_equal_shares)
{
    ethereal_begin(fabrics[_i].kind, fabrics[_i].shape, "", 1);
    for (uint32_t src = 0; src < ether.clos.nhosts; src++)
    {
        ethereal_plan_at(src);
        for (uint32_t dst = 0; dst < ether.clos.nhosts; dst++)
        {
            for (uint32_t n = 1; src != dst && n <= 27; n += 1 + n / 5)
            {
                check_pair(_i, src, dst, n);
            }
        }
    }
    ethereal_end();
}
END_TEST

/* Two collectives that post at one instant are one batch: towards each ToR all messages count, and
 * each pair of them is placed as if they were one's. */
START_TEST(a_batch_of_several_collectives_is_one)
{
    uint64_t load[256] = {0};
    uint32_t divided = 0;
    ethereal_spines(4, "");
    for (uint32_t i = 0; i < 6; i++)
    {
        batch[i] = (struct weft_plan_message){.dst = 2 + i % 2, .connection = i, .bytes = 400};
    }
    ethereal_plan(batch, 6, 0);
    for (size_t i = 0; i < ether.nparts; i++)
    {
        load[ether.parts[i].label >> 8] += ether.parts[i].bytes;
        divided += ether.parts[i].bytes < 400;
    }
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_uint_eq(load[i], 600);
    }
    ck_assert_uint_eq(divided, 4); /* two messages in halves, not three and three in quarters */
    ethereal_end();
}
END_TEST

/* Where a deal begins: the path of the first of as many messages as there are paths. */
static uint32_t
beginning(uint32_t dst)
{
    for (uint32_t i = 0; i < 4; i++)
    {
        batch[i] = (struct weft_plan_message){.dst = dst, .connection = i, .bytes = 100};
    }
    ethereal_plan(batch, 4, 0);
    for (size_t i = 0; i < ether.nparts; i++)
    {
        if (ether.parts[i].message == 0)
        {
            return ether.parts[i].label >> 8;
        }
    }
    MUST_FAIL("a message without a part");
    return 0;
}

/* Any path, another one for each host and ToR, and always the same one for these: what does not
 * come out even, such as messages of few bytes, does not meet on one uplink. */
START_TEST(deals_begin_at_any_path)
{
    uint32_t begun[4] = {0}, by_tor = 0, by_host = 0;
    ethereal_begin("leaf-spine", "leaves=41 hosts-per-leaf=10 spines=4", "", 1);
    for (uint32_t host = 0; host < 10; host++)
    {
        ethereal_plan_at(host);
        for (uint32_t dst = 10; dst < 410; dst += 10)
        {
            const uint32_t path = beginning(dst);
            MUST(beginning(dst) == path);
            begun[path]++;
            by_tor += host == 0 && path == 0;
            by_host += dst == 10 && path == 0;
        }
    }
    for (uint32_t path = 0; path < 4; path++)
    {
        ck_assert(begun[path] > 60 && begun[path] < 140); /* 100, of a deviation of 9 */
    }
    ck_assert(by_tor > 0 && by_tor < 40 && by_host < 10);
    ethereal_end();
}
END_TEST

static const struct
{
    const char *kind, *shape;
    uint32_t hop; /* the one with 256 links */
} wide[] = {
    {"leaf-spine", "leaves=2 hosts-per-leaf=1 spines=256", 1},
    {"clos",
     "pods=2 tors-per-pod=1 hosts-per-tor=1 aggregations=1 cores=256 parallel=1 core-parallel=1 "
     "link-rate=100Gbps fabric-rate=100Gbps core-rate=100Gbps",
     2},
};

/* As wide as a name allows: every uplink has one, and what names it takes it. */
START_TEST(all_of_256_uplinks_have_names)
{
    bool used[256] = {false};
    ethereal_begin(wide[_i].kind, wide[_i].shape, "", 1);
    batch[0] = (struct weft_plan_message){.dst = 1, .bytes = 256};
    ethereal_plan(batch, 1, 0);
    ck_assert_uint_eq(ether.nparts, 256);
    for (size_t i = 0; i < 256; i++)
    {
        const uint16_t label = ether.parts[i].label;
        const uint32_t digit = _i == 0 ? label >> 8 : label & 255U;
        struct weft_packet packet = {.kind = WEFT_DATA, .dst = 1, .sport = label};
        struct weft_link link;
        uint64_t links[6];
        ethereal_drive(&packet, links);
        weft_clos_link(&ether.clos, links[wide[_i].hop], &link);
        MUST(links[wide[_i].hop] == path_drive_link(&ether.drive, link.lower.index, 1 + digit) &&
             !used[digit]);
        used[digit] = true;
    }
    ethereal_end();
}
END_TEST

Suite *ethereal_layers_suite(void);

Suite *
ethereal_layers_suite(void)
{
    Suite *suite = suite_create("ethereal-layers");
    TCase *tcase = tcase_create("layers");
    tcase_add_loop_test(tcase, every_layer_gets_equal_shares, 0, NFABRICS);
    tcase_add_test(tcase, a_batch_of_several_collectives_is_one);
    tcase_add_test(tcase, deals_begin_at_any_path);
    tcase_add_loop_test(tcase, all_of_256_uplinks_have_names, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
