/* SPDX-License-Identifier: MIT */
#include "run-stage.h"

#include <check.h>
#include <pthread.h>
#include <string.h>

#include "net-parts.h"

struct stage stage;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *
stage_take(void *of, size_t bytes)
{
    (void)of;
    pthread_mutex_lock(&mutex);
    void *taken = parts_take(NULL, bytes);
    pthread_mutex_unlock(&mutex);
    return taken;
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct outcomes *heard = of;
    (void)qp;
    heard->delivered[tag]++;
    heard->delivered_at[tag] = now;
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct outcomes *heard = of;
    (void)qp;
    heard->acked[tag]++;
    heard->settled_at[tag] = now;
}

static void
failed(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct outcomes *heard = of;
    (void)qp;
    heard->failed[tag]++;
    heard->settled_at[tag] = now;
}

const void *
stage_choose(const char *kind, const char *line, const void **config)
{
    const struct weft_algo *algo = weft_choice_find(kind, line, &stage.why);
    ck_assert_msg(algo != NULL, "%s", stage.why.text);
    void *made = stage_take(NULL, algo->config_size + 8);
    ck_assert_msg(weft_choice_set(algo, line, made, &stage.why) == 0, "%s", stage.why.text);
    *config = made;
    return algo;
}

void
stage_add_level(const char *balancer)
{
    struct weft_net_level *level = &stage.level[stage.net.nlevels++];
    *level = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = 1};
    level->lb = stage_choose("balancer", balancer, &level->lb_config);
    level->transport = stage_choose("transport", "nic-sr rto=100us", &level->transport_config);
    level->cc = stage_choose("congestion-control", "none", &level->cc_config);
}

void
stage_describe(const char *topology, const char *balancer)
{
    const void *config;
    memset(&stage, 0, sizeof stage);
    stage.listener = (struct weft_listener){&stage.heard, delivered, acked, failed};
    const struct weft_topology_ops *shape = stage_choose("topology", topology, &config);
    ck_assert_int_eq(shape->build(config, &stage.clos), 0);
    stage.net = (struct weft_net_config){.clos = &stage.clos,
                                         .levels = stage.level,
                                         .scheduler = weft_scheduler_find("strict"),
                                         .seed = 3,
                                         .memory = {.take = stage_take}};
    stage_add_level(balancer);
    stage_choose("fabric", "roce retry-limit=3", &config);
    memcpy(&stage.net.frame, config, sizeof stage.net.frame);
    stage_choose("switch", "shared-buffer preset=100g", &config);
    memcpy(&stage.net.buffer, config, sizeof stage.net.buffer);
    stage.is.memory.take = stage_take;
}

void
stage_begin(void)
{
    stage.run = weft_run_make(&stage.is);
    ck_assert_ptr_nonnull(stage.run);
    ck_assert_msg(weft_run_build(stage.run, &stage.net, &stage.why) == 0, "%s", stage.why.text);
}

void
stage_run(void)
{
    char why[500];
    weft_run_until(stage.run, WEFT_NEVER);
    ck_assert_msg(weft_run_conserves(stage.run, why, sizeof why), "%s", why);
}

void
stage_end(void)
{
    weft_net_stop_threads(weft_run_net(stage.run));
    parts_free();
}

struct weft_connection *
stage_connect(uint32_t src, uint32_t dst, uint32_t level)
{
    struct weft_connection *c;
    ck_assert_int_eq(weft_run_connect(stage.run, src, dst, level, &stage.listener, &c, NULL), 0);
    return c;
}

/* Messages that are posted together. */
struct together
{
    const struct weft_post *posts;
    size_t n;
};

static void
post_now(void *of, uint64_t src, int64_t now)
{
    const struct together *together = of;
    weft_run_post(stage.run, (uint32_t)src, together->posts, together->n, now);
}

void
stage_post(const struct weft_post *posts, size_t n, int64_t at)
{
    struct together *together = stage_take(NULL, sizeof *together);
    *together = (struct together){posts, n};
    const uint32_t src = weft_connection_src(posts->connection);
    weft_net_call(weft_run_net(stage.run), src, at, WEFT_NET_CALL, 0, post_now, together, src);
}

struct weft_fib *
stage_fib(const struct weft_fib_case *of)
{
    const int64_t size = weft_fib_size_for(&stage.clos, of);
    ck_assert_int_gt(size, 0);
    struct weft_fib *fib = stage_take(NULL, (size_t)size);
    ck_assert_int_eq(weft_fib_build_for(fib, (size_t)size, &stage.clos, of), 0);
    return fib;
}

double
stage_share(const struct weft_flow *flows, uint32_t n, const struct weft_fib_case *of,
            enum weft_split split)
{
    const struct weft_fib *fib = of->ndead > 0 ? stage_fib(of) : NULL;
    const int64_t size = weft_rho_size(&stage.clos, n);
    const struct weft_rho_plane links = {fib, of->slow, of->nslow};
    struct weft_rho rho;
    ck_assert_int_eq(weft_rho_max(stage_take(NULL, (size_t)size), (size_t)size, &stage.clos, &links,
                                  flows, n, split, &rho),
                     0);
    return rho.share;
}

uint32_t
graph_add(struct graph *g, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct weft_traffic_size *size = &g->is.size;
    ck_assert_uint_lt(size->nmessages, MOST_MESSAGES);
    g->m[size->nmessages] =
        (struct weft_message){.src = src, .dst = dst, .bytes = bytes, .qp = size->nqps++};
    return size->nmessages++;
}

void
graph_wait(struct graph *g, uint32_t after, uint32_t before)
{
    ck_assert_uint_lt(g->nwaits, MOST_WAITS);
    g->before[g->nwaits] = before;
    g->after[g->nwaits++] = after;
    g->m[after].waits++;
}

void
graph_bar(struct graph *g, uint32_t message, uint32_t step)
{
    g->m[message].step = step;
    g->m[message].barrier = 1;
    g->m[message].waits++;
}

void
graph_close(struct graph *g)
{
    struct weft_traffic_size *size = &g->is.size;
    size->nnext = 0;
    for (uint32_t i = 0; i < size->nmessages; i++)
    {
        g->m[i].first_next = size->nnext;
        for (uint32_t k = 0; k < g->nwaits; k++)
        {
            if (g->before[k] == i)
            {
                g->next[size->nnext++] = g->after[k];
            }
        }
        g->m[i].nnext = size->nnext - g->m[i].first_next;
        size->ngroups = g->m[i].group >= size->ngroups ? g->m[i].group + 1 : size->ngroups;
        size->nsteps = g->m[i].step >= size->nsteps ? g->m[i].step + 1 : size->nsteps;
    }
    g->is.messages = g->m;
    g->is.next = g->next;
    g->is.times = g->t;
}

void
graph_start(struct graph *g)
{
    graph_close(g);
    ck_assert_msg(weft_run_collective(stage.run, &g->is, &g->started, &stage.why) == 0, "%s",
                  stage.why.text);
}

struct weft_collective_state
graph_state(const struct graph *g)
{
    struct weft_collective_state is;
    weft_collective_describe(g->started, &is);
    return is;
}
