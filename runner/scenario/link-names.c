/* SPDX-License-Identifier: GPL-2.0-only */
/* Links as scenarios name them: by their ends, or by a host or switch whose links they are. */
#include <string.h>

#include "element-values.h"
#include "node-numbers.h"
#include "scenario-load.h"
#include "textbuf.h"

#define MOST_SHOWN 60 /* letters of a list, about */

/** An element that names links. */
struct naming
{
    const struct element *e;
    const struct scenario *s;
    struct link_name *name;
    struct link_fault *fault; /* it is to have them */
    struct diagnostics *d;
};

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
plane_of(const struct naming *n)
{
    return element_attribute(n->e, "plane") ? n->name->plane : 0;
}

/** Whether there is the plane that an element names, and it has a use for it. False after an error.
 */
static bool
has_plane(const struct naming *n)
{
    const struct element *e = n->e;
    const struct link_name *name = n->name;
    const bool named = element_attribute(e, "plane");
    if (named && n->s->tors_memory)
    {
        diag_error(n->d, element_line(e, "plane"),
                   "plane of <%s>: hosts at several ToRs make this topology a graph; expected "
                   "port, switch, or lower and upper, which count through all planes",
                   e->name);
        return false;
    }
    if (named && (name->lower >= 0 || name->node >= 0 || name->port >= 0))
    {
        diag_error(
            n->d, element_line(e, "plane"),
            "plane of <%s>: %s; expected plane with leaf and spine, or with host, alone", e->name,
            name->port >= 0 ? "port is a number among those of all planes"
                            : "lower, upper and switch are numbers of switches of all planes");
        return false;
    }
    return !named || is_there(e, "plane", name->plane, n->s->clos.planes, n->d);
}

/** Numbers of switches of a kind, within a plane or a pod of it. */
struct place
{
    const char *attribute;
    int64_t number;
    uint32_t first, count;
};

/** Sets the ends of a link by their places. False after an error. */
static bool
ends_at(const struct naming *n, const struct place *lower, const struct place *upper,
        uint64_t ends[2])
{
    const uint64_t first = (uint64_t)plane_of(n) * n->s->clos.nswitches;
    ends[0] = first + lower->first + (uint64_t)lower->number;
    ends[1] = first + upper->first + (uint64_t)upper->number;
    return is_there(n->e, lower->attribute, lower->number, lower->count, n->d) &&
           is_there(n->e, upper->attribute, upper->number, upper->count, n->d);
}

/** Sets the ends of a link of three tiers: below the aggregations, or above them. False after an
 * error. */
static bool
ends_in_pod(const struct naming *n, uint64_t ends[2])
{
    const struct weft_clos *clos = &n->s->clos;
    const struct link_name *name = n->name;
    if (!is_there(n->e, "pod", name->pod, clos->npods, n->d))
    {
        return false;
    }
    const uint32_t pod = (uint32_t)name->pod, naggs = clos->naggs / clos->npods;
    const struct place agg = {"aggregation", name->aggregation, clos->ntors + pod * naggs, naggs},
                       tor = {"leaf", name->leaf, pod * clos->tors_per_pod, clos->tors_per_pod},
                       core = {"core", name->core, clos->ntors + clos->naggs, clos->ncores};
    return name->core >= 0 ? ends_at(n, &agg, &core, ends) : ends_at(n, &tor, &agg, ends);
}

