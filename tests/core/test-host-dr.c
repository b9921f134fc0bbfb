/* SPDX-License-Identifier: MIT */
/* A user would lose rotation at the hosts (ofan §6.1, App. E): paths visited unequally or in
 * bunches, packets that leave the path they were given, or dead paths that are still used. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"
#include "path-drive.h"
#include "refused.h"

#define MAX_LINKS 512
#define MAX_PORTS 32

static const int64_t spines[32] = {4, 3, 2, 2, 1000000000, 0, 0, 0, 1, 0};
static const int64_t tree_4[32] = {4, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t tree_6[32] = {6, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t flat_6[32] = {6, 2, 1000000000, 0, 0, 0, [9] = 1};
#define NSHAPES 5

static const char *const kinds[NSHAPES] = {"leaf-spine", "fat-tree", "fat-tree", "fat-tree",
                                           "clos"};

/* Three tiers whose parallel links, rates and delays are their own. */
static const int64_t three_tiers[32] = {3,          2,          2,          2, 3, 2, 3,
                                        1000000000, 2000000000, 5000000000, 0, 0, 0, [13] = 1};

/* A fabric with the balancer at every switch and host. */
static struct
{
    const struct weft_lb_ops *ops;
    struct weft_clos clos;
    struct path_drive drive;
    uint64_t *hosts;
    size_t host_words;
    struct weft_fib *fib;
} f;

static void
shape(int i)
{
    const int64_t *configs[] = {spines, flat_6, tree_4, tree_6, three_tiers};
    ck_assert_int_eq(weft_topology_find(kinds[i])->build(configs[i], &f.clos), 0);
    ck_assert_uint_le(f.clos.nlinks, MAX_LINKS);
}

static void *
host_at(uint32_t host)
{
    return f.hosts + f.host_words * host;
}

static void
begin(int which, uint64_t seed, uint64_t run)
{
    struct weft_path_site at = {.provides = WEFT_NEEDS_ALL};
    shape(which);
    f.fib = NULL;
    f.ops = weft_lb_find("host-dr");
    path_drive_begin(&f.drive, f.ops, NULL, &f.clos, seed);
    at.seed = seed;
    at.run = run;
    at.clos = &f.clos;
    f.host_words = (f.ops->path->host_size(NULL, &at) + 7) / 8;
    f.hosts = (uint64_t *)calloc(f.clos.nhosts, f.host_words * 8);
    for (at.host = 0; at.host < f.clos.nhosts; at.host++)
    {
        ck_assert_int_eq(f.ops->path->host_init(host_at(at.host), NULL, &at), 0);
    }
}

static void
end(void)
{
    path_drive_end(&f.drive);
    free(f.hosts);
    free(f.fib);
}

static struct weft_packet
packet_of(enum weft_packet_kind kind, uint32_t src, uint32_t dst)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = (uint8_t)kind;
    packet.src = src & WEFT_HOST_MASK;
    packet.dst = dst & WEFT_HOST_MASK;
    packet.sport = 50000;
    return packet;
}

/* The path that the next packet is given. */
static uint16_t
data(uint32_t src, uint32_t dst)
{
    struct weft_packet packet = packet_of(WEFT_DATA, src, dst);
    uint64_t qp[2];
    MUST(f.ops->path->qp_size(NULL, NULL) <= sizeof(qp));
    const struct weft_path_site at = {.provides = WEFT_NEEDS_ALL};
    f.ops->path->qp_init(qp, host_at(src), NULL, &at, 7); /* all QPs share a host's pointers */
    f.ops->path->data(qp, &packet, 0);
    return packet.sport;
}

static uint16_t
reply(uint32_t src, uint32_t dst)
{
    struct weft_packet packet = packet_of(WEFT_ACK, src, dst);
    f.ops->path->reply(host_at(src), &packet);
    return packet.sport;
}

static void
check_drive(enum weft_packet_kind kind, uint32_t src, uint32_t dst, uint16_t path)
{
    struct weft_packet packet = packet_of(kind, src, dst);
    uint64_t taken[6];
    uint64_t meant[6];
    packet.sport = path;
    const uint32_t n = weft_clos_path(&f.clos, src, dst, path, meant);
    MUST(path_drive(&f.drive, &packet, taken) == n);
    MUST(memcmp(taken, meant, n * sizeof(meant[0])) == 0);
    MUST(packet.sport == path);
}

