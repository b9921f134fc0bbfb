/* SPDX-License-Identifier: MIT */
/* An author of another simulator would run a half of a balancer and take it for the whole, or leave
 * out a member of a packet that an algorithm reads. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "absurd.h"
#include "lb-rig.h"
#include "must.h"
#include "refused.h"

#define PICKS 200
#define HOSTS 16

static struct weft_clos clos;

static uint32_t
needs_of(const char *name)
{
    return weft_lb_needs(weft_lb_find(name));
}

/* Needs of some balancers, as the manual says them. */
START_TEST(each_says_what_it_needs)
{
    ck_assert_uint_eq(needs_of("drill"), WEFT_NEED_PICK);
    ck_assert_uint_eq(needs_of("ar-quality"), WEFT_NEED_PICK | WEFT_NEED_READER);
    ck_assert_uint_eq(needs_of("reps"),
                      WEFT_NEED_HASH | WEFT_NEED_HOSTS | WEFT_NEED_REPLIES | WEFT_NEED_LOSSES);
    ck_assert_uint_eq(needs_of("prime"),
                      WEFT_NEED_PICK | WEFT_NEED_HOSTS | WEFT_NEED_REPLIES | WEFT_NEED_LOSSES);
    ck_assert_uint_eq(needs_of("subflow"), WEFT_NEED_HASH | WEFT_NEED_HOSTS | WEFT_NEED_PLAN);
    ck_assert_uint_eq(needs_of("letflow"), WEFT_NEED_PICK | WEFT_NEED_ARRIVE | WEFT_NEED_FLOWS);
    ck_assert_uint_eq(needs_of("conga"),
                      WEFT_NEED_PICK | WEFT_NEED_ARRIVE | WEFT_NEED_LEAVE | WEFT_NEED_FLOWS);
    ck_assert_uint_eq(needs_of("conweave"),
                      WEFT_NEED_PICK | WEFT_NEED_ARRIVE | WEFT_NEED_REQUESTS | WEFT_NEED_FLOWS);
    ck_assert_uint_eq(needs_of("themis"), WEFT_NEED_PICK | WEFT_NEED_TOR);
}
END_TEST

static int
init_switch(const struct weft_lb_ops *lb, const void *config, uint32_t provides,
            struct weft_refusal *why)
{
    struct weft_site site = lb_site_of(&clos, 0, 1);
    site.provides = provides;
    site.why = why;
    void *state = malloc(lb->state_size(config, &site) + 1);
    const int code = lb->init(state, config, &site);
    free(state);
    return code;
}

static int
init_qp(const struct weft_lb_ops *lb, const void *config, uint32_t provides,
        struct weft_refusal *why)
{
    const struct weft_path_site site = {.seed = 1,
                                        .run = 1,
                                        .clos = &clos,
                                        .qp_bdp = 10,
                                        .dst = 9,
                                        .batch = 1,
                                        .why = why,
                                        .provides = provides};
    void *host = calloc(1, lb->path->host_size(config, &site) + 1);
    void *qp = malloc(lb->path->qp_size(config, &site) + 1);
    MUST(lb->path->host_init(host, config, &site) == 0);
    const int code = lb->path->qp_init(qp, host, config, &site, 0);
    free(qp);
    free(host);
    return code;
}

static int
init_last_hop(const struct weft_lb_ops *lb, const void *config, uint32_t provides,
              struct weft_refusal *why)
{
    const struct weft_last_hop hop = {16, 400000000000, 2500000, 4158, why, provides};
    void *qp = malloc(lb->tor->qp_size(config, &hop));
    const int code = lb->tor->qp_init(qp, config, &hop);
    free(qp);
    return code;
}

typedef int (*init)(const struct weft_lb_ops *lb, const void *config, uint32_t provides,
                    struct weft_refusal *why);

/* With all that is needed it works; where one need is not provided it says which. @p implied: what
 * goes without saying there. */
static void
each_need_is_named(const struct weft_lb_ops *lb, const void *config, init begin, uint32_t implied)
{
    const uint32_t all = weft_lb_needs(lb);
    size_t count;
    const struct weft_need_text *texts = weft_needs(&count);
    struct weft_refusal why = {0};
    ck_assert_msg(begin(lb, config, all & ~implied, &why) == 0, "%s: %s", lb->algo.name, why.text);
    for (size_t i = 0; i < count; i++)
    {
        char name[32];
        if (!(all & texts[i].need & ~implied & ~(uint32_t)WEFT_NEED_READER))
        {
            continue;
        }
        (void)snprintf(name, sizeof name, "needs \"%s\"", texts[i].name);
        ck_assert_int_eq(begin(lb, config, all & ~texts[i].need, &why), WEFT_EINVAL);
        ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), name));
    }
}

