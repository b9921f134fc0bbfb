/* SPDX-License-Identifier: GPL-2.0-only */
#include "node-numbers.h"

#include <stdlib.h>
#include <string.h>

#include "input-file.h"
#include "number-order.h"
#include "textbuf.h"

/** Ranges of numbers that a message lists. */
#define MOST_RANGES 4

static const char *const kinds[] = {"host", "switch"}, *const plurals[] = {"hosts", "switches"};

static const struct graph_names *
names_of(const struct scenario *s)
{
    return &s->topology_file->names;
}

bool
nodes_have_ids(const struct scenario *s, enum node_kind kind)
{
    return s->topology_file && s->ids == IDS_FILE && names_of(s)->has_ids[kind];
}

uint32_t
nodes_count(const struct scenario *s, enum node_kind kind)
{
    return kind == NODE_HOST ? s->clos.nhosts : weft_planes_switches(&s->clos);
}

/** Returns what the topology's file calls a node. */
static const char *
name_of(const struct scenario *s, enum node_kind kind, uint32_t node)
{
    return names_of(s)->name[node + (kind == NODE_SWITCH ? names_of(s)->count[NODE_HOST] : 0)];
}

uint32_t
node_number(const struct scenario *s, enum node_kind kind, uint32_t node)
{
    return nodes_have_ids(s, kind) ? (uint32_t)strtoull(name_of(s, kind, node), NULL, 10) : node;
}

bool
node_find(const struct scenario *s, enum node_kind kind, uint64_t number, uint32_t *node,
          char **why)
{
    enum node_kind found = kind;
    const bool ids = nodes_have_ids(s, kind);
    *node = (uint32_t)number;
    *why = NULL;
    const bool any =
        ids ? graph_names_find(names_of(s), number, &found, node) : number < nodes_count(s, kind);
    if (any && found == kind)
    {
        return true;
    }
    OWNED char *all = node_numbers(s, kind),
               *of = any ? xformat("is a %s of ", kinds[found]) : xformat("is not in ");
    *why = ids ? xformat("%llu %s%s; %s there are %s", (unsigned long long)number, of,
                         s->topology_file->written, plurals[kind], all)
               : xformat("%llu; expected %s", (unsigned long long)number, all);
    return false;
}

char *
node_numbers(const struct scenario *s, enum node_kind kind)
{
    const uint32_t n = nodes_count(s, kind);
    OWNED uint32_t *number = xcalloc(n + 1, sizeof *number);
    struct text t = {0};
    size_t ranges = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        number[i] = node_number(s, kind, i);
    }
    qsort(number, n, sizeof *number, order_u32);
    for (uint32_t i = 0, last; i < n; i = last + 1)
    {
        for (last = i; last + 1 < n && number[last + 1] == number[last] + 1; last++)
        {
        }
        last = ++ranges == MOST_RANGES && last + 1 < n ? n - 1 : last;
        text_add(&t, "%s%u", i ? ", " : "", number[i]);
        if (last > i)
        {
            text_add(&t, number[last] - number[i] == last - i ? " to %u" : ", ... %u",
                     number[last]);
        }
    }
    return text_take(&t);
}

char *
node_shown(const struct scenario *s, enum node_kind kind, uint32_t node)
{
    const char *name = s->topology_file ? name_of(s, kind, node) : "";
    OWNED char *own = xformat("%u", node);
    return *name && strcmp(name, own) != 0
               ? xformat("%s %s (%s in %s)", kinds[kind], own, name, s->topology_file->written)
               : xformat("%s %s", kinds[kind], own);
}

/** Adds the place of a switch of a Clos, as elements name it. */
static void
add_place(const struct weft_clos *clos, uint32_t sw, struct text *t)
{
    const uint32_t local = sw % clos->nswitches, above = local - clos->ntors,
                   aggs = clos->naggs / clos->npods;
    if (sw >= clos->planes * clos->nswitches)
    {
        text_add(t, "server %u", sw - clos->planes * clos->nswitches);
        return;
    }
    if (clos->planes > 1)
    {
        text_add(t, "plane %u ", sw / clos->nswitches);
    }
    if (clos->tiers == 2)
    {
        local < clos->ntors ? text_add(t, "leaf %u", local) : text_add(t, "spine %u", above);
    }
    else if (local < clos->ntors)
    {
        text_add(t, "pod %u leaf %u", local / clos->tors_per_pod, local % clos->tors_per_pod);
    }
    else if (above < clos->naggs)
    {
        text_add(t, "pod %u aggregation %u", above / aggs, above % aggs);
    }
    else
    {
        text_add(t, "core %u", above - clos->naggs);
    }
}

void
node_add_name(const struct scenario *s, enum node_kind kind, uint32_t node, struct text *t)
{
    const bool file = s->topology_file && s->ids == IDS_FILE;
    const char *name = file && !nodes_have_ids(s, kind) ? name_of(s, kind, node) : "";
    if (*name)
    {
        text_add(t, "%s", name);
    }
    else if (kind == NODE_SWITCH && !file && !s->clos.graph)
    {
        add_place(&s->clos, node, t);
    }
    else
    {
        text_add(t, "%s %u", kinds[kind], node_number(s, kind, node));
    }
}

/** Where some names are numbers and others are not, none is an id: says so, and which is one that a
 * reader may take for it. */
static void
note_names(const struct scenario *s, enum node_kind kind, const char *of, int line,
           struct diagnostics *d)
{
    const uint32_t n = s->topology_file && s->ids == IDS_FILE ? nodes_count(s, kind) : 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const char *name = name_of(s, kind, i);
        OWNED char *own = xformat("%u", i);
        if (*name && !name[strspn(name, "0123456789")] && strcmp(name, own) != 0)
        {
            OWNED char *shown = node_shown(s, kind, i);
            diag_note(d, line,
                      "%s of %s are numbered from 0 in the order of %s, as not all %s there are "
                      "called by numbers: %u is %s (ids=\"weft\" of <topology> means that)",
                      plurals[kind], of, s->topology_file->written, plurals[kind], i, shown);
            return;
        }
    }
}

void
note_ids(const struct scenario *s, enum node_kind kind, const char *of, int line,
         struct diagnostics *d)
{
    const uint32_t n = nodes_count(s, kind);
    uint32_t same = 0;
    if (!nodes_have_ids(s, kind))
    {
        note_names(s, kind, of, line, d);
        return;
    }
    while (same < n && node_number(s, kind, same) == same)
    {
        same++;
    }
    if (same < n)
    {
        OWNED char *numbers = node_numbers(s, kind);
        diag_note(d, line,
                  "%s of %s are those of %s: %s there are %s 0 to %u here (ids=\"weft\" of "
                  "<topology> reads Weft's own numbers)",
                  plurals[kind], of, s->topology_file->written, numbers, plurals[kind], n - 1);
    }
}

char *
host_list(const struct scenario *s, const uint32_t *hosts, uint32_t n)
{
    struct text t = {0};
    for (uint32_t i = 0, last; i < n; i = last + 1)
    {
        const uint32_t first = node_number(s, NODE_HOST, hosts[i]);
        for (last = i;
             last + 1 < n && node_number(s, NODE_HOST, hosts[last + 1]) == first + last + 1 - i;
             last++)
        {
        }
        text_add(&t, "%s%u", i ? " " : "", first);
        if (last > i)
        {
            text_add(&t, "-%u", first + last - i);
        }
    }
    return t.s;
}
