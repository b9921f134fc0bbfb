/* SPDX-License-Identifier: MIT */
/* A user would lose Ethereal's plans (ethereal §3.1, §3.2): uplinks with more than their share,
 * messages divided without need, bytes that no part carries or that two do, or failed paths that
 * are still used. */
#include <check.h>
#include <string.h>

#include "ethereal-rig.h"
#include "must.h"

#define MS INT64_C(1000000000) /* ps */

/* With 3 leaves of 2 hosts, host 0's rack holds 0 and 1, and 2 lies behind the next leaf. */
#define FAR_HOST 2

static struct weft_plan_message batch[512];

static void
fill_batch(uint32_t n, uint64_t bytes)
{
    for (uint32_t i = 0; i < n; i++)
    {
        batch[i] = (struct weft_plan_message){.dst = FAR_HOST, .connection = i, .bytes = bytes};
    }
}

static uint32_t
gcd(uint32_t a, uint32_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* The first part of that message, or NULL: there is none. */
static const struct weft_plan_part *
part_of(uint32_t message, uint32_t qp)
{
    for (size_t i = 0; i < ether.nparts; i++)
    {
        if (ether.parts[i].message == message && ether.parts[i].qp == qp)
        {
            return &ether.parts[i];
        }
    }
    return NULL;
}

static uint32_t
parts_of(uint32_t message)
{
    uint32_t n = 0;
    for (size_t i = 0; i < ether.nparts; i++)
    {
        n += ether.parts[i].message == message;
    }
    return n;
}

/* Bytes on each uplink of the ToR. */
static void
loads(uint64_t load[256])
{
    memset(load, 0, 256 * sizeof(load[0]));
    for (size_t i = 0; i < ether.nparts; i++)
    {
        load[ether.parts[i].label >> 8] += ether.parts[i].bytes;
    }
}

/* Every byte in one part, parts on QPs of their own that begin with 0. */
static void
check_bytes(size_t n)
{
    for (uint32_t m = 0; m < n; m++)
    {
        const uint32_t parts = parts_of(m);
        uint64_t left = batch[m].bytes;
        for (uint32_t qp = 0; qp < parts; qp++)
        {
            const struct weft_plan_part *part = part_of(m, qp);
            MUST(part && part->bytes > 0 && part->bytes <= left);
            left -= part->bytes;
        }
        MUST(left == 0);
    }
}

/* n messages on s spines: divided are the last `divided`, into `each` parts. */
static void
check_example(uint32_t n, uint32_t s, uint32_t divided, uint32_t each)
{
    uint64_t load[256];
    ethereal_spines(s, "");
    fill_batch(n, (uint64_t)s * 4096);
    ethereal_plan(batch, n, 0);
    for (uint32_t m = 0; m < n; m++)
    {
        ck_assert_uint_eq(parts_of(m), m < n - divided ? 1 : each);
    }
    loads(load);
    for (uint32_t i = 0; i < s; i++)
    {
        ck_assert_uint_eq(load[i], (uint64_t)n * 4096);
    }
    ethereal_end();
}

/* §3.2: floor(n/s) whole ones on each path, the r left over in s / gcd(r, s) parts each. */
START_TEST(examples_by_hand)
{
    check_example(16, 16, 0, 0); /* all-to-all among 16 hosts of a rack and 16 of another */
    check_example(1, 16, 1, 16); /* a ring, recursive doubling */
    check_example(6, 4, 2, 2);
    check_example(3, 2, 1, 2);
    check_example(2, 3, 2, 3); /* 6 parts; of unequal length 4 would do */
    check_example(17, 16, 1, 16);
    check_example(20, 16, 4, 4);
    check_example(15, 16, 15, 16);
}
END_TEST

/* Theorem 1: the load of spraying, n/s of a message on each uplink, with as few divided messages as
 * can be (an uplink holds floor(n/s) whole ones), each in as few equal parts as come out even. */
START_TEST(the_load_is_that_of_spraying_with_the_fewest_divided)
{
    for (uint32_t s = 1; s <= 64; s++)
    {
        ethereal_spines(s, "");
        for (uint32_t n = 1; n <= 64; n++)
        {
            const uint32_t r = n % s;
            uint32_t divided = 0, fewest = 1;
            uint64_t load[256];
            while (r * fewest % s != 0)
            {
                fewest++;
            }
            fill_batch(n, s);
            ethereal_plan(batch, n, 0);
            loads(load);
            for (uint32_t i = 0; i < s; i++)
            {
                MUST(load[i] == n);
            }
            for (uint32_t m = 0; m < n; m++)
            {
                const uint32_t parts = parts_of(m);
                divided += parts > 1;
                MUST(parts == 1 || parts == fewest);
            }
            MUST(divided == (fewest > 1 ? r : 0) && fewest == (r ? s / gcd(r, s) : 1));
            check_bytes(n);
        }
        ethereal_end();
    }
}
END_TEST

START_TEST(the_first_parts_are_a_byte_longer)
{
    ethereal_spines(4, "");
    fill_batch(1, 4 * 1000 + 3);
    ethereal_plan(batch, 1, 0);
    static const uint64_t bytes[] = {1001, 1001, 1001, 1000};
    for (uint32_t qp = 0; qp < 4; qp++)
    {
        ck_assert_uint_eq(part_of(0, qp)->bytes, bytes[qp]);
    }
    fill_batch(1, 3); /* fewer bytes than parts */
    ethereal_plan(batch, 1, 0);
    ck_assert_uint_eq(ether.nparts, 3);
    check_bytes(1);
    ethereal_end();
}
END_TEST

START_TEST(what_stays_in_the_rack_goes_whole_first_and_at_once)
{
    ethereal_spines(4, "");
    fill_batch(5, 4096);
    batch[3].dst = 1;
    ethereal_plan(batch, 5, 0);
    ck_assert_uint_eq(ether.nparts, 5);
    ck_assert_uint_eq(ether.parts[0].message, 3);
    ck_assert(!ether.parts[0].labelled);
    ck_assert_int_eq(ether.parts[0].delay, 0);
    for (size_t i = 1; i < 5; i++)
    {
        ck_assert(ether.parts[i].labelled);
    }
    ethereal_end();
}
END_TEST

/* Starts are uniform over the spread, and the order of QPs is another one each time. */
START_TEST(starts_and_order_are_random)
{
    uint32_t first[8] = {0}, early = 0;
    ethereal_spines(8, "spread=1us");
    fill_batch(8, 4096);
    for (int i = 0; i < 4000; i++)
    {
        ethereal_plan(batch, 8, 0);
        first[ether.parts[0].message]++;
        for (size_t k = 0; k < 8; k++)
        {
            MUST(ether.parts[k].delay >= 0 && ether.parts[k].delay < 1000000);
            early += ether.parts[k].delay < 500000;
        }
    }
    for (int m = 0; m < 8; m++)
    {
        MUST(first[m] > 400 && first[m] < 600); /* 500, of a standard deviation of 21 */
    }
    MUST(early > 15500 && early < 16500); /* 16,000, of 89 */
    ethereal_end();
}
END_TEST

START_TEST(without_a_spread_all_start_at_once)
{
    ethereal_spines(8, "spread=0ps");
    fill_batch(9, 8);
    ethereal_plan(batch, 9, 0);
    ck_assert_uint_eq(ether.nparts, 16);
    for (size_t i = 0; i < 16; i++)
    {
        ck_assert_int_eq(ether.parts[i].delay, 0);
    }
    ethereal_end();
}
END_TEST

/* Whether part a is posted before part b: by time, and those of one time as they stand. */
static bool
is_posted_before(size_t a, size_t b)
{
    const int64_t x = ether.parts[a].delay, y = ether.parts[b].delay;
    return x != y ? x < y : a < b;
}

/* Pairs of parts of one QP in the wrong order, of @p per messages for each connection, and with
 * @p racks every fourth connection within the rack; *turned: of different QPs, in another order
 * than that of their messages. */
static uint32_t
out_of_turn(uint32_t n, uint32_t per, bool racks, uint32_t *turned)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        batch[i].connection = 7 + i / per;
        batch[i].dst = racks && i / per % 4 == 1 ? 1 : FAR_HOST;
    }
    ethereal_plan(batch, n, 0);
    for (size_t a = 0; a < ether.nparts; a++)
    {
        for (size_t b = 0; b < ether.nparts; b++)
        {
            const struct weft_plan_part *x = &ether.parts[a], *y = &ether.parts[b];
            const bool late = x->message < y->message && is_posted_before(b, a);
            const bool same = x->message / per == y->message / per && x->qp == y->qp;
            wrong += late && same;
            *turned += late && !same;
        }
    }
    return wrong;
}

