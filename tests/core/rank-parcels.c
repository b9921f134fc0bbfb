/* SPDX-License-Identifier: MIT */
#include "rank-parcels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct weft_parcel given[MOST_RANKS][MOST_RANKS]; /* from, to */
static pthread_barrier_t barrier;

void
rank_parcels_begin(uint32_t n)
{
    pthread_barrier_init(&barrier, NULL, n);
}

void
rank_parcels_end(void)
{
    pthread_barrier_destroy(&barrier);
}

void
rank_parcels_exchange(void *of, const struct weft_parcel *out, struct weft_parcel *in)
{
    struct rank_parcels *here = of;
    for (uint32_t r = 0; r < here->n; r++)
    {
        given[here->rank][r] = out[r];
    }
    pthread_barrier_wait(&barrier);
    for (uint32_t r = 0; r < here->n; r++)
    {
        const struct weft_parcel from = given[r][here->rank];
        free(here->copy[r]);
        here->copy[r] = malloc(from.n + 1);
        if (from.n > 0)
        {
            memcpy(here->copy[r], from.bytes, from.n);
        }
        in[r] = (struct weft_parcel){here->copy[r], r == here->rank ? 0 : from.n};
    }
    pthread_barrier_wait(&barrier);
}

void
rank_parcels_free(struct rank_parcels *of)
{
    for (uint32_t r = 0; r < of->n; r++)
    {
        free(of->copy[r]);
        of->copy[r] = NULL;
    }
}
