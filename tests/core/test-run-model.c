/* SPDX-License-Identifier: MIT */
/* A user would publish times of a workload that hang on how its executor works: on random graphs
 * and faults it has the times of one that looks at everything after each event, on any number of
 * threads and on several ranks. */
#include <check.h>
#include <pthread.h>
#include <string.h>

#include "net-parts.h"
#include "rank-parcels.h"
#include "run-naive.h"

#define STORIES 75U /* of each balancer */
#define PLANS   10U

static struct weft_rng rng;

static uint32_t
below(uint32_t n)
{
    return weft_rng_below(&rng, n);
}

/* A message from a host to another, perhaps on the QP of a former one. */
static void
add_message(struct graph *g, uint32_t step)
{
    const uint32_t src = below(6) * 5 % 16, hop = 1 + below(5);
    const uint32_t i = graph_add(g, src, (src + 5 * hop) % 16, 1 + below(60000));
    struct weft_message *m = &g->m[i];
    for (uint32_t k = 0; k < i && below(3); k++)
    {
        if (g->m[k].src == m->src && g->m[k].dst == m->dst)
        {
            m->qp = g->m[k].qp;
            g->is.size.nqps--;
            break;
        }
    }
    m->step = step;
    m->group = below(2);
    m->start = below(3) ? 0 : below(60) * US;
    m->delayed = below(4) == 0;
}

/* Messages that one waits for: some before it that end at its source. */
static void
add_waits(struct graph *g, uint32_t i)
{
    bool any = false;
    for (uint32_t k = 0; k < i; k++)
    {
        const struct weft_message *before = &g->m[k];
        any = any || (before->group == g->m[i].group && before->step + 1 == g->m[i].step);
        if ((before->dst == g->m[i].src || before->src == g->m[i].src) && below(4) == 0)
        {
            graph_wait(g, i, k);
        }
    }
    if (any && below(3) == 0)
    {
        graph_bar(g, i, g->m[i].step);
    }
}

static void
add_fault(struct story *story)
{
    struct fault *f = &story->fault[story->nfaults++];
    const uint64_t fabric = weft_planes_links(&stage.clos) - 16;
    const enum weft_fault_effect effect =
        below(3) ? WEFT_FAULT_DOWN : (enum weft_fault_effect)below(WEFT_FAULT_EFFECTS);
    f->is = (struct weft_fault){.nlinks = below(4) ? 1 : 1 + below(3), .effect = effect};
    for (size_t i = 0; i < f->is.nlinks; i++)
    {
        f->links[i] = below(6) ? 16 + below((uint32_t)fabric) : below(16);
    }
    f->is.direction = below(2) ? WEFT_BOTH_WAYS : (enum weft_direction)below(3);
    f->is.rate = INT64_C(100000000) << below(9);
    f->is.delay = below(20) * US / 2;
    f->is.losses = (struct weft_frame_losses){.good = below(20) / 100.0};
    if (below(2))
    {
        f->is.losses =
            (struct weft_frame_losses){below(3) / 100.0, below(100) / 99.0, 0.05, below(50) / 50.0};
    }
    f->is.at = 1 + below(80) * US;
    f->is.repair = below(3) ? f->is.at + (below(2) ? below(60) : 20000) * US : WEFT_NEVER;
    if (below(3) == 0)
    {
        f->is.down = 1 + below(30) * US;
        f->is.up = 1 + below(50) * US;
        f->is.count = 1 + below(20);
    }
}

static void
make_story(struct story *story, uint64_t number)
{
    static const int64_t delays[] = {0, 20 * US, 100 * US, WEFT_NEVER};
    memset(story, 0, sizeof *story);
    weft_rng_seed(&rng, 5, number, 0);
    const uint32_t messages = 10 + below(40), each = 3 + below(8);
    for (uint32_t i = 0; i < messages; i++)
    {
        add_message(&story->graph, i / each);
        add_waits(&story->graph, i);
    }
    for (uint32_t n = below(12); n > 0; n--)
    {
        add_fault(story);
    }
    story->convergence = delays[below(4)];
    story->recovery = below(2) ? delays[below(4)] : story->convergence;
    story->weights = (enum weft_weights)below(3);
    graph_close(&story->graph);
}

static void
describe(const char *balancer, uint64_t number)
{
    static const char *const shapes[] = {
        "fat-tree k=4 link-rate=100Gbps",
        "leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps fabric-rate=40Gbps"};
    static const char *const controls[] = {"none", "ideal", "dcqcn"};
    stage_describe(shapes[number % 2], balancer);
    stage.level[0].cc =
        stage_choose("congestion-control", controls[number % 3], &stage.level[0].cc_config);
}

/* A run on one rank, or on one of several. */
struct party
{
    struct story story;
    struct weft_run *run;
    struct weft_collective_state state;
    struct rank_parcels parcels;
    struct weft_ranks with;
    uint32_t threads;
    bool conserves;
    int64_t stopped; /* when all was done first */
    pthread_t thread;
};

