/* SPDX-License-Identifier: MIT */
/* A user would lose runs with failures: packets sent into dead ends, or live paths left unused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#define MAX_PORTS 64

/* A fabric as a plain graph: what the exceptions are checked against. */
struct graph
{
    struct weft_clos clos;
    uint32_t nnodes; /* switches, then hosts */
    uint32_t *peer;  /* [node * MAX_PORTS + port] */
    bool *alive;     /* of the link at that port */
    bool *wired;
    uint32_t *distance; /* [node], in the healthy graph, to the current destination */
    uint32_t *queue;
    int64_t *paths; /* [node]: live shortest paths to the destination; -1 unknown */
};

static void
shape(struct weft_clos *clos, const char *kind, const int64_t *config)
{
    ck_assert_int_eq(weft_topology_find(kind)->build(config, clos), 0);
    ck_assert_uint_le(clos->hosts_per_tor + clos->up_tor * clos->parallel, MAX_PORTS);
}

static uint32_t
node_of(const struct graph *g, const struct weft_end *end)
{
    return end->is_host ? g->clos.nswitches + end->index : end->index;
}

static void
graph_init(struct graph *g)
{
    g->nnodes = g->clos.nswitches + g->clos.nhosts;
    g->peer = calloc((size_t)g->nnodes * MAX_PORTS, sizeof *g->peer);
    g->alive = calloc((size_t)g->nnodes * MAX_PORTS, sizeof *g->alive);
    g->wired = calloc((size_t)g->nnodes * MAX_PORTS, sizeof *g->wired);
    g->distance = calloc(g->nnodes, sizeof *g->distance);
    g->queue = calloc(g->nnodes, sizeof *g->queue);
    g->paths = calloc(g->nnodes, sizeof *g->paths);
    ck_assert(g->peer && g->alive && g->wired && g->distance && g->queue && g->paths);
}

static void
graph_free(struct graph *g)
{
    free(g->peer);
    free(g->alive);
    free(g->wired);
    free(g->distance);
    free(g->queue);
    free(g->paths);
}

static void
wire(struct graph *g, const uint64_t *dead, size_t ndead)
{
    for (uint64_t i = 0; i < g->clos.nlinks; i++)
    {
        struct weft_link link;
        bool alive = true;
        weft_clos_link(&g->clos, i, &link);
        for (size_t d = 0; d < ndead; d++)
        {
            alive = alive && dead[d] != i;
        }
        const uint32_t a = node_of(g, &link.lower);
        const uint32_t b = node_of(g, &link.upper);
        g->peer[a * MAX_PORTS + link.lower.port] = b;
        g->peer[b * MAX_PORTS + link.upper.port] = a;
        g->wired[a * MAX_PORTS + link.lower.port] = true;
        g->wired[b * MAX_PORTS + link.upper.port] = true;
        g->alive[a * MAX_PORTS + link.lower.port] = alive;
        g->alive[b * MAX_PORTS + link.upper.port] = alive;
    }
}

/* Breadth first from a host over the healthy graph. */
static void
measure(struct graph *g, uint32_t host)
{
    uint32_t head = 0;
    uint32_t tail = 0;
    memset(g->distance, 0xff, g->nnodes * sizeof *g->distance);
    memset(g->paths, 0xff, g->nnodes * sizeof *g->paths);
    g->distance[g->clos.nswitches + host] = 0;
    g->paths[g->clos.nswitches + host] = 1;
    /* Exceptions are per ToR: only it knows that a host's own link is dead. */
    g->paths[weft_clos_tor(&g->clos, host)] = 1;
    g->queue[tail++] = g->clos.nswitches + host;
    while (head < tail)
    {
        const uint32_t v = g->queue[head++];
        for (uint32_t p = 0; p < MAX_PORTS; p++)
        {
            const uint32_t u = g->peer[v * MAX_PORTS + p];
            if (g->wired[v * MAX_PORTS + p] && g->distance[u] == UINT32_MAX)
            {
                g->distance[u] = g->distance[v] + 1;
                g->queue[tail++] = u;
            }
        }
    }
}

static int64_t paths_by(struct graph *g, uint32_t node, uint32_t port);

static int64_t
count_paths(struct graph *g, uint32_t node)
{
    if (g->paths[node] < 0)
    {
        g->paths[node] = 0;
        for (uint32_t p = 0; p < MAX_PORTS; p++)
        {
            g->paths[node] += paths_by(g, node, p);
        }
    }
    return g->paths[node];
}

