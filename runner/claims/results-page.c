/* SPDX-License-Identifier: GPL-2.0-only */
#include "results-page.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "document.h"
#include "files.h"
#include "provenance.h"
#include "report-query.h"
#include "shown-text.h"
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

/** Of a table that is shown; more say so. */
#define MOST_ROWS 1000

/** Columns of aggregate.csv for each of summary.csv: the first is the mean, the last half of its
 * interval, and one how many seeds have a value. */
#define SPREAD_COLUMNS 6
#define SPREAD_N       3

/* --- columns ---------------------------------------------------------------------------------- */

/** Where a column is shown. */
enum place
{
    IN_LIST, /**< beside the table: all rows have the same */
    FIRST,   /**< it tells the runs apart */
    DRAWN,   /**< a figure shows it */
    BEHIND,
    NOWHERE,
};

struct shown_column
{
    char *name;
    enum place place;
    bool is_spread; /**< of the mean and half of its interval, SPREAD_COLUMNS - 1 later */
};

/** What mean and interval of a column that begins at @p c are of; NULL: they are not there. */
static char *
spread_at(const struct query_rows *rows, size_t c)
{
    const size_t last = c + SPREAD_COLUMNS - 1, n = strlen(rows->columns[c]);
    const char *end = rows->columns[c] + (n > 5 ? n - 5 : n);
    OWNED char *name = xformat("%.*s", (int)(end - rows->columns[c]), rows->columns[c]);
    OWNED char *half = xformat("%s_ci95", name);
    const bool is = strcmp(end, "_mean") == 0 && last < rows->ncolumns &&
                    strcmp(half, rows->columns[last]) == 0;
    return is ? xstrdup(name) : NULL;
}

/** "162 ± 3 (8/10)", "4.3 ± 1.3": the interval has one digit, or two if the first is a 1; all of
 * them from 10 on. */
static char *
spread_text(const struct query_cell *row, size_t c)
{
    const struct query_cell *mean = &row[c], *half = &row[c + SPREAD_COLUMNS - 1];
    const long long n = (long long)row[c + SPREAD_N].integer, seeds = (long long)row[0].integer;
    struct text t = {0};
    if (half->kind != QUERY_NULL && half->real > 0)
    {
        const int digits = (int)-floor(log10(half->real / 2));
        const int decimals = digits < 0 ? 0 : digits;
        text_add(&t, "%.*f ± %.*f", decimals, mean->real, decimals, half->real);
    }
    else
    {
        query_cell_add(&t, mean);
        text_add(&t, half->kind != QUERY_NULL ? " ± 0" : "");
    }
    if (mean->kind != QUERY_NULL && n < seeds)
    {
        text_add(&t, " (%lld/%lld)", n, seeds);
    }
    return text_take(&t);
}

static char *
cell_text(const struct query_rows *rows, const struct shown_column *columns, size_t row, size_t c)
{
    const struct query_cell *cells = &rows->cells[row * rows->ncolumns];
    return columns[c].is_spread ? spread_text(cells, c) : query_cell_text(&cells[c]);
}

/** Whether all rows have the same in a column. */
static bool
is_constant(const struct query_rows *rows, const struct shown_column *columns, size_t c)
{
    bool same = true;
    OWNED char *first = cell_text(rows, columns, 0, c);
    for (size_t r = 1; same && r < rows->nrows; r++)
    {
        OWNED char *cell = cell_text(rows, columns, r, c);
        same = strcmp(cell, first) == 0;
    }
    return same;
}

/** Whether a column has the numbers of the texts before it, as "t-i_us" those of "t-i": sorting the
 * texts by what they mean needs no other column. */
static bool
repeats(const struct query_rows *rows, size_t column)
{
    const char *before = column ? rows->columns[column - 1] : "", *name = rows->columns[column];
    const size_t n = strlen(before);
    return column && rows->cells[column - 1].kind == QUERY_TEXT && strncmp(name, before, n) == 0 &&
           name[n] == '_' && rows->cells[column].kind != QUERY_TEXT;
}