static void
plan_faults(const struct party *p)
{
    for (uint32_t i = 0; i < p->story.nfaults; i++)
    {
        const struct fault *f = &p->story.fault[i];
        struct weft_fault is = f->is;
        is.links = f->links;
        ck_assert_int_eq(weft_run_add_fault(p->run, &is), 0);
    }
}

static void
stop(void *of)
{
    const struct party *p = of;
    weft_run_stop(p->run);
}

/* As a program that ends where all is done. */
static void
ask_to_stop(void *of, int64_t at)
{
    struct party *p = of;
    weft_run_at(p->run, at, stop, p);
}

static void *
live(void *of)
{
    struct party *p = of;
    struct graph *g = &p->story.graph;
    char why[300];
    struct weft_net_config config = stage.net;
    struct weft_run_config is = stage.is;
    config.ranks = p->with.n > 0 ? &p->with : NULL;
    is.convergence = p->story.convergence;
    p->run = weft_run_make(&is);
    ck_assert_int_eq(weft_run_build(p->run, &config, NULL), 0);
    weft_run_set_weights(p->run, p->story.weights);
    weft_run_set_recovery(p->run, p->story.recovery);
    ck_assert_int_eq(weft_run_set_threads(p->run, p->threads), 0);
    plan_faults(p);
    graph_close(g);
    g->is.hooks = (struct weft_collective_hooks){.of = p, .done = ask_to_stop};
    ck_assert_int_eq(weft_run_collective(p->run, &g->is, &g->started, NULL), 0);
    p->stopped = weft_run_until(p->run, WEFT_NEVER);
    while (weft_run_until(p->run, WEFT_NEVER) != weft_run_until(p->run, WEFT_NEVER))
    {
        /* what was given up may have come, and all is done again */
    }
    p->state = graph_state(g);
    weft_net_gather(weft_run_net(p->run), WEFT_GATHER_NODES | WEFT_GATHER_QPS);
    weft_collective_gather(g->started);
    p->conserves = p->with.rank > 0 || weft_run_conserves(p->run, why, sizeof why);
    weft_net_stop_threads(weft_run_net(p->run));
    return NULL;
}

/* Compares what became of messages. @p all: with when they were posted, which rank 0 knows. */
static void
check_times(const struct graph *want, const struct graph *is, bool all)
{
    for (uint32_t i = 0; i < want->is.size.nmessages; i++)
    {
        const struct weft_message_times *a = &want->t[i], *b = &is->t[i];
        ck_assert_msg(!all || a->posted == b->posted, "message %u is posted at %lld, not at %lld",
                      (unsigned)i, (long long)b->posted, (long long)a->posted);
        ck_assert_int_eq(a->delivered, b->delivered);
        ck_assert_int_eq(a->acked, b->acked);
        ck_assert_int_eq(a->asked, b->asked);
        ck_assert(a->failed == b->failed);
    }
}

static void
check_state(const struct weft_collective_state *a, const struct weft_collective_state *b)
{
    ck_assert_uint_eq(a->acked, b->acked);
    ck_assert_uint_eq(a->undelivered, b->undelivered);
    ck_assert_uint_eq(a->unstarted, b->unstarted);
    ck_assert_int_eq(a->last_delivery, b->last_delivery);
    ck_assert_int_eq(a->done_at, b->done_at);
    ck_assert(a->done == b->done);
}

static void
run_on_threads(struct party *p, const struct story *story, uint32_t threads)
{
    memset(p, 0, sizeof *p);
    p->story = *story;
    p->threads = threads;
    live(p);
    ck_assert(p->conserves);
}

static void
run_on_ranks(struct party *p, const struct story *story, uint32_t n)
{
    rank_parcels_begin(n);
    for (uint32_t r = 0; r < n; r++)
    {
        p[r] = (struct party){.story = *story, .threads = 1 + r, .parcels = {.rank = r, .n = n}};
        p[r].with = (struct weft_ranks){&p[r].parcels, r, n, rank_parcels_exchange};
        ck_assert_int_eq(pthread_create(&p[r].thread, NULL, live, &p[r]), 0);
    }
    for (uint32_t r = 0; r < n; r++)
    {
        pthread_join(p[r].thread, NULL);
        rank_parcels_free(&p[r].parcels);
    }
    rank_parcels_end();
}

/* Whether a message waits for one that is lost, directly or not. */
static bool
is_unstarted(const struct graph *g, const bool *lost, uint32_t i)
{
    bool in_vain = false;
    for (uint32_t k = 0; k < g->nwaits; k++)
    {
        in_vain = in_vain || (g->after[k] == i && lost[g->before[k]]);
    }
    for (uint32_t k = 0; g->m[i].barrier && k < g->is.size.nmessages; k++)
    {
        const bool before = g->m[k].group == g->m[i].group && g->m[k].step + 1 == g->m[i].step;
        in_vain = in_vain || (before && lost[k]);
    }
    return in_vain;
}

