/* SPDX-License-Identifier: MIT */
/* Forwarding of a run: it learns of what has happened to a link once that has lasted. */
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

int64_t
weft_links_rate(const struct weft_link_states *links, uint64_t link)
{
    const uint32_t i = place_of(links->slow, links->nslow, sizeof *links->slow, link);
    return i < links->nslow && links->slow[i].link == link ? links->slow[i].rate : 0;
}

static bool
is_dead(const struct weft_link_states *links, uint64_t link)
{
    const uint32_t i = place_of(links->dead, links->ndead, sizeof link, link);
    return i < links->ndead && links->dead[i] == link;
}

void *
weft_plane_links(const struct weft_run *run, const struct weft_link_states *links, uint32_t plane,
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

/* Rooms for forwarding, one row for each plane, made where there are none. */
static struct weft_plane_routes *
routes_of(struct weft_run *run, struct weft_plane_routes **rows, uint32_t plane)
{
    if (!*rows)
    {
        *rows = weft_take(&run->memory, run->clos->planes * sizeof **rows);
        for (uint32_t i = 0; i < run->clos->planes; i++)
        {
            (*rows)[i].whole = true;
        }
    }
    return &(*rows)[plane];
}

struct weft_plane_routes *
weft_plane_routes(struct weft_run *run, uint32_t plane)
{
    return routes_of(run, &run->faults.plane, plane);
}

int
weft_plane_fib(struct weft_run *run, struct weft_plane_routes *plane,
               const struct weft_fib_case *of, uint32_t room)
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

/* Computes a plane's routes by what is known of links. */
static void
compute_routes(struct weft_run *run, const struct weft_link_states *known, uint32_t plane,
               struct weft_plane_routes *p)
{
    struct weft_faults *faults = &run->faults;
    struct weft_fib_case of = {.weights = faults->weights};
    void *links = weft_plane_links(run, known, plane, &of);
    p->whole = of.ndead == 0 && (of.nslow == 0 || faults->weights != WEFT_WEIGHTS_CAPACITY);
    p->routes = NULL;
    if (!p->whole || run->clos->graph)
    {
        p->turn = !p->turn;
        const int code = weft_plane_fib(run, p, &of, p->turn);
        if (code)
        {
            weft_run_breaks(run, weft_strerror(code));
        }
        p->routes = p->fib[p->turn];
    }
    weft_scratch_give(run, links);
}

/* Returns whether all links of the plane are as planned, as far as forwarding is concerned. */
static bool
set_plane_routes(struct weft_run *run, uint32_t plane)
{
    struct weft_plane_routes *p = weft_plane_routes(run, plane);
    compute_routes(run, &run->faults.known, plane, p);
    weft_net_set_routes(run->net, plane, p->routes, p->whole);
    return p->whole;
}

/* Tells hosts that know at once how links are. */
static void
tell_at_once(struct weft_run *run)
{
    run->faults.news = false;
    for (uint32_t plane = 0; plane < run->clos->planes; plane++)
    {
        struct weft_plane_routes *p = routes_of(run, &run->faults.early, plane);
        compute_routes(run, &run->faults.now, plane, p);
        weft_net_tell_at_once(run->net, plane, p->routes);
    }
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
learn(struct weft_run *run, const struct weft_pending *p)
{
    struct weft_link_states *known = &run->faults.known;
    if (p->of & 1U)
    {
        weft_links_set_rate(run, known, p->of / 2, p->rate);
    }
    else
    {
        weft_links_set_down(run, known, p->of / 2, p->down);
    }
}

static bool
is_known(const struct weft_faults *faults, const struct weft_pending *p)
{
    const uint64_t link = p->of / 2;
    return p->of & 1U ? weft_links_rate(&faults->known, link) == p->rate
                      : is_dead(&faults->known, link) == p->down;
}

/* Takes what forwarding is to learn of a link away. Returns its place. */
static uint32_t
forget(struct weft_faults *faults, uint64_t of)
{
    struct weft_pending *row = faults->pending;
    const uint32_t i = place_of(row, faults->npending, sizeof *row, of);
    if (i < faults->npending && row[i].of == of)
    {
        faults->npending--;
        memmove(&row[i], &row[i + 1], (faults->npending - i) * sizeof *row);
    }
    return i;
}

/* Takes away what forwarding has learned: what has no number any more. */
static void
forget_known(struct weft_faults *faults)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < faults->npending; i++)
    {
        if (faults->pending[i].number > 0)
        {
            faults->pending[n++] = faults->pending[i];
        }
    }
    faults->npending = n;
}

