/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as a page in HTML. */
#include <stdlib.h>
#include <string.h>

#include "html-page.h"
#include "report-model.h"
#include "report-numbers.h"

static void
add_code(struct text *t, const char *s)
{
    html_page_add(t, "<code>%s</code>", s);
}

static void
add_paragraph(struct text *t, const char *s)
{
    text_add(t, "<p>");
    html_add_markdown(t, s);
    text_add(t, "</p>\n");
}

static const struct report_form html = {
    html_add, add_code, add_paragraph, "<span class=\"label\">", "</span>", "</li>\n<li>"};

/** Adds the first child of a name as one line. */
static void
add_child(struct text *t, const struct element *e, const char *name)
{
    const struct element *child = element_child(e, name);
    html_add_markdown(t, child ? child->text : "");
}

/* --- overview --------------------------------------------------------------------------------- */

/** A bar of the claims, as long for each verdict as there are claims of it. */
static void
add_bar(struct text *t, const struct report_part *part)
{
    text_add(t, "<div class=\"bar\" aria-hidden=\"true\">");
    for (size_t v = 0; v < VERDICTS; v++)
    {
        if (part->counts[v])
        {
            text_add(t, "<span class=\"v-%s\" style=\"flex-grow:%zu\"></span>",
                     report_verdicts[v].word, part->counts[v]);
        }
    }
    text_add(t, "</div>\n");
}

static void
add_counts(struct text *t, const struct report_part *part)
{
    text_add(t,
             "<table class=\"counts\">\n<caption>%zu claims</caption>\n<thead><tr>"
             "<th scope=\"col\">verdict</th><th scope=\"col\" class=\"n\">claims</th>"
             "<th scope=\"col\">what it means</th></tr></thead>\n<tbody>\n",
             part->nclaims);
    for (size_t v = 0; v < VERDICTS; v++)
    {
        if (part->counts[v])
        {
            text_add(t,
                     "<tr><td><span class=\"verdict v-%s\">%s</span></td><td class=\"n\">%zu</td>"
                     "<td>%s</td></tr>\n",
                     report_verdicts[v].word, report_verdicts[v].name, part->counts[v],
                     report_verdicts[v].meaning);
        }
    }
    text_add(t, "</tbody>\n</table>\n");
}

/** The sections, each with a sign for every claim. */
static void
add_contents(struct text *t, const struct report_part *part, size_t p)
{
    text_add(t, "<nav aria-label=\"Sections\">\n<ol class=\"contents\">\n");
    for (size_t i = 0; i < part->nsections; i++)
    {
        const struct report_section *section = &part->sections[i];
        html_page_add(t, "<li><a href=\"#p%zu-s%zu\">%s</a><span class=\"signs\">", p, i + 1,
                      element_value(section->e, "title"));
        for (size_t k = 0; k < section->nclaims; k++)
        {
            const struct report_claim *claim = &section->claims[k];
            const char *name = report_verdicts[claim->verdict].name;
            text_add(t,
                     " <a class=\"v-%s\" href=\"#p%zu-c%zu\" title=\"claim %zu: %s\" "
                     "aria-label=\"claim %zu: %s\">%s</a>",
                     report_verdicts[claim->verdict].word, p, claim->number, claim->number, name,
                     claim->number, name, report_verdicts[claim->verdict].sign);
        }
        text_add(t, "</span></li>\n");
    }
    text_add(t, "</ol>\n</nav>\n");
}

/* --- claims ----------------------------------------------------------------------------------- */

/** What is claimed, why Weft differs, and how its value is computed. */
static void
add_saying(struct text *t, const struct element *claim)
{
    const struct element *query = element_child(claim, "query");
    text_add(t, "<td class=\"says\" role=\"cell\" data-head=\"what is claimed\"><p>");
    add_child(t, claim, "says");
    text_add(t, "</p>\n");
    if (element_child(claim, "why"))
    {
        text_add(t, "<p class=\"why\">");
        add_child(t, claim, "why");
        text_add(t, "</p>\n");
    }
    if (query)
    {
        html_page_query(t, query->text);
    }
    text_add(t, "</td>\n");
}

static void
add_claim(struct text *t, const struct report_claim *claim, size_t p)
{
    const enum report_verdict v = claim->verdict;
    text_add(t,
             "<tr role=\"row\" id=\"p%zu-c%zu\"><th scope=\"row\" role=\"rowheader\" "
             "data-value=\"%zu\">%zu</th>\n",
             p, claim->number, claim->number, claim->number);
    add_saying(t, claim->e);
    text_add(t, "<td role=\"cell\" data-head=\"the paper\">");
    add_child(t, claim->e, "paper");
    text_add(t, "</td>\n<td role=\"cell\" data-head=\"Weft\"><ul><li>");
    report_add_evidence(t, &html, claim->e, claim->numbers);
    text_add(t,
             "</li></ul></td>\n<td role=\"cell\" data-head=\"verdict\" data-value=\"%d\">"
             "<span class=\"verdict v-%s\" title=\"%s\">%s</span>%s</td></tr>\n",
             (int)v, report_verdicts[v].word, report_verdicts[v].meaning, report_verdicts[v].name,
             claim->former && v != VERDICT_FORMER ? REPORT_FORMER_MARK : "");
}

