/* SPDX-License-Identifier: MIT */
/* A user would lose a fabric whose results are the same however it is run: step by step, watched,
 * at once, or on several threads; that loses no frame without saying so; that takes no memory once
 * it is under way; and that refuses what cannot work. */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"

#define HOSTS 16U
#define LONG  INT64_C(3000000000) /* ps: after this nothing happens any more */

/* Algorithms by name, with parameters in pairs. */
struct scene
{
    const char *balancer;
    const char *transport;
    const char *cc;
    const char *buffer[13];
    uint64_t bytes;
    uint32_t to;   /* 0: each to the one half the fabric away; else all to hosts below it */
    double loss;   /* probability */
    uint32_t more; /* messages of each host to others, one after the other, on four QPs */
};

static const struct scene scenes[] = {
    {"ops", "sack", "none", {"preset", "100g"}, 200000, 0},
    {"themis", "nic-sr", "dcqcn", {"preset", "100g"}, 300000, 0},
    {"jsq", "nic-sr", "none", {"preset", "100g", "buffer", "700KB", "headroom", "60KB"}, 100000, 2},
    {"conga", "gbn", "dctcp", {"preset", "100g", "pfc", "off", "buffer", "200KB"}, 100000, 3},
    {"conweave", "gbn", "dcqcn", {"preset", "100g"}, 300000, 0},
    {"ar", "trim", "none", {"preset", "trim-400g", "trim-at", "60KB"}, 150000, 2},
    {"drill", "sack", "swift", {"preset", "ofan"}, 150000, 1},
    {"letflow", "ideal", "dcqcn", {"preset", "100g", "ecn-at", "dequeue"}, 150000, 4},
    {"themis", "nic-sr", "none", {"preset", "100g", "headroom", "60KB"}, 300000, 0, 0.01},
    {"ar-quality", "sack", "none", {"preset", "100g", "pfc", "off"}, 60000, 0, 0, 24},
};

/* A fabric, its memory, and what was heard of it. */
static struct
{
    struct weft_clos clos;
    struct weft_net_level level;
    struct weft_net_config config;
    struct weft_net *net;
    void *blocks[100000];
    size_t nblocks;
    void *configs[8];
    size_t nconfigs;
    uint32_t threads;      /* 0: nothing is said of them */
    pthread_mutex_t mutex; /* of what follows */
    uint64_t heard;    /* hash of all frames that a host sends or gets, and when, in any order */
    uint32_t messages; /* posted */
    uint32_t delivered;
    uint32_t raw; /* packets of the program that came to their hosts */
    bool relays;  /* a third host is to answer each message of the first QPs */
    int64_t last;
} world = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void *
take(void *of, size_t bytes)
{
    (void)of;
    const size_t size = (bytes + 63) / 64 * 64;
    void *block = aligned_alloc(64, size);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_lt(world.nblocks, sizeof world.blocks / sizeof world.blocks[0]);
    world.blocks[world.nblocks++] = block;
    return memset(block, 0, size);
}

static void
hear(uint64_t what, uint32_t host, const struct weft_packet *p, int64_t now)
{
    uint64_t h = weft_mix64((uint64_t)now ^ what << 60);
    h = weft_mix64(h ^ ((uint64_t)p->qp << 32 | p->psn));
    h = weft_mix64(h ^ ((uint64_t)host << 40 | (uint64_t)p->flags << 32 | p->bytes));
    pthread_mutex_lock(&world.mutex);
    world.heard += weft_mix64(h ^ ((uint64_t)p->kind << 32 | p->sport));
    pthread_mutex_unlock(&world.mutex);
}

static void
sent(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    hear(1, host, p, now);
}

static void
received(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    hear(2, host, p, now);
    pthread_mutex_lock(&world.mutex);
    world.raw += p->kind == WEFT_RAW && host == p->dst;
    pthread_mutex_unlock(&world.mutex);
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    struct weft_net_teller teller;
    ck_assert(weft_net_is_telling(world.net, &teller));
    ck_assert_uint_eq(teller.node, qp->dst);
    ck_assert_int_eq(teller.now, now);
    ck_assert_uint_eq(tag, qp->index);
    pthread_mutex_lock(&world.mutex);
    world.delivered++;
    if (world.relays && qp->index < HOSTS)
    {
        struct weft_qp *answer = weft_net_qp(world.net, HOSTS + (qp->dst + 3) % HOSTS);
        weft_net_post(world.net, answer, 5000, answer->index, now, qp->index);
    }
    world.last = now > world.last ? now : world.last;
    pthread_mutex_unlock(&world.mutex);
}

