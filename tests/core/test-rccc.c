/* SPDX-License-Identifier: MIT */
/* A user would lose credit that keeps an incast at the pace of its link: senders that go on without
 * it, or that stop for good, and receivers that grant too much or forget who has asked. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#define US INT64_C(1000000) /* ps */
#define Q  WEFT_PULL_QUANTUM

/* 100 Gb/s and 12 us: a BDP of 150,000 B, a window of 225,000; frames of 1,024 B. */
static const struct weft_cc_site site = {100000000000, 1, 12 * US, 6, 1024, 20, NULL};

static const struct weft_cc_ops *cc;
static uint64_t config[8], state[16];

static void
begin_as(const char *control, const char *name, const char *value)
{
    cc = weft_cc_find(control);
    ck_assert(cc && cc->state_size <= sizeof state && cc->algo.config_size <= sizeof config);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    ck_assert_int_eq(name ? weft_config_set(&cc->algo, config, name, value) : 0, 0);
    ck_assert_int_eq(cc->init(state, config, &site, 0), 0);
}

static void
begin(const char *name, const char *value)
{
    begin_as("rccc", name, value);
}

/* A packet of 1,024 B leaves. Returns the quanta up to which it asks. */
static uint16_t
leaves(uint64_t waiting, uint32_t active)
{
    const struct weft_demand demand = {.waiting = waiting, .has_new = true, .active = active};
    struct weft_packet data = {.kind = WEFT_DATA, .bytes = 1024};
    cc->stamp(state, &demand, &data, 0);
    return data.ahead;
}

static void
hears(void)
{
    const struct weft_packet reply = {.kind = WEFT_ACK};
    const struct weft_cc_ack ack = {.reply = &reply};
    cc->on_ack(state, &ack, 0);
}

static void
pulled(uint16_t to)
{
    const struct weft_packet pull = {.kind = WEFT_PULL, .ahead = to};
    cc->on_pull(state, &pull, 0);
}

static bool
may_send(void)
{
    const uint32_t window = cc->window(state, 0);
    ck_assert(window == 1 || window == UINT32_MAX);
    return window > 1;
}

/* Packets that leave until there is no credit. */
static uint32_t
burst(void)
{
    uint32_t n = 0;
    for (; may_send(); n++)
    {
        leaves(1000, 1);
    }
    return n;
}

/* 225,000 / 1,024 = 219.7: what is left for a part of a packet sends a whole one. */
START_TEST(a_sender_speculates_with_a_window)
{
    begin(NULL, NULL);
    ck_assert_uint_eq(burst(), 220);
    ck_assert_int_eq(cc->rate(state, 0), site.line_rate);
    begin("window", "0.01"); /* 1,500 B */
    ck_assert_uint_eq(burst(), 2);
    begin("network-rtt", "24us");
    ck_assert_uint_eq(burst(), 440);
    begin("network-rtt", "1s"); /* what 16 bits can say twice */
    ck_assert_uint_eq(burst(), 4096);
}
END_TEST

START_TEST(the_first_reply_ends_it)
{
    begin(NULL, NULL);
    leaves(1000, 1);
    hears();
    ck_assert(!may_send());
    pulled(16);
    ck_assert_uint_eq(burst(), 4);
    hears(); /* what was pulled stays */
    pulled(32);
    hears();
    ck_assert_uint_eq(burst(), 4);
    begin(NULL, NULL);
    leaves(1000, 1);
    pulled(8); /* so does a pull */
    ck_assert_uint_eq(burst(), 2);
    begin("window", "0.01"); /* 548 B of debt are left by the second packet */
    ck_assert_uint_eq(burst(), 2);
    pulled(2);
    ck_assert(!may_send());
    pulled(3);
    ck_assert(may_send());
}
END_TEST

/* Pulls say how much in all: one that is lost or overtaken costs nothing, and none counts twice. */
START_TEST(pulls_are_cumulative)
{
    begin(NULL, NULL);
    hears();
    pulled(12);
    pulled(4);
    ck_assert_uint_eq(burst(), 3);
    pulled(12);
    ck_assert(!may_send());
    pulled(65535 / 2);
    ck_assert_uint_eq(burst(), 220); /* never more than a window */
    pulled(65534);
    ck_assert_uint_eq(burst(), 220);
    pulled(2); /* 65,538: beyond 16 bits */
    ck_assert_uint_eq(burst(), 1);
}
END_TEST

