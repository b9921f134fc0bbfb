/* SPDX-License-Identifier: MIT */
/*
 * Fabrics side by side, each on a thread of its own, with one shape and one set of configurations
 * between them: each has the results that it has alone. Then each of them on several threads, and
 * the results are the same. Under ThreadSanitizer it also shows that nothing else is shared, also
 * with a worker that begins late (linked with --wrap=pthread_create).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/weft.h>

#define FABRICS 5
#define BYTES   200000

static const char *const lines[FABRICS] = {"themis", "conga", "reps", "drill", "conweave"};
static struct weft_clos clos;
static struct weft_net_level levels[FABRICS];
static struct weft_net_config common;

/* Outcome of one fabric. */
struct outcome
{
    struct weft_net *net;
    uint32_t which;
    uint32_t threads;
    uint32_t delivered;
    int64_t last; /* delivery, if one thread runs it */
    struct weft_net_counters count;
};

/* Start of a worker. */
struct start
{
    void *(*work)(void *);
    void *of;
};

/* Other programs have kept the worker from a processor for some windows. */
static void *
begin_late(void *of)
{
    const struct start start = *(struct start *)of;
    free(of);
    usleep(20000);
    return start.work(start.of);
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
                      void *of)
{
    struct start *start = malloc(sizeof *start);
    *start = (struct start){work, of};
    return __real_pthread_create(thread, attr, begin_late, start);
}

static void *
take(void *of, size_t bytes)
{
    const size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    (void)of;
    return memory ? memset(memory, 0, size) : (abort(), NULL);
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct outcome *o = of;
    (void)qp;
    (void)tag;
    __atomic_fetch_add(&o->delivered, 1, __ATOMIC_RELAXED);
    if (o->threads == 1)
    {
        o->last = now > o->last ? now : o->last;
    }
}

static const void *
choose(const char *kind, const char *line, const void **config)
{
    struct weft_refusal why;
    const struct weft_algo *algo = weft_choice_find(kind, line, &why);
    void *made = algo ? calloc(1, algo->config_size + 8) : NULL;
    if (!algo || weft_choice_set(algo, line, made, &why))
    {
        fprintf(stderr, "threads: %s\n", why.text);
        exit(2);
    }
    *config = made;
    return algo;
}

/* Prepares what all fabrics have in common, before there are threads. */
static void
prepare(void)
{
    const void *config;
    const struct weft_topology_ops *kind =
        choose("topology", "leaf-spine leaves=8 spines=4 hosts-per-leaf=6", &config);
    if (kind->build(config, &clos))
    {
        exit(2);
    }
    for (uint32_t i = 0; i < FABRICS; i++)
    {
        levels[i] = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = 1};
        levels[i].lb = choose("balancer", lines[i], &levels[i].lb_config);
        levels[i].transport = choose("transport", "nic-sr", &levels[i].transport_config);
        levels[i].cc = choose("congestion-control", "dcqcn", &levels[i].cc_config);
    }
    common.clos = &clos;
    common.nlevels = 1;
    common.scheduler = weft_scheduler_find("strict");
    common.seed = 1;
    common.hooks.delivered = delivered;
    common.memory.take = take;
    weft_config_default(&weft_fabric_algo, &common.frame);
    weft_config_default(&weft_mmu_algo, &common.buffer);
}

static void *
run(void *of)
{
    struct outcome *o = of;
    struct weft_net_config config = common;
    struct weft_refusal why = {.text = ""};
    config.levels = &levels[o->which];
    config.hooks.of = o;
    if (weft_net_make(&o->net, &config, &why))
    {
        fprintf(stderr, "threads: %s\n", why.text);
        exit(2);
    }
    if (weft_net_set_threads(o->net, o->threads))
    {
        exit(2);
    }
    for (uint32_t i = 0; i < clos.nhosts; i++)
    {
        const struct weft_net_qp_site site = {
            .src = i, .dst = (i + clos.nhosts / 2) % clos.nhosts, .stream = i};
        struct weft_qp *qp;
        if (weft_net_add_qp(o->net, &site, &qp, &why))
        {
            exit(2);
        }
        weft_net_post(o->net, qp, BYTES, i, 0, i);
    }
    weft_net_run(o->net, 1000000000);
    weft_net_total(o->net, &o->count);
    weft_net_stop_threads(o->net);
    return NULL;
}

static bool
is_same(const struct outcome *a, const struct outcome *b)
{
    return a->delivered == clos.nhosts && b->delivered == clos.nhosts &&
           weft_net_last(a->net) == weft_net_last(b->net) &&
           memcmp(&a->count, &b->count, sizeof a->count) == 0;
}

int
main(void)
{
    static struct outcome alone[FABRICS], together[FABRICS], spread[FABRICS];
    pthread_t threads[FABRICS];
    prepare();
    for (uint32_t i = 0; i < FABRICS; i++)
    {
        together[i] = (struct outcome){.which = i, .threads = 1};
        if (pthread_create(&threads[i], NULL, run, &together[i]))
        {
            return 2;
        }
    }
    int wrong = 0;
    for (uint32_t i = 0; i < FABRICS; i++)
    {
        alone[i] = (struct outcome){.which = i, .threads = 1};
        spread[i] = (struct outcome){.which = i, .threads = 3};
        (void)pthread_join(threads[i], NULL);
        (void)run(&alone[i]);
        (void)run(&spread[i]);
        const bool same = is_same(&alone[i], &together[i]) && alone[i].last == together[i].last;
        const bool spreads = is_same(&alone[i], &spread[i]);
        printf("%s: %u messages after %.3f us, %s; on three threads %s\n", lines[i],
               (unsigned)together[i].delivered, (double)together[i].last / 1e6,
               same ? "as alone" : "not as alone", spreads ? "the same" : "not the same");
        wrong += !same || !spreads;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
