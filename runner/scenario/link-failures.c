/* SPDX-License-Identifier: GPL-2.0-only */
/* Links to which something happens in a run: those that are named, and those that chance chooses.
 */
#include "link-failures.h"

#include <math.h>
#include <stdlib.h>

#include <weft/clos.h>
#include <weft/rng.h>

#include "grammar.h"
#include "number-order.h"
#include "scenario-load.h"
#include "textbuf.h"

/* "degrade" in ASCII: draws of their own, so that it is not the failed links that are slower. */
#define DEGRADE_SALT UINT64_C(0x64656772616465)

bool
fault_is_drawn(const struct link_fault *f)
{
    return grammar_attribute(f->of, "links") != NULL;
}

bool
fault_flaps(const struct link_fault *f)
{
    return f->mean_up > 0 || (f->period > 0 && f->duty < 1);
}

const char *
fault_idle(const struct link_fault *f)
{
    const struct weft_frame_losses losses = fault_losses(f);
    const bool random = f->effect == WEFT_FAULT_LOSSY || f->effect == WEFT_FAULT_CORRUPTING;
    return f->at == WEFT_NEVER || f->count == 0 || f->duty == 0 || f->chance == 0
               ? "it never happens"
           : f->effect == WEFT_FAULT_SLOW && f->share == 1    ? "the links keep their rates"
           : f->effect == WEFT_FAULT_DELAYED && f->extra == 0 ? "the links keep their delays"
           : random && !(losses.good > 0) && !(losses.bad * losses.to_bad > 0) ? "no frame is lost"
                                                                               : NULL;
}

bool
fault_happens(const struct link_fault *f)
{
    return !f->spared && !fault_idle(f) &&
           (!fault_is_drawn(f) || f->number > 0 || f->edge > 0 || f->above > 0);
}

struct weft_frame_losses
fault_losses(const struct link_fault *f)
{
    return isnan(f->loss) ? f->bursts : (struct weft_frame_losses){.good = f->loss};
}

int64_t
fault_outage(const struct link_fault *f)
{
    if (f->mean_up > 0)
    {
        return f->mean_down;
    }
    const int64_t part = (int64_t)((double)f->period * f->duty);
    return part > 0 ? part : 1;
}

bool
fault_is_heard(const struct scenario *s, const struct link_fault *f)
{
    const int64_t lasts = f->repair == WEFT_NEVER ? WEFT_NEVER : f->repair - f->at,
                  outage = fault_flaps(f) ? fault_outage(f) : lasts;
    return f->effect == WEFT_FAULT_DOWN && fault_happens(f) && !(f->mean_up > 0) &&
           s->convergence != WEFT_NEVER && outage > s->convergence && lasts > s->convergence;
}

/** As many links as are asked for. */
static uint64_t *
draw_number(const struct scenario *s, const struct link_fault *f, uint64_t seed, size_t *n)
{
    const size_t wanted = (size_t)f->number;
    OWNED struct weft_drawn_link *drawn = xcalloc(wanted, sizeof *drawn);
    *n = weft_random_links(&s->clos, wanted, seed, s->run, drawn);
    uint64_t *links = xcalloc(*n, sizeof *links);
    for (size_t i = 0; i < *n; i++)
    {
        links[i] = drawn[i].link;
    }
    qsort(links, *n, sizeof *links, order_u64);
    return links;
}

uint64_t *
random_links_draw(const struct scenario *s, const struct link_fault *f, size_t *n)
{
    uint64_t seed = f->effect == WEFT_FAULT_SLOW ? weft_mix64(s->seed ^ DEGRADE_SALT) : s->seed;
    seed = f->ordinal > 0 ? weft_mix64(seed + f->ordinal) : seed;
    if (f->number > 0)
    {
        return draw_number(s, f, seed, n);
    }
    const double core = s->clos.ncores ? f->above : 0;
    *n = weft_random_failures(&s->clos, f->edge, core, seed, s->run, NULL);
    uint64_t *links = xcalloc(*n, sizeof *links);
    weft_random_failures(&s->clos, f->edge, core, seed, s->run, links);
    return links;
}

