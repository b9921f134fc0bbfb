/* SPDX-License-Identifier: GPL-2.0-only */
#include "link-failures.h"

#include <stdlib.h>

#include "textbuf.h"

size_t
failures_of(const struct scenario *s, struct link_failure *failures)
{
    const struct random_failures *r = &s->random_failures;
    const size_t drawn = weft_random_failures(&s->clos, r->edge, r->core, s->seed, s->run, NULL);
    if (failures)
    {
        uint64_t *dead = xcalloc(drawn, sizeof *dead);
        weft_random_failures(&s->clos, r->edge, r->core, s->seed, s->run, dead);
        for (size_t i = 0; i < s->nfailures; i++)
        {
            *failures++ = s->failures[i];
        }
        for (size_t i = 0; i < drawn; i++)
        {
            *failures++ = (struct link_failure){dead[i], r->at, r->repair};
        }
        free(dead);
    }
    return s->nfailures + drawn;
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
