/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of claims: what they may hold. */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "document.h"
#include "grammar-table.h"

#define XML(s) ((const xmlChar *)(s))

/* --- elements ----------------------------------------------------------------------------------
 */

const char *
value_of(const xmlNode *e, const char *attribute)
{
    const xmlAttr *a = e ? xmlHasProp((xmlNode *)e, XML(attribute)) : NULL;
    return !a ? NULL : a->children ? (const char *)a->children->content : "";
}

xmlNode *
child_after(const xmlNode *e, const char *name, const xmlNode *after)
{
    xmlNode *child = after ? after->next : e->children;
    while (child && (child->type != XML_ELEMENT_NODE || !xmlStrEqual(child->name, XML(name))))
    {
        child = child->next;
    }
    return child;
}

xmlNode *
child_of(const xmlNode *e, const char *name)
{
    return child_after(e, name, NULL);
}

int
line_of(const xmlNode *e)
{
    return (int)xmlGetLineNo((xmlNode *)e);
}

/* --- their names -------------------------------------------------------------------------------
 */

#define NUMBERS                                                                                    \
    TEXTUAL(SHAPE_LABEL, "unit", false, "stands behind its numbers"),                              \
        VALUE("decimals", false, WEFT_COUNT, "1", "0", "9", "of its numbers"),                     \
        CHOICE("former", "off", "off on", "whether former code made its numbers")

static const struct attribute_spec claims_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "title", true, "the report's title"),
};
static const struct attribute_spec section_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "title", true, "the section's title"),
    TEXTUAL(SHAPE_TEXT, "results", false, "the folder of results that its queries read"),
    TEXTUAL(SHAPE_TEXT, "scenario", false, "the scenario that makes them"),
    TEXTUAL(SHAPE_TEXT, "figure", false, "a picture, from the claims file's folder"),
    TEXTUAL(SHAPE_TEXT, "shows", false, "the <figure>s of the paper that it is about, by ';'"),
};
static const struct attribute_spec figure_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "a figure or table of the paper's"),
};
static const struct attribute_spec attach_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "results", true, "a folder of further results"),
    TEXTUAL(SHAPE_TEXT, "as", true, "what queries call it"),
};
static const struct attribute_spec view_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "what queries call it"),
};
static const struct attribute_spec claim_attributes[] = {
    CHOICE("verdict", NULL, "agrees differs open none", "whether paper and Weft agree"),
    TEXTUAL(SHAPE_TEXT, "hangs-on", false, "what the verdict hangs on, in at most eight words"),
};
static const struct attribute_spec key_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "figure", true, "where the paper has it, as 'Figure 5'"),
};
static const struct attribute_spec headline_attributes[] = {
    NUMBERS,
};
static const struct attribute_spec test_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "the test that shows the claim"),
    TEXTUAL(SHAPE_TEXT, "file", true, "where it is, from the claims file's folder"),
};
static const struct attribute_spec table_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "title", true, "the table's title"),
};
static const struct attribute_spec query_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "each", false, "columns that name the rows"),
    TEXTUAL(SHAPE_TEXT, "over", false, "columns that name rows of which extremes are shown"),
    NUMBERS,
};
static const struct attribute_spec column_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "the query's column that it describes"),
    NUMBERS,
};

static const struct element_spec elements[] = {
    FIXED(claims, "", 0, "claims of a paper beside results"),
    PLAIN("text", "claims section", ELEMENT_MANY | ELEMENT_FILLED, "paragraphs in Markdown"),
    FIXED(figure, "claims", ELEMENT_MANY | ELEMENT_DISTINCT | ELEMENT_FILLED,
          "a figure of the paper's, and what it shows"),
    FIXED(section, "claims", ELEMENT_MANY, "claims about the results of one scenario"),
    FIXED(attach, "section", ELEMENT_MANY | ELEMENT_DISTINCT, "further results for its queries"),
    FIXED(view, "section", ELEMENT_MANY | ELEMENT_DISTINCT | ELEMENT_FILLED,
          "an SQL query that is asked once, and is a table for its queries"),
    FIXED(claim, "section", ELEMENT_MANY, "what a paper says, and what shows it"),
    FIXED(key, "claim", ELEMENT_FILLED, "it is in the page's first table, with these words"),
    PLAIN("says", "claim", ELEMENT_FILLED, "what the paper says"),
    PLAIN("paper", "claim", ELEMENT_FILLED, "the paper's value"),
    PLAIN("why", "claim", ELEMENT_FILLED, "the cause of a difference"),
    FIXED(test, "claim", ELEMENT_MANY, "a test that shows it"),
    FIXED(table, "section", ELEMENT_MANY, "rows of the results"),
    FIXED(query, "claim table", ELEMENT_FILLED, "an SQL query of the results"),
    FIXED(headline, "claim", ELEMENT_FILLED,
          "an SQL query of the query's answer, for the one number that stands for it"),
    FIXED(column, "claim table", ELEMENT_MANY | ELEMENT_DISTINCT,
          "how a column of the query is shown"),
};

static const struct grammar grammar = {elements, COUNT_OF(elements)};

/* --- what goes together ------------------------------------------------------------------------
 */

