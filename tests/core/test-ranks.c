/* SPDX-License-Identifier: MIT */
/* Several ranks run one fabric: here each is a thread of this process with a fabric of its own, and
 * parcels are handed over in memory. What happens is what happens without ranks. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>

#include "parallel/net-ranks.h"

#include "net-parts.h"
#include "net-world.h"
#include "rank-parcels.h"

#define MOST_BLOCKS 8192

/* All that is read of a run. */
struct reading
{
    uint64_t heard; /* hash of all frames that a host sends or gets, and when */
    uint64_t qps;   /* hash of what QPs have counted */
    uint64_t degrees;
    uint64_t inside; /* in the midst of it */
    int64_t last;
    uint64_t nexts; /* hash of when something was to happen next */
    struct weft_net_counters total;
    uint64_t switches; /* hash of buffers and ports */
    uint64_t hosts;    /* hash of counters and ports */
    uint32_t told;     /* news */
};

struct block
{
    void *at;
    size_t bytes;
};

struct rank
{
    struct weft_net *net;
    struct weft_ranks with;
    pthread_t thread;
    pthread_mutex_t mutex; /* of what its own threads write */
    const struct scene *scene;
    uint32_t threads;
    struct reading reading;
    struct rank_parcels parcels;
    uint32_t delivered;               /* since it was told */
    uint32_t idle;                    /* QPs that are sent nothing, but for the last */
    struct block frames[MOST_BLOCKS]; /* memory of packets */
    uint32_t nframes;
};

static pthread_mutex_t memory = PTHREAD_MUTEX_INITIALIZER;

static void *
take(void *of, size_t bytes)
{
    (void)of;
    pthread_mutex_lock(&memory);
    void *taken = parts_take(NULL, bytes);
    pthread_mutex_unlock(&memory);
    return taken;
}

static void *
take_frames(void *of, size_t bytes)
{
    struct rank *rank = of;
    void *taken = take(NULL, bytes);
    pthread_mutex_lock(&rank->mutex);
    ck_assert_uint_lt(rank->nframes, MOST_BLOCKS);
    rank->frames[rank->nframes++] = (struct block){taken, bytes};
    pthread_mutex_unlock(&rank->mutex);
    return taken;
}

static void
hear_frame(void *of, uint64_t what, uint32_t host, const struct weft_packet *p, int64_t now)
{
    struct rank *rank = of;
    uint64_t h = weft_mix64((uint64_t)now ^ what << 60);
    h = weft_mix64(h ^ ((uint64_t)p->qp << 32 | p->psn));
    h = weft_mix64(h ^ ((uint64_t)host << 40 | (uint64_t)p->flags << 32 | p->bytes));
    pthread_mutex_lock(&rank->mutex);
    rank->reading.heard += weft_mix64(h ^ ((uint64_t)p->kind << 32 | p->sport));
    pthread_mutex_unlock(&rank->mutex);
}

static void
sent(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    hear_frame(of, 1, host, p, now);
}

static void
received(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    hear_frame(of, 2, host, p, now);
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct rank *rank = of;
    (void)now;
    ck_assert(weft_net_is_here(rank->net, qp->dst));
    ck_assert_uint_eq(tag, qp->index);
    pthread_mutex_lock(&rank->mutex);
    rank->delivered++;
    pthread_mutex_unlock(&rank->mutex);
}

static struct weft_parcel
tell(void *of)
{
    const struct rank *rank = of;
    return (struct weft_parcel){&rank->delivered, rank->delivered ? sizeof rank->delivered : 0};
}

/* Everybody hears of every message: the last one is answered by one that all ranks post. */
static bool
hear(void *of, uint32_t from, struct weft_parcel news)
{
    struct rank *rank = of;
    uint32_t n;
    ck_assert_uint_eq(news.n, sizeof n);
    memcpy(&n, news.bytes, sizeof n);
    rank->reading.told += n;
    if (from == rank->with.rank)
    {
        rank->delivered = 0;
    }
    if (rank->reading.told == weft_net_nqps(rank->net) - 1 - rank->idle)
    {
        struct weft_qp *answer = weft_net_qp(rank->net, weft_net_nqps(rank->net) - 1);
        weft_net_post(rank->net, answer, 5000, answer->index, 0, 0);
        return true;
    }
    return false;
}

static struct weft_qp *
add_qp(struct rank *rank, uint32_t src, uint32_t dst)
{
    struct weft_qp *qp;
    const struct weft_net_qp_site site = {
        .src = src, .dst = dst, .stream = weft_net_nqps(rank->net)};
    ck_assert_int_eq(weft_net_add_qp(rank->net, &site, &qp, NULL), 0);
    return qp;
}