/* A QP sends first what it was given first, as a collective's next step behind the one before. */
START_TEST(a_qp_sends_its_messages_in_order)
{
    const char *const spreads[] = {"spread=1us", "spread=0ps"};
    for (int k = 0; k < 4; k++)
    {
        uint32_t turned = 0;
        ethereal_spines(8, spreads[k % 2]);
        for (uint32_t n = 2; n <= 40; n++)
        {
            fill_batch(n, 4096);
            ck_assert_uint_eq(out_of_turn(n, 3, k > 1, &turned), 0);
            check_bytes(n);
        }
        ck_assert_uint_gt(turned, 10000);
        ethereal_end();
    }
}
END_TEST

/* Bytes that a plan puts on an uplink. */
static uint64_t
load_on(uint16_t label, int64_t now)
{
    uint64_t load[256];
    ethereal_plan(batch, 12, now);
    loads(load);
    return load[label >> 8];
}

/* 12 messages on 4 paths, and on 3: all remain whole. */
START_TEST(a_failed_path_is_shunned_until_its_timer_ends)
{
    uint64_t qp[4];
    ethereal_spines(4, "shun=10ms");
    fill_batch(12, 100);
    ethereal_qp(qp, 0, 4); /* another ToR than the plans': a host shuns for all */
    const uint16_t bad = ethereal_data(qp);
    ck_assert_uint_eq(load_on(bad, MS), 300);
    ethereal_nack(qp, bad, 2 * MS);
    ck_assert_uint_eq(load_on(bad, 2 * MS), 0);
    ck_assert_uint_eq(ether.nparts, 12);
    ck_assert_uint_eq(load_on(bad, 12 * MS - 1), 0);
    ck_assert_uint_eq(load_on(bad, 12 * MS), 300);
    ethereal_end();
}
END_TEST