START_TEST(a_debt_is_paid_first)
{
    begin(NULL, NULL);
    hears();
    pulled(1);
    ck_assert_uint_eq(burst(), 1); /* 256 B of credit send 1,024 */
    pulled(4);
    ck_assert(!may_send());
    pulled(5);
    ck_assert(may_send());
}
END_TEST

/* After 8 KiB of credit and the packet that says it: what waits less the credit that is left. */
START_TEST(it_asks_for_what_waits)
{
    begin(NULL, NULL);
    hears();
    pulled(32);
    ck_assert_uint_eq(leaves(3, 1), 32);            /* 3,072 B wait, there are 7,168 */
    ck_assert_uint_eq(leaves(10, 1), 32 + 40 - 24); /* 10,240 B, and 6,144 */
    ck_assert_uint_eq(leaves(10, 4), 32 + 5);       /* 5,120 B, a fourth of them: 1,280 */
    ck_assert_uint_eq(leaves(1000, 1), 32 + (225000 - 4096 + 255) / Q); /* a window at most */
    ck_assert_uint_eq(leaves(UINT64_MAX, 1), 32 + (225000 - 3072 + 255) / Q);
    begin(NULL, NULL);
    ck_assert_uint_eq(leaves(10, 1), 4); /* at least a packet while it speculates */
    ck_assert_uint_eq(leaves(10, 2), 2);
    const struct weft_demand again = {.waiting = 10, .active = 1};
    struct weft_packet data = {.kind = WEFT_DATA, .bytes = 1024};
    cc->stamp(state, &again, &data, 0);
    ck_assert_uint_eq(data.ahead, 0); /* nothing new waits */
}
END_TEST

/* EQDS has a BDP, a pull for each packet of 4 KiB, and no division. */
START_TEST(eqds_is_its_elder)
{
    struct weft_pull_terms terms;
    begin_as("eqds", NULL, NULL);
    ck_assert_uint_eq(leaves(10, 2), 4);
    ck_assert_uint_eq(burst(), 146); /* 150,000 B */
    cc->terms(config, &site, &terms);
    ck_assert(terms.each == 16 && terms.ahead == 585);
    ck_assert_double_eq_tol(terms.pace, 20480 / 0.99, 1e-6);
    hears();
    pulled(16);
    ck_assert_uint_eq(burst(), 4);
    memset(config, 0, sizeof config); /* no defaults */
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_ERANGE);
}
END_TEST

/* Three QPs into host 1, under the NIC for switches that trim. */
static struct
{
    struct weft_nic_algos algos;
    uint64_t transport[8];
    struct weft_puller pullers[2];
    struct weft_qp qp[3];
    uint32_t psn[3];
    struct weft_wqe wqes[3][1];
} rig;

static void
receivers(const char *name, const char *value)
{
    begin(name, value);
    memset(&rig, 0, sizeof rig);
    weft_puller_init(&rig.pullers[0]);
    weft_puller_init(&rig.pullers[1]);
    rig.algos = (struct weft_nic_algos){
        .transport = weft_transport_find("trim"),
        .transport_config = rig.transport,
        .cc = cc,
        .cc_config = config,
        .pullers = rig.pullers,
        .tclass = 1,
    };
    ck_assert_int_eq(weft_config_default(&weft_fabric_algo, &rig.algos.frame), 0);
    ck_assert_int_eq(weft_config_default(&rig.algos.transport->algo, rig.transport), 0);
    for (uint32_t i = 0; i < 3; i++)
    {
        const struct weft_qp_site at = {.index = i, .src = 0, .dst = 1, .sport = 50000, .cc = site};
        ck_assert_int_eq(
            weft_qp_init(&rig.qp[i], calloc(1, weft_qp_size(&rig.algos, &at)), &rig.algos, &at, 0),
            0);
        ck_assert_int_eq(weft_qp_post(&rig.qp[i], rig.wqes[i], 1000000, 0, 0), 0);
    }
}

static void
end(void)
{
    for (uint32_t i = 0; i < 3; i++)
    {
        free(rig.qp[i].tx); /* the sender's state comes first */
    }
}