static void
add_claims(struct text *t, const struct report_section *section, size_t p)
{
    if (section->nclaims == 0)
    {
        return;
    }
    text_add(t, "<table class=\"claims sorts\" role=\"table\">\n<thead role=\"rowgroup\">"
                "<tr role=\"row\"><th scope=\"col\" role=\"columnheader\">no.</th>"
                "<th scope=\"col\" role=\"columnheader\">what is claimed</th>"
                "<th scope=\"col\" role=\"columnheader\">the paper</th>"
                "<th scope=\"col\" role=\"columnheader\">Weft</th>"
                "<th scope=\"col\" role=\"columnheader\">verdict</th></tr></thead>\n"
                "<tbody role=\"rowgroup\">\n");
    for (size_t i = 0; i < section->nclaims; i++)
    {
        add_claim(t, &section->claims[i], p);
    }
    text_add(t, "</tbody>\n</table>\n");
}

/* --- tables ----------------------------------------------------------------------------------- */

static void
add_head(struct text *t, const struct report_numbers *n)
{
    text_add(t, "<thead><tr>");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const enum report_column_kind kind = n->columns[c].kind;
        if (kind != REPORT_FORMER)
        {
            text_add(t, "<th scope=\"col\"%s>", kind == REPORT_VALUE ? " class=\"n\"" : "");
            report_add_head(t, &html, n, c);
            text_add(t, "</th>");
        }
    }
    text_add(t, "</tr></thead>\n<tbody>\n");
}

static void
add_row(struct text *t, const struct report_numbers *n, size_t row)
{
    text_add(t, "<tr>");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const enum report_column_kind kind = n->columns[c].kind;
        if (kind != REPORT_FORMER)
        {
            html_page_cell(t, &n->rows->cells[row * n->rows->ncolumns + c], kind == REPORT_VALUE);
            report_add_cell(t, &html, n, row, c);
            text_add(t, "</td>");
        }
    }
    text_add(t, "</tr>\n");
}

/** A long table is folded away. */
static void
add_table(struct text *t, const struct report_table *table)
{
    const struct report_numbers *n = table->numbers;
    const char *title = element_value(table->e, "title");
    const size_t nrows = n->rows ? n->rows->nrows : 0;
    const bool folded = nrows > REPORT_MOST_ROWS;
    if (nrows == 0)
    {
        html_page_add(t, "<p class=\"missing\">%s: not run</p>\n", title);
        return;
    }
    if (folded)
    {
        html_page_add(t, "<details class=\"rows\"><summary>%s (%zu rows)</summary>\n", title,
                      nrows);
    }
    html_page_table_begin(t, title);
    add_head(t, n);
    for (size_t row = 0; row < nrows; row++)
    {
        add_row(t, n, row);
    }
    html_page_table_end(t);
    html_page_query(t, element_child(table->e, "query")->text);
    text_add(t, "%s", folded ? "</details>\n" : "");
}

/* --- sections --------------------------------------------------------------------------------- */

static void
add_section(struct text *t, const struct report_section *section, size_t p, size_t number)
{
    const char *scenario = element_value(section->e, "scenario");
    html_page_add(t, "<section id=\"p%zu-s%zu\">\n<h2>%s</h2>\n", p, number,
                  element_value(section->e, "title"));
    if (scenario)
    {
        html_page_add(t, "<p class=\"maker\">Results of <code>./weft run %s</code></p>\n",
                      scenario);
    }
    report_add_texts(t, &html, section->e);
    if (section->results)
    {
        char *prefix = xformat("p%zu-s%zu-", p, number);
        html_page_figures(t, section->results, prefix);
        free(prefix);
    }
    add_claims(t, section, p);
    for (size_t i = 0; i < section->ntables; i++)
    {
        add_table(t, &section->tables[i]);
    }
    if (section->facts)
    {
        html_page_facts(t, section->results, section->facts);
    }
    text_add(t, "</section>\n");
}

static void
add_part(struct text *t, const struct report_part *part, size_t p)
{
    html_page_add(t, "<header>\n<h1>%s</h1>\n<div class=\"findings\">\n",
                  element_value(part->file->root, "title"));
    report_add_texts(t, &html, part->file->root);
    text_add(t, "</div>\n<h2>Overview</h2>\n");
    if (part->nclaims)
    {
        add_bar(t, part);
        add_counts(t, part);
    }
    add_contents(t, part, p);
    text_add(t, "</header>\n");
    for (size_t i = 0; i < part->nsections; i++)
    {
        add_section(t, &part->sections[i], p, i + 1);
    }
}

char *
report_html(const struct report *r)
{
    struct text t = {0};
    html_page_begin(&t, r->nparts ? element_value(r->parts[0].file->root, "title") : "");
    for (size_t i = 0; i < r->nparts; i++)
    {
        add_part(&t, &r->parts[i], i + 1);
    }
    html_page_end(&t);
    return text_take(&t);
}
