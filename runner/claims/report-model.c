/* SPDX-License-Identifier: GPL-2.0-only */
/* A report's claims and tables, with what their queries give, as a tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "provenance.h"
#include "report-query.h"
#include "report-verdict.h"
#include "results-page.h"
#include "shown-text.h"
#include "sweep-run.h"

/** Parts that a file of claims makes. */
struct part
{
    const struct document *file;
    struct report_source source;
    size_t number, nsections, nclaims; /**< from 1; so far */
};

/** A file that the claims name in relation to their own. */
static char *
beside(const struct document *claims, const char *file)
{
    const char *slash = strrchr(claims->path, '/');
    return xformat("%.*s%s", slash ? (int)(slash - claims->path) + 1 : 0, claims->path, file);
}

/** Whether a claim has numbers, and none is lacking for want of rows; or needs none. */
static bool
has_run(const struct report_numbers *n)
{
    bool run = !n || (n->rows && n->rows->nrows > 0);
    for (size_t at = 0; n && run && at < n->rows->nrows * n->rows->ncolumns; at++)
    {
        run = n->columns[at % n->rows->ncolumns].kind != REPORT_VALUE ||
              n->holes[at].ground != QUERY_NO_ROWS;
    }
    return run;
}

/** Adds the first child of a name; NULL: there is none. */
static xmlNode *
add_child(xmlNode *to, const struct element *e, const char *name)
{
    const struct element *child = element_child(e, name);
    return child ? page_add_markdown(to, name, child->text) : NULL;
}

/** Adds what puts a claim into the page's first table. */
static void
add_key(xmlNode *claim, const struct element *e)
{
    xmlNode *key = add_child(claim, e, "key");
    if (key)
    {
        page_set(key, "figure", element_value(element_child(e, "key"), "figure"));
    }
}

/** More numbers than a cell has room for are a table, and @p one may stand for all. */
static void
add_numbers(xmlNode *claim, const struct element *e, const struct report_numbers *n,
            const struct report_numbers *one)
{
    if (n)
    {
        report_add_values(claim, e, n);
    }
    if (n && report_count(e, n) > REPORT_MOST_NUMBERS)
    {
        report_add_rows(page_add(claim, "table", NULL), n);
    }
    if (one)
    {
        report_add_values(page_add(claim, "headline", NULL), e, one);
    }
}

/** A test that shows a claim, which must be where the claims file says it is. */
static void
add_test(struct part *part, xmlNode *claim, const struct element *test)
{
    const char *name = element_value(test, "name"), *file = element_value(test, "file");
    const char *base = strrchr(file, '/');
    OWNED char *path = beside(part->file, file), *why = NULL;
    OWNED char *text = file_read_path(path, SIZE_MAX, NULL, &why);
    if (!text || !strstr(text, name))
    {
        diag_error(part->source.d, test->line, "%s %s; expected the test '%s' there",
                   text ? "there is no such test in" : "cannot read", path, name);
    }
    xmlNode *to = page_add(claim, "test", NULL);
    page_add_code(to, name);
    xmlNodeAddContent(to, (const xmlChar *)" in ");
    page_add_code(to, base ? base + 1 : file);
}

static void
add_claim(struct part *part, xmlNode *section, const struct element *e)
{
    struct report_numbers *n = report_numbers(&part->source, e, "query");
    struct report_numbers *one = n && n->rows ? report_numbers(&part->source, e, "headline") : NULL;
    const bool run = has_run(n) && has_run(one), former = report_claim_is_former(e, n);
    xmlNode *claim = page_add(section, "claim", NULL);
    page_format(claim, "id", "p%zu-c%zu", part->number, ++part->nclaims);
    page_format(claim, "number", "%zu", part->nclaims);
    page_set(claim, "verdict", report_verdicts[report_verdict_of(e, run, former)].word);
    page_set(claim, "mark", former ? REPORT_FORMER_MARK : NULL);
    page_set(claim, "hangs-on", element_value(e, "hangs-on"));
    add_key(claim, e);
    add_child(claim, e, "says");
    add_child(claim, e, "paper");
    add_numbers(claim, e, n, one);
    for (const struct element *test = NULL; (test = element_child_after(e, "test", test)) != NULL;)
    {
        add_test(part, claim, test);
    }
    add_child(claim, e, "why");
    report_numbers_free(one);
    report_numbers_free(n);
}

static void
add_table(struct part *part, xmlNode *section, const struct element *e)
{
    struct report_numbers *n = report_numbers(&part->source, e, "query");
    xmlNode *table = page_add(section, "table", NULL);
    page_set(table, "title", element_value(e, "title"));
    report_add_rows(table, n);
    report_numbers_free(n);
}

