/* SPDX-License-Identifier: GPL-2.0-only */
#include "link-failures.h"

#include <stdlib.h>

#include "textbuf.h"

struct link_failure *
failures_of(const struct scenario *s, size_t *n)
{
    const struct random_links *r = &s->random_failures;
    size_t drawn;
    uint64_t *dead = random_links_draw(s, r, &drawn);
    struct link_failure *all = xcalloc(s->nfailures + drawn, sizeof *all);
    for (size_t i = 0; i < s->nfailures; i++)
    {
        all[i] = s->failures[i];
    }
    for (size_t i = 0; i < drawn; i++)
    {
        all[s->nfailures + i] = (struct link_failure){dead[i], r->at, r->repair, 0};
    }
    free(dead);
    *n = s->nfailures + drawn;
    return all;
}

struct link_degradation *
degradations_of(const struct scenario *s, size_t *n)
{
    const struct random_links *r = &s->random_degrade;
    size_t drawn;
    uint64_t *slow = random_links_draw(s, r, &drawn);
    struct link_degradation *all = xcalloc(s->ndegradations + drawn, sizeof *all);
    for (size_t i = 0; i < s->ndegradations; i++)
    {
        all[i] = s->degradations[i];
    }
    for (size_t i = 0; i < drawn; i++)
    {
        struct weft_link link;
        weft_clos_link(&s->clos, slow[i], &link);
        all[s->ndegradations + i] = (struct link_degradation){
            slow[i], (int64_t)((double)link.rate * r->share), r->at, r->repair, 0};
    }
    free(slow);
    *n = s->ndegradations + drawn;
    return all;
}

static int
by_link(const void *a, const void *b)
{
    const struct link_failure *x = a, *y = b;
    return (x->link > y->link) - (x->link < y->link);
}

uint64_t
links_failed(struct link_failure *failures, size_t n, int64_t now)
{
    uint64_t links = 0, last = UINT64_MAX;
    if (n > 0)
    {
        qsort(failures, n, sizeof *failures, by_link);
    }
    for (size_t i = 0; i < n; i++)
    {
        if (failures[i].at <= now && failures[i].link != last)
        {
            last = failures[i].link;
            links++;
        }
    }
    return links;
}
