/* SPDX-License-Identifier: GPL-2.0-only */
/* Links that chance chooses: <random-failures> and <random-degrade>. */
#include <stdlib.h>

#include <weft/rng.h>

#include "link-failures.h"
#include "scenario-load.h"
#include "textbuf.h"

/* "degrade" in ASCII: draws of their own, so that it is not the failed links that are slower. */
#define DEGRADE_SALT UINT64_C(0x64656772616465)

/** A probability that stands in for another one where it is not given. */
static double
probability_of(const struct element *e, const char *element, const char *name, double otherwise,
               struct diagnostics *d)
{
    bool given = e && element_attribute(e, name);
    return given ? value_of(e, element, name, d).real : otherwise;
}

/** A number of links, or probabilities: one of them must be there. */
static void
check_how_many(const struct element *e, const struct scenario *s, const struct random_links *r,
               struct diagnostics *d)
{
    const bool by_chance = element_attribute(e, "probability") ||
                           element_attribute(e, "edge-aggregation") ||
                           element_attribute(e, "aggregation-core");
    const uint64_t all = s->clos.nlinks - s->clos.nhosts;
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
    else if (s->clos.nhosts && r->links > all)
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
    if (r->repair <= r->at)
    {
        diag_error(d, element_line(e, "repair"),
                   "repair of <%s> is not after at; expected a later time or inf", e->name);
    }
    if (element_attribute(e, "aggregation-core") && s->clos.nhosts && s->clos.ncores == 0)
    {
        diag_error(d, element_line(e, "aggregation-core"),
                   "aggregation-core of <%s>: this %s has two tiers, whose links are all of "
                   "edge-aggregation; expected edge-aggregation or probability alone",
                   e->name, s->topology.algo->name);
    }
}

static void
load(const struct element *root, const char *element, const struct scenario *s,
     struct random_links *r, struct diagnostics *d)
{
    const struct element *e = element_child(root, element);
    const double both = value_of(e, element, "probability", d).real;
    r->edge = probability_of(e, element, "edge-aggregation", both, d);
    r->core = probability_of(e, element, "aggregation-core", both, d);
    r->links = (uint64_t)value_of(e, element, "links", d).integer;
    r->at = value_of(e, element, "at", d).integer;
    r->repair = value_of(e, element, "repair", d).integer;
    if (e)
    {
        check(e, s, r, d);
    }
}

void
load_random_links(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const struct element *degrade = element_child(root, "random-degrade");
    load(root, "random-failures", s, &s->random_failures, d);
    load(root, "random-degrade", s, &s->random_degrade, d);
    if (degrade)
    {
        s->random_degrade.share = value_of(degrade, "random-degrade", "share", d).real;
    }
}

bool
random_links_any(const struct random_links *r)
{
    return r->links > 0 || r->edge > 0 || r->core > 0;
}

static int
by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/** As many links as are asked for. */
static uint64_t *
draw_number(const struct scenario *s, const struct random_links *r, uint64_t seed, size_t *n)
{
    struct weft_drawn_link *drawn = xcalloc(r->links, sizeof *drawn);
    *n = weft_random_links(&s->clos, r->links, seed, s->run, drawn);
    uint64_t *links = xcalloc(*n, sizeof *links);
    for (size_t i = 0; i < *n; i++)
    {
        links[i] = drawn[i].link;
    }
    qsort(links, *n, sizeof *links, by_number);
    free(drawn);
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
    *n = weft_random_failures(&s->clos, r->edge, r->core, seed, s->run, NULL);
    uint64_t *links = xcalloc(*n, sizeof *links);
    weft_random_failures(&s->clos, r->edge, r->core, seed, s->run, links);
    return links;
}
