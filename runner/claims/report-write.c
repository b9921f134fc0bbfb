/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as Markdown. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markdown.h"
#include "report.h"

/** Of a table that is shown at once. */
#define MOST_ROWS 16

/** Behind what <claims former=""> says is of an earlier version. */
#define FORMER " †"

struct report
{
    struct text out;
    struct report_source source; /**< of the section that is being written */
    const struct document *claims;
    const char *results;
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

/* --- numbers ---------------------------------------------------------------------------------- */

static void
add_number(struct text *t, double value, const struct element *measured)
{
    const char *text = element_value(measured, "decimals");
    int decimals = text ? *text - '0' : 1;
    if (!isfinite(value))
    {
        text_add(t, "undefined");
        return;
    }
    bool zero = fabs(value) < 0.5 * pow(10, -decimals);
    text_add(t, "%.*f", decimals, zero ? 0 : value);
}

/** " (8 of 10 runs)", where some have no value. */
static void
add_rows(struct text *t, struct report_rows rows)
{
    if (rows.have < rows.of)
    {
        text_add(t, " (%zu of %zu %s)", rows.have, rows.of, rows.what);
    }
}

/** A <measured> over all groups. */
struct span
{
    double least, most;
    size_t numbers; /**< groups that have one */
    bool complete;  /**< all groups were run */
    struct report_rows rows;
};

static struct span
span_of(const struct report_numbers *n, size_t column)
{
    struct span all = {INFINITY, -INFINITY, 0, n->ngroups > 0, {0, 0, "runs"}};
    for (size_t at = column; at < n->ngroups * n->nmeasured; at += n->nmeasured)
    {
        const struct report_rows *rows = &n->rows[at];
        double v = n->values[at];
        all.complete = all.complete && (n->present[at] || none_has(*rows));
        all.numbers += n->present[at];
        all.least = n->present[at] && v < all.least ? v : all.least;
        all.most = n->present[at] && v > all.most ? v : all.most;
        all.rows =
            (struct report_rows){all.rows.have + rows->have, all.rows.of + rows->of, rows->what};
    }
    return all;
}

/** "15.6 %" or, over several groups, "15.6 to 75.3 %". */
static void
add_measured(struct text *t, const struct element *measured, const struct report_numbers *n,
             size_t column)
{
    const char *label = element_value(measured, "label"), *unit = element_value(measured, "unit");
    const struct span all = span_of(n, column);
    markdown_add_plain(t, label ? label : "");
    text_add(t, "%s", label ? ": " : "");
    if (!all.complete || all.numbers == 0)
    {
        text_add(t, all.complete ? "none" : "not run");
        add_rows(t, all.complete ? all.rows : (struct report_rows){0, 0, "runs"});
        return;
    }
    add_number(t, all.least, measured);
    if (n->ngroups > 1)
    {
        text_add(t, " to ");
        add_number(t, all.most, measured);
    }
    text_add(t, "%s", unit ? " " : "");
    markdown_add_plain(t, unit ? unit : "");
    add_rows(t, all.rows);
}

static void
add_table_head(struct report *r, const struct element *table, const struct words *keys,
               size_t ncolumns)
{
    struct text *t = &r->out;
    text_add(t, "|");
    for (size_t k = 0; k < keys->n; k++)
    {
        text_add(t, " ");
        markdown_add_plain(t, keys->word[k]);
        text_add(t, " |");
    }
    for (size_t i = 0; i < table->nchildren; i++)
    {
        const struct element *m = table->children[i];
        if (strcmp(m->name, "measured") == 0)
        {
            const char *unit = element_value(m, "unit"), *label = element_value(m, "label");
            text_add(t, " ");
            markdown_add_plain(t, label ? label : "");
            text_add(t, "%s", unit ? ", " : "");
            markdown_add_plain(t, unit ? unit : "");
            text_add(t, "%s |", is_former_column(r->claims->root, table, m) ? FORMER : "");
        }
    }
    text_add(t, "\n|");
    for (size_t c = 0; c < ncolumns; c++)
    {
        text_add(t, c < keys->n ? "---|" : "--:|");
    }
    text_add(t, "\n");
}

static void
add_cell(struct text *t, const struct report_numbers *n, size_t at, const struct element *measured)
{
    text_add(t, " ");
    if (n->present[at])
    {
        add_number(t, n->values[at], measured);
    }
    else
    {
        text_add(t, none_has(n->rows[at]) ? "none" : "not run");
    }
    add_rows(t, n->rows[at]);
    text_add(t, " |");
}

static void
add_table_row(struct report *r, const struct element *table, const struct words *keys,
              const struct report_numbers *n, size_t g)
{
    struct text *t = &r->out;
    size_t column = g * n->nmeasured;
    text_add(t, "|");
    for (size_t k = 0; k < n->nkeys; k++)
    {
        const char *cell = n->groups[g * n->nkeys + k];
        text_add(t, " ");
        markdown_add_plain(t, cell);
        text_add(t, "%s |", is_former_cell(r->claims->root, keys->word[k], cell) ? FORMER : "");
    }
    for (size_t i = 0; i < table->nchildren; i++)
    {
        if (strcmp(table->children[i]->name, "measured") == 0)
        {
            add_cell(t, n, column++, table->children[i]);
        }
    }
    text_add(t, "\n");
}

/** A long table is folded away where Markdown is shown. */
static void
add_table(struct report *r, const struct element *table)
{
    struct report_numbers *n = report_numbers(&r->source, table);
    struct words keys = words_split(element_value(table, "each"));
    const char *title = element_value(table, "title");
    bool folded = n->ngroups > MOST_ROWS;
    if (folded)
    {
        text_add(&r->out, "\n<details><summary>");
        markdown_add_plain(&r->out, title);
        text_add(&r->out, " (%zu rows)</summary>\n\n", n->ngroups);
    }
    else
    {
        text_add(&r->out, "\n");
        markdown_add_plain(&r->out, title);
        text_add(&r->out, ":\n\n");
    }
    add_table_head(r, table, &keys, keys.n + n->nmeasured);
    text_add(&r->out, n->ngroups ? "" : "| not run |\n");
    for (size_t g = 0; g < n->ngroups; g++)
    {
        add_table_row(r, table, &keys, n, g);
    }
    text_add(&r->out, folded ? "\n</details>\n" : "");
    words_free(&keys);
    report_numbers_free(n);
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
    const bool former = is_former_claim(r->claims->root, claim);
    text_add(t, "| %zu%s | ", ++r->nclaims, former ? FORMER : "");
    markdown_add(t, element_child(claim, "says")->text, true);
    text_add(t, " | ");
    markdown_add(t, paper ? paper->text : "", true);
    text_add(t, " | ");
    struct report_numbers *n = report_numbers(&r->source, claim);
    size_t column = 0, entries = 0;
    for (size_t i = 0; i < claim->nchildren; i++)
    {
        const struct element *c = claim->children[i];
        bool measured = strcmp(c->name, "measured") == 0, test = strcmp(c->name, "test") == 0;
        text_add(t, (measured || test) && entries++ ? "<br>" : "");
        if (measured)
        {
            add_measured(t, c, n, column++);
        }
        else if (test)
        {
            add_test(r, c);
        }
    }
    text_add(t, " |\n");
    report_numbers_free(n);
}

/** Adds both, if there is a text. */
static void
add_code_after(struct text *t, const char *words, const char *code)
{
    if (code)
    {
        text_add(t, "%s", words);
        markdown_add_code(t, code, false);
    }
}

/** "a = max `cct_us` in `qps.csv` where `case=rsq`". */
static void
add_value(struct text *t, const struct element *value)
{
    const char *of = element_value(value, "of"), *x = element_value(value, "against");
    const struct column_table *table = value_table(value);
    text_add(t, "%s = %s", element_value(value, "name"), of ? of : "");
    add_code_after(t, x ? " of " : of ? " " : "", element_value(value, "column"));
    add_code_after(t, " in ", table ? table->file : NULL);
    add_code_after(t, " of ", element_value(value, "results"));
    add_code_after(t, " against ", x);
    add_code_after(t, " where ", element_value(value, "where"));
}

/** "`100 * a` with a = `cct_us` where `case=rsq`". */
static void
add_origin(struct text *t, const struct element *claim)
{
    const char *where = element_value(claim, "where"), *each = element_value(claim, "each");
    const char *separator = "";
    for (size_t i = 0; i < claim->nchildren; i++)
    {
        const struct element *c = claim->children[i];
        if (strcmp(c->name, "measured") == 0)
        {
            text_add(t, "%s", separator);
            markdown_add_code(t, element_value(c, "is"), false);
            separator = ", ";
        }
    }
    separator = " with ";
    for (size_t i = 0; i < claim->nchildren; i++)
    {
        const struct element *c = claim->children[i];
        if (strcmp(c->name, "value") == 0)
        {
            text_add(t, "%s", separator);
            add_value(t, c);
            separator = ", ";
        }
    }
    if (element_child(claim, "measured"))
    {
        add_code_after(t, "; only ", where);
        add_code_after(t, "; for each ", each);
        text_add(t, ".");
    }
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

/** The same for where their values come from, folded away where Markdown is shown. */
static void
add_origins(struct text *t, const struct element *section, size_t number)
{
    const char *head = "\n<details><summary>How the values are computed</summary>\n\n";
    for (size_t i = 0; i < section->nchildren; i++)
    {
        const struct element *claim = section->children[i];
        bool counts = strcmp(claim->name, "claim") == 0;
        number += counts;
        if (counts && element_child(claim, "measured"))
        {
            text_add(t, "%s* **%zu.** ", head, number);
            add_origin(t, claim);
            text_add(t, "\n");
            head = "";
        }
    }
    text_add(t, *head ? "" : "\n</details>\n");
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
    add_origins(&r->out, section, before);
}

static void
add_section(struct report *r, const struct element *section)
{
    const char *results = element_value(section, "results");
    const char *scenario = element_value(section, "scenario");
    char *folder = results ? xformat("%s/%s", r->results, results) : NULL;
    struct diagnostics *d = r->source.d;
    bool allow_missing = r->source.allow_missing;
    r->source = (struct report_source){.results = r->results,
                                       .folder = folder,
                                       .scenario = scenario,
                                       .claims = r->claims->root,
                                       .allow_missing = allow_missing,
                                       .d = d};
    text_add(&r->out, "\n## ");
    markdown_add_plain(&r->out, element_value(section, "title"));
    text_add(&r->out, "\n");
    if (scenario)
    {
        char *command = xformat("./weft run %s", scenario);
        add_code_after(&r->out, "\nResults of ", command);
        text_add(&r->out, ".\n");
        free(command);
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
    report_source_free(&r->source);
    free(folder);
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
report_write(struct document *const *claims, size_t n, const char *results, bool allow_missing)
{
    struct report r = {.results = results};
    bool good = true;
    for (size_t i = 0; i < n; i++)
    {
        struct diagnostics d = {.file = claims[i]->path};
        r.source.allow_missing = allow_missing;
        r.source.d = &d;
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
