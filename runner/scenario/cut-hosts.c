/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts of a workload that failures leave without a path until the end of the run. */
#include "link-failures.h"
#include "node-numbers.h"
#include "number-order.h"
#include "scenario-load.h"
#include "textbuf.h"
#include "traffic-load.h"

#include <stdlib.h>

/** Links that are down at the end of a run, and since when the last of them is. */
struct lasting
{
    uint64_t *links; /**< rising */
    size_t n;
    int64_t at;                   /**< ps */
    int line;                     /**< of that one, or of another that is named; 0: none is */
    const struct element *chance; /**< that has chosen one of them; NULL: none is */
};

static struct lasting
lasting_of(const struct scenario *s)
{
    size_t n, distinct = 0;
    OWNED struct faulty_link *all = faulty_links(s, &n);
    struct lasting last = {.links = xcalloc(n + 1, sizeof *last.links)};
    for (size_t i = 0; i < n; i++)
    {
        const struct link_fault *f = all[i].fault;
        if (f->effect == WEFT_FAULT_DOWN && !fault_flaps(f) && f->at < s->stop &&
            f->repair >= s->stop)
        {
            const bool drawn = fault_is_drawn(f);
            last.links[last.n++] = all[i].link;
            last.line = !drawn && (f->at >= last.at || last.line == 0) ? f->e->line : last.line;
            last.at = f->at > last.at ? f->at : last.at;
            last.chance = drawn ? f->e : last.chance;
        }
    }
    qsort(last.links, last.n, sizeof *last.links, order_u64);
    for (size_t i = 0; i < last.n; i++)
    {
        if (i == 0 || last.links[i] != last.links[i - 1])
        {
            last.links[distinct++] = last.links[i];
        }
    }
    last.n = distinct;
    return last;
}

/** Forwarding of each plane in which a link between switches is down; NULL: all is healthy there.
 */
struct forwarding
{
    const struct scenario *s;
    const struct lasting *last;
    struct weft_fib **fib; /* [plane] */
};

static bool
is_down(const struct lasting *last, uint64_t link)
{
    return bsearch(&link, last->links, last->n, sizeof link, order_u64) != NULL;
}

/** A host as one end of a message. */
struct host_end
{
    uint32_t host;
    uint64_t ports; /* to the network by which the message goes, as bits */
    uint64_t down;  /* those whose link is down */
};

/** @p inside: by its server's network. */
static struct host_end
end_of(const struct weft_clos *clos, const struct lasting *last, uint32_t host, bool inside)
{
    const uint64_t own = weft_clos_inside_ports(clos, host);
    const uint32_t n = weft_clos_host_ports(clos, host);
    struct host_end end = {host, inside ? own : (UINT64_MAX >> (64 - n)) & ~own, 0};
    for (uint32_t port = 0; port < n; port++)
    {
        const bool down = is_down(last, weft_clos_host_link(clos, host, port));
        end.down |= ((uint64_t)down << port) & end.ports;
    }
    return end;
}

/** Whether two hosts have a switch in common by links that are alive. */
static bool
share_switch(const struct weft_clos *clos, const struct host_end *a, const struct host_end *b)
{
    const uint64_t of_a = a->ports & ~a->down, of_b = b->ports & ~b->down;
    bool share = false;
    for (uint32_t i = 0; i < 64 && of_a >> i != 0; i++)
    {
        for (uint32_t k = 0; k < 64 && of_b >> k != 0 && !share; k++)
        {
            struct weft_link at_a, at_b;
            if ((of_a >> i) & (of_b >> k) & 1U)
            {
                weft_planes_link(clos, weft_clos_host_link(clos, a->host, i), &at_a);
                weft_planes_link(clos, weft_clos_host_link(clos, b->host, k), &at_b);
                share = at_a.upper.index == at_b.upper.index;
            }
        }
    }
    return share;
}

/** Whether no way is left from one host to another: by their server's network alone, if they are in
 * one, or by no plane. */
static bool
is_cut(const struct forwarding *f, uint32_t src, uint32_t dst)
{
    const struct weft_clos *clos = &f->s->clos;
    const bool inside = weft_clos_inside(clos, src, dst);
    const struct host_end a = end_of(clos, f->last, src, inside),
                          b = end_of(clos, f->last, dst, inside);
    const uint64_t down = a.down | b.down;
    bool cut = src != dst && !inside;
    for (uint32_t plane = 0; plane < clos->planes && cut; plane++)
    {
        const bool dead = clos->graph ? a.down == a.ports || b.down == b.ports : down >> plane & 1U;
        cut = dead || !weft_fib_leads(clos, f->fib[plane], src, dst);
    }
    return cut || (inside && !share_switch(clos, &a, &b));
}