/** Sets the two switches of an element; false after an error. */
static bool
ends_of(const struct naming *n, uint64_t ends[2])
{
    static const char *const attributes[] = {"leaf", "spine",       "lower", "upper",
                                             "pod",  "aggregation", "core"};
    const struct weft_clos *clos = &n->s->clos;
    /* A file's switches have numbers of its own, and no places. */
    const unsigned tiers = clos->graph || nodes_have_ids(n->s, NODE_SWITCH) ? 0 : clos->tiers;
    unsigned given = 0; /* bits of these */
    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++)
    {
        given |= element_attribute(n->e, attributes[i]) ? 1U << i : 0;
    }
    if (given == 0x0c)
    {
        ends[0] = (uint64_t)n->name->lower;
        ends[1] = (uint64_t)n->name->upper;
        return end_of(n->e, n->s, "lower", &ends[0], n->d) &&
               end_of(n->e, n->s, "upper", &ends[1], n->d);
    }
    if (given == 0x03 && tiers == 2)
    {
        const struct place leaf = {"leaf", n->name->leaf, 0, clos->ntors},
                           spine = {"spine", n->name->spine, clos->ntors,
                                    clos->nswitches - clos->ntors};
        return ends_at(n, &leaf, &spine, ends);
    }
    if ((given == 0x31 || given == 0x70) && tiers == 3)
    {
        return ends_in_pod(n, ends);
    }
    diag_error(n->d, n->e->line,
               "<%s> does not name one link; expected %slower and upper (switch numbers), or host, "
               "or switch",
               n->e->name,
               tiers == 2   ? "leaf and spine, or "
               : tiers == 3 ? "pod, leaf and aggregation, or pod, aggregation and core, or "
                            : "");
    return false;
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

static void
report_upside_down(const struct naming *n, uint32_t lower, uint32_t upper)
{
    diag_error(n->d, n->e->line, "<%s> names a link upside down; expected lower %u and upper %u",
               n->e->name, node_number(n->s, NODE_SWITCH, lower),
               node_number(n->s, NODE_SWITCH, upper));
}

/** Says which links two switches have, or which neighbours the lower one has. */
static void
report_no_link(const struct naming *n, const uint64_t ends[2])
{
    const struct element *e = n->e;
    const struct weft_clos *clos = &n->s->clos;
    const uint32_t a = node_number(n->s, NODE_SWITCH, (uint32_t)ends[0]),
                   b = node_number(n->s, NODE_SWITCH, (uint32_t)ends[1]);
    const unsigned long long joined = count_links(clos, ends[0], ends[1], weft_planes_links(clos));
    OWNED char *others = neighbours_of(n->s, ends[0]);
    if (joined)
    {
        diag_error(
            n->d, element_line(e, "link"),
            "link %lld of <%s> does not exist; expected one below %llu, as switches %u and %u "
            "have",
            (long long)n->name->parallel, e->name, joined, a, b);
    }
    else if (count_links(clos, ends[1], ends[0], weft_planes_links(clos)))
    {
        report_upside_down(n, (uint32_t)ends[1], (uint32_t)ends[0]);
    }
    else
    {
        diag_error(n->d, e->line,
                   "<%s> names no link: switches %u and %u are no neighbours; %s switch %u there "
                   "are %s",
                   e->name, a, b, clos->graph ? "beside" : "above", a, others);
    }
}

/** A link that is named twice is there once. */
static void
add_link(const struct naming *n, uint64_t link)
{
    struct link_fault *f = n->fault;
    for (size_t i = 0; i < f->nlinks; i++)
    {
        if (f->links[i] == link)
        {
            return;
        }
    }
    ARRAY_GROW(f->links, f->nlinks);
    f->links[f->nlinks++] = link;
}

/** Adds the link between switches that an element names, or all of these two; in a graph either end
 * may come first. */
static void
add_between(const struct naming *n)
{
    const struct weft_clos *clos = &n->s->clos;
    const int64_t wanted = n->name->parallel;
    uint64_t ends[2];
    if (!ends_of(n, ends))
    {
        return;
    }
    struct weft_link link, found = {.rate = 0};
    int64_t number = 0;
    for (uint64_t i = 0; i < weft_planes_links(clos); i++)
    {
        weft_planes_link(clos, i, &link);
        if (link_joins(clos, &link, ends[0], ends[1]) &&
            (number++ == wanted || wanted == WEFT_NEVER))
        {
            add_link(n, i);
            found = link;
        }
    }
    if (found.rate == 0)
    {
        report_no_link(n, ends);
        return;
    }
    if (found.lower.index != ends[0] && n->fault->direction != WEFT_BOTH_WAYS)
    {
        report_upside_down(n, found.lower.index, found.upper.index);
    }
    n->name->leaf = n->name->spine = n->name->pod = n->name->aggregation = n->name->core =
        n->name->plane = ATTRIBUTE_ABSENT;
    n->name->lower = node_number(n->s, NODE_SWITCH, found.lower.index);
    n->name->upper = node_number(n->s, NODE_SWITCH, found.upper.index);
}

