/* SPDX-License-Identifier: MIT */
/* A user would lose what congestion controls with in-band telemetry rest on: that ports say of each
 * packet when it left, what they had sent and what waits, and that it comes with the reply. */
#include <check.h>
#include <string.h>

#include "net-parts.h"
#include "node/stamps.h"

struct told
{
    struct weft_stamp stamp[WEFT_STAMPS];
    uint32_t n;
    int64_t now;
};

static struct told told[4096];
static uint32_t ntold;
static struct weft_cc_ops probe;
static struct weft_clos clos;
static struct weft_net_config config;
static struct weft_net_level level;
static struct weft_net *net;

static void
on_stamps(void *state, const struct weft_stamp *stamps, uint32_t n, int64_t now)
{
    (void)state;
    ck_assert_uint_lt(ntold, 4096);
    ck_assert_uint_ge(n, 1);
    memcpy(told[ntold].stamp, stamps, n * sizeof *stamps);
    told[ntold].n = n;
    told[ntold++].now = now;
}

/* Two leaves with four hosts each, one spine, 100 Gb/s, 1 us. */
static void
begin(const char *transport)
{
    static const char *const shape[] = {"leaves",         "2",   "spines",    "1",
                                        "hosts-per-leaf", "4",   "link-rate", "100Gbps",
                                        "link-delay",     "1us", NULL};
    static const char *const rto[] = {"rto", "100us", NULL};
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    void *of = parts_defaults(&kind->algo);
    parts_set_all(&kind->algo, of, shape);
    ck_assert_int_eq(kind->build(of, &clos), 0);
    parts_describe(&config, &level, &clos, "ecmp", transport, rto);
    probe = *weft_cc_find("none");
    probe.on_stamps = on_stamps;
    level.cc = &probe;
    ntold = 0;
    ck_assert_int_eq(weft_net_make(&net, &config, NULL), 0);
}

static struct weft_qp *
post(uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct weft_qp *qp;
    const struct weft_net_qp_site site = {.src = src, .dst = dst, .stream = src};
    ck_assert_int_eq(weft_net_add_qp(net, &site, &qp, NULL), 0);
    weft_net_post(net, qp, bytes, 0, 0, src);
    return qp;
}

static void
run(void)
{
    weft_net_run(net, INT64_C(2000000000));
}

static void
end(void)
{
    parts_free();
}

static int64_t
wire_time(int64_t bytes)
{
    return bytes * 80; /* ps, at 100 Gb/s */
}

/* Store and forward: each of three switches a frame and 1 us later than the one before. */
START_TEST(each_port_of_the_way_tells_when_a_packet_left_and_what_had_left_before)
{
    begin("gbn");
    const int64_t frame = config.frame.header + config.frame.payload;
    const int64_t slot = frame + config.frame.gap;
    post(0, 5, 20 * (uint64_t)config.frame.payload);
    run();
    ck_assert_uint_eq(ntold, 20);
    for (int64_t k = 0; k < 20; k++)
    {
        ck_assert_uint_eq(told[k].n, 3);
        for (int64_t i = 0; i < 3; i++)
        {
            const struct weft_stamp *s = &told[k].stamp[i];
            ck_assert_int_eq(s->at, wire_time(k * slot) + (i + 1) * (wire_time(frame) + 1000000));
            ck_assert_uint_eq(s->bytes, (uint64_t)(k * slot));
            ck_assert_int_eq(s->rate, INT64_C(100000000000));
            ck_assert_uint_eq(s->queue, 0);
            ck_assert_uint_eq(s->port, told[0].stamp[i].port);
            ck_assert_uint_eq(s->node, told[0].stamp[i].node);
        }
        ck_assert_uint_ne(told[k].stamp[0].node, told[k].stamp[1].node);
        ck_assert_uint_ne(told[k].stamp[1].node, told[k].stamp[2].node);
        ck_assert_uint_ne(told[k].stamp[0].node, told[k].stamp[2].node);
    }
    end();
}
END_TEST

/* Two hosts of a leaf send 20 packets each to a third: two come while one goes. The second to leave
 * leaves none, as the next two have not come yet, the third one, and so on; then they end. */
START_TEST(a_port_tells_what_waits_behind_a_packet)
{
    begin("gbn");
    const uint32_t frame = (uint32_t)(config.frame.header + config.frame.payload);
    const uint64_t slot = frame + (uint64_t)config.frame.gap;
    post(0, 3, 20 * (uint64_t)config.frame.payload);
    post(1, 3, 20 * (uint64_t)config.frame.payload);
    run();
    ck_assert_uint_eq(ntold, 40);
    uint64_t seen = 0;
    for (uint32_t k = 0; k < 40; k++)
    {
        ck_assert_uint_eq(told[k].n, 1);
        const uint64_t place = told[k].stamp[0].bytes / slot;
        const uint64_t behind = place < 2 ? 0 : place - 1 < 39 - place ? place - 1 : 39 - place;
        ck_assert_uint_eq(told[k].stamp[0].queue, behind * frame);
        seen |= UINT64_C(1) << place;
    }
    ck_assert_uint_eq(seen, (UINT64_C(1) << 40) - 1);
    end();
}
END_TEST