static void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 1);
    ck_assert_ptr_nonnull(config);
    weft_config_default(algo, config);
    world.configs[world.nconfigs++] = config;
    return config;
}

static void
set_all(const struct weft_algo *algo, void *config, const char *const *settings)
{
    for (; *settings; settings += 2)
    {
        ck_assert_int_eq(strcmp(*settings, "preset")
                             ? weft_config_set(algo, config, settings[0], settings[1])
                             : weft_config_preset(algo, config, settings[1]),
                         0);
    }
}

/* Everything but the fabric itself. */
static void
describe(const struct scene *scene)
{
    const struct weft_topology_ops *kind = weft_topology_find("fat-tree");
    void *shape = calloc(1, kind->algo.config_size);
    static const char *const literal[] = {"compensation", "literal", NULL}; /* ToRs make NACKs */
    static const char *const hasty[] = {"rto", "100us", NULL};
    static const char *const none[] = {NULL};
    static const char *const small[] = {"k", "4", "link-rate", "100Gbps", NULL};
    memset(&world.config, 0, sizeof world.config);
    world.nconfigs = 0;
    weft_config_default(&kind->algo, shape);
    set_all(&kind->algo, shape, small);
    ck_assert_int_eq(kind->build(shape, &world.clos), 0);
    free(shape);
    world.level = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = 1};
    world.level.lb = weft_lb_find(scene->balancer);
    void *balancer = defaults(&world.level.lb->algo);
    set_all(&world.level.lb->algo, balancer, scene->loss > 0 ? literal : none);
    world.level.lb_config = balancer;
    world.level.transport = weft_transport_find(scene->transport);
    void *transport = defaults(&world.level.transport->algo);
    set_all(&world.level.transport->algo, transport, scene->loss > 0 ? hasty : none);
    world.level.transport_config = transport;
    world.level.cc = weft_cc_find(scene->cc);
    world.level.cc_config = defaults(&world.level.cc->algo);
    world.config.clos = &world.clos;
    world.config.levels = &world.level;
    world.config.nlevels = 1;
    world.config.scheduler = weft_scheduler_find("strict");
    world.config.seed = 7;
    world.config.memory.take = take;
    weft_config_default(&weft_fabric_algo, &world.config.frame);
    weft_config_default(&weft_mmu_algo, &world.config.buffer);
    set_all(&weft_mmu_algo, &world.config.buffer, scene->buffer);
    world.config.hooks =
        (struct weft_net_hooks){.delivered = delivered, .sent = sent, .received = received};
}

static void
post(uint32_t src, uint32_t dst, uint64_t bytes, int64_t at)
{
    struct weft_qp *qp;
    const uint32_t i = weft_net_nqps(world.net);
    const struct weft_net_qp_site site = {.src = src, .dst = dst, .stream = i};
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    weft_net_post(world.net, qp, bytes, i, at, i);
    world.messages++;
}

/* Messages that are posted while others are under way: QPs run dry and go on. */
static void
post_more(uint32_t src, uint32_t messages)
{
    struct weft_rng rng;
    struct weft_qp *qp[4];
    weft_rng_seed(&rng, 1, 1, src);
    for (uint32_t i = 0; i < messages; i++)
    {
        const uint32_t n = weft_net_nqps(world.net);
        const struct weft_net_qp_site site = {
            .src = src, .dst = (src + 1 + 3 * i) % HOSTS, .stream = n};
        if (i < 4)
        {
            ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp[i], NULL), 0);
        }
        struct weft_qp *of = qp[i % 4];
        const int64_t at = weft_rng_below(&rng, 40000000);
        weft_net_post(world.net, of, 1 + weft_rng_below(&rng, 6000), of->index, at, n + i);
        world.messages++;
    }
}