/* Live shortest paths that begin with the link at this port. */
static int64_t
paths_by(struct graph *g, uint32_t node, uint32_t port)
{
    const uint32_t i = node * MAX_PORTS + port;
    const bool on_a_path =
        g->wired[i] && g->alive[i] && g->distance[g->peer[i]] + 1 == g->distance[node];
    return on_a_path ? count_paths(g, g->peer[i]) : 0;
}

static int64_t
gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Fills the weights of all ports; returns the greatest. */
static int64_t
weigh(struct graph *g, uint32_t s, bool weighted, int64_t weights[MAX_PORTS])
{
    int64_t divisor = 0;
    int64_t most = 0;
    for (uint32_t p = 0; p < MAX_PORTS; p++)
    {
        weights[p] = paths_by(g, s, p);
        weights[p] = weighted ? weights[p] : weights[p] > 0;
        divisor = gcd(divisor, weights[p]);
        most = weights[p] > most ? weights[p] : most;
    }
    for (uint32_t p = 0; p < MAX_PORTS && most > 0; p++)
    {
        weights[p] /= divisor;
    }
    return most > 0 ? most / divisor : 0;
}

/* Interleaved weighted round robin as it is written: round after round, port after port. */
static void
compare_list(struct graph *g, uint32_t s, bool weighted, const struct weft_ports *ports)
{
    int64_t weights[MAX_PORTS];
    uint32_t n = 0;
    const int64_t rounds = weigh(g, s, weighted, weights);
    for (int64_t round = 1; round <= rounds; round++)
    {
        for (uint32_t p = 0; p < MAX_PORTS; p++)
        {
            if (weights[p] >= round)
            {
                ck_assert_msg(n < ports->n, "switch %u: port %u is missing", s, p);
                ck_assert_uint_eq(weft_port_at(ports, n), p);
                n++;
            }
        }
    }
    ck_assert_msg(n == ports->n, "switch %u: %u candidates instead of %u", s, ports->n, n);
}

static void
compare(struct graph *g, const struct weft_fib *fib, bool weighted, uint32_t dst)
{
    measure(g, dst);
    for (uint32_t s = 0; s < g->clos.nswitches; s++)
    {
        struct weft_switch_map map;
        struct weft_ports healthy;
        struct weft_ports ports;
        weft_clos_switch(&g->clos, s, &map);
        memset(&ports, 0, sizeof ports);
        const bool any = weft_fib_route(fib, s, &map, dst, &ports);
        if (s == weft_clos_tor(&g->clos, dst))
        {
            /* Exceptions are per ToR: only this one knows that the host's own link is dead. */
            ck_assert_int_eq(any, g->alive[s * MAX_PORTS + dst - map.lo]);
            ck_assert_uint_eq(ports.n, any);
            ck_assert_uint_eq(any ? weft_port_at(&ports, 0) : 0, any ? dst - map.lo : 0);
            continue;
        }
        compare_list(g, s, weighted, &ports);
        ck_assert_int_eq(any, ports.n > 0);
        weft_route(&map, dst, &healthy);
        ck_assert_uint_eq(ports.width, healthy.n);
        ck_assert_uint_eq(ports.first, healthy.first);
    }
}

static struct weft_fib *
make_fib(const struct weft_clos *clos, const uint64_t *dead, size_t ndead, bool weighted)
{
    const int64_t size = weft_fib_size(clos, dead, ndead, weighted);
    ck_assert_int_gt(size, 0);
    /* One guard byte, so that a write past the promised size shows. */
    uint8_t *memory = malloc((size_t)size + 8);
    ck_assert_ptr_nonnull(memory);
    memset(memory + size, 0xa5, 8);
    ck_assert_ptr_null(weft_fib_build(memory, (size_t)size - 8, clos, dead, ndead, weighted));
    struct weft_fib *fib = weft_fib_build(memory, (size_t)size, clos, dead, ndead, weighted);
    ck_assert_ptr_nonnull(fib);
    for (unsigned i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(memory[size + i], 0xa5);
    }
    return fib;
}

