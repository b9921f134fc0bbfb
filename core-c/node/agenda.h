/* SPDX-License-Identifier: MIT */
/** @file agenda.h Agenda of a node: what is due there, earliest first. Private. */
#ifndef WEFT_AGENDA_H
#define WEFT_AGENDA_H

#include "link/room.h"

#include <weft/param.h>

/** Something that is due. */
struct weft_due
{
    int64_t at;
    uint64_t key; /**< order within the instant */
    uint64_t seq; /**< order within the key: of mail, by who sent it, as sent */
    void *what;
};

/** Entries that are due, a heap. */
struct weft_agenda
{
    struct weft_due *due;
    uint32_t n;
    uint32_t size;
    uint64_t seq;
};

/** Adds @p what, which is due @p at; @p key and @p seq as in struct weft_due. */
void weft_agenda_add(struct weft_agenda *agenda, int64_t at, uint64_t key, uint64_t seq, void *what,
                     const struct weft_memory *memory);
/** Takes out the first one. */
struct weft_due weft_agenda_take(struct weft_agenda *agenda);
/** Returns when the first one is due, or WEFT_NEVER. */
static inline int64_t
weft_agenda_next(const struct weft_agenda *agenda)
{
    return agenda->n > 0 ? agenda->due[0].at : WEFT_NEVER;
}

#endif
