/* SPDX-License-Identifier: MIT */
/* A user would lose multi-part entropies (prime §III-C, III-D): packets that leave the path that
 * they name, ACKs that do not come back by it, or fabrics in which entropies are ambiguous. */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "lb/multipart.h"
#include "must.h"
#include "path-drive.h"
#include "refused.h"

#define MAX_PORTS 32

/* A fabric with the balancer at every switch. */
static struct
{
    const struct weft_lb_ops *ops;
    struct weft_clos clos;
    uint64_t config[32];
    struct path_drive drive;
    uint64_t host[32];
} f;

static void
shape(int which)
{
    static const char *const settings[][15] = {
        {"leaves", "4", "spines", "3", "hosts-per-leaf", "2", "parallel", "2", NULL},
        {"k", "6", "tiers", "2", NULL},
        {"k", "4", NULL},
        {"k", "6", NULL},
        {"pods", "3", "tors-per-pod", "2", "aggregations", "2", "cores", "3", "parallel", "2",
         "core-parallel", "3", "hosts-per-tor", "2", NULL},
    };
    static const char *const kinds[] = {"leaf-spine", "fat-tree", "fat-tree", "fat-tree", "clos"};
    lb_build(&f.clos, kinds[which], settings[which]);
}
#define NSHAPES 5

static void
begin(int which, const char *replies)
{
    shape(which);
    f.ops = weft_lb_find("co-prime");
    ck_assert_int_eq(weft_config_default(&f.ops->algo, f.config), 0);
    ck_assert_int_eq(weft_config_set(&f.ops->algo, f.config, "replies", replies), 0);
    path_drive_begin(&f.drive, f.ops, f.config, &f.clos, 1);
    const struct weft_path_site site = {
        .seed = 1, .run = 1, .clos = &f.clos, .provides = WEFT_NEEDS_ALL};
    ck_assert_uint_le(f.ops->path->host_size(f.config, &site), sizeof(f.host));
    ck_assert_int_eq(f.ops->path->host_init(f.host, f.config, &site), 0);
}

static void
end(void)
{
    path_drive_end(&f.drive);
}

static struct weft_packet
packet_of(enum weft_packet_kind kind, uint32_t src, uint32_t dst, uint16_t sport)
{
    struct weft_packet packet = lb_data(src, dst);
    packet.kind = (uint8_t)kind;
    packet.sport = sport;
    return packet;
}

static struct weft_parts
parts_between(uint32_t src, uint32_t dst)
{
    struct weft_parts parts;
    const struct weft_path_site site = {
        .host = src, .clos = &f.clos, .dst = dst, .provides = WEFT_NEEDS_ALL};
    MUST(weft_parts_between(&parts, &site) == 0);
    return parts;
}

/* Drives a packet through the switches; writes the links it takes and returns how many. */
static uint32_t
drive(const struct weft_packet *packet, uint64_t links[6])
{
    struct weft_packet moving = *packet;
    const uint32_t n = path_drive(&f.drive, &moving, links);
    MUST(n > 0 && moving.sport == packet->sport);
    return n;
}

/* The path that goes up by the parts of its number and comes down by the corresponding links. */
static uint32_t
meant_path(const struct weft_parts *parts, uint32_t src, uint32_t dst, uint32_t path,
           uint64_t links[6])
{
    const uint32_t up = parts->n > 0 ? path % parts->ports[0] : 0;
    const uint32_t above = parts->n > 1 ? path / parts->ports[0] : 0;
    uint32_t number = up % f.clos.parallel;
    if (parts->n > 1)
    {
        number = above +
                 parts->ports[1] * (above % f.clos.core_parallel + f.clos.core_parallel * number);
    }
    return weft_clos_path(&f.clos, src, dst, parts->n > 0 ? up + parts->ports[0] * number : 0,
                          links);
}

static void
check_path(uint32_t src, uint32_t dst, const struct weft_parts *parts, uint32_t path)
{
    const uint16_t label = weft_parts_label(parts, path);
    const struct weft_packet data = packet_of(WEFT_DATA, src, dst, label);
    uint64_t taken[6];
    uint64_t meant[6];
    uint64_t back[6];
    MUST(weft_parts_path(parts, label) == path);
    const uint32_t n = drive(&data, taken);
    MUST(n == meant_path(parts, src, dst, path, meant));
    MUST(memcmp(taken, meant, n * sizeof(meant[0])) == 0);
    struct weft_packet ack = packet_of(WEFT_ACK, dst, src, 50000);
    ack.echo = label;
    f.ops->path->reply(f.host, &ack);
    MUST(ack.sport == label && drive(&ack, back) == n);
    for (uint32_t i = 0; i < n; i++)
    {
        MUST(back[i] == taken[n - 1 - i]);
    }
}

