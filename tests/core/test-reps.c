/* SPDX-License-Identifier: MIT */
/* A user would lose REPS (ofan §3.2(6)): congested labels that are used again, good ones that are
 * not, or a failure that random labels run into again and again. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include <weft/rng.h>
#include <weft/weft.h>

#include "must.h"
#include "path-rig.h"

#define US INT64_C(1000000)

static struct path_rig rig;

static void
ack(uint16_t label, int64_t now)
{
    path_rig_answer(&rig, WEFT_ACK, label, false, now);
}

static void
acks(uint16_t first, uint16_t last)
{
    for (uint16_t label = first; label <= last; label++)
    {
        ack(label, 0);
    }
}

/* Labels of the tests are below 100: a random one is among them by chance 1 in 655 times, and with
 * these seeds never. */
static void
expect_random(uint32_t packets)
{
    for (uint32_t i = 0; i < packets; i++)
    {
        ck_assert_uint_ge(path_rig_data(&rig), 100);
    }
}

static void
expect(uint16_t first, uint16_t last)
{
    for (uint16_t label = first; label <= last; label++)
    {
        ck_assert_uint_eq(path_rig_data(&rig), label);
    }
}

START_TEST(unmarked_labels_are_used_once_more_in_order)
{
    path_rig_begin(&rig, "reps", "explore=0", 1, 1, 3, 0);
    expect_random(3);
    acks(1, 3);
    expect(1, 2);
    acks(4, 5);
    expect(3, 5);
    expect_random(3);
    acks(6, 6);
    expect(6, 6);
}
END_TEST

START_TEST(marked_labels_are_discarded_and_nacks_recycle_nothing)
{
    path_rig_begin(&rig, "reps", "explore=0", 1, 1, 3, 0);
    ack(1, 0);
    path_rig_answer(&rig, WEFT_ACK, 2, true, 0);
    path_rig_answer(&rig, WEFT_NACK, 3, false, 0);
    path_rig_answer(&rig, WEFT_NACK, 4, true, 0);
    ack(5, 0);
    expect(1, 1);
    expect(5, 5);
    expect_random(3);
}
END_TEST

START_TEST(a_ninth_label_overwrites_the_oldest_of_eight)
{
    path_rig_begin(&rig, "reps", "explore=0", 1, 1, 3, 0);
    acks(1, 11);
    expect(4, 11);
    expect_random(1);
    path_rig_begin(&rig, "reps", "explore=0 ring=3", 1, 1, 3, 0);
    acks(1, 2);
    expect(1, 1);
    acks(3, 5);
    expect(3, 5);
    expect_random(1);
}
END_TEST

/* With one ACK for three packets each label serves three; one that is overwritten no more. */
START_TEST(a_label_may_serve_several_packets)
{
    path_rig_begin(&rig, "reps", "explore=0 ring=2 uses=3", 1, 1, 3, 0);
    acks(1, 2);
    expect(1, 1);
    expect(1, 1);
    acks(3, 3);
    for (uint16_t label = 2; label <= 3; label++)
    {
        expect(label, label);
        expect(label, label);
        expect(label, label);
    }
    expect_random(3);
}
END_TEST

START_TEST(the_first_bdp_explores)
{
    path_rig_begin(&rig, "reps", "explore=20", 1, 1, 3, 0);
    acks(1, 3);
    expect_random(20);
    expect(1, 3);
    path_rig_begin(&rig, "reps", "", 1, 1, 3, 0);
    acks(1, 3);
    expect_random(PATH_RIG_BDP); /* the QP's own, unless a number is set */
    expect(1, 3);
}
END_TEST

START_TEST(a_frozen_ring_goes_round)
{
    path_rig_begin(&rig, "reps", "explore=0", 1, 1, 3, 0);
    acks(1, 8);
    expect(1, 6);
    rig.ops->path->on_timeout(rig.qp, 0);
    expect(7, 8); /* unused ones first */
    for (int i = 0; i < 3; i++)
    {
        expect(1, 8);
    }
    /* Labels that still come back go into the ring and next upon the wire. */
    expect(1, 3);
    ack(20, 1);
    expect(20, 20);
    expect(5, 8);
    expect(1, 3);
    expect(20, 20);
}
END_TEST

