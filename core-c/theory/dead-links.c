/* SPDX-License-Identifier: MIT */
/* Spraying over parallel links of which some are dead (ethereal §2.2). */
#include <math.h>

#include <weft/theory.h>

uint64_t
weft_sprayed_paths(const struct weft_dead_links *d)
{
    return (uint64_t)d->spines * d->parallel;
}

uint64_t
weft_congested_paths(const struct weft_dead_links *d)
{
    return d->dead > 0 && d->dead < d->parallel ? d->parallel : 0;
}

double
weft_sprayed_load(const struct weft_dead_links *d)
{
    return d->dead < d->parallel
               ? d->hosts / ((double)d->spines * (d->parallel - d->dead) * d->speed)
               : HUGE_VAL;
}

/* Share that comes from other leaves of what an all-to-all brings to a leaf's hosts. */
static double
from_afar(const struct weft_dead_links *d)
{
    const double all = (double)d->leaves * d->hosts;
    return (all - d->hosts) / (all - 1);
}

double
weft_sprayed_alltoall(const struct weft_dead_links *d)
{
    return fmax(1, weft_sprayed_load(d) * from_afar(d));
}

double
weft_weighted_alltoall(const struct weft_dead_links *d)
{
    const double links = (double)weft_sprayed_paths(d) - d->dead;
    return fmax(1, d->hosts / (links * d->speed) * from_afar(d));
}
