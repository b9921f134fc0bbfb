/* SPDX-License-Identifier: GPL-2.0-only */
/* Links that fail or are slower: those that chance chooses, by <random-failures> and
 * <random-degrade>, and all together. */
#include "link-failures.h"

#include <math.h>
#include <stdlib.h>

#include <weft/clos.h>
#include <weft/rng.h>

#include "number-order.h"
#include "scenario-load.h"
#include "textbuf.h"

/* "degrade" in ASCII: draws of their own, so that it is not the failed links that are slower. */
#define DEGRADE_SALT UINT64_C(0x64656772616465)

/** A number of links, or probabilities: one of them must be there. */
static void
check_how_many(const struct element *e, const struct scenario *s, const struct random_links *r,
               struct diagnostics *d)
{
    const bool by_chance = element_attribute(e, "probability") ||
                           element_attribute(e, "edge-aggregation") ||
                           element_attribute(e, "aggregation-core");
    const uint64_t all = s->clos.planes * (s->clos.nlinks - weft_clos_host_links(&s->clos));
    if (!by_chance && !element_attribute(e, "links"))
    {
        diag_error(d, e->line,
                   "<%s> without a probability: it would be none; expected links, probability, "
                   "edge-aggregation or aggregation-core",
                   e->name);
    }
    else if (by_chance && element_attribute(e, "links"))
    {
        diag_error(d, element_line(e, "links"),
                   "links of <%s>: there is a probability as well; expected one of them", e->name);
    }
    else if (s->clos.nhosts && (uint64_t)r->links > all)
    {
        diag_error(d, element_line(e, "links"),
                   "links of <%s>: there are %llu links between switches; expected at most as many",
                   e->name, (unsigned long long)all);
    }
}

static void
check(const struct element *e, const struct scenario *s, const struct random_links *r,
      struct diagnostics *d)
{
    check_how_many(e, s, r, d);
    check_times(e, r->at, r->repair, d);
    if (element_attribute(e, "aggregation-core") && s->clos.nhosts && s->clos.ncores == 0)
    {
        diag_error(d, element_line(e, "aggregation-core"),
                   "aggregation-core of <%s>: this %s has two tiers, whose links are all of "
                   "edge-aggregation; expected edge-aggregation or probability alone",
                   e->name, s->topology.algo->name);
    }
}

/** The probability of each kind of link, or a number: what is not meant is absent. */
static void
settle(const struct scenario *s, struct random_links *r)
{
    const bool number = r->links > 0;
    r->edge = number ? NAN : isnan(r->edge) ? r->any : r->edge;
    r->core = number || !s->clos.ncores ? NAN : isnan(r->core) ? r->any : r->core;
    r->links = number ? r->links : ATTRIBUTE_ABSENT;
    r->any = NAN;
}

void
load_random_links(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    static const char *const names[] = {"random-failures", "random-degrade"};
    struct random_links *const both[] = {&s->random_failures, &s->random_degrade};
    for (size_t i = 0; i < 2; i++)
    {
        const struct element *e = element_child(root, names[i]);
        if (e)
        {
            check(e, s, both[i], d);
        }
        settle(s, both[i]);
    }
}

bool
random_links_any(const struct random_links *r)
{
    return r->links > 0 || r->edge > 0 || r->core > 0;
}

/** As many links as are asked for. */
static uint64_t *
draw_number(const struct scenario *s, const struct random_links *r, uint64_t seed, size_t *n)
{
    const size_t wanted = (size_t)r->links;
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
random_links_draw(const struct scenario *s, const struct random_links *r, size_t *n)
{
    const uint64_t seed = r == &s->random_degrade ? weft_mix64(s->seed ^ DEGRADE_SALT) : s->seed;
    if (r->links > 0)
    {
        return draw_number(s, r, seed, n);
    }
    const double core = s->clos.ncores ? r->core : 0;
    *n = weft_random_failures(&s->clos, r->edge, core, seed, s->run, NULL);
    uint64_t *links = xcalloc(*n, sizeof *links);
    weft_random_failures(&s->clos, r->edge, core, seed, s->run, links);
    return links;
}

/* --- all together ----------------------------------------------------------------------------- */

/** Returns a share of a rate, bit/s: a link that is not dead carries something. */
static int64_t
share_of(int64_t rate, double share)
{
    const int64_t left = (int64_t)((double)rate * share);
    return left > 0 || !(share > 0) ? left : 1;
}

/** Returns the faults of links that are named and that are drawn. */
static struct link_fault *
faults_of(const struct scenario *s, const struct link_fault *named, size_t nnamed,
          const struct random_links *r, size_t *n)
{
    size_t drawn;
    OWNED uint64_t *links = random_links_draw(s, r, &drawn);
    struct link_fault *all = xcalloc(nnamed + drawn, sizeof *all);
    for (size_t i = 0; i < nnamed; i++)
    {
        all[i] = named[i];
    }
    for (size_t i = 0; i < drawn; i++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, links[i], &link);
        all[nnamed + i] = (struct link_fault){.link = links[i],
                                              .rate = share_of(link.rate, r->share),
                                              .at = r->at,
                                              .repair = r->repair};
    }
    *n = nnamed + drawn;
    return all;
}

struct link_fault *
failures_of(const struct scenario *s, size_t *n)
{
    return faults_of(s, s->failures, s->nfailures, &s->random_failures, n);
}

struct link_fault *
degradations_of(const struct scenario *s, size_t *n)
{
    return faults_of(s, s->degradations, s->ndegradations, &s->random_degrade, n);
}

static int
by_link(const void *a, const void *b)
{
    const struct link_fault *x = a, *y = b;
    return (x->link > y->link) - (x->link < y->link);
}

uint64_t
links_failed(struct link_fault *failures, size_t n, int64_t now)
{
    uint64_t links = 0, last = UINT64_MAX;
    if (n > 0)
    {
        qsort(failures, n, sizeof *failures, by_link);
    }
    for (size_t i = 0; i < n; i++)
    {
        if (failures[i].at <= now && failures[i].link != last)
        {
            last = failures[i].link;
            links++;
        }
    }
    return links;
}