/** Whether an element names its link in one way; else an error. */
static bool
named_once(const struct naming *n, const char *by)
{
    static const char *const others[] = {"leaf", "spine", "lower",       "upper", "link",
                                         "host", "pod",   "aggregation", "core"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    {
        if (strcmp(others[i], by) != 0 && element_attribute(n->e, others[i]))
        {
            diag_error(n->d, element_line(n->e, others[i]),
                       "<%s> names %s and has %s as well; expected %s alone", n->e->name,
                       strcmp(by, "host") == 0 ? "a host's link" : "a switch", others[i], by);
            return false;
        }
    }
    n->name->parallel = ATTRIBUTE_ABSENT;
    return true;
}

/** Adds the link of a host, or each of its links that leads to the fabric. */
static void
add_of_host(const struct naming *n)
{
    const struct weft_clos *clos = &n->s->clos;
    struct link_name *name = n->name;
    uint32_t host;
    OWNED char *why = NULL;
    if (!named_once(n, "host"))
    {
        return;
    }
    if (!node_find(n->s, NODE_HOST, (uint64_t)name->host, &host, &why))
    {
        diag_error(n->d, element_line(n->e, "host"), "<%s> names no host: %s", n->e->name, why);
        return;
    }
    const uint32_t nports = weft_clos_host_ports(clos, host);
    const uint64_t ports = UINT64_MAX >> (64 - nports),
                   outside = ports & ~weft_clos_inside_ports(clos, host);
    uint64_t chosen = outside ? outside : ports;
    if (element_attribute(n->e, "port") && name->port != WEFT_NEVER)
    {
        if (!is_there(n->e, "port", name->port, nports, n->d))
        {
            return;
        }
        chosen = UINT64_C(1) << name->port;
    }
    else if (name->port != WEFT_NEVER)
    {
        chosen = clos->graph ? chosen & (0 - chosen) : UINT64_C(1) << plane_of(n);
    }
    for (uint32_t i = 0; i < nports; i++)
    {
        if (chosen >> i & 1U)
        {
            add_link(n, weft_clos_host_link(clos, host, i));
            name->port = name->port == WEFT_NEVER ? name->port : i;
        }
    }
    name->plane = ATTRIBUTE_ABSENT;
    name->port = nports > 1 ? name->port : ATTRIBUTE_ABSENT;
}

/** Adds all links of a switch. */
static void
add_of_switch(const struct naming *n)
{
    uint64_t sw = (uint64_t)n->name->node;
    if (!named_once(n, "switch") || !end_of(n->e, n->s, "switch", &sw, n->d))
    {
        return;
    }
    for (uint64_t i = 0; i < weft_planes_links(&n->s->clos); i++)
    {
        struct weft_link link;
        weft_planes_link(&n->s->clos, i, &link);
        if (link.upper.index == sw || (!link.lower.is_host && link.lower.index == sw))
        {
            add_link(n, i);
        }
    }
}

void
find_links(const struct element *e, const struct scenario *s, struct link_name *name,
           struct link_fault *fault, struct diagnostics *d)
{
    const struct naming n = {e, s, name, fault, d};
    OWNED char *of = xformat("<%s>", e->name);
    if (name->port >= 0 && name->host < 0)
    {
        diag_error(d, element_line(e, "port"),
                   "port of <%s>: it is a host's; expected host as well", e->name);
        return;
    }
    const size_t before = fault->nlinks;
    if (has_plane(&n))
    {
        (name->node >= 0 ? add_of_switch : name->host >= 0 ? add_of_host : add_between)(&n);
    }
    if (fault->nlinks > before)
    {
        note_ids(s, name->host >= 0 ? NODE_HOST : NODE_SWITCH, of, e->line, d);
    }
}