START_TEST(a_packet_takes_the_ports_it_names_and_its_ack_the_same_links)
{
    begin(_i, "echo");
    for (uint32_t src = 0; src < f.clos.nhosts; src++)
    {
        for (uint32_t dst = 0; dst < f.clos.nhosts; dst++)
        {
            const struct weft_parts parts = parts_between(src, dst);
            for (uint32_t path = 0; src != dst && path < weft_parts_paths(&parts); path++)
            {
                check_path(src, dst, &parts, path);
            }
        }
    }
    end();
}
END_TEST

/* As figure 4: three tiers, four up ports each (k = 8). The ToR reads bits 0 and 1, the aggregation
 * bits 2 and 3. */
START_TEST(each_tier_reads_its_own_part)
{
    const uint32_t queues[8] = {0};
    const struct weft_ports up = {queues, NULL, 4, 4, 4, 0, 0};
    const struct weft_clos clos = lb_fat_tree("8");
    const struct weft_site tor = lb_site_of(&clos, 0, 1);
    const struct weft_site agg = lb_site_of(&clos, clos.ntors, 1);
    const struct weft_packet packet = packet_of(WEFT_DATA, 0, 127, 2 << 2 | 1);
    uint64_t at_tor[16];
    uint64_t at_agg[16];
    uint64_t config[32];
    const struct weft_lb_ops *ops = weft_lb_find("prime");
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ck_assert_int_eq(ops->init(at_tor, config, &tor), 0);
    ck_assert_int_eq(ops->init(at_agg, config, &agg), 0);
    ck_assert_uint_eq(ops->peek(at_tor, &up, &packet), 4 + 1);
    ck_assert_uint_eq(ops->peek(at_agg, &up, &packet), 4 + 2);
}
END_TEST

START_TEST(parts_have_the_bits_that_their_ports_need)
{
    static const uint32_t ports[] = {5, 1, 4};
    struct weft_parts parts;
    ck_assert_int_eq(weft_parts_init(&parts, ports, 3), 0);
    ck_assert_uint_eq(parts.shift[1], 3);
    ck_assert_uint_eq(parts.shift[2], 3);
    ck_assert_uint_eq(parts.shift[3], 5);
    ck_assert_uint_eq(weft_parts_paths(&parts), 20);
    ck_assert_uint_eq(weft_parts_values(&parts), 10);
    ck_assert_uint_eq(weft_parts_label(&parts, 13), 2 << 3 | 3);
    uint32_t paths = 0;
    for (uint32_t label = 0; label <= UINT16_MAX; label++)
    {
        const uint32_t path = weft_parts_path(&parts, (uint16_t)label);
        MUST(path == WEFT_NO_PATH || weft_parts_label(&parts, path) == label);
        paths += path != WEFT_NO_PATH;
    }
    ck_assert_uint_eq(paths, 20);
}
END_TEST

START_TEST(parts_that_no_label_can_hold_are_refused)
{
    static const struct
    {
        uint32_t ports[3];
        int code;
    } cases[] = {
        {{65535, 1, 1}, 0},
        {{65536, 1, 1}, WEFT_ERANGE},
        {{UINT32_MAX, 1, 1}, WEFT_ERANGE},
        {{256, 256, 1}, 0},
        {{256, 257, 1}, WEFT_ERANGE},
        {{16, 2048, 2}, 0},
        {{16, 2048, 3}, WEFT_ERANGE},
        {{4, 0, 4}, WEFT_ERANGE},
    };
    struct weft_parts parts;
    ck_assert_int_eq(weft_parts_init(&parts, cases[_i].ports, 3), cases[_i].code);
    ck_assert_uint_eq(parts.n, cases[_i].code ? 0 : 3);
    ck_assert_uint_eq(
        weft_parts_paths(&parts),
        cases[_i].code ? 1 : cases[_i].ports[0] * cases[_i].ports[1] * cases[_i].ports[2]);
}
END_TEST

