/* SPDX-License-Identifier: MIT */
/* A user would lose time on the wire: a host looks at its wire again when weft_host_next_from()
 * says, and what may leave before that stays where it is. */
#include <check.h>

#include <weft/rng.h>

#include "host-rig.h"
#include "must.h"

#define REPLIES (1U << WEFT_SEND_REPLY)

static const char *const patient[] = {"rto", "inf", NULL};

static int64_t
from(uint32_t waiting, uint32_t paused, int64_t soon)
{
    return weft_host_next_from(&host_rig.host, waiting, paused, soon);
}

/* QPs that may send again `slots` after what they send first. */
static void
begin_paced(uint32_t nqps, const int64_t *slots, bool shared)
{
    host_rig_begin("gbn", patient);
    host_rig.cc.per_host = shared;
    for (uint32_t i = 0; i < nqps; i++)
    {
        host_rig_add(0);
        host_rig_cc(i)->rate = RIG_RATE / slots[i];
        host_rig_post(i, 5, 0);
        ck_assert_int_eq(host_rig_send(0, (int64_t)i * RIG_SLOT), (int)i);
    }
    host_rig.now = (int64_t)nqps * RIG_SLOT;
}

START_TEST(it_is_when_the_wire_is_free_if_anybody_waits)
{
    static const int64_t slots[] = {40, 10, 20};
    begin_paced(3, slots, false); /* they may send from 40, 11 and 22 on */
    ck_assert_int_eq(from(0, 0, 11 * RIG_SLOT), 11 * RIG_SLOT);
    ck_assert_int_eq(from(0, 0, 30 * RIG_SLOT), 30 * RIG_SLOT);
    ck_assert_int_eq(from(REPLIES, 0, 3 * RIG_SLOT), 3 * RIG_SLOT);
    ck_assert_int_eq(from(REPLIES, 1U << 1, 3 * RIG_SLOT), 3 * RIG_SLOT);
    host_rig_end();
}
END_TEST

START_TEST(it_is_when_the_first_qp_may_send)
{
    static const int64_t slots[] = {40, 10, 20};
    begin_paced(3, slots, false);
    ck_assert_int_eq(from(0, 0, 3 * RIG_SLOT), 11 * RIG_SLOT);
    ck_assert_int_eq(from(0, 0, 11 * RIG_SLOT - 1), 11 * RIG_SLOT);
    weft_host_drop(&host_rig.host, &host_rig.qp[1]);
    ck_assert_int_eq(from(0, 0, 3 * RIG_SLOT), 22 * RIG_SLOT);
    host_rig_end();
}
END_TEST

START_TEST(it_is_never_if_nobody_may_send)
{
    static const int64_t slots[] = {40, 10};
    begin_paced(0, slots, false);
    ck_assert_int_eq(from(0, 0, 5), WEFT_NEVER);
    host_rig_end();
    begin_paced(2, slots, false);
    ck_assert_int_eq(from(0, 1U << 1, 90 * RIG_SLOT), WEFT_NEVER);
    ck_assert_int_eq(from(0, 1U << 2, 5 * RIG_SLOT), 11 * RIG_SLOT); /* nobody's class */
    host_rig_end();
}
END_TEST

START_TEST(it_waits_for_a_rate_that_is_shared)
{
    static const int64_t slots[] = {4, 4};
    host_rig_begin("gbn", patient);
    host_rig.cc.per_host = true;
    host_rig.cc_config.rate = RIG_RATE / slots[0];
    host_rig_add(0);
    host_rig_add(0);
    host_rig_post(0, 3, 0);
    host_rig_post(1, 3, 0);
    ck_assert_int_eq(host_rig_send(0, 0), 0);
    ck_assert_int_eq(from(0, 0, RIG_SLOT), 4 * RIG_SLOT); /* the other has not sent at all */
    ck_assert_int_eq(from(0, 0, 4 * RIG_SLOT), 4 * RIG_SLOT);
    ck_assert_int_eq(from(0, 0, 6 * RIG_SLOT), 6 * RIG_SLOT);
    host_rig_end();
}
END_TEST

/* Half of the QPs share a rate, half of them are of another class. */
static void
begin_mixed(struct weft_rng *rng)
{
    static struct weft_nic_algos other[4];
    static struct weft_cc_ops shared;
    host_rig_begin("gbn", patient);
    for (uint32_t i = 0; i < RIG_QPS; i++)
    {
        host_rig_add(0);
    }
    shared = host_rig.cc;
    shared.per_host = true;
    for (uint32_t i = 0; i < 4; i++)
    {
        other[i] = host_rig.algos;
        other[i].cc = i % 2 ? &shared : &host_rig.cc;
        other[i].tclass = (uint8_t)(1 + i / 2);
    }
    for (uint32_t i = 0; i < RIG_QPS; i++)
    {
        host_rig.qp[i].algos = &other[weft_rng_below(rng, 4)];
        host_rig_cc(i)->rate = RIG_RATE / (1 + weft_rng_below(rng, 30));
    }
}

/* Nothing may be sent before the time that it names, and something may at it. */
static void
check_now(uint32_t paused, int64_t now)
{
    const int64_t at = from(0, paused, now);
    const int64_t plain = weft_host_next_at(&host_rig.host, 0, paused);
    MUST(at == (plain > now ? plain : now));
    MUST(from(REPLIES, paused, now) == now);
    if (at > now && host_rig.host.nactive > 0)
    {
        MUST(weft_host_next(&host_rig.host, 0, paused, now) == WEFT_SEND_NOTHING);
        MUST(weft_host_next(&host_rig.host, 0, paused, at - 1) == WEFT_SEND_NOTHING);
    }
}

START_TEST(it_is_what_the_wire_finds)
{
    struct weft_rng rng;
    uint32_t sent = 0;
    weft_rng_seed(&rng, (uint64_t)_i, 0, 0);
    begin_mixed(&rng);
    for (int64_t now = 0; now < 2000 * RIG_SLOT; now += RIG_SLOT)
    {
        const uint32_t qp = weft_rng_below(&rng, RIG_QPS);
        const uint32_t paused = weft_rng_below(&rng, 4) ? 0 : 2 * weft_rng_below(&rng, 4);
        if (weft_rng_below(&rng, 4) == 0 && host_rig.qp[qp].nwqes < RIG_WQES)
        {
            host_rig_post(qp, 1, now);
        }
        check_now(paused, now);
        const bool says = from(0, paused, now) == now;
        const int got = host_rig_send(paused, now);
        MUST(got < 0 || says);
        sent += got >= 0;
    }
    ck_assert_uint_gt(sent, 200);
    host_rig_end();
}
END_TEST

Suite *host_next_suite(void);

Suite *
host_next_suite(void)
{
    Suite *suite = suite_create("host-next");
    TCase *tcase = tcase_create("host-next");
    tcase_add_test(tcase, it_is_when_the_wire_is_free_if_anybody_waits);
    tcase_add_test(tcase, it_is_when_the_first_qp_may_send);
    tcase_add_test(tcase, it_is_never_if_nobody_may_send);
    tcase_add_test(tcase, it_waits_for_a_rate_that_is_shared);
    tcase_add_loop_test(tcase, it_is_what_the_wire_finds, 0, 8);
    suite_add_tcase(suite, tcase);
    return suite;
}