START_TEST(a_packet_takes_the_path_whose_number_it_carries)
{
    begin(_i, 1, 1);
    for (uint32_t src = 0; src < f.clos.nhosts; src++)
    {
        for (uint32_t i = 0; i < f.clos.nhosts * 9; i++)
        {
            const uint32_t dst = i / 9;
            if (src != dst)
            {
                check_drive(WEFT_DATA, src, dst, data(src, dst));
                check_drive(WEFT_ACK, src, dst, reply(src, dst));
            }
        }
    }
    end();
}
END_TEST

/* Any window of as many packets as there are paths visits each path once; any window of as many as
 * the ToR has up ports, each of these ports once: the period k/2 of App. E. */
static void
check_rotation(uint32_t src, uint32_t dst)
{
    const uint32_t paths = weft_clos_paths(&f.clos, src, dst);
    const uint32_t up = f.clos.up_tor * f.clos.parallel;
    uint16_t path[3 * 512];
    for (uint32_t i = 0; i < 3 * paths; i++)
    {
        path[i] = data(src, dst);
        MUST(path[i] < paths);
        for (uint32_t k = 1; k < paths && k <= i; k++)
        {
            MUST(path[i] != path[i - k]);
            MUST(paths == 1 || k >= up || path[i] % up != path[i - k] % up);
        }
    }
}

START_TEST(every_window_visits_every_path_once)
{
    begin(_i, 1, 1);
    for (uint32_t dst = 1; dst < f.clos.nhosts; dst++)
    {
        check_rotation(0, dst);
        check_rotation(dst, 0);
    }
    end();
}
END_TEST

/* k = 4: aggregation, then core. */
START_TEST(consecutive_packets_alternate_between_aggregations)
{
    begin(2, 1, 1);
    uint16_t path = data(0, 15);
    for (uint32_t i = 0; i < 16; i++)
    {
        const uint16_t next = data(0, 15);
        ck_assert_uint_eq(next, (path + 1U) % 4);
        ck_assert_uint_ne(next % 2, path % 2);
        path = next;
    }
    end();
}
END_TEST

START_TEST(destinations_and_size_classes_have_pointers_of_their_own)
{
    uint16_t alone[8];
    begin(3, 5, 1);
    for (int i = 0; i < 8; i++)
    {
        alone[i] = data(2, 50);
    }
    end();
    begin(3, 5, 1);
    for (int i = 0; i < 8; i++)
    {
        for (int k = 0; k <= i; k++)
        {
            reply(2, 50);
            data(2, 51);
            data(3, 50);
        }
        ck_assert_uint_eq(data(2, 50), alone[i]);
    }
    end();
}
END_TEST

/* 9 paths, 54 hosts, 12 runs: the starts of data and of replies, and their difference. */
START_TEST(starts_are_uniform_and_independent)
{
    uint32_t counts[3][9] = {{0}};
    uint32_t total = 0;
    for (uint64_t run = 0; run < 12; run++)
    {
        begin(3, 7, run);
        for (uint32_t src = 0; src < 54; src++)
        {
            for (uint32_t dst = 0; dst < 54; dst++)
            {
                if (src / 9 != dst / 9)
                {
                    const uint32_t a = data(src, dst);
                    const uint32_t b = reply(src, dst);
                    counts[0][a]++;
                    counts[1][b]++;
                    counts[2][(a + 9 - b) % 9]++;
                    total++;
                }
            }
        }
        end();
    }
    for (int c = 0; c < 3; c++)
    {
        double x = 0;
        for (int i = 0; i < 9; i++)
        {
            const double d = counts[c][i] - total / 9.0;
            x += d * d * 9 / total;
        }
        ck_assert_double_lt(x, 8 + 5 * 4); /* chi-square: mean 8, deviation 4 */
    }
}
END_TEST

START_TEST(a_run_can_be_repeated_and_others_differ)
{
    uint16_t starts[4][54];
    static const uint64_t seeds[4][2] = {{1, 1}, {1, 1}, {2, 1}, {1, 2}};
    for (int i = 0; i < 4; i++)
    {
        begin(3, seeds[i][0], seeds[i][1]);
        for (uint32_t dst = 1; dst < 54; dst++)
        {
            starts[i][dst] = data(0, dst);
        }
        starts[i][0] = 0;
        end();
    }
    ck_assert_mem_eq(starts[0], starts[1], sizeof(starts[0]));
    ck_assert_mem_ne(starts[0], starts[2], sizeof(starts[0]));
    ck_assert_mem_ne(starts[0], starts[3], sizeof(starts[0]));
}
END_TEST

