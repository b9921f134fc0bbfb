/* SPDX-License-Identifier: MIT */
/* A user would lose Ethereal's source routing (ethereal §3.2, §3.3): packets off the path that they
 * name, ACKs that say nothing of the data's links, or flows that stay on a failed path. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>

#include "ethereal-rig.h"
#include "lb-rig.h"
#include "must.h"
#include "refused.h"

#define MS INT64_C(1000000000) /* ps */

static const struct
{
    const char *kind, *shape;
} fabrics[] = {
    {"leaf-spine", "leaves=3 hosts-per-leaf=2 spines=4"},
    {"leaf-spine", "leaves=3 hosts-per-leaf=2 spines=3 parallel=2"},
    {"fat-tree", "k=4 tiers=3"},
    {"clos", "pods=2 tors-per-pod=2 hosts-per-tor=2 aggregations=2 cores=6 parallel=2 "
             "core-parallel=2 link-rate=100Gbps fabric-rate=400Gbps core-rate=400Gbps"},
};
#define NFABRICS 4

static uint32_t
tor_up(void)
{
    return ether.clos.up_tor * ether.clos.parallel;
}

static uint32_t
agg_up(void)
{
    return ether.clos.tiers == 3 ? ether.clos.up_agg * ether.clos.core_parallel : 1;
}

static bool
same_pod(uint32_t a, uint32_t b)
{
    const uint32_t pod = ether.clos.tors_per_pod;
    return weft_clos_tor(&ether.clos, a) / pod == weft_clos_tor(&ether.clos, b) / pod;
}

static struct weft_packet
packet_of(enum weft_packet_kind kind, uint32_t src, uint32_t dst, uint16_t sport)
{
    return (struct weft_packet){.kind = (uint8_t)kind,
                                .src = src & WEFT_HOST_MASK,
                                .dst = dst & WEFT_HOST_MASK,
                                .sport = sport};
}

static uint16_t
swapped(uint16_t label)
{
    return (uint16_t)(label << 8 | label >> 8);
}

/* The switches of §3.2 to the letter: each one reads the first half and swaps. Downwards there is
 * no choice but among parallel links: there the half counts that the switch below will have read on
 * the packet's way back. Returns what arrives. */
static uint16_t
drive_by_the_letter(const struct weft_packet *packet, uint64_t links[6])
{
    uint16_t label = packet->sport;
    uint32_t n = 0, at = weft_clos_tor(&ether.clos, packet->src);
    links[n++] = packet->src;
    for (;;)
    {
        struct weft_switch_map map;
        weft_clos_switch(&ether.clos, at, &map);
        const bool up = packet->dst < map.lo || packet->dst >= map.hi;
        const uint32_t child = up ? 0 : (packet->dst - map.lo) / map.hosts_per_child;
        const uint32_t port = up ? map.first_up + (uint32_t)(label >> 8)
                                 : child * map.parallel + (label & 255U) % map.parallel;
        label = swapped(label);
        links[n++] = path_drive_link(&ether.drive, at, port);
        const struct weft_end next = path_drive_peer(&ether.drive, at, port);
        if (next.is_host)
        {
            return label;
        }
        at = next.index;
    }
}

/* Whether the ACK of a packet of that name takes the data's links, backwards. */
static bool
ack_comes_back_the_same_way(uint32_t src, uint32_t dst, uint16_t label)
{
    struct weft_packet data = packet_of(WEFT_DATA, src, dst, label);
    struct weft_packet ack = packet_of(WEFT_ACK, dst, src, 50000);
    uint64_t there[6], back[6], letter[6];
    const bool copies = ether.config[0] == 1;
    const uint32_t n = ethereal_drive(&data, there);
    const uint16_t found = drive_by_the_letter(&data, letter);
    MUST(memcmp(there, letter, n * sizeof(there[0])) == 0);
    ack.echo = data.sport;
    ether.ops->path->reply(ethereal_host(dst), &ack);
    MUST(ack.sport == (copies ? found : swapped(found)));
    MUST(ethereal_drive(&ack, back) == n);
    drive_by_the_letter(&ack, letter);
    bool same = true;
    for (uint32_t i = 0; i < n; i++)
    {
        same = same && back[i] == there[n - 1 - i];
        MUST(copies || back[i] == letter[i]);
    }
    return same;
}

