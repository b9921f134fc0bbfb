/* SPDX-License-Identifier: MIT */
/* Programs among the messages of a workload, and what is told of them afterwards. */
#include "run/play.h"

#include "traffic/groups.h"
#include "traffic/trace.h"

#include <stdio.h>
#include <string.h>

/* --- which there are -------------------------------------------------------------------------- */

/* Workload whose programs are looked for. */
struct search
{
    struct weft_run *run;
    struct weft_collective_config *out;
    struct weft_hosts all;
};

static uint32_t
count_programs(const struct weft_workload_ops *ops, const void *config)
{
    const struct weft_jobs *jobs = config;
    uint32_t n = 0;
    if (ops != &weft_workload_jobs)
    {
        return ops->table == WEFT_TABLE_PROGRAM;
    }
    for (uint32_t j = 0; j < jobs->njobs; j++)
    {
        n += jobs->jobs[j].ops->table == WEFT_TABLE_PROGRAM;
    }
    return n;
}

/* Returns the program, or, where another job runs it already, one with rows of its own for all that
 * changes. */
static struct weft_program *
own_program(const struct search *s, struct weft_program *program)
{
    bool used = false;
    for (uint32_t i = 0; i < s->out->nprograms; i++)
    {
        used = used || s->out->programs[i].program == program;
    }
    if (!used)
    {
        return program;
    }
    const struct weft_memory *memory = &s->run->memory;
    struct weft_program *own = weft_take(memory, sizeof *own);
    const size_t ops = (program->nops + (size_t)1) * sizeof *own->ops;
    const size_t match = program->nmatches * sizeof *own->match;
    *own = *program;
    own->ops = weft_take(memory, ops);
    own->match = weft_take(memory, match + 1);
    memcpy(own->ops, program->ops, ops);
    memcpy(own->match, program->match, match);
    return own;
}

/* Adds the program of a job, whose messages are @p first and those behind it. */
static void
add_program(const struct search *s, const struct weft_job *job, uint32_t j, uint32_t first,
            uint32_t n)
{
    struct weft_run *run = s->run;
    const struct weft_trace trace = weft_trace_of(job->config);
    const struct weft_hosts hosts = weft_job_hosts(job, &s->all);
    uint32_t *host = weft_take(&run->memory, hosts.n * sizeof *host);
    weft_trace_place(job->config, &hosts, run->seed, run->number | (uint64_t)j << WEFT_JOB_SHIFT,
                     host);
    for (uint32_t r = 0; r < trace.program->nranks; r++)
    {
        host[r] = job->hosts ? job->hosts[host[r]] : host[r];
    }
    for (uint32_t i = first; i < first + n; i++)
    {
        s->out->messages[i].waits = 1;
    }
    s->out->programs[s->out->nprograms++] =
        (struct weft_played){.program = own_program(s, trace.program),
                             .host = host,
                             .first = first,
                             .n = n,
                             .start = trace.start,
                             .compute_scale = trace.compute_scale,
                             .eager = trace.eager};
}

void
weft_run_find_programs(struct weft_run *run, const struct weft_workload_ops *ops,
                       const void *config, struct weft_collective_config *out)
{
    const struct search s = {run, out, weft_clos_hosts(run->clos)};
    const bool many = ops == &weft_workload_jobs;
    const struct weft_jobs *jobs = config;
    const struct weft_job one = {.ops = ops, .config = config};
    const uint32_t n = count_programs(ops, config);
    uint32_t first = 0;
    out->programs = n > 0 ? weft_take(&run->memory, n * sizeof *out->programs) : NULL;
    out->nprograms = 0;
    for (uint32_t j = 0; n > 0 && j < (many ? jobs->njobs : 1); j++)
    {
        const struct weft_job *job = many ? &jobs->jobs[j] : &one;
        const struct weft_hosts hosts = weft_job_hosts(job, &s.all);
        struct weft_traffic_size size = {.nmessages = 0};
        job->ops->size(job->config, &hosts, &size);
        if (job->ops->table == WEFT_TABLE_PROGRAM)
        {
            add_program(&s, job, j, first, size.nmessages);
        }
        first += size.nmessages;
    }
}

/* --- afterwards ------------------------------------------------------------------------------- */

/* Returns why an operation has not ended, if not for another one of its rank. */
static const char *
what_is_missing(const struct weft_op *op)
{
    switch (op->state)
    {
    case WEFT_OP_ASKS:
        return "its receiver has not answered";
    case WEFT_OP_FAILED:
        return "its sender has given it up";
    case WEFT_OP_QUEUED:
        return "its turn on its stream has not come";
    case WEFT_OP_BEGUN:
        return op->kind == WEFT_OP_RECV   ? "its data have not come"
               : op->kind == WEFT_OP_SEND ? "it is not acknowledged"
                                          : "it computes";
    default:
        return NULL;
    }
}

#define NAMED 3U

size_t
weft_collective_blocked(const struct weft_collective *c, char *text, size_t size)
{
    size_t n = 0, used = 0;
    uint32_t named = 0;
    *text = '\0';
    for (uint32_t k = 0; k < c->is.nprograms; k++)
    {
        const struct weft_program *program = c->is.programs[k].program;
        for (uint32_t i = 0; i < program->nops; i++)
        {
            const struct weft_op *op = &program->ops[i];
            const char *missing = what_is_missing(op);
            n += op->state != WEFT_OP_ENDED;
            if (!missing || named == NAMED)
            {
                continue;
            }
            char one[120];
            weft_program_describe(program, i, one, sizeof one);
            used = strlen(text);
            snprintf(text + used, size - used, "%s%s: %s", named++ > 0 ? "; " : "", one, missing);
        }
    }
    return n;
}

#define PIECE 65536U /* operations whose times are gathered together */

static void
gather_piece(struct weft_net *net, struct weft_play *play, uint32_t from, uint32_t n,
             uint64_t *times)
{
    struct weft_op *ops = play->program->ops;
    uint32_t rank = weft_program_rank(play->program, from);
    for (uint32_t i = 0; i < n; i++)
    {
        while (from + i >= play->program->rank[rank + 1])
        {
            rank++;
        }
        const bool here = weft_net_is_here(net, play->is->host[rank]);
        times[2 * i] = here ? (uint64_t)ops[from + i].begun : 0;
        times[2 * i + 1] = here ? (uint64_t)ops[from + i].ended : 0;
    }
    weft_net_sum(net, times, 2 * (size_t)n);
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_op *op = &ops[from + i];
        op->begun = (int64_t)times[2 * i];
        op->ended = (int64_t)times[2 * i + 1];
        op->state = op->ended >= 0   ? WEFT_OP_ENDED
                    : op->begun >= 0 ? (op->state == WEFT_OP_WAITS ? WEFT_OP_BEGUN : op->state)
                                     : op->state;
    }
}

void
weft_plays_gather(struct weft_collective *c)
{
    if (!c->run->has_ranks || c->is.nprograms == 0)
    {
        return;
    }
    uint64_t *times = weft_scratch_take(c->run, 2 * PIECE * sizeof *times);
    for (uint32_t k = 0; k < c->is.nprograms; k++)
    {
        const uint32_t nops = c->play[k].program->nops;
        for (uint32_t from = 0; from < nops; from += PIECE)
        {
            gather_piece(c->run->net, &c->play[k], from, nops - from < PIECE ? nops - from : PIECE,
                         times);
        }
    }
    weft_scratch_give(c->run, times);
}
