/* SPDX-License-Identifier: MIT */
/* Embedders of the core would crash, or wait for ever, on a configuration without its defaults or a
 * site that lacks something, instead of being told. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "absurd.h"
#include "must.h"
#include "refused.h"

#define TRIES 300 /* for each configuration */

static struct weft_rng rng;

static void
prepare(void)
{
    weft_rng_seed(&rng, 4, 5, 6);
}

static bool
one_in(uint32_t n)
{
    return weft_rng_below(&rng, n) == 0;
}

static void
talk(const struct weft_transport_ops *nic, void *tx, void *rx)
{
    nic->tx_post(tx, 100);
    for (int64_t now = 0; now < 200; now++)
    {
        struct weft_packet p = {
            .sent = now, .dst = 1, .bytes = 1500, .kind = WEFT_DATA, .tclass = 1};
        uint32_t psn;
        struct weft_rx_verdict verdict;
        if (nic->tx_next(tx, now, &psn) != WEFT_TX_NONE && now % 7 != 3)
        {
            p.psn = psn & WEFT_PSN_MASK;
            verdict.place = p.psn;
            nic->rx_data(rx, &p, now, &verdict);
            p.kind = verdict.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
            p.ahead = weft_ahead(verdict.place, verdict.epsn);
            p.psn = verdict.epsn & WEFT_PSN_MASK;
            (void)nic->tx_reply(tx, &p, now);
        }
        nic->tx_timeout(tx, now);
    }
}

static void
try_transport(const struct weft_algo *algo)
{
    const struct weft_transport_ops *nic = (const struct weft_transport_ops *)(const void *)algo;
    for (uint32_t which = 0; which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        void *tx = malloc(nic->tx_size(config));
        void *rx = malloc(nic->rx_size(config));
        const int sends =
            nic->tx_init(tx, config, &(struct weft_transport_site){.first_psn = 0xfffff0});
        const int receives =
            nic->rx_init(rx, config, &(struct weft_transport_site){.first_psn = 0xfffff0});
        ck_assert_msg(absurd_is_code(sends) && absurd_is_code(receives), "%s", algo->name);
        ck_assert_msg(which > 0 || sends == WEFT_ERANGE, "%s: nothing is set", algo->name);
        ck_assert_msg(which != 1 || (sends == 0 && receives == 0), "%s: defaults", algo->name);
        if (sends == 0 && receives == 0)
        {
            talk(nic, tx, rx);
        }
        else
        {
            struct weft_refusal why = {0};
            (void)refused(weft_config_check(algo, config, &why), &why);
        }
        free(tx);
        free(rx);
        free(config);
    }
}

START_TEST(every_transport_works_or_says_no)
{
    prepare();
    absurd_each("transport", try_transport);
}
END_TEST

/* Calls each hook once. */
static void
signal_all(const struct weft_cc_ops *cc, void *state, int64_t now)
{
    const struct weft_packet p = {
        .sent = now / 2, .dst = 1, .bytes = 1500, .kind = WEFT_ACK, .tclass = 1};
    if (cc->on_sent)
    {
        cc->on_sent(state, &p, now);
    }
    if (cc->on_ack)
    {
        const struct weft_cc_ack ack = {&p, 1, 3, 10, 14, 10};
        cc->on_ack(state, &ack, now);
    }
    if (cc->on_cnp)
    {
        cc->on_cnp(state, &p, now);
    }
    if (cc->on_nack)
    {
        cc->on_nack(state, &p, now);
    }
    if (cc->on_timeout)
    {
        cc->on_timeout(state, now);
    }
}

static void
try_cc_site(const struct weft_cc_ops *cc, const void *config, bool told)
{
    struct weft_refusal why = {0};
    struct weft_cc_site site = {400000000000, 1, 6000000, 4, 1500, 20, &why};
    site.line_rate = one_in(3) ? absurd_i64(&rng) : site.line_rate;
    site.share = one_in(3) ? absurd_real(&rng) : site.share;
    site.base_rtt = one_in(3) ? absurd_i64(&rng) : site.base_rtt;
    site.links = one_in(3) ? absurd_u32(&rng) : site.links;
    site.frame = one_in(3) ? absurd_u32(&rng) : site.frame;
    site.gap = one_in(3) ? absurd_u32(&rng) : site.gap;
    void *state = malloc(cc->state_size);
    const int code = cc->init(state, config, &site, 0);
    ck_assert_msg(absurd_is_code(code), "%s: %d", cc->algo.name, code);
    ck_assert_msg(told || code != 0, "%s: nothing is set", cc->algo.name);
    if (code != 0)
    {
        (void)refused(code, &why);
    }
    for (int64_t now = 1; code == 0 && now < 100000000000; now *= 2)
    {
        signal_all(cc, state, now);
        const int64_t rate = cc->rate(state, now);
        ck_assert_msg(rate > 0 && rate <= site.line_rate, "%s: %lld", cc->algo.name,
                      (long long)rate);
        ck_assert(!cc->window || cc->window(state, now) > 0);
    }
    free(state);
}