/** ToRs times links that are down, beyond which forwarding takes too long to compute. */
#define MOST_WORK 65536

/** Makes forwarding of a plane; NULL: no link between switches is down there, or it takes too long.
 * In a graph hosts with several links take other ones. */
static struct weft_fib *
forwarding_of(const struct scenario *s, const struct lasting *last, uint32_t plane)
{
    const uint64_t first = plane * s->clos.nlinks + (s->clos.graph ? 0 : s->clos.nhosts);
    OWNED uint64_t *dead = xcalloc(last->n + 1, sizeof *dead);
    struct weft_fib_case of = {.dead = dead, .weights = WEFT_WEIGHTS_NONE};
    for (size_t i = 0; i < last->n; i++)
    {
        if (last->links[i] >= first && last->links[i] < (plane + 1) * s->clos.nlinks)
        {
            dead[of.ndead++] = last->links[i] - plane * s->clos.nlinks;
        }
    }
    const bool quick = of.ndead > 0 && of.ndead <= MOST_WORK / s->clos.ntors;
    const int64_t size = quick ? weft_fib_size_for(&s->clos, &of) : -1;
    void *memory = size > 0 ? xcalloc((size_t)size / 8 + 1, 8) : NULL;
    if (size > 0 && weft_fib_build_for(memory, (size_t)size, &s->clos, &of) != 0)
    {
        free(memory);
        memory = NULL;
    }
    return memory;
}

/** Fewer ToRs than that are looked at before the messages are. */
#define FEW_TORS 128

/** Whether a link of a host is down. */
static bool
any_host_link(const struct forwarding *f)
{
    struct weft_link link = {.rate = 0};
    for (size_t i = 0; i < f->last->n && !link.lower.is_host; i++)
    {
        weft_planes_link(&f->s->clos, f->last->links[i], &link);
    }
    return link.lower.is_host;
}

/** Whether some hosts may be cut off from each other: false if all their links are alive, and
 * forwarding leads from each ToR to each. */
static bool
any_is_cut(const struct forwarding *f)
{
    const struct weft_clos *clos = &f->s->clos;
    const uint32_t step = clos->graph ? 1 : clos->hosts_per_tor, n = clos->nhosts / step;
    bool whole = false;
    for (uint32_t plane = 0; plane < clos->planes; plane++)
    {
        whole = whole || !f->fib[plane];
    }
    bool cut = any_host_link(f) || (!whole && n > FEW_TORS);
    for (uint32_t i = 0; i < n * n && !whole && !cut; i++)
    {
        cut = true;
        for (uint32_t plane = 0; plane < clos->planes && cut; plane++)
        {
            cut = !weft_fib_leads(clos, f->fib[plane], i / n * step, i % n * step);
        }
    }
    return cut;
}

/** Whether all links of a switch to other switches are among those that are down. */
static bool
is_alone(const struct scenario *s, const struct lasting *last, uint32_t index)
{
    for (uint64_t i = 0; i < weft_planes_links(&s->clos); i++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, i, &link);
        if (!link.lower.is_host && (link.lower.index == index || link.upper.index == index) &&
            !is_down(last, i))
        {
            return false;
        }
    }
    return true;
}

/** Adds the ports of a host that are down: "port 0 of host 1"; returns how many there are. */
static uint32_t
add_ports(struct text *t, const struct scenario *s, const struct host_end *end)
{
    OWNED char *name = node_shown(s, NODE_HOST, end->host);
    uint32_t n = 0;
    for (uint32_t port = 0; port < 64; port++)
    {
        if (end->down >> port & 1U)
        {
            text_add(t, "%sport %u of %s", t->len > 0 ? " and " : "", port, name);
            n++;
        }
    }
    return n;
}

/** Returns a switch whose links to others are all down, at the only port of one of two hosts;
 * UINT32_MAX: there is none. */
