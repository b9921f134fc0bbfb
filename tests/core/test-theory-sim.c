/* SPDX-License-Identifier: MIT */
/*
 * OFAN's theorems against the balancers themselves, in the models' own setting: periodic sources
 * with random phases below one edge switch of a fat-tree. If these fail, either a balancer is not
 * the one that the paper analyses, or a formula is not what the paper proves.
 */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"

Suite *theory_sim_suite(void);

#define MAX_UP 16U

static const uint32_t queues[2 * MAX_UP];

/* The group of an edge switch's @p up uplinks, behind as many down ports. */
static struct weft_ports
uplink_group(uint32_t up)
{
    struct weft_ports ports;
    memset(&ports, 0, sizeof ports);
    ports.queue_bytes = queues;
    ports.first = (uint16_t)up;
    ports.n = (uint16_t)up;
    ports.width = (uint16_t)up;
    return ports;
}

/* An edge switch's uplinks: one packet is served per slot. Times are in slots. */
struct uplinks
{
    uint32_t n;
    double idle_from[MAX_UP]; /* when the work at hand is done */
};

/* Serves a packet; returns how long it stays. */
static double
serve(struct uplinks *u, uint32_t port, double now)
{
    double begin = u->idle_from[port] > now ? u->idle_from[port] : now;
    u->idle_from[port] = begin + 1;
    return begin + 1 - now;
}

/* Packets at all uplinks, those in service included. */
static double
packets_at(const struct uplinks *u, double now)
{
    double sum = 0;
    for (uint32_t i = 0; i < u->n; i++)
    {
        sum += u->idle_from[i] > now ? ceil(u->idle_from[i] - now) : 0;
    }
    return sum;
}

/* Random phases in rising order. */
static void
draw_phases(double *phase, uint32_t n, struct weft_rng *rng)
{
    for (uint32_t i = 0; i < n; i++)
    {
        double p = weft_rng_unit(rng);
        uint32_t at = i;
        for (; at > 0 && phase[at - 1] > p; at--)
        {
            phase[at] = phase[at - 1];
        }
        phase[at] = p;
    }
}

/* The queues when every source has sent 256, 1024 and 4096 packets: sums over runs. */
static void
spray(uint32_t k, uint64_t run, double sums[3])
{
    const struct weft_ports ports = uplink_group(k / 2);
    const struct weft_site site = lb_site(run, k);
    struct uplinks u = {k / 2, {0}};
    double phase[MAX_UP];
    struct weft_rng rng;
    struct lb_rig rig;
    weft_rng_seed(&rng, 7, run, k);
    draw_phases(phase, k / 2, &rng);
    lb_open(&rig, "rsq", NULL, &site);
    for (uint32_t m = 0; m < 4096; m++)
    {
        for (uint32_t i = 0; i < k / 2; i++)
        {
            serve(&u, lb_pick(&rig, &ports) - k / 2, m + phase[i]);
        }
        sums[0] += m == 255 ? packets_at(&u, 256) : 0;
        sums[1] += m == 1023 ? packets_at(&u, 1024) : 0;
        sums[2] += m == 4095 ? packets_at(&u, 4096) : 0;
    }
    lb_close(&rig);
}

/* Theorem 2: RSQ's mean queue is Eq. 21's within 10 %, and grows as the root of the message. */
START_TEST(random_spraying_grows_as_theorem_2_says)
{
    static const uint32_t sent[3] = {256, 1024, 4096};
    for (uint32_t k = 8; k <= 16; k *= 2)
    {
        const uint32_t runs = 600;
        double sums[3] = {0};
        for (uint64_t run = 0; run < runs; run++)
        {
            spray(k, run, sums);
        }
        for (int i = 0; i < 3; i++)
        {
            double mean = sums[i] / runs / (k / 2);
            double model = weft_random_spray_queue(k, sent[i]);
            ck_assert_double_eq_tol(mean / model, 1, 0.1);
        }
        ck_assert_double_eq_tol(log(sums[2] / sums[0]) / log(16), 0.5, 0.04);
    }
}
END_TEST

#define HOSTS 128U /* k = 8 */
#define EDGES 32U

/* Where the flows of a permutation go, which uplink they are bound to, and whether their edge is
 * red. */
struct flows
{
    uint32_t dst[HOSTS];
    uint32_t uplink[HOSTS];
    bool red[EDGES];
};