START_TEST(a_frozen_ring_that_was_never_full_goes_round_in_what_it_has)
{
    path_rig_begin(&rig, "reps", "explore=0", 1, 1, 3, 0);
    rig.ops->path->on_timeout(rig.qp, 0);
    expect_random(5); /* it has nothing */
    acks(1, 3);
    for (int i = 0; i < 3; i++)
    {
        expect(1, 3);
    }
    acks(4, 5);
    expect(4, 5);
    expect(1, 5);
}
END_TEST

START_TEST(freezing_ends_at_the_first_unmarked_ack_after_its_time)
{
    path_rig_begin(&rig, "reps", "explore=4 freeze=50us", 1, 1, 3, 0);
    acks(1, 1);
    expect_random(4);
    expect(1, 1);
    rig.ops->path->on_timeout(rig.qp, 10 * US);
    expect(1, 1);
    ack(2, 60 * US - 1);
    expect(2, 2);
    expect(1, 2);
    path_rig_answer(&rig, WEFT_ACK, 3, true, 60 * US);
    path_rig_answer(&rig, WEFT_NACK, 3, false, 60 * US);
    rig.ops->path->on_timeout(rig.qp, 60 * US); /* frozen already: no longer for it */
    expect(1, 2);
    ack(4, 60 * US); /* at the very end of its time: not later */
    expect(4, 4);
    expect(1, 2);
    ack(5, 60 * US + 1);
    expect_random(4); /* explores again */
    expect(5, 5);
    expect_random(3); /* no longer frozen */
}
END_TEST

START_TEST(a_timeout_while_exploring_freezes_nothing)
{
    path_rig_begin(&rig, "reps", "explore=4", 1, 1, 3, 0);
    expect_random(3);
    acks(1, 1);
    rig.ops->path->on_timeout(rig.qp, 0);
    expect_random(1);
    expect(1, 1);
    expect_random(3);
    path_rig_begin(&rig, "reps", "explore=0 freeze=0ps", 1, 1, 3, 0);
    acks(1, 1);
    expect(1, 1);
    rig.ops->path->on_timeout(rig.qp, 0);
    expect_random(3);
}
END_TEST

/*
 * The rules said plainly: slots that have been filled, each with its label, the time it came and
 * how often it may be used yet; a place where the next label goes.
 */
static struct
{
    uint16_t label[16];
    uint32_t came[16];
    uint32_t unused[16];
    uint32_t filled, place, clock, size, uses, exploring, explore;
    bool frozen;
    int64_t thaw;
} model;

/* The label of the next packet; -1: random. */
static int
model_data(void)
{
    int oldest = -1;
    if (model.exploring > 0)
    {
        model.exploring--;
        return -1;
    }
    for (uint32_t i = 0; i < model.filled; i++)
    {
        if (model.unused[i] > 0 && (oldest < 0 || model.came[i] < model.came[oldest]))
        {
            oldest = (int)i;
        }
    }
    if (oldest < 0)
    {
        if (!model.frozen || model.filled == 0)
        {
            return -1;
        }
        oldest = (int)(model.place % model.filled);
        model.place = (uint32_t)oldest + 1;
    }
    else
    {
        model.unused[oldest]--;
    }
    return model.label[oldest];
}

static void
model_ack(uint16_t label, int64_t now)
{
    const uint32_t i = model.place % model.size;
    model.label[i] = label;
    model.came[i] = model.clock++;
    model.unused[i] = model.uses;
    model.place = i + 1;
    model.filled = model.filled > i ? model.filled : i + 1;
    if (model.frozen && now > model.thaw)
    {
        model.frozen = false;
        model.exploring = model.explore;
    }
}

