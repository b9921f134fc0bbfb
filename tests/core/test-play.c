/* SPDX-License-Identifier: MIT */
/* A user would publish step times of traces that hang on how their executor works: on random
 * programs it has the times of one that looks at every operation after each event, on any number
 * of threads and on several ranks; and a user's program that cannot end would end without a word.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "net-parts.h"
#include "play-naive.h"
#include "program-rig.h"
#include "rank-parcels.h"

static struct weft_rng rng;

static uint32_t
below(uint32_t n)
{
    return weft_rng_below(&rng, n);
}

/* --- random programs -------------------------------------------------------------------------- */

/* Operations in the order in which a job might have done them: each waits for former ones alone. */
struct draft
{
    struct weft_op_spec op[MOST_OPS];
    uint32_t n;
};

static void
add_message(struct draft *d, uint32_t nranks)
{
    static const uint64_t sizes[] = {0, 1, 1000, 1000, 4096, 30000};
    struct weft_op_spec s = {.amount = sizes[below(6)], .rank = below(nranks), .tag = below(3)};
    s.peer = (s.rank + 1 + below(nranks - 1)) % nranks;
    s.kind = WEFT_OP_SEND;
    s.stream = (uint8_t)(below(2) ? below(3) : WEFT_NO_STREAM);
    s.nic = (uint8_t)below(2);
    s.own = below(8) == 0;
    struct weft_op_spec r = s;
    r.rank = s.peer;
    r.peer = s.rank;
    r.kind = WEFT_OP_RECV;
    d->op[d->n++] = s;
    d->op[d->n++] = r;
}

static void
add_local(struct draft *d, uint32_t nranks)
{
    struct weft_op_spec s = {.rank = below(nranks)};
    s.kind = below(5) ? WEFT_OP_COMPUTE : WEFT_OP_JOIN;
    s.stream = (uint8_t)below(3);
    s.amount = s.kind == WEFT_OP_JOIN || below(6) == 0 ? 0 : below(20) * (US / 2);
    d->op[d->n++] = s;
}

/* Writes the operations rank by rank, and lets each wait for some before it. */
static void
sort(const struct draft *d, struct task *t)
{
    uint32_t place[MOST_OPS];
    for (uint32_t r = 0; r < t->nranks; r++)
    {
        for (uint32_t i = 0; i < d->n; i++)
        {
            if (d->op[i].rank == r)
            {
                place[i] = t->nops;
                t->op[t->nops++] = d->op[i];
            }
        }
    }
    for (uint32_t i = 0; i < d->n; i++)
    {
        for (uint32_t k = 0; k < i && t->nedges < MOST_EDGES; k++)
        {
            if (d->op[k].rank == d->op[i].rank && below(4) == 0)
            {
                t->start[t->nedges] = below(3) == 0;
                t->after[t->nedges] = place[i];
                t->before[t->nedges++] = place[k];
            }
        }
    }
}

static void
make_task(struct task *t, uint64_t number)
{
    static const uint64_t eager[] = {UINT64_MAX / 4, 0, 1000};
    static const double scales[] = {1, 0, 0.37, 2};
    struct draft d = {.n = 0};
    memset(t, 0, sizeof *t);
    weft_rng_seed(&rng, 8, number, 0);
    t->nranks = 2 + below(MOST_RANKS_PLAYED - 1);
    t->eager = eager[below(3)];
    t->scale = scales[below(4)];
    const uint32_t n = 4 + below(MOST_OPS - 6);
    while (d.n < n)
    {
        (below(3) ? add_message : add_local)(&d, t->nranks);
    }
    sort(&d, t);
    for (uint32_t r = 0; r < t->nranks; r++)
    {
        t->host[r] = r;
    }
}

/* --- comparison ------------------------------------------------------------------------------- */