/* How many of the paths between all pairs of hosts of different racks have ACKs that take the
 * data's links; *all: how many paths there are. */
static uint32_t
count_same_ways(uint32_t *all, uint32_t *equal_halves)
{
    uint32_t same = 0;
    *all = 0;
    *equal_halves = 0;
    for (uint32_t pair = 0; pair < ether.clos.nhosts * ether.clos.nhosts; pair++)
    {
        const uint32_t src = pair / ether.clos.nhosts, dst = pair % ether.clos.nhosts;
        if (weft_clos_tor(&ether.clos, src) == weft_clos_tor(&ether.clos, dst))
        {
            continue;
        }
        const uint32_t above = same_pod(src, dst) ? 1 : agg_up();
        for (uint32_t path = 0; path < tor_up() * above; path++)
        {
            const uint16_t label = (uint16_t)(path % tor_up() << 8 | path / tor_up());
            same += ack_comes_back_the_same_way(src, dst, label);
            *equal_halves += label == swapped(label);
            ++*all;
        }
    }
    return same;
}

START_TEST(acks_take_the_links_of_the_data)
{
    uint32_t all, equal;
    ethereal_begin(fabrics[_i].kind, fabrics[_i].shape, "", 1);
    ck_assert_uint_eq(count_same_ways(&all, &equal), all);
    ethereal_end();
}
END_TEST

/* The receiver finds swapped halves: copied as they are, they name another path. */
START_TEST(acks_that_copy_do_so_only_if_both_halves_are_equal)
{
    uint32_t all, equal;
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "replies=copy", 1);
    ck_assert_uint_eq(count_same_ways(&all, &equal), equal);
    ck_assert_uint_eq(equal, all / 4); /* 4 spines, of which the second half names none */
    ethereal_end();
    ethereal_begin(fabrics[2].kind, fabrics[2].shape, "replies=copy", 1);
    ck_assert_uint_eq(count_same_ways(&all, &equal), equal);
    ck_assert_uint_eq(all, 16 * (12 * 4 + 2 * 2));
    ck_assert_uint_eq(equal, 16 * (12 * 2 + 2 * 1));
    ethereal_end();
}
END_TEST

/* Every path between the most distant hosts has a name, and names differ as links do. */
START_TEST(names_and_paths_are_one_to_one)
{
    uint64_t links[600][6];
    uint32_t n = 0;
    ethereal_begin(fabrics[_i].kind, fabrics[_i].shape, "", 1);
    const uint32_t last = ether.clos.nhosts - 1;
    MUST(tor_up() * agg_up() == ether.clos.npaths);
    for (uint32_t path = 0; path < ether.clos.npaths; path++, n++)
    {
        struct weft_packet packet =
            packet_of(WEFT_DATA, 0, last, (uint16_t)(path % tor_up() << 8 | path / tor_up()));
        const uint32_t hops = ethereal_drive(&packet, links[n]);
        for (uint32_t i = 0; i < n; i++)
        {
            MUST(memcmp(links[i], links[n], hops * sizeof(links[0][0])) != 0);
        }
    }
    ethereal_end();
}
END_TEST

/* Routing has converged without the first uplink of ToR 0: what names it goes as under ECMP, over
 * all that are left, and what names others as before. */
START_TEST(what_names_a_dead_port_goes_as_under_ecmp)
{
    uint32_t used[4] = {0};
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    const uint64_t dead = path_drive_link(&ether.drive, 0, 2);
    const int64_t size = weft_fib_size(&ether.clos, &dead, 1, false);
    struct weft_fib *fib = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(fib, (size_t)size, &ether.clos, &dead, 1, false), 0);
    ether.drive.fib = fib;
    for (uint32_t i = 0; i < 256; i++)
    {
        uint64_t links[6];
        struct weft_packet lost = packet_of(WEFT_DATA, 0, 4, (uint16_t)i);
        struct weft_packet other = packet_of(WEFT_DATA, 0, 4, 3 << 8);
        ethereal_drive(&lost, links);
        used[links[1] - dead]++;
        ethereal_drive(&other, links);
        ck_assert_uint_eq(links[1], path_drive_link(&ether.drive, 0, 5));
    }
    ck_assert_uint_eq(used[0], 0);
    ck_assert(used[1] > 50 && used[2] > 50 && used[3] > 50);
    ethereal_end();
    free(fib);
}
END_TEST