/* @p lb: in place of the scene's balancer, with settings, if not NULL. */
static void
begin_with(const struct scene *scene, const struct weft_lb_ops *lb, const char *const *settings)
{
    world.nblocks = 0;
    world.heard = 0;
    world.messages = 0;
    world.delivered = 0;
    world.raw = 0;
    world.last = 0;
    describe(scene);
    if (lb)
    {
        world.level.lb = lb;
        world.level.lb_config = defaults(&lb->algo);
        set_all(&lb->algo, world.configs[world.nconfigs - 1], settings);
    }
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    if (world.threads)
    {
        ck_assert_int_eq(weft_net_set_threads(world.net, world.threads), 0);
    }
    for (uint32_t i = 0; i < HOSTS; i++)
    {
        const uint32_t dst = scene->to ? i % scene->to : (i + HOSTS / 2) % HOSTS;
        if (dst != i)
        {
            post(i, dst, scene->bytes, i % 3 ? 0 : INT64_C(5000000));
        }
        post_more(i, scene->more);
    }
    weft_net_lose(world.net, scene->loss);
}

static void
begin(const struct scene *scene)
{
    begin_with(scene, NULL, NULL);
}

static void
end(void)
{
    if (world.net)
    {
        weft_net_stop_threads(world.net);
    }
    for (size_t i = 0; i < world.nblocks; i++)
    {
        free(world.blocks[i]);
    }
    for (size_t i = 0; i < world.nconfigs; i++)
    {
        free(world.configs[i]);
    }
}

/* What is to be the same in two runs. */
struct result
{
    uint64_t heard;
    int64_t last;
    struct weft_net_counters total;
    uint64_t marks;
    uint64_t pauses;
    int64_t peaks;
};

static struct result
conclude(void)
{
    struct result r;
    memset(&r, 0, sizeof r);
    r.heard = world.heard;
    r.last = weft_net_last(world.net);
    weft_net_total(world.net, &r.total);
    for (uint32_t i = 0; i < world.clos.nswitches; i++)
    {
        const struct weft_mmu *mmu = weft_net_buffer(world.net, i);
        r.marks += mmu->marks;
        r.pauses += mmu->pauses;
        r.peaks += mmu->peak_used;
    }
    return r;
}

START_TEST(it_is_the_same_however_it_is_run)
{
    begin(&scenes[_i]);
    weft_net_run(world.net, LONG);
    const struct result whole = conclude();
    end();
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 1, (uint64_t)_i);
    begin(&scenes[_i]);
    for (int64_t at = 0; at < LONG;)
    {
        const uint32_t longest = at < INT64_C(200000000) ? 3000000U : 100000000U;
        at += 1 + weft_rng_below(&rng, longest);
        weft_net_run(world.net, at < LONG ? at : LONG);
        conclude(); /* who looks changes nothing */
    }
    const struct result cut = conclude();
    ck_assert_uint_gt(whole.total.delivered, 1000);
    ck_assert(scenes[_i].loss == 0 || whole.total.made_by_tors > 20);
    ck_assert_mem_eq(&whole, &cut, sizeof whole);
    end();
}
END_TEST

static void
add_qps(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_qp *qp;
        const struct weft_net_qp_site site = {.src = i, .dst = (i + 1) % HOSTS, .stream = n + i};
        ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    }
}

START_TEST(what_a_hook_asks_of_another_host_comes_there_when_it_can)
{
    struct result r[2];
    for (int64_t cut = 0; cut < 2; cut++)
    {
        begin(&scenes[0]);
        add_qps(HOSTS);
        world.relays = true;
        for (int64_t at = 0; at < LONG; at += cut ? 370011 + at / 9 : LONG)
        {
            weft_net_run(world.net, at);
        }
        weft_net_run(world.net, LONG);
        ck_assert_uint_eq(world.delivered, 2 * HOSTS);
        ck_assert(!weft_net_is_telling(world.net, NULL));
        r[cut] = conclude();
        world.relays = false;
        end();
    }
    ck_assert_mem_eq(&r[0], &r[1], sizeof r[0]);
}
END_TEST