/* A program on one rank of the simulation, or on one of several. */
struct party
{
    const struct task *task;
    struct weft_program program;
    struct weft_collective_state state;
    size_t left;
    struct rank_parcels parcels;
    struct weft_ranks with;
    uint32_t threads;
    pthread_t thread;
};

static void *
live(void *of)
{
    struct party *p = of;
    struct weft_net_config config = stage.net;
    struct weft_collective *work;
    char text[300];
    config.ranks = p->with.n > 0 ? &p->with : NULL;
    struct weft_run *run = weft_run_make(&stage.is);
    ck_assert_int_eq(weft_run_build(run, &config, NULL), 0);
    ck_assert_int_eq(weft_run_set_threads(run, p->threads), 0);
    work = program_start(run, &p->program, p->task->eager, p->task->scale);
    weft_run_until(run, WEFT_NEVER);
    weft_collective_describe(work, &p->state);
    weft_net_gather(weft_run_net(run), WEFT_GATHER_NODES | WEFT_GATHER_QPS);
    weft_collective_gather(work);
    p->left = weft_collective_blocked(work, text, sizeof text);
    weft_net_stop_threads(weft_run_net(run));
    return NULL;
}

/* Compares times, which of several ranks the first one has. */
static void
check_party(const struct party *p)
{
    const struct task *t = p->task;
    int64_t last = 0;
    size_t left = 0;
    for (uint32_t i = 0; i < t->nops; i++)
    {
        const struct weft_op *op = &p->program.ops[i];
        ck_assert_msg(p->with.rank > 0 || (op->begun == t->begun[i] && op->ended == t->ended[i]),
                      "operation %u is from %lld to %lld ps, not from %lld to %lld", (unsigned)i,
                      (long long)op->begun, (long long)op->ended, (long long)t->begun[i],
                      (long long)t->ended[i]);
        last = t->ended[i] > last ? t->ended[i] : last;
        left += t->ended[i] < 0;
    }
    ck_assert(p->with.rank > 0 || p->left == left);
    ck_assert(p->state.done == (left == 0));
    ck_assert(left > 0 || p->state.done_at == last);
}

static void
check_threads(const struct task *t)
{
    static struct party party;
    for (uint32_t threads = 1; threads <= 3; threads++)
    {
        party = (struct party){.task = t, .threads = threads};
        ck_assert_int_eq(program_pack(t, &party.program, NULL), 0);
        live(&party);
        check_party(&party);
        weft_program_release(&party.program);
    }
}

static void
check_ranks(const struct task *t)
{
    static struct party party[MOST_RANKS];
    rank_parcels_begin(2);
    for (uint32_t r = 0; r < 2; r++)
    {
        party[r] = (struct party){.task = t, .threads = 1, .parcels = {.rank = r, .n = 2}};
        party[r].with = (struct weft_ranks){&party[r].parcels, r, 2, rank_parcels_exchange};
        ck_assert_int_eq(program_pack(t, &party[r].program, NULL), 0);
        ck_assert_int_eq(pthread_create(&party[r].thread, NULL, live, &party[r]), 0);
    }
    for (uint32_t r = 0; r < 2; r++)
    {
        pthread_join(party[r].thread, NULL);
        rank_parcels_free(&party[r].parcels);
    }
    rank_parcels_end();
    for (uint32_t r = 0; r < 2; r++)
    {
        check_party(&party[r]);
        weft_program_release(&party[r].program);
    }
}

/* --- an ideal network ------------------------------------------------------------------------- */

#define MESH  (MOST_RANKS_PLAYED * (MOST_RANKS_PLAYED + 1) / 2)
#define MS    (1000 * US)
#define CLOSE US /* ps: more than all frames of a program take on their wires together */

/* Describes a fabric that is nearly ideal: between each two hosts a link of their own, as fast as
 * any can be and so long that what frames take on it counts for nothing. Says how long each is. */