static void
try_balancer(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    void *config = absurd_config(algo, 1);
    each_need_is_named(lb, config, init_switch, WEFT_NEED_PICK | WEFT_NEED_HASH);
    if (lb->path)
    {
        each_need_is_named(lb, config, init_qp, 0);
    }
    if (lb->tor)
    {
        each_need_is_named(lb, config, init_last_hop, WEFT_NEED_PICK);
    }
    free(config);
}

START_TEST(a_half_is_refused_by_name)
{
    clos = lb_fat_tree("4");
    absurd_each("balancer", try_balancer);
}
END_TEST

START_TEST(pick_is_a_hash_too)
{
    const struct weft_lb_ops *reps = weft_lb_find("reps");
    ck_assert_int_eq(weft_lb_check_needs(reps, WEFT_NEED_HASH | WEFT_NEEDS_QP, NULL), 0);
    ck_assert_int_eq(weft_lb_check_needs(reps, WEFT_NEED_PICK | WEFT_NEEDS_QP, NULL), 0);
    const struct weft_lb_ops *prime = weft_lb_find("prime");
    ck_assert_int_eq(weft_lb_check_needs(prime, WEFT_NEED_HASH | WEFT_NEEDS_QP, NULL), WEFT_EINVAL);
    uint32_t all = 0;
    size_t count;
    const struct weft_need_text *texts = weft_needs(&count);
    for (size_t i = 0; i < count; i++)
    {
        all |= texts[i].need;
    }
    ck_assert_uint_eq(all, WEFT_NEEDS_ALL);
}
END_TEST

/* --- members of packets ----------------------------------------------------------------------- */

static struct weft_rng rng;

static uint32_t
draw(uint32_t below)
{
    return weft_rng_below(&rng, below);
}

static struct weft_packet
some_packet(void)
{
    struct weft_packet p;
    memset(&p, 0, sizeof p);
    p.src = draw(HOSTS) & WEFT_HOST_MASK;
    p.dst = (p.src + 1 + draw(HOSTS - 1)) % HOSTS & WEFT_HOST_MASK;
    p.kind = draw(WEFT_CNP + 1) & 0xff;
    p.psn = draw(1U << 24) & WEFT_PSN_MASK;
    p.sport = (uint16_t)draw(65536);
    p.echo = (uint16_t)draw(65536);
    p.bytes = 1500;
    p.flags = (draw(2) ? WEFT_F_CE : 0) & 0xff;
    p.in_port = (uint16_t)draw(2);
    return p;
}

/* Members of a packet by their bits, all but meta. */
#define MEMBERS(X)                                                                                 \
    X(SENT, sent)                                                                                  \
    X(DST, dst)                                                                                    \
    X(HOPS, hops)                                                                                  \
    X(SRC, src)                                                                                    \
    X(SL, sl)                                                                                      \
    X(TCLASS, tclass)                                                                              \
    X(QP, qp)                                                                                      \
    X(KIND, kind)                                                                                  \
    X(PSN, psn)                                                                                    \
    X(FLAGS, flags)                                                                                \
    X(BYTES, bytes)                                                                                \
    X(IN_PORT, in_port)                                                                            \
    X(SPORT, sport)                                                                                \
    X(AHEAD, ahead)                                                                                \
    X(ECHO, echo)

/* Members that may be spoiled: all, or the one that is asked about; and whether that made a
 * difference. */
static uint32_t spoilt = UINT32_MAX;
static bool differs;