/* A host makes QPs as it is run, of which its rank alone knows until then. The second is sent
 * nothing. */
static void
make_late(void *of, uint64_t index, int64_t now)
{
    struct rank *rank = of;
    struct weft_qp *qp[2];
    for (uint32_t i = 0; i < 2; i++)
    {
        const struct weft_net_qp_site site = {.src = 2,
                                              .dst = HOSTS - 1 - i,
                                              .stream = 1000 + i,
                                              .reserved = true,
                                              .index = (uint32_t)index + i};
        ck_assert_int_eq(weft_net_add_qp(rank->net, &site, &qp[i], NULL), 0);
    }
    weft_net_post(rank->net, qp[0], 9000, index, now, 0);
}

static void
call_for_late(struct rank *rank)
{
    uint32_t index;
    if (!world.config.levels[0].lb->tor) /* else ToRs would have to know of it */
    {
        ck_assert_int_eq(weft_net_reserve_qps(rank->net, 2, &index), 0);
        weft_net_call(rank->net, 2, 6000000, WEFT_NET_CALL, 0, make_late, rank, index);
        rank->idle = 1;
    }
}

static void
begin(struct rank *rank)
{
    const struct scene *scene = rank->scene;
    const struct weft_net_news news = {.of = rank, .tell = tell, .hear = hear};
    struct weft_net_config config = world.config;
    config.memory.take = take;
    config.frames = (struct weft_memory){.take = take_frames, .of = rank};
    config.hooks = (struct weft_net_hooks){
        .of = rank, .delivered = delivered, .sent = sent, .received = received};
    config.ranks = &rank->with;
    ck_assert_int_eq(weft_net_make(&rank->net, &config, NULL), 0);
    /* A failure that is known before anything runs, and is over. */
    weft_net_set_routes(rank->net, 0, NULL, false);
    weft_net_set_routes(rank->net, 0, NULL, true);
    ck_assert_int_eq(weft_net_set_threads(rank->net, rank->threads), 0);
    if (rank->with.n == MOST_RANKS)
    {
        rank->net->ranks->parcel = 2000; /* so that each window takes several */
    }
    weft_net_set_news(rank->net, &news);
    for (uint32_t i = 0; i < HOSTS; i++)
    {
        const uint32_t dst = scene->to ? i % scene->to : (i + HOSTS / 2) % HOSTS;
        if (dst != i)
        {
            struct weft_qp *qp = add_qp(rank, i, dst);
            weft_net_post(rank->net, qp, scene->bytes, qp->index, i % 3 ? 0 : 5000000, i);
        }
    }
    call_for_late(rank);
    add_qp(rank, 3, 9);
    weft_net_drop(rank->net, weft_net_qp(rank->net, 1), 5, 2, true);
    weft_net_lose(rank->net, scene->loss);
}

/* As a simulator runs it that goes from one instant to the next. */
static void
run(struct rank *rank, int64_t until)
{
    const int64_t window = weft_net_window(rank->net);
    for (int64_t next; (next = weft_net_next(rank->net)) < until;)
    {
        const int64_t border = (next / window + 1) * window;
        rank->reading.nexts = weft_mix64(rank->reading.nexts ^ (uint64_t)next);
        weft_net_run(rank->net, border < until ? border : until);
        if (rank->with.n == 1 && rank->delivered > 0)
        {
            hear(rank, 0, tell(rank)); /* without ranks nobody asks for news */
        }
    }
    weft_net_run(rank->net, until);
}

static void
look_at_qp(struct reading *reading, const struct weft_qp *qp)
{
    const struct weft_tx_counters *tx = weft_net_tx_counters(qp);
    uint64_t h = weft_mix64(tx->sent ^ tx->resent << 20 ^ tx->nacks << 40 ^ tx->timeouts << 60);
    h = weft_mix64(h ^ (uint64_t)qp->last_sent ^ qp->sent_bytes << 20 ^ qp->una << 40);
    h = weft_mix64(h ^ qp->arrived ^ qp->duplicates << 30 ^ qp->out_of_order << 45);
    h = weft_mix64(h ^ (uint64_t)qp->last_delivery ^ qp->nacks_sent << 40 ^ qp->cnps_sent << 50);
    h = weft_mix64(h ^ qp->posted ^ (qp->nwqes > 0 ? qp->wqes[0].bytes : 0) ^ qp->delivered << 30 ^
                   qp->acked << 40);
    reading->qps = weft_mix64(reading->qps ^ h);
}

