/* SPDX-License-Identifier: GPL-2.0-only */
#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "columns.h"
#include "diagnostics.h"
#include "list-calls.h"
#include "page.h"
#include "sweep-run.h"
#include "textbuf.h"
#include "vocabulary.h"

/** "1us", or what the type allows where the table names no bound. */
static const char *
bound(const char *text)
{
    return text ? text : "-";
}

/** The names of a choice or the name of a type. */
static const char *
kind_of_value(const struct weft_param *p)
{
    return p->type == WEFT_CHOICE ? p->choices : weft_type_name(p->type);
}

/** Prints one row of a table in Markdown; @p code: its first cells, so many, are code.
 * NULL: an empty cell. */
static void
print_row(size_t n, const char *const *cells, size_t code)
{
    xmlDoc *page = page_new("row");
    xmlNode *row = xmlDocGetRootElement(page);
    for (size_t i = 0; i < n; i++)
    {
        if (!cells[i])
        {
            page_add(row, "gap", NULL);
        }
        else if (i < code)
        {
            page_add_code(page_add(row, "says", NULL), cells[i]);
        }
        else
        {
            page_add_markdown(row, "says", cells[i]);
        }
    }
    OWNED char *text = page_write(page, PAGE_MARKDOWN);
    printf("%s", text);
    xmlFreeDoc(page);
}

/** A sentence and its source, indented and broken at column 100. */
static void
print_wrapped(const char *doc, const char *source)
{
    enum
    {
        INDENT = 19,
        WIDTH = 100
    };
    OWNED char *text = *source ? xformat("%s [%s]", doc, source) : xformat("%s", doc);
    int column = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    {
        const int length = (int)strlen(word);
        if (column == 0 || column + 1 + length > WIDTH)
        {
            printf("%s%*s%s", column == 0 ? "" : "\n", INDENT, "", word);
            column = INDENT + length;
        }
        else
        {
            printf(" %s", word);
            column += 1 + length;
        }
    }
    printf("\n");
}

static void
print_param(const struct weft_param *p, bool required, bool markdown)
{
    const char *def = p->def ? p->def : required ? "required" : "-";
    const char *source = p->source ? p->source : "";
    if (markdown)
    {
        const char *const cells[] = {p->name,       kind_of_value(p), def,   bound(p->min),
                                     bound(p->max), p->doc,           source};
        print_row(sizeof cells / sizeof cells[0], cells, 1);
        return;
    }
    printf("  %-16s %-10s default %s", p->name, weft_type_name(p->type), def);
    if (p->min || p->max)
    {
        printf(", from %s to %s", bound(p->min), bound(p->max));
    }
    if (p->type == WEFT_CHOICE)
    {
        printf(", one of: %s", p->choices);
    }
    printf("\n");
    print_wrapped(p->doc, source);
}

static void
print_table_head(bool markdown)
{
    if (markdown)
    {
        printf("| parameter | value | default | least | greatest | meaning | source |\n"
               "|---|---|---|---|---|---|---|\n");
    }
}

static void
print_presets(const struct weft_algo *algo, bool markdown)
{
    if (algo->npresets && markdown)
    {
        printf("\n| preset | sets | meaning | source |\n|---|---|---|---|\n");
    }
    for (size_t i = 0; i < algo->npresets; i++)
    {
        const struct weft_preset *p = &algo->presets[i];
        const char *source = p->source ? p->source : "";
        if (markdown)
        {
            print_row(4, (const char *const[]){p->name, p->settings, p->doc, source}, 2);
        }
        else
        {
            printf("  preset=\"%s\"  %s\n", p->name, p->settings);
            print_wrapped(p->doc, source);
        }
    }
}

static void
print_algo(const struct weft_registry *registry, const struct weft_algo *algo, bool markdown)
{
    const char *selector = vocabulary_find(registry->kind, "scenario")->selector;
    if (markdown)
    {
        printf("\n### %s `%s`\n\n%s Source: %s.\n\n", registry->kind, algo->name, algo->doc,
               algo->source);
    }
    else
    {
        printf("<%s %s=\"%s\"/>  %s [%s]\n", registry->kind, selector, algo->name, algo->doc,
               algo->source);
    }
    if (algo->nparams)
    {
        print_table_head(markdown);
    }
    for (size_t i = 0; i < algo->nparams; i++)
    {
        print_param(&algo->params[i], algo->params[i].def == NULL, markdown);
    }
    print_presets(algo, markdown);
    if (!markdown)
    {
        printf("\n");
    }
}

static void
print_registry(const struct weft_registry *registry, bool markdown)
{
    if (markdown)
    {
        printf("\n## %s\n\n%s\n", registry->kind, registry->doc);
    }
    for (size_t i = 0; i < registry->count; i++)
    {
        print_algo(registry, registry->algos[i], markdown);
    }
}

/** What holds where a scenario leaves out the element, if that is not just nothing; or "". */
static char *
if_absent(const struct element_spec *spec)
{
    struct text t = {0};
    const char *name = spec->selector ? default_algorithm(spec->name) : NULL;
    if (name)
    {
        text_add(&t, " %s=\"%s\"", spec->selector, name);
    }
    for (size_t i = 0; spec->flags & ELEMENT_SETTABLE && i < spec->nattributes; i++)
    {
        const struct weft_param *p = &spec->attributes[i].param;
        if (p->def)
        {
            text_add(&t, " %s=\"%s\"", p->name, p->def);
        }
    }
    char *values = text_take(&t);
    char *absent = values && *values ? xformat("If absent:%s.", values) : xstrdup("");
    free(values);
    return absent;
}

