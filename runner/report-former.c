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