/* A permutation without fixed points, from the workload of that name. */
static void
permute(uint64_t run, struct flows *f)
{
    const struct weft_workload_ops *ops = weft_workload_find("permutation");
    const struct weft_hosts hosts = {HOSTS, 4, 16};
    static struct weft_message messages[HOSTS];
    int64_t config[32];
    MUST(ops->algo.config_size <= sizeof config);
    MUST(weft_config_default(&ops->algo, config) == 0);
    MUST(weft_config_set(&ops->algo, config, "bytes", "1MB") == 0);
    MUST(ops->fill(config, &hosts, 11, run, messages, NULL) == 0);
    for (uint32_t i = 0; i < HOSTS; i++)
    {
        f->dst[messages[i].src] = messages[i].dst;
    }
}

/* The flows of one edge switch that leave it take turns, in the random order of their phases. */
static void
bind_edge(uint64_t run, uint32_t edge, struct flows *f)
{
    const struct weft_ports up = uplink_group(4);
    struct weft_site site = lb_site(run, 8);
    struct weft_rng rng;
    struct lb_rig rig;
    uint32_t order[4] = {0};
    uint32_t same = 0;
    site.switch_index = edge;
    weft_rng_seed(&rng, 12, run, edge);
    f->red[edge] = true;
    for (uint32_t i = 0; i < 4; i++)
    {
        uint32_t j = weft_rng_below(&rng, i + 1);
        order[i] = order[j];
        order[j] = 4 * edge + i;
        f->red[edge] = f->red[edge] && f->dst[4 * edge + i] / 4 != edge;
        same += f->dst[4 * edge + i] / 4 == f->dst[4 * edge] / 4;
    }
    f->red[edge] = f->red[edge] && same < 4;
    lb_open(&rig, "simple-rr", NULL, &site);
    for (uint32_t packet = 0; f->red[edge] && packet < 12; packet++)
    {
        uint32_t *uplink = &f->uplink[order[packet % 4]];
        uint32_t port = lb_pick(&rig, &up);
        MUST(packet < 4 || port == *uplink); /* sticky */
        *uplink = port;
    }
    lb_close(&rig);
}

static uint32_t
count_collisions(const struct flows *f)
{
    uint32_t pairs = 0;
    for (uint32_t a = 0; a < HOSTS; a++)
    {
        for (uint32_t b = a + 1; b < HOSTS; b++)
        {
            bool red = f->red[a / 4] && f->red[b / 4];
            bool meet = red && f->uplink[a] == f->uplink[b] && f->dst[a] / 4 == f->dst[b] / 4;
            MUST(!meet || a / 4 != b / 4); /* flows of one red edge have uplinks of their own */
            pairs += meet;
        }
    }
    return pairs;
}

static uint32_t
collisions(uint32_t runs)
{
    static struct flows f;
    uint32_t pairs = 0;
    for (uint64_t run = 0; run < runs; run++)
    {
        permute(run, &f);
        for (uint32_t edge = 0; edge < EDGES; edge++)
        {
            bind_edge(run, edge, &f);
        }
        pairs += count_collisions(&f);
    }
    return pairs;
}

/*
 * Theorem 1: pairs that collide under simple round-robin are Eq. 19's, within the 95 % interval of
 * a binomial count. Over many permutations they are 3 % fewer. Eq. 15 holds for two flows of one
 * edge; if they leave two edges, the first may go to the second's own edge, whose flows do not: a
 * factor of (n - k) / (n - k/2).
 */
START_TEST(simple_round_robin_collides_as_theorem_1_says)
{
    const double pairs = 30 * 128.0 * 124 / 2;
    const double expected = 30 * weft_colliding_pairs_across(8, 1);
    const double sigma = sqrt(expected * (1 - expected / pairs));
    ck_assert_double_eq_tol(collisions(30), expected, 1.96 * sigma);
    ck_assert_double_eq_tol(collisions(1000) / 1000.0 / weft_colliding_pairs_across(8, 1),
                            120.0 / 124, 0.015);
}
END_TEST

/* A fat-tree, its first edge switch, and the senders below it under Host DR. */
struct rotation
{
    struct weft_clos clos;
    const struct weft_lb_ops *ops;
    uint64_t config[8];
    void *edge;
    void *host[MAX_UP];
    uint64_t qp[MAX_UP][4];
};