/* Runs nodes that are watched instant by instant, the others window by window. */
static void
run_watched(int64_t until)
{
    const uint32_t nodes = world.clos.nhosts + world.clos.nswitches;
    const int64_t window = weft_net_window(world.net);
    for (uint32_t i = 0; i < nodes; i += 3)
    {
        weft_net_watch(world.net, i, true);
    }
    for (int64_t border = window; border <= until; border += window)
    {
        weft_net_run(world.net, border);
        for (uint32_t i = 0; i < nodes; i += 3)
        {
            while (weft_net_node_next(world.net, i) < border)
            {
                weft_net_run_node(world.net, i, weft_net_node_next(world.net, i) + 1);
            }
        }
    }
}

START_TEST(it_is_the_same_where_nodes_are_watched)
{
    const int64_t until = INT64_C(600000000);
    begin(&scenes[_i]);
    weft_net_run(world.net, until);
    const struct result whole = conclude();
    end();
    begin(&scenes[_i]);
    run_watched(until);
    const struct result watched = conclude();
    ck_assert_uint_gt(whole.total.delivered, 1000);
    ck_assert_mem_eq(&whole, &watched, sizeof whole);
    end();
}
END_TEST

START_TEST(packets_of_the_program_go_their_way)
{
    begin(&scenes[0]);
    for (uint32_t i = 0; i < 300; i++)
    {
        const struct weft_packet p = {.kind = WEFT_RAW,
                                      .src = i % HOSTS & WEFT_HOST_MASK,
                                      .dst = (i + 7) % HOSTS & WEFT_HOST_MASK,
                                      .bytes = 600,
                                      .tclass = 1,
                                      .psn = i & WEFT_PSN_MASK,
                                      .sport = (uint16_t)(i * 77)};
        weft_net_send(world.net, p.src, &p, (int64_t)i * 1000);
    }
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.raw, 300);
    ck_assert_uint_eq(world.delivered, world.messages);
    end();
}
END_TEST

START_TEST(no_frame_goes_without_a_word)
{
    begin(&scenes[_i]);
    weft_net_run(world.net, LONG);
    const struct weft_net_counters t = conclude().total;
    uint64_t lost = 0;
    for (unsigned i = 0; i < WEFT_NET_LOSSES; i++)
    {
        lost += t.lost[i];
    }
    ck_assert_uint_eq(t.sent + t.made_by_tors, t.delivered + lost);
    ck_assert_uint_eq(t.sent_bytes + t.made_by_tors_bytes,
                      t.delivered_bytes + t.lost_bytes + t.trimmed_bytes);
    ck_assert_uint_eq(world.delivered, world.messages);
    for (uint32_t i = 0; i < world.clos.nswitches; i++)
    {
        ck_assert_int_eq(weft_net_buffer(world.net, i)->shared_used, 0);
    }
    end();
}
END_TEST

START_TEST(it_takes_no_memory_once_under_way)
{
    struct scene longer = scenes[_i];
    longer.bytes *= 8;
    begin(&longer);
    weft_net_run(world.net, world.clos.host_delay * 100);
    const size_t before = world.nblocks;
    const uint64_t hops = conclude().total.hops;
    weft_net_run(world.net, world.clos.host_delay * 150);
    /* A queue may yet become longer than ever; nothing is taken per frame. */
    ck_assert_uint_le(world.nblocks - before, (conclude().total.hops - hops) / 50);
    end();
}
END_TEST

START_TEST(a_frame_alone_needs_the_time_of_its_way)
{
    for (uint32_t dst = 1; dst < HOSTS; dst++)
    {
        describe(&scenes[0]);
        world.nblocks = 0;
        world.last = 0;
        ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
        post(0, dst, (uint64_t)world.config.frame.payload, 0);
        weft_net_run(world.net, LONG);
        ck_assert_int_eq(world.last,
                         weft_clos_way(&world.clos, 0, dst,
                                       world.config.frame.payload + world.config.frame.header));
        ck_assert_int_eq(weft_net_now(world.net), LONG);
        end();
    }
}
END_TEST

START_TEST(a_dead_link_loses_what_is_on_it)
{
    begin(&scenes[0]);
    weft_net_run(world.net, 8000000);
    weft_net_set_down(world.net, 0, true); /* host 0's */
    weft_net_run(world.net, LONG);
    ck_assert_uint_gt(conclude().total.lost[WEFT_NET_DROP_LINK], 0);
    ck_assert_uint_eq(world.delivered, world.messages - 2); /* to and from host 0 */
    weft_net_set_down(world.net, 0, false);
    weft_net_run(world.net, 10 * LONG);
    ck_assert_uint_eq(world.delivered, world.messages);
    end();
}
END_TEST