/* Returns how many labels were random; of these so many lie beyond those of all ACKs. */
static uint32_t
compare_with_model(uint64_t seed, uint32_t *beyond)
{
    struct weft_rng rng;
    char settings[80];
    uint32_t random = 0;
    uint16_t next = 1;
    weft_rng_seed(&rng, seed, 0, 0);
    memset(&model, 0, sizeof(model));
    model.size = 1 + weft_rng_below(&rng, 16);
    model.explore = model.exploring = weft_rng_below(&rng, 30);
    model.uses = seed % 2 ? 1 : 1 + weft_rng_below(&rng, 4);
    snprintf(settings, sizeof(settings), "ring=%u uses=%u explore=%u freeze=40us", model.size,
             model.uses, model.explore);
    path_rig_begin(&rig, "reps", settings, seed, 1, 3, 0);
    for (int64_t now = 0; now < 5000 * US; now += US)
    {
        const uint32_t what = weft_rng_below(&rng, 200);
        if (what < 90)
        {
            const int label = model_data();
            const uint16_t sport = path_rig_data(&rig);
            MUST(label < 0 || label == sport);
            random += label < 0;
            *beyond += label < 0 && sport >= 6554;
        }
        else if (what < 90 + (now / (500 * US)) % 2 * 60 + 30)
        {
            model_ack(next, now);
            ack(next++, now);
        }
        else if (what < 199)
        {
            path_rig_answer(&rig, what % 2 ? WEFT_ACK : WEFT_NACK, 5000, what % 2, now);
        }
        else
        {
            model.thaw = model.frozen || model.exploring ? model.thaw : now + 40 * US;
            model.frozen = model.frozen || model.exploring == 0;
            rig.ops->path->on_timeout(rig.qp, now);
        }
    }
    return random;
}

/* Nine of ten random labels lie beyond those of the acknowledged packets. */
START_TEST(random_events_agree_with_a_list_of_slots)
{
    uint32_t random = 0;
    uint32_t beyond = 0;
    for (uint64_t seed = 0; seed < 200; seed++)
    {
        random += compare_with_model(seed, &beyond);
    }
    ck_assert_uint_ge(random, 200 * 100);
    ck_assert_uint_ge(10 * beyond, 8 * random);
}
END_TEST

START_TEST(replies_are_sprayed_unless_asked_otherwise)
{
    path_rig_check_replies("reps", "spray");
}
END_TEST

START_TEST(switches_hash_as_under_ecmp)
{
    path_rig_check_switches("reps");
}
END_TEST

START_TEST(a_run_can_be_repeated_and_streams_are_apart)
{
    path_rig_check_streams("reps", "");
}
END_TEST

START_TEST(a_qp_without_a_bdp_is_refused)
{
    path_rig_begin(&rig, "reps", "", 1, 1, 3, 0);
    const struct weft_path_ops *path = rig.ops->path;
    const struct weft_param *explore = &rig.ops->algo.params[1];
    struct weft_path_site site = {1, 1, 3, NULL, 0, .provides = WEFT_NEEDS_ALL};
    int64_t value = -2;
    ck_assert_str_eq(explore->name, "explore");
    ck_assert_int_eq(path->qp_init(rig.qp, rig.host, rig.config, &site, 0), WEFT_EINVAL);
    site.qp_bdp = 1;
    ck_assert_int_eq(path->qp_init(rig.qp, rig.host, rig.config, &site, 0), 0);
    memcpy((char *)rig.config + explore->offset, &value, sizeof value);
    ck_assert_int_eq(path->qp_init(rig.qp, rig.host, rig.config, &site, 0), WEFT_ERANGE);
    path_rig_begin(&rig, "reps", "explore=0", 1, 1, 3, 0);
    site.qp_bdp = 0;
    ck_assert_int_eq(path->qp_init(rig.qp, rig.host, rig.config, &site, 0), 0);
}
END_TEST

Suite *
reps_suite(void)
{
    Suite *suite = suite_create("reps");
    TCase *tcase = tcase_create("reps");
    tcase_add_test(tcase, unmarked_labels_are_used_once_more_in_order);
    tcase_add_test(tcase, marked_labels_are_discarded_and_nacks_recycle_nothing);
    tcase_add_test(tcase, a_ninth_label_overwrites_the_oldest_of_eight);
    tcase_add_test(tcase, a_label_may_serve_several_packets);
    tcase_add_test(tcase, the_first_bdp_explores);
    tcase_add_test(tcase, a_frozen_ring_goes_round);
    tcase_add_test(tcase, a_frozen_ring_that_was_never_full_goes_round_in_what_it_has);
    tcase_add_test(tcase, freezing_ends_at_the_first_unmarked_ack_after_its_time);
    tcase_add_test(tcase, a_timeout_while_exploring_freezes_nothing);
    tcase_add_test(tcase, random_events_agree_with_a_list_of_slots);
    tcase_add_test(tcase, replies_are_sprayed_unless_asked_otherwise);
    tcase_add_test(tcase, switches_hash_as_under_ecmp);
    tcase_add_test(tcase, a_run_can_be_repeated_and_streams_are_apart);
    tcase_add_test(tcase, a_qp_without_a_bdp_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