static void
print_element(const struct element_spec *spec, bool markdown)
{
    const char *many = spec->flags & ELEMENT_MANY ? ", any number of times" : "";
    OWNED char *absent = if_absent(spec);
    if (markdown)
    {
        printf("\n### `<%s>`\n\nIn `%s`%s: %s.%s%s\n\n", spec->name,
               *spec->parents ? spec->parents : "(root)", many, spec->doc, *absent ? " " : "",
               absent);
    }
    else
    {
        printf("<%s> in %s%s: %s\n%s%s%s", spec->name, *spec->parents ? spec->parents : "(root)",
               many, spec->doc, *absent ? "  " : "", absent, *absent ? "\n" : "");
    }
    const size_t n = spec->flags & ELEMENT_CHANGES ? 0 : spec->nattributes;
    if (n)
    {
        print_table_head(markdown);
    }
    for (size_t i = 0; i < n; i++)
    {
        struct weft_param p = spec->attributes[i].param;
        const enum attribute_shape shape = spec->attributes[i].shape;
        bool is_value = shape == SHAPE_VALUE || shape == SHAPE_TEMPLATE;
        if (!is_value && markdown)
        {
            const char *needed = spec->attributes[i].required ? "required" : "-";
            const char *kind = shape == SHAPE_LENGTH ? "length in mm" : "text";
            print_row(7, (const char *const[]){p.name, kind, needed, "-", "-", p.doc, NULL}, 1);
        }
        else if (!is_value)
        {
            printf("  %-16s text       %s\n  %-16s %s\n", p.name,
                   spec->attributes[i].required ? "required" : "optional", "", p.doc);
        }
        else
        {
            p.def = spec->attributes[i].required ? NULL : p.def;
            print_param(&p, spec->attributes[i].required, markdown);
        }
    }
    if (!markdown)
    {
        printf("\n");
    }
}

static void
print_elements(bool markdown)
{
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        print_element(&vocabulary.elements[i], markdown);
    }
}

static void
print_column(bool markdown, const char *name, const char *doc)
{
    if (markdown)
    {
        print_row(2, (const char *const[]){name, doc}, 1);
        return;
    }
    printf("  %-20s %s\n", name, doc);
}

static void
print_columns(bool markdown)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    for (size_t i = 0; i < n; i++)
    {
        if (markdown)
        {
            printf("\n### `%s`\n\n%s.\n\n| column | meaning |\n|---|---|\n", tables[i]->file,
                   tables[i]->doc);
        }
        else
        {
            printf("%s: %s\n", tables[i]->file, tables[i]->doc);
        }
        for (size_t c = 0; c < tables[i]->n; c++)
        {
            print_column(markdown, tables[i]->columns[c].name, tables[i]->columns[c].doc);
        }
    }
}

static void
print_overview(void)
{
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    for (size_t i = 0; i < n; i++)
    {
        printf("%s: %s\n", registries[i].kind, registries[i].doc);
        for (size_t k = 0; k < registries[i].count; k++)
        {
            printf("  %-18s %s [%s]\n", registries[i].algos[k]->name, registries[i].algos[k]->doc,
                   registries[i].algos[k]->source);
        }
    }
    printf("\n'weft list NAME' shows the parameters of an algorithm or of all of a kind, "
           "'weft list elements' every element\nof a scenario, 'weft list columns' every column of "
           "the results, 'weft list calls' what a simulator\nof your own must call.\n");
}

static int
report_nothing(const char *what)
{
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    struct nearest near = nearest_start(what);
    for (size_t i = 0; i < n; i++)
    {
        nearest_try(&near, registries[i].kind);
        for (size_t k = 0; k < registries[i].count; k++)
        {
            nearest_try(&near, registries[i].algos[k]->name);
        }
    }
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        nearest_try(&near, vocabulary.elements[i].name);
    }
    fprintf(stderr, "weft: error: nothing is called '%s'; 'weft list' shows all names%s\n", what,
            did_you_mean(near.best));
    return EXIT_BAD_INPUT;
}

int
list_print(const char *what, bool markdown)
{
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    bool found = false;
    if (!what && !markdown)
    {
        print_overview();
        return EXIT_GOOD;
    }
    for (size_t i = 0; i < n; i++)
    {
        if (!what || strcmp(registries[i].kind, what) == 0)
        {
            print_registry(&registries[i], markdown);
            found = true;
            continue;
        }
        for (size_t k = 0; k < registries[i].count; k++)
        {
            if (strcmp(registries[i].algos[k]->name, what) == 0)
            {
                print_algo(&registries[i], registries[i].algos[k], markdown);
                found = true;
            }
        }
    }
    if (!what || strcmp(what, "elements") == 0)
    {
        print_elements(markdown);
        found = true;
    }
    if (!what || strcmp(what, "columns") == 0)
    {
        print_columns(markdown);
        found = true;
    }
    if (!what || strcmp(what, "calls") == 0)
    {
        list_calls(markdown);
        found = true;
    }
    for (size_t i = 0; what && i < vocabulary.n; i++)
    {
        if (!vocabulary.elements[i].selector && strcmp(vocabulary.elements[i].name, what) == 0)
        {
            print_element(&vocabulary.elements[i], markdown);
            found = true;
        }
    }
    return found ? EXIT_GOOD : report_nothing(what);
}
