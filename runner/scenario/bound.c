/* SPDX-License-Identifier: GPL-2.0-only */
#include "bound.h"

#include "scenario.h"

static bool
all_cross(const struct scenario *s, const struct weft_message *messages, size_t n, uint32_t links)
{
    for (size_t i = 0; i < n; i++)
    {
        if (weft_clos_hops(&s->clos, messages[i].src, messages[i].dst) != links)
        {
            return false;
        }
    }
    return true;
}

int64_t
first_start(const struct weft_message *messages, size_t n)
{
    int64_t start = WEFT_NEVER;
    for (size_t i = 0; i < n; i++)
    {
        start =
            !starts_after(&messages[i]) && messages[i].start < start ? messages[i].start : start;
    }
    return start;
}

/** The links that all messages cross for a closed form to hold: as many as there can be. */
static uint32_t
most_links(const struct scenario *s)
{
    return weft_clos_hops(&s->clos, 0, s->clos.nhosts - 1);
}

/** From the first start; -1: no bound is known. */
static int64_t
crossing_bound(const struct scenario *s, const struct weft_job *job, bool whole)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_clos *c = &s->clos;
    if (!job->ops->bound || !weft_clos_even(c))
    {
        return -1;
    }
    const struct weft_hosts all = weft_clos_hosts(c), hosts = weft_job_hosts(job, &all);
    const struct weft_bound_case of = {
        .wire = {f->payload, f->header, f->gap, f->ack, c->host_rate, c->host_delay, most_links(s)},
        .pace = c->host_rate,
        .ideal_acks = f->ack_priority == WEFT_ACK_IDEAL,
        .partial = !whole,
    };
    return job->ops->bound(job->config, &hosts, &of);
}

int64_t
bound_of_job(const struct scenario *s, const struct weft_job *job,
             const struct weft_message *messages, size_t n, bool whole)
{
    const int64_t bound = crossing_bound(s, job, whole);
    if (bound < 0 || !all_cross(s, messages, n, most_links(s)))
    {
        return -1;
    }
    const int64_t start = first_start(messages, n);
    return bound > WEFT_NEVER - start ? WEFT_NEVER : start + bound;
}

struct weft_job
job_of_all(const struct scenario *s)
{
    return (struct weft_job){.ops = scenario_ops(s), .config = s->workload.config};
}

int64_t
bound_of(const struct scenario *s, const struct weft_message *messages, size_t n, bool whole)
{
    const struct weft_job all = job_of_all(s);
    return bound_of_job(s, &all, messages, n, whole);
}

int64_t
bound_if_all_cross(const struct scenario *s)
{
    const struct weft_job all = job_of_all(s);
    return crossing_bound(s, &all, true);
}
