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

/** Whether forwarding has no port for such a packet where it enters the fabric. */
static bool
is_cut(const struct scenario *s, const struct weft_fib *fib, uint32_t src, uint32_t dst)
{
    struct weft_link link;
    struct weft_switch_map map;
    struct weft_ports ports;
    weft_clos_link(&s->clos, src, &link);
    weft_clos_switch(&s->clos, link.upper.index, &map);
    return src != dst && !weft_fib_route(fib, link.upper.index, &map, dst, &ports);
}

/** ToRs times links that are down, beyond which forwarding takes too long to compute. */
#define MOST_WORK 65536

/** Fewer ToRs than that are looked at before the messages are. */
#define FEW_TORS 128

/** Whether some hosts may be cut off from each other: false if a look at the ToRs says no. */
static bool
any_is_cut(const struct scenario *s, const struct weft_fib *fib)
{
    const uint32_t step = s->clos.graph ? 1 : s->clos.hosts_per_tor;
    bool cut = s->clos.nhosts / step > FEW_TORS;
    for (uint32_t src = 0; src < s->clos.nhosts && !cut; src += step)
    {
        for (uint32_t dst = 0; dst < s->clos.nhosts && !cut; dst += step)
        {
            cut = is_cut(s, fib, src, dst);
        }
    }
    return cut;
}

/** Whether all links of a switch to other switches are among those that are down. */
static bool
is_alone(const struct scenario *s, const struct lasting *last, uint32_t index)
{
    for (uint64_t i = s->clos.nhosts; i < s->clos.nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(&s->clos, i, &link);
        if ((link.lower.index == index || link.upper.index == index) &&
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
check_messages(const struct scenario *s, const struct lasting *last, const struct weft_fib *fib,
               struct diagnostics *d)
{
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    const struct weft_message *first = NULL;
    struct traffic_sample all;
    uint32_t cut = 0;
    traffic_messages(s, &hosts, LOAD_MOST_UNLIKE, &all);
    for (uint32_t i = 0; i < all.n; i++)
    {
        if (is_cut(s, fib, all.messages[i].src, all.messages[i].dst))
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
    const struct weft_fib_case of = {.dead = links, .ndead = last.n, .weights = WEFT_WEIGHTS_NONE};
    const bool quick = last.n > 0 && last.n <= MOST_WORK / s->clos.ntors;
    const int64_t size = quick ? weft_fib_size_for(&s->clos, &of) : -1;
    OWNED uint64_t *memory = xcalloc(size > 0 ? (size_t)size / 8 + 1 : 1, 8);
    struct weft_fib *fib = (struct weft_fib *)(void *)memory;
    if (size > 0 && weft_fib_build_for(fib, (size_t)size, &s->clos, &of) == 0 && any_is_cut(s, fib))
    {
        check_messages(s, &last, fib, d);
    }
}