/* Neither a dead port nor one that no switch has leads anywhere but where ECMP goes. */
START_TEST(what_names_no_live_port_goes_where_ecmp_goes)
{
    static const uint32_t queues[8];
    struct lb_rig ecmp;
    struct weft_switch_map map;
    struct weft_ports ports;
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    const struct weft_site site = lb_site_of(&ether.clos, 1, 1);
    lb_open(&ecmp, "ecmp", NULL, &site);
    weft_clos_switch(&ether.clos, 1, &map);
    weft_route(&map, 0, &ports);
    ports.queue_bytes = queues;
    for (uint32_t i = 0; i < 1000; i++)
    {
        const uint16_t label = (uint16_t)((4 + i % 252) << 8 | i / 252); /* of 4 uplinks */
        struct weft_packet packet = packet_of(WEFT_DATA, 2, 0, label);
        struct weft_packet same = packet;
        const uint32_t port = ether.ops->pick(ether.drive.switches[1], &ports, &packet, 0);
        MUST(port == ecmp.ops->pick(ecmp.state, &ports, &same, 0));
        MUST(port >= map.first_up && port < map.first_up + 4U);
    }
    lb_close(&ecmp);
    ethereal_end();
}
END_TEST

/* IP stacks name no path. */
START_TEST(packets_of_ip_stacks_are_hashed)
{
    uint32_t used[4] = {0};
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    for (uint32_t i = 0; i < 400; i++)
    {
        uint64_t links[6];
        struct weft_packet raw = packet_of(WEFT_RAW, 0, 4, (uint16_t)i); /* first half: 0 or 1 */
        ethereal_drive(&raw, links);
        used[links[1] - path_drive_link(&ether.drive, 0, 2)]++;
    }
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert(used[i] > 60 && used[i] < 140);
    }
    ethereal_end();
}
END_TEST

/* A timeout or a NACK leads to one of the three others, each as likely. */
START_TEST(a_failure_moves_a_flow_to_any_other_path)
{
    uint32_t moves[4][4] = {{0}};
    uint64_t qp[4];
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "shun=0ps", 1);
    ethereal_qp(qp, 0, 4);
    for (uint32_t i = 0; i < 12000; i++)
    {
        const uint16_t before = ethereal_data(qp);
        MUST(before >> 8 < 4 && (before & 255) == 0);
        if (i % 2)
        {
            ether.ops->path->on_timeout(qp, 0);
        }
        else
        {
            ethereal_nack(qp, before, 0);
        }
        moves[before >> 8][ethereal_data(qp) >> 8]++;
    }
    for (uint32_t from = 0; from < 4; from++)
    {
        for (uint32_t to = 0; to < 4; to++)
        {
            MUST(from == to ? moves[from][to] == 0
                            : moves[from][to] > 850 && moves[from][to] < 1150);
        }
    }
    ethereal_end();
}
END_TEST

/* The other QP's paths have failed one by one, of four: at first path f, so that this one's goes to
 * one of two others; once all have, to any of the three. */
START_TEST(a_flow_does_not_move_to_a_path_that_is_shunned)
{
    uint32_t moves[4] = {0}, late[4] = {0};
    for (uint64_t seed = 0; seed < 3000; seed++)
    {
        uint64_t qp[4], other[4];
        ethereal_begin(fabrics[0].kind, fabrics[0].shape, "shun=10ms", seed);
        ethereal_qp(qp, 0, 4);
        ethereal_qp(other, 0, 4);
        const uint16_t before = ethereal_data(qp);
        const uint16_t failed = ethereal_data(other);
        ethereal_nack(other, failed, 0);
        ethereal_nack(qp, before, 0);
        const uint16_t now = ethereal_data(qp);
        MUST(now != before && now != failed);
        moves[((uint32_t)(now >> 8) + 4 - (before >> 8)) % 4]++;
        for (uint32_t i = 0; i < 20; i++)
        {
            const uint16_t last = ethereal_data(qp);
            ethereal_nack(qp, last, 0);
            const uint16_t next = ethereal_data(qp);
            MUST(next != last);
            late[((uint32_t)(next >> 8) + 4 - (last >> 8)) % 4] += i >= 10;
        }
        ethereal_end();
    }
    ck_assert_uint_eq(moves[0], 0);
    for (uint32_t i = 1; i < 4; i++)
    {
        MUST(moves[i] > 850 && moves[i] < 1150);
        MUST(late[i] > 9500 && late[i] < 10500);
    }
}
END_TEST

