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
    int64_t at;  /**< ps */
    int line;    /**< of that one; 0: chance has chosen one of them */
    bool chance; /**< chance has chosen one of them */
};

static struct lasting
lasting_of(const struct scenario *s)
{
    size_t n, distinct = 0;
    OWNED struct link_fault *all = failures_of(s, &n);
    struct lasting last = {.links = xcalloc(n + 1, sizeof *last.links)};
    for (size_t i = 0; i < n; i++)
    {
        if (all[i].at < s->stop && all[i].repair >= s->stop)
        {
            last.links[last.n++] = all[i].link;
            last.line = all[i].at >= last.at ? all[i].line : last.line;
            last.at = all[i].at > last.at ? all[i].at : last.at;
            last.chance = last.chance || all[i].line == 0;
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

/** Forwarding of each plane in which a link is down; NULL: all is healthy there. */
struct forwarding
{
    const struct scenario *s;
    struct weft_fib **fib; /* [plane] */
};

/** Whether forwarding has no port for such a packet where it enters a plane. */
static bool
is_cut_in(const struct forwarding *f, uint32_t plane, uint32_t src, uint32_t dst)
{
    const struct weft_clos *clos = &f->s->clos;
    const struct weft_fib *fib = f->fib[plane];
    const uint32_t tor = weft_clos_tor(clos, src);
    struct weft_switch_map map;
    struct weft_ports ports;
    if (fib && clos->graph && clos->graph->most_ports > 1)
    {
        return weft_fib_ways(fib, src, dst) == 0;
    }
    weft_clos_switch(clos, tor, &map);
    return fib && !weft_fib_route(fib, tor, &map, dst, &ports);
}

/** Whether no plane leads from one host to another. */
static bool
is_cut(const struct forwarding *f, uint32_t src, uint32_t dst)
{
    const struct weft_clos *clos = &f->s->clos;
    bool cut = src != dst && (clos->graph || !weft_clos_inside(clos, src, dst));
    for (uint32_t plane = 0; plane < clos->planes && cut; plane++)
    {
        cut = is_cut_in(f, plane, src, dst);
    }
    return cut;
}

/** Makes forwarding of a plane; NULL: nothing is down there, or it takes too long. */
static struct weft_fib *
forwarding_of(const struct scenario *s, const struct lasting *last, uint32_t plane)
{
    const uint64_t first = plane * s->clos.nlinks;
    OWNED uint64_t *dead = xcalloc(last->n + 1, sizeof *dead);
    struct weft_fib_case of = {.dead = dead, .weights = WEFT_WEIGHTS_NONE};
    for (size_t i = 0; i < last->n; i++)
    {
        if (last->links[i] - first < s->clos.nlinks)
        {
            dead[of.ndead++] = last->links[i] - first;
        }
    }
    const int64_t size = of.ndead > 0 ? weft_fib_size_for(&s->clos, &of) : -1;
    void *memory = size > 0 ? xcalloc((size_t)size / 8 + 1, 8) : NULL;
    if (size > 0 && weft_fib_build_for(memory, (size_t)size, &s->clos, &of) != 0)
    {
        free(memory);
        memory = NULL;
    }
    return memory;
}

/** ToRs times links that are down, beyond which forwarding takes too long to compute. */
#define MOST_WORK 65536

/** Fewer ToRs than that are looked at before the messages are. */
#define FEW_TORS 128

/** Whether some hosts may be cut off from each other: false if a look at the ToRs says no. */
static bool
any_is_cut(const struct forwarding *f)
{
    const struct scenario *s = f->s;
    const uint32_t step = s->clos.graph ? 1 : s->clos.hosts_per_tor;
    bool cut = s->clos.nhosts / step > FEW_TORS;
    for (uint32_t src = 0; src < s->clos.nhosts && !cut; src += step)
    {
        for (uint32_t dst = 0; dst < s->clos.nhosts && !cut; dst += step)
        {
            cut = is_cut(f, src, dst);
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
            !bsearch(&i, last->links, last->n, sizeof i, order_u64))
        {
            return false;
        }
    }
    return true;
}

static void
report(const struct scenario *s, const struct lasting *last, const struct weft_message *m,
       uint32_t cut, struct diagnostics *d)
{
    struct weft_link src, dst;
    weft_clos_link(&s->clos, m->src, &src);
    weft_clos_link(&s->clos, m->dst, &dst);
    if (last->chance)
    {
        const struct element *e = element_child(s->root, "random-failures");
        diag_warning(d, e->line,
                     "<random-failures> leaves hosts of the workload without a path until the end "
                     "of a run: their messages cannot arrive later");
        return;
    }
    const bool far = is_alone(s, last, dst.upper.index);
    const uint32_t sw = far ? dst.upper.index : src.upper.index;
    OWNED char *from = node_shown(s, NODE_HOST, m->src), *to = node_shown(s, NODE_HOST, m->dst),
               *name = s->clos.graph || s->clos.tiers == 3 ? node_shown(s, NODE_SWITCH, sw)
                                                           : xformat("leaf %u", sw),
               *alone = far || is_alone(s, last, sw)
                            ? xformat(", as every link of %s to other switches is down", name)
                            : xstrdup("");
    diag_warning(d, last->line,
                 "no path is left from %s to %s from %.6g us until the end of the run%s: %u "
                 "messages between such hosts cannot arrive later",
                 from, to, (double)last->at * 1e-6, alone, cut);
}

/** Messages between hosts that are cut off, and the first of them. */
static void
check_messages(const struct forwarding *f, const struct lasting *last, struct diagnostics *d)
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
        report(s, last, first, cut, d);
    }
    free(all.messages);
}

void
warn_of_cut_hosts(const struct scenario *s, struct diagnostics *d)
{
    const struct lasting last = lasting_of(s);
    OWNED uint64_t *links = last.links;
    const bool quick = last.n > 0 && last.n <= MOST_WORK / s->clos.ntors;
    OWNED struct weft_fib **fib = (struct weft_fib **)xcalloc(s->clos.planes, sizeof *fib);
    const struct forwarding f = {s, fib};
    for (uint32_t plane = 0; plane < s->clos.planes && quick; plane++)
    {
        fib[plane] = forwarding_of(s, &last, plane);
    }
    if (quick && any_is_cut(&f))
    {
        check_messages(&f, &last, d);
    }
    for (uint32_t plane = 0; plane < s->clos.planes; plane++)
    {
        free(fib[plane]);
    }
}
