/* SPDX-License-Identifier: GPL-2.0-only */
#include "graph-names.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** Digits of the greatest id. */
#define MOST_DIGITS 10

/** Reads a name that is an id. */
static bool
read_id(const char *name, uint32_t *id)
{
    const size_t n = strspn(name, "0123456789");
    if (n == 0 || n > MOST_DIGITS || name[n] || (*name == '0' && n > 1))
    {
        return false;
    }
    const unsigned long long value = strtoull(name, NULL, 10);
    *id = (uint32_t)value;
    return value <= UINT32_MAX;
}

static int
by_id(const void *a, const void *b)
{
    const struct graph_id *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

void
graph_names_find_ids(struct graph_names *names)
{
    uint32_t first = 0;
    names->ids = xcalloc((size_t)names->count[NODE_HOST] + names->count[NODE_SWITCH] + 1,
                         sizeof *names->ids);
    for (enum node_kind kind = NODE_HOST; kind < NODE_KINDS; kind++)
    {
        const size_t before = names->nids;
        const uint32_t end = first + names->count[kind];
        bool all = true;
        for (uint32_t node = first; all && node < end; node++)
        {
            struct graph_id *id = &names->ids[names->nids++];
            id->node = node;
            all = read_id(names->name[node], &id->id);
        }
        names->has_ids[kind] = all;
        names->nids = all ? names->nids : before;
        first = end;
    }
    qsort(names->ids, names->nids, sizeof *names->ids, by_id);
}

bool
graph_names_find(const struct graph_names *names, uint64_t id, enum node_kind *kind,
                 uint32_t *number)
{
    const struct graph_id key = {.id = (uint32_t)id};
    const struct graph_id *found =
        id > UINT32_MAX ? NULL : bsearch(&key, names->ids, names->nids, sizeof key, by_id);
    if (found)
    {
        const uint32_t hosts = names->count[NODE_HOST];
        *kind = found->node < hosts ? NODE_HOST : NODE_SWITCH;
        *number = found->node - (*kind == NODE_SWITCH ? hosts : 0);
    }
    return found != NULL;
}

void
graph_names_free(struct graph_names *names)
{
    for (size_t i = 0;
         names->name && i < (size_t)names->count[NODE_HOST] + names->count[NODE_SWITCH]; i++)
    {
        free(names->name[i]);
    }
    free(names->name);
    free(names->ids);
}
