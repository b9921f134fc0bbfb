/* SPDX-License-Identifier: MIT */
/* Share of line rate at which hosts may send, by each service level's split. */
#include "run/link-faults.h"

#include <weft/theory.h>

/* Links of a plane that are not as planned for good; @p links: its scratch memory. */
static int
describe_plane(struct weft_run *run, uint32_t plane, struct weft_rho_plane *is, void **links)
{
    struct weft_plane_routes *p = weft_plane_routes(run, plane);
    const uint32_t room = !p->turn; /* the other one may be in use */
    struct weft_fib_case of = {.weights = WEFT_WEIGHTS_NONE};
    *links = weft_plane_links(run, &run->faults.lasting, plane, &of);
    const struct weft_fib_case dead = {.dead = of.dead, .ndead = of.ndead};
    const int code = of.ndead ? weft_plane_fib(run, p, &dead, room) : 0;
    *is = (struct weft_rho_plane){of.ndead ? p->fib[room] : NULL, of.slow, of.nslow};
    return code;
}

static int
compute_share(struct weft_run *run, const struct weft_flow *flows, size_t n, enum weft_split split,
              double *share)
{
    struct weft_rho_plane planes[WEFT_MAX_PLANES];
    void *links[WEFT_MAX_PLANES];
    const uint32_t most = run->clos->planes;
    const int64_t size = weft_rho_size(run->clos, n);
    int code = size < 0 ? (int)size : 0;
    uint32_t described = 0;
    for (; described < most && !code; described++)
    {
        code = describe_plane(run, described, &planes[described], &links[described]);
    }
    if (!code)
    {
        struct weft_rho rho = {.share = 1};
        void *memory = weft_scratch_take(run, (size_t)size + 8);
        code = weft_rho_max(memory, (size_t)size, run->clos, planes, flows, n, split, &rho);
        weft_scratch_give(run, memory);
        *share = rho.share;
    }
    while (described > 0)
    {
        weft_scratch_give(run, links[--described]);
    }
    return code;
}

int
weft_run_set_flows(struct weft_run *run, const struct weft_flow *flows, size_t n)
{
    int code = 0;
    for (uint32_t i = 0; !code && i < run->nlevels; i++)
    {
        struct weft_run_level *level = &run->level[i];
        const bool as_first = i > 0 && level->split == run->level[0].split;
        level->share = run->level[0].share;
        code = as_first ? 0 : compute_share(run, flows, n, level->split, &level->share);
        weft_net_set_share(run->net, i, level->share);
    }
    return code;
}

double
weft_run_share(const struct weft_run *run, uint32_t level)
{
    return run->level[level].share;
}
