/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as Markdown. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "markdown.h"
#include "report-model.h"
#include "report-numbers.h"

#define LONG_CONTENTS 6 /* sections */

#define REPORT_CLAIMS_HEAD                                                                         \
    "\n| | what is claimed | the paper | Weft | verdict |\n|--:|---|---|---|---|\n"

/** Code in a cell of a table. */
static void
add_code(struct text *t, const char *s)
{
    markdown_add_code(t, s, true);
}

static void
add_paragraph(struct text *t, const char *s)
{
    text_add(t, "\n");
    markdown_add(t, s, false);
    text_add(t, "\n");
}

static const struct report_form markdown = {
    markdown_add_plain, add_code, add_paragraph, "", "", "<br>"};

/* --- claims ----------------------------------------------------------------------------------- */

static void
add_claim_row(struct text *t, const struct report_claim *claim)
{
    const struct element *paper = element_child(claim->e, "paper");
    text_add(t, "| %zu%s | ", claim->number, claim->former ? REPORT_FORMER_MARK : "");
    markdown_add(t, element_child(claim->e, "says")->text, true);
    text_add(t, " | ");
    markdown_add(t, paper ? paper->text : "", true);
    text_add(t, " | ");
    report_add_evidence(t, &markdown, claim->e, claim->numbers);
    const bool silent = claim->verdict == VERDICT_NONE;
    text_add(t, " | %s |\n", silent ? "" : report_verdicts[claim->verdict].name);
}

