/* SPDX-License-Identifier: MIT */
/* Embedders of the core would crash on a site that lacks something, instead of being told. Under
 * the sanitizers these tests also see each state stay within the memory that it asked for. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "absurd.h"
#include "lb-rig.h"
#include "must.h"
#include "refused.h"

#define SITES 400 /* for each configuration */
#define PICKS 40
#define PORTS WEFT_MAX_PORTS

static struct weft_rng rng;
static struct weft_clos fabrics[4]; /* two sound ones, one with a slip, one that nobody filled */
static uint32_t queues[PORTS];

static void
prepare(void)
{
    const char *const leaves[] = {"leaves", "4", "spines", "2", "hosts-per-leaf", "2", NULL};
    weft_rng_seed(&rng, 1, 2, 3);
    memset(fabrics, 0, sizeof fabrics);
    lb_build(&fabrics[0], "leaf-spine", leaves);
    fabrics[1] = lb_fat_tree("4");
    fabrics[2] = fabrics[1];
    fabrics[2].tors_per_pod = 0;
    for (uint32_t i = 0; i < PORTS; i++)
    {
        queues[i] = weft_rng_u32(&rng);
    }
}

static bool
one_in(uint32_t n)
{
    return weft_rng_below(&rng, n) == 0;
}

static const struct weft_clos *
some_fabric(void)
{
    const uint32_t i = weft_rng_below(&rng, 5);
    return i < 4 ? &fabrics[i] : NULL;
}

static struct weft_site
some_site(void)
{
    const struct weft_clos *clos = &fabrics[weft_rng_below(&rng, 2)];
    struct weft_site site = lb_site_of(clos, weft_rng_below(&rng, clos->nswitches), 5);
    const uint32_t rare = 1 + weft_rng_below(&rng, 6);
    uint32_t *const members[] = {&site.switch_index, &site.nports, &site.tier,  &site.tiers,
                                 &site.up_ports,     &site.npaths, &site.tclass};
    for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++)
    {
        *members[i] = one_in(rare) ? absurd_u32(&rng) : *members[i];
    }
    site.port_rate = one_in(rare) ? absurd_i64(&rng) : site.port_rate;
    site.port_buffer = one_in(rare) ? absurd_i64(&rng) : site.port_buffer;
    site.clos = one_in(rare) ? some_fabric() : clos;
    return site;
}

/* The whole switch is a group where nothing better is known. */
static struct weft_ports
ports_at(const struct weft_site *site, uint32_t dst)
{
    struct weft_ports ports = {queues, NULL, 0, 0, 0, 0, 0};
    const uint32_t n = site->nports < PORTS ? site->nports : PORTS;
    struct weft_switch_map map;
    if (site->clos && weft_clos_check(site->clos) == 0 &&
        site->switch_index < site->clos->nswitches)
    {
        weft_clos_switch(site->clos, site->switch_index, &map);
        if (weft_map_nports(&map) == site->nports)
        {
            weft_route(&map, dst, &ports);
            ports.queue_bytes = queues;
        }
    }
    if (ports.n == 0 && site->up_ports > 0 && site->up_ports <= n)
    {
        ports.first = (uint16_t)(n - site->up_ports);
    }
    ports.n = ports.n == 0 ? (uint16_t)(n - ports.first) : ports.n;
    ports.width = one_in(2) ? 0 : ports.n; /* a host that forgot it */
    return ports;
}

static struct weft_packet
some_packet(uint32_t nhosts)
{
    struct weft_packet p;
    memset(&p, 0, sizeof p);
    p.src = weft_rng_below(&rng, nhosts) & WEFT_HOST_MASK;
    p.dst = ((p.src + 1 + weft_rng_below(&rng, nhosts - 1)) % nhosts) & WEFT_HOST_MASK;
    p.psn = weft_rng_u32(&rng) & WEFT_PSN_MASK;
    p.sport = (uint16_t)weft_rng_u32(&rng);
    p.kind = (uint8_t)weft_rng_below(&rng, WEFT_RAW + 1);
    p.bytes = 1500;
    return p;
}

