/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to single links: <failure> and <degrade>. */
#include <string.h>

#include "element-values.h"
#include "node-numbers.h"
#include "scenario-load.h"
#include "textbuf.h"

void
check_times(const struct element *e, int64_t at, int64_t repair, struct diagnostics *d)
{
    if (repair <= at)
    {
        diag_error(d, element_line(e, "repair"),
                   "repair of <%s> is not after at; expected a later time or inf", e->name);
    }
}

/** Weft's switch of a number that an element names; what is no number of a switch in Weft's own
 * numbering has no link. False after an error. */
static bool
end_of(const struct element *e, const struct scenario *s, const char *attribute, uint64_t *end,
       struct diagnostics *d)
{
    uint32_t sw;
    OWNED char *why = NULL;
    if (!nodes_have_ids(s, NODE_SWITCH))
    {
        return true;
    }
    if (!node_find(s, NODE_SWITCH, *end, &sw, &why))
    {
        diag_error(d, element_line(e, attribute), "%s of <%s> names no switch: %s", attribute,
                   e->name, why);
        return false;
    }
    *end = sw;
    return true;
}

/** The two switches of an element; false after an error. */
static bool
ends_of(const struct element *e, const struct scenario *s, const struct link_fault *f,
        uint64_t *lower, uint64_t *upper, struct diagnostics *d)
{
    const bool leaf_spine = f->leaf >= 0 && f->spine >= 0, numbers = f->lower >= 0 && f->upper >= 0;
    if (leaf_spine == numbers || (leaf_spine && (s->clos.tiers != 2 || s->clos.graph)))
    {
        diag_error(d, e->line,
                   "<%s> does not name one link; expected leaf and spine (leaf-spine), or "
                   "lower and upper (switch numbers)%s",
                   e->name, grammar_attribute(e->spec, "host") ? ", or host" : "");
        return false;
    }
    *lower = (uint64_t)(leaf_spine ? f->leaf : f->lower);
    *upper = (uint64_t)(leaf_spine ? f->spine + s->clos.ntors : f->upper);
    return leaf_spine || (end_of(e, s, "lower", lower, d) && end_of(e, s, "upper", upper, d));
}

/** The user's number of a switch that may not be there. */
static unsigned long long
user_number(const struct scenario *s, uint64_t sw)
{
    return sw < s->clos.nswitches ? node_number(s, NODE_SWITCH, (uint32_t)sw) : sw;
}

/** How many links before this one join the same switches. */
static int64_t
parallel_number(const struct weft_clos *clos, uint64_t number, const struct weft_link *link)
{
    int64_t parallel = 0;
    for (uint64_t i = clos->nhosts; i < number; i++)
    {
        struct weft_link other;
        weft_clos_link(clos, i, &other);
        parallel += link_joins(clos, &other, link->lower.index, link->upper.index);
    }
    return parallel;
}

/** The link between switches that an element names, which then names it by its ends; in a graph
 * either end may come first. */
static bool
find_switch_link(const struct element *e, const struct scenario *s, struct link_fault *f,
                 struct weft_link *link, struct diagnostics *d)
{
    const struct weft_clos *clos = &s->clos;
    uint64_t lower, upper, parallel = (uint64_t)f->parallel;
    if (clos->nhosts == 0 || !ends_of(e, s, f, &lower, &upper, d))
    {
        return false;
    }
    for (uint64_t i = clos->nhosts; i < clos->nlinks; i++)
    {
        weft_clos_link(clos, i, link);
        if (link_joins(clos, link, lower, upper) && parallel-- == 0)
        {
            f->link = i;
            f->leaf = f->spine = ATTRIBUTE_ABSENT;
            f->lower = node_number(s, NODE_SWITCH, link->lower.index);
            f->upper = node_number(s, NODE_SWITCH, link->upper.index);
            f->parallel = parallel_number(clos, i, link);
            return true;
        }
    }
    diag_error(d, e->line,
               "<%s> names no link: switches %llu and %llu have no link number %lld; expected "
               "neighbours among the %u switches, with link below the number of parallel ones",
               e->name, user_number(s, lower), user_number(s, upper), (long long)f->parallel,
               clos->nswitches);
    return false;
}

/** The link of a host; false after an error. */
static bool
find_host_link(const struct element *e, const struct scenario *s, struct link_fault *f,
               struct weft_link *link, struct diagnostics *d)
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
    uint32_t host;
    OWNED char *why = NULL;
    f->parallel = ATTRIBUTE_ABSENT;
    if (clos->nhosts == 0)
    {
        return false;
    }
    if (!node_find(s, NODE_HOST, (uint64_t)f->host, &host, &why))
    {
        diag_error(d, element_line(e, "host"), "<%s> names no host: %s", e->name, why);
        return false;
    }
    f->link = host;
    weft_clos_link(clos, f->link, link);
    return true;
}

/** Whether two changes of one link meet; a slower link may not even touch the next time. */
static bool
meet(const struct link_fault *a, const struct link_fault *b, bool down)
{
    return a->link == b->link && (down ? a->at < b->repair && b->at < a->repair
                                       : a->at <= b->repair && b->at <= a->repair);
}

/** Adds it to those of its kind, unless one of them has the link at that time. */
static void
add_fault(const struct element *e, struct scenario *s, const struct link_fault *f,
          struct diagnostics *d)
{
    const bool down = strcmp(e->name, "failure") == 0;
    const struct link_fault *other;
    for (size_t i = 0; (other = element_at(e->spec, s, i)) != NULL; i++)
    {
        if (meet(other, f, down))
        {
            diag_error(d, e->line,
                       "this link is %s by the <%s> of line %d at that time; expected one at a "
                       "time",
                       down ? "down" : "degraded", e->name, other->line);
            return;
        }
    }
    memcpy(element_next(e->spec, s), f, sizeof *f);
}

void
load_fault(const struct element *e, struct scenario *s, struct diagnostics *d)
{
    struct link_fault f = {.host = ATTRIBUTE_ABSENT, .line = e->line};
    struct weft_link link;
    element_read(e, e->spec, &f, d);
    check_times(e, f.at, f.repair, d);
    if (!(f.host >= 0 ? find_host_link : find_switch_link)(e, s, &f, &link, d))
    {
        return;
    }
    if (f.rate > link.rate)
    {
        diag_error(d, element_line(e, "rate"),
                   "rate of <degrade> is more than the link's %lld Mbps; expected less",
                   (long long)(link.rate / 1000000));
    }
    OWNED char *of = xformat("<%s>", e->name);
    note_ids(s, f.host >= 0 ? NODE_HOST : NODE_SWITCH, of, e->line, d);
    add_fault(e, s, &f, d);
}