void
weft_faults_converge(struct weft_run *run)
{
    struct weft_faults *faults = &run->faults;
    const int64_t now = weft_net_now(run->net);
    bool learns = false;
    if (faults->news)
    {
        tell_at_once(run);
    }
    while (weft_agenda_next(&faults->convergences) <= now)
    {
        const struct weft_due due = weft_agenda_take(&faults->convergences);
        const uint32_t i =
            place_of(faults->pending, faults->npending, sizeof *faults->pending, due.key);
        if (i < faults->npending && faults->pending[i].number == due.seq)
        {
            learn(run, &faults->pending[i]);
            faults->pending[i].number = 0;
            learns = true;
        }
    }
    if (learns)
    {
        forget_known(faults);
        set_routes(run); /* before anything else happens at this instant */
    }
}

/* A link has changed: what was to be learned of it before has not lasted. */
static void
put_off(struct weft_run *run, struct weft_pending p, int64_t delay)
{
    struct weft_faults *faults = &run->faults;
    const int64_t now = weft_net_now(run->net);
    const uint32_t i = forget(faults, p.of);
    if (delay > WEFT_LATEST - now || is_known(faults, &p))
    {
        return;
    }
    p.number = ++faults->convergences.seq;
    faults->pending =
        weft_grow(&run->memory, faults->pending, faults->npending, &faults->pending_room, sizeof p);
    memmove(&faults->pending[i + 1], &faults->pending[i], (faults->npending - i) * sizeof p);
    faults->pending[i] = p;
    faults->npending++;
    weft_agenda_add(&faults->convergences, now + delay, p.of, p.number, NULL, &run->memory);
    if (delay > 0 && now + delay != faults->looks_at)
    {
        faults->looks_at = now + delay;
        weft_run_change(run, now + delay, weft_faults_change);
    }
}

static int64_t
delay_of(const struct weft_faults *faults, bool recovers)
{
    return recovers && faults->recovery >= 0 ? faults->recovery : faults->delay;
}

void
weft_faults_note_down(struct weft_run *run, uint64_t link, bool down)
{
    if (weft_net_knows_at_once(run->net))
    {
        weft_links_set_down(run, &run->faults.now, link, down);
        run->faults.news = true;
    }
    put_off(run, (struct weft_pending){.of = 2 * link, .down = down},
            delay_of(&run->faults, !down));
}

void
weft_faults_note_rate(struct weft_run *run, uint64_t link, int64_t rate)
{
    struct weft_faults *faults = &run->faults;
    struct weft_link of;
    weft_planes_link(run->clos, link, &of);
    const int64_t known = weft_links_rate(&faults->known, link);
    const int64_t slow = rate < of.rate ? rate : 0;
    if (faults->weights == WEFT_WEIGHTS_CAPACITY)
    {
        put_off(run, (struct weft_pending){.of = 2 * link + 1, .rate = slow},
                delay_of(faults, slow == 0 || (known > 0 && slow > known)));
    }
    else
    {
        weft_links_set_rate(run, &faults->known, link, slow); /* nobody reads it yet */
    }
}

void
weft_faults_begin(struct weft_run *run, enum weft_weights weights)
{
    struct weft_faults *faults = &run->faults;
    faults->weights = weights;
    weft_faults_set_links(run);
    for (uint32_t i = 0; faults->plane && i < run->clos->planes; i++)
    {
        weft_net_set_routes(run->net, i, faults->plane[i].routes, faults->plane[i].whole);
    }
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
