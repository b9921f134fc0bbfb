/* SPDX-License-Identifier: GPL-2.0-only */
/* Failures and degradations of single links: <failure> and <degrade>. */
#include <string.h>

#include "element-values.h"
#include "node-numbers.h"
#include "scenario-load.h"
#include "textbuf.h"

#define MOST_SHOWN 60 /* letters of a list, about */

void
check_times(const struct element *e, int64_t at, int64_t repair, struct diagnostics *d)
{
    if (repair <= at)
    {
        diag_error(d, element_line(e, "repair"),
                   "repair of <%s> is not after at; expected a later time or inf", e->name);
    }
}

/** Whether the switch of an attribute is there; else an error. */
static bool
is_there(const struct element *e, const char *attribute, int64_t number, uint32_t count,
         struct diagnostics *d)
{
    if (number >= count)
    {
        diag_error(d, element_line(e, attribute),
                   "%s %lld of <%s> does not exist; there are %u, 0 to %u", attribute,
                   (long long)number, e->name, count, count - 1);
    }
    return number < count;
}

/** Sets an end to Weft's switch of the number that an attribute gives. False after an error. */
static bool
end_of(const struct element *e, const struct scenario *s, const char *attribute, uint64_t *end,
       struct diagnostics *d)
{
    uint32_t sw;
    OWNED char *why = NULL;
    if (!nodes_have_ids(s, NODE_SWITCH))
    {
        return is_there(e, attribute, (int64_t)*end, weft_planes_switches(&s->clos), d);
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

/** The plane of a link that is named without switch numbers, which are those of all planes. */
static int64_t
plane_of(const struct element *e, const struct link_fault *f)
{
    return element_attribute(e, "plane") ? f->plane : 0;
}

/** Whether there is the plane that an element names, and it has a use for it. False after an error.
 */
static bool
has_plane(const struct element *e, const struct scenario *s, const struct link_fault *f,
          struct diagnostics *d)
{
    const bool named = element_attribute(e, "plane");
    if (named && s->tors_memory)
    {
        diag_error(d, element_line(e, "plane"),
                   "plane of <%s>: hosts at several ToRs make this topology a graph; expected "
                   "port, switch, or lower and upper, which count through all planes",
                   e->name);
        return false;
    }
    if (named && (f->lower >= 0 || f->node >= 0 || f->port >= 0))
    {
        diag_error(d, element_line(e, "plane"),
                   "plane of <%s>: %s; expected plane with leaf and spine, or with host, alone",
                   e->name,
                   f->port >= 0 ? "port is a number among those of all planes"
                                : "lower, upper and switch are numbers of switches of all planes");
        return false;
    }
    return !named || is_there(e, "plane", f->plane, s->clos.planes, d);
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
                   e->name, grammar_attribute(e->spec, "host") ? ", or host, or switch" : "");
        return false;
    }
    const int64_t first = plane_of(e, f) * s->clos.nswitches;
    *lower = (uint64_t)(leaf_spine ? first + f->leaf : f->lower);
    *upper = (uint64_t)(leaf_spine ? first + f->spine + s->clos.ntors : f->upper);
    return leaf_spine ? is_there(e, "leaf", f->leaf, s->clos.ntors, d) &&
                            is_there(e, "spine", f->spine, s->clos.nswitches - s->clos.ntors, d)
                      : end_of(e, s, "lower", lower, d) && end_of(e, s, "upper", upper, d);
}

/** How many of the links before number @p end join two switches. */
static unsigned long long
count_links(const struct weft_clos *clos, uint64_t lower, uint64_t upper, uint64_t end)
{
    unsigned long long n = 0;
    for (uint64_t i = 0; i < end; i++)
    {
        struct weft_link link;
        weft_planes_link(clos, i, &link);
        n += link_joins(clos, &link, lower, upper);
    }
    return n;
}

/** The users' numbers of a switch's neighbours above it, in a graph of all its neighbours, as text.
 */
static char *
neighbours_of(const struct scenario *s, uint64_t sw)
{
    const struct weft_clos *clos = &s->clos;
    struct text list = {0};
    uint32_t last = UINT32_MAX;
    for (uint64_t i = 0; i < weft_planes_links(clos) && list.len < MOST_SHOWN; i++)
    {
        struct weft_link link;
        weft_planes_link(clos, i, &link);
        const bool below = !link.lower.is_host && link.lower.index == sw,
                   above = clos->graph && !link.lower.is_host && link.upper.index == sw;
        const uint32_t other = below ? link.upper.index : link.lower.index;
        if ((below || above) && other != last)
        {
            text_add(&list, "%s%u", list.len ? ", " : "", node_number(s, NODE_SWITCH, other));
            last = other;
        }
    }
    text_add(&list, "%s", list.len == 0 ? "none" : list.len < MOST_SHOWN ? "" : ", ...");
    return text_take(&list);
}