/* As qp_size() looks at a site before qp_init() refuses it. */
START_TEST(a_site_that_is_refused_has_no_parts)
{
    static const uint32_t ports[] = {4, 4};
    struct weft_parts parts;
    shape(3);
    const struct weft_path_site sites[] = {
        {.dst = 1, .provides = WEFT_NEEDS_ALL},
        {.clos = &f.clos, .dst = f.clos.nhosts, .provides = WEFT_NEEDS_ALL}};
    ck_assert_int_eq(weft_parts_init(&parts, ports, 2), 0);
    ck_assert_int_ne(weft_parts_between(&parts, &sites[_i]), 0);
    ck_assert_uint_eq(weft_parts_paths(&parts), 1);
    ck_assert_uint_eq(weft_parts_values(&parts), 0);
}
END_TEST

/* Pods of two ToRs and as many aggregations, with 200 cores above each of these: 8 bits. */
static int
init_with_aggregations(const char *aggregations, struct weft_refusal *why)
{
    const char *const settings[] = {"pods",
                                    "2",
                                    "tors-per-pod",
                                    "2",
                                    "aggregations",
                                    aggregations,
                                    "cores",
                                    "200",
                                    "hosts-per-tor",
                                    "1",
                                    NULL};
    uint64_t memory[64];
    uint64_t config[32];
    struct weft_clos clos;
    const struct weft_lb_ops *ops = weft_lb_find("prime");
    lb_build(&clos, "clos", settings);
    struct weft_site site = lb_site_of(&clos, 0, 1);
    const struct weft_path_site host = {
        .clos = &clos, .qp_bdp = 1, .dst = 3, .provides = WEFT_NEEDS_ALL};
    site.why = why;
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    const int code = ops->init(memory, config, &site);
    ck_assert_int_eq(ops->path->host_init(memory, config, &host), code);
    if (code)
    {
        ck_assert_uint_le(ops->path->qp_size(config, &host), sizeof(memory));
        ck_assert_int_eq(ops->path->qp_init(memory, NULL, config, &host, 0), code);
    }
    return code;
}

START_TEST(more_bits_than_a_source_port_has_are_refused)
{
    struct weft_refusal why = {0};
    ck_assert_int_eq(init_with_aggregations("256", &why), 0);
    ck_assert_int_eq(init_with_aggregations("257", &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "16 bits"));
}
END_TEST

/* Three up ports, of which the second is gone: what names it is hashed, which spreads flows over
 * the others but keeps each one's entropy on one path. The rest stays. */
START_TEST(a_dead_port_is_replaced_by_live_ones)
{
    static const uint16_t live[] = {3, 5};
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, live, 3, 2, 3, 0, 0};
    uint32_t counts[6] = {0};
    begin(3, "echo");
    for (uint32_t dst = 9; dst < 54; dst++)
    {
        for (uint16_t label = 0; label < 3; label++)
        {
            struct weft_packet packet = packet_of(WEFT_DATA, 0, dst, label);
            const uint32_t port = f.ops->pick(f.drive.switches[0], &ports, &packet, 0);
            MUST(label == 1 || port == 3U + label);
            MUST(f.ops->pick(f.drive.switches[0], &ports, &packet, 0) == port);
            counts[port]++;
        }
    }
    ck_assert_uint_eq(counts[3] + counts[5], 3 * 45);
    ck_assert_uint_gt(counts[3], 45 + 10);
    ck_assert_uint_gt(counts[5], 45 + 10);
    end();
}
END_TEST

/* dead-port="modulo": the group has shrunk to the ports that are left, and a number is an index
 * into that, so that one of them has the packets of two. W-ECMP's further rounds are none of its
 * ports. */
