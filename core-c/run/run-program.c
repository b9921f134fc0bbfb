/* SPDX-License-Identifier: MIT */
/* A run, and what it has of its program: memory, calls at hosts, an end. */
#include "parallel/net-threads.h"
#include "run/run-parts.h"

#include <stdlib.h>

struct weft_run *
weft_run_make(const struct weft_run_config *config)
{
    if (!config->memory.take)
    {
        return NULL;
    }
    struct weft_run *run = weft_take(&config->memory, sizeof *run);
    run->memory = config->memory;
    run->scratch = config->scratch;
    run->host = config->host;
    run->faults.delay = config->convergence;
    run->faults.recovery = -1;
    pthread_mutex_init(&run->mutex, NULL);
    return run;
}

struct weft_net *
weft_run_net(const struct weft_run *run)
{
    return run->net;
}

const struct weft_memory *
weft_run_memory(const struct weft_run *run)
{
    struct weft_worker *here = weft_worker_here(run->net);
    return here->running ? &here->memory : &run->memory;
}

void
weft_run_breaks(const struct weft_run *run, const char *why)
{
    if (run->host.broken)
    {
        run->host.broken(run->host.of, why);
    }
    abort();
}

void *
weft_scratch_take(const struct weft_run *run, size_t bytes)
{
    return run->scratch.take ? run->scratch.take(run->scratch.of, bytes)
                             : weft_take(weft_run_memory(run), bytes);
}

void
weft_scratch_give(const struct weft_run *run, void *memory)
{
    if (run->scratch.take)
    {
        run->scratch.give(run->scratch.of, memory);
    }
}

void
weft_run_call(struct weft_run *run, uint32_t host, int64_t at, enum weft_net_step step,
              uint64_t number, void (*call)(void *of, uint64_t what, int64_t now), void *of,
              uint64_t what)
{
    if (run->host.call)
    {
        run->host.call(run->host.of, host, at, step, number, call, of, what);
        return;
    }
    weft_net_call(run->net, host, at, step, number, call, of, what);
}

void
weft_run_post_now(struct weft_run *run, struct weft_qp *qp, uint64_t bytes, uint64_t tag,
                  int64_t now)
{
    if (run->host.posts)
    {
        run->host.posts(run->host.of, qp, bytes);
    }
    weft_net_post(run->net, qp, bytes, tag, now, 0);
}
