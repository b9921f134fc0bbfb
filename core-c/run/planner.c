/* SPDX-License-Identifier: MIT */
/* Planners of a run's balancers: what they keep at hosts, and how many QPs they want. */
#include "run/run-parts.h"

#include <stdio.h>

#include <weft/error.h>
#include <weft/levels.h>

static int
make_planner(struct weft_run *run, const struct weft_net_config *config, uint32_t number,
             struct weft_refusal *why)
{
    const struct weft_net_level *of = &config->levels[number];
    struct weft_run_level *level = &run->level[number];
    struct weft_plan_site site = {.seed = weft_level_seed(config->seed, number),
                                  .run = config->run,
                                  .payload = config->frame.payload,
                                  .clos = config->clos};
    level->plan = of->lb->plan;
    level->config = of->lb_config;
    if (!level->plan)
    {
        return 0;
    }
    level->words = (level->plan->host_size(of->lb_config, &site) + 7) / 8;
    level->hosts = weft_take(&run->memory, 8 * level->words * config->clos->nhosts);
    level->room = (struct weft_plan_room **)weft_take(&run->memory,
                                                      sizeof *level->room * config->clos->nhosts);
    for (uint32_t host = 0; host < config->clos->nhosts; host++)
    {
        site.host = host;
        site.path = weft_path_host(weft_net_algos(run->net, number), host);
        struct weft_refusal own = {.text = ""};
        site.why = &own;
        const int code =
            level->plan->host_init(level->hosts + level->words * host, of->lb_config, &site);
        if (code)
        {
            char text[WEFT_REFUSAL_BYTES];
            snprintf(text, sizeof text, "%s at host %u: %.160s", of->lb->algo.name, (unsigned)host,
                     weft_refusal_text(code, &own));
            return weft_refuse(why, code, own.param, text);
        }
    }
    return 0;
}

int
weft_planners_make(struct weft_run *run, const struct weft_net_config *config,
                   struct weft_refusal *why)
{
    int code = 0;
    run->later =
        (struct weft_later **)weft_take(&run->memory, config->clos->nhosts * sizeof *run->later);
    for (uint32_t i = 0; !code && i < config->nlevels; i++)
    {
        code = make_planner(run, config, i, why);
    }
    return code;
}

uint32_t
weft_planner_qps(const struct weft_run_level *level)
{
    return level->plan ? level->plan->qps(level->config) : 1;
}

uint32_t
weft_planner_most(const struct weft_run_level *level, uint32_t src, uint32_t dst)
{
    return level->plan && level->plan->most_qps
               ? level->plan->most_qps(level->hosts + level->words * src, dst)
               : weft_planner_qps(level);
}

size_t
weft_run_planner_bytes(const struct weft_run *run, uint32_t level)
{
    return run->level[level].words * sizeof(uint64_t);
}
