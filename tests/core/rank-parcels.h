/* SPDX-License-Identifier: MIT */
/** @file rank-parcels.h  Ranks as threads of one process, which hand parcels over in memory. */
#ifndef WEFT_RANK_PARCELS_H
#define WEFT_RANK_PARCELS_H

#include <weft/ranks.h>

#define MOST_RANKS 4

/** Parcels that a rank has been sent. */
struct rank_parcels
{
    uint32_t rank, n;
    void *copy[MOST_RANKS];
};

/** Before there are ranks, and when all have ended. */
void rank_parcels_begin(uint32_t n);
void rank_parcels_end(void);
/** As exchange() of struct weft_ranks. @p of: struct rank_parcels. */
void rank_parcels_exchange(void *of, const struct weft_parcel *out, struct weft_parcel *in);
/** Gives back what a rank has been sent. */
void rank_parcels_free(struct rank_parcels *of);

#endif
