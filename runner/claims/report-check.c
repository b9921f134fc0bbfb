/* SPDX-License-Identifier: GPL-2.0-only */
/* What a claims file may hold. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report-verdict.h"
#include "report.h"

static const struct claims_element
{
    const char *name, *parents;
    const char *attributes; /**< separated by one space, '!' behind those that are required */
    bool text;              /**< holds text, and must */
} elements[] = {
    {"claims", "", "title!", false},
    {"text", "claims section", "", true},
    {"section", "claims", "title! results scenario figure", false},
    {"attach", "section", "results! as!", false},
    {"claim", "section", "verdict", false},
    {"says", "claim", "", true},
    {"paper", "claim", "", true},
    {"why", "claim", "", true},
    {"test", "claim", "name! file!", false},
    {"table", "section", "title!", false},
    {"query", "claim table", "each over unit decimals former", true},
    {"column", "claim table", "name! unit decimals former", false},
};

#define NELEMENTS (sizeof elements / sizeof *elements)

static bool
has_word(const char *words, const char *word)
{
    struct words w = words_split(words);
    bool found = false;
    for (size_t i = 0; i < w.n; i++)
    {
        w.word[i][strcspn(w.word[i], "!")] = '\0';
        found = found || strcmp(w.word[i], word) == 0;
    }
    words_free(&w);
    return found;
}

static const struct claims_element *
find(const char *name, const char *parent)
{
    for (size_t i = 0; i < NELEMENTS; i++)
    {
        bool fits = *parent ? has_word(elements[i].parents, parent) : !*elements[i].parents;
        if (fits && strcmp(elements[i].name, name) == 0)
        {
            return &elements[i];
        }
    }
    return NULL;
}

static void
report_unknown(const struct element *e, const char *parent, struct diagnostics *d)
{
    struct nearest near = nearest_start(e->name);
    struct text names = {0};
    for (size_t i = 0; i < NELEMENTS; i++)
    {
        if (*parent ? has_word(elements[i].parents, parent) : !*elements[i].parents)
        {
            text_add(&names, "%s<%s>", names.len ? ", " : "", elements[i].name);
            nearest_try(&near, elements[i].name);
        }
    }
    diag_error(d, e->line, "<%s> is not known here; expected %s%s", e->name,
               names.len ? names.s : "no element", did_you_mean(near.best));
    free(text_take(&names));
}

static void
check_attributes(const struct element *e, const struct claims_element *spec, struct diagnostics *d)
{
    struct words allowed = words_split(spec->attributes);
    for (size_t i = 0; i < allowed.n; i++)
    {
        char *mark = strchr(allowed.word[i], '!');
        if (mark)
        {
            *mark = '\0';
            if (!element_value(e, allowed.word[i]))
            {
                diag_error(d, e->line, "<%s> lacks the attribute %s", e->name, allowed.word[i]);
            }
        }
    }
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        struct nearest near = nearest_start(a->name);
        for (size_t k = 0; k < allowed.n; k++)
        {
            nearest_try(&near, allowed.word[k]);
        }
        if (!has_word(spec->attributes, a->name))
        {
            diag_error(d, a->line, "<%s> has no attribute '%s'; expected %s%s", e->name, a->name,
                       *spec->attributes ? spec->attributes : "none", did_you_mean(near.best));
        }
    }
    words_free(&allowed);
}

static bool
is_blank(const char *s)
{
    while (isspace((unsigned char)*s))
    {
        s++;
    }
    return !*s;
}

/** Who says that there is a cause must give it. */
static void
check_verdict(const struct element *claim, struct diagnostics *d)
{
    const char *verdict = element_value(claim, "verdict");
    if (verdict && !has_word(VERDICT_WORDS, verdict))
    {
        struct words known = words_split(VERDICT_WORDS);
        struct nearest near = nearest_start(verdict);
        for (size_t i = 0; i < known.n; i++)
        {
            nearest_try(&near, known.word[i]);
        }
        diag_error(d, element_line(claim, "verdict"),
                   "verdict '%s'; expected agrees, differs (and <why>), open or none%s", verdict,
                   did_you_mean(near.best));
        words_free(&known);
    }
    if (verdict && strcmp(verdict, "differs") == 0 && !element_child(claim, "why"))
    {
        diag_error(d, element_line(claim, "verdict"),
                   "verdict 'differs' without <why>; expected the cause there, or open");
    }
}