static void
try_cc(const struct weft_algo *algo)
{
    const struct weft_cc_ops *cc = (const struct weft_cc_ops *)(const void *)algo;
    for (uint32_t which = 0; which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        /* All parameters of "ideal" may be 0. */
        const bool told = which > 0 || algo->nparams < 2;
        for (uint32_t i = 0; i < TRIES; i++)
        {
            try_cc_site(cc, config, told);
        }
        free(config);
    }
}

START_TEST(every_congestion_control_works_or_says_no)
{
    prepare();
    absurd_each("congestion-control", try_cc);
}
END_TEST

static struct weft_mmu_config
some_buffer(void)
{
    struct weft_mmu_config c;
    const uint32_t rare = 1 + weft_rng_below(&rng, 8);
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &c), 0);
    c.pfc = !one_in(4);
    c.trim = !c.pfc || one_in(8);
    c.classes = 2 << weft_rng_below(&rng, 3);
    int64_t *const sizes[] = {&c.buffer,  &c.pfc,         &c.headroom,    &c.xon_gap,     &c.kmin,
                              &c.kmax,    &c.port_buffer, &c.ecn,         &c.classes,     &c.trim,
                              &c.trim_at, &c.trim_bytes,  &c.trim_victim, &c.header_queue};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    {
        *sizes[i] = one_in(rare) ? absurd_i64(&rng) : *sizes[i];
    }
    c.alpha = one_in(rare) ? absurd_real(&rng) : c.alpha;
    c.pmax = one_in(rare) ? absurd_real(&rng) : c.pmax;
    return c;
}

/* Frames come and go, and leave nothing behind. */
static void
fill_and_empty(struct weft_mmu *mmu)
{
    uint32_t held[64];
    uint32_t n = 0;
    for (uint32_t i = 0; i < 64; i++)
    {
        const uint32_t out = weft_rng_below(&rng, mmu->nports);
        if (weft_mmu_admit(mmu, i % mmu->nports, out, i % 2, 1500) & WEFT_MMU_ADMIT)
        {
            held[n++] = i << 16 | out;
            (void)weft_mmu_mark(mmu, weft_mmu_queues(mmu)[out], &rng);
        }
    }
    while (n-- > 0)
    {
        const uint32_t i = held[n] >> 16;
        (void)weft_mmu_release(mmu, i % mmu->nports, held[n] & 0xffff, i % 2, 1500);
    }
    ck_assert_int_eq(mmu->shared_used + mmu->headroom_used, 0);
}

START_TEST(a_buffer_works_or_says_no)
{
    prepare();
    for (uint32_t i = 0; i < 100 * TRIES; i++)
    {
        const struct weft_mmu_config config = some_buffer();
        const uint32_t nports = one_in(4) ? absurd_u32(&rng) : 16;
        const int64_t size = weft_mmu_size(&config, nports);
        struct weft_mmu *mmu = (struct weft_mmu *)malloc(size > 0 ? (size_t)size : 1);
        struct weft_refusal why = {0};
        const int code = weft_mmu_init(mmu, &config, nports);
        MUST(weft_mmu_check(&config, nports, &why) == code);
        if (code != 0)
        {
            (void)refused(code, &why);
        }
        MUST(absurd_is_code(code) && (size > 0 || code < 0));
        if (code == 0)
        {
            fill_and_empty(mmu);
        }
        free(mmu);
    }
}
END_TEST

START_TEST(zeros_are_no_buffer)
{
    const struct weft_mmu_config nothing = {0};
    struct weft_mmu *mmu = (struct weft_mmu *)malloc(sizeof(struct weft_mmu));
    ck_assert_int_eq(weft_mmu_size(&nothing, 4), WEFT_ERANGE);
    ck_assert_int_eq(weft_mmu_init(mmu, &nothing, 4), WEFT_ERANGE);
    free(mmu);
}
END_TEST

