/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A graph in XML: <graph> with a <switch name=""> for each switch, a <host name="" at="" rate=""
 * delay=""> for each host and its first link, and a <link from="" to="" rate="" delay="" count="">
 * for links between switches and further ones of hosts. Those with scale-up="on" are of a server's
 * own network. Hosts and switches are numbered in the order in which they stand.
 */
#include "graph-xml.h"

#include <stdlib.h>
#include <string.h>

#include "element-values.h"
#include "grammar-table.h"

/** A <switch>, <host> or <link>. */
struct node
{
    const char *name, *at, *from, *to;
    int64_t rate, delay, count, scale_up;
    double loss;
};

#define NAME(field, of) TEXT_AT(IN(node, field), SHAPE_TEXT, #field, true, of)
#define RATE_AND_DELAY                                                                             \
    VALUE_AT(IN(node, rate), "rate", true, WEFT_RATE, NULL, GRAPH_LEAST_RATE, GRAPH_MOST_RATE,     \
             "the link's rate"),                                                                   \
        VALUE_AT(IN(node, delay), "delay", true, WEFT_TIME, NULL, "0s", GRAPH_MOST_DELAY,          \
                 "the link's delay"),                                                              \
        VALUE_AT(IN(node, loss), "loss", false, WEFT_REAL, "0", "0", "1",                          \
                 "probability that it loses a frame, either way")
#define SCALE_UP                                                                                   \
    BOOLEAN_AT(IN(node, scale_up), "scale-up", "off",                                              \
               "whether the link is of its server's own network")

static const struct attribute_spec switch_attributes[] = {NAME(name, "its name")};
static const struct attribute_spec host_attributes[] = {
    NAME(name, "its name"), NAME(at, "the switch that it is at"), RATE_AND_DELAY, SCALE_UP};
static const struct attribute_spec link_attributes[] = {
    NAME(from, "the node at one end"), NAME(to, "the node at the other end"), RATE_AND_DELAY,
    VALUE_AT(IN(node, count), "count", false, WEFT_COUNT, "1", "1", "8191", "how many such links"),
    SCALE_UP};

static const struct element_spec elements[] = {
    PLAIN("graph", "", 0, "hosts, switches and links"),
    FIXED(switch, "graph", ELEMENT_MANY, "a switch"),
    FIXED(host, "graph", ELEMENT_MANY, "a host and its first link"),
    FIXED(link, "graph", ELEMENT_MANY, "links between switches, or one of a host"),
};

static const struct grammar graph_grammar = {elements, COUNT_OF(elements)};

static bool
is(const struct element *e, const char *name)
{
    return strcmp(e->name, name) == 0;
}

struct named
{
    const char *name;
    uint32_t node;
    int line;
};

static int
by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int
by_name_and_node(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = by_name(a, b);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/** Sorts the nodes by name. False if two have the same. */
static bool
name_nodes(struct graph_draft *g, const struct element *root, struct named *nodes)
{
    uint32_t host = 0, other = g->nhosts;
    size_t n = 0;
    g->names = xcalloc((size_t)g->nhosts + g->nswitches + 1, sizeof *g->names);
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (!is(e, "link"))
        {
            const uint32_t node = is(e, "host") ? host++ : other++;
            const char *name = element_value(e, "name");
            g->names[node] = xstrdup(name);
            nodes[n++] = (struct named){name, node, element_line(e, "name")};
        }
    }
    if (n)
    {
        qsort(nodes, n, sizeof *nodes, by_name_and_node);
    }
    for (size_t i = 1; i < n; i++)
    {
        if (strcmp(nodes[i].name, nodes[i - 1].name) == 0)
        {
            return input_error(g->from, nodes[i].line, "a second node is called '%s'",
                               nodes[i].name);
        }
    }
    return true;
}

static bool
find_node(const struct graph_draft *g, const struct named *nodes, const struct element *e,
          const char *attribute, uint32_t *node)
{
    const struct named key = {.name = element_value(e, attribute)};
    const struct named *found =
        bsearch(&key, nodes, (size_t)g->nhosts + g->nswitches, sizeof *nodes, by_name);
    if (!found)
    {
        return input_error(g->from, element_line(e, attribute),
                           "%s of <%s>: no node is called '%s'", attribute, e->name, key.name);
    }
    *node = found->node;
    return true;
}

static bool
add_links(struct graph_draft *g, const struct named *nodes, const struct element *e, uint32_t host)
{
    struct diagnostics own = {.file = NULL};
    struct weft_graph_edge edge = {.a = host};
    struct node link = {.count = 1};
    element_read(e, e->spec, &link, &own);
    edge.rate = link.rate;
    edge.delay = link.delay;
    edge.scale_up = link.scale_up != 0;
    if (!find_node(g, nodes, e, link.at ? "at" : "to", &edge.b) ||
        (link.from && !find_node(g, nodes, e, "from", &edge.a)))
    {
        return false;
    }
    for (int64_t i = 0; i < link.count && g->n <= WEFT_GRAPH_LINKS; i++)
    {
        graph_draft_add(g, &edge, link.loss, e->line);
    }
    return true;
}

static bool
read_graph(struct graph_draft *g, const struct element *root)
{
    for (size_t i = 0; i < root->nchildren; i++)
    {
        g->nhosts += is(root->children[i], "host");
        g->nswitches += is(root->children[i], "switch");
    }
    OWNED struct named *nodes = xcalloc((size_t)g->nhosts + g->nswitches + 1, sizeof *nodes);
    bool good = name_nodes(g, root, nodes);
    uint32_t host = 0;
    for (size_t i = 0; good && i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (!is(e, "switch"))
        {
            good = add_links(g, nodes, e, host);
            host += is(e, "host");
        }
    }
    return good;
}

bool
graph_xml_parse(struct graph_draft *g)
{
    CLEANUP(diag_free) struct diagnostics own = {.file = g->from->path};
    CLEANUP(document_drop)
    struct document *doc =
        document_parse_as(&graph_grammar, g->from->path, g->bytes, g->size, &own);
    if (doc)
    {
        document_check(doc, &own);
    }
    for (size_t i = 0; i < own.n; i++)
    {
        input_error(g->from, own.items[i].line, "%s", own.items[i].message);
    }
    return doc && own.n == 0 && read_graph(g, doc->root);
}
