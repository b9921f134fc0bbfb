/* SPDX-License-Identifier: GPL-2.0-only */
/* The ports that <measure ports=> names, and the layers that they are of. */
#include <stdlib.h>
#include <string.h>

#include "element-values.h"
#include "messages.h"
#include "node-numbers.h"
#include "scenario-load.h"
#include "textbuf.h"

static const char *const two_tiers[] = {"tor-up", "spine-down", "tor-down", "server-down"};
static const char *const three_tiers[] = {"tor-up",   "agg-up",   "core-down",
                                          "agg-down", "tor-down", "server-down"};

size_t
layer_names(const struct weft_clos *clos, const char *const **names)
{
    *names = clos->tiers == 2 ? two_tiers : three_tiers;
    return 2 * (size_t)clos->tiers - !weft_clos_scales_up(clos);
}

size_t
layer_of(const struct weft_clos *clos, uint32_t tier, bool up)
{
    return up                         ? tier
           : tier == WEFT_TIER_SERVER ? 2 * (size_t)clos->tiers - 1
                                      : 2 * (size_t)(clos->tiers - 1) - tier;
}

/** Most ports that are sampled one by one. */
#define MOST_MEASURED_PORTS 65536

/** Naming of ports while a list is read. */
struct naming
{
    struct measurements *m;
    const struct weft_clos *clos;
    const struct scenario *s;
    struct diagnostics *d;
    int line;
    bool full;  /**< more than MOST_MEASURED_PORTS; reported */
    bool named; /**< a switch by its number */
};

static void
add_port(struct naming *n, uint32_t index, uint32_t port, size_t layer)
{
    const char *const *names;
    layer_names(n->clos, &names);
    if (n->m->nports == MOST_MEASURED_PORTS)
    {
        if (!n->full)
        {
            diag_error(n->d, n->line, "ports of <measure> names too many; expected at most %d",
                       MOST_MEASURED_PORTS);
        }
        n->full = true;
        return;
    }
    ARRAY_GROW(n->m->ports, n->m->nports);
    n->m->ports[n->m->nports++] = (struct measured_port){index, port, names[layer]};
}

/** Adds the ports of a layer; false if there is none of that name. */
static bool
add_layer(struct naming *n, const char *name)
{
    const char *const *names;
    const size_t count = layer_names(n->clos, &names);
    size_t layer = 0;
    while (layer < count && strcmp(names[layer], name) != 0)
    {
        layer++;
    }
    for (uint32_t i = 0; layer < count && !n->full && i < weft_planes_switches(n->clos); i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(n->clos, i, &map);
        for (uint32_t p = 0; !n->full && p < weft_map_nports(&map); p++)
        {
            if (layer_of(n->clos, map.tier, p >= map.first_up) == layer)
            {
                add_port(n, i, p, layer);
            }
        }
    }
    return layer < count;
}

static void
add_ports(struct naming *n, uint32_t index, const struct range *ports)
{
    struct weft_switch_map map;
    weft_clos_switch(n->clos, index, &map);
    const uint32_t count = weft_map_nports(&map);
    if (ports->last >= count)
    {
        diag_error(
            n->d, n->line, "switch %u has no port %llu; expected 0 to %u in ports of <measure>",
            node_number(n->s, NODE_SWITCH, index), (unsigned long long)ports->last, count - 1);
        n->full = true;
        return;
    }
    for (uint32_t p = (uint32_t)ports->first; !n->full && p <= ports->last; p++)
    {
        add_port(n, index, p, layer_of(n->clos, map.tier, p >= map.first_up));
    }
}

/** Adds what "0:4" or "8-11:0-15" names; false if it is nothing of that form. */
static bool
add_numbers(struct naming *n, const char *word)
{
    struct range switches, ports;
    if (!read_range(&word, ':', &switches) || !read_range(&word, '\0', &ports))
    {
        return false;
    }
    if (!nodes_have_ids(n->s, NODE_SWITCH) && switches.last >= weft_planes_switches(n->clos))
    {
        diag_error(n->d, n->line, "switch %llu of <measure> does not exist; expected 0 to %u",
                   (unsigned long long)switches.last, weft_planes_switches(n->clos) - 1);
        return true;
    }
    for (uint64_t i = switches.first; !n->full && i <= switches.last; i++)
    {
        uint32_t index;
        OWNED char *why = NULL;
        if (!node_find(n->s, NODE_SWITCH, i, &index, &why))
        {
            diag_error(n->d, n->line, "ports of <measure> name no switch: %s", why);
            return true;
        }
        n->named = true;
        add_ports(n, index, &ports);
    }
    return true;
}

static void
report_word(const struct naming *n, const char *word)
{
    const char *const *names;
    const size_t count = layer_names(n->clos, &names);
    struct nearest near = nearest_start(word);
    CLEANUP(text_drop) struct text layers = {0};
    for (size_t i = 0; i < count; i++)
    {
        try_name(&layers, &near, names[i]);
    }
    diag_error(n->d, n->line,
               "ports '%s' of <measure>; expected a layer (%s) or switch:port, such as 0:4 or "
               "0-3:4-7%s",
               word, layers.s, did_you_mean(near.best));
}

static int
by_place(const void *a, const void *b)
{
    const struct measured_port *x = a, *y = b;
    return x->index != y->index ? (x->index > y->index ? 1 : -1)
                                : (x->port > y->port) - (x->port < y->port);
}

/** Sorts the ports, so that each switch is looked at once. */
static void
order_ports(struct naming *n)
{
    struct measurements *m = n->m;
    if (m->nports)
    {
        qsort(m->ports, m->nports, sizeof *m->ports, by_place);
    }
    for (size_t i = 1; i < m->nports; i++)
    {
        if (by_place(&m->ports[i - 1], &m->ports[i]) == 0)
        {
            diag_error(n->d, n->line, "port %u of switch %u is named twice in ports of <measure>",
                       m->ports[i].port, node_number(n->s, NODE_SWITCH, m->ports[i].index));
            return;
        }
    }
}

void
load_measured_ports(const struct element *e, struct scenario *s, struct diagnostics *d)
{
    const char *text = s->clos.nswitches ? s->measure.port_names : NULL;
    struct naming n = {&s->measure, &s->clos, s, d, element_line(e, "ports"), false, false};
    CLEANUP(words_free) struct words w = words_split(text ? text : "");
    for (size_t i = 0; i < w.n && !n.full; i++)
    {
        if (!add_layer(&n, w.word[i]) && !add_numbers(&n, w.word[i]))
        {
            report_word(&n, w.word[i]);
        }
    }
    order_ports(&n);
    if (n.named)
    {
        note_ids(s, NODE_SWITCH, "<measure>", n.line, d);
    }
}
