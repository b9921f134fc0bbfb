/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A graph in XML: <graph> with a <switch name=""> for each switch, a <host name="" at="" rate=""
 * delay=""> for each host and a <link from="" to="" rate="" delay="" count=""> for links between
 * switches. Hosts and switches are numbered in the order in which they stand.
 */
#include <stdlib.h>
#include <string.h>

#include <weft/param.h>

#include "document.h"
#include "graph-file.h"
#include "messages.h"
#include "textbuf.h"

static const struct weft_param count_param =
    INPUT_PARAM("count of <link>", WEFT_COUNT, "1", "4096");

enum kind
{
    SWITCH,
    HOST,
    LINK,
    NKINDS,
};

/** What may stand in <graph>. */
static const char *const kinds[NKINDS] = {"switch", "host", "link"};

/** The attributes of each, those first that it must have. */
static const struct
{
    const char *names[5];
    size_t n, needed;
} attributes[NKINDS] = {
    {{"name"}, 1, 1},
    {{"name", "at", "rate", "delay"}, 4, 4},
    {{"from", "to", "rate", "delay", "count"}, 5, 4},
};

struct named
{
    const char *name;
    uint32_t node;
    int line;
};

static enum kind
kind_of(const struct element *e)
{
    struct nearest name = nearest_start(e->name);
    return (enum kind)name_find(&name, kinds, NKINDS);
}

static bool
check_attributes(const struct graph_draft *g, const struct element *e, enum kind k)
{
    for (size_t i = 0; i < e->nattributes; i++)
    {
        struct nearest name = nearest_start(e->attributes[i].name);
        if (name_find(&name, attributes[k].names, attributes[k].n) == attributes[k].n)
        {
            return input_error(g->from, e->attributes[i].line, "<%s> has no attribute '%s'%s",
                               e->name, name.name, did_you_mean(name.best));
        }
    }
    for (size_t a = 0; a < attributes[k].needed; a++)
    {
        const char *value = element_value(e, attributes[k].names[a]);
        if (!value || !*value)
        {
            return input_error(g->from, e->line, "<%s> lacks %s=\"...\"", e->name,
                               attributes[k].names[a]);
        }
    }
    return true;
}

/** Whether all elements are known, and how many of each there are. */
static bool
check_elements(struct graph_draft *g, const struct element *root)
{
    if (strcmp(root->name, "graph") != 0)
    {
        return input_error(g->from, root->line, "<%s>; expected <graph>", root->name);
    }
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        const enum kind k = kind_of(e);
        if (k == NKINDS)
        {
            return input_error(g->from, e->line,
                               "unknown element <%s>; expected <switch>, <host> or "
                               "<link>",
                               e->name);
        }
        if (!check_attributes(g, e, k))
        {
            return false;
        }
        g->nhosts += k == HOST;
        g->nswitches += k == SWITCH;
    }
    return true;
}

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
    uint32_t next[NKINDS] = {[SWITCH] = g->nhosts};
    size_t n = 0;
    g->names = xcalloc((size_t)g->nhosts + g->nswitches + 1, sizeof *g->names);
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        const enum kind k = kind_of(e);
        if (k != LINK)
        {
            const char *name = element_value(e, "name");
            g->names[next[k]] = xstrdup(name);
            nodes[n++] = (struct named){name, next[k]++, element_line(e, "name")};
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

/** The value of an attribute that is there. */
static bool
read_value(const struct graph_draft *g, const struct element *e, const char *attribute,
           const struct weft_param *p, void *out)
{
    return input_value(g->from, element_line(e, attribute), p, element_value(e, attribute), out);
}

static bool
add_links(struct graph_draft *g, const struct named *nodes, const struct element *e, uint32_t host)
{
    const bool is_host = kind_of(e) == HOST;
    struct weft_graph_edge edge = {.a = host};
    int64_t count = 1;
    if (!find_node(g, nodes, e, is_host ? "at" : "to", &edge.b) ||
        (!is_host && !find_node(g, nodes, e, "from", &edge.a)) ||
        !read_value(g, e, "rate", &graph_rate_param, &edge.rate) ||
        !read_value(g, e, "delay", &graph_delay_param, &edge.delay) ||
        (element_value(e, "count") && !read_value(g, e, "count", &count_param, &count)))
    {
        return false;
    }
    for (int64_t i = 0; i < count && g->n <= WEFT_GRAPH_LINKS; i++)
    {
        graph_draft_add(g, &edge, e->line);
    }
    return true;
}

static bool
read_graph(struct graph_draft *g, const struct element *root)
{
    if (!check_elements(g, root))
    {
        return false;
    }
    struct named *nodes = xcalloc((size_t)g->nhosts + g->nswitches + 1, sizeof *nodes);
    bool good = name_nodes(g, root, nodes);
    uint32_t host = 0;
    for (size_t i = 0; good && i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (kind_of(e) != SWITCH)
        {
            good = add_links(g, nodes, e, host);
            host += kind_of(e) == HOST;
        }
    }
    free(nodes);
    return good;
}

bool
graph_xml_parse(struct graph_draft *g)
{
    struct diagnostics own = {.file = g->from->path};
    struct document *doc = document_parse(g->from->path, g->bytes, g->size, &own);
    for (size_t i = 0; i < own.n; i++)
    {
        input_error(g->from, own.items[i].line, "%s", own.items[i].message);
    }
    diag_free(&own);
    const bool good = doc && read_graph(g, doc->root);
    document_free(doc);
    return good;
}