/* Counts what a story came to: messages wait for such with lower numbers alone. */
static struct weft_collective_state
count(const struct graph *g)
{
    struct weft_collective_state s = {.done = true};
    bool lost[MOST_MESSAGES];
    for (uint32_t i = 0; i < g->is.size.nmessages; i++)
    {
        const struct weft_message_times *t = &g->t[i];
        const struct weft_message *m = &g->m[i];
        const bool unstarted = is_unstarted(g, lost, i);
        const bool undelivered = t->failed && t->delivered < 0;
        const int64_t failed =
            t->failed ? t->asked - weft_clos_way(&stage.clos, m->src, m->dst, stage.net.frame.ack)
                      : 0;
        lost[i] = unstarted || undelivered;
        s.acked += t->acked >= 0;
        s.undelivered += undelivered;
        s.unstarted += unstarted;
        s.last_delivery = t->delivered > s.last_delivery ? t->delivered : s.last_delivery;
        s.done_at = t->acked > s.done_at ? t->acked : s.done_at;
        s.done_at = failed > s.done_at ? failed : s.done_at;
        s.done = s.done && (t->acked >= 0 || t->failed || unstarted);
    }
    return s;
}

START_TEST(times_are_those_of_brute_force)
{
    static const char *const balancers[] = {"ecmp", "rsq", "themis", "reps"};
    static struct story naive;
    static struct party party[MOST_RANKS];
    struct weft_collective_state sum = {.acked = 0};
    uint32_t after_all = 0;
    int64_t stopped = 0;
    for (uint32_t i = 0; i < STORIES; i++)
    {
        const uint64_t number = STORIES * (uint64_t)_i + i;
        describe(balancers[_i], number);
        make_story(&naive, number);
        const struct story story = naive;
        naive_run(&naive);
        const struct weft_collective_state want = count(&naive.graph);
        for (uint32_t threads = 1; threads <= 3; threads += 1 + i % 3)
        {
            run_on_threads(&party[0], &story, threads);
            check_times(&naive.graph, &party[0].story.graph, true);
            check_state(&want, &party[0].state);
            stopped = threads == 1 ? party[0].stopped : stopped;
            ck_assert_int_eq(party[0].stopped, stopped);
        }
        run_on_ranks(party, &story, 2);
        for (uint32_t r = 0; r < 2; r++)
        {
            check_times(&naive.graph, &party[r].story.graph, r == 0);
            check_state(&want, &party[r].state);
            ck_assert_int_eq(party[r].stopped, stopped);
            ck_assert(party[r].conserves);
        }
        sum.acked += want.acked;
        sum.undelivered += want.undelivered;
        sum.unstarted += want.unstarted;
        for (uint32_t k = 0; k < naive.graph.is.size.nmessages; k++)
        {
            after_all += naive.graph.t[k].failed && naive.graph.t[k].delivered >= 0;
        }
        parts_free();
    }
    ck_assert_uint_gt(sum.acked, 100);
    ck_assert_uint_gt(sum.undelivered, 5);
    ck_assert_uint_gt(sum.unstarted, 5);
    ck_assert_uint_gt(after_all, 0);
}
END_TEST

/* Balancers that plan, of which a host's thread makes QPs. */
START_TEST(planned_parts_are_the_same_on_threads_and_ranks)
{
    static const char *const balancers[] = {"subflow n=3", "ethereal"};
    static struct party one, party[MOST_RANKS];
    static struct story story;
    uint64_t parts = 0;
    for (uint32_t i = 0; i < PLANS; i++)
    {
        describe(balancers[_i], i);
        make_story(&story, i);
        run_on_threads(&one, &story, 1);
        for (uint32_t threads = 2; threads <= 3; threads++)
        {
            run_on_threads(&party[0], &story, threads);
            check_times(&one.story.graph, &party[0].story.graph, true);
            check_state(&one.state, &party[0].state);
            ck_assert_int_eq(party[0].stopped, one.stopped);
        }
        run_on_ranks(party, &story, 2);
        for (uint32_t r = 0; r < 2; r++)
        {
            check_times(&one.story.graph, &party[r].story.graph, r == 0);
            check_state(&one.state, &party[r].state);
            ck_assert_int_eq(party[r].stopped, one.stopped);
            ck_assert(party[r].conserves);
        }
        for (uint32_t k = 0; k < weft_net_nqps(weft_run_net(one.run)); k++)
        {
            const struct weft_qp *qp = weft_net_qp(weft_run_net(one.run), k);
            parts += qp ? qp->nwqes : 0;
        }
        parts_free();
    }
    ck_assert_uint_gt(parts, 500);
}
END_TEST

Suite *run_model_suite(void);

Suite *
run_model_suite(void)
{
    Suite *suite = suite_create("run-model");
    TCase *tcase = tcase_create("run-model");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, times_are_those_of_brute_force, 0, 4);
    tcase_add_loop_test(tcase, planned_parts_are_the_same_on_threads_and_ranks, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
