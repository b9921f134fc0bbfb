/* SPDX-License-Identifier: MIT */
/* A user would lose PRIME (prime §III): paths used unequally without congestion, signals that are
 * not heeded, or that penalize another path or for another time. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "lb/multipart.h"
#include "must.h"
#include "refused.h"

static struct
{
    const struct weft_lb_ops *ops;
    struct weft_clos clos;
    uint64_t config[32];
    uint64_t state[512];
    struct weft_parts parts;
} flow;

#define BDP 5

/* QP number @p index of host 0 to @p dst in a fat-tree of three tiers of k = 6; "" or a=1. PRIME's
 * penalties are one BDP and four. */
static void
open_qp(const char *name, const char *setting, uint32_t dst, uint32_t index)
{
    flow.clos = lb_fat_tree("6");
    const struct weft_path_site site = {.provides = WEFT_NEEDS_ALL,
                                        .seed = 1,
                                        .run = 1,
                                        .clos = &flow.clos,
                                        .qp_bdp = BDP,
                                        .dst = dst};
    char param[64] = "";
    const size_t length = strcspn(setting, "=");
    flow.ops = weft_lb_find(name);
    ck_assert_int_eq(weft_config_default(&flow.ops->algo, flow.config), 0);
    if (strcmp(name, "prime") == 0)
    {
        ck_assert_int_eq(weft_config_preset(&flow.ops->algo, flow.config, "round-trip"), 0);
    }
    if (setting[length] == '=')
    {
        memcpy(param, setting, length);
        const char *value = setting + length + 1;
        ck_assert_int_eq(weft_config_set(&flow.ops->algo, flow.config, param, value), 0);
    }
    ck_assert_uint_le(flow.ops->path->qp_size(flow.config, &site), sizeof(flow.state));
    memset(flow.state, 0xa5, sizeof(flow.state)); /* what was there before must not matter */
    ck_assert_int_eq(flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, index), 0);
    ck_assert_int_eq(weft_parts_between(&flow.parts, &site), 0);
}

/* The path of the QP's next packet. */
static uint32_t
data(void)
{
    struct weft_packet packet = {.kind = WEFT_DATA, .sport = 50000};
    flow.ops->path->data(flow.state, &packet, 0);
    const uint32_t path = weft_parts_path(&flow.parts, packet.sport);
    MUST(path < weft_parts_paths(&flow.parts));
    return path;
}

static void
answer(enum weft_packet_kind kind, uint32_t flags, uint16_t echo)
{
    const struct weft_packet reply = {.kind = (uint8_t)kind, .flags = (uint8_t)flags, .echo = echo};
    flow.ops->path->on_reply(flow.state, &reply, 0);
}

static void
lose(enum weft_loss_cause cause, bool labelled, uint16_t sport)
{
    const struct weft_loss loss = {.sport = sport, .labelled = labelled, .cause = (uint8_t)cause};
    flow.ops->path->on_lost(flow.state, &loss, 0);
}

/* Packets until path 0 is taken again, all others being free: how long it is avoided, to within a
 * turn of the others. */
static uint32_t
avoided_for(void)
{
    uint32_t packets = 0;
    while (data() != 0)
    {
        packets++;
        MUST(packets < 1000);
    }
    return packets;
}

START_TEST(every_path_is_taken_once_in_a_cycle)
{
    static const char *const names[] = {"prime", "co-prime"};
    /* Below one ToR, in one pod, beyond. */
    static const uint32_t dsts[] = {1, 4, 53};
    static const uint32_t paths[] = {1, 3, 9};
    open_qp(names[_i % 2], "", dsts[_i / 2], 7);
    ck_assert_uint_eq(weft_parts_paths(&flow.parts), paths[_i / 2]);
    for (uint32_t cycle = 0; cycle < 200; cycle++)
    {
        uint32_t counts[9] = {0};
        uint32_t above = 0;
        for (uint32_t i = 0; i < paths[_i / 2]; i++)
        {
            const uint32_t path = data();
            MUST(counts[path]++ == 0);
            /* While the ToR's ports are gone through, the aggregation's stays. */
            MUST(i % 3 == 0 || path / 3 == above);
            above = path / 3;
        }
    }
}
END_TEST

START_TEST(without_congestion_co_prime_is_the_same)
{
    uint32_t paths[100];
    open_qp("prime", "", 53, 7);
    for (int i = 0; i < 100; i++)
    {
        paths[i] = data();
    }
    open_qp("co-prime", "", 53, 7);
    for (int i = 0; i < 100; i++)
    {
        ck_assert_uint_eq(data(), paths[i]);
    }
}
END_TEST

