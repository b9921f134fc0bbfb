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
        weft_clos_link(run->clos, e.link, &of);
        weft_links_set_rate(run, &faults->known, e.link, e.rate < of.rate ? e.rate : 0);
    }
    faults->nevents -= n;
    memmove(faults->event, faults->event + n, faults->nevents * sizeof *faults->event);
    faults->first = end;
}

/* Computes forwarding where links are as @p links says, in one of two rooms. */
static int
make_fib(struct weft_run *run, const struct weft_link_states *links, enum weft_weights weights,
         uint32_t room)
{
    struct weft_faults *faults = &run->faults;
    const struct weft_fib_case of = {links->dead, links->ndead, links->slow, links->nslow, weights};
    const int64_t size = weft_fib_size_for(run->clos, &of);
    if (size < 0)
    {
        return (int)size;
    }
    if ((size_t)size > faults->fib_room[room])
    {
        faults->fib_room[room] = 2 * (size_t)size;
        faults->fib[room] = weft_take(&run->memory, faults->fib_room[room]);
    }
    return weft_fib_build_for(faults->fib[room], (size_t)size, run->clos, &of);
}

static void
set_routes(struct weft_run *run)
{
    struct weft_faults *faults = &run->faults;
    const struct weft_link_states *links = &faults->known;
    const bool whole =
        links->ndead == 0 && (links->nslow == 0 || faults->weights != WEFT_WEIGHTS_CAPACITY);
    faults->routes = NULL;
    if (!whole || run->clos->graph)
    {
        faults->turn = !faults->turn;
        const int code = make_fib(run, links, faults->weights, faults->turn);
        if (code)
        {
            weft_run_breaks(run, weft_strerror(code));
        }
        faults->routes = faults->fib[faults->turn];
    }
    faults->whole = whole;
    faults->rerouted = true;
    weft_net_set_routes(run->net, faults->routes, whole);
    if (run->host.rerouted)
    {
        run->host.rerouted(run->host.of, links->ndead, whole);
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
    if (faults->rerouted)
    {
        weft_net_set_routes(run->net, faults->routes, faults->whole);
    }
}

static int
compute_share(struct weft_run *run, const struct weft_flow *flows, size_t n, enum weft_split split,
              double *share)
{
    const struct weft_faults *faults = &run->faults;
    const struct weft_link_states *links = &faults->lasting;
    const struct weft_link_states dead = {.dead = links->dead, .ndead = links->ndead};
    const uint32_t room = !faults->turn; /* the other one may be in use */
    int code = dead.ndead ? make_fib(run, &dead, WEFT_WEIGHTS_NONE, room) : 0;
    const int64_t size = weft_rho_size(run->clos, n);
    if (code || size < 0)
    {
        return code ? code : (int)size;
    }
    struct weft_rho rho = {.share = 1};
    void *memory = weft_scratch_take(run, (size_t)size + 8);
    code = weft_rho_max(memory, (size_t)size, run->clos, dead.ndead ? faults->fib[room] : NULL,
                        flows, n, links->slow, links->nslow, split, &rho);
    weft_scratch_give(run, memory);
    *share = rho.share;
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
weft_run_set_weights(struct weft_run *run, enum weft_weights weights)
{
    run->faults.weights = weights;
}