/* A QP that has sent nothing says nothing of any path. */
START_TEST(a_flow_without_a_path_has_none_shunned)
{
    uint64_t qp[4];
    ethereal_spines(4, "shun=10ms");
    fill_batch(12, 100);
    ethereal_qp(qp, 0, 4);
    ether.ops->path->on_timeout(qp, MS);
    ck_assert_uint_eq(load_on(0, MS), 300);
    ethereal_end();
}
END_TEST

START_TEST(another_failure_starts_the_timer_again)
{
    uint64_t first[4], second[4];
    ethereal_spines(4, "shun=10ms");
    fill_batch(12, 100);
    ethereal_qp(first, 0, 2);
    ethereal_qp(second, 0, 4);
    const uint16_t bad = ethereal_data(first);
    ether.ops->path->on_label(second, bad, 0);
    ether.ops->path->on_timeout(first, 0);
    ether.ops->path->on_timeout(second, 6 * MS);
    ck_assert_uint_eq(load_on(bad, 10 * MS), 0);
    ck_assert_uint_eq(load_on(bad, 16 * MS - 1), 0);
    ck_assert_uint_eq(load_on(bad, 16 * MS), 300);
    ethereal_end();
}
END_TEST

START_TEST(if_all_are_shunned_all_are_used)
{
    ethereal_spines(4, "shun=inf");
    fill_batch(12, 100);
    for (uint16_t path = 0; path < 4; path++)
    {
        uint64_t qp[4];
        ethereal_qp(qp, 0, 2);
        ether.ops->path->on_label(qp, (uint16_t)(path << 8), 0);
        ck_assert_uint_eq(load_on((uint16_t)(path << 8), MS), 1200U / (4U - path));
        ether.ops->path->on_timeout(qp, 0);
    }
    ck_assert_uint_eq(load_on(0, MS), 300);
    ethereal_end();
}
END_TEST