/** Whether a query names a column. */
static bool
names(const struct element *query, const char *column)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t n = strlen(column);
    const char *at = query ? query->text : "";
    while ((at = strstr(at, column)) != NULL &&
           (strspn(at + n, inside) || (at > query->text && strchr(inside, at[-1]))))
    {
        at += n;
    }
    return at != NULL;
}

/** Whether a figure of the scenario (NULL: not known) shows a column. */
static bool
is_drawn(const struct document *scenario, const char *column)
{
    static const char *const attributes[] = {"x", "y", "z", "series", "panels", "line"};
    bool drawn = false;
    const struct element *e = NULL;
    while (!drawn && scenario && (e = report_next(scenario->root, "figure", e)) != NULL)
    {
        drawn = names(element_child(e, "query"), column);
        for (size_t i = 0; !drawn && i < sizeof attributes / sizeof *attributes; i++)
        {
            drawn = list_has(element_value(e, attributes[i]), column);
        }
    }
    return drawn;
}

static struct shown_column *
place_columns(const struct query_rows *rows, const struct document *scenario)
{
    struct shown_column *columns = xcalloc(rows->ncolumns, sizeof *columns);
    bool measured = false; /* what tells the runs apart is before */
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        struct shown_column *column = &columns[c];
        char *spread = spread_at(rows, c);
        column->is_spread = spread != NULL;
        column->name = spread ? spread : xstrdup(rows->columns[c]);
        measured = measured || strcmp(column->name, summary_table.columns[0].name) == 0;
        column->place = column->place == NOWHERE || repeats(rows, c) ? NOWHERE
                        : is_constant(rows, columns, c)              ? IN_LIST
                        : !measured                                  ? FIRST
                        : is_drawn(scenario, column->name)           ? DRAWN
                                                                     : BEHIND;
        if (spread)
        {
            columns[c + SPREAD_COLUMNS - 1].place = NOWHERE;
        }
    }
    return columns;
}

/* --- tables ----------------------------------------------------------------------------------- */

/** What does not vary, as a list beside the table. */
static void
add_constants(xmlNode *section, const struct query_rows *rows, const struct shown_column *columns)
{
    xmlNode *list = page_add(section, "facts", NULL);
    page_set(list, "title", rows->nrows > 1 ? "The same in all rows" : "All values");
    page_set(list, "open", rows->nrows > 1 ? NULL : "open");
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (columns[c].place == IN_LIST && rows->cells[c].kind != QUERY_NULL)
        {
            OWNED char *text = cell_text(rows, columns, 0, c);
            page_set(page_add(list, "fact", text), "name", columns[c].name);
        }
    }
}

/** The mean @p cell and half of its interval as they are, for who wants all digits. */
static void
set_digits(xmlNode *to, const struct query_cell *cell)
{
    OWNED char *mean = query_cell_text(cell), *half = query_cell_text(cell + SPREAD_COLUMNS - 1);
    if (*half)
    {
        page_format(to, "title", "%s ± %s", mean, half);
    }
}

/** Adds columns and rows; what figures show comes before what none does. */
static void
add_varying(xmlNode *section, const char *title, const struct query_rows *rows,
            const struct shown_column *columns)
{
    size_t *order = xcalloc(rows->ncolumns, sizeof *order), n = 0, drawn = 0;
    for (enum place place = FIRST; place <= BEHIND; place++)
    {
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            drawn += columns[c].place == place && place == DRAWN;
            order[n] = c;
            n += columns[c].place == place;
        }
    }
    xmlNode *table = page_add(section, "table", NULL);
    page_set(table, "title", title);
    for (size_t i = 0; i < n; i++)
    {
        const struct shown_column *shown = &columns[order[i]];
        xmlNode *column = page_add(table, "column", shown->name);
        page_set(column, "number", rows->cells[order[i]].kind != QUERY_TEXT ? "on" : NULL);
        page_set(column, "behind", drawn && shown->place == BEHIND ? "on" : NULL);
    }
    for (size_t r = 0; r < rows->nrows && r < MOST_ROWS; r++)
    {
        xmlNode *row = page_add(table, "row", NULL);
        for (size_t i = 0; i < n; i++)
        {
            const struct query_cell *cell = &rows->cells[r * rows->ncolumns + order[i]];
            OWNED char *text = cell_text(rows, columns, r, order[i]);
            xmlNode *to = report_add_cell(row, text, cell, cell->kind != QUERY_TEXT);
            page_set(to, "behind", drawn && columns[order[i]].place == BEHIND ? "on" : NULL);
            if (columns[order[i]].is_spread)
            {
                set_digits(to, cell);
            }
        }
    }
    free(order);
}