/* Packet 3 is lost behind the last switch, and 4 and the others with it, as the NIC goes back: what
 * ports said of those is told of none of the later ones. */
START_TEST(each_reply_brings_the_stamps_of_its_own_packet)
{
    begin("gbn");
    const int64_t way = wire_time(config.frame.header + config.frame.payload) + 1000000;
    struct weft_qp *qp = post(0, 5, 20 * (uint64_t)config.frame.payload);
    weft_net_drop(net, qp, 3, 1, true);
    run();
    ck_assert_uint_gt(ntold, 20); /* there is a NACK among them */
    for (uint32_t k = 0; k < ntold; k++)
    {
        ck_assert_uint_eq(told[k].n, 3);
        ck_assert_int_eq(told[k].stamp[2].at - told[k].stamp[0].at, 2 * way);
        ck_assert(k == 0 || told[k].stamp[0].at > told[k - 1].stamp[0].at);
        /* Three links there for the last bit, four back, and the ACKs of a packet wait for none. */
        ck_assert_int_lt(told[k].now - told[k].stamp[2].at, 6000000);
        ck_assert_int_gt(told[k].now - told[k].stamp[2].at, 5000000);
    }
    end();
}
END_TEST

static struct weft_net_qp sprayed;

/* A port, the @p place-th of its way, says of a packet that left its host @p sent. */
static void
keep(int64_t sent, uint32_t place)
{
    const struct weft_memory memory = {.take = parts_take};
    struct weft_letter letter = {.packet = {.sent = sent, .hops = place & 0xffU}};
    letter.stamp = (struct weft_stamp){.at = sent, .port = place};
    weft_stamps_keep(&sprayed, &letter, &memory);
}

static void
tell(int64_t sent)
{
    const struct weft_packet reply = {.kind = WEFT_ACK, .sent = sent};
    weft_stamps_tell(&sprayed, &reply, sent);
}

/* The packet sent at 3 leaves the second switch before that sent at 1, and is answered behind it.
 * That sent at 2 is answered last: it is older than one whose stamps were told. */
START_TEST(packets_that_overtake_each_other_have_their_own_stamps)
{
    static struct weft_nic_algos algos;
    begin("gbn");
    algos.cc = &probe;
    sprayed = (struct weft_net_qp){.qp = {.algos = &algos}};
    for (int64_t sent = 1; sent <= 4; sent++)
    {
        keep(sent, 1);
    }
    keep(3, 2);
    keep(1, 2);
    keep(4, 2);
    keep(2, 2);
    tell(1);
    tell(3);
    tell(2);
    tell(4);
    ck_assert_uint_eq(ntold, 3);
    for (uint32_t i = 0; i < 3; i++)
    {
        const int64_t sent[] = {1, 3, 4};
        ck_assert_uint_eq(told[i].n, 2);
        for (uint32_t k = 0; k < 2; k++)
        {
            ck_assert_int_eq(told[i].stamp[k].at, sent[i]);
            ck_assert_uint_eq(told[i].stamp[k].port, k + 1);
        }
    }
    end();
}
END_TEST

/* A link that has become slower says so. */
START_TEST(a_port_tells_the_rate_that_its_link_has)
{
    begin("gbn");
    ck_assert_int_eq(weft_net_set_rate(net, 5, INT64_C(50000000000)), 0);
    post(0, 5, 3000);
    run();
    ck_assert_uint_gt(ntold, 0);
    ck_assert_int_eq(told[0].stamp[2].rate, INT64_C(50000000000));
    end();
}
END_TEST

/* Controls that do not read stamps are told of none. */
START_TEST(data_of_other_controls_has_no_stamps)
{
    begin("gbn");
    level.cc = weft_cc_find("none");
    ck_assert_int_eq(weft_net_make(&net, &config, NULL), 0);
    post(0, 5, 30000);
    run();
    ck_assert_uint_eq(ntold, 0);
    end();
}
END_TEST

Suite *stamps_suite(void);

Suite *
stamps_suite(void)
{
    Suite *suite = suite_create("stamps");
    TCase *tcase = tcase_create("stamps");
    tcase_add_test(tcase, each_port_of_the_way_tells_when_a_packet_left_and_what_had_left_before);
    tcase_add_test(tcase, a_port_tells_what_waits_behind_a_packet);
    tcase_add_test(tcase, each_reply_brings_the_stamps_of_its_own_packet);
    tcase_add_test(tcase, packets_that_overtake_each_other_have_their_own_stamps);
    tcase_add_test(tcase, a_port_tells_the_rate_that_its_link_has);
    tcase_add_test(tcase, data_of_other_controls_has_no_stamps);
    suite_add_tcase(suite, tcase);
    return suite;
}
