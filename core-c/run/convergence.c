/* SPDX-License-Identifier: MIT */
/* Forwarding of a run: it learns of links' changes a convergence delay later. */
#include "run/link-faults.h"

#include <string.h>

#include <weft/error.h>

/* Returns how many of @p n elements of @p each bytes, which begin with a link's number, come before
 * a link. */
static uint32_t
place_of(const void *row, uint32_t n, size_t each, uint64_t link)
{
    uint32_t low = 0, high = n;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        uint64_t at;
        memcpy(&at, (const char *)row + middle * each, sizeof at);
        low = at < link ? middle + 1 : low;
        high = at < link ? high : middle;
    }
    return low;
}

void
weft_links_set_down(const struct weft_run *run, struct weft_link_states *links, uint64_t link,
                    bool down)
{
    const uint32_t i = place_of(links->dead, links->ndead, sizeof link, link);
    const bool there = i < links->ndead && links->dead[i] == link;
    if (down && !there)
    {
        links->dead =
            weft_grow(&run->memory, links->dead, links->ndead, &links->dead_room, sizeof link);
        memmove(&links->dead[i + 1], &links->dead[i], (links->ndead++ - i) * sizeof link);
        links->dead[i] = link;
    }
    else if (!down && there)
    {
        memmove(&links->dead[i], &links->dead[i + 1], (--links->ndead - i) * sizeof link);
    }
}

void
weft_links_set_rate(const struct weft_run *run, struct weft_link_states *links, uint64_t link,
                    int64_t rate)
{
    const size_t each = sizeof *links->slow;
    const uint32_t i = place_of(links->slow, links->nslow, each, link);
    const bool there = i < links->nslow && links->slow[i].link == link;
    if (rate > 0 && !there)
    {
        links->slow = weft_grow(&run->memory, links->slow, links->nslow, &links->slow_room, each);
        memmove(&links->slow[i + 1], &links->slow[i], (links->nslow++ - i) * each);
    }
    if (rate > 0)
    {
        links->slow[i] = (struct weft_slow_link){link, rate};
    }
    else if (there)
    {
        memmove(&links->slow[i], &links->slow[i + 1], (--links->nslow - i) * each);
    }
}

void
weft_faults_log(struct weft_run *run, struct weft_link_event event)
{
    struct weft_faults *faults = &run->faults;
    faults->event =
        weft_grow(&run->memory, faults->event, faults->nevents, &faults->event_room, sizeof event);
    faults->event[faults->nevents++] = event;
}

/* Forwarding learns of all changes before number @p end. */
static void
learn(struct weft_run *run, uint64_t end)
{
    struct weft_faults *faults = &run->faults;
    if (end <= faults->first)
    {
        return;
    }
    const uint32_t n = (uint32_t)(end - faults->first);
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_link_event e = faults->event[i];
        if (e.rate == 0)
        {
            weft_links_set_down(run, &faults->known, e.link, e.down);
            continue;
        }
        struct weft_link of;
        weft_planes_link(run->clos, e.link, &of);
        weft_links_set_rate(run, &faults->known, e.link, e.rate < of.rate ? e.rate : 0);
    }
    faults->nevents -= n;
    memmove(faults->event, faults->event + n, faults->nevents * sizeof *faults->event);
    faults->first = end;
}

/* Returns a plane's links of those that @p links names, by the plane's own numbers, in scratch
 * memory that weft_scratch_give() takes back: it begins with the dead ones. */
static void *
links_of(const struct weft_run *run, const struct weft_link_states *links, uint32_t plane,
         struct weft_fib_case *of)
{
    const uint64_t first = plane * run->clos->nlinks, end = first + run->clos->nlinks;
    const uint32_t d = place_of(links->dead, links->ndead, sizeof *links->dead, first);
    const uint32_t s = place_of(links->slow, links->nslow, sizeof *links->slow, first);
    of->ndead = place_of(links->dead, links->ndead, sizeof *links->dead, end) - d;
    of->nslow = place_of(links->slow, links->nslow, sizeof *links->slow, end) - s;
    uint64_t *dead =
        weft_scratch_take(run, of->ndead * sizeof *dead + of->nslow * sizeof *of->slow + 8);
    struct weft_slow_link *slow = (struct weft_slow_link *)(void *)(dead + of->ndead);
    for (size_t i = 0; i < of->ndead; i++)
    {
        dead[i] = links->dead[d + i] - first;
    }
    for (size_t i = 0; i < of->nslow; i++)
    {
        slow[i] = links->slow[s + i];
        slow[i].link -= first;
    }
    of->dead = dead;
    of->slow = slow;
    return dead;
}

/* Rooms for forwarding, one row for each plane. */
static struct weft_plane_routes *
routes_of(struct weft_run *run, uint32_t plane)
{
    struct weft_faults *faults = &run->faults;
    if (!faults->plane)
    {
        faults->plane = weft_take(&run->memory, run->clos->planes * sizeof *faults->plane);
        for (uint32_t i = 0; i < run->clos->planes; i++)
        {
            faults->plane[i].whole = true;
        }
    }
    return &faults->plane[plane];
}

