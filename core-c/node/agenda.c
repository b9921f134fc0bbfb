/* SPDX-License-Identifier: MIT */
/* Agenda of a node, a heap. */
#include "node/agenda.h"

#include <stdbool.h>

static bool
is_before(const struct weft_due *a, const struct weft_due *b)
{
    return a->at != b->at ? a->at < b->at : a->key != b->key ? a->key < b->key : a->seq < b->seq;
}

void
weft_agenda_add(struct weft_agenda *agenda, int64_t at, uint64_t key, uint64_t seq, void *what,
                const struct weft_memory *memory)
{
    const struct weft_due due = {.at = at, .key = key, .seq = seq, .what = what};
    agenda->due = weft_grow(memory, agenda->due, agenda->n, &agenda->size, sizeof due);
    uint32_t i = agenda->n++;
    while (i > 0 && is_before(&due, &agenda->due[(i - 1) / 2]))
    {
        agenda->due[i] = agenda->due[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    agenda->due[i] = due;
}

struct weft_due
weft_agenda_take(struct weft_agenda *agenda)
{
    const struct weft_due first = agenda->due[0];
    const struct weft_due due = agenda->due[--agenda->n];
    uint32_t i = 0;
    for (uint32_t child = 1; child < agenda->n; child = 2 * i + 1)
    {
        child += child + 1 < agenda->n && is_before(&agenda->due[child + 1], &agenda->due[child]);
        if (!is_before(&agenda->due[child], &due))
        {
            break;
        }
        agenda->due[i] = agenda->due[child];
        i = child;
    }
    agenda->due[i] = due;
    return first;
}
