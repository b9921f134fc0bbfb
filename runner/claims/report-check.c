/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a claims file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar-table.h"
#include "report-query.h"
#include "report-verdict.h"

/** Most words of what a verdict hangs on. */
#define MOST_WORDS 8

#define NUMBERS                                                                                    \
    TEXTUAL(SHAPE_LABEL, "unit", false, "stands behind its numbers"),                              \
        VALUE("decimals", false, WEFT_COUNT, "1", "0", "9", "of its numbers"),                     \
        CHOICE("former", "off", "off on", "whether former code made its numbers")

static const struct attribute_spec claims_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "title", true, "the report's title"),
};
static const struct attribute_spec section_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "title", true, "the section's title"),
    TEXTUAL(SHAPE_TEXT, "results", false, "the folder of results that its queries read"),
    TEXTUAL(SHAPE_TEXT, "scenario", false, "the scenario that makes them"),
    TEXTUAL(SHAPE_TEXT, "figure", false, "a picture, from the claims file's folder"),
    TEXTUAL(SHAPE_TEXT, "shows", false, "the <figure>s of the paper that it is about, by ';'"),
};
static const struct attribute_spec figure_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "a figure or table of the paper's"),
};
static const struct attribute_spec attach_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "results", true, "a folder of further results"),
    TEXTUAL(SHAPE_TEXT, "as", true, "what queries call it"),
};
static const struct attribute_spec view_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "what queries call it"),
};
static const struct attribute_spec claim_attributes[] = {
    CHOICE("verdict", NULL, VERDICT_WORDS, "whether paper and Weft agree"),
    TEXTUAL(SHAPE_TEXT, "hangs-on", false, "what the verdict hangs on, in at most eight words"),
};
static const struct attribute_spec key_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "figure", true, "where the paper has it, as 'Figure 5'"),
};
static const struct attribute_spec headline_attributes[] = {
    NUMBERS,
};
static const struct attribute_spec test_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "the test that shows the claim"),
    TEXTUAL(SHAPE_TEXT, "file", true, "where it is, from the claims file's folder"),
};
static const struct attribute_spec table_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "title", true, "the table's title"),
};
static const struct attribute_spec query_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "each", false, "columns that name the rows"),
    TEXTUAL(SHAPE_TEXT, "over", false, "columns that name rows of which extremes are shown"),
    NUMBERS,
};
static const struct attribute_spec column_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "name", true, "the query's column that it describes"),
    NUMBERS,
};

static const struct element_spec elements[] = {
    FIXED(claims, "", 0, "claims of a paper beside results"),
    PLAIN("text", "claims section", ELEMENT_MANY | ELEMENT_FILLED, "paragraphs in Markdown"),
    FIXED(figure, "claims", ELEMENT_MANY | ELEMENT_DISTINCT | ELEMENT_FILLED,
          "a figure of the paper's, and what it shows"),
    FIXED(section, "claims", ELEMENT_MANY, "claims about the results of one scenario"),
    FIXED(attach, "section", ELEMENT_MANY | ELEMENT_DISTINCT, "further results for its queries"),
    FIXED(view, "section", ELEMENT_MANY | ELEMENT_DISTINCT | ELEMENT_FILLED,
          "an SQL query that is asked once, and is a table for its queries"),
    FIXED(claim, "section", ELEMENT_MANY, "what a paper says, and what shows it"),
    FIXED(key, "claim", ELEMENT_FILLED, "it is in the page's first table, with these words"),
    PLAIN("says", "claim", ELEMENT_FILLED, "what the paper says"),
    PLAIN("paper", "claim", ELEMENT_FILLED, "the paper's value"),
    PLAIN("why", "claim", ELEMENT_FILLED, "the cause of a difference"),
    FIXED(test, "claim", ELEMENT_MANY, "a test that shows it"),
    FIXED(table, "section", ELEMENT_MANY, "rows of the results"),
    FIXED(query, "claim table", ELEMENT_FILLED, "an SQL query of the results"),
    FIXED(headline, "claim", ELEMENT_FILLED,
          "an SQL query of the query's answer, for the one number that stands for it"),
    FIXED(column, "claim table", ELEMENT_MANY | ELEMENT_DISTINCT,
          "how a column of the query is shown"),
};

const struct grammar claims_grammar = {elements, COUNT_OF(elements)};

/* --- what goes together ----------------------------------------------------------------------- */

