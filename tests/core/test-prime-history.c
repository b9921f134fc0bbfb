/* SPDX-License-Identifier: MIT */
/* A user would lose PRIME's readings beside the default one: penalties in turns over the paths, a
 * history of the host, and penalties of parts. */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"

static struct
{
    const struct weft_lb_ops *ops;
    struct weft_clos clos;
    uint64_t config[32];
    uint64_t host[512];
} flow;

#define BDP      5
#define HOST_BDP 15

static struct weft_path_site
site_to(uint32_t dst)
{
    return (struct weft_path_site){.provides = WEFT_NEEDS_ALL,
                                   .seed = 1,
                                   .run = 1,
                                   .clos = &flow.clos,
                                   .qp_bdp = BDP,
                                   .host_bdp = HOST_BDP,
                                   .dst = dst};
}

/* PRIME with settings of @p text, without exploring; host 0's state, and no QP. */
static void
open_host(const char *text)
{
    flow.clos = lb_fat_tree("6");
    flow.ops = weft_lb_find("prime");
    lb_configure(&flow.ops->algo, flow.config, sizeof(flow.config), text);
    const struct weft_path_site site = site_to(0);
    ck_assert_uint_le(flow.ops->path->host_size(flow.config, &site), sizeof(flow.host));
    memset(flow.host, 0xa5, sizeof(flow.host));
    ck_assert_int_eq(flow.ops->path->host_init(flow.host, flow.config, &site), 0);
}

static void
open_qp_of_host(uint64_t qp[64], uint32_t dst)
{
    const struct weft_path_site site = site_to(dst);
    ck_assert_uint_le(flow.ops->path->qp_size(flow.config, &site), 64 * sizeof(qp[0]));
    ck_assert_int_eq(flow.ops->path->qp_init(qp, flow.host, flow.config, &site, dst), 0);
}

/* The label of a QP's next packet. */
static uint16_t
label_of(uint64_t qp[64])
{
    struct weft_packet packet = {.kind = WEFT_DATA, .sport = 50000};
    flow.ops->path->data(qp, &packet, 0);
    return packet.sport;
}

static void
mark(uint64_t qp[64], uint16_t echo)
{
    const struct weft_packet ack = {.kind = WEFT_ACK, .flags = WEFT_F_ECE, .echo = echo};
    flow.ops->path->on_reply(qp, &ack, 0);
}

/* A path of 3 and of 9 is avoided for as many packets as two turns have, 6 and 18, whatever the
 * BDP. Then it comes within two turns. */
START_TEST(a_cycle_is_a_turn_over_the_paths)
{
    static const uint32_t dsts[] = {4, 53};
    static const uint32_t paths[] = {3, 9};
    for (uint32_t index = 0; index < 2; index++)
    {
        uint64_t qp[64];
        uint32_t avoided = 0;
        open_host("penalty-unit=cycle ecn-penalty=2 nack-penalty=2 explore=0");
        open_qp_of_host(qp, dsts[index]);
        mark(qp, 0);
        while (label_of(qp) != 0)
        {
            avoided++;
        }
        ck_assert_uint_ge(avoided, 2 * paths[index]);
        ck_assert_uint_le(avoided, 2 * paths[index] + 2 * (paths[index] - 1));
    }
}
END_TEST

/* Both QPs go to another pod. A mark of one counts for one BDP of the host, 15 packets of whatever
 * QP: 7 of one and 8 of the other. A history of its own is avoided for 5 of the one QP's. */
START_TEST(a_hosts_history_is_that_of_all_its_qps)
{
    uint64_t one[64], other[64];
    open_host("penalty-unit=bdp history=host ecn-penalty=1 nack-penalty=1 explore=0");
    open_qp_of_host(one, 53);
    open_qp_of_host(other, 40);
    mark(one, 5);
    for (uint32_t i = 0; i < 7; i++)
    {
        MUST(label_of(one) != 5);
    }
    for (uint32_t i = 0; i < 8; i++)
    {
        MUST(label_of(other) != 5);
    }
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 18; i++) /* two turns, the first of which may have passed it */
    {
        taken += label_of(other) == 5;
    }
    ck_assert_uint_ge(taken, 1);
    open_host("penalty-unit=bdp ecn-penalty=1 nack-penalty=1 explore=0");
    open_qp_of_host(one, 53);
    open_qp_of_host(other, 40);
    mark(one, 5);
    taken = 0;
    for (uint32_t i = 0; i < 9; i++)
    {
        taken += label_of(other) == 5;
    }
    ck_assert_uint_eq(taken, 1);
}
END_TEST

/* Within the pod entropies have one part: 1 is a path of three there, and not the path of nine
 * whose aggregation's part is 0. */
