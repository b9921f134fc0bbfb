/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as Markdown. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markdown.h"
#include "report-numbers.h"

struct report
{
    struct text out;
    struct report_source source; /**< of the section that is being written */
    const struct document *claims;
    size_t nclaims; /**< written so far, for their numbers */
};

/** Where the paragraph that starts at @p s ends: at a blank line. */
static const char *
paragraph_end(const char *s)
{
    for (const char *newline = strchr(s, '\n'); newline; newline = strchr(newline + 1, '\n'))
    {
        const char *p = newline + 1;
        while (*p == ' ' || *p == '\t' || *p == '\r')
        {
            p++;
        }
        if (*p == '\n')
        {
            return newline;
        }
    }
    return s + strlen(s);
}

static void
add_paragraphs(struct text *t, const char *s)
{
    while (isspace((unsigned char)*s))
    {
        s++;
    }
    while (*s)
    {
        const char *end = paragraph_end(s);
        char *paragraph = xformat("%.*s", (int)(end - s), s);
        text_add(t, "\n");
        markdown_add(t, paragraph, false);
        text_add(t, "\n");
        free(paragraph);
        s = end;
        while (isspace((unsigned char)*s))
        {
            s++;
        }
    }
}

/* --- claims ----------------------------------------------------------------------------------- */

/** The whole file; NULL if it cannot be read. */
static char *
file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    size_t n = 0, got;
    if (!f)
    {
        return NULL;
    }
    do
    {
        bytes = xrealloc(bytes, n + 65537, 1);
        got = fread(bytes + n, 1, 65536, f);
        n += got;
    } while (got > 0);
    bytes[n] = '\0';
    fclose(f);
    return bytes;
}

/** A test that shows the claim must be where the claims file says it is. */
static void
add_test(struct report *r, const struct element *test)
{
    const char *name = element_value(test, "name"), *file = element_value(test, "file");
    const char *slash = strrchr(r->claims->path, '/');
    char *path =
        xformat("%.*s%s", slash ? (int)(slash - r->claims->path) + 1 : 0, r->claims->path, file);
    char *text = file_text(path);
    if (!text || !strstr(text, name))
    {
        diag_error(r->source.d, test->line, "%s %s; expected the test '%s' there",
                   text ? "there is no such test in" : "cannot read", path, name);
    }
    const char *base = strrchr(file, '/');
    text_add(&r->out, "tested: ");
    markdown_add_code(&r->out, name, true);
    text_add(&r->out, " in ");
    markdown_add_code(&r->out, base ? base + 1 : file, true);
    free(text);
    free(path);
}

static void
add_claim_row(struct report *r, const struct element *claim)
{
    struct text *t = &r->out;
    const struct element *paper = element_child(claim, "paper");
    struct report_numbers *n = report_numbers(&r->source, claim);
    size_t entries = 0;
    text_add(t, "| %zu%s | ", ++r->nclaims,
             report_claim_is_former(claim, n) ? REPORT_FORMER_MARK : "");
    markdown_add(t, element_child(claim, "says")->text, true);
    text_add(t, " | ");
    markdown_add(t, paper ? paper->text : "", true);
    text_add(t, " | ");
    if (n)
    {
        report_add_numbers(t, claim, n, &entries);
    }
    for (size_t i = 0; i < claim->nchildren; i++)
    {
        if (strcmp(claim->children[i]->name, "test") == 0)
        {
            text_add(t, "%s", entries++ ? "<br>" : "");
            add_test(r, claim->children[i]);
        }
    }
    text_add(t, " |\n");
    report_numbers_free(n);
}

/** What is to be said of some claims, under their numbers; those before have @p number. */
static void
add_notes(struct text *t, const struct element *section, size_t number)
{
    for (size_t i = 0; i < section->nchildren; i++)
    {
        const struct element *claim = section->children[i];
        bool counts = strcmp(claim->name, "claim") == 0;
        const struct element *why = counts ? element_child(claim, "why") : NULL;
        number += counts;
        if (why)
        {
            text_add(t, "\n**%zu.** ", number);
            markdown_add(t, why->text, false);
            text_add(t, "\n");
        }
    }
}