/* Puts anything into all members that are not among @p kept, of those that may be spoiled. */
static void
spoil(struct weft_packet *p, uint32_t kept)
{
    kept |= ~spoilt;
    struct weft_packet any;
    const uint32_t words = sizeof any / sizeof(uint32_t);
    uint32_t noise[sizeof any / sizeof(uint32_t)];
    for (uint32_t i = 0; i < words; i++)
    {
        noise[i] = weft_rng_u32(&rng);
    }
    memcpy(&any, noise, sizeof any);
    any.src = any.src % HOSTS & WEFT_HOST_MASK; /* whoever reads them in secret shall not crash */
    any.dst = any.dst % HOSTS & WEFT_HOST_MASK;
#define SPOIL(bit, member) any.member = kept & WEFT_FIELD_##bit ? p->member : any.member;
    MEMBERS(SPOIL)
#undef SPOIL
    if (!(kept & WEFT_FIELD_META))
    {
        memcpy(p->meta, any.meta, sizeof any.meta);
    }
    memcpy(any.meta, p->meta, sizeof any.meta);
    *p = any;
}

/* The members in which two packets differ. */
static uint32_t
difference(const struct weft_packet *a, const struct weft_packet *b)
{
    uint32_t d = 0;
#define DIFFER(bit, member) d |= a->member != b->member ? (uint32_t)WEFT_FIELD_##bit : 0U;
    MEMBERS(DIFFER)
#undef DIFFER
    d |= memcmp(a->meta, b->meta, sizeof a->meta) != 0 ? (uint32_t)WEFT_FIELD_META : 0U;
    return d;
}

static const char *
name_of(uint32_t members)
{
    static const struct
    {
        uint32_t member;
        const char *name;
    } names[] = {
#define NAME(bit, member) {WEFT_FIELD_##bit, #member},
        MEMBERS(NAME){WEFT_FIELD_META, "meta"}};
#undef NAME
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof *names && !(members & names[i].member))
    {
        i++;
    }
    return names[i].name;
}

/* Tries an algorithm with all members spoiled that its fields do not name and, if that makes a
 * difference, with each of them alone, to say which one. */
static void
try_each(const struct weft_algo *algo, void (*try)(const struct weft_algo *algo))
{
    spoilt = UINT32_MAX;
    differs = false;
    try(algo);
    const bool reads = differs;
    for (uint32_t i = 0; reads && i < WEFT_NFIELDS; i++)
    {
        spoilt = UINT32_C(1) << i;
        differs = false;
        try(algo);
        ck_assert_msg(!differs, "%s reads %s, which its fields do not name", algo->name,
                      name_of(spoilt));
    }
    ck_assert_msg(!reads, "%s reads members together that its fields do not name", algo->name);
}

/* Copy of a balancer with all that it keeps. */
struct copy
{
    char *state;
    char *flow[HOSTS];
};

static struct copy
begin_copy(const struct weft_lb_ops *lb, const void *config)
{
    struct copy c;
    struct weft_site site = lb_site_of(&clos, 0, 1);
    c.state = calloc(1, lb->state_size(config, &site) + 1);
    MUST(lb->init(c.state, config, &site) == 0);
    for (uint32_t i = 0; i < HOSTS; i++)
    {
        c.flow[i] = calloc(1, lb->flow_size ? lb->flow_size(config) : 1);
        MUST(!lb->flow_init || lb->flow_init(c.flow[i], config) == 0);
    }
    return c;
}

static void
end_copy(struct copy *c)
{
    free(c->state);
    for (uint32_t i = 0; i < HOSTS; i++)
    {
        free(c->flow[i]);
    }
}

/* A packet from a host of the ToR upwards: the port that it takes. */
static uint32_t
pass(const struct weft_lb_ops *lb, struct copy *c, struct weft_packet *p, uint32_t flow,
     int64_t now)
{
    static const uint32_t queues[HOSTS];
    const struct weft_ports up = {queues, NULL, 2, 2, 2, 0, 0};
    uint32_t queue = 0;
    if (lb->arrive)
    {
        (void)lb->arrive(c->state, c->flow[flow], p, &queue, now);
    }
    const uint32_t port = lb->pick(c->state, &up, p, now);
    if (lb->leave && p->kind == WEFT_DATA)
    {
        lb->leave(c->state, p, port, now);
    }
    return port;
}

