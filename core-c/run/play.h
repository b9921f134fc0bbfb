/* SPDX-License-Identifier: MIT */
/** @file play.h A program that is run: what its hosts keep. All of a rank is touched by its host
 * alone. Private. */
#ifndef WEFT_PLAY_H
#define WEFT_PLAY_H

#include "run/collective.h"

#include <weft/ops.h>

/** Queue of operations, by `link`. */
struct weft_op_row
{
    uint32_t head, tail;
};

/** A rank's stream. */
struct weft_play_stream
{
    struct weft_op_row queue; /**< those whose turn has not come */
    bool computes;
};

struct weft_play
{
    struct weft_collective *c;
    const struct weft_played *is;
    struct weft_program *program;
    struct weft_op_row *ready;       /**< [rank]: they begin before anything else happens */
    struct weft_play_stream *stream; /**< [rank * nstreams + stream] */
    uint32_t *rank_at;               /**< [host] */
};

#endif