static void
arrives(uint32_t qp, uint16_t target, bool trimmed, int64_t now)
{
    const struct weft_packet data = {.kind = WEFT_DATA,
                                     .qp = qp & WEFT_QP_MASK,
                                     .dst = 1,
                                     .psn = rig.psn[qp]++ & WEFT_PSN_MASK,
                                     .bytes = 1024,
                                     .in_port = 5,
                                     .flags = trimmed ? WEFT_F_TRIMMED : 0,
                                     .ahead = target};
    struct weft_qp_answer answer;
    weft_qp_data(&rig.qp[qp], &data, now, &answer);
}

/* The next pull leaves @p at, for that QP up to that credit. */
static void
pulls(int64_t at, uint32_t qp, uint16_t to)
{
    struct weft_packet pull;
    struct weft_puller *p = &rig.pullers[1];
    ck_assert_int_eq(p->at, at);
    ck_assert_ptr_null(weft_puller_take(p, at - 1, &pull));
    ck_assert_ptr_eq(weft_puller_take(p, at, &pull), &rig.qp[qp]);
    ck_assert_uint_eq(pull.ahead, to);
    ck_assert(pull.kind == WEFT_PULL && pull.qp == qp && pull.src == 1 && pull.dst == 0 &&
              pull.bytes == 64 && pull.in_port == 5 && pull.sent == at && pull.sport == 50000);
}

/* Nothing follows. */
static void
rests(int64_t at)
{
    struct weft_packet pull;
    ck_assert_int_eq(rig.pullers[1].at, at);
    ck_assert_ptr_null(weft_puller_take(&rig.pullers[1], at, &pull));
    ck_assert_int_eq(rig.pullers[1].at, WEFT_NEVER);
}

/* A quantum of 256 B takes 20.48 ns at 100 Gb/s, and 1 % more. */
static int64_t
takes(int64_t quanta)
{
    return (int64_t)(20480 / 0.99 * (double)quanta);
}

/* 16 KiB each, 64 quanta; none more than it has asked for. */
START_TEST(those_who_ask_are_served_in_turn_at_the_pace_of_the_line)
{
    receivers("ahead", "off");
    arrives(0, 100, false, US);
    arrives(1, 10, false, US);
    arrives(0, 130, false, US);
    arrives(0, 120, false, US); /* overtaken */
    pulls(US, 0, 64);
    arrives(2, 0, false, US + 1); /* asks for nothing */
    pulls(US + takes(64), 1, 10);
    arrives(1, 8, false, US + takes(64) + 1); /* overtaken */
    pulls(US + takes(64) + takes(10), 0, 128);
    const int64_t last = US + 2 * takes(64) + takes(10);
    pulls(last, 0, 130);
    rests(last + takes(2));
    arrives(1, 12, false, 100 * US);
    pulls(100 * US, 1, 12);
    rests(100 * US + takes(2));
    end();
}
END_TEST

/* A header without payload has a retransmission to come, for which nobody may have asked. */
START_TEST(a_trimmed_packet_brings_a_pull)
{
    receivers("ahead", "off");
    arrives(0, 0, true, US);
    pulls(US, 0, 64);
    rests(US + takes(64));
    end();
    receivers("ahead", "off");
    arrives(0, 70, false, US);
    arrives(0, 70, true, US); /* it has asked for more than it got */
    pulls(US, 0, 64);
    arrives(1, 4, true, US + 1); /* the pace is kept */
    pulls(US + takes(64), 0, 70);
    pulls(US + takes(64) + takes(6), 1, 4);
    rests(US + takes(64) + takes(6) + takes(4));
    end();
    receivers(NULL, NULL);
    arrives(0, 0, true, US);
    pulls(US, 0, 0);
    pulls(US + takes(4), 0, 64); /* since nobody asks */
    end();
}
END_TEST