/** Says which links two switches have, or which neighbours the lower one has. */
static void
report_no_link(const struct element *e, const struct scenario *s, const struct link_fault *f,
               uint64_t lower, uint64_t upper, struct diagnostics *d)
{
    const uint32_t a = node_number(s, NODE_SWITCH, (uint32_t)lower),
                   b = node_number(s, NODE_SWITCH, (uint32_t)upper);
    const unsigned long long joined =
        count_links(&s->clos, lower, upper, weft_planes_links(&s->clos));
    OWNED char *others = neighbours_of(s, lower);
    if (joined)
    {
        diag_error(
            d, element_line(e, "link"),
            "link %lld of <%s> does not exist; expected one below %llu, as switches %u and %u "
            "have",
            (long long)f->parallel, e->name, joined, a, b);
    }
    else if (count_links(&s->clos, upper, lower, weft_planes_links(&s->clos)))
    {
        diag_error(d, e->line, "<%s> names a link upside down; expected lower %u and upper %u",
                   e->name, b, a);
    }
    else
    {
        diag_error(d, e->line,
                   "<%s> names no link: switches %u and %u are no neighbours; %s switch %u there "
                   "are %s",
                   e->name, a, b, s->clos.graph ? "beside" : "above", a, others);
    }
}

/** Names the link that a fault has by its ends. */
static void
name_link(const struct scenario *s, struct link_fault *f, const struct weft_link *link)
{
    const struct weft_clos *clos = &s->clos;
    const uint32_t lower = link->lower.index;
    f->leaf = f->spine = f->plane = f->node = f->host = f->port = ATTRIBUTE_ABSENT;
    f->lower = f->upper = f->parallel = ATTRIBUTE_ABSENT;
    if (link->lower.is_host)
    {
        f->host = node_number(s, NODE_HOST, lower);
        f->port = weft_clos_host_ports(clos, lower) > 1 ? link->lower.port : ATTRIBUTE_ABSENT;
        return;
    }
    f->lower = node_number(s, NODE_SWITCH, lower);
    f->upper = node_number(s, NODE_SWITCH, link->upper.index);
    f->parallel = (int64_t)count_links(clos, lower, link->upper.index, f->link);
}

/** The link between switches that an element names; in a graph either end may come first. */
static bool
find_switch_link(const struct element *e, const struct scenario *s, struct link_fault *f,
                 struct weft_link *link, struct diagnostics *d)
{
    const struct weft_clos *clos = &s->clos;
    uint64_t lower, upper, parallel = (uint64_t)f->parallel;
    if (!ends_of(e, s, f, &lower, &upper, d))
    {
        return false;
    }
    for (uint64_t i = 0; i < weft_planes_links(clos); i++)
    {
        weft_planes_link(clos, i, link);
        if (link_joins(clos, link, lower, upper) && parallel-- == 0)
        {
            f->link = i;
            return true;
        }
    }
    report_no_link(e, s, f, lower, upper, d);
    return false;
}