/* Computes forwarding of a plane in one of its two rooms. */
static int
make_fib(struct weft_run *run, struct weft_plane_routes *plane, const struct weft_fib_case *of,
         uint32_t room)
{
    const int64_t size = weft_fib_size_for(run->clos, of);
    if (size < 0)
    {
        return (int)size;
    }
    if ((size_t)size > plane->room[room])
    {
        plane->room[room] = 2 * (size_t)size;
        plane->fib[room] = weft_take(&run->memory, plane->room[room]);
    }
    return weft_fib_build_for(plane->fib[room], (size_t)size, run->clos, of);
}

/* Returns whether all links of the plane are as planned, as far as forwarding is concerned. */
static bool
set_plane_routes(struct weft_run *run, uint32_t plane)
{
    struct weft_faults *faults = &run->faults;
    struct weft_plane_routes *p = routes_of(run, plane);
    struct weft_fib_case of = {.weights = faults->weights};
    void *links = links_of(run, &faults->known, plane, &of);
    p->whole = of.ndead == 0 && (of.nslow == 0 || faults->weights != WEFT_WEIGHTS_CAPACITY);
    p->routes = NULL;
    if (!p->whole || run->clos->graph)
    {
        p->turn = !p->turn;
        const int code = make_fib(run, p, &of, p->turn);
        if (code)
        {
            weft_run_breaks(run, weft_strerror(code));
        }
        p->routes = p->fib[p->turn];
    }
    weft_scratch_give(run, links);
    weft_net_set_routes(run->net, plane, p->routes, p->whole);
    return p->whole;
}

static void
set_routes(struct weft_run *run)
{
    bool whole = true;
    for (uint32_t plane = 0; plane < run->clos->planes; plane++)
    {
        whole = set_plane_routes(run, plane) && whole;
    }
    if (run->host.rerouted)
    {
        run->host.rerouted(run->host.of, run->faults.known.ndead, whole);
    }
}

static void
converge(struct weft_run *run, int64_t at)
{
    struct weft_faults *faults = &run->faults;
    if (weft_agenda_next(&faults->convergences) <= at)
    {
        learn(run, weft_agenda_take(&faults->convergences).key);
        set_routes(run);
    }
}

void
weft_faults_converge(struct weft_run *run)
{
    struct weft_faults *faults = &run->faults;
    const uint64_t end = faults->first + faults->nevents;
    const int64_t now = weft_net_now(run->net);
    if (faults->delay == 0)
    {
        learn(run, end);
        set_routes(run); /* before anything else happens at this instant */
    }
    else if (faults->delay <= WEFT_LATEST - now)
    {
        weft_agenda_add(&faults->convergences, now + faults->delay, end, ++faults->convergences.seq,
                        NULL, &run->memory);
        weft_run_change(run, now + faults->delay, converge);
    }
}

void
weft_faults_begin(struct weft_run *run, enum weft_weights weights)
{
    struct weft_faults *faults = &run->faults;
    faults->weights = weights;
    for (uint32_t i = 0; i < faults->nfailures; i++)
    {
        weft_net_set_down(run->net, faults->failure[i].link, true);
    }
    for (uint32_t i = 0; i < faults->now.nslow; i++)
    {
        weft_net_set_rate(run->net, faults->now.slow[i].link, faults->now.slow[i].rate);
    }
    for (uint32_t i = 0; faults->plane && i < run->clos->planes; i++)
    {
        weft_net_set_routes(run->net, i, faults->plane[i].routes, faults->plane[i].whole);
    }
}

/* The share in one plane, where each flow has its part of what its host sends. */
static int
compute_plane_share(struct weft_run *run, const struct weft_flow *flows, size_t n,
                    enum weft_split split, uint32_t plane, double *share)
{
    struct weft_plane_routes *p = routes_of(run, plane);
    const uint32_t room = !p->turn; /* the other one may be in use */
    struct weft_fib_case of = {.weights = WEFT_WEIGHTS_NONE};
    void *links = links_of(run, &run->faults.lasting, plane, &of);
    const struct weft_fib_case dead = {.dead = of.dead, .ndead = of.ndead};
    const int64_t size = weft_rho_size(run->clos, n);
    int code = of.ndead ? make_fib(run, p, &dead, room) : 0;
    code = code || size >= 0 ? code : (int)size;
    if (!code)
    {
        struct weft_rho rho = {.share = 1};
        void *memory = weft_scratch_take(run, (size_t)size + 8);
        code = weft_rho_max(memory, (size_t)size, run->clos, of.ndead ? p->fib[room] : NULL, flows,
                            n, of.slow, of.nslow, split, &rho);
        weft_scratch_give(run, memory);
        *share = rho.share < *share ? rho.share : *share;
    }
    weft_scratch_give(run, links);
    return code;
}

static int
compute_share(struct weft_run *run, const struct weft_flow *flows, size_t n, enum weft_split split,
              double *share)
{
    int code = 0;
    *share = 1;
    for (uint32_t plane = 0; plane < run->clos->planes && !code; plane++)
    {
        code = compute_plane_share(run, flows, n, split, plane, share);
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

void
weft_run_set_convergence(struct weft_run *run, int64_t delay)
{
    run->faults.delay = delay;
}

void
weft_run_set_recovery(struct weft_run *run, int64_t delay)
{
    run->faults.recovery = delay;
}

void
weft_run_set_weights(struct weft_run *run, enum weft_weights weights)
{
    run->faults.weights = weights;
}