/* The 9 paths of a QP in its first cycle, as digits. */
static uint64_t
first_cycle(uint32_t index)
{
    uint64_t word = 0;
    open_qp("prime", "", 53, index);
    for (int i = 0; i < 9; i++)
    {
        word = word * 9 + data();
    }
    return word;
}

START_TEST(qps_have_orders_of_their_own)
{
    uint32_t same = 0;
    for (uint32_t index = 0; index < 200; index++)
    {
        const uint64_t word = first_cycle(index);
        ck_assert(word == first_cycle(index));
        same += word == first_cycle(index + 1);
    }
    ck_assert_uint_lt(same, 20); /* 3!^4 cycles are equally likely */
}
END_TEST

/* Has QP @p index explored; then packets that path 0 is avoided for after a signal for it. */
static uint32_t
avoided_after(const char *setting, uint32_t index, enum weft_packet_kind kind, uint32_t flags)
{
    open_qp("prime", setting, 4, index);
    for (int k = 0; k < BDP; k++)
    {
        (void)data();
    }
    answer(kind, flags, 0);
    return avoided_for();
}

/* A mark counts for one BDP of 5 packets, a NACK for four. Then path 0 comes when its turn does:
 * of three paths, four others at most may be before it. */
START_TEST(signals_penalize_as_they_should)
{
    static const struct
    {
        const char *setting;
        enum weft_packet_kind kind;
        uint32_t flags;
        uint32_t packets; /* for which path 0 is avoided */
    } cases[] = {
        {"", WEFT_ACK, 0, 0},
        {"", WEFT_ACK, WEFT_F_ECE, 5},
        {"", WEFT_NACK, WEFT_F_TRIMMED, 20},
        {"", WEFT_NACK, WEFT_F_TRIMMED | WEFT_F_ECE, 20},
        {"", WEFT_NACK, 0, 0}, /* out of order: this packet has arrived */
        {"", WEFT_NACK, WEFT_F_ECE, 5},
        {"ecn-penalty=2.1", WEFT_ACK, WEFT_F_ECE, 11},
        {"ecn-penalty=0", WEFT_ACK, WEFT_F_ECE, 0},
        {"nack-penalty=10", WEFT_NACK, WEFT_F_TRIMMED, 50},
    };
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    for (uint32_t index = 0; index < 50; index++)
    {
        const uint32_t avoided =
            avoided_after(cases[_i].setting, index, cases[_i].kind, cases[_i].flags);
        least = avoided < least ? avoided : least;
        most = avoided > most ? avoided : most;
    }
    ck_assert_uint_eq(least, cases[_i].packets);
    ck_assert_uint_le(most, cases[_i].packets + 4);
}
END_TEST

/* Without a setting a mark counts for a turn over the three paths and a NACK for four; the other
 * presets count by the BDP of 110 packets. */
START_TEST(presets_have_their_units)
{
    static const struct
    {
        const char *preset;
        uint32_t mark, nack; /* packets */
    } cases[] = {{NULL, 3, 12}, {"cycles", 3, 12}, {"short", 11, 44}, {"round-trip", 110, 440}};
    const struct weft_path_site site = {.seed = 1,
                                        .run = 1,
                                        .clos = &flow.clos,
                                        .qp_bdp = 110,
                                        .dst = 4,
                                        .provides = WEFT_NEEDS_ALL};
    for (int nack = 0; nack < 2; nack++)
    {
        open_qp("prime", "", 4, 1);
        ck_assert_int_eq(weft_config_default(&flow.ops->algo, flow.config), 0);
        MUST(!cases[_i].preset ||
             weft_config_preset(&flow.ops->algo, flow.config, cases[_i].preset) == 0);
        ck_assert_int_eq(weft_config_set(&flow.ops->algo, flow.config, "explore", "0"), 0);
        ck_assert_int_eq(flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, 1), 0);
        answer(nack ? WEFT_NACK : WEFT_ACK, nack ? WEFT_F_TRIMMED : WEFT_F_ECE, 0);
        const uint32_t avoided = avoided_for();
        const uint32_t packets = nack ? cases[_i].nack : cases[_i].mark;
        MUST(packets <= avoided && avoided <= packets + 4);
    }
}
END_TEST

/* Both signals penalize for 20 packets; ten after the first one comes the second. */
static uint32_t
avoided_after_both(const char *setting, uint32_t first_flags, uint32_t second_flags)
{
    open_qp("prime", setting, 4, 1);
    ck_assert_int_eq(weft_config_set(&flow.ops->algo, flow.config, "ecn-penalty", "4"), 0);
    const struct weft_path_site site = {.seed = 1,
                                        .run = 1,
                                        .clos = &flow.clos,
                                        .qp_bdp = BDP,
                                        .dst = 4,
                                        .provides = WEFT_NEEDS_ALL};
    ck_assert_int_eq(flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, 1), 0);
    for (int k = 0; k < BDP; k++)
    {
        (void)data();
    }
    answer(first_flags & WEFT_F_TRIMMED ? WEFT_NACK : WEFT_ACK, first_flags, 0);
    for (int k = 0; k < 10; k++)
    {
        MUST(data() != 0);
    }
    answer(second_flags & WEFT_F_TRIMMED ? WEFT_NACK : WEFT_ACK, second_flags, 0);
    return avoided_for();
}