/* Within a pod the aggregation's half is 0: the path ends there. */
START_TEST(a_flow_within_its_pod_keeps_to_its_paths)
{
    uint64_t qp[4];
    bool used[2] = {false};
    ethereal_begin(fabrics[2].kind, fabrics[2].shape, "", 1);
    ethereal_qp(qp, 0, 2);
    for (uint32_t i = 0; i < 50; i++)
    {
        const uint16_t label = ethereal_data(qp);
        ck_assert(label == 0 || label == 1 << 8);
        used[label >> 8] = true;
        ether.ops->path->on_timeout(qp, 0);
    }
    ck_assert(used[0] && used[1]);
    ethereal_end();
}
END_TEST

/* A QP that no plan has seen. */
START_TEST(an_unplanned_flow_draws_any_path_and_keeps_it)
{
    uint32_t drawn[4] = {0};
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    for (uint32_t i = 0; i < 4000; i++)
    {
        uint64_t qp[4];
        ethereal_qp(qp, 0, 4);
        const uint16_t label = ethereal_data(qp);
        MUST(label >> 8 < 4 && (label & 255) == 0 && ethereal_data(qp) == label);
        drawn[label >> 8]++;
    }
    for (uint32_t path = 0; path < 4; path++)
    {
        MUST(drawn[path] > 850 && drawn[path] < 1150); /* 1,000, of a deviation of 27 */
    }
    ethereal_end();
}
END_TEST

START_TEST(the_only_path_is_kept)
{
    uint64_t qp[4];
    ethereal_begin("leaf-spine", "leaves=3 hosts-per-leaf=2 spines=1", "", 1);
    ethereal_qp(qp, 0, 4);
    for (uint32_t i = 0; i < 3; i++)
    {
        ck_assert_uint_eq(ethereal_data(qp), 0);
        ether.ops->path->on_timeout(qp, 0);
    }
    ethereal_end();
}
END_TEST

START_TEST(a_nack_of_a_path_that_was_left_moves_nothing)
{
    uint64_t qp[4];
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    ethereal_qp(qp, 0, 4);
    const uint16_t before = ethereal_data(qp);
    ethereal_nack(qp, before, MS);
    const uint16_t after = ethereal_data(qp);
    ck_assert_uint_ne(after, before);
    ethereal_nack(qp, before, MS);
    ck_assert_uint_eq(ethereal_data(qp), after);
    const struct weft_packet ack = {.kind = WEFT_ACK, .echo = after, .flags = WEFT_F_ECE};
    ether.ops->path->on_reply(qp, &ack, MS);
    ck_assert_uint_eq(ethereal_data(qp), after);
    ethereal_end();
}
END_TEST

/* A message that is posted behind another one does not overtake it. */
START_TEST(a_flow_keeps_its_path_while_something_is_under_way)
{
    uint64_t qp[4];
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    ethereal_qp(qp, 0, 4);
    ether.ops->path->on_label(qp, 1 << 8, 0);
    ether.ops->path->on_active(qp, true, 0);
    ether.ops->path->on_label(qp, 2 << 8, 0);
    ck_assert_uint_eq(ethereal_data(qp), 1 << 8);
    ether.ops->path->on_active(qp, false, 0);
    ck_assert_uint_eq(ethereal_data(qp), 1 << 8);
    ether.ops->path->on_label(qp, 2 << 8, 0);
    ck_assert_uint_eq(ethereal_data(qp), 2 << 8);
    ethereal_end();
}
END_TEST

