/* SPDX-License-Identifier: GPL-2.0-only */
#include "svg-inline.h"

#include <ctype.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report-query.h"

#define SVG "http://www.w3.org/2000/svg"

/* What draws. The rest of SVG runs, links, loads or animates. */
static const char elements[] =
    "circle clipPath defs ellipse feComposite feFlood feMerge feMergeNode filter g image "
    "line linearGradient marker mask path pattern polygon polyline radialGradient rect "
    "stop svg symbol text tspan use";

static const char attributes[] =
    "baseline-shift clip-path clip-rule clipPathUnits color cx cy d dominant-baseline dx "
    "dy fill fill-opacity fill-rule filter filterUnits flood-color flood-opacity "
    "font-family font-size font-style font-weight fx fy gradientTransform gradientUnits "
    "height image-rendering in in2 lengthAdjust marker-end marker-mid marker-start "
    "markerHeight markerUnits markerWidth mask offset opacity operator orient "
    "patternContentUnits patternTransform patternUnits points preserveAspectRatio r refX "
    "refY result rotate rx ry shape-rendering stop-color stop-opacity stroke "
    "stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit "
    "stroke-opacity stroke-width style text-anchor text-rendering textLength transform "
    "viewBox visibility width x x1 x2 y y1 y2";

/** Adds an id, or what refers to one, @p n bytes: letters, digits and '_' alone. */
static void
add_id(struct text *t, const char *prefix, const char *id, size_t n)
{
    text_add(t, "%s", prefix);
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, isalnum((unsigned char)id[i]) ? "%c" : "_", id[i]);
    }
}

/** Whether a value has nothing that could load, and no second way to write it. */
static bool
is_harmless(const char *value)
{
    for (const char *p = value; *p; p++)
    {
        if (!isalnum((unsigned char)*p) && !strchr(" \t\r\n.,;:#%()+-'\"_", *p))
        {
            return false;
        }
    }
    return true;
}

/** Adds a value in which "url(#ID)" becomes that of the figure; false: it refers to anything else.
 */
static bool
add_value(struct text *t, const char *prefix, const char *value)
{
    if (!is_harmless(value))
    {
        return false;
    }
    for (const char *p = value; *p;)
    {
        const bool refers = strncasecmp(p, "url", 3) == 0;
        const size_t n = refers && strncmp(p, "url(#", 5) == 0 ? strcspn(p + 5, ")") : 0;
        if (refers && (n == 0 || p[5 + n] != ')'))
        {
            return false;
        }
        if (refers)
        {
            text_add(t, "url(#");
            add_id(t, prefix, p + 5, n);
            text_add(t, ")");
            p += 6 + n;
            continue;
        }
        const size_t plain = 1 + strcspn(p + 1, "uU");
        char *part = xformat("%.*s", (int)plain, p);
        html_add(t, part);
        free(part);
        p += plain;
    }
    return true;
}

/** Adds the value of a link: to the figure itself, or an image that is in it. */
static bool
add_link(struct text *t, const char *prefix, const char *element, const char *value)
{
    static const char png[] = "data:image/png;base64,";
    if (strcmp(element, "image") == 0 && strncmp(value, png, sizeof png - 1) == 0)
    {
        html_add(t, value);
        return true;
    }
    if (strcmp(element, "image") == 0 || *value != '#')
    {
        return false;
    }
    text_add(t, "#");
    add_id(t, prefix, value + 1, strlen(value + 1));
    return true;
}

static void
add_attribute(struct text *t, const char *prefix, const char *element, const xmlAttr *a)
{
    const char *name = (const char *)a->name;
    /* Entities stay as they are written: what they stand for may be without end. */
    xmlChar *value = xmlNodeListGetString(a->doc, a->children, 0);
    struct text text = {0};
    bool good = false;
    if (value && strcmp(name, "id") == 0 && !a->ns)
    {
        add_id(&text, prefix, (const char *)value, strlen((const char *)value));
        good = true;
    }
    else if (value && strcmp(name, "href") == 0)
    {
        good = add_link(&text, prefix, element, (const char *)value);
    }
    else if (value && !a->ns && list_has(attributes, name))
    {
        good = add_value(&text, prefix, (const char *)value);
    }
    if (good)
    {
        text_add(t, " %s=\"%s\"", name, text.s ? text.s : "");
    }
    free(text.s);
    xmlFree(value);
}

static void add_nodes(struct text *t, const char *prefix, const xmlNode *first);

static void
add_element(struct text *t, const char *prefix, const xmlNode *node)
{
    const char *name = (const char *)node->name;
    if (!node->ns || strcmp((const char *)node->ns->href, SVG) != 0 || !list_has(elements, name))
    {
        return;
    }
    text_add(t, "<%s", name);
    for (const xmlAttr *a = node->properties; a; a = a->next)
    {
        add_attribute(t, prefix, name, a);
    }
    text_add(t, ">");
    add_nodes(t, prefix, node->children);
    text_add(t, "</%s>", name);
}

static void
add_nodes(struct text *t, const char *prefix, const xmlNode *first)
{
    for (const xmlNode *node = first; node; node = node->next)
    {
        const char *content = (const char *)node->content;
        const bool text = node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
        if (node->type == XML_ELEMENT_NODE)
        {
            add_element(t, prefix, node);
        }
        else if (text && content && content[strspn(content, " \t\r\n")])
        {
            html_add(t, content);
        }
        else if (text)
        {
            text_add(t, "\n");
        }
    }
}

/** A length of the drawing in the units of its viewBox; 0: it has none. */
static double
length_of(const xmlNode *root, const char *name)
{
    xmlChar *value = xmlGetNoNsProp(root, (const xmlChar *)name);
    const double length = value ? strtod((const char *)value, NULL) : 0;
    xmlFree(value);
    return length > 0 && length < 1e5 ? length : 0;
}

/** Adds the root with what it says of its size, and no more. */
static bool
add_root(struct text *t, const char *prefix, const char *label, const xmlNode *root)
{
    const double width = length_of(root, "width"), height = length_of(root, "height");
    const xmlAttr *box = xmlHasProp(root, (const xmlChar *)"viewBox");
    if (!box && (width <= 0 || height <= 0))
    {
        return false;
    }
    text_add(t, "<svg role=\"img\" aria-label=\"");
    html_add(t, label);
    text_add(t, "\"");
    if (width > 0 && height > 0)
    {
        text_add(t, " width=\"%.0f\" height=\"%.0f\"", width, height);
    }
    if (box)
    {
        add_attribute(t, prefix, "svg", box);
    }
    else
    {
        text_add(t, " viewBox=\"0 0 %.0f %.0f\"", width, height);
    }
    text_add(t, ">");
    add_nodes(t, prefix, root->children);
    text_add(t, "</svg>\n");
    return true;
}

bool
svg_inline(struct text *t, const char *bytes, size_t n, const char *prefix, const char *label,
           char **why)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *doc = n <= SVG_MOST_BYTES ? xmlReadMemory(bytes, (int)n, NULL, NULL, options) : NULL;
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    const bool is_svg = root && root->ns && strcmp((const char *)root->ns->href, SVG) == 0 &&
                        strcmp((const char *)root->name, "svg") == 0;
    bool good = is_svg && add_root(t, prefix, label, root);
    if (!good)
    {
        *why = xstrdup(n > SVG_MOST_BYTES ? "it is too large"
                       : is_svg           ? "it does not say how large it is"
                                          : "it is no SVG");
    }
    xmlFreeDoc(doc);
    return good;
}
