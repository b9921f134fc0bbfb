/* SPDX-License-Identifier: GPL-2.0-only */
#include "stale.h"

#include <stdlib.h>
#include <string.h>

#include "built-code.h"
#include "document.h"
#include "textbuf.h"

#define MOST_NAMED 8

struct differences
{
    struct text text;
    size_t n;
};

static void
add_difference(struct differences *d, const char *element, const char *attribute, const char *was,
               const char *is)
{
    if (d->n++ >= MOST_NAMED)
    {
        return;
    }
    text_add(&d->text, "%s%s%s%s changed", d->n > 1 ? ", " : "", element, *attribute ? "." : "",
             attribute);
    if (was && is)
    {
        text_add(&d->text, " (%s, now %s)", was, is);
    }
}

/** Two elements of one name; NULL: there is none. */
static void
compare_elements(struct differences *d, const struct element *was, const struct element *is)
{
    if (!was || !is)
    {
        add_difference(d, was ? was->name : is->name, "", NULL, NULL);
        return;
    }
    for (size_t i = 0; i < is->nattributes; i++)
    {
        const struct attribute *a = &is->attributes[i];
        const char *old = element_value(was, a->name);
        if (!old || strcmp(old, a->value) != 0)
        {
            add_difference(d, is->name, a->name, old, a->value);
        }
    }
    for (size_t i = 0; i < was->nattributes; i++)
    {
        const struct attribute *a = &was->attributes[i];
        /* What only the former algorithm knows goes without saying. */
        if (!element_attribute(is, a->name) && !is->spec->selector)
        {
            add_difference(d, was->name, a->name, a->value, NULL);
        }
    }
}

/** The child of @p root in the same place among those of its name as child @p i of @p other. */
static const struct element *
counterpart(const struct element *root, const struct element *other, size_t i)
{
    const char *name = other->children[i]->name;
    size_t n = 0;
    for (size_t k = 0; k < i; k++)
    {
        n += strcmp(other->children[k]->name, name) == 0;
    }
    for (size_t k = 0; k < root->nchildren; k++)
    {
        if (strcmp(root->children[k]->name, name) == 0 && n-- == 0)
        {
            return root->children[k];
        }
    }
    return NULL;
}

static char *
compare(const struct element *was, const struct element *is)
{
    struct differences d = {{0}, 0};
    for (size_t i = 0; i < is->nchildren; i++)
    {
        compare_elements(&d, counterpart(was, is, i), is->children[i]);
    }
    for (size_t i = 0; i < was->nchildren; i++)
    {
        if (!counterpart(is, was, i))
        {
            compare_elements(&d, was->children[i], NULL);
        }
    }
    if (d.n > MOST_NAMED)
    {
        text_add(&d.text, " and %zu more", d.n - MOST_NAMED);
    }
    return d.n ? text_take(&d.text) : NULL;
}

char *
stale_reason(const struct folder *runs, const char *name, const struct run_source *source)
{
    struct folder run = NO_FOLDER;
    char *why = NULL, *reason = NULL, *bytes = NULL;
    size_t n;
    if (runs->fd >= 0 && folder_open_in(&run, runs, name, &why))
    {
        bytes = file_read(&run, "scenario.xml", &n, &why);
    }
    if (bytes)
    {
        struct diagnostics d = {.file = run.path};
        struct document *was = document_parse(run.path, bytes, n, &d);
        struct document *is =
            document_parse(run.path, source->resolved, strlen(source->resolved), &d);
        reason =
            was && is ? compare(was->root, is->root) : xstrdup("its scenario.xml cannot be read");
        document_free(is);
        document_free(was);
        diag_free(&d);
    }
    if (bytes && !reason)
    {
        (void)(run_folder_tables_fit(&run, &reason) &&
               built_code_fits(&run, source->code, &reason));
    }
    folder_close(&run);
    free(bytes);
    free(why);
    return reason;
}
