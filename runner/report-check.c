/* SPDX-License-Identifier: GPL-2.0-only */
/* What a claims file may hold. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const struct claims_element
{
    const char *name, *parents;
    const char *attributes; /**< separated by one space, '!' behind those that are required */
    bool text;              /**< holds text, and must */
} elements[] = {
    {"claims", "", "title!", false},
    {"text", "claims section", "", true},
    {"section", "claims", "title! results scenario", false},
    {"claim", "section", "where each", false},
    {"says", "claim", "", true},
    {"paper", "claim", "", true},
    {"why", "claim", "", true},
    {"test", "claim", "name! file!", false},
    {"table", "section", "title! where each!", false},
    {"value", "claim table", "name! column! where results file data of against", false},
    {"measured", "claim table", "label is! unit decimals", false},
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

const struct column_table *
value_table(const struct element *value)
{
    const char *data = element_value(value, "data");
    return !data                        ? NULL
           : strcmp(data, "qps") == 0   ? &qps_table
           : strcmp(data, "flows") == 0 ? &flows_table
                                        : NULL;
}

long
percentile_ppm(const char *of)
{
    char *end;
    if (of[0] != 'p' || !isdigit((unsigned char)of[1]))
    {
        return -1;
    }
    double percent = strtod(of + 1, &end);
    return *end || strspn(of + 1, "0123456789.") != strlen(of + 1) || percent > 100
               ? -1
               : lround(percent * 10000);
}

static void
check_of(const struct element *e, const char *of, struct diagnostics *d)
{
    if (!has_word("mean min max exponent correlation", of) && percentile_ppm(of) < 0)
    {
        diag_error(
            d, element_line(e, "of"),
            "of '%s'; expected mean, min, max, exponent, correlation or a percentile such as "
            "p50, p99 or p99.9",
            of);
    }
}

/** What comes from the runs' own files. */
static void
check_data(const struct element *e, struct diagnostics *d)
{
    const struct column_table *table = value_table(e);
    const char *data = element_value(e, "data"), *column = element_value(e, "column");
    struct nearest near = nearest_start(column ? column : "");
    if (!table)
    {
        if (strcmp(data, "summary") != 0)
        {
            diag_error(d, element_line(e, "data"), "data '%s'; expected summary, qps or flows",
                       data);
        }
        return;
    }
    if (element_value(e, "file") || element_value(e, "against"))
    {
        diag_error(d, element_line(e, "data"),
                   "data=\"%s\" does not go with file or against; expected one of them", data);
    }
    nearest_try(&near, table->derived->name);
    for (size_t i = 0; i < table->n; i++)
    {
        nearest_try(&near, table->columns[i].name);
    }
    if (column && !columns_have(table, column) && strcmp(column, table->derived->name) != 0)
    {
        diag_error(d, element_line(e, "column"), "%s has no column '%s'%s", table->file, column,
                   did_you_mean(near.best));
    }
}

static void
check_values(const struct element *e, struct diagnostics *d)
{
    const char *decimals = element_value(e, "decimals"), *of = element_value(e, "of");
    if (decimals && (strlen(decimals) != 1 || !isdigit((unsigned char)*decimals)))
    {
        diag_error(d, element_line(e, "decimals"), "decimals '%s'; expected 0 to 9", decimals);
    }
    if (of)
    {
        check_of(e, of, d);
    }
    if ((of && has_word("exponent correlation", of)) != (element_value(e, "against") != NULL))
    {
        diag_error(d, element_line(e, "of"),
                   "of=\"exponent\" (or \"correlation\") and against=\"COLUMN\" go together: y ~ "
                   "x^exponent");
    }
    if (strcmp(e->name, "value") == 0 && element_value(e, "data"))
    {
        check_data(e, d);
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