static void
open_rotation(struct rotation *r, const char *k, uint64_t run)
{
    const struct weft_topology_ops *tree = weft_topology_find("fat-tree");
    int64_t shape[32];
    struct weft_path_site at = {5, run, 0, &r->clos, .provides = WEFT_NEEDS_ALL};
    MUST(tree->algo.config_size <= sizeof shape);
    MUST(weft_config_default(&tree->algo, shape) == 0);
    MUST(weft_config_set(&tree->algo, shape, "k", k) == 0);
    MUST(tree->build(shape, &r->clos) == 0 && r->clos.up_tor <= MAX_UP);
    r->ops = weft_lb_find("host-dr");
    MUST(weft_config_default(&r->ops->algo, r->config) == 0);
    const struct weft_site site = lb_site_of(&r->clos, 0, 5);
    r->edge = malloc(r->ops->state_size(r->config, &site));
    MUST(r->edge && r->ops->init(r->edge, r->config, &site) == 0);
    for (at.host = 0; at.host < r->clos.up_tor; at.host++)
    {
        void **host = &r->host[at.host];
        *host = malloc(r->ops->path->host_size(r->config, &at));
        MUST(*host && r->ops->path->host_init(*host, r->config, &at) == 0);
        MUST(r->ops->path->qp_size(r->config, &at) <= sizeof r->qp[0]);
        r->ops->path->qp_init(r->qp[at.host], *host, r->config, &at, at.host);
    }
}

static void
close_rotation(struct rotation *r)
{
    for (uint32_t i = 0; i < r->clos.up_tor; i++)
    {
        free(r->host[i]);
    }
    free(r->edge);
}

/* The uplink that the next packet of host @p src to another pod takes, from 0. */
static uint32_t
rotate(struct rotation *r, uint32_t src)
{
    uint32_t up = r->clos.up_tor;
    const struct weft_ports ports = uplink_group(up);
    struct weft_packet packet;
    memset(&packet, 0, sizeof packet);
    packet.src = src & WEFT_HOST_MASK;
    packet.dst = (r->clos.nhosts - 1 - src) & WEFT_HOST_MASK;
    r->ops->path->data(r->qp[src], &packet, 0);
    return r->ops->pick(r->edge, &ports, &packet, 0) - up;
}

/* Mean packets at an uplink over one period, after @p warm periods (Little's law). */
static double
rotating_queue(const char *k, uint64_t run, uint32_t warm)
{
    static struct rotation r;
    double phase[MAX_UP];
    double stay = 0;
    struct weft_rng rng;
    weft_rng_seed(&rng, 13, run, 13);
    open_rotation(&r, k, run);
    uint32_t up = r.clos.up_tor;
    struct uplinks u = {up, {0}};
    draw_phases(phase, up, &rng);
    for (uint32_t m = 0; m < (warm + 1) * up; m++)
    {
        for (uint32_t i = 0; i < up; i++)
        {
            double its = serve(&u, rotate(&r, i), m + phase[i]);
            stay += m >= warm * up ? its : 0;
        }
    }
    close_rotation(&r);
    return stay / (up * up); /* packets per slot and uplink: 1 */
}

/* Theorem 3: Host DR's uplinks are N*D/D/1 queues at full load, within 3 %; they do not grow. */
START_TEST(destination_rotation_queues_as_theorem_3_says)
{
    static const char *const degree[] = {"8", "16"};
    for (int d = 0; d < 2; d++)
    {
        const uint32_t runs = 2000 / (1 + 3 * (uint32_t)d);
        double model = weft_periodic_queue(4U << d, 4U << d);
        double early = 0;
        double late = 0;
        for (uint64_t run = 0; run < runs; run++)
        {
            early += rotating_queue(degree[d], run, 2) / runs;
            late += rotating_queue(degree[d], run, 40) / runs;
        }
        ck_assert_double_eq_tol(early / model, 1, 0.03);
        ck_assert_double_eq_tol(late, early, 1e-6);
    }
}
END_TEST

Suite *
theory_sim_suite(void)
{
    Suite *suite = suite_create("theory-sim");
    TCase *tc = tcase_create("theory-sim");
    tcase_add_test(tc, random_spraying_grows_as_theorem_2_says);
    tcase_add_test(tc, simple_round_robin_collides_as_theorem_1_says);
    tcase_add_test(tc, destination_rotation_queues_as_theorem_3_says);
    suite_add_tcase(suite, tc);
    return suite;
}