START_TEST(a_path_is_not_penalized_again_but_by_a_nack)
{
    ck_assert_uint_le(avoided_after_both("", WEFT_F_ECE, WEFT_F_ECE), 20 - 10 + 4);
    ck_assert_uint_ge(avoided_after_both("", WEFT_F_ECE, WEFT_F_TRIMMED), 20);
    ck_assert_uint_le(avoided_after_both("", WEFT_F_TRIMMED, WEFT_F_ECE), 20 - 10 + 4);
    ck_assert_uint_ge(avoided_after_both("", WEFT_F_TRIMMED, WEFT_F_TRIMMED), 20);
    ck_assert_uint_le(avoided_after_both("nack-overrides=off", WEFT_F_ECE, WEFT_F_TRIMMED),
                      20 - 10 + 4);
}
END_TEST

START_TEST(a_lost_packet_penalizes_its_path)
{
    static const enum weft_loss_cause causes[] = {WEFT_LOST_BY_NACK, WEFT_LOST_BY_GAP,
                                                  WEFT_LOST_BY_TIMEOUT, WEFT_LOST_TOLD,
                                                  WEFT_LOST_TRIMMED};
    for (int i = 0; i < 3 * 5; i++)
    {
        const bool labelled = i / 5 != 1;
        open_qp("prime", i / 5 == 2 ? "losses=off" : "", 4, 1);
        for (int k = 0; k < BDP; k++)
        {
            (void)data();
        }
        lose(causes[i % 5], labelled, 0);
        /* A trim's NACK has penalized its path already. */
        const bool counts = i / 5 == 0 && causes[i % 5] != WEFT_LOST_TRIMMED;
        const uint32_t avoided = avoided_for();
        ck_assert_msg(counts ? avoided >= 20 : avoided <= 4, "case %d: %u", i, avoided);
    }
}
END_TEST

/* Path 0 is taken while the first BDP explores, and avoided for the rest of its penalty. */
START_TEST(exploring_disregards_penalties_but_notes_them)
{
    uint32_t taken = 0;
    open_qp("prime", "explore=2", 4, 1);
    answer(WEFT_NACK, WEFT_F_TRIMMED, 0);
    for (int k = 0; k < 2 * BDP; k++)
    {
        taken += data() == 0;
    }
    ck_assert_uint_ge(taken, 3);
    ck_assert_uint_ge(avoided_for(), 10);
}
END_TEST

/* k = 6: three ports are two bits; 3 is none of them, nor is anything above. */
START_TEST(labels_that_name_no_path_are_not_heeded)
{
    open_qp("prime", "explore=0", 4, 1);
    for (uint32_t label = 3; label <= UINT16_MAX; label++)
    {
        answer(WEFT_NACK, WEFT_F_TRIMMED, (uint16_t)label);
    }
    for (uint32_t i = 0; i < 3; i++)
    {
        const uint32_t before = data();
        MUST(before != data() && before != data());
    }
}
END_TEST

static int
refuse(struct weft_path_site site, const char *setting, struct weft_refusal *why)
{
    flow.clos = lb_fat_tree("6");
    flow.ops = weft_lb_find("prime");
    site.why = why;
    ck_assert_int_eq(weft_config_default(&flow.ops->algo, flow.config), 0);
    ck_assert_int_eq(weft_config_preset(&flow.ops->algo, flow.config, "round-trip"), 0);
    ck_assert_int_eq(weft_config_set(&flow.ops->algo, flow.config, "ecn-penalty", setting), 0);
    ck_assert_uint_le(flow.ops->path->qp_size(flow.config, &site), sizeof(flow.state));
    return flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, 0);
}

START_TEST(what_makes_no_sense_is_refused)
{
    struct weft_refusal why = {0};
    const struct weft_path_site sound = {
        .clos = &flow.clos, .qp_bdp = BDP, .dst = 53, .provides = WEFT_NEEDS_ALL};
    struct weft_path_site site = sound;
    ck_assert_int_eq(refuse(site, "4", &why), 0);
    ck_assert_int_eq(refuse(site, "4.5", &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "nack-penalty"));
    site.qp_bdp = 1;
    ck_assert_int_eq(refuse(site, "1", &why), 0);
    site.qp_bdp = 0;
    ck_assert_int_eq(refuse(site, "1", &why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "bandwidth-delay"));
    site = sound;
    site.dst = 54;
    ck_assert_int_eq(refuse(site, "1", &why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "receiver"));
    ck_assert_int_eq(
        weft_lb_find("co-prime")->path->qp_init(flow.state, NULL, flow.config, &site, 0),
        WEFT_EINVAL);
    site = sound;
    site.clos = NULL;
    ck_assert_int_eq(refuse(site, "1", &why), WEFT_ENOTCLOS);
}
END_TEST