static void
check_failures(const struct weft_clos *clos, const uint64_t *dead, size_t ndead)
{
    struct graph g;
    g.clos = *clos;
    graph_init(&g);
    wire(&g, dead, ndead);
    for (int weighted = 0; weighted < 2; weighted++)
    {
        struct weft_fib *fib = make_fib(clos, dead, ndead, weighted);
        /* Every ToR is met, at places that differ. */
        const uint32_t step = clos->nhosts > 64 ? clos->hosts_per_tor - 1 : 1;
        for (uint32_t dst = 0; dst < clos->nhosts; dst += step)
        {
            compare(&g, fib, weighted, dst);
        }
        free(fib);
    }
    graph_free(&g);
}

/* Every link fails with a probability of percent/100. */
static size_t
draw(const struct weft_clos *clos, uint32_t percent, struct weft_rng *rng, uint64_t *dead)
{
    size_t n = 0;
    for (uint64_t i = 0; i < clos->nlinks; i++)
    {
        if (weft_rng_below(rng, 100) < percent)
        {
            dead[n++] = i;
        }
    }
    return n;
}

static const int64_t spines_4[] = {4, 4, 2, 1, 1000000000, 0, 0, 0};
static const int64_t spines_uneven[] = {5, 3, 2, 3, 1000000000, 0, 0, 0};
static const int64_t spines_1[] = {3, 1, 2, 2, 1000000000, 0, 0, 0};
static const int64_t tree_4[] = {4, 3, 1000000000, 0, 0, 0};
static const int64_t tree_6[] = {6, 3, 1000000000, 0, 0, 0};
static const int64_t tree_8[] = {8, 3, 1000000000, 0, 0, 0};
static const int64_t tree_2[] = {2, 3, 1000000000, 0, 0, 0};
static const int64_t flat_6[] = {6, 2, 1000000000, 0, 0, 0};

static const struct
{
    const char *kind;
    const int64_t *config;
} shapes[] = {
    {"leaf-spine", spines_4}, {"leaf-spine", spines_uneven}, {"leaf-spine", spines_1},
    {"fat-tree", tree_4},     {"fat-tree", tree_6},          {"fat-tree", tree_2},
    {"fat-tree", flat_6},     {"fat-tree", tree_8}, /* the last: it takes long */
};

#define NSHAPES ((int)(sizeof shapes / sizeof shapes[0]))

START_TEST(random_failures_match_a_search_of_the_graph)
{
    static const uint32_t percents[] = {0, 2, 5, 10, 20, 35, 60, 100};
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[1024];
    weft_rng_seed(&rng, 7, (uint64_t)_i, 0);
    shape(&clos, shapes[_i].kind, shapes[_i].config);
    ck_assert_uint_le(clos.nlinks, 1024);
    for (unsigned i = 0; i < sizeof percents / sizeof percents[0]; i++)
    {
        for (unsigned repeat = 0; repeat < (_i < NSHAPES - 1 ? 12 : 3); repeat++)
        {
            const size_t n = draw(&clos, percents[i], &rng, dead);
            check_failures(&clos, dead, n);
        }
    }
}
END_TEST

START_TEST(each_single_failure_matches_a_search_of_the_graph)
{
    struct weft_clos clos;
    shape(&clos, shapes[_i].kind, shapes[_i].config);
    for (uint64_t i = 0; i < clos.nlinks; i++)
    {
        check_failures(&clos, &i, 1);
    }
}
END_TEST

/* Three tiers with parallel links are no topology kind of their own yet; the rules cover them. */
START_TEST(three_tiers_with_parallel_links)
{
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[1024];
    shape(&clos, "fat-tree", tree_4);
    clos.parallel = 2;
    clos.nlinks = clos.nhosts + 2 * (clos.nlinks - clos.nhosts);
    weft_rng_seed(&rng, 8, 0, 0);
    for (unsigned repeat = 0; repeat < 60; repeat++)
    {
        const size_t n = draw(&clos, 5 + repeat, &rng, dead);
        check_failures(&clos, dead, n);
    }
}
END_TEST