static void
pick_some(const struct weft_lb_ops *lb, void *state, const struct weft_site *site)
{
    const uint32_t nhosts = site->clos && site->clos->nhosts > 1 ? site->clos->nhosts : 8;
    for (uint32_t i = 0; site->nports > 0 && i < PICKS; i++)
    {
        struct weft_packet p = some_packet(nhosts);
        const struct weft_ports ports = ports_at(site, p.dst);
        const uint32_t port = lb->pick(state, &ports, &p, i);
        ck_assert_msg(port - ports.first < ports.n, "%s: port %u of %u + %u", lb->algo.name, port,
                      ports.first, ports.n);
        if (i == PICKS / 2 && lb->set_routes)
        {
            lb->set_routes(state, NULL);
        }
    }
}

static void
try_site(const struct weft_lb_ops *lb, const void *config)
{
    struct weft_refusal why = {0};
    struct weft_site site = some_site();
    site.why = &why;
    const size_t size = lb->state_size(config, &site);
    MUST(size < (size_t)1 << 20);
    void *state = malloc(size);
    const int code = lb->init(state, config, &site);
    ck_assert_msg(absurd_is_code(code), "%s: %d", lb->algo.name, code);
    if (code == 0)
    {
        pick_some(lb, state, &site);
    }
    else
    {
        (void)refused(code, &why);
    }
    free(state);
}

static void
try_balancer(const struct weft_algo *algo)
{
    for (uint32_t which = 0; which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        for (uint32_t i = 0; i < SITES; i++)
        {
            try_site((const struct weft_lb_ops *)(const void *)algo, config);
        }
        free(config);
    }
}

START_TEST(every_balancer_takes_any_site_or_says_no)
{
    prepare();
    absurd_each("balancer", try_balancer);
}
END_TEST

/* A site without the fabric's shape, where some need one, as the manual shows. */
START_TEST(a_balancer_that_needs_the_shape_says_so)
{
    const char *const names[] = {"ofan", "host-dr", "prime", "co-prime", "ethereal", "conga"};
    prepare();
    for (unsigned i = 0; i < 6; i++)
    {
        const struct weft_lb_ops *lb = weft_lb_find(names[i]);
        struct weft_site site = lb_site_of(&fabrics[0], 0, 1);
        void *config = absurd_config(&lb->algo, 1);
        struct weft_refusal why = {0};
        site.clos = NULL;
        site.why = &why;
        void *state = malloc(lb->state_size(config, &site));
        ck_assert_int_eq(lb->init(state, config, &site), WEFT_EINVAL);
        ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "clos"));
        free(state);
        free(config);
    }
}
END_TEST

/* Halves of the range by turns: of two ports, the first and the second. */
static uint32_t
by_turns(void *of, uint64_t stream)
{
    uint32_t *asked = of;
    (void)stream;
    return *asked += UINT32_C(1) << 31;
}

/* A caller's draws decide, at a switch and at a host. */
START_TEST(a_source_of_draws_decides)
{
    prepare();
    uint32_t asked = 1;
    const struct weft_random_source source = {&asked, by_turns};
    const struct weft_lb_ops *rsq = weft_lb_find("rsq");
    struct weft_site site = lb_site_of(&fabrics[0], 0, 1);
    uint64_t state[8];
    site.random = &source;
    ck_assert_uint_le(rsq->state_size(NULL, &site), sizeof state);
    ck_assert_int_eq(rsq->init(state, NULL, &site), 0);
    const struct weft_ports two = {NULL, NULL, 4, 2, 2, 0, 0};
    struct weft_packet p = some_packet(8);
    p.kind = WEFT_DATA;
    for (uint32_t i = 0; i < 10; i++)
    {
        ck_assert_uint_eq(rsq->pick(state, &two, &p, 0), 4 + (i + 1) % 2);
    }
    const struct weft_path_ops *ops = weft_lb_find("ops")->path;
    struct weft_path_site at = {
        .seed = 1, .run = 1, .qp_bdp = 1, .random = &source, .provides = WEFT_NEEDS_ALL};
    uint64_t config[4];
    ck_assert_int_eq(weft_config_default(&weft_lb_find("ops")->algo, config), 0);
    ck_assert_uint_le(ops->qp_size(config, &at), sizeof state);
    ck_assert_int_eq(ops->qp_init(state, NULL, config, &at, 3), 0);
    for (uint32_t i = 0; i < 10; i++)
    {
        ops->data(state, &p, 0);
        ck_assert_uint_eq(p.sport, i % 2 ? 0 : UINT16_C(1) << 15);
    }
}
END_TEST