static void
look_at_switch(struct rank *rank, uint32_t i)
{
    struct reading *reading = &rank->reading;
    const struct weft_mmu *mmu = weft_net_buffer(rank->net, i);
    uint64_t h = weft_mix64(mmu->marks ^ mmu->pauses << 20 ^ (uint64_t)mmu->peak_used << 32);
    for (uint32_t p = 0; p < mmu->nports; p++)
    {
        struct weft_net_port port;
        weft_net_port_status(rank->net, HOSTS + i, p, &port);
        h = weft_mix64(h ^ port.bytes ^ port.frames << 32 ^ weft_mmu_queues(mmu)[p]);
        h = weft_mix64(h ^ (uint64_t)port.free_at ^ (uint64_t)port.paused << 60);
        h = weft_mix64(h ^ (uint64_t)port.busy ^ port.marks << 32 ^ port.dropped);
        h = weft_mix64(h ^ (uint64_t)port.paused_for.sum ^ (uint64_t)port.down_for.sum << 32 ^
                       port.peak_queue);
    }
    h = weft_mix64(h ^ weft_net_peak_queue(rank->net, i, true) ^
                   weft_net_marks(rank->net, i, false));
    reading->switches = weft_mix64(reading->switches ^ h);
}

static void
look_at_host(struct rank *rank, uint32_t i)
{
    const struct weft_net_counters *c = weft_net_node_counters(rank->net, i);
    struct weft_net_port port;
    weft_net_port_status(rank->net, i, 0, &port);
    uint64_t h = weft_mix64(c->sent ^ c->delivered_bytes << 20 ^ port.frames << 44);
    h = weft_mix64(h ^ port.bytes ^ (uint64_t)port.free_at ^ port.lost_down << 40);
    rank->reading.hosts = weft_mix64(rank->reading.hosts ^ h);
}

/* Checks that frames on the way between ranks need memory where they are, and there alone. */
static void
check_lanes(const struct rank *rank)
{
    const struct weft_net *net = rank->net;
    for (uint32_t i = 0; i < HOSTS + world.clos.nswitches; i++)
    {
        for (uint32_t p = 0; weft_net_is_here(net, i) && p < net->node[i]->nports; p++)
        {
            const struct weft_port *port = &net->node[i]->port[p];
            for (uint32_t c = 0; port->is_fed && c < net->classes; c++)
            {
                ck_assert_ptr_null(port->from[c].last.end);
                ck_assert_ptr_null(port->lane[c].last.end);
            }
        }
    }
}

/* Memory of packets may be gone when nothing is left to happen. */
static void
give_frames_back(struct rank *rank)
{
    const bool over = weft_net_is_over(rank->net);
    ck_assert(over || rank->scene != &scenes[4]); /* others have timers beyond LONG */
    for (uint32_t i = 0; i < rank->nframes && over; i++)
    {
        memset(rank->frames[i].at, 0xa5, rank->frames[i].bytes);
    }
}

static void
conclude(struct rank *rank)
{
    struct reading *reading = &rank->reading;
    uint64_t heard = reading->heard;
    check_lanes(rank);
    give_frames_back(rank);
    weft_net_gather(rank->net, WEFT_GATHER_NODES | WEFT_GATHER_QPS);
    weft_net_sum(rank->net, &heard, 1);
    reading->heard = heard;
    reading->last = weft_net_last(rank->net);
    weft_net_total(rank->net, &reading->total);
    for (uint32_t i = 0; i < world.clos.nswitches && rank->with.rank == 0; i++)
    {
        look_at_switch(rank, i);
    }
    for (uint32_t i = 0; i < HOSTS && rank->with.rank == 0; i++)
    {
        look_at_host(rank, i);
    }
    for (uint32_t i = 0; i < weft_net_nqps(rank->net) && rank->with.rank == 0; i++)
    {
        look_at_qp(reading, weft_net_qp(rank->net, i));
    }
    const uint64_t *degrees = weft_net_algos(rank->net, 0)->ooo_degrees;
    for (uint32_t i = 0; i < WEFT_OOO_DEGREES; i++)
    {
        reading->degrees += degrees[i] * (i + 1);
    }
}

static void *
live(void *of)
{
    struct rank *rank = of;
    begin(rank);
    run(rank, 4100000);
    weft_net_set_down(rank->net, HOSTS + 3, true);
    weft_net_set_routes(rank->net, 0, NULL, false);
    weft_net_set_rate(rank->net, HOSTS + 9, INT64_C(50000000000));
    run(rank, 9300000);
    weft_net_set_down(rank->net, HOSTS + 3, false);
    weft_net_set_routes(rank->net, 0, NULL, true);
    run(rank, 20000000);
    weft_net_gather(rank->net, WEFT_GATHER_NODES);
    rank->reading.inside = weft_net_inside(rank->net);
    run(rank, LONG);
    conclude(rank);
    weft_net_stop_threads(rank->net);
    return NULL;
}

