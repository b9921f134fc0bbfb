/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers of a report were made by an algorithm's former code. */
#include <stdlib.h>
#include <string.h>

#include "report.h"

static bool
has_any(const char *conditions, const char *words)
{
    struct words w = words_split(conditions ? conditions : "");
    struct words former = words_split(words);
    bool found = false;
    for (size_t i = 0; i < w.n; i++)
    {
        for (size_t k = 0; k < former.n; k++)
        {
            found = found || strcmp(w.word[i], former.word[k]) == 0;
        }
    }
    words_free(&w);
    words_free(&former);
    return found;
}

bool
is_former_claim(const struct element *root, const struct element *claim)
{
    const char *former = element_value(root, "former");
    bool found = former && has_any(element_value(claim, "where"), former);
    for (size_t i = 0; former && i < claim->nchildren; i++)
    {
        const struct element *c = claim->children[i];
        found =
            found || (strcmp(c->name, "value") == 0 && has_any(element_value(c, "where"), former));
    }
    return found;
}

bool
is_former_cell(const struct element *root, const char *key, const char *cell)
{
    const char *former = element_value(root, "former");
    char *condition = xformat("%s=%s", key, cell);
    bool found = former && has_any(condition, former);
    free(condition);
    return found;
}

/** The names in an expression: whether the <value> of one is former. */
struct names
{
    const struct element *table;
    const char *former;
    bool found;
};

static bool
note_name(void *user, const char *name, double *number)
{
    struct names *n = user;
    for (size_t i = 0; i < n->table->nchildren; i++)
    {
        const struct element *value = n->table->children[i];
        const char *own = strcmp(value->name, "value") == 0 ? element_value(value, "name") : NULL;
        n->found = n->found || (own && strcmp(own, name) == 0 &&
                                has_any(element_value(value, "where"), n->former));
    }
    *number = 1;
    return true;
}

bool
is_former_column(const struct element *root, const struct element *table,
                 const struct element *measured)
{
    struct names n = {table, element_value(root, "former"), false};
    double ignored;
    char *why = NULL;
    if (n.former)
    {
        expression_value(element_value(measured, "is"), note_name, &n, &ignored, &why);
        n.found = n.found || has_any(element_value(table, "where"), n.former);
    }
    free(why);
    return n.found;
}