static void
check_values(const struct element *e, struct diagnostics *d)
{
    const char *decimals = element_value(e, "decimals"), *former = element_value(e, "former");
    const char *as = element_value(e, "as");
    if (decimals && (strlen(decimals) != 1 || !isdigit((unsigned char)*decimals)))
    {
        diag_error(d, element_line(e, "decimals"), "decimals '%s'; expected 0 to 9", decimals);
    }
    if (former && strcmp(former, "on") != 0 && strcmp(former, "off") != 0)
    {
        diag_error(d, element_line(e, "former"), "former '%s'; expected on or off", former);
    }
    if (as && (!isalpha((unsigned char)*as) || !name_is_safe(as) || strpbrk(as, ".-+=") ||
               has_word("main temp", as)))
    {
        diag_error(d, element_line(e, "as"),
                   "as '%s'; expected letters, digits and '_' after a letter, not main or temp",
                   as);
    }
}

/* --- what goes together ----------------------------------------------------------------------- */

/** The second child of a name; NULL if there is at most one. */
static const struct element *
second_child(const struct element *e, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        n += strcmp(e->children[i]->name, name) == 0;
        if (n == 2)
        {
            return e->children[i];
        }
    }
    return NULL;
}

/** The <query> of a claim or table and its <column>s. */
static void
check_query(const struct element *e, struct diagnostics *d)
{
    const struct element *query = element_child(e, "query"), *second = second_child(e, "query");
    const struct element *column = element_child(e, "column");
    const bool table = strcmp(e->name, "table") == 0;
    if (second)
    {
        diag_error(d, second->line, "a second <query>, after that in line %d; expected one",
                   query->line);
    }
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

/** Queries need results; an <attach> needs a name of its own. */
static void
check_section(const struct element *section, struct diagnostics *d)
{
    for (size_t i = 0; i < section->nchildren; i++)
    {
        const struct element *e = section->children[i];
        const char *as = element_value(e, "as");
        if (element_child(e, "query") && !element_value(section, "results"))
        {
            diag_error(
                d, element_child(e, "query")->line,
                "a <query> in a section without results; expected <section results=\"NAME\">");
        }
        for (size_t k = 0; as && k < i; k++)
        {
            const char *taken = element_value(section->children[k], "as");
            if (taken && strcmp(taken, as) == 0)
            {
                diag_error(d, e->line, "a second <attach> as '%s'; expected each name once", as);
            }
        }
    }
}

static void
check(const struct element *e, const char *parent, struct diagnostics *d)
{
    const struct claims_element *spec = find(e->name, parent);
    if (!spec)
    {
        report_unknown(e, parent, d);
        return;
    }
    check_attributes(e, spec, d);
    check_values(e, d);
    if (spec->text == is_blank(e->text))
    {
        diag_error(d, e->line, spec->text ? "<%s> is empty; expected text" : "text in <%s>",
                   e->name);
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        check(e->children[i], e->name, d);
    }
    if (strcmp(e->name, "claim") == 0 || strcmp(e->name, "table") == 0)
    {
        check_query(e, d);
    }
    if (strcmp(e->name, "section") == 0)
    {
        check_section(e, d);
    }
    if (strcmp(e->name, "claim") == 0)
    {
        check_verdict(e, d);
    }
    if (strcmp(e->name, "claim") == 0 && !element_child(e, "says"))
    {
        diag_error(d, e->line, "<claim> lacks <says>: what the paper says");
    }
}

void
claims_check(const struct element *root, struct diagnostics *d)
{
    check(root, "", d);
}