static void
try_members(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    void *config = absurd_config(algo, 1);
    struct copy sound = begin_copy(lb, config);
    struct copy spoiled = begin_copy(lb, config);
    weft_rng_seed(&rng, 8, 8, 8);
    for (int64_t i = 0; i < PICKS; i++)
    {
        struct weft_packet p = some_packet();
        p.src = draw(2) & WEFT_HOST_MASK;
        p.dst = (2 + draw(HOSTS - 2)) & WEFT_HOST_MASK;
        const uint32_t flow = p.dst;
        const int64_t now = i * 100000;
        p.sent = now - 1;
        struct weft_packet q = p;
        spoil(&q, lb->fields.reads);
        const struct weft_packet before = q;
        const uint32_t port = pass(lb, &sound, &p, flow, now);
        differs |= pass(lb, &spoiled, &q, flow, now) != port;
        const uint32_t more = difference(&before, &q) & ~lb->fields.writes;
        ck_assert_msg(more == 0, "%s writes %s, which its fields do not name", algo->name,
                      name_of(more));
    }
    end_copy(&sound);
    end_copy(&spoiled);
    free(config);
}

static void
try_members_each(const struct weft_algo *algo)
{
    try_each(algo, try_members);
}

START_TEST(a_balancer_reads_what_it_says)
{
    clos = lb_fat_tree("4");
    absurd_each("balancer", try_members_each);
}
END_TEST

/* A sender's label for data after a reply. */
static uint16_t
say(const struct weft_path_ops *path, void *host, void *qp, struct weft_packet *data,
    const struct weft_packet *reply, int64_t now)
{
    struct weft_packet made = *reply;
    path->data(qp, data, now);
    path->reply(host, &made);
    if (path->on_reply)
    {
        path->on_reply(qp, reply, now);
    }
    return (uint16_t)(data->sport ^ made.sport << 1);
}

static void
try_hosts(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    const struct weft_path_site site = {1, 1,    0, &clos, 10,
                                        9, NULL, 1, NULL,  .provides = WEFT_NEEDS_ALL};
    void *config = absurd_config(algo, 1);
    void *host[2];
    void *qp[2];
    for (unsigned i = 0; lb->path && i < 2; i++)
    {
        host[i] = calloc(1, lb->path->host_size(config, &site) + 1);
        qp[i] = calloc(1, lb->path->qp_size(config, &site) + 1);
        MUST(lb->path->host_init(host[i], config, &site) == 0);
        MUST(lb->path->qp_init(qp[i], host[i], config, &site, 0) == 0);
    }
    for (int64_t i = 0; lb->path && i < PICKS; i++)
    {
        struct weft_packet data[2] = {some_packet(), {0}};
        struct weft_packet reply[2] = {some_packet(), {0}};
        data[0].kind = WEFT_DATA;
        data[0].dst = 9;
        reply[0].kind = (i % 3 ? WEFT_ACK : WEFT_NACK) & 0xff;
        reply[0].flags = (i % 5 ? 0 : WEFT_F_ECE) & 0xff;
        data[1] = data[0];
        reply[1] = reply[0];
        spoil(&data[1], lb->path->fields.reads | lb->path->fields.writes);
        spoil(&reply[1], lb->path->fields.reads | lb->path->fields.writes);
        differs |= say(lb->path, host[0], qp[0], &data[0], &reply[0], i) !=
                   say(lb->path, host[1], qp[1], &data[1], &reply[1], i);
    }
    for (unsigned i = 0; lb->path && i < 2; i++)
    {
        free(host[i]);
        free(qp[i]);
    }
    free(config);
}

static void
try_hosts_each(const struct weft_algo *algo)
{
    try_each(algo, try_hosts);
}

START_TEST(a_path_selector_reads_what_it_says)
{
    clos = lb_fat_tree("4");
    weft_rng_seed(&rng, 9, 9, 9);
    absurd_each("balancer", try_hosts_each);
}
END_TEST

