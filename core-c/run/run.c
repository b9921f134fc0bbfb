/* SPDX-License-Identifier: MIT */
/* Builds the fabric of a run, with its planners. */
#include "parallel/net-threads.h"
#include "run/run-parts.h"

#include <string.h>

#include <weft/error.h>

static void
tell_end(void *of, struct weft_qp *qp, uint64_t tag, int64_t now, enum weft_message_end end)
{
    const struct weft_run *run = of;
    const struct weft_listener *listener =
        qp->index < run->nlisteners ? run->listener[qp->index] : NULL;
    if (!listener)
    {
        return;
    }
    void (*const tell[])(void *, struct weft_qp *, uint64_t,
                         int64_t) = {listener->delivered, listener->acked, listener->failed};
    if (tell[end])
    {
        tell[end](listener->of, qp, tag, now);
    }
}

static enum weft_split
split_of(const struct weft_net_level *level)
{
    /* The checked build's table is another one, of the same name. */
    const bool ideal = level->cc && strcmp(level->cc->algo.name, "ideal") == 0;
    return ideal ? (enum weft_split)((const struct weft_cc_ideal_config *)level->cc_config)->split
                 : WEFT_SPLIT_PATH;
}

int
weft_run_build(struct weft_run *run, const struct weft_net_config *config, struct weft_refusal *why)
{
    struct weft_net *net = NULL;
    const int code = weft_net_make(&net, config, why);
    if (code)
    {
        return code;
    }
    run->net = net;
    run->clos = config->clos;
    run->ack = config->frame.ack;
    run->seed = config->seed;
    run->number = config->run;
    run->nlevels = config->nlevels;
    run->has_ranks = config->ranks && config->ranks->n > 1;
    run->several = run->has_ranks;
    net->ended = tell_end;
    net->ended_of = run;
    for (uint32_t i = 0; i < run->nlevels; i++)
    {
        run->level[i].split = split_of(&config->levels[i]);
        run->level[i].share = config->levels[i].share;
    }
    weft_faults_begin(run, config->weights);
    if (run->has_ranks)
    {
        weft_news_begin(run);
    }
    return weft_planners_make(run, config, why);
}

bool
weft_run_is_alone(const struct weft_net_config *config)
{
    bool alone = false;
    for (uint32_t i = 0; i < config->nlevels; i++)
    {
        alone = alone || (config->levels[i].lb->plan && config->levels[i].lb->tor);
    }
    return alone;
}

int
weft_run_set_threads(struct weft_run *run, uint32_t n)
{
    const bool alone =
        weft_run_is_alone(&run->net->config) || weft_run_drops_any(run, 0, weft_net_nqps(run->net));
    const uint32_t threads = alone && n > 1 && n <= WEFT_NET_THREADS ? 1 : n;
    const int code = weft_net_set_threads(run->net, threads);
    run->several = run->several || (code == 0 && threads > 1);
    return code;
}
