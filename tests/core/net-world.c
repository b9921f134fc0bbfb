/* SPDX-License-Identifier: MIT */
#include "net-world.h"

#include <check.h>
#include <string.h>

#include "net-parts.h"

const struct scene scenes[NSCENES] = {
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
    {"reps", "trim", "nscc", {"preset", "trim-400g", "trim-at", "60KB"}, 150000, 2},
    {"ecmp", "gbn", "hpcc", {"preset", "100g"}, 150000, 3},
    {"ar", "sack", "hpcc", {"preset", "100g", "pfc", "off", "buffer", "200KB"}, 100000, 2},
    {"ops", "trim", "rccc", {"preset", "trim-400g", "trim-at", "60KB"}, 150000, 2},
};

struct net_world world = {.mutex = PTHREAD_MUTEX_INITIALIZER};

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

void
world_describe(const struct scene *scene)
{
    const struct weft_topology_ops *kind = weft_topology_find("fat-tree");
    void *shape = parts_defaults(&kind->algo);
    static const char *const literal[] = {"compensation", "literal", NULL}; /* ToRs make NACKs */
    static const char *const hasty[] = {"rto", "100us", NULL};
    static const char *const none[] = {NULL};
    static const char *const small[] = {"k", "4", "link-rate", "100Gbps", NULL};
    memset(&world.config, 0, sizeof world.config);
    parts_set_all(&kind->algo, shape, small);
    ck_assert_int_eq(kind->build(shape, &world.clos), 0);
    world.clos.host_delay = world.host_delay ? world.host_delay : world.clos.host_delay;
    world.level = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = 1};
    world.level.lb = weft_lb_find(scene->balancer);
    void *balancer = parts_defaults(&world.level.lb->algo);
    parts_set_all(&world.level.lb->algo, balancer, scene->loss > 0 ? literal : none);
    world.level.lb_config = balancer;
    world.level.transport = weft_transport_find(scene->transport);
    void *transport = parts_defaults(&world.level.transport->algo);
    parts_set_all(&world.level.transport->algo, transport, scene->loss > 0 ? hasty : none);
    world.level.transport_config = transport;
    world.level.cc = weft_cc_find(scene->cc);
    world.level.cc_config = parts_defaults(&world.level.cc->algo);
    world.config.clos = &world.clos;
    world.config.levels = &world.level;
    world.config.nlevels = 1;
    world.config.scheduler = weft_scheduler_find("strict");
    world.config.seed = 7;
    world.config.memory.take = parts_take;
    weft_config_default(&weft_fabric_algo, &world.config.frame);
    parts_set_all(&weft_fabric_algo, &world.config.frame, world.frames ? world.frames : none);
    weft_config_default(&weft_mmu_algo, &world.config.buffer);
    parts_set_all(&weft_mmu_algo, &world.config.buffer, scene->buffer);
    world.config.hooks =
        (struct weft_net_hooks){.delivered = delivered, .sent = sent, .received = received};
}

void
world_post(uint32_t src, uint32_t dst, uint64_t bytes, int64_t at)
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

void
world_begin_with(const struct scene *scene, const struct weft_lb_ops *lb,
                 const char *const *settings)
{
    world.heard = 0;
    world.messages = 0;
    world.delivered = 0;
    world.raw = 0;
    world.last = 0;
    world_describe(scene);
    if (lb)
    {
        world.level.lb = lb;
        void *config = parts_defaults(&lb->algo);
        parts_set_all(&lb->algo, config, settings);
        world.level.lb_config = config;
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
            world_post(i, dst, scene->bytes, i % 3 ? 0 : INT64_C(5000000));
        }
        post_more(i, scene->more);
    }
    weft_net_lose(world.net, scene->loss);
}

void
world_begin(const struct scene *scene)
{
    world_begin_with(scene, NULL, NULL);
}

void
world_end(void)
{
    if (world.net)
    {
        weft_net_stop_threads(world.net);
    }
    parts_free();
}

struct result
world_conclude(void)
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
void
world_run_watched(int64_t until)
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
