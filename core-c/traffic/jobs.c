/* SPDX-License-Identifier: MIT */
/* Several workloads at once, each on its own hosts: their graphs side by side. */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <stdbool.h>

#include <weft/error.h>

static bool
has_hosts(const struct weft_job *job, uint32_t nhosts)
{
    for (uint32_t i = 0; job->hosts && i < job->nhosts; i++)
    {
        if (job->hosts[i] >= nhosts || (i > 0 && job->hosts[i] <= job->hosts[i - 1]))
        {
            return false;
        }
    }
    return true;
}

struct weft_hosts
weft_job_hosts(const struct weft_job *job, const struct weft_hosts *all)
{
    struct weft_hosts hosts = *all;
    if (job->hosts)
    {
        hosts.n = job->nhosts;
        hosts.at = job->hosts;
    }
    return hosts;
}

static int
job_size(const struct weft_job *job, const struct weft_hosts *all, struct weft_traffic_size *out)
{
    const struct weft_hosts hosts = weft_job_hosts(job, all);
    return has_hosts(job, all->n)
               ? job->ops->size(job->config, &hosts, out)
               : weft_refuse(all->why, WEFT_ERANGE, NULL,
                             "a job's hosts are not there; expected hosts of the fabric, in rising "
                             "order");
}

static int
jobs_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct weft_jobs *c = config;
    if (c->njobs == 0 || c->njobs > WEFT_MAX_JOBS)
    {
        return weft_refuse(hosts->why, WEFT_ERANGE, NULL,
                           "there are no jobs, or more than 1024; expected one or more");
    }
    int error = job_size(&c->jobs[0], hosts, out);
    for (uint32_t j = 1; !error && j < c->njobs; j++)
    {
        struct weft_traffic_size size;
        error = job_size(&c->jobs[j], hosts, &size);
        if (error || size.nmessages > WEFT_MAX_MESSAGES - out->nmessages ||
            size.nnext > UINT32_MAX - out->nnext)
        {
            return error ? error
                         : weft_refuse(hosts->why, WEFT_EOVERFLOW, NULL,
                                       weft_workload_excess(WEFT_EOVERFLOW));
        }
        out->nmessages += size.nmessages;
        out->nqps += size.nqps;
        out->nnext += size.nnext;
        out->ngroups += size.ngroups;
        out->nsteps = 1;
        out->bytes = 0;
    }
    return error;
}

/* Messages, successors, QPs and groups come behind those of the jobs before. */
static void
place_job(const struct weft_job *job, const struct weft_traffic_size *before,
          const struct weft_traffic_size *size, struct weft_message *messages, uint32_t *next)
{
    for (uint32_t i = 0; i < size->nmessages; i++)
    {
        struct weft_message *m = &messages[i];
        m->src = job->hosts ? job->hosts[m->src] : m->src;
        m->dst = job->hosts ? job->hosts[m->dst] : m->dst;
        m->sl = job->sl;
        m->qp += before->nqps;
        m->group += before->ngroups;
        m->first_next += before->nnext;
    }
    for (uint32_t i = 0; i < size->nnext; i++)
    {
        next[i] += before->nmessages;
    }
}

static int
jobs_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
          struct weft_message *messages, uint32_t *next)
{
    const struct weft_jobs *c = config;
    struct weft_traffic_size before = {0, 0, 0, 0, 0, 0}, size;
    int error = jobs_size(config, hosts, &size);
    for (uint32_t j = 0; !error && j < c->njobs; j++)
    {
        const struct weft_job *job = &c->jobs[j];
        const struct weft_hosts own = weft_job_hosts(job, hosts);
        error = job_size(job, hosts, &size);
        error = error ? error
                      : job->ops->fill(job->config, &own, seed, run | (uint64_t)j << WEFT_JOB_SHIFT,
                                       messages + before.nmessages, next + before.nnext);
        if (!error)
        {
            place_job(job, &before, &size, messages + before.nmessages, next + before.nnext);
            before.nmessages += size.nmessages;
            before.nqps += size.nqps;
            before.nnext += size.nnext;
            before.ngroups += size.ngroups;
        }
    }
    return error;
}

/* Bounds a single job by its own bound; several are not bounded together. */
static int64_t
jobs_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct weft_jobs *c = config;
    const struct weft_job *job = &c->jobs[0];
    const struct weft_hosts own = weft_job_hosts(job, hosts);
    return c->njobs == 1 && job->ops->bound ? job->ops->bound(job->config, &own, of) : -1;
}

const struct weft_workload_ops weft_workload_jobs = {
    {"jobs", "Several workloads, each on its own hosts.", "(ours)", NULL, 0, NULL, 0,
     sizeof(struct weft_jobs), NULL},
    jobs_size,
    jobs_fill,
    jobs_bound,
    WEFT_TABLE_NONE,
    NULL,
    NULL,
};
