/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs without a simulator: the core's fabric and its own clock. */
#include "run-host.h"

#include <stdlib.h>

#include <weft/weft.h>

#include "textbuf.h"

#define REMEMBERED_LABELS 4096 /* of packets that may be lost, by QP */

static struct
{
    struct weft_run *run;
    struct weft_blocks memory, net, frames; /* of the run, its fabric, its packets */
    struct weft_net_level level[WEFT_LEVELS];
    int64_t now;
} plain;

static void
none(void)
{
    on_out_of_memory();
}

static void *
take_for_a_while(void *of, size_t bytes)
{
    (void)of;
    return xrealloc(NULL, bytes, 1);
}

static void
give(void *of, void *memory)
{
    (void)of;
    free(memory);
}

static struct weft_net_level
describe_level(const struct choice *balancer, const struct choice *transport,
               const struct choice *cc, int64_t queue)
{
    return (struct weft_net_level){
        .lb = (const struct weft_lb_ops *)(const void *)balancer->algo,
        .lb_config = balancer->config,
        .transport = (const struct weft_transport_ops *)(const void *)transport->algo,
        .transport_config = transport->config,
        .cc = (const struct weft_cc_ops *)(const void *)cc->algo,
        .cc_config = cc->config,
        .share = 1,
        .labels = REMEMBERED_LABELS,
        .tclass = (uint8_t)queue};
}

static void
end(void)
{
    if (plain.run && weft_run_net(plain.run))
    {
        weft_net_stop_threads(weft_run_net(plain.run));
    }
    plain.run = NULL;
    plain.now = 0;
    weft_blocks_clear(&plain.frames);
    weft_blocks_clear(&plain.net);
    weft_blocks_clear(&plain.memory);
}

static struct weft_run *
build(const struct scenario *s, unsigned threads, const struct weft_ranks *ranks, char **why)
{
    plain.memory.none = plain.net.none = plain.frames.none = none;
    plain.level[0] = describe_level(&s->balancer, &s->transport, &s->cc, 1);
    for (size_t i = 0; i < s->nclasses; i++)
    {
        const struct qp_class *c = &s->classes[i];
        plain.level[i + 1] = describe_level(&c->balancer, &c->transport, &c->cc, c->queue);
    }
    struct weft_net_config config = {
        .clos = &s->clos,
        .frame = *(const struct weft_fabric_config *)s->fabric.config,
        .buffer = *(const struct weft_mmu_config *)s->switches.config,
        .scheduler = (const struct weft_scheduler_ops *)(const void *)s->scheduler.algo,
        .scheduler_config = s->scheduler.config,
        .weights = (enum weft_weights)s->weights,
        .levels = plain.level,
        .nlevels = (uint32_t)s->nclasses + 1,
        .seed = s->seed,
        .run = s->run,
        .memory = {weft_blocks_take, &plain.net},
        .frames = {weft_blocks_take, &plain.frames}};
    config.ranks = weft_run_is_alone(&config) ? NULL : ranks;
    plain.run =
        weft_run_make(&(struct weft_run_config){.memory = {weft_blocks_take, &plain.memory},
                                                .scratch = {.take = take_for_a_while, .give = give},
                                                .convergence = s->convergence});
    struct weft_refusal refusal = {.text = ""};
    const int code = weft_run_build(plain.run, &config, &refusal);
    if (code)
    {
        *why = xstrdup(weft_refusal_text(code, &refusal));
        end();
        return NULL;
    }
    weft_run_set_threads(plain.run, threads);
    return plain.run;
}

static int64_t
now(void)
{
    return weft_run_now(plain.run);
}

static uint64_t
at(int64_t time, void (*call)(void *of), void *of)
{
    return weft_run_at(plain.run, time, call, of);
}

static void
at_from_hook(int64_t time, void (*call)(void *of), void *of)
{
    weft_run_at(plain.run, time, call, of);
}

static void
remove_call(uint64_t number)
{
    weft_run_remove(plain.run, number);
}

static void
go(void)
{
    weft_run_until(plain.run, WEFT_NEVER);
}

static void
stop(void)
{
    weft_run_stop(plain.run);
}

static void
settle(void)
{
}

static void
forget_faults(void)
{
    weft_run_forget_faults(plain.run);
}

static void
release_packets(void)
{
    if (weft_net_is_over(weft_run_net(plain.run)))
    {
        weft_blocks_clear(&plain.frames);
    }
}

static void
without_memory(void (*handler)(void))
{
    (void)handler; /* its blocks call on_out_of_memory() */
}

static uint64_t
events(void)
{
    return 0;
}

const struct run_host plain_host = {.name = "plain",
                                    .version = "none",
                                    .build = build,
                                    .now = now,
                                    .at = at,
                                    .at_from_hook = at_from_hook,
                                    .remove = remove_call,
                                    .go = go,
                                    .stop = stop,
                                    .settle = settle,
                                    .forget_faults = forget_faults,
                                    .release_packets = release_packets,
                                    .events = events,
                                    .without_memory = without_memory,
                                    .end = end};
