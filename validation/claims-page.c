/* SPDX-License-Identifier: GPL-2.0-only */
/* A report's tree: that of the claims, in which answers take the place of queries. */
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims-sheets.h"
#include "claims.h"
#include "files.h"
#include "provenance.h"
#include "results-facts.h"
#include "stylesheets.h"

#define XML(s) ((const xmlChar *)(s))

/** A file of claims while its part of a report is made. */
struct part
{
    const struct claims *file;
    struct source source;
    size_t number, nsections, nclaims; /**< from 1; so far */
};

/** Returns the path of a file that claims name in relation to their own. */
static char *
beside(const struct part *part, const char *file)
{
    const char *path = part->file->path, *slash = strrchr(path, '/');
    return xformat("%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, file);
}

static void
fill_children(xmlNode *e, const char *name)
{
    for (xmlNode *child = NULL; (child = child_after(e, name, child)) != NULL;)
    {
        markdown_fill(child);
    }
}

static void
split_texts(xmlNode *e)
{
    for (xmlNode *text; (text = child_of(e, "text")) != NULL;)
    {
        markdown_split(text);
    }
}

/* --- verdicts ----------------------------------------------------------------------------------
 */

/** Verdicts: the word of style sheets, the name, a sign where a name has no room, the meaning. */
static const char *const verdicts[][4] = {
    {"agrees", "agrees", "✓", "Weft's results say what the paper says."},
    {"tested", "shown by a test", "✓", "A test that runs with Weft's others shows it."},
    {"differs", "differs, with cause", "≠", "Weft's results differ, and the reason is given."},
    {"open", "open", "?",
     "Weft's results differ for a reason that is not known, or do not decide it."},
    {"former", "to be run again", "†", "Former code made the numbers; they have to be made again."},
    {"quick", "not judged", "·",
     "The numbers are of a quick version, and verdicts are about full ones."},
    {"notrun", "not run", "–", "There are no results."},
    {"none", "no verdict", "·", "The paper says nothing to compare with, or nobody has judged."},
};

static void
add_verdicts(xmlNode *report)
{
    static const char *const names[] = {"word", "name", "sign", "meaning"};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
    {
        xmlNode *verdict = page_add(report, "verdict", NULL);
        for (size_t k = 0; k < 4; k++)
        {
            page_set(verdict, names[k], verdicts[i][k]);
        }
    }
}

/** Whether any number of a claim is of former code. */
static bool
is_former(const xmlNode *claim, const struct answer *a)
{
    bool former = false;
    for (const xmlNode *e = claim->children; e; e = e->next)
    {
        const char *said = e->type == XML_ELEMENT_NODE ? value_of(e, "former") : NULL;
        former = former || (said && strcmp(said, "on") == 0);
    }
    for (size_t r = 0; a->rows && !former && r < a->rows->nrows; r++)
    {
        former = answer_row_is_former(a, r);
    }
    return former;
}

/** Whether a section reads results of a quick version, which nobody has judged. */
static bool
is_quick(const struct source *s)
{
    bool quick = false;
    for (const xmlNode *e = s->section; e && s->options->quick;
         e = child_after(s->section, "attach", e == s->section ? NULL : e))
    {
        quick = quick ||
                (value_of(e, "results") && claims_have_quick(s->claims, value_of(e, "results")));
    }
    return quick;
}

/** Sets the verdict that holds: what the claim says, unless it was not run or is of former code. */
static void
set_verdict(const struct source *s, xmlNode *claim, bool run, bool former)
{
    const bool quick = is_quick(s) && child_of(claim, "query");
    const char *said = value_of(claim, "verdict");
    said = said && quick ? "quick" : said;
    const bool tested =
        said && strcmp(said, "agrees") == 0 && !child_of(claim, "query") && child_of(claim, "test");
    page_set(claim, "verdict",
             !run     ? "notrun"
             : former ? "former"
             : tested ? "tested"
             : said   ? said
                      : "none");
    page_set(claim, "mark", former ? FORMER_MARK : NULL);
}

/* --- claims and tables -------------------------------------------------------------------------
 */

/** Makes code of a test's name, which must be where the claims say that it is. */
static void
make_test(struct part *part, xmlNode *test)
{
    const char *name = value_of(test, "name"), *file = value_of(test, "file");
    const char *slash = strrchr(file, '/');
    OWNED char *path = beside(part, file), *why = NULL;
    OWNED char *text = file_read_path(path, SIZE_MAX, NULL, &why);
    if (!text || !strstr(text, name))
    {
        diag_error(part->source.d, line_of(test), "%s %s; expected the test '%s' there",
                   text ? "there is no such test in" : "cannot read", path, name);
    }
    page_add_code(test, name);
    xmlNodeAddContent(test, XML(" in "));
    page_add_code(test, slash ? slash + 1 : file);
}

/** Adds the numbers of a claim; more than a cell has room for are a table, and a headline may stand
 * for them. */
static void
add_numbers(xmlNode *claim, const struct answer *all, const struct answer *one)
{
    if (all->query)
    {
        answer_add_values(claim, all);
    }
    if (answer_count(all) > MOST_NUMBERS)
    {
        answer_add_rows(page_add(claim, "table", NULL), all);
    }
    if (one->query)
    {
        answer_add_values(page_add(claim, "headline", NULL), one);
    }
}

static void
make_claim(struct part *part, xmlNode *claim)
{
    static const char *const texts[] = {"key", "says", "paper", "why"};
    CLEANUP(answer_drop) struct answer all = answer_of(&part->source, child_of(claim, "query"));
    CLEANUP(answer_drop)
    struct answer one = answer_of(&part->source, all.rows ? child_of(claim, ASKED_HEADLINE) : NULL);
    page_format(claim, "id", "p%zu-c%zu", part->number, ++part->nclaims);
    page_format(claim, "number", "%zu", part->nclaims);
    set_verdict(&part->source, claim, answer_was_run(&all) && answer_was_run(&one),
                is_former(claim, &all));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    {
        fill_children(claim, texts[i]);
    }
    for (xmlNode *test = NULL; (test = child_after(claim, "test", test)) != NULL;)
    {
        make_test(part, test);
    }
    add_numbers(claim, &all, &one);
}

static void
make_table(struct part *part, xmlNode *table)
{
    CLEANUP(answer_drop) struct answer a = answer_of(&part->source, child_of(table, "query"));
    answer_add_rows(table, &a);
}

/* --- sections ----------------------------------------------------------------------------------
 */

/** Adds the names of the paper's figures that a section is about. */
static void
add_shows(struct part *part, xmlNode *section)
{
    const char *shows = value_of(section, "shows");
    CLEANUP(words_free) struct words names = shows ? words_split_at(shows, ';') : (struct words){0};
    for (size_t i = 0; i < names.n; i++)
    {
        const xmlNode *figure = NULL;
        while ((figure = child_after(section->parent, "figure", figure)) != NULL &&
               strcmp(value_of(figure, "name"), names.word[i]) != 0)
        {
        }
        if (!figure)
        {
            diag_error(part->source.d, line_of(section),
                       "shows '%s'; expected a <figure> of that name", names.word[i]);
        }
        page_set(page_add(section, "shows", NULL), "name", names.word[i]);
    }
}

/** Makes a link of the figure that a section names, which must be there. */
static void
link_figure(struct part *part, xmlNode *section)
{
    const char *figure = is_quick(&part->source) ? NULL : value_of(section, "figure");
    if (!figure)
    {
        xmlUnsetProp(section, XML("figure"));
    }
    OWNED char *path = figure ? beside(part, figure) : NULL;
    if (path && access(path, R_OK) != 0)
    {
        diag_error(part->source.d, line_of(section), "cannot read the figure %s", path);
    }
    page_set_link(section, "figure", path, part->source.options->outputs[0]);
}

/** Adds the figures of a section's results, and what made them. */
static void
add_results(struct part *part, xmlNode *section)
{
    const char *results = value_of(section, "results");
    OWNED char *folder = results ? xformat("%s/%s", part->source.options->results, results) : NULL;
    if (folder)
    {
        drawings_add(section, folder);
        results_add_facts(section, folder, part->source.db);
    }
}

static void
make_section(struct part *part, xmlNode *section)
{
    const char *scenario = value_of(section, "scenario");
    part->source.section = section;
    page_format(section, "id", "p%zu-s%zu", part->number, ++part->nsections);
    if (scenario && section->children)
    {
        const char *results = value_of(section, "results");
        const bool quick = part->source.options->quick && results &&
                           claims_have_quick(part->source.claims, results);
        OWNED char *command = xformat("./weft run %s%s", scenario, quick ? " --quick" : "");
        xmlNode *maker = xmlNewDocNode(section->doc, NULL, XML("maker"), NULL);
        xmlAddPrevSibling(section->children, maker);
        page_add_code(maker, command);
    }
    add_shows(part, section);
    link_figure(part, section);
    split_texts(section);
    for (xmlNode *e = section->children; e; e = e->next)
    {
        if (xmlStrEqual(e->name, XML("claim")))
        {
            make_claim(part, e);
        }
        else if (xmlStrEqual(e->name, XML("table")))
        {
            make_table(part, e);
        }
    }
    add_results(part, section);
    source_close(&part->source);
}

/* --- the whole ---------------------------------------------------------------------------------
 */

/** Makes the claims a page: titles hold nothing that turns a line around, and what is on its way to
 * be answered has other names than the answers. */
static void
prepare(xmlNode *e)
{
    if (xmlStrEqual(e->name, XML("column")) || xmlStrEqual(e->name, XML("headline")))
    {
        xmlNodeSetName(e, *e->name == 'c' ? XML(ASKED_COLUMN) : XML(ASKED_HEADLINE));
    }
    for (xmlAttr *a = e->type == XML_ELEMENT_NODE ? e->properties : NULL; a; a = a->next)
    {
        OWNED char *value = xstrdup(a->children ? (const char *)a->children->content : "");
        page_set(e, (const char *)a->name, value);
    }
    for (xmlNode *child = e->children; child; child = child->next)
    {
        prepare(child);
    }
}

static bool
add_part(xmlNode *report, const struct claims *claims, const struct claims_options *options,
         size_t number)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = claims->path};
    struct part part = {claims, {.options = options, .d = &d}, number, 0, 0};
    xmlNode *to = xmlDocCopyNode(xmlDocGetRootElement(claims->doc), report->doc, 1);
    xmlAddChild(report, to);
    part.source.claims = to;
    prepare(to);
    xmlNodeSetName(to, XML("part"));
    page_set(to, "path", claims->path);
    page_set_link(to, "claims", claims->path, options->outputs[0]);
    fill_children(to, "figure");
    split_texts(to);
    for (xmlNode *e = NULL; (e = child_after(to, "section", e)) != NULL;)
    {
        make_section(&part, e);
    }
    const bool good = d.n == 0;
    diag_print(&d, stderr);
    return good;
}

xmlDoc *
claims_page(struct claims *const *claims, size_t n, const struct claims_options *options)
{
    xmlDoc *page = page_new("report");
    xmlNode *report = xmlDocGetRootElement(page);
    bool good = true;
    page_set(report, "version", provenance_version());
    add_verdicts(report);
    for (size_t i = 0; i < n; i++)
    {
        good = add_part(report, claims[i], options, i + 1) && good;
    }
    if (!good)
    {
        xmlFreeDoc(page);
        page = NULL;
    }
    return page;
}

char *
claims_write(xmlDoc *page, const char *form)
{
    return strcmp(form, "html") == 0 ? page_write(page, html_stylesheet, claims_html_sheet)
           : strcmp(form, "markdown") == 0
               ? page_write(page, markdown_stylesheet, claims_markdown_sheet)
               : page_write(page, summary_sheet, NULL);
}