static uint32_t
switch_alone(const struct forwarding *f, const struct host_end ends[2])
{
    const struct weft_clos *clos = &f->s->clos;
    for (size_t i = 0; i < 2; i++)
    {
        struct weft_link link;
        uint32_t port = 0;
        while (ends[i].ports >> port > 1)
        {
            port++;
        }
        weft_planes_link(clos, weft_clos_host_link(clos, ends[i].host, port), &link);
        if (ends[i].ports == UINT64_C(1) << port && is_alone(f->s, f->last, link.upper.index))
        {
            return link.upper.index;
        }
    }
    return UINT32_MAX;
}

/** Returns why no way is left: ", as ... is down", or "". The caller frees it. */
static char *
reason(const struct forwarding *f, const struct host_end ends[2], bool inside)
{
    const struct scenario *s = f->s;
    for (size_t i = 0; i < 2; i++)
    {
        if (ends[i].down == ends[i].ports)
        {
            OWNED char *name = node_shown(s, NODE_HOST, ends[i].host);
            return xformat(", as %s link of %s to %s is down",
                           (ends[i].ports & (ends[i].ports - 1)) ? "every" : "the", name,
                           inside ? "its server's network" : "the fabric");
        }
    }
    const uint32_t sw = inside ? UINT32_MAX : switch_alone(f, ends);
    if (sw != UINT32_MAX)
    {
        OWNED char *name = s->clos.graph || s->clos.tiers == 3 ? node_shown(s, NODE_SWITCH, sw)
                                                               : xformat("leaf %u", sw);
        return xformat(", as every link of %s to other switches is down", name);
    }
    struct text list = {0};
    const uint32_t n = add_ports(&list, s, &ends[0]) + add_ports(&list, s, &ends[1]);
    OWNED char *ports = text_take(&list);
    return n > 0 ? xformat(", as %s %s down", ports, n > 1 ? "are" : "is") : xstrdup("");
}

static void
report(const struct forwarding *f, const struct weft_message *m, uint32_t cut,
       struct diagnostics *d)
{
    const struct scenario *s = f->s;
    const bool inside = weft_clos_inside(&s->clos, m->src, m->dst);
    const struct host_end ends[2] = {end_of(&s->clos, f->last, m->dst, inside),
                                     end_of(&s->clos, f->last, m->src, inside)};
    const bool named = /* chance has no links of hosts */
        inside || ends[0].down == ends[0].ports || ends[1].down == ends[1].ports;
    if (f->last->chance && !named)
    {
        diag_warning(d, f->last->chance->line,
                     "<random-failures> leaves hosts of the workload without a path until the end "
                     "of a run: their messages cannot arrive later");
        return;
    }
    OWNED char *from = node_shown(s, NODE_HOST, m->src), *to = node_shown(s, NODE_HOST, m->dst),
               *why = reason(f, ends, inside);
    diag_warning(d, f->last->line,
                 "no path is left from %s to %s from %.6g us until the end of the run%s: %u "
                 "message%s between such hosts cannot arrive later",
                 from, to, (double)f->last->at * 1e-6, why, cut, cut == 1 ? "" : "s");
}

/** Messages between hosts that are cut off, and the first of them. */
static void
check_messages(const struct forwarding *f, struct diagnostics *d)
{
    const struct scenario *s = f->s;
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    const struct weft_message *first = NULL;
    struct traffic_sample all;
    uint32_t cut = 0;
    traffic_messages(s, &hosts, LOAD_MOST_UNLIKE, &all);
    for (uint32_t i = 0; i < all.n; i++)
    {
        if (is_cut(f, all.messages[i].src, all.messages[i].dst))
        {
            first = first ? first : &all.messages[i];
            cut++;
        }
    }
    if (first)
    {
        report(f, first, cut, d);
    }
    free(all.messages);
}

void
warn_of_cut_hosts(const struct scenario *s, struct diagnostics *d)
{
    const struct lasting last = lasting_of(s);
    OWNED struct weft_fib **fib = (struct weft_fib **)xcalloc(s->clos.planes, sizeof *fib);
    const struct forwarding f = {s, &last, fib};
    for (uint32_t plane = 0; plane < s->clos.planes; plane++)
    {
        fib[plane] = forwarding_of(s, &last, plane);
    }
    if (last.n > 0 && any_is_cut(&f))
    {
        check_messages(&f, d);
    }
    for (uint32_t plane = 0; plane < s->clos.planes; plane++)
    {
        free(fib[plane]);
    }
    free(last.links);
}