START_TEST(a_group_may_shrink)
{
    static const uint16_t live[] = {3, 5};
    static const uint16_t weighted[] = {3, 5, 5};
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports lists[] = {{queues, live, 3, 2, 3, 0, 0},
                                       {queues, weighted, 3, 3, 3, 2, 2}};
    const struct weft_ports whole = {queues, NULL, 3, 3, 3, 0, 0};
    struct weft_packet ack = packet_of(WEFT_ACK, 0, 53, 1);
    begin(3, "echo");
    ck_assert_int_eq(weft_config_set(&f.ops->algo, f.config, "dead-port", "modulo"), 0);
    const struct weft_site site = lb_site_of(&f.clos, 0, 1);
    ck_assert_int_eq(f.ops->init(f.drive.switches[0], f.config, &site), 0);
    for (uint16_t label = 0; label < 3; label++)
    {
        const struct weft_packet packet = packet_of(WEFT_DATA, 0, 53, label);
        ck_assert_uint_eq(f.ops->peek(f.drive.switches[0], &whole, &packet), 3U + label);
        for (int i = 0; i < 2; i++)
        {
            ck_assert_uint_eq(f.ops->peek(f.drive.switches[0], &lists[i], &packet),
                              live[label % 2]);
        }
    }
    ck_assert_uint_eq(f.ops->pick(f.drive.switches[0], &lists[0], &ack, 0), 5);
    end();
}
END_TEST

/* Labels of others, as of a host that has none of this: any port of the group will do. */
START_TEST(a_label_out_of_bounds_takes_some_port)
{
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 3, 3, 3, 0, 0};
    begin(3, "echo");
    for (uint32_t label = 0; label <= UINT16_MAX; label++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA, 0, 53, (uint16_t)label);
        MUST(f.ops->pick(f.drive.switches[0], &ports, &packet, 0) - 3 < 3);
    }
    end();
}
END_TEST

/* k = 6: nine entropies between pods, all of them as likely. */
START_TEST(sprayed_replies_take_all_paths_alike)
{
    uint32_t counts[9] = {0};
    begin(3, "spray");
    const struct weft_parts parts = parts_between(0, 53);
    for (uint32_t i = 0; i < 9000; i++)
    {
        struct weft_packet ack = packet_of(WEFT_ACK, 53, 0, 50000);
        f.ops->path->reply(f.host, &ack);
        const uint32_t path = weft_parts_path(&parts, ack.sport);
        MUST(path < 9);
        counts[path]++;
    }
    ck_assert_double_lt(lb_unevenness(counts, 9), 4);
    end();
}
END_TEST

/* Packets of IP stacks always, replies if they are not to be sprayed. */
START_TEST(what_carries_no_entropy_is_hashed)
{
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 3, 3, 3, 0, 0};
    const struct weft_lb_ops *ecmp = weft_lb_find("ecmp");
    uint64_t config[32];
    uint64_t theirs[8];
    begin(3, "ecmp");
    const struct weft_site site = lb_site_of(&f.clos, 0, 1);
    ck_assert_int_eq(weft_config_default(&ecmp->algo, config), 0);
    ck_assert_int_eq(ecmp->init(theirs, config, &site), 0);
    for (uint16_t sport = 0; sport < 1000; sport++)
    {
        struct weft_packet ack = packet_of(WEFT_ACK, 0, 53, sport);
        struct weft_packet raw = packet_of(WEFT_RAW, 0, 53, sport);
        f.ops->path->reply(f.host, &ack);
        MUST(ack.sport == sport);
        MUST(f.ops->pick(f.drive.switches[0], &ports, &ack, 0) ==
             ecmp->pick(theirs, &ports, &ack, 0));
        MUST(f.ops->pick(f.drive.switches[0], &ports, &raw, 0) ==
             ecmp->pick(theirs, &ports, &raw, 0));
    }
    end();
}
END_TEST

Suite *multipart_suite(void);

Suite *
multipart_suite(void)
{
    Suite *suite = suite_create("multipart");
    TCase *t = tcase_create("multipart");
    tcase_add_loop_test(t, a_packet_takes_the_ports_it_names_and_its_ack_the_same_links, 0,
                        NSHAPES);
    tcase_add_test(t, each_tier_reads_its_own_part);
    tcase_add_test(t, parts_have_the_bits_that_their_ports_need);
    tcase_add_loop_test(t, parts_that_no_label_can_hold_are_refused, 0, 8);
    tcase_add_loop_test(t, a_site_that_is_refused_has_no_parts, 0, 2);
    tcase_add_test(t, more_bits_than_a_source_port_has_are_refused);
    tcase_add_test(t, a_dead_port_is_replaced_by_live_ones);
    tcase_add_test(t, a_group_may_shrink);
    tcase_add_test(t, a_label_out_of_bounds_takes_some_port);
    tcase_add_test(t, sprayed_replies_take_all_paths_alike);
    tcase_add_test(t, what_carries_no_entropy_is_hashed);
    suite_add_tcase(suite, t);
    return suite;
}