/* The path of the first of 8 messages to one ToR, with which the deal begins. */
static uint16_t
first_dealt(uint32_t host)
{
    ethereal_plan_at(host);
    ethereal_plan(batch, 8, MS);
    return part_of(0, 0)->label;
}

/* Hosts begin at different paths, so that what is left over does not meet; also then. */
START_TEST(if_all_are_shunned_the_deal_begins_where_it_did)
{
    uint32_t elsewhere = 0;
    ethereal_spines(8, "shun=inf");
    fill_batch(8, 100);
    for (uint32_t host = 0; host < 2; host++)
    {
        const uint16_t before = first_dealt(host);
        for (uint16_t path = 0; path < 8; path++)
        {
            uint64_t qp[4];
            ethereal_qp(qp, host, 4);
            ether.ops->path->on_label(qp, (uint16_t)(path << 8), 0);
            ether.ops->path->on_timeout(qp, 0);
        }
        ck_assert_uint_eq(first_dealt(host), before);
        elsewhere += before != 0;
    }
    ck_assert_uint_gt(elsewhere, 0);
    ethereal_end();
}
END_TEST

/* Slots on the uplinks, filled as Theorem 1 says it: each flow, and each part of what is left over,
 * goes to the least congested uplink; ties go round from the last one used. Lengths are counted in
 * 1/k of a message. */
struct slots
{
    uint32_t npaths, k, last;
    uint64_t load[1024];
    bool bad[1024];
};

static uint32_t
least_congested(struct slots *s)
{
    uint32_t best = s->npaths;
    for (uint32_t i = 1; i <= s->npaths; i++)
    {
        const uint32_t path = (s->last + i) % s->npaths;
        if (!s->bad[path] && (best == s->npaths || s->load[path] < s->load[best]))
        {
            best = path;
        }
    }
    s->last = best;
    return best;
}

static uint32_t
path_number(uint16_t label)
{
    return (label >> 8) + (label & 255U) * ether.clos.up_tor * ether.clos.parallel;
}

/* Compares the part with the model's slot, which takes the deal's beginning from the first part. */
static void
check_slot(struct slots *s, uint32_t message, uint32_t qp, uint32_t length, bool first)
{
    const struct weft_plan_part *part = part_of(message, qp);
    MUST(part && part->labelled);
    const uint32_t path = path_number(part->label);
    s->last = first ? (path + s->npaths - 1) % s->npaths : s->last;
    MUST(least_congested(s) == path);
    s->load[path] += length;
}

/* The messages to one ToR, in the order in which they were posted. */
static void
check_tor(struct slots *s, const uint32_t *messages, uint32_t n)
{
    uint32_t good = 0;
    for (uint32_t i = 0; i < s->npaths; i++)
    {
        good += !s->bad[i];
        s->load[i] = 0;
    }
    const uint32_t r = n % good;
    s->k = r ? good / gcd(r, good) : 1;
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t parts = i < n - r ? 1 : s->k;
        MUST(parts_of(messages[i]) == parts);
        for (uint32_t qp = 0; qp < parts; qp++)
        {
            check_slot(s, messages[i], qp, s->k / parts, i == 0 && qp == 0);
        }
    }
}

static void
check_against_slots(size_t n, const uint16_t *shunned, size_t nshunned)
{
    check_bytes(n);
    for (uint32_t tor = 1; tor < ether.clos.ntors; tor++)
    {
        struct slots s = {.npaths = tor / ether.clos.tors_per_pod == 0
                                        ? ether.clos.up_tor * ether.clos.parallel
                                        : ether.clos.npaths};
        uint32_t its[512], count = 0;
        for (uint32_t i = 0; i < n; i++)
        {
            if (weft_clos_tor(&ether.clos, batch[i].dst) == tor)
            {
                its[count++] = i;
            }
        }
        for (size_t i = 0; i < nshunned; i++)
        {
            s.bad[path_number(shunned[i])] = true;
        }
        if (count > 0)
        {
            check_tor(&s, its, count);
        }
    }
}