/** The queries of a section, folded away where Markdown is shown; the claims before have
 * @p number. */
static void
add_queries(struct text *t, const struct element *section, size_t number)
{
    const char *head = "\n<details><summary>The queries</summary>\n";
    for (size_t i = 0; i < section->nchildren; i++)
    {
        const struct element *e = section->children[i];
        const struct element *query = element_child(e, "query");
        const bool claim = strcmp(e->name, "claim") == 0;
        number += claim;
        if (query && claim)
        {
            text_add(t, "%s\n**%zu.**\n\n", head, number);
        }
        else if (query)
        {
            text_add(t, "%s\n", head);
            markdown_add_plain(t, element_value(e, "title"));
            text_add(t, ":\n\n");
        }
        if (query)
        {
            markdown_add_block(t, "sql", query->text);
            head = "";
        }
    }
    text_add(t, "%s", *head ? "" : "\n</details>\n");
}

static void
add_claims(struct report *r, const struct element *section)
{
    const size_t before = r->nclaims;
    if (!element_child(section, "claim"))
    {
        return;
    }
    text_add(&r->out, "\n| | what is claimed | the paper | Weft |\n|--:|---|---|---|\n");
    for (size_t i = 0; i < section->nchildren; i++)
    {
        if (strcmp(section->children[i]->name, "claim") == 0)
        {
            add_claim_row(r, section->children[i]);
        }
    }
    add_notes(&r->out, section, before);
}

static void
add_table(struct report *r, const struct element *table)
{
    struct report_numbers *n = report_numbers(&r->source, table);
    report_add_table(&r->out, table, n);
    report_numbers_free(n);
}

/** "Results of `./weft run FILE`." */
static void
add_maker(struct text *t, const char *scenario)
{
    char *command = xformat("./weft run %s", scenario);
    text_add(t, "\nResults of ");
    markdown_add_code(t, command, false);
    text_add(t, ".\n");
    free(command);
}

static void
add_section(struct report *r, const struct element *section)
{
    const char *scenario = element_value(section, "scenario");
    const size_t before = r->nclaims;
    r->source.section = section;
    text_add(&r->out, "\n## ");
    markdown_add_plain(&r->out, element_value(section, "title"));
    text_add(&r->out, "\n");
    if (scenario)
    {
        add_maker(&r->out, scenario);
    }
    for (size_t i = 0; i < section->nchildren; i++)
    {
        if (strcmp(section->children[i]->name, "text") == 0)
        {
            add_paragraphs(&r->out, section->children[i]->text);
        }
    }
    add_claims(r, section);
    for (size_t i = 0; i < section->nchildren; i++)
    {
        if (strcmp(section->children[i]->name, "table") == 0)
        {
            add_table(r, section->children[i]);
        }
    }
    add_queries(&r->out, section, before);
    report_source_close(&r->source);
    r->source.db = NULL;
    r->source.missing = r->source.why = NULL;
}

static void
add_file(struct report *r, const struct document *claims)
{
    const struct element *root = claims->root;
    r->claims = claims;
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (strcmp(e->name, "text") == 0)
        {
            add_paragraphs(&r->out, e->text);
        }
        else
        {
            add_section(r, e);
        }
    }
}

char *
report_write(struct document *const *claims, size_t n, const struct report_options *options)
{
    struct report r = {.source.options = options};
    bool good = true;
    for (size_t i = 0; i < n; i++)
    {
        struct diagnostics d = {.file = claims[i]->path};
        r.source.d = &d;
        r.source.claims = claims[i]->root;
        r.nclaims = 0;
        text_add(&r.out, "%s# ", i ? "\n" : "");
        markdown_add_plain(&r.out, element_value(claims[i]->root, "title"));
        text_add(&r.out, "\n\n<!-- Made by 'weft report %s'; do not edit. -->\n", claims[i]->path);
        add_file(&r, claims[i]);
        good = good && d.n == 0;
        diag_print(&d, stderr);
        diag_free(&d);
    }
    char *text = text_take(&r.out);
    if (!good)
    {
        free(text);
        text = NULL;
    }
    return text;
}