/** A table of results that has rows. */
static void
add_rows(xmlNode *section, const char *title, const struct query_rows *rows,
         const struct document *scenario)
{
    OWNED struct shown_column *columns = place_columns(rows, scenario);
    if (rows->nrows > 1)
    {
        add_varying(section, title, rows, columns);
    }
    if (rows->nrows > MOST_ROWS)
    {
        OWNED char *note = xformat("The first %d rows.", MOST_ROWS);
        page_add(section, "note", note);
    }
    add_constants(section, rows, columns);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        free(columns[c].name);
    }
}

/** Asks for a table; a sentence in *why if it cannot be. */
static void
add_table(xmlNode *section, struct database *db, const char *table, const char *title,
          const struct document *scenario, char **why)
{
    OWNED char *sql = xformat("select * from \"%s\" limit %d", table, MOST_ROWS + 1);
    struct query_mistake mistake = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(db, sql, QUERY_LIMITS, &mistake);
    if (rows && rows->nrows)
    {
        add_rows(section, title, rows, scenario);
    }
    *why = mistake.message;
}

/* --- results ---------------------------------------------------------------------------------- */

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
    struct query_rows *rows = db ? database_query(db, sql, REPORT_LIMITS, &mistake) : NULL;
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

/** The last part of a path. */
static char *
name_of(const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
    {
        n--;
    }
    size_t start = n;
    while (start > 0 && folder[start - 1] != '/')
    {
        start--;
    }
    return xformat("%.*s", (int)(n - start), folder + start);
}

/** Adds a section. False after a message. */
static bool
add_results(xmlNode *part, const char *folder, size_t number, bool alone)
{
    OWNED char *why = NULL, *none = NULL, *name = name_of(folder);
    OWNED char *path = xformat("%s/scenario.xml", folder);
    CLEANUP(diag_free) struct diagnostics d = {0};
    CLEANUP(document_drop) struct document *scenario = document_read(path, &d);
    const struct element *given = scenario ? element_child(scenario->root, "title") : NULL;
    const struct element *title = given && !text_is_blank(given->text) ? given : NULL;
    CLEANUP(database_drop) struct database *db = database_open(folder, &why);
    xmlNode *section = page_add(part, "section", NULL);
    page_format(section, "id", "s%zu", number);
    page_set(section, "title", title && !alone ? title->text : name);
    if (alone && title)
    {
        page_set(part, "title", title->text);
    }
    else if (alone)
    {
        page_format(part, "title", "Results of %s", name);
    }
    drawings_add(section, folder);
    if (db)
    {
        add_table(section, db, "aggregate", "Over the seeds", scenario, &none);
        add_table(section, db, "summary", "All runs", scenario, &why);
        results_add_facts(section, folder, db);
    }
    if (why)
    {
        print_shown(stderr, "weft: error: %s: %s\n", folder, why);
    }
    return !why;
}

xmlDoc *
results_page(char *const *folders, size_t n)
{
    xmlDoc *page = page_new("report");
    xmlNode *report = xmlDocGetRootElement(page), *part = page_add(report, "part", NULL);
    bool good = true;
    page_set(report, "version", provenance_version());
    page_format(part, "title", "Results of %zu scenarios", n);
    for (size_t i = 0; i < n; i++)
    {
        good = add_results(part, folders[i], i + 1, n == 1) && good;
    }
    if (!good)
    {
        xmlFreeDoc(page);
        page = NULL;
    }
    return page;
}
