/* SPDX-License-Identifier: GPL-2.0-only */
#include "drawings.h"

#include <libxml/parser.h>
#include <libxml/uri.h>
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

/** Whether a file is an SVG document. */
static bool
is_svg(const char *bytes, size_t n)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *doc = xmlReadMemory(bytes, (int)n, NULL, NULL, options);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    const bool is = root && root->ns && strcmp((const char *)root->name, "svg") == 0 &&
                    strcmp((const char *)root->ns->href, "http://www.w3.org/2000/svg") == 0;
    xmlFreeDoc(doc);
    return is;
}

void
drawings_add(xmlNode *section, const char *folder)
{
    CLEANUP(folder_close) struct folder f = NO_FOLDER;
    OWNED char *unopened = NULL;
    CLEANUP(words_free)
    struct words names = folder_open(&f, folder, &unopened) ? figures_in(&f) : (struct words){0};
    for (size_t i = 0; i < names.n; i++)
    {
        OWNED char *file = xformat("%s.svg", names.word[i]), *why = NULL;
        size_t n = 0;
        OWNED char *bytes = file_read(&f, file, &n, &why);
        const char *missing = !bytes                   ? why
                              : n > DRAWING_MOST_BYTES ? "it is too large"
                              : !is_svg(bytes, n)      ? "it is no SVG"
                                                       : NULL;
        xmlNode *drawing = page_add(section, "drawing", NULL);
        page_set(drawing, "name", names.word[i]);
        page_set(drawing, "missing", missing);
        if (!missing)
        {
            xmlChar *escaped = xmlURIEscapeStr((const xmlChar *)bytes, (const xmlChar *)"/:;=,");
            page_format(drawing, "image", "data:image/svg+xml,%s", escaped);
            xmlFree(escaped);
        }
    }
}