/* In the own rack there is no path to name, and none to leave. */
START_TEST(flows_within_the_rack_keep_their_port)
{
    uint64_t qp[4];
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    ethereal_qp(qp, 0, 1);
    ether.ops->path->on_timeout(qp, 0);
    ethereal_nack(qp, 50000, 0);
    ck_assert_uint_eq(ethereal_data(qp), 50000);
    ethereal_qp(qp, 5, 4); /* of the last rack */
    ck_assert_uint_eq(ethereal_data(qp), 50000);
    ethereal_qp(qp, 5, 0);
    ck_assert_uint_ne(ethereal_data(qp), 50000);
    ethereal_end();
}
END_TEST

START_TEST(impossible_settings_are_refused)
{
    static const int64_t wrong[][3] = {{-1, 0, 0}, {2, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    ethereal_begin(fabrics[0].kind, fabrics[0].shape, "", 1);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
    {
        struct weft_refusal why = {0};
        uint64_t state[32];
        const struct weft_path_site at = {
            .clos = &ether.clos, .why = &why, .provides = WEFT_NEEDS_ALL};
        ck_assert_int_lt(ether.ops->path->host_init(state, wrong[i], &at), 0);
    }
    ck_assert_uint_eq(ether.ops->plan->qps(ether.config), 1);
    ethereal_end();
}
END_TEST

START_TEST(what_it_cannot_name_is_refused)
{
    static const char *const wide[] = {"leaves", "2", "spines", "257", "hosts-per-leaf", "1", NULL};
    const struct weft_lb_ops *ops = weft_lb_find("ethereal");
    struct weft_clos clos;
    struct weft_refusal why = {0};
    uint64_t config[8], state[16];
    lb_build(&clos, "leaf-spine", wide);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    struct weft_site site = lb_site_of(&clos, 0, 1);
    site.why = &why;
    ck_assert_int_eq(ops->init(state, config, &site), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "256 uplinks"));
    struct weft_path_site at = {.clos = &clos, .why = &why, .provides = WEFT_NEEDS_ALL};
    ck_assert_int_eq(ops->path->host_init(state, config, &at), WEFT_ERANGE);
    refused(WEFT_ERANGE, &why);
    ck_assert_int_eq(ops->path->qp_init(state, NULL, config, &at, 0), WEFT_EINVAL);
    refused(WEFT_EINVAL, &why);
    const struct weft_plan_site plan = {.clos = &clos, .why = &why};
    ck_assert_int_eq(ops->plan->host_init(state, config, &plan), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "host_init()"));
    at.clos = NULL;
    ck_assert_int_eq(ops->path->host_init(state, config, &at), WEFT_ENOTCLOS);
}
END_TEST

Suite *ethereal_paths_suite(void);

Suite *
ethereal_paths_suite(void)
{
    Suite *suite = suite_create("ethereal-paths");
    TCase *tcase = tcase_create("paths");
    tcase_add_loop_test(tcase, acks_take_the_links_of_the_data, 0, NFABRICS);
    tcase_add_test(tcase, acks_that_copy_do_so_only_if_both_halves_are_equal);
    tcase_add_loop_test(tcase, names_and_paths_are_one_to_one, 0, NFABRICS);
    tcase_add_test(tcase, what_names_a_dead_port_goes_as_under_ecmp);
    tcase_add_test(tcase, what_names_no_live_port_goes_where_ecmp_goes);
    tcase_add_test(tcase, packets_of_ip_stacks_are_hashed);
    tcase_add_test(tcase, a_failure_moves_a_flow_to_any_other_path);
    tcase_add_test(tcase, a_flow_does_not_move_to_a_path_that_is_shunned);
    tcase_add_test(tcase, a_flow_within_its_pod_keeps_to_its_paths);
    tcase_add_test(tcase, an_unplanned_flow_draws_any_path_and_keeps_it);
    tcase_add_test(tcase, the_only_path_is_kept);
    tcase_add_test(tcase, a_nack_of_a_path_that_was_left_moves_nothing);
    tcase_add_test(tcase, a_flow_keeps_its_path_while_something_is_under_way);
    tcase_add_test(tcase, flows_within_the_rack_keep_their_port);
    tcase_add_test(tcase, impossible_settings_are_refused);
    tcase_add_test(tcase, what_it_cannot_name_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