static struct reading
run_on(const struct scene *scene, uint32_t n, uint32_t threads)
{
    static struct rank ranks[MOST_RANKS];
    memset(ranks, 0, sizeof ranks);
    world_describe(scene);
    rank_parcels_begin(n);
    for (uint32_t r = 0; r < n; r++)
    {
        struct rank_parcels *parcels = &ranks[r].parcels;
        ranks[r] = (struct rank){.scene = scene,
                                 .threads = threads,
                                 .parcels = {.rank = r, .n = n},
                                 .with = {parcels, r, n, rank_parcels_exchange}};
        pthread_mutex_init(&ranks[r].mutex, NULL);
        ck_assert_int_eq(pthread_create(&ranks[r].thread, NULL, live, &ranks[r]), 0);
    }
    for (uint32_t r = 0; r < n; r++)
    {
        pthread_join(ranks[r].thread, NULL);
        rank_parcels_free(&ranks[r].parcels);
    }
    rank_parcels_end();
    parts_free();
    return ranks[0].reading;
}

START_TEST(it_is_the_same_on_any_number_of_ranks)
{
    const struct reading two = run_on(&scenes[_i], 2, 1);
    ck_assert_uint_gt(two.total.delivered, 1000);
    ck_assert_uint_gt(two.told, 10);
    for (uint32_t n = 3; n <= MOST_RANKS; n++)
    {
        const struct reading several = run_on(&scenes[_i], n, n - 2);
        ck_assert_mem_eq(&two, &several, sizeof two);
    }
}
END_TEST

START_TEST(it_is_the_same_as_without_ranks)
{
    const struct reading two = run_on(&scenes[_i], 2, 2);
    const struct reading one = run_on(&scenes[_i], 1, 1);
    ck_assert_uint_gt(one.inside, 0);
    ck_assert_mem_eq(&one, &two, sizeof one);
}
END_TEST

/* A rank's memory would not be a part of one process'. */
START_TEST(a_rank_makes_its_own_part_alone)
{
    struct weft_ranks with = {.rank = 1, .n = 2};
    struct weft_qp *qp;
    const struct weft_net_qp_site there = {.src = 0, .dst = HOSTS - 1};
    const struct weft_net_qp_site back = {.src = HOSTS - 1, .dst = 0, .stream = 1};
    const struct weft_net_qp_site known = {.src = 0, .dst = 1, .stream = 2};
    world_describe(&scenes[0]);
    world.config.ranks = &with;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    ck_assert_int_eq(weft_net_set_threads(world.net, 1), 0);
    ck_assert(!weft_net_is_here(world.net, 0) && weft_net_is_here(world.net, HOSTS - 1));
    for (uint32_t i = 0; i < HOSTS + world.clos.nswitches; i++)
    {
        ck_assert(weft_net_is_here(world.net, i) == (world.net->node[i]->port != NULL));
    }
    ck_assert_int_eq(weft_net_add_qp(world.net, &there, &qp, NULL), 0);
    ck_assert(!qp->tx && !qp->cc && qp->rx);
    ck_assert_int_eq(weft_net_add_qp(world.net, &back, &qp, NULL), 0);
    ck_assert(qp->tx && qp->cc && !qp->rx);
    ck_assert_int_eq(weft_net_add_qp(world.net, &known, &qp, NULL), 0);
    ck_assert(!qp->tx && !qp->cc && !qp->rx);
    world_end();
}
END_TEST

START_TEST(there_are_1_to_128_ranks)
{
    struct weft_ranks with = {.rank = 0, .n = 0};
    struct weft_refusal why = {0, NULL, ""};
    world_describe(&scenes[0]);
    world.config.ranks = &with;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), WEFT_ERANGE);
    with.n = WEFT_NET_RANKS + 1;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), WEFT_ERANGE);
    with = (struct weft_ranks){.rank = 2, .n = 2};
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(weft_refusal_text(WEFT_ERANGE, &why), "expected 1 to 128"));
    with = (struct weft_ranks){.rank = 0, .n = 1};
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    ck_assert(weft_net_is_here(world.net, HOSTS));
    world_end();
}
END_TEST

Suite *ranks_suite(void);

Suite *
ranks_suite(void)
{
    Suite *suite = suite_create("ranks");
    TCase *tcase = tcase_create("ranks");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, it_is_the_same_as_without_ranks, 0, NSCENES);
    tcase_add_loop_test(tcase, it_is_the_same_on_any_number_of_ranks, 0, NSCENES);
    tcase_add_test(tcase, a_rank_makes_its_own_part_alone);
    tcase_add_test(tcase, there_are_1_to_128_ranks);
    suite_add_tcase(suite, tcase);
    return suite;
}
