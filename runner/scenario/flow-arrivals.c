/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about flows that start at random: loads that are not reached, windows that miss them. */
#include <string.h>

#include "input-file.h"
#include "scenario-load.h"

/** The flows of a <workload> that start at random. */
struct arrivals
{
    int line;
    uint32_t flows;
    double load;
    double start; /**< ps */
    double span;  /**< ps over which they start, on average */
    double alone; /**< ps that the largest one takes of its host's wire, at least */
    uint64_t largest;
};

static struct arrivals
arrivals_of(const struct scenario *s, size_t which)
{
    const struct workload *w = &s->workloads[which];
    const struct weft_job *job = &s->jobs.jobs[which];
    const struct weft_hosts all = weft_clos_hosts(&s->clos), hosts = weft_job_hosts(job, &all);
    const struct weft_param *load = weft_param_find(w->choice.algo, "load");
    const struct weft_table *sizes = &w->input->table;
    struct weft_traffic_size size;
    job->ops->size(job->config, &hosts, &size);
    struct arrivals a = {
        .line = w->line,
        .flows = size.nmessages,
        .load = *(const double *)((const char *)job->config + load->offset),
        .start = (double)choice_value(&w->choice, "start", 0),
        .span = weft_poisson_span(job->config, &hosts),
        .largest = sizes->sizes[sizes->nsizes - 1].bytes,
    };
    a.alone = (double)a.largest * 8e12 / (double)hosts.rate;
    return a;
}

/** While the largest flow is under way the fabric fills, and then it empties. */
static void
warn_of_span(const struct arrivals *a, struct diagnostics *d)
{
    if (a->span < a->alone)
    {
        diag_warning(d, a->line,
                     "%u flows start within %.4g us on average, and one of %llu bytes takes %.4g "
                     "us alone: the fabric does not come to load %.4g; expected some times as many "
                     "flows, and a warm-up and a window of <measure> "
                     "(docs/flow-completion-times.md)",
                     a->flows, a->span * 1e-6, (unsigned long long)a->largest, a->alone * 1e-6,
                     a->load);
    }
}

static void
warn_of_window(const struct arrivals *a, const struct level *l)
{
    const struct measurements *m = &l->s->measure;
    const double end = (double)m->warm_up + (double)m->window;
    if ((double)m->warm_up >= a->span)
    {
        diag_warning(l->d, level_line(l, "measure", "warm-up"),
                     "warm-up of <measure> ends after %.4g us, and flows start until %.4g us on "
                     "average: few or none are measured",
                     (double)m->warm_up * 1e-6, a->span * 1e-6);
    }
    else if (m->window < WEFT_NEVER && end > a->span * (1 + 1e-9))
    {
        diag_warning(l->d, level_line(l, "measure", "window"),
                     "the window of <measure> ends after %.4g us, and flows start until %.4g us on "
                     "average: the load falls before the window ends",
                     end * 1e-6, a->span * 1e-6);
    }
}

static void
warn_of_limit(const struct arrivals *a, const struct level *l)
{
    const double end = a->start + a->span;
    if (end > (double)l->s->stop)
    {
        diag_warning(l->d, a->line,
                     "flows start until %.4g us on average, and <limit> ends the run at %.4g us: "
                     "the later ones never start",
                     end * 1e-6, (double)l->s->stop * 1e-6);
    }
}

void
warn_of_arrivals(const struct level *l)
{
    const struct scenario *s = l->s;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        if (strcmp(s->workloads[i].choice.algo->name, "poisson") != 0)
        {
            continue;
        }
        const struct arrivals a = arrivals_of(s, i);
        if (a.load > 1)
        {
            diag_warning(l->d, a.line,
                         "load %.4g of <workload> is more than hosts can send: completion times "
                         "grow for as long as flows start",
                         a.load);
        }
        warn_of_limit(&a, l);
        /* Beside other workloads they are there for those, for as long as those take. */
        if (s->nworkloads == 1)
        {
            warn_of_span(&a, l->d);
            warn_of_window(&a, l);
        }
    }
}