static const struct
{
    const char *kind, *shape;
} fabrics[] = {{"leaf-spine", "leaves=3 hosts-per-leaf=2 spines=5"},
               {"leaf-spine", "leaves=2 hosts-per-leaf=3 spines=2 parallel=2"},
               {"fat-tree", "k=4 tiers=3"},
               {"fat-tree", "k=6 tiers=3"}};
#define NFABRICS 4

/* Batches of random destinations, with up to two paths shunned. */
START_TEST(plans_are_those_of_a_slot_model)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 5, 1, (uint64_t)_i);
    for (uint64_t trial = 0; trial < 60; trial++)
    {
        const uint32_t nshunned = weft_rng_below(&rng, 3);
        uint16_t shunned[2];
        ethereal_begin(fabrics[_i].kind, fabrics[_i].shape, "", trial);
        for (uint32_t i = 0; i < nshunned && trial % 2; i++)
        {
            uint64_t qp[4];
            ethereal_qp(qp, 0, ether.clos.nhosts - 1);
            shunned[i] = ethereal_data(qp);
            ethereal_nack(qp, shunned[i], MS);
        }
        const uint32_t n = 1 + weft_rng_below(&rng, 60);
        for (uint32_t i = 0; i < n; i++)
        {
            batch[i].dst = 1 + weft_rng_below(&rng, ether.clos.nhosts - 1);
            batch[i].bytes = 5000;
            batch[i].connection = i;
        }
        ethereal_plan(batch, n, MS);
        check_against_slots(n, shunned, trial % 2 ? nshunned : 0);
        ethereal_end();
    }
}
END_TEST

START_TEST(plans_are_repeatable)
{
    static struct weft_plan_part before[64];
    size_t n = 0;
    for (int i = 0; i < 2; i++)
    {
        ethereal_spines(5, "");
        fill_batch(7, 1000);
        ethereal_plan(batch, 7, 0);
        ck_assert_uint_le(ether.nparts, 64);
        ck_assert(i == 0 || ether.nparts == n);
        n = ether.nparts;
        for (size_t k = 0; k < n; k++)
        {
            const struct weft_plan_part *now = &ether.parts[k];
            ck_assert(i == 0 || (now->message == before[k].message && now->qp == before[k].qp &&
                                 now->label == before[k].label && now->delay == before[k].delay));
            before[k] = *now;
        }
        ethereal_end();
    }
}
END_TEST

Suite *ethereal_suite(void);

Suite *
ethereal_suite(void)
{
    Suite *suite = suite_create("ethereal");
    TCase *tcase = tcase_create("plans");
    tcase_add_test(tcase, examples_by_hand);
    tcase_add_test(tcase, the_load_is_that_of_spraying_with_the_fewest_divided);
    tcase_add_test(tcase, the_first_parts_are_a_byte_longer);
    tcase_add_test(tcase, what_stays_in_the_rack_goes_whole_first_and_at_once);
    tcase_add_test(tcase, starts_and_order_are_random);
    tcase_add_test(tcase, a_qp_sends_its_messages_in_order);
    tcase_add_test(tcase, without_a_spread_all_start_at_once);
    tcase_add_test(tcase, a_failed_path_is_shunned_until_its_timer_ends);
    tcase_add_test(tcase, a_flow_without_a_path_has_none_shunned);
    tcase_add_test(tcase, another_failure_starts_the_timer_again);
    tcase_add_test(tcase, if_all_are_shunned_all_are_used);
    tcase_add_test(tcase, if_all_are_shunned_the_deal_begins_where_it_did);
    tcase_add_loop_test(tcase, plans_are_those_of_a_slot_model, 0, NFABRICS);
    tcase_add_test(tcase, plans_are_repeatable);
    suite_add_tcase(suite, tcase);
    return suite;
}
