/* SPDX-License-Identifier: MIT */
/* A user would lose the AR baseline: a congested port taken, or a free one shunned. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#define PORTS 16

struct picker
{
    const struct weft_lb_ops *ops;
    uint64_t state[16];
};

/* Thresholds of 5, 10 and 20 % of so many bytes. */
static void
open_picker_of(struct picker *p, int64_t port_buffer)
{
    int64_t config[32];
    struct weft_site site;
    memset(&site, 0, sizeof site);
    site.seed = 9;
    site.nports = PORTS;
    site.port_buffer = port_buffer;
    p->ops = weft_lb_find("ar");
    ck_assert_ptr_nonnull(p->ops);
    ck_assert_int_eq(weft_config_default(&p->ops->algo, config), 0);
    ck_assert_uint_le(p->ops->state_size(config, &site), sizeof p->state);
    ck_assert_int_eq(p->ops->init(p->state, config, &site), 0);
}

static void
open_picker(struct picker *p)
{
    open_picker_of(p, 100000);
}

/* How often each port is taken in 1600 choices. */
static void
count_choices(struct picker *p, const uint32_t *queues, uint32_t *counts)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof packet);
    memset(counts, 0, PORTS * sizeof *counts);
    for (uint32_t i = 0; i < 1600; i++)
    {
        const struct weft_ports ports = {queues, NULL, 0, PORTS, PORTS};
        packet.kind = (uint8_t)(i % 4);
        const uint32_t port = p->ops->pick(p->state, &ports, &packet, 0);
        ck_assert_uint_lt(port, PORTS);
        counts[port]++;
    }
}

/* Port 3's queue against all others': below, at and above each threshold. */
START_TEST(a_queue_at_a_threshold_is_in_the_higher_bin)
{
    static const struct
    {
        uint32_t mine, others;
        int wins; /* 1: always taken, 0: like the others, -1: never */
    } cases[] = {
        {4999, 5000, 1},    {5000, 5000, 0},        {0, 4999, 0},      {5000, 4999, -1},
        {9999, 10000, 1},   {5000, 9999, 0},        {10000, 9999, -1}, {10000, 19999, 0},
        {19999, 20000, 1},  {20000, 0, -1},         {20000, 90000, 0}, {20000, 19999, -1},
        {0, UINT32_MAX, 1}, {UINT32_MAX, 20000, 0},
    };
    struct picker p;
    open_picker(&p);
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++)
    {
        uint32_t queues[PORTS];
        uint32_t counts[PORTS];
        for (unsigned i = 0; i < PORTS; i++)
        {
            queues[i] = i == 3 ? cases[c].mine : cases[c].others;
        }
        count_choices(&p, queues, counts);
        if (cases[c].wins > 0)
        {
            ck_assert_uint_eq(counts[3], 1600);
        }
        else if (cases[c].wins < 0)
        {
            ck_assert_uint_eq(counts[3], 0);
        }
        else
        {
            ck_assert_uint_gt(counts[3], 50);
            ck_assert_uint_lt(counts[3], 160);
        }
    }
}
END_TEST

/* 5 % of 100,010 bytes are 5000.5: a queue of 5000 is below, one of 5001 is not. */
START_TEST(a_threshold_between_two_bytes_counts_from_the_higher_one)
{
    uint32_t queues[PORTS];
    uint32_t counts[PORTS];
    struct picker p;
    open_picker_of(&p, 100010);
    for (unsigned i = 0; i < PORTS; i++)
    {
        queues[i] = i == 3 ? 5000 : 5001;
    }
    count_choices(&p, queues, counts);
    ck_assert_uint_eq(counts[3], 1600);
    queues[5] = 4999;
    count_choices(&p, queues, counts);
    ck_assert_uint_eq(counts[3] + counts[5], 1600);
    ck_assert(counts[3] > 700 && counts[5] > 700);
}
END_TEST