START_TEST(paths_of_pods_and_of_the_fabric_are_apart)
{
    uint64_t near[64], far[64];
    uint32_t taken = 0;
    open_host("penalty-unit=bdp history=host ecn-penalty=1 nack-penalty=1 explore=0");
    open_qp_of_host(near, 4);
    open_qp_of_host(far, 53);
    mark(near, 1);
    for (uint32_t i = 0; i < 9; i++)
    {
        taken += label_of(far) == 1;
    }
    ck_assert_uint_eq(taken, 1);
    for (uint32_t i = 0; i < 6; i++)
    {
        MUST(label_of(near) != 1);
    }
    open_qp_of_host(near, 1); /* below its ToR there is one path, and nothing to avoid */
    mark(near, 0);
    MUST(label_of(near) == 0);
}
END_TEST

/* A mark on ToR port 1, aggregation port 2 counts for 5 packets: by path 8 of 9 are left, by parts
 * the 4 that have neither. Within the pod the host knows of the same ToR port. */
START_TEST(a_part_is_congested_whatever_the_others)
{
    const uint16_t marked = 2 << 2 | 1;
    uint64_t qp[64];
    open_host(
        _i ? "penalty-unit=bdp history=host penalizes=parts ecn-penalty=1 nack-penalty=1 explore=0"
           : "penalty-unit=bdp penalizes=parts ecn-penalty=1 nack-penalty=1 explore=0");
    open_qp_of_host(qp, 53);
    mark(qp, marked);
    for (uint32_t i = 0; i < BDP; i++)
    {
        const uint16_t label = label_of(qp);
        MUST((label & 3) != 1 && label >> 2 != 2);
    }
    uint32_t taken = 0;
    for (uint32_t i = 0; _i == 0 && i < 18; i++)
    {
        taken += label_of(qp) == marked;
    }
    ck_assert(_i || taken >= 1);
    open_qp_of_host(qp, 4);
    for (uint32_t i = 0; _i && i < HOST_BDP - BDP; i++)
    {
        MUST(label_of(qp) != 1);
    }
}
END_TEST

/* Trims of one path of three come 7 packets apart and penalize it for 10 each. Where a NACK counts
 * again it is never taken. Where not, every second one finds it free, which it has been for 4
 * packets: in 280 packets 20 times 4, of which a third is its share, 27. */
START_TEST(nacks_that_override_keep_a_trimming_path_empty)
{
    uint32_t taken[2] = {0};
    for (int off = 0; off < 2; off++)
    {
        uint64_t qp[64];
        open_host(off ? "penalty-unit=bdp nack-overrides=off nack-penalty=2 explore=0"
                      : "penalty-unit=bdp nack-penalty=2 explore=0");
        open_qp_of_host(qp, 4);
        for (uint32_t i = 0; i < 280; i++)
        {
            if (i % 7 == 0)
            {
                const struct weft_packet nack = {.kind = WEFT_NACK, .flags = WEFT_F_TRIMMED};
                flow.ops->path->on_reply(qp, &nack, 0);
            }
            taken[off] += label_of(qp) == 0;
        }
    }
    ck_assert_uint_eq(taken[0], 0);
    ck_assert(taken[1] >= 20 && taken[1] <= 34);
}
END_TEST

/* Without losses nothing is kept for them: on_lost() is not to be called, and a QP of the NIC takes
 * no memory for labels. */
START_TEST(who_hears_of_no_losses_keeps_no_labels)
{
    open_host("");
    MUST(weft_path_hears_losses(flow.ops->path, flow.config));
    open_host("losses=off");
    MUST(!weft_path_hears_losses(flow.ops->path, flow.config));
    MUST(!weft_path_hears_losses(weft_lb_find("reps")->path, flow.config));
    MUST(!weft_path_hears_losses(NULL, NULL));
}
END_TEST

START_TEST(a_hosts_history_needs_its_host)
{
    uint64_t qp[64];
    open_host("history=host");
    struct weft_path_site site = site_to(53);
    const struct weft_path_ops *path = flow.ops->path;
    ck_assert_int_eq(path->qp_init(qp, flow.host, flow.config, &site, 0), 0);
    ck_assert_int_eq(path->qp_init(qp, NULL, flow.config, &site, 0), WEFT_EINVAL);
    site.host_bdp = 0;
    ck_assert_int_eq(path->qp_init(qp, flow.host, flow.config, &site, 0), WEFT_EINVAL);
    open_host(""); /* of no account */
    ck_assert_int_eq(path->qp_init(qp, NULL, flow.config, &site, 0), 0);
}
END_TEST

Suite *prime_history_suite(void);

Suite *
prime_history_suite(void)
{
    Suite *suite = suite_create("prime-history");
    TCase *tcase = tcase_create("prime-history");
    tcase_add_test(tcase, a_cycle_is_a_turn_over_the_paths);
    tcase_add_test(tcase, a_hosts_history_is_that_of_all_its_qps);
    tcase_add_test(tcase, paths_of_pods_and_of_the_fabric_are_apart);
    tcase_add_loop_test(tcase, a_part_is_congested_whatever_the_others, 0, 2);
    tcase_add_test(tcase, nacks_that_override_keep_a_trimming_path_empty);
    tcase_add_test(tcase, who_hears_of_no_losses_keeps_no_labels);
    tcase_add_test(tcase, a_hosts_history_needs_its_host);
    suite_add_tcase(suite, tcase);
    return suite;
}