/** What is to be said of some claims, under their numbers. */
static void
add_notes(struct text *t, const struct report_section *section)
{
    for (size_t i = 0; i < section->nclaims; i++)
    {
        const struct element *why = element_child(section->claims[i].e, "why");
        if (why)
        {
            text_add(t, "\n**%zu.** ", section->claims[i].number);
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
add_claims(struct text *t, const struct report_section *section)
{
    text_add(t, "%s", section->nclaims ? REPORT_CLAIMS_HEAD : "");
    for (size_t i = 0; i < section->nclaims; i++)
    {
        add_claim_row(t, &section->claims[i]);
    }
    add_notes(t, section);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void
add_table_head(struct text *t, const struct report_numbers *n)
{
    text_add(t, "|");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind != REPORT_FORMER)
        {
            text_add(t, " ");
            report_add_head(t, &markdown, n, c);
            text_add(t, " |");
        }
    }
    text_add(t, "\n|");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        const enum report_column_kind kind = n->columns[c].kind;
        text_add(t, "%s", kind == REPORT_KEY ? "---|" : kind == REPORT_VALUE ? "--:|" : "");
    }
    text_add(t, "\n");
}

static void
add_table_row(struct text *t, const struct report_numbers *n, size_t row)
{
    text_add(t, "|");
    for (size_t c = 0; c < n->rows->ncolumns; c++)
    {
        if (n->columns[c].kind != REPORT_FORMER)
        {
            text_add(t, " ");
            report_add_cell(t, &markdown, n, row, c);
            text_add(t, " |");
        }
    }
    text_add(t, "\n");
}

/** A long table is folded away where Markdown is shown. */
static void
add_table(struct text *t, const struct report_table *table)
{
    const struct report_numbers *n = table->numbers;
    const size_t nrows = n->rows ? n->rows->nrows : 0;
    const bool folded = nrows > REPORT_MOST_ROWS;
    text_add(t, "%s", folded ? "\n<details><summary>" : "\n");
    markdown_add_plain(t, element_value(table->e, "title"));
    if (folded)
    {
        text_add(t, " (%zu rows)</summary>\n\n", nrows);
    }
    else
    {
        text_add(t, nrows ? ":\n\n" : ": not run\n");
    }
    if (nrows)
    {
        add_table_head(t, n);
    }
    for (size_t row = 0; row < nrows; row++)
    {
        add_table_row(t, n, row);
    }
    text_add(t, "%s", folded ? "\n</details>\n" : "");
}

/* --- sections --------------------------------------------------------------------------------- */

/** The path @p to without "x/..", in words. */
static struct words
path_words(const char *to)
{
    struct words all = words_split_at(to, '/'), kept = {0};
    for (size_t i = 0; i < all.n; i++)
    {
        if (strcmp(all.word[i], "..") == 0 && kept.n && strcmp(kept.word[kept.n - 1], "..") != 0)
        {
            free(kept.word[--kept.n]);
        }
        else if (strcmp(all.word[i], ".") != 0)
        {
            words_add(&kept, xstrdup(all.word[i]));
        }
    }
    words_free(&all);
    return kept;
}

/** The path @p to as the file @p from has to write it; as it is if they do not start together. */
static char *
path_from(const char *to, const char *from)
{
    struct words goal = path_words(to), start = path_words(from);
    struct text t = {0};
    size_t same = 0;
    while (same + 1 < start.n && same + 1 < goal.n &&
           strcmp(goal.word[same], start.word[same]) == 0)
    {
        same++;
    }
    for (size_t i = same; i + 1 < start.n; i++)
    {
        text_add(&t, "../");
    }
    for (size_t i = same; i < goal.n; i++)
    {
        text_add(&t, "%s%s", i > same ? "/" : "", goal.word[i]);
    }
    const bool together = *to != '/' && *from != '/' && strncmp(from, "..", 2) != 0;
    words_free(&goal);
    words_free(&start);
    char *path = text_take(&t);
    if (!together)
    {
        free(path);
        path = xstrdup(to);
    }
    return path;
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

/** A link to the section's figure from the file @p output. */
static void
add_figure(struct text *t, const struct report_section *section, const char *output)
{
    char *path = path_from(section->figure, output);
    text_add(t, "\n![");
    markdown_add_plain(t, element_value(section->e, "title"));
    text_add(t, "](");
    for (const char *p = path; *p; p++)
    {
        const bool plain = isalnum((unsigned char)*p) || strchr("/._-", *p);
        text_add(t, plain ? "%c" : "%%%02X", (unsigned char)*p);
    }
    text_add(t, ")\n");
    free(path);
}

static void
add_section(struct text *t, const struct report_section *section, const char *output)
{
    const struct element *e = section->e;
    const char *scenario = element_value(e, "scenario");
    text_add(t, "\n## ");
    markdown_add_plain(t, element_value(e, "title"));
    text_add(t, "\n");
    if (scenario)
    {
        add_maker(t, scenario);
    }
    report_add_texts(t, &markdown, e);
    if (section->figure)
    {
        add_figure(t, section, output);
    }
    add_claims(t, section);
    for (size_t i = 0; i < section->ntables; i++)
    {
        add_table(t, &section->tables[i]);
    }
    add_queries(t, e, section->nclaims ? section->claims[0].number - 1 : 0);
}

/** How many claims have which verdict. */
static void
add_overview(struct text *t, const struct report_part *part)
{
    text_add(t, part->nclaims ? "\n| verdict | claims | what it means |\n|---|--:|---|\n" : "");
    for (size_t v = 0; v < VERDICTS; v++)
    {
        if (part->counts[v])
        {
            text_add(t, "| %s | %zu | %s |\n", report_verdicts[v].name, part->counts[v],
                     report_verdicts[v].meaning);
        }
    }
}

/** Adds what a heading is called in a link: its letters and digits, small, with - for spaces. */
static void
add_anchor(struct text *t, const char *heading)
{
    for (const char *s = heading; *s; s++)
    {
        const bool letter = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9');
        const bool capital = *s >= 'A' && *s <= 'Z';
        if (letter || capital || *s == '-' || *s == '_' || *s == ' ')
        {
            text_add(t, "%c", capital ? *s - 'A' + 'a' : *s == ' ' ? '-' : *s);
        }
    }
}

/** The sections of a part that nobody sees at once. */
static void
add_contents(struct text *t, const struct report_part *part)
{
    for (size_t i = 0; part->nsections >= LONG_CONTENTS && i < part->nsections; i++)
    {
        const char *title = element_value(part->sections[i].e, "title");
        text_add(t, "%s* [", i ? "" : "\n");
        markdown_add_plain(t, title);
        text_add(t, "](#");
        add_anchor(t, title);
        text_add(t, ")\n");
    }
}

char *
report_markdown(const struct report *r, const char *output)
{
    struct text t = {0};
    for (size_t i = 0; i < r->nparts; i++)
    {
        const struct report_part *part = &r->parts[i];
        text_add(&t, "%s# ", i ? "\n" : "");
        markdown_add_plain(&t, element_value(part->file->root, "title"));
        text_add(&t, "\n\n<!-- Made by 'weft report %s'; do not edit. -->\n", part->file->path);
        report_add_texts(&t, &markdown, part->file->root);
        add_overview(&t, part);
        add_contents(&t, part);
        for (size_t k = 0; k < part->nsections; k++)
        {
            add_section(&t, &part->sections[k], output ? output : "");
        }
    }
    return text_take(&t);
}