/* As of a host that fills the configuration itself. */
START_TEST(numbers_out_of_bounds_are_refused)
{
    static const char *const names[] = {"explore", "ecn-penalty", "nack-penalty"};
    static const double values[] = {-1, 1000001, NAN, 1000000};
    const struct weft_path_site site = {
        .clos = &flow.clos, .qp_bdp = BDP, .dst = 53, .provides = WEFT_NEEDS_ALL};
    const struct weft_param *param = weft_lb_find("prime")->algo.params;
    while (strcmp(param->name, names[_i / 4]) != 0)
    {
        param++;
    }
    open_qp("prime", "nack-penalty=1000000", 53, 0);
    memcpy((char *)flow.config + param->offset, &values[_i % 4], sizeof(double));
    ck_assert_int_eq(flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, 0),
                     _i % 4 == 3 ? 0 : WEFT_ERANGE);
}
END_TEST

/* Four bandwidth-delay products of 2^31 packets do not become 0. */
START_TEST(a_penalty_has_a_limit)
{
    const struct weft_path_site site = {
        .clos = &flow.clos, .qp_bdp = UINT32_C(1) << 31, .dst = 4, .provides = WEFT_NEEDS_ALL};
    open_qp("prime", "explore=0", 4, 1);
    ck_assert_int_eq(flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, 1), 0);
    answer(WEFT_NACK, WEFT_F_TRIMMED, 0);
    for (int i = 0; i < 1000; i++)
    {
        MUST(data() != 0);
    }
}
END_TEST

/* In memory of qp_size() bytes, all paths penalized in turn. */
START_TEST(a_qp_keeps_to_its_memory)
{
    static const char *const names[] = {"prime", "co-prime"};
    static const uint32_t dsts[] = {1, 4, 53};
    const char *bytes = (const char *)flow.state;
    open_qp(names[_i % 2], "", dsts[_i / 2], 0);
    const struct weft_path_site site = {.provides = WEFT_NEEDS_ALL,
                                        .seed = 1,
                                        .run = 1,
                                        .clos = &flow.clos,
                                        .qp_bdp = BDP,
                                        .dst = dsts[_i / 2]};
    const size_t size = flow.ops->path->qp_size(flow.config, &site);
    memset(flow.state, 0xa5, sizeof(flow.state));
    ck_assert_int_eq(flow.ops->path->qp_init(flow.state, NULL, flow.config, &site, 0), 0);
    for (uint32_t i = 0; i < 100; i++)
    {
        const uint32_t path = i % weft_parts_paths(&flow.parts);
        (void)data();
        if (flow.ops->path->on_reply)
        {
            answer(WEFT_NACK, WEFT_F_TRIMMED, weft_parts_label(&flow.parts, path));
        }
    }
    for (size_t i = size; i < sizeof(flow.state); i++)
    {
        MUST(bytes[i] == (char)0xa5);
    }
}
END_TEST

Suite *prime_suite(void);

Suite *
prime_suite(void)
{
    Suite *suite = suite_create("prime");
    TCase *t = tcase_create("prime");
    tcase_add_loop_test(t, every_path_is_taken_once_in_a_cycle, 0, 6);
    tcase_add_test(t, without_congestion_co_prime_is_the_same);
    tcase_add_test(t, qps_have_orders_of_their_own);
    tcase_add_loop_test(t, signals_penalize_as_they_should, 0, 9);
    tcase_add_loop_test(t, presets_have_their_units, 0, 4);
    tcase_add_test(t, a_path_is_not_penalized_again_but_by_a_nack);
    tcase_add_test(t, a_lost_packet_penalizes_its_path);
    tcase_add_test(t, exploring_disregards_penalties_but_notes_them);
    tcase_add_test(t, labels_that_name_no_path_are_not_heeded);
    tcase_add_test(t, what_makes_no_sense_is_refused);
    tcase_add_loop_test(t, numbers_out_of_bounds_are_refused, 0, 12);
    tcase_add_test(t, a_penalty_has_a_limit);
    tcase_add_loop_test(t, a_qp_keeps_to_its_memory, 0, 6);
    suite_add_tcase(suite, t);
    return suite;
}