/* 225,000 B are 878 quanta: 13 pulls and a part of one, which is whole. */
START_TEST(credit_is_granted_ahead_when_nobody_asks)
{
    receivers(NULL, NULL);
    int64_t at = US;
    arrives(0, 10, false, at);
    pulls(at, 0, 10);
    at += takes(10);
    pulls(at, 0, 74);
    at += takes(64);
    arrives(1, 64, false, at);
    arrives(1, 128, false, at);
    pulls(at, 1, 64); /* which has asked goes first */
    pulls(at + takes(64), 1, 128);
    at += 2 * takes(64);
    for (uint16_t n = 2; n < 15; n++)
    {
        pulls(at, 0, (uint16_t)(10 + 64 * n));
        at += takes(64);
        pulls(at, 1, (uint16_t)(128 + 64 * (n - 1)));
        at += takes(64);
    }
    pulls(at, 1, 128 + 64 * 14);
    rests(at + takes(64));
    arrives(0, 10 + 64 * 14 + 3, false, 200 * US); /* beyond that */
    pulls(200 * US, 0, 10 + 64 * 14 + 3);
    end();
}
END_TEST

START_TEST(a_qp_that_asks_leaves_those_that_rest)
{
    receivers(NULL, NULL);
    arrives(0, 4, false, US);
    arrives(1, 4, false, US);
    arrives(2, 4, false, US);
    int64_t at = US;
    for (uint32_t i = 0; i < 3; i++)
    {
        pulls(at, i, 4);
        at += takes(4);
    }
    arrives(1, 104, false, at); /* from the middle */
    pulls(at, 1, 68);
    at += takes(64);
    pulls(at, 1, 104);
    at += takes(36);
    pulls(at, 0, 68);
    at += takes(64);
    pulls(at, 2, 68);
    at += takes(64);
    pulls(at, 1, 168);
    end();
}
END_TEST

/* Credit of megabytes goes round 16 bits. */
START_TEST(credit_counts_beyond_16_bits)
{
    receivers("ahead", "off");
    int64_t at = US;
    for (uint32_t sum = 0; sum < 200000; sum += 640)
    {
        arrives(0, (uint16_t)(sum + 640), false, at);
        for (uint32_t n = 1; n <= 10; n++)
        {
            pulls(at, 0, (uint16_t)(sum + 64 * n));
            at += takes(64);
        }
    }
    rests(at);
    end();
}
END_TEST

/* Both would write where a packet says what it asks for; and nobody would serve the pacers. */
START_TEST(what_cannot_work_is_refused)
{
    struct weft_refusal why;
    struct weft_qp_site at = {.index = 0, .src = 0, .dst = 1, .cc = site};
    struct weft_qp qp;
    receivers(NULL, NULL);
    at.cc.why = &why;
    rig.algos.pullers = NULL;
    ck_assert_int_eq(weft_qp_init(&qp, rig.qp[0].tx, &rig.algos, &at, 0), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(why.text, "pullers is NULL"));
    rig.algos.pullers = rig.pullers;
    rig.algos.transport = weft_transport_find("erasure");
    ck_assert_int_eq(weft_qp_init(&qp, rig.qp[0].tx, &rig.algos, &at, 0), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(why.text, "another transport"));
    end();
    at.cc.base_rtt = 0;
    ck_assert_int_eq(cc->init(state, config, &at.cc, 0), WEFT_EINVAL);
    memset(config, 0, sizeof config); /* no defaults */
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_ERANGE);
}
END_TEST

Suite *rccc_suite(void);

Suite *
rccc_suite(void)
{
    Suite *suite = suite_create("rccc");
    TCase *tcase = tcase_create("rccc");
    tcase_add_test(tcase, a_sender_speculates_with_a_window);
    tcase_add_test(tcase, the_first_reply_ends_it);
    tcase_add_test(tcase, pulls_are_cumulative);
    tcase_add_test(tcase, a_debt_is_paid_first);
    tcase_add_test(tcase, it_asks_for_what_waits);
    tcase_add_test(tcase, eqds_is_its_elder);
    tcase_add_test(tcase, those_who_ask_are_served_in_turn_at_the_pace_of_the_line);
    tcase_add_test(tcase, a_trimmed_packet_brings_a_pull);
    tcase_add_test(tcase, credit_is_granted_ahead_when_nobody_asks);
    tcase_add_test(tcase, a_qp_that_asks_leaves_those_that_rest);
    tcase_add_test(tcase, credit_counts_beyond_16_bits);
    tcase_add_test(tcase, what_cannot_work_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