/** The links of a fault, and how many. To be freed. */
static uint64_t *
links_of(const struct scenario *s, const struct link_fault *f, size_t *n)
{
    if (fault_happens(f) && fault_is_drawn(f))
    {
        return random_links_draw(s, f, n);
    }
    *n = fault_happens(f) ? f->nlinks : 0;
    uint64_t *links = xcalloc(*n, sizeof *links);
    for (size_t i = 0; i < *n; i++)
    {
        links[i] = f->links[i];
    }
    return links;
}

/** The rate of a link that is slower, bit/s: one that is not dead carries something. */
static int64_t
rate_of(const struct link_fault *f, int64_t planned)
{
    const int64_t left = f->rate > 0 ? f->rate : (int64_t)((double)planned * f->share);
    return left > 0 || !(f->share > 0) ? left : 1;
}

/** Whether two effects are of one kind, so that a link can have one of them at a time. */
static bool
are_alike(int64_t a, int64_t b)
{
    const unsigned losses = 1U << WEFT_FAULT_LOSSY | 1U << WEFT_FAULT_CORRUPTING;
    return a == b || ((losses >> a & 1U) && (losses >> b & 1U));
}

bool
faults_meet(const struct link_fault *a, const struct link_fault *b)
{
    const bool touch = a->effect == WEFT_FAULT_SLOW;
    return are_alike(a->effect, b->effect) && a->at != WEFT_NEVER && b->at != WEFT_NEVER &&
           (a->direction == WEFT_BOTH_WAYS || b->direction == WEFT_BOTH_WAYS ||
            a->direction == b->direction) &&
           (touch ? a->at <= b->repair && b->at <= a->repair
                  : a->at < b->repair && b->at < a->repair);
}

/** Whether a link that chance has chosen loses frames or is delayed already: it is not twice. */
static bool
is_had(const struct faulty_link *all, size_t n, uint64_t link, const struct link_fault *f)
{
    const bool twice = f->effect == WEFT_FAULT_DOWN || f->effect == WEFT_FAULT_SLOW;
    for (size_t i = 0; i < n && !twice; i++)
    {
        if (all[i].link == link && all[i].fault != f && faults_meet(all[i].fault, f))
        {
            return true;
        }
    }
    return false;
}

static void
add_link(const struct scenario *s, const struct link_fault *f, uint64_t link,
         struct faulty_link *to)
{
    struct weft_link planned;
    weft_planes_link(&s->clos, link, &planned);
    const uint64_t own = fault_is_drawn(f) && !f->together ? weft_mix64(link + 1) : 0;
    *to = (struct faulty_link){link, f, 0, weft_mix64(f->stream ^ own)};
    to->rate = f->effect == WEFT_FAULT_SLOW ? rate_of(f, planned.rate) : 0;
}

struct faulty_link *
faulty_links(const struct scenario *s, size_t *n)
{
    struct faulty_link *all = NULL;
    *n = 0;
    for (const struct link_fault *f = s->faults; f < s->faults + s->nfaults; f++)
    {
        size_t own;
        OWNED uint64_t *links = links_of(s, f, &own);
        for (size_t i = 0; i < own; i++)
        {
            if (!is_had(all, *n, links[i], f))
            {
                ARRAY_GROW(all, *n);
                add_link(s, f, links[i], &all[(*n)++]);
            }
        }
    }
    return all;
}

static int
by_link(const void *a, const void *b)
{
    const struct faulty_link *x = a, *y = b;
    return (x->link > y->link) - (x->link < y->link);
}

uint64_t
links_failed(struct faulty_link *faulty, size_t n, int64_t now)
{
    uint64_t links = 0, last = UINT64_MAX;
    if (n > 0)
    {
        qsort(faulty, n, sizeof *faulty, by_link);
    }
    for (size_t i = 0; i < n; i++)
    {
        const struct link_fault *f = faulty[i].fault;
        if (f->effect == WEFT_FAULT_DOWN && f->at <= now && faulty[i].link != last)
        {
            last = faulty[i].link;
            links++;
        }
    }
    return links;
}
