/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to single links: <failure> and <degrade>. */
#include "scenario-load.h"
#include "textbuf.h"

/** Whether an element may name a host's link. */
static bool
takes_host(const struct element *e)
{
    return vocabulary_attribute(e->spec, "host") != NULL;
}

/** The two switch numbers of an element; false after an error. */
static bool
ends_of(const struct element *e, const struct scenario *s, uint64_t *lower, uint64_t *upper,
        struct diagnostics *d)
{
    bool leaf_spine = element_attribute(e, "leaf") && element_attribute(e, "spine");
    bool numbers = element_attribute(e, "lower") && element_attribute(e, "upper");
    if (leaf_spine == numbers || (leaf_spine && (s->clos.tiers != 2 || s->clos.graph)))
    {
        diag_error(d, e->line,
                   "<%s> does not name one link; expected leaf and spine (leaf-spine), or "
                   "lower and upper (switch numbers)%s",
                   e->name, takes_host(e) ? ", or host" : "");
        return false;
    }
    *lower = (uint64_t)value_of(e, e->name, leaf_spine ? "leaf" : "lower", d).integer;
    *upper = (uint64_t)value_of(e, e->name, leaf_spine ? "spine" : "upper", d).integer;
    if (leaf_spine)
    {
        *upper += s->clos.ntors;
    }
    return true;
}

/** The link between switches that an element names; in a graph either end may come first. */
static bool
find_switch_link(const struct element *e, const struct scenario *s, struct weft_link *link,
                 uint64_t *found, struct diagnostics *d)
{
    const struct weft_clos *clos = &s->clos;
    const uint64_t number = (uint64_t)value_of(e, e->name, "link", d).integer;
    uint64_t lower, upper, parallel = number;
    if (clos->nhosts == 0 || !ends_of(e, s, &lower, &upper, d))
    {
        return false;
    }
    for (uint64_t i = clos->nhosts; i < clos->nlinks; i++)
    {
        weft_clos_link(clos, i, link);
        if (link_joins(clos, link, lower, upper) && parallel-- == 0)
        {
            *found = i;
            return true;
        }
    }
    diag_error(d, e->line,
               "<%s> names no link: switches %llu and %llu have no link number %llu; expected "
               "neighbours among the %u switches, with link below the number of parallel ones",
               e->name, (unsigned long long)lower, (unsigned long long)upper,
               (unsigned long long)number, clos->nswitches);
    return false;
}

/** The link of a host; false after an error. */
static bool
find_host_link(const struct element *e, const struct scenario *s, struct weft_link *link,
               uint64_t *found, struct diagnostics *d)
{
    static const char *const others[] = {"leaf", "spine", "lower", "upper", "link"};
    const struct weft_clos *clos = &s->clos;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    {
        if (element_attribute(e, others[i]))
        {
            diag_error(d, element_line(e, others[i]),
                       "<%s> names a host's link and has %s as well; expected host alone", e->name,
                       others[i]);
            return false;
        }
    }
    *found = (uint64_t)value_of(e, e->name, "host", d).integer;
    if (clos->nhosts == 0 || *found >= clos->nhosts)
    {
        diag_error(d, element_line(e, "host"), "<%s> names no host: %llu; expected 0 to %u",
                   e->name, (unsigned long long)*found, clos->nhosts - 1);
        return false;
    }
    weft_clos_link(clos, *found, link);
    return true;
}

static bool
find_link(const struct element *e, const struct scenario *s, struct weft_link *link,
          uint64_t *found, struct diagnostics *d)
{
    const bool host = takes_host(e) && element_attribute(e, "host");
    return host ? find_host_link(e, s, link, found, d) : find_switch_link(e, s, link, found, d);
}

/** When it begins and ends; an end that does not come later is an error. */
static void
read_times(const struct element *e, int64_t *at, int64_t *repair, struct diagnostics *d)
{
    *at = value_of(e, e->name, "at", d).integer;
    *repair = value_of(e, e->name, "repair", d).integer;
    if (*repair <= *at)
    {
        diag_error(d, element_line(e, "repair"),
                   "repair of <%s> is not after at; expected a later time or inf", e->name);
    }
}

void
load_failure(const struct element *e, struct scenario *s, struct diagnostics *d)
{
    struct link_failure f = {.line = e->line};
    struct weft_link link;
    read_times(e, &f.at, &f.repair, d);
    if (!find_link(e, s, &link, &f.link, d))
    {
        return;
    }
    for (size_t i = 0; i < s->nfailures; i++)
    {
        const struct link_failure *o = &s->failures[i];
        if (o->link == f.link && o->at < f.repair && f.at < o->repair)
        {
            diag_error(d, e->line,
                       "this link is down by the <failure> of line %d at that time; expected one "
                       "at a time",
                       o->line);
            return;
        }
    }
    ARRAY_GROW(s->failures, s->nfailures);
    s->failures[s->nfailures++] = f;
}

void
load_degradation(const struct element *e, struct scenario *s, struct diagnostics *d)
{
    struct link_degradation f = {.line = e->line};
    struct weft_link link;
    read_times(e, &f.at, &f.repair, d);
    f.rate = value_of(e, e->name, "rate", d).integer;
    if (!find_link(e, s, &link, &f.link, d))
    {
        return;
    }
    if (f.rate > link.rate)
    {
        diag_error(d, element_line(e, "rate"),
                   "rate of <degrade> is more than the link's %lld Mbps; expected less",
                   (long long)(link.rate / 1000000));
    }
    for (size_t i = 0; i < s->ndegradations; i++)
    {
        const struct link_degradation *o = &s->degradations[i];
        if (o->link == f.link && o->at <= f.repair && f.at <= o->repair)
        {
            diag_error(d, e->line,
                       "this link is degraded by another <degrade> at that time; expected one at a "
                       "time");
            return;
        }
    }
    ARRAY_GROW(s->degradations, s->ndegradations);
    s->degradations[s->ndegradations++] = f;
}
