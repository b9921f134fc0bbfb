/* SPDX-License-Identifier: GPL-2.0-only */
#include "results-facts.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "files.h"
#include "textbuf.h"

/* --- figures ---------------------------------------------------------------------------------- */

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

/** The address of an image: the @p n bytes of its file, of any number and in any encoding. The
 * caller frees it. */
static char *
image_address(const char *bytes, size_t n)
{
    static const char head[] = "data:image/svg+xml,", digits[] = "0123456789ABCDEF";
    char *address = xcalloc(sizeof head + 3 * n, 1), *end = address + sizeof head - 1;
    memcpy(address, head, sizeof head);
    for (size_t i = 0; i < n; i++)
    {
        const unsigned char c = (unsigned char)bytes[i], small = c | 0x20;
        if ((small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
            (c && strchr("-_.!~*'()/:;=,", c)))
        {
            *end++ = (char)c;
            continue;
        }
        *end++ = '%';
        *end++ = digits[c >> 4];
        *end++ = digits[c & 15];
    }
    return address;
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
            OWNED char *image = image_address(bytes, n);
            page_set(drawing, "image", image);
        }
    }
}

/* --- provenance --------------------------------------------------------------------------------
 */

void
results_add_facts(xmlNode *section, const char *folder, struct database *db)
{
    static const char sql[] =
        "select what, text from ("
        " select 0 as place, 'runs' as what, cast(count(*) as text) as text from runs"
        " union all select 1, key, text || case when n < (select count(*) from runs) then"
        "   ' (' || n || ' runs)' else '' end"
        "  from (select key, text, count(*) as n from provenance"
        "   where key in ('weft', 'ns-3', 'compiler', 'machine') group by key, text"
        "   order by key = 'weft' desc, key = 'ns-3' desc, key, n desc limit 40)"
        " union all select * from (select 2, key, min(text) || case when min(text) < max(text)"
        "   then ' (and ' || (count(distinct text) - 1) || ' more)' else '' end"
        "  from provenance where key = 'command' group by key)"
        " union all select 3, 'seeds', group_concat(text, ' ') from (select distinct text"
        "  from provenance where key = 'seed' order by cast(text as integer) limit 100)"
        " union all select * from (select 4, key, min(text) || case when min(text) < max(text)"
        "   then ' to ' || max(text) else '' end"
        "  from provenance where key = 'finished' group by key)"
        " union all select * from (select 5, 'time of all runs',"
        "   round(sum(cast(text as real)), 1) || ' s'"
        "  from provenance where key = 'wall time' group by key)"
        ") where text is not null order by place";
    struct query_mistake mistake = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows = db ? database_query(db, sql, QUERY_LIMITS, &mistake) : NULL;
    if (db)
    {
        xmlNode *facts = page_add(section, "facts", NULL);
        page_set(facts, "title", "Provenance");
        xmlNode *fact = page_add(facts, "fact", NULL);
        page_set(fact, "name", "results");
        page_add_code(fact, folder);
        for (size_t r = 0; rows && r < rows->nrows; r++)
        {
            OWNED char *text = query_cell_text(&rows->cells[2 * r + 1]);
            page_set(page_add(facts, "fact", text), "name", rows->cells[2 * r].text);
        }
    }
    free(mistake.message);
}

/* --- cells --------------------------------------------------------------------------------------
 */

xmlNode *
query_cell_add_to(xmlNode *row, const char *text, const struct query_cell *cell, bool number)
{
    xmlNode *to = page_add(row, "cell", text);
    double value = cell->real;
    if (cell->kind == QUERY_TEXT && csv_number(cell->text, &value) != CELL_NUMBER)
    {
        value = NAN;
    }
    page_set(to, "number", number ? "on" : NULL);
    if (isfinite(value))
    {
        page_format(to, "value", "%.17g", value);
    }
    return to;
}
