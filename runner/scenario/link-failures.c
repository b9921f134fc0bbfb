/* SPDX-License-Identifier: GPL-2.0-only */
#include "link-failures.h"

#include <stdlib.h>

#include "textbuf.h"

/** Those named and those drawn. */
static struct link_fault *
faults_of(const struct scenario *s, const struct link_fault *named, size_t nnamed,
          const struct random_links *r, size_t *n)
{
    size_t drawn;
    OWNED uint64_t *links = random_links_draw(s, r, &drawn);
    struct link_fault *all = xcalloc(nnamed + drawn, sizeof *all);
    for (size_t i = 0; i < nnamed; i++)
    {
        all[i] = named[i];
    }
    for (size_t i = 0; i < drawn; i++)
    {
        struct weft_link link;
        weft_clos_link(&s->clos, links[i], &link);
        all[nnamed + i] = (struct link_fault){.link = links[i],
                                              .rate = (int64_t)((double)link.rate * r->share),
                                              .at = r->at,
                                              .repair = r->repair};
    }
    *n = nnamed + drawn;
    return all;
}

struct link_fault *
failures_of(const struct scenario *s, size_t *n)
{
    return faults_of(s, s->failures, s->nfailures, &s->random_failures, n);
}

struct link_fault *
degradations_of(const struct scenario *s, size_t *n)
{
    return faults_of(s, s->degradations, s->ndegradations, &s->random_degrade, n);
}

static int
by_link(const void *a, const void *b)
{
    const struct link_fault *x = a, *y = b;
    return (x->link > y->link) - (x->link < y->link);
}

uint64_t
links_failed(struct link_fault *failures, size_t n, int64_t now)
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