static void
describe_nearly_ideal(struct ways *ways)
{
    stage_describe(FOUR_PATHS, "ecmp");
    struct weft_graph_edge edge[MESH];
    struct weft_graph_fault fault;
    static struct weft_graph graph;
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    void *config = stage_take(NULL, kind->algo.config_size);
    const int64_t rate = INT64_C(8000000000000);
    uint32_t n = 0;
    stage.level[0].transport =
        stage_choose("transport", "nic-sr rto=1s", &stage.level[0].transport_config);
    memset(ways, 0, sizeof *ways);
    for (uint32_t a = 0; a < MOST_RANKS_PLAYED; a++)
    {
        edge[n++] = (struct weft_graph_edge){a, MOST_RANKS_PLAYED + a, rate, 0, false};
        for (uint32_t b = 0; b < a; b++)
        {
            ways->ps[a][b] = ways->ps[b][a] = MS + below(9000) * US + below(US);
            edge[n++] = (struct weft_graph_edge){MOST_RANKS_PLAYED + a, MOST_RANKS_PLAYED + b, rate,
                                                 ways->ps[a][b], false};
        }
    }
    const int64_t size = weft_graph_size(MOST_RANKS_PLAYED, MOST_RANKS_PLAYED, edge, n);
    ck_assert_int_eq(weft_graph_init(&graph, stage_take(NULL, (size_t)size), (size_t)size,
                                     MOST_RANKS_PLAYED, MOST_RANKS_PLAYED, edge, n, &fault),
                     0);
    ck_assert_int_eq(weft_config_default(&kind->algo, config), 0);
    kind->use(config, &graph);
    ck_assert_int_eq(kind->build(config, &stage.clos), 0);
}

/* Makes messages a frame each and those of two ranks share a QP, so that none overtakes another,
 * and times those of such a fabric. */
static void
make_ideal(struct task *t)
{
    for (uint32_t i = 0; i < t->nops; i++)
    {
        struct weft_op_spec *op = &t->op[i];
        op->nic = 0;
        if (op->kind == WEFT_OP_COMPUTE && op->amount > 0)
        {
            op->amount = 1 + (uint64_t)below(10000) * US + below(US);
        }
        else if (op->kind != WEFT_OP_COMPUTE && op->amount > 1000)
        {
            op->amount = 1000;
        }
    }
}

/* Returns the first operation whose times differ from those on an ideal network by more than what
 * frames take, or as many as there are. */
static uint32_t
first_other(const struct task *t, const struct weft_program *program)
{
    uint32_t i = 0;
    for (bool same = true; same && i < t->nops; i += same)
    {
        const int64_t ideal[] = {t->begun[i], t->ended[i]};
        const int64_t is[] = {program->ops[i].begun, program->ops[i].ended};
        for (int k = 0; k < 2; k++)
        {
            same = same && (is[k] < 0) == (ideal[k] < 0) && is[k] >= ideal[k] &&
                   is[k] - ideal[k] < CLOSE;
        }
    }
    return i;
}

static void
check_ideal(struct task *t, const struct weft_program *program, const struct ways *ways)
{
    uint32_t other = 0;
    for (int acks_first = 0; acks_first < 2 && other < t->nops; acks_first++)
    {
        play_ideally(t, ways, acks_first > 0);
        other = first_other(t, program);
    }
    ck_assert_msg(other == t->nops, "operation %u is from %lld to %lld ps, not from %lld to %lld",
                  (unsigned)other, (long long)program->ops[other].begun,
                  (long long)program->ops[other].ended, (long long)t->begun[other],
                  (long long)t->ended[other]);
}

#define LOOPS 10

START_TEST(over_an_ideal_network_times_are_those_of_the_operations_alone)
{
    static struct task task;
    static struct party party;
    uint32_t run = 0;
    for (uint64_t i = 0; i < 50; i++)
    {
        struct ways ways;
        make_task(&task, 1000 + 50 * (uint64_t)_i + i);
        make_ideal(&task);
        party = (struct party){.task = &task, .threads = 1};
        if (program_pack(&task, &party.program, NULL) == 0)
        {
            describe_nearly_ideal(&ways);
            live(&party);
            check_ideal(&task, &party.program, &ways);
            weft_program_release(&party.program);
            parts_free();
            run++;
        }
    }
    ck_assert_uint_ge(run, 40);
}
END_TEST