static void
send_some(const struct weft_path_ops *path, void *host, void *qp, uint32_t nhosts)
{
    for (uint32_t i = 0; i < PICKS; i++)
    {
        struct weft_packet p = some_packet(nhosts);
        path->data(qp, &p, i);
        path->reply(host, &p);
        if (path->on_reply)
        {
            path->on_reply(qp, &p, i);
        }
        if (path->on_timeout && i % 8 == 0)
        {
            path->on_timeout(qp, i);
        }
    }
}

static void
try_host(const struct weft_lb_ops *lb, const void *config)
{
    struct weft_path_site site = {1, 1, absurd_u32(&rng), some_fabric(),
                                  .provides = WEFT_NEEDS_ALL};
    struct weft_refusal why = {0};
    site.host = one_in(2) ? site.host : 3;
    site.qp_bdp = one_in(4) ? absurd_u32(&rng) : 5;
    site.dst = one_in(4) ? absurd_u32(&rng) : 7;
    site.why = &why;
    void *host = malloc(lb->path->host_size(config, &site) + 1);
    void *qp = malloc(lb->path->qp_size(config, &site) + 1);
    int code = lb->path->host_init(host, config, &site);
    ck_assert_msg(absurd_is_code(code), "%s: %d", lb->algo.name, code);
    if (code == 0)
    {
        code = lb->path->qp_init(qp, host, config, &site, 7);
        ck_assert_msg(absurd_is_code(code), "%s: %d", lb->algo.name, code);
    }
    if (code != 0)
    {
        (void)refused(code, &why);
    }
    else
    {
        send_some(lb->path, host, qp, 8);
    }
    free(qp);
    free(host);
}

static void
try_path_selector(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    for (uint32_t which = 0; lb->path && which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        for (uint32_t i = 0; i < SITES; i++)
        {
            try_host(lb, config);
        }
        free(config);
    }
}

START_TEST(every_path_selector_takes_any_host_or_says_no)
{
    prepare();
    absurd_each("balancer", try_path_selector);
}
END_TEST

static void
try_last_hop(const struct weft_tor_ops *tor, const void *config)
{
    struct weft_refusal why = {0};
    struct weft_last_hop hop = {16, 400000000000, 2500000, 4158, &why, WEFT_NEEDS_ALL};
    struct weft_tor_counters counters = {0};
    uint32_t epsn = 0;
    hop.npaths = one_in(3) ? absurd_u32(&rng) : hop.npaths;
    hop.rate = one_in(3) ? absurd_i64(&rng) : hop.rate;
    hop.rtt = one_in(3) ? absurd_i64(&rng) : hop.rtt;
    hop.mtu = one_in(3) ? absurd_i64(&rng) : hop.mtu;
    const size_t size = tor->qp_size(config, &hop);
    MUST(size < (size_t)1 << 20);
    void *qp = malloc(size);
    const int code = tor->qp_init(qp, config, &hop);
    ck_assert_msg(absurd_is_code(code), "%d", code);
    if (code != 0)
    {
        (void)refused(code, &why);
    }
    for (uint32_t i = 0; code == 0 && i < PICKS; i++)
    {
        const struct weft_packet p = some_packet(8);
        (void)tor->to_host(qp, &p, false, &counters, &epsn);
        (void)tor->from_host(qp, &p, &counters);
    }
    free(qp);
}

static void
try_tor(const struct weft_algo *algo)
{
    const struct weft_lb_ops *lb = (const struct weft_lb_ops *)(const void *)algo;
    for (uint32_t which = 0; lb->tor && which < absurd_nconfigs(algo); which++)
    {
        void *config = absurd_config(algo, which);
        for (uint32_t i = 0; i < SITES; i++)
        {
            try_last_hop(lb->tor, config);
        }
        free(config);
    }
}

START_TEST(every_tor_takes_any_last_hop_or_says_no)
{
    prepare();
    absurd_each("balancer", try_tor);
}
END_TEST

Suite *sites_suite(void);

Suite *
sites_suite(void)
{
    Suite *suite = suite_create("sites");
    TCase *tcase = tcase_create("sites");
    tcase_add_test(tcase, every_balancer_takes_any_site_or_says_no);
    tcase_add_test(tcase, a_source_of_draws_decides);
    tcase_add_test(tcase, a_balancer_that_needs_the_shape_says_so);
    tcase_add_test(tcase, every_path_selector_takes_any_host_or_says_no);
    tcase_add_test(tcase, every_tor_takes_any_last_hop_or_says_no);
    suite_add_tcase(suite, tcase);
    return suite;
}
