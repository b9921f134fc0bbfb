/* SPDX-License-Identifier: GPL-2.0-only */
/* What a claims file may hold. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report-query.h"
#include "report-verdict.h"

static const struct claims_element
{
    const char *name, *parents;
    const char *required, *optional; /**< attributes */
    bool text;                       /**< holds text, and must */
    bool once;                       /**< in its parent, at most */
} elements[] = {
    {"claims", "", "title", "", false, false},
    {"text", "claims section", "", "", true, false},
    {"section", "claims", "title", "results scenario figure", false, false},
    {"attach", "section", "results as", "", false, false},
    {"claim", "section", "", "verdict", false, false},
    {"says", "claim", "", "", true, true},
    {"paper", "claim", "", "", true, true},
    {"why", "claim", "", "", true, true},
    {"test", "claim", "name file", "", false, false},
    {"table", "section", "title", "", false, false},
    {"query", "claim table", "", "each over unit decimals former", true, true},
    {"column", "claim table", "name", "unit decimals former", false, false},
};

#define NELEMENTS (sizeof elements / sizeof *elements)

static bool
may_be_in(const struct claims_element *spec, const char *parent)
{
    return *parent ? list_has(spec->parents, parent) : !*spec->parents;
}

static const struct claims_element *
find(const char *name, const char *parent)
{
    for (size_t i = 0; i < NELEMENTS; i++)
    {
        if (may_be_in(&elements[i], parent) && strcmp(elements[i].name, name) == 0)
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
        if (may_be_in(&elements[i], parent))
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
    char *all = xformat("%s%s%s", spec->required, *spec->required && *spec->optional ? " " : "",
                        spec->optional);
    struct words known = words_split(all), required = words_split(spec->required);
    for (size_t i = 0; i < required.n; i++)
    {
        if (!element_value(e, required.word[i]))
        {
            diag_error(d, e->line, "<%s> lacks the attribute %s", e->name, required.word[i]);
        }
    }
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        struct nearest near = nearest_start(a->name);
        nearest_try_words(&near, &known);
        if (!list_has(all, a->name))
        {
            diag_error(d, a->line, "<%s> has no attribute '%s'; expected %s%s", e->name, a->name,
                       *all ? all : "none", did_you_mean(near.best));
        }
    }
    words_free(&required);
    words_free(&known);
    free(all);
}

/** Who says that there is a cause must give it. */
static void
check_verdict(const struct element *claim, struct diagnostics *d)
{
    const char *verdict = element_value(claim, "verdict");
    if (verdict && !list_has(VERDICT_WORDS, verdict))
    {
        struct words known = words_split(VERDICT_WORDS);
        struct nearest near = nearest_start(verdict);
        nearest_try_words(&near, &known);
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
               list_has("main temp", as)))
    {
        diag_error(d, element_line(e, "as"),
                   "as '%s'; expected letters, digits and '_' after a letter, not main or temp",
                   as);
    }
}

/* --- what goes together ----------------------------------------------------------------------- */

/** Children of one name must differ in an attribute. */
static void
check_distinct(const struct element *parent, const char *name, const char *attribute,
               struct diagnostics *d)
{
    for (const struct element *e = NULL; (e = report_next(parent, name, e)) != NULL;)
    {
        const char *own = element_value(e, attribute);
        const struct element *other = NULL;
        while (own && (other = report_next(parent, name, other)) != e)
        {
            const char *taken = element_value(other, attribute);
            if (taken && strcmp(taken, own) == 0)
            {
                diag_error(d, e->line, "a second <%s> %s '%s'; expected each name once", name,
                           attribute, own);
            }
        }
    }
}

/** The <query> of a claim or table and its <column>s. */
static void
check_query(const struct element *e, struct diagnostics *d)
{
    const struct element *query = element_child(e, "query");
    const struct element *column = element_child(e, "column");
    const bool table = strcmp(e->name, "table") == 0;
    check_distinct(e, "column", "name", d);
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

/** Queries need results. */
static void
check_section(const struct element *section, struct diagnostics *d)
{
    for (size_t i = 0; i < section->nchildren; i++)
    {
        const struct element *query = element_child(section->children[i], "query");
        if (query && !element_value(section, "results"))
        {
            diag_error(
                d, query->line,
                "a <query> in a section without results; expected <section results=\"NAME\">");
        }
    }
    check_distinct(section, "attach", "as", d);
}

static void check(const struct element *e, const char *parent, struct diagnostics *d);

static void
check_children(const struct element *e, struct diagnostics *d)
{
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *child = e->children[i], *first = element_child(e, child->name);
        const struct claims_element *spec = find(child->name, e->name);
        if (spec && spec->once && first != child)
        {
            diag_error(d, child->line, "a second <%s>, after that in line %d; expected one",
                       child->name, first->line);
        }
        check(child, e->name, d);
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
    if (spec->text == text_is_blank(e->text))
    {
        diag_error(d, e->line, spec->text ? "<%s> is empty; expected text" : "text in <%s>",
                   e->name);
    }
    check_children(e, d);
    if (strcmp(e->name, "section") == 0)
    {
        check_section(e, d);
    }
    else if (strcmp(e->name, "table") == 0)
    {
        check_query(e, d);
    }
    else if (strcmp(e->name, "claim") == 0)
    {
        check_query(e, d);
        check_verdict(e, d);
        if (!element_child(e, "says"))
        {
            diag_error(d, e->line, "<claim> lacks <says>: what the paper says");
        }
    }
}

void
claims_check(const struct element *root, struct diagnostics *d)
{
    check(root, "", d);
}