START_TEST(the_least_bin_is_shared_evenly)
{
    uint32_t queues[PORTS];
    uint32_t counts[PORTS];
    double chi = 0;
    struct picker p;
    open_picker(&p);
    for (uint32_t i = 0; i < PORTS; i++)
    {
        queues[i] = i % 2 ? 12000 + 100 * i : 7000 + 100 * i; /* even ports: the second bin */
    }
    count_choices(&p, queues, counts);
    for (uint32_t i = 0; i < PORTS; i++)
    {
        const double expected = i % 2 ? 0 : 200;
        ck_assert(i % 2 == 0 || counts[i] == 0);
        chi += i % 2 ? 0 : (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    ck_assert_double_lt(chi, 24.3); /* 7 degrees of freedom, 0.1 % */
}
END_TEST

/* Against the definition, on random queues, groups and dead ports. */
START_TEST(the_choice_is_always_of_the_least_bin)
{
    struct picker p;
    struct weft_rng rng;
    open_picker(&p);
    weft_rng_seed(&rng, 1, 1, 1);
    for (unsigned repeat = 0; repeat < 20000; repeat++)
    {
        uint32_t queues[64];
        uint16_t live[64];
        uint16_t n = 0;
        uint32_t least = 3;
        struct weft_packet packet;
        memset(&packet, 0, sizeof packet);
        for (uint32_t i = 0; i < 64; i++)
        {
            const uint32_t limit = 1 + weft_rng_below(&rng, 30000);
            queues[i] = weft_rng_below(&rng, limit);
            if (weft_rng_below(&rng, 8) == 0 || i == 63)
            {
                const uint32_t q = queues[i];
                const uint32_t bin = q < 5000 ? 0 : q < 10000 ? 1 : q < 20000 ? 2 : 3;
                least = bin < least ? bin : least;
                live[n++] = (uint16_t)i;
            }
        }
        const struct weft_ports ports = {queues, live, 0, n, 64};
        const uint32_t port = p.ops->pick(p.state, &ports, &packet, 0);
        bool is_live = false;
        for (uint32_t i = 0; i < n; i++)
        {
            is_live = is_live || live[i] == port;
        }
        ck_assert(is_live);
        const uint32_t q = queues[port];
        ck_assert_uint_eq(q < 5000 ? 0 : q < 10000 ? 1 : q < 20000 ? 2 : 3, least);
    }
}
END_TEST

START_TEST(thresholds_out_of_order_are_refused)
{
    int64_t config[32];
    struct weft_site site;
    uint64_t state[16];
    const struct weft_lb_ops *ops = weft_lb_find("ar");
    memset(&site, 0, sizeof site);
    site.nports = PORTS;
    site.port_buffer = 100000;
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ck_assert_ptr_null(ops->algo.check(config));
    ck_assert_int_eq(weft_config_set(&ops->algo, config, "low", "11"), 0);
    ck_assert_ptr_nonnull(ops->algo.check(config));
    ck_assert_int_eq(ops->init(state, config, &site), WEFT_ERANGE);
}
END_TEST

/* W-ECMP: ports 0 to 3 have weights 4, 2, 3 and 2. Queues differ within a bin, which makes no
 * difference; port 1 is in a higher bin in every second case. */
START_TEST(ports_of_one_bin_are_taken_by_their_weights)
{
    static const uint16_t list[7] = {0, 1, 2, 3, 0, 2, 0};
    static const double weight[4] = {4, 2, 3, 2};
    static const uint32_t start[4] = {0, 5000, 10000, 20000};
    for (uint32_t c = 0; c < 7; c++)
    {
        const bool apart = c % 2;
        uint32_t queues[4] = {4999, 0, 1, 30};
        uint32_t counts[4] = {0};
        struct picker p;
        struct weft_packet packet;
        const struct weft_ports ports = {queues, list, 0, 11, 4, 4, 8};
        memset(&packet, 0, sizeof packet);
        for (uint32_t i = 0; i < 4; i++)
        {
            queues[i] = apart && i == 1 ? start[c / 2 + 1] : queues[i] + start[c / 2];
        }
        open_picker(&p);
        for (uint32_t i = 0; i < 20000; i++)
        {
            counts[p.ops->pick(p.state, &ports, &packet, 0)]++;
        }
        for (uint32_t i = 0; i < 4; i++)
        {
            const double share = !apart ? weight[i] / 11 : i == 1 ? 0 : weight[i] / 9;
            ck_assert_double_eq_tol(counts[i] / 20000.0, share, 0.016);
        }
    }
}
END_TEST

Suite *
ar_suite(void)
{
    Suite *suite = suite_create("ar");
    TCase *tcase = tcase_create("ar");
    tcase_add_test(tcase, a_queue_at_a_threshold_is_in_the_higher_bin);
    tcase_add_test(tcase, a_threshold_between_two_bytes_counts_from_the_higher_one);
    tcase_add_test(tcase, the_least_bin_is_shared_evenly);
    tcase_add_test(tcase, the_choice_is_always_of_the_least_bin);
    tcase_add_test(tcase, ports_of_one_bin_are_taken_by_their_weights);
    tcase_add_test(tcase, thresholds_out_of_order_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
