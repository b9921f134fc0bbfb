/* SPDX-License-Identifier: MIT */
#include "traffic/traffic-walk.h"

void
weft_walk_lay_out(struct weft_walk *w, const struct weft_traffic *t, void *memory, size_t *used)
{
    w->t = t;
    w->ready = weft_walk_take(memory, used, t->n * sizeof *w->ready);
    w->waits = weft_walk_take(memory, used, t->n * sizeof *w->waits);
    w->order = weft_walk_take(memory, used, (t->n + (size_t)1) * sizeof *w->order);
}

void
weft_walk_begin(struct weft_walk *w, bool barriers)
{
    const struct weft_traffic *t = w->t;
    w->n = 0;
    for (uint32_t i = 0; i < t->n; i++)
    {
        w->ready[i] = 0;
        w->waits[i] = barriers && t->messages[i].barrier;
    }
    for (uint32_t i = 0; i < t->n; i++)
    {
        for (uint32_t k = 0; k < t->messages[i].nnext; k++)
        {
            w->waits[t->next[t->messages[i].first_next + k]]++;
        }
    }
    for (uint32_t i = 0; i < t->n; i++)
    {
        w->order[w->n] = i;
        w->n += w->waits[i] == 0;
    }
}

int64_t
weft_walk_start(const struct weft_walk *w, uint32_t message)
{
    const struct weft_message *m = &w->t->messages[message];
    const int64_t ready = w->ready[message];
    return weft_starts_after(m) ? weft_sum(ready, m->start) : weft_larger(ready, m->start);
}

void
weft_walk_release(struct weft_walk *w, uint32_t message, int64_t time)
{
    w->ready[message] = weft_larger(w->ready[message], time);
    w->order[w->n] = message;
    w->n += --w->waits[message] == 0;
}

void
weft_walk_on(struct weft_walk *w, const struct weft_message *m, int64_t end)
{
    for (uint32_t k = 0; k < m->nnext; k++)
    {
        weft_walk_release(w, w->t->next[m->first_next + k], end);
    }
}