START_TEST(a_link_without_delay_is_not_faster_than_the_window_allows)
{
    const int64_t rate = INT64_C(100000000000);
    describe(&scenes[0]);
    world.nblocks = 0;
    world.clos.host_delay = _i;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, 2 * rate), _i ? 0 : WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, 0), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, rate / 2), 0);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, rate), 0);
    end();
}
END_TEST

START_TEST(a_line_is_shared_by_those_who_begin)
{
    describe(&scenes[0]);
    world.nblocks = 0;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    const uint32_t alone = weft_net_bdp(world.net, 0, HOSTS - 1, 1);
    ck_assert_uint_gt(alone, 50);
    ck_assert_uint_eq(weft_net_bdp(world.net, 0, HOSTS - 1, 0), alone);
    ck_assert_uint_eq(weft_net_bdp(world.net, 0, HOSTS - 1, 2), (alone + 1) / 2);
    ck_assert_uint_eq(weft_net_bdp(world.net, 0, HOSTS - 1, 2 * alone), 1);
    end();
}
END_TEST

START_TEST(named_drops_are_sent_again)
{
    begin(&scenes[0]);
    weft_net_drop(world.net, weft_net_qp(world.net, 3), 5, 2, _i);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(conclude().total.lost[WEFT_NET_DROP_INJECTED], 2);
    ck_assert_uint_eq(world.delivered, world.messages);
    end();
}
END_TEST

/* What happens when links fail and frames are lost by name, and somebody looks. */
static struct result
run_with_faults(const struct scene *scene, uint32_t threads)
{
    world.threads = threads;
    begin(scene);
    weft_net_drop(world.net, weft_net_qp(world.net, 1), 5, 2, true);
    weft_net_run(world.net, 4000000);
    weft_net_set_down(world.net, HOSTS + 3, true);
    weft_net_set_rate(world.net, HOSTS + 9, INT64_C(50000000000));
    weft_net_run(world.net, 9300000);
    weft_net_set_down(world.net, HOSTS + 3, false);
    weft_net_inside(world.net);
    run_watched(INT64_C(30000000));
    weft_net_watch(world.net, 0, false);
    for (uint32_t i = 3; i < world.clos.nhosts + world.clos.nswitches; i += 3)
    {
        weft_net_watch(world.net, i, false);
    }
    weft_net_run(world.net, LONG);
    const struct result r = conclude();
    end();
    world.threads = 0;
    return r;
}

START_TEST(it_is_the_same_on_any_number_of_threads)
{
    const struct result one = run_with_faults(&scenes[_i], 1);
    ck_assert_uint_gt(one.total.delivered, 1000);
    for (uint32_t n = 2; n <= 8; n += n == 2 ? 1 : 5)
    {
        const struct result several = run_with_faults(&scenes[_i], n);
        ck_assert_mem_eq(&one, &several, sizeof one);
    }
}
END_TEST

START_TEST(the_number_of_threads_is_said_once)
{
    begin(&scenes[0]);
    ck_assert_int_eq(weft_net_set_threads(world.net, 0), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_threads(world.net, WEFT_NET_THREADS + 1), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_threads(world.net, 2), 0);
    ck_assert_int_eq(weft_net_set_threads(world.net, 2), WEFT_ERANGE);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, weft_net_nqps(world.net));
    end();
}
END_TEST

/* Many NACKs are owed: they are blocked, and then a packet that comes later on its path passes. */
static struct result
lose_under_middleware(const struct weft_lb_ops *lb)
{
    static const char *const literal[] = {"compensation", "literal", NULL};
    begin_with(&scenes[1], lb, literal);
    for (uint32_t i = 0; i < weft_net_nqps(world.net); i++)
    {
        weft_net_drop(world.net, weft_net_qp(world.net, i), 20 + 7 * i, 2, false);
    }
    weft_net_run(world.net, LONG);
    const struct result r = conclude();
    end();
    return r;
}