/** Whether an element names its link in one way; else an error. */
static bool
named_once(const struct element *e, const char *by, struct diagnostics *d)
{
    static const char *const others[] = {"leaf", "spine", "lower", "upper", "link", "host"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    {
        if (strcmp(others[i], by) != 0 && element_attribute(e, others[i]))
        {
            diag_error(d, element_line(e, others[i]),
                       "<%s> names %s and has %s as well; expected %s alone", e->name,
                       strcmp(by, "host") == 0 ? "a host's link" : "a switch", others[i], by);
            return false;
        }
    }
    return true;
}

/** Returns the first port of a host of a graph that is not its server's; 0 where all are. */
static uint32_t
first_fabric_port(const struct weft_clos *clos, uint32_t host)
{
    const uint64_t inside = weft_clos_inside_ports(clos, host);
    uint32_t port = 0;
    const uint32_t n = weft_clos_host_ports(clos, host);
    while (port < n && (inside >> port & 1))
    {
        port++;
    }
    return port < n ? port : 0;
}

/** The link of a host; false after an error. */
static bool
find_host_link(const struct element *e, const struct scenario *s, struct link_fault *f,
               struct weft_link *link, struct diagnostics *d)
{
    const struct weft_clos *clos = &s->clos;
    uint32_t host;
    OWNED char *why = NULL;
    if (!named_once(e, "host", d))
    {
        return false;
    }
    if (!node_find(s, NODE_HOST, (uint64_t)f->host, &host, &why))
    {
        diag_error(d, element_line(e, "host"), "<%s> names no host: %s", e->name, why);
        return false;
    }
    const bool named = element_attribute(e, "port");
    if (named && !is_there(e, "port", f->port, weft_clos_host_ports(clos, host), d))
    {
        return false;
    }
    const int64_t first = clos->graph ? first_fabric_port(clos, host) : plane_of(e, f);
    f->link = weft_clos_host_link(clos, host, (uint32_t)(named ? f->port : first));
    weft_planes_link(clos, f->link, link);
    return true;
}

/** Whether two changes of one link meet; a slower link may not even touch the next time. */
static bool
meet(const struct link_fault *a, const struct link_fault *b, bool down)
{
    return a->link == b->link && (down ? a->at < b->repair && b->at < a->repair
                                       : a->at <= b->repair && b->at <= a->repair);
}

/** Makes one failure of those of a link that meet, where a switch fails: the link is down while one
 * of its ends is. False: one of them says it all already. */
static bool
unite(struct scenario *s, struct link_fault *f)
{
    bool news = true;
    for (size_t i = 0; i < s->nfailures; i++)
    {
        struct link_fault *other = &s->failures[i];
        if (meet(other, f, true) && (f->of_switch || other->of_switch))
        {
            news = news && (f->at < other->at || f->repair > other->repair);
            f->at = other->at < f->at ? other->at : f->at;
            f->repair = other->repair > f->repair ? other->repair : f->repair;
            f->of_switch = true;
            s->nfailures--;
            memmove(other, other + 1, (s->nfailures - i) * sizeof *other);
            i = (size_t)-1; /* from the first one again */
        }
    }
    return news;
}

/** Adds it to those of its kind, unless one of them has the link at that time. False: nothing is
 * new.
 */
static bool
add_fault(const struct element *e, struct scenario *s, struct link_fault *f, struct diagnostics *d)
{
    const bool down = strcmp(e->name, "failure") == 0, news = !down || unite(s, f);
    const struct link_fault *other;
    for (size_t i = 0; (other = element_at(e->spec, s, i)) != NULL; i++)
    {
        if (meet(other, f, down))
        {
            diag_error(d, e->line,
                       "this link is %s by the <%s> of line %d at that time; expected one at a "
                       "time",
                       down ? "down" : "degraded", e->name, other->line);
            return true;
        }
    }
    memcpy(element_next(e->spec, s), f, sizeof *f);
    return news;
}

/** Adds a fault of one link, which is @p link. False: nothing is new. */
static bool
load_link(const struct element *e, struct scenario *s, struct link_fault f,
          const struct weft_link *link, struct diagnostics *d)
{
    if (f.rate > link->rate)
    {
        diag_error(d, element_line(e, "rate"),
                   "rate of <degrade> is more than the link's %lld Mbps; expected less",
                   (long long)(link->rate / 1000000));
    }
    name_link(s, &f, link);
    return add_fault(e, s, &f, d);
}

/** Adds faults of all links of a switch. */
static void
load_switch(const struct element *e, struct scenario *s, struct link_fault *f,
            struct diagnostics *d)
{
    uint64_t sw = (uint64_t)f->node;
    if (!named_once(e, "switch", d) || !end_of(e, s, "switch", &sw, d))
    {
        return;
    }
    OWNED char *of = xformat("<%s>", e->name);
    bool news = false;
    f->of_switch = true;
    note_ids(s, NODE_SWITCH, of, e->line, d);
    for (f->link = 0; f->link < weft_planes_links(&s->clos); f->link++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, f->link, &link);
        if (link.upper.index == sw || (!link.lower.is_host && link.lower.index == sw))
        {
            news = load_link(e, s, *f, &link, d) || news;
        }
    }
    if (!news)
    {
        diag_error(d, e->line, "<%s>: all links of this switch are down at that time already",
                   e->name);
    }
}

void
load_fault(const struct element *e, struct scenario *s, struct diagnostics *d)
{
    struct link_fault f = {.host = ATTRIBUTE_ABSENT, .line = e->line};
    struct weft_link link;
    element_read(e, e->spec, &f, d);
    check_times(e, f.at, f.repair, d);
    if (f.port >= 0 && f.host < 0)
    {
        diag_error(d, element_line(e, "port"),
                   "port of <%s>: it is a host's; expected host as well", e->name);
        return;
    }
    OWNED char *of = xformat("<%s>", e->name);
    if (s->clos.nhosts == 0 || !has_plane(e, s, &f, d))
    {
        return;
    }
    if (f.node >= 0)
    {
        load_switch(e, s, &f, d);
    }
    else if ((f.host >= 0 ? find_host_link : find_switch_link)(e, s, &f, &link, d))
    {
        load_link(e, s, f, &link, d);
        note_ids(s, f.host >= 0 ? NODE_HOST : NODE_SWITCH, of, e->line, d);
    }
}
