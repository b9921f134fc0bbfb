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
    {"claims", "", "title! former", false},
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

static void
check_data_column(const struct element *e, const struct column_table *table, const char *column,
                  struct diagnostics *d)
{
    struct nearest near = nearest_start(column);
    nearest_try(&near, table->derived->name);
    for (size_t i = 0; i < table->n; i++)
    {
        nearest_try(&near, table->columns[i].name);
    }
    if (!number_column_known(table, column))
    {
        diag_error(d, element_line(e, "column"), "%s has no column '%s'%s", table->file, column,
                   did_you_mean(near.best));
    }
}

/** What comes from the runs' own files. */
static void
check_data(const struct element *e, struct diagnostics *d)
{
    const struct column_table *table = value_table(e);
    const char *data = element_value(e, "data"), *column = element_value(e, "column");
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
    if (column)
    {
        check_data_column(e, table, column, d);
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

/* --- what goes together ----------------------------------------------------------------------- */

/** Groups are made of totals of the runs; in the runs' files a column of that name is another. */
static void
check_each(const struct element *e, const struct element *value, struct diagnostics *d)
{
    const struct column_table *table = value_table(value);
    const char *each = element_value(e, "each");
    struct words keys = words_split(each ? each : "");
    for (size_t i = 0; table && i < keys.n; i++)
    {
        if (number_column_known(table, keys.word[i]))
        {
            diag_error(
                d, element_line(e, "each"),
                "each '%s': the <value> in line %d reads %s, which has such a column itself; "
                "expected one that only the runs have, such as what varies",
                keys.word[i], value->line, table->file);
        }
    }
    words_free(&keys);
}

/** Names of <value>s, and which of them expressions use. */
struct uses
{
    const struct element *e;
    bool *used; /**< [child] */
};

static bool
note_use(void *user, const char *name, double *value)
{
    struct uses *u = user;
    *value = 1;
    for (size_t i = 0; i < u->e->nchildren; i++)
    {
        const struct element *child = u->e->children[i];
        const char *known = element_value(child, "name");
        if (strcmp(child->name, "value") == 0 && known && strcmp(known, name) == 0)
        {
            u->used[i] = true;
            return true;
        }
    }
    return false;
}

static void
check_expressions(struct uses *u, struct diagnostics *d)
{
    for (size_t i = 0; i < u->e->nchildren; i++)
    {
        const struct element *m = u->e->children[i];
        const char *is = strcmp(m->name, "measured") == 0 ? element_value(m, "is") : NULL;
        double value;
        char *why = NULL;
        if (is && !expression_value(is, note_use, u, &value, &why))
        {
            diag_error(d, element_line(m, "is"), "is '%s': %s", is, why);
        }
        free(why);
    }
}

/** A name stands for one <value>. */
static void
check_name(const struct element *e, size_t child, struct diagnostics *d)
{
    const struct element *value = e->children[child];
    const char *name = element_value(value, "name");
    for (size_t i = 0; name && i < child; i++)
    {
        const char *taken = element_value(e->children[i], "name");
        if (strcmp(e->children[i]->name, "value") == 0 && taken && strcmp(taken, name) == 0)
        {
            diag_error(d, value->line,
                       "a second <value> '%s', after that in line %d; expected each name once",
                       name, e->children[i]->line);
            return;
        }
    }
}

/** The <value>s of a claim or table, and what uses them. */
static void
check_names(const struct element *e, struct diagnostics *d)
{
    struct uses u = {e, xcalloc(e->nchildren, sizeof *u.used)};
    const size_t before = d->reported;
    check_expressions(&u, d);
    for (size_t i = 0; i < e->nchildren; i++)
    {
        if (strcmp(e->children[i]->name, "value") == 0)
        {
            check_name(e, i, d);
            check_each(e, e->children[i], d);
        }
    }
    const bool good = d->reported == before;
    for (size_t i = 0; good && i < e->nchildren; i++)
    {
        const struct element *value = e->children[i];
        if (strcmp(value->name, "value") == 0 && !u.used[i] && element_value(value, "name"))
        {
            diag_error(d, value->line, "no <measured> uses the <value> '%s'",
                       element_value(value, "name"));
        }
    }
    free(u.used);
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
        check_names(e, d);
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