/* k = 4, one core link of pod 3 is dead: half of the paths by aggregation 0 are left. */
START_TEST(a_lost_core_link_halves_its_aggregations_weight)
{
    struct weft_clos clos;
    struct weft_switch_map map;
    struct weft_ports ports;
    const uint16_t expected[] = {2, 3, 3};
    shape(&clos, "fat-tree", tree_4);
    const uint64_t dead = clos.nlinks - 4; /* aggregation 0 of pod 3 to core 0 */
    weft_clos_switch(&clos, 0, &map);
    struct weft_fib *plain = make_fib(&clos, &dead, 1, false);
    ck_assert(weft_fib_route(plain, 0, &map, 15, &ports));
    ck_assert_uint_eq(ports.n, 2);
    struct weft_fib *fib = make_fib(&clos, &dead, 1, true);
    ck_assert(weft_fib_route(fib, 0, &map, 15, &ports));
    ck_assert_uint_eq(ports.n, 3);
    for (uint32_t i = 0; i < 3; i++)
    {
        ck_assert_uint_eq(weft_port_at(&ports, i), expected[i]);
    }
    ck_assert(weft_fib_route(fib, 0, &map, 11, &ports));
    ck_assert_ptr_null(ports.list); /* other pods are as before */
    free(plain);
    free(fib);
}
END_TEST

/* Weights 26 and 100, of 100 ports each: 13 and 50, or 6,300 places, are too many. */
START_TEST(long_lists_are_scaled_down)
{
    struct weft_clos clos;
    struct weft_switch_map map;
    struct weft_ports ports;
    const int64_t config[] = {2, 2, 1, 100, 1000000000, 0, 0, 0};
    uint64_t dead[74];
    uint32_t times[201] = {0};
    ck_assert_int_eq(weft_topology_find("leaf-spine")->build(config, &clos), 0);
    for (uint32_t i = 0; i < 74; i++)
    {
        dead[i] = clos.nhosts + 200 + i;
    }
    weft_clos_switch(&clos, 0, &map);
    struct weft_fib *fib = make_fib(&clos, dead, 74, true);
    ck_assert(weft_fib_route(fib, 0, &map, 1, &ports));
    ck_assert_uint_le(ports.n, WEFT_MAX_CANDIDATES);
    for (uint32_t i = 0; i < ports.n; i++)
    {
        times[weft_port_at(&ports, i)]++;
    }
    for (uint32_t i = 1; i <= 200; i++)
    {
        ck_assert_uint_eq(times[i], times[i <= 100 ? 1 : 200]);
    }
    ck_assert_double_eq_tol((double)times[1] / times[200], 26.0 / 100, 0.02);
    free(fib);
}
END_TEST

START_TEST(healthy_entries_take_no_memory)
{
    struct weft_clos clos;
    const int64_t config[] = {32, 3, 1000000000, 0, 0, 0};
    ck_assert_int_eq(weft_topology_find("fat-tree")->build(config, &clos), 0);
    const int64_t none = weft_fib_size(&clos, NULL, 0, true);
    const uint64_t one = clos.nhosts; /* between a ToR and an aggregation */
    ck_assert_int_lt(none, 4 * (int64_t)clos.ntors + 4 * (int64_t)clos.npods * clos.npods +
                               (int64_t)clos.nlinks / 8 + 512);
    ck_assert_int_lt(weft_fib_size(&clos, &one, 1, true), none + 4096);
}
END_TEST

START_TEST(links_that_do_not_exist_are_refused)
{
    struct weft_clos clos;
    uint64_t memory[512];
    shape(&clos, "leaf-spine", spines_4);
    const uint64_t beyond[] = {3, clos.nlinks};
    const uint64_t unsorted[] = {3, 2};
    const uint64_t twice[] = {3, 3};
    const uint64_t good[] = {3, 4};
    ck_assert_ptr_null(weft_fib_build(memory, sizeof memory, &clos, beyond, 2, true));
    ck_assert_ptr_null(weft_fib_build(memory, sizeof memory, &clos, unsorted, 2, true));
    ck_assert_ptr_null(weft_fib_build(memory, sizeof memory, &clos, twice, 2, true));
    ck_assert_ptr_nonnull(weft_fib_build(memory, sizeof memory, &clos, good, 2, true));
}
END_TEST

Suite *
fib_suite(void)
{
    Suite *suite = suite_create("fib");
    TCase *tcase = tcase_create("fib");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, random_failures_match_a_search_of_the_graph, 0, NSHAPES);
    tcase_add_loop_test(tcase, each_single_failure_matches_a_search_of_the_graph, 0, NSHAPES - 1);
    tcase_add_test(tcase, three_tiers_with_parallel_links);
    tcase_add_test(tcase, a_lost_core_link_halves_its_aggregations_weight);
    tcase_add_test(tcase, long_lists_are_scaled_down);
    tcase_add_test(tcase, healthy_entries_take_no_memory);
    tcase_add_test(tcase, links_that_do_not_exist_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
