/* SPDX-License-Identifier: GPL-2.0-only */
/* Links to which something happens in a run: those that are named, and those that chance chooses.
 */
#include "link-failures.h"

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
fault_happens(const struct link_fault *f)
{
    return f->at != WEFT_NEVER &&
           (!fault_is_drawn(f) || f->number > 0 || f->edge > 0 || f->above > 0);
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
    uint64_t seed = f->slow ? weft_mix64(s->seed ^ DEGRADE_SALT) : s->seed;
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
            struct weft_link link;
            weft_planes_link(&s->clos, links[i], &link);
            ARRAY_GROW(all, *n);
            all[(*n)++] = (struct faulty_link){links[i], f, f->slow ? rate_of(f, link.rate) : 0};
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
        if (!f->slow && f->at <= now && faulty[i].link != last)
        {
            last = faulty[i].link;
            links++;
        }
    }
    return links;
}