START_TEST(times_are_those_of_brute_force)
{
    static struct task task;
    uint32_t stuck = 0, refused = 0, run = 0;
    for (uint64_t i = 0; i < 50; i++)
    {
        const uint64_t number = 50 * (uint64_t)_i + i;
        struct weft_program program;
        make_task(&task, number);
        const int code = program_pack(&task, &program, NULL);
        if (code) /* several sends of one tag can keep each other back */
        {
            ck_assert_int_eq(code, WEFT_EINVAL);
            refused++;
            continue;
        }
        weft_program_release(&program);
        stage_describe(MANY_HOSTS, "ecmp");
        stage_begin();
        play_naively(&task);
        run++;
        for (uint32_t k = 0; k < task.nops; k++)
        {
            stuck += task.ended[k] < 0;
        }
        check_threads(&task);
        check_ranks(&task);
        stage_end();
    }
    ck_assert_uint_ge(run, 40);
    ck_assert_uint_le(refused + stuck, 400);
}
END_TEST

/* --- hosts of ranks --------------------------------------------------------------------------- */

/* Returns how a program of ranks at these hosts of four is taken. */
static int
fill_placed(struct weft_program *program, const uint32_t *place, uint32_t n,
            struct weft_message *messages)
{
    const struct weft_workload_ops *ops = weft_workload_find("trace");
    const struct weft_hosts hosts = {.n = 4, .rate = 1000000000};
    const struct weft_table table = {.program = program, .place = place, .nplaces = n};
    struct weft_traffic_size size;
    uint32_t next[4];
    void *config = stage_take(NULL, ops->algo.config_size);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ops->use(config, &table);
    const int code = ops->size(config, &hosts, &size);
    return code ? code : ops->fill(config, &hosts, 1, 1, messages, next);
}

START_TEST(ranks_are_at_the_hosts_that_a_table_says)
{
    static struct task task = {.nops = 2, .nranks = 2};
    struct weft_program program;
    struct weft_message m[1];
    task.op[0] = (struct weft_op_spec){.kind = WEFT_OP_SEND, .rank = 0, .peer = 1, .amount = 10};
    task.op[1] = (struct weft_op_spec){.kind = WEFT_OP_RECV, .rank = 1, .peer = 0, .amount = 10};
    task.eager = UINT64_MAX;
    ck_assert_int_eq(program_pack(&task, &program, NULL), 0);
    ck_assert_int_eq(fill_placed(&program, (const uint32_t[]){3, 1}, 2, m), 0);
    ck_assert_uint_eq(m[0].src, 3);
    ck_assert_uint_eq(m[0].dst, 1);
    ck_assert_int_eq(fill_placed(&program, (const uint32_t[]){2, 2}, 2, m), WEFT_ERANGE);
    ck_assert_int_eq(fill_placed(&program, (const uint32_t[]){3, 4}, 2, m), WEFT_ERANGE);
    ck_assert_int_eq(fill_placed(&program, (const uint32_t[]){3}, 1, m), WEFT_ERANGE);
    weft_program_release(&program);
    parts_free();
}
END_TEST

Suite *play_suite(void);

Suite *
play_suite(void)
{
    Suite *suite = suite_create("play");
    TCase *tcase = tcase_create("play");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, times_are_those_of_brute_force, 0, LOOPS);
    tcase_add_loop_test(tcase, over_an_ideal_network_times_are_those_of_the_operations_alone, 0,
                        LOOPS);
    tcase_add_test(tcase, ranks_are_at_the_hosts_that_a_table_says);
    suite_add_tcase(suite, tcase);
    return suite;
}