/** The figure that a section names, which must be there. */
static void
add_figure(struct part *part, xmlNode *section, const struct element *e)
{
    const char *figure = element_value(e, "figure");
    OWNED char *path = figure ? beside(part->file, figure) : NULL;
    if (path && access(path, R_OK) != 0)
    {
        diag_error(part->source.d, element_line(e, "figure"), "cannot read the figure %s", path);
    }
    if (path)
    {
        page_set_link(section, "figure", path, part->source.options->output);
    }
}

/** The figures of a section's results, and what made them. */
static void
add_results(struct part *part, xmlNode *section, const char *results)
{
    const struct report_options *options = part->source.options;
    OWNED char *folder = xformat("%s/%s", options->results, results);
    if (options->drawings)
    {
        drawings_add(section, folder);
    }
    results_add_facts(section, folder, part->source.db);
}

static void
add_section(struct part *part, xmlNode *to, const struct element *e)
{
    const char *results = element_value(e, "results"), *scenario = element_value(e, "scenario");
    xmlNode *section = page_add(to, "section", NULL);
    part->source.section = e;
    page_format(section, "id", "p%zu-s%zu", part->number, ++part->nsections);
    page_set(section, "title", element_value(e, "title"));
    if (scenario)
    {
        OWNED char *command = xformat("./weft run %s", scenario);
        page_add_code(page_add(section, "maker", NULL), command);
    }
    CLEANUP(words_free) struct words shows = report_shows(e);
    for (size_t i = 0; i < shows.n; i++)
    {
        page_set(page_add(section, "shows", NULL), "name", shows.word[i]);
    }
    add_figure(part, section, e);
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *child = e->children[i];
        if (strcmp(child->name, "text") == 0)
        {
            page_add_paragraphs(section, "p", child->text);
        }
        else if (strcmp(child->name, "claim") == 0)
        {
            add_claim(part, section, child);
        }
        else if (strcmp(child->name, "table") == 0)
        {
            add_table(part, section, child);
        }
    }
    if (results)
    {
        add_results(part, section, results);
    }
    report_source_close(&part->source);
}

static bool
add_part(xmlNode *report, const struct document *claims, const struct report_options *options,
         size_t number)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = claims->path};
    struct part part = {
        claims, {.options = options, .claims = claims->root, .d = &d}, number, 0, 0};
    xmlNode *to = page_add(report, "part", NULL);
    page_set(to, "title", element_value(claims->root, "title"));
    page_set(to, "path", claims->path);
    page_set_link(to, "claims", claims->path, part.source.options->output);
    for (const struct element *e = NULL;
         (e = element_child_after(claims->root, "figure", e)) != NULL;)
    {
        page_set(page_add_markdown(to, "figure", e->text), "name", element_value(e, "name"));
    }
    for (const struct element *e = NULL;
         (e = element_child_after(claims->root, "text", e)) != NULL;)
    {
        page_add_paragraphs(to, "p", e->text);
    }
    for (const struct element *e = NULL;
         (e = element_child_after(claims->root, "section", e)) != NULL;)
    {
        add_section(&part, to, e);
    }
    const bool good = d.n == 0;
    diag_print(&d, stderr);
    return good;
}

xmlDoc *
report_make(struct document *const *claims, size_t n, const struct report_options *options)
{
    xmlDoc *page = page_new("report");
    xmlNode *report = xmlDocGetRootElement(page);
    bool good = true;
    page_set(report, "version", provenance_version());
    for (size_t v = 0; v < VERDICTS; v++)
    {
        xmlNode *verdict = page_add(report, "verdict", NULL);
        page_set(verdict, "word", report_verdicts[v].word);
        page_set(verdict, "name", report_verdicts[v].name);
        page_set(verdict, "sign", report_verdicts[v].sign);
        page_set(verdict, "meaning", report_verdicts[v].meaning);
    }
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

/* --- its file --------------------------------------------------------------------------------- */

static int
write_into(const char *text, const char *output)
{
    FILE *file = fopen(output, "w");
    const bool good = file && fputs(text, file) >= 0;
    if ((file && fclose(file) != 0) || !good)
    {
        print_shown(stderr, "weft: error: cannot write %s: %s\n", output, strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

int
report_deliver(const char *text, const char *output)
{
    if (!output)
    {
        fputs(text, stdout);
        return EXIT_GOOD;
    }
    struct stat st;
    if (stat(output, &st) == 0 && !S_ISREG(st.st_mode))
    {
        return write_into(text, output); /* a device or a pipe stays what it is */
    }
    const char *slash = strrchr(output, '/');
    OWNED char *why = NULL;
    OWNED char *folder =
        slash ? xformat("%.*s", slash > output ? (int)(slash - output) : 1, output) : xstrdup(".");
    bool good = file_replace(folder, slash ? slash + 1 : output, text, strlen(text), &why);
    if (!good)
    {
        print_shown(stderr, "weft: error: %s\n", why);
    }
    return good ? EXIT_GOOD : EXIT_FAILED;
}