#define LETTERS "'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'"
#define NO_NAME(a)                                                                                 \
    "[translate(" a ", concat('0123456789_', " LETTERS "), '') or translate(substring(" a          \
    ", 1, 1), " LETTERS ", '') or translate(" a ", 'MAINTEP', 'maintep') = 'main' or translate(" a \
    ", 'MAINTEP', 'maintep') = 'temp']"
#define NAMING "expected letters, digits and '_' after a letter, not main or temp"

/** Elements that must not be there, as an XPath expression, and a sentence on them. */
static const struct
{
    const char *finds, *says;
} mistakes[] = {
    {"//table[not(query)]", "<table> lacks <query>: where its rows come from"},
    {"//column[not(../query)]", "<column> without a <query>, whose column it would describe"},
    {"//headline[not(../query)]", "<headline> without a <query>, whose answer it would ask"},
    {"//table/query[@over]", "over: a claim may have it instead of each; a table shows all rows"},
    {"//claim/query[@over and @each]",
     "over: a claim may have it instead of each; expected one of them"},
    {"//section[not(@results)]//query", "a <query> in a section without results; expected "
                                        "<section results=\"NAME\">"},
    {"//section[not(@results)]/view", "a <view> in a section without results; expected <section "
                                      "results=\"NAME\">"},
    {"//attach" NO_NAME("@as"), "as: what queries call it; " NAMING},
    {"//view" NO_NAME("@name"), "name: what queries call it; " NAMING},
    {"//claim[@verdict = 'differs' and not(why)]",
     "verdict 'differs' without <why>; expected the cause there, or open"},
    {"//claim[string-length(normalize-space(@hangs-on)) > 7 + "
     "string-length(translate(normalize-space(@hangs-on), ' ', ''))]",
     "hangs-on has more than 8 words"},
    {"//claim[not(says)]", "<claim> lacks <says>: what the paper says"},
};

static void
look_for(xmlXPathContext *context, const char *finds, const char *says, struct diagnostics *d)
{
    xmlXPathObject *found = xmlXPathEval(XML(finds), context);
    const xmlNodeSet *nodes = found ? found->nodesetval : NULL;
    for (int i = 0; nodes && i < nodes->nodeNr; i++)
    {
        diag_error(d, line_of(nodes->nodeTab[i]), "%s", says);
    }
    xmlXPathFreeObject(found);
}

/** Joins what comments and CDATA part of the text of a query. */
static void
join_texts(xmlNode *e)
{
    for (xmlNode *child = e->children; child; child = child->next)
    {
        join_texts(child);
    }
    if (e->children && e->children->next && list_has("query headline view", (const char *)e->name))
    {
        xmlChar *text = xmlNodeGetContent(e);
        xmlNodeSetContent(e, NULL);
        xmlNodeAddContent(e, text);
        xmlFree(text);
    }
}

struct claims *
claims_parse(const char *path, const char *bytes, size_t n, struct diagnostics *d)
{
    CLEANUP(document_drop)
    struct document *checked = document_parse_as(&grammar, path, bytes, n, d);
    if (!checked)
    {
        return NULL;
    }
    document_check(checked, d);
    xmlDoc *doc = xmlReadMemory(bytes, (int)n, NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_NOBLANKS | XML_PARSE_NOCDATA |
                                    XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlXPathContext *context = xmlXPathNewContext(doc);
    for (size_t i = 0; doc && i < COUNT_OF(mistakes); i++)
    {
        look_for(context, mistakes[i].finds, mistakes[i].says, d);
    }
    xmlXPathFreeContext(context);
    if (doc)
    {
        join_texts(xmlDocGetRootElement(doc));
    }
    struct claims *claims = xcalloc(1, sizeof *claims);
    *claims = (struct claims){xstrdup(path), doc};
    if (d->n || !doc)
    {
        claims_free(claims);
        claims = NULL;
    }
    return claims;
}

struct claims *
claims_read(const char *path)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = path};
    CLEANUP(document_drop) struct document *read = document_read_as(&grammar, path, &d);
    struct claims *claims = read ? claims_parse(path, read->bytes, read->size, &d) : NULL;
    diag_print(&d, stderr);
    return claims;
}

void
claims_free(struct claims *claims)
{
    if (claims)
    {
        xmlFreeDoc(claims->doc);
        free(claims->path);
        free(claims);
    }
}

/* --- what they rest on -------------------------------------------------------------------------
 */

struct words
claims_values(const struct claims *claims, const char *attribute)
{
    struct words w = {0};
    const xmlNode *root = xmlDocGetRootElement(claims->doc);
    for (const xmlNode *e = NULL; (e = child_after(root, "section", e)) != NULL;)
    {
        const char *value = value_of(e, attribute);
        if (value && !words_have(&w, value))
        {
            words_add(&w, xstrdup(value));
        }
    }
    return w;
}

bool
claims_have_quick(const xmlNode *root, const char *results)
{
    const xmlNode *e = NULL;
    while ((e = child_after(root, "section", e)) != NULL &&
           !(value_of(e, "scenario") && value_of(e, "results") &&
             strcmp(value_of(e, "results"), results) == 0))
    {
    }
    xmlDoc *scenario = e ? xmlReadFile(value_of(e, "scenario"), NULL,
                                       XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)
                         : NULL;
    const bool has = scenario && child_of(xmlDocGetRootElement(scenario), "quick");
    xmlFreeDoc(scenario);
    return has;
}