/* Each link between switches is dead with this probability, per cent. */
static void
fail_links(struct weft_rng *rng, uint32_t percent)
{
    uint64_t dead[MAX_LINKS];
    size_t n = 0;
    for (uint64_t i = f.clos.nhosts; i < f.clos.nlinks; i++)
    {
        dead[n] = i;
        n += weft_rng_below(rng, 100) < percent;
    }
    const int64_t size = weft_fib_size(&f.clos, dead, n, true);
    ck_assert_int_gt(size, 0);
    f.fib = calloc(1, (size_t)size);
    ck_assert_int_eq(weft_fib_build(f.fib, (size_t)size, &f.clos, dead, n, true), 0);
    f.drive.fib = f.fib;
    for (uint32_t host = 0; host < f.clos.nhosts; host++)
    {
        f.ops->path->set_routes(host_at(host), 0, f.fib);
    }
}

/* The live paths in cyclic order, each as often as the others. */
static void
check_live(uint32_t src, uint32_t dst)
{
    const uint32_t paths = weft_clos_paths(&f.clos, src, dst);
    uint32_t live[512];
    uint32_t n = 0;
    for (uint32_t path = 0; path < paths; path++)
    {
        live[n] = path;
        n += weft_fib_path(f.fib, src, dst, path);
    }
    uint32_t at = 0;
    const uint32_t first = data(src, dst);
    while (at < n && live[at] != first)
    {
        at++;
    }
    MUST(at < n || n == 0);
    for (uint32_t i = 1; i < 3 * n; i++)
    {
        const uint16_t path = data(src, dst);
        MUST(path == live[(at + i) % n]);
        check_drive(WEFT_DATA, src, dst, path);
    }
}

START_TEST(dead_paths_are_passed_over)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 4, 4, 4);
    for (uint32_t round = 0; round < 12; round++)
    {
        begin(_i, 1, round);
        fail_links(&rng, 1 + 7 * round);
        for (uint32_t src = 0; src < f.clos.nhosts; src += 3)
        {
            for (uint32_t dst = 0; dst < f.clos.nhosts; dst++)
            {
                if (src != dst)
                {
                    check_live(src, dst);
                }
            }
        }
        end();
    }
}
END_TEST

START_TEST(after_repair_all_paths_are_used_again)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 4, 4, 4);
    begin(3, 1, 1);
    fail_links(&rng, 30);
    data(0, 50);
    f.ops->path->set_routes(host_at(0), 0, NULL);
    check_rotation(0, 50);
    end();
}
END_TEST

/* A host that does not know yet of what the switches know: the packet takes a candidate. */
START_TEST(a_path_that_is_no_candidate_falls_back_to_one_that_is)
{
    static const uint16_t list[] = {3, 3, 4};
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, list, 3, 3, 3};
    uint32_t counts[MAX_PORTS] = {0};
    begin(3, 1, 1);
    for (uint16_t path = 0; path < 9; path++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA, 0, 50);
        packet.sport = path;
        const uint32_t port = f.ops->pick(f.drive.switches[0], &ports, &packet, 0);
        ck_assert(path % 3 == 2 || port == 3U + path % 3);
        counts[port]++;
    }
    ck_assert_uint_eq(counts[3] + counts[4], 9);
    end();
}
END_TEST

/* Paths 1, 3 and 5 of 6 are dead: what they would carry is shared by the others. */
START_TEST(dead_paths_fall_back_to_different_ones)
{
    static const uint16_t list[] = {2, 4, 6};
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, list, 2, 3, 6};
    uint32_t counts[MAX_PORTS] = {0};
    begin(0, 1, 1);
    for (uint16_t path = 0; path < 6; path++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA, 0, 7);
        packet.sport = path;
        const uint32_t port = f.ops->pick(f.drive.switches[0], &ports, &packet, 0);
        ck_assert(path % 2 == 1 || port == 2U + path);
        counts[port]++;
    }
    ck_assert(counts[2] == 2 && counts[4] == 2 && counts[6] == 2);
    end();
}
END_TEST

/* Weights repeat a list that is stored once: three ports, three times each. What lies behind it is
 * not read. */