/** The <query> of a claim or table and its <column>s. */
static void
check_query(const struct element *e, struct diagnostics *d)
{
    const struct element *query = element_child(e, "query");
    const struct element *column = element_child(e, "column");
    const bool table = strcmp(e->name, "table") == 0;
    if (table && !query)
    {
        diag_error(d, e->line, "<table> lacks <query>: where its rows come from");
    }
    if (column && !query)
    {
        diag_error(d, column->line, "<column> without a <query>, whose column it would describe");
    }
    if (query && element_value(query, "over") && (table || element_value(query, "each")))
    {
        diag_error(d, element_line(query, "over"), "over: a claim may have it instead of each; %s",
                   table ? "a table shows all rows" : "expected one of them");
    }
}

/** A section's figures are in the list of all. */
static void
check_shows(const struct element *section, const struct element *claims, struct diagnostics *d)
{
    CLEANUP(words_free) struct words names = report_shows(section);
    for (size_t i = 0; i < names.n; i++)
    {
        if (!element_named(claims, "figure", names.word[i]))
        {
            diag_error(d, element_line(section, "shows"),
                       "shows '%s'; expected a <figure> of that name", names.word[i]);
        }
    }
}

/** Checks the names by which queries call a table or other results, which attribute @p name gives.
 * */
static void
check_names(const struct element *section, const char *element, const char *name,
            struct diagnostics *d)
{
    for (const struct element *e = NULL; (e = element_child_after(section, element, e)) != NULL;)
    {
        const char *is = element_value(e, name);
        if (is && (!isalpha((unsigned char)*is) || !name_is_safe(is) || strpbrk(is, ".-+=") ||
                   list_has("main temp", is)))
        {
            diag_error(d, element_line(e, name),
                       "%s '%s'; expected letters, digits and '_' after a letter, not main or temp",
                       name, is);
        }
    }
}

/** Queries need results. */
static void
check_section(const struct element *section, struct diagnostics *d)
{
    for (size_t i = 0; i < section->nchildren; i++)
    {
        const struct element *child = section->children[i];
        const struct element *query =
            strcmp(child->name, "view") == 0 ? child : element_child(child, "query");
        if (query && !element_value(section, "results"))
        {
            diag_error(d, query->line,
                       "a <%s> in a section without results; expected <section results=\"NAME\">",
                       query->name);
        }
    }
    check_names(section, "attach", "as", d);
    check_names(section, "view", "name", d);
}

/** A claim says something, and who says that there is a cause gives it. */
static void
check_claim(const struct element *claim, struct diagnostics *d)
{
    const char *verdict = element_value(claim, "verdict");
    if (verdict && strcmp(verdict, "differs") == 0 && !element_child(claim, "why"))
    {
        diag_error(d, element_line(claim, "verdict"),
                   "verdict 'differs' without <why>; expected the cause there, or open");
    }
    CLEANUP(words_free)
    struct words words =
        words_split(element_attribute(claim, "hangs-on") ? element_value(claim, "hangs-on") : "");
    if (words.n > MOST_WORDS)
    {
        diag_error(d, element_line(claim, "hangs-on"),
                   "hangs-on has %zu words; expected at most %d", words.n, MOST_WORDS);
    }
    if (element_child(claim, "headline") && !element_child(claim, "query"))
    {
        diag_error(d, element_child(claim, "headline")->line,
                   "<headline> without a <query>, whose answer it would ask");
    }
    if (!element_child(claim, "says"))
    {
        diag_error(d, claim->line, "<claim> lacks <says>: what the paper says");
    }
}

void
claims_check(const struct document *claims, struct diagnostics *d)
{
    document_check(claims, d);
    for (const struct element *s = NULL;
         (s = element_child_after(claims->root, "section", s)) != NULL;)
    {
        check_section(s, d);
        check_shows(s, claims->root, d);
        for (size_t i = 0; i < s->nchildren; i++)
        {
            const struct element *e = s->children[i];
            if (strcmp(e->name, "table") == 0 || strcmp(e->name, "claim") == 0)
            {
                check_query(e, d);
            }
            if (strcmp(e->name, "claim") == 0)
            {
                check_claim(e, d);
            }
        }
    }
}

struct document *
claims_read(const char *path)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = path};
    struct document *claims = document_read_as(&claims_grammar, path, &d);
    if (claims)
    {
        claims_check(claims, &d);
    }
    if (d.n)
    {
        document_free(claims);
        claims = NULL;
    }
    diag_print(&d, stderr);
    return claims;
}