static void
try_hosts(const struct weft_workload_ops *workload, const void *config)
{
    struct weft_refusal why = {0};
    struct weft_hosts hosts = {16, 4, 8};
    struct weft_traffic_size size = {0};
    hosts.why = &why;
    hosts.rate = one_in(3) ? (int64_t)absurd_u32(&rng) - 7 : INT64_C(100000000000);
    hosts.n = one_in(2) ? absurd_u32(&rng) : hosts.n;
    hosts.per_tor = one_in(3) ? absurd_u32(&rng) : hosts.per_tor;
    hosts.per_pod = one_in(3) ? absurd_u32(&rng) : hosts.per_pod;
    const int code = workload->size(config, &hosts, &size);
    ck_assert_msg(absurd_is_code(code), "%s: %d", workload->algo.name, code);
    if (code != 0)
    {
        (void)refused(code, &why);
    }
    if (code != 0 || size.nmessages > 100000)
    {
        return;
    }
    struct weft_message *messages = malloc(size.nmessages * sizeof *messages);
    uint32_t *next = malloc((size.nnext + 1) * sizeof *next);
    ck_assert_int_eq(workload->fill(config, &hosts, 1, 1, messages, next), 0);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        MUST(messages[i].src < hosts.n && messages[i].dst < hosts.n);
    }
    free(messages);
    free(next);
}

static const struct weft_table_flow flows[] = {{1000, 0, 3, 7}, {99, 5, 7, 3}, {1, 0, 7, 8}};
static const struct weft_table_flow wrong_flows[] = {{0, 0, 3, 7}, {9, -5, 7, 3}, {1, 0, 3, 3}};
static const struct weft_table_wait waits[] = {{0, 1}, {0, 2}};
static const struct weft_table_wait wrong_waits[] = {{0, 9}, {1, 1}};
static const struct weft_table_size sizes[] = {{0, 0}, {1000, 0.5}, {1000000, 1}};
static const struct weft_table_size wrong_sizes[] = {{9, 0}, {5, 0.5}, {1000000, 1}};
static const struct weft_table right = {flows, waits, sizes, 3, 2, 3};
static const struct weft_table wrong = {wrong_flows, wrong_waits, wrong_sizes, 3, 2, 3};

static void
try_workload(const struct weft_algo *algo)
{
    for (uint32_t which = 0; which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        for (uint32_t i = 0; i < TRIES / 10; i++)
        {
            const struct weft_workload_ops *ops =
                (const struct weft_workload_ops *)(const void *)algo;
            if (ops->use && !one_in(5))
            {
                ops->use(config, one_in(3) ? &wrong : &right);
            }
            try_hosts(ops, config);
        }
        free(config);
    }
}

START_TEST(every_workload_takes_any_hosts_or_says_no)
{
    prepare();
    absurd_each("workload", try_workload);
}
END_TEST

static void
try_topology(const struct weft_algo *algo)
{
    const struct weft_topology_ops *kind = (const struct weft_topology_ops *)(const void *)algo;
    for (uint32_t which = 0; which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        struct weft_clos clos = {0};
        const int code = kind->build(config, &clos);
        ck_assert_msg(absurd_is_code(code), "%s: %d", algo->name, code);
        ck_assert_msg((code == 0) == (weft_clos_check(&clos) == 0), "%s", algo->name);
        ck_assert_msg(which > 0 || code != 0, "%s: nothing is set", algo->name);
        if (code != 0 && code != WEFT_EINVAL) /* a graph that is missing */
        {
            struct weft_refusal why = {0};
            (void)refused(weft_config_check(algo, config, &why), &why);
        }
        free(config);
    }
}

START_TEST(every_topology_works_or_says_no)
{
    absurd_each("topology", try_topology);
}
END_TEST

Suite *inits_suite(void);

Suite *
inits_suite(void)
{
    Suite *suite = suite_create("inits");
    TCase *tcase = tcase_create("inits");
    tcase_add_test(tcase, every_transport_works_or_says_no);
    tcase_add_test(tcase, every_congestion_control_works_or_says_no);
    tcase_add_test(tcase, a_buffer_works_or_says_no);
    tcase_add_test(tcase, zeros_are_no_buffer);
    tcase_add_test(tcase, every_workload_takes_any_hosts_or_says_no);
    tcase_add_test(tcase, every_topology_works_or_says_no);
    suite_add_tcase(suite, tcase);
    return suite;
}