START_TEST(a_list_with_weights_is_read_as_it_is_stored)
{
    static const uint16_t stored[] = {2, 4, 6, 9, 9, 9, 9, 9, 9};
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, stored, 2, 9, 6, 3, 9};
    begin(0, 1, 1);
    for (uint16_t path = 0; path < 6; path++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA, 0, 7);
        packet.sport = path;
        const uint32_t port = f.ops->pick(f.drive.switches[0], &ports, &packet, 0);
        ck_assert(port == 2 || port == 4 || port == 6);
        ck_assert(path % 2 == 1 || port == 2U + path);
    }
    end();
}
END_TEST

START_TEST(packets_of_ip_stacks_are_hashed)
{
    const struct weft_lb_ops *ecmp = weft_lb_find("ecmp");
    const struct weft_mmu_config buffer = {0};
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 3, 3, 3};
    struct weft_site site;
    uint64_t config[4];
    uint64_t theirs[8];
    begin(3, 1, 1);
    weft_clos_site(&f.clos, &buffer, 0, 1, 1, &site);
    site.provides = WEFT_NEEDS_ALL;
    ck_assert_int_eq(weft_config_default(&ecmp->algo, config), 0);
    ck_assert_int_eq(ecmp->init(theirs, config, &site), 0);
    for (uint16_t sport = 0; sport < 1000; sport++)
    {
        struct weft_packet packet = packet_of(WEFT_RAW, 0, 50);
        packet.sport = sport;
        MUST(f.ops->pick(f.drive.switches[0], &ports, &packet, 0) ==
             ecmp->pick(theirs, &ports, &packet, 0));
    }
    end();
}
END_TEST

START_TEST(more_paths_than_source_ports_are_refused)
{
    const struct weft_mmu_config buffer = {0};
    uint64_t memory[1024];
    struct weft_site site;
    shape(2);
    const struct weft_path_site at = {1, 1, 0, &f.clos, .provides = WEFT_NEEDS_ALL};
    const struct weft_lb_ops *ops = weft_lb_find("host-dr");
    lb_multiply_links(&f.clos, 11); /* 2 * 2 * 11^4 = 58,564 paths */
    weft_clos_site(&f.clos, &buffer, 0, 1, 1, &site);
    site.provides = WEFT_NEEDS_ALL;
    ck_assert_uint_le(ops->path->host_size(NULL, &at), sizeof(memory));
    ck_assert_int_eq(ops->path->host_init(memory, NULL, &at), 0);
    ck_assert_int_eq(ops->init(memory, NULL, &site), 0);
    shape(2);
    lb_multiply_links(&f.clos, 12); /* 82,944 */
    weft_clos_site(&f.clos, &buffer, 0, 1, 1, &site);
    site.provides = WEFT_NEEDS_ALL;
    ck_assert_int_eq(ops->path->host_init(memory, NULL, &at), WEFT_ERANGE);
    struct weft_refusal why = {0};
    site.why = &why;
    ck_assert_int_eq(ops->init(memory, NULL, &site), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "65,536"));
}
END_TEST

Suite *
host_dr_suite(void)
{
    Suite *suite = suite_create("host-dr");
    TCase *tcase = tcase_create("host-dr");
    tcase_add_loop_test(tcase, a_packet_takes_the_path_whose_number_it_carries, 0, NSHAPES);
    tcase_add_loop_test(tcase, every_window_visits_every_path_once, 0, NSHAPES);
    tcase_add_test(tcase, consecutive_packets_alternate_between_aggregations);
    tcase_add_test(tcase, destinations_and_size_classes_have_pointers_of_their_own);
    tcase_add_test(tcase, starts_are_uniform_and_independent);
    tcase_add_test(tcase, a_run_can_be_repeated_and_others_differ);
    tcase_add_loop_test(tcase, dead_paths_are_passed_over, 0, NSHAPES);
    tcase_add_test(tcase, after_repair_all_paths_are_used_again);
    tcase_add_test(tcase, a_path_that_is_no_candidate_falls_back_to_one_that_is);
    tcase_add_test(tcase, dead_paths_fall_back_to_different_ones);
    tcase_add_test(tcase, a_list_with_weights_is_read_as_it_is_stored);
    tcase_add_test(tcase, packets_of_ip_stacks_are_hashed);
    tcase_add_test(tcase, more_paths_than_source_ports_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