START_TEST(middleware_need_not_say_what_it_owes)
{
    const struct weft_lb_ops *themis = weft_lb_find("themis");
    struct weft_tor_ops silent = *themis->tor;
    struct weft_lb_ops lb = *themis;
    silent.owes = NULL;
    lb.tor = &silent;
    const struct result told = lose_under_middleware(themis);
    const struct result untold = lose_under_middleware(&lb);
    ck_assert_uint_gt(told.total.made_by_tors, 0);
    ck_assert_mem_eq(&told, &untold, sizeof told);
}
END_TEST

static int
refusal(struct weft_refusal *why)
{
    const int code = weft_net_make(&world.net, &world.config, why);
    ck_assert_int_eq(code, why->code);
    ck_assert_uint_gt(strlen(why->text), 10);
    world.net = NULL;
    end();
    return code;
}

START_TEST(what_cannot_work_is_refused)
{
    struct weft_refusal why = {.code = 0};
    world.nblocks = 0;
    describe(&scenes[0]);
    world.config.nlevels = WEFT_LEVELS + 1;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    describe(&scenes[0]);
    world.level.tclass = 2;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    describe(&scenes[1]);
    world.config.frame.ack_priority = WEFT_ACK_IDEAL;
    ck_assert_int_eq(refusal(&why), WEFT_EINVAL);
    ck_assert_str_eq(why.param, "ack-priority");
    describe(&scenes[5]);
    world.level.transport = weft_transport_find("nic-sr");
    ck_assert_int_eq(refusal(&why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(why.text, "the transport nic-sr would take a trimmed packet"));
    describe(&scenes[1]);
    world.config.frame.ack_every = 20000;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    ck_assert_str_eq(why.param, "outstanding");
    describe(&scenes[5]);
    world.config.buffer.trim_at = 1000;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(why.text, "a switch has a trim-at of 1000 bytes"));
    describe(&scenes[0]);
    world.clos.nhosts++;
    ck_assert_int_eq(refusal(&why), WEFT_EINVAL);
    describe(&scenes[0]);
    world.config.frame.payload = 0;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    ck_assert_str_eq(why.param, "payload");
}
END_TEST

START_TEST(a_qp_needs_two_hosts_and_a_level)
{
    struct weft_qp *qp;
    begin(&scenes[0]);
    const struct weft_net_qp_site wrong[] = {{.src = 0, .dst = 0},
                                             {.src = HOSTS, .dst = 0},
                                             {.src = 0, .dst = HOSTS},
                                             {.dst = 1, .level = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
        ck_assert_int_eq(weft_net_add_qp(world.net, &wrong[i], &qp, NULL), WEFT_EINVAL);
    }
    end();
}
END_TEST

Suite *net_suite(void);

Suite *
net_suite(void)
{
    const int n = sizeof scenes / sizeof scenes[0];
    Suite *suite = suite_create("net");
    TCase *tcase = tcase_create("net");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, it_is_the_same_however_it_is_run, 0, n);
    tcase_add_test(tcase, what_a_hook_asks_of_another_host_comes_there_when_it_can);
    tcase_add_loop_test(tcase, it_is_the_same_where_nodes_are_watched, 0, n);
    tcase_add_loop_test(tcase, it_is_the_same_on_any_number_of_threads, 0, n);
    tcase_add_test(tcase, the_number_of_threads_is_said_once);
    tcase_add_test(tcase, packets_of_the_program_go_their_way);
    tcase_add_loop_test(tcase, no_frame_goes_without_a_word, 0, n);
    tcase_add_loop_test(tcase, it_takes_no_memory_once_under_way, 0, n);
    tcase_add_test(tcase, a_frame_alone_needs_the_time_of_its_way);
    tcase_add_test(tcase, a_dead_link_loses_what_is_on_it);
    tcase_add_loop_test(tcase, a_link_without_delay_is_not_faster_than_the_window_allows, 0, 2);
    tcase_add_test(tcase, a_line_is_shared_by_those_who_begin);
    tcase_add_loop_test(tcase, named_drops_are_sent_again, 0, 2);
    tcase_add_test(tcase, middleware_need_not_say_what_it_owes);
    tcase_add_test(tcase, what_cannot_work_is_refused);
    tcase_add_test(tcase, a_qp_needs_two_hosts_and_a_level);
    suite_add_tcase(suite, tcase);
    return suite;
}