/* All that a congestion control answers after ACKs of which some are marked and some are late. */
static void
try_cc(const struct weft_algo *algo)
{
    const struct weft_cc_ops *cc = (const struct weft_cc_ops *)(const void *)algo;
    const struct weft_cc_site site = {100000000000, 1, 8000000, 4, 1500, 20, NULL};
    void *config = absurd_config(algo, 1);
    void *state[2] = {calloc(1, cc->state_size + 1), calloc(1, cc->state_size + 1)};
    weft_rng_seed(&rng, 10, 10, 10);
    for (unsigned i = 0; i < 2; i++)
    {
        MUST(cc->init(state[i], config, &site, 0) == 0);
    }
    for (int64_t i = 1; i <= PICKS; i++)
    {
        const int64_t now = i * 1000000;
        struct weft_packet p[2] = {some_packet(), {0}};
        p[0].kind = (draw(4) ? WEFT_ACK : WEFT_NACK) & 0xff;
        p[0].flags = (draw(3) ? 0 : WEFT_F_ECE) & 0xff;
        p[0].sent = now - 8000000 - draw(40000000);
        p[1] = p[0];
        spoil(&p[1], cc->fields.reads);
        for (unsigned k = 0; k < 2; k++)
        {
            const uint64_t n = (uint64_t)i;
            const struct weft_cc_ack ack = {&p[k], 1, 5, n, n + 5, n};
            cc->on_sent ? cc->on_sent(state[k], &p[k], now) : (void)0;
            cc->on_ack ? cc->on_ack(state[k], &ack, now) : (void)0;
            cc->on_cnp &&i % 9 == 0 ? cc->on_cnp(state[k], &p[k], now) : (void)0;
        }
        differs |= cc->rate(state[0], now) != cc->rate(state[1], now) ||
                   (cc->window && cc->window(state[0], now) != cc->window(state[1], now));
    }
    free(state[0]);
    free(state[1]);
    free(config);
}

static void
try_cc_each(const struct weft_algo *algo)
{
    try_each(algo, try_cc);
}

START_TEST(a_congestion_control_reads_what_it_says)
{
    absurd_each("congestion-control", try_cc_each);
}
END_TEST

/* Tries a transport with losses and trimmed packets, and what the sender then sends. */
static void
try_transport(const struct weft_algo *algo)
{
    const struct weft_transport_ops *nic = (const struct weft_transport_ops *)(const void *)algo;
    const struct weft_transport_site site = {
        .rate = 100000000000, .base_rtt = 8000000, .frame = 1500};
    void *config = absurd_config(algo, 1);
    void *tx = calloc(1, nic->tx_size(config));
    void *rx[2] = {calloc(1, nic->rx_size(config)), calloc(1, nic->rx_size(config))};
    MUST(nic->tx_init(tx, config, &site) == 0);
    MUST(nic->rx_init(rx[0], config, &site) == 0 && nic->rx_init(rx[1], config, &site) == 0);
    weft_rng_seed(&rng, 11, 11, 11);
    nic->tx_post(tx, PICKS);
    for (int64_t now = 1; now < PICKS; now++)
    {
        struct weft_rx_verdict v[2] = {{.place = 0}, {.place = 0}};
        struct weft_packet p[2] = {some_packet(), {0}};
        uint32_t psn;
        if (nic->tx_next(tx, now, &psn) == WEFT_TX_NONE || draw(4) == 0)
        {
            continue;
        }
        p[0].kind = WEFT_DATA;
        p[0].psn = psn & WEFT_PSN_MASK;
        p[0].flags = (nic->trims && draw(5) == 0 ? WEFT_F_TRIMMED : 0) & 0xff;
        p[0].ahead = 0;
        nic->tx_stamp ? nic->tx_stamp(tx, &p[0]) : (void)0;
        p[1] = p[0];
        spoil(&p[1], nic->fields.reads);
        for (unsigned k = 0; k < 2; k++)
        {
            v[k].place = psn;
            nic->rx_data(rx[k], &p[k], now, &v[k]);
        }
        differs |= v[0].epsn != v[1].epsn || v[0].reply != v[1].reply || v[0].place != v[1].place ||
                   v[0].fresh != v[1].fresh;
    }
    free(tx);
    free(rx[0]);
    free(rx[1]);
    free(config);
}

static void
try_transport_each(const struct weft_algo *algo)
{
    try_each(algo, try_transport);
}

START_TEST(a_receiver_reads_what_it_says)
{
    absurd_each("transport", try_transport_each);
}
END_TEST

Suite *needs_suite(void);

Suite *
needs_suite(void)
{
    Suite *suite = suite_create("needs");
    TCase *tcase = tcase_create("needs");
    tcase_add_test(tcase, each_says_what_it_needs);
    tcase_add_test(tcase, a_half_is_refused_by_name);
    tcase_add_test(tcase, pick_is_a_hash_too);
    tcase_add_test(tcase, a_balancer_reads_what_it_says);
    tcase_add_test(tcase, a_path_selector_reads_what_it_says);
    tcase_add_test(tcase, a_congestion_control_reads_what_it_says);
    tcase_add_test(tcase, a_receiver_reads_what_it_says);
    suite_add_tcase(suite, tcase);
    return suite;
}
