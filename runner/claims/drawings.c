/* SPDX-License-Identifier: GPL-2.0-only */
#include "drawings.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "textbuf.h"

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/** The names of the figures in a folder, without ".svg". */
static struct words
figures_in(const struct folder *f)
{
    struct words names = {0};
    CLEANUP(list_drop) DIR *dir = folder_list(f);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        const size_t n = strlen(e->d_name);
        if (e->d_name[0] != '.' && n > 4 && strcmp(e->d_name + n - 4, ".svg") == 0)
        {
            words_add(&names, xformat("%.*s", (int)(n - 4), e->d_name));
        }
    }
    if (names.n)
    {
        qsort(names.word, names.n, sizeof *names.word, by_name);
    }
    return names;
}

/** Removes entities, which may stand for text without end, and attributes that have some. */
static void
remove_entities(xmlNode *e)
{
    for (xmlNode *next, *child = e->children; child; child = next)
    {
        next = child->next;
        if (child->type == XML_ENTITY_REF_NODE)
        {
            xmlUnlinkNode(child);
            xmlFreeNode(child);
        }
        else if (child->type == XML_ELEMENT_NODE)
        {
            remove_entities(child);
        }
    }
    for (xmlAttr *next, *a = e->properties; a; a = next)
    {
        next = a->next;
        bool has = false;
        for (const xmlNode *part = a->children; part; part = part->next)
        {
            has = has || part->type == XML_ENTITY_REF_NODE;
        }
        if (has)
        {
            xmlRemoveProp(a);
        }
    }
}

/** Adds what a file holds; false if it is no SVG. */
static bool
add_svg(xmlNode *drawing, const char *bytes, size_t n)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *doc = xmlReadMemory(bytes, (int)n, NULL, NULL, options);
    xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    const bool good = root && root->ns && strcmp((const char *)root->name, "svg") == 0 &&
                      strcmp((const char *)root->ns->href, "http://www.w3.org/2000/svg") == 0;
    if (good)
    {
        remove_entities(root);
        xmlAddChild(drawing, xmlDocCopyNode(root, drawing->doc, 1));
    }
    xmlFreeDoc(doc);
    return good;
}

void
drawings_add(xmlNode *section, const char *folder)
{
    CLEANUP(folder_close) struct folder f = NO_FOLDER;
    char *why = NULL;
    CLEANUP(words_free)
    struct words names = folder_open(&f, folder, &why) ? figures_in(&f) : (struct words){0};
    xmlChar *id = xmlGetNoNsProp(section, (const xmlChar *)"id");
    free(why);
    for (size_t i = 0; i < names.n; i++)
    {
        OWNED char *file = xformat("%s.svg", names.word[i]);
        size_t n = 0;
        why = NULL;
        OWNED char *bytes = file_read(&f, file, &n, &why);
        xmlNode *drawing = page_add(section, "drawing", NULL);
        page_set(drawing, "name", names.word[i]);
        page_format(drawing, "prefix", "%s-f%zu-", id, i + 1);
        page_set(drawing, "missing", why);
        if (bytes && (n > DRAWING_MOST_BYTES || !add_svg(drawing, bytes, n)))
        {
            page_set(drawing, "missing",
                     n > DRAWING_MOST_BYTES ? "it is too large" : "it is no SVG");
        }
        free(why);
    }
    xmlFree(id);
}
